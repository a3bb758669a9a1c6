//! Normalizers: how a text is changed before it is cut.
//!
//! Most texts are normal already, so a step first looks whether it changes anything, and a text that stays as it is is not
//! copied. Bytes that are no UTF-8 stay as they are, and nothing is composed over them.
//!
//! Where a text may be cut so that the normal forms of the halves are that of the whole: before a character that begins
//! anew ([`begins_anew`]). ASCII characters and those from U+4000 to U+9FFF have the combining class 0, are their own
//! normal forms in all four forms, and compose with nothing before them. So no reordering and no composition reaches over
//! the place before one: what is before it is as if the text ended, what comes behind as if it began (UAX #15,
//! "Concatenation of normalized strings").

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::Tick;
use crate::alignment::Alignment;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::normal_runs::{self, Rules};
use crate::scan::Custom;
use crate::scan::classes::{self, Class};
use crate::search::{blanks_before, blanks_behind};
use crate::spec::Step;
use crate::wording::shown;

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
    ReplacePattern { finder: Box<Custom>, pattern: String, by: Vec<u8> },
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
    matches!(lead, ..0x80 | 0xE4..=0xE9)
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
        Ok(self.run(&self.steps, text, false, tick)?.0)
    }

    /// The normalized text, and where it came from: the alignment counts where the text was changed.
    ///
    /// Every part came from the smallest stretch that becomes it by itself; text that a step puts in stands with the
    /// character beside it, the first one of the text or the one before.
    pub fn apply_aligned<'a>(&self, text: &'a [u8], tick: Tick<'_>) -> Result<(Cow<'a, [u8]>, Alignment)> {
        self.run(&self.steps, text, true, tick)
    }

    /// How many bytes of the normalized text came from the first character of the text, as `tokenizers` counts: what took
    /// the place of several characters came from the last of them, what they compose to from the first.
    pub fn n_first_bytes(&self, text: &[u8], tick: Tick<'_>) -> Result<usize> {
        let (mut text, mut n_bytes) = (Cow::Borrowed(text), first_length(text));
        for step in &self.steps {
            let mut draft = Draft::noting_all(&text);
            step.apply(&text, &mut draft, tick)?;
            let Some((changed, changes)) = draft.finish() else { continue };
            n_bytes = match step {
                Action::Form(_) | Action::Lowercase if n_bytes > 0 => {
                    let mut draft = Draft::new(&text[..n_bytes], false);
                    step.apply(&text[..n_bytes], &mut draft, tick)?;
                    let alone = draft.finish().map_or(n_bytes, |(changed, _)| changed.len());
                    alone.max(first_length(&changed))
                }
                _ => changes.n_bytes_from(n_bytes, |from| from.start + last_start(&text[from.clone()])),
            };
            text = Cow::Owned(changed);
        }
        Ok(n_bytes)
    }

    fn run<'a>(
        &self,
        steps: &[Action],
        source: &'a [u8],
        is_aligned: bool,
        tick: Tick<'_>,
    ) -> Result<(Cow<'a, [u8]>, Alignment)> {
        let (mut text, mut alignment) = (Cow::Borrowed(source), Alignment::default());
        for (place, step) in steps.iter().enumerate() {
            let mut draft = Draft::new(&text, is_aligned);
            let applied = step.apply(&text, &mut draft, tick);
            applied.map_err(|fault| self.in_source(fault, &steps[..place], source))?;
            if let Some((changed, changes)) = draft.finish() {
                let is_first = matches!(text, Cow::Borrowed(_));
                alignment = if is_first { changes } else { alignment.then(&changes) };
                text = Cow::Owned(changed);
            }
        }
        Ok((text, alignment))
    }

    /// A fault that was found behind some steps, with its place in the text before them.
    fn in_source(&self, fault: Error, steps: &[Action], source: &[u8]) -> Error {
        let Error::NormalizerLimit { pattern, byte_offset } = fault else { return fault };
        let at = byte_offset as usize;
        let byte_offset = match self.run(steps, source, true, &mut |_| Ok(())) {
            Ok((Cow::Owned(_), alignment)) => alignment.origin(at..at).start as u64,
            _ => byte_offset,
        };
        Error::NormalizerLimit { pattern, byte_offset }
    }
}

/// The length of the first character.
fn first_length(text: &[u8]) -> usize {
    if text.is_empty() { 0 } else { classes::class_at(text, 0).1 }
}

