//! What would end a wait: known for loops that one word ends in one way, and for no other.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const WORD: u32 = 0x2000;
const OTHER: u32 = 0x2010;

fn slli(rd: u32, rs1: u32, by: i32) -> u32 {
    i(0x13, by, rs1, 1, rd)
}

fn srli(rd: u32, rs1: u32, by: i32) -> u32 {
    i(0x13, by, rs1, 5, rd)
}

fn sub(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x20, rs2, rs1, 0, rd)
}

const BEQ: u32 = 0;
const BNE: u32 = 1;
const BLT: u32 = 4;
const BLTU: u32 = 6;
const BGEU: u32 = 7;

/// What a device says of a core that waits in a loop over this body, which is followed by a jump back and whose
/// way out is behind that: the word holds 5, another 1; s0 points at the word, a2 holds 7, a3 two.
fn awaited_in(architecture: Architecture, body: &[u32]) -> Option<Awaited> {
    let mut bench = Bench::of(architecture, 0);
    let description = ChipDescription::of(architecture);
    let logical = LogicalCore { x: 0, y: 0 };
    let at = description.noc_coordinate(logical).unwrap();
    let mut program = Assembler::new();
    program.li(S0, WORD).li(A2, 7).li(A3, 2).li(2, description.private_memory.base + 0x100);
    program.emit(sw(ZERO, 2, 0));
    program.words.extend(body);
    program.emit(j(-4 * body.len() as i32, ZERO)).poke(0x3000, 99).halt();
    bench.clear(at);
    bench.load(at, 0, &program.words);
    bench.write_word(at, WORD.into(), 5);
    bench.write_word(at, OTHER.into(), 1);
    let reset = &description.reset;
    bench.write_word(at, reset.soft_reset.0, reset.all_but(Processor::Brisc));
    let waiting = bench.settle().unwrap();
    let wait = waiting.iter().find(|wait| wait.processor == Processor::Brisc).unwrap();
    assert_eq!(wait.awaited, None, "nobody asked");
    let tile = description.physical(logical).unwrap();
    let awaited = bench.device.awaited(tile, Processor::Brisc);
    assert_eq!(bench.device.awaited(tile, Processor::Brisc), awaited, "looking changes nothing");
    assert_eq!(bench.device.awaited(tile, Processor::Trisc1), None, "a core in reset");
    // The truth: what is awaited ends the loop, and what is not does not.
    if let Some(Awaited::Range { bits, first, last }) = awaited {
        let greatest = 1u32.checked_shl(bits).map_or(u32::MAX, |above| above - 1);
        for outside in [first.wrapping_sub(1) & greatest, last.wrapping_add(1) & greatest] {
            bench.write_word(at, WORD.into(), outside);
            bench.settle().unwrap();
            assert_eq!(bench.word(at, 0x3000), 0, "{awaited:?} and {outside:#x}");
        }
        bench.write_word(at, WORD.into(), first);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), 99, "{awaited:?}");
    }
    awaited
}

/// Leaves the loop, whose end is so many instructions further on.
fn leave(comparison: u32, rs1: u32, rs2: u32, further: i32) -> u32 {
    b(4 * (further + 1), rs2, rs1, comparison)
}

fn text(body: &[u32]) -> Option<String> {
    let [first, others @ ..] = Architecture::ALL;
    let awaited = awaited_in(first, body);
    for other in others {
        assert_eq!(awaited_in(other, body), awaited, "{other}");
    }
    awaited.map(|awaited| awaited.to_string())
}

#[test]
fn comparisons_with_the_word_itself_are_understood() {
    for (comparison, operands, expected) in [
        (BEQ, (A0, A2), "exactly 7"),
        (BEQ, (A2, A0), "exactly 7"),
        (BGEU, (A0, A2), "at least 7"),
        (BLTU, (A2, A0), "at least 8"),
        (BLT, (A2, A0), "at least 8"),
        (BLTU, (A0, A3), "at most 1"),
    ] {
        let (first, second) = operands;
        let body = [lw(A0, S0, 0), leave(comparison, first, second, 1)];
        assert_eq!(text(&body).as_deref(), Some(expected), "{comparison}");
    }
    let body = [lw(A0, S0, 0), addi(A1, ZERO, 5), leave(BNE, A0, A1, 1)];
    assert_eq!(text(&body).as_deref(), Some("anything but 5"));
}

