//! The lines that a user types, or that a script writes to standard input.
//!
//! A thread of its own reads them, because a read that waits for a line does not notice a signal.

use std::io::{self, BufRead as _, Read as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use hallmark_execution::interrupt;

/// The longest line, in bytes; a longer one counts as several.
const LONGEST: u64 = 4096;
/// The time after which a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// The lines of standard input.
pub(super) struct Answers {
    lines: Receiver<io::Result<String>>,
}

/// The outcome of waiting for a line.
#[derive(Debug)]
pub(super) enum Answer {
    /// A line, without spaces around it.
    Line(String),
    /// Standard input is at its end.
    Ended,
    /// A signal asks to stop.
    Stopped,
    /// Standard input cannot be read.
    Unreadable(io::Error),
}

impl Answers {
    /// Begins to read. Nothing else may read standard input from then on.
    pub(super) fn of_stdin() -> Self {
        // One line ahead, so that a file of any length takes no memory.
        let (sender, lines) = sync_channel(1);
        thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            loop {
                let mut line = Vec::new();
                let sent = match stdin.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                    Ok(0) => return,
                    Ok(_) => Ok(String::from_utf8_lossy(&line).trim().to_owned()),
                    Err(error) => Err(error),
                };
                if sent.is_err() | sender.send(sent).is_err() {
                    return;
                }
            }
        });
        Self { lines }
    }

    /// Waits for the next line.
    pub(super) fn next(&self) -> Answer {
        loop {
            if interrupt::requested() {
                return Answer::Stopped;
            }
            match self.lines.recv_timeout(PATIENCE) {
                Ok(Ok(line)) => return Answer::Line(line),
                Ok(Err(error)) => return Answer::Unreadable(error),
                Err(RecvTimeoutError::Disconnected) => return Answer::Ended,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
