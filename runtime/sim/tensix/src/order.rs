//! The knowledge that threads and cores have of each other, and the order that a write of configuration and its reader lack.

use std::fmt;

use hallmark_chip::{FaultCategory, Processor};

use crate::frontend::{Instruction, Origin};
use crate::opcodes::{self, opcode};
use crate::refusal::Refusal;
use crate::threads::Thread;
use crate::units::Unit;

/// A moment of a thread or a core, as its surroundings count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment(pub u32);

/// A thread or a core that acts on the coprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A thread.
    Thread(Thread),
    /// A core of the tile.
    Core(Processor),
}

/// The knowledge that the acting thread or core has of the others.
pub trait Knowledge {
    /// Why the tile ends the program.
    type Error: From<Refusal>;

    /// Whether an observer checks the order of threads and units. Once true, it stays true; everything done before counts as
    /// over.
    fn watches_order(&self) -> bool {
        true
    }

    /// Whether a unit may sample its configuration until it has finished, unless a page says when it does, and a core's store
    /// to configuration counts as under way until it is known to have arrived.
    fn is_strict(&self) -> bool {
        false
    }

    /// The present moment. Others may come to know it.
    fn moment(&mut self) -> Moment {
        Moment::default()
    }

    /// Whether a moment of a thread or a core is known.
    fn knows(&mut self, of: Party, moment: Moment) -> bool {
        let _ = (of, moment);
        true
    }

    /// Whether a thread's instruction with a number is known to have been issued.
    fn knows_issue(&mut self, thread: Thread, number: u64) -> bool {
        let _ = (thread, number);
        true
    }

    /// Whether a unit is known to have finished an instruction, which must come before `later`.
    fn knows_end(&mut self, unit: Unit, earlier: &Issued, later: &Doing) -> bool {
        let _ = (unit, earlier, later);
        true
    }

    /// As [`Self::knows_end`], where no order is needed.
    fn has_heard_of_end(&mut self, unit: Unit, of: &Issued) -> bool {
        let _ = (unit, of);
        true
    }

    /// Whether somebody wants to know which waits ordered a store and its reader.
    fn asks_for_waits(&self) -> bool {
        false
    }

    /// A STALLWAIT has ended. `tells_of_stores`: it was the first to tell that stores of the core have arrived.
    fn waited(&mut self, wait: Instruction, tells_of_stores: bool) {
        let _ = (wait, tells_of_stores);
    }

    /// Only these waits tell that a core's store arrived before an instruction read its value.
    fn ordered_by(&mut self, store: Origin, reader: &Issued, waits: &[Instruction]) {
        let _ = (store, reader, waits);
    }

    /// The error for a write of configuration and an instruction that reads it, without an order between them.
    fn broken(&mut self, disorder: &Disorder) -> Self::Error {
        self.broken_by(disorder.to_string(), disorder.earlier().origin())
    }

    /// The error for something that lacks an order to something earlier.
    fn broken_by(&mut self, reason: String, earlier: Origin) -> Self::Error {
        let _ = earlier;
        Refusal::new(FaultCategory::DataRace, reason).into()
    }
}

/// A core's store counts as under way while the core retires so many instructions, unless the checks are strict. No page
/// bounds the time, and the vendor's low-level kernels configure packers about 100 instructions before the first PACR.
pub(crate) const UNDER_WAY: u64 = 32;

/// Whether a core's store of which nothing says that it has arrived may arrive behind an instruction of the same core.
pub(crate) fn may_arrive_behind(store: Origin, pushed: Origin, is_strict: bool) -> bool {
    let later_by = pushed.retired.checked_sub(store.retired);
    later_by.is_none_or(|later_by| later_by <= UNDER_WAY || is_strict)
}

/// An instruction of a thread that was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The instruction.
    pub word: u32,
    /// Its thread.
    pub thread: Thread,
    /// Its number among those of the thread.
    pub number: u64,
    /// Who pushed it.
    pub origin: Origin,
}

/// Adds a wait to others, unless one of the same place is among them.
pub(crate) fn add_wait(waits: &mut Vec<Instruction>, wait: Instruction) {
    let place = |Instruction { word, origin }: Instruction| (word, origin.core, origin.pc);
    if !waits.iter().any(|other| place(*other) == place(wait)) {
        waits.push(wait);
    }
}

