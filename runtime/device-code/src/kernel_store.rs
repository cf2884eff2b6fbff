//! The sources of kernel ELFs: the prebuilt folder with its lock, the cache of earlier builds, and the
//! compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hallmark_chip::{Architecture, Processor};
use hallmark_schema::model::ContentHash;

use super::compiler_messages::{merged, named};
use super::kernel_lock::KernelLockText;
use super::toolchain::ToolchainError;
use super::{
    Compiler, KernelBuildRequest, KernelKey, KernelLock, KernelLockError, LineTable, LockedKernel,
    SourceClosure, UnreadDirective, limits, refuse_links, temporary,
};

/// A kernel for one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltKernel {
    /// Its ELF.
    pub elf: Arc<[u8]>,
    /// Its encoded [`LineTable`]; without one, reports show only the function of a pc.
    pub lines: Option<Arc<[u8]>>,
}

/// A kernel ELF that is not available.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KernelBuildError {
    /// The kernel is not prebuilt, and there is no compiler.
    #[error("kernel {path} for {} is not prebuilt with this source, arguments and definitions, and no RISC-V compiler was found: {}", processor.name(), Compiler::INSTALL)]
    NoCompiler {
        /// The kernel's source.
        path: String,
        /// The processor.
        processor: Processor,
    },
    /// The kernel is not prebuilt, and building is disabled.
    #[error("kernel {path} for {} is not prebuilt in {} with this source, arguments and definitions", processor.name(), folder.display())]
    NotPrebuilt {
        /// The kernel's source.
        path: String,
        /// The processor.
        processor: Processor,
        /// The searched folder.
        folder: PathBuf,
    },
    /// Only a compiler can tell which files the kernel includes, and there is none.
    #[error(
        "{file}:{line}: `{directive}` can be resolved by a compiler alone, and no RISC-V compiler was found: {}; or include the file by `#include \"…\"`",
        Compiler::INSTALL
    )]
    Unread {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The text of the line.
        directive: String,
    },
    /// The compiler refused the kernel.
    #[error("kernel {path} for {} does not build:\n{error}", named(processors))]
    Build {
        /// The kernel's source.
        path: String,
        /// The processors for which it does not build.
        processors: Vec<Processor>,
        /// The error of the build.
        #[source]
        error: ToolchainError,
    },
    /// A definition whose name is no C identifier, or whose value is longer than a line or asks for a file.
    #[error(
        "kernel {path}: `{name}` is not the name of a definition, or its value holds a line break, a backslash or `__has_include`"
    )]
    Define {
        /// The kernel's source.
        path: String,
        /// The defined name.
        name: String,
    },
    /// Words that a macro can join to `__has_include`, which would tell whether a file exists.
    #[error(
        "kernel {path} holds words that `##` can join to `__has_include`, which asks for a file; give one of them another name"
    )]
    Joined {
        /// The kernel's source.
        path: String,
    },
    /// A lock file is damaged.
    #[error("{}: {error}", lock.display())]
    Lock {
        /// The lock file.
        lock: PathBuf,
        /// The problem.
        #[source]
        error: KernelLockError,
    },
    /// A prebuilt ELF that does not match the lock.
    #[error("the content of {} does not have the hash in the file's name; restore the file, or run `hallmark kernels build`", elf.display())]
    Damaged {
        /// The prebuilt ELF.
        elf: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{}: {reason}", file.display())]
    File {
        /// The file that cannot be read or written.
        file: PathBuf,
        /// The error of the operating system.
        reason: Arc<std::io::Error>,
    },
    /// A check with another compiler than that of the lock.
    #[error("{} was written with {locked}, but the compiler here is {here}", lock.display())]
    OtherCompiler {
        /// The lock file.
        lock: PathBuf,
        /// The compiler that the lock file names.
        locked: String,
        /// The present compiler.
        here: String,
    },
}

