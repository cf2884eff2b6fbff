//! What profiled firmware and kernels mark: where it goes, and how the host gets it.
//!
//! Each tile counts its launches, and so does the host: what a tile has marked belongs to the launch that is its n-th there,
//! whoever launched it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{
    ChipDescription, DeviceError, LogicalCore, Meaning, NocCoordinate, Processor, Tick, TileAddress,
};
use hallmark_device_code::profiler_abi::{BUFFER_WORDS, DRAM_WORDS, PROCESSORS, ProfilerControl};
use hallmark_device_code::{
    FirmwareBundle, MarkedLaunch, MarkedZone, Marker, MemoryRange, ZoneName,
};
use hallmark_schema::model::{BufferType, CommandIndex, ProgramId};
use serde::{Deserialize, Serialize};

use super::{Interval, LaunchProfile, ProcessorProfile};
use crate::addresses::{Bank, Banks};
use crate::dispatch::tile_word;
use crate::engine::Engine;
use crate::launch::ProgramLaunch;

/// Bytes of a processor's markers in DRAM.
const DRAM_BYTES: u64 = DRAM_WORDS as u64 * 4;

/// Where the memory for markers starts in each DRAM bank, below the region for traces; nothing if firmware writes no markers.
pub fn start_of_markers(
    firmware: &FirmwareBundle,
    banks: &Banks,
    description: &ChipDescription,
    trace_region_size: u64,
) -> Option<u64> {
    firmware.memory().profiler?;
    let tiles = banks.l1.len().div_ceil(banks.dram.len().max(1)) as u64;
    let bytes = tiles * u64::from(PROCESSORS) * DRAM_BYTES;
    description.dram_bank_size.checked_sub(trace_region_size)?.checked_sub(bytes)
}

/// What a processor marked during a launch. Moments are those of its tile's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorMarkers {
    /// From firmware's first mark to its last one; nothing if it has not begun.
    pub firmware: Option<ZoneProfile>,
    /// From the call of the kernel to its return; nothing if it was not called, or the kernel has no markers.
    pub kernel: Option<ZoneProfile>,
    /// The kernel's own zones, in the order in which they began.
    pub zones: Vec<ZoneProfile>,
    /// How long the zones lasted of which only the sum is kept.
    pub totals: Vec<ZoneTotal>,
    /// Moments that the kernel marked.
    pub events: Vec<EventProfile>,
    /// Markers that found no room.
    pub dropped: u32,
}

impl ProcessorMarkers {
    /// The last moment that was marked.
    pub fn last(&self) -> Option<Tick> {
        let zones = self.firmware.iter().chain(&self.kernel).chain(&self.zones);
        let moments = zones.flat_map(|zone| [Some(zone.from), zone.until]).flatten();
        moments.chain(self.events.iter().map(|event| event.at)).max()
    }
}

/// A zone of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneProfile {
    /// What the kernel calls it.
    pub place: MarkedPlace,
    /// When it began.
    pub from: Tick,
    /// When it ended; nothing if it did not.
    pub until: Option<Tick>,
}

impl ZoneProfile {
    /// When the zone was; nothing if it did not end.
    pub fn interval(&self) -> Option<Interval> {
        let until = self.until.filter(|until| self.from <= *until)?;
        Some(Interval { from: self.from, until })
    }
}

/// How long the zones of one name lasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneTotal {
    /// What the kernel calls them.
    pub place: MarkedPlace,
    /// How long, in all.
    pub ticks: u32,
}

/// A moment that a kernel marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventProfile {
    /// What the kernel calls it. An event has nothing but its number.
    pub place: MarkedPlace,
    /// When.
    pub at: Tick,
    /// What the kernel said there, if it said something.
    pub data: Option<u64>,
}

/// What markers name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkedPlace {
    /// The number that stands in markers.
    pub number: u16,
    /// Its name; several if they have one number; empty where the ELF has none of that number.
    pub name: String,
    /// The source file, as the compiler names it.
    pub file: String,
    /// Its line; 0 where it is not known.
    pub line: u32,
}

