//! Each rule, broken once.

use hallmark_chip::{Fault, FaultCategory};

use super::samples::{self, FINISH, buffer, core, done, failed, program, range, read};
use crate::commands;
use crate::error::{ErrorLocation, Problem, Rule};
use crate::generated::capture as fb;
use crate::limits;
use crate::model::*;

#[track_caller]
fn broken(commands: Vec<RecordedCommand>, path: &str, rule: impl Fn(&Rule) -> bool) {
    broken_in(&program(commands), path, rule);
}

#[track_caller]
fn broken_in(program: &ProgramPart, path: &str, rule: impl Fn(&Rule) -> bool) {
    let error = program.validate().expect_err("the rule is broken");
    assert!(matches!(&error.problem, Problem::Rule(found) if rule(found)), "{error}");
    assert!(
        matches!(&error.place, ErrorLocation::Field { path: found, .. } if found == path),
        "{error}"
    );
    assert!(crate::program_bytes(program).is_err());
}

pub(super) fn new_program() -> RecordedCommand {
    done(Command::CreateProgram(commands::CreateProgram {
        program: ProgramId(0),
        name: "p".to_owned(),
    }))
}

pub(super) fn kernel(cores: Vec<CoreRange>) -> Command {
    Command::CreateKernel(commands::CreateKernel {
        kernel: KernelId(0),
        name: "k".to_owned(),
        program: ProgramId(0),
        source: "k.cpp".to_owned(),
        cores,
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: vec![],
        defines: Default::default(),
        named_compile_args: Default::default(),
        opt_level: None,
        bindings: None,
    })
}

fn with_source(commands: Vec<RecordedCommand>) -> ProgramPart {
    let mut program = program(commands);
    program.sources = vec![SourceFile { path: "k.cpp".to_owned(), hash: ContentHash::of(b"") }];
    program
}

pub(super) fn semaphore(cores: Vec<CoreRange>) -> Command {
    Command::CreateSemaphore(commands::CreateSemaphore {
        semaphore: SemaphoreId(0),
        name: "s".to_owned(),
        program: ProgramId(0),
        cores,
        initial_value: 0,
    })
}

fn write_part(id: u32, data: Data, region: Option<BufferRegion>) -> Command {
    let (queue, buffer) = (QueueId(0), BufferId(id));
    Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
        queue,
        buffer,
        data,
        blocking: false,
        region,
    })
}

pub(super) fn write(id: u32, data: Data) -> Command {
    write_part(id, data, None)
}

#[test]
fn ids_count_creations() {
    broken(vec![done(buffer(1, "b", 64, 64))], "commands[0].create_buffer.buffer", |rule| {
        matches!(rule, Rule::IdOutOfOrder { expected: 0, found: 1 })
    });
    let size = Failure::SizeNotPageMultiple { size: 65, page_size: 64 };
    let again = vec![failed(buffer(0, "b", 65, 64), size.clone()), done(buffer(0, "b", 64, 64))];
    broken(again, "commands[1].create_buffer.buffer", |rule| {
        matches!(rule, Rule::IdOutOfOrder { expected: 1, found: 0 })
    });
    let counted = vec![failed(buffer(0, "b", 65, 64), size), done(buffer(1, "b", 64, 64))];
    program(counted).validate().unwrap();
}

#[test]
fn objects_are_used_while_they_are_there() {
    let free = |id| Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(id) });
    broken(vec![done(free(0))], "commands[0].deallocate_buffer.buffer", |rule| {
        matches!(rule, Rule::Undefined { object: ObjectKind::Buffer, id: 0 })
    });
    let failure = Failure::DeviceLost {};
    broken(
        vec![failed(free(0), failure.clone())],
        "commands[0].deallocate_buffer.buffer",
        |rule| matches!(rule, Rule::Undefined { .. }),
    );
    let twice = vec![done(buffer(0, "b", 64, 64)), done(free(0)), done(free(0))];
    broken(twice.clone(), "commands[2].deallocate_buffer.buffer", |rule| {
        matches!(rule, Rule::NotUsable { .. })
    });
    let mut refused = twice;
    let released = Failure::ReleasedObject { object: ObjectKind::Buffer, id: 0 };
    refused[2].outcome = Outcome::Failed(released);
    program(refused).validate().unwrap();
    let never = vec![failed(buffer(0, "b", 64, 64), failure), done(free(0))];
    broken(never, "commands[1].deallocate_buffer.buffer", |rule| {
        matches!(rule, Rule::NotUsable { state: crate::ObjectState::NeverMade, .. })
    });
}

