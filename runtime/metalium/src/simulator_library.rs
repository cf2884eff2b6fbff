//! A simulator's library where TT-Metalium looks for it: with a `soc_descriptor.yaml` beside it.

use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;
use object::read::elf::ElfFile64;
use object::{NameOrOrdinal, Object as _};

use crate::Site;
use crate::installation::{PrepareError, link};

/// A simulator's library cannot be TT-Metalium's chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorLibraryError {
    /// The release has no description of such a chip.
    #[error("TT-Metalium has no {architecture}; use wormhole_b0 or blackhole")]
    NoChip {
        /// The architecture of the capture.
        architecture: Architecture,
    },
    /// The library is not there.
    #[error("the simulator's library {} is not there", path.display())]
    Missing {
        /// The file that was named.
        path: PathBuf,
    },
    /// The folder with the link cannot be made.
    #[error(transparent)]
    Folder(#[from] PrepareError),
}

/// Whose simulator a library holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Simulator {
    /// The vendor's.
    Ttsim,
    /// Hallmark's: it takes annotations, and finds races and uses of what nobody wrote.
    Hallmark,
}

impl Simulator {
    /// The function that Hallmark's library exports beside those of the vendor's.
    const ANNOTATE: &'static [u8] = b"hallmark_annotate";

    /// Whose simulator a file holds, by what it exports. What is no library counts as the vendor's: whoever opens it
    /// says what is wrong with it.
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

/// The description of each chip as simulators have it, relative to the site's `soc_descriptors`.
const fn description(architecture: Architecture) -> Option<&'static str> {
    match architecture {
        Architecture::Grayskull => None,
        Architecture::WormholeB0 => Some("wormhole_b0_80_arch.yaml"),
        Architecture::Blackhole => Some("blackhole_140_arch.yaml"),
    }
}

impl SimulatorLibrary {
    /// Links a library in a folder of the cache. Nothing is written beside the library itself.
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

    /// What `TT_METAL_SIMULATOR` holds.
    pub fn path(&self) -> &Path {
        &self.link
    }
}
