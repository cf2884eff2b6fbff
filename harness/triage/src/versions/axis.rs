//! Axes of versions in the command line's spelling: `firmware=fw/18.*,fw/19.*`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{
    ExecutorChoice, ExecutorError, ProgramSettings, Release, agree,
};
use hallmark_execution::whole_file;
use hallmark_execution::worker::job_file::CAPTURE_LIMIT;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash};
use hallmark_suite::contents_hash::add_folder;
use thiserror::Error;

use super::natural_order::natural_order;
use crate::commits::Commit;

/// The largest number of versions on an axis.
const MOST_VERSIONS: usize = 10_000;
/// The largest list of versions, bytes.
const LIST_LIMIT: u64 = 4 << 20;

/// The kind of an axis's versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AxisKind {
    /// Whole executors; other axes replace parts of them.
    Executor,
    /// Executables of Hallmark.
    Hallmark,
    /// Simulators' libraries.
    Ttsim,
    /// Folders of firmware bundles.
    Firmware,
    /// Folders of prebuilt kernels.
    Kernels,
    /// Captures.
    Capture,
}

impl AxisKind {
    /// Every kind, in the order in which versions are combined.
    pub const ALL: [Self; 6] =
        [Self::Executor, Self::Hallmark, Self::Ttsim, Self::Firmware, Self::Kernels, Self::Capture];

    /// The spelling.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Executor => "executor",
            Self::Hallmark => "hallmark",
            Self::Ttsim => "ttsim",
            Self::Firmware => "firmware",
            Self::Kernels => "kernels",
            Self::Capture => "capture",
        }
    }

    /// The spelling of the version without a path, if there is one.
    const fn own(self) -> Option<&'static str> {
        match self {
            Self::Hallmark => Some("this"),
            Self::Firmware | Self::Kernels => Some("builtin"),
            Self::Executor | Self::Ttsim | Self::Capture => None,
        }
    }
}

impl fmt::Display for AxisKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An axis as written, before any file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisText {
    /// The kind of its versions.
    pub kind: AxisKind,
    /// Paths, patterns, `@` followed by a file with one entry per line, or executors.
    pub values: Vec<String>,
}

impl FromStr for AxisText {
    type Err = AxisError;

    fn from_str(text: &str) -> Result<Self, AxisError> {
        let unknown = || AxisError::Unknown { text: text.to_owned() };
        let (name, values) = text.split_once('=').ok_or_else(unknown)?;
        let kind =
            AxisKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)?;
        let values: Vec<String> = values
            .split(',')
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect();
        if values.is_empty() { Err(AxisError::Empty { kind }) } else { Ok(Self { kind, values }) }
    }
}

impl AxisText {
    /// The name of its first version, with patterns and lists expanded.
    ///
    /// # Errors
    /// A named file does not exist or cannot be read.
    pub fn first(&self) -> Result<String, AxisError> {
        names(self)?.into_iter().next().ok_or(AxisError::Empty { kind: self.kind })
    }
}

/// What a build makes of a commit, as an axis names it: a whole version, or the part of an executor that stands in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildProduct {
    kind: AxisKind,
    /// The path, relative to the repository.
    path: String,
    /// The text of the executor before and behind the braces.
    around: (String, String),
}

impl BuildProduct {
    /// The product that an axis beside `--git` names.
    ///
    /// # Errors
    /// The axis names captures or several products, or an executor with no braces or several.
    pub fn of(axis: &AxisText) -> Result<Self, AxisError> {
        let kind = axis.kind;
        if kind == AxisKind::Capture {
            return Err(AxisError::NoProduct { kind });
        }
        let [value] = axis.values.as_slice() else { return Err(AxisError::SeveralProducts) };
        if kind != AxisKind::Executor {
            return Ok(Self { kind, path: value.clone(), around: (String::new(), String::new()) });
        }
        let parts: Vec<&str> = value.split(['{', '}']).collect();
        match parts.as_slice() {
            [before, path, after] if value.find('{') < value.find('}') => Ok(Self {
                kind,
                path: (*path).to_owned(),
                around: ((*before).to_owned(), (*after).to_owned()),
            }),
            _ => Err(AxisError::NoProductInExecutor { text: value.clone() }),
        }
    }

