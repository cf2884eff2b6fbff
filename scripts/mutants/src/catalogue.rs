//! Which mutants there are, and which of them are tried: `cargo mutants` lists them.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::processes::output;

/// What decides whether a test passed: a summary counts it apart. Paths from the workspace: a file, or a folder with all
/// below it.
const JUDGES: &[&str] = &[
    "harness/suite/src/checks.rs",
    "harness/certification/src/",
    "harness/pipeline/src/",
    "harness/suite/src/bind/failure.rs",
    "harness/suite/src/bind/outputs.rs",
    "harness/suite/src/language/expectation.rs",
    "harness/triage/src/",
    "runtime/sim/src/observers/",
    "runtime/src/replayer.rs",
    "runtime/src/replayer/",
    "schema/src/capture.rs",
    "schema/src/class.rs",
    "schema/src/diff.rs",
    "schema/src/diff/",
    "schema/src/tolerance.rs",
    "schema/src/validate.rs",
    "schema/src/validate/",
];

/// Deliberate defects have tests of their own, and do nothing in an ordinary build. What is written by a program is
/// tested by that program's `--check`.
const NO_PART: &[&str] = &["defects.rs", "sabotage.rs", "/generated/"];

/// Which mutants are tried.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Only those in lines that differ from this commit.
    pub since: Option<String>,
    /// At most so many, from all crates in turns.
    pub sample: Option<usize>,
    /// Only those in these files and folders, if some are named. Paths from the workspace.
    pub paths: Vec<String>,
}

/// A place in a file, as `cargo mutants` counts: from 1, columns in characters.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

/// From a place to the place behind the end.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    /// The first character.
    pub start: Position,
}

/// What kind of change a mutant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Genre {
    /// A function returns a value without doing anything.
    FnValue,
    /// Another operator between two operands.
    BinaryOperator,
    /// An operator before an operand is left out.
    UnaryOperator,
    /// An arm of a match is left out.
    MatchArm,
    /// The condition of an arm is always true or false.
    MatchArmGuard,
    /// A field of an expression with a base is left out.
    StructField,
}

/// One defect that could be planted.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// What stands in the place of what `span` covers.
    pub replacement: String,
    /// The file, from the workspace.
    pub file: String,
    /// The crate.
    pub package: String,
    /// What changes.
    pub genre: Genre,
    /// Where.
    pub span: Span,
    /// Place and change as a line of text, which names the mutant.
    pub name: String,
}

impl Mutant {
    fn is_in(&self, paths: &[&str]) -> bool {
        paths
            .iter()
            .any(|path| self.file == *path || (path.ends_with('/') && self.file.starts_with(path)))
    }

    fn counts(&self) -> bool {
        !NO_PART.iter().any(|name| self.file.contains(name)) && !self.name.contains("planted(")
    }

    /// Whether it is in code that decides whether a test passed.
    pub fn is_of_a_judge(&self) -> bool {
        self.is_in(JUDGES)
    }

    /// A hash by which mutants are put in order: every beginning of the order is a fair sample.
    fn rank(&self, seed: u64) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes()).update(self.name.as_bytes());
        *hasher.finalize().as_bytes()
    }
}

/// The mutants to try, in the order in which they are tried.
pub fn choose(
    workspace: &Path,
    folder: &Path,
    choice: &Choice,
    seed: u64,
) -> Result<Vec<Mutant>, Error> {
    let mut arguments = vec!["mutants", "--list", "--json", "--workspace", "--no-config"];
    let difference = folder.join("difference.patch");
    let difference_text = difference.to_string_lossy().into_owned();
    if let Some(commit) = &choice.since {
        let text = output("git", &["diff", "--merge-base", commit, "--", "*.rs"], workspace)?;
        std::fs::write(&difference, &text).map_err(Error::at(&difference))?;
        if text.is_empty() {
            return Ok(Vec::new());
        }
        arguments.extend(["--in-diff", &difference_text]);
    }
    let listed = output("cargo", &arguments, workspace)?;
    let mut mutants: Vec<Mutant> =
        serde_json::from_str(&listed).map_err(Error::json("the list of `cargo mutants`"))?;
    mutants.retain(Mutant::counts);
    mutants.retain(|mutant| {
        choice.paths.is_empty()
            || choice.paths.iter().any(|path| Path::new(&mutant.file).starts_with(path))
    });
    mutants.sort_by_cached_key(|mutant| mutant.rank(seed));
    Ok(match choice.sample {
        None => mutants,
        Some(count) => sample(&mutants, count),
    })
}

/// Takes one mutant of each crate in turns, so that a small crate is judged as a large one is, and a run that is stopped
/// has seen all of them alike.
fn sample(mutants: &[Mutant], count: usize) -> Vec<Mutant> {
    let mut crates: BTreeMap<&str, VecDeque<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        crates.entry(&mutant.package).or_default().push_back(mutant);
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !crates.is_empty() {
        for mutants in crates.values_mut() {
            chosen.extend(mutants.pop_front().cloned());
        }
        crates.retain(|_, mutants| !mutants.is_empty());
    }
    chosen.truncate(count);
    chosen
}
