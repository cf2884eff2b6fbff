//! The typed language of conformance profiles.

use hallmark_chip::Architecture;
use hallmark_pipeline::seeds::Seeds;
use hallmark_schema::model::DispatchMode;
use hallmark_suite::language::{Capability, DeviceKind};
use hallmark_suite::mistake::Mistakes;
use hallmark_suite::node::{Node, Value};
use hallmark_suite::read::{At, Name, OneOf, Read, choices, map_type};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use semver::{Version, VersionReq};

use crate::lock::{SeedRange, SubjectKind};

/// A kind of subject, as a conformance profile names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdmittedSubject(pub SubjectKind);

choices! {
    AdmittedSubject, "subject":
        "simulator" => Self(SubjectKind::Simulator), "metalium" => Self(SubjectKind::Metalium),
        "firmware" => Self(SubjectKind::Firmware), "board" => Self(SubjectKind::Board);
}

map_type! {
    /// A conformance profile: the tests that a certification makes mandatory, and on what they run.
    ProfileFile, "a conformance profile" {
        /// The profile's name.
        profile: Name,
        /// The profile's edition. Whatever changes what a package must show takes a new one.
        edition: Text,
        /// The releases of Hallmark that may certify by it and verify: `">= 0.3, < 0.4"` [default: each]
        hallmark: Option<VersionRange>,
        /// What the profile is for, in a sentence.
        about: String,
        /// What may be certified by it.
        subjects: Vec<OneOf<AdmittedSubject>>,
        /// What the tests run on, an entry for each architecture.
        devices: Vec<At<DeviceEntry>>,
        /// The tests.
        tests: TestsEntry,
        /// What each subject must be able to do. A test that needs it is never skipped for want of it.
        requires: Option<Vec<OneOf<Capability>>>,
        /// The orders in which the simulator runs what the hardware leaves open.
        schedules: Option<SchedulesEntry>,
        /// How often each test runs [default: once]
        repeats: Option<RepeatsEntry>,
        /// What is asked of a reviewer's challenge [default: none is needed, and one counts for 14 days]
        challenge: Option<ChallengeEntry>,
        /// First parts of names of tests that nobody may waive.
        never_waived: Option<Vec<At<String>>>,
        /// What waivers may do [default: there are none]
        waivers: Option<WaiversEntry>,
        /// How many planted defects the tests find; the publisher of the profile measures it.
        score: Option<ScoreEntry>,
    }
}

map_type! {
    /// An architecture and what its tests run on.
    DeviceEntry, "an entry of `devices`" {
        /// The architecture of the tests.
        architecture: OneOf<Architecture>,
        /// The kinds of device that may be certified. A package is of one of them.
        kinds: Vec<OneOf<DeviceKind>>,
        /// Masks of rows (Grayskull, Wormhole) or columns (Blackhole) that are fused off, each a chip of its own. On other
        /// kinds than `sim` only the whole chip counts [default: the whole chip]
        harvesting: Option<Vec<At<u64>>>,
        /// Who launches programs [default: the host]
        dispatch: Option<Vec<OneOf<DispatchMode>>>,
    }
}

map_type! {
    /// Which tests a profile demands.
    TestsEntry, "`tests`" {
        /// First parts of names of tests, with or without the architecture: `noc::multicast`, or `**` for all.
        suites: Vec<At<String>>,
        /// First parts of names of tests that are left out.
        except: Option<Vec<At<String>>>,
        /// Files of captures of the user's own workloads, relative to the profile's folder; `*` stands for any characters.
        captures: Option<Vec<At<String>>>,
    }
}

map_type! {
    /// Schedule seeds.
    SchedulesEntry, "`schedules`" {
        /// The first and the last seed: `1..20`.
        seeds: SeedsText,
    }
}

map_type! {
    /// How often each test runs on a kind of device.
    RepeatsEntry, "`repeats`" {
        /// On Hallmark's simulator, which repeats what it did.
        sim: Option<At<u64>>,
        /// On a `libttsim.so`.
        ttsim: Option<At<u64>>,
        /// On a card.
        pci: Option<At<u64>>,
    }
}

map_type! {
    /// What is asked of a challenge.
    ChallengeEntry, "`challenge`" {
        /// Whether a package must have passed a challenge.
        required: OneOf<bool>,
        /// How long after its date a challenge counts: `14d` [default: 14d]
        valid_for: Option<Days>,
    }
}

map_type! {
    /// What waivers may do.
    WaiversEntry, "`waivers`" {
        /// How many waivers a package may have.
        at_most: At<u64>,
        /// How long a waiver may last: `180d`.
        longest: Days,
    }
}

map_type! {
    /// A mutation score.
    ScoreEntry, "`score`" {
        /// So many planted defects are found, or more.
        at_least: At<u64>,
        /// So many are planted.
        of: At<u64>,
    }
}

/// A text that looks like a number unless it is quoted.
#[derive(Clone, Debug)]
pub struct Text(pub String);

impl Read for Text {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Integer(_) | Value::Float(_) => mistakes.add(
                "expected a text, not a number",
                node.span,
                "put it in quotes: `\"1\"`",
            ),
            _ => String::read(node, mistakes).map(Self),
        }
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// A range of releases of Hallmark.
#[derive(Clone, Debug)]
pub struct VersionRange;

impl Read for VersionRange {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let text = String::read(node, mistakes)?;
        let range = match VersionReq::parse(&text) {
            Ok(range) => range,
            Err(error) => {
                return mistakes.add(
                    format!("`{text}` is no range of releases: {error}"),
                    node.span,
                    "write `\">= 0.3, < 0.4\"`",
                );
            }
        };
        let release = env!("CARGO_PKG_VERSION");
        if Version::parse(release).is_ok_and(|release| range.matches(&release)) {
            return Some(Self);
        }
        mistakes.add(
            format!("this is Hallmark {release}, and the profile is for {text}"),
            node.span,
            "use a release of that range, or the profile's edition for this one",
        )
    }
}

impl JsonSchema for VersionRange {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "VersionRange".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "title": "a range of releases" })
    }
}

/// A range of schedule seeds.
#[derive(Clone, Copy, Debug)]
pub struct SeedsText(pub SeedRange);

impl Read for SeedsText {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let text = String::read(node, mistakes)?;
        match text.parse::<Seeds>() {
            Ok(seeds) => {
                let (first, last) = seeds.iter().into_inner();
                Some(Self(SeedRange { first, last }))
            }
            Err(error) => mistakes.add(error.to_string(), node.span, ""),
        }
    }
}

impl JsonSchema for SeedsText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SeedsText".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+\\.\\.[0-9]+$", "title": "a range of seeds" })
    }
}

/// A number of days, written `14d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days(pub u32);

/// More days are a mistake.
const MOST_DAYS: u32 = 3650;

impl Read for Days {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let days = match &node.value {
            Value::Text(text) => text.strip_suffix('d').and_then(|days| days.parse().ok()),
            _ => None,
        };
        match days {
            Some(days) if (1..=MOST_DAYS).contains(&days) => Some(Self(days)),
            _ => mistakes.add(
                "expected a number of days",
                node.span,
                format!("write `14d`; from `1d` to `{MOST_DAYS}d`"),
            ),
        }
    }
}

impl JsonSchema for Days {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Days".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+d$", "title": "a number of days" })
    }
}
