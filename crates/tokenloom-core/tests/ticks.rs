//! Long work on one text looks for the caller's wish to stop, in every part of it.
#![allow(missing_docs, clippy::unwrap_used)]

use tokenloom_core::bpe::dropout::Dropout;
use tokenloom_core::error::{Error, Result};
use tokenloom_core::pipeline::Pipeline;
use tokenloom_core::source::{Arrays, Source};
use tokenloom_core::specials::{Policy, SpecialText};

const BYTES: &str = r#"{"type":"bpe","semantics":"merges"}"#;
const CHARACTERS: &str = r#"{"type":"bpe","semantics":"merges","unit":"character","byte_fallback":true}"#;
const REPLACING: &str = r#"[{"type":"replace","text":"a","by":"b"}]"#;

const MIB: usize = 1 << 20;

/// A tokenizer of single bytes, or of two characters.
fn pipeline(model: &str, pretokenizer: &str, normalizer: &str) -> Pipeline {
    let is_bytes = model == BYTES;
    let token_bytes: Vec<u8> = if is_bytes { (0..=255).collect() } else { b"ab".to_vec() };
    let token_offsets: Vec<u32> = (0..=token_bytes.len() as u32).collect();
    let decoder = if is_bytes { r#"{"type":"bytes"}"# } else { r#"{"type":"sequence","steps":[{"type":"fuse"}]}"# };
    let config = format!(
        r#"{{"added_tokens":[],"decoder":{decoder},"model":{model},"normalizer":{normalizer},"postprocessor":null,
        "pretokenizer":{pretokenizer},"spec_version":1}}"#
    );
    let arrays = Arrays { token_bytes: &token_bytes, token_offsets: &token_offsets, merges: &[], scores: &[] };
    Pipeline::new(&config, Source::Arrays(arrays), SpecialText::Plain, 0, &mut |_| Ok(())).unwrap()
}

fn gpt2(model: &str) -> Pipeline {
    pipeline(model, r#"{"type":"gpt2","unicode":"16.0"}"#, "null")
}

/// The ticks of some work.
fn n_ticks<T>(work: impl FnOnce(&mut dyn FnMut(u64) -> Result<()>) -> Result<T>) -> usize {
    let mut n = 0;
    work(&mut |_| {
        n += 1;
        Ok(())
    })
    .unwrap();
    n
}

#[test]
fn a_long_text_without_a_safe_cut_is_looked_through_with_ticks() {
    let (pipeline, policy, text) = (gpt2(BYTES), Policy::nothing(), vec![b'a'; 8 * MIB]);
    let whole = n_ticks(|tick| pipeline.encode(&text, &policy, tick));
    let batch = n_ticks(|tick| pipeline.encode_batch(&[&text], &policy, 1, tick));
    assert!(batch >= whole + 60, "{batch} ticks, {whole} of them without cutting");
}

#[test]
fn cutting_a_text_ends_where_the_caller_wants_to_stop() {
    let (pipeline, text) = (gpt2(BYTES), vec![b'a'; 8 * MIB]);
    for last in 1..5 {
        let mut n = 0;
        let stop = &mut |amount| {
            n += 1;
            assert_eq!(amount, 0, "nothing is encoded yet");
            if n == last { Err(Error::Interrupted) } else { Ok(()) }
        };
        assert_eq!(pipeline.encode_batch(&[&text], &Policy::nothing(), 2, stop), Err(Error::Interrupted));
    }
}

#[test]
fn characters_of_one_long_piece_are_looked_up_with_ticks() {
    let policy = Policy::nothing();
    // A character with a token is looked up and may merge; one without is dropped.
    for (byte, n_more) in [(b'a', 16), (0xFF, 8)] {
        let pipeline = pipeline(CHARACTERS, r#"{"type":"none"}"#, "null");
        let ticks = |n_bytes: usize| n_ticks(|tick| pipeline.encode(&vec![byte; n_bytes], &policy, tick));
        let (short, long) = (ticks(MIB / 2), ticks(8 * MIB + 1));
        assert!(long >= short + n_more, "{short} and {long} ticks for bytes {byte}");
    }
}

#[test]
fn replacing_in_a_long_text_ticks() {
    let policy = Policy::nothing();
    let text = vec![b'a'; 8 * MIB];
    let gpt2 = r#"{"type":"gpt2","unicode":"16.0"}"#;
    let replacing = n_ticks(|tick| pipeline(BYTES, gpt2, REPLACING).encode(&text, &policy, tick));
    let other = n_ticks(|tick| pipeline(BYTES, gpt2, r#"[{"type":"lowercase"}]"#).encode(&text, &policy, tick));
    assert!(replacing >= other + 7, "{replacing} ticks, and {other} without");
}

#[test]
fn the_pairs_of_a_long_piece_are_looked_up_with_ticks_where_merges_are_left_out() {
    let (pipeline, policy, text) =
        (pipeline(BYTES, r#"{"type":"none"}"#, "null"), Policy::nothing(), vec![b'a'; 8 * MIB]);
    let dropout = Dropout::new(0.5, 1).unwrap();
    let n = n_ticks(|tick| pipeline.encode_with_dropout(&text, &policy, dropout, &mut Vec::new(), tick));
    assert!(n >= 31, "{n} ticks");
}
