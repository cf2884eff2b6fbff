//! `hallmark profile`: the table's columns, their sources, and the messages for empty columns.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod commands;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/linked_files.rs"]
mod linked_files;

mod files;
mod markers;
mod shared_sources;
#[path = "../common/simulator_library.rs"]
mod simulator_library;
mod slow_stage;
mod timeline;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use common::{command, repository, text};

/// The columns of the vendor's table in its documentation.
const COLUMNS: &str = include_str!("columns.txt");

type Row = BTreeMap<String, String>;

fn profile(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = command(folder);
    command.arg("profile").args(arguments).arg("--root").arg(repository());
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The table that a profile writes, by column name.
fn table(subject: &str, more: &[&str]) -> (Vec<String>, Vec<Row>, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), &[&[subject, "-o", "table.csv"], more].concat());
    assert!(output.status.success(), "{}", text(&output));
    let (names, rows) = rows_of(&folder.path().join("table.csv"));
    (names, rows, said(&output))
}

fn rows_of(file: &Path) -> (Vec<String>, Vec<Row>) {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let row = |cells: csv::StringRecord| {
        names.iter().cloned().zip(cells.iter().map(str::to_owned)).collect()
    };
    let rows = reader.records().map(|cells| row(cells.unwrap())).collect();
    (names, rows)
}

fn cell<'a>(row: &'a Row, name: &str) -> &'a str {
    row.get(name).unwrap_or_else(|| panic!("there is no column {name}"))
}

fn ticks(row: &Row, name: &str) -> u64 {
    cell(row, &format!("{name} [ticks]")).parse().unwrap()
}

const PIPELINE: &str = "wormhole_b0::circular_buffers::pipeline::three_stages::pages=9::number=1";

#[test]
fn the_columns_are_the_vendors_and_ticks_follow() {
    let (names, rows, _) = table(PIPELINE, &[]);
    let expected: Vec<&str> = COLUMNS.lines().collect();
    let (vendors, own) = names.split_at(expected.len());
    assert_eq!(vendors, expected);
    let (own, last) = own.split_at(own.len() - 2);
    assert_eq!(last, ["COMPLETED", "SUBJECT"]);
    assert!(own.iter().all(|name| name.ends_with(" [ticks]")), "{own:?}");
    let [row] = rows.as_slice() else { panic!("{} operations", rows.len()) };
    for name in vendors.iter().filter(|name| name.ends_with("[ns]") || name.ends_with("CYCLE")) {
        let is_of_host = name.starts_with("HOST");
        assert_eq!(cell(row, name).is_empty(), !is_of_host, "{name}: ticks are no nanoseconds");
    }
    assert_eq!(cell(row, "OP CODE"), "pipe");
    assert_eq!(cell(row, "CORE COUNT"), "1");
    assert_eq!(cell(row, "COMPUTE KERNEL SOURCE"), "['kernels/compute_add_one.cpp']");
    assert_eq!(cell(row, "OP TO OP LATENCY [ticks]"), "0");
    assert_eq!(cell(row, "COMPLETED"), "yes");
    assert_eq!(cell(row, "SUBJECT"), PIPELINE);
    // The compute kernel waits for the reader, and the packing thread has room.
    assert!(ticks(row, "DEVICE COMPUTE CB WAIT FRONT") > 0);
}

/// The latency lasts from the end of one kernel to the start of the next one on the same core.
#[test]
fn the_latency_between_operations_is_that_of_their_kernels() {
    let test = "wormhole_b0::queues::traces::one_program::replays=10::blocking=true::queues=2";
    let (_, rows, _) = table(test, &[]);
    for pair in rows.windows(2) {
        let [before, after] = pair else { panic!("two rows") };
        let apart = ticks(after, "OP TO OP LATENCY");
        let of_firmware = ticks(after, "DEVICE FW START") - ticks(before, "DEVICE FW END");
        // Firmware runs between the kernels, on both sides.
        assert!(apart > of_firmware, "{apart} {of_firmware}");
        let most = ticks(after, "DEVICE FW END") - ticks(before, "DEVICE FW START");
        assert!(apart < most, "{apart} {most}");
    }
}

