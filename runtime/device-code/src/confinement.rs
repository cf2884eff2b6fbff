//! Hides every file from a compiler but its own, the libraries of the system and the folder that it builds in.
//!
//! An assembler's `.incbin` and a preprocessor's macros can name any file, and a message can quote it. On Linux a
//! Landlock rule keeps them from opening one; where the system has none, the toolchain withholds messages that may
//! quote files, and checks afterwards which files were read.
//!
//! The system's folders hold more than libraries, such as `/usr/lib/os-release`. So the libraries in them may be opened
//! one by one, and no such folder as a whole.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folders with the libraries that any program loads. Those of one architecture lie in a folder below.
const OF_SYSTEM: [&str; 6] = ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"];
/// The part of the name of a folder with the libraries of one architecture, as in `x86_64-linux-gnu`.
const OF_ARCHITECTURE: &str = "-linux-";
/// The list of the system's libraries.
const LIST_OF_LIBRARIES: &str = "/etc/ld.so.cache";
/// Packages that are no part of the system's folders bring their libraries along here.
const PACKAGES: &str = "/nix/store";
/// The device without content.
const NOTHING: &str = "/dev/null";

/// The files that a compiler may open besides those of its build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Confinement {
    readable: Vec<PathBuf>,
}

impl Confinement {
    /// The confinement to a program, those that belong to it, and the folders of its installation.
    pub(super) fn to(program: &Path, installation: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        let programs = [program, &real].into_iter().flat_map(programs_of);
        let packages = real.starts_with(PACKAGES).then(|| PathBuf::from(PACKAGES));
        let of_system: Vec<PathBuf> =
            OF_SYSTEM.iter().filter_map(|folder| Path::new(folder).canonicalize().ok()).collect();
        let installation = installation.into_iter().filter(|folder| {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            !of_system.iter().any(|system| system.starts_with(&folder))
        });
        let mut readable: Vec<PathBuf> = programs
            .chain(installation)
            .chain(of_system.iter().flat_map(|folder| libraries(folder)))
            .chain([PathBuf::from(LIST_OF_LIBRARIES)])
            .chain(packages)
            .filter(|path| path.is_absolute() && path.exists())
            .collect();
        readable.sort();
        readable.dedup();
        Self { readable }
    }

    /// Runs a command that may open these files, and everything in `folder`; nothing if the system cannot confine it.
    pub(super) fn output(
        &self,
        folder: &Path,
        command: &mut Command,
    ) -> io::Result<Option<Output>> {
        // The rule holds for the thread and the processes that it starts, and for nobody else.
        let run = || match self.restrict(folder) {
            true => command.output().map(Some),
            false => Ok(None),
        };
        std::thread::scope(|scope| {
            scope.spawn(run).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    #[cfg(target_os = "linux")]
    fn restrict(&self, folder: &Path) -> bool {
        use landlock::{
            ABI, Access as _, AccessFs, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
            RulesetError, RulesetStatus, path_beneath_rules,
        };
        let restricted = || -> Result<RulesetStatus, RulesetError> {
            let all = AccessFs::from_all(ABI::V1);
            let read = AccessFs::from_read(ABI::V1);
            let rules = Ruleset::default().handle_access(all)?.create()?;
            let rules = rules
                .add_rules(path_beneath_rules(&self.readable, read))?
                .add_rules(path_beneath_rules([folder, Path::new(NOTHING)], all))?;
            Ok(rules.restrict_self()?.ruleset)
        };
        matches!(restricted(), Ok(RulesetStatus::FullyEnforced))
    }

    #[cfg(not(target_os = "linux"))]
    fn restrict(&self, _folder: &Path) -> bool {
        let _ = NOTHING;
        false
    }
}

/// A compiler and the programs beside it whose names begin as its own does, such as the assembler of
/// `riscv64-unknown-elf-g++`.
fn programs_of(compiler: &Path) -> Vec<PathBuf> {
    let name = compiler.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let prefix = name.find("g++").and_then(|end| name.get(..end)).filter(|it| !it.is_empty());
    let others = prefix.map(|prefix| {
        let begins_so = move |path: &PathBuf| {
            let name = path.file_name().and_then(OsStr::to_str);
            path.is_file() && name.is_some_and(|name| name.starts_with(prefix))
        };
        entries(compiler.parent().unwrap_or(compiler)).filter(begins_so)
    });
    others.into_iter().flatten().chain([compiler.to_owned()]).collect()
}

/// The libraries of a folder of the system, and those of each architecture.
fn libraries(folder: &Path) -> Vec<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        path.is_file() && (name.ends_with(".so") || name.contains(".so."))
    };
    let of_architecture = entries(folder).filter(|path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.contains(OF_ARCHITECTURE) && path.is_dir()
    });
    let of_architecture = of_architecture.flat_map(|folder| entries(&folder));
    entries(folder).chain(of_architecture).filter(is_library).collect()
}

/// What a folder holds; nothing, if it cannot be listed.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
