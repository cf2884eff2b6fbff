//! The tests that there are.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use crate::build::Executable;
use crate::error::Error;

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    /// What holds it.
    pub executable: Executable,
    /// Its name there.
    pub name: String,
}

impl Test {
    /// A name that no other test has.
    pub fn full_name(&self) -> String {
        format!("{}::{}", self.executable.name, self.name)
    }

    /// A process that runs this test alone.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.executable.path);
        command
            .args(["--exact", &self.name])
            .env("CARGO_MANIFEST_DIR", &self.executable.folder)
            // A snapshot that differs is a failure, and nothing is written beside it.
            .env("INSTA_UPDATE", "no")
            .current_dir(&self.executable.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

/// Asks the executables for their tests. Ignored ones are left out, as in an ordinary run.
pub fn list(executables: &[Executable]) -> Result<Vec<Test>, Error> {
    let mut tests = Vec::new();
    for executable in executables {
        let names = |ignored: &[&str]| -> Result<Vec<String>, Error> {
            let command = || format!("{} --list", executable.path.display());
            let output = Command::new(&executable.path)
                .args(["--list", "--format", "terse"])
                .args(ignored)
                .env("CARGO_MANIFEST_DIR", &executable.folder)
                .current_dir(&executable.folder)
                .output()
                .map_err(|error| Error::Command {
                    command: command(),
                    reason: error.to_string(),
                })?;
            if !output.status.success() {
                let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                return Err(Error::Command { command: command(), reason });
            }
            let listed = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(listed
                .lines()
                .filter_map(|line| line.strip_suffix(": test"))
                .map(str::to_owned)
                .collect())
        };
        let ignored = names(&["--ignored"])?;
        for name in names(&[])? {
            if !ignored.contains(&name) {
                tests.push(Test { executable: executable.clone(), name });
            }
        }
    }
    Ok(tests)
}

/// The order in which tests are taken. First one test of each case of a suite, and all that are no tests of suites; then
/// the same cases with other parameters, and on other chips.
pub fn rounds(tests: &[Test], seed: u64) -> [Vec<usize>; 2] {
    let mut representatives: BTreeMap<&str, (blake3::Hash, usize)> = BTreeMap::new();
    let mut rounds = [Vec::new(), Vec::new()];
    for (index, test) in tests.iter().enumerate() {
        match case(test) {
            Some(case) => {
                let rank = blake3::hash(format!("{seed} {}", test.name).as_bytes());
                let least = representatives.entry(case).or_insert((rank, index));
                if rank.as_bytes() < least.0.as_bytes() {
                    *least = (rank, index);
                }
                rounds[1].push(index);
            }
            None => rounds[0].push(index),
        }
    }
    let chosen: BTreeSet<usize> = representatives.into_values().map(|(_, index)| index).collect();
    rounds[1].retain(|index| !chosen.contains(index));
    rounds[0].extend(chosen);
    rounds
}

/// The case of a suite, without chip and parameters: names are `<chip>::<group>::<suite>::<case>::k=v`.
fn case(test: &Test) -> Option<&str> {
    if test.executable.name != "hallmark::suites" {
        return None;
    }
    let (_, rest) = test.name.split_once("::")?;
    let end = rest.match_indices("::").nth(2).map_or(rest.len(), |(at, _)| at);
    rest.get(..end)
}