#[test]
fn a_clock_turns_ticks_into_nanoseconds() {
    let (_, rows, _) = table(PIPELINE, &["--clock", "500000000"]);
    let row = rows.first().unwrap();
    let durations: Vec<&String> = row.keys().filter(|name| name.ends_with(" [ticks]")).collect();
    let mut seen = 0;
    for name in durations {
        let Some(duration) = row.get(&name.replace("[ticks]", "[ns]")) else { continue };
        let doubled = cell(row, name).parse::<u64>().map(|ticks| (ticks * 2).to_string());
        assert_eq!(*duration, doubled.unwrap_or_default(), "{name}");
        seen += 1;
    }
    assert!(seen > 10);
    assert_eq!(cell(row, "DEVICE FW START CYCLE"), cell(row, "DEVICE FW START [ticks]"));
}

/// Relations between durations that hold for any values.
#[test]
fn durations_agree_with_one_another_and_grow_with_the_work() {
    let (_, short, _) = table(&PIPELINE.replace("pages=9", "pages=1"), &[]);
    let (_, long, said) = table(PIPELINE, &[]);
    let (short, long) = (short.first().unwrap(), long.first().unwrap());
    for row in [short, long] {
        let kernel = ticks(row, "DEVICE KERNEL DURATION");
        let firmware = ticks(row, "DEVICE FW DURATION");
        assert!(kernel <= firmware);
        assert_eq!(firmware, ticks(row, "DEVICE FW END") - ticks(row, "DEVICE FW START"));
        let of_processors = ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"]
            .map(|it| ticks(row, &format!("DEVICE {it} KERNEL DURATION")));
        assert!(of_processors.iter().all(|it| (1..=kernel).contains(it)), "{of_processors:?}");
        // A single core has the whole duration.
        for name in ["MIN", "MAX", "AVG"] {
            assert_eq!(ticks(row, &format!("DEVICE KERNEL DURATION PER CORE {name}")), kernel);
        }
    }
    // Nine pages of 64 words, and each word takes some instructions.
    let more = ticks(long, "DEVICE KERNEL DURATION") - ticks(short, "DEVICE KERNEL DURATION");
    assert!(more > 8 * 64, "{more}");
    assert!(said.contains("waits"), "{said}");
    assert!(said.contains(".cpp:"), "{said}");
}

#[test]
fn programs_of_a_trace_say_which_replay_they_are_of() {
    let test = "wormhole_b0::queues::traces::one_program::replays=10::blocking=true::queues=2";
    let (_, rows, _) = table(test, &[]);
    let sessions: Vec<&str> = rows
        .iter()
        .map(|row| cell(row, "METAL TRACE REPLAY SESSION ID"))
        .filter(|it| !it.is_empty())
        .collect();
    assert_eq!(sessions, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    let counts: Vec<String> =
        rows.iter().map(|row| cell(row, "GLOBAL CALL COUNT").to_owned()).collect();
    assert_eq!(counts, (1..=rows.len()).map(|count| count.to_string()).collect::<Vec<_>>());
}

#[test]
fn programs_of_a_loaded_trace_are_operations() {
    let test = "wormhole_b0::queues::loaded::collected_before_and_after";
    let (_, rows, said) = table(test, &[]);
    let named = |name: &str| rows.iter().filter(|row| cell(row, "OP CODE") == name).count();
    // Once each, and in each of six replays of four traces.
    assert_eq!((named("one_program"), named("ten_program"), rows.len()), (1 + 6 * 2, 1 + 6, 20));
    let mut traces: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| !cell(row, "METAL TRACE ID").is_empty()) {
        *traces.entry(cell(row, "METAL TRACE ID")).or_default() += 1;
    }
    assert_eq!(traces.into_values().collect::<Vec<_>>(), [9, 3, 3, 3]);
    // The table numbers calls as a dump does.
    let golden = "goldens/wormhole_b0/queues/loaded/collected_before_and_after.lmb";
    let dumped = command(&repository()).args(["dump", golden]).output().unwrap();
    let number = |line: &str| line.split_whitespace().next()?.parse::<u32>().ok();
    let dumped = text(&dumped);
    let launches = dumped
        .lines()
        .filter(|line| line.contains(" replay_trace ") || line.contains(" enqueue_program "));
    let launches: Vec<u32> = launches.filter_map(number).collect();
    let shown: Vec<u32> = said.lines().filter_map(number).collect();
    assert!(shown.len() > 5, "{said}");
    for call in shown {
        assert!(launches.contains(&call), "{call} of {launches:?}:\n{said}");
    }
}

