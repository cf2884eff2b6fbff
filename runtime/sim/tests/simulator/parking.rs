//! Cores that can only wait are noticed, and woken by whoever changes what they wait for.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

#[test]
fn a_deadlock_is_found_at_once() {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    program.wait_for(0x2000, 7).poke(0x3000, 99).halt();
    bench.load(at, 0, &program.words);
    bench.write_word(at, 0x2000, 5);
    bench.release(at, BRISC);
    let Advance::Quiescent(waiting) = bench.device.advance(1000).unwrap() else {
        panic!("not quiescent");
    };
    let [wait] = &waiting[..] else { panic!("{waiting:?}") };
    assert_eq!(wait.tile, PhysicalCoordinate { x: 1, y: 1 });
    assert_eq!(wait.processor, Processor::Brisc);
    assert_eq!((wait.address, wait.value), (TileAddress(0x2000), 5));
    assert_eq!(wait.pc, 16);
    assert_eq!(wait.last_writer, Some(Writer::Host));
    assert_eq!(bench.word(at, 0x3000), 0);

    bench.write_word(at, 0x2000, 7);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 99);
}

#[test]
fn a_store_of_another_core_wakes() {
    let mut bench = Bench::new();
    let at = tile(19, 18);
    let mut waiter = Assembler::new();
    waiter.wait_for(0x2000, 7).poke(0x3000, 1).halt();
    let mut writer = Assembler::new();
    writer.wait_for(0x2010, 1).poke(0x2000, 7).halt();
    bench.load(at, 0, &waiter.words);
    bench.load(at, 0x6000, &writer.words);
    bench.release(at, BRISC | TRISC0);
    assert_eq!(bench.settle().unwrap().len(), 2);
    assert_eq!(bench.word(at, 0x3000), 0);
    bench.write_word(at, 0x2010, 1);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 1);
}
