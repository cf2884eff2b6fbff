//! README and the pages of failures and certifications as readers follow them: what they show is what is printed.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/document.rs"]
mod document;
#[expect(dead_code, reason = "other tests want more kinds of builds")]
#[path = "common/firmware_builds.rs"]
mod firmware_builds;
mod common {
    pub(crate) use super::document::repository;
}

use std::path::PathBuf;
use std::process::{Command, Stdio};

use walkdir::WalkDir;

use document::{command_line, repository, text};
use firmware_builds::{Build, builds};

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
fn the_page_of_certifications_shows_what_is_printed() {
    let openssh = Command::new("ssh-keygen").stdin(Stdio::null()).stderr(Stdio::null()).status();
    if openssh.is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let firmware = builds(&[Build::Sound, Build::Broken("brisc.elf")]);
    std::os::unix::fs::symlink(firmware.path(), folder.path().join("firmware")).unwrap();
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
    assert!(run("hallmark run").contains("6 tests, every capture replayed"));
}

/// The documents for people, in the order in which a reader meets them.
const DOCUMENTS: [&str; 9] = [
    "README.md",
    "CONTRIBUTING.md",
    "suites/TUTORIAL.md",
    "suites/README.md",
    "suites/KERNEL_API.md",
    "suites/FAILURES.md",
    "suites/CERTIFICATION.md",
    "runtime/README.md",
    "runtime/examples/speed/README.md",
];

/// What stands between two marks in a text, again and again.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| Some(rest.split_once(after)?.0))
}

#[test]
fn links_lead_to_files() {
    for document in DOCUMENTS {
        let path = repository().join(document);
        let text = std::fs::read_to_string(&path).unwrap();
        // Brackets in code are no links.
        let prose: String = text.split('`').step_by(2).collect();
        for link in between(&prose, "](", ")") {
            let target = link.split('#').next().unwrap();
            let elsewhere = target.is_empty() || target.starts_with("https://");
            let there = path.parent().unwrap().join(target).exists();
            assert!(elsewhere || there, "{document} links to {link}, which is not there");
        }
    }
}

#[test]
fn the_files_that_contributing_names_exist() {
    let folders = ["harness", "runtime", "schema", "scripts", "suites", ".ci"];
    let entries = folders.iter().flat_map(|folder| {
        WalkDir::new(repository().join(folder))
            .into_iter()
            .filter_entry(|entry| entry.file_name() != "target")
    });
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().into_path()).collect();
    let text = std::fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
    let is_file = |name: &&str| {
        let extensions = [".rs", ".h", ".cpp", ".fbs", ".yml"];
        let plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        extensions.iter().any(|extension| name.ends_with(extension) && name != extension)
            && name.chars().all(plain)
    };
    let named: Vec<&str> = text.split('`').skip(1).step_by(2).filter(is_file).collect();
    assert!(named.len() > 30, "{named:?}");
    let absent: Vec<&&str> =
        named.iter().filter(|name| !files.iter().any(|file| file.ends_with(name))).collect();
    assert!(absent.is_empty(), "CONTRIBUTING.md names files that are not there: {absent:?}");
}

#[test]
fn readme_is_short() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let lines = readme.lines().count();
    assert!(lines <= 130, "README.md has {lines} lines; a front door has at most 130");
}
