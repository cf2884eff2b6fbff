//! Rules of circular buffers, which hardware does not know.
//!
//! A circular buffer is memory of a tile, two counts of pages, and a pointer of each core that uses it. A producer waits
//! for room (`cb_reserve_back`), fills pages and counts them as received (`cb_push_back`); a consumer waits for pages
//! (`cb_wait_front`), and counts them as acknowledged when it gives them back (`cb_pop_front`). The counts are registers,
//! whose loads and stores the machine tells of.
//!
//! Always at fault, in a launch that was described:
//!
//! - an index that the launch does not configure on the tile;
//! - a push of more pages than are free, a pop of more than there are;
//! - a pointer that passes the memory's end: within a push or a pop, nothing wraps;
//! - a NoC request that begins in the memory and passes its end, unless a buffer that the launch was given, or another
//!   circular buffer, holds all of it;
//! - an end of a NoC request, or a store, beyond the memory's end, at an address that the kernel has computed from the
//!   circular buffer's pointer (`machine/core/pointers.rs`), even in other memory that the launch was given. On another
//!   tile it is the end that the circular buffer has there, if it begins at the same place.
//!
//! What a core has found out binds it: who has looked for room pushes no more than it has found, and who has looked for
//! pages pops no more. NoC requests of a core in its part for an index stay within what it has found: a producer's reads
//! within free pages, a consumer's writes within received ones. A core that never looks may push into room that is free,
//! and use the memory as it likes.

use std::fmt::Write as _;
use std::sync::Arc;

use hallmark_chip::{
    CircularBufferTable, DescribedCircularBuffer, FaultCategory, FaultMemory, LaunchDescription,
    PhysicalCoordinate, Tick, TileAddress,
};

use super::described_launches::DescribedLaunches;
use super::kernel_name::kernel_name;
use super::per_core::PerCore;
use crate::machine::actor::Actor;
use crate::machine::coordinates::{Coordinates, TileKind};
use crate::machine::core::pointers::Base;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::Violation;
use crate::machine::memory::Memory;
use crate::machine::noc::{Operation, Transfer};
use crate::machine::observer::{CoreAt, Observer, PageCount, PageCounts, Scene};

/// Counts wrap at 2^16.
const fn difference(later: u32, earlier: u32) -> u32 {
    later.wrapping_sub(earlier) & 0xFFFF
}

/// A difference from which on a count was set back, and not forward.
const SET_BACK: u32 = 0x8000;

/// What a core knows of a circular buffer, and has done with it, in its launch.
#[derive(Debug)]
struct Use {
    index: u32,
    /// Pages that it has pushed.
    pushed: u64,
    /// Pages that it has popped.
    popped: u64,
    /// The counts as it found them last.
    received: Option<u32>,
    acknowledged: Option<u32>,
    /// The count that it loaded last, which is the one that it waits for.
    last: Option<PageCount>,
}

impl Use {
    /// The pages given back, as a core found them that is no consumer.
    const fn found_given_back(&self) -> Option<u32> {
        if self.popped == 0 { self.acknowledged } else { None }
    }

    /// The pages that came, as a core found them that is no producer.
    const fn found_received(&self) -> Option<u32> {
        if self.pushed == 0 { self.received } else { None }
    }

    /// Whether the core has looked for free pages and is no consumer. Before its first push, the count that it loaded
    /// last tells for what it has looked.
    const fn looks_for_room(&self) -> bool {
        self.found_given_back().is_some()
            && (self.pushed > 0 || matches!(self.last, Some(PageCount::Acknowledged)))
    }

    /// Whether the core has looked for pages and is no producer.
    const fn looks_for_pages(&self) -> bool {
        self.found_received().is_some()
            && (self.popped > 0 || matches!(self.last, Some(PageCount::Received)))
    }
}

#[derive(Debug, Default)]
struct CoreBuffers {
    launch: Option<Arc<LaunchDescription>>,
    uses: Vec<Use>,
}

