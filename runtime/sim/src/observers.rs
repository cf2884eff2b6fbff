//! Who listens to the machine. Each observer has a module of its own, which knows the machine; the machine knows none.
//!
//! A new observer is a module, which implements [`Observer`], and its line in the list below.

pub(crate) mod activity;
mod circular_buffers;
mod described_launches;
pub(crate) mod footprints;
pub(crate) mod grants;
mod kernel_name;
mod noc_counters;
pub(crate) mod open_paths;
mod per_core;
pub(crate) mod races;
mod requests;
mod unwritten_memory;
pub(crate) mod watched_bytes;

use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LaunchDescription, Meaning, PhysicalCoordinate, Tick};

use hallmark_tensix::Thread;

use self::requests::End;
use crate::machine::actor::Actor;
use crate::machine::core::Wait;
use crate::machine::core::pointers::Base;
use crate::machine::fault::{Origin, Violation};
use crate::machine::noc::Transfer;
use crate::machine::observer::{
    BufferMemory, CodePlace, CoreAt, Instruction, InstructionObserver, MemoryRange, Observer,
    PageCount, PageCounts, Reached, Scene, Session, SyncRegister, UnitAccess, UnitOf,
};

/// Makes the set of all observers, which tells each of them what the machine tells it, in the order of the list.
macro_rules! observers {
    (|$options:ident| $($observer:ident: $type:ty = $new:expr,)*) => {
        /// All observers of a chip.
        #[derive(Debug)]
        pub(crate) struct Observers {
            $(pub(crate) $observer: $type,)*
        }

        impl Observers {
            pub(crate) fn new($options: &ObserverOptions) -> Self {
                Self { $($observer: $new,)* }
            }
        }

        impl Observer for Observers {
            fn chip_is_idle(&mut self) {
                $(self.$observer.chip_is_idle();)*
            }

            #[inline]
            fn turn_begins(&mut self) {
                $(self.$observer.turn_begins();)*
            }

            fn annotated(
                &mut self,
                at: PhysicalCoordinate,
                range: (u64, u64),
                meaning: Meaning,
                memory: Option<BufferMemory>,
            ) {
                $(self.$observer.annotated(at, range, meaning, memory);)*
            }

            fn buffer_described(
                &mut self,
                buffer: &Arc<DescribedBuffer>,
                memories: &[Option<BufferMemory>],
            ) {
                $(self.$observer.buffer_described(buffer, memories);)*
            }

            fn launch_described(
                &mut self,
                tile: u16,
                at: PhysicalCoordinate,
                block: u32,
                launches: &[Arc<LaunchDescription>],
            ) {
                $(self.$observer.launch_described(tile, at, block, launches);)*
            }

            fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, now: Tick) {
                $(self.$observer.launch_begins(core, launch, now);)*
            }

            fn unknown_launch_begins(&mut self, core: CoreAt) {
                $(self.$observer.unknown_launch_begins(core);)*
            }

            fn launch_ends(
                &mut self,
                core: CoreAt,
                launch: &Arc<LaunchDescription>,
                now: Tick,
            ) -> Result<(), Violation> {
                // Asked first: an observer that is told forgets what the kernel had.
                if launch.ends_by_return {
                    self.answers_are_known(core, End::Return);
                }
                $(self.$observer.launch_ends(core, launch, now)?;)*
                Ok(())
            }

            fn host_accesses(
                &mut self,
                scene: &mut Scene<'_>,
                range: (u64, u64),
                writes: bool,
            ) -> Result<(), Violation> {
                $(self.$observer.host_accesses(scene, range, writes)?;)*
                Ok(())
            }

            fn host_reads_own_memory(&mut self) {
                $(self.$observer.host_reads_own_memory();)*
            }

            #[inline]
            fn accesses(&mut self, range: &MemoryRange, writes: bool, by: Origin) {
                $(self.$observer.accesses(range, writes, by);)*
            }

            #[inline]
            fn wrote(&mut self, range: &MemoryRange, by: Origin) {
                $(self.$observer.wrote(range, by);)*
            }

            #[inline]
            fn core_runs(&mut self, core: CoreAt, now: Tick) {
                $(self.$observer.core_runs(core, now);)*
            }

            #[inline]
            fn core_stops(&mut self, core: CoreAt, now: Tick, wait: Option<Wait>) {
                $(self.$observer.core_stops(core, now, wait);)*
            }

            #[inline]
            fn follows_instructions(&self) -> bool {
                false $(|| self.$observer.follows_instructions())*
            }

            fn core_executes(&mut self, core: CoreAt, instruction: Instruction<'_>, now: Tick) {
                $(self.$observer.core_executes(core, instruction, now);)*
            }

            fn core_changes_atomically(&mut self, core: CoreAt, address: u32) {
                $(self.$observer.core_changes_atomically(core, address);)*
            }

            fn core_parks(&mut self, scene: &mut Scene<'_>, addresses: &[u32]) {
                $(self.$observer.core_parks(scene, addresses);)*
            }

            fn core_held(&mut self, core: CoreAt, by: Option<Actor>) {
                $(self.$observer.core_held(core, by);)*
            }

            fn core_released(&mut self, core: CoreAt, by: Option<Actor>) {
                $(self.$observer.core_released(core, by);)*
            }

            #[inline]
            fn follows_threads(&self) -> bool {
                false $(|| self.$observer.follows_threads())*
            }

            fn core_loads_pages(
                &mut self,
                core: CoreAt,
                count: PageCount,
                counts: PageCounts,
            ) -> Result<(), Violation> {
                $(self.$observer.core_loads_pages(core, count, counts)?;)*
                Ok(())
            }

            fn core_stores_pages(
                &mut self,
                scene: &mut Scene<'_>,
                core: CoreAt,
                stored: (PageCount, u32),
                before: PageCounts,
            ) -> Result<(), Violation> {
                $(self.$observer.core_stores_pages(scene, core, stored, before)?;)*
                Ok(())
            }

            fn core_stores_through(
                &mut self,
                scene: &Scene<'_>,
                core: CoreAt,
                base: Base,
                bytes: (u32, u32),
            ) -> Result<(), Violation> {
                $(self.$observer.core_stores_through(scene, core, base, bytes)?;)*
                Ok(())
            }

            fn explain(&self, core: CoreAt, violation: Violation) -> Violation {
                $(let violation = self.$observer.explain(core, violation);)*
                violation
            }

            fn core_loads_counter(
                &mut self,
                core: CoreAt,
                pc: u32,
                (noc, counter): (u8, u8),
            ) -> Result<(), Violation> {
                let tell = |observers: &mut Self| {
                    $(observers.$observer.core_loads_counter(core, pc, (noc, counter))?;)*
                    Ok(())
                };
                match tell(self) {
                    Err(_) if self.answers_are_known(core, End::Load { pc }) => tell(self),
                    told => told,
                }
            }

            fn transaction_counts_cleared(&mut self, core: CoreAt, noc: u8, identifiers: u32) {
                $(self.$observer.transaction_counts_cleared(core, noc, identifiers);)*
            }

            fn register_loaded(&mut self, by: Actor, tile: u16, register: SyncRegister) {
                $(self.$observer.register_loaded(by, tile, register);)*
            }

            fn register_stored(&mut self, by: Actor, tile: u16, register: SyncRegister) {
                $(self.$observer.register_stored(by, tile, register);)*
            }

            fn comes_after(&mut self, later: Actor, earlier: Actor) {
                $(self.$observer.comes_after(later, earlier);)*
            }

            fn unit_accesses(
                &mut self,
                access: &UnitAccess,
                scene: &mut Scene<'_>,
                range: (u64, u64),
            ) -> Result<(), Violation> {
                $(self.$observer.unit_accesses(access, scene, range)?;)*
                Ok(())
            }

            fn unit_finished(
                &mut self,
                by: Actor,
                unit: UnitOf,
                upto: u64,
                wait: Option<CodePlace>,
            ) {
                $(self.$observer.unit_finished(by, unit, upto, wait);)*
            }

            fn waited(&mut self, tile: u16, at: CodePlace, tells_of_stores: bool) {
                $(self.$observer.waited(tile, at, tells_of_stores);)*
            }

            fn asks_for_waits(&self) -> bool {
                false $(|| self.$observer.asks_for_waits())*
            }

            fn unit_ordered(
                &mut self,
                actor: Actor,
                unit: (UnitOf, u64),
                pair: (CodePlace, CodePlace),
            ) {
                $(self.$observer.unit_ordered(actor, unit, pair);)*
            }

            fn ordered_by(
                &mut self,
                tile: u16,
                pair: (CodePlace, CodePlace),
                waits: &[CodePlace],
            ) {
                $(self.$observer.ordered_by(tile, pair, waits);)*
            }

            fn knows_end(&self, actor: Actor, unit: UnitOf, number: u64) -> bool {
                true $(&& self.$observer.knows_end(actor, unit, number))*
            }

            fn thread_issued(&mut self, by: Actor, tile: u16, thread: Thread, upto: u64) {
                $(self.$observer.thread_issued(by, tile, thread, upto);)*
            }

            fn knows_issue(&self, actor: Actor, of: (u16, Thread), number: u64) -> bool {
                true $(&& self.$observer.knows_issue(actor, of, number))*
            }

            fn moment(&mut self, actor: Actor) -> u32 {
                0 $(.max(self.$observer.moment(actor)))*
            }

            fn knows_moment(&self, actor: Actor, other: Actor, moment: u32) -> bool {
                true $(&& self.$observer.knows_moment(actor, other, moment))*
            }

            fn watches_order(&self) -> bool {
                false $(|| self.$observer.watches_order())*
            }

            fn is_strict_on_sampling(&self) -> bool {
                false $(|| self.$observer.is_strict_on_sampling())*
            }

            fn request_issued(
                &mut self,
                request: &Transfer,
                scene: &mut Scene<'_>,
            ) -> Result<(), Violation> {
                $(self.$observer.request_issued(request, scene)?;)*
                Ok(())
            }

            #[inline]
            fn request_departs(&mut self, request: &Transfer) {
                $(self.$observer.request_departs(request);)*
            }

            fn request_reaches(
                &mut self,
                request: &Transfer,
                reached: &mut Reached<'_>,
            ) -> Result<(), Violation> {
                $(self.$observer.request_reaches(request, reached)?;)*
                Ok(())
            }

            #[inline]
            fn request_responds(&mut self, request: &Transfer) {
                $(self.$observer.request_responds(request);)*
            }

            #[inline]
            fn request_ended(&mut self, request: &Transfer, now: Tick) {
                $(self.$observer.request_ended(request, now);)*
            }
        }
    };
}

