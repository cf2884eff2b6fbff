//! Known deviations: where another runtime differs from the modelled chips, where that shows, and which side causes it.
//! The list is data beside the suites, because it names their tests.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_chip::{Architecture, FaultCategory};
use hallmark_runtime::device_code::refuse_links;
use hallmark_runtime::metalium::{ReleaseDescription, Simulator};
use hallmark_schema::model::DispatchMode;
use hallmark_schema::plural::counted;

use serde::{Deserialize, Serialize};

use super::discover::{DEVIATIONS, Root, SuiteFile};
use super::mistake::{LocatedMistake, Mistakes, SourceText, Span, SuiteMistakes, suggest};
use super::name::TestName;
use super::node::load;
use super::read::{At, Choice as _, Name, OneOf, Read, choices, is_name, map_type};

/// Whose doing a deviation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// TT-Metalium's.
    TtMetal,
    /// That of the vendor's simulator.
    Ttsim,
    /// That of the stand-in for the vendor's compiler.
    StandIn,
    /// Hallmark's own: it refuses what is useless or cannot be right, and its simulator omits what is undocumented.
    Hallmark,
}

choices! {
    Owner, "owner of a deviation":
        "tt_metal" => Self::TtMetal, "ttsim" => Self::Ttsim, "stand_in" => Self::StandIn,
        "hallmark" => Self::Hallmark;
    DispatchMode, "dispatch": "host" => Self::Host, "device" => Self::Device;
    Simulator, "simulator": "ttsim" => Self::Ttsim, "hallmark" => Self::Hallmark;
}

map_type! {
    /// The list of known deviations, `suites/deviations.yaml`.
    DeviationFile, "the list of deviations" {
        /// The deviations.
        deviations: Vec<Deviation>,
    }
}

map_type! {
    /// Something that another runtime does otherwise.
    Deviation, "a deviation" {
        /// The deviation's name in tables.
        name: Name,
        /// The newest release of TT-Metalium that deviates.
        release: At<String>,
        /// The oldest described release that deviates alike; without it, only `release` does.
        since: Option<At<String>>,
        /// Whose doing it is.
        whose: OneOf<Owner>,
        /// What differs and why, as sentences.
        reason: String,
        /// Where that can be read up.
        link: String,
        /// Where it shows, each as `hallmark compare` prints it.
        shown_by: Vec<At<Sighting>>,
    }
}

map_type! {
    /// A difference that a deviation explains.
    Sighting, "an entry of `shown_by`" {
        /// A test or a case, without the architecture: `group::suite::case`.
        test: Option<At<String>>,
        /// The file of a minimal capture, relative to `suites`.
        capture: Option<At<String>>,
        /// A fault of this category that the simulator finds, whatever the test or capture. The deviation needs a minimal
        /// capture beside it, which shows that the entry is still of use.
        finding: Option<OneOf<FaultCategory>>,
        /// The simulator on which it shows [default: each]
        simulator: Option<OneOf<Simulator>>,
        /// The architectures on which it shows [default: all]
        architectures: Option<Vec<OneOf<Architecture>>>,
        /// The dispatch with which it shows [default: both]
        dispatch: Option<OneOf<DispatchMode>>,
        /// The number of the command that differs. Default: the run's end differs.
        command: Option<u64>,
        /// What the other runtime does there: a part of the text that `hallmark compare` prints for its device.
        does: String,
    }
}

/// A sighting of the list, by what stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SightingKey {
    /// The deviation's name.
    pub deviation: String,
    /// The test, the capture, or the category of what the simulator finds.
    pub subject: String,
    /// The command, if it is not the run's end.
    pub command: Option<u64>,
    /// What the other runtime does.
    pub does: String,
}

/// A sighting that applies to a test, with its deviation.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// What deviates.
    pub deviation: &'a Deviation,
    /// Where and how it shows.
    pub sighting: &'a Sighting,
}

