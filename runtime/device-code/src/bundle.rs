//! The firmware bundle: the resident programs of the five cores, and the resources that they leave to kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription, Processor};
use hallmark_schema::model::ContentHash;
use serde::{Deserialize, Serialize};

use super::dispatch_abi::{DISPATCH_ABI, DispatchTile};
use super::kernel_elf::{KernelElfError, LoadedElf, SymbolTable};
use super::private_memory::kernel_private_memory;
use super::profiler_markers::ZoneName;
use super::{BankTables, LAUNCH_ABI, Mailbox, limits, refuse_links};
use super::{profiler_abi, promises};

/// A range of addresses, the end not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRange {
    /// The first address.
    pub start: u32,
    /// The first address past the range.
    pub end: u32,
}

impl MemoryRange {
    /// The number of bytes in the range.
    pub const fn size(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether a range lies inside.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

impl fmt::Display for MemoryRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}..{:#x}", self.start, self.end)
    }
}

/// The division of a tile's L1 by firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileMemoryMap {
    /// The images of all five cores, as the host writes them.
    pub firmware: MemoryRange,
    /// The words described by [`Mailbox`].
    pub mailbox: MemoryRange,
    /// The room for [`BankTables`].
    pub bank_tables: MemoryRange,
    /// Launch blocks, kernels, arguments, semaphores and circular buffer tables.
    pub kernel_config: MemoryRange,
    /// The first address of circular buffers and L1 buffers.
    pub unreserved_base: u32,
    /// Markers of a profile, if the firmware writes some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiler: Option<MemoryRange>,
}

/// The division of a core's private RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateSplit {
    /// Firmware's own data.
    pub firmware: MemoryRange,
    /// The kernels' data; kernels are linked to it.
    pub kernel: MemoryRange,
    /// The stack, shared by firmware and kernel.
    pub stack: MemoryRange,
}

/// The limits of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Unique plus common runtime arguments of a kernel on a core.
    pub runtime_args: u32,
    /// Semaphores per core.
    pub semaphores: u32,
    /// Circular buffers per core.
    pub circular_buffers: u32,
}

/// The state in which firmware leaves the cores' data caches to kernels. Kernels do not depend on it: they load
/// an awaited word after `invalidate_l1_cache`, and must not rely on stale data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataCacheState {
    /// The chip has none.
    Absent,
    /// Turned off.
    Off,
    /// Turned on.
    On,
}

impl DataCacheState {
    /// The name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Off => "off",
            Self::On => "on",
        }
    }
}

/// One core's part of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestImage {
    /// The ELF beside the manifest.
    pub file: String,
    /// The address at which the host writes the image.
    pub load_address: u32,
    /// The start address of the core.
    pub entry: u32,
    /// The division of the core's private RAM.
    pub private: PrivateSplit,
}

/// The dispatcher's part of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestDispatch {
    /// The ELF beside the manifest, which BRISC of a dispatch tile runs.
    pub file: String,
    /// The dispatch ABI of the dispatcher and of the workers' firmware.
    pub dispatch_abi: u32,
}

/// `manifest.json` of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The bundle's name and version.
    pub name: String,
    /// The bundle's launch ABI.
    pub launch_abi: u32,
    /// The bundle's architecture.
    pub architecture: String,
    /// BRISC's image.
    pub brisc: ManifestImage,
    /// NCRISC's image.
    pub ncrisc: ManifestImage,
    /// TRISC0's image.
    pub trisc0: ManifestImage,
    /// TRISC1's image.
    pub trisc1: ManifestImage,
    /// TRISC2's image.
    pub trisc2: ManifestImage,
    /// The division of L1.
    pub memory: TileMemoryMap,
    /// The limits of a launch.
    pub limits: Limits,
    /// The state of the data cache when a kernel starts.
    pub data_cache: DataCacheState,
    /// The program of dispatch tiles; without it the bundle supports only dispatch by the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<ManifestDispatch>,
}

