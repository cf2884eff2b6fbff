//! RV32IM and its extensions in a form that the execution loop need not take apart again.
//!
//! A decoded instruction is one 64-bit word, so that a tile's whole table can come zeroed from the
//! allocator: operation in bits 0–7, destination 8–13, [`WATCHED`] 15, sources 16–21 and 24–29,
//! immediate 32–63, [`FETCHED_BY`] between them.

use hallmark_chip::sabotage::PlantedDefect;
use hallmark_chip::{InstructionSet, Processor};

use crate::machine::fault::Violation;

pub(crate) type Decoded = u64;

/// Somebody waits on this word of L1; has nothing to do with the instruction.
pub(crate) const WATCHED: Decoded = 1 << 15;

/// A core, by its number, has fetched this word of L1 since it was written last: its instruction cache
/// may hold it.
const FETCHED_BY: [Decoded; 5] = [1 << 14, 1 << 22, 1 << 23, 1 << 30, 1 << 31];

pub(crate) fn fetched_by(processor: Processor) -> Decoded {
    FETCHED_BY.get(processor.index()).copied().unwrap_or(LOOKED_AT)
}

/// All of them.
pub(crate) const FETCHED: Decoded = 1 << 14 | 1 << 22 | 1 << 23 | 1 << 30 | 1 << 31;

/// Nobody: the word is only looked at.
pub(crate) const LOOKED_AT: Decoded = 0;

/// Writes to x0 go to this register, which nobody reads.
pub(crate) const SINK: u32 = 32;

macro_rules! operations {
    ($($none:ident)*; $($name:ident)*) => {
        operations!(@ 0u8; $($none)* $($name)*);

        /// For each instruction, from [`FIRST_INSTRUCTION`] on, the defect that it does something else than it
        /// should.
        pub(crate) const WRONG_INSTRUCTIONS: &[PlantedDefect] = &[
            $(PlantedDefect {
                name: concat!("Wrong_", stringify!($name)),
                what: concat!("Simulator: ", stringify!($name), " does something else than it should."),
            }),*
        ];
    };
    (@ $number:expr; $name:ident $($rest:ident)*) => {
        pub(crate) const $name: u8 = $number;
        operations!(@ $number + 1; $($rest)*);
    };
    (@ $number:expr;) => {};
}

operations! {
    UNDECODED ILLEGAL;
    FENCE
    LUI AUIPC JAL JALR
    BEQ BNE BLT BGE BLTU BGEU
    LB LH LW LBU LHU
    SB SH SW
    ADDI SLTI SLTIU XORI ORI ANDI SLLI SRLI SRAI
    RORI CLZ CTZ CPOP SEXT_B SEXT_H ORC_B REV8 BREV8
    ADD SUB SLL SLT SLTU XOR SRL SRA OR AND
    MUL MULH MULHSU MULHU DIV DIVU REM REMU
    SH1ADD SH2ADD SH3ADD ANDN ORN XNOR MIN MINU MAX MAXU ROL ROR PACK
    AMOSWAP AMOADD AMOXOR AMOAND AMOOR AMOMIN AMOMAX AMOMINU AMOMAXU
    CSRRW CSRRS CSRRC CSRRWI CSRRSI CSRRCI
}

/// The first operation that is an instruction.
pub(crate) const FIRST_INSTRUCTION: u8 = FENCE;
/// The first and last operation of one source and an immediate, if it has one.
pub(crate) const FIRST_OF_ONE: u8 = ADDI;
pub(crate) const LAST_OF_ONE: u8 = BREV8;
/// The first and last operation of two sources.
pub(crate) const FIRST_OF_TWO: u8 = ADD;
pub(crate) const LAST_OF_TWO: u8 = PACK;

pub(crate) fn operation(decoded: Decoded) -> u8 {
    decoded as u8
}

pub(crate) fn destination(decoded: Decoded) -> usize {
    (decoded >> 8) as usize & 63
}

pub(crate) fn source_1(decoded: Decoded) -> usize {
    (decoded >> 16) as usize & 63
}

pub(crate) fn source_2(decoded: Decoded) -> usize {
    (decoded >> 24) as usize & 63
}

pub(crate) fn immediate(decoded: Decoded) -> u32 {
    (decoded >> 32) as u32
}

fn pack(operation: u8, word: u32, immediate: u32) -> Decoded {
    let destination = match (word >> 7) & 31 {
        0 => SINK,
        register => register,
    };
    u64::from(operation)
        | u64::from(destination) << 8
        | u64::from((word >> 15) & 31) << 16
        | u64::from((word >> 20) & 31) << 24
        | u64::from(immediate) << 32
}

fn immediate_i(word: u32) -> u32 {
    (word as i32 >> 20) as u32
}

