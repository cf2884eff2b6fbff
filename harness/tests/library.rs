//! Our simulator behind the C ABI of Tenstorrent's: what passes in process passes over the library, with
//! the same goldens.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;

use common::{command, text};

/// What a simulator's library is asked to do in every test run: each kind of command, each kind of core
/// and a fault. CI runs all suites over it.
const SAMPLE: [&str; 4] = [
    "suites/dataflow/loopback.yaml",
    "suites/cores/cores.yaml",
    "suites/arguments/common.yaml",
    "suites/faults/registers.yaml",
];

/// Cargo builds it with the tests of the workspace.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(2).unwrap();
    let library = target.join("examples/libhallmark_sim.so");
    assert!(
        library.is_file(),
        "{} is not there; `cargo build --package hallmark-sim-library --examples` builds it",
        library.display()
    );
    library
}

fn passes(architecture: Architecture) {
    let device = format!("{architecture}=ttsim:{}", library().display());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let run = command(&root)
        .args(["run", "--arch", architecture.name(), "--device", &device])
        .args(SAMPLE)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run));
    assert!(text(&run).contains("ttsim"), "{}", text(&run));
}

#[test]
fn wormhole_passes_over_the_library() {
    passes(Architecture::WormholeB0);
}

#[test]
fn blackhole_passes_over_the_library() {
    passes(Architecture::Blackhole);
}

#[test]
fn grayskull_passes_over_the_library() {
    passes(Architecture::Grayskull);
}
