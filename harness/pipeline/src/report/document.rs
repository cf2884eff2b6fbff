//! A run's report in JSON, written by `hallmark run` and read by `hallmark report merge`.

use std::collections::BTreeMap;
use std::time::Duration;

use hallmark_chip::{Architecture, KernelRuns};
use hallmark_execution::executor::Dispatch;
use hallmark_report::Picture;
use hallmark_report::untrusted::for_json;
use hallmark_suite::name::{TestName, TestNameError};
use serde::{Deserialize, Serialize};

use super::{EarlyEnd, RunReport, SelectedTests, StopReason};
use crate::FirstBadLine;
use crate::baseline::BaselineIdentity;
use crate::commit::Commit;
use crate::seeds::SeedsError;
use crate::shard::Shard;
use crate::signature::Signature;
use crate::verdict::{ExitCode, Verdict};
use crate::{FailureDetails, Remedy, RemedyKind, Sightings, TestResult};

/// The version of this document. Adding fields does not change it.
const VERSION: u32 = 1;
/// The version of Hallmark.
const HALLMARK: &str = env!("CARGO_PKG_VERSION");

/// A run's report with JSON's field names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    version: u32,
    hallmark: String,
    commit: Option<Commit>,
    selection: SelectionDocument,
    missing_shards: Vec<String>,
    devices: BTreeMap<Architecture, String>,
    replay_devices: BTreeMap<Architecture, String>,
    /// Absent in reports that do not state it.
    #[serde(default)]
    dispatch: BTreeMap<Architecture, String>,
    without_goldens: Vec<Architecture>,
    seconds: BTreeMap<Architecture, f64>,
    /// Absent if the run had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineIdentity>,
    schedule_seeds: String,
    tests: Vec<TestDocument>,
    stopped_by: Option<String>,
    did_not_run: Vec<String>,
    unused_goldens: Vec<String>,
}

/// The selected tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SelectionDocument {
    architectures: Vec<Architecture>,
    tests: usize,
    shard: Option<Shard>,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestDocument {
    name: String,
    verdict: String,
    exit_code: u8,
    seconds: f64,
    reason: Option<String>,
    report: Vec<String>,
    earlier_runs: Vec<EarlierRunDocument>,
    /// Absent if the test passed, or if the failure does not concern the device and its programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
    /// Absent if the test passed, or if its first bad command was not searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_bad: Option<FirstBadLine>,
    /// The line in the suite; absent if the test passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written_at: Option<String>,
    /// Remedies; they are also the last lines of the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    remedies: Vec<RemedyDocument>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<Picture>,
    /// Whether `--strict-isa` may give another result; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    relies_on_atomics_behind_writes: bool,
    /// The kernels that have run, by what the device judged them by; absent if there are none.
    #[serde(default, skip_serializing_if = "KernelRuns::is_empty")]
    kernel_runs: KernelRuns,
    /// Calls that took place and may be mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A remedy of a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RemedyDocument {
    kind: String,
    text: String,
}

/// The result of a test's run before it was repeated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierRunDocument {
    verdict: String,
    exit_code: u8,
    seconds: f64,
    report: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
}

