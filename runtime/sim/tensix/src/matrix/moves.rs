//! Moves of rows between `SrcA`, `SrcB` and `Dst` (`MOVA2D.md`, `MOVB2D.md`, `MOVD2A.md`, `MOVD2B.md`, `TRNSPSRCB.md`).

use hallmark_chip::FaultCategory;

use super::Executed;
use super::number;
use super::settings::{Call, End};
use crate::Refusal;
use crate::formats::{
    Format, bfloat16_from_destination, bfloat16_to_destination, float16_from_destination,
    widened_float16, word_from_destination, word_to_destination,
};
use crate::registers::{Destination, Row, Source};

/// The fields that moves share.
struct Operands {
    destination: u32,
    source: u32,
    address_mode: u32,
    low_half: bool,
}

fn operands(call: &mut Call<'_>) -> Operands {
    Operands {
        destination: call.fields.take(0, 10),
        source: call.fields.take(17, 6),
        address_mode: call.fields.field(call.settings.chip.address_mode),
        low_half: call.fields.flag(23),
    }
}

fn refuse_mode(call: &Call<'_>, mode: u32, supported: &[u32]) -> Result<(), Refusal> {
    if supported.contains(&mode) {
        Ok(())
    } else {
        Err(call.unsupported(format!("its mode {mode} is not supported")))
    }
}

/// Of misaligned rows that moves to `Dst` do not have yet.
fn unimplemented(refusal: Refusal) -> Refusal {
    Refusal { category: FaultCategory::UnimplementedFunctionality, ..refusal }
}

/// How a move writes `Dst`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Write {
    Tf32,
    Bfloat16,
    LowHalf,
    Float16,
}

fn choose_write(
    call: &Call<'_>,
    format: Format,
    low_half: bool,
    known: &[Format],
) -> Result<Write, Refusal> {
    let reason = |text: &str| format!("{format} in SrcA with {text} (MOVA2D.md)");
    match (format, low_half) {
        (format, _) if !known.contains(&format) => {
            Err(call.unimplemented(reason("this move is not implemented")))
        }
        (format, true) if format.has_short_exponent() => {
            Err(call.unsupported(reason("the low half of Dst is not supported")))
        }
        (format, false) if format.has_short_exponent() => Ok(Write::Float16),
        (Format::TF32, true) => Err(call.undefined(reason("the low half of Dst is undefined"))),
        (Format::TF32, false) => Ok(Write::Tf32),
        (_, true) => Ok(Write::LowHalf),
        (_, false) => Ok(Write::Bfloat16),
    }
}

impl Write {
    fn write(self, destination: &mut Destination, row: u32, data: Row<u32>) {
        let bfloat16 = |datum: u32| bfloat16_to_destination((datum >> 16) as u16);
        match self {
            Self::Tf32 => destination.write_32(row, data.map(word_to_destination)),
            Self::Bfloat16 => destination.write_16(row, data.map(bfloat16)),
            Self::LowHalf => destination.write_low_half(row, data.map(bfloat16)),
            Self::Float16 => destination.write_16(row, data.map(number::float16_stored)),
        }
    }
}

/// Data without denormals, unless the configuration keeps them.
fn flushed(call: &Call<'_>, row: &Row<u32>) -> Row<u32> {
    let keeps = call.settings.keeps_denormals;
    row.map(|datum| if !keeps && number::is_zero(datum) { 0 } else { datum })
}

/// The formats that `MOVB2D` moves.
const FROM_SOURCE_B: &[Format] = &[
    Format::FLOAT32,
    Format::TF32,
    Format::FLOAT16B,
    Format::BFP8,
    Format::BFP4,
    Format::INT32,
    Format::INT16,
    Format::FLOAT16,
    Format::BFP8A,
    Format::BFP4A,
    Format::BFP2A,
];

/// The formats that `MOVA2D` moves.
const FROM_SOURCE_A: &[Format] = &[
    Format::FLOAT32,
    Format::TF32,
    Format::FLOAT16B,
    Format::BFP8,
    Format::BFP4,
    Format::BFP2,
    Format::INT32,
    Format::INT16,
    Format::FLOAT16,
    Format::FLOAT8,
    Format::BFP8A,
    Format::BFP4A,
    Format::BFP2A,
];

/// The formats that `MOVD2A` moves.
const TO_SOURCE_A: &[Format] = &[
    Format::FLOAT32,
    Format::FLOAT16,
    Format::TF32,
    Format::FLOAT16B,
    Format::BFP8,
    Format::BFP4,
    Format::BFP8A,
    Format::BFP4A,
    Format::BFP2A,
];

