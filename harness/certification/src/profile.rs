//! Conformance profiles: the mandatory tests, their devices, and the permitted excuses. A profile is a YAML
//! file beside the suites, or anywhere else.

pub mod language;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use hallmark_chip::{ChipDescription, HarvestingMask};
use hallmark_execution::whole_file;
use hallmark_schema::model::{ContentHash, DispatchMode};
use hallmark_suite::discover::{CONFORMANCE_PROFILES, LoadedSuite, Root, SelectedTest};
use hallmark_suite::mistake::{
    LocatedMistake, Mistakes, SourceText, Span, SuiteMistakes, nearest, suggest,
};
use hallmark_suite::node::{FILE_LIMIT, load};
use hallmark_suite::pattern::FirstParts;
use hallmark_suite::read::{At, Read, is_name};
use hallmark_suite::reference::pretty;
use schemars::generate::SchemaSettings;

use self::language::{DeviceEntry, ProfileFile, RepeatsEntry};
use super::lock::{
    ChallengeRule, LockedDevice, LockedProfile, Model, MutationScore, Repeats, SeedRange,
    WaiverRule,
};

/// The largest accepted number of repeats.
const MOST_REPEATS: u64 = 1000;

/// The default validity of a challenge in days.
const CHALLENGE_DAYS: u32 = 14;

/// A valid conformance profile.
#[derive(Clone, Debug)]
pub struct ConformanceProfile {
    source: SourceText,
    folder: PathBuf,
    file: ProfileFile,
}

/// A pattern with its position.
#[derive(Clone, Debug)]
struct PlacedPattern {
    pattern: FirstParts,
    span: Span,
}

/// A conformance profile that does not exist or cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProfileError {
    /// No profile has this name.
    #[error("there is no conformance profile `{name}`; {help}")]
    Absent {
        /// The requested name.
        name: String,
        /// The existing profiles.
        help: String,
    },
    /// The profile, or a part that it selects, is invalid.
    #[error(transparent)]
    Mistakes(#[from] SuiteMistakes),
}

/// The path of the committed schema of conformance profiles, relative to the root.
pub const PROFILES_SCHEMA_PATH: &str = "suites/conformance-profile.schema.json";

/// The JSON Schema of conformance profiles, as committed.
pub fn profiles_json_schema() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    pretty(&generator.into_root_schema_for::<ProfileFile>().into())
}

