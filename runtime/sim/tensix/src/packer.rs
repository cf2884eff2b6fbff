//! The packers: PACR (`Packers/README.md`).

#[cfg(test)]
mod tests;

use hallmark_chip::FaultCategory;

use crate::bits::{bit, bits};
use crate::chips::{Chip, Packer, Readers};
use crate::configuration::{Configuration, View};
use crate::counters::address::{AddressCounters, Dimension, Of};
use crate::formats::{Block, Format, Pack, PackSettings, Relu, accumulate};
use crate::refusal::Refusal;
use crate::registers::{COLUMNS, Destination, Row};
use crate::surroundings::{Surroundings, Unknown};
use crate::threads::Thread;
use crate::units::Unit;

/// Bytes of the lines in which L1 is addressed.
const LINE: u64 = 16;
/// Rows of which a plane consists at most.
const PLANE: u32 = 16;
/// Data that a packer packs at once, at most.
const MOST: u32 = 256;

/// Where the packers go on if a tile is not complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packers {
    positions: [Position; 4],
}

/// Where a packer stands in a tile.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// The packer is within a tile (`Packers/OutputAddressGenerator.md`, `NeedsNewAddress`).
    within_tile: bool,
    column: u32,
    row: u32,
    /// Where the next data go, and the next exponents.
    data: u64,
    exponents: u64,
}

/// What an instruction works with.
pub(crate) struct Packing<'a> {
    pub(crate) chip: &'static Chip,
    pub(crate) configuration: &'a Configuration,
    pub(crate) counters: &'a mut AddressCounters,
    pub(crate) destination: &'a Destination,
    pub(crate) packers: &'a mut Packers,
    pub(crate) thread: Thread,
}

/// What all packers of an instruction share.
struct Plan {
    conversion: Pack,
    format: Format,
    /// Bits of a datum in L1.
    width: u32,
    wide: bool,
    accumulates: bool,
    count: u32,
    /// The first row, before the packer's own offset.
    row: u32,
    steps: Steps,
    rows_per_plane: u32,
    /// Of each set of rows the columns that are kept, row by row of a plane.
    masks: [[u16; PLANE as usize]; 2],
}

/// From the first row to those that follow.
#[derive(Clone, Copy)]
struct Steps {
    first: u32,
    step: u32,
}

