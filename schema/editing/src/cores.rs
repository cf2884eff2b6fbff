//! Edits that reduce a program's cores.

use std::collections::BTreeSet;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{Command, CoreRange, KernelId, ProgramId};

use crate::draft::Draft;

/// Removes a program from all cores outside a rectangle, or changes nothing and returns `false`.
pub(crate) fn keep(program: ProgramId, cores: CoreRange, draft: &mut Draft<'_>) -> bool {
    narrow(program, draft, |range| intersection(range, cores).into_iter().collect())
}

/// Removes a program from the cores of a rectangle, or changes nothing and returns `false`.
pub(crate) fn remove(program: ProgramId, cores: CoreRange, draft: &mut Draft<'_>) -> bool {
    narrow(program, draft, |range| difference(range, cores))
}

/// Reduces each rectangle of a program's cores. Changes nothing and returns `false` if all or none of its
/// kernels' cores would stay.
fn narrow(
    program: ProgramId,
    draft: &mut Draft<'_>,
    stays: impl Fn(CoreRange) -> Vec<CoreRange>,
) -> bool {
    let kernels: BTreeSet<KernelId> = draft
        .commands
        .iter()
        .filter_map(|command| match &command.recorded.command {
            Command::CreateKernel(call) if call.program == program => Some(call.kernel),
            _ => None,
        })
        .collect();
    let mut ranges = draft.commands.iter().flat_map(|command| match &command.recorded.command {
        Command::CreateKernel(call) if call.program == program => call.cores.as_slice(),
        _ => &[],
    });
    let (has_lost, has_kept) = ranges.by_ref().fold((false, false), |(lost, kept), &range| {
        let stay = stays(range);
        (lost || stay != [range], kept || !stay.is_empty())
    });
    if !has_lost || !has_kept {
        return false;
    }
    let narrow = |ranges: &mut Vec<CoreRange>| {
        *ranges = ranges.iter().flat_map(|range| stays(*range)).collect();
        !ranges.is_empty()
    };
    draft.commands.retain_mut(|command| match &mut command.recorded.command {
        Command::CreateKernel(call) if call.program == program => narrow(&mut call.cores),
        Command::CreateCircularBuffer(call) if call.program == program => narrow(&mut call.cores),
        Command::CreateSemaphore(call) if call.program == program => narrow(&mut call.cores),
        Command::SetRuntimeArgs(call) if kernels.contains(&call.kernel) => {
            call.args.retain_mut(|set| narrow(&mut set.cores));
            !call.args.is_empty()
        }
        _ => true,
    });
    true
}

fn intersection(one: CoreRange, other: CoreRange) -> Option<CoreRange> {
    one.overlaps(other).then(|| CoreRange {
        start: LogicalCore { x: one.start.x.max(other.start.x), y: one.start.y.max(other.start.y) },
        end: LogicalCore { x: one.end.x.min(other.end.x), y: one.end.y.min(other.end.y) },
    })
}

/// The part of a rectangle outside another one, as rectangles: the rows above it, those beside it, those below.
fn difference(of: CoreRange, without: CoreRange) -> Vec<CoreRange> {
    let Some(gone) = intersection(of, without) else { return vec![of] };
    let rectangle = |x: (Option<u32>, Option<u32>), y: (Option<u32>, Option<u32>)| {
        let start = LogicalCore { x: x.0?, y: y.0? };
        let end = LogicalCore { x: x.1?, y: y.1? };
        (start.x <= end.x && start.y <= end.y).then_some(CoreRange { start, end })
    };
    let (left, right) = (Some(of.start.x), Some(of.end.x));
    let beside = (Some(gone.start.y), Some(gone.end.y));
    [
        rectangle((left, right), (Some(of.start.y), gone.start.y.checked_sub(1))),
        rectangle((left, gone.start.x.checked_sub(1)), beside),
        rectangle((gone.end.x.checked_add(1), right), beside),
        rectangle((left, right), (gone.end.y.checked_add(1), Some(of.end.y))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
