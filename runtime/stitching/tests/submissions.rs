//! Binaries as calls: the calls of submissions, and lists of calls that form no binary.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;

use hallmark_chip::{Architecture, ChipDescription, LogicalCore};
use hallmark_runtime::CommandQueue;
use hallmark_schema::commands::{
    Command, CreateBuffer, CreateKernel, CreateProgram, EnqueueProgram, EnqueueWriteBuffer, Finish,
    SetCommonRuntimeArgs, SetRuntimeArgs,
};
use hallmark_schema::model::{
    ArgumentRelocation, Blobs, BufferId, BufferLayout, BufferType, ContentHash, CoreArguments,
    CoreRange, Data, DataMovementProcessor, KernelConfig, KernelId, NocId, NocMode, ProgramId,
    QueueId, RelocatedArgument, SharedBytes,
};
use hallmark_stitching::{
    Binary, BinaryProblem, BinaryTensor, Order, PlannedCalls, Stitching, StitchingError, Tensor,
    TensorProperty, TensorRole,
};
use hallmark_tensor::{DataType, Layout, MemoryConfig, Shape, TensorPages, TensorSpec, TileShape};

const FIRST: CommandQueue = CommandQueue::FIRST;
const TILES: Layout = Layout::Tile(TileShape::FULL);

fn pages(sizes: &[u32], data_type: DataType, layout: Layout, memory: BufferType) -> TensorPages {
    let spec = TensorSpec::new(Shape::new(sizes).unwrap(), data_type, layout).unwrap();
    TensorPages::new(spec, &MemoryConfig::interleaved(memory)).unwrap()
}

fn tiles() -> TensorPages {
    pages(&[64, 64], DataType::Uint32, TILES, BufferType::Dram)
}

fn tensor(name: &str, buffer: u32, pages: TensorPages) -> BinaryTensor {
    BinaryTensor { name: name.to_owned(), buffer: BufferId(buffer), pages }
}

fn core() -> Vec<CoreRange> {
    let core = LogicalCore { x: 0, y: 0 };
    vec![CoreRange { start: core, end: core }]
}

fn constants() -> SharedBytes {
    vec![7_u8; 64].into()
}

/// Input 0, constants, output 0: buffers 0 to 2. One kernel gets all three addresses.
fn commands() -> Vec<Command> {
    let constants = constants();
    let data = Data { length: 64, hash: ContentHash::of(&constants), generator: None };
    let own = CreateBuffer {
        buffer: BufferId(1),
        name: "weights".to_owned(),
        size: 64,
        page_size: 64,
        buffer_type: BufferType::Dram,
        layout: BufferLayout::Interleaved,
        shard_spec: None,
        bottom_up: None,
    };
    let address = |index, buffer| ArgumentRelocation {
        index,
        argument: RelocatedArgument::BufferAddress { buffer: BufferId(buffer), offset: 0 },
    };
    vec![
        Command::CreateBuffer(tensor("in", 0, tiles()).create_buffer()),
        Command::CreateBuffer(own),
        Command::CreateBuffer(tensor("out", 2, tiles()).create_buffer()),
        Command::EnqueueWriteBuffer(EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer: BufferId(1),
            data,
            blocking: false,
            region: None,
        }),
        Command::CreateProgram(CreateProgram { program: ProgramId(0), name: "add".to_owned() }),
        Command::CreateKernel(CreateKernel {
            kernel: KernelId(0),
            name: "adds".to_owned(),
            program: ProgramId(0),
            source: "kernels/adds.cpp".to_owned(),
            cores: core(),
            config: KernelConfig::DataMovement {
                processor: DataMovementProcessor::Riscv0,
                noc: NocId::Noc0,
                noc_mode: NocMode::Dedicated,
            },
            compile_args: Vec::new(),
            defines: BTreeMap::new(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
        }),
        Command::SetRuntimeArgs(SetRuntimeArgs {
            kernel: KernelId(0),
            args: vec![CoreArguments {
                cores: core(),
                values: vec![0, 0, 4],
                relocations: vec![address(0, 0), address(1, 2)],
            }],
        }),
        Command::SetCommonRuntimeArgs(SetCommonRuntimeArgs {
            kernel: KernelId(0),
            values: vec![0],
            relocations: vec![address(0, 1)],
        }),
        Command::EnqueueProgram(EnqueueProgram {
            queue: QueueId(0),
            program: ProgramId(0),
            blocking: false,
        }),
    ]
}

