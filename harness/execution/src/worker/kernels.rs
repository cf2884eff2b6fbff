//! Kernels on their way from the suites to a worker.

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

/// A kernel that does not compile, although its test expects nothing of the kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BrokenKernel {
    /// Its source, relative to the suites, with `/`.
    pub source: String,
    /// What the compiler says, a line each.
    pub messages: Vec<String>,
}

impl BrokenKernel {
    /// `text` is what a library of kernels says: after its first line, which names the processor, the compiler's
    /// own messages.
    fn new(source: &str, text: &str) -> Self {
        let messages = text.split_once('\n').map_or(text, |(_, messages)| messages);
        Self { source: source.to_owned(), messages: messages.lines().map(str::to_owned).collect() }
    }
}

/// A test cannot have its kernels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelUnavailable {
    /// The kernel library cannot serve one here, for want of a compiler for example.
    #[error("{reason}")]
    Library {
        /// Which kernel, why, and what to do.
        reason: String,
    },
    /// One does not compile.
    #[error("{} does not compile ({written_at})", kernel.source)]
    Broken {
        /// Which, and what the compiler says.
        kernel: BrokenKernel,
        /// Where the step stands that creates it.
        written_at: String,
    },
}

/// What the kernels of a test are, with their bytes added to `contents`. A kernel that does not build
/// is part of the answer where the test expects a failure.
///
/// # Errors
/// The library cannot work, or a kernel that should build does not.
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
        match packed(library.kernel(&request), contents) {
            // A call that is refused needs no ELF, and nobody builds one in advance.
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

/// Kernels that were looked for elsewhere, with their bytes added to `contents`.
pub fn pack(found: FoundKernels, contents: &mut Contents) -> BTreeMap<u32, JobKernel> {
    found.into_iter().map(|(id, kernel)| (id.0, packed(kernel, contents))).collect()
}

fn packed(kernel: Result<KernelBinaries, KernelProblem>, contents: &mut Contents) -> JobKernel {
    match kernel {
        Ok(binaries) => ready(binaries, contents),
        Err(KernelProblem::SourceNotFound(text)) => JobKernel::SourceNotFound(text),
        Err(KernelProblem::BuildFailed(text)) => JobKernel::BuildFailed(text),
        Err(KernelProblem::Unusable(text)) => JobKernel::Unusable(text),
    }
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

/// Kernels without what a worker does not know that knows the format of captures up to a minor version.
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
    /// Takes what the job holds.
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

    /// All of them, as a replay takes them.
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
