//! `hallmark capture`: the capture of one test as a file.

use std::path::PathBuf;

use clap::Args;
use hallmark_schema::plural::grouped;

use super::capture_file::write;
use super::options::{
    DeviceOption, Devices, OUTPUT, ProgramOptions, ReplayDeviceOption, RootOption,
};
use super::select::{one_test, test_name};
use super::{Failed, output};
use crate::pipeline::{GoldenCheck, TestFolder, perform, program_size};
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct CaptureArguments {
    /// The name of the test
    test: String,
    #[command(flatten)]
    root: RootOption,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    replay_device: ReplayDeviceOption,
    #[command(flatten)]
    programs: ProgramOptions,
    /// The file that the capture is written to
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
}

pub(super) fn run(arguments: &CaptureArguments) -> Result<ExitCode, Failed> {
    let name = test_name(&arguments.test)?;
    let devices = Devices {
        device: Some(&arguments.device),
        replay_device: Some(&arguments.replay_device),
        programs: arguments.programs.settings()?,
    };
    let settings = devices.settings(arguments.root.find()?, &[name.architecture])?;
    let test = one_test(&settings.root, &name)?;
    if let Some(reason) = settings.workers.skip_reason(&test) {
        return Err(Failed::new(
            ExitCode::NOTHING_SELECTED,
            format!("{} is skipped: {reason}", test.name),
        ));
    }
    let bound =
        settings.workers.bind(&test).map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
    let kept = TestFolder::new(&settings.root, &test.name, settings.workers.programs.schedule_seed);
    let ran = perform(&settings, &test.name, &bound, &kept, GoldenCheck::Ignore);
    if let Some(capture) = &ran.capture {
        let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(&arguments.output, &bytes)?;
        output::say(&format!(
            "{}: {} B, of which {} B are the program part",
            arguments.output.display(),
            grouped(bytes.len()),
            grouped(program_size(capture))
        ));
    }
    match ran.findings.first() {
        None => Ok(ExitCode::SUCCESS),
        Some(finding) => {
            let label = crate::report::label(&finding.verdict);
            output::say(&format!("{label} {}\n  {}", test.name, finding.report().join("\n  ")));
            Ok(finding.exit_code())
        }
    }
}
