//! The Tensix coprocessor as cores reach it.

use hallmark_chip::*;
use hallmark_sim::SimulatorOptions;

use crate::assembler::*;
use crate::support::*;

/// `TT_OP_SEMINIT` (tt-metal ckernel_ops.h).
fn seminit(max: u32, value: u32, mask: u32) -> u32 {
    0xA3 << 24 | max << 20 | value << 16 | mask << 2
}

/// Its bit in the reset register.
pub(crate) const TRISC0: u32 = 0x1000;
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

/// Of each opcode, with operands of 0: executed or left waiting, or refused by its name or its number.
#[test]
fn every_opcode_of_a_pushed_instruction_is_taken_or_refused() {
    use FaultCategory::{
        NonContractualBehavior, UndefinedBehavior, UnimplementedFunctionality,
        UnpredictableValueUsed, UnsupportedFunctionality,
    };
    // Some that are executed, some that wait, some that break a rule, and some that are not there.
    const TAKEN: [u32; 11] = [0x02, 0x10, 0x45, 0x58, 0x60, 0x71, 0x72, 0x8A, 0xA0, 0xA3, 0xB2];
    const REFUSED: [(u32, FaultCategory, &str); 12] = [
        (0x00, UndefinedBehavior, "the opcode 0x00"),
        (0x01, UndefinedBehavior, "the opcode 0x00"),
        (0x14, UnimplementedFunctionality, "TRNSPSRCA"),
        (0x47, UndefinedBehavior, "the opcode 0x47"),
        (0x88, UndefinedBehavior, "SFPPOPC"),
        (0x91, UnpredictableValueUsed, "SFPCONFIG"),
        (0x99, UndefinedBehavior, "SFPARECIP 0x99000000: another chip has it"),
        (0xA1, NonContractualBehavior, "ATRELM"),
        (0xA2, UnsupportedFunctionality, "STALLWAIT"),
        (0xA4, UnsupportedFunctionality, "SEMPOST"),
        (0xB8, UndefinedBehavior, "CFGSHIFTMASK 0xb8000000: another chip has it"),
        (0xFF, UndefinedBehavior, "the opcode 0xff"),
    ];
    for opcode in 0..=0xFF {
        let mut program = Assembler::new();
        program.poke(PUSH, opcode << 24).halt();
        let fault = match on_trisc0(&program, 0) {
            Ok(_) => {
                assert!(REFUSED.iter().all(|one| one.0 != opcode), "{opcode:#04x}");
                continue;
            }
            Err(DeviceError::Fault(fault)) => fault,
            Err(other) => panic!("{opcode:#04x}: {other}"),
        };
        assert!(!TAKEN.contains(&opcode), "{opcode:#04x}: {fault}");
        let place = fault.place.as_ref().expect("faults have a place");
        assert_eq!(place.processor, Some(Processor::Trisc0), "{opcode:#04x}");
        if let Some((_, category, name)) = REFUSED.iter().find(|one| one.0 == opcode) {
            assert_eq!(fault.category, *category, "{opcode:#04x}: {fault}");
            assert!(fault.reason.contains(name), "{opcode:#04x}: {fault}");
        }
    }
}

const SYNCHRONIZED: u32 = 0xFFE8_0004;
const MACRO_WORDS: u32 = 0xFFB8_0000;
const CONFIGURATION: u32 = 0xFFEF_0000;
const REGISTERS: u32 = 0xFFE0_0000;
/// Where the program of TRISC1 lies.
const SECOND_PROGRAM: u64 = 0xA000;

/// SETDMAREG: the lower half of a general register.
fn set_register(register: u32, value: u32) -> u32 {
    0x4500_0000 | value << 8 | register << 1
}

/// A program of TRISC0 that is waited for at semaphore 3, which begins at 0.
fn waiting_program(pushed: &[u32]) -> Assembler {
    let mut program = Assembler::new();
    program.poke(PUSH, seminit(2, 0, 1 << 3)).poke(PUSH, 0xA600_0000 | 3 << 15 | 8 << 2 | 1);
    for word in pushed {
        program.poke(PUSH, *word);
    }
    program
}

