//! Compares a package's claims about itself with its files: profile, firmware, results, log, totals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_package::json::JsonProblem;
use hallmark_package::{
    Blake3, CHALLENGE, CHALLENGE_SIGNATURE, ENVIRONMENT, EntryName, LOCK, Namespace, Package,
    RESULTS, RUN, STATEMENT, SignatureError, Signer, Statement, SubjectKind, Timestamp, json,
};
use hallmark_pipeline::shard::Shard;
use hallmark_pipeline::verdict::Verdict;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_schema::model::ContentHash;
use hallmark_suite::language::DeviceKind;

use super::record;
use super::rejection::{Rejection, RejectionReason, VerifierStep};
use super::totals;
use crate::challenge::Challenge;
use crate::environment::{Environment, is_library_name};
use crate::lock::Lock;
use crate::log::{self, ReadLog};
use crate::results::{Basis, ResultLine, RunKey};
use crate::subject::{Identity, part_hash};

/// The firmware of the captures, by architecture.
pub(super) type Firmware = BTreeMap<Architecture, Arc<FirmwareBundle>>;

/// The longest run of a certification, in milliseconds: a year.
const LONGEST_RUN: u64 = 366 * 24 * 60 * 60 * 1000;

/// Compares the statement's claims about the profile with the profile's files.
pub(super) fn profile(
    statement: &Statement,
    lock: &Lock,
    profile_file: &[u8],
    lock_file: &[u8],
) -> Result<(), Rejection> {
    let claim = &statement.predicate.profile;
    let locked = &lock.profile;
    let lock_hash = Blake3::of(lock_file);
    let file_hash = ContentHash::of(profile_file).to_string();
    let claims = [
        (STATEMENT, "name", claim.name.clone(), locked.name.clone()),
        (STATEMENT, "edition", claim.edition.clone(), locked.edition.clone()),
        (STATEMENT, "lock", claim.lock.to_string(), lock_hash.to_string()),
        (LOCK, "file", locked.file.to_string(), file_hash),
    ];
    for (file, what, claimed, found) in claims {
        if claimed != found {
            let problem = RejectionReason::ProfileClaim { what, claimed, found };
            Rejection::new(VerifierStep::Subject, problem).in_file(file).refuse()?;
        }
    }
    let here = env!("CARGO_PKG_VERSION");
    let release = &statement.predicate.hallmark;
    for (file, release) in [(LOCK, &locked.model.hallmark), (STATEMENT, release)] {
        if release != here {
            let problem =
                RejectionReason::OtherRelease { lock: release.clone(), here: here.to_owned() };
            Rejection::new(VerifierStep::Completeness, problem).in_file(file).refuse()?;
        }
    }
    Ok(())
}

/// Reads the environment, all of which is asserted.
pub(super) fn environment(package: &Package<'_>) -> Result<Environment, Rejection> {
    json::read(package.file(ENVIRONMENT).unwrap_or_default())
        .map_err(|error| Rejection::of_json(VerifierStep::Documents, error).in_file(ENVIRONMENT))
}

