//! A piece of a few bytes as one integer: what tables of pieces are asked by.

/// Longest piece that has a key: its bytes and its length fill 16 bytes.
pub const KEY_BYTES: usize = 15;

/// Set beside the length in the key of a part of a longer piece.
const PART: u128 = 1 << 127;

/// Longest piece whose key fits twelve bytes.
pub const SHORT_BYTES: usize = 11;

/// Pieces of so many bytes come often enough to be looked up whole: one or two characters of most scripts.
const FEW_BYTES: usize = 6;

/// In place of the bytes and the length of a piece that is not short.
const LONG: u32 = u32::MAX;

/// `PART` in the byte of the length.
const PART_MARK: u8 = 0x80;

/// Marks of the halves of longer keys, beside the length.
const FIRST_HALF: u32 = 0x40;
const SECOND_HALF: u32 = 0x20;

/// The bytes that belong to a key, by their number.
const MASKS: [u128; KEY_BYTES + 1] = {
    let mut masks = [0; KEY_BYTES + 1];
    let mut length = 1;
    while length <= KEY_BYTES {
        masks[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    masks
};

/// What makes a short key of the bytes of a piece, by its length.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Row {
    /// What belongs to the piece.
    low: u64,
    high: u32,
    /// The length, or `LONG`.
    tag: u32,
    /// Of more than `FEW_BYTES` the bits that say that one of the first two is not ASCII.
    outside_ascii: u64,
}

/// For each length, and at last for all above them.
const SHORT_ROWS: [Row; SHORT_BYTES + 2] = {
    let long = Row { low: u64::MAX, high: 0, tag: LONG, outside_ascii: 0x8080 };
    let mut rows = [long; SHORT_BYTES + 2];
    let mut length = 0;
    while length <= SHORT_BYTES {
        rows[length].low = MASKS[length] as u64;
        rows[length].high = (MASKS[length] >> 64) as u32;
        rows[length].tag = (length as u32) << ShortKey::TAG;
        if length <= FEW_BYTES {
            rows[length].outside_ascii = 0;
        }
        length += 1;
    }
    rows
};

/// A piece of at most `KEY_BYTES` bytes and its length, in 16 bytes that compare as one integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Key(u128);

impl Key {
    /// No piece.
    pub const NONE: Self = Self(0);

    /// What stands for the key of something that has none: no key of a piece, but a number below 2^32.
    #[inline]
    pub fn keyless(number: usize) -> Self {
        Self(u128::MAX << 32 | number as u128)
    }

    /// The number of something without a key.
    #[inline(always)]
    pub fn number(self) -> Option<usize> {
        (self.0 >> 64 == u128::MAX >> 64).then_some(self.0 as u32 as usize)
    }

    /// The key of `text[start..end]`; None if the piece is too long.
    #[inline(always)]
    pub fn new(text: &[u8], start: usize, end: usize) -> Option<Self> {
        let length = end - start;
        let mask = *MASKS.get(length)?;
        let bits = match text.get(start..).and_then(|rest| rest.first_chunk()) {
            // Sixteen bytes at once and the foreign ones masked away: cheaper than a copy of unknown length.
            Some(window) => u128::from_le_bytes(*window) & mask,
            None => at_the_end(&text[start..end]),
        };
        Some(Self(bits | (length as u128) << (8 * KEY_BYTES)))
    }

    /// The key of these bytes as a part of a longer piece.
    #[inline]
    pub fn of_part(self) -> Self {
        Self(self.0 | PART)
    }

    /// The key as bytes: the piece, zeros, and its length.
    #[inline]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The key as one integer.
    #[inline(always)]
    pub fn bits(self) -> u128 {
        self.0
    }

    /// The key in twelve bytes, if the piece has at most `SHORT_BYTES` of them.
    #[inline(always)]
    pub fn short(self) -> Option<ShortKey> {
        let is_short = (self.0 >> (8 * KEY_BYTES)) as u8 & !PART_MARK <= SHORT_BYTES as u8;
        is_short.then(|| self.first_half(0))
    }

    /// The key of a longer piece in two halves, which no short piece has.
    #[inline]
    pub fn halves(self) -> [ShortKey; 2] {
        let rest = (self.0 >> (8 * SHORT_BYTES)) as u32;
        [self.first_half(FIRST_HALF), ShortKey { low: u64::from(rest), high: SECOND_HALF << ShortKey::TAG }]
    }

    /// The first bytes of the piece with the length and a mark behind them.
    #[inline(always)]
    fn first_half(self, mark: u32) -> ShortKey {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        ShortKey { low, high: high as u32 & ShortKey::BYTES | ((high >> 56) as u32 | mark) << ShortKey::TAG }
    }
}

/// The key of a short piece in twelve bytes, or half of a longer one. That of no piece is `default`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ShortKey {
    /// Eight bytes of the piece.
    pub low: u64,
    /// Three more, and above them the length with marks.
    pub high: u32,
}