#[test]
fn a_load_waits_for_the_coprocessor_and_a_full_queue_for_room() {
    // More instructions than the queue has places.
    let pushed: Vec<u32> = (0..40).map(|register| set_register(register, 100 + register)).collect();
    let mut program = waiting_program(&pushed);
    program
        .emit(0xA000_0000_u32.rotate_left(2))
        .peek(A0, SYNCHRONIZED)
        .save(REGISTERS + 4 * 39, 0x3000)
        .halt();
    let mut second = Assembler::new();
    // Posts when the other core has waited for long.
    second.li(A0, 0).li(A1, 2000);
    let again = second.place();
    second.emit(addi(A0, A0, 1)).bne(A0, A1, again).poke(SEMAPHORES + 4 * 3, 0).halt();
    for seed in 0..6 {
        let mut bench = Bench::seeded(seed);
        let at = tile(18, 20);
        bench.load(at, 0x6000, &program.words);
        bench.load(at, SECOND_PROGRAM, &second.words);
        bench.release(at, TRISC0 | TRISC1);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), 139, "seed {seed}");
    }
    // Without the other core, the first waits where it pushes.
    let mut bench = Bench::new();
    let at = tile(18, 20);
    bench.load(at, 0x6000, &program.words);
    bench.release(at, TRISC0);
    let waiting = bench.settle().unwrap();
    let waits: Vec<_> =
        waiting.iter().map(|wait| (wait.processor, wait.address, wait.awaited)).collect();
    let semaphore = TileAddress((SEMAPHORES + 4 * 3).into());
    let not_zero = Awaited::Range { bits: 32, first: 1, last: 15 };
    let core = (Processor::Trisc0, TileAddress(PUSH.into()), None);
    assert_eq!(waits, [core, (Processor::Trisc0, semaphore, Some(not_zero))]);
    // SEMWAIT is the second instruction that is pushed, each by a store after two constants.
    assert_eq!(waiting.last().map(|wait| wait.pc), Some(0x6000 + 4 * 9));
}

#[test]
fn a_fault_after_a_wait_lies_where_the_instruction_was_pushed() {
    // A mutex that does not exist, pushed by the sixth instruction of the third group of five.
    let mut program = waiting_program(&[0xA000_0001]);
    let pc = 0x6000 + program.place() as u32 - 4;
    program.halt();
    let mut second = Assembler::new();
    second.poke(SEMAPHORES + 4 * 3, 0).halt();
    for seed in 0..6 {
        let mut bench = Bench::seeded(seed);
        let at = tile(18, 20);
        bench.load(at, 0x6000, &program.words);
        bench.load(at, SECOND_PROGRAM, &second.words);
        bench.release(at, TRISC0 | TRISC1);
        // The post may come first, and SEMINIT undoes it.
        let Err(DeviceError::Fault(fault)) = bench.settle() else { continue };
        assert_eq!(fault.category, FaultCategory::UndefinedBehavior, "{fault}");
        assert!(fault.reason.contains("ATGETM 0xa0000001"), "{fault}");
        let place = fault.place.expect("faults have a place");
        assert_eq!((place.processor, place.pc), (Some(Processor::Trisc0), Some(pc)), "seed {seed}");
        return;
    }
    panic!("no seed lets the second core post after the first has waited");
}

#[test]
fn a_reset_makes_room_in_the_queue_that_brisc_waits_for() {
    let registers = |count: u32| (0..count).map(|register| set_register(register, register));
    // What TRISC0 has pushed waits, and goes when the core enters reset.
    let mut program = waiting_program(&registers(20).collect::<Vec<u32>>());
    program.halt();
    let mut brisc = Assembler::new();
    for word in registers(25) {
        brisc.poke(PUSH, word);
    }
    brisc.poke(0x3000, 1).halt();
    let mut bench = Bench::new();
    let at = tile(18, 20);
    bench.load(at, 0, &brisc.words);
    bench.load(at, 0x6000, &program.words);
    bench.write_word(at, 0x3000, 0);
    for (cores, done) in [(TRISC0, 0), (BRISC | TRISC0, 0), (BRISC, 1)] {
        bench.release(at, cores);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), done);
    }
}

