//! Numbers and names for the recorder, as a C++ header.

use std::fmt::Write as _;

use hallmark_metalium::numbers;
use hallmark_schema::model::{BufferLayout, BufferType};

use super::{FOLDER_VARIABLE, SHIFT_VARIABLE};
use crate::journal::{
    CHECKED, END_AT, ENDED, FORKED, FORKED_AT, FORMAT, HEADER, Kind, MAGIC, REFUSED, RUNNING,
    STOPPED,
};
use crate::selection::{FROM_VARIABLE, ONLY_VARIABLE, SKIP_VARIABLE, UNTIL_VARIABLE};

/// The text of `constants.hpp`.
pub(super) fn header() -> String {
    let mut text = String::from(
        "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\n#include \"metalium_abi.hpp\"\n\nnamespace hallmark::recorder {\n\n",
    );
    let kinds = Kind::ALL.iter().map(|kind| (format!("{kind:?}"), kind.number().into()));
    enumeration(&mut text, "Kind", "std::uint32_t", kinds);
    let ends = [("Running", RUNNING), ("Ended", ENDED), ("Stopped", STOPPED), ("Refused", REFUSED)];
    let ends = ends.map(|(name, bytes)| (name.to_owned(), u64::from_le_bytes(*bytes)));
    enumeration(&mut text, "End", "std::uint64_t", ends);
    for (name, value) in [
        ("kHeader", HEADER as u64),
        ("kChecked", CHECKED as u64),
        ("kEndAt", END_AT as u64),
        ("kForkedAt", FORKED_AT as u64),
        ("kFormat", FORMAT.into()),
        ("kInterleaved", numbers::layout(BufferLayout::Interleaved).into()),
        ("kSystemMemoryBuffer", numbers::SYSTEM_MEMORY_BUFFER.into()),
        ("kTraceBuffer", numbers::TRACE_BUFFER.into()),
    ] {
        let _ = writeln!(text, "constexpr std::uint32_t {name} = {value};");
    }
    for (name, bytes) in [("kMagic", MAGIC), ("kForked", FORKED)] {
        let _ = writeln!(text, "constexpr char {name}[] = \"{}\";", bytes.escape_ascii());
    }
    for (name, variable) in [
        ("kFolderVariable", FOLDER_VARIABLE),
        ("kShiftVariable", SHIFT_VARIABLE),
        ("kOnlyVariable", ONLY_VARIABLE),
        ("kSkipVariable", SKIP_VARIABLE),
        ("kFromVariable", FROM_VARIABLE),
        ("kUntilVariable", UNTIL_VARIABLE),
    ] {
        let _ = writeln!(text, "constexpr char {name}[] = \"{variable}\";");
    }
    // The declarations of the vendor's ABI must have the same numbers.
    for (name, number) in [
        ("BufferType::DRAM", numbers::buffer_type(BufferType::Dram)),
        ("BufferType::L1", numbers::buffer_type(BufferType::L1)),
        ("BufferType::SYSTEM_MEMORY", numbers::SYSTEM_MEMORY_BUFFER),
        ("BufferType::L1_SMALL", numbers::buffer_type(BufferType::L1Small)),
        ("BufferType::TRACE", numbers::TRACE_BUFFER),
        ("TensorMemoryLayout::INTERLEAVED", numbers::layout(BufferLayout::Interleaved)),
        ("TensorMemoryLayout::HEIGHT_SHARDED", numbers::layout(BufferLayout::HeightSharded)),
        ("TensorMemoryLayout::WIDTH_SHARDED", numbers::layout(BufferLayout::WidthSharded)),
        ("TensorMemoryLayout::BLOCK_SHARDED", numbers::layout(BufferLayout::BlockSharded)),
    ] {
        let _ = writeln!(
            text,
            "static_assert(static_cast<std::uint32_t>(tt::tt_metal::{name}) == {number});"
        );
    }
    text.push_str("\n}  // namespace hallmark::recorder\n");
    text
}

fn enumeration(
    text: &mut String,
    name: &str,
    of: &str,
    values: impl IntoIterator<Item = (String, u64)>,
) {
    let _ = writeln!(text, "enum class {name} : {of} {{");
    for (value, number) in values {
        let _ = writeln!(text, "    {value} = {number},");
    }
    text.push_str("};\n");
}
