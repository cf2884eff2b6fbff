//! The settings with which a device was opened, and the facts of its chip and firmware: nothing here ever changes.

use std::sync::Arc;

use hallmark_chip::{ChipDescription, L1BankOrder, LogicalCore, NocCoordinate};
use hallmark_device_code::FirmwareBundle;
use hallmark_engine::addresses::page_mapping::PageLocation;
use hallmark_engine::addresses::{Banks, BufferExtent};
use hallmark_engine::launch::ProgramLaunch;
use hallmark_engine::start_of_markers;
use hallmark_schema::limits;
use hallmark_schema::model::{BufferType, DeviceRequirements, DispatchMode, Failure, Grid};

use super::allocator::bank_alignment;
use super::options::{DeviceOptions, GridAsked, OpenError, TICK_BUDGET};
use super::trace_states::RegionPages;
use super::types::ByteLocation;

/// The first address of a DRAM bank that buffers may use: upstream keeps a barrier word at 0, padded
/// to the largest alignment of any chip.
pub(super) const DRAM_BASE: u64 = 64;

/// An open device as it was opened.
#[derive(Debug)]
pub(super) struct Opened {
    name: String,
    description: &'static ChipDescription,
    /// The cores that host programs may use.
    grid: Grid,
    asked: GridAsked,
    pci_id: u32,
    firmware: Arc<FirmwareBundle>,
    /// Whether the host or dispatchers launch programs: a record says it, and no rule depends on it.
    dispatch: DispatchMode,
    /// Requirements of the device beyond the calls: a record says them.
    requirements: DeviceRequirements,
    num_command_queues: u8,
    trace_region_size: u64,
    l1_small_size: u64,
    worker_l1_size: u64,
    /// The start of the markers in each DRAM bank, if firmware writes markers.
    markers_start: Option<u64>,
    l1: L1Regions,
    banks: Arc<Banks>,
    l1_bank_order: L1BankOrder,
}

