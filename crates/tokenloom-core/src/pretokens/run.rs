//! A run: distinct pretokens as a stream of bytes, ascending by their bytes, which neither writer nor reader ever holds.
//!
//! A record is the length that the pretoken shares with the one before it, the length of the rest, the rest, the count
//! and, if the run has positions, the first position in the text that was counted. All numbers are LEB128: seven bits a
//! byte, the lowest first, the high bit set in all bytes but the last. There is one way to write a run: no number is
//! longer than it must be, and the shared length is all that is shared. So equal counts are equal bytes.

use std::fmt;

use crate::error::{Error, Result};
use crate::wording::literal;

/// Where the bytes of a run go, in chunks.
pub type Write<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// Where the bytes of a run come from: appends those that follow, about as many as asked for, and none at the end.
pub type Read<'a> = Box<dyn FnMut(&mut Vec<u8>, usize) -> Result<()> + Send + 'a>;

/// The bytes that are written together.
pub const WRITTEN_BYTES: usize = 1 << 20;

/// The bytes that are asked for together. A merge holds as many of each run.
const READ_BYTES: usize = 1 << 17;

/// The longest number.
const MOST_VARINT_BYTES: usize = 10;

/// The numbers of a record are no longer than this together.
pub(super) const MOST_NUMBERS_BYTES: usize = MOST_VARINT_BYTES * 4;

/// One distinct pretoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its bytes, one at least.
    pub bytes: &'a [u8],
    /// How often it occurs, once at least.
    pub count: u64,
    /// Where it occurs first; 0 if that is not known.
    pub first: u64,
}

/// What the records of a run are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// The number of records.
    pub n_pretokens: u64,
    /// The bytes of all occurrences.
    pub n_bytes: u128,
    /// The number of occurrences.
    pub n_occurrences: u128,
}

impl Sums {
    /// Adds a record.
    pub fn add(&mut self, record: Record<'_>) {
        self.n_pretokens += 1;
        self.n_bytes += record.bytes.len() as u128 * u128::from(record.count);
        self.n_occurrences += u128::from(record.count);
    }

    /// Adds the sums of other records.
    fn join(&mut self, other: &Self) {
        self.n_pretokens += other.n_pretokens;
        self.n_bytes += other.n_bytes;
        self.n_occurrences += other.n_occurrences;
    }
}

/// Writes a run.
pub struct RunWriter<'a> {
    write: Write<'a>,
    has_positions: bool,
    buffer: Vec<u8>,
    /// The pretoken written last.
    before: Vec<u8>,
    sums: Sums,
}

impl<'a> RunWriter<'a> {
    /// A run without records.
    pub fn new(write: Write<'a>, has_positions: bool) -> Self {
        Self { write, has_positions, buffer: Vec::new(), before: Vec::new(), sums: Sums::default() }
    }

    /// Writes the next record; its pretoken must be greater than that of the last.
    pub fn push(&mut self, record: Record<'_>) -> Result<()> {
        let Record { bytes, count, first } = record;
        debug_assert!(self.before.as_slice() < bytes && count > 0, "a run ascends");
        let shared = shared_bytes(&self.before, bytes);
        self.put_number(shared as u64)?;
        self.put_number((bytes.len() - shared) as u64)?;
        self.put(&bytes[shared..])?;
        self.put_number(count)?;
        if self.has_positions {
            self.put_number(first)?;
        }
        self.before.truncate(shared);
        self.before.extend_from_slice(&bytes[shared..]);
        self.sums.add(record);
        Ok(())
    }

    /// Writes what is left, and returns what the records are together.
    pub fn finish(mut self) -> Result<Sums> {
        self.flush()?;
        Ok(self.sums)
    }

    /// Whether records have first positions.
    pub(super) fn has_positions(&self) -> bool {
        self.has_positions
    }

    /// Writes records as another writer has written them, which followed the last pretoken of this one.
    pub(super) fn put_records(&mut self, records: &[u8], sums: &Sums) -> Result<()> {
        self.sums.join(sums);
        self.put(records)
    }

