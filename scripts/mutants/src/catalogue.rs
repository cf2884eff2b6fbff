//! Which mutants there are, and which of them are tried: `cargo mutants` lists them.

use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::processes::output;

/// What a sample is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Area {
    /// What decides whether a test passed.
    Judges,
    /// What models the machine, and what drives it.
    Machine,
}

/// Paths from the workspace: a file, or a folder with all below it.
const JUDGES: &[&str] = &[
    "harness/suite/src/checks.rs",
    "harness/pipeline/src/",
    "harness/suite/src/bind/failure.rs",
    "harness/suite/src/bind/outputs.rs",
    "harness/suite/src/language/expectation.rs",
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
const MACHINE: &[&str] = &["runtime/chip/src/", "runtime/engine/src/", "runtime/sim/src/"];

/// Deliberate defects have tests of their own, and do nothing in an ordinary build. What is written by a program is
/// tested by that program's `--check`.
const NO_PART: &[&str] = &["defects.rs", "sabotage.rs", "/generated/"];

/// Which mutants are tried.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Those in lines that differ from a commit.
    Since(String),
    /// So many of each area.
    Sample(usize),
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

    fn area(&self) -> Option<Area> {
        if self.is_in(JUDGES) {
            Some(Area::Judges)
        } else if self.is_in(MACHINE) {
            Some(Area::Machine)
        } else {
            None
        }
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
    if let Choice::Since(commit) = choice {
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
    mutants.sort_by_cached_key(|mutant| mutant.rank(seed));
    Ok(match choice {
        Choice::Since(_) => mutants,
        Choice::Sample(count) => {
            let of = |area| {
                let of_area = mutants.iter().filter(move |mutant| mutant.area() == Some(area));
                of_area.take(*count).cloned().collect::<Vec<_>>()
            };
            // In turns, so that a run that is stopped has as much of the one as of the other.
            let (mut judges, mut machine) =
                (of(Area::Judges).into_iter(), of(Area::Machine).into_iter());
            let mut chosen = Vec::new();
            loop {
                let turn = [judges.next(), machine.next()];
                if turn.iter().all(Option::is_none) {
                    break chosen;
                }
                chosen.extend(turn.into_iter().flatten());
            }
        }
    })
}