impl KernelBuildError {
    /// Whether a prebuilt kernel or the lock is damaged or missing, so that a build of all kernels writes it anew.
    fn is_mended_by_a_build(&self) -> bool {
        match self {
            Self::Lock { .. } | Self::Damaged { .. } => true,
            Self::File { reason, .. } => reason.kind() == std::io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// The error of one processor's build with equal messages of the compiler told once.
    fn told_once(self, sources: &SourceClosure) -> Self {
        match self {
            Self::Build { path, processors, error: ToolchainError::Rejected { messages } } => {
                let rejected = processors.first().map(|it| (*it, messages));
                let messages = merged(rejected.as_slice(), false, |file| sources.has(file));
                Self::Build { path, processors, error: ToolchainError::Rejected { messages } }
            }
            error => error,
        }
    }

    /// Whether the machine failed, such as by a full disk, and nothing was learnt of the kernel.
    pub fn is_of_machine(&self) -> bool {
        match self {
            Self::Build { error, .. } => error.is_of_machine(),
            // A file that is absent is missing from the store, and one that is a link or a folder is a mistake in it.
            Self::File { reason, .. } => {
                use std::io::ErrorKind;
                !matches!(reason.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput)
            }
            Self::NoCompiler { .. }
            | Self::NotPrebuilt { .. }
            | Self::Unread { .. }
            | Self::Define { .. }
            | Self::Joined { .. }
            | Self::Lock { .. }
            | Self::Damaged { .. }
            | Self::OtherCompiler { .. } => false,
        }
    }
}

/// Configures a [`KernelStore`].
#[derive(Clone, Debug, Default)]
pub struct KernelStoreBuilder {
    prebuilt: Option<PathBuf>,
    cache: Option<PathBuf>,
    compiler: Option<Option<Compiler>>,
    only_prebuilt: bool,
}

impl KernelStoreBuilder {
    /// The folder with `<arch>.lock`, `<arch>/<hash>.elf` and `<arch>/<key>.lines`: `suites/kernels/prebuilt`.
    pub fn prebuilt(mut self, folder: impl Into<PathBuf>) -> Self {
        self.prebuilt = Some(folder.into());
        self
    }

    /// Disables building: only kernels in the prebuilt folder are available.
    pub fn only_prebuilt(mut self) -> Self {
        self.only_prebuilt = true;
        self
    }

    /// The folder that caches built kernels. Without one every process builds them again.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// The compiler to use, or `None` for none. By default [`Compiler::find`] searches on first use.
    pub fn compiler(mut self, compiler: Option<Compiler>) -> Self {
        self.compiler = Some(compiler);
        self
    }

    /// The configured store.
    pub fn build(self) -> KernelStore {
        let compiler = OnceLock::new();
        if let Some(given) = self.compiler {
            let _ = compiler.set(given);
        }
        KernelStore {
            prebuilt: self.prebuilt,
            cache: self.cache,
            compiler,
            only_prebuilt: self.only_prebuilt,
            built: Mutex::default(),
            locks: Mutex::default(),
        }
    }
}

/// Finds or builds kernels.
#[derive(Debug)]
pub struct KernelStore {
    prebuilt: Option<PathBuf>,
    cache: Option<PathBuf>,
    compiler: OnceLock<Option<Compiler>>,
    only_prebuilt: bool,
    built: Mutex<BTreeMap<KernelKey, BuiltKernel>>,
    /// Lock files that have been read. They have hundreds of lines, and every kernel lookup needs one.
    locks: Mutex<BTreeMap<Architecture, Arc<KernelLockText>>>,
}

/// The treatment of existing kernels by [`KernelStore::build_all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrebuiltUse {
    /// Keeps them, builds missing ones and writes the changes.
    Complete,
    /// Rebuilds kernels with exactly the locks' compiler, compares and writes nothing.
    Check {
        /// The remainder of the rebuilt kernels' indices modulo `of`; indices count the kernels in the order of
        /// their keys from 0.
        first: usize,
        /// The modulus, at least 1. For other kernels only the file is read and its hash compared. A kernel
        /// that the lock does not name is always built.
        of: usize,
    },
}

impl PrebuiltUse {
    /// Rebuilds every kernel.
    pub const CHECK_ALL: Self = Self::Check { first: 0, of: 1 };