impl CoreBuffers {
    fn using(&mut self, index: u32) -> Option<&mut Use> {
        let place = match self.uses.iter().position(|it| it.index == index) {
            Some(place) => place,
            None => {
                self.uses.push(Use {
                    index,
                    pushed: 0,
                    popped: 0,
                    received: None,
                    acknowledged: None,
                    last: None,
                });
                self.uses.len().saturating_sub(1)
            }
        };
        self.uses.get_mut(place)
    }
}

/// A kernel that runs on a core.
struct Kernel<'a> {
    core: CoreAt,
    launch: &'a LaunchDescription,
}

impl<'a> Kernel<'a> {
    fn name(&self) -> String {
        kernel_name(self.launch, self.core.processor)
    }

    fn table(&self) -> Option<CircularBufferTable> {
        self.launch.on(self.core.processor)?.1.table
    }

    /// The circular buffer of an index.
    fn buffer(&self, index: u32) -> Result<&'a DescribedCircularBuffer, Violation> {
        self.launch.circular_buffer(index).ok_or_else(|| self.not_configured(index))
    }

    fn not_configured(&self, index: u32) -> Violation {
        let mut text = format!(
            "{} uses circular buffer {index}, which its program does not configure on this core",
            self.name()
        );
        let known: Vec<String> =
            self.launch.circular_buffers.iter().map(|it| it.index.to_string()).collect();
        text.push_str(&match known.split_last() {
            None => "; there is none here".to_owned(),
            Some((last, [])) => format!("; there is only circular buffer {last} here"),
            Some((last, rest)) => {
                format!("; there are only circular buffers {} and {last} here", rest.join(", "))
            }
        });
        text.push_str(": create it on this core, or name another index in the kernel");
        Violation::new(FaultCategory::CircularBufferMisuse, text)
    }

    /// Adds a possible cause to the violation if the value lies where the table would have the entry of an index that the chip does
    /// not have. Other variables of the kernel may lie there, too.
    fn beyond_the_table(&self, violation: Violation) -> Violation {
        let own = violation.unwritten.filter(|source| {
            source.memory == Memory::Private(self.core.processor) && source.tile == self.core.at
        });
        let found = own.and_then(|source| {
            let table = self.table()?;
            let twice = CircularBufferTable { entries: table.entries.saturating_mul(2), ..table };
            Some((twice.index_at(source.address)?, table.entries.checked_sub(1)?))
        });
        let Some((index, last)) = found.filter(|(index, last)| index > last) else {
            return violation;
        };
        let reason = format!(
            "{}; the entry of circular buffer {index} would be there, and this chip's last circular buffer is {last}: if {} uses \
             circular buffer {index}, correct the index",
            violation.reason,
            self.name()
        );
        let category = violation.category;
        violation.in_words(category, reason)
    }

    fn fault(&self, buffer: &DescribedCircularBuffer, text: String) -> Violation {
        let memory = FaultMemory {
            tile: self.core.at,
            address: TileAddress(buffer.address.into()),
            length: buffer.size.into(),
        };
        Violation::new(FaultCategory::CircularBufferMisuse, text).about(Some(memory))
    }

    /// The core's own pointer, as an address.
    fn pointer(&self, index: u32, count: PageCount, scene: &Scene<'_>) -> Option<u32> {
        let table = self.table()?;
        let field = match count {
            PageCount::Received => table.write_pointer,
            PageCount::Acknowledged => table.read_pointer,
        };
        let address =
            index.checked_mul(table.stride)?.checked_add(table.address)?.checked_add(field)?;
        let core = scene.tile.cores.get(self.core.processor.index())?;
        let offset = core.private_offset(address)?;
        let word = core.private.get(offset..)?.first_chunk::<4>()?;
        u32::from_le_bytes(*word).checked_mul(table.unit)
    }
}