    /// The path, relative to the repository.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The version, as an axis names it, whose product lies at a place.
    fn spelling(&self, place: &Path) -> String {
        let (before, after) = &self.around;
        format!("{before}{}{after}", place.display())
    }

    fn executor(&self, place: &Path) -> Result<ExecutorChoice, ExecutorError> {
        self.spelling(place).parse()
    }

    /// A library that is not the product has to be there before the first build, which may take hours.
    fn check_what_no_build_makes(&self, place: &Path) -> Result<(), AxisError> {
        if self.kind == AxisKind::Executor
            && let Some(DeviceSpec::Ttsim(chip)) = self.executor(place)?.device
            && !chip.path.starts_with(place)
            && !chip.path.is_file()
        {
            let text = chip.path.display().to_string();
            return Err(AxisError::Absent { kind: AxisKind::Ttsim, text });
        }
        Ok(())
    }

    /// The version as the command line names it.
    pub fn text(&self) -> String {
        let Self { kind, path, around: (before, after) } = self;
        match kind {
            AxisKind::Executor => format!("{before}{{{path}}}{after}"),
            AxisKind::Hallmark
            | AxisKind::Ttsim
            | AxisKind::Firmware
            | AxisKind::Kernels
            | AxisKind::Capture => path.clone(),
        }
    }

    /// Why what a build has made cannot be run, if it cannot.
    pub fn unusable(&self, place: &Path, context: &AxisContext) -> Option<String> {
        match version(self.kind, self.spelling(place), context) {
            Ok(Version { part: Part::Executor(choice), .. }) => {
                unusable_executor(&choice, context).err()
            }
            Ok(version) => version.unusable,
            Err(error) => Some(error.to_string()),
        }
    }
}

/// An axis that cannot be searched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AxisError {
    /// The text is not an axis.
    #[error(
        "`{text}` is no axis of versions; write {}=VERSION,VERSION… with one of these names",
        AxisKind::ALL.map(AxisKind::name).join("|")
    )]
    Unknown {
        /// The text.
        text: String,
    },
    /// The axis has no versions.
    #[error("the axis {kind} names no version; write {kind}=VERSION,VERSION…")]
    Empty {
        /// The axis.
        kind: AxisKind,
    },
    /// A repeated axis.
    #[error("the axis {kind} stands twice; write all its versions behind one name")]
    Twice {
        /// The axis.
        kind: AxisKind,
    },
    /// The axis has only one version.
    #[error("the axis {kind} has one version, `{version}`{}; it takes two that differ", alike_words(*.alike))]
    OneVersion {
        /// The axis.
        kind: AxisKind,
        /// Its version.
        version: String,
        /// The number of other versions with the same content.
        alike: usize,
    },
    /// The axis has too many versions.
    #[error("the axis {kind} has more than {MOST_VERSIONS} versions; name a part of them")]
    TooMany {
        /// The axis.
        kind: AxisKind,
    },
    /// An invalid pattern.
    #[error("{kind}={pattern}: {error}")]
    Pattern {
        /// The axis.
        kind: AxisKind,
        /// The pattern.
        pattern: String,
        /// The problem.
        error: glob::PatternError,
    },
    /// No file matches the path or the pattern.
    #[error("{kind}={text}: there is no such {}", wanted(*.kind))]
    Absent {
        /// The axis.
        kind: AxisKind,
        /// The path or pattern.
        text: String,
    },
    /// A file or folder that cannot be read.
    #[error("{kind}: {} cannot be read: {error}", path.display())]
    Unreadable {
        /// The axis.
        kind: AxisKind,
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// A file that is not a capture.
    #[error("{}: {error}", path.display())]
    NoCapture {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: Box<CaptureError>,
    },
    /// A capture whose architecture differs from that of the others.
    #[error("{} is of {found}, and the search is of {expected}", path.display())]
    OtherArchitecture {
        /// The capture.
        path: PathBuf,
        /// Its architecture.
        found: Architecture,
        /// The others' architecture.
        expected: Architecture,
    },
    /// A kind that no build makes.
    #[error(
        "--git takes no --axis {kind}; write firmware=PATH, kernels=PATH, hallmark=PATH, ttsim=PATH or executor=…{{PATH}}…"
    )]
    NoProduct {
        /// The axis.
        kind: AxisKind,
    },
    /// An executor that does not name exactly one product of a build.
    #[error(
        "with --git, an executor contains the product of a build once, in braces and relative to the repository, and `{text}` does not: write executor=metalium:{{build/site}}@ttsim:LIBRARY"
    )]
    NoProductInExecutor {
        /// The executor.
        text: String,
    },
    /// More than one product.
    #[error(
        "beside --git, --axis names one file or folder: the product of a build, relative to the repository"
    )]
    SeveralProducts,
    /// An invalid executor.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
}

