//! Tensors in their memories, and transfers of content between them.

use std::borrow::Cow;

use hallmark_runtime::{CallError, CommandQueue, Event};
use hallmark_schema::commands::{
    Command, DeallocateBuffer, EnqueueReadBuffer, EnqueueRecordEvent, EnqueueWaitForEvent,
    EnqueueWriteBuffer, EventSynchronize,
};
use hallmark_schema::model::{
    BufferId, CommandIndex, ContentHash, Data, EventId, Expectation, Failure, ObjectKind, QueueId,
    SharedBytes,
};
use hallmark_tensor::{DataType, HostTensor, MemoryConfig, Shape, TensorPages, TensorSpec};

use crate::binary::create_buffer;
use crate::defects::{Defect, planted};
use crate::on_device::{self, Placed};
use crate::submission::LoadedBinary;
use crate::tensors::{Content, Home, Tensor, Tensors};
use crate::{Converter, Held, HostCalls, Order, ReadContent, StitchingError};

/// Tensors on a device and on the host. `'a` is the lifetime of borrowed data.
#[derive(Debug)]
pub struct Stitching<'a, C> {
    pub(crate) calls: C,
    pub(crate) tensors: Tensors<'a>,
    pub(crate) binaries: Vec<LoadedBinary>,
    /// The number of conversions and submissions so far, for the names of their objects.
    orders: u32,
}

impl<'a, C: HostCalls> Stitching<'a, C> {
    /// Tensors for an open device, or for recorded calls.
    pub fn new(calls: C) -> Self {
        Self { calls, tensors: Tensors::default(), binaries: Vec::new(), orders: 0 }
    }

    /// The receiver of the calls, for further calls.
    pub const fn calls(&mut self) -> &mut C {
        &mut self.calls
    }

    /// Returns the receiver of the calls. The buffers of its tensors stay allocated.
    pub fn into_calls(self) -> C {
        self.calls
    }

    /// `createTensor`: a row-major tensor on the host, from data whose elements lie `stride` elements apart in
    /// each dimension. Borrowed contiguous data stay borrowed.
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

    /// A tensor on the host without content.
    pub fn allocate_host(&mut self, name: &str, spec: TensorSpec) -> Tensor {
        self.tensors.add(name, Home::Host { spec, content: Content::Nothing })
    }

    /// A tensor on the device without content.
    ///
    /// # Errors
    /// [`StitchingError::OutOfMemory`]; shards that do not match; the errors of
    /// [`create_buffer`](hallmark_runtime::Device::create_buffer), for instance for a page that does not
    /// consist of whole words.
    pub fn allocate_device(
        &mut self,
        name: &str,
        spec: TensorSpec,
        memory: &MemoryConfig,
    ) -> Result<Tensor, StitchingError> {
        self.allocate(name, TensorPages::new(spec, memory)?)
    }

    /// Allocates a tensor on the device with these pages.
    pub(crate) fn allocate(
        &mut self,
        name: &str,
        pages: TensorPages,
    ) -> Result<Tensor, StitchingError> {
        let buffer = BufferId(self.calls.next_id(ObjectKind::Buffer));
        let call = Command::CreateBuffer(create_buffer(buffer, name, &pages));
        self.calls.make(call, None).map_err(|error| match error {
            CallError::Host(source) if matches!(source.failure, Failure::OutOfMemory { .. }) => {
                StitchingError::OutOfMemory {
                    tensor: name.to_owned(),
                    bytes: pages.bytes(),
                    source: *source,
                }
            }
            other => other.into(),
        })?;
        let home = Home::Device { buffer, pages: Box::new(pages), is_written: false };
        Ok(self.tensors.add(name, home))
    }

    /// Deallocates a tensor. Conversions that are already enqueued still use its memory.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`], and the errors of
    /// [`deallocate_buffer`](hallmark_runtime::Device::deallocate_buffer).
    pub fn deallocate(&mut self, tensor: Tensor) -> Result<(), StitchingError> {
        if let Home::Device { buffer, .. } = &self.tensors.state(tensor)?.home {
            let call = Command::DeallocateBuffer(DeallocateBuffer { buffer: *buffer });
            self.calls.make(call, None)?;
        }
        self.tensors.remove(tensor);
        Ok(())
    }

