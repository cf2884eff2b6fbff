//! The coprocessor: its state, and the unit that executes each instruction.

use hallmark_chip::FaultCategory;

use crate::bank_flips::BankFlips;
use crate::bits::{bit, bits};
use crate::chips::{Chip, Condition};
use crate::configuration::Configuration;
use crate::configuration_order::{ConfigurationOrder, Readers, Reading};
use crate::counters::address::AddressCounters;
use crate::counters::{AddressModifier, ReadWriteCounters};
use crate::destination_order::{DestinationOrder, Hazard, Overlap, Use};
use crate::formats::Format;
use crate::frontend::{Entrance, Frontend, Instruction, Origin};
use crate::matrix::{self, Executed, Settings};
use crate::opcodes::opcode;
use crate::order::{Doing, Issued, Knowledge};
use crate::packer::{Packers, Packing};
use crate::refusal::Refusal;
use crate::register_order::RegisterOrder;
use crate::registers::{Bank, Registers, Vectors};
use crate::scalar::{self, Registers as GeneralRegisters};
use crate::source_order::{SourceOrder, Written};
use crate::surroundings::{Handover, Surroundings};
use crate::synchronization::{AtItsEnd, Mutexes, Semaphores, Wait};
use crate::threads::{PerThread, Thread};
use crate::units::{Source, Unit, Units};
use crate::unpacker::{self, CONTEXTS, Unpackers};
use crate::vector;
use crate::wait_gate::Latched;

/// What became of a thread's next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It was issued.
    Issued,
    /// It waits.
    Waits,
    /// No instruction was pushed.
    Idle,
}

/// An instruction that waits, or holds back the one behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The instruction.
    pub word: u32,
    /// Who pushed it.
    pub origin: Origin,
    /// What it waits for.
    pub wait: Wait,
}

/// `UNPACR_NOP`s that belong to the instruction that gave a bank before them, at most.
const LIKEWISE: u32 = 64;

/// How the banks of the sources go from unpackers to the matrix unit and back.
const BANK_HANDOVERS: [Handover; 4] = [
    Handover::Filled(Source::A),
    Handover::Filled(Source::B),
    Handover::Emptied(Source::A),
    Handover::Emptied(Source::B),
];

/// What belongs to a thread.
#[derive(Debug, Default)]
struct State {
    frontend: Frontend,
    registers: GeneralRegisters,
    register_order: RegisterOrder,
    counters: AddressCounters,
    rows: ReadWriteCounters,
    settings: Option<UnitSettings>,
    /// How often the banks had been handed over when the thread last waited for them.
    taken: [u32; BANK_HANDOVERS.len()],
    /// The instructions that gave the banks of the sources, of which it was told that the thread knows their end.
    known_givers: [[Option<(Thread, u64)>; 2]; 2],
    waiting: Option<Waiting>,
    /// The last wait, while it may hold back an instruction.
    latched: Option<Latched>,
    /// How many instructions the thread has issued.
    issued: u64,
    /// The number of the last instruction before the moment at which a macro's expansion ended.
    macros_ended: u64,
    /// The same when the thread's core last waited for expansions.
    macros_awaited: u64,
    /// How many NOPs came between them.
    nops: u64,
    /// The number of the last instruction before which NOPs came. It keeps them while it waits.
    behind_nop: u64,
    /// The number of the last instruction in each unit, by [`Unit::index`].
    last_in: [u64; Unit::ALL.len()],
    /// The last instruction of the vector unit, and who pushed it.
    last_of_vector: Option<(u32, Origin)>,
    /// The number of the last instruction of the matrix unit that writes later than in the next cycle, until its end is known.
    slow_in_matrix: u64,
    /// The last instruction gave the matrix unit a bank, or comes with that: so many may still follow.
    gave: u32,
    /// The last instruction gave a bank of these sources back to an unpacker: SrcA, SrcB.
    gave_back: [bool; 2],
    /// The banks of the sources that it gives back.
    flips: BankFlips,
    /// Who pushed the instruction that was looked at last.
    origin: Option<Origin>,
}

/// What the matrix unit and the vector unit read of the configuration.
#[derive(Clone, Copy, Debug)]
struct UnitSettings {
    /// The version of the configuration that holds it.
    version: u64,
    matrix: Settings,
    vector: vector::Settings,
}

impl UnitSettings {
    /// Those of the configuration, from `kept` if it is still so.
    fn current<'kept>(
        kept: &'kept mut Option<Self>,
        chip: &'static Chip,
        configuration: &Configuration,
        thread: Thread,
    ) -> &'kept Self {
        let version = configuration.version();
        let read = || {
            let matrix = settings(chip, configuration, thread);
            let vector = vector::Settings {
                wide: configuration.view(thread).is_set(chip.alu.vector_fp32),
                source_b: matrix.source_b,
                destination_offset: matrix.destination_offset,
                modifiers: matrix.modifiers,
                second_modifiers: matrix.second_modifiers,
                ..vector::Settings::zero(chip.vector)
            };
            Self { version, matrix, vector }
        };
        if kept.as_ref().is_some_and(|kept| kept.version != version) {
            *kept = None;
        }
        kept.get_or_insert_with(read)
    }
}

/// The coprocessor of a tile.
#[derive(Debug)]
pub struct Coprocessor {
    chip: &'static Chip,
    threads: PerThread<State>,
    configuration: Configuration,
    semaphores: Semaphores,
    mutexes: Mutexes,
    registers: Registers,
    destination_order: DestinationOrder,
    source_order: SourceOrder,
    /// Whether anybody wants to know of the order.
    watches_order: bool,
    /// What somebody asks for who watches the order of uses.
    configuration_order: Option<Box<ConfigurationOrder>>,
    vectors: Vectors,
    /// The thread that last used the vector unit.
    scheduling: Option<Thread>,
    packers: Packers,
    /// How often the banks were handed over, each way.
    handed_over: [u32; BANK_HANDOVERS.len()],
    /// The instruction that gave the matrix unit a bank last, by source and bank.
    given: [[Option<(Thread, u64)>; 2]; 2],
    changes: Changes,
}

/// How the banks of a source are shared out.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Banks {
    /// Whether the matrix unit has the first bank, and the second.
    valid: [bool; 2],
    /// The bank that the matrix unit uses.
    matrix: Bank,
    /// The bank that the unpacker uses.
    unpacker: Bank,
}

/// The changes for which threads or cores may wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Instructions may wait for it.
    pub instructions: bool,
    /// A semaphore changed, which cores may read.
    pub semaphores: bool,
}

