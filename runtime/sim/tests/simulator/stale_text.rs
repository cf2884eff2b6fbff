//! Instruction caches: new instructions at an address that a core has executed.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const SECOND: u64 = 0x1_2000;
const NEW: u64 = 0x8000;
/// RISCV_IC_INVALIDATE.
const INVALIDATE: u32 = 0xFFEF_0000 + 157 * 4;

/// A function that stores a number at 0x3000 and returns.
fn says(number: u32) -> Vec<u32> {
    let mut function = Assembler::new();
    function.poke(0x3000, number).emit(i(0x67, 0, RA, 0, ZERO));
    function.words
}

/// Calls the function once for each number that the host writes to 0x2000, and says so at 0x2004. Before
/// the second call it writes `mask` to RISCV_IC_INVALIDATE, unless that is 0.
fn calls(mask: u32) -> Assembler {
    let mut program = Assembler::new();
    for call in 1..=2 {
        program.wait_for(0x2000, call);
        if call == 2 && mask != 0 {
            program.poke(INVALIDATE, mask);
        }
        program.li(A0, NEW as u32).emit(i(0x67, 0, A0, 0, RA)).poke(0x2004, call);
    }
    program.halt();
    program
}

/// The host replaces the function between the calls.
fn replace(cores: u32, start: u64, mask: u32) -> Result<u32, Fault> {
    let mut bench = Bench::new();
    let at = tile(19, 19);
    bench.clear(at);
    bench.load(at, start, &calls(mask).words);
    bench.load(at, NEW, &says(11));
    bench.release(at, cores);
    bench.settle().unwrap();
    bench.write_word(at, 0x2000, 1);
    bench.settle().unwrap();
    assert_eq!((bench.word(at, 0x2004), bench.word(at, 0x3000)), (1, 11));
    bench.load(at, NEW, &says(22));
    bench.write_word(at, 0x2000, 2);
    match bench.settle() {
        Ok(_) => Ok(bench.word(at, 0x3000)),
        Err(DeviceError::Fault(fault)) => Err(*fault),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_cache_that_was_not_emptied_may_hold_the_old_text() {
    for (cores, start, mask) in [(BRISC, 0, 0), (BRISC, 0, 0b11110), (NCRISC, SECOND, 0)] {
        let fault = replace(cores, start, mask).unwrap_err();
        assert_eq!(fault.category, FaultCategory::UnpredictableValueUsed);
        for word in ["0x8000", "the host", "RISCV_IC_INVALIDATE"] {
            assert!(fault.reason.contains(word), "{}", fault.reason);
        }
        assert_eq!(fault.place.and_then(|place| place.pc), Some(NEW as u32));
    }
}

#[test]
fn a_core_that_wrote_the_new_text_is_named() {
    let mut bench = Bench::new();
    let at = tile(19, 19);
    bench.clear(at);
    bench.load(at, 0, &calls(0).words);
    bench.load(at, NEW, &says(11));
    let mut writer = Assembler::new();
    writer.wait_for(0x2010, 1);
    for (address, word) in (NEW as u32..).step_by(4).zip(says(22)) {
        writer.poke(address, word);
    }
    writer.halt();
    bench.load(at, SECOND, &writer.words);
    bench.release(at, BRISC | NCRISC);
    bench.settle().unwrap();
    bench.write_word(at, 0x2000, 1);
    bench.settle().unwrap();
    bench.write_word(at, 0x2010, 1);
    bench.settle().unwrap();
    bench.write_word(at, 0x2000, 2);
    let fault = bench.fault();
    assert_eq!(fault.category, FaultCategory::UnpredictableValueUsed);
    assert!(fault.reason.contains("was written by NCRISC of tile"), "{}", fault.reason);
    let against = fault.against.unwrap();
    assert_eq!((against.tile, against.processor), (physical(at), Some(Processor::Ncrisc)));
}

#[test]
fn an_emptied_cache_fetches_the_new_text() {
    assert_eq!(replace(BRISC, 0, 0b00001), Ok(22));
    assert_eq!(replace(BRISC, 0, 0b11111), Ok(22));
}

#[test]
fn a_reset_empties_the_cache() {
    let mut bench = Bench::new();
    let at = tile(19, 19);
    bench.clear(at);
    for number in [11, 22] {
        let mut program = Assembler::new();
        program.poke(0x3000, number).halt();
        bench.load(at, 0, &program.words);
        bench.release(at, BRISC);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), number);
        bench.release(at, 0);
    }
}

#[test]
fn data_where_text_was_is_no_concern_of_the_cache() {
    let mut bench = Bench::new();
    let at = tile(19, 19);
    bench.clear(at);
    let mut program = Assembler::new();
    program
        .li(A0, NEW as u32)
        .emit(i(0x67, 0, A0, 0, RA))
        .poke(NEW as u32, 5)
        .save(NEW as u32, 0x3004)
        .halt();
    bench.load(at, 0, &program.words);
    bench.load(at, NEW, &says(11));
    bench.release(at, BRISC);
    bench.settle().unwrap();
    assert_eq!((bench.word(at, 0x3000), bench.word(at, 0x3004)), (11, 5));
}