    /// The specification of a tensor, without its memory.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`].
    pub fn spec(&self, tensor: Tensor) -> Result<&TensorSpec, StitchingError> {
        Ok(self.tensors.state(tensor)?.spec())
    }

    /// The buffer and the pages of a tensor on the device; `None` for a tensor on the host.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`].
    pub fn buffer(
        &self,
        tensor: Tensor,
    ) -> Result<Option<(BufferId, &TensorPages)>, StitchingError> {
        Ok(match &self.tensors.state(tensor)?.home {
            Home::Host { .. } => None,
            Home::Device { buffer, pages, .. } => Some((*buffer, pages)),
        })
    }

    /// `toLayout`: transfers the content of `source` to `destination` and converts it to that tensor's type,
    /// layout and memory. Tile padding becomes 0, unless both tensors have the same type and layout; then it is
    /// copied. The conversion begins after the order's dependencies, and the returned event happens when it is
    /// done. The call waits only for content that the host must convert now: for a pending read of `source`,
    /// and, if the host converts between two tensors on the device, for a read of `source` itself.
    ///
    /// [`StitchingError::NoContent`]; [`StitchingError::StillRead`] for a tensor on the host whose read is not
    /// among the dependencies; types, layouts and shapes that cannot be converted; the errors of the device's
    /// calls.
    pub fn to_layout(
        &mut self,
        destination: Tensor,
        source: Tensor,
        order: Order<'_>,
    ) -> Result<Event, StitchingError> {
        self.begin(destination, source, order)?;
        let name = self.name(order, "conversion");
        match order.converter {
            Converter::Host => {}
            Converter::Device => {
                return self.convert_on_device(destination, source, &name, order);
            }
        }
        let queue = order.queue;
        let (from, to) = (self.tensors.state(source)?, self.tensors.state(destination)?);
        match (&from.home, &to.home) {
            (Home::Host { .. }, Home::Host { spec, .. }) => {
                let made = from.content()?.to_spec(spec, 0.0)?.into_owned();
                self.wait_for(order)?;
                self.bring(destination, Content::There(made))?;
            }
            (Home::Host { .. }, Home::Device { buffer, pages, .. }) => {
                let made = from.content()?.to_spec(pages.spec(), 0.0)?;
                let bytes = SharedBytes::from(pages.to_pages(made.bytes()).into_owned());
                let buffer = *buffer;
                self.wait_for(order)?;
                self.write(queue, buffer, bytes)?;
                self.is_written(destination)?;
            }
            (Home::Device { buffer, pages, .. }, Home::Host { .. }) => {
                let (buffer, pages) = (*buffer, pages.clone());
                self.wait_for(order)?;
                let read = self.read(queue, buffer, &name, false)?;
                let event = self.record(queue, &name)?;
                self.bring(destination, Content::Read { read, event, pages })?;
                return Ok(event);
            }
            (
                Home::Device { buffer, pages, .. },
                Home::Device { buffer: target, pages: target_pages, .. },
            ) => {
                if matches!(self.calls.held(*buffer), Held::Unknown) {
                    return Err(from.unknown());
                }
                let (buffer, target) = (*buffer, *target);
                let target = if planted(Defect::ConversionsInPlace) { buffer } else { target };
                let (pages, target_pages) = (pages.clone(), target_pages.clone());
                self.wait_for(order)?;
                let read = self.read(queue, buffer, &name, true)?;
                let bytes = match self.calls.take_read(read) {
                    ReadContent::Bytes(bytes) => bytes,
                    ReadContent::Pending | ReadContent::Unknown => {
                        return Err(self.tensors.state(source)?.without_content());
                    }
                };
                let bytes = converted(&pages, &bytes, &target_pages)?;
                self.write(queue, target, bytes)?;
                self.is_written(destination)?;
            }
        }
        self.record(queue, &name)
    }

