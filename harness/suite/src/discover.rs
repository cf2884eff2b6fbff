//! The root: finding suites, reading them, and naming their tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription, FaultCategory};
use hallmark_runtime::SIMULATED_ARCHITECTURES;
use hallmark_runtime::device_code::refuse_links;
use hallmark_schema::model::ContentHash;
use hallmark_schema::plural::counted;
use walkdir::{DirEntry, WalkDir};

use super::bind::{CaseContext, Depth, Point, TileQuestions, bind};
use super::bound::BoundTest;
use super::fragments::{self, Fragments};
use super::language::{
    BinaryEntry, Case, Conditions, Excuse, LabelledValue, Matrix, StepOrHole, Steps, Suite,
};
use super::mistake::{
    LocatedMistake, Mistake, Mistakes, SourceText, Span, SuiteMistakes, nearest, quoted_list,
    suggest,
};
use super::name::TestName;
use super::node::{FILE_LIMIT, UnreadableText, load};
use super::read::{At, OneOf, Read, is_name};
use crate::contents_hash::add_text;
use crate::text_of_case::text_of_case;

/// Combinations of one case's matrix.
const POINTS: usize = 100_000;

/// The file of the list of known deviations, relative to the root.
pub const DEVIATIONS: &str = "suites/deviations.yaml";
/// The folder below `suites` that holds conformance profiles instead of suites.
pub const CONFORMANCE_PROFILES: &str = "conformance-profiles";
/// The folder below `suites` with captures of programs that no suite describes.
const RECORDINGS: &str = "recordings";

/// A folder that holds `suites` and `goldens`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    folder: PathBuf,
}

/// There is no root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no folder `suites` in {start} or above it; `hallmark init` creates one, and --root or HALLMARK_ROOT \
     names one elsewhere"
)]
pub struct NoRoot {
    /// Where the search began, relative to the current folder or as it was given.
    pub start: String,
}

impl Root {
    /// The root at `folder`, which must hold `suites`.
    pub fn at(folder: &Path) -> Result<Self, NoRoot> {
        if folder.join("suites").is_dir() {
            return Ok(Self { folder: folder.to_owned() });
        }
        Err(NoRoot { start: folder.display().to_string() })
    }

