//! What cores of a tile share: reset, the mover, mailboxes, overlay counters, clock and windows.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

#[test]
fn cores_start_where_the_reset_pc_says() {
    let mut bench = Bench::new();
    let at = tile(18, 20);
    let mark = |value: u32| {
        let mut program = Assembler::new();
        program.poke(0x3000 + value * 4, value).halt();
        program.words
    };
    for (start, value) in
        [(0x6000, 1), (0xA000, 2), (0xE000, 3), (0x1_2000, 4), (0x2_0000, 5), (0x2_1000, 6)]
    {
        bench.load(at, start, &mark(value));
    }
    // BRISC moves T1 and NC, and releases everybody.
    let mut boot = Assembler::new();
    boot.poke(0xFFEF_0000 + 159 * 4, 0x2_0000)
        .poke(0xFFEF_0000 + 158 * 4, 0x2_1000)
        .poke(0xFFEF_0000 + 161 * 4, 0b010)
        .poke(0xFFEF_0000 + 162 * 4, 0x2_1000)
        .poke(0xFFEF_0000 + 163 * 4, 1)
        .poke(0xFFEF_0000 + 157 * 4, 31)
        .poke(0xFFB1_21B0, 0)
        .halt();
    bench.load(at, 0, &boot.words);
    bench.release(at, BRISC);
    assert_eq!(bench.settle().unwrap().len(), 5);
    let marks: Vec<u32> = (1..7).map(|value| bench.word(at, 0x3000 + value * 4)).collect();
    assert_eq!(marks, [1, 0, 3, 0, 5, 6]);
    assert_eq!(bench.word(at, 0xFFB1_21B0), 0);
}

#[test]
fn reset_clears_registers_and_keeps_memory() {
    let mut bench = Bench::new();
    let at = tile(18, 20);
    let mut program = Assembler::new();
    program.li(A0, 0x3000).emit(sw(A5, A0, 0)).li(A5, 9).emit(sw(A5, A0, 4)).halt();
    bench.load(at, 0, &program.words);
    for _ in 0..2 {
        bench.write_word(at, 0x3000, 77);
        bench.release(at, BRISC);
        bench.settle().unwrap();
        assert_eq!((bench.word(at, 0x3000), bench.word(at, 0x3004)), (0, 9));
        bench.write_word(at, 0xFFB1_21B0, 0x8000_0000 | ALL_CORES);
        assert_eq!(bench.settle().unwrap(), []);
    }
}

#[test]
fn the_mover_fills_the_instruction_ram() {
    let mut bench = Bench::new();
    let at = tile(20, 20);
    let mut resident = Assembler::new();
    resident.poke(0x3000, 42).halt();
    bench.load(at, 0x2_0000, &resident.words);
    let mut boot = Assembler::new();
    boot.poke(0xFFB1_1000, 0x2_0000 >> 4)
        .poke(0xFFB1_1004, 0x4000)
        .poke(0xFFB1_1008, 64 >> 4)
        .poke(0xFFB1_100C, 1)
        .poke(0xFFB1_1010, 0x40)
        .save(0xFFB1_1014, 0x3010)
        .poke(0xFFEF_0000 + 162 * 4, 0xFFC0_0000)
        .poke(0xFFEF_0000 + 163 * 4, 1)
        .poke(0xFFB1_21B0, ALL_CORES & !BRISC & !NCRISC)
        .halt();
    bench.load(at, 0, &boot.words);
    bench.release(at, BRISC);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 42);
    assert_eq!(bench.word(at, 0x3010) & 8, 8);
}

#[test]
fn the_mover_fills_all_of_the_instruction_ram_and_no_more() {
    const SIZE: u32 = 16 << 10;
    let run = |size: u32| {
        let mut bench = Bench::new();
        let at = tile(20, 20);
        // The last two words are a jump to the first ones, which say that they ran.
        let mut resident = Assembler::new();
        resident.poke(0x3000, 42).halt();
        resident.words.resize((SIZE / 4) as usize - 1, addi(ZERO, ZERO, 0));
        resident.emit(j(4 - SIZE as i32, ZERO));
        bench.load(at, 0x2_0000, &resident.words);
        let mut boot = Assembler::new();
        boot.poke(0xFFB1_1000, 0x2_0000 >> 4)
            .poke(0xFFB1_1004, 0x4000)
            .poke(0xFFB1_1008, size >> 4)
            .poke(0xFFB1_100C, 1)
            .poke(0xFFB1_1010, 0x40)
            .poke(0xFFEF_0000 + 162 * 4, 0xFFC0_0000 + SIZE - 4)
            .poke(0xFFEF_0000 + 163 * 4, 1)
            .poke(0xFFB1_21B0, ALL_CORES & !BRISC & !NCRISC)
            .halt();
        bench.load(at, 0, &boot.words);
        bench.release(at, BRISC);
        bench.settle().map(|_| bench.word(at, 0x3000))
    };
    assert_eq!(run(SIZE).unwrap(), 42);
    assert!(matches!(run(SIZE + 16), Err(DeviceError::Fault(_))));
}

