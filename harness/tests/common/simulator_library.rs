//! The simulator's library, `hallmark-sim-library`, for tests. The tests depend on the crate, so Cargo builds
//! the library before them and beside them, even without other packages.

use std::path::PathBuf;

/// The shared object.
pub(crate) fn simulator_library() -> PathBuf {
    let library = std::env::current_exe().unwrap().with_file_name("libhallmark_sim_library.so");
    assert!(library.is_file(), "{} is not there", library.display());
    library
}
