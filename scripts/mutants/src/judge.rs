//! Gives one mutant the tests that reach it, until one fails.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::build::SwitchedMutant;
use crate::error::Error;
use crate::processes::{Ending, Running};
use crate::reached::Reached;
use crate::tests::Test;

/// What became of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A test failed.
    Caught {
        /// Which.
        by: String,
        /// Whether the test ran for so long that it was ended.
        by_timeout: bool,
    },
    /// Every test that reaches it passed.
    Survived {
        /// How many tests reach it.
        tests: usize,
    },
    /// All tests that ran passed, and others are left.
    Undecided {
        /// Those that passed.
        passed: BTreeSet<String>,
        /// How many tests are known to reach it.
        tests: usize,
    },
    /// It was not tried.
    LeftOut {
        /// Why.
        reason: String,
    },
}

/// What mutants are tried with.
pub struct Trial<'a> {
    /// All tests.
    pub tests: &'a [Test],
    /// What they reach.
    pub reached: &'a Reached,
    /// How long a mutant may take.
    pub budget: Duration,
    /// How many tests run at a time.
    pub jobs: usize,
    /// Whether it is known of every test what it reaches.
    pub is_last_round: bool,
}

/// Runs tests until one fails, all have passed, or the time is over. The unit tests of the mutant's own crate come
/// first, then those that have caught most for the time that they take.
pub fn judge(
    mutant: &SwitchedMutant,
    trial: &Trial<'_>,
    passed: &BTreeSet<String>,
    caught_by: &mut BTreeMap<usize, usize>,
) -> Result<Outcome, Error> {
    let Trial { tests, reached, budget, jobs, is_last_round } = *trial;
    let none = Vec::new();
    let reaching = reached.by_mutant.get(&mutant.number).unwrap_or(&none);
    let seconds = |index: usize| reached.seconds.get(index).copied().unwrap_or_default();
    let mut waiting: Vec<(bool, f64, usize)> = reaching
        .iter()
        .filter_map(|index| Some((*index, tests.get(*index)?)))
        .filter(|(_, test)| !passed.contains(&test.full_name()))
        .map(|(index, test)| {
            let is_own =
                test.executable.is_unit && test.executable.package == mutant.mutant.package;
            let catches = caught_by.get(&index).copied().unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "there are few mutants")]
            let dear = seconds(index) * chance(mutant.number, index) / (1 + catches) as f64;
            (!is_own, dear, index)
        })
        .collect();
    // The first to run stands last.
    waiting.sort_by(|one, other| {
        (other.0, other.1).partial_cmp(&(one.0, one.1)).unwrap_or(std::cmp::Ordering::Equal)
    });

    let mut passed = passed.clone();
    let begin = Instant::now();
    let mut running: Vec<(usize, Running)> = Vec::new();
    let mut failure = None;
    let mut is_disturbed = false;
    while failure.is_none() && !is_disturbed && !(waiting.is_empty() && running.is_empty()) {
        if begin.elapsed() > budget {
            break;
        }
        while running.len() < jobs
            && let Some((_, _, index)) = waiting.pop()
            && let Some(test) = tests.get(index)
        {
            let mut command = test.command();
            command.env("MUTANT_ACTIVE", mutant.number.to_string());
            let started = Running::start(&mut command, limit(seconds(index)));
            running.push((index, started.map_err(Error::at(&test.executable.path))?));
        }
        let mut left = Vec::new();
        for (index, mut process) in running {
            let Some(test) = tests.get(index) else { continue };
            match process.ended().map_err(Error::at(&test.executable.path))? {
                None => left.push((index, process)),
                Some(Ending::Passed) => {
                    passed.insert(test.full_name());
                }
                // Others on this machine may have had its time: the mutant is to blame only if the test ends without it.
                Some(Ending::TimedOut) if !ends_alone(test, limit(seconds(index)))? => {
                    is_disturbed = true;
                }
                Some(ending) => failure = failure.or(Some((index, ending))),
            }
        }
        running = left;
        std::thread::sleep(Duration::from_millis(2));
    }
    for (_, process) in &mut running {
        process.end().map_err(Error::at(std::path::Path::new("a test")))?;
    }
    Ok(match failure {
        Some((index, ending)) => {
            *caught_by.entry(index).or_default() += 1;
            Outcome::Caught {
                by: tests.get(index).map(Test::full_name).unwrap_or_default(),
                by_timeout: ending == Ending::TimedOut,
            }
        }
        None if is_last_round && passed.len() >= reaching.len() => {
            Outcome::Survived { tests: reaching.len() }
        }
        None => Outcome::Undecided { passed, tests: reaching.len() },
    })
}

/// How long a test may take that takes so many seconds without a mutant.
fn limit(seconds: f64) -> Duration {
    Duration::from_secs_f64(15.0 + seconds * 8.0)
}

/// Whether a test ends within a quarter of its limit now, with no mutant active.
fn ends_alone(test: &Test, limit: Duration) -> Result<bool, Error> {
    let failed = || Error::at(&test.executable.path);
    let mut process = Running::start(&mut test.command(), limit / 4).map_err(failed())?;
    loop {
        if let Some(ending) = process.ended().map_err(failed())? {
            return Ok(ending == Ending::Passed);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A number in (0, 1] that looks like chance and is the same in every run, so that tests alike are not tried in a row.
fn chance(mutant: u32, test: usize) -> f64 {
    let hash = blake3::hash(format!("{mutant} {test}").as_bytes());
    let bytes = hash.as_bytes();
    (f64::from(bytes.first().copied().unwrap_or_default()) + 1.0) / 256.0
}
