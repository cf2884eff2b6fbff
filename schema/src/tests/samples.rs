//! Small captures that together hold every command, outcome, union member and enum value.

use std::collections::BTreeMap;

use hallmark_chip::{
    Architecture, Fault, FaultCategory, FaultPlace, L1BankOrder, LogicalCore, PhysicalCoordinate,
    Processor, TileAddress,
};

use crate::class::schema_hash;
use crate::commands;
use crate::model::*;

pub(crate) const fn core(x: u32, y: u32) -> LogicalCore {
    LogicalCore { x, y }
}

pub(crate) const fn range(start: LogicalCore, end: LogicalCore) -> CoreRange {
    CoreRange { start, end }
}

pub(crate) const fn done(command: Command) -> RecordedCommand {
    RecordedCommand { command, outcome: Outcome::Done }
}

pub(crate) const fn failed(command: Command, failure: Failure) -> RecordedCommand {
    RecordedCommand { command, outcome: Outcome::Failed(failure) }
}

pub(crate) fn buffer(id: u32, name: &str, size: u64, page_size: u64) -> Command {
    Command::CreateBuffer(commands::CreateBuffer {
        buffer: BufferId(id),
        name: name.to_owned(),
        size,
        page_size,
        buffer_type: BufferType::Dram,
        layout: BufferLayout::Interleaved,
        shard_spec: None,
        bottom_up: None,
    })
}

pub(crate) fn read(id: u32, output: &str, expectation: Expectation) -> Command {
    Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
        queue: QueueId(0),
        buffer: BufferId(id),
        output: output.to_owned(),
        blocking: false,
        expectation,
        region: None,
    })
}

pub(crate) const FINISH: Command = Command::Finish(commands::Finish { queue: QueueId(0) });

pub(crate) fn program(commands: Vec<RecordedCommand>) -> ProgramPart {
    ProgramPart {
        architecture: Architecture::WormholeB0,
        grid: Grid { columns: 8, rows: 9 },
        placement_bound: false,
        sources: Vec::new(),
        commands,
        num_command_queues: 1,
        trace_region_size: 0,
        l1_small_size: 0,
        worker_l1_size: 0,
        free_tensors: Vec::new(),
    }
}

pub(crate) fn record() -> Record {
    Record {
        writer: "hallmark 0.1.0".to_owned(),
        schema_hash: schema_hash(),
        chip: ChipRecord {
            device: "sim:wormhole_b0".to_owned(),
            pci_id: 0x401e_1e52,
            harvesting_mask: 0,
            grid: Grid { columns: 8, rows: 9 },
        },
        firmware: FirmwareRecord {
            name: "hallmark-1".to_owned(),
            hash: ContentHash::of(b"firmware"),
            launch_abi: 1,
        },
        dispatch_mode: DispatchMode::Host,
        addresses: Vec::new(),
        elfs: Vec::new(),
        faults: Vec::new(),
        waits: Vec::new(),
        reads: Vec::new(),
        collected: Vec::new(),
        expected_faults: Vec::new(),
        l1_bank_order: L1BankOrder::RowByRow,
        origin: None,
        asked: DeviceRequirements::default(),
        at_end: None,
        printed: Vec::new(),
        checks: Vec::new(),
    }
}

const SOURCE: &[u8] = b"void kernel_main() {}\n";

