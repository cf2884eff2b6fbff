//! A capture of calls that change what a program has between its launches.

use std::collections::BTreeMap;

use super::samples::{FINISH, buffer, core, done, program, range, record};
use crate::commands;
use crate::model::*;

/// Calls that change what a program has between its launches.
pub(crate) fn updates() -> Capture {
    let address = |index| {
        let argument = RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
        ArgumentRelocation { index, argument }
    };
    let enqueue = Command::EnqueueProgram(commands::EnqueueProgram {
        queue: QueueId(0),
        program: ProgramId(0),
        blocking: false,
    });
    let mut program = program(vec![
        done(buffer(0, "dst", 64, 64)),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "p".to_owned(),
        })),
        done(Command::CreateKernel(commands::CreateKernel {
            kernel: KernelId(0),
            name: "k".to_owned(),
            program: ProgramId(0),
            source: "kernels/echo.cpp".to_owned(),
            cores: vec![range(core(0, 0), core(1, 0))],
            config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
            compile_args: vec![],
            defines: BTreeMap::new(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
        })),
        done(Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            kernel: KernelId(0),
            values: vec![0, 7, 0, 9],
            relocations: vec![
                address(0),
                ArgumentRelocation {
                    index: 2,
                    argument: RelocatedArgument::CoreNocX { x: 1, y: 2 },
                },
            ],
        })),
        done(enqueue.clone()),
        done(Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            kernel: KernelId(0),
            first: 2,
            values: vec![0, 10],
            relocations: vec![address(0)],
        })),
        done(enqueue),
        done(Command::CreateBuffer(commands::CreateBuffer {
            buffer: BufferId(1),
            name: "l1".to_owned(),
            size: 4096,
            page_size: 4096,
            buffer_type: BufferType::L1,
            layout: BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        })),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(1),
            name: "q".to_owned(),
        })),
        done(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer: CircularBufferId(0),
            name: "stage".to_owned(),
            program: ProgramId(1),
            cores: vec![CoreRange::single(core(0, 0))],
            total_size: 2048,
            indices: [3, 5]
                .map(|index| CircularBufferIndex {
                    index,
                    page_size: 1024,
                    data_format: DataFormat::UInt32,
                    tile: None,
                })
                .into(),
            globally_allocated_address: Some(GloballyAllocatedAddress {
                buffer: BufferId(1),
                address_offset: 1024,
            }),
        })),
        done(Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer: CircularBufferId(0),
            total_size: 1536,
        })),
        done(Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            circular_buffer: CircularBufferId(0),
            index: 5,
            page_size: 512,
        })),
        done(Command::UpdateDynamicCircularBufferAddress(
            commands::UpdateDynamicCircularBufferAddress {
                circular_buffer: CircularBufferId(0),
                buffer: BufferId(1),
                address_offset: 32,
            },
        )),
        done(Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            commands::UpdateDynamicCircularBufferAddressAndTotalSize {
                circular_buffer: CircularBufferId(0),
                buffer: BufferId(1),
                total_size: 512,
            },
        )),
        done(FINISH),
    ]);
    let source = b"echo".as_slice();
    let hash = ContentHash::of(source);
    program.sources = vec![SourceFile { path: "kernels/echo.cpp".to_owned(), hash }];
    let blobs = [(hash, source.into())].into();
    Capture { program, record: Some(record()), outputs: Vec::new(), blobs }
}
