//! Waivers: failures that an approver excuses, for an exact number of tests, in one way, and for a limited
//! time.
//!
//! A waiver that excuses nothing, too much, or a passing test is a mistake of the submitter. The verifier
//! checks the signatures of waivers, because it knows the approvers.

pub mod language;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::FromStr as _;

use hallmark_chip::Architecture;
use hallmark_execution::whole_file;
use hallmark_package::Timestamp;
use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::verdict::Verdict;
use hallmark_schema::model::ContentHash;
use hallmark_schema::plural::counted;
use hallmark_suite::discover::Root;
use hallmark_suite::mistake::{LocatedMistake, Mistake, Mistakes, SourceText, Span, SuiteMistakes};
use hallmark_suite::name::TestName;
use hallmark_suite::node::load;
use hallmark_suite::pattern::FirstParts;
use hallmark_suite::read::{At, Choice as _, Read as _};

use self::language::WaiverFile;
use super::lock::{LockedProfile, SubjectKind};
use super::results::{ResultLine, RunKey};

/// The fewest digits of a hash that name a firmware bundle.
const SHORTEST_HASH: usize = 8;
/// The largest accepted waiver, bytes.
pub(super) const FILE_LIMIT: u64 = 64 << 10;

/// A valid waiver.
#[derive(Clone, Debug)]
pub struct Waiver {
    source: SourceText,
    file: WaiverFile,
    tests: Vec<FirstParts>,
}

/// The hash of each architecture's firmware, as in records.
pub type FirmwareHashes = BTreeMap<Architecture, ContentHash>;

/// The firmware of a subject that a waiver may name. TT-Metalium brings its own firmware, which has no known
/// hash.
pub fn known_firmware(
    subject: SubjectKind,
    firmware: impl IntoIterator<Item = (Architecture, ContentHash)>,
) -> FirmwareHashes {
    match subject {
        SubjectKind::Metalium => FirmwareHashes::new(),
        SubjectKind::Simulator | SubjectKind::Firmware | SubjectKind::Board => {
            firmware.into_iter().collect()
        }
    }
}

