//! Characters that are not ASCII, in masks.

use super::{BLOCK_BYTES, Family, Masker, Masks};
use crate::scan::classes::{self, Class};

/// The masks that a character which is not ASCII can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Letter,
    Number,
    White,
    /// In none: it is known by what it is not.
    Sign,
    Upper,
    Lower,
    Caseless,
    Mark,
    Unnamed,
    Cjk,
    CjkSign,
}

const N_GROUPS: usize = Group::CjkSign as usize + 1;

/// Letters, numbers, white and everything else.
#[inline(always)]
pub(super) const fn plain(class: Class) -> Group {
    match class {
        Class::Number => Group::Number,
        Class::White => Group::White,
        _ if class.is_letter() => Group::Letter,
        _ => Group::Sign,
    }
}

/// Adds the characters of the block that are not ASCII to its masks. `text` begins where the block does.
#[inline(always)]
pub(super) fn add<M: Masker, F: Family>(masker: M, block: &[u8; BLOCK_BYTES], text: &[u8], masks: &mut Masks) {
    let mut sets = [0; N_GROUPS];
    let (two, three) = masker.letters(block);
    let (mut left, mut inner) = (masks.wide, 0);
    let mut take = |firsts: u64, length: u32, group: Group| {
        let rest = (1..length).fold(0, |rest, n| rest | firsts << n);
        sets[group as usize] |= firsts | rest;
        inner |= rest;
        left &= !(firsts | rest);
    };
    take(three, 3, F::IDEOGRAPHS);
    if let Some(group) = F::TWO_BYTE_LETTERS {
        take(two, 2, group);
    }
    while left != 0 {
        let place = left.trailing_zeros();
        let (class, length) = classes::class_at(text, place as usize);
        let bytes = !(!0 << length) << place;
        inner |= bytes & (bytes << 1);
        sets[F::group(class, text, place as usize) as usize] |= bytes;
        left &= !bytes;
    }
    let set = |group: Group| sets[group as usize];
    masks.inner = inner;
    masks.upper |= set(Group::Upper);
    masks.lower |= set(Group::Lower);
    masks.caseless |= set(Group::Caseless);
    masks.letter |= set(Group::Letter);
    masks.number |= set(Group::Number);
    masks.white |= set(Group::White);
    masks.mark |= set(Group::Mark);
    masks.unnamed |= set(Group::Unnamed);
    masks.cjk |= set(Group::Cjk);
    masks.cjk_sign |= set(Group::CjkSign);
}
