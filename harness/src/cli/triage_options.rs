//! Options of commands that compare two executors by a capture.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hallmark_execution::executor::{Dispatch, Executor, for_capture};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Limits, Settings};
use hallmark_schema::model::Capture;
use hallmark_schema::plural::counted;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::discover::Root;
use hallmark_triage::board::{Care, ResetCommand};
use hallmark_triage::commits::CommitsError;
use hallmark_triage::probe::{ProbeError, Prober, Reference, Sought};
use hallmark_triage::stopped::Stopped;

use super::Failed;
use super::capture_file::read_to_replay;
use super::options::{DEVICES, Devices, EXECUTION, ProgramOptions, RootOption};
use super::select::one_test;
use super::subject::{Subject, capture_now, settings_of_captures};

/// The value of `--good` that means the capture itself.
pub(super) const RECORDED: &str = "recorded";

/// Both sides, and how they run.
#[derive(Clone, Debug, Args)]
pub(super) struct TriageOptions {
    /// The executor that fails, written as for `run --device`
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    pub(super) bad: String,
    /// The reference executor, or `recorded` for the results in the capture [default: the built-in simulator]
    #[arg(long, value_name = "EXECUTOR", help_heading = DEVICES)]
    good: Option<String>,
    #[command(flatten)]
    pub(super) runs: RunOptions,
    #[command(flatten)]
    pub(super) cards: CardOptions,
}

/// What is looked at, and how it runs.
#[derive(Clone, Debug, Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    root: RootOption,
    #[command(flatten)]
    pub(super) programs: ProgramOptions,
    /// Seconds after which a run is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86400),
        help_heading = EXECUTION)]
    pub(super) timeout: u32,
}

/// What searches do about cards.
#[derive(Clone, Debug, Args)]
pub(super) struct CardOptions {
    /// The command that resets a card which stays unsound after a failure, for instance 'tt-smi -r 0'
    #[arg(long, value_name = "COMMAND", help_heading = EXECUTION)]
    reset_card: Option<ResetCommand>,
}

/// The subject of the command.
pub(super) struct Subjected {
    pub(super) settings: Settings,
    pub(super) capture: Capture,
    /// The test, if the subject is one.
    pub(super) bound: Option<BoundTest>,
}

/// Both sides of a comparison.
pub(super) struct Sides {
    pub(super) bad: Executor,
    pub(super) reference: Reference,
}

impl TriageOptions {
    /// Both sides.
    pub(super) fn sides(&self, capture: &Capture) -> Result<Sides, Failed> {
        self.runs.sides(&self.bad, self.good.as_deref(), capture)
    }
}

impl CardOptions {
    /// The prober that runs candidates.
    pub(super) fn prober<'s>(
        &self,
        settings: &'s Settings,
        limits: Limits,
        sought: Sought,
    ) -> Result<Prober<'s>, Failed> {
        let mut prober =
            Prober::new(&settings.workers, Arc::clone(&settings.kernels), limits, sought)
                .map_err(unable)?;
        prober.reset = self.reset_card.clone();
        Ok(prober)
    }
}

impl RunOptions {
    /// The folder that holds the suites.
    pub(super) fn root(&self) -> Result<Root, Failed> {
        self.root.find()
    }

    /// The capture: from its file, or made now by running its test.
    pub(super) fn subjected(&self, subject: &Subject) -> Result<Subjected, Failed> {
        match subject {
            Subject::Capture(file) => {
                let settings = settings_of_captures(self.programs.settings()?)?;
                Ok(Subjected { settings, capture: read_to_replay(file)?, bound: None })
            }
            Subject::Test(name) => {
                let root = self.root.find()?;
                let devices = Devices { programs: self.programs.settings()?, ..Devices::default() };
                let settings = devices.settings(root, &[name.architecture])?;
                let test = one_test(&settings.root, name)?;
                let bound = settings.workers.test_executors(test.name.architecture).bind(&test)?;
                let capture = capture_now(&settings, name)?;
                Ok(Subjected { settings, capture, bound: Some(bound) })
            }
        }
    }

