//! Connects the Tensix coprocessor to its tile: the registers by which cores reach the coprocessor, and its own accesses
//! to L1 and registers.

use std::collections::BTreeMap;

use hallmark_chip::{
    Awaited, ChipDescription, CoprocessorWord, FaultCategory, FaultPlace, Processor, TileAddress,
    Waiting,
};
use hallmark_tensix::{
    AtItsEnd, Chip, Doing, Entrance, Handover, Hazard, Instruction, Issued, Knowledge, Moment,
    Overlap, Party, Refusal, Source, Step, Thread, Unit, Unknown, Wait,
};

use super::run::Slice;
use super::{Surroundings, Tile, map};
use crate::machine::actor::Actor;
use crate::machine::core::decode;
use crate::machine::fault::{CoreOrigin, Origin, Violation};
use crate::machine::memory::{Memory, Source as UnknownSource, Taint};
use crate::machine::observer::{
    BufferMemory, CodePlace, InstructionObserver, MemoryRange, Observer, SyncRegister, UnitAccess,
    UnitOf,
};

/// Instructions that are executed at once when one is pushed, at most: a macro may hold thousands.
const AT_ONCE: u32 = 64;

const ONLY_THESE_PUSH: &str = "only BRISC and the compute cores push instructions";

/// The first of the tile's agents that is a thread; cores come before.
pub(super) const FIRST_THREAD: usize = 5;

/// The coprocessor, which is made when something first reaches it.
#[derive(Debug)]
pub(super) struct Coprocessor {
    chip: &'static Chip,
    units: Option<Box<hallmark_tensix::Coprocessor>>,
    /// Configuration words that change nothing here, by address.
    kept: BTreeMap<u32, u32>,
    /// Where an unpacker or a packer last read unknown data. Packed unknown data are assumed to come from there, or from
    /// registers where none were read.
    unknown: Option<UnknownSource>,
}

impl Coprocessor {
    pub(super) fn new(description: &ChipDescription) -> Self {
        let chip = Chip::of(description.architecture);
        Self { chip, units: None, kept: BTreeMap::new(), unknown: None }
    }

    fn units(&mut self) -> &mut hallmark_tensix::Coprocessor {
        self.units.get_or_insert_with(|| Box::new(hallmark_tensix::Coprocessor::new(self.chip)))
    }

    /// Takes the units out while they reach the tile around them.
    fn take_units(&mut self) -> Box<hallmark_tensix::Coprocessor> {
        self.units.take().unwrap_or_else(|| Box::new(hallmark_tensix::Coprocessor::new(self.chip)))
    }

    /// A thread's general register, by its offset.
    pub(super) fn read_register(&mut self, core: Option<Processor>, offset: u32) -> Option<u32> {
        let thread = thread(core)?;
        if offset >= 0x100 {
            return None;
        }
        let Some(units) = &mut self.units else { return Some(0) };
        units.register_loaded(thread, offset / 4);
        Some(units.register(thread, offset / 4))
    }

    /// `false` if there is no such register.
    pub(super) fn write_register(
        &mut self,
        core: Option<Processor>,
        (offset, value): (u32, u32),
        by: Origin,
    ) -> bool {
        let (Some(thread), Some(by)) = (thread(core), stood(by)) else { return false };
        self.units().set_register(thread, offset / 4, value, by)
    }

    /// A configuration word that is kept.
    pub(super) fn kept(&self, address: u32) -> u32 {
        self.kept.get(&address).copied().unwrap_or(0)
    }

    /// Keeps a configuration word.
    pub(super) fn keep(&mut self, address: u32, value: u32) {
        self.kept.insert(address, value);
    }

    /// A configuration word of a unit.
    pub(super) fn configuration(&mut self, number: u32, by: Origin) -> Result<u32, Violation> {
        let units = self.units();
        if let Some(by) = stood(by) {
            units.configuration_loaded(number, by);
        }
        Ok(units.configuration(number)?)
    }

    /// A core has found that its thread's macros are all expanded.
    pub(super) fn macros_are_expanded(&mut self, core: Processor) {
        if let (Some(thread), Some(units)) = (thread(Some(core)), &mut self.units) {
            units.macros_are_expanded(thread);
        }
    }

    /// Whether instructions of the core's thread are not executed yet, or only macros not expanded.
    pub(super) fn is_busy(&self, core: Option<Processor>, only_macros: bool) -> bool {
        let (Some(thread), Some(units)) = (thread(core), &self.units) else { return false };
        if only_macros { units.has_macro(thread) } else { !units.is_empty(thread) }
    }