fn immediate_s(word: u32) -> u32 {
    ((word as i32 >> 25) << 5) as u32 | (word >> 7) & 31
}

fn immediate_b(word: u32) -> u32 {
    ((word as i32 >> 31) << 12) as u32
        | (word >> 7 & 1) << 11
        | (word >> 25 & 63) << 5
        | (word >> 8 & 15) << 1
}

fn immediate_j(word: u32) -> u32 {
    ((word as i32 >> 31) << 20) as u32
        | word & 0xF_F000
        | (word >> 20 & 1) << 11
        | (word >> 21 & 0x3FF) << 1
}

/// Zba and Zbb, with the two of Zbkb that the cores execute too; the immediate is a shift.
fn bit_manipulation(word: u32) -> Option<(u8, u32)> {
    let (function_7, function_3) = (word >> 25, (word >> 12) & 7);
    let second = word >> 20 & 31;
    let operation = match (word & 0x7F, function_7, function_3) {
        (0x13, 0x30, 1) => match second {
            0 => CLZ,
            1 => CTZ,
            2 => CPOP,
            4 => SEXT_B,
            5 => SEXT_H,
            _ => return None,
        },
        (0x13, 0x30, 5) => return Some((RORI, second)),
        (0x13, 0x14, 5) if second == 7 => ORC_B,
        (0x13, 0x34, 5) if second == 24 => REV8,
        (0x13, 0x34, 5) if second == 7 => BREV8,
        (0x33, 0x10, 2) => SH1ADD,
        (0x33, 0x10, 4) => SH2ADD,
        (0x33, 0x10, 6) => SH3ADD,
        (0x33, 0x20, 4) => XNOR,
        (0x33, 0x20, 6) => ORN,
        (0x33, 0x20, 7) => ANDN,
        (0x33, 0x05, 4) => MIN,
        (0x33, 0x05, 5) => MINU,
        (0x33, 0x05, 6) => MAX,
        (0x33, 0x05, 7) => MAXU,
        (0x33, 0x30, 1) => ROL,
        (0x33, 0x30, 5) => ROR,
        // With x0 it is `zext.h`.
        (0x33, 0x04, 4) => PACK,
        _ => return None,
    };
    Some((operation, 0))
}

/// Zaamo; the bits `aq` and `rl` mean nothing (BabyRISCV/MemoryOrdering.md, "Atomics").
fn atomic(word: u32) -> Option<u8> {
    if word & 0x707F != 0x202F {
        return None;
    }
    Some(match word >> 27 {
        0x00 => AMOADD,
        0x01 => AMOSWAP,
        0x04 => AMOXOR,
        0x08 => AMOOR,
        0x0C => AMOAND,
        0x10 => AMOMIN,
        0x14 => AMOMAX,
        0x18 => AMOMINU,
        0x1C => AMOMAXU,
        _ => return None,
    })
}

/// Zicsr; the immediate is the register's number.
fn control_register(word: u32) -> Option<u8> {
    Some(match word & 0x707F {
        0x1073 => CSRRW,
        0x2073 => CSRRS,
        0x3073 => CSRRC,
        0x5073 => CSRRWI,
        0x6073 => CSRRSI,
        0x7073 => CSRRCI,
        _ => return None,
    })
}

