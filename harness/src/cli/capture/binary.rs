//! Captures a binary of a test's suite with free tensors.

use std::sync::Arc;

use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{Device, DeviceOptions, SuiteKernels};
use hallmark_schema::model::TensorRole;
use hallmark_schema::plural::{counted, grouped};
use hallmark_stitching::Binary;
use hallmark_suite::mistake::suggest;

use super::CaptureArguments;
use crate::cli::capture_file::write;
use crate::cli::options::Devices;
use crate::cli::select::{one_test, test_name};
use crate::cli::{Failed, output};

/// Records the binary on a model of the test's chip, which loads the kernels and runs nothing.
pub(super) fn run(
    arguments: &CaptureArguments,
    test: &str,
    binary: &str,
) -> Result<ExitCode, Failed> {
    let name = test_name(test)?;
    let devices = Devices { programs: arguments.programs.settings()?, ..Devices::default() };
    let settings = devices.settings(arguments.root.find()?, &[name.architecture])?;
    let test = one_test(&settings.root, &name)?;
    let on = settings.workers.test_executors(name.architecture);
    let bound = on.bind(&test).map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
    let Some(found) = bound.binaries.iter().find(|known| known.name() == binary) else {
        let known = bound.binaries.iter().map(Binary::name);
        let text = if bound.binaries.is_empty() {
            format!("{name} uses no binary; name a test that submits `{binary}`")
        } else {
            format!("{name} uses no binary `{binary}`; {}", suggest(binary, known))
        };
        return Err(Failed::new(ExitCode::USAGE, text));
    };
    let architecture = name.architecture;
    let firmware = match &settings.workers.programs.firmware {
        Some(folder) => FirmwareBundle::load(folder, architecture),
        None => FirmwareBundle::builtin(architecture),
    };
    let firmware = firmware.map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    let kernels = SuiteKernels::new(settings.root.suites(), Arc::clone(&settings.kernels));
    let mut options = DeviceOptions::new(Arc::new(firmware), Box::new(kernels));
    options.num_command_queues = bound.case.num_command_queues;
    options.l1_small_size = bound.case.l1_small_size;
    options.worker_l1_size = bound.case.worker_l1_size;
    let chip = hallmark_chip::ChipDescription::of(architecture);
    let internal = |error: &dyn std::fmt::Display| Failed::new(ExitCode::INTERNAL, error);
    let mut device = Device::modelled(chip, options).map_err(|error| internal(&error))?;
    let capture = found.to_capture(&mut device).map_err(|error| {
        Failed::new(ExitCode::SUITE, format!("binary `{binary}` cannot be recorded: {error}"))
    })?;
    let bytes = capture.to_bytes().map_err(|error| internal(&error))?;
    write(&arguments.output, &bytes)?;
    let of = |role: TensorRole, count: usize| counted(count, role.name(), role.plural());
    output::say(&format!(
        "{}: {} B, a binary of {} and {}",
        arguments.output.display(),
        grouped(bytes.len()),
        of(TensorRole::Input, found.inputs().len()),
        of(TensorRole::Output, found.outputs().len()),
    ));
    Ok(ExitCode::SUCCESS)
}
