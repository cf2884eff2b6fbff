//! The table of needles: planted defects, each in 10, 100 and 1000 foreign commands, beside the least that exists.
//!
//! It takes a build with the feature `sabotage`, which `HALLMARK_TEST_SABOTAGED` names, and some minutes:
//! `cargo test --package hallmark --test reduction -- --ignored --nocapture`. `HALLMARK_TEST_DEFECT` takes one defect.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_schema::program_hash;
use hallmark_schema_editing::{Edit, Unit, apply};
use hallmark_triage::reduce::{Cost, reads_what_was_written};

use super::needles::{capture, hallmark, haystack, path, write};

/// Names the executable with the defects.
const EXECUTABLE: &str = "HALLMARK_TEST_SABOTAGED";
/// Names the one defect that is looked at.
const DEFECT: &str = "HALLMARK_TEST_DEFECT";
/// How often each result is replayed on both sides.
const REPLAYS: usize = 10;
/// Units of which every set is tried.
const EXHAUSTIVE: usize = 14;

/// Defects that a replay shows, and the tests that catch them.
const NEEDLES: &[(&str, &str)] = &[
    ("WritesToTheNextBank", "wormhole_b0::arguments::common::updated_in_place"),
    (
        "ArgumentsSwapped",
        "wormhole_b0::arguments::arguments::echo::processor=riscv_0::number=4294967295",
    ),
    ("CoordinatesSwapped", "wormhole_b0::arguments::arguments::vectors::cores=2"),
    ("ArgumentsOfTheFirstCore", "wormhole_b0::arguments::arguments::vectors::cores=2"),
    ("CircularBuffersPacked", "wormhole_b0::circular_buffers::places::one_core"),
    ("SemaphoresShareANumber", "wormhole_b0::circular_buffers::pages::many_producers::rounds=1"),
    ("SemaphoresResetOnce", "wormhole_b0::cores::cores::all_five::columns=1::rows=1"),
    ("LastSiteNotRelocated", "wormhole_b0::programs::programs::private_memory::processor=riscv_0"),
    ("ReplayerSetsOneCore", "wormhole_b0::arguments::common::beyond_limit"),
    ("ReplayerForgetsInitialValues", "wormhole_b0::faults::deadlock::cycle_broken::tiles=2"),
    (
        "AtomicAddsOne",
        "wormhole_b0::noc::point_to_point::atomic_increment::processor=riscv_0::start=0",
    ),
    ("MulticastDropsLastTarget", "wormhole_b0::faults::requests::right::request=multicast"),
    ("StreamCountsNarrow", "wormhole_b0::noc::patterns::inline_register::noc=noc_0::number=65535"),
    ("SraLogical", "wormhole_b0::computing::integers::data_movement::first=negative"),
    ("DivisionByZeroIsZero", "wormhole_b0::computing::integers::data_movement::first=positive"),
    ("MailboxLastInFirstOut", "wormhole_b0::cores::cores::mailbox_series::rounds=1000"),
    ("KernelBinaryOfTheSameSizeReused", "wormhole_b0::arguments::common::two_kernels"),
];

/// Defects that no answer can be given for: the replay itself contradicts what it was given, which is no failure of a
/// device. The test that catches each, and what the reduction says.
const WITHOUT_ANSWER: &[(&str, &str, &str)] = &[(
    "ReplayerWritesZeros",
    "wormhole_b0::buffers::round_trip::neighbours::type=dram",
    "the replay cannot be written: container, blobs[0]: the content has the hash",
)];

/// What stands around needles that no capture with data of the host survives.
const WITHOUT_DATA: [&str; 2] =
    ["wormhole_b0::programs::settings::opt_level", "wormhole_b0::arguments::common::two_kernels"];

