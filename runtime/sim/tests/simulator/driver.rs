//! What a driver reads and asks when it opens a chip: ARC tile and Ethernet tiles. Numbers are those of tt-umd
//! (`wormhole_implementation.hpp`, `blackhole_implementation.hpp`, `device/arc/`) and of ttsim 1.10 (`src/tile.cpp`).

use std::collections::BTreeMap;

use hallmark_chip::FaultCategory::*;
use hallmark_chip::*;
use hallmark_sim::{Chip, SimulatorOptions};

use crate::support::*;

const WORMHOLE_ARC: NocCoordinate = NocCoordinate { x: 0, y: 10 };
const WORMHOLE_CROSSBAR: u64 = 0x8_0000_0000;
const BLACKHOLE_ARC: NocCoordinate = NocCoordinate { x: 8, y: 0 };
const RESET_UNIT: u64 = 0x8003_0000;

fn wormhole(mask: u32) -> Bench {
    Bench::harvested(Architecture::WormholeB0, mask)
}

fn blackhole(mask: u32) -> Bench {
    Bench::harvested(Architecture::Blackhole, mask)
}

fn category(error: DeviceError) -> FaultCategory {
    match error {
        DeviceError::Fault(fault) => fault.category,
        other => panic!("{other}"),
    }
}

/// Telemetry by its tags, as `ArcTelemetryReader::initialize_telemetry` finds it.
fn telemetry(
    bench: &mut Bench,
    arc: NocCoordinate,
    crossbar: u64,
    [table, values]: [u64; 2],
) -> BTreeMap<u32, u32> {
    let table = crossbar + u64::from(bench.word(arc, crossbar + RESET_UNIT + table));
    let values = crossbar + u64::from(bench.word(arc, crossbar + RESET_UNIT + values));
    let entries = u64::from(bench.word(arc, table + 4));
    let mut all = BTreeMap::new();
    for entry in 0..entries {
        let word = bench.word(arc, table + 8 + 4 * entry);
        let value = bench.word(arc, values + 4 * u64::from(word >> 16));
        assert_eq!(all.insert(word & 0xFFFF, value), None, "tag {word:#x}");
    }
    all
}

fn wormhole_telemetry(bench: &mut Bench) -> BTreeMap<u32, u32> {
    telemetry(bench, WORMHOLE_ARC, WORMHOLE_CROSSBAR, [0x1D0, 0x1D4])
}

fn blackhole_telemetry(bench: &mut Bench) -> BTreeMap<u32, u32> {
    telemetry(bench, BLACKHOLE_ARC, 0, [0x434, 0x430])
}

#[test]
fn wormhole_s_firmware_has_started_and_publishes_telemetry() {
    let mut bench = wormhole(0);
    let register = |offset| WORMHOLE_CROSSBAR + RESET_UNIT + offset;
    // wait_arc_core_start: post code, no message yet, no transfer that firmware waits for.
    assert_eq!(bench.word(WORMHOLE_ARC, register(0x60)), 0xC0DE_0001);
    assert_eq!(bench.word(WORMHOLE_ARC, register(0x74)), 0);
    assert_eq!(bench.word(WORMHOLE_ARC, 0x8_1000_0000 + 0x784D4), 0);
    // The older telemetry's entry 49 tells that there is the newer one, and that there are no queues.
    assert_eq!(bench.word(WORMHOLE_ARC, 0x8_1000_0000 + 4 * 49), 18 << 24 | 4 << 16);
    assert_eq!(bench.word(WORMHOLE_ARC, register(0x1D8)), 0);
    let expected = [
        (1, 0x180),
        (2, 1),
        (3, 1),
        (4, 0),
        (11, 40 << 16),
        (13, 35 << 16),
        (14, 500),
        (15, 900),
        (16, 540),
        (21, 0xFFFF),
        (22, 0x555),
        (28, 18 << 24 | 4 << 16),
        (32, 1),
        (52, 0),
    ];
    assert_eq!(wormhole_telemetry(&mut bench), BTreeMap::from(expected));
}

