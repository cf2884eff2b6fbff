//! The configuration that the vector unit reads, and the call of an instruction.

use hallmark_chip::FaultCategory;

use super::lanes::lanes_where;
use super::table::Table;
use super::{LaneBit, opcode};
use crate::Refusal;
use crate::bits::bits;
use crate::counters::{AddressModifier, ReadWriteCounters};
use crate::formats::Format;
use crate::registers::{Destination, Vector, Vectors};

/// The configuration that the vector unit reads (`BackendConfiguration.md`), decoded. Fields are named by their fields of
/// the executing thread's bank, or of the thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The chip.
    pub chip: &'static Table,
    /// `Dst` holds 32 bits for loads and stores without a format (`ALU_ACC_CTRL_SFPU_Fp32_enabled`).
    pub wide: bool,
    /// `ALU_FORMAT_SPEC_REG1_SrcB`.
    pub source_b: Format,
    /// Added to rows of `Dst` (`DEST_TARGET_REG_CFG_MATH_Offset`).
    pub destination_offset: u32,
    /// `ADDR_MOD_AB_SEC`, `ADDR_MOD_DST_SEC` and `ADDR_MOD_BIAS_SEC`.
    pub modifiers: [AddressModifier; 8],
    /// Instructions use the second four modifiers (Wormhole: `ADDR_MOD_SET_Base`).
    pub second_modifiers: bool,
}

impl Settings {
    /// The settings of a chip whose configuration is 0.
    #[must_use]
    pub fn zero(chip: &'static Table) -> Self {
        Self {
            chip,
            wide: false,
            source_b: Format::FLOAT32,
            destination_offset: 0,
            modifiers: [AddressModifier::default(); 8],
            second_modifiers: false,
        }
    }
}

/// An instruction: its mode, and the registers that it reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) word: u32,
    pub(super) mode: u32,
    /// `VD`.
    pub(super) d: u32,
    /// `VC`. Of instructions with one register, that is `VD`.
    pub(super) c: u32,
    /// `VB`. Of instructions with two registers, that is `VD`.
    pub(super) b: u32,
    /// `VA`.
    pub(super) a: u32,
}

impl Operation {
    pub(super) fn of(word: u32, chip: &Table) -> Self {
        let all = Self {
            word,
            mode: bits(word, 0, 4),
            d: bits(word, 4, 4),
            c: bits(word, 8, 4),
            b: bits(word, 12, 4),
            a: bits(word, 16, 4),
        };
        match word >> 24 {
            opcode::SFPLOAD..=opcode::SFPLUT | opcode::SFPLOADMACRO => {
                Self { mode: bits(word, 16, 4), d: bits(word, 20, 4), ..all }
            }
            opcode::SFPMULI | opcode::SFPADDI => Self { c: all.d, ..all },
            opcode::SFPAND | opcode::SFPOR if chip.has_second_source && all.mode & 1 == 1 => all,
            opcode::SFPAND
            | opcode::SFPOR
            | opcode::SFPXOR
            | opcode::SFPIADD
            | opcode::SFPSHFT
            | opcode::SFPSETEXP
            | opcode::SFPSETMAN
            | opcode::SFPSETSGN
            | opcode::SFPLE
            | opcode::SFPGT => Self { b: all.d, ..all },
            _ => all,
        }
    }

    /// A bit of the mode.
    pub(super) const fn has(&self, bit: u32) -> bool {
        self.mode & bit != 0
    }

    /// The immediate of 12 bits.
    pub(super) const fn immediate_12(&self) -> u32 {
        bits(self.word, 12, 12)
    }

    /// The immediate of 12 bits, with a sign.
    pub(super) const fn signed_12(&self) -> i32 {
        (self.immediate_12() << 20) as i32 >> 20
    }

    /// The immediate of 16 bits.
    pub(super) const fn immediate_16(&self) -> u32 {
        bits(self.word, 8, 16)
    }
}

/// An instruction that is executed.
pub(super) struct Call<'call> {
    pub(super) operation: Operation,
    pub(super) vectors: &'call mut Vectors,
    pub(super) destination: &'call mut Destination,
    pub(super) counters: &'call mut ReadWriteCounters,
    pub(super) settings: &'call Settings,
}

