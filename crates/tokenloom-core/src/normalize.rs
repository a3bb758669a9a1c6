//! Normalizers: how a text is changed before it is cut.
//!
//! Most texts are normal already, so a step first looks whether it changes anything, and a text that stays as it is is not
//! copied. Bytes that are no UTF-8 stay as they are, and nothing is composed over them.
//!
//! Where a text may be cut so that the normal forms of the halves are that of the whole: before a character that begins
//! anew ([`begins_anew`]). ASCII characters and the ideographs U+5000 to U+9FFF have the combining class 0, are their own
//! normal forms in all four forms, and compose with nothing before them. So no reordering and no composition reaches over
//! the place before one: what is before it is as if the text ended, what comes behind as if it began (UAX #15,
//! "Concatenation of normalized strings").

use std::borrow::Cow;

use aho_corasick::AhoCorasick;
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::Tick;
use crate::error::{Error, Result};
use crate::scan::classes::{self, Class};
use crate::search::{blanks_before, blanks_behind};
use crate::spec::Step;

/// The tables of the four forms; `spec.rs` refuses descriptions that ask for others.
const _: () = assert!(unicode_normalization::UNICODE_VERSION.0 == 16);

/// A run of characters none of which begins anew is normalized at one time. A tick comes after about this much text.
const TICK_BYTES: usize = 1 << 20;

/// Steps that change a text, one after the other.
#[derive(Debug)]
pub struct Normalizer {
    steps: Vec<Action>,
    concatenates: bool,
    changes_blanks: bool,
}

#[derive(Debug)]
enum Action {
    Form(Form),
    Lowercase,
    Prepend(Vec<u8>),
    Replace { finder: AhoCorasick, by: Vec<u8> },
    Strip { left: bool, right: bool },
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

/// Whether a character that begins with this byte begins anew; see the module.
#[inline]
pub fn begins_anew(lead: u8) -> bool {
    matches!(lead, ..0x80 | 0xE5..=0xE9)
}

impl Normalizer {
    /// Builds the steps. Refuses by name what cannot be run.
    pub fn new(steps: &[Step]) -> Result<Self> {
        let actions = steps.iter().map(Action::new).collect::<Result<_>>()?;
        let is_replace = |step: &Step| matches!(step, Step::Replace { .. });
        Ok(Self { steps: actions, concatenates: concatenates(steps), changes_blanks: steps.iter().any(is_replace) })
    }

    /// Whether the normal form of a text is that of its halves, where it is cut before a character that begins anew.
    pub fn concatenates(&self) -> bool {
        self.concatenates
    }

    /// Whether blanks may become other characters, or other characters blanks.
    pub fn changes_blanks(&self) -> bool {
        self.changes_blanks
    }

    /// The normalized text.
    pub fn apply<'a>(&self, text: &'a [u8], tick: Tick<'_>) -> Result<Cow<'a, [u8]>> {
        let mut text = Cow::Borrowed(text);
        for step in &self.steps {
            if let Some(changed) = step.apply(&text, tick)? {
                text = Cow::Owned(changed);
            }
        }
        Ok(text)
    }
}

/// Whether all steps work on characters, or on what lies between two that begin anew. A form behind a replacement could
/// find characters there that do not begin anew.
fn concatenates(steps: &[Step]) -> bool {
    let mut has_replaced = false;
    steps.iter().all(|step| match step {
        Step::Nfc { .. } | Step::Nfd { .. } | Step::Nfkc { .. } | Step::Nfkd { .. } => !has_replaced,
        Step::Lowercase {} => true,
        Step::Replace { text, .. } => {
            has_replaced = true;
            text.as_ref().is_some_and(|text| text.chars().count() == 1)
        }
        Step::Prepend { .. } | Step::Strip { .. } => false,
    })
}

impl Action {
    fn new(step: &Step) -> Result<Self> {
        Ok(match step {
            Step::Nfc { .. } => Self::Form(Form::Nfc),
            Step::Nfd { .. } => Self::Form(Form::Nfd),
            Step::Nfkc { .. } => Self::Form(Form::Nfkc),
            Step::Nfkd { .. } => Self::Form(Form::Nfkd),
            Step::Lowercase {} => Self::Lowercase,
            Step::Prepend { text } => Self::Prepend(text.clone().into_bytes()),
            Step::Replace { text: Some(text), pattern: None, by } if !text.is_empty() => {
                let detail = || format!("normalizer step \"replace\" has a text that is too long: {text:?}");
                let finder = AhoCorasick::new([text]).map_err(|_| Error::SpecJson { detail: detail() })?;
                Self::Replace { finder, by: by.clone().into_bytes() }
            }
            Step::Replace { pattern: Some(pattern), .. } => {
                let detail = format!("normalizer step \"replace\" with pattern {pattern:?} cannot be run yet");
                return Err(Error::SpecJson { detail });
            }
            Step::Replace { .. } => {
                let detail = "normalizer step \"replace\" has no text to look for".to_owned();
                return Err(Error::SpecJson { detail });
            }
            Step::Strip { left, right } => Self::Strip { left: *left, right: *right },
        })
    }