    /// Converts with a program on the device's cores.
    fn convert_on_device(
        &mut self,
        destination: Tensor,
        source: Tensor,
        name: &str,
        order: Order<'_>,
    ) -> Result<Event, StitchingError> {
        let on_device = |tensor| {
            let (buffer, pages) = self.tensors.state(tensor)?.on_device()?;
            Ok::<_, StitchingError>((buffer, pages.clone()))
        };
        let ((from, from_pages), (to, to_pages)) = (on_device(source)?, on_device(destination)?);
        let program = on_device::on_device(
            Placed { buffer: from, pages: &from_pages },
            Placed { buffer: to, pages: &to_pages },
            self.calls.chip(),
            order.queue.id(),
            name,
            &mut |kind| self.calls.next_id(kind),
        )?;
        self.wait_for(order)?;
        for command in program {
            self.calls.make(command, None)?;
        }
        match self.calls.held(from) {
            Held::Bytes(bytes) => {
                let made = converted(&from_pages, &bytes, &to_pages)?;
                self.calls.holds(to, Some(made));
            }
            Held::AskTheDevice | Held::Unknown => self.calls.holds(to, None),
        }
        self.is_written(destination)?;
        self.record(order.queue, name)
    }

    /// Checks that both tensors are ready and match.
    fn begin(
        &mut self,
        destination: Tensor,
        source: Tensor,
        order: Order<'_>,
    ) -> Result<(), StitchingError> {
        // All checks come before the first call.
        let (from, to) = (self.tensors.state(source)?, self.tensors.state(destination)?);
        if !from.has_content() {
            return Err(from.without_content());
        }
        from.spec().converts_to(to.spec())?;
        if order.converter == Converter::Device {
            from.on_device()?;
            to.on_device()?;
        }
        for tensor in [source, destination] {
            let state = self.tensors.state_mut(tensor)?;
            state.take_read(&mut self.calls)?;
            if let Some(event) = state.awaited() {
                // The host needs the content now, so a conversion that names the read's event waits for it.
                if !order.dependencies.contains(&event) {
                    return Err(state.still_read());
                }
                self.wait(event)?;
                self.tensors.state_mut(tensor)?.take_read(&mut self.calls)?;
            }
        }
        Ok(())
    }

    /// Makes the queue wait for the dependencies.
    pub(crate) fn wait_for(&mut self, order: Order<'_>) -> Result<(), StitchingError> {
        if planted(Defect::DependenciesForgotten) {
            return Ok(());
        }
        for dependency in order.dependencies {
            let call = EnqueueWaitForEvent { queue: order.queue.id(), event: dependency.id() };
            self.calls.make(Command::EnqueueWaitForEvent(call), None)?;
        }
        Ok(())
    }

    /// The name of an order's event, read and program.
    pub(crate) fn name(&mut self, order: Order<'_>, what: &str) -> String {
        let number = self.orders;
        self.orders = self.orders.saturating_add(1);
        order.name.map_or_else(|| format!("{what}_{number}"), str::to_owned)
    }

    fn bring(&mut self, tensor: Tensor, brought: Content<'a>) -> Result<(), StitchingError> {
        if let Home::Host { content, .. } = &mut self.tensors.state_mut(tensor)?.home {
            *content = brought;
        }
        Ok(())
    }

    fn write(
        &mut self,
        queue: CommandQueue,
        buffer: BufferId,
        bytes: SharedBytes,
    ) -> Result<(), StitchingError> {
        let data =
            Data { length: bytes.len() as u64, hash: ContentHash::of(&bytes), generator: None };
        let call =
            EnqueueWriteBuffer { queue: queue.id(), buffer, data, blocking: false, region: None };
        self.calls.make(Command::EnqueueWriteBuffer(call), Some(bytes))?;
        Ok(())
    }

    fn read(
        &mut self,
        queue: CommandQueue,
        buffer: BufferId,
        output: &str,
        blocking: bool,
    ) -> Result<CommandIndex, StitchingError> {
        let expectation = match self.calls.held(buffer) {
            Held::Bytes(bytes) => Expectation::Exact { hash: ContentHash::of(&bytes) },
            Held::AskTheDevice | Held::Unknown => Expectation::AsCaptured,
        };
        let call = EnqueueReadBuffer {
            queue: queue.id(),
            buffer,
            output: output.to_owned(),
            blocking,
            expectation,
            region: None,
        };
        Ok(self.calls.make(Command::EnqueueReadBuffer(call), None)?)
    }