impl Coprocessor {
    /// A coprocessor after power-on.
    #[must_use]
    pub fn new(chip: &'static Chip) -> Self {
        Self {
            chip,
            threads: PerThread::default(),
            configuration: Configuration::new(chip),
            semaphores: Semaphores::default(),
            mutexes: Mutexes::default(),
            registers: Registers::default(),
            destination_order: DestinationOrder::default(),
            source_order: SourceOrder::default(),
            watches_order: false,
            configuration_order: None,
            vectors: Vectors::default(),
            scheduling: None,
            packers: Packers::default(),
            handed_over: Default::default(),
            given: Default::default(),
            changes: Changes::default(),
        }
    }

    /// Takes an instruction. `false`: the queue is full, and the pushing core waits.
    pub fn push(&mut self, thread: Thread, word: u32, entrance: Entrance, origin: Origin) -> bool {
        self.threads.of_mut(thread).frontend.push(word, entrance, origin)
    }

    /// Whether the thread takes no instruction now.
    #[must_use]
    pub fn is_full(&self, thread: Thread) -> bool {
        self.threads.of(thread).frontend.is_full()
    }

    /// Whether all instructions of a thread have been executed.
    #[must_use]
    pub fn is_empty(&self, thread: Thread) -> bool {
        self.threads.of(thread).frontend.is_empty()
    }

    /// Whether a macro of a thread waits or is being expanded.
    #[must_use]
    pub fn has_macro(&self, thread: Thread) -> bool {
        self.threads.of(thread).frontend.has_macro()
    }

    /// Sets a word of a thread's next macro; `false` if there is no such word.
    ///
    /// # Errors
    /// The expansion of a macro may still read the words (`MOPExpander.md`).
    pub fn set_macro_word<K: Knowledge>(
        &mut self,
        thread: Thread,
        (index, value): (usize, u32),
        knowledge: &mut K,
    ) -> Result<bool, K::Error> {
        let State { frontend, macros_ended, macros_awaited, .. } = self.threads.of_mut(thread);
        let Some(before) = frontend.set_macro_word(index, value) else { return Ok(false) };
        if before == value || !knowledge.watches_order() {
            return Ok(true);
        }
        let is_expanded = !frontend.has_macro()
            && (macros_awaited >= macros_ended || knowledge.knows_issue(thread, *macros_ended));
        match frontend.current_macro() {
            Some(origin) if !is_expanded => {
                let Origin { core, pc, .. } = origin;
                let reason = format!(
                    "the store changes word {index} of the macro, and nothing tells the core that MOP that {} pushed at pc \
                     {pc:#x} has been expanded, which reads the words as it goes on: wait before the store by a store to and \
                     a load from the register that waits for expansions (MOPExpander.md; TTSync.md, \
                     \"MOPExpanderDoneCheck\")",
                    core.name()
                );
                Err(knowledge.broken_by(reason, origin))
            }
            _ => Ok(true),
        }
    }

    /// The core of a thread has waited until the thread's macros were expanded.
    pub fn macros_are_expanded(&mut self, thread: Thread) {
        let state = self.threads.of_mut(thread);
        state.macros_awaited = state.macros_ended;
    }

    /// A general register of a thread.
    #[must_use]
    pub fn register(&self, thread: Thread, number: u32) -> u32 {
        self.threads.of(thread).registers.get(number)
    }

    /// Sets a general register of a thread for its core; `false` if it does not exist.
    pub fn set_register(&mut self, thread: Thread, number: u32, value: u32, by: Origin) -> bool {
        let state = self.threads.of_mut(thread);
        state.register_order.store(number, by);
        state.registers.set(number, value)
    }

    /// The core of a thread has loaded a general register: its stores up to the last one to that register have arrived.
    pub fn register_loaded(&mut self, thread: Thread, number: u32) {
        self.threads.of_mut(thread).register_order.loaded(number);
    }

    /// A configuration word, as cores see both banks one after the other.
    ///
    /// # Errors
    /// No such word exists, or it is not simulated.
    pub fn configuration(&self, number: u32) -> Result<u32, Refusal> {
        let (bank, number) = self.bank_of(number);
        self.configuration.read(bank, number)
    }

    /// A core has loaded a configuration word: its stores up to the last one to that word have reached the configuration.
    pub fn configuration_loaded(&mut self, number: u32, by: Origin) {
        let (bank, number) = self.bank_of(number);
        let bank = self.bank_of_word(bank, number);
        if let Some(order) = &mut self.configuration_order {
            order.loaded(bank, number as u16, by);
        }
    }

    /// The bank in which a word lies, unless both banks share it.
    fn bank_of_word(&self, bank: usize, number: u32) -> Option<usize> {
        (number < self.chip.shared_from.into()).then_some(bank)
    }

    /// Sets a configuration word, as cores see both banks one after the other, for a core.
    ///
    /// # Errors
    /// No such word exists, the value asks for a feature that is not simulated, or the store lacks an order.
    pub fn configure<K: Knowledge>(
        &mut self,
        (number, value): (u32, u32),
        by: Option<Origin>,
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        let (bank, number) = self.bank_of(number);
        self.configuration.write(bank, number, value)?;
        let Some(origin) = by else {
            // No instruction of a thread made these changes.
            self.configuration.forget_changes();
            return Ok(());
        };
        let bank = self.bank_of_word(bank, number);
        self.configuration_changed(Doing::Store { origin }, knowledge)?;
        if let Some(order) = &mut self.configuration_order {
            order.stored(bank, number as u16, origin);
        }
        Ok(())
    }

    /// Tells of the order that changes of the configuration lack.
    fn configuration_changed<K: Knowledge>(
        &mut self,
        by: Doing,
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        if !knowledge.watches_order() {
            self.configuration.forget_changes();
            return Ok(());
        }
        let changes = self.configuration.take_changes();
        if !self.watches_order {
            self.begin_to_watch();
        }
        if changes.is_empty() {
            return Ok(());
        }
        let banks = Thread::ALL.map(|thread| self.configuration.bank_number(thread));
        let chip = self.chip;
        let order =
            self.configuration_order.get_or_insert_with(|| ConfigurationOrder::new(chip).into());
        order.write(by, &changes, banks, knowledge)
    }

