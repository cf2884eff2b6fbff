//! Removes everything that depends on removed commands.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::{
    CollectTrace, CreateCircularBuffer, CreateKernel, EnqueueProgram, LoadTrace, Role,
};
use hallmark_schema::model::{
    CircularBufferId, Command, CommandIndex, FailureReference, KernelId, ObjectKind, Outcome,
    ProgramId, ProgramPart, RecordedCommand,
};

use crate::defects::{Defect, planted};
use crate::draft::{CommandSource, DraftCommand};

/// Keeps only commands whose objects exist and whose programs have all their original arguments.
///
/// Objects are made before they are used, so that one pass over the commands is enough.
pub(crate) fn close(commands: &mut Vec<DraftCommand>, base: &ProgramPart) {
    let mut closure = Closure::default();
    for recorded in &base.commands {
        closure.given_out.extend(made_by(&recorded.command));
    }
    let last = commands.len().saturating_sub(1);
    let mut index = 0;
    commands.retain_mut(|command| {
        let is_last = index == last;
        index += 1;
        closure.keeps(command, is_last)
    });
}

/// The object that a command makes or tries to make.
fn made_by(command: &Command) -> Option<(ObjectKind, u32)> {
    let mut made = None;
    command.for_each_reference(|role, kind, id| {
        if role == Role::Creates {
            made = Some((kind, id));
        }
    });
    made
}

#[derive(Default)]
struct Closure {
    /// Objects that the original commands make.
    given_out: BTreeSet<(ObjectKind, u32)>,
    /// Objects that the kept commands make, failed attempts included.
    made: BTreeSet<(ObjectKind, u32)>,
    /// Names of the collected traces.
    collected: BTreeSet<String>,
    /// Kept commands, by their index in the original capture.
    kept: BTreeSet<CommandIndex>,
    /// The program that owns each kernel and circular buffer.
    program_of_kernel: BTreeMap<KernelId, ProgramId>,
    program_of_circular_buffer: BTreeMap<CircularBufferId, ProgramId>,
    /// Kernels whose arguments were removed together with an object.
    without_arguments: BTreeSet<KernelId>,
    /// Programs that lost a circular buffer or its address together with an object.
    incomplete: BTreeSet<ProgramId>,
}

impl Closure {
    /// Whether a command stays. Adapts its outcome to the remaining commands.
    fn keeps(&mut self, command: &mut DraftCommand, is_last: bool) -> bool {
        let recorded = &mut command.recorded;
        if recorded.outcome == Outcome::Unfinished && !is_last {
            return false;
        }
        if !self.has_objects(&recorded.command) || !self.has_bytes(&recorded.command) {
            self.lost(&recorded.command);
            return false;
        }
        if self.lacks_arguments(&recorded.command) {
            return false;
        }
        let own = made_by(&recorded.command);
        if let Outcome::Failed(failure) = &recorded.outcome {
            let names = |reference| match reference {
                FailureReference::Object(kind, id) => {
                    let object = (kind, id);
                    let is_left = own == Some(object) || self.made.contains(&object);
                    (is_left || !self.given_out.contains(&object)).then_some(id)
                }
                FailureReference::Command(at) => {
                    let is_itself = command.source == CommandSource::Command(at);
                    (is_itself || self.kept.contains(&at)).then_some(at.0)
                }
            };
            match (failure.renumbered(names), failure.ends_the_run()) {
                (Some(_), _) => {}
                // Without the blamed command, no failure is known.
                (None, true) => recorded.outcome = Outcome::Done,
                (None, false) => return false,
            }
        }
        self.kept(command);
        true
    }

    fn has_objects(&self, command: &Command) -> bool {
        let mut all = true;
        command.for_each_reference(|role, kind, id| match role {
            Role::Creates => {}
            Role::Uses | Role::Releases | Role::Names => all &= self.made.contains(&(kind, id)),
        });
        all
    }

    fn has_bytes(&self, command: &Command) -> bool {
        match command {
            Command::LoadTrace(LoadTrace { from, .. }) => self.collected.contains(from),
            _ => true,
        }
    }

    /// Whether the command launches a program without all its arguments or circular buffers.
    fn lacks_arguments(&self, command: &Command) -> bool {
        let Command::EnqueueProgram(EnqueueProgram { program, .. }) = command else { return false };
        let of_program = |kernel| self.program_of_kernel.get(kernel) == Some(program);
        let lacks = || self.without_arguments.iter().any(of_program);
        self.incomplete.contains(program) || (!planted(Defect::ClosureForgetsArguments) && lacks())
    }

    /// Notes the contribution of a removed command to its program.
    fn lost(&mut self, command: &Command) {
        let program = |id| self.program_of_circular_buffer.get(&id).copied();
        match command {
            Command::SetRuntimeArgs(call) => {
                self.without_arguments.insert(call.kernel);
            }
            Command::SetCommonRuntimeArgs(call) => {
                self.without_arguments.insert(call.kernel);
            }
            Command::UpdateCommonRuntimeArgs(call) => {
                self.without_arguments.insert(call.kernel);
            }
            Command::CreateCircularBuffer(call) => {
                self.incomplete.insert(call.program);
            }
            Command::UpdateDynamicCircularBufferAddress(call) => {
                self.incomplete.extend(program(call.circular_buffer));
            }
            Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => {
                self.incomplete.extend(program(call.circular_buffer));
            }
            _ => {}
        }
    }

    fn kept(&mut self, command: &DraftCommand) {
        match command.source {
            CommandSource::Command(index) => {
                self.kept.insert(index);
            }
            CommandSource::Unrolled { .. } | CommandSource::Inserted { .. } => {}
        }
        let RecordedCommand { command, outcome } = &command.recorded;
        self.made.extend(made_by(command));
        match command {
            Command::CreateKernel(CreateKernel { kernel, program, .. }) => {
                self.program_of_kernel.insert(*kernel, *program);
            }
            Command::CreateCircularBuffer(CreateCircularBuffer {
                circular_buffer,
                program,
                ..
            }) => {
                self.program_of_circular_buffer.insert(*circular_buffer, *program);
            }
            Command::SetRuntimeArgs(call) => {
                self.without_arguments.remove(&call.kernel);
            }
            Command::CollectTrace(CollectTrace { collected, .. }) if *outcome == Outcome::Done => {
                self.collected.insert(collected.clone());
            }
            _ => {}
        }
    }
}
