//! The kernels of a capture: its own ELFs, or those of its sources where it holds none for an architecture.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_device_code::{
    BuiltKernel, KernelStore, MemoryRange, SourceClosure, SourceClosureError,
};
use hallmark_schema::commands;
use hallmark_schema::model::{Capture, Command, ContentHash, Failure, KernelId, Outcome};

use crate::kernel_library::{
    KernelBinaries, KernelLibrary, KernelProblem, KernelRequest, binaries,
};

/// A capture's kernels that it holds no ELFs of for an architecture, or why there are none, by id.
pub type FoundKernels = BTreeMap<KernelId, Result<KernelBinaries, KernelProblem>>;

/// Whether a capture's record has an ELF of a kernel for an architecture. One that another runtime made has none.
pub(super) fn has_elf(capture: &Capture, kernel: KernelId, architecture: Architecture) -> bool {
    let mut elfs = capture.record.iter().flat_map(|record| &record.elfs);
    architecture == capture.program.architecture && elfs.any(|elf| elf.kernel == kernel)
}

/// The kernels for which a capture has no ELF of an architecture.
fn without_elf(
    capture: &Capture,
    architecture: Architecture,
) -> impl Iterator<Item = &commands::CreateKernel> {
    let elfs: BTreeSet<KernelId> = if architecture == capture.program.architecture {
        capture.record.iter().flat_map(|record| &record.elfs).map(|elf| elf.kernel).collect()
    } else {
        BTreeSet::new()
    };
    capture.program.commands.iter().filter_map(move |recorded| {
        let Command::CreateKernel(call) = &recorded.command else { return None };
        (recorded.outcome == Outcome::Done && !elfs.contains(&call.kernel)).then_some(call)
    })
}

/// Whether a replay on an architecture takes kernels that the capture holds no ELFs of.
pub fn lacks_kernels(capture: &Capture, architecture: Architecture) -> bool {
    without_elf(capture, architecture).next().is_some()
}

/// Looks up the kernels that a capture holds no ELFs of for an architecture, by the sources that it holds: prebuilt,
/// built earlier, or built now where there is a compiler.
pub fn find_kernels(
    capture: &Capture,
    architecture: Architecture,
    store: &KernelStore,
) -> FoundKernels {
    let mut found = FoundKernels::new();
    let sources = sources(capture);
    for call in without_elf(capture, architecture) {
        let request = KernelRequest::of(call, architecture);
        let closure = SourceClosure::from_files(&call.source, &sources)
            .map_err(|error| without_closure(capture, error));
        let binaries = closure.and_then(|closure| binaries(store, closure, &request, None));
        found.insert(call.kernel, binaries);
    }
    found
}

/// Builds the kernels of a capture with the markers of a profile, which go to `place` on their tiles. Those that cannot be
/// built so are left out: their name, and why.
pub fn profiled_kernels(
    capture: &Capture,
    architecture: Architecture,
    store: &KernelStore,
    place: MemoryRange,
) -> (FoundKernels, Vec<(String, KernelProblem)>) {
    let mut found = FoundKernels::new();
    let mut without = Vec::new();
    let sources = sources(capture);
    for recorded in &capture.program.commands {
        let Command::CreateKernel(call) = &recorded.command else { continue };
        if recorded.outcome != Outcome::Done {
            continue;
        }
        let request = KernelRequest::of(call, architecture);
        let closure = SourceClosure::from_files(&call.source, &sources)
            .map_err(|error| without_closure(capture, error));
        match closure.and_then(|closure| binaries(store, closure, &request, Some(place))) {
            Ok(built) => {
                found.insert(call.kernel, Ok(built));
            }
            Err(problem) => without.push((call.name.clone(), problem)),
        }
    }
    (found, without)
}

/// The reason for which the sources of a capture hold no closure of a kernel. A recording leaves out the headers of the
/// release that it was made with.
fn without_closure(capture: &Capture, error: SourceClosureError) -> KernelProblem {
    let origin = capture.record.as_ref().and_then(|record| record.origin.as_ref());
    match (error, origin) {
        (SourceClosureError::MissingInclude { file, line, include, .. }, Some(origin)) => {
            let recorder = &origin.executor;
            let release = format!("{} {}", recorder.name, recorder.release);
            KernelProblem::LackedHeader { file, line, header: include, release }
        }
        (error, _) => KernelProblem::SourceNotFound(error.to_string()),
    }
}

fn sources(capture: &Capture) -> BTreeMap<String, Arc<[u8]>> {
    let sources = capture.program.sources.iter();
    let embedded = sources.filter_map(|source| {
        let bytes = capture.blobs.get(&source.hash)?;
        Some((source.path.clone(), Arc::from(bytes)))
    });
    embedded.collect()
}

/// The kernels of a capture, for callers that make its calls again on a chip of its architecture: the capture's own ELFs,
/// and where it holds none, the ELFs that were found. Nothing is built.
pub fn captured_kernels(capture: &Capture, found: &FoundKernels) -> impl KernelLibrary + use<> {
    ReplayKernels::new(capture, found)
}

