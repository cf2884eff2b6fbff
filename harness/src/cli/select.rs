//! Which tests a command is about, and the settings that all of them share.

use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;
use hallmark_runtime::DeviceSpec;
use hallmark_schema::plural::counted;

use super::{Common, Failed, ProgramOptions, output};
use crate::executor::{Executors, ProgramSettings, Purpose};
use crate::pipeline::{Settings, WorkerSettings};
use crate::suite::discover::{
    LoadedSuite, ResolveError, Root, SelectedTest, SuiteFile, known_architectures, nearest_test,
};
use crate::suite::mistake::{LocatedMistake, SuiteMistakes};
use crate::suite::name::TestName;
use crate::verdict::ExitCode;
use crate::worker::process::WorkerProgram;

/// The options by which a command chooses tests.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Selection {
    /// Suite files, folders of suites, or names of tests or of their first parts; everything otherwise
    #[arg(value_name = "PATH|TEST")]
    pub(super) what: Vec<String>,
    /// Only tests whose name contains this text (repeatable: any of them)
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Vec<String>,
    /// Exactly the test with this name
    #[arg(long, value_name = "TEST", conflicts_with_all = ["what", "filter"])]
    pub(super) exact: Option<String>,
}

impl Common {
    pub(super) fn root(&self) -> Result<Root, Failed> {
        let found = match &self.root {
            Some(folder) => Root::at(folder),
            None => {
                let current = std::env::current_dir().map_err(|error| {
                    Failed::new(ExitCode::USAGE, format!("no current folder: {error}"))
                })?;
                Root::above(&current)
            }
        };
        found.map_err(|error| Failed::new(ExitCode::USAGE, error))
    }

    /// The architectures asked for; by default those that it simulates.
    pub(super) fn architectures(&self) -> Result<Vec<Architecture>, Failed> {
        if self.arch.is_empty() {
            return Ok(known_architectures());
        }
        let mut chosen = Vec::new();
        for name in &self.arch {
            let architecture: Architecture =
                name.parse().map_err(|error| Failed::new(ExitCode::USAGE, error))?;
            chosen.push(architecture);
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }

    pub(super) fn settings(&self) -> Result<Settings, Failed> {
        let root = self.root()?;
        let selected = self.architectures()?;
        let choose = |choices: &[String], purpose| {
            Executors::choose(choices, &selected, purpose)
                .map_err(|error| Failed::new(ExitCode::USAGE, error))
        };
        let executors = choose(&self.device, Purpose::Capture)?;
        let replay_executors = choose(&self.replay_device, Purpose::Replay)?;
        let programs = self.programs.settings()?;
        let known = known_architectures();
        for architecture in selected {
            let device = executors.of(architecture, &programs).device;
            if device == DeviceSpec::simulator(architecture) && !known.contains(&architecture) {
                return Err(Failed::new(
                    ExitCode::USAGE,
                    format!(
                        "there is no simulated {architecture} yet; name a device with \
                         --device {architecture}=ttsim:PATH or in {}",
                        Purpose::Capture.variable(architecture)
                    ),
                ));
            }
        }
        Ok(Settings {
            kernels: Settings::kernel_store(&root),
            root,
            workers: WorkerSettings {
                executors,
                replay_executors,
                programs,
                worker: WorkerProgram::current().map_err(|error| {
                    Failed::new(ExitCode::INTERNAL, format!("no executable: {error}"))
                })?,
            },
            strict_derived: self.strict_derived,
        })
    }
}

impl ProgramOptions {
    /// How programs run on executors that do not say it themselves. The firmware's folder is absolute because
    /// workers have another current folder.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        let firmware = match &self.firmware {
            Some(folder) if !folder.is_dir() => {
                let text = format!("the firmware folder {} is not there", folder.display());
                return Err(Failed::new(ExitCode::USAGE, text));
            }
            folder => folder.as_deref().map(absolute),
        };
        let (dispatch, schedule_seed) = (self.dispatch.into(), self.schedule_seed);
        Ok(ProgramSettings { firmware, dispatch, schedule_seed })
    }
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The selected tests, sorted by architecture and place. Suites that are looked at are checked as a
/// whole, so that nothing runs while one of them is wrong.
pub(super) fn tests(
    root: &Root,
    architectures: &[Architecture],
    selection: &Selection,
) -> Result<Vec<SelectedTest>, Failed> {
    select(root, architectures, selection, Check::Everything)
}

/// The same for those who only name them: of suites, only what names depend on is checked.
pub(super) fn named(
    root: &Root,
    architectures: &[Architecture],
    selection: &Selection,
) -> Result<Vec<SelectedTest>, Failed> {
    select(root, architectures, selection, Check::Names)
}

/// The test of a name.
pub(super) fn one_test(root: &Root, name: &str) -> Result<SelectedTest, Failed> {
    let name: TestName = name.parse().map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    root.test(&name).map_err(|error| match error {
        ResolveError::NoSuchTest { .. } => Failed::new(ExitCode::NOTHING_SELECTED, error),
        ResolveError::Mistakes(mistakes) => Failed::new(ExitCode::SUITE, mistakes),
    })
}

