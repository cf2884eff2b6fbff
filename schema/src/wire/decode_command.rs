use flatbuffers::{ForwardsUOffset, Vector};

use super::Wire;
use super::common::unknown_value;
use super::read::{check_fields, hash, list, real, required, text};
use crate::commands;
use crate::defects::{Defect, planted};
use crate::error::{CaptureError, Path, Problem};
use crate::generated::capture as fb;
use crate::model::{
    ArgumentRelocation, BufferId, BufferLayout, BufferRegion, BufferType, CircularBufferId,
    CircularBufferIndex, Command, CoreArguments, CoreRange, Data, DataFormat,
    DataMovementProcessor, DataType, EventId, Expectation, Failure, FailureCode, FieldName,
    Generator, GloballyAllocatedAddress, KernelConfig, KernelId, MathFidelity, NocId, Outcome,
    ProgramId, QueueId, SemaphoreId, Shape2D, ShardOrientation, ShardSpec, Tolerance, TraceBuffer,
    TraceId,
};

type Result<T> = std::result::Result<T, CaptureError>;

fn cores(vector: Option<Vector<'_, fb::CoreRange>>, path: &Path<'_>) -> Result<Vec<CoreRange>> {
    let mut ranges = list(vector, path, |range, path| CoreRange::from_wire(*range, path))?;
    if planted(Defect::DecoderForgetsEndsOfRanges) {
        ranges.iter_mut().for_each(|range| range.end = range.start);
    }
    Ok(ranges)
}

fn words(vector: Option<Vector<'_, u32>>) -> Vec<u32> {
    vector.map(|vector| vector.iter().collect()).unwrap_or_default()
}

fn generator(data: &fb::Data<'_>, path: &Path<'_>) -> Result<Option<Generator>> {
    let member = data.generator_type();
    Ok(Some(match member {
        fb::Generator::NONE => return Ok(None),
        fb::Generator::Constant => {
            let constant = required(data.generator_as_constant(), path)?;
            check_fields(&constant, path)?;
            Generator::Constant {
                data_type: DataType::from_wire(constant.data_type(), &path.field("data_type"))?,
                bits: constant.bits(),
            }
        }
        fb::Generator::Sequence => {
            let sequence = required(data.generator_as_sequence(), path)?;
            check_fields(&sequence, path)?;
            Generator::Sequence {
                data_type: DataType::from_wire(sequence.data_type(), &path.field("data_type"))?,
                start: sequence.start(),
                step: sequence.step(),
            }
        }
        fb::Generator::Uniform => {
            let uniform = required(data.generator_as_uniform(), path)?;
            check_fields(&uniform, path)?;
            Generator::Uniform {
                data_type: DataType::from_wire(uniform.data_type(), &path.field("data_type"))?,
                seed: uniform.seed(),
            }
        }
        fb::Generator::UniformBetween => {
            let uniform = required(data.generator_as_uniform_between(), path)?;
            check_fields(&uniform, path)?;
            Generator::UniformBetween {
                data_type: DataType::from_wire(uniform.data_type(), &path.field("data_type"))?,
                seed: uniform.seed(),
                minimum: real(uniform.minimum(), &path.field("minimum"))?,
                maximum: real(uniform.maximum(), &path.field("maximum"))?,
            }
        }
        fb::Generator::Normal => {
            let normal = required(data.generator_as_normal(), path)?;
            check_fields(&normal, path)?;
            Generator::Normal {
                data_type: DataType::from_wire(normal.data_type(), &path.field("data_type"))?,
                seed: normal.seed(),
                mean: real(normal.mean(), &path.field("mean"))?,
                deviation: real(normal.deviation(), &path.field("deviation"))?,
            }
        }
        _ => return Err(unknown_value(path, "generator", member.0)),
    }))
}

fn data(data: Option<fb::Data<'_>>, path: &Path<'_>) -> Result<Data> {
    let data = required(data, path)?;
    check_fields(&data, path)?;
    Ok(Data {
        length: data.length(),
        hash: hash(data.hash(), &path.field("hash"))?,
        generator: generator(&data, &path.field("generator"))?,
    })
}