/// The firmware of each architecture: the package's, or the built-in one.
pub(super) fn firmware(
    package: &Package<'_>,
    statement: &Statement,
    lock: &Lock,
) -> Result<Firmware, Rejection> {
    let kind = statement.predicate.subject.kind;
    let reject = |problem| Rejection::new(VerifierStep::Subject, problem);
    let admitted = lock.profile.subjects.iter().any(|admitted| admitted.name() == name_of(kind));
    if !admitted {
        let kind = name_of(kind).to_owned();
        reject(RejectionReason::SubjectKind { kind }).in_file(STATEMENT).refuse()?;
    }
    let firmware_files: BTreeMap<&str, &[u8]> = package
        .files()
        .filter_map(|(name, bytes)| Some((name.as_str().strip_prefix("firmware/")?, bytes)))
        .collect();
    let is_named = kind == SubjectKind::Firmware;
    let files = |what: String| reject(RejectionReason::FirmwareFiles { what });
    let mut bundles = Firmware::new();
    for architecture in lock.architectures() {
        let own = format!("{architecture}/");
        let own: BTreeMap<&str, &[u8]> = firmware_files
            .iter()
            .filter_map(|(name, bytes)| Some((name.strip_prefix(own.as_str())?, *bytes)))
            .collect();
        let unloadable = |message: String| {
            reject(RejectionReason::Firmware { message })
                .in_file(&format!("firmware/{architecture}/manifest.json"))
        };
        let builtin =
            FirmwareBundle::builtin(architecture).map_err(|error| unloadable(error.to_string()))?;
        if own.is_empty() {
            if is_named {
                files(format!("the firmware of {architecture} is what was tested, and its files are not in the package")).refuse()?;
            }
            bundles.insert(architecture, Arc::new(builtin));
            continue;
        }
        if !is_named {
            files(format!(
                "the package holds firmware of {architecture}, and firmware is not what was tested"
            ))
            .refuse()?;
        }
        let bundle = FirmwareBundle::of_files(&own, architecture)
            .map_err(|error| unloadable(error.problem.to_string()))?;
        if let Some(stray) = own.keys().find(|file| !bundle.files().contains(*file)) {
            files(format!("`firmware/{architecture}/{stray}` is no file of the bundle: its manifest does not name it"))
                .refuse()?;
        }
        if bundle.has_images_of(&builtin) {
            files(format!(
                "the firmware of {architecture} is the built-in one, whatever its manifest says"
            ))
            .refuse()?;
        }
        bundles.insert(architecture, Arc::new(bundle));
    }
    let architectures: BTreeSet<String> =
        bundles.keys().map(|architecture| architecture.name().to_owned()).collect();
    let folder = |name: &&str| name.split('/').next().unwrap_or_default().to_owned();
    if let Some(other) = firmware_files.keys().find(|name| !architectures.contains(&folder(name))) {
        files(format!("the profile demands nothing of the architecture of `firmware/{other}`"))
            .refuse()?;
    }
    Ok(bundles)
}

/// The name of a kind of subject in profiles and statements.
const fn name_of(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::Simulator => "simulator",
        SubjectKind::Metalium => "metalium",
        SubjectKind::Firmware => "firmware",
        SubjectKind::Board => "board",
    }
}

/// Whether a run on this kind of device can belong to the subject.
const fn runs_on(subject: SubjectKind, device: DeviceKind) -> bool {
    match (subject, device) {
        (SubjectKind::Firmware, _)
        | (SubjectKind::Simulator, DeviceKind::Sim | DeviceKind::Ttsim)
        | (SubjectKind::Metalium, DeviceKind::Ttsim)
        | (SubjectKind::Board, DeviceKind::Pci) => true,
        (SubjectKind::Simulator, DeviceKind::Pci)
        | (SubjectKind::Metalium, DeviceKind::Sim | DeviceKind::Pci)
        | (SubjectKind::Board, DeviceKind::Sim | DeviceKind::Ttsim) => false,
    }
}

/// Compares the kind of the subject with the devices of the tests.
pub(super) fn devices(statement: &Statement, results: &[ResultLine]) -> Result<(), Rejection> {
    let kind = statement.predicate.subject.kind;
    match results.iter().find(|result| !runs_on(kind, result.run.device)) {
        Some(other) => {
            let (kind, run) = (name_of(kind).to_owned(), Box::new(other.run.clone()));
            Rejection::new(VerifierStep::Subject, RejectionReason::SubjectDevice { kind, run })
                .in_file(STATEMENT)
                .refuse()
        }
        None => Ok(()),
    }
}

