//! Captures moved to other chips: the forecast of `hallmark portability`, the result of the replay, and equal
//! outputs wherever the capture is adapted.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{command, repository, text};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, ContentHash, Grid, ObjectKind, RelocatedArgument, SharedBytes,
};
use serde_json::Value;

/// The moved captures: a name for the table, and the captured test.
const CAPTURES: [(&str, &str); 14] = [
    (
        "copy through L1",
        "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=2048::processor=riscv_1::noc=noc_0",
    ),
    ("pages every 96 B", "wormhole_b0::buffers::accessor::padding"),
    ("circular buffers", "wormhole_b0::circular_buffers::pipeline::two_stages::pages=8::depth=2"),
    ("multicast", "wormhole_b0::noc::multicast::rectangle::columns=6::rows=5"),
    ("shards", "wormhole_b0::buffers::sharded::height_sharded_write_read"),
    (
        "traces on two queues",
        "wormhole_b0::queues::patterns::writes_and_reads_on_the_second_queue_with_a_trace",
    ),
    ("a loaded trace", "wormhole_b0::queues::loaded::load::replays=3::queue=0"),
    ("compute threads", "wormhole_b0::circular_buffers::pipeline::compute_threads"),
    ("semaphores", "wormhole_b0::semaphores::remote::set_multicast::columns=1::rows=1"),
    ("data race", "wormhole_b0::faults::races::two_stores"),
    ("misaligned load", "wormhole_b0::faults::faults::misaligned_load::processor=riscv_0"),
    ("out of memory", "wormhole_b0::buffers::lifetime::out_of_memory"),
    ("64 circular buffers", "blackhole::circular_buffers::pages::each_index::producer=riscv_0"),
    ("130 cores", "blackhole::dataflow::core_ranges::whole_grid::processor=riscv_0"),
];

/// A capture that states the addresses of its buffers as numbers.
const BOUND: &str = "stated addresses";

/// The number of reasons in the table for each capture and chip; each has many more calls of the same kind.
const SHOWN: usize = 3;

const CHIPS: [&str; 5] = [
    "sim:wormhole_b0",
    "sim:blackhole",
    "sim:grayskull",
    "sim:wormhole_b0:harvested=0x3",
    "sim:blackhole:harvested=0x2001",
];

/// Runs the command; returns its exit code, its output, and the output's JSON if it is JSON.
fn hallmark(folder: &Path, arguments: &[&str]) -> (i32, String, Option<Value>) {
    let output = command(folder).args(arguments).output().unwrap();
    let json = serde_json::from_slice(&output.stdout).ok();
    (output.status.code().unwrap(), text(&output), json)
}

fn capture(test: &str, file: &Path) {
    let file = file.to_str().unwrap();
    let (code, text, _) = hallmark(&repository(), &["capture", test, "-o", file]);
    // The capture of a fault is a capture too.
    assert!(matches!(code, 0 | 1), "{test}: {text}");
}

/// The same capture with plain numbers for buffer addresses, on a grid that many chips have.
fn with_stated_addresses(file: &Path, into: &Path) {
    let mut capture = Capture::open(&std::fs::read(file).unwrap().into()).unwrap();
    let addresses: BTreeMap<u32, u32> = capture
        .record
        .iter()
        .flat_map(|record| &record.addresses)
        .filter(|assigned| assigned.object == ObjectKind::Buffer)
        .map(|assigned| (assigned.id, u32::try_from(assigned.address).unwrap()))
        .collect();
    for recorded in &mut capture.program.commands {
        let Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) = &mut recorded.command
        else {
            continue;
        };
        for arguments in args {
            for relocation in std::mem::take(&mut arguments.relocations) {
                let RelocatedArgument::BufferAddress { buffer, .. } = relocation.argument else {
                    panic!("{relocation:?} is no address of a buffer");
                };
                let word = usize::try_from(relocation.index).unwrap();
                *arguments.values.get_mut(word).unwrap() = *addresses.get(&buffer.0).unwrap();
            }
        }
    }
    capture.program.placement_bound = true;
    capture.program.grid = Grid { columns: 4, rows: 4 };
    std::fs::write(into, capture.to_bytes().unwrap()).unwrap();
}

