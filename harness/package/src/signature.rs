//! SSHSIG: OpenSSH's signatures of files, as `ssh-keygen -Y sign` makes them.
//!
//! The form is described in [PROTOCOL.sshsig](https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig). A
//! signature has one form here as well: what is read is refused unless it is written again with the same bytes, so nothing
//! stands before or after its armour. Which time it is when a signature is verified is for the caller to say.

use hallmark_chip::error_checks;
use ssh_key::public::KeyData;
use ssh_key::{HashAlg, LineEnding, PublicKey, SshSig};

use crate::namespace::Namespace;
use crate::signers::{AllowedSigner, Revoked, Signers, is_verified};
use crate::timestamp::Timestamp;

const BEGIN: &[u8] = b"-----BEGIN SSH SIGNATURE-----\n";

/// Why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// Text stands before the armour.
    #[error("the signature does not begin with `-----BEGIN SSH SIGNATURE-----`")]
    TextBefore,
    /// It is no signature.
    #[error("this is no SSH signature: {message}")]
    Malformed {
        /// What the reader says.
        message: String,
    },
    /// It is of another version.
    #[error("the signature is of version {version}, and only version 1 is verified")]
    Version {
        /// The version that it states.
        version: u32,
    },
    /// Its reserved field is not empty.
    #[error("the signature's reserved field is not empty")]
    Reserved,
    /// It is made by a key of a kind that cannot be verified.
    #[error(
        "the signature is by a key of the kind {kind}, and only ssh-ed25519 and sk-ssh-ed25519@openssh.com are verified"
    )]
    KeyKind {
        /// The kind.
        kind: String,
    },
    /// It is written otherwise than `ssh-keygen` writes it.
    #[error("the signature is not written as ssh-keygen writes it")]
    NotCanonical,
    /// It is for another purpose.
    #[error("the signature is for {found:?}, and {expected} is needed")]
    Namespace {
        /// The namespace that it states.
        found: String,
        /// The namespace that is needed.
        expected: Namespace,
    },
    /// The key is on the list of revoked keys.
    #[error("the key {fingerprint} is revoked")]
    Revoked {
        /// The key.
        fingerprint: String,
    },
    /// Nobody lists the key.
    #[error("the key {fingerprint} is not among the allowed signers")]
    UnknownKey {
        /// The key.
        fingerprint: String,
    },
    /// The key may sign, but not this.
    #[error("the key {fingerprint} may not sign for {namespace}")]
    Role {
        /// The key.
        fingerprint: String,
        /// What it may not sign for.
        namespace: Namespace,
    },
    /// The key is not valid yet.
    #[error("the key {fingerprint} is valid from {from}, and the time of verification is {at}")]
    NotYetValid {
        /// The key.
        fingerprint: String,
        /// When its validity begins.
        from: Timestamp,
        /// The time of verification.
        at: Timestamp,
    },
    /// The key is no longer valid.
    #[error("the key {fingerprint} was valid until {until}, and the time of verification is {at}")]
    Expired {
        /// The key.
        fingerprint: String,
        /// When its validity ended.
        until: Timestamp,
        /// The time of verification.
        at: Timestamp,
    },
    /// It is the signature of something else.
    #[error("the signature is not one of these bytes")]
    OtherBytes,
}

error_checks!(SignatureError: TextBefore, Version, Reserved, KeyKind, NotCanonical, Namespace, Revoked, UnknownKey, Role, NotYetValid, Expired, OtherBytes; besides: Malformed);

/// Whose signature was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// The names that the file of allowed signers gives the key.
    pub principals: Vec<String>,
    /// The key's SHA-256 fingerprint, as OpenSSH writes it.
    pub fingerprint: String,
}