#[test]
fn pages_divide_buffers() {
    for (size, page_size) in [(100, 64), (64, 0), (6, 2)] {
        let path = "commands[0].create_buffer.page_size";
        broken(vec![done(buffer(0, "b", size, page_size))], path, |rule| {
            matches!(rule, Rule::PageSize { .. })
        });
    }
    program(vec![done(buffer(0, "b", 0, 64))]).validate().unwrap();
}

#[test]
fn cores_lie_within_the_grid() {
    let at = |cores| vec![new_program(), done(kernel(cores))];
    let path = "commands[1].create_kernel.cores";
    broken_in(&with_source(at(vec![])), path, |rule| matches!(rule, Rule::NoCores));
    let reversed = CoreRange { start: core(1, 0), end: core(0, 0) };
    let first = "commands[1].create_kernel.cores[0]";
    broken_in(&with_source(at(vec![reversed])), first, |rule| matches!(rule, Rule::EmptyRange));
    let outside = CoreRange { start: core(0, 0), end: core(0, 9) };
    broken_in(&with_source(at(vec![outside])), first, |rule| {
        matches!(rule, Rule::OutsideGrid { y: 9, rows: 9, .. })
    });
    let wide = CoreRange { start: core(0, 0), end: core(u32::MAX, u32::MAX) };
    let failure = Failure::DeviceLost {};
    let error = program(vec![new_program(), failed(kernel(vec![wide]), failure.clone())])
        .validate()
        .unwrap_err();
    assert!(matches!(error.problem, Problem::Limit { .. }), "{error}");
    // A failed call may name cores outside the grid, and missing sources.
    let far = CoreRange::single(core(u32::MAX, 7));
    program(vec![new_program(), failed(kernel(vec![far]), failure)]).validate().unwrap();
}

#[test]
fn kernels_have_their_sources() {
    let cores = vec![CoreRange::single(core(0, 0))];
    let commands = vec![new_program(), done(kernel(cores))];
    with_source(commands.clone()).validate().unwrap();
    broken(commands, "commands[1].create_kernel.source", |rule| {
        matches!(rule, Rule::SourceNotListed { .. })
    });
    for path in ["../k.cpp", "/k.cpp", "a//k.cpp", "a\\k.cpp", "C:k.cpp", "", "a/./k", "k\n"] {
        let mut program = program(vec![]);
        program.sources = vec![SourceFile { path: path.to_owned(), hash: ContentHash::of(b"") }];
        broken_in(&program, "sources[0].path", |rule| matches!(rule, Rule::Path { .. }));
    }
    let mut twice = with_source(vec![]);
    twice.sources.push(twice.sources[0].clone());
    broken_in(&twice, "sources[1]", |rule| matches!(rule, Rule::NotAscending));
}

#[test]
fn definitions_are_identifiers() {
    for name in ["X", "X()", "X(a)", "_x1(a, _b2,c)", "X(a,...)", "X( ... )"] {
        let mut command = kernel(vec![CoreRange::single(core(0, 0))]);
        if let Command::CreateKernel(commands::CreateKernel { defines, .. }) = &mut command {
            defines.insert(name.to_owned(), "a".to_owned());
        }
        with_source(vec![new_program(), done(command)]).validate().unwrap();
    }
    for (name, value) in [
        ("1X", ""),
        ("", ""),
        ("A B", ""),
        ("X", "a\nb"),
        ("X", "\0"),
        ("X (a)", ""),
        ("(a)", ""),
        ("X(a", ""),
        ("X(a)b", ""),
        ("X(a b)", ""),
        ("X(a,)", ""),
        ("X(,a)", ""),
        ("X(...,a)", ""),
        ("X(1)", ""),
        ("X((a))", ""),
        ("X(a\n)", ""),
    ] {
        let mut command = kernel(vec![CoreRange::single(core(0, 0))]);
        if let Command::CreateKernel(commands::CreateKernel { defines, .. }) = &mut command {
            defines.insert(name.to_owned(), value.to_owned());
        }
        let program = with_source(vec![new_program(), done(command.clone())]);
        let path = "commands[1].create_kernel.defines[0]";
        broken_in(&program, path, |rule| matches!(rule, Rule::Define { .. }));
        let failure = Failure::DefineInvalid {};
        with_source(vec![new_program(), failed(command, failure)]).validate().unwrap();
    }
}

