//! `--baseline` and `--write-baseline`: known failures of a device.

use std::path::{Path, PathBuf};

use clap::Args;
use hallmark_execution::whole_file;
use hallmark_pipeline::TestResult;
use hallmark_pipeline::baseline::{self, Baseline, BaselineIdentity, Changes, Standing};
use hallmark_pipeline::report::RunReport;
use hallmark_pipeline::report::style::{self, painted};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plural::counted;
use hallmark_suite::discover::Root;
use hallmark_suite::mistake::SuiteMistakes;

use super::display::Verbosity;
use crate::cli::options::EXECUTION;
use crate::cli::{Failed, output};

/// The tests of each kind that are named, unless the output is verbose.
const NAMED: usize = 3;

#[derive(Clone, Debug, Default, Args)]
pub(super) struct BaselineOptions {
    /// Succeed with the failures in this file; fail if a test fails in another way, or passes against the file
    #[arg(long, value_name = "FILE", help_heading = EXECUTION)]
    baseline: Option<PathBuf>,
    /// Write this run's failures into a file for --baseline; its reasons, and entries of tests not run, stay
    #[arg(long, value_name = "FILE", conflicts_with = "fail_fast", help_heading = EXECUTION)]
    write_baseline: Option<PathBuf>,
}

/// The baseline of a run.
#[derive(Debug)]
pub(super) struct RunBaseline {
    known: Baseline,
    /// The file whose failures let the run succeed.
    judges: Option<PathBuf>,
    /// The file that the run writes.
    writes: Option<PathBuf>,
}