    /// The text after this step; None where it stays as it is.
    fn apply(&self, text: &[u8], tick: Tick<'_>) -> Result<Option<Vec<u8>>> {
        Ok(match self {
            Self::Form(form) => return form.apply(text, tick),
            Self::Lowercase => lowercase(text),
            Self::Prepend(start) => (!text.is_empty()).then(|| [start, text].concat()),
            Self::Replace { finder, by } => replace(text, finder, by),
            Self::Strip { left, right } => {
                let start = if *left { blanks_behind(text, 0) } else { 0 };
                let end = if *right { blanks_before(text, text.len(), start) } else { text.len() };
                (end - start < text.len()).then(|| text[start..end].to_vec())
            }
        })
    }
}

impl Form {
    fn is_normal(self, text: &str) -> bool {
        let found = match self {
            Self::Nfc => is_nfc_quick(text.chars()),
            Self::Nfd => is_nfd_quick(text.chars()),
            Self::Nfkc => is_nfkc_quick(text.chars()),
            Self::Nfkd => is_nfkd_quick(text.chars()),
        };
        found == IsNormalized::Yes
    }

    fn extend(self, out: &mut Vec<u8>, text: &str) {
        let mut push = |character: char| out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        match self {
            Self::Nfc => text.nfc().for_each(&mut push),
            Self::Nfd => text.nfd().for_each(&mut push),
            Self::Nfkc => text.nfkc().for_each(&mut push),
            Self::Nfkd => text.nfkd().for_each(&mut push),
        }
    }

    fn apply(self, text: &[u8], tick: Tick<'_>) -> Result<Option<Vec<u8>>> {
        let mut out: Option<Vec<u8>> = None;
        // All before this place is in `out`, once there is one.
        let mut copied = 0;
        let (mut at, mut ticked) = (0, 0);
        while let Some(run) = next_run(text, at) {
            at = run.end;
            if !text[run.clone()].utf8_chunks().all(|chunk| self.is_normal(chunk.valid())) {
                let out = out.get_or_insert_with(|| Vec::with_capacity(text.len()));
                out.extend_from_slice(&text[copied..run.start]);
                for chunk in text[run.clone()].utf8_chunks() {
                    self.extend(out, chunk.valid());
                    out.extend_from_slice(chunk.invalid());
                }
                copied = run.end;
            }
            if at - ticked >= TICK_BYTES {
                ticked = at;
                tick(0)?;
            }
        }
        if let Some(out) = &mut out {
            out.extend_from_slice(&text[copied..]);
        }
        Ok(out)
    }
}

/// The next stretch that a form could change: characters that do not begin anew, and the one before them, which they may
/// compose with.
fn next_run(text: &[u8], from: usize) -> Option<std::ops::Range<usize>> {
    let is_inside = |byte: &u8| !begins_anew(*byte) && !matches!(byte, 0x80..=0xBF);
    // A continuation byte belongs to what is before it, or stands alone and is no character.
    let first = from + text[from..].iter().position(is_inside)?;
    let start = if first > from { classes::class_before(text, first).1 } else { 0 };
    let length = text[first..].iter().position(|byte| begins_anew(*byte)).unwrap_or(text.len() - first);
    Some(first - start..first + length)
}

/// Lower case by the tables of Unicode 16: characters that are younger have the class `Other` and stay.
fn lower(character: char) -> impl Iterator<Item = char> {
    let mut buffer = [0; 4];
    let known = classes::class_at(character.encode_utf8(&mut buffer).as_bytes(), 0).0 != Class::Other;
    let lower = known.then(|| character.to_lowercase());
    lower.into_iter().flatten().chain((!known).then_some(character))
}

fn lowercase(text: &[u8]) -> Option<Vec<u8>> {
    let changes = |character: char| !lower(character).eq([character]);
    if text.is_ascii() {
        return text.iter().any(u8::is_ascii_uppercase).then(|| text.to_ascii_lowercase());
    }
    if !text.utf8_chunks().any(|chunk| chunk.valid().chars().any(changes)) {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars().flat_map(lower) {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    Some(out)
}

fn replace(text: &[u8], finder: &AhoCorasick, by: &[u8]) -> Option<Vec<u8>> {
    let mut found = finder.find_iter(text).peekable();
    found.peek()?;
    let (mut out, mut copied) = (Vec::with_capacity(text.len()), 0);
    for hit in found {
        out.extend_from_slice(&text[copied..hit.start()]);
        out.extend_from_slice(by);
        copied = hit.end();
    }
    out.extend_from_slice(&text[copied..]);
    Some(out)
}