    /// A core has found that its thread's instructions are all executed.
    pub(super) fn tell_of_end(
        &self,
        core: Processor,
        (by, pc): (Actor, u32),
        tile: u16,
        observers: &mut dyn Observer,
    ) {
        let (Some(thread), Some(units)) = (thread(Some(core)), &self.units) else { return };
        if !observers.follows_threads() {
            return;
        }
        observers.comes_after(by, Actor::thread(tile, thread));
        let wait = CodePlace { processor: core, pc, pushed: None };
        observers.waited(tile, wait, false);
        for unit in Unit::ALL {
            let last = units.last_in(thread, unit);
            if last > 0 {
                observers.unit_finished(by, UnitOf { tile, thread, unit }, last, Some(wait));
            }
        }
        observers.thread_issued(by, tile, thread, units.issued(thread));
    }

    /// The value of a semaphore.
    pub(super) fn semaphore(&self, number: usize) -> Option<u8> {
        match &self.units {
            Some(units) => units.semaphore(number),
            None => (number < 8).then_some(0),
        }
    }

    /// A core adds 1 to a semaphore, or takes 1.
    pub(super) fn change_semaphore(&mut self, number: usize, posts: bool) -> Result<(), AtItsEnd> {
        let units = self.units();
        if posts { units.post(number) } else { units.get(number) }
    }

    /// Nothing runs, and whatever comes next comes after all that was done.
    pub(super) fn comes_to_rest(&mut self) {
        if let Some(units) = &mut self.units {
            units.comes_to_rest();
        }
    }

    /// The core of a thread enters reset.
    pub(super) fn reset(&mut self, core: Processor) {
        if let (Some(thread), Some(units)) = (thread(Some(core)), &mut self.units) {
            units.reset(thread);
        }
    }
}

fn thread(core: Option<Processor>) -> Option<Thread> {
    match core {
        Some(Processor::Trisc0) => Some(Thread::Unpack),
        Some(Processor::Trisc1) => Some(Thread::Math),
        Some(Processor::Trisc2) => Some(Thread::Pack),
        Some(Processor::Brisc | Processor::Ncrisc) | None => None,
    }
}

/// Where a core stood.
const fn stood(origin: Origin) -> Option<hallmark_tensix::Origin> {
    match origin {
        Origin::Core(CoreOrigin { processor: core, pc, retired, .. }) => {
            Some(hallmark_tensix::Origin { core, pc, retired })
        }
        _ => None,
    }
}

impl From<Refusal> for Violation {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.category, refusal.reason)
    }
}

/// The bit of a thread among those of the tile's agents that run.
const fn agent(thread: Thread) -> u8 {
    1 << (FIRST_THREAD + thread.index())
}

