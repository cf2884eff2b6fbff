//! The terminal output of a run: a progress bar, and the result of each test.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use hallmark_chip::Architecture;
use hallmark_pipeline::report::style::{self, painted};
use hallmark_pipeline::report::{self, AlikeFailures, annotations};
use hallmark_pipeline::verdict::{Mode, Verdict};
use hallmark_pipeline::{PrintedLines, TestResult};
use hallmark_runtime::device_code::{FirstDiagnostics, first_diagnostics};
use hallmark_schema::plural::counted;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::name::TestName;

use super::RunArguments;
use crate::cli::output;
use crate::cli::progress::{Form, Progress};

/// The number of lines shown of one failure, without the two that say how to repeat it and where its files are.
const SHOWN: usize = 12;

/// The amount of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// Failures only.
    Quiet,
    /// Failures, progress and the summary.
    #[default]
    Ordinary,
    /// Every test, and every line of a failure.
    Verbose,
}

/// Shows tests as they end.
pub(super) struct Display {
    progress: Progress,
    pub(super) verbosity: Verbosity,
    /// Whether all that kernels print is shown.
    prints: bool,
    alike_failures: AlikeFailures,
    /// The warnings that were shown: those of one suite are often alike.
    warnings: Mutex<BTreeSet<Vec<String>>>,
    /// The architectures whose tests every command takes unless an option says otherwise.
    usual_architectures: Vec<Architecture>,
    /// Whether the output's reader shows annotations beside lines of files.
    annotates: bool,
}

impl Display {
    pub(super) fn new(
        arguments: &RunArguments,
        tests: usize,
        usual_architectures: Vec<Architecture>,
    ) -> Self {
        let verbosity = match (arguments.quiet, arguments.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Ordinary,
        };
        let form = if verbosity > Verbosity::Quiet { Form::of_stderr() } else { Form::Hidden };
        Self {
            progress: Progress::new(tests, "tests", form),
            verbosity,
            prints: arguments.print,
            alike_failures: AlikeFailures::default(),
            warnings: Mutex::default(),
            usual_architectures,
            annotates: annotations::are_shown(),
        }
    }

    /// Shows that a test begins.
    pub(super) fn begin(&self, test: &SelectedTest) {
        self.progress.begin(&test.name.to_string());
    }

    /// Shows the result of a test; `earlier` holds the results before its retries.
    pub(super) fn end(&self, test: &SelectedTest, result: &TestResult, earlier: &[TestResult]) {
        let mut text = String::new();
        for run in earlier {
            text.push_str(&format!("{}; the test runs again\n", heading(run)));
        }
        let passed = result.verdict.is_success(Mode::Ordinary);
        if passed && self.prints && !result.printed.is_empty() {
            text.push_str(&format!("{}\n{}\n", heading(result), all_printed(result)));
        } else if passed && self.verbosity == Verbosity::Verbose {
            text.push_str(&format!("{}  {:.2} s\n", heading(result), result.elapsed.as_secs_f64()));
        } else if !passed && result.verdict != Verdict::Interrupted {
            // A missing golden is reported once for all tests; of failures that are alike, the first is shown.
            let is_news = result.verdict != Verdict::Missing && self.alike_failures.is_news(result);
            if is_news || self.verbosity == Verbosity::Verbose {
                text.push_str(&failure(result, self.verbosity, self.prints));
                text.push('\n');
            } else if self.prints && !result.printed.is_empty() {
                text.push_str(&format!("{}\n{}\n", heading(result), all_printed(result)));
            }
        }
        let is_annotated =
            self.annotates && !passed && !matches!(result.verdict, Verdict::Interrupted);
        let annotation = is_annotated.then(|| annotation(test, result));
        let warnings = self.warns(result).then(|| warnings(result));
        let is_news = !text.is_empty() || annotation.is_some() || warnings.is_some();
        let is_failure = !passed && result.verdict != Verdict::Interrupted;
        self.progress.end(
            !is_failure,
            is_news.then_some(|| {
                if !text.is_empty() {
                    output::say(text.trim_end());
                }
                if let Some(annotation) = annotation {
                    output::say_raw(&format!("{annotation}\n"));
                }
                if let Some(warnings) = warnings {
                    output::say(&warnings);
                }
            }),
        );
    }

