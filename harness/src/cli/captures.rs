//! `hallmark capture`, `replay` and `dump`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::{FoundKernels, find_kernels};
use hallmark_schema::journal;
use hallmark_schema::model::Capture;
use hallmark_schema::plural::{counted, grouped};
use hallmark_schema::{
    CaptureError, Golden, GoldenProgram, dump as dump_text, from_jsonl, to_jsonl,
};

use super::options::{
    DEVICES, DeviceOption, Devices, EXECUTION, OUTPUT, ProgramOptions, ReplayDeviceOption,
    RootOption,
};
use super::select::{absolute, one_test, test_name};
use super::subject::Subject;
use super::{Failed, dump_yaml, output, portability};
use crate::executor::{Executors, for_capture};
use crate::pipeline::captured_failure::failures;
use crate::pipeline::{
    GoldenCheck, Limits, ReplayOf, Settings, TestFolder, WorkerSettings, perform, program_size,
    replay_capture,
};
use crate::suite::discover::Root;
use crate::verdict::ExitCode;
use crate::whole_file;
use crate::worker::job::{CAPTURE_LIMIT, DeviceRequirements};
use crate::worker::problem::WorkerProblem;
use crate::worker::process::Ending;

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

pub(super) fn capture(arguments: &CaptureArguments) -> Result<ExitCode, Failed> {
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

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    whole_file::write_durably(path, bytes).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("{} cannot be written: {error}", path.display()))
    })
}

#[derive(Clone, Debug, Args)]
pub(super) struct ReplayArguments {
    /// A capture, its JSON lines, or a journal that a crash left behind
    file: PathBuf,
    #[command(flatten)]
    common: ReplayCommon,
    /// On the chip of the capture, fail if addresses or ELFs differ from those in the capture
    #[arg(long, help_heading = EXECUTION)]
    strict_derived: bool,
    /// Succeed if the replay repeats the capture, even if the captured run failed
    #[arg(long, help_heading = EXECUTION)]
    as_captured: bool,
    /// Seconds after which the replay is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 600, help_heading = EXECUTION)]
    timeout: u64,
}

/// A replay needs no root, unless the capture's kernels are to be found for another architecture.
#[derive(Clone, Debug, Args)]
pub(super) struct ReplayCommon {
    /// The device that replays, written as for `run --device` [default: the simulator of the capture's chip]
    ///
    /// `hallmark:PATH` or `hallmark:PATH@DEVICE` is the executable of another release. The device may be of another
    /// architecture than the capture.
    ///
    /// `metalium:SITE@ttsim:PATH` is TT-Metalium, the vendor's runtime, from the folder of a ttnn
    /// wheel, on a simulator's library.
    ///
    /// [env: HALLMARK_DEVICE_<ARCHITECTURE>=]
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR", help_heading = DEVICES)]
    device: Option<String>,
    /// A folder of prebuilt kernels, for a replay on another architecture
    ///
    /// It holds `<architecture>.lock` and ELFs; no kernel is taken from elsewhere. Without it, kernels come from
    /// the folder that --root names, and a missing one is built.
    #[arg(long, value_name = "FOLDER", help_heading = DEVICES)]
    kernels: Option<PathBuf>,
    /// The folder that holds `suites`, for prebuilt kernels [default: the nearest above the current folder]
    #[arg(long, value_name = "FOLDER", env = "HALLMARK_ROOT", help_heading = DEVICES)]
    root: Option<PathBuf>,
    #[command(flatten)]
    programs: ProgramOptions,
}

impl ReplayCommon {
    /// Where kernels for another architecture come from: a folder, a root, or a compiler alone.
    fn kernel_store(&self) -> Result<Arc<KernelStore>, Failed> {
        if let Some(folder) = &self.kernels {
            if !folder.is_dir() {
                let text = format!(
                    "there is no folder of kernels {}; --kernels names one with `<architecture>.lock` and ELFs",
                    folder.display()
                );
                return Err(Failed::new(ExitCode::USAGE, text));
            }
            return Ok(Arc::new(
                KernelStore::builder().prebuilt(absolute(folder)).only_prebuilt().build(),
            ));
        }
        let root = match &self.root {
            Some(folder) => {
                Some(Root::at(folder).map_err(|error| Failed::new(ExitCode::USAGE, error))?)
            }
            None => std::env::current_dir().ok().and_then(|here| Root::above(&here).ok()),
        };
        Ok(match root {
            Some(root) => Settings::kernel_store(&root),
            None => Arc::new(KernelStore::builder().build()),
        })
    }
}

