//! Running one core of a tile for a slice of time, and noticing that it can do nothing but wait.

use hallmark_chip::{ChipDescription, Fault, Processor, Tick, TileAddress, Waiting};

use super::{Surroundings, Tile};
use crate::machine::coordinates::Coordinates;
use crate::machine::core::execute::{Exit, RegisterLoad, RegisterStore, execute};
use crate::machine::core::{Core, State, Wait, decode};
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{CoreOrigin, Origin, Violation};
use crate::machine::launches::{ByMessage, Caller};
use crate::machine::memory::Taint;
use crate::machine::noc::{Network, Ports};
use crate::machine::observer::{CoreAt, Effect, Instruction, InstructionObserver};

/// Instructions that a look for a parked loop follows at most; a loop that waits is shorter. What it
/// takes beyond the slice is taken from the core's next ones.
pub(crate) const LOOK: u32 = 256;
/// Registers of the calling convention.
const RETURN_ADDRESS: usize = 1;
const FIRST_ARGUMENT: usize = 10;
/// Slices between two such looks at a core that keeps busy, at most.
const LONGEST_PATIENCE: u32 = 64;

/// What all cores of a slice share.
pub(crate) struct Slice<'a, O> {
    pub(crate) description: &'static ChipDescription,
    pub(crate) coordinates: &'a Coordinates,
    pub(crate) network: &'a mut Network,
    pub(crate) observers: &'a mut O,
    /// The tick at which the slice began.
    pub(crate) start: u64,
    /// Instructions that each core may retire in it.
    pub(crate) length: u32,
    /// Firmware lets kernels use the data cache.
    pub(crate) kernels_use_data_cache: bool,
    /// The coprocessor executes each instruction when a core pushes it, not in its thread's turn.
    pub(crate) issues_at_once: bool,
}

