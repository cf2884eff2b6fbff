//! `hallmark package merge`.

use std::path::PathBuf;

use clap::Args;
use hallmark_certification::merge::{self, MergeError, Part};
use hallmark_certification::profile::ConformanceProfile;
use hallmark_certification::verify::Verifier;
use hallmark_certification::waivers::Waiver;
use hallmark_package::{ArchiveBytes, Package, Revoked, Timestamp};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plain;
use hallmark_schema::plural::counted;

use crate::cli::options::{OUTPUT, RootOption};
use crate::cli::package_file::{opened, read, rejected, verify_written};
use crate::cli::signature_beside::{check_signature, read_signature};
use crate::cli::verifier_progress::VerifierProgress;
use crate::cli::{Failed, output, work};

#[derive(Clone, Debug, Args)]
pub(super) struct MergeArguments {
    /// The packages of all shards, in any order
    #[arg(value_name = "PACKAGE", required = true)]
    packages: Vec<PathBuf>,
    /// The package to be written
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
    /// A folder of waivers, each with its approver's signature beside it
    #[arg(long, value_name = "FOLDER")]
    waivers: Option<PathBuf>,
    /// The conformance profile, beside which its captures lie [default: the one beside the suites]
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// How many results are computed at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    root: RootOption,
}

impl From<MergeError> for Failed {
    fn from(error: MergeError) -> Self {
        let code = match error {
            MergeError::Document { .. } | MergeError::Firmware(_) => ExitCode::REJECTED,
            MergeError::Whole { .. }
            | MergeError::Other { .. }
            | MergeError::Twice { .. }
            | MergeError::Absent { .. } => ExitCode::USAGE,
            MergeError::Waivers(mistakes) => return mistakes.into(),
            MergeError::Write(error) => return error.into(),
        };
        Self::new(code, plain(&error.to_string()))
    }
}

pub(super) fn run(arguments: &MergeArguments) -> Result<ExitCode, Failed> {
    let root = arguments.root.find()?;
    let profile =
        arguments.profile.as_deref().map(|it| ConformanceProfile::read(&root, it)).transpose()?;
    let bytes: Vec<ArchiveBytes> =
        arguments.packages.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let files = || arguments.packages.iter().zip(&bytes);
    let packages: Vec<Package<'_>> =
        files().map(|(path, bytes)| opened(path, bytes)).collect::<Result<_, _>>()?;
    let now = Timestamp::now();
    let parts = arguments.packages.iter().zip(&packages);
    let parts = parts.map(|(path, package)| Part::of(path, package, now));
    let parts = merge::sorted(parts.collect::<Result<_, _>>()?)?;
    let waivers =
        arguments.waivers.as_deref().map(|it| Waiver::read_folder(&root, it)).transpose()?;
    let waivers = waivers.unwrap_or_default().into_iter().map(|waiver| {
        let signature = read_signature(waiver.path())?;
        Ok((waiver, signature))
    });
    let waivers: Vec<(Waiver, Option<Vec<u8>>)> = waivers.collect::<Result<_, Failed>>()?;
    let is_draft = parts.iter().any(Part::is_draft);
    if !is_draft {
        waivers.iter().try_for_each(|(waiver, _)| check_signature(waiver.path()))?;
    }
    let path = &arguments.output;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let claimed = merge::write(&parts, &waivers, name, path)?;
    let runs = claimed.totals.values().sum::<u64>();
    let runs = counted(usize::try_from(runs).unwrap_or(usize::MAX), "result", "results");
    let shards = counted(parts.len(), "shard", "shards");
    output::say(&format!("wrote {}  {runs} of {shards}", path.display()));
    let computed = VerifierProgress::default();
    let verifier = Verifier {
        root: &root,
        // The package has no signature yet.
        signers: None,
        revoked: &Revoked::default(),
        profile: profile.as_ref(),
        lock: None,
        challenge: None,
        at: now,
        accepts_drafts: is_draft,
        accepts_shards: false,
        jobs: arguments.jobs.map_or_else(work::processors, usize::from),
        listener: Some(&computed),
    };
    verify_written(path, &verifier)?.map_err(|rejection| rejected(path, &rejection))
}
