//! The places of a trace's symbols on a device.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{HarvestingMask, LogicalCore};
use hallmark_device_code::LAUNCH_ABI;
use hallmark_schema::model::{BufferId, ContentHash, Failure, Grid};

use super::collected::{Header, Symbol};
use super::{LoadTraceError, UnplacedReason, UnplacedSymbol};
use crate::defects::{Defect, planted};
use crate::host::live_buffers::Buffers;
use crate::host::opened::Opened;
use crate::host::programs::Programs;
use crate::host::resolution::Addresses;
use crate::host::trace_states::BufferSymbol;

/// The parts of a device that a trace is placed on.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    opened: &'a Opened,
    buffers: &'a Buffers,
    programs: &'a Programs,
}

impl<'a> Places<'a> {
    pub(super) const fn new(
        opened: &'a Opened,
        buffers: &'a Buffers,
        programs: &'a Programs,
    ) -> Self {
        Self { opened, buffers, programs }
    }

    pub(super) const fn opened(&self) -> &'a Opened {
        self.opened
    }

    pub(super) const fn buffers(&self) -> &'a Buffers {
        self.buffers
    }

    /// The banks of two shards of a buffer.
    pub(super) fn shard_bank_pair(&self, buffer: BufferId, pair: u32) -> Result<u32, Failure> {
        Addresses::new(self.opened, self.buffers, self.programs).shard_bank_pair(buffer, pair)
    }

    /// Whether the trace comes from a chip with the same cores at the same places.
    pub(super) fn is_alike(&self, header: &Header) -> bool {
        header.grid == [self.opened.grid().columns, self.opened.grid().rows]
            && header.harvesting == self.opened.description().harvesting.0
    }

    /// The cores of a trace are here, wherever they stand, and nothing but relocations says where.
    pub(super) fn check_places(&self, header: &Header) -> Result<(), LoadTraceError> {
        let forms = header.launches.iter().flatten();
        let cores = forms.map(|form| LogicalCore { x: form.core[0], y: form.core[1] });
        let missing: BTreeSet<LogicalCore> =
            cores.filter(|core| self.opened.noc_coordinate(*core).is_err()).collect();
        if !missing.is_empty() {
            let cores = missing.into_iter().collect();
            LoadTraceError::Cores { cores, grid: self.opened.grid() }.refuse()?;
        }
        if header.placement_bound && !self.is_alike(header) {
            let [columns, rows] = header.grid;
            LoadTraceError::PlacementBound {
                collected: HarvestingMask(header.harvesting),
                grid: Grid { columns, rows },
                here: self.opened.description().harvesting,
                here_grid: self.opened.grid(),
            }
            .refuse()?;
        }
        Ok(())
    }

    /// Refuses a trace of another architecture or firmware.
    pub(super) fn check_origin(&self, header: &Header) -> Result<(), LoadTraceError> {
        let here = self.opened.description().architecture.name();
        if header.architecture != here {
            let collected = header.architecture.clone();
            LoadTraceError::Chip { collected, here: here.to_owned() }.refuse()?;
        }
        let told = |name: &str, hash: ContentHash, abi: u32| {
            format!("{name} ({}…, launch ABI {abi})", hash.short())
        };
        let firmware = (header.firmware_hash, header.launch_abi);
        if firmware != (self.opened.firmware().hash(), LAUNCH_ABI) {
            let collected = told(&header.firmware, header.firmware_hash, header.launch_abi);
            let name = &self.opened.firmware().manifest().name;
            let here = told(name, self.opened.firmware().hash(), LAUNCH_ABI);
            LoadTraceError::Firmware { collected, here }.refuse()?;
        }
        Ok(())
    }

    /// The value of every symbol here.
    pub(super) fn place_symbols(
        &self,
        header: &Header,
        buffers: &[(String, BufferId)],
    ) -> Result<Vec<Value>, LoadTraceError> {
        let mut named = BTreeMap::new();
        for (id, state) in self.buffers.live() {
            let buffer = Some(id);
            named
                .entry(state.name.as_str())
                .and_modify(|several| *several = None)
                .or_insert(buffer);
        }
        let given = buffers.iter().map(|(name, buffer)| (name.as_str(), *buffer)).collect();
        let candidates = Candidates { given, named };
        let mut values = Vec::new();
        let mut unplaced = Vec::new();
        for symbol in &header.symbols {
            match self.place_symbol(symbol, header, &candidates) {
                Ok(value) => values.push(value),
                Err(reason) => {
                    let symbol = symbol.clone();
                    unplaced.push(UnplacedSymbol { symbol, reason });
                }
            }
        }
        if !unplaced.is_empty() {
            LoadTraceError::Unplaced { symbols: unplaced }.refuse()?;
        }
        Ok(values)
    }

    fn place_symbol(
        &self,
        symbol: &Symbol,
        header: &Header,
        candidates: &Candidates<'_>,
    ) -> Result<Value, UnplacedReason> {
        let coordinate = |[x, y]: [u32; 2]| {
            self.opened.noc_coordinate(LogicalCore { x, y }).map_err(UnplacedReason::Failed)
        };
        match symbol {
            Symbol::Buffer(wanted) => {
                let buffer = self.find_buffer(wanted, candidates)?;
                Ok(Value::Address(self.buffers.address(buffer)?))
            }
            Symbol::ShardBankPair(wanted) => {
                self.find_buffer(wanted, candidates).map(Value::Shards)
            }
            Symbol::Semaphore(number) => {
                let limit = self.opened.firmware().limits().semaphores;
                if *number >= limit {
                    UnplacedReason::TooManySemaphores { limit }.refuse()?;
                }
                Ok(Value::Address(self.opened.semaphore_l1_address(*number)))
            }
            Symbol::CoreX(core) => coordinate(*core).map(|at| Value::Exact(at.x.into())),
            Symbol::CoreY(core) => coordinate(*core).map(|at| Value::Exact(at.y.into())),
            // The launch puts it where there is room.
            Symbol::KernelBinary(hash) if header.binaries.contains_key(hash) => Ok(Value::Exact(0)),
            Symbol::KernelBinary(_) => UnplacedReason::NoElf.refuse().map(|()| Value::Exact(0)),
            Symbol::CircularBuffers => {
                Ok(Value::Address(self.opened.firmware().memory().unreserved_base))
            }
        }
    }

    /// The buffer that is given for a name, or the only one of that name, if its shape is the same.
    fn find_buffer(
        &self,
        wanted: &BufferSymbol,
        candidates: &Candidates<'_>,
    ) -> Result<BufferId, UnplacedReason> {
        let found = candidates.find(&wanted.name)?;
        let here = self.buffers.symbol(self.opened, found).ok_or(UnplacedReason::Released)?;
        let renamed = BufferSymbol { name: wanted.name.clone(), ..here };
        if renamed != *wanted && !planted(Defect::LoadedTraceTakesAnyShape) {
            let wanted = Box::new(wanted.clone());
            UnplacedReason::OtherShape { here: Box::new(renamed), wanted }.refuse()?;
        }
        Ok(found)
    }
}

/// The value of a symbol on a device.
pub(super) enum Value {
    /// An address, to which the addend comes.
    Address(u32),
    /// The banks of a buffer's shards; the addend is the number of the pair.
    Shards(BufferId),
    /// This number, whatever the addend.
    Exact(u32),
}

/// The buffers that a trace may take, by name.
struct Candidates<'a> {
    given: BTreeMap<&'a str, BufferId>,
    /// The live ones; none where several have the name.
    named: BTreeMap<&'a str, Option<BufferId>>,
}

impl Candidates<'_> {
    fn find(&self, name: &str) -> Result<BufferId, UnplacedReason> {
        let given = self.given.get(name);
        if let Some(buffer) = given.filter(|_| !planted(Defect::LoadedTraceIgnoresGivenBuffers)) {
            return Ok(*buffer);
        }
        match self.named.get(name) {
            None => Err(UnplacedReason::NoBuffer),
            Some(None) => Err(UnplacedReason::SeveralBuffers),
            Some(Some(buffer)) => Ok(*buffer),
        }
    }
}
