//! Characters that are not ASCII, in masks.

use super::{BLOCK_BYTES, Masker, Masks};
use crate::scan::classes::{self, Class};

/// What a family tells apart, as places in the sets that are filled.
#[derive(Clone, Copy, Debug)]
pub struct Groups(pub(super) [usize; 11]);

const LETTER: usize = 0;
const NUMBER: usize = 1;
const WHITE: usize = 2;
/// Everything else is found by what it is not.
const OTHER: usize = 3;

/// Letters, numbers, white and everything else.
pub(super) const PLAIN: Groups = {
    let mut groups = [OTHER; 11];
    groups[Class::UppercaseLetter as usize] = LETTER;
    groups[Class::LowercaseLetter as usize] = LETTER;
    groups[Class::TitlecaseLetter as usize] = LETTER;
    groups[Class::ModifierLetter as usize] = LETTER;
    groups[Class::OtherLetter as usize] = LETTER;
    groups[Class::Number as usize] = NUMBER;
    groups[Class::White as usize] = WHITE;
    Groups(groups)
};

/// Adds the characters of the block that are not ASCII to its masks. `text` begins where the block does.
#[inline(always)]
pub(super) fn add<M: Masker>(masker: M, groups: &Groups, block: &[u8; BLOCK_BYTES], text: &[u8], masks: &mut Masks) {
    let (two, three) = masker.letters(block);
    let mut sets = [0; 4];
    let mut inner = (two | three | three << 1) << 1;
    sets[LETTER] = two | three | inner;
    let mut left = masks.wide & !sets[LETTER];
    while left != 0 {
        let place = left.trailing_zeros();
        let (class, length) = classes::class_at(text, place as usize);
        let bytes = !(!0 << length) << place;
        inner |= bytes & (bytes << 1);
        sets[groups.0[class as usize]] |= bytes;
        left &= !bytes;
    }
    masks.inner = inner;
    masks.letter |= sets[LETTER];
    masks.number |= sets[NUMBER];
    masks.white |= sets[WHITE];
}
