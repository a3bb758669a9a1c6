//! BERT's text in one pass with its cuts, and step by step.

#![expect(clippy::unwrap_used, reason = "a test")]

use tokenloom_core::error::Result;
use tokenloom_core::layers::{Layers, Part};
use tokenloom_core::offsets::Place;
use tokenloom_core::pipeline::Pipeline;
use tokenloom_core::source::{Arrays, Source};
use tokenloom_core::specials::SpecialText;

fn no_tick(_: u64) -> Result<()> {
    Ok(())
}

/// A tokenizer of BERT's words with some of the four options.
fn pipeline(options: u8) -> Pipeline {
    let names = ["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"];
    let flags: Vec<String> =
        names.iter().zip(0..).map(|(name, bit)| format!("\"{name}\":{}", options >> bit & 1 > 0)).collect();
    let normalizer =
        if options == 0 { "null".to_owned() } else { format!(r#"[{{"type":"bert",{}}}]"#, flags.join(",")) };
    let json = format!(
        r###"{{"added_tokens":[],"decoder":{{"type":"sequence","steps":[]}},"model":{{"type":"wordpiece","unk_token":"?",
        "continuing_subword_prefix":"##","max_input_chars_per_word":100}},"normalizer":{normalizer},"postprocessor":null,
        "pretokenizer":{{"type":"sequence","steps":[{{"type":"bert"}}],"unicode":"16.0"}},"spec_version":1}}"###
    );
    let arrays = Arrays { token_bytes: b"?", token_offsets: &[0, 1], merges: &[], scores: &[] };
    Pipeline::new(&json, Source::Arrays(arrays), SpecialText::Plain, 1 << 16, &mut no_tick).unwrap()
}

/// The pieces of a text by the normalizer, then by the chain.
fn step_by_step(pipeline: &Pipeline, layers: &Layers<'_>, text: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let policy = pipeline.policy(None, None).unwrap();
    let take = |part: Part<'_>, _: &Place<'_>, tick: tokenloom_core::Tick<'_>| {
        let Part::Text(input) = part else { panic!("no token was added") };
        let output = layers.chain.unwrap().run(input, false, tick)?;
        ends.extend(output.ends.iter().map(|end| bytes.len() + end));
        bytes.extend(output.text);
        Ok(())
    };
    layers.parts(&policy, text, 0, false, take, &mut no_tick).unwrap();
    (bytes, ends)
}

#[test]
fn one_pass_gives_the_pieces_of_two() {
    let units = [
        "a",
        "É",
        "ß",
        " ",
        "\n",
        "\0",
        "\u{7f}",
        ".",
        "$",
        "«",
        "中",
        "\u{f900}",
        "\u{2f800}",
        "가",
        "각",
        "\u{301}",
        "\u{302e}",
        "\u{1d165}",
        "\u{1d15e}",
        "\u{344}",
        "\u{c48}",
        "\u{200d}",
        "\u{fffd}",
        "\u{3000}",
        "\u{37e}",
        "≠",
        "İ",
    ];
    let mut parts: Vec<&[u8]> = units.iter().map(|unit| unit.as_bytes()).collect();
    parts.extend([b"\xFF".as_slice(), b"\xE4\xB8", b"\xED\xA0\x80", b"word word", b"The quick brown fox"]);
    let mut state = 1_u64;
    for options in 0..16 {
        let pipeline = pipeline(options);
        let policy = pipeline.policy(None, None).unwrap();
        let layers = pipeline.all_layers();
        for _ in 0..400 {
            let mut text = Vec::new();
            for _ in 0..20 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.extend_from_slice(parts[(state >> 33) as usize % parts.len()]);
            }
            let pieces = pipeline.pieces(&text, &policy, &mut no_tick).unwrap();
            assert_eq!(pieces, step_by_step(&pipeline, &layers, &text), "{options}: {text:?}");
        }
    }
}

#[test]
fn words_go_on_over_blocks() {
    let pipeline = pipeline(15);
    let policy = pipeline.policy(None, None).unwrap();
    for n in [16 << 10, (16 << 10) + 1, 100_000] {
        let text = format!("{} x{}", "É".repeat(n), "y".repeat(n));
        let (bytes, ends) = pipeline.pieces(text.as_bytes(), &policy, &mut no_tick).unwrap();
        assert_eq!((bytes.len(), ends), (2 * n + 1, vec![n, 2 * n + 1]));
    }
}