/// How much of a suite is looked at.
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
        return one_test(root, name).map(|test| vec![test]);
    }
    let wanted = Wanted::new(root, &selection.what)?;
    let Files { mut suites, misplaced } = load(root, &wanted, architectures, check);
    let mut asked = vec![false; wanted.0.len()];
    let mut filters = vec![false; selection.filter.len()];
    let mut tests = Vec::new();
    for &architecture in architectures {
        for file in &mut suites {
            let Some(suite) = &file.suite else { continue };
            for test in suite.tests(&[architecture]) {
                let name = test.name.to_string();
                let taken = any_of(&wanted.0, &mut asked, |part| part.test(&test, &name))
                    && any_of(&selection.filter, &mut filters, |text| name.contains(text.as_str()));
                if taken {
                    file.is_selected = true;
                    tests.push(test);
                }
            }
        }
    }
    for file in suites.iter_mut().filter(|file| file.suite.is_none()) {
        // Its tests have no names, so that only its own name can tell.
        let name = format!("{}::{}", file.file.group, file.file.suite);
        file.is_selected = selection.filter.is_empty()
            || selection.filter.iter().any(|text| name.contains(text.as_str()));
    }
    let everything = wanted.0.is_empty() && selection.filter.is_empty();
    refuse_broken(suites, misplaced.into_iter().map(|it| (it, everything)).collect())?;
    // What selects nothing is a mistake, whatever the others select.
    let given = selection.what.iter().zip(asked).chain(selection.filter.iter().zip(filters));
    let unmet = given.filter(|(_, met)| !met).map(|(text, _)| text.as_str()).next();
    match unmet {
        None if !tests.is_empty() => Ok(tests),
        unmet => Err(nothing(root, architectures, unmet)),
    }
}

/// Whether one of several criteria holds, or there is none; each that holds is noted.
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
    // The nearest name may be in a file that nobody asked for; one that is wrong holds no name.
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
        // The nearest name, or the nearest beginning of one.
        let parts = unmet.split("::").count();
        let beginnings: Vec<String> = names
            .iter()
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

/// What the positional arguments ask for, in their order; everything if there is none.
struct Wanted(Vec<Part>);

/// What one of them asks for.
enum Part {
    /// A suite or a folder of suites.
    Path(String),
    /// A test, or the first parts of names.
    Name(String),
}

impl Wanted {
    fn new(root: &Root, what: &[String]) -> Result<Self, Failed> {
        let part = |text: &String| {
            Ok(if text.contains("::") {
                Part::Name(text.clone())
            } else {
                Part::Path(below_root(root, text)?)
            })
        };
        what.iter().map(part).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a file may hold a test that is asked for.
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
                let mut parts = name.split("::").skip(1);
                let group = parts.next().unwrap_or_default();
                let suite = parts.next().unwrap_or_default();
                (group.is_empty() || file.group == group)
                    && (suite.is_empty() || file.suite == suite)
            }
        }
    }

    fn test(&self, test: &SelectedTest, name: &str) -> bool {
        match self {
            Self::Path(_) => self.file(&test.suite().file),
            Self::Name(wanted) => name
                .strip_prefix(wanted.trim_end_matches("::"))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::")),
        }
    }
}

/// A path as suites know it: relative to the root, with `/`.
fn below_root(root: &Root, text: &str) -> Result<String, Failed> {
    let candidates = [
        absolute(Path::new(text)),
        absolute(&root.folder().join(text)),
        absolute(&root.suites().join(text)),
    ];
    // The folder of suites may be a link to somewhere else.
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
    Err(Failed::new(
        ExitCode::NOTHING_SELECTED,
        format!("`{text}` is neither a suite, nor a folder of suites, nor the name of a test"),
    ))
}

/// A suite's file that may hold tests that are asked for.
struct SelectableFile {
    file: SuiteFile,
    /// The suite, as far as the names of its tests can be read.
    suite: Option<LoadedSuite>,
    mistakes: Vec<LocatedMistake>,
    /// Whether a test of it is selected, as far as that can be said.
    is_selected: bool,
}

/// What a selection looks at.
struct Files {
    suites: Vec<SelectableFile>,
    /// Files in places where no suite can be.
    misplaced: Vec<LocatedMistake>,
}

fn load(root: &Root, wanted: &Wanted, architectures: &[Architecture], check: Check) -> Files {
    let (files, misplaced) = root.suite_files_and_others();
    let load = |file: &SuiteFile| {
        let (suite, mistakes) = match root.load(file) {
            Ok(suite) if check == Check::Names => (Some(suite), Vec::new()),
            Ok(suite) => {
                let mistakes = suite.check(architectures).err().map(|mistakes| mistakes.0);
                (Some(suite), mistakes.unwrap_or_default())
            }
            Err(mistakes) => (None, mistakes.0),
        };
        SelectableFile { file: file.clone(), suite, mistakes, is_selected: false }
    };
    let suites = files.iter().filter(|file| wanted.file(file)).map(load).collect();
    Files { suites, misplaced }
}

/// Nothing runs while a selected file is broken; any other broken one is worth a line.
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
        return Err(Failed::new(ExitCode::SUITE, SuiteMistakes(mistakes)));
    }
    for warning in warnings {
        output::warn(&warning);
    }
    Ok(())
}
