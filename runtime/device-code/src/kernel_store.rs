//! Where kernel ELFs come from: prebuilt by lock, the cache of earlier builds, or the compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hallmark_chip::{Architecture, Processor};
use hallmark_schema::model::ContentHash;

use super::toolchain::ToolchainError;
use super::{
    Compiler, KernelBuildRequest, KernelKey, KernelLock, KernelLockError, LockedKernel, limits,
    temporary,
};

/// A kernel ELF cannot be had.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KernelBuildError {
    /// Neither prebuilt nor can it be built here.
    #[error("kernel {path} for {} is not prebuilt with this source, arguments and definitions, and there is no RISC-V compiler here: {}", processor.name(), Compiler::INSTALL)]
    NoCompiler {
        /// The kernel's source.
        path: String,
        /// For which core.
        processor: Processor,
    },
    /// Not prebuilt, and nothing is to be built.
    #[error("kernel {path} for {} is not prebuilt in {} with this source, arguments and definitions", processor.name(), folder.display())]
    NotPrebuilt {
        /// The kernel's source.
        path: String,
        /// For which core.
        processor: Processor,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The compiler refused it.
    #[error("kernel {path} for {} does not build:\n{error}", processor.name())]
    Build {
        /// The kernel's source.
        path: String,
        /// For which core.
        processor: Processor,
        /// What went wrong.
        #[source]
        error: ToolchainError,
    },
    /// A definition is no C identifier or more than a line.
    #[error(
        "kernel {path}: `{name}` is no name of a definition, or its value holds a line break or backslash"
    )]
    Define {
        /// The kernel's source.
        path: String,
        /// The name that is defined.
        name: String,
    },
    /// A lock file is damaged.
    #[error("{}: {error}", lock.display())]
    Lock {
        /// The lock file.
        lock: PathBuf,
        /// What is wrong.
        #[source]
        error: KernelLockError,
    },
    /// A prebuilt ELF is not what the lock says.
    #[error("{} does not have the hash that is its name; restore it, or run scripts/device-code", elf.display())]
    Damaged {
        /// The prebuilt ELF.
        elf: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{}: {reason}", file.display())]
    File {
        /// The file that cannot be read or written.
        file: PathBuf,
        /// What the operating system says.
        reason: Arc<std::io::Error>,
    },
    /// A check was asked for, with another compiler than the lock's.
    #[error("{} was written with {locked}; here is {here}", lock.display())]
    OtherCompiler {
        /// The lock file.
        lock: PathBuf,
        /// The compiler that the lock file names.
        locked: String,
        /// The compiler here.
        here: String,
    },
}

/// Sets a [`KernelStore`] up.
#[derive(Clone, Debug, Default)]
pub struct KernelStoreBuilder {
    prebuilt: Option<PathBuf>,
    cache: Option<PathBuf>,
    compiler: Option<Option<Compiler>>,
    only_prebuilt: bool,
}

impl KernelStoreBuilder {
    /// The folder with `<arch>.lock` and `<arch>/<hash>.elf`: `suites/kernels/prebuilt`.
    pub fn prebuilt(mut self, folder: impl Into<PathBuf>) -> Self {
        self.prebuilt = Some(folder.into());
        self
    }

    /// Nothing is built: what is not in the folder of prebuilt kernels is not there.
    pub fn only_prebuilt(mut self) -> Self {
        self.only_prebuilt = true;
        self
    }

    /// A folder that keeps what is built here. Without one every process builds again.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// The compiler to use, or `None` to use none. By default [`Compiler::find`] looks when one is needed.
    pub fn compiler(mut self, compiler: Option<Compiler>) -> Self {
        self.compiler = Some(compiler);
        self
    }

    /// The store with what was set so far.
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

/// Finds or builds kernel ELFs.
#[derive(Debug)]
pub struct KernelStore {
    prebuilt: Option<PathBuf>,
    cache: Option<PathBuf>,
    compiler: OnceLock<Option<Compiler>>,
    only_prebuilt: bool,
    built: Mutex<BTreeMap<KernelKey, Arc<[u8]>>>,
    /// Lock files that have been read: hundreds of lines, and every kernel asks for one.
    locks: Mutex<BTreeMap<Architecture, Arc<KernelLock>>>,
}

/// What [`KernelStore::build_all`] changed or would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Kernels that the requests reach.
    pub kernels: usize,
    /// Files written, removed or, in a check, different.
    pub changed: Vec<PathBuf>,
}

