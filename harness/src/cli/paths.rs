//! Paths that users give.

use std::path::{Path, PathBuf};

/// The absolute path, since workers may have another current folder. A path that cannot be made absolute is
/// unchanged.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
