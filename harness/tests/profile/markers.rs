//! Markers of firmware and kernels: their place in a profile, and the messages about missing markers.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{command, repository, text};
use crate::simulator_library::simulator_library;
use crate::{PIPELINE, cell, rows_of, ticks};

const KERNEL: &str = r#"#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t turns = get_arg_val<uint32_t>(0);
    const uint32_t scratch = get_arg_val<uint32_t>(2);
    DeviceZoneScopedN("all, of it");
    for (uint32_t turn = 0; turn < turns; ++turn) {
        DeviceZoneScopedN("turn");
        for (uint32_t i = 0; i < 10 * (turn + 1); ++i) {
            asm volatile("nop");
        }
    }
    DeviceTimestampedData("count", 0x1'0000'0002ull);
    DeviceRecordEvent(77);
    for (uint32_t turn = 0; turn < 3; ++turn) {
        DeviceZoneScopedSumN1("short");
        asm volatile("nop");
    }
    if (turns == 1) {
        DeviceZoneScopedN("for ever");
        volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(scratch);
        while (true) {
            *word = 1;
        }
    }
    if (turns == 2) {
        DeviceZoneScopedN("in vain");
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 9);
    }
    if (turns == 4) {
        DeviceZoneScopedN("fatal");
        *reinterpret_cast<volatile uint32_t*>(scratch + 2) = 1;
    }
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(scratch);
    for (uint32_t word = 0; word < 16; ++word) {
        words[word] = turns;
        while (words[word] != turns) {
        }
    }
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(1), 64);
    noc_async_write_page(0, out, scratch);
    noc_async_write_barrier();
}
"#;

/// A program with zones runs twice by itself, and twice by a trace. `BOTTOM_UP` places its buffer in DRAM.
const SUITE: &str = "about: Zones.
kernels:
  zones: { source: kernels/zones.cpp }
cases:
  one:
    about: A kernel with zones.
    matrix: { turns: [1, 2, 3, 4, 122, 123] }
    device: { trace_region_size: 65536 }
    budget: 1000000
    steps:
      - create_buffer: { id: out, type: dram, size: 64, page_size: 64, bottom_up: BOTTOM_UP }
      - create_buffer: { id: scratch, type: l1, size: 64, page_size: 64 }
      - create_program: { id: marked }
      - create_semaphore: { id: never, program: marked, cores: [0, 0], initial_value: 0 }
      - create_kernel: { id: k, program: marked, kernel: zones, cores: [0, 0], processor: riscv_0, noc: noc_0, compile_args: [{ accessor: out }] }
      - set_runtime_args: { kernel: k, args: [turns, { buffer: out }, { buffer: scratch }] }
      - enqueue_program: { program: marked }
      - enqueue_program: { program: marked }
      - begin_trace_capture: { id: again }
      - enqueue_program: { program: marked }
      - end_trace_capture: { trace: again }
      - replay_trace: { trace: again, blocking: true }
      - replay_trace: { trace: again, blocking: true }
      - enqueue_read_buffer: { buffer: out, as: read, blocking: true }
    expect:
      - equal: [read, { constant: uint32, value: turns }]
";

fn root(bottom_up: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    std::fs::create_dir_all(suites.join("kernels")).unwrap();
    std::fs::write(suites.join("kernels/zones.cpp"), KERNEL).unwrap();
    let suite = SUITE.replace("BOTTOM_UP", &bottom_up.to_string());
    std::fs::write(suites.join("group/zones.yaml"), suite).unwrap();
    folder
}

/// Profiles the program with `turns` turns and with markers; returns its exit code and its output.
fn profile(
    root: &Path,
    (architecture, turns): (&str, u32),
    more: &[&str],
) -> (Option<i32>, String) {
    let test = format!("{architecture}::group::zones::one::turns={turns}");
    let mut command = command(root);
    command.args(["profile", &test, "-o", "table.csv", "--markers", "log.csv"]).args(more);
    let output = command.output().unwrap();
    (output.status.code(), text(&output))
}

/// The log lines of a processor by operation: the zone's name, the kind, the time and the data.
fn log(root: &Path, processor: &str) -> BTreeMap<String, Vec<(String, String, u64, u64)>> {
    let text = std::fs::read_to_string(root.join("log.csv")).unwrap();
    let (about, table) = text.split_once('\n').unwrap();
    assert!(about.starts_with("ARCH: ") && about.contains("CHIP_FREQ[MHz]: 1000"), "{about}");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let mut operations: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for cells in reader.records() {
        let cells = cells.unwrap();
        let number = |at: usize| cells[at].parse().unwrap();
        if &cells[3] == processor {
            let row = (cells[10].to_owned(), cells[11].to_owned(), number(5), number(6));
            operations.entry(cells[7].to_owned()).or_default().push(row);
        }
    }
    operations
}