/// A capture with all that replaying it takes.
pub(super) struct Replayable {
    pub(super) capture: Capture,
    pub(super) workers: WorkerSettings,
    pub(super) replay: ReplayOf,
    /// Holds a file that was made for the replay, as long as this lives.
    pub(super) folder: Option<TemporaryFolder>,
}

impl Replayable {
    pub(super) fn open(file: &Path, common: &ReplayCommon) -> Result<Self, Failed> {
        let capture = read(file)?;
        let programs = common.programs.settings()?;
        let executor =
            for_capture(common.device.as_deref(), capture.program.architecture, &programs)
                .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
        let (file, folder) = if is_in_the_format(file) {
            (absolute(file), None)
        } else {
            let folder = TemporaryFolder::new().map_err(|error| {
                Failed::new(
                    ExitCode::INTERNAL,
                    format!("a temporary folder cannot be created: {error}"),
                )
            })?;
            let bytes =
                capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
            let file = folder.path().join("capture.lmb");
            write(&file, &bytes)?;
            (file, Some(folder))
        };
        let kernels = if executor.architecture == capture.program.architecture {
            FoundKernels::new()
        } else {
            let store = executor.kernel_store(&common.kernel_store()?);
            find_kernels(&capture, executor.architecture, &store)
        };
        let workers = WorkerSettings {
            executors: Executors::default(),
            replay_executors: Executors::default(),
            programs,
            worker: crate::worker::process::WorkerProgram::current()
                .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?,
        };
        let replay = ReplayOf { capture: file, executor, kernels };
        Ok(Self { capture, workers, replay, folder })
    }
}

pub(super) fn replay(arguments: &ReplayArguments) -> Result<ExitCode, Failed> {
    let Replayable { capture, workers, replay, folder: _folder } =
        Replayable::open(&arguments.file, &arguments.common)?;
    let executor = replay.executor.clone();
    let timeout = Duration::from_secs(arguments.timeout);
    let executed =
        replay_capture(&workers, replay, Limits { timeout, asked: DeviceRequirements::default() })
            .map_err(|finding| Failed::new(finding.exit_code(), finding.report().join("\n")))?;
    if let Some(WorkerProblem::Refused(report)) = &executed.report.problem {
        output::say(&portability::told(report, &arguments.file));
        return Ok(ExitCode::REFUSED);
    }
    if let Some(problem @ WorkerProblem::Capture { .. }) = &executed.report.problem {
        let text = format!("{}: {problem}", arguments.file.display());
        return Err(Failed::new(ExitCode::CAPTURE, text));
    }
    let finding = crate::pipeline::judge::replayed_file(
        &capture,
        &executed,
        timeout,
        arguments.strict_derived,
    );
    if let Some(finding) = finding {
        output::say(&format!(
            "{} {}\n  {}",
            crate::report::label(&finding.verdict),
            arguments.file.display(),
            finding.report().join("\n  ")
        ));
        return Ok(finding.exit_code());
    }
    output::say(&format!(
        "{} and {} repeated on {executor}; every outcome and every read is as captured",
        counted(capture.program.commands.len(), "command", "commands"),
        counted(capture.outputs.len(), "read", "reads"),
    ));
    if let Ending::Reported(report) = &executed.ended.ending {
        if let Some(portability) = report.portability.as_deref().filter(|it| !it.moved.is_empty()) {
            output::say("  adapted to this device:");
            for line in portability::lines(portability) {
                output::say(&format!("    {line}"));
            }
        }
        for line in report.finished_now.iter().chain(&report.derived_differences) {
            output::say(&format!("  {line}"));
        }
    }
    let stopped = crate::pipeline::stopped::lines(&executed);
    if !stopped.is_empty() {
        output::say("  the device stopped, as captured:");
        for line in stopped {
            output::say(&format!("    {line}"));
        }
    }
    let Some(replayed) = &executed.capture else { return Ok(ExitCode::SUCCESS) };
    let failures = failures(&capture, replayed);
    let Some((finding, others)) = failures.split_first() else { return Ok(ExitCode::SUCCESS) };
    let label = crate::report::label(&finding.verdict);
    let others = match others.len() {
        0 => String::new(),
        count => format!(" (and {})", counted(count, "more failure", "more failures")),
    };
    let (code, advice) = if arguments.as_captured {
        (ExitCode::SUCCESS, "accepted by --as-captured")
    } else {
        (finding.exit_code(), "use --as-captured to accept the captured failure")
    };
    let headline = &finding.headline;
    output::say(&format!("{label} {}: {headline}{others}; {advice}", arguments.file.display()));
    Ok(code)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    /// Readable text
    #[default]
    Text,
    /// One line of JSON for each command; `hallmark dump` reads this form, too
    Jsonl,
    /// A folder with a suite, its kernels and its data, to be run with --root
    Yaml,
}