    /// Whether the warnings of a test are to be shown as the test ends.
    fn warns(&self, result: &TestResult) -> bool {
        if result.warnings.is_empty()
            || result.verdict == Verdict::Interrupted
            || has_accepted_warnings(result) && self.verbosity < Verbosity::Verbose
        {
            return false;
        }
        let mut shown = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        shown.insert(result.warnings.clone()) || self.verbosity == Verbosity::Verbose
    }

    /// Ends the display: all tests have ended, or no more begin.
    pub(super) fn close(&self, results: &[TestResult]) {
        self.progress.close();
        if self.verbosity == Verbosity::Verbose {
            return;
        }
        let closing = self.alike_failures.closing().into_iter();
        let missing = missing_goldens(results, &self.usual_architectures);
        for line in closing.chain(missing).chain(accepted_warnings(results)) {
            output::say(&line);
        }
    }
}

/// The verdict and the name, in colour.
fn heading(result: &TestResult) -> String {
    let label = report::label(&result.verdict);
    format!("{} {}", painted(style::of(&result.verdict), &label), result.name)
}

/// Formats a failure for people, shortened unless the output is verbose.
fn failure(result: &TestResult, verbosity: Verbosity, prints: bool) -> String {
    let mut text = heading(result);
    let shown = match verbosity {
        Verbosity::Quiet | Verbosity::Ordinary if result.broken_kernel.is_some() => {
            return of_compiler(result);
        }
        Verbosity::Verbose => result.lines.len(),
        // One more line takes no more room than the line that says that lines were left out.
        Verbosity::Quiet | Verbosity::Ordinary if result.lines.len() <= SHOWN.saturating_add(1) => {
            result.lines.len()
        }
        Verbosity::Quiet | Verbosity::Ordinary => SHOWN,
    };
    for line in result.lines.iter().take(shown) {
        text.push_str(&format!("\n  {line}"));
    }
    let more = result.lines.len().saturating_sub(shown);
    if more > 0 {
        let lines = counted(more, "more line", "more lines");
        text.push_str(&format!("\n  … {lines}, in report.txt and with --verbose"));
    }
    let printed = if prints { PrintedLines::whole(&result.printed) } else { result.last_printed() };
    for line in printed.into_iter().chain(result.remedies()) {
        text.push_str(&format!("\n  {line}"));
    }
    text
}

/// Formats the failure of a test whose kernel does not compile, with the first of the compiler's errors.
fn of_compiler(result: &TestResult) -> String {
    let mut text = heading(result);
    let messages = result.broken_kernel.iter().flat_map(|kernel| &kernel.messages);
    let messages: Vec<&str> = messages.map(String::as_str).collect();
    let FirstDiagnostics { lines, cut, errors, warnings } =
        first_diagnostics(&messages.join("\n"), SHOWN);
    // The lines of a result begin with the sentence that names the kernel.
    for line in result.lines.iter().take(lines.len().saturating_add(1)) {
        text.push_str(&format!("\n  {line}"));
    }
    let left_out = [
        (cut, "further line", "further lines"),
        (errors, "further error", "further errors"),
        (warnings, "warning", "warnings"),
    ];
    let left_out = left_out.into_iter().filter(|(count, ..)| *count > 0);
    let left_out: Vec<String> =
        left_out.map(|(count, one, many)| counted(count, one, many)).collect();
    if !left_out.is_empty() {
        let left_out = left_out.join(", ");
        text.push_str(&format!("\n  … {left_out}, in report.txt and with --verbose"));
    }
    for line in result.remedies() {
        text.push_str(&format!("\n  {line}"));
    }
    text
}

