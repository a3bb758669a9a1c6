//! Looking for added tokens in a text: leftmost, then longest, then what the flags of a token say.
//!
//! Matches follow one another: the next one is looked for behind the last one, also where the flags say that a match does
//! not count. A token that does not count still hides the shorter ones in it. This is how `tokenizers` reads these files;
//! its source is `src/tokenizer/added_vocabulary.rs` of huggingface/tokenizers.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::Tick;
use crate::error::{Error, Result};
use crate::scan::classes::{self, Class};
use crate::spec::AddedToken;

/// Tokens are searched for in windows of this size. A tick comes after each.
const WINDOW_BYTES: usize = 1 << 20;

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

/// A set of tokens to look for in one stage of the pipeline.
#[derive(Clone, Debug)]
pub struct Search {
    matcher: Option<AhoCorasick>,
    tokens: Arc<[Sought]>,
    /// Of each token whether it is refused; the others become one token.
    refused: Vec<bool>,
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
    /// A search for tokens, none of which is refused. Of tokens with one pattern the one with the lowest id is
    /// found; one with an empty pattern is never found.
    pub fn new(mut tokens: Vec<Sought>) -> Result<Self> {
        let mut patterns = HashSet::new();
        tokens.sort_by_key(|sought| sought.token.id);
        tokens.retain(|sought| !sought.pattern.is_empty() && patterns.insert(sought.pattern.clone()));
        Ok(Self {
            matcher: matcher(&tokens)?,
            refused: vec![false; tokens.len()],
            longest: tokens.iter().map(|sought| sought.pattern.len()).max().unwrap_or(0),
            takes_blanks: tokens.iter().any(|sought| sought.token.lstrip || sought.token.rstrip),
            tokens: tokens.into(),
        })
    }

    /// A search that finds nothing.
    pub fn nothing() -> Self {
        Self { matcher: None, tokens: Arc::new([]), refused: Vec::new(), longest: 0, takes_blanks: false }
    }

    /// The same search with other tokens refused.
    pub fn refusing(&self, refuse: impl Fn(&AddedToken) -> bool) -> Self {
        Self { refused: self.tokens.iter().map(|sought| refuse(&sought.token)).collect(), ..self.clone() }
    }

    /// The length in bytes of the longest pattern; 0 if there is none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether some token takes blanks beside it.
    pub fn takes_blanks(&self) -> bool {
        self.takes_blanks
    }

    /// The first match that starts at `from` or later, and before `limit`, whatever the flags say.
    ///
    /// `offset` is the place of `text[0]` in the caller's text, for the error about a refused token.
    pub fn find(&self, text: &[u8], from: usize, limit: usize, offset: u64) -> Result<Option<Hit>> {
        let Some(found) = self.search(text, from, limit) else { return Ok(None) };
        let at = found.pattern().as_usize();
        if self.refused[at] {
            let byte_offset = offset + found.start() as u64;
            return Err(Error::SpecialTokenInText { content: self.tokens[at].token.content.clone(), byte_offset });
        }
        Ok(Some(self.hit(&found)))
    }

    /// Whether a token lies over a place of the text, so that a cut there could change what is found.
    pub fn may_span(&self, text: &[u8], at: usize) -> bool {
        self.overlaps(text, &(at..at))
    }

    /// Whether a token, or a part of it, lies in a range of the text, or over an empty one.
    pub fn overlaps(&self, text: &[u8], range: &Range<usize>) -> bool {
        let reach = self.longest.saturating_sub(1);
        let (text, mut from) = (&text[..text.len().min(range.end + reach)], range.start.saturating_sub(reach));
        while let Some(found) = self.search(text, from, range.end) {
            if found.end() > range.start {
                return true;
            }
            // The longest that starts there ends before the range, but a later one may not.
            from = found.start() + 1;
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
        let (mut from, mut searched, mut blanks) = (0, 0, 0..0);
        while searched < text.len() && self.longest > 0 {
            let limit = text.len().min(searched + WINDOW_BYTES);
            let Some(found) = self.search(text, searched, limit) else {
                searched = limit;
                tick(0)?;
                continue;
            };
            searched = found.end();
            let (token, mut hit) = (&self.tokens[found.pattern().as_usize()].token, self.hit(&found));
            if token.single_word && (is_word_before(text, hit.start) || is_word_at(text, hit.end)) {
                continue;
            }
            if self.refused[found.pattern().as_usize()] {
                let byte_offset = offset(hit.start);
                return Err(Error::SpecialTokenInText { content: token.content.clone(), byte_offset });
            }
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

    fn hit(&self, found: &aho_corasick::Match) -> Hit {
        let sought = &self.tokens[found.pattern().as_usize()];
        Hit { start: found.start(), end: found.end(), id: sought.token.id, place: sought.place }
    }

    /// The first match that starts at `from` or later, and before `limit`: no more text is read than that needs.
    fn search(&self, text: &[u8], from: usize, limit: usize) -> Option<aho_corasick::Match> {
        let end = text.len().min(limit + self.longest.saturating_sub(1));
        let input = aho_corasick::Input::new(text).span(from.min(end)..end);
        self.matcher.as_ref()?.find(input).filter(|found| found.start() < limit)
    }
}

/// Finds these tokens, leftmost, then longest; None if there are none.
fn matcher(tokens: &[Sought]) -> Result<Option<AhoCorasick>> {
    if tokens.is_empty() {
        return Ok(None);
    }
    let patterns = tokens.iter().map(|sought| &sought.pattern);
    let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns);
    let problem = "are too long together to search for";
    matcher.map(Some).map_err(|_| Error::SpecArrays { array: "added_tokens", problem })
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