impl Tile {
    /// A core sets a configuration word of a unit.
    pub(super) fn configure(
        &mut self,
        number: u32,
        value: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<(), Violation> {
        let origin = stood(surroundings.origin);
        self.store_by(surroundings, |units, store| units.configure((number, value), origin, store))
    }

    /// A core sets a word of its thread's next macro; `false` if there is no such word.
    pub(super) fn set_macro_word(
        &mut self,
        offset: u32,
        value: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<bool, Violation> {
        let word = ((offset / 4) as usize, value);
        match thread(surroundings.core) {
            Some(thread) => self
                .store_by(surroundings, |units, store| units.set_macro_word(thread, word, store)),
            None => Ok(false),
        }
    }

    /// What a core's store does to the units.
    fn store_by<T>(
        &mut self,
        surroundings: &mut Surroundings<'_>,
        stores: impl FnOnce(&mut hallmark_tensix::Coprocessor, &mut Storing<'_, '_, '_>) -> T,
    ) -> T {
        let mut units = self.coprocessor.take_units();
        let core = surroundings.core.map(|core| Actor::core(self.number, core));
        let stored = stores(&mut units, &mut Storing { tile: self, surroundings, core });
        self.coprocessor.units = Some(units);
        stored
    }

    /// Takes an instruction that a core pushes by a store; `false` if the store waits.
    pub(super) fn push_by_store(
        &mut self,
        offset: u32,
        instruction: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<bool, Violation> {
        let aperture = (offset >> 16) as usize;
        if offset & 0xFFFF != 0 {
            return Err(Violation::unimplemented(
                "instructions are pushed at the first word of their range",
            ));
        }
        let (thread, entrance) = match (surroundings.core, thread(surroundings.core)) {
            (Some(Processor::Brisc), _) => (Thread::ALL.get(aperture).copied(), Entrance::Replay),
            (_, Some(thread)) if aperture == 0 => (Some(thread), Entrance::MacroExpander),
            (_, Some(_)) => {
                let reason = "a compute core pushes instructions to its own thread alone";
                return Err(Violation::unsupported(reason));
            }
            _ => (None, Entrance::Replay),
        };
        match thread {
            Some(thread) => self.push(thread, entrance, instruction, surroundings),
            None => Err(Violation::unimplemented(ONLY_THESE_PUSH)),
        }
    }

    /// Takes an instruction that a core pushes by `.ttinsn`; `false` if the core waits.
    pub(super) fn push_by_instruction(
        &mut self,
        instruction: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<bool, Violation> {
        match (surroundings.core, thread(surroundings.core)) {
            (Some(Processor::Brisc), _) => {
                self.push(Thread::Unpack, Entrance::Replay, instruction, surroundings)
            }
            (_, Some(thread)) => {
                self.push(thread, Entrance::MacroExpander, instruction, surroundings)
            }
            _ => Err(Violation::unimplemented(ONLY_THESE_PUSH)),
        }
    }

    fn push(
        &mut self,
        thread: Thread,
        entrance: Entrance,
        instruction: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<bool, Violation> {
        if hallmark_tensix::name(instruction).is_none() {
            return Err(decode::explain_tensix(instruction));
        }
        let Origin::Core(origin) = surroundings.origin else { return Ok(true) };
        let CoreOrigin { processor: core, pc, retired, .. } = origin;
        let origin = hallmark_tensix::Origin { core, pc, retired };
        let units = self.coprocessor.units();
        if !units.push(thread, instruction, entrance, origin) {
            return Ok(false);
        }
        let waits = units.waiting(thread).is_some();
        if !waits {
            self.running |= agent(thread);
            if surroundings.issues_at_once {
                self.issue(thread, AT_ONCE, surroundings)?;
            }
        }
        Ok(true)
    }

    /// Nothing runs on the chip.
    pub(crate) fn comes_to_rest(&mut self) {
        self.coprocessor.comes_to_rest();
    }

    /// Whether a thread of the coprocessor has instructions that do not wait.
    pub(crate) const fn runs_thread(&self, thread: Thread) -> bool {
        self.running & agent(thread) != 0
    }

    /// Runs a thread of the coprocessor for a slice, or until it waits.
    pub(crate) fn run_thread<O: InstructionObserver>(
        &mut self,
        thread: Thread,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), hallmark_chip::Fault> {
        let mut surroundings = Surroundings {
            description: slice.description,
            coordinates: slice.coordinates,
            network: &mut *slice.network,
            observers: &mut *slice.observers,
            now: slice.start,
            origin: Origin::Host,
            core: None,
            issues_at_once: slice.issues_at_once,
        };
        self.issue(thread, slice.length, &mut surroundings).map_err(|violation| violation.at(None))
    }

    /// Issues instructions of a thread until it waits, or `most` are issued. A thread that waits for a bank goes on as soon as
    /// it gets one.
    fn issue(
        &mut self,
        thread: Thread,
        most: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<(), Violation> {
        let mut left = most;
        while let Some(other) = self.issue_until_given_back(thread, &mut left, surroundings)? {
            let mut at_once = AT_ONCE;
            self.issue_until_given_back(other, &mut at_once, surroundings)?;
            if left == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Issues instructions of a thread until it waits, `left` are issued, or one of them gives back a bank. Gives the thread
    /// that waits for that bank.
    fn issue_until_given_back(
        &mut self,
        thread: Thread,
        left: &mut u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<Option<Thread>, Violation> {
        let Some(mut units) = self.coprocessor.units.take() else {
            self.running &= !agent(thread);
            return Ok(None);
        };
        let was_full = units.is_full(thread);
        let is_watched = surroundings.observers.follows_threads();
        let mut result = Ok(None);
        loop {
            let mut around = Around {
                tile: self,
                surroundings,
                thread,
                is_watched,
                number: 0,
                follows: !is_watched,
            };
            match units.step(thread, &mut around) {
                // The slice does not end behind an instruction that gives a bank: the two banks of both sources bound that.
                Ok(Step::Issued) => {
                    *left = left.saturating_sub(1);
                    let ends = *left == 0 && !units.gave_a_bank(thread);
                    let waiting = units.let_go_by(thread);
                    if ends || waiting.is_some() {
                        result = Ok(waiting);
                        break;
                    }
                }
                Ok(Step::Waits | Step::Idle) => {
                    self.running &= !agent(thread);
                    break;
                }
                Err(violation) => {
                    let place = units.origin(thread).map(|origin| self.place(origin));
                    result = Err(match place {
                        Some(place) if violation.place.is_none() => violation.broken_at(place),
                        _ => violation,
                    });
                    break;
                }
            }
        }
        let (is_empty, has_macro) = (units.is_empty(thread), units.has_macro(thread));
        if was_full && !units.is_full(thread) {
            self.wake_pushing_cores();
        }
        self.coprocessor.units = Some(units);
        if is_empty || !has_macro {
            self.memory.wake(|address| {
                address == map::MACROS_DONE || is_empty && address == map::COPROCESSOR_DONE
            });
        }
        self.wake_threads();
        result
    }

    /// Wakes the cores that wait for room in a queue.
    pub(super) fn wake_pushing_cores(&mut self) {
        self.memory.wake(|address| (map::PUSH..map::PUSH + 0x3_0000).contains(&address));
    }

    /// Wakes threads and cores that wait for changes of the coprocessor's state.
    pub(super) fn wake_threads(&mut self) {
        let Some(units) = &mut self.coprocessor.units else { return };
        let changes = units.take_changes();
        if changes.instructions {
            for thread in Thread::ALL {
                if units.waiting(thread).is_some() {
                    self.running |= agent(thread);
                }
            }
        }
        if changes.semaphores {
            self.wake_synchronization();
        }
    }

    /// Instructions that wait, as waits of the cores that pushed them.
    pub(super) fn waiting_instructions(&self) -> Vec<Waiting> {
        let Some(units) = &self.coprocessor.units else { return Vec::new() };
        let waiting = Thread::ALL.into_iter().filter_map(|thread| units.waiting(thread));
        let waits = waiting.map(|waiting| {
            let (word, awaited) = match waiting.wait {
                Wait::SemaphoreNotZero(number) => {
                    (CoprocessorWord::Semaphore(number), Some((1, 15)))
                }
                // Nothing is below a maximum of 0.
                Wait::SemaphoreBelow(number, most) => {
                    let last = u32::from(most).checked_sub(1);
                    (CoprocessorWord::Semaphore(number), last.map(|last| (0, last)))
                }
                Wait::Mutex(number, _) => (CoprocessorWord::Mutex(number), None),
                Wait::SourceFull(source) => (word_of(Handover::Filled(source)), None),
                Wait::SourceEmpty(source) => (word_of(Handover::Emptied(source)), None),
            };
            let value = match waiting.wait {
                Wait::SemaphoreNotZero(number) | Wait::SemaphoreBelow(number, _) => {
                    units.semaphore(number.into()).map_or(0, u32::from)
                }
                Wait::Mutex(_, holder) => holder.index() as u32,
                Wait::SourceFull(_) | Wait::SourceEmpty(_) => 0,
            };
            let hallmark_tensix::Origin { core, pc, .. } = waiting.origin;
            Waiting {
                tile: self.at,
                processor: core,
                pc,
                address: TileAddress(word.address()),
                value,
                awaited: awaited.map(|(first, last)| Awaited::Range { bits: 32, first, last }),
                last_writer: None,
                lowered: None,
                symbol: None,
                frames: Vec::new(),
            }
        });
        waits.collect()
    }

    fn core_origin(&self, origin: hallmark_tensix::Origin) -> CoreOrigin {
        let hallmark_tensix::Origin { core: processor, pc, retired } = origin;
        let instruction = self.memory.instruction(pc, false).unwrap_or(0);
        CoreOrigin { tile: self.at, processor, pc, instruction, retired }
    }

    fn place(&self, origin: hallmark_tensix::Origin) -> FaultPlace {
        self.core_origin(origin).place()
    }
}

/// What the coprocessor reaches of its tile, on behalf of the core that pushed an instruction.
struct Around<'tile, 'surroundings, 'chip> {
    tile: &'tile mut Tile,
    surroundings: &'surroundings mut Surroundings<'chip>,
    thread: Thread,
    /// An observer follows threads.
    is_watched: bool,
    /// The number of the instruction among those of the thread.
    number: u64,
    /// Observers know, or do not want to know, that the thread comes after the core that pushed the instruction.
    follows: bool,
}

impl Around<'_, '_, '_> {
    /// The thread. Observers know from then on that it comes after the core that pushed the instruction.
    fn actor(&mut self) -> Actor {
        let number = self.tile.number;
        let thread = Actor::thread(number, self.thread);
        if let Origin::Core(origin) = self.surroundings.origin
            && !self.follows
        {
            let core = Actor::core(number, origin.processor);
            self.surroundings.observers.comes_after(thread, core);
            self.follows = true;
        }
        thread
    }

    /// Tells of an access to L1 that is about to be made.
    fn tell_of_access(
        &mut self,
        by: Unit,
        (address, length): (u64, usize),
        writes: bool,
    ) -> Result<(), Violation> {
        let Origin::Core(origin) = self.surroundings.origin else { return Ok(()) };
        if !self.is_watched {
            return Ok(());
        }
        self.actor();
        let unit = UnitOf { tile: self.tile.number, thread: self.thread, unit: by };
        let access = UnitAccess { unit, number: self.number, origin, writes };
        let mut scene = self.tile.scene(self.surroundings.coordinates);
        self.surroundings.observers.unit_accesses(&access, &mut scene, (address, length as u64))
    }

    fn range(&self, address: u64, length: usize) -> MemoryRange {
        let memory = BufferMemory::L1(self.tile.number);
        MemoryRange { memory, at: self.tile.at, start: address, length: length as u64 }
    }
}

/// A core that stores to the coprocessor.
struct Storing<'tile, 'surroundings, 'chip> {
    tile: &'tile Tile,
    surroundings: &'surroundings mut Surroundings<'chip>,
    core: Option<Actor>,
}

/// An actor of a tile, and the observers that know what it knows.
struct Knowing<'observers> {
    actor: Actor,
    tile: &'observers Tile,
    observers: &'observers dyn Observer,
}

impl Knowing<'_> {
    fn knows(&self, of: Party, Moment(moment): Moment) -> bool {
        let tile = self.tile.number;
        let other = match of {
            Party::Thread(thread) => Actor::thread(tile, thread),
            Party::Core(core) => Actor::core(tile, core),
        };
        self.observers.knows_moment(self.actor, other, moment)
    }

    fn knows_issue(&self, thread: Thread, number: u64) -> bool {
        self.observers.knows_issue(self.actor, (self.tile.number, thread), number)
    }
}

/// Whether an actor knows that a unit has finished an instruction, which must come before another one or a store.
fn knows_end(
    actor: Actor,
    tile: u16,
    observers: &mut dyn Observer,
    (unit, earlier, later): (Unit, &Issued, &Doing),
) -> bool {
    let Issued { thread, number, .. } = *earlier;
    let unit = UnitOf { tile, thread, unit };
    let knows = observers.knows_end(actor, unit, number);
    if knows && observers.asks_for_waits() {
        observers.unit_ordered(
            actor,
            (unit, number),
            (CodePlace::from(*earlier), CodePlace::from(*later)),
        );
    }
    knows
}

impl From<Issued> for CodePlace {
    fn from(Issued { word, origin, .. }: Issued) -> Self {
        Self { processor: origin.core, pc: origin.pc, pushed: Some(word) }
    }
}

impl From<Instruction> for CodePlace {
    fn from(Instruction { word, origin }: Instruction) -> Self {
        Self { processor: origin.core, pc: origin.pc, pushed: Some(word) }
    }
}

impl From<Doing> for CodePlace {
    fn from(doing: Doing) -> Self {
        match doing {
            Doing::Instruction(issued) => issued.into(),
            Doing::Store { origin } => Self { processor: origin.core, pc: origin.pc, pushed: None },
        }
    }
}

/// The violation of an order to something earlier.
fn disordered(tile: &Tile, reason: String, earlier: hallmark_tensix::Origin) -> Violation {
    Violation::new(FaultCategory::DataRace, reason).against(Some(tile.place(earlier)))
}

impl Knowledge for Storing<'_, '_, '_> {
    type Error = Violation;

    fn watches_order(&self) -> bool {
        self.core.is_some() && self.surroundings.observers.watches_order()
    }

    fn is_strict(&self) -> bool {
        self.surroundings.observers.is_strict_on_sampling()
    }

    fn moment(&mut self) -> Moment {
        let observers = &mut *self.surroundings.observers;
        self.core.map_or(Moment::default(), |core| Moment(observers.moment(core)))
    }

    fn knows(&mut self, of: Party, moment: Moment) -> bool {
        self.knowing().is_none_or(|knowing| knowing.knows(of, moment))
    }

    fn knows_issue(&mut self, thread: Thread, number: u64) -> bool {
        self.knowing().is_none_or(|knowing| knowing.knows_issue(thread, number))
    }

    fn knows_end(&mut self, unit: Unit, earlier: &Issued, later: &Doing) -> bool {
        let Some(actor) = self.core else { return true };
        knows_end(actor, self.tile.number, self.surroundings.observers, (unit, earlier, later))
    }

    fn broken_by(&mut self, reason: String, earlier: hallmark_tensix::Origin) -> Violation {
        disordered(self.tile, reason, earlier)
    }
}

impl Storing<'_, '_, '_> {
    fn knowing(&self) -> Option<Knowing<'_>> {
        let (tile, observers) = (self.tile, &*self.surroundings.observers);
        self.core.map(|actor| Knowing { actor, tile, observers })
    }
}

impl Around<'_, '_, '_> {
    fn knowing(&mut self) -> Knowing<'_> {
        let actor = self.actor();
        Knowing { actor, tile: self.tile, observers: &*self.surroundings.observers }
    }
}

