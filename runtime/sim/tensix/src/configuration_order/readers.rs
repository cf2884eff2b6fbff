//! The configuration words that each unit reads.

use crate::bits::Field;
use crate::chips::{
    Absent, Alu, Chip, FirstUnpacker, Packer, Packing, Readers as PackerReaders, Unpacker,
};
use crate::units::{Unit, Units};

const UNPACKERS: usize = 2;
const FIRST_PACKER: usize = 2 * UNPACKERS;
const MATRIX: usize = FIRST_PACKER + 4;
const VECTOR: usize = MATRIX + 1;

/// Units that read a configuration word. An unpacker counts once for each context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readers(u16);

impl Readers {
    /// How many there are.
    pub(crate) const NUMBER: usize = VECTOR + 1;

    /// An unpacker in one of its contexts.
    pub(crate) const fn unpacker(number: usize, context: usize) -> Self {
        Self(1 << (2 * (number & 1) + (context & 1)))
    }

    /// An unpacker in both of its contexts.
    const fn unpacker_always(number: usize) -> Self {
        Self(Self::unpacker(number, 0).0 | Self::unpacker(number, 1).0)
    }

    const fn packer(number: usize) -> Self {
        Self(1 << (FIRST_PACKER + (number & 3)))
    }

    const PACKERS: Self = Self(0xF << FIRST_PACKER);
    const MATRIX: Self = Self(1 << MATRIX);
    const VECTOR: Self = Self(1 << VECTOR);

    /// Units of which each has one reader: packers, the matrix unit and the vector unit.
    #[inline]
    pub(crate) const fn of(units: Units) -> Self {
        let of_units = units.without(Units::UNPACKERS).bits() as u16;
        Self(of_units << (FIRST_PACKER - UNPACKERS))
    }

    /// Those and others.
    pub(crate) const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether some are among others.
    pub(crate) const fn meet(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Those that are among others.
    pub(crate) const fn among(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The number of each of them, below [`Self::NUMBER`].
    #[inline]
    pub(crate) fn numbers(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let number = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(number)
        })
    }

    /// Each of them: its unit, and for an unpacker its context.
    pub(crate) fn iter(self) -> impl Iterator<Item = (Unit, usize)> {
        self.numbers().map(|number| match number {
            0..FIRST_PACKER => (Unit::Unpacker((number / 2) as u8), number % 2),
            FIRST_PACKER..MATRIX => (Unit::Packer((number - FIRST_PACKER) as u8), 0),
            MATRIX => (Unit::Matrix, 0),
            _ => (Unit::Vector, 0),
        })
    }
}

/// When a unit samples a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampled {
    /// When the instruction starts, as a page says.
    AtStart,
    /// When the instruction starts, as a page says, or another one that is under way in the unit, as a second page allows.
    AtSomeStart,
    /// At an unspecified point of the instruction's lifetime, as a page says.
    UntilTheEnd,
    /// No page says when.
    Unsaid,
}

/// A field, its meaning, and the units that read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) sampled: Sampled,
    pub(crate) field: Field,
    pub(crate) meaning: &'static str,
    pub(crate) readers: Readers,
}

/// All fields that units read, by word.
#[derive(Debug)]
pub(crate) struct Reads(Vec<Read>);

impl Reads {
    pub(crate) fn of(chip: &Chip) -> Self {
        let mut reads = Vec::new();
        let mut add = |sampled, readers, meaning, fields: &[Field]| {
            let read = |&field| Read { sampled, field, meaning, readers };
            reads.extend(fields.iter().map(read));
        };
        of_alu(chip, &mut add);
        for (number, unpacker) in chip.unpackers.iter().enumerate() {
            of_unpacker(number, unpacker, &mut add);
        }
        for (number, packer) in chip.packers.iter().enumerate() {
            of_packer(Readers::packer(number), packer, &mut add);
        }
        of_packing(&chip.packing, &mut add);
        reads.sort_by_key(|read| read.field.word);
        Self(reads)
    }

    /// The fields of a word of which some bits are among these.
    pub(crate) fn among(&self, word: u16, bits: u32) -> impl Iterator<Item = &Read> {
        let start = self.0.partition_point(|read| read.field.word < word);
        let of_word = self.0.get(start..).unwrap_or_default().iter();
        of_word
            .take_while(move |read| read.field.word == word)
            .filter(move |read| read.field.mask() & bits != 0)
    }
}

type Add<'add> = dyn FnMut(Sampled, Readers, &'static str, &[Field]) + 'add;

