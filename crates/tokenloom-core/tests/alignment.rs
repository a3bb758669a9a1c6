//! Alignments by hand, and generated ones against a list of where each byte came from.
#![allow(missing_docs)]

use std::ops::Range;

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

/// A small generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// A change of a text of `n_bytes`, as an alignment, and as what each byte of the changed text came from.
fn change(n_bytes: usize, numbers: &mut Numbers) -> (Alignment, Vec<Range<usize>>) {
    let (mut alignment, mut origins, mut at) = (Alignment::default(), Vec::new(), 0);
    while at < n_bytes {
        let end = n_bytes.min(at + 1 + numbers.below(3));
        match numbers.below(4) {
            0 => {}
            1 => {
                let n_new = numbers.below(4);
                alignment.replace(at..end, n_new);
                origins.extend((0..n_new).map(|_| at..end));
            }
            _ => {
                alignment.copy(at..end);
                origins.extend((at..end).map(|at| at..at + 1));
            }
        }
        at = end;
    }
    (alignment, origins)
}

/// From the first byte that any of a stretch came from to the last.
fn hull(origins: &[Range<usize>]) -> Range<usize> {
    let start = origins.iter().map(|range| range.start).min().unwrap_or_default();
    start..origins.iter().map(|range| range.end).max().unwrap_or_default()
}

fn assert_same(alignment: &Alignment, origins: &[Range<usize>]) {
    assert_eq!(alignment.len(), origins.len());
    let mut run = 0;
    for start in 0..origins.len() {
        for end in start + 1..=origins.len() {
            assert_eq!(alignment.origin(start..end), hull(&origins[start..end]), "{alignment:?}, {start}..{end}");
            assert_eq!(alignment.origin_near(start..end, &mut run), hull(&origins[start..end]), "from a guess");
        }
    }
}

#[test]
fn every_stretch_came_from_all_that_its_bytes_came_from() {
    let mut numbers = Numbers(1);
    for _ in 0..300 {
        let n_bytes = numbers.below(40);
        let (alignment, origins) = change(n_bytes, &mut numbers);
        assert_same(&alignment, &origins);
    }
}

#[test]
fn joined_alignments_lead_from_the_last_text_to_the_first() {
    let mut numbers = Numbers(2);
    for _ in 0..300 {
        let n_bytes = numbers.below(40);
        let (first, by_first) = change(n_bytes, &mut numbers);
        let (second, by_second) = change(first.len(), &mut numbers);
        let (third, by_third) = change(second.len(), &mut numbers);
        let through = |origins: &[Range<usize>], by: &[Range<usize>]| -> Vec<_> {
            by.iter().map(|range| hull(&origins[range.clone()])).collect()
        };
        let joined = first.then(&second).then(&third);
        assert_same(&joined, &through(&through(&by_first, &by_second), &by_third));
        assert_same(&first.then(&second.then(&third)), &through(&through(&by_first, &by_second), &by_third));
    }
}
