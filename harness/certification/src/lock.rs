//! `profile.lock`: the resolved demands of a conformance profile. The signature and the counts refer to it.
//!
//! JSON lines in a canonical form: the profile, the kernels of each architecture, and each test, sorted by
//! name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hallmark_chip::Architecture;
pub use hallmark_package::SubjectKind;
use hallmark_package::json::{self, JsonError};
use hallmark_schema::class::schema_hash;
use hallmark_schema::model::{ContentHash, DispatchMode};
use hallmark_suite::language::{Capability, DeviceKind};
use hallmark_suite::name::TestName;
use serde::{Deserialize, Serialize};

use super::results::{Pass, RunKey};

/// The version of the file.
const FORMAT: u32 = 1;

/// A conformance profile with all its demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The profile's settings for all tests.
    pub profile: LockedProfile,
    /// The prebuilt kernels, ascending by architecture.
    pub kernels: Vec<LockedKernels>,
    /// The tests, ascending by name.
    pub tests: Vec<LockedTest>,
}

/// The content of a line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LockLine {
    Profile(LockedProfile),
    Kernels(LockedKernels),
    Test(LockedTest),
}

/// The settings of a conformance profile for all tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedProfile {
    /// The version of the lock's format.
    pub format: u32,
    /// The profile's name.
    pub name: String,
    /// The profile's edition.
    pub edition: String,
    /// The hash of the profile's file.
    pub file: ContentHash,
    /// The release that computed programs and expectations.
    pub model: Model,
    /// The subjects that it can certify.
    pub subjects: Vec<SubjectKind>,
    /// The devices of the tests, ascending.
    pub devices: Vec<LockedDevice>,
    /// The capabilities that each subject must have: no test is skipped because one is missing.
    pub requires: Vec<Capability>,
    /// The schedule seeds on `sim`.
    pub schedule_seeds: SeedRange,
    /// The number of runs of each test.
    pub repeats: Repeats,
    /// The requirements on a reviewer's challenge.
    pub challenge: ChallengeRule,
    /// Patterns of names of tests that must not be waived.
    pub never_waived: Vec<String>,
    /// The limits of waivers.
    pub waivers: WaiverRule,
    /// The mutation score measured by the publisher, if the profile states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<MutationScore>,
}

/// The release that computed the programs and expectations of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The version of Hallmark.
    pub hallmark: String,
    /// The hash of the schema of captures.
    pub schema: ContentHash,
}

impl Model {
    /// The model of this release.
    pub fn current() -> Self {
        Self { hallmark: env!("CARGO_PKG_VERSION").to_owned(), schema: schema_hash() }
    }
}

/// An architecture with its devices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedDevice {
    /// The architecture of the tests.
    pub architecture: Architecture,
    /// The permitted kinds of device; a package uses one of them.
    pub kinds: Vec<DeviceKind>,
    /// Rows or columns fused off, one bit each; on kinds other than `sim` only 0 applies.
    pub harvesting: Vec<u32>,
    /// The dispatch modes.
    pub dispatch: Vec<DispatchMode>,
}

impl LockedDevice {
    /// The harvesting masks for a kind of device.
    pub fn masks(&self, kind: DeviceKind) -> &[u32] {
        match kind {
            DeviceKind::Sim => &self.harvesting,
            DeviceKind::Ttsim | DeviceKind::Pci => &[0],
        }
    }
}

/// A range of schedule seeds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedRange {
    /// The first seed.
    pub first: u64,
    /// The last seed.
    pub last: u64,
}

/// The number of runs of each test, by kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeats {
    /// On Hallmark's simulator.
    pub sim: u32,
    /// On a `libttsim.so`.
    pub ttsim: u32,
    /// On a card.
    pub pci: u32,
}

impl Repeats {
    /// The number of runs on a kind of device.
    pub const fn on(self, kind: DeviceKind) -> u32 {
        match kind {
            DeviceKind::Sim => self.sim,
            DeviceKind::Ttsim => self.ttsim,
            DeviceKind::Pci => self.pci,
        }
    }
}

/// The requirements on a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeRule {
    /// Whether a package needs a challenge pass.
    pub required: bool,
    /// The validity of a challenge in days.
    pub valid_for_days: u32,
}

/// The limits of waivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaiverRule {
    /// The largest number of waivers in a package.
    pub at_most: u32,
    /// The longest validity of a waiver in days.
    pub longest_days: u32,
}

