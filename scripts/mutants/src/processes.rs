//! Programs that are called, and their ends.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::error::Error;

/// What a program prints.
///
/// # Errors
/// It cannot be started, or it fails.
pub fn output(program: &str, arguments: &[&str], folder: &Path) -> Result<String, Error> {
    let failed = |reason: String| Error::Command {
        command: format!("{program} {}", arguments.join(" ")),
        reason,
    };
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It passed.
    Passed,
    /// It failed, or crashed.
    Failed,
    /// It ran for too long.
    TimedOut,
}

/// A test that runs.
pub struct Running {
    child: Child,
    since: Instant,
    limit: Duration,
}

impl Running {
    /// Starts it.
    pub fn start(command: &mut Command, limit: Duration) -> std::io::Result<Self> {
        Ok(Self { child: command.spawn()?, since: Instant::now(), limit })
    }

    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// How it ended, once it has. One that runs for too long is ended here.
    pub fn ended(&mut self) -> std::io::Result<Option<Ending>> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(Some(if status.success() { Ending::Passed } else { Ending::Failed }));
        }
        if self.elapsed() < self.limit {
            return Ok(None);
        }
        self.end()?;
        Ok(Some(Ending::TimedOut))
    }

    /// Ends the test and all that it started: workers are in process groups of their own.
    pub fn end(&mut self) -> std::io::Result<()> {
        for process in descendants(self.child.id()) {
            if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
                // One that is gone already needs no end.
                let _ = kill_process(process, Signal::KILL);
            }
        }
        self.child.wait().map(drop)
    }
}

/// A process and all below it, by the parents that the system states.
fn descendants(process: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of the program may hold spaces; it ends with the last bracket.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        if let Some(parent) = parent.and_then(|parent| parent.parse::<u32>().ok()) {
            parents.push((id, parent));
        }
    }
    let mut found = vec![process];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        next += 1;
    }
    found
}
