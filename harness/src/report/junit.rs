//! A run's results as JUnit XML, which CI servers show: a test case for each test, the verdict as its type.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{RunReport, failure};
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
        document.add_test_suite(suite);
    }
    document.to_string()
}
