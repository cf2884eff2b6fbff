//! The line *first bad* of a failed test: its first bad command, found within a time budget.
//!
//! If the device stopped, it names the program. Otherwise, if the test did not run on the built-in simulator,
//! the two are bisected with the simulator as the good side. If the test ran on the simulator, the suite's
//! model identifies the wrong byte of a read, and the answer is the last writer of that byte. Without either,
//! the line states the reason.

mod last_writer;
mod unknown;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hallmark_execution::executor::{Executor, ExecutorChoice, ProgramSettings};
use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_pipeline::verdict::Verdict;
use hallmark_pipeline::{
    FailedRun, FirstBadLine, Limits, Settings, TestExecutors, TestResult, TestRun,
};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_schema::model::{Capture, CommandIndex, Failure, Outcome};
use hallmark_schema_editing::with_end_as_call;

use self::last_writer::{LastWriter, WrongByte, last_writer};
use self::unknown::Unknown;
use super::bisect::{Bisecting, Conclusion, Good, Inconclusive, Report, who_wrote, with_open_end};
use super::probe::{Prober, Reference, Sought};

/// The default time budget of one test.
pub const BUDGET: Duration = Duration::from_secs(5);

/// A test's result with its first bad command, which is searched for if the test failed and there is a budget.
pub fn looked_for(settings: &Settings, run: TestRun, budget: Option<Duration>) -> TestResult {
    let TestRun { mut result, failure } = run;
    if let (Some(failure), Some(budget)) = (failure, budget) {
        let begin = Instant::now();
        let failed = FailedTest { settings, result: &result, run: &failure };
        let line = failed.first_bad(budget);
        result.first_bad = Some(line);
        result.elapsed = result.elapsed.saturating_add(begin.elapsed());
    }
    result
}

/// A failed test in the search for its first bad command.
struct FailedTest<'a> {
    /// The run's settings.
    settings: &'a Settings,
    /// The test's result.
    result: &'a TestResult,
    /// The remains of the test.
    run: &'a FailedRun,
}