fn tolerance(tolerance: Option<fb::Tolerance<'_>>, path: &Path<'_>) -> Result<Tolerance> {
    let tolerance = required(tolerance, path)?;
    check_fields(&tolerance, path)?;
    Ok(Tolerance {
        data_type: DataType::from_wire(tolerance.data_type(), &path.field("data_type"))?,
        ulp: tolerance.ulp(),
        reason: text(tolerance.reason()),
        absolute: real(tolerance.absolute(), &path.field("absolute"))?,
        relative: real(tolerance.relative(), &path.field("relative"))?,
    })
}

fn expectation(read: &fb::EnqueueReadBuffer<'_>, path: &Path<'_>) -> Result<Expectation> {
    let member = read.expectation_type();
    Ok(match member {
        fb::Expectation::AsCaptured => {
            check_fields(&required(read.expectation_as_as_captured(), path)?, path)?;
            Expectation::AsCaptured
        }
        fb::Expectation::Exact => {
            let exact = required(read.expectation_as_exact(), path)?;
            check_fields(&exact, path)?;
            Expectation::Exact { hash: hash(exact.hash(), &path.field("hash"))? }
        }
        fb::Expectation::Reference => {
            let reference = required(read.expectation_as_reference(), path)?;
            check_fields(&reference, path)?;
            Expectation::Reference {
                data: data(reference.data(), &path.field("data"))?,
                tolerance: tolerance(reference.tolerance(), &path.field("tolerance"))?,
            }
        }
        fb::Expectation::Unchecked => {
            let unchecked = required(read.expectation_as_unchecked(), path)?;
            check_fields(&unchecked, path)?;
            Expectation::Unchecked { reason: text(unchecked.reason()) }
        }
        fb::Expectation::NONE => return Err(path.error(Problem::Missing)),
        _ => return Err(unknown_value(path, "expectation", member.0)),
    })
}

fn config(kernel: &fb::CreateKernel<'_>, path: &Path<'_>) -> Result<KernelConfig> {
    let member = kernel.config_type();
    Ok(match member {
        fb::KernelConfig::DataMovement => {
            let config = required(kernel.config_as_data_movement(), path)?;
            check_fields(&config, path)?;
            KernelConfig::DataMovement {
                processor: DataMovementProcessor::from_wire(
                    config.processor(),
                    &path.field("processor"),
                )?,
                noc: NocId::from_wire(config.noc(), &path.field("noc"))?,
            }
        }
        fb::KernelConfig::Compute => {
            let config = required(kernel.config_as_compute(), path)?;
            check_fields(&config, path)?;
            KernelConfig::Compute {
                math_fidelity: MathFidelity::from_wire(
                    config.math_fidelity(),
                    &path.field("math_fidelity"),
                )?,
                fp32_dest_acc_en: config.fp32_dest_acc_en(),
                math_approx_mode: config.math_approx_mode(),
            }
        }
        fb::KernelConfig::NONE => return Err(path.error(Problem::Missing)),
        _ => return Err(unknown_value(path, "kernel configuration", member.0)),
    })
}

fn defines(
    vector: Option<Vector<'_, ForwardsUOffset<fb::Define<'_>>>>,
    path: &Path<'_>,
) -> Result<Vec<(String, String)>> {
    list(vector, path, |define, path| {
        check_fields(&define, path)?;
        Ok((text(define.name()), text(define.value())))
    })
}

fn arguments(set: fb::CoreArguments<'_>, path: &Path<'_>) -> Result<CoreArguments> {
    check_fields(&set, path)?;
    Ok(CoreArguments {
        cores: cores(set.cores(), &path.field("cores"))?,
        values: words(set.values()),
        relocations: relocations(set.relocations(), path)?,
    })
}

fn relocations(
    vector: Option<Vector<'_, fb::ArgumentRelocation>>,
    path: &Path<'_>,
) -> Result<Vec<ArgumentRelocation>> {
    list(vector, &path.field("relocations"), |relocation, path| {
        ArgumentRelocation::from_wire(*relocation, path)
    })
}

fn circular_buffer_index(
    index: fb::CircularBufferIndex<'_>,
    path: &Path<'_>,
) -> Result<CircularBufferIndex> {
    check_fields(&index, path)?;
    Ok(CircularBufferIndex {
        index: index.index(),
        page_size: index.page_size(),
        data_format: DataFormat::from_wire(index.data_format(), &path.field("data_format"))?,
    })
}

