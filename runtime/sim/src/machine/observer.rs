//! What the machine tells of what it does, and whom it tells.
//!
//! The machine knows [`Observer`] and no observer. An event that an observer does not override costs nothing: the set of
//! all observers is one type, made in `crate::observers`, and the machine is compiled for that type.

use std::fmt::Debug;
use std::sync::Arc;

use hallmark_chip::{
    DescribedBuffer, LaunchDescription, Meaning, PhysicalCoordinate, Processor, Tick,
};
use hallmark_tensix::{Thread, Unit};

use super::actor::Actor;
use super::coordinates::Coordinates;
use super::core::Wait;
use super::core::pointers::Base;
use super::fault::{CoreOrigin, Origin, Violation};
use super::memory::SparseMemory;
use super::noc::Transfer;
use super::tile::Tile;

/// A baby core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoreAt {
    /// Its tile's number among the Tensix tiles.
    pub(crate) tile: u16,
    pub(crate) at: PhysicalCoordinate,
    pub(crate) processor: Processor,
}

impl CoreAt {
    pub(crate) const fn actor(self) -> Actor {
        Actor::core(self.tile, self.processor)
    }
}

/// A memory in which the host places buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BufferMemory {
    /// L1 of a Tensix tile, by its number.
    L1(u16),
    /// A channel of DRAM.
    Dram(u8),
}

/// A range of a memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRange {
    pub(crate) memory: BufferMemory,
    pub(crate) at: PhysicalCoordinate,
    pub(crate) start: u64,
    /// In bytes.
    pub(crate) length: u64,
}

impl MemoryRange {
    /// Whether a byte of the same memory is in it.
    pub(crate) fn contains(&self, address: u64) -> bool {
        (self.start..self.start.saturating_add(self.length)).contains(&address)
    }
}

/// What an instruction does, as far as waiting goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Only registers of the core change.
    Pure,
    /// A word is loaded that another core, a request or the host may change.
    Watches(u32),
    /// Anything else.
    Acts,
}

/// An instruction that a core is about to execute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    pub(crate) pc: u32,
    pub(crate) effect: Effect,
    /// The core's registers before it.
    pub(crate) registers: &'a [u32; 64],
}

/// A register of a tile whose loads and stores put what actors do in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncRegister {
    /// A page count of a circular buffer or a semaphore of the coprocessor, by its address.
    Word(u32),
    /// A counter of a NoC interface, as in [`counter`](super::noc::counter).
    Counter { noc: u8, counter: u8 },
    /// The mailbox from one core to another, by their numbers among the cores that mailboxes connect.
    Mailbox { from: u8, to: u8 },
}

/// A count of pages of a circular buffer, which a stream of the overlay holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageCount {
    /// Pages pushed so far.
    Received,
    /// Pages popped so far.
    Acknowledged,
}

/// Both counts of a circular buffer's pages. They wrap at 2^16, and the registers may hold more bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageCounts {
    pub(crate) index: u32,
    pub(crate) received: u32,
    pub(crate) acknowledged: u32,
}

/// A tile at which something happens.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) tile: &'a mut Tile,
    pub(crate) coordinates: &'a Coordinates,
}

/// A unit of the coprocessor, for the instructions of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnitOf {
    /// The tile's number.
    pub(crate) tile: u16,
    pub(crate) thread: Thread,
    pub(crate) unit: Unit,
}

/// An access of an unpacker or a packer to L1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitAccess {
    pub(crate) unit: UnitOf,
    /// The number of the instruction among those of its thread.
    pub(crate) number: u64,
    /// Who pushed the instruction.
    pub(crate) origin: CoreOrigin,
    pub(crate) writes: bool,
}

/// Where a core stood when it did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodePlace {
    pub(crate) processor: Processor,
    pub(crate) pc: u32,
    /// The instruction of the coprocessor that it pushed there. Nothing: its own instruction did it.
    pub(crate) pushed: Option<u32>,
}

/// A range of a channel of DRAM to which a request comes.
#[derive(Debug)]
pub(crate) struct DramScene<'a> {
    pub(crate) coordinates: &'a Coordinates,
    pub(crate) at: PhysicalCoordinate,
    pub(crate) channel: u8,
    pub(crate) memory: &'a SparseMemory,
    /// The first byte and the length.
    pub(crate) range: (u64, u64),
}