/// Only the host's clock differs from run to run.
#[test]
fn a_profile_comes_out_the_same() {
    let device_only = || {
        let (_, mut rows, _) = table(PIPELINE, &[]);
        rows.iter_mut().for_each(|row| row.retain(|name, _| !name.starts_with("HOST")));
        rows
    };
    assert_eq!(device_only(), device_only());
}

/// The simulator's library. It does not report the work of its cores.
fn library() -> String {
    format!("ttsim:{}", simulator_library::simulator_library().display())
}

#[test]
fn where_the_device_does_not_tell_the_reason_is_said() {
    let (_, rows, said) = table(PIPELINE, &["--device", &library()]);
    let [row] = rows.as_slice() else { panic!("{} operations", rows.len()) };
    assert_eq!(cell(row, "OP CODE"), "pipe");
    assert!(cell(row, "HOST DURATION [ns]").parse::<u64>().is_ok());
    for name in ["CORE COUNT", "DEVICE FW DURATION [ticks]", "COMPLETED"] {
        assert_eq!(cell(row, name), "", "{name}");
    }
    assert!(said.contains("no operation has a duration"), "{said}");
}

/// One queue loads the inputs of an iteration while the other queue runs the program of another iteration.
const AHEAD: &str = "wormhole_b0::tensors::stitching::one_iteration_ahead::overlap=";

/// Each launch owns its tiles while it runs, so its durations are reported as without overlap.
#[test]
fn launches_that_may_overlap_have_durations() {
    let (_, overlapping, said) = table(&format!("{AHEAD}true"), &[]);
    let (_, one_by_one, _) = table(&format!("{AHEAD}false"), &["--dispatch", "device"]);
    assert_eq!((overlapping.len(), one_by_one.len()), (6, 6), "{said}");
    for (row, other) in overlapping.iter().zip(&one_by_one) {
        assert_eq!(cell(row, "COMPLETED"), "yes");
        // The cores' slices of time begin at other ticks.
        for name in ["DEVICE FW DURATION", "DEVICE KERNEL DURATION", "DEVICE BRISC KERNEL DURATION"]
        {
            assert!(ticks(row, name).abs_diff(ticks(other, name)) < 20, "{name}");
        }
        for name in ["CORE COUNT", "INPUT_0_MEMORY", "OUTPUT_0_MEMORY"] {
            assert_eq!(cell(row, name), cell(other, name), "{name}");
        }
        // A busy queue does not show the part of a dispatcher's work for each launch.
        let dispatched = "DISPATCH TOTAL CQ CMD OP TIME [ticks]";
        assert_eq!(cell(row, dispatched), "");
        assert!(cell(other, dispatched).parse::<u64>().is_ok());
    }
    // The launches follow each other on one core: each latency belongs to its own pair.
    for pair in overlapping.windows(2) {
        let apart = ticks(&pair[1], "OP TO OP LATENCY");
        let moved = ticks(&pair[1], "DEVICE FW START") - ticks(&pair[0], "DEVICE FW END");
        assert!((moved..moved + 500).contains(&apart), "{apart} {moved}");
    }
    let folder = tempfile::tempdir().unwrap();
    let columns = said_of(&profile(folder.path(), &["--columns"]), "DISPATCH TOTAL");
    assert!(columns.contains("empty where launches overlap"), "{columns}");
}

fn said_of(output: &Output, column: &str) -> String {
    said(output).lines().find(|line| line.starts_with(column)).unwrap().to_owned()
}

/// The launch with the fault is reported as not ended.
#[test]
fn a_fault_where_launches_may_overlap_leaves_what_was_launched() {
    let fault = "wormhole_b0::faults::faults::misaligned_load::processor=riscv_0";
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), &[fault, "-o", "t.csv", "--dispatch", "overlap"]);
    assert!(said(&output).contains("did not come to its end"), "{}", text(&output));
    let (_, rows) = rows_of(&folder.path().join("t.csv"));
    assert_eq!(cell(rows.last().unwrap(), "COMPLETED"), "no");
}