/// An instruction that reads or writes configuration, or a core's store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// An instruction of a thread.
    Instruction(Issued),
    /// A store.
    Store {
        /// The core, and where it stood.
        origin: Origin,
    },
}

impl Doing {
    /// The core that stored, or that pushed the instruction.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        match self {
            Self::Instruction(Issued { origin, .. }) | Self::Store { origin } => *origin,
        }
    }

    pub(crate) const fn party(&self) -> Party {
        match self {
            Self::Instruction(Issued { thread, .. }) => Party::Thread(*thread),
            Self::Store { origin } => Party::Core(origin.core),
        }
    }
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { core, pc, .. } = self.origin();
        match self {
            Self::Instruction(Issued { word, .. }) => {
                let name = opcodes::name(*word).unwrap_or("instruction");
                write!(f, "the {name} that {} pushed at pc {pc:#x}", core.name())
            }
            Self::Store { .. } => write!(f, "the store of {} at pc {pc:#x}", core.name()),
        }
    }
}

/// The order that a write of configuration and its reader lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The unit may still read the configuration for an instruction when it is written.
    End,
    /// The instruction that reads the configuration may not have been issued when it is written.
    Start,
    /// The core pushed the instruction before its store, and the instruction was issued afterwards.
    PushedBefore,
    /// The core's store may reach the configuration after the instruction that the core pushed behind it.
    Processed,
    /// The instruction directly behind WRCFG reads what WRCFG writes.
    Gap,
    /// Another thread or core wrote the configuration, and the reading thread does not know of it.
    Order,
}

/// A write of configuration and an instruction that reads it, without an order between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// The order that is missing.
    pub lack: Lack,
    /// The number of the configuration word.
    pub word: u16,
    /// The name of its field.
    pub meaning: &'static str,
    /// The unit that reads it.
    pub unit: Unit,
    /// The write.
    pub written: Doing,
    /// The instruction for which the unit reads.
    pub read: Doing,
}

impl Disorder {
    /// The earlier of the two in the simulator's order.
    #[must_use]
    pub const fn earlier(&self) -> &Doing {
        match self.lack {
            Lack::End | Lack::Start => &self.read,
            Lack::PushedBefore | Lack::Processed | Lack::Gap | Lack::Order => &self.written,
        }
    }
}

impl fmt::Display for Disorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lack, word, meaning, unit, written, read } = self;
        let condition = unit.stall_condition();
        let field = format!("{meaning} (configuration word {word})");
        let of_unit = format!("{meaning} of {unit} (configuration word {word})");
        let page = page_of(*unit);
        match (lack, written) {
            (Lack::End, Doing::Instruction(Issued { word, thread, .. })) => {
                let name = opcodes::name(*word).unwrap_or("the instruction");
                write!(
                    f,
                    "{name} changes {of_unit}, which {unit} may still read for {read}{page}: "
                )?;
                let blocked = match word >> 24 {
                    opcode::REG2FLOP => "p_stall::STALL_THCON",
                    _ => "p_stall::STALL_CFG",
                };
                match read {
                    Doing::Instruction(Issued { thread: reader, .. }) if reader != thread => {
                        write!(
                            f,
                            "have the thread of {} wait with STALLWAIT ({condition}) and then signal, and have this thread \
                         await that signal (SEMPOST.md)",
                            read.origin().core.name()
                        )
                    }
                    _ => write!(f, "wait with STALLWAIT ({blocked}, {condition}) in between"),
                }
            }
            (Lack::End, Doing::Store { .. }) => write!(
                f,
                "the store changes {of_unit}, which {unit} may still read for {read}{page}: have the thread wait with \
                 STALLWAIT ({condition}) and then signal, and have the core await that signal before the store \
                 (SEMPOST.md); a core may also await its own thread (TTSync.md)"
            ),
            (Lack::Start, Doing::Store { .. }) => write!(
                f,
                "the store changes {of_unit}, and the core does not know whether {read} has been issued; that instruction \
                 reads the old value: before the store, await a signal that the thread gives after it (SEMPOST, SEMGET); a \
                 core may also await its own thread (TTSync.md; BackendConfiguration.md, \"Danger two\")"
            ),
            (Lack::Start | Lack::Order, Doing::Instruction(_))
            | (Lack::Order, Doing::Store { .. }) => {
                let (first, second) = match lack {
                    Lack::Start => (read, written),
                    _ => (written, read),
                };
                write!(
                    f,
                    "{written} changes {of_unit}, and {unit} reads it for {read}; nothing orders the two: have {} signal after \
                     the first (SEMPOST or a mailbox), and have {} await that signal",
                    first.origin().core.name(),
                    second.origin().core.name(),
                )
            }
            (Lack::PushedBefore, _) => write!(
                f,
                "{unit} reads {field} for {read} and finds the value of {written}, which the core made after it had pushed \
                 the instruction: before the store, wait until the instruction has been issued \
                 (BackendConfiguration.md, \"Danger two\")"
            ),
            (Lack::Processed, _) => write!(
                f,
                "{unit} reads {field} for {read}, and {written}, which precedes the push, may take effect too late: push \
                 STALLWAIT ({}, p_stall::TRISC_CFG) in between, or load the word back before the push \
                 (BackendConfiguration.md, \"Danger one\")",
                blocked_by(*unit)
            ),
            (Lack::Gap, _) => write!(
                f,
                "{unit} reads {field} for {read}, which directly follows {written}: WRCFG takes effect an instruction \
                 later; put a NOP in between (WRCFG.md, \"Instruction scheduling\")"
            ),
        }
    }
}

