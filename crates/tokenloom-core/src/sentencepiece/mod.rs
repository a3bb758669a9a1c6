//! What SentencePiece does to a text before its model sees it; see [`Rules`].

mod clusters;
mod map;
mod pieces;
mod step;
mod symbols;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use clusters::change_clusters;
pub use map::Map;
pub use pieces::{PieceRules, PieceState};
pub(crate) use step::{change, map_of, rules_of};
use symbols::Symbols;
pub use symbols::finder;

use crate::Tick;
use crate::alignment::Alignment;
use crate::error::Result;

/// U+2581, by which blanks are written.
pub const MARK: &[u8] = "\u{2581}".as_bytes();

/// What a byte that is not UTF-8 becomes.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// A tick comes after about this much text.
const TICK_BYTES: usize = 1 << 20;

/// So far from a place the blanks are looked for between which a text is tried.
const MOST_WINDOW_BYTES: usize = 1 << 10;

/// How a text is changed.
///
/// At each place the longest symbol stays as it is; elsewhere the longest key of the map becomes its text, and what is in
/// no key stays, but for bytes that are not UTF-8. Then blanks are dropped and written as marks, and one is put before the
/// text.
///
/// The model is given a space wherever SentencePiece writes a mark ([`Rules::with_spaces`]): a text of which blanks are
/// written as marks has no spaces, so none is taken for another. Words are shorter that way, most texts need no more than
/// to be copied, and a cache knows words by fewer bytes.
#[derive(Clone, Debug)]
pub struct Rules {
    map: Option<Arc<Map>>,
    symbols: Option<Symbols>,
    add_dummy_prefix: bool,
    remove_extra_whitespaces: bool,
    escape_whitespaces: bool,
    treat_whitespace_as_suffix: bool,
    /// What stands for a mark.
    mark: &'static [u8],
    /// Text may be cut before a blank behind another character.
    may_be_cut: bool,
}

/// Takes what became of stretches of a text, in order.
trait Notes {
    /// So many bytes of the changed text came from a stretch, byte for byte where it is a copy.
    fn note(&mut self, n_bytes: usize, from: Range<usize>, is_copy: bool);
    /// The last so many bytes are not there any more. Gives where what they came from begins, if that is known.
    fn drop_last(&mut self, n_bytes: usize) -> Option<usize>;
}

impl Notes for () {
    fn note(&mut self, _n_bytes: usize, _from: Range<usize>, _is_copy: bool) {}
    fn drop_last(&mut self, _n_bytes: usize) -> Option<usize> {
        None
    }
}

/// All that was noted.
#[derive(Default)]
struct Runs(Vec<(usize, Range<usize>, bool)>);

impl Notes for Runs {
    fn note(&mut self, n_bytes: usize, from: Range<usize>, is_copy: bool) {
        self.0.push((n_bytes, from, is_copy));
    }

    fn drop_last(&mut self, mut n_bytes: usize) -> Option<usize> {
        let mut start = None;
        while let Some((n_last, from, is_copy)) = self.0.last_mut().filter(|_| n_bytes > 0) {
            let n_dropped = n_bytes.min(*n_last);
            (n_bytes, *n_last) = (n_bytes - n_dropped, *n_last - n_dropped);
            start = Some(if *is_copy { from.start + *n_last } else { from.start });
            if *n_last == 0 {
                self.0.pop();
            }
        }
        start
    }
}

/// How far a text was changed.
#[derive(Clone, Copy, Debug)]
struct End {
    /// Where the changed text begins.
    first: usize,
    /// The length of the text.
    at: usize,
    /// A blank is put to it.
    is_framed: bool,
}

/// The flags of [`Rules`], by the names of SentencePiece.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are those of the file")]
pub struct Flags {
    /// A blank is put before a text.
    pub add_dummy_prefix: bool,
    /// Blanks are dropped.
    pub remove_extra_whitespaces: bool,
    /// Blanks are written as marks.
    pub escape_whitespaces: bool,
    /// The blank is put behind the text.
    pub treat_whitespace_as_suffix: bool,
}

impl Rules {
    /// Puts rules together. Refuses what is no map.
    pub fn new(charsmap: &[u8], symbols: &[String], flags: Flags) -> Result<Self> {
        let map = if charsmap.is_empty() { None } else { Some(Arc::new(Map::new(charsmap)?)) };
        let may_be_cut = !flags.treat_whitespace_as_suffix
            && !symbols.iter().any(|symbol| symbol.len() > 1 && symbol.contains(' '))
            && !map.as_ref().is_some_and(|map| map.may_span_space());
        Ok(Self {
            map,
            symbols: Symbols::new(symbols)?,
            add_dummy_prefix: flags.add_dummy_prefix,
            remove_extra_whitespaces: flags.remove_extra_whitespaces,
            escape_whitespaces: flags.escape_whitespaces,
            treat_whitespace_as_suffix: flags.treat_whitespace_as_suffix,
            mark: if flags.escape_whitespaces { MARK } else { b" " },
            may_be_cut,
        })
    }

