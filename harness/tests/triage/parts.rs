//! Guilty kernels, images of firmware, cores, schedule seeds and missing waits.

use std::path::{Path, PathBuf};

use hallmark_schema::model::{Capture, ContentHash};
use serde_json::Value;

use super::common::repository;
use super::firmware_builds::{Build, builds};
use super::roots::{hallmark, root_with};

/// A page goes through three kernels, and one event orders two queues.
pub(super) const SUITE: &str = "about: A suite.
kernels:
  loopback: { source: kernels/loopback.cpp }
cases:
  chain:
    about: Three kernels copy a page, one after the other.
    steps:
      - create_buffer: { id: src, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: one, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: two, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: dst, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: scratch, type: l1, size: 32, page_size: 32 }
      - create_program: { id: first }
      - create_kernel: { id: k1, program: first, kernel: loopback, cores: [0, 0], processor: riscv_0, noc: noc_0, compile_args: [{ accessor: src }, { accessor: dst }] }
      - set_runtime_args: { kernel: k1, args: [{ buffer: src }, { buffer: one }, { buffer: scratch }, 32, 0, 1, 1] }
      - create_program: { id: second }
      - create_kernel: { id: k2, program: second, kernel: loopback, cores: [0, 0], processor: riscv_1, noc: noc_0, compile_args: [{ accessor: src }, { accessor: dst }] }
      - set_runtime_args: { kernel: k2, args: [{ buffer: one }, { buffer: two }, { buffer: scratch }, 32, 0, 1, 1] }
      - create_program: { id: third }
      - create_kernel: { id: k3, program: third, kernel: loopback, cores: [0, 0], processor: riscv_1, noc: noc_1, compile_args: [{ accessor: src }, { accessor: dst }] }
      - set_runtime_args: { kernel: k3, args: [{ buffer: two }, { buffer: dst }, { buffer: scratch }, 32, 0, 1, 1] }
      - enqueue_write_buffer: { buffer: src, data: { uniform: uint32, seed: 7 } }
      - enqueue_write_buffer: { buffer: two, data: { constant: uint32, value: 1 } }
      - enqueue_program: { program: first }
      - enqueue_program: { program: second }
      - enqueue_program: { program: third }
      - enqueue_read_buffer: { buffer: dst, as: out }
      - finish: {}
    expect:
      - equal: [out, src]
  ordered:
    about: The second queue waits for the first one.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 }, blocking: true }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 2 } }
      - enqueue_record_event: { id: written }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_read_buffer: { buffer: a, as: out, queue: 1 }
      - finish: { queue: 1 }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 2 }]
";

pub(super) const CHAIN: &str = "wormhole_b0::group::suite::chain";

fn text(lines: &Value) -> &str {
    lines.as_str().unwrap()
}

fn answer(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("answer.json")).unwrap()).unwrap()
}

/// A folder of prebuilt kernels in which no ELF of a capture has the bytes of the repository's, and the kernel of the
/// second program does nothing.
pub(super) fn rebuilt_kernels(capture: &Capture, folder: &Path) -> PathBuf {
    let prebuilt = repository().join("suites/kernels/prebuilt");
    let lock = std::fs::read_to_string(prebuilt.join("wormhole_b0.lock")).unwrap();
    let hash_of = |line: &str| line.split(' ').nth(2).unwrap().to_owned();
    let blank = lock.lines().find(|it| it.ends_with("NCRISC kernels/blank.cpp")).unwrap();
    let elf = |hash: &str| {
        std::fs::read(prebuilt.join("wormhole_b0").join(format!("{hash}.elf"))).unwrap()
    };
    let rebuilt = folder.join("rebuilt");
    std::fs::create_dir_all(rebuilt.join("wormhole_b0")).unwrap();
    let mut changed = lock.clone();
    for used in &capture.record.as_ref().unwrap().elfs {
        let hash = used.hash.to_string();
        let of = if used.kernel.0 == 1 { hash_of(blank) } else { hash.clone() };
        // What follows an ELF's sections is loaded by nobody.
        let bytes = [elf(&of), vec![0]].concat();
        let new = ContentHash::of(&bytes).to_string();
        assert!(changed.contains(&hash), "{hash} is not in the lock");
        changed = changed.replace(&hash, &new);
        std::fs::write(rebuilt.join("wormhole_b0").join(format!("{new}.elf")), bytes).unwrap();
    }
    std::fs::write(rebuilt.join("wormhole_b0.lock"), changed).unwrap();
    rebuilt
}

