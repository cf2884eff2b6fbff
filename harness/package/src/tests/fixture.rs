//! A valid package and its parts, for forgeries.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ssh_key::private::Ed25519Keypair;
use ssh_key::{HashAlg, LineEnding, PrivateKey, SshSig};

use crate::{
    Blake3, Contents, ENVIRONMENT, EntryName, LOCK, Limits, MANIFEST, Manifest, Namespace, PROFILE,
    Package, PackageDraft, Predicate, ProfileClaim, RESULTS, RUN, Revoked, SIGNATURE, STATEMENT,
    Signers, SubjectClaim, SubjectKind, Timestamp, with_signature,
};

/// The time at which the package was made.
pub(super) const MADE: &str = "2026-11-23T08:00:00Z";
/// The default time of verification.
pub(super) const NOW: &str = "2026-11-24T12:00:00Z";

pub(super) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A private key that is the same in every run.
pub(super) fn private_key(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

/// The type and the base64 form of a key, as in a file of allowed signers.
pub(super) fn public_key(seed: u8) -> String {
    private_key(seed).public_key().to_openssh().unwrap().trim_end().to_owned()
}

/// A file of allowed signers: the submitter's key is 1, the reviewer's 2.
pub(super) fn allowed() -> String {
    format!(
        "submitter@example.org namespaces=\"package@hallmark\" {}\n\
         # Countersigns what others submit.\n\
         reviewer@example.org namespaces=\"review@hallmark,challenge@hallmark\" {}\n",
        public_key(1),
        public_key(2)
    )
}

pub(super) fn signed(message: &[u8], seed: u8, namespace: &str) -> Vec<u8> {
    let signature = SshSig::sign(&private_key(seed), namespace, HashAlg::Sha512, message).unwrap();
    signature.to_pem(LineEnding::LF).unwrap().into_bytes()
}

pub(super) fn predicate() -> Predicate {
    Predicate {
        name: "smoke".to_owned(),
        profile: ProfileClaim {
            name: "smoke".to_owned(),
            edition: "2027.1".to_owned(),
            lock: Blake3::of(b"lock\n"),
        },
        hallmark: "0.1.0".to_owned(),
        subject: SubjectClaim { kind: SubjectKind::Simulator, name: "sim".to_owned(), hash: None },
        made: time(MADE),
        draft: false,
        challenge: None,
        totals: BTreeMap::from([("Pass".to_owned(), 1)]),
    }
}

/// The files that a maker of packages adds.
pub(super) fn files() -> Vec<(EntryName, Vec<u8>)> {
    let capture = b"the bytes of a capture".to_vec();
    let blob = vec![7; 700];
    let named = |name: &str, contents: &[u8]| (EntryName::new(name).unwrap(), contents.to_vec());
    vec![
        (EntryName::capture(&Blake3::of(&capture)), capture),
        (EntryName::blob(&Blake3::of(&blob)), blob),
        (EntryName::firmware("wormhole_b0", "manifest.json").unwrap(), b"{}\n".to_vec()),
        (EntryName::waiver("W-2027-014").unwrap(), b"waiver: W-2027-014\n".to_vec()),
        named(ENVIRONMENT, b"{}\n"),
        named(LOCK, b"lock\n"),
        named(PROFILE, b"profile: smoke\n"),
        named(RESULTS, b""),
        named(RUN, b"{}\n"),
    ]
}

/// The package, without a signature.
pub(super) fn unsigned() -> Vec<u8> {
    static UNSIGNED: LazyLock<Vec<u8>> = LazyLock::new(make_unsigned);
    UNSIGNED.clone()
}

fn make_unsigned() -> Vec<u8> {
    let mut draft = PackageDraft::new();
    for (name, contents) in files() {
        draft.add(name, Contents::Bytes(contents)).unwrap();
    }
    let mut bytes = Vec::new();
    draft.write(predicate(), &mut bytes).unwrap();
    bytes
}

/// The package with its submitter's signature.
pub(super) fn package() -> Vec<u8> {
    static PACKAGE: LazyLock<Vec<u8>> = LazyLock::new(make_package);
    PACKAGE.clone()
}

fn make_package() -> Vec<u8> {
    let unsigned = unsigned();
    let statement = Package::read(&unsigned, &Limits::default()).unwrap().file(STATEMENT).unwrap();
    let signature = signed(statement, 1, Namespace::Package.name());
    let mut bytes = Vec::new();
    with_signature(&unsigned, SIGNATURE, signature, &mut bytes).unwrap();
    bytes
}

/// The verifier's first problem with a package, if any: container, signatures, statement.
pub(super) fn verify(bytes: &[u8]) -> Result<(), String> {
    verify_with(bytes, &allowed(), NOW, b"")
}

pub(super) fn verify_with(
    bytes: &[u8],
    allowed: &str,
    now: &str,
    revoked: &[u8],
) -> Result<(), String> {
    let package = Package::read(bytes, &Limits::default()).map_err(|error| error.to_string())?;
    let signers = Signers::parse(allowed).map_err(|error| error.to_string())?;
    let revoked = Revoked::parse(revoked).map_err(|error| error.to_string())?;
    let verified = package.verify_signatures(&signers, &revoked, time(now));
    let verified = verified.map_err(|(name, error)| format!("{name}: {error}"))?;
    if verified.submitter.is_none() {
        return Err("the package is not signed".to_owned());
    }
    package.statement(time(now)).map(drop).map_err(|error| error.to_string())
}

/// The files of a package by name, to change some and write it again.
pub(super) fn unpacked(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let package = Package::read(bytes, &Limits::default()).unwrap();
    let files = package.files();
    files.map(|(name, contents)| (name.to_string(), contents.to_vec())).collect()
}

/// Writes an archive of any files.
pub(super) fn packed(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let files = files
        .iter()
        .map(|(name, contents)| (EntryName::new(name).unwrap(), Contents::Bytes(contents.clone())));
    let mut bytes = Vec::new();
    crate::write_archive(&files.collect(), &mut bytes).unwrap();
    bytes
}

/// Changes a package's files and corrects the manifest, but not the statement and its signature.
pub(super) fn changed(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Vec<u8> {
    let mut files = unpacked(&package());
    change(&mut files);
    packed(&files)
}

/// A manifest of these files.
pub(super) fn manifest(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let described = files.iter().filter_map(|(name, contents)| {
        let name = EntryName::new(name).unwrap();
        name.is_in_manifest().then(|| (name, crate::Digests::of(contents)))
    });
    Manifest::of(described.collect()).to_bytes()
}

/// Replaces a text in a text file.
pub(super) fn replace(files: &mut BTreeMap<String, Vec<u8>>, file: &str, old: &str, new: &str) {
    let text = String::from_utf8(files[file].clone()).unwrap();
    assert!(text.contains(old), "{file} holds no {old}: {text}");
    files.insert(file.to_owned(), text.replacen(old, new, 1).into_bytes());
}

/// Changes the statement and signs it with the submitter's key: a forgery by the submitter.
pub(super) fn restated(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Vec<u8> {
    changed(|files| {
        change(files);
        let signature = signed(&files[STATEMENT], 1, Namespace::Package.name());
        files.insert(SIGNATURE.to_owned(), signature);
    })
}

/// The name of the manifest's line of a file, as the manifest writes it.
pub(super) fn line_of(files: &BTreeMap<String, Vec<u8>>, file: &str) -> String {
    let manifest = String::from_utf8(files[MANIFEST].clone()).unwrap();
    let line = manifest.lines().find(|line| line.ends_with(&format!(" {file}"))).unwrap();
    format!("{line}\n")
}

/// The name of a forgery, the forgery, and a text of the expected rejection.
pub(super) type Forgery<T> = (&'static str, fn() -> T, &'static str);

/// The forgeries that are accepted, or rejected for another reason.
pub(super) fn unnoticed<T>(
    forgeries: &[Forgery<T>],
    verify: impl Fn(&T) -> Result<(), String>,
) -> Vec<String> {
    let told = forgeries.iter().filter_map(|(name, forge, reason)| match verify(&forge()) {
        Ok(()) => Some(format!("{name}: accepted")),
        Err(error) if error.contains(reason) => None,
        Err(error) => Some(format!("{name}: {error}")),
    });
    told.collect()
}
