//! The settings of a case: its variables, its device and its limits.

use std::ops::RangeInclusive;

use hallmark_chip::Architecture;
use hallmark_runtime::{DispatchSettings, usable_dispatch_settings};
use hallmark_schema::limits::{COMMAND_QUEUES, TRACE_REGION_BYTES};

use super::evaluator::Evaluator;
use crate::bound::BoundExpectedFailure;
use crate::language::{Case, DispatchEntry};
use crate::mistake::Mistakes;
use crate::read::{At, Number};

/// Seconds that each of the two runs of a test may take unless its case says otherwise.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 60;
/// A longer timeout is refused: a test that needs it belongs into a nightly suite of smaller ones.
pub const TIMEOUT_LIMIT_SECONDS: u64 = 3600;

/// Ticks that a case may give a program: fewer stop good programs, more outlast every timeout.
const BUDGETS: RangeInclusive<u64> = 1_000..=1_000_000_000_000;

/// The settings with which a test opens its device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    pub(super) num_command_queues: u8,
    pub(super) trace_region_size: u64,
    pub(super) l1_small_size: u64,
    pub(super) worker_l1_size: u64,
    pub(super) dispatch: DispatchSettings,
}

impl Default for Opened {
    fn default() -> Self {
        let dispatch = DispatchSettings::default();
        Self {
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            dispatch,
        }
    }
}

/// Defines the variables of a case for its expressions.
pub(super) fn define_variables(
    evaluator: &mut Evaluator<'_>,
    case: &Case,
    architecture: Architecture,
) {
    for (name, variable) in case.variables.iter().flat_map(|variables| &variables.0) {
        if evaluator.is_taken(&name.value) {
            evaluator.mistakes().add::<()>(
                format!("`{}` is already a parameter or a built-in number", name.value),
                name.span,
                "choose another name",
            );
            continue;
        }
        let Some(number) = variable.on(architecture) else {
            evaluator.mistakes().add::<()>(
                format!("`{}` has no value for {architecture}", name.value),
                name.span,
                "add one, or exclude the architecture with `when`",
            );
            evaluator.mistakes().note_wrong_name(&name.value, name.span);
            continue;
        };
        match evaluator.number(number) {
            Some(value) => evaluator.define(&name.value, value),
            None => {
                evaluator.mistakes().note_wrong_name(&name.value, name.span);
            }
        }
    }
}

/// The settings with which the device of a case is opened.
pub(super) fn device(evaluator: &mut Evaluator<'_>, case: &Case) -> Option<Opened> {
    let Some(device) = &case.device else { return Some(Opened::default()) };
    let queues = device.num_command_queues.as_ref();
    let queues = match queues.map(|queues| (queues, evaluator.number(queues))) {
        None => Some(1),
        Some((_, None)) => None,
        Some((queues, Some(value))) => match u8::try_from(value) {
            Ok(value) if (1..=COMMAND_QUEUES).contains(&value) => Some(value),
            _ => {
                let what = format!("a device cannot have {value} command queues");
                evaluator.mistakes().add(what, queues.0.span(), "give 1 or 2")
            }
        },
    };
    let most = evaluator.chip().dram_bank_size.min(TRACE_REGION_BYTES) / 2;
    let region = match &device.trace_region_size {
        None => Some(0),
        Some(size) => match evaluator.u64(size, "the trace region") {
            Some(value) if value > most => evaluator.mistakes().add(
                format!("a trace region of {value} B is too large"),
                size.0.span(),
                format!("at most half a bank, {most} B"),
            ),
            other => other,
        },
    };
    let l1_small_size = part_of_l1(evaluator, device.l1_small_size.as_ref(), "the L1_SMALL region");
    let worker_l1_size = part_of_l1(evaluator, device.worker_l1_size.as_ref(), "the worker L1");
    let dispatch = match &device.dispatch {
        None => Some(DispatchSettings::default()),
        Some(entry) => dispatch(evaluator, entry),
    };
    Some(Opened {
        num_command_queues: queues?,
        trace_region_size: region?,
        l1_small_size: l1_small_size?,
        worker_l1_size: worker_l1_size?,
        dispatch: dispatch?,
    })
}

/// Bytes of each core's L1; 0 where the case says nothing.
fn part_of_l1(evaluator: &mut Evaluator<'_>, size: Option<&Number>, what: &str) -> Option<u64> {
    let Some(size) = size else { return Some(0) };
    let most = evaluator.chip().l1_size;
    match evaluator.u64(size, what) {
        Some(value) if value > most => evaluator.mistakes().add(
            format!("{what} of {value} B is too large"),
            size.0.span(),
            format!("a core has {most} B of L1"),
        ),
        other => other,
    }
}

/// Sizes and counts that a dispatcher can use as they are.
fn dispatch(evaluator: &mut Evaluator<'_>, entry: &DispatchEntry) -> Option<DispatchSettings> {
    let default = DispatchSettings::default();
    let mut asked = default;
    let numbers = [
        (&entry.ring_size, &mut asked.ring_size),
        (&entry.completion_size, &mut asked.completion_size),
        (&entry.first_position, &mut asked.first_position),
        (&entry.first_count, &mut asked.first_count),
    ];
    let mut first = None;
    for (number, place) in numbers {
        let Some(number) = number else { continue };
        first.get_or_insert(number.0.span());
        *place = evaluator.u32(number, "the number")?;
    }
    asked.overlap = evaluator.setting_or(entry.overlap.as_ref(), default.overlap)?;
    let usable = usable_dispatch_settings(asked);
    if usable == asked {
        return Some(asked);
    }
    let span = first?;
    evaluator.mistakes().add(
        "no dispatcher can use these numbers",
        span,
        format!("the nearest are a ring of {} B and a completion space of {} B, counted from {:#x} and {:#x}",
            usable.ring_size, usable.completion_size, usable.first_position, usable.first_count),
    )
}

/// The failures of a case that a suite excuses.
pub(super) fn expected_failures(case: &Case) -> Vec<BoundExpectedFailure> {
    case.expected_failure
        .iter()
        .flatten()
        .map(|failure| BoundExpectedFailure {
            device: failure.device.0,
            failure: failure.category.0,
            reason: failure.reason.clone(),
        })
        .collect()
}

/// Seconds that each run of a case may take.
pub(super) fn timeout(mistakes: &mut Mistakes, case: &Case) -> u64 {
    let given = case.timeout.as_ref();
    within(mistakes, given, "timeout", 1..=TIMEOUT_LIMIT_SECONDS, "seconds")
        .unwrap_or(DEFAULT_TIMEOUT_SECONDS)
}

/// Ticks that a case gives each program; none where it says nothing.
pub(super) fn budget(mistakes: &mut Mistakes, case: &Case) -> Option<u64> {
    within(mistakes, case.budget.as_ref(), "budget", BUDGETS, "ticks")
}

/// A plain number of a case, within limits.
fn within(
    mistakes: &mut Mistakes,
    given: Option<&At<u64>>,
    what: &str,
    limits: RangeInclusive<u64>,
    unit: &str,
) -> Option<u64> {
    let At { value, span } = given?;
    if limits.contains(value) {
        return Some(*value);
    }
    mistakes.add(
        format!("this {what} is out of range"),
        *span,
        format!("{} to {} {unit}", limits.start(), limits.end()),
    )
}