#[test]
fn a_semaphore_that_can_never_be_below_its_maximum_is_named() {
    // SEMWAIT until it is below its maximum, which is 0 from the start.
    let mut program = Assembler::new();
    program
        .poke(PUSH, 0xA600_0000 | 1 << 15 | 8 << 2 | 2)
        .poke(PUSH, set_register(1, 5))
        .peek(A0, SYNCHRONIZED)
        .halt();
    let mut bench = Bench::new();
    let at = tile(18, 20);
    bench.load(at, 0x6000, &program.words);
    bench.release(at, TRISC0);
    let waiting = bench.settle().unwrap();
    let semaphore = TileAddress((SEMAPHORES + 4 * 3).into());
    let named: Vec<_> = waiting.iter().filter(|wait| wait.address == semaphore).collect();
    assert_eq!(named.len(), 1, "{waiting:?}");
    assert_eq!((named[0].value, named[0].awaited), (0, None));
}

#[test]
fn a_core_that_waits_for_macros_goes_on_while_later_instructions_wait() {
    // A macro between two waits; behind it the thread waits for semaphore 4, which this core posts once no macro is left.
    let wait = |semaphore: u32| 0xA600_0000 | 3 << 15 | 1 << (semaphore + 2) | 1;
    let mut program = Assembler::new();
    for index in 0..9 {
        program.poke(MACRO_WORDS + 4 * index, if index < 2 { 1 } else { 0x0200_0000 });
    }
    // The last turn is the only one.
    for index in 7..9 {
        program.poke(MACRO_WORDS + 4 * index, set_register(2, 22));
    }
    program.poke(PUSH, seminit(2, 0, 0b1_1000));
    for word in [wait(3), set_register(1, 11), 1 << 24 | 1 << 23, wait(4), set_register(3, 33)] {
        program.poke(PUSH, word);
    }
    program
        .peek(A0, SYNCHRONIZED + 4)
        .save(REGISTERS + 4 * 2, 0x3000)
        .save(REGISTERS + 4 * 3, 0x3004)
        .poke(SEMAPHORES + 4 * 4, 0)
        .peek(A0, SYNCHRONIZED)
        .save(REGISTERS + 4 * 3, 0x3008)
        .halt();
    let mut second = Assembler::new();
    second.li(A0, 0).li(A1, 2000);
    let again = second.place();
    second.emit(addi(A0, A0, 1)).bne(A0, A1, again).poke(SEMAPHORES + 4 * 3, 0).halt();
    for seed in 0..6 {
        let mut bench = Bench::seeded(seed);
        let at = tile(18, 20);
        bench.load(at, 0x6000, &program.words);
        bench.load(at, SECOND_PROGRAM, &second.words);
        bench.release(at, TRISC0 | TRISC1);
        bench.settle().unwrap();
        let found = [0, 4, 8].map(|offset| bench.word(at, 0x3000 + offset));
        assert_eq!(found, [22, 0, 33], "seed {seed}");
    }
}

#[test]
fn macros_are_made_of_a_threads_words() {
    let mut program = Assembler::new();
    let nop = 0x0200_0000;
    // ADDDMAREG: register 1 becomes itself and register 2; the last adds register 3.
    let add = |other: u32| 0x5800_0000 | 1 << 12 | other << 6 | 1;
    for (index, word) in (0..).zip([3, 2, nop, nop, nop, add(2), nop, add(3), add(2)]) {
        program.poke(MACRO_WORDS + 4 * index, word);
    }
    for word in [set_register(1, 0), set_register(2, 10), set_register(3, 1000)] {
        program.poke(PUSH, word);
    }
    program.poke(PUSH, 0x0180_0000).peek(A0, SYNCHRONIZED).save(REGISTERS + 4, 0x3000).halt();
    assert_eq!(on_trisc0(&program, 1).unwrap(), [1050]);
    let mut beyond = Assembler::new();
    beyond.poke(MACRO_WORDS + 4 * 9, nop).halt();
    assert!(on_trisc0(&beyond, 0).is_err());
}