    /// A root that holds no suites, for those who are given captures.
    pub fn without_suites(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The nearest root above `start`.
    pub fn above(start: &Path) -> Result<Self, NoRoot> {
        start
            .ancestors()
            .find_map(|folder| Self::at(folder).ok())
            .ok_or_else(|| NoRoot { start: start.display().to_string() })
    }

    /// The folder that holds `suites` and `goldens`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder `suites`.
    pub fn suites(&self) -> PathBuf {
        self.folder.join("suites")
    }

    /// Refuses a file of the root that a symbolic link leads to. A root may be a stranger's, and whatever reads the file
    /// quotes lines of it. A path that lies elsewhere is the user's own.
    ///
    /// # Errors
    /// The error names the link.
    pub fn refuse_links(&self, path: &Path) -> std::io::Result<()> {
        let (Ok(path), Ok(root)) = (std::path::absolute(path), self.folder.canonicalize()) else {
            return Ok(());
        };
        let is_root = |folder: &&Path| folder.canonicalize().is_ok_and(|folder| folder == root);
        // The outermost, so that the most parts are looked at.
        let Some(folder) = path.ancestors().filter(is_root).last() else { return Ok(()) };
        let below = path.strip_prefix(folder).unwrap_or(&path);
        refuse_links(folder, &below.to_string_lossy())
    }

    /// Every recording of a real program, sorted: the captures in `suites/recordings`, if there is such a folder.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn recordings(&self) -> std::io::Result<Vec<PathBuf>> {
        let entries = match std::fs::read_dir(self.suites().join(RECORDINGS)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for entry in entries {
            files.push(entry?.path());
        }
        files.retain(|path| path.extension().is_some_and(|extension| extension == "lmb"));
        files.sort();
        for file in &files {
            let below = file.strip_prefix(self.suites()).unwrap_or(file);
            refuse_links(&self.suites(), &below.to_string_lossy())?;
        }
        Ok(files)
    }

    /// Every suite file, sorted.
    ///
    /// # Errors
    /// A file is in a place where no suite can be.
    pub fn suite_files(&self) -> Result<Vec<SuiteFile>, SuiteMistakes> {
        let (files, mistakes) = self.suite_files_and_others();
        if mistakes.is_empty() { Ok(files) } else { Err(SuiteMistakes(mistakes)) }
    }

    /// Every suite file, sorted, and a mistake for each file that is in a place where no suite can be.
    pub fn suite_files_and_others(&self) -> (Vec<SuiteFile>, Vec<LocatedMistake>) {
        let mut files = Vec::new();
        let mut mistakes = Vec::new();
        let walk = WalkDir::new(self.suites()).follow_links(false).sort_by_file_name();
        for entry in walk.into_iter().filter_entry(|entry| !is_prebuilt(entry)) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    mistakes.push(file_mistake("suites", &format!("cannot be read: {error}"), ""));
                    continue;
                }
            };
            let Some(looks) = Looks::of(&entry) else { continue };
            let path = entry.path();
            let relative: Vec<String> = path
                .strip_prefix(self.suites())
                .unwrap_or(path)
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            let shown = format!("suites/{}", relative.join("/"));
            match looks {
                Looks::LikeASuite => {}
                Looks::Link => {
                    let problem = "is a symbolic link, and no link is followed";
                    mistakes.push(file_mistake(&shown, problem, "put the file itself there"));
                    continue;
                }
                Looks::Mistaken { problem, help } => {
                    let holds_none = relative.first().is_some_and(|first| {
                        [fragments::FOLDER, CONFORMANCE_PROFILES].contains(&first.as_str())
                    });
                    if !holds_none {
                        mistakes.push(file_mistake(&shown, problem, help));
                    }
                    continue;
                }
            }
            match relative.as_slice() {
                [folder, _]
                    if [fragments::FOLDER, CONFORMANCE_PROFILES].contains(&folder.as_str()) => {}
                [file] if DEVIATIONS.ends_with(&format!("/{file}")) => {}
                [group, file] => {
                    let suite = file.trim_end_matches(".yaml");
                    if is_name(group) && is_name(suite) {
                        files.push(SuiteFile { group: group.clone(), suite: suite.to_owned() });
                    } else {
                        mistakes.push(file_mistake(
                            &shown,
                            "has a name that no test can have",
                            "use letters, digits and _ . + -",
                        ));
                    }
                }
                _ => mistakes.push(file_mistake(
                    &shown,
                    "is in the wrong place",
                    "suites are suites/<group>/<name>.yaml",
                )),
            }
        }
        (files, mistakes)
    }

    /// Reads a suite and what it imports. Its tests are bound only by [`LoadedSuite::check`].
    ///
    /// # Errors
    /// The file or one that it imports cannot be read, or holds something that no suite may.
    pub fn load(&self, file: &SuiteFile) -> Result<LoadedSuite, SuiteMistakes> {
        let path = file.path();
        let text: Arc<str> = match self.read(&path) {
            Ok(text) => text.into(),
            Err(problem) => {
                return Err(SuiteMistakes(vec![file_mistake(
                    &path,
                    &format!("cannot be read: {problem}"),
                    "",
                )]));
            }
        };
        self.load_text(file, text)
    }

    /// Reads a suite from a text that stands for its file's.
    ///
    /// # Errors
    /// As of [`Self::load`].
    pub fn load_text(
        &self,
        file: &SuiteFile,
        text: Arc<str>,
    ) -> Result<LoadedSuite, SuiteMistakes> {
        self.load_part(file, text.clone(), &text)
    }

    /// Reads a part of a suite's text, whose bytes lie where those of the whole text do.
    pub(super) fn load_part(
        &self,
        file: &SuiteFile,
        text: Arc<str>,
        part: &str,
    ) -> Result<LoadedSuite, SuiteMistakes> {
        let source = SourceText { path: file.path(), text };
        let node = load(part, 0).map_err(|mistake| {
            SuiteMistakes(vec![LocatedMistake { file: source.clone(), mistake }])
        })?;
        let mut mistakes = Mistakes::default();
        let Some(suite) = Suite::read(&node, &mut mistakes) else {
            return Err(SuiteMistakes(mistakes.located(&[source])));
        };
        let mut sources = vec![source];
        let read = |path: &str| self.read(&format!("suites/{path}"));
        let fragments = Fragments::load(&suite, &mut sources, read, &mut mistakes);
        let (root, file) = (self.clone(), file.clone());
        let (suite, fragments) = (Arc::new(suite), Arc::new(fragments));
        let loaded = LoadedSuite {
            root,
            file,
            sources: sources.into(),
            suite,
            fragments,
            tile_questions: Arc::default(),
        };
        if mistakes.is_empty() {
            return Ok(loaded);
        }
        // What could be read is looked through as well, so that all mistakes are shown at once.
        loaded.check_into(&known_architectures(), &mut mistakes);
        Err(SuiteMistakes(mistakes.located(&loaded.sources)))
    }

    /// The text of a file, by its path below the root.
    fn read(&self, path: &str) -> Result<String, UnreadableText> {
        refuse_links(&self.suites(), path.strip_prefix("suites/").unwrap_or(path))?;
        let path = self.folder.join(path);
        let length = std::fs::metadata(&path)?.len();
        if length > FILE_LIMIT {
            return Err(UnreadableText::TooLong { length });
        }
        Ok(String::from_utf8(std::fs::read(&path)?)?)
    }

    /// Reads every suite, collecting the mistakes of all.
    pub fn load_all(&self) -> Result<Vec<LoadedSuite>, SuiteMistakes> {
        let mut suites = Vec::new();
        let mut mistakes = Vec::new();
        for file in self.suite_files()? {
            match self.load(&file) {
                Ok(suite) => suites.push(suite),
                Err(more) => mistakes.extend(more.0),
            }
        }
        if mistakes.is_empty() { Ok(suites) } else { Err(SuiteMistakes(mistakes)) }
    }

    /// The one test with this name, read from its own suite file and those that this one imports.
    pub fn test(&self, name: &TestName) -> Result<SelectedTest, ResolveError> {
        let file = SuiteFile::of(name);
        if !self.folder.join(file.path()).is_file() {
            return Err(ResolveError::NoSuchTest {
                name: name.to_string(),
                help: format!("there is no {}", file.path()),
            });
        }
        let suite = self.load(&file).map_err(ResolveError::Mistakes)?;
        suite.select(name)
    }

    /// Finds a test by reading only its own case, for processes that run one test: apart from the run itself, they spend most of their
    /// time reading the suite. Mistakes in other cases are not found.
    ///
    /// # Errors
    /// As of [`Self::test`].
    pub fn test_alone(&self, name: &TestName) -> Result<SelectedTest, ResolveError> {
        let file = SuiteFile::of(name);
        let text = self.read(&file.path()).ok();
        let alone = text.and_then(|text| {
            let of_case = text_of_case(&text, &name.case)?;
            let suite = self.load_part(&file, text.into(), &of_case).ok()?;
            suite.select(name).ok()
        });
        // Mistakes are reported of the whole suite.
        alone.map_or_else(|| self.test(name), Ok)
    }
}

