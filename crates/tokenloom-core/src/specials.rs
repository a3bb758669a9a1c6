//! Added tokens, and which of them matter in one call: special ones by the caller's policy, others always.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::search::{Hit, Search, Sought};
use crate::spec::AddedToken;

/// The longest added token. Looking for the longest of several costs its length at each place of a text that is made for
/// it, so the length has a bound.
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

/// The added tokens of a tokenizer.
#[derive(Debug)]
pub struct Specials {
    tokens: Vec<AddedToken>,
    sought: Vec<Sought>,
    /// The texts of those that are special.
    known: HashSet<String>,
    /// Finds all of them.
    all: Policy,
    /// Finds those that are not special.
    always: Policy,
    special_text: SpecialText,
    default: Policy,
}

/// The added tokens that matter in one call.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Those that are looked for in the text as it came.
    pub raw: Search,
    /// Those that are looked for in the normalized text between them.
    pub normalized: Search,
}

impl Specials {
    /// The added tokens with the policy that holds where a call gives none. `normalize` makes of the text of a token what
    /// is looked for behind the normalizer.
    pub fn new(
        tokens: Vec<AddedToken>,
        special_text: SpecialText,
        normalize: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Result<Self> {
        let mut contents = HashSet::new();
        let mut sought = Vec::new();
        for (place, token) in tokens.iter().enumerate() {
            let fault = |problem| Err(Error::SpecialToken { content: token.content.clone(), problem });
            let content = token.content.as_bytes();
            let pattern = if token.normalized { normalize(content) } else { content.to_vec() };
            match () {
                () if token.content.is_empty() => return fault("is empty"),
                () if content.len().max(pattern.len()) > MOST_BYTES => return fault("is longer than 1,024 bytes"),
                () if !contents.insert(&token.content) => return fault("stands twice in the list"),
                () => sought.push(Sought { token: token.clone(), place, pattern }),
            }
        }
        let (all, always) = (Policy::new(&sought, |_| true)?, Policy::new(&sought, |token| !token.special)?);
        let known = tokens.iter().filter(|token| token.special).map(|token| token.content.clone()).collect();
        let default = Policy::nothing();
        let mut specials = Self { tokens, sought, known, all, always, special_text, default };
        specials.default = specials.alike(special_text);
        Ok(specials)
    }

    /// All added tokens, in the order in which `Hit::place` counts them.
    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    /// The policy that treats all special tokens alike.
    pub fn alike(&self, special_text: SpecialText) -> Policy {
        match special_text {
            SpecialText::Plain => self.always.clone(),
            SpecialText::Parse => self.all.clone(),
            SpecialText::Refuse => self.all.refusing(|token| token.special),
        }
    }

    /// The policy where a call gives none.
    pub fn into_default(self) -> Policy {
        self.default
    }

    /// The policy of a call: tokens in `disallowed` are refused, those in `allowed` become one token, others are text.
    ///
    /// An argument that is not given follows the default; `All` in `disallowed` leaves out what `allowed` names. A token
    /// that is not special becomes one token in any case.
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
            return Ok(Cow::Borrowed(&self.always));
        }
        let allow = |token: &AddedToken| selects(allowed, token).unwrap_or(self.special_text == SpecialText::Parse);
        let refuse = |token: &AddedToken| match disallowed {
            _ if !token.special => false,
            Some(Selection::Only(_)) => selects(disallowed, token) == Some(true),
            Some(Selection::All) => !(allowed.is_some() && allow(token)),
            None => self.special_text == SpecialText::Refuse && !allow(token),
        };
        let is_text = |token: &AddedToken| token.special && !refuse(token) && !allow(token);
        if self.tokens.iter().any(is_text) {
            return Ok(Cow::Owned(Policy::new(&self.sought, |token| !is_text(token))?.refusing(refuse)));
        }
        Ok(Cow::Owned(self.all.refusing(refuse)))
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

impl Policy {
    fn new(sought: &[Sought], is_found: impl Fn(&AddedToken) -> bool) -> Result<Self> {
        let found = sought.iter().filter(|sought| is_found(&sought.token)).cloned();
        let (normalized, raw) = found.partition(|sought| sought.token.normalized);
        Ok(Self { raw: Search::new(raw)?, normalized: Search::new(normalized)? })
    }

    /// The policy under which no token matters.
    pub fn nothing() -> Self {
        Self { raw: Search::nothing(), normalized: Search::nothing() }
    }

    fn refusing(&self, refuse: impl Fn(&AddedToken) -> bool) -> Self {
        Self { raw: self.raw.refusing(&refuse), normalized: self.normalized.refusing(&refuse) }
    }

    /// The length in bytes of the longest token in the text as it came; 0 if there is none.
    pub fn longest(&self) -> usize {
        self.raw.longest()
    }

    /// See `Search::find`, in the text as it came.
    pub fn find(&self, text: &[u8], from: usize, limit: usize, offset: u64) -> Result<Option<Hit>> {
        self.raw.find(text, from, limit, offset)
    }

    /// See `Search::may_span`, in the text as it came.
    pub fn may_span(&self, text: &[u8], at: usize) -> bool {
        self.raw.may_span(text, at)
    }
}
