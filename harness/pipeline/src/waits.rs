//! The waits of a deadlock's cores: the word by its name in the host program, its value, the awaited value, and
//! the cores that could still change it.

mod pictures;
pub(super) mod shared_ends;

use std::collections::BTreeSet;

use hallmark_chip::{
    Awaited, CoprocessorWord, Lowered, Noc, PhysicalCoordinate, Position, Processor, TileAddress,
    Waiting, Writer,
};
use hallmark_runtime::device_code::{NocCounter, WaitedWord};
use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_schema::plural::{counted, grouped};

pub(super) use self::pictures::pictures;
use super::core_groups::{GroupedCore, groups};
use super::memory_names;
use super::stopped_program::StoppedProgram;
use crate::signature::{SignatureWait, WaitedBuffer, WaitedObject};

/// The largest number of other cores that are named; more are counted.
const NAMED_CORES: usize = 3;

/// The wait of each core; cores with the same wait are grouped.
pub(super) fn lines(program: &StoppedProgram<'_>, waits: &[Waiting]) -> Vec<String> {
    let waiting = Waits { program, all: waits };
    let cores = waits.iter().map(|wait| {
        let Waiting { tile, processor, pc, symbol, frames, .. } = wait;
        let core = GroupedCore {
            tile: *tile,
            processor: *processor,
            symbol: symbol.as_deref(),
            frames,
            about: format!("pc {pc:#x}: {}", waiting.what(wait)),
        };
        (core, wait)
    });
    groups(program, cores, |group| waiting.more(group))
}

/// What a core waits for that works for a program which a command enqueued, as the object of "waits for": "circular buffer 0
/// `in` to be filled". `None` of a word that has no name.
pub fn awaited_object(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: PhysicalCoordinate,
    address: u64,
) -> Option<String> {
    let program = StoppedProgram::new(capture, enqueue);
    let buffer = |index| {
        let name = program.circular_buffer(tile, index).map(|known| format!(" `{}`", known.name));
        format!("circular buffer {index}{}", name.unwrap_or_default())
    };
    match WaitedWord::at(capture.chip(), address) {
        Some(WaitedWord::PagesReceived(index)) => Some(format!("{} to be filled", buffer(index))),
        Some(WaitedWord::PagesAcknowledged(index)) => {
            Some(format!("{} to be emptied", buffer(index)))
        }
        Some(WaitedWord::NocCounter(noc, counter)) => {
            Some(format!("{} over NoC {}", counter.counts(), noc as u8))
        }
        Some(WaitedWord::Coprocessor(word)) => Some(word.to_string()),
        None => {
            let semaphore = program.semaphore(tile, address)?;
            Some(format!("semaphore `{}`", semaphore.name))
        }
    }
}

/// The waits of cores by name; equal waits in the same function are listed once.
pub(super) fn signatures(
    program: &StoppedProgram<'_>,
    waits: &[Waiting],
) -> BTreeSet<SignatureWait> {
    let all = Waits { program, all: waits };
    let signature = |wait: &Waiting| SignatureWait {
        processor: wait.processor,
        symbol: wait.symbol.clone(),
        object: all.object(wait),
    };
    waits.iter().map(signature).collect()
}

/// Cores that could change a word that another core waits for.
struct Changers<'a> {
    /// The change, such as "push a page".
    change: &'static str,
    cores: Vec<&'a Waiting>,
}

/// The waits of one deadlock.
struct Waits<'a> {
    program: &'a StoppedProgram<'a>,
    all: &'a [Waiting],
}

