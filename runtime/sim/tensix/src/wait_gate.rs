//! The wait gate of a thread: the last `STALLWAIT` or `SEMWAIT`, and the instructions that it holds back (`STALLWAIT.md`,
//! "Block mask").

use crate::bits::bits;
use crate::frontend::Origin;
use crate::opcodes::opcode;

/// The bit of the matrix unit, which a wait without any bit holds back.
const MATRIX: u32 = 1 << 6;

/// The last wait of a thread. The thread goes on behind it until an instruction comes that the wait holds back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latched {
    /// The `STALLWAIT` or `SEMWAIT`.
    pub(crate) word: u32,
    /// Who pushed it.
    pub(crate) origin: Origin,
    /// Its number among the thread's instructions.
    pub(crate) number: u64,
    /// Its conditions were met at some moment since.
    pub(crate) is_met: bool,
}

impl Latched {
    /// Whether an instruction has to wait at the gate until the conditions are met.
    pub(crate) fn holds_back(&self, word: u32) -> bool {
        let mask = match bits(self.word, 15, 9) {
            0 => MATRIX,
            mask => mask,
        };
        mask & bits_that_hold_back(word) != 0
    }
}

/// The bits of a block mask that hold back an instruction.
fn bits_that_hold_back(word: u32) -> u32 {
    const MISCELLANEOUS: u32 = 1;
    const SYNCHRONIZATION: u32 = 1 << 1;
    const PACKER: u32 = 1 | 1 << 2;
    const UNPACKER: u32 = 1 | 1 << 3;
    const MOVER: u32 = 1 | 1 << 4;
    const SCALAR: u32 = 1 | 1 << 5;
    const CONFIGURATION: u32 = 1 << 7;
    const VECTOR: u32 = 1 << 8;
    match word >> 24 {
        opcode::FIRST_OF_MATRIX..=opcode::LAST_OF_MATRIX => MATRIX,
        0x40 => MOVER,
        opcode::PACR | opcode::PACR_SETREG => PACKER,
        opcode::UNPACR | opcode::UNPACR_NOP => UNPACKER,
        opcode::RSTDMA | opcode::SETADC..=opcode::SETDVALID | opcode::SETADCXX => MISCELLANEOUS,
        opcode::SETDMAREG..=0x6F => SCALAR,
        0x70..=0x9F => VECTOR,
        opcode::STALLWAIT => 0x1FF,
        0xA0..=0xAF => SYNCHRONIZATION,
        0xB0..=0xBF => CONFIGURATION,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::*;

    /// Opcodes with the bits of the table of `STALLWAIT.md`: one row of each kind, and the rows beside a border.
    const TABLE: &[(u32, &[u32])] = &[
        (0x08, &[6]),                         // MOVD2A
        (0x26, &[6]),                         // MVMUL
        (0x3A, &[6]),                         // MFCONV3S1
        (0x40, &[0, 4]),                      // XMOV
        (0x41, &[0, 2]),                      // PACR
        (0x42, &[0, 3]),                      // UNPACR
        (0x43, &[0, 3]),                      // UNPACR_NOP
        (0x44, &[0]),                         // RSTDMA
        (0x45, &[0, 5]),                      // SETDMAREG
        (0x49, &[0, 5]),                      // LOADIND
        (0x4A, &[0, 2]),                      // PACR_SETREG
        (0x50, &[0]),                         // SETADC
        (0x57, &[0]),                         // SETDVALID
        (0x58, &[0, 5]),                      // ADDDMAREG
        (0x5D, &[0, 5]),                      // CMPDMAREG
        (0x5E, &[0]),                         // SETADCXX
        (0x60, &[0, 5]),                      // DMANOP
        (0x67, &[0, 5]),                      // STOREREG
        (0x68, &[0, 5]),                      // LOADREG
        (0x70, &[8]),                         // SFPLOAD
        (0x91, &[8]),                         // SFPCONFIG
        (0xA0, &[1]),                         // ATGETM
        (0xA2, &[0, 1, 2, 3, 4, 5, 6, 7, 8]), // STALLWAIT
        (0xA6, &[1]),                         // SEMWAIT
        (0xB0, &[7]),                         // WRCFG
        (0xB6, &[7]),                         // RMWCIB3
    ];

    #[test]
    fn a_wait_holds_back_what_its_mask_names() {
        let origin = Origin { core: Processor::Trisc0, pc: 0x6000, retired: 7 };
        for &(opcode, holding) in TABLE {
            for bit in 0..9 {
                let word = opcode::STALLWAIT << 24 | 1 << (15 + bit) | 2;
                let latched = Latched { word, origin, number: 3, is_met: false };
                let holds = latched.holds_back(opcode << 24 | 1);
                assert_eq!(holds, holding.contains(&bit), "{opcode:#x} B{bit}");
            }
        }
    }

    #[test]
    fn a_semaphore_wait_without_a_mask_holds_back_the_matrix_unit() {
        let origin = Origin { core: Processor::Trisc1, pc: 0x6004, retired: 8 };
        let word = opcode::SEMWAIT << 24 | 4 << 2 | 1;
        let latched = Latched { word, origin, number: 9, is_met: false };
        assert!(latched.holds_back(0x2600_0000));
        assert!(!latched.holds_back(0x4200_0000));
    }
}