impl Packing<'_> {
    /// PACR.
    pub(crate) fn pack<S: Surroundings>(
        &mut self,
        word: u32,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let (last, flush) = (bit(word, 0), bit(word, 1));
        if bit(word, 7) {
            return Err(Refusal::unsupported(word, "another thread's counters").into());
        }
        if bit(word, 12) {
            return Err(Refusal::unimplemented(word, "zeros in place of data").into());
        }
        let packers = match (self.chip.packing.readers, bits(word, 8, 4)) {
            (Readers::Interfaces { .. }, 0 | 1 | 3 | 5 | 10) | (Readers::Packers, 1) => 1,
            (Readers::Packers, 3) => 2,
            (Readers::Packers, 15) => 4,
            (_, other) => {
                let reason = format!("the packers or interfaces {other:#06b}");
                return Err(Refusal::unimplemented(word, reason).into());
            }
        };
        let plan = self.plan(word, flush, packers)?;
        for (number, table) in self.chip.packers.iter().take(packers).enumerate() {
            self.pack_one(word, (number, table), &plan, last || flush, surroundings)?;
        }
        self.update_counters(word)?;
        Ok(())
    }

    fn plan(&self, word: u32, flush: bool, packers: usize) -> Result<Plan, Refusal> {
        let unsupported = |reason: String| Refusal::unsupported(word, reason);
        let unimplemented = |reason: String| Refusal::unimplemented(word, reason);
        let view = self.configuration.view(self.thread);
        let shared = &self.chip.packing;
        if let Some(feature) = view.asked_for(shared.absent) {
            return Err(unsupported(format!("{feature}, which is not simulated")));
        }
        let same = |field: fn(&Packer) -> crate::bits::Field, what: &str| {
            let mut values = self.chip.packers.iter().map(|packer| view.get(field(packer)));
            let first = values.next().unwrap_or(0);
            match values.find(|value| *value != first) {
                None => Ok(first),
                Some(other) => Err(unsupported(format!(
                    "the packers have different {what}: {first} and {other}"
                ))),
            }
        };
        let rows_per_plane = same(|packer| packer.reads_per_plane, "rows a plane")?;
        if rows_per_plane == 0 || rows_per_plane > PLANE {
            return Err(unsupported(format!("{rows_per_plane} rows a plane, which has 1 to 16")));
        }
        let intermediate = same(|packer| packer.input_format, "input formats")?;
        let format = Format::from_code(same(|packer| packer.output_format, "output formats")?);
        let accumulates = same(|packer| packer.accumulates, "ways to accumulate")? != 0;
        let has_threshold = same(|packer| packer.has_threshold, "exponent thresholds")? != 0;
        let threshold = same(|packer| packer.threshold, "exponent thresholds")?;
        let of_alu = view.get(self.chip.alu.dst);
        let intermediate = Format::from_code(intermediate);
        if Format::from_code(of_alu) != intermediate {
            let reason = format!(
                "Dst holds {}, and the packers read {intermediate}",
                Format::from_code(of_alu)
            );
            return Err(Refusal::undefined(word, reason));
        }
        let wide = view.is_set(shared.read_32_bit);
        let relu = Relu {
            mode: view.get(shared.relu_mode),
            threshold: view.get(shared.relu_threshold) as u16,
        };
        let conversion = Pack::choose(
            word,
            &PackSettings {
                wide,
                unsigned: view.is_set(shared.read_unsigned),
                raw: view.is_set(shared.read_raw),
                round_to_ten_bits: view.is_set(shared.round_10_bit),
                intermediate,
                to: format,
                four_bit_exponent: shared.four_bit_exponent.is_some_and(|field| view.is_set(field)),
                relu,
                exponent_threshold: has_threshold.then_some(threshold as u8),
                has_float16_of_32_bits: shared.has_float16_of_32_bits,
            },
        )?;
        let (Some(width), Some(width_in_dst)) = (format.bits(), intermediate.bits()) else {
            return Err(unsupported(format!("{intermediate} to {format}")));
        };
        if accumulates && !matches!(format, Format::FLOAT32 | Format::FLOAT16 | Format::FLOAT16B) {
            return Err(unsupported(format!("packers do not accumulate {format}")));
        }

        let align = width_in_dst.div_ceil(8);
        let strides = [shared.x_stride, shared.y_stride, shared.z_stride, shared.w_stride]
            .map(|field| view.get(field));
        if strides.iter().any(|stride| stride % align != 0) {
            let reason = format!("strides {strides:?} of data of {align} bytes");
            return Err(Refusal::undefined(word, reason));
        }
        let counters = self.counters.of(Of::Packers);
        let (input, output) = (counters.input(), counters.output());
        if input.get(Dimension::X) != 0 {
            return Err(unimplemented("the counter X of the input is not 0".into()));
        }
        let [_, y, z, w] = strides;
        let datum = [(Dimension::Y, y), (Dimension::Z, z), (Dimension::W, w)]
            .map(|(dimension, stride)| input.get(dimension) * stride)
            .iter()
            .sum::<u32>()
            / align;
        if !datum.is_multiple_of(COLUMNS as u32) {
            return Err(unimplemented(format!("datum {datum} of Dst, within a row")));
        }
        let count = if flush { 0 } else { output.get(Dimension::X) + 1 };
        let (count, steps) = self.steps(word, view, count)?;
        if width <= 8 && !count.is_multiple_of(COLUMNS as u32) {
            return Err(unimplemented(format!("{count} data of {width} bits, not whole rows")));
        }
        if self.packers.positions.iter().take(packers).any(|position| !position.within_tile) {
            for dimension in [Dimension::Y, Dimension::Z, Dimension::W] {
                let strides = dimension == Dimension::Y && shared.output_stride.is_some();
                if output.get(dimension) != 0 && !strides {
                    let reason = format!("the counter {dimension:?} of the output is not 0");
                    return Err(unimplemented(reason));
                }
            }
        }
        Ok(Plan {
            conversion,
            format,
            width,
            wide,
            accumulates,
            count,
            row: datum / COLUMNS as u32,
            steps,
            rows_per_plane,
            masks: self.masks(word, view)?,
        })
    }

    /// How many data are packed, and from which row on in steps of how many.
    fn steps(&self, word: u32, view: View<'_>, count: u32) -> Result<(u32, Steps), Refusal> {
        let unimplemented = |reason: String| Err(Refusal::unimplemented(word, reason));
        let Readers::Interfaces { apart } = self.chip.packing.readers else {
            if count > MOST || (count != 0 && !count.is_power_of_two()) {
                return unimplemented(format!("{count} data; powers of two up to {MOST}"));
            }
            return Ok((count, Steps { first: 0, step: 1 }));
        };
        // Flush, CtxtCtrl, AddrCntContext, RowPadZero, CfgContext.
        if word & (1 << 1 | 3 << 2 | 3 << 13 | 7 << 18 | 3 << 21) != 0 {
            return Err(Refusal::new(
                FaultCategory::MissingSpecification,
                "a flush, contexts or padded rows, which no document specifies on this chip",
            )
            .by(word));
        }
        let interfaces = bits(word, 8, 4);
        if count != COLUMNS as u32 && !(count == 8 && interfaces == 1) {
            return unimplemented(format!(
                "{count} data for each interface, which reads rows of 16"
            ));
        }
        let rows_apart = bit(word, 17);
        if rows_apart && !apart.iter().all(|field| view.is_set(*field)) {
            return unimplemented("rows apart without swizzled and remapped rows of Dst".into());
        }
        let steps = match (interfaces, rows_apart) {
            (5 | 10, true) => return unimplemented("rows apart, and every second row".into()),
            (_, true) => Steps { first: 0, step: COLUMNS as u32 },
            (5, false) => Steps { first: 0, step: 2 },
            (10, false) => Steps { first: 1, step: 2 },
            _ => Steps { first: 0, step: 1 },
        };
        let readers = if interfaces == 0 { 4 } else { interfaces.count_ones() };
        Ok((count * readers, steps))
    }

    /// Of each set of rows the columns that are kept.
    fn masks(&self, word: u32, view: View<'_>) -> Result<[[u16; PLANE as usize]; 2], Refusal> {
        let shared = &self.chip.packing;
        if view.is_set(shared.edge_mode) {
            return Err(Refusal::unimplemented(
                word,
                "edge masking that fills with something other than 0",
            ));
        }
        let masks = shared.edge_masks.map(|field| view.get(field));
        let mut result = [[0; PLANE as usize]; 2];
        for (rows, set) in result.iter_mut().zip(shared.row_sets) {
            let mapping = view.word(set);
            for (row, kept) in rows.iter_mut().enumerate() {
                let choice = mapping >> (2 * row) & 3;
                let Some(&mask) = masks.get(choice as usize) else {
                    let reason = format!("edge mask {choice} of row {row}; 0 and 1 are simulated");
                    return Err(Refusal::unimplemented(word, reason));
                };
                *kept = mask as u16;
            }
        }
        Ok(result)
    }

    fn pack_one<S: Surroundings>(
        &mut self,
        word: u32,
        (number, table): (usize, &Packer),
        plan: &Plan,
        ends: bool,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let unit = Unit::Packer(number as u8);
        let view = self.configuration.view(self.thread);
        let chosen = view.get(self.chip.packing.row_set_select) >> (2 * number) & 3;
        let Some(masks) = plan.masks.get(chosen as usize) else {
            let reason = format!("row set {chosen} of packer {number}; 0 and 1 are simulated");
            return Err(Refusal::unimplemented(word, reason).into());
        };
        let first_row = (plan.row + view.get(table.dst_offset)) % Destination::ROWS;
        if first_row + plan.count.div_ceil(COLUMNS as u32) > Destination::ROWS {
            let reason = format!("{} data from row {first_row} of Dst on", plan.count);
            return Err(Refusal::unimplemented(word, reason).into());
        }
        let mut position = self.packers.positions.get(number).copied().unwrap_or_default();
        if !position.within_tile {
            position = self.start(number, table, plan, view);
        }

        let mut bytes = Vec::with_capacity((plan.count * plan.width).div_ceil(8) as usize);
        let mut exponents = Vec::new();
        let mut unknown = Unmasked::default();
        let mut unknown_exponents = Unmasked::default();
        let rows = (first_row + plan.steps.first..).step_by(plan.steps.step as usize);
        for (index, row) in (0..plan.count).step_by(COLUMNS).zip(rows) {
            let width = (plan.count - index).min(COLUMNS as u32);
            let mut contents = self.converted(plan, row);
            position.mask(&mut contents, width, masks, plan.rows_per_plane);
            if plan.format.is_block() {
                let Some(block) = Block::of(&contents.data.map(|datum| datum as u16), plan.format)
                else {
                    let reason = format!("blocks of {}", plan.format);
                    return Err(Refusal::unimplemented(word, reason).into());
                };
                exponents.push(block.exponent);
                bytes.extend_from_slice(block.bytes());
                unknown_exponents.add(contents.unknown != 0, 1);
                unknown.add(contents.unknown != 0, block.bytes().len());
                continue;
            }
            append(&mut bytes, &contents.data, width as usize, plan.width);
            let size = (plan.width / 8) as usize;
            if contents.unknown == 0 {
                unknown.add(false, width as usize * size);
                continue;
            }
            for column in 0..width {
                unknown.add(contents.unknown >> column & 1 == 1, size);
            }
        }
        if plan.accumulates && !bytes.is_empty() {
            let mut held = vec![0; bytes.len()];
            unknown.also(surroundings.read(unit, position.data, &mut held)?);
            add(plan.format, &held, &mut bytes);
        }
        let (length, exponent_count) = (bytes.len() as u64, exponents.len() as u64);
        if length != 0 {
            surroundings.write(unit, position.data, &bytes, unknown.masks())?;
        }
        if exponent_count != 0 {
            surroundings.write(unit, position.exponents, &exponents, unknown_exponents.masks())?;
        }
        position.data += length;
        position.exponents += exponent_count;
        if ends {
            let sections =
                [Some(position.data), plan.format.is_block().then_some(position.exponents)];
            for end in sections.into_iter().flatten() {
                let padding = vec![0; (end.next_multiple_of(LINE) - end) as usize];
                if !padding.is_empty() {
                    surroundings.write(unit, end, &padding, None)?;
                }
            }
        }
        if let Some(place) = self.packers.positions.get_mut(number) {
            *place = Position { within_tile: !ends, ..position };
        }
        Ok(())
    }

    /// Where a packer begins a tile.
    fn start(&self, number: usize, table: &Packer, plan: &Plan, view: View<'_>) -> Position {
        let of = |table: &Packer| view.get(table.l1_address).wrapping_add(1);
        let first = self.chip.packers.first().map_or(0, of);
        let mut address = of(table);
        // Bit 31 of packer 0's address makes those of the others relative to it.
        if number > 0 && first >> 31 == 1 {
            address = address.wrapping_add(first);
        }
        let bytes = |lines: u32| u64::from(lines.wrapping_shl(4));
        let shared = &self.chip.packing;
        let output = self.counters.of(Of::Packers).output();
        let stride = shared.output_stride.map_or(0, |field| view.get(field));
        address = address.wrapping_add(output.get(Dimension::Y).wrapping_mul(stride) / 16);
        let section = if plan.width <= 8 { view.get(table.exponent_section) } else { 0 };
        Position {
            within_tile: true,
            column: 0,
            row: 0,
            data: bytes(address.wrapping_add(section)),
            exponents: bytes(address),
        }
    }

    /// A row of Dst in the format of L1, or, for block floats, as they are made of.
    fn converted(&self, plan: &Plan, row: u32) -> Row<u32> {
        let stored = if plan.wide {
            self.destination.read_32(row)
        } else {
            self.destination.read_16(row).map(u32::from)
        };
        Row { data: plan.conversion.row(stored.data), unknown: stored.unknown }
    }

    /// The address modifier of the instruction (`ADDR_MOD_PACK`).
    fn update_counters(&mut self, word: u32) -> Result<(), Refusal> {
        let number = bits(word, 15, 2) as usize;
        let modifiers = &self.chip.thread.pack_modifiers;
        let modifier = modifiers.get(number).copied().unwrap_or(0);
        let modifier = u32::from(self.configuration.thread_word(self.thread, modifier));
        if bit(modifier, 10) {
            return Err(Refusal::unimplemented(word, "the output's counter Y goes back"));
        }
        let [input, output] = &mut self.counters.of_mut(Of::Packers).channels;
        match (bit(modifier, 5), bit(modifier, 4)) {
            (true, _) => input.set(Dimension::Y, 0),
            (false, true) => input.carriage_return(Dimension::Y, bits(modifier, 0, 4)),
            (false, false) => input.add(Dimension::Y, bits(modifier, 0, 4)),
        }
        if bit(modifier, 11) {
            output.set(Dimension::Y, 0);
        } else {
            output.add(Dimension::Y, bits(modifier, 6, 4));
        }
        for (channel, low) in [(input, 12), (output, 14)] {
            if bit(modifier, low + 1) {
                channel.set(Dimension::Z, 0);
            } else {
                channel.add(Dimension::Z, bits(modifier, low, 1));
            }
        }
        Ok(())
    }
}