/// Whether something below `suites` looks like a suite.
enum Looks {
    LikeASuite,
    /// It may lead to any file of the machine.
    Link,
    /// It looks like a suite and would be left out.
    Mistaken {
        problem: &'static str,
        help: &'static str,
    },
}

impl Looks {
    /// `None` if it does not.
    fn of(entry: &DirEntry) -> Option<Self> {
        let path = entry.path();
        let kind = entry.file_type();
        // The folder `suites` itself may be a link: it is the user's.
        if kind.is_symlink() && entry.depth() > 0 {
            // Emacs marks a file with unsaved changes by such a link, which nothing reads.
            let is_lock = entry.file_name().as_encoded_bytes().starts_with(b".#");
            return (!is_lock).then_some(Self::Link);
        }
        if !kind.is_file() || !has_ending_of_a_suite(path) {
            return None;
        }
        if path.extension().is_some_and(|ending| ending == "yaml") {
            return Some(Self::LikeASuite);
        }
        let problem = "has an ending that no suite has";
        Some(Self::Mistaken { problem, help: "suites are suites/<group>/<name>.yaml: rename it" })
    }
}

/// The folder of prebuilt kernels, below a folder of suites. It holds thousands of files, and Hallmark alone writes there.
const PREBUILT: &str = "kernels/prebuilt";

/// Whether an entry below a folder of suites is the folder of prebuilt kernels.
pub fn is_prebuilt(entry: &DirEntry) -> bool {
    entry.depth() == 2 && entry.file_type().is_dir() && entry.path().ends_with(PREBUILT)
}

/// Whether a file's ending is one that YAML files have.
fn has_ending_of_a_suite(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ["yaml", "yml"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    })
}

fn file_mistake(path: &str, problem: &str, help: &str) -> LocatedMistake {
    LocatedMistake {
        file: SourceText { path: path.to_owned(), text: "".into() },
        mistake: Mistake::new(format!("`{path}` {problem}"), Span::default(), help),
    }
}

/// A suite's file by its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SuiteFile {
    /// The folder below `suites`.
    pub group: String,
    /// The file's name without `.yaml`.
    pub suite: String,
}