#[test]
fn arguments_that_the_runtime_fills_in_are_in_order() {
    let word = |index, argument| ArgumentRelocation { index, argument };
    let address = RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
    let buffer_at = |index| word(index, address);
    let set = with_arguments;
    set(&[0, 0], &[buffer_at(0), buffer_at(1)]).validate().unwrap();
    let path = |at: usize| format!("commands[3].set_runtime_args.args[0].relocations[{at}]");
    type Check = fn(&Rule) -> bool;
    let cases: [(ProgramPart, usize, Check); 4] = [
        (set(&[0, 0], &[buffer_at(1), buffer_at(0)]), 1, |rule| matches!(rule, Rule::NotAscending)),
        (set(&[0, 0], &[buffer_at(1), buffer_at(1)]), 1, |rule| matches!(rule, Rule::NotAscending)),
        (set(&[0], &[buffer_at(1)]), 0, |rule| matches!(rule, Rule::RelocationOutOfRange { .. })),
        (set(&[5], &[buffer_at(0)]), 0, |rule| {
            matches!(rule, Rule::RelocatedWordNotZero { value: 5, .. })
        }),
    ];
    for (mut program, at, rule) in cases {
        broken_in(&program, &path(at), rule);
        program.commands[3].outcome = Outcome::Failed(Failure::DeviceLost {});
        broken_in(&program, &path(at), rule);
    }
    let outside = set(&[0], &[word(0, RelocatedArgument::CoreNocY { x: 8, y: 0 })]);
    broken_in(&outside, &format!("{}.object", path(0)), |rule| {
        matches!(rule, Rule::OutsideGrid { x: 8, .. })
    });
    let no_shard = RelocatedArgument::ShardBankPair { buffer: BufferId(0), pair: 0 };
    broken_in(&set(&[0], &[word(0, no_shard)]), &format!("{}.object", path(0)), |rule| {
        matches!(rule, Rule::NoShard { shard: 0, shards: 0 })
    });
    let unknown = RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(0), offset: 0 };
    let missing = set(&[0], &[word(0, unknown)]);
    broken_in(&missing, &format!("{}.object", path(0)), |rule| {
        matches!(rule, Rule::Undefined { object: ObjectKind::Semaphore, .. })
    });
    let many = set(&vec![1; 342], &[]).validate().unwrap_err();
    assert!(matches!(many.problem, Problem::Limit { limit: 341, .. }));
}

/// Arguments of a kernel on one core, beside a buffer.
pub(super) fn with_arguments(values: &[u32], relocations: &[ArgumentRelocation]) -> ProgramPart {
    let args = vec![CoreArguments {
        cores: vec![CoreRange::single(core(0, 0))],
        values: values.to_vec(),
        relocations: relocations.to_vec(),
    }];
    let made = kernel(vec![CoreRange::single(core(0, 0))]);
    with_source(vec![
        new_program(),
        done(buffer(0, "b", 64, 64)),
        done(made),
        done(Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel: KernelId(0), args })),
    ])
}

#[test]
fn a_coordinate_with_an_offset_is_refused_in_bytes() {
    let word = |offset, kind| fb::ArgumentRelocation::new(0, 1 | 2 << 16, offset, kind).0;
    for (argument, kind) in [
        (RelocatedArgument::CoreNocX { x: 1, y: 2 }, fb::RelocationKind::CoreNocX),
        (RelocatedArgument::CoreNocY { x: 1, y: 2 }, fb::RelocationKind::CoreNocY),
    ] {
        let program = with_arguments(&[0], &[ArgumentRelocation { index: 0, argument }]);
        let mut bytes = crate::program_bytes(&program).unwrap();
        assert_eq!(crate::program_from_bytes(&bytes).unwrap(), program);
        let plain = word(0, kind);
        let at = bytes.windows(plain.len()).position(|window| window == plain).unwrap();
        bytes[at..at + plain.len()].copy_from_slice(&word(4, kind));
        let error = crate::program_from_bytes(&bytes).unwrap_err();
        let rule = Problem::Rule(Rule::CoordinateOffset { offset: 4 });
        assert_eq!(error.problem, rule);
        let path = "commands[3].set_runtime_args.args[0].relocations[0].offset";
        assert!(matches!(&error.place, ErrorLocation::Field { path: found, .. } if found == path));
    }
}