fn pages(count: u32) -> String {
    if count == 1 { "1 page".to_owned() } else { format!("{count} pages") }
}

/// Bytes of a core's own memory that a request reads or writes.
#[derive(Clone, Copy)]
struct Local {
    start: u64,
    length: u64,
    writes: bool,
}

impl Local {
    fn of(request: &Transfer) -> Option<Self> {
        let (length, writes) = match request.operation {
            Operation::Read { length } => (length, true),
            Operation::Write { length } => (length, false),
            Operation::InlineWrite { .. } | Operation::Atomic { .. } => return None,
        };
        Some(Self { start: request.local.into(), length: length.into(), writes })
    }

    const fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }

    fn describe(&self) -> String {
        let Self { length, writes, .. } = self;
        if *writes {
            format!("a NoC read of {length} bytes brings its data to")
        } else {
            format!("a NoC write of {length} bytes takes its data from")
        }
    }
}

fn end_of(buffer: &DescribedCircularBuffer) -> u64 {
    u64::from(buffer.address).saturating_add(buffer.size.into())
}

fn holds(buffer: &DescribedCircularBuffer, address: u64) -> bool {
    (u64::from(buffer.address)..end_of(buffer)).contains(&address)
}

/// See the module.
#[derive(Debug)]
pub(crate) struct CircularBuffers {
    cores: PerCore<CoreBuffers>,
    /// By the tile's number.
    tiles: Vec<DescribedLaunches>,
}

impl CircularBuffers {
    pub(crate) fn new(tiles: usize) -> Self {
        let launches = std::iter::repeat_with(DescribedLaunches::default).take(tiles);
        Self { cores: PerCore::new(tiles), tiles: launches.collect() }
    }

    /// A request passes the end of a circular buffer in which it begins.
    fn passes_the_end(kernel: &Kernel<'_>, local: Local) -> Option<Violation> {
        let buffers = &kernel.launch.circular_buffers;
        let is_inside = |buffer: &DescribedCircularBuffer| {
            holds(buffer, local.start) && local.end() <= end_of(buffer)
        };
        let passed = buffers
            .iter()
            .filter(|buffer| holds(buffer, local.start))
            .max_by_key(|buffer| end_of(buffer))?;
        let is_in_buffer = |tile: PhysicalCoordinate| {
            let extents = kernel.launch.buffers.iter().flat_map(|buffer| &buffer.extents);
            let mut extents = extents.filter(|extent| extent.tile == tile);
            extents.any(|extent| {
                let range = extent.range();
                range.start <= local.start && local.end() <= range.end
            })
        };
        if buffers.iter().any(is_inside) || is_in_buffer(kernel.core.at) {
            return None;
        }
        let end = end_of(passed);
        let mut text = format!(
            "{} uses memory behind circular buffer {}: {} byte {} of its {} bytes on",
            kernel.name(),
            passed.index,
            local.describe(),
            local.start.saturating_sub(passed.address.into()),
            passed.size,
        );
        let beyond = local.end().saturating_sub(end);
        let _ = write!(text, ", and the last {beyond} of them lie behind the end");
        if let Some(next) = buffers.iter().find(|buffer| holds(buffer, end)) {
            let _ = write!(text, ", in circular buffer {}", next.index);
        }
        text.push_str(
            ": make the circular buffer larger, or leave room for what the kernel adds to its start",
        );
        Some(kernel.fault(passed, text))
    }

