//! Buffers and views, their writes and reads, and the annotations for a simulator.

use hallmark_schema::commands;
use hallmark_schema::model::{
    AssignedAddress, BufferId, BufferRegion, CommandIndex, ObjectKind, ShardOrientation,
};

use super::numbers::ranges;
use super::{BufferState, CompletedRead, Metalium, PendingRead, Trouble};
use crate::annotations::{Extent, Meaning};
use crate::interface::{Buffer, List, MadeBuffer, Sharding};

impl Metalium<'_> {
    /// Tells a simulator that accepts annotations the meaning of memory. Called only while nothing runs, so
    /// that programs keep the memory that they were enqueued with.
    pub(super) fn annotate(&mut self, extent: Extent, meaning: Meaning) -> Result<(), Trouble> {
        if self.annotations.is_none() || self.is_capturing {
            return Ok(());
        }
        self.finish_all()?;
        let Some(annotations) = &self.annotations else { return Ok(()) };
        Ok(annotations.say(&mut self.interface, extent, meaning)?)
    }

    /// Annotates freed memory once: after a second deallocation, it may already belong to another buffer.
    pub(super) fn annotate_freed(&mut self, buffer: BufferId) -> Result<(), Trouble> {
        let Some(state) = self.buffers.get_mut(&buffer) else { return Ok(()) };
        if !std::mem::take(&mut state.is_allocated) {
            return Ok(());
        }
        let extent = state.extent;
        self.annotate(extent, Meaning::Freed)
    }

    pub(super) fn create_buffer(&mut self, call: &commands::CreateBuffer) -> Result<(), Trouble> {
        let cores = call.shard_spec.as_ref().map(|spec| ranges(&spec.cores)).unwrap_or_default();
        let sharding = call.shard_spec.as_ref().map(|spec| Sharding {
            cores: List::from(cores.as_slice()),
            shape: [spec.shape.height, spec.shape.width],
            page_shape: [spec.page_shape.height, spec.page_shape.width],
            tensor_shape_in_pages: [
                spec.tensor2d_shape_in_pages.height,
                spec.tensor2d_shape_in_pages.width,
            ],
            is_column_major: u32::from(spec.orientation == ShardOrientation::ColMajor),
        });
        let numbers = self.release.numbers();
        let buffer = Buffer {
            size: call.size,
            page_size: call.page_size,
            buffer_type: numbers.buffer_type.number(call.buffer_type),
            bottom_up: call.bottom_up.map_or(-1, i32::from),
            layout: numbers.layout.number(call.layout),
        };
        let mut made = MadeBuffer::default();
        self.interface.create_buffer(call.buffer.0, &buffer, sharding.as_ref(), &mut made)?;
        let MadeBuffer { address, size_per_bank } = made;
        let extent = Extent { buffer_type: call.buffer_type, address, size_per_bank };
        self.annotate(extent, Meaning::Buffer)?;
        let state = BufferState {
            whole: call.buffer,
            region: BufferRegion::whole(call.size),
            size: call.size,
            extent,
            is_allocated: true,
            shard_spec: call.shard_spec.clone(),
        };
        self.buffers.insert(call.buffer, state);
        let (object, id) = (ObjectKind::Buffer, call.buffer.0);
        self.addresses.push(AssignedAddress { object, id, address });
        Ok(())
    }

    /// Creates a view. Upstream's mesh buffers have no views, so a view is a region of the whole buffer, with
    /// its address. Upstream checks the region on the device's buffer behind the mesh buffer.
    pub(super) fn create_view(&mut self, call: &commands::CreateBufferView) -> Result<(), Trouble> {
        let parent = self.buffer(call.parent)?.clone();
        let offset = parent.region.offset.saturating_add(call.region.offset);
        let region = BufferRegion { offset, size: call.region.size };
        let (of, within) = (parent.region, call.region);
        self.interface.check_view(
            parent.whole.0,
            of.offset,
            of.size,
            within.offset,
            within.size,
        )?;
        self.buffers.insert(call.buffer, BufferState { region, ..parent });
        Ok(())
    }

    pub(super) fn write(&mut self, call: &commands::EnqueueWriteBuffer) -> Result<(), Trouble> {
        let state = self.buffer(call.buffer)?;
        let region = within(state.region, call.region);
        let whole = state.whole.0;
        let bytes = call
            .data
            .bytes(&self.capture.blobs)
            .map_err(|error| Trouble::Capture(error.to_string()))?;
        let (queue, blocking) = (u32::from(call.queue.0), u32::from(call.blocking));
        Ok(self.interface.write(queue, whole, &bytes, region.offset, blocking)?)
    }

    pub(super) fn read(
        &mut self,
        command: CommandIndex,
        call: &commands::EnqueueReadBuffer,
    ) -> Result<(), Trouble> {
        let state = self.buffer(call.buffer)?;
        let region = within(state.region, call.region);
        let size = usize::try_from(state.size)
            .map_err(|_| Trouble::Capture("the buffer is larger than memory".to_owned()))?;
        let whole = state.whole.0;
        let all = self.interface.read(u32::from(call.queue.0), whole, size)?;
        let range = usize::try_from(region.offset)
            .ok()
            .zip(usize::try_from(region.offset.saturating_add(region.size)).ok())
            .and_then(|(start, end)| all.get(start..end));
        let bytes = range.unwrap_or_default().to_vec();
        let read = CompletedRead { command, buffer: call.buffer, bytes };
        self.pending.push(PendingRead { queue: call.queue, read });
        Ok(())
    }
}

/// Converts a region of a view to a region of the whole buffer.
fn within(view: BufferRegion, region: Option<BufferRegion>) -> BufferRegion {
    match region {
        None => view,
        Some(region) => {
            BufferRegion { offset: view.offset.saturating_add(region.offset), size: region.size }
        }
    }
}
