//! Forged packages, each rejected for its own reason. The forger holds the submitter's key and mends every
//! hash, manifest, statement and log, so only the package's statements about the tests can reveal the forgery.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use hallmark_certification::challenge::Challenge;
use hallmark_certification::environment::Environment;
use hallmark_certification::lock::{Lock, LockedSkip};
use hallmark_certification::log::{self, LogEvent, LogLine, RunIdentity};
use hallmark_certification::results::{Basis, Headroom, Pass, ResultLine, RunKey, RunVerdict};
use hallmark_certification::subject::part_hash;
use hallmark_certification::verify::{Verifier, totals};
use hallmark_chip::{Architecture, FaultCategory};
use hallmark_package::{
    Blake3, CHALLENGE, CHALLENGE_SIGNATURE, ChallengeKind, Contents, ENVIRONMENT, EntryName, LOCK,
    Limits, MANIFEST, Package, PackageDraft, Predicate, RESULTS, RUN, Revoked, STATEMENT,
    SubjectKind, Timestamp, json,
};
use hallmark_pipeline::shard::Shard;
use hallmark_pipeline::verdict::Verdict;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_schema::commands::CreateBuffer;
use hallmark_schema::model::{
    BufferId, BufferLayout, BufferType, Capture, Command, ContentHash, DataFormat, DispatchMode,
    Expectation, Failure, FreeTensor, LineTableBytes, Outcome, RecordedCommand, TensorRole,
};
use hallmark_schema::{Golden, program_hash};
use hallmark_suite::discover::Root;
use hallmark_suite::language::DeviceKind;

use crate::common::{command, repository, text};
use crate::firmware_builds::{Build, builds};
use crate::roots::{part_of_the_repository, profile};

/// A few tests with kernels, tolerances and faults, a skipped one, and the second pass of those with seeded
/// data.
const PROFILE: &str = "profile: forged
edition: \"1\"
about: What forgers have to do with.
subjects: [simulator, firmware, metalium]
devices:
  - { architecture: wormhole_b0, kinds: [sim, ttsim] }
tests:
  suites:
    - dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0
    - language::expectations::tolerance
    - faults::memory::misaligned_jump
    - noc::multicast::wrong_count_hangs
waivers: { at_most: 1, longest: 180d }
";

/// The variable with the path of a package of [`PROFILE`] that another process made.
const MADE: &str = "HALLMARK_TEST_PACKAGE";

/// A root with the suites and the profile.
pub(crate) fn root() -> &'static Path {
    static ROOT: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
        let suites =
            ["dataflow/loopback", "language/expectations", "faults/memory", "noc/multicast"];
        let root = part_of_the_repository(&suites);
        profile(root.path(), "forged", PROFILE);
        root
    });
    ROOT.path()
}

/// Makes the package.
fn make() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (challenge, package) =
        (folder.path().join("challenge.json"), folder.path().join("x.hallmark"));
    let mut given = command(root());
    let given = given.args(["certify", "challenge", "-o"]).arg(&challenge).output().unwrap();
    assert!(given.status.success(), "{}", text(&given));
    // `signed.rs` has keys for a true signature.
    std::fs::write(folder.path().join("challenge.json.sig"), "a signature").unwrap();
    let mut made = command(root());
    let made = made.args(["certify", "forged", "--challenge"]).arg(&challenge);
    let made = made.arg("-o").arg(&package).output().unwrap();
    assert!(made.status.success(), "{}", text(&made));
    std::fs::read(&package).unwrap()
}

/// The genuine package.
fn package() -> &'static [u8] {
    static PACKAGE: LazyLock<Vec<u8>> = LazyLock::new(|| match std::env::var_os(MADE) {
        Some(path) => std::fs::read(path).unwrap(),
        None => make(),
    });
    &PACKAGE
}

/// The manifest of packed firmware.
pub(crate) const MANIFEST_OF_FIRMWARE: &str = "firmware/wormhole_b0/manifest.json";

/// The device name in a record of TT-Metalium.
const ON_METALIUM: &str = "TT-Metalium 0.81.1 on ttsim";

/// A package under the forger's hands.
#[derive(Clone)]
pub(crate) struct Forgery {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) predicate: Predicate,
    /// The verifier's lock, if it has one: the genuine lock, unless the forger deceives the verifier about it
    /// too.
    trusted: Option<Vec<u8>>,
    /// The verifier's own challenge, if the verifier gave one.
    given: Option<Vec<u8>>,
    /// Whether the logs are left to name another subject than the package.
    pub(crate) forgets_logs: bool,
}

impl Forgery {
    pub(crate) fn begin() -> Self {
        Self::of(package())
    }

    /// A package that another test made.
    pub(crate) fn of(package: &[u8]) -> Self {
        let package = Package::read(package, &Limits::default()).unwrap();
        let made = package.statement(Timestamp::now()).unwrap();
        let left_out = [MANIFEST, STATEMENT, CHALLENGE_SIGNATURE];
        let files = package.files().filter(|(name, _)| !left_out.contains(&name.as_str()));
        let files = files.map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        let trusted = package.file(LOCK).map(<[u8]>::to_vec);
        Self { files, predicate: made.predicate, trusted, given: None, forgets_logs: false }
    }

    /// Returns the package after mending everything that derives from its files.
    pub(crate) fn end(mut self) -> Vec<u8> {
        if !self.forgets_logs {
            self.mend_logs();
        }
        let mut draft = PackageDraft::new();
        for (name, bytes) in self.files {
            draft.add(EntryName::new(&name).unwrap(), Contents::Bytes(bytes)).unwrap();
        }
        let mut bytes = Vec::new();
        draft.write(self.predicate, &mut bytes).unwrap();
        bytes
    }

    /// Has each log name the package's subject, if the logs and the environment can be read.
    fn mend_logs(&mut self) {
        let whole = log::read_all(&self.files[RUN]).is_ok_and(|logs| !logs.is_empty());
        let environment = json::read::<Environment>(&self.files[ENVIRONMENT]);
        let (true, Ok(environment)) = (whole, environment) else { return };
        let lines = json::read_lines::<LogLine>(&self.files[RUN]);
        let kind = self.predicate.subject.kind;
        let parts = environment.devices.iter().map(|(architecture, device)| {
            let folder = format!("firmware/{architecture}/");
            let files = self.files.iter();
            let files = files.filter_map(|(name, bytes)| {
                Some((name.strip_prefix(folder.as_str())?, bytes.as_slice()))
            });
            let bundle = FirmwareBundle::of_files(&files.collect(), *architecture).ok();
            (*architecture, part_hash(kind, device, bundle.as_ref()))
        });
        let parts: BTreeMap<Architecture, ContentHash> = parts.collect();
        let executor = ContentHash([1; 32]);
        let events = lines.unwrap().into_iter().map(|line| match line.event {
            LogEvent::Begin(identity) => LogEvent::Begin(RunIdentity {
                executors: parts.keys().map(|architecture| (*architecture, executor)).collect(),
                subjects: parts.clone(),
                ..identity
            }),
            other => other,
        });
        self.log(events.collect());
    }

