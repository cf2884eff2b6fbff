//! The state of tensors.

use hallmark_runtime::Event;
use hallmark_schema::model::{BufferId, CommandIndex};
use hallmark_tensor::{HostTensor, TensorPages, TensorSpec};

use crate::{HostCalls, ReadContent, StitchingError};

/// A tensor, identified by its number in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tensor(u32);

/// All tensors; `None` for a deallocated one.
#[derive(Debug, Default)]
pub(crate) struct Tensors<'a>(Vec<Option<TensorState<'a>>>);

#[derive(Debug)]
pub(crate) struct TensorState<'a> {
    /// The name in messages and captures.
    pub(crate) name: String,
    pub(crate) home: Home<'a>,
}

/// The place of a tensor.
#[derive(Debug)]
pub(crate) enum Home<'a> {
    Host { spec: TensorSpec, content: Content<'a> },
    Device { buffer: BufferId, pages: Box<TensorPages>, is_written: bool },
}

/// The content of a tensor on the host.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    /// No content yet.
    Nothing,
    There(HostTensor<'a>),
    /// The future result of a read, in the pages of the source tensor.
    Read {
        read: CommandIndex,
        event: Event,
        pages: Box<TensorPages>,
    },
    /// Content that is unknown before the run.
    Unknown,
}

impl<'a> Tensors<'a> {
    pub(crate) fn add(&mut self, name: &str, home: Home<'a>) -> Tensor {
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(Some(TensorState { name: name.to_owned(), home }));
        Tensor(number)
    }

    /// Removes a tensor.
    pub(crate) fn remove(&mut self, tensor: Tensor) {
        if let Some(state) = self.0.get_mut(tensor.0 as usize) {
            *state = None;
        }
    }

    pub(crate) fn state(&self, tensor: Tensor) -> Result<&TensorState<'a>, StitchingError> {
        let state = self.0.get(tensor.0 as usize).and_then(Option::as_ref);
        state.ok_or(StitchingError::NoSuchTensor { number: tensor.0 })
    }

    pub(crate) fn state_mut(
        &mut self,
        tensor: Tensor,
    ) -> Result<&mut TensorState<'a>, StitchingError> {
        let state = self.0.get_mut(tensor.0 as usize).and_then(Option::as_mut);
        state.ok_or(StitchingError::NoSuchTensor { number: tensor.0 })
    }
}

impl<'a> TensorState<'a> {
    /// The content of a tensor on the host.
    pub(crate) fn content(&self) -> Result<&HostTensor<'a>, StitchingError> {
        match &self.home {
            Home::Host { content: Content::There(there), .. } => Ok(there),
            Home::Host { content: Content::Nothing, .. } => Err(self.without_content()),
            Home::Host { content: Content::Read { .. }, .. } => Err(self.still_read()),
            Home::Host { content: Content::Unknown, .. } => Err(self.unknown()),
            Home::Device { .. } => Err(StitchingError::OnDevice { tensor: self.name.clone() }),
        }
    }

    /// The event after the read that provides the content of a tensor on the host.
    pub(crate) const fn awaited(&self) -> Option<Event> {
        match &self.home {
            Home::Host { content: Content::Read { event, .. }, .. } => Some(*event),
            Home::Host { .. } | Home::Device { .. } => None,
        }
    }

    /// Whether the tensor has content, or a pending read of it.
    pub(crate) const fn has_content(&self) -> bool {
        match &self.home {
            Home::Host { content, .. } => !matches!(content, Content::Nothing),
            Home::Device { is_written, .. } => *is_written,
        }
    }

    /// Takes the result of a read, if it is complete.
    pub(crate) fn take_read(&mut self, calls: &mut impl HostCalls) -> Result<(), StitchingError> {
        let Home::Host { spec, content } = &mut self.home else { return Ok(()) };
        let Content::Read { read, pages, .. } = content else { return Ok(()) };
        let bytes = match calls.take_read(*read) {
            ReadContent::Pending => return Ok(()),
            ReadContent::Unknown => {
                *content = Content::Unknown;
                return Ok(());
            }
            ReadContent::Bytes(bytes) => bytes,
        };
        let given = HostTensor::from_bytes(pages.spec().clone(), pages.from_pages(&bytes))?;
        *content = Content::There(given.to_spec(spec, 0.0)?.into_owned());
        Ok(())
    }

    /// The buffer and the pages of a tensor on the device.
    pub(crate) fn on_device(&self) -> Result<(BufferId, &TensorPages), StitchingError> {
        match &self.home {
            Home::Device { buffer, pages, .. } => Ok((*buffer, pages)),
            Home::Host { .. } => Err(StitchingError::NotOnDevice { tensor: self.name.clone() }),
        }
    }

    /// The tensor's specification, without its memory.
    pub(crate) const fn spec(&self) -> &TensorSpec {
        match &self.home {
            Home::Host { spec, .. } => spec,
            Home::Device { pages, .. } => pages.spec(),
        }
    }

    pub(crate) fn unknown(&self) -> StitchingError {
        StitchingError::UnknownUntilRun { tensor: self.name.clone() }
    }

    pub(crate) fn still_read(&self) -> StitchingError {
        StitchingError::StillRead { tensor: self.name.clone() }
    }

    pub(crate) fn without_content(&self) -> StitchingError {
        StitchingError::NoContent { tensor: self.name.clone() }
    }
}