/// What stands around them, as far as it passes in spite of the defect.
const FOREIGN: [&str; 7] = [
    "wormhole_b0::dataflow::loopback::types::from=l1::to=l1",
    "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=32::processor=riscv_0::noc=noc_0",
    "wormhole_b0::buffers::sharded::height_sharded_write_read",
    "wormhole_b0::circular_buffers::pipeline::two_stages::pages=8::depth=2",
    "wormhole_b0::buffers::round_trip::neighbours::type=l1",
    "wormhole_b0::semaphores::semaphores::gather::workers=7",
    "wormhole_b0::buffers::lifetime::reuse::type=dram",
];

/// The smallest of all sets of the capture's commands that fail in the same way, where all sets can be tried.
fn known_least(folder: &Path, needle: &Capture, bad: &str, signature: &str) -> Option<Cost> {
    let count = needle.program.commands.len();
    if count > EXHAUSTIVE {
        return None;
    }
    let mut known = BTreeSet::new();
    let mut candidates = Vec::new();
    for set in 0..1_u32 << count {
        let removed = (0..count as u32).filter(|index| set >> index & 1 == 1);
        let removals = removed.map(|index| Edit::Remove(Unit::Command(CommandIndex(index))));
        let edits: Vec<Edit> = [Edit::ExpectAsCaptured].into_iter().chain(removals).collect();
        let candidate = apply(&edits, needle).capture;
        if known.insert(program_hash(&candidate.program).unwrap()) {
            candidates.push(candidate);
        }
    }
    candidates.sort_by_key(Cost::of);
    let is_valid = |candidate: &&Capture| reads_what_was_written(&candidate.program);
    let least = candidates.iter().filter(is_valid).find(|candidate| {
        let file = write(folder, "candidate.lmb", candidate);
        hallmark(&["reproduce", &file, "--signature", signature, "--bad", bad]).0 == 0
    });
    least.map(Cost::of)
}

/// Commands, objects, cores and bytes.
fn told(cost: Option<&Cost>) -> String {
    cost.map_or_else(
        || "-".to_owned(),
        |Cost { commands, objects, cores, bytes, .. }| {
            format!("{commands}/{objects}/{cores}/{bytes}")
        },
    )
}

/// The executor that is another build of Hallmark with a defect.
fn sabotaged(folder: &Path, executable: &str, defect: &str) -> String {
    let script = path(folder, &format!("{defect}.sh"));
    let text = format!("#!/bin/sh\nHALLMARK_SABOTAGE={defect} exec {executable} \"$@\"\n");
    std::fs::write(&script, text).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    format!("hallmark:{script}@sim:wormhole_b0")
}

/// The tests whose captures pass in spite of a defect.
fn unharmed(folder: &Path, tests: &[&str], bad: &str) -> Vec<Capture> {
    let captures = tests.iter().map(|test| capture(folder, test));
    let passes = |capture: &Capture| {
        let file = write(folder, "foreign.lmb", capture);
        hallmark(&["replay", &file, "--device", bad]).0 == 0
    };
    captures.filter(passes).collect()
}

/// Replays a result on both sides: it fails in the way sought on one, and passes on the other.
fn replayed(output: &str, bad: &str, defect: &str) {
    let [signature, file] =
        ["signature.json", "reduced.lmb"].map(|name| path(Path::new(output), name));
    for _ in 0..REPLAYS {
        let (code, said) = hallmark(&["reproduce", &file, "--signature", &signature, "--bad", bad]);
        assert_eq!(code, 0, "{defect}: {said}");
        let (code, said) = hallmark(&["replay", &file]);
        assert_eq!(code, 0, "{defect}: {said}");
    }
}

