//! A folder that contains TT-Metalium.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget};

use crate::release::DescriptionError;
use crate::{ReleaseDescription, Simulator};

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
/// The largest list of files that is read, bytes; that of 0.81.1 has 1 MB.
const RECORD_LIMIT: u64 = 64 << 20;

/// The description that a folder's library is used by.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Abi {
    /// That of its own release.
    #[default]
    Described,
    /// That of its own release, or else of the nearest described one, which may be wrong for the library.
    Nearest,
}

/// Whether kernels of TT-Metalium use the instruction `SFPLOADMACRO`, which Tenstorrent's simulator refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadMacros {
    /// Kernels are built as for a card.
    On,
    /// `TT_METAL_DISABLE_SFPLOADMACRO` has the vendor's headers compute the same without the instruction. Results can
    /// differ in the last place.
    Off,
}

impl LoadMacros {
    /// The variables of the environment that TT-Metalium reads the choice from.
    pub fn environment(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::On => None,
            Self::Off => Some(("TT_METAL_DISABLE_SFPLOADMACRO", "1")),
        }
    }
}

/// A folder of TT-Metalium as a user chooses it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteChoice {
    /// The folder.
    pub folder: PathBuf,
    /// The description that its library is used by.
    pub abi: Abi,
    /// Whether its kernels use `SFPLOADMACRO`; `None` is what suits the simulator.
    pub load_macros: Option<LoadMacros>,
}

impl SiteChoice {
    /// The settings that a user has chosen, each as it stands behind the device.
    pub fn settings(&self) -> impl Iterator<Item = &'static str> {
        let abi = match self.abi {
            Abi::Described => None,
            // Every report says that the description may be wrong for the library.
            Abi::Nearest => Some("abi=nearest"),
        };
        let load_macros = self.load_macros.map(|load_macros| match load_macros {
            LoadMacros::On => "sfploadmacro=on",
            LoadMacros::Off => "sfploadmacro=off",
        });
        abi.into_iter().chain(load_macros)
    }

    /// Whether kernels use `SFPLOADMACRO` on a simulator's library.
    pub fn load_macros_on(&self, simulator: Simulator) -> LoadMacros {
        self.load_macros.unwrap_or(match simulator {
            Simulator::Ttsim => LoadMacros::Off,
            Simulator::Hallmark => LoadMacros::On,
        })
    }
}

impl From<PathBuf> for SiteChoice {
    fn from(folder: PathBuf) -> Self {
        Self { folder, abi: Abi::Described, load_macros: None }
    }
}

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
        "{} holds no {LIBRARY}; unpack the ttnn wheel {} there, or name the site-packages folder that it is installed in",
        site.display(), ReleaseDescription::newest()
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
    /// No description covers the wheel's release.
    #[error(
        "{} holds TT-Metalium {found}, and this Hallmark describes {} alone{}; use the ttnn wheel {}{}",
        site.display(), ReleaseDescription::known_versions(), comparison(compared), ReleaseDescription::newest(), or_nearest(compared)
    )]
    OtherRelease {
        /// The folder.
        site: PathBuf,
        /// The wheel's release.
        found: String,
        /// What its library lacks of a described release; `None` if the library cannot be read.
        compared: Option<MissingFunctions>,
    },
    /// The wheel states a described release, but its library is another build.
    #[error(
        "{} says release {release}, but its libtt_metal.so is a build that the description of {release} does not cover (build id {found}); use the ttnn wheel {release} of PyPI, or try it with abi=nearest, with which nothing is recorded",
        site.display()
    )]
    OtherBuild {
        /// The folder.
        site: PathBuf,
        /// The wheel's release.
        release: String,
        /// The GNU build id of its library; `none` if it has none.
        found: String,
    },
    /// The library is another release's than the wheel states.
    #[error(
        "{} says release {said}, but its libtt_metal.so is that of {library} (build id {build_id}): two releases are mixed there; unpack one ttnn wheel in an empty folder",
        site.display()
    )]
    Mixed {
        /// The folder.
        site: PathBuf,
        /// The release that the wheel's metadata states.
        said: String,
        /// The release of the library.
        library: String,
        /// The library's GNU build id.
        build_id: String,
    },
    /// The library of a described release lacks functions.
    #[error(
        "libtt_metal.so of TT-Metalium {} in {} lacks {missing}; unpack the ttnn wheel again",
        missing.release, site.display()
    )]
    NoFunctions {
        /// The folder.
        site: PathBuf,
        /// The functions.
        missing: MissingFunctions,
    },
    /// A virtual function has another slot than in the nearest description.
    #[error(transparent)]
    OtherSlot(#[from] Box<OtherSlot>),
    /// The library is damaged.
    #[error("{} is no whole library: {reason}{}; unpack the ttnn wheel again", path.display(), of_record(recorded))]
    Damaged {
        /// The library.
        path: PathBuf,
        /// The message of the ELF reader.
        reason: String,
        /// Its size, and the size that the wheel's list of files states.
        recorded: Option<[u64; 2]>,
    },
    /// A description of this build of Hallmark cannot be read.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// A file cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The message of the system or of the ELF reader.
        reason: String,
    },
}