impl Knowledge for Around<'_, '_, '_> {
    type Error = Violation;

    fn watches_order(&self) -> bool {
        self.is_watched
    }

    fn is_strict(&self) -> bool {
        self.surroundings.observers.is_strict_on_sampling()
    }

    fn moment(&mut self) -> Moment {
        let actor = self.actor();
        Moment(self.surroundings.observers.moment(actor))
    }

    fn knows(&mut self, of: Party, moment: Moment) -> bool {
        self.knowing().knows(of, moment)
    }

    fn knows_issue(&mut self, thread: Thread, number: u64) -> bool {
        self.knowing().knows_issue(thread, number)
    }

    fn knows_end(&mut self, unit: Unit, earlier: &Issued, later: &Doing) -> bool {
        let actor = self.actor();
        knows_end(actor, self.tile.number, self.surroundings.observers, (unit, earlier, later))
    }

    fn has_heard_of_end(&mut self, unit: Unit, of: &Issued) -> bool {
        let actor = self.actor();
        let Issued { thread, number, .. } = *of;
        let unit = UnitOf { tile: self.tile.number, thread, unit };
        self.surroundings.observers.knows_end(actor, unit, number)
    }

    fn asks_for_waits(&self) -> bool {
        self.surroundings.observers.asks_for_waits()
    }

    fn waited(&mut self, wait: Instruction, tells_of_stores: bool) {
        self.surroundings.observers.waited(self.tile.number, wait.into(), tells_of_stores);
    }

    fn ordered_by(
        &mut self,
        store: hallmark_tensix::Origin,
        reader: &Issued,
        waits: &[Instruction],
    ) {
        let waits: Vec<CodePlace> = waits.iter().map(|wait| (*wait).into()).collect();
        let pair = (CodePlace::from(Doing::Store { origin: store }), CodePlace::from(*reader));
        self.surroundings.observers.ordered_by(self.tile.number, pair, &waits);
    }

    fn broken_by(&mut self, reason: String, earlier: hallmark_tensix::Origin) -> Violation {
        disordered(self.tile, reason, earlier)
    }
}

