//! The transfer of kernels from the suites to a worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_runtime::device_code::BuiltKernel;
use hallmark_runtime::{FoundKernels, KernelBinaries, KernelLibrary, KernelProblem, KernelRequest};
use hallmark_schema::model::{Command, ContentHash, KernelId};
use hallmark_suite::bound::BoundCase;

use super::contract::FIRST_MINOR_WITH_LINES;
use super::job::{JobElf, JobKernel, JobLineTable, JobSource};
use super::job_file::JobFile;

/// Bytes by hash.
pub type Contents = BTreeMap<ContentHash, Arc<[u8]>>;

/// A kernel that does not compile, although its test does not expect that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BrokenKernel {
    /// Its source, relative to the suites, with `/`.
    pub source: String,
    /// The compiler's messages, one per line.
    pub messages: Vec<String>,
}

impl BrokenKernel {
    /// `text` is the message of a kernel library: its first line names the processor, and the compiler's
    /// messages follow.
    fn new(source: &str, text: &str) -> Self {
        let messages = text.split_once('\n').map_or(text, |(_, messages)| messages);
        Self { source: source.to_owned(), messages: messages.lines().map(str::to_owned).collect() }
    }
}

/// A test whose kernels are not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelUnavailable {
    /// The kernel library cannot provide one here, for instance without a compiler.
    #[error("{reason}")]
    Library {
        /// The kernel, the reason, and the remedy.
        reason: String,
    },
    /// The machine failed during the build of one, such as by a full disk.
    #[error("{reason}")]
    Machine {
        /// The kernel, and the reason.
        reason: String,
    },
    /// A kernel does not compile.
    #[error("{} does not compile ({written_at})", kernel.source)]
    Broken {
        /// The kernel, and the compiler's messages.
        kernel: BrokenKernel,
        /// The position of the step that creates it.
        written_at: String,
    },
}

/// The kernels of a test; their bytes are added to `contents`. If the test expects the failure, a kernel that
/// does not build is part of the result.
///
/// # Errors
/// The library cannot work, the machine fails, or a kernel fails to build unexpectedly.
pub fn collect(
    case: &BoundCase,
    architecture: Architecture,
    library: &mut dyn KernelLibrary,
    contents: &mut Contents,
) -> Result<BTreeMap<u32, JobKernel>, KernelUnavailable> {
    let mut kernels = BTreeMap::new();
    for step in &case.steps {
        let Command::CreateKernel(call) = &step.command else { continue };
        let request = KernelRequest::of(call, architecture);
        match packed(library.kernel(&request), contents)? {
            // A refused call needs no ELF, and its kernel is not prebuilt.
            JobKernel::Unusable(reason) if step.failure.is_none() => {
                return Err(KernelUnavailable::Library { reason });
            }
            JobKernel::BuildFailed(text) if step.failure.is_none() => {
                let kernel = BrokenKernel::new(&call.source, &text);
                return Err(KernelUnavailable::Broken { kernel, written_at: step.written_at() });
            }
            entry => kernels.insert(call.kernel.0, entry),
        };
    }
    Ok(kernels)
}

/// Kernels from elsewhere, in a job's form; their bytes are added to `contents`.
///
/// # Errors
/// The machine failed during the build of one.
pub fn pack(
    found: FoundKernels,
    contents: &mut Contents,
) -> Result<BTreeMap<u32, JobKernel>, KernelUnavailable> {
    found.into_iter().map(|(id, kernel)| Ok((id.0, packed(kernel, contents)?))).collect()
}

/// A kernel in a job's form; a failure of the machine has none.
fn packed(
    kernel: Result<KernelBinaries, KernelProblem>,
    contents: &mut Contents,
) -> Result<JobKernel, KernelUnavailable> {
    Ok(match kernel {
        Ok(binaries) => ready(binaries, contents),
        Err(KernelProblem::SourceNotFound(text)) => JobKernel::SourceNotFound(text),
        Err(KernelProblem::BuildFailed(text)) => JobKernel::BuildFailed(text),
        Err(KernelProblem::Unusable(text)) => JobKernel::Unusable(text),
        Err(problem @ KernelProblem::LackedHeader { .. }) => {
            JobKernel::Unusable(problem.to_string())
        }
        Err(KernelProblem::Machine(reason)) => return Err(KernelUnavailable::Machine { reason }),
    })
}

