//! A run's results as JUnit XML, which CI servers show: a test case for each test, the verdict as its type.
//! A test that did not run is one that was skipped: JUnit has no other word for it.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{EarlyEnd, RunReport, failure};
use crate::verdict::{Mode, Verdict};

/// The report as JUnit XML.
pub fn junit(report: &RunReport) -> Result<String, quick_junit::SerializeError> {
    let mut document = Report::new("hallmark");
    for (architecture, device) in &report.device_names() {
        let mut suite = TestSuite::new(format!("{architecture} on {device}"));
        for result in report.results.iter().filter(|it| it.name.architecture == *architecture) {
            let status = match &result.verdict {
                Verdict::Skipped { reason } => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message(reason.as_str());
                    status
                }
                verdict if verdict.is_success(Mode::Ordinary) => TestCaseStatus::success(),
                verdict => {
                    let kind = match verdict {
                        Verdict::Mismatch | Verdict::Unstable | Verdict::Missing => {
                            NonSuccessKind::Failure
                        }
                        _ => NonSuccessKind::Error,
                    };
                    let mut status = TestCaseStatus::non_success(kind);
                    status.set_type(verdict.name());
                    status.set_message(result.lines.first().map_or("", String::as_str));
                    status.set_description(failure(result));
                    status
                }
            };
            let mut case = TestCase::new(result.name.to_string(), status);
            case.set_classname(result.name.case_name());
            case.set_time(result.elapsed);
            suite.add_test_case(case);
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
    document.to_string()
}
