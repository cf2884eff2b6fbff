//! Challenges: made for another party, or given to a certification.

use std::path::{Path, PathBuf};

use clap::Args;
use hallmark_certification::assembly::SignedFile;
use hallmark_certification::challenge::{Challenge, ChallengeError};
use hallmark_execution::whole_file;
use hallmark_package::{ChallengeKind, Timestamp};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::ContentHash;
use hallmark_suite::discover::Root;

use super::failures::{internal, unwritten};
use crate::cli::options::OUTPUT;
use crate::cli::signature_beside::{check_signature, read_signature};
use crate::cli::{Failed, output};

/// Larger challenges are refused.
const FILE_LIMIT: u64 = 4096;

#[derive(Clone, Debug, Args)]
pub(super) struct ChallengeArguments {
    /// The challenge is the submitter's own: it proves carefulness, and nothing to anybody else
    #[arg(long)]
    own: bool,
    /// The file of the challenge
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
}

/// Writes a new random challenge.
pub(super) fn write(arguments: &ChallengeArguments) -> Result<ExitCode, Failed> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("the system gives no random bytes: {error}"))
    })?;
    let by = if arguments.own { ChallengeKind::Own } else { ChallengeKind::Reviewer };
    let challenge = Challenge { challenge: ContentHash(bytes), issued: Timestamp::now(), by };
    let text = challenge.to_bytes().map_err(|error| internal(&error))?;
    whole_file::write_durably(&arguments.output, &text)
        .map_err(|error| unwritten(&arguments.output, &error))?;
    let file = arguments.output.display();
    output::say(&format!("wrote {file}"));
    if !arguments.own {
        output::say(&format!(
            "  sign      ssh-keygen -Y sign -n challenge@hallmark -f YOUR_KEY {file}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// A challenge and its file.
#[derive(Clone, Debug)]
pub(super) struct GivenChallenge {
    pub(super) challenge: Challenge,
    pub(super) file: SignedFile,
    path: PathBuf,
}

impl GivenChallenge {
    /// Reads a challenge file, and the signature beside it if there is one.
    pub(super) fn read(root: &Root, path: &Path) -> Result<Self, Failed> {
        let bytes = root.refuse_links(path).and_then(|()| whole_file::read(path, FILE_LIMIT));
        let bytes = bytes.map_err(|error| {
            Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", path.display()))
        })?;
        let challenge = Challenge::read(&bytes).map_err(|error| located(path, &error))?;
        let file = SignedFile { bytes, signature: read_signature(path)? };
        Ok(Self { challenge, file, path: path.to_owned() })
    }

    /// Checks that the profile accepts the challenge's giver, as far as that is known without the reviewer's
    /// key.
    pub(super) fn check_giver(&self, is_required: bool) -> Result<(), Failed> {
        match self.challenge.by {
            ChallengeKind::Reviewer => check_signature(&self.path),
            ChallengeKind::Own if is_required => Err(Failed::new(
                ExitCode::USAGE,
                format!(
                    "{} is the submitter's own challenge, and the conformance profile requires a reviewer's; ask for one, \
                     or make a draft with --draft",
                    self.path.display()
                ),
            )),
            ChallengeKind::Own => Ok(()),
        }
    }

    /// Checks that the challenge is valid now.
    pub(super) fn check(&self, now: Timestamp, days: u32) -> Result<(), Failed> {
        self.challenge.check(now, days).map_err(|error| located(&self.path, &error))
    }
}

fn located(path: &Path, error: &ChallengeError) -> Failed {
    Failed::new(ExitCode::USAGE, format!("{}: {error}", path.display()))
}
