//! Every limit of the format: a value at the limit is accepted, a value one past it is refused, each axis by
//! itself.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{LogicalCore, Processor};

use super::samples::{self, buffer, core, done, program, range};
use super::{free_tensors, rules, sample_origins, sample_source_lines};
use crate::commands;
use crate::error::{CaptureError, Part, Path, Problem, Rule};
use crate::journal::{JournalError, recover};
use crate::limits::{self, LIMITS};
use crate::model::*;
use crate::{Golden, container, wire};

/// A case of a limit.
struct Case {
    limit: &'static str,
    /// The limited quantity: one of several with the same limit, or one axis.
    of: &'static str,
    /// The smallest step past the limit.
    step: u64,
    accepted: Accepted,
    /// Checks a capture in which the quantity has this value.
    with: fn(u64) -> Result<(), CaptureError>,
    /// Whether a problem reports the exceeded limit.
    refuses: fn(&Problem, u64) -> bool,
}

/// The result for a value at the limit.
#[derive(Clone, Copy)]
enum Accepted {
    /// It is valid.
    Whole,
    /// The limit's check accepts it, and a later check finds another problem.
    ByThisCheck,
}

fn limit(problem: &Problem, most: u64) -> bool {
    matches!(problem, Problem::Limit { limit, .. } if *limit == most)
}

const fn whole(
    limit: &'static str,
    of: &'static str,
    with: fn(u64) -> Result<(), CaptureError>,
) -> Case {
    Case { limit, of, step: 1, accepted: Accepted::Whole, with, refuses: self::limit }
}

const fn by_check(
    limit: &'static str,
    of: &'static str,
    with: fn(u64) -> Result<(), CaptureError>,
) -> Case {
    Case { accepted: Accepted::ByThisCheck, ..whole(limit, of, with) }
}

/// This many zeros, which take no memory until they are read.
fn zeros(bytes: u64) -> Vec<u8> {
    vec![0; bytes as usize]
}

fn shape(command: Command) -> Result<(), CaptureError> {
    command.check_shape_at(&Path::root(Part::Program))
}

fn letters(count: u64) -> String {
    "n".repeat(count as usize)
}

/// The text of a core's BRISC in the first launch.
fn printed(core: u32, bytes: u64) -> Printed {
    Printed {
        launch: Some(CommandIndex(0)),
        core: LogicalCore { x: core, y: 1 },
        processor: Processor::Brisc,
        text: letters(bytes),
        dropped: 0,
    }
}

fn with_record(change: impl FnOnce(&mut Record)) -> Result<(), CaptureError> {
    let mut capture = sample_source_lines::source_lines();
    change(capture.record.as_mut().unwrap());
    let bytes = capture.to_bytes()?;
    assert_eq!(Capture::from_bytes(&bytes)?, capture);
    Ok(())
}

fn with_origin(change: impl FnOnce(&mut Origin)) -> Result<(), CaptureError> {
    let mut capture = sample_origins::another_runtime();
    change(capture.record.as_mut().unwrap().origin.as_mut().unwrap());
    capture.validate()
}

fn with_frames(count: u64, function: u64, file: u64) -> Result<(), CaptureError> {
    let frame = hallmark_chip::SourceFrame {
        function: letters(function),
        file: letters(file),
        line: u32::MAX,
    };
    with_record(|record| record.waits[0].frames = vec![frame; count as usize])
}

fn kernel(change: impl FnOnce(&mut commands::CreateKernel)) -> Result<(), CaptureError> {
    let Command::CreateKernel(mut kernel) = rules::kernel(Vec::new()) else { unreachable!() };
    change(&mut kernel);
    shape(Command::CreateKernel(kernel))
}

fn binding(name: String, values: Vec<u32>) -> KernelBinding {
    KernelBinding { kind: BindingKind::CompileArg, name, values }
}

fn bindings(names: Vec<KernelBinding>) -> KernelBindings {
    KernelBindings { names, ..KernelBindings::default() }
}

fn defines(names: impl Iterator<Item = String>, value: &str) -> BTreeMap<String, String> {
    names.map(|name| (name, value.to_owned())).collect()
}

