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

    /// The figures of each crate, of what judges, and of all, and the mutants that survived.
    pub fn summary(&self, switched: &[SwitchedMutant]) -> String {
        let (mut crates, mut judges, mut all) =
            (BTreeMap::<&str, Figures>::new(), Figures::default(), Figures::default());
        let mut survivors = String::new();
        for mutant in switched {
            let outcome = self.outcomes.get(&mutant.mutant.name);
            crates.entry(&mutant.mutant.package).or_default().count(outcome);
            all.count(outcome);
            if mutant.mutant.is_of_a_judge() {
                judges.count(outcome);
            }
            if let Some(Outcome::Survived { tests }) = outcome {
                let how = if *tests == 0 { "unreached" } else { "survived " };
                survivors.push_str(&format!("\n{how} {}", mutant.mutant.name));
            }
        }
        let left_out = self
            .outcomes
            .values()
            .filter(|outcome| matches!(outcome, Outcome::LeftOut { .. }))
            .count();
        let mut text = format!(
            "{:30} {:>6} {:>8} {:>8} {:>9} {:>9}",
            "crate", "caught", "by limit", "survived", "unreached", "undecided"
        );
        let named = crates.iter().map(|(name, figures)| (*name, figures));
        for (name, figures) in named.chain([("what judges", &judges), ("all", &all)]) {
            let Figures { caught, by_limit, survived, unreached, undecided } = figures;
            text.push_str(&format!(
                "\n{name:30} {caught:>6} {by_limit:>8} {survived:>8} {unreached:>9} {undecided:>9}"
            ));
        }
        text.push_str(&format!(
            "\n\"by limit\": caught because a test did not end. {left_out} more were not tried: they do not compile, or a switch cannot hold them.\nresults: {}{survivors}",
            self.path.display()
        ));
        text
    }
}

/// How many mutants came to which end.
#[derive(Default)]
struct Figures {
    caught: usize,
    /// Of those that were caught.
    by_limit: usize,
    /// Tests reach them.
    survived: usize,
    /// No test reaches them.
    unreached: usize,
    undecided: usize,
}

impl Figures {
    fn count(&mut self, outcome: Option<&Outcome>) {
        match outcome {
            Some(Outcome::Caught { by_timeout, .. }) => {
                self.caught += 1;
                self.by_limit += usize::from(*by_timeout);
            }
            Some(Outcome::Survived { tests: 0 }) => self.unreached += 1,
            Some(Outcome::Survived { .. }) => self.survived += 1,
            Some(Outcome::Undecided { .. }) | None => self.undecided += 1,
            Some(Outcome::LeftOut { .. }) => {}
        }
    }
}
