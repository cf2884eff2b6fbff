use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, Push, UnionWIPOffset, Vector, WIPOffset};

use super::Wire;
use crate::commands;
use crate::defects::{Defect, planted};
use crate::generated::capture as fb;
use crate::model::{
    ArgumentRelocation, CircularBufferIndex, Command, CoreArguments, CoreRange, Data, Expectation,
    Failure, Generator, KernelConfig, Outcome, Program, RecordedCommand, ShardSpec, SourceFile,
    Tolerance, TraceBuffer,
};

pub(crate) type Builder<'b> = FlatBufferBuilder<'b>;
type VectorOf<'b, T> = Option<WIPOffset<Vector<'b, T>>>;
type TablesOf<'b, T> = VectorOf<'b, ForwardsUOffset<T>>;

// An empty string or vector is not written: then a field that a later version adds leaves the bytes
// of older programs alone.

pub(crate) fn string<'b>(builder: &mut Builder<'b>, text: &str) -> Option<WIPOffset<&'b str>> {
    (!text.is_empty()).then(|| builder.create_string(text))
}

pub(crate) fn vector<'b, T: Push>(
    builder: &mut Builder<'b>,
    items: &[T],
) -> VectorOf<'b, T::Output> {
    (!items.is_empty()).then(|| WIPOffset::new(builder.create_vector(items).value()))
}

/// A vector of tables, each made by `make` in order.
pub(crate) fn tables<'b, I, T>(
    builder: &mut Builder<'b>,
    items: impl IntoIterator<Item = I>,
    mut make: impl FnMut(&mut Builder<'b>, I) -> WIPOffset<T>,
) -> TablesOf<'b, T> {
    let offsets: Vec<WIPOffset<T>> = items.into_iter().map(|item| make(builder, item)).collect();
    (!offsets.is_empty()).then(|| WIPOffset::new(builder.create_vector(&offsets).value()))
}

fn cores<'b>(builder: &mut Builder<'b>, cores: &[CoreRange]) -> VectorOf<'b, fb::CoreRange> {
    let forms: Vec<fb::CoreRange> = cores.iter().map(Wire::to_wire).collect();
    vector(builder, &forms)
}

fn data<'b>(builder: &mut Builder<'b>, data: &Data) -> WIPOffset<fb::Data<'b>> {
    let (generator_type, generator) = match data.generator {
        None => (fb::Generator::NONE, None),
        Some(Generator::Constant { data_type, bits }) => {
            let args = fb::ConstantArgs { data_type: data_type.to_wire(), bits };
            let made = fb::Constant::create(builder, &args);
            (fb::Generator::Constant, Some(made.as_union_value()))
        }
        Some(Generator::Sequence { data_type, start, step }) => {
            let args = fb::SequenceArgs { data_type: data_type.to_wire(), start, step };
            let made = fb::Sequence::create(builder, &args);
            (fb::Generator::Sequence, Some(made.as_union_value()))
        }
        Some(Generator::Uniform { data_type, seed }) => {
            let args = fb::UniformArgs { data_type: data_type.to_wire(), seed };
            let made = fb::Uniform::create(builder, &args);
            (fb::Generator::Uniform, Some(made.as_union_value()))
        }
        Some(Generator::UniformBetween { data_type, seed, minimum, maximum }) => {
            let args = fb::UniformBetweenArgs {
                data_type: data_type.to_wire(),
                seed,
                minimum: minimum.get(),
                maximum: maximum.get(),
            };
            let made = fb::UniformBetween::create(builder, &args);
            (fb::Generator::UniformBetween, Some(made.as_union_value()))
        }
        Some(Generator::Normal { data_type, seed, mean, deviation }) => {
            let args = fb::NormalArgs {
                data_type: data_type.to_wire(),
                seed,
                mean: mean.get(),
                deviation: deviation.get(),
            };
            let made = fb::Normal::create(builder, &args);
            (fb::Generator::Normal, Some(made.as_union_value()))
        }
    };
    let hash = data.hash.to_wire();
    let args = fb::DataArgs { length: data.length, hash: Some(&hash), generator_type, generator };
    fb::Data::create(builder, &args)
}

fn tolerance<'b>(builder: &mut Builder<'b>, tolerance: &Tolerance) -> WIPOffset<fb::Tolerance<'b>> {
    let reason = string(builder, &tolerance.reason);
    let args = fb::ToleranceArgs {
        data_type: tolerance.data_type.to_wire(),
        ulp: tolerance.ulp,
        reason,
        absolute: tolerance.absolute.get(),
        relative: tolerance.relative.get(),
    };
    fb::Tolerance::create(builder, &args)
}

