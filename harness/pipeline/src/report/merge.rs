//! Merges the reports of several machines, which must be of the same commit and complete each other.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::Architecture;
use hallmark_chip::sabotage::is_switched_off;
use hallmark_schema::plural::counted;
use hallmark_suite::name::TestName;

use super::{RunReport, SelectedTests};
use crate::commit::Commit;
use crate::shard::Shard;

/// A report and the file that it was read from.
#[derive(Clone, Debug)]
pub struct NamedReport {
    /// The file, as the user named it.
    pub file: String,
    /// The report in the file.
    pub report: RunReport,
}

/// Why reports are not merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// No report was given.
    #[error("there is no report to merge")]
    Nothing,
    /// A report does not state its commit.
    #[error("{file} names no commit; run the tests in a git checkout")]
    NoCommit {
        /// The report's file.
        file: String,
    },
    /// A report of a checkout with uncommitted changes.
    #[error(
        "{file} is of a checkout with changed files ({commit}); commit them and run the tests again"
    )]
    Changed {
        /// The report's file.
        file: String,
        /// The checked-out commit.
        commit: Commit,
    },
    /// Two reports are of different commits.
    #[error("{file} is of another commit than {first_file}: {commit}, not {first}")]
    OtherCommit {
        /// The report's file.
        file: String,
        /// Its commit.
        commit: Commit,
        /// The file of the first report.
        first_file: String,
        /// Its commit.
        first: Commit,
    },
    /// Two reports disagree in a circumstance.
    #[error(
        "{file} is of {what}, {first_file} of {first}; only reports of the same run are merged"
    )]
    OtherRun {
        /// The report's file.
        file: String,
        /// The circumstance in the report.
        what: String,
        /// The file of the other report.
        first_file: String,
        /// The circumstance in the other report.
        first: String,
    },
    /// Two reports are of the same shard.
    #[error("{file} and {first_file} are both of shard {shard}; leave one out")]
    SameShard {
        /// The report's file.
        file: String,
        /// The file of the other report.
        first_file: String,
        /// The shard of both, with its architectures.
        shard: String,
    },
    /// A test is in two reports, or twice in one.
    #[error("{test} stands in {first_file} and in {file}; leave one of the reports out")]
    SameTest {
        /// The test.
        test: Box<TestName>,
        /// The report's file.
        file: String,
        /// The file of the other report, perhaps the same.
        first_file: String,
    },
    /// The number of tests in a report differs from that of its shard.
    #[error("{file} reports {}, and its shard has {expected}; run the shard again", counted(*has, "test", "tests"))]
    Count {
        /// The report's file.
        file: String,
        /// The number of tests in the report.
        has: usize,
        /// The number of tests in its shard.
        expected: usize,
    },
    /// A report contains a test of an architecture that it was not run for.
    #[error("{file} is of {architectures} and reports {test}")]
    Foreign {
        /// The report's file.
        file: String,
        /// The architectures of the report.
        architectures: String,
        /// The test.
        test: Box<TestName>,
    },
}

/// The checks of a merge, by name. For each, a test fails without it.
pub const MERGE_CHECKS: [&str; 8] = [
    "Changed",
    "OtherCommit",
    "OtherRun",
    "SameShard",
    "SameTest",
    "Count",
    "Foreign",
    "MissingShard",
];

/// Whether a check of merges is switched off.
fn is_off(check: &str) -> bool {
    is_switched_off("merge", check)
}

impl MergeError {
    /// Returns the error, unless its check is switched off.
    fn refuse(self) -> Result<(), Self> {
        let check = match self {
            // A merge cannot continue without a report or without its commit.
            Self::Nothing | Self::NoCommit { .. } => return Err(self),
            Self::Changed { .. } => "Changed",
            Self::OtherCommit { .. } => "OtherCommit",
            Self::OtherRun { .. } => "OtherRun",
            Self::SameShard { .. } => "SameShard",
            Self::SameTest { .. } => "SameTest",
            Self::Count { .. } => "Count",
            Self::Foreign { .. } => "Foreign",
        };
        if is_off(check) { Ok(()) } else { Err(self) }
    }
}

