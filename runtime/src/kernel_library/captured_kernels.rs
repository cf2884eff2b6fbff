//! Kernels of captures, for callers that make the calls of binaries on a device beside other calls.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_device_code::{BuiltKernel, LAUNCH_ABI, SourceClosure, SourceClosureError};
use hallmark_schema::commands::CreateKernel;
use hallmark_schema::model::{
    Capture, Command, ContentHash, KernelBindings, KernelConfig, KernelElf, KernelId, OptLevel,
    Outcome, Record,
};

use super::{KernelBinaries, KernelLibrary, KernelProblem, KernelRequest};

/// Kernels of captures: each is found by the path of its source and by its configuration, whatever its id. Kernels that
/// no capture holds come from another library.
pub struct CapturedKernels {
    kernels: HashMap<KernelKey, Held>,
    /// The hash of each file, by its path.
    files: BTreeMap<String, ContentHash>,
    otherwise: Box<dyn KernelLibrary>,
}

/// The reason for which a capture's kernels cannot be given out.
#[derive(Debug, thiserror::Error)]
pub enum CapturedKernelsError {
    /// Its kernels speak another launch ABI.
    #[error(
        "the kernels were built for launch ABI {captured}, but this build of Hallmark launches through ABI {here}; build the binary again with this release"
    )]
    LaunchAbi {
        /// The capture's.
        captured: u32,
        /// The launch ABI that this build launches through.
        here: u32,
    },
    /// A file or an ELF is not embedded.
    #[error("kernel {kernel} needs {hash} ({what}), which the capture does not embed; embed it")]
    BlobMissing {
        /// The kernel that needs the bytes.
        kernel: KernelId,
        /// The hash of the bytes that are missing.
        hash: ContentHash,
        /// The name of the bytes, for people.
        what: String,
    },
    /// The sources of a kernel are not complete.
    #[error("kernel {kernel}: {problem}")]
    Source {
        /// The kernel.
        kernel: KernelId,
        /// The name of the missing bytes.
        problem: SourceClosureError,
    },
    /// The ELFs of a kernel are not those of the processors that it runs on.
    #[error(
        "the record has other ELFs of kernel {kernel} than one for each processor that the kernel runs on; capture again"
    )]
    OtherProcessors {
        /// The kernel.
        kernel: KernelId,
    },
    /// Another capture has another file of the same path, or another ELF of the same kernel.
    #[error(
        "another capture has `{source_path}` with other content; give one of them another path, or build both from the same sources"
    )]
    Differs {
        /// The path of the file, or of the kernel's source.
        source_path: String,
    },
}

/// The key by which a kernel is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct KernelKey {
    architecture: Architecture,
    source: String,
    config: KernelConfig,
    compile_args: Vec<u32>,
    defines: BTreeMap<String, String>,
    named_compile_args: BTreeMap<String, u32>,
    opt_level: Option<OptLevel>,
    bindings: Option<KernelBindings>,
}

/// A kernel, and the hashes of its ELFs.
#[derive(Debug)]
struct Held {
    binaries: KernelBinaries,
    elfs: BTreeMap<u8, ContentHash>,
}

impl KernelKey {
    fn of(request: &KernelRequest<'_>) -> Self {
        Self {
            architecture: request.architecture,
            source: request.source.to_owned(),
            config: request.config.clone(),
            compile_args: request.compile_args.to_vec(),
            defines: request.defines.clone(),
            named_compile_args: request.named_compile_args.clone(),
            opt_level: request.opt_level,
            bindings: request.bindings.cloned(),
        }
    }
}

impl CapturedKernels {
    /// No capture yet: all kernels come from the other library.
    pub fn before(otherwise: Box<dyn KernelLibrary>) -> Self {
        Self { kernels: HashMap::new(), files: BTreeMap::new(), otherwise }
    }

