//! `signature.json`: a signature as a file beside a capture, with its version.

use serde::{Deserialize, Serialize};

use super::Signature;

/// The version of the file. A signature is a closed type: whatever changes it takes the next one.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignatureFile {
    version: u32,
    signature: Signature,
}

/// What every version begins with. Nothing else of a file is believed before.
#[derive(Deserialize)]
struct Stamp {
    version: Option<u32>,
}

/// A text that is no signature.
#[derive(Debug, thiserror::Error)]
pub enum SignatureFileError {
    /// It is not JSON, or not that of a signature.
    #[error(
        "not a signature: {0}; `hallmark run` and `hallmark replay --signature FILE` write them"
    )]
    Json(#[from] serde_json::Error),
    /// It is of another version.
    #[error(
        "a signature of version {found}, and this release of hallmark reads version {VERSION}; use the release that wrote it"
    )]
    Version {
        /// The version that it states.
        found: u32,
    },
    /// It states no version.
    #[error("not a signature: it states no version; `hallmark run` writes `signature.json`")]
    NoVersion,
}

/// The text of the file.
///
/// # Errors
/// None that a signature can cause.
pub fn text(signature: &Signature) -> Result<String, serde_json::Error> {
    let file = SignatureFile { version: VERSION, signature: signature.clone() };
    let mut text = serde_json::to_string_pretty(&file)?;
    text.push('\n');
    Ok(text)
}

/// Reads what [`text`] gave.
///
/// # Errors
/// What is wrong with the text.
pub fn read(text: &str) -> Result<Signature, SignatureFileError> {
    match serde_json::from_str::<Stamp>(text)?.version {
        None => Err(SignatureFileError::NoVersion),
        Some(VERSION) => Ok(serde_json::from_str::<SignatureFile>(text)?.signature),
        Some(found) => Err(SignatureFileError::Version { found }),
    }
}