fn binary_of(commands: Vec<Command>) -> Result<Binary, BinaryProblem> {
    let blobs = Blobs::from([(ContentHash::of(&constants()), constants())]);
    let (inputs, outputs) = (vec![tensor("in", 0, tiles())], vec![tensor("out", 2, tiles())]);
    Binary::new("sums", commands, blobs, inputs, outputs)
}

fn stitching<'a>() -> Stitching<'a, PlannedCalls> {
    Stitching::new(PlannedCalls::new(ChipDescription::of(Architecture::WormholeB0)))
}

/// A tensor on the device with content.
fn filled(stitching: &mut Stitching<'_, PlannedCalls>, name: &str) -> Tensor {
    let shape = Shape::new(&[64, 64]).unwrap();
    let source = stitching
        .create_tensor(name, vec![1; 64 * 64 * 4], &shape, &[64, 1], 4, DataType::Uint32)
        .unwrap();
    let memory = MemoryConfig::interleaved(BufferType::Dram);
    let spec = tiles().spec().clone();
    let there = stitching.allocate_device(name, spec, &memory).unwrap();
    stitching.to_layout(there, source, Order::on(FIRST)).unwrap();
    there
}

fn kinds(commands: &[Command]) -> Vec<&'static str> {
    commands.iter().map(|command| command.kind().name()).collect()
}

