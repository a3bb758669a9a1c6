//! Alignments by hand.
#![allow(missing_docs)]

use tokenloom_core::alignment::Alignment;

/// "xABy" from "xcy", where "AB" took the place of "c", behind a ">" that was put in.
fn example() -> Alignment {
    let mut alignment = Alignment::default();
    alignment.replace(0..0, 1);
    alignment.copy(0..1);
    alignment.replace(1..2, 2);
    alignment.copy(2..3);
    alignment
}

#[test]
fn a_stretch_came_from_all_that_its_parts_came_from() {
    let alignment = example();
    assert_eq!(alignment.len(), 5);
    assert_eq!(alignment.origin(0..1), 0..0);
    assert_eq!(alignment.origin(0..2), 0..1);
    assert_eq!(alignment.origin(2..3), 1..2);
    assert_eq!(alignment.origin(3..5), 1..3);
    assert_eq!(alignment.origin(5..5), 3..3);
}

#[test]
fn alignments_of_steps_that_follow_one_another_are_one() {
    // ">xABy" to "xAB-y": the first byte is dropped, one is put in.
    let mut later = Alignment::default();
    later.copy(1..4);
    later.replace(4..4, 1);
    later.copy(4..5);
    let joined = example().then(&later);
    assert_eq!(joined.len(), 5);
    assert_eq!(joined.origin(0..1), 0..1);
    assert_eq!(joined.origin(1..3), 1..2);
    assert_eq!(joined.origin(3..4), 2..2);
    assert_eq!(joined.origin(4..5), 2..3);
}