/// Why a file is not the report of a run.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The text is not JSON, or a field is missing or unknown.
    #[error("not a report of this version of hallmark: {0}")]
    Json(#[from] serde_json::Error),
    /// The document has another version.
    #[error("a report of version {0}; this hallmark reads version {VERSION}")]
    Version(u32),
    /// Another version of Hallmark wrote the document.
    #[error(
        "a report of hallmark {0}; this is hallmark {HALLMARK}, and only its own reports are read"
    )]
    Hallmark(String),
    /// An invalid test name.
    #[error(transparent)]
    Name(#[from] TestNameError),
    /// Invalid seeds.
    #[error(transparent)]
    Seeds(#[from] SeedsError),
    /// An unknown verdict.
    #[error("{test}: `{verdict}` is not a verdict, or the reason for it is missing")]
    Verdict {
        /// The test.
        test: String,
        /// The text in place of the verdict.
        verdict: String,
    },
    /// An unknown exit code, or one that does not match its verdict.
    #[error("{test}: {code} is not an exit code of the verdict {verdict}")]
    ExitCode {
        /// The test.
        test: String,
        /// The code.
        code: u8,
        /// The verdict.
        verdict: &'static str,
    },
    /// A duration that is negative or not a number.
    #[error("{0} seconds is not a duration")]
    Seconds(f64),
    /// An unknown remedy.
    #[error("`{0}` is no remedy")]
    Remedy(String),
    /// An unknown dispatch mode.
    #[error("`{0}` is no dispatch mode")]
    Dispatch(String),
    /// An unknown reason for stopping the run.
    #[error("`{0}` stops no run")]
    StopReason(String),
}

impl Document {
    /// The text of the document.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = for_json(&serde_json::to_string_pretty(self)?);
        text.push('\n');
        Ok(text)
    }

    /// Reads what [`Self::to_json`] wrote.
    ///
    /// # Errors
    /// The problem of the text.
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        let document: Self = serde_json::from_str(text)?;
        if document.version != VERSION {
            return Err(DocumentError::Version(document.version));
        }
        if document.hallmark != HALLMARK {
            return Err(DocumentError::Hallmark(document.hallmark));
        }
        Ok(document)
    }
}

impl From<&RunReport> for Document {
    fn from(report: &RunReport) -> Self {
        let none = Vec::new();
        let test = |result: &TestResult| TestDocument {
            name: result.name.to_string(),
            verdict: result.verdict.name().to_owned(),
            exit_code: result.exit_code.number(),
            seconds: result.elapsed.as_secs_f64(),
            reason: result.verdict.reason().map(str::to_owned),
            report: result.report(),
            earlier_runs: report
                .earlier_runs
                .get(&result.name)
                .unwrap_or(&none)
                .iter()
                .map(|earlier| EarlierRunDocument {
                    verdict: earlier.verdict.name().to_owned(),
                    exit_code: earlier.exit_code.number(),
                    seconds: earlier.elapsed.as_secs_f64(),
                    report: earlier.report(),
                    signature: earlier.signature.clone(),
                })
                .collect(),
            signature: result.signature.clone(),
            first_bad: result.first_bad.clone(),
            written_at: result.details.written_at.clone(),
            remedies: result.details.remedies.iter().map(RemedyDocument::from).collect(),
            pictures: result.details.pictures.clone(),
            relies_on_atomics_behind_writes: result.relies_on_atomics_behind_writes,
            kernel_runs: result.kernel_runs,
            warnings: result.warnings.clone(),
        };
        let SelectedTests { architectures, tests, shard } = &report.selected;
        Self {
            version: VERSION,
            hallmark: HALLMARK.to_owned(),
            commit: report.commit.clone(),
            selection: SelectionDocument {
                architectures: architectures.clone(),
                tests: *tests,
                shard: *shard,
            },
            missing_shards: report.missing_shards.clone(),
            devices: report.devices.iter().cloned().collect(),
            replay_devices: report.replay_devices.iter().cloned().collect(),
            dispatch: report
                .dispatch
                .iter()
                .map(|(architecture, dispatch)| (*architecture, dispatch.name().to_owned()))
                .collect(),
            without_goldens: report.without_goldens.clone(),
            seconds: report
                .elapsed
                .iter()
                .map(|(architecture, elapsed)| (*architecture, elapsed.as_secs_f64()))
                .collect(),
            baseline: report.baseline.clone(),
            schedule_seeds: report.seeds.to_string(),
            tests: report.results.iter().map(test).collect(),
            stopped_by: report.early_end.as_ref().map(|end| end.reason.name().to_owned()),
            did_not_run: report.did_not_run().iter().map(TestName::to_string).collect(),
            unused_goldens: report.unused_goldens.clone(),
        }
    }
}

impl TryFrom<Document> for RunReport {
    type Error = DocumentError;

