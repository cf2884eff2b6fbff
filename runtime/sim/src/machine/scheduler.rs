//! Who runs when, and what comes of NoC requests that are due.

use fixedbitset::FixedBitSet;
use hallmark_chip::{Advance, Awaited, Fault, PhysicalCoordinate, Processor, Tick};
use hallmark_tensix::Thread;

use crate::machine::coordinates::TileKind;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{Origin, Violation};
use crate::machine::noc::{Operation, Transfer, TransferStage, counter};
use crate::machine::observer::{DramScene, InstructionObserver, Reached, SyncRegister};
use crate::machine::tile::{Slice, Surroundings, Tile, synchronized_by};
use crate::machine::{HostMemory, Machine};
use hallmark_chip::Random;

/// Instructions per core and turn in the schedule of seed 0.
const SLICE: u64 = 128;
/// The shortest turn, which a NoC event that is due earlier does not cut.
const SHORTEST: u64 = 32;
/// Turns of a seeded schedule.
const SEEDED: (u64, u64) = (16, 200);

/// Which tiles have cores to run, and in which order and for how long they run.
#[derive(Debug)]
pub(crate) struct Schedule {
    active: FixedBitSet,
    random: Option<Random>,
    order: Vec<u16>,
}

impl Schedule {
    pub(crate) fn new(random: Option<Random>) -> Self {
        Self { active: FixedBitSet::new(), random, order: Vec::new() }
    }

    /// Whether no core executes instructions.
    pub(crate) fn is_idle(&self) -> bool {
        self.active.is_clear()
    }

    pub(crate) fn activate(&mut self, tile: u16) {
        self.active.grow_and_insert(tile.into());
    }

    fn slice(&mut self) -> u64 {
        match &mut self.random {
            Some(random) => random.between(SEEDED.0, SEEDED.1),
            None => SLICE,
        }
    }

    /// The core of each tile that runs first.
    fn first_core(&mut self) -> usize {
        self.random.as_mut().map_or(0, |random| random.between(0, 4) as usize)
    }

    /// The active tiles in the order of this turn.
    fn take_order(&mut self) -> Vec<u16> {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(self.active.ones().map(|tile| tile as u16));
        if let Some(random) = &mut self.random
            && !order.is_empty()
        {
            let first = random.next() as usize % order.len();
            order.rotate_left(first);
        }
        order
    }
}

impl<O: InstructionObserver> Machine<O> {
    pub(crate) fn advance(
        &mut self,
        ticks: u64,
        host: &mut dyn HostMemory,
    ) -> Result<Advance, Fault> {
        let end = self.clock.saturating_add(ticks);
        loop {
            self.deliver(host)?;
            self.observers.turn_begins();
            let next = self.network.next_time();
            if self.schedule.is_idle() {
                match next {
                    None => {
                        self.network.is_idle();
                        // Until the host acts any time passes, which ticks do not count.
                        for tile in self.tiles.iter_mut().flatten() {
                            tile.finish_zeroing();
                        }
                        self.comes_to_rest();
                        return Ok(Advance::Quiescent(self.waiting()));
                    }
                    Some(time) if time > end => {
                        self.clock = end;
                        return Ok(Advance::Ran);
                    }
                    Some(time) => {
                        self.clock = self.clock.max(time);
                        continue;
                    }
                }
            }
            if self.clock >= end {
                return Ok(Advance::Ran);
            }
            let mut length = self.schedule.slice();
            if let Some(time) = next {
                length = length.min(time.saturating_sub(self.clock).max(SHORTEST));
            }
            length = length.min(end - self.clock);
            self.run_slice(length as u32)?;
            self.clock += length;
        }
    }

    fn run_slice(&mut self, length: u32) -> Result<(), Fault> {
        self.is_at_rest = false;
        let order = self.schedule.take_order();
        let start = self.clock;
        let mut result = Ok(());
        for &index in &order {
            let Some(tile) = self.tiles.get_mut(usize::from(index)).and_then(Option::as_mut) else {
                continue;
            };
            let mut slice = Slice {
                description: self.description,
                coordinates: &self.coordinates,
                network: &mut self.network,
                observers: &mut self.observers,
                start,
                length,
                kernels_use_data_cache: self.kernels_use_data_cache,
                issues_at_once: self.seed == 0,
            };
            let first = self.schedule.first_core();
            for core in (first..5).chain(0..first) {
                if tile.running >> core & 1 == 1 {
                    result = tile.run(core, &mut slice);
                    tile.settle();
                    if result.is_err() {
                        break;
                    }
                }
            }
            for thread in Thread::ALL {
                if result.is_ok() && tile.runs_thread(thread) {
                    result = tile.run_thread(thread, &mut slice);
                    tile.settle();
                }
            }
            if tile.running == 0 {
                self.schedule.active.remove(index.into());
            }
            if result.is_err() {
                break;
            }
        }
        self.schedule.order = order;
        result
    }

