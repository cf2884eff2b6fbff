//! Every failure of `run`, `replay` and `compare` has its signature, and what surrounds the device has none.

use std::path::Path;

use hallmark_pipeline::signature::{self, Signature};
use serde_json::Value;

use super::roots::{hallmark, root_with};

/// One case for each kind of failure.
const SUITE: &str = "about: A suite.
kernels:
  fault: { source: kernels/fault_misaligned_load.cpp }
  never: { source: kernels/semaphore_never.cpp }
  endless: { source: kernels/endless_loop.cpp }
cases:
  faults:
    about: A program that breaks a rule.
    steps:
      - create_buffer: { id: a, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - create_program: { id: breaks }
      - create_kernel: { id: k, program: breaks, kernel: fault, cores: [2, 3], processor: riscv_0 }
      - set_runtime_args: { kernel: k, args: [{ buffer: a }] }
      - enqueue_program: { program: breaks }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  waits:
    about: A program that waits for ever.
    steps:
      - create_program: { id: waits }
      - create_semaphore: { id: signal, program: waits, cores: [2, 3] }
      - create_kernel: { id: k, program: waits, kernel: never, cores: [2, 3], processor: riscv_1 }
      - set_runtime_args: { kernel: k, args: [{ semaphore: signal }, 1] }
      - enqueue_program: { program: waits }
      - create_buffer: { id: a, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  runs:
    about: A program that runs for ever.
    budget: 100000
    steps:
      - create_program: { id: runs }
      - create_kernel: { id: k, program: runs, kernel: endless, cores: [2, 3], processor: riscv_0 }
      - enqueue_program: { program: runs }
      - create_buffer: { id: a, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  fails:
    about: A call that fails.
    steps:
      - create_buffer: { id: a, type: l1, size: 64, page_size: 48 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  differs:
    about: Something else comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 128, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 9 } }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 0 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 5 }]
  passes:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

fn report(root: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root.join("report.json")).unwrap()).unwrap()
}

/// The signature of each case, in their order.
fn signatures(root: &Path) -> Vec<(String, Option<Value>)> {
    let report = report(root);
    let tests = report.get("tests").unwrap().as_array().unwrap().iter().map(|test| {
        let case =
            test.get("name").unwrap().as_str().unwrap().rsplit("::").next().unwrap().to_owned();
        (case, test.get("signature").cloned())
    });
    tests.collect()
}

#[test]
fn every_failure_of_a_run_is_signed_in_the_reports_and_beside_its_capture() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let run = ["run", "--arch", "wormhole_b0", "--report", "report.json", "--report", "report.xml"];
    let (code, text) = hallmark(root, &run);
    assert_eq!(code, 6, "{text}");
    let lines: Vec<String> = signatures(root)
        .into_iter()
        .map(|(case, signature)| format!("{case}: {}", signature.unwrap_or_default()))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    faults: {"fault":{"category":"NonContractualBehavior","processor":0,"program":"breaks","symbol":"kernel_main"}}
    waits: {"deadlock":{"waits":[{"object":{"semaphore":{"name":"signal"}},"processor":1,"symbol":"kernel_main"}]}}
    runs: {"hang":{"program":"runs"}}
    fails: {"outcome":{"actual":{"failed":{"code":"SizeNotPageMultiple","fields":{"page_size":48,"size":64}}},"call":"create_buffer","expected":"done"}}
    differs: {"differs":{"bytes":"272fc82430c30a4f9f58df84a1fe3f1454be77df572c23cced4d5e003a60918f","object":"a","shape":"zeros"}}
    passes: null
    "#);
    let junit = std::fs::read_to_string(root.join("report.xml")).unwrap();
    assert_eq!(junit.matches(r#"<property name="signature""#).count(), 5, "{junit}");
    for (case, signature) in signatures(root) {
        let file =
            root.join(format!("target/hallmark/wormhole_b0/group/suite/{case}/signature.json"));
        let kept = std::fs::read_to_string(&file).ok().map(|text| signature::read(&text).unwrap());
        let kept = kept.map(|signature| serde_json::to_value(signature).unwrap());
        assert_eq!(kept, signature, "{case}");
    }
}

#[test]
fn a_device_that_is_lost_has_no_signature() {
    let folder = root_with(SUITE);
    let root = folder.path();
    for how in ["dies", "all_ones"] {
        let device = format!("misbehaving:{how}:wormhole_b0");
        let run = ["run", "--arch", "wormhole_b0", "--report", "report.json"];
        let (code, text) = hallmark(
            root,
            &[&run, ["--device", &device, "--filter", "passes"].as_slice()].concat(),
        );
        assert_eq!(code, 5, "{text}");
        assert!(text.contains("CRASH"), "{text}");
        assert_eq!(signatures(root), [("passes".to_owned(), None)], "{how}");
    }
}

#[test]
fn a_replay_and_a_comparison_sign_what_another_device_does() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let test = "wormhole_b0::group::suite::passes";
    assert_eq!(hallmark(root, &["capture", test, "-o", "c.lmb"]).0, 0);
    let (code, text) = hallmark(root, &["replay", "c.lmb", "--signature", "signature.json"]);
    assert_eq!(code, 0, "{text}");
    assert!(!root.join("signature.json").exists());
    let bad = "misbehaving:flips_bit:wormhole_b0";
    let replay = ["replay", "c.lmb", "--signature", "signature.json", "--device", bad];
    let (code, text) = hallmark(root, &replay);
    assert_eq!(code, 1, "{text}");
    let written = std::fs::read_to_string(root.join("signature.json")).unwrap();
    let signed = signature::read(&written).unwrap();
    assert_eq!(signed.to_string(), "`a` differs: flipped bits of words, 0x00000001");
    let compare = [
        "compare",
        "c.lmb",
        "--devices",
        &format!("sim:wormhole_b0,{bad}"),
        "--results",
        "r.jsonl",
    ];
    let (code, text) = hallmark(root, &compare);
    assert_eq!(code, 1, "{text}");
    let results = std::fs::read_to_string(root.join("r.jsonl")).unwrap();
    let compared: Value = serde_json::from_str(results.lines().last().unwrap()).unwrap();
    let text = compared.to_string();
    let begin = text.find(r#""signature":"#).unwrap() + r#""signature":"#.len();
    let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Signature>();
    assert_eq!(values.next().unwrap().unwrap(), signed);
}
