//! The files that recorded kernels include. They are read from the machine right after the command ran, and kept with a
//! recording that gives no capture, because a later conversion opens no file outside the recording: its paths may be a
//! stranger's.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use hallmark_metalium_recording::read_source;
use hallmark_runtime::device_code::refuse_links;
use hallmark_schema::model::ContentHash;

/// The folder of the files in that of a recording.
const FOLDER: &str = "included";

/// The origin of included files.
#[derive(Debug)]
pub(super) enum IncludedFiles {
    /// This machine, on which the command has just run; with the files read so far.
    Machine(RefCell<BTreeMap<PathBuf, Vec<u8>>>),
    /// The folder of a recording, which keeps them.
    Recording(PathBuf),
}

impl IncludedFiles {
    /// The files of this machine.
    pub(super) fn of_machine() -> Self {
        Self::Machine(RefCell::default())
    }

    /// The content of a file, by its path on the machine of the command.
    pub(super) fn read(&self, path: &Path) -> Option<Vec<u8>> {
        match self {
            Self::Machine(files) => {
                let bytes = read_source(path)?;
                files.borrow_mut().insert(path.to_owned(), bytes.clone());
                Some(bytes)
            }
            Self::Recording(folder) => {
                let name = format!("{FOLDER}/{}", name_of(path));
                refuse_links(folder, &name).ok()?;
                read_source(&folder.join(name))
            }
        }
    }

    /// Keeps the files that were read in the folder of their recording.
    pub(super) fn keep(&self, folder: &Path) -> io::Result<()> {
        let Self::Machine(files) = self else { return Ok(()) };
        let place = folder.join(FOLDER);
        std::fs::create_dir_all(&place)?;
        let files = files.borrow();
        files.iter().try_for_each(|(path, bytes)| std::fs::write(place.join(name_of(path)), bytes))
    }
}

/// The name by which a file is kept: the hash of its path, which can lead nowhere.
fn name_of(path: &Path) -> String {
    ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_gives_what_was_kept_and_opens_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let [used, other] = ["used.h", "other.h"].map(|name| place.path().join(name));
        std::fs::write(&used, "used").unwrap();
        std::fs::write(&other, "other").unwrap();
        let machine = IncludedFiles::of_machine();
        assert_eq!(machine.read(&used).unwrap(), b"used");
        assert_eq!(machine.read(&place.path().join("absent.h")), None);
        let folder = place.path().join("recording");
        machine.keep(&folder).unwrap();
        std::fs::remove_file(&used).unwrap();
        let recording = IncludedFiles::Recording(folder.clone());
        assert_eq!(recording.read(&used).unwrap(), b"used");
        assert_eq!(recording.read(&other), None);
        // A link among the kept files leads out of the recording.
        let link = folder.join(FOLDER).join(name_of(&other));
        std::os::unix::fs::symlink(&other, link).unwrap();
        assert_eq!(recording.read(&other), None);
        assert_eq!(IncludedFiles::Recording(place.path().join("nowhere")).read(&used), None);
    }
}
