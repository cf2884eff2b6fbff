//! A capture as a root of its own: a suite, its kernels, its data, and its ELFs as prebuilt kernels.
//! Capturing that suite gives the same program bytes.

mod flow;
mod not_a_suite;
mod suite;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hallmark_chip::Processor;
use hallmark_runtime::device_code::{KernelBuildRequest, KernelLock, LockedKernel, SourceClosure};
use hallmark_schema::model::{Capture, Command};

use super::Failed;
use crate::verdict::ExitCode;
use crate::whole_file;

/// Stands for the compiler in the lock of a dumped capture.
const COMPILER: &str = "none: ELFs of a capture";

fn failed(problem: impl std::fmt::Display) -> Failed {
    Failed::new(ExitCode::CAPTURE, format!("this capture cannot be told as a suite: {problem}"))
}

/// Writes the folder; gives the name of its test.
pub(super) fn write(capture: &Capture, folder: &Path) -> Result<String, Failed> {
    if folder.exists() {
        return Err(Failed::new(
            ExitCode::USAGE,
            format!("{} is already there; name a folder that is not", folder.display()),
        ));
    }
    let dumped = suite::suite(capture).map_err(failed)?;
    let suites = folder.join("suites");
    let put = |path: String, bytes: &[u8]| {
        whole_file::write(&suites.join(&path), bytes).map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("{path} cannot be written: {error}"))
        })
    };
    let sources = sources(capture)?;
    for (path, bytes) in &sources {
        put(path.clone(), bytes)?;
    }
    for (hash, bytes) in &dumped.data {
        put(suite::data_path(*hash), bytes)?;
    }
    let Prebuilt { lock, files } = prebuilt(capture, &sources)?;
    let architecture = capture.program.architecture;
    for (name, bytes) in &files {
        put(format!("kernels/prebuilt/{architecture}/{name}"), bytes)?;
    }
    if !files.is_empty() {
        put(format!("kernels/prebuilt/{architecture}.lock"), lock.render().as_bytes())?;
    }
    put("dump/capture.yaml".to_owned(), dumped.text.as_bytes())?;
    Ok(format!("{architecture}::dump::capture::captured"))
}

type Files = BTreeMap<String, Arc<[u8]>>;

fn sources(capture: &Capture) -> Result<Files, Failed> {
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

/// The capture's ELFs and line tables by the names of their files, and a lock by which a store finds them without a
/// compiler.
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
