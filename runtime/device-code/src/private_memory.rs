//! The part of private RAM that kernels are linked to. It belongs to launch ABI 1, so that one kernel ELF runs
//! under every firmware of that ABI.

use hallmark_chip::{ChipDescription, Processor};

use super::MemoryRange;

/// The smallest stack, bytes. The stack takes a quarter of the core's RAM if that is more.
const LEAST_STACK: u32 = 0x280;

/// The private RAM for a kernel's variables: the part without firmware and stack.
pub(crate) fn kernel_private_memory(chip: &ChipDescription, processor: Processor) -> MemoryRange {
    let memory = &chip.private_memory;
    let size = memory.size.get(processor.index()).copied().unwrap_or(0);
    let firmware = match processor {
        Processor::Brisc | Processor::Ncrisc => 0x100,
        Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2 => 0x40,
    };
    let stack = (size / 4).max(LEAST_STACK);
    MemoryRange {
        start: memory.base.saturating_add(firmware),
        end: memory.base.saturating_add(size.saturating_sub(stack)),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    /// Captures contain kernels linked to these addresses, so the numbers never change under launch ABI 1.
    #[test]
    fn launch_abi_1_links_kernels_here() {
        let small = [(0x100, 0xC00), (0x100, 0xC00), (0x40, 0x580), (0x40, 0x580), (0x40, 0x580)];
        let large = [(0x100, 0x1800), (0x100, 0x1800), (0x40, 0xC00), (0x40, 0xC00), (0x40, 0xC00)];
        for (architecture, ranges) in Architecture::ALL.into_iter().zip([small, small, large]) {
            let chip = ChipDescription::of(architecture);
            for (processor, (start, end)) in Processor::ALL.into_iter().zip(ranges) {
                let range = kernel_private_memory(chip, processor);
                assert_eq!(range.start, 0xFFB0_0000 + start, "{architecture} {processor}");
                assert_eq!(range.end, 0xFFB0_0000 + end, "{architecture} {processor}");
            }
        }
    }
}
