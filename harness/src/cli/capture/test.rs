//! The capture of one test.

use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{GoldenCheck, TestFolder, perform, program_size};
use hallmark_schema::plural::grouped;

use super::CaptureArguments;
use crate::cli::capture_file::write;
use crate::cli::options::{Devices, TimeoutOption};
use crate::cli::select::{one_test, test_name};
use crate::cli::{Failed, output};

pub(super) fn run(arguments: &CaptureArguments, test: &str) -> Result<ExitCode, Failed> {
    let name = test_name(test)?;
    let mut configuration = arguments.root.configuration()?;
    let programs = arguments.programs.configured(&mut configuration)?;
    let devices = Devices {
        device: Some(&arguments.device),
        replay_device: Some(&arguments.replay_device),
        programs,
        configuration: Some(&configuration),
        timeout: TimeoutOption::default(),
    };
    let settings = devices.settings(arguments.root.find()?, &[name.architecture])?;
    let test = one_test(&settings.root, &name)?;
    let on = settings.workers.test_executors(name.architecture);
    if let Some(reason) = on.skip_reason(&test) {
        return Err(Failed::new(
            ExitCode::NOTHING_SELECTED,
            format!("{} is skipped: {reason}", test.name),
        ));
    }
    let bound = on.bind(&test).map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
    let kept = TestFolder::new(&settings.root, &test.name, settings.workers.programs.schedule_seed);
    let ran = perform(&settings, &on, &test.name, &bound, &kept, GoldenCheck::Ignore);
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
            let label = hallmark_pipeline::report::label(&finding.verdict);
            output::say(&format!("{label} {}\n  {}", test.name, finding.report().join("\n  ")));
            Ok(finding.exit_code())
        }
    }
}