/// The number of planted defects that the profile's tests detect, as measured by its publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutationScore {
    /// The number of detected defects, at least.
    pub at_least: u32,
    /// The number of planted defects.
    pub of: u32,
}

/// The prebuilt kernels of an architecture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedKernels {
    /// The architecture of the kernels.
    pub architecture: Architecture,
    /// The hash of the kernels' lock file.
    pub lock: ContentHash,
}

/// A demanded test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTest {
    /// Its name.
    pub test: TestName,
    /// Its source.
    pub source: LockedSource,
    /// The hash of its calls and expectations, bound for an unharvested chip. `None` for a test that runs
    /// nowhere, whose numbers may be invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<ContentHash>,
    /// The hash of the program part that it must produce on an unharvested chip: that of its golden, or that of
    /// the workload. `None` for a test that runs nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ContentHash>,
    /// Whether a challenge changes its data.
    pub seeded: bool,
    /// The devices on which it is skipped, with the reasons. On all others it must pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<LockedSkip>,
}

/// The source of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LockedSource {
    /// A suite.
    Suite {
        /// The hash of its file and of the imported files.
        hash: ContentHash,
    },
    /// A captured workload of the user.
    Capture {
        /// The path of the file, relative to the profile's folder.
        path: String,
        /// The hash of the file.
        hash: ContentHash,
    },
}

/// A device on which a test is skipped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSkip {
    /// The kind of device.
    pub device: DeviceKind,
    /// The harvesting mask.
    pub harvesting: u32,
    /// Why the test does not apply.
    pub reason: String,
}

impl LockedTest {
    /// Why the test is skipped on a device; `None` if it is not.
    pub fn skip_reason(&self, device: DeviceKind, harvesting: u32) -> Option<&str> {
        let mut skips = self.skips.iter();
        let skip = skips.find(|skip| skip.device == device && skip.harvesting == harvesting)?;
        Some(&skip.reason)
    }
}

/// A file that is not a lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// A line that is not in canonical form.
    #[error("the lock is none: {0}; `hallmark certify lock` writes locks")]
    Json(#[from] JsonError),
    /// A line out of order.
    #[error("line {line} of the lock is out of order; `hallmark certify lock` writes locks")]
    Order {
        /// The line, counted from 1.
        line: usize,
    },
    /// The line about the profile is missing.
    #[error("the lock does not begin with its profile; `hallmark certify lock` writes locks")]
    NoProfile,
    /// A lock of another format version.
    #[error(
        "the lock has format {found}, and this release of hallmark reads format {FORMAT}; use the release that wrote it"
    )]
    Format {
        /// The file's version.
        found: u32,
    },
}

impl LockedProfile {
    /// The version of the format that this release writes.
    pub const FORMAT: u32 = FORMAT;
}

