//! Programs: the calls that create and change them, and programs that captures cannot hold.

use hallmark_schema::commands;
use hallmark_schema::model::{CircularBufferId, Command, KernelConfig, NocMode, OptLevel};

use super::*;

/// A program of one kernel with semaphores and dataflow buffers.
fn described(
    semaphores: Vec<SemaphoreDescription>,
    dataflow_buffers: Vec<DataflowBuffer>,
) -> RecordingBuilder {
    let mut recording = RecordingBuilder::new();
    recording.event(Event::ProgramDescribed(ProgramDescription {
        program: ObservedProgram(1),
        operation: "a".to_owned(),
        kernels: vec![kernel("k.cpp")],
        dataflow_buffers,
        semaphores,
    }));
    recording
}

fn semaphore(id: u32, x: u32) -> SemaphoreDescription {
    SemaphoreDescription { id, cores: cores(x, 0, x, 0), initial_value: 3, core_type: 11 }
}

#[test]
fn semaphores_keep_the_ids_by_which_kernels_ask_for_them() {
    // The same id twice, on different cores.
    let mut recording =
        described(vec![semaphore(0, 0), semaphore(0, 1), semaphore(1, 0)], Vec::new());
    recording.launch(1, &[]);
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    let made = conversion.capture.program.commands.iter();
    assert_eq!(made.filter(|it| matches!(it.command, Command::CreateSemaphore(_))).count(), 3);
}

fn only_reason(conversion: &Conversion) -> &Inconvertible {
    match conversion.missing.as_slice() {
        [Missing::Program { reason, .. }] => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_that_captures_cannot_hold_is_named_once_and_makes_no_call() {
    let mut cases: Vec<(RecordingBuilder, Inconvertible)> = vec![
        (
            described(vec![semaphore(1, 0)], Vec::new()),
            Inconvertible::SemaphoreId { id: 1, given: 0 },
        ),
        (
            described(vec![SemaphoreDescription { core_type: 2, ..semaphore(0, 0) }], Vec::new()),
            Inconvertible::SemaphoreCores { id: 0 },
        ),
    ];
    let other = |change: fn(&mut KernelDescription)| {
        let mut recording = RecordingBuilder::new();
        let mut kernel = kernel("k.cpp");
        change(&mut kernel);
        recording.describe(1, vec![kernel]);
        recording
    };
    cases.push((
        other(|kernel| kernel.options = KernelOptions::Other("EthernetKernel".to_owned())),
        Inconvertible::KernelKind { kernel: 0, class: "EthernetKernel".to_owned() },
    ));
    cases.push((
        other(|kernel| kernel.defines.push(("A-x".to_owned(), "1".to_owned()))),
        Inconvertible::Define { kernel: 0, name: "A-x".to_owned() },
    ));
    cases.push((other(|kernel| kernel.has_generated_bindings = true), Inconvertible::NoBindings));
    cases.push((
        other(|kernel| {
            if let KernelText::File { text, .. } = &mut kernel.text {
                *text = None;
            }
        }),
        Inconvertible::SourceUnreadable { path: "k.cpp".to_owned() },
    ));
    for (mut recording, reason) in cases {
        recording.launch(1, &[1]);
        recording.launch(1, &[2]);
        let conversion = recording.convert();
        assert_eq!(only_reason(&conversion), &reason);
        assert_eq!(conversion.capture.program.commands, []);
    }
}

#[test]
fn a_program_without_a_description_is_missing() {
    let mut recording = RecordingBuilder::new();
    recording.launch(8, &[1]);
    recording.launch(8, &[1]);
    assert_eq!(only_reason(&recording.convert()), &Inconvertible::NotDescribed);
}

#[test]
fn dataflow_buffers_are_circular_buffers_in_front_of_the_others() {
    let dataflow_buffer = DataflowBuffer {
        id: 0,
        index: 3,
        cores: cores(0, 0, 1, 1),
        entry_size: 64,
        entries: 4,
        data_format: 24,
    };
    let mut recording = described(Vec::new(), vec![dataflow_buffer]);
    recording.enqueue_with(1, vec![], vec![circular_buffer(0, 32, 2)]);
    recording.enqueue_with(1, vec![], vec![circular_buffer(0, 32, 2)]);
    let conversion = recording.convert();
    let made: Vec<(u64, u32)> = conversion
        .capture
        .program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::CreateCircularBuffer(call) => Some((call.total_size, call.indices[0].index)),
            _ => None,
        })
        .collect();
    assert_eq!(made, [(256, 3), (64, 0)]);
    assert_eq!(origin(&conversion).dataflow_buffers, [CircularBufferId(0)]);
}

