//! `hallmark capture`: the capture of a test, or of a command that uses TT-Metalium, as a file.

mod command;
mod test;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::Failed;
use super::options::{
    DEVICES, DeviceOption, OUTPUT, ProgramOptions, ReplayDeviceOption, RootOption,
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
    #[arg(long, requires = "command", help_heading = DEVICES)]
    check_relocations: bool,
    /// Of a command: keep the shape of what it writes, and no data
    #[arg(long, requires = "command", help_heading = OUTPUT)]
    no_data: bool,
    /// The file that the capture is written to
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
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