impl Lock {
    /// The bytes of the file.
    ///
    /// # Errors
    /// A lock never causes one.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let profile = [LockLine::Profile(self.profile.clone())];
        let kernels = self.kernels.iter().cloned().map(LockLine::Kernels);
        let tests = self.tests.iter().cloned().map(LockLine::Test);
        let lines: Vec<LockLine> = profile.into_iter().chain(kernels).chain(tests).collect();
        json::write_lines(&lines)
    }

    /// Reads the bytes of [`Self::to_bytes`].
    ///
    /// # Errors
    /// [`LockError`].
    pub fn read(bytes: &[u8]) -> Result<Self, LockError> {
        let mut profile = None;
        let mut kernels: Vec<LockedKernels> = Vec::new();
        let mut tests: Vec<LockedTest> = Vec::new();
        for (line, read) in (1..).zip(json::read_lines(bytes)?) {
            let in_order = match read {
                LockLine::Profile(read) => {
                    if read.format != FORMAT {
                        return Err(LockError::Format { found: read.format });
                    }
                    profile.replace(read).is_none()
                }
                LockLine::Kernels(read) => {
                    let is_next = kernels.last().is_none_or(|last| last < &read);
                    kernels.push(read);
                    is_next && tests.is_empty()
                }
                LockLine::Test(read) => {
                    let is_next = tests.last().is_none_or(|last| last.test < read.test);
                    tests.push(read);
                    is_next
                }
            };
            if profile.is_none() {
                return Err(LockError::NoProfile);
            }
            if !in_order {
                return Err(LockError::Order { line });
            }
        }
        Ok(Self { profile: profile.ok_or(LockError::NoProfile)?, kernels, tests })
    }

    /// Its hash, which identifies it.
    ///
    /// # Errors
    /// A lock never causes one.
    pub fn hash(&self) -> Result<ContentHash, serde_json::Error> {
        Ok(ContentHash::of(&self.to_bytes()?))
    }

    /// The test with this name.
    pub fn test(&self, name: &TestName) -> Option<&LockedTest> {
        let index = self.tests.binary_search_by(|test| test.test.cmp(name)).ok()?;
        self.tests.get(index)
    }

    /// The architectures that a package must cover.
    pub fn architectures(&self) -> BTreeSet<Architecture> {
        self.profile.devices.iter().map(|device| device.architecture).collect()
    }

    /// Every run that a package must contain, ascending, with the reason if the profile skips it. `on` states
    /// the kind of device for each architecture.
    ///
    /// # Errors
    /// An architecture has no device, or one of a kind that the profile does not permit.
    pub fn runs(
        &self,
        on: &BTreeMap<Architecture, DeviceKind>,
        is_challenged: bool,
    ) -> Result<BTreeMap<RunKey, Option<&str>>, RunsError> {
        let mut runs = BTreeMap::new();
        for architecture in self.architectures() {
            let kind = on.get(&architecture).copied();
            let kind = kind.ok_or(RunsError::NoDevice { architecture })?;
            let of_architecture = self.profile.devices.iter();
            let mut devices = of_architecture
                .filter(|it| it.architecture == architecture && it.kinds.contains(&kind));
            let device = devices.next().ok_or(RunsError::Kind { architecture, kind })?;
            let tests = self.tests.iter().filter(|test| test.test.architecture == architecture);
            for test in tests {
                for key in self.runs_of(test, device, kind, is_challenged) {
                    let reason = test.skip_reason(kind, key.harvesting);
                    runs.insert(key, reason);
                }
            }
        }
        Ok(runs)
    }

    /// The runs of a test on a kind of device.
    fn runs_of(
        &self,
        test: &LockedTest,
        device: &LockedDevice,
        kind: DeviceKind,
        is_challenged: bool,
    ) -> Vec<RunKey> {
        let SeedRange { first, last } = self.profile.schedule_seeds;
        let seeds = match kind {
            DeviceKind::Sim => first..=last,
            DeviceKind::Ttsim | DeviceKind::Pci => 0..=0,
        };
        let repeats = self.profile.repeats.on(kind);
        let first_seed = *seeds.start();
        let mut keys = Vec::new();
        for &harvesting in device.masks(kind) {
            for &dispatch in &device.dispatch {
                let key = |schedule_seed, repeat, pass| RunKey {
                    test: test.test.clone(),
                    device: kind,
                    harvesting,
                    dispatch,
                    schedule_seed,
                    repeat,
                    pass,
                };
                for seed in seeds.clone() {
                    keys.extend((1..=repeats).map(|repeat| key(seed, repeat, Pass::Canonical)));
                }
                // Other data combined with other orders would only hide which of the two causes a failure.
                if is_challenged && test.seeded {
                    keys.push(key(first_seed, 1, Pass::Challenge));
                }
            }
        }
        keys
    }
}

/// A subject on which a profile's tests cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunsError {
    /// An architecture of the profile has no device.
    #[error(
        "the conformance profile demands {architecture}, for which there is no device; name one with --device {architecture}=…"
    )]
    NoDevice {
        /// The architecture.
        architecture: Architecture,
    },
    /// The profile does not permit the kind of device.
    #[error("the conformance profile has no tests of {architecture} on a device of kind {}; name another one with --device", KindName(*kind))]
    Kind {
        /// The architecture.
        architecture: Architecture,
        /// The kind of its device.
        kind: DeviceKind,
    },
}

struct KindName(DeviceKind);

