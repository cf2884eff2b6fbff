//! Loads from `Dst` and immediates, and stores to `Dst` (`SFPLOAD.md`, `SFPSTORE.md`, `SFPLOADI.md`).

use super::call::Call;
use super::lanes::{map, map_two};
use crate::Refusal;
use crate::bits::bits;
use crate::formats::{
    Format, bfloat16_from_destination, bfloat16_to_destination, float16_to_destination,
    word_from_destination, word_to_destination,
};
use crate::registers::{Destination, LANES, LaneBit, Row, Vector, Vectors};

const SIGN: u32 = 0x8000_0000;

/// Modes of `SFPLOADI`.
mod immediate {
    pub(super) const FLOATB: u32 = 0;
    pub(super) const FLOATA: u32 = 1;
    pub(super) const USHORT: u32 = 2;
    pub(super) const SHORT: u32 = 4;
    pub(super) const UPPER: u32 = 8;
    pub(super) const LOWER: u32 = 10;
}

/// `SFPLOADI`.
#[inline(always)]
pub(super) fn load_immediate(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    let value = bits(operation.word, 0, 16);
    let held = call.vectors.register(operation.d);
    let result = match operation.mode {
        immediate::FLOATB => Vector::of(value << 16),
        // The exponent gets another bias, whatever it is.
        immediate::FLOATA => {
            Vector::of((value & 0x8000) << 16 | ((value & 0x7FFF) + (112 << 10)) << 13)
        }
        immediate::USHORT => Vector::of(value),
        immediate::SHORT => Vector::of(value as i16 as u32),
        immediate::UPPER => {
            let merged = held.lanes.map(|datum| datum & 0xFFFF | value << 16);
            return load_half(call, &Vector::known(merged), 1);
        }
        immediate::LOWER => {
            let merged = held.lanes.map(|datum| datum & 0xFFFF_0000 | value);
            return load_half(call, &Vector::known(merged), 0);
        }
        mode => return Err(call.undefined(format!("no format has the number {mode}"))),
    };
    call.write(&result);
    Ok(())
}

/// Replaces half of the data of the enabled lanes. What stays of them is in the new data.
fn load_half(call: &mut Call<'_>, merged: &Vector, half: usize) -> Result<(), Refusal> {
    let lanes = (call.vectors.enabled(), call.vectors.undecided());
    if Vectors::is_writable(call.operation.d) {
        call.vectors.write_half(call.operation.d, lanes, half, merged);
    }
    Ok(())
}

/// Formats of loads and stores (`MOD0_FMT_`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transfer {
    Fp16,
    Bf16,
    Fp32,
    Int32,
    Int8,
    Uint16,
    Hi16,
    Int16,
    Lo16,
    Int32All,
    Zero,
    Int32Sm,
    Int8Comp,
    Lo16Only,
    Hi16Only,
}

impl Transfer {
    fn of(call: &Call<'_>) -> Self {
        match call.operation.mode {
            0 if call.settings.wide => Self::Fp32,
            0 => match call.settings.source_b {
                Format::FLOAT32
                | Format::TF32
                | Format::FLOAT16B
                | Format::BFP8
                | Format::BFP4
                | Format::BFP2
                | Format::INT32
                | Format::INT16 => Self::Bf16,
                _ => Self::Fp16,
            },
            1 => Self::Fp16,
            2 => Self::Bf16,
            3 => Self::Fp32,
            4 => Self::Int32,
            5 => Self::Int8,
            6 => Self::Uint16,
            7 => Self::Hi16,
            8 => Self::Int16,
            9 => Self::Lo16,
            10 => Self::Int32All,
            11 => Self::Zero,
            12 => Self::Int32Sm,
            13 => Self::Int8Comp,
            14 => Self::Lo16Only,
            _ => Self::Hi16Only,
        }
    }

    /// Whether a load reads rows of 32 bits.
    const fn loads_words(self) -> bool {
        matches!(self, Self::Fp32 | Self::Int32 | Self::Int32All | Self::Int32Sm)
    }

    /// Whether a store writes rows of 32 bits.
    const fn stores_words(self) -> bool {
        self.loads_words() || matches!(self, Self::Lo16 | Self::Hi16)
    }
}

/// Where an instruction reads or writes `Dst`.
struct Place {
    /// The first of four rows.
    row: u32,
    /// The lanes whose columns are odd.
    odd: u32,
    /// The lanes that are read or written, and those of them for which unknown data decide.
    lanes: u32,
    undecided: u32,
}