impl Manifest {
    /// The names of its files, each once.
    pub fn files(&self) -> BTreeSet<&str> {
        let images = Processor::ALL.iter().map(|&processor| self.image(processor).file.as_str());
        images.chain(self.dispatch.iter().map(|dispatch| dispatch.file.as_str())).collect()
    }

    /// A core's part.
    pub const fn image(&self, processor: Processor) -> &ManifestImage {
        match processor {
            Processor::Brisc => &self.brisc,
            Processor::Ncrisc => &self.ncrisc,
            Processor::Trisc0 => &self.trisc0,
            Processor::Trisc1 => &self.trisc1,
            Processor::Trisc2 => &self.trisc2,
        }
    }

    pub(super) const fn image_mut(&mut self, processor: Processor) -> &mut ManifestImage {
        match processor {
            Processor::Brisc => &mut self.brisc,
            Processor::Ncrisc => &mut self.ncrisc,
            Processor::Trisc0 => &mut self.trisc0,
            Processor::Trisc1 => &mut self.trisc1,
            Processor::Trisc2 => &mut self.trisc2,
        }
    }
}

/// The image that the host writes to L1 for one core before it releases BRISC.
#[derive(Clone, Debug)]
pub struct FirmwareImage {
    /// The processor that starts at its entry.
    pub processor: Processor,
    /// The image's address in L1.
    pub load_address: u32,
    /// The image.
    pub bytes: Vec<u8>,
    /// Names of its addresses, for reports.
    pub symbols: SymbolTable,
    /// The names of its profile markers; empty for firmware without markers.
    pub zones: Vec<ZoneName>,
}

/// The file of a bundle's manifest.
const MANIFEST_FILE: &str = "manifest.json";

/// A verified firmware bundle.
#[derive(Clone, Debug)]
pub struct FirmwareBundle {
    manifest: Manifest,
    images: Vec<FirmwareImage>,
    dispatcher: Option<FirmwareImage>,
    hash: ContentHash,
}

/// A bundle that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("firmware bundle {bundle}: {problem}")]
pub struct BundleError {
    /// The folder, or `built-in`.
    pub bundle: String,
    /// The problem.
    #[source]
    pub problem: BundleProblem,
}

/// A problem of a bundle.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BundleProblem {
    /// A file cannot be read.
    #[error("cannot read {}: {reason}", file.display())]
    Unreadable {
        /// The path, within the bundle or of it.
        file: PathBuf,
        /// The error of the operating system.
        reason: Arc<std::io::Error>,
    },
    /// The manifest is invalid JSON or has a wrong structure.
    #[error("manifest.json: {0}")]
    Manifest(Arc<serde_json::Error>),
    /// The bundle has another launch ABI than this build.
    #[error(
        "the bundle has launch ABI {found}, but this build of Hallmark launches through ABI {}",
        LAUNCH_ABI
    )]
    LaunchAbi {
        /// The manifest's launch ABI.
        found: u32,
    },
    /// The dispatcher has another dispatch ABI than this build.
    #[error(
        "the dispatcher has dispatch ABI {found}, but this build of Hallmark dispatches through ABI {}",
        DISPATCH_ABI
    )]
    DispatchAbi {
        /// The manifest's dispatch ABI.
        found: u32,
    },
    /// The bundle is for another architecture.
    #[error("the bundle is for {found}, not for {expected}")]
    Architecture {
        /// The manifest's architecture.
        found: String,
        /// The requested architecture.
        expected: Architecture,
    },
    /// An invalid range in the manifest.
    #[error("manifest.json: {what} {range} {reason}")]
    Range {
        /// The name of the range in the manifest.
        what: &'static str,
        /// The range: start and end in L1.
        range: MemoryRange,
        /// The rule that the range breaks.
        reason: &'static str,
    },
    /// A limit of the manifest that is out of range.
    #[error(
        "manifest.json: limit {what} is {value}; it must be at least {least}, which the host API promises, and at most {most}"
    )]
    Limit {
        /// The name of the limit in the manifest.
        what: &'static str,
        /// The limit's value.
        value: u32,
        /// The least value, which the host API promises.
        least: u32,
        /// The largest value that the launch ABI can hold.
        most: u32,
    },
    /// The manifest's data cache state does not fit the chip.
    #[error(
        "manifest.json: data_cache is `{}`, but this chip {}",
        found.name(),
        if *exists { "has a data cache: write `off` or `on`" } else { "has no data cache: write `absent`" }
    )]
    DataCache {
        /// The manifest's state.
        found: DataCacheState,
        /// Whether the chip has a data cache.
        exists: bool,
    },
    /// A file name of the manifest that leads out of the folder.
    #[error("manifest.json: `{0}` is not a plain file name")]
    FileName(String),
    /// An ELF that cannot be used.
    #[error("{file}: {error}")]
    Elf {
        /// The ELF's path, as the manifest names it.
        file: String,
        /// The problem of the ELF.
        error: KernelElfError,
    },
    /// An ELF that contradicts the manifest.
    #[error("{file}: {what} is {found:#x}, but the manifest says {expected:#x}")]
    Disagreement {
        /// The ELF's file name.
        file: String,
        /// The field of the manifest.
        what: &'static str,
        /// The value in the ELF.
        found: u32,
        /// The value in the manifest.
        expected: u32,
    },
}