#[test]
fn circular_buffers_change_between_launches_as_calls_change_them() {
    let mut recording = RecordingBuilder::new();
    recording.l1(0x8000, 4096);
    recording.l1(0xa000, 4096);
    recording.describe(1, vec![kernel("k.cpp")]);
    let at = |address, page_size, pages| CircularBufferState {
        given_address: Some(address),
        ..circular_buffer(0, page_size, pages)
    };
    recording.enqueue_with(1, vec![], vec![at(0x8000, 64, 4)]);
    recording.enqueue_with(1, vec![], vec![at(0xa040, 32, 2)]);
    recording.enqueue_with(1, vec![], vec![at(0xa040, 32, 2)]);
    let conversion = recording.convert();
    let changes: Vec<&Command> = conversion
        .capture
        .program
        .commands
        .iter()
        .map(|recorded| &recorded.command)
        .filter(|command| command.kind().name().contains("circular_buffer"))
        .collect();
    let [
        Command::CreateCircularBuffer(made),
        Command::UpdateDynamicCircularBufferAddress(moved),
        Command::UpdateCircularBufferTotalSize(resized),
        Command::UpdateCircularBufferPageSize(paged),
    ] = changes.as_slice()
    else {
        panic!("{changes:?}");
    };
    assert_eq!(made.globally_allocated_address.map(|it| it.buffer.0), Some(0));
    assert_eq!((moved.buffer.0, moved.address_offset), (1, 0x40));
    assert_eq!((resized.total_size, paged.page_size), (64, 32));
    assert_eq!(conversion.missing, []);
}

#[test]
fn circular_buffers_that_no_call_makes_so_end_the_program() {
    let launch = |states: [CircularBufferState; 2]| {
        let mut recording = RecordingBuilder::new();
        recording.describe(1, vec![kernel("a/device/k.cpp")]);
        for state in states {
            recording.enqueue_with(1, vec![], vec![state]);
        }
        recording.convert().missing
    };
    let plain = circular_buffer(0, 32, 2);
    let mut other_format = plain.clone();
    other_format.indices[0].data_format = 0;
    assert_eq!(
        launch([plain.clone(), other_format]),
        [Missing::Launches {
            program: "a_0".to_owned(),
            launch: 1,
            reason: Inconvertible::CircularBufferChange { number: 0 },
        }]
    );
    let nowhere = CircularBufferState { given_address: Some(0x77), ..plain.clone() };
    let [missing] = &launch([nowhere, plain])[..] else { panic!() };
    assert_eq!(
        missing.to_string(),
        "the program `a_0`, because a circular buffer is at address 119, where the capture has no L1 buffer"
    );
}

#[test]
fn upstreams_own_definitions_are_not_the_programs() {
    let conversion = copy().convert();
    let defines =
        conversion.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
            Command::CreateKernel(commands::CreateKernel { defines, .. }) => Some(defines),
            _ => None,
        });
    assert_eq!(defines.unwrap().keys().collect::<Vec<_>>(), ["SIZE"]);
}

#[test]
fn a_kernels_whole_configuration_is_kept() {
    let mut compute = kernel("c.cpp");
    compute.options = KernelOptions::Compute(ComputeOptions {
        math_fidelity: 3,
        fp32_dest_acc_en: true,
        dst_full_sync_en: true,
        // More entries than the chip has indices.
        unpack_to_dest_mode: [vec![1, 0, 1], vec![1; 29], vec![0; 32]].concat(),
        bfp8_pack_precise: true,
        math_approx_mode: true,
    });
    compute.opt_level = 4;
    compute.named_compile_args = vec![("tiles".to_owned(), 9)];
    let mut dynamic = kernel("d.cpp");
    dynamic.options =
        KernelOptions::DataMovement(DataMovementOptions { processor: 1, noc: 1, noc_mode: 1 });
    let mut recording = RecordingBuilder::new();
    recording.describe(1, vec![compute, dynamic]);
    recording.launch(1, &[]);
    let conversion = recording.convert();
    let made: Vec<&commands::CreateKernel> = conversion
        .capture
        .program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::CreateKernel(call) => Some(call),
            _ => None,
        })
        .collect();
    let [compute, dynamic] = made.as_slice() else { panic!("{made:?}") };
    let KernelConfig::Compute {
        unpack_to_dest_mode,
        dst_full_sync_en: true,
        bfp8_pack_precise: true,
        ..
    } = &compute.config
    else {
        panic!("{:?}", compute.config);
    };
    assert_eq!(unpack_to_dest_mode.keys().collect::<Vec<_>>(), [&1]);
    assert_eq!(compute.opt_level, Some(OptLevel::Os));
    assert_eq!(compute.named_compile_args.get("tiles"), Some(&9));
    assert!(matches!(
        dynamic.config,
        KernelConfig::DataMovement { noc_mode: NocMode::Dynamic, .. }
    ));
    // The level is the default of its kind.
    assert_eq!(dynamic.opt_level, None);
}

