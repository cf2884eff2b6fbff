//! The registers of the vector unit (`LReg.md`, `VectorUnit.md`): 32 lanes of 32 bits each, and the flags that enable lanes.
//!
//! A set of lanes is a word with a bit for each lane. Lane `n` stands in row `n / 8` and column `n % 8`.

/// Lanes of a vector.
pub const LANES: usize = 32;

/// Columns of lanes.
const COLUMNS: usize = 8;

/// A datum of 32 bits for each lane.
pub type Lanes = [u32; LANES];

/// The bit of each lane in a set of lanes.
pub(crate) const LANE_BITS: Lanes = {
    let mut bits = [1; LANES];
    let mut rest: &mut [u32] = &mut bits;
    let mut bit = 1;
    while let [first, others @ ..] = rest {
        *first = bit;
        bit <<= 1;
        rest = others;
    }
    bits
};

/// A vector. Nothing determined the data of the lanes in `unknown` since power-on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The data; those that are unknown have the value that the register happens to hold.
    pub lanes: Lanes,
    /// The lanes that are unknown.
    pub unknown: u32,
}

impl Vector {
    /// A vector of known data.
    #[must_use]
    pub const fn known(lanes: Lanes) -> Self {
        Self { lanes, unknown: 0 }
    }

    /// A vector of one known datum.
    #[must_use]
    pub const fn of(datum: u32) -> Self {
        Self::known([datum; LANES])
    }

    /// Replaces the data of some lanes.
    #[inline(always)]
    pub fn replace(&mut self, lanes: u32, by: &Self) {
        if lanes == u32::MAX {
            *self = *by;
            return;
        }
        for ((datum, new), bit) in self.lanes.iter_mut().zip(&by.lanes).zip(&LANE_BITS) {
            *datum = if lanes & bit == 0 { *datum } else { *new };
        }
        self.unknown = self.unknown & !lanes | by.unknown & lanes;
    }
}

/// The flag of each lane, and whether it enables the lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The lanes whose flag is set (`LaneFlags`).
    pub set: u32,
    /// The lanes whose flag is the result of unknown data.
    pub unknown: u32,
    /// The lanes whose flag enables them (`UseLaneFlagsForLaneEnable`).
    pub used: u32,
}

/// Flags that the stack holds at most (`SFPPUSHC.md`).
pub const STACK: usize = 8;

/// A bit of a lane's configuration (`SFPCONFIG.md`, "LaneConfig").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneBit {
    EnableFp16aInf = 0,
    DisableBackdoorLoad = 1,
    EnableDestIndex = 2,
    CaptureDefaultDestIndex = 3,
    BlockDestWrFromSfpu = 4,
    BlockSfpuRdFromDest = 5,
    DestRdColExchange = 6,
    DestWrColExchange = 7,
    ExchangeSrcbSrcc = 8,
}

/// The first of four bits that switch off rows of lanes.
const ROW_MASK: u32 = 12;

/// The configuration of the lanes. The lanes of a column share it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LaneConfiguration {
    columns: [u32; COLUMNS],
    /// The bits that any column has.
    any: u32,
    /// The lanes that `ROW_MASK` switches off.
    masked: u32,
}

impl LaneConfiguration {
    /// Of the columns.
    pub(crate) fn new(columns: [u32; COLUMNS]) -> Self {
        let mut masked = 0;
        for row in 0..(LANES / COLUMNS) as u32 {
            masked |= (columns_with(&columns, ROW_MASK + row) & 0xFF) << (8 * row);
        }
        let any = columns.iter().fold(0, |any, column| any | column);
        Self { columns, any, masked }
    }

    /// The configuration of each column.
    pub(crate) const fn columns(&self) -> [u32; COLUMNS] {
        self.columns
    }

    /// The lanes in which a bit is set.
    #[inline(always)]
    pub(crate) fn with(&self, bit: LaneBit) -> u32 {
        if self.any >> bit as u32 & 1 == 0 { 0 } else { columns_with(&self.columns, bit as u32) }
    }

    /// As a vector.
    pub(crate) fn vector(&self) -> Vector {
        let mut vector = Vector::of(0);
        for (datum, column) in vector.lanes.iter_mut().zip(self.columns.iter().cycle()) {
            *datum = *column;
        }
        vector
    }
}