    /// A pointer of a circular buffer has run past the end, into other memory that the launch was given. Grants tell of
    /// memory that it was not given.
    fn pointer_runs_on(
        kernel: &Kernel<'_>,
        (launch, at): (&LaunchDescription, PhysicalCoordinate),
        index: u32,
        (start, length): (u64, u64),
        does: impl FnOnce() -> String,
    ) -> Option<Violation> {
        let buffers = &launch.circular_buffers;
        let own = launch.circular_buffer(index)?;
        let end = end_of(own);
        if start < end {
            return None;
        }
        // Memory that the circular buffer is a part of, or that is a part of it.
        let shares = |other: std::ops::Range<u64>| {
            other.start < end && u64::from(own.address) < other.end && other.contains(&start)
        };
        let extents = launch.buffers.iter().flat_map(|buffer| {
            let here = buffer.extents.iter().filter(|extent| extent.tile == at);
            here.map(move |extent| (buffer, extent.range()))
        });
        if extents.clone().any(|(_, range)| shares(range))
            || buffers.iter().any(|other| shares(other.address.into()..end_of(other)))
        {
            return None;
        }
        let other = buffers.iter().find(|other| holds(other, start));
        let other = other.map(|other| format!("circular buffer {}", other.index));
        let mut extents = extents.filter(|(_, range)| range.contains(&start));
        let other = other
            .or_else(|| extents.next().map(|(buffer, _)| format!("buffer `{}`", buffer.name)))?;
        let there = if at == kernel.core.at { String::new() } else { format!(" of tile {at}") };
        let text = format!(
            "{} runs past the end of circular buffer {index}{there}, which has {} bytes: {} byte {} behind its start, where \
             {other} lies, and has computed the address from the pointer of circular buffer {index}: make circular \
             buffer {index} larger, or mend the number of pages or what the kernel adds to the pointer",
            kernel.name(),
            own.size,
            does(),
            start.saturating_sub(own.address.into()),
        );
        let address = TileAddress(start);
        let memory = FaultMemory { tile: at, address, length };
        let violation = Violation::new(FaultCategory::CircularBufferMisuse, text);
        Some(violation.about(Some(memory))).filter(|_| !planted(Defect::PointersLeaveTheirMemory))
    }

    /// The same at a request's targets, where the circular buffer may be of another size.
    fn pointer_runs_on_elsewhere(
        &self,
        kernel: &Kernel<'_>,
        request: &Transfer,
        coordinates: &Coordinates,
    ) -> Option<Violation> {
        let [_, Some(Base::CircularBuffer(index))] = request.bases else { return None };
        let own = kernel.launch.circular_buffer(index)?;
        let bytes = (request.address, request.operation.length().into());
        let does = || {
            let length = bytes.1;
            match request.operation {
                Operation::Read { .. } => {
                    format!("a NoC read of {length} bytes takes its data from")
                }
                Operation::Write { .. } | Operation::InlineWrite { .. } => {
                    format!("a NoC write of {length} bytes brings its data to")
                }
                Operation::Atomic { .. } => "a NoC atomic works on".to_owned(),
            }
        };
        request.targets.tiles().iter().find_map(|&at| {
            let TileKind::Tensix(tile) = coordinates.kind(at) else { return None };
            let described = self.tiles.get(usize::from(tile))?.of_program(kernel.launch.program)?;
            let launch = &described.launch;
            launch.circular_buffer(index).filter(|there| there.address == own.address)?;
            Self::pointer_runs_on(kernel, (launch, at), index, bytes, does)
        })
    }

