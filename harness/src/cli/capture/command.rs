//! The capture of a user's command that uses TT-Metalium.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use hallmark_metalium_recording::{
    Conversion, ConversionError, ConversionOptions, DataKept, Entry, Event, Executable,
    JournalError, Recorder, Recording, RecordingEnd, Selection, ThreadNumber, convert, read_source,
};
use hallmark_runtime::metalium::{RELEASE, Site};
use hallmark_schema::CaptureError;
use hallmark_schema::model::CommandKind;
use hallmark_schema::plural::{counted, grouped};

use tempfile::TempDir;

use super::CaptureArguments;
use crate::cli::{Failed, output};
use crate::executor::metalium_cache;
use crate::interrupt;
use crate::verdict::ExitCode;
use crate::whole_file;

/// A folder beside the capture, in which the recorder writes.
const RECORDINGS: &str = ".hallmark-recording-";
/// What a process that the recorder was loaded into leaves there.
const JOURNAL: &str = "journal";
/// How many things that are missing are named on the terminal.
const NAMED: usize = 8;
/// Says that the command runs on a simulator.
const SIMULATOR_VARIABLE: &str = "TT_METAL_SIMULATOR";

/// A command ran and gives no capture.
#[derive(Debug, thiserror::Error)]
enum NoCapture {
    /// The library never came.
    #[error(
        "nothing was recorded: the command loaded no libtt_metal.so, or its recording could not be written; name a command that uses TT-Metalium and is not statically linked with it"
    )]
    NeverLoaded,
    /// Another library than the site's.
    #[error(
        "the command loaded a libtt_metal.so of the build {build_id}, and the recorder is for that of {}; name the folder of the command's own ttnn wheel by --device metalium:SITE",
        site.display()
    )]
    OtherLibrary {
        /// The build id of the library that was loaded.
        build_id: String,
        /// The site that the recorder was made for.
        site: PathBuf,
    },
    /// Several processes have a device.
    #[error(
        "{processes} processes of the command opened a device each, and a capture is of one process; capture the command of one of them"
    )]
    SeveralProcesses {
        /// How many.
        processes: usize,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A recording makes no capture.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// The capture has no bytes.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A file cannot be written or read.
    #[error("{} cannot be {what}: {error}", path.display())]
    File {
        /// What was attempted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

impl NoCapture {
    /// Whether the command was recorded, though no capture came of it.
    const fn leaves_a_recording(&self) -> bool {
        match self {
            Self::Journal(_) | Self::Conversion(ConversionError::Invalid(_)) | Self::Capture(_) => {
                true
            }
            Self::File { .. } => true,
            Self::Conversion(ConversionError::NoDevice | ConversionError::Architecture { .. })
            | Self::NeverLoaded
            | Self::OtherLibrary { .. }
            | Self::SeveralProcesses { .. } => false,
        }
    }

    const fn exit_code(&self) -> ExitCode {
        match self {
            Self::NeverLoaded
            | Self::OtherLibrary { .. }
            | Self::SeveralProcesses { .. }
            | Self::Journal(_)
            | Self::Conversion(_)
            | Self::Capture(_) => ExitCode::CAPTURE,
            Self::File { .. } => ExitCode::INTERNAL,
        }
    }
}

/// A run of the command.
struct Recorded {
    /// How the command ended.
    status: ExitStatus,
    /// Where its processes wrote; gone with the value.
    journals: TempDir,
    /// What the one process with a device left.
    entries: Result<Vec<Entry>, NoCapture>,
}

/// A command that is to be recorded.
struct RecordedCommand<'a> {
    program: &'a OsStr,
    arguments: &'a [OsString],
    site: Site,
    recorder: Recorder,
    /// The folder of the capture.
    folder: &'a Path,
    /// The launches that are asked for.
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
    let site = Site::open(&site(arguments, &executable)?).map_err(|error| device(&error))?;
    let cache = metalium_cache().map_err(|error| device(&error))?;
    let recorder = Recorder::prepare(&site, &cache).map_err(|error| device(&error))?;
    let folder = arguments.output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .map_err(|error| usage(&format!("{} cannot be made: {error}", folder.display())))?;
    let command = RecordedCommand { program, arguments: rest, site, recorder, folder, selection };
    let Recorded { status, journals, entries } = command.record(false)?;
    let made = entries.and_then(|entries| command.capture(arguments, &entries, status));
    let code = code(status);
    match made {
        Ok(()) => Ok(code),
        Err(error) => {
            output::complain(&error.to_string());
            if error.leaves_a_recording() {
                // A run that took hours is not lost with it.
                output::note(&format!("the recording is kept: {}", journals.keep().display()));
            }
            Ok(if code == ExitCode::SUCCESS { error.exit_code() } else { code })
        }
    }
}

/// As a shell says it.
fn code(status: ExitStatus) -> ExitCode {
    let number = status.code().or_else(|| status.signal()?.checked_add(128));
    number
        .and_then(|number| u8::try_from(number).ok())
        .map_or(ExitCode::INTERNAL, ExitCode::of_command)
}

/// The folder of the wheel, as the option names it or as the command would load it.
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
    /// Runs the command and reads what was recorded. The second run, in which all buffers move, is not seen.
    fn record(&self, is_second: bool) -> Result<Recorded, Failed> {
        let internal = |error: &dyn std::fmt::Display| Failed::new(ExitCode::INTERNAL, error);
        let folder = tempfile::Builder::new().prefix(RECORDINGS).tempdir_in(self.folder);
        let folder = folder.map_err(|error| {
            internal(&format!("no folder can be made in {}: {error}", self.folder.display()))
        })?;
        let journals = folder.path().canonicalize().map_err(|error| internal(&error))?;
        let preloaded = std::env::var_os("LD_PRELOAD");
        let mut command = Command::new(self.program);
        command.args(self.arguments);
        let preloaded = preloaded.as_deref();
        let variables = self.recorder.environment(&journals, preloaded, &self.selection, is_second);
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
        Ok(Recorded { status, entries: self.entries(&journals), journals: folder })
    }

    /// What the one process with a device left.
    fn entries(&self, folder: &Path) -> Result<Vec<Entry>, NoCapture> {
        let failed = |error| NoCapture::File { what: "listed", path: folder.to_owned(), error };
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == JOURNAL));
        paths.sort();
        let mut recordings = Vec::new();
        for path in paths {
            recordings.push(Recording::open(&path)?);
        }
        if let Some(refused) =
            recordings.iter().find(|recording| recording.end == RecordingEnd::Refused)
        {
            let site = self.site.folder().to_owned();
            return Err(NoCapture::OtherLibrary { build_id: refused.build_id.clone(), site });
        }
        if recordings.is_empty() {
            return Err(NoCapture::NeverLoaded);
        }
        let has_device = |recording: &Recording| {
            recording.entries.iter().any(|entry| matches!(entry.event, Event::DeviceOpened(_)))
        };
        recordings.retain(has_device);
        let processes = recordings.len();
        match recordings.pop() {
            Some(recording) if processes == 1 => Ok(with_end(recording)),
            Some(_) => Err(NoCapture::SeveralProcesses { processes }),
            None => Err(ConversionError::NoDevice.into()),
        }
    }

    /// Records the command again, all its buffers at other addresses. Without that the capture is as good, and its
    /// relocations are unchecked.
    fn second(&self, first: ExitStatus) -> Option<Vec<Entry>> {
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
        again.entries.inspect_err(unusable).ok()
    }

    /// Writes the capture and says what it holds and lacks.
    fn capture(
        &self,
        arguments: &CaptureArguments,
        entries: &[Entry],
        status: ExitStatus,
    ) -> Result<(), NoCapture> {
        let is_checked = arguments.check_relocations && !interrupt::requested();
        let second = if is_checked { self.second(status) } else { None };
        let is_simulated = std::env::var_os(SIMULATOR_VARIABLE).is_some();
        let conversion = convert(
            entries,
            &ConversionOptions {
                read: &read_source,
                device: if is_simulated { "ttsim" } else { "pci:0" },
                release: RELEASE,
                build_id: self.site.build_id(),
                // The command chose it, in an environment of its own.
                kernel_compiler: "",
                data: match arguments.no_data {
                    true => DataKept::Shape,
                    false => DataKept::Whole,
                },
                selection: &self.selection,
                second: second.as_deref(),
            },
        )?;
        let bytes = conversion.capture.to_bytes()?;
        whole_file::write_durably(&arguments.output, &bytes).map_err(|error| NoCapture::File {
            what: "written",
            path: arguments.output.clone(),
            error,
        })?;
        output::note(&summary(&arguments.output, bytes.len(), &conversion, second.is_some()));
        Ok(())
    }
}

