//! The simulator's library, `hallmark-sim-library`, as tests load it. They depend on the crate, so that Cargo
//! builds it before any of them, and puts it beside them, also where it builds no other package.

use std::path::PathBuf;

/// The shared object.
pub(crate) fn simulator_library() -> PathBuf {
    let library = std::env::current_exe().unwrap().with_file_name("libhallmark_sim_library.so");
    assert!(library.is_file(), "{} is not there", library.display());
    library
}