/// Compares the subject's name and hash with the firmware and with the environment.
pub(super) fn subject(
    statement: &Statement,
    environment: &Environment,
    firmware: &Firmware,
    results: &[ResultLine],
) -> Result<(), Rejection> {
    let reject = |problem| Rejection::new(VerifierStep::Subject, problem);
    let kind_of = |architecture: &Architecture| {
        environment.devices.get(architecture).and_then(|it| record::kind_of(&it.device))
    };
    let other = results.iter().find(|result| {
        let RunKey { test, device, .. } = &result.run;
        kind_of(&test.architecture) != Some(*device)
    });
    if let Some(other) = other {
        let run = Box::new(other.run.clone());
        reject(RejectionReason::OtherEnvironment { run }).in_file(ENVIRONMENT).refuse()?;
    }
    consistent(statement, environment, firmware)?;
    let claim = &statement.predicate.subject;
    let tested = firmware.iter().filter_map(|(architecture, bundle)| {
        Some((environment.devices.get(architecture)?, Some(&**bundle)))
    });
    let Identity { name, hash } = Identity::of(claim.kind, tested);
    let words =
        |hash: Option<Blake3>| hash.map_or_else(|| "none".to_owned(), |hash| hash.to_string());
    let hash = hash.map(|hash| Blake3::from_bytes(hash.0));
    let claims = [("name", claim.name.clone(), name), ("hash", words(claim.hash), words(hash))];
    for (what, claimed, found) in claims {
        if claimed != found {
            let problem = RejectionReason::SubjectClaim { what, claimed, found };
            reject(problem).in_file(STATEMENT).refuse()?;
        }
    }
    Ok(())
}

/// Checks that the environment names a device for each demanded architecture and for no other, that each has what such a
/// device has and nothing else, and that the release is the statement's: whoever reads the package takes the environment
/// for the subject.
fn consistent(
    statement: &Statement,
    environment: &Environment,
    firmware: &Firmware,
) -> Result<(), Rejection> {
    let reject = |problem| Rejection::new(VerifierStep::Subject, problem).in_file(ENVIRONMENT);
    let is_of_metalium = statement.predicate.subject.kind == SubjectKind::Metalium;
    for (&architecture, device) in &environment.devices {
        let is_library = record::kind_of(&device.device) == Some(DeviceKind::Ttsim);
        let rules = [
            (!firmware.contains_key(&architecture), "the profile demands nothing of it"),
            (!record::is_family(&device.device), "its device has more than the name of a kind"),
            (device.metalium.is_some() && !is_of_metalium, "TT-Metalium is not the subject"),
            (device.metalium.is_none() && is_of_metalium, "no release of TT-Metalium is named"),
            (
                device.metalium.is_none() && device.metalium_build.is_some(),
                "a build of TT-Metalium is named, and no release",
            ),
            (
                device.metalium_build.is_none() && device.metalium_files.is_some(),
                "files of TT-Metalium are named, and no build",
            ),
            (device.library.is_some() && !is_library, "its device is no library"),
            (device.library.is_none() && is_library, "its device is a library without a name"),
            (
                device.library.is_some() != device.library_hash.is_some(),
                "a library has a name and a hash",
            ),
            (
                device.library.as_deref().is_some_and(|name| !is_library_name(name)),
                "its library has a name that no library has",
            ),
        ];
        if let Some((_, what)) = rules.into_iter().find(|(is_broken, _)| *is_broken) {
            reject(RejectionReason::Environment { architecture, what }).refuse()?;
        }
    }
    if environment.hallmark != statement.predicate.hallmark {
        reject(RejectionReason::EnvironmentRelease {
            environment: environment.hallmark.clone(),
            statement: statement.predicate.hallmark.clone(),
        })
        .refuse()?;
    }
    Ok(())
}

/// Refuses devices that replace others in tests, whatever their results are.
pub(super) fn stand_ins(environment: &Environment) -> Result<(), Rejection> {
    let mut devices = environment.devices.values().map(|it| &it.device);
    match devices.find(|device| record::is_stand_in(device)) {
        Some(device) => {
            let problem = RejectionReason::StandIn { device: device.clone() };
            Rejection::new(VerifierStep::Subject, problem).in_file(ENVIRONMENT).refuse()
        }
        None => Ok(()),
    }
}

/// Whether two signers may be the same person: by the key, or by a shared name.
pub(super) fn may_be_one(signer: &Signer, other: &Signer) -> bool {
    let is_named_alike = |name: &String| other.principals.contains(name);
    signer.fingerprint == other.fingerprint || signer.principals.iter().any(is_named_alike)
}

