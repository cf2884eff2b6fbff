//! RV32IM encodings (The RISC-V Instruction Set Manual, volume I, chapter 34), written for the tests
//! and independent of the decoder under test.

/// A program under construction: labels are places, so that jumps backwards need no second pass;
/// jumps forwards are filled in by [`Assembler::here`].
#[derive(Clone, Default)]
pub struct Assembler {
    pub words: Vec<u32>,
}

pub const ZERO: u32 = 0;
pub const RA: u32 = 1;
pub const SP: u32 = 2;
pub const T0: u32 = 5;
pub const T1: u32 = 6;
pub const T2: u32 = 7;
pub const S0: u32 = 8;
pub const S1: u32 = 9;
pub const A0: u32 = 10;
pub const A1: u32 = 11;
pub const A2: u32 = 12;
pub const A3: u32 = 13;
pub const A4: u32 = 14;
pub const A5: u32 = 15;

pub fn r(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33
}

pub fn i(opcode: u32, immediate: i32, rs1: u32, funct3: u32, rd: u32) -> u32 {
    (immediate as u32 & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

pub fn s(immediate: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let immediate = immediate as u32;
    (immediate >> 5 & 0x7F) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (immediate & 0x1F) << 7
        | 0x23
}

pub fn b(offset: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let offset = offset as u32;
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3F) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (offset >> 1 & 0xF) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

pub fn j(offset: i32, rd: u32) -> u32 {
    let offset = offset as u32;
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3FF) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xFF) << 12
        | rd << 7
        | 0x6F
}

pub fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i(0x13, immediate, rs1, 0, rd)
}

pub fn lw(rd: u32, rs1: u32, offset: i32) -> u32 {
    i(0x03, offset, rs1, 2, rd)
}

pub fn sw(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s(offset, rs2, rs1, 2)
}

pub const FENCE: u32 = 0x0FF0_000F;

impl Assembler {
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes emitted so far.
    pub fn place(&self) -> i32 {
        self.words.len() as i32 * 4
    }

    pub fn emit(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }

    /// Loads a constant.
    pub fn li(&mut self, rd: u32, value: u32) -> &mut Self {
        let low = (value << 20) as i32 >> 20;
        let high = value.wrapping_sub(low as u32);
        self.emit(high & 0xFFFF_F000 | rd << 7 | 0x37);
        self.emit(addi(rd, rd, low))
    }

    /// Stores a constant to a constant address, with t0 and t1.
    pub fn poke(&mut self, address: u32, value: u32) -> &mut Self {
        self.li(T0, address).li(T1, value).emit(sw(T1, T0, 0))
    }

    /// Loads the word at a constant address.
    pub fn peek(&mut self, rd: u32, address: u32) -> &mut Self {
        self.li(rd, address).emit(lw(rd, rd, 0))
    }

    /// `beq`, to a place.
    pub fn beq(&mut self, rs1: u32, rs2: u32, to: i32) -> &mut Self {
        let offset = to - self.place();
        self.emit(b(offset, rs2, rs1, 0))
    }

    /// `bne`, to a place.
    pub fn bne(&mut self, rs1: u32, rs2: u32, to: i32) -> &mut Self {
        let offset = to - self.place();
        self.emit(b(offset, rs2, rs1, 1))
    }

    pub fn jump(&mut self, to: i32) -> &mut Self {
        let offset = to - self.place();
        self.emit(j(offset, 0))
    }

    /// Waits until the word at a constant address equals a constant; uses t0 to t2.
    pub fn wait_for(&mut self, address: u32, value: u32) -> &mut Self {
        self.li(T0, address).li(T1, value);
        let again = self.place();
        self.emit(lw(T2, T0, 0)).bne(T2, T1, again)
    }

    /// Ends the program: a loop that does nothing.
    pub fn halt(&mut self) -> &mut Self {
        self.emit(j(0, 0))
    }
}
