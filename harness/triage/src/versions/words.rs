//! The conclusion of a search along versions, as text and as JSON.

use hallmark_schema::plural::counted;
use hallmark_search::{
    Answer, Bisection, Certainty, Conclusion as Bisected, Direction, Effect, NoisyBisection,
    Position,
};
use serde::Serialize;

use super::axis::{Axis, AxisKind, Version};
use super::search::{Conclusion, Culprit, Inconclusive, VersionSearch};

/// The conclusion as lines, the most important one first.
pub fn report(search: &VersionSearch<'_>, subject: &str, conclusion: &Conclusion) -> Vec<String> {
    let mut lines = match conclusion {
        Conclusion::Found { effect, culprits, all } => {
            let mut lines = Vec::new();
            for together in culprits {
                lines.push(heading(search, subject, *effect, together));
                for culprit in together {
                    lines.extend(along(search, culprit));
                }
            }
            let decisive: Vec<usize> = culprits.iter().flatten().map(|it| it.axis).collect();
            let others = search.axes.iter().enumerate().filter(|(it, _)| !decisive.contains(it));
            let others: Vec<AxisKind> = others.map(|(_, axis)| axis.kind).collect();
            if *all {
                lines.extend(no_difference(&others));
            } else {
                lines.push("  beside    there may be further sets of axes".to_owned());
            }
            lines
        }
        Conclusion::Inconclusive(reason) => inconclusive(search, subject, reason),
    };
    if let (Conclusion::Found { .. }, Some(signature)) = (conclusion, search.sought.signature()) {
        lines.push(format!("  failure   {signature}"));
    }
    lines.extend(parts_of_culprit(search, subject, conclusion));
    if let Some(seed) = search.seed() {
        lines.push(format!(
            "  seed      {seed} is the first schedule seed under which the ends differ as they mostly do"
        ));
    }
    lines.push(format!("  runs      {}", search.runs()));
    lines
}

/// The command that finds the guilty parts of a guilty version, if its parts can be exchanged.
fn parts_of_culprit(
    search: &VersionSearch<'_>,
    subject: &str,
    conclusion: &Conclusion,
) -> Option<String> {
    let Conclusion::Found { culprits, .. } = conclusion else { return None };
    let [together] = culprits.as_slice() else { return None };
    let [culprit] = together.as_slice() else { return None };
    let axis = search.axes.get(culprit.axis)?;
    let option = match axis.kind {
        AxisKind::Firmware => "images",
        AxisKind::Kernels => "kernels",
        AxisKind::Executor | AxisKind::Hallmark | AxisKind::Ttsim | AxisKind::Capture => {
            return None;
        }
    };
    // With several axes, the others would have to be fixed at the searched ends.
    let ([_], Boundary { last, candidates, direction }) =
        (search.axes, boundary(axis, &culprit.found)?)
    else {
        return None;
    };
    let [candidate] = candidates.as_slice() else { return None };
    let side = |version: &str| {
        if version == "builtin" {
            search.executor.to_string()
        } else {
            let known = axis.versions.iter().find(|known| known.name == version);
            let spelling = known.map_or_else(|| version.to_owned(), Version::spelling);
            format!("{} {}={spelling}", search.executor, axis.kind)
        }
    };
    let (good, bad) = match direction {
        Direction::Breaks => (side(&last), side(candidate)),
        Direction::Mends => (side(candidate), side(&last)),
    };
    Some(format!(
        "  next      hallmark bisect {subject} --over {option} --good '{good}' --bad '{bad}'"
    ))
}

/// The irrelevant axes: only their first and last versions were run.
fn no_difference(axes: &[AxisKind]) -> Option<String> {
    let words = match axes {
        [] => return None,
        [AxisKind::Kernels] => "make no difference between their ends",
        [_] => "makes no difference between its ends",
        [_, _, ..] => "make no difference between their ends",
    };
    let names: Vec<&str> = axes.iter().map(|axis| axis.name()).collect();
    Some(format!("  beside    {} {words}", names.join(" and ")))
}

fn heading(
    search: &VersionSearch<'_>,
    subject: &str,
    effect: Effect,
    together: &[Culprit],
) -> String {
    let what = match effect {
        Effect::Causes => "FIRST BAD",
        Effect::Cures => "FIRST GOOD",
    };
    let changed = together.iter().filter_map(|culprit| {
        let axis = search.axes.get(culprit.axis)?;
        let Boundary { candidates, .. } = boundary(axis, &culprit.found)?;
        let one_of = if candidates.len() > 1 { "one of " } else { "" };
        Some(format!("{} {one_of}{}", axis.kind, candidates.join(", ")))
    });
    let changed: Vec<String> = changed.collect();
    let alone = if changed.len() > 1 { ", which does nothing alone" } else { "" };
    format!("{what} {subject} with {}{alone}", changed.join(" together with "))
}

