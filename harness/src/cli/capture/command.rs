//! Captures a user's command that uses TT-Metalium.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use hallmark_execution::executor::metalium_cache;
use hallmark_execution::interrupt;
use hallmark_metalium_recording::{Executable, Recorder, Selection};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::metalium::Site;

use super::CaptureArguments;
use super::included::IncludedFiles;
use super::no_capture::NoCapture;
use super::recording::{ProcessRecording, RecordingFolder, left_behind};
use super::write::write_capture;
use crate::cli::{Failed, output};

/// A run of the command.
struct Recorded {
    /// The exit status of the command.
    status: ExitStatus,
    /// The folder that its processes wrote to; removed on drop.
    folder: RecordingFolder,
    /// The recording of the one process with a device.
    recording: Result<ProcessRecording, NoCapture>,
}

/// A command to record.
struct RecordedCommand<'a> {
    program: &'a OsStr,
    arguments: &'a [OsString],
    site: Site,
    recorder: Recorder,
    /// The folder that will hold the capture.
    folder: &'a Path,
    /// The launches to record.
    selection: Selection,
}

pub(super) fn run(
    arguments: &CaptureArguments,
    program: &OsStr,
    rest: &[OsString],
) -> Result<ExitCode, Failed> {
    let usage = |error: &dyn std::fmt::Display| Failed::new(ExitCode::USAGE, error);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let executable = Executable::look(program, &folders).map_err(|error| usage(&error))?;
    if arguments.output.is_dir() {
        return Err(usage(&format!("{} is a folder; name a file", arguments.output.display())));
    }
    let selection = arguments.selection();
    selection.check().map_err(|error| usage(&error))?;
    let device = |error: &dyn std::fmt::Display| Failed::new(ExitCode::DEVICE, error);
    let site = Site::open(&site(arguments, &executable)?.into()).map_err(|error| device(&error))?;
    let cache = metalium_cache().map_err(|error| device(&error))?;
    let recorder = Recorder::prepare(&site, &cache).map_err(|error| device(&error))?;
    let folder = arguments.output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .map_err(|error| usage(&format!("{} cannot be made: {error}", folder.display())))?;
    let command = RecordedCommand { program, arguments: rest, site, recorder, folder, selection };
    for left in left_behind(command.folder) {
        output::note(&format!(
            "{} is the recording of an earlier run; `hallmark capture -o FILE --recording FOLDER` converts it, and nothing else needs it",
            left.display()
        ));
    }
    let Recorded { status, folder, recording } = command.record(false)?;
    let included = IncludedFiles::of_machine();
    let capture =
        |recording: ProcessRecording| command.capture(arguments, &recording, &included, status);
    let made = recording.and_then(capture);
    let code = code(status);
    match made {
        Ok(()) => Ok(code),
        Err(error) => {
            output::complain(&error.to_string());
            if error.leaves_a_recording() {
                // A command that ran for hours must keep its recording.
                let file = arguments.output.display();
                let folder = folder.keep();
                if let Err(error) = included.keep(&folder) {
                    output::warn(&format!(
                        "the files that kernels include cannot be kept in {}: {error}",
                        folder.display()
                    ));
                }
                output::note(&format!(
                    "the recording is kept: hallmark capture -o {file} --recording {}",
                    folder.display()
                ));
            }
            Ok(if code == ExitCode::SUCCESS { error.exit_code() } else { code })
        }
    }
}

/// The exit code that a shell gives for the status.
pub(in crate::cli) fn code(status: ExitStatus) -> ExitCode {
    let number = status.code().or_else(|| status.signal()?.checked_add(128));
    number
        .and_then(|number| u8::try_from(number).ok())
        .map_or(ExitCode::INTERNAL, ExitCode::of_command)
}

/// The folder of the ttnn wheel: the one that the option names, or the one that the command would load.
fn site(arguments: &CaptureArguments, executable: &Executable) -> Result<PathBuf, Failed> {
    let usage = |text: String| Failed::new(ExitCode::USAGE, text);
    match arguments.device.written() {
        [] => executable.site(|name| std::env::var_os(name)).ok_or_else(|| {
            usage(format!(
                "which TT-Metalium {} loads is unknown until it runs; name the folder of the ttnn wheel by --device metalium:SITE",
                executable.path().display()
            ))
        }),
        [device] => match device.strip_prefix("metalium:") {
            Some(site) if !site.is_empty() && !site.contains("@ttsim:") => Ok(site.into()),
            Some(_) | None => Err(usage(format!(
                "`{device}` is not what a command is captured with; write metalium:SITE, with the folder of the ttnn wheel; the command chooses its chip by itself"
            ))),
        },
        [_, _, ..] => Err(usage("a command is captured with one --device".to_owned())),
    }
}

impl RecordedCommand<'_> {
    /// Runs the command and reads the recording. The second run, which moves all buffers, prints nothing.
    fn record(&self, is_second: bool) -> Result<Recorded, Failed> {
        let internal = |error: &dyn std::fmt::Display| Failed::new(ExitCode::INTERNAL, error);
        let folder = RecordingFolder::new(self.folder).map_err(|error| {
            internal(&format!("no folder can be made in {}: {error}", self.folder.display()))
        })?;
        let preloaded = std::env::var_os("LD_PRELOAD");
        let mut command = Command::new(self.program);
        command.args(self.arguments);
        let preloaded = preloaded.as_deref();
        let variables =
            self.recorder.environment(folder.path(), preloaded, &self.selection, is_second);
        command.envs(variables);
        if is_second {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        }
        let mut child = command.spawn().map_err(|error| {
            let program = self.program.display();
            Failed::new(ExitCode::USAGE, format!("{program} cannot be started: {error}"))
        })?;
        let status = interrupt::wait_for(&mut child)
            .map_err(|error| internal(&format!("the command cannot be waited for: {error}")))?;
        let recording = ProcessRecording::read(folder.path(), Some(self.site.folder()));
        Ok(Recorded { status, folder, recording })
    }

    /// Records the command again with all its buffers at other addresses. Without a second run the capture is
    /// as good, but its relocations are unchecked.
    fn second(&self, first: ExitStatus) -> Option<ProcessRecording> {
        output::note("the command runs again, with its buffers at other addresses");
        let again = match self.record(true) {
            Ok(again) => again,
            Err(failed) => {
                output::warn(&failed.text);
                return None;
            }
        };
        if again.status != first {
            output::warn(&format!(
                "the first run ended with {first}, the second with {}",
                again.status
            ));
        }
        let unusable = |error: &NoCapture| output::warn(&format!("of the second run: {error}"));
        again.recording.inspect_err(unusable).ok()
    }

    /// Writes the capture; a second run checks its relocations.
    fn capture(
        &self,
        arguments: &CaptureArguments,
        recording: &ProcessRecording,
        included: &IncludedFiles,
        status: ExitStatus,
    ) -> Result<(), NoCapture> {
        let is_checked = arguments.check_relocations && !interrupt::requested();
        let second = if is_checked { self.second(status) } else { None };
        write_capture(arguments, recording, included, second.as_ref())
    }
}