fn set_arguments(args: Vec<CoreArguments>) -> Command {
    Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel: KernelId(0), args })
}

fn arguments(values: u64) -> CoreArguments {
    CoreArguments { cores: Vec::new(), values: vec![1; values as usize], relocations: Vec::new() }
}

/// Semaphores on this many cores together, each on at most as many as one list may name.
fn on_cores(cores: u64) -> Result<(), CaptureError> {
    const SIDE: u64 = limits::GRID_SIDE as u64;
    let all = range(core(0, 0), core(limits::GRID_SIDE - 1, limits::GRID_SIDE - 1));
    let one = CoreRange::single(core(0, 0));
    let mut commands = vec![rules::new_program()];
    let mut left = cores;
    while left > 0 {
        let here = left.min(limits::CORES);
        let mut ranges = vec![all; (here / (SIDE * SIDE)) as usize];
        ranges.extend((0..here % (SIDE * SIDE)).map(|_| one));
        let Command::CreateSemaphore(mut semaphore) = rules::semaphore(ranges) else {
            unreachable!()
        };
        semaphore.semaphore = SemaphoreId(commands.len() as u32 - 1);
        commands.push(done(Command::CreateSemaphore(semaphore)));
        left -= here;
    }
    let mut program = program(commands);
    program.grid = Grid { columns: limits::GRID_SIDE, rows: limits::GRID_SIDE };
    program.validate()
}

fn data(length: u64) -> Data {
    let generator = Generator::Uniform { data_type: DataType::Uint32, seed: 0 };
    Data { length, hash: ContentHash([0; 32]), generator: Some(generator) }
}

/// Writes of this many bytes together.
fn written(bytes: u64) -> Result<(), CaptureError> {
    let most = limits::DATA_BYTES;
    let mut commands = vec![done(buffer(0, "b", most, 64))];
    commands.extend((0..bytes / most).map(|_| done(rules::write(0, data(most)))));
    let rest = bytes % most;
    if rest > 0 {
        commands.push(done(buffer(1, "rest", rest, rest)));
        commands.push(done(rules::write(1, data(rest))));
    }
    program(commands).validate()
}

fn grid(columns: u64, rows: u64) -> Result<(), CaptureError> {
    let mut program = program(Vec::new());
    program.grid = Grid { columns: columns as u32, rows: rows as u32 };
    program.validate()
}

