//! A folder that contains TT-Metalium.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSymbol as _, read::elf::ElfFile64};

/// The release of TT-Metalium whose ABI is declared here.
pub const RELEASE: &str = "0.81.1";

/// GNU build ids of the builds of [`RELEASE`] against which the ABI's declarations were checked.
const KNOWN_BUILDS: [&str; 1] = ["23bb346fe8447951975aca3c3eb261b08372522d"];

/// The path of the library, relative to a site.
const LIBRARY: &str = "ttnn/build/lib/libtt_metal.so";
/// Other paths that a replay needs, relative to a site.
const NEEDED: [&str; 5] = [
    "ttnn/tt_metal/hw/inc",
    "ttnn/tt_metal/pre-compiled",
    "ttnn/tt_metal/soc_descriptors",
    "ttnn/runtime/hw/toolchain",
    "ttnn.libs",
];
/// The path of the vendor's compiler, if it is installed, relative to a site.
const COMPILER: &str = "ttnn/runtime/sfpi/compiler/bin/riscv-tt-elf-g++";

/// The largest accepted library, bytes.
const LIBRARY_LIMIT: u64 = 1 << 30;

/// A folder without a usable TT-Metalium.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// The folder does not exist.
    #[error("{} is not a folder; name the folder that holds the unpacked or installed ttnn wheel", site.display())]
    NoFolder {
        /// The folder.
        site: PathBuf,
    },
    /// The folder contains no ttnn.
    #[error(
        "{} holds no {LIBRARY}; unpack the ttnn wheel {RELEASE} there, or name the site-packages folder that it is installed in",
        site.display()
    )]
    NoLibrary {
        /// The folder.
        site: PathBuf,
    },
    /// A part of the wheel is missing.
    #[error("the ttnn wheel in {} is incomplete: {missing} is missing; unpack it again", site.display())]
    Incomplete {
        /// The folder.
        site: PathBuf,
        /// The missing path, relative to the folder.
        missing: &'static str,
    },
    /// The wheel is of another release.
    #[error(
        "{} holds TT-Metalium {found}, and this Hallmark knows the ABI of {RELEASE} alone; use the ttnn wheel {RELEASE}",
        site.display()
    )]
    OtherRelease {
        /// The folder.
        site: PathBuf,
        /// The wheel's release.
        found: String,
    },
    /// The wheel states the known release, but its library is another build.
    #[error(
        "{} says release {RELEASE}, but its libtt_metal.so is a build whose ABI was not checked (build id {found}); use the ttnn wheel of PyPI",
        site.display()
    )]
    OtherBuild {
        /// The folder.
        site: PathBuf,
        /// The GNU build id of its library; `none` if it has none.
        found: String,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The message of the system or of the ELF reader.
        reason: String,
    },
}

/// A folder that contains the supported release of TT-Metalium.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    folder: PathBuf,
    build_id: String,
}

impl Site {
    /// Inspects a folder without executing anything in it.
    ///
    /// # Errors
    /// [`SiteError`]: it contains no TT-Metalium, an incomplete one, or another release.
    pub fn open(folder: &Path) -> Result<Self, SiteError> {
        let site = || folder.to_owned();
        if !folder.is_dir() {
            return Err(SiteError::NoFolder { site: site() });
        }
        let library = folder.join(LIBRARY);
        if !library.is_file() {
            return Err(SiteError::NoLibrary { site: site() });
        }
        let found = release(folder)?;
        if found != RELEASE {
            return Err(SiteError::OtherRelease { site: site(), found });
        }
        if let Some(missing) = NEEDED.into_iter().find(|needed| !folder.join(needed).exists()) {
            return Err(SiteError::Incomplete { site: site(), missing });
        }
        let build_id = build_id(&library)?;
        if !KNOWN_BUILDS.contains(&build_id.as_str()) {
            return Err(SiteError::OtherBuild { site: site(), found: build_id });
        }
        Ok(Self { folder: folder.to_owned(), build_id })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The GNU build id of `libtt_metal.so`, hexadecimal.
    pub fn build_id(&self) -> &str {
        &self.build_id
    }

    /// Whether the vendor's compiler for kernels is installed. Otherwise a stand-in replaces it.
    pub fn has_compiler(&self) -> bool {
        self.compiler().is_some()
    }

    /// The functions among `functions` that are missing in the dynamic symbol table of the site's library.
    ///
    /// # Errors
    /// The library cannot be read.
    pub fn missing_functions<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<&'a str>, SiteError> {
        let bytes = read(&self.library())?;
        let elf = parse(&self.library(), &bytes)?;
        let defined = elf.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let defined: HashSet<&[u8]> =
            defined.filter_map(|symbol| symbol.name_bytes().ok()).collect();
        Ok(names.into_iter().filter(|name| !defined.contains(name.as_bytes())).collect())
    }

    /// `libtt_metal.so`.
    pub(crate) fn library(&self) -> PathBuf {
        self.folder.join(LIBRARY)
    }

    /// The folder that upstream calls its runtime root.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("ttnn")
    }

    /// The vendor's compiler, if it is installed.
    pub(crate) fn compiler(&self) -> Option<PathBuf> {
        Some(self.folder.join(COMPILER)).filter(|compiler| compiler.is_file())
    }
}

/// The release in the name of the wheel's metadata folder, `ttnn-<release>.dist-info`.
fn release(folder: &Path) -> Result<String, SiteError> {
    let unreadable = |error: std::io::Error| SiteError::Unreadable {
        path: folder.to_owned(),
        reason: error.to_string(),
    };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let release =
            name.to_str().and_then(|name| name.strip_prefix("ttnn-")?.strip_suffix(".dist-info"));
        if let Some(release) = release {
            return Ok(release.to_owned());
        }
    }
    Ok("of an unknown release".to_owned())
}

fn unreadable(library: &Path, reason: String) -> SiteError {
    SiteError::Unreadable { path: library.to_owned(), reason }
}

fn read(library: &Path) -> Result<Vec<u8>, SiteError> {
    let unreadable = |reason: String| unreadable(library, reason);
    let length = std::fs::metadata(library).map_err(|error| unreadable(error.to_string()))?.len();
    if length > LIBRARY_LIMIT {
        return Err(unreadable(format!("it has more than {LIBRARY_LIMIT} B")));
    }
    std::fs::read(library).map_err(|error| unreadable(error.to_string()))
}

fn parse<'a>(library: &Path, bytes: &'a [u8]) -> Result<ElfFile64<'a>, SiteError> {
    ElfFile64::parse(bytes).map_err(|error| unreadable(library, error.to_string()))
}

fn build_id(library: &Path) -> Result<String, SiteError> {
    let bytes = read(library)?;
    let elf = parse(library, &bytes)?;
    let id = elf.build_id().map_err(|error| unreadable(library, error.to_string()))?;
    Ok(id.map_or_else(|| "none".to_owned(), hexadecimal))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