/// Merges reports. The merged report lists missing shards, and missing architectures of `expected`.
///
/// # Errors
/// The reports contradict each other, or are not of one commit.
pub fn merge(
    reports: Vec<NamedReport>,
    expected: &[Architecture],
) -> Result<RunReport, MergeError> {
    let Some(first) = reports.first() else { return Err(MergeError::Nothing) };
    let commit = commit_of_all(&reports)?;
    let merged_seeds = first.report.seeds;
    let baseline = first.report.baseline.clone();
    check_circumstances(&reports)?;
    let series = by_architectures(&reports)?;
    check_tests(&reports)?;
    let mut missing_shards = missing(&series);
    let reported: BTreeSet<Architecture> = series.keys().flatten().copied().collect();
    for architecture in expected.iter().filter(|it| !reported.contains(it)) {
        missing_shards.push(format!("every shard of {architecture}"));
    }
    let tests = series.values().filter_map(|shards| shards.first());
    let tests = tests.map(|(_, one)| one.report.selected.tests).sum();
    let mut merged = RunReport {
        commit: Some(commit),
        selected: SelectedTests {
            architectures: reported.into_iter().collect(),
            tests,
            shard: None,
        },
        missing_shards,
        results: Vec::new(),
        earlier_runs: BTreeMap::new(),
        devices: Vec::new(),
        replay_devices: Vec::new(),
        dispatch: Vec::new(),
        without_goldens: Vec::new(),
        elapsed: Vec::new(),
        baseline,
        seeds: merged_seeds,
        unused_goldens: Vec::new(),
        early_end: None,
    };
    for NamedReport { report, .. } in reports {
        add(&mut merged, report);
    }
    merged.results.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(merged)
}

/// The common commit of all reports.
fn commit_of_all(reports: &[NamedReport]) -> Result<Commit, MergeError> {
    let mut first: Option<(&str, &Commit)> = None;
    for NamedReport { file, report } in reports {
        let commit = mergeable(file, report.commit.as_ref())?;
        let file = file.clone();
        match first {
            Some((first_file, first)) if first != commit => {
                MergeError::OtherCommit {
                    file,
                    commit: commit.clone(),
                    first_file: first_file.to_owned(),
                    first: first.clone(),
                }
                .refuse()?;
            }
            Some(_) => {}
            None => first = Some((file_of(reports), commit)),
        }
    }
    first.map(|(_, commit)| commit.clone()).ok_or(MergeError::Nothing)
}

/// The commit of a report, if reports of it are merged. A run asks before it begins, so that the answer does not come
/// after every shard has run.
///
/// # Errors
/// [`MergeError::NoCommit`] and [`MergeError::Changed`].
pub fn mergeable<'c>(file: &str, commit: Option<&'c Commit>) -> Result<&'c Commit, MergeError> {
    let Some(commit) = commit else {
        return Err(MergeError::NoCommit { file: file.to_owned() });
    };
    if commit.is_changed() {
        MergeError::Changed { file: file.to_owned(), commit: commit.clone() }.refuse()?;
    }
    Ok(commit)
}

fn file_of(reports: &[NamedReport]) -> &str {
    reports.first().map_or("", |first| first.file.as_str())
}

/// All reports must have the same schedule seeds and baseline, and the same device for each architecture.
fn check_circumstances(reports: &[NamedReport]) -> Result<(), MergeError> {
    let mut seen: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for NamedReport { file, report } in reports {
        let seeds = ("seeds".to_owned(), format!("schedule seeds {}", report.seeds));
        let devices = report.device_names().into_iter();
        let devices = devices.map(|(it, device)| (it.to_string(), format!("{it} on {device}")));
        let dispatch = report.dispatch.iter().map(|(architecture, dispatch)| {
            let key = format!("{architecture} dispatch");
            (key, format!("{architecture} with {dispatch} dispatch"))
        });
        // Machines may keep one file in several places.
        let baseline = match &report.baseline {
            Some(baseline) => format!("the baseline {}", baseline.hash.short()),
            None => "no baseline".to_owned(),
        };
        let rest = [seeds, ("baseline".to_owned(), baseline)];
        for (key, what) in devices.chain(dispatch).chain(rest) {
            let (first_file, first) = seen.entry(key).or_insert((file, what.clone()));
            if *first != what {
                MergeError::OtherRun {
                    file: file.clone(),
                    what,
                    first_file: (*first_file).to_owned(),
                    first: first.clone(),
                }
                .refuse()?;
            }
        }
    }
    Ok(())
}

