//! The kernels that traces copy: they lie in the dispatcher's own L1, behind its ring.

use std::collections::HashMap;
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::KernelImage;

use crate::InternalError;
use crate::tiles::KernelBinary;

/// Binaries start at multiples of this.
const ALIGNMENT: u32 = 16;

/// Kernels by where they lie on worker tiles.
#[derive(Debug)]
pub(super) struct BinaryStore {
    end: u32,
    next: u32,
    /// By image and by its place on workers. The image is kept, so that no other has its address.
    places: HashMap<(usize, u32), (u32, Arc<KernelImage>)>,
    /// The binaries that are not in the dispatcher's L1 yet.
    new: Vec<(u32, Vec<u8>)>,
}

impl BinaryStore {
    pub(super) fn new(start: u32, end: u32) -> Self {
        let next = start.next_multiple_of(ALIGNMENT);
        Self { end, next, places: HashMap::new(), new: Vec::new() }
    }

    /// The address of a binary that is relocated for its place on a worker; `None` if there is no room left.
    pub(super) fn place(
        &mut self,
        binary: &KernelBinary,
        core: LogicalCore,
    ) -> Result<Option<u32>, InternalError> {
        let key = (Arc::as_ptr(binary.image()) as usize, binary.base());
        if let Some((place, _)) = self.places.get(&key) {
            return Ok(Some(*place));
        }
        let place = self.next;
        let end = place.checked_add(binary.image().size()).filter(|end| *end <= self.end);
        let Some(end) = end else { return Ok(None) };
        self.next = end.next_multiple_of(ALIGNMENT);
        self.new.push((place, binary.bytes(core)?));
        self.places.insert(key, (place, Arc::clone(binary.image())));
        Ok(Some(place))
    }

    /// The binaries that must be written to the dispatcher's L1 before they are used, by address.
    pub(super) fn take_new(&mut self) -> Vec<(u32, Vec<u8>)> {
        std::mem::take(&mut self.new)
    }
}
