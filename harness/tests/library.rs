//! Our simulator behind the C ABI of Tenstorrent's: a test that passes in process passes over the library, with
//! the same goldens.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/simulator_library.rs"]
mod simulator_library;

use hallmark_chip::Architecture;
use hallmark_runtime::metalium::Simulator;

use common::{command, repository, text};
use simulator_library::simulator_library;

/// The work of a simulator's library in every test run: each kind of command, each kind of core and a fault. CI
/// runs all suites over it.
const SAMPLE: [&str; 4] = [
    "suites/dataflow/loopback.yaml",
    "suites/cores/cores.yaml",
    "suites/arguments/common.yaml",
    "suites/faults/registers.yaml",
];

#[test]
fn the_library_is_known_by_what_it_exports() {
    assert_eq!(Simulator::of(&simulator_library()), Simulator::Hallmark);
    let this = std::env::current_exe().unwrap();
    assert_eq!(Simulator::of(&this), Simulator::Ttsim);
    assert_eq!(Simulator::of(std::path::Path::new("/nowhere.so")), Simulator::Ttsim);
}

fn passes(architecture: Architecture) {
    let device = format!("{architecture}=ttsim:{}", simulator_library().display());
    let root = repository();
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

/// The library makes the chip in the device's name, and its properties agree with those of the simulator in
/// process.
#[test]
fn harvested_chips_pass_over_the_library() {
    let root = repository();
    let library = simulator_library();
    let run = |architecture: &str, mask: &str| {
        let chip = format!("{architecture}=ttsim:{}:harvested={mask}", library.display());
        let simulator = format!("{architecture}=sim:{architecture}:harvested={mask}");
        let run = command(&root)
            .args(["run", "--arch", architecture, "--filter", "loopback::one_core"])
            .args(["--device", &chip, "--replay-device", &simulator])
            .arg("suites/dataflow/loopback.yaml")
            .output()
            .unwrap();
        (run.status.code(), text(&run))
    };
    for (architecture, mask) in [("wormhole_b0", "0x11"), ("blackhole", "0x5")] {
        let (code, text) = run(architecture, mask);
        assert_eq!(code, Some(0), "{text}");
        let devices = format!("ttsim, {mask} harvested → sim, {mask} harvested");
        assert!(text.contains(&devices), "{text}");
    }
    let (code, text) = run("wormhole_b0", "0x400");
    assert_ne!(code, Some(0), "{text}");
    assert!(text.contains("bits above 0x3ff"), "{text}");
}

/// Moves every capture of the sample from one device to the other, with the same outcomes, reads and program
/// bytes.
fn moves(architecture: Architecture) {
    let library = format!("{architecture}=ttsim:{}", simulator_library().display());
    let simulator = format!("{architecture}=sim");
    let root = repository();
    for (device, replay, shown) in
        [(&simulator, &library, "sim → ttsim"), (&library, &simulator, "ttsim → sim")]
    {
        let run = command(&root)
            .args(["run", "--arch", architecture.name(), "--device", device])
            .args(["--replay-device", replay])
            .args(SAMPLE)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", text(&run));
        let said = text(&run);
        assert!(said.contains(shown) && said.contains("on another device"), "{said}");
    }
}

#[test]
fn wormhole_captures_move_between_simulator_and_library() {
    moves(Architecture::WormholeB0);
}

#[test]
fn blackhole_captures_move_between_simulator_and_library() {
    moves(Architecture::Blackhole);
}

#[test]
fn grayskull_captures_move_between_simulator_and_library() {
    moves(Architecture::Grayskull);
}

#[test]
fn the_replaying_device_comes_from_the_environment_too_and_must_be_there() {
    let root = repository();
    let run = command(&root)
        .env("HALLMARK_REPLAY_DEVICE_WORMHOLE_B0", "ttsim:/nowhere/libttsim.so")
        .args(["run", "--arch", "wormhole_b0", "suites/dataflow/loopback.yaml"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(5), "{}", text(&run));
    assert!(
        text(&run).contains("cannot be tested on ttsim:/nowhere/libttsim.so"),
        "{}",
        text(&run)
    );
}
