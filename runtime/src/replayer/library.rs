use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::Processor;
use hallmark_schema::model::{Capture, Command, ContentHash, Failure, KernelId, Outcome};

use crate::device_code::SourceClosure;
use crate::kernel_library::{KernelBinaries, KernelLibrary, KernelProblem, KernelRequest};

/// The kernels of a capture: sources and ELFs are its blobs, nothing is built.
pub(super) struct CapturedKernels {
    sources: BTreeMap<String, Arc<[u8]>>,
    elfs: BTreeMap<KernelId, Vec<(Processor, ContentHash)>>,
    blobs: BTreeMap<ContentHash, Arc<[u8]>>,
    /// Kernels that could not be had when they were captured.
    failed: BTreeMap<KernelId, KernelProblem>,
}

impl CapturedKernels {
    pub(super) fn new(capture: &Capture) -> Self {
        let mut sources = BTreeMap::new();
        for source in &capture.program.sources {
            if let Some(bytes) = capture.blobs.get(&source.hash) {
                sources.insert(source.path.clone(), Arc::from(bytes));
            }
        }
        let mut elfs: BTreeMap<KernelId, Vec<(Processor, ContentHash)>> = BTreeMap::new();
        let mut blobs = BTreeMap::new();
        for elf in capture.record.iter().flat_map(|record| &record.elfs) {
            if let Some(&processor) = Processor::ALL.get(usize::from(elf.processor)) {
                elfs.entry(elf.kernel).or_default().push((processor, elf.hash));
            }
            if let Some(bytes) = capture.blobs.get(&elf.hash) {
                blobs.insert(elf.hash, Arc::from(bytes));
            }
        }
        let mut failed = BTreeMap::new();
        for recorded in &capture.program.commands {
            if let (Command::CreateKernel { kernel, .. }, Outcome::Failed(failure)) =
                (&recorded.command, &recorded.outcome)
            {
                let problem = match failure {
                    Failure::KernelSourceNotFound {} => {
                        KernelProblem::SourceNotFound("it was not there when captured".to_owned())
                    }
                    Failure::KernelBuildFailed {} => {
                        KernelProblem::BuildFailed("it did not build when captured".to_owned())
                    }
                    _ => continue,
                };
                failed.insert(*kernel, problem);
            }
        }
        Self { sources, elfs, blobs, failed }
    }
}

impl KernelLibrary for CapturedKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        if let Some(problem) = self.failed.get(&request.kernel) {
            return Err(problem.clone());
        }
        let closure = SourceClosure::from_files(request.source, &self.sources)
            .map_err(|error| KernelProblem::SourceNotFound(error.to_string()))?;
        let wanted = self.elfs.get(&request.kernel).map(Vec::as_slice).unwrap_or_default();
        if wanted.is_empty() {
            let what = "the capture has no ELF of it".to_owned();
            return Err(KernelProblem::BuildFailed(what));
        }
        let mut elfs = Vec::new();
        for (processor, hash) in wanted {
            let Some(bytes) = self.blobs.get(hash) else {
                let what = format!("ELF {hash} is not embedded in the capture");
                return Err(KernelProblem::Unusable(what));
            };
            elfs.push((*processor, Arc::clone(bytes)));
        }
        let sources =
            closure.files().iter().map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        Ok(KernelBinaries { sources, elfs })
    }
}
