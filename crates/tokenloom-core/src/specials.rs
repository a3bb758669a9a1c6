//! Added tokens, and which of them matter in one call: special ones by the caller's policy, others always.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::search::{Fate, Hit, Search, Sought};
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
    /// The places of those that are special, by their texts.
    known: HashMap<String, usize>,
    /// The places of the others.
    ordinary: Vec<usize>,
    /// Finds all of them.
    all: Policy,
    /// Finds those that are not special, where no special one hides them.
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
                () if token.content.is_empty() => return fault("is empty. Give it a text"),
                () if content.len().max(pattern.len()) > MOST_BYTES => {
                    return fault("is longer than 1,024 bytes, as it is or normalized. Shorten it");
                }
                () if !contents.insert(&token.content) => {
                    return fault("stands twice in the list. Keep one of the two");
                }
                () => sought.push(Sought { token: token.clone(), place, pattern }),
            }
        }
        let known = |(place, token): (usize, &AddedToken)| token.special.then(|| (token.content.clone(), place));
        let known: HashMap<_, _> = tokens.iter().enumerate().filter_map(known).collect();
        let ordinary = (0..tokens.len()).filter(|place| !tokens[*place].special).collect();
        let all = Policy::new(sought, vec![Fate::Found; tokens.len()].into())?;
        let (always, default) = (Policy::nothing(), Policy::nothing());
        let mut specials = Self { tokens, known, ordinary, all, always, special_text, default };
        specials.always = specials.all.without_special(specials.fates(Fate::Text).into());
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
            SpecialText::Refuse => self.all.with_fates(self.fates(Fate::Refused).into()),
        }
    }

    /// The policy where a call gives none.
    pub fn into_default(self) -> Policy {
        self.default
    }

    /// The fates of all tokens where special ones have one fate.
    fn fates(&self, special: Fate) -> Vec<Fate> {
        let mut fates = vec![special; self.tokens.len()];
        for place in &self.ordinary {
            fates[*place] = Fate::Found;
        }
        fates
    }

    /// The policy of a call: tokens in `disallowed` are refused, those in `allowed` become one token, others are text.
    ///
    /// An argument that is not given follows the default; `All` in `disallowed` leaves out what `allowed` names. A token
    /// that is not special becomes one token, unless it is in one that is text.
    pub fn policy(&self, allowed: Option<&Selection>, disallowed: Option<&Selection>) -> Result<Cow<'_, Policy>> {
        if allowed.is_none() && disallowed.is_none() {
            return Ok(Cow::Borrowed(&self.default));
        }
        // All special tokens have one fate but for those that are named.
        let others = self.fate(allowed, disallowed, None);
        let (mut fates, mut is_plain) = (self.fates(others), others == Fate::Text);
        for name in names(allowed).chain(names(disallowed)) {
            let Some(place) = self.known.get(name) else {
                return Err(self.unknown(allowed, disallowed));
            };
            fates[*place] = self.fate(allowed, disallowed, Some(name));
            is_plain &= fates[*place] == Fate::Text;
        }
        Ok(if is_plain { Cow::Borrowed(&self.always) } else { Cow::Owned(self.all.with_fates(fates.into())) })
    }

    /// The fate of a special token by its name; None for one that is not named.
    fn fate(&self, allowed: Option<&Selection>, disallowed: Option<&Selection>, name: Option<&str>) -> Fate {
        let is_allowed = selects(allowed, name).unwrap_or(self.special_text == SpecialText::Parse);
        let is_refused = match disallowed {
            Some(Selection::Only(_)) => selects(disallowed, name) == Some(true),
            Some(Selection::All) => !(allowed.is_some() && is_allowed),
            None => self.special_text == SpecialText::Refuse && !is_allowed,
        };
        match (is_refused, is_allowed) {
            (true, _) => Fate::Refused,
            (false, true) => Fate::Found,
            (false, false) => Fate::Text,
        }
    }

    /// The first name of an argument that no special token has; of `allowed` if there is one.
    fn unknown(&self, allowed: Option<&Selection>, disallowed: Option<&Selection>) -> Error {
        let first = |selection| names(selection).filter(|name| !self.known.contains_key(*name)).min();
        let name = first(allowed).or_else(|| first(disallowed)).unwrap_or_default();
        Error::UnknownSpecialToken { content: name.to_owned() }
    }
}

/// The names of a selection that has some.
fn names(selection: Option<&Selection>) -> impl Iterator<Item = &str> {
    let names = match selection {
        Some(Selection::Only(names)) => Some(names),
        Some(Selection::All) | None => None,
    };
    names.into_iter().flatten().map(String::as_str)
}

/// Whether a selection has a token of this name, or one that is not named; None if there is no selection.
fn selects(selection: Option<&Selection>, name: Option<&str>) -> Option<bool> {
    Some(match selection? {
        Selection::All => true,
        Selection::Only(names) => name.is_some_and(|name| names.contains(name)),
    })
}

impl Policy {
    fn new(sought: Vec<Sought>, fates: Arc<[Fate]>) -> Result<Self> {
        let (normalized, raw) = sought.into_iter().partition(|sought| sought.token.normalized);
        Ok(Self { raw: Search::new(raw, fates.clone())?, normalized: Search::new(normalized, fates)? })
    }

    /// The policy under which no token matters.
    pub fn nothing() -> Self {
        Self { raw: Search::nothing(), normalized: Search::nothing() }
    }

    fn with_fates(&self, fates: Arc<[Fate]>) -> Self {
        Self { raw: self.raw.with_fates(fates.clone()), normalized: self.normalized.with_fates(fates) }
    }

    fn without_special(&self, fates: Arc<[Fate]>) -> Self {
        Self { raw: self.raw.without_special(fates.clone()), normalized: self.normalized.without_special(fates) }
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
