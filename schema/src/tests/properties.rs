//! Properties of random programs: bytes and text give them back, and no bytes make a reader panic.

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

/// What a host program might do with a program, a kernel and some buffers.
fn a_program() -> impl Strategy<Value = ProgramPart> {
    let buffers = vec((name(), 0..64_u64, 1..64_u64, any::<bool>()), 1..5);
    let arguments = vec((vec(range(), 1..3), vec(any::<u32>(), 0..8), 0..8_u32), 0..3);
    let writes = vec((any::<prop::sample::Index>(), generator(), any::<bool>()), 0..4);
    let defines = proptest::collection::btree_map("[A-Z_][A-Z0-9_]{0,8}", "[ -~]{0,12}", 0..3);
    let kernel = (name(), vec(range(), 1..3), vec(any::<u32>(), 0..4), defines, any::<bool>());
    let failures = vec(failure(), 0..4);
    let common = (vec(0..3_u32, 0..5), any::<prop::sample::Index>());
    (buffers, kernel, arguments, common, writes, failures, any::<bool>()).prop_map(
        |(buffers, kernel, arguments, common, writes, failures, placement_bound)| {
            let mut commands = Vec::new();
            for (id, (name, pages, words, dram)) in buffers.iter().enumerate() {
                commands.push(done(Command::CreateBuffer(commands::CreateBuffer {
                    buffer: BufferId(id as u32),
                    name: name.clone(),
                    size: pages * words * 4,
                    page_size: words * 4,
                    buffer_type: if *dram { BufferType::Dram } else { BufferType::L1 },
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
            let (name, cores, compile_args, defines, compute) = kernel;
            let config = if compute {
                KernelConfig::Compute {
                    math_fidelity: MathFidelity::HiFi3,
                    fp32_dest_acc_en: false,
                    math_approx_mode: true,
                }
            } else {
                KernelConfig::DataMovement {
                    processor: DataMovementProcessor::Riscv0,
                    noc: NocId::Noc1,
                }
            };
            commands.push(done(Command::CreateKernel(commands::CreateKernel {
                kernel: KernelId(0),
                name,
                program: program_id,
                source: "k/s.cpp".into(),
                cores,
                config,
                compile_args,
                defines,
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
            let hash = ContentHash::of(b"");
            program.sources = vec![SourceFile { path: "k/s.cpp".into(), hash }];
            program
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn programs_survive_bytes_and_text(program in a_program()) {
        let bytes = program_bytes(&program).unwrap();
        prop_assert_eq!(&program_from_bytes(&bytes).unwrap(), &program);
        let capture = Capture {
            program,
            record: Some(record()),
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