/// A signer who is not the submitter.
pub(super) fn differs(
    signer: &Signer,
    submitter: Option<&Signer>,
) -> Result<(), ChallengeSignature> {
    if submitter.is_some_and(|submitter| may_be_one(signer, submitter)) {
        return Err(ChallengeSignature::BySubmitter);
    }
    Ok(())
}

/// The problem of a challenge's signature.
pub(super) enum ChallengeSignature {
    /// The signature is invalid.
    Wrong(SignatureError),
    /// The submitter signed the challenge.
    BySubmitter,
}

impl From<SignatureError> for ChallengeSignature {
    fn from(error: SignatureError) -> Self {
        Self::Wrong(error)
    }
}

/// The challenge of the second pass, if there was one: signed as `verify` requires, and identical to the
/// statement's.
pub(super) fn challenge(
    package: &Package<'_>,
    statement: &Statement,
    lock: &Lock,
    knows_signers: bool,
    verify: impl Fn(&[u8], &[u8], Namespace) -> Result<(), ChallengeSignature>,
) -> Result<Option<Challenge>, Rejection> {
    use hallmark_package::ChallengeKind;

    let reject = |problem| Rejection::new(VerifierStep::Completeness, problem).in_file(CHALLENGE);
    let claim = |what| reject(RejectionReason::ChallengeClaim { what }).refuse();
    let predicate = &statement.predicate;
    let Some(bytes) = package.file(CHALLENGE) else {
        if predicate.challenge.is_some() {
            claim("the statement names a challenge, and the package holds none")?;
        }
        if lock.profile.challenge.required && !predicate.draft {
            claim("the profile requires a challenge, and the package holds none")?;
        }
        return Ok(None);
    };
    let challenge =
        Challenge::read(bytes).map_err(|error| reject(RejectionReason::Challenge(error)))?;
    match predicate.challenge {
        None => claim("the package holds a challenge that the statement does not name")?,
        Some(named) if named.hash != Blake3::of(bytes) => {
            claim("the statement names another challenge")?;
        }
        Some(named) if named.kind != challenge.by => {
            claim("the statement says that somebody else gave the challenge")?;
        }
        Some(_) => {}
    }
    challenge
        .check(predicate.made, lock.profile.challenge.valid_for_days)
        .map_err(|error| reject(RejectionReason::Challenge(error)))?;
    match (challenge.by, package.file(CHALLENGE_SIGNATURE)) {
        (ChallengeKind::Own, signature) => {
            if signature.is_some() {
                claim(
                    "the challenge is said to be the submitter's own, and a reviewer's signature lies beside it",
                )?;
            }
            if lock.profile.challenge.required && !predicate.draft {
                claim(
                    "the profile requires a reviewer's challenge, and the submitter gave this one",
                )?;
            }
        }
        (ChallengeKind::Reviewer, None) if knows_signers => {
            claim("the challenge is not signed by a reviewer")?;
        }
        (ChallengeKind::Reviewer, None) => {}
        (ChallengeKind::Reviewer, Some(signature)) => {
            match verify(bytes, signature, Namespace::Challenge) {
                Ok(()) => {}
                Err(ChallengeSignature::Wrong(error)) => {
                    let problem = RejectionReason::Signature(error);
                    return Err(Rejection::new(VerifierStep::Signatures, problem)
                        .in_file(CHALLENGE_SIGNATURE));
                }
                Err(ChallengeSignature::BySubmitter) => {
                    claim("the challenge is signed by whoever signed the package")?;
                }
            }
        }
    }
    Ok(Some(challenge))
}

/// Checks that a challenge is not dated after the beginning of a run that was made under it. A log counts milliseconds without
/// pauses, so that its run began no later than so long before the package was made.
pub(super) fn challenge_date(
    challenge: &Challenge,
    statement: &Statement,
    logs: &[ReadLog],
) -> Result<(), Rejection> {
    let made = statement.predicate.made;
    let longest = logs.iter().map(|log| log.at).max().unwrap_or_default();
    // Both times are cut to whole seconds, so that the true difference may be almost a second longer.
    let earlier = i64::try_from(longest / 1000).unwrap_or(i64::MAX);
    let began = made.unix().saturating_sub(earlier);
    if challenge.issued.unix() <= began {
        return Ok(());
    }
    let issued = challenge.issued;
    let began = Timestamp::from_unix(began).unwrap_or(made);
    Rejection::new(VerifierStep::Completeness, RejectionReason::ChallengeDate { issued, began })
        .in_file(CHALLENGE)
        .refuse()
}