/// Launches of which markers are awaited.
#[derive(Debug, Default)]
pub(crate) struct AwaitedMarkers {
    /// Launches on each core, modulo 2^32 as its firmware counts.
    counts: BTreeMap<LogicalCore, u32>,
    launches: Vec<AwaitedLaunch>,
}

#[derive(Debug)]
struct AwaitedLaunch {
    command: CommandIndex,
    replay: Option<CommandIndex>,
    launch: Arc<ProgramLaunch>,
    /// The launch's number on each of its tiles.
    numbers: BTreeMap<LogicalCore, u32>,
}

/// Where a tile's markers go in DRAM.
struct DramPlace {
    bank: Bank,
    /// The bank tile's address.
    address: u64,
}

impl Engine {
    /// Where markers lie on tiles, if firmware writes some.
    fn profiler(&self) -> Option<MemoryRange> {
        self.firmware.memory().profiler
    }

    /// Where the markers of a core's tile go.
    fn profiler_dram_place(&self, core: LogicalCore) -> Option<DramPlace> {
        let numbers = self.banks.numbers(BufferType::L1);
        let index = numbers.cores().position(|it| it == core)?;
        let banks = self.banks.dram.len();
        let bank = *self.banks.dram.get(index.checked_rem(banks)?)?;
        let start = start_of_markers(
            &self.firmware,
            &self.banks,
            self.chip.description(),
            self.settings.trace_region_size,
        )?;
        let slot = index.checked_div(banks)? as u64 * u64::from(PROCESSORS) * DRAM_BYTES;
        Some(DramPlace { bank, address: bank.offset + start + slot })
    }

    /// Tells a tile that is about to boot where its markers go.
    pub(crate) fn prepare_profiler(
        &mut self,
        core: LogicalCore,
        noc: NocCoordinate,
    ) -> Result<(), DeviceError> {
        let Some(place) = self.profiler() else { return Ok(()) };
        let Some(dram) = self.profiler_dram_place(core) else { return Ok(()) };
        let description = self.chip.description();
        let start = TileAddress(u64::from(place.start));
        if let Some(physical) = description.physical(core) {
            self.chip.annotate(physical, start, u64::from(place.size()), Meaning::Mailbox)?;
        }
        let bytes = u64::from(PROCESSORS) * DRAM_BYTES;
        let in_dram = TileAddress(dram.address);
        self.chip.annotate(dram.bank.physical, in_dram, bytes, Meaning::Buffer)?;
        self.chip.write(noc, start, &vec![0; place.size() as usize])?;
        let word = |word: u32| TileAddress(u64::from(place.start + 4 * word));
        // Banks of all known chips lie in the first 4 GiB of their tile.
        let address = u32::try_from(dram.address).unwrap_or(u32::MAX);
        self.chip.write_word(noc, word(ProfilerControl::DRAM_ADDRESS), address)?;
        let tile = tile_word(dram.bank.tile);
        self.chip.write_word(noc, word(ProfilerControl::DRAM_TILE), tile)?;
        Ok(())
    }

    /// A launch is about to run, of which markers will be there when it has.
    pub(crate) fn awaits_markers(
        &mut self,
        command: CommandIndex,
        replay: Option<CommandIndex>,
        launch: &Arc<ProgramLaunch>,
    ) {
        let Some(markers) = &mut self.markers else { return };
        let numbers = launch.tiles.iter().map(|tile| {
            let count = markers.counts.entry(tile.core).or_default();
            *count = count.wrapping_add(1);
            (tile.core, *count)
        });
        let numbers = numbers.collect();
        let launch = Arc::clone(launch);
        markers.launches.push(AwaitedLaunch { command, replay, launch, numbers });
    }

