//! Instructions of the vector unit do as Tenstorrent's simulator does.
//!
//! The hashes are facts about `tensix_decode_and_execute` of ttsim 1.10.0 (`src/tensix.cpp`), compiled for each chip and
//! linked to a program that plays the same commands. `cargo run --package hallmark-tensix --example vector_cases` writes the
//! commands as words; [`cases::Command`] has their meaning, and [`ours::Player`] says what goes to the hash.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a wrong index fails the test")]

mod cases;
mod ours;
#[path = "../common/random.rs"]
mod random;

use hallmark_tensix::vector::{BLACKHOLE, WORMHOLE_B0};

use crate::cases::{Cases, Command, OF_BLACKHOLE, OPCODES, SETTINGS};
use crate::ours::Player;
use crate::random::Chip;

/// What our vector unit does with some instructions: the hash, and how many of them were done.
fn played(chip: Chip, seed: u64, cases: u64, opcodes: &[u32]) -> (u64, [u64; 2]) {
    let mut generator = Cases::new(chip, seed, opcodes);
    let mut player = Player::new(match chip {
        Chip::WormholeB0 => &WORMHOLE_B0,
        Chip::Blackhole => &BLACKHOLE,
    });
    for _ in 0..cases {
        for command in generator.next_case() {
            player.play(&command);
        }
    }
    (player.hash.0, player.outcomes)
}

/// Seed, cases, opcodes, hash.
type Fact<'fact> = (u64, u64, &'fact [u32], u64);

fn check(chip: Chip, facts: &[Fact<'_>]) {
    let mut wrong = Vec::new();
    for (seed, cases, opcodes, expected) in facts {
        let (hash, outcomes) = played(chip, *seed, *cases, opcodes);
        if hash != *expected {
            wrong.push(format!("seed {seed}, {opcodes:x?}: {hash:#x}, {outcomes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{chip:?}:\n{}", wrong.join("\n"));
}

/// Products and sums; conversions and tables; moves between lanes.
const FAMILIES: [&[u32]; 3] =
    [&[0x74, 0x75, 0x84, 0x85, 0x86], &[0x73, 0x8E, 0x90, 0x95], &[0x70, 0x72, 0x8C, 0x92, 0x94]];

#[test]
fn wormhole_does_as_in_tenstorrents_simulator() {
    check(
        Chip::WormholeB0,
        &[
            (7, 16_000, &OPCODES, 0x8C76_FAE3_B833_2BA7),
            (11, 4000, FAMILIES[0], 0xCE71_DDE0_47E6_9068),
            (12, 4000, FAMILIES[1], 0x276C_6C80_2552_31BF),
            (13, 4000, FAMILIES[2], 0x492B_0C1B_06B5_AB4D),
        ],
    );
}

#[test]
fn blackhole_does_as_in_tenstorrents_simulator() {
    let all = [&OPCODES[..], &OF_BLACKHOLE].concat();
    check(
        Chip::Blackhole,
        &[
            (7, 16_000, &all, 0xDD7B_D6E4_5AA5_E132),
            (11, 4000, FAMILIES[0], 0xF532_0BFE_8C67_2A3B),
            (12, 4000, FAMILIES[1], 0x16CE_4B08_1930_1D7E),
            (13, 4000, FAMILIES[2], 0x5E28_ED54_1518_6310),
            (14, 2000, &OF_BLACKHOLE, 0x9431_A920_903D_4025),
        ],
    );
}

#[test]
fn a_command_as_words_is_its_tag_and_its_numbers() {
    let mut cases = Cases::new(Chip::Blackhole, 3, &OPCODES);
    let mut lengths = [0; 10];
    for command in (0..2000).flat_map(|_| cases.next_case()) {
        let words = command.words();
        match command {
            Command::Execute(word) => assert_eq!(words, [7, word]),
            Command::Flags(flags) => assert_eq!(words.len(), 2 + 2 * flags.len()),
            _ => lengths[words[0] as usize] = words.len(),
        }
    }
    assert_eq!(lengths, [0, 1 + SETTINGS, 9, 34, 18, 2, 0, 0, 1, 2]);
}
