//! Plants single-line defects in a copy of the workspace, and tells which of them the tests catch.
//!
//! `cargo mutants` lists the defects. All that are chosen are written into one copy, each behind a switch that an
//! environment variable throws, so that the workspace is compiled once and not once a mutant. A first run of each test
//! notes which mutants it reaches. Then each mutant is given the tests that reach it, one process a test, from cheap to
//! dear, until one fails. This is done for one test of each case first, and then for all the others with those mutants
//! that are left. Results are a line a mutant in a file, and a second run goes on where the first was stopped.

mod build;
mod catalogue;
mod error;
mod judge;
mod processes;
mod reached;
mod results;
mod scratch;
mod switch;
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::catalogue::Choice;
use crate::error::Error;

/// Plants single-line defects in a copy of the workspace, and tells which of them the tests catch.
#[derive(Parser)]
struct Arguments {
    /// Takes the mutants in lines that differ from this commit.
    #[arg(long, value_name = "REF", required_unless_present = "sample")]
    since: Option<String>,
    /// Takes a random sample of at most this many mutants, from all crates in turns.
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// Chooses the sample, and the order in which mutants are tried.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Takes only mutants of this file, or of all files below this folder. Paths from the workspace; given several times,
    /// all of them count.
    #[arg(long = "in", value_name = "PATH")]
    paths: Vec<String>,
    /// Builds and runs only the tests of this crate, which is several times faster. Given several times, all of them count.
    /// Such a survivor may be caught by the tests of another crate.
    #[arg(long = "tests-of", value_name = "CRATE")]
    crates: Vec<String>,
    /// How many seconds of tests a mutant gets before the next one has its turn. The mutant is then undecided, and
    /// another run goes on with it.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    budget: u64,
    /// How many tests run at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Only prints the mutants.
    #[arg(long)]
    list: bool,
    /// Where the copy, its build and the results are.
    #[arg(long, value_name = "FOLDER", default_value = "target/mutants")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = workspace.canonicalize().map_err(Error::at(&workspace))?;
    let folder = workspace.join(&arguments.folder);
    std::fs::create_dir_all(&folder).map_err(Error::at(&folder))?;

    let choice = Choice {
        since: arguments.since.clone(),
        sample: arguments.sample,
        paths: arguments.paths.clone(),
    };
    let mutants = catalogue::choose(&workspace, &folder, &choice, arguments.seed)?;
    println!("{} mutants chosen", mutants.len());
    if arguments.list || mutants.is_empty() {
        mutants.iter().for_each(|mutant| println!("{}", mutant.name));
        return Ok(());
    }

    let copy = scratch::Copy::make(&workspace, &folder)?;
    let built = build::build(&copy, mutants, &arguments.crates)?;
    println!("{} mutants compiled, {} not switched", built.switched.len(), built.left_out.len());

    let tests = tests::list(&built.executables)?;
    let mut results = results::Results::open(&folder, &built.id)?;
    for (mutant, reason) in &built.left_out {
        results.add_left_out(mutant, reason)?;
    }
    let rounds = tests::rounds(&tests, arguments.seed);
    let mut caught_by: BTreeMap<usize, usize> = BTreeMap::new();
    let budget = Duration::from_secs(arguments.budget);
    for (number, round) in rounds.iter().enumerate() {
        if built.switched.iter().all(|mutant| results.is_decided(mutant)) {
            break;
        }
        println!("round {}: which mutants {} tests reach", number + 1, round.len());
        let reached = reached::measure(&folder, &built, &tests, round, arguments.jobs)?;
        for name in &reached.failing {
            println!("left out, because it fails without a mutant: {name}");
        }
        let is_last_round = number + 1 == rounds.len();
        for mutant in &built.switched {
            if results.is_decided(mutant) {
                continue;
            }
            let passed = results.passed(mutant);
            let trial = judge::Trial {
                tests: &tests,
                reached: &reached,
                budget,
                jobs: arguments.jobs,
                is_last_round,
            };
            results.add(mutant, judge::judge(mutant, &trial, &passed, &mut caught_by)?)?;
        }
    }
    println!("{}", results.summary(&built.switched));
    Ok(())
}