/// The capture of the example: one kernel copies pages from DRAM to DRAM.
pub(crate) fn loopback() -> Capture {
    let data =
        Data::generated(Generator::Uniform { data_type: DataType::Uint32, seed: 7 }, 7 * 2048);
    let address = |id| ArgumentRelocation {
        index: id,
        argument: RelocatedArgument::BufferAddress { buffer: BufferId(id), offset: 0 },
    };
    let mut program = program(vec![
        done(buffer(0, "src", 7 * 2048, 2048)),
        done(buffer(1, "dst", 7 * 2048, 2048)),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "loop".to_owned(),
        })),
        done(Command::CreateKernel(commands::CreateKernel {
            kernel: KernelId(0),
            name: "k".to_owned(),
            program: ProgramId(0),
            source: "kernels/dram_loopback.cpp".to_owned(),
            cores: vec![CoreRange::single(core(0, 0))],
            config: KernelConfig::data_movement(DataMovementProcessor::Riscv1, NocId::Noc0),
            compile_args: vec![],
            defines: BTreeMap::new(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
        })),
        done(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
            kernel: KernelId(0),
            args: vec![CoreArguments {
                cores: vec![CoreRange::single(core(0, 0))],
                values: vec![0, 0, 7, 2048],
                relocations: vec![address(0), address(1)],
            }],
        })),
        done(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer: BufferId(0),
            data: data.clone(),
            blocking: false,
            region: None,
        })),
        done(Command::EnqueueProgram(commands::EnqueueProgram {
            queue: QueueId(0),
            program: ProgramId(0),
            blocking: false,
        })),
        done(read(1, "out", Expectation::Exact { hash: data.hash })),
        done(FINISH),
    ]);
    let hash = ContentHash::of(SOURCE);
    program.sources = vec![SourceFile { path: "kernels/dram_loopback.cpp".to_owned(), hash }];
    let elf = b"\x7fELF of the kernel".as_slice();
    let mut record = record();
    let at = |id, address| AssignedAddress { object: ObjectKind::Buffer, id, address };
    record.addresses = vec![at(0, 0x40), at(1, 0x840)];
    record.elfs = vec![KernelElf {
        kernel: KernelId(0),
        processor: 1,
        hash: ContentHash::of(elf),
        lines: LineTableBytes::default(),
    }];
    record.reads = vec![ReadResult {
        command: CommandIndex(7),
        buffer: BufferId(1),
        length: data.length,
        hash: data.hash,
    }];
    let blobs = [SOURCE, elf].map(|blob| (ContentHash::of(blob), blob.into()));
    let mut capture =
        Capture { program, record: Some(record), outputs: Vec::new(), blobs: blobs.into() };
    capture.outputs = capture.outputs_of_reads();
    capture
}

