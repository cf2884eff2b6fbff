//! A capture of a program that did not use Hallmark's runtime, with every field that only such captures have.

use std::collections::BTreeMap;

use super::samples::{FINISH, core, done, program, range, record};
use crate::commands;
use crate::model::*;

/// Each kind of generated name, with and without the values that may follow.
fn bindings() -> KernelBindings {
    let name = |kind, name: &str, values: &[u32]| KernelBinding {
        kind,
        name: name.to_owned(),
        values: values.to_vec(),
    };
    KernelBindings {
        names: vec![
            name(BindingKind::DataflowBuffer, "input", &[3, 0, 1, 5, 16, 8, 2, 1]),
            name(BindingKind::DataflowBuffer, "output", &[4, 3, 2]),
            name(BindingKind::Group, "all", &[1, 0]),
            name(BindingKind::Semaphore, "ready", &[2, 3]),
            name(BindingKind::Tensor, "input", &[1, 8, 255, 16, 16, 2, 2]),
            name(BindingKind::Scratchpad, "pad", &[3, 4096]),
            name(BindingKind::RuntimeArg, "pages", &[4]),
            name(BindingKind::CommonRuntimeArg, "stride", &[12]),
            name(BindingKind::CompileArg, "rows", &[u32::MAX]),
            name(BindingKind::NamedValue, "rows", &[6]),
        ],
        first_vararg: 2,
        first_common_vararg: 4,
        compile_time_varargs: 1,
    }
}

/// Every field and value that came with format 1.1 for such captures.
pub(crate) fn another_runtime() -> Capture {
    let cores = vec![range(core(0, 0), core(1, 0))];
    let kernel = |id: u32, config, opt_level| {
        done(Command::CreateKernel(commands::CreateKernel {
            kernel: KernelId(id),
            name: format!("k{id}"),
            program: ProgramId(0),
            source: "kernels/generated.cpp".to_owned(),
            cores: cores.clone(),
            config,
            compile_args: vec![18, 7],
            defines: BTreeMap::new(),
            named_compile_args: BTreeMap::from([
                ("cb::in".to_owned(), 0),
                ("pages".to_owned(), u32::MAX),
            ]),
            opt_level,
            bindings: (id == 0).then(bindings),
        }))
    };
    let shape = |height, width| Shape2D { height, width };
    let tiny = TileShape::of(shape(16, 32));
    let cut =
        TileShape { face_shape: shape(8, 16), transpose: true, ..TileShape::of(shape(32, 32)) };
    let tiles = [None, Some(tiny), Some(cut)];
    let index = |(index, data_format): (usize, DataFormat)| CircularBufferIndex {
        index: index as u32,
        page_size: 1088,
        data_format,
        tile: tiles[index % tiles.len()],
    };
    let buffer = |id, buffer_type| {
        done(Command::CreateBuffer(commands::CreateBuffer {
            buffer: BufferId(id),
            name: format!("b{id}"),
            size: 64,
            page_size: 64,
            buffer_type,
            layout: BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        }))
    };
    let argument = RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
    let relocations = vec![ArgumentRelocation { index: 0, argument }];
    let mut program = program(vec![
        buffer(0, BufferType::Dram),
        buffer(1, BufferType::L1Small),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "p".to_owned(),
        })),
        kernel(
            0,
            KernelConfig::DataMovement {
                processor: DataMovementProcessor::Riscv1,
                noc: NocId::Noc0,
                noc_mode: NocMode::Dynamic,
            },
            Some(OptLevel::Os),
        ),
        kernel(
            1,
            KernelConfig::Compute {
                math_fidelity: MathFidelity::HiFi4,
                fp32_dest_acc_en: true,
                math_approx_mode: true,
                dst_full_sync_en: true,
                unpack_to_dest_mode: BTreeMap::from([
                    (0, UnpackToDestMode::UnpackToDestFp32),
                    (24, UnpackToDestMode::UnpackToDestFp32),
                ]),
                bfp8_pack_precise: true,
            },
            Some(OptLevel::O2),
        ),
        done(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer: CircularBufferId(0),
            name: "c".to_owned(),
            program: ProgramId(0),
            cores: cores.clone(),
            total_size: 2176,
            indices: DataFormat::ALL.into_iter().enumerate().map(index).collect(),
            globally_allocated_address: None,
        })),
        done(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
            kernel: KernelId(0),
            args: vec![CoreArguments { cores, values: vec![0, 109_920], relocations }],
        })),
        done(Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            kernel: KernelId(1),
            values: vec![18],
            relocations: Vec::new(),
        })),
        done(FINISH),
    ]);
    program.placement_bound = true;
    program.l1_small_size = 24 << 10;
    program.worker_l1_size = 1 << 20;
    let text = b"void kernel_main() {}\n".as_slice();
    let hash = ContentHash::of(text);
    program.sources = vec![SourceFile { path: "kernels/generated.cpp".to_owned(), hash }];
    let word =
        |command, core, index| PlacementBoundWord { command: CommandIndex(command), core, index };
    let origin = Origin {
        executor: ExecutorRecord {
            name: "TT-Metalium".to_owned(),
            release: "0.81.1".to_owned(),
            build_id: "0123456789abcdef".to_owned(),
            kernel_compiler: "riscv-tt-elf-g++ 15.1.0".to_owned(),
        },
        missing: vec!["a global semaphore".to_owned(), "a read that was not waited for".to_owned()],
        relocations: RelocationCheck::Unchecked,
        placement_bound_words: vec![
            word(3, None, 0),
            word(6, Some(core(1, 0)), 1),
            word(7, None, 0),
        ],
        generated_bindings: vec![
            GeneratedBindings { kernel: KernelId(0), original: "kernels/reader.cpp".to_owned() },
            GeneratedBindings { kernel: KernelId(1), original: String::new() },
        ],
        dataflow_buffers: vec![CircularBufferId(0)],
    };
    let record = Record { origin: Some(origin), ..record() };
    let blobs = Blobs::from([(hash, text.into())]);
    Capture { program, record: Some(record), outputs: Vec::new(), blobs }
}