#[inline(always)]
fn place(
    call: &Call<'_>,
    transfer: Transfer,
    address: u32,
    (blocked, exchanged): (LaneBit, LaneBit),
) -> Place {
    let vectors = &*call.vectors;
    let open = !vectors.lanes().with(blocked);
    let odd = if address & 2 != 0 { u32::MAX } else { vectors.lanes().with(exchanged) };
    let (enabled, undecided) = if transfer == Transfer::Int32All {
        (u32::MAX, 0)
    } else {
        (vectors.enabled(), vectors.undecided())
    };
    Place { row: address & !3, odd, lanes: enabled & open, undecided: undecided & open }
}

/// The address by the operand, the configuration and the counter.
#[inline(always)]
fn address(call: &Call<'_>, transfer: Transfer) -> Result<u32, Refusal> {
    let all = transfer == Transfer::Int32All;
    if all && !call.settings.chip.has_plain_int32_all {
        return Err(call.unimplemented("the stack pointer of Dst is not simulated (SFPLOAD.md)"));
    }
    let counter = call.counters.destination.value;
    let address = bits(call.operation.word, 0, 10)
        .wrapping_add(call.settings.destination_offset)
        .wrapping_add(if all { counter & 3 } else { counter });
    Ok(address % Destination::ROWS)
}

/// Moves the counters on, all but the fidelity phase.
fn advance(call: &mut Call<'_>) -> Result<(), Refusal> {
    let settings = call.settings;
    let (low, width) = settings.chip.address_mode;
    let word = call.operation.word;
    let modifier = call.counters.modifier(
        word,
        bits(word, low, width),
        &settings.modifiers,
        settings.chip.has_bias.then_some(settings.second_modifiers),
    )?;
    call.counters.apply(word, &modifier, false)
}

/// The data of 32 lanes: columns of four rows, of which each is read as eight pairs of columns.
#[inline(always)]
fn gathered(place: &Place, read: impl Fn(u32) -> ([[u32; 2]; 8], u16)) -> Vector {
    let mut vector = Vector::of(0);
    let rows = vector.lanes.as_chunks_mut::<8>().0;
    for ((row, lanes), shift) in (place.row..).zip(rows).zip([0, 8, 16, 24]) {
        let (pairs, unknown) = read(row);
        match place.odd {
            0 => *lanes = pairs.map(|[even, _]| even),
            u32::MAX => *lanes = pairs.map(|[_, odd]| odd),
            mixed => {
                for ((lane, [even, odd]), column) in lanes.iter_mut().zip(pairs).zip(shift..) {
                    *lane = if mixed >> column & 1 == 0 { even } else { odd };
                }
            }
        }
        if unknown != 0 {
            for column in 0..8 {
                let is_odd = place.odd >> (shift + column) & 1;
                let bit = u32::from(unknown) >> (2 * column + is_odd) & 1;
                vector.unknown |= bit << (shift + column);
            }
        }
    }
    vector
}

/// A `Float16` of `Dst` as an `f32` (`ReadFP16`).
const fn float_of_16_bits(stored: u32, has_infinity: bool) -> u32 {
    let (exponent, mantissa) = (stored & 31, stored >> 5 & 0x3FF);
    let (exponent, mantissa) = match exponent {
        31 if has_infinity && mantissa == 0x3FF => (255, 0),
        0 => (0, mantissa),
        exponent => (exponent + 112, mantissa),
    };
    stored >> 15 << 31 | exponent << 23 | mantissa << 13
}

/// A sign in bit 15, and a magnitude.
const fn sign_and_magnitude(stored: u32, low: u32, width: u32) -> u32 {
    stored >> 15 << 31 | bits(stored, low, width)
}

/// Sign and magnitude as two's complement.
const fn to_twos_complement(datum: u32) -> u32 {
    if datum & SIGN != 0 { (datum & !SIGN).wrapping_neg() } else { datum }
}

/// Two's complement as sign and magnitude (`ToSignMag`).
const fn from_twos_complement(datum: u32) -> u32 {
    if datum & SIGN != 0 { SIGN | datum.wrapping_neg() & !SIGN } else { datum }
}