impl ConformanceProfile {
    /// The profile in a file, if the text contains `/` or ends with `.yaml`; otherwise the profile of that name
    /// beside the suites.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn find(root: &Root, text: &str) -> Result<Self, ProfileError> {
        if text.contains('/') || text.ends_with(".yaml") {
            return Ok(Self::read(root, Path::new(text))?);
        }
        Self::beside_suites(root, text)
    }

    /// The profile of a name beside the suites. No other file is read, whatever the name is.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn beside_suites(root: &Root, name: &str) -> Result<Self, ProfileError> {
        let beside_suites = root.suites().join(CONFORMANCE_PROFILES);
        let path = beside_suites.join(format!("{name}.yaml"));
        if !is_name(name) || !path.is_file() {
            let entries = std::fs::read_dir(&beside_suites).into_iter().flatten().flatten();
            let names: BTreeSet<String> = entries
                .filter_map(|entry| {
                    entry.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned)
                })
                .collect();
            let help = match suggest(name, names.iter().map(String::as_str)) {
                help if help.is_empty() => {
                    format!("name a file, or one of suites/{CONFORMANCE_PROFILES} without `.yaml`")
                }
                help => help,
            };
            return Err(ProfileError::Absent { name: name.to_owned(), help });
        }
        Ok(Self::read(root, &path)?)
    }

    /// Reads a file. Below `root`, no link is followed to it.
    ///
    /// # Errors
    /// The file cannot be read, or is not a conformance profile.
    pub fn read(root: &Root, path: &Path) -> Result<Self, SuiteMistakes> {
        let shown = path.display().to_string();
        let bytes = root.refuse_links(path).and_then(|()| whole_file::read(path, FILE_LIMIT));
        let text = bytes.map_err(|error| error.to_string());
        let text =
            text.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
        // Names of matched files get no leading `./`.
        let folder = path.parent().unwrap_or(Path::new("")).components();
        let folder: PathBuf = folder.filter(|part| *part != Component::CurDir).collect();
        match text {
            Ok(text) => Self::of_text(shown, &text, folder),
            Err(problem) => {
                let source = SourceText { path: shown, text: "".into() };
                let mut mistakes = Mistakes::default();
                mistakes.add::<()>(format!("cannot be read: {problem}"), Span::default(), "");
                Err(SuiteMistakes(mistakes.located(&[source])))
            }
        }
    }

    /// Parses a text. `path` is its name in errors, and captures are relative to `folder`.
    ///
    /// # Errors
    /// The text is not a conformance profile.
    pub fn of_text(path: String, text: &str, folder: PathBuf) -> Result<Self, SuiteMistakes> {
        let source = SourceText { path, text: Arc::from(text) };
        let node = load(text, 0).map_err(|mistake| {
            SuiteMistakes(vec![LocatedMistake { file: source.clone(), mistake }])
        })?;
        let mut mistakes = Mistakes::default();
        let file = ProfileFile::read(&node, &mut mistakes);
        if let Some(file) = &file {
            check(file, &mut mistakes);
        }
        match file {
            Some(file) if mistakes.is_empty() => Ok(Self { source, folder, file }),
            _ => Err(SuiteMistakes(mistakes.located(&[source]))),
        }
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The profile's name.
    pub fn name(&self) -> &str {
        &self.file.profile.text
    }

    /// The settings for all tests.
    pub fn locked(&self) -> LockedProfile {
        let file = &self.file;
        let number = |number: &Option<At<u64>>| {
            number.as_ref().and_then(|it| u32::try_from(it.value).ok()).unwrap_or(1)
        };
        let repeats = file.repeats.as_ref();
        let repeats = repeats.map_or(Repeats { sim: 1, ttsim: 1, pci: 1 }, |repeats| Repeats {
            sim: number(&repeats.sim),
            ttsim: number(&repeats.ttsim),
            pci: number(&repeats.pci),
        });
        let mut devices: Vec<LockedDevice> =
            file.devices.iter().map(|entry| locked_device(&entry.value)).collect();
        devices.sort();
        let challenge = file.challenge.as_ref();
        let patterns = file.never_waived.iter().flatten().map(|it| it.value.clone());
        LockedProfile {
            format: LockedProfile::FORMAT,
            name: file.profile.text.clone(),
            edition: file.edition.0.clone(),
            file: ContentHash::of(self.text().as_bytes()),
            model: Model::current(),
            subjects: sorted(file.subjects.iter().map(|it| it.0.0)),
            devices,
            requires: sorted(file.requires.iter().flatten().map(|it| it.0)),
            schedule_seeds: file
                .schedules
                .as_ref()
                .map_or(SeedRange { first: 0, last: 0 }, |schedules| schedules.seeds.0),
            repeats,
            challenge: ChallengeRule {
                required: challenge.is_some_and(|it| it.required.0),
                valid_for_days: challenge
                    .and_then(|it| it.valid_for)
                    .map_or(CHALLENGE_DAYS, |days| days.0),
            },
            never_waived: sorted(patterns),
            waivers: file.waivers.as_ref().map_or(
                WaiverRule { at_most: 0, longest_days: 0 },
                |waivers| WaiverRule {
                    at_most: u32::try_from(waivers.at_most.value).unwrap_or(u32::MAX),
                    longest_days: waivers.longest.0,
                },
            ),
            score: file.score.as_ref().map(|score| MutationScore {
                at_least: u32::try_from(score.at_least.value).unwrap_or(u32::MAX),
                of: u32::try_from(score.of.value).unwrap_or(u32::MAX),
            }),
        }
    }

    /// The demanded tests of suites, ascending by name. Suites with such a test are checked as a whole.
    ///
    /// # Errors
    /// A suite is invalid, or a pattern matches no test.
    pub fn tests(&self, root: &Root) -> Result<Vec<SelectedTest>, SuiteMistakes> {
        let wanted = patterns(&self.file.tests.suites);
        let left_out = patterns(self.file.tests.except.as_deref().unwrap_or_default());
        let never_waived = patterns(self.file.never_waived.as_deref().unwrap_or_default());
        let architectures: Vec<_> =
            self.file.devices.iter().map(|entry| entry.value.architecture.0).collect();
        let suites = root.load_all()?;
        let mut mistakes = Mistakes::default();
        let all: Vec<SelectedTest> =
            suites.iter().flat_map(|suite| suite.tests(&architectures)).collect();
        for placed in wanted.iter().chain(&left_out).chain(&never_waived) {
            if !all.iter().any(|test| placed.pattern.matches(&test.name)) {
                let help = nearest_beginning(placed.pattern.text(), &all);
                let message = format!("no test is selected by `{}`", placed.pattern.text());
                mistakes.add::<()>(message, placed.span, help);
            }
        }
        if !mistakes.is_empty() {
            return Err(SuiteMistakes(mistakes.located(std::slice::from_ref(&self.source))));
        }
        let takes = |patterns: &[PlacedPattern], test: &SelectedTest| {
            patterns.iter().any(|placed| placed.pattern.matches(&test.name))
        };
        let mut tests: Vec<SelectedTest> = all
            .into_iter()
            .filter(|test| takes(&wanted, test) && !takes(&left_out, test))
            .collect();
        tests.sort_by(|one, other| one.name.cmp(&other.name));
        let holds_one =
            |suite: &&LoadedSuite| tests.iter().any(|test| test.suite().file == suite.file);
        let wrong: Vec<LocatedMistake> = suites
            .iter()
            .filter(holds_one)
            .filter_map(|suite| suite.check(&architectures).err())
            .flat_map(|mistakes| mistakes.0)
            .collect();
        if wrong.is_empty() { Ok(tests) } else { Err(SuiteMistakes(wrong)) }
    }

    /// The files of demanded captured workloads, relative to the profile's folder, ascending.
    ///
    /// # Errors
    /// A pattern matches no file.
    pub fn captures(&self) -> Result<BTreeSet<PathBuf>, SuiteMistakes> {
        let mut mistakes = Mistakes::default();
        let mut files = BTreeSet::new();
        for pattern in self.file.tests.captures.iter().flatten() {
            let folder = glob::Pattern::escape(&self.folder.to_string_lossy());
            let whole = Path::new(&folder).join(&pattern.value);
            let mut is_empty = true;
            for found in glob::glob(&whole.to_string_lossy()).into_iter().flatten() {
                is_empty = false;
                let relative = found.map_err(|error| error.to_string()).and_then(|found| {
                    let relative = found.strip_prefix(&self.folder).map(Path::to_owned);
                    relative.map_err(|error| format!("{}: {error}", found.display()))
                });
                match relative {
                    Ok(relative) => _ = files.insert(relative),
                    Err(problem) => {
                        mistakes.add::<()>(
                            format!("`{}` cannot be looked up: {problem}", pattern.value),
                            pattern.span,
                            "",
                        );
                    }
                }
            }
            if is_empty {
                mistakes.add::<()>(
                    format!("there is no file `{}`", pattern.value),
                    pattern.span,
                    "the path is relative to the profile's folder",
                );
            }
        }
        if mistakes.is_empty() {
            return Ok(files);
        }
        Err(SuiteMistakes(mistakes.located(std::slice::from_ref(&self.source))))
    }

    /// The folder of the profile's file; captures are relative to it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Each value once, ascending.
fn sorted<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect::<BTreeSet<T>>().into_iter().collect()
}

