//! The path of this repository, for tests that read its suites, kernels and goldens.

use std::path::PathBuf;

/// The folder of this repository. nextest may unpack its archive elsewhere, so the path is known only at run
/// time.
pub(crate) fn repository() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR");
    let package = PathBuf::from(package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into()));
    package.parent().unwrap().to_owned()
}
