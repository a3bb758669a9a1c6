//! Byte-pair encoding: running it, and training it.

mod backtrack;
pub mod cache;
pub mod cache_pool;
mod character_table;
pub mod characters;
pub mod cuts;
pub mod encode;
pub mod encoder;
mod first_level;
mod given;
pub(crate) mod group;
pub mod halves;
pub mod key;
mod long_pieces;
pub(crate) mod merges;
mod neighbours;
pub mod pair_map;
pub mod pairs;
mod ranked;
mod survey;
pub mod ties;
pub(crate) mod together;
pub mod train;
pub mod training_memory;
pub(crate) mod units;
mod word_sets;
mod words;
