//! The waits for units of the Tensix coprocessor, and the steps that each of them put in order, in words.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hallmark_chip::Processor;
use hallmark_execution::worker::profile::ProfileNotes;
use hallmark_pipeline::source_lines::outermost_and_innermost;
use hallmark_runtime::{OrderedPairProfile, StepProfile, UnitWaitProfile};
use hallmark_schema::model::Capture;
use hallmark_schema::plural::counted;

/// Pairs of a wait that are shown.
const SHOWN_PAIRS: usize = 8;

/// The waits at one place, of all launches and all tiles.
#[derive(Debug, Default)]
struct Waits {
    times: u64,
    telling: u64,
    is_judged: bool,
    /// How often two steps came, with the other waits that order them.
    pairs: BTreeMap<(Step, Step, Vec<Step>), u64>,
}

/// A step, whatever its tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    core: u8,
    /// Its lines, or its address where no line is known.
    place: String,
    /// Tells waits of one line apart; 0 for other steps.
    pc: u32,
    name: String,
}

impl Step {
    fn of(step: &StepProfile, capture: &Capture) -> Self {
        let StepProfile { processor, pc, frames, name } = step;
        let place = outermost_and_innermost(capture, frames);
        let place = place.unwrap_or_else(|| format!("pc {pc:#x}"));
        Self { core: processor.index() as u8, place, pc: *pc, name: name.clone() }
    }

    fn core(&self) -> &'static str {
        Processor::ALL.get(usize::from(self.core)).map_or("", |processor| processor.name())
    }

    /// The same, where steps of one line are told together.
    fn anywhere_in_line(step: &StepProfile, capture: &Capture) -> Self {
        Self { pc: 0, ..Self::of(step, capture) }
    }

    fn told(&self) -> String {
        format!("{} of {} at {}", self.name, self.core(), self.place)
    }
}

impl Waits {
    /// Pairs that no other wait orders.
    fn alone(&self) -> impl Iterator<Item = (&(Step, Step, Vec<Step>), &u64)> {
        self.pairs.iter().filter(|((_, _, others), _)| others.is_empty())
    }

    /// Why nothing rests on it.
    fn nothing(&self) -> &'static str {
        if !self.is_judged {
            "not judged: it waits for a bank of a source or for the scalar unit"
        } else if self.telling == 0 {
            "orders nothing here: its units had nothing to finish, or that they had finished was known"
        } else {
            "orders nothing here: no later step needs what it waits for"
        }
    }
}

/// The waits of a profiled replay.
#[must_use]
pub fn told(notes: &ProfileNotes, capture: &Capture) -> String {
    let mut waits: BTreeMap<Step, Waits> = BTreeMap::new();
    let launches = notes.calls.iter().flat_map(|call| &call.launches);
    let processors = launches.flat_map(|launch| &launch.processors);
    for wait in processors.flat_map(|processor| &processor.unit_waits) {
        add(waits.entry(Step::of(&wait.step, capture)).or_default(), wait, capture);
    }
    if waits.is_empty() {
        return "No wait for a unit of the Tensix coprocessor ended.\n".to_owned();
    }
    let mut text = String::new();
    for (step, waits) in &waits {
        let times = counted(waits.times, "time", "times");
        let Step { pc, place, name, .. } = step;
        let _ = writeln!(text, "{} {place}\n  {name}, {times} (pc {pc:#x})", step.core());
        tell(&mut text, waits);
    }
    let needed = waits.values().filter(|waits| waits.alone().next().is_some()).count();
    let doubled = waits.values().filter(|waits| !waits.pairs.is_empty()).count() - needed;
    let _ = writeln!(
        text,
        "{}: needed {needed}, needed unless others stay {doubled}, without effect here {}",
        counted(waits.len(), "wait", "waits"),
        waits.len() - needed - doubled
    );
    text
}

fn add(waits: &mut Waits, wait: &UnitWaitProfile, capture: &Capture) {
    let UnitWaitProfile { times, is_judged, telling, pairs, .. } = wait;
    waits.times = waits.times.saturating_add(*times);
    waits.telling = waits.telling.saturating_add(*telling);
    waits.is_judged |= is_judged;
    for OrderedPairProfile { earlier, later, times, others } in pairs {
        let mut others: Vec<Step> = others.iter().map(|step| Step::of(step, capture)).collect();
        others.sort();
        others.dedup();
        let [earlier, later] = [earlier, later].map(|step| Step::anywhere_in_line(step, capture));
        let pair = (earlier, later, others);
        let count = waits.pairs.entry(pair).or_default();
        *count = count.saturating_add(*times);
    }
}

fn tell(text: &mut String, waits: &Waits) {
    if waits.pairs.is_empty() {
        let _ = writeln!(text, "  {}", waits.nothing());
        return;
    }
    let beside = waits.pairs.iter().filter(|((_, _, others), _)| !others.is_empty());
    let mut shown = 0;
    for ((earlier, later, others), times) in waits.alone().chain(beside).take(SHOWN_PAIRS) {
        shown += 1;
        let (earlier, later) = (earlier.told(), later.told());
        let times = counted(*times, "time", "times");
        let _ = writeln!(text, "  {earlier}\n    before {later}, {times}");
        for other in others {
            let _ = writeln!(text, "    also ordered by {} (pc {:#x})", other.told(), other.pc);
        }
    }
    let left = waits.pairs.len() - shown;
    if left > 0 {
        let _ = writeln!(text, "  and {} more", counted(left, "pair", "pairs"));
    }
}
