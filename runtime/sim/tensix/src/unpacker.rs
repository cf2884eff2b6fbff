//! The unpackers: UNPACR (`Unpackers/UNPACR_Regular.md`), UNPACR_NOP and SETDVALID.

#[cfg(test)]
mod tests;

use crate::bits::{bit, bits};
use crate::chips::{Chip, FirstUnpacker, NopOfUnpackers, Unpacker};
use crate::configuration::{Configuration, View};
use crate::counters::address::{AddressCounters, Dimension, Of};
use crate::formats::{Exponents, Format, Unpack, UnpackSettings, UnpackTarget};
use crate::refusal::Refusal;
use crate::registers::{self, COLUMNS, Registers, Row};
use crate::surroundings::{Surroundings, Unknown};
use crate::synchronization::Wait;
use crate::threads::Thread;
use crate::units::{Source, Unit};

/// Data that the address of unpacker 0 skips, so that 4 rows before SrcA can be named.
const SKIPPED: u32 = 64;

/// Contexts of an unpacker's configuration that are simulated.
pub(crate) const CONTEXTS: u32 = 2;

/// What SrcA is cleared to so that each maximum with it is the other operand: negative infinity for the matrix unit.
const NEGATIVE_INFINITY: u32 = 0xFFFF_E000;

/// What an instruction works with.
pub(crate) struct Unpackers<'a> {
    pub(crate) chip: &'static Chip,
    pub(crate) configuration: &'a Configuration,
    pub(crate) counters: &'a mut AddressCounters,
    pub(crate) registers: &'a mut Registers,
    pub(crate) thread: Thread,
}

/// Where data come from, and where they go.
struct Transfer {
    unit: Unit,
    /// The first bit of the first datum in L1.
    first_bit: u64,
    /// Data that stand together in L1, and the bytes from the first of them to the first of the next ones.
    group: Option<(usize, u64)>,
    /// In sixteenths of a byte, the exponent of the first datum.
    first_exponent: u64,
    exponents: Kind,
    count: u32,
    /// The first row that is written.
    row: u32,
    target: Target,
}

/// Where the exponents of block floats are.
#[derive(Clone, Copy)]
enum Kind {
    None,
    Forced(u8),
    Section,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    SourceA { haloize: bool },
    SourceB,
    Dst,
}

