//! Files that are written whole or not at all, and read only up to a limit.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use hallmark_runtime::device_code::temporary::write_whole;

/// Writes beside the file and renames, so that nobody ever sees a part of it and a full disk loses
/// nothing. The folder is made where it is missing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_whole(path, bytes, false)
}

/// The same, and the content is on the disk before the name is: for files that people keep.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_whole(path, bytes, true)
}

/// The same in a folder that is there, that nobody else writes to and that is removed as a whole: what a killed process
/// leaves of a file there needs neither a lock nor somebody to look for it.
pub fn write_in_own_folder(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)?;
    std::fs::rename(part, path)
}

/// Whether [`write()`] could write a file, as far as that can be known before its content is: its folder is made where it
/// is missing, and the file itself is left as it is.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::from(ErrorKind::IsADirectory));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    tempfile::Builder::new().prefix(".hallmark-").tempfile_in(folder).map(drop)
}

/// The first bytes of a file, `most` at most.
pub fn read_beginning(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    check_is_file(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The content of a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    // Before it is opened, because to open a pipe is to wait for its writer; and before it is read,
    // because a file with holes takes no space on the disk and all of it in memory.
    let about = check_is_file(path)?;
    let too_large = || Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} B"));
    if about.len() > limit {
        return Err(too_large());
    }
    // One read for a file of a usual size; what a large one claims is only believed as it comes.
    let hint = usize::try_from(about.len().min(READ_AHEAD)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(hint.saturating_add(1));
    // It may grow meanwhile.
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Err(too_large());
    }
    Ok(bytes)
}

/// What the system says of a file, unless the path is that of something else.
fn check_is_file(path: &Path) -> Result<std::fs::Metadata, Error> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file"));
    }
    Ok(about)
}

/// As much memory as is taken for a file before it is read.
const READ_AHEAD: u64 = 16 << 20;

/// The last `limit` bytes of a file as text.
pub fn tail(path: &Path, limit: u64) -> String {
    let read = || -> Result<Vec<u8>, Error> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(limit)))?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
