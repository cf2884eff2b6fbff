//! The conclusion of a search for guilty parts, as text and as JSON.

use hallmark_pipeline::signature::Signature;
use hallmark_schema::plural::counted;
use hallmark_search::{Answer, Effect};
use serde::Serialize;

use super::{Conclusion, GuiltySet, Inconclusive, PartKind, PartSearch};

/// The version of the JSON document. Adding keys does not change it.
const VERSION: u32 = 1;

/// The context of a conclusion.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The capture's file or the test.
    pub subject: &'a str,
    /// The name of the good side.
    pub good: &'a str,
    /// The name of the bad side.
    pub bad: &'a str,
}

/// The conclusion as lines, the most important one first.
pub fn report(search: &PartSearch<'_>, conclusion: &Conclusion, about: &Report<'_>) -> Vec<String> {
    let kind = search.mixture.kind();
    match conclusion {
        Conclusion::Found { effect, sets, all } => {
            let mut lines: Vec<String> =
                sets.iter().map(|set| heading(kind, *effect, set, about.subject)).collect();
            for set in sets.iter().filter(|set| !set.cannot_tell.is_empty()) {
                lines.push(format!(
                    "  unsure    without {} nothing could be told",
                    set.cannot_tell.join(", and without ")
                ));
            }
            if kind != PartKind::Syncs {
                lines.push(format!("  good      {}", about.good));
                lines.push(format!("  bad       {}", about.bad));
            }
            let guilty: Vec<&String> = sets.iter().flat_map(|set| &set.parts).collect();
            let parts = search.mixture.parts();
            let innocent: Vec<&str> =
                parts.iter().filter(|part| !guilty.contains(part)).map(String::as_str).collect();
            lines.extend(beside(kind, &innocent, *all));
            match (kind, search.mixture.equal_parts()) {
                (PartKind::Syncs, _) | (_, 0) => {}
                (_, equal) => {
                    lines.push(format!("  equal     {} on both sides", nouns(kind, equal)));
                }
            }
            let signature = search.sought.signature();
            lines.extend(signature.map(|signature| format!("  failure   {signature}")));
            lines.push(format!(
                "  sure      {}, the last of each answer in a fresh process",
                counted(search.runs(), "run", "runs")
            ));
            lines
        }
        Conclusion::Inconclusive(reason) => inconclusive(kind, reason, about),
    }
}

/// "3 images".
fn nouns(kind: PartKind, count: usize) -> String {
    let (one, several) = match kind {
        PartKind::Kernels => ("kernel", "kernels"),
        PartKind::Images => ("image", "images"),
        PartKind::Cores => ("core", "cores"),
        PartKind::Syncs => ("finish", "finishes"),
    };
    counted(count, one, several)
}

/// "the images BRISC and NCRISC".
fn named(kind: PartKind, parts: &[String]) -> String {
    let names = match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    match (kind, parts.len()) {
        (PartKind::Kernels, _) | (PartKind::Syncs, _) => names,
        (PartKind::Images, 1) => format!("the image {names}"),
        (PartKind::Images, _) => format!("the images {names}"),
        (PartKind::Cores, 1) => format!("core {names}"),
        (PartKind::Cores, _) => format!("the cores {names}"),
    }
}

fn heading(kind: PartKind, effect: Effect, set: &GuiltySet, subject: &str) -> String {
    let names = named(kind, &set.parts);
    let side = match kind {
        PartKind::Kernels | PartKind::Images => " of the bad side",
        PartKind::Cores | PartKind::Syncs => "",
    };
    let (label, does, otherwise) = match (kind, effect) {
        (PartKind::Syncs, Effect::Cures) => ("ORDER", "is right", "is wrong"),
        (_, Effect::Causes) => ("GUILTY", "fails", "passes"),
        (_, Effect::Cures) => ("MENDED", "passes", "fails"),
    };
    match set.parts.as_slice() {
        [_, _, ..] => format!(
            "{label} {subject} {does} with {names}{side} together, and {otherwise} without any one of them"
        ),
        [_] | [] => format!("{label} {subject} {does} with {names}{side} alone"),
    }
}

/// The remaining parts, in words.
fn beside(kind: PartKind, innocent: &[&str], all: bool) -> Option<String> {
    if !all {
        return Some("  beside    there may be further answers of this kind".to_owned());
    }
    match innocent {
        [] => None,
        [one] if kind != PartKind::Syncs => Some(format!("  beside    {one} makes no difference")),
        some => Some(format!("  beside    {} more make no difference", nouns(kind, some.len()))),
    }
}

