//! Builds of a capture's kernels as parts: each kernel with the build of one side or the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::Processor;
use hallmark_execution::executor::{Executor, Release};
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::find_kernels;
use hallmark_schema::model::{
    Capture, Command, ContentHash, KernelElf, KernelId, LineTableBytes, Outcome, SharedBytes,
};
use thiserror::Error;

use super::{Mixed, Mixture, PartKind};
use crate::probe::CannotTell;

/// Builds that cannot be exchanged.
#[derive(Debug, Error)]
pub enum KernelMixtureError {
    /// A side has no build of a kernel.
    #[error("{side} has no build of kernel {kernel}, `{program}`: {problem}")]
    Absent {
        /// The side, by the source of its kernels.
        side: String,
        /// The kernel's id.
        kernel: u32,
        /// Its source.
        program: String,
        /// The reason.
        problem: String,
    },
    /// The capture's kernels are for another architecture.
    #[error(
        "the capture is of {captured} and {executor} of another architecture, where every kernel is built anew; name an executor of {captured}"
    )]
    OtherArchitecture {
        /// The capture's architecture.
        captured: hallmark_chip::Architecture,
        /// The executor.
        executor: String,
    },
    /// TT-Metalium builds kernels itself.
    #[error("{executor} builds its kernels itself; name another executor with --bad")]
    OwnKernels {
        /// The executor.
        executor: String,
    },
    /// The capture has no record, and thus no ELFs.
    #[error(
        "this capture holds calls alone and says of no kernel what it ran as; `hallmark capture` makes one that does"
    )]
    NoRecord,
}

/// The source of a side's kernels.
#[derive(Clone, Debug)]
pub enum KernelsOfSide<'a> {
    /// The capture; a store provides missing kernels.
    Captured(&'a KernelStore),
    /// A folder of prebuilt kernels.
    Folder {
        /// The folder's name as given.
        name: String,
        /// Its kernels.
        store: Arc<KernelStore>,
    },
}

type Build = BTreeMap<u8, (SharedBytes, LineTableBytes)>;

/// Kernels with different builds on the two sides.
#[derive(Debug)]
struct KernelPart {
    name: String,
    kernels: Vec<KernelId>,
    good: Build,
    bad: Build,
}

/// A capture with builds of both sides.
#[derive(Debug)]
pub struct KernelMixture {
    /// The capture with the good side's builds of all kernels.
    capture: Arc<Capture>,
    executor: Executor,
    parts: Vec<KernelPart>,
    equal: usize,
}

impl KernelMixture {
    /// Mixtures of two sides' builds, for an executor. The executor's own choice of kernels is ignored.
    ///
    /// # Errors
    /// [`KernelMixtureError`].
    pub fn new(
        capture: &Capture,
        executor: &Executor,
        good: &KernelsOfSide<'_>,
        bad: &KernelsOfSide<'_>,
    ) -> Result<Self, KernelMixtureError> {
        match executor.release {
            Release::This | Release::Other(_) => {}
            Release::Metalium(_) => {
                return Err(KernelMixtureError::OwnKernels { executor: executor.to_string() });
            }
        }
        if executor.architecture != capture.program.architecture {
            return Err(KernelMixtureError::OtherArchitecture {
                captured: capture.program.architecture,
                executor: executor.to_string(),
            });
        }
        if capture.record.is_none() {
            return Err(KernelMixtureError::NoRecord);
        }
        let of_good = builds(capture, good)?;
        let of_bad = builds(capture, bad)?;
        let mut parts: Vec<KernelPart> = Vec::new();
        let mut equal = 0_usize;
        for (kernel, source) in sources(capture) {
            let build =
                |of: &BTreeMap<KernelId, Build>| of.get(&kernel).cloned().unwrap_or_default();
            let (good, bad) = (build(&of_good), build(&of_bad));
            if elfs_equal(&good, &bad) {
                equal = equal.saturating_add(1);
                continue;
            }
            // Kernels with the same builds on each side form one part.
            let alike = parts.iter_mut().find(|part| part.good == good && part.bad == bad);
            match alike {
                Some(part) => part.kernels.push(kernel),
                None => parts.push(KernelPart { name: source, kernels: vec![kernel], good, bad }),
            }
        }
        for part in &mut parts {
            let processors = part.bad.keys().chain(part.good.keys());
            let mut processors: Vec<&str> = processors
                .filter_map(|number| Processor::ALL.get(usize::from(*number)))
                .map(|processor| processor.name())
                .collect();
            processors.sort_unstable();
            processors.dedup();
            let ids: Vec<String> = part.kernels.iter().map(|kernel| kernel.0.to_string()).collect();
            let kernels = if ids.len() == 1 { "kernel" } else { "kernels" };
            part.name = format!(
                "`{}` ({kernels} {}, {})",
                part.name,
                ids.join(", "),
                processors.join(" and ")
            );
        }
        let mut executor = executor.clone();
        executor.kernels = None;
        let mut base = capture.clone();
        for (kernel, build) in of_good {
            put(&mut base, kernel, &build);
        }
        Ok(Self { capture: Arc::new(base), executor, parts, equal })
    }