/// The entries, with what the end of the recording leaves out.
fn with_end(recording: Recording) -> Vec<Entry> {
    let mut entries = recording.entries;
    let mut lacks = |what: String| {
        entries.push(Entry { thread: ThreadNumber(0), event: Event::Unfollowed { what } });
    };
    match recording.end {
        RecordingEnd::Stopped { error } => {
            let reason = std::io::Error::from_raw_os_error(error);
            lacks(format!(
                "everything after the recording could not be written further ({reason})"
            ));
        }
        RecordingEnd::Ended | RecordingEnd::Broken | RecordingEnd::Refused => {}
    }
    if recording.has_forked_calls {
        lacks("the calls of a process that the command forked".to_owned());
    }
    entries
}

/// The last lines of the terminal.
fn summary(path: &Path, bytes: usize, conversion: &Conversion, is_checked: bool) -> String {
    let commands = &conversion.capture.program.commands;
    let number = |kind| commands.iter().filter(|call| call.command.kind() == kind).count();
    let mut lines = vec![format!(
        "{}: {} B, {}, {}, {}",
        path.display(),
        grouped(bytes),
        counted(commands.len(), "command", "commands"),
        counted(number(CommandKind::CreateKernel), "kernel", "kernels"),
        counted(number(CommandKind::EnqueueReadBuffer), "read", "reads"),
    )];
    let missing = &conversion.missing;
    lines.extend(missing.iter().take(NAMED).map(|missing| format!("  missing: {missing}")));
    if let Some(more) = missing.len().checked_sub(NAMED).filter(|&more| more > 0) {
        lines.push(format!("  missing: {more} more; `hallmark dump` shows them"));
    }
    let statistics = &conversion.relocations;
    let words = counted(statistics.words, "word", "words");
    lines.push(match is_checked {
        false => format!(
            "  relocations unchecked: {} of {words} are addresses of buffers by their values; --check-relocations runs the command again",
            grouped(statistics.matched),
        ),
        true => format!(
            "  relocations checked: of {words}, {} moved with a buffer, {} moved without one, {} equal the address of a buffer that did not move",
            grouped(statistics.explained()),
            grouped(statistics.unexplained),
            grouped(statistics.undecided),
        ),
    });
    let bound = conversion.placement_bound.len();
    if bound > 0 {
        let words = counted(bound, "argument word", "argument words");
        lines.push(format!(
            "  placement-bound by {words}: the capture replays only with its buffers at the same addresses"
        ));
    }
    let differences = conversion.differences.iter().take(NAMED);
    lines.extend(
        differences.map(|difference| format!("  differs between the two runs: {difference}")),
    );
    if let Some(more) = conversion.differences.len().checked_sub(NAMED).filter(|&more| more > 0) {
        lines.push(format!("  differs between the two runs: {more} more"));
    }
    lines.join("\n")
}
