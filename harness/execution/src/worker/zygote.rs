//! The process that workers are forked from. Starting an executable, its loader and its relocations cost more than
//! the job of a small test, and a fork needs none of them.
//!
//! [`start`] forks the zygote from a process that has one thread and has opened nothing yet. The zygote performs no job: for each
//! worker it forks once more, so that a worker finds the process as it was before the first test. Whatever a worker leaves in its
//! memory ends with it. The zygote holds no device, no library and no capture.
//!
//! A worker has the surroundings of one that was executed: an empty folder, the variables of its device, no open file but its
//! output, a process group of its own. It ends when the process that asked for it ends.
//!
//! A certification executes its workers, and so does a job for another executable, for a library or for a card.

mod message;
mod system;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, BufReader, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, kill_process_group, pidfd_open, setpgid,
    waitpid,
};

use self::message::{Answer, Request, Start};
use super::own_memory;

/// The zygote of this process, once it has one.
static ZYGOTE: Mutex<Option<Zygote>> = Mutex::new(None);

/// The other end of a zygote.
#[derive(Debug)]
struct Zygote {
    process: Pid,
    /// What the zygote and its workers execute.
    executable: PathBuf,
    connection: BufReader<UnixStream>,
}

/// Starts the zygote of this process. Workers are forked from it from now on; without one they are executed.
///
/// Returns more than once: here with nothing, and in the zygote and in each worker with the code with which that process ends. The
/// caller returns from `main` with it.
///
/// A process with more than one thread has no zygote: a fork would leave locks behind that nobody opens.
#[must_use]
pub fn start() -> Option<ExitCode> {
    if !system::has_one_thread() {
        return None;
    }
    let (here, there) = UnixStream::pair().ok()?;
    let executable = std::env::current_exe().ok()?;
    // What is not written yet would be written twice.
    io::stdout().flush().ok()?;
    let caller = getpid();
    match system::fork().ok()? {
        system::Forked::Parent(process) => {
            drop(there);
            *zygote() = Some(Zygote { process, executable, connection: BufReader::new(here) });
            None
        }
        system::Forked::Child => {
            drop(here);
            Some(be_zygote(there, caller).unwrap_or(ExitCode::FAILURE))
        }
    }
}

/// Ends the zygote of this process, if it has one, and waits for that.
pub fn end() {
    if let Some(Zygote { process, connection, .. }) = zygote().take() {
        drop(connection);
        // Nobody else waits for it.
        let _ = waitpid(Some(process), WaitOptions::empty());
    }
}

fn zygote() -> MutexGuard<'static, Option<Zygote>> {
    ZYGOTE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The surroundings of a worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) executable: &'a Path,
    pub(super) current: &'a Path,
    pub(super) stdout: &'a Path,
    pub(super) stderr: &'a Path,
    pub(super) environment: &'a BTreeMap<String, String>,
    pub(super) job: &'a Path,
    /// Bytes of memory that it may take.
    pub(super) budget: Option<u64>,
}

/// Has a worker forked. Gives nothing if this process has no zygote of that executable, or if the zygote cannot fork.
pub(super) fn fork_worker(surroundings: Surroundings<'_>) -> Option<ForkedWorker> {
    let mut zygote = zygote();
    let it = zygote.as_mut().filter(|it| it.executable == surroundings.executable)?;
    let Surroundings { executable: _, current, stdout, stderr, environment, job, budget } =
        surroundings;
    let start = Start {
        current: current.to_owned(),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        environment: environment.clone(),
        job: job.to_owned(),
        budget,
    };
    match it.ask(&Request::Start(start)) {
        Ok(Answer::Started { process }) => {
            let process = Pid::from_raw(process)?;
            // The zygote waits for it only when it is told to: the number is this worker's.
            match pidfd_open(process, PidfdFlags::empty()) {
                Ok(descriptor) => Some(ForkedWorker { process, descriptor }),
                // The system has none: nobody could see the worker's end.
                Err(_) => {
                    let _ = kill_process_group(process, Signal::KILL);
                    let _ = it.ask(&Request::Wait { process: process.as_raw_nonzero().get() });
                    None
                }
            }
        }
        Ok(Answer::Ended { .. } | Answer::Failed) => None,
        // A zygote that was killed starts no worker again.
        Err(_) => {
            *zygote = None;
            None
        }
    }
}

