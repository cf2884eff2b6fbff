//! Whether launches touch memory that they were not given.
//!
//! A launch was given what its description states ([`LaunchDescription`]): buffers, circular buffers and semaphores of
//! its program, its launch block and its code. Each request of a kernel is judged when it is issued, at both its ends.
//! A core whose launch was not described is not judged: dispatchers, firmware, and all that runs for a host that
//! describes nothing, or not the memory that it takes for itself. Where a description tells the places of arguments alone,
//! loads of arguments that the kernel was not given are judged.
//!
//! | memory | rule |
//! |---|---|
//! | circular buffer or semaphore of the program on that tile | within one |
//! | scratchpad of the kernel on that tile | within one |
//! | scratchpad of another kernel | a fault |
//! | buffer that was given | within its memory of the bank; in DRAM within its pages, unless it is sharded |
//! | buffer that was given, at an address computed from the argument of the buffer before it | a fault |
//! | buffer that was not given | a fault, unless its address stands in a plain number of the kernel or in the issuer's L1, or the issuer has loaded it from L1 |
//! | own launch block and code, tables of banks, words of the kernel API | those of the own tile |
//! | buffer in the place of one that was given and freed | to be read, since traces are replayed with new input |
//! | freed memory, memory of nobody, firmware, other launches | a fault |
//! | a multicast where the program has nothing on that tile | as where it has |
//! | a buffer that is freed, or whose memory another one takes, before the request lands | a fault ([`landing`]) |
//!
//! A number of the kernel or a word in the issuer's L1 may be an address that the host wrote for it (a table of
//! buffers), or another kernel. So it gives the buffer that it lies in, in L1 also in units of 16 bytes where it is a
//! number of the kernel or was loaded; relocated arguments are looked at by their own buffers alone. A semaphore's word
//! counts, too.

mod allocations;
mod bounds;
mod landing;
mod reached;
mod recent;
mod session;
mod text;
mod told;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{
    ArgumentMeaning, DescribedArguments, DescribedBuffer, DescribedKernel, FaultCategory,
    KernelRuns, LaunchDescription, Meaning, PhysicalCoordinate, Processor, REGISTERS, ReservedUse,
    Tick,
};

use self::allocations::{Allocation, Allocations};
use self::bounds::AnnotatedBuffers;
use self::landing::{Landing, Landings, Sender};
use self::reached::ReachedRanges;
pub(crate) use self::session::GrantSession;
use self::session::{CoreAccess, KnownRanges};
use self::text::{Finding, NEAR_PAGES, Place};
use self::told::{Addresses, Told};
use super::described_launches::{Described, DescribedLaunches};
use super::kernel_name::kernel_name;
use crate::machine::actor::{Actor, Unit};
use crate::machine::coordinates::TileKind;
use crate::machine::core::pointers::Base;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::Violation;
use crate::machine::memory::TileMemory;
use crate::machine::noc::{Operation, Transfer};
use crate::machine::observer::{BufferMemory, CoreAt, Observer, Reached, Scene};

/// A launch that a core runs.
#[derive(Clone, Debug)]
struct Running {
    described: Described,
    /// The tick at which the kernel began.
    since: u64,
    /// Buffers that a number of the kernel or a word in L1 has given it, besides those of its description.
    more: Vec<u32>,
    /// What has given them.
    widest: Giver,
    /// Memory of its tile that the core may load from and store to.
    known: [KnownRanges; 2],
    /// The access of the core that has to be judged before it is made.
    asked: Cell<Option<CoreAccess>>,
    /// Memory that its requests may read and write.
    reached: ReachedRanges,
    told: Told,
}

impl Running {
    /// Whether an address is in the arguments of the kernel on a processor.
    fn is_argument(&self, processor: Processor, address: u32) -> bool {
        let kernel = self.described.launch.on(processor).map(|(kernel, _)| kernel);
        let mut arguments = kernel.into_iter().flat_map(DescribedKernel::arguments);
        arguments.any(|arguments| arguments.words().contains(&address))
    }
}

/// What gives a launch a buffer, from the narrowest rule to the widest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Giver {
    #[default]
    Description,
    /// A plain number of the kernel.
    Number,
    /// A word in the issuer's L1.
    Word,
}

/// The launches of a tile.
#[derive(Debug, Default)]
struct TileLaunches {
    at: Option<PhysicalCoordinate>,
    described: DescribedLaunches,
    running: [Option<Running>; 5],
    /// The last kernel of each core that has ended.
    ended: [Option<Ended>; 5],
}

/// A kernel that has ended.
#[derive(Clone, Debug)]
struct Ended {
    launch: Arc<LaunchDescription>,
    /// Its first tick and its last one.
    ticks: (u64, u64),
    /// See [`Grants::version`].
    version: u64,
}

