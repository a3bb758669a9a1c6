//! Normalizers: how a text is changed before it is cut.
//!
//! Most texts are normal already, so a step first looks whether it changes anything, and a text that stays as it is is not
//! copied. Bytes that are no UTF-8 stay as they are, and nothing is composed over them.
//!
//! Where a text may be cut so that the normal forms of the halves are that of the whole: before a character that begins
//! anew ([`begins_anew`]). ASCII characters and those from U+4000 to U+9FFF have the combining class 0, are their own
//! normal forms in all four forms, and compose with nothing before them. So no reordering and no composition reaches over
//! the place before one: what is before it is as if the text ended, what comes behind as if it began (UAX #15,
//! "Concatenation of normalized strings"). Two steps work at the edges of a text: what one puts before it, and blanks that
//! the other takes away there, are those of no half that goes on ([`Edge`]), and where the cut has no blank before it none
//! is taken away at the end of the half before it ([`Normalizer::strips`]).

use std::borrow::Cow;
use std::sync::Arc;

use crate::Tick;
use crate::alignment::Alignment;
use crate::bert::{Rules as BertRules, Table};
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::growth::{self, At};
use crate::lower_case;
use crate::normal_forms::Form;
use crate::replacing;
use crate::scan::Custom;
use crate::scan::classes;
use crate::search::{blanks_before, blanks_behind};
use crate::sentencepiece::{self, Rules};
use crate::spec::Step;
use crate::wording::shown;
use aho_corasick::AhoCorasick;

/// Steps that change a text, one after the other.
#[derive(Debug)]
pub struct Normalizer {
    steps: Vec<Action>,
    concatenates: bool,
    changes_blanks: bool,
    drops_controls: bool,
    knows_start: bool,
    strips: bool,
}

#[derive(Debug)]
enum Action {
    Form(Form),
    Bert(Arc<Table>),
    Lowercase,
    Prepend(Vec<u8>),
    Replace { finder: AhoCorasick, by: Vec<u8> },
    ReplacePattern { finder: Box<Custom>, pattern: String, by: Vec<u8> },
    Strip { left: bool, right: bool },
    Sentencepiece(Box<Rules>),
}

/// Where a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// At its own start.
    Start,
    /// Behind text that it goes on with.
    Inside,
}

/// Whether a character that begins with this byte begins anew; see the module.
#[inline]
pub fn begins_anew(lead: u8) -> bool {
    matches!(lead, ..0x80 | 0xE4..=0xE9)
}

impl Normalizer {
    /// Builds the steps. Refuses by name what cannot be run.
    pub fn new(steps: &[Step]) -> Result<Self> {
        let actions = steps.iter().map(Action::new).collect::<Result<_>>()?;
        let is_bert = |step: &Step| matches!(step, Step::Bert(_));
        let is_replace = |step: &Step| matches!(step, Step::Replace { .. } | Step::Sentencepiece { .. });
        let asks_start = |step: &Step| match step {
            Step::Prepend { .. } | Step::Strip { left: true, .. } => true,
            Step::Sentencepiece { add_dummy_prefix, remove_extra_whitespaces, .. } => {
                *add_dummy_prefix || *remove_extra_whitespaces
            }
            _ => false,
        };
        let drops_controls = steps.iter().any(is_bert);
        Ok(Self {
            steps: actions,
            concatenates: concatenates(steps),
            changes_blanks: drops_controls || steps.iter().any(is_replace),
            drops_controls,
            knows_start: steps.iter().any(asks_start),
            strips: steps.iter().any(|step| matches!(step, Step::Strip { .. })),
        })
    }

    /// The table, if the only step is BERT's or there is none.
    pub(crate) fn bert(&self) -> Option<Arc<Table>> {
        match self.steps.as_slice() {
            [] => Some(Arc::new(Table::new(BertRules::default()))),
            [Action::Bert(table)] => Some(Arc::clone(table)),
            _ => None,
        }
    }