#[test]
fn the_guilty_kernel_among_those_of_another_build_is_found() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(hallmark(root, &["capture", CHAIN, "-o", "c.lmb"]).0, 0);
    let capture = Capture::from_bytes(&std::fs::read(root.join("c.lmb")).unwrap()).unwrap();
    rebuilt_kernels(&capture, root);
    let bisect = ["bisect", "c.lmb", "--over", "kernels", "--bad", "sim kernels=rebuilt"];
    let (code, said) = hallmark(root, &[bisect.as_slice(), &["-o", "out", "-j1"]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(
        said.starts_with(
            "GUILTY c.lmb fails with `kernels/loopback.cpp` (kernel 1, NCRISC) of the bad side alone\n"
        ),
        "{said}"
    );
    for words in [
        "  good      sim:wormhole_b0\n",
        "  beside    2 kernels more make no difference\n",
        "  failure   `dst` differs: ",
        "  kept      out  (answer, log)",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let document = answer(&root.join("out"));
    assert_eq!(document.get("answer").unwrap(), "guilty");
    assert_eq!(document.pointer("/sets/0/confirmed").unwrap(), true);
    // What was asked is not asked again, and the answer is the same.
    let log = std::fs::read_to_string(root.join("out/log.jsonl")).unwrap();
    for kept in [1, 3, log.lines().count()] {
        let part: String = log.split_inclusive('\n').take(kept).collect();
        std::fs::write(root.join("out/log.jsonl"), part + "{\"n\"").unwrap();
        for file in ["answer.json", "answer.txt"] {
            std::fs::remove_file(root.join("out").join(file)).unwrap();
        }
        let (code, again) =
            hallmark(root, &[bisect.as_slice(), &["--resume", "out", "-j1"]].concat());
        assert_eq!((code, &again), (0, &said));
        assert_eq!(answer(&root.join("out")), document);
    }
    let (code, replayed) = hallmark(root, &["bisect", "--replay-log", "out"]);
    assert_eq!(code, 0, "{replayed}");
    for words in [
        "  search: kernels\n",
        "probe 0   nothing changed: passes   (",
        "fails: `dst` differs: ",
        "GUILTY c.lmb",
    ] {
        assert!(replayed.contains(words), "no `{words}` in {replayed}");
    }
    // A folder of kernels is a version as well, whatever the capture holds.
    let versions = ["bisect", "c.lmb", "--over", "versions", "--axis", "kernels=builtin,rebuilt"];
    let (code, said) = hallmark(root, &versions);
    assert_eq!(code, 0, "{said}");
    for words in [
        "FIRST BAD c.lmb with kernels rebuilt\n",
        "  next      hallmark bisect c.lmb --over kernels --good 'sim' --bad 'sim kernels=rebuilt'\n",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    // The other way round the old kernel mends what is wrong.
    let turned = ["--bad", "sim", "--good", "sim kernels=rebuilt"];
    let (code, said) = hallmark(root, &[&bisect[..4], &turned].concat());
    assert_eq!(code, 12, "{said}");
    assert!(said.contains("INCONCLUSIVE c.lmb: "), "{said}");
}

#[test]
fn the_guilty_image_of_firmware_is_found() {
    let folder =
        builds(&[Build::Sound, Build::Unchanged, Build::Broken("brisc.elf"), Build::OtherAbi]);
    let root = folder.path();
    let name = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";
    let file = root.join("c.lmb").display().to_string();
    assert_eq!(hallmark(&repository(), &["capture", name, "-o", &file]).0, 0);
    for image in ["ncrisc.elf", "trisc0.elf", "dispatch.elf"] {
        let path = root.join("1.3").join(image);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(path, [bytes, vec![0]].concat()).unwrap();
    }
    let bisect = ["bisect", "c.lmb", "--over", "images", "--bad", "sim firmware=1.3"];
    let (code, said) = hallmark(root, &bisect);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.starts_with("GUILTY c.lmb fails with the image BRISC of the bad side alone\n"),
        "{said}"
    );
    for words in [
        "  beside    3 images more make no difference\n",
        "  equal     2 images on both sides\n",
        "  failure   ",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let json = [bisect.as_slice(), &["--good", "sim firmware=1.2", "--json"]].concat();
    let (code, said) = hallmark(root, &json);
    assert_eq!(code, 0, "{said}");
    let document: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(document.pointer("/sets/0/parts/0").unwrap(), "BRISC");
    assert!(text(document.get("good").unwrap()).ends_with("1.2"), "{said}");
    // The same bundle, one for another host, and one that divides memory otherwise.
    let manifest = root.join("1.3/manifest.json");
    let other = std::fs::read_to_string(&manifest).unwrap().replace("98304", "98320");
    std::fs::write(&manifest, other).unwrap();
    for (bad, code, words) in [
        ("sim firmware=1.2", 12, "both sides have the same images"),
        ("sim firmware=1.4", 2, "the two bundles differ in the launch ABI, so "),
        ("sim firmware=1.3", 2, "the two bundles differ in the memory map, so "),
    ] {
        let sides = ["--bad", bad, "--good", "sim firmware=1.1"];
        let (actual, said) = hallmark(root, &[&bisect[..4], &sides].concat());
        assert_eq!(actual, code, "{said}");
        assert!(said.contains(words), "no `{words}` in {said}");
    }
}

#[test]
fn the_waits_that_cure_a_failure_are_found() {
    let folder = root_with(SUITE);
    let bad = "misbehaving:forgets_event:wormhole_b0";
    let test = "wormhole_b0::group::suite::ordered";
    let (code, said) = hallmark(folder.path(), &["bisect", test, "--over", "syncs", "--bad", bad]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.starts_with(&format!("ORDER {test} is right with a finish after command 2 alone\n")),
        "{said}"
    );
    assert!(said.contains("  failure   `a` differs: it holds what it held before\n"), "{said}");
}

#[test]
fn parts_that_cannot_be_searched_are_refused() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(hallmark(root, &["capture", CHAIN, "-o", "c.lmb"]).0, 0);
    std::fs::create_dir(root.join("empty")).unwrap();
    for (options, code, words) in [
        (
            ["kernels", "--bad", "sim"].as_slice(),
            12,
            "both sides have the same builds of all its kernels",
        ),
        (&["images", "--bad", "sim"], 12, "both sides have the same images"),
        (&["kernels", "--bad", "sim kernels=empty"], 2, "kernels=/"),
        (
            &["kernels", "--bad", "sim kernels=empty"],
            2,
            " has no build of kernel 0, `kernels/loopback.cpp`: ",
        ),
        (&["images", "--bad", "sim firmware=empty"], 2, "cannot read manifest.json"),
        (&["images"], 2, "--bad EXECUTOR is missing"),
        (&["images", "--bad", "sim", "--flaky"], 2, "--flaky is for commands and versions"),
        (&["syncs", "--bad", "sim", "--axis", "kernels=a,b"], 2, "add --over versions"),
        (
            &["kernels", "--bad", "sim dispatch=device", "--good", "sim"],
            2,
            "differ in more than kernels=FOLDER, so ",
        ),
        (
            &["syncs", "--bad", "sim schedule_seed=1"],
            12,
            "it passes with a finish after every command and without",
        ),
    ] {
        let all = [&["bisect", "c.lmb", "--over"], options].concat();
        let (actual, said) = hallmark(root, &all);
        assert_eq!(actual, code, "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: no `{words}` in {said}");
    }
}

#[test]
fn the_guilty_core_among_all_of_a_grid_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let test = "wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0";
    let bisect = ["bisect", test, "--over", "cores", "-j1", "--bad"];
    let bad = "misbehaving:forgets_core:wormhole_b0:core=3-2";
    let begin = [bisect.as_slice(), &[bad, "-o", output.to_str().unwrap()]].concat();
    let (code, said) = hallmark(&repository(), &begin);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with(&format!("GUILTY {test} fails with core (3,2) alone\n")), "{said}");
    for words in ["  beside    71 cores more make no difference\n", "  failure   `dst` differs: "] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let found = answer(&output);
    assert_eq!(found.pointer("/sets/0/parts/0").unwrap(), "(3,2)");
    // Halves of halves: none of the other 71 cores is asked about by itself.
    assert!(found.get("runs").unwrap().as_u64().unwrap() <= 20, "{said}");
    for (bad, code, words) in [
        (
            "misbehaving:forgets_core:wormhole_b0:core=3-2:from=2",
            12,
            "it passes with all cores and with none",
        ),
        ("sim schedule_seed=1", 12, "it passes with all cores and with none"),
    ] {
        let (actual, said) = hallmark(&repository(), &[bisect.as_slice(), &[bad]].concat());
        assert_eq!(actual, code, "{said}");
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let recorded = [bisect.as_slice(), &[bad, "--good", "recorded"]].concat();
    let (code, said) = hallmark(&repository(), &recorded);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("it does not say what is right with some of them"), "{said}");
}

