//! `hallmark reduce`: the least of a capture that still fails in the same way.

mod folder;
mod regression;
mod shown;
mod shown_first;
mod suite_terms;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use hallmark_schema::model::{Capture, CommandIndex, ContentHash};
use hallmark_schema_editing::{Edit, apply};

use self::folder::{Begun, Folder};
use self::regression::{Regression, Sides as RegressionSides};
use self::shown::{Shown, spinner};
use self::shown_first::{ShownFirst, shown_first};
use self::suite_terms::{SmallestOfSuite, SuiteTerms};
use super::dump_yaml::Heading;
use super::options::{EXECUTION, OUTPUT};
use super::subject::Subject;
use super::triage_options::{Sides, Subjected, TriageOptions, unable};
use super::{Failed, output, signature_file, work};
use crate::executor::Executor;
use crate::interrupt;
use crate::pipeline::Limits;
use crate::triage::bisect::{Bisecting, Conclusion, Good, cut};
use crate::triage::log::Inputs;
use crate::triage::probe::{ProbeResult, Prober, Reference, Sought};
use crate::triage::reduce::{ReduceError, Reduced, Reducing, lines, names_of};
use crate::triage::signature::{MatchLevel, Signature};
use crate::verdict::ExitCode;

/// A candidate may take so many times as long as the whole capture.
const SLOWER: u32 = 4;
/// No candidate is stopped earlier.
const LEAST_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The exit code is 0 if there is a smaller capture, or none smaller can be. It is 12 if the failure is not there, or if the time was up before every command was tried."
)]
pub(super) struct ReduceArguments {
    /// A capture, or a test by its name
    #[arg(value_name = "CAPTURE|TEST")]
    subject: Subject,
    #[command(flatten)]
    sides: TriageOptions,
    /// The failure that has to stay, as `hallmark replay --signature` writes it [default: what the bad side does]
    #[arg(long, value_name = "FILE", help_heading = EXECUTION)]
    signature: Option<PathBuf>,
    /// When two failures are the same
    #[arg(long = "match", value_name = "LEVEL", value_enum, default_value_t, help_heading = EXECUTION)]
    level: MatchLevel,
    /// Seconds after which the smallest capture by then is taken
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86400),
        help_heading = EXECUTION)]
    until: u32,
    /// Candidates that run at the same time [default: one for each processor]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = EXECUTION)]
    jobs: Option<u32>,
    /// Change no sizes, numbers and data
    #[arg(long, help_heading = EXECUTION)]
    no_values: bool,
    /// An object or output that stays, by its name (repeatable)
    #[arg(long, value_name = "NAME", help_heading = EXECUTION)]
    keep: Vec<String>,
    /// The failure comes and goes: run each candidate as often as it takes to know whether it fails
    ///
    /// Where the schedule seed decides, a seed is searched under which it fails.
    #[arg(long, help_heading = EXECUTION)]
    flaky: bool,
    /// Leave names, data, the text of kernels and the symbols of their ELFs out, and show that the failure stays
    ///
    /// What the failure needs of data and symbols stays, and the result says so. The code in the ELFs stays: without
    /// it nobody could run the capture.
    #[arg(long, conflicts_with = "no_values", help_heading = OUTPUT)]
    share: bool,
    /// The folder for the result, which is not there yet [default: target/hallmark/triage/ and the capture's name]
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: Option<PathBuf>,
    /// Write for each kernel that is left a folder with its text and a script by which cvise or shrinkray makes the text
    /// smaller
    #[arg(long, conflicts_with = "share", help_heading = OUTPUT)]
    kernels: bool,
    /// Add the result to the root's suites as suites/GROUP/NAME.yaml, which is not there yet
    ///
    /// The case is shown to pass on the good side and to fail on the bad one. `hallmark bless` accepts its golden.
    #[arg(long, value_name = "SUITE", help_heading = OUTPUT)]
    into: Option<String>,
    /// The folder of a reduction that was stopped: what it asked is not asked again
    #[arg(long, value_name = "FOLDER", conflicts_with = "output", help_heading = OUTPUT)]
    resume: Option<PathBuf>,
}

