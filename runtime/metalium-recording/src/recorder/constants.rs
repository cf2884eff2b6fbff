//! Numbers and names for the recorder, as a C++ header.

use std::fmt::Write as _;

use hallmark_metalium::ReleaseDescription;
use hallmark_schema::model::BufferLayout;

use super::{FOLDER_VARIABLE, SHIFT_VARIABLE};
use crate::journal::{
    CHECKED, END_AT, ENDED, FORKED, FORKED_AT, FORMAT, HEADER, Kind, MAGIC, REFUSED, RUNNING,
    STOPPED,
};
use crate::selection::{FROM_VARIABLE, ONLY_VARIABLE, SKIP_VARIABLE, UNTIL_VARIABLE};

/// The text of `constants.hpp`.
pub(super) fn header(release: &ReleaseDescription) -> String {
    let numbers = release.numbers();
    let mut text = String::from(
        "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace hallmark::recorder {\n\n",
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
        ("kInterleaved", numbers.layout.number(BufferLayout::Interleaved).into()),
        ("kSystemMemoryBuffer", numbers.buffer_type.system_memory.into()),
        ("kTraceBuffer", numbers.buffer_type.trace.into()),
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