impl Waiver {
    /// Reads every `*.yaml` of a folder, ascending by name. Below `root`, no link is followed.
    ///
    /// # Errors
    /// A file cannot be read, or is not a waiver.
    pub fn read_folder(root: &Root, folder: &Path) -> Result<Vec<Self>, SuiteMistakes> {
        let unreadable = |path: &Path, problem: String| {
            let source = SourceText { path: path.display().to_string(), text: "".into() };
            let mut mistakes = Mistakes::default();
            mistakes.add::<()>(format!("cannot be read: {problem}"), Span::default(), "");
            SuiteMistakes(mistakes.located(&[source]))
        };
        let entries = std::fs::read_dir(folder);
        let entries = entries.map_err(|error| unreadable(folder, error.to_string()))?;
        let mut paths = BTreeSet::new();
        for entry in entries {
            let path = entry.map_err(|error| unreadable(folder, error.to_string()))?.path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                paths.insert(path);
            }
        }
        let mut waivers = Vec::new();
        let mut mistakes = Vec::new();
        for path in paths {
            let bytes = root.refuse_links(&path).and_then(|()| whole_file::read(&path, FILE_LIMIT));
            let bytes = bytes.map_err(|error| error.to_string());
            let text =
                bytes.and_then(|it| String::from_utf8(it).map_err(|error| error.to_string()));
            let text = text.map_err(|problem| unreadable(&path, problem))?;
            match Self::of_text(path.display().to_string(), &text) {
                Ok(waiver) => waivers.push(waiver),
                Err(more) => mistakes.extend(more.0),
            }
        }
        if mistakes.is_empty() { Ok(waivers) } else { Err(SuiteMistakes(mistakes)) }
    }

    /// Parses a text; `path` is its name in errors, and ends with the waiver's id.
    ///
    /// # Errors
    /// The text is not a waiver.
    pub fn of_text(path: String, text: &str) -> Result<Self, SuiteMistakes> {
        let source = SourceText { path, text: text.into() };
        let node = load(text, 0).map_err(|mistake| {
            SuiteMistakes(vec![LocatedMistake { file: source.clone(), mistake }])
        })?;
        let mut mistakes = Mistakes::default();
        let file = WaiverFile::read(&node, &mut mistakes);
        let mut tests = Vec::new();
        if let Some(file) = &file {
            check(file, &source.path, &mut mistakes);
            for at in &file.tests {
                match FirstParts::from_str(&at.value) {
                    Ok(pattern) => tests.push(pattern),
                    Err(error) => {
                        mistakes.add::<()>(error.to_string(), at.span, "");
                    }
                }
            }
        }
        match file {
            Some(file) if mistakes.is_empty() => Ok(Self { source, file, tests }),
            _ => Err(SuiteMistakes(mistakes.located(&[source]))),
        }
    }

    /// The waiver's id.
    pub fn id(&self) -> &str {
        &self.file.waiver.text
    }

    /// The path of the file, as the user named it.
    pub fn path(&self) -> &Path {
        Path::new(&self.source.path)
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The parsed file.
    pub const fn file(&self) -> &WaiverFile {
        &self.file
    }

    /// Whether the waiver applies to a run, whatever its outcome.
    fn is_about(&self, run: &RunKey, firmware: &FirmwareHashes) -> bool {
        if !self.tests.iter().any(|pattern| pattern.matches(&run.test)) {
            return false;
        }
        let Some(place) = &self.file.r#where else { return true };
        let of_kind = place.devices.as_ref();
        let masks = place.harvesting.as_ref();
        let hash = firmware.get(&run.test.architecture).map(ToString::to_string);
        let has_firmware = |known: &[At<String>]| {
            let mut beginnings = known.iter().map(|at| &at.value);
            hash.as_ref().is_some_and(|hash| beginnings.any(|it| hash.starts_with(it)))
        };
        of_kind.is_none_or(|kinds| kinds.iter().any(|kind| kind.0 == run.device))
            && masks
                .is_none_or(|masks| masks.iter().any(|it| it.value == u64::from(run.harvesting)))
            && place.firmware.as_deref().is_none_or(has_firmware)
    }

    /// Whether the waiver excuses a result's failure.
    fn excuses(&self, result: &ResultLine) -> bool {
        if !result.needs_waiver() {
            return false;
        }
        let failure = self.file.verdict.0.name();
        // The signatures of other verdicts are only the submitter's word.
        let category = match (&result.verdict.0, &result.signature) {
            (Verdict::Fault | Verdict::Deadlock, Some(Signature::Fault { category, .. })) => {
                Some(category.name())
            }
            _ => None,
        };
        let output = self.file.output.as_ref();
        (result.verdict.0.name() == failure || category == Some(failure))
            && output.is_none_or(|output| differs_in(result, &output.text))
    }

    fn mistake(&self, message: String, span: Span, help: &str) -> LocatedMistake {
        let mistake = Mistake::new(message, span, help);
        LocatedMistake { file: self.source.clone(), mistake }
    }
}

/// Whether the differing object is this output or buffer.
fn differs_in(result: &ResultLine, output: &str) -> bool {
    result.verdict.0 == Verdict::Mismatch
        && matches!(&result.signature, Some(Signature::Differs { object, .. }) if object == output)
}

/// Notes the mistakes of a waiver that do not depend on its submission.
fn check(file: &WaiverFile, path: &str, mistakes: &mut Mistakes) {
    let id = &file.waiver;
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str());
    if stem != Some(&id.text) {
        mistakes.add::<()>(
            format!("the file of waiver `{}` has another name", id.text),
            id.span,
            format!("call it {}.yaml", id.text),
        );
    }
    if file.tests.is_empty() {
        mistakes.add::<()>("the waiver names no test", id.span, "add one to `tests`");
    }
    if file.matches.value == 0 {
        mistakes.add::<()>("a waiver excuses one test or more", file.matches.span, "");
    }
    if !file.issue.value.starts_with("https://") {
        mistakes.add::<()>("the issue is no link", file.issue.span, "write `https://…`");
    }
    for hash in file.r#where.iter().flat_map(|place| place.firmware.iter().flatten()) {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if !(SHORTEST_HASH..=64).contains(&hash.value.len()) || !hash.value.bytes().all(is_digit) {
            mistakes.add::<()>(
                format!("`{}` names no firmware", hash.value),
                hash.span,
                format!("write {SHORTEST_HASH} or more digits of the hash that records name"),
            );
        }
    }
    if file.until.value < file.from.value {
        mistakes.add::<()>("the waiver ends before it begins", file.until.span, "");
    }
}

