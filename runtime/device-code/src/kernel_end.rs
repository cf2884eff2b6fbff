//! The instructions that run after a kernel's own code: those of the start-up code once `kernel_main` has returned.
//!
//! The start-up code then waits for the requests that the kernel has left under way
//! (`runtime/firmware/kernel_start.cpp`, `finish_transfers`). A simulator that knows these instructions can tell their
//! waits from the kernel's own.

use std::collections::BTreeSet;
use std::ops::Range;

use super::KernelImage;

/// The function in which a kernel begins and ends.
const START: &str = "_start";
/// The function of the kernel's source, and the function that stands in its place in a build for a profile.
const MAIN: [&str; 2] = ["kernel_main", "__wrap__Z11kernel_mainv"];
/// The function that waits, and its file, as line tables name them.
const WAITS: (&str, &str) = ("finish_transfers", "kernel_start.cpp");
const INSTRUCTION: u32 = 4;

impl KernelImage {
    /// The instructions of `_start` behind the call of `kernel_main`, and those of the functions that they call. No other
    /// code calls such a function in order to wait: each is local to the start-up code, or is an accessor that loads no
    /// register. `None` if symbols do not name them, overlap, or end outside the image.
    pub(super) fn after_main_by_symbols(&self) -> Option<Vec<Range<u32>>> {
        let start = self.symbols().function(START)?;
        let is_main = |target| {
            MAIN.iter().any(|name| self.symbols().address_of(name).is_some_and(|at| at == target))
        };
        // A file may give its symbols any size. Functions that lie in the image and do not overlap fill it at most once.
        let mut unread = self.size();
        let mut take = |range: &Range<u32>| {
            unread = unread.checked_sub(u32::try_from(range.len()).ok()?)?;
            (range.end <= self.size()).then_some(())
        };
        take(&start)?;
        let call = self.calls(start.clone()).find(|call| is_main(call.target))?;
        let mut ranges: Vec<_> = std::iter::once(call.returns_to..start.end).collect();
        let mut known = BTreeSet::from([start.start]);
        let mut next = 0;
        while let Some(range) = ranges.get(next).cloned() {
            if next > 0 {
                take(&range)?;
            }
            next += 1;
            for call in self.calls(range) {
                if let Some(callee) = self.symbols().function_from(call.target)
                    && known.insert(callee.start)
                    && !ranges.iter().any(|range| range.contains(&callee.start))
                {
                    ranges.push(callee);
                }
            }
        }
        Some(ranges)
    }

    /// The instructions of the function that waits, inlined or not.
    pub(super) fn after_main_by_lines(&self) -> Option<Vec<Range<u32>>> {
        let (function, file) = WAITS;
        let ranges = self.line_table()?.instructions_of(function, file);
        (!ranges.is_empty()).then_some(ranges)
    }

    /// The direct calls in a range of the image, tail calls included.
    fn calls(&self, range: Range<u32>) -> impl Iterator<Item = Call> {
        range.step_by(INSTRUCTION as usize).filter_map(|at| Call::at(at, |at| self.word(at)))
    }
}

/// A call of a function at a known address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    target: u32,
    returns_to: u32,
}

