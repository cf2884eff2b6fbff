//! The lines that a user types, or that a script writes to standard input.
//!
//! A thread of its own reads them, because a read that waits for a line does not notice a signal. It reads a line when it
//! is asked for one, so that a line that comes before its question is still there to be left out.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use hallmark_execution::interrupt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The bytes of a line that are kept. The rest of a longer one is left out, and `…` stands for it.
const LONGEST: u64 = 4096;
/// The time after which a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// The lines of standard input.
pub(super) struct Answers {
    wanted: Sender<()>,
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
        let (wanted, asked) = channel();
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            while asked.recv().is_ok() {
                let Some(line) = read_line(&mut stdin).transpose() else { return };
                if line.is_err() | sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { wanted, lines }
    }

    /// Leaves out the lines that were typed before a question. The lines of a script are kept.
    pub(super) fn forget_what_was_typed(&self) {
        while io::stdin().is_terminal() && has_line() {
            if !matches!(self.next(), Answer::Line(_)) {
                return;
            }
        }
    }

    /// Waits for the next line.
    pub(super) fn next(&self) -> Answer {
        if self.wanted.send(()).is_err() {
            return Answer::Ended;
        }
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

/// Whether a terminal holds a line that was typed and not yet read.
fn has_line() -> bool {
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// The next line, without spaces around it; nothing at the end.
fn read_line(from: &mut impl io::BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if from.take(LONGEST).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_whole = line.ends_with(b"\n") || from.fill_buf()?.is_empty();
    let mut text = String::from_utf8_lossy(&line).trim().to_owned();
    if !is_whole {
        from.skip_until(b'\n')?;
        text.push('…');
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_one_line_and_no_answer() {
        let most = usize::try_from(LONGEST).unwrap();
        let of = |text: String| {
            let mut bytes = io::BufReader::with_capacity(7, text.as_bytes());
            std::iter::from_fn(|| read_line(&mut bytes).unwrap()).collect::<Vec<String>>()
        };
        let long = format!("a{}a\nb\n", " ".repeat(most));
        assert_eq!(of(long), ["a…", "b"]);
        let whole = format!("a{}\nb", " ".repeat(most - 2));
        assert_eq!(of(whole), ["a", "b"]);
        assert_eq!(of("a".repeat(most)), ["a".repeat(most)]);
        assert_eq!(of(String::new()), Vec::<String>::new());
    }
}