/// What a request reaches at one of its targets.
#[derive(Debug)]
pub(crate) enum Reached<'a> {
    /// A range of a Tensix tile's L1: its first byte and its length.
    L1(Scene<'a>, (u64, u64)),
    /// Registers of a Tensix tile, by its number: those that synchronize.
    Registers(u16, [Option<SyncRegister>; 2]),
    HostMemory,
    /// A range of a channel of DRAM.
    Dram(DramScene<'a>),
    /// A tile whose cores are not simulated.
    Other,
}

/// Listens to a machine. A [`Violation`] that an observer answers stops the chip.
pub(crate) trait Observer: Debug {
    /// Nothing runs and nothing is in flight: all that happens from now on happens after all that was done.
    fn chip_is_idle(&mut self) {}

    /// Another turn of the schedule begins.
    fn turn_begins(&mut self) {}

    /// The host has said what a range of a tile's memory is for. `memory`: that in which it begins, if buffers lie there.
    fn annotated(
        &mut self,
        at: PhysicalCoordinate,
        (start, end): (u64, u64),
        meaning: Meaning,
        memory: Option<BufferMemory>,
    ) {
        let _ = (at, start, end, meaning, memory);
    }

    /// The host has named a buffer, whose memory was annotated just before. `memories`: those of its extents, if buffers
    /// lie there.
    fn buffer_described(
        &mut self,
        buffer: &Arc<DescribedBuffer>,
        memories: &[Option<BufferMemory>],
    ) {
        let _ = (buffer, memories);
    }

    /// The host has described the launches that begin on a tile from now on through a launch block. What it described
    /// for that block before and has not begun is void.
    fn launch_described(
        &mut self,
        tile: u16,
        at: PhysicalCoordinate,
        block: u32,
        launches: &[Arc<LaunchDescription>],
    ) {
        let _ = (tile, at, block, launches);
    }

    /// A core is about to execute the first instruction of a kernel, in a launch that was described.
    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, now: Tick) {
        let _ = (core, launch, now);
    }

    /// A core is about to execute the first instruction of a kernel whose program was not stated, on a tile on which
    /// messages tell of launches.
    fn unknown_launch_begins(&mut self, core: CoreAt) {
        let _ = core;
    }

    /// The kernel has returned to firmware: the core is about to execute the first instruction after it. A core that is
    /// held in reset before ends no launch.
    ///
    /// # Errors
    /// The rule that the kernel breaks by ending.
    fn launch_ends(
        &mut self,
        core: CoreAt,
        launch: &Arc<LaunchDescription>,
        now: Tick,
    ) -> Result<(), Violation> {
        let _ = (core, launch, now);
        Ok(())
    }

    /// The host is about to read or write L1 of a tile through a window while the chip is not idle.
    ///
    /// # Errors
    /// The rule that the access breaks.
    fn host_accesses(
        &mut self,
        scene: &mut Scene<'_>,
        (start, length): (u64, u64),
        writes: bool,
    ) -> Result<(), Violation> {
        let _ = (scene, start, length, writes);
        Ok(())
    }

    /// The host reads its own memory, which the chip may have written.
    fn host_reads_own_memory(&mut self) {}

    /// A request or the host is about to read or write memory.
    fn accesses(&mut self, range: &MemoryRange, writes: bool, by: Origin) {
        let _ = (range, writes, by);
    }

    /// A request, the host, or an atomic of a core has written memory; or a core has stored to a word that
    /// [`mark`](super::memory::TileMemory::mark) was asked to tell of.
    fn wrote(&mut self, range: &MemoryRange, by: Origin) {
        let _ = (range, by);
    }

    /// A core begins to execute instructions of a slice.
    fn core_runs(&mut self, core: CoreAt, now: Tick) {
        let _ = (core, now);
    }

    /// A core executes nothing from now on: it waits for something, or is in reset.
    fn core_stops(&mut self, core: CoreAt, now: Tick, wait: Option<Wait>) {
        let _ = (core, now, wait);
    }

    /// Whether [`Observer::core_executes`] is to be told of each instruction, which makes cores several times slower.
    fn follows_instructions(&self) -> bool {
        false
    }

    /// A core is about to execute an instruction.
    fn core_executes(&mut self, core: CoreAt, instruction: Instruction<'_>, now: Tick) {
        let _ = (core, instruction, now);
    }

    /// A core is about to change a word of L1 by an atomic.
    fn core_changes_atomically(&mut self, core: CoreAt, address: u32) {
        let _ = (core, address);
    }

    /// A core waits, until another actor writes one of these words or registers.
    fn core_parks(&mut self, scene: &mut Scene<'_>, addresses: &[u32]) {
        let _ = (scene, addresses);
    }

    /// A core is held in reset. `by`: the actor, unless a request did it that no core issued.
    fn core_held(&mut self, core: CoreAt, by: Option<Actor>) {
        let _ = (core, by);
    }

    /// A core leaves reset.
    fn core_released(&mut self, core: CoreAt, by: Option<Actor>) {
        let _ = (core, by);
    }

    /// Whether it wants to know in which order the coprocessor's threads and units do what they do. Once so, it stays so.
    fn follows_threads(&self) -> bool {
        false
    }

    /// A core loads a count of a circular buffer's pages.
    ///
    /// # Errors
    /// The rule that the load breaks.
    fn core_loads_pages(
        &mut self,
        core: CoreAt,
        count: PageCount,
        counts: PageCounts,
    ) -> Result<(), Violation> {
        let _ = (core, count, counts);
        Ok(())
    }

    /// A core is about to store to a count of a circular buffer's pages. `before`: the counts until then.
    ///
    /// # Errors
    /// The rule that the store breaks.
    fn core_stores_pages(
        &mut self,
        scene: &mut Scene<'_>,
        core: CoreAt,
        (count, value): (PageCount, u32),
        before: PageCounts,
    ) -> Result<(), Violation> {
        let _ = (scene, core, count, value, before);
        Ok(())
    }

    /// A core is about to store some bytes of its L1, the first and their number, at an address that it has computed from
    /// a pointer.
    ///
    /// # Errors
    /// The rule that the store breaks.
    fn core_stores_through(
        &mut self,
        scene: &Scene<'_>,
        core: CoreAt,
        base: Base,
        bytes: (u32, u32),
    ) -> Result<(), Violation> {
        let _ = (scene, core, base, bytes);
        Ok(())
    }

    /// What breaks the rule of a violation at a core's instruction, if an observer knows it better.
    fn explain(&self, core: CoreAt, violation: Violation) -> Violation {
        let _ = core;
        violation
    }

    /// A core loads a counter of one of its tile's NoC interfaces, as in [`counter`](super::noc::counter).
    ///
    /// # Errors
    /// The rule that a kernel breaks whose end the load tells of.
    fn core_loads_counter(
        &mut self,
        core: CoreAt,
        pc: u32,
        (noc, counter): (u8, u8),
    ) -> Result<(), Violation> {
        let _ = (core, pc, noc, counter);
        Ok(())
    }

    /// A core has set the counts of requests under way with the transaction identifiers of this mask back to 0.
    fn transaction_counts_cleared(&mut self, core: CoreAt, noc: u8, identifiers: u32) {
        let _ = (core, noc, identifiers);
    }

    /// An actor has loaded a register of a tile.
    fn register_loaded(&mut self, by: Actor, tile: u16, register: SyncRegister) {
        let _ = (by, tile, register);
    }

    /// An actor has stored to a register of a tile.
    fn register_stored(&mut self, by: Actor, tile: u16, register: SyncRegister) {
        let _ = (by, tile, register);
    }

    /// An actor's next doings come after what another one has done: a thread's after what the core did that pushed the
    /// instruction, a core's after those of a thread whose end it has found.
    fn comes_after(&mut self, later: Actor, earlier: Actor) {
        let _ = (later, earlier);
    }

    /// An instruction of the coprocessor is about to read or write L1 of its tile. The chip does so at any time until the
    /// instruction has finished.
    ///
    /// # Errors
    /// The rule that the access breaks.
    fn unit_accesses(
        &mut self,
        access: &UnitAccess,
        scene: &mut Scene<'_>,
        (start, length): (u64, u64),
    ) -> Result<(), Violation> {
        let _ = (access, scene, start, length);
        Ok(())
    }

    /// An actor knows that a unit has finished the instructions of a thread up to a number, because it has waited at a place
    /// or, without one, because the unit is known to be that fast.
    fn unit_finished(&mut self, by: Actor, unit: UnitOf, upto: u64, wait: Option<CodePlace>) {
        let _ = (by, unit, upto, wait);
    }

    /// A STALLWAIT, or a core's wait for its thread, has ended on a tile. `tells_of_stores`: it was the first to tell that stores
    /// of the core to the coprocessor have arrived.
    fn waited(&mut self, tile: u16, at: CodePlace, tells_of_stores: bool) {
        let _ = (tile, at, tells_of_stores);
    }

    /// Whether it wants to know which waits for units ordered what.
    fn asks_for_waits(&self) -> bool {
        false
    }

    /// An actor knew that a unit had finished the instruction with a number, the first of the pair, before the second.
    fn unit_ordered(
        &mut self,
        actor: Actor,
        (unit, number): (UnitOf, u64),
        pair: (CodePlace, CodePlace),
    ) {
        let _ = (actor, unit, number, pair);
    }

    /// Only these waits tell that a core's store, the first of the pair, came before an instruction of the tile.
    fn ordered_by(&mut self, tile: u16, pair: (CodePlace, CodePlace), waits: &[CodePlace]) {
        let _ = (tile, pair, waits);
    }

    /// Whether an actor knows that a unit has finished the instruction of a thread with a number.
    fn knows_end(&self, actor: Actor, unit: UnitOf, number: u64) -> bool {
        let _ = (actor, unit, number);
        true
    }

    /// An actor has come to know that a thread of the coprocessor has issued its instructions up to a number.
    fn thread_issued(&mut self, by: Actor, tile: u16, thread: Thread, upto: u64) {
        let _ = (by, tile, thread, upto);
    }

    /// Whether an actor knows that a thread of a tile has issued the instruction with a number.
    fn knows_issue(&self, actor: Actor, (tile, thread): (u16, Thread), number: u64) -> bool {
        let _ = (actor, tile, thread, number);
        true
    }

    /// An actor acts, and others may come to know of it. Gives the moment.
    fn moment(&mut self, actor: Actor) -> u32 {
        let _ = actor;
        0
    }

    /// Whether an actor knows a moment of another one.
    fn knows_moment(&self, actor: Actor, other: Actor, moment: u32) -> bool {
        let _ = (actor, other, moment);
        true
    }

    /// Whether it wants to know in which order the coprocessor is used.
    fn watches_order(&self) -> bool {
        false
    }

    /// Whether a unit counts as sampling its configuration until it has finished, where no page says when it does.
    fn is_strict_on_sampling(&self) -> bool {
        false
    }

    /// A request has been issued. From now on it may read or write its issuer's L1 at any time.
    ///
    /// # Errors
    /// The rule that the request breaks.
    fn request_issued(
        &mut self,
        request: &Transfer,
        scene: &mut Scene<'_>,
    ) -> Result<(), Violation> {
        let _ = (request, scene);
        Ok(())
    }

    /// A request's data leaves.
    fn request_departs(&mut self, request: &Transfer) {
        let _ = request;
    }

    /// A request is about to read or write at one of its targets.
    ///
    /// # Errors
    /// The rule that the access breaks.
    fn request_reaches(
        &mut self,
        request: &Transfer,
        reached: &mut Reached<'_>,
    ) -> Result<(), Violation> {
        let _ = (request, reached);
        Ok(())
    }

    /// A request's response has reached its issuer.
    fn request_responds(&mut self, request: &Transfer) {
        let _ = request;
    }

    /// The last response of a request has arrived, or its data if it has no response.
    fn request_ended(&mut self, request: &Transfer, now: Tick) {
        let _ = (request, now);
    }
}