    /// A request of a producer or a consumer reaches for pages that it has not found free, or received.
    fn is_not_its_own(
        kernel: &Kernel<'_>,
        uses: &[Use],
        local: Local,
        scene: &Scene<'_>,
    ) -> Option<Violation> {
        let mut holders =
            kernel.launch.circular_buffers.iter().filter(|buffer| holds(buffer, local.start));
        let buffer = holders.next()?;
        // Who uses the memory by another index may know more.
        if holders.next().is_some() || buffer.page_size == 0 {
            return None;
        }
        let using = uses.iter().find(|it| it.index == buffer.index)?;
        let (received, acknowledged) = (using.received?, using.acknowledged?);
        let filled = difference(received, acknowledged).min(buffer.pages);
        let (count, known, popped) = if local.writes && using.looks_for_room() {
            (PageCount::Received, buffer.pages - filled, 0)
        } else if !local.writes && using.looks_for_pages() {
            (PageCount::Acknowledged, filled, using.popped)
        } else {
            return None;
        };
        let pointer = u64::from(kernel.pointer(buffer.index, count, scene)?);
        let size = u64::from(buffer.size);
        let offset = (local.start + size).checked_sub(pointer)?.checked_rem(size)?;
        let known_bytes = u64::from(known) * u64::from(buffer.page_size);
        if offset.saturating_add(local.length) <= known_bytes {
            return None;
        }
        // Pages that a consumer has given back are the race detector's.
        let popped_bytes = popped.min(u64::from(buffer.pages)) * u64::from(buffer.page_size);
        if offset >= size.saturating_sub(popped_bytes).max(known_bytes) {
            return None;
        }
        let (whose, remedy) = if local.writes {
            (
                "free",
                "cb_reserve_back waits for as many pages as the kernel fills before the next push",
            )
        } else {
            (
                "received",
                "cb_wait_front waits for as many pages as the kernel uses before the next pop",
            )
        };
        let mut text = format!(
            "{} uses pages of circular buffer {} that it has not found {whose}: {} byte {offset} behind its {} pointer \
             on, and it has found {} of {} bytes {whose} there",
            kernel.name(),
            buffer.index,
            local.describe(),
            if local.writes { "write" } else { "read" },
            pages(known),
            buffer.page_size,
        );
        if local.length > buffer.page_size.into() {
            let _ = write!(
                text,
                "; the kernel's pages have {} bytes, and those that the host configured have {}",
                local.length, buffer.page_size
            );
        }
        let _ = write!(text, ": {remedy}");
        Some(kernel.fault(buffer, text))
    }

    /// A core counts pages that it pushes.
    fn pushes(
        kernel: &Kernel<'_>,
        using: &Use,
        buffer: &DescribedCircularBuffer,
        (count, before): (u32, PageCounts),
    ) -> Option<Violation> {
        let filled = difference(before.received, before.acknowledged);
        let free = buffer.pages.saturating_sub(filled);
        let (name, index) = (kernel.name(), buffer.index);
        if count > free && !planted(Defect::PushesBeyondTheRoom) {
            return Some(kernel.fault(
                buffer,
                format!(
                    "{name} pushes {} into circular buffer {index}, of whose {} {free} are free: \
                     cb_reserve_back waits until the consumer has given pages back with cb_pop_front",
                    pages(count),
                    pages(buffer.pages),
                ),
            ));
        }
        let acknowledged = using.found_given_back()?;
        let found = buffer.pages.saturating_sub(difference(before.received, acknowledged));
        (count > found).then(|| {
            kernel.fault(
                buffer,
                format!(
                    "{name} pushes {} into circular buffer {index}, after it has found {} free: \
                     cb_reserve_back waits for as many pages as are pushed",
                    pages(count),
                    pages(found),
                ),
            )
        })
    }

    /// A core counts pages that it pops.
    fn pops(
        kernel: &Kernel<'_>,
        using: &Use,
        buffer: &DescribedCircularBuffer,
        (count, before): (u32, PageCounts),
    ) -> Option<Violation> {
        let there = difference(before.received, before.acknowledged);
        let (name, index) = (kernel.name(), buffer.index);
        if count > there && !planted(Defect::PopsBeyondTheReceived) {
            return Some(kernel.fault(
                buffer,
                format!(
                    "{name} pops {} of circular buffer {index}, which holds {}: cb_wait_front waits until the \
                     producer has pushed them with cb_push_back",
                    pages(count),
                    pages(there),
                ),
            ));
        }
        let received = using.found_received()?;
        let found = difference(received, before.acknowledged);
        (count > found).then(|| {
            kernel.fault(
                buffer,
                format!(
                    "{name} pops {} of circular buffer {index}, after it has found {} there: cb_wait_front waits for \
                     as many pages as are popped",
                    pages(count),
                    pages(found),
                ),
            )
        })
    }

