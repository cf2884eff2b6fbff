//! Groups of equal failures, for HTML reports and the terminal.

use hallmark_report::{Failure, FailureGroup};

use crate::TestResult;
use crate::signature::{MatchLevel, Signature};
use crate::verdict::Verdict;

/// The properties by which failures are compared.
#[derive(Clone, Copy, Debug)]
pub struct Likeness<'a> {
    /// The verdict.
    pub verdict: &'a Verdict,
    /// Whether a waiver excuses the failure.
    pub is_waived: bool,
    /// The signature of a failure that says something about the device and its programs.
    pub signature: Option<&'a Signature>,
    /// The report lines, by which failures without a signature are compared.
    pub lines: &'a [String],
}

impl<'a> Likeness<'a> {
    /// That of a test's result, which no waiver excuses.
    pub fn of(result: &'a TestResult) -> Self {
        Self {
            verdict: &result.verdict,
            is_waived: false,
            signature: result.signature.as_ref(),
            lines: &result.lines,
        }
    }
}

impl Likeness<'_> {
    /// Whether two failures are equal: by their signatures, if both have one.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        if (self.is_waived, self.verdict) != (other.is_waived, other.verdict) {
            return false;
        }
        match (self.signature, other.signature) {
            (Some(one), Some(another)) => {
                one.matches(another, MatchLevel::Same)
                    && (!says_why_itself(one) || self.headline() == other.headline())
            }
            // Missing goldens, and interrupted tests, each have a common reason.
            (None, None) => {
                matches!(self.verdict, Verdict::Missing | Verdict::Interrupted)
                    || self.lines.first() == other.lines.first()
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

impl Likeness<'_> {
    /// The first report line without its numbers, which differ from test to test.
    fn headline(&self) -> Option<String> {
        let line = self.lines.first()?;
        let words = line.split(|letter: char| letter.is_ascii_digit());
        Some(words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("0"))
    }
}

/// Whether the report's first line tells the broken rule and the signature does not: a category of faults holds many rules.
/// Each rule has its own sentence with a remedy.
const fn says_why_itself(signature: &Signature) -> bool {
    matches!(signature, Signature::Fault { .. })
}

/// The groups, in the order of their first failures.
pub fn failure_groups<'a>(
    failures: impl IntoIterator<Item = (Likeness<'a>, Failure)>,
) -> Vec<FailureGroup> {
    let mut groups: Vec<(Likeness<'_>, FailureGroup)> = Vec::new();
    for (likeness, failure) in failures {
        match groups.iter_mut().find(|(first, _)| first.is_like(&likeness)) {
            Some((_, group)) => group.failures.push(failure),
            None => {
                let title = likeness.signature.map(ToString::to_string);
                groups.push((likeness, FailureGroup { title, failures: vec![failure] }));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