fn expectation<'b>(
    builder: &mut Builder<'b>,
    expectation: &Expectation,
) -> (fb::Expectation, WIPOffset<UnionWIPOffset>) {
    match expectation {
        Expectation::AsCaptured => (
            fb::Expectation::AsCaptured,
            fb::AsCaptured::create(builder, &fb::AsCapturedArgs {}).as_union_value(),
        ),
        Expectation::Exact { hash } => {
            let args = fb::ExactArgs { hash: Some(&hash.to_wire()) };
            (fb::Expectation::Exact, fb::Exact::create(builder, &args).as_union_value())
        }
        Expectation::Reference { data: reference, tolerance: allowed } => {
            let args = fb::ReferenceArgs {
                data: Some(data(builder, reference)),
                tolerance: Some(tolerance(builder, allowed)),
            };
            (fb::Expectation::Reference, fb::Reference::create(builder, &args).as_union_value())
        }
        Expectation::Unchecked { reason } => {
            let args = fb::UncheckedArgs { reason: string(builder, reason) };
            (fb::Expectation::Unchecked, fb::Unchecked::create(builder, &args).as_union_value())
        }
    }
}

fn config<'b>(
    builder: &mut Builder<'b>,
    config: &KernelConfig,
) -> (fb::KernelConfig, WIPOffset<UnionWIPOffset>) {
    match *config {
        KernelConfig::DataMovement { processor, noc } => {
            let args = fb::DataMovementArgs { processor: processor.to_wire(), noc: noc.to_wire() };
            let made = fb::DataMovement::create(builder, &args);
            (fb::KernelConfig::DataMovement, made.as_union_value())
        }
        KernelConfig::Compute { math_fidelity, fp32_dest_acc_en, math_approx_mode } => {
            let args = fb::ComputeArgs {
                math_fidelity: math_fidelity.to_wire(),
                fp32_dest_acc_en,
                math_approx_mode,
            };
            let made = fb::Compute::create(builder, &args);
            (fb::KernelConfig::Compute, made.as_union_value())
        }
    }
}

fn relocations<'b>(
    builder: &mut Builder<'b>,
    relocations: &[ArgumentRelocation],
) -> VectorOf<'b, fb::ArgumentRelocation> {
    let lost = usize::from(planted(Defect::EncoderLosesARelocation));
    let kept = relocations.len().saturating_sub(lost);
    let forms: Vec<fb::ArgumentRelocation> =
        relocations.iter().take(kept).map(Wire::to_wire).collect();
    vector(builder, &forms)
}

fn arguments<'b>(
    builder: &mut Builder<'b>,
    arguments: &CoreArguments,
) -> WIPOffset<fb::CoreArguments<'b>> {
    let args = fb::CoreArgumentsArgs {
        cores: cores(builder, &arguments.cores),
        values: vector(builder, &arguments.values),
        relocations: relocations(builder, &arguments.relocations),
    };
    fb::CoreArguments::create(builder, &args)
}

fn shard_spec<'b>(builder: &mut Builder<'b>, spec: &ShardSpec) -> WIPOffset<fb::ShardSpec<'b>> {
    let args = fb::ShardSpecArgs {
        cores: cores(builder, &spec.cores),
        shape: Some(&spec.shape.to_wire()),
        orientation: spec.orientation.to_wire(),
        page_shape: Some(&spec.page_shape.to_wire()),
        tensor2d_shape_in_pages: Some(&spec.tensor2d_shape_in_pages.to_wire()),
    };
    fb::ShardSpec::create(builder, &args)
}

fn circular_buffer_index<'b>(
    builder: &mut Builder<'b>,
    index: &CircularBufferIndex,
) -> WIPOffset<fb::CircularBufferIndex<'b>> {
    let args = fb::CircularBufferIndexArgs {
        index: index.index,
        page_size: index.page_size,
        data_format: index.data_format.to_wire(),
    };
    fb::CircularBufferIndex::create(builder, &args)
}