#[test]
#[ignore = "takes minutes, and a build with the feature `sabotage`"]
fn planted_defects_are_found_in_foreign_commands_and_are_as_small_as_can_be() {
    let executable = std::env::var(EXECUTABLE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut ratios, mut missing, mut times) = (Vec::new(), Vec::new(), Vec::new());
    println!(
        "commands/objects/cores/bytes\n{:34} {:>5} {:>16} {:>16} {:>6} {:>7}",
        "defect", "of", "left", "least", "probes", "s"
    );
    let chosen = std::env::var(DEFECT).ok();
    let is_chosen = |defect: &str| chosen.as_deref().is_none_or(|chosen| chosen == defect);
    for (defect, test) in NEEDLES.iter().filter(|(defect, _)| is_chosen(defect)) {
        let bad = sabotaged(folder, &executable, defect);
        let needle = capture(folder, test);
        let mut pool = unharmed(folder, &FOREIGN, &bad);
        if pool.is_empty() {
            pool = unharmed(folder, &WITHOUT_DATA, &bad);
        }
        assert!(!pool.is_empty(), "{defect}: every foreign capture fails");
        let alone = path(folder, &format!("{defect}-alone"));
        let file = write(folder, "needle.lmb", &needle);
        hallmark(&["reduce", &file, "--bad", &bad, "-o", &alone, "--until", "300"]);
        let signature = path(Path::new(&alone), "signature.json");
        let least = known_least(folder, &needle, &bad, &signature);
        for commands in [10, 100, 1000] {
            let file = haystack(folder, &needle, &pool, commands, true);
            let output = path(folder, &format!("{defect}-{commands}"));
            let begin = Instant::now();
            let (code, said) =
                hallmark(&["reduce", &file, "--bad", &bad, "-o", &output, "--until", "300"]);
            let seconds = begin.elapsed().as_secs_f64();
            if code != 0 {
                let first = said.lines().next().unwrap_or_default();
                println!("{defect:34} {commands:5} exit code {code}: {first}");
                missing.push(*defect);
                continue;
            }
            let reduced = std::fs::read(Path::new(&output).join("reduced.lmb")).unwrap();
            let left = Cost::of(&Capture::from_bytes(&reduced).unwrap());
            let log = std::fs::read_to_string(Path::new(&output).join("log.jsonl")).unwrap();
            let probes = log.lines().count().saturating_sub(1);
            println!(
                "{defect:34} {commands:5} {:>16} {:>16} {probes:6} {seconds:7.1}",
                told(Some(&left)),
                told(least.as_ref())
            );
            let ratio = |least: &Cost| left.commands as f64 / least.commands as f64;
            ratios.extend(least.as_ref().map(ratio));
            times.push((commands, seconds));
            replayed(&output, &bad, defect);
        }
    }
    for (defect, test, reason) in WITHOUT_ANSWER.iter().filter(|(defect, ..)| is_chosen(defect)) {
        let bad = sabotaged(folder, &executable, defect);
        let file = write(folder, "needle.lmb", &capture(folder, test));
        let output = path(folder, &format!("{defect}-alone"));
        let (code, said) = hallmark(&["reduce", &file, "--bad", &bad, "-o", &output]);
        println!("{defect:34} without an answer: {}", said.lines().next().unwrap_or_default());
        assert!(code == 12 && said.contains(reason), "{defect}: {code}: {said}");
    }
    println!("missing: {missing:?}");
    let within = ratios.iter().filter(|ratio| **ratio <= 1.2).count();
    println!("{within} of {} at most 1.2 times the least", ratios.len());
    let mut all: Vec<f64> = times.iter().map(|(_, seconds)| *seconds).collect();
    all.sort_by(f64::total_cmp);
    let slowest = times.iter().filter(|(commands, _)| *commands == 1000);
    let slowest = slowest.map(|(_, seconds)| *seconds).fold(0.0, f64::max);
    let median = all.get(all.len() / 2).copied().unwrap_or_default();
    println!("median {median:.1} s, slowest of 1000 commands {slowest:.1} s");
    assert!(within * 20 >= ratios.len() * 19);
    assert!(ratios.iter().all(|ratio| *ratio <= 2.0));
    // What is not optimized is slower, and nobody waits for it.
    if !cfg!(debug_assertions) {
        assert!(median < 10.0 && slowest < 60.0);
    }
}
