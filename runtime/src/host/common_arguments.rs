//! Arguments that all cores of a kernel share: set once, then changed in place.

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::{Command, SetCommonRuntimeArgs, UpdateCommonRuntimeArgs};
use hallmark_schema::model::{
    ArgumentRelocation, CommandIndex, CommandKind, CoreArguments, Failure,
};

use super::argument_vectors::Argument;
use super::argument_words::{ArgumentWords, check_count, no_scratchpads, refuse_scratchpads};
use super::call::Perform;
use super::device::{Device, Host};
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use super::resolution::Addresses;
use super::types::Kernel;
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// `SetCommonRuntimeArgs`: words that all cores of a kernel share, set once.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CommonRuntimeArgsAlreadySet`],
    /// [`Failure::TooManyRuntimeArgs`], [`Failure::ScratchpadInvalid`], and for arguments that name objects
    /// [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
    pub fn set_common_runtime_args(
        &mut self,
        kernel: Kernel,
        arguments: &[Argument],
    ) -> Result<(), CallError> {
        let CoreArguments { values, relocations, .. } = Argument::record(arguments, &[]);
        let kernel = kernel.id();
        let command =
            Command::SetCommonRuntimeArgs(SetCommonRuntimeArgs { kernel, values, relocations });
        self.call(command, Input::Nothing)
    }

    /// Other common arguments from the `first`-th on, for launches from now on: upstream writes to what
    /// `GetCommonRuntimeArgs` gives.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CommonRuntimeArgOutOfRange`], [`Failure::ScratchpadInvalid`], and for
    /// arguments that name objects [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
    pub fn update_common_runtime_args(
        &mut self,
        kernel: Kernel,
        first: u32,
        arguments: &[Argument],
    ) -> Result<(), CallError> {
        let CoreArguments { values, relocations, .. } = Argument::record(arguments, &[]);
        let kernel = kernel.id();
        let command = Command::UpdateCommonRuntimeArgs(UpdateCommonRuntimeArgs {
            kernel,
            first,
            values,
            relocations,
        });
        self.call(command, Input::Nothing)
    }
}

impl Perform for SetCommonRuntimeArgs {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, buffers, programs, .. } = &mut device.host;
        set_common_runtime_args(self, opened, buffers, programs)
    }
}

impl Perform for UpdateCommonRuntimeArgs {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, buffers, programs, .. } = &mut device.host;
        update_common_runtime_args(self, opened, buffers, programs)
    }
}

fn set_common_runtime_args(
    call: SetCommonRuntimeArgs,
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
) -> Result<(), CallError> {
    let SetCommonRuntimeArgs { kernel, values, relocations } = call;
    let arguments = ArgumentWords { values, relocations };
    let fail = |failure| HostError::new(CommandKind::SetCommonRuntimeArgs, failure);
    let state = programs.kernel(kernel).map_err(fail)?;
    let named = |failure| fail(failure).named(&state.name);
    // As upstream, a call without words sets nothing.
    if arguments.values.is_empty() {
        return Ok(());
    }
    if !state.common_arguments.values.is_empty() {
        return Err(named(Failure::CommonRuntimeArgsAlreadySet { kernel }).into());
    }
    let unique = |core: &LogicalCore| {
        let set = state.arguments.get(core);
        set.map_or(0, |set| u32::try_from(set.values.len()).unwrap_or(u32::MAX))
    };
    // Of several cores with as many words, the first.
    if let Some(&core) = state.cores.iter().rev().max_by_key(|core| unique(core)) {
        check_count(unique(&core).saturating_add(arguments.count()), core).map_err(named)?;
    }
    Addresses::new(opened, buffers, programs)
        .check_relocations(state.program, &arguments.relocations)
        .map_err(named)?;
    check_scratchpads(&arguments, programs.program(state.program).map_err(fail)?.compiled)
        .map_err(named)?;
    let state = programs.kernel_mut(kernel).map_err(fail)?;
    state.common_arguments = arguments;
    let program = state.program;
    programs.assemble_anew(program);
    Ok(())
}

/// Refuses scratchpads without a byte, and those of a program whose memory is laid out already.
fn check_scratchpads(arguments: &ArgumentWords, is_laid_out: bool) -> Result<(), Failure> {
    let made = arguments.relocations.iter().filter_map(ArgumentRelocation::scratchpad);
    refuse_scratchpads(made.filter(|(_, size)| is_laid_out || *size == 0))
}

fn update_common_runtime_args(
    call: UpdateCommonRuntimeArgs,
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
) -> Result<(), CallError> {
    let UpdateCommonRuntimeArgs { kernel, first, values, relocations } = call;
    let arguments = ArgumentWords { values, relocations };
    let fail = |failure| HostError::new(CommandKind::UpdateCommonRuntimeArgs, failure);
    let state = programs.kernel(kernel).map_err(fail)?;
    let count = state.common_arguments.count();
    let end = u64::from(first) + arguments.values.len() as u64;
    if end > u64::from(count) {
        let index = first.max(count);
        let failure = Failure::CommonRuntimeArgOutOfRange { index, count };
        return Err(fail(failure).named(&state.name).into());
    }
    Addresses::new(opened, buffers, programs)
        .check_relocations(state.program, &arguments.relocations)
        .map_err(|failure| fail(failure).named(&state.name))?;
    let is_replaced = |(index, _): &(u32, u32)| (first.into()..end).contains(&(*index).into());
    no_scratchpads(&arguments.relocations)
        .and_then(|()| refuse_scratchpads(state.scratchpads().filter(is_replaced)))
        .map_err(|failure| fail(failure).named(&state.name))?;
    let state = programs.kernel_mut(kernel).map_err(fail)?;
    state.common_arguments.replace(first, arguments);
    let program = state.program;
    programs.assemble_anew(program);
    Ok(())
}
