//! Chains of pretokenizers. That they cut as `tokenizers` does is held in Python, on generated chains.
#![allow(clippy::unwrap_used, missing_docs)]

use tokenloom_core::alignment::Alignment;
use tokenloom_core::chain::{Chain, ChainInput, ChainOutput, ChainStep};
use tokenloom_core::error::Error;

fn chain(steps: &str, unmaps: bool) -> Chain {
    let steps: Vec<ChainStep> = serde_json::from_str(steps).unwrap();
    Chain::new(&steps, unmaps).unwrap()
}

fn run(chain: &Chain, text: &[u8]) -> ChainOutput {
    chain.run(ChainInput { text, n_first_bytes: 1 }, true, &mut |_| Ok(())).unwrap()
}

fn pieces(output: &ChainOutput) -> Vec<String> {
    let starts = std::iter::once(&0).chain(&output.ends);
    let piece = |(start, end): (&usize, &usize)| String::from_utf8_lossy(&output.text[*start..*end]).into_owned();
    starts.zip(&output.ends).map(piece).collect()
}

const FALCON: &str = r#"[{"type":"punctuation","behavior":"contiguous"},{"type":"byte_level"},{"type":"digits"},
    {"type":"split","pattern":"[0-9][0-9][0-9]","behavior":"isolated"}]"#;

/// PT-12.
#[test]
fn each_step_works_on_the_pieces_of_the_one_before_it() {
    let output = run(&chain(FALCON, false), b"ab!? 1234567x it's");
    assert_eq!(pieces(&output), ["ab", "!?", "\u{120}", "123", "456", "7", "x", "\u{120}it", "'", "s"]);
    let steps = [0, 0, 2, 3, 3, 3, 1, 1, 0, 0].map(Some);
    assert_eq!(output.steps, steps);
}

#[test]
fn characters_become_bytes_again_for_a_model_of_bytes() {
    let output = run(&chain(FALCON, true), "\u{E9} 12\u{FFFD}".as_bytes());
    assert_eq!(output.text, "\u{E9} 12\u{FFFD}".as_bytes());
    assert_eq!(output.alignment.unwrap(), copied(output.text.len()));
    let damaged = run(&chain(FALCON, true), b"a\xFF\xC3 1");
    assert_eq!(damaged.text, b"a\xFF\xC3 1");
}

fn copied(n_bytes: usize) -> Alignment {
    let mut alignment = Alignment::default();
    alignment.copy(0..n_bytes);
    alignment
}

#[test]
fn what_is_put_in_comes_from_the_first_character() {
    let metaspace = r#"[{"type":"whitespace_split"},{"type":"metaspace","replacement":"_","prepend_scheme":"always"}]"#;
    let output = run(&chain(metaspace, false), "\u{E9}a  bc".as_bytes());
    assert_eq!(pieces(&output), ["_\u{E9}a", "_bc"]);
    let alignment = output.alignment.unwrap();
    assert_eq!(alignment.origin(0..1), 0..2);
    assert_eq!(alignment.origin(1..4), 0..3);
    assert_eq!(alignment.origin(4..7), 5..7);
    assert_eq!(alignment.origin(4..5), 5..6);
}

#[test]
fn the_first_piece_alone_gets_a_mark_by_that_scheme() {
    let first =
        r#"[{"type":"digits","individual":true},{"type":"metaspace","replacement":"_","prepend_scheme":"first"}]"#;
    assert_eq!(pieces(&run(&chain(first, false), b"1 2")), ["_1", "_", "2"]);
    let behind = ChainInput { text: b"1 2", n_first_bytes: 0 };
    assert_eq!(chain(first, false).run(behind, false, &mut |_| Ok(())).unwrap().text, b"1_2");
}

#[test]
fn removed_pieces_are_gone() {
    let gone = r#"[{"type":"split","text":"a","behavior":"removed"}]"#;
    assert_eq!(run(&chain(gone, true), b"aaa"), ChainOutput { alignment: Some(copied(0)), ..ChainOutput::default() });
    let output = run(&chain(gone, true), b"abac");
    assert_eq!((pieces(&output), output.alignment.unwrap().origin(1..2)), (vec!["b".into(), "c".into()], 3..4));
}