    pub(crate) fn read<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        file: &str,
    ) -> Vec<T> {
        json::read_lines(&self.files[file]).unwrap()
    }

    pub(crate) fn write(&mut self, file: &str, bytes: Vec<u8>) {
        self.files.insert(file.to_owned(), bytes);
    }

    /// Replaces a text in a text file.
    pub(crate) fn replace(&mut self, file: &str, old: &str, new: &str) {
        let before = String::from_utf8(self.files[file].clone()).unwrap();
        assert!(before.contains(old), "{file} holds no {old}");
        self.write(file, before.replacen(old, new, 1).into_bytes());
    }

    /// Changes results, and writes the log and the totals that match them.
    pub(crate) fn results(&mut self, change: impl FnOnce(&mut Vec<ResultLine>)) {
        let mut results: Vec<ResultLine> = self.read(RESULTS);
        change(&mut results);
        self.predicate.totals = totals(&results);
        self.write(RESULTS, json::write_lines(&results).unwrap());
        let ended = ended(results);
        let begin = self.read::<LogLine>(RUN).remove(0).event;
        self.log(std::iter::once(begin).chain(ended).collect());
    }

    /// Changes the first result.
    fn result(&mut self, change: impl FnOnce(&mut ResultLine)) {
        self.results(|results| change(&mut results[0]));
    }

    fn verdict(&mut self, verdict: Verdict) {
        self.result(|result| result.verdict = RunVerdict(verdict));
    }

    /// Claims that everything ran on a misbehaving device.
    fn misbehaving(&mut self) {
        const NAME: &str = "misbehaving";
        self.replace(ENVIRONMENT, "\"device\":\"sim\"", "\"device\":\"misbehaving\"");
        self.predicate.subject.name = NAME.to_owned();
        self.ran_on(NAME);
    }

    /// Sets the device name in the records of all captures.
    fn ran_on(&mut self, device: &str) {
        self.captures(|capture| {
            capture.record.as_mut().unwrap().chip.device = device.to_owned();
        });
    }

    /// Changes all captures, and the results' hashes of their programs.
    pub(crate) fn captures(&mut self, change: impl Fn(&mut Capture)) {
        let results: Vec<ResultLine> = self.read(RESULTS);
        let used = results.iter().flat_map(|it| [it.capture, it.replay]).flatten();
        let used: BTreeSet<ContentHash> = used.collect();
        let renamed: BTreeMap<ContentHash, (ContentHash, ContentHash)> = used
            .into_iter()
            .map(|old| {
                let file = EntryName::capture(&Blake3::from_bytes(old.0));
                let bytes = self.files.remove(file.as_str()).unwrap();
                let mut capture = Capture::from_bytes(&bytes).unwrap();
                change(&mut capture);
                let program = program_hash(&capture.program).unwrap();
                let bytes = capture.to_bytes().unwrap();
                let new = ContentHash::of(&bytes);
                self.write(EntryName::capture(&Blake3::from_bytes(new.0)).as_str(), bytes);
                (old, (new, program))
            })
            .collect();
        self.results(|results| {
            for result in results {
                result.program = result.capture.map(|hash| renamed[&hash].1).or(result.program);
                let named = [&mut result.capture, &mut result.replay].into_iter().flatten();
                named.for_each(|hash| *hash = renamed[&*hash].0);
            }
        });
    }

    /// Claims that everything ran on TT-Metalium, where the test that the simulator skips hangs.
    fn on_metalium(&mut self) {
        let lock = Lock::read(&self.files[LOCK]).unwrap();
        let (sim, metalium) =
            (r#""device":"sim","metalium":null"#, r#""device":"ttsim","metalium":"0.81.1""#);
        self.replace(ENVIRONMENT, sim, metalium);
        let hash = "ab".repeat(32);
        let no_library = r#""library":null,"library_hash":null"#;
        let library = format!(r#""library":"libttsim.so","library_hash":"{hash}""#);
        self.replace(ENVIRONMENT, no_library, &library);
        self.predicate.subject.hash = Some(hash.parse().unwrap());
        self.predicate.subject.kind = SubjectKind::Metalium;
        self.predicate.subject.name = "TT-Metalium 0.81.1".to_owned();
        self.results(|results| {
            for result in results {
                result.run.device = DeviceKind::Ttsim;
                let skips = &lock.test(&result.run.test).unwrap().skips;
                match skips.iter().find(|skip| skip.device == DeviceKind::Ttsim) {
                    Some(skip) => {
                        let reason = skip.reason.clone();
                        result.verdict = RunVerdict(Verdict::Skipped { reason });
                        result.basis = Basis::Recomputed;
                        (result.capture, result.replay, result.program) = (None, None, None);
                        result.headroom.clear();
                        result.milliseconds = 0;
                    }
                    None => {
                        if matches!(result.verdict.0, Verdict::Skipped { .. }) {
                            result.verdict = RunVerdict(Verdict::Hang);
                            result.milliseconds = 1;
                        }
                        result.basis = Basis::Asserted;
                    }
                }
            }
        });
        self.drop_unused();
    }

    /// Removes the captures that no result names.
    pub(crate) fn drop_unused(&mut self) {
        let results: Vec<ResultLine> = self.read(RESULTS);
        let used = results.iter().flat_map(|it| [it.capture, it.replay]).flatten();
        let used: BTreeSet<String> =
            used.map(|hash| EntryName::capture(&Blake3::from_bytes(hash.0)).to_string()).collect();
        self.files.retain(|name, _| !name.starts_with("captures/") || used.contains(name));
    }

    /// The names of the blobs to which a capture refers.
    pub(crate) fn blobs_of(&self, capture: ContentHash) -> Vec<String> {
        let file = EntryName::capture(&Blake3::from_bytes(capture.0));
        let capture = Capture::from_bytes(&self.files[file.as_str()]).unwrap();
        let reads = capture.record.iter().flat_map(|record| &record.reads).map(|read| read.hash);
        let hashes = capture.missing_blobs().into_iter().chain(reads);
        hashes.map(|hash| EntryName::blob(&Blake3::from_bytes(hash.0)).to_string()).collect()
    }

    /// Gives the first result another verdict, one without captures in the package.
    fn without_captures(&mut self, verdict: Verdict) {
        let mut dropped = Vec::new();
        self.results(|results| {
            let result = &mut results[0];
            result.verdict = RunVerdict(verdict);
            result.basis = Basis::Asserted;
            dropped.extend([result.capture.take(), result.replay.take()].into_iter().flatten());
            let used = |hash: &ContentHash| {
                let named = results.iter().flat_map(|it| [it.capture, it.replay]).flatten();
                named.into_iter().any(|other| other == *hash)
            };
            dropped.retain(|hash| !used(hash));
        });
        for hash in dropped {
            self.files.remove(EntryName::capture(&Blake3::from_bytes(hash.0)).as_str());
        }
    }

    /// Writes a log of these events. Each line holds the hash of the line before.
    fn log(&mut self, events: Vec<LogEvent>) {
        let mut log = Vec::new();
        let mut before = ContentHash([0; 32]);
        for event in events {
            if matches!(event, LogEvent::Begin(_)) {
                before = ContentHash([0; 32]);
            }
            let line = json::write(&LogLine { before, event }).unwrap();
            before = ContentHash::of(&line);
            log.extend(line);
        }
        self.write(RUN, log);
    }

    /// Turns the package into a merge of two shards, changes the content of their logs, and writes the logs.
    fn merged(&mut self, change: impl FnOnce(&mut [(RunIdentity, Vec<ResultLine>); 2])) {
        let LogEvent::Begin(identity) = self.read::<LogLine>(RUN).remove(0).event else {
            panic!("the log begins")
        };
        let results: Vec<ResultLine> = self.read(RESULTS);
        let mut logs = ["1/2", "2/2"].map(|shard| {
            let shard: Shard = shard.parse().unwrap();
            let identity = RunIdentity { shard: Some(shard), ..identity.clone() };
            (identity, shard.of(results.clone()))
        });
        change(&mut logs);
        let mut all = Vec::new();
        for (identity, results) in logs {
            self.log(std::iter::once(LogEvent::Begin(identity)).chain(ended(results)).collect());
            all.extend_from_slice(&self.files[RUN]);
        }
        self.write(RUN, all);
    }

    /// Changes the events of the log.
    pub(crate) fn events(&mut self, change: impl FnOnce(&mut Vec<LogEvent>)) {
        let mut events = self.read::<LogLine>(RUN).into_iter().map(|line| line.event).collect();
        change(&mut events);
        self.log(events);
    }

    /// Replaces the bytes of a test's capture, and of its replay if the two are equal.
    fn capture_file(&mut self, test: &str, change: impl FnOnce(Capture) -> Vec<u8>) {
        let results: Vec<ResultLine> = self.read(RESULTS);
        let of_test = |result: &&ResultLine| result.run.test.to_string().contains(test);
        let old = results.iter().find(of_test).unwrap().clone();
        let old_hash = old.capture.unwrap();
        let old_name = EntryName::capture(&Blake3::from_bytes(old_hash.0));
        let capture = Capture::from_bytes(&self.files.remove(old_name.as_str()).unwrap()).unwrap();
        let bytes = change(capture);
        let hash = ContentHash::of(&bytes);
        self.write(EntryName::capture(&Blake3::from_bytes(hash.0)).as_str(), bytes);
        self.results(|results| {
            for result in results {
                let named = [&mut result.capture, &mut result.replay].into_iter().flatten();
                named.filter(|name| **name == old_hash).for_each(|name| *name = hash);
            }
        });
    }

    /// Changes the capture of a test.
    fn capture_of(&mut self, test: &str, change: impl FnOnce(&mut Capture)) {
        let mut hash = None;
        self.capture_file(test, |mut capture| {
            change(&mut capture);
            // No valid capture says of the end of its queues what a call broke off.
            let breaks_off = capture.program.commands.iter().any(|made| made.outcome.breaks_off());
            if let Some(record) = capture.record.as_mut().filter(|_| breaks_off) {
                record.at_end = None;
            }
            hash = program_hash(&capture.program).ok();
            capture.to_bytes().unwrap()
        });
        self.results(|results| {
            let own = results.iter_mut().find(|result| result.run.test.to_string().contains(test));
            own.unwrap().program = hash;
        });
    }

    /// Changes the first capture of the test with a kernel.
    fn capture(&mut self, change: impl FnOnce(&mut Capture)) {
        self.capture_of("one_core", change);
    }

    /// Changes a call of the test with a kernel.
    fn call(&mut self, change: impl FnMut(&mut RecordedCommand) -> bool) {
        self.capture(|capture| assert!(capture.program.commands.iter_mut().any(change)));
    }

    /// Gives the first result a replay that differs from its capture in the result of the first read.
    fn other_replay(&mut self) {
        let first: ResultLine = self.read::<ResultLine>(RESULTS).remove(0);
        let own = EntryName::capture(&Blake3::from_bytes(first.capture.unwrap().0));
        let mut replay = Capture::from_bytes(&self.files[own.as_str()]).unwrap();
        let read = &mut replay.record.as_mut().unwrap().reads[0];
        let wrong = vec![0xa5; usize::try_from(read.length).unwrap()];
        read.hash = ContentHash::of(&wrong);
        replay.outputs[0].hash = read.hash;
        self.blob(wrong);
        let bytes = replay.to_bytes().unwrap();
        let hash = ContentHash::of(&bytes);
        self.write(EntryName::capture(&Blake3::from_bytes(hash.0)).as_str(), bytes);
        self.result(|result| result.replay = Some(hash));
    }

    /// Claims a test of firmware, and packs the built-in bundle under another name.
    fn on_built_in_firmware(&mut self) {
        let bundle = repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0");
        self.on_firmware(&bundle, "build 2.0");
    }

    /// Claims a test of another firmware build that never ran.
    fn on_another_firmware(&mut self) {
        let builds = builds(&[Build::Sound]);
        self.on_firmware(&builds.path().join("1.1"), "build 0");
    }

    /// Claims a test of firmware, and packs a bundle under a name.
    fn on_firmware(&mut self, bundle: &Path, name: &str) {
        self.pack_firmware(bundle);
        let manifest = String::from_utf8(self.files[MANIFEST_OF_FIRMWARE].clone()).unwrap();
        let manifest = manifest.replace("\"hallmark-1\"", &format!("\"{name}\""));
        self.write(MANIFEST_OF_FIRMWARE, manifest.into_bytes());
        self.predicate.subject.kind = SubjectKind::Firmware;
        self.claim_firmware();
    }

    /// Packs the files of a bundle instead of those that the package holds.
    pub(crate) fn pack_firmware(&mut self, bundle: &Path) {
        self.files.retain(|name, _| !name.starts_with("firmware/"));
        for entry in std::fs::read_dir(bundle).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            self.write(&format!("firmware/wormhole_b0/{file}"), std::fs::read(&path).unwrap());
        }
    }

    /// Claims what the packed firmware says of itself, in each capture, too.
    pub(crate) fn claim_firmware_in_captures(&mut self) {
        let (hash, name) = self.claim_firmware();
        self.captures(|capture| {
            let firmware = &mut capture.record.as_mut().unwrap().firmware;
            (firmware.hash, firmware.name) = (hash, name.clone());
        });
    }

    /// Claims what the packed firmware says of itself; returns its hash and its name.
    pub(crate) fn claim_firmware(&mut self) -> (ContentHash, String) {
        let packed = self.files.iter().filter_map(|(file, bytes)| {
            Some((file.strip_prefix("firmware/wormhole_b0/")?, bytes.as_slice()))
        });
        let bundle = FirmwareBundle::of_files(&packed.collect(), Architecture::WormholeB0).unwrap();
        self.predicate.subject.name = format!("firmware {}", bundle.manifest().name);
        self.predicate.subject.hash = Some(Blake3::from_bytes(bundle.hash().0));
        (bundle.hash(), bundle.manifest().name.clone())
    }

    /// Changes the result of the first read of a test.
    fn wrong_read(&mut self, test: &str) {
        let mut wrong = Vec::new();
        self.capture_of(test, |capture| {
            let record = capture.record.as_mut().unwrap();
            let read = &mut record.reads[0];
            wrong = vec![0xa5; usize::try_from(read.length).unwrap()];
            let old = std::mem::replace(&mut read.hash, ContentHash::of(&wrong));
            let new = read.hash;
            let output = capture.outputs.iter_mut().find(|output| output.hash == old);
            output.unwrap().hash = new;
        });
        self.blob(wrong);
    }

    pub(crate) fn blob(&mut self, bytes: Vec<u8>) {
        self.write(EntryName::blob(&Blake3::of(&bytes)).as_str(), bytes);
    }

    /// Changes the lock and everything that names its hash. The verifier gets this lock.
    fn lock(&mut self, change: impl FnOnce(&mut Lock)) {
        let mut lock = Lock::read(&self.files[LOCK]).unwrap();
        change(&mut lock);
        let bytes = lock.to_bytes().unwrap();
        self.predicate.profile.lock = Blake3::of(&bytes);
        let hash = ContentHash::of(&bytes);
        self.trusted = Some(bytes.clone());
        self.write(LOCK, bytes);
        self.events(|events| {
            let LogEvent::Begin(identity) = &mut events[0] else { panic!("the log begins") };
            identity.lock = hash;
        });
    }

    /// Changes the challenge and everything that names its hash.
    pub(crate) fn challenge(&mut self, change: impl FnOnce(&mut Challenge)) {
        let mut challenge = Challenge::read(&self.files[CHALLENGE]).unwrap();
        change(&mut challenge);
        let bytes = challenge.to_bytes().unwrap();
        let claim = self.predicate.challenge.as_mut().unwrap();
        (claim.hash, claim.kind) = (Blake3::of(&bytes), challenge.by);
        let hash = ContentHash::of(&bytes);
        self.write(CHALLENGE, bytes);
        self.events(|events| {
            let LogEvent::Begin(identity) = &mut events[0] else { panic!("the log begins") };
            identity.challenge = Some(hash);
        });
    }

    /// Writes a waiver of the loopback test.
    pub(crate) fn waiver(&mut self, old: &str, new: &str) {
        let text = "waiver: W-1\ntests: [dataflow]\nmatches: 1\nverdict: Mismatch\nreason: known\n\
                    issue: https://example.org/1\nfrom: 2026-11-01\nuntil: 2027-01-01\n\
                    approved: reviewer@example.org\n";
        assert!(text.contains(old));
        self.write("waivers/W-1.yaml", text.replacen(old, new, 1).into_bytes());
    }
}

