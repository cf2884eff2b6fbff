//! Compares this crate with OpenSSH's own tool: each accepts the other's signatures, and both refuse the same
//! ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ssh_key::LineEnding;
use tempfile::TempDir;

use super::fixture::{allowed, private_key, signed, time};
use crate::{Namespace, Revoked, Signers, sign};

const MESSAGE: &[u8] = b"{\"_type\":\"https://in-toto.io/Statement/v1\"}\n";

/// A folder for OpenSSH; `None` if it is not installed.
fn openssh() -> Option<TempDir> {
    let found =
        Command::new("ssh-keygen").arg("-?").stderr(Stdio::null()).stdout(Stdio::null()).status();
    if found.is_err() {
        println!("skipped: ssh-keygen is not installed");
        return None;
    }
    let folder = TempDir::new().unwrap();
    for seed in [1, 2] {
        let path = key_file(folder.path(), seed);
        let key = private_key(seed);
        key.write_openssh_file(&path, LineEnding::LF).unwrap();
        fs::write(path.with_extension("pub"), key.public_key().to_openssh().unwrap()).unwrap();
    }
    Some(folder)
}

fn key_file(folder: &Path, seed: u8) -> PathBuf {
    folder.join(format!("key{seed}"))
}

/// Whether `ssh-keygen -Y verify` accepts.
fn openssh_accepts(
    folder: &Path,
    allowed: &str,
    message: &[u8],
    signature: &[u8],
    namespace: &str,
    at: &str,
) -> bool {
    let allowed_file = folder.join("allowed");
    fs::write(&allowed_file, allowed).unwrap();
    let signature_file = folder.join("signature");
    fs::write(&signature_file, signature).unwrap();
    let message_file = folder.join("message");
    fs::write(&message_file, message).unwrap();
    let at: String = at.chars().filter(|character| character.is_ascii_digit()).collect();
    let output = Command::new("ssh-keygen")
        .args(["-Y", "verify", "-I", "submitter@example.org", "-n", namespace])
        .arg("-f")
        .arg(allowed_file)
        .arg("-s")
        .arg(signature_file)
        .arg(format!("-Overify-time={at}Z"))
        .stdin(fs::File::open(message_file).unwrap())
        .output()
        .unwrap();
    output.status.success()
}

fn we_accept(
    allowed: &str,
    message: &[u8],
    signature: &[u8],
    namespace: Namespace,
    at: &str,
) -> bool {
    let Ok(signers) = Signers::parse(allowed) else { return false };
    signers.verify(message, signature, namespace, time(at), &Revoked::default()).is_ok()
}

#[test]
fn each_verifies_what_the_other_signs() {
    let Some(folder) = openssh() else { return };
    let folder = folder.path();
    let ours = signed(MESSAGE, 1, "package@hallmark");
    let theirs = sign(MESSAGE, &key_file(folder, 1), Namespace::Package).unwrap();
    assert_eq!(
        String::from_utf8(ours.clone()).unwrap(),
        String::from_utf8(theirs.clone()).unwrap(),
        "Ed25519 gives one signature of one message"
    );
    let at = "2026-11-24T12:00:00Z";
    assert!(openssh_accepts(folder, &allowed(), MESSAGE, &ours, "package@hallmark", at));
    assert!(we_accept(&allowed(), MESSAGE, &theirs, Namespace::Package, at));
}

#[test]
fn both_refuse_the_same() {
    let Some(folder) = openssh() else { return };
    let folder = folder.path();
    let signature = sign(MESSAGE, &key_file(folder, 1), Namespace::Package).unwrap();
    let other = sign(MESSAGE, &key_file(folder, 2), Namespace::Package).unwrap();
    let valid = |options: &str| {
        allowed().replacen("package@hallmark\"", &format!("package@hallmark\",{options}"), 1)
    };
    let noon = "2026-11-24T12:00:00Z";
    let changed = [MESSAGE, b" "].concat();
    let cut = &signature[..signature.len() - 40];
    type Case<'a> = (&'a str, bool, String, &'a [u8], &'a [u8], Namespace, &'a str);
    let cases: &[Case<'_>] = &[
        ("as it is", true, allowed(), MESSAGE, &signature, Namespace::Package, noon),
        ("a changed byte", false, allowed(), &changed, &signature, Namespace::Package, noon),
        ("a cut signature", false, allowed(), MESSAGE, cut, Namespace::Package, noon),
        ("another namespace", false, allowed(), MESSAGE, &signature, Namespace::Review, noon),
        (
            "a key for another namespace",
            false,
            allowed(),
            MESSAGE,
            &other,
            Namespace::Package,
            noon,
        ),
        ("nobody", false, String::new(), MESSAGE, &signature, Namespace::Package, noon),
        (
            "an expired key",
            false,
            valid("valid-before=\"20261124Z\""),
            MESSAGE,
            &signature,
            Namespace::Package,
            noon,
        ),
        (
            "a key in its last second",
            true,
            valid("valid-before=\"20261124120000Z\""),
            MESSAGE,
            &signature,
            Namespace::Package,
            noon,
        ),
        (
            "a key a second later",
            false,
            valid("valid-before=\"20261124115959Z\""),
            MESSAGE,
            &signature,
            Namespace::Package,
            noon,
        ),
        (
            "a key in its first second",
            true,
            valid("valid-after=\"202611241200Z\""),
            MESSAGE,
            &signature,
            Namespace::Package,
            noon,
        ),
        (
            "a key a second earlier",
            false,
            valid("valid-after=\"20261124120001Z\""),
            MESSAGE,
            &signature,
            Namespace::Package,
            noon,
        ),
        (
            "a certificate authority",
            false,
            valid("cert-authority"),
            MESSAGE,
            &signature,
            Namespace::Package,
            noon,
        ),
    ];
    for (name, accepted, allowed, message, signature, namespace, at) in cases {
        let theirs = openssh_accepts(folder, allowed, message, signature, namespace.name(), at);
        let ours = we_accept(allowed, message, signature, *namespace, at);
        assert_eq!((theirs, ours), (*accepted, *accepted), "{name}: OpenSSH, then we");
    }
}

#[test]
fn a_key_that_is_not_there_signs_nothing() {
    let Some(folder) = openssh() else { return };
    let error = sign(MESSAGE, &folder.path().join("absent"), Namespace::Package).unwrap_err();
    assert!(error.to_string().contains("ssh-keygen made no signature"), "{error}");
}