impl Signers {
    /// Verifies that `signature` is one of `message` in this namespace by somebody who may sign there at this time.
    ///
    /// # Errors
    /// The first rule that the signature, its key or the bytes break.
    pub fn verify(
        &self,
        message: &[u8],
        signature: &[u8],
        namespace: Namespace,
        at: Timestamp,
        revoked: &Revoked,
    ) -> Result<Signer, SignatureError> {
        let signature = parse(signature)?;
        let key = signature.public_key();
        let fingerprint = fingerprint(key);
        if signature.namespace() != namespace.name() {
            let found = signature.namespace().to_owned();
            SignatureError::Namespace { found, expected: namespace }.refuse()?;
        }
        if revoked.keys.contains(key) {
            SignatureError::Revoked { fingerprint: fingerprint.clone() }.refuse()?;
        }
        let principals = self.principals(key, &fingerprint, namespace, at)?;
        // The namespace that the signature states, which is the one asked for unless that check is switched off.
        let verified =
            PublicKey::from(key.clone()).verify(signature.namespace(), message, &signature);
        if verified.is_err() {
            SignatureError::OtherBytes.refuse()?;
        }
        Ok(Signer { principals, fingerprint })
    }

    /// The names that a key has where it may sign, or why it may not.
    fn principals(
        &self,
        key: &KeyData,
        fingerprint: &str,
        namespace: Namespace,
        at: Timestamp,
    ) -> Result<Vec<String>, SignatureError> {
        let own: Vec<&AllowedSigner> =
            self.allowed.iter().filter(|signer| signer.key == *key).collect();
        if own.is_empty() {
            SignatureError::UnknownKey { fingerprint: fingerprint.to_owned() }.refuse()?;
        }
        let mut refusal = None;
        for signer in own {
            match may_sign(signer, fingerprint, namespace, at) {
                Ok(()) => return Ok(signer.principals.clone()),
                Err(error) => refusal = Some(error),
            }
        }
        refusal.map_or_else(|| Ok(Vec::new()), Err)
    }
}

fn may_sign(
    signer: &AllowedSigner,
    fingerprint: &str,
    namespace: Namespace,
    at: Timestamp,
) -> Result<(), SignatureError> {
    let fingerprint = || fingerprint.to_owned();
    if !signer.namespaces.contains(&namespace) {
        SignatureError::Role { fingerprint: fingerprint(), namespace }.refuse()?;
    }
    // Both ends belong to the time of validity, as they do for OpenSSH.
    if let Some(from) = signer.valid_after.filter(|from| at < *from) {
        SignatureError::NotYetValid { fingerprint: fingerprint(), from, at }.refuse()?;
    }
    if let Some(until) = signer.valid_before.filter(|until| at > *until) {
        SignatureError::Expired { fingerprint: fingerprint(), until, at }.refuse()?;
    }
    Ok(())
}

/// A key's SHA-256 fingerprint, as OpenSSH writes it.
pub(crate) fn fingerprint(key: &KeyData) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

/// The signature in an armour that has nothing before or after it.
pub(crate) fn parse(armour: &[u8]) -> Result<SshSig, SignatureError> {
    if !armour.starts_with(BEGIN) {
        SignatureError::TextBefore.refuse()?;
    }
    let signature = SshSig::from_pem(armour).map_err(|error| match error {
        ssh_key::Error::Version { number } => SignatureError::Version { version: number },
        other => SignatureError::Malformed { message: other.to_string() },
    })?;
    if signature.version() != SshSig::VERSION {
        SignatureError::Version { version: signature.version() }.refuse()?;
    }
    if !signature.reserved().is_empty() {
        SignatureError::Reserved.refuse()?;
    }
    if !is_verified(signature.public_key()) {
        let kind = signature.public_key().algorithm().as_str().to_owned();
        SignatureError::KeyKind { kind }.refuse()?;
    }
    let again = signature.to_pem(LineEnding::LF);
    if !again.is_ok_and(|again| again.as_bytes() == armour) {
        SignatureError::NotCanonical.refuse()?;
    }
    Ok(signature)
}
