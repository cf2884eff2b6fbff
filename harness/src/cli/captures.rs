//! `hallmark capture`, `replay`, `dump` and `diff`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use hallmark_schema::journal;
use hallmark_schema::model::Capture;
use hallmark_schema::{
    CaptureError, Golden, GoldenProgram, dump as dump_text, from_jsonl, to_jsonl,
};

use super::select::{absolute, one_test};
use super::{Common, Failed, ProgramOptions, dump_yaml, output};
use crate::devices;
use crate::pipeline::{GoldenCheck, Kept, Limits, perform, program_size, replay_capture};
use crate::plural::{counted, grouped};
use crate::verdict::ExitCode;
use crate::whole_file;
use crate::worker::process::Ending;

/// No capture is larger.
const CAPTURE_LIMIT: u64 = 4 << 30;

#[derive(Clone, Debug, Args)]
pub(super) struct CaptureArguments {
    /// The test's name
    test: String,
    /// Where the capture goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn capture(arguments: &CaptureArguments) -> Result<ExitCode, Failed> {
    let settings = arguments.common.settings()?;
    let test = one_test(&settings.root, &arguments.test)?;
    if let Some(reason) = settings.workers.skip_reason(&test) {
        return Err(Failed::new(
            ExitCode::NOTHING_SELECTED,
            format!("{} is skipped: {reason}", test.name),
        ));
    }
    let bound = test.bind().map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
    let kept = Kept::new(&settings.root, &test.name, settings.workers.schedule_seed);
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
            output::say(&format!("{}: {}", finding.verdict, finding.report().join("\n")));
            Ok(finding.exit_code())
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
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
    /// Seconds after which the replay is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
}

/// A replay needs no root.
#[derive(Clone, Debug, Args)]
struct ReplayCommon {
    /// The device: sim, ttsim:PATH or pci:NUMBER
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    #[command(flatten)]
    programs: ProgramOptions,
    /// Fail if addresses or ELFs differ from those that the capture says
    #[arg(long)]
    strict_derived: bool,
}

pub(super) fn replay(arguments: &ReplayArguments) -> Result<ExitCode, Failed> {
    let capture = read(&arguments.file)?;
    let architecture = capture.program.architecture;
    let choices: Vec<String> = arguments.common.device.iter().cloned().collect();
    let devices = devices::Devices::choose(&choices, &[architecture], devices::Purpose::Capture)
        .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    let device = devices.of(architecture);
    let programs = &arguments.common.programs;
    let converted;
    let file = if is_in_the_format(&arguments.file) {
        absolute(&arguments.file)
    } else {
        converted = tempfile::Builder::new().prefix("hallmark-").tempdir();
        let folder = converted.as_ref().map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("no temporary folder: {error}"))
        })?;
        let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
        let file = folder.path().join("capture.lmb");
        write(&file, &bytes)?;
        file
    };
    let executed = replay_capture(
        &crate::pipeline::WorkerSettings {
            devices,
            replay_devices: devices::Devices::default(),
            firmware: programs.firmware()?,
            schedule_seed: programs.schedule_seed,
            dispatch: programs.dispatch.into(),
            worker: crate::worker::process::WorkerProgram::current()
                .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?,
        },
        architecture,
        &file,
        Limits { timeout: Duration::from_secs(arguments.timeout), budget: None },
    )
    .map_err(|finding| Failed::new(finding.exit_code(), finding.report().join("\n")))?;
    let timeout = Duration::from_secs(arguments.timeout);
    let finding = crate::pipeline::judge::replayed_file(
        &capture,
        &executed,
        timeout,
        arguments.common.strict_derived,
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
        "{} and {} repeated on {device}; every outcome and every read is as captured",
        counted(capture.program.commands.len(), "command", "commands"),
        counted(capture.outputs.len(), "read", "reads"),
    ));
    if let Ending::Reported(report) = &executed.ended.ending {
        for line in report.finished_now.iter().chain(&report.derived_differences) {
            output::say(&format!("  {line}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    /// For people
    #[default]
    Text,
    /// A line of JSON for each command; `hallmark dump` reads it back
    Jsonl,
    /// A folder that holds a suite, its kernels and its data, and is a root of its own
    Yaml,
}

#[derive(Clone, Debug, Args)]
pub(super) struct DumpArguments {
    /// A capture, a golden, JSON lines, or a journal that a crash left behind
    file: PathBuf,
    /// How
    #[arg(long, value_enum, default_value_t)]
    format: DumpFormat,
    /// Where it goes: a file, or a folder that does not exist yet for yaml; stdout otherwise
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

pub(super) fn dump(arguments: &DumpArguments) -> Result<ExitCode, Failed> {
    let capture = read(&arguments.file)?;
    let text = match arguments.format {
        DumpFormat::Text => dump_text(&capture),
        DumpFormat::Jsonl => to_jsonl(&capture),
        DumpFormat::Yaml => {
            let Some(folder) = &arguments.output else {
                return Err(Failed::new(ExitCode::USAGE, "yaml is a folder: name it with -o"));
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
                "this golden holds only the hash of its program part, {hash}"
            )));
        }
        Err(_) => {}
    }
    if let Ok(recovered) = journal::recover(&bytes) {
        return Ok(recovered.capture);
    }
    Err(failed(error.to_string()))
}

#[derive(Clone, Debug, Args)]
pub(super) struct DiffArguments {
    /// The capture before
    before: PathBuf,
    /// The capture after
    after: PathBuf,
}

pub(super) fn diff(arguments: &DiffArguments) -> Result<ExitCode, Failed> {
    let before = read(&arguments.before)?;
    let after = read(&arguments.after)?;
    let differences = hallmark_schema::diff(&before, &after);
    if differences.is_empty() {
        output::say("no difference");
        return Ok(ExitCode::SUCCESS);
    }
    output::say(&differences.to_string());
    Ok(if differences.in_program() { ExitCode::NOT_PASSED } else { ExitCode::SUCCESS })
}