/// A slot of a table of virtual functions that holds another function than the description has there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "libtt_metal.so of TT-Metalium {found} in {} cannot be used by the description of {release}: slot {slot} of the table of {class} holds {}, and not {function}; use the ttnn wheel {}",
    site.display(), holds.as_deref().unwrap_or("no function"), ReleaseDescription::newest()
)]
pub struct OtherSlot {
    /// The folder.
    pub site: PathBuf,
    /// The wheel's release.
    pub found: String,
    /// The described release.
    pub release: String,
    /// The class.
    pub class: String,
    /// The slot.
    pub slot: u32,
    /// The symbol of the function in the slot.
    pub holds: Option<String>,
    /// The function that the description has there.
    pub function: String,
}

/// Functions that a library lacks of those that Hallmark calls in a described release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFunctions {
    /// The described release.
    pub release: String,
    /// Their names for people.
    pub names: Vec<String>,
}

/// The number of missing functions that a text names.
const NAMED: usize = 8;

impl std::fmt::Display for MissingFunctions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, shown) = (self.names.len(), self.names.iter().take(NAMED));
        let shown: Vec<&str> = shown.map(String::as_str).collect();
        let functions = if count == 1 { "function" } else { "functions" };
        write!(formatter, "{count} {functions} that Hallmark calls: {}", shown.join(", "))?;
        match count.checked_sub(NAMED) {
            Some(more) if more > 0 => write!(formatter, " and {more} more"),
            Some(_) | None => Ok(()),
        }
    }
}

/// What a library of an unknown release has of a described one, as a clause.
fn comparison(compared: &Option<MissingFunctions>) -> String {
    match compared {
        None => String::new(),
        Some(missing) if missing.names.is_empty() => {
            format!("; its library has every function that Hallmark calls in {}", missing.release)
        }
        Some(missing) => {
            format!("; compared with {}, its library lacks {missing}", missing.release)
        }
    }
}

/// The way to try a library of an unknown release, if it has every function.
fn or_nearest(compared: &Option<MissingFunctions>) -> &'static str {
    match compared {
        Some(missing) if missing.names.is_empty() => {
            ", or try it with abi=nearest, with which nothing is recorded"
        }
        Some(_) | None => "",
    }
}

fn of_record(recorded: &Option<[u64; 2]>) -> String {
    match recorded {
        Some([has, states]) => {
            format!("; it has {has} B, and the wheel's list of files says {states}")
        }
        None => String::new(),
    }
}

/// A folder that contains a described release of TT-Metalium, or one that is used by the nearest description.
#[derive(Clone, Debug)]
pub struct Site {
    folder: PathBuf,
    version: String,
    build_id: String,
    release: &'static ReleaseDescription,
}

