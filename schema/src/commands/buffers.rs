//! Calls that make, share and release buffers.

use serde::{Deserialize, Serialize};

use std::fmt::Write as _;

use hallmark_chip::ChipDescription;

use crate::commands::Call;
use crate::error::{CaptureError, Path, Rule};
use crate::model::{
    BufferId, BufferLayout, BufferRegion, BufferType, Grid, ObjectKind, ShardSpec, Sharding,
};
use crate::validate::{Buffer, Checker, check_core_count, core_count};
use crate::wording::{self, Wording};

/// `CreateBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateBuffer {
    /// Its id: the number of buffers created before it, failed creations included.
    pub buffer: BufferId,
    /// Its name in the suite.
    pub name: String,
    /// Bytes over all banks, a multiple of `page_size`.
    pub size: u64,
    /// Bytes of a page, which lies in one bank; a positive multiple of 4.
    pub page_size: u64,
    /// The memory that holds its pages.
    pub buffer_type: BufferType,
    /// How its pages are spread over the banks.
    pub layout: BufferLayout,
    /// How it is cut into shards; `None` for a buffer without shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard_spec: Option<ShardSpec>,
    /// Whether it is allocated from the bottom of the memory; `None` if the program did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom_up: Option<bool>,
}

impl Call for CreateBuffer {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        let path = path.field("shard_spec");
        let cores = |spec: &ShardSpec| check_core_count(&spec.cores, &path.field("cores"));
        self.shard_spec.as_ref().map_or(Ok(()), cores)
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let Self { size, page_size, layout, ref shard_spec, .. } = *self;
        let shards = shard_spec.as_ref().map_or(0, |spec| core_count(&spec.cores));
        checker.objects.buffer_of(Buffer { size, page_size, root: None, shards });
        let pages = size.checked_div(page_size).unwrap_or_default();
        let paged = size.checked_rem(page_size) == Some(0);
        if done && !(paged && page_size.is_multiple_of(4)) {
            let rule = Rule::PageSize { size, page_size };
            return Err(path.field("page_size").error(rule));
        }
        if done && self.buffer_type == BufferType::L1Small && checker.program.l1_small_size == 0 {
            return Err(path.field("buffer_type").error(Rule::NoL1SmallRegion));
        }
        let path = path.field("shard_spec");
        if done && layout.is_sharded() != shard_spec.is_some() {
            return Err(path.error(Rule::ShardSpec {
                reason: "a sharded layout needs one, and no other layout takes one",
            }));
        }
        let Some(spec) = shard_spec else { return Ok(()) };
        let grid = match self.buffer_type {
            BufferType::L1 | BufferType::L1Small => checker.program.grid,
            BufferType::Dram => {
                let chip = ChipDescription::of(checker.program.architecture);
                let banks = chip.dram_banks.len();
                Grid { columns: u32::try_from(banks).unwrap_or(u32::MAX), rows: 1 }
            }
        };
        checker.cores_within(&spec.cores, grid, done, &path.field("cores"))?;
        if done && Sharding::new(layout, spec, pages).is_err() {
            let reason = "its shards do not hold the buffer's pages";
            return Err(path.error(Rule::ShardSpec { reason }));
        }
        Ok(())
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        let Self { size, page_size, .. } = self;
        let kind = self.buffer_type.to_string().to_lowercase();
        let mut text = match size.checked_div(*page_size) {
            Some(pages) if size.is_multiple_of(*page_size) => {
                format!("{kind}, {pages} × {page_size} B")
            }
            _ => format!("{kind}, {size} B in pages of {page_size} B"),
        };
        // Writing to a `String` cannot fail.
        if self.layout.is_sharded() {
            let _ = write!(text, ", {}", wording::word(&self.layout));
        }
        if let Some(spec) = &self.shard_spec {
            let _ = write!(text, " {}", wording::shards(spec));
        }
        match self.bottom_up {
            Some(true) => text.push_str(", from the bottom up"),
            Some(false) => text.push_str(", from the top down"),
            None => {}
        }
        text
    }
}

/// `DeallocateBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeallocateBuffer {
    /// The buffer whose memory is given back.
    pub buffer: BufferId,
}

impl Call for DeallocateBuffer {}

/// `Buffer::view`: a part of a buffer under an id of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateBufferView {
    /// Its id, one of the buffers' ids.
    pub buffer: BufferId,
    /// Its name in the suite.
    pub name: String,
    /// The buffer or view of which it is a part.
    pub parent: BufferId,
    /// The bytes of the parent that it covers, whole pages.
    pub region: BufferRegion,
}

impl Call for CreateBufferView {
    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let parent = self.parent.0;
        let size = checker.region(Some(self.region), parent, done, &path.field("region"))?;
        let Buffer { page_size, root, shards, .. } = checker.objects.buffer(parent);
        let root = root.or(Some(parent));
        checker.objects.buffer_of(Buffer { size, page_size, root, shards });
        Ok(())
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let parent = wording.names.show(ObjectKind::Buffer, self.parent.0);
        format!("{} of {parent}", wording::part(self.region))
    }
}
