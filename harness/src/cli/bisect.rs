//! `hallmark bisect`: the first command at which an executor leaves the way of another one.

mod versions;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use hallmark_runtime::device_code::KernelStore;
use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_search::statistics::Confidence;
use indicatif::{ProgressBar, ProgressDrawTarget};

use self::versions::VersionOptions;
use super::capture_file::write;
use super::options::{DEVICES, EXECUTION, OUTPUT, SELECTION};
use super::subject::Subject;
use super::triage_options::{RECORDED, RunOptions, Subjected, unable, unlike};
use super::{Failed, output};
use crate::executor::Executor;
use crate::triage::bisect::{
    Bisecting, Conclusion, FlakyOptions, Good, Progress, Report, cut, document, report,
    with_open_end,
};
use crate::triage::probe::{Prober, Reference, Sought};
use crate::triage::signature::{self, MatchLevel};
use crate::verdict::ExitCode;

/// How many schedule seeds are tried for one under which a flaky failure shows.
const SEEDS: u64 = 64;

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The exit code is 0 if there is an answer: one command, two that lack an order, or a version. It is 12 if there is none."
)]
pub(super) struct BisectArguments {
    /// A capture, or a test by its name
    subject: Subject,
    /// What is searched
    #[arg(long, value_enum, default_value_t = Over::Commands, help_heading = SELECTION)]
    over: Over,
    #[command(flatten)]
    versions: VersionOptions,
    /// The failure is flaky: find out how often it shows, and repeat what passes
    ///
    /// Where the schedule seed decides whether the failure shows, a seed is looked for under which it does.
    #[arg(long, help_heading = EXECUTION)]
    flaky: bool,
    /// How sure the answer has to be if the failure is flaky
    #[arg(long, value_name = "SHARE", default_value = "0.99", help_heading = EXECUTION)]
    confidence: Confidence,
    /// How many runs a flaky failure may take [default: 1000]
    #[arg(long, value_name = "RUNS", help_heading = EXECUTION)]
    budget: Option<u64>,
    /// The executor that fails, written as for `run --device`; with --over versions, the one that versions are parts of
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    bad: Option<String>,
    /// The executor that does what is right, or `recorded`: what the capture says [default: the built-in simulator, and of
    /// versions `recorded`]
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    good: Option<String>,
    #[command(flatten)]
    runs: RunOptions,
    /// Print the answer as JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// The folder for the answer: the capture cut behind the first bad command, its signature, the answer as text and JSON
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: Option<PathBuf>,
}

/// What is searched for the first bad one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Over {
    /// The calls of the capture
    Commands,
    /// The versions of an --axis
    Versions,
}

impl BisectArguments {
    /// Both sides.
    fn sides(&self, capture: &Capture) -> Result<(Good, Executor), Failed> {
        let Some(bad) = self.bad.as_deref() else {
            let text =
                "--bad EXECUTOR is missing: the executor that fails, written as for `run --device`";
            return Err(Failed::new(ExitCode::USAGE, text));
        };
        let bad = self.runs.executor(bad, capture)?;
        let good = match self.good.as_deref() {
            Some(RECORDED) => return Ok((Good::Recorded, bad)),
            Some(good) => self.runs.executor(good, capture)?,
            None => self.runs.executor("sim", capture)?,
        };
        Ok((Good::Executor(unlike(good, &bad)?), bad))
    }
}

pub(super) fn run(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    match arguments.over {
        Over::Commands if arguments.versions.is_empty() => commands(arguments),
        Over::Commands => {
            let text = "--axis, --signature and --resume are for versions; add --over versions";
            Err(Failed::new(ExitCode::USAGE, text))
        }
        Over::Versions => versions::run(arguments),
    }
}

