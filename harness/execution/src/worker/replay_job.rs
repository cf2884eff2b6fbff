//! The replay worker: makes a capture's calls again, in a process that shares only the file with the first.

use hallmark_chip::{PciDevice, Processor};
use std::path::Path;

use hallmark_runtime::metalium::{
    Inexpressible, LeftOut, ReleaseDescription, inexpressible, prints,
};
use hallmark_runtime::{
    CaptureOptions, DerivedDifference, MetaliumReplay, MetaliumReplayError, Portability,
    ReplayError, ReplayMismatch, ReplayOptions, ReplayReport, ReplayTarget, replay_observed,
    replay_on_metalium,
};
use hallmark_schema::Names;
use hallmark_schema::model::{Capture, CommandIndex, ContentHash, ObjectKind, Outcome};

use super::WorkerResult;
use super::job::{MetaliumJob, ReplayJob};
use super::job_file::{CAPTURE, CAPTURE_LIMIT, JOURNAL, JobFile};
use super::kernels::JobKernels;
use super::near_read::near_read;
use super::open::Opened;
use super::own_memory;
use super::phase_file::PhaseFile;
use super::portability::{PortabilityLine, PortabilityReport, PortabilityVerdict};
use super::problem::{CaptureProblem, WorkerFile, WorkerProblem};
use super::profile::ProfileLog;
use super::report::{NewerCheck, OtherEnd, Warning, WorkerReport};
use super::state::StateLog;
use crate::devices;
use crate::whole_file;

/// The inputs of a replay.
struct Prepared {
    capture: Capture,
    device: Box<dyn PciDevice>,
    options: ReplayOptions,
}

fn read(job: &ReplayJob) -> Result<Capture, WorkerProblem> {
    let refused = |problem: CaptureProblem, error: &dyn std::fmt::Display| WorkerProblem::Capture {
        problem,
        reason: error.to_string(),
    };
    let bytes = whole_file::read(&job.capture, CAPTURE_LIMIT)
        .map_err(|error| refused(CaptureProblem::Unreadable, &error))?;
    Capture::open(&bytes.into()).map_err(|error| refused(CaptureProblem::Malformed, &error))
}

fn prepare(job: &ReplayJob, file: &JobFile) -> Result<Prepared, WorkerProblem> {
    let capture = read(job)?;
    let Opened { device, firmware } = job.device.open()?;
    let mut options = ReplayOptions::new(firmware);
    options.dispatch = job.device.dispatch;
    options.schedule_seed = job.device.schedule_seed;
    options.tick_budget = job.device.asked.budget.unwrap_or(options.tick_budget);
    options.dispatch_settings = job.device.asked.dispatch;
    options.capture = CaptureOptions { journal: Some(file.path(JOURNAL)) };
    options.kernels = JobKernels::new(file, &job.kernels).found();
    Ok(Prepared { capture, device, options })
}

/// Checks whether the capture could be replayed. The device is only identified.
pub(super) fn assess(job: &ReplayJob, file: &JobFile) -> WorkerResult {
    if let Some(metalium) = &job.device.metalium {
        let release = description(metalium)?;
        let calls = inexpressible(&read(job)?, release, job.device.dispatch, metalium.chip);
        let portability = refusal(&name_on_metalium(job, metalium)?, &calls);
        return Ok(WorkerReport {
            portability: Some(portability.into()),
            ..WorkerReport::default()
        });
    }
    let Prepared { capture, mut device, options } = prepare(job, file)?;
    let target = ReplayTarget::of(&mut *device).map_err(|error| job.device.problem(&error))?;
    let portability = hallmark_runtime::assess(&capture, &target, &options);
    let portability = portability.map_err(|error| problem(job, &error))?;
    let portability = told(target.device, &portability);
    Ok(WorkerReport { portability: Some(portability.into()), ..WorkerReport::default() })
}

/// Portability in the report's form, with its sentences.
fn told(device: String, portability: &Portability) -> PortabilityReport {
    let verdict = match portability {
        Portability::Exact => PortabilityVerdict::Exact,
        Portability::Adapted { .. } => PortabilityVerdict::Adapted,
        Portability::Refused { .. } => PortabilityVerdict::Refused,
    };
    let (mut moved, mut reasons) = (Vec::new(), Vec::new());
    match portability {
        Portability::Exact => {}
        Portability::Adapted { moved: all } => {
            moved.extend(all.iter().map(|one| PortabilityLine {
                kind: one.kind().to_owned(),
                command: None,
                text: one.to_string(),
            }));
        }
        Portability::Refused { reasons: all } => {
            reasons.extend(all.iter().map(|one| PortabilityLine {
                kind: one.kind().to_owned(),
                command: one.command().map(|command| command.0),
                text: one.to_string(),
            }));
        }
    }
    PortabilityReport { device, verdict, moved, reasons }
}

