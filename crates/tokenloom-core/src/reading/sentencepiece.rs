//! The pieces of a SentencePiece model file, in one walk over the wire format of Protocol Buffers.
//!
//! A file is fields one after the other; each field 1 is a piece, which has its text as field 1, a float as field 2 and
//! its type as field 3. What stands beside the pieces is for others to read.

use super::Tokens;
use crate::vocab::{ID_LIMIT, Vocabulary};

/// What a piece begins with: field 1, as bytes with a length.
const PIECE: u8 = 1 << 3 | 2;
/// The type of pieces that are not written with one.
const NORMAL: u8 = 1;
/// The type of control symbols, which the model does not make.
const CONTROL: u8 = 3;
/// The highest type that is known.
const LAST_TYPE: u64 = 6;

/// The pieces of a file.
#[derive(Debug)]
pub struct Pieces {
    /// All pieces but control symbols, whose ids have no token.
    pub tokens: Tokens,
    /// The score of each.
    pub scores: Vec<f64>,
    /// Type, id and text of those that are not normal.
    pub others: Vec<(u8, u32, String)>,
    /// Where the file goes on behind them.
    pub end: usize,
}

/// A piece as it stands in the file.
struct Piece<'a> {
    text: &'a [u8],
    score: f32,
    kind: u8,
}

/// Reads the pieces of a file, all of which stand at its beginning.
pub fn read(data: &[u8]) -> Option<Pieces> {
    let mut tokens = Tokens::with_capacity(data.len());
    let (mut scores, mut others) = (Vec::new(), Vec::new());
    // Control symbols are among these, so that a piece that is there twice is found.
    let (mut arena, mut offsets) = (Vec::with_capacity(data.len()), vec![0]);
    let mut fields = Fields { rest: data };
    while fields.rest.first() == Some(&PIECE) {
        let Some((_, Value::Bytes(message))) = fields.next_field()? else { return None };
        let piece = read_piece(message)?;
        let id = u32::try_from(scores.len()).ok().filter(|id| (*id as usize) < ID_LIMIT)?;
        arena.extend_from_slice(piece.text);
        offsets.push(u32::try_from(arena.len()).ok()?);
        if piece.kind != NORMAL {
            others.push((piece.kind, id, str::from_utf8(piece.text).ok()?.to_owned()));
        }
        if piece.kind != CONTROL {
            tokens.arena.extend_from_slice(piece.text);
        }
        tokens.offsets.push(u32::try_from(tokens.arena.len()).ok()?);
        scores.push(f64::from(piece.score));
    }
    let end = data.len() - fields.rest.len();
    while let Some((number, _)) = fields.next_field()? {
        if number == u64::from(PIECE >> 3) {
            return None;
        }
    }
    let is_text = str::from_utf8(&arena).is_ok();
    (is_text && Vocabulary::of_parts(arena, offsets).is_ok()).then_some(Pieces { tokens, scores, others, end })
}

/// A piece with a text that begins like one in UTF-8; that it is such a text is for the caller to look at.
fn read_piece(message: &[u8]) -> Option<Piece<'_>> {
    let mut piece = Piece { text: &[], score: 0.0, kind: NORMAL };
    let mut fields = Fields { rest: message };
    while let Some((number, value)) = fields.next_field()? {
        match (number, value) {
            (1, Value::Bytes(text)) => piece.text = text,
            (2, Value::Four(bits)) => piece.score = Some(f32::from_le_bytes(bits)).filter(|score| score.is_finite())?,
            (3, Value::Number(kind @ 1..=LAST_TYPE)) => piece.kind = kind as u8,
            _ => return None,
        }
    }
    // Texts that are joined could be UTF-8 together where they are not one by one.
    let begins = |byte: &u8| (*byte as i8) >= -0x40;
    piece.text.first().filter(|byte| begins(byte))?;
    Some(piece)
}

/// The value of a field.
enum Value<'a> {
    Number(u64),
    Eight,
    Bytes(&'a [u8]),
    Four([u8; 4]),
}

/// The fields of a message.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Number and value of the next field; `Some(None)` at the end, None for a fault.
    #[expect(clippy::option_option, reason = "a fault, the end, or a field")]
    fn next_field(&mut self) -> Option<Option<(u64, Value<'a>)>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        let key = self.number()?;
        let number = key >> 3;
        let value = match key & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Eight)?,
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Four(*self.take(4)?.first_chunk()?),
            _ => return None,
        };
        (1..1 << 29).contains(&number).then_some(Some((number, value)))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// A number of at most 64 bits, in bytes of seven.
    #[inline]
    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            if shift == 63 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}
