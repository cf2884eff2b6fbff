//! Calls that wait for queues: `Finish` and `Synchronize`.

use hallmark_schema::commands::{Command, Finish, Synchronize};
use hallmark_schema::model::{CommandIndex, CommandKind, Failure};

use super::call::Perform;
use super::device::Device;
use super::types::CommandQueue;
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// `Finish`: executes everything enqueued on a queue and waits for it.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::EventDuringTrace`]; [`Failure::DeviceFault`],
    /// [`Failure::Deadlock`] and [`Failure::Hang`], which name the enqueue; [`Failure::DeviceLost`] after any of these.
    pub fn finish(&mut self, queue: CommandQueue) -> Result<(), CallError> {
        self.call(Command::Finish(Finish { queue: queue.id() }), Input::Nothing)
    }

    /// `Synchronize`: executes everything enqueued on every queue and waits for it, as
    /// [`Device::finish`] does for one queue after the other.
    ///
    /// # Errors
    /// [`Failure::EventDuringTrace`] for a queue that records a trace, before any queue is waited for;
    /// then as [`Device::finish`].
    pub fn synchronize(&mut self) -> Result<(), CallError> {
        self.call(Synchronize {}.into(), Input::Nothing)
    }
}

impl Perform for Finish {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue } = self;
        let queues = &device.host.queues;
        let fail = |failure| HostError::new(CommandKind::Finish, failure);
        queues.check_queue(queue).map_err(fail)?;
        let during = Failure::EventDuringTrace { queue };
        queues.check_no_capture(queue, during).map_err(fail)?;
        device.wait_for_queue(queue, index, CommandKind::Finish)
    }
}

impl Perform for Synchronize {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let call = CommandKind::Synchronize;
        let queues = &device.host.queues;
        let all = queues.all();
        for queue in queues.all() {
            let during = Failure::EventDuringTrace { queue };
            let checked = queues.check_no_capture(queue, during);
            checked.map_err(|failure| HostError::new(call, failure))?;
        }
        for queue in all {
            device.wait_for_queue(queue, index, call)?;
        }
        Ok(())
    }
}
