//! `hallmark explain`.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use hallmark_chip::{Architecture, HarvestingMask};
use hallmark_execution::executor::{ExecutorChoice, Executors};
use hallmark_pipeline::captured_test::CapturedTest;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_suite::discover::known_architectures;
use hallmark_suite::name::TestName;

use super::capture_file::read;
use super::options::{ConfiguredRoot, DeviceOption, Devices, LaunchOptions};
use super::select::one_test;
use super::subject::{Subject, settings_of_captures};
use super::{Failed, output};
use crate::explain::{explain, explain_capture};

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
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Failed> {
    let text = match &arguments.subject {
        Subject::Test(name) => test(arguments, name)?,
        Subject::Capture(file) => capture(arguments, file)?,
    };
    output::say_lines(&text);
    Ok(ExitCode::SUCCESS)
}

fn check_simulated(architecture: Architecture) -> Result<(), Failed> {
    if known_architectures().contains(&architecture) {
        return Ok(());
    }
    let text =
        format!("there is no simulated {architecture} yet, and plans are made on simulated chips");
    Err(Failed::new(ExitCode::DEVICE, text))
}

fn test(arguments: &ExplainArguments, name: &TestName) -> Result<String, Failed> {
    let mut configuration = arguments.root.configuration()?;
    let programs = arguments.launch.configured(&mut configuration)?;
    let devices = Devices {
        device: Some(&arguments.device),
        programs,
        configuration: Some(&configuration),
        ..Devices::default()
    };
    let settings = devices.settings(arguments.root.find()?, &[name.architecture])?;
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
