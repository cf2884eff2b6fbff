//! Steps that make, write and read buffers.

use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, BufferLayout, BufferRegion, Command, Expectation, ShardOrientation, ShardSpec,
    Sharding,
};

use super::data::DataMaker;
use super::evaluator::Evaluator;
use super::known_data::KnownData;
use super::reads::{ReadSoFar, Reads};
use super::scope::{BufferFacts, Scope};
use crate::language::{
    CreateBuffer, CreateBufferView, EnqueueReadBuffer, EnqueueWriteBuffer, RegionEntry,
    ShardSpecEntry,
};
use crate::mistake::Span;
use crate::read::{Name, Number};

pub(super) fn create_buffer(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &CreateBuffer,
) -> Option<Command> {
    let buffer_type = evaluator.setting(&call.r#type);
    let size = evaluator.u64(&call.size, "the size");
    let page_size = evaluator.u64(&call.page_size, "the page size");
    let layout = evaluator.setting_or(call.layout.as_ref(), BufferLayout::Interleaved);
    let shard_spec = match &call.shard_spec {
        Some(entry) => shard_spec(evaluator, entry).map(Some),
        None => Some(None),
    };
    let bottom_up = match &call.bottom_up {
        Some(setting) => evaluator.setting(setting).map(Some),
        None => Some(None),
    };
    // A buffer with a mistake is defined all the same, or each use of it would be one more.
    let facts = BufferFacts {
        size,
        page_size,
        buffer_type,
        root: None,
        is_global_semaphore: false,
        sharding: match (&shard_spec, layout, size, page_size) {
            (Some(Some(spec)), Some(layout), Some(size), Some(page_size)) => {
                let pages = size.checked_div(page_size).unwrap_or_default();
                Sharding::new(layout, spec, pages).ok().filter(|_| layout.is_sharded())
            }
            _ => None,
        },
    };
    let id = scope.buffers.add(&call.id, facts, evaluator.mistakes());
    Some(Command::CreateBuffer(commands::CreateBuffer {
        buffer: BufferId(id),
        name: scope.given(&call.id),
        size: size?,
        page_size: page_size?,
        buffer_type: buffer_type?,
        layout: layout?,
        shard_spec: shard_spec?,
        bottom_up: bottom_up?,
    }))
}

fn shard_spec(evaluator: &mut Evaluator<'_>, entry: &ShardSpecEntry) -> Option<ShardSpec> {
    let cores = evaluator.cores(&entry.cores);
    let shape = evaluator.shape(&entry.shape);
    let orientation = evaluator.setting_or(entry.orientation.as_ref(), ShardOrientation::RowMajor);
    let page_shape = evaluator.shape(&entry.page_shape);
    let tensor = evaluator.shape(&entry.tensor2d_shape_in_pages);
    Some(ShardSpec {
        cores: cores?,
        shape: shape?,
        orientation: orientation?,
        page_shape: page_shape?,
        tensor2d_shape_in_pages: tensor?,
    })
}

pub(super) fn create_buffer_view(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &CreateBufferView,
) -> Option<Command> {
    let parent = scope.buffers.get(&call.of, evaluator.mistakes());
    let parent = parent.map(|(id, facts)| (id, facts.clone()));
    let region = part(evaluator, &call.offset, &call.size);
    let mut facts = BufferFacts::default();
    if let Some((id, whole)) = &parent {
        facts = whole.clone();
        facts.root = Some(whole.root.unwrap_or(*id));
    }
    facts.size = region.map(|region| region.size);
    facts.is_global_semaphore = false;
    let root = facts.root;
    let id = scope.buffers.add(&call.id, facts, evaluator.mistakes());
    if let Some(root) = root {
        scope.add_view(root, id);
    }
    Some(Command::CreateBufferView(commands::CreateBufferView {
        buffer: BufferId(id),
        name: scope.given(&call.id),
        parent: BufferId(parent?.0),
        region: region?,
    }))
}

fn part(evaluator: &mut Evaluator<'_>, offset: &Number, size: &Number) -> Option<BufferRegion> {
    let offset = evaluator.u64(offset, "the offset");
    let size = evaluator.u64(size, "the size");
    Some(BufferRegion { offset: offset?, size: size? })
}

/// The region of a write or read.
#[expect(clippy::option_option, reason = "a mistake, no region, a region")]
fn region(
    evaluator: &mut Evaluator<'_>,
    entry: Option<&RegionEntry>,
) -> Option<Option<BufferRegion>> {
    match entry {
        Some(entry) => part(evaluator, &entry.offset, &entry.size).map(Some),
        None => Some(None),
    }
}

/// A buffer's id, and its size in bytes, if that is known.
fn touched(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    buffer: &Name,
) -> Option<(u32, Option<u64>)> {
    scope.buffers.get(buffer, evaluator.mistakes()).map(|(id, facts)| (id, facts.size))
}

pub(super) fn enqueue_write_buffer(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    maker: &mut DataMaker<'_>,
    known_data: &mut KnownData,
    call: &EnqueueWriteBuffer,
    span: Span,
    fails: bool,
) -> Option<Command> {
    let queue = evaluator.queue(call.queue.as_ref());
    let blocking = evaluator.setting_or(call.blocking.as_ref(), false);
    let buffer = touched(evaluator, scope, &call.buffer);
    let region = region(evaluator, call.region.as_ref());
    let length = length_of(buffer.and_then(|(_, size)| size), region);
    let known = maker.source(evaluator, &call.data, span, length);
    let data = known.as_ref().map(|known| maker.command_data(known));
    if let Some(name) = &call.r#as {
        let given = scope.given(name);
        if scope.buffers.find(&given).is_some() || known_data.is_named(&given) {
            evaluator.mistakes().add::<()>(
                format!("`{given}` is already the name of a buffer or of data"),
                name.span,
                "choose another name",
            );
        }
        if !fails {
            scope.note_enqueued(given.clone());
        }
        known_data.insert(given, scope.commands(), known.clone());
    }
    // A call that fails writes nothing, so expectations cannot name the buffer by its data.
    if let (Some((id, _)), false) = (buffer, fails) {
        for name in scope.sharing_memory(id) {
            known_data.forget(&name, scope.commands());
        }
        if let (Some(None), Some(name)) = (region, scope.buffers.name(id)) {
            known_data.insert(name.to_owned(), scope.commands(), known);
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
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    reads: &mut Reads,
    call: &EnqueueReadBuffer,
    fails: bool,
) -> Option<Command> {
    let queue = evaluator.queue(call.queue.as_ref());
    let blocking = evaluator.setting_or(call.blocking.as_ref(), false);
    let buffer = touched(evaluator, scope, &call.buffer);
    let region = region(evaluator, call.region.as_ref());
    let length = length_of(buffer.and_then(|(_, size)| size), region);
    let name = &call.r#as;
    let output = scope.given(name);
    if reads.has_output(&output) {
        evaluator.mistakes().add::<()>(
            format!("an earlier step reads an output `{output}`"),
            name.span,
            "choose another name",
        );
    }
    if !fails {
        scope.note_enqueued(output.clone());
        reads.add(ReadSoFar {
            output: output.clone(),
            span: name.span,
            command: scope.commands(),
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

/// The number of bytes of a buffer that a call touches, unless a mistake keeps it from being known.
#[expect(clippy::option_option, reason = "a mistake, no region, a region")]
fn length_of(whole: Option<u64>, region: Option<Option<BufferRegion>>) -> Option<u64> {
    match region? {
        Some(region) => Some(region.size),
        None => whole,
    }
}
