//! Assessments of captures for a chip, without a run.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::sync::Arc;

use common::{RISCV_0, at, buffer, core, kernel, pattern};
use hallmark_chip::{Architecture, Capabilities, ChipDescription, FaultCategory, HarvestingMask};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Argument, CaptureOptions, CommandQueue, Device, Kernel, Moved, Portability, Program, Reason,
    ReplayError, ReplayOptions, ReplayTarget, assess, replay,
};
use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferType, Capture, Command, CommandIndex, CommandKind, CoreRange, Expectation, Failure,
    ObjectKind, Outcome, QueueId, RecordedCommand,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;

fn on(capture: &Capture, architecture: Architecture) -> Result<Portability, ReplayError> {
    on_chip(capture, ChipDescription::of(architecture))
}

fn on_chip(
    capture: &Capture,
    description: &'static ChipDescription,
) -> Result<Portability, ReplayError> {
    let capabilities = Capabilities { detects_deadlock: true, ..Capabilities::default() };
    with_capabilities(capture, description, capabilities)
}

fn with_capabilities(
    capture: &Capture,
    description: &'static ChipDescription,
    capabilities: Capabilities,
) -> Result<Portability, ReplayError> {
    let architecture = description.architecture;
    let device = format!("sim:{architecture}");
    let target = ReplayTarget { device, description, capabilities };
    assess(capture, &target, &options(architecture))
}

fn options(architecture: Architecture) -> ReplayOptions {
    ReplayOptions::new(Arc::new(FirmwareBundle::builtin(architecture).unwrap()))
}

/// A capture with two buffers, a small one and a page of L1 that exceeds Grayskull's L1 but not Wormhole's.
/// Calls and a view use the page.
fn large_and_small() -> Capture {
    let mut device = common::open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let size = 1200 << 10;
    let large = device.create_buffer(&buffer("large", BufferType::L1, size, size)).unwrap();
    let small = device.create_buffer(&buffer("small", BufferType::L1, 64, 64)).unwrap();
    device.enqueue_write_buffer(QUEUE, large, &pattern(size as usize)[..], false).unwrap();
    device.enqueue_write_buffer(QUEUE, small, &pattern(64)[..], false).unwrap();
    device.enqueue_read_buffer(QUEUE, large, "large", Expectation::AsCaptured, false).unwrap();
    device.enqueue_read_buffer(QUEUE, small, "small", Expectation::AsCaptured, true).unwrap();
    device.deallocate_buffer(large).unwrap();
    device.end_capture().unwrap()
}

#[test]
fn what_does_not_fit_is_a_reason_and_what_follows_from_it_is_none() {
    let capture = large_and_small();
    let Portability::Refused { reasons } = on(&capture, Architecture::Grayskull).unwrap() else {
        panic!("it does not fit");
    };
    let [Reason::Call { command, kind, subject, captured, here, detail }] = &reasons[..] else {
        panic!("{reasons:?}");
    };
    assert_eq!((*command, *kind), (CommandIndex(0), CommandKind::CreateBuffer));
    assert_eq!((subject.as_str(), captured), ("large", &Outcome::Done));
    assert!(matches!(here, Outcome::Failed(Failure::OutOfMemory { .. })), "{here:?}");
    assert!(detail.as_ref().unwrap().contains("each bank needs 1228800 B"), "{detail:?}");
}

#[test]
fn what_lies_elsewhere_is_told_with_both_places() {
    let capture = large_and_small();
    assert_eq!(on(&capture, Architecture::WormholeB0).unwrap(), Portability::Exact);
    let Portability::Adapted { moved } = on(&capture, Architecture::Blackhole).unwrap() else {
        panic!("it fits");
    };
    // L1 is filled from its end: 1464 KiB on Wormhole, 1536 KiB on Blackhole.
    let places: Vec<_> = moved
        .iter()
        .filter_map(|moved| match moved {
            Moved::Address { object: ObjectKind::Buffer, id, captured, here, .. } => {
                Some((*id, captured.unwrap(), here.unwrap()))
            }
            _ => None,
        })
        .collect();
    let end = |kibibytes: u64| kibibytes << 10;
    assert_eq!(
        places,
        [
            (0, end(1464 - 1200), end(1536 - 1200)),
            (1, end(1464 - 1200) - 64, end(1536 - 1200) - 64)
        ]
    );
}

