//! Signing, by OpenSSH's own tool: so keys in an agent and on hardware work, and Hallmark holds no secret.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::namespace::Namespace;
use crate::signature::{self, SignatureError};

/// Why a signature could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// OpenSSH is not installed, or cannot be started.
    #[error("ssh-keygen cannot be started: {0}; install OpenSSH's client")]
    NotStarted(io::Error),
    /// It took no message, or gave no signature.
    #[error("ssh-keygen broke off: {0}")]
    BrokeOff(io::Error),
    /// It made no signature.
    #[error("ssh-keygen made no signature and ended with {0}; what it says stands above")]
    NotSigned(ExitStatus),
    /// It made a signature that no verifier of packages takes.
    #[error("ssh-keygen made a signature that is not verified: {0}")]
    Refused(SignatureError),
}

/// Signs a message with a private key, or with the private key that an agent has for a public key.
///
/// `ssh-keygen` asks for a passphrase and says when to touch a security key, on the terminal.
///
/// # Errors
/// `ssh-keygen` is absent or makes no signature that a package's verifier takes.
pub fn sign(message: &[u8], key: &Path, namespace: Namespace) -> Result<Vec<u8>, SigningError> {
    let mut child = Command::new("ssh-keygen")
        .args(["-Y", "sign", "-n", namespace.name(), "-f"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(SigningError::NotStarted)?;
    // A child that reads nothing ends, and its status says more than the broken pipe.
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(message)).unwrap_or(Ok(()));
    let output = child.wait_with_output().map_err(SigningError::BrokeOff)?;
    if !output.status.success() {
        return Err(SigningError::NotSigned(output.status));
    }
    written.map_err(SigningError::BrokeOff)?;
    signature::parse(&output.stdout).map_err(SigningError::Refused)?;
    Ok(output.stdout)
}
