//! `hallmark portability`: says before a replay whether a capture can be replayed on a device.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hallmark_execution::worker::portability::{
    PortabilityLine, PortabilityReport, PortabilityVerdict,
};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Limits, assess_capture, judge};
use hallmark_runtime::device_code::first_diagnostics;
use hallmark_schema::plural::counted;
use serde::Serialize;

use super::options::{EXECUTION, OUTPUT};
use super::replayable::{ReplayCommon, Replayable};
use super::{Failed, output};

/// The number of lines of one kind that people see; JSON has all of them.
const SHOWN: usize = 8;

#[derive(Clone, Debug, Args)]
#[command(after_help = "Exit codes of an answer: 0 exact, 10 adapted, 11 refused.")]
pub(super) struct PortabilityArguments {
    /// A capture, its JSON lines, or a journal that a crash left behind
    file: PathBuf,
    #[command(flatten)]
    common: ReplayCommon,
    /// Print the answer as JSON, with every line
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// Seconds to wait for the answer of the device
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = EXECUTION)]
    timeout: u64,
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    file: &'a Path,
    device: &'a str,
    verdict: PortabilityVerdict,
    moved: &'a [PortabilityLine],
    reasons: &'a [PortabilityLine],
}

pub(super) fn run(arguments: &PortabilityArguments) -> Result<ExitCode, Failed> {
    let Replayable { capture, workers, replay, folder: _folder, .. } =
        Replayable::open(&arguments.file, &arguments.common)?;
    let limits = Limits { timeout: Duration::from_secs(arguments.timeout), asked: capture.asked() };
    let executed =
        assess_capture(&workers, replay, limits).map_err(|finding| Failed::of_finding(&finding))?;
    let Some(answer) = &executed.report.portability else {
        let finding = judge::no_answer(&executed, limits.timeout);
        return Err(Failed::of_finding(&finding));
    };
    if arguments.json {
        let PortabilityReport { device, verdict, moved, reasons } = &**answer;
        let file = &arguments.file;
        let answer = Answer { file, device, verdict: *verdict, moved, reasons };
        let text = serde_json::to_string_pretty(&answer)
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        output::say_json(&text);
    } else {
        output::say(&told(answer, &arguments.file));
    }
    Ok(exit_code(answer.verdict))
}

const fn exit_code(verdict: PortabilityVerdict) -> ExitCode {
    match verdict {
        PortabilityVerdict::Exact => ExitCode::SUCCESS,
        PortabilityVerdict::Adapted => ExitCode::ADAPTED,
        PortabilityVerdict::Refused => ExitCode::REFUSED,
    }
}

/// The answer for people.
pub(super) fn told(report: &PortabilityReport, file: &Path) -> String {
    let verdict = match report.verdict {
        PortabilityVerdict::Exact => "EXACT",
        PortabilityVerdict::Adapted => "ADAPTED",
        PortabilityVerdict::Refused => "REFUSED",
    };
    let mut text = format!("{verdict} {} on {}", file.display(), report.device);
    for line in lines(report) {
        text.push_str("\n  ");
        text.push_str(&line);
    }
    text
}

/// The addresses that move, or every reason, for people: the first lines of each kind and the number of further
/// ones.
pub(super) fn lines(report: &PortabilityReport) -> Vec<String> {
    let mut lines = Vec::new();
    for list in [&report.moved, &report.reasons] {
        for of_a_kind in list.chunk_by(|one, other| one.kind == other.kind) {
            lines.extend(first(of_a_kind));
        }
    }
    lines
}

/// A reason with the first of the compiler's errors, if it holds a compiler's messages.
fn of_compiler(text: &str) -> String {
    let first = first_diagnostics(text, SHOWN);
    first.with_further_errors(", with hallmark portability --json").join("\n  ")
}

fn first(of_a_kind: &[PortabilityLine]) -> Vec<String> {
    let mut lines: Vec<String> =
        of_a_kind.iter().take(SHOWN).map(|line| of_compiler(&line.text)).collect();
    let more = of_a_kind.len().saturating_sub(SHOWN);
    if more > 0 {
        let what = of_a_kind.first().map_or("", |line| line.kind.as_str()).replace('_', " ");
        lines.push(format!(
            "and {} of this kind ({what})",
            counted(more, "more line", "more lines")
        ));
    }
    lines
}