/// Writes a command and says which member of the union it is.
pub(crate) fn encode_command<'b>(
    builder: &mut Builder<'b>,
    command: &Command,
) -> (fb::Command, WIPOffset<UnionWIPOffset>) {
    match command {
        Command::CreateBuffer(commands::CreateBuffer {
            buffer,
            name,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
        }) => {
            let args = fb::CreateBufferArgs {
                buffer: buffer.0,
                name: string(builder, name),
                size: if planted(Defect::EncoderCutsSizes) { *size & 0xFFFF_FFFF } else { *size },
                page_size: *page_size,
                buffer_type: buffer_type.to_wire(),
                layout: layout.to_wire(),
                shard_spec: shard_spec.as_ref().map(|spec| self::shard_spec(builder, spec)),
                bottom_up: *bottom_up,
            };
            let made = fb::CreateBuffer::create(builder, &args);
            (fb::Command::CreateBuffer, made.as_union_value())
        }
        Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
            let args = fb::DeallocateBufferArgs { buffer: buffer.0 };
            let made = fb::DeallocateBuffer::create(builder, &args);
            (fb::Command::DeallocateBuffer, made.as_union_value())
        }
        Command::CreateProgram(commands::CreateProgram { program, name }) => {
            let args = fb::CreateProgramArgs { program: program.0, name: string(builder, name) };
            let made = fb::CreateProgram::create(builder, &args);
            (fb::Command::CreateProgram, made.as_union_value())
        }
        Command::CreateKernel(commands::CreateKernel {
            kernel,
            name,
            program,
            source,
            cores: ranges,
            config: run_on,
            compile_args,
            defines,
        }) => {
            let name = string(builder, name);
            let source = string(builder, source);
            let ranges = cores(builder, ranges);
            let (config_type, run_on) = config(builder, run_on);
            let lost = usize::from(planted(Defect::EncoderLosesACompileArgument));
            let kept = compile_args.len().saturating_sub(lost);
            let compile_args = vector(builder, compile_args.get(..kept).unwrap_or_default());
            let defines = tables(builder, defines, |builder, (name, value)| {
                let args =
                    fb::DefineArgs { name: string(builder, name), value: string(builder, value) };
                fb::Define::create(builder, &args)
            });
            let args = fb::CreateKernelArgs {
                kernel: kernel.0,
                name,
                program: program.0,
                source,
                cores: ranges,
                config_type,
                config: Some(run_on),
                compile_args,
                defines,
            };
            let made = fb::CreateKernel::create(builder, &args);
            (fb::Command::CreateKernel, made.as_union_value())
        }
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, args: sets }) => {
            let args =
                fb::SetRuntimeArgsArgs { kernel: kernel.0, args: tables(builder, sets, arguments) };
            let made = fb::SetRuntimeArgs::create(builder, &args);
            (fb::Command::SetRuntimeArgs, made.as_union_value())
        }
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer,
            name,
            program,
            cores: ranges,
            total_size,
            indices,
            globally_allocated_address: place,
        }) => {
            let args = fb::CreateCircularBufferArgs {
                circular_buffer: circular_buffer.0,
                name: string(builder, name),
                program: program.0,
                cores: cores(builder, ranges),
                total_size: *total_size,
                indices: tables(builder, indices, circular_buffer_index),
                globally_allocated_address: place.map(|place| {
                    let args = fb::GloballyAllocatedAddressArgs {
                        buffer: place.buffer.0,
                        address_offset: place.address_offset,
                    };
                    fb::GloballyAllocatedAddress::create(builder, &args)
                }),
            };
            let made = fb::CreateCircularBuffer::create(builder, &args);
            (fb::Command::CreateCircularBuffer, made.as_union_value())
        }
        Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore,
            name,
            program,
            cores: ranges,
            initial_value,
        }) => {
            let args = fb::CreateSemaphoreArgs {
                semaphore: semaphore.0,
                name: string(builder, name),
                program: program.0,
                cores: cores(builder, ranges),
                initial_value: if planted(Defect::EncoderForgetsInitialValues) {
                    0
                } else {
                    *initial_value
                },
            };
            let made = fb::CreateSemaphore::create(builder, &args);
            (fb::Command::CreateSemaphore, made.as_union_value())
        }
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue,
            buffer,
            data: written,
            blocking,
            region,
        }) => {
            let region = region.as_ref().map(Wire::to_wire);
            let args = fb::EnqueueWriteBufferArgs {
                queue: queue.0,
                buffer: buffer.0,
                data: Some(data(builder, written)),
                blocking: *blocking,
                region: region.as_ref(),
            };
            let made = fb::EnqueueWriteBuffer::create(builder, &args);
            (fb::Command::EnqueueWriteBuffer, made.as_union_value())
        }
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            queue,
            buffer,
            output,
            blocking,
            expectation: wanted,
            region,
        }) => {
            let region = region.as_ref().map(Wire::to_wire);
            let output = string(builder, output);
            let (expectation_type, wanted) = expectation(builder, wanted);
            let args = fb::EnqueueReadBufferArgs {
                queue: queue.0,
                buffer: buffer.0,
                output,
                blocking: *blocking,
                expectation_type,
                expectation: Some(wanted),
                region: region.as_ref(),
            };
            let made = fb::EnqueueReadBuffer::create(builder, &args);
            (fb::Command::EnqueueReadBuffer, made.as_union_value())
        }
        Command::EnqueueProgram(commands::EnqueueProgram { queue, program, blocking }) => {
            let args =
                fb::EnqueueProgramArgs { queue: queue.0, program: program.0, blocking: *blocking };
            let made = fb::EnqueueProgram::create(builder, &args);
            (fb::Command::EnqueueProgram, made.as_union_value())
        }
        Command::Finish(commands::Finish { queue }) => {
            let args = fb::FinishArgs { queue: queue.0 };
            (fb::Command::Finish, fb::Finish::create(builder, &args).as_union_value())
        }
        Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            kernel,
            values,
            relocations: placed,
        }) => {
            let args = fb::SetCommonRuntimeArgsArgs {
                kernel: kernel.0,
                values: vector(builder, values),
                relocations: relocations(builder, placed),
            };
            let made = fb::SetCommonRuntimeArgs::create(builder, &args);
            (fb::Command::SetCommonRuntimeArgs, made.as_union_value())
        }
        Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            kernel,
            first,
            values,
            relocations: placed,
        }) => {
            let args = fb::UpdateCommonRuntimeArgsArgs {
                kernel: kernel.0,
                first: *first,
                values: vector(builder, values),
                relocations: relocations(builder, placed),
            };
            let made = fb::UpdateCommonRuntimeArgs::create(builder, &args);
            (fb::Command::UpdateCommonRuntimeArgs, made.as_union_value())
        }
        Command::CreateBufferView(commands::CreateBufferView { buffer, name, parent, region }) => {
            let args = fb::CreateBufferViewArgs {
                buffer: buffer.0,
                name: string(builder, name),
                parent: parent.0,
                region: Some(&region.to_wire()),
            };
            let made = fb::CreateBufferView::create(builder, &args);
            (fb::Command::CreateBufferView, made.as_union_value())
        }
        Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer,
            total_size,
        }) => {
            let args = fb::UpdateCircularBufferTotalSizeArgs {
                circular_buffer: circular_buffer.0,
                total_size: *total_size,
            };
            let made = fb::UpdateCircularBufferTotalSize::create(builder, &args);
            (fb::Command::UpdateCircularBufferTotalSize, made.as_union_value())
        }
        Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            circular_buffer,
            index,
            page_size,
        }) => {
            let args = fb::UpdateCircularBufferPageSizeArgs {
                circular_buffer: circular_buffer.0,
                index: *index,
                page_size: *page_size,
            };
            let made = fb::UpdateCircularBufferPageSize::create(builder, &args);
            (fb::Command::UpdateCircularBufferPageSize, made.as_union_value())
        }
        Command::UpdateDynamicCircularBufferAddress(
            commands::UpdateDynamicCircularBufferAddress {
                circular_buffer,
                buffer,
                address_offset,
            },
        ) => {
            let args = fb::UpdateDynamicCircularBufferAddressArgs {
                circular_buffer: circular_buffer.0,
                buffer: buffer.0,
                address_offset: *address_offset,
            };
            let made = fb::UpdateDynamicCircularBufferAddress::create(builder, &args);
            (fb::Command::UpdateDynamicCircularBufferAddress, made.as_union_value())
        }
        Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            commands::UpdateDynamicCircularBufferAddressAndTotalSize {
                circular_buffer,
                buffer,
                total_size,
            },
        ) => {
            let args = fb::UpdateDynamicCircularBufferAddressAndTotalSizeArgs {
                circular_buffer: circular_buffer.0,
                buffer: buffer.0,
                total_size: *total_size,
            };
            let made = fb::UpdateDynamicCircularBufferAddressAndTotalSize::create(builder, &args);
            (fb::Command::UpdateDynamicCircularBufferAddressAndTotalSize, made.as_union_value())
        }
        Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
            queue,
            event,
            name,
            host_visible,
            number,
        }) => {
            let args = fb::EnqueueRecordEventArgs {
                queue: queue.0,
                event: event.0,
                name: string(builder, name),
                host_visible: *host_visible && !planted(Defect::EncoderHidesEvents),
                number: *number,
            };
            let made = fb::EnqueueRecordEvent::create(builder, &args);
            (fb::Command::EnqueueRecordEvent, made.as_union_value())
        }
        Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event }) => {
            let args = fb::EnqueueWaitForEventArgs { queue: queue.0, event: event.0 };
            let made = fb::EnqueueWaitForEvent::create(builder, &args);
            (fb::Command::EnqueueWaitForEvent, made.as_union_value())
        }
        Command::EventSynchronize(commands::EventSynchronize { event }) => {
            let args = fb::EventSynchronizeArgs { event: event.0 };
            let made = fb::EventSynchronize::create(builder, &args);
            (fb::Command::EventSynchronize, made.as_union_value())
        }
        Command::EventQuery(commands::EventQuery { event, expected }) => {
            let args = fb::EventQueryArgs { event: event.0, expected: *expected };
            (fb::Command::EventQuery, fb::EventQuery::create(builder, &args).as_union_value())
        }
        Command::BeginTraceCapture(commands::BeginTraceCapture { queue, trace, name }) => {
            let args = fb::BeginTraceCaptureArgs {
                queue: queue.0,
                trace: trace.0,
                name: string(builder, name),
            };
            let made = fb::BeginTraceCapture::create(builder, &args);
            (fb::Command::BeginTraceCapture, made.as_union_value())
        }
        Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }) => {
            let args = fb::EndTraceCaptureArgs { queue: queue.0, trace: trace.0 };
            let made = fb::EndTraceCapture::create(builder, &args);
            (fb::Command::EndTraceCapture, made.as_union_value())
        }
        Command::ReplayTrace(commands::ReplayTrace { queue, trace, blocking }) => {
            let args = fb::ReplayTraceArgs { queue: queue.0, trace: trace.0, blocking: *blocking };
            (fb::Command::ReplayTrace, fb::ReplayTrace::create(builder, &args).as_union_value())
        }
        Command::ReleaseTrace(commands::ReleaseTrace { trace }) => {
            let args = fb::ReleaseTraceArgs { trace: trace.0 };
            (fb::Command::ReleaseTrace, fb::ReleaseTrace::create(builder, &args).as_union_value())
        }
        Command::CollectTrace(commands::CollectTrace { trace, collected }) => {
            let collected = string(builder, collected);
            let args = fb::CollectTraceArgs { trace: trace.0, collected };
            (fb::Command::CollectTrace, fb::CollectTrace::create(builder, &args).as_union_value())
        }
        Command::LoadTrace(commands::LoadTrace { trace, name, from, buffers }) => {
            let args = fb::LoadTraceArgs {
                trace: trace.0,
                name: string(builder, name),
                from: string(builder, from),
                buffers: tables(builder, buffers, |builder, TraceBuffer { recorded, buffer }| {
                    let args = fb::TraceBufferArgs { recorded: recorded.0, buffer: buffer.0 };
                    fb::TraceBuffer::create(builder, &args)
                }),
            };
            (fb::Command::LoadTrace, fb::LoadTrace::create(builder, &args).as_union_value())
        }
    }
}