/// The ends of runs in a log, each as much later as it is said to have taken.
fn ended(results: Vec<ResultLine>) -> impl Iterator<Item = LogEvent> {
    const HOUR: u64 = 60 * 60 * 1000;
    results.into_iter().scan(0_u64, |now, result| {
        *now += result.milliseconds.clamp(1, HOUR);
        let result = Box::new(ResultLine { waiver: None, ..result });
        Some(LogEvent::Ended { at: *now, result })
    })
}

/// The end of a run as if it had failed, and the run.
pub(crate) fn failed_before(event: &LogEvent) -> (LogEvent, Vec<RunKey>) {
    let LogEvent::Ended { at, result } = event else { panic!("a run ended") };
    let verdict = RunVerdict(Verdict::Mismatch);
    let failed = ResultLine { verdict, ..ResultLine::clone(result) };
    (LogEvent::Ended { at: *at, result: Box::new(failed) }, vec![result.run.clone()])
}

/// The reason for which a verifier with this repository's suites rejects a package.
fn verify(forgery: Forgery) -> Result<(), String> {
    let root = Root::at(root()).unwrap();
    let (trusted, given) = (forgery.trusted.clone(), forgery.given.clone());
    let bytes = forgery.end();
    let package = Package::read(&bytes, &Limits::default()).map_err(|error| error.to_string())?;
    let verifier = Verifier {
        root: &root,
        signers: None,
        revoked: &Revoked::default(),
        profile: None,
        lock: trusted.as_deref(),
        challenge: given.as_deref(),
        at: Timestamp::now(),
        accepts_drafts: false,
        accepts_shards: false,
        jobs: 1,
        listener: None,
    };
    verifier.verify(&package).map(drop).map_err(|rejection| rejection.to_string())
}

