//! `hallmark bless --review`: goldens one by one, each written as soon as it is accepted.

use std::io::IsTerminal as _;

use hallmark_execution::interrupt;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plural::counted;

use super::Proposal;
use crate::cli::answers::{Answer, Answers};
use crate::cli::{Failed, output};

/// The number of lines in a row that are no answer before the review ends.
const MOST_WRONG: usize = 10;

/// The meaning of each answer.
const HELP: &str = "  a  accept: the golden is written now
  r  reject: the golden stays as it is, and the command ends with 1
  s  skip: the golden stays as it is
  q  quit: this golden and all after it stay as they are
  ?  this help";

/// A reviewer's decision on a golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Accept,
    Reject,
    Skip,
    Quit,
}

/// The meaning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Decision(Decision),
    Help,
    Nothing,
}

impl Said {
    fn of(line: &str) -> Self {
        match line.to_lowercase().as_str() {
            "a" | "accept" => Self::Decision(Decision::Accept),
            "r" | "reject" => Self::Decision(Decision::Reject),
            "s" | "skip" => Self::Decision(Decision::Skip),
            "q" | "quit" => Self::Decision(Decision::Quit),
            "?" | "h" | "help" => Self::Help,
            _ => Self::Nothing,
        }
    }
}

/// The decisions so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Score {
    accepted: usize,
    rejected: usize,
    skipped: usize,
}

impl Score {
    /// The closing line, with the number of goldens that were not decided.
    fn words(self, all: usize) -> String {
        let Self { accepted, rejected, skipped } = self;
        let left = all.saturating_sub(accepted.saturating_add(rejected).saturating_add(skipped));
        let goldens = counted(all, "golden", "goldens");
        let mut text =
            format!("{goldens}: {accepted} accepted, {rejected} rejected, {skipped} skipped");
        if left > 0 {
            text.push_str(&format!(", {left} not reviewed"));
        }
        text
    }
}

/// Steps through goldens. The code is that of a failed test if one was rejected.
pub(super) fn review(proposals: &[Proposal<'_>]) -> Result<ExitCode, Failed> {
    let answers = Answers::of_stdin();
    let mut score = Score::default();
    let all = proposals.len();
    for (number, proposal) in (1_usize..).zip(proposals) {
        output::say(&format!("{number} of {all}  {}", proposal.text()));
        let decision = match ask(&answers) {
            Ok(decision) => decision,
            // The user cannot see what would be decided.
            Err(Unanswered::Unseen) => {
                let text = format!("the review was not shown; {}", score.words(all));
                return Err(Failed::new(ExitCode::INTERNAL, text));
            }
            Err(Unanswered::Stopped) => {
                let signal = interrupt::signal().map_or("a signal", interrupt::Signal::name);
                output::say(&format!("\n{signal} stopped the review; {}", score.words(all)));
                return Ok(ExitCode::INTERRUPTED);
            }
            Err(Unanswered::Failed(problem)) => {
                let text = format!(
                    "{problem}; {}; answer with a line for each golden, or use --yes or --dry-run",
                    score.words(all)
                );
                return Err(Failed::new(ExitCode::USAGE, text));
            }
        };
        match decision {
            Decision::Accept => {
                proposal.carry_out().map_err(|failed| {
                    Failed::new(failed.code, format!("{}; {}", failed.text, score.words(all)))
                })?;
                score.accepted = score.accepted.saturating_add(1);
            }
            Decision::Reject => score.rejected = score.rejected.saturating_add(1),
            Decision::Skip => score.skipped = score.skipped.saturating_add(1),
            Decision::Quit => break,
        }
    }
    output::say(&score.words(all));
    Ok(if score.rejected > 0 { ExitCode::NOT_PASSED } else { ExitCode::SUCCESS })
}

/// Why a golden was not decided.
enum Unanswered {
    /// A signal asks to stop.
    Stopped,
    /// Standard output is lost.
    Unseen,
    /// There is no answer, or none that can be understood.
    Failed(String),
}

/// Asks until a line is a decision.
fn ask(answers: &Answers) -> Result<Decision, Unanswered> {
    let mut wrong = 0_usize;
    loop {
        answers.forget_what_was_typed();
        output::say_lines("accept, reject, skip or quit? [a/r/s/q/?] ");
        if output::is_lost() {
            return Err(Unanswered::Unseen);
        }
        let line = match answers.next() {
            Answer::Line(line) => {
                // A terminal shows what is typed.
                if !std::io::stdin().is_terminal() {
                    output::say(&line);
                }
                line
            }
            Answer::Stopped => return Err(Unanswered::Stopped),
            Answer::Ended => {
                return Err(Unanswered::Failed("standard input is at its end".to_owned()));
            }
            Answer::Unreadable(error) => {
                return Err(Unanswered::Failed(format!("standard input cannot be read: {error}")));
            }
        };
        match Said::of(&line) {
            Said::Decision(decision) => return Ok(decision),
            Said::Help => output::say(HELP),
            Said::Nothing => {
                wrong = wrong.saturating_add(1);
                if wrong == MOST_WRONG {
                    let text =
                        format!("`{line}` is not an answer, and neither were the lines before it");
                    return Err(Unanswered::Failed(text));
                }
                output::say("Write one letter: a, r, s, q, or ? for help.");
            }
        }
    }
}