impl Tile {
    /// Runs a core for a slice, or until it waits or is reset.
    pub(crate) fn run<O: InstructionObserver>(
        &mut self,
        index: usize,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Fault> {
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        let mut left = slice.length.saturating_sub(core.debt);
        core.debt = core.debt.saturating_sub(slice.length);
        if left == 0 {
            return Ok(());
        }
        core.follow_for_a_while();
        let processor = core.processor;
        let core = self.core_at(processor);
        slice.observers.core_runs(core, Tick(slice.start));
        let ran = self.run_within(index, &mut left, slice);
        if self.running >> index & 1 == 0 {
            let now = slice.start + u64::from(slice.length.saturating_sub(left));
            let wait = self.cores.get(index).and_then(|core| core.wait);
            slice.observers.core_stops(core, Tick(now), wait);
        }
        ran
    }

    /// Runs a core until the slice ends, or it waits or is reset.
    fn run_within<O: InstructionObserver>(
        &mut self,
        index: usize,
        left: &mut u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Fault> {
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        if core.patience == 0 {
            core.patience_used = (core.patience_used * 2).clamp(1, LONGEST_PATIENCE);
            core.patience = core.patience_used;
            self.look(index, left, slice)?;
        } else {
            core.patience -= 1;
        }
        while *left > 0 && self.is_running(index) {
            if slice.observers.follows_instructions() {
                let now = slice.start + u64::from(slice.length.saturating_sub(*left));
                self.note_instruction(index, now, slice);
                self.step(index, left, 1, slice)?;
            } else {
                self.step(index, left, u32::MAX, slice)?;
            }
        }
        Ok(())
    }

    /// The core is about to execute an instruction.
    fn note_instruction<O: InstructionObserver>(
        &mut self,
        index: usize,
        now: u64,
        slice: &mut Slice<'_, O>,
    ) {
        if !slice.observers.follows_instructions() {
            return;
        }
        let effect = self.effect(index, slice);
        if let Some(core) = self.cores.get(index) {
            let at = self.core_at(core.processor);
            let instruction = Instruction { pc: core.pc, effect, registers: &core.registers };
            slice.observers.core_executes(at, instruction, Tick(now));
        }
    }

    fn is_running(&self, index: usize) -> bool {
        self.running >> index & 1 == 1
    }

    /// Executes `most` instructions, or until the slice ends or a register access has been made.
    fn step<O: InstructionObserver>(
        &mut self,
        index: usize,
        left: &mut u32,
        most: u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Fault> {
        let budget = most.min(*left);
        let mut rest = budget;
        let exit = self.execute_at(index, &mut rest, slice);
        self.leave(index, (exit, left), (budget, rest), slice)
    }

    /// Has a core execute as long as it needs nothing but itself, its memory and registers that tell nothing new.
    #[inline]
    fn execute_at<O: InstructionObserver>(
        &mut self,
        index: usize,
        rest: &mut u32,
        slice: &mut Slice<'_, O>,
    ) -> Exit {
        let Some(core) = self.cores.get_mut(index) else { return Exit::Budget };
        let at = CoreAt { tile: self.number, at: self.at, processor: core.processor };
        let mut ports = Ports {
            core: index,
            nius: &mut self.nius,
            heard: &self.heard,
            registers: &slice.description.noc,
        };
        execute(core, &mut self.memory, at, slice.observers, &mut ports, rest)
    }

    /// Does what execution stopped for, and takes what was retired from what is `left` of the slice.
    #[inline(never)]
    fn leave<O: InstructionObserver>(
        &mut self,
        index: usize,
        (mut exit, left): (Exit, &mut u32),
        (budget, mut rest): (u32, u32),
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Fault> {
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        let at = CoreAt { tile: self.number, at: self.at, processor: core.processor };
        loop {
            exit = match exit {
                Exit::Poison => self.carry(index, &mut rest, slice),
                Exit::Told => {
                    let after = left.saturating_sub(budget.saturating_sub(rest));
                    let now = slice.start + u64::from(slice.length.saturating_sub(after));
                    match self.launch_begins_or_ends(index, slice, Tick(now)) {
                        Ok(()) => Exit::Budget,
                        Err(violation) => Exit::Violation(violation),
                    }
                }
                Exit::Observed => {
                    let mut scene = self.scene(slice.coordinates);
                    match slice.observers.resolve(at, &mut scene) {
                        Ok(()) => self.load_argument(index, at, &mut rest, slice),
                        Err(violation) => Exit::Violation(violation),
                    }
                }
                _ => break,
            };
            if let Exit::Budget = exit {
                exit = self.execute_at(index, &mut rest, slice);
            }
        }
        *left = left.saturating_sub(budget.saturating_sub(rest));
        let outcome = match exit {
            Exit::Budget | Exit::Poison | Exit::Observed | Exit::Told => return Ok(()),
            Exit::Violation(violation) => Err(violation),
            Exit::Load(load) => self.load(index, load, *left, slice),
            Exit::Store(store) => self.store(index, store, *left, slice),
            Exit::System => self.system(index, *left, slice),
        };
        match outcome {
            Ok(true) => {
                *left = left.saturating_sub(1);
                if let Some(core) = self.cores.get_mut(index) {
                    core.retired = core.retired.wrapping_add(1);
                }
                self.settle();
                Ok(())
            }
            Ok(false) => Ok(()),
            Err(violation) => {
                let place = self.origin(index).map(|origin| origin.place());
                Err(slice.observers.explain(at, violation).at(place))
            }
        }
    }

    /// Executes the core's next instruction if it loads an argument whose value is followed from there on.
    fn load_argument<O: InstructionObserver>(
        &mut self,
        index: usize,
        at: CoreAt,
        rest: &mut u32,
        slice: &mut Slice<'_, O>,
    ) -> Exit {
        let Some(core) = self.cores.get_mut(index) else { return Exit::Budget };
        if !core.pointers.follow_arguments() || *rest == 0 {
            return Exit::Budget;
        }
        let next = self.memory.look_at(core.pc, core.has_instruction_ram).ok();
        let Some(loaded) = next.and_then(|next| core.loaded_argument(next)) else {
            return Exit::Budget;
        };
        let mut one = 1;
        let exit = self.execute_at(index, &mut one, slice);
        if one == 0 {
            *rest = rest.saturating_sub(1);
            if let Some(core) = self.cores.get_mut(index) {
                core.follow_argument(loaded);
            }
            slice.observers.ask_again(at, loaded.address);
        }
        exit
    }

    pub(super) fn origin(&self, index: usize) -> Option<CoreOrigin> {
        let core = self.cores.get(index)?;
        let word = self.memory.instruction(core.pc, core.has_instruction_ram);
        Some(CoreOrigin {
            tile: self.at,
            processor: core.processor,
            pc: core.pc,
            instruction: word.unwrap_or(0),
            retired: core.retired,
        })
    }

    /// The core is about to execute an instruction at which a launch may begin or end.
    fn launch_begins_or_ends<O: InstructionObserver>(
        &mut self,
        index: usize,
        slice: &mut Slice<'_, O>,
        now: Tick,
    ) -> Result<(), Violation> {
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        core.told = core.pc;
        self.heard.forget();
        let (processor, pc) = (core.processor, core.pc);
        let [returns_to, block] = [RETURN_ADDRESS, FIRST_ARGUMENT].map(|it| core.register(it));
        let at = CoreAt { tile: self.number, at: self.at, processor };
        let Slice { description, kernels_use_data_cache, .. } = *slice;
        if let Some(launch) = self.launches.ends(processor, pc) {
            slice.observers.launch_ends(at, &launch, now)?;
            if let Some(core) = self.cores.get_mut(index) {
                core.leave_pointers();
                if kernels_use_data_cache {
                    core.switch_cache(false, description);
                }
            }
        }
        let mut begins = self.launches.begins(processor, pc, block, returns_to, &mut self.memory);
        if let (None, Some(core)) = (&begins, self.cores.get(index)) {
            let caller = Caller::new(core, returns_to);
            match self.launches.begins_by_message(caller, &mut self.memory) {
                Some(ByMessage::Stated(launch, block)) => {
                    if let Some(block) = block {
                        let launches = std::slice::from_ref(&launch);
                        for semaphore in &launch.semaphores {
                            self.memory.mark(semaphore.address);
                        }
                        slice.observers.launch_described(self.number, self.at, block, launches);
                    }
                    begins = Some(launch);
                }
                Some(ByMessage::Unknown) => {
                    if let Some(core) = self.cores.get_mut(index) {
                        core.leave_pointers();
                    }
                    slice.observers.unknown_launch_begins(at);
                }
                None => {}
            }
        }
        if let Some(launch) = begins {
            if let Some(core) = self.cores.get_mut(index) {
                core.forget_circular_buffers(&launch);
                core.await_pointers(&launch, self.at);
                if kernels_use_data_cache {
                    core.switch_cache(true, description);
                }
            }
            slice.observers.launch_begins(at, &launch, now);
        }
        Ok(())
    }

    pub(super) fn surroundings<'a, O: InstructionObserver>(
        &self,
        index: usize,
        left: u32,
        slice: &'a mut Slice<'_, O>,
    ) -> Option<Surroundings<'a>> {
        let origin = self.origin(index)?;
        Some(Surroundings {
            description: slice.description,
            coordinates: slice.coordinates,
            network: &mut *slice.network,
            observers: &mut *slice.observers,
            now: slice.start + u64::from(slice.length.saturating_sub(left)),
            origin: Origin::Core(origin),
            core: Some(origin.processor),
            issues_at_once: slice.issues_at_once,
        })
    }

    /// Makes a load from a register; `false` means that the core now waits for it.
    fn load<O: InstructionObserver>(
        &mut self,
        index: usize,
        load: RegisterLoad,
        left: u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<bool, Violation> {
        let RegisterLoad { address, size, destination } = load;
        let Some(core) = self.cores.get_mut(index) else { return Ok(false) };
        core.reaches_registers();
        let pc = core.pc;
        if size != 4 {
            return Err(Violation::untested(format!(
                "a load of {size} bytes from register {address:#x}"
            )));
        }
        let Some(mut surroundings) = self.surroundings(index, left, slice) else {
            return Ok(false);
        };
        let Some(value) = self.read_register(address, &mut surroundings)? else {
            self.wait(index, State::Blocked, vec![address]);
            return Ok(false);
        };
        if self.has_loaded(index, address, slice.description, slice.observers)? {
            self.heard.keep(index, (pc, address), value);
        }
        let view = self.private_byte(address.into(), slice.description);
        let taint = view.and_then(|byte| self.private_taint(byte, 4));
        if let Some(core) = self.cores.get_mut(index) {
            if let Some(register) = core.registers.get_mut(destination) {
                *register = value;
            }
            let bits = taint.as_ref().map_or(0, Taint::word);
            core.unknown.set(destination, bits, taint.map(|taint| taint.first().1));
            core.pc = core.pc.wrapping_add(4);
        }
        Ok(true)
    }

    fn store<O: InstructionObserver>(
        &mut self,
        index: usize,
        store: RegisterStore,
        left: u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<bool, Violation> {
        let RegisterStore { address, size, value } = store;
        if let Some(core) = self.cores.get_mut(index) {
            core.reaches_registers();
            if core.follows_pointers() {
                let decoded = self.memory.look_at(core.pc, core.has_instruction_ram)?;
                core.stored_to_register(decode::source_2(decoded), (address, value));
            }
        }
        if size != 4 {
            return Err(Violation::unsupported(format!(
                "a store of {size} bytes to register {address:#x}"
            )));
        }
        if let Some((count, before)) = self.page_counts(address, slice.description)
            && let Some(core) = self.cores.get(index)
        {
            let at = self.core_at(core.processor);
            let mut scene = self.scene(slice.coordinates);
            slice.observers.core_stores_pages(&mut scene, at, (count, value), before)?;
        }
        let Some(mut surroundings) = self.surroundings(index, left, slice) else {
            return Ok(false);
        };
        if !self.write_register(address, value, &mut surroundings)? {
            self.wait(index, State::Blocked, vec![address]);
            return Ok(false);
        }
        self.has_stored(index, address, slice.description, slice.observers);
        if let Some(byte) = self.private_byte(address.into(), slice.description)
            && let Some(taint) = self.stored_taint(index)
        {
            self.taint_private(byte, &taint);
        }
        if let Some(core) = self.cores.get_mut(index)
            && core.state == State::Running
        {
            core.pc = core.pc.wrapping_add(4);
        }
        Ok(true)
    }

    /// Stops a core until one of these addresses is written. What it reports as the word that it
    /// waits for is the first.
    pub(super) fn wait(&mut self, index: usize, state: State, addresses: Vec<u32>) {
        let Some(core) = self.cores.get_mut(index) else { return };
        let pc = core.pc;
        core.state = state;
        core.wait.get_or_insert(Wait { pc, address: addresses.first().copied().unwrap_or(pc) });
        self.running &= !(1 << index);
        self.memory.watch(index, addresses);
    }

    /// Follows the core for a while, and parks it if a whole turn of a loop changed no register and
    /// did nothing but load words that wake it when they change. Private memory may be stored to if
    /// that changes nothing, because no waiting core sees it.
    ///
    /// A data cache makes no difference: what the loop loaded from it must be what L1 holds, so that
    /// it would do the same with the cache emptied. A loop that polls through the cache without a fence
    /// is parked as long as nobody writes, and is a deadlock if nobody can. Once somebody has written
    /// it runs until a hit happens to empty the cache; where hits are told not to, it runs for ever,
    /// which is a hang and no deadlock.
    fn look<O: InstructionObserver>(
        &mut self,
        index: usize,
        left: &mut u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Fault> {
        let Some(core) = self.cores.get(index) else { return Ok(()) };
        let start = core.pc;
        let mut registers = core.registers;
        let mut watched: Vec<Wait> = Vec::new();
        let mut loop_body: Vec<u32> = Vec::new();
        for _ in 0..LOOK {
            let Some(pc) = self.cores.get(index).map(|core| core.pc) else { return Ok(()) };
            loop_body.push(pc);
            match self.effect(index, slice) {
                Effect::Pure => {}
                Effect::Watches(address) => watched.push(Wait { pc, address }),
                Effect::Acts => return Ok(()),
            }
            let mut one = 1;
            let now = slice.start + u64::from(slice.length.saturating_sub(*left));
            self.note_instruction(index, now, slice);
            self.step(index, &mut one, 1, slice)?;
            let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
            match left.checked_sub(1) {
                Some(rest) => *left = rest,
                None => core.debt += 1,
            }
            if self.running >> index & 1 == 0 {
                return Ok(());
            }
            if core.pc != start {
                continue;
            }
            if core.registers == registers || planted(Defect::BusyLoopsParked) {
                let halted = Wait { pc: start, address: start };
                core.wait = watched.iter().copied().min_by_key(|wait| wait.pc).or(Some(halted));
                // Its instructions are watched too: whoever replaces them ends the loop.
                let mut addresses: Vec<u32> = watched.iter().map(|wait| wait.address).collect();
                slice.observers.core_parks(&mut self.scene(slice.coordinates), &addresses);
                addresses.append(&mut loop_body);
                addresses.sort_unstable();
                addresses.dedup();
                self.wait(index, State::Parked, addresses);
                return Ok(());
            }
            registers = core.registers;
            watched.clear();
            loop_body.clear();
        }
        Ok(())
    }

    fn effect<O: InstructionObserver>(&mut self, index: usize, slice: &mut Slice<'_, O>) -> Effect {
        let Some(core) = self.cores.get(index) else { return Effect::Acts };
        let Ok(decoded) = self.memory.look_at(core.pc, core.has_instruction_ram) else {
            return Effect::Acts;
        };
        let address =
            core.register(decode::source_1(decoded)).wrapping_add(decode::immediate(decoded));
        match decode::operation(decoded) {
            decode::LB | decode::LH | decode::LW | decode::LBU | decode::LHU => {
                if core.private_offset(address).is_some() {
                    Effect::Pure
                } else if u64::from(address) < self.memory.size() {
                    // With the cache emptied the loop would see what L1 holds by now, so it goes on
                    // until something empties it.
                    if core.cache.enabled && core.cache.is_stale(&self.memory, address) {
                        Effect::Acts
                    } else {
                        Effect::Watches(address & !3)
                    }
                } else {
                    match self.surroundings(index, 0, slice) {
                        Some(surroundings) if self.is_watchable(address, &surroundings) => {
                            Effect::Watches(address)
                        }
                        _ => Effect::Acts,
                    }
                }
            }
            decode::SB | decode::SH | decode::SW => {
                let size = match decode::operation(decoded) {
                    decode::SB => 1,
                    decode::SH => 2,
                    _ => 4,
                };
                let value = core.register(decode::source_2(decoded)).to_le_bytes();
                let held = core
                    .private_offset(address)
                    .and_then(|offset| core.private.get(offset..offset + size));
                if held.is_some() && held == value.get(..size) {
                    Effect::Pure
                } else {
                    Effect::Acts
                }
            }
            decode::ILLEGAL | decode::AMOSWAP..=decode::CSRRCI => Effect::Acts,
            _ => Effect::Pure,
        }
    }

    /// What the tile's parked and blocked cores wait for, and instructions of the coprocessor that wait for semaphores.
    pub(crate) fn waiting(&mut self, surroundings: &mut Surroundings<'_>) -> Vec<Waiting> {
        let waits: Vec<(Processor, State, Wait)> = self
            .cores
            .iter()
            .filter_map(|core| Some((core.processor, core.state, core.wait?)))
            .collect();
        let mut waiting: Vec<Waiting> = waits
            .into_iter()
            .map(|(processor, state, wait)| {
                surroundings.core = Some(processor);
                let value = match self.memory.word(wait.address) {
                    Some(word) => word,
                    // Reading an empty mailbox again changes nothing, and there is no value.
                    None if state == State::Blocked => 0,
                    None => {
                        self.read_register(wait.address, surroundings).ok().flatten().unwrap_or(0)
                    }
                };
                Waiting {
                    tile: self.at,
                    processor,
                    pc: wait.pc,
                    address: TileAddress(wait.address.into()),
                    value,
                    awaited: None,
                    last_writer: self.memory.last_writer(wait.address),
                    lowered: self.memory.lowered(wait.address).map(Box::new),
                    symbol: None,
                    frames: Vec::new(),
                }
            })
            .collect();
        waiting.extend(self.waiting_instructions());
        waiting
    }
}

impl Core {
    pub(crate) fn private_offset(&self, address: u32) -> Option<usize> {
        let offset = address.checked_sub(self.private_base)? as usize;
        (offset < self.private.len()).then_some(offset)
    }
}
