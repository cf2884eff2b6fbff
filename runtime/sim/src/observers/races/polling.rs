//! Which loads poll: flags are kept in plain memory too, and whoever waits for one synchronizes by it.
//!
//! A load polls if the core can come back to it with the same address, by a way on which a branch
//! depends on what was loaded. Compilers take the first look out of a loop: a load polls too if such a way leads to another
//! load of the same address that polls. That is a property of the code, so that it does not depend on the
//! schedule whether a kernel has a race. Calls are followed, a return out of the function only where
//! it is known to go. Other stores and requests on the way do not matter.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::machine::core::decode;
use crate::machine::core::word_function::is_taken;
use crate::machine::memory::TileMemory;
use crate::quick_hash::{QuickHasher, QuickMap};

/// Instructions that are followed on one way, and on all together.
const LONGEST_WAY: u32 = 200;
const ALL_WAYS: u32 = 4000;
/// Words of the stack that are known on one way.
const STACK_WORDS: usize = 32;
/// How far from a load its function's calls are looked for, and how far before it the function may begin: bytes.
const CALLERS: u32 = 0x8000;
const FUNCTION: u32 = 0x200;
const MOST_CALLERS: usize = 16;
/// How often the load is met: an address that is made anew in each turn is the same from the second on.
const TURNS: u32 = 3;
const REGISTERS: usize = 33;
const RETURN_ADDRESS: usize = 1;
/// What the stack pointer's value comes from: see where registers get their first ones.
const STACK: u64 = 1 + 2;

/// A value that is not known: what it comes from, plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Value {
    base: u64,
    offset: u32,
    /// It depends on what the load loaded.
    loaded: bool,
}

/// A branch back to a loop: its address, the values that it compares, and the number of stores before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Turn {
    branch: u32,
    values: [Value; 2],
    stores: u32,
}

#[derive(Clone, Debug)]
struct Way {
    pc: u32,
    registers: [Value; REGISTERS],
    /// A hash of what has been set in registers.
    set: u64,
    calls: Vec<u32>,
    /// Where the function that the load is in returns to, until it has.
    returns_to: Option<u32>,
    steps: u32,
    turns: u32,
    /// Stores so far: what is loaded twice is the same only if there is none in between.
    stores: u32,
    /// A word that was stored elsewhere last, if it follows from what was loaded, by its address: what a core loads back tells
    /// nothing new.
    kept: Option<((u64, u32), Value)>,
    /// The last branch back that was not settled.
    turn: Option<Turn>,
    /// Words that were stored on the stack, by their distance from where the stack pointer was at first.
    stack: Vec<(u32, Value)>,
    address: Option<(u64, u32)>,
    decided: bool,
    /// The branches of this turn that depend on what was loaded, and whether each was taken.
    outcomes: Vec<(u32, bool)>,
    /// Where what was asked for lands, if it does not come with a load.
    landing: Range<u32>,
}

/// A core's private RAM, in which its stack is.
#[derive(Clone, Copy)]
pub(super) struct PrivateMemory<'a> {
    pub(super) base: u32,
    pub(super) bytes: &'a [u8],
}

impl PrivateMemory<'_> {
    /// The word at an address, if it is an aligned one there.
    fn word(&self, address: u32) -> Option<u32> {
        let start = address.checked_sub(self.base).filter(|start| start.is_multiple_of(4))?;
        self.bytes.get(start as usize..)?.first_chunk().copied().map(u32::from_le_bytes)
    }
}