impl hallmark_tensix::Surroundings for Around<'_, '_, '_> {
    fn executes(&mut self, origin: hallmark_tensix::Origin, number: u64) {
        self.number = number;
        // The instructions of a macro come from the same instruction of the core.
        if let Origin::Core(CoreOrigin { processor, pc, retired, .. }) = self.surroundings.origin
            && (hallmark_tensix::Origin { core: processor, pc, retired }) == origin
        {
            return;
        }
        self.surroundings.origin = Origin::Core(self.tile.core_origin(origin));
        self.surroundings.core = Some(origin.core);
    }

    fn read(&mut self, by: Unit, address: u64, bytes: &mut [u8]) -> Result<Unknown, Violation> {
        self.tile.memory.read(address, bytes)?;
        self.tell_of_access(by, (address, bytes.len()), false)?;
        let range = self.range(address, bytes.len());
        self.surroundings.observers.accesses(&range, false, self.surroundings.origin);
        let taint = self.tile.memory.taint_of(address as u32, bytes.len());
        if let Some(taint) = &taint {
            self.tile.coprocessor.unknown = Some(taint.first().1);
        }
        Ok(taint.map(|taint| taint.masks))
    }

    fn write(
        &mut self,
        by: Unit,
        address: u64,
        bytes: &[u8],
        unknown: Unknown,
    ) -> Result<(), Violation> {
        self.tell_of_access(by, (address, bytes.len()), true)?;
        let range = self.range(address, bytes.len());
        let origin = self.surroundings.origin;
        self.surroundings.observers.accesses(&range, true, origin);
        self.tile.memory.write(address, bytes, origin)?;
        self.surroundings.observers.wrote(&range, origin);
        if let Some(masks) = unknown {
            let tile = &mut *self.tile;
            let source = tile.coprocessor.unknown;
            let source = source.unwrap_or(UnknownSource::new(Memory::Coprocessor, tile.at, 0));
            tile.memory.poison.taint(address as usize, &Taint::starting(masks, source));
        }
        Ok(())
    }

    fn comes_after(&mut self, overlap: &Overlap) -> Result<(), Violation> {
        let Overlap { earlier, unit, later, .. } = overlap;
        if self.knows_end(*unit, &earlier.issued(), &Doing::Instruction(later.issued())) {
            return Ok(());
        }
        Err(self.broken_by(unordered_uses(overlap), earlier.origin))
    }

    fn posts(&mut self, handover: Handover) {
        if !self.is_watched {
            return;
        }
        let (actor, register) = (self.actor(), register_of(handover));
        let tile = self.tile.number;
        self.surroundings.observers.thread_issued(actor, tile, self.thread, self.number);
        self.surroundings.observers.register_stored(actor, tile, register);
    }

    fn takes(&mut self, handover: Handover) {
        if !self.is_watched {
            return;
        }
        let (actor, register) = (self.actor(), register_of(handover));
        self.surroundings.observers.register_loaded(actor, self.tile.number, register);
    }

    fn finished(&mut self, unit: Unit, thread: Thread, upto: u64, by: Option<Instruction>) {
        if !self.is_watched {
            return;
        }
        let unit = UnitOf { tile: self.tile.number, thread, unit };
        let actor = self.actor();
        self.surroundings.observers.unit_finished(actor, unit, upto, by.map(CodePlace::from));
    }

    fn store_register(&mut self, address: u32, value: u32) -> Result<(), Violation> {
        let actor = self.actor();
        self.tile.store_by_scalar_unit(address, value, actor, self.surroundings)
    }
}