impl Waits<'_> {
    fn word(&self, wait: &Waiting) -> Option<WaitedWord> {
        WaitedWord::at(self.program.capture.chip(), wait.address.0)
    }

    /// The object that a core waits for, without its value.
    fn object(&self, wait: &Waiting) -> WaitedObject {
        let buffer = |index| {
            let known = self.program.circular_buffer(wait.tile, index);
            WaitedBuffer { index, name: known.map(|known| known.name.to_owned()) }
        };
        match self.word(wait) {
            Some(WaitedWord::PagesReceived(index)) => {
                WaitedObject::CircularBufferFilled(buffer(index))
            }
            Some(WaitedWord::PagesAcknowledged(index)) => {
                WaitedObject::CircularBufferEmptied(buffer(index))
            }
            Some(WaitedWord::NocCounter(_, counter)) => {
                WaitedObject::Transfers { counter: counter.name().to_owned() }
            }
            Some(WaitedWord::Coprocessor(word)) => {
                WaitedObject::Coprocessor { name: word.to_string() }
            }
            None if watches_nothing(wait) => WaitedObject::Nothing,
            None => match self.program.semaphore(wait.tile, wait.address.0) {
                Some(semaphore) => WaitedObject::Semaphore { name: semaphore.name.to_owned() },
                None => WaitedObject::Word,
            },
        }
    }

    /// The wait of a core, in the host program's terms if they are known.
    fn what(&self, wait: &Waiting) -> String {
        let Waiting { address: TileAddress(address), value, awaited, .. } = wait;
        match self.word(wait) {
            Some(WaitedWord::PagesReceived(index)) => {
                self.pages(wait, index, ("filled", "received"))
            }
            Some(WaitedWord::PagesAcknowledged(index)) => {
                self.pages(wait, index, ("emptied", "acknowledged"))
            }
            Some(WaitedWord::NocCounter(noc, counter)) => {
                let other = self.other_data_movement(wait);
                transfers((noc, counter), *value, *awaited, other.as_deref())
            }
            Some(WaitedWord::Coprocessor(state)) => coprocessor(state, *awaited, *value),
            None if watches_nothing(wait) => {
                "waits for nothing that could change: its loop reads only the core's own memory and registers".to_owned()
            }
            None => match self.program.semaphore(wait.tile, *address) {
                Some(semaphore) => {
                    let name = format!("semaphore `{}` ({address:#x})", semaphore.name);
                    let overshot = has_overshot(*value, *awaited, semaphore.initial_value);
                    word(&name, *awaited, value, overshot)
                }
                None => {
                    let owner = memory_names::of_word(self.program, wait.tile, wait.address);
                    let owner = owner.map_or_else(String::new, |owner| format!(" ({owner})"));
                    let name = format!("the word at {address:#x}{owner}");
                    match awaited {
                        Some(awaited @ Awaited::Range { .. }) => {
                            format!("waits for {name} to be {awaited:x}: it holds {value:#x}")
                        }
                        Some(Awaited::Nothing) | None => {
                            word(&name, *awaited, &format!("{value:#x}"), false)
                        }
                    }
                }
            },
        }
    }

    /// The kernel on the other processor of data movement of the same core, "`r` on BRISC".
    fn other_data_movement(&self, wait: &Waiting) -> Option<String> {
        let other = match wait.processor {
            Processor::Brisc => Processor::Ncrisc,
            Processor::Ncrisc => Processor::Brisc,
            Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2 => return None,
        };
        let (name, _) = self.program.kernel_on(wait.tile, other)?;
        Some(format!("kernel `{name}` on {other}"))
    }

    /// A wait for a circular buffer to be `done` ("filled"), with the number of pages `counts` ("received") so far.
    fn pages(&self, wait: &Waiting, index: u32, (done, counts): (&str, &str)) -> String {
        let Waiting { value, awaited, .. } = wait;
        let buffer = self.program.circular_buffer(wait.tile, index);
        let name = buffer.as_ref().map(|buffer| format!(" `{}`", buffer.name));
        let so_far = format!(
            "waits for circular buffer {index}{} to be {done}: {} {counts} so far",
            name.unwrap_or_default(),
            counted(*value, "page", "pages")
        );
        match awaited {
            Some(Awaited::Nothing) => format!("{so_far}, but no number of pages ends the wait"),
            Some(awaited @ Awaited::Range { .. }) => {
                let more = awaited.increments_from(*value).unwrap_or_default();
                format!("{so_far}, {} awaited", grouped(value.saturating_add(more)))
            }
            None => so_far,
        }
    }

    /// "the circular buffer has room for 4 pages", if more pages are awaited.
    fn too_little_room(&self, wait: &Waiting) -> Option<String> {
        let (WaitedWord::PagesReceived(index) | WaitedWord::PagesAcknowledged(index)) =
            self.word(wait)?
        else {
            return None;
        };
        let room = self.program.circular_buffer(wait.tile, index)?.pages(index)?;
        let fits = match wait.awaited? {
            Awaited::Nothing => false,
            awaited @ Awaited::Range { .. } => {
                awaited.increments_from(wait.value).is_some_and(|more| u64::from(more) <= room)
            }
        };
        (!fits)
            .then(|| format!("the circular buffer has room for {}", counted(room, "page", "pages")))
    }

    /// The last writer of the word, and below it the facts that all cores of a group share: the cores that
    /// could still change the word.
    fn more(&self, group: &[&Waiting]) -> (Option<String>, Vec<String>) {
        let alone = group.len() == 1;
        let common = |of: &dyn Fn(&Waiting) -> Option<String>| {
            let mut texts = group.iter().map(|wait| of(wait));
            let first = texts.next().flatten()?;
            texts.all(|other| other.as_ref() == Some(&first)).then_some(first)
        };
        let below = [
            common(&|wait| self.too_little_room(wait)),
            common(&|wait| self.lowered(wait)),
            common(&|wait| self.who_could(wait, alone)),
        ];
        (common(&|wait| self.last_writer(wait)), below.into_iter().flatten().collect())
    }

    /// Whether the waits include all cores that are still in a kernel: the device reports other cores only if
    /// none is. Only then does the absence of a core have a meaning.
    fn is_in_kernel(wait: &Waiting) -> bool {
        !wait.frames.is_empty()
    }

    /// "last written by (1,1) BRISC at instruction 1920".
    fn last_writer(&self, wait: &Waiting) -> Option<String> {
        if wait.awaited == Some(Awaited::Nothing) || watches_nothing(wait) {
            return None;
        }
        Some(match wait.last_writer? {
            Writer::Host => "last written by the host".to_owned(),
            Writer::Core { tile, processor, retired } => {
                let waits = |other: &Waiting| (other.tile, other.processor) == (tile, processor);
                let has_finished = Self::is_in_kernel(wait)
                    && self.program.kernel_on(tile, processor).is_some()
                    && !self.all.iter().any(waits);
                let finished = if has_finished { ", whose kernel has finished" } else { "" };
                let core = self.program.core_name(tile);
                format!("last written by {core} {processor} at instruction {retired}{finished}")
            }
        })
    }

    /// "lowered from 5 to 0 by (6,1) NCRISC in kernel_main of `r`, batch_receive.cpp:16: `noc_semaphore_set(credit, 0);`",
    /// of a word that waits for more than it holds: that may be why.
    fn lowered(&self, wait: &Waiting) -> Option<String> {
        let Lowered { before, value, by } = wait.lowered.as_deref()?;
        let Position { tile, processor, pc: _, symbol, frames } = by;
        let is_word = self.word(wait).is_none() && !watches_nothing(wait);
        let wants_more = match wait.awaited {
            Some(Awaited::Nothing) => false,
            Some(awaited @ Awaited::Range { .. }) => {
                awaited.only_value().is_none_or(|only| only > wait.value)
            }
            None => true,
        };
        // Dispatchers set words for a launch.
        self.program.kernel_on(*tile, *processor)?;
        let core = self.program.core_name(*tile);
        let function = self.program.function(*tile, *processor, symbol.as_deref(), frames);
        (is_word && wants_more)
            .then(|| format!("lowered from {before} to {value} by {core} {processor}{function}"))
    }

    /// The other cores, still in a kernel, that could change the word; `None` if this is unknown, or if no
    /// change would end the wait.
    fn changers(&self, wait: &Waiting) -> Option<Changers<'_>> {
        if !Self::is_in_kernel(wait) || wait.awaited == Some(Awaited::Nothing) {
            return None;
        }
        let section = match self.word(wait) {
            Some(WaitedWord::Coprocessor(state)) => section_of_dst(state, wait),
            _ => None,
        };
        // The kernel API counts pages only on the tile itself.
        let (change, on_tile) = match self.word(wait) {
            Some(WaitedWord::PagesReceived(_)) => ("push a page", true),
            Some(WaitedWord::PagesAcknowledged(_)) => ("pop a page", true),
            Some(WaitedWord::NocCounter(..)) => return None,
            Some(WaitedWord::Coprocessor(state)) => {
                (section.map_or(change_of(state)?, |(_, change)| change), true)
            }
            None if watches_nothing(wait) => return None,
            None => match self.program.semaphore(wait.tile, wait.address.0) {
                Some(_) => ("change the semaphore", false),
                None => ("change the word", false),
            },
        };
        let is_of_coprocessor = matches!(self.word(wait), Some(WaitedWord::Coprocessor(_)));
        // A core and an instruction that it pushed may wait beside each other.
        let mut seen = BTreeSet::from([(wait.tile, wait.processor)]);
        let cores: Vec<&Waiting> = self
            .all
            .iter()
            .filter(|other| !on_tile || other.tile == wait.tile)
            .filter(|other| !is_of_coprocessor || !other.processor.is_data_movement())
            .filter(|other| section.is_none_or(|(thread, _)| other.processor == thread))
            .filter(|other| seen.insert((other.tile, other.processor)))
            .collect();
        Some(Changers { change, cores })
    }

    /// The same cores in words.
    fn who_could(&self, wait: &Waiting, with_names: bool) -> Option<String> {
        let Changers { change, cores: others } = self.changers(wait)?;
        if others.is_empty() {
            let place = match (self.all.len() > 1, with_names) {
                (false, _) => String::new(),
                (true, true) => format!(" of {}", self.program.core_name(wait.tile)),
                (true, false) => " of its tile".to_owned(),
            };
            return Some(format!("no other core{place} still runs a kernel that could {change}"));
        }
        if !with_names || others.len() > NAMED_CORES {
            let count = counted(others.len(), "other core", "other cores");
            let wait = if others.len() == 1 { "waits, too" } else { "wait, too" };
            return Some(format!("{count} could still {change}, but {wait}"));
        }
        let mut names: Vec<String> = others
            .iter()
            .map(|other| format!("{} {}", self.program.core_name(other.tile), other.processor))
            .collect();
        let last = names.pop()?;
        Some(if names.is_empty() {
            format!("{last} could still {change}, but waits, too")
        } else {
            format!("{} and {last} could still {change}, but wait, too", names.join(", "))
        })
    }
}

