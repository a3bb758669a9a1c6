//! How often each pretoken occurs in a corpus: all that training needs to know of it.

pub mod count;
mod distinct;