impl SuiteFile {
    /// The file that a test stands in.
    pub fn of(test: &TestName) -> Self {
        Self { group: test.group.clone(), suite: test.suite.clone() }
    }

    /// Relative to the root, with `/`.
    pub fn path(&self) -> String {
        format!("suites/{}/{}.yaml", self.group, self.suite)
    }
}

/// Why a name leads to no test.
#[derive(Clone, Debug)]
pub enum ResolveError {
    /// There is none with that name.
    NoSuchTest {
        /// The name that was asked for.
        name: String,
        /// What there is instead, as a clause.
        help: String,
    },
    /// Its suite is wrong.
    Mistakes(SuiteMistakes),
}

impl std::error::Error for ResolveError {}

impl fmt::Display for ResolveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchTest { name, help } => {
                write!(formatter, "there is no test `{name}`: {help}")
            }
            Self::Mistakes(mistakes) => mistakes.fmt(formatter),
        }
    }
}

/// A suite that was read.
#[derive(Clone, Debug)]
pub struct LoadedSuite {
    root: Root,
    /// The file that it was read from.
    pub file: SuiteFile,
    /// Its text, and those of the files that it imports.
    sources: Arc<[SourceText]>,
    /// The suite, as it is written.
    pub suite: Arc<Suite>,
    /// The files of fragments that it imports.
    fragments: Arc<Fragments>,
    tile_questions: Arc<TileQuestions>,
}

/// What a test shows of its excuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcusesSeen {
    /// It passed without them.
    None,
    /// It ended in a fault that the check of one found.
    One(FaultCategory),
    /// It failed otherwise: each may be needed once that is mended.
    Unknown,
}

/// Excuses that excused nothing in any of these tests, which ran.
pub fn unused_excuses<'t>(
    ran: impl Iterator<Item = (&'t SelectedTest, ExcusesSeen)>,
) -> Option<UnusedExcuses> {
    let mut all: BTreeMap<(String, usize), (LocatedMistake, bool)> = BTreeMap::new();
    for (test, seen) in ran {
        for excuse in test.excuses() {
            let Some(source) = test.suite.sources.first() else { continue };
            let mistake = Mistake::new(
                format!("`{}` is found in no test that this excuses", excuse.check),
                excuse.span,
                "remove the excuse",
            );
            let known = all
                .entry((source.path.clone(), excuse.span.start))
                .or_insert_with(|| (LocatedMistake { file: source.clone(), mistake }, false));
            known.1 |= match seen {
                ExcusesSeen::None => false,
                ExcusesSeen::One(check) => check == excuse.check,
                ExcusesSeen::Unknown => true,
            };
        }
    }
    let unused = all.into_values().filter(|(_, is_used)| !is_used);
    let unused: Vec<LocatedMistake> = unused.map(|(mistake, _)| mistake).collect();
    (!unused.is_empty()).then_some(UnusedExcuses(SuiteMistakes(unused)))
}

/// Excuses that excuse nothing, which is known once the tests have run.
#[derive(Clone, Debug)]
pub struct UnusedExcuses(pub SuiteMistakes);

impl std::error::Error for UnusedExcuses {}

impl fmt::Display for UnusedExcuses {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let excuses = counted(self.0.0.len(), "excuse", "excuses");
        write!(formatter, "{}{excuses} without use", self.0.listing())
    }
}

/// A test of a suite that was read.
#[derive(Clone, Debug)]
pub struct SelectedTest {
    suite: LoadedSuite,
    /// The name that selects it.
    pub name: TestName,
    point: Point,
}

impl LoadedSuite {
    /// The folder that holds it.
    pub const fn root(&self) -> &Root {
        &self.root
    }

    /// The text of its own file.
    pub fn text(&self) -> Option<&str> {
        self.sources.first().map(|source| &*source.text)
    }