/// What observers must know of a chip before they see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObserverOptions {
    /// Tensix tiles.
    pub(crate) tiles: usize,
    /// Bytes of each tile's L1.
    pub(crate) l1_size: u64,
    /// Programs may race.
    pub(crate) allow_races: bool,
    /// Only what the documents promise orders two requests.
    pub(crate) strict_isa: bool,
    /// Units of the coprocessor sample their configuration until they have finished, where no page says when they do.
    pub(crate) strict_tensix: bool,
}

observers! {
    |options|
    races: races::Races = races::Races::new(options),
    open_paths: open_paths::OpenPaths = Default::default(),
    requests: requests::Requests = requests::Requests::new(options.tiles),
    circular_buffers: circular_buffers::CircularBuffers =
        circular_buffers::CircularBuffers::new(options.tiles),
    grants: grants::Grants = grants::Grants::new(options.tiles),
    watched_bytes: watched_bytes::WatchedBytes = Default::default(),
    footprints: footprints::RequestFootprints = Default::default(),
    activity: activity::CoreActivities = Default::default(),
}

impl Observers {
    /// Whether a kernel that has ended knows by the order of accesses, and by no counter, that requests of a kind have arrived.
    /// From then on the kernel leaves none of that kind under way.
    fn answers_are_known(&mut self, core: CoreAt, end: End) -> bool {
        let Self { races, requests, .. } = self;
        let Some((noc, kinds)) = requests.unanswered(core, end) else { return false };
        let mut are_known = false;
        for kind in kinds {
            if races.have_arrived(core, noc, kind) {
                requests.have_arrived(core, noc, kind);
                are_known = true;
            }
        }
        are_known
    }
}

