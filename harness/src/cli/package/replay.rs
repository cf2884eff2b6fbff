//! `hallmark package replay`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hallmark_certification::replay::{Repeatable, Sample, capture, what_it_buys};
use hallmark_chip::{Architecture, HarvestingMask};
use hallmark_execution::executor::{Dispatch, Executor, Executors, ProgramSettings, Purpose};
use hallmark_execution::interrupt;
use hallmark_execution::parallel;
use hallmark_execution::whole_file;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::{Ending, WorkerProgram};
use hallmark_package::Package;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Limits, Notices, ReplayOf, WorkerSettings, judge, replay_capture};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::model::DispatchMode;
use hallmark_schema::plain;
use hallmark_schema::plural::counted;
use hallmark_search::statistics::Counts;
use hallmark_suite::discover::Root;

use crate::cli::options::{DEVICES, EXECUTION};
use crate::cli::package_file::{opened, read, results};
use crate::cli::progress::Progress;
use crate::cli::{Failed, output, work};

/// The number of results that are printed one by one.
const TOLD: usize = 20;

#[derive(Clone, Debug, Args)]
pub(super) struct ReplayArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// The device that repeats the results, written as for `run --device`, once for each architecture of the package
    /// [default: the simulator of each capture's chip]
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR", help_heading = DEVICES)]
    device: Vec<String>,
    /// Repeat so many results, drawn by --seed [default: all]
    #[arg(long, value_name = "NUMBER", requires = "seed", value_parser = clap::value_parser!(u32).range(1..), help_heading = EXECUTION)]
    sample: Option<u32>,
    /// Your own number, by which the sample is drawn: tell nobody before you have the package
    #[arg(long, value_name = "NUMBER", requires = "sample", help_heading = EXECUTION)]
    seed: Option<u64>,
    /// Seconds after which a replay is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86400),
        help_heading = EXECUTION)]
    timeout: u32,
    /// How many results are repeated at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = EXECUTION)]
    jobs: Option<u16>,
}

/// The outcome of repeating a result.
enum Repeated {
    /// Every call ended and every read returned as the package says.
    Same,
    /// The repetition differed.
    Otherwise(String),
    /// The result could not be repeated.
    CannotTell(String),
}