/// The reason for which a unit may read configuration until it has finished.
const fn page_of(unit: Unit) -> &'static str {
    match unit {
        Unit::Packer(_) => {
            " (PACR.md: a packer reads some fields at an unspecified point; on boards, a PACR has also used the address of the next one)"
        }
        Unit::Unpacker(_) | Unit::Matrix | Unit::Vector => {
            " (no page says when this unit samples it; --strict-tensix assumes the latest point)"
        }
    }
}

/// The block mask that holds back a unit's instructions, as TT-Metalium's low-level kernels call it.
const fn blocked_by(unit: Unit) -> &'static str {
    match unit {
        Unit::Unpacker(_) => "p_stall::STALL_UNPACK",
        Unit::Packer(_) => "p_stall::STALL_PACK",
        Unit::Matrix => "p_stall::STALL_MATH",
        Unit::Vector => "p_stall::STALL_SFPU",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(core: Processor, pc: u32) -> Origin {
        Origin { core, pc, retired: 7 }
    }

    const fn instruction(word: u32, thread: Thread, origin: Origin) -> Doing {
        Doing::Instruction(Issued { word, thread, number: 9, origin })
    }

    #[test]
    fn each_lack_says_what_is_missing_and_where_that_is_written() {
        let pack = instruction(0x4100_0001, Thread::Pack, origin(Processor::Trisc2, 0x6100));
        let change = instruction(0xB300_0000, Thread::Pack, origin(Processor::Trisc2, 0x6104));
        let register = instruction(0x4800_0000, Thread::Pack, origin(Processor::Trisc2, 0x6108));
        let wrcfg = instruction(0xB000_0000, Thread::Math, origin(Processor::Trisc1, 0x610C));
        let store = Doing::Store { origin: origin(Processor::Trisc2, 0x6110) };
        let texts: Vec<String> = [
            (Lack::End, change, Unit::Packer(2)),
            (Lack::End, register, Unit::Packer(2)),
            (Lack::End, wrcfg, Unit::Packer(2)),
            (Lack::End, store, Unit::Packer(2)),
            (Lack::End, change, Unit::Unpacker(1)),
            (Lack::Start, store, Unit::Packer(2)),
            (Lack::Start, wrcfg, Unit::Packer(2)),
            (Lack::PushedBefore, store, Unit::Packer(2)),
            (Lack::Processed, store, Unit::Packer(2)),
            (Lack::Gap, change, Unit::Packer(2)),
            (Lack::Order, wrcfg, Unit::Packer(2)),
        ]
        .map(|(lack, written, unit)| {
            let disorder = Disorder {
                lack,
                word: 97,
                meaning: "the address in L1",
                unit,
                written,
                read: pack,
            };
            let is_earlier = *disorder.earlier() == pack;
            assert_eq!(is_earlier, matches!(lack, Lack::End | Lack::Start), "{lack:?}");
            disorder.to_string()
        })
        .to_vec();
        insta::assert_snapshot!(texts.join("\n"), @r#"
        RMWCIB0 changes the address in L1 of packer 2 (configuration word 97), which packer 2 may still read for the PACR that TRISC2 pushed at pc 0x6100 (PACR.md: a packer reads some fields at an unspecified point; on boards, a PACR has also used the address of the next one): wait with STALLWAIT (p_stall::STALL_CFG, p_stall::PACK) in between
        REG2FLOP changes the address in L1 of packer 2 (configuration word 97), which packer 2 may still read for the PACR that TRISC2 pushed at pc 0x6100 (PACR.md: a packer reads some fields at an unspecified point; on boards, a PACR has also used the address of the next one): wait with STALLWAIT (p_stall::STALL_THCON, p_stall::PACK) in between
        WRCFG changes the address in L1 of packer 2 (configuration word 97), which packer 2 may still read for the PACR that TRISC2 pushed at pc 0x6100 (PACR.md: a packer reads some fields at an unspecified point; on boards, a PACR has also used the address of the next one): have the thread of TRISC2 wait with STALLWAIT (p_stall::PACK) and then signal, and have this thread await that signal (SEMPOST.md)
        the store changes the address in L1 of packer 2 (configuration word 97), which packer 2 may still read for the PACR that TRISC2 pushed at pc 0x6100 (PACR.md: a packer reads some fields at an unspecified point; on boards, a PACR has also used the address of the next one): have the thread wait with STALLWAIT (p_stall::PACK) and then signal, and have the core await that signal before the store (SEMPOST.md); a core may also await its own thread (TTSync.md)
        RMWCIB0 changes the address in L1 of unpacker 1 (configuration word 97), which unpacker 1 may still read for the PACR that TRISC2 pushed at pc 0x6100 (no page says when this unit samples it; --strict-tensix assumes the latest point): wait with STALLWAIT (p_stall::STALL_CFG, p_stall::UNPACK1) in between
        the store changes the address in L1 of packer 2 (configuration word 97), and the core does not know whether the PACR that TRISC2 pushed at pc 0x6100 has been issued; that instruction reads the old value: before the store, await a signal that the thread gives after it (SEMPOST, SEMGET); a core may also await its own thread (TTSync.md; BackendConfiguration.md, "Danger two")
        the WRCFG that TRISC1 pushed at pc 0x610c changes the address in L1 of packer 2 (configuration word 97), and packer 2 reads it for the PACR that TRISC2 pushed at pc 0x6100; nothing orders the two: have TRISC2 signal after the first (SEMPOST or a mailbox), and have TRISC1 await that signal
        packer 2 reads the address in L1 (configuration word 97) for the PACR that TRISC2 pushed at pc 0x6100 and finds the value of the store of TRISC2 at pc 0x6110, which the core made after it had pushed the instruction: before the store, wait until the instruction has been issued (BackendConfiguration.md, "Danger two")
        packer 2 reads the address in L1 (configuration word 97) for the PACR that TRISC2 pushed at pc 0x6100, and the store of TRISC2 at pc 0x6110, which precedes the push, may take effect too late: push STALLWAIT (p_stall::STALL_PACK, p_stall::TRISC_CFG) in between, or load the word back before the push (BackendConfiguration.md, "Danger one")
        packer 2 reads the address in L1 (configuration word 97) for the PACR that TRISC2 pushed at pc 0x6100, which directly follows the RMWCIB0 that TRISC2 pushed at pc 0x6104: WRCFG takes effect an instruction later; put a NOP in between (WRCFG.md, "Instruction scheduling")
        the WRCFG that TRISC1 pushed at pc 0x610c changes the address in L1 of packer 2 (configuration word 97), and packer 2 reads it for the PACR that TRISC2 pushed at pc 0x6100; nothing orders the two: have TRISC1 signal after the first (SEMPOST or a mailbox), and have TRISC2 await that signal
        "#);
    }
}
