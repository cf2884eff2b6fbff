//! Selects the tests of a command.

use std::convert::Infallible;
use std::path::Path;

use glob::Pattern;
use hallmark_chip::Architecture;
use hallmark_execution::parallel::each;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plural::counted;
use hallmark_suite::discover::{
    LoadedSuite, ResolveError, Root, SelectedTest, SuiteFile, nearest_test,
};
use hallmark_suite::mistake::{LocatedMistake, SuiteMistakes};
use hallmark_suite::name::{TestName, split_architecture, with_whole_architecture};
use hallmark_suite::pattern::{NamePattern, as_glob, matches_beginning};

use super::options::SELECTION;
use super::paths::absolute;
use super::work::processors;
use super::{Failed, output};

/// The options by which a command chooses tests.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Selection {
    /// Suite files, folders of suites, names of tests, or first parts of names with or without the architecture [default: all tests]
    ///
    /// In names and paths, `*` stands for any characters and `?` for one: '*::dataflow::*::one_core'.
    #[arg(value_name = "PATH|TEST")]
    pub(super) what: Vec<String>,
    /// Only tests whose name contains this text, or with `*` or `?` matches it as a whole (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = SELECTION)]
    pub(super) filter: Vec<NamePattern>,
    /// No test whose name contains this text, or with `*` or `?` matches it as a whole (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = SELECTION)]
    pub(super) exclude: Vec<NamePattern>,
    /// The one test with this name
    #[arg(long, value_name = "TEST", conflicts_with_all = ["what", "filter", "exclude"], help_heading = SELECTION)]
    pub(super) exact: Option<String>,
}

impl Selection {
    /// Whether the selection takes every test.
    pub(super) const fn is_everything(&self) -> bool {
        let Self { what, filter, exclude, exact } = self;
        what.is_empty() && filter.is_empty() && exclude.is_empty() && exact.is_none()
    }

    /// The architectures that names of tests, or their first parts, begin with.
    pub(super) fn named_architectures(&self) -> impl Iterator<Item = Architecture> {
        self.what.iter().filter_map(|text| Some(split_architecture(text)?.0))
    }

    /// The architecture of the one test, if one is selected.
    pub(super) fn exact_architecture(&self) -> Option<Architecture> {
        Some(split_architecture(self.exact.as_deref()?)?.0)
    }
}

/// The selected tests, sorted by architecture and place. Suites that hold a selected test are checked
/// completely, so that nothing runs while one of them is wrong.
pub(super) fn tests(
    root: &Root,
    architectures: &[Architecture],
    selection: &Selection,
) -> Result<Vec<SelectedTest>, Failed> {
    select(root, architectures, selection, Check::Everything)
}

/// The same tests for commands that only name them: a suite is checked only as far as its names depend on it.
pub(super) fn named(
    root: &Root,
    architectures: &[Architecture],
    selection: &Selection,
) -> Result<Vec<SelectedTest>, Failed> {
    select(root, architectures, selection, Check::Names)
}

/// Parses a test name that a user wrote.
pub(super) fn test_name(text: &str) -> Result<TestName, Failed> {
    with_whole_architecture(text).parse().map_err(|error| Failed::new(ExitCode::USAGE, error))
}

/// The test with this name.
pub(super) fn one_test(root: &Root, name: &TestName) -> Result<SelectedTest, Failed> {
    root.test(name).map_err(|error| match error {
        ResolveError::NoSuchTest { .. } => Failed::new(ExitCode::NOTHING_SELECTED, error),
        ResolveError::Mistakes(mistakes) => mistakes.into(),
    })
}

/// How completely a suite is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Names,
    Everything,
}

