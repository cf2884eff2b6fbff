//! Calls that make circular buffers and change them between launches.

use serde::{Deserialize, Serialize};

use hallmark_chip::ChipDescription;

use crate::commands::Call;
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{
    BufferId, CircularBufferId, CircularBufferIndex, CoreRange, GloballyAllocatedAddress,
    ObjectKind, ProgramId,
};
use crate::plural;
use crate::validate::{Checker, CircularBuffer, check_core_count};
use crate::wording::{self, Wording};

/// `CreateCircularBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateCircularBuffer {
    /// Its id: the number of circular buffers created before it, failed creations included.
    pub circular_buffer: CircularBufferId,
    /// Its name in the suite.
    pub name: String,
    /// The program that owns it.
    pub program: ProgramId,
    /// The cores that each get one.
    pub cores: Vec<CoreRange>,
    /// Bytes on each core.
    pub total_size: u64,
    /// The indices that share the memory, ascending.
    pub indices: Vec<CircularBufferIndex>,
    /// Its address, if the program does not allocate it: upstream's dynamic circular buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub globally_allocated_address: Option<GloballyAllocatedAddress>,
}

impl Call for CreateCircularBuffer {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_core_count(&self.cores, &path.field("cores"))?;
        let count = self.indices.len() as u64;
        path.field("indices").at_most("indices", count, limits::CIRCULAR_BUFFER_INDICES)
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        checker.cores(&self.cores, done, &path.field("cores"))?;
        if !done {
            return Ok(());
        }
        let indices = self.indices.iter().map(|index| index.index).collect();
        let made = CircularBuffer { total_size: self.total_size, indices };
        checker.objects.circular_buffer_of(self.circular_buffer.0, made);
        self.check_indices(checker, &path.field("indices"))
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let inside = self.globally_allocated_address.map(|inside| {
            format!(" in {}", wording.buffer_address(inside.buffer, inside.address_offset))
        });
        let indices = self.indices.iter().map(|index| {
            let format = wording::word(&index.data_format);
            let tile = index.tile.as_ref().map(wording::tile).unwrap_or_default();
            format!("index {} of {} B pages, {format}{tile}", index.index, index.page_size)
        });
        format!(
            "{}, {} at {}{}, {}",
            wording.names.show(ObjectKind::Program, self.program.0),
            plural::bytes(self.total_size),
            wording::ranges(&self.cores),
            inside.unwrap_or_default(),
            indices.collect::<Vec<_>>().join(", ")
        )
    }
}

impl CreateCircularBuffer {
    fn check_indices(&self, checker: &Checker<'_>, path: &Path<'_>) -> Result<(), CaptureError> {
        let limit = ChipDescription::of(checker.program.architecture).circular_buffers;
        let mut before = None;
        for (at, index) in self.indices.iter().enumerate() {
            let path = path.index(at);
            if index.index >= limit {
                let rule = Rule::CircularBufferIndex { index: index.index, limit };
                return Err(path.field("index").error(rule));
            }
            if before.is_some_and(|before| before >= index.index) {
                return Err(path.error(Rule::NotAscending));
            }
            before = Some(index.index);
            whole_pages(self.total_size, index.page_size.into(), &path.field("page_size"))?;
            if let Some(reason) = index.tile.and_then(|tile| tile.problem()) {
                return Err(path.field("tile").error(Rule::TileShape { reason }));
            }
        }
        if self.indices.is_empty() { Err(path.error(Rule::NoIndex)) } else { Ok(()) }
    }
}

/// `UpdateCircularBufferTotalSize`: changes the size from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateCircularBufferTotalSize {
    /// The circular buffer whose size changes.
    pub circular_buffer: CircularBufferId,
    /// Bytes on each core.
    pub total_size: u64,
}

impl Call for UpdateCircularBufferTotalSize {
    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let Self { circular_buffer, total_size } = *self;
        resize(checker, circular_buffer, total_size, done, path)
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        plural::bytes(self.total_size)
    }
}

/// `UpdateCircularBufferPageSize`: changes the page size of an index from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateCircularBufferPageSize {
    /// The circular buffer that has the index.
    pub circular_buffer: CircularBufferId,
    /// The index whose page size changes.
    pub index: u32,
    /// The bytes of a page from the next launch on.
    pub page_size: u32,
}

impl Call for UpdateCircularBufferPageSize {
    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let known = checker.objects.circular_buffer(self.circular_buffer.0);
        let Some(known) = known.filter(|_| done) else { return Ok(()) };
        if !known.indices.contains(&self.index) {
            let rule = Rule::IndexNotConfigured { index: self.index };
            return Err(path.field("index").error(rule));
        }
        whole_pages(known.total_size, self.page_size.into(), &path.field("page_size"))
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        format!("index {} of {} B pages", self.index, self.page_size)
    }
}

/// `UpdateDynamicCircularBufferAddress`: moves a circular buffer into another buffer's memory from the next
/// launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateDynamicCircularBufferAddress {
    /// The circular buffer that moves.
    pub circular_buffer: CircularBufferId,
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Offset from the buffer's address, bytes.
    pub address_offset: u32,
}

impl Call for UpdateDynamicCircularBufferAddress {
    fn sentence(&self, wording: &Wording<'_>) -> String {
        format!("in {}", wording.buffer_address(self.buffer, self.address_offset))
    }
}

/// `UpdateDynamicCircularBufferAddressAndTotalSize`: changes buffer and size; the offset stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateDynamicCircularBufferAddressAndTotalSize {
    /// The circular buffer that moves and changes its size.
    pub circular_buffer: CircularBufferId,
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Bytes on each core.
    pub total_size: u64,
}

impl Call for UpdateDynamicCircularBufferAddressAndTotalSize {
    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        resize(checker, self.circular_buffer, self.total_size, done, path)
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let inside = wording.buffer_address(self.buffer, 0);
        format!("{} in {inside}, offset as before", plural::bytes(self.total_size))
    }
}

/// Changes the total size of a circular buffer. It need not be a multiple of the page size, because a new page
/// size may follow.
fn resize(
    checker: &mut Checker<'_>,
    circular_buffer: CircularBufferId,
    total_size: u64,
    done: bool,
    path: &Path<'_>,
) -> Result<(), CaptureError> {
    let known = checker.objects.circular_buffer(circular_buffer.0);
    let Some(known) = known.filter(|_| done) else { return Ok(()) };
    known.total_size = total_size;
    whole_pages(total_size, 1, &path.field("total_size"))
}

fn whole_pages(size: u64, page_size: u64, path: &Path<'_>) -> Result<(), CaptureError> {
    if size == 0 || size.checked_rem(page_size) != Some(0) {
        return Err(path.error(Rule::CircularBufferSize { size, page_size }));
    }
    Ok(())
}
