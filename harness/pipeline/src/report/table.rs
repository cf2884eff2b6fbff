//! The end of a run on the terminal: numbers of verdicts by architecture and device, and the state of goldens.

use std::collections::BTreeMap;

use anstyle::Style;
use hallmark_chip::{Architecture, KernelRuns};
use hallmark_schema::plural::{counted, grouped};
use textwrap::core::display_width;

use super::style::{self, painted};
use super::{EarlyEnd, RunReport};
use crate::test_result::TestResult;
use crate::verdict::Verdict;

/// The largest number of reasons for skipped tests that are shown.
const SHOWN_REASONS: usize = 3;
/// The largest number of missing shards that are named; the JSON report names all.
const SHOWN_SHARDS: usize = 4;

/// The verdicts of one architecture in one column of the table.
struct Cell {
    text: String,
    style: Style,
}

/// The closing table of a run, at most `columns` wide if the terminal has a limit; with colours.
pub fn table(report: &RunReport, columns: Option<usize>) -> String {
    let mut text = String::new();
    let devices = report.device_names();
    let rows: Vec<_> = devices
        .iter()
        .map(|(architecture, device)| (*architecture, device, cells(report, *architecture)))
        .collect();
    let lines = side_by_side(report, &rows);
    let widest = lines.iter().map(|line| display_width(line)).max().unwrap_or(0);
    if columns.is_none_or(|columns| widest <= columns) {
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
    } else {
        for (architecture, device, cells) in &rows {
            let seconds = seconds(report, *architecture);
            text.push_str(&format!("   {architecture}, {device}, {seconds:.1} s\n"));
            for cell in cells.values() {
                text.push_str(&format!("     {}\n", painted(cell.style, cell.text.trim_start())));
            }
        }
    }
    text.push_str(&closing(report));
    text
}

/// The results of an architecture's tests, by table column.
fn cells(report: &RunReport, architecture: Architecture) -> BTreeMap<usize, Cell> {
    let mut counts: BTreeMap<usize, (usize, &Verdict)> = BTreeMap::new();
    for result in report.results.iter().filter(|it| it.name.architecture == architecture) {
        let (place, ..) = result.verdict.column();
        counts.entry(place).or_insert((0, &result.verdict)).0 += 1;
    }
    let cell = |(place, (count, verdict)): (usize, (usize, &Verdict))| {
        let (_, one, many) = verdict.column();
        let word = if count == 1 { one } else { many };
        (place, Cell { text: format!("{:>4} {word}", grouped(count)), style: style::of(verdict) })
    };
    counts.into_iter().map(cell).collect()
}

fn seconds(report: &RunReport, architecture: Architecture) -> f64 {
    let elapsed = report.elapsed.iter().find(|(known, _)| *known == architecture);
    elapsed.map_or(0.0, |(_, elapsed)| elapsed.as_secs_f64())
}

/// A line for each architecture, with a column for each verdict that occurs.
fn side_by_side(
    report: &RunReport,
    rows: &[(Architecture, &String, BTreeMap<usize, Cell>)],
) -> Vec<String> {
    let architecture_width =
        rows.iter().map(|(architecture, ..)| architecture.name().len()).max().unwrap_or(0);
    let device_width = rows.iter().map(|(_, device, _)| device.chars().count()).max().unwrap_or(0);
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, _, cells) in rows {
        for (place, cell) in cells {
            let width = columns.entry(*place).or_default();
            *width = (*width).max(cell.text.chars().count());
        }
    }
    let line = |(architecture, device, cells): &(Architecture, &String, BTreeMap<usize, Cell>)| {
        let mut line =
            format!("   {:<architecture_width$}  {device:<device_width$} ", architecture.name());
        for (place, width) in &columns {
            let cell = cells.get(place);
            let (text, style) =
                cell.map_or(("", Style::new()), |cell| (cell.text.as_str(), cell.style));
            line.push_str(&format!("  {}", painted(style, &format!("{text:<width$}"))));
        }
        let gap = " ".repeat(58_usize.saturating_sub(display_width(&line)));
        format!("{line}{gap} {:>5.1} s", seconds(report, *architecture))
    };
    rows.iter().map(line).collect()
}

