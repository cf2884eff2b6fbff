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
    /// Carries the call out. `index` is its place among the calls.
    ///
    /// # Errors
    /// Those of the function of [`Device`] with the same name.
    fn perform(
        self,
        device: &mut Device,
        index: CommandIndex,
        input: Input,
    ) -> Result<(), CallError>;
}

/// The source of the data of calls: commands name data by its hash.
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
    /// Those of the function with the call's name; [`CallError::Argument`] for a call that no capture can hold;
    /// [`CallError::Data`] for a write whose data is missing, or differs from its hash or length.
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

    /// Makes a call of the host API: records its begin, runs it, records its outcome.
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
            // Its outcome is not known: the call stays unfinished, and no call can follow it.
            Err(
                CallError::Argument(_)
                | CallError::Data(_)
                | CallError::KernelUnavailable { .. }
                | CallError::Capture(_)
                | CallError::Stopped(_)
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

/// The data of a write, which must have the stated hash and length: the program part names the data even if the
/// write fails.
fn payload(data: &Data, from: &impl CallData) -> Result<Payload, DataError> {
    let Data { length, hash: stored, generator } = *data;
    match generator {
        Some(generator) => {
            // Data that does not fit is refused before it is made.
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
