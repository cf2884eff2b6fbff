//! Makes a kernel's line table from the debug information of the compiler.
//!
//! The debug ELF is linked from the same objects as the kernel, at a separate address: the linker assigns
//! removed functions the address 0, where a kernel's code would begin.

use addr2line::gimli::{self, AttributeValue, EndianSlice, LittleEndian};
use hallmark_chip::SourceFrame;
use object::read::elf::ElfFile32;
use object::{Object as _, ObjectSection as _};

use super::{LineTable, limits};

type Slice<'data> = EndianSlice<'data, LittleEndian>;

/// Debug information that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DebugInformationError {
    /// The file is no ELF.
    #[error("an ELF of the build cannot be read: {0}")]
    Elf(#[from] object::read::Error),
    /// The sections are no DWARF.
    #[error("the debug information cannot be read: {0}")]
    Dwarf(#[from] gimli::Error),
    /// The ELF lacks code.
    #[error("the ELF with debug information has no section {name}")]
    NoSection {
        /// The section's name.
        name: &'static str,
    },
}

/// The owner of a source line. Reports begin with the kernel's lines, which the user can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The kernel's source or one of its own includes.
    Kernel,
    /// A header of the kernel API.
    Api,
    /// Headers included by those of the kernel API, and the code around a kernel.
    Internal,
}

/// The frames of an instruction that a table keeps. An instruction without a line of the kernel keeps its
/// outermost frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Those of the kernel and of the kernel API.
    Api,
    /// Those of the kernel, and the kernel API function that it calls.
    FirstOfApi,
    /// Those of the kernel.
    Kernel,
    /// None: the kernel is too large for a table.
    Nothing,
}

impl Detail {
    const ALL: [Self; 4] = [Self::Api, Self::FirstOfApi, Self::Kernel, Self::Nothing];

    fn of(self, stack: &[(Owner, SourceFrame)]) -> Vec<SourceFrame> {
        let of = |wanted| stack.iter().filter(move |(owner, _)| *owner == wanted);
        let (kernel, api) = (of(Owner::Kernel), of(Owner::Api));
        let calls = match self {
            Self::Api => usize::MAX,
            Self::FirstOfApi => 1,
            Self::Kernel => 0,
            Self::Nothing => return Vec::new(),
        };
        let chosen: Vec<_> = kernel.chain(api.take(calls)).collect();
        let chosen =
            if chosen.is_empty() { stack.iter().take(calls.max(1)).collect() } else { chosen };
        chosen.into_iter().map(|(_, frame)| frame.clone()).collect()
    }
}

/// The encoded line table of a kernel whose code is linked at `base` in this ELF, with as much detail as fits.
pub(super) fn encoded_line_table(elf: &[u8], base: u32) -> Result<Vec<u8>, DebugInformationError> {
    let words = words(elf, base)?;
    let mut encoded = Vec::new();
    for detail in Detail::ALL {
        let stacks: Vec<_> = words.iter().map(|stack| detail.of(stack)).collect();
        encoded = LineTable::of_words(stacks.iter().map(Vec::as_slice)).encode();
        if encoded.len() <= limits::LINE_TABLE {
            break;
        }
    }
    Ok(encoded)
}

/// The lines of each word of code, the outermost function first.
fn words(elf: &[u8], base: u32) -> Result<Vec<Vec<(Owner, SourceFrame)>>, DebugInformationError> {
    const CODE: &str = ".text";
    let file = ElfFile32::<object::endian::LittleEndian>::parse(elf)?;
    let code = file.section_by_name(CODE);
    let size = code.ok_or(DebugInformationError::NoSection { name: CODE })?.size();
    let section = |id: gimli::SectionId| -> Result<Slice<'_>, object::read::Error> {
        let data = file.section_by_name(id.name()).map(|section| section.data()).transpose()?;
        Ok(EndianSlice::new(data.unwrap_or_default(), LittleEndian))
    };
    let context = addr2line::Context::from_dwarf(gimli::Dwarf::load(section)?)?;
    let base = u64::from(base);
    (base..base.saturating_add(size)).step_by(4).map(|address| stack(&context, address)).collect()
}

fn stack(
    context: &addr2line::Context<Slice<'_>>,
    address: u64,
) -> Result<Vec<(Owner, SourceFrame)>, DebugInformationError> {
    let unit = context.find_dwarf_and_unit(address).skip_all_loads();
    let mut found = context.find_frames(address).skip_all_loads()?;
    let mut stack = Vec::new();
    while let Some(frame) = found.next()? {
        let Some(location) = frame.location else { continue };
        let (Some(path), Some(line)) = (location.file, location.line) else { continue };
        let (owner, file) = file_of(path);
        let name = match (&unit, frame.dw_die_offset) {
            (Some(unit), Some(entry)) => name_of(*unit, entry)?,
            _ => None,
        };
        let function = name.unwrap_or_default();
        stack.push((owner, SourceFrame { function, file, line }));
    }
    stack.reverse();
    Ok(stack)
}

