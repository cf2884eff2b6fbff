//! Refusals of the host without a failure of the host API: devices that it does not open, calls that no capture can hold,
//! captures that cannot go on. Each such check has a test that fails while the check is switched off.
//!
//! `cargo nextest run -p hallmark-runtime --features sabotage --lib` switches them off, one by one.

mod arguments;
mod captures;
mod opening;

use std::sync::Arc;

use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};
use hallmark_chip::{Architecture, ChipDescription};
use hallmark_device_code::FirmwareBundle;

use super::{Device, DeviceOptions, OpenError};
use crate::NoKernels;
use crate::error::ArgumentProblem;
use crate::recorder::CaptureError;

const ARCHITECTURE: Architecture = Architecture::WormholeB0;

const LIARS: &[Liar] = &[
    liar("OpenError::Absent", "host::tests::opening::a_device_that_does_not_answer"),
    liar("OpenError::FirmwareArchitecture", "host::tests::opening::firmware_of_another_chip"),
    liar("OpenError::NoDispatcher", "host::tests::opening::firmware_without_a_dispatcher"),
    liar("OpenError::GridTooLarge", "host::tests::opening::a_grid_fits_the_chip"),
    liar("OpenError::CommandQueues", "host::tests::opening::a_device_has_one_queue_or_two"),
    liar("OpenError::TraceRegion", "host::tests::opening::a_trace_region_fits_a_bank"),
    liar("OpenError::L1Small", "host::tests::opening::regions_of_l1_fit_what_the_firmware_leaves"),
    liar("OpenError::WorkerL1", "host::tests::opening::regions_of_l1_fit_what_the_firmware_leaves"),
    liar("ArgumentProblem::Shape", "host::tests::arguments::a_name_has_no_spaces"),
    liar("ArgumentProblem::NotTheNextId", "host::tests::arguments::ids_come_in_order"),
    liar("ArgumentProblem::NeverCreated", "host::tests::arguments::objects_were_created"),
    liar("ArgumentProblem::OutputNameTaken", "host::tests::arguments::each_read_has_its_name"),
    liar("ArgumentProblem::ReadTooLarge", "host::tests::arguments::a_read_is_at_most_so_large"),
    liar(
        "ArgumentProblem::TooManyLaunches",
        "host::tests::arguments::so_many_launches_may_be_queued",
    ),
    liar(
        "ArgumentProblem::CollectedNameTaken",
        "host::tests::arguments::each_collected_trace_has_its_name",
    ),
    liar(
        "ArgumentProblem::TooManyCollected",
        "host::tests::arguments::so_many_bytes_may_be_collected",
    ),
    liar("ArgumentProblem::NotCollected", "host::tests::arguments::a_trace_was_collected"),
    liar(
        "ArgumentProblem::BufferNotInTrace",
        "host::tests::arguments::buffers_of_a_trace_are_given_others",
    ),
    liar(
        "ArgumentProblem::BufferNameNotInTrace",
        "host::tests::arguments::buffers_of_a_trace_are_given_by_name",
    ),
    liar("CaptureError::AlreadyActive", "host::tests::captures::one_capture_at_a_time"),
    liar("CaptureError::ObjectsExist", "host::tests::captures::a_capture_begins_without_objects"),
    liar("CaptureError::DeviceLost", "host::tests::captures::a_lost_device_is_not_captured"),
    liar("CaptureError::GivenUp", "host::tests::captures::nothing_follows_what_has_no_outcome"),
    liar("CaptureError::SourceChanged", "host::tests::captures::a_source_stays_as_it_is"),
];

#[test]
fn every_check_has_a_liar() {
    let checks = [OpenError::CHECKS, ArgumentProblem::CHECKS, CaptureError::CHECKS].concat();
    let checks: Vec<String> = checks.into_iter().map(str::to_owned).collect();
    assert_eq!(unmatched(&checks, LIARS), Vec::<String>::new());
}

#[cfg(feature = "sabotage")]
#[test]
fn a_test_fails_without_its_check() {
    use hallmark_chip::sabotage::liars::{fails_without, idle};
    assert_eq!(idle(LIARS, fails_without).unwrap(), Vec::new(), "their tests pass without");
}

fn options() -> DeviceOptions {
    let firmware = FirmwareBundle::builtin(ARCHITECTURE).unwrap();
    DeviceOptions::new(Arc::new(firmware), Box::new(NoKernels))
}

/// A modelled chip: the work is not done, so large work costs nothing.
fn opened(change: impl FnOnce(&mut DeviceOptions)) -> Result<Device, OpenError> {
    let mut options = options();
    change(&mut options);
    Device::modelled(ChipDescription::of(ARCHITECTURE), options)
}