    /// A core's pointer has passed the end of the memory.
    fn pointer_passes_the_end(
        kernel: &Kernel<'_>,
        buffer: &DescribedCircularBuffer,
        (count, moved): (PageCount, u32),
        scene: &Scene<'_>,
    ) -> Option<Violation> {
        let pointer = u64::from(kernel.pointer(buffer.index, count, scene)?);
        if pointer < end_of(buffer) || planted(Defect::PointersPassTheEnd) {
            return None;
        }
        let (does, pointer_name) = match count {
            PageCount::Received => ("pushes", "write"),
            PageCount::Acknowledged => ("pops", "read"),
        };
        let page_size = u64::from(buffer.page_size);
        let before = pointer.saturating_sub(page_size.saturating_mul(moved.into()));
        let from = before.checked_sub(buffer.address.into())?.checked_div(page_size)?;
        Some(kernel.fault(
            buffer,
            format!(
                "{} {does} {} of circular buffer {} from page {from} on, past the end of its {}: the {pointer_name} \
                 pointer goes back to the start only where it meets the end, and nothing wraps within a push or a pop, \
                 so that the pages of each must add up to the circular buffer's",
                kernel.name(),
                pages(moved),
                buffer.index,
                pages(buffer.pages),
            ),
        ))
    }
}

