//! Data races: two accesses to the same byte, at least one of them a write, without an order between
//! them.
//!
//! Order is *happens-before* by vector clocks, so that a race is found whatever the schedule, not only
//! when the accesses come close. It comes from
//!
//! - the program of a core, and a core's request after what the core did before it;
//! - words that synchronize: semaphores and mailboxes as annotated, page counts of circular buffers
//!   (overlay streams), mailboxes and semaphores between the cores. A store and a request that arrives
//!   there release, a load acquires;
//! - counters of the NoC interfaces, once they say that all requests of a kind or of a transaction are
//!   done: see [`transfers`];
//! - writes on one channel of the NoC and what arrives after them on it. That an atomic that arrives finds the writes
//!   before it in memory is not promised, but TT-Metalium relies on it (`SimulatorOptions::strict_isa`);
//! - soft reset: a core starts after what was done before its release, and has ended when held;
//! - the host, once nothing runs and nothing is in flight, after everything.
//!
//! # Words and their roles
//!
//! Valid kernels keep flags in plain memory, too. The role of an aligned word follows from all its uses, whichever of them
//! comes first (`events.rs` and `polling.rs` decide). `suites/noc/words.yaml` and `suites/faults/synchronization.yaml` have
//! programs for each row.
//!
//! | use of the word | role | race or not |
//! |---|---|---|
//! | its owner calls it a semaphore | flag | none of data |
//! | its owner calls it a mailbox | flag | none; nor is it judged as a semaphore |
//! | a core polls it: a branch on the loaded value leads back to the load | flag | none, whether written or polled first |
//! | a core reads it from another tile, at most 16 bytes, and a branch on what came leads back to the read | flag | none |
//! | a core reads it from another tile once | data | with an unordered write |
//! | an atomic changes it | flag | none of data |
//! | the host accesses it as one word while a core does so | flag | none |
//! | written by one request: a write of at most 16 bytes, an inline write, a multicast, on either NoC | as it is read | who awaits it knows what came before the request, and its other bytes |
//! | the last word of more than 16 bytes | as it is read | who awaits it knows nothing of the other bytes: pieces come in any order |
//! | two unordered writes of a whole word with the value that it has | as it is read | none between the two; who reads the word as data comes after both |
//! | two unordered writes of different values | data, until a core waits for it | race |
//! | a flag is stored to by one core and incremented by another | flag | `UnorderedSynchronization`, if nothing orders the two |
//! | a flag is stored to after a wait that would have ended with fewer increments than came | flag | the same: that the others came before is luck |
//! | a flag is stored to by one core, and one request of another core gives the word another value | flag | `UnorderedSynchronization`, if nothing orders the two, unless a third actor's store to which nothing orders the request came just before: one of several raises is enough |
//! | a core waits for at least a value, and more increments came | flag | it comes after an increment without which, and without those that come after it, the wait would not have ended |
//! | the same, and the loaded value may be used after the loop | flag | it comes after all increments |
//! | a core waits for exactly a value, and another core's increment is not ordered after the wait's end | flag | `UnorderedSynchronization`: where the increment comes first, the wait never ends; the same where it has come first and no other actor has looked since |
//! | a core waits for a value that another core gives by an increment, a write or a store, and another core's store or write of a value for which the core does not wait is not ordered after the wait's end | flag | `UnorderedSynchronization`: if the store comes first, the core waits for the next time, or forever |
//! | the same, and the core knew of the value before it looked | flag | none |
//! | a core's wait ends by a write or a store of another core, and nothing orders an earlier one before that which gave a value for which the core does not wait | flag | `UnorderedSynchronization`: if that comes second, it wipes the value |
//! | a flag gets its value by a load, an addition and a store while others increment it | flag | `UnorderedSynchronization` |
//! | a flag gets another value while a request may still take its data from it | flag | `UnorderedSynchronization` |
//! | a flag gets the value that it has, or increments alone change it | flag | none |
//! | the host or a dispatcher gives it a value before the launch | as it is used | none: a launch comes after that |
//!
//! In DRAM, the detector compares the requests of kernels within one run of a program ([`dram`]). What is under way when the program ends
//! is no race with the next one or with the host, and neither are accesses of dispatchers. Two writes of what the channel
//! holds are none. A word that a kernel reads again until it has a value is a flag, as it is in L1: a core that reads the
//! value comes after all that its writer knew. Once there is a flag, a short read also makes its bytes a flag if the code
//! does not show whether it polls.
//!
//! Accesses of cores are compared with each byte's last write and the reads since (FastTrack, Flanagan
//! and Freund 2009); a request's on its issuer's tile when it is issued, elsewhere when it arrives.
//! Private memory, registers and instruction fetches are not looked at.
//!
//! # The coprocessor
//!
//! A thread of the coprocessor is an actor of its own. Its instructions come after what the core that pushes them has done;
//! the core comes after its thread once it has loaded the register that waits for the thread (`TTSync.md`). Semaphores,
//! mutexes and banks of the sources order threads as flags order cores.
//!
//! An unpacker or a packer accesses L1 from the issue of an instruction until somebody knows that the instruction has
//! finished, and every unit that reaches `Dst` uses its rows as long: see [`units`]. So does an unpacker that fills a bank of a
//! source, of which an instruction of the matrix unit takes rows without a wait. `suites/faults/coprocessor.yaml` has programs
//! for each mistake. Units access the data of kernels alone: a race with one of them counts in memory without annotations, too.
//!
//! [`waits`] notes, for somebody who asks, which waits told an actor that a unit had finished, and which pairs of steps rest on
//! that.
//!
//! Configuration words, words of macros and general registers have an order, too; `hallmark_tensix` keeps it. A write comes
//! after the instructions that read the old value, and an instruction after the writes that it reads. A core's store may
//! arrive behind the instruction that the core pushes next, until a `STALLWAIT` or a load of the same word says that it has
//! arrived. The detector answers questions of knowledge: whether an actor knows that a thread has issued an instruction, that
//! a unit has finished it, or that a moment of another actor is past. Where no page says when a unit samples its configuration,
//! the unit samples when the instruction is issued, or with `SimulatorOptions::strict_tensix` until it has finished.
//!
//! ## Findings
//!
//! Each finding, the page that it rests on, a test with it and a test of the same program with the order. Tests have no chip in
//! their names here, pages are those of `TensixCoprocessor/`, and `Lack` and `Hazard` are those of `hallmark_tensix`.
//!
//! | finding | page | with it | without it |
//! |---|---|---|---|
//! | `Lack::End`: configuration changes while a unit may still read it | `PACR.md` | `faults::coprocessor::configured_out_of_order::configures=while_packers_work` | `faults::coprocessor::configured_in_order::configures=awaits_packers` |
//! | `Lack::Start`: the core does not know whether an instruction that reads it was issued | `BackendConfiguration.md` | `faults::coprocessor_reports::llk_602_unordered` | `faults::coprocessor_reports::llk_602` |
//! | `Lack::PushedBefore`: the same, in another schedule | `BackendConfiguration.md` | `faults::coprocessor_reports::llk_602_unordered` | `faults::coprocessor_reports::llk_602` |
//! | `Lack::Processed`: a store may arrive behind the instruction pushed next | `BackendConfiguration.md` | `faults::coprocessor::configured_out_of_order::configures=not_awaited` | `faults::coprocessor::configured_in_order::configures=awaits_stores` |
//! | `Lack::Gap`: a reader stands directly behind `WRCFG` | `WRCFG.md` | `faults::coprocessor_reports::llk_97_unordered` | `faults::coprocessor_reports::llk_97::waits=packer` |
//! | `Lack::Order`: nothing orders a write of another thread and a reader | `RMWCIB.md` | `faults::coprocessor_reports::llk_1658_unordered::first=behind_a_tile` | `faults::coprocessor_reports::llk_1658::first=behind_a_tile` |
//! | two threads write the same bits of a word | `RMWCIB.md` | `faults::coprocessor_reports::llk_1658_unordered::first=before_all_tiles` | `faults::coprocessor_reports::llk_1658::first=before_all_tiles` |
//! | `Hazard::Dst`: units of two threads use the same rows | `SEMPOST.md` | `faults::coprocessor::used_before_its_unit_is_done::dst=math_does_not_wait` | `faults::coprocessor::waits_for_its_unit::thread=pack` |
//! | `Hazard::Dst`: units of one thread do | `STALLWAIT.md` | `faults::coprocessor_reports::metal_56073_unordered` | `faults::coprocessor_reports::metal_56073` |
//! | `Hazard::Load`: a load is too close behind a write of the matrix unit | `SFPLOAD.md` | `faults::coprocessor::loaded_too_soon::loads=behind_two` | `faults::coprocessor::loads_behind_the_matrix_unit::loads=behind_three` |
//! | `Hazard::Bank`: an instruction takes a bank for which it does not wait | `MOVD2A.md` | `faults::coprocessor_reports::metal_53412_unordered` | `faults::coprocessor_reports::metal_53412` |
//! | `Hazard::BankBeforeFlip`: a wait for a bank may have looked at the one that goes back | `STALLWAIT.md` | `faults::coprocessor_reports::metal_55106_unordered` | `faults::coprocessor_reports::metal_55106` |
//! | `Hazard::Gift`: a bank is given that the matrix unit may not have given back | `SETDVALID.md` | `faults::coprocessor::gives_a_bank_without_a_wait` | `faults::coprocessor::gives_a_bank_behind_a_wait` |
//! | `Hazard::Return`: a bank is given back that the unpacker may not have given | `SETRWC.md` | `faults::coprocessor_reports::metal_54483_unordered` | `faults::coprocessor_reports::metal_54483` |
//! | a word of a macro changes while the macro may still be expanded | `MOPExpander.md` | `faults::coprocessor::configured_out_of_order::configures=while_a_macro_is_expanded` | `faults::coprocessor::configured_in_order::configures=awaits_the_expansion` |
//! | a store to a general register may arrive behind the instruction that reads it | `ScalarUnit.md` | `faults::coprocessor::configured_out_of_order::configures=register_not_awaited` | `faults::coprocessor::configured_in_order::configures=loads_the_register_back` |
//! | a page is popped while an unpacker may still read it | `STALLWAIT.md` | `faults::coprocessor::popped_before_unpacked::unpack=no_wait` | `faults::coprocessor::waits_for_its_unit::thread=unpack` |
//! | a page is pushed while a packer may still write it | `STALLWAIT.md` | `faults::coprocessor_reports::metal_9364_unordered` | `faults::coprocessor_reports::metal_9364` |
//! | rows that `ZEROACC` made undefined are loaded, and reach the host | `ZEROACC.md` | `faults::coprocessor::stores_undefined_rows` | `faults::coprocessor::loads_behind_the_matrix_unit::loads=behind_a_wait` |
//! | a result of two cycles is read one cycle later | `SFPMAD.md` | `faults::vector::stored_a_cycle_too_early::result=product` | `computing::vector::floats::operation=polynomial` |
//! | a semaphore goes beyond its ends | `SEMPOST.md` | `faults::registers::semaphore_beyond_its_ends::beyond=post` | `faults::registers::semaphore_at_its_end` |
//!
//! runtime/README.md lists the findings in TT-Metalium 0.81.1's own kernels.