/// The lanes of the columns in which a bit is set.
fn columns_with(columns: &[u32; COLUMNS], bit: u32) -> u32 {
    let of_row = columns.iter().rev().fold(0, |mask, column| mask << 1 | (column >> bit & 1));
    of_row * 0x0101_0101
}

/// What `SFPLOADMACRO` schedules (`SFPLOADMACRO.md`). All lanes share it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MacroConfiguration {
    pub(crate) templates: [u32; 4],
    pub(crate) sequences: [u32; 4],
    pub(crate) misc: u32,
}

/// The sub-units that `SFPLOADMACRO` schedules instructions for, in the order of its sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacroUnit {
    Simple,
    Mad,
    Round,
    Store,
}

impl MacroUnit {
    pub(crate) const ALL: [Self; 4] = [Self::Simple, Self::Mad, Self::Round, Self::Store];
}

/// A scheduled instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) word: u32,
    pub(crate) mode: u32,
    /// `VD`, `VC`, `VB`, `VA`.
    pub(crate) registers: [u32; 4],
    /// Where a store goes.
    pub(crate) address: u32,
    /// Its delay counts instructions, and not cycles.
    pub(crate) counts_instructions: bool,
}

/// The largest delay, and 1.
const DELAYS: usize = 8;

/// What `SFPLOADMACRO` has scheduled: of each sub-unit, an instruction for each delay that is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    units: [[Option<Due>; DELAYS]; MacroUnit::ALL.len()],
    /// How many there are.
    count: usize,
}

impl Schedule {
    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether one of them counts instructions.
    pub(crate) fn waits_for_instructions(&self) -> bool {
        self.units.as_flattened().iter().flatten().any(|due| due.counts_instructions)
    }

    fn place(&mut self, unit: MacroUnit, delay: u32) -> Option<&mut Option<Due>> {
        self.units.get_mut(unit as usize)?.get_mut(delay as usize)
    }

    /// Schedules an instruction. Another one that would be executed in the same cycle is forgotten.
    pub(crate) fn add(&mut self, unit: MacroUnit, delay: u32, due: Due) {
        let forgotten = self.place(unit, delay).and_then(|place| place.replace(due));
        self.count += usize::from(forgotten.is_none());
    }

    /// A cycle passes, in which an instruction is issued or not. Gives what is executed in it.
    pub(crate) fn next_cycle(&mut self, issues: bool) -> Vec<(MacroUnit, Due)> {
        let advances = issues || !self.waits_for_instructions();
        let mut all = Vec::new();
        for (unit, delays) in MacroUnit::ALL.into_iter().zip(&mut self.units) {
            let [first, ..] = delays;
            all.extend(first.take().map(|due| (unit, due)));
            if advances {
                delays.rotate_left(1);
            }
        }
        self.count -= all.len();
        all
    }
}

/// An instruction whose results are there a cycle late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Late {
    pub(crate) word: u32,
    /// The registers that it writes, a bit for each.
    pub(crate) registers: u32,
}

/// The registers of the vector unit.
#[derive(Clone, Debug)]
pub struct Vectors {
    registers: [Vector; 17],
    /// Of each register the lanes whose low half is known, and those whose high half is, though the lane is not.
    halves: [[u32; 2]; 17],
    /// The flags that enable lanes.
    pub flags: Flags,
    stack: [Flags; STACK],
    depth: usize,
    lanes: LaneConfiguration,
    pub(crate) macros: MacroConfiguration,
    pub(crate) schedule: Schedule,
    /// The last instruction, if the next one must not depend on it.
    pub(crate) late: Option<Late>,
    /// The state of each lane's random numbers.
    random: Vector,
    /// What `SFPSHFT2` last rotated.
    pub(crate) rotated: Vector,
}

impl Default for Vectors {
    fn default() -> Self {
        let unknown = Vector { lanes: [0; LANES], unknown: u32::MAX };
        let mut registers = [unknown; 17];
        for (number, register) in registers.iter_mut().enumerate() {
            match number {
                8 => *register = Vector::of(0x3F56_594B),
                9 => *register = Vector::of(0),
                10 => *register = Vector::of(0x3F80_0000),
                15 => *register = Vector::known(std::array::from_fn(|lane| 2 * lane as u32)),
                _ => {}
            }
        }
        Self {
            registers,
            halves: [[0; 2]; 17],
            flags: Flags::default(),
            stack: Default::default(),
            depth: 0,
            lanes: LaneConfiguration::default(),
            macros: MacroConfiguration::default(),
            schedule: Schedule::default(),
            late: None,
            random: unknown,
            rotated: unknown,
        }
    }
}