/// The description of the TT-Metalium of a job, which a worker of the same build has.
pub(super) fn description(
    metalium: &MetaliumJob,
) -> Result<&'static ReleaseDescription, WorkerProblem> {
    ReleaseDescription::of_version(&metalium.description).ok_or_else(|| {
        let release = &metalium.description;
        WorkerProblem::internal(format!("TT-Metalium {release} is described nowhere"))
    })
}

/// Makes the calls through TT-Metalium.
fn run_on_metalium(job: &ReplayJob, metalium: &MetaliumJob, file: &JobFile) -> WorkerResult {
    let capture = read(job)?;
    let name = name_on_metalium(job, metalium)?;
    let replay = MetaliumReplay {
        interface: &metalium.interface,
        sources: &file.path(SOURCES),
        device: &name,
        chip: metalium.chip,
        release: &metalium.release,
        description: description(metalium)?,
        build_id: &metalium.build_id,
        dispatch: job.device.dispatch,
        prints: metalium.environment.get(prints::FILE_VARIABLE).map(Path::new),
    };
    let phases = PhaseFile::of(file.folder());
    let replayed = replay_on_metalium(&capture, &replay, |phase| phases.note(phase));
    let report = replayed.map_err(|error| match error {
        MetaliumReplayError::Inexpressible { calls } => {
            WorkerProblem::Refused(refusal(&name, &calls).into())
        }
        MetaliumReplayError::NoRecord | MetaliumReplayError::Binary => {
            let problem = CaptureProblem::NotReplayable;
            WorkerProblem::Capture { problem, reason: error.to_string() }
        }
        MetaliumReplayError::Metalium(error) => job.device.problem(&error),
    })?;
    let other_ends = report.mismatches.iter().filter_map(other_end).collect();
    let left_out = report.left_out.iter().map(|&(command, reason)| left_out(command, reason));
    let left_out = left_out.collect();
    Ok(WorkerReport { other_ends, left_out, ..finish(&capture, report, file, None)? })
}

/// TT-Metalium and its chip, without paths.
fn name_on_metalium(job: &ReplayJob, metalium: &MetaliumJob) -> Result<String, WorkerProblem> {
    let device = job.device.device.parse().map_err(|error| job.device.problem(&error))?;
    Ok(format!("TT-Metalium {} on {}", metalium.release, devices::short_name(&device)))
}

/// Whether TT-Metalium can make a capture's calls: `calls` lists the impossible ones.
fn refusal(device: &str, calls: &[(CommandIndex, Inexpressible)]) -> PortabilityReport {
    let reasons = calls.iter().map(|(command, reason)| PortabilityLine {
        kind: reason.kind().to_owned(),
        command: Some(command.0),
        text: format!("command {command}: {reason}"),
    });
    let verdict = match calls {
        [] => PortabilityVerdict::Exact,
        _ => PortabilityVerdict::Refused,
    };
    let (device, reasons) = (device.to_owned(), reasons.collect());
    PortabilityReport { device, verdict, moved: Vec::new(), reasons }
}

/// The folder for the kernels' sources for the vendor's build, in the job's folder.
const SOURCES: &str = "sources";
/// The kind of a call that is left out there.
const LEFT_OUT: &str = "left_out";

pub(super) fn run(job: &ReplayJob, file: &JobFile) -> WorkerResult {
    if let Some(metalium) = &job.device.metalium {
        return run_on_metalium(job, metalium, file);
    }
    let Prepared { capture, device, options } = prepare(job, file)?;
    let name = device.name().to_owned();
    let mut notes = match &job.state {
        Some(state) => Some(StateLog::create(file, state, job.device.launched_by(), &capture)?),
        None => None,
    };
    let report = match &mut notes {
        Some(notes) => replay_observed(&capture, device, &options, notes),
        None if job.profile => {
            replay_observed(&capture, device, &options, &mut ProfileLog::new(file))
        }
        None => replay_observed(&capture, device, &options, &mut own_memory::MemoryAtEnd),
    };
    let report = report.map_err(|error| problem(job, &error))?;
    let portability = told(name, &report.portability);
    finish(&capture, report, file, Some(portability))
}

