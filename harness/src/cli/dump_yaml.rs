//! Writes a capture as a root of its own: a suite, its kernels, its data, and its ELFs as prebuilt kernels. A
//! capture of that suite has the same program bytes.

mod not_a_suite;
mod suite;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_execution::{whole_file, whole_folder};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::{KernelBuildRequest, KernelLock, LockedKernel, SourceClosure};
use hallmark_schema::model::{Capture, Command};

use super::Failed;

/// The compiler's name in the lock of a dumped capture.
const COMPILER: &str = "none: ELFs of a capture";
/// The name of the case in the suite of a capture.
const CASE: &str = "captured";

fn failed(problem: impl std::fmt::Display) -> Failed {
    Failed::new(ExitCode::CAPTURE, format!("this capture cannot be told as a suite: {problem}"))
}

/// The heading of the suite of a capture.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    /// The lines of the comment above the suite, without `#`.
    pub(super) comment: Vec<String>,
    /// The `about` text of the case; `None` for the standard text.
    pub(super) about: Option<String>,
    /// The name of the case.
    pub(super) case: String,
}

impl Default for Heading {
    fn default() -> Self {
        Self { comment: Vec::new(), about: None, case: CASE.to_owned() }
    }
}

/// The name of the test in the folder of a dumped capture.
pub(super) fn test_of(capture: &Capture) -> String {
    format!("{}::dump::capture::{CASE}", capture.program.architecture)
}

/// Writes the folder; gives the name of its test.
pub(super) fn write(capture: &Capture, folder: &Path, heading: &Heading) -> Result<String, Failed> {
    let mut files = suite_files(capture, "dump/capture.yaml", heading)?;
    files.extend(kernel_files(capture)?);
    write_root(folder, &files)?;
    Ok(test_of(capture))
}

/// Writes the files of a new root, by their paths below `suites`.
pub(super) fn write_root(folder: &Path, files: &Files) -> Result<(), Failed> {
    if folder.exists() {
        return Err(Failed::new(
            ExitCode::USAGE,
            format!("{} is already there; name a folder that is not", folder.display()),
        ));
    }
    let written = whole_folder::write(folder, |new| {
        files.iter().try_for_each(|(path, bytes)| {
            let file = new.join("suites").join(path);
            whole_file::write(&file, bytes)
                .map_err(|error| std::io::Error::new(error.kind(), format!("{path}: {error}")))
        })
    });
    written.map_err(|error: std::io::Error| {
        Failed::new(ExitCode::INTERNAL, format!("{} cannot be written: {error}", folder.display()))
    })
}

/// Writes a file below `suites`.
pub(super) fn put(suites: &Path, path: &str, bytes: &[u8]) -> Result<(), Failed> {
    whole_file::write(&suites.join(path), bytes).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("{path} cannot be written: {error}"))
    })
}

/// The suite of a capture and its data files, by their paths below `suites`.
pub(super) fn suite_files(
    capture: &Capture,
    path: &str,
    heading: &Heading,
) -> Result<Files, Failed> {
    let dumped = suite::suite(capture, heading).map_err(failed)?;
    let mut files = Files::from([(path.to_owned(), Arc::from(dumped.text.as_bytes()))]);
    files.extend(dumped.data.into_iter().map(|(hash, bytes)| (suite::data_path(hash), bytes)));
    Ok(files)
}

/// The sources and ELFs of a capture's kernels, by their paths below `suites`.
pub(super) fn kernel_files(capture: &Capture) -> Result<Files, Failed> {
    let mut files = source_files(capture)?;
    let Prebuilt { lock, files: prebuilt } = prebuilt(capture, &files)?;
    let architecture = capture.program.architecture;
    if !prebuilt.is_empty() {
        let lock = Arc::from(lock.render().as_bytes());
        files.insert(lock_path(architecture), lock);
    }
    files.extend(
        prebuilt
            .into_iter()
            .map(|(name, bytes)| (format!("kernels/prebuilt/{architecture}/{name}"), bytes)),
    );
    Ok(files)
}

/// The path of the lock of prebuilt kernels below `suites`.
pub(super) fn lock_path(architecture: Architecture) -> String {
    format!("kernels/prebuilt/{architecture}.lock")
}

/// Contents of files by their paths.
pub(super) type Files = BTreeMap<String, Arc<[u8]>>;

/// The sources of a capture's kernels.
pub(super) fn source_files(capture: &Capture) -> Result<Files, Failed> {
    capture
        .program
        .sources
        .iter()
        .map(|source| {
            let bytes =
                capture.blobs.get(&source.hash).map(Arc::from).ok_or_else(|| {
                    failed(format!("source {} is not embedded in it", source.path))
                })?;
            Ok((source.path.clone(), bytes))
        })
        .collect()
}

/// The capture's ELFs and line tables by file name, and a lock that lets a store find them without a compiler.
struct Prebuilt {
    lock: KernelLock,
    files: Files,
}

fn prebuilt(capture: &Capture, sources: &Files) -> Result<Prebuilt, Failed> {
    let mut lock = KernelLock { compiler: COMPILER.to_owned(), kernels: BTreeMap::new() };
    let mut files = Files::new();
    let record = capture.record.iter().flat_map(|record| &record.elfs);
    for elf in record {
        let command = capture.program.commands.iter().find_map(|it| match &it.command {
            Command::CreateKernel(call) if call.kernel == elf.kernel => Some(call),
            _ => None,
        });
        let processor = Processor::ALL.into_iter().find(|it| *it as u8 == elf.processor);
        let (Some(call), Some(processor)) = (command, processor) else {
            return Err(failed(format!("nothing creates kernel {}", elf.kernel)));
        };
        let closure = SourceClosure::from_files(&call.source, sources).map_err(failed)?;
        let architecture = capture.program.architecture;
        let request = KernelBuildRequest::of(call, architecture, processor, Arc::new(closure));
        let bytes = capture.blobs.get(&elf.hash).map(Arc::from).ok_or_else(|| {
            failed(format!("the ELF of kernel {} is not embedded in it", elf.kernel))
        })?;
        let comment = format!("{} {}", processor.name(), call.source);
        let key = request.key(COMPILER);
        lock.kernels.insert(key, LockedKernel { elf: elf.hash, comment });
        files.insert(format!("{}.elf", elf.hash), bytes);
        if !elf.lines.is_empty() {
            files.insert(format!("{key}.lines"), Arc::from(&*elf.lines));
        }
    }
    Ok(Prebuilt { lock, files })
}
