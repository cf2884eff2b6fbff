//! Conversions between memory and registers do as Tenstorrent's simulator does.
//!
//! The hashes are facts about `UNPACR` and `PACR` of 16 data in ttsim 1.10.0, as those of `matrix_facts` are about the matrix
//! unit. `cargo run --package hallmark-tensix --example format_cases` writes the commands as words.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a wrong index fails the test")]

mod cases;
mod ours;
#[path = "../common/random.rs"]
mod random;

use crate::cases::{Cases, Command};
use crate::ours::Player;
use crate::random::Chip;

/// Seed, conversions, hash.
type Fact = (u64, u64, u64);

fn check(chip: Chip, facts: &[Fact]) {
    for (seed, cases, expected) in facts {
        let mut generator = Cases::new(chip, *seed);
        let mut player = Player::new(chip);
        for _ in 0..*cases {
            player.play(&generator.next_case());
        }
        let (hash, outcomes) = (player.hash.0, player.outcomes);
        assert_eq!(hash, *expected, "{chip:?}, seed {seed}: {hash:#x}, {outcomes:?}");
    }
}

#[test]
fn wormhole_does_as_in_tenstorrents_simulator() {
    check(Chip::WormholeB0, &[(1, 20000, 0x6DEA_BF2A_0044_6D83)]);
}

#[test]
fn blackhole_does_as_in_tenstorrents_simulator() {
    check(Chip::Blackhole, &[(1, 20000, 0x1AFD_913B_05D7_B6E7)]);
}

#[test]
fn a_command_as_words_is_its_tag_and_its_numbers() {
    let mut cases = Cases::new(Chip::Blackhole, 3);
    for command in (0..64).map(|_| cases.next_case()) {
        let (tag, length) = match command {
            Command::Unpack { .. } => (1, 23),
            Command::Pack { .. } => (2, 47),
        };
        let words = command.words();
        assert_eq!((words[0], words.len()), (tag, length));
    }
}
