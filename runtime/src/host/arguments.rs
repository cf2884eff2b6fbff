//! Runtime arguments of a kernel, core by core, and the words that they become when a program is enqueued.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::promises;
use hallmark_schema::commands::{Command, SetRuntimeArgs};
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferType, CommandIndex, CommandKind, CoreArguments, CoreRange,
    Failure, KernelId, ObjectKind, Pairing, ProgramId, RelocatedArgument, SemaphoreId,
};

use super::argument_vectors::Argument;
use super::call::Perform;
use super::states::cores_of;
use super::types::Kernel;
use super::{Device, Host};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Host {
    /// The cores of each entry. Nothing is set unless everything can be.
    fn check_arguments(
        &self,
        kernel: KernelId,
        entries: &[CoreArguments],
    ) -> Result<Vec<BTreeSet<LogicalCore>>, Failure> {
        let state = self.objects.kernels.get(kernel.0)?;
        if entries.is_empty() {
            return Err(Failure::EmptyCoreRange {});
        }
        check_vector_form(entries)?;
        let mut all = Vec::with_capacity(entries.len());
        let mut counts: BTreeMap<LogicalCore, u32> = BTreeMap::new();
        for entry in entries {
            let cores = cores_of(&entry.cores, self.grid)?;
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
            self.check_relocations(state.program, &entry.relocations)?;
            all.push(cores);
        }
        Ok(all)
    }

    pub(super) fn check_relocations(
        &self,
        program: ProgramId,
        relocations: &[ArgumentRelocation],
    ) -> Result<(), Failure> {
        relocations
            .iter()
            .try_for_each(|relocation| self.resolve(program, relocation.argument).map(|_| ()))
    }

    /// The word that a relocated argument becomes now.
    fn resolve(&self, program: ProgramId, argument: RelocatedArgument) -> Result<u32, Failure> {
        match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                let address = self.buffer_address(buffer)?;
                let offset = if planted(Defect::AddressOffsetIgnored) { 0 } else { offset };
                Ok(address.wrapping_add(offset))
            }
            RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(id), offset } => {
                let state = self.objects.semaphores.get(id)?;
                if state.program != program {
                    let object = ObjectKind::Semaphore;
                    return Err(Failure::WrongProgram { object, id, program });
                }
                let number = state.number + u32::from(planted(Defect::AddressOfTheNextSemaphore));
                Ok(self.semaphore_l1_address(number).wrapping_add(offset))
            }
            RelocatedArgument::ShardBankPair { buffer, pair } => self.shard_bank_pair(buffer, pair),
            RelocatedArgument::CoreNocX { x, y } => self.noc_coordinates(x, y).map(|[x, _]| x),
            RelocatedArgument::CoreNocY { x, y } => self.noc_coordinates(x, y).map(|[_, y]| y),
        }
    }

    /// The x and y by which NoC requests name the core of a relocated argument.
    fn noc_coordinates(&self, x: u16, y: u16) -> Result<[u32; 2], Failure> {
        let noc = self.noc_coordinate(LogicalCore { x: x.into(), y: y.into() })?;
        let coordinates = [noc.x.into(), noc.y.into()];
        let [x, y] = coordinates;
        Ok(if planted(Defect::CoordinatesSwapped) { [y, x] } else { coordinates })
    }

    /// The words of an argument vector as they are now.
    pub(super) fn resolve_arguments(
        &self,
        program: ProgramId,
        values: &[u32],
        relocations: &[ArgumentRelocation],
    ) -> Result<Vec<u32>, Failure> {
        let mut words = values.to_vec();
        for relocation in relocations {
            let value = self.resolve(program, relocation.argument)?;
            if let Some(word) = words.get_mut(relocation.index as usize) {
                *word = value;
            }
        }
        if planted(Defect::ArgumentsSwapped) && words.len() > 1 {
            words.swap(0, 1);
        }
        Ok(words)
    }

    /// A buffer's bank-relative address.
    pub(super) fn buffer_address(&self, buffer: BufferId) -> Result<u32, Failure> {
        let address = self.buffer(buffer)?.extent.placement.address;
        // Banks are smaller than 4 GiB on every chip.
        Ok(u32::try_from(address).unwrap_or(u32::MAX))
    }

    /// The banks of two shards as `TensorAccessor` reads them (tt-metal: `append_sharded_args`).
    pub(super) fn shard_bank_pair(&self, buffer: BufferId, pair: u32) -> Result<u32, Failure> {
        let extent = &self.buffer(buffer)?.extent;
        let cores = extent.mapping.sharding().map_or(&[][..], |(_, cores)| cores);
        let count = u32::try_from(cores.len()).unwrap_or(u32::MAX);
        let index = pair.saturating_mul(2);
        let one_more = u32::from(planted(Defect::ShardPairPastTheLast));
        if index >= count.saturating_add(one_more) {
            return Err(Failure::ShardOutOfRange { buffer, index, count });
        }
        let mut word = 0;
        for (shard, shift) in [(index, 0), (index.saturating_add(1), 16)] {
            if let Some(&core) = cores.get(shard as usize) {
                word |= self.shard_bank(extent.buffer_type, core)? << shift;
            }
        }
        Ok(word)
    }

    fn shard_bank(&self, buffer_type: BufferType, core: LogicalCore) -> Result<u32, Failure> {
        match buffer_type {
            // Several banks may share a tile, so kernels find them by their number. Chips have fewer than 256.
            BufferType::Dram => Ok((core.x & 0xFF) << 8),
            // Coordinates fit into a byte.
            BufferType::L1 | BufferType::L1Small => {
                let noc = self.noc_coordinate(core)?;
                Ok(u32::from(noc.x) << 8 | u32::from(noc.y))
            }
        }
    }

    /// How NoC requests name a core of the grid.
    pub(super) fn noc_coordinate(
        &self,
        core: LogicalCore,
    ) -> Result<hallmark_chip::NocCoordinate, Failure> {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let inside = core.x < columns && core.y < rows;
        inside
            .then(|| self.description.noc_coordinate(core))
            .flatten()
            .ok_or(Failure::CoreOutsideGrid { core, columns, rows })
    }
}

