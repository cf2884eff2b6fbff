//! Calls that no capture can hold, and that are therefore refused.

use hallmark_engine::launch::TILE_WEIGHT;
use hallmark_schema::commands::{self, Role};
use hallmark_schema::limits;
use hallmark_schema::model::{Command, ProgramId, TraceBuffer};

use super::device::Host;
use super::programs::Programs;
use super::trace_table::Traces;
use crate::error::{ArgumentError, ArgumentProblem};

/// The most bytes that queued launches may hold together: far more than any program that finishes now and
/// then, and little enough that no capture fills the host's memory.
pub(super) const QUEUED_LAUNCHES: u64 = 512 << 20;
/// Bytes of collected traces after which no more are collected.
pub(super) const COLLECTED: u64 = 256 << 20;

/// Refuses calls that no capture can hold, whether one is under way or not, so that capturing changes
/// nothing. `queued` is the size of the launches that have not run, bytes.
pub(super) fn check_recordable(
    host: &Host,
    command: &Command,
    queued: u64,
) -> Result<(), ArgumentError> {
    recordable(host, command, queued)
        .map_err(|problem| ArgumentError { call: command.kind(), problem })
}

fn recordable(host: &Host, command: &Command, queued: u64) -> Result<(), ArgumentProblem> {
    if let Err((field, problem)) = command.check_shape() {
        ArgumentProblem::Shape { field, problem }.refuse()?;
    }
    let mut wrong = None;
    command.for_each_reference(|role, object, id| {
        let next = host.next_id(object);
        let fits = match role {
            Role::Creates => id == next,
            Role::Uses | Role::Releases | Role::Names => id < next,
        };
        if !fits {
            wrong = wrong.or(Some((role, object, id, next)));
        }
    });
    match wrong {
        Some((Role::Creates, _, id, next)) => {
            ArgumentProblem::NotTheNextId { id, next }.refuse()?;
        }
        Some((_, object, id, _)) => {
            ArgumentProblem::NeverCreated { object, id }.refuse()?;
        }
        None => {}
    }
    match command {
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            buffer, output, region, ..
        }) => {
            if host.reads.is_name_taken(output) {
                ArgumentProblem::OutputNameTaken { output: output.clone() }.refuse()?;
            }
            let whole = host.buffers.get_alone(*buffer).map(|state| state.extent.size());
            // A region that lies elsewhere is refused by the call itself.
            let read = whole.map(|whole| match region {
                Some(region) if region.lies_within(whole) => region.size,
                Some(_) => 0,
                None => whole,
            });
            match read {
                Ok(size) if size > limits::DATA_BYTES => {
                    ArgumentProblem::ReadTooLarge { size, limit: limits::DATA_BYTES }.refuse()
                }
                _ => Ok(()),
            }
        }
        Command::EnqueueProgram(commands::EnqueueProgram { program, .. }) => {
            check_room_for(&host.traces, launch_weight(&host.programs, *program), queued)
        }
        Command::CollectTrace(commands::CollectTrace { collected, .. }) => {
            if host.traces.is_name_taken(collected) {
                let collected = collected.clone();
                ArgumentProblem::CollectedNameTaken { collected }.refuse()?;
            }
            if host.traces.collected_bytes() > COLLECTED {
                ArgumentProblem::TooManyCollected.refuse()?;
            }
            Ok(())
        }
        Command::LoadTrace(commands::LoadTrace { from, buffers, .. }) => {
            let Some(source) = host.traces.collected(from) else {
                return ArgumentProblem::NotCollected { from: from.clone() }.refuse();
            };
            for TraceBuffer { recorded, .. } in buffers {
                if !source.buffers.values().any(|buffer| buffer == recorded) {
                    let (from, buffer) = (from.clone(), *recorded);
                    ArgumentProblem::BufferNotInTrace { from, buffer }.refuse()?;
                }
            }
            check_room_for(&host.traces, source.weight, queued)
        }
        _ => Ok(()),
    }
}

/// Whether the host's memory holds launches of this weight beside the others.
pub(super) fn check_room_for(
    traces: &Traces,
    weight: u64,
    queued: u64,
) -> Result<(), ArgumentProblem> {
    let held = queued.saturating_add(traces.weight());
    if held.saturating_add(weight) > QUEUED_LAUNCHES {
        ArgumentProblem::TooManyLaunches.refuse()?;
    }
    Ok(())
}

/// Bytes that a launch of a program would hold in the queue.
fn launch_weight(programs: &Programs, program: ProgramId) -> u64 {
    let Ok(program) = programs.program(program) else { return 0 };
    if let Some(assembled) = &program.assembled {
        return assembled.launch.weight();
    }
    let kernels = program.kernels.iter();
    let kernels = kernels.filter_map(|kernel| programs.kernel(*kernel).ok());
    kernels.fold(0, |sum, kernel| {
        let arguments: usize = kernel.arguments.values().map(|set| set.values.len() * 4).sum();
        let common = kernel.common_arguments.values.len() as u64 * 4;
        sum + (TILE_WEIGHT + common) * kernel.cores.len() as u64 + arguments as u64
    })
}
