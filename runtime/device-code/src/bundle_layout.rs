//! The layout of the built-in bundle, the source of its manifest and linker symbols.

use hallmark_chip::{ChipDescription, Processor};

use super::dispatch_abi::{DISPATCH_ABI, DispatchTile};
use super::private_memory::kernel_private_memory;
use super::{
    BankTables, DataCacheState, LAUNCH_ABI, Limits, Mailbox, Manifest, ManifestDispatch,
    ManifestImage, MemoryRange, PrivateSplit, TileMemoryMap, profiler_abi,
};

/// A program of the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirmwareProgram {
    /// The program of a core of a worker tile.
    Worker(Processor),
    /// The program of a dispatch tile's BRISC; that tile's other cores stay in reset.
    Dispatcher,
}

impl FirmwareProgram {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        Processor::ALL.into_iter().map(Self::Worker).chain([Self::Dispatcher])
    }

    pub(super) const fn processor(self) -> Processor {
        match self {
            Self::Worker(processor) => processor,
            Self::Dispatcher => Processor::Brisc,
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::Worker(processor) => processor.name().to_ascii_lowercase(),
            Self::Dispatcher => "dispatch".to_owned(),
        }
    }

    /// The name of its source without the extension.
    pub(super) const fn main(self) -> &'static str {
        match self {
            Self::Worker(Processor::Brisc) => "brisc",
            Self::Worker(_) => "subordinate",
            Self::Dispatcher => "dispatch",
        }
    }

    pub(super) fn file(self) -> String {
        format!("{}.elf", self.name())
    }
}

/// The purpose of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BundleKind {
    /// The built-in bundle.
    Ordinary,
    /// Firmware with markers, built when a profile needs it. Its markers take the end of the region of kernels,
    /// so that buffers and circular buffers keep their addresses.
    Profiled,
}

impl BundleKind {
    /// The range of the markers in L1.
    pub(super) const fn profiler(self) -> Option<MemoryRange> {
        match self {
            Self::Ordinary => None,
            Self::Profiled => Some(profiler_abi::place_below(KERNEL_CONFIG.end)),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ordinary => "hallmark-1",
            Self::Profiled => "hallmark-1-profiler",
        }
    }

    const fn kernel_config(self) -> MemoryRange {
        match self.profiler() {
            None => KERNEL_CONFIG,
            Some(place) => MemoryRange { start: KERNEL_CONFIG.start, end: place.start },
        }
    }
}

/// The load address of an image in L1, and its run address: in NCRISC's instruction RAM for NCRISC, if the chip
/// has one.
struct ImageLayout {
    load: MemoryRange,
    run_address: u32,
}

/// The address of the mailbox; the bank tables follow it.
const MAILBOX: u32 = 0x2800;
const KERNEL_CONFIG: MemoryRange = MemoryRange { start: 0x3200, end: 0x1_8000 };
const UNRESERVED_BASE: u32 = 0x1_8000;

const fn image(chip: &ChipDescription, processor: Processor) -> ImageLayout {
    let load = match processor {
        Processor::Brisc => MemoryRange { start: 0, end: 0x1000 },
        Processor::Trisc0 => MemoryRange { start: 0x1000, end: 0x1600 },
        Processor::Trisc1 => MemoryRange { start: 0x1600, end: 0x1C00 },
        Processor::Trisc2 => MemoryRange { start: 0x1C00, end: 0x2200 },
        Processor::Ncrisc => MemoryRange { start: 0x2200, end: 0x2800 },
    };
    let run_address = match (processor, chip.private_memory.ncrisc_instruction_ram) {
        (Processor::Ncrisc, Some((start, _))) => start,
        _ => load.start,
    };
    ImageLayout { load, run_address }
}