/// `PACR.md`.
const OF_PACKERS: Sampled = Sampled::UntilTheEnd;

fn of_alu(chip: &Chip, add: &mut Add<'_>) {
    let Alu {
        source_a_override,
        source_a_value,
        unsigned: [unsigned_a, unsigned_b],
        source: [source_a, source_b],
        dst,
        fp32,
        vector_fp32,
        int8,
        zero_flag_disabled,
    } = chip.alu;
    add(OF_PACKERS, Readers::PACKERS, "the format of Dst", &[dst]);
    let mut add =
        |readers, meaning, fields: &[Field]| add(Sampled::Unsaid, readers, meaning, fields);
    let matrix = Readers::MATRIX;
    add(matrix, "the format of SrcA", &[source_a_override, source_a_value, source_a]);
    add(matrix.and(Readers::VECTOR), "the format of SrcB", &[source_b]);
    add(Readers::unpacker_always(0), "the sign of SrcA's data", &[unsigned_a]);
    add(Readers::unpacker_always(1), "the sign of SrcB's data", &[unsigned_b]);
    add(matrix, "the width of Dst", &[fp32]);
    add(Readers::VECTOR, "the width of Dst for the vector unit", &[vector_fp32]);
    add(matrix, "the mode for integers", &[int8]);
    add(matrix, "the mode for denormals", &[zero_flag_disabled]);
    if let Some(field) = chip.absolute_tiles {
        add(matrix, "the way in which ZEROACC counts tiles", &[field]);
    }
}

fn of_unpacker(number: usize, unpacker: &Unpacker, add: &mut Add<'_>) {
    let Unpacker {
        input_format,
        no_exponents,
        x_dim,
        y_dim,
        z_dim,
        output_format,
        throttle,
        haloize,
        tileize,
        row_stride,
        uncompressed,
        force_exponent,
        base,
        y_stride,
        z_stride,
        w_stride,
        first,
        context: _,
        four_bit_exponent,
        overrides_throttle,
        absent,
    } = unpacker;
    let mut add =
        |readers, meaning, fields: &[Field]| add(Sampled::Unsaid, readers, meaning, fields);
    let both = Readers::unpacker_always(number);
    add(both, "the data format in L1", &[*input_format, *no_exponents]);
    add(both, "the size of the input", &[*y_dim, *z_dim]);
    add(both, "the data format behind it", &[*output_format]);
    add(both, "the mode", &[*throttle, *haloize, *tileize, *force_exponent]);
    add(both, "the stride of rows in L1", row_stride);
    add(both, "the strides of the output", &[*z_stride, *w_stride]);
    add(both, "the strides of the output", y_stride.as_slice());
    add(both, "the kind of 8-bit floats", four_bit_exponent.as_slice());
    add(both, "the mode", overrides_throttle.as_slice());
    for Absent { field, feature } in *absent {
        add(both, feature, std::slice::from_ref(field));
    }
    let mut by_context = |meaning, fields: &[Field; 2]| {
        for (context, field) in fields.iter().enumerate() {
            add(Readers::unpacker(number, context), meaning, std::slice::from_ref(field));
        }
    };
    by_context("the size of the input", x_dim);
    by_context("the compression of the input", uncompressed);
    by_context("the base address in L1", base);
    if let Some(FirstUnpacker {
        offset,
        to_dst,
        destination,
        adds_counter,
        forced_exponent,
        shift: _,
    }) = first
    {
        by_context("the offset of the address in L1", offset);
        by_context("the choice between a source and Dst", to_dst);
        by_context("the rows of the output", destination);
        add(both, "the rows of the output", &[*adds_counter]);
        add(both, "the forced exponent", &[*forced_exponent]);
    }
}

/// `OutputAddressGenerator.md`, `InputAddressGenerator.md`: "When a pack instruction starts".
fn of_packer(readers: Readers, packer: &Packer, add: &mut Add<'_>) {
    let Packer {
        exponent_section,
        l1_address,
        input_format,
        output_format,
        accumulates,
        has_threshold,
        threshold,
        dst_offset,
        reads_per_plane,
    } = *packer;
    add(Sampled::AtStart, readers, "the size of the section of exponents", &[exponent_section]);
    // Boards pack to the next address (tt-llk#97, tt-metal#44077). PACR.md allows that.
    add(Sampled::AtSomeStart, readers, "the address in L1", &[l1_address]);
    add(OF_PACKERS, readers, "the data formats", &[input_format, output_format]);
    add(OF_PACKERS, readers, "the mode of accumulation in L1", &[accumulates]);
    add(OF_PACKERS, readers, "the exponent threshold", &[has_threshold, threshold]);
    add(Sampled::AtStart, readers, "the offset in Dst", &[dst_offset]);
    add(OF_PACKERS, readers, "the reads of a plane", &[reads_per_plane]);
}