fn ready(binaries: KernelBinaries, contents: &mut Contents) -> JobKernel {
    let mut keep = |bytes: Arc<[u8]>| {
        let hash = ContentHash::of(&bytes);
        contents.insert(hash, bytes);
        hash
    };
    JobKernel::Ready {
        sources: binaries
            .sources
            .into_iter()
            .map(|(path, bytes)| JobSource { path, hash: keep(bytes) })
            .collect(),
        lines: binaries
            .builds
            .iter()
            .filter_map(|(processor, build)| {
                let hash = keep(build.lines.clone()?);
                Some(JobLineTable { processor: *processor as u8, hash })
            })
            .collect(),
        elfs: binaries
            .builds
            .into_iter()
            .map(|(processor, build)| JobElf { processor: processor as u8, hash: keep(build.elf) })
            .collect(),
    }
}

/// Removes the parts that a worker of a minor version of the capture format does not know.
pub fn for_minor(kernels: &mut BTreeMap<u32, JobKernel>, minor: u16) {
    if minor >= FIRST_MINOR_WITH_LINES {
        return;
    }
    for kernel in kernels.values_mut() {
        if let JobKernel::Ready { sources: _, elfs: _, lines } = kernel {
            lines.clear();
        }
    }
}

/// The kernels of a job.
#[derive(Debug)]
pub struct JobKernels {
    kernels: BTreeMap<u32, Result<KernelBinaries, KernelProblem>>,
}

impl JobKernels {
    /// The kernels in a job.
    pub fn new(file: &JobFile, kernels: &BTreeMap<u32, JobKernel>) -> Self {
        let find = |kernel: &JobKernel| match kernel {
            JobKernel::SourceNotFound(text) => Err(KernelProblem::SourceNotFound(text.clone())),
            JobKernel::BuildFailed(text) => Err(KernelProblem::BuildFailed(text.clone())),
            JobKernel::Unusable(text) => Err(KernelProblem::Unusable(text.clone())),
            JobKernel::Ready { sources, elfs, lines } => {
                let blob = |hash: ContentHash| {
                    file.blob(hash).map_err(|problem| KernelProblem::Unusable(problem.to_string()))
                };
                let sources = sources
                    .iter()
                    .map(|JobSource { path, hash }| Ok((path.clone(), blob(*hash)?)))
                    .collect::<Result<_, _>>()?;
                let builds = elfs
                    .iter()
                    .map(|JobElf { processor, hash }| {
                        let processor = Processor::ALL
                            .into_iter()
                            .find(|known| *known as u8 == *processor)
                            .ok_or_else(|| {
                                KernelProblem::Unusable(format!("no processor {processor}"))
                            })?;
                        let lines = lines.iter().find(|lines| lines.processor == processor as u8);
                        let lines = lines.map(|lines| blob(lines.hash)).transpose()?;
                        Ok((processor, BuiltKernel { elf: blob(*hash)?, lines }))
                    })
                    .collect::<Result<_, _>>()?;
                Ok(KernelBinaries { sources, builds })
            }
        };
        Self { kernels: kernels.iter().map(|(id, kernel)| (*id, find(kernel))).collect() }
    }

    /// All kernels, in the form for a replay.
    pub fn found(self) -> FoundKernels {
        self.kernels.into_iter().map(|(id, kernel)| (KernelId(id), kernel)).collect()
    }
}

impl KernelLibrary for JobKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        self.kernels.get(&request.kernel.0).cloned().unwrap_or_else(|| {
            Err(KernelProblem::Unusable(format!("the job lacks kernel {}", request.kernel)))
        })
    }
}
