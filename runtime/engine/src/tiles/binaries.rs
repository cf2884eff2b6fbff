//! The kernel binaries that lie on a tile.

use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::{KernelImage, MemoryRange, PrintBlock};

use crate::InternalError;
use crate::defects::{Defect, planted};

/// A kernel's binary on a tile.
#[derive(Clone, Debug)]
pub(crate) struct KernelBinary {
    base: u32,
    image: Arc<KernelImage>,
}

impl KernelBinary {
    /// Where it lies on the tile.
    pub(crate) const fn base(&self) -> u32 {
        self.base
    }

    pub(crate) const fn image(&self) -> &Arc<KernelImage> {
        &self.image
    }

    /// Its bytes at its place.
    pub(crate) fn bytes(&self, core: LogicalCore) -> Result<Vec<u8>, InternalError> {
        let mut bytes = self
            .image
            .relocate(self.base)
            .map_err(|error| InternalError::new(format!("kernel on {core}: {error}")))?;
        // This host takes what the kernel prints.
        let host = self.image.print_block().map(|block| block.saturating_add(PrintBlock::HOST));
        let host = host.and_then(|at| bytes.get_mut(usize::try_from(at).ok()?));
        if let Some(byte) = host {
            *byte = 1;
        }
        Ok(bytes)
    }

    /// Whether it prints.
    pub(crate) fn prints(&self) -> bool {
        self.image.print_block().is_some()
    }

    /// The place of a pc in the image, if it lies there.
    pub(crate) fn offset(&self, pc: u32) -> Option<u32> {
        pc.checked_sub(self.base).filter(|offset| *offset < self.image.size())
    }
}

/// The binaries on a tile, from the region's end down.
#[derive(Clone, Debug)]
pub(crate) struct ResidentBinaries {
    region: MemoryRange,
    lowest: u32,
    /// Shared, because the binaries of a trace take their place at each replay of it.
    resident: Arc<Vec<KernelBinary>>,
}

/// The places of a launch's binaries.
#[derive(Debug)]
pub(crate) struct BinaryPlacement {
    /// In the order of the images.
    pub(crate) bases: Vec<u32>,
    /// The binaries that must be written.
    pub(crate) new: Vec<KernelBinary>,
}

impl ResidentBinaries {
    pub(crate) fn new(region: MemoryRange) -> Self {
        Self { region, lowest: region.end, resident: Arc::default() }
    }

    /// Where the binaries begin, or the region's end.
    pub(crate) const fn lowest(&self) -> u32 {
        self.lowest
    }

    /// The resident binaries, for reports.
    pub(crate) fn resident(&self) -> &[KernelBinary] {
        &self.resident
    }

    /// Places images above `floor`. If the resident binaries leave no room, all of them go and the images
    /// are placed anew. `None` if the images do not fit even so.
    pub(crate) fn place(
        &mut self,
        images: &[&Arc<KernelImage>],
        floor: u32,
    ) -> Option<BinaryPlacement> {
        if self.lowest >= floor
            && let Some(placed) = self.try_place(images, floor)
        {
            return Some(placed);
        }
        *self = Self::new(self.region);
        self.try_place(images, floor)
    }

    fn try_place(&mut self, images: &[&Arc<KernelImage>], floor: u32) -> Option<BinaryPlacement> {
        let mut placed = BinaryPlacement { bases: Vec::new(), new: Vec::new() };
        for &image in images {
            let there = self.resident.iter().find(|binary| {
                Arc::ptr_eq(&binary.image, image)
                    || planted(Defect::KernelBinaryOfTheSameSizeReused)
                        && binary.image.size() == image.size()
            });
            let base = match there {
                Some(binary) => binary.base,
                None => {
                    let base = self.lowest.checked_sub(image.size())?;
                    let base = base - base % image.alignment().max(1);
                    if base < floor {
                        return None;
                    }
                    let binary = KernelBinary { base, image: Arc::clone(image) };
                    self.lowest = base;
                    Arc::make_mut(&mut self.resident).push(binary.clone());
                    placed.new.push(binary);
                    base
                }
            };
            placed.bases.push(base);
        }
        Some(placed)
    }
}
