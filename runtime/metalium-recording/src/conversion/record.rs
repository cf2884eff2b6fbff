//! The record of a converted capture: the circumstances of the recording, and its missing parts.

use hallmark_chip::{ChipDescription, HarvestingMask, L1BankOrder};
use hallmark_device_code::LAUNCH_ABI;
use hallmark_schema::class::schema_hash;
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferLayout, Capture, ChipRecord, Command, ContentHash, DeviceRequirements, DispatchMode,
    ExecutorRecord, FirmwareRecord, Origin, ProgramPart, Record, RelocationCheck,
};

use super::relocations::WordLocation;
use super::second::Difference;
use super::{Conversion, ConversionError, Converter, grid};

/// Shortens a text to the limit of a record.
fn text(text: &str) -> String {
    let end = text.floor_char_boundary(limits::TEXT_BYTES);
    text.get(..end).unwrap_or_default().to_owned()
}

/// The fused-off rows or columns of a chip. A tile is fused off only together with its whole row or column.
fn harvesting(chip: &ChipDescription, tiles: &[(u32, u32)]) -> HarvestingMask {
    let places = if chip.harvests_rows { chip.tensix_rows } else { chip.tensix_columns };
    let is_off = |place: u32| {
        tiles.iter().any(|(x, y)| if chip.harvests_rows { *y == place } else { *x == place })
    };
    let bits = (0..).zip(places).filter(|(_, place)| is_off(u32::from(**place)));
    HarvestingMask(bits.fold(0, |mask, (bit, _)| mask | 1_u32.unbounded_shl(bit)))
}

impl Converter<'_> {
    /// Finishes the capture and its notes.
    pub(super) fn finish(mut self) -> Result<Conversion, ConversionError> {
        if let Some(missing) = self.cuts.missing() {
            self.lacks(missing);
        }
        let never = self.selection.map(|selection| selection.never_came(self.entries));
        for missing in never.unwrap_or_default() {
            self.lacks(missing);
        }
        let chip = ChipDescription::of(self.architecture);
        let grid = grid(self.opened);
        let sources = self.sources.list(&mut self.blobs);
        let commands = self.calls.into_commands();
        let is_interleaved_over_l1 = commands.iter().any(|recorded| {
            let Command::CreateBuffer(call) = &recorded.command else { return false };
            call.buffer_type.is_l1() && call.layout == BufferLayout::Interleaved
        });
        let holds_addresses =
            |difference: &Difference| matches!(difference, Difference::AddressesInData { .. });
        let placement_bound =
            !self.placement_bound.is_empty() || self.differences.iter().any(holds_addresses);
        let program = ProgramPart {
            placement_bound,
            sources,
            num_command_queues: self.opened.num_command_queues,
            trace_region_size: self.opened.trace_region_size,
            l1_small_size: self.opened.l1_small_size,
            worker_l1_size: self.opened.worker_l1_size,
            ..ProgramPart::new(self.architecture, grid, commands)
        };
        let origin = Origin {
            executor: ExecutorRecord {
                name: "TT-Metalium".to_owned(),
                release: self.options.release.to_owned(),
                build_id: self.options.build_id.to_owned(),
                kernel_compiler: self.options.kernel_compiler.to_owned(),
            },
            missing: self.missing.iter().map(|missing| text(&missing.to_string())).collect(),
            relocations: if self.second.is_some() {
                RelocationCheck::Checked
            } else {
                RelocationCheck::Unchecked
            },
            placement_bound_words: self.placement_bound.iter().map(WordLocation::word).collect(),
            generated_bindings: self.changes.bindings,
            dataflow_buffers: self.changes.dataflow_buffers,
        };
        self.addresses.sort_by_key(|assigned| (assigned.object, assigned.id));
        self.reads.sort_by_key(|read| read.command);
        let record = Record {
            writer: concat!("hallmark ", env!("CARGO_PKG_VERSION")).to_owned(),
            schema_hash: schema_hash(),
            chip: ChipRecord {
                device: if self.is_simulated {
                    "ttsim".to_owned()
                } else {
                    format!("pci:{}", self.opened.chip)
                },
                pci_id: chip.pci_id,
                harvesting_mask: harvesting(chip, &self.opened.harvested).0,
                grid,
            },
            firmware: FirmwareRecord {
                name: format!("TT-Metalium {}", self.options.release),
                hash: ContentHash::of(self.options.build_id.as_bytes()),
                launch_abi: LAUNCH_ABI,
            },
            dispatch_mode: if self.is_slow_dispatch {
                DispatchMode::Host
            } else {
                DispatchMode::Device
            },
            addresses: self.addresses,
            elfs: Vec::new(),
            faults: Vec::new(),
            waits: Vec::new(),
            reads: self.reads,
            collected: Vec::new(),
            expected_faults: Vec::new(),
            asked: DeviceRequirements::default(),
            at_end: None,
            printed: Vec::new(),
            checks: Vec::new(),
            l1_bank_order: if is_interleaved_over_l1 {
                chip.l1_bank_order
            } else {
                L1BankOrder::RowByRow
            },
            origin: Some(origin),
        };
        let mut capture =
            Capture { program, record: Some(record), outputs: Vec::new(), blobs: self.blobs };
        capture.outputs = capture.outputs_of_reads();
        capture.validate()?;
        Ok(Conversion {
            capture,
            missing: self.missing,
            relocations: self.statistics,
            placement_bound: self.placement_bound,
            differences: self.differences,
        })
    }
}
