//! One step of a chain: it may change the text of a piece, cuts it, and may change what comes out.

use std::ops::Range;

use serde::Deserialize;

use super::fold::{Behavior, Fold};
use crate::Tick;
use crate::error::{Error, Result};
use crate::scan::classes::{self, Class};
use crate::scan::{Custom, Scanner, is_behind_blank, is_punctuation};
use crate::spec::PrependScheme;
use crate::spec::flags::{only_false, only_true};

/// A step as it stands in the description of a tokenizer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ChainStep {
    /// At the matches of a regular expression, or at a text.
    Split {
        /// The regular expression.
        pattern: Option<String>,
        /// Or the text.
        text: Option<String>,
        /// What becomes of the matches.
        behavior: Behavior,
        /// Matches are what lies between those of the pattern.
        #[serde(default, deserialize_with = "only_true")]
        invert: bool,
    },
    /// Every byte becomes a character of GPT-2's.
    ByteLevel {
        /// A piece that does not begin with a space gets one.
        #[serde(default, deserialize_with = "only_true")]
        add_prefix_space: bool,
        /// It is cut by GPT-2's pattern before.
        #[serde(default = "yes", deserialize_with = "only_false")]
        use_regex: bool,
    },
    /// Numbers apart from the rest.
    Digits {
        /// Each by itself.
        #[serde(default, deserialize_with = "only_true")]
        individual: bool,
    },
    /// At punctuation.
    Punctuation {
        /// What becomes of it.
        behavior: Behavior,
    },
    /// Every space becomes another character.
    Metaspace {
        /// That character.
        replacement: char,
        /// Which pieces get one in front that do not begin with it.
        prepend_scheme: PrependScheme,
        /// A piece begins before each.
        #[serde(default = "yes", deserialize_with = "only_false")]
        split: bool,
    },
    /// Words and signs; blanks are gone.
    Whitespace {},
    /// What lies between blanks.
    WhitespaceSplit {},
    /// BERT's words and punctuation; blanks are gone.
    Bert {},
}

fn yes() -> bool {
    true
}

/// A step that runs.
#[derive(Debug)]
pub struct Step {
    pub(super) change: Change,
    cut: Cut,
    /// Bytes become characters in the end.
    pub(super) maps: bool,
}

/// What a step does to a piece before it cuts.
#[derive(Debug)]
pub(super) enum Change {
    Nothing,
    /// A space in front.
    Space,
    /// Spaces become this, and one may be put in front.
    Metaspace(Vec<u8>, PrependScheme),
}

#[derive(Debug)]
enum Cut {
    Nothing,
    At(Finder, Behavior),
    Regex {
        regex: Box<Custom>,
        behavior: Behavior,
        invert: bool,
    },
    /// Where a scanner cuts, perhaps without the blanks.
    Scanner {
        scanner: Scanner,
        keeps_blanks: bool,
    },
}

/// Finds characters.
#[derive(Debug)]
enum Finder {
    Number,
    Punctuation,
    White,
    This(Vec<u8>),
}

/// Characters that are looked at between two ticks, at most.
const TICK_CHARACTERS: usize = 1 << 20;

impl Step {
    /// The scanner that cuts, if that is all, and blanks are gone.
    pub(super) fn scanner(&self) -> Option<&Scanner> {
        match &self.cut {
            Cut::Scanner { scanner, keeps_blanks: false } if matches!(self.change, Change::Nothing) => Some(scanner),
            _ => None,
        }
    }