#[test]
fn common_arguments_are_set_once_and_count_with_the_others() {
    let on = |x| vec![CoreRange::single(core(x, 0))];
    let unique = |x, count| {
        let set = CoreArguments { cores: on(x), values: vec![1; count], relocations: vec![] };
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel: KernelId(0), args: vec![set] })
    };
    let common = |count| {
        Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            kernel: KernelId(0),
            values: vec![1; count],
            relocations: vec![],
        })
    };
    let update = |first, count| {
        Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            kernel: KernelId(0),
            first,
            values: vec![1; count],
            relocations: vec![],
        })
    };
    let made = |calls: Vec<Command>| {
        let mut commands = vec![new_program(), done(kernel(vec![range(core(0, 0), core(1, 0))]))];
        commands.extend(calls.into_iter().map(done));
        with_source(commands)
    };
    made(vec![unique(0, 5), unique(1, 300), common(0), common(41), update(1, 40), update(41, 0)])
        .validate()
        .unwrap();
    made(vec![common(0), common(341)]).validate().unwrap();
    let limit = |calls: Vec<Command>| {
        let error = made(calls).validate().unwrap_err();
        assert!(matches!(error.problem, Problem::Limit { limit: 341, .. }), "{error}");
    };
    limit(vec![unique(0, 5), unique(1, 300), common(42)]);
    limit(vec![common(41), unique(0, 301)]);
    let twice = made(vec![common(1), common(1)]);
    broken_in(&twice, "commands[3].set_common_runtime_args.values", |rule| {
        matches!(rule, Rule::CommonArgumentsTwice)
    });
    for (first, count) in [(2, 2), (4, 0), (u32::MAX, 3)] {
        let beyond = made(vec![common(3), update(first, count)]);
        broken_in(&beyond, "commands[3].update_common_runtime_args.values", |rule| {
            matches!(rule, Rule::CommonArgumentOutOfRange { values: 3, .. })
        });
    }
}

#[test]
fn circular_buffers_hold_whole_pages() {
    let index = |index, page_size| CircularBufferIndex {
        index,
        page_size,
        data_format: DataFormat::UInt8,
        tile: None,
    };
    let made = |total_size, indices| {
        vec![
            new_program(),
            done(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                circular_buffer: CircularBufferId(0),
                name: String::new(),
                program: ProgramId(0),
                cores: vec![CoreRange::single(core(0, 0))],
                total_size,
                indices,
                globally_allocated_address: None,
            })),
        ]
    };
    let at = |tail: &str| format!("commands[1].create_circular_buffer.indices{tail}");
    broken(made(64, vec![]), &at(""), |rule| matches!(rule, Rule::NoIndex));
    for (total, page) in [(64, 48), (0, 16), (64, 0)] {
        broken(made(total, vec![index(0, page)]), &at("[0].page_size"), |rule| {
            matches!(rule, Rule::CircularBufferSize { .. })
        });
    }
    broken(made(64, vec![index(1, 32), index(1, 32)]), &at("[1]"), |rule| {
        matches!(rule, Rule::NotAscending)
    });
    broken(made(64, vec![index(32, 32)]), &at("[0].index"), |rule| {
        matches!(rule, Rule::CircularBufferIndex { limit: 32, .. })
    });
}