/// Two cores wait for each other: without one of them, the good side hangs, too.
#[test]
fn cores_that_need_each_other_are_not_called_guilty() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let test = "wormhole_b0::semaphores::semaphores::ping_pong::rounds=1::processor=riscv_1";
    let bad = "misbehaving:forgets_core:wormhole_b0:core=0-0";
    let bisect = ["bisect", test, "--over", "cores", "--bad", bad, "-o", output.to_str().unwrap()];
    let (code, said) = hallmark(&repository(), &bisect);
    assert_eq!(code, 12, "{said}");
    let heading = format!("INCONCLUSIVE {test} fails with the cores (0,0) and (7,8) together\n");
    assert!(said.starts_with(&heading), "{said}");
    for words in [
        "  unknown   whether it needs core (0,0); without it: the good side fails, too: ",
        "  unknown   whether it needs core (7,8); without it: the good side fails, too: ",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    assert!(!said.contains("without any one"), "{said}");
    let answer = answer(&output);
    assert_eq!(answer.get("answer").unwrap(), "inconclusive");
    assert_eq!(answer.get("conclusion").unwrap(), "inconclusive");
    assert_eq!(answer.pointer("/sets/0/cannot_tell").unwrap().as_array().unwrap().len(), 2);
}

#[test]
fn the_schedule_seeds_that_fail_are_found() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let bad = "misbehaving:forgets_launch:wormhole_b0:nth=2:chance=0.2:seed=4";
    let bisect = ["bisect", CHAIN, "--over", "seeds", "--bad"];
    let range = ["--schedule-seeds", "0..15", "-j1"];
    let (code, said) =
        hallmark(root, &[&bisect, [bad].as_slice(), &range, &["-o", "out"]].concat());
    assert_eq!(code, 0, "{said}");
    let found = answer(&root.join("out"));
    let numbers = |name: &str| -> Vec<u64> {
        found.get(name).unwrap().as_array().unwrap().iter().filter_map(Value::as_u64).collect()
    };
    let (failing, passing) = (numbers("failing"), numbers("passing"));
    assert_eq!(failing.len() + passing.len(), 16, "{said}");
    let first = *failing.first().unwrap();
    let heading = format!(
        "SEEDS {CHAIN} fails under {} of 16 schedule seeds, first under seed {first}\n",
        failing.len()
    );
    assert!(said.starts_with(&heading), "{said}");
    assert!(said.contains("  sure      18 runs; "), "{said}");
    // Each alone does the same.
    for (seeds, exit, words) in [
        (&failing, 12, "it fails under each of 1 schedule seed, so no order that a seed chooses"),
        (&passing, 12, "it passes under each of 1 schedule seed, "),
    ] {
        let seed = seeds.last().unwrap();
        let one = format!("{seed}..{seed}");
        let asked = [&bisect, [bad, "--schedule-seeds", &one].as_slice()].concat();
        let (code, said) = hallmark(root, &asked);
        assert_eq!(code, exit, "{said}");
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    // The command that it names finds the command.
    let next = said.lines().find_map(|line| line.strip_prefix("  next      hallmark ")).unwrap();
    let words: Vec<&str> = next.split('\'').collect();
    let [command, of_bad, good, of_good, ..] = words.as_slice() else { panic!("{next}") };
    let mut next: Vec<&str> = command.split_whitespace().collect();
    next.extend([*of_bad, good.trim(), of_good]);
    let (code, named) = hallmark(root, &next);
    assert_eq!(code, 0, "{named}");
    assert!(named.starts_with("FIRST BAD "), "{named}");
    // What was asked is not asked again, and the answer is the same.
    let log = std::fs::read_to_string(root.join("out/log.jsonl")).unwrap();
    let part: String = log.split_inclusive('\n').take(5).collect();
    std::fs::write(root.join("out/log.jsonl"), part + "{\"n\"").unwrap();
    let resume = [&bisect, [bad].as_slice(), &range, &["--resume", "out"]].concat();
    assert_eq!(hallmark(root, &resume), (0, said));
    assert_eq!(answer(&root.join("out")), found);
    for (options, code, words) in [
        (
            ["seeds", "--bad", "sim"].as_slice(),
            12,
            "it passes under each of 64 schedule seeds, 0 to 63",
        ),
        (
            &["seeds", "--bad", "misbehaving:dies:wormhole_b0:chance=0.5:seed=1:counter=unused"],
            2,
            "no schedule seed decides what ",
        ),
        (&["seeds", "--bad", "sim", "--flaky"], 2, "asks about each seed by itself"),
        (&["commands", "--bad", "sim", "--schedule-seeds", "0..3"], 2, "add --over seeds"),
        (&["seeds", "--bad", "sim", "--budget", "9"], 2, "--budget is for commands and versions"),
        (
            &["commands", "--bad", "sim", "--budget", "9d"],
            2,
            "is neither a number of runs nor a time",
        ),
        (&["seeds", "--bad", "sim", "--schedule-seeds", "3..0"], 2, "is not a range of seeds"),
    ] {
        let (actual, said) = hallmark(root, &[&["bisect", CHAIN, "--over"], options].concat());
        assert_eq!(actual, code, "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: no `{words}` in {said}");
    }
}
