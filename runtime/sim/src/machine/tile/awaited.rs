//! What would end the loop of a core that waits: the loop is followed once more, when a deadlock is reported or an
//! observer asks.

use std::ops::RangeInclusive;

use hallmark_chip::{Awaited, Processor};

use super::run::LOOK;
use super::{Surroundings, Tile};
use crate::machine::core::execute::{Exit, execute_one};
use crate::machine::core::word_function::{
    Decision, Held, Numbers, Operand, WordFunction, decision, result,
};
use crate::machine::core::{Core, State, decode};
use crate::machine::observer::CoreAt;

/// Jumps that are followed from the end of a loop.
const JUMPS: u32 = 4;

/// A branch that the word decides.
struct Branch {
    function: WordFunction,
    /// Values of the function for which it goes the other way.
    leaving: Numbers,
    /// Where the other way begins.
    elsewhere: u32,
}

/// A copy of a core that turns round in its loop.
struct Walk {
    core: Core,
    held: [Held; 64],
    watched: u32,
    branches: Vec<Branch>,
    loop_body: RangeInclusive<u32>,
    /// The value that the watched word is said to have.
    pretended: Option<u32>,
}

impl Walk {
    fn operand(&self, register: usize) -> Operand {
        let held = self.held.get(register).copied().unwrap_or(Held::Unknown);
        Operand { value: self.core.register(register), held }
    }

    /// What a register holds that does not depend on the word.
    fn fixed(&self, register: usize) -> Option<u32> {
        let Operand { value, held } = self.operand(register);
        (held == Held::Fixed).then_some(value)
    }

    fn holds(&mut self, register: usize, held: Held) {
        if let Some(slot) = self.held.get_mut(register)
            && register != decode::SINK as usize
        {
            *slot = held;
        }
    }
}

impl Tile {
    /// What would end the wait of a parked core. `None` if its loop is not understood: if it watches several
    /// words, if branches leave it for different values of the word, or if a branch depends on it in a way that is not
    /// followed.
    pub(crate) fn awaited(
        &mut self,
        processor: Processor,
        surroundings: &mut Surroundings<'_>,
    ) -> Option<Awaited> {
        surroundings.core = Some(processor);
        let core = self.cores.get(processor.index())?;
        let wait = core.wait.filter(|_| core.state == State::Parked)?;
        let mut walk = Walk {
            core: core.clone(),
            held: [Held::Fixed; 64],
            watched: wait.address,
            branches: Vec::new(),
            loop_body: core.pc..=core.pc,
            pretended: None,
        };
        let now = self.watched_word(wait.address, Some(surroundings))?;
        let awaited = self.followed(&mut walk, &mut Some(surroundings))?;
        (!awaited.includes(now)).then_some(awaited)
    }

    /// What the loop waits for to which the next load of a running core belongs, a load of a word of L1.
    pub(crate) fn awaited_by_load(
        &mut self,
        processor: Processor,
        address: u32,
    ) -> Option<Awaited> {
        let core = self.cores.get(processor.index())?;
        let mut walk = Walk {
            core: core.clone(),
            held: [Held::Fixed; 64],
            watched: address,
            branches: Vec::new(),
            loop_body: core.pc..=core.pc,
            // With this value nearly all loops go on that wait for increments.
            pretended: Some(0),
        };
        self.followed(&mut walk, &mut None)
    }

    /// What ends a loop.
    fn followed(
        &mut self,
        walk: &mut Walk,
        surroundings: &mut Option<&mut Surroundings<'_>>,
    ) -> Option<Awaited> {
        // Registers may hold what the turn before has loaded, so that the first turn only shows what they hold.
        self.turn(walk, surroundings)?;
        let (held, registers) = (walk.held, walk.core.registers);
        walk.branches.clear();
        self.turn(walk, surroundings)?;
        // Compilers copy a loop's body, so that a turn looks several times, each time for the same values.
        let mut awaited = None;
        for Branch { function, leaving, elsewhere } in &walk.branches {
            let of_branch = function.words_for(*leaving)?;
            let leaves = !walk.loop_body.contains(&self.after_jumps(*elsewhere, &walk.core));
            if !leaves || awaited.is_some_and(|other| other != of_branch) {
                return None;
            }
            awaited = Some(of_branch);
        }
        // A loop that counts its turns may end otherwise.
        let stays = walk.pretended.is_none() || registers == walk.core.registers;
        awaited.filter(|_| stays && held == walk.held)
    }

    /// Follows one turn of the loop.
    fn turn(
        &mut self,
        walk: &mut Walk,
        surroundings: &mut Option<&mut Surroundings<'_>>,
    ) -> Option<()> {
        let start = walk.core.pc;
        for _ in 0..LOOK {
            self.follow(walk, surroundings)?;
            let pc = walk.core.pc;
            if pc == start {
                return Some(());
            }
            let (first, last) = (*walk.loop_body.start(), *walk.loop_body.end());
            walk.loop_body = first.min(pc)..=last.max(pc);
        }
        None
    }

