//! Properties of random programs: bytes and text give them back, and no bytes make a reader panic.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::samples::{FINISH, core, done, failed, program, record};
use crate::commands;
use crate::model::*;
use crate::{diff, from_jsonl, program_bytes, program_from_bytes, to_jsonl};

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_.+-]{0,12}"
}

fn range() -> impl Strategy<Value = CoreRange> {
    (0..8_u32, 0..9_u32).prop_flat_map(|(x, y)| {
        (x..8, y..9)
            .prop_map(move |(to_x, to_y)| CoreRange { start: core(x, y), end: core(to_x, to_y) })
    })
}

fn generator() -> impl Strategy<Value = Generator> {
    let integer = prop_oneof![Just(DataType::Uint8), Just(DataType::Uint32), Just(DataType::Int32)];
    prop_oneof![
        (any::<u8>()).prop_map(|bits| Generator::Constant {
            data_type: DataType::Uint16,
            bits: bits.into()
        }),
        (integer, any::<i64>(), any::<i64>()).prop_map(|(data_type, start, step)| {
            Generator::Sequence { data_type, start, step }
        }),
        any::<u64>().prop_map(|seed| Generator::Uniform { data_type: DataType::Float32, seed }),
        (any::<u64>(), -9_i32..=0, 0_i32..=9).prop_map(|(seed, minimum, maximum)| {
            let (minimum, maximum) = (Real::from(minimum), Real::from(maximum));
            Generator::UniformBetween { data_type: DataType::Int16, seed, minimum, maximum }
        }),
        (any::<u64>(), -1e3..1e3, 0.0..1e3).prop_map(|(seed, mean, deviation)| {
            let real = |value| Real::new(value).unwrap_or_default();
            let (mean, deviation) = (real(mean), real(deviation));
            Generator::Normal { data_type: DataType::Float16, seed, mean, deviation }
        }),
    ]
}

fn failure() -> impl Strategy<Value = Failure> {
    let known = Failure::from_numbers;
    (0..FailureCode::ALL.len(), any::<u32>()).prop_filter_map("a fault", move |(at, number)| {
        let code = FailureCode::ALL[at];
        let names = code.fields();
        if names.contains(&FieldName::Enqueue) || names.contains(&FieldName::First) {
            return None;
        }
        let numbers: Vec<u64> = names.iter().map(|_| number.into()).collect();
        known(code, &numbers).or_else(|| known(code, &names.iter().map(|_| 1).collect::<Vec<_>>()))
    })
}

fn data_format() -> impl Strategy<Value = DataFormat> {
    prop::sample::select(DataFormat::ALL.to_vec())
}

fn tile_shape() -> impl Strategy<Value = TileShape> {
    (0..6_u32, any::<bool>(), 0..3_u32, any::<bool>()).prop_map(|(rows, wide, cut, transpose)| {
        let shape = Shape2D { height: 1 << rows, width: if wide { 32 } else { 16 } };
        let tile = TileShape::of(shape);
        let face_shape = Shape2D { height: tile.face_shape.height, width: 16 >> cut };
        TileShape { face_shape, transpose: transpose && rows >= 4, ..tile }
    })
}

/// A configuration and, where there is one, an optimization level that is not its default.
fn config() -> impl Strategy<Value = (KernelConfig, Option<OptLevel>)> {
    let moves = prop::sample::select(vec![NocMode::Dedicated, NocMode::Dynamic]).prop_map(|mode| {
        KernelConfig::DataMovement {
            processor: DataMovementProcessor::Riscv0,
            noc: NocId::Noc1,
            noc_mode: mode,
        }
    });
    let modes =
        proptest::collection::btree_map(0..32_u32, Just(UnpackToDestMode::UnpackToDestFp32), 0..4);
    let flags = any::<[bool; 4]>();
    let computes = (modes, flags).prop_map(|(unpack_to_dest_mode, flags)| KernelConfig::Compute {
        math_fidelity: MathFidelity::HiFi3,
        fp32_dest_acc_en: flags[0],
        math_approx_mode: flags[1],
        dst_full_sync_en: flags[2],
        unpack_to_dest_mode,
        bfp8_pack_precise: flags[3],
    });
    let levels = vec![OptLevel::O0, OptLevel::O1, OptLevel::Os, OptLevel::Ofast, OptLevel::Oz];
    let level = proptest::option::of(prop::sample::select(levels));
    (prop_oneof![moves, computes], level)
}