    /// Tells of a store to a general register that may arrive behind an instruction that reads the register.
    fn read_registers<K: Knowledge>(
        &self,
        (thread, word, origin): (Thread, u32, Origin),
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        let State { register_order: order, issued, .. } = self.threads.of(thread);
        let by = Issued { word, thread, number: issued.saturating_add(1), origin };
        order.read(&by, knowledge);
        let Some((number, store)) = order.under_way(word, origin, || knowledge.is_strict()) else {
            return Ok(());
        };
        let name = crate::opcodes::name(word).unwrap_or("the instruction");
        let (core, pc) = (store.core.name(), store.pc);
        let reason = format!(
            "{name} reads general register {number}, and nothing orders that with the store of {core} at pc {pc:#x}, \
             which may come later than the push: set the register with SETDMAREG instead, push STALLWAIT \
             (p_stall::TRISC_CFG, with a block mask that holds back {name}) in between, or load the register back before \
             the push (ScalarUnit.md, \"RISCV access to GPRs\")"
        );
        Err(knowledge.broken_by(reason, store))
    }

    /// Tells of the order that an instruction lacks to the configuration that it reads.
    fn use_configuration<K: Knowledge>(
        &mut self,
        (thread, word, origin, units): (Thread, u32, Origin, Units),
        after_nop: bool,
        knowledge: &mut K,
    ) -> Result<(), K::Error> {
        let readers = match word >> 24 {
            opcode::UNPACR => {
                let second = bit(word, 23);
                let [table_a, table_b] = &self.chip.unpackers;
                let field = if second { table_b.context } else { table_a.context };
                let context = (bits(word, 10, 3) + self.configuration.of_thread(thread, field)) % 8;
                if context >= CONTEXTS {
                    return Ok(());
                }
                Readers::unpacker(second.into(), context as usize)
            }
            opcode::PACR => Readers::of(units),
            opcode if matrix::reads_configuration(opcode) => Readers::of(units),
            opcode if vector::reads_configuration(opcode) => Readers::of(units),
            _ => return Ok(()),
        };
        let (chip, number) = (self.chip, self.threads.of(thread).issued.saturating_add(1));
        let bank = self.configuration.bank_number(thread);
        let order =
            self.configuration_order.get_or_insert_with(|| ConfigurationOrder::new(chip).into());
        let by = Issued { word, thread, number, origin };
        let reading = Reading { by, readers, bank, after_nop };
        order.read(&reading, knowledge)
    }

    fn bank_of(&self, number: u32) -> (usize, u32) {
        let words = u32::from(self.chip.bank_words);
        match number.checked_sub(words) {
            Some(number) => (1, number),
            None => (0, number),
        }
    }

    /// The value of a semaphore.
    #[must_use]
    pub fn semaphore(&self, number: usize) -> Option<u8> {
        self.semaphores.value(number)
    }

    /// A core adds 1 to a semaphore.
    ///
    /// # Errors
    /// The semaphore is at its largest value.
    pub fn post(&mut self, number: usize) -> Result<(), AtItsEnd> {
        self.semaphores.post(number)?;
        self.changes = Changes { instructions: true, semaphores: true };
        self.release_waits();
        Ok(())
    }

    /// A core takes 1 from a semaphore.
    ///
    /// # Errors
    /// The semaphore is at 0.
    pub fn get(&mut self, number: usize) -> Result<(), AtItsEnd> {
        self.semaphores.get(number)?;
        self.changes = Changes { instructions: true, semaphores: true };
        self.release_waits();
        Ok(())
    }

    /// What happened since the last call.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// The instruction of a thread that waits.
    #[must_use]
    pub fn waiting(&self, thread: Thread) -> Option<Waiting> {
        self.threads.of(thread).waiting
    }

    /// Who pushed the instruction of a thread that was looked at last.
    #[must_use]
    pub fn origin(&self, thread: Thread) -> Option<Origin> {
        self.threads.of(thread).origin
    }

    /// How many instructions a thread has issued.
    #[must_use]
    pub fn issued(&self, thread: Thread) -> u64 {
        self.threads.of(thread).issued
    }

    /// The number of a thread's last instruction in a unit.
    #[must_use]
    pub fn last_in(&self, thread: Thread, unit: Unit) -> u64 {
        self.threads.of(thread).last_in.get(unit.index()).copied().unwrap_or(0)
    }

    /// Whatever the coprocessor does from now on comes after all that it did.
    pub fn comes_to_rest(&mut self) {
        for thread in Thread::ALL {
            let state = self.threads.of_mut(thread);
            state.register_order = RegisterOrder::default();
            state.flips = BankFlips::default();
        }
        Thread::ALL.into_iter().for_each(|thread| self.macros_are_expanded(thread));
        self.destination_order.forget();
        self.source_order.forget();
        if let Some(order) = &mut self.configuration_order {
            order.forget();
        }
    }

    /// Somebody wants to know of the order from now on. What was done before is over.
    fn begin_to_watch(&mut self) {
        self.watches_order = true;
        let Registers { source_a, source_b, destination, .. } = &mut self.registers;
        destination.take_touched();
        source_a.take_written();
        source_b.take_written();
        for thread in Thread::ALL {
            let state = self.threads.of_mut(thread);
            state.slow_in_matrix = 0;
            state.last_of_vector = None;
        }
        self.comes_to_rest();
    }

    /// Whether the thread's last instruction gave the matrix unit a bank, or is an `UNPACR_NOP` behind such a one. On the chip
    /// the bank is the matrix unit's only when the unpacker has read L1, which takes longer than the thread's next
    /// instructions: the vendor's low-level kernels clear SrcB and give it by `UNPACR_NOP`s behind the `UNPACR` of SrcA, and the
    /// math thread waits for SrcA alone.
    #[must_use]
    pub fn gave_a_bank(&self, thread: Thread) -> bool {
        self.threads.of(thread).gave > 0
    }

    /// The thread that waits for a bank that the thread's last instruction gave back. On the chip its instruction goes on at
    /// once: the vendor's low-level kernels clear and give SrcB behind such a wait, and the math thread, which has a filled bank of
    /// SrcA already, does not wait for that.
    #[must_use]
    pub fn let_go_by(&self, thread: Thread) -> Option<Thread> {
        let [source_a, source_b] = self.threads.of(thread).gave_back;
        let awaited = |waiting: Waiting| match waiting.wait {
            Wait::SourceEmpty(Source::A) => source_a,
            Wait::SourceEmpty(Source::B) => source_b,
            _ => false,
        };
        Thread::ALL.into_iter().find(|other| self.threads.of(*other).waiting.is_some_and(awaited))
    }

    /// The core of a thread enters reset.
    pub fn reset(&mut self, thread: Thread) {
        self.threads.of_mut(thread).frontend.reset();
    }