    /// Whether the kernel with this index is rebuilt although it exists.
    fn builds_again(self, place: usize) -> bool {
        match self {
            Self::Complete => false,
            Self::Check { first, of } => place % of.max(1) == first,
        }
    }
}

/// What [`KernelStore::build_all_telling`] tells while it works.
#[derive(Clone, Copy, Debug)]
pub enum BuildNews<'a> {
    /// So many kernels are built or looked up.
    Begin(usize),
    /// One of them is there, or cannot be built.
    Ended {
        /// The kernel.
        request: &'a KernelBuildRequest,
        /// Whether it is there.
        is_built: bool,
    },
}

/// The changes that [`KernelStore::build_all`] made or would make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// The number of kernels that the requests reach.
    pub kernels: usize,
    /// Files that were written or removed or, in a check, differ.
    pub changed: Vec<PathBuf>,
    /// Bytes of the largest line table.
    pub largest_line_table: u64,
    /// Bytes of all line tables together.
    pub line_tables: u64,
}

impl BuildReport {
    /// Whether all line tables together are no larger than [`KernelStore::MOST_LINE_TABLES`].
    pub const fn line_tables_fit(&self) -> bool {
        self.line_tables <= KernelStore::MOST_LINE_TABLES
    }
}

impl KernelStore {
    /// The largest total size of the line tables in a folder of prebuilt kernels, bytes.
    pub const MOST_LINE_TABLES: u64 = limits::LINE_TABLES;

    /// A new builder.
    pub fn builder() -> KernelStoreBuilder {
        KernelStoreBuilder::default()
    }

    /// The cache folder, if there is one.
    pub fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// The compiler, if there is one.
    pub fn compiler(&self) -> Option<&Compiler> {
        self.compiler.get_or_init(Compiler::find).as_ref()
    }

    /// The kernel of a request.
    pub fn kernel(&self, request: &KernelBuildRequest) -> Result<BuiltKernel, KernelBuildError> {
        let path = request.sources.path();
        if let Some(name) = request.bad_define() {
            return Err(KernelBuildError::Define { path: path.to_owned(), name: name.to_owned() });
        }
        if let Some(name) = request.bad_argument_name() {
            return Err(KernelBuildError::Define { path: path.to_owned(), name: name.to_owned() });
        }
        if request.can_ask_for_a_file() {
            return Err(KernelBuildError::Joined { path: path.to_owned() });
        }
        if let Some(lock) = self.lock(request.architecture)? {
            let key = request.key(lock.compiler());
            let elf =
                lock.elf(key).map_err(|error| self.lock_error(request.architecture, error))?;
            if let Some(elf) = elf {
                return self.prebuilt_kernel(request.architecture, key, elf);
            }
            if let Some(kernel) = self.cached(key) {
                return Ok(kernel);
            }
        }
        if self.only_prebuilt {
            return Err(KernelBuildError::NotPrebuilt {
                path: path.to_owned(),
                processor: request.processor,
                folder: self.prebuilt.clone().unwrap_or_default(),
            });
        }
        let Some(compiler) = self.compiler() else {
            return Err(match request.sources.unread() {
                Some(UnreadDirective { file, line, directive }) => KernelBuildError::Unread {
                    file: file.clone(),
                    line: *line,
                    directive: directive.clone(),
                },
                None => KernelBuildError::NoCompiler {
                    path: path.to_owned(),
                    processor: request.processor,
                },
            });
        };
        let key = request.key(compiler.version());
        if let Some(kernel) = self.cached(key) {
            return Ok(kernel);
        }
        let kernel = compile(compiler, request)?;
        self.keep(key, &kernel)?;
        Ok(kernel)
    }

    /// A kernel's builds for its processors. What the compiler says is said once, with the processors that it concerns.
    pub fn kernels(
        &self,
        requests: &[KernelBuildRequest],
    ) -> Result<Vec<BuiltKernel>, KernelBuildError> {
        let mut built = Vec::new();
        let mut rejected = Vec::new();
        for request in requests {
            match self.kernel(request) {
                Ok(kernel) => built.push(kernel),
                Err(KernelBuildError::Build {
                    error: ToolchainError::Rejected { messages },
                    ..
                }) => rejected.push((request.processor, messages)),
                Err(error) => return Err(error),
            }
        }
        let Some(request) = requests.first().filter(|_| !rejected.is_empty()) else {
            return Ok(built);
        };
        let sources = &request.sources;
        let messages = merged(&rejected, requests.len() > 1, |file| sources.has(file));
        Err(KernelBuildError::Build {
            path: sources.path().to_owned(),
            processors: rejected.into_iter().map(|(processor, _)| processor).collect(),
            error: ToolchainError::Rejected { messages },
        })
    }