    /// Waits until an order is done.
    ///
    /// # Errors
    /// The errors of [`event_synchronize`](hallmark_runtime::Device::event_synchronize).
    pub fn wait(&mut self, event: Event) -> Result<(), StitchingError> {
        let call = EventSynchronize { event: event.id() };
        self.calls.make(Command::EventSynchronize(call), None)?;
        Ok(())
    }

    /// The content of a tensor on the host.
    ///
    /// # Errors
    /// [`StitchingError::NoContent`], [`StitchingError::OnDevice`]; [`StitchingError::StillRead`] if no call
    /// waited for the read; [`StitchingError::UnknownUntilRun`] for recorded calls.
    pub fn content(&mut self, tensor: Tensor) -> Result<&HostTensor<'a>, StitchingError> {
        let state = self.tensors.state_mut(tensor)?;
        state.take_read(&mut self.calls)?;
        state.content()
    }

    /// Declares that a program has given a tensor on the device its content.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`].
    pub fn is_written(&mut self, tensor: Tensor) -> Result<(), StitchingError> {
        if let Home::Device { is_written, .. } = &mut self.tensors.state_mut(tensor)?.home {
            *is_written = true;
        }
        Ok(())
    }

    /// Sets the content of a tensor on the device after all calls so far, for recorded calls.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`]; content that cannot be converted to the tensor's type and layout.
    pub fn holds(
        &mut self,
        tensor: Tensor,
        content: &HostTensor<'_>,
        padding: f64,
    ) -> Result<(), StitchingError> {
        if let Home::Device { buffer, pages, .. } = &self.tensors.state(tensor)?.home {
            let made = content.to_spec(pages.spec(), padding)?;
            let bytes = pages.to_pages(made.bytes()).into_owned();
            self.calls.holds(*buffer, Some(bytes.into()));
        }
        Ok(())
    }

    /// The content of a tensor after all calls so far, as far as it is known before the run.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchTensor`].
    pub fn known_content(
        &self,
        tensor: Tensor,
    ) -> Result<Option<Cow<'_, HostTensor<'a>>>, StitchingError> {
        Ok(match &self.tensors.state(tensor)?.home {
            Home::Host { content: Content::There(there), .. } => Some(Cow::Borrowed(there)),
            Home::Host { .. } => None,
            Home::Device { buffer, pages, .. } => match self.calls.held(*buffer) {
                Held::Bytes(bytes) => {
                    let tensor = pages.from_pages(&bytes).into_owned();
                    Some(Cow::Owned(HostTensor::from_bytes(pages.spec().clone(), tensor)?))
                }
                Held::AskTheDevice | Held::Unknown => None,
            },
        })
    }

    /// Records an event, visible to the host, that happens when all work enqueued so far is done.
    pub(crate) fn record(
        &mut self,
        queue: CommandQueue,
        name: &str,
    ) -> Result<Event, StitchingError> {
        let event = EventId(self.calls.next_id(ObjectKind::Event));
        let other = QueueId(u8::from(queue == CommandQueue::FIRST));
        let is_other = planted(Defect::EventsOnTheOtherQueue);
        let call = EnqueueRecordEvent {
            queue: if is_other { other } else { queue.id() },
            event,
            name: name.to_owned(),
            host_visible: true,
            number: None,
        };
        self.calls.make(Command::EnqueueRecordEvent(call), None)?;
        Ok(event.into())
    }
}

/// The pages of a tensor, converted from the pages of another one.
fn converted(
    pages: &TensorPages,
    bytes: &[u8],
    target: &TensorPages,
) -> Result<SharedBytes, StitchingError> {
    let given = HostTensor::from_bytes(pages.spec().clone(), pages.from_pages(bytes))?;
    let made = given.to_spec(target.spec(), 0.0)?;
    Ok(target.to_pages(made.bytes()).into_owned().into())
}
