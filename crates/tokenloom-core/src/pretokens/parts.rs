//! Pretokens of at most so many bytes, found without waiting for the ends of longer ones.
//!
//! With a limit of N bytes a pretoken is looked for in a window: the text from `LOOK_BYTES` before its start, for patterns
//! that look behind, to N and `LOOK_BYTES` from its start on, between characters, as if the text ended there. If it is
//! longer than N bytes, as many of its characters as N bytes hold are a part, and the next pretoken is looked for where the
//! part ends, as behind any other.
//!
//! So what begins at a place depends on its window alone: not on how the text arrives. A safe cut stays one, because a
//! window that reaches over it is a text too, which may be cut there, and one that does not is the same in both halves.

use std::borrow::Cow;
use std::ops::Range;

use crate::Tick;
use crate::driver::BLOCK_BYTES;
use crate::error::{Error, Result};
use crate::scan::{COPY_BYTES, Custom, Places, Readable, Scanner, classes};

/// How far a pattern sees before a pretoken, and behind the longest one.
pub const LOOK_BYTES: usize = 2 << 10;

/// The bytes of the longest character.
const CHARACTER_BYTES: usize = 4;

/// The largest limit. Each piece of a custom pattern is read within its window, so the work grows with it.
const MOST_BYTES: usize = 1 << 16;

/// Pieces of a custom pattern between two ticks.
const TICK_PIECES: usize = 16;

/// Pieces of which the length is looked at together.
const GROUP_PIECES: usize = 32;

/// The most bytes of a pretoken.
#[derive(Clone, Copy, Debug)]
pub struct Limit(usize);

impl Limit {
    /// A part must have room for any character, and a window must not be long.
    pub fn new(max_bytes: usize) -> Result<Self> {
        let is_possible = (CHARACTER_BYTES..=MOST_BYTES).contains(&max_bytes);
        if is_possible { Ok(Self(max_bytes)) } else { Err(Error::PretokenLimit { max_bytes, most_bytes: MOST_BYTES }) }
    }

    /// The most pretokens that so many bytes have because of the limit, and one.
    pub fn most_parts(self, n_bytes: usize) -> usize {
        n_bytes / (self.0 - (CHARACTER_BYTES - 1)) + 1
    }

    /// The most memory that is taken to read a custom pattern's windows, of as much of `n_bytes` as is read at a time.
    pub fn read_bytes(self, n_bytes: usize) -> usize {
        let n_read = n_bytes.min(self.window_bytes() + BLOCK_BYTES + LOOK_BYTES + CHARACTER_BYTES);
        n_read * (1 + COPY_BYTES + size_of::<usize>())
    }

    fn window_bytes(self) -> usize {
        self.0 + LOOK_BYTES
    }

    /// Which of some pieces is the first that is too long; the first of them begins at `start`. Where many together are
    /// short enough, none of them is looked at.
    fn first_too_long(self, mut start: usize, ends: &[usize]) -> Option<usize> {
        let mut n_before = 0;
        for group in ends.chunks(GROUP_PIECES) {
            let group_end = group[group.len() - 1];
            if group_end - start > self.0 {
                let too_long = |end: &usize| *end - std::mem::replace(&mut start, *end) > self.0;
                if let Some(place) = group.iter().position(too_long) {
                    return Some(n_before + place);
                }
            }
            start = group_end;
            n_before += group.len();
        }
        None
    }

    /// Where the window of what begins at `start` ends; None where the text is not there so far.
    fn window_end(self, text: &[u8], start: usize, at_end: bool) -> Option<usize> {
        let end = start + self.window_bytes();
        if text.len() <= end {
            return at_end.then_some(text.len());
        }
        (at_end || text.len() - end >= CHARACTER_BYTES - 1).then(|| border_before(text, end))
    }

    /// Where the first part ends of a pretoken that begins at `start` and is too long.
    fn part_end(self, text: &[u8], start: usize) -> usize {
        border_before(text, start + self.0)
    }
}

/// `at`, or the start of the character that it is in. A byte that is in none is a character.
fn border_before(text: &[u8], at: usize) -> usize {
    around(text, at).map_or(at, |character| character.start)
}

/// `at`, or the end of the character that it is in.
fn border_behind(text: &[u8], at: usize) -> usize {
    around(text, at).map_or(at, |character| character.end)
}

/// The character that begins before `at` and ends behind it.
fn around(text: &[u8], at: usize) -> Option<Range<usize>> {
    let character = |start: usize| start..start + classes::class_at(text, start).1;
    (at.saturating_sub(CHARACTER_BYTES - 1)..at).map(character).find(|character| character.end > at)
}

/// What is known of the text before the text at hand, of the same segment.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// As much of its end as a pattern sees.
    seen: Vec<u8>,
    /// It ends with a part that was cut off.
    is_cut: bool,
}

/// Finds the pretokens of a text, one stretch after the other.
#[derive(Debug)]
pub struct Limited {
    limit: Limit,
    before: Before,
    /// Where the segment begins, or the text if that is behind.
    segment_start: usize,
    /// Where the last part ends that was cut off.
    cut_end: Option<usize>,
    n_cut: u64,
}

impl Limited {
    /// For a text behind another.
    pub fn new(limit: Limit, before: Before) -> Self {
        let cut_end = before.is_cut.then_some(0);
        Self { limit, before, segment_start: 0, cut_end, n_cut: 0 }
    }

    /// The pretokens that were cut: one for all parts that follow one another.
    pub fn n_cut(&self) -> u64 {
        self.n_cut
    }

    /// Begins another segment, which sees nothing of what is before it.
    pub fn begin_segment(&mut self, start: usize) {
        self.before = Before::default();
        self.segment_start = start;
    }

