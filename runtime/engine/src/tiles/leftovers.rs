//! What the kernels of stopped cores have left for the report: waypoints and pushed values.

use hallmark_chip::{PhysicalCoordinate, Processor, TileAddress};
use hallmark_device_code::{LeftoverPlaces, ring_values, waypoint_text};

use super::{Tiles, positions};
use crate::stop::{Leftover, StopCause};

/// What the kernels of the cores that a stop names have left, each once.
pub(crate) fn leftovers(tiles: &mut Tiles, cause: &StopCause) -> Vec<Leftover> {
    let mut found: Vec<Leftover> = Vec::new();
    for (tile, processor, pc) in cores_of(cause) {
        let booted = tiles.booted.iter().find(|(_, known)| known.physical == tile);
        let Some((&core, noc)) = booted.map(|(core, known)| (core, known.noc)) else { continue };
        if found.iter().any(|it| it.core == core && it.processor == processor) {
            continue;
        }
        let Some(binary) = positions::kernel_at(tiles, tile, pc) else { continue };
        let (base, places) = (u64::from(binary.base()), binary.image().leftovers());
        if places.is_empty() {
            continue;
        }
        let mut read = |offset: Option<u32>, length: u32| {
            let at = TileAddress(base.saturating_add(u64::from(offset?)));
            let mut bytes = vec![0; length as usize];
            let access = tiles.chip.access();
            let is_read = access.read(noc, at, &mut bytes).is_ok()
                || access.read_stopped(tile, at, &mut bytes);
            is_read.then_some(bytes)
        };
        let waypoint = read(places.waypoint, 4)
            .and_then(|bytes| waypoint_text(u32::from_le_bytes(*bytes.first_chunk()?)));
        let values = read(places.ring_buffer, LeftoverPlaces::RING_BUFFER_SIZE);
        let values = values.map(|bytes| ring_values(&bytes)).unwrap_or_default();
        if waypoint.is_some() || !values.is_empty() {
            found.push(Leftover { core, processor, waypoint, values });
        }
    }
    found
}

/// Tile, processor and pc of each core that a stop names.
fn cores_of(cause: &StopCause) -> Vec<(PhysicalCoordinate, Processor, u32)> {
    match cause {
        StopCause::Fault(fault) => {
            let places = fault.place.iter().chain(&fault.against);
            places.filter_map(|place| Some((place.tile, place.processor?, place.pc?))).collect()
        }
        StopCause::Deadlock { waiting } => {
            waiting.iter().map(|wait| (wait.tile, wait.processor, wait.pc)).collect()
        }
        StopCause::Hang { running, .. } => {
            running.iter().map(|core| (core.tile, core.processor, core.pc)).collect()
        }
        StopCause::Lost { .. } | StopCause::Internal { .. } | StopCause::Captured { .. } => {
            Vec::new()
        }
    }
}