/// A value that depends on others in a fixed way.
fn mix(operation: u8, a: Value, b: Value) -> Value {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64 ^ u64::from(operation);
    for part in [a.base, a.offset.into(), b.base, b.offset.into()] {
        hash = (hash.rotate_left(23) ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    Value { base: hash | 1 << 63, offset: 0, loaded: a.loaded || b.loaded }
}

impl Value {
    fn hash_in(self, register: usize) -> u64 {
        let mut hasher = QuickHasher::default();
        (self, register).hash(&mut hasher);
        hasher.finish()
    }

    const fn constant(value: u32) -> Self {
        Self { base: 0, offset: value, loaded: false }
    }
}

/// Where a way goes on after an instruction.
enum Continuation {
    /// At its pc.
    OneWay,
    /// At its pc, or elsewhere.
    Branch {
        /// Where else.
        target: u32,
        /// The branch's pc, if it depends on what was loaded.
        decides: Option<u32>,
    },
    /// Nobody can tell.
    Unknown,
}

impl Way {
    /// A hash of all that decides how the way goes on.
    fn state(&self) -> u64 {
        let Self {
            pc,
            registers: _,
            set,
            calls,
            returns_to,
            steps: _,
            turns,
            stores,
            kept,
            turn,
            stack,
            address,
            decided,
            outcomes,
            landing: _,
        } = self;
        let place = (pc, calls, returns_to, turns, turn, outcomes);
        let mut hasher = QuickHasher::default();
        (place, set, stores, kept, stack, address, decided).hash(&mut hasher);
        hasher.finish()
    }

    fn get(&self, register: usize) -> Value {
        if register == 0 {
            return Value::constant(0);
        }
        self.registers.get(register).copied().unwrap_or(Value::constant(0))
    }

    fn set(&mut self, register: usize, value: Value) {
        if let Some(slot) = self.registers.get_mut(register) {
            self.set ^= slot.hash_in(register) ^ value.hash_in(register);
            *slot = value;
        }
    }

    /// A word is stored on the stack, or a part of it.
    fn spill(&mut self, place: u32, value: Option<Value>) {
        self.stack.retain(|(word, _)| word & !3 != place & !3);
        if let Some(value) = value.filter(|_| self.stack.len() < STACK_WORDS) {
            self.stack.push((place, value));
        }
    }

    /// The word that was stored on the stack at an address.
    fn spilled(&self, address: Value) -> Option<Value> {
        let mut words = self.stack.iter().filter(|_| address.base == STACK);
        words.find(|(word, _)| *word == address.offset).map(|(_, value)| *value)
    }

    /// Executes an access to the core's private RAM at a known address, as far as it is to a whole word. What is not stored
    /// on the way is there as it was when the way began.
    fn accesses_private(&mut self, decoded: decode::Decoded, private: &PrivateMemory<'_>) -> bool {
        let (base, at) = self.address(decoded);
        let Some(held) = private.word(at).filter(|_| base == 0) else { return false };
        match decode::operation(decoded) {
            decode::LW => {
                let stored = self.stack.iter().find(|(word, _)| *word == at);
                let value = stored.map_or(Value::constant(held), |(_, value)| *value);
                self.set(decode::destination(decoded), value);
            }
            decode::SW => self.spill(at, Some(self.get(decode::source_2(decoded)))),
            _ => return false,
        }
        self.pc = self.pc.wrapping_add(4);
        true
    }

    /// Executes a branch of which only one outcome is worth following: between two known values, or back to a loop whose
    /// last turn has changed nothing that the branch compares.
    fn settles_branch(&mut self, decoded: decode::Decoded) -> bool {
        let operation = decode::operation(decoded);
        if !matches!(operation, decode::BEQ..=decode::BGEU) {
            return false;
        }
        let values = [decode::source_1(decoded), decode::source_2(decoded)].map(|it| self.get(it));
        let immediate = decode::immediate(decoded);
        let [a, b] = values;
        let is_taken = if values.iter().all(|value| value.base == 0 && !value.loaded) {
            is_taken(operation, a.offset, b.offset)
        } else {
            let turn = Turn { branch: self.pc, values, stores: self.stores };
            if immediate.cast_signed() >= 0 || self.turn.replace(turn) != Some(turn) {
                return false;
            }
            false
        };
        self.pc = self.pc.wrapping_add(if is_taken { immediate } else { 4 });
        true
    }

    /// Executes the load that is looked at.
    fn load(&mut self, decoded: decode::Decoded) -> Step {
        let loaded = Value { base: u64::MAX, offset: 0, loaded: true };
        self.set(decode::destination(decoded), loaded);
        self.pc = self.pc.wrapping_add(4);
        Step::Done
    }

    /// Meets the load that is looked at: finds it if a branch has led back to it with the same address.
    fn meets_its_load(&mut self, decoded: decode::Decoded) -> Step {
        let here = self.address(decoded);
        if self.decided && self.address == Some(here) {
            return Step::Found(true);
        }
        if self.turns == TURNS {
            return Step::Found(false);
        }
        self.turns += 1;
        self.address = Some(here);
        self.decided = false;
        self.outcomes.clear();
        self.load(decoded)
    }

    /// Where an instruction loads or stores.
    fn address(&self, decoded: decode::Decoded) -> (u64, u32) {
        let base = self.get(decode::source_1(decoded));
        (base.base, base.offset.wrapping_add(decode::immediate(decoded)))
    }

    /// Whether an instruction other than the load may have the data cache drop the line that was loaded.
    fn may_empty_the_line(&self, decoded: decode::Decoded, l1_size: u64, line_size: u32) -> bool {
        match decode::operation(decoded) {
            decode::FENCE | decode::AMOSWAP..=decode::CSRRCI => true,
            decode::SB..=decode::SW => {
                let (base, offset) = self.address(decoded);
                let is_register = base == 0 && u64::from(offset) >= l1_size;
                let is_elsewhere = self.address.is_some_and(|(loaded, at)| {
                    let distance = offset.wrapping_sub(at);
                    loaded == base && line_size <= distance.min(distance.wrapping_neg())
                });
                !(base == STACK || is_register || is_elsewhere)
            }
            _ => false,
        }
    }

    /// Executes an instruction other than the load.
    fn execute(&mut self, decoded: decode::Decoded) -> Continuation {
        let (first, second) = (decode::source_1(decoded), decode::source_2(decoded));
        let destination = decode::destination(decoded);
        let immediate = decode::immediate(decoded);
        let (a, b) = (self.get(first), self.get(second));
        let next = self.pc.wrapping_add(4);
        let operation = decode::operation(decoded);
        let mut branch = Continuation::OneWay;
        match operation {
            // A comparison of a value with itself decides nothing.
            decode::BEQ..=decode::BGEU
                if (a.base, a.offset) == (b.base, b.offset) && (a.loaded || b.loaded) =>
            {
                let is_taken = is_taken(operation, a.offset, b.offset);
                self.pc = if is_taken { self.pc.wrapping_add(immediate) } else { next };
                return Continuation::OneWay;
            }
            decode::BEQ..=decode::BGEU => {
                let decides = (a.loaded || b.loaded).then_some(self.pc);
                self.decided |= decides.is_some();
                let target = self.pc.wrapping_add(immediate);
                branch = Continuation::Branch { target, decides };
            }
            decode::JAL => {
                if destination == RETURN_ADDRESS {
                    self.calls.push(next);
                }
                self.set(destination, Value::constant(next));
                self.pc = self.pc.wrapping_add(immediate);
                return Continuation::OneWay;
            }
            decode::JALR if first == RETURN_ADDRESS && destination == decode::SINK as usize => {
                let Some(back) = self.calls.pop().or_else(|| self.returns_to.take()) else {
                    return Continuation::Unknown;
                };
                self.pc = back;
                return Continuation::OneWay;
            }
            // A call of a function that is far away.
            decode::JALR if a.base == 0 => {
                if destination == RETURN_ADDRESS {
                    self.calls.push(next);
                }
                self.set(destination, Value::constant(next));
                self.pc = a.offset.wrapping_add(immediate) & !1;
                return Continuation::OneWay;
            }
            decode::JALR | decode::ILLEGAL => return Continuation::Unknown,
            decode::LUI => self.set(destination, Value::constant(immediate)),
            decode::AUIPC => {
                self.set(destination, Value::constant(self.pc.wrapping_add(immediate)));
            }
            decode::ADDI => {
                self.set(destination, Value { offset: a.offset.wrapping_add(immediate), ..a });
            }
            decode::FENCE => {}
            // Spilled registers come back as they were.
            decode::SB..=decode::SW if a.base == STACK => {
                let place = a.offset.wrapping_add(immediate);
                self.spill(place, (operation == decode::SW).then_some(b));
            }
            decode::SB..=decode::SW => {
                self.stores += 1;
                let at = (a.base, a.offset.wrapping_add(immediate));
                self.kept = (operation == decode::SW && b.loaded).then_some((at, b));
            }
            decode::LB..=decode::LHU => {
                let at = Value { offset: a.offset.wrapping_add(immediate), ..a };
                let kept = self.kept.filter(|(address, _)| *address == (at.base, at.offset));
                // If another core changes the word meanwhile, the load of that word polls.
                let kept = kept.map(|(_, value)| Value { loaded: false, ..value });
                let whole = self.spilled(at).or(kept).filter(|_| operation == decode::LW);
                let value = whole.unwrap_or_else(|| {
                    let has_landed = at.base == 0 && self.landing.contains(&at.offset);
                    // Stores elsewhere leave a spilled register as it is.
                    let stores = if a.base == STACK { 0 } else { self.stores };
                    let value = mix(operation, at, Value::constant(stores));
                    Value { loaded: value.loaded || has_landed, ..value }
                });
                self.set(destination, value);
            }
            decode::SLTI..=decode::LAST_OF_ONE => {
                self.set(destination, mix(operation, a, Value::constant(immediate)));
            }
            _ => self.set(destination, mix(operation, a, b)),
        }
        self.pc = next;
        branch
    }
}

/// The way that begins at an instruction with unknown registers.
fn way_from(pc: u32, returns_to: Option<u32>) -> Box<Way> {
    let mut registers = [Value::constant(0); REGISTERS];
    for (number, register) in registers.iter_mut().enumerate() {
        register.base = 1 + number as u64;
    }
    Box::new(Way {
        pc,
        registers,
        set: 0,
        calls: Vec::new(),
        returns_to,
        steps: 0,
        turns: 0,
        stores: 0,
        kept: None,
        turn: None,
        stack: Vec::new(),
        address: None,
        decided: false,
        outcomes: Vec::new(),
        landing: 0..0,
    })
}

/// Whether a read polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polls {
    Yes,
    No,
    /// There are more ways than are followed, and none of those that were leads back to the read.
    Unclear,
}

/// Whether a core that issues a read at `pc`, with these registers, comes back to it by a way on which a branch depends
/// on what the read brings to `landing`. Registers that the compiler has spilled are found in `private`.
pub(super) fn asks_again(
    memory: &mut TileMemory,
    (pc, registers): (u32, &[u32]),
    private: PrivateMemory<'_>,
    landing: Range<u32>,
    has_instruction_ram: bool,
) -> Polls {
    let returns_to = registers.get(RETURN_ADDRESS).copied();
    let mut way = way_from(pc.wrapping_add(4), returns_to);
    for (known, &register) in way.registers.iter_mut().zip(registers) {
        *known = Value::constant(register);
    }
    way.landing = landing;
    let search = follow(memory, way, has_instruction_ram, |way, decoded| {
        if way.pc == pc {
            return Step::Found(way.decided);
        }
        if way.settles_branch(decoded) || way.accesses_private(decoded, &private) {
            Step::Done
        } else {
            Step::Execute
        }
    });
    match search {
        Search { is_found: true, .. } => Polls::Yes,
        Search { is_exhausted: true, .. } => Polls::Unclear,
        Search { .. } => Polls::No,
    }
}

/// Whether the store at `store` can store a value that follows from what the load at `pc` has loaded last.
pub(super) fn carries(
    memory: &mut TileMemory,
    pc: u32,
    store: u32,
    has_instruction_ram: bool,
) -> bool {
    let way = way_from(pc, None);
    let search = follow(memory, way, has_instruction_ram, |way, decoded| {
        if way.pc == pc {
            way.turns += 1;
            return if way.turns > 1 { Step::Found(false) } else { way.load(decoded) };
        }
        if way.pc == store {
            return Step::Found(way.get(decode::source_2(decoded)).loaded);
        }
        Step::Execute
    });
    search.is_found
}

/// Whether the value that the load at `pc` loads may be used for anything but to decide whether the core comes back to
/// the load: after the first branch that depends on it. If that cannot be told, it may.
pub(super) fn outlives(
    memory: &mut TileMemory,
    pc: u32,
    has_instruction_ram: bool,
    returns_to: Option<u32>,
) -> bool {
    let way = way_from(pc, returns_to);
    let look = |way: &mut Way, decoded: decode::Decoded| {
        if way.pc == pc {
            way.turns += 1;
            return if way.turns > 1 { Step::Found(false) } else { way.load(decoded) };
        }
        let is_held = |register: usize| way.get(register).loaded;
        if way.decided && !(0..REGISTERS).any(is_held) {
            return Step::Found(false);
        }
        let (first, second) =
            (is_held(decode::source_1(decoded)), is_held(decode::source_2(decoded)));
        let is_used = match decode::operation(decoded) {
            decode::BEQ..=decode::BGEU => way.decided && (first || second),
            decode::SB..=decode::SW => first || second,
            decode::LB..=decode::LHU | decode::JALR => first,
            _ => false,
        };
        if is_used { Step::Found(true) } else { Step::Execute }
    };
    let search = follow(memory, way, has_instruction_ram, look);
    search.is_found || search.is_cut
}

/// Whether the load at `pc` polls. `returns_to`: where the function that it is in returns to. Without it, that may be
/// behind any call of the function.
pub(super) fn polls(
    memory: &mut TileMemory,
    pc: u32,
    has_instruction_ram: bool,
    returns_to: Option<u32>,
) -> bool {
    let mut by_way = |returns_to| {
        let again = RefCell::new(BTreeSet::new());
        let found = comes_back(memory, pc, has_instruction_ram, returns_to, &again);
        found
            || again.into_inner().into_iter().any(|pc| {
                comes_back(memory, pc, has_instruction_ram, returns_to, &RefCell::default())
            })
    };
    if by_way(returns_to) {
        return true;
    }
    if returns_to.is_some() {
        return false;
    }
    let callers = callers(memory, pc, has_instruction_ram);
    callers.into_iter().any(|back| {
        let again = RefCell::default();
        comes_back(memory, pc, has_instruction_ram, Some(back), &again)
    })
}

/// Where calls of the function that a load is in return to: of each function that begins a little before it.
fn callers(memory: &mut TileMemory, pc: u32, has_instruction_ram: bool) -> Vec<u32> {
    let mut returns = Vec::new();
    let mut upper = None;
    for at in (pc.saturating_sub(CALLERS)..pc.saturating_add(CALLERS)).step_by(4) {
        let decoded = memory.look_at(at, has_instruction_ram).ok();
        let before = upper.take();
        let Some(decoded) = decoded else { continue };
        let immediate = decode::immediate(decoded);
        let of_return = decode::destination(decoded) == RETURN_ADDRESS;
        let target = match decode::operation(decoded) {
            decode::AUIPC if of_return => {
                upper = Some(at.wrapping_add(immediate));
                continue;
            }
            decode::JAL if of_return => at.wrapping_add(immediate),
            decode::JALR if of_return && decode::source_1(decoded) == RETURN_ADDRESS => {
                let Some(upper) = before else { continue };
                upper.wrapping_add(immediate)
            }
            _ => continue,
        };
        if pc.checked_sub(target).is_some_and(|distance| distance < FUNCTION) {
            returns.push(at.wrapping_add(4));
        }
        if returns.len() == MOST_CALLERS {
            break;
        }
    }
    returns
}

/// Whether a core comes back to the load at `pc` as [`polls`] asks. `again`: takes the other loads of the same address to
/// which such ways lead.
fn comes_back(
    memory: &mut TileMemory,
    pc: u32,
    has_instruction_ram: bool,
    returns_to: Option<u32>,
    again: &RefCell<BTreeSet<u32>>,
) -> bool {
    let way = way_from(pc, returns_to);
    let search = follow(memory, way, has_instruction_ram, |way, decoded| {
        if way.pc == pc {
            return way.meets_its_load(decoded);
        }
        let loads = matches!(decode::operation(decoded), decode::LB..=decode::LHU);
        if loads && way.decided && way.address == Some(way.address(decoded)) {
            again.borrow_mut().insert(way.pc);
        }
        Step::Execute
    });
    search.is_found
}

/// Whether the load at `pc` polls a line of the data cache that its loop never empties: the load comes back to itself
/// without an instruction that empties the cache, and as long as the loaded value stays as it is, no way leads to
/// such an instruction or out of the loop.
///
/// A loop that empties the cache in some turns only is right, and so is one that gives up after some turns. Where not
/// all ways can be followed, the answer is no.
pub(super) fn polls_one_line(
    memory: &mut TileMemory,
    (pc, returns_to): (u32, u32),
    has_instruction_ram: bool,
    line_size: u32,
) -> bool {
    let l1_size = memory.size();
    let mut going_on = Vec::new();
    let way = way_from(pc, Some(returns_to));
    let search = follow(memory, way, has_instruction_ram, |way, decoded| {
        if way.pc != pc {
            let empties = way.may_empty_the_line(decoded, l1_size, line_size);
            return if empties { Step::Found(false) } else { Step::Execute };
        }
        let outcomes = way.outcomes.clone();
        let step = way.meets_its_load(decoded);
        if matches!(step, Step::Found(true)) {
            going_on = outcomes;
        }
        step
    });
    if !search.is_found {
        return false;
    }
    let goes_on = |way: &Way| {
        way.outcomes.iter().all(|outcome| {
            let is_free = going_on.iter().all(|(branch, _)| *branch != outcome.0);
            is_free || going_on.contains(outcome)
        })
    };
    // What is found now is a way on which the loop need not stay with the line.
    let way = way_from(pc, Some(returns_to));
    let search = follow(memory, way, has_instruction_ram, |way, decoded| {
        if !goes_on(way) {
            return Step::Found(false);
        }
        if way.pc != pc {
            let empties = way.may_empty_the_line(decoded, l1_size, line_size);
            return if empties { Step::Found(true) } else { Step::Execute };
        }
        match way.meets_its_load(decoded) {
            // Back at the load with the same address.
            Step::Found(true) => Step::Found(false),
            Step::Found(false) => Step::Found(true),
            step => step,
        }
    });
    !search.is_found && !search.is_cut
}

/// What is done at an instruction of a way.
enum Step {
    /// The way goes on behind it.
    Execute,
    /// The way goes on at its pc.
    Done,
    /// The way ends, with what was looked for or without it.
    Found(bool),
}

/// What came of following ways.
struct Search {
    /// One of them finds what was looked for.
    is_found: bool,
    /// Not all were followed to their ends.
    is_cut: bool,
    /// There are more of them than are followed.
    is_exhausted: bool,
}

/// Follows the ways that begin with `first` until one of them finds the instruction that `look` seeks. The shortest way goes
/// first, so that a short loop is found however much code follows it. Of several ways that reach one state of the core, only
/// the first goes on.
fn follow(
    memory: &mut TileMemory,
    first: Box<Way>,
    has_instruction_ram: bool,
    mut look: impl FnMut(&mut Way, decode::Decoded) -> Step,
) -> Search {
    let mut left = ALL_WAYS;
    let mut is_cut = false;
    let mut met = QuickMap::default();
    let mut branched = 0_u32;
    let mut ways = BTreeMap::from([((0, branched), first)]);
    while let Some((_, mut way)) = ways.pop_first() {
        loop {
            if left == 0 || way.steps >= LONGEST_WAY {
                is_cut = true;
                break;
            }
            left -= 1;
            way.steps += 1;
            let Ok(decoded) = memory.look_at(way.pc, has_instruction_ram) else {
                is_cut = true;
                break;
            };
            match look(&mut way, decoded) {
                Step::Found(true) => return Search { is_found: true, is_cut, is_exhausted: false },
                Step::Found(false) => break,
                Step::Done => continue,
                Step::Execute => {}
            }
            match way.execute(decoded) {
                Continuation::Unknown => {
                    is_cut = true;
                    break;
                }
                Continuation::OneWay => {}
                Continuation::Branch { target, decides } => {
                    let mut taken = way.clone();
                    taken.pc = target;
                    if let Some(branch) = decides {
                        taken.outcomes.push((branch, true));
                        way.outcomes.push((branch, false));
                    }
                    for way in [taken, way] {
                        if met.insert(way.state(), ()).is_none() {
                            branched += 1;
                            ways.insert((way.steps, branched), way);
                        }
                    }
                    break;
                }
            }
        }
    }
    Search { is_found: false, is_cut, is_exhausted: left == 0 }
}
