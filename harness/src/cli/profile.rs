//! `hallmark profile`: where the time of a capture or a test goes.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::plural::counted;

use super::capture_file::write;
use super::options::{DEVICES, OUTPUT};
use super::subject::Subject;
use super::triage_options::{RunOptions, Subjected};
use super::{Failed, output, portability};
use crate::pipeline::{Finding, ReplayOf, judge, replay_profiling};
use crate::profile::columns::{COLUMNS, Content};
use crate::profile::comparison::{OtherTable, compare};
use crate::profile::operation::operations;
use crate::profile::page::page;
use crate::profile::{csv, summary, timeline};
use crate::verdict::ExitCode;
use crate::whole_file;
use crate::worker::problem::WorkerProblem;

/// Where the table goes unless told otherwise.
const TABLE: &str = "results/perf/device_ops_perf_trace.csv";

#[derive(Clone, Debug, Args)]
pub(super) struct ProfileArguments {
    /// The name of a test, or a capture
    #[arg(value_name = "TEST|CAPTURE", required_unless_present = "columns")]
    subject: Option<Subject>,
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
    /// Its lanes are the host's calls, the queues, and the processors of each tile. Without --clock a tick lasts a
    /// nanosecond there.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    timeline: Option<PathBuf>,
    /// Write a page, too, that shows where the time went
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    html: Option<PathBuf>,
    /// Print what fills each column, and why some are empty; nothing runs
    #[arg(long, help_heading = OUTPUT)]
    columns: bool,
}

pub(super) fn run(arguments: &ProfileArguments) -> Result<ExitCode, Failed> {
    let subject = match &arguments.subject {
        Some(subject) if !arguments.columns => subject,
        Some(_) | None => {
            say_columns();
            return Ok(ExitCode::SUCCESS);
        }
    };
    // What cannot be compared is found out before anything runs, and before a table of that name is written over.
    let other = arguments.against.as_deref().map(|file| {
        let unusable = |error| {
            let text = format!("{} cannot be compared with: {error}", file.display());
            Failed::new(ExitCode::USAGE, text)
        };
        OtherTable::read(file).map_err(unusable)
    });
    let other = other.transpose()?;
    let Subjected { settings, capture, .. } = arguments.runs.subjected(subject)?;
    let executor =
        arguments.runs.executor(arguments.device.as_deref().unwrap_or("sim"), &capture)?;
    let limits = arguments.runs.limits(&capture);
    let unwritten = |error| {
        Failed::new(
            ExitCode::INTERNAL,
            format!("the capture cannot be written for a replay: {error}"),
        )
    };
    let folder = TemporaryFolder::new().map_err(unwritten)?;
    let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
    let file = folder.path().join("capture.lmb");
    whole_file::write_in_own_folder(&file, &bytes).map_err(unwritten)?;
    let replay = ReplayOf {
        capture: file,
        num_command_queues: capture.program.num_command_queues,
        kernels: executor.find_kernels(&capture, &settings.kernels),
        executor: executor.clone(),
    };
    let failed = |finding: Finding| Failed::new(finding.exit_code(), finding.report().join("\n"));
    let executed = replay_profiling(&settings.workers, replay, limits).map_err(failed)?;
    if let Some(WorkerProblem::Refused(report)) = &executed.report.problem {
        output::say(&portability::told(report, std::path::Path::new(&subject.to_string())));
        return Ok(ExitCode::REFUSED);
    }
    let Some(notes) = executed.profile() else {
        let text =
            format!("{executor} does not say what calls take; profile a device of this release");
        return Err(Failed::new(ExitCode::INCONCLUSIVE, text));
    };
    let finding = judge::replayed_file(&capture, &executed, limits.timeout, false);
    let operations = operations(&capture, &notes);
    let table = csv::write(&operations, arguments.clock).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("the table cannot be made: {error}"))
    })?;
    if let Some(folder) = arguments.output.parent() {
        std::fs::create_dir_all(folder).map_err(|error| {
            let text = format!("{} cannot be made: {error}", folder.display());
            Failed::new(ExitCode::INTERNAL, text)
        })?;
    }
    write(&arguments.output, &table)?;
    if let Some(file) = &arguments.timeline {
        let drawn = timeline::write(&operations, &capture, &notes, arguments.clock);
        write(file, &drawn)?;
    }
    if let Some(file) = &arguments.html {
        let (subject, device) = (subject.to_string(), executor.to_string());
        let page = page(&operations, &subject, &device, notes.knows_launches);
        write(file, hallmark_report::profile_html(&page).as_bytes())?;
    }
    output::say(&format!("{subject} on {executor}"));
    if !notes.knows_launches {
        let why = "the device does not tell what its cores do, so that no operation has a duration";
        output::say(&format!("  {why}; `--device sim --dispatch host` does"));
    } else if operations.is_empty() {
        output::say("  no program was enqueued");
    }
    for line in summary::lines(&operations) {
        output::say(&format!("  {line}"));
    }
    let dropped = operations.iter().filter_map(|it| it.launch).map(|it| it.dropped).sum::<u64>();
    if dropped > 0 {
        let spans = counted(dropped, "wait", "waits");
        output::say(&format!(
            "  {spans} more than are kept of one operation: their time is left out"
        ));
    }
    output::say(&format!(
        "wrote {}  {}",
        arguments.output.display(),
        counted(operations.len(), "operation", "operations")
    ));
    if let Some(file) = &arguments.timeline {
        output::say(&format!("wrote {}  open it at ui.perfetto.dev", file.display()));
    }
    if let Some(file) = &arguments.html {
        output::say(&format!("wrote {}", file.display()));
    }
    let (slower, nothing_compared) = match (&other, &arguments.against) {
        (Some(other), Some(file)) => {
            let comparison = compare(&operations, other);
            for line in &comparison.lines {
                output::say(&format!("  {line}"));
            }
            let slower = counted(comparison.slower, "operation takes", "operations take");
            output::say(&format!("{slower} longer than in {}", file.display()));
            let nothing_compared = format!(
                "no operation took a known time both here and in {}, so nothing is compared; name a table of the same programs",
                file.display()
            );
            (comparison.slower, (comparison.common == 0).then_some(nothing_compared))
        }
        _ => (0, None),
    };
    match finding {
        None if slower > 0 => Ok(ExitCode::NOT_PASSED),
        None => match nothing_compared {
            Some(text) => Err(Failed::new(ExitCode::INCONCLUSIVE, text)),
            None => Ok(ExitCode::SUCCESS),
        },
        Some(finding) => {
            let label = crate::report::label(&finding.verdict);
            output::say(&format!("{label} {subject}: {}", finding.report().join("\n  ")));
            output::say("  the table has what was launched before that");
            Ok(finding.exit_code())
        }
    }
}

/// What fills each column.
fn say_columns() {
    let width = COLUMNS.iter().map(|column| column.name.len()).max().unwrap_or(0);
    for column in &COLUMNS {
        let (how, what) = column.content.about();
        let more = match column.content {
            Content::Moment { .. } | Content::Duration { .. } => " (with --clock)",
            Content::Text { .. } | Content::Empty { .. } => "",
        };
        output::say(&format!("{:width$}  {how}{more}: {what}", column.name));
    }
}
