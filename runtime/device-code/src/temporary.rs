//! Temporary folders and files that are removed even after their process was killed.
//!
//! A process holds a lock on each of its temporary folders and files; the system releases the lock however the
//! process ends. A file with a temporary name and no lock is a leftover, and the next process that searches for
//! leftovers removes it. Locks are used and not process numbers, because containers that share a folder do not
//! share process numbers.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, Write as _};
use std::path::Path;

use tempfile::TempDir;

/// The prefix of temporary folders. Releases without locks never used it, so their folders are never taken for
/// leftovers.
const FOLDER_PREFIX: &str = "hallmark-work-";
/// The prefix of files that are being written.
const FILE_PREFIX: &str = ".hallmark-write-";
/// The number of attempts to create a folder or file. An attempt fails if another process removes the new one
/// as a leftover before it is locked.
const ATTEMPTS: usize = 16;
/// The folder of Linux whose files are in memory (shm_overview(7)). A test creates and removes some twenty
/// files, which on a disk's file system costs more than the test itself.
const MEMORY: &str = "/dev/shm";
/// The free bytes that this folder must have: containers often limit it to 64 MiB, and a large capture takes
/// hundreds.
const ROOM: u64 = 2 << 30;

/// A folder that is removed when this value is dropped, or after a kill by the next process that removes
/// leftovers.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    _lock: File,
}

impl TemporaryFolder {
    /// An empty folder in `TMPDIR`, if that is set; otherwise in memory, if the system has such a folder with
    /// enough room; otherwise in the system's folder for temporary files.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new() -> Result<Self, Error> {
        if std::env::var_os("TMPDIR").is_none()
            && let Some(memory) = memory()
            && let Ok(folder) = Self::within(memory)
        {
            return Ok(folder);
        }
        Self::within(&std::env::temp_dir())
    }

    /// An empty folder in `parent`.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn within(parent: &Path) -> Result<Self, Error> {
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir_in(parent)?;
            // Before it was locked, another process may have removed it as a leftover.
            match locked(folder.path()) {
                Ok(Some(lock)) => return Ok(Self { folder, _lock: lock }),
                Ok(None) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::other("each temporary folder was removed while it was made"))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The folder whose files are in memory, if it exists and has enough room.
fn memory() -> Option<&'static Path> {
    let about = rustix::fs::statvfs(MEMORY).ok()?;
    (about.f_bavail.saturating_mul(about.f_frsize) >= ROOM).then(|| Path::new(MEMORY))
}

/// The lock of a folder or file that this process has created; `None` if another process has removed it.
fn locked(path: &Path) -> Result<Option<File>, Error> {
    let file = File::open(path)?;
    file.lock()?;
    Ok(path.exists().then_some(file))
}

/// Writes a file under a temporary name and renames it, so that readers never see a part of it and a full disk
/// leaves the old file intact. The parent folder is created if it is missing, and leftovers in it are removed.
/// With `durably`, the content is on the disk before the rename. A path that is no regular file, such as a
/// device or a pipe, is written to directly.
///
/// # Errors
/// The folder cannot be created, or the file cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8], durably: bool) -> Result<(), Error> {
    // A rename would replace the device or pipe for every process.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    remove_leftovers_in(folder);
    for _ in 0..ATTEMPTS {
        let mut file = tempfile::Builder::new().prefix(FILE_PREFIX).tempfile_in(folder)?;
        file.as_file().lock()?;
        if !file.path().exists() {
            continue;
        }
        file.write_all(bytes)?;
        if durably {
            file.as_file().sync_data()?;
        }
        // Temporary files are private; the written file must be readable for all users of the folder.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|error| error.error)?;
        return Ok(());
    }
    Err(Error::other("each temporary file was removed while it was made"))
}

/// Removes the leftovers of killed processes in the folders for temporary files. Failures are ignored; a later
/// call tries again.
pub fn remove_leftovers() {
    remove_leftovers_in(&std::env::temp_dir());
    // Leftovers may be the reason why this folder has no room, so it is always searched.
    remove_leftovers_in(Path::new(MEMORY));
}

