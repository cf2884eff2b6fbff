//! Encodes and decodes the origin of a capture.

use flatbuffers::WIPOffset;
use hallmark_chip::LogicalCore;

use super::Wire;
use super::read::{check_fields, list, required, text};
use super::table::{Builder, string, tables};
use crate::error::{CaptureError, Path};
use crate::generated::capture as fb;
use crate::model::{
    CircularBufferId, CommandIndex, ExecutorRecord, GeneratedBindings, KernelId, Origin,
    PlacementBoundWord, RelocationCheck,
};

pub(super) fn encode_origin<'b>(
    builder: &mut Builder<'b>,
    origin: &Origin,
) -> WIPOffset<fb::Origin<'b>> {
    let ExecutorRecord { name, release, build_id, kernel_compiler } = &origin.executor;
    let args = fb::ExecutorRecordArgs {
        name: string(builder, name),
        release: string(builder, release),
        build_id: string(builder, build_id),
        kernel_compiler: string(builder, kernel_compiler),
    };
    let executor = fb::ExecutorRecord::create(builder, &args);
    let missing: Vec<_> = origin.missing.iter().map(|text| builder.create_string(text)).collect();
    let missing = (!missing.is_empty()).then(|| builder.create_vector(&missing));
    let words = tables(builder, &origin.placement_bound_words, |builder, word| {
        let core = word.core.map(|core| fb::LogicalCore::new(core.x, core.y));
        let args = fb::PlacementBoundWordArgs {
            command: word.command.0,
            core: core.as_ref(),
            index: word.index,
        };
        fb::PlacementBoundWord::create(builder, &args)
    });
    let bindings = tables(builder, &origin.generated_bindings, |builder, bindings| {
        let original = string(builder, &bindings.original);
        let args = fb::GeneratedBindingsArgs { kernel: bindings.kernel.0, original };
        fb::GeneratedBindings::create(builder, &args)
    });
    let dataflow_buffers = tables(builder, &origin.dataflow_buffers, |builder, buffer| {
        fb::DataflowBuffer::create(builder, &fb::DataflowBufferArgs { circular_buffer: buffer.0 })
    });
    let args = fb::OriginArgs {
        executor: Some(executor),
        missing,
        relocations: origin.relocations.to_wire(),
        placement_bound_words: words,
        generated_bindings: bindings,
        dataflow_buffers,
    };
    fb::Origin::create(builder, &args)
}

pub(super) fn decode_origin(form: fb::Origin<'_>, path: &Path<'_>) -> Result<Origin, CaptureError> {
    check_fields(&form, path)?;
    let place = path.field("executor");
    let executor = required(form.executor(), &place)?;
    check_fields(&executor, &place)?;
    Ok(Origin {
        executor: ExecutorRecord {
            name: text(executor.name()),
            release: text(executor.release()),
            build_id: text(executor.build_id()),
            kernel_compiler: text(executor.kernel_compiler()),
        },
        missing: list(form.missing(), &path.field("missing"), |text, _| Ok(text.to_owned()))?,
        relocations: RelocationCheck::from_wire(form.relocations(), &path.field("relocations"))?,
        placement_bound_words: list(
            form.placement_bound_words(),
            &path.field("placement_bound_words"),
            |word, path| {
                check_fields(&word, path)?;
                Ok(PlacementBoundWord {
                    command: CommandIndex(word.command()),
                    core: word.core().map(|core| LogicalCore { x: core.x(), y: core.y() }),
                    index: word.index(),
                })
            },
        )?,
        generated_bindings: list(
            form.generated_bindings(),
            &path.field("generated_bindings"),
            |bindings, path| {
                check_fields(&bindings, path)?;
                let original = text(bindings.original());
                Ok(GeneratedBindings { kernel: KernelId(bindings.kernel()), original })
            },
        )?,
        dataflow_buffers: list(
            form.dataflow_buffers(),
            &path.field("dataflow_buffers"),
            |buffer, path| {
                check_fields(&buffer, path)?;
                Ok(CircularBufferId(buffer.circular_buffer()))
            },
        )?,
    })
}