/// Compute, circular buffers, semaphores, every expectation and generator, data by blob.
pub(crate) fn pipeline() -> Capture {
    let bytes: Vec<u8> = (0..64).collect();
    let grid = vec![range(core(0, 0), core(1, 1)), CoreRange::single(core(3, 2))];
    let kernel = |id: u32, config| {
        Command::CreateKernel(commands::CreateKernel {
            kernel: KernelId(id),
            name: format!("k{id}"),
            program: ProgramId(0),
            source: "kernels/stage.cpp".to_owned(),
            cores: grid.clone(),
            config,
            compile_args: vec![1, u32::MAX],
            defines: [("STAGE".to_owned(), id.to_string()), ("EMPTY".to_owned(), String::new())]
                .into(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
        })
    };
    let moves = KernelConfig::data_movement;
    let computes = |math_fidelity| KernelConfig::Compute {
        math_fidelity,
        fp32_dest_acc_en: true,
        math_approx_mode: false,
        dst_full_sync_en: false,
        unpack_to_dest_mode: BTreeMap::new(),
        bfp8_pack_precise: false,
    };
    let formats = [
        DataFormat::Float32,
        DataFormat::Float16B,
        DataFormat::Int32,
        DataFormat::UInt32,
        DataFormat::UInt16,
        DataFormat::UInt8,
    ];
    let relocations = [
        RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 16 },
        RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(0), offset: 16 },
        RelocatedArgument::CoreNocX { x: 0, y: 0 },
        RelocatedArgument::CoreNocY { x: 0, y: 0 },
    ];
    let reference = Expectation::Reference {
        data: Data::blob(&bytes),
        tolerance: Tolerance {
            data_type: DataType::Bfloat16,
            ulp: 2,
            reason: "rounding of the sum".to_owned(),
            absolute: Real::ZERO,
            relative: Real::ZERO,
            pcc: Real::ZERO,
        },
    };
    let write = |generator| {
        done(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer: BufferId(0),
            data: Data::generated(generator, 64),
            blocking: true,
            region: None,
        }))
    };
    let mut commands = vec![
        done(buffer(0, "in", 64, 32)),
        done(Command::CreateBuffer(commands::CreateBuffer {
            buffer: BufferId(1),
            name: String::new(),
            size: 64,
            page_size: 64,
            buffer_type: BufferType::L1,
            layout: BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        })),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "pipe".to_owned(),
        })),
        done(kernel(0, moves(DataMovementProcessor::Riscv0, NocId::Noc1))),
        done(kernel(1, computes(MathFidelity::LoFi))),
        done(kernel(2, computes(MathFidelity::HiFi2))),
        done(kernel(3, computes(MathFidelity::HiFi3))),
        done(kernel(4, computes(MathFidelity::HiFi4))),
        done(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer: CircularBufferId(0),
            name: "stage1".to_owned(),
            program: ProgramId(0),
            cores: grid.clone(),
            total_size: 4096,
            indices: formats
                .into_iter()
                .enumerate()
                .map(|(index, data_format)| CircularBufferIndex {
                    index: index as u32 * 5,
                    page_size: 2048,
                    data_format,
                    tile: None,
                })
                .collect(),
            globally_allocated_address: None,
        })),
        done(Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore: SemaphoreId(0),
            name: "ready".to_owned(),
            program: ProgramId(0),
            cores: grid.clone(),
            initial_value: 3,
        })),
        done(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
            kernel: KernelId(0),
            args: vec![
                CoreArguments {
                    cores: vec![CoreRange::single(core(0, 0))],
                    values: vec![0, 5, 0, 0, 0],
                    relocations: [0, 2, 3, 4]
                        .into_iter()
                        .zip(relocations)
                        .map(|(index, argument)| ArgumentRelocation { index, argument })
                        .collect(),
                },
                CoreArguments { cores: grid.clone(), values: vec![], relocations: vec![] },
            ],
        })),
        write(Generator::Constant { data_type: DataType::Uint16, bits: 0xbeef }),
        write(Generator::Sequence { data_type: DataType::Float32, start: -4, step: 3 }),
        write(Generator::Uniform { data_type: DataType::Bfloat16, seed: u64::MAX }),
        write(Generator::Constant { data_type: DataType::Uint8, bits: 1 }),
        write(Generator::Sequence { data_type: DataType::Int32, start: 0, step: -1 }),
        done(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: QueueId(1),
            buffer: BufferId(1),
            data: Data::blob(&bytes),
            blocking: false,
            region: None,
        })),
        done(Command::EnqueueProgram(commands::EnqueueProgram {
            queue: QueueId(0),
            program: ProgramId(0),
            blocking: true,
        })),
        done(read(0, "as_captured", Expectation::AsCaptured)),
        done(read(1, "near", reference)),
        done(read(0, "any", Expectation::Unchecked { reason: "a clock's value".to_owned() })),
        done(FINISH),
        done(Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(1) })),
    ];
    commands.push(failed(
        Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(1) }),
        Failure::ReleasedObject { object: ObjectKind::Buffer, id: 1 },
    ));
    let mut program = program(commands);
    program.architecture = Architecture::Blackhole;
    program.placement_bound = true;
    program.num_command_queues = 2;
    program.trace_region_size = 4096;
    let source = b"stage".as_slice();
    program.sources = vec![
        SourceFile { path: "kernels/common.hpp".to_owned(), hash: ContentHash::of(b"") },
        SourceFile { path: "kernels/stage.cpp".to_owned(), hash: ContentHash::of(source) },
    ];
    let blobs = [b"".as_slice(), source, &bytes].map(|blob| (ContentHash::of(blob), blob.into()));
    let mut record = record();
    let hash = ContentHash::of(&bytes);
    record.reads = [(18, 0), (19, 1), (20, 0)]
        .map(|(command, buffer)| ReadResult {
            command: CommandIndex(command),
            buffer: BufferId(buffer),
            length: 64,
            hash,
        })
        .into();
    let mut capture =
        Capture { program, record: Some(record), outputs: Vec::new(), blobs: blobs.into() };
    capture.outputs = capture.outputs_of_reads();
    capture
}

