//! Decodes the record part from verified bytes. A journal's reader uses the functions for single entries.

use flatbuffers::{ForwardsUOffset, Vector};
use hallmark_chip::{
    Fault, FaultCategory, FaultPlace, L1BankOrder, LogicalCore, PhysicalCoordinate, Processor,
    SourceFrame, TileAddress, UnknownProcessor,
};

use super::Wire;
use super::device_requirements::decode_device_requirements;
use super::origin::decode_origin as origin;
use super::outcome::outcome;
use super::read::{check_fields, hash, list, required, root, text};
use crate::error::{CaptureError, Part, Path, Problem, Rule};
use crate::generated::capture as fb;
use crate::limits;
use crate::model::{
    AssignedAddress, BufferId, ChipRecord, CollectedBytes, CommandIndex, DispatchMode,
    ExpectedFault, FaultRecord, FirmwareRecord, Grid, KernelElf, KernelId, LineTableBytes,
    ObjectKind, PlaceWithoutTile, Printed, QueuesEnd, ReadResult, Record, WaitRecord, fault_place,
};

type Result<T> = std::result::Result<T, CaptureError>;
type Tables<'b, T> = Option<Vector<'b, ForwardsUOffset<T>>>;

pub(crate) fn chip(chip: Option<fb::ChipRecord<'_>>, path: &Path<'_>) -> Result<ChipRecord> {
    let chip = required(chip, path)?;
    check_fields(&chip, path)?;
    Ok(ChipRecord {
        device: text(chip.device()),
        pci_id: chip.pci_id(),
        harvesting_mask: chip.harvesting_mask(),
        grid: Grid::from_wire(*required(chip.grid(), &path.field("grid"))?, path)?,
    })
}

pub(crate) fn firmware(
    firmware: Option<fb::FirmwareRecord<'_>>,
    path: &Path<'_>,
) -> Result<FirmwareRecord> {
    let firmware = required(firmware, path)?;
    check_fields(&firmware, path)?;
    Ok(FirmwareRecord {
        name: text(firmware.name()),
        hash: hash(firmware.hash(), &path.field("hash"))?,
        launch_abi: firmware.launch_abi(),
    })
}

pub(crate) fn addresses(
    vector: Tables<'_, fb::AssignedAddress<'_>>,
    path: &Path<'_>,
) -> Result<Vec<AssignedAddress>> {
    list(vector, path, |assigned, path| {
        check_fields(&assigned, path)?;
        Ok(AssignedAddress {
            object: ObjectKind::from_wire(assigned.object(), &path.field("object"))?,
            id: assigned.id(),
            address: assigned.address(),
        })
    })
}

pub(crate) fn elfs(
    vector: Tables<'_, fb::KernelElf<'_>>,
    path: &Path<'_>,
) -> Result<Vec<KernelElf>> {
    list(vector, path, |elf, path| {
        check_fields(&elf, path)?;
        Ok(KernelElf {
            kernel: KernelId(elf.kernel()),
            processor: elf.processor(),
            hash: hash(elf.hash(), &path.field("hash"))?,
            lines: LineTableBytes::from(elf.lines().map(|lines| lines.bytes()).unwrap_or_default()),
        })
    })
}

fn frames(vector: Tables<'_, fb::SourceFrame<'_>>, path: &Path<'_>) -> Result<Vec<SourceFrame>> {
    list(vector, &path.field("frames"), |frame, path| {
        check_fields(&frame, path)?;
        Ok(SourceFrame {
            function: text(frame.function()),
            file: text(frame.file()),
            line: frame.line(),
        })
    })
}

fn tile(tile: &fb::Tile) -> PhysicalCoordinate {
    PhysicalCoordinate { x: tile.x(), y: tile.y() }
}

fn processor(index: u8, path: &Path<'_>) -> Result<Processor> {
    let unknown =
        |UnknownProcessor { index }| path.field("processor").error(Rule::Processor { index });
    Processor::try_from(index).map_err(unknown)
}

fn party(place: &fb::FaultParty<'_>, path: &Path<'_>) -> Result<FaultPlace> {
    check_fields(place, path)?;
    Ok(FaultPlace {
        processor: place.processor().map(|index| processor(index, path)).transpose()?,
        pc: place.pc(),
        instruction: place.instruction(),
        symbol: place.symbol().map(str::to_owned),
        frames: frames(place.frames(), path)?,
        ..FaultPlace::of_tile(tile(required(place.tile(), &path.field("tile"))?))
    })
}

pub(crate) fn faults(
    vector: Tables<'_, fb::FaultRecord<'_>>,
    path: &Path<'_>,
) -> Result<Vec<FaultRecord>> {
    list(vector, path, |fault, path| {
        check_fields(&fault, path)?;
        let processor = fault.processor().map(|index| processor(index, path)).transpose()?;
        let place = fault_place(
            fault.tile().map(tile),
            processor,
            fault.pc(),
            fault.instruction(),
            fault.symbol().map(str::to_owned),
            frames(fault.frames(), path)?,
        )
        .map_err(|PlaceWithoutTile| path.field("tile").error(Problem::Missing))?;
        let known = Fault {
            category: FaultCategory::from_wire(fault.category(), &path.field("category"))?,
            reason: text(fault.reason()),
            place: place.map(Box::new),
            against: fault
                .against()
                .map(|place| party(&place, &path.field("against")).map(Box::new))
                .transpose()?,
            memory: None,
        };
        Ok(FaultRecord::new(CommandIndex(fault.command()), known))
    })
}