mod accesses;
mod asked_reads;
mod cached_polls;
mod clock;
mod dram;
mod events;
mod launched_buffers;
mod meanings;
mod polling;
mod report;
mod session;
mod shadow;
mod stores;
mod sync;
mod transfers;
mod units;
mod waits;

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::{PhysicalCoordinate, Processor};

use accesses::{Access, Accesses};
use asked_reads::AskedReads;
use cached_polls::CachedPolls;
use clock::{Clock, Stamp, View, place, places};
use dram::{DramAccesses, Run};
use meanings::Meanings;
use shadow::{Cell, ShadowWord, WORD, WORD_BYTES};
use sync::{Change, SyncRule, SyncWord};
use transfers::{Record, Transfers};

use crate::quick_hash::QuickMap;

use super::ObserverOptions;
use crate::machine::actor::{self, Actor};
use crate::machine::observer::CodePlace;
use accesses::RequestSide;
use events::{Begun, Ticket};
use report::{Conflict, Party};
pub(crate) use session::RaceSession;
use shadow::Shadow;
use stores::RecentStores;
pub(crate) use waits::{Later, WaitCount, WaitLog};

/// The number of no access.
const NOBODY: u32 = 0;
/// Smaller ones have a meaning of their own in memory.
const FIRST_NUMBER: u32 = 3;
/// The mark of an actor that has made no access since it last released.
const UNMARKED: u32 = WORD;