/// The buffers whose addresses arguments hold.
fn addresses(commands: &[Command]) -> Vec<u32> {
    let relocations = commands.iter().flat_map(|command| match command {
        Command::SetRuntimeArgs(call) => {
            call.args.iter().flat_map(|args| args.relocations.clone()).collect()
        }
        Command::SetCommonRuntimeArgs(call) => call.relocations.clone(),
        _ => Vec::new(),
    });
    relocations
        .map(|relocation| match relocation.argument {
            RelocatedArgument::BufferAddress { buffer, .. } => buffer.0,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn the_first_submission_makes_the_objects_and_later_ones_set_arguments() {
    let mut stitching = stitching();
    let sums = stitching.load(binary_of(commands()).unwrap());
    let (one, other) = (filled(&mut stitching, "one"), filled(&mut stitching, "other"));
    let out = stitching.allocate_output_tensor("out", sums, 0).unwrap();
    stitching.calls().take();
    let second = CommandQueue::SECOND;
    let event = stitching.submit_into(sums, &[one], &[out], Order::on(second)).unwrap();
    let (calls, blobs) = stitching.calls().take();
    assert_eq!(
        kinds(&calls),
        [
            "create_buffer",
            "enqueue_write_buffer",
            "create_program",
            "create_kernel",
            "set_runtime_args",
            "set_common_runtime_args",
            "enqueue_program",
            "enqueue_record_event",
        ]
    );
    // Buffers 0 to 2 are tensors, 3 is the binary's own.
    assert_eq!(addresses(&calls), [0, 2, 3]);
    assert_eq!(blobs.len(), 1);
    let names: Vec<_> = calls.iter().filter_map(Command::created).map(|made| made.2).collect();
    assert_eq!(names, ["sums_weights", "sums_add", "sums_adds", "submission_2"]);
    let queues: Vec<_> = calls
        .iter()
        .filter_map(|call| match call {
            Command::EnqueueProgram(call) => Some(call.queue),
            Command::EnqueueWriteBuffer(call) => Some(call.queue),
            Command::EnqueueRecordEvent(call) => Some(call.queue),
            _ => None,
        })
        .collect();
    assert_eq!(queues, [QueueId(1); 3]);

    // The result is the next input; it is a tensor of its own.
    let before = [event];
    let order = Order::on(FIRST).after(&before).named("again");
    let (made, _) = stitching.submit(sums, &[out], order).unwrap();
    let (calls, _) = stitching.calls().take();
    assert_eq!(
        kinds(&calls),
        [
            "create_buffer",
            "enqueue_wait_for_event",
            "set_runtime_args",
            "enqueue_program",
            "enqueue_record_event",
        ]
    );
    assert_eq!(addresses(&calls), [2, 4]);
    assert_eq!(made.len(), 1);
    stitching.submit_into(sums, &[other], &made, Order::on(FIRST)).unwrap();
    assert_eq!(addresses(&stitching.calls().take().0), [1, 4]);
}

#[test]
fn tensors_that_do_not_fit_are_named_with_what_to_do() {
    let mut stitching = stitching();
    let sums = stitching.load(binary_of(commands()).unwrap());
    let input = filled(&mut stitching, "input");
    let out = stitching.allocate_output_tensor("out", sums, 0).unwrap();
    stitching.calls().take();
    let order = Order::on(FIRST);
    let mut property = |sizes: &[u32], data_type, layout, memory| {
        let other = pages(sizes, data_type, layout, memory);
        let memory = MemoryConfig::interleaved(memory);
        let other = stitching.allocate_device("other", other.spec().clone(), &memory).unwrap();
        stitching.calls().take();
        let refused = [
            stitching.submit_into(sums, &[other], &[out], order),
            stitching.submit_into(sums, &[input], &[other], order),
        ];
        assert_eq!(stitching.calls().take().0.len(), 0);
        let found = refused.map(|error| match error.unwrap_err() {
            StitchingError::OtherTensor(differs) => (differs.role, differs.what),
            other => panic!("{other}"),
        });
        assert_eq!(found[0].1, found[1].1);
        assert_eq!((found[0].0, found[1].0), (TensorRole::Input, TensorRole::Output));
        found[0].1
    };
    let rows = Layout::RowMajor;
    let dram = BufferType::Dram;
    assert_eq!(property(&[64, 63], DataType::Uint32, TILES, dram), TensorProperty::Shape);
    assert_eq!(property(&[64, 64], DataType::Int32, TILES, dram), TensorProperty::DataType);
    assert_eq!(property(&[64, 64], DataType::Uint32, rows, dram), TensorProperty::Layout);
    assert_eq!(
        property(&[64, 64], DataType::Uint32, TILES, BufferType::L1),
        TensorProperty::Memory
    );
    let error = stitching.submit_into(sums, &[], &[out], order).unwrap_err();
    assert_eq!(error.to_string(), "binary `sums` has 1 input, and 0 tensors are given");
    let error = stitching.submit_into(sums, &[input], &[input], order).unwrap_err();
    assert!(matches!(error, StitchingError::GivenTwice { .. }), "{error}");
    let error = stitching.submit_into(sums, &[out], &[input], order).unwrap_err();
    assert!(matches!(error, StitchingError::NoContent { .. }), "{error}");
    let error = stitching.allocate_input_tensor("more", sums, 1).unwrap_err();
    assert_eq!(error.to_string(), "binary `sums` has no input 1; it has 1, counted from 0");
    let rows = stitching.allocate_host("rows", tiles().spec().clone());
    let error = stitching.submit_into(sums, &[rows], &[out], order).unwrap_err();
    assert_eq!(
        error.to_string(),
        "input 0, `in`, of binary `sums` needs the memory interleaved dram, and tensor `rows` has the host's; bring the \
         tensor by to_layout into one of allocate_input_tensor"
    );
    assert_eq!(stitching.calls().take().0.len(), 0);
}

/// The output of a program is unknown before the run, unless the caller sets it.
#[test]
fn what_a_binary_writes_is_unknown_until_it_is_said() {
    let mut stitching = stitching();
    let sums = stitching.load(binary_of(commands()).unwrap());
    let input = filled(&mut stitching, "input");
    let order = Order::on(FIRST);
    let (outputs, _) = stitching.submit(sums, &[input], order).unwrap();
    let [output] = outputs[..] else { panic!("{outputs:?}") };
    let spec = pages(&[64, 64], DataType::Bfloat16, TILES, BufferType::Dram).spec().clone();
    let memory = MemoryConfig::interleaved(BufferType::L1);
    let next = stitching.allocate_device("next", spec, &memory).unwrap();
    let before = stitching.calls().take().0.len();
    assert!(before > 0);
    let error = stitching.to_layout(next, output, order).unwrap_err();
    assert!(matches!(error, StitchingError::UnknownUntilRun { .. }), "{error}");
    assert_eq!(stitching.calls().take().0.len(), 0);
    let known = stitching.known_content(input).unwrap().unwrap().into_owned();
    stitching.holds(output, &known, 0.0).unwrap();
    stitching.to_layout(next, output, order).unwrap();
    let (calls, _) = stitching.calls().take();
    assert_eq!(
        kinds(&calls),
        ["enqueue_read_buffer", "enqueue_write_buffer", "enqueue_record_event"]
    );
}

#[test]
fn what_is_no_binary_is_refused() {
    let changed = |change: &dyn Fn(&mut Vec<Command>)| {
        let mut commands = commands();
        change(&mut commands);
        binary_of(commands).unwrap_err()
    };
    let finish = || Command::Finish(Finish { queue: QueueId(0) });
    assert!(matches!(changed(&|it| it.push(finish())), BinaryProblem::Call { place: 9, .. }));
    assert!(matches!(
        changed(&|it| {
            it.remove(0);
        }),
        BinaryProblem::NoBuffer { role: TensorRole::Input, .. }
    ));
    assert!(matches!(
        changed(&|it| {
            it.remove(4);
        }),
        BinaryProblem::NoSuchObject { place: 4, id: 0, .. }
    ));
    assert!(matches!(
        changed(&|it| {
            it.pop();
        }),
        BinaryProblem::DoesNothing
    ));
    let writes = changed(&|it| {
        if let Some(Command::EnqueueWriteBuffer(call)) = it.get_mut(3) {
            call.buffer = BufferId(2);
        }
    });
    assert!(matches!(writes, BinaryProblem::WritesFreeTensor { place: 3, buffer: BufferId(2) }));
    for blocking in [3, 8] {
        let waits = changed(&|it| match it.get_mut(blocking) {
            Some(Command::EnqueueProgram(call)) => call.blocking = true,
            Some(Command::EnqueueWriteBuffer(call)) => call.blocking = true,
            other => panic!("{other:?}"),
        });
        assert!(matches!(waits, BinaryProblem::Call { place, .. } if place == blocking));
    }
    let fields: [&dyn Fn(&mut CreateBuffer); 4] = [
        &|call| call.size += 4096,
        &|call| call.page_size /= 2,
        &|call| call.buffer_type = BufferType::L1,
        &|call| call.layout = BufferLayout::HeightSharded,
    ];
    for change in fields {
        let other = changed(&|it| {
            if let Some(Command::CreateBuffer(call)) = it.get_mut(2) {
                change(call);
            }
        });
        assert!(matches!(other, BinaryProblem::OtherBuffer { role: TensorRole::Output, .. }));
    }
    let shared = Binary::new(
        "sums",
        commands(),
        Blobs::new(),
        vec![tensor("in", 0, tiles())],
        vec![tensor("out", 0, tiles())],
    );
    assert!(matches!(shared, Err(BinaryProblem::SharedBuffer { role: TensorRole::Output, .. })));
}
