//! Instructions of the baby cores in assembler syntax, for reports: RV32IM, and Blackhole's extensions (Zba,
//! Zbb, two of Zbkb, Zicsr, Zaamo). After the RISC-V unprivileged ISA manual, version 20240411.

const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

/// The fields of an instruction.
#[derive(Clone, Copy)]
struct Word(u32);

impl Word {
    const fn bits(self, low: u32, count: u32) -> u32 {
        (self.0 >> low) & ((1 << count) - 1)
    }

    const fn signed(self, low: u32, count: u32) -> i32 {
        (self.0.cast_signed() << (32 - low - count)) >> (32 - count)
    }

    fn register(self, low: u32) -> &'static str {
        REGISTERS.get(self.bits(low, 5) as usize).copied().unwrap_or("?")
    }

    fn rd(self) -> &'static str {
        self.register(7)
    }

    fn rs1(self) -> &'static str {
        self.register(15)
    }

    fn rs2(self) -> &'static str {
        self.register(20)
    }

    const fn funct3(self) -> u32 {
        self.bits(12, 3)
    }

    const fn funct7(self) -> u32 {
        self.bits(25, 7)
    }

    const fn immediate(self) -> i32 {
        self.signed(20, 12)
    }

    const fn store_offset(self) -> i32 {
        (self.signed(25, 7) << 5) | self.bits(7, 5).cast_signed()
    }

    const fn branch_offset(self) -> i32 {
        (self.signed(31, 1) << 12)
            | (self.bits(7, 1) << 11 | self.bits(25, 6) << 5 | self.bits(8, 4) << 1).cast_signed()
    }

    const fn jump_offset(self) -> i32 {
        (self.signed(31, 1) << 20)
            | (self.bits(12, 8) << 12 | self.bits(20, 1) << 11 | self.bits(21, 10) << 1)
                .cast_signed()
    }
}

/// An instruction in assembler syntax, such as `bne a5, zero, 0x4a30`; `None` for an unknown one. `pc` is the
/// instruction's address: targets are shown as addresses.
pub fn disassemble(word: u32, pc: u32) -> Option<String> {
    let word = Word(word);
    let (rd, rs1, rs2) = (word.rd(), word.rs1(), word.rs2());
    let target = |offset: i32| format!("{:#x}", pc.wrapping_add_signed(offset));
    Some(match word.bits(0, 7) {
        0x37 => format!("lui {rd}, {:#x}", word.bits(12, 20)),
        0x17 => format!("auipc {rd}, {:#x}", word.bits(12, 20)),
        0x6f => format!("jal {rd}, {}", target(word.jump_offset())),
        0x67 if word.funct3() == 0 => format!("jalr {rd}, {}({rs1})", word.immediate()),
        0x63 => {
            let name = name(&["beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"], word.funct3())?;
            format!("{name} {rs1}, {rs2}, {}", target(word.branch_offset()))
        }
        0x03 => {
            let name = name(&["lb", "lh", "lw", "", "lbu", "lhu"], word.funct3())?;
            format!("{name} {rd}, {}({rs1})", word.immediate())
        }
        0x23 => {
            let name = name(&["sb", "sh", "sw"], word.funct3())?;
            format!("{name} {rs2}, {}({rs1})", word.store_offset())
        }
        0x13 => immediate_operation(word)?,
        0x33 => {
            let name = register_operation(word)?;
            // The only one of them with a single operand.
            if name == "zext.h" {
                format!("{name} {rd}, {rs1}")
            } else {
                format!("{name} {rd}, {rs1}, {rs2}")
            }
        }
        0x2f if word.funct3() == 2 => atomic(word)?,
        0x0f => name(&["fence", "fence.i"], word.funct3())?.to_owned(),
        0x73 => system(word)?,
        _ => return None,
    })
}