impl Device {
    /// `SetRuntimeArgs` for a set of cores that all get the same vector.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EmptyCoreRange`], [`Failure::CoreOutsideGrid`],
    /// [`Failure::KernelNotOnCore`], [`Failure::TooManyRuntimeArgs`],
    /// [`Failure::RuntimeArgsCountChanged`], and for arguments that name objects
    /// [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
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
        let Self { kernel, args: entries } = self;
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::SetRuntimeArgs, failure);
        let state = host.objects.kernels.get(kernel.0).map_err(fail)?;
        let name = state.name.clone();
        let checked =
            host.check_arguments(kernel, &entries).map_err(|failure| fail(failure).named(&name))?;
        let state = host.objects.kernels.get_mut(kernel.0).map_err(fail)?;
        let program = state.program;
        for (cores, entry) in checked.into_iter().zip(entries) {
            let entry = Arc::new(entry);
            for core in cores {
                state.arguments.insert(core, Arc::clone(&entry));
            }
        }
        host.assemble_anew(program);
        Ok(())
    }
}

impl Device {
    /// The number by which a kernel asks for a semaphore with `get_semaphore`.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`] if there is no such semaphore.
    pub fn semaphore_number(&self, semaphore: super::Semaphore) -> Result<u32, Failure> {
        let SemaphoreId(id) = semaphore.id();
        Ok(self.host.objects.semaphores.get(id)?.number)
    }
}

/// Whether a core may have so many words, its own and common ones.
pub(super) fn check_count(count: u32, core: LogicalCore) -> Result<(), Failure> {
    let limit = promises::RUNTIME_ARGUMENTS + u32::from(planted(Defect::OneArgumentTooMany));
    if count > limit { Err(Failure::TooManyRuntimeArgs { count, limit, core }) } else { Ok(()) }
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