#[test]
fn brisc_pushes_to_every_thread_behind_the_macros() {
    for (thread, aperture) in (0..).zip([0, 0x1_0000, 0x2_0000]) {
        let mut program = Assembler::new();
        program.poke(PUSH + aperture, seminit(9, 4 + thread, 1)).halt();
        let mut reader = Assembler::new();
        reader.wait_for(SEMAPHORES, 4 + thread).poke(0x3000, 1).halt();
        let mut bench = Bench::new();
        let at = tile(18, 20);
        bench.load(at, 0, &program.words);
        bench.load(at, 0x6000, &reader.words);
        bench.release(at, BRISC | TRISC0);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), 1, "thread {thread}");
    }
    let mut program = Assembler::new();
    program.poke(PUSH, 0x0180_0000).halt();
    let mut bench = Bench::new();
    bench.load(tile(18, 20), 0, &program.words);
    bench.release(tile(18, 20), BRISC);
    assert!(bench.fault().reason.starts_with("MOP 0x01800000"));
}

/// Unpacks a row of four 16-bit floats at `from` to SrcA, moves it to Dst and packs it to `to`, all by TRISC0.
pub(crate) fn copy_row(program: &mut Assembler, from: u32, to: u32) {
    begin_to_copy_row(program, from, to);
    program.peek(A0, SYNCHRONIZED);
}

/// The same, without waiting for the end.
pub(crate) fn begin_to_copy_row(program: &mut Assembler, from: u32, to: u32) {
    const FLOAT16B: u32 = 5;
    let words = [
        (1, FLOAT16B << 17 | FLOAT16B << 21 | FLOAT16B << 25),
        (52, FLOAT16B | 1 << 4 | 16 << 16),
        (53, 1 << 16 | 1),
        (60, FLOAT16B),
        (61, 3),
        (64, from / 16 - 1),
        (72, 64),
        (74, 16),
        (8, 32 << 12 | 2),
        (20, 0xFFFF),
    ];
    for (word, value) in words {
        program.poke(CONFIGURATION + 4 * word, value);
    }
    for (section, counters) in [(56, 24), (84, 25), (96, 26), (124, 27)] {
        program.poke(CONFIGURATION + 4 * (section + 1), to / 16 - 1);
        program.poke(CONFIGURATION + 4 * (section + 2), FLOAT16B << 8 | FLOAT16B << 4);
        program.poke(CONFIGURATION + 4 * counters, 16 << 8);
    }
    // The stores have arrived.
    program.peek(A0, CONFIGURATION + 4 * 27);
    let pushed = [
        // SRCA_SET_SetOvrdWithAddr; a row of 16 data to unpack, and one of 4 to pack.
        0xB203_0004,
        0x5E00_0000 | 1 << 21 | 15 << 10,
        0x5E00_0000 | 4 << 21 | 3 << 10,
        0x1018_0000,
        // UNPACR, MOVA2D of 8 rows, PACR by one packer.
        0x4200_00C1,
        0x1200_2000,
        0x4100_0101,
    ];
    for word in pushed {
        program.poke(PUSH, word);
    }
}

