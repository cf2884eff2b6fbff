//! Merges the packages of all shards of a certification into one.
//!
//! The merge only checks that the parts belong together: the verifier recomputes the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use hallmark_chip::{Architecture, error_checks};
use hallmark_package::{
    CHALLENGE, CHALLENGE_SIGNATURE, Contents, DraftError, ENVIRONMENT, LOCK, PROFILE, Package,
    PackageDraft, Predicate, RESULTS, RUN, Statement, Timestamp, json,
};
use hallmark_pipeline::shard::Shard;
use hallmark_schema::model::ContentHash;
use hallmark_suite::mistake::SuiteMistakes;

use super::assembly::{self, AssemblyError};
use super::environment::Environment;
use super::lock::Lock;
use super::log;
use super::results::{ResultLine, RunKey};
use super::verify::{Rejection, firmware_hashes, totals};
use super::waivers::{self, Waiver};

/// The package of a shard.
#[derive(Debug)]
pub struct Part<'a> {
    path: &'a Path,
    package: &'a Package<'a>,
    statement: Statement,
    lock: Lock,
    environment: Environment,
    results: Vec<ResultLine>,
    /// The hash of each architecture's part of the subject, as the log names it.
    subjects: BTreeMap<Architecture, ContentHash>,
    shard: Shard,
}

/// A property that all parts must share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// The file of the conformance profile.
    Profile,
    /// The demands of the profile, with the hashes of all dependencies.
    Lock,
    /// The challenge of the second pass, with its signature.
    Challenge,
    /// The tested subject.
    Subject,
    /// The files of the firmware.
    Firmware,
    /// The devices of the tests.
    Devices,
    /// The release that made the package.
    Release,
    /// The number of shards.
    Shards,
}

impl fmt::Display for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Profile => "conformance profiles",
            Self::Lock => "locks: other tests, goldens or kernels",
            Self::Challenge => "challenges",
            Self::Subject => "subjects",
            Self::Firmware => "firmware",
            Self::Devices => "devices",
            Self::Release => "releases of Hallmark",
            Self::Shards => "numbers of shards",
        })
    }
}

/// Why packages cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file of a package cannot be read.
    #[error("{}: {file}: {error}", path.display())]
    Document {
        /// The package.
        path: PathBuf,
        /// The file.
        file: &'static str,
        /// The problem.
        error: String,
    },
    /// A package is not of a shard.
    #[error("{} is of all runs, and only packages of shards can be merged", path.display())]
    Whole {
        /// The package.
        path: PathBuf,
    },
    /// Two packages that do not belong together.
    #[error("{} and {} are of other {what}", one.display(), other.display())]
    Other {
        /// The differing property.
        what: Shared,
        /// A package.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// Two packages are of the same shard.
    #[error(
        "{} and {} are both of shard {shard}{}; name one of them",
        one.display(), other.display(),
        disagree.as_ref().map(|run| format!(", and have other results of {run}")).unwrap_or_default()
    )]
    Twice {
        /// A package.
        one: PathBuf,
        /// The other.
        other: PathBuf,
        /// The shard.
        shard: Shard,
        /// The first run with different results, if there is one.
        disagree: Option<Box<RunKey>>,
    },
    /// A shard without a package.
    #[error(
        "no package is of shard {}; make {} with `hallmark certify PROFILE --shard {}`",
        list(absent), if absent.len() == 1 { "it" } else { "them" },
        absent.first().map(ToString::to_string).unwrap_or_default()
    )]
    Absent {
        /// The shards without a package.
        absent: Vec<Shard>,
    },
    /// The firmware of the packages cannot be used.
    #[error(transparent)]
    Firmware(Box<Rejection>),
    /// An invalid waiver.
    #[error(transparent)]
    Waivers(#[from] SuiteMistakes),
    /// The package cannot be written.
    #[error(transparent)]
    Write(#[from] AssemblyError),
}

error_checks!(MergeError: Whole, Other, Twice, Absent; besides: Document, Firmware, Waivers, Write);

fn list(shards: &[Shard]) -> String {
    shards.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl From<DraftError> for MergeError {
    fn from(error: DraftError) -> Self {
        Self::Write(error.into())
    }
}

impl From<serde_json::Error> for MergeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Write(error.into())
    }
}