impl Site {
    /// Inspects a folder without executing anything in it.
    ///
    /// # Errors
    /// [`SiteError`]: it contains no TT-Metalium, an incomplete one, or one that no description covers.
    pub fn open(choice: &SiteChoice) -> Result<Self, SiteError> {
        let SiteChoice { folder, abi, load_macros: _ } = choice;
        let site = || folder.to_owned();
        if !folder.is_dir() {
            return Err(SiteError::NoFolder { site: site() });
        }
        let path = folder.join(LIBRARY);
        if !path.is_file() {
            return Err(SiteError::NoLibrary { site: site() });
        }
        let found = version(folder)?;
        let all = ReleaseDescription::all().map_err(Clone::clone)?;
        let Some(release) = found.as_deref().and_then(ReleaseDescription::of_version) else {
            return Self::of_other_release(folder, *abi, found, all);
        };
        check_complete(folder)?;
        let library = Library::read(folder, Some(release.version()))?;
        check_mixed(folder, release.version(), &library)?;
        let version = release.version().to_owned();
        if !release.knows_build(&library.build_id) {
            if *abi == Abi::Nearest {
                return Self::by_nearest(folder, version, release, library);
            }
            let found = library.build_id;
            return Err(SiteError::OtherBuild { site: site(), release: version, found });
        }
        check_functions(folder, library.lacks(release)?)?;
        Ok(Self { folder: site(), version, build_id: library.build_id, release })
    }

    /// The site of a release that no description covers, if it is asked for and nothing speaks against it.
    fn of_other_release(
        folder: &Path,
        abi: Abi,
        found: Option<String>,
        all: &'static [ReleaseDescription],
    ) -> Result<Self, SiteError> {
        let library = Library::read(folder, found.as_deref());
        if let (Ok(library), Some(found)) = (&library, &found) {
            check_mixed(folder, found, library)?;
        }
        // The folder may lack its metadata while its library is known.
        let known = match (&library, &found) {
            (Ok(library), None) => ReleaseDescription::of_build(&library.build_id),
            _ => None,
        };
        let nearest = known
            .or_else(|| ReleaseDescription::nearest(all, found.as_deref().unwrap_or_default()));
        let version = found.unwrap_or_else(|| "of an unknown release".to_owned());
        if let (Abi::Nearest, Some(nearest)) = (abi, nearest) {
            check_complete(folder)?;
            return Self::by_nearest(folder, version, nearest, library?);
        }
        let compared = library.ok().zip(nearest);
        let compared = compared.and_then(|(library, nearest)| library.lacks(nearest).ok());
        Err(SiteError::OtherRelease { site: folder.to_owned(), found: version, compared })
    }

    /// The site of a library that no description covers, by the nearest one, if the library has its functions and its
    /// slots.
    fn by_nearest(
        folder: &Path,
        version: String,
        release: &'static ReleaseDescription,
        library: Library,
    ) -> Result<Self, SiteError> {
        let missing = library.lacks(release)?;
        if !missing.names.is_empty() {
            let compared = Some(missing);
            return Err(SiteError::OtherRelease {
                site: folder.to_owned(),
                found: version,
                compared,
            });
        }
        for class in CLASSES {
            if let Some((slot, holds, function)) = library.other_slot(release, class)? {
                return Err(SiteError::OtherSlot(Box::new(OtherSlot {
                    site: folder.to_owned(),
                    found: version,
                    release: release.version().to_owned(),
                    class: class.to_owned(),
                    slot,
                    holds,
                    function: function.to_owned(),
                })));
            }
        }
        Ok(Self { folder: folder.to_owned(), version, build_id: library.build_id, release })
    }

