//! The `hallmark` command and its output.

use std::path::PathBuf;
use std::process::Output;

/// The command. nextest may unpack its archive elsewhere, so the path is known only at run time.
/// `scripts/release/check` names an installed one.
pub(crate) fn executable() -> PathBuf {
    let installed = std::env::var_os("HALLMARK_TEST_EXECUTABLE");
    let unpacked = || std::env::var_os("NEXTEST_BIN_EXE_hallmark");
    installed.or_else(unpacked).unwrap_or_else(|| env!("CARGO_BIN_EXE_hallmark").into()).into()
}

/// All output, from both streams.
pub(crate) fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
