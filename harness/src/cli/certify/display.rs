//! The terminal output of a certification while it runs and at its end.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use hallmark_certification::demand::Demand;
use hallmark_certification::results::{ResultLine, RunKey};
use hallmark_certification::subject::Subject;
use hallmark_pipeline::report::style::{self, painted};
use hallmark_pipeline::verdict::{ExitCode, Verdict};
use hallmark_schema::plural::{bytes, counted, grouped};

use crate::cli::output;
use crate::cli::progress::{Form, Progress};

/// The number of lines shown of one failure.
const SHOWN: usize = 12;

/// Shows runs as they end.
pub(super) struct Display {
    progress: Progress,
    began: Instant,
}

impl Display {
    /// A display for `runs` runs, of which `ended` ended earlier.
    pub(super) fn new(subject: &Subject, demand: &Demand, runs: usize, ended: usize) -> Self {
        let tests = counted(demand.tests().len(), "test", "tests");
        let name = demand.profile.name();
        output::say(&format!(
            "{name} on {}: {tests}, {}",
            subject.name,
            counted(runs, "run", "runs")
        ));
        if ended > 0 {
            output::say(&format!("  {} ended before; the rest follows", grouped(ended as u64)));
        }
        let progress = Progress::with_estimate(runs, "runs", Form::of_stderr());
        progress.skip(ended);
        Self { progress, began: Instant::now() }
    }

    /// A run begins.
    pub(super) fn begin(&self, key: &RunKey) {
        self.progress.begin(&key.test.to_string());
    }

    /// A run has ended.
    pub(super) fn end(&self, result: &ResultLine) {
        let verdict = &result.verdict.0;
        let text = || {
            let label = hallmark_pipeline::report::label(verdict);
            let mut text = format!("{} {}", painted(style::of(verdict), &label), result.run);
            for line in result.lines.iter().take(SHOWN) {
                text.push_str(&format!("\n  {line}"));
            }
            text
        };
        let failed = result.needs_waiver();
        self.progress.end(!failed, failed.then_some(|| output::say(&text())));
    }

    /// Ends the display: no more runs begin.
    pub(super) fn close(&self) {
        self.progress.close();
    }

    /// Prints the results of all runs; gives the exit code of the command.
    pub(super) fn summary(
        &self,
        results: &BTreeMap<RunKey, ResultLine>,
        package: &Path,
    ) -> ExitCode {
        let mut counts: BTreeMap<usize, (u64, &Verdict)> = BTreeMap::new();
        let mut waived = 0_u64;
        for result in results.values() {
            if result.waiver.is_some() {
                waived = waived.saturating_add(1);
                continue;
            }
            let verdict = &result.verdict.0;
            let (count, _) = counts.entry(verdict.column().0).or_insert((0, verdict));
            *count = count.saturating_add(1);
        }
        let mut columns: Vec<String> = counts
            .values()
            .map(|(count, verdict)| {
                let (_, one, many) = verdict.column();
                format!("{} {}", grouped(*count), if *count == 1 { one } else { many })
            })
            .collect();
        if waived > 0 {
            columns.push(format!("{} waived", grouped(waived)));
        }
        let size = std::fs::metadata(package).map_or(0, |about| about.len());
        let seconds = self.began.elapsed().as_secs_f64();
        output::say(&format!("  {}  {seconds:.1} s", columns.join(", ")));
        output::say(&format!("wrote {}  {}", package.display(), bytes(size)));
        let failed = results.values().filter(|result| result.waiver.is_none());
        let codes = failed.map(|result| result.verdict.0.exit_code());
        ExitCode::first(codes)
    }
}