    /// The texts of its file and of those that it imports.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| &*source.text)
    }

    /// Its binaries, by name.
    pub fn binaries(&self) -> impl Iterator<Item = (&str, &BinaryEntry)> {
        let binaries = self.suite.binaries.iter().flat_map(|binaries| &binaries.0);
        binaries.map(|(name, binary)| (name.value.as_str(), binary))
    }

    /// What it imports.
    pub fn fragments(&self) -> &Fragments {
        &self.fragments
    }

    /// The hash of its file and of those that it imports, with their paths.
    pub fn contents_hash(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        for source in self.sources.iter() {
            add_text(&mut hasher, &source.path);
            add_text(&mut hasher, &source.text);
        }
        ContentHash(*hasher.finalize().as_bytes())
    }

    /// Whether a case has more tests than a case may have. [`Self::tests`] lists a few of them.
    pub fn has_too_many_tests(&self) -> bool {
        let matrices = self.suite.cases.0.iter().filter_map(|(_, case)| case.matrix.as_ref());
        matrices.into_iter().any(|matrix| combinations(matrix) > POINTS)
    }

    /// Every test on these architectures, in the order of the file.
    pub fn tests(&self, architectures: &[Architecture]) -> Vec<SelectedTest> {
        let mut tests = Vec::new();
        for &architecture in architectures {
            for (name, case) in &self.suite.cases.0 {
                for point in points(case.matrix.as_ref()) {
                    tests.push(self.selected(architecture, &name.value, point));
                }
            }
        }
        tests
    }

    fn selected(&self, architecture: Architecture, case: &str, point: Point) -> SelectedTest {
        SelectedTest {
            suite: self.clone(),
            name: TestName {
                architecture,
                group: self.file.group.clone(),
                suite: self.file.suite.clone(),
                case: case.to_owned(),
                parameters: point.labels.clone(),
            },
            point,
        }
    }

    /// The test with this name; its point is bound from the name, never by enumeration.
    pub fn select(&self, name: &TestName) -> Result<SelectedTest, ResolveError> {
        let missing = |help: String| ResolveError::NoSuchTest { name: name.to_string(), help };
        let Some(case) = self.suite.cases.get(&name.case) else {
            let help = suggest(&name.case, self.suite.cases.names());
            return Err(missing(format!(
                "{} has no case `{}`; {help}",
                self.file.path(),
                name.case
            )));
        };
        let parameters = case.matrix.as_ref().map(|matrix| matrix.parameters.as_slice());
        let parameters = parameters.unwrap_or_default();
        let declared: Vec<&str> = parameters.iter().map(|it| it.name.as_str()).collect();
        let given: Vec<&str> = name.parameters.iter().map(|(name, _)| name.as_str()).collect();
        if declared != given {
            return Err(missing(if declared.is_empty() {
                "this case has no parameters".to_owned()
            } else {
                format!("its parameters are, in this order, {}", declared.join(", "))
            }));
        }
        let mut point = Point::default();
        for (parameter, (_, text)) in parameters.iter().zip(&name.parameters) {
            let value = parameter.values.iter().find(|value| value.value.label == *text);
            let Some(value) = value else {
                let values: Vec<&str> =
                    parameter.values.iter().map(|value| value.value.label.as_str()).collect();
                return Err(missing(format!(
                    "`{}` takes {}, not {text}",
                    parameter.name,
                    values.join(", ")
                )));
            };
            point.push(&parameter.name, &value.value);
        }
        if case.matrix.as_ref().is_some_and(|matrix| is_excluded(matrix, &point)) {
            return Err(missing("this combination is excluded".to_owned()));
        }
        Ok(self.selected(name.architecture, &name.case, point))
    }

    /// Everything that is wrong with its cases on these architectures, without making any data.
    pub fn check(&self, architectures: &[Architecture]) -> Result<(), SuiteMistakes> {
        let mut mistakes = Mistakes::default();
        self.check_into(architectures, &mut mistakes);
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(SuiteMistakes(mistakes.located(&self.sources)))
    }

    fn check_into(&self, architectures: &[Architecture], mistakes: &mut Mistakes) {
        if self.suite.cases.0.is_empty() {
            mistakes.add::<()>("this suite has no case", Span::default(), "add one, or remove it");
        }
        self.check_kernel_paths(mistakes);
        for (name, case) in &self.suite.cases.0 {
            self.check_matrix(name, case, mistakes);
            self.check_points(architectures, name, case, mistakes);
        }
        // Which kernels and fragments a wrong step uses is not known.
        if mistakes.is_empty() {
            self.check_kernels_are_used(mistakes);
            self.fragments.check_used(&self.suite, mistakes);
        }
    }

    /// The mistakes at all points of a case on all architectures, each place once, with the point and
    /// the architectures where it shows unless it shows everywhere.
    fn check_points(
        &self,
        architectures: &[Architecture],
        name: &At<String>,
        case: &Case,
        mistakes: &mut Mistakes,
    ) {
        // What is wrong in so many ways is found by mending the first.
        const WRONG_POINTS: usize = 256;
        if case.matrix.as_ref().is_some_and(|matrix| combinations(matrix) > POINTS) {
            return;
        }
        let mut found: Vec<(Mistake, Vec<String>, Vec<Architecture>)> = Vec::new();
        let (mut looked_at, mut looked_on) = (BTreeSet::new(), 0_usize);
        let mut wrong = 0_usize;
        // Where a case does not apply, its numbers need not make sense; somewhere they must.
        let only = case.when.as_ref().and_then(|when| when.architectures.as_deref());
        let named: Option<Vec<Architecture>> =
            only.map(|only| only.iter().map(|OneOf(architecture)| *architecture).collect());
        let both = |named: Vec<Architecture>| {
            let (here, elsewhere): (Vec<_>, Vec<_>) =
                named.into_iter().partition(|architecture| architectures.contains(architecture));
            if here.is_empty() { elsewhere } else { here }
        };
        let applies = named.map_or_else(|| architectures.to_vec(), both);
        'all: for architecture in applies {
            looked_on = looked_on.saturating_add(1);
            for point in points(case.matrix.as_ref()) {
                let test = self.selected(architecture, &name.value, point);
                let mut here = Mistakes::default();
                let chip = ChipDescription::of(architecture);
                let _ = test.bind_into(chip, Depth::Check, 0, &mut here);
                let at = test.name.point();
                looked_at.insert(at.clone());
                wrong = wrong.saturating_add(usize::from(!here.is_empty()));
                for mistake in here.into_list() {
                    match found.iter_mut().find(|(known, _, _)| known.span == mistake.span) {
                        Some((_, points, on)) => {
                            if !points.contains(&at) {
                                points.push(at.clone());
                            }
                            if !on.contains(&architecture) {
                                on.push(architecture);
                            }
                        }
                        None => found.push((mistake, vec![at.clone()], vec![architecture])),
                    }
                }
                if wrong >= WRONG_POINTS {
                    break 'all;
                }
            }
        }
        for (mut mistake, points, on) in found {
            let mut places = Vec::new();
            if points.len() < looked_at.len()
                && let Some(at) = points.first()
            {
                let first = if points.len() > 1 { "first " } else { "" };
                places.push(format!("{first}at {at}"));
            }
            if on.len() < looked_on {
                let names: Vec<&str> = on.iter().map(|architecture| architecture.name()).collect();
                places.push(format!("on {}", names.join(" and ")));
            }
            if !places.is_empty() {
                mistake.message.push_str(&format!(" ({})", places.join(" ")));
            }
            mistakes.push(mistake);
        }
    }

    fn check_kernel_paths(&self, mistakes: &mut Mistakes) {
        for (_, kernel) in self.suite.kernels.iter().flat_map(|kernels| &kernels.0) {
            if !kernel.is_inside() {
                mistakes.add::<()>(
                    format!("`{}` lies outside the folder `suites`", kernel.source.value),
                    kernel.source.span,
                    "write the path relative to the folder `suites`",
                );
            }
        }
    }

    fn check_kernels_are_used(&self, mistakes: &mut Mistakes) {
        let cases = self.suite.cases.0.iter();
        let binaries = self.suite.binaries.iter().flat_map(|binaries| &binaries.0);
        let of_binaries = binaries.clone().flat_map(|(_, binary)| binary.steps.used_kernels());
        let used: BTreeSet<&str> =
            cases.clone().flat_map(|(_, case)| case.used_kernels()).chain(of_binaries).collect();
        let submitted: BTreeSet<&str> = cases.flat_map(|(_, case)| case.used_binaries()).collect();
        for (name, _) in binaries {
            if !submitted.contains(name.value.as_str()) {
                mistakes.add::<()>(
                    format!("no case submits binary `{}`", name.value),
                    name.span,
                    "remove it",
                );
            }
        }
        for (name, _) in self.suite.kernels.iter().flat_map(|kernels| &kernels.0) {
            if !used.contains(name.value.as_str()) {
                mistakes.add::<()>(
                    format!("no case uses kernel `{}`", name.value),
                    name.span,
                    "remove it",
                );
            }
        }
    }

    fn check_matrix(&self, name: &At<String>, case: &Case, mistakes: &mut Mistakes) {
        let Some(matrix) = &case.matrix else { return };
        let names: Vec<&str> = matrix.parameters.iter().map(|it| it.name.as_str()).collect();
        for exclusion in &matrix.exclude {
            for (parameter, value) in &exclusion.values {
                match matrix.parameters.iter().find(|it| it.name == parameter.text) {
                    None => mistakes.push(Mistake::new(
                        format!("unknown parameter `{}`", parameter.text),
                        parameter.span,
                        suggest(&parameter.text, names.iter().copied()),
                    )),
                    Some(it)
                        if !it
                            .values
                            .iter()
                            .any(|known| known.value.label == value.value.to_string()) =>
                    {
                        mistakes.push(Mistake::new(
                            format!("{} is not a value of `{}`", value.value, parameter.text),
                            value.span,
                            format!("its values are {}", quoted_list(&labels(it))),
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        let longest = |parameter: &super::language::Parameter| {
            let values = parameter.values.iter().map(|value| value.value.label.len());
            values.max().unwrap_or_default().saturating_add(parameter.name.len()).saturating_add(2)
        };
        let file_name: usize = matrix.parameters.iter().map(longest).sum();
        if file_name > 240 {
            mistakes.add::<()>(
                "the names of these tests are too long for a file name",
                name.span,
                "shorten the names of parameters or values",
            );
        }
        if combinations(matrix) > POINTS {
            mistakes.add::<()>(
                format!("this matrix has {} combinations", combinations(matrix)),
                name.span,
                format!("split the case: a matrix has at most {POINTS}"),
            );
            return;
        }
        if points(Some(matrix)).next().is_none() {
            mistakes.add::<()>(
                "every combination is excluded, so this case has no test",
                name.span,
                "remove one of the exclusions",
            );
        }
    }
}

fn labels(parameter: &super::language::Parameter) -> Vec<&str> {
    parameter.values.iter().map(|value| value.value.label.as_str()).collect()
}

/// Combinations of a matrix, those that are excluded included.
fn combinations(matrix: &Matrix) -> usize {
    matrix.parameters.iter().fold(1, |total: usize, it| total.saturating_mul(it.values.len()))
}

fn is_excluded(matrix: &Matrix, point: &Point) -> bool {
    matrix.exclude.iter().any(|exclusion| {
        exclusion.values.iter().all(|(name, value)| {
            let label = value.value.to_string();
            point.labels.iter().any(|(known, at)| *known == name.text && *at == label)
        })
    })
}

/// Every combination that is not excluded; the last parameter changes fastest.
fn points(matrix: Option<&Matrix>) -> impl Iterator<Item = Point> + '_ {
    let parameters = matrix.map(|matrix| matrix.parameters.as_slice()).unwrap_or_default();
    // More is a mistake in itself; a few stand for the case where its tests are listed, so that it is checked.
    const OF_TOO_MANY: usize = 16;
    let total = match matrix.map_or(1, combinations) {
        total @ 0..=POINTS => total,
        _ => OF_TOO_MANY,
    };
    (0..total)
        .map(move |number| {
            let mut rest = number;
            let mut values: Vec<(&str, &LabelledValue)> = parameters
                .iter()
                .rev()
                .filter_map(|parameter| {
                    let count = parameter.values.len().max(1);
                    let value = parameter.values.get(rest % count)?;
                    rest /= count;
                    Some((parameter.name.as_str(), &value.value))
                })
                .collect();
            values.reverse();
            let mut point = Point::default();
            for (parameter, value) in values {
                point.push(parameter, value);
            }
            point
        })
        .filter(move |point| matrix.is_none_or(|matrix| !is_excluded(matrix, point)))
}

impl SelectedTest {
    /// The case of this test.
    pub fn case(&self) -> Option<&Case> {
        self.suite.suite.cases.get(&self.name.case)
    }

    /// The conditions under which it applies; none if it applies everywhere.
    pub fn conditions(&self) -> Option<&Conditions> {
        self.case().and_then(|case| case.when.as_ref())
    }

    /// The checks whose findings are excused: those of its case, then those of its suite.
    pub fn excuses(&self) -> impl Iterator<Item = &Excuse> {
        let of_case = self.case().and_then(|case| case.excuse.as_ref());
        let of_suite = self.suite.suite.excuse.as_ref();
        of_case.into_iter().chain(of_suite).flat_map(|excuses| &excuses.0)
    }

    /// Whether a call of it, or the end of its queues, must meet a fault of the device.
    pub fn expects_fault(&self) -> bool {
        fn any(steps: &Steps, fragments: &Fragments) -> bool {
            steps.0.iter().any(|step| match step {
                StepOrHole::Step(step) => step.expect_fault.is_some(),
                StepOrHole::Repeat(_, repeat) => any(&repeat.steps, fragments),
                StepOrHole::Use(_, used) => {
                    let fragment = fragments.find(&used.fragment.text);
                    // No fragment uses a fragment.
                    fragment.is_some_and(|(_, it)| {
                        it.steps.iter().any(|step| step.expect_fault.is_some())
                    })
                }
                StepOrHole::Tensor(_) | StepOrHole::Hole(_) => false,
            })
        }
        self.case().is_some_and(|case| {
            let at_end = case.expect_at_end.as_ref();
            any(&case.steps, &self.suite.fragments)
                || at_end.is_some_and(|end| end.value.expect_fault.is_some())
        })
    }

    /// The line of the suite's file in which its case begins, counted from 1.
    pub fn line(&self) -> usize {
        let mut cases = self.suite.suite.cases.0.iter();
        let name = cases.find(|(name, _)| name.value == self.name.case).map(|(name, _)| name.span);
        let text = self.suite.sources.first().map_or("", |source| &source.text);
        let before = text.get(..name.unwrap_or_default().start).unwrap_or_default();
        before.matches('\n').count().saturating_add(1)
    }

    /// The suite that its case stands in.
    pub const fn suite(&self) -> &LoadedSuite {
        &self.suite
    }

    /// Binds it for a whole chip, with its data.
    pub fn bind(&self) -> Result<BoundTest, SuiteMistakes> {
        self.bind_on(ChipDescription::of(self.name.architecture))
    }

    /// Binds it for a chip of its architecture, with its data.
    pub fn bind_on(&self, chip: &'static ChipDescription) -> Result<BoundTest, SuiteMistakes> {
        self.bound(chip, Depth::Full, 0)
    }

    /// The same with other data: the seeds of generators are combined with `seed_shift` by exclusive or.
    pub fn bind_shifted(
        &self,
        chip: &'static ChipDescription,
        seed_shift: u64,
    ) -> Result<BoundTest, SuiteMistakes> {
        self.bound(chip, Depth::Full, seed_shift)
    }

    /// Binds it for a chip without making its data: hashes are not known then.
    pub fn measure_on(&self, chip: &'static ChipDescription) -> Result<BoundTest, SuiteMistakes> {
        self.bound(chip, Depth::Check, 0)
    }

    /// Why it does not fit a chip of which rows or columns are fused off, if it does not.
    pub fn misfit(&self, chip: &'static ChipDescription) -> Option<String> {
        if chip.harvesting.is_none() {
            return None;
        }
        let grid = chip.compute_grid();
        // The suite is right on a whole chip: what is wrong here is so for want of cores.
        let fits = self.measure_on(chip).is_ok_and(|bound| bound.fits(grid));
        let (columns, rows) = grid;
        (!fits).then(|| format!("needs cores that are not among the {columns}×{rows} of this chip"))
    }

    fn bound(
        &self,
        chip: &'static ChipDescription,
        depth: Depth,
        seed_shift: u64,
    ) -> Result<BoundTest, SuiteMistakes> {
        let mut mistakes = Mistakes::default();
        match self.bind_into(chip, depth, seed_shift, &mut mistakes) {
            Some(bound) if mistakes.is_empty() => Ok(bound),
            _ => Err(SuiteMistakes(mistakes.located(&self.suite.sources))),
        }
    }

    fn bind_into(
        &self,
        chip: &'static ChipDescription,
        depth: Depth,
        seed_shift: u64,
        mistakes: &mut Mistakes,
    ) -> Option<BoundTest> {
        let cases = &self.suite.suite.cases.0;
        let (name, case) = cases.iter().find(|(name, _)| name.value == self.name.case)?;
        let suites = self.suite.root.suites();
        let context = CaseContext {
            chip,
            suites: &suites,
            source: self.suite.sources.first()?,
            fragments: &self.suite.fragments,
            tile_questions: &self.suite.tile_questions,
            kernels: self.suite.suite.kernels.as_ref(),
            binaries: self.suite.suite.binaries.as_ref(),
            case,
            span: name.span,
            seed_shift,
        };
        bind(context, &self.name, &self.point, depth, mistakes)
    }
}

/// The architectures that Hallmark's own simulator runs: on these, every suite runs wherever it is.
pub fn known_architectures() -> Vec<Architecture> {
    SIMULATED_ARCHITECTURES.to_vec()
}

/// The architectures that tests run on where neither a user nor a root names others.
pub fn default_architectures() -> Vec<Architecture> {
    known_architectures().into_iter().filter(|it| !it.is_legacy()).collect()
}

/// The nearest of many test names, for a filter that selects nothing.
pub fn nearest_test<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest(wrong, names)
}
