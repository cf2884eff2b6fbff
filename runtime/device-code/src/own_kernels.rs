//! Hallmark's own kernels, embedded in the library so that an installed `hallmark` has them with any suites.
//!
//! Paths below the reserved folder [`FOLDER`] refer only to these sources.

/// The folder, relative to the suites, whose sources are Hallmark's own. A user's file below it is never read.
const FOLDER: &str = "hallmark";

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../firmware/kernels/", $name)))),*]
    };
}

/// Path below [`FOLDER`], and text.
static KERNELS: &[(&str, &str)] = embedded! {
    "to_layout.cpp",
};

/// Whether a path, relative to the suites, lies in the reserved folder.
pub(super) fn is_reserved(path: &str) -> bool {
    path.split('/').next() == Some(FOLDER)
}

/// An own kernel's source, by its path relative to the suites.
pub(super) fn source(path: &str) -> Option<&'static str> {
    let (_, name) = path.split_once('/').filter(|(folder, _)| *folder == FOLDER)?;
    KERNELS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::SourceClosure;

    #[test]
    fn every_kernel_of_the_folder_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/kernels");
        let files = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(KERNELS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
    }

    /// The reserved folder has the same content with any suites.
    #[test]
    fn own_kernels_are_found_without_suites_and_behind_a_file_of_their_name() {
        let suites = tempfile::tempdir().unwrap();
        let own = || SourceClosure::read(suites.path(), "hallmark/to_layout.cpp").unwrap();
        let without = own();
        let source = source("hallmark/to_layout.cpp").unwrap();
        assert_eq!(&*without.files()["hallmark/to_layout.cpp"], source.as_bytes());
        // All files that it includes are headers of Hallmark's.
        assert_eq!(without.files().len(), 1);
        std::fs::create_dir(suites.path().join("hallmark")).unwrap();
        let folder = suites.path().join("hallmark");
        std::fs::write(folder.join("to_layout.cpp"), "void kernel_main() {}\n").unwrap();
        std::fs::create_dir_all(folder.join("api/dataflow")).unwrap();
        std::fs::write(folder.join("api/dataflow/dataflow_api.h"), "#error\n").unwrap();
        assert_eq!(own(), without);
    }

    #[test]
    fn a_users_file_in_the_reserved_folder_is_not_found() {
        let suites = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = suites.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("hallmark/mine.cpp", "");
        write("hallmark/mine.h", "");
        write("kernels/k.cpp", "#include \"hallmark/mine.h\"\n");
        write("kernels/beside.cpp", "#include \"../hallmark/mine.h\"\n");
        write("hallmark.cpp", "#include \"hallmark/noc.h\"\n");
        for path in ["hallmark/mine.cpp", "./hallmark/./mine.cpp", "kernels/../hallmark/mine.cpp"] {
            let error = SourceClosure::read(suites.path(), path).unwrap_err().to_string();
            assert!(error.starts_with("kernel hallmark/mine.cpp cannot be read: "), "{error}");
        }
        for path in ["kernels/k.cpp", "kernels/beside.cpp"] {
            let error = SourceClosure::read(suites.path(), path).unwrap_err().to_string();
            assert!(error.contains("hallmark/mine.h` was not found"), "{error}");
        }
        // Only the folder name itself is reserved, not a name that begins with it.
        SourceClosure::read(suites.path(), "hallmark.cpp").unwrap();
    }
}