/// The thread that could end a wait for a section of Dst, and how: the compute API and the vendor's headers count with
/// semaphore 1 the sections that MATH has committed and PACK has not released.
fn section_of_dst(state: CoprocessorWord, wait: &Waiting) -> Option<(Processor, &'static str)> {
    if state != CoprocessorWord::Semaphore(1) {
        return None;
    }
    match wait.processor {
        Processor::Trisc1 => {
            Some((Processor::Trisc2, "release a section of Dst (tile_regs_release)"))
        }
        Processor::Trisc2 => {
            Some((Processor::Trisc1, "commit a section of Dst (tile_regs_commit)"))
        }
        Processor::Brisc | Processor::Ncrisc | Processor::Trisc0 => None,
    }
}

/// Whether a core's loop reads only memory that others cannot change: its device reports the core's own pc as
/// the word.
fn watches_nothing(wait: &Waiting) -> bool {
    wait.address.0 == u64::from(wait.pc)
}

/// A wait for a word, whose value is decimal.
fn word(
    name: &str,
    awaited: Option<Awaited>,
    value: &dyn std::fmt::Display,
    overshot: bool,
) -> String {
    match awaited {
        Some(awaited @ Awaited::Range { .. }) if overshot => {
            format!("waits for {name} to be {awaited}, but it has overshot: it holds {value}")
        }
        Some(awaited @ Awaited::Range { .. }) => {
            format!("waits for {name} to be {awaited}: it holds {value}")
        }
        Some(Awaited::Nothing) => {
            format!("waits for {name}, which holds {value}, and no value ends the wait")
        }
        None => format!("waits for {name}, which holds {value}"),
    }
}

