//! Our simulator behind the C ABI of Tenstorrent's: a test that passes in process passes over the library, with
//! the same goldens.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;
#[path = "common/simulator_library.rs"]
mod simulator_library;

use hallmark_chip::Architecture;
use hallmark_runtime::metalium::Simulator;

use common::{command, repository, text};
use linked_files::link_files;
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

/// Nobody tells the library what memory is for. It finds missing waits for units of the coprocessor if it is asked to look
/// for them, and its report of waits names those that are there.
#[test]
fn missing_waits_for_units_are_found_over_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("faults")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let suite = std::fs::read_to_string(repository().join("suites/faults/coprocessor.yaml"));
    let faulty = suite.unwrap().replace("unpack: 1, pack: 0", "unpack: 4, pack: 0");
    let faulty = faulty.replace("unpack: 0, pack: 1", "unpack: 0, pack: 4");
    std::fs::write(suites.join("faults/coprocessor.yaml"), faulty).unwrap();
    let library = simulator_library();
    // A kernel that also sets addresses behind the instructions that read them is told that first.
    let address = |unit| Some([unit, "address in L1"]);
    for (case, on_wormhole, on_blackhole) in [
        (
            "waits_for_its_unit::thread=unpack",
            Some(["unpacker 0 reads", "NoC read"]),
            address("unpacker 0"),
        ),
        ("waits_for_its_unit::thread=pack", address("packer 0"), address("packer 0")),
        (
            "configured_in_order::configures=sampled_at_the_issue",
            Some(["UNPACR", "RMWCIB0"]),
            Some(["UNPACR", "RMWCIB0"]),
        ),
        ("configured_in_order::configures=awaits_stores", None, None),
    ] {
        for (architecture, lacks) in [("wormhole_b0", on_wormhole), ("blackhole", on_blackhole)] {
            let device = format!("{architecture}=ttsim:{}", library.display());
            let run = |more: &[&str]| {
                let test = format!("{architecture}::faults::coprocessor::{case}");
                let mut run = command(folder.path());
                run.args(["run", "--exact", &test, "--device", &device]).args(more);
                text(&run.output().unwrap())
            };
            let strict = run(&["--strict-tensix"]);
            match lacks {
                Some(names) => {
                    assert!(strict.contains("DataRace: libttsim_clock"), "{strict}");
                    assert!(names.iter().all(|name| strict.contains(name)), "{strict}");
                }
                None => assert!(strict.contains("1 no golden"), "{strict}"),
            }
            let usual = run(&[]);
            assert!(usual.contains("1 no golden"), "{usual}");
        }
    }
    // `explain --waits` turns the check on, and reports the race.
    let test = "wormhole_b0::faults::coprocessor::waits_for_its_unit::thread=pack";
    let device = format!("wormhole_b0=ttsim:{}", library.display());
    let faulty = command(folder.path())
        .args(["explain", "--waits", test, "--device", &device])
        .output()
        .unwrap();
    let told = text(&faulty);
    assert_ne!(faulty.status.code(), Some(0), "{told}");
    assert!(told.contains("DataRace") && told.contains("packer 0 writes"), "{told}");
    let waits = command(&repository())
        .args([
            "explain",
            "--waits",
            "wormhole_b0::faults::coprocessor::waits_for_its_unit::thread=unpack",
        ])
        .args(["--device", &format!("wormhole_b0=ttsim:{}", library.display())])
        .output()
        .unwrap();
    let told = text(&waits);
    assert!(
        told.contains(
            "STALLWAIT (p_stall::STALL_SYNC, p_stall::UNPACK0 | p_stall::UNPACK1), 6 times"
        ),
        "{told}"
    );
    assert!(
        told.contains("UNPACR of TRISC0 at pc 0x")
            && told.contains("NoC request of NCRISC at pc 0x"),
        "{told}"
    );
    assert!(told.ends_with(" not judged\n"), "{told}");
}