/// The state of goldens after all tests passed.
fn goldens(report: &RunReport) -> String {
    let without = &report.without_goldens;
    if without.is_empty() {
        return "capture bytes equal their goldens".to_owned();
    }
    let names: Vec<&str> = without.iter().map(|architecture| architecture.name()).collect();
    let left_out = format!("goldens are of whole chips and left out on {}", names.join(", "));
    if without.len() == report.devices.len() {
        return left_out;
    }
    format!("{left_out}, elsewhere capture bytes equal them")
}

/// The numbers of tests in the closing line, by outcome.
#[derive(Default)]
struct Counts {
    passed: usize,
    skipped: usize,
    failed_as_expected: usize,
    deviated: usize,
    failed_as_known: usize,
    interrupted: usize,
    did_not_pass: usize,
}

impl Counts {
    fn of(report: &RunReport) -> Self {
        let mut counts = Self::default();
        for result in &report.results {
            let count = match &result.verdict {
                Verdict::Pass => &mut counts.passed,
                Verdict::Skipped { .. } => &mut counts.skipped,
                Verdict::ExpectedFailure { .. } => &mut counts.failed_as_expected,
                Verdict::KnownDeviation { .. } => &mut counts.deviated,
                Verdict::KnownFailure { .. } => &mut counts.failed_as_known,
                Verdict::Interrupted => &mut counts.interrupted,
                Verdict::Mismatch
                | Verdict::Refused
                | Verdict::NotBuilt
                | Verdict::Unstable
                | Verdict::Changed
                | Verdict::Fault
                | Verdict::Deadlock
                | Verdict::Hang
                | Verdict::Crash
                | Verdict::Missing
                | Verdict::Unsupported
                | Verdict::UnexpectedPass
                | Verdict::InternalError => &mut counts.did_not_pass,
            };
            *count += 1;
        }
        counts
    }
}

/// The closing line of a stopped run.
fn stopped(report: &RunReport, end: &EarlyEnd) -> String {
    let Counts {
        passed,
        skipped,
        failed_as_expected,
        deviated,
        failed_as_known,
        interrupted,
        did_not_pass,
    } = Counts::of(report);
    let was = |count| if count == 1 { "was" } else { "were" };
    let parts = [
        (passed, "passed".to_owned()),
        (skipped, format!("{} skipped", was(skipped))),
        (failed_as_expected, "failed as expected".to_owned()),
        (deviated, "deviated as is known".to_owned()),
        (failed_as_known, "failed as known".to_owned()),
        (did_not_pass, "did not pass".to_owned()),
        (interrupted, format!("{} interrupted", was(interrupted))),
        (end.did_not_run.len(), "did not run".to_owned()),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(count)))
        .collect();
    let ran = report.results.len();
    format!(
        "{} after {} of {}: {}\n",
        end.reason.words(),
        grouped(ran),
        counted(ran.saturating_add(end.did_not_run.len()), "test", "tests"),
        parts.join(", ")
    )
}

