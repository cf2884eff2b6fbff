//! Instructions of the matrix unit do as Tenstorrent's simulator does.
//!
//! The hashes are facts about `tensix_decode_and_execute` of ttsim 1.10.0 (`src/tensix.cpp`), compiled for each chip and
//! linked to a program that plays the same commands. `cargo run --package hallmark-tensix --example matrix_cases` writes the
//! commands as words; [`cases::Command`] has their meaning, and [`ours::Player`] says what goes to the hash.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a wrong index fails the test")]

mod cases;
mod ours;
#[path = "../common/random.rs"]
mod random;

use hallmark_tensix::matrix::{BLACKHOLE, WORMHOLE_B0};

use crate::cases::{Cases, Command, OPCODES, SETTINGS};
use crate::ours::Player;
use crate::random::Chip;

/// What our matrix unit does with some instructions: the hash, and how many of them were done.
fn played(chip: Chip, seed: u64, cases: u64, opcodes: &[u32]) -> (u64, [u64; 3]) {
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
type Fact = (u64, u64, &'static [u32], u64);

fn check(chip: Chip, facts: &[Fact]) {
    for (seed, cases, opcodes, expected) in facts {
        let (hash, outcomes) = played(chip, *seed, *cases, opcodes);
        assert_eq!(hash, *expected, "{chip:?}, seed {seed}: {hash:#x}, {outcomes:?}");
    }
}

#[test]
fn wormhole_does_as_in_tenstorrents_simulator() {
    check(
        Chip::WormholeB0,
        &[
            (7, 3000, &OPCODES, 0xC963_B581_852C_0559),
            (11, 2000, &[0x26], 0x2EB9_C3C4_0B18_FBEE),
            (12, 1000, &[0x34], 0x10F2_08E3_BDD3_4AE1),
            (13, 1000, &[0x27], 0xDC4B_3D63_00D9_E17B),
            (14, 1000, &[0x28, 0x30], 0x5B84_D95A_8C7C_50DE),
            (15, 500, &[0x33], 0x6C3A_0808_C46D_DF75),
            (16, 1000, &[0x08, 0x0A, 0x0B, 0x12, 0x13, 0x16], 0xF914_FFA6_4869_3A5F),
        ],
    );
}

#[test]
fn blackhole_does_as_in_tenstorrents_simulator() {
    check(
        Chip::Blackhole,
        &[
            (7, 3000, &OPCODES, 0xB727_FA39_302E_F1D2),
            (11, 2000, &[0x26], 0xA4C4_AE1C_0824_BDBE),
            (12, 1000, &[0x34], 0x55BD_37F1_6BA0_6DFC),
            (13, 1000, &[0x27], 0xC1CF_16C6_316C_814A),
            (14, 1000, &[0x28, 0x30], 0x2BB1_DC84_9FDB_FDE0),
            (15, 500, &[0x33], 0xBEEA_7FB4_C0F8_5881),
            (16, 1000, &[0x08, 0x0A, 0x0B, 0x12, 0x13, 0x16], 0xBB75_0784_5001_C288),
        ],
    );
}

#[test]
fn a_command_as_words_is_its_tag_and_its_numbers() {
    let mut cases = Cases::new(Chip::Blackhole, 3, &OPCODES);
    let mut lengths = [0; 9];
    for command in (0..64).flat_map(|_| cases.next_case()) {
        let words = command.words();
        if let Command::Execute(word) = command {
            assert_eq!(words, [7, word]);
        }
        lengths[words[0] as usize] = words.len();
    }
    assert_eq!(lengths, [0, 1 + SETTINGS, 9, 20, 18, 2, 9, 2, 1]);
}