#[test]
fn blackhole_s_firmware_has_started_and_publishes_telemetry() {
    let mut bench = blackhole(0);
    assert_eq!(bench.word(BLACKHOLE_ARC, RESET_UNIT + 0x408) & 7, 5);
    let expected = [
        (1, 0x400),
        (2, 1),
        (3, 1),
        (4, 0),
        (11, 40 << 16),
        (13, 35 << 16),
        (14, 800),
        (15, 900),
        (16, 540),
        (21, 0xFFF),
        (22, 0x5555),
        (28, 18 << 24 | 5 << 16),
        (32, 1),
        (34, 0x3FFF),
        (35, 0xFFF),
        (38, 1),
        (52, 0),
        (61, 0),
        (62, 1),
    ];
    assert_eq!(blackhole_telemetry(&mut bench), BTreeMap::from(expected));
}

/// `WormholeArcMessenger::send_message`: how it ended, and the answer.
fn ask_wormhole(bench: &mut Bench, message: u32, argument: u32) -> (u32, u32) {
    let register = |offset| WORMHOLE_CROSSBAR + RESET_UNIT + offset;
    bench.write_word(WORMHOLE_ARC, register(0x6C), argument);
    bench.write_word(WORMHOLE_ARC, register(0x74), message);
    bench.write_word(WORMHOLE_ARC, register(0x100), 0x0001_0003);
    // The doorbell's bit is cleared, and no other.
    assert_eq!(bench.word(WORMHOLE_ARC, register(0x100)), 3);
    (bench.word(WORMHOLE_ARC, register(0x74)), bench.word(WORMHOLE_ARC, register(0x6C)))
}

#[test]
fn wormhole_answers_each_message_in_its_registers() {
    let mut bench = wormhole(0);
    let given = 0x0102_0304;
    for (message, answer) in [(0xAA2C, 0), (0xAA34, 500), (0xAA57, 0), (0xAA58, 1)] {
        assert_eq!(ask_wormhole(&mut bench, message, given), (message & 0xFF, answer));
    }
    for code in
        [0x11, 0x21, 0x51, 0x52, 0x53, 0x54, 0x56, 0x90, 0xA0, 0xA3, 0xB6, 0xB7, 0xBA, 0xBC, 0xC1]
    {
        assert_eq!(ask_wormhole(&mut bench, 0xAA00 | code, given), (code, given), "{code:#x}");
    }
    // HANG_READ_VALUE: a message that firmware does not know.
    for code in [0x01, 0x2D, 0xFF] {
        assert_eq!(ask_wormhole(&mut bench, 0xAA00 | code, given), (u32::MAX, given));
    }
    // Without the doorbell nothing is taken.
    let status = WORMHOLE_CROSSBAR + RESET_UNIT + 0x74;
    bench.write_word(WORMHOLE_ARC, status, 0xAA57);
    bench.write_word(WORMHOLE_ARC, WORMHOLE_CROSSBAR + RESET_UNIT + 0x100, 1 << 15);
    assert_eq!(bench.word(WORMHOLE_ARC, status), 0xAA57);
}

#[test]
fn the_clock_that_a_message_sets_is_told_by_message_and_telemetry() {
    let mut bench = wormhole(0);
    for (message, clock) in [(0xAA52, 1000), (0xAA54, 500), (0xAA52, 1000), (0xAA53, 500)] {
        ask_wormhole(&mut bench, message, 0);
        assert_eq!(ask_wormhole(&mut bench, 0xAA34, u32::MAX).1, clock);
        assert_eq!(wormhole_telemetry(&mut bench)[&14], clock);
    }
    let mut bench = blackhole(0);
    for (message, clock) in [(0x52, 1350), (0x54, 800)] {
        assert_eq!(ask_blackhole(&mut bench, 3, message, 0), (0, 0));
        assert_eq!(blackhole_telemetry(&mut bench)[&14], clock);
    }
}