impl KernelStore {
    /// Starts to set one up.
    pub fn builder() -> KernelStoreBuilder {
        KernelStoreBuilder::default()
    }

    /// The compiler, if there is one.
    pub fn compiler(&self) -> Option<&Compiler> {
        self.compiler.get_or_init(Compiler::find).as_ref()
    }

    /// The ELF that a request asks for.
    pub fn elf(&self, request: &KernelBuildRequest) -> Result<Arc<[u8]>, KernelBuildError> {
        let path = request.sources.path();
        if let Some(name) = request.bad_define() {
            return Err(KernelBuildError::Define { path: path.to_owned(), name: name.to_owned() });
        }
        if let Some(lock) = self.lock(request.architecture)? {
            let key = request.key(&lock.compiler);
            if let Some(kernel) = lock.kernels.get(&key) {
                return self.prebuilt_elf(request.architecture, kernel.elf);
            }
            if let Some(elf) = self.cached(key) {
                return Ok(elf);
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
            return Err(KernelBuildError::NoCompiler {
                path: path.to_owned(),
                processor: request.processor,
            });
        };
        let key = request.key(compiler.version());
        if let Some(elf) = self.cached(key) {
            return Ok(elf);
        }
        let elf = compile(compiler, request)?;
        self.keep(key, &elf)?;
        Ok(elf)
    }

    /// Builds what the requests reach into the prebuilt folder, rewrites the locks and removes ELFs
    /// that nothing reaches. With `check` it builds everything again with exactly the locks'
    /// compiler and writes nothing; whatever differs is in the report.
    pub fn build_all(
        &self,
        requests: &[KernelBuildRequest],
        check: bool,
    ) -> Result<BuildReport, KernelBuildError> {
        let Some((folder, compiler)) = self.prebuilt.as_deref().zip(self.compiler()) else {
            let (path, processor) = requests.first().map_or_else(
                || (String::new(), Processor::Brisc),
                |request| (request.sources.path().to_owned(), request.processor),
            );
            return Err(KernelBuildError::NoCompiler { path, processor });
        };
        let mut report = BuildReport::default();
        let architectures: BTreeSet<_> =
            requests.iter().map(|request| request.architecture).collect();
        for architecture in architectures {
            let requests = requests.iter().filter(|one| one.architecture == architecture);
            let before = self.read_lock(architecture)?.unwrap_or_default();
            let lock_file = folder.join(format!("{architecture}.lock"));
            if check && before.compiler != compiler.version() {
                return Err(KernelBuildError::OtherCompiler {
                    lock: lock_file,
                    locked: before.compiler,
                    here: compiler.version().to_owned(),
                });
            }
            let mut after =
                KernelLock { compiler: compiler.version().to_owned(), kernels: BTreeMap::new() };
            let mut wanted: BTreeMap<ContentHash, Arc<[u8]>> = BTreeMap::new();
            let distinct: BTreeMap<KernelKey, &KernelBuildRequest> =
                requests.map(|request| (request.key(compiler.version()), request)).collect();
            let distinct: Vec<(KernelKey, &KernelBuildRequest)> = distinct.into_iter().collect();
            let make = |request: &KernelBuildRequest| {
                if check { compile(compiler, request) } else { self.elf(request) }
            };
            for (key, request, elf) in on_all_processors(&distinct, make)? {
                let hash = ContentHash::of(&elf);
                let comment = format!("{} {}", request.processor.name(), request.sources.path());
                after.kernels.insert(key, LockedKernel { elf: hash, comment });
                wanted.insert(hash, elf);
            }
            report.kernels = report.kernels.saturating_add(after.kernels.len());
            let mut files: BTreeMap<PathBuf, Vec<u8>> = wanted
                .iter()
                .map(|(hash, elf)| (elf_file(folder, architecture, *hash), elf.to_vec()))
                .collect();
            files.insert(lock_file, after.render().into_bytes());
            let applied = apply(&folder.join(architecture.name()), files, check, &mut report);
            self.locks.lock().unwrap_or_else(PoisonError::into_inner).remove(&architecture);
            applied?;
        }
        Ok(report)
    }

    /// The lock file of an architecture, which is read once.
    fn lock(
        &self,
        architecture: Architecture,
    ) -> Result<Option<Arc<KernelLock>>, KernelBuildError> {
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
    ) -> Result<Option<KernelLock>, KernelBuildError> {
        let Some(folder) = &self.prebuilt else { return Ok(None) };
        let lock = folder.join(format!("{architecture}.lock"));
        match limits::read_file(&lock, limits::TEXT_FILE) {
            Ok(bytes) => KernelLock::parse(&bytes)
                .map(Some)
                .map_err(|error| KernelBuildError::Lock { lock, error }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file_error(&lock)(error)),
        }
    }

    fn prebuilt_elf(
        &self,
        architecture: Architecture,
        hash: ContentHash,
    ) -> Result<Arc<[u8]>, KernelBuildError> {
        let folder = self.prebuilt.as_deref().unwrap_or(Path::new(""));
        let file = elf_file(folder, architecture, hash);
        let bytes = limits::read_file(&file, limits::ELF_FILE).map_err(file_error(&file))?;
        if ContentHash::of(&bytes) != hash {
            return Err(KernelBuildError::Damaged { elf: file });
        }
        Ok(bytes.into())
    }

    /// An ELF built earlier, by this process or another. A damaged file counts as absent.
    fn cached(&self, key: KernelKey) -> Option<Arc<[u8]>> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(elf) = built.get(&key) {
            return Some(elf.clone());
        }
        drop(built);
        let file = self.cache.as_ref()?.join(format!("{key}.elf"));
        let bytes = limits::read_file(&file, limits::ELF_FILE.saturating_add(32)).ok()?;
        let (hash, elf) = bytes.split_first_chunk::<32>()?;
        (ContentHash::of(elf) == ContentHash(*hash)).then(|| elf.into())
    }

