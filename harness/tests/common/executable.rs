//! The `hallmark` command and what it says.

use std::path::PathBuf;
use std::process::Output;

/// The command. An archive of nextest is unpacked elsewhere: it is known only at run time.
pub(crate) fn executable() -> PathBuf {
    let unpacked = std::env::var_os("NEXTEST_BIN_EXE_hallmark");
    unpacked.unwrap_or_else(|| env!("CARGO_BIN_EXE_hallmark").into()).into()
}

/// Everything that was said.
pub(crate) fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
