//! `hallmark diff`.

use std::path::PathBuf;

use clap::Args;

use super::captures::read;
use super::{Failed, output};
use crate::source_diff::source_differences;
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct DiffArguments {
    /// The capture before
    before: PathBuf,
    /// The capture after
    after: PathBuf,
}

pub(super) fn run(arguments: &DiffArguments) -> Result<ExitCode, Failed> {
    let before = read(&arguments.before)?;
    let after = read(&arguments.after)?;
    let differences = hallmark_schema::diff(&before, &after);
    if differences.is_empty() {
        output::say("no difference");
        return Ok(ExitCode::SUCCESS);
    }
    output::say(differences.to_string().trim_end());
    let sources = source_differences(&before, &after);
    if !sources.is_empty() {
        output::say(&format!("\n{}", sources.trim_end()));
    }
    Ok(if differences.in_program() { ExitCode::NOT_PASSED } else { ExitCode::SUCCESS })
}