impl Deviation {
    /// Whether a described release deviates.
    fn is_of(&self, release: &ReleaseDescription) -> bool {
        let first = self.since.as_ref().unwrap_or(&self.release);
        let of = |version: &At<String>| ReleaseDescription::of_version(&version.value);
        of(first).is_some_and(|first| !release.is_before(first))
            && of(&self.release).is_some_and(|last| !last.is_before(release))
    }

    /// The releases that deviate, as a text names them.
    pub fn releases(&self) -> String {
        match &self.since {
            Some(since) => format!("releases {} to {}", since.value, self.release.value),
            None => format!("release {}", self.release.value),
        }
    }
}

impl Known<'_> {
    /// What stands in the file.
    pub fn key(&self) -> SightingKey {
        let Sighting { test, capture, finding, command, does, .. } = self.sighting;
        let subject = test.as_ref().or(capture.as_ref()).map(|it| it.value.clone());
        let category = || finding.map(|it| it.0.to_string());
        SightingKey {
            deviation: self.deviation.name.text.clone(),
            subject: subject.or_else(category).unwrap_or_default(),
            command: *command,
            does: does.clone(),
        }
    }

    /// Whether it explains what a runtime does at a command, or at the run's end.
    pub fn explains(&self, command: Option<u32>, does: &str) -> bool {
        let category = self.sighting.finding.map(|it| it.0.to_string());
        self.sighting.command == command.map(u64::from)
            && does.contains(&self.sighting.does)
            && category.is_none_or(|category| does.contains(&category))
    }

    /// Whether every run in which it explains nothing says that it is of no use. What is found in any test need not be
    /// there in each.
    pub const fn is_looked_for(&self) -> bool {
        self.sighting.finding.is_none()
    }
}

