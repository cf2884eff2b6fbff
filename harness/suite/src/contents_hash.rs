//! What files and folders hold, as a hash. A symbolic link holds what it points to.

use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};

use blake3::Hasher;
use walkdir::WalkDir;

/// Adds a text. It ends with its length, so that it never runs into what follows.
pub fn add_text(hasher: &mut Hasher, text: &str) {
    hasher.update(text.as_bytes());
    hasher.update(&text.len().to_le_bytes());
}

/// Adds what a file holds, which ends with its length.
///
/// # Errors
/// If the file cannot be read.
pub fn add_file(hasher: &mut Hasher, path: &Path) -> Result<(), Error> {
    let before = hasher.count();
    hasher.update_reader(File::open(path)?)?;
    let length = hasher.count().wrapping_sub(before);
    hasher.update(&length.to_le_bytes());
    Ok(())
}

/// Adds every file below a folder in the order of their names, wherever the folder is: each file's path below the folder,
/// and what it holds.
///
/// # Errors
/// The file or folder that cannot be read. A link that points to nothing, or to a folder around it, cannot.
pub fn add_folder(hasher: &mut Hasher, folder: &Path) -> Result<(), (PathBuf, Error)> {
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry =
            entry.map_err(|error| (error.path().unwrap_or(folder).to_owned(), error.into()))?;
        if entry.file_type().is_file() {
            let path = entry.path();
            add_text(hasher, &path.strip_prefix(folder).unwrap_or(path).to_string_lossy());
            add_file(hasher, path).map_err(|error| (path.to_owned(), error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn hash(folder: &Path) -> Result<String, PathBuf> {
        let mut hasher = Hasher::new();
        add_folder(&mut hasher, folder).map_err(|(path, _)| path)?;
        Ok(hasher.finalize().to_string())
    }

    #[test]
    fn a_link_holds_what_it_points_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, contents) in [("1", "a"), ("2", "b")] {
            std::fs::create_dir_all(at(name).join("deep")).unwrap();
            std::fs::write(at(name).join("deep/brisc.elf"), contents).unwrap();
            let links = at(&format!("links {name}"));
            std::fs::create_dir_all(links.join("deep")).unwrap();
            symlink(at(name).join("deep/brisc.elf"), links.join("deep/brisc.elf")).unwrap();
            let link = at(&format!("link {name}"));
            std::fs::create_dir(&link).unwrap();
            symlink(at(name).join("deep"), link.join("deep")).unwrap();
            let expected = hash(&at(name));
            assert_eq!((hash(&links), hash(&link)), (expected.clone(), expected));
        }
        assert_ne!(hash(&at("links 1")), hash(&at("links 2")), "links to files");
        assert_ne!(hash(&at("link 1")), hash(&at("link 2")), "a link to a folder");
        let nowhere = at("1/nowhere");
        symlink(at("3"), &nowhere).unwrap();
        assert_eq!(hash(&at("1")), Err(nowhere));
        let around = at("2/around");
        symlink(at("2"), &around).unwrap();
        assert_eq!(hash(&at("2")), Err(around));
    }
}