impl Call<'_> {
    pub(super) fn unsupported(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::unsupported(self.operation.word, reason)
    }

    pub(super) fn unimplemented(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::unimplemented(self.operation.word, reason)
    }

    pub(super) fn undefined(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::undefined(self.operation.word, reason)
    }

    pub(super) fn non_contractual(&self, reason: impl std::fmt::Display) -> Refusal {
        Refusal::non_contractual(self.operation.word, reason)
    }

    /// Unknown data decide more than the data of their lanes.
    pub(super) fn unknown_decides(&self, what: &str) -> Refusal {
        Refusal::of(
            self.operation.word,
            FaultCategory::UnpredictableValueUsed,
            format!("{what}, which nothing has written since power-on"),
        )
    }

    /// Refuses bits of the mode that the page leaves open.
    pub(super) fn refuse_reserved(&self, bits: u32) -> Result<(), Refusal> {
        match self.operation.mode & bits {
            0 => Ok(()),
            bits => {
                Err(self.non_contractual(format!("the bits {bits:#x} of its mode are reserved")))
            }
        }
    }

    /// The chip has the mode, and the simulator lacks it.
    pub(super) fn unsupported_mode(&self) -> Refusal {
        self.unsupported(format!("its mode {} is not simulated", self.operation.mode))
    }

    /// The register `VC`.
    pub(super) fn c(&self) -> &Vector {
        self.vectors.register(self.operation.c)
    }

    /// The register `VB`.
    pub(super) fn b(&self) -> &Vector {
        self.vectors.register(self.operation.b)
    }

    /// Writes the enabled lanes of `VD`.
    pub(super) fn write(&mut self, vector: &Vector) {
        self.vectors.write(self.operation.d, vector);
    }

    /// Whether an instruction of this `VD` may set flags (`VD < 8` in the functional models).
    pub(super) const fn may_set_flags(&self) -> bool {
        self.operation.d < 8
    }

    /// Writes the enabled lanes of the register that `LReg[7]` names in each lane.
    pub(super) fn write_by_register_7(&mut self, vector: &Vector) -> Result<(), Refusal> {
        let numbers = *self.register_7()?;
        let undecided = self.vectors.undecided();
        if undecided != 0 {
            return Err(
                self.unknown_decides("the flags of lanes decide which registers are written")
            );
        }
        for number in 0..8 {
            let lanes = lanes_where(&numbers.lanes, |datum| datum & 15 == number);
            self.vectors.write_lanes(number, lanes, vector);
        }
        Ok(())
    }

    /// `LReg[7]`, which numbers registers.
    pub(super) fn register_7(&self) -> Result<&Vector, Refusal> {
        let numbers = self.vectors.register(7);
        if numbers.unknown & self.vectors.enabled() == 0 {
            Ok(numbers)
        } else {
            Err(self.unknown_decides("LReg[7] says which registers are meant"))
        }
    }

    /// Instructions whose `VD` is 12 or more are kept as templates of `SFPLOADMACRO`, unless the configuration of the lanes
    /// has them executed (`SFPCONFIG.md`, `DISABLE_BACKDOOR_LOAD`).
    pub(super) fn keeps_template(&mut self) -> Result<bool, Refusal> {
        let opcode = self.operation.word >> 24;
        if self.operation.d < 12 || matches!(opcode, opcode::SFPCONFIG | opcode::SFPLOADMACRO) {
            return Ok(false);
        }
        match self.vectors.lanes().with(LaneBit::DisableBackdoorLoad) {
            u32::MAX => return Ok(false),
            0 => {}
            _ => return Err(self.unsupported("it is kept as a template in some lanes alone")),
        }
        if opcode <= opcode::SFPLUT {
            return Err(self.unsupported("a template of a load or a store is not simulated"));
        }
        if self.vectors.enabled() != u32::MAX || self.vectors.undecided() != 0 {
            return Err(self.unsupported("a template while some lanes are not enabled"));
        }
        let (word, index) = (self.operation.word, self.operation.d - 12);
        if let Some(template) = self.vectors.macros.templates.get_mut(index as usize) {
            *template = word;
        }
        Ok(true)
    }

    /// While `SFPSWAP` moves indices, other instructions write wrong data to the registers of the indices (Tenstorrent's
    /// simulator: the erratum TEN-2932 of both chips).
    pub(super) fn refuse_corrupted_indices(&self) -> Result<(), Refusal> {
        let opcode = self.operation.word >> 24;
        let writes = !matches!(
            opcode,
            opcode::SFPLOAD
                ..=opcode::SFPSTORE | opcode::SFPCONFIG | opcode::SFPSWAP | opcode::SFPLOADMACRO
        );
        let d = self.operation.d;
        if writes && (4..8).contains(&d) && self.vectors.lanes().with(LaneBit::EnableDestIndex) != 0
        {
            return Err(self.unsupported(format!(
                "it writes LReg[{d}] while ENABLE_DEST_INDEX is set, which corrupts the result (erratum TEN-2932)"
            )));
        }
        Ok(())
    }
}
