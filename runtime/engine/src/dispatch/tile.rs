//! A tile whose firmware runs, and the kernel binaries that lie there.

use std::sync::Arc;

use hallmark_chip::{NocCoordinate, PhysicalCoordinate};
use hallmark_device_code::{KernelImage, MemoryRange};

use crate::defects::{Defect, planted};

/// A tile whose firmware runs.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) noc: NocCoordinate,
    pub(crate) physical: PhysicalCoordinate,
    pub(crate) binaries: ResidentBinaries,
}

/// A kernel's binary on a tile.
#[derive(Clone, Debug)]
pub(crate) struct KernelBinary {
    pub(crate) base: u32,
    pub(crate) image: Arc<KernelImage>,
}

impl KernelBinary {
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
    /// Shared, because a replay puts those of its trace in their place.
    resident: Arc<Vec<KernelBinary>>,
}

/// Where a launch's binaries lie.
pub(crate) struct BinaryPlacement {
    /// In the order of the images.
    pub(crate) bases: Vec<u32>,
    /// Those that must be written.
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

    /// What is resident, for reports.
    pub(crate) fn resident(&self) -> &[KernelBinary] {
        &self.resident
    }

    /// Places images above `floor`. If what is there leaves no room, everything goes and the images
    /// are placed anew. `None` if they do not fit alone.
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