/// Observers that the interpreter is compiled for, because they look at each load and store of a core.
pub(crate) trait InstructionObserver: Observer {
    /// What is kept at hand while a core executes.
    type Session<'a>: Session
    where
        Self: 'a;

    /// A core executes instructions from now on, until the session ends. `None`: the observers know no such core.
    fn session(&mut self, core: CoreAt) -> Option<Self::Session<'_>>;

    /// The session has ended with an answer of `false`, and the instruction is not executed yet. `Ok`: it is tried again.
    ///
    /// # Errors
    /// The rule that the instruction breaks.
    fn resolve(&mut self, core: CoreAt, scene: &mut Scene<'_>) -> Result<(), Violation>;

    /// The core's next load of a word ends a session, too, although nothing has changed.
    fn ask_again(&mut self, core: CoreAt, address: u32);
}

/// What the interpreter asks before aligned loads and stores of L1. `false` ends the session before the instruction.
pub(crate) trait Session {
    /// The core is about to load these `SIZE` bytes.
    fn loads<const SIZE: usize>(&mut self, start: u32, pc: u32, bytes: &[u8]) -> bool;

    /// The same for a load through the data cache.
    fn loads_through_cache<const SIZE: usize>(
        &mut self,
        start: u32,
        pc: u32,
        bytes: &[u8],
    ) -> bool {
        self.loads::<SIZE>(start, pc, bytes)
    }

    /// The core is about to store `SIZE` bytes. `number`: how many instructions it has executed, as far as that fits.
    fn stores<const SIZE: usize>(&mut self, start: u32, pc: u32, number: u32) -> bool;
}

/// Nobody listens.
impl Observer for () {}

impl InstructionObserver for () {
    type Session<'a> = ();

    fn session(&mut self, _: CoreAt) -> Option<Self::Session<'_>> {
        Some(())
    }

    fn resolve(&mut self, _: CoreAt, _: &mut Scene<'_>) -> Result<(), Violation> {
        Ok(())
    }

    fn ask_again(&mut self, _: CoreAt, _: u32) {}
}

impl Session for () {
    #[inline]
    fn loads<const SIZE: usize>(&mut self, _: u32, _: u32, _: &[u8]) -> bool {
        true
    }

    #[inline]
    fn stores<const SIZE: usize>(&mut self, _: u32, _: u32, _: u32) -> bool {
        true
    }
}
