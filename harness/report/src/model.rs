//! What a report says, as plain data. No string needs to be escaped, shortened or trusted.

use serde::{Deserialize, Serialize};

use crate::picture::Picture;

/// All that one report says, in the order in which it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// What kind of report it is, such as "Run" or "Conformance package".
    pub kind: String,
    /// What it is about, such as the devices of a run or the name of a package.
    pub subject: String,
    /// What came of it, in one sentence.
    pub conclusion: Conclusion,
    /// What whoever reads the conclusion must know as well: tests that nobody reported, goldens of no test.
    pub remarks: Vec<String>,
    /// Circumstances: commit, version, devices.
    pub facts: Vec<Fact>,
    /// A row for each architecture, device and dispatch mode.
    pub rows: Vec<Row>,
    /// What is claimed, and on what basis.
    pub claims: Vec<Claim>,
    /// Tests that did not pass; those that failed alike are together.
    pub failures: Vec<FailureGroup>,
    /// Failures that are excused until a date.
    pub waivers: Vec<Waiver>,
    /// How the results differ from those of another package.
    pub difference: Option<Difference>,
    /// How far outputs with a tolerance stay from its limit, the closest first.
    pub headroom: Vec<Headroom>,
    /// Tests that are listed with a reason: skipped, expected to fail, not run.
    pub reasons: Vec<ReasonList>,
    /// Every test.
    pub tests: Vec<ListedTest>,
}

/// How something is to be taken. It decides colours and marks, and never stands alone: there is always a word beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// All is well.
    Good,
    /// Something is wrong.
    Bad,
    /// It is excused, or wants a look.
    Excused,
    /// Neither good nor bad.
    Neutral,
}

/// What came of all tests together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// How it is to be taken.
    pub tone: Tone,
    /// The sentence, without a full stop.
    pub text: String,
}

/// A circumstance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// What it is, such as "Commit".
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What came of the tests of one architecture on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The architecture.
    pub architecture: String,
    /// The device.
    pub device: String,
    /// The dispatch mode.
    pub dispatch: String,
    /// How many tests came to which outcome. Rows share a column where the word is the same.
    pub counts: Vec<Count>,
    /// Wall-clock time in seconds, where it is known.
    pub seconds: Option<f64>,
}

/// How many tests came to one outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The outcome's word, such as "pass".
    pub word: String,
    /// How it is to be taken.
    pub tone: Tone,
    /// How many tests.
    pub tests: u64,
}

/// What makes a claim, or a result, believable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// It was run again, and came out the same.
    Replayed,
    /// It was computed again from what was recorded.
    Recomputed,
    /// A key holder signed it.
    Signed,
    /// Somebody says so.
    Asserted,
}

impl Basis {
    /// Its name, as certification spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replayed => "replayed",
            Self::Recomputed => "recomputed",
            Self::Signed => "signed",
            Self::Asserted => "asserted",
        }
    }
}

/// Something that the report claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim.
    pub text: String,
    /// What it rests on.
    pub basis: Basis,
    /// Who could make it false without being noticed, or how to check it.
    pub doubt: String,
}

/// Tests that failed alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureGroup {
    /// What they have in common, in one line: the failure's signature.
    pub title: Option<String>,
    /// The tests; the first one is shown at full length.
    pub failures: Vec<Failure>,
}

/// A test that did not pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The test's name.
    pub name: String,
    /// The verdict in a word or two, such as "DEADLOCK".
    pub label: String,
    /// How it is to be taken.
    pub tone: Tone,
    /// Where the test is written, such as `suites/a/b.yaml:12`.
    pub written_at: Option<String>,
    /// What happened, the gist in the first line.
    pub lines: Vec<String>,
    /// Pictures of it.
    pub pictures: Vec<Picture>,
    /// What to do about it.
    pub remedies: Vec<Remedy>,
    /// The signature in the form that other commands read.
    pub signature: Option<String>,
    /// How earlier runs of the test ended, if it was run again.
    pub earlier: Vec<String>,
}

/// A line about what to do with a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    /// What the text is, such as "again" or "first bad".
    pub name: String,
    /// A command, a folder, a sentence.
    pub text: String,
    /// Whether the text is to be typed or copied.
    pub is_command: bool,
}

/// A failure that is excused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// Its name.
    pub name: String,
    /// The tests that it excuses, as it writes them.
    pub tests: Vec<String>,
    /// How many tests those are.
    pub matches: u64,
    /// The failure that it excuses.
    pub failure: String,
    /// Why.
    pub reason: String,
    /// Where more is said of it.
    pub link: Option<String>,
    /// The last day on which it holds, and how long that is, in words.
    pub until: String,
    /// How the expiry is to be taken.
    pub tone: Tone,
    /// Who approved it.
    pub approved_by: String,
}

/// How the results of two packages differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The package that this one is compared with.
    pub base: String,
    /// The kinds of differences, the worst first.
    pub groups: Vec<DifferenceGroup>,
}

/// Tests that differ in the same respect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferenceGroup {
    /// The respect, such as "passed, and fails now".
    pub title: String,
    /// How it is to be taken.
    pub tone: Tone,
    /// The tests, and what is different about each.
    pub tests: Vec<Fact>,
}

/// How far an output with a tolerance stays from its limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headroom {
    /// The test.
    pub test: String,
    /// The output.
    pub output: String,
    /// The part of the tolerance that the worst element uses: 0 for an exact output, 1 at the limit.
    pub used: f64,
    /// What is allowed.
    pub allowed: String,
}

/// Tests that are listed with a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasonList {
    /// What they have in common, such as "Skipped".
    pub title: String,
    /// How it is to be taken.
    pub tone: Tone,
    /// The reasons.
    pub reasons: Vec<Reason>,
}

/// A reason, and the tests that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The reason.
    pub reason: String,
    /// The tests.
    pub tests: Vec<String>,
}

/// A line of the list of all tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedTest {
    /// The test's name.
    pub name: String,
    /// The word of its outcome.
    pub word: String,
    /// How it is to be taken.
    pub tone: Tone,
    /// What the outcome rests on, in a package.
    pub basis: Option<Basis>,
    /// Wall-clock time in seconds, where it is known.
    pub seconds: Option<f64>,
}
