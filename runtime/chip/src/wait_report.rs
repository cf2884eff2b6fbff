//! The waits for units of the Tensix coprocessor in words: the steps that each of them put in order.

use std::collections::BTreeMap;
use std::fmt;

use crate::{CodeStep, OrderedPair, Processor, UnitWait};

/// Pairs of a wait that are shown.
const SHOWN_PAIRS: usize = 8;

/// A step of a core, whatever its tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    core: usize,
    /// Tells waits of one line apart; 0 for other steps.
    pc: u32,
    place: String,
    name: String,
}

impl Step {
    /// The same, where steps of one line are told together.
    fn anywhere_in_line(self) -> Self {
        Self { pc: 0, ..self }
    }

    fn core(&self) -> &'static str {
        Processor::ALL.get(self.core).map_or("", |processor| processor.name())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} at {}", self.name, self.core(), self.place)
    }
}

/// The waits at one place, of all tiles.
#[derive(Clone, Debug, Default)]
struct Waits {
    times: u64,
    telling: u64,
    is_judged: bool,
    /// How often two steps came, with the other waits that order them.
    pairs: BTreeMap<(Step, Step, Vec<Step>), u64>,
}

/// A report of waits. Its text names of each wait the steps that have no order without it.
#[derive(Clone, Debug, Default)]
pub struct WaitReport(BTreeMap<Step, Waits>);

impl WaitReport {
    /// Adds a wait of a tile. `line` gives the source line of a step, if it is known; the text names the address otherwise.
    pub fn add(&mut self, wait: &UnitWait, line: impl Fn(&CodeStep) -> Option<String>) {
        let step = |step: &CodeStep| Step {
            core: step.processor.index(),
            pc: step.pc,
            place: line(step).unwrap_or_else(|| format!("pc {:#x}", step.pc)),
            name: step.name.clone(),
        };
        let UnitWait { step: own, times, is_judged, telling, pairs } = wait;
        let waits = self.0.entry(step(own)).or_default();
        waits.times = waits.times.saturating_add(*times);
        waits.telling = waits.telling.saturating_add(*telling);
        waits.is_judged |= is_judged;
        for OrderedPair { earlier, later, times, others } in pairs {
            let mut others: Vec<Step> = others.iter().map(step).collect();
            others.sort();
            others.dedup();
            let [earlier, later] = [earlier, later].map(|it| step(it).anywhere_in_line());
            let count = waits.pairs.entry((earlier, later, others)).or_default();
            *count = count.saturating_add(*times);
        }
    }
}

impl fmt::Display for WaitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return writeln!(f, "No wait for a unit of the Tensix coprocessor ended.");
        }
        for (step, waits) in &self.0 {
            let Step { pc, place, name, .. } = step;
            let times = Times(waits.times);
            writeln!(f, "{} {place}\n  {name}, {times} (pc {pc:#x})", step.core())?;
            write!(f, "{waits}")?;
        }
        let number = |is: fn(&Waits) -> bool| self.0.values().filter(|waits| is(waits)).count();
        let needed = number(|waits| waits.alone().next().is_some());
        let ordering = number(|waits| !waits.pairs.is_empty());
        let unjudged = number(|waits| waits.pairs.is_empty() && !waits.is_judged);
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
    fn alone(&self) -> impl Iterator<Item = (&(Step, Step, Vec<Step>), &u64)> {
        self.pairs.iter().filter(|((_, _, others), _)| others.is_empty())
    }

    /// Why nothing rests on it.
    const fn nothing(&self) -> &'static str {
        if !self.is_judged {
            "not judged: it waits for a bank of a source or for the scalar unit"
        } else if self.telling == 0 {
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
    use crate::PhysicalCoordinate;

    fn step(processor: Processor, pc: u32, name: &str) -> CodeStep {
        let tile = PhysicalCoordinate { x: 1, y: 2 };
        CodeStep { tile, processor, pc, frames: Vec::new(), name: name.to_owned() }
    }

    /// The last two digits of an address are the line.
    fn line(step: &CodeStep) -> Option<String> {
        Some(format!("pack.cpp:{}", step.pc & 0xFF))
    }

    fn pair(line: u32, times: u64, others: &[CodeStep]) -> OrderedPair {
        OrderedPair {
            earlier: step(Processor::Trisc2, 0x6000 + line, "PACR"),
            later: step(Processor::Brisc, 0x5000 + 90, "NoC request"),
            times,
            others: others.to_vec(),
        }
    }

    fn wait(step: &CodeStep, (times, telling): (u64, u64), pairs: Vec<OrderedPair>) -> UnitWait {
        UnitWait { step: step.clone(), times, is_judged: true, telling, pairs }
    }

    #[test]
    fn waits_of_several_tiles_are_told_together() {
        let [first, second, third, fourth, fifth] = [3, 7, 11, 15, 19]
            .map(|line| step(Processor::Trisc2, 0x6200 + line, "STALLWAIT (a, b)"));
        let both = vec![pair(4, 3, &[]), pair(5, 2, std::slice::from_ref(&second))];
        let mut report = WaitReport::default();
        for wait in [
            wait(&first, (4, 4), both),
            wait(&first, (2, 1), vec![pair(4, 1, &[])]),
            wait(&second, (1, 1), vec![pair(5, 2, &[first])]),
            wait(&third, (5, 0), vec![]),
            wait(&fourth, (5, 2), vec![]),
            UnitWait { is_judged: false, ..wait(&fifth, (6, 0), vec![]) },
        ] {
            report.add(&wait, line);
        }
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
            let own = step(Processor::Trisc2, 0x6203, "STALLWAIT (a, b)");
            let pairs = (0..pairs).map(|line| pair(line, 1, &[])).collect();
            report.add(&wait(&own, (1, 1), pairs), line);
            let told = report.to_string();
            assert_eq!(told.matches("before NoC request").count(), 8);
            let last = told.lines().rfind(|line| line.contains(" more pair"));
            assert_eq!(last.map(str::trim), more);
        }
    }

    #[test]
    fn a_step_without_a_line_is_told_by_its_address() {
        let mut report = WaitReport::default();
        let own = step(Processor::Trisc1, 0x6203, "STALLWAIT (a, b)");
        report.add(&wait(&own, (1, 1), vec![pair(4, 1, &[])]), |_| None);
        let told = report.to_string();
        assert!(told.starts_with("TRISC1 pc 0x6203\n"), "{told}");
        assert!(told.contains("PACR of TRISC2 at pc 0x6004\n"), "{told}");
    }
}
