//! The recorder's sources belong together: they compile with the options that the recorder is built with.

use std::path::Path;
use std::process::Command;

use super::{SOURCES, made_sources, options};

fn compile(folder: &Path, how: &[&str], ending: &str, names: &[&str]) {
    let mut command = Command::new("c++");
    command.current_dir(folder).env("LC_ALL", "C").args(["-fPIC"]);
    command.args(options("0123")).args(how);
    command.args(names.iter().filter(|name| name.ends_with(ending)));
    let ran = command.output().expect("the compiler starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// The vendor's library is not needed: nothing is linked.
#[test]
fn every_source_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = made_sources();
    let made = made.iter().map(|(name, text)| (*name, text.as_str()));
    let sources: Vec<(&str, &str)> = SOURCES.into_iter().chain(made).collect();
    for (name, text) in &sources {
        std::fs::write(folder.path().join(name), text).expect("the folder can be written");
    }
    let names: Vec<&str> = sources.iter().map(|(name, _)| *name).collect();
    compile(folder.path(), &["-fsyntax-only"], ".cpp", &names);
    compile(folder.path(), &["-c"], ".S", &names);
}
