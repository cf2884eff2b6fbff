//! The configuration that the matrix unit reads, and the call of an instruction.

use super::Executed;
use super::fields::Fields;
use super::table::Table;
use crate::Refusal;
use crate::counters::{AddressModifier, ReadWriteCounters};
use crate::formats::Format;
use crate::registers::{Destination, Registers, Source};

/// The configuration that the matrix unit reads (`BackendConfiguration.md`), decoded. Fields are named by their fields of
/// the executing thread's bank, or of the thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The chip.
    pub chip: &'static Table,
    /// `ALU_FORMAT_SPEC_REG0_SrcA`.
    pub source_a: Format,
    /// `ALU_FORMAT_SPEC_REG_SrcA_val`, if `ALU_FORMAT_SPEC_REG_SrcA_override` is set.
    pub source_a_override: Option<Format>,
    /// `ALU_FORMAT_SPEC_REG1_SrcB`.
    pub source_b: Format,
    /// `SrcA` has the format that the unpacker wrote (Blackhole, unless `DISABLE_IMPLIED_SRCA_FMT_Base` is set).
    pub implied_a: bool,
    /// `SrcB` has the format that the unpacker wrote (Blackhole, unless `DISABLE_IMPLIED_SRCB_FMT_Base` is set).
    pub implied_b: bool,
    /// `Dst` holds 32 bits (`ALU_ACC_CTRL_Fp32_enabled`).
    pub wide: bool,
    /// Integers of 8 bits, and `Dst` of 32 bits (`ALU_ACC_CTRL_INT8_math_enabled`).
    pub integers: bool,
    /// Denormals are not 0 (`ALU_ACC_CTRL_Zero_Flag_disabled_src`).
    pub keeps_denormals: bool,
    /// Added to rows of `Dst` (`DEST_TARGET_REG_CFG_MATH_Offset`).
    pub destination_offset: u32,
    /// Added to the fidelity phase (`FIDELITY_BASE_Phase`).
    pub fidelity_base: u32,
    /// Flips keep the bank of `SrcA` (`CLR_DVALID_SrcA_Disable`).
    pub keeps_source_a: bool,
    /// Flips keep the bank of `SrcB` (`CLR_DVALID_SrcB_Disable`).
    pub keeps_source_b: bool,
    /// `ADDR_MOD_AB_SEC`, `ADDR_MOD_DST_SEC` and `ADDR_MOD_BIAS_SEC`.
    pub modifiers: [AddressModifier; 8],
    /// Instructions use the second four modifiers (Wormhole: `ADDR_MOD_SET_Base`).
    pub second_modifiers: bool,
    /// The index of `ZEROACC` is that of a tile of the whole `Dst` (Blackhole:
    /// `DEST_ACCESS_CFG_zeroacc_absolute_tile_mode`).
    pub absolute_tiles: bool,
}

impl Settings {
    /// The settings of a chip whose configuration is 0.
    #[must_use]
    pub fn zero(chip: &'static Table) -> Self {
        Self {
            chip,
            source_a: Format::FLOAT32,
            source_a_override: None,
            source_b: Format::FLOAT32,
            implied_a: false,
            implied_b: false,
            wide: false,
            integers: false,
            keeps_denormals: false,
            destination_offset: 0,
            fidelity_base: 0,
            keeps_source_a: false,
            keeps_source_b: false,
            modifiers: [AddressModifier::default(); 8],
            second_modifiers: false,
            absolute_tiles: false,
        }
    }
}

/// An instruction that is executed.
pub(super) struct Call<'call> {
    pub(super) fields: Fields,
    pub(super) registers: &'call mut Registers,
    pub(super) counters: &'call mut ReadWriteCounters,
    pub(super) settings: &'call Settings,
}

/// Rows of `Dst` may begin anew after the last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Wraps,
    IsRefused,
}

