//! Suites, goldens and captures that lie in one respect, with their required verdicts, end to end.

use std::path::{Path, PathBuf};

use hallmark_schema::Golden;
use hallmark_schema::model::{Capture, ContentHash, SharedBytes};

use crate::common::{command, repository, text};
use crate::linked_files::link_files;

pub(crate) const TEST: &str = "wormhole_b0::group::suite::one";

/// The kernels of these suites by name, with their sources.
const KERNELS: [(&str, &str); 5] = [
    ("add", "add_constant"),
    ("fault", "fault_misaligned_load"),
    ("access", "fault_access"),
    ("never", "semaphore_never"),
    ("endless", "endless_loop"),
];

/// The exit code and all output.
pub(crate) fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// A root with one case on one chip.
pub(crate) fn root(case: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    write(folder.path(), case);
    folder
}

fn write(root: &Path, case: &str) {
    let used = KERNELS.iter().filter(|(name, _)| case.contains(&format!("kernel: {name}")));
    let kernels: String = used
        .map(|(name, source)| format!("  {name}: {{ source: kernels/{source}.cpp }}\n"))
        .collect();
    let kernels = if kernels.is_empty() { kernels } else { format!("kernels:\n{kernels}") };
    let suite = format!("about: A suite.\n{kernels}cases:\n  one:\n    about: A case.\n{case}");
    std::fs::write(root.join("suites/group/suite.yaml"), suite).unwrap();
}

/// A round trip with its expectations.
pub(crate) fn round_trip(more: &str, expect: &str) -> String {
    format!(
        "{more}    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ constant: float32, value: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
      - finish: {{}}
    expect:
      - {expect}
"
    )
}

pub(crate) const TRUE: &str = "equal: [out, a]";
const FALSE: &str = "equal: [out, { constant: float32, value: 2 }]";