/// The number of an outcome's kind.
pub(crate) const fn outcome_kind(outcome: &Outcome) -> fb::OutcomeKind {
    match outcome {
        Outcome::Done => fb::OutcomeKind::Done,
        Outcome::Failed(_) => fb::OutcomeKind::Failed,
        Outcome::Unfinished => fb::OutcomeKind::Unfinished,
    }
}

/// Writes what a failed command failed with.
pub(crate) fn encode_failure<'b>(
    builder: &mut Builder<'b>,
    outcome: &Outcome,
) -> Option<WIPOffset<fb::Failure<'b>>> {
    let Outcome::Failed(failure) = outcome else { return None };
    Some(encode_failed(builder, failure))
}

fn encode_failed<'b>(builder: &mut Builder<'b>, failure: &Failure) -> WIPOffset<fb::Failure<'b>> {
    let code = failure.code();
    let fields =
        tables(builder, code.fields().iter().zip(failure.numbers()), |builder, (name, value)| {
            fb::FailureField::create(builder, &fb::FailureFieldArgs { name: name.to_wire(), value })
        });
    fb::Failure::create(builder, &fb::FailureArgs { code: code.to_wire(), fields })
}

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

/// The program part.
pub(crate) fn encode_program(program: &Program) -> Vec<u8> {
    let mut builder = Builder::new();
    let sources = tables(&mut builder, &program.sources, source);
    let commands = tables(&mut builder, &program.commands, recorded);
    let args = fb::ProgramArgs {
        architecture: program.architecture.to_wire(),
        grid: Some(&program.grid.to_wire()),
        placement_bound: program.placement_bound,
        sources,
        commands,
        num_command_queues: program.num_command_queues,
        trace_region_size: program.trace_region_size,
    };
    let root = fb::Program::create(&mut builder, &args);
    builder.finish(root, None);
    builder.finished_data().to_vec()
}
