//! Failures that a waiver excuses, from the run to the verifier: on one machine, and merged from shards.

use hallmark_package::Timestamp;
use hallmark_pipeline::signature::Signature;

use crate::common::{command, text};
use crate::firmware::PROFILE;
use crate::firmware_builds::{Build, builds};
use crate::forgeries::{Forgery, root};
use crate::roots::{hallmark, part_of_the_repository, profile};
use crate::simulator_library::simulator_library;

/// A waiver of the tests of NCRISC from yesterday, for `days` days.
fn waiver(matches: u32, days: i64) -> String {
    let day = |days: i64| {
        let at = Timestamp::from_unix(Timestamp::now().unix() + days * 86400).unwrap();
        at.to_string().split_once('T').unwrap().0.to_owned()
    };
    format!(
        "waiver: W-1\ntests: ['dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_1']\nmatches: {matches}\n\
         verdict: UnpredictableValueUsed\nreason: NCRISC of this build does not run its kernel\nissue: https://example.org/1\n\
         from: {}\nuntil: {}\napproved: reviewer@example.org\n",
        day(-1),
        day(days)
    )
}

#[test]
fn a_waiver_excuses_what_it_says_on_one_machine_and_merged() {
    let builds = builds(&[Build::Broken("ncrisc.elf")]);
    let folder = builds.path();
    let profile = format!("{PROFILE}waivers: {{ at_most: 1, longest: 30d }}\n");
    std::fs::write(folder.join("build.yaml"), profile).unwrap();
    std::fs::create_dir(folder.join("waivers")).unwrap();
    let excuse = |text: String| std::fs::write(folder.join("waivers/W-1.yaml"), text).unwrap();
    let said = |arguments: &[&str]| {
        let said = command(folder).args(arguments).arg("--root").arg(root()).output().unwrap();
        (said.status.code().unwrap(), text(&said))
    };
    let certify = |more: &[&str]| {
        let certify = ["certify", "./build.yaml", "--firmware", "1.1", "--draft"];
        said(&[certify.as_slice(), more].concat())
    };
    let (code, words) = certify(&["-o", "bare.hallmark"]);
    assert!(code != 0 && words.contains("4 pass, 4 faults"), "{words}");
    excuse(waiver(2, 20));
    let (code, words) = certify(&["-o", "one.hallmark", "--waivers", "waivers"]);
    assert!(code == 14 && words.contains("4 pass, 4 waived"), "{words}");
    assert!(words.contains("but 4 failures are waived"), "{words}");
    let verify =
        |package: &str| said(&["package", "verify", package, "--profile", "build.yaml", "--draft"]);
    let (code, words) = verify("one.hallmark");
    assert!(code == 14 && words.contains("but 4 failures are waived"), "{words}");

    for shard in ["1/2", "2/2"] {
        let package = format!("{}.hallmark", &shard[..1]);
        let (code, words) = certify(&["-o", &package, "--shard", shard]);
        assert!(code != 0 && words.contains("2 pass, 2 faults"), "{words}");
    }
    let merge = |more: &[&str]| {
        let merge = ["package", "merge", "1.hallmark", "2.hallmark", "--profile", "build.yaml"];
        said(&[merge.as_slice(), &["-o", "both.hallmark"], more].concat())
    };
    let (code, words) = merge(&[]);
    assert!(code == 13 && words.contains("did not pass (Fault)"), "{words}");
    let (code, words) = merge(&["--waivers", "waivers"]);
    assert!(code == 14 && words.contains("but 4 failures are waived"), "{words}");
    let (code, words) = verify("both.hallmark");
    assert!(code == 14 && words.contains("but 4 failures are waived"), "{words}");

    // A waiver with too many tests, too long a term or an expired one excuses nothing.
    for (text, words) in [
        (waiver(3, 20), "waiver `W-1` excuses 2 tests, not 3"),
        (waiver(2, 40), "waiver `W-1` lasts longer than"),
        (waiver(2, -1).replacen("from: ", "from: 2020-01-01 #", 1), "W-1"),
    ] {
        excuse(text);
        let (code, said) = merge(&["--waivers", "waivers"]);
        assert!(code == 3 && said.contains(words), "{code} {said}");
        let (code, said) = certify(&["-o", "two.hallmark", "--waivers", "waivers"]);
        assert!(code == 3 && said.contains(words), "{code} {said}");
    }
}