#[test]
fn updates_of_circular_buffers_keep_whole_pages() {
    let circular_buffer = CircularBufferId(0);
    let made = |calls: Vec<Command>| {
        let mut commands = vec![
            new_program(),
            done(buffer(0, "b", 64, 64)),
            done(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                circular_buffer,
                name: String::new(),
                program: ProgramId(0),
                cores: vec![CoreRange::single(core(0, 0))],
                total_size: 64,
                indices: vec![CircularBufferIndex {
                    index: 4,
                    page_size: 32,
                    data_format: DataFormat::UInt8,
                    tile: None,
                }],
                globally_allocated_address: None,
            })),
        ];
        commands.extend(calls.into_iter().map(done));
        commands
    };
    let total = |total_size| {
        Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer,
            total_size,
        })
    };
    let page = |index, page_size| {
        Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            circular_buffer,
            index,
            page_size,
        })
    };
    let both = |total_size, id| {
        Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            commands::UpdateDynamicCircularBufferAddressAndTotalSize {
                circular_buffer,
                buffer: BufferId(id),
                total_size,
            },
        )
    };
    program(made(vec![total(48), page(4, 48), both(80, 0), page(4, 16)])).validate().unwrap();
    let at = |call: &str, field: &str| format!("commands[3].{call}.{field}");
    let size = |rule: &Rule| matches!(rule, Rule::CircularBufferSize { .. });
    broken(made(vec![total(0)]), &at("update_circular_buffer_total_size", "total_size"), size);
    for page_size in [0, 48] {
        let place = at("update_circular_buffer_page_size", "page_size");
        broken(made(vec![page(4, page_size)]), &place, size);
    }
    broken(made(vec![page(5, 32)]), &at("update_circular_buffer_page_size", "index"), |rule| {
        matches!(rule, Rule::IndexNotConfigured { index: 5 })
    });
    let call = "update_dynamic_circular_buffer_address_and_total_size";
    broken(made(vec![both(0, 0)]), &at(call, "total_size"), size);
    broken(made(vec![both(64, 1)]), &at(call, "buffer"), |rule| {
        matches!(rule, Rule::Undefined { object: ObjectKind::Buffer, id: 1 })
    });
    let nowhere = Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
        circular_buffer: CircularBufferId(1),
        total_size: 64,
    });
    let place = at("update_circular_buffer_total_size", "circular_buffer");
    broken(made(vec![nowhere]), &place, |rule| {
        matches!(rule, Rule::Undefined { object: ObjectKind::CircularBuffer, id: 1 })
    });
}

#[test]
fn semaphores_have_cores() {
    broken(vec![new_program(), done(semaphore(vec![]))], "commands[1].create_semaphore.cores", {
        |rule| matches!(rule, Rule::NoCores)
    });
}

#[test]
fn data_fill_their_buffer() {
    let data = Data::blob(&[0; 32]);
    let commands = vec![done(buffer(0, "b", 64, 64)), done(write(0, data.clone()))];
    broken(commands.clone(), "commands[1].enqueue_write_buffer.data", |rule| {
        matches!(rule, Rule::DataLength { data: 32, buffer: 64 })
    });
    let mut refused = commands;
    let failure = Failure::DataLengthMismatch { buffer: BufferId(0), expected: 64, actual: 32 };
    refused[1].outcome = Outcome::Failed(failure);
    program(refused).validate().unwrap();
    let generator = Generator::Constant { data_type: DataType::Uint8, bits: 256 };
    let wrong = Data { length: 64, generator: Some(generator), ..data.clone() };
    broken(
        vec![done(buffer(0, "b", 64, 64)), done(write(0, wrong))],
        "commands[1].enqueue_write_buffer.data.generator",
        |rule| matches!(rule, Rule::Generator { .. }),
    );
    let huge = Data { length: u64::MAX, ..data };
    let error =
        program(vec![done(buffer(0, "b", 64, 64)), failed(write(0, huge), Failure::DeviceLost {})])
            .validate()
            .unwrap_err();
    assert!(matches!(error.problem, Problem::Limit { .. }), "{error}");
}