fn select(
    root: &Root,
    architectures: &[Architecture],
    selection: &Selection,
    check: Check,
) -> Result<Vec<SelectedTest>, Failed> {
    if let Some(name) = &selection.exact {
        return one_test(root, &test_name(name)?).map(|test| vec![test]);
    }
    let wanted = Wanted::new(root, &selection.what)?;
    let Files { mut suites, misplaced } = load(root, &wanted);
    let mut asked = vec![false; wanted.0.len()];
    let mut filters = vec![false; selection.filter.len()];
    let mut exclusions = vec![false; selection.exclude.len()];
    let mut tests = Vec::new();
    let mut excluded = 0_usize;
    for &architecture in architectures {
        for file in &mut suites {
            let Some(suite) = &file.suite else { continue };
            for test in suite.tests(&[architecture]) {
                let name = test.name.to_string();
                if !any_of(&wanted.0, &mut asked, |part| part.test(&test, &name))
                    || !any_of(&selection.filter, &mut filters, |filter| filter.matches(&name))
                {
                    continue;
                }
                if !selection.exclude.is_empty()
                    && any_of(&selection.exclude, &mut exclusions, |it| it.matches(&name))
                {
                    excluded = excluded.saturating_add(1);
                } else {
                    file.is_selected = true;
                    tests.push(test);
                }
            }
        }
    }
    for file in suites.iter_mut().filter(|file| file.suite.is_none()) {
        // The names of its tests are unknown, so only the suite's own name can match.
        let beginnings: Vec<String> = architectures
            .iter()
            .map(|architecture| {
                format!("{architecture}::{}::{}::", file.file.group, file.file.suite)
            })
            .collect();
        let any = |holds: &dyn Fn(&str) -> bool| beginnings.iter().any(|name| holds(name));
        let is_wanted = wanted.0.is_empty()
            || wanted.0.iter().any(|part| any(&|name| part.broken_file(&file.file, name)));
        let passes = selection.filter.is_empty()
            || selection.filter.iter().any(|filter| any(&|name| filter.matches(name)));
        file.is_selected = is_wanted && passes;
    }
    let everything = wanted.0.is_empty() && selection.filter.is_empty();
    for file in &mut suites {
        // No test may be listed of a matrix that excludes all, and not all tests are of one that has too many.
        let has_too_many = file.suite.as_ref().is_some_and(LoadedSuite::has_too_many_tests);
        file.is_selected |= everything || tests.is_empty() && has_too_many;
    }
    if check == Check::Everything || tests.is_empty() {
        check_selected(&mut suites, architectures);
    }
    let misplaced = misplaced.into_iter().map(|mistake| {
        let is_selected = everything || wanted.names_above(&mistake.file.path);
        (mistake, is_selected)
    });
    refuse_broken(suites, misplaced.collect())?;
    // A part that selects nothing is a mistake, even if other parts select tests.
    let given = selection.what.iter().cloned().zip(asked);
    let filters = selection.filter.iter().map(ToString::to_string).zip(filters);
    if let Some((unmet, _)) = given.chain(filters).find(|(_, met)| !met) {
        return Err(nothing(root, architectures, Some(&unmet)));
    }
    if tests.is_empty() && excluded > 0 {
        let text = format!(
            "no test is selected: --exclude takes away all {}",
            counted(excluded, "test", "tests")
        );
        return Err(Failed::new(ExitCode::NOTHING_SELECTED, text));
    }
    if tests.is_empty() {
        return Err(nothing(root, architectures, None));
    }
    for (exclusion, met) in selection.exclude.iter().zip(exclusions) {
        if !met {
            output::warn(&format!("--exclude `{exclusion}` takes away no test"));
        }
    }
    Ok(tests)
}

/// Whether one of several criteria holds, or there are no criteria; marks each criterion that holds.
fn any_of<T>(criteria: &[T], met: &mut [bool], holds: impl Fn(&T) -> bool) -> bool {
    let mut any = criteria.is_empty();
    for (one, met) in criteria.iter().zip(met) {
        if holds(one) {
            (*met, any) = (true, true);
        }
    }
    any
}

