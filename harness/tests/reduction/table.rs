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

use super::needles::{capture, hallmark, haystack, path, write};

/// Names the executable with the defects.
const EXECUTABLE: &str = "HALLMARK_TEST_SABOTAGED";
/// Names the one defect that is looked at.
const DEFECT: &str = "HALLMARK_TEST_DEFECT";
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
    ("ReplayerWritesZeros", "wormhole_b0::buffers::round_trip::neighbours::type=dram"),
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

/// The fewest commands of any set of the capture's commands that fails in the same way, where all sets can be tried.
fn known_least(folder: &Path, needle: &Capture, bad: &str, signature: &str) -> Option<usize> {
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
    candidates.sort_by_key(|candidate| candidate.program.commands.len());
    let is_valid =
        |candidate: &&Capture| hallmark::triage::reduce::reads_what_was_written(&candidate.program);
    let least = candidates.iter().filter(is_valid).find(|candidate| {
        let file = write(folder, "candidate.lmb", candidate);
        hallmark(&["reproduce", &file, "--signature", signature, "--bad", bad]).0 == 0
    });
    least.map(|candidate| candidate.program.commands.len())
}

#[test]
#[ignore = "takes minutes, and a build with the feature `sabotage`"]
fn planted_defects_are_found_in_foreign_commands_and_are_as_small_as_can_be() {
    let executable = std::env::var(EXECUTABLE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut ratios, mut missing) = (Vec::new(), Vec::new());
    println!("{:34} {:>5} {:>5} {:>5} {:>6} {:>7}", "defect", "of", "left", "least", "probes", "s");
    let chosen = std::env::var(DEFECT).ok();
    let is_chosen = |defect: &str| chosen.as_deref().is_none_or(|chosen| chosen == defect);
    for (defect, test) in NEEDLES.iter().filter(|(defect, _)| is_chosen(defect)) {
        let script = path(folder, &format!("{defect}.sh"));
        let text = format!("#!/bin/sh\nHALLMARK_SABOTAGE={defect} exec {executable} \"$@\"\n");
        std::fs::write(&script, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        let bad = format!("hallmark:{script}@sim:wormhole_b0");
        let needle = capture(folder, test);
        let is_unharmed = |test: &&&str| {
            let file = write(folder, "foreign.lmb", &capture(folder, test));
            hallmark(&["replay", &file, "--device", &bad]).0 == 0
        };
        let pool: Vec<Capture> =
            FOREIGN.iter().filter(is_unharmed).map(|test| capture(folder, test)).collect();
        if pool.is_empty() {
            println!("{defect:34} every foreign capture fails");
            missing.push(*defect);
            continue;
        }
        let mut least = None;
        for commands in [10, 100, 1000] {
            let file = haystack(folder, &needle, &pool, commands, true);
            let output = path(folder, &format!("{defect}-{commands}"));
            let begin = Instant::now();
            let (code, said) =
                hallmark(&["reduce", &file, "--bad", &bad, "-o", &output, "--until", "300"]);
            let seconds = begin.elapsed().as_secs_f64();
            if code != 0 {
                println!(
                    "{defect:34} {commands:5} exit code {code}: {}",
                    said.lines().next().unwrap_or_default()
                );
                missing.push(*defect);
                continue;
            }
            let reduced = std::fs::read(Path::new(&output).join("reduced.lmb")).unwrap();
            let reduced = Capture::from_bytes(&reduced).unwrap();
            let left = reduced.program.commands.len();
            if least.is_none() {
                let alone = path(folder, &format!("{defect}-alone"));
                let needle_file = write(folder, "needle.lmb", &needle);
                hallmark(&["reduce", &needle_file, "--bad", &bad, "-o", &alone, "--until", "300"]);
                let signature = path(Path::new(&alone), "signature.json");
                least = known_least(folder, &needle, &bad, &signature);
            }
            let log = std::fs::read_to_string(Path::new(&output).join("log.jsonl")).unwrap();
            let told = least.map_or_else(|| "-".to_owned(), |least| least.to_string());
            let probes = log.lines().count().saturating_sub(1);
            println!("{defect:34} {commands:5} {left:5} {told:>5} {probes:6} {seconds:7.1}");
            ratios.extend(least.map(|least| left as f64 / least as f64));
            let signature = path(Path::new(&output), "signature.json");
            let file = path(Path::new(&output), "reduced.lmb");
            for _ in 0..3 {
                let (code, said) =
                    hallmark(&["reproduce", &file, "--signature", &signature, "--bad", &bad]);
                assert_eq!(code, 0, "{defect}: {said}");
                let (code, said) = hallmark(&["replay", &file]);
                assert_eq!(code, 0, "{defect}: {said}");
            }
        }
    }
    println!("without an answer: {missing:?}");
    let within = ratios.iter().filter(|ratio| **ratio <= 1.2).count();
    println!("{within} of {} at most 1.2 times the least", ratios.len());
    assert!(within * 20 >= ratios.len() * 19);
    assert!(ratios.iter().all(|ratio| *ratio <= 2.0));
}
