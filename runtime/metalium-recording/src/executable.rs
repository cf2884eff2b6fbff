//! Inspects the program of a command before it runs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, elf};

/// The largest depth of scripts that name other scripts as interpreters.
const SCRIPTS: usize = 4;
/// The largest accepted program, bytes.
const LIMIT: u64 = 1 << 30;
/// The path of the library, relative to a site.
const LIBRARY: &str = "ttnn/build/lib/libtt_metal.so";
/// Python code that prints the folder of the package `ttnn` that this Python would import, without importing
/// it.
const FIND_TTNN: &str = "import importlib.util as u; s = u.find_spec('ttnn'); print(s.submodule_search_locations[0] if s else '')";

/// A command that cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutableError {
    /// The program does not exist.
    #[error("there is no program {}; name one that is on PATH, or give its path", .0.display())]
    Missing(PathBuf),
    /// The file is not a program.
    #[error("{} cannot be executed: it is no file with permission to execute", .0.display())]
    NotExecutable(PathBuf),
    /// The file cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The message of the system or of the ELF reader.
        reason: String,
    },
    /// A static program, into which no library can be preloaded.
    #[error(
        "{} is statically linked, so that the recorder cannot be loaded into it; link it with libtt_metal.so",
        .0.display()
    )]
    Static(PathBuf),
    /// A program for another machine than the recorder's.
    #[error("{} is no program for 64-bit x86, which TT-Metalium's library is for", .0.display())]
    OtherMachine(PathBuf),
}

/// The interpreter after `#!` in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Interpreter {
    program: PathBuf,
    argument: Option<OsString>,
}

/// A program into which the recorder can be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    path: PathBuf,
    /// The program that the system starts, if the file is a script.
    interpreter: Option<Interpreter>,
    /// The folders that the program's loader searches first.
    library_folders: Vec<PathBuf>,
}

/// Finds a program as the system does: by a path, or by a name searched in folders.
fn find(name: &OsStr, folders: &OsStr) -> Result<PathBuf, ExecutableError> {
    let is_program = |path: &Path| {
        let about = std::fs::metadata(path);
        about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match path.exists() {
            true if is_program(&path) => Ok(path),
            true => Err(ExecutableError::NotExecutable(path)),
            false => Err(ExecutableError::Missing(path)),
        };
    }
    let paths = std::env::split_paths(folders).map(|folder| folder.join(name));
    let found = paths.filter(|_| !name.is_empty()).find(|path| is_program(path));
    found.ok_or_else(|| ExecutableError::Missing(name.into()))
}

fn read(path: &Path) -> Result<Vec<u8>, ExecutableError> {
    let unreadable = |reason| ExecutableError::Unreadable { path: path.to_owned(), reason };
    let size = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > LIMIT {
        return Err(unreadable(format!("it has more than {LIMIT} B")));
    }
    std::fs::read(path).map_err(|error| unreadable(error.to_string()))
}

fn interpreter(script: &[u8]) -> Option<Interpreter> {
    let line = script.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let blank = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (program, argument) = line.split_at_checked(blank)?;
    let argument = argument.trim_ascii();
    Some(Interpreter {
        program: OsStr::from_bytes(program).into(),
        argument: (!argument.is_empty()).then(|| OsString::from_vec(argument.to_vec())),
    })
}

impl Executable {
    /// Inspects the program of a command without executing it. `folders` is the value of `PATH`.
    ///
    /// # Errors
    /// [`ExecutableError`]: the program does not exist, or the recorder cannot be loaded into it.
    pub fn look(name: &OsStr, folders: &OsStr) -> Result<Self, ExecutableError> {
        let path = find(name, folders)?;
        let mut executable = Self { path, interpreter: None, library_folders: Vec::new() };
        let mut at = executable.path.clone();
        for _ in 0..SCRIPTS {
            let bytes = read(&at)?;
            let Some(next) = interpreter(&bytes) else {
                executable.library_folders = look_at_program(&at, &bytes)?;
                break;
            };
            at = find(next.program.as_os_str(), OsStr::new(""))?;
            executable.interpreter.get_or_insert(next);
        }
        Ok(executable)
    }

