//! Where a launch's words, semaphores and binaries lie on a tile, and their bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{
    ChipDescription, LaunchDescription, LogicalCore, Meaning, Noc, NocCoordinate,
    PhysicalCoordinate, TileAddress,
};
use hallmark_device_code::{
    CircularBufferSlot, FirmwareBundle, KernelImage, LaunchBlock, Mailbox, PrintBlock,
    ProcessorLaunch, SEMAPHORE_STRIDE,
};
use hallmark_schema::model::ProgramId;

use super::{KernelBinary, ResidentBinaries, Tiles, boot_tiles, describe_launches, description};
use crate::InternalError;
use crate::chip::Chip;
use crate::defects::{Defect, planted};
use crate::launch::{
    CircularMemory, KernelLaunch, ProgramLaunch, SemaphoreLaunch, TileLaunch, WORD_ALIGNMENT,
};
use crate::stop::RawStop;

/// The binaries and words that a tile is given for a launch, all but the go.
#[derive(Debug)]
pub(crate) struct TileLayout {
    /// The core that the tile is in the compute grid.
    pub(crate) core: LogicalCore,
    /// The tile as the host names it.
    pub(crate) noc: NocCoordinate,
    physical: PhysicalCoordinate,
    /// Binaries of its kernels that are not resident yet.
    pub(crate) binaries: Vec<KernelBinary>,
    /// Bytes of the region below all binaries.
    left_over: u32,
    /// The program's semaphores.
    pub(crate) semaphores: Vec<SemaphoreWord>,
    /// Where the launch block lies.
    pub(crate) block: u32,
    /// The bytes from there on: launch block, circular buffer table, arguments.
    pub(crate) words: Arc<[u8]>,
    /// Where each image of each kernel lies.
    pub(super) bases: Arc<[u32]>,
    /// Where the own and the common arguments of each kernel lie.
    pub(super) arguments: Arc<[[u32; 2]]>,
}

/// A semaphore's word in L1, as it is written for a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SemaphoreWord {
    pub(crate) address: u32,
    pub(crate) value: u32,
}

impl TileLayout {
    /// Lays a launch out among the binaries of a tile.
    pub(crate) fn new(
        firmware: &FirmwareBundle,
        chip: &ChipDescription,
        launch: &TileLaunch,
        binaries: &mut ResidentBinaries,
    ) -> Result<Self, InternalError> {
        let region = firmware.memory().kernel_config;
        let semaphores = firmware.limits().semaphores;
        let core = launch.core;
        let block = region.start + semaphores * SEMAPHORE_STRIDE;
        let words = u32::try_from(launch.words(semaphores))
            .map_err(|_| InternalError::new("a launch beyond its region"))?;
        let images: Vec<&Arc<KernelImage>> = launch.images().map(|(_, _, image)| image).collect();
        let placed = binaries
            .place(&images, region.start + words)
            .ok_or_else(|| InternalError::new(format!("kernels do not fit on tile {core}")))?;
        let mailbox = firmware.memory().mailbox.start;
        let table = block + LaunchBlock::SIZE;
        let first = table + CircularBufferSlot::SIZE * launch.circular_buffers.len() as u32;
        let PlacedArguments { processors, places, bytes: argument_bytes } =
            place_arguments(&launch.kernels, &placed.bases, first)?;
        let mut bytes = LaunchBlock {
            processors,
            bank_tables: firmware.memory().bank_tables.start,
            semaphores: region.start,
            circular_buffers: table,
            circular_buffer_count: launch.circular_buffers.len() as u32,
            noc: Noc::ALL.map(|network| chip.on_noc(network, launch.noc)),
            logical: core,
            atomic_return: mailbox + Mailbox::ATOMIC_RETURN,
        }
        .encode();
        bytes.extend(CircularBufferSlot::encode_table(&launch.circular_buffers));
        bytes.extend(argument_bytes);
        let semaphore = |semaphore: &SemaphoreLaunch| SemaphoreWord {
            address: region.start + semaphore.number * SEMAPHORE_STRIDE,
            value: semaphore.initial_value,
        };
        let physical = chip
            .physical(core)
            .ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
        Ok(Self {
            core,
            noc: launch.noc,
            physical,
            left_over: binaries.lowest() - region.start,
            binaries: placed.new,
            semaphores: launch.semaphores.iter().map(semaphore).collect(),
            block,
            words: bytes.into(),
            bases: placed.bases.into(),
            arguments: places.into(),
        })
    }

