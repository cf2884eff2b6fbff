//! The launches by which queues occupy cores.

use std::collections::BTreeMap;

use hallmark_chip::LogicalCore;
use hallmark_engine::queue::{Progress, QUEUES, QueuePosition};
use hallmark_schema::model::{CommandIndex, Failure};

/// The last launch on each core, queue by queue.
#[derive(Debug, Default)]
pub(super) struct CoreOwners {
    launches: BTreeMap<LogicalCore, [Option<(QueuePosition, CommandIndex)>; QUEUES]>,
}

impl CoreOwners {
    /// Refuses a launch on cores whose last launches are not all done `before` it.
    pub(super) fn check(
        &self,
        before: Progress,
        cores: impl Iterator<Item = LogicalCore>,
    ) -> Result<(), Failure> {
        for core in cores {
            let Some(launches) = self.launches.get(&core) else { continue };
            let unordered =
                launches.iter().flatten().find(|(position, _)| !before.covers(*position));
            if let Some((position, enqueue)) = unordered {
                let (queue, enqueue) = (position.queue, *enqueue);
                return Err(Failure::CoreInUseByQueue { core, queue, enqueue });
            }
        }
        Ok(())
    }

    /// Notes a launch on some cores.
    pub(super) fn occupy(
        &mut self,
        position: QueuePosition,
        enqueue: CommandIndex,
        cores: impl Iterator<Item = LogicalCore>,
    ) {
        for core in cores {
            let launches = self.launches.entry(core).or_default();
            if let Some(last) = launches.get_mut(usize::from(position.queue.0)) {
                *last = Some((position, enqueue));
            }
        }
    }
}