/// Writes the replay's own capture, and reports differences.
fn finish(
    capture: &Capture,
    report: ReplayReport,
    file: &JobFile,
    portability: Option<PortabilityReport>,
) -> WorkerResult {
    let again = file.capture_bytes(&report.capture).map_err(|error| {
        WorkerProblem::internal(format!("the replay cannot be written: {error}"))
    })?;
    whole_file::write_in_own_folder(&file.path(CAPTURE), &again)
        .map_err(|error| WorkerFile::Replay.problem(&error))?;
    let names = Names::of(&capture.program);
    let mut result = WorkerReport {
        differences: report.mismatches.iter().map(difference).collect(),
        derived_differences: report
            .derived
            .iter()
            .map(|it| derived([capture, &report.capture], &names, it))
            .collect(),
        portability: portability.map(Box::new),
        stop: report.stop.map(Box::new),
        warnings: report.warnings.into_iter().map(Warning::from).collect(),
        ..WorkerReport::default()
    };
    result.newer = report.newer.map(|finding| NewerCheck {
        command: finding.command.map(|command| command.0),
        category: finding.category,
        enqueue: finding.enqueue.0,
        captured_as: finding.captured_as,
    });
    if let Some((command, outcome)) = &report.unfinished {
        result.finished_now =
            Some(format!("command {command}, which the capture leaves unfinished, {outcome} now"));
    }
    if let Some(outcome) = &report.unfinished_end {
        let text = format!("{AT_THE_END} and which the capture leaves unfinished, {outcome} now");
        result.finished_now = Some(text);
    }
    Ok(result)
}

/// The other runtime's outcome of a call, if it differs.
fn other_end(mismatch: &ReplayMismatch) -> Option<OtherEnd> {
    match mismatch {
        ReplayMismatch::Outcome { command, captured, .. } => {
            Some(OtherEnd { command: command.0, exception: None, ended_with: ended_with(captured) })
        }
        ReplayMismatch::Exception { command, captured, text, .. } => Some(OtherEnd {
            command: command.0,
            exception: Some(text.clone()),
            ended_with: ended_with(captured),
        }),
        ReplayMismatch::End { .. }
        | ReplayMismatch::EndException { .. }
        | ReplayMismatch::Read { .. }
        | ReplayMismatch::ReadMissing { .. }
        | ReplayMismatch::ProgramBytes { .. } => None,
    }
}

/// The failure of a call that ended its run.
fn ended_with(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Failed(failure) if failure.ends_the_run() => Some(failure.to_string()),
        Outcome::Failed(_) | Outcome::Done | Outcome::Unfinished => None,
    }
}

fn left_out(command: CommandIndex, reason: LeftOut) -> PortabilityLine {
    let kind = LEFT_OUT.to_owned();
    PortabilityLine { kind, command: Some(command.0), text: reason.to_string() }
}

/// A derived difference in words, with the object's name.
fn derived(
    [capture, again]: [&Capture; 2],
    names: &Names<'_>,
    difference: &DerivedDifference,
) -> String {
    let name = |kind: ObjectKind, id: u32| names.title(kind, id);
    let address = |address: &Option<u64>| match address {
        Some(address) => format!("{address:#x}"),
        None => "no address".to_owned(),
    };
    let hash = |hash: &Option<ContentHash>| match hash {
        Some(hash) => hash.short(),
        None => "none".to_owned(),
    };
    match difference {
        DerivedDifference::Address { object, id, captured, replayed } => format!(
            "{}: at {} when captured, at {} now",
            name(*object, *id),
            address(captured),
            address(replayed)
        ),
        DerivedDifference::Elf { kernel, processor, captured, replayed } => format!(
            "{} on {}: ELF {} when captured, {} now",
            name(ObjectKind::Kernel, kernel.0),
            Processor::ALL.get(usize::from(*processor)).map_or("?", |it| it.name()),
            hash(captured),
            hash(replayed)
        ),
        DerivedDifference::FaultPlace { command } => {
            format!("command {command}: the fault happened in another place")
        }
        DerivedDifference::NearRead { command, output } => {
            near_read(capture, again, *command, output)
        }
        DerivedDifference::CollectedTrace { command } => {
            format!("command {command}: the trace has other bytes, so other firmware or kernels")
        }
        DerivedDifference::Waits => "other cores waited, or in other places".to_owned(),
    }
}

