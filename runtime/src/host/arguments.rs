//! Runtime arguments of a kernel, core by core.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::{Command, SetRuntimeArgs};
use hallmark_schema::model::{
    CommandIndex, CommandKind, CoreArguments, CoreRange, Failure, KernelId, Pairing,
};

use super::argument_vectors::Argument;
use super::argument_words::{check_count, no_scratchpads};
use super::call::Perform;
use super::device::{Device, Host};
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use super::resolution::Addresses;
use super::states::cores_of;
use super::types::{Kernel, Semaphore};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// `SetRuntimeArgs` for a set of cores that all get the same vector.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EmptyCoreRange`], [`Failure::CoreOutsideGrid`],
    /// [`Failure::KernelNotOnCore`], [`Failure::TooManyRuntimeArgs`],
    /// [`Failure::RuntimeArgsCountChanged`], [`Failure::ScratchpadInvalid`], and for arguments that name
    /// objects [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
    pub fn set_runtime_args(
        &mut self,
        kernel: Kernel,
        cores: &[CoreRange],
        arguments: &[Argument],
    ) -> Result<(), CallError> {
        self.set_recorded_args(kernel, vec![Argument::record(arguments, cores)])
    }

    /// `SetRuntimeArgs` for a vector of cores and a vector of argument vectors.
    ///
    /// # Errors
    /// As [`Device::set_runtime_args`], and [`Failure::ArgsVectorMismatch`].
    pub fn set_runtime_args_per_core(
        &mut self,
        kernel: Kernel,
        cores: &[LogicalCore],
        arguments: &[Vec<Argument>],
    ) -> Result<(), CallError> {
        self.set_recorded_args(kernel, Argument::record_per_core(cores, arguments))
    }

    /// `SetRuntimeArgs` from its recorded form: several sets of cores, each with its vector.
    ///
    /// # Errors
    /// As [`Device::set_runtime_args_per_core`].
    pub fn set_recorded_args(
        &mut self,
        kernel: Kernel,
        args: Vec<CoreArguments>,
    ) -> Result<(), CallError> {
        self.call(
            Command::SetRuntimeArgs(SetRuntimeArgs { kernel: kernel.id(), args }),
            Input::Nothing,
        )
    }
}

impl Perform for SetRuntimeArgs {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, buffers, programs, .. } = &mut device.host;
        set_runtime_args(self, opened, buffers, programs)
    }
}

fn set_runtime_args(
    call: SetRuntimeArgs,
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
) -> Result<(), CallError> {
    let SetRuntimeArgs { kernel, args: entries } = call;
    let fail = |failure| HostError::new(CommandKind::SetRuntimeArgs, failure);
    let state = programs.kernel(kernel).map_err(fail)?;
    let checked = check_arguments(opened, buffers, programs, kernel, &entries)
        .map_err(|failure| fail(failure).named(&state.name))?;
    let state = programs.kernel_mut(kernel).map_err(fail)?;
    let program = state.program;
    for (cores, entry) in checked.into_iter().zip(entries) {
        let entry = Arc::new(entry);
        for core in cores {
            state.arguments.insert(core, Arc::clone(&entry));
        }
    }
    programs.assemble_anew(program);
    Ok(())
}

impl Device {
    /// The number by which a kernel asks for a semaphore with `get_semaphore`.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`] if there is no such semaphore.
    pub fn semaphore_number(&self, semaphore: Semaphore) -> Result<u32, Failure> {
        Ok(self.host.programs.semaphore(semaphore.id())?.number)
    }
}

/// The cores of each entry. Nothing is set unless everything can be.
fn check_arguments(
    opened: &Opened,
    buffers: &Buffers,
    programs: &Programs,
    kernel: KernelId,
    entries: &[CoreArguments],
) -> Result<Vec<BTreeSet<LogicalCore>>, Failure> {
    let state = programs.kernel(kernel)?;
    if entries.is_empty() {
        return Err(Failure::EmptyCoreRange {});
    }
    check_vector_form(entries)?;
    let addresses = Addresses::new(opened, buffers, programs);
    let mut all = Vec::with_capacity(entries.len());
    let mut counts: BTreeMap<LogicalCore, u32> = BTreeMap::new();
    for entry in entries {
        let cores = cores_of(&entry.cores, opened.grid())?;
        let count = u32::try_from(entry.values.len()).unwrap_or(u32::MAX);
        for &core in &cores {
            if !state.cores.contains(&core) {
                return Err(Failure::KernelNotOnCore { kernel, core });
            }
            check_count(count.saturating_add(state.common_arguments.count()), core)?;
            let set = state.arguments.get(&core);
            let set = set.map(|set| u32::try_from(set.values.len()).unwrap_or(u32::MAX));
            let before = counts.insert(core, count).or(set);
            // As upstream, no words are as good as never set.
            if let Some(before) = before.filter(|&before| {
                before != count && before != 0 && !planted(Defect::ArgumentCountMayChange)
            }) {
                return Err(Failure::RuntimeArgsCountChanged { core, before, after: count });
            }
        }
        no_scratchpads(&entry.relocations)?;
        addresses.check_relocations(state.program, &entry.relocations)?;
        all.push(cores);
    }
    Ok(all)
}

/// In the form for a vector of cores, each core has its vector ([`super::Argument::record_per_core`]).
fn check_vector_form(entries: &[CoreArguments]) -> Result<(), Failure> {
    let (mut cores, mut vectors) = (0, 0);
    for (index, entry) in entries.iter().enumerate() {
        match entry.pairing() {
            Pairing::CoresAlone(ranges) if index + 1 == entries.len() => cores += ranges.len(),
            // Cores alone come last. Elsewhere they are an empty set of cores, which fails as one.
            Pairing::Paired | Pairing::CoresAlone(_) => {
                cores += 1;
                vectors += 1;
            }
            Pairing::VectorAlone => vectors += 1,
        }
    }
    // One entry without cores is the other form of the call, with an empty set of cores.
    let is_other_form = entries.len() == 1 && cores == 0;
    if cores == vectors || is_other_form {
        return Ok(());
    }
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Err(Failure::ArgsVectorMismatch { cores: number(cores), vectors: number(vectors) })
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::CoreRange;

    use super::*;
    use crate::host::Argument;

    #[test]
    fn each_core_has_its_vector_and_each_vector_its_core() {
        let core = |x| LogicalCore { x, y: 0 };
        for (cores, vectors) in (0..4).flat_map(|cores| (0..4).map(move |count| (cores, count))) {
            let named: Vec<LogicalCore> = (0..cores).map(core).collect();
            let given: Vec<Vec<Argument>> = (0..vectors).map(|word| vec![word.into()]).collect();
            let checked = check_vector_form(&Argument::record_per_core(&named, &given));
            // One vector without any core looks like the other form, which an empty set fails.
            if cores == vectors || (cores, vectors) == (0, 1) {
                assert_eq!(checked, Ok(()), "{cores} cores, {vectors} vectors");
            } else {
                assert_eq!(checked, Err(Failure::ArgsVectorMismatch { cores, vectors }));
            }
        }
        let several = [CoreRange::single(core(0)), CoreRange::single(core(2))];
        let paired = Argument::record(&[7.into()], &several);
        assert_eq!(check_vector_form(std::slice::from_ref(&paired)), Ok(()));
        let alone = CoreArguments::of_cores_alone(&[core(1)]);
        let mismatch = Failure::ArgsVectorMismatch { cores: 2, vectors: 1 };
        assert_eq!(check_vector_form(&[paired.clone(), alone.clone()]), Err(mismatch));
        assert_eq!(check_vector_form(&[alone, paired]), Ok(()));
    }
}
