//! Descriptions of TT-Metalium's releases: everything that is specific to one release, as data.
//!
//! The folder `releases` has a file for each release. It states the builds of the library, the functions that the
//! executor and the recorder need, slots of tables of virtual functions, offsets of members, sizes of objects, numbers
//! of enums, the firmware's images, the needs of the stand-in for the vendor's compiler, the definitions of names that
//! a program binds, and texts of exceptions. A file that says `like = "0.81.1"` states only what differs from that file,
//! whose exceptions come behind its own; `without` names the functions and hooks of that file that the release lacks.
//!
//! `description.rs` reads a file and refuses what cannot be right. `numbers.rs` has the numbers of enums by the values
//! of captures. `header.rs` makes the C++ header of the numbers: one C++ source serves every release. What differs in kind is
//! in `kinds.rs`, and its C++ in `interface/differences.hpp` alone.
//!
//! # Another release
//!
//! 1. `scripts/metalium fetch SITE RELEASE` unpacks its wheel. `scripts/metalium-releases SITE` prints the description,
//!    and lists the functions that the library lacks and the numbers that a person must find. If functions are missing,
//!    the C++ needs those of the release first.
//!    The forms of generated headers (`bindings`) come from the headers that a build leaves in the release's cache
//!    (`kernel_bindings_generated.h`, `kernel_args_generated.h`).
//!    `launch_messages` says where firmware finds launches (`hostdev/dev_msgs.h`). Without it, no program is stated
//!    for the release, and Hallmark's library checks less. `ProgramImpl::set_runtime_id` is then not needed.
//! 2. The description becomes a file of `releases`, with a line in `FILES`.
//! 3. It is tried with `scripts/metalium-programs/run` for the recorder, and for the executor with
//!    `hallmark compare --shard 1/8` between the simulator and `metalium:SITE@ttsim:PATH`, on both chips and in both modes
//!    of dispatch. A difference that is TT-Metalium's own belongs in `suites/deviations.yaml`, with `since` if older
//!    releases have it too.

mod description;
mod header;
mod kinds;
mod numbers;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use self::description::DescriptionError;
use self::kinds::{Kinds, TileKind};
pub(crate) use self::numbers::UnpackToDestModes;
pub use self::numbers::{BufferTypes, Numbers};
use crate::exceptions::Row;
use hallmark_chip::{Architecture, LaunchMessages};
use hallmark_device_code::bindings::BindingForms;

/// The files, oldest release first.
const FILES: [(&str, &str); 4] = [
    ("0.78.0", include_str!("../releases/0.78.0.toml")),
    ("0.79.0", include_str!("../releases/0.79.0.toml")),
    ("0.80.0", include_str!("../releases/0.80.0.toml")),
    ("0.81.1", include_str!("../releases/0.81.1.toml")),
];

static ALL: LazyLock<Result<Vec<ReleaseDescription>, DescriptionError>> =
    LazyLock::new(|| description::read_all(&FILES));

/// A hooked function of the vendor's library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Its name in the library's dynamic symbol table.
    pub symbol: String,
    /// The name of the handler in `recorder/handlers.hpp`.
    pub handler: String,
    /// The index of the argument `blocking` among the register arguments; index 0 is the object of the method.
    pub blocking: Option<usize>,
}

/// The place of an answer that the recorder asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// A function of the vendor's library, by its dynamic symbol.
    Function(String),
    /// A function of a library that the vendor's one is linked with.
    FunctionBeside(String),
    /// A member of the object, by the bytes in front of it.
    Member(u32),
}

/// An answer that the recorder asks for, by the name in `recorder/functions.def`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedFunction {
    /// The name.
    pub name: String,
    /// Where the release has it.
    pub source: AnswerSource,
}

impl AskedFunction {
    /// The dynamic symbol, if it is a function of the vendor's library.
    pub fn symbol(&self) -> Option<&str> {
        match &self.source {
            AnswerSource::Function(symbol) => Some(symbol),
            AnswerSource::FunctionBeside(_) | AnswerSource::Member(_) => None,
        }
    }
}

/// The needs of the stand-in for the vendor's compiler.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StandIn {
    /// Its own headers, by their paths in the folder `stand_in`.
    pub(crate) headers: Vec<String>,
    /// The kernel that is compiled with the headers of `shadow` instead of the release's.
    pub(crate) shadowed_kernel: String,
    /// Sources of the objects that upstream links with kernels, relative to `tt_metal`; `CHIP` is replaced.
    pub(crate) support: Vec<String>,
    /// The address of `__erisc_jump_table`.
    pub(crate) jump_table: u32,
}

/// How the banks of a firmware image are told.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Firmware {
    /// The folder of the images, relative to upstream's root.
    pub(crate) folder: String,
    /// The image in each of its folders that tells the banks.
    pub(crate) image: String,
    /// The symbol of the table of DRAM banks.
    pub(crate) dram_banks: String,
    /// The symbol of the table of L1 banks.
    pub(crate) l1_banks: String,
    /// The size of an entry in a table of banks.
    pub(crate) bytes_of_a_bank: u64,
    /// The pages of the registers of the overlay's streams: the first, and the first behind them.
    pub(crate) streams: [u32; 2],
}