/// `BlackholeArcMessageQueue`: an entry is pushed, the doorbell rung, and a response popped.
fn ask_blackhole(bench: &mut Bench, queue: u64, message: u32, argument: u32) -> (u32, u32) {
    let control = u64::from(bench.word(BLACKHOLE_ARC, RESET_UNIT + 0x42C));
    let start = u64::from(bench.word(BLACKHOLE_ARC, control));
    let size = bench.word(BLACKHOLE_ARC, control + 4) & 0xFF;
    let queue = start + queue * (2 * u64::from(size) * 32 + 32);
    let [written, taken, read, answered] = [0, 4, 16, 20].map(|offset| queue + offset);
    let slot = |entry: u32| queue + 32 + 32 * u64::from(entry);
    let turn = bench.word(BLACKHOLE_ARC, written);
    assert_eq!(bench.word(BLACKHOLE_ARC, read), turn);
    let request: Vec<u8> = [message, argument].iter().flat_map(|word| word.to_le_bytes()).collect();
    bench.write(BLACKHOLE_ARC, slot(turn % size), &request);
    bench.write_word(BLACKHOLE_ARC, written, (turn + 1) % (2 * size));
    bench.write_word(BLACKHOLE_ARC, RESET_UNIT + 0x100, 0x1_0000);
    assert_eq!(bench.word(BLACKHOLE_ARC, RESET_UNIT + 0x100), 0);
    let turn = bench.word(BLACKHOLE_ARC, taken);
    let next = (turn + 1) % (2 * size);
    assert_eq!(bench.word(BLACKHOLE_ARC, answered), next);
    let response = slot(size + turn % size);
    bench.write_word(BLACKHOLE_ARC, taken, next);
    (bench.word(BLACKHOLE_ARC, response), bench.word(BLACKHOLE_ARC, response + 4))
}

#[test]
fn blackhole_answers_each_message_in_its_queue() {
    let mut bench = blackhole(0);
    // More than twice round a queue of eight.
    for argument in 0..20 {
        assert_eq!(ask_blackhole(&mut bench, 3, 0x90, argument), (0, argument + 1));
    }
    assert_eq!(ask_blackhole(&mut bench, 0, 0x90, u32::MAX), (0, 0));
    for code in [0x11, 0x21, 0x52, 0x54, 0x56, 0xA0, 0xA3, 0xB6, 0xB7, 0xBA, 0xBC, 0xC1, 0xC7] {
        assert_eq!(ask_blackhole(&mut bench, 2, code, 7), (0, 0), "{code:#x}");
    }
    for code in [0x01, 0x34, 0x57, 0xFF] {
        assert_eq!(ask_blackhole(&mut bench, 2, code, 7), (0xFF, 0), "{code:#x}");
    }
}

#[test]
fn the_other_doorbell_takes_all_requests_of_all_queues() {
    let mut bench = blackhole(0);
    let queues = [0x1000_0400u64, 0x1000_0400 + 3 * 544];
    for queue in queues {
        for entry in 0..8 {
            bench.write_word(BLACKHOLE_ARC, queue + 32 + 32 * entry, 0x90);
            bench.write_word(BLACKHOLE_ARC, queue + 36 + 32 * entry, entry as u32);
        }
        bench.write_word(BLACKHOLE_ARC, queue, 8);
    }
    bench.write_word(BLACKHOLE_ARC, 0x800B_0000, 0);
    for queue in queues {
        assert_eq!(bench.word(BLACKHOLE_ARC, queue + 16), 8);
        assert_eq!(bench.word(BLACKHOLE_ARC, queue + 20), 8);
        assert_eq!(bench.word(BLACKHOLE_ARC, queue + 32 + 32 * (8 + 7) + 4), 8);
    }
}

#[test]
fn a_queue_that_holds_more_than_it_can_is_a_fault() {
    for written in [9, 15, 16, u32::MAX] {
        let mut bench = blackhole(0);
        bench.write_word(BLACKHOLE_ARC, 0x1000_0400, written);
        let rung = bench.try_write(BLACKHOLE_ARC, 0x800B_0000, &[0; 4]);
        assert_eq!(category(rung.unwrap_err()), UndefinedBehavior, "{written}");
    }
}