/// As for [`of_packer`].
fn of_packing(packing: &Packing, add: &mut Add<'_>) {
    let Packing {
        readers,
        output_stride,
        four_bit_exponent,
        has_float16_of_32_bits: _,
        x_stride,
        y_stride,
        z_stride,
        w_stride,
        read_32_bit,
        read_unsigned,
        read_raw,
        round_10_bit,
        relu_mode,
        relu_threshold,
        row_sets,
        edge_masks,
        edge_mode,
        row_set_select,
        absent,
    } = packing;
    let all = Readers::PACKERS;
    add(Sampled::AtStart, all, "the strides in Dst", &[*x_stride, *y_stride, *z_stride, *w_stride]);
    add(
        OF_PACKERS,
        all,
        "the way in which Dst is read",
        &[*read_32_bit, *read_unsigned, *read_raw, *round_10_bit],
    );
    if let PackerReaders::Interfaces { apart } = readers {
        add(OF_PACKERS, all, "the way in which Dst is read", apart);
    }
    add(Sampled::AtStart, all, "the stride in L1", output_stride.as_slice());
    add(OF_PACKERS, all, "the kind of 8-bit floats", four_bit_exponent.as_slice());
    add(OF_PACKERS, all, "the mode of ReLU", &[*relu_mode, *relu_threshold]);
    add(OF_PACKERS, all, "the edge masks", &row_sets.map(|word| Field::new(word, 0, 32)));
    add(OF_PACKERS, all, "the edge masks", edge_masks);
    add(OF_PACKERS, all, "the edge masks", &[*edge_mode, *row_set_select]);
    for Absent { field, feature } in *absent {
        add(OF_PACKERS, all, feature, std::slice::from_ref(field));
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    fn read(architecture: Architecture, word: u16, bits: u32) -> Vec<(&'static str, Unit, usize)> {
        let reads = Reads::of(Chip::of(architecture));
        let among = reads.among(word, bits);
        among
            .flat_map(|read| {
                read.readers.iter().map(|(unit, context)| (read.meaning, unit, context))
            })
            .collect()
    }

    #[test]
    fn each_unit_without_contexts_is_a_reader() {
        for unit in Unit::ALL {
            let readers: Vec<_> = Readers::of(Units::of(unit)).iter().collect();
            match unit {
                Unit::Unpacker(_) => assert_eq!(readers, []),
                Unit::Packer(_) | Unit::Matrix | Unit::Vector => assert_eq!(readers, [(unit, 0)]),
            }
        }
        let units = Units::packers(0b1001).and(Units::of(Unit::Matrix));
        let readers: Vec<_> = Readers::of(units).iter().collect();
        assert_eq!(readers, [(Unit::Packer(0), 0), (Unit::Packer(3), 0), (Unit::Matrix, 0)]);
    }

    #[test]
    fn words_are_read_by_the_units_that_the_tables_name() {
        let wormhole = |word, bits| read(Architecture::WormholeB0, word, bits);
        let base = "the base address in L1";
        assert_eq!(wormhole(64, 1), [(base, Unit::Unpacker(0), 0)]);
        assert_eq!(wormhole(65, 1 << 31), [(base, Unit::Unpacker(0), 1)]);
        assert_eq!(wormhole(105, 1), [(base, Unit::Unpacker(1), 1)]);
        assert_eq!(wormhole(85, 0x10), [("the address in L1", Unit::Packer(1), 0)]);
        // A word of the matrix unit and of the packers.
        let flag = "the mode for denormals";
        assert_eq!(wormhole(2, 1), [(flag, Unit::Matrix, 0)]);
        let relu: Vec<_> =
            (0..4).map(|number| ("the mode of ReLU", Unit::Packer(number), 0)).collect();
        assert_eq!(wormhole(2, 1 << 2), relu);
        assert_eq!(wormhole(2, 2), []);
        let both =
            [("the format of SrcB", Unit::Matrix, 0), ("the format of SrcB", Unit::Vector, 0)];
        assert_eq!(wormhole(1, 1 << 21), both);
    }

    #[test]
    fn every_word_that_a_chip_keeps_is_read_but_for_a_few() {
        for (architecture, unread) in [
            (Architecture::WormholeB0, &[22, 23, 164][..]),
            (Architecture::Blackhole, &[15, 29, 30, 31, 181, 182, 183, 186, 209, 210, 211][..]),
        ] {
            let chip = Chip::of(architecture);
            let reads = Reads::of(chip);
            let words = chip
                .words
                .iter()
                .filter(|word| reads.among(word.number, word.mask).next().is_none());
            assert_eq!(words.map(|word| word.number).collect::<Vec<_>>(), unread, "{architecture}");
        }
    }

    /// Bits of words that a chip keeps and that nothing reads.
    fn unread_bits(architecture: Architecture) -> String {
        let chip = Chip::of(architecture);
        let reads = Reads::of(chip);
        let lines = chip.words.iter().filter_map(|word| {
            let bits = (0..32).map(|bit| 1 << bit).filter(|bit| word.mask & bit != 0);
            let unread = bits.filter(|bit| reads.among(word.number, *bit).next().is_none());
            let unread = unread.fold(0, |all, bit| all | bit);
            (unread != 0).then(|| format!("{}: {unread:#x}", word.number))
        });
        lines.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn every_bit_that_a_chip_keeps_is_read_but_for_a_few() {
        insta::assert_snapshot!(unread_bits(Architecture::WormholeB0), @"0: 0x7fe0, 1: 0x7fff, 2: 0xffc00002, 22: 0xffff, 23: 0xffff, 24: 0xff7f00ff, 25: 0xff7f00ff, 26: 0xff7f00ff, 27: 0xff7f00ff, 44: 0xfff, 52: 0xffffffd0, 53: 0xff00ff00, 58: 0xff7e0001, 59: 0x400000, 60: 0xf0000cc0, 61: 0xff00cc, 80: 0xffff0000, 81: 0xffff0000, 86: 0xff020001, 87: 0x400000, 92: 0xffd0, 93: 0xff00ff00, 98: 0xff7e0001, 99: 0x400000, 100: 0xf0000cc0, 101: 0xff00fc, 126: 0xff020001, 127: 0x400000, 164: 0xffffffff");
        insta::assert_snapshot!(unread_bits(Architecture::Blackhole), @"0: 0x7fe0, 1: 0x7fff, 2: 0xffc00002, 14: 0xffff, 15: 0xffffffff, 28: 0xff7f00ff, 29: 0xffffffff, 30: 0xffffffff, 31: 0xffffffff, 56: 0xffff, 64: 0xffffffd0, 65: 0xff00ff00, 70: 0xffa00005, 72: 0xf0000cc0, 73: 0xffff1ecc, 92: 0xffff0000, 93: 0xffff0000, 112: 0xffd0, 113: 0xff00ff00, 119: 0xff9fffff, 120: 0xf0000cc0, 121: 0xffff1efc, 181: 0x3ffff, 182: 0x3ffff, 183: 0x3ffff, 186: 0xffffffff, 209: 0xffffffff, 210: 0xffffffff, 211: 0xffffffff, 220: 0x4");
    }

    #[test]
    fn fields_are_sampled_when_the_pages_say_so() {
        let reads = Reads::of(Chip::of(Architecture::WormholeB0));
        for (word, bits, sampled) in [
            // Addresses, offsets and strides of packers; their formats and the mode of ReLU.
            (85, 1, Sampled::AtSomeStart),
            (153, 1, Sampled::AtStart),
            (8, 1 << 12, Sampled::AtStart),
            (86, 1 << 4, Sampled::UntilTheEnd),
            (2, 1 << 2, Sampled::UntilTheEnd),
            (20, 1, Sampled::UntilTheEnd),
            // The matrix unit, an unpacker.
            (2, 1, Sampled::Unsaid),
            (104, 1, Sampled::Unsaid),
        ] {
            let read = reads.among(word, bits).next().expect("a field that is read");
            assert_eq!(read.sampled, sampled, "{word} {bits:#x}");
        }
    }

    #[test]
    fn each_context_of_an_unpacker_has_its_own_sizes() {
        let read = |bits| {
            let among = read(Architecture::WormholeB0, 74, bits);
            among.iter().map(|(_, unit, context)| (*unit, *context)).collect::<Vec<_>>()
        };
        assert_eq!(read(1), [(Unit::Unpacker(0), 0)]);
        assert_eq!(read(1 << 16), [(Unit::Unpacker(0), 1)]);
    }
}
