//! Signals that ask to stop: noticed once, acted on by whoever waits for a worker.

use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, kill_process, pidfd_open};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// A signal that asks to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, as Ctrl-C sends it.
    Interrupt,
    /// SIGTERM, as a CI server sends it.
    Terminate,
    /// SIGHUP, as a terminal or a connection sends it when it closes.
    HangUp,
    /// SIGQUIT, as Ctrl-\ sends it.
    Quit,
}

impl Signal {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Interrupt, Self::Terminate, Self::HangUp, Self::Quit];

    /// Its name, as reports spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::HangUp => "SIGHUP",
            Self::Quit => "SIGQUIT",
        }
    }

    const fn number(self) -> i32 {
        match self {
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
            Self::HangUp => SIGHUP,
            Self::Quit => SIGQUIT,
        }
    }

    /// The signal in the form for sending it to a process.
    const fn to_process(self) -> rustix::process::Signal {
        match self {
            Self::Interrupt => rustix::process::Signal::INT,
            Self::Terminate => rustix::process::Signal::TERM,
            Self::HangUp => rustix::process::Signal::HUP,
            Self::Quit => rustix::process::Signal::QUIT,
        }
    }

    /// The signals that are noticed. A process that was started with nohup(1), or in the background by a script, is
    /// meant to outlive the terminal: what it was told to ignore stays ignored.
    fn noticed() -> impl Iterator<Item = Self> {
        let ignored = ignored();
        Self::ALL.into_iter().filter(move |signal| match signal {
            Self::Interrupt | Self::Terminate => true,
            Self::HangUp | Self::Quit => !ignored.contains(&signal.number()),
        })
    }
}

/// The signals that the process ignores, as far as the system tells.
fn ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (1..=64)
        .filter(|signal| mask.checked_shr(signal - 1).is_some_and(|bit| bit & 1 == 1))
        .map(u32::cast_signed)
        .collect()
}

/// What signal handlers write to.
#[derive(Debug, Default)]
struct Noticed {
    any: Arc<AtomicBool>,
    /// The number of the last one; 0 before there is one.
    number: Arc<AtomicUsize>,
}

static NOTICED: OnceLock<Noticed> = OnceLock::new();
/// What ends the process at a second signal.
static SHUTDOWNS: Mutex<Vec<SigId>> = Mutex::new(Vec::new());

/// A second signal finds the flag set and ends the process; workers die with their parent.
fn end_at_second_signal(any: &Arc<AtomicBool>) -> Result<(), std::io::Error> {
    for signal in Signal::noticed().map(Signal::number) {
        let shutdown = flag::register_conditional_shutdown(signal, 130, Arc::clone(any))?;
        SHUTDOWNS.lock().unwrap_or_else(PoisonError::into_inner).push(shutdown);
    }
    Ok(())
}

/// Begins to notice. A second signal ends the process at once.
pub fn install() -> Result<(), std::io::Error> {
    let Noticed { any, number } = NOTICED.get_or_init(Noticed::default);
    let signals: Vec<Signal> = Signal::noticed().collect();
    // Before the flags are set: the first signal must not find its own.
    end_at_second_signal(any)?;
    for signal in signals.into_iter().map(Signal::number) {
        let value = usize::try_from(signal).unwrap_or_default();
        flag::register_usize(signal, Arc::clone(number), value)?;
        flag::register(signal, Arc::clone(any))?;
    }
    survive_file_size_limit();
    Ok(())
}

/// Waits for a user's command. SIGINT comes from a terminal to both, and the command decides what it does: this process
/// outlives it in any case. Other signals are passed on. Once the command has ended, a further signal ends this process.
pub fn wait_for(command: &mut Child) -> Result<ExitStatus, std::io::Error> {
    let shutdowns = std::mem::take(&mut *SHUTDOWNS.lock().unwrap_or_else(PoisonError::into_inner));
    for shutdown in shutdowns {
        signal_hook::low_level::unregister(shutdown);
    }
    let id = Pid::from_child(command);
    let handle = pidfd_open(id, PidfdFlags::empty())?;
    let mut is_passed_on = false;
    loop {
        // A signal may come just before the process begins to wait.
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        match poll(&mut ended, Some(&PATIENCE)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        }
        if !is_passed_on && let Some(signal) = signal().filter(|it| !of_keyboard(*it)) {
            is_passed_on = true;
            // It may have ended meanwhile.
            let _ = kill_process(id, signal.to_process());
        }
    }
    let status = command.wait()?;
    if let Some(Noticed { any, .. }) = NOTICED.get() {
        end_at_second_signal(any)?;
    }
    Ok(status)
}

/// Whether a terminal sends the signal to the command itself, at Ctrl-C and Ctrl-\\.
const fn of_keyboard(signal: Signal) -> bool {
    match signal {
        Signal::Interrupt | Signal::Quit => true,
        Signal::Terminate | Signal::HangUp => false,
    }
}

/// How late a signal may be passed on.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Makes a write past a file-size limit an error like any other instead of the end of the process.
pub fn survive_file_size_limit() {
    let ignored = Arc::new(AtomicBool::new(false));
    // Without it such a write ends the process, which is no worse than before.
    let _ = flag::register(SIGXFSZ, ignored);
}

/// The signal that asked to stop, if one did.
pub fn signal() -> Option<Signal> {
    let number = NOTICED.get()?.number.load(Ordering::SeqCst);
    Signal::ALL.into_iter().find(|signal| usize::try_from(signal.number()) == Ok(number))
}

/// Whether somebody asked to stop.
pub fn requested() -> bool {
    signal().is_some()
}