    /// Issues a thread's next instruction, if it can be issued.
    ///
    /// # Errors
    /// The instruction breaks a rule, or it is not simulated.
    pub fn step<S: Surroundings>(
        &mut self,
        thread: Thread,
        surroundings: &mut S,
    ) -> Result<Step, S::Error> {
        let state = self.threads.of_mut(thread);
        state.waiting = None;
        let head = match state.frontend.head() {
            Ok(head) => head,
            Err((refusal, origin)) => {
                state.origin = Some(origin);
                return Err(refusal.into());
            }
        };
        if state.frontend.take_ended_macro() {
            state.macros_ended = state.issued;
        }
        let Some(Instruction { word, origin }) = head else { return Ok(Step::Idle) };
        state.origin = Some(origin);
        if !self.watches_order && surroundings.watches_order() {
            self.begin_to_watch();
        }
        let state = self.threads.of_mut(thread);
        let number = state.issued.saturating_add(1);
        let nops = state.frontend.take_nops();
        state.nops = state.nops.saturating_add(nops.into());
        surroundings.executes(origin, number);
        if nops > 0 {
            self.threads.of_mut(thread).behind_nop = number;
            self.let_vector_unit_go_on(thread)?;
        }
        let latched = self.threads.of(thread).latched;
        if let Some(latched) = latched.filter(|latched| latched.holds_back(word)) {
            if !latched.is_met
                && let Some(wait) = self.still_waits(latched.word)?
            {
                let Latched { word, origin, .. } = latched;
                return Ok(self.wait(thread, Waiting { word, origin, wait }));
            }
            self.threads.of_mut(thread).latched = None;
            self.has_waited(thread, &latched, surroundings);
        }
        if self.watches_order {
            self.read_registers((thread, word, origin), surroundings)?;
        }
        let before = looks_at_banks(word).then(|| self.banks());
        let wait = self.execute(thread, Instruction { word, origin }, surroundings)?;
        let banks = before.map(|before| (before, self.banks()));
        self.changes.instructions |= banks.is_some_and(|(before, after)| before != after);
        if let Some(wait) = wait {
            return Ok(self.wait(thread, Waiting { word, origin, wait }));
        }
        if self.configuration.has_changes() {
            let by = Doing::Instruction(Issued { word, thread, number, origin });
            self.configuration_changed(by, surroundings)?;
        }
        let units = self.units_of(word);
        if !units.is_empty() {
            let last_in = &mut self.threads.of_mut(thread).last_in;
            for unit in units.iter() {
                if let Some(last) = last_in.get_mut(unit.index()) {
                    *last = number;
                }
            }
            if self.watches_order {
                let is_behind_nop = self.threads.of(thread).behind_nop == number;
                self.use_configuration((thread, word, origin, units), is_behind_nop, surroundings)?;
                let by = |this: &Self| this.used_by((thread, word, origin, units));
                self.use_destination(by, surroundings)?;
                self.note_units((thread, word, origin, units), surroundings);
            }
        }
        let mut given = (false, [false; 2]);
        if let Some((before, after)) = banks {
            let by = Instruction { word, origin };
            self.take_banks((thread, by), awaited_banks(word), before, surroundings);
            if self.watches_order {
                self.write_sources((thread, word, origin, units), before, surroundings)?;
            }
            if before != after {
                given =
                    self.give_banks((thread, word, origin, units), before, after, surroundings)?;
            }
        }
        let (gave, gave_back) = given;
        if gave_back != [false; 2] {
            let by = self.used_by((thread, word, origin, units));
            let flips = &mut self.threads.of_mut(thread).flips;
            let sources = [Source::A, Source::B].into_iter().zip(gave_back);
            sources.filter(|one| one.1).for_each(|(source, _)| flips.gives_back(source, by));
        }
        let state = self.threads.of_mut(thread);
        state.gave_back = gave_back;
        state.gave = match word >> 24 {
            _ if gave => LIKEWISE,
            opcode::UNPACR_NOP => state.gave.saturating_sub(1),
            _ => 0,
        };
        state.issued = number;
        state.frontend.issued();
        if self.changes.instructions {
            self.release_waits();
        }
        Ok(Step::Issued)
    }

    fn wait(&mut self, thread: Thread, waiting: Waiting) -> Step {
        let state = self.threads.of_mut(thread);
        state.gave = 0;
        state.gave_back = [false; 2];
        state.waiting = Some(waiting);
        Step::Waits
    }

    /// A latched wait is over as soon as its conditions are met, even if they are not when the next instruction comes that
    /// it would hold back.
    fn release_waits(&mut self) {
        for thread in Thread::ALL {
            let Some(latched) = self.threads.of(thread).latched else { continue };
            if !latched.is_met && matches!(self.still_waits(latched.word), Ok(None)) {
                self.threads.of_mut(thread).latched = Some(Latched { is_met: true, ..latched });
            }
        }
    }

    /// The units in which an instruction works on after it was issued.
    fn units_of(&self, word: u32) -> Units {
        match word >> 24 {
            opcode::FIRST_OF_MATRIX..=opcode::LAST_OF_MATRIX => Units::of(Unit::Matrix),
            opcode::FIRST_OF_VECTOR..=opcode::LAST_OF_VECTOR => Units::of(Unit::Vector),
            opcode::UNPACR | opcode::UNPACR_NOP => {
                Units::of(Unit::Unpacker(bits(word, 23, 1) as u8))
            }
            opcode::PACR if self.chip.packers.len() > 1 => Units::packers(bits(word, 8, 4)),
            opcode::PACR => Units::of(Unit::Packer(0)),
            _ => Units::default(),
        }
    }

    /// Tells of the uses of Dst that an instruction must come after, if it has used some.
    #[inline]
    fn use_destination<S: Surroundings>(
        &mut self,
        by: impl FnOnce(&Self) -> Use,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let touched = self.registers.destination.take_touched();
        if touched.is_none() {
            return Ok(());
        }
        let by = by(self);
        self.destination_order.use_parts(by, touched, |overlap| surroundings.comes_after(overlap))
    }

