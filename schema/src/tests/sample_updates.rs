//! A capture of calls that change what a program has between its launches.

use std::collections::BTreeMap;

use super::samples::{FINISH, buffer, core, done, program, range, record};
use crate::model::*;

/// Calls that change what a program has between its launches.
pub(crate) fn updates() -> Capture {
    let at = |index, kind, object| ArgumentRelocation { index, kind, object, offset: 0 };
    let enqueue =
        Command::EnqueueProgram { queue: QueueId(0), program: ProgramId(0), blocking: false };
    let mut program = program(vec![
        done(buffer(0, "dst", 64, 64)),
        done(Command::CreateProgram { program: ProgramId(0), name: "p".to_owned() }),
        done(Command::CreateKernel {
            kernel: KernelId(0),
            name: "k".to_owned(),
            program: ProgramId(0),
            source: "kernels/echo.cpp".to_owned(),
            cores: vec![range(core(0, 0), core(1, 0))],
            config: KernelConfig::DataMovement {
                processor: DataMovementProcessor::Riscv0,
                noc: NocId::Noc0,
            },
            compile_args: vec![],
            defines: BTreeMap::new(),
        }),
        done(Command::SetCommonRuntimeArgs {
            kernel: KernelId(0),
            values: vec![0, 7, 0, 9],
            relocations: vec![
                at(0, RelocationKind::BufferAddress, 0),
                at(2, RelocationKind::CoreNocX, 1 | 2 << 16),
            ],
        }),
        done(enqueue.clone()),
        done(Command::UpdateCommonRuntimeArgs {
            kernel: KernelId(0),
            first: 2,
            values: vec![0, 10],
            relocations: vec![at(0, RelocationKind::BufferAddress, 0)],
        }),
        done(enqueue),
        done(FINISH),
    ]);
    let source = b"echo".as_slice();
    let hash = ContentHash::of(source);
    program.sources = vec![SourceFile { path: "kernels/echo.cpp".to_owned(), hash }];
    let blobs = [(hash, source.into())].into();
    Capture { program, record: Some(record()), outputs: Vec::new(), blobs }
}
