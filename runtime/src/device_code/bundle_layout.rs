//! The layout of Hallmark's own bundle, from which its manifest and its linker symbols come.

use hallmark_chip::{Architecture, Processor};

use super::private_memory::kernel_private_memory;
use super::{
    BankTables, LAUNCH_ABI, Limits, Mailbox, Manifest, ManifestImage, MemoryRange, PrivateSplit,
    TileMemoryMap,
};

/// Where an image lies in L1, and where NCRISC sees it after the mover copied it.
struct ImageLayout {
    load: MemoryRange,
    run_address: u32,
}

const MAILBOX: MemoryRange = MemoryRange { start: 0x2800, end: 0x2800 + Mailbox::SIZE };
const BANK_TABLES: MemoryRange = MemoryRange { start: 0x2880, end: 0x2880 + BankTables::SIZE };
const KERNEL_CONFIG: MemoryRange = MemoryRange { start: 0x3200, end: 0x1_8000 };
const UNRESERVED_BASE: u32 = 0x1_8000;
const NCRISC_INSTRUCTION_RAM: u32 = 0xFFC0_0000;

const fn image(processor: Processor) -> ImageLayout {
    let load = match processor {
        Processor::Brisc => MemoryRange { start: 0, end: 0x1000 },
        Processor::Trisc0 => MemoryRange { start: 0x1000, end: 0x1600 },
        Processor::Trisc1 => MemoryRange { start: 0x1600, end: 0x1C00 },
        Processor::Trisc2 => MemoryRange { start: 0x1C00, end: 0x2200 },
        Processor::Ncrisc => MemoryRange { start: 0x2200, end: 0x2800 },
    };
    let run_address = match processor {
        Processor::Ncrisc => NCRISC_INSTRUCTION_RAM,
        _ => load.start,
    };
    ImageLayout { load, run_address }
}

fn private(architecture: Architecture, processor: Processor) -> PrivateSplit {
    let kernel = kernel_private_memory(architecture, processor);
    let (base, end) = match processor {
        Processor::Brisc | Processor::Ncrisc => (0xFFB0_0000, 0xFFB0_1000),
        _ => (0xFFB0_0000, 0xFFB0_0800),
    };
    PrivateSplit {
        firmware: MemoryRange { start: base, end: kernel.start },
        kernel,
        stack: MemoryRange { start: kernel.end, end },
    }
}

/// What linker script and sources of firmware are told.
pub(super) fn link_symbols(architecture: Architecture, processor: Processor) -> Vec<String> {
    let layout = image(processor);
    let private = private(architecture, processor);
    let ncrisc = image(Processor::Ncrisc).load;
    [
        ("IMAGE_LOAD", layout.load.start),
        ("IMAGE_SIZE", layout.load.size()),
        ("IMAGE_RUN", layout.run_address),
        ("PRIVATE_START", private.firmware.start),
        ("PRIVATE_END", private.firmware.end),
        ("STACK_TOP", private.stack.end),
        ("MAILBOX", MAILBOX.start),
        ("NCRISC_LOAD", ncrisc.start),
        ("NCRISC_SIZE", ncrisc.size()),
        ("NCRISC_RUN", NCRISC_INSTRUCTION_RAM),
        ("TRISC0_RUN", image(Processor::Trisc0).run_address),
        ("TRISC1_RUN", image(Processor::Trisc1).run_address),
        ("TRISC2_RUN", image(Processor::Trisc2).run_address),
    ]
    .into_iter()
    .map(|(name, value)| format!("-Wl,--defsym={name}={value:#x}"))
    .collect()
}

fn manifest(architecture: Architecture) -> Manifest {
    let entry = |processor: Processor| {
        let layout = image(processor);
        ManifestImage {
            file: format!("{}.elf", processor.name().to_ascii_lowercase()),
            load_address: layout.load.start,
            entry: layout.run_address,
            private: private(architecture, processor),
        }
    };
    Manifest {
        name: "hallmark-1".to_owned(),
        launch_abi: LAUNCH_ABI,
        architecture: architecture.name().to_owned(),
        brisc: entry(Processor::Brisc),
        ncrisc: entry(Processor::Ncrisc),
        trisc0: entry(Processor::Trisc0),
        trisc1: entry(Processor::Trisc1),
        trisc2: entry(Processor::Trisc2),
        memory: TileMemoryMap {
            firmware: MemoryRange { start: 0, end: MAILBOX.start },
            mailbox: MAILBOX,
            bank_tables: BANK_TABLES,
            kernel_config: KERNEL_CONFIG,
            unreserved_base: UNRESERVED_BASE,
        },
        limits: Limits { runtime_args: 341, semaphores: 16, circular_buffers: 32 },
    }
}

pub(super) fn manifest_text(architecture: Architecture) -> Vec<u8> {
    // Plain structs of numbers and strings always serialize.
    let mut text = serde_json::to_vec_pretty(&manifest(architecture)).unwrap_or_default();
    text.push(b'\n');
    text
}
