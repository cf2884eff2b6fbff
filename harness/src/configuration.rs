//! Settings that a file gives instead of options: `hallmark.toml` in a root, and a file of the user's own.
//!
//! Of an option, a variable, the root's file and the user's file, the first that gives a setting counts. Only commands
//! about the tests of a root read the files: a certification, a package and the replay of a capture depend on nothing
//! that a stranger's root says.
//!
//! The root's file may come from a stranger, too. Unless the user trusts the root, its file names no library, no
//! executable, no card and no path outside the root (`trust`). Each file is read up to [`FILE_LIMIT`].

mod text;
mod trust;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ColorChoice;
use hallmark_chip::Architecture;
use hallmark_execution::executor::{Dispatch, ExecutorChoice, Executors, Purpose};
use hallmark_execution::worker::memory_budget::MemorySize;
use hallmark_suite::discover::{default_architectures, known_architectures};
use hallmark_suite::mistake::{LocatedMistake, Mistake, SourceText, SuiteMistakes};

use self::text::{FileSettings, Placed};
pub use self::text::{KEYS, read_text};

/// The name of a root's file.
pub const ROOT_FILE: &str = "hallmark.toml";

/// The bytes that a file may have.
pub const FILE_LIMIT: u64 = 64 * 1024;

/// The tests that may run at a time.
pub const JOBS: std::ops::RangeInclusive<i64> = 1..=1024;

/// The seconds that a run of a test may be given.
pub const TIMEOUTS: std::ops::RangeInclusive<i64> = 1..=86_400;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The root's, whoever wrote that.
    Root,
    /// The user's own.
    User,
}

/// A value and the file that gives it, as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// The file.
    pub file: Arc<str>,
}

/// The settings of both files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The architectures whose tests are meant.
    pub architectures: Option<Setting<Vec<Architecture>>>,
    /// The devices that tests run on.
    pub devices: BTreeMap<Architecture, Setting<ExecutorChoice>>,
    /// The devices that replay.
    pub replay_devices: BTreeMap<Architecture, Setting<ExecutorChoice>>,
    /// The folder of a firmware bundle.
    pub firmware: Option<Setting<PathBuf>>,
    /// Who launches programs.
    pub dispatch: Option<Setting<Dispatch>>,
    /// How many tests run at a time.
    pub jobs: Option<Setting<u16>>,
    /// The seconds that each run of a test has at least.
    pub timeout: Option<Setting<u32>>,
    /// The memory that each worker may take.
    pub memory: Option<Setting<MemorySize>>,
    /// When to use colours.
    pub color: Option<Setting<ColorChoice>>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// The file cannot be read.
    #[error("{file}: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reason.
        problem: String,
    },
    /// Mistakes in the file.
    #[error(transparent)]
    Mistakes(SuiteMistakes),
}

impl Configuration {
    /// Reads the file of a root, if there is a root, and the user's own, if it is known where that would be. Neither
    /// file needs to exist. `trusts` allows the root's file everything.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn read(
        root: Option<&Path>,
        user_file: Option<&Path>,
        trusts: bool,
    ) -> Result<Self, ConfigurationError> {
        let mut configuration = Self::default();
        let mut trusted_roots = Vec::new();
        if let Some(path) = user_file
            && let Some(bytes) = open(path, Owner::User)?
        {
            let folder = path.parent().unwrap_or(path);
            let source = source(path.display().to_string(), bytes)?;
            let settings = settings(&source, folder, Owner::User, |_| Vec::new())?;
            trusted_roots.clone_from(&settings.trusted_roots);
            configuration.add(settings, &source);
        }
        if let Some(root) = root
            && let Some(bytes) = open(&root.join(ROOT_FILE), Owner::Root)?
        {
            let trusts = trusts || trust::is_among(root, &trusted_roots);
            let source = source(ROOT_FILE.to_owned(), bytes)?;
            let refused = |settings: &FileSettings| {
                if trusts { Vec::new() } else { trust::refused(settings, root, user_file) }
            };
            let settings = settings(&source, root, Owner::Root, refused)?;
            configuration.add(settings, &source);
        }
        Ok(configuration)
    }

    /// Adds the settings of a file, which count more than those that are there.
    fn add(&mut self, settings: FileSettings, source: &SourceText) {
        let file: Arc<str> = source.path.as_str().into();
        let replace = Replace { file: Arc::clone(&file) };
        replace.in_place(&mut self.architectures, settings.architectures);
        replace.in_place(&mut self.firmware, settings.firmware.map(|it| it.value));
        replace.in_place(&mut self.dispatch, settings.dispatch);
        replace.in_place(&mut self.jobs, settings.jobs);
        replace.in_place(&mut self.timeout, settings.timeout.map(|it| it.value));
        replace.in_place(&mut self.memory, settings.memory.map(|it| it.value));
        replace.in_place(&mut self.color, settings.color);
        for (choices, of_file) in [
            (&mut self.devices, settings.devices),
            (&mut self.replay_devices, settings.replay_devices),
        ] {
            // An entry for one architecture counts more than one for all.
            let (of_one, of_all): (Vec<_>, Vec<_>) =
                of_file.into_iter().partition(|it| it.value.says_architecture().is_some());
            for choice in of_all.into_iter().chain(of_one) {
                for architecture in architectures_of(&choice.value) {
                    let file = Arc::clone(&file);
                    choices.insert(architecture, Setting { value: choice.value.clone(), file });
                }
            }
        }
    }

    /// The architectures whose tests are meant where no option says so.
    pub fn usual_architectures(&self) -> Vec<Architecture> {
        self.architectures.as_ref().map_or_else(default_architectures, |it| it.value.clone())
    }

    /// Changes each device of the files, where an option counts more than what the device's entry says.
    pub fn overrule(&mut self, change: impl Fn(&mut ExecutorChoice)) {
        let devices = self.devices.values_mut().chain(self.replay_devices.values_mut());
        devices.for_each(|device| change(&mut device.value));
    }

    /// The executors that the files choose.
    pub fn executors(&self, purpose: Purpose) -> Executors {
        let chosen = match purpose {
            Purpose::Capture => &self.devices,
            Purpose::Replay => &self.replay_devices,
        };
        Executors::of_files(chosen.iter().map(|(&it, choice)| (it, choice.value.clone())))
    }
}

