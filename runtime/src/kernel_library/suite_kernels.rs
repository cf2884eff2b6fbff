//! Kernels from the folder of the suites.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use hallmark_device_code::{
    KernelBuildError, KernelBuildRequest, KernelStore, MemoryRange, SourceClosure,
    SourceClosureError,
};

use super::{KernelBinaries, KernelLibrary, KernelProblem, KernelRequest};

/// Kernels from the folder of the suites, prebuilt or built by a [`KernelStore`].
#[derive(Debug)]
pub struct SuiteKernels {
    suites: PathBuf,
    store: Arc<KernelStore>,
}

impl SuiteKernels {
    /// Sources are looked for under `suites`.
    pub fn new(suites: impl Into<PathBuf>, store: Arc<KernelStore>) -> Self {
        Self { suites: suites.into(), store }
    }
}

impl KernelLibrary for SuiteKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        let sources =
            SourceClosure::read(&self.suites, request.source).map_err(|error| match &error {
                _ if error.is_of_machine() => KernelProblem::Machine(error.to_string()),
                SourceClosureError::Unreadable { reason, .. }
                    if reason.kind() != ErrorKind::NotFound =>
                {
                    KernelProblem::BuildFailed(error.to_string())
                }
                SourceClosureError::Path { .. } | SourceClosureError::Unreadable { .. } => {
                    KernelProblem::SourceNotFound(error.to_string())
                }
                _ => KernelProblem::BuildFailed(error.to_string()),
            })?;
        binaries(&self.store, sources, request, None)
    }
}

/// The builds of a kernel whose sources are at hand, prebuilt or built.
pub(crate) fn binaries(
    store: &KernelStore,
    sources: SourceClosure,
    request: &KernelRequest<'_>,
    profiler: Option<MemoryRange>,
) -> Result<KernelBinaries, KernelProblem> {
    let sources = Arc::new(sources);
    let processors = request.config.processors();
    let requests: Vec<KernelBuildRequest> = processors
        .iter()
        .map(|&processor| KernelBuildRequest {
            architecture: request.architecture,
            processor,
            sources: Arc::clone(&sources),
            config: request.config.clone(),
            compile_args: request.compile_args.to_vec(),
            defines: request.defines.clone(),
            named_compile_args: request.named_compile_args.clone(),
            opt_level: request.opt_level,
            bindings: request.bindings.cloned(),
            profiler,
        })
        .collect();
    let built = store.kernels(&requests).map_err(|error| match &error {
        _ if error.is_of_machine() => KernelProblem::Machine(error.to_string()),
        KernelBuildError::Build { .. }
        | KernelBuildError::Define { .. }
        | KernelBuildError::Joined { .. } => KernelProblem::BuildFailed(error.to_string()),
        // No compiler, a damaged store: the host program is not to blame.
        _ => KernelProblem::Unusable(error.to_string()),
    })?;
    let builds = processors.iter().copied().zip(built).collect();
    let sources =
        sources.files().iter().map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
    Ok(KernelBinaries { sources, builds })
}