macro_rules! command_of_union {
    ($(#[$doc:meta])* $name:ident, $table:ident) => {
        $(#[$doc])*
        pub(crate) fn $name(holder: &fb::$table<'_>, path: &Path<'_>) -> Result<Command> {
            let member = holder.command_type();
            match member {
                fb::Command::CreateBuffer => create_buffer(
                    required(holder.command_as_create_buffer(), path)?,
                    &path.field("create_buffer"),
                ),
                fb::Command::DeallocateBuffer => deallocate_buffer(
                    required(holder.command_as_deallocate_buffer(), path)?,
                    &path.field("deallocate_buffer"),
                ),
                fb::Command::CreateProgram => create_program(
                    required(holder.command_as_create_program(), path)?,
                    &path.field("create_program"),
                ),
                fb::Command::CreateKernel => create_kernel(
                    required(holder.command_as_create_kernel(), path)?,
                    &path.field("create_kernel"),
                ),
                fb::Command::SetRuntimeArgs => set_runtime_args(
                    required(holder.command_as_set_runtime_args(), path)?,
                    &path.field("set_runtime_args"),
                ),
                fb::Command::CreateCircularBuffer => create_circular_buffer(
                    required(holder.command_as_create_circular_buffer(), path)?,
                    &path.field("create_circular_buffer"),
                ),
                fb::Command::CreateSemaphore => create_semaphore(
                    required(holder.command_as_create_semaphore(), path)?,
                    &path.field("create_semaphore"),
                ),
                fb::Command::EnqueueWriteBuffer => enqueue_write_buffer(
                    required(holder.command_as_enqueue_write_buffer(), path)?,
                    &path.field("enqueue_write_buffer"),
                ),
                fb::Command::EnqueueReadBuffer => enqueue_read_buffer(
                    required(holder.command_as_enqueue_read_buffer(), path)?,
                    &path.field("enqueue_read_buffer"),
                ),
                fb::Command::EnqueueProgram => enqueue_program(
                    required(holder.command_as_enqueue_program(), path)?,
                    &path.field("enqueue_program"),
                ),
                fb::Command::Finish => finish(
                    required(holder.command_as_finish(), path)?,
                    &path.field("finish"),
                ),
                fb::Command::SetCommonRuntimeArgs => set_common_runtime_args(
                    required(holder.command_as_set_common_runtime_args(), path)?,
                    &path.field("set_common_runtime_args"),
                ),
                fb::Command::UpdateCommonRuntimeArgs => update_common_runtime_args(
                    required(holder.command_as_update_common_runtime_args(), path)?,
                    &path.field("update_common_runtime_args"),
                ),
                fb::Command::CreateBufferView => create_buffer_view(
                    required(holder.command_as_create_buffer_view(), path)?,
                    &path.field("create_buffer_view"),
                ),
                fb::Command::UpdateCircularBufferTotalSize => update_circular_buffer_total_size(
                    required(holder.command_as_update_circular_buffer_total_size(), path)?,
                    &path.field("update_circular_buffer_total_size"),
                ),
                fb::Command::UpdateCircularBufferPageSize => update_circular_buffer_page_size(
                    required(holder.command_as_update_circular_buffer_page_size(), path)?,
                    &path.field("update_circular_buffer_page_size"),
                ),
                fb::Command::UpdateDynamicCircularBufferAddress => {
                    update_dynamic_circular_buffer_address(
                        required(holder.command_as_update_dynamic_circular_buffer_address(), path)?,
                        &path.field("update_dynamic_circular_buffer_address"),
                    )
                }
                fb::Command::UpdateDynamicCircularBufferAddressAndTotalSize => {
                    let form = holder
                        .command_as_update_dynamic_circular_buffer_address_and_total_size();
                    update_dynamic_circular_buffer_address_and_total_size(
                        required(form, path)?,
                        &path.field("update_dynamic_circular_buffer_address_and_total_size"),
                    )
                }
                fb::Command::EnqueueRecordEvent => enqueue_record_event(
                    required(holder.command_as_enqueue_record_event(), path)?,
                    &path.field("enqueue_record_event"),
                ),
                fb::Command::EnqueueWaitForEvent => enqueue_wait_for_event(
                    required(holder.command_as_enqueue_wait_for_event(), path)?,
                    &path.field("enqueue_wait_for_event"),
                ),
                fb::Command::EventSynchronize => event_synchronize(
                    required(holder.command_as_event_synchronize(), path)?,
                    &path.field("event_synchronize"),
                ),
                fb::Command::EventQuery => event_query(
                    required(holder.command_as_event_query(), path)?,
                    &path.field("event_query"),
                ),
                fb::Command::BeginTraceCapture => begin_trace_capture(
                    required(holder.command_as_begin_trace_capture(), path)?,
                    &path.field("begin_trace_capture"),
                ),
                fb::Command::EndTraceCapture => end_trace_capture(
                    required(holder.command_as_end_trace_capture(), path)?,
                    &path.field("end_trace_capture"),
                ),
                fb::Command::ReplayTrace => replay_trace(
                    required(holder.command_as_replay_trace(), path)?,
                    &path.field("replay_trace"),
                ),
                fb::Command::ReleaseTrace => release_trace(
                    required(holder.command_as_release_trace(), path)?,
                    &path.field("release_trace"),
                ),
                fb::Command::CollectTrace => collect_trace(
                    required(holder.command_as_collect_trace(), path)?,
                    &path.field("collect_trace"),
                ),
                fb::Command::LoadTrace => load_trace(
                    required(holder.command_as_load_trace(), path)?,
                    &path.field("load_trace"),
                ),
                fb::Command::NONE => Err(path.error(Problem::Missing)),
                _ => Err(unknown_value(path, "command", member.0)),
            }
        }
    };
}

// The generated accessors of a union belong to the table that holds it.
command_of_union!(
    /// The command that a recorded command holds.
    command_of_recorded, RecordedCommand
);
command_of_union!(
    /// The command that a journal's entry holds.
    command_of_begun, CommandBegun
);

fn create_buffer(form: fb::CreateBuffer<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::CreateBuffer(commands::CreateBuffer {
        buffer: BufferId(form.buffer()),
        name: text(form.name()),
        size: form.size(),
        page_size: form.page_size(),
        buffer_type: BufferType::from_wire(form.buffer_type(), &path.field("buffer_type"))?,
        layout: BufferLayout::from_wire(form.layout(), &path.field("layout"))?,
        shard_spec: form
            .shard_spec()
            .map(|spec| shard_spec(spec, &path.field("shard_spec")))
            .transpose()?,
        bottom_up: form.bottom_up(),
    }))
}

fn shard_spec(form: fb::ShardSpec<'_>, path: &Path<'_>) -> Result<ShardSpec> {
    check_fields(&form, path)?;
    let shape = |shape: Option<&fb::Shape2D>, name| {
        let path = path.field(name);
        Shape2D::from_wire(*required(shape, &path)?, &path)
    };
    let tensor = form.tensor2d_shape_in_pages();
    Ok(ShardSpec {
        cores: cores(form.cores(), &path.field("cores"))?,
        shape: shape(form.shape(), "shape")?,
        orientation: ShardOrientation::from_wire(form.orientation(), &path.field("orientation"))?,
        page_shape: shape(form.page_shape(), "page_shape")?,
        tensor2d_shape_in_pages: shape(tensor, "tensor2d_shape_in_pages")?,
    })
}

fn region(form: Option<&fb::BufferRegion>, path: &Path<'_>) -> Result<Option<BufferRegion>> {
    form.map(|form| BufferRegion::from_wire(*form, path)).transpose()
}

fn create_buffer_view(form: fb::CreateBufferView<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    let place = path.field("region");
    Ok(Command::CreateBufferView(commands::CreateBufferView {
        buffer: BufferId(form.buffer()),
        name: text(form.name()),
        parent: BufferId(form.parent()),
        region: required(region(form.region(), &place)?, &place)?,
    }))
}

fn deallocate_buffer(form: fb::DeallocateBuffer<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(form.buffer()) }))
}