/// A program that faults on BRISC of core (2,3), in `kernel_main`.
fn fault(expected: &str) -> String {
    format!(
        "    steps:
      - create_buffer: {{ id: a, type: l1, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
      - create_program: {{ id: p }}
      - create_kernel: {{ id: k, program: p, kernel: fault, cores: [2, 3], processor: riscv_0 }}
      - set_runtime_args: {{ kernel: k, args: [{{ buffer: a }}] }}
      - enqueue_program: {{ program: p }}
      - finish: {{}}
{expected}    expect:
      - {TRUE}
"
    )
}

fn expect_fault(place: &str) -> String {
    fault(&format!("        expect_fault: {{ category: NonContractualBehavior{place} }}\n"))
}

/// A case has a verdict, an exit code and these words. No golden exists; its absence alone would give code 7.
fn run_says(case: &str, code: i32, label: &str, words: &str) {
    let folder = root(case);
    let (actual, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
    assert_eq!(actual, code, "{text}");
    assert!(text.contains(&format!("{label} {TEST}")) && text.contains(words), "{text}");
}

#[test]
fn a_call_succeeds_that_should_fail() {
    let case = round_trip("", TRUE).replace(
        "      - finish: {}\n",
        "      - finish: {}\n        expect_error: { code: DeviceLost }\n",
    );
    run_says(&case, 1, "FAIL", "succeeded, but the suite expects it to fail");
}

#[test]
fn a_call_fails_that_should_succeed() {
    // The later steps do not run, so the read comes earlier.
    let case = round_trip("", TRUE).replace(
        "    expect:\n",
        "      - create_buffer: { id: odd, type: dram, size: 100, page_size: 64 }\n    expect:\n",
    );
    run_says(&case, 1, "REFUSED", "command 4, create_buffer (line ");
}

#[test]
fn a_kernel_does_not_compile() {
    // Without a compiler, the test would be unsupported.
    if hallmark_runtime::device_code::Compiler::find().is_none() {
        return;
    }
    let case = round_trip("", TRUE).replace(
        "      - finish: {}\n",
        "      - create_program: { id: p }\n      - create_kernel: { id: k, program: p, kernel: fault, cores: [2, 3], \
         processor: riscv_0, defines: { kernel_main: \"no function\" } }\n      - finish: {}\n",
    );
    run_says(&case, 1, "NOT BUILT", "does not compile (line ");
}

#[test]
fn a_call_fails_with_other_fields() {
    let case = round_trip("", TRUE).replace(
        "    expect:\n",
        "      - create_buffer: { id: odd, type: dram, size: 100, page_size: 64 }
        expect_error: { code: SizeNotPageMultiple, size: 100, page_size: 32 }\n    expect:\n",
    );
    run_says(&case, 1, "FAIL", "not a multiple of the page size 32");
}

#[test]
fn a_fault_is_of_another_category() {
    let expected = "        expect_fault: { category: UndefinedBehavior }\n";
    run_says(&fault(expected), 1, "FAULT", "NonContractualBehavior");
}

/// Two programs fault, the first one earlier.
#[test]
fn a_fault_is_in_another_program() {
    let expected = "        expect_fault: { category: NonContractualBehavior, program: q }\n";
    let two = "      - enqueue_program: { program: p }
      - create_program: { id: q }
      - create_kernel: { id: l, program: q, kernel: fault, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: l, args: [{ buffer: a }] }
      - enqueue_program: { program: q }\n";
    let case = fault(expected).replace("      - enqueue_program: { program: p }\n", two);
    run_says(&case, 1, "FAULT", "in program `p`");
}

#[test]
fn a_fault_is_on_another_core() {
    run_says(&expect_fault(", core: [3, 2]"), 1, "FAIL", "core: expected (3,2), actual (2,3)");
}

#[test]
fn a_fault_is_on_another_processor() {
    let words = "processor: expected NCRISC, actual BRISC";
    run_says(&expect_fault(", processor: NCRISC"), 1, "FAIL", words);
}

#[test]
fn a_fault_is_in_another_function() {
    let words = "function: expected other, actual kernel_main";
    run_says(&expect_fault(", symbol: other"), 1, "FAIL", words);
}

#[test]
fn an_excuse_is_of_one_check() {
    let excused = |check: &str| {
        fault("").replacen(
            "    steps:",
            &format!("    excuse: {{ {check}: a test }}\n    steps:"),
            1,
        )
    };
    let folder = root(&excused("NonContractualBehavior"));
    let (code, text) = run(folder.path());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("1 expected failure"), "{text}");
    run_says(&excused("UndefinedBehavior"), 1, "FAULT", "NonContractualBehavior");
}

#[test]
fn an_excuse_excuses_nothing() {
    let excused = "    excuse: { NonContractualBehavior: a test }\n";
    let folder = root(&round_trip(excused, TRUE));
    let (code, text) = hallmark(folder.path(), &["bless", "--yes", "--arch", "wormhole_b0"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = run(folder.path());
    assert_eq!(code, 3, "{text}");
    assert!(
        text.contains("`NonContractualBehavior` is found in no test that this excuses"),
        "{text}"
    );
    assert!(text.contains("1 excuse without use"), "{text}");
}

/// A program that waits for ever, and no call that waits for it.
fn at_end(expected: &str) -> String {
    format!(
        "    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
      - create_program: {{ id: p }}
      - create_semaphore: {{ id: s, program: p, cores: [2, 3] }}
      - create_kernel: {{ id: k, program: p, kernel: never, cores: [2, 3], processor: riscv_0 }}
      - set_runtime_args: {{ kernel: k, args: [{{ semaphore: s }}, 1] }}
      - enqueue_program: {{ program: p }}
{expected}    expect:
      - equal: [out, a]
"
    )
}

const DEADLOCK_AT_END: &str =
    "    expect_at_end:\n      expect_error: { code: Deadlock, enqueue: p }\n";

#[test]
fn the_queues_fail_at_the_end() {
    run_says(&at_end(DEADLOCK_AT_END), 7, "NO GOLDEN", "to accept: hallmark bless");
    run_says(&at_end(""), 6, "DEADLOCK", "No call waits for this work.");
}

#[test]
fn the_queues_end_well_that_should_fail() {
    let case = at_end(DEADLOCK_AT_END).replace("semaphore: s }, 1]", "semaphore: s }, 0]");
    run_says(&case, 1, "FAIL", "but the suite expects one (`expect_at_end`)");
}

#[test]
fn a_read_returns_other_bytes() {
    run_says(&round_trip("", FALSE), 1, "FAIL", "`out` differs from");
}

/// A round trip that reads twice.
fn two_reads(more: &str, expect: [&str; 2]) -> String {
    let [first, second] = expect;
    round_trip(more, &format!("{first}\n      - {second}")).replace(
        "      - finish: {}\n",
        "      - enqueue_read_buffer: { buffer: a, as: more }\n      - finish: {}\n",
    )
}

#[test]
fn a_read_after_an_unchecked_one_returns_other_bytes() {
    let unchecked = "{ unchecked: out, reason: a test }";
    let other = "equal: [more, { constant: float32, value: 2 }]";
    run_says(&two_reads("", [unchecked, other]), 1, "FAIL", "`more` differs from");
}

#[test]
fn a_read_returns_bytes_of_another_hash() {
    let expect = |hash: ContentHash| format!("equal: [out, {{ hash: {hash} }}]");
    let actual = ContentHash::of(&1_f32.to_le_bytes().repeat(16));
    let folder = root(&round_trip("", &expect(actual)));
    let (code, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 7, "the hash is right and the golden absent: {text}");
    let other = expect(ContentHash::of(b"other bytes"));
    run_says(&round_trip("", &other), 1, "FAIL", "another hash than the suite says");
}

fn near(value: &str) -> String {
    format!(
        "near: [out, {{ constant: float32, value: {value} }}]
        type: float32
        absolute: 0.25
        reason: a test"
    )
}

#[test]
fn a_read_is_not_near() {
    run_says(&round_trip("", &near("1.5")), 1, "FAIL", "`out` is not near");
}

/// A failure of the run takes precedence over one of its replay.
#[test]
fn a_read_returns_other_bytes_and_the_replay_ends_otherwise() {
    let folder = root(&round_trip("", FALSE));
    let dies = "wormhole_b0=misbehaving:dies:wormhole_b0";
    let run = ["run", "--arch", "wormhole_b0", "--replay-device", dies];
    let (code, text) = hallmark(folder.path(), &run);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(&format!("FAIL {TEST}")) && !text.contains("UNSTABLE"), "{text}");
}

#[test]
fn a_golden_is_absent() {
    run_says(&round_trip("", TRUE), 7, "NO GOLDEN", "to accept: hallmark bless");
}

const DIGEST: &str = "    golden: { digest: to see one }\n";

/// A root with a truthful golden.
fn blessed(more: &str) -> tempfile::TempDir {
    blessed_case(&round_trip(more, TRUE))
}

fn blessed_case(case: &str) -> tempfile::TempDir {
    let folder = root(case);
    let (code, text) = hallmark(folder.path(), &["bless", "--yes", "--arch", "wormhole_b0"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(run(folder.path()).0, 0);
    folder
}

fn run(root: &Path) -> (i32, String) {
    hallmark(root, &["run", "--arch", "wormhole_b0"])
}

fn golden(root: &Path) -> PathBuf {
    root.join("goldens/wormhole_b0/group/suite/one.lmb")
}

#[test]
fn a_golden_is_damaged() {
    let folder = blessed("");
    let mut bytes = std::fs::read(golden(folder.path())).unwrap();
    bytes[20] ^= 1;
    std::fs::write(golden(folder.path()), bytes).unwrap();
    let (code, text) = run(folder.path());
    assert_eq!(code, 4, "{text}");
    assert!(text.contains("cannot be used"), "{text}");
}

/// The golden belongs to another program with other data.
fn of_another_program(more: &str, words: &str) {
    let folder = blessed(more);
    let other = round_trip(more, TRUE).replace("value: 1", "value: 3");
    write(folder.path(), &other);
    // Keeps that program's outputs, so only the program differs.
    let bytes: SharedBytes = std::fs::read(golden(folder.path())).unwrap().into();
    let mut stored = Golden::from_bytes(&bytes).unwrap();
    stored.outputs[0].hash = ContentHash::of(&3_f32.to_le_bytes().repeat(16));
    std::fs::write(golden(folder.path()), stored.to_bytes().unwrap()).unwrap();
    let (code, text) = run(folder.path());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("CHANGED") && text.contains(words), "{text}");
}

#[test]
fn a_golden_has_another_program() {
    of_another_program("", "the program part differs from its golden");
}

#[test]
fn a_golden_has_another_digest() {
    of_another_program(DIGEST, "the program part has the hash");
}

/// The device that replays lacks the core of the semaphore.
#[test]
fn a_golden_has_another_program_where_no_replay_applies() {
    let case = |value: &str| {
        let semaphore = "      - create_program: { id: p }
      - create_semaphore: { id: signal, program: p, cores: [7, 8] }
      - finish: {}\n";
        let case = round_trip("", TRUE).replace("value: 1", value);
        case.replace("      - finish: {}\n", semaphore)
    };
    let folder = blessed_case(&case("value: 1"));
    let elsewhere = "wormhole_b0=sim:wormhole_b0:harvested=0x3";
    let run = ["run", "--arch", "wormhole_b0", "--replay-device", elsewhere];
    let (code, text) = hallmark(folder.path(), &run);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("skipped: 1 the capture cannot be replayed on"), "{text}");
    write(folder.path(), &case("value: 3"));
    let (code, text) = hallmark(folder.path(), &run);
    assert_eq!(code, 1, "{text}");
    let words = "the program part differs from its golden; no replay applies";
    assert!(text.contains("CHANGED") && text.contains(words), "{text}");
}

/// The golden has other outputs; a golden with a digest may name any outputs.
fn of_other_outputs(lie: impl FnOnce(&mut Golden), words: &str) {
    of_other_outputs_in(&round_trip(DIGEST, TRUE), lie, words);
}

fn of_other_outputs_in(case: &str, lie: impl FnOnce(&mut Golden), words: &str) {
    let folder = blessed_case(case);
    let bytes: SharedBytes = std::fs::read(golden(folder.path())).unwrap().into();
    let mut stored = Golden::from_bytes(&bytes).unwrap();
    lie(&mut stored);
    std::fs::write(golden(folder.path()), stored.to_bytes().unwrap()).unwrap();
    let (code, text) = run(folder.path());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("CHANGED") && text.contains(words), "{text}");
}

#[test]
fn a_golden_has_another_output() {
    of_other_outputs(|golden| golden.outputs[0].hash = ContentHash([1; 32]), "output `out`: ");
}

#[test]
fn a_golden_has_an_output_more() {
    let more = |golden: &mut Golden| {
        let mut more = golden.outputs[0].clone();
        more.name = "more".to_owned();
        golden.outputs.push(more);
    };
    of_other_outputs(more, "output `more` is gone");
}

#[test]
fn a_golden_has_an_output_less() {
    of_other_outputs(|golden| golden.outputs.clear(), "output `out` is new");
}

/// The output's name decides that it is new, not its bytes.
#[test]
fn a_golden_lacks_an_output_with_the_bytes_of_another() {
    let case = two_reads(DIGEST, [TRUE, "equal: [more, a]"]);
    let lie = |golden: &mut Golden| golden.outputs.retain(|output| output.name == "out");
    of_other_outputs_in(&case, lie, "output `more` is new");
}

#[test]
fn a_golden_belongs_to_no_test() {
    let folder = blessed("");
    let stray = golden(folder.path()).with_file_name("stray.lmb");
    std::fs::copy(golden(folder.path()), stray).unwrap();
    let (code, text) = run(folder.path());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("1 golden belongs to no test"), "{text}");
}

#[test]
fn a_test_passes_that_should_fail() {
    let folder = blessed("");
    let excuse = "    expected_failure: [{ device: sim, category: Fault, reason: a lie }]\n";
    write(folder.path(), &round_trip(excuse, TRUE));
    let (code, text) = run(folder.path());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("UNEXPECTED PASS"), "{text}");
}

