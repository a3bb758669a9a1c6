//! Every scanner with what it must equal: fancy-regex on its pattern, or on the patterns of its chain one after the other.
#![allow(clippy::unwrap_used, dead_code, missing_docs)]

use fancy_regex::Regex;
use tokenloom_core::scan::Scanner;
use tokenloom_core::spec::Pretokenizer;

/// Contractions, as both families of GPT-4's kind have them.
macro_rules! contraction {
    () => {
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
    };
}

macro_rules! upper {
    () => {
        r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
    };
}

macro_rules! lower {
    () => {
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    };
}

macro_rules! bert_punctuation {
    () => {
        "(?![\\x{61D}\\x{9FD}\\x{A76}\\x{C77}\\x{C84}\\x{1B4E}\\x{1B4F}\\x{1B7D}-\\x{1B7F}\\x{2E43}-\\x{2E4F}\\x{2E52}-\\x{2E5D}\
         \\x{10D6E}\\x{10EAD}\\x{10F55}-\\x{10F59}\\x{10F86}-\\x{10F89}\\x{113D4}\\x{113D5}\\x{113D7}\\x{113D8}\\x{1144B}-\\x{1144F}\
         \\x{1145A}\\x{1145B}\\x{1145D}\\x{11660}-\\x{1166C}\\x{116B9}\\x{1183B}\\x{11944}-\\x{11946}\\x{119E2}\\x{11A3F}-\\x{11A46}\
         \\x{11A9A}-\\x{11A9C}\\x{11A9E}-\\x{11AA2}\\x{11B00}-\\x{11B09}\\x{11BE1}\\x{11C41}-\\x{11C45}\\x{11C70}\\x{11C71}\
         \\x{11EF7}\\x{11EF8}\\x{11F43}-\\x{11F4F}\\x{11FFF}\\x{12FF1}\\x{12FF2}\\x{16D6D}-\\x{16D6F}\\x{16E97}-\\x{16E9A}\\x{16FE2}\
         \\x{1E5FF}\\x{1E95E}\\x{1E95F}])[\\p{P}$+<=>^`|~\\x{166D}\\x{111C9}]"
    };
}