/// The markers of all four launches, independent of the launcher.
fn assert_marked(root: &Path, said: &str) {
    assert!(!said.contains("did not"), "{said}");
    let operations = log(root, "BRISC");
    assert_eq!(operations.keys().collect::<Vec<_>>(), ["1", "2", "3", "4"], "{said}");
    let mut last = 0;
    for rows in operations.values() {
        let named: Vec<(&str, &str)> =
            rows.iter().map(|(name, kind, _, _)| (name.as_str(), kind.as_str())).collect();
        let turn = [("turn", "ZONE_START"), ("turn", "ZONE_END")];
        let start = [("BRISC-FW", "ZONE_START"), ("BRISC-KERNEL", "ZONE_START")];
        let all = [("all, of it", "ZONE_START")];
        let said = [("count", "TS_DATA"), ("", "TS_EVENT"), ("all, of it", "ZONE_END")];
        let end = [("BRISC-KERNEL", "ZONE_END"), ("BRISC-FW", "ZONE_END"), ("short", "ZONE_TOTAL")];
        let expected = [&start[..], &all, &turn, &turn, &turn, &said, &end].concat();
        assert_eq!(named, expected);
        // Time increases from launch to launch.
        let times: Vec<u64> = rows.iter().map(|(_, _, time, _)| *time).collect();
        assert!(times.is_sorted() && times[0] > last, "{times:?} {last}");
        last = *times.last().unwrap();
        // Ten more passes of the loop take longer; the first one has ten instructions at least.
        let turns: Vec<u64> =
            (0..3).map(|turn| times[4 + 2 * turn] - times[3 + 2 * turn]).collect();
        assert!(
            turns[0] >= 10 && turns[1] >= turns[0] + 10 && turns[2] >= turns[1] + 10,
            "{turns:?}"
        );
        let data: Vec<u64> =
            rows.iter().map(|(_, _, _, data)| *data).filter(|it| *it > 0).collect();
        assert_eq!(data.first(), Some(&0x1_0000_0002));
        // Three zones with an instruction each.
        assert!((3..200).contains(&data[1]), "{data:?}");
    }
}

/// The device's durations lie between known bounds: kernels inside firmware, for each operation.
fn assert_durations(root: &Path) {
    let (_, rows) = rows_of(&root.join("table.csv"));
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert!(ticks(row, "DEVICE BRISC KERNEL DURATION") < ticks(row, "DEVICE FW DURATION"));
        assert_eq!(cell(row, "COMPLETED"), "yes");
    }
}

#[test]
fn whose_firmware_has_no_markers_is_told_and_profiled_without() {
    let bundle = repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0");
    let folder = tempfile::tempdir().unwrap();
    let device = format!("sim firmware={}", bundle.display());
    let mut command = command(folder.path());
    command.args(["profile", PIPELINE, "--device", &device, "--markers", "log.csv"]);
    let output = command.arg("--root").arg(repository()).output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("nothing has markers: firmware="), "{said}");
    let log = std::fs::read_to_string(folder.path().join("log.csv")).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
}