fn locked_device(entry: &DeviceEntry) -> LockedDevice {
    let masks = entry.harvesting.iter().flatten();
    let masks = sorted(masks.filter_map(|mask| u32::try_from(mask.value).ok()));
    let dispatch = sorted(entry.dispatch.iter().flatten().map(|it| it.0));
    LockedDevice {
        architecture: entry.architecture.0,
        kinds: sorted(entry.kinds.iter().map(|it| it.0)),
        harvesting: if masks.is_empty() { vec![0] } else { masks },
        dispatch: if dispatch.is_empty() { vec![DispatchMode::Host] } else { dispatch },
    }
}

/// Patterns that [`check`] has validated.
fn patterns(texts: &[At<String>]) -> Vec<PlacedPattern> {
    let placed = |at: &At<String>| {
        let pattern = FirstParts::from_str(&at.value).ok()?;
        Some(PlacedPattern { pattern, span: at.span })
    };
    texts.iter().filter_map(placed).collect()
}

/// The nearest prefix of a test's name, with or without the architecture.
fn nearest_beginning(wrong: &str, tests: &[SelectedTest]) -> String {
    let parts = wrong.split("::").count();
    let beginning = |name: &str| name.split("::").take(parts).collect::<Vec<_>>().join("::");
    let mut names = BTreeSet::new();
    for test in tests {
        let name = test.name.to_string();
        names.insert(beginning(&name));
        names.extend(name.split_once("::").map(|(_, rest)| beginning(rest)));
    }
    match nearest(wrong, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`hallmark list` shows all names".to_owned(),
    }
}

