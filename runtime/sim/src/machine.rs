//! A chip's tiles, memories and networks, as requests and the host reach them.
//!
//! What happens is told to an [`observer::Observer`], of which the machine knows nothing.

pub(crate) mod actor;
pub(crate) mod address_translation;
mod arc;
pub(crate) mod bars;
pub(crate) mod coordinates;
pub(crate) mod core;
pub(crate) mod defects;
mod ethernet;
pub(crate) mod fault;
mod launches;
#[cfg(test)]
mod limit_tests;
pub(crate) mod memory;
pub(crate) mod noc;
pub(crate) mod observer;
mod scheduler;
pub(crate) mod tile;

use hallmark_chip::{
    BarOffset, ChipDescription, DescribedBuffer, Fault, HostNocInterface, LaunchDescription,
    Meaning, Noc, PhysicalCoordinate, Random, StatedGroup, StatedProgram, WindowTarget,
};

use self::actor::Actor;
use self::address_translation::AddressTranslation;
use self::arc::Arc;
use self::bars::{Bars, Landing};
use self::coordinates::{Coordinates, TileKind, harvested};
use self::ethernet::EthernetTile;
use self::fault::{Origin, Violation};
use self::memory::SparseMemory;
use self::noc::{Network, Niu};
use self::observer::{BufferMemory, InstructionObserver, MemoryRange, SyncRegister};
use self::scheduler::Schedule;
use self::tile::{Surroundings, Tile, synchronized_by};

/// The chips that are simulated. [`hallmark_chip::ChipDescription`] may have tables of more.
pub const ARCHITECTURES: &[hallmark_chip::Architecture] = &[
    hallmark_chip::Architecture::Grayskull,
    hallmark_chip::Architecture::WormholeB0,
    hallmark_chip::Architecture::Blackhole,
];

/// Host memory as the chip's PCIe tile reaches it, by host (I/O virtual) address.
pub trait HostMemory {
    /// Fills the buffer from host memory; `false` if any of it is not there.
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool;

    /// Writes to host memory; `false`, with nothing written, if any of it is not there.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;

    /// Of bytes just written by the chip, the bits that nobody ever wrote on it. Host memory that does
    /// not keep them counts as known.
    fn forget(&mut self, address: u64, unknown: &[u8]) {
        let _ = (address, unknown);
    }

    /// Marks the bits of bytes just read that nobody has written.
    fn unknown(&mut self, address: u64, unknown: &mut [u8]) {
        let _ = (address, unknown);
    }
}

/// A chip without the rules of its observers, and its observers.
#[derive(Debug)]
pub(crate) struct Machine<O> {
    pub(crate) observers: O,
    pub(crate) description: &'static ChipDescription,
    pub(crate) coordinates: Coordinates,
    pub(crate) tiles: Vec<Option<Box<Tile>>>,
    pub(crate) dram: Vec<SparseMemory>,
    pub(crate) ethernet: Vec<Option<Box<EthernetTile>>>,
    arc: Option<Box<Arc>>,
    pub(crate) network: Network,
    pub(crate) schedule: Schedule,
    pub(crate) clock: u64,
    pub(crate) bars: Bars,
    pub(crate) address_translation: AddressTranslation,
    /// Of the schedule; tiles that are made later draw from it too.
    pub(crate) seed: u64,
    /// Firmware lets kernels use the data cache.
    pub(crate) kernels_use_data_cache: bool,
    /// No tile has run since the chip came to rest.
    pub(crate) is_at_rest: bool,
}

impl<O: InstructionObserver> Machine<O> {
    /// A chip after power-on. Seed 0 is the schedule of fixed lengths and delays.
    pub(crate) fn new(
        description: &'static ChipDescription,
        seed: u64,
        observers: impl FnOnce(&Coordinates) -> O,
    ) -> Self {
        let coordinates = Coordinates::new(description);
        let mut random = Random::new(seed);
        let network_seed = if seed == 0 { 0 } else { random.next() | 1 };
        let dram = description.dram_tiles.iter();
        Self {
            observers: observers(&coordinates),
            description,
            tiles: coordinates.tensix().iter().map(|_| None).collect(),
            dram: dram.map(|tile| SparseMemory::new("DRAM", tile.size)).collect(),
            ethernet: description.ethernet_tiles.iter().map(|_| None).collect(),
            arc: None,
            network: Network::new(network_seed, &description.noc),
            schedule: Schedule::new((seed != 0).then_some(random)),
            clock: 0,
            bars: Bars::new(description),
            address_translation: AddressTranslation::new(description.address_translation),
            coordinates,
            seed,
            kernels_use_data_cache: false,
            is_at_rest: true,
        }
    }

