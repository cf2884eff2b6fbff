//! The identity of an executor as a hash: another build of it may give other results.

use std::io;
use std::path::{Path, PathBuf};

use hallmark_runtime::{DeviceSpec, SimulatorSettings};
use hallmark_schema::model::ContentHash;
use hallmark_suite::contents_hash::{add_file, add_folder, add_text};

use super::metalium::{MetaliumUnusable, build_of};
use super::{Executor, Release};

/// A part of an executor that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A file of the executor.
    #[error("{} cannot be read: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// TT-Metalium.
    #[error(transparent)]
    Metalium(#[from] MetaliumUnusable),
}

/// A hash over texts and files.
struct Parts(blake3::Hasher);

impl Parts {
    fn text(&mut self, text: &str) {
        add_text(&mut self.0, text);
    }

    fn file(&mut self, path: &Path) -> Result<(), IdentityError> {
        add_file(&mut self.0, path)
            .map_err(|error| IdentityError::File { path: path.to_owned(), error })
    }

    fn folder(&mut self, folder: &Path) -> Result<(), IdentityError> {
        self.text(&folder.to_string_lossy());
        add_folder(&mut self.0, folder).map_err(|(path, error)| IdentityError::File { path, error })
    }
}

impl Executor {
    /// The hash over its name, the settings of its programs, the bytes of its executable, its simulator's
    /// library and its firmware, and the build of TT-Metalium. `worker` is the executable of this release's
    /// workers.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub fn identity(&self, worker: &Path) -> Result<ContentHash, IdentityError> {
        let mut parts = Parts(blake3::Hasher::new());
        parts.text(&self.to_string());
        parts.text(self.programs.dispatch.name());
        parts.text(&self.programs.schedule_seed.to_string());
        let SimulatorSettings { data_cache, strict_isa, strict_tensix } = self.programs.simulator;
        parts.text(&data_cache.to_string());
        parts.text(&strict_isa.to_string());
        parts.text(&strict_tensix.to_string());
        match &self.release {
            Release::This => parts.file(worker)?,
            Release::Other(executable) => parts.file(executable)?,
            Release::Metalium(site) => {
                parts.file(worker)?;
                parts.text(&build_of(site)?);
            }
        }
        match &self.device {
            DeviceSpec::Ttsim(chip) => parts.file(&chip.path)?,
            DeviceSpec::Simulator(_)
            | DeviceSpec::Pci(_)
            | DeviceSpec::SimulatedCard(_)
            | DeviceSpec::Misbehaving(_) => {}
        }
        [&self.programs.firmware, &self.kernels]
            .into_iter()
            .flatten()
            .try_for_each(|folder| parts.folder(folder))?;
        Ok(ContentHash(*parts.0.finalize().as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;
    use crate::executor::{Dispatch, ProgramSettings};

    #[test]
    fn each_part_of_an_executor_makes_it_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let worker = file("hallmark", "an executable");
        let library = file("libttsim.so", "a library");
        file("firmware/manifest", "a bundle");
        let one = Executor {
            release: Release::This,
            device: DeviceSpec::Ttsim(library.clone().into()),
            architecture: Architecture::WormholeB0,
            programs: ProgramSettings {
                firmware: Some(folder.path().join("firmware")),
                ..ProgramSettings::default()
            },
            kernels: None,
        };
        let mut seen = vec![one.identity(&worker).unwrap()];
        assert_eq!(one.identity(&worker).unwrap(), seen[0], "the same");
        let mut is_new = |executor: &Executor, what: &str| {
            let identity = executor.identity(&worker).unwrap();
            assert!(!seen.contains(&identity), "{what}");
            seen.push(identity);
        };
        let simulator = DeviceSpec::simulator(Architecture::WormholeB0);
        is_new(&Executor { device: simulator, ..one.clone() }, "another device");
        let mut other = one.clone();
        other.programs.dispatch = Dispatch::Device;
        is_new(&other, "another dispatch");
        let mut other = one.clone();
        other.programs.schedule_seed = 7;
        is_new(&other, "another seed");
        let mut other = one.clone();
        other.programs.simulator.data_cache = true;
        is_new(&other, "the data cache");
        let mut other = one.clone();
        other.programs.simulator.strict_isa = true;
        is_new(&other, "only promised orders");
        let mut other = one.clone();
        other.programs.simulator.strict_tensix = true;
        is_new(&other, "sampling until the end");
        is_new(&Executor { release: Release::Other(worker.clone()), ..one.clone() }, "a release");
        file("hallmark", "a new executable");
        is_new(&one, "a new executable");
        file("libttsim.so", "a new library");
        is_new(&one, "a new library");
        file("firmware/manifest", "a new bundle");
        is_new(&one, "a new bundle");
        let elsewhere = file("elsewhere", "firmware");
        let link = folder.path().join("firmware/brisc.elf");
        std::os::unix::fs::symlink(elsewhere, link).unwrap();
        is_new(&one, "a link in a bundle");
        file("elsewhere", "new firmware");
        is_new(&one, "a link to a new file");
        std::fs::remove_file(&library).unwrap();
        let error = one.identity(&worker).unwrap_err().to_string();
        assert!(error.contains("libttsim.so cannot be read"), "{error}");
    }
}