    /// Its release, as reports name it. A build without a description of its own is named with the description that it is used by.
    pub fn name(&self) -> String {
        let described = self.release.version();
        match self.release.knows_build(&self.build_id) {
            true => self.version.clone(),
            false => {
                format!("{} by the description of {described}, which nobody checked", self.version)
            }
        }
    }

    /// The description of its library.
    pub const fn release(&self) -> &'static ReleaseDescription {
        self.release
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

    /// The functions among `names` that are missing in the dynamic symbol table of the site's library.
    ///
    /// # Errors
    /// The library cannot be read.
    pub fn missing_functions<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<&'a str>, SiteError> {
        Library::read(&self.folder, Some(self.release.version()))?.missing(names)
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
fn version(folder: &Path) -> Result<Option<String>, SiteError> {
    let unreadable = |error: std::io::Error| SiteError::Unreadable {
        path: folder.to_owned(),
        reason: error.to_string(),
    };
    let mut releases = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let release =
            name.to_str().and_then(|name| name.strip_prefix("ttnn-")?.strip_suffix(".dist-info"));
        releases.extend(release.map(str::to_owned));
    }
    if releases.len() > 1 {
        releases.sort_unstable();
        let reason = format!(
            "it holds the metadata of several wheels ({}): unpack one wheel into an empty folder",
            releases.join(", ")
        );
        return Err(SiteError::Unreadable { path: folder.to_owned(), reason });
    }
    Ok(releases.pop())
}

/// Refuses a wheel that lacks a part.
fn check_complete(folder: &Path) -> Result<(), SiteError> {
    match NEEDED.into_iter().find(|needed| !folder.join(needed).exists()) {
        Some(missing) => Err(SiteError::Incomplete { site: folder.to_owned(), missing }),
        None => Ok(()),
    }
}

/// Refuses a library of a described build that lacks functions.
fn check_functions(folder: &Path, missing: MissingFunctions) -> Result<(), SiteError> {
    if missing.names.is_empty() {
        return Ok(());
    }
    Err(SiteError::NoFunctions { site: folder.to_owned(), missing })
}

/// Refuses a library that is another described release's than the wheel states.
fn check_mixed(folder: &Path, said: &str, library: &Library) -> Result<(), SiteError> {
    match ReleaseDescription::of_build(&library.build_id) {
        Some(own) if own.version() != said => Err(SiteError::Mixed {
            site: folder.to_owned(),
            said: said.to_owned(),
            library: own.version().to_owned(),
            build_id: library.build_id.clone(),
        }),
        Some(_) | None => Ok(()),
    }
}

/// The classes whose virtual functions the executor calls.
const CLASSES: [&str; 1] = ["MeshCommandQueue"];
/// Bytes in front of the first slot of a table, and of a slot.
const TABLE_HEAD: u64 = 16;
const SLOT: u64 = 8;

/// A slot, the symbol of the function that it holds, and the name of the function that a description has there.
type HeldSlot<'r> = (u32, Option<String>, &'r str);

/// The vendor's library, read and not loaded.
struct Library {
    path: PathBuf,
    bytes: Vec<u8>,
    /// `none` if it has none.
    build_id: String,
    recorded: Option<[u64; 2]>,
}

impl Library {
    /// Reads the library of a site. The wheel's list of files says how large a whole one is.
    fn read(folder: &Path, version: Option<&str>) -> Result<Self, SiteError> {
        let path = folder.join(LIBRARY);
        let unreadable = |reason: String| SiteError::Unreadable { path: path.clone(), reason };
        let length = std::fs::metadata(&path).map_err(|error| unreadable(error.to_string()))?.len();
        if length > LIBRARY_LIMIT {
            return Err(unreadable(format!("it has more than {LIBRARY_LIMIT} B")));
        }
        let bytes = std::fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
        let stated = version.and_then(|version| recorded_size(folder, version));
        let recorded = stated.filter(|stated| *stated != length).map(|stated| [length, stated]);
        let mut library = Self { path, bytes, build_id: String::new(), recorded };
        let id =
            library.elf()?.build_id().map_err(|error| library.damaged(&error))?.map(hexadecimal);
        library.build_id = id.unwrap_or_else(|| "none".to_owned());
        Ok(library)
    }

