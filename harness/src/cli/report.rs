//! `hallmark report`: reads the reports of runs.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hallmark_chip::Architecture;
use hallmark_execution::whole_file;
use hallmark_pipeline::report::merge::{MergeError, NamedReport, merge};
use hallmark_pipeline::report::{self, Document, DocumentError, RunReport};
use hallmark_pipeline::verdict::ExitCode;

use super::options::{OUTPUT, SELECTION};
use super::run::report_file::{self, ReportFile};
use super::{Failed, output};

/// The largest report, in bytes.
const LIMIT: u64 = 1 << 30;

#[derive(Clone, Debug, Args)]
pub(super) struct ReportArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Make one report of the JSON reports of several machines
    ///
    /// Reports must be of one commit and one version of hallmark, and no test may be in two of them. If a shard is
    /// missing, the report is written, says so, and the exit code is not 0. Otherwise the exit code is the one of a
    /// run of all the tests.
    Merge(MergeArguments),
}

#[derive(Clone, Debug, Args)]
struct MergeArguments {
    /// JSON reports, as `hallmark run --report json=FILE` writes them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// An architecture of which there must be reports (repeatable)
    #[arg(long, value_name = "ARCHITECTURE", value_parser = Architecture::named_by_user, help_heading = SELECTION)]
    arch: Vec<Architecture>,
    /// Write the report: a page to *.html, JSON to *.json, JUnit to *.xml, or html=FILE, json=FILE or junit=FILE (repeatable)
    #[arg(short, long, value_name = "FILE", required = true, help_heading = OUTPUT)]
    output: Vec<ReportFile>,
}

/// Why a file cannot be merged.
#[derive(Debug, thiserror::Error)]
enum ReportError {
    #[error("{file} cannot be read: {problem}")]
    Unreadable { file: String, problem: String },
    #[error("{file}: {problem}")]
    NoReport { file: String, problem: DocumentError },
    #[error(transparent)]
    Merge(#[from] MergeError),
}

impl ReportError {
    /// A file that is not a report has the exit code of a file that is not a capture.
    const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Unreadable { .. } | Self::NoReport { .. } => ExitCode::CAPTURE,
            Self::Merge(_) => ExitCode::USAGE,
        }
    }
}

pub(super) fn run(arguments: &ReportArguments) -> Result<ExitCode, Failed> {
    let Action::Merge(arguments) = &arguments.action;
    report_file::check(&arguments.output)?;
    let merged = merged(arguments).map_err(|error| Failed::new(error.exit_code(), error))?;
    for file in &arguments.output {
        file.write(&merged)?;
    }
    output::say(report::table(&merged, output::width()).trim_end());
    Ok(merged.exit_code())
}

fn merged(arguments: &MergeArguments) -> Result<RunReport, ReportError> {
    let mut reports = Vec::new();
    for path in &arguments.files {
        let file = path.display().to_string();
        let unreadable = |problem: String| ReportError::Unreadable { file: file.clone(), problem };
        let bytes = whole_file::read(path, LIMIT).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
        let report = Document::from_json(&text).and_then(RunReport::try_from);
        let report =
            report.map_err(|problem| ReportError::NoReport { file: file.clone(), problem })?;
        reports.push(NamedReport { file, report });
    }
    Ok(merge(reports, &arguments.arch)?)
}