impl TileLaunches {
    fn is_running(&self) -> bool {
        self.running.iter().any(Option::is_some)
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Grants {
    memories: BTreeMap<BufferMemory, Allocations>,
    /// The memory behind a tile, if buffers lie there.
    places: BTreeMap<PhysicalCoordinate, BufferMemory>,
    /// By the tile's number.
    tiles: Vec<TileLaunches>,
    /// Grows by whatever may change a judgement.
    version: u64,
    /// Those of a host that describes nothing.
    bounds: AnnotatedBuffers,
    landings: Landings,
    runs: KernelRuns,
    /// Of the buffers that have memory; made when it is asked for.
    addresses: Option<Arc<[Addresses]>>,
}

/// An access of a kernel.
#[derive(Clone, Debug)]
struct Access {
    memory: BufferMemory,
    at: PhysicalCoordinate,
    range: Range<u64>,
    what: What,
    /// One of several targets.
    multicast: bool,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A request, at its issuer's end.
    ReadBrings,
    WriteTakes,
    AtomicReturns,
    /// A request, at its target.
    Reads,
    Writes,
    Increments,
    /// A core.
    Loads,
    Stores,
}

impl What {
    /// Whether the access is to the issuer's own tile as the request's source or destination there.
    const fn is_own_end(self) -> bool {
        match self {
            Self::ReadBrings | Self::WriteTakes | Self::AtomicReturns => true,
            Self::Reads | Self::Writes | Self::Increments | Self::Loads | Self::Stores => false,
        }
    }

    const fn writes(self) -> bool {
        match self {
            Self::ReadBrings
            | Self::AtomicReturns
            | Self::Writes
            | Self::Increments
            | Self::Stores => true,
            Self::WriteTakes | Self::Reads | Self::Loads => false,
        }
    }
}

/// The party that makes an access.
#[derive(Clone, Copy)]
struct Issuer<'a> {
    tile: u16,
    running: &'a Running,
    processor: Processor,
    memory: &'a TileMemory,
}

impl Issuer<'_> {
    fn launch(&self) -> &LaunchDescription {
        &self.running.described.launch
    }

    fn kernel(&self) -> Option<&DescribedKernel> {
        self.launch().on(self.processor).map(|(kernel, _)| kernel)
    }
}

/// How an access is judged.
#[derive(Debug)]
enum Judgement {
    /// Like all of this memory, as far as that is known.
    Granted(Option<Range<u64>>),
    /// A number of the kernel or a word in L1 has given the buffer: its number, and its memory.
    AlsoGranted(Giver, u32, Range<u64>),
    Refused(Finding),
}