pub(crate) fn waits(
    vector: Tables<'_, fb::WaitRecord<'_>>,
    path: &Path<'_>,
) -> Result<Vec<WaitRecord>> {
    list(vector, path, |wait, path| {
        check_fields(&wait, path)?;
        Ok(WaitRecord {
            tile: tile(required(wait.tile(), &path.field("tile"))?),
            processor: processor(wait.processor(), path)?,
            pc: wait.pc(),
            address: TileAddress(wait.address()),
            value: wait.value(),
            symbol: wait.symbol().map(str::to_owned),
            frames: frames(wait.frames(), path)?,
        })
    })
}

pub(crate) fn read_result(read: fb::ReadResult<'_>, path: &Path<'_>) -> Result<ReadResult> {
    check_fields(&read, path)?;
    Ok(ReadResult {
        command: CommandIndex(read.command()),
        buffer: BufferId(read.buffer()),
        length: read.length(),
        hash: hash(read.hash(), &path.field("hash"))?,
    })
}

pub(crate) fn collected(
    vector: Tables<'_, fb::CollectedBytes<'_>>,
    path: &Path<'_>,
) -> Result<Vec<CollectedBytes>> {
    list(vector, path, |bytes, path| {
        check_fields(&bytes, path)?;
        Ok(CollectedBytes {
            command: CommandIndex(bytes.command()),
            hash: hash(bytes.hash(), &path.field("hash"))?,
        })
    })
}

fn expected_faults(
    vector: Tables<'_, fb::ExpectedFault<'_>>,
    path: &Path<'_>,
) -> Result<Vec<ExpectedFault>> {
    list(vector, path, |fault, path| {
        check_fields(&fault, path)?;
        Ok(ExpectedFault { command: CommandIndex(fault.command()) })
    })
}

pub(crate) fn checks(
    vector: Option<Vector<'_, fb::FaultCategory>>,
    path: &Path<'_>,
) -> Result<Vec<FaultCategory>> {
    let checks = vector.into_iter().flatten().enumerate();
    checks.map(|(index, check)| FaultCategory::from_wire(check, &path.index(index))).collect()
}

fn printed(vector: Tables<'_, fb::PrintedText<'_>>, path: &Path<'_>) -> Result<Vec<Printed>> {
    list(vector, path, |printed, path| {
        check_fields(&printed, path)?;
        let core = required(printed.core(), &path.field("core"))?;
        Ok(Printed {
            launch: printed.launch().map(CommandIndex),
            core: LogicalCore { x: core.x(), y: core.y() },
            processor: processor(printed.processor(), path)?,
            text: text(printed.text()),
            dropped: printed.dropped(),
        })
    })
}

fn queues_end(form: &fb::QueuesEnd<'_>, path: &Path<'_>) -> Result<QueuesEnd> {
    check_fields(form, path)?;
    let outcome = outcome(form.outcome(), form.failure(), path)?;
    Ok(QueuesEnd { outcome, expected: form.expected() })
}

/// Verifies and reads a record part, without checking its rules.
pub(crate) fn record(bytes: &[u8]) -> Result<Record> {
    let path = Path::root(Part::Record);
    path.at_most("bytes of the record part", bytes.len() as u64, limits::RECORD_BYTES)?;
    let form = root::<fb::Record<'_>>(Part::Record, bytes)?;
    check_fields(&form, &path)?;
    Ok(Record {
        writer: text(form.writer()),
        schema_hash: hash(form.schema_hash(), &path.field("schema_hash"))?,
        chip: chip(form.chip(), &path.field("chip"))?,
        firmware: firmware(form.firmware(), &path.field("firmware"))?,
        dispatch_mode: DispatchMode::from_wire(form.dispatch_mode(), &path.field("dispatch_mode"))?,
        addresses: addresses(form.addresses(), &path.field("addresses"))?,
        elfs: elfs(form.elfs(), &path.field("elfs"))?,
        faults: faults(form.faults(), &path.field("faults"))?,
        waits: waits(form.waits(), &path.field("waits"))?,
        reads: list(form.reads(), &path.field("reads"), read_result)?,
        collected: collected(form.collected(), &path.field("collected"))?,
        expected_faults: expected_faults(form.expected_faults(), &path.field("expected_faults"))?,
        l1_bank_order: L1BankOrder::from_wire(form.l1_bank_order(), &path.field("l1_bank_order"))?,
        origin: form.origin().map(|form| origin(form, &path.field("origin"))).transpose()?,
        asked: decode_device_requirements(form.asked(), &path.field("asked"))?,
        checks: checks(form.checks(), &path.field("checks"))?,
        printed: printed(form.printed(), &path.field("printed"))?,
        at_end: form.at_end().map(|form| queues_end(&form, &path.field("at_end"))).transpose()?,
    })
}