impl Position {
    /// Sets the data that the edge masks leave out to 0, and goes on in the tile.
    fn mask(
        &mut self,
        contents: &mut Row<u32>,
        width: u32,
        masks: &[u16; PLANE as usize],
        rows_per_plane: u32,
    ) {
        if self.column == 0 && width == COLUMNS as u32 {
            let kept = masks.get(self.row as usize % PLANE as usize).copied().unwrap_or(0);
            if kept != u16::MAX {
                for (column, datum) in contents.data.iter_mut().enumerate() {
                    *datum = if kept >> column & 1 == 0 { 0 } else { *datum };
                }
                contents.unknown &= kept;
            }
            self.row = (self.row + 1) % rows_per_plane;
            return;
        }
        for (column, datum) in (0..width).zip(&mut contents.data) {
            let kept = masks.get(self.row as usize % PLANE as usize).copied().unwrap_or(0);
            if kept >> column & 1 == 0 {
                *datum = 0;
                contents.unknown &= !(1 << column);
            }
            self.column += 1;
            if self.column == COLUMNS as u32 {
                self.column = 0;
                self.row = (self.row + 1) % rows_per_plane;
            }
        }
    }
}

/// Appends the first data of a row, of which memory holds 8, 16 or 32 bits.
fn append(bytes: &mut Vec<u8>, data: &[u32; COLUMNS], count: usize, width: u32) {
    let mut row = [0; 4 * COLUMNS];
    let size = (width / 8) as usize;
    match size {
        2 => {
            for (place, datum) in row.as_chunks_mut().0.iter_mut().zip(data) {
                *place = (*datum as u16).to_le_bytes();
            }
        }
        4 => {
            for (place, datum) in row.as_chunks_mut().0.iter_mut().zip(data) {
                *place = datum.to_le_bytes();
            }
        }
        _ => {
            for (place, datum) in row.iter_mut().zip(data) {
                *place = *datum as u8;
            }
        }
    }
    bytes.extend_from_slice(row.get(..size * count).unwrap_or_default());
}

