//! Suites through a card's driver, on a simulated chip: `pci:sim:ARCHITECTURE`. Every sixth test of four suites
//! runs, different ones with and without a dispatcher; `scripts/nightly` runs all of them.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use common::{command, repository, text};

const SUITES: [&str; 4] = ["suites/dataflow", "suites/buffers", "suites/cores", "suites/arguments"];

fn passes(architecture: &str, dispatch: &str, shard: &str) {
    let root = repository();
    let device = format!("pci:sim:{architecture}");
    let run = command(&root)
        .args(["run", "--arch", architecture, "--device", &device, "--dispatch", dispatch])
        .args(["--shard", shard])
        .args(SUITES)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run));
    assert!(text(&run).contains("pci:sim"), "{}", text(&run));
}

#[test]
fn wormhole_passes_on_a_card() {
    passes("wormhole_b0", "host", "1/6");
}

#[test]
fn blackhole_passes_on_a_card() {
    passes("blackhole", "host", "2/6");
}

#[test]
fn wormhole_passes_on_a_card_with_a_dispatcher_in_pinned_memory() {
    passes("wormhole_b0", "device", "3/6");
}

#[test]
fn blackhole_passes_on_a_card_with_a_dispatcher_in_pinned_memory() {
    passes("blackhole", "device", "4/6");
}

#[test]
fn a_chip_that_the_driver_dropped_is_refused_before_any_test() {
    let root = repository();
    let run = command(&root)
        .args(["run", "--device", "pci:sim:grayskull", "--arch", "grayskull", SUITES[2]])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(5), "{}", text(&run));
    assert!(text(&run).contains("no chip that Hallmark can drive"), "{}", text(&run));
}

/// A card continues after a fault of the simulator's kind.
#[test]
fn tests_that_expect_a_fault_are_skipped_on_cards() {
    let root = repository();
    let run = command(&root)
        .args(["run", "--arch", "blackhole", "--device", "pci:sim:blackhole"])
        .args(["suites/faults/registers.yaml", "suites/cores"])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let words = "expects a fault, which pci does not report";
    let list = command(&root)
        .args(["list", "--skipped", "--arch", "blackhole", "--device", "pci:sim:blackhole"])
        .args(["suites/faults/registers.yaml", "suites/cores"])
        .output()
        .unwrap();
    assert!(text(&list).contains(words), "{}", text(&list));
}

#[test]
fn the_doctor_says_which_cards_there_are_or_that_it_did_not_look() {
    let root = repository();
    let doctor = command(&root).arg("doctor").output().unwrap();
    let said = text(&doctor);
    let looked = if cfg!(feature = "pci") {
        "card       "
    } else {
        "no driver for cards (`--features pci`)"
    };
    assert!(said.contains(looked), "{said}");
}
