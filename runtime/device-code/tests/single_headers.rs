//! Each header of the kernel API can be the only one that a kernel includes, and so comes first in some kernel.
#![allow(clippy::unwrap_used, reason = "a test says what failed by panicking")]

#[path = "common/compute_kernel.rs"]
mod compute_kernel;
#[path = "common/data_movement_kernel.rs"]
mod data_movement_kernel;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compute_kernel::compute_kernel;
use data_movement_kernel::data_movement_kernel;
use hallmark_chip::Processor;
use hallmark_device_code::{Compiler, KernelStore, SourceClosure};

/// Headers that no kernel includes alone: a compute header in a kernel that is none, a refused name, and two that need
/// `noc_index` from the data-movement API before them, as in TT-Metalium.
const INCOMPLETE: [&str; 5] = [
    "api/compute/cb_api.h",
    "api/compute/common.h",
    "api/debug/status.h",
    "api/tensor/pages_address_iterator.h",
    "api/tensor/shard_pages_address_iterator.h",
];

/// The names by which kernels include the headers beneath a folder of `runtime/firmware`. Kernels do not name those in
/// `hallmark`.
fn names(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware").join(folder);
    let mut names = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.extend((name != "hallmark").then_some(path));
            } else if !name.ends_with(".cpp") {
                names.insert(name.to_owned());
            }
        }
    }
    assert!(!names.is_empty());
    names
}

fn only(header: &str) -> String {
    format!("#include \"{header}\"\nvoid kernel_main() {{}}\n")
}

#[test]
#[ignore = "compiles for 40 s with gcc-riscv64-unknown-elf; scripts/nightly runs it"]
fn each_header_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::find().unwrap();
    let store = KernelStore::builder().cache(folder.path()).compiler(Some(compiler)).build();
    let of_compute: BTreeSet<_> = ["compute", "vector_unit"].into_iter().flat_map(names).collect();
    let others: BTreeSet<_> =
        ["include", "object_api", "debug", "profiler"].into_iter().flat_map(names).collect();
    let compute = |header| {
        compute_kernel(Processor::Trisc1, only(header), Some("{0,5,2048,32,32},{1,5,2048,32,32}"))
    };
    let data_movement = |text: String| {
        let files = BTreeMap::from([("kernels/k.cpp".to_owned(), Arc::from(text.into_bytes()))]);
        data_movement_kernel(SourceClosure::from_files("kernels/k.cpp", &files).unwrap())
    };
    let requests = of_compute
        .iter()
        .map(|header| (header, compute(header)))
        .chain(others.iter().map(|header| (header, data_movement(only(header)))));
    let incomplete = requests.filter_map(|(header, request)| {
        let error = store.kernel(&request).err()?;
        Some((header.as_str(), error.to_string()))
    });
    let incomplete: BTreeMap<&str, String> = incomplete.collect();
    let names: Vec<&str> = incomplete.keys().copied().collect();
    assert_eq!(names, INCOMPLETE, "{incomplete:#?}");
}
