//! Special tokens in a text: found before anything else is done to it, leftmost, then longest.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::spec::AddedToken;

/// The longest special token. Looking for the longest of several costs its length at each place of a text that is made
/// for it, so the length has a bound.
const MOST_BYTES: usize = 1024;

/// What happens to a special token in a text when the call does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialText {
    /// It is an error.
    Refuse,
    /// It becomes one token.
    Parse,
    /// It is ordinary text.
    Plain,
}

/// Which special tokens an argument of a call names.
#[derive(Clone, Debug)]
pub enum Selection {
    /// All of them.
    All,
    /// These.
    Only(HashSet<String>),
}

/// The special tokens of a tokenizer.
#[derive(Debug)]
pub struct Specials {
    tokens: Arc<[AddedToken]>,
    /// Their texts.
    known: HashSet<String>,
    /// Finds all of them; None if there are none.
    matcher: Option<AhoCorasick>,
    special_text: SpecialText,
    default: Policy,
}

/// The special tokens that matter in one call.
#[derive(Clone, Debug)]
pub struct Policy {
    matcher: Option<AhoCorasick>,
    tokens: Arc<[AddedToken]>,
    /// Of each token whether it is refused; the others become one token.
    refused: Vec<bool>,
    longest: usize,
}

/// A special token found in a text.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its id.
    pub id: u32,
    /// Its place among the tokens of the policy.
    pub place: usize,
}

impl Specials {
    /// The special tokens with the policy that holds where a call gives none.
    pub fn new(tokens: Vec<AddedToken>, special_text: SpecialText) -> Result<Self> {
        let mut known = HashSet::new();
        for token in &tokens {
            let fault = |problem| Err(Error::SpecialToken { content: token.content.clone(), problem });
            match () {
                () if token.content.is_empty() => return fault("is empty"),
                () if token.content.len() > MOST_BYTES => return fault("is longer than 1,024 bytes"),
                () if !known.insert(token.content.clone()) => return fault("stands twice in the list"),
                () => {}
            }
        }
        let matcher = matcher(&tokens)?;
        let tokens: Arc<[AddedToken]> = tokens.into();
        let mut specials = Self { tokens, known, matcher, special_text, default: Policy::plain() };
        specials.default = specials.alike(special_text);
        Ok(specials)
    }

    /// All special tokens, in the order in which `Hit::place` counts them.
    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    /// The policy that treats all tokens alike.
    pub fn alike(&self, special_text: SpecialText) -> Policy {
        let refused = vec![special_text == SpecialText::Refuse; self.tokens.len()];
        match special_text {
            SpecialText::Plain => Policy::plain(),
            _ => Policy::new(self.matcher.clone(), Arc::clone(&self.tokens), refused),
        }
    }

    /// The policy where a call gives none.
    pub fn into_default(self) -> Policy {
        self.default
    }

    /// The policy of a call: tokens in `disallowed` are refused, those in `allowed` become one token, others are text.
    ///
    /// An argument that is not given follows the default; `All` in `disallowed` leaves out what `allowed` names.
    pub fn policy(&self, allowed: Option<&Selection>, disallowed: Option<&Selection>) -> Result<Cow<'_, Policy>> {
        if allowed.is_none() && disallowed.is_none() {
            return Ok(Cow::Borrowed(&self.default));
        }
        self.check_names(allowed)?;
        self.check_names(disallowed)?;
        if let (Some(Selection::Only(names)), true) = (disallowed, self.special_text != SpecialText::Parse)
            && allowed.is_none()
            && names.is_empty()
        {
            return Ok(Cow::Owned(Policy::plain()));
        }
        let (mut chosen, mut refused) = (Vec::new(), Vec::new());
        for token in self.tokens.iter() {
            let allow = selects(allowed, token).unwrap_or(self.special_text == SpecialText::Parse);
            let refuse = match disallowed {
                Some(Selection::Only(_)) => selects(disallowed, token) == Some(true),
                Some(Selection::All) => !(allowed.is_some() && allow),
                None => self.special_text == SpecialText::Refuse && !allow,
            };
            if refuse || allow {
                chosen.push(token);
                refused.push(refuse);
            }
        }
        if chosen.len() == self.tokens.len() {
            return Ok(Cow::Owned(Policy::new(self.matcher.clone(), Arc::clone(&self.tokens), refused)));
        }
        let chosen: Vec<_> = chosen.into_iter().cloned().collect();
        Ok(Cow::Owned(Policy::new(matcher(&chosen)?, chosen.into(), refused)))
    }

    fn check_names(&self, selection: Option<&Selection>) -> Result<()> {
        let Some(Selection::Only(names)) = selection else { return Ok(()) };
        match names.iter().filter(|name| !self.known.contains(*name)).min() {
            Some(name) => Err(Error::UnknownSpecialToken { content: name.clone() }),
            None => Ok(()),
        }
    }
}

/// Whether a selection names a token; None if there is no selection.
fn selects(selection: Option<&Selection>, token: &AddedToken) -> Option<bool> {
    Some(match selection? {
        Selection::All => true,
        Selection::Only(names) => names.contains(&token.content),
    })
}

/// Finds these tokens, leftmost, then longest; None if there are none.
fn matcher(tokens: &[AddedToken]) -> Result<Option<AhoCorasick>> {
    if tokens.is_empty() {
        return Ok(None);
    }
    let contents = tokens.iter().map(|token| token.content.as_bytes());
    let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(contents);
    let problem = "are too long together to search for";
    matcher.map(Some).map_err(|_| Error::SpecArrays { array: "added_tokens", problem })
}

impl Policy {
    fn new(matcher: Option<AhoCorasick>, tokens: Arc<[AddedToken]>, refused: Vec<bool>) -> Self {
        let longest = tokens.iter().map(|token| token.content.len()).max().unwrap_or(0);
        Self { matcher, tokens, refused, longest }
    }

    /// The policy under which no special token matters.
    fn plain() -> Self {
        Self::new(None, Arc::new([]), Vec::new())
    }

    /// The length in bytes of the longest token; 0 if there is none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The first special token that starts at `from` or later, and before `limit`.
    ///
    /// `offset` is the place of `text[0]` in the caller's text, for the error about a refused token.
    pub fn find(&self, text: &[u8], from: usize, limit: usize, offset: u64) -> Result<Option<Hit>> {
        let Some(found) = self.search(text, from, limit) else { return Ok(None) };
        let place = found.pattern().as_usize();
        let token = &self.tokens[place];
        if self.refused[place] {
            let byte_offset = offset + found.start() as u64;
            return Err(Error::SpecialTokenInText { content: token.content.clone(), byte_offset });
        }
        Ok(Some(Hit { start: found.start(), end: found.end(), id: token.id, place }))
    }

    /// Whether a special token lies over a place of the text, so that a cut there could change what is found.
    pub fn may_span(&self, text: &[u8], at: usize) -> bool {
        let reach = self.longest.saturating_sub(1);
        let (text, mut from) = (&text[..text.len().min(at + reach)], at.saturating_sub(reach));
        while let Some(found) = self.search(text, from, at) {
            if found.end() > at {
                return true;
            }
            // The longest that starts there ends before `at`, but a later one may not.
            from = found.start() + 1;
        }
        false
    }

    /// The first match that starts at `from` or later, and before `limit`: no more text is read than that needs.
    fn search(&self, text: &[u8], from: usize, limit: usize) -> Option<aho_corasick::Match> {
        let end = text.len().min(limit + self.longest.saturating_sub(1));
        let input = aho_corasick::Input::new(text).span(from..end);
        self.matcher.as_ref()?.find(input).filter(|found| found.start() < limit)
    }
}