/// Where something is compared.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// The chip's architecture.
    pub architecture: Architecture,
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// The simulator below TT-Metalium.
    pub simulator: Simulator,
    /// TT-Metalium's description.
    pub release: &'static ReleaseDescription,
}

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub enum ComparedSubject<'a> {
    /// A test.
    Test(&'a TestName),
    /// A capture's file.
    Capture(&'a Path),
}

/// The list of a root, or none, and what is known of every kernel of TT-Metalium.
#[derive(Clone, Debug, Default)]
pub struct Deviations {
    source: Option<SourceText>,
    /// The root's deviations, followed by those that it does not name and that any test may show.
    list: Vec<Deviation>,
    /// The number of the root's deviations.
    own: usize,
    suites: PathBuf,
}

/// The list of Hallmark's own suites.
const HALLMARKS: &str = include_str!("../../../suites/deviations.yaml");

/// The deviations of Hallmark's own list that a simulator finds in any test, by those sightings alone: a stranger's
/// kernels call the same functions of TT-Metalium. A list that names a deviation decides over it.
fn found_in_any_test(own: &[Deviation]) -> Vec<Deviation> {
    let read = load(HALLMARKS, 0)
        .ok()
        .and_then(|node| DeviationFile::read(&node, &mut Mistakes::default()));
    let mut found = read.map(|file| file.deviations).unwrap_or_default();
    for deviation in &mut found {
        deviation.shown_by.retain(|at| at.value.finding.is_some());
    }
    found.retain(|deviation| {
        let is_named = own.iter().any(|named| named.name.text == deviation.name.text);
        !deviation.shown_by.is_empty() && !is_named
    });
    found
}

impl Deviations {
    /// The deviations that any program of TT-Metalium may show, whatever the root.
    pub fn of_any_program() -> Self {
        Self { list: found_in_any_test(&[]), ..Self::default() }
    }

    /// Reads the list beside the suites of a root. Without a file, only deviations that any test may show are known.
    ///
    /// # Errors
    /// The file cannot be read, holds something that is no list, or names a test or capture that does not exist.
    pub fn load(root: &Root) -> Result<Self, SuiteMistakes> {
        let file = root.folder().join(DEVIATIONS);
        let suites = root.suites();
        if !file.is_file() {
            return Ok(Self { suites, ..Self::of_any_program() });
        }
        let read = || {
            let below = DEVIATIONS.strip_prefix("suites/").unwrap_or(DEVIATIONS);
            refuse_links(&suites, below)?;
            std::fs::read_to_string(&file)
        };
        let text: Arc<str> = match read() {
            Ok(text) => text.into(),
            Err(problem) => {
                let source = SourceText { path: DEVIATIONS.to_owned(), text: "".into() };
                let mut mistakes = Mistakes::default();
                mistakes.add::<()>(format!("cannot be read: {problem}"), Span::default(), "");
                return Err(SuiteMistakes(mistakes.located(&[source])));
            }
        };
        let source = SourceText { path: DEVIATIONS.to_owned(), text };
        let mut mistakes = Mistakes::default();
        let read = match load(&source.text, 0) {
            Ok(node) => DeviationFile::read(&node, &mut mistakes),
            Err(mistake) => {
                return Err(SuiteMistakes(vec![LocatedMistake { file: source, mistake }]));
            }
        };
        let mut list = read.map(|file| file.deviations).unwrap_or_default();
        check(root, &list, &mut mistakes);
        if !mistakes.is_empty() {
            return Err(SuiteMistakes(mistakes.located(&[source])));
        }
        let own = list.len();
        let found = found_in_any_test(&list);
        list.extend(found);
        Ok(Self { source: Some(source), list, own, suites })
    }

    /// The deviation with this name.
    pub fn named(&self, name: &str) -> Option<&Deviation> {
        self.list.iter().find(|deviation| deviation.name.text == name)
    }

    /// The sightings that apply to what is compared.
    pub fn of(&self, subject: ComparedSubject<'_>, at: Surroundings) -> Vec<Known<'_>> {
        let applies = |sighting: &Sighting| {
            let on = sighting.architectures.as_deref();
            on.is_none_or(|on| on.iter().any(|it| it.0 == at.architecture))
                && sighting.dispatch.is_none_or(|it| it.0 == at.dispatch)
                && sighting.simulator.is_none_or(|it| it.0 == at.simulator)
                && match subject {
                    _ if sighting.finding.is_some() => true,
                    ComparedSubject::Test(name) => {
                        sighting.test.as_ref().is_some_and(|test| is_of(&test.value, name))
                    }
                    ComparedSubject::Capture(file) => sighting
                        .capture
                        .as_ref()
                        .is_some_and(|capture| is_same(&self.suites.join(&capture.value), file)),
                }
        };
        let list = self.list.iter().filter(|deviation| deviation.is_of(at.release));
        let each = list.flat_map(|deviation| {
            deviation.shown_by.iter().map(move |at| Known { deviation, sighting: &at.value })
        });
        each.filter(|known| applies(known.sighting)).collect()
    }

    /// The files of the list's captures, each once.
    pub fn captures(&self) -> BTreeSet<PathBuf> {
        let sightings = self.list.iter().flat_map(|deviation| &deviation.shown_by);
        let captures = sightings.filter_map(|at| at.value.capture.as_ref());
        captures.map(|capture| self.suites.join(&capture.value)).collect()
    }

    /// The mistakes of entries that explained nothing although what they name was compared.
    pub fn unused(&self, keys: &BTreeSet<SightingKey>) -> Option<UnusedDeviations> {
        let source = self.source.clone()?;
        let mut mistakes = Mistakes::default();
        for deviation in self.list.iter().take(self.own) {
            for at in &deviation.shown_by {
                if keys.contains(&Known { deviation, sighting: &at.value }.key()) {
                    mistakes.add::<()>(
                        format!("`{}` explains nothing here", deviation.name.text),
                        at.span,
                        "the test shows no such difference any more; remove the entry",
                    );
                }
            }
        }
        (!mistakes.is_empty()).then(|| UnusedDeviations(SuiteMistakes(mistakes.located(&[source]))))
    }
}

/// Entries of the list that explain nothing, which is known once the tests have run.
#[derive(Clone, Debug)]
pub struct UnusedDeviations(pub SuiteMistakes);

impl std::error::Error for UnusedDeviations {}

impl fmt::Display for UnusedDeviations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = counted(self.0.0.len(), "entry", "entries");
        write!(formatter, "{}{entries} of {DEVIATIONS} without use", self.0.listing())
    }
}

