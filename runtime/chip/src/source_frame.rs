//! The source line that an instruction comes from, as one frame of the functions that are inlined there.

use serde::{Deserialize, Serialize};

/// A function that an instruction belongs to, and the line of it that the instruction comes from. Where functions
/// are inlined, an instruction has a frame for each: the line of a caller is the one with the call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFrame {
    /// The function's name, without arguments.
    pub function: String,
    /// The file: of a kernel relative to the suites, of the kernel API as kernels include it. Always with `/`.
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