hallmark_chip::error_checks! {
    BundleProblem: LaunchAbi, DispatchAbi, Architecture, Range, Limit, DataCache, FileName, Disagreement;
    besides: Unreadable, Manifest, Elf
}

struct BuiltIn {
    manifest: &'static [u8],
    files: &'static [(&'static str, &'static [u8])],
}

macro_rules! built_in {
    ($folder:literal, [$($file:literal),*]) => {
        BuiltIn {
            manifest: include_bytes!(concat!("../../firmware/bundles/", $folder, "/manifest.json")),
            files: &[$((
                $file,
                include_bytes!(concat!("../../firmware/bundles/", $folder, "/", $file)),
            )),*],
        }
    };
    ($folder:literal) => {
        built_in!(
            $folder,
            [
                "brisc.elf",
                "ncrisc.elf",
                "trisc0.elf",
                "trisc1.elf",
                "trisc2.elf",
                "dispatch.elf"
            ]
        )
    };
}

static GRAYSKULL: BuiltIn = built_in!("hallmark-1/grayskull");
static WORMHOLE_B0: BuiltIn = built_in!("hallmark-1/wormhole_b0");
static BLACKHOLE: BuiltIn = built_in!("hallmark-1/blackhole");

const fn built_in(architecture: Architecture) -> &'static BuiltIn {
    match architecture {
        Architecture::Grayskull => &GRAYSKULL,
        Architecture::WormholeB0 => &WORMHOLE_B0,
        Architecture::Blackhole => &BLACKHOLE,
    }
}

/// A file of the built-in bundle.
pub(super) fn builtin_file(
    architecture: Architecture,
    file: &str,
) -> std::io::Result<&'static [u8]> {
    let built_in = built_in(architecture);
    let manifest = ("manifest.json", built_in.manifest);
    let mut files = built_in.files.iter().copied().chain([manifest]);
    let found = files.find(|(name, _)| *name == file);
    found.map(|(_, bytes)| bytes).ok_or_else(|| std::io::ErrorKind::NotFound.into())
}

impl FirmwareBundle {
    /// The built-in bundle.
    pub fn builtin(architecture: Architecture) -> Result<Self, BundleError> {
        let read = |file: &str| builtin_file(architecture, file).map(<[u8]>::to_vec);
        Self::assemble(architecture, built_in(architecture).manifest, read)
            .map_err(|problem| BundleError { bundle: "built-in".to_owned(), problem })
    }

