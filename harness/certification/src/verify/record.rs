//! Compares a capture's record with its result: device, mask, dispatch, firmware, writer, faults, addresses.

use std::sync::Arc;

use hallmark_chip::{Capabilities, ChipDescription, FaultCategory, Waiting};
use hallmark_pipeline::judge::Side;
use hallmark_runtime::device_code::{FirmwareBundle, LAUNCH_ABI};
use hallmark_runtime::{Portability, Reason, ReplayOptions, ReplayTarget, Stop, StopCause, assess};
use hallmark_schema::model::{
    Capture, CommandIndex, DeviceRequirements, DispatchMode, Failure, Grid, Outcome, QueuesEnd,
    Record,
};
use hallmark_suite::bound::{AtEnd, BoundTest};
use hallmark_suite::language::DeviceKind;

use crate::environment::DeviceEnvironment;
use crate::lock::Model;
use crate::results::RunKey;

/// The capabilities of a device with all checks: the events in a capture are not in question here.
const NOTICES_ALL: Capabilities = Capabilities {
    detects_deadlock: true,
    detects_uninitialised: true,
    detects_races: true,
    detects_misuse: true,
    reorders_noc: true,
    data_cache: true,
    reports_fault_place: true,
    tensix: true,
    fault_ends_process: false,
};

/// Why the device of a capture stopped, as far as the record shows.
pub(super) fn stop(record: &Record) -> Option<Stop> {
    let met = record.faults.first()?;
    let cause = StopCause::Fault(met.fault().clone());
    Some(Stop {
        command: met.command(),
        enqueue: None,
        replaying: None,
        cause,
        leftovers: Vec::new(),
    })
}

/// Why the device of a capture stopped: a fault, or a deadlock with the waits of the record.
pub(super) fn stop_with_waits(capture: &Capture) -> Option<Stop> {
    let record = capture.record.as_ref()?;
    if let stop @ Some(_) = stop(record) {
        return stop;
    }
    let calls = (0..).map(CommandIndex).zip(&capture.program.commands);
    let mut failures = calls.filter_map(|(at, made)| match &made.outcome {
        Outcome::Failed(failure) => Some((at, failure)),
        Outcome::Done | Outcome::Unfinished => None,
    });
    let at_end = || {
        let failure = capture.at_end()?.failure()?;
        Some((failure.blamed()?, failure))
    };
    let (command, enqueue) = match failures.find(|(_, it)| it.ends_the_run()).or_else(at_end)? {
        (at, Failure::Deadlock { enqueue }) => (at, *enqueue),
        _ => return None,
    };
    let cause = StopCause::Deadlock { waiting: record.waits.iter().map(Waiting::from).collect() };
    Some(Stop { command, enqueue: Some(enqueue), replaying: None, cause, leftovers: Vec::new() })
}

/// The required circumstances of a capture: from its result, the lock, the environment and the verifier's
/// models.
pub(super) struct Place<'a> {
    pub(super) run: &'a RunKey,
    pub(super) chip: &'a ChipDescription,
    pub(super) firmware: &'a FirmwareBundle,
    pub(super) model: &'a Model,
    pub(super) dispatch: DispatchMode,
    pub(super) asked: DeviceRequirements,
    pub(super) device: &'a DeviceEnvironment,
}

/// The difference of a record from its required circumstances.
pub(super) fn difference(capture: &Capture, record: &Record, place: &Place<'_>) -> Option<String> {
    let Place { run, chip, firmware, model, dispatch, asked, device } = place;
    let (columns, rows) = chip.compute_grid();
    let found = family(&record.chip.device);
    // Harvested chips are always the simulator's own, even if another device replaces the simulator.
    let stated = if run.harvesting == 0 { family(&device.device) } else { SIMULATOR };
    if found != stated || kind_of(found) != Some(run.device) {
        return Some(format!("the device is {:?}", record.chip.device));
    }
    if record.writer != format!("hallmark {}", model.hallmark) {
        return Some(format!("the writer is {:?}", record.writer));
    }
    let differs = [
        (record.chip.harvesting_mask != run.harvesting, "what is fused off"),
        (record.chip.grid != Grid { columns, rows }, "the chip's grid"),
        (record.chip.pci_id != chip.pci_id, "the chip's PCI id"),
        (record.dispatch_mode != *dispatch, "who launched programs"),
        (record.asked != *asked, "what was asked of the device"),
        (record.firmware.hash != firmware.hash(), "the firmware"),
        (record.firmware.name != firmware.manifest().name, "the firmware's name"),
        (record.firmware.launch_abi != LAUNCH_ABI, "the launch ABI"),
        (record.schema_hash != model.schema, "the schema"),
        (record.origin.is_some(), "the origin"),
        // A replay excuses what a check finds that the capture is said to lack.
        (record.checks != FaultCategory::ALL, "the checks of its release"),
    ];
    if let Some((_, what)) = differs.into_iter().find(|(differs, _)| *differs) {
        return Some(what.to_owned());
    }
    fault_difference(capture, record)
}

/// The difference of a TT-Metalium record from its required circumstances. The vendor's runtime places objects
/// and builds kernels itself, and the test does not choose its dispatch mode.
pub(super) fn difference_on_metalium(record: &Record, place: &Place<'_>) -> Option<String> {
    let Place { run, device, .. } = place;
    let release = device.metalium.as_deref().unwrap_or_default();
    if record.chip.device != format!("TT-Metalium {release} on {}", device.device) {
        return Some(format!("the device is {:?}", record.chip.device));
    }
    let differs = [
        (record.chip.harvesting_mask != run.harvesting, "what is fused off"),
        (record.dispatch_mode != run.dispatch, "who launched programs"),
    ];
    differs.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what.to_owned())
}

