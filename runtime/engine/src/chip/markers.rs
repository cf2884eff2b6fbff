//! The memory of markers that profiled firmware and kernels write: where it lies, and how the host reads it.

use hallmark_chip::{
    ChipDescription, DeviceError, LogicalCore, Meaning, NocCoordinate, Processor, TileAddress,
};
use hallmark_device_code::profiler_abi::{BUFFER_WORDS, DRAM_WORDS, PROCESSORS, ProfilerControl};
use hallmark_device_code::{FirmwareBundle, MarkedLaunch};
use hallmark_schema::model::BufferType;

use super::{Chip, tile_word};
use crate::addresses::{Bank, Banks};

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

/// Where a tile's markers go in DRAM.
struct DramPlace {
    bank: Bank,
    /// The bank tile's address.
    address: u64,
}

/// Where the markers of a core's tile go.
fn dram_place(chip: &Chip, core: LogicalCore) -> Option<DramPlace> {
    let all_banks = chip.banks();
    let numbers = all_banks.numbers(BufferType::L1);
    let index = numbers.cores().position(|it| it == core)?;
    let banks = all_banks.dram.len();
    let bank = *all_banks.dram.get(index.checked_rem(banks)?)?;
    let description = chip.description();
    let start = start_of_markers(chip.firmware(), all_banks, description, chip.trace_region_size)?;
    let slot = index.checked_div(banks)? as u64 * u64::from(PROCESSORS) * DRAM_BYTES;
    Some(DramPlace { bank, address: bank.offset + start + slot })
}

/// Tells a tile that is about to boot where its markers go, if its firmware writes markers.
///
/// # Errors
/// The device's.
pub(crate) fn prepare_markers(
    chip: &mut Chip,
    core: LogicalCore,
    noc: NocCoordinate,
) -> Result<(), DeviceError> {
    let Some(place) = chip.firmware().memory().profiler else { return Ok(()) };
    let Some(dram) = dram_place(chip, core) else { return Ok(()) };
    let description = chip.description();
    let access = chip.access();
    let start = TileAddress(u64::from(place.start));
    if let Some(physical) = description.physical(core) {
        access.annotate(physical, start, u64::from(place.size()), Meaning::Mailbox)?;
    }
    let bytes = u64::from(PROCESSORS) * DRAM_BYTES;
    let in_dram = TileAddress(dram.address);
    access.annotate(dram.bank.physical, in_dram, bytes, Meaning::Buffer)?;
    access.write(noc, start, &vec![0; place.size() as usize])?;
    let word = |word: u32| TileAddress(u64::from(place.start + 4 * word));
    // Banks of all known chips lie in the first 4 GiB of their tile.
    let address = u32::try_from(dram.address).unwrap_or(u32::MAX);
    access.write_word(noc, word(ProfilerControl::DRAM_ADDRESS), address)?;
    access.write_word(noc, word(ProfilerControl::DRAM_TILE), tile_word(dram.bank.tile))
}

/// Reads the markers of a core's tile since the last look. `stopped` says that the device has stopped: the markers that
/// processors still hold in L1 are read, too.
///
/// # Errors
/// The device's.
pub(crate) fn read_markers(
    chip: &mut Chip,
    core: LogicalCore,
    noc: NocCoordinate,
    stopped: bool,
) -> Result<Vec<(Processor, MarkedLaunch)>, DeviceError> {
    let place = chip.firmware().memory().profiler;
    let Some((place, dram)) = place.zip(dram_place(chip, core)) else { return Ok(Vec::new()) };
    let control = read_words(chip, noc, u64::from(place.start), ProfilerControl::WORDS)?;
    let word = |at: u32| control.get(at as usize).copied().unwrap_or(0);
    let mut read = Vec::new();
    for (processor, index) in Processor::ALL.into_iter().zip(0..) {
        let in_dram = word(ProfilerControl::IN_DRAM + index).min(DRAM_WORDS);
        if in_dram > 0 {
            let start = dram.address + u64::from(index) * DRAM_BYTES;
            let words = read_words(chip, dram.bank.tile, start, in_dram)?;
            let launches = MarkedLaunch::all_of(&words).unwrap_or_default();
            read.extend(launches.into_iter().map(|launch| (processor, launch)));
            let counter = place.start + 4 * (ProfilerControl::IN_DRAM + index);
            chip.access().write_word(noc, TileAddress(u64::from(counter)), 0)?;
        }
        let in_l1 = word(ProfilerControl::IN_L1 + index).min(BUFFER_WORDS);
        if stopped && in_l1 > 0 {
            let start = place.start + 4 * (ProfilerControl::WORDS + index * BUFFER_WORDS);
            let words = read_words(chip, noc, u64::from(start), in_l1)?;
            let launch = word(ProfilerControl::LAUNCHES);
            if let Ok(mut launch) = MarkedLaunch::of_buffer(&words, launch) {
                launch.dropped = word(ProfilerControl::DROPPED + index);
                read.push((processor, launch));
            }
        }
    }
    chip.access().order()?;
    Ok(read)
}

fn read_words(
    chip: &mut Chip,
    tile: NocCoordinate,
    address: u64,
    words: u32,
) -> Result<Vec<u32>, DeviceError> {
    let mut bytes = vec![0; words as usize * 4];
    chip.access().read(tile, TileAddress(address), &mut bytes)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