/// The closing line of a complete run. It claims no more than the tests showed.
fn ended(report: &RunReport) -> String {
    let counts = Counts::of(report);
    let mut total = counted(report.results.len(), "test", "tests");
    if report.seeds.count() > 1 {
        total.push_str(&format!(
            ", each under {} schedule seeds ({})",
            grouped(report.seeds.count()),
            report.seeds
        ));
    }
    let bad = counts.did_not_pass.saturating_add(counts.interrupted);
    if bad > 0 {
        return format!("   {total}, {} did not pass\n", grouped(bad));
    }
    if counts.passed == 0 {
        return format!("   {total}, none of which passed\n");
    }
    // An excused test fails before its capture is compared with a golden, and perhaps before it is replayed.
    let excused = [
        (counts.failed_as_expected, "expected failure", "expected failures"),
        (counts.deviated, "known deviation", "known deviations"),
        (counts.failed_as_known, "known failure", "known failures"),
    ];
    let excused: Vec<String> = excused
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    let except = match excused.as_slice() {
        [] => String::new(),
        excused => format!(" except for {}", excused.join(" and ")),
    };
    let elsewhere = if report.replay_devices.is_empty() { "" } else { " on another device" };
    let goldens = goldens(report);
    format!("   {total}, every capture replayed in a fresh process{elsewhere}{except}; {goldens}\n")
}

/// Tests that were repeated, with the results of all their runs.
fn run_again(report: &RunReport) -> String {
    let mut text = String::new();
    for (name, earlier) in &report.earlier_runs {
        let last = report.results.iter().find(|result| result.name == *name);
        let ends: Vec<&str> =
            earlier.iter().chain(last).map(|result| result.verdict.name()).collect();
        text.push_str(&format!("   run again: {name}: {}\n", ends.join(", then ")));
    }
    text
}

/// The tests that may end otherwise under `--strict-isa`.
fn relying_on_order(report: &RunReport) -> String {
    let relying = report.results.iter().filter(|it| it.relies_on_atomics_behind_writes);
    let Some(tests) = first_and_others(relying) else { return String::new() };
    format!(
        "   not promised: {tests} would differ with --strict-isa: an atomic increment arrives behind a write\n"
    )
}

/// The name of the first test and the number of the others; `None` if there is no test.
fn first_and_others<'a>(mut tests: impl Iterator<Item = &'a TestResult>) -> Option<String> {
    let first = &tests.next()?.name;
    Some(match tests.count() {
        0 => first.to_string(),
        more => format!("{first} and {}", counted(more, "other", "others")),
    })
}

/// The kernels that could not be judged when they ended.
fn ends_not_judged(report: &RunReport) -> String {
    let affected = report.results.iter().filter(|it| it.kernel_runs.of_unknown_end > 0);
    let Some(tests) = first_and_others(affected.clone()) else { return String::new() };
    let mut runs = KernelRuns::default();
    affected.for_each(|result| runs += result.kernel_runs);
    let runs = runs.of_unknown_end;
    let (s, were) = if runs == 1 { ("", "was") } else { ("s", "were") };
    format!(
        "   not judged: {tests}: {runs} run{s} of kernels that may have ended with requests under way {were} not \
         looked at, because neither symbols nor lines of their ELFs tell where kernel_main returns\n"
    )
}

