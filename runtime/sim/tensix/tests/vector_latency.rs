//! Results that take two cycles: on Wormhole, the next instruction must not depend on them.

use hallmark_chip::FaultCategory;
use hallmark_tensix::Refusal;
use hallmark_tensix::counters::ReadWriteCounters;
use hallmark_tensix::registers::{Destination, Flags, Vector, Vectors};
use hallmark_tensix::vector::{self, BLACKHOLE, Settings, Table, WORMHOLE_B0};

/// Whether instructions are executed one right after the other; the registers hold `seven`.
fn executed(chip: &'static Table, seven: u32, words: &[u32], pauses: bool) -> Result<(), Refusal> {
    let mut vectors = Vectors::default();
    for number in 0..8 {
        vectors.set(number, Vector::of(seven));
    }
    vectors.flags = Flags { set: u32::MAX, unknown: 0, used: u32::MAX };
    let (mut destination, mut counters) = (Destination::default(), ReadWriteCounters::default());
    let settings = Settings::zero(chip);
    for word in words {
        vector::execute(*word, &mut vectors, &mut destination, &mut counters, &settings)?;
        if pauses {
            vector::elapse(&mut vectors, &mut destination, &mut counters, &settings)?;
        }
    }
    Ok(())
}

const fn three(opcode: u32, [a, b, c, d]: [u32; 4], mode: u32) -> u32 {
    opcode << 24 | a << 16 | b << 12 | c << 8 | d << 4 | mode
}

const fn two(opcode: u32, [c, d]: [u32; 2], mode: u32) -> u32 {
    three(opcode, [0, 0, c, d], mode)
}

const NOP: u32 = 0x8F00_0000;
const MAD_TO_4: u32 = three(0x84, [1, 2, 3, 4], 0);
/// SFPSHFT2: rotated to a register, and to the fourth of four that move down.
const ROTATE_TO_4: u32 = two(0x94, [1, 4], 3);
const ROTATE_DOWN: u32 = two(0x94, [5, 9], 2);

/// Two instructions, and the register that the second one must not touch.
const WRONG: [(u32, u32, &str); 30] = [
    (MAD_TO_4, three(0x84, [4, 2, 3, 5], 0), "LReg[4]"),
    (MAD_TO_4, three(0x84, [1, 4, 3, 5], 0), "LReg[4]"),
    (MAD_TO_4, three(0x84, [1, 2, 4, 5], 0), "LReg[4]"),
    (three(0x85, [10, 2, 3, 0], 0), two(0x7D, [0, 6], 1), "LReg[0]"),
    (three(0x86, [1, 2, 9, 7], 0), 0x7270_0000, "LReg[7]"),
    (0x7500_0040, 0x7500_0040, "LReg[4]"),
    (0x7400_0020, two(0x92, [5, 2], 1), "LReg[2]"),
    (0x7350_0000 | 4 << 16, two(0x7B, [5, 0], 0), "LReg[5]"),
    (0x9500_0062, two(0x79, [1, 6], 4), "LReg[6]"),
    (MAD_TO_4, two(0x7A, [1, 4], 1), "LReg[4]"),
    (MAD_TO_4, two(0x7E, [4, 1], 0), "LReg[4]"),
    (MAD_TO_4, two(0x7F, [1, 4], 0), "LReg[4]"),
    (MAD_TO_4, two(0x83, [1, 4], 0), "LReg[4]"),
    (MAD_TO_4, two(0x8C, [0, 0], 0), "LReg[4]"),
    (MAD_TO_4, two(0x90, [4, 1], 0), "LReg[4]"),
    (MAD_TO_4, two(0x8E, [4, 1], 1), "LReg[4]"),
    (MAD_TO_4, three(0x8E, [0, 4, 1, 2], 4), "LReg[4]"),
    (MAD_TO_4, 0x9500_0062, "LReg[4]"),
    (three(0x84, [1, 2, 3, 0], 0), 0x9100_00C0, "LReg[0]"),
    (three(0x84, [1, 2, 3, 3], 0), 0x7340_0000 | 4 << 16, "LReg[3]"),
    (three(0x84, [1, 2, 3, 7], 0), three(0x84, [1, 2, 3, 5], 8), "LReg[7]"),
    // LReg[7] names LReg[5].
    (three(0x84, [1, 2, 3, 4], 8), two(0x7C, [5, 1], 0), "LReg[5]"),
    (ROTATE_TO_4, 0x7240_0000, "LReg[4]"),
    (two(0x94, [1, 4], 4), 0x7240_0000, "LReg[4]"),
    (ROTATE_DOWN, 0x7230_0000, "LReg[3]"),
    (ROTATE_DOWN, 0x7120_0000, "LReg[2]"),
    (ROTATE_TO_4, two(0x79, [1, 2], 5), "its sub-unit"),
    (ROTATE_TO_4, two(0x94, [1, 2], 5), "its sub-unit"),
    (ROTATE_DOWN, two(0x7C, [6, 5], 0), "its sub-unit"),
    (two(0x94, [9, 9], 3), two(0x8E, [1, 2], 1), "its sub-unit"),
];

