//! What TT-Metalium's low-level kernels call the block masks and conditions of `STALLWAIT`.

use crate::bits::bits;
use crate::chips::{Chip, Condition};
use crate::opcodes::{name, opcode};

/// By bit (`STALLWAIT.md`, "Block mask").
const BLOCKS: [&str; 9] = [
    "STALL_TDMA",
    "STALL_SYNC",
    "STALL_PACK",
    "STALL_UNPACK",
    "STALL_XMOV",
    "STALL_THCON",
    "STALL_MATH",
    "STALL_CFG",
    "STALL_SFPU",
];

/// An instruction with its operands if it is `STALLWAIT`, and with its name alone otherwise.
#[must_use]
pub fn wait_name(chip: &Chip, word: u32) -> String {
    if word >> 24 != opcode::STALLWAIT {
        return name(word).unwrap_or("an instruction").to_owned();
    }
    let (conditions, blocked) = (bits(word, 0, 15), bits(word, 15, 9));
    let blocks = BLOCKS.iter().enumerate().filter(|(bit, _)| blocked >> bit & 1 == 1);
    let blocks: Vec<String> = blocks.map(|(_, name)| format!("p_stall::{name}")).collect();
    let mut awaited: Vec<String> = Vec::new();
    for bit in (0..15).filter(|bit| conditions >> bit & 1 == 1) {
        let condition = chip.conditions.get(bit).copied().flatten();
        let name = condition.map_or_else(|| format!("condition {bit}"), condition_name);
        if awaited.last() != Some(&name) {
            awaited.push(name);
        }
    }
    format!("STALLWAIT ({}, {})", blocks.join(" | "), awaited.join(" | "))
}

/// Whether `STALLWAIT` waits for the end of a unit's instructions, or until a core's stores have arrived.
#[must_use]
pub fn waits_for_ends(chip: &Chip, word: u32) -> bool {
    let conditions = (0..15).filter(|bit| word >> bit & 1 == 1);
    let mut conditions = conditions.filter_map(|bit| chip.conditions.get(bit).copied().flatten());
    conditions
        .any(|condition| matches!(condition, Condition::Finished(Some(_)) | Condition::Processed))
}

fn condition_name(condition: Condition) -> String {
    match condition {
        Condition::Finished(Some(unit)) => unit.stall_condition(),
        Condition::Finished(None) => "p_stall::THCON".to_owned(),
        Condition::Processed => "p_stall::TRISC_CFG".to_owned(),
        Condition::Cleared(source) => source.cleared_condition().to_owned(),
        Condition::Valid(source) => source.valid_condition().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    #[test]
    fn a_wait_is_named_as_the_low_level_kernels_write_it() {
        for (architecture, word, expected) in [
            (
                Architecture::WormholeB0,
                0xA200_0000 | 1 << 16 | 0b10,
                "STALLWAIT (p_stall::STALL_SYNC, p_stall::UNPACK0)",
            ),
            (
                Architecture::WormholeB0,
                0xA200_0000 | 1 << 22 | 0b0111_1000 | 1 << 13,
                "STALLWAIT (p_stall::STALL_CFG, p_stall::PACK | p_stall::TRISC_CFG)",
            ),
            (
                Architecture::Blackhole,
                0xA200_0000 | 0b101 << 21 | 1 << 3 | 1 << 11,
                "STALLWAIT (p_stall::STALL_MATH | p_stall::STALL_SFPU, p_stall::PACK | p_stall::WAIT_SFPU)",
            ),
            (Architecture::Blackhole, 0x2600_0000, "MVMUL"),
        ] {
            assert_eq!(wait_name(Chip::of(architecture), word), expected);
        }
    }

    #[test]
    fn banks_and_the_scalar_unit_have_no_end_to_wait_for() {
        let chip = Chip::of(Architecture::WormholeB0);
        let ends: Vec<u32> = (0..15).filter(|bit| waits_for_ends(chip, 1 << bit)).collect();
        assert_eq!(ends, [1, 2, 3, 4, 5, 6, 7, 13, 14]);
    }
}