#[test]
fn tolerances_allow_something() {
    let near = |ulp, absolute, relative, reason: &str| {
        let real = |value| Real::new(value).unwrap();
        let tolerance = Tolerance {
            data_type: DataType::Float32,
            ulp,
            reason: reason.to_owned(),
            absolute: real(absolute),
            relative: real(relative),
            pcc: Real::ZERO,
        };
        let data =
            Data::generated(Generator::Uniform { data_type: DataType::Float32, seed: 0 }, 64);
        let expectation = Expectation::Reference { data, tolerance };
        vec![done(buffer(0, "b", 64, 64)), done(read(0, "out", expectation))]
    };
    program(near(0, 0.5, 0.0, "sums differ")).validate().unwrap();
    let place = "commands[1].enqueue_read_buffer.expectation.tolerance";
    let useless = |rule: &Rule| matches!(rule, Rule::Tolerance { .. });
    broken(near(0, 0.0, 0.0, "sums differ"), place, useless);
    let correlated = |pcc: f64| {
        let mut commands = near(0, 0.0, 0.0, "sums differ");
        if let Some(Command::EnqueueReadBuffer(call)) =
            commands.last_mut().map(|it| &mut it.command)
            && let Expectation::Reference { tolerance, .. } = &mut call.expectation
        {
            tolerance.pcc = Real::new(pcc).unwrap();
        }
        commands
    };
    program(correlated(1.0)).validate().unwrap();
    program(correlated(1e-9)).validate().unwrap();
    broken(correlated(1.0 + 1e-9), place, useless);
    broken(correlated(-1e-9), place, useless);
    broken(near(1, -0.5, 0.0, "sums differ"), place, useless);
    broken(near(1, 0.0, -0.5, "sums differ"), place, useless);
    let error = program(near(1, 0.0, 0.0, "")).validate().unwrap_err();
    assert!(error.to_string().contains("tolerance.reason"), "{error}");
    // `Real` cannot be infinite, but the bytes can.
    let mut bytes = crate::program_bytes(&program(near(1, 0.5, 0.0, "sums differ"))).unwrap();
    let half = 0.5_f64.to_le_bytes();
    let at = bytes.windows(8).position(|window| window == half).unwrap();
    bytes[at..at + 8].copy_from_slice(&f64::INFINITY.to_le_bytes());
    let error = crate::program_from_bytes(&bytes).unwrap_err();
    assert_eq!(error.problem, Problem::Rule(Rule::NotFinite));
}

#[test]
fn all_data_together_are_bounded() {
    let generator = Generator::Uniform { data_type: DataType::Uint32, seed: 0 };
    let length = limits::DATA_BYTES;
    let data = Data { length, hash: ContentHash([0; 32]), generator: Some(generator) };
    let mut commands = vec![done(buffer(0, "b", length, 64))];
    commands.extend((0..17).map(|_| done(write(0, data.clone()))));
    let error = program(commands).validate().unwrap_err();
    assert!(error.to_string().contains("bytes of data in all commands"), "{error}");
}

#[test]
fn outputs_have_names_of_their_own() {
    let wanted = || Expectation::AsCaptured;
    let made = done(buffer(0, "b", 64, 64));
    let twice = vec![made.clone(), done(read(0, "a", wanted())), done(read(0, "a", wanted()))];
    broken(twice, "commands[2].enqueue_read_buffer.output", |rule| {
        matches!(rule, Rule::OutputTwice { .. })
    });
    for name in ["", "a b", "ä", "a/b", &"x".repeat(129)] {
        let commands = vec![made.clone(), done(read(0, name, wanted()))];
        broken(commands, "commands[1].enqueue_read_buffer.output", |rule| {
            matches!(rule, Rule::Name { .. })
        });
    }
    let unchecked = Expectation::Unchecked { reason: " ".to_owned() };
    let path = "commands[1].enqueue_read_buffer.expectation.reason";
    broken(vec![made, done(read(0, "a", unchecked))], path, |rule| matches!(rule, Rule::NoReason));
}

#[test]
fn only_the_last_command_can_be_unfinished() {
    let unfinished = RecordedCommand { command: FINISH, outcome: Outcome::Unfinished };
    program(vec![done(FINISH), unfinished.clone()]).validate().unwrap();
    broken(vec![unfinished, done(FINISH)], "commands[0]", |rule| {
        matches!(rule, Rule::UnfinishedNotLast { after: 1 })
    });
}

#[test]
fn failures_blame_a_program_that_was_enqueued() {
    for enqueue in [CommandIndex(0), CommandIndex(1), CommandIndex(9)] {
        let hang = failed(FINISH, Failure::Hang { enqueue });
        broken(vec![done(FINISH), hang], "commands[1].failure", |rule| {
            matches!(rule, Rule::NoSuchEnqueue { .. })
        });
    }
}

#[test]
fn a_grid_has_cores() {
    for (columns, rows) in [(0, 9), (8, 0)] {
        let mut program = program(vec![]);
        program.grid = Grid { columns, rows };
        broken_in(&program, "grid", |rule| matches!(rule, Rule::EmptyGrid { .. }));
    }
}

