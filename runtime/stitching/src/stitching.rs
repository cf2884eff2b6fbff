//! A device with the tensors that live on it and beside it.

use std::borrow::Cow;

use hallmark_runtime::{BufferConfig, CallError, CommandQueue, Device, Event};
use hallmark_schema::model::{Expectation, Failure};
use hallmark_tensor::{DataType, HostTensor, MemoryConfig, Shape, TensorPages, TensorSpec};

use crate::StitchingError;
use crate::tensors::{Content, Home, Tensor, Tensors};

/// A device with the tensors that live on it and beside it. `'a` is how long data are borrowed.
#[derive(Debug)]
pub struct Stitching<'a> {
    device: Device,
    tensors: Tensors<'a>,
    /// How many conversions there were, for the names of events and reads.
    conversions: u32,
}

impl<'a> Stitching<'a> {
    /// Tensors of an open device.
    pub fn new(device: Device) -> Self {
        Self { device, tensors: Tensors::default(), conversions: 0 }
    }

    /// The device, for calls of its own, such as those that launch programs.
    pub const fn device(&mut self) -> &mut Device {
        &mut self.device
    }

    /// Gives the device back. The buffers of its tensors stay allocated.
    pub fn into_device(self) -> Device {
        self.device
    }

    /// `createTensor`: a tensor on the host, in rows, of data whose elements lie `stride` elements apart in each
    /// dimension. Borrowed data that lie in order stay borrowed.
    ///
    /// # Errors
    /// As [`HostTensor::create`].
    pub fn create_tensor(
        &mut self,
        name: &str,
        data: impl Into<Cow<'a, [u8]>>,
        shape: &Shape,
        stride: &[u32],
        item_size: u32,
        data_type: DataType,
    ) -> Result<Tensor, StitchingError> {
        let tensor = HostTensor::create(data, shape, stride, item_size, data_type)?;
        let (spec, content) = (tensor.spec().clone(), Content::There(tensor));
        Ok(self.tensors.add(name, Home::Host { spec, content }))
    }

    /// A tensor on the host that has no content yet.
    pub fn allocate_host(&mut self, name: &str, spec: TensorSpec) -> Tensor {
        self.tensors.add(name, Home::Host { spec, content: Content::Nothing })
    }

    /// A tensor on the device that has no content yet.
    ///
    /// # Errors
    /// [`StitchingError::OutOfMemory`]; shards that do not fit; what [`Device::create_buffer`] refuses, which is a page
    /// of no whole words among others.
    pub fn allocate_device(
        &mut self,
        name: &str,
        spec: TensorSpec,
        memory: &MemoryConfig,
    ) -> Result<Tensor, StitchingError> {
        let pages = TensorPages::new(spec, memory)?;
        let config = BufferConfig {
            name,
            size: pages.bytes(),
            page_size: pages.page_bytes(),
            buffer_type: pages.buffer_type(),
            layout: pages.layout(),
            shard_spec: pages.shard_spec(),
            bottom_up: None,
        };
        let buffer = self.device.create_buffer(&config).map_err(|error| match error {
            CallError::Host(source) if matches!(source.failure, Failure::OutOfMemory { .. }) => {
                StitchingError::OutOfMemory {
                    tensor: name.to_owned(),
                    bytes: pages.bytes(),
                    source: *source,
                }
            }
            other => other.into(),
        })?;
        Ok(self
            .tensors
            .add(name, Home::Device { buffer, pages: Box::new(pages), is_written: false }))
    }

    /// Gives a tensor's memory back. Conversions enqueued before still use it.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`], and what [`Device::deallocate_buffer`] meets.
    pub fn deallocate(&mut self, tensor: Tensor) -> Result<(), StitchingError> {
        if let Home::Device { buffer, .. } = &self.tensors.state(tensor)?.home {
            self.device.deallocate_buffer(*buffer)?;
        }
        self.tensors.remove(tensor);
        Ok(())
    }

    /// What a tensor is, apart from where it lives.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`].
    pub fn spec(&self, tensor: Tensor) -> Result<&TensorSpec, StitchingError> {
        Ok(match &self.tensors.state(tensor)?.home {
            Home::Host { spec, .. } => spec,
            Home::Device { pages, .. } => pages.spec(),
        })
    }

