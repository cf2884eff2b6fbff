//! Events that a device forgets: programs of two queues, of each of which one wait has no effect. The answer is the two
//! commands that lack an order, and that wait.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hallmark_chip::Architecture;
use serde_json::Value;

use super::roots::{hallmark, root_with};

/// What has to be done first, on a buffer that the other queue's command then touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// The host writes it.
    Write,
    /// The host reads it.
    Read,
    /// A program writes it.
    Program,
    /// A program reads it.
    ReadingProgram,
    /// A program in a trace writes it.
    Trace,
}

/// What has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    /// The host writes the buffer.
    Write,
    /// The host reads it.
    Read,
    /// A program writes it.
    Program,
    /// A program reads it.
    ReadingProgram,
}

/// A program of two queues.
#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    first: First,
    second: Second,
    /// The queue of the first command; the other command is on the other one.
    queue: u8,
    /// Other commands of the first queue: before the first command, between it and its event, behind the second command.
    others: [u32; 3],
    /// Events that the second queue waits for with effect: before the first command, behind the second one.
    events: [u32; 2],
}

const fn case(
    name: &'static str,
    first: First,
    second: Second,
    queue: u8,
    others: [u32; 3],
    events: [u32; 2],
) -> Case {
    Case { name, first, second, queue, others, events }
}

const CASES: [Case; 20] = [
    case("read_of_a_write", First::Write, Second::Read, 0, [0, 0, 0], [0, 0]),
    case("read_of_a_write_of_queue_1", First::Write, Second::Read, 1, [1, 2, 0], [0, 0]),
    case("copy_of_a_write", First::Write, Second::ReadingProgram, 0, [0, 1, 2], [0, 0]),
    case("copy_of_a_later_write", First::Write, Second::ReadingProgram, 1, [2, 0, 0], [1, 0]),
    case("read_of_a_result", First::Program, Second::Read, 0, [1, 1, 1], [0, 0]),
    case("read_of_an_early_result", First::Program, Second::Read, 1, [0, 3, 0], [0, 1]),
    case("copy_of_a_result", First::Program, Second::ReadingProgram, 0, [0, 0, 0], [1, 0]),
    case("copy_of_an_early_result", First::Program, Second::ReadingProgram, 1, [1, 2, 3], [0, 0]),
    case("read_of_a_trace_s_result", First::Trace, Second::Read, 0, [0, 1, 0], [0, 0]),
    case("copy_of_a_trace_s_result", First::Trace, Second::ReadingProgram, 1, [0, 0, 1], [0, 0]),
    case("write_after_a_read", First::Read, Second::Write, 0, [0, 0, 0], [0, 0]),
    case("write_after_an_early_read", First::Read, Second::Write, 1, [1, 1, 0], [0, 2]),
    case("result_after_a_read", First::Read, Second::Program, 0, [0, 1, 1], [0, 0]),
    case("write_after_a_copy", First::ReadingProgram, Second::Write, 0, [0, 0, 0], [0, 0]),
    case("result_after_a_copy", First::ReadingProgram, Second::Program, 1, [0, 2, 0], [1, 0]),
    case("write_after_a_write", First::Write, Second::Write, 0, [0, 0, 2], [0, 0]),
    case("result_after_a_write", First::Write, Second::Program, 1, [0, 1, 0], [0, 0]),
    case("write_after_a_result", First::Program, Second::Write, 0, [2, 0, 0], [0, 1]),
    case("read_far_behind_a_write", First::Write, Second::Read, 0, [0, 20, 0], [0, 0]),
    case(
        "copy_far_behind_a_result",
        First::Program,
        Second::ReadingProgram,
        1,
        [12, 18, 4],
        [2, 2],
    ),
];

/// The steps of a case, with what buffers hold once each has been done in this order.
#[derive(Default)]
struct Steps {
    lines: Vec<String>,
    values: BTreeMap<&'static str, u32>,
    expected: Vec<(String, u32)>,
    events: u32,
}