fn inconclusive(kind: PartKind, reason: &Inconclusive, about: &Report<'_>) -> Vec<String> {
    let subject = about.subject;
    let (what, next) = match reason {
        Inconclusive::Equal => (
            match kind {
                PartKind::Kernels => {
                    "both sides have the same builds of all its kernels".to_owned()
                }
                PartKind::Images => "both sides have the same images".to_owned(),
                PartKind::Cores => "it has no program that runs on a core".to_owned(),
                PartKind::Syncs => "there is no place for a finish between commands".to_owned(),
            },
            match kind {
                PartKind::Kernels => {
                    "name folders of prebuilt kernels with --bad 'sim kernels=FOLDER', perhaps with --good as well"
                }
                PartKind::Images => {
                    "name folders of bundles with --bad 'sim firmware=FOLDER', perhaps with --good as well"
                }
                PartKind::Cores | PartKind::Syncs => {
                    "hallmark bisect --over commands finds the first bad one"
                }
            },
        ),
        Inconclusive::NoDifference { answer } => {
            let sides = match kind {
                PartKind::Kernels | PartKind::Images => "with all parts of either side",
                PartKind::Cores => "with all cores and with none",
                PartKind::Syncs => "with a finish after every command and without",
            };
            let what = match answer {
                Answer::Fails => "fails",
                Answer::Passes => "passes",
                Answer::CannotTell => "cannot be told",
            };
            (
                format!("it {what} {sides}"),
                match answer {
                    Answer::Passes => {
                        "reads alone are compared here; --over commands looks at memory as well"
                    }
                    Answer::Fails | Answer::CannotTell => {
                        "hallmark bisect --over commands finds the first bad command"
                    }
                },
            )
        }
        Inconclusive::CannotTell { good, reason } => {
            let parts = match (kind, good) {
                (PartKind::Cores, true) => "no core",
                (PartKind::Cores, false) => "all cores",
                (_, true) => "all parts of the good side",
                (_, false) => "all parts of the bad side",
            };
            (
                format!("it cannot be told with {parts}: {reason}"),
                "hallmark doctor says whether a device can be opened",
            )
        }
        Inconclusive::NotAgain { parts } => (
            format!("{} had an effect once and not again: it is flaky", named(kind, parts)),
            "--schedule-seed chooses a seed under which it may be steady",
        ),
        Inconclusive::SameName(error) => (error.to_string(), "hallmark dump shows the capture"),
    };
    vec![format!("INCONCLUSIVE {subject}: {what}"), format!("  next      {next}")]
}

/// The conclusion as JSON.
#[derive(Debug, Serialize)]
pub struct Document {
    version: u32,
    subject: String,
    good: String,
    bad: String,
    over: &'static str,
    /// `guilty`, `mended`, `order` or `inconclusive`.
    answer: &'static str,
    /// `found` or `inconclusive`.
    conclusion: &'static str,
    /// `breaks` or `mends`.
    effect: Option<&'static str>,
    /// Minimal sets of parts, each of which has the effect alone.
    sets: Vec<GuiltySet>,
    /// Whether these are all sets.
    all_sets: bool,
    parts: Vec<String>,
    equal_parts: usize,
    signature: Option<Signature>,
    runs: u64,
    text: Vec<String>,
}

/// The conclusion as a JSON document.
pub fn document(search: &PartSearch<'_>, conclusion: &Conclusion, about: &Report<'_>) -> Document {
    let kind = search.mixture.kind();
    let (answer, effect, sets, all_sets) = match conclusion {
        Conclusion::Found { effect, sets, all } => {
            let (answer, effect) = match (kind, effect) {
                (PartKind::Syncs, Effect::Cures) => ("order", "mends"),
                (_, Effect::Causes) => ("guilty", "breaks"),
                (_, Effect::Cures) => ("mended", "mends"),
            };
            (answer, Some(effect), sets.clone(), *all)
        }
        Conclusion::Inconclusive(_) => ("inconclusive", None, Vec::new(), false),
    };
    Document {
        version: VERSION,
        subject: about.subject.to_owned(),
        good: about.good.to_owned(),
        bad: about.bad.to_owned(),
        over: kind.name(),
        answer,
        conclusion: if effect.is_some() { "found" } else { "inconclusive" },
        effect,
        sets,
        all_sets,
        parts: search.mixture.parts(),
        equal_parts: search.mixture.equal_parts(),
        signature: search.sought.signature(),
        runs: search.runs(),
        text: report(search, conclusion, about),
    }
}
