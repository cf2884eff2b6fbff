//! Repeats results of a package while the user watches.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use hallmark_certification::repetition::{Repetition, RepetitionError, RepetitionSettings};
use hallmark_certification::replay::{Repeated, Sample, what_it_buys};
use hallmark_certification::results::{ResultLine, RunKey};
use hallmark_certification::verify::{Rejection, Verified};
use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executors, ProgramSettings, Purpose};
use hallmark_execution::interrupt;
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_package::{Package, Timestamp};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Notices, WorkerSettings};
use hallmark_schema::plain;
use hallmark_schema::plural::counted;
use hallmark_search::statistics::Counts;
use serde::Serialize;

use crate::cli::options::{DEVICES, EXECUTION, MemoryOption};
use crate::cli::progress::{Form, Progress};
use crate::cli::{Failed, output, work};
use crate::configuration::Configuration;

/// Why a result without a capture is not repeated.
const NO_CAPTURE: &str = "no capture and cannot be repeated";
/// The number of results that are printed one by one.
const TOLD: usize = 20;

/// How results are repeated.
#[derive(Clone, Debug, Args)]
pub(super) struct RepeatOptions {
    /// The subject, where Hallmark does not bring it: a simulator's library (ttsim:PATH), a release of TT-Metalium
    /// (metalium:SITE@ttsim:PATH) or a card (pci:NUMBER). Its hash must be the package's (repeatable)
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR", help_heading = DEVICES)]
    device: Vec<String>,
    /// The number by which the sample is drawn [default: the system draws one]
    #[arg(long, value_name = "NUMBER", help_heading = EXECUTION)]
    seed: Option<u64>,
    /// Seconds after which a replay is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86400),
        help_heading = EXECUTION)]
    timeout: u32,
    #[command(flatten)]
    memory: MemoryOption,
}

/// The results to repeat: all, or a sample of this many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SampleSize(pub(super) Option<NonZeroU32>);

impl FromStr for SampleSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self(None)),
            number => number.parse().map(|number| Self(Some(number))).map_err(|_| {
                "write a number of results, or `all`; name the package before --replay".to_owned()
            }),
        }
    }
}

impl From<RepetitionError> for Failed {
    fn from(error: RepetitionError) -> Self {
        let code = match error {
            RepetitionError::Rejected(_) | RepetitionError::NoDevice { .. } => ExitCode::REJECTED,
            RepetitionError::UnknownBuild { .. } => ExitCode::INCONCLUSIVE,
            RepetitionError::NotNamed { .. }
            | RepetitionError::OtherSubject { .. }
            | RepetitionError::OtherRelease { .. }
            | RepetitionError::Chooses { .. } => ExitCode::USAGE,
            RepetitionError::Environment(_) => ExitCode::DEVICE,
            RepetitionError::Machine(_) => ExitCode::INTERNAL,
        };
        Self::new(code, plain(&error.to_string()))
    }
}

/// The outcome of a repetition as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Numbers {
    agree: u32,
    differ: u32,
    /// The number of results that could not be repeated.
    unknown: u32,
    /// The number of results with a capture, from which a sample is drawn.
    of: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// The results that differ or are unknown, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    told: Vec<String>,
}

/// The outcome of a repetition.
pub(super) struct Outcome {
    /// The selected runs, each with its outcome.
    runs: Vec<(RunKey, Repeated)>,
    /// The number of results with a capture.
    of: usize,
    /// The number of results without one that are not among the selected runs.
    without_capture: usize,
    /// The seed that drew a sample.
    seed: Option<u64>,
    /// What of the subject was not compared.
    not_compared: Vec<String>,
}

impl Outcome {
    /// The numbers of results that agreed, that differ and that could not be repeated.
    pub(super) fn counts(&self) -> [u32; 3] {
        let count = |is: fn(&Repeated) -> bool| {
            u32::try_from(self.runs.iter().filter(|(_, it)| is(it)).count()).unwrap_or(u32::MAX)
        };
        [
            count(|it| matches!(it, Repeated::Same)),
            count(|it| matches!(it, Repeated::Differs(_))),
            count(|it| matches!(it, Repeated::Unknown(_))),
        ]
    }

    /// The lines about each result that did not come out as in the package.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(run, repeated): &(RunKey, Repeated)| match repeated {
            Repeated::Same => None,
            Repeated::Differs(what) => Some(format!("DIFFERS {run}: {}", plain(what))),
            Repeated::Unknown(why) => Some(format!("UNKNOWN {run}: {}", plain(why))),
        };
        let mut lines: Vec<String> = self.runs.iter().filter_map(line).collect();
        let more = lines.len().saturating_sub(TOLD);
        lines.truncate(TOLD);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines
    }

    /// The numbers as JSON has them.
    pub(super) fn numbers(&self) -> Numbers {
        let [agree, differ, unknown] = self.counts();
        let of = self.of;
        Numbers { agree, differ, unknown, of, seed: self.seed, told: self.lines() }
    }

    /// The numbers of results in one line.
    pub(super) fn summary(&self) -> String {
        let [same, differs, unknown] = self.counts();
        let drawn = self.seed.map(|seed| format!(", drawn by seed {seed}")).unwrap_or_default();
        format!(
            "{} repeated{drawn}: {same} agree, {differs} differ, {unknown} unknown",
            counted(self.runs.len(), "result", "results")
        )
    }

    /// The numbers in one line, and the lines about each result that did not come out as in the package.
    pub(super) fn all_lines(&self) -> Vec<String> {
        std::iter::once(self.summary()).chain(self.lines()).collect()
    }

    /// The conclusions about all results of the package, in lines.
    pub(super) fn conclusions(&self) -> Vec<String> {
        let [same, differs, unknown] = self.counts();
        let mut lines = self.not_compared.clone();
        if self.without_capture > 0 {
            let without = counted(self.without_capture, "result has", "results have");
            lines.push(format!("{without} {NO_CAPTURE}"));
        }
        let counts = Counts::new(differs, same.saturating_add(differs));
        let unknown = usize::try_from(unknown).unwrap_or(usize::MAX);
        lines.push(what_it_buys(counts, unknown, self.of));
        lines
    }
}