#[test]
fn a_test_fails_otherwise_than_it_should() {
    let excuse = |category: &str| {
        let excuse = "    expected_failure: [{ device: sim, category: X, reason: a lie }]\n";
        excuse.replace('X', category) + &fault("")
    };
    let folder = root(&excuse("NonContractualBehavior"));
    assert_eq!(run(folder.path()).0, 0);
    run_says(&excuse("UndefinedBehavior"), 1, "FAULT", "NonContractualBehavior");
}

/// A program of one kernel without an expected failure.
fn program(kernel: &str, made_of: &str, more: &str) -> String {
    format!(
        "{more}    steps:
      - create_buffer: {{ id: a, type: l1, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
      - create_program: {{ id: p }}
{made_of}      - create_kernel: {{ id: k, program: p, kernel: {kernel}, cores: [2, 3], processor: riscv_0 }}
      - set_runtime_args: {{ kernel: k, args: [0, 1] }}
      - enqueue_program: {{ program: p }}
      - finish: {{}}
    expect:
      - {TRUE}
"
    )
}

#[test]
fn a_fault_that_nobody_expects() {
    run_says(&fault(""), 1, "FAULT", "NonContractualBehavior");
}

#[test]
fn a_deadlock_that_nobody_expects() {
    let signal = "      - create_semaphore: { id: signal, program: p, cores: [2, 3] }\n";
    let case = program("never", signal, "").replace("[0, 1]", "[{ semaphore: signal }, 1]");
    run_says(&case, 6, "DEADLOCK", "cannot finish");
}

#[test]
fn a_hang_that_nobody_expects() {
    run_says(
        &program("endless", "", "    budget: 100000\n"),
        6,
        "HANG",
        "not finished after 100000 ticks",
    );
}

#[test]
fn a_device_that_lacks_what_the_test_needs() {
    let case = program("access", "", "").replace("[0, 1]", "[2, 0xFFB43FFC, 0]");
    run_says(&case, 1, "UNSUPPORTED", "UnimplementedFunctionality");
}

/// Captures a case, applies a test's change, and replays it.
fn replayed(case: &str, lie: impl FnOnce(&mut Capture), arguments: &[&str]) -> (i32, String) {
    let folder = root(case);
    hallmark(folder.path(), &["capture", TEST, "-o", "c.lmb"]);
    let path = folder.path().join("c.lmb");
    let mut capture = Capture::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    lie(&mut capture);
    std::fs::write(path, capture.to_bytes().unwrap()).unwrap();
    hallmark(folder.path(), &[["replay", "c.lmb"].as_slice(), arguments].concat())
}

#[test]
fn an_address_is_another_and_that_counts() {
    let case = round_trip("", TRUE);
    let lie = |capture: &mut Capture| capture.record.as_mut().unwrap().addresses[0].address += 64;
    let (code, text) = replayed(&case, lie, &[]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = replayed(&case, lie, &["--strict-derived"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("1 derived difference"), "{text}");
}

fn repeats(case: &str, lie: impl FnOnce(&mut Capture), words: &str) {
    let (code, text) = replayed(case, lie, &[]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("every outcome and every read is as captured"), "{text}");
    assert!(text.lines().last().unwrap().contains(words), "{text}");
}

/// Runs a case with a baseline that knows its deadlock.
fn run_with_baseline(case: &str) -> (i32, String) {
    let folder = root(case);
    hallmark(folder.path(), &["bless", "--yes", "--arch", "wormhole_b0"]);
    let baseline = format!("known_failures: [{{ test: '{TEST}', verdict: Deadlock }}]\n");
    std::fs::write(folder.path().join("baseline.yaml"), baseline).unwrap();
    let run = ["run", "--arch", "wormhole_b0", "--baseline", "baseline.yaml"];
    hallmark(folder.path(), &run)
}

#[test]
fn a_test_fails_otherwise_than_its_baseline_knows() {
    let (code, text) = run_with_baseline(&round_trip("", FALSE));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("baseline.yaml:1 knows another failure: Deadlock"), "{text}");
}

#[test]
fn a_test_passes_whose_failure_a_baseline_knows() {
    let (code, text) = run_with_baseline(&round_trip("", TRUE));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(&format!("UNEXPECTED PASS {TEST}")), "{text}");
}

#[test]
fn a_replay_repeats_a_fault() {
    repeats(&fault(""), |_| (), "NonContractualBehavior");
}

#[test]
fn a_replay_repeats_other_bytes() {
    repeats(&round_trip("", FALSE), |_| (), "and the program expects");
}

#[test]
fn a_replay_repeats_what_is_not_near() {
    repeats(&round_trip("", &near("1.5")), |_| (), "are not near their reference");
}

#[test]
fn a_replay_repeats_a_read_without_an_end() {
    let without_finish = |capture: &mut Capture| {
        capture.program.commands.pop().unwrap();
        capture.record.as_mut().unwrap().reads.clear();
        capture.outputs.clear();
    };
    repeats(&round_trip("", TRUE), without_finish, "no call waited for it");
}

#[test]
fn a_replay_repeats_a_failure_at_the_end() {
    let (code, text) = replayed(&at_end(""), |_| (), &[]);
    assert_eq!(code, 6, "{text}");
    assert!(text.contains("the work at the end, for which no call waits"), "{text}");
}
