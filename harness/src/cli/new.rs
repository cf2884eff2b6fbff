//! `hallmark new`.

use clap::{Args, Subcommand};

use super::{Common, Failed, output};
use crate::suite::discover::SuiteFile;
use crate::suite::fragments::FOLDER;
use crate::suite::read::is_name;
use crate::suite::reference::SCHEMA_PATH;
use crate::verdict::ExitCode;
use crate::whole_file;

#[derive(Clone, Debug, Args)]
pub(super) struct NewArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Write a suite to start from: it runs as it is, and says what may be changed
    Suite(SuiteArguments),
}

#[derive(Clone, Debug, Args)]
struct SuiteArguments {
    /// Where it goes: suites/GROUP/NAME.yaml
    #[arg(value_name = "GROUP/NAME")]
    name: String,
    #[command(flatten)]
    common: Common,
}

/// The suite that is written.
const STARTING_POINT: &str = include_str!("new/suite.yaml");

pub(super) fn run(arguments: &NewArguments) -> Result<ExitCode, Failed> {
    let What::Suite(arguments) = &arguments.what;
    let file = suite_file(&arguments.name)?;
    let root = arguments.common.root()?;
    let path = file.path();
    let on_disk = root.folder().join(&path);
    if on_disk.exists() {
        let text = format!("{path} is already there; choose another name, or edit it");
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    // Editors find the schema where it is committed.
    let text = if root.folder().join(SCHEMA_PATH).is_file() {
        STARTING_POINT.to_owned()
    } else {
        let lines = STARTING_POINT.lines().skip(1);
        lines.map(|line| format!("{line}\n")).collect()
    };
    whole_file::write(&on_disk, text.as_bytes()).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("{path} cannot be written: {error}"))
    })?;
    output::say(&format!("wrote {path}"));
    output::say(&format!("  run it           hallmark run {path}"));
    output::say(&format!("  keep its golden  hallmark bless {path}"));
    output::say("  what can be said  suites/README.md, or `hallmark schema --markdown`");
    Ok(ExitCode::SUCCESS)
}

fn suite_file(name: &str) -> Result<SuiteFile, Failed> {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        [group, suite] if is_name(group) && is_name(suite) && *group != FOLDER => {
            let suite = suite.strip_suffix(".yaml").unwrap_or(suite);
            Ok(SuiteFile { group: (*group).to_owned(), suite: suite.to_owned() })
        }
        _ => Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "`{name}` cannot be a suite: GROUP/NAME, each of letters, digits or any of _ . + -, \
                 and the group is not `{FOLDER}`"
            ),
        )),
    }
}