/// The declared name of a function, without template arguments. An inlined function refers to its abstract
/// form, and that to its declaration (DWARF 5, sections 3.3.8 and 5.7.8).
fn name_of(
    unit: gimli::UnitRef<'_, Slice<'_>>,
    entry: gimli::UnitOffset,
) -> Result<Option<String>, gimli::Error> {
    const LONGEST_CHAIN: usize = 8;
    let mut next = entry;
    for _ in 0..LONGEST_CHAIN {
        let entry = unit.entry(next)?;
        if let Some(name) = entry.attr_value(gimli::DW_AT_name) {
            let name = unit.attr_string(name)?.to_string_lossy();
            let end = if name.starts_with("operator") { None } else { name.find('<') };
            return Ok(Some(name.get(..end.unwrap_or(name.len())).unwrap_or_default().to_owned()));
        }
        let origin = entry
            .attr_value(gimli::DW_AT_abstract_origin)
            .or_else(|| entry.attr_value(gimli::DW_AT_specification));
        let Some(AttributeValue::UnitRef(origin)) = origin else { return Ok(None) };
        next = origin;
    }
    Ok(None)
}

/// The owner of the file at a path of the build folder, and the file's name in reports:
/// `./suites/kernels/k.cpp` becomes `kernels/k.cpp`, `./suites/../hallmark/include/api/compute/cb_api.h`
/// becomes `api/compute/cb_api.h`.
fn file_of(path: &str) -> (Owner, String) {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    match parts.as_slice() {
        ["suites", file @ ..] => (Owner::Kernel, file.join("/")),
        ["hallmark", "include" | "debug", "api", file @ ..] => {
            (Owner::Api, format!("api/{}", file.join("/")))
        }
        ["hallmark", "include" | "debug", file @ ..]
        | ["hallmark", "architectures", _, file @ ..] => (Owner::Internal, file.join("/")),
        ["hallmark", file @ ..] => (Owner::Internal, file.join("/")),
        other => (Owner::Internal, other.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_as_kernels_call_them() {
        for (path, owner, file) in [
            ("./suites/kernels/k.cpp", Owner::Kernel, "kernels/k.cpp"),
            ("./suites/./kernels/a/../b.h", Owner::Kernel, "kernels/b.h"),
            (
                "./suites/../hallmark/include/api/dataflow/dataflow_api.h",
                Owner::Api,
                "api/dataflow/dataflow_api.h",
            ),
            ("./suites/../hallmark/debug/api/debug/assert.h", Owner::Api, "api/debug/assert.h"),
            ("./hallmark/include/hallmark/noc.h", Owner::Internal, "hallmark/noc.h"),
            (
                "./hallmark/architectures/blackhole/hallmark/chip.h",
                Owner::Internal,
                "hallmark/chip.h",
            ),
            ("./hallmark/kernel_start.cpp", Owner::Internal, "kernel_start.cpp"),
            ("../../elsewhere.h", Owner::Internal, "elsewhere.h"),
        ] {
            assert_eq!(file_of(path), (owner, file.to_owned()), "{path}");
        }
    }

    #[test]
    fn a_table_that_is_too_large_keeps_the_kernels_lines_longest() {
        let frame = |owner, file: &str| {
            (owner, SourceFrame { function: "f".to_owned(), file: file.to_owned(), line: 1 })
        };
        let stack = [
            frame(Owner::Kernel, "k"),
            frame(Owner::Kernel, "helper"),
            frame(Owner::Api, "page"),
            frame(Owner::Internal, "noc"),
            frame(Owner::Api, "write"),
        ];
        let files = |detail: Detail, stack: &[(Owner, SourceFrame)]| -> Vec<String> {
            detail.of(stack).into_iter().map(|frame| frame.file).collect()
        };
        assert_eq!(files(Detail::Api, &stack), ["k", "helper", "page", "write"]);
        assert_eq!(files(Detail::FirstOfApi, &stack), ["k", "helper", "page"]);
        assert_eq!(files(Detail::Kernel, &stack), ["k", "helper"]);
        assert!(files(Detail::Nothing, &stack).is_empty());
        let start = [frame(Owner::Internal, "start"), frame(Owner::Internal, "wait")];
        assert_eq!(files(Detail::Api, &start), ["start", "wait"]);
        assert_eq!(files(Detail::Kernel, &start), ["start"]);
        assert_eq!(files(Detail::Kernel, &[frame(Owner::Api, "page")]), ["page"]);
    }
}