/// What is looked at before each load and store of a core: by races, and by grants where races know of no earlier access.
pub(crate) struct CheckedSession<'a> {
    races: races::RaceSession<'a>,
    grants: grants::GrantSession<'a>,
}

impl Session for CheckedSession<'_> {
    #[inline(always)]
    fn loads<const SIZE: usize>(&mut self, start: u32, pc: u32, bytes: &[u8]) -> bool {
        let Self { races, grants } = self;
        races.loads::<SIZE>(start, pc, || grants.allows_load(start, bytes))
    }

    #[inline(always)]
    fn loads_through_cache<const SIZE: usize>(
        &mut self,
        start: u32,
        pc: u32,
        bytes: &[u8],
    ) -> bool {
        self.races.looks_through_cache(start, pc) && self.loads::<SIZE>(start, pc, bytes)
    }

    #[inline(always)]
    fn stores<const SIZE: usize>(&mut self, start: u32, pc: u32, number: u32) -> bool {
        let Self { races, grants } = self;
        races.stores::<SIZE>(start, (pc, number), || grants.allows_store(start, SIZE as u32))
    }
}

impl InstructionObserver for Observers {
    type Session<'a> = CheckedSession<'a>;

    #[inline]
    fn session(&mut self, core: CoreAt) -> Option<Self::Session<'_>> {
        let Self { races, grants, .. } = self;
        Some(CheckedSession { races: races.session(core)?, grants: grants.session(core) })
    }

    fn resolve(&mut self, core: CoreAt, scene: &mut Scene<'_>) -> Result<(), Violation> {
        match self.grants.take_asked(core) {
            Some(access) => self.grants.resolve(core, scene, access),
            None => self.races.resolve(core, scene),
        }
    }

    fn ask_again(&mut self, core: CoreAt, address: u32) {
        self.grants.ask_again(core, address);
        self.races.ask_again(core);
    }
}