    fn damaged(&self, error: &object::Error) -> SiteError {
        let (path, recorded) = (self.path.clone(), self.recorded);
        SiteError::Damaged { path, reason: error.to_string(), recorded }
    }

    fn elf(&self) -> Result<ElfFile64<'_>, SiteError> {
        ElfFile64::parse(&*self.bytes).map_err(|error| self.damaged(&error))
    }

    /// The names that its dynamic symbol table does not define.
    fn missing<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<&'a str>, SiteError> {
        let elf = self.elf()?;
        let defined = elf.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let defined: HashSet<&[u8]> =
            defined.filter_map(|symbol| symbol.name_bytes().ok()).collect();
        Ok(names.into_iter().filter(|name| !defined.contains(name.as_bytes())).collect())
    }

    /// The first slot of a class's table of virtual functions that holds another function than a description has there.
    /// The table refers to its functions by relocations with their symbols.
    fn other_slot<'r>(
        &self,
        release: &'r ReleaseDescription,
        class: &str,
    ) -> Result<Option<HeldSlot<'r>>, SiteError> {
        let Some((table, slots)) = release.table(class) else { return Ok(None) };
        let elf = self.elf()?;
        let mut symbols = elf.dynamic_symbols();
        let table = symbols.find(|symbol| symbol.name_bytes() == Ok(table.as_bytes()));
        let start = table.map(|table| table.address().saturating_add(TABLE_HEAD));
        let symbols = elf.dynamic_symbol_table();
        let mut held: HashMap<u64, String> = HashMap::new();
        for (place, relocation) in elf.dynamic_relocations().into_iter().flatten() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let symbol = symbols.and_then(|symbols| symbols.symbol_by_index(index).ok());
            if let Some(name) = symbol.and_then(|symbol| symbol.name().ok().map(str::to_owned)) {
                held.insert(place, name);
            }
        }
        Ok(slots.iter().find_map(|(function, &slot)| {
            let offset = u64::from(slot).saturating_mul(SLOT);
            let holds = start.and_then(|start| held.get(&start.saturating_add(offset)));
            // A name within a mangled one stands behind its length.
            let mangled = format!("{}{function}", function.len());
            let is_digit = |it: char| it.is_ascii_digit();
            let is_there = holds.is_some_and(|holds| {
                let mut before = holds.match_indices(&mangled).map(|(at, _)| holds.get(..at));
                before.any(|before| before.is_some_and(|before| !before.ends_with(is_digit)))
            });
            (!is_there).then(|| (slot, holds.cloned(), function.as_str()))
        }))
    }

    /// The executor's functions that it lacks of a release's.
    fn lacks(&self, release: &ReleaseDescription) -> Result<MissingFunctions, SiteError> {
        let missing: HashSet<&str> =
            self.missing(release.functions().map(|(_, symbol)| symbol))?.into_iter().collect();
        let names = release.functions().filter(|(_, symbol)| missing.contains(symbol));
        let names = names.map(|(name, _)| name.to_owned()).collect();
        Ok(MissingFunctions { release: release.version().to_owned(), names })
    }
}

/// The size of the library in the wheel's list of files, if it has a list.
fn recorded_size(folder: &Path, version: &str) -> Option<u64> {
    let list = folder.join(format!("ttnn-{version}.dist-info/RECORD"));
    let length = std::fs::metadata(&list).ok()?.len();
    if length > RECORD_LIMIT {
        return None;
    }
    let list = std::fs::read_to_string(list).ok()?;
    let mut sizes = list.lines().filter_map(|line| line.strip_prefix(LIBRARY)?.rsplit(',').next());
    sizes.next()?.parse().ok()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