fn alike_words(alike: usize) -> String {
    if alike == 0 { String::new() } else { format!(", and {alike} more with the same contents") }
}

const fn wanted(kind: AxisKind) -> &'static str {
    match kind {
        AxisKind::Executor => "executor",
        AxisKind::Hallmark => "executable",
        AxisKind::Ttsim => "library",
        AxisKind::Firmware | AxisKind::Kernels => "folder",
        AxisKind::Capture => "capture",
    }
}

/// The part of an executor that a version replaces, or a capture.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Executor(Box<ExecutorChoice>),
    /// `None` for this release.
    Hallmark(Option<PathBuf>),
    Ttsim(PathBuf),
    /// `None` for the built-in firmware.
    Firmware(Option<PathBuf>),
    Kernels(Option<PathBuf>),
    Capture(Arc<Capture>),
}

/// One version on an axis.
#[derive(Clone, Debug)]
pub struct Version {
    /// The name as written or found.
    pub name: String,
    /// Whether it is a commit, whose product exists once it is built.
    pub is_commit: bool,
    /// The later versions with the same content.
    pub alike: Vec<String>,
    /// The hash of its content.
    pub hash: ContentHash,
    /// Why it cannot be run, if it cannot.
    pub unusable: Option<String>,
    pub(super) part: Part,
}

impl Version {
    /// The version as an executor or `--axis` names it.
    pub(super) fn spelling(&self) -> String {
        match &self.part {
            Part::Ttsim(path)
            | Part::Hallmark(Some(path))
            | Part::Firmware(Some(path))
            | Part::Kernels(Some(path))
                if self.is_commit =>
            {
                path.display().to_string()
            }
            Part::Executor(choice) if self.is_commit => choice.to_string(),
            _ => self.name.clone(),
        }
    }
}

/// An axis of versions, in order.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The kind of versions.
    pub kind: AxisKind,
    /// At least two versions; neighbours have different contents.
    pub versions: Vec<Version>,
}

/// The context in which axes are read.
#[derive(Clone, Copy, Debug)]
pub struct AxisContext {
    /// The architecture of its captures.
    pub architecture: Architecture,
    /// Whether this release loads the firmware, so that it knows which bundles it can use.
    pub loads_firmware: bool,
}

impl Axis {
    /// Reads the versions of an axis.
    ///
    /// # Errors
    /// A version does not exist or cannot be read, or there are fewer than two versions.
    pub fn read(text: &AxisText, context: &AxisContext) -> Result<Self, AxisError> {
        let kind = text.kind;
        let mut versions: Vec<Version> = Vec::new();
        for name in names(text)? {
            let version = version(kind, name, context)?;
            match versions.last_mut() {
                Some(last) if last.hash == version.hash => last.alike.push(version.name),
                Some(_) | None => versions.push(version),
            }
            if versions.len() > MOST_VERSIONS {
                return Err(AxisError::TooMany { kind });
            }
        }
        match versions.as_slice() {
            [] => Err(AxisError::Empty { kind }),
            [only] => {
                let (version, alike) = (only.name.clone(), only.alike.len());
                Err(AxisError::OneVersion { kind, version, alike })
            }
            [_, _, ..] => Ok(Self { kind, versions }),
        }
    }