fn create_program(form: fb::CreateProgram<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::CreateProgram(commands::CreateProgram {
        program: ProgramId(form.program()),
        name: text(form.name()),
    }))
}

fn create_kernel(form: fb::CreateKernel<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    let listed = defines(form.defines(), &path.field("defines"))?;
    for (index, pair) in listed.windows(2).enumerate() {
        if let [(before, _), (after, _)] = pair
            && before >= after
        {
            let defines = path.field("defines");
            return Err(defines.index(index + 1).error(crate::error::Rule::NotAscending));
        }
    }
    Ok(Command::CreateKernel(commands::CreateKernel {
        kernel: KernelId(form.kernel()),
        name: text(form.name()),
        program: ProgramId(form.program()),
        source: text(form.source()),
        cores: cores(form.cores(), &path.field("cores"))?,
        config: config(&form, &path.field("config"))?,
        compile_args: words(form.compile_args()),
        defines: listed.into_iter().collect(),
    }))
}

fn set_runtime_args(form: fb::SetRuntimeArgs<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
        kernel: KernelId(form.kernel()),
        args: list(form.args(), &path.field("args"), arguments)?,
    }))
}

fn create_circular_buffer(form: fb::CreateCircularBuffer<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
        circular_buffer: CircularBufferId(form.circular_buffer()),
        name: text(form.name()),
        program: ProgramId(form.program()),
        cores: cores(form.cores(), &path.field("cores"))?,
        total_size: form.total_size(),
        indices: list(form.indices(), &path.field("indices"), circular_buffer_index)?,
        globally_allocated_address: match form.globally_allocated_address() {
            None => None,
            Some(place) => {
                check_fields(&place, &path.field("globally_allocated_address"))?;
                Some(GloballyAllocatedAddress {
                    buffer: BufferId(place.buffer()),
                    address_offset: place.address_offset(),
                })
            }
        },
    }))
}

