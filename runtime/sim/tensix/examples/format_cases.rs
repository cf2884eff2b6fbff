//! Writes random conversions between memory and registers to standard output, as little-endian words of 32 bits, for
//! another simulator to play: `format_cases wormhole_b0|blackhole SEED CASES`. With `--hash` in front it plays them itself and
//! writes the hash.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "it shares the modules of a test, and only developers start it"
)]

#[path = "../tests/format_facts/cases.rs"]
mod cases;
#[path = "../tests/format_facts/ours.rs"]
mod ours;
#[path = "../tests/common/random.rs"]
mod random;

use std::error::Error;
use std::io::{BufWriter, Write};

use crate::cases::Cases;
use crate::ours::Player;
use crate::random::Chip;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let hashes = arguments.first().is_some_and(|argument| argument == "--hash");
    if hashes {
        arguments.remove(0);
    }
    let [chip, seed, count] = &arguments[..] else {
        return Err("format_cases [--hash] wormhole_b0|blackhole SEED CASES".into());
    };
    let chip = match &chip[..] {
        "wormhole_b0" => Chip::WormholeB0,
        "blackhole" => Chip::Blackhole,
        other => return Err(format!("no chip {other}").into()),
    };
    let mut cases = Cases::new(chip, seed.parse()?);
    let mut player = Player::new(chip);
    let mut output = BufWriter::new(std::io::stdout().lock());
    for _ in 0..count.parse::<u64>()? {
        let command = cases.next_case();
        if hashes {
            player.play(&command);
        } else {
            for word in command.words() {
                output.write_all(&word.to_le_bytes())?;
            }
        }
    }
    if hashes {
        writeln!(output, "{:#018x} {:?}", player.hash.0, player.outcomes)?;
    }
    output.flush()?;
    Ok(())
}