#[test]
fn captures_over_chips() {
    let folder = tempfile::tempdir().unwrap();
    let kernels = repository().join("suites/kernels/prebuilt");
    let kernels = kernels.to_str().unwrap();
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    for (number, (name, test)) in CAPTURES.iter().enumerate() {
        let file = folder.path().join(format!("{number}.lmb"));
        capture(test, &file);
        files.push((name, file));
    }
    let bound = folder.path().join("bound.lmb");
    with_stated_addresses(&files.first().unwrap().1, &bound);
    files.push((BOUND, bound));
    let mut table = format!("{:22}", "");
    for chip in CHIPS {
        write!(table, "  {}", chip.trim_start_matches("sim:")).unwrap();
    }
    let mut reasons = String::new();
    for (name, file) in &files {
        let file = file.to_str().unwrap();
        write!(table, "\n{name:22}").unwrap();
        for chip in CHIPS {
            let on = [file, "--device", chip, "--kernels", kernels];
            let asked = [["portability", "--json"].as_slice(), &on].concat();
            let (code, text, json) = hallmark(folder.path(), &asked);
            let Some(answer) = json else { panic!("{name} on {chip}: {text}") };
            let verdict = answer["verdict"].as_str().unwrap().to_owned();
            let expected = match verdict.as_str() {
                "exact" => 0,
                "adapted" => 10,
                _ => 11,
            };
            assert_eq!(code, expected, "{name} on {chip}: {text}");
            write!(table, "  {verdict:0$}", chip.len() - "sim:".len()).unwrap();
            let given = answer["reasons"].as_array().unwrap();
            for reason in given.iter().take(SHOWN) {
                let reason = reason["text"].as_str().unwrap().replace(kernels, "FOLDER");
                writeln!(reasons, "{name} on {chip}: {reason}").unwrap();
            }
            if let Some(more) = given.len().checked_sub(SHOWN + 1) {
                writeln!(reasons, "{name} on {chip}: and {} more", more + 1).unwrap();
            }
            // The replay gives the same answer. If it runs, every outcome and output is equal.
            let (code, text, _) = hallmark(folder.path(), &[["replay"].as_slice(), &on].concat());
            let (expected, words) = match verdict.as_str() {
                "exact" => (0, "every outcome and every read is as captured"),
                "adapted" => {
                    (0, "every outcome and every read is as captured\n  adapted to this device:\n")
                }
                _ => (11, "REFUSED "),
            };
            assert_eq!(code, expected, "{name} on {chip}: {text}");
            assert!(text.contains(words), "{name} on {chip}: {text}");
        }
    }
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(format!("{}\n\n{reasons}", table.join("\n")));
}

#[test]
fn what_moves_is_told_object_by_object() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loop.lmb");
    capture(CAPTURES[0].1, &file);
    let kernels = repository().join("suites/kernels/prebuilt");
    let arguments = [
        "portability",
        "loop.lmb",
        "--device",
        "sim:blackhole",
        "--kernels",
        kernels.to_str().unwrap(),
    ];
    let (code, text, _) = hallmark(folder.path(), &arguments);
    assert_eq!(code, 10, "{text}");
    insta::assert_snapshot!(text, @r"
    ADAPTED loop.lmb on sim:blackhole
      architecture wormhole_b0 → blackhole, 1 kernel with its ELFs for blackhole
      DRAM banks 12 → 8
      72 L1 banks, on other tiles
      buffer `scratch` 0x16d800 → 0x17f800
      core (0,0) tile (1,1), NoC coordinates (18,18) → tile (1,2)
    ");
}

/// The same capture with a kernel that is not prebuilt and does not compile.
fn with_a_broken_kernel(file: &Path) {
    let mut capture = Capture::open(&std::fs::read(file).unwrap().into()).unwrap();
    let text = SharedBytes::from(b"#error this is no kernel\n".to_vec());
    let source = capture.program.sources.first_mut().unwrap();
    source.hash = ContentHash::of(&text);
    capture.blobs.insert(source.hash, text);
    std::fs::write(file, capture.to_bytes().unwrap()).unwrap();
}

