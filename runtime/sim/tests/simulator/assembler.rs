//! RV32IM encodings (The RISC-V Instruction Set Manual, volume I, chapter 34), written for the tests
//! and independent of the decoder under test.

/// A program under construction: labels are places, so that jumps backwards need no second pass;
/// jumps forwards are filled in by [`Assembler::here`].
#[derive(Clone, Default)]
pub(crate) struct Assembler {
    pub(crate) words: Vec<u32>,
}

pub(crate) const ZERO: u32 = 0;
pub(crate) const RA: u32 = 1;
pub(crate) const T0: u32 = 5;
pub(crate) const T1: u32 = 6;
pub(crate) const T2: u32 = 7;
pub(crate) const S0: u32 = 8;
pub(crate) const S1: u32 = 9;
pub(crate) const A0: u32 = 10;
pub(crate) const A1: u32 = 11;
pub(crate) const A2: u32 = 12;
pub(crate) const A3: u32 = 13;
pub(crate) const A5: u32 = 15;

pub(crate) fn r(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33
}

pub(crate) fn i(opcode: u32, immediate: i32, rs1: u32, funct3: u32, rd: u32) -> u32 {
    (immediate as u32 & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

pub(crate) fn s(immediate: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let immediate = immediate as u32;
    (immediate >> 5 & 0x7F) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (immediate & 0x1F) << 7
        | 0x23
}

pub(crate) fn b(offset: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
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

pub(crate) fn j(offset: i32, rd: u32) -> u32 {
    let offset = offset as u32;
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3FF) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xFF) << 12
        | rd << 7
        | 0x6F
}

pub(crate) fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i(0x13, immediate, rs1, 0, rd)
}

pub(crate) fn lw(rd: u32, rs1: u32, offset: i32) -> u32 {
    i(0x03, offset, rs1, 2, rd)
}

pub(crate) fn sw(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s(offset, rs2, rs1, 2)
}

pub(crate) const FENCE: u32 = 0x0FF0_000F;

impl Assembler {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Bytes emitted so far.
    pub(crate) fn place(&self) -> i32 {
        self.words.len() as i32 * 4
    }

    pub(crate) fn emit(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }

    /// Loads a constant.
    pub(crate) fn li(&mut self, rd: u32, value: u32) -> &mut Self {
        let low = (value << 20) as i32 >> 20;
        let high = value.wrapping_sub(low as u32);
        self.emit(high & 0xFFFF_F000 | rd << 7 | 0x37);
        self.emit(addi(rd, rd, low))
    }

    /// Stores a constant to a constant address, with t0 and t1.
    pub(crate) fn poke(&mut self, address: u32, value: u32) -> &mut Self {
        self.li(T0, address).li(T1, value).emit(sw(T1, T0, 0))
    }

    /// Loads the word at a constant address.
    pub(crate) fn peek(&mut self, rd: u32, address: u32) -> &mut Self {
        self.li(rd, address).emit(lw(rd, rd, 0))
    }

    /// `bne`, to a place.
    pub(crate) fn bne(&mut self, rs1: u32, rs2: u32, to: i32) -> &mut Self {
        let offset = to - self.place();
        self.emit(b(offset, rs2, rs1, 1))
    }

    /// Waits until the word at a constant address equals a constant; uses t0 to t2.
    pub(crate) fn wait_for(&mut self, address: u32, value: u32) -> &mut Self {
        self.li(T0, address).li(T1, value);
        let again = self.place();
        self.emit(lw(T2, T0, 0)).bne(T2, T1, again)
    }

    /// Ends the program: a loop that does nothing.
    pub(crate) fn halt(&mut self) -> &mut Self {
        self.emit(j(0, 0))
    }
}

/// One end of a NoC request: an address and a coordinate, or a rectangle's end in the low 12 bits and
/// its start above.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) address: u64,
    pub(crate) coordinates: u32,
}

pub(crate) fn end(x: u8, y: u8, address: u64) -> End {
    End { address, coordinates: u32::from(x) | u32::from(y) << 6 }
}

pub(crate) fn rectangle(start: (u8, u8), end: (u8, u8), address: u64) -> End {
    let pack = |(x, y): (u8, u8)| u32::from(x) | u32::from(y) << 6;
    End { address, coordinates: pack(end) | pack(start) << 12 }
}

pub(crate) const READ: u32 = 0x10;
pub(crate) const WRITE: u32 = 0x12;
pub(crate) const POSTED_WRITE: u32 = 0x02;
pub(crate) const INLINE_WRITE: u32 = 0x1A;
pub(crate) const MULTICAST: u32 = 0x132;
pub(crate) const INCLUDE_SOURCE: u32 = 1 << 17;
/// The request says on which virtual channel it travels: 0.
pub(crate) const STATIC_CHANNEL: u32 = 1 << 7;
pub(crate) const ATOMIC: u32 = 0x11;
pub(crate) const MULTICAST_ATOMIC: u32 = 0x131;
pub(crate) const INCREMENT: u32 = 0x107C;

impl Assembler {
    /// Issues a request with command buffer `buffer` of NoC `noc`.
    pub(crate) fn request(
        &mut self,
        (noc, buffer): (u32, u32),
        control: u32,
        target: End,
        result: End,
        length: u32,
        data: u32,
    ) -> &mut Self {
        let base = 0xFFB2_0000 + noc * 0x1_0000 + buffer * 0x400;
        let middle = |end: End| (end.address >> 32) as u32 | end.coordinates << 4;
        for (offset, value) in [
            (0x00, target.address as u32),
            (0x04, middle(target)),
            (0x0C, result.address as u32),
            (0x10, middle(result)),
            (0x1C, control),
            (0x20, length),
            (0x24, data),
            (0x28, 1),
        ] {
            self.poke(base + offset, value);
        }
        self
    }

    /// Waits until a counter of a NoC, by its offset, holds a value.
    pub(crate) fn barrier(&mut self, noc: u32, offset: u32, value: u32) -> &mut Self {
        self.wait_for(0xFFB2_0000 + noc * 0x1_0000 + offset, value)
    }

    /// Copies a register's word to L1.
    pub(crate) fn save(&mut self, from: u32, to: u32) -> &mut Self {
        self.peek(A0, from).li(A1, to).emit(sw(A0, A1, 0))
    }
}

pub(crate) const ATOMIC_RESPONSES: u32 = 0x200;
pub(crate) const WRITE_ACKNOWLEDGEMENTS: u32 = 0x204;
pub(crate) const READ_RESPONSES: u32 = 0x208;
pub(crate) const WRITES_SENT: u32 = 0x228;
