//! The conclusion of a search in words, and as JSON.

use std::collections::BTreeMap;

use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::{Capture, Command, CommandIndex};
use hallmark_schema::plural::{counted, grouped};
use serde::Serialize;
use serde_json::{Value, json};

use super::conclusion::{
    Conclusion, Effort, EqualMemory, FirstBad, Flakiness, Inconclusive, Missing, MissingOrder,
};
use super::written::{Written, who_wrote};
use crate::probe::CannotTell;

/// The version of the JSON document. Adding keys does not change it.
const VERSION: u32 = 1;

/// The context of a conclusion.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The capture's file or the test.
    pub subject: &'a str,
    /// The capture.
    pub capture: &'a Capture,
    /// The name of the good side.
    pub good: &'a str,
    /// The name of the bad side.
    pub bad: &'a str,
    /// The position of a command in a suite, if it has one.
    pub written_at: &'a dyn Fn(CommandIndex) -> Option<String>,
}

impl Report<'_> {
    /// "command 412 of 1,180, enqueue_program of `softmax` on queue 0 (line 88 of the suite)".
    pub fn title(&self, at: CommandIndex) -> String {
        let total = grouped(self.capture.program.commands.len());
        format!("command {at} of {total}{}", self.about(at))
    }

    /// "command 412, enqueue_program of `softmax` on queue 0 (line 88 of the suite)".
    pub fn command(&self, at: CommandIndex) -> String {
        format!("command {at}{}", self.about(at))
    }

    fn about(&self, at: CommandIndex) -> String {
        let place = usize::try_from(at.0).ok();
        let made = place.and_then(|place| self.capture.program.commands.get(place));
        let Some(made) = made.map(|recorded| &recorded.command) else {
            return String::new();
        };
        let subject = hallmark_schema::subject_of(&self.capture.program, made);
        let about = if subject.is_empty() { String::new() } else { format!(" of `{subject}`") };
        let queue = made.queue().map_or_else(String::new, |queue| format!(" on queue {queue}"));
        let written = (self.written_at)(at).map_or_else(String::new, |at| format!(" ({at})"));
        format!(", {}{about}{queue}{written}", made.kind().name())
    }
}

/// The lines of the report. The first one summarizes it.
pub fn report(conclusion: &Conclusion, about: &Report<'_>) -> Vec<String> {
    match conclusion {
        Conclusion::FirstBad(found) => first_bad(found, about),
        Conclusion::Order(found) => order(found, about),
        Conclusion::Inconclusive(reason) => inconclusive(reason, about),
    }
}

fn first_bad(found: &FirstBad, about: &Report<'_>) -> Vec<String> {
    let FirstBad { command, signature, equal_after, equal, difference, written, effort } = found;
    let mut lines = vec![format!("FIRST BAD {} {}", about.subject, about.title(*command))];
    if let Some(after) = equal_after {
        let EqualMemory { buffers, bytes } = *equal;
        lines.push(format!(
            "  equal     after command {after}: {}, {} B that were written",
            counted(buffers, "buffer", "buffers"),
            grouped(bytes)
        ));
    }
    if let Some(difference) = difference {
        let mut said = difference.lines.iter();
        lines.extend(said.next().map(|first| format!("  after it  {first}")));
        lines.extend(said.map(|line| format!("    {line}")));
        match difference.others.as_slice() {
            [] => {}
            others => lines.push(format!("    also in   {}", others.join(", "))),
        }
    }
    let mut head = "written";
    for line in who_wrote(written) {
        lines.push(format!("    {head:<9} {line}"));
        head = "";
    }
    lines.extend(signature.as_ref().map(|signature| format!("  failure   {signature}")));
    lines.push(format!(
        "  sure      {} to find it, {} more in fresh processes to see it again",
        counted(effort.to_find, "run", "runs"),
        effort.in_all.saturating_sub(effort.to_find)
    ));
    lines.extend(flakiness(effort));
    lines
}

