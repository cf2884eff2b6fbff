//! Encodes the record part. A journal's writer uses the functions for single entries.

use flatbuffers::{ForwardsUOffset, Vector, WIPOffset};
use hallmark_chip::{Fault, FaultCategory, FaultPlace, PhysicalCoordinate, SourceFrame};

use super::Wire;
use super::device_requirements::encode_device_requirements;
use super::origin::encode_origin;
use super::outcome::{encode_failure, outcome_kind};
use super::table::{Builder, string, tables, vector};
use crate::generated::capture as fb;
use crate::model::{
    AssignedAddress, ChipRecord, CollectedBytes, ExpectedFault, FaultRecord, FirmwareRecord,
    KernelElf, Printed, QueuesEnd, ReadResult, Record, WaitRecord,
};

type Tables<'b, T> = Option<WIPOffset<Vector<'b, ForwardsUOffset<T>>>>;

pub(crate) fn encode_chip<'b>(
    builder: &mut Builder<'b>,
    chip: &ChipRecord,
) -> WIPOffset<fb::ChipRecord<'b>> {
    let args = fb::ChipRecordArgs {
        device: string(builder, &chip.device),
        pci_id: chip.pci_id,
        harvesting_mask: chip.harvesting_mask,
        grid: Some(&chip.grid.to_wire()),
    };
    fb::ChipRecord::create(builder, &args)
}

pub(crate) fn encode_firmware<'b>(
    builder: &mut Builder<'b>,
    firmware: &FirmwareRecord,
) -> WIPOffset<fb::FirmwareRecord<'b>> {
    let args = fb::FirmwareRecordArgs {
        name: string(builder, &firmware.name),
        hash: Some(&firmware.hash.to_wire()),
        launch_abi: firmware.launch_abi,
    };
    fb::FirmwareRecord::create(builder, &args)
}

pub(crate) fn encode_addresses<'b>(
    builder: &mut Builder<'b>,
    addresses: &[AssignedAddress],
) -> Tables<'b, fb::AssignedAddress<'b>> {
    tables(builder, addresses, |builder, assigned| {
        let args = fb::AssignedAddressArgs {
            object: assigned.object.to_wire(),
            id: assigned.id,
            address: assigned.address,
        };
        fb::AssignedAddress::create(builder, &args)
    })
}

pub(crate) fn encode_elfs<'b>(
    builder: &mut Builder<'b>,
    elfs: &[KernelElf],
) -> Tables<'b, fb::KernelElf<'b>> {
    tables(builder, elfs, |builder, elf| {
        let args = fb::KernelElfArgs {
            kernel: elf.kernel.0,
            processor: elf.processor,
            hash: Some(&elf.hash.to_wire()),
            lines: vector(builder, &elf.lines),
        };
        fb::KernelElf::create(builder, &args)
    })
}

fn tile(PhysicalCoordinate { x, y }: PhysicalCoordinate) -> fb::Tile {
    fb::Tile::new(x, y)
}

fn encode_frames<'b>(
    builder: &mut Builder<'b>,
    frames: &[SourceFrame],
) -> Tables<'b, fb::SourceFrame<'b>> {
    tables(builder, frames, |builder, frame| {
        let args = fb::SourceFrameArgs {
            function: string(builder, &frame.function),
            file: string(builder, &frame.file),
            line: frame.line,
        };
        fb::SourceFrame::create(builder, &args)
    })
}

fn encode_party<'b>(
    builder: &mut Builder<'b>,
    place: &FaultPlace,
) -> WIPOffset<fb::FaultParty<'b>> {
    let args = fb::FaultPartyArgs {
        tile: Some(&tile(place.tile)),
        processor: place.processor.map(u8::from),
        pc: place.pc,
        instruction: place.instruction,
        symbol: place.symbol.as_deref().map(|symbol| builder.create_string(symbol)),
        frames: encode_frames(builder, &place.frames),
    };
    fb::FaultParty::create(builder, &args)
}

pub(crate) fn encode_faults<'b>(
    builder: &mut Builder<'b>,
    faults: &[FaultRecord],
) -> Tables<'b, fb::FaultRecord<'b>> {
    tables(builder, faults, |builder, record| {
        let Fault { category, reason, place, against, memory: _ } = record.fault();
        let against = against.as_deref().map(|place| encode_party(builder, place));
        let place = place.as_ref();
        let tile = place.map(|place| tile(place.tile));
        let symbol = place.and_then(|place| place.symbol.as_deref());
        let args = fb::FaultRecordArgs {
            command: record.command().0,
            category: category.to_wire(),
            reason: string(builder, reason),
            tile: tile.as_ref(),
            processor: place.and_then(|place| place.processor).map(u8::from),
            pc: place.and_then(|place| place.pc),
            instruction: place.and_then(|place| place.instruction),
            symbol: symbol.map(|symbol| builder.create_string(symbol)),
            against,
            frames: place.and_then(|place| encode_frames(builder, &place.frames)),
        };
        fb::FaultRecord::create(builder, &args)
    })
}