impl Steps {
    /// Adds a step; gives its number.
    fn add(&mut self, line: String) -> u64 {
        self.lines.push(line);
        self.lines.len() as u64 - 1
    }

    fn write(&mut self, buffer: &'static str, value: u32, queue: u8, blocking: bool) -> u64 {
        self.values.insert(buffer, value);
        self.add(format!(
            "enqueue_write_buffer: {{ buffer: {buffer}, data: {{ constant: uint32, value: {value} }}, queue: {queue}, blocking: {blocking} }}"
        ))
    }

    fn read(&mut self, buffer: &'static str, output: &str, queue: u8) -> u64 {
        self.expected.push((output.to_owned(), *self.values.get(buffer).unwrap()));
        self.add(format!(
            "enqueue_read_buffer: {{ buffer: {buffer}, as: {output}, queue: {queue} }}"
        ))
    }

    /// Makes a program that copies a buffer; the core decides with which queue's programs it runs.
    fn program(&mut self, name: &str, from: &str, to: &str, core: u8) {
        self.add(format!("create_program: {{ id: {name} }}"));
        self.add(format!(
            "create_kernel: {{ id: {name}_kernel, program: {name}, kernel: loopback, cores: [{core}, 0], processor: riscv_0, noc: noc_0, compile_args: [{{ accessor: {from} }}, {{ accessor: {to} }}] }}"
        ));
        self.add(format!(
            "set_runtime_args: {{ kernel: {name}_kernel, args: [{{ buffer: {from} }}, {{ buffer: {to} }}, {{ buffer: scratch_{core} }}, 32, 0, 7, 1] }}"
        ));
    }

    /// Enqueues what copies a buffer.
    fn copy(&mut self, step: String, from: &str, to: &'static str) -> u64 {
        self.values.insert(to, *self.values.get(from).unwrap());
        self.add(step)
    }

    /// Has the other queue wait for an event of a queue; gives the number of the wait.
    fn event(&mut self, queue: u8) -> u64 {
        let event = format!("event_{}", self.events);
        self.events += 1;
        self.add(format!("enqueue_record_event: {{ id: {event}, queue: {queue} }}"));
        self.add(format!("enqueue_wait_for_event: {{ event: {event}, queue: {} }}", 1 - queue))
    }

    fn others(&mut self, count: u32, queue: u8) {
        for number in 0..count {
            self.write("other", 100 + number, queue, false);
        }
    }
}

/// What the answer has to be, by numbers of commands.
struct Answer {
    first: u64,
    second: u64,
    wait: u64,
    /// Which of the waits has no effect, counted from 1.
    nth: u32,
}