/// Whether a semaphore was counted past the only awaited value. It began at or below that value; a wait for 0
/// is a wait for a core that sets it or counts it down.
fn has_overshot(value: u32, awaited: Option<Awaited>, initial_value: u32) -> bool {
    let only = awaited.and_then(Awaited::only_value);
    only.is_some_and(|only| only > 0 && initial_value <= only && value > only)
}

/// A wait for state of the coprocessor, of an instruction that the core pushed or of the core itself.
fn coprocessor(state: CoprocessorWord, awaited: Option<Awaited>, value: u32) -> String {
    match state {
        CoprocessorWord::Semaphore(_) => {
            // An instruction that waits until a semaphore is below a maximum of 0 has no awaited value.
            word(&state.to_string(), awaited, &value, false)
        }
        CoprocessorWord::SourceAFilled | CoprocessorWord::SourceBFilled => {
            format!("an instruction waits for {state}, which no unpacker gives")
        }
        CoprocessorWord::SourceAEmptied | CoprocessorWord::SourceBEmptied => {
            format!("an instruction waits for {state}, which the matrix unit does not give back")
        }
        CoprocessorWord::Mutex(_) => {
            format!("an instruction waits for {state}, which thread {value} holds")
        }
        CoprocessorWord::InstructionsDone => {
            "waits until the coprocessor has executed the instructions of its thread".to_owned()
        }
        CoprocessorWord::MacrosDone => {
            "waits until the coprocessor has expanded the macros of its thread".to_owned()
        }
        CoprocessorWord::Queue(_) => {
            "waits for room in a queue of the coprocessor, whose instructions do not go on"
                .to_owned()
        }
    }
}