pub(crate) fn encode_waits<'b>(
    builder: &mut Builder<'b>,
    waits: &[WaitRecord],
) -> Tables<'b, fb::WaitRecord<'b>> {
    tables(builder, waits, |builder, wait| {
        let args = fb::WaitRecordArgs {
            tile: Some(&tile(wait.tile)),
            processor: wait.processor.into(),
            pc: wait.pc,
            address: wait.address.0,
            value: wait.value,
            symbol: wait.symbol.as_deref().map(|symbol| builder.create_string(symbol)),
            frames: encode_frames(builder, &wait.frames),
        };
        fb::WaitRecord::create(builder, &args)
    })
}

pub(crate) fn encode_read_result<'b>(
    builder: &mut Builder<'b>,
    read: &ReadResult,
) -> WIPOffset<fb::ReadResult<'b>> {
    let args = fb::ReadResultArgs {
        command: read.command.0,
        buffer: read.buffer.0,
        length: read.length,
        hash: Some(&read.hash.to_wire()),
    };
    fb::ReadResult::create(builder, &args)
}

pub(crate) fn encode_collected<'b>(
    builder: &mut Builder<'b>,
    collected: &[CollectedBytes],
) -> Tables<'b, fb::CollectedBytes<'b>> {
    tables(builder, collected, |builder, bytes| {
        let hash = bytes.hash.to_wire();
        let args = fb::CollectedBytesArgs { command: bytes.command.0, hash: Some(&hash) };
        fb::CollectedBytes::create(builder, &args)
    })
}

fn encode_expected_faults<'b>(
    builder: &mut Builder<'b>,
    faults: &[ExpectedFault],
) -> Tables<'b, fb::ExpectedFault<'b>> {
    tables(builder, faults, |builder, fault| {
        fb::ExpectedFault::create(builder, &fb::ExpectedFaultArgs { command: fault.command.0 })
    })
}

pub(crate) fn encode_checks<'b>(
    builder: &mut Builder<'b>,
    checks: &[FaultCategory],
) -> Option<WIPOffset<Vector<'b, fb::FaultCategory>>> {
    let checks: Vec<fb::FaultCategory> = checks.iter().map(Wire::to_wire).collect();
    vector(builder, &checks)
}

fn encode_printed<'b>(
    builder: &mut Builder<'b>,
    printed: &[Printed],
) -> Tables<'b, fb::PrintedText<'b>> {
    tables(builder, printed, |builder, printed| {
        let args = fb::PrintedTextArgs {
            launch: printed.launch.map(|launch| launch.0),
            core: Some(&fb::LogicalCore::new(printed.core.x, printed.core.y)),
            processor: printed.processor.into(),
            text: string(builder, &printed.text),
            dropped: printed.dropped,
        };
        fb::PrintedText::create(builder, &args)
    })
}

fn encode_queues_end<'b>(
    builder: &mut Builder<'b>,
    end: &QueuesEnd,
) -> WIPOffset<fb::QueuesEnd<'b>> {
    let QueuesEnd { outcome, expected } = end;
    let args = fb::QueuesEndArgs {
        outcome: outcome_kind(outcome),
        failure: encode_failure(builder, outcome),
        expected: *expected,
    };
    fb::QueuesEnd::create(builder, &args)
}

/// The bytes of a record part.
pub(crate) fn encode_record(record: &Record) -> Vec<u8> {
    let mut builder = Builder::new();
    let args = fb::RecordArgs {
        writer: string(&mut builder, &record.writer),
        schema_hash: Some(&record.schema_hash.to_wire()),
        chip: Some(encode_chip(&mut builder, &record.chip)),
        firmware: Some(encode_firmware(&mut builder, &record.firmware)),
        dispatch_mode: record.dispatch_mode.to_wire(),
        addresses: encode_addresses(&mut builder, &record.addresses),
        elfs: encode_elfs(&mut builder, &record.elfs),
        faults: encode_faults(&mut builder, &record.faults),
        waits: encode_waits(&mut builder, &record.waits),
        reads: tables(&mut builder, &record.reads, encode_read_result),
        collected: encode_collected(&mut builder, &record.collected),
        expected_faults: encode_expected_faults(&mut builder, &record.expected_faults),
        l1_bank_order: record.l1_bank_order.to_wire(),
        origin: record.origin.as_ref().map(|origin| encode_origin(&mut builder, origin)),
        asked: encode_device_requirements(&mut builder, &record.asked),
        checks: encode_checks(&mut builder, &record.checks),
        printed: encode_printed(&mut builder, &record.printed),
        at_end: record.at_end.as_ref().map(|end| encode_queues_end(&mut builder, end)),
    };
    let root = fb::Record::create(&mut builder, &args);
    builder.finish(root, None);
    builder.finished_data().to_vec()
}
