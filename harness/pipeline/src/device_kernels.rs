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
use hallmark_runtime::metalium::SiteChoice;
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

/// Prepares TT-Metalium for workers that open a device with this number of queues.
pub(super) fn prepare(
    settings: &WorkerSettings,
    executor: &Executor,
    site: &SiteChoice,
    queues: Option<u8>,
) -> Result<MetaliumJob, Finding> {
    let ready = prepare_metalium(site, executor).map_err(|error| without_metalium(&error))?;
    let Some(queues) = queues else { return Ok(ready.job) };
    let built = built(&ready.kernels, executor, queues);
    if !built.is_file() {
        build(settings, executor, &ready.job, queues, &built)?;
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
    let built = built(&ready.kernels, executor, 1);
    if built.is_file() {
        return open(settings, executor, &ready.job, 1, OPENING_TIMEOUT);
    }
    build(settings, executor, &ready.job, 1, &built)
}

/// The file that marks that everything for opening this device is compiled.
fn built(kernels: &Path, executor: &Executor, queues: u8) -> PathBuf {
    kernels.join(format!(
        "built-{}-{}-{}-{queues}",
        executor.architecture,
        executor.programs.dispatch.mode().name(),
        executor.device.harvesting(),
    ))
}

/// Makes upstream compile, unless another process is compiling or has compiled.
fn build(
    settings: &WorkerSettings,
    executor: &Executor,
    metalium: &MetaliumJob,
    queues: u8,
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
    let what = if queues == 1 { "one queue".to_owned() } else { format!("{queues} queues") };
    settings.notices.say(&format!(
        "building TT-Metalium's firmware and dispatch kernels for {} with {what}, once; no test's time runs meanwhile",
        executor.architecture
    ));
    let begin = Instant::now();
    open(settings, executor, metalium, queues, COMPILING_TIMEOUT)?;
    std::fs::write(built, "").map_err(failed)?;
    settings.notices.say(&format!("built in {:.1} s", begin.elapsed().as_secs_f64()));
    Ok(())
}

/// Opens the device in a worker and closes it.
fn open(
    settings: &WorkerSettings,
    executor: &Executor,
    metalium: &MetaliumJob,
    queues: u8,
    timeout: Duration,
) -> Result<(), Finding> {
    let mut device = executor.job(DeviceRequirements::default());
    device.metalium = Some(metalium.clone());
    let job = Job::OpenMetalium(OpenMetaliumJob { device, num_command_queues: queues });
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
