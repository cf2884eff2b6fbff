//! The waits for units of the Tensix coprocessor in words: the steps that each of them put in order.

use std::collections::BTreeMap;
use std::fmt;

use crate::Processor;

/// Pairs of a wait that are shown.
const SHOWN_PAIRS: usize = 8;

/// A step of a core, whatever its tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReportedStep {
    core: usize,
    /// Tells waits of one line apart; 0 for other steps.
    pc: u32,
    place: String,
    name: String,
}

impl ReportedStep {
    /// A step of a core at an address. `place` is its source line, or the address where no line is known.
    #[must_use]
    pub fn new(core: Processor, pc: u32, place: String, name: &str) -> Self {
        Self { core: core.index(), place, pc, name: name.to_owned() }
    }

    /// The same, where steps of one line are told together.
    fn anywhere_in_line(self) -> Self {
        Self { pc: 0, ..self }
    }

    fn core(&self) -> &'static str {
        Processor::ALL.get(self.core).map_or("", |processor| processor.name())
    }
}

impl fmt::Display for ReportedStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} at {}", self.name, self.core(), self.place)
    }
}

/// Two steps that a wait put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedPair {
    /// The earlier step.
    pub earlier: ReportedStep,
    /// The later step.
    pub later: ReportedStep,
    /// How often the two came.
    pub times: u64,
    /// Other waits that tell the same.
    pub others: Vec<ReportedStep>,
}

/// How often a wait ended, and what that told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitCounts {
    /// [`UnitWait::times`](crate::UnitWait::times).
    pub times: u64,
    /// [`UnitWait::telling`](crate::UnitWait::telling).
    pub telling: u64,
    /// [`UnitWait::is_judged`](crate::UnitWait::is_judged).
    pub is_judged: bool,
}

/// The waits at one place, of all tiles.
#[derive(Clone, Debug, Default)]
struct Waits {
    counts: WaitCounts,
    /// How often two steps came, with the other waits that order them.
    pairs: BTreeMap<(ReportedStep, ReportedStep, Vec<ReportedStep>), u64>,
}

/// A report of waits. Its text names of each wait the steps that have no order without it.
#[derive(Clone, Debug, Default)]
pub struct WaitReport(BTreeMap<ReportedStep, Waits>);

impl WaitReport {
    /// Adds a wait of a tile.
    pub fn add(
        &mut self,
        wait: ReportedStep,
        counts: WaitCounts,
        pairs: impl IntoIterator<Item = ReportedPair>,
    ) {
        let waits = self.0.entry(wait).or_default();
        let known = &mut waits.counts;
        known.times = known.times.saturating_add(counts.times);
        known.telling = known.telling.saturating_add(counts.telling);
        known.is_judged |= counts.is_judged;
        for ReportedPair { earlier, later, times, mut others } in pairs {
            others.sort();
            others.dedup();
            let pair = (earlier.anywhere_in_line(), later.anywhere_in_line(), others);
            let count = waits.pairs.entry(pair).or_default();
            *count = count.saturating_add(times);
        }
    }
}

impl fmt::Display for WaitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return writeln!(f, "No wait for a unit of the Tensix coprocessor ended.");
        }
        for (step, waits) in &self.0 {
            let ReportedStep { pc, place, name, .. } = step;
            let times = Times(waits.counts.times);
            writeln!(f, "{} {place}\n  {name}, {times} (pc {pc:#x})", step.core())?;
            write!(f, "{waits}")?;
        }
        let number = |is: fn(&Waits) -> bool| self.0.values().filter(|waits| is(waits)).count();
        let needed = number(|waits| waits.alone().next().is_some());
        let ordering = number(|waits| !waits.pairs.is_empty());
        let unjudged = number(|waits| waits.pairs.is_empty() && !waits.counts.is_judged);
        let all = self.0.len();
        writeln!(
            f,
            "{all} {}: {needed} needed, {} needed only if another wait is removed, {} ordered nothing in this run, {unjudged} not \
             judged",
            if all == 1 { "wait" } else { "waits" },
            ordering - needed,
            all - ordering - unjudged,
        )
    }
}

impl Waits {
    /// Pairs that no other wait orders.
    fn alone(
        &self,
    ) -> impl Iterator<Item = (&(ReportedStep, ReportedStep, Vec<ReportedStep>), &u64)> {
        self.pairs.iter().filter(|((_, _, others), _)| others.is_empty())
    }