    /// Reads from a base address register.
    pub(crate) fn bar_read(&mut self, at: BarOffset, buffer: &mut [u8]) -> Result<(), Fault> {
        match self.bars.land(at, buffer.len()).map_err(|violation| violation.at(None))? {
            Landing::Register(word) => {
                self.bars.read_register(word, buffer);
                Ok(())
            }
            Landing::NocInterface { interface: HostNocInterface { tile, noc, .. }, offset } => {
                let registers = Niu::new(noc, self.description, &self.coordinates, tile);
                let word = registers.identity(offset, self.description).ok_or_else(|| {
                    let reason = format!("register {offset:#x} of the NoC interface");
                    Violation::unimplemented(reason).at(Some(Origin::Host.place(tile)))
                })?;
                buffer.copy_from_slice(&word.to_le_bytes());
                Ok(())
            }
            Landing::Arc(address) => {
                let tile = self.description.arc_tile;
                let read = self.arc(tile, address.0).and_then(|arc| arc.read(address.0, buffer));
                read.map_err(|violation| violation.at(Some(Origin::Host.place(tile))))
            }
            Landing::Translation(offset) => {
                let word = self.address_translation.register(offset);
                let word = word.map_err(|violation| violation.at(None))?;
                buffer.copy_from_slice(&word.to_le_bytes());
                Ok(())
            }
            Landing::Window { target, address } => {
                if target.multicast_start.is_some() {
                    return Err(Violation::undefined("a read through a multicast window").at(None));
                }
                let tile = self.resolve(target.noc, &target)?;
                self.host_accesses(tile, (address.0, buffer.len()), false)
                    .and_then(|()| self.read_tile(tile, address.0, buffer, Origin::Host, None))
                    .map_err(|violation| violation.at(Some(Origin::Host.place(tile))))
            }
        }
    }

    /// Writes to a base address register.
    pub(crate) fn bar_write(&mut self, at: BarOffset, bytes: &[u8]) -> Result<(), Fault> {
        match self.bars.land(at, bytes.len()).map_err(|violation| violation.at(None))? {
            Landing::Register(word) => {
                self.bars.write_register(word, bytes);
                Ok(())
            }
            Landing::NocInterface { interface, offset } => {
                let reason = format!("a write to register {offset:#x} of the NoC interface");
                let place = Origin::Host.place(interface.tile);
                Err(Violation::unimplemented(reason).at(Some(place)))
            }
            Landing::Arc(address) => {
                let tile = self.description.arc_tile;
                let write = self.arc(tile, address.0).and_then(|arc| arc.write(address.0, bytes));
                write.map_err(|violation| violation.at(Some(Origin::Host.place(tile))))
            }
            Landing::Translation(offset) => {
                let word = self.address_translation.register(offset);
                let word = word.map_err(|violation| violation.at(None))?;
                *word = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
                Ok(())
            }
            Landing::Window { target, address } => {
                for tile in self.window_tiles(&target)? {
                    self.host_accesses(tile, (address.0, bytes.len()), true)
                        .and_then(|()| self.write_tile(tile, address.0, bytes, Origin::Host, None))
                        .map_err(|violation| violation.at(Some(Origin::Host.place(tile))))?;
                }
                Ok(())
            }
        }
    }