    /// Takes the kernels of a validated capture. Kernels without an ELF in the record come from the other library.
    ///
    /// # Errors
    /// See [`CapturedKernelsError`]. Nothing is taken then.
    pub fn add(&mut self, capture: &Capture) -> Result<(), CapturedKernelsError> {
        let Some(record) = &capture.record else { return Ok(()) };
        let captured = record.firmware.launch_abi;
        if captured != LAUNCH_ABI && !record.elfs.is_empty() {
            return Err(CapturedKernelsError::LaunchAbi { captured, here: LAUNCH_ABI });
        }
        let read = Read::of(capture, record);
        for file in &capture.program.sources {
            if self.files.get(&file.path).is_some_and(|known| *known != file.hash) {
                return Err(CapturedKernelsError::Differs { source_path: file.path.clone() });
            }
        }
        let mut taken = HashMap::new();
        for recorded in &capture.program.commands {
            let Command::CreateKernel(call) = &recorded.command else { continue };
            let elfs = read.elfs.get(&call.kernel).map(Vec::as_slice).unwrap_or_default();
            if recorded.outcome != Outcome::Done || elfs.is_empty() {
                continue;
            }
            let key = KernelKey::of(&KernelRequest::of(call, capture.program.architecture));
            let held = read.kernel(call, elfs)?;
            let known = taken.get(&key).or_else(|| self.kernels.get(&key));
            if known.is_some_and(|known: &Held| known.elfs != held.elfs) {
                return Err(CapturedKernelsError::Differs { source_path: call.source.clone() });
            }
            taken.insert(key, held);
        }
        self.kernels.extend(taken);
        let files = capture.program.sources.iter();
        self.files.extend(files.map(|file| (file.path.clone(), file.hash)));
        Ok(())
    }
}

/// A capture's files and ELFs.
struct Read<'c> {
    capture: &'c Capture,
    /// The files that the capture embeds, by path.
    sources: BTreeMap<String, Arc<[u8]>>,
    elfs: HashMap<KernelId, Vec<&'c KernelElf>>,
}

impl<'c> Read<'c> {
    fn of(capture: &'c Capture, record: &'c Record) -> Self {
        let mut elfs: HashMap<KernelId, Vec<&KernelElf>> = HashMap::new();
        for elf in &record.elfs {
            elfs.entry(elf.kernel).or_default().push(elf);
        }
        let embedded = capture.program.sources.iter().filter_map(|source| {
            let bytes = capture.blobs.get(&source.hash)?;
            Some((source.path.clone(), Arc::from(bytes)))
        });
        Self { capture, sources: embedded.collect(), elfs }
    }

    fn kernel(
        &self,
        call: &CreateKernel,
        elfs: &[&KernelElf],
    ) -> Result<Held, CapturedKernelsError> {
        let kernel = call.kernel;
        let missing = |hash, what| Err(CapturedKernelsError::BlobMissing { kernel, hash, what });
        let listed = self.capture.program.sources.iter().find(|file| file.path == call.source);
        if let Some(file) = listed.filter(|file| !self.sources.contains_key(&file.path)) {
            return missing(file.hash, format!("source {}", file.path));
        }
        let closure = SourceClosure::from_files(&call.source, &self.sources)
            .map_err(|problem| CapturedKernelsError::Source { kernel, problem })?;
        let mut builds = Vec::new();
        for elf in elfs {
            let Some(&processor) = Processor::ALL.get(usize::from(elf.processor)) else {
                return Err(CapturedKernelsError::OtherProcessors { kernel });
            };
            let Some(bytes) = self.capture.blobs.get(&elf.hash) else {
                return missing(elf.hash, format!("its ELF for {processor}"));
            };
            let lines = (!elf.lines.is_empty()).then(|| Arc::from(&*elf.lines));
            builds.push((processor, BuiltKernel { elf: Arc::from(bytes), lines }));
        }
        let mut needed = call.config.processors().to_vec();
        let mut given: Vec<Processor> = builds.iter().map(|(processor, _)| *processor).collect();
        needed.sort_unstable();
        given.sort_unstable();
        if needed != given {
            return Err(CapturedKernelsError::OtherProcessors { kernel });
        }
        let files = closure.files().iter();
        let sources = files.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        let hashes = elfs.iter().map(|elf| (elf.processor, elf.hash)).collect();
        Ok(Held { binaries: KernelBinaries { sources, builds }, elfs: hashes })
    }
}

impl std::fmt::Debug for CapturedKernels {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CapturedKernels")
            .field("kernels", &self.kernels)
            .finish_non_exhaustive()
    }
}

impl KernelLibrary for CapturedKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        match self.kernels.get(&KernelKey::of(request)) {
            Some(held) => Ok(held.binaries.clone()),
            None => self.otherwise.kernel(request),
        }
    }
}
