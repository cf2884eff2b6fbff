//! `hallmark bisect`: finds the first command, the parts or the version at which one executor behaves
//! differently from another.

mod between_releases;
mod budget;
mod commands;
mod commits;
mod parts;
mod replay_log;
mod search_options;
mod seeds;
mod versions;

use clap::{Args, ValueEnum};
use hallmark_pipeline::seeds::Seeds;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_search::statistics::Confidence;
use hallmark_triage::parts::PartKind;

use self::budget::Budget;
use self::search_options::SearchOptions;
use self::versions::VersionOptions;
use super::Failed;
use super::options::{DEVICES, EXECUTION, FreshOption, SELECTION};
use super::subject::Subject;
use super::triage_options::{CardOptions, RunOptions};

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The exit code is 0 if there is an answer: one command, two that lack an order, guilty parts, or a version. It is 12 if there is none."
)]
pub(super) struct BisectArguments {
    /// A capture, or a test by its name
    #[arg(required_unless_present_any = ["replay_log", "axis"])]
    subject: Option<Subject>,
    /// What is searched
    #[arg(long, value_enum, default_value_t = Over::Commands, help_heading = SELECTION)]
    over: Over,
    #[command(flatten)]
    versions: VersionOptions,
    /// The seeds of --over seeds, both ends included [default: 0..63]
    #[arg(long, value_name = "FIRST..LAST", help_heading = SELECTION)]
    schedule_seeds: Option<Seeds>,
    /// The failure is flaky: find out how often it shows, and repeat what passes
    ///
    /// Where the schedule seed decides whether the failure shows, a seed is looked for under which it does.
    #[arg(long, help_heading = EXECUTION)]
    flaky: bool,
    /// How sure the answer has to be if the failure is flaky
    #[arg(long, value_name = "SHARE", default_value = "0.99", help_heading = EXECUTION)]
    confidence: Confidence,
    /// How many runs a flaky failure may take, or after which time no other run begins: 500, 90s, 10m, 2h [default: 1000]
    #[arg(long, value_name = "RUNS|TIME", help_heading = EXECUTION)]
    budget: Option<Budget>,
    /// The executor that fails, written as for `run --device`; with --over versions, the one that versions are parts of
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    bad: Option<String>,
    /// The reference executor, or `recorded` for the results in the capture
    ///
    /// By default the built-in simulator; of versions, and where that simulator fails, `recorded`; of kernels and images,
    /// --bad with the capture's kernels and the built-in firmware.
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    good: Option<String>,
    #[command(flatten)]
    runs: RunOptions,
    #[command(flatten)]
    cards: CardOptions,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    pub(super) fresh: FreshOption,
}

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Over {
    /// The calls of the capture
    Commands,
    /// The versions of an --axis, or the commits of a --git repository
    Versions,
    /// The builds of kernels: --bad 'sim kernels=FOLDER', and the capture's own or those of --good
    Kernels,
    /// The images of two firmware bundles: --bad 'sim firmware=FOLDER', and the built-in one or that of --good
    Images,
    /// The cores that programs run on: with which of them alone the failure is there
    Cores,
    /// Where a `finish` cures the failure
    Syncs,
    /// The schedule seeds of a simulator: under which of them the failure is there
    Seeds,
}

impl BisectArguments {
    /// The capture or test to search in.
    fn subject(&self) -> Result<&Subject, Failed> {
        self.subject.as_ref().ok_or_else(|| {
            Failed::new(ExitCode::USAGE, "name a capture or a test that is searched")
        })
    }

    /// The executor that fails.
    fn bad(&self) -> Result<&str, Failed> {
        self.bad.as_deref().ok_or_else(|| {
            let text =
                "--bad EXECUTOR is missing: the executor that fails, written as for `run --device`";
            Failed::new(ExitCode::USAGE, text)
        })
    }
}

pub(super) fn run(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    if let Some(folder) = &arguments.search.replay_log {
        return replay_log::run(folder);
    }
    if arguments.over != Over::Versions && !arguments.versions.axis.is_empty() {
        let text = "--axis names versions; add --over versions";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    if arguments.over != Over::Versions && arguments.versions.commits.git.is_some() {
        let text = "--git names commits, which are versions; add --over versions";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    if arguments.over != Over::Seeds && arguments.schedule_seeds.is_some() {
        let text = "--schedule-seeds names the seeds that are searched; add --over seeds";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    if arguments.budget.is_some() && !matches!(arguments.over, Over::Commands | Over::Versions) {
        let text = "--budget is for commands and versions; other searches ask a few questions";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    match arguments.over {
        Over::Commands => commands::run(arguments),
        Over::Versions => versions::run(arguments),
        Over::Kernels => parts::run(arguments, PartKind::Kernels),
        Over::Images => parts::run(arguments, PartKind::Images),
        Over::Cores => parts::run(arguments, PartKind::Cores),
        Over::Syncs => parts::run(arguments, PartKind::Syncs),
        Over::Seeds => seeds::run(arguments),
    }
}
