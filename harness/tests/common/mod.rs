//! The `hallmark` command, as every test of it starts it.

mod repository;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) use self::repository::repository;

/// The command. An archive of nextest is unpacked elsewhere: it is known only at run time.
pub(crate) fn executable() -> PathBuf {
    let unpacked = std::env::var_os("NEXTEST_BIN_EXE_hallmark");
    unpacked.unwrap_or_else(|| env!("CARGO_BIN_EXE_hallmark").into()).into()
}

/// The command, with nothing of the caller's environment that changes what it does.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(executable());
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HALLMARK_") {
            command.env_remove(name);
        }
    }
    command
}

/// Everything that was said.
pub(crate) fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
