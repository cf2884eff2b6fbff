//! The steps of a reduction: reduce the test in the terms of its suite, show the failure, reduce the capture,
//! keep the result.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hallmark_execution::executor::Executor;
use hallmark_execution::interrupt;
use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Limits, Settings};
use hallmark_schema::model::{Capture, CommandIndex, ContentHash};
use hallmark_schema_editing::{Edit, apply};
use hallmark_suite::name::TestName;
use hallmark_triage::bisect::{Bisecting, Conclusion, Good, cut};
use hallmark_triage::log::Inputs;
use hallmark_triage::probe::{ProbeResult, Prober, Reference, Sought};
use hallmark_triage::reduce::{Cost, ReduceError, Reduced, Reducing, Runs, lines};

use super::ReduceArguments;
use super::folder::{Begun, Folder};
use super::regression::{Regression, Sides as RegressionSides};
use super::shown::{Shown, spinner};
use super::shown_first::{self, ShownFirst, shown_first};
use super::suite_terms::{self, SmallestOfSuite, SuiteTerms};
use crate::cli::dump_yaml::Heading;
use crate::cli::triage_options::unable;
use crate::cli::{Failed, output};

/// The largest time of a candidate, as a multiple of the whole capture's time.
const SLOWER: u32 = 4;
/// The smallest time limit of a candidate.
const LEAST_TIMEOUT: Duration = Duration::from_secs(5);

/// A reduction with its arguments.
pub(super) struct Steps<'a> {
    pub(super) arguments: &'a ReduceArguments,
    pub(super) settings: &'a Settings,
    /// The name of the capture or test.
    pub(super) name: &'a str,
    pub(super) bad: &'a Executor,
    pub(super) reference: &'a Reference,
    pub(super) limits: Limits,
    pub(super) into: Option<&'a Regression>,
    pub(super) folder: &'a Folder,
    pub(super) begin: Instant,
    pub(super) jobs: usize,
}

/// The whole capture, and the lines about it so far.
pub(super) struct Whole {
    pub(super) capture: Capture,
    /// The cost of the capture before its test was reduced in the terms of its suite.
    pub(super) before: Option<Cost>,
    pub(super) text: Vec<String>,
}

/// The failure that a candidate must show.
pub(super) struct Failure {
    pub(super) signature: Signature,
    /// The schedule seed under which the failure shows, and the runs that each candidate needs.
    pub(super) seed: u64,
    pub(super) runs: Runs,
    /// The time of the run that showed the failure.
    pub(super) elapsed: Duration,
    /// A line about an intermittent failure.
    pub(super) flaky: Option<String>,
}