#[test]
fn a_core_comes_after_its_threads_units_where_it_has_waited_for_its_thread() {
    /// STALLWAIT on unpacker 0, and on the first packer.
    const UNPACKED: u32 = 0xA200_0000 | 1 << 1;
    const PACKED: u32 = 0xA200_0000 | 1 << 3;
    /// The block bits of the synchronization unit and of the matrix unit.
    const SYNCHRONIZATION: u32 = 1 << 16;
    const MATRIX: u32 = 1 << 21;
    const SEMAPHORE: u32 = 5;
    const POST: u32 = 0xA400_0000 | 1 << (2 + SEMAPHORE);
    const NO_WAIT: &str = "was issued: wait with STALLWAIT (p_stall::";
    const NO_LOOK: &str = "TRISC0, which goes on beside its thread, has not";
    /// The pushed words, the register that the core loads then, and the remedies of the race with the unpacker and with
    /// the packer. That the unpacker has finished is known from MOVA2D as well, which waits for its bank.
    type Way = (&'static [u32], Option<u32>, [Option<&'static str>; 2]);
    const WAYS: [Way; 6] = [
        (&[], None, [Some(NO_LOOK), Some(NO_WAIT)]),
        (&[], Some(SYNCHRONIZED), [None, None]),
        (&[SYNCHRONIZATION, POST], Some(SEMAPHORES + 4 * SEMAPHORE), [None, None]),
        (&[SYNCHRONIZATION, POST], None, [Some(NO_LOOK), Some(NO_LOOK)]),
        (&[MATRIX, POST], Some(SEMAPHORES + 4 * SEMAPHORE), [None, Some(NO_WAIT)]),
        (&[SYNCHRONIZATION], None, [Some(NO_LOOK), Some(NO_WAIT)]),
    ];
    for (unit, (wait, again)) in [(UNPACKED, 0x3120), (PACKED, 0x3240)].into_iter().enumerate() {
        for (pushed, looks, remedies) in WAYS {
            let remedy = remedies[unit];
            let mut program = Assembler::new();
            program.poke(PUSH, seminit(7, 0, 1 << SEMAPHORE));
            begin_to_copy_row(&mut program, 0x3120, 0x3240);
            if let [blocked, posts @ ..] = pushed {
                program.poke(PUSH, wait | blocked);
                for post in posts {
                    program.poke(PUSH, *post);
                }
            }
            if let Some(register) = looks {
                program.peek(A0, register);
            }
            program.poke(again, 7).halt();
            let mut bench = Bench::new();
            let at = tile(18, 20);
            bench.write(at, 0x3120, &[0; 32]);
            bench.load(at, 0x6000, &program.words);
            bench.release(at, TRISC0);
            let race = match bench.settle() {
                Ok(_) => None,
                Err(DeviceError::Fault(fault)) => Some(fault),
                Err(other) => panic!("{other}"),
            };
            let said = race.as_ref().map(|race| race.reason.as_str());
            assert_eq!(said.is_some(), remedy.is_some(), "{again:#x} {pushed:x?}: {said:?}");
            if let (Some(said), Some(remedy)) = (said, remedy) {
                assert!(said.contains(remedy), "{again:#x} {pushed:x?}: {said}");
            }
        }
    }
}

#[test]
fn a_row_passes_from_l1_to_l1() {
    let mut program = Assembler::new();
    copy_row(&mut program, 0x3120, 0x3240);
    program.halt();
    for seed in 0..4 {
        let mut bench = Bench::seeded(seed);
        let at = tile(18, 20);
        let row: Vec<u8> = (0..16_u16).flat_map(|index| (0x4000 + index).to_le_bytes()).collect();
        bench.write(at, 0x3120, &row);
        bench.write(at, 0x3240, &[0xEE; 32]);
        bench.load(at, 0x6000, &program.words);
        bench.release(at, TRISC0);
        bench.settle().unwrap();
        let mut expected = [0xEE; 32];
        expected[..8].copy_from_slice(&row[..8]);
        // The rest of the line is filled with zeros.
        expected[8..16].fill(0);
        assert_eq!(bench.read(at, 0x3240, 32), expected, "seed {seed}");
    }
}

