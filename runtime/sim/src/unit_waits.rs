//! The waits for units of the coprocessor as the device tells of them.

use std::collections::BTreeSet;

use hallmark_chip::{
    Activity, Architecture, CodeStep, CoreActivity, OrderedPair, PhysicalCoordinate, Processor,
    UnitWait,
};
use hallmark_tensix::Chip;

use crate::machine::Machine;
use crate::machine::observer::CodePlace;
use crate::observers::Observers;
use crate::observers::races::{Later, WaitCount, WaitLog};

/// Gives each core its waits.
pub(crate) fn add_waits(activity: &mut Activity, log: &WaitLog, machine: &Machine<Observers>) {
    let architecture = machine.description.architecture;
    let tiles = machine.coordinates.tensix();
    for ((tile, place), WaitCount { times, telling }) in &log.waits {
        let Some(&at) = tiles.get(usize::from(*tile)) else { continue };
        let Some(core) = core_of(activity, at, place.processor) else { continue };
        core.unit_waits.push(UnitWait {
            step: step_of(architecture, at, *place, "wait for the coprocessor"),
            times: *times,
            is_judged: place
                .pushed
                .is_none_or(|word| hallmark_tensix::waits_for_ends(Chip::of(architecture), word)),
            telling: *telling,
            pairs: pairs_of(log, (*tile, at), *place, architecture),
        });
    }
}

/// The activity of a core. The log of activities may be full before a core does anything.
fn core_of(
    activity: &mut Activity,
    tile: PhysicalCoordinate,
    processor: Processor,
) -> Option<&mut CoreActivity> {
    let cores = &mut activity.cores;
    let is_it = |core: &CoreActivity| core.tile == tile && core.processor == processor;
    if !cores.iter().any(is_it) {
        cores.push(CoreActivity {
            tile,
            processor,
            spans: Vec::new(),
            instructions: Vec::new(),
            transfers: Vec::new(),
            requests: Vec::new(),
            unit_waits: Vec::new(),
        });
    }
    cores.iter_mut().find(|core| is_it(core))
}

/// The pairs of a tile that a wait ordered.
fn pairs_of(
    log: &WaitLog,
    (tile, at): (u16, PhysicalCoordinate),
    wait: CodePlace,
    architecture: Architecture,
) -> Vec<OrderedPair> {
    let step = |tile, place, own| step_of(architecture, tile, place, own);
    let of_tile = log.pairs.iter().filter(|(pair, _)| pair.tile == tile);
    let by_waits = of_tile.flat_map(|(pair, by_waits)| {
        by_waits.iter().map(move |(waits, times)| (pair, waits, *times))
    });
    let of_wait =
        by_waits.filter(|(_, waits, _): &(_, &BTreeSet<CodePlace>, _)| waits.contains(&wait));
    of_wait
        .map(|(pair, waits, times)| OrderedPair {
            earlier: step(at, pair.earlier, "store"),
            later: match pair.later {
                Later::Here(place) => step(at, place, "load or store"),
                Later::Request(tile, place) => step(tile, place, "NoC request"),
            },
            times,
            others: waits
                .iter()
                .filter(|other| **other != wait)
                .map(|other| step(at, *other, "wait for the coprocessor"))
                .collect(),
        })
        .collect()
}

/// A step, with a name of its own if it pushed no instruction.
fn step_of(
    architecture: Architecture,
    tile: PhysicalCoordinate,
    place: CodePlace,
    own: &str,
) -> CodeStep {
    let CodePlace { processor, pc, pushed } = place;
    let name = pushed.map_or_else(
        || own.to_owned(),
        |word| hallmark_tensix::wait_name(Chip::of(architecture), word),
    );
    CodeStep { tile, processor, pc, frames: Vec::new(), name }
}
