//! The text of BERT: cleaned, with Chinese characters apart, without accents, in lower case, as `tokenizers` 0.23.3 does it.
//!
//! Each of these is a matter of one character, but for one thing: marks that are left when accents are gone stand in the
//! order of their classes. So a [`Table`] says what becomes of each character, and a run of such marks is read as a whole.
//! Nearly all text is of characters of which the table says all in one number, and ASCII has a smaller table of its own.
//!
//! [`Table::apply`] changes a text as any step of a normalizer does. [`Table::pieces`] changes it and cuts it into BERT's
//! words in the same pass, for those who want nothing but pieces.
//!
//! Source: `normalizers/bert.rs` of huggingface/tokenizers; the tables are measured, see `scripts/generate_bert_tables.py`.

mod change;
mod table;
#[rustfmt::skip]
mod tables;
mod words;

pub use self::table::{Rules, Table};