/// The place of the change on an axis.
struct Boundary {
    /// The last version with the answer of the first one.
    last: String,
    /// The versions that may have changed it.
    candidates: Vec<String>,
    direction: Direction,
}

fn boundary(axis: &Axis, found: &NoisyBisection) -> Option<Boundary> {
    let Bisected::Found {
        bisection: Bisection::Boundary { before, after, direction, cannot_tell },
        ..
    } = &found.conclusion
    else {
        return None;
    };
    let name = |position: &Position| axis.versions.get(position.0).map(|it| it.name.clone());
    let candidates = cannot_tell.iter().chain([after]).filter_map(name).collect();
    Some(Boundary { last: name(before)?, candidates, direction: *direction })
}

/// The observations along an axis.
fn along(search: &VersionSearch<'_>, culprit: &Culprit) -> Vec<String> {
    let Some(axis) = search.axes.get(culprit.axis) else { return Vec::new() };
    let mut lines = Vec::new();
    if let Some(Boundary { last, direction, .. }) = boundary(axis, &culprit.found) {
        let what = match direction {
            Direction::Breaks => "last good",
            Direction::Mends => "last bad ",
        };
        lines.push(format!("  {what} {} {last}", axis.kind));
    }
    let width = axis.versions.iter().map(|it| it.name.chars().count()).max().unwrap_or_default();
    let mut not_asked = 0_usize;
    for (index, version) in axis.versions.iter().enumerate() {
        let padding = " ".repeat(width.saturating_sub(version.name.chars().count()));
        let tally = culprit.found.tallies.get(&Position(index));
        let said = match (&version.unusable, tally) {
            (Some(reason), _) => format!("cannot be told: {reason}"),
            (None, None) => {
                not_asked = not_asked.saturating_add(1);
                continue;
            }
            (None, Some(tally)) => {
                let mut said = Vec::new();
                if tally.searching.runs() > 0 {
                    said.push(format!("{} failed", tally.searching));
                }
                if tally.confirming.runs() > 0 {
                    said.push(format!("again {}", tally.confirming));
                }
                if tally.untold > 0 && version.is_commit {
                    said.push(format!("cannot be told{}", reason(search, culprit.axis, index)));
                } else if tally.untold > 0 {
                    let reason = reason(search, culprit.axis, index);
                    let runs = counted(tally.untold, "run", "runs");
                    said.push(format!("{runs} could not tell{reason}"));
                }
                said.join(", ")
            }
        };
        let alike = if version.alike.is_empty() {
            String::new()
        } else {
            format!(" (the same as {})", version.alike.join(", "))
        };
        lines.push(format!("    {}{padding}  {said}{alike}", version.name));
    }
    if not_asked > 0 {
        lines.push(format!("    {} not asked", counted(not_asked, "version", "versions")));
    }
    lines.extend(sure(&culprit.found, search.seed()));
    lines
}

/// Why a version gave no answer, if one of its combinations shows it.
fn reason(search: &VersionSearch<'_>, axis: usize, version: usize) -> String {
    let reasons = search.reasons();
    let mut of_version = reasons.iter().filter(|(at, _)| at.get(axis) == Some(&version));
    of_version.next().map_or_else(String::new, |(_, reason)| format!(": {reason}"))
}

fn sure(found: &NoisyBisection, seed: Option<u64>) -> Option<String> {
    let Bisected::Found { certainty, .. } = &found.conclusion else { return None };
    Some(match certainty {
        Certainty::Steady => {
            let under =
                seed.map_or_else(String::new, |seed| format!(", under schedule seed {seed} alone"));
            format!("  sure      all runs of a version were alike{under}")
        }
        Certainty::Sequential { rates, confidence, price } => {
            let good = if rates.good > 0.0 {
                format!("a good version fails in at most {:.0} % of all runs", rates.good * 100.0)
            } else {
                format!("a good version is {} runs without a failure", price.passing)
            };
            format!(
                "  sure      to {confidence}: {good}, and the bad end fails in at least {:.0} % of all runs (95 % bound)",
                rates.bad * 100.0
            )
        }
    })
}

