//! The receiver of a tensor's host API calls: a device, or a list for later.

use hallmark_chip::ChipDescription;
use hallmark_runtime::{CallData, CallError, Device, Read};
use hallmark_schema::model::{
    BufferId, Command, CommandIndex, ContentHash, ObjectKind, SharedBytes,
};

/// Makes calls of the host API in order. [`Device`] makes them at once; [`crate::PlannedCalls`] records them
/// for later.
pub trait HostCalls {
    /// The id of the next created object of a kind.
    fn next_id(&self, kind: ObjectKind) -> u32;

    /// The chip of the calls.
    fn chip(&self) -> &ChipDescription;

    /// Makes a call and returns its index among all calls. `written` are the bytes of a write without a
    /// generator.
    ///
    /// # Errors
    /// As [`Device::make_call`].
    fn make(
        &mut self,
        command: Command,
        written: Option<SharedBytes>,
    ) -> Result<CommandIndex, CallError>;

    /// Takes the result of the read that this call requested. Its bytes are returned once.
    fn take_read(&mut self, read: CommandIndex) -> ReadContent;

    /// The content of a buffer after all calls so far, as far as it is known without a device.
    fn held(&self, buffer: BufferId) -> Held;

    /// Sets the content of a buffer after all calls so far, because only the caller knows the writes of its
    /// programs. `None` means unknown before the run.
    fn holds(&mut self, buffer: BufferId, bytes: Option<SharedBytes>);
}

/// The result of a read.
#[derive(Clone, Debug)]
pub enum ReadContent {
    /// Pending: no call has waited for the read.
    Pending,
    /// These bytes.
    Bytes(SharedBytes),
    /// Bytes that are unknown before the run.
    Unknown,
}

/// The content of a buffer.
#[derive(Clone, Debug)]
pub enum Held {
    /// The content that the device returns when the buffer is read.
    AskTheDevice,
    /// These bytes.
    Bytes(SharedBytes),
    /// Bytes that are unknown before the run.
    Unknown,
}

/// The bytes of a write, if no generator makes them.
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
