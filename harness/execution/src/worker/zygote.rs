//! The process that workers are forked from. Starting an executable, its loader and its relocations cost more than
//! the job of a small test, and a fork needs none of them.
//!
//! [`start`] forks the zygote from a process that has one thread and has opened nothing yet. The zygote performs no job: for each
//! worker it forks once more, so that a worker finds the process as it was before the first test. Whatever a worker leaves in its
//! memory ends with it. The zygote holds no device, no library and no capture.
//!
//! A forked worker has what an executed one has: an empty folder, the variables of its device, no open file but its output, and a
//! process group of its own. It ends when the process that asked for it ends. It shares the layout of addresses with the other
//! workers of a run. Only `--fresh` and certifications vary that layout.
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
    /// The executable of the zygote and its workers.
    executable: PathBuf,
    connection: BufReader<UnixStream>,
}

/// Starts the zygote of this process. Workers are forked from it from now on; without one they are executed.
///
/// Returns more than once: here with nothing, and in the zygote and in each worker with the code with which that process ends. The
/// caller returns from `main` with it.
///
/// A process with more than one thread has no zygote: the fork would copy locks that no thread releases.
#[must_use]
pub fn start() -> Option<ExitCode> {
    if !system::has_one_thread() {
        return None;
    }
    let (here, there) = UnixStream::pair().ok()?;
    let executable = std::env::current_exe().ok()?;
    // The child would write buffered output a second time.
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
    if let Some(zygote) = zygote().take() {
        zygote.end();
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
    // A path that is not UTF-8 has no message.
    let start = message::line(&Request::Start(start)).ok()?;
    match it.ask(&start) {
        Ok(Answer::Started { process }) => {
            let process = Pid::from_raw(process)?;
            // The zygote waits for it only when it is told to: the number is this worker's.
            match pidfd_open(process, PidfdFlags::empty()) {
                Ok(descriptor) => Some(ForkedWorker { process, descriptor }),
                // Without a descriptor this process cannot see the worker's end.
                Err(_) => {
                    let _ = kill_process_group(process, Signal::KILL);
                    let _ = it.wait_for(process);
                    None
                }
            }
        }
        Ok(Answer::Ended { .. } | Answer::Failed) => None,
        // A zygote that was killed starts no worker again.
        Err(_) => {
            if let Some(killed) = zygote.take() {
                killed.end();
            }
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
        // Without the lock: a worker that gives much memory back keeps no other one from starting.
        let mut list = [PollFd::new(&self.descriptor, PollFlags::IN)];
        while matches!(poll(&mut list, None), Err(Errno::INTR)) {}
        let mut zygote = zygote();
        let it = zygote.as_mut().ok_or_else(killed)?;
        match it.wait_for(self.process).map_err(|_| killed())? {
            Answer::Ended { status } => Ok(ExitStatus::from_raw(status)),
            Answer::Started { .. } | Answer::Failed => Err(killed()),
        }
    }
}

impl Zygote {
    /// Closes the connection, by which the zygote ends, and waits for that: no other process waits for it.
    fn end(self) {
        let Self { process, connection, executable: _ } = self;
        drop(connection);
        let _ = waitpid(Some(process), WaitOptions::empty());
    }

    /// Has the zygote wait for a worker.
    fn wait_for(&mut self, worker: Pid) -> io::Result<Answer> {
        self.ask(&message::line(&Request::Wait { process: worker.as_raw_nonzero().get() })?)
    }

    fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.connection.get_mut().write_all(request)?;
        message::read(&mut self.connection)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Forks workers until the caller closes its end. Returns in each of them with its code.
fn be_zygote(connection: UnixStream, caller: Pid) -> io::Result<ExitCode> {
    // Ctrl-C in a terminal reaches the whole process group: the caller decides what becomes of workers.
    setpgid(None, None)?;
    end_with(caller)?;
    // A signal to all processes of a run asks the caller to stop. The caller ends the workers and tells how each ended.
    let signals = system::hold_signals()?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    drop(null);
    system::close_all_but(connection.as_fd())?;
    system::clear_environment()?;
    // Under a hypervisor, asking the processor for its features is slow. The hash asks once, and workers inherit the answer.
    blake3::hash(&[0; 1 << 14]);
    let mut connection = BufReader::new(connection);
    while let Some(request) = message::read(&mut connection)? {
        let answer = match request {
            Request::Start(start) => {
                let zygote = getpid();
                match system::fork() {
                    Ok(system::Forked::Child) => {
                        drop(connection);
                        system::restore_signals(&signals)?;
                        return Ok(be_worker(&start, zygote));
                    }
                    Ok(system::Forked::Parent(worker)) => {
                        // Both call setpgid, so that the worker leads its group before the answer is sent.
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
        connection.get_mut().write_all(&message::line(&answer)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Performs a job in surroundings like those of an executed worker.
fn be_worker(start: &Start, zygote: Pid) -> ExitCode {
    match surround(start, zygote) {
        Ok(()) => super::perform_job(&start.job),
        Err(error) => {
            // The parent shows the end of this output.
            let _ = writeln!(io::stderr(), "a worker cannot begin: {error}");
            ExitCode::FAILURE
        }
    }
}

fn surround(start: &Start, zygote: Pid) -> io::Result<()> {
    let output = |path: &Path| OpenOptions::new().write(true).open(path);
    rustix::stdio::dup2_stderr(output(&start.stderr)?)?;
    rustix::stdio::dup2_stdout(output(&start.stdout)?)?;
    setpgid(None, None)?;
    end_with(zygote)?;
    std::env::set_current_dir(&start.current)?;
    system::set_environment(&start.environment);
    if let Some(budget) = start.budget {
        own_memory::set_budget(super::memory_budget::MemorySize(budget));
    }
    Ok(())
}

/// Has the system kill this process when its parent ends in any way.
fn end_with(parent: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}
