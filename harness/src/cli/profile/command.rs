//! Profiles the replays of a command.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use hallmark_execution::interrupt;
use hallmark_metalium_recording::{Executable, ExecutableError};
use hallmark_pipeline::profiled::{self, FOLDER, MARKERS, ProfiledRuns};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::plural::counted;

use super::{ProfileArguments, results};
use crate::cli::capture::command::code;
use crate::cli::{Failed, output};
use crate::profile::comparison::OtherTable;

/// Programs that replay with Hallmark.
const PROGRAMS: [&str; 3] = ["hallmark", "cargo", "cargo-nextest"];

pub(super) fn run(
    arguments: &ProfileArguments,
    program: &OsStr,
    rest: &[OsString],
    other: Option<&OtherTable>,
) -> Result<ExitCode, Failed> {
    let shown = program.to_string_lossy();
    let name = Path::new(program).file_name().unwrap_or_default();
    if !PROGRAMS.iter().any(|known| name == *known) {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        if let Err(error @ ExecutableError::Missing(_)) = Executable::look(program, &folders) {
            return Err(Failed::new(ExitCode::USAGE, error));
        }
        let text = format!(
            "{shown} is neither `hallmark` nor a run of tests (`cargo nextest run`); `hallmark capture -o FILE -- {shown} …` \
             captures a program that uses TT-Metalium, and `hallmark profile FILE` says what the capture takes"
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    if arguments.device.is_some() {
        let text = "--device is for a test or a capture; give it to the command behind `--`";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let internal = |error: &dyn std::fmt::Display| Failed::new(ExitCode::INTERNAL, error);
    let folder = TemporaryFolder::new().map_err(|error| internal(&error))?;
    // The name `hallmark` means this executable, whatever else is installed.
    let own = std::env::current_exe().ok().filter(|_| name == "hallmark" && name == program);
    let mut command = Command::new(own.as_deref().map_or(program, Path::as_os_str));
    command.args(rest).env(FOLDER, folder.path());
    if arguments.markers.is_some() {
        command.env(MARKERS, "1");
    }
    let mut child = command.spawn().map_err(|error| {
        Failed::new(ExitCode::USAGE, format!("{shown} cannot be started: {error}"))
    })?;
    let status = interrupt::wait_for(&mut child).map_err(|error| internal(&error))?;
    let ProfiledRuns { runs, missing } =
        profiled::read(folder.path()).map_err(|error| internal(&error))?;
    let code = code(status);
    let lacks = (missing > 0).then(|| {
        format!(
            "{} left no whole profile: {shown} was stopped, or {} has no room",
            counted(missing, "replay", "replays"),
            folder.path().parent().unwrap_or(folder.path()).display()
        )
    });
    if let (true, Some(lacks)) = (runs.is_empty(), &lacks) {
        let code = if code == ExitCode::SUCCESS { ExitCode::INCONCLUSIVE } else { code };
        return Err(Failed::new(code, lacks));
    }
    if runs.is_empty() {
        let text = format!(
            "{shown} replayed nothing that can be profiled; tests are replayed by `hallmark run`, captures by `hallmark replay`"
        );
        let code = if code == ExitCode::SUCCESS { ExitCode::INCONCLUSIVE } else { code };
        return Err(Failed::new(code, text));
    }
    let compared = results::write(arguments, &runs, other)?;
    if code != ExitCode::SUCCESS {
        if let Some(lacks) = lacks {
            output::note(&lacks);
        }
        output::note(&format!("{shown} ended with {}", code.number()));
        return Ok(code);
    }
    match lacks {
        Some(lacks) => Err(Failed::new(ExitCode::INCONCLUSIVE, lacks)),
        None => compared.conclude(),
    }
}