mod with_compiler {
    use super::*;

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn zones_are_told_on_each_chip_whoever_launches() {
        let folder = root(true);
        let root = folder.path();
        for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
            for dispatch in ["host", "device", "overlap"] {
                let device = format!("sim:{architecture} dispatch={dispatch}");
                let (code, said) = profile(root, (architecture, 3), &["--device", &device]);
                assert_eq!(code, Some(0), "{said}");
                assert!(said.contains("k                 `turn` zones.cpp:8"), "{said}");
                assert_marked(root, &said);
                assert_durations(root);
            }
        }
    }

    /// The commands' own replays have markers, too, and the timeline has their zones.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn replays_of_a_command_have_markers_and_a_timeline_has_zones() {
        let folder = root(true);
        let root = folder.path();
        let test = "wormhole_b0::group::zones::one::turns=3";
        let output = command(root).args(["bless", "--yes", test]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let mut command = command(root);
        command.args(["profile", "-o", "table.csv", "--markers", "log.csv", "--timeline", "t.pf"]);
        command.args(["--html", "page.html"]);
        let output = command.args(["--", "hallmark", "run", test]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        assert_marked(root, &text(&output));
        let timeline = std::fs::read(root.join("t.pf")).unwrap();
        let times = |name: &[u8]| timeline.windows(name.len()).filter(|it| *it == name).count();
        assert_eq!((times(b"all, of it"), times(b"turn")), (4, 12));
        let page = std::fs::read_to_string(root.join("page.html")).unwrap();
        // Each of the four operations has its three turns.
        assert_eq!(page.matches("<code>turn</code> zones.cpp:8").count(), 4);
    }

    /// The worker that loads the firmware with markers has a current folder of its own.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_profile_with_markers_takes_a_relative_root() {
        let folder = root(true);
        let root = folder.path();
        let (code, said) = profile(root, ("wormhole_b0", 3), &["--root", "."]);
        assert_eq!(code, Some(0), "{said}");
        assert_marked(root, &said);
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn markers_that_find_no_room_are_counted() {
        let folder = root(true);
        // 500 words for the kernel: the outer zone takes 4, each turn 4, data 4, the event and the sum 2 each. One turn
        // more leaves no room for the last two.
        for (turns, dropped) in [(122, 0), (123, 2)] {
            let (code, said) = profile(folder.path(), ("wormhole_b0", turns), &[]);
            assert_eq!(code, Some(0), "{said}");
            let told = said.contains(&format!("{} markers of `k` found no room", 4 * dropped));
            assert_eq!(
                (told, said.contains("found no room")),
                (dropped > 0, dropped > 0),
                "{said}"
            );
            let operation = &log(folder.path(), "BRISC")["4"];
            let of = |name: &str, kind: &str| {
                operation.iter().filter(|row| row.0 == name && row.1 == kind).count()
            };
            assert_eq!(of("turn", "ZONE_END"), turns as usize);
            assert_eq!((of("count", "TS_DATA"), of("all, of it", "ZONE_END")), (1, 1));
            let last = (of("", "TS_EVENT"), of("short", "ZONE_TOTAL"));
            assert_eq!(last, if dropped == 0 { (1, 1) } else { (0, 0) });
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_kernel_that_hangs_or_waits_in_vain_leaves_its_open_zones() {
        let folder = root(true);
        let root = folder.path();
        // The library does not report the work of cores, and does not find vain waits.
        let library = format!("ttsim:{}", simulator_library().display());
        for (turns, zone, device) in
            [(1, "for ever", "sim"), (2, "in vain", "sim"), (1, "for ever", library.as_str())]
        {
            for dispatch in ["host", "device"] {
                let device = format!("{device} dispatch={dispatch}");
                let (code, said) = profile(root, ("wormhole_b0", turns), &["--device", &device]);
                assert!(said.contains("did not come to its end"), "{code:?} {said}");
                for zone in [zone, "all, of it"] {
                    assert!(said.contains(&format!("1 zone `{zone}` zones.cpp:")), "{said}");
                }
                let rows = &log(root, "BRISC")["1"];
                let ends = |name: &str| {
                    let of = |kind: &str| {
                        rows.iter().filter(|row| row.0 == name && row.1 == kind).count()
                    };
                    (of("ZONE_START"), of("ZONE_END"))
                };
                assert_eq!(ends(zone), (1, 0));
                assert_eq!(ends("all, of it"), (1, 0));
                assert_eq!(ends("turn"), (turns as usize, turns as usize));
            }
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_kernel_that_dies_inside_a_zone_is_told_without_markers() {
        let folder = root(true);
        let root = folder.path();
        for dispatch in ["host", "device"] {
            let device = format!("sim dispatch={dispatch}");
            let (code, said) = profile(root, ("wormhole_b0", 4), &["--device", &device]);
            // The capture holds this fault.
            assert_eq!(code, Some(0), "{said}");
            assert!(said.contains("did not come to its end"), "{said}");
            let words = "the markers of 1 processor did not arrive: the device met a fault and answers no more";
            assert!(said.contains(words), "{said}");
            assert!(said.contains("2 operations were not launched, or the device ended"), "{said}");
            assert!(log(root, "BRISC").is_empty());
        }
        // The library ends its process and loses the notes since the launch before the last one.
        let device = format!("ttsim:{}", simulator_library().display());
        let (code, said) = profile(root, ("wormhole_b0", 4), &["--device", &device]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("operations were not launched, or the device ended"), "{said}");
    }

    /// A device that ends its process on a fault has a trace's programs launched one by one, and then at one go.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn each_program_of_a_trace_is_told_however_it_is_launched() {
        let folder = tempfile::tempdir().unwrap();
        let root = repository();
        let device = format!("ttsim:{} dispatch=device", simulator_library().display());
        let test = "wormhole_b0::queues::traces::two_programs";
        let mut command = command(folder.path());
        command.args(["profile", test, "-o", "table.csv", "--markers", "log.csv"]);
        let output = command.args(["--device", &device, "--root"]).arg(root).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let (_, rows) = rows_of(&folder.path().join("table.csv"));
        let names: Vec<&str> = rows.iter().map(|row| cell(row, "OP CODE")).collect();
        assert_eq!(names, ["one_program", "two_program"].repeat(6));
        assert!(rows.iter().all(|row| cell(row, "COMPLETED") == "yes"), "{}", text(&output));
        let sessions = rows.iter().map(|row| cell(row, "METAL TRACE REPLAY SESSION ID"));
        let expected = ["", "", "1", "1", "2", "2", "3", "3", "4", "4", "5", "5"];
        assert_eq!(sessions.collect::<Vec<_>>(), expected);
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_buffer_that_lies_where_markers_go_is_refused() {
        let folder = root(false);
        let (code, said) = profile(folder.path(), ("wormhole_b0", 3), &[]);
        assert_eq!(code, Some(11), "{said}");
        assert!(said.contains("would fail with OutOfMemory"), "{said}");
        assert!(said.contains("the markers of a profile begin at 0x"), "{said}");
        assert!(said.contains("is not there without --markers"), "{said}");
    }
}
