//! The build of a compute kernel from its text.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_device_code::{KernelBuildRequest, SourceClosure};
use hallmark_schema::model::{KernelConfig, MathFidelity};

/// The build of `kernels/k.cpp` for a thread, with the tiles of its circular buffers if it has some.
pub(crate) fn compute_kernel(
    processor: Processor,
    text: String,
    tiles: Option<&str>,
) -> KernelBuildRequest {
    let files = BTreeMap::from([("kernels/k.cpp".to_owned(), Arc::from(text.into_bytes()))]);
    let define = |tiles: &str| ("HALLMARK_TILES".to_owned(), tiles.to_owned());
    KernelBuildRequest {
        architecture: Architecture::WormholeB0,
        processor,
        sources: Arc::new(SourceClosure::from_files("kernels/k.cpp", &files).unwrap()),
        config: KernelConfig::compute(MathFidelity::HiFi4),
        compile_args: Vec::new(),
        defines: tiles.map(define).into_iter().collect(),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
        profiler: None,
    }
}
