//! What of the Tensix coprocessor is there: as much as Tenstorrent's firmware touches while it boots.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

/// `TT_OP_SEMINIT` (tt-metal ckernel_ops.h).
fn seminit(max: u32, value: u32, mask: u32) -> u32 {
    0xA3 << 24 | max << 20 | value << 16 | mask << 2
}

/// Its bit in the reset register.
const TRISC0: u32 = 0x1000;
const PUSH: u32 = 0xFFE4_0000;
const SEMAPHORES: u32 = 0xFFE8_0020;

/// Runs a program on T0 and gives the words from 0x3000 on.
fn on_trisc0(program: &Assembler, words: usize) -> Result<Vec<u32>, DeviceError> {
    let mut bench = Bench::new();
    let at = tile(18, 20);
    bench.load(at, 0x6000, &program.words);
    bench.release(at, TRISC0);
    bench.settle()?;
    Ok((0..words as u64).map(|word| bench.word(at, 0x3000 + word * 4)).collect())
}

#[test]
fn semaphores_get_a_value_by_mask() {
    let mut program = Assembler::new();
    program.poke(PUSH, seminit(7, 5, 0b1010_0001));
    // `.ttinsn`: the same by an instruction of the core's own.
    program.emit(seminit(15, 9, 0b10).rotate_left(2));
    for index in 0..8 {
        program.save(SEMAPHORES + 4 * index, 0x3000 + 4 * index);
    }
    program.halt();
    assert_eq!(on_trisc0(&program, 8).unwrap(), [5, 9, 0, 0, 0, 5, 0, 5]);
}

#[test]
fn a_thread_has_general_registers_of_its_own() {
    let mut program = Assembler::new();
    program
        .poke(0xFFE0_0000 + 4 * 63, 77)
        .save(0xFFE0_0000 + 4 * 63, 0x3000)
        .save(0xFFE0_0000, 0x3004)
        .halt();
    assert_eq!(on_trisc0(&program, 2).unwrap(), [77, 0]);
    let mut beyond = Assembler::new();
    beyond.poke(0xFFE0_0000 + 4 * 64, 77).halt();
    assert!(on_trisc0(&beyond, 0).is_err());
}

#[test]
fn words_of_the_configuration_that_change_nothing_are_kept_and_no_others() {
    // ECC_SCRUBBER and PRNG_SEED (tt-metal cfg_defines.h).
    for (word, kept) in [(3, true), (164, true), (4, false)] {
        let address = 0xFFEF_0000 + 4 * word;
        let mut program = Assembler::new();
        program.poke(address, 0x105).save(address, 0x3000).halt();
        let read = on_trisc0(&program, 1);
        assert_eq!(read.ok(), kept.then(|| vec![0x105]), "{word}");
    }
}

/// NOP, ZEROACC, ZEROSRC, SFPLOADI, SFPENCC, SFPCONFIG, SEMINIT and SETC16: they leave nothing that can be seen here but
/// semaphores. Every other opcode is refused, and no opcode is taken for another.
const TAKEN: [u32; 8] = [0x02, 0x10, 0x11, 0x71, 0x8A, 0x91, 0xA3, 0xB2];

#[test]
fn every_opcode_of_a_pushed_instruction_is_taken_or_refused() {
    use FaultCategory::{UndefinedBehavior, UnimplementedFunctionality};
    // What tt-metal's ckernel_ops.h names, and what it does not.
    const NAMED: [u32; 6] = [0x01, 0x26, 0x41, 0x72, 0xA4, 0xB0];
    const UNNAMED: [u32; 3] = [0x00, 0x47, 0xFF];
    for opcode in 0..=0xFF {
        let mut program = Assembler::new();
        program.poke(PUSH, opcode << 24).halt();
        let pushed = on_trisc0(&program, 0);
        if TAKEN.contains(&opcode) {
            pushed.unwrap();
            continue;
        }
        let Err(DeviceError::Fault(fault)) = pushed else { panic!("{opcode:#04x}: {pushed:?}") };
        let known = [UnimplementedFunctionality, UndefinedBehavior].contains(&fault.category);
        assert!(known, "{opcode:#04x}: {fault}");
        assert!(
            fault.reason.contains(&format!("the opcode {opcode:#04x}"))
                || fault.reason.contains(&format!("(opcode {opcode:#04x})")),
            "{fault}"
        );
        if NAMED.contains(&opcode) {
            assert_eq!(fault.category, UnimplementedFunctionality, "{opcode:#04x}");
        }
        if UNNAMED.contains(&opcode) {
            assert_eq!(fault.category, UndefinedBehavior, "{opcode:#04x}");
        }
    }
}