/// A program that faults, with every field of a record.
pub(crate) fn fault() -> Capture {
    let enqueue = CommandIndex(2);
    let category = FaultCategory::UnpredictableValueUsed;
    let mut program = program(vec![
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "p".to_owned(),
        })),
        done(buffer(0, "b", 0, 4)),
        done(Command::EnqueueProgram(commands::EnqueueProgram {
            queue: QueueId(0),
            program: ProgramId(0),
            blocking: false,
        })),
        failed(FINISH, Failure::DeviceFault { category, enqueue }),
        RecordedCommand {
            command: read(0, "never", Expectation::AsCaptured),
            outcome: Outcome::Unfinished,
        },
    ]);
    program.architecture = Architecture::Grayskull;
    let mut record = record();
    let place = FaultPlace {
        processor: Some(Processor::Brisc),
        pc: Some(0x4a1c),
        instruction: Some(0x0007_9463),
        symbol: Some("kernel_main".to_owned()),
        ..FaultPlace::of_tile(PhysicalCoordinate { x: 2, y: 3 })
    };
    let reason = "a branch depends on memory that nothing has written";
    let fault = Fault { place: Some(Box::new(place)), ..Fault::without_place(category, reason) };
    let unknown = Fault::without_place(FaultCategory::DataRace, "");
    let met = CommandIndex(3);
    record.faults = vec![FaultRecord::new(met, fault), FaultRecord::new(met, unknown)];
    record.waits = vec![WaitRecord {
        tile: PhysicalCoordinate { x: 1, y: 1 },
        processor: Processor::Trisc0,
        pc: 0x100,
        address: TileAddress(0xffb4_0020),
        value: 3,
        symbol: Some(String::new()),
        frames: Vec::new(),
    }];
    Capture { program, record: Some(record), outputs: Vec::new(), blobs: Blobs::new() }
}

/// A race of two cores, and one with the host.
pub(crate) fn race() -> Capture {
    let mut capture = fault();
    let tile = PhysicalCoordinate { x: 2, y: 3 };
    let core = FaultPlace {
        processor: Some(Processor::Ncrisc),
        pc: Some(0x5b00),
        instruction: Some(0x0005_2783),
        symbol: Some("kernel_main".to_owned()),
        ..FaultPlace::of_tile(tile)
    };
    let met = CommandIndex(3);
    let race = |against: FaultPlace| Fault {
        place: Some(Box::new(FaultPlace { processor: Some(Processor::Brisc), ..core.clone() })),
        against: Some(Box::new(against)),
        ..Fault::without_place(FaultCategory::DataRace, "two stores to L1 0x4000")
    };
    let faults = [race(core.clone()), race(FaultPlace::of_tile(tile))];
    if let Some(record) = &mut capture.record {
        record.faults = faults.into_iter().map(|fault| FaultRecord::new(met, fault)).collect();
    }
    capture
}

/// The same fault, expected by the program's author.
pub(crate) fn expected_fault() -> Capture {
    let mut capture = fault();
    if let Some(record) = &mut capture.record {
        record.expected_faults = vec![ExpectedFault { command: CommandIndex(3) }];
    }
    capture
}

/// The same fault, in a program whose kernels print.
pub(crate) fn printed() -> Capture {
    let mut capture = fault();
    let of = |launch, x, processor, text: &str, dropped| Printed {
        launch,
        core: LogicalCore { x, y: 3 },
        processor,
        text: text.to_owned(),
        dropped,
    };
    if let Some(record) = &mut capture.record {
        let many: String = (0..23).map(|line| format!("line {line}\n")).collect();
        record.printed = vec![
            of(Some(CommandIndex(2)), 5, Processor::Ncrisc, "x = 0.500\n\u{1b}[31m", 0),
            of(Some(CommandIndex(2)), 5, Processor::Brisc, &many, 7),
            of(None, 4, Processor::Ncrisc, "", 1),
        ];
    }
    capture
}

/// The same fault, met by a release that states the checks that it knows.
pub(crate) fn with_checks() -> Capture {
    let mut capture = fault();
    if let Some(record) = &mut capture.record {
        record.checks = vec![
            FaultCategory::UndefinedBehavior,
            FaultCategory::UnpredictableValueUsed,
            FaultCategory::MemoryNotGranted,
        ];
    }
    capture
}