/// The entry of a kernel's ELF in a capture's record.
struct CapturedElf {
    hash: ContentHash,
    lines: Option<Arc<[u8]>>,
}

/// The kernels of a capture: sources and ELFs are its blobs, or were found for another architecture.
/// Nothing is built.
pub(super) struct ReplayKernels {
    architecture: Architecture,
    found: FoundKernels,
    /// Whether the capture's own ELFs stand in for kernels that were not found: a modelled chip runs no kernel.
    stands_in: bool,
    sources: BTreeMap<String, Arc<[u8]>>,
    elfs: BTreeMap<KernelId, Vec<(Processor, CapturedElf)>>,
    blobs: BTreeMap<ContentHash, Arc<[u8]>>,
    /// Kernels that could not be had when they were captured.
    failed: BTreeMap<KernelId, KernelProblem>,
}

impl ReplayKernels {
    pub(super) fn new(capture: &Capture, found: &FoundKernels) -> Self {
        let sources = sources(capture);
        let mut elfs: BTreeMap<KernelId, Vec<(Processor, CapturedElf)>> = BTreeMap::new();
        let mut blobs = BTreeMap::new();
        for elf in capture.record.iter().flat_map(|record| &record.elfs) {
            if let Some(&processor) = Processor::ALL.get(usize::from(elf.processor)) {
                let lines = (!elf.lines.is_empty()).then(|| Arc::from(&*elf.lines));
                let captured = CapturedElf { hash: elf.hash, lines };
                elfs.entry(elf.kernel).or_default().push((processor, captured));
            }
            if let Some(bytes) = capture.blobs.get(&elf.hash) {
                blobs.insert(elf.hash, Arc::from(bytes));
            }
        }
        let mut failed = BTreeMap::new();
        for recorded in &capture.program.commands {
            let Command::CreateKernel(commands::CreateKernel { kernel, .. }) = &recorded.command
            else {
                continue;
            };
            let problem = match &recorded.outcome {
                Outcome::Failed(Failure::KernelSourceNotFound {}) => KernelProblem::SourceNotFound(
                    "the source did not exist when the test was captured".to_owned(),
                ),
                Outcome::Failed(Failure::KernelBuildFailed {}) => KernelProblem::BuildFailed(
                    "the kernel did not build when the test was captured".to_owned(),
                ),
                // The captured run did not come to the build, and the result of the build is not known.
                Outcome::Unfinished if !elfs.contains_key(kernel) => KernelProblem::BuildFailed(
                    "the capture ends before the kernel was built".to_owned(),
                ),
                Outcome::Done | Outcome::Failed(_) | Outcome::Unfinished => continue,
            };
            failed.insert(*kernel, problem);
        }
        let (architecture, found) = (capture.program.architecture, found.clone());
        Self { architecture, found, stands_in: false, sources, elfs, blobs, failed }
    }

    pub(super) const fn standing_in(mut self) -> Self {
        self.stands_in = true;
        self
    }
}

impl KernelLibrary for ReplayKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        if let Some(problem) = self.failed.get(&request.kernel) {
            return Err(problem.clone());
        }
        // The kernels that were found go first: a kernel with an ELF was only looked for because another build is wanted.
        let unfound = match self.found.get(&request.kernel) {
            Some(Ok(found)) => return Ok(found.clone()),
            Some(Err(problem)) => Some(problem),
            None => None,
        };
        let wanted = self.elfs.get(&request.kernel).map(Vec::as_slice).unwrap_or_default();
        if request.architecture != self.architecture || wanted.is_empty() {
            match unfound {
                _ if self.stands_in => {}
                Some(problem) => return Err(KernelProblem::Unusable(problem.to_string())),
                None => {
                    let what = format!("the capture has no ELF for {}", request.architecture);
                    return Err(KernelProblem::Unusable(what));
                }
            }
        }
        let closure = SourceClosure::from_files(request.source, &self.sources);
        let closure = match closure {
            Ok(closure) => Some(closure),
            // A kernel for headers that Hallmark does not have: why there is no ELF of it is said where it is missing.
            Err(_) if self.stands_in && wanted.is_empty() => None,
            Err(error) => return Err(KernelProblem::SourceNotFound(error.to_string())),
        };
        let mut builds = Vec::new();
        for (processor, CapturedElf { hash, lines }) in wanted {
            let Some(bytes) = self.blobs.get(hash) else {
                let what = format!("ELF {hash} is not embedded in the capture");
                return Err(KernelProblem::Unusable(what));
            };
            let kernel = BuiltKernel { elf: Arc::clone(bytes), lines: lines.clone() };
            builds.push((*processor, kernel));
        }
        let files = closure.iter().flat_map(SourceClosure::files);
        let sources = files.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        Ok(KernelBinaries { sources, builds })
    }
}