    /// The rules of SentencePiece, where they are all there is.
    pub fn sentencepiece(&self) -> Option<&Rules> {
        match self.steps.as_slice() {
            [Action::Sentencepiece(rules)] => Some(rules),
            _ => None,
        }
    }

    /// Whether a character that begins with this byte begins anew for these steps: one that is taken away does not.
    pub fn begins_anew(&self, lead: u8) -> bool {
        begins_anew(lead) && !(self.drops_controls && lead.is_ascii_control())
    }

    /// A normalizer of SentencePiece that gives models spaces for marks; see [`Rules`].
    pub fn with_spaces(&self) -> Option<Self> {
        let rules = self.sentencepiece()?.with_spaces()?;
        let steps = vec![Action::Sentencepiece(Box::new(rules))];
        Some(Self { steps, ..*self })
    }

    /// Builds the steps from their JSON alone.
    pub fn from_json(json: &str) -> Result<Self> {
        Self::new(&crate::spec::read_steps(json)?)
    }

    /// Whether the normal form of a text is that of its halves, where it is cut before a character that begins anew.
    pub fn concatenates(&self) -> bool {
        self.concatenates
    }

    /// Whether blanks may become other characters, or other characters blanks.
    pub fn changes_blanks(&self) -> bool {
        self.changes_blanks
    }

    /// Whether something is done at the start of a text, so that it matters whether one goes on with another.
    pub fn knows_start(&self) -> bool {
        self.knows_start
    }

    /// Whether blanks are taken away at the edges of a text, so that a cut must not have any before it.
    pub fn strips(&self) -> bool {
        self.strips
    }

    /// The normalized text.
    pub fn apply<'a>(&self, text: &'a [u8], tick: Tick<'_>) -> Result<Cow<'a, [u8]>> {
        Ok(self.apply_within(text, false, Edge::Start, growth::most_bytes(text.len()), tick)?.0)
    }

    /// The normalized text of what goes on with a text.
    pub fn apply_inside<'a>(&self, text: &'a [u8], tick: Tick<'_>) -> Result<Cow<'a, [u8]>> {
        Ok(self.apply_within(text, false, Edge::Inside, growth::most_bytes(text.len()), tick)?.0)
    }