fn nothing(root: &Root, architectures: &[Architecture], unmet: Option<&str>) -> Failed {
    // The nearest name may be in a file that the user did not select; a broken file has no names.
    let files = root.suite_files().unwrap_or_default();
    let suites = files.iter().filter_map(|file| root.load(file).ok());
    let names: Vec<String> = suites
        .flat_map(|suite| suite.tests(architectures))
        .map(|test| test.name.to_string())
        .collect();
    let mut text = "no test is selected".to_owned();
    if names.is_empty() {
        text.push_str("; there is no suite that could have one");
    } else if let Some(unmet) = unmet {
        text = format!("no test is selected by `{unmet}`");
        // The nearest name, or the nearest beginning of a name.
        let parts = unmet.split("::").count();
        let is_whole = split_architecture(unmet).is_some();
        let beginnings: Vec<String> = names
            .iter()
            .map(|name| if is_whole { name } else { without_architecture(name) })
            .map(|name| name.split("::").take(parts).collect::<Vec<_>>().join("::"))
            .collect();
        if let Some(nearest) = nearest_test(unmet, beginnings.iter().map(String::as_str)) {
            text.push_str(&format!("; did you mean `{nearest}`?"));
        } else {
            text.push_str("; `hallmark list` shows all of them");
        }
    }
    Failed::new(ExitCode::NOTHING_SELECTED, text)
}

/// The positional arguments in their order; an empty list selects everything.
struct Wanted(Vec<Part>);

/// One positional argument.
enum Part {
    /// A suite or a folder of suites.
    Path(String),
    /// A test, or the first parts of names; without an architecture those of each.
    Name(String),
    /// A glob over names and their first parts, and over paths of suites and of their folders.
    Glob(Pattern),
}

impl Wanted {
    fn new(root: &Root, what: &[String]) -> Result<Self, Failed> {
        let part = |text: &String| {
            let text = &with_whole_architecture(text);
            let glob = as_glob(text).map_err(|error| Failed::new(ExitCode::USAGE, error))?;
            Ok(match glob {
                Some(pattern) => match below_root(root, text) {
                    // A path is taken literally, even if it contains such characters above the root.
                    Ok(path) => Part::Path(path),
                    Err(_) => Part::Glob(pattern),
                },
                None if text.contains("::") => Part::Name(text.clone()),
                None => Part::Path(below_root(root, text)?),
            })
        };
        what.iter().map(part).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a path, or a folder above it, is one of the arguments.
    fn names_above(&self, path: &str) -> bool {
        self.0.iter().any(|part| match part {
            Part::Path(named) => path
                .strip_prefix(named.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || named.is_empty()),
            Part::Name(_) | Part::Glob(_) => false,
        })
    }

    /// Whether a file may hold a selected test.
    fn file(&self, file: &SuiteFile) -> bool {
        self.0.is_empty() || self.0.iter().any(|part| part.file(file))
    }
}

impl Part {
    fn file(&self, file: &SuiteFile) -> bool {
        match self {
            Self::Path(path) => file
                .path()
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || path.is_empty()),
            Self::Name(name) => {
                let mut parts = without_architecture(name).split("::");
                let group = parts.next().unwrap_or_default();
                let suite = parts.next().unwrap_or_default();
                (group.is_empty() || file.group == group)
                    && (suite.is_empty() || file.suite == suite)
            }
            // A name in any file may match.
            Self::Glob(_) => true,
        }
    }

    /// Whether a file with unknown tests is selected; the names of its tests begin with `name`.
    fn broken_file(&self, file: &SuiteFile, name: &str) -> bool {
        match self {
            Self::Path(_) | Self::Name(_) => self.file(file),
            Self::Glob(pattern) => matches_file_or_name(pattern, file, name),
        }
    }

    fn test(&self, test: &SelectedTest, name: &str) -> bool {
        match self {
            Self::Path(_) => self.file(&test.suite().file),
            Self::Glob(pattern) => matches_file_or_name(pattern, &test.suite().file, name),
            Self::Name(wanted) => {
                let is_whole = split_architecture(wanted).is_some();
                let name = if is_whole { name } else { without_architecture(name) };
                name.strip_prefix(wanted.trim_end_matches("::"))
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            }
        }
    }
}

/// The parts of a name behind its architecture, if it begins with one.
fn without_architecture(name: &str) -> &str {
    split_architecture(name).map_or(name, |(_, behind)| behind)
}

/// Whether a glob matches a beginning of a file's path or of a name.
fn matches_file_or_name(pattern: &Pattern, file: &SuiteFile, name: &str) -> bool {
    let path = file.path();
    let below_suites = path.strip_prefix("suites/").unwrap_or_default();
    [(name, "::"), (without_architecture(name), "::"), (&path, "/"), (below_suites, "/")]
        .iter()
        .any(|(text, separator)| matches_beginning(pattern, text, separator))
}