/// What is remembered of accesses, apart from which memory they were to.
#[derive(Debug)]
struct History {
    accesses: Accesses,
    transfers: Transfers,
    dram: DramAccesses,
    watched: Watched,
    /// The waits for units, if somebody has asked.
    waits: Option<Box<WaitLog>>,
}

/// In which memory races are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watched {
    /// In none, so that no access need be remembered.
    Nothing,
    /// In none. Accesses are remembered nevertheless: the order tells which requests have arrived when a kernel of a launch
    /// ends.
    NothingButOrder,
    /// Where somebody has said what the memory is for, and everywhere between units of the coprocessor and others. The rest may be how somebody else's firmware and dispatcher
    /// work together, whose rules are not ours.
    Annotated,
    /// In all.
    Everything,
}

/// Who accesses memory, what it knows, and what the access is.
struct Toucher<'a> {
    view: View<'a>,
    number: u32,
    pc: u32,
    writes: bool,
    /// Marks that were found to have happened before.
    seen_write: u32,
    seen_read: u32,
    /// Words of the range that synchronize.
    synchronizing: Vec<u32>,
    /// The step that accesses, unless it is the host's.
    step: Option<Later>,
}

/// Who writes a word with the value that it has.
#[derive(Clone, Copy)]
enum Alike<'a> {
    Core { actor: Actor, pc: u32 },
    Request(&'a Arc<Record>),
}