#[test]
fn what_nobody_wrote_passes_and_decides_nothing() {
    for (word, decides) in [(0, false), (1, true)] {
        let mut program = Assembler::new();
        copy_row(&mut program, 0x3120, 0x3240);
        program.peek(A1, 0x3240 + 4 * word).emit(b(4, ZERO, A1, 1)).halt();
        let mut bench = Bench::new();
        let at = tile(18, 20);
        // The first two floats are written, the third is not.
        bench.write(at, 0x3120, &[0, 0, 0x80, 0x3F]);
        bench.write(at, 0x3126, &[0; 26]);
        bench.load(at, 0x6000, &program.words);
        bench.release(at, TRISC0);
        if !decides {
            bench.settle().unwrap();
            continue;
        }
        let fault = bench.fault();
        assert_eq!(fault.category, FaultCategory::UnpredictableValueUsed, "{fault}");
        assert!(fault.reason.contains("L1 0x3124"), "{fault}");
    }
}

#[test]
fn l1_ends_for_unpackers_and_packers() {
    const END: u32 = 1464 * 1024;
    for (from, to, reader) in [(END, 0x3240, "UNPACR"), (0x3120, END, "PACR")] {
        let mut program = Assembler::new();
        copy_row(&mut program, from, to);
        program.halt();
        let mut bench = Bench::new();
        let at = tile(18, 20);
        bench.write(at, 0x3120, &[0; 32]);
        bench.load(at, 0x6000, &program.words);
        bench.release(at, TRISC0);
        let fault = bench.fault();
        assert_eq!(fault.category, FaultCategory::UndefinedBehavior, "{reader}: {fault}");
        assert!(fault.reason.contains("pass the end of L1"), "{reader}: {fault}");
    }
}

#[test]
fn the_scalar_unit_stores_to_the_overlay_alone() {
    // STOREREG of register 5 to the page count of stream 9.
    let stream = 0xFFB4_0000 + 9 * 0x1000;
    let store = |address: u32| 0x6700_0000 | 5 << 18 | ((address - 0xFFB0_0000) / 4);
    let received = stream + 0x10;
    let mut program = Assembler::new();
    program.poke(PUSH, set_register(5, 77)).poke(PUSH, store(received)).peek(A0, SYNCHRONIZED);
    program.save(received, 0x3000).halt();
    assert_eq!(on_trisc0(&program, 1).unwrap(), [77]);
    let mut elsewhere = Assembler::new();
    elsewhere.poke(PUSH, store(0xFFB1_21F0)).halt();
    assert!(on_trisc0(&elsewhere, 0).is_err());
}

/// RMWCIB0: a bit of a configuration word's first byte becomes 1.
const fn sets_bit(word: u32, bit: u32) -> u32 {
    0xB3 << 24 | 1 << (16 + bit) | 1 << (8 + bit) | word
}

/// Runs TRISC0, TRISC1 and BRISC of a tile, and gives the fault.
fn with_others(strict_tensix: bool, [trisc0, trisc1, brisc]: [&mut Assembler; 3]) -> Option<Fault> {
    let mut bench = Bench::with(SimulatorOptions { strict_tensix, ..SimulatorOptions::default() });
    let at = tile(18, 20);
    bench.write(at, 0x3120, &[0; 32]);
    bench.write(at, FLAGS.into(), &[0; 16]);
    for (place, program) in [(0x6000, trisc0), (SECOND_PROGRAM, trisc1), (0, brisc)] {
        bench.load(at, place, &program.halt().words);
    }
    bench.release(at, TRISC0 | TRISC1 | BRISC);
    match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(other) => panic!("{other}"),
    }
}

/// Words of L1 by which cores tell each other how far they are.
const FLAGS: u32 = 0x3700;
/// A semaphore; SEMPOST and SEMGET of it; SEMWAIT, which holds back all other instructions while it is 0.
const TOLD: u32 = 5;
const TELLS: u32 = 0xA400_0000 | 1 << (2 + TOLD);
const TAKES: u32 = 0xA500_0000 | 1 << (2 + TOLD);
const AWAITS: u32 = 0xA600_0000 | 0x1FF << 15 | 1 << (2 + TOLD) | 1;