    /// The normalized text, and where it came from: the alignment counts where the text was changed.
    ///
    /// Every part came from the smallest stretch that becomes it by itself; text that a step puts in stands with the
    /// character beside it, the first one of the text or the one before.
    pub fn apply_aligned<'a>(&self, text: &'a [u8], tick: Tick<'_>) -> Result<(Cow<'a, [u8]>, Alignment)> {
        self.apply_within(text, true, Edge::Start, growth::most_bytes(text.len()), tick)
    }

    /// The normalized text of a stretch of a text, of which no step may make more than `most_bytes`, and where it came from
    /// if that is asked for.
    pub(crate) fn apply_within<'a>(
        &self,
        text: &'a [u8],
        is_aligned: bool,
        edge: Edge,
        most_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<(Cow<'a, [u8]>, Alignment)> {
        self.run(&self.steps, text, (is_aligned, edge), most_bytes, tick)
    }

    /// How many bytes of the normalized text came from the first character of the text, as `tokenizers` counts: what took
    /// the place of several characters came from the last of them, what they compose to from the first. No step may make
    /// more than `most_bytes` of the text.
    pub fn n_first_bytes(&self, text: &[u8], most_bytes: usize, tick: Tick<'_>) -> Result<usize> {
        let (mut text, mut n_bytes) = (Cow::Borrowed(text), first_length(text));
        for (place, step) in self.steps.iter().enumerate() {
            let mut draft = Draft::noting_all(&text, most_bytes);
            step.apply(&text, Edge::Start, &mut draft, tick)?;
            self.check(place, &draft, most_bytes)?;
            let Some((changed, changes)) = draft.finish() else { continue };
            n_bytes = match step {
                Action::Form(_) | Action::Lowercase if n_bytes > 0 => {
                    let mut draft = Draft::new(&text[..n_bytes], false, usize::MAX);
                    step.apply(&text[..n_bytes], Edge::Start, &mut draft, tick)?;
                    let alone = draft.finish().map_or(n_bytes, |(changed, _)| changed.len());
                    alone.max(first_length(&changed))
                }
                _ => changes.n_bytes_from(n_bytes, |from| from.start + last_start(&text[from.clone()])),
            };
            text = Cow::Owned(changed);
        }
        Ok(n_bytes)
    }

    fn run<'a>(
        &self,
        steps: &[Action],
        source: &'a [u8],
        (is_aligned, edge): (bool, Edge),
        most_bytes: usize,
        tick: Tick<'_>,
    ) -> Result<(Cow<'a, [u8]>, Alignment)> {
        let (mut text, mut alignment) = (Cow::Borrowed(source), Alignment::default());
        for (place, step) in steps.iter().enumerate() {
            let inside = match step {
                Action::Prepend(_) if edge == Edge::Inside => continue,
                Action::Strip { right, .. } if edge == Edge::Inside => {
                    Some(Action::Strip { left: false, right: *right })
                }
                _ => None,
            };
            let step = inside.as_ref().unwrap_or(step);
            let mut draft = Draft::new(&text, is_aligned, most_bytes);
            let applied = step.apply(&text, edge, &mut draft, tick);
            applied.map_err(|fault| self.in_source(fault, &steps[..place], source, most_bytes))?;
            self.check(place, &draft, most_bytes)?;
            if let Some((changed, changes)) = draft.finish() {
                let is_first = matches!(text, Cow::Borrowed(_));
                alignment = if is_first { changes } else { alignment.then(&changes) };
                text = Cow::Owned(changed);
            }
        }
        Ok((text, alignment))
    }

    /// Refuses what a step made too long.
    fn check(&self, place: usize, draft: &Draft<'_>, most_bytes: usize) -> Result<()> {
        if !draft.is_over() {
            return Ok(());
        }
        let kind = self.steps[place].kind();
        Err(At { part: "normalizer", step: place, n_steps: self.steps.len(), kind }.fault(most_bytes))
    }

    /// A fault that was found behind some steps, with its place in the text before them.
    fn in_source(&self, fault: Error, steps: &[Action], source: &[u8], most_bytes: usize) -> Error {
        let Error::NormalizerLimit { pattern, byte_offset } = fault else { return fault };
        let at = byte_offset as usize;
        let byte_offset = match self.run(steps, source, (true, Edge::Start), most_bytes, &mut |_| Ok(())) {
            Ok((Cow::Owned(_), alignment)) => alignment.origin(at..at).start as u64,
            _ => byte_offset,
        };
        Error::NormalizerLimit { pattern, byte_offset }
    }
}

/// The length of the first character.
fn first_length(text: &[u8]) -> usize {
    if text.is_empty() { 0 } else { classes::class_at(text, 0).1 }
}

/// Where the last character begins.
fn last_start(text: &[u8]) -> usize {
    if text.is_empty() { 0 } else { text.len() - classes::class_before(text, text.len()).1 }
}

/// Whether all steps work on characters, on what lies between two that begin anew, or at the edges of a text. A form behind
/// a replacement could find characters there that do not begin anew, and stripping blanks that were none.
fn concatenates(steps: &[Step]) -> bool {
    let mut has_replaced = false;
    steps.iter().all(|step| match step {
        Step::Nfc { .. } | Step::Nfd { .. } | Step::Nfkc { .. } | Step::Nfkd { .. } => !has_replaced,
        // It makes blanks of other characters.
        Step::Bert(_) => !std::mem::replace(&mut has_replaced, true),
        Step::Lowercase {} => true,
        Step::Replace { text, .. } => {
            has_replaced = true;
            text.as_ref().is_some_and(|text| text.chars().count() == 1)
        }
        // It says itself where a text may be cut.
        Step::Sentencepiece { .. } => steps.len() == 1,
        Step::Prepend { .. } => true,
        Step::Strip { .. } => !has_replaced,
    })
}