/// `SFPLOAD`. Gives the address.
#[inline(always)]
pub(super) fn load(call: &mut Call<'_>) -> Result<u32, Refusal> {
    let transfer = Transfer::of(call);
    let address = address(call, transfer)?;
    let bits = (LaneBit::BlockSfpuRdFromDest, LaneBit::DestRdColExchange);
    let place = place(call, transfer, address, bits);
    let destination = &*call.destination;
    let stored = if transfer == Transfer::Zero || call.operation.d >= 8 {
        Vector::of(0)
    } else if transfer.loads_words() {
        map(&gathered(&place, |row| destination.pairs_32(row)), word_from_destination)
    } else {
        gathered(&place, |row| destination.pairs_16(row))
    };
    let d = call.operation.d;
    let converts = call.settings.chip.converts_integers;
    let lanes = call.vectors.lanes();
    let held = call.vectors.register(d);
    let result = match transfer {
        Transfer::Fp32 | Transfer::Int32 | Transfer::Int32All => stored,
        Transfer::Int32Sm if converts => map(&stored, to_twos_complement),
        Transfer::Int32Sm => stored,
        Transfer::Bf16 => {
            map(&stored, |datum| u32::from(bfloat16_from_destination(datum as u16)) << 16)
        }
        Transfer::Fp16 => {
            let infinities = Vector::known(lanes.with(LaneBit::EnableFp16aInf).lanes());
            map_two(&infinities, &stored, |has, datum| float_of_16_bits(datum, has != 0))
        }
        Transfer::Int8 => {
            let width = call.settings.chip.loaded_int8;
            map(&stored, |datum| sign_and_magnitude(datum, 5, width))
        }
        Transfer::Int8Comp => {
            let magnitude = map(&stored, |datum| sign_and_magnitude(datum, 5, 10));
            if converts { map(&magnitude, to_twos_complement) } else { magnitude }
        }
        Transfer::Int16 => map(&stored, |datum| sign_and_magnitude(datum, 0, 15)),
        Transfer::Uint16 | Transfer::Lo16 => stored,
        Transfer::Hi16 => map(&stored, |datum| datum << 16),
        Transfer::Lo16Only => Vector {
            unknown: stored.unknown,
            ..map_two(held, &stored, |held, datum| held & 0xFFFF_0000 | datum)
        },
        Transfer::Hi16Only => Vector {
            unknown: stored.unknown,
            ..map_two(held, &stored, |held, datum| held & 0xFFFF | datum << 16)
        },
        Transfer::Zero => Vector::of(0),
    };
    let captures =
        lanes.with(LaneBit::EnableDestIndex) & lanes.with(LaneBit::CaptureDefaultDestIndex);
    let half = match transfer {
        Transfer::Lo16Only => Some(0),
        Transfer::Hi16Only => Some(1),
        _ => None,
    };
    match half {
        Some(half) if d < 8 => {
            call.vectors.write_half(d, (place.lanes, place.undecided), half, &result);
        }
        None if d < 8 => write(call, d, &place, u32::MAX, &result),
        _ => {}
    }
    if d < 4 && captures != 0 {
        let indices = Vector::known(std::array::from_fn(|lane| {
            let lane = lane as u32;
            let row = place.row + lane / 8;
            row << 4 | (lane % 8 * 2 + (place.odd >> lane & 1))
        }));
        write(call, d + 4, &place, captures, &indices);
    }
    advance(call)?;
    Ok(address)
}

#[inline(always)]
fn write(call: &mut Call<'_>, number: u32, place: &Place, lanes: u32, data: &Vector) {
    let undecided = place.undecided & lanes;
    let mut written = *data;
    written.unknown |= undecided;
    let mut held = *call.vectors.register(number);
    held.unknown |= undecided;
    held.replace(place.lanes & lanes, &written);
    call.vectors.set(number, held);
}

/// A float as a `Float16` of `Dst` (`ToFP16`).
const fn float_to_16_bits(number: u32) -> u32 {
    let sign = number >> 31 << 15;
    match (number >> 23 & 0xFF) as i32 - 112 {
        ..=0 => sign,
        exponent @ 1..=31 => sign | (exponent as u32) << 10 | (number & 0x7F_FFFF) >> 13,
        _ => sign | 0x7FFF,
    }
}

/// A float without denormals.
const fn normal(number: u32) -> u32 {
    if number & 0x7F80_0000 == 0 { number & SIGN } else { number }
}

/// An integer of 10 bits with a fixed exponent (`SignMag11ToFP16`).
const fn integer_of_11_bits(number: u32) -> u32 {
    number >> 31 << 15 | 16 << 10 | number & 0x3FF
}

fn stored_float16(number: u32) -> u32 {
    u32::from(float16_to_destination(number as u16))
}

/// `SFPSTORE`.
#[inline(always)]
pub(super) fn store(call: &mut Call<'_>) -> Result<(), Refusal> {
    let address = address(call, Transfer::of(call))?;
    store_at(call, address)?;
    advance(call)
}