#[test]
fn kernels_that_cannot_be_found_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loop.lmb");
    capture(CAPTURES[0].1, &file);
    with_a_broken_kernel(&file);
    for what in ["portability", "replay"] {
        let arguments = [what, "loop.lmb", "--device", "sim:blackhole"];
        let (code, text, _) = hallmark(folder.path(), &arguments);
        assert_eq!(code, 11, "{text}");
        let words = "kernel `k` (kernels/loopback.cpp) has no ELF for blackhole: ";
        assert!(text.contains(words), "{text}");
    }
}

/// The same capture in the form of another runtime: without ELFs, which that runtime does not hand out. The
/// kernels also include `header`, if given.
fn without_elfs(file: &Path, into: &Path, header: Option<&str>) {
    let mut capture = Capture::open(&std::fs::read(file).unwrap().into()).unwrap();
    let elfs = std::mem::take(&mut capture.record.as_mut().unwrap().elfs);
    for elf in elfs {
        capture.blobs.remove(&elf.hash);
    }
    if let Some(header) = header {
        for source in &mut capture.program.sources {
            let text = capture.blobs.remove(&source.hash).unwrap();
            let text = [format!("#include \"{header}\"\n").as_bytes(), &*text].concat();
            source.hash = ContentHash::of(&text);
            capture.blobs.insert(source.hash, text.into());
        }
    }
    std::fs::write(into, capture.to_bytes().unwrap()).unwrap();
}

#[test]
fn kernels_that_a_capture_holds_no_elfs_of_are_found_by_their_sources() {
    let folder = tempfile::tempdir().unwrap();
    let (file, bare) = (folder.path().join("copy.lmb"), folder.path().join("bare.lmb"));
    capture(CAPTURES[0].1, &file);
    without_elfs(&file, &bare, None);
    let kernels = repository().join("suites/kernels/prebuilt");
    let kernels = ["--kernels", kernels.to_str().unwrap()];
    let replay = [["replay", bare.to_str().unwrap()], kernels].concat();
    let (code, text, _) = hallmark(folder.path(), &replay);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("every outcome and every read is as captured"), "{text}");
    // A header of upstream's that Hallmark does not have.
    without_elfs(&file, &bare, Some("api/experimental/none.h"));
    for asked in ["replay", "portability"] {
        let asked = [[asked, bare.to_str().unwrap()], kernels].concat();
        let (code, text, _) = hallmark(folder.path(), &asked);
        assert_ne!(code, 0, "{text}");
        assert!(text.contains("`api/experimental/none.h` was not found"), "{text}");
    }
}

#[test]
fn tests_captured_on_one_chip_and_replayed_on_another() {
    let suites = ["suites/dataflow/loopback.yaml", "suites/circular_buffers/pipeline.yaml"];
    let arguments =
        ["run", "--arch", "wormhole_b0", "--replay-device", "wormhole_b0=sim:blackhole"];
    let (code, text, _) = hallmark(&repository(), &[arguments.as_slice(), &suites].concat());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("replayed") && !text.contains("   0 pass"), "{text}");
}

#[test]
fn mistakes() {
    let folder = tempfile::tempdir().unwrap();
    capture(CAPTURES[0].1, &folder.path().join("loop.lmb"));
    for (arguments, code, words) in [
        (["absent.lmb", "--device", "sim:blackhole"].as_slice(), 4, "absent.lmb"),
        (&["loop.lmb", "--device", "qemu:1"], 2, "unknown kind of device `qemu`"),
        (&["loop.lmb", "--device", "pci:0"], 5, "no driver for cards"),
        (
            &["loop.lmb", "--device", "sim:blackhole", "--kernels", "absent"],
            2,
            "there is no folder of kernels absent",
        ),
    ] {
        let (actual, text, _) =
            hallmark(folder.path(), &[["portability"].as_slice(), arguments].concat());
        assert_eq!(actual, code, "{text}");
        assert!(text.contains(words), "{text}");
    }
}
