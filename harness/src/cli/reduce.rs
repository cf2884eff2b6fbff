//! `hallmark reduce`: the least of a capture that still fails in the same way.

mod folder;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use hallmark_schema::model::{Capture, ContentHash};
use hallmark_schema_editing::{Edit, apply};
use indicatif::{ProgressBar, ProgressDrawTarget};

use self::folder::{Begun, Folder};
use super::options::{EXECUTION, OUTPUT};
use super::subject::Subject;
use super::triage_options::{Sides, Subjected, TriageOptions, unable};
use super::{Failed, output, signature_file, work};
use crate::interrupt;
use crate::pipeline::Limits;
use crate::triage::log::{Inputs, Log};
use crate::triage::probe::{ProbeResult, Probed, Prober, Reference, Sought};
use crate::triage::reduce::{Cost, Observer, ReduceError, Reduced, Reducing, lines};
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
    /// Leave names, data and the text of kernels out, and show that the failure stays
    ///
    /// ELFs stay: without them nobody could run the capture.
    #[arg(long, conflicts_with = "no_values", help_heading = OUTPUT)]
    share: bool,
    /// The folder for the result, which is not there yet [default: target/hallmark/triage/ and the capture's name]
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: Option<PathBuf>,
    /// The folder of a reduction that was stopped: what it asked is not asked again
    #[arg(long, value_name = "FOLDER", conflicts_with = "output", help_heading = OUTPUT)]
    resume: Option<PathBuf>,
}

pub(super) fn run(arguments: &ReduceArguments) -> Result<ExitCode, Failed> {
    let Subjected { settings, capture, bound } =
        arguments.sides.runs.subjected(&arguments.subject)?;
    let Sides { bad, reference } = arguments.sides.sides(&capture)?;
    let name = arguments.subject.to_string();
    let folder = match &arguments.resume {
        Some(folder) => Folder::begun(folder)?,
        None => Folder::new(arguments.output.as_deref(), &name)?,
    };
    let seed = bad.programs.schedule_seed;
    let limits = arguments.sides.runs.limits(bound.as_ref());
    let prober = |signature: Option<Signature>, limits: Limits| {
        let sought = Sought { signature, level: arguments.level, reference: reference.clone() };
        Prober::new(&settings.workers, Arc::clone(&settings.kernels), limits, sought)
            .map_err(unable)
    };

    let given = arguments.signature.as_deref().map(signature_file::read).transpose()?;
    let edits = match &reference {
        Reference::Executor(_) => vec![Edit::ExpectAsCaptured],
        Reference::Recorded => Vec::new(),
    };
    let whole = apply(&edits, &capture).capture;
    let first = prober(given.clone(), limits)?.probe(&whole, &bad, seed).map_err(unable)?;
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
        .with("share", arguments.share);
    let Begun { log, known } = folder.log(&inputs, arguments.resume.is_some())?;
    known.into_iter().for_each(|line| prober.remember(line.key, line.result));

    let begin = Instant::now();
    let until = Duration::from_secs(arguments.until.into());
    let jobs = arguments.jobs.and_then(|jobs| usize::try_from(jobs).ok());
    let reducing = Reducing {
        prober: &prober,
        bad: &bad,
        capture: &capture,
        seed,
        deadline: begin.checked_add(until),
        jobs: jobs.unwrap_or_else(work::processors),
        values: !arguments.no_values,
        share: arguments.share,
    };
    let mut shown = Shown::new(&folder, log);
    let reduced = reducing.run(&mut shown);
    shown.bar.finish_and_clear();
    let reduced = match reduced {
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
    let mut text = lines(&reduced, &name, &signature);
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(first) = text.first_mut() {
        *first = first.replace(" probes)", &format!(" probes, {seconds:.1} s)"));
    }
    text.extend(folder.lines(&bad, &reference, &also));
    folder.finish(&reduced, &signature, &text)?;
    if !arguments.share {
        folder.scripts(&reduced.recorded, &bad, &reference)?;
    }
    output::say(&text.join("\n"));
    Ok(conclusion(&reduced))
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

/// Shows how far the reduction is, and keeps what it meets.
struct Shown<'f> {
    folder: &'f Folder,
    log: Log<Vec<Edit>>,
    bar: ProgressBar,
    probes: u64,
    cost: Option<Cost>,
    /// Other failures that were kept, by the names of their files.
    also: Vec<String>,
    problem: Option<Failed>,
}

impl<'f> Shown<'f> {
    fn new(folder: &'f Folder, log: Log<Vec<Edit>>) -> Self {
        let bar = ProgressBar::new_spinner();
        if output::error_width().is_none() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { folder, log, bar, probes: 0, cost: None, also: Vec::new(), problem: None }
    }

    fn note<T>(&mut self, result: Result<T, Failed>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problem.get_or_insert(error);
                None
            }
        }
    }
}

impl Observer for Shown<'_> {
    fn probed(&mut self, edits: &[Edit], probed: &Probed) -> ControlFlow<()> {
        if let Some(elapsed) = probed.elapsed {
            let result = probed.result.clone();
            let written = self.log.append(edits.to_vec(), probed.key, result, elapsed);
            self.note(written.map_err(|error| Failed::new(ExitCode::INTERNAL, error)));
        }
        self.probes = self.probes.saturating_add(1);
        let size = self.cost.map_or_else(String::new, |cost| {
            format!(": {} commands, {} objects, {} cores", cost.commands, cost.objects, cost.cores)
        });
        self.bar.set_message(format!("probe {}{size}", self.probes));
        self.bar.tick();
        if self.problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn accepted(&mut self, cost: &Cost, recorded: Option<&Capture>) {
        self.cost = Some(*cost);
        if let Some(recorded) = recorded {
            let written = self.folder.best(recorded);
            self.note(written);
        }
    }

    fn met(&mut self, signature: &Signature, candidate: &Capture) {
        let number = self.also.len();
        let written = self.folder.also(number, signature, candidate);
        let file = self.note(written);
        self.also.extend(file);
    }
}