    /// The same rules, of which the text has a space for each mark; None if it would have spaces that are no marks.
    #[must_use]
    pub fn with_spaces(&self) -> Option<Self> {
        self.escape_whitespaces.then(|| Self { mark: b" ", ..self.clone() })
    }

    /// Appends a changed text. `is_start` says that the text begins here; otherwise it goes on from a safe cut. Gives up,
    /// with false, where it would have more than `most_bytes`.
    pub fn apply(
        &self,
        text: &[u8],
        is_start: bool,
        most_bytes: usize,
        out: &mut Vec<u8>,
        tick: Tick<'_>,
    ) -> Result<bool> {
        if self.copies(text) {
            self.copy(text, is_start, out);
            return Ok(true);
        }
        let end = self.run(text, is_start, most_bytes, out, &mut (), tick)?;
        Ok(end.inspect(|end| self.finish(*end, out, &mut ())).is_some())
    }

    /// As `apply`, with the changed text and where it came from.
    pub fn apply_aligned(
        &self,
        text: &[u8],
        is_start: bool,
        most_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<Option<(Vec<u8>, Alignment)>> {
        let (mut out, mut runs, mut alignment) = (Vec::new(), Runs::default(), Alignment::default());
        let Some(end) = self.run(text, is_start, most_bytes, &mut out, &mut runs, tick)? else { return Ok(None) };
        self.finish(end, &mut out, &mut runs);
        for (n_bytes, from, is_copy) in runs.0 {
            match is_copy {
                true => alignment.copy(from.start..from.start + n_bytes),
                false => alignment.replace(from, n_bytes),
            }
        }
        Ok(Some((out, alignment)))
    }

    /// Whether a text is only copied, with spaces for marks.
    fn copies(&self, text: &[u8]) -> bool {
        let is_plain = self.map.is_none() && !self.remove_extra_whitespaces && self.mark == b" ";
        is_plain && str::from_utf8(text).is_ok()
    }

    fn copy(&self, text: &[u8], is_start: bool, out: &mut Vec<u8>) {
        let (is_framed, is_suffix) = (self.is_framed(text, is_start), self.treat_whitespace_as_suffix);
        out.reserve(text.len() + 1);
        if is_framed && !is_suffix {
            out.push(b' ');
        }
        if self.escape_whitespaces {
            let mut at = 0;
            for mark in memchr::memmem::find_iter(text, MARK) {
                out.extend_from_slice(&text[at..mark]);
                out.push(b' ');
                at = mark + MARK.len();
            }
            out.extend_from_slice(&text[at..]);
        } else {
            out.extend_from_slice(text);
        }
        if is_framed && is_suffix {
            out.push(b' ');
        }
    }

    /// Whether a blank is put to a text.
    fn is_framed(&self, text: &[u8], is_start: bool) -> bool {
        self.add_dummy_prefix && is_start && !text.is_empty()
    }

    fn run(
        &self,
        text: &[u8],
        is_start: bool,
        most_bytes: usize,
        out: &mut Vec<u8>,
        notes: &mut impl Notes,
        tick: Tick<'_>,
    ) -> Result<Option<End>> {
        let first = out.len();
        let mut at = if self.remove_extra_whitespaces && is_start { self.blanks(text) } else { 0 };
        let is_framed = self.is_framed(&text[at..], is_start);
        if is_framed && !self.treat_whitespace_as_suffix {
            self.put_blank(at, out, notes);
        }
        let (mut is_behind_blank, mut tick_at) = (self.remove_extra_whitespaces && is_start, TICK_BYTES);
        while at < text.len() {
            let n_plain = self.n_plain(&text[at..]);
            if n_plain > 0 {
                out.extend_from_slice(&text[at..at + n_plain]);
                notes.note(n_plain, at..at + n_plain, true);
                (at, is_behind_blank) = (at + n_plain, false);
            } else {
                let (changed, length) = self.first(&text[at..]);
                let n_dropped =
                    if is_behind_blank { changed.iter().take_while(|byte| **byte == b' ').count() } else { 0 };
                let (before, changed) = (out.len(), &changed[n_dropped..]);
                self.write(changed, out);
                let from = at..at + length;
                let is_copy = out[before..] == text[from.clone()];
                notes.note(out.len() - before, from, is_copy);
                if let Some(last) = changed.last() {
                    is_behind_blank = self.remove_extra_whitespaces && *last == b' ';
                }
                at += length;
            }
            if out.len() - first > most_bytes {
                return Ok(None);
            }
            if at >= tick_at {
                tick_at = at + TICK_BYTES;
                tick(0)?;
            }
        }
        Ok(Some(End { first, at, is_framed }))
    }

    /// Drops the blanks at the end of a text, and puts the one there that belongs there.
    fn finish(&self, end: End, out: &mut Vec<u8>, notes: &mut impl Notes) {
        let n_before = out.len();
        while self.remove_extra_whitespaces && out[end.first..].ends_with(self.mark) {
            out.truncate(out.len() - self.mark.len());
        }
        let at = notes.drop_last(n_before - out.len()).unwrap_or(end.at);
        if end.is_framed && self.treat_whitespace_as_suffix {
            self.put_blank(at, out, notes);
        }
    }

    fn put_blank(&self, at: usize, out: &mut Vec<u8>, notes: &mut impl Notes) {
        out.extend_from_slice(self.mark);
        notes.note(self.mark.len(), at..at, false);
    }

    /// The length of the blanks that a text begins with.
    fn blanks(&self, text: &[u8]) -> usize {
        let mut at = 0;
        while at < text.len() {
            let (changed, length) = self.first(&text[at..]);
            if changed != b" " {
                break;
            }
            at += length;
        }
        at
    }

    /// How many bytes at the start of a text are ASCII that stays as it is, and no spaces.
    #[inline]
    fn n_plain(&self, text: &[u8]) -> usize {
        let firsts = self.symbols.as_ref().map(|symbols| &*symbols.firsts);
        let stays = |byte: u8| {
            byte.is_ascii()
                && byte != b' '
                && firsts.is_none_or(|firsts| !firsts[usize::from(byte)])
                && self.map.as_ref().is_none_or(|map| map.is_plain_byte(byte))
        };
        let n_bytes = text.iter().take_while(|byte| stays(**byte)).count();
        // The last one may begin a key with what follows.
        let is_sure = self.map.is_none() || text.get(n_bytes).is_none_or(u8::is_ascii);
        if is_sure { n_bytes } else { n_bytes.saturating_sub(1) }
    }

    /// What the first characters of a text become, and their length.
    fn first<'a>(&'a self, text: &'a [u8]) -> (&'a [u8], usize) {
        if let Some(length) = self.symbols.as_ref().and_then(|symbols| symbols.longest(text)) {
            return (&text[..length], length);
        }
        if let Some((length, changed)) = self.map.as_ref().and_then(|map| map.longest(text)) {
            return (changed.as_bytes(), length);
        }
        match first_character(text) {
            Some(length) => (&text[..length], length),
            None => (REPLACEMENT, 1),
        }
    }

