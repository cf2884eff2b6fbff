//! Where queued launches will put everything, computed on the host: nothing runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor};
use hallmark_device_code::{CircularBufferSlot, KernelImage, MemoryRange, SEMAPHORE_STRIDE};
use hallmark_schema::model::CommandIndex;

use super::ResidentBinaries;
use crate::chip::Chip;
use crate::launch::{ProgramLaunch, SemaphoreLaunch, TileLaunch};

/// Where an enqueued program will put everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedLaunch {
    /// The call that enqueued it.
    pub command: CommandIndex,
    /// Its tiles, by core.
    pub tiles: Vec<PlannedTile>,
}

/// Where a launch will put everything on one tile; addresses in L1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTile {
    /// The core that everything below lies on.
    pub core: LogicalCore,
    /// Its tile on the die.
    pub tile: PhysicalCoordinate,
    /// The program's semaphores.
    pub semaphores: Vec<PlannedSemaphore>,
    /// Launch block, table of circular buffers, arguments.
    pub words: MemoryRange,
    /// The program's circular buffers, ascending by index.
    pub circular_buffers: Vec<PlannedCircularBuffer>,
    /// The kernels' binaries; none where they do not fit.
    pub binaries: Vec<PlannedBinary>,
}

/// A semaphore as a launch leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedSemaphore {
    /// The number by which kernels name it.
    pub number: u32,
    /// Where its word lies.
    pub address: u32,
    /// The value of the word when the kernels start.
    pub initial_value: u32,
}

/// A circular buffer as kernels find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedCircularBuffer {
    /// The index by which kernels name it.
    pub index: u32,
    /// Its address, bytes and pages.
    pub slot: CircularBufferSlot,
}

/// The binary of the kernel that runs on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedBinary {
    /// The processor that the kernel would run on.
    pub processor: Processor,
    /// Where the binary lies.
    pub range: MemoryRange,
}

/// Where these launches will put everything on their tiles, as if no program had run before them.
pub(crate) fn planned_launches<'a>(
    chip: &Chip,
    launches: impl Iterator<Item = (CommandIndex, &'a ProgramLaunch)>,
) -> Vec<PlannedLaunch> {
    let mut binaries: BTreeMap<LogicalCore, ResidentBinaries> = BTreeMap::new();
    let region = chip.firmware().memory().kernel_config;
    launches
        .map(|(command, launch)| PlannedLaunch {
            command,
            tiles: launch
                .tiles
                .iter()
                .filter_map(|tile| {
                    let binaries =
                        binaries.entry(tile.core).or_insert_with(|| ResidentBinaries::new(region));
                    planned_tile(chip, tile, binaries)
                })
                .collect(),
        })
        .collect()
}

fn planned_tile(
    chip: &Chip,
    launch: &TileLaunch,
    binaries: &mut ResidentBinaries,
) -> Option<PlannedTile> {
    let region = chip.firmware().memory().kernel_config;
    let semaphores = chip.firmware().limits().semaphores;
    // A launch that does not fit was refused when it was enqueued.
    let words = u32::try_from(launch.words(semaphores)).ok()?;
    let end = region.start.checked_add(words)?;
    let images: Vec<(Processor, &Arc<KernelImage>)> =
        launch.images().map(|(_, processor, image)| (processor, image)).collect();
    let only: Vec<&Arc<KernelImage>> = images.iter().map(|(_, image)| *image).collect();
    let bases = binaries.place(&only, end).map(|placed| placed.bases).unwrap_or_default();
    let binaries = images
        .iter()
        .zip(bases)
        .map(|(&(processor, image), start)| {
            let range = MemoryRange { start, end: start.saturating_add(image.size()) };
            PlannedBinary { processor, range }
        })
        .collect();
    let address =
        |number: u32| region.start.saturating_add(number.saturating_mul(SEMAPHORE_STRIDE));
    let slots = (0..).zip(&launch.circular_buffers);
    Some(PlannedTile {
        core: launch.core,
        tile: chip.description().physical(launch.core)?,
        semaphores: launch
            .semaphores
            .iter()
            .map(|&SemaphoreLaunch { number, initial_value }| PlannedSemaphore {
                number,
                address: address(number),
                initial_value,
            })
            .collect(),
        words: MemoryRange { start: address(semaphores), end },
        circular_buffers: slots
            .filter(|(_, slot)| slot.size > 0)
            .map(|(index, slot)| PlannedCircularBuffer { index, slot: *slot })
            .collect(),
        binaries,
    })
}
