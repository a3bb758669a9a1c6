//! Texts to ids with BPE-dropout. See [`bpe::dropout`](crate::bpe::dropout) for what is left out, and by which dice.

use std::ops::Range;

use crate::batch::Batch;
use crate::bpe::dropout::{Dropout, TextDropout};
use crate::driver::Sink;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::pipeline::Pipeline;
use crate::search::Hit;
use crate::specials::Policy;
use crate::{Tick, parallel};

/// Neighbouring texts of about so many bytes are one unit of work.
const UNIT_BYTES: usize = 64 << 10;

/// Pieces between two ticks.
const TICK_PIECES: usize = 1 << 12;

impl Pipeline {
    /// Appends the ids of a text in which merges are left out. Special tokens are found as ever; no cache is asked.
    pub fn encode_with_dropout(
        &self,
        text: &[u8],
        policy: &Policy,
        dropout: Dropout,
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let mut sink = DropoutSink { model: self.model(), dropout: dropout.of_text(text), ids };
        self.cuts(policy).run(text, 0, true, &mut sink, tick).map(|_| ())
    }

    /// The ids of many texts, each as by `encode_with_dropout`, on up to `n_threads` threads.
    pub fn encode_batch_with_dropout(
        &self,
        texts: &[&[u8]],
        policy: &Policy,
        dropout: Dropout,
        n_threads: usize,
        tick: Tick<'_>,
    ) -> Result<Batch> {
        let units = parallel::group(texts.iter().map(|text| text.len()), UNIT_BYTES);
        let work = |unit: &Range<usize>, tick: Tick<'_>| {
            let mut part = Batch::default();
            for document in unit.clone() {
                let done = self.encode_with_dropout(texts[document], policy, dropout, &mut part.ids, tick);
                done.map_err(|fault| fault.in_document(document))?;
                part.ends.push(part.ids.len());
            }
            Ok(part)
        };
        let mut batch = Batch::default();
        for part in parallel::map(&units, n_threads, work, tick)? {
            let base = batch.ids.len();
            batch.ends.extend(part.ends.iter().map(|end| base + end));
            batch.ids.extend(part.ids);
        }
        Ok(batch)
    }
}

/// Encodes each piece by itself.
struct DropoutSink<'a> {
    model: &'a Encoder,
    dropout: TextDropout,
    ids: &'a mut Vec<u32>,
}

impl Sink for DropoutSink<'_> {
    fn pieces(&mut self, text: &[u8], start: usize, ends: &[usize], tick: Tick<'_>) -> Result<()> {
        let starts = std::iter::once(&start).chain(ends);
        for (number, (start, end)) in starts.zip(ends).enumerate() {
            self.dropout.encode(self.model, &text[*start..*end], self.ids, tick)?;
            if number % TICK_PIECES == TICK_PIECES - 1 {
                tick(0)?;
            }
        }
        Ok(())
    }

    fn added(&mut self, _text: &[u8], hit: Hit) {
        self.ids.push(hit.id);
    }
}