/// The expectation of a read, if the call is one.
fn expectation(recorded: &mut RecordedCommand) -> Option<&mut Expectation> {
    match &mut recorded.command {
        Command::EnqueueReadBuffer(read) => Some(&mut read.expectation),
        _ => None,
    }
}

/// Whether a call writes data. If so, changes the data.
fn reseeded(recorded: &mut RecordedCommand) -> bool {
    let Command::EnqueueWriteBuffer(write) = &mut recorded.command else { return false };
    write.blocking = !write.blocking;
    true
}

/// Declares an output of an unused buffer, as if the capture were a binary.
pub(crate) fn declare_output(capture: &mut Capture) {
    let commands = &mut capture.program.commands;
    let made = commands.iter().filter(|it| matches!(it.command, Command::CreateBuffer(_)));
    let buffer = BufferId(u32::try_from(made.count()).unwrap());
    commands.push(RecordedCommand {
        command: Command::CreateBuffer(CreateBuffer {
            buffer,
            name: "free".to_owned(),
            size: 64,
            page_size: 64,
            buffer_type: BufferType::Dram,
            layout: BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        }),
        outcome: Outcome::Done,
    });
    capture.program.free_tensors.push(FreeTensor {
        role: TensorRole::Output,
        name: "out".to_owned(),
        buffer,
        shape: vec![16],
        data_format: DataFormat::UInt32,
        tile: None,
    });
}

/// Replaces the first expectation.
fn expects(forgery: &mut Forgery, other: Expectation) {
    forgery.call(|recorded| {
        expectation(recorded).map(|expectation| *expectation = other.clone()).is_some()
    });
}

/// Changes the outcome of the call that met the fault in the faulting test.
fn outcome_of_fault(forgery: &mut Forgery, outcome: impl Fn(&Failure) -> Outcome) {
    forgery.capture_of("misaligned_jump", |capture| {
        let met = capture.record.as_ref().unwrap().faults[0].command();
        let recorded = &mut capture.program.commands[met.0 as usize];
        let Outcome::Failed(failure) = recorded.outcome.clone() else { panic!("it failed") };
        recorded.outcome = outcome(&failure);
        if recorded.outcome == Outcome::Done {
            capture.record.as_mut().unwrap().expected_faults.clear();
        }
    });
}

/// A forgery: its name, the change to the package, and the words of the reason.
type Row = (&'static str, fn(&mut Forgery), &'static str);

#[rustfmt::skip] // A forgery a line.
const SHARD_FORGERIES: &[Row] = &[
    ("one shard alone", |it| it.events(|all| { let LogEvent::Begin(identity) = &mut all[0] else { return }; identity.shard = "1/2".parse().ok(); }), "is of shard 1/2 alone"),
    ("a shard twice", |it| it.merged(|[one, two]| two.0.shard = one.0.shard), "neither of one run nor of each shard once"),
    ("shards in another order", |it| it.merged(|logs| logs.reverse()), "neither of one run nor of each shard once"),
    ("a shard is missing", |it| it.merged(|[one, two]| { one.0.shard = "1/3".parse().ok(); two.0.shard = "2/3".parse().ok(); }), "neither of one run nor of each shard once"),
    ("shards of other numbers", |it| it.merged(|[_, two]| two.0.shard = "2/3".parse().ok()), "neither of one run nor of each shard once"),
    ("a whole run behind a shard", |it| it.merged(|[_, two]| two.0.shard = None), "neither of one run nor of each shard once"),
    ("another shard's run", |it| it.merged(|[one, two]| std::mem::swap(&mut one.1[0], &mut two.1[0])), "the log is of another shard"),
    ("a run in two shards", |it| it.merged(|[one, two]| two.1.push(one.1[0].clone())), "another line has a result of"),
    ("a run in no shard", |it| it.merged(|[_, two]| drop(two.1.pop())), "the log has another result of"),
    ("a shard of another lock", |it| it.merged(|[_, two]| two.0.lock = ContentHash([7; 32])), "the log is of another lock"),
    ("a shard of another subject", |it| { it.merged(|[_, two]| two.0.subjects.values_mut().for_each(|part| *part = ContentHash([7; 32]))); it.forgets_logs = true; }, "the log is of another subject"),
    ("executors of another architecture", |it| { it.events(|events| { let LogEvent::Begin(identity) = &mut events[0] else { panic!() }; identity.executors = [(Architecture::Blackhole, ContentHash([7; 32]))].into(); }); it.forgets_logs = true; }, "the log is of another subject"),
    ("a shard of another challenge", |it| it.merged(|[_, two]| two.0.challenge = None), "the log is of another challenge"),
];