impl<'a> Part<'a> {
    /// The package of a shard, read from a path.
    ///
    /// # Errors
    /// [`MergeError::Document`] and [`MergeError::Whole`].
    pub fn of(path: &'a Path, package: &'a Package<'a>, at: Timestamp) -> Result<Self, MergeError> {
        let file = |name| package.file(name).unwrap_or_default();
        let document = |file, error: &dyn fmt::Display| MergeError::Document {
            path: path.to_owned(),
            file,
            error: error.to_string(),
        };
        let statement =
            package.statement(at).map_err(|error| document(hallmark_package::STATEMENT, &error))?;
        let lock = Lock::read(file(LOCK)).map_err(|error| document(LOCK, &error))?;
        let environment =
            json::read(file(ENVIRONMENT)).map_err(|error| document(ENVIRONMENT, &error))?;
        let results = json::read_lines(file(RESULTS)).map_err(|error| document(RESULTS, &error))?;
        let log = log::read(file(RUN))
            .map_err(|(line, error)| document(RUN, &format!("line {line}: {error}")))?;
        let of_shard = log.identity.and_then(|it| Some((it.shard?, it.subjects)));
        let Some((shard, subjects)) = of_shard else {
            return Err(MergeError::Whole { path: path.to_owned() });
        };
        Ok(Self { path, package, statement, lock, environment, results, subjects, shard })
    }

    /// Whether it lacks the parts that only a certification needs.
    pub const fn is_draft(&self) -> bool {
        self.statement.predicate.draft
    }

    /// The first property that differs from another part.
    fn differs(&self, other: &Self) -> Option<Shared> {
        let file = |name| self.package.file(name) == other.package.file(name);
        let claims = (&self.statement.predicate, &other.statement.predicate);
        let firmware = |part: &Self| {
            let files = part.package.files();
            files.filter(|(name, _)| name.as_str().starts_with("firmware/"))
        };
        let is_alike = [
            (Shared::Shards, self.shard.total() == other.shard.total()),
            (Shared::Release, claims.0.hallmark == claims.1.hallmark),
            (Shared::Profile, file(PROFILE)),
            (Shared::Lock, file(LOCK)),
            (Shared::Challenge, file(CHALLENGE) && file(CHALLENGE_SIGNATURE)),
            (Shared::Firmware, firmware(self).eq(firmware(other))),
            (Shared::Subject, claims.0.subject == claims.1.subject),
            (Shared::Subject, self.subjects == other.subjects),
            (Shared::Devices, self.environment.devices == other.environment.devices),
        ];
        is_alike.into_iter().find(|(_, is_alike)| !is_alike).map(|(what, _)| what)
    }

    /// The first run with another result than in another part.
    fn disagreement(&self, other: &Self) -> Option<Box<RunKey>> {
        let known: BTreeMap<&RunKey, &ResultLine> =
            other.results.iter().map(|result| (&result.run, result)).collect();
        let verdict = |result: &ResultLine| (result.verdict.clone(), result.program);
        let differs = |result: &&ResultLine| {
            known.get(&result.run).is_none_or(|it| verdict(it) != verdict(result))
        };
        self.results.iter().find(differs).map(|result| Box::new(result.run.clone()))
    }
}