    /// A bundle from a folder that holds `manifest.json` and the ELFs it names.
    pub fn load(folder: &Path, architecture: Architecture) -> Result<Self, BundleError> {
        let error = |problem| BundleError { bundle: folder.display().to_string(), problem };
        // A folder of a stranger's root could lead to any file of the machine.
        let read = |file: &str, most: u64| {
            refuse_links(folder, file)?;
            limits::read_file(&folder.join(file), most)
        };
        let manifest = read("manifest.json", limits::TEXT_FILE).map_err(|io| {
            error(BundleProblem::Unreadable { file: "manifest.json".into(), reason: Arc::new(io) })
        })?;
        Self::assemble(architecture, &manifest, |file| read(file, limits::ELF_FILE)).map_err(error)
    }

    /// A bundle from files in memory: `manifest.json` and the ELFs that it names.
    pub fn of_files(
        files: &BTreeMap<&str, &[u8]>,
        architecture: Architecture,
    ) -> Result<Self, BundleError> {
        let read = |file: &str, most: u64| {
            let bytes = files.get(file).ok_or(std::io::ErrorKind::NotFound)?;
            if bytes.len() as u64 > most {
                return Err(std::io::ErrorKind::FileTooLarge.into());
            }
            Ok(bytes.to_vec())
        };
        let error = |problem| BundleError { bundle: "in memory".to_owned(), problem };
        let manifest = read("manifest.json", limits::TEXT_FILE).map_err(|io| {
            error(BundleProblem::Unreadable { file: "manifest.json".into(), reason: Arc::new(io) })
        })?;
        Self::assemble(architecture, &manifest, |file| read(file, limits::ELF_FILE)).map_err(error)
    }