/// An earlier access without an order to this one.
struct Unordered {
    earlier: (u32, u32),
    wrote: bool,
}

impl History {
    fn unordered(&self, held: ShadowWord, later: &View<'_>) -> Option<(u32, u32)> {
        self.accesses.first_unordered(&self.transfers, (held.number(), held.pc), later)
    }

    /// As [`Self::unordered`]. Notes the waits that order the two.
    fn unordered_to(&mut self, held: ShadowWord, toucher: &Toucher<'_>) -> Option<(u32, u32)> {
        let found = self.unordered(held, &toucher.view);
        let Self { waits, accesses, .. } = self;
        if found.is_none()
            && let (Some(waits), Some(step)) = (waits, toucher.step)
        {
            waits.access_ordered(accesses, held.number(), (&toucher.view, step));
        }
        found
    }

    fn check(
        &mut self,
        held: ShadowWord,
        wrote: bool,
        toucher: &mut Toucher<'_>,
    ) -> Result<(), Unordered> {
        let seen = if wrote { toucher.seen_write } else { toucher.seen_read };
        if held.mark == 0 || held.mark == seen {
            return Ok(());
        }
        if let Some(earlier) = self.unordered_to(held, toucher) {
            return Err(Unordered { earlier, wrote });
        }
        let seen = if wrote { &mut toucher.seen_write } else { &mut toucher.seen_read };
        *seen = held.mark;
        Ok(())
    }

    /// An access to all bytes that the cell is about, which are `bytes` of a word.
    #[inline]
    fn touch_cell(
        &mut self,
        cell: &mut Cell,
        bytes: u32,
        toucher: &mut Toucher<'_>,
    ) -> Result<(), Unordered> {
        self.check(cell.write, true, toucher)?;
        let mine = ShadowWord::new(toucher.number, bytes, toucher.pc);
        if toucher.writes {
            self.check(cell.read, false, toucher)?;
            *cell = Cell { write: mine, read: ShadowWord::default() };
        } else if cell.read.mark == 0
            || cell.read.mark == toucher.seen_read
            || cell.read.number() == toucher.number
            || self.unordered(cell.read, &toucher.view).is_none()
        {
            toucher.seen_read = cell.read.mark;
            cell.read = mine;
        } else {
            let old = (cell.read.number(), cell.read.pc);
            let new = (toucher.number, toucher.pc);
            let (number, pc) = self.accesses.join(&self.transfers, old, new, &toucher.view);
            cell.read = ShadowWord::new(number, bytes, pc);
        }
        Ok(())
    }

    fn touch_bytes(
        &mut self,
        shadow: &mut Shadow,
        word: u32,
        bytes: u32,
        toucher: &mut Toucher<'_>,
    ) -> Result<(), Unordered> {
        let mut cells = shadow.expand(word);
        for (index, cell) in cells.iter_mut().enumerate() {
            let byte = 1 << index;
            if bytes & byte != 0 {
                self.touch_cell(cell, byte, toucher)?;
            }
        }
        shadow.compress(word, cells);
        Ok(())
    }

    /// One word or some bytes of it.
    fn touch_word(
        &mut self,
        shadow: &mut Shadow,
        word: u32,
        bytes: u32,
        toucher: &mut Toucher<'_>,
    ) -> Result<(), Unordered> {
        let Some(cell) = shadow.cell_mut(word) else { return Ok(()) };
        if cell.synchronizes() {
            toucher.synchronizing.push(word);
            return Ok(());
        }
        if cell.is_of(bytes) {
            return self.touch_cell(cell, bytes, toucher);
        }
        self.touch_bytes(shadow, word, bytes, toucher)
    }