/// The reports of the shards of one selection, by its architectures.
type Series<'a> = BTreeMap<Vec<Architecture>, Vec<(Shard, &'a NamedReport)>>;

fn by_architectures(reports: &[NamedReport]) -> Result<Series<'_>, MergeError> {
    let mut series = Series::new();
    for named in reports {
        let SelectedTests { architectures, tests, shard } = &named.report.selected;
        let shard = shard.unwrap_or(Shard::WHOLE);
        let shards = series.entry(architectures.clone()).or_default();
        let file = || named.file.clone();
        if let Some((known, first)) = shards.first() {
            let of =
                |total, tests| format!("{total} shards of {}", counted(tests, "test", "tests"));
            let what = of(shard.total(), *tests);
            let other = of(known.total(), first.report.selected.tests);
            if what != other {
                let first_file = first.file.clone();
                MergeError::OtherRun { file: file(), what, first_file, first: other }.refuse()?;
            }
        }
        if let Some((_, same)) = shards.iter().find(|(known, _)| *known == shard) {
            let shard = format!("{shard} of {}", names(architectures));
            let first_file = same.file.clone();
            MergeError::SameShard { file: file(), first_file, shard }.refuse()?;
        }
        let has = named.report.results.len().saturating_add(named.report.did_not_run().len());
        let expected = shard.size(*tests);
        if has != expected {
            MergeError::Count { file: file(), has, expected }.refuse()?;
        }
        shards.push((shard, named));
    }
    Ok(series)
}

fn names(architectures: &[Architecture]) -> String {
    let names: Vec<&str> = architectures.iter().map(|it| it.name()).collect();
    names.join(" and ")
}

/// Each test must be in exactly one report, which is of its architecture.
fn check_tests(reports: &[NamedReport]) -> Result<(), MergeError> {
    let mut seen: BTreeMap<&TestName, &str> = BTreeMap::new();
    for NamedReport { file, report } in reports {
        let ran = report.results.iter().map(|result| &result.name);
        for test in ran.chain(report.did_not_run()) {
            let architectures = &report.selected.architectures;
            if !architectures.contains(&test.architecture) {
                MergeError::Foreign {
                    file: file.clone(),
                    architectures: names(architectures),
                    test: Box::new(test.clone()),
                }
                .refuse()?;
            }
            if let Some(first_file) = seen.insert(test, file) {
                MergeError::SameTest {
                    test: Box::new(test.clone()),
                    file: file.clone(),
                    first_file: first_file.to_owned(),
                }
                .refuse()?;
            }
        }
    }
    Ok(())
}

/// Shards without a report.
fn missing(series: &Series<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    for (architectures, shards) in series {
        let Some((one, _)) = shards.first() else { continue };
        let there: BTreeSet<Shard> = shards.iter().map(|(shard, _)| *shard).collect();
        let is_missing = |shard: &Shard| !there.contains(shard) && !is_off("MissingShard");
        for shard in one.all().filter(is_missing) {
            missing.push(format!("shard {shard} of {}", names(architectures)));
        }
    }
    missing
}

/// Adds a report that does not contradict the earlier ones.
fn add(merged: &mut RunReport, report: RunReport) {
    merged.results.extend(report.results);
    merged.earlier_runs.extend(report.earlier_runs);
    for (list, more) in
        [(&mut merged.devices, report.devices), (&mut merged.replay_devices, report.replay_devices)]
    {
        list.extend(more);
        list.sort();
        list.dedup();
    }
    for (architecture, dispatch) in report.dispatch {
        if !merged.dispatch.iter().any(|(known, _)| *known == architecture) {
            merged.dispatch.push((architecture, dispatch));
        }
    }
    merged.without_goldens.extend(report.without_goldens);
    merged.without_goldens.sort_unstable();
    merged.without_goldens.dedup();
    // The machines ran in parallel.
    for (architecture, elapsed) in report.elapsed {
        match merged.elapsed.iter_mut().find(|(known, _)| *known == architecture) {
            Some((_, longest)) => *longest = (*longest).max(elapsed),
            None => merged.elapsed.push((architecture, elapsed)),
        }
    }
    merged.unused_goldens.extend(report.unused_goldens);
    match (&mut merged.early_end, report.early_end) {
        (Some(end), Some(more)) => end.did_not_run.extend(more.did_not_run),
        (end @ None, more) => *end = more,
        (Some(_), None) => {}
    }
}