/// All that the kernels of a test have printed.
fn all_printed(result: &TestResult) -> String {
    let lines = PrintedLines::whole(&result.printed).into_iter();
    lines.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// The calls of a test that may be mistakes.
fn warnings(result: &TestResult) -> String {
    let mut text = format!("WARNING {}", result.name);
    for line in &result.warnings {
        text.push_str(&format!("\n  {line}"));
    }
    text
}

/// Whether a test that passes gives warnings. `run` showed them while its golden was missing.
fn has_accepted_warnings(result: &TestResult) -> bool {
    !result.warnings.is_empty() && result.verdict == Verdict::Pass
}

/// One line for all tests that pass with warnings.
fn accepted_warnings(results: &[TestResult]) -> Option<String> {
    let warned = results.iter().filter(|result| has_accepted_warnings(result)).count();
    let tests = counted(warned, "test passes", "tests pass");
    (warned > 0).then(|| format!("WARNING {tests} with warnings; to see them: --verbose"))
}

/// The annotation of a test that did not pass.
fn annotation(test: &SelectedTest, result: &TestResult) -> String {
    let title = format!("{} {}", report::label(&result.verdict), result.name);
    annotations::error(&test.suite().file.path(), test.line(), &title, &result.report().join("\n"))
}

/// One line for all tests without goldens.
fn missing_goldens(results: &[TestResult], usual: &[Architecture]) -> Option<String> {
    let missing: Vec<&TestName> = results
        .iter()
        .filter(|result| result.verdict == Verdict::Missing)
        .map(|result| &result.name)
        .collect();
    let mut suites: Vec<String> = missing.iter().map(|name| name.suite_path()).collect();
    suites.sort_unstable();
    suites.dedup();
    let (tests, what) = match (missing.as_slice(), suites.as_slice()) {
        ([], _) => return None,
        ([one], _) => (one.to_string(), format!(" {one}")),
        (all, [one]) => {
            (format!("{} of {one}", counted(all.len(), "test", "tests")), format!(" {one}"))
        }
        (all, several) => {
            let suites = counted(several.len(), "suite", "suites");
            (format!("{} of {suites}", counted(all.len(), "test", "tests")), String::new())
        }
    };
    let concerned: BTreeSet<Architecture> = missing.iter().map(|name| name.architecture).collect();
    let mut command = format!("hallmark bless{what}");
    if missing.len() > 1 && !concerned.iter().eq(usual) {
        concerned
            .iter()
            .for_each(|architecture| command.push_str(&format!(" --arch {architecture}")));
    }
    let label = painted(style::of(&Verdict::Missing), &report::label(&Verdict::Missing));
    let names = if missing.len() > 1 { "; their names: --verbose" } else { "" };
    Some(format!("{label} {tests}; to accept: {command}{names}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hallmark_chip::KernelRuns;
    use hallmark_execution::worker::kernels::BrokenKernel;
    use hallmark_pipeline::{FailureDetails, Remedy, RemedyKind, Sightings};
    use hallmark_suite::discover::known_architectures;
    use insta::assert_snapshot;

    use super::*;

    fn result(name: &str, verdict: Verdict, lines: usize) -> TestResult {
        let what = (0..lines).map(|line| format!("  line {line}"));
        let remedies = [
            (RemedyKind::Again, "hallmark run"),
            (RemedyKind::Devices, "two"),
            (RemedyKind::Kept, "a folder"),
        ];
        let remedies = remedies.map(|(kind, text)| Remedy { kind, text: text.to_owned() }).to_vec();
        TestResult {
            name: name.parse().unwrap(),
            exit_code: verdict.exit_code(),
            verdict,
            lines: what.collect(),
            elapsed: Duration::ZERO,
            broken_kernel: None,
            sightings: Sightings::default(),
            warnings: Vec::new(),
            printed: Vec::new(),
            signature: None,
            excused: None,
            relies_on_atomics_behind_writes: false,
            kernel_runs: KernelRuns::default(),
            first_bad: None,
            details: FailureDetails { remedies, ..FailureDetails::default() },
        }
    }

    #[test]
    fn a_long_failure_is_shortened_and_keeps_its_remedy() {
        let shown = |lines, verbosity| {
            let result = result("blackhole::group::suite::case", Verdict::Fault, lines);
            failure(&result, verbosity, false)
        };
        // The heading, the lines, and the advice.
        for (lines, verbosity, count) in [
            (SHOWN, Verbosity::Ordinary, SHOWN + 4),
            (SHOWN + 1, Verbosity::Ordinary, SHOWN + 5),
            (SHOWN + 2, Verbosity::Ordinary, SHOWN + 5),
            (1000, Verbosity::Quiet, SHOWN + 5),
            (1000, Verbosity::Verbose, 1004),
        ] {
            let text = shown(lines, verbosity);
            assert_eq!(text.lines().count(), count, "{text}");
            for remedy in ["\n  again     hallmark run", "\n  kept      a folder"] {
                assert!(text.contains(remedy), "{text}");
            }
        }
        let text = shown(1000, Verbosity::Ordinary);
        assert!(text.contains("\n  … 988 more lines, in report.txt and with --verbose"), "{text}");
        assert!(!shown(SHOWN + 1, Verbosity::Ordinary).contains('…'));
    }

    #[test]
    fn missing_goldens_take_one_line_however_many_suites_there_are() {
        let missing = |names: &[&str]| {
            let results: Vec<TestResult> =
                names.iter().map(|name| result(name, Verdict::Missing, 1)).collect();
            let line = missing_goldens(&results, &known_architectures())?;
            Some(line.split_once(' ').map_or(String::new(), |(_, rest)| rest.to_owned()))
        };
        assert_eq!(missing(&[]), None);
        let (one, two) = ("blackhole::group::one::case", "blackhole::group::two::case");
        let line = missing(&[one, two, one]).unwrap();
        let words = " 3 tests of 2 suites; to accept: hallmark bless --arch blackhole; their names: --verbose";
        assert!(line.ends_with(words) && line.lines().count() == 1, "{line}");
        let line = missing(&[one]).unwrap();
        assert!(line.ends_with(&format!(" {one}; to accept: hallmark bless {one}")), "{line}");
    }

    #[test]
    fn warnings_of_tests_that_pass_take_one_line() {
        let warned = |verdict| TestResult {
            warnings: vec!["a buffer".to_owned()],
            ..result("blackhole::group::one::case", verdict, 1)
        };
        let quiet = result("blackhole::group::one::case", Verdict::Pass, 1);
        assert_eq!(accepted_warnings(&[quiet.clone(), warned(Verdict::Fault)]), None);
        let two = [warned(Verdict::Pass), quiet, warned(Verdict::Missing), warned(Verdict::Pass)];
        let line = "WARNING 2 tests pass with warnings; to see them: --verbose";
        assert_eq!(accepted_warnings(&two).as_deref(), Some(line));
    }

    #[test]
    fn a_compilers_messages_are_left_out_by_whole_errors() {
        let error = |line: u32| {
            let lines = [
                format!(
                    "kernels/k.cpp:{line}:5: error: 'name_{line}' was not declared in this scope"
                ),
                format!("   {line} |     name_{line}();"),
                "      |     ^~~~~~".to_owned(),
            ];
            lines.to_vec()
        };
        let shown = |errors: u32, verbosity| {
            let messages: Vec<String> = (10..10 + errors).flat_map(error).collect();
            let mut result = result("wormhole_b0::g::s::c", Verdict::NotBuilt, 0);
            result.lines = vec!["kernels/k.cpp does not compile (line 3 of the suite)".to_owned()];
            result.lines.extend(messages.iter().map(|line| format!("  {line}")));
            let source = "kernels/k.cpp".to_owned();
            result.broken_kernel = Some(BrokenKernel { source, messages });
            failure(&result, verbosity, false)
        };
        let plain = anstream::adapter::strip_str(&shown(7, Verbosity::Ordinary)).to_string();
        assert_snapshot!(plain, @r"
        NOT BUILT wormhole_b0::g::s::c
          kernels/k.cpp does not compile (line 3 of the suite)
            kernels/k.cpp:10:5: error: 'name_10' was not declared in this scope
               10 |     name_10();
                  |     ^~~~~~
            kernels/k.cpp:11:5: error: 'name_11' was not declared in this scope
               11 |     name_11();
                  |     ^~~~~~
            kernels/k.cpp:12:5: error: 'name_12' was not declared in this scope
               12 |     name_12();
                  |     ^~~~~~
            kernels/k.cpp:13:5: error: 'name_13' was not declared in this scope
               13 |     name_13();
                  |     ^~~~~~
          … 3 further errors, in report.txt and with --verbose
          again     hallmark run
          devices   two
          kept      a folder
        ");
        assert!(!shown(4, Verbosity::Ordinary).contains('…'));
        assert!(!shown(7, Verbosity::Verbose).contains('…'));
    }
}