/// What another core could push or store to end a wait. `None` of a wait for the core's own thread, whose wait stands beside it.
const fn change_of(state: CoprocessorWord) -> Option<&'static str> {
    match state {
        CoprocessorWord::Semaphore(_) => Some("change the semaphore"),
        CoprocessorWord::SourceAFilled | CoprocessorWord::SourceBFilled => Some("unpack to it"),
        CoprocessorWord::SourceAEmptied | CoprocessorWord::SourceBEmptied => {
            Some("give it back (SETRWC or CLEARDVALID)")
        }
        CoprocessorWord::Mutex(_) => Some("give it back (ATRELM)"),
        CoprocessorWord::InstructionsDone
        | CoprocessorWord::MacrosDone
        | CoprocessorWord::Queue(_) => None,
    }
}

/// A wait for transfers although none is pending: the kernel waits for other transfers than it made. `other` is the kernel that
/// shares the NoC's counters.
fn transfers(
    (noc, counter): (Noc, NocCounter),
    value: u32,
    awaited: Option<Awaited>,
    other: Option<&str>,
) -> String {
    // Counts wrap at 32 bits.
    let came_uncounted = awaited
        .and_then(Awaited::only_value)
        .is_some_and(|counted| value.wrapping_sub(counted).cast_signed() > 0);
    let cause = match counter {
        NocCounter::WriteAcknowledgements => {
            "; a multicast with a wrong number of destinations does that"
        }
        NocCounter::ReadResponses if came_uncounted => {
            "; the kernel made reads that it did not count: call noc_async_read_inc_num_issued with their number, or read \
             by functions that count"
        }
        NocCounter::AtomicResponses | NocCounter::WritesSent | NocCounter::PostedWritesSent
            if came_uncounted =>
        {
            "; the kernel made requests that it did not count: make them by functions that count"
        }
        NocCounter::AtomicResponses
        | NocCounter::ReadResponses
        | NocCounter::WritesSent
        | NocCounter::PostedWritesSent => "",
    };
    let shared = other.filter(|_| came_uncounted).map_or_else(String::new, |other| {
        format!(
            "; or {other} also made requests on NoC {}: both processors share that NoC's counters, so give each kernel its own NoC",
            noc as u8
        )
    });
    let register = format!("{} of NoC {}", counter.name(), noc as u8);
    let counts = counter.counts();
    let came = match awaited {
        Some(awaited @ Awaited::Range { .. }) => {
            format!("waits for {register} to be {awaited}: it counts {value} {counts}")
        }
        Some(Awaited::Nothing) | None => {
            format!("waits for another number of {counts} than the {value} that came ({register})")
        }
    };
    format!("{came}, and nothing is on its way{cause}{shared}")
}

#[cfg(test)]
mod tests;