impl Steps<'_> {
    fn prober(&self, signature: Option<Signature>, limits: Limits) -> Result<Prober<'_>, Failed> {
        let (level, reference) = (self.arguments.level, self.reference.clone());
        let sought = Sought { signature, level, reference };
        self.arguments.sides.cards.prober(self.settings, limits, sought)
    }

    const fn until(&self) -> Duration {
        Duration::from_secs(self.arguments.until as u64)
    }

    /// Reduces the test in the terms of its suite. Gives the exit code if nothing is left to do.
    pub(super) fn in_terms_of_the_suite(
        &self,
        name: &TestName,
        signature: Option<&Signature>,
        whole: &mut Whole,
    ) -> Result<Option<ExitCode>, Failed> {
        let bar = spinner();
        let terms = SuiteTerms {
            settings: self.settings,
            name,
            bad: self.bad,
            reference: self.reference,
            signature,
            level: self.arguments.level,
            timeout: self.limits.timeout,
            deadline: self.begin.checked_add(self.until() / 2),
            jobs: self.jobs,
            bar: &bar,
        };
        let smallest = terms.smallest()?;
        bar.finish_and_clear();
        let Some(of_suite) = smallest else { return Ok(None) };
        // A test in the terms of its suite cannot be shared.
        let root = match self.arguments.share {
            true => None,
            false => Some(self.folder.test(&of_suite.found, &of_suite.capture)?),
        };
        whole.text.extend(suite_terms::lines(name, &of_suite.found, self.bad, root.as_deref()));
        if *self.reference == Reference::Recorded && needs_another_side(&of_suite.found.signature) {
            let text = std::mem::take(&mut whole.text);
            return of_suite_alone(&terms, &of_suite, self.into, self.folder, text).map(Some);
        }
        whole.before = Some(of_suite.found.before);
        whole.capture = of_suite.capture;
        Ok(None)
    }

    /// Shows the failure before the reduction. If only memory shows it, cuts the capture.
    pub(super) fn failure(
        &self,
        given: Option<Signature>,
        whole: &mut Whole,
    ) -> Result<Result<Failure, ReduceError>, Failed> {
        let edits = match self.reference {
            Reference::Executor(_) => vec![Edit::ExpectAsCaptured],
            Reference::Recorded => Vec::new(),
        };
        let shown = |capture: &Capture| {
            let expects = apply(&edits, capture).capture;
            let prober = self.prober(given.clone(), self.limits)?;
            shown_first(&prober, &expects, self.bad, self.arguments.flaky)
        };
        let mut first = shown(&whole.capture)?;
        if let Some((at, cut)) = self.by_memory(&first, &whole.capture)? {
            let name = self.name;
            whole.text.push(format!(
                "  cut       no read shows the failure, and memory does behind command {at} of {name}: cut there, and read",
            ));
            whole.capture = cut;
            first = shown(&whole.capture)?;
        }
        let flaky = shown_first::line(&first);
        let tried = first.tried();
        let ShownFirst { probed: first, seed, runs, .. } = first;
        let not_there = |result| Ok(Err(ReduceError::NotThere { result: Box::new(result), tried }));
        let signature = match (given, first.signature, first.result) {
            (Some(given), _, ProbeResult::Same) => given,
            (None, Some(found), ProbeResult::Same) => found,
            // A capture that expects exact bytes does not hold them, so less is known of how other bytes
            // differ.
            (Some(given), Some(found), result) => {
                let plain = apply(&[], &whole.capture).capture;
                let prober = self.prober(Some(given), self.limits)?;
                let plain = prober.probe(&plain, self.bad, seed).map_err(unable)?;
                if plain.result != ProbeResult::Same {
                    return not_there(result);
                }
                found
            }
            (_, _, result) => return not_there(result),
        };
        if *self.reference == Reference::Recorded && needs_another_side(&signature) {
            let text = format!(
                "{signature}: without a reference executor, no smaller capture can be judged; name one with --good"
            );
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        let elapsed = first.elapsed.unwrap_or_default();
        Ok(Ok(Failure { signature, seed, runs, elapsed, flaky }))
    }

    /// The capture cut behind its first bad command, and that command, if only memory shows the failure: no
    /// read shows it.
    fn by_memory(
        &self,
        first: &ShownFirst,
        capture: &Capture,
    ) -> Result<Option<(CommandIndex, Capture)>, Failed> {
        let (ProbeResult::Passed, Reference::Executor(good)) =
            (&first.probed.result, self.reference)
        else {
            return Ok(None);
        };
        let good = Good::Executor(good.clone());
        let prober = self.prober(None, self.limits)?;
        let search = Bisecting::new(&prober, capture, &good, self.bad);
        let conclusion = search.run().map_err(unable)?;
        let Conclusion::FirstBad(found) = &conclusion else { return Ok(None) };
        let cut = cut(&search, &conclusion).map_err(unable)?;
        Ok(cut.map(|cut| (found.command, cut)))
    }

    /// The smallest capture that fails in the same way, and the files of other failures.
    pub(super) fn reduced(
        &self,
        capture: &Capture,
        failure: &Failure,
        keep: &BTreeSet<String>,
    ) -> Result<Result<(Reduced, Vec<String>), ReduceError>, Failed> {
        let arguments = self.arguments;
        let timeout = failure.elapsed.saturating_mul(SLOWER);
        let timeout = timeout.max(LEAST_TIMEOUT).min(self.limits.timeout);
        let limits = Limits { timeout, ..self.limits };
        let prober = self.prober(Some(failure.signature.clone()), limits)?;
        let inputs = Inputs::default()
            .with("capture", hash_of(capture)?)
            .with("bad executor", self.bad)
            .with("good executor", named(self.reference))
            .with("signature", &failure.signature)
            .with("level of a match", format!("{:?}", arguments.level))
            .with("change of values", !arguments.no_values)
            .with("share", arguments.share)
            .with("names that stay", arguments.keep.join(", "))
            .with("a failure that comes and goes", arguments.flaky);
        let Begun { log, known } = self.folder.log(&inputs, arguments.resume.is_some())?;
        known.into_iter().for_each(|line| prober.remember(line.key, line.result));
        let reducing = Reducing {
            prober: &prober,
            bad: self.bad,
            capture,
            seed: failure.seed,
            runs: failure.runs,
            keep,
            deadline: self.begin.checked_add(self.until()),
            jobs: self.jobs,
            values: !arguments.no_values,
            share: arguments.share,
        };
        let mut shown = Shown::new(self.folder, log, arguments.share);
        let reduced = reducing.run(&mut shown);
        shown.bar.finish_and_clear();
        match reduced {
            Ok(reduced) => {
                shown.problem.map_or(Ok(()), Err)?;
                Ok(Ok((reduced, shown.also)))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    /// Writes the result into its folder and, with `--into`, among the suites, and prints it.
    pub(super) fn keep(
        &self,
        mut reduced: Reduced,
        also: &[String],
        failure: Failure,
        whole: Whole,
    ) -> Result<ExitCode, Failed> {
        let Whole { before, mut text, .. } = whole;
        let signature = reduced.signature.clone().unwrap_or(failure.signature);
        reduced.before = before.unwrap_or(reduced.before);
        let mut of_capture = lines(&reduced, self.name, &signature);
        let seconds = self.begin.elapsed().as_secs_f64();
        if let Some(first) = of_capture.first_mut() {
            *first = first.replace(" probes)", &format!(" probes, {seconds:.1} s)"));
        }
        text.extend(of_capture);
        text.extend(failure.flaky);
        let bad = &reduced.bad;
        text.extend(self.folder.lines(bad, self.reference, also));
        let is_shared = self.arguments.share;
        let name = if is_shared { "a capture" } else { self.name };
        let whence =
            format!("Expected are the bytes that came back from {}.", named(self.reference));
        let comment = vec![why(name, &signature, bad), whence];
        let heading = Heading { comment, ..Heading::default() };
        if let Some(into) = self.into {
            let good = match self.reference {
                Reference::Executor(good) => Some(good),
                Reference::Recorded => None,
            };
            let (level, signature) = (self.arguments.level, &signature);
            let sides = RegressionSides { settings: self.settings, good, bad, signature, level };
            let added = into.add(&into.of_capture(&reduced.recorded, &heading)?, &sides)?;
            text.extend(added.lines);
            if let Some(golden) = added.golden {
                self.folder.golden(&golden)?;
            }
        }
        if self.arguments.kernels {
            text.extend(self.folder.kernels(&reduced.recorded, bad, self.reference)?);
        }
        let readme = if is_shared { lines(&reduced, name, &signature) } else { text.clone() };
        self.folder.finish(&reduced, &signature, &heading, &readme)?;
        output::say(&text.join("\n"));
        Ok(conclusion(&reduced))
    }
}

/// Ends with the smallest test if only the model of its suite says what is right.
fn of_suite_alone(
    terms: &SuiteTerms<'_>,
    of_suite: &SmallestOfSuite,
    into: Option<&Regression>,
    folder: &Folder,
    mut text: Vec<String>,
) -> Result<ExitCode, Failed> {
    let SmallestOfSuite { found, capture } = of_suite;
    if let Some(into) = into {
        let sides = RegressionSides {
            settings: terms.settings,
            good: None,
            bad: terms.bad,
            signature: &found.signature,
            level: terms.level,
        };
        let why = why(&terms.name.to_string(), &found.signature, terms.bad);
        let added = into.add(&into.of_test(found, capture, &why)?, &sides)?;
        text.extend(added.lines);
    }
    folder.finish_test(&found.signature, &mut text)?;
    output::say(&text.join("\n"));
    let is_complete = found.is_complete && !interrupt::requested();
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::INCONCLUSIVE })
}

fn hash_of(capture: &Capture) -> Result<ContentHash, Failed> {
    let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
    Ok(ContentHash::of(&bytes))
}

fn named(reference: &Reference) -> String {
    match reference {
        Reference::Recorded => "recorded".to_owned(),
        Reference::Executor(executor) => executor.to_string(),
    }
}

/// A text about the origin of a case.
fn why(subject: &str, signature: &Signature, bad: &Executor) -> String {
    format!("Reduced from {subject}, which fails on {bad}: {signature}.")
}

fn conclusion(reduced: &Reduced) -> ExitCode {
    if interrupt::requested() {
        ExitCode::INTERRUPTED
    } else if reduced.proof.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::INCONCLUSIVE
    }
}

/// Whether a failure shows only in a comparison with a good side.
const fn needs_another_side(signature: &Signature) -> bool {
    match signature {
        Signature::Differs { .. } | Signature::Unstable { .. } => true,
        Signature::Fault { .. }
        | Signature::Deadlock { .. }
        | Signature::Hang { .. }
        | Signature::Crash { .. }
        | Signature::Outcome { .. } => false,
    }
}
