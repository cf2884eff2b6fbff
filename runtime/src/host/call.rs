//! The one way into the host API: a call is checked, recorded, performed, and its outcome recorded.

use hallmark_schema::commands::Command;
use hallmark_schema::model::{
    Blobs, CommandIndex, ContentHash, Data, Expectation, Outcome, SharedBytes,
};
use hallmark_schema::{DataError, limits, with_call};

use super::device::Device;
use super::recordable::check_recordable;
use super::refusals::accept_if_switched_off;
use crate::error::CallError;
use crate::payload::{Input, Payload};

/// A call that a device can carry out.
pub(super) trait Perform {
    /// Does what the call says. `index` is its place among the calls.
    ///
    /// # Errors
    /// What the call says that it gives; see the function of the same name of [`Device`].
    fn perform(
        self,
        device: &mut Device,
        index: CommandIndex,
        input: Input,
    ) -> Result<(), CallError>;
}

/// Where the data of calls come from: commands name them by their hash.
pub trait CallData {
    /// The bytes with this hash, if they are there.
    fn bytes(&self, hash: ContentHash) -> Option<SharedBytes>;
}

impl CallData for Blobs {
    fn bytes(&self, hash: ContentHash) -> Option<SharedBytes> {
        self.get(&hash).cloned()
    }
}

impl Device {
    /// Makes a call as a capture or a bound test holds it. The object that it creates must have the id
    /// that comes next.
    ///
    /// # Errors
    /// What the function that is named like the call gives; [`CallError::Argument`] for what no capture
    /// can hold; [`CallError::Data`] for a write whose data are not there, or not what it says.
    pub fn make_call(&mut self, command: Command, data: &impl CallData) -> Result<(), CallError> {
        let input = match &command {
            Command::EnqueueWriteBuffer(call) => Input::Data(payload(&call.data, data)?),
            _ => Input::Nothing,
        };
        if let Command::EnqueueReadBuffer(call) = &command
            && let Expectation::Reference { data: reference, .. } = &call.expectation
            && reference.generator.is_none()
            && let Some(bytes) = data.bytes(reference.hash)
        {
            self.host.calls.recorder().embed(bytes)?;
        }
        self.call(command, input)
    }

    /// Makes a call of the host API: records that it begins, runs it, records what came of it.
    ///
    /// The only way in, so that only outermost calls are recorded: nothing below calls it.
    pub(crate) fn call(&mut self, command: Command, input: Input) -> Result<(), CallError> {
        check_recordable(&self.host, &command, self.backend.queued_launches_weight())?;
        let index = self.next_command();
        self.host.calls.recorder().command_begun(index, &command, &input)?;
        self.host.calls.count()?;
        let performed = with_call!(command, call => call.perform(self, index, input));
        let result = accept_if_switched_off(performed);
        self.hand_on();
        let outcome = match &result {
            Ok(()) => Outcome::Done,
            Err(CallError::Host(error)) => {
                // A read that waits may meet the failure of an earlier call when its own bytes have come.
                self.host.reads.take(index);
                Outcome::Failed(error.failure.clone())
            }
            // What came of it is not known: it stays unfinished, and nothing can follow it.
            Err(
                CallError::Argument(_)
                | CallError::Data(_)
                | CallError::KernelUnavailable { .. }
                | CallError::Capture(_)
                | CallError::Internal(_),
            ) => {
                self.host.calls.recorder().give_up(index);
                return result;
            }
        };
        if let Err(error) = self.host.calls.recorder().command_ended(index, &outcome) {
            self.host.calls.recorder().give_up(index);
            return Err(error.into());
        }
        result
    }
}

/// The data of a write, which must be what it says of them: its program part names them even if it
/// fails.
fn payload(data: &Data, from: &impl CallData) -> Result<Payload, DataError> {
    let Data { length, hash: stored, generator } = *data;
    match generator {
        Some(generator) => {
            // What does not fit is refused before it is made.
            if length <= limits::DATA_BYTES && generator.check(length).is_ok() {
                let computed = generator.hash(length);
                if computed != stored {
                    DataError::Hash { stored, computed }.refuse()?;
                }
            }
            Ok(Payload::Generated { generator, length })
        }
        None => {
            let bytes = from.bytes(stored);
            let bytes = bytes.ok_or(DataError::NotHere { hash: stored, length })?;
            let actual = bytes.len() as u64;
            if actual != length {
                DataError::Length { stored: length, actual }.refuse()?;
            }
            Ok(Payload::Bytes(bytes))
        }
    }
}
