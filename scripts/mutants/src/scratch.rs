//! The copy of the workspace into which mutants are written.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::processes::output;

/// What asks whether a mutant is active, as a module of each crate.
const SWITCH: &str = include_str!("mutant_switch.rs.txt");
const SWITCH_FILE: &str = "mutant_switch.rs";

/// A copy of the files that the workspace's commit and working tree have.
pub struct Copy {
    workspace: PathBuf,
    /// The copy's workspace.
    pub root: PathBuf,
    /// Where it is built.
    pub target: PathBuf,
}

impl Copy {
    /// Makes the copy, or brings it up to date. Files that are alike keep their times, so that little is compiled anew.
    pub fn make(workspace: &Path, folder: &Path) -> Result<Self, Error> {
        let copy = Self {
            workspace: workspace.to_path_buf(),
            root: folder.join("copy"),
            target: folder.join("target"),
        };
        let listed = output(
            "git",
            &["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            workspace,
        )?;
        let mut wanted = BTreeSet::new();
        for file in listed.split('\0').filter(|file| !file.is_empty()) {
            let from = workspace.join(file);
            if !from.is_file() {
                continue;
            }
            wanted.insert(copy.root.join(file));
            if file.ends_with(".rs") {
                // Mutants may stand in the copy; `write` looks whether the text is another.
                continue;
            }
            let content = fs::read(&from).map_err(Error::at(&from))?;
            write_if_other(&copy.root.join(file), &content)?;
            let permissions = fs::metadata(&from).map_err(Error::at(&from))?.permissions();
            let to = copy.root.join(file);
            fs::set_permissions(&to, permissions).map_err(Error::at(&to))?;
        }
        copy.remove_others(&copy.root, &wanted)?;
        Ok(copy)
    }

    /// Where mutants that do not compile are noted.
    pub fn uncompilable(&self) -> PathBuf {
        self.root.with_file_name("uncompilable.json")
    }

    fn remove_others(&self, folder: &Path, wanted: &BTreeSet<PathBuf>) -> Result<(), Error> {
        for entry in fs::read_dir(folder).map_err(Error::at(folder))? {
            let path = entry.map_err(Error::at(folder))?.path();
            if path.is_dir() && !path.is_symlink() {
                self.remove_others(&path, wanted)?;
            } else if !wanted.contains(&path) && !path.ends_with(SWITCH_FILE) {
                fs::remove_file(&path).map_err(Error::at(&path))?;
            }
        }
        Ok(())
    }

    /// The text of a source file without mutants.
    pub fn original(&self, file: &str) -> Result<String, Error> {
        let path = self.workspace.join(file);
        fs::read_to_string(&path).map_err(Error::at(&path))
    }

    /// Writes all sources: those that `changed` names with its text, others as they are, and the switch.
    pub fn write(&self, changed: &dyn Fn(&str) -> Option<String>) -> Result<(), Error> {
        let listed = output(
            "git",
            &["ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.rs"],
            &self.workspace,
        )?;
        for file in listed.split('\0').filter(|file| !file.is_empty()) {
            let mut text = match changed(file) {
                Some(text) => text,
                None if self.workspace.join(file).is_file() => self.original(file)?,
                None => continue,
            };
            let path = self.root.join(file);
            if is_crate_root(file) {
                text.push_str("\npub mod mutant_switch;\n");
                write_if_other(&path.with_file_name(SWITCH_FILE), SWITCH.as_bytes())?;
            }
            write_if_other(&path, text.as_bytes())?;
        }
        Ok(())
    }
}

/// Whether a file is the root of a library of the workspace.
fn is_crate_root(file: &str) -> bool {
    file.ends_with("src/lib.rs") && !file.starts_with("scripts/") && !file.contains("/fuzz/")
}

fn write_if_other(path: &Path, content: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::at(folder))?;
    }
    fs::write(path, content).map_err(Error::at(path))
}