/// A path in the form of suites: relative to the root, with `/`.
fn below_root(root: &Root, text: &str) -> Result<String, Failed> {
    let candidates = [
        absolute(Path::new(text)),
        absolute(&root.folder().join(text)),
        absolute(&root.suites().join(text)),
    ];
    // The folder of suites may be a link to another place.
    let bases = [(absolute(&root.suites()), "suites"), (absolute(root.folder()), "")];
    for candidate in &candidates {
        let Ok(found) = candidate.canonicalize() else { continue };
        for (base, name) in &bases {
            let Ok(base) = base.canonicalize() else { continue };
            if let Ok(below) = found.strip_prefix(&base) {
                let first = (!name.is_empty()).then(|| (*name).to_owned());
                let rest = below.iter().map(|part| part.to_string_lossy().into_owned());
                return Ok(first.into_iter().chain(rest).collect::<Vec<_>>().join("/"));
            }
        }
    }
    if let Ok(architecture) = Architecture::named_by_user(text) {
        let text = format!("`{text}` is an architecture; choose it with --arch {architecture}");
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    Err(Failed::new(
        ExitCode::NOTHING_SELECTED,
        format!(
            "`{text}` is not a suite, a folder of suites or the name of a test; `hallmark list` shows the names"
        ),
    ))
}

/// A suite's file that may hold selected tests.
struct SelectableFile {
    file: SuiteFile,
    /// The suite, as far as the names of its tests can be read.
    suite: Option<LoadedSuite>,
    mistakes: Vec<LocatedMistake>,
    /// Whether a test of the file is selected, as far as that is known.
    is_selected: bool,
}

/// The files of a selection.
struct Files {
    suites: Vec<SelectableFile>,
    /// Files in places where no suite is allowed.
    misplaced: Vec<LocatedMistake>,
}

fn load(root: &Root, wanted: &Wanted) -> Files {
    let (files, misplaced) = root.suite_files_and_others();
    let load = |file: SuiteFile| {
        let (suite, mistakes) = match root.load(&file) {
            Ok(suite) => (Some(suite), Vec::new()),
            Err(mistakes) => (None, mistakes.0),
        };
        SelectableFile { file, suite, mistakes, is_selected: false }
    };
    let suites = files.into_iter().filter(|file| wanted.file(file)).map(load).collect();
    Files { suites, misplaced }
}

/// Checks the suites that hold selected tests, which makes the calls of each of their tests.
fn check_selected(suites: &mut [SelectableFile], architectures: &[Architecture]) {
    let (files, loaded): (Vec<_>, Vec<_>) = suites
        .iter_mut()
        .filter(|file| file.is_selected)
        .filter_map(|file| Some((&mut file.mistakes, file.suite.as_ref()?)))
        .unzip();
    let Ok(checked) = each(&loaded, processors(), |suite| {
        Ok::<_, Infallible>(suite.check(architectures).err().map(|mistakes| mistakes.0))
    });
    for (mistakes, found) in files.into_iter().zip(checked) {
        mistakes.extend(found.into_iter().flatten());
    }
}

/// Refuses a broken selected file; warns with one line about other broken files.
fn refuse_broken(
    suites: Vec<SelectableFile>,
    misplaced: Vec<(LocatedMistake, bool)>,
) -> Result<(), Failed> {
    let mut mistakes = Vec::new();
    let mut warnings = Vec::new();
    for (mistake, is_selected) in misplaced {
        if is_selected {
            mistakes.push(mistake);
        } else {
            warnings.push(format!("{}; it is not selected", mistake.mistake.message));
        }
    }
    for file in suites.into_iter().filter(|file| !file.mistakes.is_empty()) {
        if file.is_selected {
            mistakes.extend(file.mistakes);
        } else {
            let number = counted(file.mistakes.len(), "mistake", "mistakes");
            let path = file.file.path();
            warnings.push(format!(
                "{path} has {number}; none of its tests is selected (hallmark list {path} shows more)"
            ));
        }
    }
    if !mistakes.is_empty() {
        return Err(SuiteMistakes(mistakes).into());
    }
    for warning in warnings {
        output::warn(&warning);
    }
    Ok(())
}
