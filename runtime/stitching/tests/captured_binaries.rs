//! Binaries as captures: written to bytes, read by a device without kernels of its own, submitted; and refused
//! captures.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription, LogicalCore};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::{
    CaptureOptions, CapturedKernels, CapturedKernelsError, CommandQueue, Device, DeviceOptions,
    DeviceSettings, KernelLibrary, NoKernels, ReplayError, ReplayOptions, SuiteKernels,
    TensorAccessorArgs, open_device, replay,
};
use hallmark_schema::commands::{
    Command, CreateCircularBuffer, CreateKernel, CreateProgram, EnqueueProgram, Finish,
    SetRuntimeArgs,
};
use hallmark_schema::model::{
    ArgumentRelocation, Blobs, BufferId, BufferType, Capture, CircularBufferId,
    CircularBufferIndex, ContentHash, CoreArguments, CoreRange, DataFormat, DataMovementProcessor,
    Failure, KernelConfig, KernelId, NocId, Outcome, ProgramId, QueueId, RecordedCommand,
    RelocatedArgument, Shape2D, ShardOrientation, SharedBytes, TensorRole,
};
use hallmark_schema::{from_jsonl, to_jsonl};
use hallmark_stitching::{
    Binary, BinaryError, BinaryProblem, BinaryTensor, Order, Stitching, StitchingError,
};
use hallmark_tensor::{
    DataType, Layout, MemoryConfig, Shape, ShardStrategy, TensorPages, TensorSharding, TensorSpec,
    TileShape,
};

const FIRST: CommandQueue = CommandQueue::FIRST;
const SECOND: CommandQueue = CommandQueue::SECOND;
const SIZES: [u32; 2] = [64, 96];
const SOURCE: &str = "kernels/add_to_pages.cpp";

fn chip() -> &'static ChipDescription {
    ChipDescription::of(Architecture::WormholeB0)
}

fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites")
}

/// The prebuilt kernels of the suites: the test compiles nothing.
fn suite_kernels() -> Box<dyn KernelLibrary> {
    let prebuilt = suites().join("kernels/prebuilt");
    let store = KernelStore::builder().prebuilt(prebuilt).only_prebuilt().build();
    Box::new(SuiteKernels::new(suites(), Arc::new(store)))
}

fn options(kernels: Box<dyn KernelLibrary>) -> DeviceOptions {
    let firmware = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
    let mut options = DeviceOptions::new(Arc::new(firmware), kernels);
    options.num_command_queues = 2;
    options
}

fn open(kernels: Box<dyn KernelLibrary>) -> Device {
    let device = open_device(&"sim:wormhole_b0".parse().unwrap(), DeviceSettings::default());
    Device::open(device.unwrap(), options(kernels)).unwrap()
}

fn modelled() -> Device {
    Device::modelled(chip(), options(suite_kernels())).unwrap()
}

fn pages(layout: Layout, memory: BufferType) -> TensorPages {
    let spec = TensorSpec::new(Shape::new(&SIZES).unwrap(), DataType::Uint32, layout).unwrap();
    TensorPages::new(spec, &MemoryConfig::interleaved(memory)).unwrap()
}

/// Every word of a tensor plus a number, page by page.
struct Adds {
    number: u32,
    core: LogicalCore,
    from: TensorPages,
    to: TensorPages,
}

impl Adds {
    /// The same as `add_five` of `suites/tensors/stitching.yaml`.
    fn five() -> Self {
        let tiles = pages(Layout::Tile(TileShape::FULL), BufferType::Dram);
        Self { number: 5, core: LogicalCore { x: 0, y: 0 }, from: tiles.clone(), to: tiles }
    }

    /// The same as `add_thousand` there.
    fn thousand() -> Self {
        let from = pages(Layout::RowMajor, BufferType::L1);
        let to = pages(Layout::RowMajor, BufferType::Dram);
        Self { number: 1000, core: LogicalCore { x: 1, y: 1 }, from, to }
    }

    fn tensors(&self) -> (Vec<BinaryTensor>, Vec<BinaryTensor>) {
        let tensor = |name: &str, buffer, pages: &TensorPages| BinaryTensor {
            name: name.to_owned(),
            buffer: BufferId(buffer),
            pages: pages.clone(),
        };
        (vec![tensor("x", 0, &self.from)], vec![tensor("sum", 1, &self.to)])
    }

