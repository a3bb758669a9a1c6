//! Looking for added tokens in a text: leftmost, then longest, then what the flags of a token say.
//!
//! Matches follow one another: the next one is looked for behind the last one, also where the flags say that a match does
//! not count. A token that does not count still hides the shorter ones in it. This is how `tokenizers` reads these files;
//! its source is `src/tokenizer/added_vocabulary.rs` of huggingface/tokenizers.
//!
//! What becomes of special tokens is a matter of the call: one that is ordinary text hides no other special token, as in
//! tiktoken, but it hides what is not special, as in `tokenizers`. There is one automaton for all calls. Where it finds a
//! token that does not count, the next shorter one that begins there is looked at, and then the next place.

use std::ops::Range;
use std::sync::Arc;

use crate::Tick;
use crate::error::{Error, Result};
use crate::matcher::{Match, Matcher};
use crate::scan::classes::{self, Class};
use crate::spec::AddedToken;

/// Tokens are searched for in windows of this size. A tick comes after each, and in each most places may be looked at
/// anew, where tokens that are text begin.
const WINDOW_BYTES: usize = 1 << 16;

/// A token that is looked for.
#[derive(Clone, Debug)]
pub struct Sought {
    /// The token.
    pub token: AddedToken,
    /// Its place among the added tokens of the tokenizer.
    pub place: usize,
    /// The bytes that are looked for.
    pub pattern: Vec<u8>,
}

/// What becomes of a token that stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It becomes one token.
    Found,
    /// It is an error.
    Refused,
    /// It is ordinary text, and hides the tokens that are not special and begin in it. Only special tokens may be that.
    Text,
}

/// A set of tokens to look for in one stage of the pipeline.
#[derive(Clone, Debug)]
pub struct Search {
    matcher: Option<Matcher>,
    tokens: Arc<[Sought]>,
    /// Of each token the next one that begins where it does: with the same pattern, or the next shorter one.
    next: Arc<[Option<u32>]>,
    /// By the place of a token among all of the tokenizer.
    fates: Arc<[Fate]>,
    /// Some token is not special.
    has_ordinary: bool,
    /// Some special token may count.
    has_special: bool,
    longest: usize,
    takes_blanks: bool,
}

/// An added token found in a text.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Its first byte, or that of the blanks that it takes.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its id.
    pub id: u32,
    /// Its place among the added tokens of the tokenizer.
    pub place: usize,
}

/// A stretch of a text.
#[derive(Clone, Debug)]
pub enum Stretch {
    /// Text between tokens; never empty.
    Text(Range<usize>),
    /// A token.
    Token(Hit),
}

impl Search {
    /// A search for tokens, with a fate for each place among the added tokens of the tokenizer. Of tokens with one
    /// pattern the one with the lowest id is found; one with an empty pattern is never found.
    pub fn new(mut tokens: Vec<Sought>, fates: Arc<[Fate]>) -> Result<Self> {
        tokens.sort_by_key(|sought| sought.token.id);
        tokens.retain(|sought| !sought.pattern.is_empty());
        Ok(Self {
            matcher: matcher(&tokens)?,
            next: next_shorter(&tokens).into(),
            has_ordinary: tokens.iter().any(|sought| !sought.token.special),
            has_special: tokens.iter().any(|sought| sought.token.special),
            longest: tokens.iter().map(|sought| sought.pattern.len()).max().unwrap_or(0),
            takes_blanks: tokens.iter().any(|sought| sought.token.lstrip || sought.token.rstrip),
            tokens: tokens.into(),
            fates,
        })
    }

    /// A search that finds nothing.
    pub fn nothing() -> Self {
        Self {
            matcher: None,
            tokens: Arc::new([]),
            next: Arc::new([]),
            fates: Arc::new([]),
            has_ordinary: false,
            has_special: false,
            longest: 0,
            takes_blanks: false,
        }
    }

    /// The same search with other fates.
    pub fn with_fates(&self, fates: Arc<[Fate]>) -> Self {
        Self { fates, ..self.clone() }
    }

    /// The same search where all special tokens are text.
    pub fn without_special(&self, fates: Arc<[Fate]>) -> Self {
        if self.has_ordinary { Self { fates, has_special: false, ..self.clone() } } else { Self::nothing() }
    }

