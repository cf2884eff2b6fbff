//! What differs on Blackhole: windows, coordinates, the NoC's registers and rules, resets and private
//! RAM that everybody sees. Numbers are those of its documents, not of the table.

use hallmark_chip::FaultCategory::*;
use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

pub(crate) fn bench(seed: u64) -> Bench {
    Bench::of(Architecture::Blackhole, seed)
}

/// The first Tensix tile.
pub(crate) const OWN: NocCoordinate = NocCoordinate { x: 1, y: 2 };
/// Private RAM of BRISC and TRISC0 as everybody sees it.
const BRISC_VIEW: u64 = 0xFFB1_4000;
const TRISC0_VIEW: u64 = 0xFFB1_8000;
const DISABLE_RESET: u64 = 0xFFB1_2224;

impl Assembler {
    /// Issues a request as NoC/MemoryMap.md of `BlackholeA0` lays its registers out.
    fn far_request(
        &mut self,
        (noc, buffer): (u32, u32),
        control: u32,
        target: End,
        result: End,
        length: u32,
        data: u32,
    ) -> &mut Self {
        let base = 0xFFB2_0000 + noc * 0x1_0000 + buffer * 0x800;
        for (offset, value) in [
            (0x00, target.address as u32),
            (0x04, (target.address >> 32) as u32),
            (0x08, target.coordinates),
            (0x0C, result.address as u32),
            (0x10, (result.address >> 32) as u32),
            (0x14, result.coordinates),
            (0x1C, control),
            (0x20, length),
            (0x28, data),
            (0x2C, 0),
            (0x40, 1),
        ] {
            self.poke(base + offset, value);
        }
        self
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|byte| (byte as u8).wrapping_mul(11) ^ (byte >> 8) as u8).collect()
}

/// Runs a program on BRISC of the first tile.
pub(crate) fn run(bench: &mut Bench, program: &Assembler) -> Result<Vec<Waiting>, DeviceError> {
    bench.load(OWN, 0, &program.words);
    bench.release(OWN, BRISC);
    bench.settle()
}

pub(crate) fn fault_of(bench: &mut Bench, program: &Assembler) -> Fault {
    match run(bench, program) {
        Err(DeviceError::Fault(fault)) => *fault,
        other => panic!("no fault but {other:?}"),
    }
}

#[test]
fn firmware_has_written_its_scratch_in_l1() {
    for (address, known) in [(0x10, true), (0x1C, true), (0x20, false)] {
        let mut bench = bench(0);
        let mut program = Assembler::new();
        program.peek(A0, address).emit(b(4, ZERO, A0, 1)).poke(0x3000, 1).halt();
        bench.load(OWN, 0, &[j(0x100, 0)]);
        bench.load(OWN, 0x100, &program.words);
        bench.release(OWN, BRISC);
        assert_eq!(bench.settle().is_ok(), known, "{address:#x}");
    }
}

#[test]
fn windows_of_both_sizes_reach_memory_and_registers() {
    let mut bench = bench(0);
    assert_eq!(bench.device.config_read(ConfigOffset(0)).unwrap(), 0xB140_1E52);
    assert_eq!(bench.device.name(), "sim:blackhole");
    let small = bench.device.allocate_window(1 << 21).unwrap();
    let large = bench.device.allocate_window(1 << 32).unwrap();
    assert_eq!((small, large), (WindowId(0), WindowId(203)));
    let aim = |bench: &mut Bench, window, end, address| {
        let target = WindowTarget {
            end,
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address),
            order: WindowOrder::Default,
        };
        bench.device.configure_window(window, &target).unwrap();
    };
    // Channel 5, near its end, through both.
    let dram = tile(18, 16);
    aim(&mut bench, small, dram, 0xFFE0_0000);
    aim(&mut bench, large, dram, 0);
    bench.device.window_write(small, 0x10_0000, &pattern(4096)).unwrap();
    let mut back = vec![0; 4096];
    bench.device.window_read(large, 0xFFF0_0000, &mut back).unwrap();
    assert_eq!(back, pattern(4096));
    assert_eq!(bench.device.window_size(large).unwrap(), 1 << 32);
    aim(&mut bench, large, OWN, 0);
    let mut word = [0; 4];
    bench.device.window_read(large, 0xFFB1_21B0, &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), ALL_CORES);
    // Beyond the 4 GiB of a channel nothing is.
    aim(&mut bench, large, dram, 1 << 32);
    assert!(bench.device.window_read(large, 0, &mut word).is_err());
}

