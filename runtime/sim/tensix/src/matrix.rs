//! The matrix unit (`MatrixUnit.md`).
//!
//! The documentation calls its floating-point model approximate (`MVMUL.md`). The numbers here are those of Tenstorrent's
//! simulator; `tests/matrix_facts/main.rs` holds the hashes of its results.

mod elementwise;
mod fields;
mod moves;
mod multiply;
mod number;
mod pool;
mod processor;
mod products;
mod settings;
mod sources;
mod table;
mod zero;

pub use settings::Settings;
pub use table::{BLACKHOLE, Table, WORMHOLE_B0};

use self::fields::Fields;
use self::settings::Call;
use crate::Refusal;
use crate::counters::ReadWriteCounters;
use crate::registers::Registers;

/// What became of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It is done.
    Done,
    /// It changed nothing and waits until unpackers give the matrix unit the banks that it reads next.
    Waits {
        /// That of `SrcA` is among them.
        source_a: bool,
        /// That of `SrcB` is among them.
        source_b: bool,
    },
}

/// Opcodes of the matrix unit.
mod opcode {
    pub(super) const MOVD2A: u32 = 0x08;
    pub(super) const MOVD2B: u32 = 0x0A;
    pub(super) const MOVB2A: u32 = 0x0B;
    pub(super) const ZEROACC: u32 = 0x10;
    pub(super) const ZEROSRC: u32 = 0x11;
    pub(super) const MOVA2D: u32 = 0x12;
    pub(super) const MOVB2D: u32 = 0x13;
    pub(super) const TRNSPSRCB: u32 = 0x16;
    pub(super) const MVMUL: u32 = 0x26;
    pub(super) const ELWMUL: u32 = 0x27;
    pub(super) const ELWADD: u32 = 0x28;
    pub(super) const ELWSUB: u32 = 0x30;
    pub(super) const GMPOOL: u32 = 0x33;
    pub(super) const GAPOOL: u32 = 0x34;
    pub(super) const GATESRCRST: u32 = 0x35;
    pub(super) const CLEARDVALID: u32 = 0x36;
    pub(super) const SETRWC: u32 = 0x37;
    pub(super) const INCRWC: u32 = 0x38;
}

/// Whether an instruction reads a bank of `SrcA` and of `SrcB`, for which it waits until unpackers have given it.
#[must_use]
pub const fn sources_of(word: u32) -> [bool; 2] {
    match word >> 24 {
        opcode::MVMUL
        | opcode::GAPOOL
        | opcode::GMPOOL
        | opcode::ELWADD
        | opcode::ELWSUB
        | opcode::ELWMUL => [true; 2],
        opcode::MOVA2D => [true, false],
        opcode::MOVB2D | opcode::MOVB2A | opcode::TRNSPSRCB => [false, true],
        _ => [false; 2],
    }
}

/// How soon an instruction has written the registers (`MatrixUnit.md`, "Latency").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// It writes counters and banks alone.
    Nothing,
    /// In the next cycle.
    AtOnce,
    /// Later.
    Later,
}

/// How soon an instruction has written the registers.
pub(crate) const fn written(word: u32) -> Written {
    match word >> 24 {
        opcode::SETRWC | opcode::INCRWC | opcode::CLEARDVALID | opcode::GATESRCRST => {
            Written::Nothing
        }
        opcode::ZEROACC | opcode::ZEROSRC | opcode::TRNSPSRCB => Written::AtOnce,
        _ => Written::Later,
    }
}

/// Whether an instruction reads formats and modes of the matrix unit in the configuration, by its opcode. `ZEROACC` does not:
/// how it counts tiles is set once.
#[must_use]
pub const fn reads_configuration(opcode: u32) -> bool {
    matches!(
        opcode,
        opcode::MOVD2A
            | opcode::MOVD2B
            | opcode::MOVA2D
            | opcode::MOVB2D
            | opcode::MVMUL
            | opcode::ELWMUL
            | opcode::ELWADD
            | opcode::ELWSUB
            | opcode::GMPOOL
            | opcode::GAPOOL
    )
}

/// Executes an instruction of the matrix unit. `None` if it is none.
///
/// # Errors
///
/// The instruction breaks a rule, or it asks for something that is not there.
pub fn execute(
    word: u32,
    registers: &mut Registers,
    counters: &mut ReadWriteCounters,
    settings: &Settings,
) -> Option<Result<Executed, Refusal>> {
    let mut call = Call { fields: Fields::of(word), registers, counters, settings };
    Some(match word >> 24 {
        opcode::MVMUL => multiply::mvmul(&mut call),
        opcode::GAPOOL => multiply::gapool(&mut call),
        opcode::ELWADD => elementwise::execute(&mut call, elementwise::Operation::Add),
        opcode::ELWSUB => elementwise::execute(&mut call, elementwise::Operation::Subtract),
        opcode::ELWMUL => elementwise::execute(&mut call, elementwise::Operation::Multiply),
        opcode::GMPOOL => pool::gmpool(&mut call),
        opcode::MOVA2D => moves::mova2d(&mut call),
        opcode::MOVB2D => moves::movb2d(&mut call),
        opcode::MOVD2A => moves::movd2a(&mut call),
        opcode::MOVD2B => moves::movd2b(&mut call),
        opcode::MOVB2A => moves::movb2a(&mut call),
        opcode::TRNSPSRCB => moves::trnspsrcb(&mut call),
        opcode::ZEROACC => zero::zeroacc(&mut call),
        opcode::ZEROSRC => zero::zerosrc(&mut call),
        opcode::CLEARDVALID => sources::cleardvalid(&mut call),
        opcode::GATESRCRST => sources::gatesrcrst(&mut call),
        opcode::SETRWC => sources::setrwc(&mut call),
        opcode::INCRWC => sources::incrwc(&mut call),
        _ => return None,
    })
}