fn problem(job: &ReplayJob, error: &ReplayError) -> WorkerProblem {
    match error {
        ReplayError::NoRecord
        | ReplayError::Binary
        | ReplayError::LaunchAbi { .. }
        | ReplayError::BlobMissing { .. }
        | ReplayError::Data { .. }
        | ReplayError::CollectedTrace { .. }
        | ReplayError::Memory { .. }
        | ReplayError::Invalid { .. } => {
            let problem = CaptureProblem::NotReplayable;
            WorkerProblem::Capture { problem, reason: error.to_string() }
        }
        ReplayError::Refused { device, reasons } => {
            let refused = Portability::Refused { reasons: reasons.clone() };
            WorkerProblem::Refused(told(device.clone(), &refused).into())
        }
        ReplayError::Open(_) => job.device.problem(error),
        ReplayError::Capture(_) => WorkerFile::Journal.problem(error),
        ReplayError::Stopped(error) => job.device.stopped(error),
        ReplayError::Internal { .. } => WorkerProblem::internal(error),
    }
}

/// The beginning of a sentence on the end of the queues.
const AT_THE_END: &str = "the work at the end, for which no call waits";

fn difference(mismatch: &ReplayMismatch) -> String {
    match mismatch {
        ReplayMismatch::Outcome { command, kind, captured, replayed, message } => {
            let said = message.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
            format!(
                "command {command}, {}: the capture {captured}, the replay {replayed}{said}",
                kind.name()
            )
        }
        ReplayMismatch::Exception { command, kind, captured, text } => format!(
            "command {command}, {}: the capture {captured}, TT-Metalium threw an exception: {text}",
            kind.name()
        ),
        ReplayMismatch::Read { command, output, captured, replayed } => format!(
            "command {command}, read of `{output}`: {} when captured, {} now",
            captured.short(),
            replayed.short()
        ),
        ReplayMismatch::ReadMissing { command, output, captured } => format!(
            "command {command}, read of `{output}`: completed only {}",
            if *captured { "when captured" } else { "now" }
        ),
        ReplayMismatch::End { captured, replayed } => {
            format!("{AT_THE_END}: the capture {captured}, the replay {replayed}")
        }
        ReplayMismatch::EndException { captured, text } => {
            format!("{AT_THE_END}: the capture {captured}, TT-Metalium threw an exception: {text}")
        }
        ReplayMismatch::ProgramBytes { captured, replayed } => {
            format!("program bytes: {} when captured, {} now", captured.short(), replayed.short())
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::model::{
        BufferId, BufferLayout, BufferType, Command, CommandIndex, Grid, KernelId, Outcome,
        ProgramPart, RecordedCommand,
    };

    use hallmark_schema::commands;

    use super::*;

    #[test]
    fn derived_differences_are_told_in_words() {
        let command = Command::CreateBuffer(commands::CreateBuffer {
            buffer: BufferId(0),
            name: "src".to_owned(),
            size: 64,
            page_size: 64,
            buffer_type: BufferType::Dram,
            layout: BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        });
        let program = ProgramPart {
            architecture: Architecture::WormholeB0,
            grid: Grid { columns: 8, rows: 9 },
            placement_bound: false,
            sources: Vec::new(),
            commands: vec![RecordedCommand { command, outcome: Outcome::Done }],
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            free_tensors: Vec::new(),
        };
        let capture =
            Capture { program, record: None, outputs: Vec::new(), blobs: Default::default() };
        let object = ObjectKind::Buffer;
        let address =
            |id| DerivedDifference::Address { object, id, captured: Some(0x40), replayed: None };
        let elf = DerivedDifference::Elf {
            kernel: KernelId(2),
            processor: 1,
            captured: Some(ContentHash([0xab; 32])),
            replayed: Some(ContentHash([0xcd; 32])),
        };
        let place = DerivedDifference::FaultPlace { command: CommandIndex(7) };
        let all = [address(0), address(3), elf, place, DerivedDifference::Waits];
        let text: Vec<String> = {
            let names = Names::of(&capture.program);
            all.iter().map(|it| derived([&capture, &capture], &names, it)).collect()
        };
        insta::assert_snapshot!(text.join("\n"), @r"
        buffer `src`: at 0x40 when captured, at no address now
        buffer 3: at 0x40 when captured, at no address now
        kernel 2 on NCRISC: ELF abababab when captured, cdcdcdcd now
        command 7: the fault happened in another place
        other cores waited, or in other places
        ");
    }
}