/// Where the last character begins.
fn last_start(text: &[u8]) -> usize {
    if text.is_empty() { 0 } else { text.len() - classes::class_before(text, text.len()).1 }
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
            Step::Replace { text: None, pattern: Some(pattern), by } => {
                let fault = |fault| match fault {
                    Error::Pattern { pattern, detail, .. } => Error::SpecJson {
                        detail: format!(
                            "normalizer step \"replace\" has the pattern {}, which is none: {detail}",
                            shown(&pattern)
                        ),
                    },
                    fault => fault,
                };
                let finder = Box::new(Custom::new(pattern).map_err(fault)?);
                Self::ReplacePattern { finder, pattern: pattern.clone(), by: by.clone().into_bytes() }
            }
            Step::Replace { .. } => {
                let detail = "normalizer step \"replace\" has no text to look for".to_owned();
                return Err(Error::SpecJson { detail });
            }
            Step::Strip { left, right } => Self::Strip { left: *left, right: *right },
        })
    }

    /// Notes in the draft of a text what this step changes.
    fn apply(&self, text: &[u8], draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
        match self {
            Self::Form(form) => return form.apply(text, draft, tick),
            Self::Lowercase => lowercase(text, draft),
            Self::Prepend(start) if !text.is_empty() => draft.put_in(0, 0..classes::class_at(text, 0).1, start),
            Self::Prepend(_) => {}
            Self::Replace { finder, by } => {
                for hit in finder.find_iter(text) {
                    draft.replace(hit.range(), |out| out.extend_from_slice(by));
                }
            }
            Self::ReplacePattern { finder, pattern, by } => {
                return replace_matches(text, (finder, pattern), by, draft, tick);
            }
            Self::Strip { left, right } => {
                let start = if *left { blanks_behind(text, 0) } else { 0 };
                let end = if *right { blanks_before(text, text.len(), start) } else { text.len() };
                if start > 0 {
                    draft.replace(0..start, |_| {});
                }
                if end < text.len() {
                    draft.replace(end..text.len(), |_| {});
                }
            }
        }
        Ok(())
    }
}

/// Each match of a pattern becomes a text. An empty text has no match; an empty match stands with the character before it.
fn replace_matches(
    text: &[u8],
    (finder, pattern): (&Custom, &str),
    by: &[u8],
    draft: &mut Draft<'_>,
    tick: Tick<'_>,
) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let take = |found: Range<usize>, is_match: bool, _: Tick<'_>| {
        match found.start {
            _ if !is_match => {}
            at if !found.is_empty() || at == 0 => draft.replace(found, |out| out.extend_from_slice(by)),
            at => draft.put_in(at, at - classes::class_before(text, at).1..at, by),
        }
        Ok(())
    };
    finder.matches(text, take, tick).map_err(|fault| match fault {
        Error::PatternLimit { byte_offset } => Error::NormalizerLimit { pattern: pattern.to_owned(), byte_offset },
        fault => fault,
    })
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

    fn apply(self, text: &[u8], draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
        let (mut at, mut ticked) = (0, 0);
        let is_canonical = matches!(self, Self::Nfc | Self::Nfd);
        while let Some(run) = next_run(text, at, is_canonical) {
            at = run.end;
            let mut start = run.start;
            for chunk in text[run].utf8_chunks() {
                if !self.is_normal(chunk.valid()) {
                    self.change(chunk.valid(), start, draft);
                }
                start += chunk.valid().len() + chunk.invalid().len();
            }
            if at - ticked >= TICK_BYTES {
                ticked = at;
                tick(0)?;
            }
        }
        Ok(())
    }

    /// Notes the normal form of a stretch of the text that begins at `start`; for those who ask, run by run.
    fn change(self, stretch: &str, start: usize, draft: &mut Draft<'_>) {
        if !draft.is_aligned() {
            return draft.replace(start..start + stretch.len(), |out| self.extend(out, stretch));
        }
        let mut from = 0;
        for end in normal_runs::ends(stretch, self.rules()) {
            let run = &stretch[from..end];
            if !self.is_normal(run) {
                draft.replace(start + from..start + end, |out| self.extend(out, run));
            }
            from = end;
        }
    }

    fn rules(self) -> Rules {
        Rules {
            is_compatible: matches!(self, Self::Nfkc | Self::Nfkd),
            composes: matches!(self, Self::Nfc | Self::Nfkc),
        }
    }
}

/// The next stretch that a form could change: characters that do not begin anew, and the one before them, which they may
/// compose with.
fn next_run(text: &[u8], from: usize, is_canonical: bool) -> Option<std::ops::Range<usize>> {
    let mut first = from;
    loop {
        first += match *text.get(first..)? {
            [..0x80, ..] => text[first..].iter().position(|byte| !byte.is_ascii())?,
            // A continuation byte belongs to what is before it, or stands alone and is no character.
            [0x80..=0xBF, ..] => 1,
            [0xE4..=0xE9, ..] => 1,
            // Marks of Chinese and Japanese, U+3000 to U+3029, and all from U+FF00 on: only by compatibility do they change.
            [0xE3, 0x80, 0x80..=0xA9, ..] | [0xEF, 0xBC..=0xBF, 0x80..=0xBF, ..] if is_canonical => 3,
            [] => return None,
            _ => break,
        };
    }
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

fn lowercase(text: &[u8], draft: &mut Draft<'_>) {
    if text.is_ascii() {
        if text.iter().any(u8::is_ascii_uppercase) {
            draft.exchange(text.to_ascii_lowercase());
        }
        return;
    }
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            let range = at..at + character.len_utf8();
            at = range.end;
            if !lower(character).eq([character]) {
                let push = |out: &mut Vec<u8>| {
                    for lower in lower(character) {
                        out.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                };
                draft.replace(range, push);
            }
        }
        at += chunk.invalid().len();
    }
}