impl Unpackers<'_> {
    fn source(&mut self, second: bool) -> &mut registers::Source {
        let Registers { source_a, source_b, .. } = &mut *self.registers;
        if second { source_b } else { source_a }
    }

    fn table(&self, second: bool) -> &'static Unpacker {
        let [first_unpacker, second_unpacker] = &self.chip.unpackers;
        if second { second_unpacker } else { first_unpacker }
    }

    /// UNPACR: what it still waits for.
    pub(crate) fn unpack<S: Surroundings>(
        &mut self,
        word: u32,
        surroundings: &mut S,
    ) -> Result<Option<Wait>, S::Error> {
        check_modes(word)?;
        let second = bit(word, 23);
        let source = self.source(second);
        if source.is_valid(source.unpacker_bank()) {
            return Ok(Some(Wait::SourceEmpty(Source::of(second))));
        }
        let view = self.configuration.view(self.thread);
        let zeros = bit(word, 4);
        if zeros && self.is_before_source_a(word, second)? {
            self.count_on(word, second);
            return Ok(None);
        }
        let transfer = self.plan(word, second, view)?;
        let settings = settings(self.chip, self.table(second), view, second, &transfer);
        // Zeros have no format: the vendor's low-level kernels write them to SrcA in formats that only Dst has.
        let rows = if zeros {
            vec![Row::known([0; COLUMNS]); transfer.count.div_ceil(COLUMNS as u32) as usize]
        } else {
            read(word, &transfer, &Unpack::choose(word, &settings)?, surroundings)?
        };
        let mut rows = rows.into_iter();
        for row in 0..transfer.count.div_ceil(COLUMNS as u32) {
            let width = (transfer.count - row * COLUMNS as u32).min(COLUMNS as u32);
            if zeros && self.is_behind_source_a(transfer.target, transfer.row + row) {
                break;
            }
            if let Some(contents) = rows.next() {
                self.write_row(transfer.target, transfer.row + row, width, contents);
            }
        }
        self.count_on(word, second);
        if bit(word, 6) {
            self.give(word, second, settings.to)?;
        }
        Ok(None)
    }

    fn count_on(&mut self, word: u32, second: bool) {
        let of = if second { Of::Unpacker1 } else { Of::Unpacker0 };
        let [input, output] = &mut self.counters.of_mut(of).channels;
        input.add(Dimension::Z, bits(word, 15, 2));
        input.add(Dimension::Y, bits(word, 17, 2));
        output.add(Dimension::Z, bits(word, 19, 2));
        output.add(Dimension::Y, bits(word, 21, 2));
    }

    /// The context of the configuration: the instruction's number and that of the thread.
    fn context(&self, word: u32, second: bool) -> u32 {
        let of_thread = self.configuration.of_thread(self.thread, self.table(second).context);
        (bits(word, 10, 3) + of_thread) % 8
    }

    /// Whether zeros go nowhere: no word holds a destination in contexts 2 to 7, so that it is 0 there, which is 4 rows before
    /// SrcA. The vendor's low-level kernels end an unpack to Dst with such zeros.
    fn is_before_source_a(&self, word: u32, second: bool) -> Result<bool, Refusal> {
        let is_beyond = self.context(word, second) >= CONTEXTS;
        if is_beyond && (second || bit(word, 6)) {
            return Err(Refusal::unsupported(
                word,
                "zeros in a context beyond 1 that go to SrcB, or with which a bank is given to the matrix unit",
            ));
        }
        Ok(is_beyond)
    }

    /// Whether a row is behind SrcA. Zeros there are lost. The documentation leaves that undefined; the vendor's low-level
    /// kernels do it after they tilize to Dst, which leaves the counter Z of the output behind the last face.
    fn is_behind_source_a(&self, target: Target, row: u32) -> bool {
        matches!(target, Target::SourceA { .. })
            && row >= registers::Source::ROWS
            && !self.chip.source_a_wraps
    }

    /// Where data come from, and where they go.
    fn plan(&self, word: u32, second: bool, view: View<'_>) -> Result<Transfer, Refusal> {
        let unsupported = |reason: String| Refusal::unsupported(word, reason);
        let table = self.table(second);
        let thread = |field| self.configuration.of_thread(self.thread, field);
        let context = self.context(word, second);
        if context >= CONTEXTS {
            let reason = format!("context {context}; contexts 0 and 1 are simulated");
            return Err(Refusal::unimplemented(word, reason));
        }
        let of_context = |[first, other]: [crate::bits::Field; 2]| {
            view.get(if context == 0 { first } else { other })
        };
        if of_context(table.uncompressed) == 0 {
            return Err(unsupported("compressed data".into()));
        }
        if let Some(feature) = view.asked_for(table.absent) {
            return Err(unsupported(format!("{feature}, which is not simulated")));
        }
        let format = Format::from_code(view.get(table.input_format));
        let to = Format::from_code(view.get(table.output_format));
        let Some(width) = format.bits().filter(|_| to.bits().is_some()) else {
            return Err(unsupported(format!("{format} in L1 and {to} in the register")));
        };
        let (haloize, tileize) = (view.is_set(table.haloize), view.is_set(table.tileize));
        if haloize && second {
            return Err(Refusal::non_contractual(word, "unpacker 1 does not haloize"));
        }
        if tileize && second {
            return Err(Refusal::unimplemented(word, "unpacker 1 tileizes"));
        }
        if tileize && width < 8 {
            let reason =
                format!("it tileizes data of {width} bits, which is defined from 8 bits on");
            return Err(Refusal::undefined(word, reason));
        }
        let to_dst = table.first.is_some_and(|first| of_context(first.to_dst) != 0);
        if to_dst && haloize {
            return Err(Refusal::undefined(word, "it haloizes and writes Dst"));
        }
        if let Some(first) = table.first
            && !tileize
            && of_context(first.shift) != 0
        {
            return Err(unsupported("a shift of columns".into()));
        }
        let overrides = thread(self.chip.thread.override_with_address) != 0;
        if overrides == to_dst {
            return Err(if to_dst {
                Refusal::undefined(word, "it writes Dst while SRCA_SET_SetOvrdWithAddr is 1")
            } else {
                unsupported("it writes SrcA or SrcB while SRCA_SET_SetOvrdWithAddr is 0".into())
            });
        }

        let of = if second { Of::Unpacker1 } else { Of::Unpacker0 };
        let counters = self.counters.of(of);
        let (input, output) = (counters.input(), counters.output());
        let (first_x, last_x) = (input.get(Dimension::X), output.get(Dimension::X));
        if first_x > last_x {
            return Err(unsupported(format!("data {first_x} to {last_x} of a row")));
        }
        let count = last_x - first_x + 1;

        // Sizes and counters have at most 18 bits, and L1 far fewer: what does not fit into 64 bits is not in L1.
        let x_dim = u64::from(of_context(table.x_dim));
        let y_dim = u64::from(view.get(table.y_dim));
        let z_dim = u64::from(view.get(table.z_dim).max(1));
        let at = |dimension| u64::from(input.get(dimension));
        let first_datum = u64::from(first_x)
            + x_dim * (at(Dimension::Y) + y_dim * (at(Dimension::Z) + z_dim * at(Dimension::W)));
        let base = of_context(table.base);
        let offset = table.first.map_or(0, |first| of_context(first.offset));
        let base = base.wrapping_add(offset & 0xFFFF).wrapping_add(1).wrapping_shl(4);
        let mut data = u64::from(base);
        let first_exponent = data * 16 + first_datum;
        let exponents = match table.first {
            _ if !format.is_block() => Kind::None,
            Some(first) if view.is_set(table.force_exponent) => {
                Kind::Forced(view.get(first.forced_exponent) as u8)
            }
            None if view.is_set(table.force_exponent) => {
                return Err(Refusal::unimplemented(word, "unpacker 1 forces an exponent"));
            }
            _ if view.is_set(table.no_exponents) => {
                return Err(unsupported("block floats without exponents".into()));
            }
            _ => {
                let exponents = (x_dim * y_dim * z_dim).div_ceil(16);
                data += exponents.next_multiple_of(16);
                Kind::Section
            }
        };
        let first_bit = data * 8 + first_datum * u64::from(width);
        if (haloize || tileize) && !first_bit.is_multiple_of(128) {
            let reason =
                format!("the data begin at bit {first_bit:#x}, which is not aligned to 16 bytes");
            return Err(Refusal::undefined(word, reason));
        }
        let group = tileize.then(|| {
            let [low, middle, high] = table.row_stride.map(|field| view.get(field));
            let data = if width > 8 { self.chip.row_of_wide_data } else { COLUMNS as u32 };
            (data as usize, u64::from(low << 4 | middle << 8 | high << 12))
        });

        let row = self.first_row(word, view, table.first.map(|first| (first, to_dst, context)))?;
        let target = match (second, to_dst) {
            (true, _) => Target::SourceB,
            (false, true) => Target::Dst,
            (false, false) => Target::SourceA { haloize },
        };
        if !bit(word, 4) || !self.is_behind_source_a(target, row) {
            self.check_rows(word, (row, count), target)?;
        }
        if target == (Target::SourceA { haloize }) {
            let bytes = self.throttle(word, table, view, (width, tileize))?;
            check_burst(word, bytes, (row, count), width)?;
        }
        Ok(Transfer {
            unit: Unit::Unpacker(second.into()),
            first_bit,
            group,
            first_exponent,
            exponents,
            count,
            row,
            target,
        })
    }

    /// The first row that is written. `first`: what unpacker 0 alone has, whether it writes Dst, and its context.
    fn first_row(
        &self,
        word: u32,
        view: View<'_>,
        first: Option<(FirstUnpacker, bool, u32)>,
    ) -> Result<u32, Refusal> {
        let unsupported = |reason: String| Refusal::unsupported(word, reason);
        let table = self.table(first.is_none());
        let to = Format::from_code(view.get(table.output_format));
        let align = to.bits().unwrap_or(32).div_ceil(8);
        let strides = [table.y_stride, Some(table.z_stride), Some(table.w_stride)]
            .map(|field| field.map_or(0, |field| view.get(field)));
        if strides.iter().any(|stride| stride % align != 0) {
            return Err(unsupported(format!("strides {strides:?} of data of {align} bytes")));
        }
        let of = if first.is_none() { Of::Unpacker1 } else { Of::Unpacker0 };
        let output = self.counters.of(of).output();
        let [y, z, w] = [Dimension::Y, Dimension::Z, Dimension::W].map(|one| output.get(one));
        if w != 0 {
            return Err(Refusal::new(
                hallmark_chip::FaultCategory::UntestedFunctionality,
                format!("the counter W of the output is {w}"),
            )
            .by(word));
        }
        let [y_stride, z_stride, _] = strides;
        let mut datum = (y * y_stride + z * z_stride) / align;
        if let Some((first, to_dst, context)) = first {
            let [one, other] = first.destination;
            let address = view.get(if context == 0 { one } else { other });
            datum =
                if to_dst || view.is_set(first.adds_counter) { datum + address } else { address };
            datum = datum.checked_sub(SKIPPED).ok_or_else(|| {
                unsupported(format!("it writes to datum {datum}, before SrcA (at {SKIPPED})"))
            })?;
        }
        if !datum.is_multiple_of(COLUMNS as u32) {
            return Err(unsupported(format!("it writes from datum {datum} on, within a row")));
        }
        Ok(datum / COLUMNS as u32)
    }

    /// Bytes that unpacker 0 takes from L1 at once.
    fn throttle(
        &self,
        word: u32,
        table: &Unpacker,
        view: View<'_>,
        (width, tileize): (u32, bool),
    ) -> Result<u32, Refusal> {
        let configured = view.get(table.throttle);
        let by_format = table.overrides_throttle.is_some_and(|field| !view.is_set(field));
        if configured > 2 && table.overrides_throttle.is_none() {
            return Err(Refusal::undefined(word, format!("throttle mode {configured}")));
        }
        let mode = match (width, tileize) {
            (2, _) => 0,
            (_, true) => 2,
            (8, false) if by_format => 3,
            _ if by_format => 2,
            _ => configured,
        };
        let doubles = table.overrides_throttle.is_some() && mode == 2 && width >= 16;
        Ok(if doubles { 128 } else { 16 << mode })
    }

    fn check_rows(
        &self,
        word: u32,
        (row, count): (u32, u32),
        target: Target,
    ) -> Result<(), Refusal> {
        let last = row + (count - 1) / COLUMNS as u32;
        match target {
            Target::SourceA { .. }
                if last >= registers::Source::ROWS && !self.chip.source_a_wraps =>
            {
                Err(Refusal::unsupported(word, format!("row {last} of SrcA, which has 64")))
            }
            Target::SourceB if last >= registers::Source::ROWS => {
                Err(Refusal::undefined(word, format!("row {last} of SrcB, which has 64")))
            }
            Target::Dst if last >= registers::Destination::ROWS => {
                Err(Refusal::unimplemented(word, format!("row {last} of Dst, which has 1024")))
            }
            _ => Ok(()),
        }
    }

    fn write_row(&mut self, target: Target, row: u32, width: u32, contents: Row<u32>) {
        let is_unknown = |column: u32| contents.unknown >> column & 1 == 1;
        let data = || (0..width).zip(contents.data);
        match target {
            Target::Dst if width == COLUMNS as u32 => {
                self.registers.destination.write_32(row, contents);
            }
            Target::Dst => {
                for (column, datum) in data() {
                    let destination = &mut self.registers.destination;
                    destination.write_datum_32(row, column, datum, is_unknown(column));
                }
            }
            Target::SourceA { haloize: true } => {
                let source = &mut self.registers.source_a;
                let bank = source.unpacker_bank();
                for (column, datum) in data() {
                    let turned = row & 0x30 | column;
                    source.write_datum(bank, turned, row & 15, datum, is_unknown(column));
                }
            }
            Target::SourceA { .. } | Target::SourceB => {
                let source = self.source(target == Target::SourceB);
                let bank = source.unpacker_bank();
                if width == COLUMNS as u32 {
                    source.write_row(bank, row, contents);
                    return;
                }
                for (column, datum) in data() {
                    source.write_datum(bank, row, column, datum, is_unknown(column));
                }
            }
        }
    }

    /// The unpacker gives its bank to the matrix unit.
    fn give(&mut self, word: u32, second: bool, format: Format) -> Result<(), Refusal> {
        let base = self.configuration.of_thread(self.thread, self.chip.thread.source_a_bank);
        if !self.source(second).give_to_matrix_unit(format) {
            let reason =
                format!("the bank of {} is given to the matrix unit already", Source::of(second));
            return Err(Refusal::non_contractual(word, reason));
        }
        if !second && base != 0 {
            return Err(Refusal::unimplemented(word, format!("SRCA_SET_Base is {base}")));
        }
        Ok(())
    }

    /// UNPACR_NOP: what it still waits for.
    pub(crate) fn clear_or_give(&mut self, word: u32) -> Result<Option<Wait>, Refusal> {
        let second = bit(word, 23);
        let nop = match self.chip.nop_of_unpackers {
            NopOfUnpackers::Mode => Nop::of_mode(word, second)?,
            NopOfUnpackers::Fields => Nop::of_fields(word, second)?,
        };
        let source = self.source(second);
        if let Some(value) = nop.clears_to {
            let own = source.unpacker_bank();
            let waits_for = if nop.waits_for_own_bank { own } else { source.matrix_bank() };
            if source.is_valid(waits_for) {
                return Ok(Some(Wait::SourceEmpty(Source::of(second))));
            }
            source.fill(own, value);
        }
        if nop.gives {
            let field = self.table(second).output_format;
            let format = self.configuration.view(self.thread).get(field);
            self.give(word, second, Format::from_code(format))?;
        }
        Ok(None)
    }

    /// SETDVALID.
    pub(crate) fn set_valid(&mut self, word: u32) -> Result<(), Refusal> {
        let named = bits(word, 0, 2);
        if !self.chip.sets_valid {
            let reason = "the format of the data is not defined on this chip; UNPACR_NOP sets it";
            return Err(Refusal::unsupported(word, reason));
        }
        if named == 0 {
            return Err(Refusal::unsupported(word, "it names neither SrcA nor SrcB"));
        }
        for second in [false, true] {
            if named >> u32::from(second) & 1 == 1 {
                let field = self.table(second).output_format;
                let format = self.configuration.view(self.thread).get(field);
                self.give(word, second, Format::from_code(format))?;
            }
        }
        Ok(())
    }
}

