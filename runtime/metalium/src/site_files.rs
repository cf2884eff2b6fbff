//! The hash of the files of a site that decide about a run, which the build id of its library does not tell: the libraries, and
//! everything that device code is built from.

use std::fs::File;
use std::path::{Path, PathBuf};

use hallmark_schema::model::ContentHash;

use crate::{Site, SiteError};

/// The folders with these files, relative to a site: libraries, then headers, sources, linker scripts, prebuilt device code
/// and descriptions of chips.
const FOLDERS: [&str; 4] = ["ttnn.libs", "ttnn/build/lib", "ttnn/runtime/hw", "ttnn/tt_metal"];
/// A folder that Python makes anew.
const PYTHON_CACHE: &str = "__pycache__";
/// The largest number of files; the wheel of 0.81.1 has 3,800.
const LARGEST_NUMBER: usize = 100_000;
/// The deepest folder, so that a link to a folder above ends the search.
const DEEPEST: usize = 32;

impl Site {
    /// The BLAKE3 hash over the paths and the contents of the site's libraries and of all that its kernels are built from.
    ///
    /// # Errors
    /// A file cannot be read, or the folders hold more than any installation.
    pub fn files_hash(&self) -> Result<ContentHash, SiteError> {
        files_hash(self.folder())
    }
}

fn files_hash(site: &Path) -> Result<ContentHash, SiteError> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        list(site, Path::new(folder), DEEPEST, &mut files)?;
    }
    files.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let path = site.join(&file);
        let unreadable = |error: std::io::Error| unreadable(&path, &error);
        let name = file.as_os_str().as_encoded_bytes();
        let mut own = blake3::Hasher::new();
        own.update_reader(File::open(&path).map_err(unreadable)?).map_err(unreadable)?;
        hasher.update(&u64::try_from(name.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(name).update(own.finalize().as_bytes());
    }
    Ok(ContentHash(*hasher.finalize().as_bytes()))
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> SiteError {
    SiteError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

/// Adds the files of a folder by their paths relative to the site. Links count as what they lead to.
fn list(
    site: &Path,
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> Result<(), SiteError> {
    let absolute = site.join(folder);
    let failed = |error: std::io::Error| unreadable(&absolute, &error);
    let too_much = |what: &str| SiteError::Unreadable {
        path: absolute.clone(),
        reason: format!("it holds {what} than any installation"),
    };
    let Some(depth) = depth.checked_sub(1) else { return Err(too_much("deeper folders")) };
    for entry in std::fs::read_dir(&absolute).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if name == PYTHON_CACHE {
            continue;
        }
        let path = folder.join(name);
        if std::fs::metadata(site.join(&path)).map_err(failed)?.is_dir() {
            list(site, &path, depth, files)?;
        } else if files.len() < LARGEST_NUMBER {
            files.push(path);
        } else {
            return Err(too_much("more files"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "ttnn/tt_metal/hw/inc/api/dataflow_api.h";
    const LIBRARY: &str = "ttnn/build/lib/libtt_metal.so";

    /// A site with a file in each folder.
    fn site() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = ["ttnn.libs/libmpi.so", LIBRARY, HEADER, "ttnn/runtime/hw/toolchain/kernel.ld"];
        files.into_iter().for_each(|file| write(folder.path(), file, "one"));
        folder
    }

    fn write(site: &Path, file: &str, text: &str) {
        std::fs::create_dir_all(site.join(file).parent().unwrap()).unwrap();
        std::fs::write(site.join(file), text).unwrap();
    }

    #[test]
    fn each_file_that_device_code_is_built_from_is_in_the_hash() {
        let before = files_hash(site().path()).unwrap();
        let changed = |change: &dyn Fn(&Path)| {
            let folder = site();
            change(folder.path());
            files_hash(folder.path()).unwrap() != before
        };
        assert!(!changed(&|_| {}), "a copy elsewhere");
        assert!(changed(&|site| write(site, HEADER, "two")));
        assert!(changed(&|site| write(site, LIBRARY, "with the same build id")));
        assert!(changed(&|site| write(site, "ttnn/tt_metal/hw/inc/dataflow_api.h", "first found")));
        assert!(changed(&|site| std::fs::remove_file(site.join(HEADER)).unwrap()));
        let moved = |site: &Path| {
            std::fs::rename(site.join(HEADER), site.join("ttnn/tt_metal/x.h")).unwrap();
        };
        assert!(changed(&moved));
        // Python's own files and what lies beside decide nothing.
        assert!(!changed(&|site| write(site, "ttnn/tt_metal/tools/__pycache__/x.pyc", "bytes")));
        assert!(!changed(&|site| write(site, "ttnn/README.md", "words")));
    }

    #[test]
    fn a_folder_that_leads_to_itself_ends_the_search() {
        let folder = site();
        let tt_metal = folder.path().join("ttnn/tt_metal");
        std::os::unix::fs::symlink(&tt_metal, tt_metal.join("again")).unwrap();
        let error = files_hash(folder.path()).unwrap_err().to_string();
        assert!(error.contains("deeper folders"), "{error}");
        std::fs::remove_file(tt_metal.join("again")).unwrap();
        std::os::unix::fs::symlink("nowhere", tt_metal.join("lost")).unwrap();
        assert!(files_hash(folder.path()).is_err());
    }
}