    /// Builds all requested kernels into the prebuilt folder, rewrites the locks and removes unreachable ELFs
    /// and line tables; or checks the existing files. The report lists all changes or differences.
    ///
    /// # Errors
    /// The first kernel that cannot be built, or a file that cannot be read or written.
    pub fn build_all(
        &self,
        requests: &[KernelBuildRequest],
        prebuilt: PrebuiltUse,
    ) -> Result<BuildReport, KernelBuildError> {
        self.build_all_telling(requests, prebuilt, |_| {})
    }

    /// As [`Self::build_all`], and `tell` hears how far the builds have come.
    ///
    /// # Errors
    /// As [`Self::build_all`].
    pub fn build_all_telling(
        &self,
        requests: &[KernelBuildRequest],
        prebuilt: PrebuiltUse,
        tell: impl Fn(BuildNews<'_>) + Sync,
    ) -> Result<BuildReport, KernelBuildError> {
        let check = prebuilt != PrebuiltUse::Complete;
        let Some((folder, compiler)) = self.prebuilt.as_deref().zip(self.compiler()) else {
            let (path, processor) = requests.first().map_or_else(
                || (String::new(), Processor::Brisc),
                |request| (request.sources.path().to_owned(), request.processor),
            );
            return Err(KernelBuildError::NoCompiler { path, processor });
        };
        let mut report = BuildReport::default();
        let mut distinct: BTreeMap<Architecture, BTreeMap<KernelKey, &KernelBuildRequest>> =
            BTreeMap::new();
        for request in requests {
            let of_architecture = distinct.entry(request.architecture).or_default();
            of_architecture.insert(request.key(compiler.version()), request);
        }
        tell(BuildNews::Begin(distinct.values().map(BTreeMap::len).sum()));
        for (architecture, distinct) in distinct {
            let before = match self.read_lock(architecture) {
                Ok(Some(lock)) => {
                    let parsed = lock.parsed().cloned();
                    parsed.map_err(|error| self.lock_error(architecture, error))
                }
                Ok(None) => Ok(KernelLock::default()),
                Err(error) => Err(error),
            };
            let before = match before {
                Err(error) if !check && error.is_mended_by_a_build() => KernelLock::default(),
                before => before?,
            };
            let lock_file = lock_file(folder, architecture);
            if check && before.compiler != compiler.version() {
                return Err(KernelBuildError::OtherCompiler {
                    lock: lock_file,
                    locked: before.compiler,
                    here: compiler.version().to_owned(),
                });
            }
            let mut after =
                KernelLock { compiler: compiler.version().to_owned(), kernels: BTreeMap::new() };
            let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
            let distinct: Vec<(KernelKey, &KernelBuildRequest)> = distinct.into_iter().collect();
            let make = |place: usize, key: KernelKey, request: &KernelBuildRequest| {
                let known = match prebuilt {
                    PrebuiltUse::Complete => match self.kernel(request) {
                        Err(error) if error.is_mended_by_a_build() => None,
                        kernel => Some(kernel?),
                    },
                    PrebuiltUse::Check { .. } if prebuilt.builds_again(place) => None,
                    // If the file is damaged or absent, a build shows the correct content.
                    PrebuiltUse::Check { .. } => before.kernels.get(&key).and_then(|kernel| {
                        self.prebuilt_kernel(architecture, key, kernel.elf).ok()
                    }),
                };
                let whole = known.filter(|kernel| kernel.lines.is_some());
                whole.map_or_else(|| compile(compiler, request), Ok)
            };
            let make = |place: usize, key: KernelKey, request: &KernelBuildRequest| {
                let made = make(place, key, request);
                tell(BuildNews::Ended { request, is_built: made.is_ok() });
                made.map_err(|error| error.told_once(&request.sources))
            };
            for (key, request, BuiltKernel { elf, lines }) in on_all_processors(&distinct, make)? {
                let hash = ContentHash::of(&elf);
                let comment = format!("{} {}", request.processor.name(), request.sources.path());
                after.kernels.insert(key, LockedKernel { elf: hash, comment });
                files.insert(elf_file(folder, architecture, hash), elf.to_vec());
                if let Some(lines) = lines {
                    let size = lines.len() as u64;
                    report.largest_line_table = report.largest_line_table.max(size);
                    report.line_tables = report.line_tables.saturating_add(size);
                    files.insert(lines_file(folder, architecture, key), lines.to_vec());
                }
            }
            report.kernels = report.kernels.saturating_add(after.kernels.len());
            files.insert(lock_file, after.render().into_bytes());
            let applied = apply(&folder.join(architecture.name()), files, check, &mut report);
            self.locks.lock().unwrap_or_else(PoisonError::into_inner).remove(&architecture);
            applied?;
        }
        Ok(report)
    }

    /// The lock file of an architecture, read once.
    fn lock(
        &self,
        architecture: Architecture,
    ) -> Result<Option<Arc<KernelLockText>>, KernelBuildError> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(&architecture) {
            return Ok(Some(Arc::clone(lock)));
        }
        let lock = self.read_lock(architecture)?.map(Arc::new);
        if let Some(lock) = &lock {
            locks.insert(architecture, Arc::clone(lock));
        }
        Ok(lock)
    }