pub(super) fn run(arguments: &ReplayArguments) -> Result<ExitCode, Failed> {
    let ReplayArguments { package: path, .. } = arguments;
    let bytes = read(path)?;
    let package = opened(path, &bytes)?;
    let claimed = results(path, &package)?;
    let size = arguments.sample.map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let sample = Sample::of(claimed.results(), size.zip(arguments.seed));
    let usage = |error: &dyn std::fmt::Display| Failed::new(ExitCode::USAGE, error);
    let architectures: BTreeSet<Architecture> =
        sample.chosen.iter().map(|it| it.run.test.architecture).collect();
    let architectures: Vec<Architecture> = architectures.into_iter().collect();
    let executors = Executors::choose(&arguments.device, &architectures, Purpose::Capture)
        .map_err(|error| usage(&error))?;
    // A named device can repeat only results of its own architecture.
    let left_out = architectures.iter().find(|it| executors.chosen(**it).is_none());
    if let (false, Some(left_out)) = (arguments.device.is_empty(), left_out) {
        return Err(usage(&format!(
            "the package has results of {left_out}, too; name a device for them with --device {left_out}=EXECUTOR, for instance {left_out}=sim"
        )));
    }
    let chosen: Vec<(&Repeatable<'_>, Executor)> = sample
        .chosen
        .iter()
        .map(|it| (it, on_chip_of(executors.of(it.run.test.architecture, &programs(it)), it)))
        .collect();
    let replayer = Replayer::new(arguments, &package)?;
    let progress = Progress::with_estimate(chosen.len(), output::error_width());
    let jobs = arguments.jobs.map_or_else(work::processors, usize::from);
    let repeated = parallel::each_until(&chosen, jobs, interrupt::requested, |(it, executor)| {
        progress.begin(&it.run.test.to_string());
        let repeated = replayer.repeat(it, executor);
        progress.end(None::<fn()>);
        repeated
    });
    progress.close();
    let repeated = repeated?;
    if interrupt::requested() {
        output::say("interrupted; nothing is concluded");
        return Ok(ExitCode::INTERRUPTED);
    }
    Ok(conclude(arguments, &sample, &chosen, &repeated))
}

/// Prints the summary, and gives the exit code.
fn conclude(
    arguments: &ReplayArguments,
    sample: &Sample<'_>,
    chosen: &[(&Repeatable<'_>, Executor)],
    repeated: &[Repeated],
) -> ExitCode {
    let (mut otherwise, mut unknown, mut lines): (u32, u32, Vec<String>) = (0, 0, Vec::new());
    for ((it, _), repeated) in chosen.iter().zip(repeated) {
        let (count, label, what) = match repeated {
            Repeated::Same => continue,
            Repeated::Otherwise(what) => (&mut otherwise, "OTHERWISE", what),
            Repeated::CannotTell(why) => (&mut unknown, "UNKNOWN", why),
        };
        *count = count.saturating_add(1);
        lines.push(format!("{label} {}: {}", it.run, plain(what)));
    }
    let more = lines.len().saturating_sub(TOLD);
    lines.truncate(TOLD);
    lines.iter().for_each(|line| output::say(line));
    if more > 0 {
        output::say(&format!("and {more} more"));
    }
    let runs = u32::try_from(repeated.len()).unwrap_or(u32::MAX).saturating_sub(unknown);
    let same = runs.saturating_sub(otherwise);
    let drawn = arguments.seed.map(|seed| format!(", drawn by seed {seed}")).unwrap_or_default();
    output::say(&format!(
        "{}: {same} as in the package, {otherwise} otherwise, {unknown} unknown, of {} repeated{drawn}",
        arguments.package.display(),
        counted(repeated.len(), "result", "results")
    ));
    if sample.without_capture > 0 {
        let without = counted(sample.without_capture, "result has", "results have");
        output::say(&format!("  {without} no capture and cannot be repeated"));
    }
    output::say(&format!("  {}", what_it_buys(Counts::new(otherwise, runs), sample.of)));
    match (otherwise, unknown) {
        (0, 0) if runs > 0 => ExitCode::SUCCESS,
        (0, _) => ExitCode::INCONCLUSIVE,
        (_, _) => ExitCode::REJECTED,
    }
}

/// The settings of a result's programs.
fn programs(repeatable: &Repeatable<'_>) -> ProgramSettings {
    let dispatch = match repeatable.run.dispatch {
        DispatchMode::Host => Dispatch::Host,
        DispatchMode::Device => Dispatch::Device,
    };
    let schedule_seed = repeatable.run.schedule_seed;
    ProgramSettings { dispatch, schedule_seed, ..ProgramSettings::default() }
}

/// Gives a simulator that is named without a chip the chip of the result.
fn on_chip_of(mut executor: Executor, repeatable: &Repeatable<'_>) -> Executor {
    if let DeviceSpec::Simulator(chip) = &mut executor.device
        && chip.harvesting.is_none()
    {
        chip.harvesting = HarvestingMask(repeatable.run.harvesting);
    }
    executor
}

/// Repeats results.
struct Replayer<'a> {
    package: &'a Package<'a>,
    workers: WorkerSettings,
    kernels: Arc<KernelStore>,
    folder: TemporaryFolder,
    timeout: Duration,
}

impl<'a> Replayer<'a> {
    fn new(arguments: &ReplayArguments, package: &'a Package<'a>) -> Result<Self, Failed> {
        let internal = |error: &dyn std::fmt::Display| Failed::new(ExitCode::INTERNAL, error);
        let folder = TemporaryFolder::new().map_err(|error| internal(&error))?;
        let root = std::env::current_dir().ok().and_then(|here| Root::above(&here).ok());
        let kernels = root.map_or_else(
            || Arc::new(KernelStore::builder().build()),
            |root| hallmark_pipeline::Settings::kernel_store(&root),
        );
        let workers = WorkerSettings {
            executors: Executors::default(),
            replay_executors: Executors::default(),
            programs: ProgramSettings::default(),
            worker: WorkerProgram::current().map_err(|error| internal(&error))?,
            notices: Notices::to(output::note),
        };
        let timeout = Duration::from_secs(arguments.timeout.into());
        Ok(Self { package, workers, kernels, folder, timeout })
    }

    fn repeat(&self, it: &Repeatable<'_>, executor: &Executor) -> Result<Repeated, Failed> {
        let capture = match capture(self.package, it) {
            Ok(capture) => capture,
            Err(error) => return Ok(Repeated::Otherwise(error.to_string())),
        };
        let internal = |error: &dyn std::fmt::Display| Failed::new(ExitCode::INTERNAL, error);
        // Several runs may have one capture.
        let file = tempfile::Builder::new()
            .suffix(".lmb")
            .tempfile_in(self.folder.path())
            .map_err(|error| internal(&error))?;
        let bytes = match capture.to_bytes() {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Repeated::Otherwise(error.to_string())),
        };
        whole_file::write_in_own_folder(file.path(), &bytes).map_err(|error| internal(&error))?;
        let replay = ReplayOf {
            capture: file.path().to_owned(),
            num_command_queues: capture.program.num_command_queues,
            executor: executor.clone(),
            kernels: executor.find_kernels(&capture, &self.kernels),
        };
        let limits = Limits { timeout: self.timeout, asked: capture.asked() };
        let executed = match replay_capture(&self.workers, replay, limits) {
            Ok(executed) => executed,
            Err(finding) => return Ok(Repeated::CannotTell(finding.headline)),
        };
        if matches!(executed.ended.ending, Ending::Interrupted) {
            return Ok(Repeated::CannotTell("interrupted".to_owned()));
        }
        match &executed.report.problem {
            Some(WorkerProblem::Refused(report)) => {
                let reasons = report.reasons.iter().map(|reason| reason.text.as_str());
                return Ok(Repeated::CannotTell(reasons.collect::<Vec<_>>().join("; ")));
            }
            Some(problem @ (WorkerProblem::Device { .. } | WorkerProblem::Firmware { .. })) => {
                return Ok(Repeated::CannotTell(problem.to_string()));
            }
            Some(_) | None => {}
        }
        let finding = judge::replayed_file(&capture, &executed, self.timeout, false);
        Ok(finding.map_or(Repeated::Same, |finding| {
            let first = finding.lines.first().map(|line| format!(": {line}")).unwrap_or_default();
            Repeated::Otherwise(format!("{}{first}", finding.headline))
        }))
    }
}
