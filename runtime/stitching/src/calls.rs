//! Who makes the calls that tensors become: a device, or somebody who writes them down for later.

use hallmark_chip::ChipDescription;
use hallmark_runtime::{CallData, CallError, Device, Read};
use hallmark_schema::model::{
    BufferId, Command, CommandIndex, ContentHash, ObjectKind, SharedBytes,
};

/// Makes calls of the host API, one after the other. [`Device`] makes them at once, [`crate::PlannedCalls`] writes them
/// down.
pub trait HostCalls {
    /// The id that the next creation of a kind takes.
    fn next_id(&self, kind: ObjectKind) -> u32;

    /// The chip that the calls are for.
    fn chip(&self) -> &ChipDescription;

    /// Makes a call and gives its place among all calls. `written` are the bytes of a write that no generator makes.
    ///
    /// # Errors
    /// As [`Device::make_call`].
    fn make(
        &mut self,
        command: Command,
        written: Option<SharedBytes>,
    ) -> Result<CommandIndex, CallError>;

    /// What the read has brought that this call asked for. Bytes are given out once.
    fn take_read(&mut self, read: CommandIndex) -> ReadContent;

    /// What a buffer holds once all calls so far are done, as far as that is known without a device.
    fn held(&self, buffer: BufferId) -> Held;

    /// Tells what a buffer holds once all calls so far are done: programs write, and only who makes them knows what.
    /// Nothing stands for what nobody knows before the run.
    fn holds(&mut self, buffer: BufferId, bytes: Option<SharedBytes>);
}

/// What a read has brought.
#[derive(Clone, Debug)]
pub enum ReadContent {
    /// Nothing yet: no call has waited for the read.
    Pending,
    /// These bytes.
    Bytes(SharedBytes),
    /// Bytes that only the run will tell.
    Unknown,
}

/// What a buffer holds.
#[derive(Clone, Debug)]
pub enum Held {
    /// What the device tells to whoever reads the buffer.
    AskTheDevice,
    /// These bytes.
    Bytes(SharedBytes),
    /// Bytes that only the run will tell.
    Unknown,
}

/// The bytes of one write.
struct Written(Option<SharedBytes>);

impl CallData for Written {
    fn bytes(&self, _: ContentHash) -> Option<SharedBytes> {
        self.0.clone()
    }
}

impl HostCalls for Device {
    fn next_id(&self, kind: ObjectKind) -> u32 {
        Self::next_id(self, kind)
    }

    fn chip(&self) -> &ChipDescription {
        self.description()
    }

    fn make(
        &mut self,
        command: Command,
        written: Option<SharedBytes>,
    ) -> Result<CommandIndex, CallError> {
        let place = self.next_command();
        self.make_call(command, &Written(written))?;
        Ok(place)
    }

    fn take_read(&mut self, read: CommandIndex) -> ReadContent {
        let completed = Self::take_read(self, Read::by(read));
        completed.map_or(ReadContent::Pending, |completed| ReadContent::Bytes(completed.bytes))
    }

    fn held(&self, _: BufferId) -> Held {
        Held::AskTheDevice
    }

    fn holds(&mut self, _: BufferId, _: Option<SharedBytes>) {}
}
