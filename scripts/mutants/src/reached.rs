//! Which mutants each test reaches, and how long the test takes: found by running every test once, with no mutant active.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::build::Built;
use crate::error::Error;
use crate::processes::{Ending, Running};
use crate::switch::Number;
use crate::tests::Test;

/// Longer than any test takes without a mutant.
const LONGEST: Duration = Duration::from_secs(400);

/// What the run of all tests showed.
pub struct Reached {
    /// By mutant, the tests that reach it, as places in the list of tests.
    pub by_mutant: BTreeMap<Number, Vec<usize>>,
    /// By test, how long it takes.
    pub seconds: Vec<f64>,
    /// Tests that fail without any mutant.
    pub failing: Vec<String>,
}

/// What is noted of a test, so that a run that was stopped need not begin anew.
#[derive(Serialize, Deserialize)]
struct Note {
    test: String,
    passed: bool,
    seconds: f64,
    mutants: BTreeSet<Number>,
}

/// Runs these tests once, unless an earlier run of the same build has. Of the others it is not known what they reach.
pub fn measure(
    folder: &Path,
    built: &Built,
    tests: &[Test],
    round: &[usize],
    jobs: usize,
) -> Result<Reached, Error> {
    let folder = folder.join("reached").join(built.id.get(..16).unwrap_or_default());
    fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
    let path = folder.join("tests.jsonl");
    let mut notes: BTreeMap<String, Note> = BTreeMap::new();
    for line in fs::read_to_string(&path).unwrap_or_default().lines() {
        // The last line may have been cut off.
        if let Ok(note) = serde_json::from_str::<Note>(line) {
            notes.insert(note.test.clone(), note);
        }
    }
    let mut waiting: VecDeque<usize> = round.iter().copied().collect();
    waiting.retain(|index| {
        tests.get(*index).is_some_and(|test| !notes.contains_key(&test.full_name()))
    });
    let mut running: Vec<(usize, Running)> = Vec::new();
    let mut lines = String::new();
    while !waiting.is_empty() || !running.is_empty() {
        while running.len() < jobs
            && let Some(index) = waiting.pop_front()
            && let Some(test) = tests.get(index)
        {
            let file = folder.join(format!("{index}.numbers"));
            let _ = fs::remove_file(&file);
            let mut command = test.command();
            command.env("MUTANT_REACHED", &file);
            let started = Running::start(&mut command, LONGEST);
            running.push((index, started.map_err(Error::at(&test.executable.path))?));
        }
        let mut left = Vec::new();
        for (index, mut test) in running {
            let Some(ending) = test.ended().map_err(Error::at(&folder))? else {
                left.push((index, test));
                continue;
            };
            let file = folder.join(format!("{index}.numbers"));
            let numbers = fs::read_to_string(&file).unwrap_or_default();
            let _ = fs::remove_file(&file);
            let note = Note {
                test: tests.get(index).map(Test::full_name).unwrap_or_default(),
                passed: ending == Ending::Passed,
                seconds: test.elapsed().as_secs_f64(),
                mutants: numbers.lines().filter_map(|line| line.parse().ok()).collect(),
            };
            lines.push_str(&serde_json::to_string(&note).map_err(Error::json("a note"))?);
            lines.push('\n');
            notes.insert(note.test.clone(), note);
            if notes.len().is_multiple_of(10) {
                append(&path, &mut lines)?;
            }
        }
        running = left;
        std::thread::sleep(Duration::from_millis(2));
    }
    append(&path, &mut lines)?;
    let mut reached =
        Reached { by_mutant: BTreeMap::new(), seconds: Vec::new(), failing: Vec::new() };
    for (index, test) in tests.iter().enumerate() {
        let note = notes.get(&test.full_name());
        reached.seconds.push(note.map(|note| note.seconds).unwrap_or_default());
        match note {
            Some(note) if note.passed => {
                for mutant in &note.mutants {
                    reached.by_mutant.entry(*mutant).or_default().push(index);
                }
            }
            Some(_) => reached.failing.push(test.full_name()),
            None => {}
        }
    }
    Ok(reached)
}

fn append(path: &Path, lines: &mut String) -> Result<(), Error> {
    use std::io::Write as _;
    let file = fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(lines.as_bytes())).map_err(Error::at(path))?;
    lines.clear();
    Ok(())
}
