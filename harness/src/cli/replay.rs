//! `hallmark replay`: replays a capture in a fresh process.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::Ending;
use hallmark_pipeline::captured_failure::failures;
use hallmark_pipeline::known_deviation;
use hallmark_pipeline::profiled::replay_of;
use hallmark_pipeline::read_tolerance::{give_tolerances, reads_within_tolerance};
use hallmark_pipeline::repeated_fault::repeated_fault;
use hallmark_pipeline::signature;
use hallmark_pipeline::verdict::{ExitCode, Verdict};
use hallmark_pipeline::{Executed, Finding, Limits, PrintedLines};
use hallmark_schema::model::Capture;
use hallmark_schema::plural::counted;
use hallmark_suite::bind::{ReadTolerance, tolerance_of_option};

use super::capture_file::write;
use super::options::{EXECUTION, OUTPUT};
use super::replayable::{ReplayCommon, Replayable};
use super::{Failed, output, portability};

#[derive(Clone, Debug, Args)]
pub(super) struct ReplayArguments {
    /// A capture, its JSON lines, or a journal that a crash left behind
    file: PathBuf,
    #[command(flatten)]
    common: ReplayCommon,
    /// On the chip of the capture, fail if addresses or ELFs differ from those in the capture
    #[arg(long, help_heading = EXECUTION)]
    strict_derived: bool,
    /// Let reads differ from what was captured within a tolerance, such as '{ type: bfloat16, ulp: 2 }' (repeatable)
    ///
    /// The keys are `type` and any of `ulp`, `absolute`, `relative` and `pcc`, as in an expectation `near` of a suite, and `read`, the
    /// name of one read. A read with an expectation of its own keeps it.
    #[arg(long, value_name = "TOLERANCE", help_heading = EXECUTION)]
    read_tolerance: Vec<String>,
    /// Succeed if the replay repeats the capture, even if the captured run failed
    #[arg(long, help_heading = EXECUTION)]
    as_captured: bool,
    /// Write what the failure is, if the replay fails, as JSON by which failures can be told from each other
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    signature: Option<PathBuf>,
    /// Also print all lines that kernels print (`DPRINT`); a failed replay shows the last ones anyway
    #[arg(long, help_heading = OUTPUT)]
    print: bool,
    /// Seconds after which the replay is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 600, help_heading = EXECUTION)]
    timeout: u64,
}

impl ReplayArguments {
    /// Writes the signature of a failure that has one, if the option names a file.
    fn write_signature(&self, finding: &Finding) -> Result<(), Failed> {
        let Some((file, signature)) = self.signature.as_deref().zip(finding.signature()) else {
            return Ok(());
        };
        let text =
            signature::text(signature).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(file, text.as_bytes())
    }

    /// The lines that the kernels of the replay printed: all of them on request, otherwise the last ones of a failure.
    fn printed(&self, executed: &Executed, has_failed: bool) -> Vec<String> {
        let printed = executed.printed_lines();
        match (self.print, has_failed) {
            (true, _) => PrintedLines::whole(&printed),
            (false, true) => PrintedLines::shortened(&printed, "use --print"),
            (false, false) => Vec::new(),
        }
    }

    /// Gives reads the tolerances of the option; says whether there are any.
    fn give_tolerances(&self, capture: &mut Capture) -> Result<bool, Failed> {
        if self.read_tolerance.is_empty() {
            return Ok(false);
        }
        let architecture = capture.program.architecture;
        let tolerances = self.read_tolerance.iter().map(|text| {
            tolerance_of_option("--read-tolerance", text, architecture).map_err(|mistakes| {
                let told: String = mistakes.iter().map(ToString::to_string).collect();
                Failed::new(ExitCode::USAGE, told.trim_start_matches("error: ").trim_end())
            })
        });
        let tolerances: Vec<ReadTolerance> = tolerances.collect::<Result<_, _>>()?;
        give_tolerances(capture, &tolerances).map_err(|error| {
            Failed::new(ExitCode::USAGE, format!("{}: {error}", self.file.display()))
        })?;
        Ok(true)
    }
}