#[test]
fn a_device_that_would_not_notice_is_refused() {
    let mut capture = large_and_small();
    let last = capture.program.commands.len() - 1;
    let (command, enqueue) = (CommandIndex(last as u32), CommandIndex(0));
    let fault = |category| Failure::DeviceFault { category, enqueue };
    let nothing = Capabilities::default();
    let races = Capabilities { detects_races: true, ..nothing };
    let misuse = Capabilities { detects_misuse: true, ..nothing };
    let uninitialised = Capabilities { detects_uninitialised: true, ..nothing };
    let deadlocks = Capabilities { detects_deadlock: true, ..nothing };
    let places = Capabilities { reports_fault_place: true, ..nothing };
    for (failure, capability, that_notices) in [
        (fault(FaultCategory::DataRace), "detects_races", races),
        (Failure::QueueRace { first: enqueue, second: enqueue }, "detects_races", races),
        (fault(FaultCategory::RequestsUnderWay), "detects_misuse", misuse),
        (fault(FaultCategory::UnpredictableValueUsed), "detects_uninitialised", uninitialised),
        (Failure::Deadlock { enqueue }, "detects_deadlock", deadlocks),
        (fault(FaultCategory::KernelAssertion), "asserts", places),
    ] {
        capture.program.commands[last].outcome = Outcome::Failed(failure.clone());
        let chip = ChipDescription::of(Architecture::WormholeB0);
        let reasons = vec![Reason::NotDetected { command, failure, capability }];
        let refused = Portability::Refused { reasons };
        for capabilities in [nothing, races, misuse, uninitialised, deadlocks, places] {
            let said = with_capabilities(&capture, chip, capabilities).unwrap();
            let expected =
                if capabilities == that_notices { &Portability::Exact } else { &refused };
            assert_eq!(said, *expected, "{capability}");
        }
    }
    // The host knows the bytes of two transfers without the device. A race between them needs no device.
    let commands = (0..).map(CommandIndex).zip(&capture.program.commands);
    let mut transfers = commands.filter_map(|(at, recorded)| {
        matches!(recorded.command, Command::EnqueueWriteBuffer(_)).then_some(at)
    });
    let [one, two] = [transfers.next().unwrap(), transfers.next().unwrap()];
    let chip = ChipDescription::of(Architecture::WormholeB0);
    for (first, second, is_seen) in [(one, two, true), (enqueue, two, false), (one, enqueue, false)]
    {
        capture.program.commands[last].outcome =
            Outcome::Failed(Failure::QueueRace { first, second });
        let said = with_capabilities(&capture, chip, nothing).unwrap();
        assert_eq!(said == Portability::Exact, is_seen, "{first} and {second}: {said:?}");
    }
    // Any device notices any other fault.
    let other = fault(FaultCategory::UndefinedBehavior);
    capture.program.commands[last].outcome = Outcome::Failed(other);
    let chip = ChipDescription::of(Architecture::WormholeB0);
    assert_eq!(with_capabilities(&capture, chip, nothing).unwrap(), Portability::Exact);
}

/// A kernel on some cores that stores a word.
fn kernel_on(device: &mut Device, cores: &[CoreRange]) -> (Program, Kernel) {
    let program = device.create_program("p").unwrap();
    let made = kernel("kernels/store_words.cpp", cores, RISCV_0, vec![0x18000, 1]);
    let made = device.create_kernel(program, made).unwrap();
    (program, made)
}

/// Only an argument names the core; no kernel runs on it.
#[test]
fn cores_in_common_arguments_are_among_those_that_lie_elsewhere() {
    let mut device = common::open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let (_, made) = kernel_on(&mut device, &at(0, 0));
    device.set_common_runtime_args(made, &[Argument::CoreNocX(core(3, 5)), 0.into()]).unwrap();
    device.update_common_runtime_args(made, 1, &[Argument::CoreNocY(core(4, 6))]).unwrap();
    let capture = device.end_capture().unwrap();
    // The sixth row of tiles is harvested, so the rows behind it move up.
    let chip = ChipDescription::harvested(Architecture::WormholeB0, HarvestingMask(1 << 5));
    let Portability::Adapted { moved } = on_chip(&capture, chip.unwrap()).unwrap() else {
        panic!("cores lie elsewhere");
    };
    let cores: Vec<_> = moved
        .iter()
        .filter_map(|moved| match moved {
            Moved::Core { core, .. } => Some(*core),
            _ => None,
        })
        .collect();
    assert_eq!(cores, [core(3, 5), core(4, 6)]);
}

/// A modelled chip has the same limit for the total size of queued launches as a device.
#[test]
fn a_capture_that_queues_too_many_launches_is_refused_before_it_is_replayed() {
    let mut device = common::open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    // A launch on many cores reaches the limit soon.
    let cores = [CoreRange { start: core(0, 0), end: core(7, 8) }];
    let (program, made) = kernel_on(&mut device, &cores);
    let arguments = vec![Argument::Value(0); 341];
    device.set_runtime_args(made, &cores, &arguments).unwrap();
    device.enqueue_program(QUEUE, program, false).unwrap();
    let capture = device.end_capture().unwrap();
    let launch = capture.program.commands.last().unwrap().clone();
    // A launch takes 512 B for a kernel on a tile and 4 B for each argument; the limit is 512 MiB.
    let fitting = (512 << 20) / (8 * 9 * (512 + 341 * 4));
    let queueing = |launches: usize, finish_after: Option<usize>| {
        let mut capture = capture.clone();
        let commands = &mut capture.program.commands;
        commands.pop();
        commands.resize(commands.len() + launches, launch.clone());
        if let Some(at) = finish_after {
            let command = commands::Finish { queue: QueueId(0) }.into();
            commands.insert(at, RecordedCommand { command, outcome: Outcome::Done });
        }
        capture
    };
    let said = |capture| on(&capture, Architecture::WormholeB0);
    assert_eq!(said(queueing(fitting, None)).unwrap(), Portability::Exact);
    let finished = queueing(fitting + 1, Some(fitting / 2));
    assert_eq!(said(finished).unwrap(), Portability::Exact);
    let too_many = queueing(fitting + 1, None);
    let refused = said(too_many.clone()).unwrap_err().to_string();
    assert!(refused.contains("too many programs are queued"), "{refused}");
    let replayed = replay(&too_many, common::simulator(), &options(Architecture::WormholeB0));
    assert_eq!(replayed.unwrap_err().to_string(), refused);
}

#[test]
fn whatever_is_wrong_with_the_capture_itself_is_no_reason() {
    let mut capture = large_and_small();
    capture.record = None;
    let said = on(&capture, Architecture::Blackhole);
    assert!(matches!(said, Err(ReplayError::NoRecord)), "{said:?}");
}
