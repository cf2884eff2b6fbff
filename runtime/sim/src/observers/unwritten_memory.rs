//! What of the chip's memories nobody wrote, across its tiles.

use hallmark_chip::{BarOffset, Fault, Meaning, PhysicalCoordinate, TileAddress, Unwritten};

use crate::machine::bars::Landing;
use crate::machine::coordinates::TileKind;
use crate::machine::fault::Violation;
use crate::machine::memory::{Memory, Source, Taint};
use crate::machine::observer::InstructionObserver;
use crate::machine::{HostMemory, Machine};

impl<O: InstructionObserver> Machine<O> {
    /// What is unknown of a range of memory. Registers are always known.
    pub(crate) fn taint_of(
        &self,
        at: PhysicalCoordinate,
        address: u64,
        length: usize,
        host: Option<&mut dyn HostMemory>,
    ) -> Option<Taint> {
        let own = |memory| Source::new(memory, at, address);
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) if address < self.description.l1_size => {
                match self.tiles.get(usize::from(index)).and_then(Option::as_ref) {
                    Some(tile) => tile.memory.taint_of(address as u32, length),
                    None => Some(Taint::complete(length, own(Memory::L1))),
                }
            }
            TileKind::Dram(channel) => {
                self.dram.get(usize::from(channel))?.taint_of(address, length, own(Memory::Dram))
            }
            TileKind::Ethernet(channel) => match self.ethernet.get(usize::from(channel))? {
                Some(tile) => tile.taint_of(address, length, own(Memory::Ethernet)),
                None => Some(Taint::complete(length, own(Memory::Ethernet))),
            },
            TileKind::Pcie => {
                let address = self.host_address(address, length).ok()?;
                let mut masks = vec![0; length];
                host?.unknown(address, &mut masks);
                let source = Source::new(Memory::Host, at, address);
                Taint { masks, source }.part(0..length)
            }
            TileKind::Tensix(index) => {
                let tile = self.tiles.get(usize::from(index)).and_then(Option::as_ref)?;
                tile.private_taint(tile.private_byte(address, self.description)?, length)
            }
            TileKind::Arc | TileKind::Harvested | TileKind::Empty => None,
        }
    }

    /// Notes that what was just written to memory is unknown in part.
    pub(crate) fn taint(
        &mut self,
        at: PhysicalCoordinate,
        address: u64,
        taint: Option<&Taint>,
        host: Option<&mut dyn HostMemory>,
    ) {
        let Some(taint) = taint else { return };
        let description = self.description;
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) => {
                if let Some(tile) = self.tile(index) {
                    match tile.private_byte(address, description) {
                        Some(byte) => tile.taint_private(byte, taint),
                        None => tile.memory.poison.taint(address as usize, taint),
                    }
                }
            }
            TileKind::Dram(channel) => {
                if let Some(dram) = self.dram.get_mut(usize::from(channel)) {
                    dram.taint(address, taint);
                }
            }
            TileKind::Ethernet(channel) => {
                if let Some(Some(tile)) = self.ethernet.get_mut(usize::from(channel)) {
                    tile.taint(address, taint);
                }
            }
            TileKind::Pcie => {
                let offset = self.host_address(address, taint.masks.len());
                if let (Some(host), Ok(offset)) = (host, offset) {
                    host.forget(offset, &taint.masks);
                }
            }
            TileKind::Arc | TileKind::Harvested | TileKind::Empty => {}
        }
    }

    /// Registers of a tile take only what is known.
    pub(crate) fn check_known(
        &self,
        at: PhysicalCoordinate,
        address: u64,
        taint: Option<&Taint>,
    ) -> Result<(), Violation> {
        let view = self.description.private_memory.shared_view;
        let memory = address < self.description.l1_size
            || view.is_some_and(|view| view.find(address).is_some());
        match (self.coordinates.kind(at), taint) {
            (TileKind::Tensix(_), Some(taint)) if !memory => {
                let what = format!("what the NoC writes to register {address:#x} of tile {at}");
                Err(Violation::unpredictable(what, taint.first().1))
            }
            _ => Ok(()),
        }
    }

    /// Memory that is given back or given out holds nothing from now on.
    pub(crate) fn forget_freed(
        &mut self,
        at: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: Meaning,
    ) {
        if !matches!(meaning, Meaning::Freed | Meaning::Buffer) {
            return;
        }
        let start = start.0;
        let within = |size: u64| length.min(size.saturating_sub(start)) as usize;
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) => {
                let length = within(self.description.l1_size);
                // A tile that nobody needed yet holds nothing anyway.
                if let Some(Some(tile)) = self.tiles.get_mut(usize::from(index)) {
                    tile.memory.forget(start as usize, length);
                }
            }
            TileKind::Dram(channel) => {
                if let Some(dram) = self.dram.get_mut(usize::from(channel)) {
                    let length = within(dram.size());
                    dram.forget(start, length);
                }
            }
            _ => {}
        }
    }

    /// The first byte behind a window that nobody wrote.
    ///
    /// # Errors
    /// A fault for a range that no read could have.
    pub(crate) fn unwritten(
        &mut self,
        at: BarOffset,
        length: usize,
    ) -> Result<Option<Unwritten>, Fault> {
        match self.bars.land(at, length).map_err(|violation| violation.at(None))? {
            Landing::Register(_)
            | Landing::NocInterface { .. }
            | Landing::Translation(_)
            | Landing::Arc(_) => Ok(None),
            Landing::Window { target, address } => {
                let tile = self.resolve(target.noc, &target)?;
                let taint = self.taint_of(tile, address.0, length, None);
                Ok(taint.map(|taint| {
                    let (offset, source) = taint.first();
                    Unwritten {
                        tile,
                        offset: offset as u64,
                        length: taint.unknown_from(offset) as u64,
                        source: source.to_string(),
                        memory: source.fault_memory(),
                        carrier: source.carrier.map(|carrier| carrier.place()),
                    }
                }))
            }
        }
    }
}
