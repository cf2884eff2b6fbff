//! Encodes the program part as its canonical bytes.

use flatbuffers::WIPOffset;

use super::Wire;
use super::command::encode_command;
use super::free_tensor::encode_free_tensor;
use super::outcome::{encode_failure, outcome_kind};
use super::table::{Builder, string, tables};
use crate::generated::capture as fb;
use crate::model::{ProgramPart, RecordedCommand, SourceFile};

fn recorded<'b>(
    builder: &mut Builder<'b>,
    recorded: &RecordedCommand,
) -> WIPOffset<fb::RecordedCommand<'b>> {
    let (command_type, command) = encode_command(builder, &recorded.command);
    let args = fb::RecordedCommandArgs {
        command_type,
        command: Some(command),
        outcome: outcome_kind(&recorded.outcome),
        failure: encode_failure(builder, &recorded.outcome),
    };
    fb::RecordedCommand::create(builder, &args)
}

fn source<'b>(builder: &mut Builder<'b>, source: &SourceFile) -> WIPOffset<fb::SourceFile<'b>> {
    let path = string(builder, &source.path);
    fb::SourceFile::create(
        builder,
        &fb::SourceFileArgs { path, hash: Some(&source.hash.to_wire()) },
    )
}

/// The canonical bytes of a program part.
pub(crate) fn encode_program(program: &ProgramPart) -> Vec<u8> {
    let mut builder = Builder::new();
    let sources = tables(&mut builder, &program.sources, source);
    let commands = tables(&mut builder, &program.commands, recorded);
    let free_tensors = tables(&mut builder, &program.free_tensors, encode_free_tensor);
    let args = fb::ProgramArgs {
        architecture: program.architecture.to_wire(),
        grid: Some(&program.grid.to_wire()),
        placement_bound: program.placement_bound,
        sources,
        commands,
        num_command_queues: program.num_command_queues,
        trace_region_size: program.trace_region_size,
        l1_small_size: program.l1_small_size,
        worker_l1_size: program.worker_l1_size,
        free_tensors,
    };
    let root = fb::Program::create(&mut builder, &args);
    builder.finish(root, None);
    builder.finished_data().to_vec()
}
