//! Signed packages, challenges and waivers, with keys that OpenSSH makes.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use hallmark_certification::verify::{Reservation, Verified, Verifier};
use hallmark_package::{
    CHALLENGE, CHALLENGE_SIGNATURE, ChallengeKind, Limits, Namespace, Package, REVIEW_SIGNATURE,
    Revoked, SIGNATURE, STATEMENT, Signers, Timestamp, sign, with_signature,
};
use hallmark_suite::discover::Root;

use crate::forgeries::{Forgery, root};

/// Keys, their owners, and the namespaces that each may sign.
const KEYS: [(&str, &str, &str); 4] = [
    ("submitter", "submitter", "package@hallmark,waiver@hallmark,challenge@hallmark"),
    ("second", "submitter", "waiver@hallmark,challenge@hallmark,review@hallmark"),
    ("reviewer", "reviewer", "waiver@hallmark,challenge@hallmark,review@hallmark"),
    ("somebody", "somebody", "waiver@hallmark"),
];

/// The reservation about the genuine package: nobody repeats its runs here.
const SUBMITTED: [Reservation; 1] = [Reservation::Submitted { results: 6 }];

/// Keys in a folder.
pub(crate) struct Keys {
    folder: tempfile::TempDir,
    /// The file of allowed signers.
    pub(crate) allowed: String,
    signers: Signers,
}

impl Keys {
    /// Makes new keys, or returns `None` without OpenSSH.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut allowed = String::new();
        for (name, person, namespaces) in KEYS {
            let path = folder.path().join(name);
            let mut made = Command::new("ssh-keygen");
            let made = made.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&path);
            let Ok(made) = made.stdin(Stdio::null()).status() else {
                return None;
            };
            assert!(made.success());
            let public = std::fs::read_to_string(path.with_extension("pub")).unwrap();
            allowed += &format!("{person}@example.org namespaces=\"{namespaces}\" {public}");
        }
        let signers = Signers::parse(&allowed).unwrap();
        Some(Self { folder, allowed, signers })
    }

    fn of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn sign(&self, message: &[u8], name: &str, namespace: Namespace) -> Vec<u8> {
        sign(message, &self.of(name), namespace).unwrap()
    }

    /// Signs a file of a package, and puts the signature beside it.
    fn sign_file(&self, forgery: &mut Forgery, file: &str, name: &str, namespace: Namespace) {
        let signature = self.sign(&forgery.files[file], name, namespace);
        forgery.write(&format!("{file}.sig"), signature);
    }

    /// A package with a signature of its statement.
    pub(crate) fn signed(
        &self,
        bytes: &[u8],
        name: &str,
        file: &'static str,
        role: Namespace,
    ) -> Vec<u8> {
        let package = Package::read(bytes, &Limits::default()).unwrap();
        let signature = self.sign(package.file(STATEMENT).unwrap(), name, role);
        let mut signed = Vec::new();
        with_signature(bytes, file, signature, &mut signed).unwrap();
        signed
    }

    /// The answer of a verifier who knows the keys, for a signed package.
    fn verify(&self, forgery: Forgery, name: Option<&str>) -> Result<Vec<Reservation>, String> {
        let bytes = forgery.end();
        match name {
            Some(name) => {
                self.verify_bytes(&self.signed(&bytes, name, SIGNATURE, Namespace::Package), false)
            }
            None => self.verify_bytes(&bytes, false),
        }
    }

    fn verify_bytes(&self, bytes: &[u8], accepts_drafts: bool) -> Result<Vec<Reservation>, String> {
        let verified = self.verified(bytes, accepts_drafts)?;
        Ok(verified.reservations.into_iter().collect())
    }

    fn verified(&self, bytes: &[u8], accepts_drafts: bool) -> Result<Verified, String> {
        let root = Root::at(root()).unwrap();
        let verifier = Verifier {
            root: &root,
            signers: Some(&self.signers),
            revoked: &Revoked::default(),
            profile: None,
            lock: None,
            challenge: None,
            at: Timestamp::now(),
            accepts_drafts,
            accepts_shards: false,
            jobs: 2,
            listener: None,
        };
        let package = Package::read(bytes, &Limits::default()).unwrap();
        verifier.verify(&package).map_err(|rejection| rejection.to_string())
    }
}