    /// Writes blanks as marks, and marks as what stands for them.
    fn write(&self, changed: &[u8], out: &mut Vec<u8>) {
        let mut rest = changed;
        while self.escape_whitespaces && !rest.is_empty() {
            let n_others = memchr::memchr2(b' ', MARK[0], rest).unwrap_or(rest.len());
            out.extend_from_slice(&rest[..n_others]);
            rest = &rest[n_others..];
            let n_blank = if rest.starts_with(b" ") {
                1
            } else if rest.starts_with(MARK) {
                MARK.len()
            } else {
                0
            };
            match n_blank {
                0 => {
                    out.extend_from_slice(&rest[..rest.len().min(1)]);
                    rest = rest.get(1..).unwrap_or_default();
                }
                _ => {
                    out.extend_from_slice(self.mark);
                    rest = &rest[n_blank..];
                }
            }
        }
        out.extend_from_slice(rest);
    }

    /// Whether no rule reaches over a place of a text, which lies before a space, and nothing is dropped there: then the
    /// halves change as the whole does, the second one as the middle of a text.
    ///
    /// No key and no symbol has a space behind its first character, so each space is the start of a step. The text before
    /// is tried from an earlier space on, and must end in something that is no blank; the text behind must begin with one.
    /// Gives what is before and behind the place when it is changed.
    pub fn around_safe_cut(&self, text: &[u8], at: usize) -> Option<(Vec<u8>, Vec<u8>)> {
        if !self.may_be_cut || at == 0 || text.get(at) != Some(&b' ') {
            return None;
        }
        let floor = at.saturating_sub(MOST_WINDOW_BYTES);
        let start = text[floor..at].iter().rposition(|byte| *byte == b' ').map_or(floor, |space| floor + space);
        let end = (at + 1 + MOST_WINDOW_BYTES).min(text.len());
        let end = text[at + 1..end].iter().position(|byte| *byte == b' ').map_or(end, |space| at + 1 + space);
        if (start == floor && floor > 0) || (end < text.len() && text[end] != b' ') {
            return None;
        }
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for (range, out) in [(start..at, &mut before), (at..end, &mut behind)] {
            self.run(&text[range], false, usize::MAX, out, &mut (), &mut |_| Ok(())).ok()?;
        }
        let is_safe = !before.is_empty() && !before.ends_with(self.mark) && behind.starts_with(self.mark);
        is_safe.then_some((before, behind))
    }
}

/// The length of the first character of a text; None if it does not begin with UTF-8.
fn first_character(text: &[u8]) -> Option<usize> {
    let length = match text.first()? {
        0..0x80 => return Some(1),
        0xC2..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF5 => 4,
        _ => return None,
    };
    text.get(..length).filter(|character| str::from_utf8(character).is_ok()).map(|_| length)
}