    /// What the description calls a step that changes text.
    pub(super) fn kind(&self) -> &'static str {
        if matches!(self.change, Change::Metaspace(..)) { "metaspace" } else { "byte_level" }
    }

    pub(super) fn new(step: &ChainStep) -> Result<Self> {
        let (mut change, mut maps) = (Change::Nothing, false);
        let scanner = |scanner, keeps_blanks| Cut::Scanner { scanner, keeps_blanks };
        let cut = match step {
            ChainStep::Split { pattern, text, behavior, invert } => {
                let regex = match (pattern, text) {
                    (Some(pattern), None) => Custom::new(pattern)?,
                    (None, Some(text)) => Custom::new(&fancy_regex::escape(text))?,
                    _ => {
                        let detail = "pretokenizer step \"split\" takes a pattern or a text".to_owned();
                        return Err(Error::SpecJson { detail });
                    }
                };
                Cut::Regex { regex: Box::new(regex), behavior: *behavior, invert: *invert }
            }
            ChainStep::ByteLevel { add_prefix_space, use_regex } => {
                (change, maps) = (if *add_prefix_space { Change::Space } else { Change::Nothing }, true);
                if *use_regex { scanner(Scanner::Gpt2, true) } else { Cut::Nothing }
            }
            ChainStep::Digits { individual: true } => Cut::At(Finder::Number, Behavior::Isolated),
            ChainStep::Digits { individual: false } => Cut::At(Finder::Number, Behavior::Contiguous),
            ChainStep::Punctuation { behavior } => Cut::At(Finder::Punctuation, *behavior),
            ChainStep::Metaspace { replacement, prepend_scheme, split } => {
                let replacement = replacement.to_string().into_bytes();
                change = Change::Metaspace(replacement.clone(), *prepend_scheme);
                if *split { Cut::At(Finder::This(replacement), Behavior::MergedWithNext) } else { Cut::Nothing }
            }
            ChainStep::Whitespace {} => scanner(Scanner::Whitespace, false),
            ChainStep::WhitespaceSplit {} => Cut::At(Finder::White, Behavior::Removed),
            ChainStep::Bert {} => scanner(Scanner::Bert, false),
        };
        Ok(Self { change, cut, maps })
    }

    /// Whether a text may be cut in two at a place where a character begins: what the step makes of the halves is then what
    /// it makes of the whole, whatever stands around. False is always a right answer.
    pub(super) fn is_safe_cut(&self, text: &[u8], at: usize) -> bool {
        let begins_with = |start: &[u8]| text.get(at..).is_some_and(|rest| rest.starts_with(start));
        let is_put_before = match &self.change {
            Change::Nothing => false,
            Change::Space => !begins_with(b" "),
            Change::Metaspace(replacement, _) => !begins_with(b" ") && !begins_with(replacement),
        };
        !is_put_before
            && match &self.cut {
                Cut::Nothing | Cut::Regex { .. } => false,
                Cut::Scanner { scanner, keeps_blanks } => {
                    scanner.is_safe_cut(text, at) || (!keeps_blanks && is_behind_blank(text, at))
                }
                Cut::At(finder, behavior) => {
                    let is_blank = matches!(self.change, Change::Metaspace(..));
                    let looks = |at| finder.look(text, at).0 || (is_blank && text[at] == b' ');
                    let inside = at > 0 && at < text.len();
                    inside && behavior.separates(looks(at - classes::class_before(text, at).1), looks(at))
                }
            }
    }

    /// Gives the pieces of a piece, in its own places.
    pub(super) fn cut(
        &self,
        piece: &[u8],
        mut push: impl FnMut(Range<usize>, Tick<'_>) -> Result<()>,
        tick: Tick<'_>,
    ) -> Result<()> {
        match &self.cut {
            Cut::Nothing => push(0..piece.len(), tick),
            Cut::At(finder, behavior) => finder.cut(piece, Fold::new(*behavior, push), tick),
            Cut::Regex { regex, behavior, invert } => {
                let mut fold = Fold::new(*behavior, push);
                regex.matches(piece, |range, is_match, tick| fold.take(range, is_match != *invert, tick), tick)?;
                fold.finish(tick)
            }
            Cut::Scanner { scanner, keeps_blanks } => {
                let (mut at, mut ends) = (0, Vec::new());
                while at < piece.len() {
                    ends.clear();
                    let next = scanner.scan(piece, at, piece.len().min(at + SCANNED_BYTES), true, &mut ends)?;
                    for &end in &ends {
                        if *keeps_blanks || classes::class_at(piece, at).0 != Class::White {
                            push(at..end, tick)?;
                        }
                        at = end;
                    }
                    at = next;
                    if at < piece.len() {
                        tick(0)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// A scanner cuts about so much before its pieces are taken.
const SCANNED_BYTES: usize = 32 << 10;

impl Finder {
    fn cut<P>(&self, piece: &[u8], mut fold: Fold<P>, tick: Tick<'_>) -> Result<()>
    where
        P: FnMut(Range<usize>, Tick<'_>) -> Result<()>,
    {
        let (mut start, mut at, mut n_characters) = (0, 0, 0);
        while at < piece.len() {
            let (is_match, n_bytes) = self.look(piece, at);
            if is_match {
                if start < at {
                    fold.take(start..at, false, tick)?;
                }
                fold.take(at..at + n_bytes, true, tick)?;
                start = at + n_bytes;
            }
            at += n_bytes;
            n_characters += 1;
            if n_characters == TICK_CHARACTERS {
                n_characters = 0;
                tick(0)?;
            }
        }
        if start < at {
            fold.take(start..at, false, tick)?;
        }
        fold.finish(tick)
    }

    /// Whether the character at a place is looked for, and its length.
    #[inline]
    fn look(&self, piece: &[u8], at: usize) -> (bool, usize) {
        let (class, n_bytes) = classes::class_at(piece, at);
        let is_match = match self {
            Self::Number if class == Class::Other => is_newer_number(piece, at),
            Self::Number => class == Class::Number,
            Self::White => class == Class::White,
            Self::Punctuation => is_punctuation(piece, at),
            Self::This(character) => piece[at..].starts_with(character),
        };
        (is_match, n_bytes)
    }
}

/// Numbers in Unicode 17 that Unicode 16 does not have. Measured with the pretokenizer Digits of `tokenizers` 0.23.3 on
/// every scalar value.
fn is_newer_number(piece: &[u8], at: usize) -> bool {
    matches!(classes::character_at(piece, at), Some('\u{11DE0}'..='\u{11DE9}' | '\u{16FF4}'..='\u{16FF6}'))
}
