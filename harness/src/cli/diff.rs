//! `hallmark diff`.

use clap::Args;
use hallmark_pipeline::verdict::ExitCode;

use super::options::RootOption;
use super::subject::Subject;
use super::{Failed, output};
use crate::source_diff::source_differences;

#[derive(Clone, Debug, Args)]
pub(super) struct DiffArguments {
    /// The capture before, or the name of a test, which is captured now
    #[arg(value_name = "CAPTURE|TEST")]
    before: Subject,
    /// The capture after, or the name of a test, which is captured now
    #[arg(value_name = "CAPTURE|TEST")]
    after: Subject,
    #[command(flatten)]
    root: RootOption,
}

pub(super) fn run(arguments: &DiffArguments) -> Result<ExitCode, Failed> {
    let before = arguments.before.capture(&arguments.root)?;
    let after = arguments.after.capture(&arguments.root)?;
    let differences = hallmark_schema::diff(&before, &after);
    if differences.is_empty() {
        output::say("no difference");
        return Ok(ExitCode::SUCCESS);
    }
    output::say(differences.to_string().trim_end());
    let sources = source_differences(&before, &after);
    if !sources.is_empty() {
        output::say_lines(&format!("\n{sources}"));
    }
    Ok(if differences.in_program() { ExitCode::NOT_PASSED } else { ExitCode::SUCCESS })
}
