//! Arguments that all cores of a kernel share: set once, then changed in place.

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::{Command, SetCommonRuntimeArgs, UpdateCommonRuntimeArgs};
use hallmark_schema::model::{
    ArgumentRelocation, CommandIndex, CommandKind, CoreArguments, Failure,
};

use super::Device;
use super::argument_vectors::Argument;
use super::arguments::check_count;
use super::call::Perform;
use super::types::Kernel;
use crate::error::{CallError, HostError};
use crate::payload::Input;

/// Argument words, some of which the runtime fills in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgumentWords {
    pub(crate) values: Vec<u32>,
    /// Ascending by index.
    pub(crate) relocations: Vec<ArgumentRelocation>,
}

impl ArgumentWords {
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }

    /// Puts other words from `first` on, which must lie within these.
    fn replace(&mut self, first: u32, other: Self) {
        let end = first.saturating_add(other.count());
        let place = first as usize..end as usize;
        if let Some(words) = self.values.get_mut(place) {
            words.copy_from_slice(&other.values);
        }
        self.relocations.retain(|kept| kept.index < first || kept.index >= end);
        self.relocations.extend(other.relocations.into_iter().map(|relocation| {
            ArgumentRelocation { index: relocation.index.saturating_add(first), ..relocation }
        }));
        self.relocations.sort_unstable_by_key(|relocation| relocation.index);
    }
}

impl Device {
    /// `SetCommonRuntimeArgs`: words that all cores of a kernel share, set once.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CommonRuntimeArgsAlreadySet`],
    /// [`Failure::TooManyRuntimeArgs`], and for arguments that name objects
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
    /// [`Failure::UnknownObject`], [`Failure::CommonRuntimeArgOutOfRange`], and for arguments that
    /// name objects [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
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
        let Self { kernel, values, relocations } = self;
        let arguments = ArgumentWords { values, relocations };
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::SetCommonRuntimeArgs, failure);
        let state = host.objects.kernels.get(kernel.0).map_err(fail)?;
        let fail = |failure| fail(failure).named(&state.name);
        // As upstream, a call without words sets nothing.
        if arguments.values.is_empty() {
            return Ok(());
        }
        if !state.common_arguments.values.is_empty() {
            return Err(fail(Failure::CommonRuntimeArgsAlreadySet { kernel }).into());
        }
        let unique = |core: &LogicalCore| {
            let set = state.arguments.get(core);
            set.map_or(0, |set| u32::try_from(set.values.len()).unwrap_or(u32::MAX))
        };
        // Of several cores with as many words, the first.
        if let Some(&core) = state.cores.iter().rev().max_by_key(|core| unique(core)) {
            check_count(unique(&core).saturating_add(arguments.count()), core).map_err(fail)?;
        }
        host.check_relocations(state.program, &arguments.relocations).map_err(fail)?;
        let state = host.objects.kernels.get_mut(kernel.0);
        let state =
            state.map_err(|failure| HostError::new(CommandKind::SetCommonRuntimeArgs, failure))?;
        state.common_arguments = arguments;
        let program = state.program;
        host.assemble_anew(program);
        Ok(())
    }
}

impl Perform for UpdateCommonRuntimeArgs {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { kernel, first, values, relocations } = self;
        let arguments = ArgumentWords { values, relocations };
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::UpdateCommonRuntimeArgs, failure);
        let state = host.objects.kernels.get(kernel.0).map_err(fail)?;
        let count = state.common_arguments.count();
        let end = u64::from(first) + arguments.values.len() as u64;
        if end > u64::from(count) {
            let index = first.max(count);
            let failure = Failure::CommonRuntimeArgOutOfRange { index, count };
            return Err(fail(failure).named(&state.name).into());
        }
        host.check_relocations(state.program, &arguments.relocations)
            .map_err(|failure| fail(failure).named(&state.name))?;
        let state = host.objects.kernels.get_mut(kernel.0).map_err(fail)?;
        state.common_arguments.replace(first, arguments);
        let program = state.program;
        host.assemble_anew(program);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{BufferId, RelocatedArgument};

    use super::*;

    fn buffer_at(index: u32, id: u32) -> ArgumentRelocation {
        let argument = RelocatedArgument::BufferAddress { buffer: BufferId(id), offset: 0 };
        ArgumentRelocation { index, argument }
    }

    #[test]
    fn an_update_changes_its_words_and_what_they_stand_for() {
        let mut words = ArgumentWords {
            values: vec![1, 0, 0, 4, 0],
            relocations: vec![buffer_at(1, 7), buffer_at(2, 8), buffer_at(4, 9)],
        };
        words.replace(2, ArgumentWords { values: vec![30, 0], relocations: vec![buffer_at(1, 5)] });
        let relocations = vec![buffer_at(1, 7), buffer_at(3, 5), buffer_at(4, 9)];
        assert_eq!(words, ArgumentWords { values: vec![1, 0, 30, 0, 0], relocations });
    }
}
