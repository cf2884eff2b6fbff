//! Failures whose reports name the mistake in the suite, each with the same program without the mistake.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;

use common::{command, repository, text};
use linked_files::link_files;

/// Two commands of two queues that nothing orders, met by a call and met at the end of the queues.
const QUEUES: &str = "about: Races of two queues.
cases:
  met:
    about: A read of the second queue, without an event.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: b, type: dram, size: 4096, page_size: 1024 }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 2 } }
      - enqueue_read_buffer: { buffer: b, as: out, queue: 1 }
      - finish: { queue: 1 }
      - finish: {}
    expect:
      - equal: [out, b]
  at_end:
    about: A write of the second queue, and no call waits for it.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: b, type: dram, size: 4096, page_size: 1024 }
      - enqueue_read_buffer: { buffer: b, as: zeros, blocking: true }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 2 } }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 3 }, queue: 1 }
    expect:
      - unchecked: zeros
        reason: nothing was written yet
  ordered:
    about: With an event.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: b, type: dram, size: 4096, page_size: 1024 }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 2 } }
      - enqueue_record_event: { id: written }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_read_buffer: { buffer: b, as: out, queue: 1 }
      - finish: { queue: 1 }
    expect:
      - equal: [out, b]
";

fn root(suite: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/causes.yaml"), suite).unwrap();
    folder
}

/// The report of each case by its name, without colours.
fn reports(folder: &Path) -> impl Fn(&str) -> String {
    let output = command(folder).args(["run", "--arch", "wormhole_b0"]).output().unwrap();
    let said = text(&output);
    let cases = folder.join("target/hallmark/wormhole_b0/group/causes");
    move |case| {
        let file = cases.join(case).join("report.txt");
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{case}: {error}: {said}"))
    }
}

#[test]
fn a_race_of_two_queues_names_the_lines_of_the_suite() {
    let folder = root(QUEUES);
    let report = reports(folder.path());
    for (case, lines) in [
        ("met", "command 1 is line 8 of the suite, and command 2 is line 9 of the suite"),
        ("at_end", "command 2 is line 20 of the suite, and command 3 is line 21 of the suite"),
    ] {
        let said = report(case);
        assert!(said.contains("DataRace: command ") && said.contains(lines), "{said}");
    }
    let right = report("ordered");
    assert!(right.contains("The expectations hold"), "{right}");
}

mod with_compiler {
    use super::*;

    /// What the cases differ in.
    struct Case<'a> {
        page: u32,
        compute: &'a str,
        /// The steps of the kernel on BRISC.
        last: &'a str,
    }

    const WRITER: &str = "      - create_kernel: { id: write, program: p, kernel: writer, cores: [1, 2], processor: riscv_0, compile_args: [17, 1, { accessor: dst }] }
      - set_runtime_args: { kernel: write, args: [{ buffer: dst }, 0, 4] }
";
    const SECOND_READER: &str = "      - create_kernel: { id: again, program: p, kernel: reader, cores: [1, 2], processor: riscv_0, compile_args: [3, 1, { accessor: src }] }
      - set_runtime_args: { kernel: again, args: [{ buffer: src }, 0, 4] }
";

    /// A suite with one case: four tiles that a compute kernel copies.
    fn suite(case: &Case<'_>) -> String {
        let Case { page, compute, last } = case;
        // The tiles of a buffer with other pages are not those of the result.
        let expectation = match page {
            2048 => "equal: [out, src]",
            _ => "unchecked: out\n        reason: the device stops before it",
        };
        let writer =
            if *last == WRITER { "  writer: { source: kernels/writer.cpp }\n" } else { "" };
        format!(
            "about: Copies.
kernels:
  reader: {{ source: kernels/reader.cpp }}
  copy: {{ source: kernels/tiles_copy.cpp }}
{writer}cases:
  copy:
    about: Four tiles.
    when: {{ needs: [tensix], reason: the compute API computes on the coprocessor }}
    steps:
      - create_buffer: {{ id: src, type: dram, size: 4 * {page}, page_size: {page} }}
      - create_buffer: {{ id: dst, type: dram, size: 8192, page_size: 2048 }}
      - create_program: {{ id: p }}
      - create_circular_buffer: {{ id: input, program: p, cores: [1, 2], total_size: 2 * {page}, indices: [{{ index: 3, page_size: {page}, data_format: float16_b }}] }}
      - create_circular_buffer: {{ id: result, program: p, cores: [1, 2], total_size: 4096, indices: [{{ index: 17, page_size: 2048, data_format: float16_b }}] }}
      - create_kernel: {{ id: read, program: p, kernel: reader, cores: [1, 2], processor: riscv_1, compile_args: [3, 1, {{ accessor: src }}] }}
      - create_kernel: {{ id: compute, program: p, kernel: copy, cores: [1, 2], compute: {{}}, compile_args: [{compute}, 1, 0, 0] }}
{last}      - set_runtime_args: {{ kernel: read, args: [{{ buffer: src }}, 0, 4] }}
      - set_runtime_args: {{ kernel: compute, args: [4] }}
      - enqueue_write_buffer: {{ buffer: src, data: {{ uniform: uint16, seed: 451, min: 0x0080, max: 0x7F7F }} }}
      - enqueue_program: {{ program: p }}
      - enqueue_read_buffer: {{ buffer: dst, as: out, blocking: true }}
    expect:
      - {expectation}
"
        )
    }

    fn report(case: &Case<'_>) -> String {
        reports(root(&suite(case)).path())("copy")
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn mistakes_with_circular_buffers_are_named() {
        let right = Case { page: 2048, compute: "3, 17", last: WRITER };
        let said = report(&right);
        assert!(said.contains("The expectations hold"), "{said}");
        for (case, category, cause) in [
            (
                Case { page: 1024, ..right },
                "DataRace",
                "circular buffer 3 `input` has pages of 1024 B, and a tile of 32 × 32 in its data_format has 2048 B",
            ),
            (
                Case { compute: "17, 3", ..right },
                "Deadlock",
                "`write` and `compute` both wait for pages of circular buffer 17 `result`, and a circular buffer has one consumer: \
                 do the arguments of `compute` name the right circular buffers, in the right order?",
            ),
            (
                Case { last: SECOND_READER, ..right },
                "DataRace",
                "both fill this circular buffer, which has one producer",
            ),
        ] {
            let said = report(&case);
            assert!(said.contains(category) && said.contains(cause), "{said}");
        }
    }
}