fn inconclusive(
    search: &VersionSearch<'_>,
    subject: &str,
    inconclusive: &Inconclusive,
) -> Vec<String> {
    let answers = |answer: &Answer| match answer {
        Answer::Fails => "fails",
        Answer::Passes => "passes",
        Answer::CannotTell => "cannot be told",
    };
    match inconclusive {
        Inconclusive::NoDifference { answer } => vec![
            format!(
                "INCONCLUSIVE {subject} {} with the first versions and with the last ones",
                answers(answer)
            ),
            other_ends(*answer).to_owned(),
        ],
        Inconclusive::CannotTell { first } => {
            let which = if *first { "first" } else { "last" };
            let mut lines =
                vec![format!("INCONCLUSIVE {subject} cannot be told with the {which} versions")];
            for (versions, reason) in search.reasons() {
                lines.push(format!("    {}: {reason}", search.words(&versions)));
            }
            lines.push(format!(
                "  next      leave the {which} version of an axis out, or name an executor with --bad that can use it"
            ));
            lines
        }
        Inconclusive::EitherWay { first, last } => vec![
            format!(
                "INCONCLUSIVE {subject} fails about equally often with the first versions and with the last ones: under {first} schedule seeds against {last}"
            ),
            "  next      --schedule-seed without --flaky searches under one seed".to_owned(),
        ],
        Inconclusive::NotAgain { axes } => {
            let named = axes.iter().filter_map(|axis| search.axes.get(*axis));
            let named: Vec<&str> = named.map(|axis| axis.kind.name()).collect();
            vec![format!(
                "INCONCLUSIVE {subject} changed with {} once and not again: it is flaky; search one axis at a time",
                named.join(" and ")
            )]
        }
        Inconclusive::Along(culprit) => {
            let kind = search.axes.get(culprit.axis).map_or("", |axis| axis.kind.name());
            let why = match &culprit.found.conclusion {
                Bisected::Found { .. } => "has an answer".to_owned(),
                Bisected::NoDifference { answer } => {
                    format!("{} with the first version and with the last one", answers(answer))
                }
                Bisected::NothingTold => "can be told with one version at most".to_owned(),
                Bisected::AsOften(error) => error.to_string(),
                Bisected::TooDear { rates, price, budget } => format!(
                    "fails in at least {:.1} % of all runs at the bad end (95 % bound), so that one good version takes {} runs and the answer up to {}, more than {budget}; --budget allows more",
                    rates.bad * 100.0,
                    price.passing,
                    price.total
                ),
                Bisected::OutOfBudget { bracket } => match bracket {
                    Some((before, after)) => {
                        let name = |position: &Position| {
                            let axis = search.axes.get(culprit.axis);
                            axis.and_then(|axis| axis.versions.get(position.0))
                                .map(|version| version.name.clone())
                                .unwrap_or_default()
                        };
                        format!(
                            "changed between {} and {} when the budget was used up",
                            name(before),
                            name(after)
                        )
                    }
                    None => "was not settled at either end when the budget was used up".to_owned(),
                },
                Bisected::Unsettled { .. } => "kept changing from run to run".to_owned(),
            };
            let mut lines = vec![format!("INCONCLUSIVE {subject} {why} (axis {kind})")];
            lines.extend(along(search, culprit));
            lines.push(match &culprit.found.conclusion {
                Bisected::NoDifference { answer } => other_ends(*answer).to_owned(),
                Bisected::NothingTold => {
                    "  next      hallmark portability and hallmark doctor say what keeps a capture from being replayed"
                        .to_owned()
                }
                Bisected::AsOften(_) => {
                    "  next      name a first version that fails less often".to_owned()
                }
                Bisected::TooDear { .. } | Bisected::OutOfBudget { .. } => {
                    "  next      --budget allows more runs".to_owned()
                }
                Bisected::Found { .. } | Bisected::Unsettled { .. } => {
                    "  next      --flaky finds out how often it fails, and repeats what passes".to_owned()
                }
            });
            lines
        }
    }
}

/// The remedy if both ends have the same answer.
const fn other_ends(answer: Answer) -> &'static str {
    match answer {
        Answer::Passes => {
            "  next      put a version last that fails; if the failure is flaky, say so with --flaky"
        }
        Answer::Fails => "  next      put a version first that passes",
        Answer::CannotTell => "  next      put versions at both ends that can be told",
    }
}

/// The version of the JSON document. Adding keys does not change it.
const VERSION: u32 = 1;