/// The record of a capture holds the waits of a deadlock, and a verifier computes the same signature from them as the run did.
#[test]
fn a_deadlock_that_a_waiver_excuses_has_one_signature() {
    let builds = builds(&[Build::Broken("brisc.elf")]);
    let root = part_of_the_repository(&["circular_buffers/pages"]);
    let case = "circular_buffers::pages::each_index::producer=riscv_0";
    let text_of_profile = PROFILE
        .replace("dataflow::loopback::one_core::pages=1::page_size=32", case)
        + "waivers: { at_most: 1, longest: 30d }\n";
    profile(root.path(), "build", &text_of_profile);
    std::fs::create_dir(root.path().join("waivers")).unwrap();
    let waiver = waiver(1, 20)
        .replace("dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_1", case)
        .replace("UnpredictableValueUsed", "Deadlock");
    std::fs::write(root.path().join("waivers/W-1.yaml"), waiver).unwrap();
    let said = |arguments: &[&str]| {
        let output = hallmark(root.path(), arguments);
        (output.status.code().unwrap(), text(&output))
    };
    let firmware = builds.path().join("1.1");
    let certify = ["certify", "build", "--draft", "-o", "x.hallmark", "--waivers", "waivers"];
    let named = ["--firmware", firmware.to_str().unwrap()];
    let (code, words) = said(&[certify.as_slice(), &named].concat());
    assert!(code == 14 && words.contains("but 2 failures are waived"), "{code} {words}");
    let (code, words) = said(&["package", "verify", "x.hallmark", "--draft", "--replay"]);
    assert!(code == 14 && words.contains("2 agree, 0 differ, 0 unknown"), "{code} {words}");
    let mut forgery = Forgery::of(&std::fs::read(root.path().join("x.hallmark")).unwrap());
    forgery.results(|all| all[0].signature = Some(Signature::Deadlock { waits: [].into() }));
    std::fs::write(root.path().join("y.hallmark"), forgery.end()).unwrap();
    let (code, words) = said(&["package", "verify", "y.hallmark", "--draft"]);
    assert!(code == 13 && words.contains("another signature of a failure"), "{code} {words}");
}

/// A suite that excuses a check, and the test that the check finds something in.
const EXCUSING: &str = "about: A kernel that ends with a request under way.
kernels: { send: { source: kernels/ends_under_way.cpp } }
excuse: { RequestsUnderWay: the next program waits for the last write of this one }
cases:
  write:
    about: A write is left under way.
    steps:
      - create_buffer: { id: here, type: l1, size: 32, page_size: 32, layout: height_sharded, shard_spec: { cores: [2, 1], shape: [1, 1], page_shape: [1, 1], tensor2d_shape_in_pages: [1, 1] } }
      - create_buffer: { id: there, type: l1, size: 32, page_size: 32, layout: height_sharded, shard_spec: { cores: [5, 3], shape: [1, 1], page_shape: [1, 1], tensor2d_shape_in_pages: [1, 1] } }
      - create_program: { id: program }
      - create_kernel: { id: k, program: program, kernel: send, cores: [2, 1], processor: riscv_1, defines: { REQUEST: write } }
      - set_runtime_args: { kernel: k, args: [{ buffer: here }, { noc_x: [5, 3] }, { noc_y: [5, 3] }, { buffer: there }, 1, 0] }
      - enqueue_write_buffer: { buffer: here, data: { sequence: uint32, start: 7 } }
      - enqueue_write_buffer: { buffer: there, data: { sequence: uint32, start: 70 } }
      - enqueue_program: { program: program }
      - enqueue_read_buffer: { buffer: there, as: out }
      - finish: {}
    expect:
      - equal: [out, here]
";

/// A suite's author writes an excuse. A certification needs a waiver, which another person has approved.
#[test]
fn a_suite_excuses_a_check_in_a_run_and_not_in_a_certification() {
    let folder = part_of_the_repository(&[]);
    let root = folder.path();
    std::fs::remove_file(root.join("goldens")).unwrap();
    std::fs::create_dir(root.join("suites/mine")).unwrap();
    std::fs::write(root.join("suites/mine/left.yaml"), EXCUSING).unwrap();
    let text_of_profile = "profile: mine\nedition: \"1\"\nabout: One kernel.\nsubjects: [simulator]\n\
                           devices:\n  - { architecture: wormhole_b0, kinds: [sim] }\n\
                           tests: { suites: ['mine::left::write'] }\nwaivers: { at_most: 1, longest: 30d }\n";
    profile(root, "mine", text_of_profile);
    std::fs::create_dir(root.join("waivers")).unwrap();
    let waiver = waiver(1, 20)
        .replace(
            "dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_1",
            "mine::left::write",
        )
        .replace("UnpredictableValueUsed", "RequestsUnderWay");
    std::fs::write(root.join("waivers/W-1.yaml"), waiver).unwrap();
    let said = |arguments: &[&str]| {
        let output = hallmark(root, arguments);
        (output.status.code().unwrap(), text(&output))
    };
    // The library is told of no launches, so that the test passes there and has a golden.
    let device = format!("wormhole_b0=ttsim:{}", simulator_library().display());
    let (code, words) = said(&["bless", "--yes", "--arch", "wormhole_b0", "--device", &device]);
    assert!(code == 0 && words.contains("1 golden to change"), "{words}");
    let (code, words) = said(&["run", "--arch", "wormhole_b0"]);
    assert!(code == 0 && words.contains("1 expected failure"), "{words}");
    let certify = ["certify", "mine", "--draft", "-o"];
    let (code, words) = said(&[certify.as_slice(), &["bare.hallmark"]].concat());
    assert!(code == 1 && words.contains("RequestsUnderWay: kernel `k`"), "{code} {words}");
    assert!(words.contains("  1 fault "), "{words}");
    let waivers = ["waived.hallmark", "--waivers", "waivers"];
    let (code, words) = said(&[certify.as_slice(), &waivers].concat());
    assert!(code == 14 && words.contains("but 1 failure is waived"), "{code} {words}");
    for (package, code, words) in [
        ("bare.hallmark", 13, "and no waiver excuses"),
        ("waived.hallmark", 14, "1 failure is waived"),
    ] {
        let (found, said) = said(&["package", "verify", package, "--draft"]);
        assert!(found == code && said.contains(words), "{package} {found}: {said}");
    }
}
