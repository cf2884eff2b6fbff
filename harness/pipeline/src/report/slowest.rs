//! The tests that took the longest.

use super::RunReport;
use crate::TestResult;

/// So many of the slowest tests, a line each; nothing if none is asked for.
pub fn slowest(report: &RunReport, count: usize) -> String {
    let mut results: Vec<&TestResult> = report.results.iter().collect();
    // Tests that took equally long stay in the order in which they are listed.
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