/// The firmware's tables of 32 entries of 5 bits, six to a register; those of NoC 1 are mirror images.
#[test]
fn tiles_know_their_coordinates_and_translations() {
    let mut bench = bench(0);
    let at = tile(16, 11);
    let x = |entry: usize| match entry {
        0..17 => entry as u32,
        _ => [0, 9, 2, 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11][entry - 17],
    };
    let y = |entry: usize| match entry {
        0..12 => entry as u32,
        12..26 => [0, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6, 0, 1][entry - 12],
        _ => 0,
    };
    for (noc, base) in [(0, 0xFFB2_0000), (1, 0xFFB3_0000)] {
        let node = if noc == 0 { 16 | 11 << 6 | 1 << 28 } else { 0 };
        assert_eq!(bench.word(at, base + 0x44), node | 17 << 12 | 12 << 19);
        assert_eq!(bench.word(at, base + 0x148), 16 | 11 << 6);
        assert_eq!(bench.word(at, base + 0x100) >> 14 & 1, 1);
        for register in 0..6 {
            let (columns, rows) = (
                bench.word(at, base + 0x118 + 4 * register as u64),
                bench.word(at, base + 0x130 + 4 * register as u64),
            );
            for place in (0..6).filter(|place| register * 6 + place < 26) {
                let entry = register * 6 + place;
                let mirror = |value, last| if noc == 0 { value } else { last - value };
                assert_eq!(columns >> (5 * place) & 31, mirror(x(entry), 16), "{noc} {entry}");
                assert_eq!(rows >> (5 * place) & 31, mirror(y(entry), 11), "{noc} {entry}");
            }
        }
    }
}

#[test]
fn data_goes_from_dram_through_l1_to_a_peer_and_dram() {
    for seed in [0, 1, 99] {
        for noc in 0..2 {
            let mut bench = bench(seed);
            let data = pattern(16384);
            bench.write(tile(17, 15), 0x8000_0040, &data);
            let mut program = Assembler::new();
            // Numbers are the same on both networks.
            program
                .far_request((noc, 1), READ, end(17, 16, 0x8000_0040), end(1, 2, 0x8040), 16384, 0)
                .barrier(noc, READ_RESPONSES, 1)
                .far_request((noc, 0), WRITE, end(1, 2, 0x8040), end(16, 11, 0x1_0000), 16384, 0)
                .far_request((noc, 3), WRITE, end(1, 2, 0x8040), end(18, 23, 0x6000), 96, 0)
                .barrier(noc, WRITE_ACKNOWLEDGEMENTS, 2)
                .save(0xFFB2_0000 + noc * 0x1_0000 + 0x20C, 0x3000)
                .halt();
            run(&mut bench, &program).unwrap();
            assert_eq!(bench.read(tile(16, 11), 0x1_0000, 16384), data);
            assert_eq!(bench.read(tile(18, 21), 0x6000, 96), data[..96]);
            // Data is counted in flits of 64 bytes.
            assert_eq!(bench.word(OWN, 0x3000), 256);
        }
    }
}

#[test]
fn requests_that_break_a_rule_are_faults() {
    let own = |address| end(1, 2, address);
    let cases = [
        ("17 KiB", READ, end(2, 2, 0), own(0x8000), 16385, UnsupportedFunctionality),
        ("DRAM modulo 64", READ, end(17, 12, 0x20), own(0x8000), 32, UndefinedBehavior),
        ("L1 modulo 16", READ, end(2, 2, 8), own(0x8000), 32, UndefinedBehavior),
        ("inline to L1", INLINE_WRITE, end(2, 2, 0x4000), own(0), 0xF, UndefinedBehavior),
        ("inline to DRAM", INLINE_WRITE, end(17, 12, 0), own(0), 0xF, UnimplementedFunctionality),
        ("atomic on DRAM", ATOMIC, end(17, 12, 0), own(0), INCREMENT, UnimplementedFunctionality),
        ("no tile", READ, end(8, 5, 0), own(0x8000), 4, UnimplementedFunctionality),
        ("no number", READ, end(40, 5, 0), own(0x8000), 4, UnimplementedFunctionality),
        ("far L1", READ, end(2, 2, 1 << 40), own(0x8000), 4, UnimplementedFunctionality),
    ];
    for (name, control, target, result, length, category) in cases {
        let mut bench = bench(0);
        let mut program = Assembler::new();
        program.far_request((0, 0), control, target, result, length, 1).halt();
        let fault = fault_of(&mut bench, &program);
        assert_eq!(fault.category, category, "{name}: {fault}");
    }
    let mut bench = bench(0);
    let mut program = Assembler::new();
    program.poke(0xFFB2_002C, 1).halt();
    assert_eq!(fault_of(&mut bench, &program).category, UnimplementedFunctionality);
}