    /// What is written next follows this pretoken.
    pub(super) fn follow(&mut self, before: Vec<u8>) {
        self.before = before;
    }

    /// The bytes that wait to be written.
    pub(super) fn n_waiting(&self) -> usize {
        self.buffer.len()
    }

    /// The bytes that wait to be written, the last pretoken, and what all records are together.
    pub(super) fn into_waiting(self) -> (Vec<u8>, Vec<u8>, Sums) {
        (self.buffer, self.before, self.sums)
    }

    fn put_number(&mut self, mut number: u64) -> Result<()> {
        let (mut bytes, mut length) = ([0; MOST_VARINT_BYTES], 0);
        while number >= 0x80 {
            bytes[length] = number as u8 | 0x80;
            number >>= 7;
            length += 1;
        }
        bytes[length] = number as u8;
        self.put(&bytes[..=length])
    }

    fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        while self.buffer.len() + bytes.len() >= WRITTEN_BYTES {
            let (now, later) = bytes.split_at(WRITTEN_BYTES - self.buffer.len());
            self.buffer.extend_from_slice(now);
            self.flush()?;
            bytes = later;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            (self.write)(&self.buffer)?;
        }
        self.buffer.clear();
        Ok(())
    }
}

/// How many bytes two pretokens have in common at their beginnings.
fn shared_bytes(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunFault {
    /// The run ends within it.
    Cut,
    /// A number has more bytes than it needs, or more than 64 bits.
    Number,
    /// It shares more bytes with the pretoken before it than that one has.
    Shared {
        /// So many it is said to share.
        n_bytes: u64,
        /// The length of the pretoken before it.
        n_before: usize,
    },
    /// It shares more bytes with the pretoken before it than it says.
    NotShared {
        /// The pretoken.
        pretoken: Vec<u8>,
    },
    /// Its pretoken has no bytes.
    Empty,
    /// Its pretoken is that of the record before it.
    Double {
        /// The pretoken.
        pretoken: Vec<u8>,
    },
    /// Its pretoken should stand before that of the record before it.
    Order {
        /// The pretoken.
        pretoken: Vec<u8>,
    },
    /// Its pretoken occurs nowhere.
    NoCount {
        /// The pretoken.
        pretoken: Vec<u8>,
    },
}

impl fmt::Display for RunFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut => write!(out, "the record ends too early"),
            Self::Number => write!(out, "a number is longer than it must be, or has more than 64 bits"),
            Self::Shared { n_bytes, n_before } => {
                write!(out, "the pretoken is to share {n_bytes} bytes with one that has {n_before}")
            }
            Self::NotShared { pretoken } => {
                write!(out, "pretoken {} shares more with the one before it than is written", literal(pretoken))
            }
            Self::Empty => write!(out, "the pretoken is empty"),
            Self::Double { pretoken } => write!(out, "pretoken {} is there twice", literal(pretoken)),
            Self::Order { pretoken } => {
                write!(out, "pretoken {} should stand before the one that it follows", literal(pretoken))
            }
            Self::NoCount { pretoken } => write!(out, "pretoken {} has the count 0", literal(pretoken)),
        }
    }
}

/// Reads a run. It holds one pretoken; its memory grows with what has arrived, not with what the run says is to come.
pub struct RunReader<'a> {
    read: Read<'a>,
    has_positions: bool,
    buffer: Vec<u8>,
    /// The place in `buffer` of the next byte.
    at: usize,
    /// The place of `buffer[0]` in the run.
    offset: u64,
    /// The place of the record in the run.
    record_at: u64,
    pretoken: Vec<u8>,
    count: u64,
    first: u64,
}

impl<'a> RunReader<'a> {
    /// A reader that is at its first record.
    pub fn new(read: Read<'a>, has_positions: bool) -> Result<Self> {
        let (buffer, pretoken) = (Vec::new(), Vec::new());
        let (at, offset, record_at, count, first) = (0, 0, 0, 0, 0);
        let mut reader = Self { read, has_positions, buffer, at, offset, record_at, pretoken, count, first };
        reader.advance()?;
        Ok(reader)
    }

