//! The content of a report, as plain data. Strings need not be escaped, shortened or trusted.

use serde::{Deserialize, Serialize};

use crate::picture::Picture;

/// The content of a report, in the order of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// What kind of report it is, such as "Run" or "Conformance package".
    pub kind: String,
    /// The subject, such as the devices of a run or the name of a package.
    pub subject: String,
    /// The result, in one sentence.
    pub conclusion: Conclusion,
    /// Remarks that qualify the conclusion: tests without a report, goldens without a test.
    pub remarks: Vec<String>,
    /// Circumstances: commit, version, devices.
    pub facts: Vec<Fact>,
    /// A row for each architecture, device and dispatch mode.
    pub rows: Vec<Row>,
    /// The claims, and their bases.
    pub claims: Vec<Claim>,
    /// Tests that did not pass; those with the same failure are grouped.
    pub failures: Vec<FailureGroup>,
    /// Failures that are excused until a date.
    pub waivers: Vec<Waiver>,
    /// The differences from the results of another package.
    pub difference: Option<Difference>,
    /// The distance of outputs with a tolerance from its limit, the closest first.
    pub headroom: Vec<Headroom>,
    /// Tests that are listed with a reason: skipped, expected to fail, not run.
    pub reasons: Vec<ReasonList>,
    /// Every test.
    pub tests: Vec<ListedTest>,
}

/// The meaning of a colour or mark. A word always accompanies it.
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

/// The overall result of all tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// The tone of the sentence.
    pub tone: Tone,
    /// The sentence, without a full stop.
    pub text: String,
}

/// A circumstance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Its name, such as "Commit".
    pub name: String,
    /// Its value.
    pub value: String,
}

/// The results of the tests of one architecture on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The architecture.
    pub architecture: String,
    /// The device.
    pub device: String,
    /// The dispatch mode.
    pub dispatch: String,
    /// The number of tests of each outcome. Rows share a column for equal words.
    pub counts: Vec<Count>,
    /// Wall-clock time in seconds, if known.
    pub seconds: Option<f64>,
}

/// The number of tests of one outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The outcome's word, such as "pass".
    pub word: String,
    /// The tone of the outcome.
    pub tone: Tone,
    /// The number of tests.
    pub tests: u64,
}

/// The basis of a claim or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The result was reproduced by another run.
    Replayed,
    /// The result was recomputed from the recorded data.
    Recomputed,
    /// The result was recomputed from data that a submitter recorded, and nobody has repeated the run.
    Submitted,
    /// A key holder signed it.
    Signed,
    /// The submitter asserts it.
    Asserted,
}

impl Basis {
    /// The name in certification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replayed => "replayed",
            Self::Recomputed => "recomputed",
            Self::Submitted => "submitted",
            Self::Signed => "signed",
            Self::Asserted => "asserted",
        }
    }
}

/// A claim of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim.
    pub text: String,
    /// Its basis.
    pub basis: Basis,
    /// Who could falsify it undetected, or how to check it.
    pub doubt: String,
}

/// Tests with the same failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureGroup {
    /// The common signature of the failure, in one line.
    pub title: Option<String>,
    /// The tests; the first one is shown in full.
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
    /// The tone of the verdict.
    pub tone: Tone,
    /// The position of the test in its suite, such as `suites/a/b.yaml:12`.
    pub written_at: Option<String>,
    /// The report of the failure; the first line is its gist.
    pub lines: Vec<String>,
    /// Pictures of the failure.
    pub pictures: Vec<Picture>,
    /// Remedies.
    pub remedies: Vec<Remedy>,
    /// The signature in the form for other commands.
    pub signature: Option<String>,
    /// The results of earlier runs of the test, if it was repeated.
    pub earlier: Vec<String>,
}

/// A suggestion for a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    /// The name of the suggestion, such as "again" or "first bad".
    pub name: String,
    /// A command, a folder, a sentence.
    pub text: String,
    /// Whether the text is a command to type or copy.
    pub is_command: bool,
}

/// An excused failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// Its name.
    pub name: String,
    /// The excused tests, as the waiver writes them.
    pub tests: Vec<String>,
    /// The number of these tests.
    pub matches: u64,
    /// The excused failure.
    pub failure: String,
    /// The reason.
    pub reason: String,
    /// A link to further information.
    pub link: Option<String>,
    /// The last day of validity, and the time until then, in words.
    pub until: String,
    /// The tone of the expiry.
    pub tone: Tone,
    /// The approver.
    pub approved_by: String,
}

/// The differences between the results of two packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The package that is compared with.
    pub base: String,
    /// The kinds of differences, the worst first.
    pub groups: Vec<DifferenceGroup>,
}

/// Tests with the same kind of difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferenceGroup {
    /// The kind, such as "passed, and fails now".
    pub title: String,
    /// The tone of the kind.
    pub tone: Tone,
    /// The tests, with the difference of each.
    pub tests: Vec<Fact>,
}

/// The distance of an output from its tolerance limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headroom {
    /// The test.
    pub test: String,
    /// The output.
    pub output: String,
    /// The part of the tolerance that the worst element uses: 0 for an exact output, 1 at the limit.
    pub used: f64,
    /// The tolerance.
    pub allowed: String,
}

/// Tests that are listed with a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasonList {
    /// The common property, such as "Skipped".
    pub title: String,
    /// The tone of the list.
    pub tone: Tone,
    /// The reasons.
    pub reasons: Vec<Reason>,
}

/// A reason, and its tests.
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
    /// The tone of the outcome.
    pub tone: Tone,
    /// The basis of the outcome, in a package.
    pub basis: Option<Basis>,
    /// Wall-clock time in seconds, if known.
    pub seconds: Option<f64>,
}
