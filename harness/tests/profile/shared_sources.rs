//! Kernels that share a source: each wait names the kernel and the circular buffer of its own core.

use super::common::{command, repository, text};
use super::linked_files::link_files;

/// Two cores run the same sources. The pipeline `b` moves more pages than the pipeline `a`.
const SUITE: &str = "about: Two pipelines.
kernels:
  reader: { source: kernels/reader.cpp }
  writer: { source: kernels/writer.cpp }
cases:
  two:
    about: Kernels of one source on two ranges.
    steps:
      - create_buffer: { id: src, type: dram, size: 3584, page_size: 64 }
      - create_buffer: { id: dst, type: dram, size: 3584, page_size: 64 }
      - create_program: { id: pipes }
      - create_circular_buffer: { id: cb_a, program: pipes, cores: [0, 0], total_size: 64, indices: [{ index: 0, page_size: 64 }] }
      - create_circular_buffer: { id: cb_b, program: pipes, cores: [1, 0], total_size: 64, indices: [{ index: 0, page_size: 64 }] }
      - create_kernel: { id: in_a, program: pipes, kernel: reader, cores: [0, 0], processor: riscv_1, noc: noc_0, compile_args: [0, 1, { accessor: src }] }
      - create_kernel: { id: in_b, program: pipes, kernel: reader, cores: [1, 0], processor: riscv_1, noc: noc_0, compile_args: [0, 1, { accessor: src }] }
      - create_kernel: { id: out_a, program: pipes, kernel: writer, cores: [0, 0], processor: riscv_0, noc: noc_1, compile_args: [0, 1, { accessor: dst }] }
      - create_kernel: { id: out_b, program: pipes, kernel: writer, cores: [1, 0], processor: riscv_0, noc: noc_1, compile_args: [0, 1, { accessor: dst }] }
      - set_runtime_args: { kernel: in_a, args: [{ buffer: src }, 0, 16] }
      - set_runtime_args: { kernel: out_a, args: [{ buffer: dst }, 0, 16] }
      - set_runtime_args: { kernel: in_b, args: [{ buffer: src }, 16, 40] }
      - set_runtime_args: { kernel: out_b, args: [{ buffer: dst }, 16, 40] }
      - enqueue_write_buffer: { buffer: src, data: { uniform: uint32, seed: 20 } }
      - enqueue_program: { program: pipes }
      - enqueue_read_buffer: { buffer: dst, as: out, blocking: true }
    expect:
      - equal: [out, src]

  one_kernel:
    about: One kernel on two cores, each with its own circular buffer.
    steps:
      - create_buffer: { id: src, type: dram, size: 1024, page_size: 64 }
      - create_buffer: { id: dst, type: dram, size: 1024, page_size: 64 }
      - create_program: { id: pipes }
      - create_circular_buffer: { id: cb_a, program: pipes, cores: [0, 0], total_size: 64, indices: [{ index: 0, page_size: 64 }] }
      - create_circular_buffer: { id: cb_b, program: pipes, cores: [1, 0], total_size: 64, indices: [{ index: 0, page_size: 64 }] }
      - create_kernel: { id: in, program: pipes, kernel: reader, cores: [[0, 0], [1, 0]], processor: riscv_1, noc: noc_0, compile_args: [0, 1, { accessor: src }] }
      - create_kernel: { id: out, program: pipes, kernel: writer, cores: [[0, 0], [1, 0]], processor: riscv_0, noc: noc_1, compile_args: [0, 1, { accessor: dst }] }
      - set_runtime_args: { kernel: in, args: [{ buffer: src }, 0, 16] }
      - set_runtime_args: { kernel: out, args: [{ buffer: dst }, 0, 16] }
      - enqueue_write_buffer: { buffer: src, data: { uniform: uint32, seed: 20 } }
      - enqueue_program: { program: pipes }
      - enqueue_read_buffer: { buffer: dst, as: out, blocking: true }
    expect:
      - equal: [out, src]
";

/// The page of a case, with its waits.
fn page(case: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/suite.yaml"), SUITE).unwrap();
    let test = format!("wormhole_b0::group::suite::{case}");
    let arguments = ["profile", &test, "-o", "table.csv", "--html", "page.html"];
    let output = command(folder.path()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    std::fs::read_to_string(folder.path().join("page.html")).unwrap()
}

/// The lines of a page that name a kernel and a circular buffer.
fn naming(page: &str, kernel: &str, buffer: &str) -> usize {
    let is_named = |line: &&str| line.contains(kernel) && line.contains(buffer);
    page.split("<tr").filter(is_named).count()
}

#[test]
fn kernels_of_one_source_wait_for_the_circular_buffers_of_their_own_cores() {
    let page = page("two");
    for (kernel, own, others) in [("out_a", "cb_a", "cb_b"), ("out_b", "cb_b", "cb_a")] {
        assert!(naming(&page, kernel, own) > 0, "{kernel} {own}");
        assert_eq!(naming(&page, kernel, others), 0, "{kernel} {others}");
    }
}

#[test]
fn one_kernel_waits_for_each_circular_buffer_by_its_name() {
    let page = page("one_kernel");
    for buffer in ["cb_a", "cb_b"] {
        assert!(naming(&page, ">out<", buffer) > 0, "{buffer}");
    }
}