impl Opened {
    /// Checks the options with which a device is opened.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub(super) fn new(
        name: String,
        pci_id: u32,
        description: &'static ChipDescription,
        options: &DeviceOptions,
    ) -> Result<Self, OpenError> {
        check_firmware(&name, description, options)?;
        let grid = grid_of(&name, description, options.grid)?;
        check_queues(options)?;
        check_trace_region(description, options)?;
        let l1_bank_order = options.l1_bank_order.unwrap_or(description.l1_bank_order);
        let banks = Banks::new(description, grid, l1_bank_order)?;
        let l1 = L1Regions::of(description, options)?;
        let firmware = &options.firmware;
        let region = options.trace_region_size;
        Ok(Self {
            name,
            description,
            grid,
            asked: options.grid,
            pci_id,
            dispatch: options.dispatch,
            requirements: DeviceRequirements {
                budget: (options.tick_budget != TICK_BUDGET).then_some(options.tick_budget),
                dispatch: options.dispatch_settings,
            },
            markers_start: start_of_markers(firmware, &banks, description, region),
            firmware: Arc::clone(firmware),
            num_command_queues: options.num_command_queues,
            trace_region_size: region,
            l1_small_size: options.l1_small_size,
            worker_l1_size: options.worker_l1_size,
            l1,
            banks: Arc::new(banks),
            l1_bank_order,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn description(&self) -> &'static ChipDescription {
        self.description
    }

    /// The cores that host programs may use.
    pub(super) const fn grid(&self) -> Grid {
        self.grid
    }

    pub(super) const fn grid_asked(&self) -> GridAsked {
        self.asked
    }

    pub(super) const fn pci_id(&self) -> u32 {
        self.pci_id
    }

    pub(super) const fn firmware(&self) -> &Arc<FirmwareBundle> {
        &self.firmware
    }

    pub(super) const fn dispatch(&self) -> DispatchMode {
        self.dispatch
    }

    pub(super) const fn requirements(&self) -> DeviceRequirements {
        self.requirements
    }

    pub(super) const fn num_command_queues(&self) -> u8 {
        self.num_command_queues
    }

    pub(super) const fn trace_region_size(&self) -> u64 {
        self.trace_region_size
    }

    pub(super) const fn l1_small_size(&self) -> u64 {
        self.l1_small_size
    }

    pub(super) const fn worker_l1_size(&self) -> u64 {
        self.worker_l1_size
    }

    /// The start of a profile's markers in each DRAM bank, if firmware writes markers.
    pub(super) const fn markers_start(&self) -> Option<u64> {
        self.markers_start
    }

    /// The regions of each L1.
    pub(super) const fn l1(&self) -> L1Regions {
        self.l1
    }

    pub(super) const fn banks(&self) -> &Arc<Banks> {
        &self.banks
    }

    pub(super) const fn l1_bank_order(&self) -> L1BankOrder {
        self.l1_bank_order
    }

    /// The place of a byte of a buffer; `None` behind the buffer's end.
    pub(super) fn location(&self, extent: &BufferExtent, byte: u64) -> Option<ByteLocation> {
        if byte >= extent.size() {
            return None;
        }
        let page = byte / extent.page_size.max(1);
        let PageLocation { bank, slot } = extent.mapping.locate(extent.pages.start + page)?;
        let in_bank = extent.placement.address
            + slot * extent.placement.page_stride
            + byte % extent.page_size.max(1);
        let place = self.banks.of(extent.buffer_type).get(usize::try_from(bank).ok()?)?;
        let address = place.offset.saturating_add(in_bank);
        Some(ByteLocation { page, bank, tile: place.physical, address })
    }

    /// The coordinate by which NoC requests name a core of the grid.
    pub(super) fn noc_coordinate(&self, core: LogicalCore) -> Result<NocCoordinate, Failure> {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let inside = core.x < columns && core.y < rows;
        inside
            .then(|| self.description.noc_coordinate(core))
            .flatten()
            .ok_or(Failure::CoreOutsideGrid { core, columns, rows })
    }

    /// Refuses an index of a circular buffer that the chip does not have.
    pub(super) const fn check_index(&self, index: u32) -> Result<(), Failure> {
        let limit = self.description.circular_buffers;
        if index >= limit {
            return Err(Failure::CircularBufferIndexTooLarge { index, limit });
        }
        Ok(())
    }

    /// A circular buffer holds whole pages, and the size of a page is a multiple of L1's alignment: compute
    /// threads count in units of the alignment.
    pub(super) fn check_page_size(
        &self,
        index: u32,
        size: u64,
        page_size: u32,
    ) -> Result<(), Failure> {
        let aligned = page_size.is_multiple_of(self.description.l1_alignment);
        let page_size = u64::from(page_size);
        if page_size == 0 || !aligned || size == 0 || !size.is_multiple_of(page_size) {
            return Err(Failure::CircularBufferSizeNotPageMultiple { index, size, page_size });
        }
        Ok(())
    }

    /// Refuses a launch that does not fit into the region that firmware leaves to launches.
    pub(super) fn check_kernel_config(
        &self,
        launch: &ProgramLaunch,
    ) -> Result<(), (Failure, String)> {
        let region = self.firmware.memory().kernel_config;
        let limit = region.size();
        for tile in &launch.tiles {
            let needed = tile.needed(self.firmware.limits().semaphores);
            if needed > u64::from(limit) {
                let (program, core) = (launch.program, tile.core);
                let failure = Failure::KernelConfigTooLarge { program, core };
                let text: Vec<String> = tile
                    .images()
                    .map(|(_, processor, image)| format!("{processor} {} B", image.size()))
                    .collect();
                let text = text.join(", ");
                let detail = format!("{needed} B of {limit} B, of which kernels: {text}");
                return Err((failure, detail));
            }
        }
        Ok(())
    }

    /// The address of a semaphore in L1: the same for all programs, at the start of the region that
    /// firmware leaves to launches.
    pub(super) fn semaphore_l1_address(&self, number: u32) -> u32 {
        let stride = crate::device_code::SEMAPHORE_STRIDE;
        self.firmware.memory().kernel_config.start.wrapping_add(number.wrapping_mul(stride))
    }

    /// The pages by which the trace region is given out.
    pub(super) fn region_pages(&self) -> RegionPages {
        RegionPages {
            banks: self.banks.dram.len() as u64,
            alignment: bank_alignment(self.description, BufferType::Dram),
        }
    }
}

fn check_firmware(
    name: &str,
    description: &ChipDescription,
    options: &DeviceOptions,
) -> Result<(), OpenError> {
    let architecture = description.architecture;
    let manifest = options.firmware.manifest();
    if manifest.architecture != architecture.name() {
        OpenError::FirmwareArchitecture {
            device: name.to_owned(),
            firmware: manifest.name.clone(),
            found: manifest.architecture.clone(),
            expected: architecture,
        }
        .refuse()?;
    }
    if options.dispatch == DispatchMode::Device && options.firmware.dispatcher().is_none() {
        OpenError::NoDispatcher { firmware: manifest.name.clone() }.refuse()?;
    }
    Ok(())
}

/// The cores that host programs may use.
fn grid_of(name: &str, description: &ChipDescription, asked: GridAsked) -> Result<Grid, OpenError> {
    let (columns, rows) = description.compute_grid();
    let available = Grid { columns, rows };
    let grid = match asked {
        GridAsked::All => available,
        GridAsked::Cores(asked) => asked,
    };
    if grid.columns > columns || grid.rows > rows || grid.columns == 0 || grid.rows == 0 {
        let device = name.to_owned();
        OpenError::GridTooLarge { device, asked: grid, available }.refuse()?;
    }
    Ok(grid)
}

fn check_queues(options: &DeviceOptions) -> Result<(), OpenError> {
    let asked = options.num_command_queues;
    if !(1..=limits::COMMAND_QUEUES).contains(&asked) {
        OpenError::CommandQueues { asked }.refuse()?;
    }
    Ok(())
}

fn check_trace_region(
    description: &ChipDescription,
    options: &DeviceOptions,
) -> Result<(), OpenError> {
    let available = description.dram_bank_size.saturating_sub(DRAM_BASE);
    let available = available.min(limits::TRACE_REGION_BYTES);
    let asked = options.trace_region_size;
    if asked > available {
        OpenError::TraceRegion { asked, available }.refuse()?;
    }
    Ok(())
}

/// The regions of L1: circular buffers and buffers from `base` on, buffers of the type L1_SMALL from `small` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct L1Regions {
    pub(super) base: u64,
    pub(super) small: u64,
}

impl L1Regions {
    fn of(description: &ChipDescription, options: &DeviceOptions) -> Result<Self, OpenError> {
        let unreserved = u64::from(options.firmware.memory().unreserved_base);
        let block = bank_alignment(description, BufferType::Dram);
        let available = description.l1_size.saturating_sub(unreserved);
        let asked = options.worker_l1_size;
        if asked > available {
            OpenError::WorkerL1 { asked, available }.refuse()?;
        }
        let base = match asked {
            0 => unreserved,
            asked => {
                let base = description.l1_size.saturating_sub(asked).max(unreserved);
                base.checked_next_multiple_of(block).unwrap_or(base)
            }
        };
        let asked = options.l1_small_size;
        let available = description.l1_size.saturating_sub(base);
        if asked > available {
            OpenError::L1Small { asked, available }.refuse()?;
        }
        Ok(Self { base, small: description.l1_size.saturating_sub(asked).max(base) })
    }
}
