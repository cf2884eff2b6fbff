//! `hallmark profile`: shows where the time of a capture, a test or a command goes.

mod command;
mod results;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_pipeline::judge;
use hallmark_pipeline::profiled::ProfiledRun;
use hallmark_pipeline::verdict::ExitCode;

use super::options::{DEVICES, OUTPUT};
use super::profiled_replay::{Asked, Profiled};
use super::subject::Subject;
use super::triage_options::{RunOptions, Subjected};
use super::{Failed, output, portability};
use crate::profile::columns::{explained, names};
use crate::profile::comparison::OtherTable;

/// Ticks of a megahertz clock in a second: the slowest clock that the markers' format can express.
const MEGAHERTZ: u64 = 1_000_000;

/// The default path of the table.
const TABLE: &str = "results/perf/device_ops_perf_trace.csv";

#[derive(Clone, Debug, Args)]
#[command(override_usage = "hallmark profile [OPTIONS] TEST|CAPTURE
       hallmark profile [OPTIONS] -- COMMAND [ARGUMENTS]...
       hallmark profile --columns")]
pub(super) struct ProfileArguments {
    /// The name of a test, or a capture
    #[arg(value_name = "TEST|CAPTURE", required_unless_present_any = ["columns", "command"], conflicts_with = "command")]
    subject: Option<Subject>,
    /// A command of Hallmark or a run of tests, with its arguments: each replay that it makes is profiled
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// The device that is profiled, written as for `run --device` [default: the simulator of the capture's chip]
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    device: Option<String>,
    #[command(flatten)]
    runs: RunOptions,
    /// The file of comma-separated values that is written
    #[arg(short, long, value_name = "FILE", default_value = TABLE, help_heading = OUTPUT)]
    output: PathBuf,
    /// How many ticks a second has: fills the columns in nanoseconds and cycles
    ///
    /// A simulator's ticks are no unit of time, so that those columns are empty without it. The ticks stand in columns of
    /// their own at the end either way.
    #[arg(long, value_name = "HZ", help_heading = OUTPUT)]
    clock: Option<NonZeroU64>,
    /// Compare with a table that `hallmark profile` wrote before; fail if an operation takes longer than it did
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    against: Option<PathBuf>,
    /// Write a timeline for Perfetto, too (ui.perfetto.dev opens it)
    ///
    /// Its lanes are the host's calls, the queues, the dispatchers, and the processors and NoC requests of each tile. Without
    /// --clock a tick lasts a nanosecond there.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    timeline: Option<PathBuf>,
    /// Build firmware and kernels with markers, and write what they mark
    ///
    /// Zones that kernels name with DeviceZoneScopedN are told, and a device that does not tell what its cores do has
    /// durations. The file has the format of TT-Metalium's profile_log_device.csv. It needs the RISC-V compiler. Markers
    /// take time: ticks are not those of a run without.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    markers: Option<PathBuf>,
    /// Write a page, too, that shows where the time went
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    html: Option<PathBuf>,
    /// Print what fills each column, and why some are empty; nothing runs
    #[arg(long, help_heading = OUTPUT)]
    columns: bool,
}

impl ProfileArguments {
    /// The files that the command writes.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let asked_for = [&self.timeline, &self.markers, &self.html];
        std::iter::once(&self.output).chain(asked_for.into_iter().flatten())
    }

    /// Prints how markers may cause a failure, if there are markers.
    fn say_what_markers_take(&self) {
        if self.markers.is_some() {
            output::note(
                "markers take the top of each DRAM bank and 10 496 bytes of what kernels have of a tile; what is not there \
                 without --markers comes from that",
            );
        }
    }
}

pub(super) fn run(arguments: &ProfileArguments) -> Result<ExitCode, Failed> {
    if arguments.columns {
        say_columns();
        return Ok(ExitCode::SUCCESS);
    }
    // A table that cannot be compared must be refused before anything runs and before the command overwrites a
    // table.
    let other = arguments.against.as_deref().map(|file| {
        let unusable = |error| {
            let text = format!("{} cannot be compared with: {error}", file.display());
            Failed::new(ExitCode::USAGE, text)
        };
        OtherTable::read(file).map_err(unusable)
    });
    let other = other.transpose()?;
    if arguments.markers.is_some() && arguments.clock.is_some_and(|clock| clock.get() < MEGAHERTZ) {
        let text = "the file of --markers says the clock in whole megahertz; give a --clock of at least 1000000";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    for file in arguments.files() {
        if file.is_dir() {
            let text = format!("{} is a folder; name a file", file.display());
            return Err(Failed::new(ExitCode::USAGE, text));
        }
    }
    match (&arguments.subject, arguments.command.split_first()) {
        (None, Some((program, rest))) => command::run(arguments, program, rest, other.as_ref()),
        (Some(subject), _) => replay(arguments, subject, other.as_ref()),
        // The parser requires one of them.
        (None, None) => {
            Err(Failed::new(ExitCode::USAGE, "profile needs a test, a capture or a command"))
        }
    }
}

/// Replays a capture or a test, and prints the times.
fn replay(
    arguments: &ProfileArguments,
    subject: &Subject,
    other: Option<&OtherTable>,
) -> Result<ExitCode, Failed> {
    let Subjected { settings, capture, .. } = arguments.runs.subjected(subject)?;
    let executor =
        arguments.runs.executor(arguments.device.as_deref().unwrap_or("sim"), &capture)?;
    let limits = arguments.runs.limits(&capture);
    let profiled = Profiled { capture: &capture, executor: &executor, limits };
    let asked = if arguments.markers.is_some() { Asked::Markers } else { Asked::Times };
    let (executed, without_markers) = profiled.replay(&settings, asked)?;
    if let Some(WorkerProblem::Refused(report)) = &executed.report.problem {
        output::say(&portability::told(report, std::path::Path::new(&subject.to_string())));
        arguments.say_what_markers_take();
        return Ok(ExitCode::REFUSED);
    }
    let finding = judge::replayed_file(&capture, &executed, limits.timeout, false);
    let Some(notes) = executed.profile() else {
        // A device that cannot be opened gives no finding.
        if let Some(finding) = finding {
            return Err(Failed::of_finding(&finding));
        }
        let text =
            format!("{executor} does not say what calls take; profile a device of this release");
        return Err(Failed::new(ExitCode::INCONCLUSIVE, text));
    };
    let (subject_name, device) = (subject.to_string(), executor.to_string());
    let run = ProfiledRun { subject: subject_name, device, capture, notes, without_markers };
    let compared = results::write(arguments, std::slice::from_ref(&run), other)?;
    match finding {
        None => compared.conclude(),
        Some(finding) => {
            let label = hallmark_pipeline::report::label(&finding.verdict);
            output::say(&format!("{label} {subject}: {}", finding.report().join("\n  ")));
            output::say("  the table has what was launched before that");
            arguments.say_what_markers_take();
            Ok(finding.exit_code())
        }
    }
}

/// Prints the source of each column.
fn say_columns() {
    let width = names().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, about) in names().zip(explained()) {
        output::say(&format!("{name:width$}  {about}"));
    }
}
