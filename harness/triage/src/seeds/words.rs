//! The conclusion of a search among schedule seeds, as text and as JSON.

use hallmark_pipeline::seeds::Seeds;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::plural::counted;
use hallmark_search::Answer;
use serde::Serialize;

use super::{Conclusion, Inconclusive, SeedSearch, Told};

/// The version of the JSON document. Adding keys does not change it.
const VERSION: u32 = 1;

/// The name in reports of the capture itself as the standard of correctness.
pub const RECORDED: &str = "recorded";

/// The context of a conclusion.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The capture's file or the test.
    pub subject: &'a str,
    /// The name of the standard of correctness.
    pub good: &'a str,
    /// The name of the failing executor.
    pub bad: &'a str,
}

/// The conclusion as lines, the most important one first.
pub fn report(search: &SeedSearch<'_>, conclusion: &Conclusion, about: &Report<'_>) -> Vec<String> {
    let Report { subject, good, bad } = about;
    let seeds = search.seeds;
    let runs = counted(search.runs(), "run", "runs");
    match conclusion {
        Conclusion::Some(told) => {
            let Told { failing, passing, unknown } = told;
            let first = failing.first().copied().unwrap_or_default();
            let passes = passing.first().copied().unwrap_or_default();
            let mut lines = vec![
                format!(
                    "SEEDS {subject} fails under {} of {}, first under seed {first}",
                    failing.len(),
                    counted(seeds.count(), "schedule seed", "schedule seeds")
                ),
                format!("  failing   {}", ranges(failing)),
                format!("  good      {good}"),
                format!("  bad       {bad}"),
            ];
            lines.extend(unsure(unknown));
            let signature = search.sought.signature();
            lines.extend(signature.map(|signature| format!("  failure   {signature}")));
            lines.push(format!(
                "  sure      {runs}; seed {first} fails and seed {passes} passes, each again in a fresh process"
            ));
            // The capture may have been recorded under any seed.
            let (good, seed) = if *good == RECORDED { (bad, passes) } else { (good, first) };
            lines.push(format!(
                "  next      hallmark bisect {subject} --bad '{bad} schedule_seed={first}' --good '{good} schedule_seed={seed}'"
            ));
            lines
        }
        Conclusion::Inconclusive(reason) => inconclusive(reason, about, seeds),
    }
}

/// The seeds without an answer, in words.
fn unsure(unknown: &[(u64, String)]) -> Option<String> {
    let (_, reason) = unknown.first()?;
    let seeds: Vec<u64> = unknown.iter().map(|(seed, _)| *seed).collect();
    Some(format!("  unsure    no answer for {}: {reason}", ranges(&seeds)))
}

fn inconclusive(reason: &Inconclusive, about: &Report<'_>, seeds: Seeds) -> Vec<String> {
    let Report { subject, good, bad } = about;
    let lines = |what: String, unknown: &[(u64, String)], next: String| {
        let first = format!("INCONCLUSIVE {subject}: {what}");
        let next = format!("  next      {next}");
        [first].into_iter().chain(unsure(unknown)).chain([next]).collect()
    };
    let (first, last) = seeds.iter().into_inner();
    let commands = format!("hallmark bisect {subject} --bad '{bad}' --good '{good}'");
    match reason {
        Inconclusive::Alike { answer: Answer::Fails, told } => {
            let count = told.failing.len();
            let what = format!(
                "it fails under each of {}, so no order that a seed chooses decides",
                counted(count, "schedule seed", "schedule seeds")
            );
            lines(what, &told.unknown, format!("{commands} finds the first bad command"))
        }
        Inconclusive::Alike { told, .. } => {
            let count = told.passing.len();
            let what = format!(
                "it passes under each of {}, {first} to {last}",
                counted(count, "schedule seed", "schedule seeds")
            );
            let from = last.saturating_add(1);
            let until = last.saturating_add(1000);
            let next = format!("--schedule-seeds {from}..{until} asks about others");
            lines(what, &told.unknown, next)
        }
        Inconclusive::CannotTell { reason } => lines(
            format!("it cannot be told under any seed: {reason}"),
            &[],
            "hallmark doctor says whether a device can be opened".to_owned(),
        ),
        Inconclusive::NotAgain { seed } => lines(
            format!(
                "it did something else under seed {seed} the second time, so the seed does not decide"
            ),
            &[],
            format!("{commands} --flaky repeats what passes"),
        ),
    }
}

/// Ascending numbers as ranges: "3, 7 to 9".
fn ranges(numbers: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = ranges.iter().map(|(first, last)| {
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    });
    text.collect::<Vec<_>>().join(", ")
}

/// The conclusion as JSON.
#[derive(Debug, Serialize)]
pub struct Document {
    version: u32,
    subject: String,
    good: String,
    bad: String,
    over: &'static str,
    /// `seeds` or `inconclusive`.
    answer: &'static str,
    /// `found` or `inconclusive`.
    conclusion: &'static str,
    /// The range of seeds.
    schedule_seeds: String,
    failing: Vec<u64>,
    passing: Vec<u64>,
    unknown: Vec<u64>,
    signature: Option<Signature>,
    runs: u64,
    text: Vec<String>,
}

/// The conclusion as a JSON document.
pub fn document(search: &SeedSearch<'_>, conclusion: &Conclusion, about: &Report<'_>) -> Document {
    let (is_found, told) = match conclusion {
        Conclusion::Some(told) => (true, told.clone()),
        Conclusion::Inconclusive(Inconclusive::Alike { told, .. }) => (false, told.clone()),
        Conclusion::Inconclusive(_) => (false, Told::default()),
    };
    Document {
        version: VERSION,
        subject: about.subject.to_owned(),
        good: about.good.to_owned(),
        bad: about.bad.to_owned(),
        over: "seeds",
        answer: if is_found { "seeds" } else { "inconclusive" },
        conclusion: if is_found { "found" } else { "inconclusive" },
        schedule_seeds: search.seeds.to_string(),
        failing: told.failing,
        passing: told.passing,
        unknown: told.unknown.into_iter().map(|(seed, _)| seed).collect(),
        signature: search.sought.signature(),
        runs: search.runs(),
        text: report(search, conclusion, about),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_side_by_side_are_a_range() {
        for (numbers, text) in [
            ([].as_slice(), ""),
            (&[3], "3"),
            (&[3, 7, 8, 9, 11], "3, 7 to 9, 11"),
            (&[0, u64::MAX], "0, 18446744073709551615"),
        ] {
            assert_eq!(ranges(numbers), text);
        }
    }
}