    /// The commits of a repository as versions, each with the place where its product will lie.
    ///
    /// # Errors
    /// No build makes a version of the kind, the executor cannot be read, or there are too many commits.
    pub fn of_commits(
        product: &BuildProduct,
        commits: &[Commit],
        place: impl Fn(&Commit) -> PathBuf,
    ) -> Result<Self, AxisError> {
        let kind = product.kind;
        if let Some(first) = commits.first() {
            product.check_what_no_build_makes(&place(first))?;
        }
        let version = |commit: &Commit| {
            let path = place(commit);
            let part = match kind {
                AxisKind::Hallmark => Part::Hallmark(Some(path)),
                AxisKind::Ttsim => Part::Ttsim(path),
                AxisKind::Firmware => Part::Firmware(Some(path)),
                AxisKind::Kernels => Part::Kernels(Some(path)),
                AxisKind::Executor => Part::Executor(Box::new(product.executor(&path)?)),
                AxisKind::Capture => return Err(AxisError::NoProduct { kind }),
            };
            Ok(Version {
                name: commit.to_string(),
                is_commit: true,
                alike: Vec::new(),
                hash: ContentHash::of(commit.id.as_bytes()),
                unusable: None,
                part,
            })
        };
        let versions: Result<Vec<Version>, AxisError> = commits.iter().map(version).collect();
        let versions = versions?;
        if versions.len() > MOST_VERSIONS {
            return Err(AxisError::TooMany { kind });
        }
        Ok(Self { kind, versions })
    }

    /// Reads several axes, in the order in which versions are combined.
    ///
    /// # Errors
    /// As [`Axis::read`]; or a kind is repeated.
    pub fn read_all(texts: &[AxisText], context: &AxisContext) -> Result<Vec<Self>, AxisError> {
        let mut axes: Vec<Self> = Vec::new();
        for text in texts {
            if axes.iter().any(|axis| axis.kind == text.kind) {
                return Err(AxisError::Twice { kind: text.kind });
            }
            axes.push(Self::read(text, context)?);
        }
        axes.sort_by_key(|axis| axis.kind);
        Ok(axes)
    }
}

/// The names of an axis's versions, with patterns and lists expanded.
fn names(text: &AxisText) -> Result<Vec<String>, AxisError> {
    let kind = text.kind;
    let mut names = Vec::new();
    for value in &text.values {
        let listed = match value.strip_prefix('@') {
            None => vec![value.clone()],
            Some(list) => lines(kind, Path::new(list))?,
        };
        for value in listed {
            // An existing file takes precedence over a pattern.
            let is_pattern = value.contains(['*', '?', '[']) && !Path::new(&value).exists();
            if kind != AxisKind::Executor && is_pattern {
                names.extend(matching(kind, &value)?);
            } else {
                names.push(value);
            }
        }
    }
    Ok(names)
}

