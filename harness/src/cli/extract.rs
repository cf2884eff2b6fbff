//! `hallmark extract`: writes a trace that a capture collected to a file, to be loaded elsewhere.

use std::path::PathBuf;

use clap::Args;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::CollectedTrace;
use hallmark_schema::commands;
use hallmark_schema::model::{Capture, Command, CommandIndex, Outcome};
use hallmark_schema::plural::{counted, grouped};

use super::capture_file::{read, write};
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct ExtractArguments {
    /// A capture, its JSON lines, or a journal that a crash left behind
    file: PathBuf,
    /// The name under which the capture collected the trace
    trace: String,
    /// The file that the trace is written to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(arguments: &ExtractArguments) -> Result<ExitCode, Failed> {
    let capture = read(&arguments.file)?;
    let command = collected_as(&capture, &arguments.trace)
        .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    let mut recorded = capture.record.iter().flat_map(|record| &record.collected);
    let bytes = recorded.find(|bytes| bytes.command == command);
    let bytes = bytes.and_then(|bytes| capture.blobs.get(&bytes.hash)).ok_or_else(|| {
        let text = format!(
            "{} does not hold the bytes of `{}`, only the calls that make them; replay it, and take them from \
             the replay's capture",
            arguments.file.display(),
            arguments.trace
        );
        Failed::new(ExitCode::CAPTURE, text)
    })?;
    // A user must not find out later, elsewhere, that the file is not a trace.
    let told = CollectedTrace::from_bytes(&**bytes)
        .description()
        .map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
    write(&arguments.output, bytes)?;
    let symbols = if told.symbols.is_empty() { "none".to_owned() } else { told.symbols.join(", ") };
    output::say(&format!(
        "{}: {} B, trace `{}` of {}\n  made on {} with a grid of {}×{} cores, firmware {} ({}…), launch ABI {}\n  \
         to be placed when it is loaded: {symbols}",
        arguments.output.display(),
        grouped(bytes.len()),
        told.name,
        counted(told.launches, "launch", "launches"),
        told.architecture,
        told.grid.columns,
        told.grid.rows,
        told.firmware,
        told.firmware_hash.shortened(),
        told.launch_abi,
    ));
    Ok(ExitCode::SUCCESS)
}

/// Why there is no trace to extract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum NoSuchTrace {
    #[error("the capture collects no trace: none of its calls is a collect_trace")]
    NoneCollected,
    #[error("no trace is called `{wanted}`; the capture collects {}", quoted(.collected))]
    AnotherName { wanted: String, collected: Vec<String> },
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The call that collected a trace under this name.
fn collected_as(capture: &Capture, wanted: &str) -> Result<CommandIndex, NoSuchTrace> {
    let mut names: Vec<String> = Vec::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&capture.program.commands) {
        let Command::CollectTrace(commands::CollectTrace { collected, .. }) = &recorded.command
        else {
            continue;
        };
        if recorded.outcome != Outcome::Done {
            continue;
        }
        if collected == wanted {
            return Ok(index);
        }
        names.push(collected.clone());
    }
    if names.is_empty() {
        return Err(NoSuchTrace::NoneCollected);
    }
    Err(NoSuchTrace::AnotherName { wanted: wanted.to_owned(), collected: names })
}
