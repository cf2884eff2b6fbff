//! Paths that are resolved without the file system.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`.
pub fn lexical(path: &Path) -> PathBuf {
    let mut lexical = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                lexical.pop();
            }
            part => lexical.push(part),
        }
    }
    lexical
}