/// Rows and columns count in the order on the die: Wormhole's y 11, 1, 10, 2, … and Blackhole's x 1, 16, 2, 15, ….
#[test]
fn what_is_fused_off_is_told_in_the_order_on_the_die() {
    // Bits of the mask count y 1 to 5, then 7 to 11.
    for (mask, on_die) in [(0x1, 0x2), (0x3, 0xA), (0x200, 0x1), (0x220, 0x101), (0x10, 0x200)] {
        let mut bench = wormhole(mask);
        assert_eq!(ask_wormhole(&mut bench, 0xAA57, 0), (0x57, on_die), "{mask:#x}");
    }
    // Bits of the mask count x 1 to 7, then 10 to 16.
    for (mask, off) in [(0x1, 0x1), (0x5, 0x11), (0x2000, 0x2), (0x81, 0x2001)] {
        let mut bench = blackhole(mask);
        assert_eq!(blackhole_telemetry(&mut bench)[&34], 0x3FFF & !off, "{mask:#x}");
    }
}

#[test]
fn the_host_reaches_wormhole_s_arc_tile_in_bar0_and_bar4() {
    let mut chip = Chip::new(Architecture::WormholeB0, &SimulatorOptions::default()).unwrap();
    let mut read = |bar, offset| {
        let mut word = [0; 4];
        chip.bar_read(BarOffset { bar, offset }, &mut word).unwrap();
        u32::from_le_bytes(word)
    };
    assert_eq!(read(Bar::Bar0, 0x1FF3_0060), 0xC0DE_0001);
    assert_eq!(read(Bar::Bar0, 0x1FE8_0000 + 4 * 49), 0x1204_0000);
    assert_eq!(read(Bar::Bar0, 0x1FE8_0100), 1);
    // The top 32 MiB.
    assert_eq!(read(Bar::Bar4, 0x1FF3_0060 - 0x1E00_0000), 0xC0DE_0001);
    let bar0 = |offset| BarOffset { bar: Bar::Bar0, offset };
    chip.bar_write(bar0(0x1FF3_0074), &0xAA34u32.to_le_bytes()).unwrap();
    chip.bar_write(bar0(0x1FF3_0100), &0x1_0000u32.to_le_bytes()).unwrap();
    let mut word = [0; 4];
    chip.bar_read(bar0(0x1FF3_006C), &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), 500);
    // Its last byte of memory, and one past it.
    chip.bar_write(bar0(0x1FEF_FFFC), &[1; 4]).unwrap();
    let fault = chip.bar_write(bar0(0x1FEF_FFFC), &[1; 8]).unwrap_err();
    assert_eq!(fault.category, UndefinedBehavior);
}

#[test]
fn registers_that_are_not_there_or_not_the_driver_s_are_refused() {
    let register = |offset| WORMHOLE_CROSSBAR + RESET_UNIT + offset;
    let refused = |address, bytes: &[u8]| {
        category(wormhole(0).try_write(WORMHOLE_ARC, address, bytes).unwrap_err())
    };
    // Scratch 1 is reserved.
    assert_eq!(refused(register(0x64), &[0; 4]), UnimplementedFunctionality);
    assert_eq!(refused(register(0x1D0), &[0; 4]), UnsupportedFunctionality);
    assert_eq!(refused(register(0x60), &[0; 2]), UnsupportedFunctionality);
    assert_eq!(refused(WORMHOLE_CROSSBAR - 4, &[0; 4]), UnimplementedFunctionality);
    assert_eq!(refused(0x8_1008_0000, &[0; 4]), UnimplementedFunctionality);
    let read = Bench::of(Architecture::Grayskull, 0).try_read(tile(0, 2), 0x1000, 4);
    assert_eq!(category(read.unwrap_err()), UnimplementedFunctionality);
}