/// Whether an UNPACR_NOP clears a bank, for which it waits, and does not only give one.
pub(crate) const fn clears(word: u32) -> bool {
    bits(word, 0, 5) != GIVES
}

/// The mode of UNPACR_NOP that gives a bank. On chips with fields instead, no UNPACR_NOP has it.
const GIVES: u32 = 7;

/// What UNPACR_NOP does.
struct Nop {
    /// The value of all data of the unpacker's bank.
    clears_to: Option<u32>,
    /// It waits for the unpacker's own bank, and not for that of the matrix unit.
    waits_for_own_bank: bool,
    /// It gives the bank to the matrix unit.
    gives: bool,
}

impl Nop {
    fn of_mode(word: u32, second: bool) -> Result<Self, Refusal> {
        let mode = bits(word, 0, 5);
        let clears_to = match mode {
            1 => Some(0),
            5 if !second => Some(NEGATIVE_INFINITY),
            GIVES => None,
            _ => {
                let reason = format!("mode {mode} of {}", Unit::Unpacker(second.into()));
                return Err(Refusal::unsupported(word, reason));
            }
        };
        Ok(Self { clears_to, waits_for_own_bank: false, gives: clears_to.is_none() })
    }

    fn of_fields(word: u32, second: bool) -> Result<Self, Refusal> {
        let (does, value) = (bits(word, 0, 2), bits(word, 2, 2));
        if does != 1 || value > 1 || bit(word, 4) || bits(word, 6, 2) != 0 {
            let reason = "a clear to something other than 0 or negative infinity";
            return Err(Refusal::unimplemented(word, reason));
        }
        if value == 1 && second {
            return Err(Refusal::unimplemented(word, "unpacker 1 clears to negative infinity"));
        }
        if bits(word, 12, 3) != 0 || bits(word, 16, 6) != 0 {
            return Err(Refusal::unsupported(word, "messages of a stream"));
        }
        Ok(Self {
            clears_to: Some(if value == 1 { NEGATIVE_INFINITY } else { 0 }),
            waits_for_own_bank: bit(word, 5),
            gives: bit(word, 8),
        })
    }
}

