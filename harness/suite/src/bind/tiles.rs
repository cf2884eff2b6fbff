//! The tiles of circular buffers, for kernels that ask for them.
//!
//! TT-Metalium makes tables of tiles for each kernel when a program is compiled, from all circular buffers of the
//! program. Kernels here are built when they are created, so a test states the tiles in the kernel's definitions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use hallmark_runtime::device_code::SourceClosure;
use hallmark_runtime::metalium::tiles::{TILES, asks, definition};
use hallmark_schema::commands::{CreateCircularBuffer, CreateKernel};
use hallmark_schema::model::{Command, CoreRange, KernelConfig, ProgramId};

use crate::bound::BoundStep;

/// Whether sources ask for tiles, as far as one suite's tests have read them: the tests share their kernels.
#[derive(Debug, Default)]
pub struct TileQuestions(Mutex<BTreeMap<String, bool>>);

impl TileQuestions {
    /// Whether a source or a file that it includes asks for tiles. The build says why a source cannot be read.
    fn asks(&self, suites: &Path, source: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(source) {
            return *answer;
        }
        let answer = SourceClosure::read(suites, source)
            .is_ok_and(|closure| closure.files().values().any(|text| asks(text)));
        known.insert(source.to_owned(), answer);
        answer
    }
}

/// Adds the tiles of the circular buffers on its cores to each kernel that asks for them and does not state them.
pub(super) fn state_tiles(suites: &Path, questions: &TileQuestions, steps: &mut [BoundStep]) {
    let mut buffers: BTreeMap<ProgramId, Vec<CreateCircularBuffer>> = BTreeMap::new();
    for step in steps.iter().filter(|step| step.failure.is_none()) {
        if let Command::CreateCircularBuffer(call) = &step.command {
            buffers.entry(call.program).or_default().push(call.clone());
        }
    }
    for step in steps {
        let Command::CreateKernel(call) = &mut step.command else { continue };
        let Some(buffers) = buffers.get(&call.program) else { continue };
        if !may_ask(call) {
            continue;
        }
        let shares = |range: &CoreRange| call.cores.iter().any(|it| it.overlaps(*range));
        let here = buffers.iter().filter(|buffer| buffer.cores.iter().any(shares));
        let mut indices = here.flat_map(|buffer| &buffer.indices).peekable();
        // Few kernels ask, and a definition needs the numbers of a release, which are read once in a process.
        if indices.peek().is_none() || !questions.asks(suites, &call.source) {
            continue;
        }
        let tiles = definition(indices);
        if !tiles.is_empty() {
            call.defines.insert(TILES.to_owned(), tiles);
        }
    }
}

/// Whether a kernel can have tables of tiles that the suite does not state.
fn may_ask(call: &CreateKernel) -> bool {
    match call.config {
        KernelConfig::DataMovement { .. } => !call.defines.contains_key(TILES),
        // The headers of compute kernels have no tables.
        KernelConfig::Compute { .. } => false,
    }
}