#[test]
fn a_core_stores_configuration_that_its_thread_no_longer_reads() {
    /// STALLWAIT on the first packer, which holds back the synchronization unit.
    const PACKED: u32 = 0xA200_0000 | 1 << 16 | 1 << 3;
    // The base address of an unpacker; the edge mask, which packers read until they have finished; the address of a packer.
    let [base, edges, address] = [64, 20, 57].map(|word| CONFIGURATION + 4 * word);
    let semaphore = SEMAPHORES + 4 * TOLD;
    /// Strict or not, the address of the stored word, pushed words, a register that the core loads before, the lacking order.
    type Case = (bool, u32, &'static [u32], Option<u32>, Option<&'static str>);
    let cases: [Case; 11] = [
        (false, base, &[], None, Some("has been issued")),
        (false, base, &[], Some(SYNCHRONIZED), None),
        (false, base, &[TELLS], None, Some("has been issued")),
        (false, base, &[TELLS], Some(semaphore), None),
        (true, base, &[], Some(SYNCHRONIZED), None),
        (true, edges, &[TELLS], Some(semaphore), Some("may still read")),
        (false, edges, &[TELLS], Some(semaphore), Some("may still read")),
        (false, edges, &[PACKED, TELLS], Some(semaphore), None),
        (false, edges, &[], Some(SYNCHRONIZED), None),
        (false, address, &[], None, Some("has been issued")),
        (false, address, &[], Some(SYNCHRONIZED), None),
    ];
    for (strict, stored, pushed, looks, lacks) in cases {
        let mut program = Assembler::new();
        program.poke(PUSH, seminit(7, 0, 1 << TOLD));
        begin_to_copy_row(&mut program, 0x3120, 0x3240);
        for word in pushed {
            program.poke(PUSH, *word);
        }
        if let Some(register) = looks {
            program.peek(A0, register);
        }
        let store_at = program.place();
        program.poke(stored, 0x0FFF);
        let fault =
            with_others(strict, [&mut program, &mut Assembler::new(), &mut Assembler::new()]);
        let said = fault.as_ref().map(|fault| fault.reason.as_str());
        assert_eq!(said.is_some(), lacks.is_some(), "{stored:#x} {pushed:x?}: {said:?}");
        if let (Some(fault), Some(lacks)) = (&fault, lacks) {
            assert_eq!(fault.category, FaultCategory::DataRace);
            assert!(fault.reason.contains(lacks), "{stored:#x} {pushed:x?}: {fault}");
            // The instruction that reads was pushed before the store.
            let [first, last] =
                [&fault.against, &fault.place].map(|at| at.as_ref().unwrap().pc.unwrap());
            assert!(first < 0x6000 + store_at as u32 && last > first, "{fault}");
        }
    }
}