/// Masks of unknown bits, which are only made if some are unknown.
#[derive(Default)]
struct Unmasked {
    length: usize,
    masks: Vec<u8>,
}

impl Unmasked {
    fn add(&mut self, is_unknown: bool, bytes: usize) {
        self.length += bytes;
        if is_unknown {
            self.masks.resize(self.length - bytes, 0);
            self.masks.resize(self.length, u8::MAX);
        }
    }

    /// Bytes that were read are unknown, too.
    fn also(&mut self, unknown: Unknown) {
        let Some(unknown) = unknown else { return };
        self.masks.resize(self.length, 0);
        for (mask, other) in self.masks.iter_mut().zip(unknown) {
            *mask |= other;
        }
    }

    fn masks(mut self) -> Unknown {
        if self.masks.is_empty() {
            return None;
        }
        self.masks.resize(self.length, 0);
        Some(self.masks)
    }
}

/// Adds data onto those that L1 holds.
fn add(format: Format, held: &[u8], bytes: &mut [u8]) {
    let size = if format == Format::FLOAT32 { 4 } else { 2 };
    let number = |bytes: &[u8]| {
        bytes.iter().rev().fold(0, |number: u32, byte| number << 8 | u32::from(*byte))
    };
    for (datum, held) in bytes.chunks_mut(size).zip(held.chunks(size)) {
        if let Some(sum) = accumulate(format, number(held), number(datum)) {
            for (byte, value) in datum.iter_mut().zip(sum.to_le_bytes()) {
                *byte = value;
            }
        }
    }
}
