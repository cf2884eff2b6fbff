//! Hides every file from a compiler but its own, the libraries of the system and the folder that it builds in.
//!
//! An assembler's `.incbin` and a preprocessor's macros can name any file, and a message can quote it. On Linux a
//! Landlock rule keeps them from opening one; where the system has none, the toolchain withholds messages that may
//! quote files, and checks afterwards which files were read.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folders with the libraries that any program loads, and the file that lists them.
const OF_SYSTEM: [&str; 7] =
    ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache"];
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
    /// The confinement to a program and the folders of its installation.
    pub(super) fn to(program: &Path, installation: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        let of_program = [program, &real].into_iter().filter_map(Path::parent).map(Path::to_owned);
        let packages = real.starts_with(PACKAGES).then(|| PathBuf::from(PACKAGES));
        let readable = of_program
            .chain(installation)
            .chain(OF_SYSTEM.map(PathBuf::from))
            .chain(packages)
            .filter(|path| path.is_absolute() && path.exists())
            .collect();
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