#[test]
fn a_record_fits_its_program() {
    let check = |path: &str, change: fn(&mut Capture)| {
        let mut capture = samples::loopback();
        change(&mut capture);
        let error = capture.to_bytes().expect_err(path);
        let matches =
            matches!(&error.place, ErrorLocation::Field { path: found, .. } if found == path);
        assert!(matches, "{error}");
    };
    fn record(capture: &mut Capture) -> &mut Record {
        capture.record.as_mut().unwrap()
    }
    check("chip.harvesting_mask", |capture| record(capture).chip.harvesting_mask = !0);
    check("faults[0]", |capture| {
        let (category, reason) = (FaultCategory::DataRace, "of no command".to_owned());
        let fault = Fault { category, reason, place: None, against: None, memory: None };
        record(capture).faults.push(FaultRecord::new(CommandIndex(9), fault));
    });
    check("addresses[1]", |capture| record(capture).addresses.swap(0, 1));
    check("addresses[1]", |capture| record(capture).addresses[1].id = 7);
    check("addresses[1]", |capture| record(capture).addresses[1].object = ObjectKind::Kernel);
    check("elfs[0]", |capture| record(capture).elfs[0].kernel = KernelId(1));
    check("elfs[0].processor", |capture| record(capture).elfs[0].processor = 5);
    check("reads[0]", |capture| record(capture).reads[0].command = CommandIndex(8));
    check("reads[0]", |capture| record(capture).reads[0].buffer = BufferId(0));
    check("reads[0]", |capture| capture.outputs[0].hash = ContentHash([0; 32]));
    check("reads[0].length", |capture| {
        capture.outputs.clear();
        record(capture).reads[0].length = 4;
    });
    check("reads", |capture| record(capture).reads.clear());
    check("reads[0]", |capture| {
        capture.outputs.clear();
        capture.program.commands[7].outcome = Outcome::Failed(Failure::DeviceLost {});
    });
    check("outputs[0]", |capture| capture.outputs[0].name = "none".to_owned());
    check("blobs[0]", |capture| {
        let key = *capture.blobs.keys().next().unwrap();
        capture.blobs.insert(key, b"other".as_slice().into());
    });
}

#[test]
fn a_read_that_nobody_waited_for_needs_no_result() {
    let mut capture = samples::loopback();
    capture.outputs.clear();
    capture.record.as_mut().unwrap().reads.clear();
    let error = capture.validate().unwrap_err();
    let (command, by) = (CommandIndex(7), CommandIndex(8));
    assert_eq!(error.problem, Rule::ReadWithoutResult { command, by }.into());
    // A wait for another queue, or a failed wait, does not complete the read.
    let finish = capture.program.commands.last_mut().unwrap();
    finish.command = Command::Finish(commands::Finish { queue: QueueId(1) });
    capture.program.num_command_queues = 2;
    capture.validate().unwrap();
    let hang = Failure::Hang { enqueue: CommandIndex(6) };
    *capture.program.commands.last_mut().unwrap() = failed(FINISH, hang);
    capture.validate().unwrap();
    // A blocking read waits for itself.
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { blocking, .. }) =
        &mut capture.program.commands[7].command
    else {
        panic!();
    };
    *blocking = true;
    let error = capture.validate().unwrap_err();
    assert_eq!(error.problem, Rule::ReadWithoutResult { command, by: command }.into());
}

fn sharded(change: impl Fn(&mut ShardSpec), size: u64, buffer_type: BufferType) -> Command {
    let shape = |height, width| Shape2D { height, width };
    let mut spec = ShardSpec {
        cores: vec![CoreRange { start: core(0, 0), end: core(0, 1) }],
        shape: shape(2, 8),
        orientation: ShardOrientation::RowMajor,
        page_shape: shape(1, 8),
        tensor2d_shape_in_pages: shape(4, 1),
    };
    change(&mut spec);
    Command::CreateBuffer(commands::CreateBuffer {
        buffer: BufferId(0),
        name: "b".to_owned(),
        size,
        page_size: 32,
        buffer_type,
        layout: BufferLayout::HeightSharded,
        shard_spec: Some(spec),
        bottom_up: None,
    })
}