impl Call<'_> {
    pub(super) fn word(&self) -> u32 {
        self.fields.word()
    }

    pub(super) fn unsupported(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::unsupported(self.word(), reason)
    }

    pub(super) fn unimplemented(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::unimplemented(self.word(), reason)
    }

    pub(super) fn undefined(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::undefined(self.word(), reason)
    }

    /// Waits until the matrix unit has the banks that the instruction reads.
    pub(super) fn wait(&self) -> Option<Executed> {
        let [for_a, for_b] = super::sources_of(self.word());
        let lacks = |source: &Source| !source.is_valid(source.matrix_bank());
        let source_a = for_a && lacks(&self.registers.source_a);
        let source_b = for_b && lacks(&self.registers.source_b);
        (source_a || source_b).then_some(Executed::Waits { source_a, source_b })
    }

    /// The format of `SrcA`. Only some instructions have the format that overrides it.
    pub(super) fn format_a(&self) -> Format {
        if self.settings.implied_a {
            self.registers.source_a.format(self.registers.source_a.matrix_bank())
        } else {
            self.settings.source_a_override.unwrap_or(self.settings.source_a)
        }
    }

    /// The format of `SrcB`.
    pub(super) fn format_b(&self) -> Format {
        if self.settings.implied_b {
            self.registers.source_b.format(self.registers.source_b.matrix_bank())
        } else {
            self.settings.source_b
        }
    }

    /// The format of `SrcA` for instructions that work on `SrcB`.
    pub(super) fn format_a_of_source_b(&self) -> Format {
        if self.settings.implied_a {
            self.registers.source_b.format(self.registers.source_b.matrix_bank())
        } else {
            self.settings.source_a_override.unwrap_or(self.settings.source_a)
        }
    }

    /// Refuses an operand that is not a multiple of `alignment`.
    pub(super) fn refuse_misaligned(&self, operand: u32, alignment: u32) -> Result<(), Refusal> {
        if operand.is_multiple_of(alignment) {
            Ok(())
        } else {
            Err(self.unsupported(format!(
                "the operand {operand} is not a multiple of {alignment} rows"
            )))
        }
    }

    pub(super) fn refuse_override(&self) -> Result<(), Refusal> {
        match self.settings.source_a_override {
            None => Ok(()),
            Some(_) => {
                Err(self.unsupported("ALU_FORMAT_SPEC_REG_SrcA_override is set for arithmetic"))
            }
        }
    }

    /// The row of `SrcA`, which must be a multiple of `alignment`.
    pub(super) fn row_a(&self, operand: u32, alignment: u32) -> Result<u32, Refusal> {
        self.source_row("SrcA", operand.wrapping_add(self.counters.source_a.value), alignment)
    }

    /// The row of `SrcB`, which must be a multiple of `alignment`.
    pub(super) fn row_b(&self, operand: u32, alignment: u32) -> Result<u32, Refusal> {
        self.source_row("SrcB", operand.wrapping_add(self.counters.source_b.value), alignment)
    }

    fn source_row(&self, register: &str, row: u32, alignment: u32) -> Result<u32, Refusal> {
        if !row.is_multiple_of(alignment) {
            return Err(self.unsupported(format!(
                "row {row} of {register} is not a multiple of {alignment} (RWCs.md)"
            )));
        }
        if row >= Source::ROWS {
            return Err(self.unsupported(format!("row {row} of {register} is beyond its 64 rows")));
        }
        Ok(row)
    }

    /// The row of `Dst`, which must be a multiple of `alignment`.
    pub(super) fn destination_row(
        &self,
        operand: u32,
        alignment: u32,
        end: End,
    ) -> Result<u32, Refusal> {
        let row = operand
            .wrapping_add(self.counters.destination.value)
            .wrapping_add(self.settings.destination_offset);
        let refused = |reason: String| match end {
            End::Wraps => self.unimplemented(reason),
            End::IsRefused => self.unsupported(reason),
        };
        if !row.is_multiple_of(alignment) {
            return Err(refused(format!(
                "row {row} of Dst is not a multiple of {alignment} (Dst.md)"
            )));
        }
        if row >= Destination::ROWS && end == End::IsRefused {
            return Err(refused(format!("row {row} of Dst is beyond its 1024 rows (Dst.md)")));
        }
        Ok(row % Destination::ROWS)
    }

    /// Applies the address modifier of a mode.
    pub(super) fn advance(&mut self, mode: u32) -> Result<(), Refusal> {
        let word = self.word();
        let settings = self.settings;
        let second = settings.chip.has_bias.then_some(settings.second_modifiers);
        let modifier = self.counters.modifier(word, mode, &settings.modifiers, second)?;
        self.counters.apply(word, &modifier, true)
    }

    /// Flips banks: bit 0 that of `SrcA`, bit 1 that of `SrcB`.
    pub(super) fn flip(&mut self, banks: u32) -> Result<(), Refusal> {
        let (keeps_a, keeps_b) = (self.settings.keeps_source_a, self.settings.keeps_source_b);
        self.give_back(banks, keeps_a, keeps_b)
    }

    /// Gives banks back to unpackers, unless they are kept, and goes on with the others.
    pub(super) fn give_back(
        &mut self,
        banks: u32,
        keeps_a: bool,
        keeps_b: bool,
    ) -> Result<(), Refusal> {
        if banks & 1 != 0 && !self.registers.source_a.give_to_unpacker(keeps_a) {
            return Err(self.gives_what_it_lacks("SrcA"));
        }
        if banks & 2 != 0 && !self.registers.source_b.give_to_unpacker(keeps_b) {
            return Err(self.gives_what_it_lacks("SrcB"));
        }
        Ok(())
    }

    fn gives_what_it_lacks(&self, register: &str) -> Refusal {
        Refusal::non_contractual(
            self.word(),
            format!(
                "it gives a bank of {register} to the unpacker, which has it already (SrcASrcB.md): wait for \
                 the bank first"
            ),
        )
    }
}