    /// Why nothing rests on it.
    const fn nothing(&self) -> &'static str {
        if !self.counts.is_judged {
            "not judged: it waits for a bank of a source or for the scalar unit"
        } else if self.counts.telling == 0 {
            "orders nothing: whenever it ended, all that it waits for was known already, or had not begun"
        } else {
            "orders nothing: no later step of this run needs what it waits for"
        }
    }
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pairs.is_empty() {
            return writeln!(f, "  {}", self.nothing());
        }
        let beside = self.pairs.iter().filter(|((_, _, others), _)| !others.is_empty());
        for ((earlier, later, others), times) in self.alone().chain(beside).take(SHOWN_PAIRS) {
            writeln!(f, "  {earlier}\n    before {later}, {}", Times(*times))?;
            for other in others {
                writeln!(f, "    also ordered by {other} (pc {:#x})", other.pc)?;
            }
        }
        match self.pairs.len().saturating_sub(SHOWN_PAIRS) {
            0 => Ok(()),
            1 => writeln!(f, "  and 1 more pair"),
            more => writeln!(f, "  and {more} more pairs"),
        }
    }
}

struct Times(u64);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 time"),
            times => write!(f, "{times} times"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(core: Processor, pc: u32, line: u32, name: &str) -> ReportedStep {
        ReportedStep::new(core, pc, format!("pack.cpp:{line}"), name)
    }

    fn pair(line: u32, times: u64, others: &[ReportedStep]) -> ReportedPair {
        ReportedPair {
            earlier: step(Processor::Trisc2, 0x6000 + line, line, "PACR"),
            later: step(Processor::Brisc, 0x5000, 90, "NoC request"),
            times,
            others: others.to_vec(),
        }
    }

    #[test]
    fn waits_of_several_tiles_are_told_together() {
        let [first, second, third, fourth, fifth] = [3, 7, 11, 15, 19]
            .map(|line| step(Processor::Trisc2, 0x6200 + line, line, "STALLWAIT (a, b)"));
        let mut report = WaitReport::default();
        let counts = |times, telling| WaitCounts { times, telling, is_judged: true };
        let by_second = [pair(5, 2, std::slice::from_ref(&second))];
        report.add(first.clone(), counts(4, 4), [pair(4, 3, &[])].into_iter().chain(by_second));
        report.add(first.clone(), counts(2, 1), [pair(4, 1, &[])]);
        report.add(second, counts(1, 1), [pair(5, 2, &[first])]);
        report.add(third, counts(5, 0), []);
        report.add(fourth, counts(5, 2), []);
        report.add(fifth, WaitCounts { times: 6, ..WaitCounts::default() }, []);
        let expected = "\
TRISC2 pack.cpp:3
  STALLWAIT (a, b), 6 times (pc 0x6203)
  PACR of TRISC2 at pack.cpp:4
    before NoC request of BRISC at pack.cpp:90, 4 times
  PACR of TRISC2 at pack.cpp:5
    before NoC request of BRISC at pack.cpp:90, 2 times
    also ordered by STALLWAIT (a, b) of TRISC2 at pack.cpp:7 (pc 0x6207)
TRISC2 pack.cpp:7
  STALLWAIT (a, b), 1 time (pc 0x6207)
  PACR of TRISC2 at pack.cpp:5
    before NoC request of BRISC at pack.cpp:90, 2 times
    also ordered by STALLWAIT (a, b) of TRISC2 at pack.cpp:3 (pc 0x6203)
TRISC2 pack.cpp:11
  STALLWAIT (a, b), 5 times (pc 0x620b)
  orders nothing: whenever it ended, all that it waits for was known already, or had not begun
TRISC2 pack.cpp:15
  STALLWAIT (a, b), 5 times (pc 0x620f)
  orders nothing: no later step of this run needs what it waits for
TRISC2 pack.cpp:19
  STALLWAIT (a, b), 6 times (pc 0x6213)
  not judged: it waits for a bank of a source or for the scalar unit
5 waits: 1 needed, 1 needed only if another wait is removed, 2 ordered nothing in this run, 1 not judged
";
        assert_eq!(report.to_string(), expected);
    }

    #[test]
    fn a_wait_shows_so_many_pairs() {
        for (pairs, more) in
            [(8, None), (9, Some("and 1 more pair")), (10, Some("and 2 more pairs"))]
        {
            let mut report = WaitReport::default();
            let wait = step(Processor::Trisc2, 0x6200, 3, "STALLWAIT (a, b)");
            let counts = WaitCounts { times: 1, telling: 1, is_judged: true };
            report.add(wait, counts, (0..pairs).map(|line| pair(line, 1, &[])));
            let told = report.to_string();
            assert_eq!(told.matches("before NoC request").count(), 8);
            let last = told.lines().rfind(|line| line.contains(" more pair"));
            assert_eq!(last.map(str::trim), more);
        }
    }
}
