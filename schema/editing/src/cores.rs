//! Programs on fewer cores.

use std::collections::BTreeSet;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{Command, CoreRange, KernelId, ProgramId};

use crate::draft::Draft;

/// Takes a program away from all cores outside a rectangle, or changes nothing and gives `false`.
pub(crate) fn keep(program: ProgramId, cores: CoreRange, draft: &mut Draft<'_>) -> bool {
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
    let (has_outside, has_inside) =
        ranges.by_ref().fold((false, false), |(outside, inside), &of| {
            let common = intersection(of, cores);
            (outside || common != Some(of), inside || common.is_some())
        });
    if !has_outside || !has_inside {
        return false;
    }
    draft.commands.retain_mut(|command| match &mut command.recorded.command {
        Command::CreateKernel(call) if call.program == program => narrow(&mut call.cores, cores),
        Command::CreateCircularBuffer(call) if call.program == program => {
            narrow(&mut call.cores, cores)
        }
        Command::CreateSemaphore(call) if call.program == program => narrow(&mut call.cores, cores),
        Command::SetRuntimeArgs(call) if kernels.contains(&call.kernel) => {
            call.args.retain_mut(|set| narrow(&mut set.cores, cores));
            !call.args.is_empty()
        }
        _ => true,
    });
    true
}

/// Leaves what of the ranges lies in `cores`; whether anything does.
fn narrow(ranges: &mut Vec<CoreRange>, cores: CoreRange) -> bool {
    *ranges = ranges.iter().filter_map(|range| intersection(*range, cores)).collect();
    !ranges.is_empty()
}

fn intersection(one: CoreRange, other: CoreRange) -> Option<CoreRange> {
    one.overlaps(other).then(|| CoreRange {
        start: LogicalCore { x: one.start.x.max(other.start.x), y: one.start.y.max(other.start.y) },
        end: LogicalCore { x: one.end.x.min(other.end.x), y: one.end.y.min(other.end.y) },
    })
}
