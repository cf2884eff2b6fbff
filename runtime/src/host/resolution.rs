//! The words that argument relocations become: addresses, shards and coordinates.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferType, Failure, ObjectKind, ProgramId, RelocatedArgument,
    SemaphoreId,
};

use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use crate::defects::{Defect, planted};

/// The parts that relocations depend on, as they are now.
#[derive(Clone, Copy)]
pub(super) struct Addresses<'a> {
    opened: &'a Opened,
    buffers: &'a Buffers,
    programs: &'a Programs,
}

impl<'a> Addresses<'a> {
    pub(super) const fn new(
        opened: &'a Opened,
        buffers: &'a Buffers,
        programs: &'a Programs,
    ) -> Self {
        Self { opened, buffers, programs }
    }

    /// Refuses relocations that name missing objects or cores.
    pub(super) fn check_relocations(
        &self,
        program: ProgramId,
        relocations: &[ArgumentRelocation],
    ) -> Result<(), Failure> {
        relocations
            .iter()
            .try_for_each(|relocation| self.resolve(program, *relocation, &|_| None).map(|_| ()))
    }

    /// The word that a relocated argument becomes now; `scratchpad` gives the address of the one that an argument makes.
    fn resolve(
        &self,
        program: ProgramId,
        ArgumentRelocation { index, argument }: ArgumentRelocation,
        scratchpad: &dyn Fn(u32) -> Option<u64>,
    ) -> Result<u32, Failure> {
        match argument {
            // The layout was checked against L1, so nothing is cut off.
            RelocatedArgument::ScratchpadAddress { .. } => {
                Ok(scratchpad(index).unwrap_or(0) as u32)
            }
            RelocatedArgument::BufferAddress { buffer, offset } => {
                let address = self.buffers.address(buffer)?;
                let offset = if planted(Defect::AddressOffsetIgnored) { 0 } else { offset };
                Ok(address.wrapping_add(offset))
            }
            RelocatedArgument::SemaphoreAddress { semaphore, offset } => {
                let state = self.programs.semaphore(semaphore)?;
                if state.program != program {
                    let (object, SemaphoreId(id)) = (ObjectKind::Semaphore, semaphore);
                    return Err(Failure::WrongProgram { object, id, program });
                }
                let number = state.number + u32::from(planted(Defect::AddressOfTheNextSemaphore));
                Ok(self.opened.semaphore_l1_address(number).wrapping_add(offset))
            }
            RelocatedArgument::ShardBankPair { buffer, pair } => self.shard_bank_pair(buffer, pair),
            RelocatedArgument::CoreNocX { x, y } => self.noc_coordinates(x, y).map(|[x, _]| x),
            RelocatedArgument::CoreNocY { x, y } => self.noc_coordinates(x, y).map(|[_, y]| y),
        }
    }

    /// The x and y by which NoC requests name the core of a relocated argument.
    fn noc_coordinates(&self, x: u16, y: u16) -> Result<[u32; 2], Failure> {
        let noc = self.opened.noc_coordinate(LogicalCore { x: x.into(), y: y.into() })?;
        let coordinates = [noc.x.into(), noc.y.into()];
        let [x, y] = coordinates;
        Ok(if planted(Defect::CoordinatesSwapped) { [y, x] } else { coordinates })
    }

    /// The words of an argument vector as they are now.
    ///
    /// # Errors
    /// The failure, with the argument that cannot be resolved.
    pub(super) fn resolve_arguments(
        &self,
        program: ProgramId,
        values: &[u32],
        relocations: &[ArgumentRelocation],
        scratchpad: &dyn Fn(u32) -> Option<u64>,
    ) -> Result<Vec<u32>, (Failure, ArgumentRelocation)> {
        let mut words = values.to_vec();
        for relocation in relocations {
            let resolved = self.resolve(program, *relocation, scratchpad);
            let value = resolved.map_err(|failure| (failure, *relocation))?;
            if let Some(word) = words.get_mut(relocation.index as usize) {
                *word = value;
            }
        }
        if planted(Defect::ArgumentsSwapped) && words.len() > 1 {
            words.swap(0, 1);
        }
        Ok(words)
    }

    /// The banks of two shards as `TensorAccessor` reads them (tt-metal: `append_sharded_args`).
    pub(super) fn shard_bank_pair(&self, buffer: BufferId, pair: u32) -> Result<u32, Failure> {
        let extent = &self.buffers.get(buffer)?.extent;
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

    /// An argument that names an object which is gone: "runtime argument 1 of kernel `k` is the address of buffer `dst`,
    /// which was deallocated; …".
    pub(super) fn describe_gone(
        &self,
        kernel: &str,
        kind: &str,
        relocation: ArgumentRelocation,
    ) -> Option<String> {
        let ArgumentRelocation { index, argument } = relocation;
        let (buffer, what) = match argument {
            RelocatedArgument::BufferAddress { buffer, .. } => (buffer, "is the address"),
            RelocatedArgument::ShardBankPair { buffer, .. } => (buffer, "has the banks"),
            RelocatedArgument::SemaphoreAddress { .. }
            | RelocatedArgument::ScratchpadAddress { .. }
            | RelocatedArgument::CoreNocX { .. }
            | RelocatedArgument::CoreNocY { .. } => return None,
        };
        let name = self.buffers.released_name(buffer);
        let buffer = match name {
            Some(name) => format!("buffer `{name}`"),
            // The view is there, and its buffer is gone.
            None => format!("view `{}` of a buffer", self.buffers.get_alone(buffer).ok()?.name),
        };
        Some(format!(
            "{kind}runtime argument {index} of kernel `{kernel}` {what} of {buffer}, which was deallocated: set the \
             kernel's arguments again before the program is enqueued"
        ))
    }

    fn shard_bank(&self, buffer_type: BufferType, core: LogicalCore) -> Result<u32, Failure> {
        match buffer_type {
            // Several banks may share a tile, so kernels find them by their number. Chips have fewer than 256.
            BufferType::Dram => Ok((core.x & 0xFF) << 8),
            // Coordinates fit into a byte.
            BufferType::L1 | BufferType::L1Small => {
                let noc = self.opened.noc_coordinate(core)?;
                Ok(u32::from(noc.x) << 8 | u32::from(noc.y))
            }
        }
    }
}
