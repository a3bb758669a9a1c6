//! Flags that are written only where they are not the default: equal tokenizers have equal descriptions.

use serde::{Deserialize, Deserializer, de};

/// A flag that is left out where it is false.
pub fn only_true<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match bool::deserialize(deserializer)? {
        true => Ok(true),
        false => Err(de::Error::custom("a flag is false, which is written by leaving it out")),
    }
}

/// A flag that is left out where it is true.
pub fn only_false<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match bool::deserialize(deserializer)? {
        false => Ok(false),
        true => Err(de::Error::custom("a flag is true, which is written by leaving it out")),
    }
}
