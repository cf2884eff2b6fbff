//! Reports of a run: the closing table, JSON, JUnit.

mod junit;
mod table;

use serde_json::json;

pub use self::junit::junit;
pub use self::table::table;
use crate::pipeline::TestResult;
use crate::pipeline::seeds::Seeds;
use crate::verdict::Verdict;

/// A finished run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Results in the order in which tests are listed.
    pub results: Vec<TestResult>,
    /// The device of each architecture, without a path.
    pub devices: Vec<(hallmark_chip::Architecture, String)>,
    /// The device that replayed, where it was another.
    pub replay_devices: Vec<(hallmark_chip::Architecture, String)>,
    /// Architectures whose devices have another grid than the one that goldens are of.
    pub without_goldens: Vec<hallmark_chip::Architecture>,
    /// Wall-clock time of each architecture's tests.
    pub elapsed: Vec<(hallmark_chip::Architecture, std::time::Duration)>,
    /// The schedule seeds under which each test ran.
    pub seeds: Seeds,
    /// Golden files that belong to no test; only known where everything was selected.
    pub unused_goldens: Vec<String>,
}

/// The word that begins a failure's report.
pub fn label(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mismatch => "FAIL".to_owned(),
        Verdict::UnexpectedPass => "UNEXPECTED PASS".to_owned(),
        Verdict::InternalError => "INTERNAL ERROR".to_owned(),
        other => other.name().to_uppercase(),
    }
}

/// A failure as people read it.
pub fn failure(result: &TestResult) -> String {
    let mut text = format!("{} {}", label(&result.verdict), result.name);
    for line in &result.lines {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}

impl RunReport {
    /// The devices of each architecture for people: `sim`, or `sim → ttsim` where another one replayed.
    fn device_names(&self) -> Vec<(hallmark_chip::Architecture, String)> {
        let named = |(architecture, device): &(hallmark_chip::Architecture, String)| {
            let other = self.replay_devices.iter().find(|(known, _)| known == architecture);
            let name = match other {
                Some((_, other)) => format!("{device} → {other}"),
                None => device.clone(),
            };
            (*architecture, name)
        };
        self.devices.iter().map(named).collect()
    }
}

/// The report in JSON.
pub fn json(report: &RunReport) -> String {
    let tests: Vec<_> = report
        .results
        .iter()
        .map(|result| {
            let reason = match &result.verdict {
                Verdict::Skipped { reason } | Verdict::ExpectedFailure { reason } => Some(reason),
                _ => None,
            };
            json!({
                "name": result.name.to_string(),
                "verdict": result.verdict.name(),
                "exit_code": result.exit_code.number(),
                "seconds": result.elapsed.as_secs_f64(),
                "reason": reason,
                "report": result.lines,
            })
        })
        .collect();
    let by_architecture = |devices: &[(hallmark_chip::Architecture, String)]| {
        let pairs = devices.iter();
        pairs
            .map(|(architecture, device)| (architecture.name().to_owned(), json!(device)))
            .collect::<serde_json::Map<String, serde_json::Value>>()
    };
    let document = json!({
        "version": 1,
        "hallmark": env!("CARGO_PKG_VERSION"),
        "devices": by_architecture(&report.devices),
        "replay_devices": by_architecture(&report.replay_devices),
        "schedule_seeds": report.seeds.to_string(),
        "tests": tests,
        "unused_goldens": report.unused_goldens,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