#[test]
fn inline_writes_reach_registers_and_atomics_reach_l1() {
    let mut bench = bench(0);
    bench.write_word(tile(20, 25), 0x4000, 10);
    bench.write_word(tile(5, 6), 0x4010, 20);
    let stream = 0xFFB4_5000;
    let mut program = Assembler::new();
    program
        .far_request((1, 0), INLINE_WRITE, end(5, 6, stream + 0x20), end(1, 2, 0), 0xF, 77)
        .far_request((0, 3), ATOMIC, end(20, 25, 0x4000), end(1, 2, 0x3000), INCREMENT, 5)
        .far_request((0, 3), ATOMIC, end(5, 6, 0x4010), end(1, 2, 0x3004), INCREMENT, 6)
        .barrier(1, WRITE_ACKNOWLEDGEMENTS, 1)
        .barrier(0, ATOMIC_RESPONSES, 2)
        .halt();
    run(&mut bench, &program).unwrap();
    assert_eq!(bench.word(tile(5, 6), stream + 0x20), 77);
    assert_eq!((bench.word(OWN, 0x3000), bench.word(OWN, 0x3004)), (10, 20));
    assert_eq!((bench.word(tile(20, 25), 0x4000), bench.word(tile(5, 6), 0x4010)), (15, 26));
}

#[test]
fn multicasts_skip_the_columns_between() {
    for noc in 0..2 {
        let mut bench = bench(0);
        let data = pattern(64);
        bench.write(OWN, 0x8000, &data);
        let (low, high) = ((6, 4), (11, 6));
        let to = if noc == 0 { rectangle(low, high, 0x4000) } else { rectangle(high, low, 0x4000) };
        let mut program = Assembler::new();
        program
            .far_request((noc, 2), MULTICAST, end(1, 2, 0x8000), to, 64, 0)
            .barrier(noc, WRITE_ACKNOWLEDGEMENTS, 12)
            .halt();
        run(&mut bench, &program).unwrap();
        for x in (1..=7).chain(10..=16) {
            for y in 2..12 {
                let inside = (6..=11).contains(&x) && (4..=6).contains(&y);
                let expected = if inside { data.clone() } else { vec![0; 64] };
                assert_eq!(bench.read(tile(x, y), 0x4000, 64), expected, "({x},{y})");
            }
        }
    }
}

/// How a sender tells that it has written data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    /// A write from this command buffer; the data come from 0.
    Write(u32),
    /// An increment.
    Increment,
}

