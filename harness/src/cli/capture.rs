//! `hallmark capture`: writes the capture of a test, or of a command that uses TT-Metalium, to a file.

mod binary;
pub(super) mod command;
mod included;
mod no_capture;
mod recording;
mod test;
mod write;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgGroup, ArgMatches, Args};
use hallmark_metalium_recording::{Operation, Selection};
use hallmark_pipeline::verdict::ExitCode;

use super::Failed;
use super::options::{
    ConfiguredRoot, DEVICES, DeviceOption, OUTPUT, ProgramOptions, ReplayDeviceOption, SELECTION,
};

#[derive(Clone, Debug, Args)]
#[command(override_usage = "hallmark capture TEST -o FILE [OPTIONS]
       hallmark capture TEST --binary NAME -o FILE
       hallmark capture -o FILE [--device metalium:SITE] -- COMMAND [ARGUMENTS]...
       hallmark capture -o FILE --recording FOLDER")]
#[command(group(ArgGroup::new("recorded").args(["command", "recording"])))]
pub(super) struct CaptureArguments {
    /// The name of the test
    #[arg(required_unless_present = "recorded", conflicts_with = "recorded")]
    test: Option<String>,
    /// Of a test: not its calls, but the binary of this name that they submit, with its inputs and outputs free
    ///
    /// The binary is recorded on a model of the test's chip, and nothing runs. Whoever submits the binary gives the tensors;
    /// `hallmark dump` tells what they are.
    #[arg(long, requires = "test", conflicts_with_all = ["command", "recording"], value_name = "NAME", help_heading = SELECTION)]
    binary: Option<String>,
    /// The command that is captured, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    #[command(flatten)]
    root: ConfiguredRoot,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    replay_device: ReplayDeviceOption,
    #[command(flatten)]
    programs: ProgramOptions,
    /// Of a command: run it again, its output unseen, with all buffers at other addresses, and compare
    ///
    /// A word that moved with a buffer is an address of that buffer, and a word that did not is a number, whatever its
    /// value. Of a word that equals the address of a buffer which did not move, only its value says so.
    #[arg(long, requires = "command", conflicts_with_all = ["test", "recording"], help_heading = DEVICES)]
    check_relocations: bool,
    /// Of a command: only launches of this operation, or the launch with this number, from 0 (repeatable)
    ///
    /// An operation is a program by the name that captures give it, without the number: `matmul`. Where launches are left
    /// out, the recorder waits for the device and reads what buffers hold. The capture writes that behind the cut, and
    /// reads in front of the cut what the launches made. A trace is never cut: one that holds a launch which is asked
    /// for is whole.
    #[arg(long, requires = "command", conflicts_with_all = ["test", "recording"], value_name = "OPERATION", help_heading = SELECTION)]
    only: Vec<Operation>,
    /// Of a command: no launch of this operation, and not the launch with this number (repeatable)
    #[arg(long, requires = "command", value_name = "OPERATION", conflicts_with_all = ["test", "recording", "only"], help_heading = SELECTION)]
    skip: Vec<Operation>,
    /// Of a command: no launch before the first of this operation, or before this number
    #[arg(long, requires = "command", conflicts_with_all = ["test", "recording"], value_name = "OPERATION", help_heading = SELECTION)]
    from: Option<Operation>,
    /// Of a command: no launch behind the first of this operation in the range, or behind this number
    #[arg(long, requires = "command", conflicts_with_all = ["test", "recording"], value_name = "OPERATION", help_heading = SELECTION)]
    until: Option<Operation>,
    /// Of a command: keep the shape of what it writes, and no data
    #[arg(long, requires = "recorded", conflicts_with = "test", help_heading = OUTPUT)]
    no_data: bool,
    /// Convert the recording of a command, which a conversion that failed or a killed `hallmark` left beside its capture
    #[arg(long, value_name = "FOLDER", help_heading = OUTPUT)]
    recording: Option<PathBuf>,
    /// The file that the capture is written to
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
}

impl CaptureArguments {
    /// The launches of a command to capture.
    fn selection(&self) -> Selection {
        Selection {
            only: self.only.clone(),
            skip: self.skip.clone(),
            from: self.from.clone(),
            until: self.until.clone(),
        }
    }
}

/// Options of tests that do not apply to a captured command: the option, and the advice.
const OF_TESTS: [(&str, &str); 5] = [
    (
        "dispatch",
        "--dispatch is for tests, and a command has TT-Metalium dispatch; leave --dispatch out, and set TT_METAL_SLOW_DISPATCH_MODE=1 to have the host dispatch",
    ),
    (
        "firmware",
        "--firmware is for tests, and a command runs on TT-Metalium's own firmware; leave --firmware out",
    ),
    (
        "replay_device",
        "--replay-device is for tests; leave it out, and replay the capture with `hallmark replay FILE --device EXECUTOR`",
    ),
    (
        "schedule_seed",
        "--schedule-seed is for tests; leave it out, and replay the capture with `hallmark replay FILE --schedule-seed NUMBER`",
    ),
    ("root", "--root is for tests; leave it out"),
];

pub(super) fn run(arguments: &CaptureArguments, matches: &ArgMatches) -> Result<ExitCode, Failed> {
    if arguments.test.is_none() {
        // Environment variables set the same options for tests, and do no harm here.
        let is_written = |option| matches.value_source(option) == Some(ValueSource::CommandLine);
        if let Some((_, advice)) = OF_TESTS.iter().find(|(option, _)| is_written(option)) {
            return Err(Failed::new(ExitCode::USAGE, advice));
        }
    }
    if let Some(folder) = &arguments.recording {
        return recording::run(arguments, folder);
    }
    if let (Some(test), Some(binary)) = (&arguments.test, &arguments.binary) {
        return binary::run(arguments, test, binary);
    }
    match (&arguments.test, arguments.command.split_first()) {
        (_, Some((program, rest))) => command::run(arguments, program, rest),
        (Some(test), None) => test::run(arguments, test),
        (None, None) => Err(Failed::new(
            ExitCode::USAGE,
            "nothing is named to capture; name a test, or give a command behind `--`",
        )),
    }
}