/// Removes the leftovers of killed processes in a folder, not recursively.
pub fn remove_leftovers_in(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        let ours = (kind.is_dir() && name.starts_with(FOLDER_PREFIX))
            || (kind.is_file() && name.starts_with(FILE_PREFIX));
        if ours {
            remove_if_nobodys(&entry.path(), kind.is_dir());
        }
    }
}

fn remove_if_nobodys(path: &Path, is_folder: bool) {
    let Ok(file) = OpenOptions::new().read(true).open(path) else { return };
    match file.try_lock() {
        Ok(()) if is_folder => {
            // A worker that dies with its parent may still be writing its last file.
            for _ in 0..ATTEMPTS {
                if std::fs::remove_dir_all(path).is_ok() {
                    break;
                }
            }
        }
        Ok(()) => {
            let _ = std::fs::remove_file(path);
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_somebody_holds_stays_and_what_nobody_holds_goes() {
        let place = tempfile::tempdir().unwrap();
        let held = TemporaryFolder::within(place.path()).unwrap();
        std::fs::write(held.path().join("job"), "x").unwrap();
        remove_leftovers_in(place.path());
        assert!(held.path().join("job").is_file());
        // The state after a kill: the lock is released, the folder stays.
        let TemporaryFolder { folder, _lock: lock } = held;
        drop(lock);
        let left = folder.keep();
        assert!(left.is_dir());
        remove_leftovers_in(place.path());
        assert!(!left.exists());
    }

    #[test]
    fn what_has_another_name_stays() {
        let place = tempfile::tempdir().unwrap();
        for name in ["hallmark-AbCdEf", ".hallmark-AbCdEf", "hallmark-work-of-mine.txt"] {
            std::fs::write(place.path().join(name), "x").unwrap();
        }
        std::fs::create_dir(place.path().join(".hallmark-write-folder")).unwrap();
        remove_leftovers_in(place.path());
        assert_eq!(names(place.path()).len(), 4);
    }

    /// A symbolic link replaces a device here, because a mistake would remove a real device from the machine.
    #[test]
    fn a_device_is_written_to_and_stays() {
        let place = tempfile::tempdir().unwrap();
        for (device, written) in [("/dev/null", true), ("/dev/full", false)] {
            let link = place.path().join("device");
            std::os::unix::fs::symlink(device, &link).unwrap();
            assert_eq!(write_whole(&link, b"bytes", true).is_ok(), written, "{device}");
            assert_eq!(std::fs::read_link(&link).unwrap(), Path::new(device));
            std::fs::remove_file(&link).unwrap();
        }
        assert!(names(place.path()).is_empty());
    }

    #[test]
    fn a_folder_and_a_file_go_with_their_value() {
        let place = tempfile::tempdir().unwrap();
        drop(TemporaryFolder::within(place.path()).unwrap());
        assert!(names(place.path()).is_empty());
        std::fs::write(place.path().join(".hallmark-write-left"), "half").unwrap();
        write_whole(&place.path().join("a/b"), b"one", true).unwrap();
        write_whole(&place.path().join("c"), b"two", false).unwrap();
        assert_eq!(std::fs::read(place.path().join("a/b")).unwrap(), b"one");
        let mut left = names(place.path());
        left.sort();
        assert_eq!(left, ["a", "c"]);
    }

    /// No process loses a folder or file to another that removes leftovers.
    #[test]
    fn makers_and_removers_get_along() {
        let place = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    remove_leftovers_in(place.path());
                }
            });
            // A round that fails ends the other thread, too: the test fails and does not hang.
            let _done = Done(&done);
            for round in 0..200 {
                let folder = TemporaryFolder::within(place.path()).unwrap();
                std::fs::write(folder.path().join("a"), "x").unwrap();
                let file = place.path().join(format!("file{}", round % 3));
                write_whole(&file, b"whole", false).unwrap();
                assert_eq!(std::fs::read(file).unwrap(), b"whole");
                assert!(folder.path().join("a").is_file());
            }
        });
    }

    /// Says that a thread is done, whatever ends it.
    struct Done<'a>(&'a std::sync::atomic::AtomicBool);

    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
}
