//! The file of results, one line a mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::build::SwitchedMutant;
use crate::catalogue::Mutant;
use crate::error::Error;
use crate::judge::Outcome;

/// A line.
#[derive(Serialize, Deserialize)]
struct Line {
    build: String,
    mutant: String,
    outcome: Outcome,
}

/// The results of one build. A line that comes later holds.
pub struct Results {
    path: PathBuf,
    build: String,
    outcomes: BTreeMap<String, Outcome>,
}

impl Results {
    /// Reads what an earlier run of the same build found.
    pub fn open(folder: &Path, build: &str) -> Result<Self, Error> {
        let path = folder.join("results.jsonl");
        let mut outcomes = BTreeMap::new();
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            // The last line may have been cut off.
            if let Ok(line) = serde_json::from_str::<Line>(line)
                && line.build == build
            {
                outcomes.insert(line.mutant, line.outcome);
            }
        }
        Ok(Self { path, build: build.to_owned(), outcomes })
    }

    /// Whether nothing is left to do for a mutant.
    pub fn is_decided(&self, mutant: &SwitchedMutant) -> bool {
        self.outcomes
            .get(&mutant.mutant.name)
            .is_some_and(|outcome| !matches!(outcome, Outcome::Undecided { .. }))
    }

    /// The tests that an undecided mutant has passed.
    pub fn passed(&self, mutant: &SwitchedMutant) -> BTreeSet<String> {
        match self.outcomes.get(&mutant.mutant.name) {
            Some(Outcome::Undecided { passed, .. }) => passed.clone(),
            Some(Outcome::Caught { .. } | Outcome::Survived { .. } | Outcome::LeftOut { .. })
            | None => BTreeSet::new(),
        }
    }

    /// Writes what became of a mutant.
    pub fn add(&mut self, mutant: &SwitchedMutant, outcome: Outcome) -> Result<(), Error> {
        let name = &mutant.mutant.name;
        match &outcome {
            Outcome::Caught { by, by_timeout: false } => {
                println!("caught     {name}\n           by {by}")
            }
            Outcome::Caught { by, by_timeout: true } => {
                println!("caught     {name}\n           by {by}, which did not end")
            }
            Outcome::Survived { tests: 0 } => {
                println!("SURVIVED   {name}\n           no test reaches it")
            }
            Outcome::Survived { tests } => {
                println!("SURVIVED   {name}\n           {tests} tests reach it")
            }
            Outcome::Undecided { passed, tests } => {
                println!("undecided  {name}\n           {} of {tests} tests passed", passed.len());
            }
            Outcome::LeftOut { .. } => {}
        }
        self.write(name, outcome)
    }

    /// Writes that a mutant was not tried.
    pub fn add_left_out(&mut self, mutant: &Mutant, reason: &str) -> Result<(), Error> {
        if self.outcomes.contains_key(&mutant.name) {
            return Ok(());
        }
        self.write(&mutant.name, Outcome::LeftOut { reason: reason.to_owned() })
    }

    fn write(&mut self, mutant: &str, outcome: Outcome) -> Result<(), Error> {
        let line = Line { build: self.build.clone(), mutant: mutant.to_owned(), outcome };
        let text = serde_json::to_string(&line).map_err(Error::json("a result"))?;
        let file = OpenOptions::new().append(true).create(true).open(&self.path);
        file.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes()))
            .map_err(Error::at(&self.path))?;
        self.outcomes.insert(line.mutant, line.outcome);
        Ok(())
    }

    /// The figures, and the mutants that survived.
    pub fn summary(&self, switched: &[SwitchedMutant]) -> String {
        let (mut caught, mut by_timeout, mut undecided) = (0, 0, 0);
        let mut survivors = Vec::new();
        for mutant in switched {
            match self.outcomes.get(&mutant.mutant.name) {
                Some(Outcome::Caught { by_timeout: late, .. }) => {
                    caught += 1;
                    by_timeout += usize::from(*late);
                }
                Some(Outcome::Survived { .. }) => survivors.push(mutant.mutant.name.as_str()),
                Some(Outcome::Undecided { .. }) | None => undecided += 1,
                Some(Outcome::LeftOut { .. }) => {}
            }
        }
        let left_out = self
            .outcomes
            .values()
            .filter(|outcome| matches!(outcome, Outcome::LeftOut { .. }))
            .count();
        let mut text = format!(
            "{caught} caught ({by_timeout} of them by timeout), {} survived, {undecided} undecided, {left_out} not switched\nresults: {}",
            survivors.len(),
            self.path.display()
        );
        for name in survivors {
            text.push_str("\nsurvived: ");
            text.push_str(name);
        }
        text
    }
}
