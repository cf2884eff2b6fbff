//! The builds of kernels: the library that they come from, and their images.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_device_code::{BuiltKernel, KernelElfError, KernelImage};
use hallmark_schema::model::ContentHash;

use crate::kernel_library::{KernelBinaries, KernelLibrary, KernelProblem, KernelRequest};

/// The kernel library, and the images of its ELFs.
pub(super) struct KernelBuilds {
    library: Box<dyn KernelLibrary>,
    images: ImageCache,
}

impl KernelBuilds {
    pub(super) fn new(library: Box<dyn KernelLibrary>) -> Self {
        Self { library, images: ImageCache::default() }
    }

    /// Gets the ELFs of a kernel from the library.
    pub(super) fn build(
        &mut self,
        request: &KernelRequest<'_>,
    ) -> Result<KernelBinaries, KernelProblem> {
        self.library.kernel(request)
    }

    /// The image of an ELF.
    pub(super) fn image(
        &mut self,
        hash: ContentHash,
        build: &BuiltKernel,
    ) -> Result<Arc<KernelImage>, KernelElfError> {
        self.images.image(hash, build)
    }

    /// The ELF of an image.
    pub(super) fn elf(&self, image: &Arc<KernelImage>) -> Option<(ContentHash, &Arc<[u8]>)> {
        self.images.elf(image)
    }
}

/// Kernel images by the hash of their ELF, so that kernels of one ELF share its binary on a tile. Images with other
/// source lines are not shared, or a fault would be reported with another kernel's lines.
#[derive(Debug, Default)]
struct ImageCache {
    images: BTreeMap<ContentHash, Vec<CachedImage>>,
}

/// An image with the ELF that it was read from.
#[derive(Debug)]
struct CachedImage {
    image: Arc<KernelImage>,
    elf: Arc<[u8]>,
}

impl ImageCache {
    fn image(
        &mut self,
        hash: ContentHash,
        BuiltKernel { elf, lines }: &BuiltKernel,
    ) -> Result<Arc<KernelImage>, KernelElfError> {
        let images = self.images.entry(hash).or_default();
        // A build without lines takes any image of its ELF.
        let has_lines = |image: &KernelImage| lines.is_none() || image.lines() == lines.as_ref();
        if let Some(known) = images.iter().find(|cached| has_lines(&cached.image)) {
            return Ok(Arc::clone(&known.image));
        }
        let image = Arc::new(KernelImage::parse(elf)?.with_lines(lines.clone()));
        images.push(CachedImage { image: Arc::clone(&image), elf: Arc::clone(elf) });
        Ok(image)
    }

    /// The ELF of an image.
    fn elf(&self, image: &Arc<KernelImage>) -> Option<(ContentHash, &Arc<[u8]>)> {
        self.images.iter().find_map(|(hash, of_elf)| {
            let cached = of_elf.iter().find(|cached| Arc::ptr_eq(&cached.image, image))?;
            Some((*hash, &cached.elf))
        })
    }
}
