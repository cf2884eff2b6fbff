//! Signature files that users name.

use std::path::Path;

use hallmark_execution::whole_file;
use hallmark_pipeline::signature::{self, Signature};
use hallmark_pipeline::verdict::ExitCode;

use super::Failed;

/// The largest signature file, in bytes.
const LIMIT: u64 = 1 << 20;

/// Reads a signature.
pub(super) fn read(file: &Path) -> Result<Signature, Failed> {
    let failed =
        |problem: String| Failed::new(ExitCode::USAGE, format!("{}: {problem}", file.display()));
    let bytes = whole_file::read(file, LIMIT)
        .map_err(|error| failed(format!("it cannot be read: {error}")))?;
    let text = std::str::from_utf8(&bytes).map_err(|error| failed(error.to_string()))?;
    signature::read(text).map_err(|error| failed(error.to_string()))
}