/// The failure rates, if they were measured.
fn flakiness(effort: &Effort) -> Option<String> {
    let Flakiness { good, bad, patience, confidence } = effort.flakiness?;
    Some(format!(
        "  flaky     {bad} runs fail, and {good} on the good side; sure to {confidence}: what passes has passed {}",
        counted(patience, "time", "times")
    ))
}

fn order(found: &MissingOrder, about: &Report<'_>) -> Vec<String> {
    let MissingOrder { first, second, cures, shows_at, signature, missing, effort } = found;
    let mut lines = vec![format!(
        "ORDER {} is right when command {second} waits for command {first}, and wrong otherwise",
        about.subject
    )];
    lines.push(format!("  first     {}", about.command(*first)));
    lines.push(format!("  second    {}", about.command(*second)));
    let wait = ineffective_wait(found, about.capture);
    lines.push(match (missing, wait) {
        (Missing::Event, Some((wait, event))) => format!(
            "  missing   nothing in the capture: the wait for `{event}` (command {wait}) has no effect"
        ),
        (Missing::Event, None) => format!(
            "  missing   an event that is recorded after command {first} and waited for before command {second}"
        ),
        (Missing::Finish, _) => {
            "  missing   a finish between them, although one queue should have ordered them".to_owned()
        }
    });
    lines.push(format!("  cures     a finish after command {}", curing(cures)));
    lines.push(format!("  shows at  {}", about.command(*shows_at)));
    lines.extend(signature.as_ref().map(|signature| format!("  failure   {signature}")));
    lines.push(format!("  sure      {} in all", counted(effort.in_all, "run", "runs")));
    lines.extend(flakiness(effort));
    lines
}

/// The commands after which a finish cures.
fn curing(cures: &[Vec<CommandIndex>]) -> String {
    if let [first, _, _, _, .., last] = cures
        && let ([first], [last]) = (first.as_slice(), last.as_slice())
    {
        return format!("{first}, or after any later one up to {last}");
    }
    let shown = cures
        .iter()
        .map(|cure| cure.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "));
    shown.collect::<Vec<_>>().join(", or ")
}

/// The wait that should order the two commands, with the name of its event, if the capture has one.
fn ineffective_wait<'c>(
    found: &MissingOrder,
    capture: &'c Capture,
) -> Option<(CommandIndex, &'c str)> {
    let commands = &capture.program.commands;
    let queue = |at: CommandIndex| {
        commands.get(usize::try_from(at.0).ok()?).and_then(|made| made.command.queue())
    };
    let (from, to) = (queue(found.first), queue(found.second));
    let between = (0..).map(CommandIndex).zip(commands);
    let between = between.filter(|(at, _)| found.first < *at && *at < found.second);
    let mut recorded = BTreeMap::new();
    for (at, made) in between {
        match &made.command {
            Command::EnqueueRecordEvent(call) if Some(call.queue) == from => {
                recorded.insert(call.event.0, call.name.as_str());
            }
            Command::EnqueueWaitForEvent(call) if Some(call.queue) == to => {
                if let Some(event) = recorded.get(&call.event.0) {
                    return Some((at, *event));
                }
            }
            _ => {}
        }
    }
    None
}

fn inconclusive(reason: &Inconclusive, about: &Report<'_>) -> Vec<String> {
    let next = match reason {
        Inconclusive::NoDifference { .. } => {
            "  next      name another executor with --bad or --good; if the failure is flaky, say so with --flaky"
        }
        Inconclusive::NotThere { .. } => {
            "  next      --match any takes every failure, and without --signature the first one is looked for"
        }
        Inconclusive::GoodFails { .. } => {
            "  next      name an executor with --good that does not fail"
        }
        Inconclusive::CannotTell(CannotTell::Interrupted) => {
            "  next      the same command with --resume and the folder of -o; without -o nothing was kept to go on with"
        }
        Inconclusive::CannotTell(CannotTell::Refused { .. }) => {
            "  next      hallmark portability says what keeps the capture from being replayed there"
        }
        Inconclusive::CannotTell(
            CannotTell::Lost { .. } | CannotTell::GoodFails { .. } | CannotTell::Unwritable { .. },
        ) => "  next      hallmark doctor says whether a device can be opened",
        Inconclusive::Range { .. } => {
            "  next      name an executor with --good whose memory can be looked at"
        }
        Inconclusive::Budget { .. } => {
            "  next      hallmark bisect without a --budget takes as long as it needs"
        }
        Inconclusive::Unsteady => "  next      hallmark bisect --flaky, which repeats what passes",
        Inconclusive::AsOften(_) => {
            "  next      name an executor with --good that fails less often"
        }
        Inconclusive::TooDear { .. } | Inconclusive::OutOfBudget { .. } => {
            "  next      --budget allows more runs"
        }
    };
    vec![format!("INCONCLUSIVE {}: {reason}", about.subject), next.to_owned()]
}