impl Call {
    /// The call at an address: `jal`, or `auipc` and `jalr` through one register (RISC-V unprivileged ISA manual,
    /// chapter 2.5; psABI, `R_RISCV_CALL_PLT`).
    fn at(at: u32, word: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        const AUIPC: u32 = 0x17;
        const JAL: u32 = 0x6F;
        const JALR: u32 = 0x67;
        let first = word(at)?;
        let register = |word: u32, low: u32| word >> low & 0x1F;
        match first & 0x7F {
            // A jump without a link leads to another place in the same function.
            JAL if register(first, 7) != 0 => {
                let signed = first.cast_signed();
                let offset = (signed >> 31 << 20).cast_unsigned()
                    | first & 0xF_F000
                    | (first >> 20 & 1) << 11
                    | (first >> 21 & 0x3FF) << 1;
                Some(Self { target: at.wrapping_add(offset), returns_to: at.wrapping_add(4) })
            }
            AUIPC => {
                let second_at = at.wrapping_add(INSTRUCTION);
                let second = word(second_at)?;
                if second & 0x707F != JALR || register(second, 15) != register(first, 7) {
                    return None;
                }
                let low = (second.cast_signed() >> 20).cast_unsigned();
                let target = at.wrapping_add(first & 0xFFFF_F000).wrapping_add(low);
                Some(Self { target, returns_to: second_at.wrapping_add(INSTRUCTION) })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;

    const KERNEL: &[u8] = include_bytes!("fixtures/private_memory.elf");

    fn is_in(ranges: &[Range<u32>], at: u32) -> bool {
        ranges.iter().any(|range| range.contains(&at))
    }

    /// Words from the GNU assembler.
    #[test]
    fn calls_as_the_assembler_writes_them() {
        let call = |at: u32, words: [u32; 2]| {
            Call::at(at, |from| match from.wrapping_sub(at) {
                0 => Some(words[0]),
                4 => Some(words[1]),
                _ => None,
            })
        };
        // auipc ra, 0 / jalr 108(ra)
        let near = call(0x1D4, [0x0000_0097, 0x06C0_80E7]);
        assert_eq!(near, Some(Call { target: 0x240, returns_to: 0x1DC }));
        // auipc ra, 0x1 / jalr -4(ra)
        let far = call(0x100, [0x0000_1097, 0xFFC0_80E7]);
        assert_eq!(far, Some(Call { target: 0x10FC, returns_to: 0x108 }));
        // auipc t1, 0 / jr 8(t1), a tail call
        let tail = call(0x100, [0x0000_0317, 0x0083_0067]);
        assert_eq!(tail, Some(Call { target: 0x108, returns_to: 0x108 }));
        // jal ra, -16
        let back = call(0x100, [0xFF1F_F0EF, 0]);
        assert_eq!(back, Some(Call { target: 0xF0, returns_to: 0x104 }));
        // j -16; jalr a5; auipc ra and a jalr through another register
        assert_eq!(call(0x100, [0xFF1F_F06F, 0]), None);
        assert_eq!(call(0x100, [0x0007_80E7, 0]), None);
        assert_eq!(call(0x100, [0x0000_0097, 0x06C3_00E7]), None);
    }

    #[test]
    fn only_start_up_code_behind_the_call_runs_after_the_kernel() {
        let image = KernelImage::parse(KERNEL).unwrap();
        let ranges = image.after_kernel_main().unwrap();
        let [range] = ranges else { panic!("{ranges:?}") };
        let start = image.symbols().function("_start").unwrap();
        assert!(start.start < range.start && range.end == start.end, "{range:?}");
        let main = image.symbols().address_of("kernel_main").unwrap();
        assert!(!range.contains(&main) && !range.contains(&start.start));
        let call = Call::at(range.start - 8, |at| image.word(at)).unwrap();
        assert_eq!((call.target, call.returns_to), (main, range.start));
    }

    /// The fixture with another size of a function's symbol.
    fn with_size(name: &str, size: u32) -> Option<Vec<Range<u32>>> {
        let image = KernelImage::parse(KERNEL).unwrap();
        let function = image.symbols().function(name).unwrap();
        let was = function.end - function.start;
        let mut bytes = KERNEL.to_vec();
        // `st_value` and `st_size` of the symbol (System V ABI, chapter 4).
        let entry = [function.start.to_le_bytes(), was.to_le_bytes()].concat();
        let at = bytes.windows(8).position(|window| window == entry).unwrap();
        bytes[at + 4..at + 8].copy_from_slice(&size.to_le_bytes());
        KernelImage::parse(&bytes).unwrap().after_kernel_main().map(<[_]>::to_vec)
    }

    #[test]
    fn a_function_that_ends_outside_the_image_tells_nothing() {
        let image = KernelImage::parse(KERNEL).unwrap();
        let start = image.symbols().function("_start").unwrap();
        let rest = image.size() - start.start;
        assert!(with_size("_start", rest).is_some());
        assert_eq!(with_size("_start", rest + 1), None);
        assert_eq!(with_size("_start", u32::MAX - start.start), None);
    }

    #[test]
    fn a_kernel_without_symbols_is_told_by_its_lines_and_else_not_at_all() {
        let image = KernelImage::parse(KERNEL).unwrap().without_symbols();
        assert_eq!(image.after_kernel_main(), None);
        let frame = |function: &str, file: &str| hallmark_chip::SourceFrame {
            function: function.to_owned(),
            file: file.to_owned(),
            line: 7,
        };
        let start = frame("_start", "kernel_start.cpp");
        let waits = [start.clone(), frame("finish_transfers", "kernel_start.cpp")];
        let others = [start.clone(), frame("finish_transfers", "kernels/k.cpp")];
        let start = [start];
        let with_lines = |words: &[&[hallmark_chip::SourceFrame]]| {
            let lines = crate::LineTable::of_words(words.iter().copied()).encode();
            image.clone().with_lines(Some(Arc::from(lines))).after_kernel_main().map(<[_]>::to_vec)
        };
        let words: [&[_]; 6] = [&start, &waits, &waits, &start, &others, &waits];
        assert_eq!(with_lines(&words), Some(vec![4..12, 20..24]));
        assert_eq!(with_lines(&[&start, &others]), None);
    }

    /// Every prebuilt kernel of the suites: symbols and line tables tell the same, where a table is detailed enough.
    #[test]
    fn all_prebuilt_kernels_tell_and_their_line_tables_agree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/kernels/prebuilt");
        let (mut data_movement, mut with_detail) = (0, 0);
        for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
            let lock = std::fs::read_to_string(root.join(format!("{architecture}.lock"))).unwrap();
            for line in
                lock.lines().filter(|line| line.contains("RISC ") && !line.contains("TRISC"))
            {
                let [_, key, elf, ..] = line.split(' ').collect::<Vec<_>>()[..] else { panic!() };
                let path = root.join(architecture).join(elf).with_extension("elf");
                let image = KernelImage::parse(&std::fs::read(&path).unwrap()).unwrap();
                let ranges = image.after_kernel_main();
                data_movement += 1;
                let ranges = ranges.unwrap_or_else(|| panic!("{}", path.display())).to_vec();
                let main = image.symbols().function("kernel_main").unwrap();
                assert!(main.clone().step_by(4).all(|at| !is_in(&ranges, at)));
                let lines =
                    std::fs::read(path.with_file_name(format!("{key}.lines"))).ok().map(Arc::from);
                let by_lines = image.with_lines(lines).after_main_by_lines();
                for at in by_lines.into_iter().flatten().flat_map(|range| range.step_by(4)) {
                    with_detail += 1;
                    // The compiler loads a few addresses in advance.
                    assert!(is_in(&ranges, at) || at < main.start, "{}: {at:#x}", path.display());
                }
            }
        }
        assert!(data_movement > 900 && with_detail > 9000, "{data_movement} {with_detail}");
    }
}
