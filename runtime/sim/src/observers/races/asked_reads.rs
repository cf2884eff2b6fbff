//! Which reads of the NoC poll. The code that leads from a read back to it is followed a few times only, since following
//! it takes longer than the read.

use std::hash::{Hash, Hasher};

use super::events::PIECE;
use super::polling::{Polls, PrivateMemory, asks_again};
use crate::machine::coordinates::TileKind;
use crate::machine::core::decode;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::CoreOrigin;
use crate::machine::memory::TileMemory;
use crate::machine::noc::{Operation, Targets, Transfer};
use crate::machine::observer::Scene;
use crate::quick_hash::{QuickHasher, QuickMap};

/// The most bytes of a read from DRAM by which kernels wait for a word: what a channel gives at once.
const DRAM_WORD: u32 = 64;
/// The most places for the data of an instruction's reads from DRAM for which the simulator looks whether the core polls.
const MOST_PLACES: u8 = 64;
/// The most reads to one place for which the simulator looks whether they poll, as long as none does: a loop that ends after
/// a number of tries comes back in some calls only.
const MOST_READS: u8 = 4;
/// The most looks at an instruction's reads that end without an answer.
const MOST_UNCLEAR: u8 = 4;
/// The instructions by which kernels are told apart.
const TOLD_APART: u32 = 32;

/// The answers to whether reads poll.
#[derive(Debug, Default)]
pub(super) struct AskedReads {
    /// By tile, instruction and place of the data.
    reads: QuickMap<(u16, u32, u32), Asked>,
    /// By tile and instruction: the places in L1 for data from DRAM.
    places: QuickMap<(u16, u32), u8>,
    /// By instruction and the code behind it: how many looks ended without an answer.
    unclear: QuickMap<(u32, u64), u8>,
}

/// The answer to the question whether a read polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Polls,
    /// So many reads did not poll; `is_unclear`: whether the last one did, the code did not show.
    NotYet {
        reads: u8,
        is_unclear: bool,
    },
}

impl AskedReads {
    /// Forgets all answers but those that hold for the same code on any tile.
    pub(super) fn clear(&mut self) {
        let Self { reads, places, unclear: _ } = self;
        reads.clear();
        places.clear();
    }

    /// Whether a read polls: it brings a flag from a tile's L1 or from DRAM, and its core comes back to it until the flag has
    /// the awaited value.
    pub(super) fn polls(&mut self, scene: &mut Scene<'_>, request: &Transfer) -> Polls {
        let Operation::Read { length } = request.operation else { return Polls::No };
        let Targets::One(at) = request.targets else { return Polls::No };
        let longest = match scene.coordinates.kind(at) {
            TileKind::Tensix(_) if request.address < scene.tile.memory.size() => PIECE as u32,
            TileKind::Dram(_) => DRAM_WORD,
            _ => 0,
        };
        if length > longest || planted(Defect::WordsReadAgainAreData) {
            return Polls::No;
        }
        let CoreOrigin { processor, pc, .. } = request.origin;
        let tile = scene.tile.number;
        let key = (tile, pc, request.local);
        let before = match self.reads.get(&key) {
            Some(Asked::Polls) => return Polls::Yes,
            Some(Asked::NotYet { reads: MOST_READS, is_unclear: true }) => return Polls::Unclear,
            Some(Asked::NotYet { reads: MOST_READS, is_unclear: false }) => return Polls::No,
            Some(Asked::NotYet { reads, .. }) => *reads,
            None => 0,
        };
        if before == 0 && longest == DRAM_WORD {
            let places = self.places.entry((tile, pc)).or_default();
            if *places == MOST_PLACES {
                return Polls::Unclear;
            }
            *places += 1;
        }
        let Some(core) = scene.tile.cores.get(processor.index()) else { return Polls::No };
        let has_instruction_ram = core.has_instruction_ram;
        let memory = &mut scene.tile.memory;
        let code = code_behind(memory, pc, has_instruction_ram);
        let unclear = self.unclear.entry((pc, code)).or_default();
        if *unclear == MOST_UNCLEAR {
            return Polls::Unclear;
        }
        let private = PrivateMemory { base: core.private_base, bytes: &core.private };
        let landing = request.local..request.local.saturating_add(length);
        let answer =
            asks_again(memory, (pc, &core.registers), private, landing, has_instruction_ram);
        let asked = match answer {
            Polls::Yes => Asked::Polls,
            Polls::No => Asked::NotYet { reads: before + 1, is_unclear: false },
            Polls::Unclear => Asked::NotYet { reads: before + 1, is_unclear: true },
        };
        *unclear += u8::from(answer == Polls::Unclear);
        self.reads.insert(key, asked);
        answer
    }
}

/// A hash of the instructions from `pc` on, which tells kernels apart.
fn code_behind(memory: &mut TileMemory, pc: u32, has_instruction_ram: bool) -> u64 {
    let mut hasher = QuickHasher::default();
    for instruction in 0..TOLD_APART {
        let decoded = memory.look_at(pc.wrapping_add(4 * instruction), has_instruction_ram);
        let marks = decode::WATCHED | decode::FETCHED;
        decoded.ok().map(|decoded| decoded & !marks).hash(&mut hasher);
    }
    hasher.finish()
}