fn commands(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    let Subjected { settings, capture, bound } = arguments.runs.subjected(&arguments.subject)?;
    let (mut good, mut bad) = arguments.sides(&capture)?;
    if let Some(folder) = &arguments.output {
        prepare(folder)?;
    }
    let capture = match good {
        Good::Executor(_) => with_open_end(&capture).into_owned(),
        // What the capture says of its end is what is asked about.
        Good::Recorded => capture,
    };
    let subject = arguments.subject.to_string();
    let reference = match &good {
        Good::Executor(good) => Reference::Executor(good.clone()),
        Good::Recorded => Reference::Recorded,
    };
    let sought = Sought { signature: None, level: MatchLevel::default(), reference };
    let kernels: Arc<KernelStore> = Arc::clone(&settings.kernels);
    let limits = arguments.runs.limits(bound.as_ref());
    let prober = Prober::new(&settings.workers, kernels, limits, sought).map_err(unable)?;
    let bar = ProgressBar::new_spinner();
    if arguments.json || output::error_width().is_none() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let progress = |Progress { runs, bracket: (after, until) }| {
        let from = after.map_or(0, |after| after.0.saturating_add(1));
        bar.set_message(format!("run {runs}: one of the commands {from} to {until}"));
        bar.tick();
    };
    let seeded = arguments.flaky && bad.device.repeats();
    if seeded {
        choose_seed(&prober, &capture, &mut good, &mut bad)?;
    }
    let mut search = Bisecting::new(&prober, &capture, &good, &bad);
    search.progress = &progress;
    let BisectArguments { confidence, budget, .. } = *arguments;
    // Under one seed nothing comes and goes.
    search.flaky = (arguments.flaky && !seeded).then_some(FlakyOptions { confidence, budget });
    let conclusion = search.run().map_err(unable);
    bar.finish_and_clear();
    let conclusion = conclusion?;
    let written_at = |at: CommandIndex| {
        let step = bound.as_ref()?.case.steps.get(usize::try_from(at.0).ok()?)?;
        Some(step.written_at())
    };
    let seed = bad.programs.schedule_seed;
    let (good, bad) = (good.to_string(), bad.to_string());
    let bad = if seeded { format!("{bad} schedule_seed={seed}") } else { bad };
    let about = Report {
        subject: &subject,
        capture: &capture,
        good: &good,
        bad: &bad,
        written_at: &written_at,
    };
    let mut lines = report(&conclusion, &about);
    if let Some(folder) = &arguments.output
        && !conclusion.is_interrupted()
    {
        lines.extend(keep(folder, &search, &conclusion, &about)?);
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&document(&conclusion, &about))
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        output::say_raw(&format!("{text}\n"));
    } else {
        output::say(&lines.join("\n"));
    }
    Ok(match conclusion {
        Conclusion::FirstBad(_) | Conclusion::Order(_) => ExitCode::SUCCESS,
        Conclusion::Inconclusive(_) if conclusion.is_interrupted() => ExitCode::INTERRUPTED,
        Conclusion::Inconclusive(_) => ExitCode::INCONCLUSIVE,
    })
}

/// Gives both sides the first schedule seed under which they differ, if there is one among the first.
fn choose_seed(
    prober: &Prober<'_>,
    capture: &Capture,
    good: &mut Good,
    bad: &mut Executor,
) -> Result<(), Failed> {
    let own = bad.programs.schedule_seed;
    for seed in (0..SEEDS).chain([own]) {
        bad.programs.schedule_seed = seed;
        match good {
            Good::Executor(good) => good.programs.schedule_seed = seed,
            Good::Recorded => {}
        }
        if Bisecting::new(prober, capture, good, bad).differs().map_err(unable)? {
            break;
        }
    }
    Ok(())
}

/// Makes the folder for the answer, and sees that files can be made in it: a search may take hours.
fn prepare(folder: &Path) -> Result<(), Failed> {
    // Of an earlier answer, files would stay that belong to no answer of this search.
    if folder.join(ANSWER).exists() {
        let text = format!(
            "{} holds the answer of an earlier search; name another folder with -o",
            folder.display()
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    made.map(drop).map_err(|error| {
        let text = format!(
            "{} cannot hold the answer: {error}; name another folder with -o",
            folder.display()
        );
        Failed::new(ExitCode::USAGE, text)
    })
}

/// The answer as JSON, in its folder.
const ANSWER: &str = "answer.json";

/// Writes the answer into a folder; gives the lines that say so.
fn keep(
    folder: &Path,
    search: &Bisecting<'_>,
    conclusion: &Conclusion,
    about: &Report<'_>,
) -> Result<Vec<String>, Failed> {
    let text = serde_json::to_string_pretty(&document(conclusion, about))
        .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
    write(&folder.join(ANSWER), text.as_bytes())?;
    write(&folder.join("answer.txt"), (report(conclusion, about).join("\n") + "\n").as_bytes())?;
    let mut there = vec!["answer".to_owned()];
    if let Some(text) = conclusion.signature().and_then(|it| signature::text(it).ok()) {
        write(&folder.join("signature.json"), text.as_bytes())?;
        there.push("signature".to_owned());
    }
    let shown = folder.display();
    let mut again = Vec::new();
    if let Some(capture) = cut(search, conclusion).map_err(unable)? {
        let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(&folder.join("cut.lmb"), &bytes)?;
        there.insert(0, format!("cut.lmb with {} commands", capture.program.commands.len()));
        again.push(format!("  again     hallmark replay {shown}/cut.lmb --device '{}'", about.bad));
    }
    let mut lines = vec![format!("  kept      {shown}  ({})", there.join(", "))];
    lines.extend(again);
    Ok(lines)
}
