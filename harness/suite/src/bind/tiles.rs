//! The tiles of circular buffers, for kernels that ask for them.
//!
//! TT-Metalium makes tables of tiles for each kernel when a program is compiled, from all circular buffers of the
//! program. Kernels here are built when they are created, so a test states the tiles in the kernel's definitions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use hallmark_runtime::device_code::SourceClosure;
use hallmark_runtime::metalium::tiles::{TILES, asks, definition, prints};
use hallmark_schema::commands::CreateCircularBuffer;
use hallmark_schema::model::{Command, CoreRange, KernelConfig, ProgramId};

use crate::bound::BoundStep;

/// Whether sources ask for tiles, as far as one suite's tests have read them: the tests share their kernels.
#[derive(Debug, Default)]
pub struct TileQuestions(Mutex<BTreeMap<(String, Kind), bool>>);

/// The kinds of kernels, which ask in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    DataMovement,
    Compute,
}

impl TileQuestions {
    /// Whether a kernel asks for tiles: of data movement, if its source or a file that it includes names a function of
    /// tiles; of compute, if it uses the compute API for the coprocessor, which configures formats, or prints tiles. The
    /// build says why a source cannot be read.
    fn asks(&self, suites: &Path, source: &str, kind: Kind) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let question = (source.to_owned(), kind);
        if let Some(answer) = known.get(&question) {
            return *answer;
        }
        let answer = SourceClosure::read(suites, source).is_ok_and(|closure| match kind {
            Kind::DataMovement => closure.files().values().any(|text| asks(text)),
            Kind::Compute => {
                closure.uses_compute_api() || closure.files().values().any(|text| prints(text))
            }
        });
        known.insert(question, answer);
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
        if call.defines.contains_key(TILES) {
            continue;
        }
        let kind = match call.config {
            KernelConfig::DataMovement { .. } => Kind::DataMovement,
            KernelConfig::Compute { .. } => Kind::Compute,
        };
        let shares = |range: &CoreRange| call.cores.iter().any(|it| it.overlaps(*range));
        let here = buffers.iter().filter(|buffer| buffer.cores.iter().any(shares));
        let mut indices = here.flat_map(|buffer| &buffer.indices).peekable();
        // Few kernels ask, and a definition needs the numbers of a release, which are read once in a process.
        if indices.peek().is_none() || !questions.asks(suites, &call.source, kind) {
            continue;
        }
        let tiles = definition(indices);
        if !tiles.is_empty() {
            call.defines.insert(TILES.to_owned(), tiles);
        }
    }
}