fn private(chip: &ChipDescription, processor: Processor) -> PrivateSplit {
    let kernel = kernel_private_memory(chip, processor);
    let memory = &chip.private_memory;
    let size = memory.size.get(processor.index()).copied().unwrap_or(0);
    PrivateSplit {
        firmware: MemoryRange { start: memory.base, end: kernel.start },
        kernel,
        stack: MemoryRange { start: kernel.end, end: memory.base + size },
    }
}

/// The symbols for the linker script and the sources of firmware.
pub(super) fn link_symbols(chip: &ChipDescription, program: FirmwareProgram) -> Vec<String> {
    let private = private(chip, program.processor());
    let (layout, variables) = match program {
        FirmwareProgram::Worker(processor) => (image(chip, processor), private.firmware),
        // No kernel runs on a dispatch tile.
        FirmwareProgram::Dispatcher => {
            let load = DispatchTile::IMAGE;
            let variables = MemoryRange { start: private.firmware.start, end: private.kernel.end };
            (ImageLayout { load, run_address: load.start }, variables)
        }
    };
    let ncrisc = image(chip, Processor::Ncrisc);
    [
        ("IMAGE_LOAD", layout.load.start),
        ("IMAGE_SIZE", layout.load.size()),
        ("IMAGE_RUN", layout.run_address),
        ("PRIVATE_START", variables.start),
        ("PRIVATE_END", variables.end),
        ("STACK_TOP", private.stack.end),
        ("MAILBOX", MAILBOX),
        ("NCRISC_LOAD", ncrisc.load.start),
        ("NCRISC_SIZE", ncrisc.load.size()),
        ("NCRISC_RUN", ncrisc.run_address),
        ("TRISC0_RUN", image(chip, Processor::Trisc0).run_address),
        ("TRISC1_RUN", image(chip, Processor::Trisc1).run_address),
        ("TRISC2_RUN", image(chip, Processor::Trisc2).run_address),
    ]
    .into_iter()
    .map(|(name, value)| format!("-Wl,--defsym={name}={value:#x}"))
    .collect()
}

fn manifest(chip: &ChipDescription, kind: BundleKind) -> Manifest {
    let mailbox = MemoryRange { start: MAILBOX, end: MAILBOX + Mailbox::size_on(chip) };
    let entry = |processor: Processor| {
        let layout = image(chip, processor);
        ManifestImage {
            file: FirmwareProgram::Worker(processor).file(),
            load_address: layout.load.start,
            entry: layout.run_address,
            private: private(chip, processor),
        }
    };
    Manifest {
        name: kind.name().to_owned(),
        launch_abi: LAUNCH_ABI,
        architecture: chip.architecture.name().to_owned(),
        brisc: entry(Processor::Brisc),
        ncrisc: entry(Processor::Ncrisc),
        trisc0: entry(Processor::Trisc0),
        trisc1: entry(Processor::Trisc1),
        trisc2: entry(Processor::Trisc2),
        memory: TileMemoryMap {
            firmware: MemoryRange { start: 0, end: MAILBOX },
            mailbox,
            bank_tables: MemoryRange { start: mailbox.end, end: mailbox.end + BankTables::SIZE },
            kernel_config: kind.kernel_config(),
            unreserved_base: UNRESERVED_BASE,
            profiler: kind.profiler(),
        },
        limits: Limits {
            runtime_args: 341,
            semaphores: 16,
            circular_buffers: chip.circular_buffers,
        },
        // `configure_core` of the architecture's `bring_up.h`.
        data_cache: match chip.data_cache {
            Some(_) => DataCacheState::Off,
            None => DataCacheState::Absent,
        },
        dispatch: Some(ManifestDispatch {
            file: FirmwareProgram::Dispatcher.file(),
            dispatch_abi: DISPATCH_ABI,
        }),
    }
}

pub(super) fn manifest_text(chip: &ChipDescription, kind: BundleKind) -> Vec<u8> {
    // Plain structs of numbers and strings always serialize.
    let mut text = serde_json::to_vec_pretty(&manifest(chip, kind)).unwrap_or_default();
    text.push(b'\n');
    text
}