    /// The length in bytes of the longest pattern; 0 if there is none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether some token takes blanks beside it.
    pub fn takes_blanks(&self) -> bool {
        self.takes_blanks
    }

    /// The first match that starts at `from` or later, and before `limit`, whatever the flags say. All tokens of this
    /// search must be special: others could be hidden by what begins before `from`.
    ///
    /// `offset` is the place of `text[0]` in the caller's text, for the error about a refused token.
    pub fn find(&self, text: &[u8], from: usize, limit: usize, offset: u64) -> Result<Option<Hit>> {
        let Some((found, fate)) = self.match_from(text, from, limit, &mut 0) else { return Ok(None) };
        self.check(fate, found.place, || offset + found.start as u64)?;
        Ok(Some(self.hit(&found)))
    }

    /// Whether a token lies over a place of the text, so that a cut there could change what is found.
    pub fn may_span(&self, text: &[u8], at: usize) -> bool {
        self.overlaps(text, &(at..at))
    }

    /// Whether a token, or a part of it, lies in a range of the text, or over an empty one. One that is text counts where
    /// it may hide others.
    pub fn overlaps(&self, text: &[u8], range: &Range<usize>) -> bool {
        let reach = self.longest.saturating_sub(1);
        let (text, mut from) = (&text[..text.len().min(range.end + reach)], range.start.saturating_sub(reach));
        while let Some(found) = self.search(text, from, range.end) {
            let counting = |place: &usize| self.has_ordinary || self.fate(*place) != Fate::Text;
            let longest = self.at_place(found.pattern).find(counting);
            if longest.is_some_and(|place| found.start + self.tokens[place].pattern.len() > range.start) {
                return true;
            }
            // The longest that starts there ends before the range, but a later one may not.
            from = found.start + 1;
        }
        false
    }

    /// Cuts a text into stretches. With the places of `text[0]` in the caller's text for errors.
    pub fn stretches(
        &self,
        text: &[u8],
        offset: impl Fn(usize) -> u64,
        mut take: impl FnMut(Stretch, Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let (mut from, mut searched, mut hidden, mut blanks) = (0, 0, 0, 0..0);
        while searched < text.len() && self.longest > 0 {
            let limit = text.len().min(searched + WINDOW_BYTES);
            let Some((found, fate)) = self.match_from(text, searched, limit, &mut hidden) else {
                searched = limit;
                tick(0)?;
                continue;
            };
            searched = found.end;
            let (token, mut hit) = (&self.tokens[found.place].token, self.hit(&found));
            if token.single_word && (is_word_before(text, hit.start) || is_word_at(text, hit.end)) {
                continue;
            }
            self.check(fate, found.place, || offset(hit.start))?;
            if token.lstrip {
                // Blanks that an earlier token has taken stay with it.
                hit.start = blanks_before(text, hit.start, from).max(from);
            }
            if token.rstrip {
                if !blanks.contains(&hit.end) {
                    blanks = hit.end..blanks_behind(text, hit.end);
                }
                hit.end = blanks.end;
            }
            if hit.start >= hit.end {
                // All of it has been taken as blanks by the token before it, which is no token more.
                continue;
            }
            if from < hit.start {
                take(Stretch::Text(from..hit.start), tick)?;
            }
            // A token may stand in the blanks that the last one took: it is found again, and what follows it, too.
            from = hit.end;
            take(Stretch::Token(hit), tick)?;
        }
        if from < text.len() { take(Stretch::Text(from..text.len()), tick) } else { Ok(()) }
    }

    fn hit(&self, found: &Found) -> Hit {
        let sought = &self.tokens[found.place];
        Hit { start: found.start, end: found.end, id: sought.token.id, place: sought.place }
    }

    fn fate(&self, place: usize) -> Fate {
        self.fates[self.tokens[place].place]
    }

    fn check(&self, fate: Fate, place: usize, byte_offset: impl Fn() -> u64) -> Result<()> {
        if fate != Fate::Refused {
            return Ok(());
        }
        let content = self.tokens[place].token.content.clone();
        Err(Error::SpecialTokenInText { content, byte_offset: byte_offset() })
    }

    /// A token of this search and all others that begin where it does, the longest first.
    fn at_place(&self, longest: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(longest), |place| self.next[*place].map(|next| next as usize))
    }