    /// An access to a range of L1. What comes before the first unordered byte is noted.
    fn touch(
        &mut self,
        shadow: &mut Shadow,
        start: u64,
        length: u64,
        toucher: &mut Toucher<'_>,
    ) -> Result<(), Conflict> {
        if self.watched == Watched::Nothing {
            return Ok(());
        }
        let end = start.saturating_add(length);
        let (mut word, last) = ((start >> 2) as u32, end.div_ceil(4) as u32);
        while word < last {
            let first = u64::from(word) << 2;
            let mut bytes = WORD;
            if first < start {
                bytes &= WORD << (start - first);
            }
            if first + 4 > end {
                bytes &= WORD >> (first + 4 - end);
            }
            if bytes == WORD {
                let cells = shadow.cells_mut(word..(end >> 2) as u32);
                let (touched, found) = self.touch_cells(cells, toucher);
                word = word.saturating_add(touched);
                if let Some(found) = found {
                    return Err(self.conflict(word, bytes, found, toucher));
                }
                if touched > 0 {
                    continue;
                }
            }
            if let Err(found) = self.touch_word(shadow, word, bytes, toucher) {
                return Err(self.conflict(word, bytes, found, toucher));
            }
            word += 1;
        }
        Ok(())
    }

    /// An access to whole words, up to the first one that synchronizes or whose bytes differ. How many were accessed, and
    /// the unordered access to the next one.
    fn touch_cells(
        &mut self,
        cells: &mut [Cell],
        toucher: &mut Toucher<'_>,
    ) -> (u32, Option<Unordered>) {
        let mut left = &mut *cells;
        let mut touched = 0;
        while let Some(mut cell) = left.first().copied().filter(|cell| cell.is_of(WORD)) {
            if let Err(found) = self.touch_cell(&mut cell, WORD, toucher) {
                return (touched, Some(found));
            }
            // A long access leaves a long run of equal cells. Whatever holds for the first cell holds for the run.
            let run = Cell::replace_alike(left, cell);
            touched += run as u32;
            left = left.get_mut(run..).unwrap_or_default();
        }
        (touched, None)
    }
}

/// What is known about the order of accesses on a chip.
#[derive(Debug)]
struct Order {
    /// By [`place`].
    clocks: Vec<Clock>,
    history: History,
    /// Registers that synchronize, by tile and address.
    registers: QuickMap<(u16, u32), Box<SyncWord>>,
    /// What travels with the words in the mailboxes between cores, by tile, sender and receiver.
    mailboxes: QuickMap<(u16, usize, usize), VecDeque<Stamp>>,
    /// What the host learns that looks at its memory.
    host_memory: SyncWord,
    meanings: Meanings,
    /// Whether the reads that a tile's core issues at a pc poll, by where they land.
    asked_reads: AskedReads,
    /// The run of a program to which the kernel belongs that a core executes, by the core's place.
    runs: QuickMap<usize, Run>,
    /// How many runs of a program have begun on a core, by its place.
    begun: QuickMap<(usize, u32), u64>,
    /// The load or store of a core, with its pc and address, about which all is known before it is executed.
    settled: Option<(Actor, u32, u32)>,
    cached_polls: CachedPolls,
    /// [`ObserverOptions::strict_tensix`].
    is_strict_on_sampling: bool,
}

impl Order {
    fn new(options: &ObserverOptions) -> Self {
        let ObserverOptions { tiles, allow_races: allowed, strict_isa, strict_tensix, .. } =
            *options;
        Self {
            clocks: vec![Clock::default(); places(tiles)],
            history: History {
                accesses: Accesses::new(),
                transfers: Transfers::new(strict_isa),
                dram: DramAccesses::default(),
                watched: if allowed { Watched::Nothing } else { Watched::Everything },
                waits: None,
            },
            registers: QuickMap::default(),
            mailboxes: QuickMap::default(),
            host_memory: SyncWord::default(),
            meanings: Meanings::default(),
            asked_reads: AskedReads::default(),
            runs: QuickMap::default(),
            begun: QuickMap::default(),
            settled: None,
            cached_polls: CachedPolls::new(tiles),
            is_strict_on_sampling: strict_tensix,
        }
    }

    /// Finds races from now on, at least in memory whose meaning was said. What was done until now does not count.
    fn watch_annotated(&mut self) {
        if !self.is_watching() {
            self.history.watched = Watched::Annotated;
        }
    }

