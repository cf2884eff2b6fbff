//! What no capture can hold, and so no call may ask for.

use hallmark_engine::launch::TILE_WEIGHT;
use hallmark_schema::commands::{self, Role};
use hallmark_schema::limits;
use hallmark_schema::model::{Command, TraceBuffer};

use super::Host;
use crate::error::{ArgumentError, ArgumentProblem};

/// What queued launches may hold together, bytes: far more than any program that finishes now and
/// then, and little enough that no capture fills the host's memory.
pub(super) const QUEUED_LAUNCHES: u64 = 512 << 20;
/// Bytes of collected traces after which no more are collected.
pub(super) const COLLECTED: u64 = 256 << 20;

impl Host {
    /// Refuses what no capture can hold, whether one is under way or not, so that capturing changes
    /// nothing. `queued` is what launches hold that have not run, bytes.
    pub(super) fn check_recordable(
        &self,
        command: &Command,
        queued: u64,
    ) -> Result<(), ArgumentError> {
        self.recordable(command, queued)
            .map_err(|problem| ArgumentError { call: command.kind(), problem })
    }

    fn recordable(&self, command: &Command, queued: u64) -> Result<(), ArgumentProblem> {
        if let Err((field, problem)) = command.check_shape() {
            ArgumentProblem::Shape { field, problem }.refuse()?;
        }
        let mut wrong = None;
        command.for_each_reference(|role, object, id| {
            let next = self.objects.next(object);
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
                buffer,
                output,
                region,
                ..
            }) => {
                if self.outputs.contains(output) {
                    ArgumentProblem::OutputNameTaken { output: output.clone() }.refuse()?;
                }
                let whole = self.objects.buffers.get(buffer.0).map(|state| state.extent.size());
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
                self.check_room_for(self.launch_weight(program.0), queued)
            }
            Command::CollectTrace(commands::CollectTrace { collected, .. }) => {
                if self.collected_names.contains(collected) {
                    let collected = collected.clone();
                    ArgumentProblem::CollectedNameTaken { collected }.refuse()?;
                }
                let held = self.collected.values().map(|it| it.bytes.len() as u64);
                if held.fold(0, u64::saturating_add) > COLLECTED {
                    ArgumentProblem::TooManyCollected.refuse()?;
                }
                Ok(())
            }
            Command::LoadTrace(commands::LoadTrace { from, buffers, .. }) => {
                let Some(source) = self.collected.get(from) else {
                    return ArgumentProblem::NotCollected { from: from.clone() }.refuse();
                };
                for TraceBuffer { recorded, .. } in buffers {
                    if !source.buffers.values().any(|buffer| buffer == recorded) {
                        let (from, buffer) = (from.clone(), *recorded);
                        ArgumentProblem::BufferNotInTrace { from, buffer }.refuse()?;
                    }
                }
                self.check_room_for(source.weight, queued)
            }
            _ => Ok(()),
        }
    }

    /// Whether the host's memory holds launches of this weight beside the others.
    pub(super) fn check_room_for(&self, weight: u64, queued: u64) -> Result<(), ArgumentProblem> {
        let held = queued.saturating_add(self.traced_weight());
        if held.saturating_add(weight) > QUEUED_LAUNCHES {
            ArgumentProblem::TooManyLaunches.refuse()?;
        }
        Ok(())
    }

    /// What a launch of a program would hold in the queue, bytes.
    fn launch_weight(&self, program: u32) -> u64 {
        let Ok(program) = self.objects.programs.get(program) else { return 0 };
        if let Some(assembled) = &program.assembled {
            return assembled.launch.weight();
        }
        let kernels = program.kernels.iter();
        let kernels = kernels.filter_map(|kernel| self.objects.kernels.get(kernel.0).ok());
        kernels.fold(0, |sum, kernel| {
            let arguments: usize = kernel.arguments.values().map(|set| set.values.len() * 4).sum();
            let common = kernel.common_arguments.values.len() as u64 * 4;
            sum + (TILE_WEIGHT + common) * kernel.cores.len() as u64 + arguments as u64
        })
    }
}
