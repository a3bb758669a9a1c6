//! Byte-pair encoding: running it, counting what it is trained on, and training it.

mod backtrack;
pub mod cache;
pub mod cache_pool;
mod character_table;
pub mod characters;
pub mod count;
pub mod cuts;
mod distinct;
pub mod encode;
pub mod encoder;
pub mod halves;
pub mod key;
mod long_pieces;
pub(crate) mod merges;
pub mod pair_map;
pub mod pairs;
mod ranked;
pub mod ties;
pub(crate) mod together;
pub mod train;
pub(crate) mod units;
mod word_sets;