/// Name, description, and the patterns of the chain.
pub const FAMILIES: &[(&str, &str, &[&str])] = &[
    (
        "gpt2",
        r#"{"type":"gpt2","unicode":"16.0"}"#,
        &[r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    ),
    (
        "cl100k",
        r#"{"type":"cl100k","digits":3,"unicode":"16.0"}"#,
        &[
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        ],
    ),
    (
        "llama3",
        r#"{"type":"llama3","digits":3,"unicode":"16.0"}"#,
        &[concat!(
            contraction!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "two digits",
        r#"{"type":"llama3","digits":2,"unicode":"16.0"}"#,
        &[
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        ],
    ),
    (
        "qwen2",
        r#"{"type":"qwen2","unicode":"16.0"}"#,
        &[concat!(
            contraction!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "digits3_right",
        r#"{"type":"digits3_right","unicode":"16.0"}"#,
        &[
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s",
        ],
    ),
    (
        "o200k",
        r#"{"type":"o200k","unicode":"16.0"}"#,
        &[concat!(
            r"[^\r\n\p{L}\p{N}]?",
            upper!(),
            "*",
            lower!(),
            "+",
            contraction!(),
            r"?|[^\r\n\p{L}\p{N}]?",
            upper!(),
            "+",
            lower!(),
            "*",
            contraction!(),
            r"?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "tekken",
        r#"{"type":"tekken","unicode":"16.0"}"#,
        &[concat!(
            r"[^\r\n\p{L}\p{N}]?",
            upper!(),
            "*",
            lower!(),
            r"+|[^\r\n\p{L}\p{N}]?",
            upper!(),
            "+",
            lower!(),
            r"*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "deepseek_v3",
        r#"{"type":"deepseek_v3","unicode":"16.0"}"#,
        &[
            r"\p{N}{1,3}",
            "[\u{4e00}-\u{9fa5}\u{3040}-\u{309f}\u{30a0}-\u{30ff}]+",
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##,
        ],
    ),
    (
        "starcoder",
        r#"{"type":"starcoder","unicode":"16.0"}"#,
        &[r"\p{N}", r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    ),
    ("whitespace", r#"{"type":"whitespace","unicode":"16.0"}"#, &[r"\w+|[^\w\s]+"]),
    ("metaspace", r#"{"type":"metaspace"}"#, &["[ \u{2581}][^ \u{2581}]*"]),
    ("bert", r#"{"type":"bert","unicode":"16.0"}"#, &[r"\s+", bert_punctuation!()]),
];

pub struct Family {
    pub name: &'static str,
    pub scanner: Scanner,
    patterns: Vec<Regex>,
}

pub fn families() -> Vec<Family> {
    let family = |&(name, json, patterns): &(&'static str, &str, &[&str])| Family {
        name,
        scanner: Pretokenizer::from_json(json).unwrap().scanner().unwrap(),
        patterns: patterns.iter().map(|pattern| Regex::new(pattern).unwrap()).collect(),
    };
    FAMILIES.iter().map(family).collect()
}

impl Family {
    /// The ends of all pieces.
    pub fn ends(&self, text: &[u8]) -> Vec<usize> {
        self.sure_ends(text, true)
    }

    /// The ends of the pieces that are sure.
    pub fn sure_ends(&self, text: &[u8], at_end: bool) -> Vec<usize> {
        let mut ends = Vec::new();
        self.scanner.scan(text, 0, text.len(), at_end, &mut ends).unwrap();
        ends
    }

    /// The ends by fancy-regex: each pattern cuts the pieces of the one before it into matches and what lies between.
    pub fn ends_by_regex(&self, text: &str) -> Vec<usize> {
        let mut ends = vec![text.len()];
        for pattern in &self.patterns {
            let (mut start, mut cut) = (0, Vec::new());
            for end in ends {
                for found in pattern.find_iter(&text[start..end]) {
                    let found = found.unwrap();
                    cut.extend([start + found.start(), start + found.end()]);
                }
                cut.push(end);
                start = end;
            }
            cut.dedup();
            cut.retain(|end| *end > 0);
            ends = cut;
        }
        ends
    }

    /// The ends by fancy-regex of any bytes: an invalid byte is like a character without a class.
    pub fn ends_by_regex_of_bytes(&self, text: &[u8]) -> Vec<usize> {
        let (mut readable, mut places) = (String::new(), vec![]);
        let mut at = 0;
        for chunk in text.utf8_chunks() {
            for (place, character) in chunk.valid().char_indices() {
                places.push((readable.len() + character.len_utf8(), at + place + character.len_utf8()));
                readable.push(character);
            }
            at += chunk.valid().len();
            for _ in chunk.invalid() {
                readable.push('\u{10FFFF}');
                at += 1;
                places.push((readable.len(), at));
            }
        }
        let back = |end| places[places.binary_search_by_key(&end, |place| place.0).unwrap()].1;
        self.ends_by_regex(&readable).into_iter().map(back).collect()
    }

    pub fn check(&self, text: &str) {
        let (found, expected) = (self.ends(text.as_bytes()), self.ends_by_regex(text));
        if found != expected {
            let place = found.iter().zip(&expected).position(|(one, other)| one != other).unwrap_or(0);
            let from = place.checked_sub(2).map_or(0, |place| found[place]);
            let around: String = text[from..].chars().take(12).collect();
            let cut = |ends: &[usize]| ends[place..].iter().take(3).map(|end| end - from).collect::<Vec<_>>();
            panic!("{}: {around:?} is cut at {:?}, not {:?}", self.name, cut(&found), cut(&expected));
        }
    }
}

/// Characters of every set that a pattern tells apart, and those that it names.
pub const PARTS: &[&str] = &[
    "a", "s", "L", "\u{17F}", "\u{1C5}", "\u{2B0}", "\u{4E2D}", "\u{5D0}", "7", "\u{663}", " ", "\t", "\n", "\r",
    "\u{A0}", "!", "/", "'", "\u{2019}", "_", "\u{20AC}", "\u{301}", "\u{3099}", "\u{30FB}", "\u{30FC}", "\u{3097}",
    "\0",
];

/// Parts that are cut, or that make no text, among others.
pub const DAMAGED_PARTS: &[&[u8]] = &[
    b"a",
    b"l",
    b"S",
    b"B",
    b"7",
    b" ",
    b"\n",
    b"!",
    b"/",
    b"'",
    b"\xC5\xBF",
    b"\xCC\x81",
    b"\xE4\xB8\xAD",
    b"\xE3\x80\x80",
    b"\xE2\x96\x81",
    b"\xE2\x96",
    b"\xC3",
    b"\xE3\x80",
    b"\xE4\xBD",
    b"\x80",
    b"\xFF",
];

/// All texts of so many parts.
pub fn for_each_text<T: AsRef<[u8]>>(parts: &[T], length: u32, check: &mut impl FnMut(&[u8])) {
    for number in 0..parts.len().pow(length) {
        let part = |at| parts[number / parts.len().pow(at) % parts.len()].as_ref();
        let text: Vec<u8> = (0..length).flat_map(part).copied().collect();
        check(&text);
    }
}

/// Numbers that look random: xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}