/// Hang detectors of tt-umd read `NODE_ID` of Wormhole's ARC tile and of Blackhole's PCIe tile.
#[test]
fn tiles_without_cores_tell_who_they_are() {
    let mut bench = wormhole(0);
    let here = |word: u32| (word & 63, word >> 6 & 63);
    for start in [0xF_FFB2_0000, 0x8_8005_0000] {
        assert_eq!(here(bench.word(WORMHOLE_ARC, start + 0x2C)), (0, 10));
        // NIU_CFG_0: coordinates are translated.
        assert_eq!(bench.word(WORMHOLE_ARC, start + 0x100) >> 14 & 1, 1);
    }
    assert_eq!(here(bench.word(WORMHOLE_ARC, 0xF_FFB3_002C)), (9, 1));
    let mut bench = blackhole(0);
    let pcie = tile(2, 0);
    assert_eq!(here(bench.word(pcie, 0xFFFF_FFFF_FF00_0044)), (2, 0));
    assert_eq!(bench.word(BLACKHOLE_ARC, 0x8005_0100) >> 14 & 1, 1);
}

#[test]
fn ethernet_tiles_show_firmware_and_links_that_are_down() {
    let mut bench = wormhole(0);
    let last = tile(4, 6);
    // ETH_FW_VERSION_ADDR and ETH_TRAIN_STATUS_ADDR, NOT_CONNECTED.
    assert_eq!(bench.word(last, 0x210), 6 << 16 | 14 << 12);
    assert_eq!(bench.word(last, 0x1104), 3);
    assert_eq!(bench.word(last, 0xFFB1_21B0), 0x800);
    bench.write_word(last, 0xFFB1_21B0, 0);
    assert_eq!(bench.word(last, 0xFFB1_21B0), 0);
    // The other tiles have registers of their own.
    assert_eq!(bench.word(tile(9, 0), 0xFFB1_21B0), 0x800);
    let mut bench = blackhole(0);
    let first = tile(1, 1);
    // boot_results_t: POSTCODE_ETH_INIT_PASS, PORT_DOWN, and the version.
    assert_eq!(bench.word(first, 0x7CC00), 0xC0DE_A000);
    assert_eq!(bench.word(first, 0x7CC04), 2);
    assert_eq!(bench.read(first, 0x7CFBC, 3), [0, 6, 1]);
    assert_eq!(bench.word(first, 0xFFB1_21B0), 0x1800);
    for register in [0, 8, 0x20, 0x24, 0x28, 0x2C, 0x30] {
        bench.write_word(first, 0xFFB1_4000 + register, 0x40);
        assert_eq!(bench.word(first, 0xFFB1_4000 + register), 0x40);
    }
    let read = bench.try_read(first, 0xFFB1_4004, 4);
    assert_eq!(category(read.unwrap_err()), UnimplementedFunctionality);
    // A device splits what is longer than a register; a window itself does not.
    let mut chip = Chip::new(Architecture::WormholeB0, &SimulatorOptions::default()).unwrap();
    let bar0 = |offset| BarOffset { bar: Bar::Bar0, offset };
    let target = 0xFFB1_21B0_u64 >> 20 | 9 << 16;
    chip.bar_write(bar0(0x1FC0_0000), &target.to_le_bytes()).unwrap();
    let fault = chip.bar_read(bar0(0x1_21B0), &mut [0; 8]).unwrap_err();
    assert_eq!(fault.category, UnsupportedFunctionality);
}

#[test]
fn a_stand_in_takes_the_signal_to_start_and_no_other() {
    let chips = [(wormhole(0), tile(9, 0), 0x2490), (blackhole(0), tile(1, 1), 0x590)];
    for (mut bench, at, go) in chips {
        // RUN_MSG_INIT, alone and in a longer write.
        bench.write(at, go, &[1, 2, 3, 0x40]);
        assert_eq!(bench.read(at, go, 4), [1, 2, 3, 0]);
        bench.write(at, go - 4, &[0x40; 12]);
        let expected = [&[0x40; 7][..], &[0], &[0x40; 4]].concat();
        assert_eq!(bench.read(at, go - 4, 12), expected);
        // RUN_MSG_GO waits for cores that are not there.
        bench.write(at, go, &[1, 2, 3, 0x80]);
        assert_eq!(bench.read(at, go, 4), [1, 2, 3, 0x80]);
    }
}