/// The formats that `MOVD2B` moves.
const TO_SOURCE_B: &[Format] = &[
    Format::FLOAT32,
    Format::FLOAT16,
    Format::TF32,
    Format::FLOAT16B,
    Format::BFP8,
    Format::BFP4,
    Format::INT32,
    Format::BFP8A,
    Format::BFP4A,
    Format::BFP2A,
];

/// `MOVA2D`: 8 rows.
pub(super) fn mova2d(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let Operands { destination, source, address_mode, low_half } = operands(call);
    let mode = call.fields.take(12, 2);
    call.fields.end()?;
    refuse_mode(call, mode, &[2])?;
    call.refuse_misaligned(destination, 8)?;
    call.refuse_misaligned(source, 8)?;
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    let format = call.format_a();
    let first = call.row_a(source, 8).map_err(unimplemented)?;
    let row = call.destination_row(destination, 8, End::Wraps)?;
    let write = choose_write(call, format, low_half, FROM_SOURCE_A)?;
    for index in 0..8 {
        let bank = call.registers.source_a.matrix_bank();
        let data = flushed(call, call.registers.source_a.row(bank, first + index));
        write.write(&mut call.registers.destination, row + index, data);
    }
    call.advance(address_mode)?;
    Ok(Executed::Done)
}

/// `MOVB2D`: 4 rows, or one row 8 times; of the row, all columns or column 0 alone.
pub(super) fn movb2d(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let Operands { destination, source, address_mode, low_half } = operands(call);
    let mode = call.fields.field(call.settings.chip.move_mode);
    call.fields.end()?;
    refuse_mode(call, mode, &[2, 3, 4, 5])?;
    call.refuse_misaligned(destination, 4)?;
    call.refuse_misaligned(source, 4)?;
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    let format = call.format_a_of_source_b();
    let mask = match call.format_b() {
        // `Lf8` is not masked like `Float16` here (Tenstorrent's simulator).
        Format::FLOAT16 => 0x8FFF_E000,
        Format::TF32 => u32::MAX,
        _ => 0xFFFF_0000,
    };
    let (rows, one_row, one_column) =
        (if mode & 2 != 0 { 8 } else { 4 }, mode & 2 != 0, mode & 1 != 0);
    let first = call.row_b(source, rows).map_err(unimplemented)?;
    let row = call.destination_row(destination, rows, End::Wraps)?;
    let write = choose_write(call, format, low_half, FROM_SOURCE_B)?;
    for index in 0..rows {
        let bank = call.registers.source_b.matrix_bank();
        let stored = *call.registers.source_b.row(bank, first + if one_row { 0 } else { index });
        let stored = if one_column { stored.of_column_zero() } else { stored };
        let data = flushed(call, &stored).map(|datum| datum & mask);
        write.write(&mut call.registers.destination, row + index, data);
    }
    call.advance(address_mode)?;
    Ok(Executed::Done)
}

/// How a move reads `Dst`.
#[derive(Clone, Copy)]
enum Read {
    HighHalf,
    LowHalf,
    Tf32,
    Bfloat16,
    Float16,
}

impl Read {
    fn choose(call: &Call<'_>, format: Format, low_half: bool) -> Result<Self, Refusal> {
        let wide = call.settings.wide || call.settings.integers;
        let reason = |text: &str| format!("{format} in SrcA from {text} (MOVD2A.md)");
        match (wide, format, low_half) {
            (true, format, _) if format.has_short_exponent() => {
                Err(call.unimplemented(reason("Dst of 32 bits is not implemented")))
            }
            (true, Format::TF32, true) => {
                Err(call.unimplemented(reason("the low half of Dst is not implemented")))
            }
            (true, Format::TF32, false) => Ok(Self::Tf32),
            (true, _, false) => Ok(Self::HighHalf),
            (true, _, true) => Ok(Self::LowHalf),
            (false, _, true) => Err(call.undefined(reason("the low half of 16 bits is undefined"))),
            (false, Format::TF32, _) => Err(call.undefined(reason("16 bits is undefined"))),
            (false, format, _) if format.has_short_exponent() => Ok(Self::Float16),
            (false, ..) => Ok(Self::Bfloat16),
        }
    }