    /// Takes note of an instruction of the matrix unit or of the vector unit. What the matrix unit writes in the next cycle is
    /// written when the thread issues the next instruction, unless a slower one comes before it in the unit.
    fn note_units<S: Surroundings>(
        &mut self,
        (thread, word, origin, units): (Thread, u32, Origin, Units),
        surroundings: &mut S,
    ) {
        let state = self.threads.of_mut(thread);
        let number = state.issued.saturating_add(1);
        if units == Units::of(Unit::Vector) {
            state.last_of_vector = Some((word, origin));
        } else if units == Units::of(Unit::Matrix) {
            match matrix::written(word) {
                matrix::Written::Nothing => {}
                matrix::Written::AtOnce if state.slow_in_matrix == 0 => {
                    surroundings.finished(Unit::Matrix, thread, number, None);
                }
                matrix::Written::AtOnce => {}
                matrix::Written::Later => state.slow_in_matrix = number,
            }
        }
    }

    /// The instruction that is executed.
    fn used_by(&self, (thread, word, origin, units): (Thread, u32, Origin, Units)) -> Use {
        let state = self.threads.of(thread);
        let number = state.issued.saturating_add(1);
        let position = number.saturating_add(state.nops);
        Use { word, thread, number, position, origin, units, writes: false }
    }