/// A write keeps its order behind another one, from whichever command buffer. An increment may overtake a write that
/// has not left, and no other.
#[test]
fn only_an_increment_overtakes_data_and_only_before_they_left() {
    let cases = [
        (Flag::Increment, false),
        (Flag::Increment, true),
        (Flag::Write(0), false),
        (Flag::Write(1), false),
        (Flag::Write(2), false),
    ];
    let mut overtaken = cases.map(|_| 0);
    for seed in 0..40 {
        for (case, &(flag, flush)) in cases.iter().enumerate() {
            // The first case is a race.
            let mut bench = if case == 0 {
                Bench::racing_on(Architecture::Blackhole, seed)
            } else {
                bench(seed)
            };
            let peer = tile(3, 3);
            bench.write(peer, 0x4000, &[0; 128]);
            bench.write(OWN, 0x8000, &[1; 128]);
            bench.write(OWN, 0x3000, &[0; 16]);
            let mut sender = Assembler::new();
            let write = WRITE | STATIC_CHANNEL;
            sender.far_request((0, 0), write, end(1, 2, 0x8000), end(3, 3, 0x4000), 64, 0);
            if flush {
                // Non-posted writes sent.
                sender.barrier(0, 0x228, 1);
            }
            let (there, old) = (end(3, 3, 0x4040), end(1, 2, 0x3100));
            let raised = match flag {
                Flag::Write(buffer) => {
                    sender.far_request((0, buffer), write, end(1, 2, 0x8040), there, 4, 0);
                    0x0101_0101
                }
                Flag::Increment => {
                    let atomic = ATOMIC | STATIC_CHANNEL;
                    sender.far_request((0, 3), atomic, there, old, INCREMENT, 1);
                    1
                }
            };
            sender.halt();
            let mut receiver = Assembler::new();
            receiver.wait_for(0x4040, raised).save(0x4000, 0x3000).halt();
            bench.load(peer, 0, &receiver.words);
            bench.release(peer, BRISC);
            run(&mut bench, &sender).unwrap();
            let seen = bench.word(peer, 0x3000);
            assert!(seen == 0x0101_0101 || seen == 0);
            overtaken[case] += u32::from(seen == 0);
            assert!(seed != 0 || seen != 0, "the schedule of fixed delays keeps order");
        }
    }
    assert!(overtaken[0] > 0);
    assert_eq!(overtaken[1..], [0; 4]);
}

#[test]
fn the_host_says_where_cores_start() {
    let mut bench = bench(0);
    for (start, value) in [(0x6000, 1), (0x2_0000, 2), (0xE000, 3), (0x2_1000, 4)] {
        let mut program = Assembler::new();
        program.poke(0x3000 + value * 4, value).halt();
        bench.load(OWN, start, &program.words);
    }
    bench.load(OWN, 0, &[j(0, 0)]);
    // T1 and NC start elsewhere; T2's address is written and not enabled.
    bench.write_word(OWN, 0xFFB1_222C, 0x2_0000);
    bench.write_word(OWN, 0xFFB1_2230, 0x2_0000);
    bench.write_word(OWN, 0xFFB1_2234, 0b010);
    bench.write_word(OWN, 0xFFB1_2238, 0x2_1000);
    bench.write_word(OWN, 0xFFB1_223C, 1);
    assert_eq!(bench.word(OWN, 0xFFB1_222C), 0x2_0000);
    bench.release(OWN, ALL_CORES);
    assert_eq!(bench.settle().unwrap().len(), 5);
    let marks: Vec<u32> = (1..5).map(|value| bench.word(OWN, 0x3000 + value * 4)).collect();
    assert_eq!(marks, [1, 2, 3, 4]);
    // Where each core stands is shown, in the order B, NC, T0, T1, T2.
    let shown: Vec<u32> = (0..5).map(|core| bench.word(OWN, 0xFFB1_3138 + 4 * core)).collect();
    let base = [0, 0x2_1000, 0x6000, 0x2_0000, 0xE000];
    assert_eq!(shown[0], 0);
    for (shown, base) in shown.into_iter().zip(base).skip(1) {
        assert_eq!(shown, base + 20);
    }
}

/// A program that saves the first words of its core's private RAM and then writes there.
fn saves_private_memory(to: u32) -> Vec<u32> {
    let mut program = Assembler::new();
    program.save(0xFFB0_0000, to).poke(0xFFB0_0000, 0xABCD).halt();
    program.words
}

#[test]
fn private_memory_is_seen_by_all_and_zeroed_unless_told() {
    let mut bench = bench(0);
    bench.load(OWN, 0, &saves_private_memory(0x3000));
    bench.load(OWN, 0x6000, &saves_private_memory(0x3004));
    bench.write_word(OWN, BRISC_VIEW, 5);
    bench.write_word(OWN, BRISC_VIEW + 8188, 6);
    bench.write_word(OWN, TRISC0_VIEW, 7);
    // The compute cores' 4 KiB show twice.
    assert_eq!(bench.word(OWN, TRISC0_VIEW + 4096), 7);
    assert_eq!(bench.word(OWN, BRISC_VIEW + 8188), 6);
    // TRISC0 keeps its private RAM, BRISC does not.
    bench.write_word(OWN, DISABLE_RESET, 1);
    assert_eq!(bench.word(OWN, DISABLE_RESET), 1);
    bench.release(OWN, BRISC | TRISC0);
    bench.device.advance(3000).unwrap();
    assert_eq!((bench.word(OWN, 0x3000), bench.word(OWN, 0x3004)), (0, 7));
    assert_eq!((bench.word(OWN, BRISC_VIEW), bench.word(OWN, TRISC0_VIEW)), (0xABCD, 0xABCD));
    assert_eq!(bench.word(OWN, BRISC_VIEW + 8188), 0);
}