    /// The first match that counts, as `search` finds it. Tokens that are not special and begin before `hidden` do not:
    /// to there goes the last special token that is text.
    fn match_from(&self, text: &[u8], mut from: usize, limit: usize, hidden: &mut usize) -> Option<(Found, Fate)> {
        loop {
            let found = self.search(text, from, limit)?;
            let start = found.start;
            for place in self.at_place(found.pattern) {
                let (sought, fate) = (&self.tokens[place], self.fate(place));
                let end = start + sought.pattern.len();
                match fate {
                    Fate::Text if start >= *hidden => *hidden = end,
                    Fate::Found | Fate::Refused if sought.token.special || start >= *hidden => {
                        return Some((Found { start, end, place }, fate));
                    }
                    _ => {}
                }
            }
            from = if self.has_special { start + 1 } else { found.end };
        }
    }

    /// The first match that starts at `from` or later, and before `limit`: no more text is read than that needs.
    fn search(&self, text: &[u8], from: usize, limit: usize) -> Option<Match> {
        let end = text.len().min(limit + self.longest.saturating_sub(1));
        self.matcher.as_ref()?.find(text, from.min(end)..end).filter(|found| found.start < limit)
    }
}

/// A match, with the place of its token in the search.
struct Found {
    start: usize,
    end: usize,
    place: usize,
}

/// Of each token, which are in the order of ids, the next one with the same pattern, else the first one with the longest
/// pattern that its own begins with.
fn next_shorter(tokens: &[Sought]) -> Vec<Option<u32>> {
    let mut next = vec![None; tokens.len()];
    let mut sorted: Vec<usize> = (0..tokens.len()).collect();
    sorted.sort_by_key(|place| &tokens[*place].pattern);
    // The tokens that the next one may begin with, each the first with its pattern; equal ones keep the order of ids.
    let (mut open, mut last): (Vec<usize>, Option<usize>) = (Vec::new(), None);
    for place in sorted {
        let pattern = &tokens[place].pattern;
        if let Some(last) = last.filter(|last| tokens[*last].pattern == *pattern) {
            next[place] = next[last].replace(place as u32);
        } else {
            while open.pop_if(|prefix| !pattern.starts_with(&tokens[*prefix].pattern)).is_some() {}
            next[place] = open.last().map(|prefix| *prefix as u32);
            open.push(place);
        }
        last = Some(place);
    }
    next
}

/// Finds these tokens, leftmost, then longest, then the first in the list; None if there are none.
fn matcher(tokens: &[Sought]) -> Result<Option<Matcher>> {
    if tokens.is_empty() {
        return Ok(None);
    }
    let patterns: Vec<_> = tokens.iter().map(|sought| sought.pattern.as_slice()).collect();
    let problem = "are too long together to search for";
    Matcher::new(&patterns).map(Some).map_err(|_| Error::SpecArrays { array: "added_tokens", problem })
}

/// Where the blanks begin that end at `end`; looks no farther than `floor`.
pub fn blanks_before(text: &[u8], end: usize, floor: usize) -> usize {
    let mut start = end;
    while start > floor {
        match classes::class_before(text, start) {
            (Class::White, length) => start -= length,
            _ => break,
        }
    }
    start
}

/// Where the blanks end that begin at `start`.
pub fn blanks_behind(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() {
        match classes::class_at(text, end) {
            (Class::White, length) => end += length,
            _ => break,
        }
    }
    end
}

/// Whether the character that begins at `at` is of `\w`: a letter, mark, digit, connector or joiner.
fn is_word_at(text: &[u8], at: usize) -> bool {
    at < text.len() && classes::character_at(text, at).is_some_and(is_word)
}

fn is_word_before(text: &[u8], at: usize) -> bool {
    at > 0 && classes::character_at(text, at - classes::class_before(text, at).1).is_some_and(is_word)
}

/// The tables are those of Unicode 16, as `tests/classes.rs` holds.
fn is_word(character: char) -> bool {
    regex_syntax::try_is_word_character(character).unwrap_or(false)
}
