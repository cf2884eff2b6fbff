//! Signatures in files beside the signed files.

use std::path::{Path, PathBuf};

use hallmark_pipeline::verdict::ExitCode;

use super::Failed;

/// The path of a file's signature, beside the file.
fn signature_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sig");
    PathBuf::from(name)
}

/// A file's signature, if there is one beside it.
pub(super) fn read_signature(file: &Path) -> Result<Option<Vec<u8>>, Failed> {
    let path = signature_of(file);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let text = format!("{} cannot be read: {error}", path.display());
            Err(Failed::new(ExitCode::USAGE, text))
        }
    }
}

/// Refuses a file that has no signature beside it. The verifier decides whether the signature is trusted.
pub(super) fn check_signature(file: &Path) -> Result<(), Failed> {
    match read_signature(file)? {
        Some(_) => Ok(()),
        None => Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "{} has no signature, {}, so no verifier accepts it; ask for one, or make a draft with --draft",
                file.display(),
                signature_of(file).display()
            ),
        )),
    }
}
