//! `hallmark reduce`: reduces a capture to the smallest that still fails in the same way.

mod folder;
mod regression;
mod shown;
mod shown_first;
mod steps;
mod suite_terms;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use hallmark_pipeline::signature::MatchLevel;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::Capture;
use hallmark_schema_editing::with_end_as_call;
use hallmark_triage::reduce::{ReduceError, names_of};
use hallmark_triage::tick_budget;

use self::folder::Folder;
use self::regression::Regression;
use self::steps::{Steps, Whole};
use super::options::{EXECUTION, FreshOption, OUTPUT};
use super::subject::Subject;
use super::triage_options::{Sides, Subjected, TriageOptions, unable};
use super::{Failed, output, signature_file, work};

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The exit code is 0 if a smaller capture was found, or if the capture cannot be made smaller. It is 12 if the failure does not occur, or if the time ran out before every command was tried."
)]
pub(super) struct ReduceArguments {
    /// A capture, or a test by its name
    #[arg(value_name = "CAPTURE|TEST")]
    subject: Subject,
    #[command(flatten)]
    sides: TriageOptions,
    #[command(flatten)]
    pub(super) fresh: FreshOption,
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
    /// The folder for the result, which must not exist yet [default: target/hallmark/triage/ and the capture's name]
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: Option<PathBuf>,
    /// Write for each kernel that is left a folder with its text and a script by which cvise or shrinkray makes the text
    /// smaller
    #[arg(long, conflicts_with = "share", help_heading = OUTPUT)]
    kernels: bool,
    /// Add the result to the root's suites as a new file, suites/GROUP/NAME.yaml
    ///
    /// The case is shown to pass on the good side and to fail on the bad one. `hallmark bless` accepts its golden.
    #[arg(long, value_name = "SUITE", help_heading = OUTPUT)]
    into: Option<String>,
    /// The folder of a reduction that was stopped: what it asked is not asked again
    #[arg(long, value_name = "FOLDER", conflicts_with = "output", help_heading = OUTPUT)]
    resume: Option<PathBuf>,
}

pub(super) fn run(arguments: &ReduceArguments) -> Result<ExitCode, Failed> {
    let begin = Instant::now();
    let Subjected { settings, capture, .. } = arguments.sides.runs.subjected(&arguments.subject)?;
    let Sides { bad, reference } = arguments.sides.sides(&capture)?;
    let into = arguments.into.as_deref();
    let into = into.map(|path| Regression::at(arguments.sides.runs.root()?, path)).transpose()?;
    let name = arguments.subject.to_string();
    let folder = match &arguments.resume {
        Some(folder) => Folder::begun(folder)?,
        None => Folder::new(arguments.output.as_deref(), &name)?,
    };
    let jobs = arguments.jobs.and_then(|jobs| usize::try_from(jobs).ok());
    let steps = Steps {
        arguments,
        settings: &settings,
        name: &name,
        bad: &bad,
        reference: &reference,
        limits: tick_budget::bound(
            arguments.sides.runs.limits(&capture),
            &capture,
            &reference,
            &settings.workers,
            &settings.kernels,
        ),
        into: into.as_ref(),
        folder: &folder,
        begin,
        jobs: jobs.unwrap_or_else(work::processors),
    };
    let given = arguments.signature.as_deref().map(signature_file::read).transpose()?;
    let mut subject = Whole { capture, before: None, text: Vec::new() };
    if let Subject::Test(test) = &arguments.subject
        && let Some(code) = steps.in_terms_of_the_suite(test, given.as_ref(), &mut subject)?
    {
        return Ok(code);
    }
    // A cut runs only its own calls. So the reduction takes the end of the queues as one more call of the capture.
    if let Cow::Owned(ended) = with_end_as_call(&subject.capture) {
        subject.capture = ended;
    }
    let keep: BTreeSet<String> = arguments.keep.iter().cloned().collect();
    if let Some(name) = keep.iter().find(|name| !has_name(&subject.capture, name)) {
        let text = format!(
            "nothing in {} is called `{name}`; `hallmark dump {}` shows the names",
            arguments.subject, arguments.subject
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let failure = match steps.failure(given, &mut subject)? {
        Ok(failure) => failure,
        Err(not_there) => return Ok(inconclusive(&not_there)),
    };
    let (reduced, also) = match steps.reduced(&subject.capture, &failure, &keep)? {
        Ok(reduced) => reduced,
        Err(ReduceError::Probe(error)) => return Err(unable(error)),
        Err(ReduceError::Interrupted) => return Ok(ExitCode::INTERRUPTED),
        Err(
            error @ (ReduceError::NotThere { .. }
            | ReduceError::Unstable { .. }
            | ReduceError::NotShared),
        ) => {
            return Ok(inconclusive(&error));
        }
    };
    steps.keep(reduced, &also, failure, subject)
}

/// Whether a capture has an object or an output with this name.
fn has_name(capture: &Capture, name: &str) -> bool {
    let mut commands = capture.program.commands.iter();
    commands.any(|recorded| names_of(&recorded.command).any(|known| known == name))
}

fn inconclusive(error: &ReduceError) -> ExitCode {
    output::say(&format!("INCONCLUSIVE {error}"));
    ExitCode::INCONCLUSIVE
}