    fn commands(&self) -> Vec<Command> {
        let (inputs, outputs) = self.tensors();
        let cores = vec![CoreRange { start: self.core, end: self.core }];
        let page = u32::try_from(self.from.page_bytes()).unwrap();
        let accessor = |pages: &TensorPages| {
            TensorAccessorArgs::interleaved(chip(), pages.buffer_type(), pages.page_bytes())
        };
        let (from, to) = (accessor(&self.from), accessor(&self.to));
        let address = |index| ArgumentRelocation {
            index,
            argument: RelocatedArgument::BufferAddress { buffer: BufferId(index), offset: 0 },
        };
        let end = u32::try_from(self.from.pages()).unwrap();
        let program = ProgramId(0);
        vec![
            Command::CreateBuffer(inputs[0].create_buffer()),
            Command::CreateBuffer(outputs[0].create_buffer()),
            Command::CreateProgram(CreateProgram { program, name: "program".to_owned() }),
            Command::CreateCircularBuffer(CreateCircularBuffer {
                circular_buffer: CircularBufferId(0),
                name: "scratch".to_owned(),
                program,
                cores: cores.clone(),
                total_size: page.into(),
                indices: vec![CircularBufferIndex {
                    index: 0,
                    page_size: page,
                    data_format: DataFormat::UInt32,
                    tile: None,
                }],
                globally_allocated_address: None,
            }),
            Command::CreateKernel(CreateKernel {
                kernel: KernelId(0),
                name: "kernel".to_owned(),
                program,
                source: SOURCE.to_owned(),
                cores: cores.clone(),
                config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
                compile_args: [from.compile_args(), to.compile_args()].concat(),
                defines: BTreeMap::new(),
                named_compile_args: BTreeMap::new(),
                opt_level: None,
                bindings: None,
            }),
            Command::SetRuntimeArgs(SetRuntimeArgs {
                kernel: KernelId(0),
                args: vec![CoreArguments {
                    cores,
                    values: vec![0, 0, page, self.number, 0, end],
                    relocations: vec![address(0), address(1)],
                }],
            }),
            Command::EnqueueProgram(EnqueueProgram { queue: QueueId(0), program, blocking: false }),
        ]
    }

    fn binary(&self) -> Binary {
        let (inputs, outputs) = self.tensors();
        Binary::new("adds", self.commands(), Blobs::new(), inputs, outputs).unwrap()
    }

    /// The bytes that a compiler would write.
    fn written(&self) -> Vec<u8> {
        self.binary().to_capture(&mut modelled()).unwrap().to_bytes().unwrap()
    }

    fn capture(&self) -> Capture {
        Capture::from_bytes(&self.written()).unwrap()
    }
}

/// A library with only the kernels of these captures.
fn kernels_of(captures: &[&Capture]) -> CapturedKernels {
    let mut kernels = CapturedKernels::before(Box::new(NoKernels));
    captures.iter().for_each(|capture| kernels.add(capture).unwrap());
    kernels
}

fn numbers() -> Vec<u32> {
    (0..SIZES[0] * SIZES[1]).map(|place| place.wrapping_mul(0x9e37_79b9)).collect()
}

fn bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn sums(number: u32) -> Vec<u8> {
    bytes(&numbers().into_iter().map(|it| it.wrapping_add(number)).collect::<Vec<_>>())
}

#[test]
fn a_capture_says_all_that_a_binary_is() {
    for adds in [Adds::five(), Adds::thousand()] {
        let (made, capture) = (adds.binary(), adds.capture());
        let again = Binary::from_capture("adds", &capture).unwrap();
        assert_eq!(again, made);
        assert_eq!(Binary::from_capture("other", &capture).unwrap().name(), "other");
        assert_eq!(from_jsonl(&to_jsonl(&capture)).unwrap(), capture);
        assert_eq!(capture.missing_blobs(), []);
        assert_eq!(again.to_capture(&mut modelled()).unwrap(), capture);
    }
}