#[test]
fn whoever_signs_is_somebody_who_may() {
    let Some(keys) = Keys::new() else {
        println!("skipped: ssh-keygen is not installed");
        return;
    };
    let changed = |change: &dyn Fn(&mut Forgery)| {
        let mut forgery = Forgery::begin();
        change(&mut forgery);
        forgery
    };
    // The genuine package was made under a reviewer's challenge, which nobody has signed yet.
    let by_nobody = || changed(&|_| ());
    let rejected = |forgery, name, reason: &str| {
        let error = keys.verify(forgery, name).unwrap_err();
        assert!(error.contains(reason), "{reason}: {error}");
    };
    let challenged = |name: &str| {
        changed(&|forgery| {
            keys.sign_file(forgery, CHALLENGE, name, Namespace::Challenge);
            assert!(forgery.files.contains_key(CHALLENGE_SIGNATURE));
        })
    };
    let untouched = || challenged("reviewer");
    assert_eq!(keys.verify(untouched(), Some("submitter")), Ok(SUBMITTED.to_vec()));
    rejected(untouched(), None, "nobody signed the package");
    rejected(untouched(), Some("reviewer"), "may not sign for package@hallmark");
    let unsigned = keys.verify_bytes(&untouched().end(), true).unwrap_err();
    assert!(unsigned.contains("nobody signed the package"), "{unsigned}");

    rejected(by_nobody(), Some("submitter"), "the challenge is not signed by a reviewer");
    rejected(challenged("submitter"), Some("submitter"), "by whoever signed the package");
    rejected(challenged("second"), Some("submitter"), "by whoever signed the package");
    rejected(challenged("somebody"), Some("submitter"), "may not sign for challenge@hallmark");
    // Only what the reviewer gave makes the data of the second pass.
    let own = changed(&|forgery| forgery.challenge(|it| it.by = ChallengeKind::Own));
    rejected(own, Some("submitter"), "is not of its test");
    // The author of the challenge may countersign the package.
    let bytes = challenged("reviewer").end();
    let bytes = keys.signed(&bytes, "submitter", SIGNATURE, Namespace::Package);
    let by_submitter = keys.signed(&bytes, "second", REVIEW_SIGNATURE, Namespace::Review);
    let error = keys.verify_bytes(&by_submitter, false).unwrap_err();
    assert!(error.contains("a reviewer is somebody else"), "{error}");
    let bytes = keys.signed(&bytes, "reviewer", REVIEW_SIGNATURE, Namespace::Review);
    assert_eq!(keys.verify_bytes(&bytes, false), Ok(SUBMITTED.to_vec()));
    // A signature has no date of its own: the date is the word of whoever signed the challenge.
    let verified = keys.verified(&bytes, false).unwrap();
    let issued = verified.challenge.unwrap().issued;
    let words = verified.challenge_words().unwrap();
    let expected = "a reviewer's, with a verified signature; the reviewer dates it ";
    assert_eq!(words, format!("{expected}{issued}"));

    let waived = |name: Option<&str>| {
        changed(&|forgery| {
            keys.sign_file(forgery, CHALLENGE, "reviewer", Namespace::Challenge);
            forgery.waiver("known", "known");
            if let Some(name) = name {
                keys.sign_file(forgery, "waivers/W-1.yaml", name, Namespace::Waiver);
            }
        })
    };
    rejected(waived(None), Some("submitter"), "`W-1` is not signed by its approver");
    rejected(waived(Some("submitter")), Some("submitter"), "by whoever signed the package");
    rejected(waived(Some("second")), Some("submitter"), "by whoever signed the package");
    rejected(
        waived(Some("somebody")),
        Some("submitter"),
        "the signature is of `somebody@example.org`",
    );
    rejected(waived(Some("reviewer")), Some("submitter"), "waiver `W-1` excuses nothing");
}