#[rustfmt::skip] // A forgery a line.
const RESULT_FORGERIES: &[Row] = &[
    ("a result is missing", |it| it.results(|all| drop(all.remove(0))), "there is no result of"),
    ("a failure, then a pass", |it| it.results(|all| { let mut failed = all[0].clone(); failed.verdict = RunVerdict(Verdict::Mismatch); all.insert(0, failed); }), "another line has a result of"),
    ("the same result twice", |it| it.results(|all| all.insert(0, all[0].clone())), "another line has a result of"),
    ("results in another order", |it| it.results(|all| all.reverse()), "does not come after the result before it"),
    ("name of another chip", |it| it.results(|all| { all[0].run.test.architecture = hallmark_chip::Architecture::Blackhole; all.sort_by(|one, other| one.run.cmp(&other.run)); }), "does not demand blackhole"),
    ("skipped without a reason", |it| it.verdict(Verdict::Skipped { reason: String::new() }), "says that it is skipped"),
    ("skipped with a reason", |it| it.verdict(Verdict::Skipped { reason: "no time".to_owned() }), "says that it is skipped"),
    ("unsupported", |it| it.verdict(Verdict::Unsupported), "claimed to be Unsupported, and the captures say Pass"),
    ("worse than it was", |it| it.verdict(Verdict::Mismatch), "claimed to be Mismatch, and the captures say Pass"),
    ("expected failure", |it| it.verdict(Verdict::ExpectedFailure { reason: "known".to_owned() }), "claimed to be ExpectedFailure (known), and the captures say Pass"),
    ("interrupted", |it| it.verdict(Verdict::Interrupted), "claimed to be Interrupted"),
    ("unknown verdict", |it| it.replace(RESULTS, "\"name\":\"Pass\"", "\"name\":\"Clean\""), "results.jsonl, line 1: `Clean` is no verdict"),
    ("a second attempt", |it| it.results(|all| { let mut again = all[0].clone(); again.run.repeat = 2; all.insert(1, again); all.sort_by(|one, other| one.run.cmp(&other.run)); }), "does not demand"),
    ("another mask", |it| it.results(|all| { all[0].run.harvesting = 1; all.sort_by(|one, other| one.run.cmp(&other.run)); }), "does not demand"),
    ("another dispatch", |it| it.results(|all| { all[0].run.dispatch = DispatchMode::Device; all.sort_by(|one, other| one.run.cmp(&other.run)); }), "does not demand"),
    ("another seed", |it| it.results(|all| { all[0].run.schedule_seed = 7; all.sort_by(|one, other| one.run.cmp(&other.run)); }), "does not demand"),
    ("two kinds of device", |it| it.results(|all| { all[0].run.device = DeviceKind::Ttsim; all.sort_by(|one, other| one.run.cmp(&other.run)); }), "several kinds of device"),
    ("totals", |it| { it.predicate.totals.insert("Pass".to_owned(), 99); }, "other totals than the results have: 6 of Pass, and not 99"),
    ("chain broken", |it| it.replace(RUN, "\"at\":", "\"at\":1"), "it does not follow the line before it"),
    ("log reordered", |it| { let text = String::from_utf8(it.files[RUN].clone()).unwrap(); let mut lines: Vec<&str> = text.split_inclusive('\n').collect(); lines.swap(1, 2); it.write(RUN, lines.concat().into_bytes()); }, "it does not follow the line before it"),
    ("log of another lock", |it| it.events(|events| { let LogEvent::Begin(identity) = &mut events[0] else { panic!() }; identity.lock = ContentHash([1; 32]); }), "the log is of another lock"),
    ("log of another challenge", |it| it.events(|events| { let LogEvent::Begin(identity) = &mut events[0] else { panic!() }; identity.challenge = None; }), "the log is of another challenge"),
    ("log without an end", |it| it.replace(RUN, "\n", "\n{"), "run.jsonl, line 2"),
    ("time backwards", |it| it.events(|events| { if let LogEvent::Ended { at, .. } = &mut events[1] { *at = u64::MAX; } }), "the log's time runs backwards"),
    ("a result that the log lacks", |it| it.events(|events| drop(events.pop())), "the log has another result of"),
    ("a failure that ran anew, and no result of it", |it| it.events(|events| { let (end, runs) = failed_before(&events[1]); events[1] = end; events.insert(2, LogEvent::Again { at: 0, runs }); }), "the log's time runs backwards"),
    ("a pass that ran anew", |it| it.events(|events| { let (_, runs) = failed_before(&events[1]); events.insert(2, LogEvent::Again { at: 1 << 20, runs }); }), "no line before has a failure of it"),
    ("a result that only the log has", |it| it.events(|events| { let mut more = events[1].clone(); if let LogEvent::Ended { result, .. } = &mut more { result.run.repeat = 9; } events.insert(1, more); }), "the log has another result of"),
    ("a run of years", |it| it.events(|events| { if let Some(LogEvent::Ended { at, .. }) = events.last_mut() { *at = u64::MAX; } }), "takes 18446744073709551615 ms, which is longer than a year"),
    ("a test of years", |it| it.result(|result| result.milliseconds = u64::MAX), "is said to take longer than the whole run"),
    ("no duration", |it| it.result(|result| result.milliseconds = 0), "another duration"),
    ("another test's capture", |it| it.results(|all| { let other = all.iter().rev().find_map(|it| it.capture); (all[0].capture, all[0].replay) = (other, other); }), "no result refers to this file"),
    ("a capture of two tests", |it| { let first: ResultLine = it.read(RESULTS).remove(0); let own = EntryName::capture(&Blake3::from_bytes(first.capture.unwrap().0)); it.files.remove(own.as_str()); it.results(|all| { let other = all.iter().rev().find_map(|it| it.capture); (all[0].capture, all[0].replay) = (other, other); }); }, "is not of its test"),
    ("no capture", |it| it.result(|result| result.capture = None), "names no capture"),
    ("a blob of nobody", |it| it.blob(b"nobody".to_vec()), "blobs/"),
    ("the built-in firmware under another name", Forgery::on_built_in_firmware, "is the built-in one, whatever its manifest says"),
    ("firmware on which nothing ran", Forgery::on_another_firmware, "the firmware"),
    ("a replay that reads otherwise", Forgery::other_replay, "does not repeat its capturing run: `out` differs"),
    ("no replay", |it| it.result(|result| result.replay = None), "names no capture of a replay"),
    ("a mismatch without captures", |it| it.without_captures(Verdict::Mismatch), "names no capture"),
    ("a change without captures", |it| it.without_captures(Verdict::Changed), "names no capture"),
    ("a fault without captures", |it| it.without_captures(Verdict::Fault), "names no capture"),
    ("unsupported without a replay", |it| it.result(|result| { result.verdict = RunVerdict(Verdict::Unsupported); result.replay = None; result.basis = Basis::Asserted; }), "did not pass (Unsupported), and no waiver"),
    ("a skip with a capture", |it| it.results(|all| { let capture = all[0].capture; let skip = all.iter_mut().find(|it| matches!(it.verdict.0, Verdict::Skipped { .. })).unwrap(); skip.capture = capture; }), "is said to be skipped, and its result has captures"),
    ("a replay without a capture", |it| it.result(|result| { result.verdict = RunVerdict(Verdict::Crash); result.capture = None; }), "names no capture"),
    ("mismatch without a replay", |it| it.result(|result| { result.verdict = RunVerdict(Verdict::Mismatch); result.replay = None; }), "claimed to be Mismatch, and the captures say Pass"),
    ("another basis", |it| it.result(|result| result.basis = Basis::Recomputed), "another basis"),
    ("another program part", |it| it.result(|result| result.program = Some(ContentHash([1; 32]))), "another hash of a program part"),
    ("no use of tolerances", |it| it.results(|all| all.iter_mut().for_each(|result| result.headroom.clear())), "another use of tolerances"),
    ("a use of tolerances", |it| it.result(|result| result.headroom.push(Headroom { output: "out".to_owned(), used: 1 })), "another use of tolerances"),
    ("an account of a pass", |it| it.result(|result| result.lines.push("<script>".to_owned())), "another account of a failure"),
    ("a waiver that is not there", |it| it.results(|all| all[0].waiver = Some("W-1".to_owned())), "another waiver"),
];