    /// An executor for a capture.
    pub(super) fn executor(&self, text: &str, capture: &Capture) -> Result<Executor, Failed> {
        let programs = self.programs.settings()?;
        for_capture(Some(text), capture.program.architecture, &programs)
            .map_err(|error| Failed::new(ExitCode::USAGE, error))
    }

    /// Both sides. If the bad side is the built-in simulator and the user names no good side, the capture says
    /// what is right.
    pub(super) fn sides(
        &self,
        bad: &str,
        good: Option<&str>,
        capture: &Capture,
    ) -> Result<Sides, Failed> {
        let bad = self.executor(bad, capture)?;
        let good = match good {
            Some(RECORDED) => return Ok(Sides { bad, reference: Reference::Recorded }),
            Some(good) => self.executor(good, capture)?,
            None => {
                let simulator = self.executor("sim", capture)?;
                if simulator == bad {
                    return Ok(Sides { bad, reference: Reference::Recorded });
                }
                simulator
            }
        };
        Ok(Sides { reference: Reference::Executor(unlike(good, &bad)?), bad })
    }

    /// The limits of each run of the capture.
    pub(super) fn limits(&self, capture: &Capture) -> Limits {
        Limits { timeout: Duration::from_secs(self.timeout.into()), asked: capture.asked() }
    }
}

/// The good side, if its executor is not the bad one.
pub(super) fn unlike(good: Executor, bad: &Executor) -> Result<Executor, Failed> {
    if good == *bad {
        let text = format!(
            "both sides are {bad} with the same firmware, dispatch and seed, so there is nothing to compare; name another executor with --bad or --good"
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    Ok(good)
}

/// Describes an executor with its folders, and its launcher if that is not the host.
pub(super) fn in_full(executor: &Executor) -> String {
    let mut text = executor.to_string();
    if let Some(folder) = &executor.programs.firmware {
        text.push_str(&format!(" firmware={}", folder.display()));
    }
    if let Some(folder) = &executor.kernels {
        text.push_str(&format!(" kernels={}", folder.display()));
    }
    if executor.programs.dispatch != Dispatch::Host {
        text.push_str(&format!(" dispatch={}", executor.programs.dispatch));
    }
    text
}

/// The requests that each card got in addition to the runs of a search.
pub(super) fn care(prober: &Prober<'_>) -> Vec<String> {
    let of_card = |(device, Care { canaries, resets })| {
        let canaries = counted(canaries as usize, "canary", "canaries");
        let resets = counted(resets as usize, "reset", "resets");
        format!("  card      {device}: {canaries}, {resets}")
    };
    prober.care().into_iter().map(of_card).collect()
}

/// The error for a search that ended without an answer.
pub(super) fn stopped(error: Stopped) -> Failed {
    match error {
        Stopped::Probe(error) => unable(error),
        Stopped::Log(error) => Failed::new(ExitCode::INTERNAL, error),
        Stopped::Commits(error) => of_commits(error),
        Stopped::Interrupted => Failed::new(ExitCode::INTERRUPTED, Stopped::Interrupted),
    }
}

/// The error for commits that cannot be searched.
pub(super) fn of_commits(error: CommitsError) -> Failed {
    let code = match error {
        CommitsError::File { .. } => ExitCode::INTERNAL,
        CommitsError::Interrupted => ExitCode::INTERRUPTED,
        _ => ExitCode::USAGE,
    };
    Failed::new(code, error)
}

/// The error for an executor that cannot be asked.
pub(super) fn unable(error: ProbeError) -> Failed {
    let code = match error {
        ProbeError::Identity(_) => ExitCode::USAGE,
        ProbeError::Folder(_) => ExitCode::INTERNAL,
    };
    Failed::new(code, error)
}