impl RepeatOptions {
    /// Repeats results of a package.
    pub(super) fn repeat(
        &self,
        package: &Package<'_>,
        results: &[ResultLine],
        SampleSize(size): SampleSize,
        at: Timestamp,
        jobs: Option<u16>,
    ) -> Result<Outcome, Failed> {
        self.memory.grant(&Configuration::default());
        let size = size.map(|size| usize::try_from(size.get()).unwrap_or(usize::MAX));
        let drawn = size.map(|size| Ok::<_, Failed>((size, self.seed()?))).transpose()?;
        let Sample { chosen, of, without_capture } = Sample::of(results, drawn);
        let architectures: BTreeSet<Architecture> =
            chosen.iter().map(|it| it.result.run.test.architecture).collect();
        let selected: Vec<Architecture> = architectures.iter().copied().collect();
        let named = Executors::named(&self.device, &selected, Purpose::Capture)
            .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
        let worker = WorkerProgram::current();
        let workers = WorkerSettings {
            executors: Executors::default(),
            replay_executors: Executors::default(),
            programs: ProgramSettings::default(),
            worker: worker.map_err(|error| Failed::new(ExitCode::INTERNAL, error))?,
            least_timeout: Duration::ZERO,
            notices: Notices::to(output::note),
        };
        let timeout = Duration::from_secs(self.timeout.into());
        let settings = RepetitionSettings { named, workers, timeout, at };
        let repetition = Repetition::new(package, &architectures, settings)?;
        let progress = Progress::with_estimate(chosen.len(), "results", Form::of_stderr());
        let jobs = jobs.map_or_else(work::processors, usize::from);
        let repeated = work::each(&chosen, jobs, |it| {
            progress.begin(&it.result.run.test.to_string());
            let repeated = repetition.repeat(it);
            let passed = matches!(repeated, Ok(Repeated::Same));
            progress.end(passed, None::<fn()>);
            Ok(repeated?)
        });
        progress.close();
        let (repeated, not_compared) = (repeated?, repetition.not_compared());
        if interrupt::requested() {
            let text = "interrupted; nothing is concluded";
            return Err(Failed::new(ExitCode::INTERRUPTED, text));
        }
        let mut runs: Vec<(RunKey, Repeated)> =
            chosen.iter().map(|it| it.result.run.clone()).zip(repeated).collect();
        // No sample contains them, and whoever asks for all results asks for these, too.
        let lacking = if drawn.is_none() { without_capture.as_slice() } else { &[] };
        let unknown = || Repeated::Unknown(format!("it has {NO_CAPTURE}"));
        runs.extend(lacking.iter().map(|result| (result.run.clone(), unknown())));
        let without_capture = without_capture.len().saturating_sub(lacking.len());
        let seed = drawn.map(|(_, seed)| seed);
        Ok(Outcome { runs, of, without_capture, seed, not_compared })
    }

    fn seed(&self) -> Result<u64, Failed> {
        if let Some(seed) = self.seed {
            return Ok(seed);
        }
        // A short number is easier to repeat.
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("the system gives no random number: {error}"))
        })?;
        Ok(u64::from(u32::from_le_bytes(bytes)))
    }
}

/// Whether a verifying command repeats results, too.
#[derive(Clone, Debug, Args)]
pub(super) struct ReplayOption {
    /// Repeat a sample of this many results on the package's subject, too [without a number: all]. Only so can a package of what
    /// Hallmark can run be accepted without a reservation
    #[arg(long, value_name = "SAMPLE", num_args = 0..=1, default_missing_value = "all", help_heading = EXECUTION)]
    replay: Option<SampleSize>,
    #[command(flatten)]
    repeat: RepeatOptions,
}

impl ReplayOption {
    /// Repeats results of an accepted package if the user asks for it; gives the new answer of the verifier, and
    /// the outcome of the repetition.
    pub(super) fn apply(
        &self,
        package: &Package<'_>,
        verified: Result<Verified, Rejection>,
        at: Timestamp,
        jobs: Option<u16>,
    ) -> Result<(Result<Verified, Rejection>, Option<Outcome>), Failed> {
        let Some(size) = self.replay else {
            if self.repeat.seed.is_some() || !self.repeat.device.is_empty() {
                let text = "--device and --seed are for what --replay repeats; add --replay";
                return Err(Failed::new(ExitCode::USAGE, text));
            }
            return Ok((verified, None));
        };
        let Ok(verified) = verified else { return Ok((verified, None)) };
        let outcome = self.repeat.repeat(package, &verified.results, size, at, jobs)?;
        let runs = outcome.runs.iter().map(|(run, repeated)| (run, repeated));
        Ok((verified.repeated(runs), Some(outcome)))
    }
}