impl FailedTest<'_> {
    /// The line. `budget` is the time limit.
    fn first_bad(&self, budget: Duration) -> FirstBadLine {
        match self.answer(budget) {
            Ok(line) => line,
            Err(reason) => {
                let text = format!("cannot be told: {reason}");
                FirstBadLine { command: None, after: None, text, written: Vec::new() }
            }
        }
    }

    /// The line, or why it is unknown.
    fn answer(&self, budget: Duration) -> Result<FirstBadLine, Unknown> {
        let signature = self.result.signature.as_ref().ok_or(match self.result.verdict {
            Verdict::Missing => Unknown::NoGolden,
            _ => Unknown::Surroundings,
        })?;
        let capture = self.run.recovered().ok_or(Unknown::NoCapture)?;
        let capture = capture.as_ref();
        if self.result.verdict == Verdict::Changed {
            return Err(Unknown::OtherCalls);
        }
        let (good, bad) = self.sides();
        let named = self.named(capture).map(|(at, text)| self.line(capture, at, &text));
        if let Some(good) = good {
            match self.bisected(capture, good, bad.clone(), budget)? {
                Conclusion::FirstBad(found) => {
                    let differs = found.difference.as_ref().and_then(|it| it.lines.first());
                    let what = differs.map(|line| format!("after it {line}"));
                    let what = what.or_else(|| found.signature.as_ref().map(ToString::to_string));
                    let line = self.line(capture, found.command, &what.unwrap_or_default());
                    return Ok(FirstBadLine { written: who_wrote(&found.written), ..line });
                }
                Conclusion::Order(found) => {
                    let (first, second) = (found.first, found.second);
                    let text = format!("it is right when it waits for command {first}");
                    let line = self.line(capture, second, &text);
                    return Ok(FirstBadLine { after: Some(first.0), ..line });
                }
                // The model may still detect an error that both sides make.
                Conclusion::Inconclusive(Inconclusive::NoDifference { .. }) => {}
                // The command that shows the failure may be outside the range.
                Conclusion::Inconclusive(reason @ Inconclusive::Range { .. }) => {
                    return Err(Box::new(reason).into());
                }
                Conclusion::Inconclusive(reason) => {
                    return named.ok_or_else(|| Box::new(reason).into());
                }
            }
        }
        if let Some(named) = named {
            return Ok(named);
        }
        match signature {
            Signature::Differs { .. } if self.result.verdict == Verdict::Mismatch => {
                self.by_model(capture, &bad, budget)
            }
            _ if self.result.verdict == Verdict::Unstable => Err(Unknown::Unsteady),
            _ => Err(Unknown::NoModel),
        }
    }

    /// The command that the failure itself names, and its effect.
    fn named(&self, capture: &Capture) -> Option<(CommandIndex, String)> {
        // The capture does not contain a failure of the replay.
        if self.result.verdict == Verdict::Unstable {
            return None;
        }
        let calls = (0..).map(CommandIndex).zip(&capture.program.commands);
        let steps = self.run.bound.case.steps.iter();
        for ((at, made), step) in calls.zip(steps) {
            let is_expected = match (&made.outcome, &step.failure) {
                (Outcome::Done, None) => true,
                (Outcome::Failed(actual), Some(expected)) => actual == expected,
                (Outcome::Done, Some(_))
                | (Outcome::Failed(_), None)
                | (Outcome::Unfinished, _) => false,
            };
            if is_expected {
                continue;
            }
            let call = made.command.kind().name();
            return match &made.outcome {
                Outcome::Failed(
                    Failure::DeviceFault { enqueue, .. }
                    | Failure::Deadlock { enqueue }
                    | Failure::Hang { enqueue },
                ) => Some((*enqueue, format!("command {at}, {call}, met it"))),
                Outcome::Failed(Failure::QueueRace { first, second }) => {
                    Some((*second, format!("nothing orders it after command {first}")))
                }
                Outcome::Failed(failure) => {
                    Some((at, format!("it fails with {}", failure.code().name())))
                }
                Outcome::Done => match &step.failure {
                    Some(
                        expected @ (Failure::DeviceFault { enqueue, .. }
                        | Failure::Deadlock { enqueue }
                        | Failure::Hang { enqueue }),
                    ) => {
                        let code = expected.code().name();
                        let text = format!("command {at}, {call}, should meet {code} and succeeds");
                        Some((*enqueue, text))
                    }
                    Some(_) | None => Some((at, "it succeeds".to_owned())),
                },
                Outcome::Unfinished => None,
            };
        }
        let failure = capture.at_end()?.failure()?;
        let expected = self.run.bound.case.at_end.fails();
        if expected.is_some_and(|expected| expected.failure == *failure) {
            return None;
        }
        let text = match failure {
            Failure::QueueRace { first, .. } => {
                format!("nothing orders it after command {first}, and no call waits for it")
            }
            _ => "no call waits for it, and the end of the queues met it".to_owned(),
        };
        Some((failure.blamed()?, text))
    }

    /// The good side, if another executor than the built-in simulator failed, and the bad one.
    fn sides(&self) -> (Option<Executor>, Executor) {
        let TestExecutors { architecture, capture: captures, replay: replays, .. } =
            self.run.executors.clone();
        if self.result.verdict == Verdict::Unstable {
            return ((captures != replays).then_some(captures), replays);
        }
        let chip = SimulatedChip { architecture, harvesting: captures.device.harvesting() };
        let device = Some(DeviceSpec::Simulator(chip));
        let simulator = ExecutorChoice { device, ..ExecutorChoice::simulator() };
        let good = simulator.executor(architecture, &ProgramSettings::default());
        ((good != captures).then_some(good), captures)
    }

    fn limits(&self, budget: Duration) -> Limits {
        Limits { timeout: budget.min(self.run.bound.timeout), asked: self.run.bound.asked }
    }

    fn prober(&self, good: Option<Executor>, budget: Duration) -> Result<Prober<'_>, Unknown> {
        let reference = good.map_or(Reference::Recorded, Reference::Executor);
        let sought = Sought { signature: None, level: MatchLevel::Any, reference };
        let kernels = Arc::clone(&self.settings.kernels);
        Ok(Prober::new(&self.settings.workers, kernels, self.limits(budget), sought)?)
    }

    fn bisected(
        &self,
        capture: &Capture,
        good: Executor,
        bad: Executor,
        budget: Duration,
    ) -> Result<Conclusion, Unknown> {
        let prober = self.prober(Some(good.clone()), budget)?;
        let good = Good::Executor(good);
        let capture = with_end_as_call(capture);
        let capture = with_open_end(&capture);
        let mut search = Bisecting::new(&prober, &capture, &good, &bad);
        search.deadline = Instant::now().checked_add(budget);
        Ok(search.run()?)
    }

    /// The last writer of the first byte that is wrong by the model.
    fn by_model(
        &self,
        capture: &Capture,
        executor: &Executor,
        budget: Duration,
    ) -> Result<FirstBadLine, Unknown> {
        let wrong = WrongByte::of(capture, &self.run.bound)?;
        let prober = self.prober(None, budget)?;
        let place = format!("byte {} of `{}`", wrong.byte, wrong.name);
        match last_writer(&prober, capture, executor, &wrong)? {
            LastWriter::Command(at, by) => {
                let text = format!("it wrote {place} last, which read {} finds wrong", wrong.read);
                let written = by.into_iter().map(|by| format!("by {by} (command {at})")).collect();
                Ok(FirstBadLine { written, ..self.line(capture, at, &text) })
            }
            LastWriter::ReadItself => {
                let text = format!("{place} holds what is expected when it is read");
                Ok(self.line(capture, wrong.read, &text))
            }
            LastWriter::Nobody => {
                let text = format!("nothing has written {place} when it is read");
                Ok(self.line(capture, wrong.read, &text))
            }
        }
    }

    /// A line about a command.
    fn line(&self, capture: &Capture, at: CommandIndex, what: &str) -> FirstBadLine {
        let written_at = |at: CommandIndex| {
            let step = self.run.bound.case.steps.get(usize::try_from(at.0).ok()?)?;
            Some(step.written_at())
        };
        let about = Report { subject: "", capture, good: "", bad: "", written_at: &written_at };
        let title = about.title(at);
        let text = if what.is_empty() { title } else { format!("{title}: {what}") };
        FirstBadLine { command: Some(at.0), after: None, text, written: Vec::new() }
    }
}