/// Two uses of the same rows without an order between them, and the remedy.
fn unordered_uses(overlap: &Overlap) -> String {
    let Overlap { earlier, unit, later, rows, hazard } = overlap;
    let (first_name, last_name) = (name_of(earlier.word), name_of(later.word));
    let condition = unit.stall_condition();
    let (first, last) = (rows.start, rows.end.saturating_sub(1));
    let thread = earlier.origin.core.name();
    let remedy = match hazard {
        Hazard::Gift(source) => {
            return format!(
                "{last_name} gives the matrix unit a bank of {source} that {first_name}, which {thread} pushed at pc {:#x}, has given \
                 to the unpacker; nothing orders the two: {last_name} does not wait for the bank by itself: wait with STALLWAIT \
                 ({}, with a block mask that holds back the later instruction) before it (UNPACR_NOP_SETDVALID.md)",
                earlier.origin.pc,
                source.cleared_condition(),
            );
        }
        Hazard::Return(source) => {
            return format!(
                "{last_name} gives the unpacker a bank of {source} that {first_name}, which {thread} pushed at pc {:#x}, gives \
                 to the matrix unit; nothing orders the two: {last_name} does not wait for the bank by itself: wait with \
                 STALLWAIT ({}, with a block mask that holds back the matrix unit) before it ({last_name}.md, \"Functional \
                 model\")",
                earlier.origin.pc,
                source.valid_condition(),
            );
        }
        Hazard::Load { between } => format!(
            "{between} {} between them, where at least 3 must be executed: put other instructions or NOPs between them, or wait \
             with STALLWAIT ({condition}, with a block mask that holds back the vector unit) in between ({last_name}.md, \
             \"Instruction scheduling\")",
            if *between == 1 { "instruction stands" } else { "instructions stand" },
        ),
        Hazard::Bank(source) => {
            let waits = if *unit == Unit::Matrix { first_name } else { last_name };
            let condition = source.valid_condition();
            format!(
                "{waits} does not wait for the bank by itself: wait with STALLWAIT ({condition}, with a block mask that holds \
                 back the matrix unit) before it ({waits}.md, \"Instruction scheduling\")"
            )
        }
        Hazard::BankBeforeFlip { source, flip, origin } => {
            let condition = source.valid_condition();
            format!(
                "the STALLWAIT ({condition}) before {last_name} may have looked at the bank that {}, which {} pushed at pc \
                 {:#x}, gives back when it ends: wait with STALLWAIT (p_stall::MATH | {condition}, with a block mask that holds \
                 back the matrix unit) instead (STALLWAIT.md, \"Condition mask\")",
                name_of(*flip),
                origin.core.name(),
                origin.pc,
            )
        }
        Hazard::Dst if earlier.thread == later.thread => format!(
            "{unit} works on after its instruction was issued: wait with STALLWAIT ({condition}) in between, with a block mask \
             that holds back the later instruction (STALLWAIT.md)"
        ),
        Hazard::Dst => format!(
            "the thread of {thread} waits with STALLWAIT ({condition}, with a block mask that holds back the signal) before \
             it signals (SEMPOST, SEMGET), and this thread waits for that signal (SEMWAIT), see SEMPOST.md"
        ),
    };
    let register = match hazard {
        Hazard::Dst | Hazard::Load { .. } => "Dst".to_owned(),
        Hazard::Bank(source)
        | Hazard::BankBeforeFlip { source, .. }
        | Hazard::Gift(source)
        | Hazard::Return(source) => format!("a bank of {source}"),
    };
    let does = |writes: bool| if writes { "writes" } else { "reads" };
    format!(
        "{last_name} {} {register} in rows {first} to {last}, where {unit} {} for {first_name} that {thread} pushed at pc \
         {:#x}; nothing orders the two: {remedy}",
        does(later.writes),
        does(earlier.writes),
        earlier.origin.pc,
    )
}

