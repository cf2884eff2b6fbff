//! The system calls of the zygote without a safe wrapper.
#![expect(
    unsafe_code,
    reason = "fork(2), and the environment and the descriptors of a whole process"
)]

use std::collections::BTreeMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::process::Pid;

/// One of the two processes after a fork.
pub(super) enum Forked {
    Parent(Pid),
    Child,
}

/// Whether the process has no thread but this one, as far as the system tells.
pub(super) fn has_one_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Forks a process that has one thread.
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: Both callers have one thread: `start` looks, and the zygote starts none. So no lock is held and no
    // memory half changed in the child.
    let process = unsafe { libc::fork() };
    match process {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        process => Pid::from_raw(process).map(Forked::Parent).ok_or(io::ErrorKind::Other.into()),
    }
}

/// Closes all descriptors of the process but its standard streams and one other.
pub(super) fn close_all_but(kept: BorrowedFd<'_>) -> io::Result<()> {
    let kept = u32::try_from(kept.as_raw_fd()).map_err(io::Error::other)?;
    for (first, last) in [(3, kept.saturating_sub(1)), (kept.saturating_add(1), u32::MAX)] {
        if first <= last {
            // SAFETY: The zygote has returned from no function that owns one of them, and its callers open nothing
            // before they fork.
            let failed = unsafe { libc::close_range(first, last, 0) } != 0;
            if failed {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

/// The signals that ask to stop.
const REQUESTS: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// Signals that are held back, as before [`hold_signals`].
pub(super) struct HeldSignals(libc::sigset_t);

/// Holds signals back that ask to stop; gives those that were held back before.
pub(super) fn hold_signals() -> io::Result<HeldSignals> {
    let [mut requests, mut before] = [MaybeUninit::<libc::sigset_t>::uninit(); 2];
    // SAFETY: The first call makes `requests` a set, which the others read or change. `sigprocmask` makes `before` one
    // where it succeeds. The process has one thread.
    let failed = unsafe {
        libc::sigemptyset(requests.as_mut_ptr());
        for signal in REQUESTS {
            libc::sigaddset(requests.as_mut_ptr(), signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, requests.as_ptr(), before.as_mut_ptr()) != 0
    };
    if failed {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: The call succeeded.
    Ok(HeldSignals(unsafe { before.assume_init() }))
}

/// Holds those signals back that were held back before, and no others.
pub(super) fn restore_signals(HeldSignals(before): &HeldSignals) -> io::Result<()> {
    // SAFETY: `before` is a set that the system gave. The process has one thread.
    let failed = unsafe { libc::sigprocmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Forgets all variables.
pub(super) fn clear_environment() -> io::Result<()> {
    // SAFETY: No other thread reads the environment; there is none.
    let failed = unsafe { libc::clearenv() } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Sets variables.
pub(super) fn set_environment(variables: &BTreeMap<String, String>) {
    for (name, value) in variables {
        // SAFETY: No other thread reads the environment; there is none.
        unsafe { std::env::set_var(name, value) };
    }
}