#[derive(Clone, Debug, Args)]
pub(super) struct DumpArguments {
    /// A capture, a golden, JSON lines, a journal that a crash left behind, or the name of a test
    #[arg(value_name = "CAPTURE|TEST")]
    subject: Subject,
    #[command(flatten)]
    root: RootOption,
    /// The form of the text
    #[arg(long, value_enum, default_value_t)]
    format: DumpFormat,
    /// A file, or for yaml a folder that does not exist yet [default: stdout]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

pub(super) fn dump(arguments: &DumpArguments) -> Result<ExitCode, Failed> {
    let capture = arguments.subject.capture(&arguments.root)?;
    let text = match arguments.format {
        DumpFormat::Text => dump_text(&capture),
        DumpFormat::Jsonl => to_jsonl(&capture),
        DumpFormat::Yaml => {
            let Some(folder) = &arguments.output else {
                return Err(Failed::new(
                    ExitCode::USAGE,
                    "yaml is written to a folder; name the folder with -o",
                ));
            };
            let test = dump_yaml::write(&capture, folder)?;
            output::say(&format!(
                "{}: hallmark run --root {} --exact {test}",
                folder.display(),
                folder.display()
            ));
            return Ok(ExitCode::SUCCESS);
        }
    };
    match &arguments.output {
        Some(path) => write(path, text.as_bytes())?,
        None => output::say_raw(&text),
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a file, which has been read before, is a capture or golden itself: the replaying worker reads
/// no journals and no text.
fn is_in_the_format(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start.ends_with(b"HLMK")
}

/// Reads whatever holds a capture: the format itself, JSON lines, a golden with a whole program, or a
/// journal.
pub(super) fn read(path: &Path) -> Result<Capture, Failed> {
    let failed =
        |problem: String| Failed::new(ExitCode::CAPTURE, format!("{}: {problem}", path.display()));
    let bytes = whole_file::read(path, CAPTURE_LIMIT).map_err(|error| failed(error.to_string()))?;
    if bytes.first() == Some(&b'{') {
        let text = std::str::from_utf8(&bytes).map_err(|error| failed(error.to_string()))?;
        return from_jsonl(text).map_err(|error| failed(error.to_string()));
    }
    let bytes = bytes.into();
    let error: CaptureError = match Capture::open(&bytes) {
        Ok(capture) => return Ok(capture),
        Err(error) => error,
    };
    match Golden::from_bytes(&bytes) {
        Ok(Golden { program: GoldenProgram::Whole(program), outputs }) => {
            return Ok(Capture {
                program,
                record: None,
                outputs,
                blobs: hallmark_schema::model::Blobs::new(),
            });
        }
        Ok(Golden { program: GoldenProgram::Digest(hash), .. }) => {
            return Err(failed(format!(
                "this golden holds only the hash of its program part, {hash}; `hallmark capture` makes a capture of the test"
            )));
        }
        Err(_) => {}
    }
    if let Ok(recovered) = journal::recover(&bytes) {
        return Ok(recovered.capture);
    }
    Err(failed(error.to_string()))
}