    fn waiting(&mut self) -> Vec<hallmark_chip::Waiting> {
        let (tiles, mut surroundings) = self.tiles_and_surroundings();
        tiles.iter_mut().flatten().flat_map(|tile| tile.waiting(&mut surroundings)).collect()
    }

    /// What would end the wait of a parked core.
    pub(crate) fn awaited(
        &mut self,
        at: PhysicalCoordinate,
        processor: Processor,
    ) -> Option<Awaited> {
        let index = usize::from(self.index(at)?);
        let (tiles, mut surroundings) = self.tiles_and_surroundings();
        tiles.get_mut(index)?.as_mut()?.awaited(processor, &mut surroundings)
    }

    /// The tiles, and what looking at their registers may touch.
    fn tiles_and_surroundings(&mut self) -> (&mut [Option<Box<Tile>>], Surroundings<'_>) {
        let Self { tiles, coordinates, network, observers, description, clock, .. } = self;
        let surroundings = Surroundings {
            description,
            coordinates,
            network,
            observers,
            now: *clock,
            origin: Origin::Host,
            core: None,
            issues_at_once: false,
        };
        (tiles, surroundings)
    }

    /// Where each core stands that is neither parked nor in reset.
    pub(crate) fn positions(&self) -> Vec<hallmark_chip::Position> {
        self.tiles.iter().flatten().flat_map(|tile| tile.positions()).collect()
    }

    /// Carries out every step of a transfer that is due.
    fn deliver(&mut self, host: &mut dyn HostMemory) -> Result<(), Fault> {
        while let Some(mut step) = self.network.pop(self.clock) {
            let transfer = &mut step.transfer;
            let outcome = match step.stage {
                TransferStage::Depart => self.depart(transfer).map(|()| true),
                TransferStage::Tear => self.write_pieces(transfer, true).map(|_| false),
                TransferStage::Arrive => self.arrive(transfer, host),
                TransferStage::Respond => self.respond(transfer).map(|()| false),
            };
            match outcome {
                Ok(true) => self.network.proceed(step),
                Ok(false) => {
                    if step.stage != TransferStage::Tear {
                        self.observers.request_ended(&step.transfer, Tick(self.clock));
                        self.network.give_number_back(step.transfer.number);
                    }
                }
                Err(violation) => return Err(violation.at(Some(step.transfer.origin.place()))),
            }
        }
        Ok(())
    }

    fn flits(&self, length: u32) -> i32 {
        length.div_ceil(self.description.noc.flit_bytes.max(1)) as i32
    }

