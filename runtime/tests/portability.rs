//! What an assessment says of a capture and a chip, without running anything.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::sync::Arc;

use common::{buffer, pattern};
use hallmark_chip::{Architecture, Capabilities, ChipDescription, FaultCategory};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    CaptureOptions, CommandQueue, Moved, Portability, Reason, ReplayError, ReplayOptions,
    ReplayTarget, assess,
};
use hallmark_schema::model::{
    BufferType, Capture, CommandIndex, CommandKind, Expectation, Failure, ObjectKind, Outcome,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;

fn on(capture: &Capture, architecture: Architecture) -> Result<Portability, ReplayError> {
    let target = ReplayTarget {
        device: format!("sim:{architecture}"),
        description: ChipDescription::of(architecture),
        capabilities: Capabilities { detects_deadlock: true, ..Capabilities::default() },
    };
    let firmware = Arc::new(FirmwareBundle::builtin(architecture).unwrap());
    assess(capture, &target, &ReplayOptions::new(firmware))
}

/// A page of L1 that Wormhole has and Grayskull has not, used by calls and a view, and a small buffer.
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
    // Buffers of L1 are taken from its end: 1464 KiB there, 1536 KiB here.
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
    let (category, enqueue) = (FaultCategory::DataRace, CommandIndex(0));
    let race = Failure::DeviceFault { category, enqueue };
    let deadlock = Failure::Deadlock { enqueue };
    for (failure, noticed) in [(race, false), (deadlock, true)] {
        capture.program.commands[last].outcome = Outcome::Failed(failure.clone());
        let said = on(&capture, Architecture::WormholeB0).unwrap();
        if noticed {
            assert_eq!(said, Portability::Exact);
        } else {
            let (command, capability) = (CommandIndex(last as u32), "detects_races");
            let reasons = vec![Reason::NotDetected { command, failure, capability }];
            assert_eq!(said, Portability::Refused { reasons });
        }
    }
}

#[test]
fn whatever_is_wrong_with_the_capture_itself_is_no_reason() {
    let mut capture = large_and_small();
    capture.record = None;
    let said = on(&capture, Architecture::Blackhole);
    assert!(matches!(said, Err(ReplayError::NoRecord)), "{said:?}");
}