#[rustfmt::skip] // A forgery a line.
const CAPTURE_FORGERIES: &[Row] = &[
    ("bit flip", |it| it.capture_file("one_core", |capture| { let mut bytes = capture.to_bytes().unwrap(); bytes[100] ^= 1; bytes }), "is none"),
    ("no capture", |it| it.capture_file("one_core", |_| b"HLMK".to_vec()), "is none"),
    ("digest golden", |it| it.capture_file("one_core", |capture| Golden::of(&capture, true).unwrap().to_bytes().unwrap()), "is none"),
    ("embedded blobs", |it| it.capture(|capture| drop(capture.blobs.insert(ContentHash::of(b"x"), b"x".to_vec().into()))), "has other bytes"),
    ("no record", |it| it.capture(|capture| { capture.record = None; }), "does not say where it ran"),
    ("another call", |it| it.call(reseeded), "is another enqueue_write_buffer than that of line"),
    ("a call more", |it| it.capture(|capture| { let last = capture.program.commands.last().unwrap().clone(); capture.program.commands.push(last); }), "calls, and the test has"),
    ("another grid", |it| it.capture(|capture| capture.program.grid.rows -= 1), "the grid"),
    ("an output that is free", |it| it.capture(declare_output), "the list of inputs and outputs"),
    ("placement bound", |it| it.capture(|capture| capture.program.placement_bound = true), "the captures say Changed"),
    ("Exact to Unchecked", |it| expects(it, Expectation::Unchecked { reason: "it varies".to_owned() }), "is another enqueue_read_buffer"),
    ("Exact to AsCaptured", |it| expects(it, Expectation::AsCaptured), "is another enqueue_read_buffer"),
    ("tolerance widened", |it| it.capture_of("tolerance", |capture| capture.program.commands.iter_mut().filter_map(expectation).for_each(|expectation| if let Expectation::Reference { tolerance, .. } = expectation { tolerance.ulp += 1; })), "is another enqueue_read_buffer"),
    ("another reference", |it| it.capture_of("tolerance", |capture| { let written = capture.program.commands.iter().find_map(|it| match &it.command { Command::EnqueueWriteBuffer(write) => Some(write.data.clone()), _ => None }).unwrap(); capture.program.commands.iter_mut().filter_map(expectation).for_each(|expectation| if let Expectation::Reference { data, .. } = expectation { *data = written.clone(); }); }), "is another enqueue_read_buffer"),
    ("source swapped", |it| { it.capture(|capture| capture.program.sources[0].hash = ContentHash::of(b"another source")); it.blob(b"another source".to_vec()); }, "is not the test's"),
    ("blob absent", |it| { let blob = it.files.keys().find(|name| name.starts_with("blobs/")).unwrap().clone(); it.files.remove(&blob); }, "is not in the package"),
    ("wrong read", |it| it.wrong_read("one_core"), "is claimed to be Pass, and the captures say Mismatch"),
    ("out of tolerance", |it| it.wrong_read("tolerance"), "is claimed to be Pass, and the captures say Mismatch"),
    ("unfinished", |it| it.capture(|capture| capture.program.commands.last_mut().unwrap().outcome = Outcome::Unfinished), "is claimed to be Pass, and the captures say Crash"),
    ("another fault", |it| outcome_of_fault(it, |failure| Outcome::Failed(match failure { Failure::DeviceFault { enqueue, .. } => Failure::DeviceFault { category: FaultCategory::DataRace, enqueue: *enqueue }, other => other.clone() })), "a fault of command"),
    ("a fault whose call is done", |it| outcome_of_fault(it, |_| Outcome::Done), "a fault of command"),
    ("a fault that nobody expected", |it| it.capture_of("misaligned_jump", |capture| capture.record.as_mut().unwrap().expected_faults.clear()), "other faults than the test's"),
    ("firmware name", |it| it.capture(|capture| capture.record.as_mut().unwrap().firmware.name = "build 1.1".to_owned()), "the firmware's name"),
    ("firmware hash", |it| it.capture(|capture| capture.record.as_mut().unwrap().firmware.hash = ContentHash([1; 32])), "the firmware"),
    ("launch ABI", |it| it.capture(|capture| capture.record.as_mut().unwrap().firmware.launch_abi += 1), "the launch ABI"),
    ("device kind", |it| it.capture(|capture| capture.record.as_mut().unwrap().chip.device = "pci:0".to_owned()), "the device is \"pci:0\""),
    ("PCI id", |it| it.capture(|capture| capture.record.as_mut().unwrap().chip.pci_id ^= 1), "the chip's PCI id"),
    ("dispatch", |it| it.capture(|capture| capture.record.as_mut().unwrap().dispatch_mode = DispatchMode::Device), "who launched programs"),
    ("asked of the device", |it| it.capture(|capture| capture.record.as_mut().unwrap().asked.dispatch.overlap = true), "what was asked of the device"),
    ("budget", |it| it.capture(|capture| capture.record.as_mut().unwrap().asked.budget = Some(1)), "what was asked of the device"),
    ("writer", |it| it.capture(|capture| capture.record.as_mut().unwrap().writer = "hallmark 9.9.9".to_owned()), "the writer is \"hallmark 9.9.9\""),
    ("schema hash", |it| it.capture(|capture| capture.record.as_mut().unwrap().schema_hash = ContentHash([1; 32])), "the schema"),
    ("ELF of nobody", |it| { it.capture(|capture| capture.record.as_mut().unwrap().elfs[0].hash = ContentHash::of(b"another ELF")); it.blob(b"another ELF".to_vec()); }, "ran other kernels than the test's"),
    ("another line table", |it| it.capture(|capture| capture.record.as_mut().unwrap().elfs[0].lines = [1_u8, 2, 3].as_slice().into()), "has another line table on processor"),
    ("no line table", |it| it.capture(|capture| capture.record.as_mut().unwrap().elfs[0].lines = LineTableBytes::default()), "has another line table on processor"),
    ("no ELF", |it| it.capture(|capture| capture.record.as_mut().unwrap().elfs.clear()), "nothing says as what kernel"),
    ("address", |it| it.capture(|capture| capture.record.as_mut().unwrap().addresses[0].address += 64), "where no chip puts them"),
];