    /// The record that it is at; None behind the last one.
    #[inline]
    pub fn record(&self) -> Option<Record<'_>> {
        (self.count > 0).then_some(Record { bytes: &self.pretoken, count: self.count, first: self.first })
    }

    /// How many bytes it has read.
    pub fn n_bytes(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Goes to the next record. After an error the reader must not be used again.
    pub fn advance(&mut self) -> Result<()> {
        self.record_at = self.n_bytes();
        if self.at == self.buffer.len() && !self.fill()? {
            self.count = 0;
            return Ok(());
        }
        let shared = self.number()?;
        let length = self.number()?;
        let n_before = self.pretoken.len();
        let shared = match usize::try_from(shared) {
            Ok(shared) if shared <= n_before => shared,
            _ => return Err(self.fault(RunFault::Shared { n_bytes: shared, n_before })),
        };
        self.read_pretoken(shared, length)?;
        self.count = self.number()?;
        if self.count == 0 {
            return Err(self.fault(RunFault::NoCount { pretoken: self.pretoken.clone() }));
        }
        if self.has_positions {
            self.first = self.number()?;
        }
        Ok(())
    }

    /// Replaces the pretoken by the next one, of which `shared` bytes stay.
    fn read_pretoken(&mut self, shared: usize, length: u64) -> Result<()> {
        let next = if length > 0 { self.peek()? } else { None };
        let is_greater = next > self.pretoken.get(shared).copied();
        if !is_greater {
            return self.find_fault(shared, length);
        }
        self.pretoken.truncate(shared);
        let mut pretoken = std::mem::take(&mut self.pretoken);
        self.take(length, &mut pretoken)?;
        self.pretoken = pretoken;
        Ok(())
    }

    /// Says why a pretoken may not follow the one before it.
    #[cold]
    fn find_fault(&mut self, shared: usize, length: u64) -> Result<()> {
        let mut pretoken = self.pretoken[..shared].to_vec();
        self.take(length, &mut pretoken)?;
        Err(self.fault(match pretoken.cmp(&self.pretoken) {
            _ if pretoken.is_empty() => RunFault::Empty,
            std::cmp::Ordering::Less => RunFault::Order { pretoken },
            std::cmp::Ordering::Equal => RunFault::Double { pretoken },
            std::cmp::Ordering::Greater => RunFault::NotShared { pretoken },
        }))
    }

    fn fault(&self, fault: RunFault) -> Error {
        Error::Run { run: None, byte_offset: self.record_at, fault }
    }

    /// Appends so many bytes to `target`, as they arrive.
    fn take(&mut self, n_bytes: u64, target: &mut Vec<u8>) -> Result<()> {
        let mut left = n_bytes;
        while left > 0 {
            if self.peek()?.is_none() {
                return Err(self.fault(RunFault::Cut));
            }
            let here = &self.buffer[self.at..];
            let here = &here[..here.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            target.extend_from_slice(here);
            left -= here.len() as u64;
            self.at += here.len();
        }
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let Some(byte) = self.peek()? else { return Err(self.fault(RunFault::Cut)) };
            self.at += 1;
            let is_last = byte < 0x80;
            // The tenth byte holds the highest of 64 bits, and a last byte of 0 says nothing.
            if (shift == 63 && byte > 1) || (is_last && byte == 0 && shift > 0) {
                return Err(self.fault(RunFault::Number));
            }
            number |= u64::from(byte & 0x7F) << shift;
            if is_last {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// The next byte; None at the end.
    #[inline]
    fn peek(&mut self) -> Result<Option<u8>> {
        if self.at == self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Reads on; false at the end.
    #[cold]
    fn fill(&mut self) -> Result<bool> {
        self.offset += self.at as u64;
        self.at = 0;
        self.buffer.clear();
        (self.read)(&mut self.buffer, READ_BYTES)?;
        Ok(!self.buffer.is_empty())
    }
}