    fn index(&self, at: PhysicalCoordinate) -> Option<u16> {
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) => Some(index),
            _ => None,
        }
    }

    fn count(&mut self, transfer: &Transfer, changes: &[(usize, i32)]) {
        let Some(index) = self.index(transfer.origin.tile) else { return };
        let noc = transfer.noc.index();
        let base = self.description.noc.base.get(noc).copied().unwrap_or(0);
        if let Some(tile) = self.tile(index) {
            if let Some(niu) = tile.nius.get_mut(noc) {
                for &(counter, amount) in changes {
                    niu.count(counter, amount);
                }
            }
            tile.wake_niu(base);
        }
        self.settle(index);
    }

    fn depart(&mut self, transfer: &mut Transfer) -> Result<(), Violation> {
        let marked = transfer.marked;
        self.observers.request_departs(transfer);
        match transfer.operation {
            Operation::Read { .. } => self.count(transfer, &[(counter::READS_SENT, 1)]),
            Operation::Atomic { .. } => {
                let sent = if marked {
                    counter::MARKED_ATOMICS_SENT
                } else {
                    counter::POSTED_ATOMICS_SENT
                };
                self.count(transfer, &[(sent, 1)]);
            }
            Operation::InlineWrite { .. } => {}
            Operation::Write { length } => {
                let mut data = vec![0; length as usize];
                let source = transfer.origin.tile;
                self.read_tile(
                    source,
                    transfer.local.into(),
                    &mut data,
                    Origin::Core(transfer.origin),
                    None,
                )?;
                transfer.data = data;
                let taint = self.taint_of(source, transfer.local.into(), length as usize, None);
                transfer.taint = taint.map(|taint| taint.carried_by(transfer.origin));
            }
        }
        if marked {
            self.count_written(transfer);
        } else if let Some(index) = self.index(transfer.origin.tile)
            && let Some(tile) = self.tile(index)
        {
            tile.tells_something_new();
        }
        Ok(())
    }

    /// Says whether a response follows.
    fn arrive(
        &mut self,
        transfer: &mut Transfer,
        host: &mut dyn HostMemory,
    ) -> Result<bool, Violation> {
        let responds = self.reach(transfer, host)?;
        if !transfer.marked {
            self.count_written(transfer);
        }
        Ok(responds)
    }

    /// Counts a write as sent: when it departs, but a posted one when it has arrived. Nobody learns of that arrival, and
    /// programs of TT-Metalium end when their posted writes have left, because dispatching the next program takes longer
    /// than a write on its way. So that they do not fail by chance, posted writes leave late, which is legal. The waits of
    /// a program decide whether it races, and not this.
    fn count_written(&mut self, transfer: &Transfer) {
        let (sent, words) = if transfer.marked {
            (counter::MARKED_WRITES_SENT, counter::MARKED_WRITE_WORDS_SENT)
        } else {
            (counter::POSTED_WRITES_SENT, counter::POSTED_WRITE_WORDS_SENT)
        };
        match transfer.operation {
            Operation::Read { .. } | Operation::Atomic { .. } => {}
            Operation::InlineWrite { .. } => self.count(transfer, &[(sent, 1)]),
            Operation::Write { length } => {
                let outgoing = counter::OUTGOING + transfer.transaction;
                let words = (words, self.flits(length));
                self.count(transfer, &[(sent, 1), words, (outgoing, -1)]);
            }
        }
    }

    fn reach(
        &mut self,
        transfer: &mut Transfer,
        host: &mut dyn HostMemory,
    ) -> Result<bool, Violation> {
        let origin = Origin::Core(transfer.origin);
        let address = transfer.address;
        match (transfer.operation, transfer.targets.tiles()) {
            (Operation::Read { length }, &[at, ..]) => {
                self.request_reaches(transfer, at, (address, length as usize))?;
                let mut data = vec![0; length as usize];
                self.read_tile(at, address, &mut data, origin, Some(&mut *host))?;
                transfer.data = data;
                let taint = self.taint_of(at, address, length as usize, Some(host));
                transfer.taint = taint.map(|taint| taint.carried_by(transfer.origin));
                Ok(true)
            }
            (Operation::Write { .. }, tiles) => {
                if transfer.torn != 0 && self.write_pieces(transfer, false)? {
                    return Ok(transfer.marked);
                }
                for &at in tiles {
                    self.request_reaches(transfer, at, (address, transfer.data.len()))?;
                    self.check_known(at, address, transfer.taint.as_ref())?;
                    self.write_tile(at, address, &transfer.data, origin, Some(&mut *host))?;
                    self.taint(at, address, transfer.taint.as_ref(), Some(&mut *host));
                }
                transfer.data = Vec::new();
                Ok(transfer.marked)
            }
            (Operation::InlineWrite { value }, &[at, ..]) => {
                self.request_reaches(transfer, at, (address, 4))?;
                self.write_tile(at, address, &value.to_le_bytes(), origin, None)?;
                Ok(transfer.marked)
            }
            // Each receiver answers with its own word, in an order that nobody knows (NoC/Atomics.md).
            (Operation::Atomic { increment }, tiles @ [_, ..]) => {
                let reached = match planted(Defect::MulticastAtomicReachesOneTile) {
                    true => 1,
                    false => tiles.len(),
                };
                for &at in tiles.iter().take(reached) {
                    self.request_reaches(transfer, at, (address, 4))?;
                    if let Some(taint) = self.taint_of(at, address, 4, None) {
                        let what = format!("the atomic on {address:#x} of tile {at}");
                        return Err(Violation::unpredictable(what, taint.first().1));
                    }
                    let mut old = [0; 4];
                    self.read_tile(at, address, &mut old, origin, None)?;
                    let increment = if planted(Defect::AtomicAddsOne) { 1 } else { increment };
                    let new = u32::from_le_bytes(old).wrapping_add(increment);
                    self.write_tile(at, address, &new.to_le_bytes(), origin, None)?;
                    let returns_new = planted(Defect::AtomicReturnsNew);
                    transfer.data = if returns_new { new.to_le_bytes() } else { old }.to_vec();
                }
                Ok(transfer.marked)
            }
            (_, []) => Ok(false),
        }
    }

    /// A request is about to read or write at one of its targets.
    fn request_reaches(
        &mut self,
        request: &Transfer,
        at: PhysicalCoordinate,
        (address, length): (u64, usize),
    ) -> Result<(), Violation> {
        let Self { tiles, observers, coordinates, description, seed, dram, .. } = self;
        let mut reached = match coordinates.kind(at) {
            TileKind::Tensix(index) if address >= description.l1_size => {
                let registers = match request.operation {
                    Operation::Read { .. } => [Some(SyncRegister::Word(address as u32)), None],
                    _ => synchronized_by(address, description),
                };
                Reached::Registers(index, registers)
            }
            TileKind::Tensix(index) => match tiles.get_mut(usize::from(index)) {
                Some(slot) => {
                    let new = || Box::new(Tile::new(description, coordinates, at, *seed));
                    let tile = slot.get_or_insert_with(new);
                    Reached::L1(tile.scene(coordinates), (address, length as u64))
                }
                None => Reached::Other,
            },
            TileKind::Pcie => Reached::HostMemory,
            TileKind::Dram(channel) => match dram.get(usize::from(channel)) {
                Some(memory) => Reached::Dram(DramScene {
                    coordinates,
                    at,
                    channel,
                    memory,
                    range: (address, length as u64),
                }),
                None => Reached::Other,
            },
            TileKind::Ethernet(_) | TileKind::Arc | TileKind::Harvested | TileKind::Empty => {
                Reached::Other
            }
        };
        observers.request_reaches(request, &mut reached)
    }

    /// Writes some pieces of a write that a seeded schedule tears; `false` if its targets are not
    /// L1, which alone takes pieces out of order.
    fn write_pieces(&mut self, transfer: &Transfer, early: bool) -> Result<bool, Violation> {
        let tiles = transfer.targets.tiles();
        if transfer.address + transfer.data.len() as u64 > self.description.l1_size
            || tiles.iter().any(|&at| self.index(at).is_none())
        {
            return Ok(false);
        }
        let origin = Origin::Core(transfer.origin);
        for &at in tiles {
            if early {
                self.request_reaches(transfer, at, (transfer.address, transfer.data.len()))?;
            }
            for piece in transfer.pieces(early) {
                let address = transfer.address + piece.start as u64;
                let bytes = transfer.data.get(piece.clone()).unwrap_or_default();
                let taint = transfer.taint.as_ref().and_then(|taint| taint.part(piece));
                self.write_tile(at, address, bytes, origin, None)?;
                self.taint(at, address, taint.as_ref(), None);
            }
        }
        Ok(true)
    }

    fn respond(&mut self, transfer: &mut Transfer) -> Result<(), Violation> {
        let origin = Origin::Core(transfer.origin);
        let (at, local) = (transfer.origin.tile, u64::from(transfer.local));
        let outstanding = counter::OUTSTANDING + transfer.transaction;
        // One response per receiver (NoC/Counters.md).
        let receivers = if planted(Defect::MulticastAcknowledgedOnce) {
            1
        } else {
            transfer.targets.tiles().len() as i32
        };
        self.observers.request_responds(transfer);
        match transfer.operation {
            Operation::Read { length } => {
                self.write_tile(at, local, &transfer.data, origin, None)?;
                if !planted(Defect::ReadsLosePoison) {
                    self.taint(at, local, transfer.taint.as_ref(), None);
                }
                let words = self.flits(length);
                let changes =
                    [(counter::READ_RESPONSES, 1), (counter::READ_WORDS, words), (outstanding, -1)];
                self.count(transfer, &changes);
            }
            Operation::Atomic { .. } => {
                self.write_tile(at, local, &transfer.data, origin, None)?;
                let changes = [(counter::ATOMIC_RESPONSES, receivers), (outstanding, -receivers)];
                self.count(transfer, &changes);
            }
            Operation::Write { .. } | Operation::InlineWrite { .. } => {
                let changes =
                    [(counter::WRITE_ACKNOWLEDGEMENTS, receivers), (outstanding, -receivers)];
                self.count(transfer, &changes);
            }
        }
        Ok(())
    }
}
