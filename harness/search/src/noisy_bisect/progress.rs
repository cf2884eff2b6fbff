//! The state of a bisection: the next run, and the consequences of each answer.

use std::collections::BTreeMap;

use super::trial::{Decision, Trial};
use super::{Certainty, Conclusion, Run, Tally};
use crate::bisect::{Bisect, Bisection, Position};
use crate::statistics::{Confidence, Counts, Price, Rates, SequentialTest, tests_of};
use crate::{Answer, Search};

/// The initial number of runs of each end.
pub(super) const FIRST_RUNS: u32 = 3;
/// The number of fresh runs of each neighbour of a steady answer.
pub(super) const CONFIRMING_RUNS: u32 = 2;
/// The initial number of runs of each end of a flaky failure, and the largest one.
const CALIBRATION: u32 = 20;
const MOST_CALIBRATION: u32 = 160;
/// The number of consecutive runs without an answer after which a position counts as giving none.
const MOST_UNTOLD_RUNS: u32 = 2;
/// The largest number of contradictions by fresh runs of a flaky answer.
const MOST_CORRECTIONS: u32 = 3;
/// The price above which a search without a budget stops.
const USUAL_BUDGET: u64 = 1000;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) positions: usize,
    pub(super) confidence: Confidence,
    pub(super) budget: Option<u64>,
    pub(super) known_to_fail: bool,
    pub(super) first_runs: u32,
    pub(super) confirming_runs: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cursor {
    pub(super) bisect: Bisect,
    pub(super) tallies: BTreeMap<Position, Tally>,
    pub(super) runs: u64,
    /// The failure rates; `None` while the failure seems steady.
    pub(super) noise: Option<Noise>,
    corrections: u32,
    pub(super) at: At,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    rates: Rates,
    pub(super) price: Price,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum At {
    /// Each end is run this many times.
    Ends { runs: u32 },
    /// Positions are decided. A position that needs several runs is decided before the next one.
    Search { test: Option<(Position, Trial)> },
    /// Both neighbours of the answer are run again.
    Confirmation { of: [Claim; 2] },
    /// The search has ended.
    Ended(Conclusion),
}

/// An answer for fresh runs to confirm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    position: Position,
    answer: Answer,
    trial: Trial,
}

impl Cursor {
    pub(super) const fn new(plan: &Plan) -> Self {
        Self {
            bisect: Bisect::new(plan.positions),
            tallies: BTreeMap::new(),
            runs: 0,
            noise: None,
            corrections: 0,
            at: At::Ends { runs: plan.first_runs },
        }
    }

    pub(super) fn tally(&self, position: Position) -> Tally {
        self.tallies.get(&position).copied().unwrap_or_default()
    }

    /// The outermost positions that give answers, as far as known.
    fn ends(&self, plan: &Plan) -> Option<(Position, Position)> {
        let mut open = (0..plan.positions)
            .map(Position)
            .filter(|it| self.bisect.answers().get(it) != Some(&Answer::CannotTell));
        let first = open.next()?;
        Some((first, open.next_back()?))
    }

    /// The next of two alternating positions: first, last, last, first and so on, so that a drift of the
    /// machine affects both.
    fn alternate(
        (first, first_counts): (Position, Counts),
        (last, last_counts): (Position, Counts),
    ) -> Position {
        match first_counts.runs().cmp(&last_counts.runs()) {
            std::cmp::Ordering::Less => first,
            std::cmp::Ordering::Greater => last,
            std::cmp::Ordering::Equal if first_counts.runs().is_multiple_of(2) => first,
            std::cmp::Ordering::Equal => last,
        }
    }

    fn trial(&self, plan: &Plan, alike: u32) -> Trial {
        match self.noise {
            None => Trial::Alike { needed: alike, counts: Counts::default() },
            Some(noise) => Trial::Sequential(plan.test(noise.rates)),
        }
    }

    /// The next run; `None` at the end. Steps without a run are performed on the way.
    pub(super) fn next(&mut self, plan: &Plan) -> Option<Run> {
        loop {
            if let At::Ended(_) = self.at {
                return None;
            }
            if plan.budget.is_some_and(|budget| self.runs >= budget) {
                self.at = At::Ended(Conclusion::OutOfBudget { bracket: self.bisect.bracket() });
                continue;
            }
            if let Some(position) = self.wanted(plan) {
                return Some(Run { position, run: self.tally(position).started });
            }
        }
    }