#[test]
fn private_memory_that_is_being_zeroed_is_left_alone() {
    let mut bench = bench(0);
    bench.load(OWN, 0, &[addi(A0, A0, 1), j(-4, 0)]);
    bench.release(OWN, BRISC);
    bench.device.advance(2000).unwrap();
    bench.word(OWN, TRISC0_VIEW);
    let Err(DeviceError::Fault(fault)) = bench.try_read(OWN, BRISC_VIEW, 4) else { panic!() };
    assert_eq!(fault.category, UndefinedBehavior);
    assert!(fault.reason.contains("0xffb14000"), "{fault}");
}

#[test]
fn cores_and_the_noc_reach_the_private_memory_of_others() {
    let mut bench = bench(0);
    let peer = tile(2, 2);
    bench.load(peer, 0, &[j(0, 0)]);
    bench.release(peer, BRISC);
    bench.device.advance(3000).unwrap();
    let mut program = Assembler::new();
    program
        .poke(0x8000, 0x1234)
        .poke(TRISC0_VIEW as u32, 0x55)
        .save(TRISC0_VIEW as u32, 0x3000)
        .far_request((0, 0), WRITE, end(1, 2, 0x8000), end(2, 2, BRISC_VIEW), 4, 0)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
        .far_request((0, 1), READ, end(2, 2, BRISC_VIEW), end(1, 2, 0x3010), 4, 0)
        .barrier(0, READ_RESPONSES, 1)
        .halt();
    run(&mut bench, &program).unwrap();
    assert_eq!((bench.word(OWN, 0x3000), bench.word(OWN, 0x3010)), (0x55, 0x1234));
    assert_eq!(bench.word(peer, BRISC_VIEW), 0x1234);
    assert_eq!(bench.word(OWN, TRISC0_VIEW), 0x55);
}

/// What nobody wrote is carried through there like through any memory.
#[test]
fn private_memory_of_others_carries_what_nobody_wrote() {
    let view = TRISC0_VIEW as u32;
    let branch = |program: &mut Assembler, from: u32| {
        program.peek(A2, from).emit(b(8, ZERO, A2, 0)).halt();
    };
    // Nobody wrote TRISC0's private RAM, which is zeroed only as it starts.
    let mut program = Assembler::new();
    program.save(view, 0x3000);
    branch(&mut program, 0x3000);
    let fault = fault_of(&mut bench(0), &program);
    assert_eq!(fault.category, UnpredictableValueUsed);
    assert!(fault.reason.contains("private RAM 0xffb00000 of TRISC0"), "{fault}");
    // From L1 into it and back.
    let mut program = Assembler::new();
    program.peek(A3, 0x1_8000).li(A1, view + 4).emit(sw(A3, A1, 0));
    branch(&mut program, view + 4);
    let fault = fault_of(&mut bench(0), &program);
    assert!(fault.reason.contains("L1 0x18000"), "{fault}");
    // Over the NoC.
    let mut program = Assembler::new();
    program.far_request((0, 1), READ, end(2, 2, TRISC0_VIEW), end(1, 2, 0x3000), 4, 0).barrier(
        0,
        READ_RESPONSES,
        1,
    );
    branch(&mut program, 0x3000);
    let fault = fault_of(&mut bench(0), &program);
    assert!(fault.reason.contains("TRISC0 on tile (2,2)"), "{fault}");
    let mut program = Assembler::new();
    program.far_request((0, 1), WRITE, end(1, 2, 0x1_8000), end(1, 2, TRISC0_VIEW), 4, 0).barrier(
        0,
        WRITE_ACKNOWLEDGEMENTS,
        1,
    );
    branch(&mut program, view);
    let fault = fault_of(&mut bench(0), &program);
    assert!(fault.reason.contains("L1 0x18000"), "{fault}");
    // Other registers take nothing unknown.
    let mut program = Assembler::new();
    program.peek(A3, 0x1_8000).li(A1, DISABLE_RESET as u32).emit(sw(A3, A1, 0)).halt();
    assert_eq!(fault_of(&mut bench(0), &program).category, UnpredictableValueUsed);
}