/// Everything that is specific to a release of TT-Metalium.
#[derive(Clone, Debug)]
pub struct ReleaseDescription {
    version: String,
    builds: Vec<String>,
    functions: BTreeMap<String, String>,
    asked: Vec<AskedFunction>,
    hooks: Vec<Hook>,
    tables: BTreeMap<String, String>,
    kinds: Kinds,
    slots: Places,
    offsets: Places,
    sizes: BTreeMap<String, u32>,
    numbers: Numbers,
    firmware: Firmware,
    stand_in: StandIn,
    bindings: BindingForms,
    exceptions: Vec<Row>,
    launch_messages: BTreeMap<Architecture, LaunchMessages>,
}

/// The numbers of a version, for comparison. A candidate such as `0.82.0rc1` counts as its release.
fn numbers_of(version: &str) -> Vec<u64> {
    let number = |part: &str| {
        let digits = part.find(|it: char| !it.is_ascii_digit()).unwrap_or(part.len());
        part.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or_default()
    };
    version.split('.').map(number).collect()
}

/// Places by class and member.
type Places = BTreeMap<String, BTreeMap<String, u32>>;

impl ReleaseDescription {
    /// The descriptions, oldest release first.
    ///
    /// # Errors
    /// A description of this build of Hallmark cannot be read.
    pub fn all() -> Result<&'static [Self], &'static DescriptionError> {
        ALL.as_ref().map(Vec::as_slice)
    }

    /// The description of a release.
    pub fn of_version(version: &str) -> Option<&'static Self> {
        Self::all().ok()?.iter().find(|release| release.version == version)
    }

    /// The description of the release with a build of the library.
    pub fn of_build(build_id: &str) -> Option<&'static Self> {
        Self::all().ok()?.iter().find(|release| release.knows_build(build_id))
    }

    /// The described release that comes nearest before another one, or else after it.
    pub(crate) fn nearest<'a>(all: &'a [Self], version: &str) -> Option<&'a Self> {
        let mut before = all.iter().filter(|it| numbers_of(&it.version) <= numbers_of(version));
        before.next_back().or_else(|| all.first())
    }

    /// The described releases, as a text lists them.
    pub fn known_versions() -> String {
        let all = Self::all().unwrap_or_default();
        let versions: Vec<&str> = all.iter().map(Self::version).collect();
        match versions.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} and {last}", others.join(", "))
            }
            Some((last, _)) => (*last).to_owned(),
            None => "none".to_owned(),
        }
    }

    /// The newest described release, which texts recommend.
    pub fn newest() -> &'static str {
        let all = Self::all().unwrap_or_default();
        all.last().map_or("of a described release", Self::version)
    }

    /// The release, such as `0.81.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether it is an older release than another one.
    pub fn is_before(&self, other: &Self) -> bool {
        numbers_of(&self.version) < numbers_of(&other.version)
    }

    /// Whether the description was checked against a build of the library.
    pub fn knows_build(&self, build_id: &str) -> bool {
        self.builds.iter().any(|build| build == build_id)
    }

    /// The functions that the executor is linked with: their names for people, and their symbols.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.functions.iter().map(|(name, symbol)| (name.as_str(), symbol.as_str()))
    }

    /// The functions that the recorder asks.
    pub fn asked(&self) -> &[AskedFunction] {
        &self.asked
    }

    /// The functions that the recorder hooks. Calls within the library use its procedure linkage table, and its tables
    /// of virtual functions refer to the dynamic symbols, so a preloaded library intercepts all calls of them.
    pub fn hooks(&self) -> &[Hook] {
        &self.hooks
    }

    /// The symbol of a class's table of virtual functions, and the functions' names with their slots.
    pub(crate) fn table(&self, class: &str) -> Option<(&str, &BTreeMap<String, u32>)> {
        Some((self.tables.get(class)?, self.slots.get(class)?))
    }

    /// The numbers of enums.
    pub const fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Whether a tile has the faces that a program states. Otherwise upstream chooses them by the tile's shape.
    pub(crate) fn takes_faces(&self) -> bool {
        self.kinds.tile == TileKind::TileAndFaces
    }

    /// The C++ header `release.hpp` with slots, offsets, sizes and numbers of enums.
    pub fn header(&self) -> String {
        header::of(self)
    }

    /// How the release defines the names that a program binds.
    pub const fn bindings(&self) -> &BindingForms {
        &self.bindings
    }

    pub(crate) const fn firmware(&self) -> &Firmware {
        &self.firmware
    }

    pub(crate) const fn stand_in(&self) -> &StandIn {
        &self.stand_in
    }

    /// Where the firmware of a chip finds launches, if that is known of the release.
    pub(crate) fn launch_messages(&self, architecture: Architecture) -> Option<LaunchMessages> {
        self.launch_messages.get(&architecture).copied()
    }

    pub(crate) fn exceptions(&self) -> &[Row] {
        &self.exceptions
    }
}