/// A dispatcher's launches have durations too, and run the same kernels.
#[test]
fn launches_of_a_dispatcher_are_told() {
    let two = "wormhole_b0::queues::traces::one_program::replays=10::blocking=true::queues=2";
    for test in [PIPELINE, two] {
        let (_, by_host, _) = table(test, &[]);
        let (_, by_device, said) = table(test, &["--dispatch", "device"]);
        assert_eq!(by_device.len(), by_host.len(), "{said}");
        let told = by_device.iter().filter(|row| cell(row, "COMPLETED") == "yes");
        let told: Vec<&Row> = told.collect();
        // The dispatcher replays a trace at one go.
        assert_eq!(told.len(), 1, "{said}");
        let (host, device) = (by_host.first().unwrap(), *told.first().unwrap());
        for name in ["OP CODE", "CORE COUNT", "COMPUTE KERNEL HASH", "DATA MOVEMENT KERNEL HASH"] {
            assert_eq!(cell(device, name), cell(host, name), "{name}");
        }
        let name = "DEVICE KERNEL DURATION";
        let (by_host, by_device) = (ticks(host, name), ticks(device, name));
        assert!(by_device.abs_diff(by_host) * 10 < by_host, "{by_host} {by_device}");
    }
    let fault = "wormhole_b0::faults::faults::misaligned_load::processor=riscv_0";
    let folder = tempfile::tempdir().unwrap();
    let device = ["--device", "sim dispatch=device"];
    let output = profile(folder.path(), &[&[fault, "-o", "table.csv"], device.as_slice()].concat());
    assert!(said(&output).contains("did not come to its end"), "{}", text(&output));
    let (_, rows) = rows_of(&folder.path().join("table.csv"));
    assert_eq!(cell(rows.last().unwrap(), "COMPLETED"), "no");
}

/// The waits of cores and dispatchers for the next command are no part of an operation.
#[test]
fn a_program_takes_as_long_each_time_whoever_launches_it() {
    let test = "wormhole_b0::queues::patterns::programs_on_both_queues";
    for dispatch in ["host", "device"] {
        let (_, rows, said) = table(test, &["--dispatch", dispatch]);
        assert_eq!(rows.len(), 7, "{said}");
        let taken = |name| rows.iter().map(|row| ticks(row, name)).collect::<Vec<_>>();
        let all = taken("DEVICE FW DURATION");
        let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
        assert!(most - least < 20, "{dispatch}: {all:?}");
        // The firmware's own part: some dozens of instructions, and for a dispatcher the path of one atomic
        // operation.
        for (firmware, kernel) in all.iter().zip(taken("DEVICE KERNEL DURATION")) {
            assert!((1..300).contains(&(firmware - kernel)), "{dispatch}: {firmware} {kernel}");
        }
        let dispatched = rows.iter().map(|row| cell(row, "DISPATCH TOTAL CQ CMD OP TIME [ticks]"));
        let dispatched: Vec<Option<u64>> = dispatched.map(|cell| cell.parse().ok()).collect();
        match dispatch {
            "host" => assert_eq!(dispatched, [None; 7]),
            // A few commands, without the buffers that the queue reads afterwards.
            _ => assert!(
                dispatched.iter().all(|it| it.is_some_and(|it| (100..1000).contains(&it))),
                "{dispatched:?}"
            ),
        }
    }
}

/// The writer waits for each page for some hundred ticks, too briefly for the simulator to stop the core.
#[test]
fn waits_are_told_however_short_they_are() {
    let (_, _, said) = table("wormhole_b0::circular_buffers::dynamic::every_core", &[]);
    let words = "`write` on 72 of 72 cores waits";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("for acknowledgements of writes over NoC 0, of buffer `dst`"), "{said}");
}

#[test]
fn what_a_dispatcher_launches_with_a_trace_is_said_to_be_untold() {
    for dispatch in ["device", "overlap"] {
        let (_, rows, said) =
            table("wormhole_b0::queues::traces::two_programs", &["--dispatch", dispatch]);
        assert_eq!(rows.iter().filter(|row| cell(row, "COMPLETED").is_empty()).count(), 10);
        assert!(
            said.contains("a dispatcher launched 10 operations with a trace; `--markers"),
            "{said}"
        );
    }
}

#[test]
fn a_device_that_cannot_be_opened_is_said_to_be_that() {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), &[PIPELINE, "--device", "ttsim:/nowhere.so"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert!(text(&output).contains("/nowhere.so"), "{}", text(&output));
    assert!(!text(&output).contains("does not say what calls take"), "{}", text(&output));
    assert!(!folder.path().join("results").exists());
}