    /// The position to run now. If there is none, the search has moved to the next step.
    fn wanted(&mut self, plan: &Plan) -> Option<Position> {
        match &mut self.at {
            At::Ends { runs } => {
                let runs = *runs;
                let Some((first, last)) = self.ends(plan) else {
                    self.at = At::Ended(Conclusion::NothingTold);
                    return None;
                };
                let (low, high) = (self.tally(first).searching, self.tally(last).searching);
                if low.runs() >= runs && high.runs() >= runs {
                    self.at = self.after_the_ends(plan, (first, low), (last, high), runs);
                    return None;
                }
                // An end that has moved inward catches up with the other end.
                Some(Self::alternate((first, low), (last, high)))
            }
            At::Search { test: Some((position, _)) } => Some(*position),
            At::Search { test: None } => {
                let Some(position) = self.bisect.questions(1).first().copied() else {
                    self.at = self.after_the_search(plan);
                    return None;
                };
                if self.noise.is_some() {
                    let trial = self.trial(plan, 1);
                    self.at = At::Search { test: Some((position, trial)) };
                }
                Some(position)
            }
            At::Confirmation { of: [low, high] } => {
                let open = |claim: &Claim| matches!(claim.trial.decision(), Decision::Open);
                match (open(low), open(high)) {
                    (true, true) => Some(Self::alternate(
                        (low.position, low.trial.counts()),
                        (high.position, high.trial.counts()),
                    )),
                    (true, false) => Some(low.position),
                    (false, true) => Some(high.position),
                    (false, false) => {
                        let claims = [low.clone(), high.clone()];
                        self.at = self.after_the_confirmation(plan, &claims);
                        None
                    }
                }
            }
            At::Ended(_) => None,
        }
    }

    /// The step after enough runs of both ends.
    fn after_the_ends(
        &mut self,
        plan: &Plan,
        (first, low): (Position, Counts),
        (last, high): (Position, Counts),
        runs: u32,
    ) -> At {
        let all = |counts: Counts| counts.passes() == 0;
        let none = |counts: Counts| counts.failures() == 0;
        if runs <= plan.first_runs {
            if (all(low) && none(high)) || (none(low) && all(high)) {
                self.bisect.answer(&first, Answer::of(all(low)));
                self.bisect.answer(&last, Answer::of(all(high)));
                return At::Search { test: None };
            }
            if all(low) && all(high) {
                return At::Ended(Conclusion::NoDifference { answer: Answer::Fails });
            }
            if none(low) && none(high) && !plan.known_to_fail {
                return At::Ended(Conclusion::NoDifference { answer: Answer::Passes });
            }
            return At::Ends { runs: CALIBRATION };
        }
        let more = (runs < MOST_CALIBRATION).then(|| At::Ends { runs: runs.saturating_mul(2) });
        if none(low) && none(high) {
            let conclusion = Conclusion::NoDifference { answer: Answer::Passes };
            return more.unwrap_or(At::Ended(conclusion));
        }
        let share = |of: Counts, among: Counts| u64::from(of.failures()) * u64::from(among.runs());
        let first_is_bad = share(low, high) > share(high, low);
        let (good, bad) = if first_is_bad { (high, low) } else { (low, high) };
        let rates = match Rates::of(good, bad) {
            Ok(rates) => rates,
            Err(error) => return more.unwrap_or(At::Ended(Conclusion::AsOften(error))),
        };
        let price = Price::of_bisection(&plan.test(rates), plan.positions);
        if u64::from(runs).saturating_mul(2) < price.passing
            && let Some(more) = more
        {
            return more;
        }
        let budget = plan.budget.unwrap_or(USUAL_BUDGET);
        if price.total > budget.saturating_sub(plan.budget.map_or(0, |_| self.runs)) {
            return At::Ended(Conclusion::TooDear { rates, price, budget });
        }
        self.noise = Some(Noise { rates, price });
        self.bisect.answer(&first, Answer::of(first_is_bad));
        self.bisect.answer(&last, Answer::of(!first_is_bad));
        At::Search { test: None }
    }

    /// The step when no position is left to ask.
    fn after_the_search(&self, plan: &Plan) -> At {
        match self.bisect.outcome() {
            Some(Bisection::Boundary { before, after, .. }) => {
                let claim = |position: Position| Claim {
                    position,
                    answer: self
                        .bisect
                        .answers()
                        .get(&position)
                        .copied()
                        .unwrap_or(Answer::CannotTell),
                    trial: self.trial(plan, plan.confirming_runs),
                };
                At::Confirmation { of: [claim(before), claim(after)] }
            }
            Some(Bisection::NoDifference { answer }) => {
                At::Ended(Conclusion::NoDifference { answer })
            }
            Some(Bisection::NothingTold) | None => At::Ended(Conclusion::NothingTold),
        }
    }