/// Decodes an instruction word; what is no instruction of the set becomes [`ILLEGAL`].
pub(crate) fn decode(word: u32, set: &InstructionSet) -> Decoded {
    if set.bit_manipulation
        && let Some((operation, immediate)) = bit_manipulation(word)
    {
        return pack(operation, word, immediate);
    }
    if set.atomics
        && let Some(operation) = atomic(word)
    {
        return pack(operation, word, 0);
    }
    if set.control_registers
        && let Some(operation) = control_register(word)
    {
        return pack(operation, word, word >> 20);
    }
    let function_3 = (word >> 12) & 7;
    let function_7 = word >> 25;
    let illegal = pack(ILLEGAL, word, word);
    match word & 0x7F {
        0x37 => pack(LUI, word, word & 0xFFFF_F000),
        0x17 => pack(AUIPC, word, word & 0xFFFF_F000),
        0x6F => pack(JAL, word, immediate_j(word)),
        0x67 if function_3 == 0 => pack(JALR, word, immediate_i(word)),
        0x63 => {
            let operation = match function_3 {
                0 => BEQ,
                1 => BNE,
                4 => BLT,
                5 => BGE,
                6 => BLTU,
                7 => BGEU,
                _ => return illegal,
            };
            pack(operation, word, immediate_b(word))
        }
        0x03 => {
            let operation = match function_3 {
                0 => LB,
                1 => LH,
                2 => LW,
                4 => LBU,
                5 => LHU,
                _ => return illegal,
            };
            pack(operation, word, immediate_i(word))
        }
        0x23 => {
            let operation = match function_3 {
                0 => SB,
                1 => SH,
                2 => SW,
                _ => return illegal,
            };
            pack(operation, word, immediate_s(word))
        }
        0x13 => {
            let (operation, immediate) = match (function_3, function_7) {
                (0, _) => (ADDI, immediate_i(word)),
                (2, _) => (SLTI, immediate_i(word)),
                (3, _) => (SLTIU, immediate_i(word)),
                (4, _) => (XORI, immediate_i(word)),
                (6, _) => (ORI, immediate_i(word)),
                (7, _) => (ANDI, immediate_i(word)),
                (1, 0) => (SLLI, word >> 20 & 31),
                (5, 0) => (SRLI, word >> 20 & 31),
                (5, 0x20) => (SRAI, word >> 20 & 31),
                _ => return illegal,
            };
            pack(operation, word, immediate)
        }
        0x33 => {
            let operation = match (function_7, function_3) {
                (0, 0) => ADD,
                (0x20, 0) => SUB,
                (0, 1) => SLL,
                (0, 2) => SLT,
                (0, 3) => SLTU,
                (0, 4) => XOR,
                (0, 5) => SRL,
                (0x20, 5) => SRA,
                (0, 6) => OR,
                (0, 7) => AND,
                (1, 0) => MUL,
                (1, 1) => MULH,
                (1, 2) => MULHSU,
                (1, 3) => MULHU,
                (1, 4) => DIV,
                (1, 5) => DIVU,
                (1, 6) => REM,
                (1, 7) => REMU,
                _ => return illegal,
            };
            pack(operation, word, 0)
        }
        // A no-op where there is no data cache to empty (BabyRISCV/README.md).
        0x0F if function_3 == 0 => pack(FENCE, word, 0),
        _ => illegal,
    }
}

/// Why a word is no Tensix instruction.
pub(crate) fn explain_tensix(instruction: u32) -> Violation {
    let opcode = instruction >> 24;
    Violation::undefined(format!(
        "no Tensix instruction has the opcode {opcode:#04x} of {instruction:#010x}; zeroed memory \
         and compressed instructions look like this"
    ))
}

/// Why an illegal word is illegal. Of Tensix instructions, for a core that cannot push them.
pub(crate) fn explain(word: u32, set: &InstructionSet) -> Violation {
    if word & 3 != 3 {
        // `.ttinsn`: the instruction rotated left by 2 (BabyRISCV/PushTensixInstruction.md).
        let instruction = word.rotate_right(2);
        return Violation::undefined(format!(
            "{word:#010x} is the Tensix instruction {instruction:#010x}, which this core cannot \
             push; compressed instructions do not exist here"
        ));
    }
    let function_3 = (word >> 12) & 7;
    match word & 0x7F {
        0x07 | 0x27 | 0x43 | 0x47 | 0x4B | 0x4F | 0x53 | 0x57 if set.floating_point => {
            Violation::unsupported(format!(
                "{word:#010x} is a floating-point or vector instruction, which the simulator does not model yet"
            ))
        }
        0x07 | 0x27 | 0x43 | 0x47 | 0x4B | 0x4F | 0x53 => Violation::undefined(format!(
            "{word:#010x} is floating point or vector, which this chip lacks"
        )),
        0x57 => Violation::undefined(format!(
            "{word:#010x} is of the V extension, which this chip lacks"
        )),
        0x2F if set.atomics => Violation::undefined(format!(
            "{word:#010x} is of the A extension, of which this chip has the atomics on words alone: no \
             `lr` and no `sc`"
        )),
        0x2F => Violation::undefined(format!(
            "{word:#010x} is atomic, and this chip has no A extension"
        )),
        0x0F if function_3 == 1 => {
            Violation::unsupported("fence.i does not flush the instruction cache")
        }
        0x73 if word == 0x73 => Violation::new(
            hallmark_chip::FaultCategory::ConfigurationError,
            "ecall asks for semihosting, which is not there",
        ),
        0x73 if function_3 == 0 => {
            Violation::unsupported(format!("{word:#010x} is a system instruction"))
        }
        0x73 if function_3 != 4 => {
            Violation::undefined(format!("{word:#010x} is of Zicsr, which this chip lacks"))
        }
        0x13 if set.bit_manipulation && function_3 == 5 && word >> 25 == 0x34 => {
            Violation::unsupported(format!(
                "{word:#010x} is `grevi`, which the final extension for bit manipulation lacks"
            ))
        }
        _ => Violation::undefined(format!("{word:#010x} is no instruction of this chip")),
    }
}