    /// The path of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The site of the TT-Metalium that the program would load, if it can be found without running the program:
    /// from the folders of its loader and of Python, or by asking a Python where it would import `ttnn` from.
    pub fn site(&self, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let listed = |name| {
            let folders = variable(name).unwrap_or_default();
            std::env::split_paths(&folders).collect::<Vec<_>>()
        };
        let loaded = self.library_folders.iter().cloned().chain(listed("LD_LIBRARY_PATH"));
        let loaded = loaded.filter(|folder| folder.ends_with("ttnn/build/lib"));
        let loaded = loaded.filter_map(|folder| folder.ancestors().nth(3).map(Path::to_owned));
        let imported = listed("PYTHONPATH");
        let mut sites = loaded.chain(imported).filter(|site| site.join(LIBRARY).is_file());
        sites.next().or_else(|| ask(&self.python(&variable("PATH")?)?))
    }

    /// The Python that runs the command's script.
    fn python(&self, folders: &OsStr) -> Option<PathBuf> {
        let is_python = |path: &Path| {
            path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"python"))
        };
        let interpreter = match &self.interpreter {
            None => self.path.clone(),
            Some(Interpreter { program, argument: Some(name) }) if program.ends_with("env") => {
                find(name, folders).ok()?
            }
            Some(Interpreter { program, .. }) => program.clone(),
        };
        Some(interpreter).filter(|path| is_python(path))
    }
}

/// The folder that contains the package that a Python would import.
fn ask(python: &Path) -> Option<PathBuf> {
    let mut command = Command::new(python);
    command.args(["-c", FIND_TTNN]).stdin(Stdio::null()).stderr(Stdio::null());
    let printed = command.output().ok()?.stdout;
    let package = Path::new(OsStr::from_bytes(printed.trim_ascii()));
    package.parent().filter(|site| site.is_absolute()).map(Path::to_owned)
}