    fn read_lock(
        &self,
        architecture: Architecture,
    ) -> Result<Option<KernelLockText>, KernelBuildError> {
        let Some(folder) = &self.prebuilt else { return Ok(None) };
        let lock = lock_file(folder, architecture);
        let bytes = refuse_links_to(folder, &lock)
            .and_then(|()| limits::read_file(&lock, limits::TEXT_FILE));
        match bytes {
            Ok(bytes) => KernelLockText::new(bytes)
                .map(Some)
                .map_err(|error| self.lock_error(architecture, error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file_error(&lock)(error)),
        }
    }

    fn lock_error(&self, architecture: Architecture, error: KernelLockError) -> KernelBuildError {
        let folder = self.prebuilt.as_deref().unwrap_or(Path::new(""));
        KernelBuildError::Lock { lock: lock_file(folder, architecture), error }
    }

    fn prebuilt_kernel(
        &self,
        architecture: Architecture,
        key: KernelKey,
        hash: ContentHash,
    ) -> Result<BuiltKernel, KernelBuildError> {
        let folder = self.prebuilt.as_deref().unwrap_or(Path::new(""));
        let file = elf_file(folder, architecture, hash);
        let bytes = refuse_links_to(folder, &file)
            .and_then(|()| limits::read_file(&file, limits::ELF_FILE))
            .map_err(file_error(&file))?;
        if ContentHash::of(&bytes) != hash {
            return Err(KernelBuildError::Damaged { elf: file });
        }
        // A damaged line table fails no test: it counts as absent, and a check of the folder reports it.
        let lines =
            limits::read_file(&lines_file(folder, architecture, key), limits::LINE_TABLE as u64);
        let lines = lines.ok().filter(|lines| LineTable::decode(lines).is_ok());
        Ok(BuiltKernel { elf: bytes.into(), lines: lines.map(Into::into) })
    }

    /// A kernel from the cache, built by this or another process. A damaged file counts as absent.
    fn cached(&self, key: KernelKey) -> Option<BuiltKernel> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = built.get(&key) {
            return Some(kernel.clone());
        }
        drop(built);
        let most = limits::ELF_FILE.saturating_add(limits::LINE_TABLE as u64).saturating_add(36);
        let bytes = limits::read_file(&cache_file(self.cache.as_ref()?, key), most).ok()?;
        // The hash of the rest, then the length of the line table, the table and the ELF.
        let (hash, rest) = bytes.split_first_chunk::<32>()?;
        if ContentHash::of(rest) != ContentHash(*hash) {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (lines, elf) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(BuiltKernel { elf: elf.into(), lines: Some(lines.into()) })
    }

    fn keep(&self, key: KernelKey, kernel: &BuiltKernel) -> Result<(), KernelBuildError> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner).insert(key, kernel.clone());
        let (Some(folder), Some(lines)) = (&self.cache, &kernel.lines) else { return Ok(()) };
        let length = (lines.len() as u32).to_le_bytes();
        let rest = [&length[..], lines, &kernel.elf].concat();
        let bytes = [&ContentHash::of(&rest).0[..], &rest].concat();
        write_whole(&cache_file(folder, key), &bytes)
    }
}

