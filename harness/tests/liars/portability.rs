//! Captures that a chip cannot replay, each for one reason.

use std::sync::Arc;

use hallmark_chip::{Architecture, Capabilities, ChipDescription};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{Portability, ReplayOptions, ReplayTarget, assess};
use hallmark_schema::model::{Capture, Command};

use crate::replays::kept;

/// Whether this is among the reasons against a replay on a chip of an architecture without any detection.
fn is_reason(kind: &str, capture: &Capture, architecture: Architecture) -> bool {
    let firmware = FirmwareBundle::builtin(architecture).unwrap();
    let target = ReplayTarget {
        device: "a chip".to_owned(),
        description: ChipDescription::of(architecture),
        capabilities: Capabilities::default(),
    };
    match assess(capture, &target, &ReplayOptions::new(Arc::new(firmware))).unwrap() {
        Portability::Refused { reasons } => reasons.iter().any(|reason| reason.kind() == kind),
        Portability::Exact | Portability::Adapted { .. } => false,
    }
}

/// Assesses the capture's own architecture.
fn is_reason_at_home(kind: &str, capture: &Capture) -> bool {
    is_reason(kind, capture, capture.program.architecture)
}

/// Assesses an architecture with another DRAM alignment than the capture's.
fn is_reason_elsewhere(kind: &str, capture: &Capture) -> bool {
    let other = match capture.program.architecture {
        Architecture::Grayskull | Architecture::WormholeB0 => Architecture::Blackhole,
        Architecture::Blackhole => Architecture::WormholeB0,
    };
    is_reason(kind, capture, other)
}

#[test]
fn a_call_ends_otherwise() {
    let mut capture = kept("runtime_arguments");
    assert!(!is_reason_at_home("call", &capture));
    let mut commands = capture.program.commands.iter_mut();
    let buffer = commands.find_map(|made| match &mut made.command {
        Command::CreateBuffer(call) => Some(call),
        _ => None,
    });
    // The size exceeds the memory of every chip.
    buffer.unwrap().size <<= 40;
    assert!(is_reason_at_home("call", &capture));
}

#[test]
fn there_are_no_kernels() {
    let capture = kept("runtime_arguments");
    assert!(!is_reason_at_home("kernel_missing", &capture));
    assert!(is_reason_elsewhere("kernel_missing", &capture));
}

#[test]
fn addresses_are_stated() {
    let mut capture = kept("runtime_arguments");
    assert!(!is_reason_elsewhere("placement_bound", &capture));
    capture.program.placement_bound = true;
    assert!(is_reason_elsewhere("placement_bound", &capture));
}

#[test]
fn a_distance_of_pages_is_stated() {
    let mut capture = kept("data_movement");
    // Pages of 32 bytes are 32 bytes apart only if DRAM is aligned to 32 bytes.
    for made in &mut capture.program.commands {
        match &mut made.command {
            Command::CreateBuffer(call) => call.page_size = 32,
            Command::CreateKernel(call) => call.compile_args.push(32),
            _ => {}
        }
    }
    assert!(!is_reason_at_home("stated_page_stride", &capture));
    assert!(is_reason_elsewhere("stated_page_stride", &capture));
}

#[test]
fn a_deadlock_would_go_unnoticed() {
    assert!(!is_reason_at_home("not_detected", &kept("runtime_arguments")));
    assert!(is_reason_at_home("not_detected", &kept("deadlock")));
}

#[test]
fn a_rule_is_of_one_architecture() {
    let capture = kept("fault");
    assert!(!is_reason_at_home("rule_of_architecture", &capture));
    assert!(is_reason_elsewhere("rule_of_architecture", &capture));
}

#[test]
fn a_trace_region_does_not_fit() {
    let mut capture = kept("trace");
    assert!(!is_reason_at_home("trace_region", &capture));
    capture.program.trace_region_size = 1 << 40;
    assert!(is_reason_at_home("trace_region", &capture));
}

#[test]
fn a_region_of_l1_does_not_fit() {
    let mut capture = kept("trace");
    assert!(!is_reason_at_home("l1_region", &capture));
    capture.program.l1_small_size = 8 << 20;
    assert!(is_reason_at_home("l1_region", &capture));
    capture.program.l1_small_size = 0;
    capture.program.worker_l1_size = 8 << 20;
    assert!(is_reason_at_home("l1_region", &capture));
}