pub(super) fn run(arguments: &ReplayArguments) -> Result<ExitCode, Failed> {
    let Replayable { capture, workers, replay, folder: _folder } =
        Replayable::open_changed(&arguments.file, &arguments.common, |capture| {
            arguments.give_tolerances(capture)
        })?;
    let executor = replay.executor.clone();
    let timeout = Duration::from_secs(arguments.timeout);
    let limits = Limits { timeout, asked: capture.asked() };
    let (kernels, subject) =
        (arguments.common.kernel_store()?, arguments.file.display().to_string());
    let executed = replay_of(&workers, &kernels, replay, limits, &subject)
        .map_err(|finding| Failed::of_finding(&finding))?;
    if let Some(WorkerProblem::Refused(report)) = &executed.report.problem {
        output::say(&portability::told(report, &arguments.file));
        return Ok(ExitCode::REFUSED);
    }
    if let Some(problem @ WorkerProblem::Capture { .. }) = &executed.report.problem {
        let text = format!("{}: {problem}", arguments.file.display());
        return Err(Failed::new(ExitCode::CAPTURE, text));
    }
    let finding = hallmark_pipeline::judge::replayed_file(
        &capture,
        &executed,
        timeout,
        arguments.strict_derived,
    );
    if let Some(finding) = finding {
        if let Some(known) = known_deviation::of_fault(&arguments.file, &executor, &finding) {
            let said = finding.report().join("\n  ");
            let printed: String = arguments
                .printed(&executed, true)
                .iter()
                .map(|line| format!("\n  {line}"))
                .collect();
            let verdict = Verdict::KnownDeviation { reason: known.clone() };
            output::say(&format!(
                "{} {}\n  {said}{printed}\n  known     {known}\n  The replay ended there, and nothing is known of the calls from this program on.",
                hallmark_pipeline::report::label(&verdict),
                arguments.file.display(),
            ));
            return Ok(verdict.exit_code());
        }
        arguments.write_signature(&finding)?;
        let lines: Vec<String> =
            finding.report().into_iter().chain(arguments.printed(&executed, true)).collect();
        output::say(&format!(
            "{} {}\n  {}",
            hallmark_pipeline::report::label(&finding.verdict),
            arguments.file.display(),
            lines.join("\n  ")
        ));
        return Ok(finding.exit_code());
    }
    if let Some(fault) = repeated_fault(&capture, &executed) {
        output::say(&format!(
            "the device ended TT-Metalium's process, as captured: {fault}\n  \
             The results of the calls before are not known."
        ));
        for line in arguments.printed(&executed, true) {
            output::say(&format!("  {line}"));
        }
        return say_failures(arguments, &failures(&capture, &capture));
    }
    let newer = executed.report.newer.as_ref();
    let ended = newer.filter(|it| it.ends_the_replay()).and_then(|it| it.command);
    let repeated = ended.and_then(|at| usize::try_from(at).ok());
    // Of a replay that ended there, only the reads before were compared.
    let made = ended.and(executed.capture.as_deref()).unwrap_or(&capture);
    let reads = made.outputs.len();
    let replayed = executed.capture.as_deref();
    let near = replayed.map_or(0, |replayed| reads_within_tolerance(&capture, replayed));
    let as_captured = match near {
        0 => "every outcome and every read is as captured".to_owned(),
        _ => format!(
            "every outcome is as captured; {near} of {} {}",
            counted(reads, "read", "reads"),
            if near == 1 {
                "differs within its tolerance"
            } else {
                "differ within their tolerances"
            },
        ),
    };
    output::say(&format!(
        "{} and {} repeated on {executor}; {as_captured}",
        counted(repeated.unwrap_or(capture.program.commands.len()), "command", "commands"),
        counted(reads, "read", "reads"),
    ));
    if let Ending::Reported(report) = &executed.ended.ending {
        if let Some(portability) = report.portability.as_deref().filter(|it| !it.moved.is_empty()) {
            output::say("  adapted to this device:");
            for line in portability::lines(portability) {
                output::say(&format!("    {line}"));
            }
        }
        for line in report.finished_now.iter().chain(&report.derived_differences) {
            output::say(&format!("  {line}"));
        }
        for warning in &report.warnings {
            output::say(&format!("  warning   {}", warning.sentence()));
        }
        if let Some(note) = &report.newer {
            output::say(&format!("  note      {}", note.sentence()));
        }
    }
    let stopped = hallmark_pipeline::stopped::lines(&executed);
    if !stopped.is_empty() {
        output::say(match newer {
            Some(_) => "  the device stopped:",
            None => "  the device stopped, as captured:",
        });
        for line in &stopped {
            output::say(&format!("    {line}"));
        }
    }
    let failed_again = replayed.map(|replayed| failures(&capture, replayed)).unwrap_or_default();
    let has_failed = !stopped.is_empty() || !failed_again.is_empty();
    for line in arguments.printed(&executed, has_failed) {
        output::say(&format!("  {line}"));
    }
    say_failures(arguments, &failed_again)
}

/// Prints the failures of a captured run that its replay repeated, and returns the exit code.
fn say_failures(arguments: &ReplayArguments, failures: &[Finding]) -> Result<ExitCode, Failed> {
    let Some((finding, others)) = failures.split_first() else { return Ok(ExitCode::SUCCESS) };
    arguments.write_signature(finding)?;
    let label = hallmark_pipeline::report::label(&finding.verdict);
    let others = match others.len() {
        0 => String::new(),
        count => format!(" (and {})", counted(count, "more failure", "more failures")),
    };
    let (code, advice) = if arguments.as_captured {
        (ExitCode::SUCCESS, "accepted by --as-captured")
    } else {
        (finding.exit_code(), "use --as-captured to accept the captured failure")
    };
    let headline = &finding.headline;
    output::say(&format!("{label} {}: {headline}{others}; {advice}", arguments.file.display()));
    Ok(code)
}
