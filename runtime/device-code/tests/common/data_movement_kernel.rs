//! The build of a data-movement kernel from its sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_device_code::{KernelBuildRequest, SourceClosure};
use hallmark_schema::model::{DataMovementProcessor, KernelConfig, NocId};

/// The build of a kernel of BRISC without arguments and definitions.
pub(crate) fn data_movement_kernel(sources: SourceClosure) -> KernelBuildRequest {
    KernelBuildRequest {
        architecture: Architecture::WormholeB0,
        processor: Processor::Brisc,
        sources: Arc::new(sources),
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: Vec::new(),
        defines: BTreeMap::new(),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
        profiler: None,
    }
}
