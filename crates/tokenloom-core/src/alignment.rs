//! Where the parts of a changed text came from.
//!
//! Normalizers and pretokenizers that change a text say how in runs, in the order of the changed text: bytes that were
//! copied, and stretches that took the place of others. One such list is all that offsets need, however many steps made
//! it: alignments of steps that follow one another are joined by [`Alignment::then`].

use std::ops::Range;

/// So many runs are looked at one by one before the others are searched.
const NEAR_RUNS: usize = 8;

/// A stretch of a changed text and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    /// Where the run ends in the changed text; it begins where the one before it ends.
    end: usize,
    /// What it came from; empty for text that was put in.
    from: Range<usize>,
    /// Byte for byte; otherwise the whole run came from the whole of `from`.
    is_copy: bool,
}

/// The runs of a changed text, which they tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    runs: Vec<Run>,
}

impl Alignment {
    /// The length of the changed text so far.
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// What each run came from, where it stands in the changed text, and whether it is a copy, byte for byte.
    pub fn runs(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>, bool)> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let to = start..run.end;
            start = run.end;
            (run.from.clone(), to, run.is_copy)
        })
    }

    /// Whether the changed text is empty so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The changed text goes on with bytes of the source as they are.
    pub fn copy(&mut self, from: Range<usize>) {
        if from.is_empty() {
            return;
        }
        let end = self.len() + from.len();
        match self.runs.last_mut() {
            Some(last) if last.is_copy && last.from.end == from.start => {
                (last.end, last.from.end) = (end, from.end);
            }
            _ => self.runs.push(Run { end, from, is_copy: true }),
        }
    }

    /// The changed text goes on with so many bytes in the place of a stretch of the source; the stretch is empty where
    /// text was put in.
    pub fn replace(&mut self, from: Range<usize>, n_bytes: usize) {
        if n_bytes == 1 && from.len() == 1 {
            self.copy(from);
        } else if n_bytes > 0 {
            self.runs.push(Run { end: self.len() + n_bytes, from, is_copy: false });
        }
    }

    /// The changed text goes on with one that has an alignment of its own.
    pub fn append(&mut self, rest: &Self) {
        let mut start = 0;
        for run in &rest.runs {
            match run.is_copy {
                true => self.copy(run.from.clone()),
                false => self.replace(run.from.clone(), run.end - start),
            }
            start = run.end;
        }
    }

    /// What a stretch of the changed text came from, from the start of the first part to the end of the last.
    pub fn origin(&self, range: Range<usize>) -> Range<usize> {
        self.origin_near(range, &mut 0)
    }

    /// See `origin`. `run` is a guess of the run in which the stretch begins, and becomes that run: for stretches in
    /// their order, none costs a search.
    pub fn origin_near(&self, range: Range<usize>, run: &mut usize) -> Range<usize> {
        *run = self.run_near(range.start, *run);
        let Some(first) = self.runs.get(*run) else {
            let end = self.runs.last().map_or(0, |run| run.from.end);
            return end..end;
        };
        let start = first.start_of(range.start);
        if range.is_empty() {
            return start..start;
        }
        let last = self.runs.get(self.run_near(range.end - 1, *run)).unwrap_or(first);
        // Where text was put in beside a character, the part before may reach farther than the one behind.
        let end = last.end_of(range.end).max(first.end_of(range.end.min(first.end)));
        start..end.max(start)
    }

    /// How many bytes of the changed text, from its start on, came from before a place of the source. For a stretch that
    /// took the place of another, `decides` says which place of that counts.
    pub fn n_bytes_from(&self, place: usize, decides: impl Fn(Range<usize>) -> usize) -> usize {
        let mut n_bytes = 0;
        for run in &self.runs {
            match run.is_copy {
                true => n_bytes = run.end - run.from.end.saturating_sub(place).min(run.from.len()),
                false if decides(run.from.clone()) < place => n_bytes = run.end,
                false => {}
            }
            if n_bytes < run.end {
                break;
            }
        }
        n_bytes
    }

    /// This alignment and that of a later change to the changed text, as one.
    #[must_use]
    pub fn then(&self, later: &Self) -> Self {
        let (mut joined, mut start) = (Self::default(), 0);
        for run in &later.runs {
            let n_bytes = run.end - start;
            start = run.end;
            if run.is_copy {
                self.copy_into(&mut joined, run.from.clone());
            } else {
                joined.replace(self.origin(run.from.clone()), n_bytes);
            }
        }
        joined
    }

    /// Appends the runs of a stretch of the changed text.
    fn copy_into(&self, joined: &mut Self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let Some(run) = self.runs.get(self.run_at(at)) else { return };
            let end = run.end.min(range.end);
            match run.is_copy {
                true => joined.copy(self.origin(at..end)),
                false => joined.replace(run.from.clone(), end - at),
            }
            at = end;
        }
    }

    /// The run that holds a byte of the changed text.
    fn run_at(&self, at: usize) -> usize {
        self.runs.partition_point(|run| run.end <= at)
    }

    /// The run that holds a byte, looked for from a guess onwards.
    fn run_near(&self, at: usize, guess: usize) -> usize {
        let begins_before = guess == 0 || self.runs.get(guess - 1).is_some_and(|run| run.end <= at);
        let near = self.runs.get(guess..).unwrap_or_default().iter().take(NEAR_RUNS);
        let found = near.take_while(|run| run.end <= at).count();
        if begins_before && found < NEAR_RUNS { guess + found } else { self.run_at(at) }
    }
}

impl Run {
    /// The place in the source where what begins at a byte of the run came from.
    fn start_of(&self, at: usize) -> usize {
        if self.is_copy { self.from.end - (self.end - at) } else { self.from.start }
    }

    /// The place in the source where what ends behind a byte of the run came from.
    fn end_of(&self, at: usize) -> usize {
        if self.is_copy { self.from.end - (self.end - at) } else { self.from.end }
    }
}