    /// Follows the order of accesses from now on, whether races are found or not.
    fn follow_order(&mut self) {
        if self.history.watched == Watched::Nothing {
            self.history.watched = Watched::NothingButOrder;
        }
    }

    /// Where memory ends from an address on in which races are nobody's business.
    fn overlooked_until(&self, tile: PhysicalCoordinate, address: u32) -> Option<u64> {
        match self.history.watched {
            Watched::Nothing | Watched::NothingButOrder => Some(u64::MAX),
            Watched::Annotated => self.meanings.gap_end(tile, address.into()),
            Watched::Everything => None,
        }
    }

    /// Whether races are found.
    const fn is_watching(&self) -> bool {
        matches!(self.history.watched, Watched::Annotated | Watched::Everything)
    }

    /// Whether the order of accesses is known.
    const fn follows_order(&self) -> bool {
        !matches!(self.history.watched, Watched::Nothing)
    }

    /// The mark that an actor's accesses leave in memory at the moment.
    fn mark(&self, actor: Actor) -> u32 {
        self.clocks.get(place(actor)).map_or(UNMARKED, |clock| clock.mark)
    }

    /// The number of an actor's accesses at the moment.
    fn number(&mut self, actor: Actor) -> u32 {
        let Some(clock) = self.clocks.get_mut(place(actor)) else { return NOBODY };
        if clock.mark == UNMARKED {
            let number = self.history.accesses.add(Access::Actor(actor, clock.own()));
            clock.mark = number << 4 | WORD;
        }
        clock.mark >> 4
    }

    /// An aligned load or store of a core that [`Shadow::has_loaded`] or [`Shadow::has_stored`] do not
    /// know; the core's mark from now on.
    #[cold]
    #[inline(never)]
    fn access(
        &mut self,
        shadow: &mut Shadow,
        actor: Actor,
        (address, size): (u32, u32),
        pc: u32,
        writes: bool,
    ) -> Result<u32, Box<Conflict>> {
        if !self.follows_order() {
            return Ok(UNMARKED);
        }
        if writes && self.settled.take_if(|settled| *settled == (actor, pc, address)).is_some() {
            return Ok(self.mark(actor));
        }
        let word = address >> 2;
        if !shadow.cell_mut(word).is_some_and(|cell| cell.synchronizes()) {
            let number = self.number(actor);
            let Self { clocks, history, .. } = self;
            let Some(clock) = clocks.get_mut(place(actor)) else { return Ok(UNMARKED) };
            let bytes = (WORD >> (4 - size)) << (address & 3);
            let mut toucher = Toucher {
                view: clock.view(actor),
                number,
                pc,
                writes,
                seen_write: clock.seen,
                seen_read: 0,
                synchronizing: Vec::new(),
                step: step_of(actor, pc),
            };
            if let Err(found) = history.touch_word(shadow, word, bytes, &mut toucher) {
                return Err(Box::new(history.conflict(word, bytes, found, &toucher)));
            }
            clock.seen = toucher.seen_write;
            return Ok(clock.mark);
        }
        let Some(clock) = self.clocks.get(place(actor)) else { return Ok(UNMARKED) };
        let (mark, view) = (clock.mark, clock.view(actor));
        let Some(word) = shadow.synchronizing(word) else { return Ok(mark) };
        let transfers = &self.history.transfers;
        if !writes {
            let told = self.settled.take_if(|settled| *settled == (actor, pc, address)).is_some();
            if told && word.is_judged(actor) {
                return Ok(mark);
            }
            if word.looks(transfers, &view, pc) {
                return Err(Box::new(Conflict::of_rule(
                    SyncRule::Looks,
                    address & !3,
                    Party::Host,
                )));
            }
            let is_stale = word.is_unchanged_for(actor);
            if !is_stale {
                self.acquire(actor, word);
            }
            if let Some(clock) = self.clocks.get_mut(place(actor)) {
                if is_stale && !word.is_mailbox() {
                    clock.found_no_change(pc, || word.changed_by());
                } else {
                    clock.found_a_change();
                }
            }
        } else if let Some((rule, earlier)) = if size == WORD_BYTES {
            word.core_store_breaks(transfers, &view)
        } else {
            word.store_breaks(transfers, &view)
        } {
            return Err(Box::new(Conflict::of_rule(rule, address & !3, earlier)));
        } else if let Some(poll) = word.hides_from(&view, true) {
            let change = Party::Core { actor, pc };
            return Err(Box::new(Conflict::of_cached_poll(poll.clone(), address & !3, change)));
        } else {
            let change = Change::Core { actor, count: clock.own(), pc };
            match self.release(actor) {
                Some(stamp) if size == WORD_BYTES => word.store(stamp, Some(change)),
                Some(stamp) => word.store_part(stamp, Some(change)),
                None => {}
            }
        }
        Ok(self.mark(actor))
    }