/// Checks that every demanded run has exactly one result, in order, and that there are no others. For a shard,
/// only its runs count.
pub(super) fn completeness(
    lock: &Lock,
    results: &[ResultLine],
    is_challenged: bool,
    shard: Option<Shard>,
) -> Result<(), Rejection> {
    let reject = |problem| Rejection::new(VerifierStep::Completeness, problem).in_file(RESULTS);
    let line = |index: usize| index.saturating_add(1);
    let mut on: BTreeMap<Architecture, DeviceKind> = BTreeMap::new();
    let mut last: Option<&RunKey> = None;
    for (index, ResultLine { run, .. }) in results.iter().enumerate() {
        let of_run = || Box::new(run.clone());
        if last.is_some_and(|last| last >= run) {
            reject(RejectionReason::ResultOrder { run: of_run() }).at_line(line(index)).refuse()?;
        }
        last = Some(run);
        if *on.entry(run.test.architecture).or_insert(run.device) != run.device {
            reject(RejectionReason::DeviceKinds { run: of_run() }).at_line(line(index)).refuse()?;
        }
    }
    let runs =
        lock.runs(&on, is_challenged).map_err(|error| reject(RejectionReason::Runs(error)))?;
    for (index, result) in results.iter().enumerate() {
        let run = || Box::new(result.run.clone());
        let claimed_skip = match &result.verdict.0 {
            Verdict::Skipped { reason } => Some(reason.as_str()),
            _ => None,
        };
        let at = |problem| reject(problem).at_line(line(index)).refuse();
        match runs.get(&result.run) {
            None => at(RejectionReason::ResultUnknown { run: run() })?,
            Some(demanded) if *demanded != claimed_skip => {
                at(RejectionReason::Skip { run: run(), demanded: demanded.is_none() })?;
            }
            Some(_) => {}
        }
    }
    let present: BTreeSet<&RunKey> = results.iter().map(|result| &result.run).collect();
    let demanded = shard.unwrap_or(Shard::WHOLE).of(runs.keys().collect());
    let is_of_others = |run: &&RunKey| demanded.binary_search(run).is_err();
    if let Some(other) = present.iter().copied().find(is_of_others) {
        let run = Box::new(other.clone());
        reject(RejectionReason::ResultUnknown { run }).refuse()?;
    }
    match demanded.into_iter().find(|run| !present.contains(run)) {
        Some(run) => reject(RejectionReason::ResultAbsent { run: Box::new(run.clone()) }).refuse(),
        None => Ok(()),
    }
}

/// The logs of the package's runs: one, or one for each shard.
pub(super) fn logs(bytes: &[u8]) -> Result<Vec<ReadLog>, Rejection> {
    let step = VerifierStep::Completeness;
    let reject = |problem| Rejection::new(step, problem).in_file(RUN);
    let text = std::str::from_utf8(bytes).map_err(|_| reject(RejectionReason::NoText))?;
    // A killed process may leave an incomplete line, but a package must not contain one.
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        let line = text.lines().count();
        return Err(Rejection::of_json(step, JsonProblem::NoLineEnd.into())
            .in_file(RUN)
            .at_line(line));
    }
    log::read_all(text).map_err(|(line, error)| reject(RejectionReason::Log(error)).at_line(line))
}

/// The shard of the package, if it contains only one. Otherwise its logs must be those of one run, or of each
/// shard once.
pub(super) fn shard(logs: &[ReadLog]) -> Result<Option<Shard>, Rejection> {
    let shards: Option<Vec<Shard>> =
        logs.iter().map(|log| log.identity.as_ref().and_then(|it| it.shard)).collect();
    let reject = |problem| Rejection::new(VerifierStep::Completeness, problem).in_file(RUN);
    match (logs, shards.as_deref()) {
        ([], _) => return Err(reject(RejectionReason::LogOfAnother { what: "beginning" })),
        ([_], shards) => return Ok(shards.and_then(<[Shard]>::first).copied()),
        (_, Some([first, ..])) if shards.iter().flatten().copied().eq(first.all()) => {}
        (_, _) => reject(RejectionReason::Shards).refuse()?,
    }
    Ok(None)
}