/// The modes of UNPACR that are simulated: contexts by thread, whole tiles, nothing searched or set to 0.
fn check_modes(word: u32) -> Result<(), Refusal> {
    let absent = [
        (!bit(word, 0), "UNPACR without Last"),
        (bit(word, 1), "a flush of the search cache"),
        (bit(word, 2), "a search for rows"),
        (bit(word, 3), "contexts that count on"),
        (bit(word, 5), "rare B or a broadcast of SrcB"),
        (!bit(word, 7), "a context that the thread does not choose"),
        (bits(word, 8, 2) != 0, "another set of counters"),
        (bits(word, 10, 3) != 0 && !bit(word, 4), "a context that the instruction chooses"),
        (bit(word, 13), "contexts that count on"),
    ];
    match absent.into_iter().find(|one| one.0) {
        Some((_, feature)) => {
            Err(Refusal::unsupported(word, format!("{feature}, which is not simulated")))
        }
        None => Ok(()),
    }
}

/// Rows of SrcA that are written in one burst have to lie together, or writes are dropped. This is a little stricter than
/// the hardware.
fn check_burst(word: u32, bytes: u32, (row, count): (u32, u32), width: u32) -> Result<(), Refusal> {
    if count <= COLUMNS as u32 {
        return Ok(());
    }
    let burst = (bytes / (2 * width)).clamp(1, 8);
    if row & (burst - 1) != 0 {
        let reason =
            format!("a burst of {burst} rows from row {row} of SrcA on may drop some of them");
        return Err(Refusal::unsupported(word, reason));
    }
    Ok(())
}

