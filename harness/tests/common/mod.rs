//! The `hallmark` command, as every test of it starts it.

mod executable;
mod repository;

use std::path::Path;
use std::process::Command;

use hallmark_chip::sabotage::VARIABLE;

pub(crate) use self::executable::{executable, text};
pub(crate) use self::repository::repository;

/// The command, with nothing of the caller's environment that changes what it does, but for the check that is switched
/// off in this process.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(executable());
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HALLMARK_") && name != VARIABLE {
            command.env_remove(name);
        }
    }
    command
}