/// Everything that runs comes from the two files.
#[test]
fn binaries_out_of_bytes_are_stitched_and_add_what_they_say() {
    let (five, thousand) = (Adds::five().written(), Adds::thousand().written());
    let five = Capture::from_bytes(&five).unwrap();
    let thousand = Capture::from_bytes(&thousand).unwrap();
    let mut device = open(Box::new(kernels_of(&[&five, &thousand])));
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let mut stitching = Stitching::new(device);
    let adds_five = stitching.load(Binary::from_capture("five", &five).unwrap());
    let adds_thousand = stitching.load(Binary::from_capture("thousand", &thousand).unwrap());
    let shape = Shape::new(&SIZES).unwrap();
    let data = bytes(&numbers());
    let given = stitching.create_tensor("a", data, &shape, &[96, 1], 4, DataType::Uint32).unwrap();
    let x = stitching.allocate_input_tensor("x", adds_five, 0).unwrap();
    let rows = stitching.allocate_input_tensor("rows", adds_thousand, 0).unwrap();
    let order = Order::on(FIRST);
    let loaded = stitching.to_layout(x, given, Order::on(SECOND)).unwrap();
    let (once, first) = stitching.submit(adds_five, &[x], order.after(&[loaded])).unwrap();
    // The second submission reads the first one's output, and its own output is the first one's input.
    let second =
        stitching.submit_into(adds_five, &once, &[x], Order::on(SECOND).after(&[first])).unwrap();
    let moved = stitching.to_layout(rows, x, order.after(&[second])).unwrap();
    let (sum, third) = stitching.submit(adds_thousand, &[rows], order.after(&[moved])).unwrap();
    let spec = TensorSpec::new(shape, DataType::Uint32, Layout::RowMajor).unwrap();
    for (tensor, number) in [(once[0], 5), (x, 10), (sum[0], 1010)] {
        let back = stitching.allocate_host("back", spec.clone());
        let read = stitching.to_layout(back, tensor, order.after(&[third])).unwrap();
        stitching.wait(read).unwrap();
        assert_eq!(stitching.content(back).unwrap().bytes(), sums(number), "{number}");
    }
    // The calls form an ordinary capture.
    let mut device = stitching.into_calls();
    let submitted = device.end_capture().unwrap();
    device.close().unwrap();
    assert!(!submitted.program.is_binary());
    let again = open_device(&"sim:wormhole_b0".parse().unwrap(), DeviceSettings::default());
    let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0).unwrap());
    assert!(replay(&submitted, again.unwrap(), &ReplayOptions::new(firmware)).unwrap().agrees());
}

#[test]
fn a_device_without_the_kernels_says_which_is_missing() {
    let capture = Adds::five().capture();
    let mut stitching = Stitching::new(open(Box::new(NoKernels)));
    let binary = stitching.load(Binary::from_capture("five", &capture).unwrap());
    let x = stitching.allocate_input_tensor("x", binary, 0).unwrap();
    stitching.is_written(x).unwrap();
    let error = stitching.submit(binary, &[x], Order::on(FIRST)).unwrap_err();
    assert!(matches!(error, StitchingError::Call(_)), "{error}");
    assert!(error.to_string().contains(SOURCE), "{error}");
}

#[test]
fn a_binary_cannot_be_replayed() {
    let capture = Adds::five().capture();
    let device = open_device(&"sim:wormhole_b0".parse().unwrap(), DeviceSettings::default());
    let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0).unwrap());
    let error = replay(&capture, device.unwrap(), &ReplayOptions::new(firmware)).unwrap_err();
    assert!(matches!(error, ReplayError::Binary), "{error}");
    assert!(error.to_string().contains("submit it with tensors"), "{error}");
}