/// The conclusion as JSON.
#[derive(Debug, Serialize)]
pub struct Document {
    version: u32,
    subject: String,
    over: &'static str,
    /// `first_bad`, `first_good` or `inconclusive`.
    answer: &'static str,
    /// `found` or `inconclusive`.
    conclusion: &'static str,
    /// Whether the last versions fail or pass.
    effect: Option<&'static str>,
    /// Sets of axes, each of which is decisive alone.
    culprits: Vec<Vec<CulpritDocument>>,
    /// The conclusion as text.
    text: Vec<String>,
    /// The schedule seed under which the ends differ, if one was searched for.
    schedule_seed: Option<u64>,
    runs: u64,
}

#[derive(Debug, Serialize)]
struct CulpritDocument {
    axis: &'static str,
    last: Option<String>,
    first_one_of: Vec<String>,
    versions: Vec<VersionDocument>,
}

#[derive(Debug, Serialize)]
struct VersionDocument {
    name: String,
    alike: Vec<String>,
    hash: String,
    unusable: Option<String>,
    runs: u32,
    failures: u32,
    untold: u32,
}

/// The conclusion as a JSON document.
pub fn document(search: &VersionSearch<'_>, subject: &str, conclusion: &Conclusion) -> Document {
    let (answer, name, effect, culprits) = match conclusion {
        Conclusion::Found { effect, culprits, .. } => {
            let (answer, effect) = match effect {
                Effect::Causes => ("first_bad", "breaks"),
                Effect::Cures => ("first_good", "mends"),
            };
            (answer, "found", Some(effect), culprits.as_slice())
        }
        Conclusion::Inconclusive(_) => ("inconclusive", "inconclusive", None, [].as_slice()),
    };
    let one = |culprit: &Culprit| {
        let axis = search.axes.get(culprit.axis)?;
        let boundary = boundary(axis, &culprit.found);
        let versions = axis.versions.iter().enumerate().map(|(index, version)| {
            let tally = culprit.found.tallies.get(&Position(index)).copied().unwrap_or_default();
            let counts = tally.searching.and(tally.confirming);
            VersionDocument {
                name: version.name.clone(),
                alike: version.alike.clone(),
                hash: version.hash.to_string(),
                unusable: version.unusable.clone(),
                runs: counts.runs(),
                failures: counts.failures(),
                untold: tally.untold,
            }
        });
        Some(CulpritDocument {
            axis: axis.kind.name(),
            last: boundary.as_ref().map(|boundary| boundary.last.clone()),
            versions: versions.collect(),
            first_one_of: boundary.map(|boundary| boundary.candidates).unwrap_or_default(),
        })
    };
    Document {
        version: VERSION,
        subject: subject.to_owned(),
        over: "versions",
        answer,
        conclusion: name,
        effect,
        culprits: culprits.iter().map(|set| set.iter().filter_map(one).collect()).collect(),
        text: report(search, subject, conclusion),
        schedule_seed: search.seed(),
        runs: search.runs(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hallmark_search::statistics::{Confidence, Price, Rates};

    use super::*;

    #[test]
    fn a_good_version_that_fails_is_not_said_to_run_without_a_failure() {
        let said = |good: f64| {
            let bisection = Bisection::Boundary {
                before: Position(0),
                after: Position(1),
                direction: Direction::Breaks,
                cannot_tell: Vec::new(),
            };
            let certainty = Certainty::Sequential {
                rates: Rates { good, bad: 0.5 },
                confidence: Confidence::new(0.99).unwrap(),
                price: Price { passing: 15, failing: 3, tests: 3, total: 48 },
            };
            let conclusion = Bisected::Found { bisection, certainty };
            let found = NoisyBisection { conclusion, tallies: BTreeMap::new(), runs: 48 };
            sure(&found, None).unwrap()
        };
        let bad = "and the bad end fails in at least 50 % of all runs (95 % bound)";
        assert!(said(0.0).contains("a good version is 15 runs without a failure"));
        assert!(said(0.1).contains("a good version fails in at most 10 % of all runs"));
        assert!(!said(0.1).contains("without a failure"));
        assert!([said(0.0), said(0.1)].iter().all(|said| said.ends_with(bad)));
    }

    #[test]
    fn what_makes_no_difference_agrees_in_number() {
        let words = |axes: &[AxisKind]| no_difference(axes).unwrap_or_default();
        assert_eq!(words(&[]), "");
        assert!(
            words(&[AxisKind::Kernels]).ends_with("kernels make no difference between their ends")
        );
        assert!(words(&[AxisKind::Ttsim]).ends_with("ttsim makes no difference between its ends"));
        let both = words(&[AxisKind::Firmware, AxisKind::Ttsim]);
        assert!(both.ends_with("firmware and ttsim make no difference between their ends"));
    }
}
