//! A baseline: the known failures and flakes of a device, in a file beside the suites or elsewhere.
//!
//! A suite says what is right everywhere; a baseline says what fails on one device today. A failure is known by its
//! test, its verdict and its signature, at [`MatchLevel::Same`]: another board, seed or address is no other failure, and
//! neither is a fault whose category is told more exactly now. A failure that the suite or the list of deviations excuses
//! needs no baseline, so the baseline judges last. A certification takes no baseline: it has waivers.
//!
//! The file is YAML, like suites and waivers, so that mistakes have their place and a suggestion. A signature in it has
//! the keys and values that it has in `signature.json` and in reports.

mod language;
mod renewed;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use hallmark_chip::FaultCategory;
use hallmark_schema::model::ContentHash;
use hallmark_suite::checks::Check;
use hallmark_suite::discover::{LoadedSuite, ResolveError, Root, SuiteFile};
use hallmark_suite::language::TestFailure;
use hallmark_suite::mistake::{LocatedMistake, Mistake, SourceText, Span};
use hallmark_suite::name::TestName;
use hallmark_suite::node::FILE_LIMIT;
use hallmark_suite::read::Choice as _;
use serde::{Deserialize, Serialize};

pub use self::renewed::{Changes, Renewed};
use super::test_result::TestResult;
use crate::signature::{MatchLevel, Signature};
use crate::verdict::{ExitCode, Mode, Verdict};

/// The largest file, in bytes.
pub const LIMIT: u64 = FILE_LIMIT;

/// The known failures of a device.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The file; absent for a baseline that was made here.
    source: Option<SourceText>,
    /// By test. Several of one test are flaky.
    known: BTreeMap<TestName, Vec<KnownFailure>>,
}

/// The identity of a run's baseline, for the run's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineIdentity {
    /// The path of the file, as the user named it.
    pub file: String,
    /// The hash of its text.
    pub hash: ContentHash,
}

impl fmt::Display for BaselineIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.file, self.hash.short())
    }
}

/// A failure that a baseline knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFailure {
    /// Its verdict, or the check that finds it.
    failure: TestFailure,
    /// Its signature. Without one, every failure with this verdict is known.
    signature: Option<Signature>,
    /// Whether the test may pass as well.
    is_flaky: bool,
    /// A person's words.
    reason: Option<String>,
    /// The place of the entry in the file.
    span: Span,
}

/// A result's standing against a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The baseline says nothing, and the test did not fail; or the result says nothing about the device.
    Unlisted,
    /// The test fails as the baseline knows.
    Known,
    /// A flake that passed.
    FlakePassed,
    /// The test fails, and the baseline does not name it.
    New,
    /// The test fails in another way than the baseline knows.
    Changed,
    /// The test does not fail any more.
    Passes,
}

impl KnownFailure {
    /// Whether a failure is this one.
    fn is(&self, result: &TestResult) -> bool {
        let name = self.failure.name();
        let is_named =
            result.verdict.name() == name || category(result).is_some_and(|it| it.name() == name);
        match (&self.signature, &result.signature) {
            (None, _) => is_named,
            (Some(known), Some(met)) => {
                is_named && known.matches(met, MatchLevel::Same)
                    // The verdict of another category may be another.
                    || category(result).is_some() && met.is_more_exact_than(known)
            }
            (Some(_), None) => false,
        }
    }

    /// The failure in words: its verdict and its signature.
    pub fn words(&self) -> String {
        words(self.failure.name(), self.signature.as_ref())
    }
}

/// The failure of a test in words: its verdict and its signature.
pub fn failure_in_words(result: &TestResult) -> String {
    words(result.verdict.name(), result.signature.as_ref())
}

/// A failure in words.
fn words(verdict: &str, signature: Option<&Signature>) -> String {
    match signature {
        Some(signature) => format!("{verdict}, {signature}"),
        None => verdict.to_owned(),
    }
}

/// The check that found a failure, if a check did.
const fn category(result: &TestResult) -> Option<FaultCategory> {
    match (&result.verdict, &result.signature) {
        (
            Verdict::Fault | Verdict::Deadlock | Verdict::Unsupported,
            Some(Signature::Fault { category, .. }),
        ) => Some(*category),
        _ => None,
    }
}

impl Baseline {
    /// The identity of the file; `None` for a baseline that was made here.
    pub fn identity(&self) -> Option<BaselineIdentity> {
        let SourceText { path, text } = self.source.as_ref()?;
        Some(BaselineIdentity { file: path.clone(), hash: ContentHash::of(text.as_bytes()) })
    }

    /// The number of known failures.
    pub fn len(&self) -> usize {
        self.known.values().map(Vec::len).sum()
    }

    /// Whether no failure is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The known failures of a test.
    pub fn of(&self, test: &TestName) -> &[KnownFailure] {
        self.known.get(test).map_or(&[], Vec::as_slice)
    }