    /// The capture with the good side's builds; its run on the good side is the standard of correctness.
    pub fn good_capture(&self) -> &Arc<Capture> {
        &self.capture
    }

    /// The executor of every mixture.
    pub const fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Uses another recording of the good side's capture as the standard of correctness.
    #[must_use]
    pub fn beside(mut self, recorded: Arc<Capture>) -> Self {
        self.capture = recorded;
        self
    }
}

impl Mixture for KernelMixture {
    fn kind(&self) -> PartKind {
        PartKind::Kernels
    }

    fn parts(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.name.clone()).collect()
    }

    fn equal_parts(&self) -> usize {
        self.equal
    }

    fn with(&self, bad: &[usize]) -> Result<Mixed, CannotTell> {
        let mut capture = Capture::clone(&self.capture);
        for part in bad.iter().filter_map(|number| self.parts.get(*number)) {
            for kernel in &part.kernels {
                put(&mut capture, *kernel, &part.bad);
            }
        }
        Ok(Mixed { capture: Arc::new(capture), executor: self.executor.clone() })
    }
}

/// Whether the code is the same; line tables are ignored.
fn elfs_equal(one: &Build, other: &Build) -> bool {
    let elfs = |build: &Build| -> Vec<(u8, SharedBytes)> {
        build.iter().map(|(processor, (elf, _))| (*processor, elf.clone())).collect()
    };
    elfs(one) == elfs(other)
}

/// The kernels of a capture, with their sources.
fn sources(capture: &Capture) -> impl Iterator<Item = (KernelId, String)> {
    capture.program.commands.iter().filter_map(|made| match (&made.command, &made.outcome) {
        (Command::CreateKernel(call), Outcome::Done) => Some((call.kernel, call.source.clone())),
        _ => None,
    })
}

/// A side's build of each kernel.
fn builds(
    capture: &Capture,
    side: &KernelsOfSide<'_>,
) -> Result<BTreeMap<KernelId, Build>, KernelMixtureError> {
    let mut builds: BTreeMap<KernelId, Build> = BTreeMap::new();
    let (store, name) = match side {
        KernelsOfSide::Captured(store) => {
            for elf in capture.record.iter().flat_map(|record| &record.elfs) {
                if let Some(bytes) = capture.blobs.get(&elf.hash) {
                    let build = builds.entry(elf.kernel).or_default();
                    build.insert(elf.processor, (bytes.clone(), elf.lines.clone()));
                }
            }
            (*store, "the capture")
        }
        KernelsOfSide::Folder { name, store } => (&**store, name.as_str()),
    };
    let mut without = capture.clone();
    if let Some(record) = &mut without.record {
        // Only kernels without a build are searched for.
        record.elfs.retain(|elf| builds.contains_key(&elf.kernel));
    }
    let mut found = find_kernels(&without, capture.program.architecture, store);
    for (kernel, program) in sources(capture) {
        let binaries = match (builds.contains_key(&kernel), found.remove(&kernel)) {
            (true, _) => continue,
            (false, Some(Ok(binaries))) => binaries,
            (false, problem) => {
                let problem = problem.and_then(Result::err);
                return Err(KernelMixtureError::Absent {
                    side: name.to_owned(),
                    kernel: kernel.0,
                    program,
                    problem: problem.map_or_else(String::new, |problem| problem.to_string()),
                });
            }
        };
        let build = binaries.builds.into_iter().filter_map(|(processor, built)| {
            let number = u8::try_from(processor.index()).ok()?;
            let lines = built.lines.as_deref().map(LineTableBytes::from).unwrap_or_default();
            Some((number, (SharedBytes::from(built.elf), lines)))
        });
        builds.insert(kernel, build.collect());
    }
    Ok(builds)
}

/// Replaces the build of a kernel in a capture.
fn put(capture: &mut Capture, kernel: KernelId, build: &Build) {
    let Some(record) = &mut capture.record else { return };
    record.elfs.retain(|elf| elf.kernel != kernel);
    for (processor, (elf, lines)) in build {
        let hash = ContentHash::of(elf);
        capture.blobs.insert(hash, elf.clone());
        record.elfs.push(KernelElf { kernel, processor: *processor, hash, lines: lines.clone() });
    }
    record.elfs.sort_unstable();
}