    fn without_binaries(&self) -> Self {
        let (semaphores, words) = (self.semaphores.clone(), Arc::clone(&self.words));
        let (bases, arguments) = (Arc::clone(&self.bases), Arc::clone(&self.arguments));
        Self { binaries: Vec::new(), semaphores, words, bases, arguments, ..*self }
    }
}

/// The arguments of a tile's kernels.
struct PlacedArguments {
    /// The entry and the addresses of arguments of each processor.
    processors: [Option<ProcessorLaunch>; 5],
    /// Where the own and the common arguments of each kernel lie.
    places: Vec<[u32; 2]>,
    /// The bytes of all arguments.
    bytes: Vec<u8>,
}

/// The arguments of kernels, from `first` on. `bases` are the places of the kernels' binaries, in the order of their
/// images.
fn place_arguments(
    kernels: &[KernelLaunch],
    bases: &[u32],
    first: u32,
) -> Result<PlacedArguments, InternalError> {
    let mut processors = [None; 5];
    let mut bases = bases.iter();
    let mut bytes = Vec::new();
    let mut places = Vec::with_capacity(kernels.len());
    for kernel in kernels {
        let [unique_args, common_args] = kernel.vectors().map(|words| {
            let address = first + bytes.len() as u32;
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            let end = bytes.len().next_multiple_of(WORD_ALIGNMENT as usize);
            bytes.resize(end, 0);
            address
        });
        places.push([unique_args, common_args]);
        for (processor, image) in &kernel.images {
            let base =
                bases.next().ok_or_else(|| InternalError::new("a kernel without a place"))?;
            if let Some(slot) = processors.get_mut(processor.index()) {
                *slot =
                    Some(ProcessorLaunch { entry: base + image.entry(), unique_args, common_args });
            }
        }
    }
    Ok(PlacedArguments { processors, places, bytes })
}

/// Programs as the last launch of each was laid out.
#[derive(Debug, Default)]
pub(super) struct LaidOutPrograms(BTreeMap<ProgramId, LaidOut>);

/// A program as the last launch of it was laid out. It holds as long as the binaries stay where they are.
#[derive(Debug)]
struct LaidOut {
    launch: Arc<ProgramLaunch>,
    /// The placing of binaries on which it rests: [`Tiles::binaries_placed`].
    binaries_placed: u64,
    /// Without binaries, because all of them are on their tiles.
    layouts: Arc<[TileLayout]>,
    /// Of each tile, for a device that checks programs.
    descriptions: Arc<[Arc<LaunchDescription>]>,
}

impl LaidOutPrograms {
    /// The layouts of a launch, if it was laid out last of its program and its binaries are still in place.
    fn known(&self, launch: &Arc<ProgramLaunch>, binaries_placed: u64) -> Option<&LaidOut> {
        let known = self.0.get(&launch.program)?;
        let there =
            known.binaries_placed == binaries_placed || planted(Defect::KernelBinariesCountAsThere);
        (there && Arc::ptr_eq(&known.launch, launch)).then_some(known)
    }
}

