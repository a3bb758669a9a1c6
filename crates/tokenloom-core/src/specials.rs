//! Special tokens in a text: found before anything else is done to it, leftmost, then longest.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::spec::SpecialToken;

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
    Only(Vec<String>),
}

/// The special tokens of a tokenizer.
#[derive(Debug)]
pub struct Specials {
    tokens: Vec<SpecialToken>,
    special_text: SpecialText,
    default: Policy,
}

/// The special tokens that matter in one call.
#[derive(Clone, Debug)]
pub struct Policy {
    matcher: Option<AhoCorasick>,
    tokens: Vec<(SpecialToken, bool)>,
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
}

impl Specials {
    /// The special tokens with the policy that holds where a call gives none.
    pub fn new(tokens: Vec<SpecialToken>, special_text: SpecialText) -> Result<Self> {
        let default = match special_text {
            SpecialText::Refuse => Policy::new(tokens.iter().map(|token| (token.clone(), true)).collect())?,
            SpecialText::Parse => Policy::new(tokens.iter().map(|token| (token.clone(), false)).collect())?,
            SpecialText::Plain => Policy::new(Vec::new())?,
        };
        Ok(Self { tokens, special_text, default })
    }

    /// The special tokens.
    pub fn tokens(&self) -> &[SpecialToken] {
        &self.tokens
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
        let mut chosen = Vec::new();
        for token in &self.tokens {
            let allow = selects(allowed, token).unwrap_or(self.special_text == SpecialText::Parse);
            let refuse = match disallowed {
                Some(Selection::Only(_)) => selects(disallowed, token) == Some(true),
                Some(Selection::All) => !(allowed.is_some() && allow),
                None => self.special_text == SpecialText::Refuse && !allow,
            };
            if refuse || allow {
                chosen.push((token.clone(), refuse));
            }
        }
        Policy::new(chosen).map(Cow::Owned)
    }

    fn check_names(&self, selection: Option<&Selection>) -> Result<()> {
        let Some(Selection::Only(names)) = selection else {
            return Ok(());
        };
        match names.iter().find(|name| !self.tokens.iter().any(|token| token.content == **name)) {
            Some(name) => Err(Error::UnknownSpecialToken { content: name.clone() }),
            None => Ok(()),
        }
    }
}

/// Whether a selection names a token; None if there is no selection.
fn selects(selection: Option<&Selection>, token: &SpecialToken) -> Option<bool> {
    Some(match selection? {
        Selection::All => true,
        Selection::Only(names) => names.contains(&token.content),
    })
}

impl Policy {
    /// A policy under which every one of these texts ends a segment, as in training.
    pub fn cutting(contents: &[String]) -> Result<Self> {
        let token = |content: &String| (SpecialToken { content: content.clone(), id: 0 }, false);
        Self::new(contents.iter().map(token).collect())
    }

    /// Tokens, each with whether it is refused.
    fn new(tokens: Vec<(SpecialToken, bool)>) -> Result<Self> {
        for (place, (token, _)) in tokens.iter().enumerate() {
            let fault = |problem| Error::SpecialToken { content: token.content.clone(), problem };
            if token.content.is_empty() {
                return Err(fault("is empty"));
            }
            if tokens[..place].iter().any(|(other, _)| other.content == token.content) {
                return Err(fault("stands twice in the list"));
            }
        }
        let contents = tokens.iter().map(|(token, _)| token.content.as_bytes());
        let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(contents).map_err(|_| {
            Error::SpecArrays { array: "special_tokens", problem: "are too long together to search for" }
        })?;
        let longest = tokens.iter().map(|(token, _)| token.content.len()).max().unwrap_or(0);
        Ok(Self { matcher: (!tokens.is_empty()).then_some(matcher), tokens, longest })
    }

    /// The length in bytes of the longest token; 0 if there is none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The length in bytes of the token with this id; 0 if the policy has none.
    pub fn length_of(&self, id: u32) -> usize {
        self.tokens.iter().find(|(token, _)| token.id == id).map_or(0, |(token, _)| token.content.len())
    }

    /// The first special token that starts at `from` or later, and before `sure`.
    ///
    /// `offset` is the place of `text[0]` in the caller's text, for the error about a refused token.
    pub fn find(&self, text: &[u8], from: usize, sure: usize, offset: u64) -> Result<Option<Hit>> {
        let Some(matcher) = &self.matcher else {
            return Ok(None);
        };
        let input = aho_corasick::Input::new(text).span(from..text.len());
        let Some(found) = matcher.find(input).filter(|found| found.start() < sure) else {
            return Ok(None);
        };
        let (token, refused) = &self.tokens[found.pattern().as_usize()];
        if *refused {
            let byte_offset = offset + found.start() as u64;
            return Err(Error::SpecialTokenInText { content: token.content.clone(), byte_offset });
        }
        Ok(Some(Hit { start: found.start(), end: found.end(), id: token.id }))
    }
}