/// Work for which no call waits, and its race at the end.
pub(crate) fn raced_at_the_end() -> Capture {
    let mut capture = fault();
    capture.program.num_command_queues = 2;
    capture.program.commands.truncate(3);
    let race = Failure::QueueRace { first: CommandIndex(1), second: CommandIndex(2) };
    let record = capture.record.as_mut();
    if let Some(record) = record {
        record.faults.clear();
        record.at_end = Some(QueuesEnd { outcome: Outcome::Failed(race), expected: false });
    }
    capture
}

/// A buffer interleaved over L1, whose banks are shuffled.
pub(crate) fn shuffled_banks() -> Capture {
    let mut over_l1 = buffer(0, "spread", 640, 64);
    if let Command::CreateBuffer(commands::CreateBuffer { buffer_type, .. }) = &mut over_l1 {
        *buffer_type = BufferType::L1;
    }
    let record = Record { l1_bank_order: L1BankOrder::Shuffled, ..record() };
    Capture {
        program: program(vec![done(over_l1)]),
        record: Some(record),
        outputs: Vec::new(),
        blobs: Blobs::new(),
    }
}

/// Every failure of format 1.0, each of a command within the limits.
pub(crate) fn failures() -> Capture {
    with_failures(|code| code.number() <= FIRST_RELEASE)
}

/// Every failure added by a later minor version.
pub(crate) fn later_failures() -> Capture {
    with_failures(|code| code.number() > FIRST_RELEASE)
}

/// The last failure of format 1.0.
const FIRST_RELEASE: u16 = 64;

fn with_failures(is_wanted: fn(&FailureCode) -> bool) -> Capture {
    let enqueue = Command::EnqueueProgram(commands::EnqueueProgram {
        queue: QueueId(0),
        program: ProgramId(0),
        blocking: false,
    });
    let mut commands = vec![
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "p".to_owned(),
        })),
        done(enqueue.clone()),
        failed(
            buffer(0, "odd", 100, 64),
            Failure::SizeNotPageMultiple { size: 100, page_size: 64 },
        ),
    ];
    for code in FailureCode::ALL.iter().filter(|code| is_wanted(code)) {
        let numbers: Vec<u64> = code
            .fields()
            .iter()
            .map(|name| match name {
                FieldName::Processor => Processor::Trisc1.to_number(),
                FieldName::Core => core(1, 9).to_number(),
                // The command enqueued above; the number is also valid for every other field.
                _ => 1,
            })
            .collect();
        let failure = Failure::from_numbers(*code, &numbers).expect("1 fits every field");
        commands.push(failed(enqueue.clone(), failure));
    }
    Capture { program: program(commands), record: None, outputs: Vec::new(), blobs: Blobs::new() }
}

/// Every generator and tolerance that the pipeline lacks.
pub(crate) fn data() -> Capture {
    let real = |value| Real::new(value).expect("it is finite");
    let generators = [
        Generator::UniformBetween {
            data_type: DataType::Int8,
            seed: 1,
            minimum: real(-100.0),
            maximum: real(0.0),
        },
        Generator::Normal {
            data_type: DataType::Float16,
            seed: 2,
            mean: real(0.0),
            deviation: real(0.02),
        },
        Generator::Uniform { data_type: DataType::Int16, seed: 3 },
    ];
    let tolerance = |ulp, absolute, relative| Tolerance {
        data_type: DataType::Float16,
        ulp,
        reason: "another order of the sum".to_owned(),
        absolute: real(absolute),
        relative: real(relative),
        pcc: Real::ZERO,
    };
    let near = |name: &str, tolerance| {
        let data = Data::generated(generators[1], 64);
        done(read(0, name, Expectation::Reference { data, tolerance }))
    };
    let mut commands = vec![done(buffer(0, "in", 64, 32))];
    for generator in generators {
        commands.push(done(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer: BufferId(0),
            data: Data::generated(generator, 64),
            blocking: false,
            region: None,
        })));
    }
    commands.push(near("absolute", tolerance(0, 0.125, 0.0)));
    commands.push(near("relative", tolerance(0, 0.0, 0.01)));
    commands.push(near("any", tolerance(1, 1e-6, 1e-3)));
    commands.push(done(FINISH));
    let program = program(commands);
    let mut record = record();
    let hash = generators[2].hash(64);
    record.reads = (4..7)
        .map(|command| ReadResult {
            command: CommandIndex(command),
            buffer: BufferId(0),
            length: 64,
            hash,
        })
        .collect();
    let mut capture =
        Capture { program, record: Some(record), outputs: Vec::new(), blobs: Blobs::new() };
    capture.outputs = capture.outputs_of_reads();
    capture
}

