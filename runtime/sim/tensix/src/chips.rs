//! What tells the coprocessors of chips apart, as tables.
//!
//! The fields of configuration words are those of TT-Metalium's `cfg_defines.h`.

mod blackhole;
mod starting;
mod wormhole_b0;

use hallmark_chip::Architecture;

use self::starting::GRAYSKULL;
use crate::bits::Field;
use crate::units::{Source, Unit};
use crate::{matrix, vector};

/// A configuration word that the simulator keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) number: u16,
    /// The bits that exist.
    pub(crate) mask: u32,
}

/// The bits of operands, by opcode: every instruction that is issued is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    by_opcode: [Option<u32>; 256],
}

impl Operands {
    /// Of opcodes that rise, and their bits.
    #[expect(clippy::indexing_slicing, reason = "constants are built from it, and all have 256")]
    pub(crate) const fn new(entries: &[(u8, u32)]) -> Self {
        let mut by_opcode = [None; 256];
        let mut number = 0;
        while number < entries.len() {
            let (opcode, bits) = entries[number];
            assert!(number == 0 || entries[number - 1].0 < opcode, "opcodes rise");
            by_opcode[opcode as usize] = Some(bits);
            number += 1;
        }
        Self { by_opcode }
    }

    /// The opcodes.
    #[cfg(test)]
    fn opcodes(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.by_opcode).filter_map(|(opcode, bits)| bits.map(|_| opcode))
    }
}

/// A field that has to be 0, and the feature that it asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absent {
    pub(crate) field: Field,
    pub(crate) feature: &'static str,
}

impl Absent {
    pub(crate) const fn new(word: u16, low: u8, width: u8, feature: &'static str) -> Self {
        Self { field: Field::new(word, low, width), feature }
    }
}

/// A condition of STALLWAIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// A unit has finished the thread's instructions. Their values are there as soon as they are issued; it matters who has
    /// waited.
    Finished(Option<Unit>),
    /// The stores of the thread's core to general registers and to configuration have reached these. Their values are there
    /// at once; it matters who has waited.
    Processed,
    /// The unpacker may write its bank of the source.
    Cleared(Source),
    /// The matrix unit may use its bank of the source.
    Valid(Source),
}

/// The encoding of the operation of UNPACR_NOP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NopOfUnpackers {
    /// A mode.
    Mode,
    /// A field for each part.
    Fields,
}

/// Formats and modes of the matrix unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alu {
    pub(crate) source_a_override: Field,
    pub(crate) source_a_value: Field,
    pub(crate) unsigned: [Field; 2],
    /// Of SrcA, SrcB.
    pub(crate) source: [Field; 2],
    pub(crate) dst: Field,
    pub(crate) fp32: Field,
    /// 32 bits for the vector unit.
    pub(crate) vector_fp32: Field,
    pub(crate) int8: Field,
    pub(crate) zero_flag_disabled: Field,
}

/// Where an unpacker is configured. Pairs are for contexts 0 and 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unpacker {
    pub(crate) input_format: Field,
    pub(crate) no_exponents: Field,
    pub(crate) x_dim: [Field; 2],
    pub(crate) y_dim: Field,
    pub(crate) z_dim: Field,
    pub(crate) output_format: Field,
    pub(crate) throttle: Field,
    pub(crate) haloize: Field,
    pub(crate) tileize: Field,
    pub(crate) row_stride: [Field; 3],
    pub(crate) uncompressed: [Field; 2],
    pub(crate) force_exponent: Field,
    pub(crate) base: [Field; 2],
    pub(crate) y_stride: Option<Field>,
    pub(crate) z_stride: Field,
    pub(crate) w_stride: Field,
    /// What only unpacker 0 has.
    pub(crate) first: Option<FirstUnpacker>,
    /// Of the thread that unpacks.
    pub(crate) context: Field,
    /// Floats of 8 bits have 4 bits of exponent.
    pub(crate) four_bit_exponent: Option<Field>,
    /// The throttle is the configured one, and not that of the format.
    pub(crate) overrides_throttle: Option<Field>,
    pub(crate) absent: &'static [Absent],
}

/// What unpacker 0 alone has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstUnpacker {
    pub(crate) offset: [Field; 2],
    pub(crate) to_dst: [Field; 2],
    pub(crate) destination: [Field; 2],
    pub(crate) adds_counter: Field,
    pub(crate) forced_exponent: Field,
    /// The shift of columns, of each context.
    pub(crate) shift: [Field; 2],
}

/// Where a packer is configured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packer {
    pub(crate) exponent_section: Field,
    pub(crate) l1_address: Field,
    pub(crate) input_format: Field,
    pub(crate) output_format: Field,
    pub(crate) accumulates: Field,
    pub(crate) has_threshold: Field,
    /// The exponent below which a datum is 0.
    pub(crate) threshold: Field,
    pub(crate) dst_offset: Field,
    pub(crate) reads_per_plane: Field,
}

/// What packers read of Dst.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Readers {
    /// Each packer reads rows of its own.
    Packers,
    /// One packer reads rows through four interfaces, apart if both fields are set.
    Interfaces { apart: [Field; 2] },
}

