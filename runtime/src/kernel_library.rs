//! Kernel libraries: kernels are built or prebuilt while a program is captured, and come from the capture during a replay.

mod captured_kernels;
mod suite_kernels;

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_device_code::BuiltKernel;
use hallmark_schema::commands::CreateKernel;
use hallmark_schema::model::{KernelBindings, KernelConfig, KernelId, OptLevel};

pub use self::captured_kernels::{CapturedKernels, CapturedKernelsError};
pub use self::suite_kernels::SuiteKernels;
pub(crate) use self::suite_kernels::binaries;

/// A kernel that a host program creates.
#[derive(Clone, Copy, Debug)]
pub struct KernelRequest<'a> {
    /// The id that the kernel gets.
    pub kernel: KernelId,
    /// The chip that it will run on.
    pub architecture: Architecture,
    /// The path of its source, relative to the suites, with `/`.
    pub source: &'a str,
    /// The processors that run it, and their configuration.
    pub config: &'a KernelConfig,
    /// Compile-time arguments.
    pub compile_args: &'a [u32],
    /// Preprocessor definitions.
    pub defines: &'a BTreeMap<String, String>,
    /// Compile-time arguments that the kernel knows by their names.
    pub named_compile_args: &'a BTreeMap<String, u32>,
    /// The optimization level of the build, if it is not the default of the kernel's kind.
    pub opt_level: Option<OptLevel>,
    /// The names of the source whose definitions are generated.
    pub bindings: Option<&'a KernelBindings>,
}

impl<'a> KernelRequest<'a> {
    /// The kernel that a call creates, for a chip.
    pub const fn of(call: &'a CreateKernel, architecture: Architecture) -> Self {
        Self {
            kernel: call.kernel,
            architecture,
            source: call.source.as_str(),
            config: &call.config,
            compile_args: call.compile_args.as_slice(),
            defines: &call.defines,
            named_compile_args: &call.named_compile_args,
            opt_level: call.opt_level,
            bindings: call.bindings.as_ref(),
        }
    }
}

/// A kernel ready to be placed.
#[derive(Clone, Debug)]
pub struct KernelBinaries {
    /// Its source and its own includes: path relative to the suites, with `/`, and bytes.
    pub sources: Vec<(String, Arc<[u8]>)>,
    /// A relocatable ELF with its line table for each processor of its configuration.
    pub builds: Vec<(Processor, BuiltKernel)>,
}

/// The reason for which the library has no such kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelProblem {
    /// The source is not there.
    #[error("source not found: {0}")]
    SourceNotFound(String),
    /// It could not be built.
    #[error("build failed: {0}")]
    BuildFailed(String),
    /// It needs a header of the release that recorded it, which Hallmark does not have.
    #[error(
        "{file}:{line} needs {release}'s own header `{header}`; replay the capture there, with --device metalium:SITE@ttsim:PATH"
    )]
    LackedHeader {
        /// The file that includes the header.
        file: String,
        /// The line of the include, counted from 1.
        line: usize,
        /// The header.
        header: String,
        /// The name and the version of the runtime that recorded it.
        release: String,
    },
    /// The machine failed during the build, such as by a full disk: nothing was learnt of the kernel.
    #[error("{0}")]
    Machine(String),
    /// The library itself cannot work: never the host program's mistake.
    #[error("{0}")]
    Unusable(String),
}

/// Gives kernels out.
pub trait KernelLibrary {
    /// Sources and ELFs of a kernel.
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem>;
}

/// For programs without kernels: every request fails as if its source were missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKernels;

impl KernelLibrary for NoKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        Err(KernelProblem::SourceNotFound(request.source.to_owned()))
    }
}
