//! A simulator's library in the form that TT-Metalium expects: with a `soc_descriptor.yaml` beside it.

use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;
use object::read::elf::ElfFile64;
use object::{NameOrOrdinal, Object as _};

use crate::Site;
use crate::installation::{PrepareError, link};

/// A simulator's library that TT-Metalium cannot use as its chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorLibraryError {
    /// The release has no description of this chip.
    #[error("TT-Metalium has no {architecture}; use wormhole_b0 or blackhole")]
    NoChip {
        /// The architecture of the capture.
        architecture: Architecture,
    },
    /// The library does not exist.
    #[error("the simulator's library {} is not there", path.display())]
    Missing {
        /// The path of the library.
        path: PathBuf,
    },
    /// The folder of the link cannot be made.
    #[error(transparent)]
    Folder(#[from] PrepareError),
}

/// The maker of a simulator's library.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Simulator {
    /// Tenstorrent.
    Ttsim,
    /// Hallmark: the library accepts annotations, and detects races and uses of unwritten memory.
    Hallmark,
}

impl Simulator {
    /// The function that Hallmark's library exports besides those of Tenstorrent's.
    const ANNOTATE: &'static [u8] = b"hallmark_annotate";

    /// The maker of a simulator's library, by its exported functions. A file that is no library counts as
    /// Tenstorrent's, because opening it reports the problem.
    pub fn of(library: &Path) -> Self {
        let Ok(bytes) = std::fs::read(library) else { return Self::Ttsim };
        let elf: Result<ElfFile64<'_>, _> = ElfFile64::parse(&*bytes);
        let Ok(mut exports) = elf.and_then(|elf| elf.exports()?.collect::<Result<Vec<_>, _>>())
        else {
            return Self::Ttsim;
        };
        exports.retain(|export| export.name() == NameOrOrdinal::Name(Self::ANNOTATE));
        if exports.is_empty() { Self::Ttsim } else { Self::Hallmark }
    }
}

/// A link to a simulator's library, with the vendor's description of the chip beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatorLibrary {
    link: PathBuf,
}

/// The path of each chip's description in the form for simulators, relative to the site's `soc_descriptors`.
const fn description(architecture: Architecture) -> Option<&'static str> {
    match architecture {
        Architecture::Grayskull => None,
        Architecture::WormholeB0 => Some("wormhole_b0_80_arch.yaml"),
        Architecture::Blackhole => Some("blackhole_140_arch.yaml"),
    }
}

impl SimulatorLibrary {
    /// Links a library into a folder of the cache. The library's own folder is not modified.
    ///
    /// # Errors
    /// [`SimulatorLibraryError`].
    pub fn link(
        site: &Site,
        cache: &Path,
        library: &Path,
        architecture: Architecture,
    ) -> Result<Self, SimulatorLibraryError> {
        let Some(description) = description(architecture) else {
            return Err(SimulatorLibraryError::NoChip { architecture });
        };
        if !library.is_file() {
            return Err(SimulatorLibraryError::Missing { path: library.to_owned() });
        }
        let key = blake3::hash(library.as_os_str().as_encoded_bytes()).to_hex();
        let folder = cache.join("chips").join(format!(
            "{}-{}",
            architecture.name(),
            key.get(..16).unwrap_or_default()
        ));
        let descriptions = site.root().join("tt_metal/soc_descriptors");
        link(&descriptions.join(description), &folder.join("soc_descriptor.yaml"))?;
        let own = folder.join("libttsim.so");
        link(library, &own)?;
        Ok(Self { link: own })
    }

    /// The value of `TT_METAL_SIMULATOR`.
    pub fn path(&self) -> &Path {
        &self.link
    }
}