#[test]
fn a_thread_reads_configuration_that_others_have_written_before() {
    // The base address of an unpacker's first context, before the row is unpacked again.
    const UNPACR: u32 = 0x4200_00C1;
    let write = sets_bit(64, 1);
    for (is_told_behind, is_ordered) in [(true, true), (false, false)] {
        let words = if is_told_behind { [write, TELLS] } else { [TELLS, write] };
        let mut trisc0 = Assembler::new();
        trisc0.poke(PUSH, seminit(7, 0, 1 << TOLD));
        begin_to_copy_row(&mut trisc0, 0x3120, 0x3240);
        trisc0.peek(A0, SYNCHRONIZED).poke(FLAGS, 1).wait_for(FLAGS + 4, 1);
        for word in [AWAITS, TAKES, UNPACR] {
            trisc0.poke(PUSH, word);
        }
        // The flag says that the core has pushed, not that its thread has issued.
        let mut trisc1 = Assembler::new();
        trisc1.wait_for(FLAGS, 1).poke(PUSH, words[0]).poke(PUSH, words[1]).poke(FLAGS + 4, 1);
        let fault = with_others(false, [&mut trisc0, &mut trisc1, &mut Assembler::new()]);
        assert_eq!(fault.is_none(), is_ordered, "{fault:?}");
        let writer = fault.and_then(|fault| fault.against?.processor);
        assert_eq!(writer, (!is_ordered).then_some(Processor::Trisc1));
    }
    // The core awaits its thread before and behind the write, and tells of it.
    let mut trisc0 = Assembler::new();
    begin_to_copy_row(&mut trisc0, 0x3120, 0x3240);
    trisc0.peek(A0, SYNCHRONIZED).poke(FLAGS, 1).wait_for(FLAGS + 4, 1).poke(PUSH, UNPACR);
    let mut trisc1 = Assembler::new();
    trisc1.wait_for(FLAGS, 1).poke(PUSH, set_register(1, 5)).peek(A0, SYNCHRONIZED);
    trisc1.poke(PUSH, write).peek(A0, SYNCHRONIZED).poke(FLAGS + 4, 1);
    let fault = with_others(false, [&mut trisc0, &mut trisc1, &mut Assembler::new()]);
    assert_eq!(fault, None);
    // BRISC stores, and tells of that before or behind.
    for (is_told_behind, is_ordered) in [(true, true), (false, false)] {
        let mut trisc0 = Assembler::new();
        begin_to_copy_row(&mut trisc0, 0x3120, 0x3240);
        trisc0.peek(A0, SYNCHRONIZED).poke(FLAGS, 1).wait_for(FLAGS + 4, 1);
        trisc0.li(A0, 0).li(A1, 1000);
        let again = trisc0.place();
        trisc0.emit(addi(A0, A0, 1)).bne(A0, A1, again).poke(PUSH, UNPACR);
        let mut brisc = Assembler::new();
        brisc.wait_for(FLAGS, 1);
        if !is_told_behind {
            brisc.poke(FLAGS + 4, 1);
        }
        brisc.poke(CONFIGURATION + 4 * 64, 0x313);
        if is_told_behind {
            brisc.peek(A0, CONFIGURATION + 4 * 64).poke(FLAGS + 4, 1);
        }
        let fault = with_others(false, [&mut trisc0, &mut Assembler::new(), &mut brisc]);
        assert_eq!(fault.is_none(), is_ordered, "{fault:?}");
        let writer = fault.and_then(|fault| fault.against?.processor);
        assert_eq!(writer, (!is_ordered).then_some(Processor::Brisc));
    }
}

#[test]
fn a_thread_writes_configuration_that_another_no_longer_reads() {
    /// STALLWAIT on a filled bank of SrcA, which holds back the configuration unit.
    const FILLED: u32 = 0xA200_0000 | 1 << 22 | 1 << 10;
    for (strict, words, lacks) in [
        (false, &[FILLED, sets_bit(64, 1)][..], None),
        (true, &[FILLED, sets_bit(64, 1)], None),
        (false, &[sets_bit(64, 1)], Some("nothing orders the two")),
        (true, &[sets_bit(64, 1)], Some("may still read")),
    ] {
        let mut trisc0 = Assembler::new();
        begin_to_copy_row(&mut trisc0, 0x3120, 0x3240);
        trisc0.poke(FLAGS, 1);
        let mut trisc1 = Assembler::new();
        trisc1.wait_for(FLAGS, 1);
        for word in words {
            trisc1.poke(PUSH, *word);
        }
        let fault = with_others(strict, [&mut trisc0, &mut trisc1, &mut Assembler::new()]);
        let said = fault.as_ref().map(|fault| fault.reason.as_str());
        assert_eq!(said.is_some(), lacks.is_some(), "{strict} {words:x?}: {said:?}");
        if let (Some(said), Some(lacks)) = (said, lacks) {
            assert!(said.contains(lacks), "{strict} {words:x?}: {said}");
        }
    }
}
