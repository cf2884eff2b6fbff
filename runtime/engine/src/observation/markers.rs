//! Joins the markers that profiled firmware and kernels write to launches.
//!
//! Each tile counts its launches, and so does the host: the markers of a tile's n-th launch belong to the launch that is
//! the n-th there for the host, whether the host or a dispatcher launched it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor, Tick};
use hallmark_device_code::{FirmwareBundle, MarkedLaunch, MarkedZone, Marker, ZoneName};
use hallmark_schema::model::{CommandIndex, ProgramId};

use crate::chip::{Chip, read_markers};
use crate::launch::{ProgramLaunch, TileLaunch};
use crate::profile::{
    EventProfile, LaunchProfile, MarkedPlace, ProcessorMarkers, ProcessorProfile, ZoneProfile,
    ZoneTotal,
};
use crate::tiles::Tiles;

/// Launches whose markers are awaited.
#[derive(Debug, Default)]
pub(super) struct AwaitedMarkers {
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

/// Markers by core and number of the launch there.
type MarkedLaunches = BTreeMap<(LogicalCore, u32), Vec<(Processor, MarkedLaunch)>>;

/// The markers of a launch.
struct FoundMarkers {
    processors: Vec<(PhysicalCoordinate, Processor, ProcessorMarkers)>,
    /// Processors whose markers did not arrive.
    lost: u32,
}

impl AwaitedMarkers {
    /// Markers of this launch will be there when it has ended.
    pub(super) fn expect(
        &mut self,
        command: CommandIndex,
        replay: Option<CommandIndex>,
        launch: &Arc<ProgramLaunch>,
    ) {
        let numbers = launch.tiles.iter().map(|tile| {
            let count = self.counts.entry(tile.core).or_default();
            *count = count.wrapping_add(1);
            (tile.core, *count)
        });
        let numbers = numbers.collect();
        let launch = Arc::clone(launch);
        self.launches.push(AwaitedLaunch { command, replay, launch, numbers });
    }

    /// Joins the markers on all tiles to the launches that were not taken yet. Nothing runs; `stopped` says that the last
    /// launch did not come to its end.
    pub(super) fn collect(
        &mut self,
        tiles: &mut Tiles,
        launches: &mut Vec<LaunchProfile>,
        stopped: bool,
    ) {
        let awaited = std::mem::take(&mut self.launches);
        let cores: BTreeSet<LogicalCore> =
            awaited.iter().flat_map(|launch| launch.numbers.keys().copied()).collect();
        let mut marked = MarkedLaunches::new();
        for core in cores {
            let Some(noc) = tiles.noc(core) else { continue };
            // Markers that cannot be read are missing below, where they are counted as lost.
            let read = read_markers(tiles.chip_mut(), core, noc, stopped).unwrap_or_default();
            for (processor, launch) in read {
                marked.entry((core, launch.launch)).or_default().push((processor, launch));
            }
        }
        let last = awaited.len().saturating_sub(1);
        for (index, awaited) in awaited.iter().enumerate() {
            let completed = !(stopped && index == last);
            let found = awaited.take_from(tiles.chip(), &mut marked);
            join(awaited, found, launches, completed);
        }
    }
}

impl AwaitedLaunch {
    /// Takes the launch's own markers.
    fn take_from(&self, chip: &Chip, marked: &mut MarkedLaunches) -> FoundMarkers {
        let mut found = FoundMarkers { processors: Vec::new(), lost: 0 };
        for tile in &self.launch.tiles {
            let Some(&number) = self.numbers.get(&tile.core) else { continue };
            let Some(physical) = chip.description().physical(tile.core) else { continue };
            let mut marked = marked.remove(&(tile.core, number)).unwrap_or_default();
            for processor in Processor::ALL {
                let place = marked.iter().position(|(it, _)| *it == processor);
                match place.map(|place| marked.swap_remove(place)) {
                    Some((_, marked)) => {
                        let markers = named(chip.firmware(), tile, processor, &marked);
                        found.processors.push((physical, processor, markers));
                    }
                    // BRISC's firmware works for every launch.
                    None => {
                        let runs = tile.images().any(|(_, it, _)| it == processor);
                        found.lost += u32::from(runs || processor == Processor::Brisc);
                    }
                }
            }
        }
        found
    }
}

/// The markers of a processor of a tile, with the names that firmware and kernel give them.
fn named(
    firmware: &FirmwareBundle,
    tile: &TileLaunch,
    processor: Processor,
    marked: &MarkedLaunch,
) -> ProcessorMarkers {
    let image = tile.images().find(|(_, it, _)| *it == processor);
    let zones = image.map(|(_, _, image)| image.zones()).unwrap_or_default();
    let firmware = firmware.images().get(processor.index());
    let firmware = firmware.map(|image| image.zones.as_slice()).unwrap_or_default();
    processor_markers(marked, firmware, zones)
}

/// Adds a launch's markers to the device's own profile of it, or makes a profile of markers alone.
fn join(
    awaited: &AwaitedLaunch,
    found: FoundMarkers,
    launches: &mut Vec<LaunchProfile>,
    completed: bool,
) {
    let AwaitedLaunch { command, replay, launch, .. } = awaited;
    let FoundMarkers { processors: found, lost } = found;
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
        let own =
            profile.processors.iter_mut().find(|it| it.tile == tile && it.processor == processor);
        match own {
            Some(own) => own.markers = Some(markers),
            None => {
                profile.processors.extend(ProcessorProfile::of_markers(tile, processor, markers));
            }
        }
    }
    profile.processors.sort_by_key(|it| (it.tile, it.processor));
}

/// A launch of which only markers tell.
fn of_markers(
    command: CommandIndex,
    replay: Option<CommandIndex>,
    program: ProgramId,
    marked: &[(PhysicalCoordinate, Processor, ProcessorMarkers)],
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

/// The markers of a processor, with the names of its firmware and of its kernel.
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

/// The place that a number stands for. If two texts have one number, both are told.
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
