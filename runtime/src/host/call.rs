use hallmark_schema::commands;
use hallmark_schema::model::{Command, CommandIndex, Failure, Outcome};

use super::Device;
use super::circular_buffers::CircularBufferAsked;
use super::common_arguments::ArgumentWords;
use super::enqueue::WholeOrPart;
use super::events::EventAsked;
use crate::InternalError;
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// Makes a call of the host API: records that it begins, runs it, records what came of it.
    ///
    /// The only way in, so that only outermost calls are recorded: nothing below calls it.
    pub(crate) fn call(&mut self, command: Command, input: Input) -> Result<(), CallError> {
        self.host.check_recordable(&command, self.queued_launches_weight())?;
        let index = self.next_command();
        self.host.recorder.command_begun(index, &command, &input)?;
        self.host.next_command = self
            .host
            .next_command
            .checked_add(1)
            .ok_or_else(|| InternalError::new("more than 2^32 calls"))?;
        if let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }) = &command {
            self.host.outputs.insert(output.clone());
        }
        if let Command::CollectTrace(commands::CollectTrace { collected, .. }) = &command {
            self.host.collected_names.insert(collected.clone());
        }
        let result = self.perform(index, command, input);
        self.hand_on();
        let outcome = match &result {
            Ok(()) => Outcome::Done,
            Err(CallError::Host(error)) => Outcome::Failed(error.failure.clone()),
            // What came of it is not known: it stays unfinished, and nothing can follow it.
            Err(
                CallError::Argument(_)
                | CallError::KernelUnavailable { .. }
                | CallError::Capture(_)
                | CallError::Internal(_),
            ) => {
                self.host.recorder.give_up(index);
                return result;
            }
        };
        if let Err(error) = self.host.recorder.command_ended(index, &outcome) {
            self.host.recorder.give_up(index);
            return Err(error.into());
        }
        result
    }

    fn perform(
        &mut self,
        index: CommandIndex,
        command: Command,
        input: Input,
    ) -> Result<(), CallError> {
        let kind = command.kind();
        let plain = |failure| CallError::from(HostError::new(kind, failure));
        match command {
            Command::CreateBuffer(_) => self.host.perform_create_buffer(command),
            Command::CreateBufferView(commands::CreateBufferView {
                buffer,
                name,
                parent,
                region,
            }) => self.host.perform_create_buffer_view(buffer, name, parent, region),
            Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
                self.host.perform_deallocate_buffer(buffer).map_err(plain)
            }
            Command::CreateProgram(commands::CreateProgram { program, name }) => {
                self.host.perform_create_program(program, name)
            }
            Command::CreateKernel(_) => self.host.perform_create_kernel(&command),
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, args }) => {
                self.host.perform_set_runtime_args(kernel, args)
            }
            Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                circular_buffer,
                name,
                program,
                cores,
                total_size,
                indices,
                globally_allocated_address: global,
            }) => {
                let ranges = cores;
                let asked =
                    CircularBufferAsked { name, program, ranges, total_size, indices, global };
                self.host.perform_create_circular_buffer(circular_buffer, asked)
            }
            Command::UpdateCircularBufferTotalSize(_)
            | Command::UpdateCircularBufferPageSize(_)
            | Command::UpdateDynamicCircularBufferAddress(_)
            | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_) => {
                self.host.perform_update_circular_buffer(&command)
            }
            Command::CreateSemaphore(commands::CreateSemaphore {
                semaphore,
                name,
                program,
                cores,
                initial_value,
            }) => {
                self.host.perform_create_semaphore(semaphore, name, program, &cores, initial_value)
            }
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
                queue,
                buffer,
                data,
                blocking,
                region,
            }) => {
                let Input::Data(payload) = input else {
                    return Err(InternalError::new("a write without data").into());
                };
                let target = WholeOrPart { buffer, region };
                self.host.perform_enqueue_write(index, queue, target, data, payload)?;
                self.synchronize_if(blocking, queue, index, kind)
            }
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                queue,
                buffer,
                output,
                blocking,
                expectation,
                region,
            }) => {
                let source = WholeOrPart { buffer, region };
                self.host.perform_enqueue_read(index, queue, source, output, &expectation)?;
                self.synchronize_if(blocking, queue, index, kind)
            }
            Command::EnqueueProgram(commands::EnqueueProgram { queue, program, blocking }) => {
                self.host.perform_enqueue_program(index, queue, program, blocking)?;
                self.synchronize_if(blocking, queue, index, kind)
            }
            Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                kernel,
                values,
                relocations,
            }) => self
                .host
                .perform_set_common_runtime_args(kernel, ArgumentWords { values, relocations }),
            Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
                kernel,
                first,
                values,
                relocations,
            }) => {
                let arguments = ArgumentWords { values, relocations };
                self.host.perform_update_common_runtime_args(kernel, first, arguments)
            }
            Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
                queue,
                event,
                name,
                host_visible,
                number,
            }) => {
                let asked = EventAsked { name, host_visible, number };
                self.host.perform_record_event(index, queue, event, asked)
            }
            Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event }) => {
                self.host.perform_wait_for_event(index, queue, event)
            }
            Command::EventSynchronize(commands::EventSynchronize { event }) => {
                self.perform_event_synchronize(index, event)
            }
            Command::EventQuery(commands::EventQuery { event, expected }) => {
                self.perform_event_query(index, event, expected)
            }
            Command::BeginTraceCapture(commands::BeginTraceCapture { queue, trace, name }) => {
                self.host.perform_begin_trace(queue, trace, name)
            }
            Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }) => {
                self.host.perform_end_trace(queue, trace)
            }
            Command::ReplayTrace(commands::ReplayTrace { queue, trace, blocking }) => {
                self.host.perform_replay_trace(index, queue, trace)?;
                self.synchronize_if(blocking, queue, index, kind)
            }
            Command::ReleaseTrace(commands::ReleaseTrace { trace }) => {
                self.host.perform_release_trace(trace)
            }
            Command::CollectTrace(commands::CollectTrace { trace, collected }) => {
                self.host.perform_collect_trace(index, trace, collected)
            }
            Command::LoadTrace(commands::LoadTrace { trace, name, from, buffers }) => {
                let queued = self.queued_launches_weight();
                self.host.perform_load_trace(trace, name, &from, &buffers, queued)
            }
            Command::Finish(commands::Finish { queue }) => {
                self.host.check_queue(queue).map_err(plain)?;
                let during = Failure::EventDuringTrace { queue };
                self.host.check_no_capture(queue, during).map_err(plain)?;
                self.synchronize(queue, index, kind)
            }
        }
    }
}