    /// Tells of the writes of a source's bank that an instruction's own write must come after.
    fn write_sources<S: Surroundings>(
        &mut self,
        instruction: (Thread, u32, Origin, Units),
        [a, b]: [Banks; 2],
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        let written = [
            (Source::A, a, self.registers.source_a.take_written()),
            (Source::B, b, self.registers.source_b.take_written()),
        ];
        for (source, Banks { valid, .. }, rows) in written {
            for ((second_bank, rows), is_valid) in [false, true].into_iter().zip(rows).zip(valid) {
                if rows != 0 {
                    let by = Use { writes: true, ..self.used_by(instruction) };
                    let written = Written { source, second_bank, is_valid, rows };
                    let flip = self.threads.of_mut(by.thread).flips.waited_through(source);
                    let order = &mut self.source_order;
                    order.write(by, written, |overlap| match (overlap.hazard, flip) {
                        (Hazard::Bank(source), Some(Use { word: flip, origin, .. }))
                            if by.units == Units::of(Unit::Matrix) =>
                        {
                            let hazard = Hazard::BankBeforeFlip { source, flip, origin };
                            surroundings.comes_after(&Overlap { hazard, ..overlap.clone() })
                        }
                        _ => surroundings.comes_after(overlap),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Tells for what a thread has waited.
    fn has_waited<S: Surroundings>(
        &mut self,
        thread: Thread,
        latched: &Latched,
        surroundings: &mut S,
    ) {
        if latched.word >> 24 == opcode::SEMWAIT {
            semaphores_of(latched.word)
                .for_each(|number| surroundings.takes(Handover::Semaphore(number)));
            return;
        }
        let Latched { word, origin, .. } = *latched;
        let wait = Instruction { word, origin };
        let mut tells_of_stores = false;
        let mut banks = [false; BANK_HANDOVERS.len()];
        let matrix_unit = Some(Condition::Finished(Some(Unit::Matrix)));
        if conditions_of(self.chip, latched.word).any(|condition| condition == matrix_unit) {
            self.threads.of_mut(thread).flips.end(latched.number);
        }
        for condition in conditions_of(self.chip, latched.word).flatten() {
            let handover = match condition {
                Condition::Finished(None) => continue,
                Condition::Processed => {
                    let told = surroundings.asks_for_waits().then_some(wait);
                    let registers = &mut self.threads.of_mut(thread).register_order;
                    tells_of_stores |= registers.arrived(origin.retired, told);
                    if let Some(order) = &mut self.configuration_order {
                        tells_of_stores |= order.processed(origin, told);
                    }
                    continue;
                }
                Condition::Finished(Some(unit)) => {
                    let last = self.last_in(thread, unit).min(latched.number);
                    surroundings.finished(unit, thread, last, Some(wait));
                    let state = self.threads.of_mut(thread);
                    if unit == Unit::Matrix && state.slow_in_matrix <= last {
                        state.slow_in_matrix = 0;
                    }
                    continue;
                }
                Condition::Valid(source) => {
                    let flips = &mut self.threads.of_mut(thread).flips;
                    let is_over =
                        |flip: &Use| surroundings.has_heard_of_end(Unit::Matrix, &flip.issued());
                    if !flips.wait(source, is_over) {
                        continue;
                    }
                    Handover::Filled(source)
                }
                Condition::Cleared(source) => Handover::Emptied(source),
            };
            for (bank, waited) in BANK_HANDOVERS.into_iter().zip(&mut banks) {
                *waited |= bank == handover;
            }
        }
        if self.watches_order {
            surroundings.waited(wait, tells_of_stores);
        }
        self.take_banks((thread, wait), banks, self.banks(), surroundings);
    }

    /// Tells of the banks for which a thread has waited; what the matrix unit waits for is in the banks that it had before.
    fn take_banks<S: Surroundings>(
        &mut self,
        (thread, wait): (Thread, Instruction),
        waited: [bool; BANK_HANDOVERS.len()],
        before: [Banks; 2],
        surroundings: &mut S,
    ) {
        if !self.watches_order || !waited.contains(&true) {
            return;
        }
        let State { taken, known_givers: [known_of_a, known_of_b], flips, .. } =
            self.threads.of_mut(thread);
        let banks = BANK_HANDOVERS.into_iter().zip(waited).zip(taken).zip(self.handed_over);
        for (((bank, waited), taken), given) in banks {
            if !waited {
                continue;
            }
            if *taken != given {
                *taken = given;
                surroundings.takes(bank);
            }
            // A second bank may have been filled before the first was looked at.
            if let Handover::Filled(source) = bank {
                flips.take(source);
                let [a, b] = before;
                let [of_a, of_b] = self.given;
                let (banks, given, known) = match source {
                    Source::A => (a, of_a, &mut *known_of_a),
                    Source::B => (b, of_b, &mut *known_of_b),
                };
                let bank = banks.matrix as usize;
                let is_valid = banks.valid.get(bank).is_some_and(|valid| *valid);
                let given = given.get(bank).copied().flatten().filter(|_| is_valid);
                if let (Some((giver, number)), Some(known)) = (given, known.get_mut(bank))
                    && known.replace((giver, number)) != Some((giver, number))
                {
                    surroundings.finished(Unit::that_fills(source), giver, number, Some(wait));
                }
            }
        }
    }

    /// Tells of the banks that an instruction has handed over. Gives whether the matrix unit got a bank, and for SrcA and SrcB
    /// whether the unpacker did.
    fn give_banks<S: Surroundings>(
        &mut self,
        instruction: (Thread, u32, Origin, Units),
        [a, b]: [Banks; 2],
        [a_after, b_after]: [Banks; 2],
        surroundings: &mut S,
    ) -> Result<(bool, [bool; 2]), S::Error> {
        let filled = [a.unpacker != a_after.unpacker, b.unpacker != b_after.unpacker];
        let emptied = [a.matrix != a_after.matrix, b.matrix != b_after.matrix];
        let by = self.used_by(instruction);
        let [.., of_a, of_b] = self.threads.of(by.thread).taken;
        let sources = [(Source::A, a, of_a), (Source::B, b, of_b)];
        for ((filled, (source, banks, known)), given) in
            filled.into_iter().zip(sources).zip(&mut self.given)
        {
            let [first, second] = given;
            if filled {
                let place = (source, banks.unpacker == Bank::Second);
                let after = |overlap: &_| surroundings.comes_after(overlap);
                if self.watches_order {
                    self.source_order.give(by, place, known, after)?;
                }
                let bank = if banks.unpacker == Bank::First { first } else { second };
                // SETDVALID does not go through the unpacker.
                *bank = (by.word >> 24 != opcode::SETDVALID).then_some((by.thread, by.number));
            }
        }
        let gives = filled.into_iter().chain(emptied);
        for ((bank, given), gives) in
            BANK_HANDOVERS.into_iter().zip(&mut self.handed_over).zip(gives)
        {
            if gives {
                *given = given.wrapping_add(1);
                surroundings.posts(bank);
            }
        }
        let [.., of_a, of_b] = self.handed_over;
        let sources = [(Source::A, a, of_a), (Source::B, b, of_b)];
        if !self.watches_order || emptied == [false; 2] {
            return Ok((filled.contains(&true), emptied));
        }
        // No page bounds the time that an unpacker takes to give a bank without data. One that follows a bank for which the
        // thread has waited counts as given, unless the checks are strict.
        let [known_of_a, known_of_b] = self.threads.of(by.thread).known_givers;
        let [given_of_a, given_of_b] = self.given;
        let givers = [(given_of_a, known_of_a), (given_of_b, known_of_b)];
        let has_waited = emptied.into_iter().zip(sources).zip(givers).any(
            |((emptied, (_, banks, _)), (given, known))| {
                let bank = banks.matrix as usize;
                emptied
                    && given.get(bank).is_some_and(|by| by.is_some() && known.get(bank) == Some(by))
            },
        );
        let known = known_of_a.into_iter().chain(known_of_b).flatten();
        for (_, (source, banks, count)) in emptied.into_iter().zip(sources).filter(|one| one.0) {
            let place = (source, banks.matrix == Bank::Second);
            self.source_order.empty(by, place, count, |overlap| {
                let Use { thread, number, .. } = overlap.earlier;
                let mut known = known.clone();
                let is_earlier = known.any(|known| known.0 == thread && known.1 > number);
                if (has_waited || is_earlier) && !surroundings.is_strict() {
                    return Ok(());
                }
                surroundings.comes_after(overlap)
            })?;
        }
        Ok((filled.contains(&true), emptied))
    }

    /// The banks of both sources.
    fn banks(&self) -> [Banks; 2] {
        [&self.registers.source_a, &self.registers.source_b].map(|source| Banks {
            valid: [Bank::First, Bank::Second].map(|bank| source.is_valid(bank)),
            matrix: source.matrix_bank(),
            unpacker: source.unpacker_bank(),
        })
    }

    /// Executes an instruction, unless it has to wait.
    fn execute<S: Surroundings>(
        &mut self,
        thread: Thread,
        instruction: Instruction,
        surroundings: &mut S,
    ) -> Result<Option<Wait>, S::Error> {
        let word = instruction.word;
        let opcode = word >> 24;
        self.check(word)?;
        if !self.chip.computes() && opcode != opcode::SEMINIT {
            return Ok(None);
        }
        let is_vector = (opcode::FIRST_OF_VECTOR..=opcode::LAST_OF_VECTOR).contains(&opcode);
        if !is_vector {
            self.let_vector_unit_go_on(thread)?;
            // What the vector unit does now belongs to its own instruction.
            let last = self.threads.of(thread).last_of_vector;
            if let Some((word, origin)) = last.filter(|_| self.watches_order) {
                let by = |this: &Self| {
                    let by = this.used_by((thread, word, origin, Units::of(Unit::Vector)));
                    Use { number: this.last_in(thread, Unit::Vector), ..by }
                };
                self.use_destination(by, surroundings)?;
            }
        }
        let state = self.threads.of_mut(thread);
        match opcode {
            opcode::UNPACR | opcode::UNPACR_NOP | opcode::SETDVALID => {
                let mut unpackers = Unpackers {
                    chip: self.chip,
                    configuration: &self.configuration,
                    counters: &mut state.counters,
                    registers: &mut self.registers,
                    thread,
                };
                return match opcode {
                    opcode::UNPACR => unpackers.unpack(word, surroundings),
                    opcode::UNPACR_NOP => Ok(unpackers.clear_or_give(word)?),
                    _ => Ok(unpackers.set_valid(word).map(|()| None)?),
                };
            }
            opcode::PACR => {
                let mut packing = Packing {
                    chip: self.chip,
                    configuration: &self.configuration,
                    counters: &mut state.counters,
                    destination: &self.registers.destination,
                    packers: &mut self.packers,
                    thread,
                };
                packing.pack(word, surroundings)?;
            }
            opcode::SETDMAREG
            | opcode::REG2FLOP
            | opcode::ADDDMAREG
            | opcode::MULDMAREG
            | opcode::DMANOP
            | opcode::STOREREG => scalar::execute(
                word,
                thread,
                &mut state.registers,
                &mut self.configuration,
                self.chip,
                surroundings,
            )?,
            opcode::SETADC..=opcode::ADDRCRZW | opcode::SETADCXX => state.counters.execute(word)?,
            opcode::ATGETM..=opcode::SEMWAIT => {
                return Ok(self.synchronize(thread, instruction, surroundings)?);
            }
            opcode::WRCFG..=opcode::RMWCIB3 | opcode::CFGSHIFTMASK => {
                self.configure_by(thread, word)?
            }
            opcode::FIRST_OF_VECTOR..=opcode::LAST_OF_VECTOR => self.compute_lanes(thread, word)?,
            _ => return Ok(self.compute(thread, word)?),
        }
        Ok(None)
    }

    /// The opcode is one of this chip's, and bits that belong to no operand are 0.
    fn check(&self, word: u32) -> Result<(), Refusal> {
        let Some(operands) = self.chip.operands_of(word) else {
            let opcode = word >> 24;
            return Err(match crate::opcodes::name(word) {
                Some("NOP") => {
                    Refusal::undefined(word, "NOP has no operands, and these bits are not 0")
                }
                Some("MOP" | "MOP_CFG" | "REPLAY") => Refusal::undefined(
                    word,
                    "it comes from a macro, a recording or BRISC, behind the unit that would take it",
                ),
                Some(_) if self.chip.lacks.contains(&(opcode as u8)) => {
                    Refusal::undefined(word, "another chip has it, and this one lacks it")
                }
                Some(_) => Refusal::unimplemented(word, "it is not simulated"),
                None => {
                    Refusal::undefined(word, format!("no instruction has the opcode {opcode:#04x}"))
                }
            });
        };
        let others = word & 0xFF_FFFF & !operands;
        if others != 0 {
            return Err(Refusal::undefined(
                word,
                format!("the bits {others:#x} belong to no operand"),
            ));
        }
        Ok(())
    }

    /// An instruction of the matrix unit.
    fn compute(&mut self, thread: Thread, word: u32) -> Result<Option<Wait>, Refusal> {
        let state = self.threads.of_mut(thread);
        let kept = &mut state.settings;
        let settings = UnitSettings::current(kept, self.chip, &self.configuration, thread);
        match matrix::execute(word, &mut self.registers, &mut state.rows, &settings.matrix) {
            Some(Ok(Executed::Done)) => Ok(None),
            Some(Ok(Executed::Waits { source_a, .. })) => {
                Ok(Some(Wait::SourceFull(Source::of(!source_a))))
            }
            Some(Err(refusal)) => Err(refusal),
            None => {
                Err(Refusal::unimplemented(word, "the unit that executes it is not simulated yet"))
            }
        }
    }

    /// The vector unit goes on while its thread issues instructions of other units.
    fn let_vector_unit_go_on(&mut self, thread: Thread) -> Result<(), Refusal> {
        if !self.vectors.is_busy() || self.scheduling != Some(thread) {
            return Ok(());
        }
        let state = self.threads.of_mut(thread);
        let kept = &mut state.settings;
        let settings = UnitSettings::current(kept, self.chip, &self.configuration, thread);
        let destination = &mut self.registers.destination;
        vector::elapse(&mut self.vectors, destination, &mut state.rows, &settings.vector)
    }

    /// An instruction of the vector unit.
    fn compute_lanes(&mut self, thread: Thread, word: u32) -> Result<(), Refusal> {
        if self.scheduling != Some(thread) {
            // What another thread left late is a cycle ago.
            self.vectors.late = None;
            self.scheduling = Some(thread);
        }
        if let Some(seed) = self.configuration.take_random_seed() {
            self.vectors.seed(seed);
        }
        let state = self.threads.of_mut(thread);
        let kept = &mut state.settings;
        let settings = UnitSettings::current(kept, self.chip, &self.configuration, thread);
        let destination = &mut self.registers.destination;
        vector::execute(word, &mut self.vectors, destination, &mut state.rows, &settings.vector)
    }

    /// An instruction of the synchronization unit.
    fn synchronize<S: Surroundings>(
        &mut self,
        thread: Thread,
        instruction: Instruction,
        surroundings: &mut S,
    ) -> Result<Option<Wait>, Refusal> {
        let mutexes = self.chip.mutexes;
        let Instruction { word, origin } = instruction;
        let named = semaphores_of(word);
        match word >> 24 {
            opcode::ATGETM => {
                let wait = self.mutexes.acquire(word, thread, mutexes)?;
                if wait.is_none() {
                    surroundings.takes(Handover::Mutex(bits(word, 0, 16) as u8));
                }
                return Ok(wait);
            }
            opcode::STALLWAIT | opcode::SEMWAIT => {
                let is_met = self.still_waits(word)?.is_none();
                let state = self.threads.of_mut(thread);
                let number = state.issued.saturating_add(1);
                state.latched = Some(Latched { word, origin, number, is_met });
                return Ok(None);
            }
            opcode::ATRELM => {
                self.mutexes.release(word, thread, mutexes)?;
                surroundings.posts(Handover::Mutex(bits(word, 0, 16) as u8));
                self.changes.instructions = true;
                return Ok(None);
            }
            opcode::SEMINIT => {
                self.semaphores.initialize(word)?;
                named.for_each(|number| surroundings.posts(Handover::Semaphore(number)));
            }
            opcode::SEMPOST => {
                self.semaphores.post_by(word)?;
                named.for_each(|number| surroundings.posts(Handover::Semaphore(number)));
            }
            opcode::SEMGET => {
                self.semaphores.get_by(word)?;
                // Who waits until the semaphore is below its maximum comes after what its taker did before.
                named.for_each(|number| {
                    surroundings.takes(Handover::Semaphore(number));
                    surroundings.posts(Handover::Semaphore(number));
                });
            }
            _ => return Err(Refusal::unimplemented(word, "it is not simulated yet")),
        }
        self.changes = Changes { instructions: true, semaphores: true };
        Ok(None)
    }

    /// What a STALLWAIT or SEMWAIT still waits for.
    fn still_waits(&self, word: u32) -> Result<Option<Wait>, Refusal> {
        if word >> 24 == opcode::SEMWAIT {
            return self.semaphores.wait(word);
        }
        let (conditions, blocked) = (bits(word, 0, 15), bits(word, 15, 9));
        if conditions == 0 || blocked == 0 {
            return Err(Refusal::unsupported(word, "it blocks nothing, or waits for nothing"));
        }
        for (number, condition) in (0..15).zip(conditions_of(self.chip, word)) {
            let wait = match condition {
                None if !bit(conditions, number) => None,
                Some(Condition::Finished(_) | Condition::Processed) => None,
                Some(Condition::Cleared(source)) => {
                    let banks = self.source(source);
                    banks.is_valid(banks.unpacker_bank()).then_some(Wait::SourceEmpty(source))
                }
                Some(Condition::Valid(source)) => {
                    let banks = self.source(source);
                    (!banks.is_valid(banks.matrix_bank())).then_some(Wait::SourceFull(source))
                }
                None => {
                    let reason = format!("condition {number} is not simulated");
                    return Err(Refusal::unimplemented(word, reason));
                }
            };
            if wait.is_some() {
                return Ok(wait);
            }
        }
        Ok(None)
    }

    const fn source(&self, source: Source) -> &crate::registers::Source {
        match source {
            Source::A => &self.registers.source_a,
            Source::B => &self.registers.source_b,
        }
    }

    /// An instruction of the configuration unit.
    fn configure_by(&mut self, thread: Thread, word: u32) -> Result<(), Refusal> {
        let configuration = &mut self.configuration;
        let registers = &mut self.threads.of_mut(thread).registers;
        let bank = configuration.bank_number(thread);
        let (number, register) = (bits(word, 0, 11), bits(word, 16, 6));
        match word >> 24 {
            opcode::WRCFG if bit(word, 15) => {
                if !number.is_multiple_of(4) || !register.is_multiple_of(4) {
                    let reason =
                        "four words, from a word or a register that is not a multiple of 4";
                    return Err(Refusal::non_contractual(word, reason));
                }
                for index in 0..4 {
                    let value = registers.get(register + index);
                    let written = configuration.write(bank, number + index, value);
                    written.map_err(|refusal| refusal.by(word))?;
                }
                Ok(())
            }
            opcode::WRCFG => configuration
                .write(bank, number, registers.get(register))
                .map_err(|refusal| refusal.by(word)),
            opcode::RDCFG => {
                let value = configuration.read(bank, number);
                registers.set(register, value.map_err(|refusal| refusal.by(word))?);
                Ok(())
            }
            opcode::SETC16 => configuration
                .set_thread_word(thread, bits(word, 16, 8) as u8, bits(word, 0, 16) as u16)
                .map_err(|refusal| refusal.by(word)),
            opcode @ opcode::RMWCIB0..=opcode::RMWCIB3 => {
                let shift = (opcode - opcode::RMWCIB0) * 8;
                let number = bits(word, 0, 8);
                let (value, mask) = (bits(word, 8, 8) << shift, bits(word, 16, 8) << shift);
                let held = configuration.read(bank, number);
                let held = held.map_err(|refusal| refusal.by(word))?;
                configuration
                    .write_bits(bank, number, (held & !mask | value & mask, mask))
                    .map_err(|refusal| refusal.by(word))
            }
            opcode::CFGSHIFTMASK => {
                let (number, scratch) = (bits(word, 0, 8), bits(word, 8, 2));
                // No shift, a mask of 32 bits, a sum with the whole old value.
                if bits(word, 10, 14) != 31 << 5 | 3 << 10 | 1 << 13 {
                    let reason = "an operation other than the sum of two whole words";
                    return Err(Refusal::unsupported(word, reason));
                }
                let own = thread.index() as u32;
                let scratch = if scratch == 3 { own } else { scratch };
                let scratch =
                    self.chip.scratch.and_then(|words| words.get(scratch as usize).copied());
                let Some(scratch) = scratch else {
                    return Err(Refusal::unsupported(word, "the chip lacks it"));
                };
                let added = configuration.read(bank, scratch.into());
                let held = configuration.read(bank, number);
                let sum = added.and_then(|added| Ok(held?.wrapping_add(added)));
                let written = sum.and_then(|sum| configuration.write(bank, number, sum));
                written.map_err(|refusal| refusal.by(word))
            }
            _ => Err(Refusal::new(
                FaultCategory::UnimplementedFunctionality,
                "the configuration unit lacks it",
            )
            .by(word)),
        }
    }
}

/// Whether an instruction may wait for a bank or hand one over.
const fn looks_at_banks(word: u32) -> bool {
    matches!(
        word >> 24,
        opcode::UNPACR | opcode::UNPACR_NOP | opcode::SETDVALID | opcode::FIRST_OF_MATRIX
            ..=opcode::LAST_OF_MATRIX
    )
}

/// For which banks an instruction has waited, as [`BANK_HANDOVERS`] has them.
const fn awaited_banks(word: u32) -> [bool; BANK_HANDOVERS.len()] {
    let [of_a, of_b] = matrix::sources_of(word);
    let [to_a, to_b] = match word >> 24 {
        opcode::UNPACR => [!bit(word, 23), bit(word, 23)],
        opcode::UNPACR_NOP if unpacker::clears(word) => [!bit(word, 23), bit(word, 23)],
        _ => [false; 2],
    };
    [of_a, of_b, to_a, to_b]
}

/// The semaphores that an instruction names.
fn semaphores_of(word: u32) -> impl Iterator<Item = u8> {
    let mask = bits(word, 2, 8);
    (0..8).filter(move |number| mask >> number & 1 == 1)
}

/// The conditions that a STALLWAIT names, by bit.
fn conditions_of(chip: &Chip, word: u32) -> impl Iterator<Item = Option<Condition>> {
    let conditions = bits(word, 0, 15);
    (0..15).map(move |number| {
        let condition = chip.conditions.get(number as usize).copied().flatten();
        condition.filter(|_| bit(conditions, number))
    })
}

/// What the matrix unit reads of the configuration.
fn settings(chip: &'static Chip, configuration: &Configuration, thread: Thread) -> Settings {
    let view = configuration.view(thread);
    let of_thread = |field| configuration.of_thread(thread, field);
    let (alu, words) = (&chip.alu, &chip.thread);
    let [source_a, source_b] = alu.source.map(|field| Format::from_code(view.get(field)));
    let [keeps_source_a, keeps_source_b] = words.keep_valid.map(|field| of_thread(field) != 0);
    let [implied_a, implied_b] = match words.explicit_formats {
        Some(fields) => fields.map(|field| of_thread(field) == 0),
        None => [false; 2],
    };
    let overrides = view.is_set(alu.source_a_override);
    Settings {
        source_a,
        source_a_override: overrides.then(|| Format::from_code(view.get(alu.source_a_value))),
        source_b,
        wide: view.is_set(alu.fp32),
        integers: view.is_set(alu.int8),
        keeps_denormals: view.is_set(alu.zero_flag_disabled),
        destination_offset: of_thread(words.dst_offset),
        fidelity_base: of_thread(words.fidelity),
        keeps_source_a,
        keeps_source_b,
        modifiers: words.modifiers.map(|numbers| {
            let [ab, dst, bias] = numbers.map(|number| configuration.thread_word(thread, number));
            AddressModifier::from_words(ab.into(), dst.into(), bias.into())
        }),
        second_modifiers: words.upper_modifiers.is_some_and(|field| of_thread(field) != 0),
        implied_a,
        implied_b,
        absolute_tiles: chip.absolute_tiles.is_some_and(|field| view.is_set(field)),
        ..Settings::zero(chip.matrix)
    }
}
