//! Signing by OpenSSH's own tool. So keys in an agent and on hardware work, and Hallmark holds no secret.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::namespace::Namespace;
use crate::signature::{self, SignatureError};

/// A signature that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// OpenSSH is not installed, or cannot be started.
    #[error("ssh-keygen cannot be started: {0}; install OpenSSH's client")]
    NotStarted(io::Error),
    /// `ssh-keygen` accepted no message, or returned no signature.
    #[error("ssh-keygen broke off: {0}")]
    BrokeOff(io::Error),
    /// `ssh-keygen` failed.
    #[error("ssh-keygen made no signature and ended with {0}; what it says stands above")]
    NotSigned(ExitStatus),
    /// `ssh-keygen` made a signature that verifiers refuse.
    #[error("ssh-keygen made a signature that is not verified: {0}")]
    Refused(SignatureError),
}

/// Signs a message with a private key, or with an agent's private key for a public key.
///
/// `ssh-keygen` asks for a passphrase, or for the touch of a security key, on the terminal.
///
/// # Errors
/// `ssh-keygen` is missing, or makes no acceptable signature.
pub fn sign(message: &[u8], key: &Path, namespace: Namespace) -> Result<Vec<u8>, SigningError> {
    let mut child = Command::new("ssh-keygen")
        .args(["-Y", "sign", "-n", namespace.name(), "-f"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(SigningError::NotStarted)?;
    // If the child exits without reading, its status says more than the broken pipe.
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(message)).unwrap_or(Ok(()));
    let output = child.wait_with_output().map_err(SigningError::BrokeOff)?;
    if !output.status.success() {
        return Err(SigningError::NotSigned(output.status));
    }
    written.map_err(SigningError::BrokeOff)?;
    signature::parse(&output.stdout).map_err(SigningError::Refused)?;
    Ok(output.stdout)
}