impl Observer for CircularBuffers {
    fn launch_described(
        &mut self,
        tile: u16,
        _: PhysicalCoordinate,
        block: u32,
        launches: &[Arc<LaunchDescription>],
    ) {
        if let Some(there) = self.tiles.get_mut(usize::from(tile)) {
            there.describe(block, launches);
        }
    }

    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, _: Tick) {
        if let Some(there) = self.tiles.get_mut(usize::from(core.tile)) {
            there.begin(launch);
        }
        if let Some(buffers) = self.cores.get_mut(core.actor()) {
            buffers.launch = Some(Arc::clone(launch));
            buffers.uses.clear();
        }
    }

    fn unknown_launch_begins(&mut self, core: CoreAt) {
        if let Some(there) = self.tiles.get_mut(usize::from(core.tile)) {
            there.begin_unknown();
        }
        self.core_held(core, None);
    }

    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        _: Tick,
    ) -> Result<(), Violation> {
        if let Some(buffers) = self.cores.get_mut(core.actor()) {
            buffers.launch = None;
        }
        Ok(())
    }

    fn core_held(&mut self, core: CoreAt, _: Option<Actor>) {
        if let Some(buffers) = self.cores.get_mut(core.actor()) {
            buffers.launch = None;
        }
    }

    fn core_loads_pages(
        &mut self,
        core: CoreAt,
        count: PageCount,
        counts: PageCounts,
    ) -> Result<(), Violation> {
        let Some(buffers) = self.cores.get_mut(core.actor()) else { return Ok(()) };
        let Some(launch) = &buffers.launch else { return Ok(()) };
        Kernel { core, launch }.buffer(counts.index)?;
        let Some(using) = buffers.using(counts.index) else { return Ok(()) };
        match count {
            PageCount::Received => using.received = Some(counts.received),
            PageCount::Acknowledged => using.acknowledged = Some(counts.acknowledged),
        }
        using.last = Some(count);
        Ok(())
    }

    fn core_stores_pages(
        &mut self,
        scene: &mut Scene<'_>,
        core: CoreAt,
        (count, value): (PageCount, u32),
        before: PageCounts,
    ) -> Result<(), Violation> {
        let Some(buffers) = self.cores.get_mut(core.actor()) else { return Ok(()) };
        let Some(launch) = buffers.launch.clone() else { return Ok(()) };
        let kernel = Kernel { core, launch: &launch };
        let buffer = kernel.buffer(before.index)?;
        let Some(using) = buffers.using(before.index) else { return Ok(()) };
        let moved = match count {
            PageCount::Received => difference(value, before.received),
            PageCount::Acknowledged => difference(value, before.acknowledged),
        };
        if moved == 0 || moved >= SET_BACK {
            return Ok(());
        }
        let found = match count {
            PageCount::Received => Self::pushes(&kernel, using, buffer, (moved, before)),
            PageCount::Acknowledged => Self::pops(&kernel, using, buffer, (moved, before)),
        };
        let found =
            found.or_else(|| Self::pointer_passes_the_end(&kernel, buffer, (count, moved), scene));
        if let Some(violation) = found {
            return Err(violation);
        }
        match count {
            PageCount::Received => {
                using.pushed += u64::from(moved);
                using.received = Some(value);
            }
            PageCount::Acknowledged => {
                using.popped += u64::from(moved);
                using.acknowledged = Some(value);
            }
        }
        Ok(())
    }

    fn request_issued(
        &mut self,
        request: &Transfer,
        scene: &mut Scene<'_>,
    ) -> Result<(), Violation> {
        let of_core = request.issuer.and_then(|issuer| self.cores.get(issuer));
        let Some(CoreBuffers { launch: Some(launch), uses }) = of_core else { return Ok(()) };
        if launch.circular_buffers.is_empty() {
            return Ok(());
        }
        let kernel = Kernel { core: scene.tile.core_at(request.origin.processor), launch };
        if let Some(violation) = self.pointer_runs_on_elsewhere(&kernel, request, scene.coordinates)
        {
            return Err(violation);
        }
        let Some(local) = Local::of(request) else { return Ok(()) };
        let runs_on = match request.bases {
            [Some(Base::CircularBuffer(index)), _] => {
                let bytes = (local.start, local.length);
                let here = (&**launch, kernel.core.at);
                Self::pointer_runs_on(&kernel, here, index, bytes, || local.describe())
            }
            _ => None,
        };
        if let Some(violation) = runs_on {
            return Err(violation);
        }
        let found = Self::passes_the_end(&kernel, local)
            .or_else(|| Self::is_not_its_own(&kernel, uses, local, scene));
        match found {
            Some(violation) if !planted(Defect::RequestsPassTheEnd) => Err(violation),
            _ => Ok(()),
        }
    }

    fn core_stores_through(
        &mut self,
        _: &Scene<'_>,
        core: CoreAt,
        base: Base,
        (start, size): (u32, u32),
    ) -> Result<(), Violation> {
        let Base::CircularBuffer(index) = base else { return Ok(()) };
        let of_core = self.cores.get(core.actor());
        let Some(launch) = of_core.and_then(|buffers| buffers.launch.as_ref()) else {
            return Ok(());
        };
        let does = || format!("it stores {size} bytes to");
        let bytes = (start.into(), size.into());
        let here = (&**launch, core.at);
        let found = Self::pointer_runs_on(&Kernel { core, launch }, here, index, bytes, does);
        found.map_or(Ok(()), Err)
    }

    /// Nothing fills the table's entries of indices that a launch does not configure.
    fn explain(&self, core: CoreAt, violation: Violation) -> Violation {
        let of_core = self.cores.get(core.actor());
        let Some(launch) = of_core.and_then(|buffers| buffers.launch.as_ref()) else {
            return violation;
        };
        let kernel = Kernel { core, launch };
        let index = violation.unwritten.and_then(|source| {
            let is_own = source.memory == Memory::Private(core.processor) && source.tile == core.at;
            kernel.table().filter(|_| is_own)?.index_at(source.address)
        });
        match index {
            Some(index) if launch.circular_buffer(index).is_none() => kernel.not_configured(index),
            Some(_) => violation,
            None => kernel.beyond_the_table(violation),
        }
    }
}
