//! The `hallmark` command, as every test of it starts it.

use std::path::Path;
use std::process::{Command, Output};

/// The command.
pub(crate) const HALLMARK: &str = env!("CARGO_BIN_EXE_hallmark");

/// The command, with nothing of the caller's environment that changes what it does.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(HALLMARK);
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