#[test]
fn tiles_that_are_not_whole_are_kept_and_unknown_formats_named() {
    let launch = |tile, data_format| {
        let mut recording = RecordingBuilder::new();
        recording.describe(1, vec![kernel("k.cpp")]);
        let mut state = circular_buffer(0, 32, 2);
        state.indices[0] = ConfiguredIndex { tile, data_format, ..state.indices[0].clone() };
        recording.enqueue_with(1, vec![], vec![state]);
        recording.convert()
    };
    let tile = |conversion: &Conversion| {
        conversion.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
            Command::CreateCircularBuffer(call) => call.indices[0].tile,
            _ => None,
        })
    };
    let observed = |shape, face_shape, transposes_within_face, transposes_faces| {
        Some(ObservedTile { shape, face_shape, transposes_within_face, transposes_faces })
    };
    assert_eq!(tile(&launch(observed((32, 32), (16, 16), false, false), 6)), None);
    let transposed = tile(&launch(observed((32, 32), (8, 16), true, true), 6)).unwrap();
    assert_eq!((transposed.face_shape.height, transposed.transpose), (8, true));
    let half = tile(&launch(observed((16, 32), (16, 16), false, false), 6)).unwrap();
    assert_eq!((half.shape.height, half.face_shape.width), (16, 16));
    // A tile of five rows; and a tile with elements transposed only within faces.
    for tile in
        [observed((5, 32), (5, 16), false, false), observed((32, 32), (16, 16), true, false)]
    {
        let reason = Inconvertible::Tile { index: 0, tile: tile.unwrap() };
        assert_eq!(only_reason(&launch(tile, 6)), &reason);
        assert!(reason.to_string().contains(" in faces of "), "{reason}");
    }
    let unknown = launch(None, 255);
    assert_eq!(only_reason(&unknown), &Inconvertible::DataFormat { index: 0, format: 255 });
}

#[test]
fn kernels_that_ask_for_tiles_are_told_those_of_the_circular_buffers_on_their_cores() {
    let asking = |call: &str| {
        with_source(&format!("{call}.cpp"), &format!("void kernel_main() {{ {call}(3); }}\n"))
    };
    let mut recording = RecordingBuilder::new();
    let mut small = circular_buffer(7, 64, 2);
    let tile = ObservedTile {
        shape: (16, 32),
        face_shape: (16, 16),
        transposes_within_face: false,
        transposes_faces: false,
    };
    // bfp8_b.
    small.indices =
        vec![ConfiguredIndex { index: 7, page_size: 64, data_format: 6, tile: Some(tile) }];
    let elsewhere = CircularBufferState { cores: cores(4, 4, 4, 4), ..circular_buffer(9, 32, 1) };
    let buffers = vec![circular_buffer(3, 48, 2), small, elsewhere];
    // Whatever its source names, a compute kernel configures the coprocessor by them.
    let mut computing = asking("copy_tile");
    computing.options = KernelOptions::Compute(ComputeOptions {
        math_fidelity: 4,
        fp32_dest_acc_en: false,
        dst_full_sync_en: false,
        unpack_to_dest_mode: vec![1; 32],
        bfp8_pack_precise: false,
        math_approx_mode: false,
    });
    recording.describe(1, vec![asking("get_dataformat"), asking("get_tile_height"), computing]);
    let none = KernelArguments { common: Vec::new(), cores: Vec::new() };
    recording.enqueue_with(1, vec![none.clone(), none.clone(), none], buffers);
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    let made = conversion.capture.program.commands.iter();
    let defines = made.filter_map(|it| match &it.command {
        Command::CreateKernel(call) => Some(call.defines.get("HALLMARK_TILES").map(String::as_str)),
        _ => None,
    });
    let all = Some("{3,5,2048,32,32},{7,6,544,16,32}");
    assert_eq!(defines.collect::<Vec<_>>(), [all, None, all]);
}