#[test]
fn a_failed_replay_keeps_what_ended_before_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let test = "wormhole_b0::faults::faults::misaligned_load::processor=riscv_0";
    let output = profile(folder.path(), &[test, "-o", "table.csv"]);
    let told = said(&output);
    assert!(folder.path().join("table.csv").is_file(), "{}", text(&output));
    assert!(told.contains("wrote table.csv  1 operation"), "{told}");
    assert!(told.contains("did not come to its end"), "{told}");
    assert_eq!(output.status.code(), Some(0), "the fault is what the test expects: {told}");
    let row = rows_of(&folder.path().join("table.csv")).1.remove(0);
    assert_eq!(cell(&row, "COMPLETED"), "no");
    assert_eq!(cell(&row, "CORE COUNT"), "1");
    assert!(ticks(&row, "DEVICE FW START") > 0);
    for name in ["DEVICE FW END", "DEVICE FW DURATION", "DEVICE KERNEL DURATION"] {
        assert_eq!(cell(&row, &format!("{name} [ticks]")), "", "{name}: it has no end");
    }
}

#[test]
fn each_column_says_what_fills_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = profile(folder.path(), &["--columns"]);
    let told = said(&output);
    let (names, _, _) = table(PIPELINE, &[]);
    assert_eq!(told.lines().count(), names.len());
    for (line, name) in told.lines().zip(&names) {
        let about = line.strip_prefix(name).unwrap_or_else(|| panic!("{line} is not of {name}"));
        let how = ["filled: ", "derived from ticks (with --clock): ", "empty: "];
        assert!(how.iter().any(|how| about.trim_start().starts_with(how)), "{line}");
    }
}