#[test]
fn every_damage_of_the_file_is_refused() {
    let bytes = Adds::five().written();
    for cut in (0..bytes.len()).step_by(97) {
        assert!(Capture::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    for at in (0..bytes.len()).step_by(89) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        assert!(Capture::from_bytes(&flipped).is_err(), "flipped at {at}");
    }
}

/// Replaces each number of the text form in turn, with the hashes of the file recomputed: either a rule refuses
/// the capture, or it is a binary, or an error says why it is none.
#[test]
fn every_number_may_be_another_one() {
    let text = to_jsonl(&Adds::five().capture());
    let calls = text.lines().filter(|line| !line.starts_with("{\"blob\"")).count();
    let (mut refused, mut binaries, mut others) = (0_u32, 0_u32, 0_u32);
    for (place, line) in text.lines().enumerate().take(calls) {
        let digits: Vec<usize> = line
            .char_indices()
            .filter(|(at, letter)| {
                let before = line[..*at].chars().last();
                letter.is_ascii_digit() && matches!(before, Some(':' | '[' | ','))
            })
            .map(|(at, _)| at)
            .collect();
        for at in digits {
            let end = line[at..].find(|letter: char| !letter.is_ascii_digit()).unwrap() + at;
            for number in ["0", "1", "33", "65536", "4294967295", "18446744073709551615"] {
                let changed = format!("{}{number}{}", &line[..at], &line[end..]);
                let lines = text.lines().enumerate();
                let lines = lines.map(|(at, line)| if at == place { &changed } else { line });
                let text = lines.collect::<Vec<_>>().join("\n");
                let Ok(capture) = from_jsonl(&text) else {
                    refused += 1;
                    continue;
                };
                let _ = CapturedKernels::before(Box::new(NoKernels)).add(&capture);
                match Binary::from_capture("five", &capture) {
                    Ok(_) => binaries += 1,
                    Err(_) => others += 1,
                }
            }
        }
    }
    assert!(refused > 100 && binaries > 100 && others > 10, "{refused} {binaries} {others}");
}

fn refused(change: impl FnOnce(&mut Capture)) -> BinaryError {
    let mut capture = Adds::five().capture();
    Binary::from_capture("five", &capture).unwrap();
    change(&mut capture);
    Binary::from_capture("five", &capture).unwrap_err()
}

#[test]
fn what_is_no_binary_says_why() {
    let error = refused(|it| it.program.free_tensors.clear());
    assert!(matches!(error, BinaryError::NoTensors), "{error}");
    let error = refused(|it| it.program.placement_bound = true);
    assert!(matches!(error, BinaryError::PlacementBound), "{error}");
    let error = refused(|it| {
        it.program.commands[5].outcome = Outcome::Failed(Failure::DeviceLost {});
    });
    assert!(matches!(error, BinaryError::NotDone { place, .. } if place.0 == 5), "{error}");
    let error = refused(|it| it.program.commands[6].outcome = Outcome::Unfinished);
    assert!(matches!(error, BinaryError::NotDone { place, .. } if place.0 == 6), "{error}");
    let error = refused(|it| it.program.free_tensors[0].data_format = DataFormat::Float16);
    assert!(matches!(error, BinaryError::Format { format: DataFormat::Float16, .. }), "{error}");
    assert!(error.to_string().starts_with("input `x` has elements of Float16"), "{error}");
    let tensor = |error: &BinaryError, of: TensorRole| matches!(error, BinaryError::Tensor { role, .. } if *role == of);
    let error = refused(|it| {
        it.program.free_tensors[1].data_format = DataFormat::Bfp8B;
        it.program.free_tensors[1].tile = None;
    });
    assert!(tensor(&error, TensorRole::Output), "{error}");
    let error = refused(|it| {
        it.program.free_tensors[0].tile = Some(Shape2D { height: 64, width: 32 });
    });
    assert!(tensor(&error, TensorRole::Input), "{error}");
    let error = refused(|it| it.program.free_tensors[0].shape = vec![1; 9]);
    assert!(tensor(&error, TensorRole::Input), "{error}");
    // The format accepts a tensor smaller than its buffer, but its pages differ.
    let error = refused(|it| it.program.free_tensors[1].shape = vec![32, 96]);
    let calls = |error: &BinaryError, is_that: fn(&BinaryProblem) -> bool| matches!(error, BinaryError::Calls(problem) if is_that(problem));
    assert!(calls(&error, |it| matches!(it, BinaryProblem::OtherBuffer { .. })), "{error}");
    let error = refused(|it| it.program.free_tensors[1].buffer = BufferId(9));
    assert!(calls(&error, |it| matches!(it, BinaryProblem::NoBuffer { .. })), "{error}");
    let error = refused(|it| {
        let command = Command::Finish(Finish { queue: QueueId(0) });
        it.program.commands.push(RecordedCommand { command, outcome: Outcome::Done });
    });
    assert!(calls(&error, |it| matches!(it, BinaryProblem::Call { place: 7, .. })), "{error}");
}

#[test]
fn constants_are_embedded_or_missed() {
    let with_constant = || {
        let constant: SharedBytes = vec![7_u8; 64].into();
        let hash = ContentHash::of(&constant);
        let mut commands = Adds::five().commands();
        let buffer = BufferId(2);
        let own = hallmark_schema::commands::CreateBuffer {
            buffer,
            name: "own".to_owned(),
            size: 64,
            page_size: 64,
            buffer_type: BufferType::Dram,
            layout: hallmark_schema::model::BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        };
        let data = hallmark_schema::model::Data { length: 64, hash, generator: None };
        let write = hallmark_schema::commands::EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer,
            data,
            blocking: false,
            region: None,
        };
        commands.insert(2, Command::CreateBuffer(own));
        commands.insert(3, Command::EnqueueWriteBuffer(write));
        let (inputs, outputs) = Adds::five().tensors();
        let blobs = Blobs::from([(hash, constant)]);
        (Binary::new("adds", commands, blobs, inputs, outputs).unwrap(), hash)
    };
    let (binary, hash) = with_constant();
    let mut capture = binary.to_capture(&mut modelled()).unwrap();
    let again = Binary::from_capture("adds", &capture).unwrap();
    assert_eq!(again, binary);
    assert_eq!(again.blobs().keys().collect::<Vec<_>>(), [&hash]);
    capture.blobs.remove(&hash);
    let error = Binary::from_capture("adds", &capture).unwrap_err();
    assert!(
        matches!(error, BinaryError::BlobMissing { place, hash: missing } if place.0 == 3 && missing == hash),
        "{error}"
    );
}