    /// Joins what tiles have marked to the launches that nobody has taken. Nothing runs; `stopped` says that the last of
    /// them did not come to its end.
    pub(super) fn collect_markers(&mut self, stopped: bool) {
        let Some(place) = self.profiler() else { return };
        let Some(markers) = &mut self.markers else { return };
        let awaited = std::mem::take(&mut markers.launches);
        let cores: std::collections::BTreeSet<LogicalCore> =
            awaited.iter().flat_map(|launch| launch.numbers.keys().copied()).collect();
        let mut marked: BTreeMap<(LogicalCore, u32), Vec<(Processor, MarkedLaunch)>> =
            BTreeMap::new();
        for core in cores {
            // What cannot be read is missing below, where it is said.
            for (processor, launch) in self.read_markers(place, core, stopped).unwrap_or_default() {
                marked.entry((core, launch.launch)).or_default().push((processor, launch));
            }
        }
        let last = awaited.len().saturating_sub(1);
        for (index, awaited) in awaited.iter().enumerate() {
            let completed = !(stopped && index == last);
            self.join_markers(awaited, &mut marked, completed);
        }
    }

    /// What a tile has marked since it was last asked.
    fn read_markers(
        &mut self,
        place: MemoryRange,
        core: LogicalCore,
        stopped: bool,
    ) -> Result<Vec<(Processor, MarkedLaunch)>, DeviceError> {
        let Some((noc, dram)) =
            self.tiles.get(&core).map(|tile| tile.noc).zip(self.profiler_dram_place(core))
        else {
            return Ok(Vec::new());
        };
        let control = self.read_words(noc, u64::from(place.start), ProfilerControl::WORDS)?;
        let word = |at: u32| control.get(at as usize).copied().unwrap_or(0);
        let mut read = Vec::new();
        for (processor, index) in Processor::ALL.into_iter().zip(0..) {
            let in_dram = word(ProfilerControl::IN_DRAM + index).min(DRAM_WORDS);
            if in_dram > 0 {
                let start = dram.address + u64::from(index) * DRAM_BYTES;
                let words = self.read_words(dram.bank.tile, start, in_dram)?;
                let launches = MarkedLaunch::all_of(&words).unwrap_or_default();
                read.extend(launches.into_iter().map(|launch| (processor, launch)));
                let counter = place.start + 4 * (ProfilerControl::IN_DRAM + index);
                self.chip.write_word(noc, TileAddress(u64::from(counter)), 0)?;
            }
            let in_l1 = word(ProfilerControl::IN_L1 + index).min(BUFFER_WORDS);
            if stopped && in_l1 > 0 {
                let start = place.start + 4 * (ProfilerControl::WORDS + index * BUFFER_WORDS);
                let words = self.read_words(noc, u64::from(start), in_l1)?;
                let launch = word(ProfilerControl::LAUNCHES);
                if let Ok(mut launch) = MarkedLaunch::of_buffer(&words, launch) {
                    launch.dropped = word(ProfilerControl::DROPPED + index);
                    read.push((processor, launch));
                }
            }
        }
        self.chip.order()?;
        Ok(read)
    }

