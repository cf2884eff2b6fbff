//! `hallmark run --watch`: runs the tests that use a saved suite, kernel or header, until a signal comes.
//!
//! Each round reads everything anew, as a run of its own would. A round that ends before any test ran, because a suite
//! has a mistake, leaves its files to the next one.

mod saved_files;

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::Architecture;
use hallmark_execution::interrupt;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plural::counted;
use hallmark_suite::discover::{Root, SelectedTest};
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::used_files::UsedFiles;

use self::saved_files::SavedFiles;
use super::{Prepared, Ran, RunArguments};
use crate::cli::select::{Selection, named};
use crate::cli::{Failed, output};

/// The files and suites that a line names.
const NAMED: usize = 3;

/// Watches until a signal comes.
pub(super) fn watch(arguments: &RunArguments) -> Result<ExitCode, Failed> {
    // A mistake on the command line ends the command before a file is saved.
    let Prepared { settings, .. } = super::prepare(arguments)?;
    let root = settings.root;
    let mut saved = SavedFiles::of(&root)?;
    output::say(&format!(
        "watching {}: a saved suite, kernel or header runs its tests; Ctrl-C ends",
        root.suites().display()
    ));
    let mut waiting = BTreeSet::new();
    let is_over = || interrupt::requested() || output::is_lost();
    while let Some(changed) = saved.next(is_over) {
        waiting.extend(changed);
        let files = first_and_number(waiting.iter().map(String::as_str), "file", "files");
        output::say(&format!("changed {files}"));
        match round(arguments, &waiting) {
            Ok(()) => waiting.clear(),
            Err(failed) => output::complain(&failed.text),
        }
        if interrupt::requested() {
            break;
        }
        output::say("waiting for a saved file");
    }
    // Without a reader, the watch has ended as well.
    Ok(if interrupt::requested() { ExitCode::INTERRUPTED } else { ExitCode::SUCCESS })
}

/// Runs the tests that use changed files. After an error, none ran, or a report could not be written.
fn round(arguments: &RunArguments, changed: &BTreeSet<String>) -> Result<(), Failed> {
    let prepared = super::prepare(arguments)?;
    let Prepared { settings, architectures, .. } = &prepared;
    let tests = concerned(&settings.root, architectures, &arguments.selection, changed)?;
    if tests.is_empty() {
        output::say("no selected test uses the changed files");
        return Ok(());
    }
    check(&tests, architectures)?;
    let suites: BTreeSet<String> = tests.iter().map(|test| test.suite().file.path()).collect();
    let suites = first_and_number(suites.iter().map(String::as_str), "suite", "suites");
    let number = counted(tests.len(), "test", "tests");
    output::say(&format!("running {number} of {suites}"));
    super::run_tests(arguments, &prepared, tests, Ran::Part).map(drop)
}

/// The selected tests that use changed files.
fn concerned(
    root: &Root,
    architectures: &[Architecture],
    selection: &Selection,
    changed: &BTreeSet<String>,
) -> Result<Vec<SelectedTest>, Failed> {
    let mut used = UsedFiles::new(root.clone());
    let mut tests = named(root, architectures, selection)?;
    tests.retain(|test| used.has_one_of(test, changed));
    Ok(tests)
}

/// Checks the suites of tests completely.
fn check(tests: &[SelectedTest], architectures: &[Architecture]) -> Result<(), SuiteMistakes> {
    let suites: BTreeMap<String, &SelectedTest> =
        tests.iter().map(|test| (test.suite().file.path(), test)).collect();
    let checked = suites.values().map(|test| test.suite().check(architectures));
    let mistakes: Vec<_> = checked.filter_map(Result::err).flat_map(|it| it.0).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(SuiteMistakes(mistakes)) }
}

/// A few names, and the number of the others.
fn first_and_number<'n>(names: impl Iterator<Item = &'n str>, one: &str, many: &str) -> String {
    let names: Vec<&str> = names.collect();
    let (first, others) = names.split_at(names.len().min(NAMED));
    let mut text = first.join(", ");
    if !others.is_empty() {
        text.push_str(&format!(
            " and {} more {}",
            others.len(),
            if others.len() == 1 { one } else { many }
        ));
    }
    text
}