    /// A write of a whole word with the value that it has, unordered with other writes of that value: who comes after it
    /// must come after all of them. Whether that was all there is to say.
    fn write_alike(&mut self, shadow: &mut Shadow, word: u32, by: Alike<'_>) -> bool {
        let (actor, number, pc) = match by {
            Alike::Core { actor, pc } => (actor, self.number(actor), pc),
            Alike::Request(record) => {
                let access = Access::Transfer(Arc::clone(record), RequestSide::Target);
                (record.stamp.actor, self.history.accesses.add(access), 0)
            }
        };
        let Self { clocks, history, .. } = self;
        let view = match by {
            Alike::Core { .. } => clocks.get(place(actor)).map(|clock| clock.view(actor)),
            Alike::Request(record) => Some(record.arriving()),
        };
        let (Some(view), Some(cell)) = (view, shadow.cell_mut(word)) else { return false };
        let is_written = !cell.differs() && !cell.synchronizes() && cell.write.bytes() == WORD;
        if !is_written || cell.read.mark != 0 && history.unordered(cell.read, &view).is_some() {
            return false;
        }
        let earlier = (cell.write.number(), cell.write.pc);
        let History { accesses, transfers, .. } = history;
        let (number, pc) = accesses.join(transfers, earlier, (number, pc), &view);
        *cell = Cell { write: ShadowWord::new(number, WORD, pc), read: ShadowWord::default() };
        true
    }

    /// A core's own atomic: the word synchronizes, in both directions.
    fn atomic(&mut self, shadow: &mut Shadow, actor: Actor, address: u32) {
        self.promote(shadow, address);
        let Some(word) = shadow.synchronizing(address >> 2) else { return };
        self.acquire(actor, word);
        if let Some(stamp) = self.release(actor) {
            word.add(stamp, None);
        }
    }

    /// What others may learn of an actor from now on.
    fn release(&mut self, actor: Actor) -> Option<Stamp> {
        Some(self.clocks.get_mut(place(actor))?.release(actor))
    }

    /// An actor loads a word that synchronizes.
    fn acquire(&mut self, actor: Actor, word: &mut SyncWord) {
        self.learn(actor, word.load(actor));
    }

    fn learn(&mut self, actor: Actor, stamps: &[Stamp]) {
        learn(&mut self.clocks, &mut self.history.transfers, actor, stamps);
    }

    /// A word synchronizes from now on; who wrote it last released with that.
    fn promote(&mut self, shadow: &mut Shadow, address: u32) {
        let word = address >> 2;
        if shadow.synchronizing(word).is_some() {
            return;
        }
        let cells = shadow.expand(word);
        let mut stamps: Vec<Stamp> = Vec::new();
        let mut stored = Vec::new();
        let mut last = NOBODY;
        for cell in cells {
            let (number, pc) = (cell.write.number(), cell.write.pc);
            if number == last {
                continue;
            }
            last = number;
            let alike = match self.history.accesses.get(number) {
                Access::Readers(writers) => Arc::clone(writers),
                _ => Arc::from([(number, pc)]),
            };
            for &(number, pc) in alike.iter() {
                match self.history.accesses.get(number) {
                    // At that time it may have known less; knowing too much hides races, knowing too
                    // little makes some up.
                    &Access::Actor(actor, own) => {
                        if let Some(clock) = self.clocks.get(place(actor)) {
                            let known = clock.known().clone();
                            stamps.push(Stamp { actor, own, known, passed: None });
                        }
                        if actor != Actor::Host {
                            stored.push(Change::Core { actor, count: own, pc });
                        }
                    }
                    Access::Transfer(record, RequestSide::Target) if record.has_arrived() => {
                        stamps.push(record.arrival());
                        let record = Arc::clone(record);
                        stored.push(Change::Request { record, increment: 0 });
                    }
                    Access::Flight(flight) => stamps.push(flight.stamp.clone()),
                    _ => {}
                }
            }
        }
        if let Some(word) = shadow.promote(word) {
            stamps.into_iter().for_each(|stamp| word.add(stamp, None));
            stored.into_iter().for_each(|stored| word.was_stored(stored));
        }
    }

