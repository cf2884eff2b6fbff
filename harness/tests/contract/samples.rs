//! A job, a report and problems of contract version 1, as values. The committed files beside this one hold the
//! same content.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hallmark_chip::{
    Awaited, Fault, FaultCategory, FaultMemory, FaultPlace, KernelRuns, LogicalCore,
    PhysicalCoordinate, Position, Processor, SourceFrame, TileAddress, Waiting, Writer,
};
use hallmark_execution::worker::contract::{ContractError, ContractFile};
use hallmark_execution::worker::job::{
    CaptureJob, DeviceJob, Job, JobElf, JobKernel, JobSource, ReplayJob, SimulatorJob,
};
use hallmark_execution::worker::memory::UnwrittenRange;
use hallmark_execution::worker::portability::{
    PortabilityLine, PortabilityReport, PortabilityVerdict,
};
use hallmark_execution::worker::problem::{CaptureProblem, WorkerFile, WorkerProblem};
use hallmark_execution::worker::report::{FailedCall, WorkerReport};
use hallmark_execution::worker::state::{BytesAt, StateJob, StateMask};
use hallmark_runtime::{DispatchSettings, Stop, StopCause, TraceReplay};
use hallmark_schema::model::{
    Command, CommandIndex, ContentHash, DeviceRequirements, DispatchMode, Failure,
};
use hallmark_suite::bound::{AtEnd, BoundCase, BoundStep};
use serde_json::{Value, json};

const SOURCE: &[u8] = b"void kernel_main() {}\n";
const ELF: &[u8] = b"\x7fELF";

/// The blobs of every sample.
pub(crate) fn contents() -> BTreeMap<ContentHash, Arc<[u8]>> {
    [SOURCE, ELF].map(|bytes| (ContentHash::of(bytes), bytes.into())).into()
}

fn device() -> DeviceJob {
    DeviceJob {
        device: "sim:wormhole_b0".to_owned(),
        architecture: "wormhole_b0".to_owned(),
        firmware: Some(PathBuf::from("/firmware/wormhole_b0")),
        schedule_seed: 7,
        dispatch: DispatchMode::Device,
        simulator: SimulatorJob::default(),
        metalium: None,
        asked: DeviceRequirements {
            budget: Some(100_000),
            dispatch: DispatchSettings {
                ring_size: 4096,
                completion_size: 8192,
                first_position: 64,
                first_count: 2,
                overlap: false,
            },
        },
    }
}

fn kernels() -> BTreeMap<u32, JobKernel> {
    let ready = JobKernel::Ready {
        sources: vec![JobSource {
            path: "kernels/k.cpp".to_owned(),
            hash: ContentHash::of(SOURCE),
        }],
        elfs: vec![JobElf { processor: 1, hash: ContentHash::of(ELF) }],
        lines: Vec::new(),
    };
    BTreeMap::from([
        (0, ready),
        (1, JobKernel::SourceNotFound("kernels/none.cpp".to_owned())),
        (2, JobKernel::BuildFailed("an error".to_owned())),
        (3, JobKernel::Unusable("no compiler".to_owned())),
    ])
}

fn step(line: u32, command: Value, failure: Option<Failure>) -> BoundStep {
    // The text form defines and tests the JSON of a command.
    let command: Command = serde_json::from_value(command).unwrap();
    BoundStep { command, failure, line, file: None, place: None }
}

pub(crate) fn capture_job() -> Job {
    let create = |buffer: u32, size: u32| {
        json!({ "create_buffer": {
            "buffer": buffer, "name": format!("b{buffer}"), "size": size, "page_size": 32,
            "buffer_type": "l1", "layout": "interleaved",
        } })
    };
    let failure = Failure::SizeNotPageMultiple { size: 33, page_size: 32 };
    Job::Capture(CaptureJob {
        device: device(),
        case: BoundCase {
            test: "wormhole_b0::group::suite::case".to_owned(),
            architecture: "wormhole_b0".to_owned(),
            num_command_queues: 2,
            trace_region_size: 1024,
            l1_small_size: 0,
            worker_l1_size: 0,
            steps: vec![step(3, create(0, 64), None), step(4, create(1, 33), Some(failure))],
            at_end: AtEnd::Good,
        },
        kernels: kernels(),
        memory: true,
    })
}

pub(crate) fn replay_job() -> Job {
    let capture = PathBuf::from("/captures/capture.lmb");
    Job::Replay(ReplayJob {
        device: device(),
        capture,
        kernels: kernels(),
        state: None,
        profile: false,
        unit_waits: false,
    })
}

pub(crate) fn state_job() -> StateJob {
    StateJob {
        after: vec![3, 5],
        masks: vec![StateMask {
            command: 3,
            buffer: 0,
            unwritten: vec![UnwrittenRange { start: 6, end: 8 }],
        }],
        bytes: vec![BytesAt { command: 5, buffer: 1 }],
        watched: None,
    }
}

fn line(kind: &str, command: Option<u32>, text: &str) -> PortabilityLine {
    PortabilityLine { kind: kind.to_owned(), command, text: text.to_owned() }
}

fn portability(verdict: PortabilityVerdict) -> PortabilityReport {
    PortabilityReport {
        device: "sim:blackhole".to_owned(),
        verdict,
        moved: vec![line("dram_banks", None, "DRAM banks 12 → 8")],
        reasons: vec![line("refused_call", Some(3), "command 3 would fail")],
    }
}

