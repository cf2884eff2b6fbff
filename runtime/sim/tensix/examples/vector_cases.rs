//! Writes random instructions of the vector unit to standard output, as little-endian words of 32 bits, for another
//! simulator to play: `vector_cases wormhole_b0|blackhole SEED CASES [OPCODE…]`. With `--hash` in front it plays them itself
//! and writes the hash.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "it shares the modules of a test, and only developers start it"
)]

#[path = "../tests/vector_facts/cases.rs"]
mod cases;
#[path = "../tests/vector_facts/ours.rs"]
mod ours;
#[path = "../tests/common/random.rs"]
mod random;

use std::error::Error;
use std::io::{BufWriter, Write};

use hallmark_tensix::vector::{BLACKHOLE, WORMHOLE_B0};

use crate::cases::{Cases, OF_BLACKHOLE, OPCODES};
use crate::ours::Player;
use crate::random::Chip;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let hashes = arguments.first().is_some_and(|argument| argument == "--hash");
    if hashes {
        arguments.remove(0);
    }
    let [chip, seed, count, opcodes @ ..] = &arguments[..] else {
        return Err("vector_cases [--hash] wormhole_b0|blackhole SEED CASES [OPCODE…]".into());
    };
    let (chip, table, all) = match &chip[..] {
        "wormhole_b0" => (Chip::WormholeB0, &WORMHOLE_B0, OPCODES.to_vec()),
        "blackhole" => (Chip::Blackhole, &BLACKHOLE, [&OPCODES[..], &OF_BLACKHOLE].concat()),
        other => return Err(format!("no chip {other}").into()),
    };
    let opcodes: Vec<u32> =
        opcodes.iter().map(|opcode| u32::from_str_radix(opcode, 16)).collect::<Result<_, _>>()?;
    let opcodes = if opcodes.is_empty() { all } else { opcodes };
    let mut cases = Cases::new(chip, seed.parse()?, &opcodes);
    let mut player = Player::new(table);
    let mut output = BufWriter::new(std::io::stdout().lock());
    for _ in 0..count.parse::<u64>()? {
        for command in cases.next_case() {
            if hashes {
                player.play(&command);
            } else {
                for word in command.words() {
                    output.write_all(&word.to_le_bytes())?;
                }
            }
        }
    }
    if hashes {
        writeln!(output, "{:#018x} {:?}", player.hash.0, player.outcomes)?;
    }
    output.flush()?;
    Ok(())
}
