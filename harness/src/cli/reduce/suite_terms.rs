//! Reduces a test in the terms of its suite, before its capture is reduced.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use hallmark_execution::executor::{Executor, ExecutorChoice, Executors, Release};
use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Settings, WorkerSettings, quoted};
use hallmark_schema::model::Capture;
use hallmark_schema::plural::counted;
use hallmark_suite::name::TestName;
use hallmark_triage::probe::Reference;
use hallmark_triage::smallest_test::{SmallestTest, SmallestTestError, SmallestTestSearch};
use indicatif::ProgressBar;

use crate::cli::select::one_test;
use crate::cli::subject::capture_of;
use crate::cli::{Failed, output};

/// The settings of the search for the smallest test.
pub(super) struct SuiteTerms<'a> {
    pub(super) settings: &'a Settings,
    pub(super) name: &'a TestName,
    pub(super) bad: &'a Executor,
    pub(super) reference: &'a Reference,
    pub(super) signature: Option<&'a Signature>,
    pub(super) level: MatchLevel,
    pub(super) timeout: Duration,
    pub(super) deadline: Option<Instant>,
    pub(super) jobs: usize,
    pub(super) bar: &'a ProgressBar,
}

/// The same settings with tests on one executor.
pub(super) fn on(settings: &Settings, executor: &Executor) -> Settings {
    let choice = ExecutorChoice::from(executor);
    let workers = WorkerSettings {
        executors: Executors::only(choice, executor.architecture),
        replay_executors: Executors::default(),
        ..settings.workers.clone()
    };
    Settings { workers, ..settings.clone() }
}

/// The smallest test; also its capture on the good side, if there is a good side.
pub(super) struct SmallestOfSuite {
    pub(super) found: SmallestTest,
    pub(super) capture: Capture,
}

impl SuiteTerms<'_> {
    /// Searches for the smallest test; `None` if only the capture shows the failure.
    pub(super) fn smallest(&self) -> Result<Option<SmallestOfSuite>, Failed> {
        let test = one_test(&self.settings.root, self.name)?;
        let bad = on(self.settings, self.bad);
        if self.bad.architecture != self.name.architecture
            || bad.workers.test_executors(test.name.architecture).skip_reason(&test).is_some()
        {
            return Ok(None);
        }
        let good = match self.reference {
            Reference::Executor(good) => Some(on(self.settings, good)),
            Reference::Recorded => None,
        };
        let search = SmallestTestSearch {
            bad: &bad,
            good: good.as_ref(),
            test: &test,
            sought: self.signature.cloned(),
            level: self.level,
            timeout: self.timeout,
            deadline: self.deadline,
            jobs: self.jobs,
        };
        let mut runs: u64 = 0;
        let found = search.run(&mut |name| {
            runs = runs.saturating_add(1);
            self.bar.set_message(format!("test {runs}: {}", name.point()));
            self.bar.tick();
            ControlFlow::Continue(())
        });
        match found {
            Ok(found) => {
                let recording = good.as_ref().unwrap_or(&bad);
                let name = &found.test.name;
                let on = recording.workers.test_executors(name.architecture);
                let capture = capture_of(recording, &on, name, &found.bound)?;
                Ok(Some(SmallestOfSuite { found, capture }))
            }
            Err(SmallestTestError::Mistakes(mistakes)) => Err(mistakes.into()),
            Err(SmallestTestError::Interrupted) => {
                Err(Failed::new(ExitCode::INTERRUPTED, SmallestTestError::Interrupted))
            }
            Err(
                error @ (SmallestTestError::Passes
                | SmallestTestError::Other(_)
                | SmallestTestError::GoodFails(_)
                | SmallestTestError::CannotTell(_)),
            ) => {
                output::note(&format!(
                    "{}: not reduced as a test: {error}; its capture is",
                    self.name
                ));
                Ok(None)
            }
        }
    }
}

/// Describes the smallest test. `root` is the folder that holds it alone, if there is one.
pub(super) fn lines(
    name: &TestName,
    found: &SmallestTest,
    bad: &Executor,
    root: Option<&Path>,
) -> Vec<String> {
    let runs = counted(usize::try_from(found.runs).unwrap_or(usize::MAX), "run", "runs");
    let points = counted(found.points, "point", "points");
    let rest = if found.is_complete { "" } else { "; the time was up before all were tried" };
    let mut lines = vec![format!("SMALLEST {} ({points}, {runs}{rest})", found.point)];
    if found.point != *name {
        lines.push(format!("  instead   of {}", name.point()));
    }
    if !found.changed.is_empty() {
        let changed = found.changed.iter();
        let changed: Vec<String> =
            changed.map(|(name, (before, after))| format!("{name} {before} → {after}")).collect();
        lines.push(format!("  numbers   {}", changed.join(", ")));
    }
    lines.push(format!("  same      {}", found.signature));
    let Some(root) = root else { return lines };
    let option = match bad.release {
        Release::This | Release::Metalium(_) => "--device",
        // Another release reads no suites.
        Release::Other(_) => "--replay-device",
    };
    lines.push(format!(
        "  test      hallmark run --root {} --exact {} {option} '{}={}'",
        quoted(&root.display().to_string()),
        found.test.name,
        found.test.name.architecture,
        ExecutorChoice::spelling(bad),
    ));
    lines
}
