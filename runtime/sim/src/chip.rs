//! A simulated chip as the host reaches it: a machine, and all that listens to it.

use std::sync::Arc;

use hallmark_chip::{
    Activity, Advance, Architecture, Awaited, BarOffset, ChipDescription, DescribedBuffer, Fault,
    FaultCategory, Footprints, LastWriter, LaunchDescription, Meaning, Noc, NocCoordinate,
    PhysicalCoordinate, Position, Processor, StatedGroup, StatedProgram, Tick, TileAddress,
    Unwritten,
};

use crate::machine::coordinates::Coordinates;
use crate::machine::observer::BufferMemory;
use crate::machine::{ARCHITECTURES, HostMemory, Machine};
use crate::observers::{ObserverOptions, Observers};
use crate::options::{SimulatorError, SimulatorOptions};
use crate::unit_waits::add_waits;

/// The largest number of messages of launches that a statement may name: TT-Metalium has 8.
const MOST_MESSAGES: u32 = 64;

/// A simulated chip, reached as a PCIe function: configuration space, base address registers, and host
/// memory that it reads and writes by itself.
///
/// Nothing happens by itself: time moves only in [`Chip::advance`]. Once a rule has been broken the
/// chip answers every call with the same fault.
#[derive(Debug)]
pub struct Chip {
    pub(crate) machine: Machine<Observers>,
    fault: Option<Box<Fault>>,
}

impl Chip {
    /// A chip after power-on with its firmware's translation tables in place: every core in reset, and
    /// nothing in memory: what nobody wrote reads as zero and may decide nothing.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownArchitecture`] for a chip that is not among [`crate::ARCHITECTURES`],
    /// [`SimulatorError::Harvesting`] for one that cannot be harvested so, [`SimulatorError::NoDataCache`] for one
    /// without the data cache that the options ask for.
    pub fn new(
        architecture: Architecture,
        options: &SimulatorOptions,
    ) -> Result<Self, SimulatorError> {
        if !ARCHITECTURES.contains(&architecture) {
            return Err(SimulatorError::UnknownArchitecture { architecture });
        }
        let description = ChipDescription::harvested(architecture, options.harvesting)?;
        if options.data_cache && description.data_cache.is_none() {
            return Err(SimulatorError::NoDataCache { architecture });
        }
        let observers = |coordinates: &Coordinates| {
            Observers::new(&ObserverOptions {
                tiles: coordinates.tensix().len(),
                l1_size: description.l1_size,
                allow_races: options.allow_races,
                strict_isa: options.strict_isa,
                strict_tensix: options.strict_tensix,
            })
        };
        let mut machine = Machine::new(description, options.schedule_seed, observers);
        machine.kernels_use_data_cache = options.data_cache;
        Ok(Self { machine, fault: None })
    }