    /// The step after the fresh runs of both neighbours.
    fn after_the_confirmation(&mut self, plan: &Plan, claims: &[Claim; 2]) -> At {
        let contradicted = claims.iter().find_map(|claim| match claim.trial.decision() {
            Decision::Told(answer) if answer == claim.answer => None,
            Decision::Told(answer) => Some((claim.position, Some(answer))),
            Decision::Contradictory | Decision::Open => Some((claim.position, None)),
        });
        let Some((position, answer)) = contradicted else {
            let certainty = self.noise.map_or(Certainty::Steady, |Noise { rates, price }| {
                Certainty::Sequential { rates, confidence: plan.confidence, price }
            });
            let found =
                self.bisect.outcome().map(|it| Conclusion::Found { bisection: it, certainty });
            return At::Ended(found.unwrap_or(Conclusion::NothingTold));
        };
        // Confirming runs count as ordinary runs from now on.
        for claim in claims {
            let tally = self.tallies.entry(claim.position).or_default();
            tally.searching = tally.searching.and(tally.confirming);
            tally.confirming = Counts::default();
        }
        self.corrections = self.corrections.saturating_add(1);
        if self.corrections > MOST_CORRECTIONS {
            return At::Ended(Conclusion::Unsettled { position });
        }
        let ends = self.ends(plan);
        let is_end = ends.is_some_and(|(first, last)| position == first || position == last);
        if let Some(answer) = answer
            && self.noise.is_some()
            && !is_end
        {
            self.bisect.answer(&position, answer);
            return At::Search { test: None };
        }
        // The failure is flakier than assumed: answers are forgotten, except for positions without an answer.
        let mut bisect = Bisect::new(plan.positions);
        for (position, answer) in self.bisect.answers() {
            if *answer == Answer::CannotTell {
                bisect.answer(position, Answer::CannotTell);
            }
        }
        self.bisect = bisect;
        let runs = ends.map_or(0, |(first, last)| {
            let runs = |end| self.tally(end).searching.runs();
            runs(first).min(runs(last)).saturating_mul(2)
        });
        At::Ends { runs: runs.clamp(CALIBRATION, MOST_CALIBRATION) }
    }

    /// Takes the answer of a run that [`Cursor::next`] returned, or of an open position in a steady search.
    pub(super) fn take(&mut self, plan: &Plan, run: Run, answer: Answer) {
        let position = run.position;
        let confirming = matches!(self.at, At::Confirmation { .. });
        self.runs = self.runs.saturating_add(1);
        let tally = self.tallies.entry(position).or_default();
        tally.started = tally.started.saturating_add(1);
        if answer == Answer::CannotTell {
            tally.untold = tally.untold.saturating_add(1);
            tally.untold_in_a_row = tally.untold_in_a_row.saturating_add(1);
        } else {
            tally.untold_in_a_row = 0;
            let counts = if confirming { &mut tally.confirming } else { &mut tally.searching };
            counts.add(answer);
        }
        let beyond_telling = tally.untold_in_a_row >= MOST_UNTOLD_RUNS;
        match &mut self.at {
            At::Ends { .. } => {
                if beyond_telling {
                    self.bisect.answer(&position, Answer::CannotTell);
                }
            }
            At::Search { test } => {
                let mut trial = match test.take() {
                    Some((under_way, trial)) if under_way == position => trial,
                    Some(_) | None => self.trial(plan, 1),
                };
                trial.add(answer);
                match trial.decision() {
                    Decision::Told(answer) => self.bisect.answer(&position, answer),
                    Decision::Open | Decision::Contradictory if beyond_telling => {
                        self.bisect.answer(&position, Answer::CannotTell);
                    }
                    Decision::Open | Decision::Contradictory if self.noise.is_some() => {
                        self.at = At::Search { test: Some((position, trial)) };
                    }
                    Decision::Open | Decision::Contradictory => {}
                }
            }
            At::Confirmation { of } => {
                for claim in of.iter_mut().filter(|claim| claim.position == position) {
                    claim.trial.add(answer);
                }
                if beyond_telling {
                    self.bisect.answer(&position, Answer::CannotTell);
                    self.at = At::Search { test: None };
                }
            }
            At::Ended(_) => {}
        }
    }

    /// Whether single runs decide, so that several positions can be asked at once.
    pub(super) fn is_steady_search(&self) -> bool {
        self.noise.is_none() && matches!(self.at, At::Search { .. })
    }

    /// The probable answer of a run.
    pub(super) fn guess(&self, plan: &Plan, run: Run) -> Answer {
        match &self.at {
            At::Ends { .. } => {
                let last = self.ends(plan).is_some_and(|(_, last)| last == run.position);
                Answer::of(last)
            }
            At::Confirmation { of } => {
                let claim = of.iter().find(|claim| claim.position == run.position);
                claim.map_or(Answer::Passes, |claim| claim.answer)
            }
            At::Search { .. } | At::Ended(_) => Answer::Passes,
        }
    }
}

impl Plan {
    fn test(&self, rates: Rates) -> SequentialTest {
        SequentialTest::of_search(rates, self.confidence, tests_of(self.positions))
    }
}