fn closing(report: &RunReport) -> String {
    let mut text = match &report.early_end {
        Some(end) => stopped(report, end),
        None => ended(report),
    };
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    let mut deviated: BTreeMap<&str, usize> = BTreeMap::new();
    for result in &report.results {
        match &result.verdict {
            Verdict::Skipped { reason } => *skipped.entry(reason).or_default() += 1,
            Verdict::KnownDeviation { reason } => *deviated.entry(reason).or_default() += 1,
            Verdict::Pass
            | Verdict::Mismatch
            | Verdict::Refused
            | Verdict::NotBuilt
            | Verdict::Unstable
            | Verdict::Changed
            | Verdict::Fault
            | Verdict::Deadlock
            | Verdict::Hang
            | Verdict::Crash
            | Verdict::Missing
            | Verdict::Unsupported
            | Verdict::ExpectedFailure { .. }
            | Verdict::KnownFailure { .. }
            | Verdict::UnexpectedPass
            | Verdict::Interrupted
            | Verdict::InternalError => {}
        }
    }
    let tests: usize = skipped.values().sum();
    if skipped.len() > SHOWN_REASONS {
        text.push_str(&format!(
            "   skipped: {} for {} reasons   (hallmark list --skipped)\n",
            counted(tests, "test", "tests"),
            grouped(skipped.len())
        ));
    } else {
        for (reason, count) in skipped {
            text.push_str(&format!("   skipped: {} {reason}\n", grouped(count)));
        }
    }
    text.push_str(&relying_on_order(report));
    text.push_str(&ends_not_judged(report));
    for (reason, count) in deviated {
        let tests = counted(count, "test", "tests");
        text.push_str(&format!("   known deviation: {tests}, {reason}\n"));
    }
    for shard in report.missing_shards.iter().take(SHOWN_SHARDS) {
        text.push_str(&format!("   missing: {shard}; nobody reported its tests\n"));
    }
    let more = report.missing_shards.len().saturating_sub(SHOWN_SHARDS);
    if more > 0 {
        text.push_str(&format!("   missing: {}\n", counted(more, "more shard", "more shards")));
    }
    text.push_str(&run_again(report));
    if !report.unused_goldens.is_empty() {
        text.push_str(&format!(
            "   {} to no test: {}   (hallmark bless removes what no test needs)\n",
            counted(report.unused_goldens.len(), "golden belongs", "goldens belong"),
            report.unused_goldens.first().map_or("", String::as_str),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hallmark_execution::interrupt::Signal;

    use super::*;

    use crate::report::StopReason;
    use crate::report::samples::report;

    fn skipped() -> Verdict {
        Verdict::Skipped { reason: "not here".to_owned() }
    }

    fn excused() -> Verdict {
        Verdict::ExpectedFailure { reason: "it is known".to_owned() }
    }

    #[test]
    fn tests_that_rest_on_an_order_take_one_line() {
        let ends = |relying: usize| {
            let mut report = report(&[Verdict::Pass, Verdict::Pass, Verdict::Pass]);
            for result in report.results.iter_mut().take(relying) {
                result.relies_on_atomics_behind_writes = true;
            }
            closing(&report)
        };
        assert!(!ends(0).contains("--strict-isa"));
        for (relying, words) in [(1, "case would differ"), (2, "case and 1 other would differ")] {
            let text = ends(relying);
            assert!(text.contains(words) && text.lines().count() == 2, "{text}");
        }
    }

    #[test]
    fn kernels_whose_end_is_unknown_take_one_line() {
        let ends = |unknown: &[u64]| {
            let mut report = report(&[Verdict::Pass, Verdict::Pass, Verdict::Pass]);
            for (result, runs) in report.results.iter_mut().zip(unknown) {
                result.kernel_runs =
                    KernelRuns { of_unknown_end: *runs, by_words: 7, ..KernelRuns::default() };
            }
            closing(&report)
        };
        assert!(!ends(&[0, 0]).contains("not judged"));
        let cases: [(&[u64], &str); 2] =
            [(&[0, 1], "case: 1 run of"), (&[2, 0, 3], "case and 1 other: 5 runs of")];
        for (unknown, words) in cases {
            let text = ends(unknown);
            assert!(text.contains(words) && text.lines().count() == 2, "{text}");
        }
    }

    #[test]
    fn the_closing_line_says_no_more_than_the_tests_showed() {
        let equal = "replayed in a fresh process; capture bytes equal their goldens\n";
        let ends = |verdicts: &[Verdict]| closing(&report(verdicts));
        assert_eq!(ends(&[Verdict::Pass]), format!("   1 test, every capture {equal}"));
        let text = ends(&[Verdict::Pass, Verdict::Pass, excused()]);
        let equal = equal.replacen(';', " except for 1 expected failure;", 1);
        assert_eq!(text, format!("   3 tests, every capture {equal}"));
        let text = ends(&[Verdict::Pass, excused(), excused()]);
        assert!(
            text.contains("replayed in a fresh process except for 2 expected failures;"),
            "{text}"
        );
        for nothing in [&[skipped()] as &[_], &[excused()], &[skipped(), excused()]] {
            let text = ends(nothing);
            assert!(text.contains("none of which passed"), "{text}");
            assert!(!text.contains("replayed") && !text.contains("goldens"), "{text}");
        }
        assert_eq!(
            ends(&[Verdict::Pass, Verdict::Fault, Verdict::Mismatch]),
            "   3 tests, 2 did not pass\n"
        );
        let deviation = || Verdict::KnownDeviation { reason: "`lax` of tt_metal: R.".to_owned() };
        let text = ends(&[Verdict::Pass, deviation()]);
        assert!(text.contains("fresh process except for 1 known deviation;"), "{text}");
        assert!(text.ends_with("   known deviation: 1 test, `lax` of tt_metal: R.\n"), "{text}");
        let text = ends(&[Verdict::Pass, excused(), deviation(), deviation()]);
        let but = "fresh process except for 1 expected failure and 2 known deviations;";
        assert!(text.contains(but), "{text}");
    }

    #[test]
    fn each_architecture_has_its_own_time_beside_or_below_its_counts() {
        let mut report = report(&[Verdict::Pass, Verdict::Pass]);
        report.results[1].name = "blackhole::group::suite::case".parse().unwrap();
        report.devices.push((Architecture::Blackhole, "sim".to_owned()));
        report.elapsed = vec![
            (Architecture::Blackhole, Duration::from_millis(2500)),
            (Architecture::WormholeB0, Duration::from_millis(1200)),
        ];
        let counts = |text: &str| {
            let lines = text.lines().filter(|line| !line.contains("replayed"));
            lines.map(|line| anstream::adapter::strip_str(line).to_string()).collect::<Vec<_>>()
        };
        let wide = table(&report, None);
        let lines = counts(&wide);
        assert!(lines[0].contains("wormhole_b0") && lines[0].ends_with("1.2 s"), "{wide}");
        assert!(lines[1].contains("blackhole") && lines[1].ends_with("2.5 s"), "{wide}");
        // The table just fits into this width, and not into one column less.
        let width = lines.iter().map(|line| display_width(line)).max().unwrap();
        assert_eq!(table(&report, Some(width)), wide);
        let narrow = counts(&table(&report, Some(width - 1)));
        let expected = [
            "   wormhole_b0, sim, 1.2 s",
            "     1 pass",
            "   blackhole, sim, 2.5 s",
            "     1 pass",
        ];
        assert_eq!(narrow, expected);
    }

    #[test]
    fn a_stopped_run_counts_what_it_left_out() {
        let stopped = |verdicts: &[Verdict], left: usize, signal| {
            let name = "wormhole_b0::group::suite::other".parse().unwrap();
            let mut report = report(verdicts);
            let did_not_run = vec![name; left];
            report.early_end = Some(EarlyEnd { reason: StopReason::Signal(signal), did_not_run });
            closing(&report)
        };
        let (pass, interrupted) = (Verdict::Pass, Verdict::Interrupted);
        assert_eq!(
            stopped(&[pass.clone(), pass.clone(), interrupted.clone()], 962, Signal::Interrupt),
            "^C stopped after 3 of 965 tests: 2 passed, 1 was interrupted, 962 did not run\n"
        );
        assert_eq!(
            stopped(&[Verdict::Hang, excused(), interrupted], 1, Signal::Terminate),
            "SIGTERM stopped after 3 of 4 tests: 1 failed as expected, 1 did not pass, \
             1 was interrupted, 1 did not run\n"
        );
        assert_eq!(
            stopped(&[], 1, Signal::Interrupt),
            "^C stopped after 0 of 1 test: 1 did not run\n"
        );
        // The signal came after the last test.
        let text = stopped(&[pass, skipped()], 0, Signal::Interrupt);
        assert!(text.starts_with("^C stopped after 2 of 2 tests: 1 passed, 1 was skipped\n"));
    }
}
