//! Which instructions find the pieces of a text: one piece at a time, or blocks of 64 bytes.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::blocks::Avx2;
use crate::error::{Error, Result};

/// The name of the environment variable that chooses for a whole process.
const VARIABLE: &str = "TOKENLOOM_SIMD";

/// How the pieces of a text are found. All ways find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// One piece after the other, by the functions that say what a piece is.
    None,
    /// In blocks, with instructions that every machine has.
    Portable,
    /// In blocks, with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Simd {
    /// Every way that this machine has, the best one last.
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detected() {
            return vec![Self::None, Self::Portable, Self::Avx2(avx2)];
        }
        vec![Self::None, Self::Portable]
    }

    /// The way of this process: what `TOKENLOOM_SIMD` names when text is cut for the first time, or else the best one.
    pub fn chosen() -> Result<Self> {
        static CHOSEN: OnceLock<Result<Simd>> = OnceLock::new();
        match CHOSEN.get_or_init(|| Self::named(std::env::var_os(VARIABLE).map(|name| name.to_string_lossy().into()))) {
            Ok(simd) => Ok(*simd),
            Err(fault) => Err(fault.clone()),
        }
    }

    /// The way with this name; the best one without a name, or with an empty one.
    pub fn named(name: Option<String>) -> Result<Self> {
        let name = name.unwrap_or_default();
        let available = Self::available();
        let wanted = available.iter().rev().find(|simd| name.is_empty() || simd.name() == name);
        wanted.copied().ok_or_else(|| Error::UnknownSimd {
            variable: VARIABLE,
            available: available.iter().map(|simd| simd.name()).collect(),
            name,
        })
    }

    /// The name that chooses it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
        }
    }
}
