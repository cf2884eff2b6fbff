//! Brings firmware up on tiles that have none yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{
    ChipDescription, DeviceError, LogicalCore, Meaning, NocCoordinate, PhysicalCoordinate,
    Processor, TileAddress,
};
use hallmark_device_code::dispatch_abi::{self, Control, DISPATCH_ABI};
use hallmark_device_code::{BootStatus, LAUNCH_ABI, Mailbox};

use super::{DispatchTile, ResidentBinaries, Tile, Tiles, wait_for_word};
use crate::InternalError;
use crate::chip::{Chip, prepare_markers};
use crate::stop::RawStop;

fn at(address: u32) -> TileAddress {
    TileAddress(u64::from(address))
}

fn place_of(
    description: &ChipDescription,
    core: LogicalCore,
) -> Result<PhysicalCoordinate, InternalError> {
    description.physical(core).ok_or_else(|| InternalError::new(format!("no tile for core {core}")))
}

/// Brings firmware up on those of the tiles that have none yet, all at once.
///
/// # Errors
/// The device's. Firmware that does not come up, or has another ABI, loses the device.
pub(crate) fn boot_tiles(
    tiles: &mut Tiles,
    cores: impl Iterator<Item = (LogicalCore, NocCoordinate)>,
) -> Result<(), RawStop> {
    let new: Vec<(LogicalCore, NocCoordinate)> =
        cores.filter(|(core, _)| !tiles.booted.contains_key(core)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let tables = tiles.chip.bank_tables()?;
    for &(core, noc) in &new {
        load_firmware(&mut tiles.chip, core, noc, &tables)?;
    }
    tiles.chip.access().order()?;
    let memory = *tiles.firmware().memory();
    let status = at(memory.mailbox.start + Mailbox::BOOT_STATUS);
    start(tiles, &new, status)?;
    for (core, noc) in new {
        let abi = tiles.chip.access().read_word(noc, at(memory.mailbox.start + Mailbox::ABI))?;
        if abi != LAUNCH_ABI {
            let reason =
                format!("the firmware on core {core} has launch ABI {abi}, not {LAUNCH_ABI}");
            return Err(tiles.chip.lost(reason).into());
        }
        let Some(physical) = tiles.chip.description().physical(core) else { continue };
        let binaries = ResidentBinaries::new(memory.kernel_config);
        tiles.booted.insert(core, Tile { noc, physical, binaries });
    }
    Ok(())
}

/// Writes firmware and its tables to a tile and tells the device the meaning of the memory.
fn load_firmware(
    chip: &mut Chip,
    core: LogicalCore,
    noc: NocCoordinate,
    tables: &[u8],
) -> Result<(), RawStop> {
    let firmware = Arc::clone(chip.firmware());
    let memory = firmware.memory();
    let semaphores = chip.semaphores_size();
    let physical = place_of(chip.description(), core)?;
    let access = chip.access();
    for (start, size, meaning) in [
        (memory.firmware.start, u64::from(memory.firmware.size()), Meaning::Code),
        (memory.mailbox.start, u64::from(memory.mailbox.size()), Meaning::Mailbox),
        (memory.kernel_config.start, semaphores, Meaning::Semaphore),
    ] {
        access.annotate(physical, at(start), size, meaning)?;
    }
    for image in firmware.images() {
        access.write(noc, at(image.load_address), &image.bytes)?;
    }
    access.write(noc, at(memory.bank_tables.start), tables)?;
    let empty = vec![0; memory.mailbox.size() as usize];
    access.write(noc, at(memory.mailbox.start), &empty)?;
    prepare_markers(chip, core, noc)?;
    Ok(write_start_addresses(chip, noc)?)
}

/// Where cores other than BRISC come out of reset, on chips that let the host say so; otherwise
/// BRISC does it.
fn write_start_addresses(chip: &mut Chip, noc: NocCoordinate) -> Result<(), DeviceError> {
    let reset = chip.description().reset;
    if !reset.overrides_reachable {
        return Ok(());
    }
    let firmware = Arc::clone(chip.firmware());
    let mut enabled: BTreeMap<u32, u32> = BTreeMap::new();
    for (processor, start) in Processor::ALL.into_iter().zip(reset.overrides) {
        let Some(start) = start else { continue };
        let entry = firmware.manifest().image(processor).entry;
        chip.access().write_word(noc, TileAddress(start.pc.into()), entry)?;
        *enabled.entry(start.enable).or_default() |= start.enable_bit;
    }
    for (register, bits) in enabled {
        chip.access().write_word(noc, TileAddress(register.into()), bits)?;
    }
    Ok(())
}

/// Takes BRISC of these tiles out of reset and waits until the status word of each says that its firmware is ready.
fn start(
    tiles: &mut Tiles,
    cores: &[(LogicalCore, NocCoordinate)],
    status: TileAddress,
) -> Result<(), RawStop> {
    let reset = tiles.chip.description().reset;
    let held = reset.all_but(Processor::Brisc);
    for &(_, noc) in cores {
        // BRISC starts the others: on some chips only it reaches where they start (tt-isa-documentation,
        // WormholeB0/TensixTile/BabyRISCV/README.md, "Memory map": the Tensix configuration).
        tiles.chip.access().write_word(noc, reset.soft_reset, held)?;
    }
    let waiting: Vec<NocCoordinate> = cores.iter().map(|&(_, noc)| noc).collect();
    let budget = tiles.boot_budget;
    match wait_for_word(tiles, waiting, status, BootStatus::READY_WORD, budget) {
        Err(RawStop::Deadlock(_) | RawStop::Hang(_)) => {
            Err(boot_failure(&mut tiles.chip, cores, status, budget).into())
        }
        end => end,
    }
}

fn boot_failure(
    chip: &mut Chip,
    cores: &[(LogicalCore, NocCoordinate)],
    status: TileAddress,
    budget: u64,
) -> DeviceError {
    let name = chip.firmware().manifest().name.clone();
    let stuck = cores.iter().find_map(|&(core, noc)| {
        let word = chip.access().read_word(noc, status).ok()?;
        match BootStatus::from_word(word) {
            BootStatus::Ready => None,
            status @ (BootStatus::Booting | BootStatus::Unknown(_)) => {
                Some(format!("core {core}: {status}"))
            }
        }
    });
    let stuck = stuck.unwrap_or_else(|| "which core did not start is unknown".to_owned());
    chip.lost(format!("firmware {name} did not start within {budget} ticks ({stuck})"))
}

/// Brings the next queue's dispatcher up on its tile. `control` is the content of its control block.
///
/// # Errors
/// As [`boot_tiles`].
pub(crate) fn boot_dispatch_tile(
    tiles: &mut Tiles,
    core: LogicalCore,
    tile: DispatchTile,
    control: &[u8],
) -> Result<(), RawStop> {
    let firmware = Arc::clone(tiles.chip.firmware());
    let image = firmware
        .dispatcher()
        .ok_or_else(|| InternalError::new("the firmware has no dispatcher"))?;
    let tables = tiles.chip.bank_tables()?;
    let access = tiles.chip.access();
    // Before anything else, a dispatcher sends the host zeroes: they count as written.
    for (range, meaning) in [
        (dispatch_abi::DispatchTile::IMAGE, Meaning::Code),
        (dispatch_abi::DispatchTile::CONTROL, Meaning::Mailbox),
    ] {
        access.annotate(tile.physical, at(range.start), u64::from(range.size()), meaning)?;
    }
    for (address, bytes) in [
        (image.load_address, image.bytes.as_slice()),
        (dispatch_abi::DispatchTile::BANK_TABLES, &tables),
        (dispatch_abi::DispatchTile::CONTROL.start, control),
    ] {
        access.write(tile.noc, at(address), bytes)?;
    }
    access.order()?;
    let word = |offset: u32| at(dispatch_abi::DispatchTile::CONTROL.start + offset);
    start(tiles, &[(core, tile.noc)], word(Control::BOOT_STATUS))?;
    let abi = tiles.chip.access().read_word(tile.noc, word(Control::ABI))?;
    if abi != DISPATCH_ABI {
        let reason = format!("the dispatcher has dispatch ABI {abi}, not {DISPATCH_ABI}");
        return Err(tiles.chip.lost(reason).into());
    }
    tiles.dispatch.push(tile);
    Ok(())
}