/// Lays a launch out on its tiles, which it boots if need be, and tells the device the meaning of their memory
/// from now on. Nothing may run there. A launch that was laid out so before, and whose binaries are in place, is not
/// laid out again.
///
/// # Errors
/// The device's, or that firmware does not come up.
pub(crate) fn lay_out_program(
    tiles: &mut Tiles,
    launch: &Arc<ProgramLaunch>,
) -> Result<Arc<[TileLayout]>, RawStop> {
    if let Some(known) = tiles.laid_out.known(launch, tiles.binaries_placed) {
        let (layouts, descriptions) = (Arc::clone(&known.layouts), Arc::clone(&known.descriptions));
        if tiles.chip.wants_meanings() {
            for (tile, layout) in launch.tiles.iter().zip(layouts.iter()) {
                let (physical, freed) = (layout.physical, layout.left_over);
                let memory = &tile.circular_memory;
                announce_configuration(&mut tiles.chip, physical, freed, memory, &[])?;
            }
            describe(&mut tiles.chip, &layouts, &descriptions)?;
        }
        return Ok(layouts);
    }
    boot_tiles(tiles, launch.tiles.iter().map(|tile| (tile.core, tile.noc)))?;
    let mut layouts = Vec::with_capacity(launch.tiles.len());
    for tile in &launch.tiles {
        layouts.push(lay_out(tiles, tile)?);
    }
    if layouts.iter().flat_map(|layout| &layout.binaries).any(KernelBinary::prints) {
        tiles.prints.note_kernel();
    }
    if layouts.iter().any(|layout| !layout.binaries.is_empty()) {
        tiles.binaries_placed = tiles.binaries_placed.wrapping_add(1);
    }
    let chip = &mut tiles.chip;
    let described = launch.tiles.iter().zip(&layouts).filter(|_| chip.wants_meanings());
    let descriptions: Arc<[_]> =
        described.map(|(tile, layout)| description(chip, launch, tile, layout)).collect();
    describe(chip, &layouts, &descriptions)?;
    let kept = layouts.iter().map(TileLayout::without_binaries).collect();
    let launch = Arc::clone(launch);
    let binaries_placed = tiles.binaries_placed;
    let program = launch.program;
    let laid_out = LaidOut { launch, binaries_placed, layouts: kept, descriptions };
    tiles.laid_out.0.insert(program, laid_out);
    Ok(layouts.into())
}

/// Describes a launch on its tiles.
fn describe(
    chip: &mut Chip,
    layouts: &[TileLayout],
    descriptions: &[Arc<LaunchDescription>],
) -> Result<(), RawStop> {
    for (layout, description) in layouts.iter().zip(descriptions) {
        let next = std::slice::from_ref(description);
        describe_launches(chip, layout.physical, layout.block, next)?;
    }
    Ok(())
}

/// Lays a launch out on a tile and tells the device the meaning of its memory from now on.
fn lay_out(tiles: &mut Tiles, launch: &TileLaunch) -> Result<TileLayout, RawStop> {
    let core = launch.core;
    let Tiles { chip, booted, .. } = tiles;
    let tile = booted
        .get_mut(&core)
        .ok_or_else(|| InternalError::new(format!("tile {core} was not booted")))?;
    let description = chip.description();
    let layout = TileLayout::new(chip.firmware(), description, launch, &mut tile.binaries)?;
    // The rest of earlier launches below the binaries belongs to none any more.
    let (physical, freed, binaries) = (layout.physical, layout.left_over, &layout.binaries);
    announce_configuration(chip, physical, freed, &launch.circular_memory, binaries)?;
    Ok(layout)
}

/// Tells the device the meanings that a launch or a trace gives a tile's memory. The first `freed` bytes of the region hold
/// nothing any more.
///
/// # Errors
/// The device's.
pub(crate) fn announce_configuration(
    chip: &mut Chip,
    tile: PhysicalCoordinate,
    freed: u32,
    circular_memory: &[CircularMemory],
    binaries: &[KernelBinary],
) -> Result<(), RawStop> {
    let start = TileAddress(u64::from(chip.firmware().memory().kernel_config.start));
    let semaphores = chip.semaphores_size();
    let access = chip.access();
    access.annotate(tile, start, u64::from(freed), Meaning::Freed)?;
    access.annotate(tile, start, semaphores, Meaning::Semaphore)?;
    // Nor does the content of circular buffers that lie on no buffer.
    for &CircularMemory { address, size } in circular_memory {
        let (start, size) = (TileAddress(u64::from(address)), u64::from(size));
        access.annotate(tile, start, size, Meaning::Freed)?;
        access.annotate(tile, start, size, Meaning::CircularBuffer)?;
    }
    for binary in binaries {
        let base = TileAddress(u64::from(binary.base()));
        access.annotate(tile, base, u64::from(binary.image().size()), Meaning::Code)?;
        if let Some(block) = binary.image().print_block() {
            let start = TileAddress(base.0.saturating_add(u64::from(block)));
            access.annotate(tile, start, u64::from(PrintBlock::SIZE), Meaning::Mailbox)?;
        }
    }
    Ok(())
}