fn origin() -> impl Strategy<Value = Origin> {
    let checks = vec![RelocationCheck::Unchecked, RelocationCheck::Checked];
    let executor = (name(), name(), name(), "[ -~]{0,20}").prop_map(
        |(name, release, build_id, kernel_compiler)| ExecutorRecord {
            name,
            release,
            build_id,
            kernel_compiler,
        },
    );
    let bindings = proptest::option::of(name()).prop_map(|original| {
        let bindings = original.map(|original| GeneratedBindings { kernel: KernelId(0), original });
        bindings.into_iter().collect()
    });
    let buffers = vec(Just(CircularBufferId(0)), 0..2);
    (executor, vec("[a-z]{1,9}", 0..3), prop::sample::select(checks), bindings, buffers).prop_map(
        |(executor, missing, relocations, generated_bindings, dataflow_buffers)| Origin {
            executor,
            missing,
            relocations,
            placement_bound_words: Vec::new(),
            generated_bindings,
            dataflow_buffers,
        },
    )
}

/// A random program with a kernel and some buffers.
fn a_program() -> impl Strategy<Value = ProgramPart> {
    let buffers = vec((name(), 0..64_u64, 1..64_u64, any::<bool>()), 1..5);
    let arguments = vec((vec(range(), 1..3), vec(any::<u32>(), 0..8), 0..8_u32), 0..3);
    let writes = vec((any::<prop::sample::Index>(), generator(), any::<bool>()), 0..4);
    let defines = proptest::collection::btree_map("[A-Z_][A-Z0-9_]{0,8}", "[ -~]{0,12}", 0..3);
    let named = proptest::collection::btree_map("[ !#-\\[\\]-~]{1,9}", any::<u32>(), 0..3);
    let kernel = (name(), vec(range(), 1..3), vec(any::<u32>(), 0..4), defines, config(), named);
    let circular = vec((data_format(), proptest::option::of(tile_shape())), 1..4);
    let opened = (0..2_u64, 0..2_u64);
    let failures = vec(failure(), 0..4);
    let common = (vec(0..3_u32, 0..5), any::<prop::sample::Index>());
    let tensors = vec((data_format(), proptest::option::of(tile_shape()), any::<bool>()), 5);
    let kernel = (kernel, circular, opened, tensors);
    (buffers, kernel, arguments, common, writes, failures, any::<bool>()).prop_map(
        |(buffers, kernel, arguments, common, writes, failures, placement_bound)| {
            let (kernel, indices, (l1_small_size, worker_l1_size), tensors) = kernel;
            let mut free: BTreeSet<usize> = (0..buffers.len()).collect();
            let mut commands = Vec::new();
            for (id, (name, pages, words, dram)) in buffers.iter().enumerate() {
                commands.push(done(Command::CreateBuffer(commands::CreateBuffer {
                    buffer: BufferId(id as u32),
                    name: name.clone(),
                    size: pages * words * 4,
                    page_size: words * 4,
                    buffer_type: match (dram, l1_small_size) {
                        (true, _) => BufferType::Dram,
                        (false, 0) => BufferType::L1,
                        (false, _) => BufferType::L1Small,
                    },
                    layout: BufferLayout::Interleaved,
                    shard_spec: None,
                    bottom_up: None,
                })));
            }
            let program_id = ProgramId(0);
            commands.push(done(Command::CreateProgram(commands::CreateProgram {
                program: program_id,
                name: "p".into(),
            })));
            let (name, cores, compile_args, defines, (config, opt_level), named_compile_args) =
                kernel;
            let cores_of_buffer = cores.clone();
            commands.push(done(Command::CreateKernel(commands::CreateKernel {
                kernel: KernelId(0),
                name,
                program: program_id,
                source: "k/s.cpp".into(),
                cores,
                config,
                compile_args,
                defines,
                named_compile_args,
                opt_level,
                bindings: None,
            })));
            let indices = indices.into_iter().zip((0..).step_by(3));
            commands.push(done(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                circular_buffer: CircularBufferId(0),
                name: "c".into(),
                program: program_id,
                cores: cores_of_buffer,
                total_size: 128,
                indices: indices
                    .map(|((data_format, tile), index)| CircularBufferIndex {
                        index,
                        page_size: 64,
                        data_format,
                        tile,
                    })
                    .collect(),
                globally_allocated_address: None,
            })));
            let args = arguments
                .into_iter()
                .map(|(cores, mut values, at)| {
                    let mut relocations = Vec::new();
                    if let Some(word) = values.get_mut(at as usize) {
                        *word = 0;
                        relocations.push(ArgumentRelocation {
                            index: at,
                            argument: RelocatedArgument::BufferAddress {
                                buffer: BufferId(at % buffers.len() as u32),
                                offset: at * 4,
                            },
                        });
                    }
                    CoreArguments { cores, values, relocations }
                })
                .collect();
            commands.push(done(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
                kernel: KernelId(0),
                args,
            })));
            let kernel = KernelId(0);
            let (words, updated) = common;
            let relocations: Vec<ArgumentRelocation> = (words.first() == Some(&0))
                .then_some(ArgumentRelocation {
                    index: 0,
                    argument: RelocatedArgument::CoreNocY { x: 1, y: 0 },
                })
                .into_iter()
                .collect();
            let first = updated.index(words.len() + 1);
            let values = words[first..].iter().rev().copied().collect();
            commands.push(done(Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                kernel,
                values: words,
                relocations,
            })));
            commands.push(done(Command::UpdateCommonRuntimeArgs(
                commands::UpdateCommonRuntimeArgs {
                    kernel,
                    first: first as u32,
                    values,
                    relocations: vec![],
                },
            )));
            for (at, generator, blocking) in writes {
                let at = at.index(buffers.len());
                free.remove(&at);
                let (_, pages, words, _) = buffers[at];
                commands.push(done(Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
                    queue: QueueId(0),
                    buffer: BufferId(at as u32),
                    data: Data::generated(generator, pages * words * 4),
                    blocking,
                    region: None,
                })));
            }
            for failure in failures {
                commands.push(failed(FINISH, failure));
            }
            let mut program = program(commands);
            program.placement_bound = placement_bound;
            program.l1_small_size = l1_small_size;
            program.worker_l1_size = worker_l1_size;
            let free = free.into_iter().zip(tensors).map(|(at, (data_format, tile, output))| {
                let (_, pages, words, _) = buffers[at];
                let role = if output { TensorRole::Output } else { TensorRole::Input };
                // The padding of a tile may exceed the buffer; no element is larger than a word.
                let size = |of: u64| if tile.is_some() { 0 } else { of as u32 };
                FreeTensor {
                    role,
                    name: format!("t{at}"),
                    buffer: BufferId(at as u32),
                    shape: vec![size(pages), size(words)],
                    data_format,
                    tile: tile.map(|tile| tile.shape),
                }
            });
            program.free_tensors = free.collect();
            program.free_tensors.sort_by_key(|tensor| tensor.role);
            let hash = ContentHash::of(b"");
            program.sources = vec![SourceFile { path: "k/s.cpp".into(), hash }];
            program
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn programs_survive_bytes_and_text(
        program in a_program(),
        origin in proptest::option::of(origin()),
    ) {
        let bytes = program_bytes(&program).unwrap();
        prop_assert_eq!(&program_from_bytes(&bytes).unwrap(), &program);
        let capture = Capture {
            program,
            record: Some(Record { origin, ..record() }),
            outputs: Vec::new(),
            blobs: Blobs::new(),
        };
        prop_assert_eq!(&Capture::from_bytes(&capture.to_bytes().unwrap()).unwrap(), &capture);
        prop_assert_eq!(&from_jsonl(&to_jsonl(&capture)).unwrap(), &capture);
        let journal_free = diff(&capture, &capture);
        prop_assert!(journal_free.is_empty());
    }

    #[test]
    fn different_programs_differ(first in a_program(), second in a_program()) {
        let differences = crate::diff_programs(&first, &second);
        prop_assert_eq!(differences.is_empty(), first == second, "{}", differences);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Capture::from_bytes(&bytes);
        let _ = program_from_bytes(&bytes);
        let _ = crate::journal::recover(&bytes);
        let _ = from_jsonl(&String::from_utf8_lossy(&bytes));
    }
}