#[test]
fn tensors_are_declared_on_a_capture_of_the_calls() {
    let adds = Adds::five();
    let (inputs, outputs) = adds.tensors();
    let recorded = |commands: Vec<Command>| {
        let mut device = modelled();
        let mut recording = device.capture(&CaptureOptions::default()).unwrap();
        for command in commands {
            recording.make_call(command, &Blobs::new()).unwrap();
        }
        recording.end().unwrap()
    };
    let declared = Binary::declare(recorded(adds.commands()), &inputs, &outputs).unwrap();
    assert_eq!(declared, adds.capture());
    let twice = [inputs[0].clone(), inputs[0].clone()];
    let error = Binary::declare(recorded(adds.commands()), &twice, &outputs).unwrap_err();
    assert!(matches!(error, BinaryError::Capture(_)), "{error}");
    let error = Binary::declare(recorded(adds.commands()), &[], &[]).unwrap_err();
    assert!(matches!(error, BinaryError::NoTensors), "{error}");
    let mut waits = adds.commands();
    waits.push(Command::Finish(Finish { queue: QueueId(0) }));
    let error = Binary::declare(recorded(waits), &inputs, &outputs).unwrap_err();
    assert!(matches!(error, BinaryError::Calls(BinaryProblem::Call { .. })), "{error}");
    let mut unknown = adds.binary();
    if let Some(Command::CreateKernel(call)) = unknown.commands().get(4).cloned().as_mut() {
        call.source = "kernels/no_such_kernel.cpp".to_owned();
        let mut commands = adds.commands();
        commands[4] = Command::CreateKernel(call.clone());
        unknown = Binary::new("adds", commands, Blobs::new(), inputs, outputs).unwrap();
    }
    let error = unknown.to_capture(&mut modelled()).unwrap_err();
    assert!(matches!(error, BinaryError::Call(_)), "{error}");
}

/// Only the buffer states the cores of a tensor's shards.
#[test]
fn shards_and_blocks_survive_the_capture() {
    let core = |x, y| LogicalCore { x, y };
    let range = |columns, rows| CoreRange { start: core(1, 1), end: core(columns, rows) };
    let places = [
        (ShardStrategy::Height, (32, 96), range(1, 2), ShardOrientation::RowMajor),
        (ShardStrategy::Width, (64, 32), range(3, 1), ShardOrientation::RowMajor),
        // More cores than shards; only those with a shard are named.
        (ShardStrategy::Block, (32, 32), range(4, 4), ShardOrientation::ColMajor),
    ];
    for (strategy, (height, width), cores, orientation) in places {
        for data_type in DataType::ALL {
            let shape = Shape::new(&SIZES).unwrap();
            let layout = Layout::Tile(TileShape::FULL);
            let spec = TensorSpec::new(shape, data_type, layout).unwrap();
            let shape = Shape2D { height, width };
            let sharding = TensorSharding { strategy, cores: vec![cores], shape, orientation };
            let memory = MemoryConfig { buffer_type: BufferType::L1, sharding: Some(sharding) };
            let pages = TensorPages::new(spec, &memory).unwrap();
            let mut adds = Adds::five();
            adds.to = pages.clone();
            let (inputs, outputs) = adds.tensors();
            let mut commands = adds.commands();
            // The kernel's use of the tensor does not matter here.
            commands.remove(5);
            commands.remove(4);
            commands.remove(3);
            let binary = Binary::new("adds", commands, Blobs::new(), inputs, outputs).unwrap();
            let mut commands = binary.commands().to_vec();
            commands.pop();
            let mut device = modelled();
            let mut recording = device.capture(&CaptureOptions::default()).unwrap();
            for command in commands {
                recording.make_call(command, &Blobs::new()).unwrap();
            }
            let mut capture = recording.end().unwrap();
            capture.program.commands.push(RecordedCommand {
                command: binary.commands().last().unwrap().clone(),
                outcome: Outcome::Done,
            });
            let declared = Binary::declare(capture, binary.inputs(), binary.outputs()).unwrap();
            let read = Capture::from_bytes(&declared.to_bytes().unwrap()).unwrap();
            let again = Binary::from_capture("adds", &read).unwrap();
            assert_eq!(again.outputs()[0].pages, pages, "{strategy} {data_type}");
        }
    }
}

