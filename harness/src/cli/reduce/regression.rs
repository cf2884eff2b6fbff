//! `hallmark reduce --into`: adds a reduced failure to the root's own suites as a case.

use hallmark_execution::executor::Executor;
use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Settings, captured_and_judged};
use hallmark_schema::model::Capture;
use hallmark_suite::discover::{Root, SelectedTest, SuiteFile, known_architectures};
use hallmark_triage::smallest_test::SmallestTest;

use super::suite_terms::on;
use crate::cli::bless::{Change, change};
use crate::cli::dump_yaml::{self, Files, Heading};
use crate::cli::new::suite_file;
use crate::cli::{Failed, output};

/// The place of a new case.
pub(super) struct Regression {
    root: Root,
    file: SuiteFile,
}

/// The two sides of a case, and the failure that it shows.
pub(super) struct Sides<'a> {
    pub(super) settings: &'a Settings,
    /// `None` if only the suite's model says what is right.
    pub(super) good: Option<&'a Executor>,
    pub(super) bad: &'a Executor,
    pub(super) signature: &'a Signature,
    pub(super) level: MatchLevel,
}

/// A case that was added.
pub(super) struct Added {
    /// The lines to print about the case.
    pub(super) lines: Vec<String>,
    /// The golden that blessing the case would write.
    pub(super) golden: Option<Vec<u8>>,
}

impl Regression {
    /// A new suite of a root: `suites/GROUP/NAME`, with `.yaml` or without. It must not exist yet.
    pub(super) fn at(root: Root, path: &str) -> Result<Self, Failed> {
        let below = path.strip_prefix("./").unwrap_or(path);
        let file = suite_file(below.strip_prefix("suites/").unwrap_or(below))?;
        if root.folder().join(file.path()).exists() {
            let text = format!("{} already exists; choose another name", file.path());
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        Ok(Self { root, file })
    }

    /// The files of a case with the calls of a capture.
    pub(super) fn of_capture(&self, capture: &Capture, heading: &Heading) -> Result<Files, Failed> {
        let path = self.below_suites();
        let mut files = dump_yaml::suite_files(capture, &path, heading)?;
        files.extend(dump_yaml::kernel_files(capture)?);
        Ok(files)
    }

    /// The files of a case in the terms of its own suite.
    pub(super) fn of_test(
        &self,
        found: &SmallestTest,
        capture: &Capture,
        why: &str,
    ) -> Result<Files, Failed> {
        let mut files = test_files(found, capture)?;
        files.remove(&format!("{}/{}.yaml", found.point.group, found.point.suite));
        files.insert(self.below_suites(), found.case.text(why).into_bytes().into());
        Ok(files)
    }

    fn below_suites(&self) -> String {
        format!("{}/{}.yaml", self.file.group, self.file.suite)
    }

    /// Adds a case, runs it on both sides, and reports the results. Removes the case on any error, such as a
    /// failure on the good side.
    pub(super) fn add(&self, files: &Files, sides: &Sides<'_>) -> Result<Added, Failed> {
        let suites = self.root.suites();
        let architecture = sides.bad.architecture;
        let has_lock = suites.join(dump_yaml::lock_path(architecture)).exists();
        let mut absent = Vec::new();
        for (path, bytes) in files {
            if has_lock && path.starts_with("kernels/prebuilt/") {
                continue;
            }
            match std::fs::read(suites.join(path)) {
                Ok(there) if *there == **bytes => {}
                Ok(_) => {
                    let text = format!(
                        "suites/{path} is there already, and the reduced case has another file of that name; \
                         give --root another folder, or rename the one that is there"
                    );
                    return Err(Failed::new(ExitCode::USAGE, text));
                }
                Err(_) => absent.push((path, bytes)),
            }
        }
        for (path, bytes) in &absent {
            dump_yaml::put(&suites, path, bytes)?;
        }
        let added = self.shown(sides);
        if added.is_err() {
            for (path, _) in &absent {
                if let Err(error) = std::fs::remove_file(suites.join(path)) {
                    output::warn(&format!("suites/{path} cannot be removed again: {error}"));
                }
            }
        }
        added
    }

    fn shown(&self, sides: &Sides<'_>) -> Result<Added, Failed> {
        let suite = self.root.load(&self.file)?;
        suite.check(&known_architectures())?;
        let kernels = Settings::kernel_store(&self.root);
        let settings = Settings { root: self.root.clone(), kernels, ..sides.settings.clone() };
        let mut tests = suite.tests(&[sides.bad.architecture]);
        let test = tests.pop().ok_or_else(|| {
            Failed::new(ExitCode::INTERNAL, format!("{} holds no test", self.file.path()))
        })?;
        let path = self.file.path();
        let mut lines = Vec::new();
        let mut golden = None;
        if let Some(good) = sides.good {
            match change(&on(&settings, good), &test)? {
                Some(Change::Refused { lines, code, .. }) => {
                    let text = format!(
                        "{path} does not pass on {good}, so it is removed again: {}",
                        lines.join("\n  ")
                    );
                    return Err(Failed::new(code, text));
                }
                Some(Change::Write { lines: changes, bytes, .. }) => {
                    let change = changes.into_iter().next().unwrap_or_default();
                    lines.push(format!("  golden    {change}; to accept: hallmark bless {path}"));
                    golden = Some(bytes);
                }
                None => {}
            }
        }
        let fails = fails(&on(&settings, sides.bad), &test, sides)?;
        let passes = sides.good.map(|good| format!("passes on {good}, and "));
        let line = format!("  into      {path}: {}{fails}", passes.unwrap_or_default());
        lines.insert(0, line);
        Ok(Added { lines, golden })
    }
}

/// Runs a case on the bad side; gives a line with the result.
fn fails(settings: &Settings, test: &SelectedTest, sides: &Sides<'_>) -> Result<String, Failed> {
    let bad = sides.bad;
    let on = settings.workers.test_executors(bad.architecture);
    let bound = on.bind(test)?;
    let judged = captured_and_judged(settings, &on, &bound, None);
    let findings = match judged {
        Ok(judged) => judged.findings,
        Err(finding) => vec![finding],
    };
    Ok(match findings.first() {
        None => format!("does not fail on {bad} when it is captured there"),
        Some(finding) => match finding.signature() {
            Some(found) if sides.signature.matches(found, sides.level) => {
                format!("fails in the same way on {bad}")
            }
            Some(found) => format!("fails otherwise on {bad}: {found}"),
            None => format!("cannot run on {bad}: {}", finding.headline),
        },
    })
}

/// The files of a root that holds the smallest test alone.
pub(super) fn test_files(found: &SmallestTest, capture: &Capture) -> Result<Files, Failed> {
    let mut files = dump_yaml::kernel_files(capture)?;
    let suites = found.test.suite().root().suites();
    for path in found.case.files() {
        let bytes = std::fs::read(suites.join(&path)).map_err(|error| {
            Failed::new(ExitCode::USAGE, format!("suites/{path} cannot be read: {error}"))
        })?;
        files.insert(path, bytes.into());
    }
    let why = format!(
        "The smallest test of {} that fails so: {}",
        found.point.case_name(),
        found.signature
    );
    let path = format!("{}/{}.yaml", found.point.group, found.point.suite);
    files.insert(path, found.case.text(&why).into_bytes().into());
    Ok(files)
}
