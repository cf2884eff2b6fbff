//! What every source file of the repository has: it begins by saying what it holds.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/repository.rs"]
mod repository;

use std::path::PathBuf;

use repository::repository;
use walkdir::WalkDir;

/// Every Rust file of the crates and scripts.
fn source_files() -> Vec<PathBuf> {
    let folders = ["harness", "runtime", "schema", "scripts"];
    let entries = folders.iter().flat_map(|folder| {
        WalkDir::new(repository().join(folder))
            .into_iter()
            .filter_entry(|entry| entry.file_name() != "target")
    });
    let paths = entries.map(|entry| entry.unwrap().into_path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Whether a file begins with a module doc, or is written by a program.
fn says_what_it_holds(text: &str) -> bool {
    let generated = text.lines().take(2).any(|line| line.trim() == "// @generated");
    generated || text.starts_with("//! ")
}

#[test]
fn every_source_file_says_what_it_holds() {
    let files = source_files();
    assert!(files.contains(&repository().join("harness/tests/source_files.rs")));
    let silent: Vec<&PathBuf> = files
        .iter()
        .filter(|path| !says_what_it_holds(&std::fs::read_to_string(path).unwrap()))
        .collect();
    assert!(silent.is_empty(), "files that do not begin with a `//!` doc: {silent:#?}");
}

#[test]
fn a_file_without_a_doc_is_found() {
    assert!(says_what_it_holds("//! Where pages lie.\n\nuse std::fmt;\n"));
    assert!(says_what_it_holds("// Written by a script.\n// @generated\n\nuse std::fmt;\n"));
    assert!(!says_what_it_holds("use std::fmt;\n\n//! Where pages lie.\n"));
    assert!(!says_what_it_holds("// Where pages lie.\nuse std::fmt;\n"));
    assert!(!says_what_it_holds("//!\n"));
    assert!(!says_what_it_holds(""));
}
