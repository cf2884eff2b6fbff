//! The `hallmark` command as all of its tests start it.

mod executable;
mod repository;

use std::path::Path;
use std::process::Command;

use hallmark_chip::sabotage::VARIABLE;

pub(crate) use self::executable::{executable, text};
pub(crate) use self::repository::repository;

/// The command without the caller's environment, except for the check that this process has switched off.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(executable());
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HALLMARK_") && name != VARIABLE {
            command.env_remove(name);
        }
    }
    // The user's own configuration file is part of the environment.
    command.env("XDG_CONFIG_HOME", folder.join("no-configuration"));
    command
}
