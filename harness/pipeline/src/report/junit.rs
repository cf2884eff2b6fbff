//! A run's results as JUnit XML for CI servers: a test case for each test, with the verdict as its type. A test
//! that did not run is reported as skipped, because JUnit has no other word for it.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use hallmark_report::untrusted::for_message;

use super::{EarlyEnd, RunReport, failure};
use crate::TestResult;
use crate::verdict::{Mode, Verdict};

/// The report as JUnit XML.
pub fn junit(report: &RunReport) -> Result<String, quick_junit::SerializeError> {
    let mut document = Report::new("hallmark");
    for (architecture, device) in &report.device_names() {
        let mut suite = TestSuite::new(format!("{architecture} on {device}"));
        for result in report.results.iter().filter(|it| it.name.architecture == *architecture) {
            let mut status = match &result.verdict {
                Verdict::Skipped { reason } => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message(reason.as_str());
                    status
                }
                // JUnit has only passes and failures.
                verdict @ Verdict::KnownDeviation { reason } => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_type(verdict.name());
                    status.set_message(format!("known deviation {reason}"));
                    status
                }
                verdict @ Verdict::KnownFailure { reason } => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_type(verdict.name());
                    status.set_message(format!("known failure: {reason}"));
                    status
                }
                verdict if verdict.is_success(Mode::Ordinary) => TestCaseStatus::success(),
                verdict => {
                    let mut status = TestCaseStatus::non_success(kind(verdict));
                    status.set_type(verdict.name());
                    status.set_message(result.lines.first().map_or("", String::as_str));
                    status.set_description(failure(result));
                    status
                }
            };
            let earlier = report.earlier_runs.get(&result.name);
            status.add_reruns(earlier.into_iter().flatten().map(rerun));
            let mut case = TestCase::new(result.name.to_string(), status);
            case.set_classname(result.name.case_name());
            case.set_time(result.elapsed);
            let signature = result.signature.as_ref();
            if let Some(signature) = signature.and_then(|it| serde_json::to_string(it).ok()) {
                case.add_property(("signature", signature.as_str()));
            }
            if let Some(first_bad) = &result.first_bad {
                case.add_property(("first_bad", first_bad.text.as_str()));
                if !first_bad.written.is_empty() {
                    case.add_property(("written", first_bad.written.join("; ").as_str()));
                }
            }
            suite.add_test_case(case);
        }
        if let Some(baseline) = &report.baseline {
            suite.add_property(("baseline", baseline.to_string().as_str()));
        }
        if let Some(EarlyEnd { reason, did_not_run }) = &report.early_end {
            let tests = did_not_run.iter().filter(|name| name.architecture == *architecture);
            suite.add_property(("stopped_by", reason.name()));
            suite.add_property(("did_not_run", tests.clone().count().to_string().as_str()));
            for name in tests {
                let mut status = TestCaseStatus::skipped();
                status.set_type("DidNotRun");
                status.set_message(format!("did not run: {} stopped the run", reason.name()));
                let mut case = TestCase::new(name.to_string(), status);
                case.set_classname(name.case_name());
                suite.add_test_case(case);
            }
        }
        document.add_test_suite(suite);
    }
    Ok(for_message(&document.to_string()?))
}

/// JUnit's kind for an unsuccessful verdict: a failed check, or an error that prevented the check.
const fn kind(verdict: &Verdict) -> NonSuccessKind {
    match verdict {
        Verdict::Mismatch
        | Verdict::Refused
        | Verdict::Unstable
        | Verdict::Changed
        | Verdict::Missing => NonSuccessKind::Failure,
        Verdict::Pass
        | Verdict::NotBuilt
        | Verdict::Fault
        | Verdict::Deadlock
        | Verdict::Hang
        | Verdict::Crash
        | Verdict::Unsupported
        | Verdict::Skipped { .. }
        | Verdict::ExpectedFailure { .. }
        | Verdict::KnownDeviation { .. }
        | Verdict::KnownFailure { .. }
        | Verdict::UnexpectedPass
        | Verdict::Interrupted
        | Verdict::InternalError => NonSuccessKind::Error,
    }
}

/// The result of a test's run before it was repeated.
fn rerun(earlier: &TestResult) -> TestRerun {
    let mut rerun = TestRerun::new(kind(&earlier.verdict));
    rerun.set_type(earlier.verdict.name());
    rerun.set_message(earlier.lines.first().map_or("", String::as_str));
    rerun.set_description(failure(earlier));
    rerun.set_time(earlier.elapsed);
    rerun
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_execution::interrupt::Signal;

    use super::*;
    use crate::report::{StopReason, samples};
    use crate::signature::Signature;

    #[test]
    fn a_failure_is_described_as_on_the_terminal() {
        let mut report = samples::report(&[Verdict::Mismatch]);
        report.results[0].lines = vec!["the first line".to_owned(), "the second".to_owned()];
        let text = junit(&report).unwrap();
        let described = "FAIL wormhole_b0::group::suite::case\n  the first line\n  the second<";
        assert!(text.contains(described), "{text}");
        assert!(!text.contains("signature"), "{text}");
        report.results[0].signature = Some(Signature::Hang { program: None });
        let signed = junit(&report).unwrap();
        let property =
            r#"<property name="signature" value="{&quot;hang&quot;:{&quot;program&quot;:null}}"/>"#;
        assert!(signed.contains(property), "{signed}");
        assert!(
            text.contains("type=\"Mismatch\"") && text.contains("=\"the first line\""),
            "{text}"
        );
    }

    #[test]
    fn a_known_deviation_is_neither_a_pass_nor_a_failure() {
        let reason = "`lax` of tt_metal: R.".to_owned();
        let text = junit(&samples::report(&[Verdict::KnownDeviation { reason }])).unwrap();
        let skipped =
            r#"<skipped message="known deviation `lax` of tt_metal: R." type="KnownDeviation""#;
        assert!(text.contains(skipped), "{text}");
        assert!(text.contains(r#"failures="0""#) && text.contains(r#"errors="0""#), "{text}");
    }

    #[test]
    fn what_did_not_run_stands_under_its_own_chip() {
        let mut report = samples::report(&[Verdict::Pass]);
        report.devices.push((Architecture::Blackhole, "sim".to_owned()));
        let other = "wormhole_b0::group::suite::other".parse().unwrap();
        let did_not_run = vec![other, "blackhole::group::suite::case".parse().unwrap()];
        let reason = StopReason::Signal(Signal::Terminate);
        report.early_end = Some(EarlyEnd { reason, did_not_run });
        let text = junit(&report).unwrap();
        let suites: Vec<&str> = text.split("<testsuite ").skip(1).collect();
        assert_eq!(suites.len(), 2, "{text}");
        for (suite, tests) in suites.iter().zip([2, 1]) {
            assert_eq!(suite.matches("<testcase ").count(), tests, "{suite}");
            assert!(suite.contains(r#"<property name="did_not_run" value="1"/>"#), "{suite}");
        }
        assert_eq!(text.matches(r#"<testcase name="blackhole::"#).count(), 1, "{text}");
    }
}