fn lines(kind: AxisKind, list: &Path) -> Result<Vec<String>, AxisError> {
    let unreadable = |error| AxisError::Unreadable { kind, path: list.to_owned(), error };
    let bytes = whole_file::read(list, LIST_LIMIT).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

/// The matches of a pattern, in natural order.
fn matching(kind: AxisKind, pattern: &str) -> Result<Vec<String>, AxisError> {
    let paths = glob::glob(pattern).map_err(|error| AxisError::Pattern {
        kind,
        pattern: pattern.to_owned(),
        error,
    })?;
    let mut names = Vec::new();
    for path in paths {
        let path = path.map_err(|error| AxisError::Unreadable {
            kind,
            path: error.path().to_owned(),
            error: error.into(),
        })?;
        names.push(path.display().to_string());
    }
    if names.is_empty() {
        return Err(AxisError::Absent { kind, text: pattern.to_owned() });
    }
    names.sort_by(|left, right| natural_order(left, right));
    Ok(names)
}

fn version(kind: AxisKind, name: String, context: &AxisContext) -> Result<Version, AxisError> {
    // Workers have another current folder, so the path must be absolute.
    let path = std::path::absolute(&name).unwrap_or_else(|_| PathBuf::from(&name));
    let absent = || AxisError::Absent { kind, text: name.clone() };
    if kind.own() == Some(name.as_str()) {
        return own_version(kind, name, context);
    }
    let unreadable =
        |path: &Path, error| AxisError::Unreadable { kind, path: path.to_owned(), error };
    let mut unusable = None;
    let (part, hash) = match kind {
        AxisKind::Executor => {
            let choice: ExecutorChoice = name.parse()?;
            choice.check_folders()?;
            let hash = ContentHash::of(choice.to_string().as_bytes());
            (Part::Executor(Box::new(choice)), hash)
        }
        AxisKind::Hallmark | AxisKind::Ttsim => {
            if !path.is_file() {
                return Err(absent());
            }
            let hash = file_hash(&path).map_err(|error| unreadable(&path, error))?;
            if kind == AxisKind::Ttsim {
                (Part::Ttsim(path), hash)
            } else {
                unusable = agree(&path).err().map(|error| error.to_string());
                (Part::Hallmark(Some(path)), hash)
            }
        }
        AxisKind::Firmware | AxisKind::Kernels => {
            if !path.is_dir() {
                return Err(absent());
            }
            let mut hasher = blake3::Hasher::new();
            add_folder(&mut hasher, &path).map_err(|(path, error)| unreadable(&path, error))?;
            let mut hash = ContentHash(*hasher.finalize().as_bytes());
            if kind == AxisKind::Kernels {
                (Part::Kernels(Some(path)), hash)
            } else {
                match FirmwareBundle::load(&path, context.architecture) {
                    // Other files in the folder are not read.
                    Ok(bundle) => hash = bundle.hash(),
                    Err(error) if context.loads_firmware => {
                        unusable = Some(error.problem.to_string());
                    }
                    // Another release may be able to load it.
                    Err(_) => {}
                }
                (Part::Firmware(Some(path)), hash)
            }
        }
        AxisKind::Capture => {
            if !path.is_file() {
                return Err(absent());
            }
            let bytes = whole_file::read(&path, CAPTURE_LIMIT);
            let bytes = bytes.map_err(|error| unreadable(&path, error))?;
            let hash = ContentHash::of(&bytes);
            let capture = Capture::from_bytes(&bytes).map_err(|error| AxisError::NoCapture {
                path: path.clone(),
                error: Box::new(error),
            })?;
            let (found, expected) = (capture.program.architecture, context.architecture);
            if found != expected {
                return Err(AxisError::OtherArchitecture { path, found, expected });
            }
            (Part::Capture(Arc::new(capture)), hash)
        }
    };
    Ok(Version { name, is_commit: false, alike: Vec::new(), hash, unusable, part })
}

/// The built-in version, with the same hash as a file or folder of equal content.
fn own_version(kind: AxisKind, name: String, context: &AxisContext) -> Result<Version, AxisError> {
    let by_name = ContentHash::of(name.as_bytes());
    let (part, hash) = match kind {
        AxisKind::Hallmark => {
            let path = std::env::current_exe();
            let hash = path.and_then(|path| file_hash(&path));
            (Part::Hallmark(None), hash.unwrap_or(by_name))
        }
        // Kernels are not in one folder.
        AxisKind::Kernels => (Part::Kernels(None), by_name),
        AxisKind::Firmware | AxisKind::Executor | AxisKind::Ttsim | AxisKind::Capture => {
            let bundle = FirmwareBundle::builtin(context.architecture);
            (Part::Firmware(None), bundle.map_or(by_name, |bundle| bundle.hash()))
        }
    };
    Ok(Version { name, is_commit: false, alike: Vec::new(), hash, unusable: None, part })
}

/// Why an executor cannot carry out anything, as far as its files tell.
fn unusable_executor(choice: &ExecutorChoice, context: &AxisContext) -> Result<(), String> {
    fn said(error: impl fmt::Display) -> String {
        error.to_string()
    }
    match &choice.release {
        Release::Other(executable) => {
            agree(executable).map_err(said)?;
        }
        Release::This => {
            if let Some(firmware) = &choice.firmware {
                FirmwareBundle::load(firmware, context.architecture).map_err(said)?;
            }
        }
        Release::Metalium(_) => {}
    }
    let executor = choice.executor(context.architecture, &ProgramSettings::default());
    let worker = std::env::current_exe().map_err(said)?;
    executor.identity(&worker).map(drop).map_err(said)
}

/// The hash of a file's bytes.
fn file_hash(path: &Path) -> io::Result<ContentHash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    Ok(ContentHash(*hasher.finalize().as_bytes()))
}

#[cfg(test)]
mod tests;