fn name(names: &[&'static str], place: u32) -> Option<&'static str> {
    names.get(place as usize).copied().filter(|name| !name.is_empty())
}

fn immediate_operation(word: Word) -> Option<String> {
    let (rd, rs1) = (word.rd(), word.rs1());
    let shift = word.bits(20, 5);
    Some(match (word.funct3(), word.funct7()) {
        (1, 0) => format!("slli {rd}, {rs1}, {shift}"),
        (1, 0x30) => {
            let name = name(&["clz", "ctz", "cpop", "", "sext.b", "sext.h"], shift)?;
            format!("{name} {rd}, {rs1}")
        }
        (1, _) => return None,
        (5, 0) => format!("srli {rd}, {rs1}, {shift}"),
        (5, 0x20) => format!("srai {rd}, {rs1}, {shift}"),
        (5, 0x30) => format!("rori {rd}, {rs1}, {shift}"),
        (5, 0x34) if shift == 24 => format!("rev8 {rd}, {rs1}"),
        (5, 0x34) if shift == 7 => format!("brev8 {rd}, {rs1}"),
        (5, 0x14) if shift == 7 => format!("orc.b {rd}, {rs1}"),
        (5, _) => return None,
        (funct3, _) => {
            let name = name(&["addi", "", "slti", "sltiu", "xori", "", "ori", "andi"], funct3)?;
            format!("{name} {rd}, {rs1}, {}", word.immediate())
        }
    })
}

fn register_operation(word: Word) -> Option<&'static str> {
    let names: &[&'static str] = match word.funct7() {
        0x00 => &["add", "sll", "slt", "sltu", "xor", "srl", "or", "and"],
        0x01 => &["mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"],
        0x04 if word.bits(20, 5) == 0 => &["", "", "", "", "zext.h"],
        0x04 => &["", "", "", "", "pack"],
        0x05 => &["", "", "", "", "min", "minu", "max", "maxu"],
        0x10 => &["", "", "sh1add", "", "sh2add", "", "sh3add"],
        0x20 => &["sub", "", "", "", "xnor", "sra", "orn", "andn"],
        0x30 => &["", "rol", "", "", "", "ror"],
        _ => return None,
    };
    name(names, word.funct3())
}

fn atomic(word: Word) -> Option<String> {
    let name = match word.bits(27, 5) {
        0x00 => "amoadd.w",
        0x01 => "amoswap.w",
        0x04 => "amoxor.w",
        0x08 => "amoor.w",
        0x0c => "amoand.w",
        0x10 => "amomin.w",
        0x14 => "amomax.w",
        0x18 => "amominu.w",
        0x1c => "amomaxu.w",
        _ => return None,
    };
    let order = ["", ".rl", ".aq", ".aqrl"].get(word.bits(25, 2) as usize).copied().unwrap_or("");
    Some(format!("{name}{order} {}, {}, ({})", word.rd(), word.rs2(), word.rs1()))
}

fn system(word: Word) -> Option<String> {
    match word.0 {
        0x0000_0073 => return Some("ecall".to_owned()),
        0x0010_0073 => return Some("ebreak".to_owned()),
        _ => {}
    }
    let names = ["", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"];
    let name = name(&names, word.funct3())?;
    let csr = word.bits(20, 12);
    if word.funct3() >= 5 {
        return Some(format!("{name} {}, {csr:#x}, {}", word.rd(), word.bits(15, 5)));
    }
    Some(format!("{name} {}, {csr:#x}, {}", word.rd(), word.rs1()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words and texts from the GNU assembler and disassembler.
    #[test]
    fn instructions_as_the_assembler_writes_them() {
        for (word, text) in WORDS {
            assert_eq!(disassemble(*word, 0x1000).as_deref(), Some(*text), "{word:#010x}");
        }
    }

    #[test]
    fn what_is_no_instruction_has_no_words() {
        // Zero, all ones, a compressed one, a store of 64 bits, a shift by more than 31.
        for word in [0, u32::MAX, 0x4501, 0x00f7_3023, 0x0200_9093, 0x0000_2067] {
            assert_eq!(disassemble(word, 0), None, "{word:#010x}");
        }
    }

    const WORDS: &[(u32, &str)] = &[
        (0x0002_47b7, "lui a5, 0x24"),
        (0xffff_f297, "auipc t0, 0xfffff"),
        (0x00c0_00ef, "jal ra, 0x100c"),
        (0xff5f_f06f, "jal zero, 0xff4"),
        (0xff87_80e7, "jalr ra, -8(a5)"),
        (0x00f7_0463, "beq a4, a5, 0x1008"),
        (0xfe07_9ce3, "bne a5, zero, 0xff8"),
        (0x7e94_4fe3, "blt s0, s1, 0x1ffe"),
        (0x81ff_5063, "bge t5, t6, 0x0"),
        (0x00b5_6863, "bltu a0, a1, 0x1010"),
        (0x02d6_7063, "bgeu a2, a3, 0x1020"),
        (0xfff1_0503, "lb a0, -1(sp)"),
        (0x0021_9583, "lh a1, 2(gp)"),
        (0x7ff7_2783, "lw a5, 2047(a4)"),
        (0x0002_4d83, "lbu s11, 0(tp)"),
        (0x8009_5e03, "lhu t3, -2048(s2)"),
        (0xfea1_0fa3, "sb a0, -1(sp)"),
        (0x00b9_9323, "sh a1, 6(s3)"),
        (0x800a_2023, "sw zero, -2048(s4)"),
        (0x7f1a_afa3, "sw a7, 2047(s5)"),
        (0xfe01_0113, "addi sp, sp, -32"),
        (0x0055_a513, "slti a0, a1, 5"),
        (0xffb5_b513, "sltiu a0, a1, -5"),
        (0xfff5_c513, "xori a0, a1, -1"),
        (0x0ff6_e613, "ori a2, a3, 255"),
        (0x0017_f713, "andi a4, a5, 1"),
        (0x01f5_9513, "slli a0, a1, 31"),
        (0x0015_d513, "srli a0, a1, 1"),
        (0x4105_d513, "srai a0, a1, 16"),
        (0x00c5_8533, "add a0, a1, a2"),
        (0x40c5_8533, "sub a0, a1, a2"),
        (0x00c5_9533, "sll a0, a1, a2"),
        (0x00c5_a533, "slt a0, a1, a2"),
        (0x00c5_b533, "sltu a0, a1, a2"),
        (0x00c5_c533, "xor a0, a1, a2"),
        (0x00c5_d533, "srl a0, a1, a2"),
        (0x40c5_d533, "sra a0, a1, a2"),
        (0x00c5_e533, "or a0, a1, a2"),
        (0x00c5_f533, "and a0, a1, a2"),
        (0x038b_8b33, "mul s6, s7, s8"),
        (0x038b_9b33, "mulh s6, s7, s8"),
        (0x038b_ab33, "mulhsu s6, s7, s8"),
        (0x038b_bb33, "mulhu s6, s7, s8"),
        (0x03bd_4cb3, "div s9, s10, s11"),
        (0x03bd_5cb3, "divu s9, s10, s11"),
        (0x03ee_ee33, "rem t3, t4, t5"),
        (0x03ee_fe33, "remu t3, t4, t5"),
        (0x20c5_a533, "sh1add a0, a1, a2"),
        (0x20c5_c533, "sh2add a0, a1, a2"),
        (0x20c5_e533, "sh3add a0, a1, a2"),
        (0x40c5_f533, "andn a0, a1, a2"),
        (0x40c5_e533, "orn a0, a1, a2"),
        (0x40c5_c533, "xnor a0, a1, a2"),
        (0x0ac5_c533, "min a0, a1, a2"),
        (0x0ac5_d533, "minu a0, a1, a2"),
        (0x0ac5_e533, "max a0, a1, a2"),
        (0x0ac5_f533, "maxu a0, a1, a2"),
        (0x60c5_9533, "rol a0, a1, a2"),
        (0x60c5_d533, "ror a0, a1, a2"),
        (0x6075_d513, "rori a0, a1, 7"),
        (0x6005_9513, "clz a0, a1"),
        (0x6015_9513, "ctz a0, a1"),
        (0x6025_9513, "cpop a0, a1"),
        (0x6045_9513, "sext.b a0, a1"),
        (0x6055_9513, "sext.h a0, a1"),
        (0x0805_c533, "zext.h a0, a1"),
        (0x08c5_c533, "pack a0, a1, a2"),
        (0x6985_d513, "rev8 a0, a1"),
        (0x6875_d513, "brev8 a0, a1"),
        (0x2875_d513, "orc.b a0, a1"),
        (0x0ff0_000f, "fence"),
        (0x0000_100f, "fence.i"),
        (0x0000_0073, "ecall"),
        (0x0010_0073, "ebreak"),
        (0x7c05_9573, "csrrw a0, 0x7c0, a1"),
        (0xc000_2573, "csrrs a0, 0xc00, zero"),
        (0x7c06_3073, "csrrc zero, 0x7c0, a2"),
        (0x7c08_d573, "csrrwi a0, 0x7c0, 17"),
        (0x7c00_e073, "csrrsi zero, 0x7c0, 1"),
        (0x7c0f_f073, "csrrci zero, 0x7c0, 31"),
        (0x00b6_252f, "amoadd.w a0, a1, (a2)"),
        (0x0eb6_252f, "amoswap.w.aqrl a0, a1, (a2)"),
        (0x24b6_252f, "amoxor.w.aq a0, a1, (a2)"),
        (0x42b6_252f, "amoor.w.rl a0, a1, (a2)"),
        (0x60b6_252f, "amoand.w a0, a1, (a2)"),
        (0x80b6_252f, "amomin.w a0, a1, (a2)"),
        (0xa0b6_252f, "amomax.w a0, a1, (a2)"),
        (0xc0b6_252f, "amominu.w a0, a1, (a2)"),
        (0xe0b6_252f, "amomaxu.w a0, a1, (a2)"),
    ];
}