    /// The standing of a result, whether or not it was judged already.
    pub fn standing(&self, result: &TestResult) -> Standing {
        let known = self.of(&result.name);
        let is_flaky = known.iter().any(|known| known.is_flaky);
        match &result.verdict {
            Verdict::Interrupted | Verdict::Skipped { .. } => Standing::Unlisted,
            Verdict::Pass | Verdict::ExpectedFailure { .. } | Verdict::KnownDeviation { .. } => {
                match known {
                    [] => Standing::Unlisted,
                    _ if is_flaky => Standing::FlakePassed,
                    _ => Standing::Passes,
                }
            }
            Verdict::KnownFailure { .. } => Standing::Known,
            Verdict::UnexpectedPass if known.is_empty() || is_flaky => Standing::New,
            Verdict::UnexpectedPass => Standing::Passes,
            Verdict::Mismatch
            | Verdict::Refused
            | Verdict::NotBuilt
            | Verdict::Unstable
            | Verdict::Changed
            | Verdict::Fault
            | Verdict::Deadlock
            | Verdict::Hang
            | Verdict::Crash
            | Verdict::Missing
            | Verdict::Unsupported
            | Verdict::InternalError => match known {
                [] => Standing::New,
                known if known.iter().any(|known| known.is(result)) => Standing::Known,
                _ => Standing::Changed,
            },
        }
    }

    /// Judges a result: a known failure lets a run succeed, and a pass that the baseline calls a failure does not.
    pub fn judge(&self, result: &mut TestResult) {
        let known = self.of(&result.name);
        let places: Vec<String> = known.iter().map(|known| self.place(known)).collect();
        match self.standing(result) {
            Standing::Unlisted | Standing::FlakePassed | Standing::New => {}
            Standing::Known => self.excuse(result, known.iter().find(|known| known.is(result))),
            Standing::Changed if Check::BaselineSignature.finds(true) => {
                for (known, place) in known.iter().zip(places) {
                    result.lines.push(format!("{place} knows another failure: {}", known.words()));
                }
            }
            Standing::Changed => self.excuse(result, known.first()),
            Standing::Passes
                if Check::BaselinePass.finds(result.verdict.is_success(Mode::Ordinary)) =>
            {
                let what: Vec<String> = known.iter().map(KnownFailure::words).collect();
                let place = places.first().cloned().unwrap_or_default();
                let ends = match result.verdict.reason() {
                    Some(reason) => format!("it is excused already ({reason})"),
                    None => "it passed".to_owned(),
                };
                result.verdict = Verdict::UnexpectedPass;
                result.exit_code = Verdict::UnexpectedPass.exit_code();
                result.lines = vec![
                    format!("{ends}, and {place} knows a failure: {}", what.join("; ")),
                    "Remove the entry, or say `flaky: true` there.".to_owned(),
                ];
                result.details.written_at = Some(place);
            }
            Standing::Passes => {}
        }
    }

    /// Makes a result a known failure.
    fn excuse(&self, result: &mut TestResult, known: Option<&KnownFailure>) {
        // A result that was judged before has no entry that it could be compared with.
        let Some(known) = known else { return };
        let failure = failure_in_words(result);
        let reason = match &known.reason {
            Some(reason) => format!("{failure}; {reason}"),
            None => failure,
        };
        result.verdict = Verdict::KnownFailure { reason };
        result.exit_code = ExitCode::SUCCESS;
    }

    /// The file and the line of an entry.
    fn place(&self, known: &KnownFailure) -> String {
        let located = self.located(Mistake::new("", known.span, ""));
        let (line, _) = located.line_and_column();
        format!("{}:{line}", located.file.path)
    }

    fn located(&self, mistake: Mistake) -> LocatedMistake {
        let nowhere = || SourceText { path: "the baseline".to_owned(), text: "".into() };
        LocatedMistake { file: self.source.clone().unwrap_or_else(nowhere), mistake }
    }

    /// Takes away the entries of tests that a root does not have, and gives each as a mistake. Mistakes of suites are
    /// told where the suites are used.
    pub fn take_stale(&mut self, root: &Root) -> Vec<LocatedMistake> {
        let mut suites: BTreeMap<SuiteFile, Option<LoadedSuite>> = BTreeMap::new();
        let mut stale = Vec::new();
        for (name, known) in &self.known {
            let file = SuiteFile::of(name);
            let is_there = root.folder().join(file.path()).is_file();
            let no_file = || format!("there is no {}", file.path());
            let suite = suites
                .entry(file.clone())
                .or_insert_with(|| if is_there { root.load(&file).ok() } else { None });
            let help = match suite {
                None if is_there => continue,
                None => no_file(),
                Some(suite) => match suite.select(name) {
                    Err(ResolveError::NoSuchTest { help, .. }) => help,
                    Err(ResolveError::Mistakes(_)) | Ok(_) => continue,
                },
            };
            let message = format!("there is no test {name}");
            let help = format!("{help}; remove the entry, or let --write-baseline leave it out");
            let spans = known.iter().map(|known| known.span);
            let mistakes = spans.map(|span| self.located(Mistake::new(&message, span, &help)));
            stale.extend(mistakes.map(|mistake| (name.clone(), mistake)));
        }
        for (name, _) in &stale {
            self.known.remove(name);
        }
        stale.into_iter().map(|(_, mistake)| mistake).collect()
    }
}