impl Action {
    fn new(step: &Step) -> Result<Self> {
        Ok(match step {
            Step::Nfc { .. } => Self::Form(Form::Nfc),
            Step::Nfd { .. } => Self::Form(Form::Nfd),
            Step::Nfkc { .. } => Self::Form(Form::Nfkc),
            Step::Nfkd { .. } => Self::Form(Form::Nfkd),
            Step::Bert(rules) => Self::Bert(Arc::new(Table::new(*rules))),
            Step::Lowercase {} => Self::Lowercase,
            Step::Prepend { text } => Self::Prepend(text.clone().into_bytes()),
            Step::Replace { text: Some(text), pattern: None, by } if !text.is_empty() => {
                let detail = || format!("normalizer step \"replace\" has a text that is too long: {text:?}");
                let finder = AhoCorasick::new([text]).map_err(|_| Error::SpecJson { detail: detail() })?;
                Self::Replace { finder, by: by.clone().into_bytes() }
            }
            Step::Replace { text: None, pattern: Some(pattern), by } => {
                let fault = |fault| match fault {
                    Error::Pattern { pattern, detail, .. } => Error::SpecJson {
                        detail: format!(
                            "normalizer step \"replace\" has the pattern {}, which is none: {detail}",
                            shown(&pattern)
                        ),
                    },
                    fault => fault,
                };
                let finder = Box::new(Custom::new(pattern).map_err(fault)?);
                Self::ReplacePattern { finder, pattern: pattern.clone(), by: by.clone().into_bytes() }
            }
            Step::Replace { .. } => {
                let detail = "normalizer step \"replace\" has no text to look for".to_owned();
                return Err(Error::SpecJson { detail });
            }
            Step::Strip { left, right } => Self::Strip { left: *left, right: *right },
            Step::Sentencepiece { .. } => Self::Sentencepiece(Box::new(sentencepiece::rules_of(step)?)),
        })
    }

    /// What the description calls it.
    fn kind(&self) -> &'static str {
        match self {
            Self::Form(form) => form.name(),
            Self::Bert(_) => "bert",
            Self::Lowercase => "lowercase",
            Self::Prepend(_) => "prepend",
            Self::Replace { .. } | Self::ReplacePattern { .. } => "replace",
            Self::Strip { .. } => "strip",
            Self::Sentencepiece(_) => "sentencepiece",
        }
    }

    /// Notes in the draft of a text what this step changes.
    fn apply(&self, text: &[u8], edge: Edge, draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
        match self {
            Self::Sentencepiece(rules) => return sentencepiece::change(rules, text, edge == Edge::Start, draft, tick),
            Self::Form(form) => return form.apply(text, draft, tick),
            Self::Bert(table) => return table.apply(text, draft, tick),
            Self::Lowercase => lower_case::apply(text, draft),
            Self::Prepend(start) if !text.is_empty() => draft.put_in(0, 0..classes::class_at(text, 0).1, start),
            Self::Prepend(_) => {}
            Self::Replace { finder, by } => return replacing::replace_text(text, finder, by, draft, tick),
            Self::ReplacePattern { finder, pattern, by } => {
                return replacing::replace_matches(text, (finder, pattern), by, draft, tick);
            }
            Self::Strip { left, right } => {
                let start = if *left { blanks_behind(text, 0) } else { 0 };
                let end = if *right { blanks_before(text, text.len(), start) } else { text.len() };
                if start > 0 {
                    draft.replace(0..start, |_| {});
                }
                if end < text.len() {
                    draft.replace(end..text.len(), |_| {});
                }
            }
        }
        Ok(())
    }
}