    /// Nothing runs and nothing is in flight: whatever comes next comes after all that was done.
    fn forget<'a>(&mut self, shadows: impl Iterator<Item = &'a mut Shadow>) {
        self.history.dram.forget();
        self.runs.clear();
        self.begun.clear();
        if self.history.accesses.is_empty() {
            return;
        }
        shadows.for_each(Shadow::forget);
        self.clocks.fill(Clock::default());
        self.history.accesses.clear();
        self.history.transfers.clear();
        self.registers.clear();
        self.mailboxes.clear();
        self.host_memory.forget();
        self.asked_reads.clear();
        if let Some(waits) = &mut self.history.waits {
            waits.forget();
        }
    }

    /// Whether it is time to look which accesses memory still remembers.
    fn is_full(&self) -> bool {
        self.history.accesses.is_full()
    }

    /// Gives back what nothing remembers any more.
    fn collect<'a>(&mut self, shadows: impl Iterator<Item = &'a Shadow> + Clone) {
        let records: Vec<&Arc<Record>> = shadows.clone().flat_map(Shadow::records).collect();
        let held = shadows.flat_map(Shadow::held).chain(
            self.clocks
                .iter()
                .filter(|clock| clock.mark != UNMARKED)
                .map(|clock| (clock.mark >> 4, 1)),
        );
        let History { accesses, transfers, dram, .. } = &mut self.history;
        transfers.retain(accesses.collect(held).chain(records).chain(dram.records()));
        transfers.flights.retain(accesses.flights());
        for clock in &mut self.clocks {
            clock.seen = 0;
        }
    }
}

/// A core's step.
fn step_of(actor: Actor, pc: u32) -> Option<Later> {
    match actor {
        Actor::Unit { unit: actor::Unit::Core(processor), .. } => {
            Some(Later::Here(CodePlace { processor, pc, pushed: None }))
        }
        Actor::Unit { unit: actor::Unit::Thread(_), .. } | Actor::Host => None,
    }
}

/// An actor comes after these moments.
#[inline]
fn learn(clocks: &mut [Clock], transfers: &mut Transfers, actor: Actor, stamps: &[Stamp]) {
    if stamps.is_empty() {
        return;
    }
    let Some(clock) = clocks.get_mut(place(actor)) else { return };
    for stamp in stamps {
        clock.learn(actor, stamp);
        if let Some(passed) = stamp.passed {
            transfers.passed(passed, actor, clock.finds_out());
        }
    }
}

/// What is remembered of a tile.
#[derive(Debug)]
struct TileAccesses {
    shadow: Shadow,
    stores: [RecentStores; Processor::ALL.len()],
}

/// Finds races, and says what is wrong with them.
#[derive(Debug)]
pub(crate) struct Races {
    order: Order,
    /// By the tile's number; made with its first access.
    tiles: Vec<Option<Box<TileAccesses>>>,
    l1_size: usize,
    /// Of requests under way, by their number.
    tickets: Vec<Option<Ticket>>,
    /// The instruction of the coprocessor that accessed L1 last.
    flight: Option<Begun>,
    /// What ended the last session.
    conflict: Option<Box<Conflict>>,
}

impl Races {
    pub(crate) fn new(options: &ObserverOptions) -> Self {
        Self {
            order: Order::new(options),
            tiles: (0..options.tiles).map(|_| None).collect(),
            l1_size: options.l1_size as usize,
            tickets: Vec::new(),
            flight: None,
            conflict: None,
        }
    }

    /// Finds races from now on, at least in memory whose meaning was said. What was done until now does not count.
    pub(crate) fn watch_annotated(&mut self) {
        self.order.watch_annotated();
    }

    /// Whether races are found.
    pub(crate) const fn is_watching(&self) -> bool {
        self.order.is_watching()
    }

    /// The waits for units since the last call, and what they ordered. The first call begins to look.
    pub(crate) fn take_waits(&mut self) -> WaitLog {
        self.order.history.waits.get_or_insert_default().take()
    }

    /// Whether an order rested on what the documents do not promise.
    pub(crate) fn relies_on_atomics_behind_writes(&self) -> bool {
        self.order.history.transfers.relies_on_atomics_behind_writes()
    }
}