fn compile(
    compiler: &Compiler,
    request: &KernelBuildRequest,
) -> Result<BuiltKernel, KernelBuildError> {
    compiler.kernel(request).map_err(|error| KernelBuildError::Build {
        path: request.sources.path().to_owned(),
        processors: vec![request.processor],
        error,
    })
}

/// Refuses a prebuilt file that a link in the folder leads to: the suites that it lies in may be a stranger's.
fn refuse_links_to(prebuilt: &Path, file: &Path) -> std::io::Result<()> {
    refuse_links(prebuilt, &file.strip_prefix(prebuilt).unwrap_or(file).to_string_lossy())
}

/// The lock file of an architecture in a folder of prebuilt kernels.
fn lock_file(folder: &Path, architecture: Architecture) -> PathBuf {
    folder.join(format!("{architecture}.lock"))
}

fn elf_file(folder: &Path, architecture: Architecture, hash: ContentHash) -> PathBuf {
    folder.join(architecture.name()).join(format!("{hash}.elf"))
}

fn lines_file(folder: &Path, architecture: Architecture, key: KernelKey) -> PathBuf {
    folder.join(architecture.name()).join(format!("{key}.lines"))
}

/// Files that end otherwise are from releases that did not check which files a build reads.
fn cache_file(folder: &Path, key: KernelKey) -> PathBuf {
    folder.join(format!("{key}.built"))
}

fn file_error(file: &Path) -> impl FnOnce(std::io::Error) -> KernelBuildError {
    let file = file.to_owned();
    move |reason| KernelBuildError::File { file, reason: Arc::new(reason) }
}

/// A kernel with its key and its request.
type KernelOfRequest<'r> = (KernelKey, &'r KernelBuildRequest, BuiltKernel);

/// Makes every kernel in parallel on all processors, in no order.
fn on_all_processors<'r>(
    kernels: &[(KernelKey, &'r KernelBuildRequest)],
    make: impl Fn(usize, KernelKey, &KernelBuildRequest) -> Result<BuiltKernel, KernelBuildError> + Sync,
) -> Result<Vec<KernelOfRequest<'r>>, KernelBuildError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let make = &make;
    let part = |first: usize| {
        let kernels = kernels.iter().enumerate().skip(first).step_by(threads);
        kernels
            .map(|(place, &(key, request))| Ok((key, request, make(place, key, request)?)))
            .collect::<Result<Vec<KernelOfRequest<'r>>, _>>()
    };
    std::thread::scope(|scope| {
        let part = &part;
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
        let mut made = Vec::new();
        for thread in running {
            match thread.join() {
                Ok(kernels) => made.extend(kernels?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(made)
    })
}

/// Makes `folder` contain exactly the ELFs and line tables of `files`, and writes the other files among them.
fn apply(
    folder: &Path,
    files: BTreeMap<PathBuf, Vec<u8>>,
    check: bool,
    report: &mut BuildReport,
) -> Result<(), KernelBuildError> {
    if let Ok(entries) = std::fs::read_dir(folder) {
        for entry in entries.flatten() {
            let path = entry.path();
            if !files.contains_key(&path) {
                if !check {
                    std::fs::remove_file(&path).map_err(file_error(&path))?;
                }
                report.changed.push(path);
            }
        }
    }
    for (path, bytes) in files {
        if std::fs::read(&path).is_ok_and(|before| before == bytes) {
            continue;
        }
        if !check {
            write_whole(&path, &bytes)?;
        }
        report.changed.push(path);
    }
    Ok(())
}

/// Writes a file so that readers never see a part of it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), KernelBuildError> {
    temporary::write_whole(path, bytes, false).map_err(file_error(path))
}
