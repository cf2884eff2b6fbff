//! The kernel API's headers and the linker scripts, carried inside the library so that an installed
//! `hallmark` compiles kernels without this repository.

use std::sync::OnceLock;

use hallmark_schema::model::ContentHash;

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        /// Path relative to `runtime/firmware`, and text.
        pub(super) static FILES: &[(&str, &str)] =
            &[$(($path, include_str!(concat!("../../firmware/", $path)))),*];
    };
}

embedded! {
    "include/api/compile_time_args.h",
    "include/api/compute/cb_api.h",
    "include/api/compute/common.h",
    "include/api/dataflow/dataflow_api.h",
    "include/api/tensor/tensor_accessor.h",
    "include/api/tensor/tensor_accessor_args.h",
    "include/cstddef",
    "include/cstdint",
    "include/hallmark/arguments.h",
    "include/hallmark/kernel_state.h",
    "include/hallmark/launch_abi.h",
    "include/hallmark/noc.h",
    "include/hallmark/plain_compute.h",
    "include/hallmark/registers.h",
    "include/hallmark/thread_mailbox.h",
    "kernel.ld",
    "kernel_start.cpp",
}

const INCLUDE: &str = "include/";

/// Whether kernels include a header of Hallmark's by this name.
pub(super) fn is_own(include: &str) -> bool {
    FILES.iter().any(|(path, _)| path.strip_prefix(INCLUDE) == Some(include))
}

/// The hash over all of them.
pub(super) fn hash() -> ContentHash {
    static HASH: OnceLock<ContentHash> = OnceLock::new();
    *HASH.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        for text in FILES.iter().flat_map(|(path, text)| [path, text]) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        ContentHash(*hasher.finalize().as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }

    #[test]
    fn every_header_of_the_folder_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
        let mut found = Vec::new();
        walk(&root.join("include"), &mut found);
        let mut found: Vec<String> = found
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort();
        let mut listed: Vec<&str> =
            FILES.iter().map(|(path, _)| *path).filter(|path| path.starts_with(INCLUDE)).collect();
        listed.sort_unstable();
        assert_eq!(listed, found);
    }
}