/// `SFPSTORE` to an address, without the counters.
#[inline(always)]
pub(super) fn store_at(call: &mut Call<'_>, address: u32) -> Result<(), Refusal> {
    let transfer = Transfer::of(call);
    let bits = (LaneBit::BlockDestWrFromSfpu, LaneBit::DestWrColExchange);
    let place = place(call, transfer, address, bits);
    let chip = call.settings.chip;
    let data = call.vectors.register(call.operation.d);
    let stored = match transfer {
        Transfer::Fp16 => map(data, |number| stored_float16(float_to_16_bits(number))),
        Transfer::Bf16 => {
            map(data, |number| u32::from(bfloat16_to_destination((normal(number) >> 16) as u16)))
        }
        Transfer::Fp32 if chip.stores_normals => {
            map(data, |number| word_to_destination(normal(number)))
        }
        Transfer::Int32Sm if chip.converts_integers => {
            map(data, |number| word_to_destination(from_twos_complement(number)))
        }
        Transfer::Fp32 | Transfer::Int32 | Transfer::Int32All | Transfer::Int32Sm => {
            map(data, word_to_destination)
        }
        Transfer::Int8Comp if chip.converts_integers => {
            map(data, |number| stored_float16(integer_of_11_bits(from_twos_complement(number))))
        }
        Transfer::Int8 | Transfer::Int8Comp => {
            map(data, |number| stored_float16(integer_of_11_bits(number)))
        }
        Transfer::Lo16Only | Transfer::Uint16 => map(data, |number| number & 0xFFFF),
        Transfer::Hi16Only => map(data, |number| number >> 16),
        Transfer::Int16 => map(data, |number| number >> 31 << 15 | number & 0x7FFF),
        Transfer::Lo16 => map(data, |number| number.rotate_left(16)),
        Transfer::Hi16 => *data,
        Transfer::Zero => Vector::of(0),
    };
    scatter(call.destination, &place, &stored, transfer.stores_words());
    Ok(())
}

/// Writes lanes to columns of four rows.
#[inline(always)]
fn scatter(destination: &mut Destination, place: &Place, data: &Vector, words: bool) {
    // Lanes of which it is open whether they are written keep what they hold, and that is unknown then.
    let lanes = place.lanes & !place.undecided;
    for ((row, chunk), shift) in (place.row..).zip(data.lanes.chunks_exact(8)).zip([0, 8, 16, 24]) {
        let of_row = |mask: u32| spread(mask >> shift & 0xFF, place.odd >> shift & 0xFF);
        let (written, undecided) = (of_row(lanes), of_row(place.undecided));
        if written | undecided == 0 {
            continue;
        }
        let mut contents = Row { data: [0; 16], unknown: of_row(data.unknown) };
        for (pair, datum) in contents.data.as_chunks_mut::<2>().0.iter_mut().zip(chunk) {
            *pair = [*datum; 2];
        }
        if words {
            destination.write_columns_32(row, written, contents, undecided);
        } else {
            let contents = contents.map(|datum| datum as u16);
            destination.write_columns_16(row, written, contents, undecided);
        }
    }
}

/// A bit of each lane of a row as bits of the columns.
const fn spread(lanes: u32, odd: u32) -> u16 {
    const fn every_second(bits: u32) -> u32 {
        let bits = (bits | bits << 4) & 0x0F0F;
        let bits = (bits | bits << 2) & 0x3333;
        (bits | bits << 1) & 0x5555
    }
    (every_second(lanes & !odd) | every_second(lanes & odd) << 1) as u16
}

/// The lanes of a set as data: 1 in the lanes that are in it.
trait AsLanes {
    fn lanes(self) -> [u32; LANES];
}

impl AsLanes for u32 {
    fn lanes(self) -> [u32; LANES] {
        std::array::from_fn(|lane| self >> lane & 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_row_are_even_or_odd_columns() {
        assert_eq!(spread(0b1000_0011, 0), 0b0100_0000_0000_0101);
        assert_eq!(spread(0b1000_0011, 0xFF), 0b1000_0000_0000_1010);
        assert_eq!(spread(0xFF, 0b10), 0b0101_0101_0101_1001);
    }

    #[test]
    fn floats_of_16_bits() {
        // 1, -2.5 in the order of Dst.
        assert_eq!(float_of_16_bits(15, false), 0x3F80_0000);
        assert_eq!(float_of_16_bits(0x8000 | 0x100 << 5 | 16, false), 0xC020_0000);
        let largest = 0x3FF << 5 | 31;
        assert_eq!(float_of_16_bits(largest, false), 0x47FF_E000);
        assert_eq!(float_of_16_bits(largest, true), 0x7F80_0000);
        assert_eq!(float_to_16_bits(0xC020_0000), 0xC100);
        assert_eq!(float_to_16_bits(0x7FC0_0000), 0x7FFF);
        assert_eq!(float_to_16_bits(0xB800_0000), 0x8000);
    }

    #[test]
    fn integers_change_their_form() {
        for integer in [0, 1, -1, 77, -77, i32::MAX, -i32::MAX] {
            let magnitude = from_twos_complement(integer as u32);
            assert_eq!(magnitude & !SIGN, integer.unsigned_abs());
            assert_eq!(to_twos_complement(magnitude) as i32, integer);
        }
    }
}
