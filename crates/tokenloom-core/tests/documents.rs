//! Documents gathered from blocks are cut into parts that tile them.
#![allow(missing_docs, clippy::unwrap_used)]

use tokenloom_core::documents::{Documents, Part, UNIT_BYTES};
use tokenloom_core::driver::Cuts;
use tokenloom_core::scan::Scanner;
use tokenloom_core::spec::AddedToken;
use tokenloom_core::specials::{Policy, SpecialText, Specials};

fn policy(contents: &[&str]) -> Policy {
    let token = |(id, content): (u32, &&str)| AddedToken::special((*content).to_owned(), id);
    Specials::new((0..).zip(contents).map(token).collect(), SpecialText::Parse, <[u8]>::to_vec).unwrap().into_default()
}

fn parts(documents: &Documents, policy: &Policy) -> Vec<Part> {
    documents.parts(Cuts { scanner: &Scanner::Gpt2, policy, layers: None, model: None })
}

#[test]
fn every_document_has_a_part_even_if_it_is_empty() {
    let mut documents = Documents::new(0);
    for text in ["one", "", "two two"] {
        documents.push(text.as_bytes());
        documents.end();
    }
    documents.push(b"");
    let found = parts(&documents, &policy(&[]));
    let places: Vec<_> = found.iter().map(|part| (part.document, part.start, part.end, part.closed)).collect();
    assert_eq!(places, [(0, 0, 3, true), (1, 3, 3, true), (2, 3, 10, true), (3, 10, 10, false)]);
    assert!(found.iter().all(|part| part.is_last && part.document_start == part.start));
}

#[test]
fn parts_of_a_large_document_tile_it_and_only_the_last_is_open() {
    let mut documents = Documents::new(0);
    let text = b"word ".repeat(UNIT_BYTES);
    documents.push(b"before");
    documents.end();
    documents.push(&text);
    let found = parts(&documents, &policy(&[]));
    assert_eq!(found.len(), 1 + text.len() / UNIT_BYTES);
    assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].closed));
    let inner = &found[1..found.len() - 1];
    assert!(inner.iter().all(|part| part.document_start == 6 && documents.text()[part.end] == b' ' && !part.is_last));
    assert_eq!(found.last().map(|part| (part.end, part.closed, part.is_last)), Some((text.len() + 6, false, true)));
}

#[test]
fn no_cut_is_inside_a_special_token() {
    let mut documents = Documents::new(0);
    documents.push(&b"abc d ".repeat(UNIT_BYTES));
    documents.end();
    for (special, before) in [("c d", b'd'), ("d a", b'c')] {
        let found = parts(&documents, &policy(&[special]));
        let mut cuts = found.windows(2).map(|pair| documents.text()[pair[0].end - 1]);
        assert!(cuts.all(|byte| byte == before), "{special}");
    }
}

#[test]
fn a_special_token_that_ends_at_a_place_hides_none_that_lies_over_it() {
    let policy = policy(&["ab", "b c", "x y z"]);
    assert!(policy.may_span(b"ab cd", 2));
    assert!(!policy.may_span(b"ab d", 2));
    assert!(policy.may_span(b"x y z", 1) && policy.may_span(b"x y z", 4));
    assert!(!policy.may_span(b"x y z", 0) && !policy.may_span(b"x y z", 5));
}

#[test]
fn what_is_left_must_double_before_it_is_worth_a_look() {
    let mut documents = Documents::new(10);
    assert_eq!(documents.missing_bytes(), 10);
    documents.push(&[b'x'; 100]);
    assert_eq!(documents.missing_bytes(), 0);
    documents.take(20);
    assert_eq!((documents.missing_bytes(), documents.offset(), documents.is_open()), (80, 20, true));
    documents.take(79);
    assert_eq!((documents.missing_bytes(), documents.offset()), (9, 99));
}
