//! The ways to cut a text into tokens of a unigram model: the best ones, one by chance, and their probability.
//!
//! Pieces are independent of each other, so chance and probabilities need one piece at a time; the best ways are those of
//! the text as a whole. An added token is in all of them, and no probability is counted for it.

use crate::Tick;
use crate::dice::{Dice, text_key};
use crate::driver::Sink;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::search::Hit;
use crate::specials::Policy;
use crate::unigram::Unigram;
use crate::unigram::lattice::Lattice;
use crate::unigram::n_best::Parts;

/// Pieces between two ticks.
const TICK_PIECES: usize = 1 << 12;

/// More than this is no exponent that makes a difference, and could make sums infinite.
const MOST_ALPHA: f64 = 1e6;

/// The exponent of probabilities: 0 makes all ways equal, 1 leaves them, more prefers the best.
#[derive(Clone, Copy, Debug)]
pub struct Alpha(f64);

impl Alpha {
    /// None if it is not from 0 to a million.
    pub fn new(alpha: f64) -> Option<Self> {
        (0.0..=MOST_ALPHA).contains(&alpha).then_some(Self(alpha))
    }
}

impl Pipeline {
    /// The ids and scores of the n best ways to cut a text, best first; see `Unigram::n_best`.
    pub fn encode_n_best(
        &self,
        text: &[u8],
        policy: &Policy,
        n: usize,
        tick: Tick<'_>,
    ) -> Result<Vec<(Vec<u32>, f64)>> {
        let unigram = self.unigram("n-best segmentations")?;
        let mut sink = PartsSink(Parts::default());
        self.cuts(policy).run(text, 0, true, &mut sink, tick)?;
        unigram.n_best(self.vocabulary(), &sink.0, n, tick)
    }

    /// Appends the ids of one way to cut a text, which is drawn.
    pub fn encode_sampled(
        &self,
        text: &[u8],
        policy: &Policy,
        (Alpha(alpha), seed): (Alpha, u64),
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let unigram = self.unigram("sampled segmentations")?;
        let (key, mut n_pieces, ids) = (text_key(seed, text), 0, std::cell::RefCell::new(ids));
        let each = |piece: &[u8], tick: Tick<'_>| {
            let mut dice = Dice::of_piece(key, n_pieces);
            n_pieces += 1;
            let lattice = Lattice::new(unigram, self.vocabulary(), piece, tick)?;
            lattice.draw(alpha, &mut dice, &mut ids.borrow_mut(), tick)
        };
        let mut sink = PieceSink { each, added: |id| ids.borrow_mut().push(id) };
        self.cuts(policy).run(text, 0, true, &mut sink, tick).map(|_| ())
    }

    /// The logarithm of the probability of a text: of all ways to cut it together.
    pub fn log_probability(&self, text: &[u8], policy: &Policy, tick: Tick<'_>) -> Result<f64> {
        self.sum("log_probability", text, policy, |lattice, tick| Ok(lattice.log_sums(1.0, tick)?[0]), tick)
    }

    /// The entropy of the way that `encode_sampled` draws, in nats.
    pub fn segmentation_entropy(
        &self,
        text: &[u8],
        policy: &Policy,
        Alpha(alpha): Alpha,
        tick: Tick<'_>,
    ) -> Result<f64> {
        self.sum("segmentation_entropy", text, policy, |lattice, tick| lattice.entropy(alpha, tick), tick)
    }

    /// The sum of something over all pieces of a text.
    fn sum(
        &self,
        what: &'static str,
        text: &[u8],
        policy: &Policy,
        value: impl Fn(&Lattice<'_>, Tick<'_>) -> Result<f64>,
        tick: Tick<'_>,
    ) -> Result<f64> {
        let (unigram, mut sum) = (self.unigram(what)?, 0.0);
        let each = |piece: &[u8], tick: Tick<'_>| {
            sum += value(&Lattice::new(unigram, self.vocabulary(), piece, tick)?, tick)?;
            Ok(())
        };
        self.cuts(policy).run(text, 0, true, &mut PieceSink { each, added: |_| {} }, tick)?;
        Ok(sum)
    }

    fn unigram(&self, what: &'static str) -> Result<&Unigram> {
        match self.model() {
            Encoder::Unigram(unigram) => Ok(unigram),
            _ => Err(Error::NoProbabilities { what }),
        }
    }
}

/// Keeps all pieces.
struct PartsSink(Parts);

impl Sink for PartsSink {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], _tick: Tick<'_>) -> Result<()> {
        let starts = std::iter::once(&start).chain(ends);
        starts.zip(ends).for_each(|(start, end)| self.0.push_piece(&text[*start..*end]));
        Ok(())
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        self.0.push_added(hit.id);
    }
}

/// Does something with each piece by itself, and with each added token.
struct PieceSink<P, A> {
    each: P,
    added: A,
}

impl<P: FnMut(&[u8], Tick<'_>) -> Result<()>, A: FnMut(u32)> Sink for PieceSink<P, A> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        let starts = std::iter::once(&start).chain(ends);
        for (number, (start, end)) in starts.zip(ends).enumerate() {
            (self.each)(&text[*start..*end], tick)?;
            if number % TICK_PIECES == TICK_PIECES - 1 {
                tick(0)?;
            }
        }
        Ok(())
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        (self.added)(hit.id);
    }
}
