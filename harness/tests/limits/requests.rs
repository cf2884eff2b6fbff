//! The forms of a NoC request, each with a suite test that detects a defect: on every chip, each kind of
//! request, each of its flags in `NOC_CTRL`, and each opcode of an atomic.
//!
//! `runtime/sim/src/machine/noc/command.rs` tests that each single bit of `NOC_CTRL` is accepted or refused.

use crate::runs;

/// A kind of request: a defect in it, and the test for that defect in `harness/tests/sabotage/list.rs`.
struct Request {
    defect: &'static str,
    test: &'static str,
}

const fn request(defect: &'static str, test: &'static str) -> Request {
    Request { defect, test }
}

const REQUESTS: &[Request] = &[
    request("ReadsTooFarOn", "faults::requests::right::request=read"),
    request("WritesTooFarOn", "faults::requests::right::request=write"),
    request("InlineWritesOneMore", "noc::patterns::inline_register::noc=noc_0::number=65535"),
    request("MulticastDropsLastTarget", "faults::requests::right::request=multicast"),
    request("AtomicReturnsNew", "faults::requests::right::request=atomic"),
    request("MulticastAtomicReachesOneTile", "faults::requests::right::request=multicast_atomic"),
];

/// Kinds of requests that no chip supports.
const REFUSED: &[&str] = &[
    "faults::requests::multicast_read",
    "faults::requests::atomic_write::request=unicast",
    "faults::requests::atomic_write::request=multicast",
    "faults::requests::multicast_atomic_without_responses",
    "faults::requests::options_of_reads::option=inline",
    "faults::requests::options_of_reads::option=no_response",
    "faults::requests::options_of_multicasts::option=increment_without_path",
    "faults::requests::options_of_multicasts::option=inline",
    "faults::requests::options_of_multicasts::option=no_path_reserve",
];

/// The test that detects a defect in an opcode of atomics. Only the opcode 1 is supported.
fn test_of_atomic(opcode: u32) -> String {
    match opcode {
        0 => "faults::requests::atomic_operations::operation=none".to_owned(),
        1 => "faults::requests::right::request=atomic".to_owned(),
        2 => "faults::requests::atomic_operations::operation=other".to_owned(),
        3..=14 => format!("faults::requests::atomic_opcodes::opcode={opcode}"),
        _ => format!("faults::requests::last_atomic_opcode::opcode={opcode}"),
    }
}

#[test]
fn every_kind_of_request_has_a_test_on_every_chip() {
    for &architecture in hallmark_sim::ARCHITECTURES {
        for Request { defect, test } in REQUESTS {
            assert!(runs(architecture, test), "no test {test} on {architecture}");
            let listed = hallmark_sim::DEFECTS.iter().any(|planted| planted.name == *defect);
            assert!(listed, "the simulator has no defect {defect}");
        }
        for test in REFUSED {
            assert!(runs(architecture, test), "no test {test} on {architecture}");
        }
    }
}

#[test]
fn every_opcode_of_an_atomic_has_a_test_on_every_chip() {
    // Four bits of `NOC_AT_LEN_BE`, and one above them.
    for opcode in (0..16).chain([17]) {
        let test = test_of_atomic(opcode);
        for &architecture in hallmark_sim::ARCHITECTURES {
            assert!(runs(architecture, &test), "no test {test} on {architecture}");
        }
    }
}
