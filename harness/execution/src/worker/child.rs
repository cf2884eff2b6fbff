//! A process that was started, executed or forked: its end, and the group that it leads.

use std::io::Error;
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};

use super::zygote::ForkedWorker;

/// A started process that leads a group.
pub(super) enum StartedProcess {
    /// A child of this process.
    Executed(Child),
    /// A child of the zygote.
    Forked(ForkedWorker),
}

impl StartedProcess {
    /// The number of the process.
    pub(super) fn id(&self) -> u32 {
        match self {
            Self::Executed(child) => child.id(),
            Self::Forked(worker) => worker.process().as_raw_nonzero().get().cast_unsigned(),
        }
    }

    /// Whether the process has ended. It is not reaped, by this process or by the zygote: until then its number cannot be
    /// reused, so that the group that is killed is its own.
    pub(super) fn has_ended(&self) -> Result<bool, Error> {
        match self {
            Self::Executed(child) => {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
                Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
            }
            Self::Forked(worker) => Ok(worker.has_ended()?),
        }
    }

    /// Kills the group that the process leads.
    pub(super) fn kill_group(&self) {
        let leader = match self {
            Self::Executed(child) => Pid::from_child(child),
            Self::Forked(worker) => worker.process(),
        };
        // The group may no longer exist.
        let _ = kill_process_group(leader, Signal::KILL);
    }

    /// Waits for the end of the process and forgets its number.
    pub(super) fn wait(&mut self) -> Result<ExitStatus, Error> {
        match self {
            Self::Executed(child) => child.wait(),
            Self::Forked(worker) => worker.wait(),
        }
    }
}

/// Wakes when a process ends, if the system supports that.
pub(super) struct EndOfProcess(Option<OwnedFd>);

impl EndOfProcess {
    pub(super) fn of(process: &StartedProcess) -> Self {
        let id = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
        Self(id.and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok()))
    }

    /// Returns when the process has ended or the time has passed.
    pub(super) fn wait(&self, at_most: Duration) {
        let waited = self.0.as_ref().is_some_and(|descriptor| {
            let timeout = Timespec::try_from(at_most).ok();
            let mut list = [PollFd::new(descriptor, PollFlags::IN)];
            matches!(poll(&mut list, timeout.as_ref()), Ok(_) | Err(rustix::io::Errno::INTR))
        });
        if !waited {
            std::thread::sleep(at_most.min(Duration::from_millis(1)));
        }
    }
}