impl Vectors {
    /// A register, by its number.
    #[must_use]
    pub fn register(&self, number: u32) -> &Vector {
        static NONE: Vector = Vector::of(0);
        self.registers.get(number as usize).unwrap_or(&NONE)
    }

    /// Sets a register, whatever its number.
    pub fn set(&mut self, number: u32, vector: Vector) {
        if let Some(place) = self.register_mut(number) {
            *place = vector;
        }
        self.forget_halves(number, u32::MAX);
    }

    /// The halves of these lanes are known or not as the lanes are.
    #[inline(always)]
    fn forget_halves(&mut self, number: u32, lanes: u32) {
        if let Some(halves) = self.halves.get_mut(number as usize) {
            *halves = halves.map(|known| known & !lanes);
        }
    }

    /// Replaces the low half (0) or the high half (1) of some lanes of a register, whose other half stays. The half is known
    /// in some lanes of the new data; in others it is `open` whether it is replaced.
    pub(crate) fn write_half(
        &mut self,
        number: u32,
        (lanes, open): (u32, u32),
        half: usize,
        by: &Vector,
    ) {
        let (Some(place), Some(halves)) =
            (self.registers.get_mut(number as usize), self.halves.get_mut(number as usize))
        else {
            return;
        };
        let mut known = halves.map(|known| !place.unknown | known);
        if let Some(known) = known.get_mut(half) {
            *known = (*known & !lanes | !by.unknown & lanes) & !open;
        }
        place.replace(lanes, by);
        let [low, high] = known;
        place.unknown = !(low & high);
        *halves = known;
    }

    fn register_mut(&mut self, number: u32) -> Option<&mut Vector> {
        self.registers.get_mut(number as usize)
    }

    /// Whether `SFPLOADMACRO` has scheduled instructions that are not executed yet.
    #[must_use]
    pub const fn has_scheduled(&self) -> bool {
        !self.schedule.is_empty()
    }

    /// Whether a cycle without an instruction changes anything.
    pub(crate) const fn is_busy(&self) -> bool {
        self.has_scheduled() || self.late.is_some()
    }

    /// Takes over what differs between two states.
    pub(crate) fn take_changes(&mut self, before: &Self, after: &Self) {
        if before.halves != after.halves {
            self.halves = after.halves;
        }
        let all = self.registers.iter_mut().zip(&before.registers).zip(&after.registers);
        for ((register, before), after) in all {
            if before != after {
                let mut changed = before.unknown ^ after.unknown;
                for ((one, other), bit) in before.lanes.iter().zip(&after.lanes).zip(&LANE_BITS) {
                    changed |= if one == other { 0 } else { *bit };
                }
                register.replace(changed, after);
            }
        }
        let take = |own: &mut u32, before: u32, after: u32| {
            let changed = before ^ after;
            *own = *own & !changed | after & changed;
        };
        take(&mut self.flags.set, before.flags.set, after.flags.set);
        take(&mut self.flags.unknown, before.flags.unknown, after.flags.unknown);
        take(&mut self.flags.used, before.flags.used, after.flags.used);
        if (before.depth, &before.stack) != (after.depth, &after.stack) {
            (self.depth, self.stack) = (after.depth, after.stack);
        }
        if before.lanes != after.lanes {
            self.lanes = after.lanes;
        }
        if before.macros != after.macros {
            self.macros = after.macros;
        }
        if before.random != after.random {
            self.random = after.random;
        }
        if before.rotated != after.rotated {
            self.rotated = after.rotated;
        }
    }

    /// The lanes that an instruction changes.
    #[must_use]
    pub fn enabled(&self) -> u32 {
        !self.lanes.masked & (!self.flags.used | self.flags.set)
    }

    /// The lanes of which unknown data decide whether an instruction changes them.
    #[must_use]
    pub fn undecided(&self) -> u32 {
        !self.lanes.masked & self.flags.used & self.flags.unknown
    }

    /// Whether an instruction can write a register by its number.
    #[must_use]
    pub const fn is_writable(number: u32) -> bool {
        number < 8 || number == 16
    }