/// A command in JSON.
#[derive(Serialize)]
struct CommandDocument {
    command: u32,
    call: String,
    subject: String,
    queue: Option<u8>,
    written_at: Option<String>,
}

impl CommandDocument {
    fn of(at: CommandIndex, about: &Report<'_>) -> Self {
        let place = usize::try_from(at.0).ok();
        let program = &about.capture.program;
        let made = place.and_then(|place| program.commands.get(place)).map(|it| &it.command);
        Self {
            command: at.0,
            call: made.map_or("", |made| made.kind().name()).to_owned(),
            subject: made.map_or_else(String::new, |it| hallmark_schema::subject_of(program, it)),
            queue: made.and_then(|made| made.queue()).map(|queue| queue.0),
            written_at: (about.written_at)(at),
        }
    }
}

/// The conclusion as a JSON document.
pub fn document(conclusion: &Conclusion, about: &Report<'_>) -> Value {
    let runs = |effort: &Effort| {
        json!({
            "to_find": effort.to_find,
            "in_all": effort.in_all,
            "flakiness": effort.flakiness.map(|flakiness| json!({
                "bad_runs": flakiness.bad.runs(),
                "bad_failures": flakiness.bad.failures(),
                "good_runs": flakiness.good.runs(),
                "good_failures": flakiness.good.failures(),
                "passing_runs": flakiness.patience,
                "confidence": flakiness.confidence.value(),
            })),
        })
    };
    let signature = |signature: &Option<Signature>| json!(signature);
    let mut document = json!({
        "version": VERSION,
        "over": "commands",
        "conclusion": match conclusion {
            Conclusion::FirstBad(_) | Conclusion::Order(_) => "found",
            Conclusion::Inconclusive(_) => "inconclusive",
        },
        "subject": about.subject,
        "good": about.good,
        "bad": about.bad,
        "commands": about.capture.program.commands.len(),
        "text": report(conclusion, about),
    });
    let more = match conclusion {
        Conclusion::FirstBad(found) => json!({
            "answer": "first_bad",
            "first_bad": CommandDocument::of(found.command, about),
            "equal_after": found.equal_after.map(|at| at.0),
            "signature": signature(&found.signature),
            "written": found.written.iter().map(Written::document).collect::<Vec<_>>(),
            "buffers": found.difference.as_ref().map(|it| {
                std::iter::once(&it.buffer).chain(&it.others).collect::<Vec<_>>()
            }),
            "runs": runs(&found.effort),
        }),
        Conclusion::Order(found) => json!({
            "answer": "order",
            "first": CommandDocument::of(found.first, about),
            "second": CommandDocument::of(found.second, about),
            "ineffective_wait": ineffective_wait(found, about.capture).map(|(at, _)| at.0),
            "missing": match found.missing { Missing::Event => "event", Missing::Finish => "finish" },
            "cures": found.cures.iter().map(|cure| cure.iter().map(|at| at.0).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
            "signature": signature(&found.signature),
            "runs": runs(&found.effort),
        }),
        Conclusion::Inconclusive(reason) => json!({
            "answer": "inconclusive",
            "reason": reason.to_string(),
        }),
    };
    if let (Value::Object(document), Value::Object(more)) = (&mut document, more) {
        document.extend(more);
    }
    document
}