/// A case as it stands in a suite, and its answer.
fn written(case: &Case) -> (String, Answer) {
    let Case { queue, others: [before, between, behind], events, .. } = *case;
    let other = 1 - queue;
    let mut steps = Steps::default();
    for buffer in ["a", "b", "old", "new", "other"] {
        steps.add(format!(
            "create_buffer: {{ id: {buffer}, type: dram, size: 224, page_size: 32 }}"
        ));
    }
    for core in [0, 1] {
        steps.add(format!(
            "create_buffer: {{ id: scratch_{core}, type: l1, size: 32, page_size: 32 }}"
        ));
    }
    for (buffer, value) in [("a", 1), ("b", 2), ("old", 3), ("new", 4), ("other", 5)] {
        steps.write(buffer, value, 0, true);
    }
    steps.program("makes", "new", "a", 0);
    steps.program("takes", "a", "b", 0);
    steps.program("makes_too", "old", "a", 1);
    steps.program("takes_too", "a", "b", 1);
    let enqueue = |program: &str, queue: u8| {
        format!("enqueue_program: {{ program: {program}, queue: {queue} }}")
    };
    if case.first == First::Trace {
        // A program is captured only when it has run before.
        steps.copy(enqueue("makes", queue), "new", "a");
        steps.add(format!("begin_trace_capture: {{ id: trace, queue: {queue} }}"));
        steps.add(enqueue("makes", queue));
        steps.add(format!("end_trace_capture: {{ trace: trace, queue: {queue} }}"));
        steps.write("a", 1, queue, true);
    }
    for _ in 0..events[0] {
        steps.event(queue);
    }
    steps.others(before, queue);
    let first = match case.first {
        First::Write => steps.write("a", 9, queue, false),
        First::Read => steps.read("a", "early", queue),
        First::Program => steps.copy(enqueue("makes", queue), "new", "a"),
        First::ReadingProgram => steps.copy(enqueue("takes", queue), "a", "b"),
        First::Trace => {
            steps.copy(format!("replay_trace: {{ trace: trace, queue: {queue} }}"), "new", "a")
        }
    };
    steps.others(between, queue);
    let wait = steps.event(queue);
    let second = match case.second {
        Second::Write => steps.write("a", 7, other, false),
        Second::Read => steps.read("a", "late", other),
        Second::Program => steps.copy(enqueue("makes_too", other), "old", "a"),
        Second::ReadingProgram => steps.copy(enqueue("takes_too", other), "a", "b"),
    };
    steps.others(behind, queue);
    for _ in 0..events[1] {
        steps.event(queue);
    }
    // The queue that has to wait is waited for first.
    for queue in [other, queue] {
        steps.add(format!("finish: {{ queue: {queue} }}"));
    }
    for buffer in ["a", "b"] {
        steps.read(buffer, &format!("{buffer}_at_the_end"), 0);
    }
    steps.add("finish: {}".to_owned());
    let mut text = format!(
        "  {}:\n    about: Two queues.\n    device: {{ num_command_queues: 2, trace_region_size: 4096 }}\n    steps:\n",
        case.name
    );
    for line in &steps.lines {
        writeln!(text, "      - {line}").unwrap();
    }
    text += "    expect:\n";
    for (output, value) in &steps.expected {
        writeln!(text, "      - equal: [{output}, {{ constant: uint32, value: {value} }}]")
            .unwrap();
    }
    (text, Answer { first, second, wait, nth: events[0] + 1 })
}

/// Loses an event of each case on an architecture.
fn each_is_found(architecture: Architecture, cases: &[Case]) {
    let mut suite =
        "about: A suite.\nkernels:\n  loopback: { source: kernels/loopback.cpp }\ncases:\n"
            .to_owned();
    let mut answers = Vec::new();
    for case in cases {
        let (text, answer) = written(case);
        suite += &text;
        answers.push((case, answer));
    }
    let folder = root_with(&suite);
    let architecture = architecture.name();
    for (case, Answer { first, second, wait, nth }) in answers {
        let test = format!("{architecture}::group::suite::{}", case.name);
        let bad = format!("misbehaving:forgets_event:{architecture}:nth={nth}");
        let (code, text) = hallmark(folder.path(), &["bisect", &test, "--bad", &bad, "--json"]);
        assert_eq!(code, 0, "{case:?}: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let number = |pointer: &str| answer.pointer(pointer).and_then(Value::as_u64);
        assert_eq!(answer.get("answer").unwrap(), "order", "{case:?}: {text}");
        assert_eq!(answer.get("missing").unwrap(), "event", "{case:?}: {text}");
        let named =
            [number("/first/command"), number("/second/command"), number("/ineffective_wait")];
        assert_eq!(named, [first, second, wait].map(Some), "{case:?}: {text}");
        // Two queues and some dozens of commands.
        let runs = number("/runs/in_all").unwrap();
        assert!(runs <= 64, "{case:?}: {text}");
    }
}

#[test]
fn an_event_that_a_device_forgets_is_named_with_the_commands_that_it_orders() {
    let (first, _) = CASES.split_at(10);
    each_is_found(Architecture::WormholeB0, first);
}

#[test]
fn so_is_one_that_another_chip_forgets() {
    let (_, second) = CASES.split_at(10);
    each_is_found(Architecture::Blackhole, second);
}
