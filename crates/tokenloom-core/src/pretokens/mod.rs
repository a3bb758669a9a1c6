//! How often each pretoken occurs in a corpus: all that training needs to know of it.
//!
//! [`counter`] carries documents into one [`table`] a thread. What the tables hold leaves them sorted, as [`counts`] in
//! memory or as a [`run`], a stream that needs no memory; [`merge`] makes one of many.

pub mod changes;
pub mod counter;
pub mod counts;
pub mod growth;
mod long;
pub mod merge;
pub mod parts;
pub mod run;
mod short;
mod sorted;
mod table;