    /// Goes on with another text, which sees nothing of this one.
    pub fn begin_text(&mut self) {
        self.begin_segment(0);
        self.cut_end = None;
    }

    /// What is known before `text[end..]`, when all before it is taken.
    pub fn before(&self, text: &[u8], end: usize) -> Before {
        let (seen, lead) = self.behind(text, end..end);
        Before { seen: seen[..lead].to_vec(), is_cut: self.cut_end == Some(end) }
    }

    /// As `Scanner::scan`, with `range` from the start to the place where it may stop.
    pub fn scan(
        &mut self,
        scanner: &Scanner,
        text: &[u8],
        range: Range<usize>,
        at_end: bool,
        ends: &mut Vec<usize>,
        tick: Tick<'_>,
    ) -> Result<usize> {
        if let Scanner::Custom(custom) = scanner {
            return self.scan_custom(custom, text, range, at_end, ends, tick);
        }
        let (mut at, mut found) = (range.start, Vec::new());
        while at < range.end {
            let next = self.scan_window(scanner, text, at..range.end, at_end, ends, &mut found)?;
            if next == at {
                break;
            }
            at = next;
        }
        Ok(at)
    }

    /// The same as far as the first window reaches. What is sure in it, whatever follows, is sure in the windows of all
    /// pieces that begin in it, so they are found together.
    fn scan_window(
        &mut self,
        scanner: &Scanner,
        text: &[u8],
        range: Range<usize>,
        at_end: bool,
        ends: &mut Vec<usize>,
        found: &mut Vec<usize>,
    ) -> Result<usize> {
        let mut at = range.start;
        found.clear();
        // Behind a part that was cut off the same pretoken may go on for long.
        if self.cut_end != Some(at) {
            // Without a character that the end of the window may be in.
            let reach = text.len().min(at + self.limit.window_bytes() - CHARACTER_BYTES);
            scanner.scan(&text[..reach], at, range.end.min(reach), at_end && reach == text.len(), found)?;
        }
        let mut left = found.as_slice();
        loop {
            let (short, others) = left.split_at(self.limit.first_too_long(at, left).unwrap_or(left.len()));
            ends.extend_from_slice(short);
            at = short.last().copied().unwrap_or(at);
            if others.is_empty() && at > range.start {
                return Ok(at);
            }
            // One by one, until one ends where one does that was found.
            left = others;
            loop {
                let Some(end) = self.limit.window_end(text, at, at_end) else { return Ok(at) };
                let n_before = ends.len();
                scanner.scan(&text[..end], at, at + 1, true, ends)?;
                let Some(end) = ends.drain(n_before..).next() else { return Ok(at) };
                at = self.take(text, at, end, ends);
                let place = left.binary_search(&at);
                left = &left[place.map_or_else(|behind| behind, |same| same + 1)..];
                if place.is_ok() {
                    break;
                }
                if left.is_empty() {
                    return Ok(at);
                }
            }
        }
    }

    /// The same for a custom pattern, of which nothing is sure but what its own window says.
    fn scan_custom(
        &mut self,
        custom: &Custom,
        text: &[u8],
        range: Range<usize>,
        at_end: bool,
        ends: &mut Vec<usize>,
        tick: Tick<'_>,
    ) -> Result<usize> {
        let reach = range.end + self.limit.window_bytes() + CHARACTER_BYTES;
        let (stretch, lead) = self.behind(text, range.start..reach.min(text.len()));
        let readable = Readable::new(&stretch);
        let places = Places::new(&readable);
        // From a place of the text to one of the stretch.
        let moved = |at: usize| at - range.start + lead;
        let (mut at, mut n_pieces) = (range.start, 0);
        while at < range.end
            && let Some(window_end) = self.limit.window_end(text, at, at_end)
        {
            let seen_from = border_behind(&stretch, moved(at).saturating_sub(LOOK_BYTES));
            let [start, end, seen_from] = [moved(at), moved(window_end), seen_from].map(|at| places.read(at));
            let seen = &readable.text()[seen_from..end];
            let piece_end = seen_from + custom.piece_end(seen, start - seen_from, at, tick)?;
            at = self.take(text, at, places.back(piece_end) - lead + range.start, ends);
            n_pieces += 1;
            if n_pieces % TICK_PIECES == 0 {
                tick(0)?;
            }
        }
        Ok(at)
    }

    /// A stretch of the text with what is seen before it, and the length of that.
    fn behind<'t>(&self, text: &'t [u8], range: Range<usize>) -> (Cow<'t, [u8]>, usize) {
        let from = self.segment_start.max(range.start.saturating_sub(LOOK_BYTES));
        if self.before.seen.is_empty() || from > 0 {
            let from = if from > self.segment_start { border_behind(text, from) } else { from };
            return (Cow::Borrowed(&text[from..range.end]), range.start - from);
        }
        let (mut whole, start) =
            ([&self.before.seen, &text[..range.end]].concat(), self.before.seen.len() + range.start);
        let from = border_behind(&whole, start.saturating_sub(LOOK_BYTES));
        whole.drain(..from);
        (Cow::Owned(whole), start - from)
    }

    /// Takes the pretoken from `start` to `end`, or its first part if it is too long. Returns the end of that.
    fn take(&mut self, text: &[u8], start: usize, mut end: usize, ends: &mut Vec<usize>) -> usize {
        if end - start > self.limit.0 {
            end = self.limit.part_end(text, start);
            self.n_cut += u64::from(self.cut_end != Some(start));
            self.cut_end = Some(end);
        }
        ends.push(end);
        end
    }
}