    fn read(self, destination: &Destination, row: u32) -> Row<u32> {
        let bfloat16 = |stored: u16| u32::from(bfloat16_from_destination(stored)) << 16;
        match self {
            Self::HighHalf => {
                destination.read_32(row).map(|stored| bfloat16((stored >> 16) as u16))
            }
            Self::LowHalf => destination.read_32(row).map(|stored| bfloat16(stored as u16)),
            Self::Tf32 => {
                destination.read_32(row).map(|stored| word_from_destination(stored) & 0xFFFF_E000)
            }
            Self::Bfloat16 => destination.read_16(row).map(bfloat16),
            Self::Float16 => destination
                .read_16(row)
                .map(|stored| widened_float16(float16_from_destination(stored).into())),
        }
    }
}

fn refuse_format(call: &Call<'_>, format: Format, known: &[Format]) -> Result<(), Refusal> {
    if known.contains(&format) {
        Ok(())
    } else {
        Err(call.unimplemented(format!("{format} in SrcA is not implemented (MOVD2A.md)")))
    }
}

/// `MOVD2A`: 4 rows. It does not wait for the bank.
pub(super) fn movd2a(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let Operands { destination, source, address_mode, low_half } = operands(call);
    let mode = call.fields.take(12, 2);
    call.fields.end()?;
    refuse_mode(call, mode, &[2])?;
    call.refuse_misaligned(destination, 4)?;
    call.refuse_misaligned(source, 4)?;
    call.refuse_override()?;
    let format = call.format_a();
    refuse_format(call, format, TO_SOURCE_A)?;
    let first = (source + call.counters.source_a.value) % Source::ROWS;
    call.refuse_misaligned(first, 4)?;
    let row = call.destination_row(destination, 4, End::Wraps)?;
    let read = Read::choose(call, format, low_half)?;
    if matches!(read, Read::LowHalf) {
        return Err(call.unimplemented("the low half of Dst is not implemented (MOVD2A.md)"));
    }
    for index in 0..4 {
        let data = read.read(&call.registers.destination, row + index);
        let bank = call.registers.source_a.matrix_bank();
        call.registers.source_a.write_row(bank, first + index, data);
    }
    call.advance(address_mode)?;
    Ok(Executed::Done)
}

/// `MOVD2B`: 4 rows or one. It does not wait for the bank.
pub(super) fn movd2b(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let Operands { destination, source, address_mode, low_half } = operands(call);
    let mode = call.fields.take(12, 2);
    call.fields.end()?;
    refuse_mode(call, mode, &[0, 2])?;
    call.refuse_misaligned(destination, 4)?;
    call.refuse_misaligned(source, 4)?;
    let format = call.format_a_of_source_b();
    refuse_format(call, format, TO_SOURCE_B)?;
    let first = call.row_b(source, 4)?;
    let row = call.destination_row(destination, 4, End::Wraps)?;
    let read = Read::choose(call, format, low_half)?;
    for index in 0..if mode == 2 { 4 } else { 1 } {
        let data = read.read(&call.registers.destination, row + index);
        let bank = call.registers.source_b.matrix_bank();
        call.registers.source_b.write_row(bank, first + index, data);
    }
    call.advance(address_mode)?;
    Ok(Executed::Done)
}

/// `MOVB2A`: 4 rows.
pub(super) fn movb2a(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let source_b = call.fields.take(0, 6);
    let mode = call.fields.take(12, 2);
    let address_mode = call.fields.field(call.settings.chip.address_mode);
    let source_a = call.fields.take(17, 6);
    call.fields.end()?;
    refuse_mode(call, mode, &[2])?;
    call.refuse_misaligned(source_b, 4)?;
    call.refuse_misaligned(source_a, 4)?;
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    let (to, from) = (call.row_a(source_a, 4)?, call.row_b(source_b, 4)?);
    for index in 0..4 {
        let bank = call.registers.source_b.matrix_bank();
        let data = flushed(call, call.registers.source_b.row(bank, from + index));
        let bank = call.registers.source_a.matrix_bank();
        call.registers.source_a.write_row(bank, to + index, data);
    }
    call.advance(address_mode)?;
    Ok(Executed::Done)
}

/// `TRNSPSRCB`: rows 16 to 31 of `SrcB` are transposed.
pub(super) fn trnspsrcb(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    call.fields.end()?;
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    let source = &mut call.registers.source_b;
    let bank = source.matrix_bank();
    let mut rows = [Row::default(); 16];
    for (row, stored) in rows.iter_mut().zip(source.rows(bank, 16)) {
        *row = *stored;
    }
    for (column, row) in (0..).zip(&rows) {
        for (index, datum) in (0..).zip(row.data) {
            source.write_datum(bank, 16 + index, column, datum, row.unknown >> index & 1 == 1);
        }
    }
    Ok(Executed::Done)
}
