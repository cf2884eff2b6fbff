//! Steps that make, write and read buffers.

use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, BufferLayout, BufferRegion, Command, Expectation, Shape2D, ShardOrientation,
    ShardSpec, Sharding,
};

use super::scope::BufferFacts;
use super::{Binder, ReadSoFar};
use crate::suite::language::{
    CreateBuffer, CreateBufferView, EnqueueReadBuffer, EnqueueWriteBuffer, RegionEntry,
    ShapeNumbers, ShardSpecEntry,
};
use crate::suite::mistake::Span;
use crate::suite::read::{Name, Number};

impl Binder<'_> {
    pub(super) fn create_buffer(&mut self, call: &CreateBuffer) -> Option<Command> {
        let buffer_type = self.setting(&call.r#type);
        let size = self.u64(&call.size, "the size");
        let page_size = self.u64(&call.page_size, "the page size");
        let layout = self.setting_or(call.layout.as_ref(), BufferLayout::Interleaved);
        let shard_spec = match &call.shard_spec {
            Some(entry) => self.shard_spec(entry).map(Some),
            None => Some(None),
        };
        let bottom_up = match &call.bottom_up {
            Some(setting) => self.setting(setting).map(Some),
            None => Some(None),
        };
        // A buffer with a mistake is defined all the same, or each use of it would be one more.
        let facts = BufferFacts {
            size,
            page_size,
            buffer_type,
            root: None,
            sharding: match (&shard_spec, layout, size, page_size) {
                (Some(Some(spec)), Some(layout), Some(size), Some(page_size)) => {
                    let pages = size.checked_div(page_size).unwrap_or_default();
                    Sharding::new(layout, spec, pages).ok().filter(|_| layout.is_sharded())
                }
                _ => None,
            },
        };
        let id = self.scope.buffers.add(&call.id, facts, self.mistakes);
        Some(Command::CreateBuffer(commands::CreateBuffer {
            buffer: BufferId(id),
            name: self.given(&call.id),
            size: size?,
            page_size: page_size?,
            buffer_type: buffer_type?,
            layout: layout?,
            shard_spec: shard_spec?,
            bottom_up: bottom_up?,
        }))
    }

    fn shard_spec(&mut self, entry: &ShardSpecEntry) -> Option<ShardSpec> {
        let cores = self.cores(&entry.cores);
        let shape = self.shape(&entry.shape);
        let orientation = self.setting_or(entry.orientation.as_ref(), ShardOrientation::RowMajor);
        let page_shape = self.shape(&entry.page_shape);
        let tensor = self.shape(&entry.tensor2d_shape_in_pages);
        Some(ShardSpec {
            cores: cores?,
            shape: shape?,
            orientation: orientation?,
            page_shape: page_shape?,
            tensor2d_shape_in_pages: tensor?,
        })
    }

    pub(super) fn shape(&mut self, shape: &ShapeNumbers) -> Option<Shape2D> {
        let height = self.u32(&shape.height, "the height");
        let width = self.u32(&shape.width, "the width");
        Some(Shape2D { height: height?, width: width? })
    }

    pub(super) fn create_buffer_view(&mut self, call: &CreateBufferView) -> Option<Command> {
        let parent = self.scope.buffers.get(&call.of, self.mistakes);
        let parent = parent.map(|(id, facts)| (id, facts.clone()));
        let region = self.part(&call.offset, &call.size);
        let mut facts = BufferFacts::default();
        if let Some((id, whole)) = &parent {
            facts = whole.clone();
            facts.root = Some(whole.root.unwrap_or(*id));
        }
        facts.size = region.map(|region| region.size);
        let root = facts.root;
        let id = self.scope.buffers.add(&call.id, facts, self.mistakes);
        if let Some(root) = root {
            self.scope.views.entry(root).or_default().push(id);
        }
        Some(Command::CreateBufferView(commands::CreateBufferView {
            buffer: BufferId(id),
            name: self.given(&call.id),
            parent: BufferId(parent?.0),
            region: region?,
        }))
    }

    fn part(&mut self, offset: &Number, size: &Number) -> Option<BufferRegion> {
        let offset = self.u64(offset, "the offset");
        let size = self.u64(size, "the size");
        Some(BufferRegion { offset: offset?, size: size? })
    }

    /// The region of a write or read.
    #[expect(clippy::option_option, reason = "a mistake, no region, a region")]
    fn region(&mut self, entry: Option<&RegionEntry>) -> Option<Option<BufferRegion>> {
        match entry {
            Some(entry) => self.part(&entry.offset, &entry.size).map(Some),
            None => Some(None),
        }
    }

    /// A buffer's id, and how many bytes it has, if that is known.
    fn touched(&mut self, buffer: &Name) -> Option<(u32, Option<u64>)> {
        self.scope.buffers.get(buffer, self.mistakes).map(|(id, facts)| (id, facts.size))
    }

    pub(super) fn enqueue_write_buffer(
        &mut self,
        call: &EnqueueWriteBuffer,
        span: Span,
        fails: bool,
    ) -> Option<Command> {
        let queue = self.queue(call.queue.as_ref());
        let blocking = self.setting_or(call.blocking.as_ref(), false);
        let buffer = self.touched(&call.buffer);
        let region = self.region(call.region.as_ref());
        let length = length_of(buffer.and_then(|(_, size)| size), region);
        let known = self.source(&call.data, span, length);
        let data = known.as_ref().map(|known| self.command_data(known));
        if let Some(name) = &call.r#as {
            let given = self.given(name);
            if self.scope.buffers.find(&given).is_some() || self.known.is_named(&given) {
                self.mistakes.add::<()>(
                    format!("`{given}` is already the name of a buffer or of data"),
                    name.span,
                    "choose another name",
                );
            }
            if !fails {
                self.scope.enqueued.insert(given.clone(), self.scope.commands);
            }
            self.known.insert(given, self.scope.commands, known.clone());
        }
        // What a call does not write, nobody knows the buffer by.
        if let (Some((id, _)), false) = (buffer, fails) {
            for name in self.scope.sharing_memory(id) {
                self.known.forget(&name, self.scope.commands);
            }
            if let (Some(None), Some(name)) = (region, self.scope.buffers.name(id)) {
                self.known.insert(name.to_owned(), self.scope.commands, known);
            }
        }
        Some(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: queue?,
            buffer: BufferId(buffer?.0),
            data: data?,
            blocking: blocking?,
            region: region?,
        }))
    }

    pub(super) fn enqueue_read_buffer(
        &mut self,
        call: &EnqueueReadBuffer,
        fails: bool,
    ) -> Option<Command> {
        let queue = self.queue(call.queue.as_ref());
        let blocking = self.setting_or(call.blocking.as_ref(), false);
        let buffer = self.touched(&call.buffer);
        let region = self.region(call.region.as_ref());
        let length = length_of(buffer.and_then(|(_, size)| size), region);
        let name = &call.r#as;
        let output = self.given(name);
        if self.outputs_read.contains(&output) {
            self.mistakes.add::<()>(
                format!("an earlier step reads an output `{output}`"),
                name.span,
                "choose another name",
            );
        }
        if !fails {
            self.outputs_read.insert(output.clone());
            self.scope.enqueued.insert(output.clone(), self.scope.commands);
            self.reads.push(ReadSoFar {
                output: output.clone(),
                span: name.span,
                command: self.scope.commands,
                length,
                blocking: blocking.unwrap_or(true),
                tensor: None,
            });
        }
        Some(Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            queue: queue?,
            buffer: BufferId(buffer?.0),
            output,
            blocking: blocking?,
            // Replaced once the expectations are known.
            expectation: Expectation::AsCaptured,
            region: region?,
        }))
    }
}

/// How many bytes a call touches of a buffer that has so many, unless a mistake keeps that from being known.
#[expect(clippy::option_option, reason = "a mistake, no region, a region")]
fn length_of(whole: Option<u64>, region: Option<Option<BufferRegion>>) -> Option<u64> {
    match region? {
        Some(region) => Some(region.size),
        None => whole,
    }
}
