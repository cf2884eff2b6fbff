//! The source line of an instruction, as one frame of the functions that are inlined there.

use serde::{Deserialize, Serialize};

/// A function that contains an instruction, and the instruction's line in it. If functions are inlined, the
/// instruction has a frame for each; the line of a caller is that of the call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFrame {
    /// The function's name, without arguments.
    pub function: String,
    /// The file: for a kernel relative to the suites, for the kernel API as in the kernel's `#include`. The
    /// separator is `/`.
    pub file: String,
    /// The line of the file, counted from 1.
    pub line: u32,
}

impl SourceFrame {
    /// The file's name without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }
}