    /// The host is about to read or write a tile's memory or registers through a window.
    fn host_accesses(
        &mut self,
        at: PhysicalCoordinate,
        (address, length): (u64, usize),
        writes: bool,
    ) -> Result<(), Violation> {
        if self.is_idle() {
            self.comes_to_rest();
            return Ok(());
        }
        let TileKind::Tensix(index) = self.coordinates.kind(at) else { return Ok(()) };
        let Self { tiles, observers, coordinates, description, .. } = self;
        let Some(tile) = tiles.get_mut(usize::from(index)).and_then(Option::as_mut) else {
            return Ok(());
        };
        if address < description.l1_size {
            let range = (address, length as u64);
            return observers.host_accesses(&mut tile.scene(coordinates), range, writes);
        }
        if writes {
            for register in synchronized_by(address, description).into_iter().flatten() {
                observers.register_stored(Actor::Host, index, register);
            }
        } else {
            let register = SyncRegister::Word(address as u32);
            observers.register_loaded(Actor::Host, index, register);
        }
        Ok(())
    }

    /// Nothing runs and nothing is in flight: whatever comes next comes after all that was done.
    pub(crate) fn comes_to_rest(&mut self) {
        if !self.is_at_rest {
            self.is_at_rest = true;
            self.tiles.iter_mut().flatten().for_each(|tile| tile.comes_to_rest());
        }
        self.observers.chip_is_idle();
    }

    /// Nothing runs and nothing is in flight.
    fn is_idle(&self) -> bool {
        self.schedule.is_idle() && self.network.next_time().is_none()
    }

    /// Tells observers what a range of a tile's memory is for from now on.
    pub(crate) fn annotate(
        &mut self,
        at: PhysicalCoordinate,
        start: u64,
        length: u64,
        meaning: Meaning,
    ) {
        let end = start.saturating_add(length);
        let memory = self.buffer_memory(at, start);
        self.observers.annotated(at, (start, end), meaning, memory);
    }

    /// Tells observers of a buffer that has memory from now on.
    pub(crate) fn describe_buffer(&mut self, buffer: &std::sync::Arc<DescribedBuffer>) {
        let memories: Vec<Option<BufferMemory>> = buffer
            .extents
            .iter()
            .map(|extent| self.buffer_memory(extent.tile, extent.start.0))
            .collect();
        self.observers.buffer_described(buffer, &memories);
    }

    /// Takes note of the launches that begin on a tile from now on, and tells observers.
    pub(crate) fn describe_launches(
        &mut self,
        at: PhysicalCoordinate,
        block: u32,
        launches: &[std::sync::Arc<LaunchDescription>],
    ) {
        let TileKind::Tensix(number) = self.coordinates.kind(at) else { return };
        let known = |launch: &&std::sync::Arc<LaunchDescription>| {
            launch.version == LaunchDescription::VERSION
        };
        let launches: Vec<_> = launches.iter().take_while(known).cloned().collect();
        if let Some(tile) = self.tile(number) {
            // Cores wait for semaphores, and what was stored to one before the first wait may be to blame.
            for semaphore in launches.iter().flat_map(|launch| &launch.semaphores) {
                tile.memory.mark(semaphore.address);
            }
            tile.launches.describe(block, &launches, &mut tile.memory);
        }
        self.observers.launch_described(number, at, block, &launches);
    }

    /// Takes note of what a program has on tiles, whose launches messages in L1 tell.
    pub(crate) fn state_program(
        &mut self,
        tiles: &[PhysicalCoordinate],
        stated: &StatedProgram,
        group: &StatedGroup,
    ) {
        for at in tiles {
            let TileKind::Tensix(number) = self.coordinates.kind(*at) else { continue };
            let Some(tile) = self.tile(number) else { continue };
            let has = (&*group.kernels, &*group.semaphores);
            let (messages, program) = (stated.messages, stated.program);
            tile.launches.state(messages, program, has, &mut tile.memory);
        }
    }

    pub(crate) fn resolve(
        &self,
        noc: Noc,
        target: &WindowTarget,
    ) -> Result<PhysicalCoordinate, Fault> {
        self.coordinates.resolve(noc, target.end).map_err(|violation| violation.at(None))
    }