    fn keep(&self, key: KernelKey, elf: &Arc<[u8]>) -> Result<(), KernelBuildError> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner).insert(key, elf.clone());
        let Some(folder) = &self.cache else { return Ok(()) };
        let bytes = [ContentHash::of(elf).0.as_slice(), elf].concat();
        write_whole(&folder.join(format!("{key}.elf")), &bytes)
    }
}

fn compile(
    compiler: &Compiler,
    request: &KernelBuildRequest,
) -> Result<Arc<[u8]>, KernelBuildError> {
    compiler.kernel(request).map(Arc::from).map_err(|error| KernelBuildError::Build {
        path: request.sources.path().to_owned(),
        processor: request.processor,
        error,
    })
}

fn elf_file(folder: &Path, architecture: Architecture, hash: ContentHash) -> PathBuf {
    folder.join(architecture.name()).join(format!("{hash}.elf"))
}

fn file_error(file: &Path) -> impl FnOnce(std::io::Error) -> KernelBuildError {
    let file = file.to_owned();
    move |reason| KernelBuildError::File { file, reason: Arc::new(reason) }
}

/// A kernel by its key, with its ELF.
type BuiltKernel<'r> = (KernelKey, &'r KernelBuildRequest, Arc<[u8]>);

/// Makes every kernel, as many at a time as there are processors; in no order.
fn on_all_processors<'r>(
    kernels: &[(KernelKey, &'r KernelBuildRequest)],
    make: impl Fn(&KernelBuildRequest) -> Result<Arc<[u8]>, KernelBuildError> + Sync,
) -> Result<Vec<BuiltKernel<'r>>, KernelBuildError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let make = &make;
    let part = |first: usize| {
        let kernels = kernels.iter().skip(first).step_by(threads);
        kernels
            .map(|&(key, request)| Ok((key, request, make(request)?)))
            .collect::<Result<Vec<BuiltKernel<'r>>, _>>()
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

/// Makes `folder` hold exactly the ELFs of `files`, and writes what else is among them.
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

/// Writes a file so that nobody ever sees a part of it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), KernelBuildError> {
    temporary::write_whole(path, bytes, false).map_err(file_error(path))
}