/// Whether two paths name one file.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Whether a test is the one, or of the case, that an entry names.
fn is_of(entry: &str, name: &TestName) -> bool {
    let full = name.to_string();
    let Some((_, without)) = full.split_once("::") else { return false };
    without.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Notes what is wrong with the entries: names twice, other releases, tests and captures that do not exist.
fn check(root: &Root, list: &[Deviation], mistakes: &mut Mistakes) {
    let mut names = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for deviation in list {
        let name = &deviation.name;
        if !names.insert(&name.text) {
            mistakes.add::<()>(
                format!("duplicate deviation `{}`", name.text),
                name.span,
                "give each deviation a name of its own",
            );
        }
        for release in [&deviation.release].into_iter().chain(&deviation.since) {
            if ReleaseDescription::of_version(&release.value).is_some() {
                continue;
            }
            mistakes.add::<()>(
                format!("TT-Metalium {} is not known here", release.value),
                release.span,
                format!("the known releases are {}", ReleaseDescription::known_versions()),
            );
        }
        if let Some(since) = &deviation.since
            && let [Some(first), Some(last)] = [since, &deviation.release]
                .map(|release| ReleaseDescription::of_version(&release.value))
            && last.is_before(first)
        {
            mistakes.add::<()>(
                format!("TT-Metalium {} came after {}", since.value, deviation.release.value),
                since.span,
                "`since` names an older release than `release`",
            );
        }
        for At { value: sighting, span } in &deviation.shown_by {
            match (&sighting.test, &sighting.capture, &sighting.finding) {
                (Some(test), None, None) => check_test(root, test, mistakes),
                (None, Some(capture), None) => {
                    if !root.suites().join(&capture.value).is_file() {
                        mistakes.add::<()>(
                            format!("there is no capture suites/{}", capture.value),
                            capture.span,
                            "the path is relative to the folder `suites`",
                        );
                    }
                }
                (None, None, Some(_)) => {
                    if deviation.shown_by.iter().all(|at| at.value.capture.is_none()) {
                        mistakes.add::<()>(
                            "no capture shows what is found in any test",
                            *span,
                            "add an entry with a minimal `capture`",
                        );
                    }
                }
                (Some(_), Some(_), _)
                | (Some(_), _, Some(_))
                | (_, Some(_), Some(_))
                | (None, None, None) => {
                    mistakes.add::<()>(
                        "an entry of `shown_by` names a test, a capture or a finding",
                        *span,
                        "give one of `test`, `capture` and `finding`",
                    );
                }
            }
            let architectures = sighting.architectures.iter().flatten();
            let on: Vec<&str> = architectures.map(|it| it.0.name()).collect();
            let dispatch = sighting.dispatch.map(|it| it.0 == DispatchMode::Host);
            let key = Known { deviation, sighting }.key();
            let simulator = sighting.simulator.map(|it| Simulator::name(it.0));
            // One category holds findings of many kinds.
            let found = sighting.finding.map(|_| key.does.clone());
            let place = (key.subject, key.command, on, dispatch, simulator, found);
            if !keys.insert(place) {
                mistakes.add::<()>(
                    "another entry explains the same command",
                    *span,
                    "say once what the other runtime does there",
                );
            }
        }
    }
}

/// Notes that an entry names no case.
fn check_test(root: &Root, test: &At<String>, mistakes: &mut Mistakes) {
    let parts: Vec<&str> = test.value.split("::").collect();
    let wrong = |mistakes: &mut Mistakes, help: String| {
        mistakes.add::<()>(format!("there is no test `{}`", test.value), test.span, help);
    };
    let [group, suite, case, ..] = parts.as_slice() else {
        return wrong(mistakes, "write `group::suite::case`".to_owned());
    };
    let file = SuiteFile { group: (*group).to_owned(), suite: (*suite).to_owned() };
    let is_there = root.folder().join(file.path()).is_file();
    if !(is_name(group) && is_name(suite) && is_there) {
        return wrong(mistakes, format!("there is no {}", file.path()));
    }
    // Mistakes of the suite itself are told where the suite is used.
    let Ok(loaded) = root.load(&file) else { return };
    let cases = || loaded.suite.cases.names();
    if !cases().any(|known| known == *case) {
        return wrong(mistakes, suggest(case, cases()));
    }
    let named = loaded.tests(&Architecture::ALL);
    if !named.iter().any(|known| is_of(&test.value, &known.name)) {
        wrong(mistakes, "the case has no such parameters".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUITE: &str = "about: A suite.\ncases:\n  one:\n    about: A case.\n    matrix: { pages: [1, 2] }\n    \
                         steps:\n      - create_buffer: { id: b, type: dram, size: 64 * pages, page_size: 64 }\n";

    /// A root with one suite and a list of deviations.
    fn root(list: &str) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("suites/group")).unwrap();
        std::fs::write(folder.path().join("suites/group/suite.yaml"), SUITE).unwrap();
        std::fs::write(folder.path().join("suites/shown.lmb"), "a capture").unwrap();
        std::fs::write(folder.path().join(DEVIATIONS), list).unwrap();
        let root = Root::at(folder.path()).unwrap();
        (folder, root)
    }

    fn list(entries: &str) -> String {
        format!(
            "deviations:\n  - name: other\n    release: 0.81.1\n    whose: tt_metal\n    reason: It differs.\n    \
             link: https://example.org\n    shown_by:\n{entries}"
        )
    }

    fn refused(text: &str) -> String {
        let (_folder, root) = root(text);
        Deviations::load(&root).unwrap_err().to_string()
    }

    fn test(name: &str) -> TestName {
        name.parse().unwrap()
    }

    fn described(version: &str) -> &'static ReleaseDescription {
        ReleaseDescription::of_version(version).unwrap()
    }

    fn on(architecture: Architecture, dispatch: DispatchMode) -> Surroundings {
        let release = described("0.81.1");
        Surroundings { architecture, dispatch, simulator: Simulator::Ttsim, release }
    }

    #[test]
    fn what_a_simulator_finds_is_known_in_every_test_on_that_simulator() {
        // The name of a built-in deviation hides that one.
        let entries = list(
            "      - { capture: shown.lmb, simulator: hallmark, does: overtakes }\n      \
             - { finding: DataRace, simulator: hallmark, does: overtakes }\n",
        );
        let named = entries.replace("name: other", "name: request_that_overtakes_a_store");
        let (_folder, root) = root(&named);
        let list = Deviations::load(&root).unwrap();
        let name = test("wormhole_b0::group::suite::one::pages=1");
        let ttsim = on(Architecture::WormholeB0, DispatchMode::Device);
        let ours = Surroundings { simulator: Simulator::Hallmark, ..ttsim };
        let subject = ComparedSubject::Test(&name);
        assert!(list.of(subject, ttsim).is_empty());
        let known = list.of(subject, ours);
        let [found] = known.as_slice() else { panic!("{known:?}") };
        assert!(found.explains(None, "Crash: DataRace: a request overtakes the store"));
        assert!(!found.explains(None, "Crash: DataRace: another store"));
        assert!(!found.explains(None, "Crash: UndefinedBehavior: a request overtakes the store"));
        assert!(!found.explains(Some(3), "DataRace: a request overtakes the store"));
        assert!(!found.is_looked_for());
        let capture = root.suites().join("shown.lmb");
        let of_capture = list.of(ComparedSubject::Capture(&capture), ours);
        assert_eq!(of_capture.iter().map(Known::is_looked_for).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn an_entry_applies_to_its_case_its_test_or_its_capture() {
        let (_folder, root) = root(&list(
            "      - { test: 'group::suite::one', command: 3, does: throws }\n      \
             - { test: 'group::suite::one::pages=2', dispatch: host, does: killed }\n      \
             - { capture: shown.lmb, architectures: [blackhole], command: 0, does: succeeds }\n",
        ));
        let list = Deviations::load(&root).unwrap();
        let of = |subject, architecture, dispatch| -> Vec<Option<u64>> {
            let known = list.of(subject, on(architecture, dispatch));
            known.iter().map(|known| known.sighting.command).collect()
        };
        let (host, device) = (DispatchMode::Host, DispatchMode::Device);
        let wormhole = Architecture::WormholeB0;
        let one = test("wormhole_b0::group::suite::one::pages=1");
        let two = test("wormhole_b0::group::suite::one::pages=2");
        let longer = test("wormhole_b0::group::suite::one_more");
        assert_eq!(of(ComparedSubject::Test(&one), wormhole, host), [Some(3)]);
        assert_eq!(of(ComparedSubject::Test(&two), wormhole, host), [Some(3), None]);
        assert_eq!(of(ComparedSubject::Test(&two), wormhole, device), [Some(3)]);
        assert_eq!(of(ComparedSubject::Test(&longer), wormhole, host), []);
        let capture = root.suites().join("shown.lmb");
        let capture = ComparedSubject::Capture(&capture);
        assert_eq!(of(capture, Architecture::Blackhole, host), [Some(0)]);
        assert_eq!(of(capture, wormhole, host), []);
        let known = list.of(ComparedSubject::Test(&two), on(wormhole, host));
        let [at_command, at_end] = known.as_slice() else { panic!("{known:?}") };
        assert!(at_command.explains(Some(3), "throws an exception"));
        assert!(!at_command.explains(Some(2), "throws an exception"));
        assert!(!at_command.explains(None, "throws an exception"));
        assert!(!at_command.explains(Some(3), "succeeds"));
        assert!(at_end.explains(None, "Crash: killed by signal 8"));
    }

    #[test]
    fn a_deviation_holds_for_its_releases() {
        let entry = "      - { test: 'group::suite::one', command: 3, does: throws }\n";
        let name = test("wormhole_b0::group::suite::one::pages=1");
        let holds = |text: &str| {
            let (_folder, root) = root(text);
            let list = Deviations::load(&root).unwrap();
            ["0.80.0", "0.81.1"].map(|version| {
                let at = on(Architecture::WormholeB0, DispatchMode::Host);
                let at = Surroundings { release: described(version), ..at };
                !list.of(ComparedSubject::Test(&name), at).is_empty()
            })
        };
        let newer = list(entry);
        assert_eq!(holds(&newer), [false, true]);
        assert_eq!(holds(&newer.replace("0.81.1", "0.80.0")), [true, false]);
        let both = newer.replace("release: 0.81.1\n", "release: 0.81.1\n    since: 0.80.0\n");
        assert_eq!(holds(&both), [true, true]);
        let (_folder, root) = root(&both);
        let list = Deviations::load(&root).unwrap();
        assert_eq!(list.named("other").unwrap().releases(), "releases 0.80.0 to 0.81.1");
    }

    #[test]
    fn an_entry_that_explains_nothing_is_an_error_at_its_place() {
        let entry = "      - { test: 'group::suite::one', command: 3, does: throws }\n";
        let (_folder, root) = root(&list(entry));
        let list = Deviations::load(&root).unwrap();
        assert!(list.unused(&BTreeSet::new()).is_none());
        let name = test("wormhole_b0::group::suite::one::pages=1");
        let subject = ComparedSubject::Test(&name);
        let known = list.of(subject, on(Architecture::WormholeB0, DispatchMode::Host));
        let keys = known.iter().map(Known::key).collect();
        let said = list.unused(&keys).unwrap().to_string();
        assert!(said.contains("`other` explains nothing here"), "{said}");
        assert!(said.contains("suites/deviations.yaml:8:9"), "{said}");
    }

    #[test]
    fn mistakes_of_the_list_are_told_with_their_places() {
        let says = |entries: &str, words: &str| {
            let said = refused(&list(entries));
            assert!(said.contains(words), "{said}");
            assert!(said.contains("suites/deviations.yaml:"), "{said}");
        };
        says(
            "      - { test: 'group::suite::two', does: throws }\n",
            "there is no test `group::suite::two`",
        );
        says(
            "      - { test: 'group::other::one', does: throws }\n",
            "there is no suites/group/other.yaml",
        );
        says(
            "      - { test: 'group::suite::one::pages=3', does: throws }\n",
            "no such parameters",
        );
        says(
            "      - { capture: absent.lmb, does: throws }\n",
            "there is no capture suites/absent.lmb",
        );
        says("      - { does: throws }\n", "names a test, a capture or a finding");
        says(
            "      - { test: 'group::suite::one', capture: shown.lmb, does: x }\n",
            "names a test, a capture or a finding",
        );
        says(
            "      - { capture: shown.lmb, finding: DataRace, does: x }\n",
            "names a test, a capture or a finding",
        );
        says(
            "      - { finding: DataRace, does: x }\n",
            "no capture shows what is found in any test",
        );
        says("      - { test: 'group::suite::one', when: now, does: x }\n", "unknown key `when`");
        let twice = "      - { test: 'group::suite::one', does: x }\n";
        says(&twice.repeat(2), "another entry explains the same command");
        let other = list(twice).replace("0.81.1", "0.82.0");
        assert!(refused(&other).contains("TT-Metalium 0.82.0 is not known here"));
        let later = list(twice).replace("release: 0.81.1", "release: 0.80.0\n    since: 0.81.1");
        assert!(refused(&later).contains("TT-Metalium 0.81.1 came after 0.80.0"), "{later}");
        let same_name = list(twice).replace(
            "deviations:\n",
            "deviations:\n  - { name: other, release: 0.81.1, whose: ttsim, reason: R., link: l, shown_by: [] }\n",
        );
        assert!(refused(&same_name).contains("duplicate deviation `other`"));
        assert!(refused("deviations: 3\n").contains("expected a list"));
    }

    #[test]
    fn a_root_without_a_list_knows_what_any_test_may_show() {
        let (folder, root) = root("");
        std::fs::remove_file(folder.path().join(DEVIATIONS)).unwrap();
        let without = Deviations::load(&root).unwrap();
        assert!(without.captures().is_empty() && without.named("other").is_none());
        let name = test("wormhole_b0::group::suite::one::pages=1");
        let store = "request_that_overtakes_a_store";
        let known = |list: &Deviations, simulator| -> Vec<String> {
            let on = Surroundings { simulator, ..on(Architecture::Blackhole, DispatchMode::Host) };
            let known = list.of(ComparedSubject::Test(&name), on);
            known.iter().map(|known| known.deviation.name.text.clone()).collect()
        };
        assert_eq!(known(&without, Simulator::Hallmark), [store]);
        assert_eq!(known(&without, Simulator::Ttsim), Vec::<String>::new());
        let found = without.of(
            ComparedSubject::Test(&name),
            Surroundings {
                simulator: Simulator::Hallmark,
                ..on(Architecture::WormholeB0, DispatchMode::Device)
            },
        );
        assert!(found[0].explains(None, "DataRace: the store may reach L1 after the request"));
        assert!(!found[0].is_looked_for());
        // A list that knows the deviation decides where it shows, and another list adds to what is known.
        let entry = "      - { capture: shown.lmb, does: overtakes }\n";
        let (_folder, named) =
            self::root(&list(entry).replace("name: other", &format!("name: {store}")));
        assert_eq!(
            known(&Deviations::load(&named).unwrap(), Simulator::Hallmark),
            Vec::<String>::new()
        );
        let (_folder, other) = self::root(&list(entry));
        assert_eq!(known(&Deviations::load(&other).unwrap(), Simulator::Hallmark), [store]);
    }
}