#[test]
fn mailboxes_are_queues_that_block() {
    let mut bench = Bench::new();
    let at = tile(20, 20);
    // T0 waits for B, and gets six words of which four fit at a time.
    let mut reader = Assembler::new();
    reader.wait_for(0x2000, 1);
    for index in 0..6 {
        reader.save(0xFFEC_0000, 0x3000 + index * 4);
    }
    reader.save(0xFFEC_0004, 0x3020).halt();
    let mut writer = Assembler::new();
    for index in 0..6 {
        writer.poke(0xFFEC_1000, 10 + index);
    }
    writer.poke(0x2010, 1).halt();
    bench.clear(at);
    bench.load(at, 0x6000, &reader.words);
    bench.load(at, 0, &writer.words);
    bench.write_word(at, 0x3020, 9);
    bench.release(at, BRISC | TRISC0);
    let waiting = bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x2010), 0);
    let writer_waits = waiting.iter().find(|wait| wait.processor == Processor::Brisc).unwrap();
    assert_eq!(writer_waits.address, TileAddress(0xFFEC_1000));
    bench.write_word(at, 0x2000, 1);
    bench.settle().unwrap();
    let words: Vec<u32> = (0..6).map(|index| bench.word(at, 0x3000 + index * 4)).collect();
    assert_eq!(words, [10, 11, 12, 13, 14, 15]);
    assert_eq!((bench.word(at, 0x2010), bench.word(at, 0x3020)), (1, 0));
}

#[test]
fn a_core_that_enters_reset_takes_what_it_wrote_to_mailboxes_along() {
    let mut bench = Bench::new();
    let at = tile(20, 20);
    // B and T1 write to T0 and T2.
    let mut writer = Assembler::new();
    writer.poke(0xFFEC_1000, 1).poke(0xFFEC_1000, 2).poke(0xFFEC_3000, 3).halt();
    // T0 and T2 say whether there is anything of B and of T1.
    let mut reader = |start: u64, result: u32| {
        let mut program = Assembler::new();
        program.save(0xFFEC_0004, result).save(0xFFEC_2004, result + 4).halt();
        bench.load(at, start, &program.words);
    };
    reader(0x6000, 0x3000);
    reader(0xE000, 0x3010);
    bench.load(at, 0, &writer.words);
    bench.load(at, 0xA000, &writer.words);
    bench.release(at, BRISC | TRISC1);
    bench.settle().unwrap();
    // T1 stays out of reset.
    bench.release(at, ALL_CORES & !BRISC & !NCRISC);
    bench.settle().unwrap();
    for result in [0x3000, 0x3010] {
        assert_eq!((bench.word(at, result), bench.word(at, result + 4)), (0, 1));
    }
    // A core that leaves reset, having written nothing again, finds room for four words.
    let mut again = Assembler::new();
    for word in 0..4 {
        again.poke(0xFFEC_1000, word);
    }
    again.poke(0x3020, 1).halt();
    bench.load(at, 0, &again.words);
    bench.release(at, ALL_CORES & !NCRISC);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3020), 1);
}

#[test]
fn an_empty_mailbox_is_waited_for() {
    let mut bench = Bench::new();
    let at = tile(20, 20);
    let mut reader = Assembler::new();
    reader.save(0xFFEC_3000, 0x3000).halt();
    bench.load(at, 0xA000, &reader.words);
    bench.release(at, TRISC1);
    let Advance::Quiescent(waiting) = bench.device.advance(500).unwrap() else { panic!() };
    assert_eq!(waiting[0].processor, Processor::Trisc1);
    assert_eq!(waiting[0].address, TileAddress(0xFFEC_3000));
}

#[test]
fn overlay_counters_wrap_add_and_wake() {
    let mut bench = Bench::new();
    let at = tile(23, 20);
    let stream = 0xFFB4_0000 + 0x1000 * 3;
    bench.write_word(at, u64::from(stream) + 0x10, 0x12_3456);
    assert_eq!(bench.word(at, u64::from(stream) + 0x10), 0x3456);
    assert_eq!(bench.word(at, u64::from(stream) + 0x100), 0x3456);
    bench.write_word(at, u64::from(stream) + 0x88, 2 << 6);
    assert_eq!(bench.word(at, u64::from(stream) + 0x100), 0x3458);
    // A consumer waits for the producer's count.
    let mut consumer = Assembler::new();
    consumer.wait_for(stream + 0xC, 2).poke(0x3000, 1).halt();
    let mut producer = Assembler::new();
    producer.wait_for(0x2000, 1).poke(stream + 0xC, 1).wait_for(0x2000, 2);
    producer.poke(stream + 0xC, 2).halt();
    bench.load(at, 0x6000, &consumer.words);
    bench.load(at, 0, &producer.words);
    bench.release(at, BRISC | TRISC0);
    bench.write_word(at, 0x2000, 1);
    let waiting = bench.settle().unwrap();
    let wait = waiting.iter().find(|wait| wait.processor == Processor::Trisc0).unwrap();
    assert_eq!((wait.address, wait.value), (TileAddress(u64::from(stream) + 0xC), 1));
    assert!(matches!(
        wait.last_writer,
        Some(Writer::Core { tile, processor: Processor::Brisc, retired })
            if tile == physical(at) && retired > 0
    ));
    bench.write_word(at, 0x2000, 2);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 1);
}