    fn read_words(
        &mut self,
        tile: NocCoordinate,
        address: u64,
        words: u32,
    ) -> Result<Vec<u32>, DeviceError> {
        let mut bytes = vec![0; words as usize * 4];
        self.chip.read(tile, TileAddress(address), &mut bytes)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// Puts what was marked where the device's own account of the launch is, or makes an account of it alone.
    fn join_markers(
        &mut self,
        awaited: &AwaitedLaunch,
        marked: &mut BTreeMap<(LogicalCore, u32), Vec<(Processor, MarkedLaunch)>>,
        completed: bool,
    ) {
        let AwaitedLaunch { command, replay, launch, numbers } = awaited;
        let description = self.chip.description();
        let mut lost = 0u32;
        let mut found = Vec::new();
        for tile in &launch.tiles {
            let Some(&number) = numbers.get(&tile.core) else { continue };
            let Some(physical) = description.physical(tile.core) else { continue };
            let mut marked = marked.remove(&(tile.core, number)).unwrap_or_default();
            for processor in Processor::ALL {
                let image = tile.images().find(|(_, it, _)| *it == processor);
                let Some(place) = marked.iter().position(|(it, _)| *it == processor) else {
                    // BRISC's firmware works for every launch.
                    lost += u32::from(image.is_some() || processor == Processor::Brisc);
                    continue;
                };
                let (_, marked) = marked.swap_remove(place);
                let zones = image.map(|(_, _, image)| image.zones()).unwrap_or_default();
                let firmware = self.firmware.images().get(processor.index());
                let firmware = firmware.map(|image| image.zones.as_slice()).unwrap_or_default();
                found.push((physical, processor, processor_markers(&marked, firmware, zones)));
            }
        }
        let launches = self.profiled.get_or_insert_default();
        let own = launches
            .iter_mut()
            .rev()
            .find(|it| it.command == *command && it.replay == *replay && it.lost_markers.is_none());
        let profile = match own {
            Some(own) => own,
            None => {
                launches.push(of_markers(*command, *replay, launch.program, &found, completed));
                let Some(own) = launches.last_mut() else { return };
                own
            }
        };
        profile.lost_markers = Some(lost);
        for (tile, processor, markers) in found {
            let own = profile
                .processors
                .iter_mut()
                .find(|it| it.tile == tile && it.processor == processor);
            match own {
                Some(own) => own.markers = Some(markers),
                None => profile
                    .processors
                    .extend(ProcessorProfile::of_markers(tile, processor, markers)),
            }
        }
        profile.processors.sort_by_key(|it| (it.tile, it.processor));
    }
}

/// A launch of which only markers tell.
fn of_markers(
    command: CommandIndex,
    replay: Option<CommandIndex>,
    program: ProgramId,
    marked: &[(hallmark_chip::PhysicalCoordinate, Processor, ProcessorMarkers)],
    completed: bool,
) -> LaunchProfile {
    let firmware = || marked.iter().filter_map(|(_, _, markers)| markers.firmware.as_ref());
    let from = firmware().map(|it| it.from).min().unwrap_or(Tick(0));
    let until = marked.iter().filter_map(|(_, _, markers)| markers.last()).max().unwrap_or(from);
    LaunchProfile {
        command,
        replay,
        program,
        from,
        until,
        completed,
        processors: Vec::new(),
        dropped: 0,
        dispatcher: None,
        lost_markers: None,
    }
}

/// What a processor marked, with the names of its firmware and of its kernel.
fn processor_markers(
    marked: &MarkedLaunch,
    firmware: &[ZoneName],
    names: &[ZoneName],
) -> ProcessorMarkers {
    let zone_of = |zone: MarkedZone, names: &[ZoneName]| ZoneProfile {
        place: place(zone.zone, names),
        from: Tick(zone.from),
        until: zone.until.map(Tick),
    };
    let zones = marked.zones().into_iter().map(|zone| zone_of(zone, names));
    let mut totals = Vec::new();
    let mut events = Vec::new();
    for marker in &marked.markers {
        match *marker {
            Marker::Total { zone, ticks } => {
                totals.push(ZoneTotal { place: place(zone, names), ticks });
            }
            Marker::Data { name, time, data } => {
                let (place, at) = (place(name, names), Tick(time));
                events.push(EventProfile { place, at, data: Some(data) });
            }
            Marker::Event { event, time } => {
                let (place, at) = (place(event, &[]), Tick(time));
                events.push(EventProfile { place, at, data: None });
            }
            Marker::Start { .. } | Marker::End { .. } => {}
        }
    }
    ProcessorMarkers {
        firmware: marked.firmware.map(|zone| zone_of(zone, firmware)),
        kernel: marked.kernel.map(|zone| zone_of(zone, names)),
        zones: zones.collect(),
        totals,
        events,
        dropped: marked.dropped,
    }
}

/// What a number stands for. Two texts may have one number: both are told.
fn place(number: u16, names: &[ZoneName]) -> MarkedPlace {
    let own: Vec<&ZoneName> = names.iter().filter(|name| name.number == number).collect();
    let name = own.iter().map(|name| name.name.as_str()).collect::<Vec<_>>().join(" or ");
    let first = own.first();
    MarkedPlace {
        number,
        name,
        file: first.map(|name| name.file.clone()).unwrap_or_default(),
        line: first.map_or(0, |name| name.line),
    }
}
