//! Which part of private RAM kernels are linked to: part of launch ABI 1, so that one kernel ELF runs
//! under every firmware of that ABI.

use hallmark_chip::{Architecture, Processor};

use super::MemoryRange;

/// The private RAM that a kernel may use for its variables.
pub(crate) const fn kernel_private_memory(
    architecture: Architecture,
    processor: Processor,
) -> MemoryRange {
    match (architecture, processor) {
        (Architecture::Blackhole, Processor::Brisc | Processor::Ncrisc) => {
            MemoryRange { start: 0xFFB0_0100, end: 0xFFB0_1800 }
        }
        (Architecture::Blackhole, Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2) => {
            MemoryRange { start: 0xFFB0_0040, end: 0xFFB0_0C00 }
        }
        (_, Processor::Brisc | Processor::Ncrisc) => {
            MemoryRange { start: 0xFFB0_0100, end: 0xFFB0_0C00 }
        }
        (_, Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2) => {
            MemoryRange { start: 0xFFB0_0040, end: 0xFFB0_0580 }
        }
    }
}