#[test]
fn there_is_no_instruction_ram_to_fill() {
    let mut program = Assembler::new();
    program.poke(0xFFB1_1000, 0x2000).halt();
    assert_eq!(fault_of(&mut bench(0), &program).category, UnsupportedFunctionality);
    let mut bench = bench(0);
    bench.write_word(OWN, 0xFFB1_2238, 0xFFC0_0000);
    bench.write_word(OWN, 0xFFB1_223C, 1);
    bench.release(OWN, NCRISC);
    assert_eq!(bench.fault().category, UndefinedBehavior);
}

#[test]
fn overlay_counters_stand_where_blackhole_keeps_them() {
    let mut bench = bench(0);
    let stream = 0xFFB4_0000 + 0x1000 * 63;
    bench.write_word(OWN, stream + 0x28, 0x12_3456);
    assert_eq!(bench.word(OWN, stream + 0x28), 0x3456);
    assert_eq!(bench.word(OWN, stream + 0x4A4), 0x3456);
    bench.write_word(OWN, stream + 0x438, 2 << 6);
    assert_eq!(bench.word(OWN, stream + 0x4A4), 0x3458);
    bench.write_word(OWN, stream + 0x20, 9);
    bench.write_word(OWN, stream + 0x10, 0x765);
    assert_eq!((bench.word(OWN, stream + 0x20), bench.word(OWN, stream + 0x10)), (9, 0x765));
    assert!(bench.try_read(OWN, stream + 0xC, 4).is_err());
}

#[test]
fn host_memory_lies_behind_the_fourth_window() {
    let mut bench = bench(0);
    let memory = bench.device.pin_host_memory(4096).unwrap();
    assert_eq!(memory.noc_address.0 >> 58, 4);
    bench.device.pinned_write(memory.id, 0, &pattern(128)).unwrap();
    let there = |offset| end(19, 24, memory.noc_address.0 + offset);
    let mut program = Assembler::new();
    program
        .far_request((0, 0), READ, there(0), end(1, 2, 0x8000), 128, 0)
        .barrier(0, READ_RESPONSES, 1)
        .far_request((1, 1), WRITE, end(1, 2, 0x8000), there(1024), 128, 0)
        .barrier(1, WRITE_ACKNOWLEDGEMENTS, 1)
        .halt();
    run(&mut bench, &program).unwrap();
    let mut back = [0; 128];
    bench.device.pinned_read(memory.id, 1024, &mut back).unwrap();
    assert_eq!(back[..], pattern(128));
}

/// ttsim 1.10, `translate_pci_dma_addr`: windows 0 to 3 pass by the outbound translation, window 4 goes through it.
#[test]
fn four_windows_lead_to_host_memory_without_translation() {
    for window in 0..=5_u64 {
        let mut bench = bench(0);
        let memory = bench.device.pin_host_memory(8192).unwrap();
        let address = memory.noc_address.0 & ((1 << 58) - 1);
        bench.device.pinned_write(memory.id, 0, &pattern(8192)).unwrap();
        // Region 0: everything up to 4 GiB moves by 1 KiB.
        for (register, value) in [(0x04, 1 << 31), (0x10, u32::MAX), (0x14, 0x400)] {
            let offset = BarOffset { bar: Bar::Bar2, offset: 0x1000 + register };
            bench.device.register_write(offset, value).unwrap();
        }
        let mut program = Assembler::new();
        let there = end(19, 24, window << 58 | address);
        program
            .far_request((0, 0), READ, there, end(1, 2, 0x8000), 128, 0)
            .barrier(0, READ_RESPONSES, 1)
            .halt();
        match window {
            0..4 => {
                run(&mut bench, &program).unwrap();
                assert_eq!(bench.read(OWN, 0x8000, 128), pattern(8192)[..128]);
            }
            4 => {
                run(&mut bench, &program).unwrap();
                assert_eq!(bench.read(OWN, 0x8000, 128), pattern(8192)[0x400..0x400 + 128]);
            }
            _ => {
                let fault = fault_of(&mut bench, &program);
                assert_eq!(fault.category, FaultCategory::UnimplementedFunctionality);
            }
        }
    }
}
