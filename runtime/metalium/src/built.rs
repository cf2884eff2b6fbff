//! Artifacts that are built once with the system's compiler and kept in the user's cache folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::ReleaseDescription;
use crate::installation::{PrepareError, make_folder, write};
use crate::toolchain::{SYSTEM_COMPILER, program, version};

/// The file that marks a complete folder.
const READY: &str = "ready";

/// The cache's folder of a release for a key. The first caller has `make` fill it, under a lock; each later one finds it.
///
/// # Errors
/// The cache folder cannot be written, or the error of `make`.
pub(crate) fn make_once(
    cache: &Path,
    release: &str,
    key: &blake3::Hasher,
    make: impl FnOnce(&Path) -> Result<(), PrepareError>,
) -> Result<PathBuf, PrepareError> {
    make_folder(cache)?;
    let key = key.finalize().to_hex();
    let folder = cache.join(format!("{release}-{}", key.get(..16).unwrap_or_default()));
    make_folder(&folder)?;
    let lock = folder.join("lock");
    let file = File::create(&lock)
        .map_err(|error| PrepareError::file("cannot be written", &lock, &error))?;
    file.lock().map_err(|error| PrepareError::file("cannot be locked", &lock, &error))?;
    let ready = folder.join(READY);
    if !ready.is_file() {
        make(&folder)?;
        write(&ready, "")?;
    }
    Ok(folder)
}

/// Runs a compiler. Its messages are an error only if it fails.
///
/// # Errors
/// The compiler cannot be started, or fails.
pub(crate) fn compile(
    what: &str,
    release: &ReleaseDescription,
    compiler: &Path,
    command: &mut Command,
) -> Result<(), PrepareError> {
    let ran = command.env("LC_ALL", "C").stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| PrepareError::file("cannot be started", compiler, &error))?;
    if ran.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    Err(PrepareError::Build {
        what: what.to_owned(),
        release: release.version().to_owned(),
        messages,
    })
}

/// A shared library that is built from sources embedded in the executable.
#[derive(Clone, Copy, Debug)]
pub struct SharedLibrary<'a> {
    /// The description of the library in errors.
    pub what: &'a str,
    /// Its file name.
    pub name: &'a str,
    /// The source files: names with their texts.
    pub sources: &'a [(&'a str, &'a str)],
    /// The compiler's options.
    pub options: &'a [String],
    /// The release that it is built for.
    pub release: &'a ReleaseDescription,
}

impl SharedLibrary<'_> {
    /// The path of the library in a cache folder; builds it if it is missing.
    ///
    /// # Errors
    /// The system's compiler is missing or fails, or the cache folder cannot be written.
    pub fn prepare(&self, cache: &Path) -> Result<PathBuf, PrepareError> {
        let compiler = program(SYSTEM_COMPILER, "g++")?;
        let mut key = blake3::Hasher::new();
        let sources = self.sources.iter().flat_map(|(name, text)| [*name, *text]);
        for part in sources.chain(self.options.iter().map(String::as_str)) {
            key.update(part.as_bytes()).update(&[0]);
        }
        key.update(version(&compiler)?.as_bytes());
        let folder =
            make_once(cache, self.release.version(), &key, |folder| self.build(folder, &compiler))?;
        Ok(folder.join(self.name))
    }

    fn build(&self, folder: &Path, compiler: &Path) -> Result<(), PrepareError> {
        let sources = folder.join("sources");
        let mut compiled = Vec::new();
        for (name, text) in self.sources {
            write(&sources.join(name), text)?;
            if name.ends_with(".cpp") || name.ends_with(".S") {
                compiled.push(*name);
            }
        }
        let part = folder.join("part");
        let mut command = Command::new(compiler);
        command.current_dir(&sources).args(["-shared", "-fPIC"]).args(self.options);
        command.args(compiled).arg("-o").arg(&part);
        compile(self.what, self.release, compiler, &mut command)?;
        let made = folder.join(self.name);
        std::fs::rename(&part, &made)
            .map_err(|error| PrepareError::file("cannot be written", &made, &error))
    }
}