/// The hash of each architecture's part of the subject.
pub(super) fn parts(
    statement: &Statement,
    environment: &Environment,
    firmware: &Firmware,
) -> BTreeMap<Architecture, ContentHash> {
    let kind = statement.predicate.subject.kind;
    let devices = environment.devices.iter();
    let part = |(architecture, device)| {
        let firmware = firmware.get(architecture).map(|bundle| &**bundle);
        (*architecture, part_hash(kind, device, firmware))
    };
    devices.map(part).collect()
}

/// Checks that the logs are complete chains of this profile, subject and challenge, and contain each result of
/// `results.jsonl`.
pub(super) fn log(
    logs: &[ReadLog],
    results: &[ResultLine],
    lock: &[u8],
    parts: &BTreeMap<Architecture, ContentHash>,
    challenge: Option<&[u8]>,
) -> Result<(), Rejection> {
    let step = VerifierStep::Completeness;
    let reject = |problem| Rejection::new(step, problem).in_file(RUN);
    if let Some(line) = logs.iter().find_map(|log| log.backwards) {
        reject(RejectionReason::TimeBackwards).at_line(line).refuse()?;
    }
    if let Some(line) = logs.iter().find_map(|log| log.too_long) {
        reject(RejectionReason::TestTooLong).at_line(line).refuse()?;
    }
    if let Some(milliseconds) = logs.iter().map(|log| log.at).find(|at| *at > LONGEST_RUN) {
        reject(RejectionReason::RunTooLong { milliseconds }).refuse()?;
    }
    let runs: Vec<&RunKey> = results.iter().map(|result| &result.run).collect();
    for log in logs {
        let of_another =
            |what| reject(RejectionReason::LogOfAnother { what }).at_line(log.first_line);
        let Some(identity) = &log.identity else { return of_another("beginning").refuse() };
        if identity.lock != ContentHash::of(lock) {
            of_another("lock").refuse()?;
        }
        // Earlier releases named the executors alone.
        let is_named = !identity.subjects.is_empty();
        if (is_named && identity.subjects != *parts) || !identity.executors.keys().eq(parts.keys())
        {
            of_another("subject").refuse()?;
        }
        if identity.challenge != challenge.map(ContentHash::of) {
            of_another("challenge").refuse()?;
        }
        // `runs` are only those of the package's shard, if it has one.
        if let ([_, _, ..], Some(shard)) = (logs, identity.shard) {
            let own: BTreeSet<&RunKey> = shard.of(runs.clone()).into_iter().collect();
            if log.results.iter().any(|result| !own.contains(&result.run)) {
                of_another("shard").refuse()?;
            }
        }
    }
    let logged = logs.iter().flat_map(|log| &log.results);
    let logged: BTreeMap<&RunKey, &ResultLine> =
        logged.map(|result| (&result.run, result)).collect();
    for (index, result) in results.iter().enumerate() {
        // Waivers are applied after the run.
        let result = ResultLine { waiver: None, ..result.clone() };
        if logged.get(&result.run) != Some(&&result) {
            let run = Box::new(result.run.clone());
            Rejection::new(step, RejectionReason::LogDiffers { run })
                .in_file(RESULTS)
                .at_line(index.saturating_add(1))
                .refuse()?;
        }
    }
    let known: BTreeSet<&RunKey> = results.iter().map(|result| &result.run).collect();
    match logged.keys().find(|run| !known.contains(**run)) {
        Some(run) => reject(RejectionReason::LogDiffers { run: Box::new((*run).clone()) }).refuse(),
        None => Ok(()),
    }
}

