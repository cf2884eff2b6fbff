//! The architectures, and the cores and networks that all of them have.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A Tenstorrent chip architecture.
///
/// Differences between architectures live in [`crate::ChipDescription`]. Code that depends on one reads the
/// description and does not match on this enum.
///
/// Its text form is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Architecture {
    /// Frozen legacy profile: the vendor's stack dropped it in 2025.
    Grayskull,
    /// Wormhole B0.
    WormholeB0,
    /// Blackhole.
    Blackhole,
}

impl Architecture {
    /// Every architecture, oldest first.
    pub const ALL: [Self; 3] = [Self::Grayskull, Self::WormholeB0, Self::Blackhole];

    /// The name used in test names, device names and folders.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grayskull => "grayskull",
            Self::WormholeB0 => "wormhole_b0",
            Self::Blackhole => "blackhole",
        }
    }

    /// Whether the vendor's stack dropped it, so that nobody's tests run there unless they say so.
    pub const fn is_legacy(self) -> bool {
        match self {
            Self::Grayskull => true,
            Self::WormholeB0 | Self::Blackhole => false,
        }
    }

    /// Names that a user may write instead of [`Self::name`]. Hallmark itself writes none of them.
    pub const fn short_names(self) -> &'static [&'static str] {
        match self {
            Self::Grayskull => &["gs"],
            Self::WormholeB0 => &["wh", "wormhole"],
            Self::Blackhole => &["bh"],
        }
    }

    /// The architecture that a user means by a name or a short name. [`FromStr`] takes names alone: stored files hold
    /// no other spelling.
    ///
    /// # Errors
    /// [`UnknownArchitecture`].
    pub fn named_by_user(text: &str) -> Result<Self, UnknownArchitecture> {
        let short = |it: &Self| it.short_names().contains(&text);
        let known = "grayskull (gs), wormhole_b0 (wh, wormhole) and blackhole (bh)";
        let whole = || text.parse().map_err(|error| UnknownArchitecture { known, ..error });
        Self::ALL.into_iter().find(short).map_or_else(whole, Ok)
    }

    /// PCI configuration word 0: device id in the upper half, vendor id in the lower (tt-kmd
    /// `enumerate.h`).
    pub const fn pci_id(self) -> u32 {
        match self {
            Self::Grayskull => 0xFACA_1E52,
            Self::WormholeB0 => 0x401E_1E52,
            Self::Blackhole => 0xB140_1E52,
        }
    }

    /// The architecture with this configuration word 0.
    pub fn from_pci_id(pci_id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|architecture| architecture.pci_id() == pci_id)
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl From<Architecture> for &'static str {
    fn from(architecture: Architecture) -> Self {
        architecture.name()
    }
}

impl TryFrom<String> for Architecture {
    type Error = UnknownArchitecture;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse()
    }
}

/// The text is not the name of an architecture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown architecture `{text}`; known are {known}")]
pub struct UnknownArchitecture {
    text: String,
    /// The names that can stand there.
    known: &'static str,
}

impl FromStr for Architecture {
    type Err = UnknownArchitecture;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|architecture| architecture.name() == text).ok_or_else(|| {
            UnknownArchitecture {
                text: text.to_owned(),
                known: "grayskull, wormhole_b0 and blackhole",
            }
        })
    }
}

/// One of the five baby RISC-V cores of a Tensix tile.
///
/// Its text form is its number, 0 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[repr(u8)]
pub enum Processor {
    /// Data movement, `RISCV_0`; boots first and releases the others.
    Brisc = 0,
    /// Data movement, `RISCV_1`.
    Ncrisc = 1,
    /// Compute thread 0, UNPACK.
    Trisc0 = 2,
    /// Compute thread 1, MATH.
    Trisc1 = 3,
    /// Compute thread 2, PACK.
    Trisc2 = 4,
}

impl Processor {
    /// Whether the processor moves data; otherwise it computes.
    pub const fn is_data_movement(self) -> bool {
        match self {
            Self::Brisc | Self::Ncrisc => true,
            Self::Trisc0 | Self::Trisc1 | Self::Trisc2 => false,
        }
    }

    /// Every processor in the order of its number.
    pub const ALL: [Self; 5] =
        [Self::Brisc, Self::Ncrisc, Self::Trisc0, Self::Trisc1, Self::Trisc2];

    /// Its place in per-processor tables, 0 to 4.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name that TT-Metalium's reports use, in capitals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brisc => "BRISC",
            Self::Ncrisc => "NCRISC",
            Self::Trisc0 => "TRISC0",
            Self::Trisc1 => "TRISC1",
            Self::Trisc2 => "TRISC2",
        }
    }
}

impl From<Processor> for u8 {
    fn from(processor: Processor) -> Self {
        processor as Self
    }
}

/// The number is not that of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no processor {index}; a tile has 0 (BRISC) to 4 (TRISC2)")]
pub struct UnknownProcessor {
    /// The number.
    pub index: u8,
}

impl TryFrom<u8> for Processor {
    type Error = UnknownProcessor;

    fn try_from(index: u8) -> Result<Self, Self::Error> {
        Self::ALL.get(usize::from(index)).copied().ok_or(UnknownProcessor { index })
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// One of the two networks on chip, which run in opposite directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Noc {
    /// Routes towards greater x, then greater y.
    Noc0 = 0,
    /// Routes towards smaller y, then smaller x.
    Noc1 = 1,
}

impl Noc {
    /// Both networks.
    pub const ALL: [Self; 2] = [Self::Noc0, Self::Noc1];

    /// Its number, 0 or 1.
    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_for_users_and_no_name_means_two_architectures() {
        for architecture in Architecture::ALL {
            assert_eq!(Architecture::named_by_user(architecture.name()), Ok(architecture));
            for short in architecture.short_names() {
                assert_eq!(Architecture::named_by_user(short), Ok(architecture), "{short}");
                let error = short.parse::<Architecture>().unwrap_err().to_string();
                assert!(error.contains(short), "{error}");
                let others = Architecture::ALL.into_iter().filter(|it| *it != architecture);
                assert!(others.into_iter().all(|it| !it.short_names().contains(short)), "{short}");
            }
        }
        for wrong in ["", "WH", "wh ", "wormhole_b", "b"] {
            let error = Architecture::named_by_user(wrong).unwrap_err().to_string();
            for name in Architecture::ALL.into_iter().flat_map(Architecture::short_names) {
                assert!(error.contains(name), "{error}");
            }
        }
    }
}
