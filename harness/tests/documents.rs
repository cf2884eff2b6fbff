//! README and the pages of failures and certifications from a reader's view: the shown output is the printed
//! output.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/document.rs"]
mod document;
#[path = "documents/pages.rs"]
mod pages;
use std::process::{Command, Stdio};

use document::{command_line, repository, text};

/// A suite without its comments.
fn without_comments(suite: &str) -> Vec<&str> {
    suite.lines().filter(|line| !line.trim_start().starts_with('#')).collect()
}

/// The first block of a document in a language.
fn block<'a>(document: &'a str, language: &str) -> &'a str {
    let (_, rest) = document.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```\n").unwrap().0
}

#[test]
fn readme_shows_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    document::follow("README.md", folder.path());
}

#[test]
fn the_page_of_failures_shows_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    for linked in ["suites", "goldens"] {
        let target = repository().join(linked);
        std::os::unix::fs::symlink(target, folder.path().join(linked)).unwrap();
    }
    document::follow("suites/FAILURES.md", folder.path());
}

#[test]
fn the_page_of_certifications_shows_what_is_printed() {
    let is_there = |program: &str| {
        let mut program = Command::new(program);
        let program = program.arg("-h").stdin(Stdio::null());
        program.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    if !["ssh-keygen", "perl"].into_iter().all(is_there) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    document::follow("suites/CERTIFICATION.md", folder.path());
}

#[test]
fn the_suite_of_readme_is_the_one_that_init_writes_and_runs_as_pasted() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let output = command_line(folder.path(), line).output().unwrap();
        assert!(output.status.success(), "{line}: {}", text(&output));
        text(&output)
    };
    run("hallmark init");
    let suite = folder.path().join("suites/first/add_one.yaml");
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let pasted = block(&readme, "yaml");
    let written = std::fs::read_to_string(&suite).unwrap();
    assert_eq!(without_comments(pasted), without_comments(&written));
    std::fs::write(&suite, pasted).unwrap();
    assert!(run("hallmark run").contains("4 tests, every capture replayed"));
}
