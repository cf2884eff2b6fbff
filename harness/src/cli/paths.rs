//! Paths as users give them.

use std::path::{Path, PathBuf};

/// The path from the root of the file system, since workers may have another current folder. A path that cannot be
/// made so is left as it is.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
