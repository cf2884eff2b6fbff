//! Forged signatures, and signers without permission.

use ssh_key::{Signature, SigningKey};

use super::fixture::{
    Forgery, NOW, allowed, changed, package, private_key, public_key, replace, signed, unnoticed,
    unpacked, unsigned, verify_with,
};
use crate::{REVIEW_SIGNATURE, SIGNATURE, STATEMENT};

/// The inputs of a verifier.
struct Submission {
    package: Vec<u8>,
    allowed: String,
    now: &'static str,
    revoked: String,
}

/// The valid package, with other allowed signers.
fn before(allowed: String) -> Submission {
    Submission { package: package(), allowed, now: NOW, revoked: String::new() }
}

/// The valid package with another signature.
fn signature(signature: impl FnOnce(&[u8]) -> Vec<u8>) -> Submission {
    let package = changed(|files| {
        let made = signature(&files[STATEMENT]);
        files.insert(SIGNATURE.to_owned(), made);
    });
    Submission { package, ..before(allowed()) }
}

/// The valid package with the valid signature in another form.
fn armour(change: impl FnOnce(String) -> String) -> Submission {
    signature(|statement| {
        change(String::from_utf8(signed(statement, 1, "package@hallmark")).unwrap()).into_bytes()
    })
}

/// The submitter's line of the allowed signers with other options.
fn options(options: &str) -> Submission {
    before(allowed().replacen("namespaces=\"package@hallmark\"", options, 1))
}

