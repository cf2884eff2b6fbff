//! The conclusion of a search for guilty parts, as text and as JSON.

use hallmark_pipeline::signature::Signature;
use hallmark_schema::plural::counted;
use hallmark_search::{Answer, Effect};
use serde::Serialize;

use super::{Conclusion, GuiltySet, Inconclusive, PartKind, PartSearch};

/// The version of the JSON document. Adding keys does not change it.
const VERSION: u32 = 1;
/// The answer and the conclusion of a search that does not know whether each part of a set is needed, or knows no set.
const INCONCLUSIVE: &str = "inconclusive";

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
            for set in sets {
                lines.extend(unknown(kind, set));
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
    let (certain, does, otherwise) = match (kind, effect) {
        (PartKind::Syncs, Effect::Cures) => ("ORDER", "is right", "is wrong"),
        (_, Effect::Causes) => ("GUILTY", "fails", "passes"),
        (_, Effect::Cures) => ("MENDED", "passes", "fails"),
    };
    let label = if set.cannot_tell.is_empty() { certain } else { "INCONCLUSIVE" };
    let found = format!("{label} {subject} {does} with {names}{side}");
    let needed: Vec<String> =
        set.parts.iter().filter(|part| !set.cannot_tell.contains(part)).cloned().collect();
    match (set.parts.len(), needed.len()) {
        (0 | 1, _) => format!("{found} alone"),
        (_, 0) => format!("{found} together"),
        (all, some) if all == some => {
            format!("{found} together, and {otherwise} without any one of them")
        }
        (_, 1) => format!("{found} together, and {otherwise} without {}", named(kind, &needed)),
        (_, _) => {
            format!("{found} together, and {otherwise} without any one of {}", named(kind, &needed))
        }
    }
}

/// The parts of a set of which it is unknown whether the set needs them.
fn unknown(kind: PartKind, set: &GuiltySet) -> Vec<String> {
    let parts = set.cannot_tell.iter().zip(&set.reasons);
    let line = |(part, reason): (&String, &String)| {
        let part = named(kind, std::slice::from_ref(part));
        format!("  unknown   whether it needs {part}; without it: {reason}")
    };
    parts.map(line).collect()
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
    /// `breaks` or `mends`, if a set is known.
    effect: Option<&'static str>,
    /// Sets of parts, each of which has the effect alone, and is minimal if every try without a part gave an answer.
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
        Conclusion::Inconclusive(_) => (INCONCLUSIVE, None, Vec::new(), false),
    };
    let is_answer = conclusion.is_answer();
    Document {
        version: VERSION,
        subject: about.subject.to_owned(),
        good: about.good.to_owned(),
        bad: about.bad.to_owned(),
        over: kind.name(),
        answer: if is_answer { answer } else { INCONCLUSIVE },
        conclusion: if is_answer { "found" } else { INCONCLUSIVE },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn set(parts: &[&str], cannot_tell: &[&str]) -> GuiltySet {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        GuiltySet {
            parts: owned(parts),
            confirmed: true,
            cannot_tell: owned(cannot_tell),
            reasons: cannot_tell.iter().map(|_| "it hangs".to_owned()).collect(),
        }
    }

    #[test]
    fn a_heading_claims_no_more_than_was_told() {
        let said = |set| heading(PartKind::Cores, Effect::Causes, &set, "t");
        assert_eq!(said(set(&["a"], &[])), "GUILTY t fails with core a alone");
        let together = "fails with the cores a, b and c together";
        for (cannot_tell, words) in [
            ([].as_slice(), format!("GUILTY t {together}, and passes without any one of them")),
            (
                &["b"],
                format!(
                    "INCONCLUSIVE t {together}, and passes without any one of the cores a and c"
                ),
            ),
            (&["a", "b"], format!("INCONCLUSIVE t {together}, and passes without core c")),
            (&["a", "b", "c"], format!("INCONCLUSIVE t {together}")),
        ] {
            let set = set(&["a", "b", "c"], cannot_tell);
            assert_eq!(said(set.clone()), words);
            assert_eq!(unknown(PartKind::Cores, &set).len(), cannot_tell.len());
            let found = Conclusion::Found { effect: Effect::Causes, sets: vec![set], all: true };
            assert_eq!(found.is_answer(), cannot_tell.is_empty());
        }
    }
}
