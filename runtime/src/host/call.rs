use hallmark_schema::commands;
use hallmark_schema::model::{Command, CommandIndex, Failure, Outcome};

use super::circular_buffers::CircularBufferAsked;
use super::common_arguments::ArgumentWords;
use super::enqueue::WholeOrPart;
use super::events::EventAsked;
use crate::error::{CallError, HostError};
use crate::payload::Input;
use crate::{Device, InternalError};

impl Device {
    /// Makes a call of the host API: records that it begins, runs it, records what came of it.
    ///
    /// The only way in, so that only outermost calls are recorded: nothing below calls it.
    pub(crate) fn call(&mut self, command: Command, input: Input) -> Result<(), CallError> {
        self.check_recordable(&command)?;
        let index = CommandIndex(self.next_command);
        self.recorder.command_begun(index, &command, &input)?;
        self.next_command = self
            .next_command
            .checked_add(1)
            .ok_or_else(|| InternalError::new("more than 2^32 calls"))?;
        if let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }) = &command {
            self.outputs.insert(output.clone());
        }
        if let Command::CollectTrace(commands::CollectTrace { collected, .. }) = &command {
            self.collected_names.insert(collected.clone());
        }
        let result = self.perform(index, command, input);
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
                self.recorder.give_up(index);
                return result;
            }
        };
        if let Err(error) = self.recorder.command_ended(index, &outcome) {
            self.recorder.give_up(index);
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
            Command::CreateBuffer(_) => self.perform_create_buffer(command),
            Command::CreateBufferView(commands::CreateBufferView {
                buffer,
                name,
                parent,
                region,
            }) => self.perform_create_buffer_view(buffer, name, parent, region),
            Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
                self.perform_deallocate_buffer(buffer).map_err(plain)
            }
            Command::CreateProgram(commands::CreateProgram { program, name }) => {
                self.perform_create_program(program, name)
            }
            Command::CreateKernel(_) => self.perform_create_kernel(&command),
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, args }) => {
                self.perform_set_runtime_args(kernel, args)
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
                self.perform_create_circular_buffer(circular_buffer, asked)
            }
            Command::UpdateCircularBufferTotalSize(_)
            | Command::UpdateCircularBufferPageSize(_)
            | Command::UpdateDynamicCircularBufferAddress(_)
            | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_) => {
                self.perform_update_circular_buffer(&command)
            }
            Command::CreateSemaphore(commands::CreateSemaphore {
                semaphore,
                name,
                program,
                cores,
                initial_value,
            }) => self.perform_create_semaphore(semaphore, name, program, &cores, initial_value),
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
                self.perform_enqueue_write(index, queue, target, data, payload, blocking)
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
                self.perform_enqueue_read(index, queue, source, output, blocking, &expectation)
            }
            Command::EnqueueProgram(commands::EnqueueProgram { queue, program, blocking }) => {
                self.perform_enqueue_program(index, queue, program, blocking)
            }
            Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                kernel,
                values,
                relocations,
            }) => {
                self.perform_set_common_runtime_args(kernel, ArgumentWords { values, relocations })
            }
            Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
                kernel,
                first,
                values,
                relocations,
            }) => {
                let arguments = ArgumentWords { values, relocations };
                self.perform_update_common_runtime_args(kernel, first, arguments)
            }
            Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
                queue,
                event,
                name,
                host_visible,
                number,
            }) => {
                let asked = EventAsked { name, host_visible, number };
                self.perform_record_event(index, queue, event, asked)
            }
            Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event }) => {
                self.perform_wait_for_event(index, queue, event)
            }
            Command::EventSynchronize(commands::EventSynchronize { event }) => {
                self.perform_event_synchronize(index, event)
            }
            Command::EventQuery(commands::EventQuery { event, expected }) => {
                self.perform_event_query(index, event, expected)
            }
            Command::BeginTraceCapture(commands::BeginTraceCapture { queue, trace, name }) => {
                self.perform_begin_trace(queue, trace, name)
            }
            Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }) => {
                self.perform_end_trace(queue, trace)
            }
            Command::ReplayTrace(commands::ReplayTrace { queue, trace, blocking }) => {
                self.perform_replay_trace(index, queue, trace, blocking)
            }
            Command::ReleaseTrace(commands::ReleaseTrace { trace }) => {
                self.perform_release_trace(trace)
            }
            Command::CollectTrace(commands::CollectTrace { trace, collected }) => {
                self.perform_collect_trace(index, trace, collected)
            }
            Command::LoadTrace(commands::LoadTrace { trace, name, from, buffers }) => {
                self.perform_load_trace(trace, name, &from, &buffers)
            }
            Command::Finish(commands::Finish { queue }) => {
                self.check_queue(queue).map_err(plain)?;
                let during = Failure::EventDuringTrace { queue };
                self.check_no_capture(queue, during).map_err(plain)?;
                self.synchronize(queue, index, kind)
            }
        }
    }
}