    /// Brings the content of `source` into `destination`, as that one's type, layout and memory ask for. What only fills
    /// up tiles becomes 0. The conversion begins once the dependencies have happened, and the event that is given back
    /// happens once it is done. The call waits only for what the host has to convert now: a read that brings the content
    /// of `source`, and from device to device that of `source` itself.
    ///
    /// # Errors
    /// [`StitchingError::NoContent`]; [`StitchingError::StillRead`] for a tensor on the host whose read is not among the
    /// dependencies; pairs of types, layouts and shapes that do not convert; what the device's calls meet.
    pub fn to_layout(
        &mut self,
        queue: CommandQueue,
        destination: Tensor,
        source: Tensor,
        dependencies: &[Event],
    ) -> Result<Event, StitchingError> {
        let number = self.begin(queue, destination, source, dependencies)?;
        let (from, to) = (self.tensors.state(source)?, self.tensors.state(destination)?);
        match (&from.home, &to.home) {
            (Home::Host { .. }, Home::Host { spec, .. }) => {
                let made = from.content()?.to_spec(spec, 0.0)?.into_owned();
                self.bring(destination, Content::There(made))?;
            }
            (Home::Host { .. }, Home::Device { buffer, pages, .. }) => {
                let made = from.content()?.to_spec(pages.spec(), 0.0)?;
                let bytes = pages.to_pages(made.bytes());
                self.device.enqueue_write_buffer(queue, *buffer, &*bytes, false)?;
                self.is_written(destination)?;
            }
            (Home::Device { buffer, pages, .. }, Home::Host { spec, .. }) => {
                pages.spec().converts_to(spec)?;
                let (output, expectation) = (output(number), Expectation::AsCaptured);
                let (buffer, pages) = (*buffer, pages.clone());
                let read =
                    self.device.enqueue_read_buffer(queue, buffer, &output, expectation, false)?;
                let event = self.record(queue, number)?;
                self.bring(destination, Content::Read { read, event, pages })?;
                return Ok(event);
            }
            (
                Home::Device { buffer, pages, .. },
                Home::Device { buffer: target, pages: target_pages, .. },
            ) => {
                pages.spec().converts_to(target_pages.spec())?;
                let (output, expectation) = (output(number), Expectation::AsCaptured);
                let read =
                    self.device.enqueue_read_buffer(queue, *buffer, &output, expectation, true)?;
                let read = self.device.take_read(read).ok_or_else(|| from.without_content())?;
                let bytes = pages.from_pages(&read.bytes);
                let given = HostTensor::from_bytes(pages.spec().clone(), bytes)?;
                let made = given.to_spec(target_pages.spec(), 0.0)?;
                let bytes = target_pages.to_pages(made.bytes());
                self.device.enqueue_write_buffer(queue, *target, &*bytes, false)?;
                self.is_written(destination)?;
            }
        }
        self.record(queue, number)
    }

    /// Checks that both tensors are ready, and has the queue wait for the dependencies. The conversion's number.
    fn begin(
        &mut self,
        queue: CommandQueue,
        destination: Tensor,
        source: Tensor,
        dependencies: &[Event],
    ) -> Result<u32, StitchingError> {
        for tensor in [source, destination] {
            let state = self.tensors.state_mut(tensor)?;
            state.take_read(&mut self.device)?;
            if let Some(event) = state.awaited() {
                // The host needs what is read now: a conversion that says so waits for it.
                if !dependencies.contains(&event) {
                    return Err(state.still_read());
                }
                self.device.event_synchronize(event)?;
                state.take_read(&mut self.device)?;
            }
        }
        let from = self.tensors.state(source)?;
        if !from.has_content() {
            return Err(from.without_content());
        }
        for dependency in dependencies {
            self.device.enqueue_wait_for_event(queue, *dependency)?;
        }
        let number = self.conversions;
        self.conversions = self.conversions.saturating_add(1);
        Ok(number)
    }

    fn bring(&mut self, tensor: Tensor, brought: Content<'a>) -> Result<(), StitchingError> {
        if let Home::Host { content, .. } = &mut self.tensors.state_mut(tensor)?.home {
            *content = brought;
        }
        Ok(())
    }

    /// Waits until a conversion is done.
    ///
    /// # Errors
    /// What [`Device::event_synchronize`] meets.
    pub fn wait(&mut self, event: Event) -> Result<(), StitchingError> {
        Ok(self.device.event_synchronize(event)?)
    }

    /// What a tensor on the host holds.
    ///
    /// # Errors
    /// [`StitchingError::NoContent`], [`StitchingError::OnDevice`]; [`StitchingError::StillRead`] where nothing waited for
    /// the read.
    pub fn content(&mut self, tensor: Tensor) -> Result<&HostTensor<'a>, StitchingError> {
        let state = self.tensors.state_mut(tensor)?;
        state.take_read(&mut self.device)?;
        state.content()
    }

    /// Says that something else than a conversion gave a tensor on the device its content: a program.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`].
    pub fn is_written(&mut self, tensor: Tensor) -> Result<(), StitchingError> {
        if let Home::Device { is_written, .. } = &mut self.tensors.state_mut(tensor)?.home {
            *is_written = true;
        }
        Ok(())
    }

    /// An event that happens once everything enqueued so far is done, and that the host sees.
    fn record(&mut self, queue: CommandQueue, number: u32) -> Result<Event, StitchingError> {
        Ok(self.device.enqueue_record_event(queue, &output(number), true, None)?)
    }
}

/// What a conversion's read and its event are called.
fn output(number: u32) -> String {
    format!("conversion_{number}")
}