#[test]
fn shards_hold_their_buffer() {
    let l1 = BufferType::L1;
    program(vec![done(sharded(|_| {}, 128, l1))]).validate().unwrap();
    let place = "commands[0].create_buffer.shard_spec";
    let misfit = |command: Command| {
        broken(vec![done(command)], place, |rule| matches!(rule, Rule::ShardSpec { .. }));
    };
    misfit(sharded(|_| {}, 160, l1));
    misfit(sharded(|spec| spec.shape.height = 1, 128, l1));
    misfit(sharded(|spec| spec.shape.height = 0, 128, l1));
    misfit(sharded(|spec| spec.page_shape.width = 3, 128, l1));
    let without = |change: &dyn Fn(&mut Command)| {
        let mut command = sharded(|_| {}, 128, l1);
        change(&mut command);
        command
    };
    misfit(without(&|command| {
        if let Command::CreateBuffer(commands::CreateBuffer { shard_spec, .. }) = command {
            *shard_spec = None;
        }
    }));
    misfit(without(&|command| {
        if let Command::CreateBuffer(commands::CreateBuffer { layout, .. }) = command {
            *layout = BufferLayout::Interleaved;
        }
    }));
    // DRAM's cores are a row of its banks.
    let cores = "commands[0].create_buffer.shard_spec.cores[0]";
    broken(vec![done(sharded(|_| {}, 128, BufferType::Dram))], cores, |rule| {
        matches!(rule, Rule::OutsideGrid { x: 0, y: 1, rows: 1, .. })
    });
    let wide = |spec: &mut ShardSpec| {
        spec.cores = vec![CoreRange { start: core(0, 0), end: core(u32::MAX, u32::MAX) }];
    };
    let failure = Failure::ShardSpecMissing {};
    let error = program(vec![failed(sharded(wide, 128, l1), failure)]).validate().unwrap_err();
    assert!(matches!(error.problem, Problem::Limit { .. }), "{error}");
}

#[test]
fn regions_are_whole_pages_of_their_buffer() {
    let made = || done(buffer(0, "b", 256, 64));
    let region = |offset, size| BufferRegion { offset, size };
    let data = |length| {
        Data::generated(Generator::Constant { data_type: DataType::Uint8, bits: 1 }, length)
    };
    let write = |offset, size| done(write_part(0, data(size), Some(region(offset, size))));
    program(vec![made(), write(192, 64), write(256, 0)]).validate().unwrap();
    let place = "commands[1].enqueue_write_buffer.region";
    for (offset, size) in [(192, 128), (32, 64), (0, 32), (u64::MAX - 63, 64), (320, 0)] {
        let commands = vec![made(), write(offset, size)];
        broken(commands, place, |rule| matches!(rule, Rule::Region { .. }));
    }
    let other = done(write_part(0, data(128), Some(region(0, 64))));
    broken(vec![made(), other], "commands[1].enqueue_write_buffer.data", |rule| {
        matches!(rule, Rule::DataLength { data: 128, buffer: 64 })
    });
}

#[test]
fn views_go_with_their_buffer() {
    let made = || done(buffer(0, "b", 256, 64));
    let view = |id, parent, offset, size| {
        done(Command::CreateBufferView(commands::CreateBufferView {
            buffer: BufferId(id),
            name: "v".to_owned(),
            parent: BufferId(parent),
            region: BufferRegion { offset, size },
        }))
    };
    let bytes = |length| {
        Data::generated(Generator::Constant { data_type: DataType::Uint8, bits: 1 }, length)
    };
    let free =
        |id| done(Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(id) }));
    let commands = vec![made(), view(1, 0, 64, 128), view(2, 1, 64, 64), done(write(2, bytes(64)))];
    program(commands.clone()).validate().unwrap();
    let place = "commands[2].create_buffer_view.region";
    broken(vec![made(), view(1, 0, 64, 128), view(2, 1, 128, 64)], place, |rule| {
        matches!(rule, Rule::Region { offset: 128, size: 128, .. })
    });
    broken(vec![made(), view(0, 0, 0, 64)], "commands[1].create_buffer_view.buffer", |rule| {
        matches!(rule, Rule::IdOutOfOrder { expected: 1, found: 0 })
    });
    // A released buffer takes the memory of a view of a view with it; the views themselves can still be
    // released.
    let mut gone = vec![made(), view(1, 0, 64, 128), view(2, 1, 64, 64), free(0), free(2), free(1)];
    program(gone.clone()).validate().unwrap();
    gone.insert(4, done(write(2, bytes(64))));
    broken(gone, "commands[4].enqueue_write_buffer.buffer", |rule| {
        matches!(rule, Rule::NotUsable { id: 0, .. })
    });
}