pub(super) fn run(arguments: &ReduceArguments) -> Result<ExitCode, Failed> {
    let Subjected { settings, capture, bound } =
        arguments.sides.runs.subjected(&arguments.subject)?;
    let Sides { bad, reference } = arguments.sides.sides(&capture)?;
    let name = arguments.subject.to_string();
    let into = arguments.into.as_deref();
    let into = into.map(|path| Regression::at(arguments.sides.runs.root()?, path)).transpose()?;
    let folder = match &arguments.resume {
        Some(folder) => Folder::begun(folder)?,
        None => Folder::new(arguments.output.as_deref(), &name)?,
    };
    let begin = Instant::now();
    let until = Duration::from_secs(arguments.until.into());
    let jobs = arguments.jobs.and_then(|jobs| usize::try_from(jobs).ok());
    let jobs = jobs.unwrap_or_else(work::processors);
    let limits = arguments.sides.runs.limits(bound.as_ref());
    let given = arguments.signature.as_deref().map(signature_file::read).transpose()?;
    let (mut text, mut capture, mut before) = (Vec::new(), capture, None);
    if let Subject::Test(name) = &arguments.subject {
        let bar = spinner();
        let terms = SuiteTerms {
            settings: &settings,
            name,
            bad: &bad,
            reference: &reference,
            signature: given.as_ref(),
            level: arguments.level,
            timeout: limits.timeout,
            deadline: begin.checked_add(until / 2),
            jobs,
            bar: &bar,
        };
        let smallest = terms.smallest()?;
        bar.finish_and_clear();
        if let Some(of_suite) = smallest {
            // A test in the words of its suite is nothing to share.
            let root = match arguments.share {
                true => None,
                false => Some(folder.test(&of_suite.found, &of_suite.capture)?),
            };
            text.extend(suite_terms::lines(name, &of_suite.found, &bad, root.as_deref()));
            if reference == Reference::Recorded && needs_another_side(&of_suite.found.signature) {
                return of_suite_alone(&terms, &of_suite, into.as_ref(), &folder, text);
            }
            before = Some(of_suite.found.before);
            capture = of_suite.capture;
        }
    }
    let prober = |signature: Option<Signature>, limits: Limits| {
        let sought = Sought { signature, level: arguments.level, reference: reference.clone() };
        Prober::new(&settings.workers, Arc::clone(&settings.kernels), limits, sought)
            .map_err(unable)
    };
    let edits = match &reference {
        Reference::Executor(_) => vec![Edit::ExpectAsCaptured],
        Reference::Recorded => Vec::new(),
    };
    let whole = apply(&edits, &capture).capture;
    let keep: BTreeSet<String> = arguments.keep.iter().cloned().collect();
    if let Some(name) = keep.iter().find(|name| !has_name(&capture, name)) {
        let text = format!(
            "nothing in {} is called `{name}`; `hallmark dump {}` shows the names",
            arguments.subject, arguments.subject
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let first = shown_first(&prober(given.clone(), limits)?, &whole, &bad, arguments.flaky)?;
    let by_memory = by_memory(&first, &capture, &reference, &bad, &prober, limits)?;
    let first = match by_memory {
        None => first,
        Some((at, cut)) => {
            text.push(format!(
                "  cut       no read shows the failure, and memory does behind command {at} of {name}: cut there, and read",
            ));
            capture = cut;
            let whole = apply(&edits, &capture).capture;
            shown_first(&prober(given.clone(), limits)?, &whole, &bad, arguments.flaky)?
        }
    };
    let flaky = shown_first::line(&first);
    let ShownFirst { probed: first, seed, runs, .. } = first;
    let signature = match (given, first.signature, first.result) {
        (Some(given), _, ProbeResult::Same) => given,
        (None, Some(found), ProbeResult::Same) => found,
        // A capture that expects exact bytes does not hold them, so that less is known of how others differ.
        (Some(given), Some(found), result) => {
            let plain = apply(&[], &capture).capture;
            let plain = prober(Some(given), limits)?.probe(&plain, &bad, seed).map_err(unable)?;
            if plain.result != ProbeResult::Same {
                return Ok(inconclusive(&ReduceError::NotThere(Box::new(result))));
            }
            found
        }
        (_, _, result) => return Ok(inconclusive(&ReduceError::NotThere(Box::new(result)))),
    };
    if reference == Reference::Recorded && needs_another_side(&signature) {
        let text = format!(
            "{signature}: without an executor that does what is right nobody can tell whether a smaller capture is wrong; name one with --good"
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let elapsed = first.elapsed.unwrap_or_default().saturating_mul(SLOWER);
    let timeout = elapsed.max(LEAST_TIMEOUT).min(limits.timeout);
    let prober = prober(Some(signature.clone()), Limits { timeout, ..limits })?;

    let inputs = Inputs::default()
        .with("capture", hash_of(&capture)?)
        .with("bad executor", &bad)
        .with("good executor", named(&reference))
        .with("signature", &signature)
        .with("level of a match", format!("{:?}", arguments.level))
        .with("change of values", !arguments.no_values)
        .with("share", arguments.share)
        .with("names that stay", arguments.keep.join(", "))
        .with("a failure that comes and goes", arguments.flaky);
    let Begun { log, known } = folder.log(&inputs, arguments.resume.is_some())?;
    known.into_iter().for_each(|line| prober.remember(line.key, line.result));

    let reducing = Reducing {
        prober: &prober,
        bad: &bad,
        capture: &capture,
        seed,
        runs,
        keep: &keep,
        deadline: begin.checked_add(until),
        jobs,
        values: !arguments.no_values,
        share: arguments.share,
    };
    let mut shown = Shown::new(&folder, log, arguments.share);
    let reduced = reducing.run(&mut shown);
    shown.bar.finish_and_clear();
    let mut reduced = match reduced {
        Ok(reduced) => reduced,
        Err(ReduceError::Probe(error)) => return Err(unable(error)),
        Err(ReduceError::Interrupted) => return Ok(ExitCode::INTERRUPTED),
        Err(
            error @ (ReduceError::NotThere(_) | ReduceError::Unstable(_) | ReduceError::NotShared),
        ) => {
            return Ok(inconclusive(&error));
        }
    };
    let also = shown.also;
    shown.problem.map_or(Ok(()), Err)?;
    let signature = reduced.signature.clone().unwrap_or(signature);
    reduced.before = before.unwrap_or(reduced.before);
    let mut of_capture = lines(&reduced, &name, &signature);
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(first) = of_capture.first_mut() {
        *first = first.replace(" probes)", &format!(" probes, {seconds:.1} s)"));
    }
    text.extend(of_capture);
    text.extend(flaky);
    let bad = &reduced.bad;
    text.extend(folder.lines(bad, &reference, &also));
    let name = if arguments.share { "a capture" } else { &name };
    let whence = format!("Expected are the bytes that came back from {}.", named(&reference));
    let comment = vec![why(name, &signature, bad), whence];
    let heading = Heading { comment, ..Heading::default() };
    if let Some(into) = &into {
        let good = match &reference {
            Reference::Executor(good) => Some(good),
            Reference::Recorded => None,
        };
        let (level, signature) = (arguments.level, &signature);
        let sides = RegressionSides { settings: &settings, good, bad, signature, level };
        let added = into.add(&into.of_capture(&reduced.recorded, &heading)?, &sides)?;
        text.extend(added.lines);
        if let Some(golden) = added.golden {
            folder.golden(&golden)?;
        }
    }
    if arguments.kernels {
        text.extend(folder.kernels(&reduced.recorded, bad, &reference)?);
    }
    let readme = if arguments.share { lines(&reduced, name, &signature) } else { text.clone() };
    folder.finish(&reduced, &signature, &heading, &readme)?;
    output::say(&text.join("\n"));
    Ok(conclusion(&reduced))
}

/// Ends with the smallest test, where the model of its suite is all that says what is right.
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

/// The capture cut behind its first bad command, and that command, where memory alone shows the failure: no read looks.
fn by_memory<'s>(
    first: &ShownFirst,
    capture: &Capture,
    reference: &Reference,
    bad: &Executor,
    prober: &dyn Fn(Option<Signature>, Limits) -> Result<Prober<'s>, Failed>,
    limits: Limits,
) -> Result<Option<(CommandIndex, Capture)>, Failed> {
    let (ProbeResult::Passed, Reference::Executor(good)) = (&first.probed.result, reference) else {
        return Ok(None);
    };
    let good = Good::Executor(good.clone());
    let prober = prober(None, limits)?;
    let search = Bisecting::new(&prober, capture, &good, bad);
    let conclusion = search.run().map_err(unable)?;
    let Conclusion::FirstBad(found) = &conclusion else { return Ok(None) };
    let cut = cut(&search, &conclusion).map_err(unable)?;
    Ok(cut.map(|cut| (found.command, cut)))
}

/// Whether a capture has an object or an output of this name.
fn has_name(capture: &Capture, name: &str) -> bool {
    let mut commands = capture.program.commands.iter();
    commands.any(|recorded| names_of(&recorded.command).any(|known| known == name))
}

/// Where a case comes from.
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

fn inconclusive(error: &ReduceError) -> ExitCode {
    output::say(&format!("INCONCLUSIVE {error}"));
    ExitCode::INCONCLUSIVE
}

/// Whether a failure can be seen only beside what is right.
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