/// The duration of an operation, beside another run of it and a run with more work.
#[test]
fn an_operation_that_became_slower_is_named_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let short = PIPELINE.replace("pages=9", "pages=1");
    for (subject, file) in [(short.as_str(), "short.csv"), (PIPELINE, "long.csv")] {
        assert!(profile(folder.path(), &[subject, "-o", file]).status.success());
    }
    let against = |subject: &str, file: &str| {
        let output = profile(folder.path(), &[subject, "-o", "now.csv", "--against", file]);
        (output.status.code(), said(&output))
    };
    let (code, told) = against(PIPELINE, "short.csv");
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.contains("slower   `pipe`: ")
            && told.contains(" % of before")
            && told.contains("1 operation takes longer"),
        "{told}"
    );
    let (code, told) = against(&short, "long.csv");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("quicker  `pipe`: "), "{told}");
    // The simulator's time has no noise.
    let (code, told) = against(PIPELINE, "long.csv");
    assert_eq!(code, Some(0), "{told}");
    assert!(!told.contains("`pipe`:") && told.contains("0 operations take longer"), "{told}");
    // The command refuses a comparison with a table of other programs.
    let other = "OP CODE,DEVICE FW DURATION [ticks]\nanother,12\n";
    std::fs::write(folder.path().join("other.csv"), other).unwrap();
    let output = profile(folder.path(), &[PIPELINE, "-o", "now.csv", "--against", "other.csv"]);
    assert_eq!(output.status.code(), Some(12), "{}", text(&output));
    assert!(text(&output).contains("so nothing is compared"), "{}", text(&output));
    // The command may compare with a table and overwrite it.
    let lines = || std::fs::read_to_string(folder.path().join("long.csv")).unwrap().lines().count();
    let before = lines();
    let output = profile(folder.path(), &[PIPELINE, "-o", "long.csv", "--against", "long.csv"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(lines(), before);
}

#[test]
fn a_table_that_cannot_be_compared_with_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let header = "OP CODE,DEVICE FW DURATION [ticks]\n";
    for (content, words) in [
        (None, "No such file"),
        (
            Some("OP CODE,CORE COUNT\na,1\n".to_owned()),
            "has no column `DEVICE FW DURATION [ticks]`",
        ),
        (Some(String::new()), "has no column `OP CODE`"),
        (Some(format!("{header}a,12x\n")), "line 2: `12x` is not a number of ticks"),
        (Some(format!("{header}a\n")), "record 1"),
    ] {
        let file = folder.path().join("other.csv");
        match content {
            Some(content) => std::fs::write(&file, content).unwrap(),
            None => drop(std::fs::remove_file(&file)),
        }
        let output = profile(folder.path(), &[PIPELINE, "-o", "now.csv", "--against", "other.csv"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(words), "{words}: {}", text(&output));
        assert!(!folder.path().join("now.csv").exists());
    }
}

/// The page's content for a waiting program. A browser obeys none of its texts.
#[test]
fn a_page_shows_where_the_time_went() {
    let folder = tempfile::tempdir().unwrap();
    let page = |subject: &str, more: &[&str]| {
        let arguments = [&[subject, "-o", "t.csv", "--html", "p.html"], more].concat();
        let output = profile(folder.path(), &arguments);
        assert!(text(&output).contains("wrote p.html"), "{}", text(&output));
        std::fs::read_to_string(folder.path().join("p.html")).unwrap()
    };
    let drawn = page(PIPELINE, &[]);
    for words in [
        "of its time at",
        "(1,1) TRISC0",
        "<rect",
        "a kernel runs",
        "reader.cpp:",
        "instructions",
        "default-src 'none'",
    ] {
        assert!(drawn.contains(words), "no `{words}`");
    }
    assert!(!drawn.contains("<script"));
    let untold = page(PIPELINE, &["--device", &library()]);
    assert!(untold.contains("no operation has a duration") && !untold.contains("<rect"));
    let test = "wormhole_b0::faults::faults::misaligned_load::processor=riscv_0";
    assert!(page(test, &[]).contains("did not end"));
}

/// A wait is named after the object in the host program, with the place of the wait in the kernel.
#[test]
fn a_wait_names_what_it_is_for() {
    for (test, words) in [
        (
            "wormhole_b0::circular_buffers::pipeline::two_stages::pages=1::depth=1",
            "for circular buffer 0 `stage` to be filled, at writer.cpp:21: ",
        ),
        (
            "wormhole_b0::dataflow::loopback::larger_than_a_packet::page_size=8192",
            "for responses to reads over NoC 1, of buffer `src`, at loopback.cpp:26: ",
        ),
        (
            "wormhole_b0::semaphores::semaphores::ping_pong::rounds=50::processor=riscv_1",
            "for semaphore `turn`, at semaphore_ping_pong.cpp:29: ",
        ),
    ] {
        let (_, _, said) = table(test, &[]);
        assert_eq!(said.matches(words).count(), 2, "{said}");
        assert!(said.contains(&format!("of its time {words}")), "{said}");
    }
}

/// A kernel with one page reads one bank; the table names the owner of that memory.
#[test]
fn memory_that_a_program_moves_is_named() {
    let test = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_1::noc=noc_0";
    let (_, rows, said) = table(test, &[]);
    let memory = "for acknowledgements of writes over NoC 0, of buffer `dst` in DRAM bank 0, at loopback.cpp:28";
    assert!(said.contains(memory), "{said}");
    for column in ["INPUT_0_MEMORY", "OUTPUT_0_MEMORY"] {
        assert_eq!(cell(&rows[0], column), "DEV_0_DRAM_INTERLEAVED", "{column}");
    }
    assert_eq!(cell(&rows[0], "INPUT_1_MEMORY"), "");
    assert_eq!(cell(&rows[0], "DISPATCH TOTAL CQ CMD OP TIME [ticks]"), "");
    // A sharded buffer has rows and columns: 7 by 2 pages, each a row of 64 elements.
    let sharded = "wormhole_b0::buffers::accessor::gather::layout=height::type=dram::page_size=64";
    let (_, rows, _) = table(sharded, &[]);
    let shape = ["W", "Z", "Y", "X"].map(|it| cell(&rows[0], &format!("INPUT_0_{it}")).to_owned());
    assert_eq!(shape, ["", "", "7", "128"]);
    assert_eq!(cell(&rows[0], "INPUT_0_MEMORY"), "DEV_0_DRAM_HEIGHT_SHARDED");
    assert_eq!((cell(&rows[0], "OUTPUT_0_Y"), cell(&rows[0], "OUTPUT_0_X")), ("", ""));
    // A kernel's output is no input, and a program without reads has no input.
    let (_, rows, _) =
        table("wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0", &[]);
    assert_eq!(cell(&rows[0], "INPUT_0_MEMORY"), "");
    assert_eq!(cell(&rows[0], "OUTPUT_0_MEMORY"), "DEV_0_DRAM_INTERLEAVED");
}