fn cases() -> Vec<Case> {
    let name = |problem: &Problem, most: u64| matches!(problem, Problem::Rule(Rule::Name { limit, .. }) if *limit as u64 == most);
    let path = |problem: &Problem, _: u64| matches!(problem, Problem::Rule(Rule::Path { .. }));
    let queues =
        |problem: &Problem, _: u64| matches!(problem, Problem::Rule(Rule::CommandQueues { .. }));
    vec![
        by_check("CAPTURE_BYTES", "a file", |bytes| {
            container::open(&SharedBytes::of(zeros(bytes))).map(|_| ())
        }),
        by_check("PROGRAM_BYTES", "a program part", |bytes| {
            wire::program(&zeros(bytes)).map(|_| ())
        }),
        by_check("RECORD_BYTES", "a record part", |bytes| wire::record(&zeros(bytes)).map(|_| ())),
        by_check("GOLDEN_BYTES", "a golden", |bytes| Golden::from_bytes(&zeros(bytes)).map(|_| ())),
        whole("COMMANDS", "commands", |count| {
            program(vec![done(samples::FINISH); count as usize]).validate()
        }),
        whole("SOURCES", "sources", |count| {
            let mut program = program(Vec::new());
            let hash = ContentHash([0; 32]);
            let source = |number| SourceFile { path: format!("{number:08}.cpp"), hash };
            program.sources = (0..count).map(source).collect();
            program.validate()
        }),
        whole("BLOBS", "blobs", |count| {
            let mut capture = samples::loopback();
            let more = count - capture.blobs.len() as u64;
            for number in 0..more {
                let content = number.to_le_bytes();
                capture.blobs.insert(ContentHash::of(&content), content.as_slice().into());
            }
            capture.validate()
        }),
        by_check("RECORD_ENTRIES", "addresses", |count| {
            with_record(|record| record.addresses = vec![record.addresses[0]; count as usize])
        }),
        by_check("RECORD_ENTRIES", "reads", |count| {
            let read = ReadResult {
                command: CommandIndex(0),
                ..samples::loopback().record.unwrap().reads[0]
            };
            with_record(|record| record.reads = vec![read; count as usize])
        }),
        whole("PRINTED_TEXTS", "printed texts", |count| {
            let texts = (0..count as u32).map(|core| printed(core, 1)).collect();
            with_record(|record| record.printed = texts)
        }),
        whole("PRINTED_BYTES", "a launch's text", |bytes| {
            with_record(|record| record.printed = vec![printed(0, 1), printed(1, bytes)])
        }),
        whole("TOTAL_PRINTED_BYTES", "all text", |bytes| {
            let whole = bytes / limits::PRINTED_BYTES;
            let rest = bytes % limits::PRINTED_BYTES;
            let sizes = (0..whole).map(|_| limits::PRINTED_BYTES).chain([rest]);
            let texts = (0..).zip(sizes).map(|(core, size)| printed(core, size)).collect();
            with_record(|record| record.printed = texts)
        }),
        by_check("RECORD_ENTRIES", "what is missing", |count| {
            with_origin(|origin| origin.missing = vec!["x".to_owned(); count as usize])
        }),
        by_check("RECORD_ENTRIES", "placement-bound words", |count| {
            with_origin(|origin| {
                origin.placement_bound_words =
                    vec![origin.placement_bound_words[0]; count as usize];
            })
        }),
        by_check("RECORD_ENTRIES", "generated bindings", |count| {
            with_origin(|origin| {
                origin.generated_bindings =
                    vec![origin.generated_bindings[1].clone(); count as usize];
            })
        }),
        by_check("RECORD_ENTRIES", "dataflow buffers", |count| {
            with_origin(|origin| {
                origin.dataflow_buffers = vec![CircularBufferId(0); count as usize];
            })
        }),
        whole("TEXT_BYTES", "what is missing", |bytes| {
            with_origin(|origin| origin.missing = vec![letters(bytes)])
        }),
        whole("TEXT_BYTES", "an executor's name", |bytes| {
            with_origin(|origin| origin.executor.name = letters(bytes))
        }),
        whole("TEXT_BYTES", "the file behind generated bindings", |bytes| {
            with_origin(|origin| origin.generated_bindings[0].original = letters(bytes))
        }),
        whole("LINE_TABLE_BYTES", "a line table", |bytes| {
            with_record(|record| {
                record.elfs[0].lines = LineTableBytes::from(zeros(bytes).as_slice());
            })
        }),
        whole("SOURCE_FRAMES", "functions of a place", |count| with_frames(count, 1, 1)),
        Case {
            refuses: name,
            ..whole("NAME_BYTES", "a buffer's name", |bytes| {
                program(vec![done(buffer(0, &letters(bytes), 64, 64))]).validate()
            })
        },
        Case {
            refuses: path,
            ..whole("PATH_BYTES", "a source's path", |bytes| {
                let mut program = program(Vec::new());
                let hash = ContentHash([0; 32]);
                program.sources = vec![SourceFile { path: letters(bytes), hash }];
                program.validate()
            })
        },
        whole("PATH_BYTES", "a kernel's source", |bytes| {
            kernel(|kernel| kernel.source = letters(bytes))
        }),
        whole("TEXT_BYTES", "a function's name", |bytes| with_frames(1, bytes, 1)),
        whole("TEXT_BYTES", "a file's name", |bytes| with_frames(1, 1, bytes)),
        whole("TEXT_BYTES", "a definition's name", |bytes| {
            kernel(|kernel| kernel.defines = defines(std::iter::once(letters(bytes)), ""))
        }),
        whole("GRID_SIDE", "columns", |columns| grid(columns, 1)),
        whole("GRID_SIDE", "rows", |rows| grid(1, rows)),
        Case {
            refuses: queues,
            ..whole("COMMAND_QUEUES", "a device's queues", |count| {
                let mut program = program(Vec::new());
                program.num_command_queues = count as u8;
                program.validate()
            })
        },
        whole("TRACE_REGION_BYTES", "a bank's region", |bytes| {
            let mut program = program(Vec::new());
            program.trace_region_size = bytes;
            program.validate()
        }),
        whole("L1_REGION_BYTES", "a core's L1_SMALL", |bytes| {
            let mut program = program(Vec::new());
            program.l1_small_size = bytes;
            program.validate()
        }),
        whole("L1_REGION_BYTES", "a core's L1", |bytes| {
            let mut program = program(Vec::new());
            program.worker_l1_size = bytes;
            program.validate()
        }),
        whole("TRACE_BUFFERS", "buffers of a loaded trace", |count| {
            let pair = |number| TraceBuffer { recorded: BufferId(number), buffer: BufferId(0) };
            shape(Command::LoadTrace(commands::LoadTrace {
                trace: TraceId(0),
                name: String::new(),
                from: "t".to_owned(),
                buffers: (0..count as u32).map(pair).collect(),
            }))
        }),
        whole("RANGES", "core ranges", |count| {
            shape(rules::semaphore(vec![CoreRange::single(core(0, 0)); count as usize]))
        }),
        whole("CORES", "cores in one row", |count| {
            shape(rules::semaphore(vec![range(core(0, 0), core(count as u32 - 1, 0))]))
        }),
        whole("CORES", "cores in one column", |count| {
            shape(rules::semaphore(vec![range(core(0, 0), core(0, count as u32 - 1))]))
        }),
        whole("TOTAL_CORES", "cores in all commands", on_cores),
        whole("ARGUMENT_SETS", "argument sets", |count| {
            shape(set_arguments(vec![arguments(1); count as usize]))
        }),
        whole("RUNTIME_ARGUMENTS", "a core's own words", |count| {
            rules::with_arguments(&vec![1; count as usize], &[]).validate()
        }),
        whole("RUNTIME_ARGUMENTS", "words shared by all cores", |count| {
            let mut program = rules::with_arguments(&[], &[]);
            program.commands.pop();
            let common = commands::SetCommonRuntimeArgs {
                kernel: KernelId(0),
                values: vec![1; count as usize],
                relocations: Vec::new(),
            };
            program.commands.push(done(Command::SetCommonRuntimeArgs(common)));
            program.validate()
        }),
        whole("ARGUMENT_WORDS", "a set's words", |count| {
            shape(set_arguments(vec![arguments(count)]))
        }),
        whole("COMPILE_ARGUMENTS", "compile-time arguments", |count| {
            kernel(|kernel| kernel.compile_args = vec![0; count as usize])
        }),
        whole("NAMED_COMPILE_ARGUMENTS", "named compile-time arguments", |count| {
            kernel(|kernel| {
                let names = (0..count).map(|number| (format!("a{number}"), 0));
                kernel.named_compile_args = names.collect();
            })
        }),
        whole("TEXT_BYTES", "a compile-time argument's name", |bytes| {
            kernel(|kernel| kernel.named_compile_args = [(letters(bytes), 0)].into())
        }),
        whole("KERNEL_BINDINGS", "generated names", |count| {
            let name = |number| binding(format!("a{number}"), vec![number as u32]);
            kernel(|kernel| kernel.bindings = Some(bindings((0..count).map(name).collect())))
        }),
        whole("KERNEL_BINDINGS", "a generated name's values", |count| {
            let names: Vec<u32> = vec![0; count as usize];
            let group =
                KernelBinding { kind: BindingKind::Group, ..binding("g".to_owned(), names) };
            let names = vec![binding("a".to_owned(), vec![0]), group];
            kernel(|kernel| kernel.bindings = Some(bindings(names.clone())))
        }),
        whole("TEXT_BYTES", "a generated name", |bytes| {
            let name = binding(letters(bytes), vec![1]);
            kernel(|kernel| kernel.bindings = Some(bindings(vec![name.clone()])))
        }),
        whole("CIRCULAR_BUFFER_INDICES", "indices that are unpacked otherwise", |count| {
            kernel(|kernel| {
                kernel.config = KernelConfig::compute(MathFidelity::LoFi);
                if let KernelConfig::Compute { unpack_to_dest_mode, .. } = &mut kernel.config {
                    let mode = UnpackToDestMode::UnpackToDestFp32;
                    *unpack_to_dest_mode = (0..count as u32).map(|index| (index, mode)).collect();
                }
            })
        }),
        whole("DEFINES", "definitions", |count| {
            let names = (0..count).map(|number| format!("D{number}"));
            kernel(|kernel| kernel.defines = defines(names, ""))
        }),
        whole("DEFINE_BYTES", "a definition's value", |bytes| {
            kernel(|kernel| {
                kernel.defines = defines(std::iter::once("D".to_owned()), &letters(bytes));
            })
        }),
        whole("CIRCULAR_BUFFER_INDICES", "indices", |count| {
            let index = |index| CircularBufferIndex {
                index,
                page_size: 64,
                data_format: DataFormat::UInt8,
                tile: None,
            };
            shape(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                circular_buffer: CircularBufferId(0),
                name: String::new(),
                program: ProgramId(0),
                cores: vec![CoreRange::single(core(0, 0))],
                total_size: 64,
                indices: (0..count as u32).map(index).collect(),
                globally_allocated_address: None,
            }))
        }),
        whole("FREE_TENSORS", "inputs and outputs", |count| {
            let buffers = (0..count as u32).map(|id| done(buffer(id, "b", 64, 64)));
            let mut program = program(buffers.collect());
            let tensor = |id| free_tensors::tensor(&format!("t{id}"), id, &[16]);
            program.free_tensors = (0..count as u32).map(tensor).collect();
            program.validate()
        }),
        whole("TENSOR_DIMENSIONS", "dimensions", |count| {
            free_tensors::of_shape(&vec![1; count as usize], 64)
        }),
        whole("TENSOR_ELEMENTS", "elements in one dimension beside another", |count| {
            // A dimension is a `u32`, and one past the limit is 257 times such a number.
            let other = [1 << 20, 257].into_iter().find(|it| count.is_multiple_of(*it)).unwrap();
            free_tensors::of_shape(&[other as u32, (count / other) as u32], 1 << 42)
        }),
        Case {
            refuses: name,
            ..whole("NAME_BYTES", "a tensor's name", |bytes| {
                let mut program = free_tensors::binary().program;
                program.free_tensors[0].name = letters(bytes);
                program.validate()
            })
        },
        Case {
            step: 4,
            ..whole("DATA_BYTES", "one write", |bytes| shape(rules::write(0, data(bytes))))
        },
        Case { step: 4, ..whole("TOTAL_DATA_BYTES", "all writes", written) },
        by_check("JOURNAL_BYTES", "a journal", |bytes| match recover(&zeros(bytes)) {
            Err(JournalError::TooLong { length, limit }) => {
                Path::root(Part::Container).at_most("bytes of a journal", length, limit)
            }
            Err(_) | Ok(_) => Ok(()),
        }),
    ]
}

#[test]
fn every_limit_has_its_cases() {
    let named: BTreeSet<&str> = cases().iter().map(|case| case.limit).collect();
    let limits: BTreeSet<&str> = LIMITS.iter().map(|(name, _)| *name).collect();
    assert_eq!(limits, named);
}

#[test]
fn what_lies_at_a_limit_is_accepted_and_one_past_it_refused() {
    for Case { limit, of, step, accepted, with, refuses } in cases() {
        let (_, most) = LIMITS.iter().find(|(name, _)| *name == limit).unwrap();
        let at = with(*most);
        match accepted {
            Accepted::Whole => assert!(at.is_ok(), "{limit}, {of}, at it: {at:?}"),
            Accepted::ByThisCheck => {
                let refused = at.as_ref().is_err_and(|error| refuses(&error.problem, *most));
                assert!(!refused, "{limit}, {of}, at it: {at:?}");
            }
        }
        let past = with(most + step);
        let refused = past.as_ref().is_err_and(|error| refuses(&error.problem, *most));
        assert!(refused, "{limit}, {of}, past it: {past:?}");
    }
}