/// Sharded buffers of every layout, a view, regions, and both ends of the memory.
/// The same, with a read of which only the correlation is asked for.
pub(crate) fn correlated() -> Capture {
    let mut capture = data();
    let tolerances =
        capture.program.commands.iter_mut().filter_map(|made| match &mut made.command {
            Command::EnqueueReadBuffer(call) => match &mut call.expectation {
                Expectation::Reference { tolerance, .. } => Some(tolerance),
                _ => None,
            },
            _ => None,
        });
    if let Some(tolerance) = tolerances.last() {
        (tolerance.ulp, tolerance.absolute, tolerance.relative) = (0, Real::ZERO, Real::ZERO);
        tolerance.pcc = Real::new(0.999).unwrap();
    }
    capture
}

pub(crate) fn sharded() -> Capture {
    let at = |y| range(core(0, 0), core(1, y));
    let create = |id, layout, orientation, bottom_up| {
        Command::CreateBuffer(commands::CreateBuffer {
            buffer: BufferId(id),
            name: format!("b{id}"),
            size: 8 * 64,
            page_size: 64,
            buffer_type: if id == 1 { BufferType::Dram } else { BufferType::L1 },
            layout,
            shard_spec: Some(ShardSpec {
                cores: vec![at(u32::from(id != 1))],
                shape: Shape2D { height: 4, width: 16 },
                orientation,
                page_shape: Shape2D { height: if id == 2 { 2 } else { 1 }, width: 16 },
                tensor2d_shape_in_pages: Shape2D { height: 8, width: 1 },
            }),
            bottom_up,
        })
    };
    let region = BufferRegion { offset: 128, size: 64 };
    let data = Data::generated(Generator::Constant { data_type: DataType::Uint32, bits: 5 }, 64);
    let mut read = read(3, "part", Expectation::Exact { hash: data.hash });
    if let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { region, .. }) = &mut read {
        *region = Some(BufferRegion { offset: 0, size: 64 });
    }
    let write = Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
        queue: QueueId(0),
        buffer: BufferId(0),
        data,
        blocking: false,
        region: Some(region),
    });
    let view = Command::CreateBufferView(commands::CreateBufferView {
        buffer: BufferId(3),
        name: "view".to_owned(),
        parent: BufferId(0),
        region: BufferRegion { offset: 128, size: 256 },
    });
    let commands = vec![
        done(create(0, BufferLayout::HeightSharded, ShardOrientation::RowMajor, Some(true))),
        done(create(1, BufferLayout::WidthSharded, ShardOrientation::ColMajor, None)),
        done(create(2, BufferLayout::BlockSharded, ShardOrientation::ColMajor, Some(false))),
        done(view),
        done(write),
        done(read),
    ];
    Capture { program: program(commands), record: None, outputs: Vec::new(), blobs: Blobs::new() }
}

/// All of them, by name.
pub(crate) fn all() -> Vec<(&'static str, Capture)> {
    vec![
        ("loopback", loopback()),
        ("pipeline", pipeline()),
        ("fault", fault()),
        ("race", race()),
        ("expected_fault", expected_fault()),
        ("raced_at_the_end", raced_at_the_end()),
        ("with_checks", with_checks()),
        ("printed", printed()),
        ("source_lines", super::sample_source_lines::source_lines()),
        ("shuffled_banks", shuffled_banks()),
        ("another_runtime", super::sample_origins::another_runtime()),
        ("failures", failures()),
        ("later_failures", later_failures()),
        ("updates", super::sample_updates::updates()),
        ("data", data()),
        ("correlated", correlated()),
        ("sharded", sharded()),
        ("queues", super::sample_queues::queues()),
        ("synchronized", super::sample_queues::synchronized()),
        ("binary", super::free_tensors::binary()),
    ]
}