/// Checks that parts belong to one certification, with each shard once; returns them sorted by shard.
///
/// # Errors
/// [`MergeError::Other`], [`MergeError::Twice`], [`MergeError::Absent`].
pub fn sorted(mut parts: Vec<Part<'_>>) -> Result<Vec<Part<'_>>, MergeError> {
    if let Some((first, others)) = parts.split_first() {
        let other = others.iter().find_map(|other| Some((other, first.differs(other)?)));
        if let Some((other, what)) = other {
            let (one, other) = (first.path.to_owned(), other.path.to_owned());
            MergeError::Other { what, one, other }.refuse()?;
        }
    }
    parts.sort_by_key(|part| part.shard);
    for pair in parts.windows(2) {
        if let [one, other] = pair
            && one.shard == other.shard
        {
            let disagree = one.disagreement(other);
            let (shard, one, other) = (one.shard, one.path.to_owned(), other.path.to_owned());
            MergeError::Twice { one, other, shard, disagree }.refuse()?;
        }
    }
    let present: BTreeSet<Shard> = parts.iter().map(|part| part.shard).collect();
    let all = parts.first().into_iter().flat_map(|part| part.shard.all());
    let absent: Vec<Shard> = all.filter(|shard| !present.contains(shard)).collect();
    if !absent.is_empty() {
        MergeError::Absent { absent }.refuse()?;
    }
    Ok(parts)
}

/// Writes the package of all parts from [`sorted`], with waivers and their signatures. The signers of the parts
/// are not kept: the signer of the merged package answers for the whole.
///
/// # Errors
/// [`MergeError`].
pub fn write(
    parts: &[Part<'_>],
    waivers: &[(Waiver, Option<Vec<u8>>)],
    name: String,
    path: &Path,
) -> Result<Predicate, MergeError> {
    let Some(first) = parts.first() else {
        return Err(MergeError::Absent { absent: vec![Shard::WHOLE] });
    };
    let mut results: BTreeMap<RunKey, ResultLine> = parts
        .iter()
        .flat_map(|part| &part.results)
        .map(|result| (result.run.clone(), result.clone()))
        .collect();
    let made = parts.iter().map(|part| part.statement.predicate.made).max();
    let made = made.unwrap_or(first.statement.predicate.made);
    let (chosen, signatures): (Vec<Waiver>, Vec<_>) = waivers.iter().cloned().unzip();
    let hashes = firmware_hashes(first.package, &first.statement, &first.lock)
        .map_err(|error| MergeError::Firmware(Box::new(error)))?;
    waivers::check_all(&chosen, &first.lock.profile, made)?;
    waivers::apply(&chosen, &first.lock.profile, &hashes, &mut results)?;
    let mut draft = PackageDraft::new();
    let written_anew = [RESULTS, RUN, ENVIRONMENT];
    for part in parts {
        for (name, bytes) in part.package.files() {
            if name.is_in_manifest() && !written_anew.contains(&name.as_str()) {
                draft.add(name.clone(), Contents::Borrowed(bytes))?;
            }
        }
    }
    for (waiver, signature) in chosen.iter().zip(signatures) {
        let name = format!("waivers/{}.yaml", waiver.id());
        let bytes = waiver.text().as_bytes().to_vec();
        draft.add(assembly::entry(&name)?, Contents::Bytes(bytes))?;
        if let Some(signature) = signature {
            draft.add(assembly::entry(&format!("{name}.sig"))?, Contents::Bytes(signature))?;
        }
    }
    let logs: Vec<u8> =
        parts.iter().filter_map(|part| part.package.file(RUN)).flatten().copied().collect();
    let environments = || parts.iter().map(|part| &part.environment);
    let is_one_commit = environments().all(|it| it.commit == first.environment.commit);
    let environment = Environment {
        hosts: environments().flat_map(|it| it.hosts.iter().cloned()).collect(),
        // If the checkouts differ, no commit is stated; the lock contains the common parts.
        commit: first.environment.commit.clone().filter(|_| is_one_commit),
        ..first.environment.clone()
    };
    let results_file = json::write_lines(results.values())?;
    draft.add(assembly::entry(RESULTS)?, Contents::Bytes(results_file))?;
    draft.add(assembly::entry(RUN)?, Contents::Bytes(logs))?;
    draft.add(assembly::entry(ENVIRONMENT)?, Contents::Bytes(json::write(&environment)?))?;
    let predicate = Predicate {
        name,
        made,
        draft: parts.iter().any(|part| part.statement.predicate.draft),
        totals: totals(results.values()),
        ..first.statement.predicate.clone()
    };
    assembly::write(draft, predicate.clone(), path)?;
    Ok(predicate)
}