    fn window_tiles(&self, target: &WindowTarget) -> Result<Vec<PhysicalCoordinate>, Fault> {
        let end = self.resolve(target.noc, target)?;
        let Some(start) = target.multicast_start else { return Ok(vec![end]) };
        let start =
            self.coordinates.resolve(target.noc, start).map_err(|violation| violation.at(None))?;
        let (low, high) = match target.noc {
            Noc::Noc0 => (start, end),
            Noc::Noc1 => (end, start),
        };
        if low.x > high.x || low.y > high.y {
            let reason = format!("a multicast window from {start} to {end} wraps around");
            return Err(Violation::undefined(reason).at(None));
        }
        for corner in [low, high] {
            if !matches!(self.coordinates.kind(corner), TileKind::Tensix(_)) {
                let reason = format!("a multicast window's corner {corner} is no Tensix tile");
                return Err(Violation::undefined(reason).at(None));
            }
        }
        Ok((low.y..=high.y)
            .flat_map(|y| (low.x..=high.x).map(move |x| PhysicalCoordinate { x, y }))
            .filter(|&at| matches!(self.coordinates.kind(at), TileKind::Tensix(_)))
            .collect())
    }

    /// A tile's state, made when somebody first needs it.
    pub(crate) fn tile(&mut self, index: u16) -> Option<&mut Tile> {
        let at = *self.coordinates.tensix().get(usize::from(index))?;
        let seed = self.seed;
        let slot = self.tiles.get_mut(usize::from(index))?;
        let tile = slot.get_or_insert_with(|| {
            Box::new(Tile::new(self.description, &self.coordinates, at, seed))
        });
        Some(tile)
    }

    /// The ARC tile, made when somebody first needs it.
    fn arc(&mut self, at: PhysicalCoordinate, address: u64) -> Result<&mut Arc, Violation> {
        let Some(table) = &self.description.arc else { return Err(nothing(at, address)) };
        if self.arc.is_none() {
            self.arc = Some(Box::new(Arc::new(table, self.description)?));
        }
        self.arc.as_deref_mut().ok_or_else(|| nothing(at, address))
    }

    /// An Ethernet tile, made when somebody first needs it.
    fn ethernet(
        &mut self,
        channel: u8,
        at: PhysicalCoordinate,
        address: u64,
    ) -> Result<&mut EthernetTile, Violation> {
        let description = self.description;
        let slot = self.ethernet.get_mut(usize::from(channel));
        let slot = slot.ok_or_else(|| nothing(at, address))?;
        if slot.is_none() {
            *slot = Some(Box::new(EthernetTile::new(description)?));
        }
        slot.as_deref_mut().ok_or_else(|| nothing(at, address))
    }

    /// A word of a tile's NoC interface, if requests to the tile find one at an address.
    fn noc_interface(&self, at: PhysicalCoordinate, address: u64) -> Option<u32> {
        self.description.tile_noc_interfaces.iter().filter(|it| it.tile == at).find_map(|it| {
            let offset = u32::try_from(address.checked_sub(it.start.0)?).ok()?;
            let registers = Niu::new(it.noc, self.description, &self.coordinates, at);
            registers.identity(offset, self.description)
        })
    }

    /// The address in host memory that the chip means by one of its PCIe tile.
    pub(crate) fn host_address(&self, address: u64, length: usize) -> Result<u64, Violation> {
        let size = self.description.pcie_host_size;
        let fits = |offset: &u64| offset.saturating_add(length as u64) <= size;
        let direct = self.description.pcie_direct_windows.iter();
        let direct = direct.filter_map(|window| address.checked_sub(window.0)).find(fits);
        if let Some(offset) = direct {
            return Ok(offset);
        }
        address
            .checked_sub(self.description.pcie_host_base.0)
            .filter(fits)
            .map(|offset| self.address_translation.outbound(offset))
            .ok_or_else(|| {
                Violation::unimplemented(format!(
                    "{length} bytes at {address:#x} of the PCIe tile are not host memory"
                ))
            })
    }

    /// The memory at an address of a tile, if buffers lie there.
    pub(crate) fn buffer_memory(
        &self,
        at: PhysicalCoordinate,
        address: u64,
    ) -> Option<BufferMemory> {
        match self.coordinates.kind(at) {
            TileKind::Tensix(tile) if address < self.description.l1_size => {
                Some(BufferMemory::L1(tile))
            }
            TileKind::Dram(channel) => Some(BufferMemory::Dram(channel)),
            TileKind::Tensix(_)
            | TileKind::Ethernet(_)
            | TileKind::Pcie
            | TileKind::Arc
            | TileKind::Harvested
            | TileKind::Empty => None,
        }
    }