fn settings(
    chip: &Chip,
    table: &Unpacker,
    view: View<'_>,
    second: bool,
    transfer: &Transfer,
) -> UnpackSettings {
    let [unsigned_a, unsigned_b] = chip.alu.unsigned;
    UnpackSettings {
        from: Format::from_code(view.get(table.input_format)),
        to: Format::from_code(view.get(table.output_format)),
        target: match transfer.target {
            Target::Dst => UnpackTarget::Destination,
            Target::SourceA { .. } | Target::SourceB => UnpackTarget::Source,
        },
        unsigned: view.is_set(if second { unsigned_b } else { unsigned_a }),
        four_bit_exponent: table.four_bit_exponent.is_some_and(|field| view.is_set(field)),
        largest_float8_is_padded: chip.largest_float8_is_padded,
    }
}

/// Reads and converts data, in rows of 16.
fn read<S: Surroundings>(
    word: u32,
    transfer: &Transfer,
    conversion: &Unpack,
    surroundings: &mut S,
) -> Result<Vec<Row<u32>>, S::Error> {
    let width = u64::from(conversion.bits());
    let rows = (transfer.count as usize).div_ceil(COLUMNS);
    let mut result = Vec::with_capacity(rows);
    // Data that stand together are read together.
    let (group, stride) = transfer.group.unwrap_or((rows * COLUMNS, 0));
    let mut left = transfer.count as usize;
    let mut bytes = Vec::new();
    let mut section = Vec::new();
    for (number, first) in (0..).zip((0..rows * COLUMNS).step_by(group.max(1))) {
        let count = left.min(group);
        left = left.saturating_sub(count);
        let bit = transfer.first_bit + number * stride * 8;
        let (start, skipped) = (bit / 8, (bit % 8) as u32);
        let end = (bit + count as u64 * width).div_ceil(8);
        bytes.resize((end - start) as usize, 0);
        let unknown = surroundings.read(transfer.unit, start, &mut bytes)?;
        let (mut unknown_exponents, mut phase) = (None, 0);
        if matches!(transfer.exponents, Kind::Section) {
            let first = transfer.first_exponent + first as u64;
            phase = (first % 16) as usize;
            section.resize((phase + count).div_ceil(16), 0);
            unknown_exponents = surroundings.read(transfer.unit, first / 16, &mut section)?;
        }
        let exponents = match transfer.exponents {
            Kind::None => Exponents::None,
            Kind::Forced(exponent) => Exponents::Forced(exponent),
            Kind::Section => Exponents::Section { bytes: &section, first: phase },
        };
        if let Some(exponent) = conversion.undefined_exponent(&bytes, skipped, exponents, count) {
            let reason = format!(
                "a datum of {} with the exponent {exponent} is outside Float16 (FloatBitPatterns.md)",
                conversion.format()
            );
            return Err(Refusal::undefined(word, reason).into());
        }
        let mut data = vec![0; count];
        conversion.run(&bytes, skipped, exponents, &mut data);
        let is_unknown = |index: usize| {
            unknown_datum(&unknown, u64::from(skipped) + index as u64 * width, width)
                || unknown_exponents.as_ref().is_some_and(|masks| {
                    masks.get((phase + index) / 16).is_some_and(|&mask| mask != 0)
                })
        };
        let any = unknown.is_some() || unknown_exponents.is_some();
        for (number, chunk) in data.chunks(COLUMNS).enumerate() {
            let mut row = Row::known([0; COLUMNS]);
            match chunk.try_into() {
                Ok(whole) => row.data = whole,
                Err(_) => row.data.iter_mut().zip(chunk).for_each(|(place, datum)| *place = *datum),
            }
            if any {
                let columns =
                    (0..chunk.len()).filter(|column| is_unknown(number * COLUMNS + column));
                row.unknown = columns.fold(0, |mask, column| mask | 1 << column);
            }
            result.push(row);
        }
    }
    Ok(result)
}

/// Whether some of `width` bits from bit `first` on are unknown.
fn unknown_datum(unknown: &Unknown, first: u64, width: u64) -> bool {
    let Some(masks) = unknown else { return false };
    (first..first + width)
        .any(|bit| masks.get((bit / 8) as usize).is_some_and(|mask| mask >> (bit % 8) & 1 == 1))
}