fn text(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |chunk: &[u8]| {
        let mut word = [0; 4];
        word[1..=chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes(word);
        let digit = |at: usize| match at {
            at if at > chunk.len() => '=',
            at => char::from(DIGITS[(word >> (18 - 6 * at) & 63) as usize]),
        };
        [0, 1, 2, 3].map(digit)
    };
    bytes.chunks(3).flat_map(digits).collect()
}

/// The fields of a signature, to be signed.
struct Fields {
    version: u32,
    key: Vec<u8>,
    reserved: &'static [u8],
    algorithm: &'static str,
}

impl Default for Fields {
    fn default() -> Self {
        let key = private_key(1).public_key().to_bytes().unwrap();
        Self { version: 1, key, reserved: b"", algorithm: "ssh-ed25519" }
    }
}

impl Fields {
    fn sign(self, message: &[u8]) -> Vec<u8> {
        fn sign(key: &impl SigningKey, message: &[u8]) -> Signature {
            key.try_sign(message).unwrap()
        }
        let Self { version, key, reserved, algorithm } = self;
        let hash = crate::Sha256::of(message).bytes();
        let common = [text(b"package@hallmark"), text(reserved), text(b"sha256")].concat();
        let data = [b"SSHSIG", common.as_slice(), &text(&hash)].concat();
        let signature = sign(&private_key(1), &data);
        let signature = [text(algorithm.as_bytes()), text(signature.as_bytes())].concat();
        let wire = [b"SSHSIG", &version.to_be_bytes()[..], &text(&key), &common, &text(&signature)]
            .concat();
        let lines = base64(&wire);
        let lines: Vec<&str> =
            lines.as_bytes().chunks(70).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let armour =
            ["-----BEGIN SSH SIGNATURE-----", &lines.join("\n"), "-----END SSH SIGNATURE-----\n"];
        armour.join("\n").into_bytes()
    }
}

fn fields(fields: Fields) -> Submission {
    signature(|statement| fields.sign(statement))
}

/// The blob of an RSA key; it need not be valid.
fn rsa() -> Vec<u8> {
    [text(b"ssh-rsa"), text(&[1, 0, 1]), text(&[0x7f; 256])].concat()
}

#[rustfmt::skip] // One forgery per line.
const FORGERIES: &[Forgery<Submission>] = &[
    ("none", || Submission { package: unsigned(), ..before(allowed()) }, "the package is not signed"),
    ("other bytes", || Submission { package: changed(|files| replace(files, STATEMENT, "\"draft\":false", "\"draft\":true")), ..before(allowed()) }, "not one of these bytes"),
    ("another message", || signature(|_| signed(b"something else", 1, "package@hallmark")), "not one of these bytes"),
    ("other namespace", || signature(|statement| signed(statement, 1, "file")), "is for \"file\", and package@hallmark is needed"),
    ("namespace of another role", || signature(|statement| signed(statement, 2, "review@hallmark")), "is for \"review@hallmark\", and package@hallmark is needed"),
    ("role mixed up", || signature(|statement| signed(statement, 2, "package@hallmark")), "may not sign for package@hallmark"),
    ("unknown key", || signature(|statement| signed(statement, 9, "package@hallmark")), "is not among the allowed signers"),
    ("no signer at all", || before("# Nobody.\n".to_owned()), "is not among the allowed signers"),
    ("expired", || options("namespaces=\"package@hallmark\",valid-before=\"20261124115959Z\""), "was valid until 2026-11-24T11:59:59Z"),
    ("not yet valid", || options("namespaces=\"package@hallmark\",valid-after=\"20261124120001Z\""), "is valid from 2026-11-24T12:00:01Z"),
    ("revoked", || Submission { revoked: format!("# Lost.\n{}\n", public_key(1)), ..before(allowed()) }, "is revoked"),
    ("certificate line", || options("cert-authority,namespaces=\"package@hallmark\""), "line 1: the line is about certificates"),
    ("certificate line, the option last", || options("namespaces=\"package@hallmark\",cert-authority"), "line 1: the line is about certificates"),
    ("certificate as a key", || before(allowed().replacen("ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com", 1)), "line 1: the line is about certificates"),
    ("RSA", || fields(Fields { key: rsa(), algorithm: "rsa-sha2-512", ..Fields::default() }), "by a key of the kind ssh-rsa"),
    ("RSA-SHA1", || fields(Fields { key: rsa(), algorithm: "ssh-rsa", ..Fields::default() }), "no SSH signature"),
    ("RSA in the list", || before(format!("a namespaces=\"package@hallmark\" ssh-rsa {}\n", base64(&rsa()))), "keys of the kind ssh-rsa are not verified"),
    ("SSHSIG v2", || fields(Fields { version: 2, ..Fields::default() }), "is of version 2"),
    ("SSHSIG v0", || fields(Fields { version: 0, ..Fields::default() }), "is of version 0"),
    ("reserved not empty", || fields(Fields { reserved: b"later", ..Fields::default() }), "reserved field is not empty"),
    ("text before armour", || armour(|armour| format!("This is signed:\n{armour}")), "does not begin with"),
    ("text after armour", || armour(|armour| format!("{armour}And so is this.\n")), "no SSH signature"),
    ("a line break after armour", || armour(|armour| format!("{armour}\n")), "no SSH signature"),
    ("no line break at the end", || armour(|armour| armour.trim_end().to_owned()), "not written as ssh-keygen writes it"),
    ("other line breaks", || armour(|armour| armour.replace('\n', "\r\n")), "does not begin with"),
    ("two signatures in a file", || armour(|armour| armour.repeat(2)), "no SSH signature"),
    ("valid and invalid pair", || Submission { package: changed(|files| drop(files.insert(REVIEW_SIGNATURE.to_owned(), signed(b"another statement", 2, "review@hallmark")))), ..before(allowed()) }, "statement.json.sig.reviewer: the signature is not one of these bytes"),
    ("the submitter reviews", || Submission { package: changed(|files| drop(files.insert(REVIEW_SIGNATURE.to_owned(), signed(&files[STATEMENT], 1, "review@hallmark")))), ..before(allowed()) }, "may not sign for review@hallmark"),
    ("a line without namespaces", || before(format!("a {}\n", public_key(1))), "the line states no namespaces"),
    ("a pattern for a name", || before(allowed().replacen("submitter@", "*@", 1)), "is a pattern"),
    ("a pattern for a namespace", || options("namespaces=\"*\""), "the namespace \"*\" is unknown"),
    ("an option twice", || options("namespaces=\"package@hallmark\",namespaces=\"review@hallmark\""), "`namespaces` stands twice"),
    ("an unknown option", || options("namespaces=\"package@hallmark\",no-touch-required=\"yes\""), "\"no-touch-required\" is unknown"),
    ("a time in the local zone", || options("namespaces=\"package@hallmark\",valid-before=\"20270101\""), "\"20270101\" is not written as"),
    ("a date that does not exist", || options("namespaces=\"package@hallmark\",valid-before=\"20270230Z\""), "\"20270230Z\" is not written as"),
    ("a key that is never valid", || options("namespaces=\"package@hallmark\",valid-after=\"20270101Z\",valid-before=\"20260101Z\""), "`valid-before` is earlier"),
    ("a binary list of revoked keys", || Submission { revoked: "SSHKRL\n".to_owned(), ..before(allowed()) }, "binary form"),
];

fn verify(submission: &Submission) -> Result<(), String> {
    let Submission { package, allowed, now, revoked } = submission;
    verify_with(package, allowed, now, revoked.as_bytes())
}

#[test]
fn forged_signatures_are_refused() {
    assert_eq!(verify(&before(allowed())), Ok(()));
    assert_eq!(verify(&fields(Fields::default())), Ok(()), "the forger's own encoding is right");
    assert_eq!(unnoticed(FORGERIES, verify), Vec::<String>::new());
}

#[test]
fn a_key_is_valid_from_its_first_to_its_last_second() {
    let valid = "namespaces=\"package@hallmark\",valid-after=\"20261124120000Z\",valid-before=\"20261124120000Z\"";
    assert_eq!(verify(&options(valid)), Ok(()));
    let day =
        "namespaces=\"package@hallmark\",valid-after=\"20261124Z\",valid-before=\"202611250000Z\"";
    assert_eq!(verify(&options(day)), Ok(()));
}

#[test]
fn a_key_may_stand_on_several_lines() {
    let expired = allowed().replacen(
        "package@hallmark\"",
        "package@hallmark\",valid-before=\"20200101Z\"",
        1,
    );
    assert!(verify(&before(expired.clone())).unwrap_err().contains("was valid until"));
    assert_eq!(verify(&before(expired + &allowed())), Ok(()));
}

#[test]
fn a_reviewer_signs_beside_the_submitter() {
    let package = changed(|files| {
        let signature = signed(&files[STATEMENT], 2, "review@hallmark");
        files.insert(REVIEW_SIGNATURE.to_owned(), signature);
    });
    assert_eq!(verify(&Submission { package, ..before(allowed()) }), Ok(()));
}

#[test]
fn every_changed_byte_of_what_is_signed_and_of_its_signature_is_noticed() {
    let files = unpacked(&package());
    let statement = &files[STATEMENT];
    let signature = &files[SIGNATURE];
    let signers = crate::Signers::parse(&allowed()).unwrap();
    let verify = |statement: &[u8], signature: &[u8]| {
        let revoked = crate::Revoked::default();
        let at = super::fixture::time(NOW);
        signers.verify(statement, signature, crate::Namespace::Package, at, &revoked).is_ok()
    };
    assert!(verify(statement, signature));
    let flipped = |bytes: &[u8], at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 1 << (at % 8);
        bytes
    };
    // All bytes of a statement go into one hash, so a sample of them suffices.
    for at in (0..statement.len()).step_by(31) {
        assert!(!verify(&flipped(statement, at), signature), "byte {at} of the statement");
    }
    for at in 0..signature.len() {
        assert!(!verify(statement, &flipped(signature, at)), "byte {at} of the signature");
    }
}