    fn try_from(document: Document) -> Result<Self, DocumentError> {
        let mut results = Vec::new();
        let mut earlier_runs = BTreeMap::new();
        for test in document.tests {
            let name: TestName = test.name.parse()?;
            let mut earlier = Vec::new();
            for run in test.earlier_runs {
                let EarlierRunDocument { verdict, exit_code, seconds, report, signature } = run;
                let run = result(&name, &verdict, None, exit_code, seconds, report)?;
                earlier.push(TestResult { signature, ..run });
            }
            if !earlier.is_empty() {
                earlier_runs.insert(name.clone(), earlier);
            }
            let TestDocument {
                verdict,
                exit_code,
                seconds,
                reason,
                report,
                signature,
                first_bad,
                written_at,
                remedies,
                pictures,
                relies_on_atomics_behind_writes,
                kernel_runs,
                warnings,
                name: _,
                earlier_runs: _,
            } = test;
            let remedies = remedies.into_iter().map(Remedy::try_from).collect::<Result<_, _>>()?;
            let details = FailureDetails { written_at, remedies, pictures };
            let reason = reason.as_deref();
            let test = result(&name, &verdict, reason, exit_code, seconds, report)?;
            let mut test = TestResult {
                relies_on_atomics_behind_writes,
                kernel_runs,
                signature,
                first_bad,
                details,
                warnings,
                ..test
            };
            // The last lines of the report are the remedies.
            let lines = test.lines.len().saturating_sub(test.remedies().len());
            test.lines.truncate(lines);
            results.push(test);
        }
        let did_not_run = document.did_not_run.iter().map(|name| name.parse());
        let did_not_run = did_not_run.collect::<Result<Vec<TestName>, _>>()?;
        let early_end = match document.stopped_by {
            None => None,
            Some(name) => {
                let reason = StopReason::named(&name).ok_or(DocumentError::StopReason(name))?;
                Some(EarlyEnd { reason, did_not_run })
            }
        };
        let elapsed = document.seconds.into_iter();
        let elapsed = elapsed.map(|(architecture, seconds)| Ok((architecture, duration(seconds)?)));
        let SelectionDocument { architectures, tests, shard } = document.selection;
        Ok(Self {
            commit: document.commit,
            selected: SelectedTests { architectures, tests, shard },
            missing_shards: document.missing_shards,
            results,
            earlier_runs,
            devices: document.devices.into_iter().collect(),
            replay_devices: document.replay_devices.into_iter().collect(),
            dispatch: document
                .dispatch
                .into_iter()
                .map(|(architecture, name)| match Dispatch::named(&name) {
                    Some(dispatch) => Ok((architecture, dispatch)),
                    None => Err(DocumentError::Dispatch(name)),
                })
                .collect::<Result<_, _>>()?,
            without_goldens: document.without_goldens,
            elapsed: elapsed.collect::<Result<_, DocumentError>>()?,
            baseline: document.baseline,
            seeds: document.schedule_seeds.parse()?,
            unused_goldens: document.unused_goldens,
            early_end,
        })
    }
}

impl From<&Remedy> for RemedyDocument {
    fn from(remedy: &Remedy) -> Self {
        Self { kind: remedy.kind.name().to_owned(), text: remedy.text.clone() }
    }
}

impl TryFrom<RemedyDocument> for Remedy {
    type Error = DocumentError;

    fn try_from(remedy: RemedyDocument) -> Result<Self, DocumentError> {
        let kind = RemedyKind::named(&remedy.kind).ok_or(DocumentError::Remedy(remedy.kind))?;
        Ok(Self { kind, text: remedy.text })
    }
}

fn duration(seconds: f64) -> Result<Duration, DocumentError> {
    Duration::try_from_secs_f64(seconds).map_err(|_| DocumentError::Seconds(seconds))
}