fn create_semaphore(form: fb::CreateSemaphore<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::CreateSemaphore(commands::CreateSemaphore {
        semaphore: SemaphoreId(form.semaphore()),
        name: text(form.name()),
        program: ProgramId(form.program()),
        cores: cores(form.cores(), &path.field("cores"))?,
        initial_value: form.initial_value(),
    }))
}

fn enqueue_write_buffer(form: fb::EnqueueWriteBuffer<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
        queue: QueueId(form.queue()),
        buffer: BufferId(form.buffer()),
        data: data(form.data(), &path.field("data"))?,
        blocking: form.blocking(),
        region: region(form.region(), &path.field("region"))?,
    }))
}

fn enqueue_read_buffer(form: fb::EnqueueReadBuffer<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
        queue: QueueId(form.queue()),
        buffer: BufferId(form.buffer()),
        output: text(form.output()),
        blocking: form.blocking(),
        expectation: expectation(&form, &path.field("expectation"))?,
        region: region(form.region(), &path.field("region"))?,
    }))
}

fn enqueue_program(form: fb::EnqueueProgram<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::EnqueueProgram(commands::EnqueueProgram {
        queue: QueueId(form.queue()),
        program: ProgramId(form.program()),
        blocking: form.blocking(),
    }))
}

fn finish(form: fb::Finish<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::Finish(commands::Finish { queue: QueueId(form.queue()) }))
}

fn set_common_runtime_args(form: fb::SetCommonRuntimeArgs<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
        kernel: KernelId(form.kernel()),
        values: words(form.values()),
        relocations: relocations(form.relocations(), path)?,
    }))
}

fn update_common_runtime_args(
    form: fb::UpdateCommonRuntimeArgs<'_>,
    path: &Path<'_>,
) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
        kernel: KernelId(form.kernel()),
        first: form.first(),
        values: words(form.values()),
        relocations: relocations(form.relocations(), path)?,
    }))
}

fn update_circular_buffer_total_size(
    form: fb::UpdateCircularBufferTotalSize<'_>,
    path: &Path<'_>,
) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
        circular_buffer: CircularBufferId(form.circular_buffer()),
        total_size: form.total_size(),
    }))
}

fn update_circular_buffer_page_size(
    form: fb::UpdateCircularBufferPageSize<'_>,
    path: &Path<'_>,
) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
        circular_buffer: CircularBufferId(form.circular_buffer()),
        index: form.index(),
        page_size: form.page_size(),
    }))
}

fn update_dynamic_circular_buffer_address(
    form: fb::UpdateDynamicCircularBufferAddress<'_>,
    path: &Path<'_>,
) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::UpdateDynamicCircularBufferAddress(commands::UpdateDynamicCircularBufferAddress {
        circular_buffer: CircularBufferId(form.circular_buffer()),
        buffer: BufferId(form.buffer()),
        address_offset: form.address_offset(),
    }))
}

fn update_dynamic_circular_buffer_address_and_total_size(
    form: fb::UpdateDynamicCircularBufferAddressAndTotalSize<'_>,
    path: &Path<'_>,
) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::UpdateDynamicCircularBufferAddressAndTotalSize(
        commands::UpdateDynamicCircularBufferAddressAndTotalSize {
            circular_buffer: CircularBufferId(form.circular_buffer()),
            buffer: BufferId(form.buffer()),
            total_size: form.total_size(),
        },
    ))
}