fn contains(outer: Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn range(start: u32, length: u32) -> Range<u64> {
    u64::from(start)..u64::from(start) + u64::from(length)
}

/// Whether a description tells what memory a launch was given. Without the runtime's memory it says too little.
fn knows_memory(launch: &LaunchDescription) -> bool {
    !launch.reserved.is_empty()
}

/// A semaphore has a line of its own.
const SEMAPHORE_BYTES: u32 = 16;

/// The circular buffer or semaphore of a launch on its tile that holds a range.
fn of_launch(launch: &LaunchDescription, access: &Range<u64>) -> Option<Range<u64>> {
    let circular = launch.circular_buffers.iter().map(|buffer| range(buffer.address, buffer.size));
    let semaphores = launch.semaphores.iter().map(|it| range(it.address, SEMAPHORE_BYTES));
    circular.chain(semaphores).find(|memory| contains(memory.clone(), access))
}

/// The judgement about an access that begins in a scratchpad of the issuer's program on a tile.
fn scratchpad(issuer: Issuer<'_>, there: &LaunchDescription, access: &Access) -> Option<Judgement> {
    let (owner, memory) = there.kernels.iter().find_map(|kernel| {
        let mut memories = kernel.scratchpads.iter().map(|it| (it, range(it.address, it.size)));
        let (found, memory) = memories.find(|(_, memory)| memory.contains(&access.range.start))?;
        Some(((kernel, found.argument), memory))
    })?;
    let (kernel, argument) = owner;
    let is_own = issuer.kernel().is_some_and(|own| own.name == kernel.name);
    let place = match (is_own, access.range.end > memory.end) {
        (true, false) => return Some(Judgement::Granted(Some(memory))),
        (true, true) => Place::AcrossScratchpad { argument, size: memory.end - memory.start },
        (false, _) => Place::OthersScratchpad { kernel: Arc::clone(&kernel.name), argument },
    };
    Some(Judgement::Refused(Finding::new(place)))
}

/// The runtime's memory of the own tile that holds a range, if it lets a kernel access it.
fn own_memory(issuer: Issuer<'_>, access: &Access) -> Option<Range<u64>> {
    let Described { block, launch } = &issuer.running.described;
    let images = launch.kernels.iter().flat_map(|kernel| &kernel.images);
    // A core may store to its own code.
    let code = images
        .filter(|image| match access.what {
            What::Stores => image.processor == issuer.processor,
            what => !what.writes(),
        })
        .map(|image| widened(&image.code));
    let reserved = launch.reserved.iter().filter(|memory| match memory.purpose {
        ReservedUse::KernelApi | ReservedUse::Markers => true,
        ReservedUse::BankTables => !access.what.writes(),
        ReservedUse::Firmware
        | ReservedUse::Mailbox
        | ReservedUse::NoBanks
        | ReservedUse::Launches => false,
    });
    let words = range(*block, launch.size);
    let words = match (access.what == What::Loads).then(|| issuer.kernel()).flatten() {
        // Which argument a core loads is known, and which ones its kernel has.
        Some(kernel) => {
            let [unique, common] = kernel.arguments();
            let first = launch.kernels.iter().flat_map(DescribedKernel::arguments);
            let first = first
                .map(|arguments| arguments.address)
                .min()
                .map_or(words.end, u64::from)
                .min(words.end);
            let header = words.start..first;
            vec![header, widened(&unique.words()), widened(&common.words())]
        }
        None => vec![words],
    };
    code.chain(reserved.map(|memory| widened(&memory.range)))
        .chain(words)
        .find(|memory| contains(memory.clone(), &access.range))
}

fn widened(range: &Range<u32>) -> Range<u64> {
    u64::from(range.start)..u64::from(range.end)
}

/// The most arguments that a kernel may have.
const MOST_ARGUMENTS: u32 = 341;

/// The argument that a core loads, which its kernel was not given.
fn argument(issuer: Issuer<'_>, access: &Access) -> Option<Place> {
    let kernel = issuer.kernel().filter(|_| access.what == What::Loads)?;
    let index = |arguments: &DescribedArguments| {
        let first = Some(arguments.address).filter(|address| *address > 0)?;
        let offset = access.range.start.checked_sub(first.into())?;
        let index = u32::try_from(offset / 4).ok()?;
        (index < MOST_ARGUMENTS).then_some(index)
    };
    let [unique, common] = kernel.arguments();
    let of_common = index(common);
    if let Some(index) = of_common.filter(|_| common.count > 0) {
        return Some(Place::Argument { common: true, index, count: common.count, or_common: None });
    }
    let index = index(unique)?;
    Some(Place::Argument { common: false, index, count: unique.count, or_common: of_common })
}

/// Judges by a description that states the places of arguments and nothing else. A kernel without arguments of its own, or
/// without common ones, has no place for them; common ones come behind all kernels' own ones.
fn arguments_alone(issuer: Issuer<'_>, access: &Access, until: u64) -> Judgement {
    let granted = |range| Judgement::Granted(Some(range));
    let Some([own, common]) = issuer.kernel().map(DescribedKernel::arguments) else {
        return Judgement::Granted(None);
    };
    let (own, common) = (widened(&own.words()), widened(&common.words()));
    let start = access.range.start;
    let first = if own.start > 0 { &own } else { &common };
    if access.what != What::Loads || first.start == 0 {
        return Judgement::Granted(None);
    }
    if start < first.end {
        return granted(0..first.end);
    }
    if start >= until {
        return granted(until..u64::MAX);
    }
    match argument(issuer, access) {
        Some(place) if !common.contains(&start) => Judgement::Refused(Finding::new(place)),
        Some(_) => granted(common),
        None => Judgement::Granted(None),
    }
}

impl Grants {
    pub(crate) fn new(tiles: usize) -> Self {
        let tiles = std::iter::repeat_with(TileLaunches::default).take(tiles).collect();
        Self {
            memories: BTreeMap::new(),
            places: BTreeMap::new(),
            tiles,
            version: 0,
            bounds: AnnotatedBuffers::default(),
            landings: Landings::default(),
            runs: KernelRuns::default(),
            addresses: None,
        }
    }

    /// The addresses of all buffers that have memory.
    fn addresses(&mut self) -> Arc<[Addresses]> {
        if let Some(known) = &self.addresses {
            return Arc::clone(known);
        }
        let mut live: Vec<(&Arc<DescribedBuffer>, bool)> = Vec::new();
        for (memory, allocations) in &self.memories {
            let in_l1 = matches!(memory, BufferMemory::L1(_));
            live.extend(allocations.live().map(|buffer| (buffer, in_l1)));
        }
        live.sort_unstable_by_key(|(buffer, _)| buffer.number);
        live.dedup_by_key(|(buffer, _)| buffer.number);
        let all = told::addresses(live.into_iter());
        self.addresses = Some(Arc::clone(&all));
        all
    }

    /// Kernels that have ended, by the rule that gave them memory.
    pub(crate) const fn runs(&self) -> KernelRuns {
        self.runs
    }

    /// The rule that an access breaks, if it breaks one.
    fn judge(&self, issuer: Issuer<'_>, access: &Access) -> Judgement {
        let launch = issuer.launch();
        if let Some(until) = launch.arguments_until {
            return arguments_alone(issuer, access, until.into());
        }
        let own = matches!(access.memory, BufferMemory::L1(tile) if tile == issuer.tile);
        let there = match access.memory {
            BufferMemory::L1(_) if own => Some(&issuer.running.described),
            BufferMemory::L1(tile) => self
                .tiles
                .get(usize::from(tile))
                .and_then(|it| it.described.of_program(launch.program)),
            BufferMemory::Dram(_) => None,
        };
        if let Some(memory) = there.and_then(|there| of_launch(&there.launch, &access.range)) {
            return Judgement::Granted(Some(memory));
        }
        if let Some(there) = there
            && let Some(scratchpad) = self::scratchpad(issuer, &there.launch, access)
        {
            return scratchpad;
        }
        if let Some(memory) = own.then(|| own_memory(issuer, access)).flatten() {
            return Judgement::Granted(Some(memory));
        }
        let refused = |place| Judgement::Refused(Finding::new(place));
        if matches!(access.memory, BufferMemory::L1(_)) {
            let reserved = launch.reserved.iter();
            let reserved = reserved
                .filter(|it| {
                    u64::from(it.range.start) < access.range.end
                        && access.range.start < u64::from(it.range.end)
                })
                .map(|it| it.purpose);
            if let Some(purpose) = reserved.min_by_key(|purpose| *purpose as u8) {
                if self.is_spread(issuer, access) {
                    return Judgement::Granted(None);
                }
                let argument = own.then(|| argument(issuer, access)).flatten();
                let named = argument.or_else(|| self.semaphore(issuer, access));
                return refused(named.unwrap_or(Place::Reserved(purpose)));
            }
        }
        match self.memories.get(&access.memory).and_then(|it| it.at(access.range.start)) {
            Some(allocation) => self.judge_buffer(issuer, access, allocation),
            None => self.judge_nobodys(issuer, access),
        }
    }

    fn judge_buffer(
        &self,
        issuer: Issuer<'_>,
        access: &Access,
        allocation: &Allocation,
    ) -> Judgement {
        let refused = |place| Judgement::Refused(Finding::new(place));
        let buffer = &allocation.buffer;
        if !allocation.alive {
            // A circular buffer of another program may lie there by now.
            return match self.others_circular_buffer(issuer, access) {
                Some(place) => refused(place),
                None => refused(Place::Freed(Arc::clone(buffer))),
            };
        }
        if access.range.end > allocation.range.end {
            return refused(Place::AcrossTheEnd(Arc::clone(buffer)));
        }
        let running = issuer.running;
        let given = &issuer.launch().buffers;
        // A trace may read what the host has put in the place of a buffer that it knew, and overwrites nothing there.
        let replaced = |given: &DescribedBuffer| {
            !access.what.writes() && holds(given, access.at, &access.range)
        };
        let given = given.iter().any(|given| Arc::ptr_eq(given, buffer) || replaced(given))
            || running.more.contains(&buffer.number);
        let in_l1 = matches!(access.memory, BufferMemory::L1(_));
        let also = if given { None } else { giver(issuer, buffer, in_l1) };
        if !given && also.is_none() {
            return refused(Place::NotGiven(Arc::clone(buffer)));
        }
        if access.range.end > allocation.end_of_pages(access.memory) {
            return refused(Place::BehindPages(Arc::clone(buffer)));
        }
        let memory = allocation.range.start..allocation.end_of_pages(access.memory);
        match also {
            Some(giver) => Judgement::AlsoGranted(giver, buffer.number, memory),
            None => Judgement::Granted(Some(memory)),
        }
    }

    /// The semaphore that an access means, if it is one that the program does not have on that tile.
    fn semaphore(&self, issuer: Issuer<'_>, access: &Access) -> Option<Place> {
        let Described { block, launch } = &issuer.running.described;
        let launches = launch.reserved.iter().find(|it| it.purpose == ReservedUse::Launches)?;
        let address = u32::try_from(access.range.start).ok().filter(|address| address < block)?;
        let number = address.checked_sub(launches.range.start)? / SEMAPHORE_BYTES;
        let program = launch.program;
        let elsewhere = self.tiles.iter().find(|tile| {
            let there = tile.described.of_program(program);
            there.is_some_and(|it| it.launch.semaphores.iter().any(|it| it.number == number))
        });
        Some(Place::Semaphore { number, elsewhere: elsewhere.and_then(|tile| tile.at) })
    }

    fn judge_nobodys(&self, issuer: Issuer<'_>, access: &Access) -> Judgement {
        if let Some(place) = self.others_circular_buffer(issuer, access) {
            return Judgement::Refused(Finding::new(place));
        }
        if self.is_spread(issuer, access) {
            return Judgement::Granted(None);
        }
        let allocations = self.memories.get(&access.memory);
        let next = allocations.and_then(|it| it.first_in(access.range.clone()));
        let before = allocations.and_then(|it| it.before(access.range.start));
        let mut finding = Finding::new(Place::Nobodys);
        finding.next = next.filter(|it| it.alive).map(|it| Arc::clone(&it.buffer));
        finding.before = before
            .filter(|it| it.alive)
            .map(|it| (Arc::clone(&it.buffer), access.range.start.saturating_sub(it.range.end)));
        Judgement::Refused(finding)
    }

    /// The circular buffer of another program that runs on the tile.
    fn others_circular_buffer(&self, issuer: Issuer<'_>, access: &Access) -> Option<Place> {
        let BufferMemory::L1(tile) = access.memory else { return None };
        let there = self.tiles.get(usize::from(tile))?;
        let other = there.running.iter().flatten().map(|running| &running.described.launch);
        let mut other = other.filter(|launch| launch.program != issuer.launch().program);
        other.find_map(|launch| {
            let found = launch.circular_buffers.iter().find(|buffer| {
                let memory = range(buffer.address, buffer.size);
                memory.start < access.range.end && access.range.start < memory.end
            })?;
            Some(Place::OtherProgram { index: found.index })
        })
    }

    /// Whether a multicast reaches a tile on which the program has nothing at the place where it has something on the
    /// issuer's tile or on another one.
    fn is_spread(&self, issuer: Issuer<'_>, access: &Access) -> bool {
        let BufferMemory::L1(tile) = access.memory else { return false };
        if !access.multicast {
            return false;
        }
        let there = self.tiles.get(usize::from(tile));
        let program = issuer.launch().program;
        // A tile that another program uses is no idle one.
        let busy =
            there.is_some_and(|it| it.is_running() && it.described.of_program(program).is_none());
        let is_given = |launch: &LaunchDescription| {
            let buffers = launch.buffers.iter().flat_map(|buffer| &buffer.extents);
            of_launch(launch, &access.range).is_some()
                || buffers.into_iter().any(|extent| {
                    matches!(self.places.get(&extent.tile), Some(BufferMemory::L1(_)))
                        && contains(extent.range(), &access.range)
                })
        };
        let described = self.tiles.iter().filter_map(|it| it.described.of_program(program));
        !busy && (is_given(issuer.launch()) || described.into_iter().any(|it| is_given(&it.launch)))
    }

    fn running(&self, tile: u16, processor: Processor) -> Option<&Running> {
        self.tiles.get(usize::from(tile))?.running.get(processor.index())?.as_ref()
    }

    fn running_mut(&mut self, tile: u16, processor: Processor) -> Option<&mut Running> {
        self.tiles.get_mut(usize::from(tile))?.running.get_mut(processor.index())?.as_mut()
    }

    /// Judges an access of a core that runs a launch. Gives the memory of which all is granted, as far as that is known.
    fn check(
        &mut self,
        (tile, processor): (u16, Processor),
        scene: &Scene<'_>,
        access: &Access,
    ) -> Result<Option<Range<u64>>, Violation> {
        let Some(running) = self.running(tile, processor) else { return Ok(None) };
        let issuer = Issuer { tile, running, processor, memory: &scene.tile.memory };
        match self.judge(issuer, access) {
            Judgement::Granted(memory) => Ok(memory),
            Judgement::AlsoGranted(giver, number, memory) => {
                if let Some(running) = self.running_mut(tile, processor) {
                    running.more.push(number);
                    running.widest = running.widest.max(giver);
                }
                Ok(Some(memory))
            }
            Judgement::Refused(_) if planted(Defect::NothingIsGranted) => Ok(None),
            Judgement::Refused(finding) => Err(finding.violation(issuer, access)),
        }
    }

    /// Judges an access at an address that a kernel has computed from an argument, the address of the buffer with this
    /// number: the address may lie behind the buffer's end, in another one that the kernel was given.
    fn check_pointer(
        &self,
        (tile, processor): (u16, Processor),
        number: u32,
        scene: &Scene<'_>,
        access: &Access,
    ) -> Result<(), Violation> {
        let Some(running) = self.running(tile, processor) else { return Ok(()) };
        let Some(own) = running.described.launch.buffer(number) else { return Ok(()) };
        match self.behind(own, access) {
            Some(other) if !planted(Defect::ArgumentsLeaveTheirMemory) => {
                let issuer = Issuer { tile, running, processor, memory: &scene.tile.memory };
                let place = Place::RunsPast { own: Arc::clone(own), other };
                Err(Finding::new(place).violation(issuer, access))
            }
            _ => Ok(()),
        }
    }

    /// The buffer that holds an access behind the end of a given one, in the same bank, and not far from it.
    fn behind(&self, own: &DescribedBuffer, access: &Access) -> Option<Arc<DescribedBuffer>> {
        // A tile may hold several banks.
        let before = own
            .extents
            .iter()
            .filter(|extent| extent.tile == access.at && extent.start.0 <= access.range.start);
        let extent = before.max_by_key(|extent| extent.start.0)?;
        let distance = access.range.start.checked_sub(extent.range().end)?;
        let near = own.page_size.saturating_mul(NEAR_PAGES);
        let other = self.memories.get(&access.memory)?.at(access.range.start)?;
        // Memory that another buffer shares with this one is of both.
        let is_another = other.alive
            && other.buffer.number != own.number
            && other.range.start >= extent.range().end;
        (distance <= near && is_another).then(|| Arc::clone(&other.buffer))
    }

    /// Judges both ends of a request.
    fn check_request(
        &mut self,
        core: (u16, Processor),
        request: &Transfer,
        scene: &Scene<'_>,
    ) -> Result<(), Violation> {
        if let Some(running) = self.running(core.0, core.1)
            && let Some(violation) = inline_to_dram(running, core.1, request, scene)
            && !planted(Defect::NothingIsGranted)
        {
            return Err(violation);
        }
        ends_of(request, scene).try_for_each(|access| {
            let [own, other] = request.bases;
            let base = if access.what.is_own_end() { own } else { other };
            if let Some(Base::Buffer(number)) = base {
                self.check_pointer(core, number, scene, &access)?;
            }
            let version = self.version;
            let known = self.running(core.0, core.1).map(|running| &running.reached);
            if known.is_some_and(|known| known.contain(version, &access)) {
                return Ok(());
            }
            if let Some(memory) = self.check(core, scene, &access)?
                && let Some(running) = self.running_mut(core.0, core.1)
            {
                running.reached.keep(version, &access, memory);
            }
            Ok(())
        })
    }

    /// Judges a request where it lands, after memory was freed.
    fn check_landing(&self, request: &Transfer, reached: &Reached<'_>) -> Result<(), Violation> {
        let (memory, at, (start, length)) = match reached {
            Reached::L1(scene, range) => {
                (BufferMemory::L1(scene.tile.number), scene.tile.at, *range)
            }
            Reached::Dram(scene) => (BufferMemory::Dram(scene.channel), scene.at, scene.range),
            Reached::Registers(..) | Reached::HostMemory | Reached::Other => return Ok(()),
        };
        let writes = !matches!(request.operation, Operation::Read { .. });
        let range = start..start.saturating_add(length);
        let landing = Landing { memory, at, range, issued: request.accepted, writes };
        self.landings.check(&landing, || self.sender(request))
    }

    /// The described launch that has issued a request.
    fn sender(&self, request: &Transfer) -> Option<Sender> {
        let Actor::Unit { tile, unit: Unit::Core(processor) } = request.issuer? else {
            return None;
        };
        let there = self.tiles.get(usize::from(tile))?;
        let running = there.running.get(processor.index())?.as_ref();
        if let Some(running) = running.filter(|running| running.since <= request.accepted) {
            let kernel = kernel_name(&running.described.launch, processor);
            return Some(Sender { kernel, ended: None });
        }
        let ended = there.ended.get(processor.index())?.as_ref()?;
        let (first, last) = ended.ticks;
        let kernel = kernel_name(&ended.launch, processor);
        let sender = Sender { kernel, ended: Some(ended.version) };
        (first..=last).contains(&request.accepted).then_some(sender)
    }
}

/// The accesses of a request at both its ends, as far as they are to memory.
fn ends_of(request: &Transfer, scene: &Scene<'_>) -> impl Iterator<Item = Access> {
    let length = request.operation.length();
    let (local, remote) = match request.operation {
        Operation::Read { .. } => (Some(What::ReadBrings), What::Reads),
        Operation::Write { .. } => (Some(What::WriteTakes), What::Writes),
        Operation::InlineWrite { .. } => (None, What::Writes),
        Operation::Atomic { .. } => (Some(What::AtomicReturns), What::Increments),
    };
    let local = local.map(|what| Access {
        memory: BufferMemory::L1(scene.tile.number),
        at: scene.tile.at,
        range: range(request.local, length),
        what,
        multicast: false,
    });
    let tiles = request.targets.tiles();
    let start = request.address;
    let remote = tiles.iter().filter_map(move |&at| {
        let memory = match scene.coordinates.kind(at) {
            TileKind::Tensix(tile) if start < REGISTERS.start => BufferMemory::L1(tile),
            TileKind::Dram(channel) => BufferMemory::Dram(channel),
            TileKind::Tensix(_)
            | TileKind::Ethernet(_)
            | TileKind::Pcie
            | TileKind::Arc
            | TileKind::Harvested
            | TileKind::Empty => return None,
        };
        let range = start..start.saturating_add(length.into());
        Some(Access { memory, at, range, what: remote, multicast: tiles.len() > 1 })
    });
    local.into_iter().chain(remote)
}

/// The rule that an inline write to DRAM breaks where the kernel API writes the word from memory of its own, because the chip
/// does not carry out inline writes. Other chips refuse the request itself, and TT-Metalium's watcher the call.
fn inline_to_dram(
    running: &Running,
    processor: Processor,
    request: &Transfer,
    scene: &Scene<'_>,
) -> Option<Violation> {
    let Operation::Write { length: 4 } = request.operation else { return None };
    let [at] = request.targets.tiles() else { return None };
    let TileKind::Dram(_) = scene.coordinates.kind(*at) else { return None };
    let launch = &running.described.launch;
    let mut reserved = launch.reserved.iter();
    let staged = reserved.any(|memory| {
        memory.purpose == ReservedUse::KernelApi && memory.range.contains(&request.local)
    });
    let kernel = kernel_name(launch, processor);
    staged.then(|| {
        Violation::new(
            FaultCategory::MemoryNotGranted,
            format!(
                "{kernel} makes an inline write to {:#x} of tile {at}, which is DRAM, and DRAM does not support inline \
                 writes: store the word to L1, and write it from there with noc_async_write",
                request.address
            ),
        )
    })
}

/// Whether a buffer has a range of a tile's memory.
fn holds(buffer: &DescribedBuffer, at: PhysicalCoordinate, range: &Range<u64>) -> bool {
    buffer.extents.iter().any(|extent| extent.tile == at && contains(extent.range(), range))
}

/// Where the data of programs begins on the tile of a launch.
fn data_of(launch: &LaunchDescription) -> u32 {
    launch.reserved.iter().map(|memory| memory.range.end).max().unwrap_or(0)
}

/// Bytes by which TT-Metalium counts places in L1 where it does not count single bytes.
const UNIT: u32 = 16;

/// What gives the issuer a buffer that its description does not: a number of its kernel or a word in its L1 lies in the
/// buffer, by the address within a bank, or by that on a tile.
fn giver(issuer: Issuer<'_>, buffer: &DescribedBuffer, in_l1: bool) -> Option<Giver> {
    let lies = |number: u32| {
        let number = u64::from(number);
        let of_bank = number.checked_sub(buffer.address);
        buffer.extents.iter().any(|extent| {
            extent.range().contains(&number) || of_bank.is_some_and(|offset| offset < extent.length)
        })
    };
    // Places in L1 are given in units of 16 bytes, too, as compute kernels and circular buffers count.
    let in_units = |number: u32| in_l1 && number.checked_mul(UNIT).is_some_and(lies);
    let launch = issuer.launch();
    let plain = launch.kernels.iter().any(|kernel| {
        kernel.numbers.iter().any(|&number| lies(number) || in_units(number))
            || kernel.arguments().iter().any(|arguments| {
                (0..arguments.count).any(|index| {
                    let relocated = arguments.meanings.iter().any(|(at, _)| *at == index);
                    !relocated && issuer.memory.word(arguments.word(index)).is_some_and(lies)
                })
            })
    });
    if plain {
        return Some(Giver::Number);
    }
    if issuer.running.told.holds(buffer.number) {
        return Some(Giver::Word);
    }
    let mut semaphores = launch.semaphores.iter();
    if semaphores.any(|it| issuer.memory.word(it.address).is_some_and(lies)) {
        return Some(Giver::Word);
    }
    let words = issuer.memory.bytes.get(data_of(launch) as usize..).unwrap_or_default();
    let words = words.as_chunks::<4>().0;
    words.iter().any(|word| lies(u32::from_le_bytes(*word))).then_some(Giver::Word)
}

impl Observer for Grants {
    fn annotated(
        &mut self,
        _: PhysicalCoordinate,
        (start, end): (u64, u64),
        meaning: Meaning,
        memory: Option<BufferMemory>,
    ) {
        let Some(memory) = memory else { return };
        self.version += 1;
        self.bounds.annotated(memory, start..end, meaning);
        if meaning == Meaning::Freed
            && let Some(allocations) = self.memories.get_mut(&memory)
        {
            self.addresses = None;
            for gone in allocations.free(&(start..end)) {
                self.landings.freed(memory, gone.range.clone(), &gone.buffer, self.version);
            }
        }
    }

    fn buffer_described(
        &mut self,
        buffer: &Arc<DescribedBuffer>,
        memories: &[Option<BufferMemory>],
    ) {
        self.version += 1;
        self.addresses = None;
        self.bounds.host_describes();
        for (index, (extent, memory)) in buffer.extents.iter().zip(memories).enumerate() {
            let Some(memory) = memory else { continue };
            self.places.insert(extent.tile, *memory);
            let (range, buffer) = (extent.range(), Arc::clone(buffer));
            self.landings.taken(*memory, &range, &buffer);
            let allocation = Allocation { range, buffer, extent: index, alive: true };
            self.memories.entry(*memory).or_default().take(allocation);
        }
    }

    fn launch_described(
        &mut self,
        tile: u16,
        at: PhysicalCoordinate,
        block: u32,
        launches: &[Arc<LaunchDescription>],
    ) {
        self.version += 1;
        let Some(there) = self.tiles.get_mut(usize::from(tile)) else { return };
        there.at = Some(at);
        there.described.describe(block, launches);
    }

    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, now: Tick) {
        self.version += 1;
        let all = self.addresses();
        let Some(there) = self.tiles.get_mut(usize::from(core.tile)) else { return };
        let Some(described) = there.described.begin(launch) else { return };
        let says_enough =
            |launch: &LaunchDescription| knows_memory(launch) || launch.arguments_until.is_some();
        let described = Some(described).filter(|it| says_enough(&it.launch)).cloned();
        if let (Some(slot), Some(described)) =
            (there.running.get_mut(core.processor.index()), described)
        {
            let since = now.0;
            let told = Told::new(&described.launch, &all);
            let (more, widest, known, asked, reached) = Default::default();
            *slot = Some(Running { described, since, more, widest, known, asked, reached, told });
        }
    }

    fn unknown_launch_begins(&mut self, core: CoreAt) {
        if let Some(there) = self.tiles.get_mut(usize::from(core.tile)) {
            there.described.begin_unknown();
        }
        self.core_held(core, None);
    }

    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        now: Tick,
    ) -> Result<(), Violation> {
        let there = self.tiles.get_mut(usize::from(core.tile));
        let slots = there.and_then(|there| {
            let index = core.processor.index();
            Some((there.running.get_mut(index)?.take()?, there.ended.get_mut(index)?))
        });
        let runs = &mut self.runs;
        let knows = |running: &Running| knows_memory(&running.described.launch);
        *match slots.as_ref().filter(|(running, _)| knows(running)) {
            Some((Running { widest: Giver::Description, .. }, _)) => &mut runs.by_description,
            Some((Running { widest: Giver::Number, .. }, _)) => &mut runs.by_numbers,
            Some((Running { widest: Giver::Word, .. }, _)) => &mut runs.by_words,
            None => &mut runs.by_bounds,
        } += 1;
        if let Some((Running { described, since, .. }, ended)) = slots {
            let (launch, ticks) = (described.launch, (since, now.0));
            *ended = Some(Ended { launch, ticks, version: self.version });
        }
        self.version += 1;
        Ok(())
    }

    fn core_held(&mut self, core: CoreAt, _: Option<Actor>) {
        self.version += 1;
        if let Some(slot) = self
            .tiles
            .get_mut(usize::from(core.tile))
            .and_then(|there| there.running.get_mut(core.processor.index()))
        {
            *slot = None;
        }
    }

    fn explain(&self, core: CoreAt, violation: Violation) -> Violation {
        match self.running(core.tile, core.processor) {
            Some(running) => text::mistake_of(&running.described.launch, core.processor, violation),
            None => violation,
        }
    }

    fn request_issued(
        &mut self,
        request: &Transfer,
        scene: &mut Scene<'_>,
    ) -> Result<(), Violation> {
        let core = (scene.tile.number, request.origin.processor);
        self.landings.issued(request.accepted);
        let judged = self.running(core.0, core.1);
        if !judged.is_some_and(|running| knows_memory(&running.described.launch)) {
            return self.bounds.check(ends_of(request, scene));
        }
        self.check_request(core, request, scene)
    }

    fn core_stores_through(
        &mut self,
        scene: &Scene<'_>,
        core: CoreAt,
        base: Base,
        (start, size): (u32, u32),
    ) -> Result<(), Violation> {
        let Base::Buffer(number) = base else { return Ok(()) };
        let (memory, range) = (BufferMemory::L1(core.tile), range(start, size));
        let access = Access { memory, at: core.at, range, what: What::Stores, multicast: false };
        self.check_pointer((core.tile, core.processor), number, scene, &access)
    }

    fn request_reaches(
        &mut self,
        request: &Transfer,
        reached: &mut Reached<'_>,
    ) -> Result<(), Violation> {
        if self.landings.is_quiet() {
            return Ok(());
        }
        self.check_landing(request, reached)
    }

    fn chip_is_idle(&mut self) {
        self.landings.nothing_is_under_way();
    }
}

/// The argument of a kernel that gives it a buffer, in words: "argument 1". Of several, it is the one whose value comes
/// last before the access.
fn argument_of(issuer: Issuer<'_>, access: &Access, number: u32) -> Option<String> {
    let kernel = issuer.kernel()?;
    let all = [("", &kernel.unique_arguments), ("common ", &kernel.common_arguments)];
    let found = all.into_iter().flat_map(|(kind, arguments)| {
        let meant = arguments.meanings.iter();
        let meant = meant.filter(|(_, meaning)| *meaning == ArgumentMeaning::Buffer(number));
        meant.map(move |(index, _)| {
            let value = issuer.memory.word(arguments.word(*index)).map(u64::from);
            (value.filter(|value| *value <= access.range.start), kind, *index)
        })
    });
    let mut found: Vec<_> = found.collect();
    // The first of those that are alike.
    found.reverse();
    let (_, kind, index) = found.into_iter().max_by_key(|(value, ..)| *value)?;
    Some(format!("{kind}argument {index}"))
}