#[test]
fn pages_are_counted_in_16_bits_as_the_kernels_headers_do() {
    // Received less acknowledged, which were 0xFFFF by then: as unsigned numbers of 16 bits, 6 so far.
    let available = |wanted: i32| {
        [
            lw(A0, S0, 0),
            addi(A1, ZERO, -1),
            sub(A0, A0, A1),
            slli(A0, A0, 16),
            srli(A0, A0, 16),
            addi(A1, ZERO, wanted),
            b(8, A1, A0, 5),
        ]
    };
    assert_eq!(text(&available(7)).as_deref(), Some("from 6 to 65534 in its lowest 16 bits"));
    // Room for 4, of which 3 are taken: acknowledged 5, received 8.
    let room = |wanted: i32| {
        [
            lw(A0, S0, 0),
            addi(A1, ZERO, 8),
            sub(A0, A1, A0),
            slli(A0, A0, 16),
            srli(A0, A0, 16),
            addi(A1, ZERO, 4),
            sub(A0, A1, A0),
            addi(A1, ZERO, wanted),
            b(8, A1, A0, 5),
        ]
    };
    assert_eq!(text(&room(2)).as_deref(), Some("from 6 to 8 in its lowest 16 bits"));
    assert_eq!(text(&room(4)).as_deref(), Some("exactly 8 in its lowest 16 bits"));
    assert_eq!(text(&room(5)).as_deref(), Some("nothing"));
}

#[test]
fn comparisons_into_registers_are_understood() {
    let less = [lw(A0, S0, 0), r(0, A2, A0, 3, A1), leave(BEQ, A1, ZERO, 1)];
    assert_eq!(text(&less).as_deref(), Some("at least 7"));
    let is_seven =
        [lw(A0, S0, 0), addi(A0, A0, -7), i(0x13, 1, A0, 3, A1), leave(BNE, A1, ZERO, 1)];
    assert_eq!(text(&is_seven).as_deref(), Some("exactly 7"));
}

#[test]
fn a_value_that_the_turn_before_has_loaded_counts() {
    let body = [leave(BEQ, A0, A2, 3), FENCE, lw(A0, S0, 0)];
    assert_eq!(text(&body).as_deref(), Some("exactly 7"));
}

#[test]
fn a_way_out_that_only_jumps_is_followed() {
    let body = [lw(A0, S0, 0), b(8, A2, A0, BNE), j(8, ZERO)];
    assert_eq!(text(&body).as_deref(), Some("exactly 7"));
}

/// A compiler may copy the body of a loop.
#[test]
fn a_turn_may_look_several_times_for_the_same_values() {
    let look = |further| [lw(A0, S0, 0), leave(BEQ, A0, A2, further)];
    assert_eq!(text(&[look(3), look(1)].concat()).as_deref(), Some("exactly 7"));
    assert_eq!(text(&[look(5), look(3), look(1)].concat()).as_deref(), Some("exactly 7"));
    let at_least = [lw(A0, S0, 0), leave(BGEU, A0, A2, 3), lw(A1, S0, 0), leave(BLTU, A3, A1, 1)];
    assert_eq!(text(&at_least), None, "at least 7, and more than 2");
    let part = [lw(A0, S0, 0), b(8, A2, A0, BNE), FENCE];
    assert_eq!(text(&[look(4).to_vec(), part.to_vec()].concat()), None, "one leads round a part");
}

/// Each of these loops ends in another way than a look at its last branch tells.
#[test]
fn nothing_is_said_of_loops_that_are_not_understood() {
    let other = (OTHER - WORD) as i32;
    let loops: [(&str, Vec<u32>); 9] = [
        ("another word ends it, too", {
            let also = [lw(A1, S0, other), leave(BEQ, A1, A3, 3)];
            let own = [lw(A0, S0, 0), leave(BEQ, A0, A2, 1)];
            [also, own].concat()
        }),
        ("what is awaited is another word", {
            vec![lw(A0, S0, 0), lw(A1, S0, other), leave(BEQ, A0, A1, 1)]
        }),
        ("two values end it", {
            vec![lw(A0, S0, 0), leave(BEQ, A0, A2, 2), leave(BEQ, A0, A3, 1)]
        }),
        ("a product is compared", {
            vec![lw(A0, S0, 0), r(1, A3, A0, 0, A0), leave(BEQ, A0, A2, 1)]
        }),
        ("a bit is compared", {
            vec![lw(A0, S0, 0), i(0x13, 2, A0, 7, A0), leave(BNE, A0, ZERO, 1)]
        }),
        ("the word goes through private memory", {
            vec![lw(A0, S0, 0), sw(A0, 2, 0), lw(A1, 2, 0), leave(BEQ, A1, A2, 1)]
        }),
        ("the word is an address", {
            vec![lw(A0, S0, 0), slli(A0, A0, 11), lw(A1, A0, 0), leave(BEQ, A1, A2, 1)]
        }),
        ("the branch only leads round a part of the loop", {
            vec![lw(A0, S0, 0), b(8, A2, A0, BNE), FENCE, FENCE]
        }),
        ("it never ends", vec![lw(A0, S0, 0)]),
    ];
    for (what, body) in loops {
        assert_eq!(text(&body), None, "{what}");
    }
    assert_eq!(text(&[lw(A0, 2, 0), leave(BEQ, A0, A2, 1)]), None, "own memory");
}