/// A worker whose parent is the zygote.
#[derive(Debug)]
pub(super) struct ForkedWorker {
    process: Pid,
    /// Readable once it has ended.
    descriptor: OwnedFd,
}

impl ForkedWorker {
    pub(super) const fn process(&self) -> Pid {
        self.process
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> Result<bool, Errno> {
        let mut list = [PollFd::new(&self.descriptor, PollFlags::IN)];
        match poll(&mut list, Some(&Timespec::default())) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits for the end of the worker and has the zygote forget it. Until then, no other process has its number.
    ///
    /// # Errors
    /// The zygote was killed, and its workers with it.
    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        let killed = || io::Error::other("the process that workers are forked from was killed");
        let mut zygote = zygote();
        let it = zygote.as_mut().ok_or_else(killed)?;
        let request = Request::Wait { process: self.process.as_raw_nonzero().get() };
        match it.ask(&request).map_err(|_| killed())? {
            Answer::Ended { status } => Ok(ExitStatus::from_raw(status)),
            Answer::Started { .. } | Answer::Failed => Err(killed()),
        }
    }
}

impl Zygote {
    fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        message::write(self.connection.get_mut(), request)?;
        message::read(&mut self.connection)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Forks workers until the caller closes its end. Returns in each of them with its code.
fn be_zygote(connection: UnixStream, caller: Pid) -> io::Result<ExitCode> {
    // Ctrl-C in a terminal reaches the whole process group: the caller decides what becomes of workers.
    setpgid(None, None)?;
    end_with(caller)?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    drop(null);
    system::close_all_but(connection.as_fd())?;
    system::clear_environment();
    // A processor under a hypervisor takes its time to say what it can: each worker inherits the answer.
    blake3::hash(&[0; 1 << 14]);
    let mut connection = BufReader::new(connection);
    while let Some(request) = message::read(&mut connection)? {
        let answer = match request {
            Request::Start(start) => {
                let zygote = getpid();
                match system::fork() {
                    Ok(system::Forked::Child) => {
                        drop(connection);
                        return be_worker(&start, zygote);
                    }
                    Ok(system::Forked::Parent(worker)) => {
                        // The worker does the same: whichever is first, nobody sees it in this group.
                        let _ = setpgid(Some(worker), Some(worker));
                        Answer::Started { process: worker.as_raw_nonzero().get() }
                    }
                    Err(_) => Answer::Failed,
                }
            }
            Request::Wait { process } => {
                match Pid::from_raw(process).map(|it| waitpid(Some(it), WaitOptions::empty())) {
                    Some(Ok(Some((_, status)))) => Answer::Ended { status: status.as_raw() },
                    Some(Ok(None) | Err(_)) | None => Answer::Failed,
                }
            }
        };
        message::write(connection.get_mut(), &answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Performs a job in surroundings like those of an executed worker.
fn be_worker(start: &Start, zygote: Pid) -> io::Result<ExitCode> {
    setpgid(None, None)?;
    end_with(zygote)?;
    std::env::set_current_dir(&start.current)?;
    let output = |path: &Path| OpenOptions::new().write(true).open(path);
    rustix::stdio::dup2_stdout(output(&start.stdout)?)?;
    rustix::stdio::dup2_stderr(output(&start.stderr)?)?;
    system::set_environment(&start.environment);
    if let Some(budget) = start.budget {
        own_memory::set_budget(super::memory_budget::MemorySize(budget));
    }
    Ok(super::perform_job(&start.job))
}

/// Has the system kill this process when its parent ends in any way.
fn end_with(parent: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}