#[test]
fn the_wall_clock_moves_with_instructions() {
    let mut bench = Bench::new();
    let at = tile(23, 20);
    let mut program = Assembler::new();
    program.save(0xFFB1_21F0, 0x3000);
    program.words.extend(std::iter::repeat_n(addi(ZERO, ZERO, 0), 1000));
    program.save(0xFFB1_21F0, 0x3004).save(0xFFB1_21F8, 0x3008).halt();
    bench.load(at, 0x4000, &program.words);
    bench.load(at, 0, &[j(0x4000, 0)]);
    bench.release(at, BRISC);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3004) - bench.word(at, 0x3000), 1006);
    assert_eq!(bench.word(at, 0x3008), 0);
}

#[test]
fn bulk_data_survives_windows_of_every_size() {
    let mut bench = Bench::new();
    for size in [1u64 << 20, 1 << 21, 1 << 24] {
        let window = bench.device.allocate_window(size).unwrap();
        for (at, noc) in [(tile(5, 3), Noc::Noc0), (tile(4, 8), Noc::Noc1)] {
            let target = WindowTarget {
                end: at,
                multicast_start: None,
                noc,
                address: TileAddress(size * 3),
                order: WindowOrder::Default,
            };
            bench.device.configure_window(window, &target).unwrap();
            let data: Vec<u8> = (0..size).map(|byte| (byte / 251 + size) as u8).collect();
            bench.device.window_write(window, 0, &data).unwrap();
            let mut back = vec![0; size as usize];
            bench.device.window_read(window, 0, &mut back).unwrap();
            assert!(back == data);
            bench.device.window_read(window, size - 3, &mut back[..3]).unwrap();
            assert_eq!(back[..3], data[data.len() - 3..]);
        }
    }
}

#[test]
fn a_multicast_window_writes_every_tile_of_the_rectangle() {
    let mut bench = Bench::new();
    let window = bench.device.allocate_window(1 << 20).unwrap();
    let target = WindowTarget {
        end: tile(25, 27),
        multicast_start: Some(tile(18, 18)),
        noc: Noc::Noc0,
        address: TileAddress(0),
        order: WindowOrder::Strict,
    };
    bench.device.configure_window(window, &target).unwrap();
    bench.device.window_write(window, 0x100, &[1, 2, 3, 4]).unwrap();
    for x in 18..26 {
        for y in 18..28 {
            assert_eq!(bench.read(tile(x, y), 0x100, 4), [1, 2, 3, 4]);
        }
    }
}

#[test]
fn a_multicast_window_wraps_around_in_neither_axis() {
    for (noc, start, end) in [
        (Noc::Noc0, (19, 18), (18, 19)),
        (Noc::Noc0, (18, 19), (19, 18)),
        (Noc::Noc1, (18, 19), (19, 18)),
        (Noc::Noc1, (19, 18), (18, 19)),
    ] {
        let mut bench = Bench::new();
        let window = bench.device.allocate_window(1 << 20).unwrap();
        let target = WindowTarget {
            end: tile(end.0, end.1),
            multicast_start: Some(tile(start.0, start.1)),
            noc,
            address: TileAddress(0),
            order: WindowOrder::Strict,
        };
        bench.device.configure_window(window, &target).unwrap();
        let Err(DeviceError::Fault(fault)) =
            bench.device.window_write(window, 0x100, &[1, 2, 3, 4])
        else {
            panic!("from {start:?} to {end:?} on {noc:?}");
        };
        assert_eq!(fault.category, FaultCategory::UndefinedBehavior, "{}", fault.reason);
        assert!(fault.reason.contains("wraps around"), "{}", fault.reason);
    }
}

#[test]
fn configuration_space_identifies_the_chip() {
    let mut bench = Bench::new();
    assert_eq!(bench.device.config_read(ConfigOffset(0)).unwrap(), 0x401E_1E52);
    assert_eq!(bench.device.config_read(ConfigOffset(0x14)).unwrap(), 1);
    assert!(bench.device.capabilities().detects_races);
    assert_eq!(bench.device.name(), "sim:wormhole_b0");
}

#[test]
fn the_coprocessor_computes_where_it_is_simulated() {
    let computing = Architecture::ALL.map(|chip| Bench::of(chip, 0).device.capabilities().tensix);
    assert_eq!(computing, [false, true, true]);
}
