//! README and the page of failures as readers follow them: what they show is what is printed.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/document.rs"]
mod document;

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
    let suites = repository().join("suites");
    std::os::unix::fs::symlink(suites, folder.path().join("suites")).unwrap();
    document::follow("suites/FAILURES.md", folder.path());
}

#[test]
fn the_suite_of_readme_is_the_one_that_init_writes() {
    let folder = tempfile::tempdir().unwrap();
    let made = command_line(folder.path(), "hallmark init").output().unwrap();
    assert!(made.status.success(), "{}", text(&made));
    let written = std::fs::read_to_string(folder.path().join("suites/first/add_one.yaml")).unwrap();
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert_eq!(without_comments(block(&readme, "yaml")), without_comments(&written));
}

#[test]
fn readme_is_short() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let lines = readme.lines().count();
    assert!(lines <= 130, "README.md has {lines} lines; a front door has at most 130");
}