    fn assemble(
        architecture: Architecture,
        manifest_bytes: &[u8],
        read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Self, BundleProblem> {
        let manifest: Manifest = serde_json::from_slice(manifest_bytes)
            .map_err(|error| BundleProblem::Manifest(Arc::new(error)))?;
        check_manifest(&manifest, architecture)?;
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        add(manifest_bytes);
        let mut read = |file: &String| {
            let plain = !file.is_empty()
                && file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
                && !file.starts_with('.');
            if !plain {
                BundleProblem::FileName(file.clone()).refuse()?;
            }
            let elf = read(file).map_err(|io| BundleProblem::Unreadable {
                file: file.into(),
                reason: Arc::new(io),
            })?;
            add(&elf);
            Ok(elf)
        };
        let mut images = Vec::new();
        for processor in Processor::ALL {
            let elf = read(&manifest.image(processor).file)?;
            images.push(load_image(&manifest, processor, &elf)?);
        }
        let dispatcher = match &manifest.dispatch {
            Some(dispatch) => Some(load_dispatcher(dispatch, &read(&dispatch.file)?)?),
            None => None,
        };
        for (index, image) in images.iter().enumerate() {
            let range = range_of(image);
            let clash = images.iter().skip(index + 1).any(|other| range.overlaps(range_of(other)));
            if clash || !manifest.memory.firmware.contains(range) {
                BundleProblem::Range {
                    what: image.processor.name(),
                    range,
                    reason: "overlaps another image or leaves the range of firmware",
                }
                .refuse()?;
            }
        }
        let hash = ContentHash(*hasher.finalize().as_bytes());
        Ok(Self { manifest, images, dispatcher, hash })
    }

    /// The names of its files: the manifest and the ELFs that the manifest names, each once.
    pub fn files(&self) -> BTreeSet<&str> {
        let mut files = self.manifest.files();
        files.insert(MANIFEST_FILE);
        files
    }

    /// The bundle's manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The division of L1.
    pub const fn memory(&self) -> &TileMemoryMap {
        &self.manifest.memory
    }

    /// The limits of a launch.
    pub const fn limits(&self) -> Limits {
        self.manifest.limits
    }

    /// The images that the host writes to L1, by [`Processor::index`].
    pub fn images(&self) -> &[FirmwareImage] {
        &self.images
    }

    /// The program of a dispatch tile's BRISC, if the bundle has one.
    pub const fn dispatcher(&self) -> Option<&FirmwareImage> {
        self.dispatcher.as_ref()
    }

    /// Whether the cores run identical images with both bundles, regardless of manifests and debug sections.
    pub fn has_images_of(&self, other: &Self) -> bool {
        let images = |bundle: &Self| {
            let all = bundle.images.iter().chain(&bundle.dispatcher);
            let key = |it: &FirmwareImage| (it.processor, it.load_address, it.bytes.clone());
            all.map(key).collect::<Vec<_>>()
        };
        images(self) == images(other)
    }

    /// The hash over what the cores load of the ELFs: equal if [`Self::has_images_of`] says so.
    pub fn images_hash(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        for FirmwareImage { processor, load_address, bytes, .. } in
            self.images.iter().chain(&self.dispatcher)
        {
            hasher.update(processor.name().as_bytes());
            hasher.update(&load_address.to_le_bytes());
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
        ContentHash(*hasher.finalize().as_bytes())
    }

    /// The hash over the manifest and every ELF.
    pub const fn hash(&self) -> ContentHash {
        self.hash
    }

    /// The firmware function that contains a core's pc, and the offset in it.
    pub fn symbol_at(&self, processor: Processor, pc: u32) -> Option<(&str, u32)> {
        self.images.get(processor.index())?.symbols.symbol_at(pc)
    }
}

fn range_of(image: &FirmwareImage) -> MemoryRange {
    // `load_image` bounded the length.
    let length = u32::try_from(image.bytes.len()).unwrap_or(u32::MAX);
    MemoryRange { start: image.load_address, end: image.load_address.saturating_add(length) }
}

fn load_dispatcher(
    dispatch: &ManifestDispatch,
    elf: &[u8],
) -> Result<FirmwareImage, BundleProblem> {
    if dispatch.dispatch_abi != DISPATCH_ABI {
        BundleProblem::DispatchAbi { found: dispatch.dispatch_abi }.refuse()?;
    }
    let place = DispatchTile::IMAGE;
    let image = load_elf(&dispatch.file, Processor::Brisc, (place.start, place.start), elf)?;
    let range = range_of(&image);
    if !place.contains(range) {
        BundleProblem::Range {
            what: "dispatch",
            range,
            reason: "leaves the range of a dispatcher's firmware",
        }
        .refuse()?;
    }
    Ok(image)
}

fn load_image(
    manifest: &Manifest,
    processor: Processor,
    elf: &[u8],
) -> Result<FirmwareImage, BundleProblem> {
    let entry = manifest.image(processor);
    load_elf(&entry.file, processor, (entry.load_address, entry.entry), elf)
}

/// Loads an ELF that must have a given load address and entry.
fn load_elf(
    file: &str,
    processor: Processor,
    (load_address, entry): (u32, u32),
    elf: &[u8],
) -> Result<FirmwareImage, BundleProblem> {
    let loaded = LoadedElf::parse(elf)
        .map_err(|error| BundleProblem::Elf { file: file.to_owned(), error })?;
    let disagreement = |what, found, expected| BundleProblem::Disagreement {
        file: file.to_owned(),
        what,
        found,
        expected,
    };
    if loaded.load_address != load_address {
        disagreement("the load address", loaded.load_address, load_address).refuse()?;
    }
    if loaded.entry != entry {
        disagreement("the entry point", loaded.entry, entry).refuse()?;
    }
    Ok(FirmwareImage {
        processor,
        load_address: loaded.load_address,
        bytes: loaded.bytes,
        symbols: loaded.symbols,
        zones: loaded.zones,
    })
}

fn check_manifest(manifest: &Manifest, architecture: Architecture) -> Result<(), BundleProblem> {
    if manifest.launch_abi != LAUNCH_ABI {
        BundleProblem::LaunchAbi { found: manifest.launch_abi }.refuse()?;
    }
    if manifest.architecture != architecture.name() {
        BundleProblem::Architecture {
            found: manifest.architecture.clone(),
            expected: architecture,
        }
        .refuse()?;
    }
    let description = ChipDescription::of(architecture);
    let memory = &manifest.memory;
    // L1 sizes of all known chips are far below 4 GiB.
    let l1 = MemoryRange { start: 0, end: u32::try_from(description.l1_size).unwrap_or(u32::MAX) };
    let named = [
        ("firmware", memory.firmware, 16),
        ("mailbox", memory.mailbox, Mailbox::size_on(description)),
        ("bank_tables", memory.bank_tables, BankTables::SIZE),
        ("kernel_config", memory.kernel_config, 1024),
        ("unreserved", MemoryRange { start: memory.unreserved_base, end: l1.end }, 1024),
    ];
    let profiler = memory.profiler.map(|range| ("profiler", range, profiler_abi::SIZE));
    let named: Vec<_> = named.into_iter().chain(profiler).collect();
    for (index, &(what, range, least)) in named.iter().enumerate() {
        let reason = if range.start >= range.end || !l1.contains(range) {
            "is empty or leaves L1"
        } else if range.size() < least {
            "is too small"
        } else if !range.start.is_multiple_of(16) {
            "does not start at a multiple of 16"
        } else if named.iter().skip(index + 1).any(|(_, other, _)| range.overlaps(*other)) {
            "overlaps another range"
        } else {
            continue;
        };
        BundleProblem::Range { what, range, reason }.refuse()?;
    }
    let exists = description.data_cache.is_some();
    if exists == (manifest.data_cache == DataCacheState::Absent) {
        BundleProblem::DataCache { found: manifest.data_cache, exists }.refuse()?;
    }
    for processor in Processor::ALL {
        check_private(description, manifest.image(processor), processor)?;
    }
    let limits = manifest.limits;
    let all = description.circular_buffers;
    let bounds = [
        ("runtime_args", limits.runtime_args, promises::RUNTIME_ARGUMENTS, 4096),
        ("semaphores", limits.semaphores, promises::SEMAPHORES, 64),
        ("circular_buffers", limits.circular_buffers, all, all),
    ];
    match bounds.into_iter().find(|(_, value, least, most)| !(least..=most).contains(&value)) {
        Some((what, value, least, most)) => {
            BundleProblem::Limit { what, value, least, most }.refuse()
        }
        None => Ok(()),
    }
}

fn check_private(
    description: &ChipDescription,
    image: &ManifestImage,
    processor: Processor,
) -> Result<(), BundleProblem> {
    let memory = &description.private_memory;
    let size = memory.size.get(processor.index()).copied().unwrap_or(0);
    let whole = MemoryRange { start: memory.base, end: memory.base.saturating_add(size) };
    let private = &image.private;
    let parts = [
        ("private.firmware", private.firmware),
        ("private.kernel", private.kernel),
        ("private.stack", private.stack),
    ];
    let linked = kernel_private_memory(description, processor);
    if !private.kernel.contains(linked) {
        BundleProblem::Range {
            what: "private.kernel",
            range: private.kernel,
            reason: "does not hold what launch ABI 1 links kernels to",
        }
        .refuse()?;
    }
    for (index, &(what, range)) in parts.iter().enumerate() {
        let reason = if range.start >= range.end || !whole.contains(range) {
            "is empty or leaves the core's private memory"
        } else if parts.iter().skip(index + 1).any(|(_, other)| range.overlaps(*other)) {
            "overlaps another range"
        } else {
            continue;
        };
        BundleProblem::Range { what, range, reason }.refuse()?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "bundle_tests.rs"]
mod tests;