/// Replaces settings by those of a file.
struct Replace {
    file: Arc<str>,
}

impl Replace {
    fn in_place<T>(&self, setting: &mut Option<Setting<T>>, value: Option<T>) {
        if let Some(value) = value {
            *setting = Some(Setting { value, file: Arc::clone(&self.file) });
        }
    }
}

/// The file of the user's own: `hallmark/config.toml` in `$XDG_CONFIG_HOME`, or in `~/.config`.
pub fn user_file(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    let folder = |name| variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    // The specification ignores relative paths.
    let configurations =
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(configurations?.join("hallmark/config.toml"))
}

/// The architectures that a choice is for: all if it is a simulator that names none.
fn architectures_of(choice: &ExecutorChoice) -> Vec<Architecture> {
    choice.says_architecture().map_or_else(known_architectures, |one| vec![one])
}

/// The bytes of a file, if it exists.
fn open(path: &Path, owner: Owner) -> Result<Option<Vec<u8>>, ConfigurationError> {
    let shown = match owner {
        Owner::Root => ROOT_FILE.to_owned(),
        Owner::User => path.display().to_string(),
    };
    let wrong = |problem: String| ConfigurationError::Unreadable { file: shown.clone(), problem };
    let unreadable = |error: io::Error| wrong(format!("cannot be read: {error}"));
    // A stranger's link would show lines of any file in messages.
    let metadata = match owner {
        Owner::Root => std::fs::symlink_metadata(path),
        Owner::User => std::fs::metadata(path),
    };
    match metadata {
        Ok(metadata) if metadata.is_symlink() => {
            let text = "is a symbolic link, and no link is followed; put the file itself there";
            return Err(wrong(text.to_owned()));
        }
        Ok(metadata) if !metadata.is_file() => return Err(wrong("is not a file".to_owned())),
        Ok(_) => {}
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(FILE_LIMIT.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_LIMIT {
        return Err(wrong(format!("has more than {} KiB", FILE_LIMIT / 1024)));
    }
    Ok(Some(bytes))
}

fn source(path: String, bytes: Vec<u8>) -> Result<SourceText, ConfigurationError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceText { path, text: text.into() }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let problem = format!("is not UTF-8 text: byte {at} belongs to no character");
            Err(ConfigurationError::Unreadable { file: path, problem })
        }
    }
}

/// The settings of a file, with what else can be wrong with them.
fn settings(
    source: &SourceText,
    folder: &Path,
    owner: Owner,
    refused: impl Fn(&FileSettings) -> Vec<Mistake>,
) -> Result<FileSettings, ConfigurationError> {
    let mistaken = |mistakes: Vec<Mistake>| {
        let locate = |mistake| LocatedMistake { file: source.clone(), mistake };
        let mistakes = mistakes.into_iter().map(locate).collect();
        ConfigurationError::Mistakes(SuiteMistakes(mistakes))
    };
    let settings = read_text(&source.text, folder, owner).map_err(mistaken)?;
    let mut mistakes = refused(&settings);
    if mistakes.is_empty() {
        mistakes = unusable(&settings);
    }
    if mistakes.is_empty() { Ok(settings) } else { Err(mistaken(mistakes)) }
}

/// Folders that are not there, and executors that cannot do what they are for.
fn unusable(settings: &FileSettings) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let firmware = settings.firmware.as_ref().filter(|folder| !folder.value.is_dir());
    if let Some(Placed { value, span }) = firmware {
        let message = format!("there is no firmware folder {}", value.display());
        mistakes.push(Mistake::new(message, *span, "name a folder with a manifest"));
    }
    for (choices, purpose) in
        [(&settings.devices, Purpose::Capture), (&settings.replay_devices, Purpose::Replay)]
    {
        for (index, Placed { value, span }) in choices.iter().enumerate() {
            let architecture = value.says_architecture();
            let mut before = choices.iter().take(index);
            if before.any(|earlier| earlier.value.says_architecture() == architecture) {
                let of = architecture.map_or("all architectures".to_owned(), |it| it.to_string());
                let message = format!("this is the second device of {of}");
                mistakes.push(Mistake::new(message, *span, "keep one of the two"));
            }
            for architecture in architectures_of(value) {
                if let Err(error) = purpose.admits(value, architecture) {
                    mistakes.push(Mistake::new(error.to_string(), *span, ""));
                    break;
                }
            }
        }
    }
    mistakes
}

#[cfg(test)]
mod tests;
