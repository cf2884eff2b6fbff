//! `hallmark capture`: the capture of a test, or of a command that uses TT-Metalium, as a file.

mod command;
mod test;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use hallmark_metalium_recording::{Operation, Selection};

use super::Failed;
use super::options::{
    DEVICES, DeviceOption, OUTPUT, ProgramOptions, ReplayDeviceOption, RootOption, SELECTION,
};
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
#[command(override_usage = "hallmark capture TEST -o FILE [OPTIONS]
       hallmark capture -o FILE [--device metalium:SITE] -- COMMAND [ARGUMENTS]...")]
pub(super) struct CaptureArguments {
    /// The name of the test
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    test: Option<String>,
    /// The command that is captured, with its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["replay_device", "schedule_seed"])]
    command: Vec<OsString>,
    #[command(flatten)]
    root: RootOption,
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
    #[arg(long, requires = "command", conflicts_with = "test", help_heading = DEVICES)]
    check_relocations: bool,
    /// Of a command: only launches of this operation, or the launch with this number, from 0 (repeatable)
    ///
    /// An operation is a program by the name that captures give it, without the number: `matmul`. Where launches are left
    /// out, the recorder waits for the device and reads what buffers hold. The capture writes that behind the cut, and
    /// reads in front of the cut what the launches made. A trace is never cut: one that holds a launch which is asked
    /// for is whole.
    #[arg(long, requires = "command", conflicts_with = "test", value_name = "OPERATION", help_heading = SELECTION)]
    only: Vec<Operation>,
    /// Of a command: no launch of this operation, and not the launch with this number (repeatable)
    #[arg(long, requires = "command", value_name = "OPERATION", conflicts_with_all = ["test", "only"], help_heading = SELECTION)]
    skip: Vec<Operation>,
    /// Of a command: no launch before the first of this operation, or before this number
    #[arg(long, requires = "command", conflicts_with = "test", value_name = "OPERATION", help_heading = SELECTION)]
    from: Option<Operation>,
    /// Of a command: no launch behind the first of this operation in the range, or behind this number
    #[arg(long, requires = "command", conflicts_with = "test", value_name = "OPERATION", help_heading = SELECTION)]
    until: Option<Operation>,
    /// Of a command: keep the shape of what it writes, and no data
    #[arg(long, requires = "command", conflicts_with = "test", help_heading = OUTPUT)]
    no_data: bool,
    /// The file that the capture is written to
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
}

impl CaptureArguments {
    /// Which launches of a command are asked for.
    fn selection(&self) -> Selection {
        Selection {
            only: self.only.clone(),
            skip: self.skip.clone(),
            from: self.from.clone(),
            until: self.until.clone(),
        }
    }
}

pub(super) fn run(arguments: &CaptureArguments) -> Result<ExitCode, Failed> {
    match (&arguments.test, arguments.command.split_first()) {
        (_, Some((program, rest))) => command::run(arguments, program, rest),
        (Some(test), None) => test::run(arguments, test),
        (None, None) => Err(Failed::new(
            ExitCode::USAGE,
            "nothing is named to capture; name a test, or give a command behind `--`",
        )),
    }
}
