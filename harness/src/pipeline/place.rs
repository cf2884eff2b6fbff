//! Where a byte of a read buffer lies on the device, worked out from the capture.

use hallmark_chip::ChipDescription;
use hallmark_runtime::allocator::page_stride;
use hallmark_schema::model::{BufferType, Capture, Command, ObjectKind};

/// The buffer that a command read.
#[derive(Clone, Debug)]
pub(super) struct ReadPlace {
    /// Its name in the suite.
    pub(super) buffer: String,
    /// Bytes per page.
    pub(super) page_size: u64,
    buffer_type: BufferType,
    address: Option<u64>,
    chip: &'static ChipDescription,
    grid_columns: u32,
    grid_rows: u32,
}

impl ReadPlace {
    /// The buffer that command `index` of a capture read.
    pub(super) fn of(capture: &Capture, index: u32) -> Option<Self> {
        let commands = &capture.program.commands;
        let recorded = commands.get(usize::try_from(index).ok()?)?;
        let Command::EnqueueReadBuffer { buffer: wanted, .. } = recorded.command else {
            return None;
        };
        let (name, page_size, buffer_type) =
            commands.iter().find_map(|recorded| match &recorded.command {
                Command::CreateBuffer { buffer, name, page_size, buffer_type, .. }
                    if *buffer == wanted =>
                {
                    Some((name.clone(), *page_size, *buffer_type))
                }
                _ => None,
            })?;
        let address = capture
            .record
            .iter()
            .flat_map(|record| &record.addresses)
            .find(|assigned| assigned.object == ObjectKind::Buffer && assigned.id == wanted.0)
            .map(|assigned| assigned.address);
        Some(Self {
            buffer: name,
            page_size: page_size.max(1),
            buffer_type,
            address,
            chip: ChipDescription::of(capture.program.architecture)?,
            grid_columns: capture.program.grid.columns,
            grid_rows: capture.program.grid.rows,
        })
    }

    /// `page 3 of dst is DRAM bank 3, tile (0,5), 0x40000840–0x4000103f`.
    pub(super) fn page(&self, page: u64) -> Option<String> {
        let banks = match self.buffer_type {
            BufferType::Dram => u64::try_from(self.chip.dram_banks.len()).ok()?,
            BufferType::L1 => {
                u64::from(self.grid_columns).checked_mul(u64::from(self.grid_rows))?
            }
        };
        let bank = page.checked_rem(banks)?;
        let stride = page_stride(self.chip, self.buffer_type, self.page_size)?;
        let start = self.address?.checked_add(page.checked_div(banks)?.checked_mul(stride)?)?;
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