/// Checks waivers before anything has run: their number, their durations, and their periods of validity.
///
/// # Errors
/// Each mistake with its position.
pub fn check_all(
    waivers: &[Waiver],
    profile: &LockedProfile,
    at: Timestamp,
) -> Result<(), SuiteMistakes> {
    let mut mistakes = Vec::new();
    let mut ids = BTreeSet::new();
    let at_most = usize::try_from(profile.waivers.at_most).unwrap_or(usize::MAX);
    for (index, waiver) in waivers.iter().enumerate() {
        let file = waiver.file();
        let place = file.waiver.span;
        if index == at_most {
            let all = counted(waivers.len(), "waiver", "waivers");
            let message = format!("{all} given; the profile admits at most {at_most}");
            mistakes.push(waiver.mistake(message, place, "remove those that are not needed"));
        }
        if !ids.insert(waiver.id()) {
            let message = format!("another waiver is called `{}`", waiver.id());
            mistakes.push(waiver.mistake(message, place, "give each waiver an id of its own"));
        }
        if !file.from.value.has_begun(at) {
            let message = format!("waiver `{}` does not count yet", waiver.id());
            mistakes.push(waiver.mistake(message, file.from.span, ""));
        }
        if file.until.value.is_over(at) {
            let message = format!("waiver `{}` has expired", waiver.id());
            let help = "ask the approver for another one, or remove it";
            mistakes.push(waiver.mistake(message, file.until.span, help));
        }
        let days = file.from.value.days_to(file.until.value);
        if days.is_none_or(|days| days > profile.waivers.longest_days.into()) {
            let longest = counted(profile.waivers.longest_days, "day", "days");
            let message = format!("waiver `{}` lasts longer than {longest}", waiver.id());
            mistakes.push(waiver.mistake(message, file.until.span, "the profile says how long"));
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(SuiteMistakes(mistakes)) }
}

/// Notes in each failing result the waiver that excuses it.
///
/// # Errors
/// A waiver excuses nothing, another number of tests than it states, a passing test, or a test that the profile
/// does not permit to be waived.
pub fn apply(
    waivers: &[Waiver],
    profile: &LockedProfile,
    firmware: &FirmwareHashes,
    results: &mut BTreeMap<RunKey, ResultLine>,
) -> Result<(), SuiteMistakes> {
    let never = profile.never_waived.iter();
    let never: Vec<FirstParts> = never.filter_map(|it| FirstParts::from_str(it).ok()).collect();
    let mut mistakes = Vec::new();
    for result in results.values_mut() {
        result.waiver = None;
    }
    for waiver in waivers {
        let mut excused: BTreeSet<&TestName> = BTreeSet::new();
        let mut about: BTreeSet<&TestName> = BTreeSet::new();
        let mut chosen = Vec::new();
        for (run, result) in results.iter().filter(|(run, _)| waiver.is_about(run, firmware)) {
            if !matches!(result.verdict.0, Verdict::Skipped { .. }) {
                about.insert(&run.test);
            }
            if waiver.excuses(result) {
                excused.insert(&run.test);
                chosen.push(run.clone());
            }
        }
        let file = waiver.file();
        let place = file.matches.span;
        let found = excused.len();
        if found == 0 {
            let message = format!("waiver `{}` excuses nothing", waiver.id());
            mistakes.push(waiver.mistake(message, file.waiver.span, "remove it"));
        } else if u64::try_from(found).ok() != Some(file.matches.value) {
            let tests = counted(found, "test", "tests");
            let message =
                format!("waiver `{}` excuses {tests}, not {}", waiver.id(), file.matches.value);
            mistakes.push(waiver.mistake(
                message,
                place,
                "a waiver says how many tests it excuses",
            ));
        }
        // A run with another failure is no pass; that failure is not excused.
        let passes = |test: &&TestName| {
            !excused.contains(test)
                && results
                    .iter()
                    .filter(|(run, _)| &run.test == *test)
                    .all(|(_, result)| !result.needs_waiver())
        };
        if let Some(passing) = about.iter().copied().find(|test| passes(test)) {
            let message = format!("waiver `{}` is about {passing}, which passes", waiver.id());
            mistakes.push(waiver.mistake(
                message,
                file.waiver.span,
                "name the failing tests alone",
            ));
        }
        let is_never = |test: &&&TestName| never.iter().any(|pattern| pattern.matches(test));
        if let Some(test) = excused.iter().find(is_never) {
            let message = format!("the profile lets nobody waive {test}");
            mistakes.push(waiver.mistake(message, file.waiver.span, "mend the failure"));
        }
        for run in chosen {
            if let Some(result) = results.get_mut(&run) {
                match &result.waiver {
                    Some(other) => {
                        let message = format!("waiver `{other}` excuses {} as well", run.test);
                        mistakes.push(waiver.mistake(message, file.waiver.span, "one is enough"));
                    }
                    None => result.waiver = Some(waiver.id().to_owned()),
                }
            }
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(SuiteMistakes(mistakes)) }
}