    /// A range of a tile, if buffers lie there.
    fn buffer_range(
        &self,
        at: PhysicalCoordinate,
        (start, length): (u64, usize),
    ) -> Option<MemoryRange> {
        let memory = self.buffer_memory(at, start)?;
        Some(MemoryRange { memory, at, start, length: length as u64 })
    }

    pub(crate) fn read_tile(
        &mut self,
        at: PhysicalCoordinate,
        address: u64,
        buffer: &mut [u8],
        origin: Origin,
        host: Option<&mut dyn HostMemory>,
    ) -> Result<(), Violation> {
        if let Some(range) = self.buffer_range(at, (address, buffer.len())) {
            self.observers.accesses(&range, false, origin);
        }
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) if address < self.description.l1_size => {
                match self.tiles.get(usize::from(index)).and_then(Option::as_ref) {
                    Some(tile) => tile.memory.read(address, buffer),
                    None if address + buffer.len() as u64 <= self.description.l1_size => {
                        buffer.fill(0);
                        Ok(())
                    }
                    None => Err(Violation::undefined(format!(
                        "{} bytes at {address:#x} pass the end of L1",
                        buffer.len()
                    ))),
                }
            }
            TileKind::Tensix(index) => {
                let value = self.with_register(
                    index,
                    address,
                    buffer.len(),
                    origin,
                    |tile, address, surroundings| tile.read_register(address, surroundings),
                )?;
                let Some(value) = value else {
                    return Err(Violation::unimplemented(format!(
                        "register {address:#x} is a queue"
                    )));
                };
                buffer.copy_from_slice(&value.to_le_bytes());
                Ok(())
            }
            TileKind::Dram(channel) => match self.dram.get(usize::from(channel)) {
                Some(dram) => dram.read(address, buffer),
                None => Ok(()),
            },
            TileKind::Ethernet(channel) => {
                self.ethernet(channel, at, address)?.read(address, buffer)
            }
            TileKind::Pcie | TileKind::Arc
                if buffer.len() == 4
                    && let Some(word) = self.noc_interface(at, address) =>
            {
                buffer.copy_from_slice(&word.to_le_bytes());
                Ok(())
            }
            TileKind::Pcie => {
                let offset = self.host_address(address, buffer.len())?;
                let Some(host) = host else {
                    return Err(Violation::unsupported("the host reaches itself through the chip"));
                };
                if host.read(offset, buffer) { Ok(()) } else { Err(unpinned(offset, buffer.len())) }
            }
            TileKind::Harvested => Err(harvested(at)),
            TileKind::Arc => self.arc(at, address)?.read(address, buffer),
            TileKind::Empty => Err(nothing(at, address)),
        }
    }

    pub(crate) fn write_tile(
        &mut self,
        at: PhysicalCoordinate,
        address: u64,
        bytes: &[u8],
        origin: Origin,
        host: Option<&mut dyn HostMemory>,
    ) -> Result<(), Violation> {
        let range = self.buffer_range(at, (address, bytes.len()));
        if let Some(range) = &range {
            self.observers.accesses(range, true, origin);
        }
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) if address < self.description.l1_size => {
                let Some(tile) = self.tile(index) else { return Ok(()) };
                tile.memory.write(address, bytes, origin)?;
                if let Some(range) = &range {
                    self.observers.wrote(range, origin);
                }
                self.settle(index);
                Ok(())
            }
            TileKind::Tensix(index) => {
                let value = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
                if !address.is_multiple_of(4) {
                    return Err(Violation::undefined(format!(
                        "register {address:#x} is not aligned"
                    )));
                }
                // A tile that nothing has touched holds its cores in reset already; opening a device says
                // so to each, and most stay untouched.
                let reset = &self.description.reset;
                if address == reset.soft_reset.0
                    && bytes.len() == 4
                    && value == reset.all()
                    && self.tiles.get(usize::from(index)).is_some_and(Option::is_none)
                {
                    return Ok(());
                }
                let taken = self.with_register(
                    index,
                    address,
                    bytes.len(),
                    origin,
                    |tile, address, surroundings| tile.write_register(address, value, surroundings),
                )?;
                self.settle(index);
                if taken {
                    Ok(())
                } else {
                    Err(Violation::unimplemented(format!("register {address:#x} is a queue")))
                }
            }
            TileKind::Dram(channel) => {
                let Some(dram) = self.dram.get_mut(usize::from(channel)) else { return Ok(()) };
                dram.write(address, bytes)?;
                if let Some(range) = &range {
                    self.observers.wrote(range, origin);
                }
                Ok(())
            }
            TileKind::Ethernet(channel) => {
                self.ethernet(channel, at, address)?.write(address, bytes)
            }
            TileKind::Pcie => {
                let offset = self.host_address(address, bytes.len())?;
                let Some(host) = host else {
                    return Err(Violation::unsupported("the host reaches itself through the chip"));
                };
                if host.write(offset, bytes) { Ok(()) } else { Err(unpinned(offset, bytes.len())) }
            }
            TileKind::Harvested => Err(harvested(at)),
            TileKind::Arc => self.arc(at, address)?.write(address, bytes),
            TileKind::Empty => Err(nothing(at, address)),
        }
    }

    /// A register access from outside the tile, by the host or the NoC: one word.
    fn with_register<T>(
        &mut self,
        index: u16,
        address: u64,
        length: usize,
        origin: Origin,
        access: impl FnOnce(&mut Tile, u32, &mut Surroundings<'_>) -> Result<T, Violation>,
    ) -> Result<T, Violation> {
        if length != 4 {
            return Err(Violation::unsupported(format!(
                "an access of {length} bytes at {address:#x}; registers are words"
            )));
        }
        let Ok(word) = u32::try_from(address) else {
            return Err(Violation::unimplemented(format!("nothing is mapped at {address:#x}")));
        };
        let Self { tiles, coordinates, network, observers, description, clock, seed, .. } = self;
        let at = coordinates.tensix().get(usize::from(index)).copied();
        let (Some(slot), Some(at)) = (tiles.get_mut(usize::from(index)), at) else {
            return Err(Violation::unimplemented("there is no such tile"));
        };
        let tile =
            slot.get_or_insert_with(|| Box::new(Tile::new(description, coordinates, at, *seed)));
        let mut surroundings = Surroundings {
            description,
            coordinates,
            network,
            observers,
            now: *clock,
            origin,
            core: None,
            issues_at_once: false,
        };
        access(tile, word, &mut surroundings)
    }

    /// Wakes whom a write woke, and notes whether the tile has anything to run.
    pub(crate) fn settle(&mut self, index: u16) {
        if let Some(tile) = self.tiles.get_mut(usize::from(index)).and_then(Option::as_mut) {
            tile.settle();
            if tile.running != 0 {
                self.schedule.activate(index);
            }
        }
    }
}