    /// Writes the enabled lanes of a register, if instructions can write it.
    #[inline(always)]
    pub fn write(&mut self, number: u32, vector: &Vector) {
        self.write_lanes(number, u32::MAX, vector);
    }

    /// Writes the enabled ones of some lanes of a register, if instructions can write it.
    #[inline(always)]
    pub(crate) fn write_lanes(&mut self, number: u32, lanes: u32, vector: &Vector) {
        let undecided = self.undecided() & lanes;
        let lanes = lanes & self.enabled();
        if !Self::is_writable(number) {
            return;
        }
        if let Some(place) = self.register_mut(number) {
            place.replace(lanes, vector);
            place.unknown |= undecided;
        }
        self.forget_halves(number, lanes | undecided);
    }

    /// Writes lanes of a register whether they are enabled or not, if instructions can write it.
    pub(crate) fn overwrite(&mut self, number: u32, lanes: u32, vector: &Vector) {
        if Self::is_writable(number)
            && let Some(place) = self.register_mut(number)
        {
            place.replace(lanes, vector);
            self.forget_halves(number, lanes);
        }
    }

    /// Sets the flags of the enabled lanes.
    #[inline(always)]
    pub(crate) fn set_flags(&mut self, set: u32, unknown: u32) {
        let (enabled, undecided) = (self.enabled(), self.undecided());
        let flags = &mut self.flags;
        flags.set = flags.set & !enabled | set & enabled;
        flags.unknown = flags.unknown & !enabled | unknown & enabled | undecided;
    }

    /// How many flags the stack holds.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Pushes the flags; `false` if the stack is full.
    #[must_use]
    pub(crate) fn push(&mut self) -> bool {
        let Some(place) = self.stack.get_mut(self.depth) else { return false };
        *place = self.flags;
        self.depth += 1;
        true
    }

    /// Takes the top of the stack.
    pub(crate) fn pop(&mut self) -> Option<Flags> {
        let top = *self.top_mut()?;
        self.depth -= 1;
        Some(top)
    }

    /// The top of the stack.
    pub(crate) fn top_mut(&mut self) -> Option<&mut Flags> {
        self.stack.get_mut(self.depth.checked_sub(1)?)
    }

    /// The configuration of the lanes.
    pub(crate) const fn lanes(&self) -> &LaneConfiguration {
        &self.lanes
    }

    /// Configures the lanes.
    pub(crate) fn configure(&mut self, lanes: LaneConfiguration) {
        self.lanes = lanes;
    }

    /// Random numbers; those of some lanes go on (`VectorUnit.md`, "PRNG").
    pub(crate) fn random(&mut self, advancing: u32) -> Vector {
        let numbers = self.random;
        for (state, bit) in self.random.lanes.iter_mut().zip(&LANE_BITS) {
            *state = if advancing & bit == 0 { *state } else { next_random(*state) };
        }
        numbers
    }

    /// Starts the random numbers. The documentation leaves out how a seed reaches the lanes; this is how it does in
    /// Tenstorrent's simulator.
    pub fn seed(&mut self, seed: u32) {
        let mut state = seed;
        for _ in 0..LANES {
            state = next_random(state);
        }
        for lane in self.random.lanes.iter_mut().rev() {
            state = next_random(next_random(state));
            *lane = state;
        }
        self.random.unknown = 0;
    }
}

