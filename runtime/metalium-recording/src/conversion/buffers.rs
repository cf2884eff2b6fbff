//! The allocated buffers of a recording, and their counterparts in the capture.

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_metalium::Numbers;
use hallmark_schema::commands::{CreateBuffer, CreateBufferView};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferId, BufferRegion, Grid, Shape2D, ShardOrientation, ShardSpec, Sharding,
};

use super::live_buffers::{LiveBuffer, LiveBuffers, Memory};
use super::missing::BufferProblem;
use crate::event::{self, BufferAllocated, ObservedBuffer};

/// The buffers of a recording.
#[derive(Debug)]
pub(super) struct Buffers {
    /// The numbers of the recorded release.
    numbers: Numbers,
    live: LiveBuffers,
    made: usize,
    ids: u32,
}

/// The call in the capture that makes a buffer.
#[derive(Debug)]
pub(super) enum BufferCall {
    /// A buffer with its own memory.
    Buffer(CreateBuffer),
    /// A view of another buffer.
    View(CreateBufferView),
    /// None: the buffer shows the memory of another one with different pages, and only addresses refer to it.
    Nothing,
}

impl Buffers {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, live: LiveBuffers::default(), made: 0, ids: 0 }
    }

    /// The number of buffers made so far.
    pub(super) const fn made(&self) -> usize {
        self.made
    }

    pub(super) fn get(&self, buffer: ObservedBuffer) -> Option<&LiveBuffer> {
        self.live.get(buffer)
    }

    /// The allocated buffers.
    pub(super) const fn live(&self) -> &LiveBuffers {
        &self.live
    }

    pub(super) fn free(&mut self, buffer: ObservedBuffer) -> Option<LiveBuffer> {
        self.live.remove(buffer)
    }

    /// The allocated buffers whose memory a new one overlaps. A buffer at an address chosen by the program
    /// overlaps none.
    pub(super) fn below(&self, made: &BufferAllocated) -> Vec<ObservedBuffer> {
        if made.is_at_given_address {
            return Vec::new();
        }
        let end = made.address.saturating_add(made.size_per_bank);
        let memory = Memory::of(&self.numbers.buffer_type, made.buffer_type);
        self.live.overlapping(memory, made.address, end)
    }

    /// Adds a new buffer.
    pub(super) fn make(
        &mut self,
        made: &BufferAllocated,
        architecture: Architecture,
        grid: Grid,
    ) -> Result<BufferCall, BufferProblem> {
        let number = self.made;
        self.made = self.made.saturating_add(1);
        let mut live = LiveBuffer {
            number,
            made: made.clone(),
            place: None,
            id: None,
            memory: Memory::of(&self.numbers.buffer_type, made.buffer_type),
            is_whole: !made.is_at_given_address,
        };
        if made.buffer_type == self.numbers.buffer_type.trace {
            return Ok(BufferCall::Nothing);
        }
        let result = if made.is_at_given_address {
            self.shown(&mut live, architecture, grid)
        } else {
            self.own(&mut live)
        };
        self.live.insert(live);
        result
    }

    fn next_id(&mut self) -> BufferId {
        let id = BufferId(self.ids);
        self.ids = self.ids.saturating_add(1);
        id
    }

    fn own(&mut self, live: &mut LiveBuffer) -> Result<BufferCall, BufferProblem> {
        let made = &live.made;
        let buffer_type = self.numbers.buffer_type.value(made.buffer_type);
        let buffer_type =
            buffer_type.ok_or(BufferProblem::Type { buffer_type: made.buffer_type })?;
        let layout = self.numbers.layout.value(made.layout);
        let layout = layout.ok_or(BufferProblem::Layout { layout: made.layout })?;
        let (size, page_size) = (made.size, made.page_size);
        let is_paged = size.checked_rem(page_size) == Some(0) && page_size.is_multiple_of(4);
        if !is_paged {
            return Err(BufferProblem::PageSize { page_size });
        }
        let shard_spec = match (&made.sharding, layout.is_sharded()) {
            (Some(sharding), true) => Some(shard_spec(sharding).ok_or(BufferProblem::Sharding)?),
            (None, false) => None,
            (Some(_), false) | (None, true) => return Err(BufferProblem::Sharding),
        };
        if let Some(spec) = &shard_spec {
            let pages = size.checked_div(page_size).unwrap_or_default();
            Sharding::new(layout, spec, pages).map_err(|_| BufferProblem::Sharding)?;
        }
        let bottom_up = made.bottom_up;
        let buffer = self.next_id();
        live.place = Some((buffer, 0));
        live.id = Some(buffer);
        let name = format!("buffer{buffer}");
        Ok(BufferCall::Buffer(CreateBuffer {
            buffer,
            name,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
        }))
    }

    /// Adds a buffer at an address chosen by the program: a view of another one, if its pages are the same.
    fn shown(
        &mut self,
        live: &mut LiveBuffer,
        architecture: Architecture,
        grid: Grid,
    ) -> Result<BufferCall, BufferProblem> {
        let made = &live.made;
        let address = made.address;
        // A range of memory has one owner.
        let Some(whole) = self.live.whole_around(live.memory, address) else {
            return Err(BufferProblem::Address { address });
        };
        let between = address.saturating_sub(whole.made.address);
        let Some(id) = whole.id else { return Ok(BufferCall::Nothing) };
        live.place = u32::try_from(between).ok().map(|between| (id, between));
        let is_alike = (&whole.made.sharding, whole.made.layout, whole.made.page_size)
            == (&made.sharding, made.layout, made.page_size);
        let region = region(&whole.made, made, between, banks(live.memory, architecture, grid));
        let Some(region) = region.filter(|_| is_alike) else { return Ok(BufferCall::Nothing) };
        let buffer = self.next_id();
        live.id = Some(buffer);
        let name = format!("buffer{buffer}");
        Ok(BufferCall::View(CreateBufferView { buffer, name, parent: id, region }))
    }
}