/// More pieces than a batch holds, on both ways through a chain.
#[test]
fn batches_leave_no_trace() {
    let chain = chain(FALCON, true);
    let text = "ab!? 1234567x it's \u{E9} ".repeat(4000).into_bytes();
    let output = run(&chain, &text);
    assert_eq!(output.text, text);
    assert_eq!(output.alignment.clone().unwrap(), copied(text.len()));
    let (mut ends, mut joined) = (Vec::new(), Vec::new());
    let take = |text: &[u8], start: usize, batch: &[usize], _: &mut dyn FnMut(u64) -> Result<(), Error>| {
        let before = joined.len();
        ends.extend(batch.iter().map(|end| before + end - start));
        joined.extend_from_slice(&text[start..*batch.last().unwrap()]);
        Ok(())
    };
    chain.pieces(ChainInput { text: &text, n_first_bytes: 1 }, take, &mut |_| Ok(())).unwrap();
    assert_eq!((ends, joined), (output.ends, output.text));
}

#[test]
fn a_mark_that_stands_for_no_byte_is_refused_behind_bytes() {
    let steps = r#"[{"type":"byte_level"},{"type":"metaspace","replacement":"\u2581","prepend_scheme":"never"}]"#;
    let steps: Vec<ChainStep> = serde_json::from_str(steps).unwrap();
    assert!(matches!(Chain::new(&steps, true), Err(Error::SpecJson { .. })));
    assert!(Chain::new(&steps, false).is_ok());
}

#[test]
fn a_step_that_cannot_be_is_refused() {
    for json in [
        r#"{"type":"digits","individual":false}"#,
        r#"{"type":"byte_level","use_regex":true}"#,
        r#"{"type":"punctuation"}"#,
        r#"{"type":"metaspace","replacement":"ab","prepend_scheme":"never"}"#,
        r#"{"type":"unicode_scripts"}"#,
        r#"{"type":"bert","x":1}"#,
    ] {
        assert!(serde_json::from_str::<ChainStep>(json).is_err(), "{json}");
    }
    let both = r#"{"type":"split","pattern":"a","text":"a","behavior":"removed"}"#;
    let both: ChainStep = serde_json::from_str(both).unwrap();
    assert!(matches!(Chain::new(&[both], true), Err(Error::SpecJson { .. })));
}

/// A pattern that takes too many steps in a piece: the error has the place.
#[test]
fn a_pattern_that_gives_up_says_where() {
    let steps = r#"[{"type":"whitespace_split"},{"type":"split","pattern":"x|(?:a|aa)+(?=b)","behavior":"isolated"}]"#;
    let text = ["xx ", &"a".repeat(100)].concat();
    let fault = chain(steps, true).run(ChainInput { text: text.as_bytes(), n_first_bytes: 1 }, false, &mut |_| Ok(()));
    assert_eq!(fault, Err(Error::PatternLimit { byte_offset: 3 }));
}

#[test]
fn a_cut_is_safe_where_the_first_step_cuts_whatever_stands_around() {
    let cases: [(&str, &str, &[usize]); 7] = [
        (r#"[{"type":"whitespace_split"},{"type":"digits"}]"#, "ab  c", &[2, 3, 4]),
        (r#"[{"type":"digits","individual":true}]"#, "a12b", &[1, 2, 3]),
        (r#"[{"type":"digits"}]"#, "a12b", &[1, 3]),
        (r#"[{"type":"punctuation","behavior":"merged_with_previous"}]"#, "a!?b", &[2, 3]),
        (r#"[{"type":"punctuation","behavior":"merged_with_next"}]"#, "a!?b", &[1, 2]),
        (r#"[{"type":"metaspace","replacement":"_","prepend_scheme":"always"}]"#, "a b_c", &[1, 3]),
        (r#"[{"type":"split","pattern":"b","behavior":"isolated"}]"#, "abc", &[]),
    ];
    for (steps, text, expected) in cases {
        let chain = chain(steps, false);
        let safe: Vec<_> = (0..=text.len()).filter(|at| chain.is_safe_cut(text.as_bytes(), *at)).collect();
        assert_eq!(safe, expected, "{steps}");
        for at in safe {
            let first = |text: &str, n_first_bytes| {
                chain.run(ChainInput { text: text.as_bytes(), n_first_bytes }, true, &mut |_| Ok(())).unwrap()
            };
            let halves = [pieces(&first(&text[..at], 1)), pieces(&first(&text[at..], 0))].concat();
            assert_eq!(halves, pieces(&first(text, 1)), "{steps} at {at}");
        }
    }
}
