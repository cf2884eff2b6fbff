//! The replay buffer of a thread (`REPLAY.md`).

use super::{Instruction, Origin, opcode};
use crate::bits::{bit, bits};
use crate::refusal::Refusal;

/// Instructions that the buffer holds.
const SLOTS: usize = 32;
/// Instructions that a `REPLAY` with a count of 0 records or repeats; behind the last slot comes the first.
const MOST: u32 = 64;

/// The buffer, what is recorded into it, and what is played from it.
#[derive(Debug, Default)]
pub(super) struct Replay {
    slots: [Option<u32>; SLOTS],
    recording: Recording,
    playing: Option<Playing>,
}

#[derive(Debug, Default)]
struct Recording {
    next: usize,
    left: u32,
    executes: bool,
}

#[derive(Debug)]
struct Playing {
    next: usize,
    left: u32,
    origin: Origin,
}

impl Replay {
    /// Whether recorded instructions are still to come.
    pub(super) const fn plays(&self) -> bool {
        self.playing.is_some()
    }

    /// The next recorded instruction.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Instruction> {
        let playing = self.playing.as_mut()?;
        let word = self.slots.get(playing.next).copied().flatten();
        let instruction = word.map(|word| Instruction { word, origin: playing.origin });
        playing.next = (playing.next + 1) % SLOTS;
        playing.left = playing.left.saturating_sub(1);
        if playing.left == 0 {
            self.playing = None;
        }
        instruction
    }

    /// Takes an instruction; answers it if it is not for the buffer alone.
    pub(super) fn take(
        &mut self,
        instruction: Instruction,
    ) -> Result<Option<Instruction>, Refusal> {
        let Instruction { word, origin } = instruction;
        let recording = &mut self.recording;
        if recording.left > 0 {
            if let Some(slot) = self.slots.get_mut(recording.next) {
                *slot = Some(word);
            }
            recording.next = (recording.next + 1) % SLOTS;
            recording.left -= 1;
            return Ok(recording.executes.then_some(instruction));
        }
        if word >> 24 != opcode::REPLAY {
            return Ok(Some(instruction));
        }
        let (records, executes) = (bit(word, 0), bit(word, 1));
        let (count, start) = (bits(word, 4, 10), bits(word, 14, 10) as usize);
        if word & 0xC != 0 {
            return Err(Refusal::non_contractual(word, "bits 2 and 3 mean nothing"));
        }
        if executes && !records {
            return Err(Refusal::unimplemented(
                word,
                "it executes what it records, and records nothing",
            ));
        }
        if count >= MOST || start >= SLOTS {
            let reason = format!(
                "a count of {count} from slot {start} on; counts end at {}, slots at {}",
                MOST - 1,
                SLOTS - 1
            );
            return Err(Refusal::unsupported(word, reason));
        }
        let length = if count == 0 { MOST } else { count };
        if records {
            *recording = Recording { next: start, left: length, executes };
            return Ok(None);
        }
        let played = (0..length as usize).map(|index| (start + index) % SLOTS);
        let mut empty = played.filter(|&slot| self.slots.get(slot).is_none_or(Option::is_none));
        if let Some(slot) = empty.next() {
            let reason = format!("nothing was recorded into slot {slot}");
            return Err(Refusal::undefined(word, reason));
        }
        self.playing = Some(Playing { next: start, left: length, origin });
        Ok(None)
    }
}