/// Stops of a device, one for each cause.
pub(crate) fn stops() -> Vec<Stop> {
    let tile = PhysicalCoordinate { x: 1, y: 2 };
    let stop = |cause| Stop {
        command: CommandIndex(9),
        enqueue: Some(CommandIndex(4)),
        replaying: None,
        cause,
        leftovers: Vec::new(),
    };
    let place = |processor, symbol: Option<&str>| FaultPlace {
        tile,
        processor,
        pc: Some(0x17d00),
        instruction: Some(0x0002_8067),
        retired: Some(1210),
        symbol: symbol.map(str::to_owned),
        frames: Vec::new(),
    };
    let waiting = |last_writer| Waiting {
        tile,
        processor: Processor::Ncrisc,
        pc: 0x17d00,
        address: TileAddress(0xffb4_0028),
        value: 6,
        awaited: None,
        last_writer,
        lowered: None,
        symbol: Some("kernel_main".to_owned()),
        frames: Vec::new(),
    };
    let writer = Writer::Core { tile, processor: Processor::Brisc, retired: 1210 };
    let position =
        Position { tile, processor: Processor::Trisc2, pc: 0x40, symbol: None, frames: Vec::new() };
    let replay = TraceReplay { command: CommandIndex(7), trace: "t".to_owned() };
    let fault = Fault {
        category: FaultCategory::DataRace,
        reason: "nothing orders the two".to_owned(),
        place: Some(Box::new(place(Some(Processor::Trisc0), Some("kernel_main")))),
        against: Some(Box::new(place(None, None))),
        memory: None,
    };
    let deadlock = vec![waiting(None), waiting(Some(Writer::Host)), waiting(Some(writer))];
    let hang = StopCause::Hang {
        ticks: 100_000,
        running: vec![position],
        unfinished: vec![LogicalCore { x: 0, y: 1 }],
    };
    vec![
        stop(StopCause::Fault(fault)),
        stop(StopCause::Deadlock { waiting: deadlock }),
        Stop { replaying: Some(replay), ..stop(hang) },
        Stop { enqueue: None, ..stop(StopCause::Lost { reason: "no answer".to_owned() }) },
        stop(StopCause::Internal { reason: "a bug".to_owned() }),
        stop(StopCause::Captured { what: "a hang".to_owned() }),
    ]
}

/// Adds to stops the fields that readers of the capture format 1.0 do not know.
pub(crate) fn add_what_came_later(stops: &mut [Stop]) {
    let frames = || {
        vec![SourceFrame {
            function: "kernel_main".to_owned(),
            file: "kernels/k.cpp".to_owned(),
            line: 7,
        }]
    };
    for stop in stops {
        match &mut stop.cause {
            StopCause::Fault(Fault { category: _, reason: _, place, against, memory }) => {
                *memory = Some(Box::new(FaultMemory {
                    tile: PhysicalCoordinate { x: 1, y: 2 },
                    address: TileAddress(0x40),
                    length: 4,
                }));
                place.iter_mut().chain(against).for_each(|place| place.frames = frames());
            }
            StopCause::Deadlock { waiting } => {
                for wait in waiting {
                    wait.frames = frames();
                    wait.awaited = Some(Awaited::Range { bits: 32, first: 2, last: 2 });
                }
            }
            StopCause::Hang { ticks: _, running, unfinished: _ } => {
                running.iter_mut().for_each(|at| at.frames = frames());
            }
            StopCause::Lost { .. } | StopCause::Internal { .. } | StopCause::Captured { .. } => {}
        }
    }
}

pub(crate) fn report() -> WorkerReport {
    WorkerReport {
        problem: None,
        failed_call: Some(FailedCall {
            command: 5,
            text: "finish: it waits".to_owned(),
            remedy: "push".to_owned(),
            detail: Some("0x40".to_owned()),
        }),
        stop: stops().into_iter().next().map(Box::new),
        differences: vec!["command 3, finish: another".to_owned()],
        derived_differences: vec!["buffer `src`: elsewhere".to_owned()],
        finished_now: Some("command 9 succeeds now".to_owned()),
        plan: None,
        portability: Some(Box::new(portability(PortabilityVerdict::Adapted))),
        other_ends: Vec::new(),
        left_out: Vec::new(),
        newer: None,
        relies_on_atomics_behind_writes: false,
        kernel_runs: KernelRuns::default(),
        warnings: Vec::new(),
        printed: Vec::new(),
    }
}

/// One of each kind.
pub(crate) fn problems() -> Vec<WorkerProblem> {
    let text = |text: &str| text.to_owned();
    let contract = ContractError::Version {
        file: ContractFile::Job,
        found: 2,
        spoken: vec![1],
        hallmark: text("0.1.0"),
    };
    vec![
        WorkerProblem::Contract(contract),
        WorkerProblem::Device { device: text("pci:0"), reason: text("in use") },
        WorkerProblem::Firmware { folder: None, reason: text("another launch ABI") },
        WorkerProblem::Capture { problem: CaptureProblem::Unreadable, reason: text("absent") },
        WorkerProblem::Capture { problem: CaptureProblem::Malformed, reason: text("cut off") },
        WorkerProblem::Capture { problem: CaptureProblem::NotReplayable, reason: text("a golden") },
        WorkerProblem::Refused(Box::new(portability(PortabilityVerdict::Refused))),
        WorkerProblem::Call {
            command: 3,
            call: text("set_runtime_args"),
            written_at: text("line 7 of the suite"),
            reason: text("nothing to point at"),
        },
        WorkerProblem::Accepted {
            command: 4,
            call: text("create_buffer"),
            written_at: text("line 8 of the suite"),
            expected: Failure::SizeNotPageMultiple { size: 33, page_size: 32 },
        },
        WorkerProblem::Kernel { path: text("kernels/k.cpp"), reason: text("no compiler") },
        WorkerProblem::File { file: WorkerFile::Journal, reason: text("the disk is full") },
        WorkerProblem::Internal { reason: text("a bug") },
    ]
}