#[rustfmt::skip] // A forgery a line.
const PROFILE_FORGERIES: &[Row] = &[
    ("unknown lock", |it| { let right = it.trusted.clone(); it.lock(|lock| drop(lock.tests.pop())); it.trusted = right; }, "and the verifier was given"),
    ("no lock", |it| it.write(LOCK, b"{}\n".to_vec()), "profile.lock"),
    ("test removed", |it| it.lock(|lock| drop(lock.tests.pop())), "which only the verifier's lock demands"),
    ("test added", |it| it.lock(|lock| { let mut more = lock.tests[0].clone(); more.test.case = "zzz".to_owned(); lock.tests.push(more); lock.tests.sort_by(|one, other| one.test.cmp(&other.test)); }), "which only the package's lock demands"),
    ("suites differ", |it| it.lock(|lock| lock.tests[0].source = hallmark_certification::lock::LockedSource::Suite { hash: ContentHash([1; 32]) }), "first in the suite of"),
    ("calls differ", |it| it.lock(|lock| lock.tests[0].case = Some(ContentHash([1; 32]))), "first in the calls of"),
    ("goldens differ", |it| it.lock(|lock| lock.tests[0].program = Some(ContentHash([1; 32]))), "first in the golden of"),
    ("kernels differ", |it| it.lock(|lock| lock.kernels[0].lock = ContentHash([1; 32])), "first in the prebuilt kernels"),
    ("skips earned", |it| it.lock(|lock| lock.tests[0].skips.push(LockedSkip { device: DeviceKind::Sim, harvesting: 0, reason: "it cannot".to_owned() })), "first in where"),
    ("seeds undeclared", |it| it.lock(|lock| lock.tests.iter_mut().for_each(|test| test.seeded = false)), "first in whether a challenge changes"),
    ("dispatch missing", |it| it.lock(|lock| lock.profile.devices[0].dispatch.clear()), "first in what the profile says"),
    ("architecture missing", |it| it.lock(|lock| lock.profile.devices.clear()), "first in what the profile says"),
    ("a mask more", |it| it.lock(|lock| lock.profile.devices[0].harvesting.push(1)), "first in what the profile says"),
    ("a seed more", |it| it.lock(|lock| lock.profile.schedule_seeds.last = 9), "first in what the profile says"),
    ("repeats missing", |it| it.lock(|lock| lock.profile.repeats.sim = 0), "first in what the profile says"),
    ("Hallmark out of range", |it| it.lock(|lock| lock.profile.model.hallmark = "9.9.9".to_owned()), "profile.lock: it is of Hallmark `9.9.9`"),
    ("another release", |it| it.predicate.hallmark = "9.9.9".to_owned(), "statement.json: it is of Hallmark `9.9.9`"),
    ("another edition", |it| it.predicate.profile.edition = "2".to_owned(), "claims `2` as the edition of the profile"),
    ("another profile's name", |it| it.predicate.profile.name = "baseline".to_owned(), "claims `baseline` as the name of the profile"),
    ("another lock's hash", |it| it.predicate.profile.lock = Blake3::of(b""), "as the lock of the profile"),
    ("a profile that nobody knows", |it| { it.trusted = None; let other = PROFILE.replace("about: What", "about: Which"); it.write("profile.yaml", other.clone().into_bytes()); it.lock(|lock| lock.profile.file = ContentHash::of(other.as_bytes())); it.trusted = None; }, "is not the one of the verifier's suites"),
    ("another profile's file", |it| it.replace("profile.yaml", "about: What", "about: Which"), "as the file of the profile"),
];