fn result(
    name: &TestName,
    verdict: &str,
    reason: Option<&str>,
    exit_code: u8,
    seconds: f64,
    lines: Vec<String>,
) -> Result<TestResult, DocumentError> {
    let unknown = || DocumentError::Verdict { test: name.to_string(), verdict: verdict.to_owned() };
    let verdict = Verdict::named(verdict, reason).ok_or_else(unknown)?;
    let wrong = || DocumentError::ExitCode {
        test: name.to_string(),
        code: exit_code,
        verdict: verdict.name(),
    };
    let code = ExitCode::numbered(exit_code).ok_or_else(wrong)?;
    // A failure with the exit code of success would be hidden.
    let succeeds = verdict.is_success(crate::verdict::Mode::Ordinary);
    if succeeds != (code == ExitCode::SUCCESS) {
        return Err(wrong());
    }
    Ok(TestResult {
        name: name.clone(),
        verdict,
        exit_code: code,
        lines,
        elapsed: duration(seconds)?,
        broken_kernel: None,
        sightings: Sightings::default(),
        warnings: Vec::new(),
        printed: Vec::new(),
        signature: None,
        excused: None,
        relies_on_atomics_behind_writes: false,
        kernel_runs: KernelRuns::default(),
        first_bad: None,
        details: FailureDetails::default(),
    })
}

#[cfg(test)]
mod tests {
    use hallmark_execution::interrupt::Signal;
    use hallmark_report::WaitChart;
    use hallmark_schema::model::ContentHash;

    use super::*;
    use crate::report::samples;

    #[test]
    fn a_report_that_was_read_says_all_that_was_written() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        let mut report = samples::report(&[Verdict::Pass]);
        let document = |report: &RunReport| Document::from(report).to_json().unwrap();
        let again =
            |text: &str| -> RunReport { Document::from_json(text).unwrap().try_into().unwrap() };
        assert!(again(&document(&report)).earlier_runs.is_empty());
        // A reader that does not know signatures can still read passed tests.
        assert!(!document(&report).contains("signature"));

        let mut earlier = samples::report(&[Verdict::Hang]).results;
        earlier[0].lines = vec!["it hung".to_owned()];
        earlier[0].signature = Some(Signature::Hang { program: Some("loop".to_owned()) });
        report.results[0].signature = Some(Signature::Hang { program: None });
        report.results[0].lines = vec!["it hangs".to_owned()];
        report.results[0].relies_on_atomics_behind_writes = true;
        report.results[0].kernel_runs = KernelRuns { by_words: 3, ..KernelRuns::default() };
        let remedy = |kind| Remedy { kind, text: "somewhere".to_owned() };
        report.results[0].details = FailureDetails {
            written_at: Some("suites/a.yaml:3".to_owned()),
            remedies: RemedyKind::ALL.map(remedy).to_vec(),
            pictures: vec![Picture::Waits(WaitChart { cores: Vec::new(), edges: Vec::new() })],
        };
        report.results[0].warnings = vec!["command 7: beware".to_owned()];
        report.dispatch = vec![(Architecture::WormholeB0, Dispatch::Overlap)];
        report.earlier_runs.insert(name.clone(), earlier);
        report.elapsed = vec![(Architecture::WormholeB0, Duration::from_millis(1500))];
        report.replay_devices = vec![(Architecture::WormholeB0, "ttsim".to_owned())];
        let file = "card.yaml".to_owned();
        report.baseline = Some(BaselineIdentity { file, hash: ContentHash::of(b"x") });
        report.unused_goldens = vec!["goldens/unused".to_owned()];
        let did_not_run = vec![name];
        let reason = StopReason::Signal(Signal::Interrupt);
        report.early_end = Some(EarlyEnd { reason, did_not_run });
        let text = document(&report);
        let read = again(&text);
        assert_eq!(document(&read), text);
        assert!(text.contains(r#""kept      somewhere""#), "{text}");
        assert_eq!(read.results[0].lines, ["it hangs"]);
        assert_eq!(read.results[0].details, report.results[0].details);
        assert_eq!(read.results[0].warnings, report.results[0].warnings);
        assert_eq!(read.early_end, report.early_end);
        assert_eq!(read.baseline, report.baseline);
        let kept: Vec<&TestResult> = read.earlier_runs.values().flatten().collect();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].lines, ["it hung"]);
        let program = Some("loop".to_owned());
        assert_eq!(kept[0].signature, Some(Signature::Hang { program }));
        assert_eq!(read.results[0].signature, Some(Signature::Hang { program: None }));
    }
}