fn nothing(at: PhysicalCoordinate, address: u64) -> Violation {
    Violation::unimplemented(format!("{address:#x} at tile {at}"))
}

fn unpinned(address: u64, length: usize) -> Violation {
    Violation::undefined(format!("{length} bytes of host memory at {address:#x} are not pinned"))
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Architecture, NocCoordinate, TileAddress};

    use super::*;

    #[test]
    fn holding_untouched_tiles_in_reset_makes_none_of_them() {
        let description = ChipDescription::of(Architecture::WormholeB0);
        let machine = || Machine::new(description, 0, |_| ());
        let mut chip = machine();
        let reset = chip.description.reset;
        let all = reset.all();
        let at = chip.coordinates.resolve(Noc::Noc0, NocCoordinate { x: 18, y: 18 }).unwrap();
        let write = |chip: &mut Machine<()>, TileAddress(address): TileAddress, value: u32| {
            chip.write_tile(at, address, &value.to_le_bytes(), Origin::Host, None)
        };
        write(&mut chip, reset.soft_reset, all).unwrap();
        assert!(chip.tiles.iter().all(Option::is_none));
        let mut word = [0; 4];
        chip.read_tile(at, reset.soft_reset.0, &mut word, Origin::Host, None).unwrap();
        assert_eq!(u32::from_le_bytes(word), all);
        // Anything else is written to a tile, and what is wrong is still refused.
        let mut other = machine();
        write(&mut other, reset.soft_reset, all & !reset.bits[0]).unwrap();
        assert_eq!(other.tiles.iter().flatten().count(), 1);
        assert!(write(&mut other, reset.soft_reset, all | 1).is_err());
    }
}