fn name_of(word: u32) -> &'static str {
    hallmark_tensix::name(word).unwrap_or("an instruction")
}

/// The register by which observers know what is handed over.
fn register_of(handover: Handover) -> SyncRegister {
    SyncRegister::Word(word_of(handover).address() as u32)
}

/// What is handed over, as instructions wait for it.
const fn word_of(handover: Handover) -> CoprocessorWord {
    match handover {
        Handover::Semaphore(number) => CoprocessorWord::Semaphore(number),
        Handover::Filled(Source::A) => CoprocessorWord::SourceAFilled,
        Handover::Filled(Source::B) => CoprocessorWord::SourceBFilled,
        Handover::Emptied(Source::A) => CoprocessorWord::SourceAEmptied,
        Handover::Emptied(Source::B) => CoprocessorWord::SourceBEmptied,
        Handover::Mutex(number) => CoprocessorWord::Mutex(number),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_tensix::{Units, Use};

    use super::*;

    const MVMUL: u32 = 0x2600_0000;
    const UNPACR: u32 = 0x4200_0000;
    const SFPLOAD: u32 = 0x7000_0000;
    const MOVD2A: u32 = 0x0800_0000;
    const ELWSUB: u32 = 0x3000_0000;
    const SETRWC: u32 = 0x3700_0000;

    fn by(word: u32, core: Processor, thread: Thread, writes: bool) -> Use {
        let origin = hallmark_tensix::Origin { core, pc: 0x6010, retired: 3 };
        Use { word, thread, number: 4, position: 5, origin, units: Units::default(), writes }
    }

    /// The text must name both instructions, the rows, the remedy and the page.
    fn text(earlier: Use, unit: Unit, later: Use, hazard: Hazard, named: &[&str]) {
        let text = unordered_uses(&Overlap { earlier, unit, later, rows: 8..12, hazard });
        for name in named.iter().chain(&["rows 8 to 11", "pc 0x6010", "nothing orders the two"]) {
            assert!(text.contains(name), "{name}: {text}");
        }
    }

    #[test]
    fn uses_without_an_order_are_named_with_their_remedies() {
        let math = |word, writes| by(word, Processor::Trisc1, Thread::Math, writes);
        let unpack = by(UNPACR, Processor::Trisc0, Thread::Unpack, true);
        let load = math(SFPLOAD, false);
        text(
            math(MVMUL, true),
            Unit::Matrix,
            load,
            Hazard::Load { between: 1 },
            &[
                "SFPLOAD reads Dst",
                "the matrix unit writes for MVMUL that TRISC1 pushed",
                "1 instruction stands between them",
                "STALLWAIT (p_stall::MATH, with a block mask that holds back the vector unit)",
                "SFPLOAD.md",
            ],
        );
        let between = Hazard::Load { between: 0 };
        let none = ["0 instructions stand between them"];
        text(math(MVMUL, true), Unit::Matrix, load, between, &none);
        let (takes, bank) = (math(MOVD2A, true), Hazard::Bank(Source::A));
        let remedy = [
            "MOVD2A does not wait for the bank",
            "STALLWAIT (p_stall::SRCA_VLD, with a block mask that holds back the matrix unit)",
            "MOVD2A.md",
        ];
        text(unpack, Unit::Unpacker(0), takes, bank, &remedy);
        text(takes, Unit::Matrix, unpack, bank, &remedy);
        let names = ["MOVD2A writes a bank of SrcA", "unpacker 0 writes for UNPACR that TRISC0"];
        text(unpack, Unit::Unpacker(0), takes, bank, &names);
        text(unpack, Unit::Unpacker(1), takes, Hazard::Bank(Source::B), &["p_stall::SRCB_VLD"]);
        let gift = unordered_uses(&Overlap {
            earlier: takes,
            unit: Unit::Matrix,
            later: unpack,
            rows: 0..64,
            hazard: Hazard::Gift(Source::B),
        });
        for name in [
            "UNPACR gives the matrix unit a bank of SrcB",
            "MOVD2A, which TRISC1 pushed at pc 0x6010",
            "STALLWAIT (p_stall::SRCB_CLR,",
        ] {
            assert!(gift.contains(name), "{name}: {gift}");
        }
        let returned = unordered_uses(&Overlap {
            earlier: unpack,
            unit: Unit::Unpacker(0),
            later: by(SETRWC, Processor::Trisc1, Thread::Math, false),
            rows: 0..64,
            hazard: Hazard::Return(Source::A),
        });
        for name in [
            "SETRWC gives the unpacker a bank of SrcA",
            "UNPACR, which TRISC0 pushed at pc 0x6010",
            "STALLWAIT (p_stall::SRCA_VLD,",
            "SETRWC.md",
        ] {
            assert!(returned.contains(name), "{name}: {returned}");
        }
        let origin = hallmark_tensix::Origin { core: Processor::Trisc1, pc: 0x7020, retired: 2 };
        let flip = Hazard::BankBeforeFlip { source: Source::B, flip: ELWSUB, origin };
        let remedy = [
            "the STALLWAIT (p_stall::SRCB_VLD) before MOVD2A",
            "the bank that ELWSUB, which TRISC1 pushed at pc 0x7020, gives back when it ends",
            "STALLWAIT (p_stall::MATH | p_stall::SRCB_VLD, with a block mask that holds back the matrix unit)",
            "STALLWAIT.md",
        ];
        text(unpack, Unit::Unpacker(1), takes, flip, &remedy);
        let signals = ["waits with STALLWAIT (p_stall::UNPACK0,", "SEMPOST.md"];
        text(unpack, Unit::Unpacker(0), load, Hazard::Dst, &signals);
        let same = by(UNPACR, Processor::Trisc1, Thread::Math, true);
        text(same, Unit::Unpacker(0), load, Hazard::Dst, &["holds back the later instruction"]);
    }
}
