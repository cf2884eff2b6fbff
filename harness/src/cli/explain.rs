//! `hallmark explain`.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use hallmark_chip::{Architecture, HarvestingMask};
use hallmark_execution::executor::{ExecutorChoice, Executors, for_capture};
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_pipeline::captured_test::CapturedTest;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Limits, Settings, judge};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_suite::discover::known_architectures;
use hallmark_suite::name::TestName;

use super::capture_file::{read, read_to_replay};
use super::options::{ConfiguredRoot, DeviceOption, Devices, LaunchOptions, OUTPUT};
use super::profiled_replay::{Asked, Profiled};
use super::select::one_test;
use super::subject::{Subject, capture_now, settings_of_captures};
use super::{Failed, output, portability};
use crate::explain::{explain, explain_capture};
use crate::unit_waits;

/// The time limit of a run that notes its waits.
const RUN_TIMEOUT: Duration = Duration::from_secs(600);
/// The time limit of a plan, which runs nothing.
const PLAN_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Clone, Debug, Args)]
pub(super) struct ExplainArguments {
    /// The name of a test, or a capture
    #[arg(value_name = "TEST|CAPTURE")]
    subject: Subject,
    #[command(flatten)]
    root: ConfiguredRoot,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    launch: LaunchOptions,
    /// Run the subject, and show the steps that each wait for a unit of the Tensix coprocessor put in order
    ///
    /// A wait is a STALLWAIT, or a core's wait for its thread. For each wait, the command lists the pairs of steps that would
    /// be a data race without it, and the other waits that order the same pairs. The device is the built-in simulator, or
    /// its library, which also TT-Metalium may drive.
    #[arg(long, help_heading = OUTPUT)]
    waits: bool,
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Failed> {
    let (text, code) = match &arguments.subject {
        subject if arguments.waits => waits(arguments, subject)?,
        Subject::Test(name) => (test(arguments, name)?, ExitCode::SUCCESS),
        Subject::Capture(file) => (capture(arguments, file)?, ExitCode::SUCCESS),
    };
    output::say_lines(&text);
    Ok(code)
}

fn check_simulated(architecture: Architecture) -> Result<(), Failed> {
    if known_architectures().contains(&architecture) {
        return Ok(());
    }
    let text =
        format!("there is no simulated {architecture} yet, and plans are made on simulated chips");
    Err(Failed::new(ExitCode::DEVICE, text))
}

/// Runs a capture or a test, and tells of its waits.
fn waits(arguments: &ExplainArguments, subject: &Subject) -> Result<(String, ExitCode), Failed> {
    let (settings, capture, executor) = match subject {
        Subject::Capture(file) => {
            let settings = settings_of_captures(arguments.launch.settings()?)?;
            let capture = read_to_replay(file)?;
            let device = arguments.device.written().last().map_or("sim", String::as_str);
            let architecture = capture.program.architecture;
            let executor = for_capture(Some(device), architecture, &settings.workers.programs)
                .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
            (settings, capture, executor)
        }
        Subject::Test(name) => {
            let settings = settings_of_test(arguments, name)?;
            let capture = capture_now(&settings, name)?;
            let executor = settings.workers.test_executors(name.architecture).replay;
            (settings, capture, executor)
        }
    };
    let limits = Limits { timeout: RUN_TIMEOUT, asked: capture.asked() };
    let profiled = Profiled { capture: &capture, executor: &executor, limits };
    let (executed, _) = profiled.replay(&settings, Asked::UnitWaits)?;
    if let Some(WorkerProblem::Refused(report)) = &executed.report.problem {
        output::say(&portability::told(report, Path::new(&subject.to_string())));
        return Err(Failed::new(ExitCode::REFUSED, "the capture cannot be replayed here"));
    }
    let finding = judge::replayed_file(&capture, &executed, limits.timeout, false);
    let of_library = executed.unit_waits();
    let notes = executed.profile().filter(|_| matches!(executor.device, DeviceSpec::Simulator(_)));
    let told =
        of_library.or_else(|| notes.map(|notes| unit_waits::report(&notes, &capture).to_string()));
    let told = told.map(|told| format!("{subject}\n{told}"));
    match (finding, told) {
        (None, Some(told)) => Ok((told, ExitCode::SUCCESS)),
        (Some(finding), told) => {
            let label = hallmark_pipeline::report::label(&finding.verdict);
            let stopped = hallmark_pipeline::stopped::lines(&executed);
            let lines: Vec<String> = finding.report().into_iter().chain(stopped).collect();
            let reason = lines.join("\n  ");
            let told = told.map_or_else(String::new, |told| {
                format!("{told}  the waits are those before that\n")
            });
            Ok((format!("{told}{label} {subject}: {reason}\n"), finding.exit_code()))
        }
        (None, None) => {
            let text = format!(
                "{executor} does not tell what waits put in order; use Hallmark's simulator, sim or its library"
            );
            Err(Failed::new(ExitCode::USAGE, text))
        }
    }
}

fn settings_of_test(arguments: &ExplainArguments, name: &TestName) -> Result<Settings, Failed> {
    let mut configuration = arguments.root.configuration()?;
    let programs = arguments.launch.configured(&mut configuration)?;
    let devices = Devices {
        device: Some(&arguments.device),
        programs,
        configuration: Some(&configuration),
        ..Devices::default()
    };
    devices.settings(arguments.root.find()?, &[name.architecture])
}

fn test(arguments: &ExplainArguments, name: &TestName) -> Result<String, Failed> {
    let settings = settings_of_test(arguments, name)?;
    let test = one_test(&settings.root, name)?;
    check_simulated(test.name.architecture)?;
    explain(&settings, &test).map_err(|error| Failed::new(error.code, error))
}

fn capture(arguments: &ExplainArguments, file: &Path) -> Result<String, Failed> {
    let captured = CapturedTest::new(file, read(file)?, PLAN_TIMEOUT);
    let architecture = captured.capture.program.architecture;
    check_simulated(architecture)?;
    let mut settings = settings_of_captures(arguments.launch.settings()?)?;
    let record = captured.capture.record.as_ref();
    let mask = record.map_or(0, |record| record.chip.harvesting_mask);
    let chip = SimulatedChip { architecture, harvesting: HarvestingMask(mask) };
    let simulator = ExecutorChoice::from(DeviceSpec::Simulator(chip));
    settings.workers.executors = Executors::only(simulator, architecture);
    explain_capture(&settings, &captured).map_err(|error| Failed::new(error.code, error))
}
