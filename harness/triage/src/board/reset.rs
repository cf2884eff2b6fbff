//! The command that resets a board.

use std::io;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use hallmark_execution::interrupt;

/// The time limit of a reset.
const LIMIT: Duration = Duration::from_secs(180);
/// The time between two checks for its end.
const INTERVAL: Duration = Duration::from_millis(20);

/// A command that resets a board: a program and its arguments, separated by blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetCommand {
    program: String,
    arguments: Vec<String>,
}

/// A text without a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no program is named; write for instance 'tt-smi -r 0'")]
pub struct ParseResetCommandError;

/// A board that was not reset.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// The user has stated no command.
    #[error(
        "nothing says how to reset the card; name the command with --reset-card, for instance 'tt-smi -r 0'"
    )]
    NoCommand,
    /// The command cannot be started or waited for.
    #[error("`{command}` cannot run: {source}")]
    Unable {
        /// The command.
        command: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The command failed.
    #[error("`{command}` ended with {status}")]
    Failed {
        /// The command.
        command: String,
        /// The exit status.
        status: std::process::ExitStatus,
    },
    /// The command did not end in time, or a signal requested the end.
    #[error("`{command}` was stopped before its end")]
    Stopped {
        /// The command.
        command: String,
    },
}

impl FromStr for ResetCommand {
    type Err = ParseResetCommandError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or(ParseResetCommandError)?;
        Ok(Self { program, arguments: words.collect() })
    }
}

impl std::fmt::Display for ResetCommand {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(formatter, " {argument}"))
    }
}

impl ResetCommand {
    /// Resets the board.
    ///
    /// # Errors
    /// [`ResetError`], but for [`ResetError::NoCommand`].
    pub fn run(&self) -> Result<(), ResetError> {
        let command = || self.to_string();
        let unable = |source| ResetError::Unable { command: command(), source };
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(unable)?;
        let begin = Instant::now();
        loop {
            match child.try_wait().map_err(unable)? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(ResetError::Failed { command: command(), status }),
                None if begin.elapsed() >= LIMIT || interrupt::requested() => {
                    child.kill().map_err(unable)?;
                    child.wait().map_err(unable)?;
                    return Err(ResetError::Stopped { command: command() });
                }
                None => std::thread::sleep(INTERVAL),
            }
        }
    }
}