#[rustfmt::skip] // A forgery a line.
const OTHER_FORGERIES: &[Row] = &[
    ("challenge absent", |it| { it.files.remove(CHALLENGE); }, "the statement names a challenge, and the package holds none"),
    ("challenge not named", |it| it.predicate.challenge = None, "a challenge that the statement does not name"),
    ("another's challenge", |it| it.predicate.challenge.as_mut().unwrap().hash = Blake3::of(b""), "the statement names another challenge"),
    ("a challenge of last year", |it| { it.given = Some(it.files[CHALLENGE].clone()); it.challenge(|challenge| challenge.challenge = ContentHash([1; 32])); }, "was not made under the challenge that was given"),
    ("another giver", |it| it.predicate.challenge.as_mut().unwrap().kind = ChallengeKind::Own, "somebody else gave the challenge"),
    ("a reviewer's challenge as one's own", |it| it.challenge(|challenge| challenge.by = ChallengeKind::Own), "is not of its test"),
    ("a reviewer's signature of one's own challenge", |it| { it.challenge(|challenge| challenge.by = ChallengeKind::Own); it.write(CHALLENGE_SIGNATURE, b"a signature".to_vec()); }, "a reviewer's signature lies beside it"),
    ("a signature of no challenge", |it| { it.predicate.challenge = None; it.files.remove(CHALLENGE); it.results(|all| all.retain(|result| result.run.pass == Pass::Canonical)); it.events(|events| { let LogEvent::Begin(identity) = &mut events[0] else { panic!() }; identity.challenge = None; }); it.drop_unused(); it.write(CHALLENGE_SIGNATURE, b"a signature".to_vec()); }, "the package holds no `challenge.json`, which this would sign"),
    ("a signature of no waiver", |it| it.write("waivers/W-1.yaml.sig", b"a signature".to_vec()), "the package holds no `waivers/W-1.yaml`"),
    ("other bytes of a challenge", |it| it.challenge(|challenge| challenge.challenge = ContentHash([1; 32])), "is not of its test"),
    ("a challenge that came while the run was going on", |it| it.events(|events| events.iter_mut().for_each(|event| if let LogEvent::Ended { at, .. } = event { *at += 60 * 60 * 1000; })), "and a run under it began at"),
    ("expired", |it| it.challenge(|challenge| challenge.issued = "2020-01-01T00:00:00Z".parse().unwrap()), "the challenge is of 2020-01-01"),
    ("outputs of the canonical pass", |it| it.results(|all| { let canonical = all.iter().position(|it| it.run.pass == Pass::Canonical && all.iter().any(|other| other.run.pass == Pass::Challenge && other.run.test == it.run.test)).unwrap(); let capture = all[canonical].capture; let test = all[canonical].run.test.clone(); let own = all.iter_mut().find(|it| it.run.pass == Pass::Challenge && it.run.test == test).unwrap(); (own.capture, own.replay) = (capture, capture); }), "no result refers to this file"),
    ("tests left out", |it| it.results(|all| all.retain(|result| result.run.pass == Pass::Canonical)), "there is no result of"),
    ("firmware beside a simulator", |it| it.write("firmware/wormhole_b0/manifest.json", b"{}\n".to_vec()), "firmware is not what was tested"),
    ("firmware of another architecture", |it| it.write("firmware/blackhole/manifest.json", b"{}\n".to_vec()), "the profile demands nothing of the architecture of"),
    ("firmware without files", |it| it.predicate.subject.kind = SubjectKind::Firmware, "its files are not in the package"),
    ("firmware that is none", |it| { it.predicate.subject.kind = SubjectKind::Firmware; it.write("firmware/wormhole_b0/manifest.json", b"{}\n".to_vec()); }, "the firmware cannot be loaded"),
    ("a subject that the profile does not admit", |it| it.predicate.subject.kind = SubjectKind::Board, "no subject of the kind board"),
    ("a subject that has no such device", |it| it.predicate.subject.kind = SubjectKind::Metalium, "on which no metalium is tested"),
    ("another name of the subject", |it| it.predicate.subject.name = "firmware 2.0".to_owned(), "claims `firmware 2.0` as the name of the subject"),
    ("a hash of the subject", |it| it.predicate.subject.hash = Some(Blake3::of(b"x")), "as the hash of the subject"),
    ("environment of another device", |it| it.replace(ENVIRONMENT, "\"device\":\"sim\"", "\"device\":\"pci\""), "names a device of another kind"),
    ("environment of another release", |it| it.replace(ENVIRONMENT, "\"hallmark\":\"", "\"hallmark\":\"9."), "and the statement of"),
    ("a library on the simulator", |it| it.replace(ENVIRONMENT, r#""library":null,"library_hash":null"#, &format!(r#""library":"libttsim.so","library_hash":"{}""#, "ab".repeat(32))), "its device is no library"),
    ("fewer checks", |it| it.capture(|capture| { capture.record.as_mut().unwrap().checks.pop(); }), "the checks of its release"),
    ("a device that misbehaves", |it| it.misbehaving(), "stands in for another device"),
    ("another launcher on TT-Metalium", |it| { it.on_metalium(); it.ran_on(ON_METALIUM); it.capture(|capture| capture.record.as_mut().unwrap().dispatch_mode = DispatchMode::Device); }, "who launched programs"),
    ("another release of TT-Metalium", |it| { it.on_metalium(); it.ran_on("TT-Metalium 0.80.0 on ttsim"); }, "the device is \"TT-Metalium 0.80.0"),
    ("an exception on TT-Metalium", |it| { it.on_metalium(); it.ran_on(ON_METALIUM); it.verdict(Verdict::Mismatch); }, "did not pass (Mismatch), and no waiver"),
    ("captures of the simulator as those of TT-Metalium", |it| it.on_metalium(), "the device is \"sim"),
    ("draft", |it| it.predicate.draft = true, "the package is a draft"),
    ("unused waiver", |it| it.waiver("known", "known"), "waiver `W-1` excuses nothing"),
    ("expired waiver", |it| it.waiver("until: 2027-01-01", "until: 2026-11-02"), "has expired"),
    ("waiver that does not count yet", |it| it.waiver("from: 2026-11-01", "from: 2026-12-31"), "does not count yet"),
    ("waiver that lasts too long", |it| it.waiver("until: 2027-01-01", "until: 2028-01-01"), "lasts longer"),
    ("more waivers than the profile admits", |it| { it.waiver("known", "known"); let first = it.files["waivers/W-1.yaml"].clone(); it.write("waivers/W-2.yaml", first); }, "2 waivers given; the profile admits at most 1"),
    ("a waiver that is too large", |it| it.waiver("issue: ", &format!("# {}\nissue: ", "x".repeat(64 << 10))), "at most 65536 are read"),
    ("waiver without a link", |it| it.waiver("issue: https://example.org/1\n", ""), "issue"),
    ("waiver under another name", |it| it.waiver("W-1", "W-2"), "has another name"),
    ("a capture that nobody names", |it| { let bytes = b"x".to_vec(); it.write(EntryName::capture(&Blake3::of(&bytes)).as_str(), bytes); }, "no result refers to this file"),
    ("environment that is none", |it| it.write(ENVIRONMENT, b"{\"a\":1,\"a\":2}\n".to_vec()), "duplicate key"),
];

/// The forgeries that are accepted or rejected for another reason.
fn unnoticed(rows: &[Row]) -> Vec<String> {
    let wrong = |(name, forge, reason): &Row| {
        let mut forgery = Forgery::begin();
        forge(&mut forgery);
        match verify(forgery) {
            Ok(()) => Some(format!("{name}: accepted")),
            Err(error) if error.contains(reason) => None,
            Err(error) => Some(format!("{name}: {error}")),
        }
    };
    // Each row loads all suites, as every verifier does.
    let half = rows.len().div_ceil(2);
    std::thread::scope(|scope| {
        let halves = rows.chunks(half.max(1)).map(|rows| {
            scope.spawn(move || rows.iter().filter_map(wrong).collect::<Vec<String>>())
        });
        let halves: Vec<_> = halves.collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    })
}

/// All forgeries.
fn rows() -> Vec<Row> {
    [SHARD_FORGERIES, RESULT_FORGERIES, CAPTURE_FORGERIES, PROFILE_FORGERIES, OTHER_FORGERIES]
        .concat()
}

#[test]
fn forged_packages_are_rejected() {
    assert_eq!(verify(Forgery::begin()), Ok(()));
    let mut known = Forgery::begin();
    known.trusted = None;
    known.given = Some(known.files[CHALLENGE].clone());
    assert_eq!(verify(known), Ok(()), "its profile stands beside the suites");
    let mut merged = Forgery::begin();
    merged.merged(|_| {});
    assert_eq!(verify(merged), Ok(()), "each shard once");
    let mut on_metalium = Forgery::begin();
    on_metalium.on_metalium();
    on_metalium.ran_on(ON_METALIUM);
    // The device name cannot be checked. But the test that the simulator skips would hang on that device.
    assert!(verify(on_metalium).unwrap_err().contains("did not pass (Hang)"));
    println!("{} forgeries", rows().len());
    assert_eq!(unnoticed(&rows()), Vec::<String>::new());
}

/// Without the check that this test process switches off, its forgeries go unnoticed.
#[test]
#[cfg(feature = "sabotage")]
fn a_forgery_goes_unnoticed_without_its_check() {
    use hallmark_certification::verify::RejectionReason;
    use hallmark_chip::sabotage::VARIABLE;

    // `signed.rs` has the forgeries for these checks, which need keys.
    const WITH_KEYS: [&str; 5] =
        ["Unsigned", "WaiverUnsigned", "WaiverApprover", "WaiverBySubmitter", "ReviewBySubmitter"];
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made.hallmark");
    std::fs::write(&made, make()).unwrap();
    let notices = |check: &str| {
        let needs_keys = WITH_KEYS.iter().any(|it| check.ends_with(&format!("::{it}")));
        let name = if check.ends_with("::NotRepeated") {
            "subject::results_of_another_build_are_submitted_until_the_packed_build_gives_them"
        } else if needs_keys {
            "signed::whoever_signs_is_somebody_who_may"
        } else {
            "forgeries::forged_packages_are_rejected"
        };
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        let test = test.args(["--exact", "--nocapture", name]);
        let ended = test.env(VARIABLE, check).env(MADE, &made).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(said.contains("running 1 test"), "{said}");
        !ended.status.success() || said.contains("skipped: ssh-keygen is not installed")
    };
    let checks = RejectionReason::CHECKS.iter().copied();
    let idle: Vec<&str> = checks.filter(|check| !notices(check)).collect();
    assert_eq!(idle, Vec::<&str>::new(), "no forgery needs these checks");
}