#[test]
fn kernels_of_captures_are_found_by_source_and_configuration() {
    let (five, thousand) = (Adds::five().capture(), Adds::thousand().capture());
    let request = |capture: &Capture, library: &mut CapturedKernels| {
        let Command::CreateKernel(call) = &capture.program.commands[4].command else { panic!() };
        let request = hallmark_runtime::KernelRequest::of(call, Architecture::WormholeB0);
        library.kernel(&request).map(|found| found.builds.len())
    };
    let mut one = kernels_of(&[&five]);
    assert_eq!(request(&five, &mut one), Ok(1));
    // Other compile-time arguments are another kernel, which no library has.
    assert!(request(&thousand, &mut one).is_err());
    let mut both = kernels_of(&[&five, &thousand, &five]);
    assert_eq!(request(&five, &mut both), Ok(1));
    assert_eq!(request(&thousand, &mut both), Ok(1));
    let mut fallen_back = CapturedKernels::before(suite_kernels());
    fallen_back.add(&five).unwrap();
    assert_eq!(request(&thousand, &mut fallen_back), Ok(1));
    // A golden has no ELFs, so the library takes none from it.
    let mut bare = five.clone();
    bare.record = None;
    assert!(request(&five, &mut kernels_of(&[&bare])).is_err());
}

#[test]
fn kernels_that_cannot_be_given_out_are_named() {
    let five = Adds::five().capture();
    let refused = |change: &dyn Fn(&mut Capture)| {
        let mut capture = five.clone();
        change(&mut capture);
        let mut library = kernels_of(&[&five]);
        library.add(&capture).unwrap_err()
    };
    let record = |capture: &mut Capture| capture.record.clone().unwrap();
    let error = refused(&|it| {
        let mut changed = record(it);
        changed.firmware.launch_abi += 1;
        it.record = Some(changed);
    });
    assert!(matches!(error, CapturedKernelsError::LaunchAbi { .. }), "{error}");
    let elf = five.record.as_ref().unwrap().elfs[0].hash;
    let error = refused(&|it| drop(it.blobs.remove(&elf)));
    assert!(
        matches!(&error, CapturedKernelsError::BlobMissing { hash, .. } if *hash == elf),
        "{error}"
    );
    let source = five.program.sources.iter().find(|file| file.path == SOURCE).unwrap().hash;
    let error = refused(&|it| drop(it.blobs.remove(&source)));
    assert!(
        matches!(&error, CapturedKernelsError::BlobMissing { hash, .. } if *hash == source),
        "{error}"
    );
    let error = refused(&|it| it.program.sources.retain(|file| file.path != SOURCE));
    assert!(matches!(error, CapturedKernelsError::Source { .. }), "{error}");
    let error = refused(&|it| {
        let mut changed = record(it);
        changed.elfs[0].processor = 1;
        it.record = Some(changed);
    });
    assert!(matches!(error, CapturedKernelsError::OtherProcessors { .. }), "{error}");
    // Another build of the same kernel, and another text of the same file.
    let other: SharedBytes = b"another ELF".to_vec().into();
    let hash = ContentHash::of(&other);
    let error = refused(&|it| {
        let mut changed = record(it);
        changed.elfs[0].hash = hash;
        it.record = Some(changed);
        it.blobs.insert(hash, other.clone());
    });
    assert!(matches!(error, CapturedKernelsError::Differs { .. }), "{error}");
    let error = refused(&|it| {
        it.program.sources[0].hash = hash;
        it.blobs.insert(hash, other.clone());
    });
    assert!(matches!(error, CapturedKernelsError::Differs { .. }), "{error}");
}