/// What the packers share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    pub(crate) readers: Readers,
    /// Bytes of L1 for each step of the output's counter Y.
    pub(crate) output_stride: Option<Field>,
    pub(crate) four_bit_exponent: Option<Field>,
    /// Conversions from 32 bits to 16-bit floats of 5 bits of exponent, and to floats of 8 bits.
    pub(crate) has_float16_of_32_bits: bool,
    pub(crate) x_stride: Field,
    pub(crate) y_stride: Field,
    pub(crate) z_stride: Field,
    pub(crate) w_stride: Field,
    pub(crate) read_32_bit: Field,
    pub(crate) read_unsigned: Field,
    pub(crate) read_raw: Field,
    pub(crate) round_10_bit: Field,
    pub(crate) relu_mode: Field,
    pub(crate) relu_threshold: Field,
    pub(crate) row_sets: [u16; 2],
    pub(crate) edge_masks: [Field; 2],
    pub(crate) edge_mode: Field,
    pub(crate) row_set_select: Field,
    pub(crate) absent: &'static [Absent],
}

/// Where a thread is configured (SETC16).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadWords {
    pub(crate) state_id: Field,
    pub(crate) dst_offset: Field,
    pub(crate) upper_modifiers: Option<Field>,
    pub(crate) source_a_bank: Field,
    pub(crate) override_with_address: Field,
    pub(crate) keep_valid: [Field; 2],
    pub(crate) fidelity: Field,
    /// Sources do not have the format that the unpacker wrote.
    pub(crate) explicit_formats: Option<[Field; 2]>,
    /// The words of the address modifiers: of the sources, of Dst, of the bias.
    pub(crate) modifiers: [[u16; 3]; 8],
    /// The words of the packers' address modifiers.
    pub(crate) pack_modifiers: [u16; 4],
}

/// The coprocessor of a chip.
#[derive(Debug)]
pub struct Chip {
    /// The bits of each opcode's operands. An instruction with others is undefined.
    pub(crate) operands: Operands,
    /// Opcodes that only the other chip has.
    pub(crate) lacks: &'static [u8],
    /// Words of each of the two banks of the configuration.
    pub(crate) bank_words: u16,
    /// From this word on both banks are one.
    pub(crate) shared_from: u16,
    pub(crate) words: &'static [Word],
    /// Fields of these words that are never set.
    pub(crate) absent: &'static [Absent],
    /// Words that SETC16 writes.
    pub(crate) thread_words: &'static [u8],
    pub(crate) mutexes: u32,
    /// The conditions of STALLWAIT, from bit 0 on.
    pub(crate) conditions: &'static [Option<Condition>],
    /// The configuration words that REG2FLOP reaches: the first, and the one after the last.
    pub(crate) reached_by_scalar_unit: Option<(u16, u16)>,
    /// SETDVALID is defined.
    pub(crate) sets_valid: bool,
    /// Words that CFGSHIFTMASK adds.
    pub(crate) scratch: Option<[u16; 3]>,
    pub(crate) nop_of_unpackers: NopOfUnpackers,
    /// The number of data in an unpacker's row in L1, if a datum has 16 or 32 bits.
    pub(crate) row_of_wide_data: u32,
    /// Rows of SrcA beyond the last wrap around.
    pub(crate) source_a_wraps: bool,
    /// The largest magnitude of a float of 8 bits gets a mantissa of ones.
    pub(crate) largest_float8_is_padded: bool,
    /// ZEROACC counts tiles from the start of Dst.
    pub(crate) absolute_tiles: Option<Field>,
    pub(crate) matrix: &'static matrix::Table,
    pub(crate) vector: &'static vector::Table,
    /// The word that starts the random numbers of the vector unit.
    pub(crate) random_seed: u16,
    pub(crate) alu: Alu,
    pub(crate) unpackers: [Unpacker; 2],
    pub(crate) packers: &'static [Packer],
    pub(crate) packing: Packing,
    pub(crate) thread: ThreadWords,
}

impl Chip {
    /// The coprocessor of an architecture.
    #[must_use]
    pub const fn of(architecture: Architecture) -> &'static Self {
        match architecture {
            Architecture::Grayskull => &GRAYSKULL,
            Architecture::WormholeB0 => &wormhole_b0::CHIP,
            Architecture::Blackhole => &blackhole::CHIP,
        }
    }

    /// The bits that belong to the operands of an instruction, by its opcode; `None` if the chip does not have the instruction.
    pub(crate) fn operands_of(&self, word: u32) -> Option<u32> {
        self.operands.by_opcode.get((word >> 24) as usize).copied().flatten()
    }

    /// Whether it computes, and does not only start.
    #[must_use]
    pub const fn computes(&self) -> bool {
        !self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chips() -> impl Iterator<Item = &'static Chip> {
        Architecture::ALL.into_iter().map(Chip::of)
    }

    #[test]
    fn tables_rise() {
        for chip in chips() {
            assert!(chip.words.is_sorted_by(|one, other| one.number < other.number));
            assert!(chip.thread_words.is_sorted_by(|one, other| one < other));
        }
    }

    #[test]
    fn blackhole_has_instructions_that_wormhole_lacks() {
        let has = |architecture, word| Chip::of(architecture).operands_of(word).is_some();
        for (word, wormhole, blackhole) in
            [(0xB800_0001, false, true), (0x2600_0001, true, true), (0xFF00_0001, false, false)]
        {
            assert_eq!(has(Architecture::WormholeB0, word), wormhole, "{word:#x}");
            assert_eq!(has(Architecture::Blackhole, word), blackhole, "{word:#x}");
        }
    }

    #[test]
    fn every_opcode_of_a_table_has_a_name() {
        for opcode in chips().flat_map(|chip| chip.operands.opcodes()) {
            assert!(crate::opcodes::name(opcode << 24).is_some(), "{opcode:#x}");
        }
    }
}
