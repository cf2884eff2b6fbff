//! Options that tell a verifying command what to trust.

use std::path::PathBuf;

use clap::Args;
use hallmark_certification::challenge::Challenge;
use hallmark_certification::profile::ConformanceProfile;
use hallmark_certification::verify::Verifier;
use hallmark_execution::whole_file;
use hallmark_package::{Revoked, Signers, Timestamp};
use hallmark_pipeline::verdict::ExitCode;

use crate::cli::options::RootOption;
use crate::cli::package_file::unreadable;
use crate::cli::verifier_progress::VerifierProgress;
use crate::cli::{Failed, work};

/// The largest file of signers, locks or challenges, in bytes.
const FILE_LIMIT: u64 = 64 << 20;

#[derive(Clone, Debug, Args)]
pub(super) struct VerifierOptions {
    /// Who may sign: an OpenSSH file of allowed signers whose lines state their namespaces
    #[arg(long, value_name = "FILE")]
    signers: Option<PathBuf>,
    /// Keys that may sign no longer, one public key a line
    #[arg(long, value_name = "FILE")]
    revoked: Option<PathBuf>,
    /// Your own copy of the conformance profile, beside which its captures lie [default: the one beside the suites]
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// A lock that is trusted [default: the one that the profile makes]
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// The challenge that you gave [default: whichever the package holds]
    #[arg(long, value_name = "FILE")]
    challenge: Option<PathBuf>,
    /// The time of verification, as in 2026-11-23T06:50:00Z [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<Timestamp>,
    /// Accept a draft, which needs neither a signature nor a challenge
    #[arg(long)]
    draft: bool,
    /// How many results are computed at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    root: RootOption,
}

impl VerifierOptions {
    /// The time of verification.
    pub(super) fn at(&self) -> Timestamp {
        self.at.unwrap_or_else(Timestamp::now)
    }

    /// The number of results computed at a time, if the user states one.
    pub(super) const fn jobs(&self) -> Option<u16> {
        self.jobs
    }

    /// Runs `act` with the verifier that the options describe.
    pub(super) fn with<T>(&self, act: impl FnOnce(&Verifier<'_>) -> T) -> Result<T, Failed> {
        let root = self.root.find()?;
        let file = |path: &Option<PathBuf>| {
            let read = |path: &PathBuf| {
                let bytes =
                    root.refuse_links(path).and_then(|()| whole_file::read(path, FILE_LIMIT));
                bytes.map_err(|error| unreadable(path, &error))
            };
            path.as_ref().map(read).transpose()
        };
        let wrong = |path: &Option<PathBuf>, error: &dyn std::fmt::Display| {
            let path = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
            Failed::new(ExitCode::USAGE, format!("{path}: {error}"))
        };
        let signers = file(&self.signers)?
            .map(|bytes| {
                let text =
                    String::from_utf8(bytes).map_err(|error| wrong(&self.signers, &error))?;
                Signers::parse(&text).map_err(|error| wrong(&self.signers, &error))
            })
            .transpose()?;
        let revoked = file(&self.revoked)?
            .map(|bytes| Revoked::parse(&bytes).map_err(|error| wrong(&self.revoked, &error)))
            .transpose()?
            .unwrap_or_default();
        let profile =
            self.profile.as_deref().map(|it| ConformanceProfile::read(&root, it)).transpose()?;
        let lock = file(&self.lock)?;
        let challenge = file(&self.challenge)?;
        if let Some(Err(error)) = challenge.as_deref().map(Challenge::read) {
            return Err(wrong(&self.challenge, &error));
        }
        let computed = VerifierProgress::default();
        let verifier = Verifier {
            root: &root,
            signers: signers.as_ref(),
            revoked: &revoked,
            profile: profile.as_ref(),
            lock: lock.as_deref(),
            challenge: challenge.as_deref(),
            at: self.at(),
            accepts_drafts: self.draft,
            accepts_shards: false,
            jobs: self.jobs.map_or_else(work::processors, usize::from),
            listener: Some(&computed),
        };
        Ok(act(&verifier))
    }
}