/// The device name of Hallmark's simulator.
const SIMULATOR: &str = "sim";
/// The device name of a simulated chip behind the card driver.
const SIMULATED_CARD: &str = "pci:sim";
/// The device name of a misbehaving simulator.
const MISBEHAVING: &str = "misbehaving";

/// The family in a device's name in records and environments, without the rest of the name.
fn family(device: &str) -> &str {
    if device.starts_with(SIMULATED_CARD) {
        return SIMULATED_CARD;
    }
    device.split([':', ',']).next().unwrap_or_default()
}

/// Whether a device's name is that of its family alone, as environments have it.
pub(super) fn is_family(device: &str) -> bool {
    family(device) == device
}

/// The kind of a device, by its name in a record or an environment.
pub(super) fn kind_of(device: &str) -> Option<DeviceKind> {
    match family(device) {
        SIMULATOR | MISBEHAVING => Some(DeviceKind::Sim),
        "ttsim" => Some(DeviceKind::Ttsim),
        "pci" | SIMULATED_CARD => Some(DeviceKind::Pci),
        _ => None,
    }
}

/// Whether a device replaces another one in tests.
pub(super) fn is_stand_in(device: &str) -> bool {
    [SIMULATED_CARD, MISBEHAVING].contains(&family(device))
}

/// A fault of a record that does not match its command's outcome.
fn fault_difference(capture: &Capture, record: &Record) -> Option<String> {
    record.faults.iter().find_map(|met| {
        let at = usize::try_from(met.command().0).ok();
        let outcome = at.and_then(|at| capture.program.commands.get(at)).map(|it| &it.outcome);
        let of_call = match outcome {
            Some(Outcome::Failed(failure)) => Some(failure),
            Some(Outcome::Done | Outcome::Unfinished) | None => None,
        };
        let found = match of_call.or(capture.at_end().and_then(QueuesEnd::failure)) {
            Some(Failure::DeviceFault { category, .. }) => Some(*category),
            _ => None,
        };
        (found != Some(met.fault().category))
            .then(|| format!("a fault of command {}, which ended otherwise", met.command()))
    })
}

/// The text of the difference if a record lacks the end of the queues. Queues are not drained once a call has stopped the
/// device, or has another outcome than the suite expects. With `may_end_early`, they need not have been drained to the end.
pub(super) fn end_difference(
    capture: &Capture,
    bound: &BoundTest,
    may_end_early: bool,
) -> Option<String> {
    let stops = capture.program.commands.iter().any(|made| made.outcome.breaks_off());
    let made = capture.program.commands.iter().zip(&bound.case.steps);
    let differs = made.into_iter().any(|(made, step)| match (&made.outcome, &step.failure) {
        (Outcome::Done, None) => false,
        (Outcome::Failed(actual), Some(expected)) => actual != expected,
        (Outcome::Done | Outcome::Failed(_) | Outcome::Unfinished, _) => true,
    });
    let is_enough = |end: &&QueuesEnd| may_end_early || end.outcome != Outcome::Unfinished;
    let end = capture.at_end().filter(is_enough);
    let is_open = bound.case.at_end == AtEnd::Open;
    (end.is_none() && !stops && !differs && !is_open)
        .then(|| "nothing is said of the work for which no call waits".to_owned())
}

/// Whether a record lists exactly the faults that its test expects as expected ones. A replay lists none.
pub(super) fn expected_fault_difference(
    capture: &Capture,
    record: &Record,
    bound: &BoundTest,
    side: Side,
) -> Option<String> {
    let expects_end = record.at_end.as_ref().is_some_and(|end| end.expected);
    if record.expected_faults.is_empty() && !expects_end && side == Side::Replay {
        return None;
    }
    let mut expected = capture.clone();
    bound.case.note_expected_faults(&mut expected, stop(record).as_ref());
    let noted = expected.record.is_some_and(|noted| {
        noted.expected_faults == record.expected_faults && noted.at_end == record.at_end
    });
    (!noted).then(|| "other faults than the test's are said to be expected".to_owned())
}

/// The difference between the addresses of a capture and those that the host assigns when it makes the calls on
/// a modelled chip.
pub(super) fn address_difference(
    capture: &Capture,
    run: &RunKey,
    chip: &'static ChipDescription,
    firmware: &Arc<FirmwareBundle>,
    bound: &BoundTest,
) -> Option<String> {
    let target = ReplayTarget {
        device: "a chip of paper".to_owned(),
        description: chip,
        capabilities: NOTICES_ALL,
    };
    let mut options = ReplayOptions::new(Arc::clone(firmware));
    options.dispatch = run.dispatch;
    options.dispatch_settings = bound.asked.dispatch;
    options.schedule_seed = run.schedule_seed;
    match assess(capture, &target, &options) {
        Ok(Portability::Exact) => None,
        Ok(Portability::Adapted { moved }) => moved.first().map(ToString::to_string),
        Ok(Portability::Refused { reasons }) => reasons.first().map(Reason::to_string),
        Err(error) => Some(error.to_string()),
    }
}
