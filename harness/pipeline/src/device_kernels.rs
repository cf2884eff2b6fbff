//! TT-Metalium's firmware and dispatch kernels, which it compiles when it opens a device: compiled once, before
//! the time of any test begins.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hallmark_execution::executor::{Executor, prepare_metalium};
use hallmark_execution::interrupt;
use hallmark_execution::worker::file_lock::FileLock;
use hallmark_execution::worker::job::{Job, MetaliumJob, OpenMetaliumJob};
use hallmark_execution::worker::kernels::Contents;
use hallmark_execution::worker::process::Ending;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::metalium::{SiteChoice, prints};
use hallmark_schema::model::DeviceRequirements;
use hallmark_suite::read::Choice as _;

use super::executed::Executed;
use super::finding::Finding;
use super::judge::{self, Side};
use super::prepared::{Prepared, Worker, run, temporary_folder, without_metalium};
use super::settings::WorkerSettings;
use crate::verdict::Verdict;

/// The time limit with an empty cache: compiling takes 20 s on an idle machine, and many times that on a busy
/// one.
const COMPILING_TIMEOUT: Duration = Duration::from_secs(600);
/// The time limit with a full cache: opening takes a second or two.
const OPENING_TIMEOUT: Duration = Duration::from_secs(60);

/// The use of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceUse {
    /// The number of its queues.
    pub(super) queues: u8,
    /// Whether kernels print.
    pub(super) prints: bool,
}

/// Prepares TT-Metalium for workers that open a device, if they open one.
pub(super) fn prepare(
    settings: &WorkerSettings,
    executor: &Executor,
    site: &SiteChoice,
    usage: Option<DeviceUse>,
) -> Result<MetaliumJob, Finding> {
    let mut ready = prepare_metalium(site, executor).map_err(|error| without_metalium(&error))?;
    let Some(mut usage) = usage else { return Ok(ready.job) };
    usage.prints &= ready.prints;
    if usage.prints {
        let printing = prints::ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
        ready.job.environment.extend(printing);
    }
    let built = built(&ready.kernels, executor, usage);
    if !built.is_file() {
        build(settings, executor, &ready.job, usage, &built)?;
    }
    Ok(ready.job)
}

/// Prepares TT-Metalium, and opens the device even if everything is compiled.
pub(super) fn probe(
    settings: &WorkerSettings,
    executor: &Executor,
    site: &SiteChoice,
) -> Result<(), Finding> {
    let ready = prepare_metalium(site, executor).map_err(|error| without_metalium(&error))?;
    let usage = DeviceUse { queues: 1, prints: false };
    let built = built(&ready.kernels, executor, usage);
    if built.is_file() {
        return open(settings, executor, &ready.job, usage, OPENING_TIMEOUT);
    }
    build(settings, executor, &ready.job, usage, &built)
}

/// The file that marks that everything for opening this device is compiled.
fn built(kernels: &Path, executor: &Executor, DeviceUse { queues, prints }: DeviceUse) -> PathBuf {
    kernels.join(format!(
        "built-{}-{}-{}-{queues}{}",
        executor.architecture,
        executor.programs.dispatch.mode().name(),
        executor.device.harvesting(),
        if prints { "-prints" } else { "" },
    ))
}

/// Makes upstream compile, unless another process is compiling or has compiled.
fn build(
    settings: &WorkerSettings,
    executor: &Executor,
    metalium: &MetaliumJob,
    usage: DeviceUse,
    built: &Path,
) -> Result<(), Finding> {
    let failed = |error: std::io::Error| {
        let text = format!("{} cannot be written: {error}", built.display());
        Finding::new(Verdict::InternalError, text)
    };
    std::fs::create_dir_all(built.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
    let lock = FileLock::wait(&built.with_extension("lock"), interrupt::requested);
    let Some(_lock) = lock.map_err(failed)? else { return Ok(()) };
    if built.is_file() {
        return Ok(());
    }
    let DeviceUse { queues, prints } = usage;
    let what = if queues == 1 { "one queue".to_owned() } else { format!("{queues} queues") };
    let prints = if prints { " and prints" } else { "" };
    settings.notices.say(&format!(
        "building TT-Metalium's firmware and dispatch kernels for {} with {what}{prints}, once; no test's time runs meanwhile",
        executor.architecture
    ));
    let begin = Instant::now();
    open(settings, executor, metalium, usage, COMPILING_TIMEOUT)?;
    std::fs::write(built, "").map_err(failed)?;
    settings.notices.say(&format!("built in {:.1} s", begin.elapsed().as_secs_f64()));
    Ok(())
}

/// Opens the device in a worker and closes it.
fn open(
    settings: &WorkerSettings,
    executor: &Executor,
    metalium: &MetaliumJob,
    usage: DeviceUse,
    timeout: Duration,
) -> Result<(), Finding> {
    let mut device = executor.job(DeviceRequirements::default());
    device.metalium = Some(metalium.clone());
    let job = Job::OpenMetalium(OpenMetaliumJob { device, num_command_queues: usage.queues });
    let folder: TemporaryFolder = temporary_folder()?;
    let prepared = Prepared::new(folder, job, &Contents::new(), Worker::here(settings))?;
    let executed: Executed = run(prepared, timeout)?;
    match &executed.ended.ending {
        Ending::Reported(report) if report.problem.is_none() => Ok(()),
        Ending::Reported(_)
        | Ending::Unreadable(_)
        | Ending::Exited(_)
        | Ending::Signal(_)
        | Ending::TimedOut
        | Ending::OverBudget { .. }
        | Ending::Interrupted => {
            judge::ending(&executed, timeout, Side::Opening).map_or(Ok(()), Err)
        }
    }
}
