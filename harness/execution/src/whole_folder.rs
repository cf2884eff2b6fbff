//! Folders that are written whole or not at all.

use std::io::Error;
use std::path::Path;

/// Lets `fill` write the files of a new folder beside the place, and renames it, so that an error or a full disk leaves
/// nothing behind. An empty folder may be there already. The folders above are made where they are missing.
///
/// # Errors
/// What `fill` returns; the folder cannot be made or renamed.
pub fn write<E: From<Error>>(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let above = match folder.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        Some(_) | None => Path::new("."),
    };
    std::fs::create_dir_all(above)?;
    let beside = tempfile::Builder::new().prefix(".hallmark-").tempdir_in(above)?;
    // A folder of its own has the usual rights; that of `tempfile` is closed to others.
    let new = beside.path().join("new");
    std::fs::create_dir(&new)?;
    fill(&new)?;
    std::fs::rename(&new, folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_leaves_nothing_and_an_empty_folder_is_filled() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("a/b");
        let failed = write(&folder, |new| {
            std::fs::write(new.join("first"), "1")?;
            Err(Error::other("the disk is full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        let in_above = || std::fs::read_dir(above.path().join("a")).unwrap().count();
        assert_eq!(in_above(), 0);
        std::fs::create_dir(&folder).unwrap();
        write::<Error>(&folder, |new| std::fs::write(new.join("first"), "1")).unwrap();
        assert_eq!(std::fs::read(folder.join("first")).unwrap(), b"1");
        assert_eq!(in_above(), 1);
        // A folder that holds files stays as it is.
        let refused = write::<Error>(&folder, |new| std::fs::write(new.join("first"), "2"));
        assert!(refused.is_err());
        assert_eq!(std::fs::read(folder.join("first")).unwrap(), b"1");
        assert_eq!(in_above(), 1);
    }
}
