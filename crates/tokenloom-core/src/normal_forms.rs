//! The four normal forms of Unicode, stretch by stretch of what they could change.

use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::Tick;
use crate::draft::Draft;
use crate::error::Result;
use crate::normal_runs::{self, Rules};
use crate::normalize::begins_anew;
use crate::scan::classes;

/// The tables of the four forms; `spec.rs` refuses descriptions that ask for others.
const _: () = assert!(unicode_normalization::UNICODE_VERSION.0 == 16);

/// A run of characters none of which begins anew is normalized at one time. A tick comes after about this much text.
const TICK_BYTES: usize = 1 << 20;

/// A normal form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

impl Form {
    /// What descriptions call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nfc => "nfc",
            Self::Nfd => "nfd",
            Self::Nfkc => "nfkc",
            Self::Nfkd => "nfkd",
        }
    }

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

    /// Notes in the draft of a text what the form changes.
    pub(crate) fn apply(self, text: &[u8], draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
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