/// Checks that every signature lies beside the file that it signs.
pub(super) fn no_lone_signature(package: &Package<'_>) -> Result<(), Rejection> {
    let lone = package.files().filter(|(name, _)| name.is_in_manifest()).find_map(|(name, _)| {
        let signed = name.as_str().strip_suffix(".sig")?;
        package.file(signed).is_none().then_some((name, signed))
    });
    match lone {
        Some((name, signed)) => {
            let problem = RejectionReason::SignatureOfNothing { file: signed.to_owned() };
            Rejection::new(VerifierStep::Completeness, problem).in_file(name.as_str()).refuse()
        }
        None => Ok(()),
    }
}

/// Checks that every capture belongs to a result.
pub(super) fn no_unused_file(
    package: &Package<'_>,
    results: &[ResultLine],
) -> Result<(), Rejection> {
    let hashes = results.iter().flat_map(|result| [result.capture, result.replay]).flatten();
    let used: BTreeSet<EntryName> =
        hashes.map(|hash| EntryName::capture(&Blake3::from_bytes(hash.0))).collect();
    let unused = package
        .files()
        .find(|(name, _)| name.as_str().starts_with("captures/") && !used.contains(name));
    match unused {
        Some((name, _)) => Rejection::new(VerifierStep::Completeness, RejectionReason::UnusedFile)
            .in_file(name.as_str())
            .refuse(),
        None => Ok(()),
    }
}

/// Compares the package's claims with the computed results, and requires that every run passed or is waived.
pub(super) fn compare(
    claimed: &[ResultLine],
    computed: &[ResultLine],
    statement: &Statement,
) -> Result<(), Rejection> {
    let reject = |problem| Rejection::new(VerifierStep::Verdicts, problem).in_file(RESULTS);
    for (index, (claim, result)) in claimed.iter().zip(computed).enumerate() {
        let at = |problem| reject(problem).at_line(index.saturating_add(1)).refuse();
        let run = || Box::new(result.run.clone());
        if claim.verdict != result.verdict {
            let words = |verdict: &Verdict| match verdict.reason() {
                Some(reason) => format!("{} ({reason})", verdict.name()),
                None => verdict.name().to_owned(),
            };
            at(RejectionReason::Verdict {
                run: run(),
                claimed: words(&claim.verdict.0),
                computed: words(&result.verdict.0),
            })?;
        }
        let is_skipped = matches!(result.verdict.0, Verdict::Skipped { .. });
        // So earlier releases called what the submitter alone has replayed.
        let is_of_old = claim.basis == Basis::Replayed && result.basis == Basis::Submitted;
        let passed_with_words = result.verdict.0 == Verdict::Pass && !claim.lines.is_empty();
        let claims = [
            (claim.basis != result.basis && !is_of_old, "basis"),
            (claim.program != result.program, "hash of a program part"),
            (claim.headroom != result.headroom, "use of tolerances"),
            (claim.signature != result.signature, "signature of a failure"),
            (claim.waiver != result.waiver, "waiver"),
            (passed_with_words, "account of a failure"),
            ((claim.milliseconds == 0) != is_skipped, "duration"),
        ];
        if let Some((_, what)) = claims.into_iter().find(|(differs, _)| *differs) {
            at(RejectionReason::Claim { run: run(), what })?;
        }
    }
    let (stated, counted) = (&statement.predicate.totals, totals(computed));
    if *stated != counted {
        let names: BTreeSet<&String> = stated.keys().chain(counted.keys()).collect();
        let name = names.into_iter().find(|name| stated.get(*name) != counted.get(*name));
        let name = name.map_or("", String::as_str);
        let number = |of: &BTreeMap<String, u64>| of.get(name).copied().unwrap_or_default();
        let what = format!("{} of {name}, and not {}", number(&counted), number(stated));
        Rejection::new(VerifierStep::Verdicts, RejectionReason::Totals { what })
            .in_file(STATEMENT)
            .refuse()?;
    }
    for (index, result) in computed.iter().enumerate() {
        if result.needs_waiver() && result.waiver.is_none() {
            let verdict = result.verdict.0.name().to_owned();
            reject(RejectionReason::NotPassed { run: Box::new(result.run.clone()), verdict })
                .at_line(index.saturating_add(1))
                .refuse()?;
        }
    }
    Ok(())
}