/// The folders that a program's loader searches for libraries, or why it loads none.
fn look_at_program(path: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, ExecutableError> {
    if !bytes.starts_with(&elf::ELFMAG) {
        // A script without an interpreter line; a shell runs it.
        return Ok(Vec::new());
    }
    let other = || ExecutableError::OtherMachine(path.to_owned());
    let file: ElfFile64<'_> = ElfFile64::parse(bytes).map_err(|_| other())?;
    let endian = file.endian();
    if file.elf_header().e_machine(endian) != elf::EM_X86_64 {
        return Err(other());
    }
    let headers = file.elf_program_headers();
    if !headers.iter().any(|header| header.p_type(endian) == elf::PT_INTERP) {
        return Err(ExecutableError::Static(path.to_owned()));
    }
    Ok(library_folders(path, &file).unwrap_or_default())
}

fn library_folders(path: &Path, file: &ElfFile64<'_>) -> Option<Vec<PathBuf>> {
    let (endian, data): (Endianness, _) = (file.endian(), file.data());
    let sections = file.elf_section_table();
    let (entries, strings) = sections.dynamic(endian, data).ok()??;
    let strings = sections.strings(endian, data, strings).ok()?;
    let origin = path.canonicalize().ok()?;
    let origin = origin.parent()?;
    let mut folders = Vec::new();
    for entry in entries {
        let tag = entry.d_tag(endian);
        if tag == elf::DT_RUNPATH || tag == elf::DT_RPATH {
            let listed = entry.string(endian, strings).ok()?;
            for folder in std::env::split_paths(OsStr::from_bytes(listed)) {
                let relative = folder.strip_prefix("$ORIGIN").map(|below| origin.join(below));
                folders.push(relative.unwrap_or(folder));
            }
        }
    }
    Some(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder for test files.
    struct Scene(tempfile::TempDir);

    impl Scene {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn file(&self, name: &str, content: &[u8], mode: u32) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, content).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn program(&self, name: &str, content: &[u8]) -> PathBuf {
            self.file(name, content, 0o755)
        }

        fn look(&self, name: &str) -> Result<Executable, ExecutableError> {
            Executable::look(OsStr::new(name), self.0.path().as_os_str())
        }
    }

    /// A minimal 64-bit ELF file: its header, and program headers of the given types.
    fn elf(machine: u16, types: &[u32]) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(16, 0);
        for half in [2, machine, 1, 0] {
            bytes.extend(half.to_le_bytes());
        }
        for word in [0_u64, 64, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend([0; 4]);
        for half in [64, 56, u16::try_from(types.len()).unwrap(), 64, 0, 0] {
            bytes.extend(half.to_le_bytes());
        }
        for kind in types {
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 52]);
        }
        bytes
    }

    const X86_64: u16 = 62;
    const LOAD: u32 = 1;
    const INTERPRETER: u32 = 3;

    #[test]
    fn a_program_that_nothing_can_be_preloaded_into_is_refused_with_the_reason() {
        let scene = Scene::new();
        scene.program("dynamic", &elf(X86_64, &[LOAD, INTERPRETER]));
        let fixed = scene.program("static", &elf(X86_64, &[LOAD]));
        let arm = scene.program("arm", &elf(183, &[LOAD, INTERPRETER]));
        let data = scene.file("data", b"data", 0o644);
        let missing = scene.0.path().join("missing");
        assert!(scene.look("dynamic").is_ok());
        assert_eq!(scene.look("static"), Err(ExecutableError::Static(fixed)));
        assert_eq!(scene.look("arm"), Err(ExecutableError::OtherMachine(arm)));
        assert_eq!(scene.look("data"), Err(ExecutableError::Missing("data".into())));
        let with_path = scene.look(data.to_str().unwrap());
        assert_eq!(with_path, Err(ExecutableError::NotExecutable(data)));
        assert_eq!(scene.look(missing.to_str().unwrap()), Err(ExecutableError::Missing(missing)));
        assert_eq!(scene.look(""), Err(ExecutableError::Missing("".into())));
    }

    #[test]
    fn a_cut_program_is_refused_at_every_length() {
        let scene = Scene::new();
        let whole = elf(X86_64, &[LOAD, INTERPRETER]);
        for length in 4..whole.len() {
            scene.program("cut", &whole[..length]);
            assert!(scene.look("cut").is_err(), "{length}");
        }
    }

    #[test]
    fn a_script_is_as_good_as_its_interpreter() {
        let scene = Scene::new();
        let fixed = scene.program("static", &elf(X86_64, &[LOAD]));
        scene.program("dynamic", &elf(X86_64, &[INTERPRETER]));
        let folder = scene.0.path().display().to_string();
        scene.program("good", format!("#! {folder}/dynamic -u\nprint()\n").as_bytes());
        scene.program("bad", format!("#!{folder}/static").as_bytes());
        scene.program("far", format!("#!{folder}/bad\n").as_bytes());
        scene.program("own", format!("#!{folder}/own\n").as_bytes());
        scene.program("none", b"echo hello\n");
        assert!(scene.look("good").is_ok());
        assert_eq!(scene.look("bad"), Err(ExecutableError::Static(fixed.clone())));
        assert_eq!(scene.look("far"), Err(ExecutableError::Static(fixed)));
        // Whether the system runs these does not matter here.
        assert!(scene.look("own").is_ok());
        assert!(scene.look("none").is_ok());
    }

    #[test]
    fn the_site_is_where_python_and_the_loader_look() {
        let scene = Scene::new();
        scene.program("dynamic", &elf(X86_64, &[INTERPRETER]));
        let imported = scene.file("imported/ttnn/build/lib/libtt_metal.so", b"", 0o644);
        let imported = imported.ancestors().nth(4).unwrap().to_owned();
        let site = |name: &str, variables: &[(&str, PathBuf)]| {
            let variable = |wanted: &str| {
                let found = variables.iter().find(|(name, _)| *name == wanted);
                found.map(|(_, value)| value.clone().into_os_string())
            };
            scene.look(name).unwrap().site(variable)
        };
        assert_eq!(site("dynamic", &[]), None);
        assert_eq!(site("dynamic", &[("PYTHONPATH", "/nowhere".into())]), None);
        let python_path = ("PYTHONPATH", imported.clone());
        assert_eq!(site("dynamic", &[python_path]), Some(imported.clone()));
        let libraries = ("LD_LIBRARY_PATH", imported.join("ttnn/build/lib"));
        assert_eq!(site("dynamic", &[libraries]), Some(imported.clone()));
        // A fake Python that prints the folder of its import.
        let package = imported.join("ttnn").display().to_string();
        scene.program("python3", format!("#!/bin/sh\necho {package}\n").as_bytes());
        scene.program("script", b"#!/usr/bin/env python3\n");
        let path = ("PATH", scene.0.path().to_owned());
        assert_eq!(site("script", &[path]), Some(imported));
    }
}
