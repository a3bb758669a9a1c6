//! The table and the cuts of BERT's pretokenizer in one pass: what comes out are words and signs without blanks.
//!
//! They are written one behind the other, so that they are pieces of one text. There are two loops. In ASCII each byte is
//! looked up once and written whether it counts or not, and so are ends: what decides is how far the next one is written
//! on. There is no branch but for bytes that are no simple ones. All others take the second loop, character by character.

use super::table::{
    APART, ASCII_SIGN, ASCII_WORD, BLANK, NOT_SIMPLE, ODD, SIGN, SYLLABLE, TEXT, Table, WHITE, WORD, kind_of,
    push_letters,
};
use crate::Tick;
use crate::error::Result;
use crate::scan::{BertKind, bert_kind};

/// So much text is cut before its pieces are taken: both stay in the first cache.
const BLOCK_BYTES: usize = 16 << 10;

/// Bytes of ASCII that are looked at together.
const CHUNK: usize = 64;

/// Pieces so far.
#[derive(Default)]
struct Pieces {
    /// The pieces, and the start of one that is open.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Pieces {
    /// Where the last whole piece ends.
    fn end(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Ends a piece that is open.
    #[inline]
    fn close(&mut self) {
        if self.text.len() > self.end() {
            self.ends.push(self.text.len());
        }
    }

    /// Adds a piece.
    #[inline]
    fn add(&mut self, piece: &[u8]) {
        self.close();
        self.go_on(piece);
        self.ends.push(self.text.len());
    }

    /// Goes on with a character or a short text; a copy of unknown length would be a call.
    #[inline]
    fn go_on(&mut self, text: &[u8]) {
        match *text {
            [a, b] => self.text.extend_from_slice(&[a, b]),
            [a, b, c] => self.text.extend_from_slice(&[a, b, c]),
            _ => self.text.extend_from_slice(text),
        }
    }
}

impl Table {
    /// Gives the words and signs of a text in groups: a text, and where each piece in it ends.
    pub(crate) fn pieces(
        &self,
        text: &[u8],
        mut take: impl FnMut(&[u8], &[usize], Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        let (mut pieces, mut at) = (Pieces::default(), 0);
        while at < text.len() {
            let start = at;
            while at < text.len().min(start + BLOCK_BYTES) {
                at += self.cut_ascii(&text[at..text.len().min(start + BLOCK_BYTES)], &mut pieces);
                at = self.cut_others(text, at, start + BLOCK_BYTES, &mut pieces);
            }
            if at == text.len() {
                pieces.close();
            }
            let end = pieces.end();
            if end > 0 {
                take(&pieces.text, &pieces.ends, tick)?;
                pieces.text.drain(..end);
                pieces.ends.clear();
            }
            tick((at - start) as u64)?;
        }
        Ok(())
    }

    /// Cuts simple characters, up to one that is not. Returns their number.
    #[inline]
    fn cut_ascii(&self, text: &[u8], pieces: &mut Pieces) -> usize {
        let (mut written, mut ends) = ([0_u8; CHUNK], [0_usize; CHUNK + 2]);
        let mut n_done = 0;
        let mut is_open = usize::from(pieces.text.len() > pieces.end());
        for chunk in text.chunks(CHUNK) {
            let before = pieces.text.len();
            let (mut n_written, mut n_ends, mut n_read) = (0, 0, 0);
            for byte in chunk {
                let becomes = self.ascii[usize::from(*byte)];
                if becomes & NOT_SIMPLE > 0 {
                    break;
                }
                let is_word = usize::from(becomes & ASCII_WORD > 0);
                let is_sign = usize::from(becomes & ASCII_SIGN > 0);
                ends[n_ends] = before + n_written;
                n_ends += is_open & (is_word ^ 1);
                written[n_written] = becomes as u8;
                n_written += is_word | is_sign;
                ends[n_ends] = before + n_written;
                n_ends += is_sign;
                is_open = is_word;
                n_read += 1;
            }
            pieces.text.extend_from_slice(&written[..n_written]);
            pieces.ends.extend_from_slice(&ends[..n_ends]);
            n_done += n_read;
            if n_read < chunk.len() {
                break;
            }
        }
        n_done
    }

    /// Cuts other characters, up to a simple one or one behind `stop`. Returns where that is.
    fn cut_others(&self, text: &[u8], mut at: usize, stop: usize, pieces: &mut Pieces) -> usize {
        let mut odd = Vec::new();
        while at < text.len().min(stop) && self.ascii[usize::from(text[at])] & NOT_SIMPLE > 0 {
            let (cell, length) = self.at(text, at);
            let character = &text[at..at + length];
            match kind_of(cell) {
                WORD => pieces.go_on(character),
                APART | SIGN => pieces.add(character),
                TEXT => pieces.go_on(self.text(cell)),
                WHITE | BLANK => pieces.close(),
                SYLLABLE => push_letters(text, at, &mut pieces.text),
                ODD => {
                    odd.clear();
                    at = self.push_odd(text, at, &mut odd);
                    cut_odd(&odd, pieces);
                    continue;
                }
                _ => {}
            }
            at += length;
        }
        at
    }
}

/// Cuts a changed text.
fn cut_odd(text: &[u8], pieces: &mut Pieces) {
    let mut at = 0;
    while at < text.len() {
        let (kind, next) = bert_kind(text, at);
        match kind {
            BertKind::Word => pieces.go_on(&text[at..next]),
            BertKind::Sign => pieces.add(&text[at..next]),
            BertKind::Blank => pieces.close(),
        }
        at = next;
    }
}