fn enqueue_record_event(form: fb::EnqueueRecordEvent<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
        queue: QueueId(form.queue()),
        event: EventId(form.event()),
        name: text(form.name()),
        host_visible: form.host_visible(),
        number: form.number(),
    }))
}

fn enqueue_wait_for_event(form: fb::EnqueueWaitForEvent<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    let (queue, event) = (QueueId(form.queue()), EventId(form.event()));
    Ok(Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event }))
}

fn event_synchronize(form: fb::EventSynchronize<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::EventSynchronize(commands::EventSynchronize { event: EventId(form.event()) }))
}

fn event_query(form: fb::EventQuery<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::EventQuery(commands::EventQuery {
        event: EventId(form.event()),
        expected: form.expected(),
    }))
}

fn begin_trace_capture(form: fb::BeginTraceCapture<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::BeginTraceCapture(commands::BeginTraceCapture {
        queue: QueueId(form.queue()),
        trace: TraceId(form.trace()),
        name: text(form.name()),
    }))
}

fn end_trace_capture(form: fb::EndTraceCapture<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    let (queue, trace) = (QueueId(form.queue()), TraceId(form.trace()));
    Ok(Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }))
}

fn replay_trace(form: fb::ReplayTrace<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::ReplayTrace(commands::ReplayTrace {
        queue: QueueId(form.queue()),
        trace: TraceId(form.trace()),
        blocking: form.blocking(),
    }))
}

fn release_trace(form: fb::ReleaseTrace<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    Ok(Command::ReleaseTrace(commands::ReleaseTrace { trace: TraceId(form.trace()) }))
}

fn collect_trace(form: fb::CollectTrace<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    let trace = TraceId(form.trace());
    Ok(Command::CollectTrace(commands::CollectTrace { trace, collected: text(form.collected()) }))
}

fn load_trace(form: fb::LoadTrace<'_>, path: &Path<'_>) -> Result<Command> {
    check_fields(&form, path)?;
    let buffers = list(form.buffers(), &path.field("buffers"), |pair, path| {
        check_fields(&pair, path)?;
        let (recorded, buffer) = (BufferId(pair.recorded()), BufferId(pair.buffer()));
        Ok(TraceBuffer { recorded, buffer })
    })?;
    Ok(Command::LoadTrace(commands::LoadTrace {
        trace: TraceId(form.trace()),
        name: text(form.name()),
        from: text(form.from()),
        buffers,
    }))
}

fn failure(failure: fb::Failure<'_>, path: &Path<'_>) -> Result<Failure> {
    check_fields(&failure, path)?;
    let code = FailureCode::from_wire(failure.code(), &path.field("code"))?;
    let place = path.field("fields");
    let fields = list(failure.fields(), &place, |field, path| {
        check_fields(&field, path)?;
        Ok((FieldName::from_wire(field.name(), &path.field("name"))?, field.value()))
    })?;
    if !fields.iter().map(|(name, _)| name).eq(code.fields()) {
        return Err(place.error(Problem::Unexpected {
            reason: "these are not the fields that the code has, in its order",
        }));
    }
    let numbers: Vec<u64> = fields.into_iter().map(|(_, number)| number).collect();
    Failure::from_numbers(code, &numbers).ok_or_else(|| {
        place.error(Problem::Unexpected { reason: "a number is out of its field's range" })
    })
}

/// An outcome from its kind and its failure, of which there is one exactly if it failed.
pub(crate) fn outcome(
    kind: fb::OutcomeKind,
    failed: Option<fb::Failure<'_>>,
    path: &Path<'_>,
) -> Result<Outcome> {
    let place = path.field("failure");
    match (kind, failed) {
        (fb::OutcomeKind::Failed, failed) => {
            Ok(Outcome::Failed(failure(required(failed, &place)?, &place)?))
        }
        (fb::OutcomeKind::Done, None) => Ok(Outcome::Done),
        (fb::OutcomeKind::Unfinished, None) => Ok(Outcome::Unfinished),
        (fb::OutcomeKind::Done | fb::OutcomeKind::Unfinished, Some(_)) => {
            Err(place.error(Problem::Unexpected { reason: "the command did not fail" }))
        }
        _ => Err(unknown_value(&path.field("outcome"), "outcome", kind.0)),
    }
}