/// Two instructions of which the second does not depend on the first.
const RIGHT: [(u32, u32); 16] = [
    (MAD_TO_4, three(0x84, [1, 2, 3, 4], 0)),
    (MAD_TO_4, two(0x7C, [3, 4], 0)),
    (MAD_TO_4, 0x7140_0000),
    (MAD_TO_4, 0x7042_0000),
    (MAD_TO_4, two(0x79, [1, 4], 5)),
    (MAD_TO_4, two(0x7B, [4, 0], 8)),
    (MAD_TO_4, two(0x82, [1, 4], 1)),
    (MAD_TO_4, two(0x92, [1, 2], 1)),
    (three(0x84, [1, 2, 3, 9], 0), three(0x84, [9, 2, 3, 5], 0)),
    // LReg[7] counts only for those that are named by it.
    (three(0x84, [1, 2, 3, 7], 0), three(0x84, [1, 2, 3, 5], 0)),
    // A word of the configuration, and no register.
    (MAD_TO_4, two(0x7C, [4, 5], 8)),
    // One cycle, or the hardware waits.
    (two(0x79, [1, 4], 5), two(0x7C, [4, 1], 0)),
    (two(0x92, [1, 4], 1), two(0x7C, [4, 1], 0)),
    (two(0x94, [1, 4], 5), two(0x7C, [4, 1], 0)),
    (ROTATE_TO_4, three(0x84, [1, 2, 3, 5], 0)),
    (ROTATE_DOWN, 0x7160_0000),
];

#[test]
fn the_next_instruction_must_not_depend_on_a_late_result() {
    for (first, second, what) in WRONG {
        let refusal = executed(&WORMHOLE_B0, 5, &[first, second], false).expect_err(what);
        assert_eq!(refusal.category, FaultCategory::UndefinedBehavior, "{refusal}");
        for text in [what, "SFPNOP", ".md", &format!("{first:#010x}"), &format!("{second:#010x}")] {
            assert!(refusal.reason.contains(text), "{text}: {refusal}");
        }
    }
}

#[test]
fn a_cycle_between_them_or_hardware_that_waits_is_enough() {
    for (first, second, _) in WRONG {
        for (chip, words, pauses) in [
            (&WORMHOLE_B0, &[first, NOP, second][..], false),
            (&WORMHOLE_B0, &[first, second], true),
            (&BLACKHOLE, &[first, second], false),
        ] {
            let result = executed(chip, 5, words, pauses);
            assert_eq!(result, Ok(()), "{first:#x} {second:#x}");
        }
    }
    for (first, second) in RIGHT {
        let result = executed(&WORMHOLE_B0, 5, &[first, second], false);
        assert_eq!(result, Ok(()), "{first:#x} {second:#x}");
    }
}

#[test]
fn templates_are_kept_or_not_a_cycle_after_the_configuration() {
    let configure = |bits: u32| 0x9100_00F1 | bits << 8;
    let template = two(0x79, [1, 13], 5);
    for (first, refused) in [(configure(2), true), (configure(4), false), (0x9100_00B1, false)] {
        let result = executed(&WORMHOLE_B0, 5, &[first, template], false);
        assert_eq!(result.is_err(), refused, "{result:?}");
        assert_eq!(executed(&WORMHOLE_B0, 5, &[first, NOP, template], false), Ok(()));
        assert_eq!(executed(&WORMHOLE_B0, 5, &[first, two(0x79, [1, 3], 5)], false), Ok(()));
    }
}