const fn next_random(state: u32) -> u32 {
    let taps = (state & 0x8020_0003).count_ones();
    !taps << 31 | state >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(start: u32) -> Vector {
        Vector::known(std::array::from_fn(|lane| start + lane as u32))
    }

    #[test]
    fn constants_are_known_at_power_on() {
        let vectors = Vectors::default();
        let known = (0..17).filter(|number| vectors.register(*number).unknown == 0);
        assert_eq!(known.collect::<Vec<_>>(), [8, 9, 10, 15]);
        assert_eq!(vectors.register(15).lanes[31], 62);
        assert_eq!(vectors.enabled(), u32::MAX);
    }

    #[test]
    fn flags_enable_lanes_where_they_are_used() {
        let flags = Flags { set: 0x0F0F, unknown: 0, used: 0xFFFF };
        let mut vectors = Vectors { flags, ..Vectors::default() };
        assert_eq!(vectors.enabled(), 0xFFFF_0F0F);
        vectors.set(3, Vector::of(7));
        vectors.write(3, &counted(100));
        let lanes = vectors.register(3).lanes;
        assert_eq!((lanes[3], lanes[4], lanes[16], lanes[31]), (103, 7, 116, 131));
    }

    #[test]
    fn what_an_unknown_flag_decides_is_unknown() {
        let mut vectors = Vectors::default();
        vectors.set(2, Vector::of(7));
        vectors.flags = Flags { set: 0b0110, unknown: 0b1100, used: u32::MAX };
        vectors.write(2, &Vector { lanes: [9; LANES], unknown: 0b0010 });
        assert_eq!(vectors.register(2).unknown, 0b1110);
        assert_eq!(vectors.register(2).lanes[..5], [7, 9, 9, 7, 7]);
    }

    #[test]
    fn two_known_halves_are_a_known_datum() {
        let mut vectors = Vectors::default();
        vectors.write_half(3, (0x0F, 0), 0, &Vector::of(1));
        assert_eq!(vectors.register(3).unknown, u32::MAX);
        vectors.write_half(3, (0x3F, 0x20), 1, &Vector { lanes: [2; LANES], unknown: 0b10 });
        assert_eq!(vectors.register(3).unknown, !0b1101);
        assert_eq!(vectors.register(3).lanes[..7], [2, 2, 2, 2, 2, 2, 0]);
        // Half of a datum that was known.
        vectors.set(4, Vector::of(9));
        vectors.write_half(4, (1, 0), 1, &Vector { lanes: [7; LANES], unknown: 1 });
        assert_eq!(vectors.register(4).unknown, 1);
        vectors.write_half(4, (1, 0), 1, &Vector::of(7));
        assert_eq!(vectors.register(4).unknown, 0);
        // Another write counts for both halves.
        vectors.write_half(3, (1 << 9, 0), 0, &Vector::of(1));
        vectors.write_lanes(3, 1 << 9, &Vector { lanes: [0; LANES], unknown: u32::MAX });
        vectors.write_half(3, (1 << 9, 0), 1, &Vector::of(1));
        assert_eq!(vectors.register(3).unknown >> 9 & 1, 1);
    }

    #[test]
    fn constants_are_not_written() {
        let mut vectors = Vectors::default();
        for number in [8, 9, 11, 15] {
            vectors.write(number, &counted(5));
        }
        assert_eq!(vectors.register(9), &Vector::of(0));
        assert_eq!(vectors.register(11).unknown, u32::MAX);
        vectors.write(16, &counted(5));
        assert_eq!(vectors.register(16), &counted(5));
    }

    #[test]
    fn rows_of_a_column_are_masked() {
        let mut columns = [0; 8];
        columns[1] = 1 << 13;
        columns[7] = 1 << 15 | 4;
        let lanes = LaneConfiguration::new(columns);
        let mut vectors = Vectors::default();
        vectors.configure(lanes);
        assert_eq!(vectors.enabled(), !(1 << 9 | 1 << 31));
        assert_eq!(lanes.with(LaneBit::EnableDestIndex), 0x8080_8080);
        assert_eq!(lanes.vector().lanes[15], 1 << 15 | 4);
    }

    #[test]
    fn the_stack_has_eight_places() {
        let mut vectors = Vectors::default();
        for set in 0..8 {
            vectors.flags.set = set;
            assert!(vectors.push());
        }
        assert!(!vectors.push());
        assert_eq!(vectors.pop().map(|flags| flags.set), Some(7));
        assert_eq!(vectors.top_mut().map(|flags| flags.set), Some(6));
        for _ in 0..7 {
            assert!(vectors.pop().is_some());
        }
        assert_eq!(vectors.pop(), None);
    }

    #[test]
    fn random_numbers_go_on_where_they_are_taken() {
        let mut vectors = Vectors::default();
        assert_eq!(vectors.random(0).unknown, u32::MAX);
        vectors.seed(0x1234_5678);
        let first = vectors.random(0b10);
        let second = vectors.random(u32::MAX);
        assert_eq!(first.lanes[0], second.lanes[0]);
        assert_eq!(next_random(first.lanes[1]), second.lanes[1]);
        assert_eq!((first.unknown, next_random(2)), (0, 1));
        assert_eq!(next_random(0x8000_0000), 0x4000_0000);
        assert_eq!(next_random(3), 0x8000_0001);
    }
}