impl BaselineOptions {
    /// Reads the baseline, if there is one, before anything runs. A baseline that is only written keeps what its file
    /// holds.
    pub(super) fn read(&self, root: &Root) -> Result<RunBaseline, Failed> {
        let Self { baseline: judges, write_baseline: writes } = self.clone();
        if let Some(file) = &writes {
            whole_file::check_writable(file).map_err(|error| {
                let text =
                    format!("{} cannot be written: {error}; name another file", file.display());
                Failed::new(ExitCode::USAGE, text)
            })?;
        }
        let before = writes.as_ref().filter(|file| file.exists());
        if let (Some(judging), Some(before)) = (&judges, before)
            && judging.canonicalize().ok() != before.canonicalize().ok()
        {
            let text = format!(
                "{} exists, and its entries and reasons would be replaced by those of {}; \
                 name the same file twice, or one that does not exist",
                before.display(),
                judging.display()
            );
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        let mut known = match judges.as_ref().or(before) {
            Some(file) => read(root, file)?,
            None => Baseline::default(),
        };
        let stale = known.take_stale(root);
        match stale.len() {
            0 => {}
            entries if writes.is_some() => {
                let entries = counted(entries, "entry", "entries");
                output::warn(&format!("{entries} left out, because their tests no longer exist"));
            }
            _ => return Err(wrong(SuiteMistakes(stale))),
        }
        Ok(RunBaseline { known, judges, writes })
    }
}

fn wrong(mistakes: SuiteMistakes) -> Failed {
    Failed { code: ExitCode::USAGE, ..Failed::from(mistakes) }
}

fn read(root: &Root, file: &Path) -> Result<Baseline, Failed> {
    let failed = |problem: String| {
        let text = format!(
            "{} is no baseline: {problem}; `hallmark run --write-baseline FILE` writes one",
            file.display()
        );
        Failed::new(ExitCode::USAGE, text)
    };
    let bytes = root.refuse_links(file).and_then(|()| whole_file::read(file, baseline::LIMIT));
    let bytes = bytes.map_err(|error| failed(format!("it cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
    Baseline::of_text(file.display().to_string(), &text).map_err(wrong)
}

impl RunBaseline {
    /// Judges a result, if the run has a baseline to judge by.
    pub(super) fn judge(&self, result: &mut TestResult) {
        if self.judges.is_some() {
            self.known.judge(result);
        }
    }

    /// The identity of the baseline whose failures let the run succeed.
    pub(super) fn identity(&self) -> Option<BaselineIdentity> {
        self.judges.as_ref().and_then(|_| self.known.identity())
    }

    /// Shows how the run differs from the baseline.
    pub(super) fn show(&self, report: &RunReport, verbosity: Verbosity) {
        if let Some(file) = &self.judges {
            let mut lines = difference(&self.known, file, &report.results, verbosity);
            if lines.len() > 1 && self.writes.is_none() {
                let file = file.display();
                lines.push(format!("     update    the same command with --write-baseline {file}"));
            }
            lines.iter().for_each(|line| output::say(line));
        }
    }

    /// Writes the baseline, if the run is to write one. A run that a signal stopped writes nothing.
    pub(super) fn write(&self, report: &RunReport) -> Result<(), Failed> {
        let Some(file) = &self.writes else { return Ok(()) };
        let path = file.display();
        if report.early_end.is_some() {
            output::note(&format!("{path} is as it was, because the run was stopped"));
            return Ok(());
        }
        let renewed = self.known.renewed(&report.results, &report.earlier_runs);
        let unwritable = |problem: String| {
            Failed::new(ExitCode::INTERNAL, format!("{path} cannot be written: {problem}"))
        };
        let text = renewed.baseline.text().map_err(|error| unwritable(error.to_string()))?;
        if u64::try_from(text.len()).is_ok_and(|length| length > baseline::LIMIT) {
            let limit = baseline::LIMIT;
            return Err(unwritable(format!(
                "it would have more than {limit} B; fix failures first"
            )));
        }
        whole_file::write_durably(file, text.as_bytes())
            .map_err(|error| unwritable(error.to_string()))?;
        let Changes { added, removed, unknowable } = renewed.changes;
        let all = counted(renewed.baseline.len(), "known failure", "known failures");
        output::note(&format!("wrote {path}: {all}, {added} new, {removed} removed"));
        if unknowable > 0 {
            let failures = counted(unknowable, "failure that says", "failures that say");
            output::note(&format!("left out {failures} nothing about a device"));
        }
        Ok(())
    }
}

/// The difference between a run and its baseline: a line of numbers and the first tests of each kind.
fn difference(
    known: &Baseline,
    file: &Path,
    results: &[TestResult],
    verbosity: Verbosity,
) -> Vec<String> {
    let of = |standing: Standing| -> Vec<&TestResult> {
        results.iter().filter(|result| known.standing(result) == standing).collect()
    };
    let failed = of(Standing::Known).len();
    let passed = of(Standing::FlakePassed).len();
    let mut numbers = vec![counted(failed, "known failure", "known failures")];
    if passed > 0 {
        numbers.push(counted(passed, "flake passed", "flakes passed"));
    }
    let kinds = [
        (Standing::New, "new", "new failure", "new failures"),
        (Standing::Changed, "changed", "changed failure", "changed failures"),
        (Standing::Passes, "passes", "unexpected pass", "unexpected passes"),
    ];
    let mut lines = Vec::new();
    for (standing, word, one, many) in kinds {
        let tests = of(standing);
        if tests.is_empty() {
            continue;
        }
        numbers.push(counted(tests.len(), one, many));
        let named = if verbosity == Verbosity::Verbose { tests.len() } else { NAMED };
        for result in tests.iter().take(named) {
            lines.push(format!("     {word:<8}  {}", departure(known, result, standing)));
        }
        let more = tests.len().saturating_sub(named);
        if more > 0 {
            let more = counted(more, "more test", "more tests");
            lines.push(format!("     {word:<8}  {more} (--verbose shows each)"));
        }
    }
    let file = file.display();
    let style = if lines.is_empty() { style::EXCUSED } else { style::BAD };
    lines.insert(0, format!("   baseline {file}: {}", painted(style, &numbers.join(", "))));
    lines
}

/// A test with its failure, and the failure that the baseline knows.
fn departure(known: &Baseline, result: &TestResult, standing: Standing) -> String {
    let name = &result.name;
    let before: Vec<String> = known.of(name).iter().map(|known| known.words()).collect();
    let before = before.join(" or ");
    let now = baseline::failure_in_words(result);
    match standing {
        Standing::New => format!("{name}  {now}"),
        Standing::Changed => format!("{name}  {now}; known: {before}"),
        Standing::Passes => format!("{name}  known: {before}"),
        Standing::Unlisted | Standing::Known | Standing::FlakePassed => name.to_string(),
    }
}