impl ShortKey {
    /// Where the length stands.
    const TAG: u32 = 24;
    /// What is bytes of the piece.
    const BYTES: u32 = u32::MAX >> (32 - Self::TAG);

    /// The key of `text[start..end]`, or one that says that it is not short and is the key of no piece. And whether the piece is
    /// odd: it begins outside ASCII, perhaps behind a blank, and has more than `FEW_BYTES`.
    #[inline(always)]
    pub fn of_text(text: &[u8], start: usize, end: usize) -> (Self, bool) {
        let row = &SHORT_ROWS[(end - start).min(SHORT_BYTES + 1)];
        let bits = match text.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(window) => u128::from_le_bytes(*window),
            None => at_the_end(&text[start..end.min(start + SHORT_BYTES)]),
        };
        let low = bits as u64 & row.low;
        (Self { low, high: (bits >> 64) as u32 & row.high | row.tag }, low & row.outside_ascii > 0)
    }

    /// The key of these bytes as a part of a longer piece.
    #[inline(always)]
    pub fn of_part(self) -> Self {
        Self { low: self.low, high: self.high | u32::from(PART_MARK) << Self::TAG }
    }

    /// Whether it is the key of a part.
    #[inline]
    pub fn is_part(self) -> bool {
        self.high >> Self::TAG & u32::from(PART_MARK) > 0
    }

    /// Whether it is this one, told without a branch.
    #[inline(always)]
    pub fn equals(self, other: Self) -> bool {
        (self.low ^ other.low) | u64::from(self.high ^ other.high) == 0
    }

    /// Whether it stands for a piece that is not short.
    #[inline(always)]
    pub fn is_long(self) -> bool {
        self.high == LONG
    }

    /// The key as one integer.
    #[inline(always)]
    pub fn bits(self) -> u128 {
        u128::from(self.low) | u128::from(self.high) << 64
    }

    /// Whether it is the first half of the key of a longer piece.
    #[inline]
    pub fn is_first_half(self) -> bool {
        self.high >> Self::TAG & FIRST_HALF > 0
    }

    /// Whether it is the second half of one.
    #[inline]
    pub fn is_second_half(self) -> bool {
        self.high >> Self::TAG & SECOND_HALF > 0
    }

    /// The key of the short piece, or of the longer one with this second half.
    pub fn whole(self, second: Self) -> Key {
        let tag = u128::from(self.high >> Self::TAG & !FIRST_HALF) << (8 * KEY_BYTES);
        let bytes = u128::from(self.low) | u128::from(self.high & Self::BYTES) << 64;
        Key(bytes | u128::from(second.low) << (8 * SHORT_BYTES) | tag)
    }
}

/// The bytes of a piece with fewer than 16 bytes of text from its start.
#[inline(never)]
fn at_the_end(piece: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..piece.len()].copy_from_slice(piece);
    u128::from_le_bytes(word)
}
