//! The slowest tests.

use super::RunReport;
use crate::TestResult;

/// The `count` slowest tests, one line each; empty for a count of 0.
pub fn slowest(report: &RunReport, count: usize) -> String {
    let mut results: Vec<&TestResult> = report.results.iter().collect();
    // Tests with equal times stay in listing order.
    results.sort_by_key(|result| std::cmp::Reverse(result.elapsed));
    let mut text = String::new();
    for (place, result) in results.iter().take(count).enumerate() {
        if place == 0 {
            text.push_str("   slowest:\n");
        }
        text.push_str(&format!("   {:>7.2} s {}\n", result.elapsed.as_secs_f64(), result.name));
    }
    text
}