impl fmt::Display for KindName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use hallmark_suite::read::Choice as _;

        formatter.write_str(self.0.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> ContentHash {
        ContentHash([byte; 32])
    }

    /// Two Wormhole tests, the second with seeded data, on an unharvested and a harvested chip and on `ttsim`.
    fn lock() -> Lock {
        let test = |name: &str, seeded, skips| LockedTest {
            test: name.parse().unwrap(),
            source: LockedSource::Suite { hash: hash(1) },
            case: Some(hash(2)),
            program: Some(hash(3)),
            seeded,
            skips,
        };
        let skip = LockedSkip {
            device: DeviceKind::Ttsim,
            harvesting: 0,
            reason: "needs detects_races".to_owned(),
        };
        Lock {
            profile: LockedProfile {
                format: FORMAT,
                name: "p".to_owned(),
                edition: "1".to_owned(),
                file: hash(4),
                model: Model { hallmark: "0.1.0".to_owned(), schema: hash(5) },
                subjects: vec![SubjectKind::Simulator],
                devices: vec![LockedDevice {
                    architecture: Architecture::WormholeB0,
                    kinds: vec![DeviceKind::Sim, DeviceKind::Ttsim],
                    harvesting: vec![0, 1],
                    dispatch: vec![DispatchMode::Host, DispatchMode::Device],
                }],
                requires: vec![Capability::DetectsFaults],
                schedule_seeds: SeedRange { first: 3, last: 5 },
                repeats: Repeats { sim: 1, ttsim: 2, pci: 5 },
                challenge: ChallengeRule { required: true, valid_for_days: 14 },
                never_waived: vec!["memory".to_owned()],
                waivers: WaiverRule { at_most: 0, longest_days: 180 },
                score: Some(MutationScore { at_least: 1, of: 2 }),
            },
            kernels: vec![LockedKernels { architecture: Architecture::WormholeB0, lock: hash(6) }],
            tests: vec![
                test("wormhole_b0::a::b::c", false, vec![skip]),
                test("wormhole_b0::a::b::d", true, Vec::new()),
            ],
        }
    }

    #[test]
    fn a_lock_is_read_as_it_was_written_and_in_no_other_form() {
        let text = String::from_utf8(lock().to_bytes().unwrap()).unwrap();
        assert_eq!(Lock::read(text.as_bytes()).unwrap(), lock());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let [profile, kernels, first, second] = lines.as_slice() else { panic!("{text}") };
        for (wrong, words) in [
            (String::new(), "does not begin with its profile"),
            ([*kernels, *profile].concat(), "does not begin with its profile"),
            ([*profile, *first, *kernels].concat(), "line 3 of the lock is out of order"),
            ([*profile, *second, *first].concat(), "line 3 of the lock is out of order"),
            ([*profile, *first, *first].concat(), "line 3 of the lock is out of order"),
            ([*profile, *profile].concat(), "line 2 of the lock is out of order"),
            (text.replacen("{\"profile\"", "{ \"profile\"", 1), "line 1: the text is not the one"),
            (text.trim_end().to_owned(), "line 4: the last line has no end"),
            (text.replacen("\"format\":1", "\"format\":2", 1), "has format 2"),
            (text.replacen("\"edition\"", "\"more\":1,\"edition\"", 1), "unknown field `more`"),
            (
                text.replacen("\"edition\":\"1\"", "\"edition\":\"1\",\"edition\":\"2\"", 1),
                "duplicate key \"edition\"",
            ),
        ] {
            let error = Lock::read(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn the_runs_are_every_combination_once() {
        let lock = lock();
        let on = |kind| BTreeMap::from([(Architecture::WormholeB0, kind)]);
        let count = |kind, is_challenged| lock.runs(&on(kind), is_challenged).unwrap().len();
        // Two tests, two masks, two dispatch modes, three seeds; and the second test's challenge under the
        // first seed.
        assert_eq!(count(DeviceKind::Sim, false), 24);
        assert_eq!(count(DeviceKind::Sim, true), 24 + 4);
        // No masks or seeds, but two repeats.
        assert_eq!(count(DeviceKind::Ttsim, false), 8);
        let runs = lock.runs(&on(DeviceKind::Ttsim), true).unwrap();
        let skipped: Vec<_> = runs.iter().filter(|(_, reason)| reason.is_some()).collect();
        assert_eq!(skipped.len(), 4);
        assert!(skipped.iter().all(|(key, _)| key.test.case == "c"));
        let challenged = runs.keys().filter(|key| key.pass == Pass::Challenge);
        assert!(challenged.clone().all(|key| key.test.case == "d" && key.repeat == 1));
        assert_eq!(challenged.count(), 2);
    }

    #[test]
    fn a_subject_must_be_of_an_admitted_kind_on_each_architecture() {
        let lock = lock();
        let error = lock.runs(&BTreeMap::new(), false).unwrap_err().to_string();
        assert!(error.contains("demands wormhole_b0, for which there is no device"), "{error}");
        let pci = BTreeMap::from([(Architecture::WormholeB0, DeviceKind::Pci)]);
        let error = lock.runs(&pci, false).unwrap_err().to_string();
        assert!(error.contains("on a device of kind pci"), "{error}");
    }
}
