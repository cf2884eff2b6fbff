//! Where a byte of a read buffer lies on the device, worked out from the capture.

use hallmark_chip::ChipDescription;
use hallmark_runtime::allocator::page_stride;
use hallmark_runtime::page_mapping::{PageLocation, PageMapping, shard_grid};
use hallmark_schema::commands;
use hallmark_schema::model::{BufferId, BufferType, Capture, Command, ObjectKind};

/// The pages that a command read.
#[derive(Clone, Debug)]
pub(super) struct ReadPlace {
    /// The name of the buffer, or view, in the suite.
    pub(super) buffer: String,
    /// Bytes per page.
    pub(super) page_size: u64,
    buffer_type: BufferType,
    address: Option<u64>,
    mapping: PageMapping,
    /// The first page that was read, counted in the whole buffer.
    first_page: u64,
    chip: &'static ChipDescription,
    grid_columns: u32,
}

impl ReadPlace {
    /// What command `index` of a capture read.
    pub(super) fn of(capture: &Capture, index: u32) -> Option<Self> {
        let commands = &capture.program.commands;
        let recorded = commands.get(usize::try_from(index).ok()?)?;
        let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            buffer: read, region, ..
        }) = recorded.command
        else {
            return None;
        };
        Self::of_buffer(capture, read, region.map_or(0, |region| region.offset))
    }

    /// The pages of a buffer, or view, from an offset on.
    pub(super) fn of_buffer(capture: &Capture, wanted: BufferId, mut offset: u64) -> Option<Self> {
        let commands = &capture.program.commands;
        let mut name = None;
        let mut wanted = wanted;
        // A view names its parent, which comes before it: the search ends.
        for recorded in commands.iter().rev() {
            match &recorded.command {
                Command::CreateBufferView(commands::CreateBufferView {
                    buffer,
                    name: of,
                    parent,
                    region,
                }) if *buffer == wanted => {
                    name = name.or(Some(of));
                    wanted = *parent;
                    offset = offset.checked_add(region.offset)?;
                }
                Command::CreateBuffer(commands::CreateBuffer {
                    buffer,
                    name: of,
                    size,
                    page_size,
                    buffer_type,
                    layout,
                    shard_spec,
                    ..
                }) if *buffer == wanted => {
                    let chip = capture.chip();
                    let grid = shard_grid(chip, *buffer_type, capture.program.grid);
                    let pages = size.checked_div(*page_size)?;
                    let spec = shard_spec.as_ref();
                    let addresses = capture.record.iter().flat_map(|record| &record.addresses);
                    let mut addresses = addresses.filter(|assigned| {
                        assigned.object == ObjectKind::Buffer && assigned.id == wanted.0
                    });
                    return Some(Self {
                        buffer: name.unwrap_or(of).clone(),
                        page_size: *page_size,
                        buffer_type: *buffer_type,
                        address: addresses.next().map(|assigned| assigned.address),
                        mapping: PageMapping::new(*layout, spec, pages, grid).ok()?,
                        first_page: offset.checked_div(*page_size)?,
                        chip,
                        grid_columns: capture.program.grid.columns,
                    });
                }
                _ => {}
            }
        }
        None
    }

    /// `page 3 of dst is DRAM bank 3, tile (0,5), 0x40000840–0x4000103f`.
    pub(super) fn page(&self, page: u64) -> Option<String> {
        let PageLocation { bank, slot } =
            self.mapping.locate(self.first_page.checked_add(page)?)?;
        let stride = page_stride(self.chip, self.buffer_type, self.page_size)?;
        let start = self.address?.checked_add(slot.checked_mul(stride)?)?;
        let (tile, start) = match self.buffer_type {
            BufferType::Dram => {
                let bank = self.chip.dram_banks.get(usize::try_from(bank).ok()?)?;
                (format!("tile {}", bank.tile), start.checked_add(bank.offset)?)
            }
            BufferType::L1 => {
                let columns = u64::from(self.grid_columns);
                let x = u32::try_from(bank.checked_rem(columns)?).ok()?;
                let y = u32::try_from(bank.checked_div(columns)?).ok()?;
                let core = hallmark_chip::LogicalCore { x, y };
                (format!("tile {}, logical {core}", self.chip.physical(core)?), start)
            }
        };
        let end = start.checked_add(self.page_size)?.checked_sub(1)?;
        Some(format!(
            "page {page} of {} is {} bank {bank}, {tile}, {start:#x}–{end:#x}",
            self.buffer, self.buffer_type
        ))
    }
}
