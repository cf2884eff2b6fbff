//! Which queue may launch on which core.

use std::collections::BTreeMap;

use hallmark_chip::LogicalCore;
use hallmark_engine::queue::{QUEUES, QueuePosition};
use hallmark_schema::model::{CommandIndex, Failure, QueueId};

use super::Host;
use crate::defects::{Defect, planted};

/// The last launch on each core, queue by queue.
#[derive(Debug, Default)]
pub(crate) struct CoreOwners {
    launches: BTreeMap<LogicalCore, [Option<(QueuePosition, CommandIndex)>; QUEUES]>,
}

impl Host {
    /// Refuses a launch on cores that another queue may still use (tt-metal: `CQOwnerState`).
    pub(super) fn check_cores(
        &self,
        queue: QueueId,
        cores: impl Iterator<Item = LogicalCore>,
    ) -> Result<(), Failure> {
        if self.num_command_queues == 1 || planted(Defect::CoresHaveNoOwner) {
            return Ok(());
        }
        let before = self.order.before_next(queue);
        for core in cores {
            let Some(launches) = self.owners.launches.get(&core) else { continue };
            let unordered =
                launches.iter().flatten().find(|(position, _)| !before.covers(*position));
            if let Some((position, enqueue)) = unordered {
                let (queue, enqueue) = (position.queue, *enqueue);
                return Err(Failure::CoreInUseByQueue { core, queue, enqueue });
            }
        }
        Ok(())
    }

    /// Notes what a queue is about to launch as its next command.
    pub(super) fn occupy_cores(
        &mut self,
        queue: QueueId,
        enqueue: CommandIndex,
        cores: impl Iterator<Item = LogicalCore>,
    ) {
        if self.num_command_queues == 1 {
            return;
        }
        let position = self.order.next_position(queue);
        for core in cores {
            let launches = self.owners.launches.entry(core).or_default();
            if let Some(last) = launches.get_mut(usize::from(queue.0)) {
                *last = Some((position, enqueue));
            }
        }
    }
}