    /// Follows one instruction.
    fn follow(
        &mut self,
        walk: &mut Walk,
        surroundings: &mut Option<&mut Surroundings<'_>>,
    ) -> Option<()> {
        let pc = walk.core.pc;
        let decoded = self.memory.look_at(pc, walk.core.has_instruction_ram).ok()?;
        let (first, second) = (decode::source_1(decoded), decode::source_2(decoded));
        let (a, b) = (walk.operand(first), walk.operand(second));
        let destination = decode::destination(decoded);
        let immediate = decode::immediate(decoded);
        let address = a.value.wrapping_add(immediate);
        match decode::operation(decoded) {
            decode::FENCE => walk.core.pc = pc.wrapping_add(4),
            operation @ decode::BEQ..=decode::BGEU => {
                let decision = decision(operation, a, b);
                self.execute(walk)?;
                let next = pc.wrapping_add(4);
                let taken = walk.core.pc != next;
                match decision {
                    Decision::Fixed => {}
                    Decision::Unknown => return None,
                    Decision::By(function, numbers) => walk.branches.push(Branch {
                        function,
                        leaving: if taken { numbers.others() } else { numbers },
                        elsewhere: if taken { next } else { pc.wrapping_add(immediate) },
                    }),
                }
            }
            operation @ decode::LB..=decode::LHU => {
                walk.fixed(first)?;
                if walk.core.private_offset(address).is_some() {
                    self.execute(walk)?;
                    walk.holds(destination, Held::Fixed);
                } else {
                    let watched = address & !3 == walk.watched;
                    let word = match walk.pretended.filter(|_| watched) {
                        Some(word) => word,
                        None => self.watched_word(address & !3, surroundings.as_deref_mut())?,
                    };
                    let value = loaded(operation, word, address & 3)?;
                    if let Some(register) = walk.core.registers.get_mut(destination) {
                        *register = value;
                    }
                    let held = held_of(operation, address & 3).filter(|_| watched);
                    walk.holds(destination, held.unwrap_or(Held::Unknown));
                    walk.core.pc = pc.wrapping_add(4);
                }
            }
            decode::SB..=decode::SW => {
                walk.fixed(first)?;
                walk.fixed(second)?;
                walk.core.private_offset(address)?;
                self.execute(walk)?;
            }
            decode::LUI | decode::AUIPC | decode::JAL => {
                self.execute(walk)?;
                walk.holds(destination, Held::Fixed);
            }
            decode::JALR => {
                walk.fixed(first)?;
                self.execute(walk)?;
                walk.holds(destination, Held::Fixed);
            }
            operation @ decode::FIRST_OF_ONE..=decode::LAST_OF_ONE => {
                let b = Operand { value: immediate, held: Held::Fixed };
                self.execute(walk)?;
                walk.holds(destination, result(operation, a, b));
            }
            operation @ decode::FIRST_OF_TWO..=decode::LAST_OF_TWO => {
                self.execute(walk)?;
                walk.holds(destination, result(operation, a, b));
            }
            _ => return None,
        }
        Some(())
    }

    /// Executes an instruction that reaches no further than registers and private memory, on the copy.
    fn execute(&mut self, walk: &mut Walk) -> Option<()> {
        let core = &mut walk.core;
        let at = CoreAt { tile: self.number, at: self.at, processor: core.processor };
        let exit = execute_one(core, &mut self.memory, at, &mut ());
        matches!(exit, Exit::Budget).then_some(())
    }

    /// A word that parked cores may watch.
    fn watched_word(
        &mut self,
        address: u32,
        surroundings: Option<&mut Surroundings<'_>>,
    ) -> Option<u32> {
        if let Some(word) = self.memory.word(address) {
            return Some(word);
        }
        let surroundings = surroundings?;
        if !self.is_watchable(address, surroundings) {
            return None;
        }
        self.read_register(address, surroundings).ok()?
    }

    /// Where a way comes to that begins with jumps.
    fn after_jumps(&mut self, mut pc: u32, core: &Core) -> u32 {
        for _ in 0..JUMPS {
            match self.memory.look_at(pc, core.has_instruction_ram) {
                Ok(decoded)
                    if decode::operation(decoded) == decode::JAL
                        && decode::destination(decoded) == decode::SINK as usize =>
                {
                    pc = pc.wrapping_add(decode::immediate(decoded));
                }
                _ => break,
            }
        }
        pc
    }
}

/// What a load takes out of a word.
fn loaded(operation: u8, word: u32, offset: u32) -> Option<u32> {
    let shifted = word >> (8 * offset);
    match operation {
        decode::LW => Some(word),
        decode::LHU => Some(shifted & 0xFFFF),
        decode::LBU => Some(shifted & 0xFF),
        decode::LH => Some(shifted as i16 as i32 as u32),
        decode::LB => Some(shifted as i8 as i32 as u32),
        _ => None,
    }
}

/// How that depends on the word, as far as it is followed.
fn held_of(operation: u8, offset: u32) -> Option<Held> {
    let function = match (operation, offset) {
        (decode::LW, 0) => Some(WordFunction::WORD),
        (decode::LHU, 0) => WordFunction::WORD.lowest(16),
        (decode::LBU, 0) => WordFunction::WORD.lowest(8),
        _ => None,
    };
    function.map(Held::Function)
}