/// The region of a buffer that another one with equal pages shows, starting `between` bytes after its address
/// in each bank.
fn region(
    whole: &BufferAllocated,
    part: &BufferAllocated,
    between: u64,
    banks: u64,
) -> Option<BufferRegion> {
    let pages = whole.size.checked_div(whole.page_size)?;
    let skipped = match between {
        0 => 0,
        // Sharded buffers have no views here.
        _ if whole.sharding.is_some() => return None,
        _ => {
            // Pages of a bank; some banks may lack the last one.
            let in_bank = pages.div_ceil(banks);
            let stride = whole.size_per_bank.checked_div(in_bank)?;
            if between.checked_rem(stride) != Some(0) {
                return None;
            }
            between.checked_div(stride)?.checked_mul(banks)?
        }
    };
    let offset = skipped.checked_mul(whole.page_size)?;
    let region = BufferRegion { offset, size: part.size };
    let is_whole_sharding = whole.sharding.is_none() || region == BufferRegion::whole(whole.size);
    let is_inside = region.lies_within(whole.size) && region.is_paged(whole.page_size);
    (part.size > 0 && is_whole_sharding && is_inside).then_some(region)
}

fn banks(memory: Memory, architecture: Architecture, grid: Grid) -> u64 {
    match memory {
        Memory::L1 => u64::from(grid.columns).saturating_mul(grid.rows.into()),
        Memory::Dram | Memory::Other => ChipDescription::of(architecture).dram_banks.len() as u64,
    }
    .max(1)
}

fn shard_spec(sharding: &event::Sharding) -> Option<ShardSpec> {
    let shape = |(height, width)| Shape2D { height, width };
    let orientation = match sharding.orientation {
        0 => ShardOrientation::RowMajor,
        1 => ShardOrientation::ColMajor,
        _ => return None,
    };
    (sharding.cores.len() as u64 <= limits::RANGES).then(|| ShardSpec {
        cores: sharding.cores.clone(),
        shape: shape(sharding.shape),
        orientation,
        page_shape: shape(sharding.page_shape),
        tensor2d_shape_in_pages: shape(sharding.tensor_shape_in_pages),
    })
}