    /// The table that this chip is built from.
    pub fn description(&self) -> &'static ChipDescription {
        self.machine.description
    }

    /// Ticks since power-on.
    pub fn clock(&self) -> u64 {
        self.machine.clock
    }

    /// The rule that was broken, if one was.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    /// Finds races from now on in memory that was annotated, and everywhere between units of the coprocessor and others, on a
    /// chip that was told to let programs race.
    pub fn watch_annotated_memory(&mut self) {
        self.machine.observers.races.watch_annotated();
    }

    /// Where the tile stands that a request on NoC 0 names.
    ///
    /// # Errors
    /// A fault if it names none.
    pub fn place(&self, named: NocCoordinate) -> Result<PhysicalCoordinate, Fault> {
        let place = self.machine.coordinates.resolve(Noc::Noc0, named);
        place.map_err(|violation| violation.at(None))
    }

    /// Reads a word of PCI configuration space; `offset` in bytes.
    ///
    /// # Errors
    /// A fault for an offset that is misaligned or past the header.
    pub fn config_read(&mut self, offset: u16) -> Result<u32, Fault> {
        self.check()?;
        let result = self.machine.bars.configuration(offset);
        let result = result.map_err(|violation| violation.at(None));
        self.keep(result)
    }

    /// Reads from a base address register: through a window, or window registers.
    ///
    /// # Errors
    /// A fault if the access is not one that the chip can answer.
    pub fn bar_read(&mut self, at: BarOffset, buffer: &mut [u8]) -> Result<(), Fault> {
        self.check()?;
        let result = self.machine.bar_read(at, buffer);
        self.keep(result)
    }

    /// Writes to a base address register.
    ///
    /// # Errors
    /// A fault if the access is not one that the chip can take.
    pub fn bar_write(&mut self, at: BarOffset, bytes: &[u8]) -> Result<(), Fault> {
        self.check()?;
        let result = self.machine.bar_write(at, bytes);
        self.keep(result)
    }

    /// Moves time by at most `ticks`, in each of which a running core executes about one instruction.
    /// Stops early, with [`Advance::Quiescent`], once nothing can happen before the host acts.
    ///
    /// # Errors
    /// The fault of the first instruction or NoC request that breaks a rule.
    pub fn advance(&mut self, ticks: u64, host: &mut dyn HostMemory) -> Result<Advance, Fault> {
        self.check()?;
        let result = self.machine.advance(ticks, host);
        self.keep(result)
    }

    pub(crate) fn check(&self) -> Result<(), Fault> {
        match &self.fault {
            Some(fault) => Err(Fault::clone(fault)),
            None => Ok(()),
        }
    }

    fn keep<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        if let Err(fault) = &result {
            self.fault = Some(Box::new(fault.clone()));
        }
        result
    }

    /// Takes note of what a range of a tile's memory is for from now on. Memory that is given back or
    /// given out holds nothing.
    pub fn annotate(
        &mut self,
        at: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: Meaning,
    ) {
        self.machine.annotate(at, start.0, length, meaning);
        self.machine.forget_freed(at, start, length, meaning);
    }

    /// Takes note of a buffer whose memory was annotated just before.
    pub fn describe_buffer(&mut self, buffer: &Arc<DescribedBuffer>) {
        self.machine.describe_buffer(buffer);
    }

    /// Takes note of the launches that begin on a tile from now on through a launch block.
    pub fn describe_launches(
        &mut self,
        at: PhysicalCoordinate,
        block: TileAddress,
        launches: &[Arc<LaunchDescription>],
    ) {
        // A block beyond L1 is none that a core could be handed.
        if let Ok(block) = u32::try_from(block.0) {
            self.machine.describe_launches(at, block, launches);
        }
    }

    /// Takes note of what a program has on tiles whose firmware finds launches in messages. Nothing is taken from a
    /// statement of an unknown version.
    ///
    /// # Errors
    /// A tile that the chip does not have, or messages that do not fit L1. Then nothing is taken. Tiles without cores are left
    /// out.
    pub fn state_program(&mut self, stated: &StatedProgram) -> Result<(), Fault> {
        if stated.version != StatedProgram::VERSION {
            return Ok(());
        }
        let messages = &stated.messages;
        let last = messages.count.checked_sub(1).and_then(|last| messages.message(last));
        let end = last.map(|(_, end)| u64::from(end));
        let l1 = self.description().l1_size;
        if messages.size == 0 || messages.count > MOST_MESSAGES || end.is_none_or(|end| end > l1) {
            return Err(Fault::without_place(
                FaultCategory::ConfigurationError,
                "the messages of launches do not fit L1",
            ));
        }
        let tiles = |group: &StatedGroup| {
            group.tiles.iter().map(|tile| self.place(*tile)).collect::<Result<Vec<_>, Fault>>()
        };
        let tiles: Vec<Vec<PhysicalCoordinate>> =
            stated.groups.iter().map(tiles).collect::<Result<_, _>>()?;
        for (group, tiles) in stated.groups.iter().zip(&tiles) {
            self.machine.state_program(tiles, stated, group);
        }
        Ok(())
    }

    /// The first byte behind a window that nobody wrote.
    ///
    /// # Errors
    /// The fault that the chip is in, or one for a range that no read could have.
    pub fn unwritten(&mut self, at: BarOffset, length: usize) -> Result<Option<Unwritten>, Fault> {
        self.check()?;
        self.machine.unwritten(at, length)
    }

    /// Where each core stands that is neither parked nor in reset.
    pub fn positions(&self) -> Vec<Position> {
        self.machine.positions()
    }

    /// Reads L1 of a tile after a fault. False if there is none, or the range passes its end.
    pub(crate) fn read_stopped(
        &mut self,
        at: PhysicalCoordinate,
        TileAddress(address): TileAddress,
        buffer: &mut [u8],
    ) -> bool {
        let Some(BufferMemory::L1(tile)) = self.machine.buffer_memory(at, address) else {
            return false;
        };
        let start = usize::try_from(address).unwrap_or(usize::MAX);
        let range = start..start.saturating_add(buffer.len());
        let bytes = self.machine.tile(tile).and_then(|tile| tile.memory.bytes.get(range));
        bytes.map(|bytes| buffer.copy_from_slice(bytes)).is_some()
    }

    /// What would end the wait of a parked core.
    pub(crate) fn awaited(
        &mut self,
        at: PhysicalCoordinate,
        processor: Processor,
    ) -> Option<Awaited> {
        self.machine.awaited(at, processor)
    }

    /// What cores have done since the last call. The first call begins to look.
    pub fn take_activity(&mut self) -> Activity {
        let mut activity = self.machine.observers.activity.take(Tick(self.machine.clock));
        let waits = self.machine.observers.races.take_waits();
        add_waits(&mut activity, &waits, &self.machine);
        activity
    }

    /// What requests have touched since the last call. The first call begins to look.
    pub(crate) fn take_footprints(&mut self) -> Footprints {
        self.machine.observers.footprints.take()
    }

    /// Who has written a byte of L1 or DRAM last since the last call for this byte. The first call begins to look.
    /// `None` in all other memory.
    pub(crate) fn last_writer(
        &mut self,
        at: PhysicalCoordinate,
        TileAddress(address): TileAddress,
    ) -> Option<LastWriter> {
        let memory = self.machine.buffer_memory(at, address)?;
        if let BufferMemory::L1(tile) = memory {
            self.machine.tile(tile)?.memory.mark(u32::try_from(address).ok()?);
        }
        Some(self.machine.observers.watched_bytes.last_writer(memory, address))
    }
}