/// Notes the mistakes of a profile that do not depend on the tests.
fn check(file: &ProfileFile, mistakes: &mut Mistakes) {
    check_lists(file, mistakes);
    let mut seen = BTreeSet::new();
    for At { value: entry, span } in &file.devices {
        let architecture = entry.architecture.0;
        if !seen.insert(architecture) {
            mistakes.add::<()>(
                format!("another entry is of {architecture}"),
                *span,
                "write one entry for each architecture",
            );
        }
        if entry.kinds.is_empty() {
            mistakes.add::<()>("`kinds` is empty", *span, "name a kind of device");
        }
        for mask in entry.harvesting.iter().flatten() {
            let known = u32::try_from(mask.value).map(HarvestingMask);
            match known.map(|known| ChipDescription::harvested(architecture, known)) {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    mistakes.add::<()>(error.to_string(), mask.span, "");
                }
                Err(_) => {
                    mistakes.add::<()>("this mask has more than 32 bits", mask.span, "");
                }
            }
        }
    }
    let tests = &file.tests;
    let lists = [Some(&tests.suites), tests.except.as_ref(), file.never_waived.as_ref()];
    for pattern in lists.into_iter().flatten().flatten() {
        if let Err(error) = FirstParts::from_str(&pattern.value) {
            mistakes.add::<()>(error.to_string(), pattern.span, "");
        }
    }
    for pattern in tests.captures.iter().flatten() {
        check_capture_pattern(pattern, mistakes);
    }
    if let Some(RepeatsEntry { sim, ttsim, pci }) = &file.repeats {
        for number in [sim, ttsim, pci].into_iter().flatten() {
            if !(1..=MOST_REPEATS).contains(&number.value) {
                mistakes.add::<()>(
                    format!("a test runs 1 to {MOST_REPEATS} times, not {}", number.value),
                    number.span,
                    "",
                );
            }
        }
    }
    if let Some(waivers) = &file.waivers
        && u32::try_from(waivers.at_most.value).is_err()
    {
        mistakes.add::<()>("this number is out of range", waivers.at_most.span, "");
    }
    if let Some(score) = &file.score
        && (score.at_least.value > score.of.value || u32::try_from(score.of.value).is_err())
    {
        mistakes.add::<()>(
            format!("{} of {} cannot be found", score.at_least.value, score.of.value),
            score.at_least.span,
            "`at_least` is no more than `of`",
        );
    }
}

/// Notes empty lists that must not be empty.
fn check_lists(file: &ProfileFile, mistakes: &mut Mistakes) {
    let place = file.profile.span;
    if file.subjects.is_empty() {
        mistakes.add::<()>("`subjects` is empty", place, "say what may be certified");
    }
    if file.devices.is_empty() {
        mistakes.add::<()>("`devices` is empty", place, "add an entry for each architecture");
    }
    if file.tests.suites.is_empty() && file.tests.captures.as_ref().is_none_or(Vec::is_empty) {
        mistakes.add::<()>(
            "the profile demands no test",
            place,
            "write `suites: [\"**\"]` for all",
        );
    }
}

fn check_capture_pattern(pattern: &At<String>, mistakes: &mut Mistakes) {
    let is_inside =
        !pattern.value.starts_with('/') && pattern.value.split('/').all(|part| part != "..");
    if !is_inside {
        mistakes.add::<()>(
            format!("`{}` lies outside the profile's folder", pattern.value),
            pattern.span,
            "write the path relative to the profile's folder",
        );
    }
    if let Err(error) = glob::Pattern::new(&pattern.value) {
        mistakes.add::<()>(format!("`{}`: {}", pattern.value, error.msg), pattern.span, "");
    }
}
