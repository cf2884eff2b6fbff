//! Where on a tile everything lies that a launch needs there, and the bytes of it.

use std::sync::Arc;

use hallmark_chip::{
    ChipDescription, LogicalCore, Meaning, Noc, NocCoordinate, PhysicalCoordinate, TileAddress,
};
use hallmark_device_code::{
    CircularBufferSlot, FirmwareBundle, KernelImage, LaunchBlock, Mailbox, ProcessorLaunch,
    SEMAPHORE_STRIDE,
};

use super::tile::{KernelBinary, ResidentBinaries};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::engine::Engine;
use crate::halt::Halt;
use crate::launch::{CircularMemory, ProgramLaunch, SemaphoreLaunch, TileLaunch, WORD_ALIGNMENT};

/// What a tile is given for a launch, all but the go.
#[derive(Debug)]
pub(super) struct TileLayout {
    pub(super) core: LogicalCore,
    pub(super) noc: NocCoordinate,
    physical: PhysicalCoordinate,
    /// Binaries of its kernels that are not resident yet.
    pub(super) binaries: Vec<KernelBinary>,
    /// Bytes of the region below all binaries.
    left_over: u32,
    pub(super) semaphores: Vec<SemaphoreWord>,
    /// Where the launch block lies.
    pub(super) block: u32,
    /// What lies from there on: launch block, circular buffer table, arguments.
    pub(super) words: Arc<[u8]>,
}

/// A semaphore's word in L1, as it is written for a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SemaphoreWord {
    pub(super) address: u32,
    pub(super) value: u32,
}

impl TileLayout {
    /// Lays a launch out among the binaries of a tile.
    pub(super) fn new(
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
        let mut processors = [None; 5];
        let mut bases = placed.bases.iter();
        let mut argument_bytes = Vec::new();
        for kernel in &launch.kernels {
            let [unique_args, common_args] = kernel.vectors().map(|words| {
                let address = first + argument_bytes.len() as u32;
                argument_bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                let end = argument_bytes.len().next_multiple_of(WORD_ALIGNMENT as usize);
                argument_bytes.resize(end, 0);
                address
            });
            for (processor, image) in &kernel.images {
                let base =
                    bases.next().ok_or_else(|| InternalError::new("a kernel without a place"))?;
                if let Some(slot) = processors.get_mut(processor.index()) {
                    *slot = Some(ProcessorLaunch {
                        entry: base + image.entry(),
                        unique_args,
                        common_args,
                    });
                }
            }
        }
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
        })
    }

    fn without_binaries(&self) -> Self {
        let (semaphores, words) = (self.semaphores.clone(), Arc::clone(&self.words));
        Self { binaries: Vec::new(), semaphores, words, ..*self }
    }
}

/// A program as the last launch of it was laid out. It holds as long as the binaries stay where they are.
#[derive(Debug)]
pub(crate) struct LaidOut {
    launch: Arc<ProgramLaunch>,
    /// Which placing of binaries it goes by: [`Engine::binaries_placed`].
    binaries_placed: u64,
    /// Without binaries, which are there.
    layouts: Arc<[TileLayout]>,
}

impl KernelBinary {
    /// Its bytes at its place.
    pub(super) fn bytes(&self, core: LogicalCore) -> Result<Vec<u8>, InternalError> {
        self.image
            .relocate(self.base)
            .map_err(|error| InternalError::new(format!("kernel on {core}: {error}")))
    }
}

impl Engine {
    /// Lays a launch out on its tiles, which it boots if need be, and tells the device what their memory is
    /// for from now on. Nothing may run there. A launch that was laid out so before, and whose binaries are there, is not laid out
    /// again.
    pub(super) fn lay_out_program(
        &mut self,
        launch: &Arc<ProgramLaunch>,
    ) -> Result<Arc<[TileLayout]>, Halt> {
        let known = self.laid_out.get(&launch.program);
        let known = known.filter(|known| {
            let there = known.binaries_placed == self.binaries_placed
                || planted(Defect::KernelBinariesCountAsThere);
            there && Arc::ptr_eq(&known.launch, launch)
        });
        if let Some(known) = known {
            let layouts = Arc::clone(&known.layouts);
            if self.wants_meanings() {
                for (tile, layout) in launch.tiles.iter().zip(layouts.iter()) {
                    let (physical, freed) = (layout.physical, layout.left_over);
                    self.announce_configuration(physical, freed, &tile.circular_memory, &[])?;
                }
            }
            return Ok(layouts);
        }
        self.boot_tiles(launch.tiles.iter().map(|tile| (tile.core, tile.noc)))?;
        let mut layouts = Vec::with_capacity(launch.tiles.len());
        for tile in &launch.tiles {
            layouts.push(self.lay_out(tile)?);
        }
        if layouts.iter().any(|layout| !layout.binaries.is_empty()) {
            self.binaries_placed = self.binaries_placed.wrapping_add(1);
        }
        let kept = layouts.iter().map(TileLayout::without_binaries).collect();
        let launch = Arc::clone(launch);
        let binaries_placed = self.binaries_placed;
        self.laid_out.insert(launch.program, LaidOut { launch, binaries_placed, layouts: kept });
        Ok(layouts.into())
    }

    /// Lays a launch out on a tile and tells the device what its memory is for from now on.
    fn lay_out(&mut self, launch: &TileLaunch) -> Result<TileLayout, Halt> {
        let core = launch.core;
        let description = self.chip.description();
        let tile = self
            .tiles
            .get_mut(&core)
            .ok_or_else(|| InternalError::new(format!("tile {core} was not booted")))?;
        let layout = TileLayout::new(&self.firmware, description, launch, &mut tile.binaries)?;
        // What earlier launches left below the binaries is nobody's.
        let (physical, freed, binaries) = (layout.physical, layout.left_over, &layout.binaries);
        self.announce_configuration(physical, freed, &launch.circular_memory, binaries)?;
        Ok(layout)
    }

    /// Tells the device what a launch or a trace makes of a tile's memory.
    pub(super) fn announce_configuration(
        &mut self,
        tile: PhysicalCoordinate,
        freed: u32,
        circular_memory: &[CircularMemory],
        binaries: &[KernelBinary],
    ) -> Result<(), Halt> {
        let start = TileAddress(u64::from(self.firmware.memory().kernel_config.start));
        let semaphores = self.semaphores_size();
        self.chip.annotate(tile, start, u64::from(freed), Meaning::Freed)?;
        self.chip.annotate(tile, start, semaphores, Meaning::Semaphore)?;
        // What was left in circular buffers that lie on no buffer is nobody's either.
        for &CircularMemory { address, size } in circular_memory {
            let (start, size) = (TileAddress(u64::from(address)), u64::from(size));
            self.chip.annotate(tile, start, size, Meaning::Freed)?;
            self.chip.annotate(tile, start, size, Meaning::CircularBuffer)?;
        }
        for binary in binaries {
            let base = TileAddress(u64::from(binary.base));
            self.chip.annotate(tile, base, u64::from(binary.image.size()), Meaning::Code)?;
        }
        Ok(())
    }
}
