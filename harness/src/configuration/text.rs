//! The text of a configuration file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ColorChoice;
use hallmark_chip::Architecture;
use hallmark_execution::executor::{Dispatch, ExecutorChoice};
use hallmark_execution::worker::memory_budget::MemorySize;
use hallmark_suite::mistake::{Mistake, Mistakes, Span, suggest};
use serde::Deserialize;
use toml::Spanned;

use super::{JOBS, Owner, TIMEOUTS};

/// The keys that a file may have. The last one is for the user's own file alone.
pub const KEYS: [&str; 10] = [
    "architectures",
    "devices",
    "replay_devices",
    "firmware",
    "dispatch",
    "jobs",
    "timeout",
    "memory",
    "color",
    "trusted_roots",
];

/// The keys of a file as they are written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    architectures: Option<Spanned<Vec<Spanned<String>>>>,
    devices: Option<Vec<Spanned<String>>>,
    replay_devices: Option<Vec<Spanned<String>>>,
    firmware: Option<Spanned<String>>,
    dispatch: Option<Spanned<String>>,
    jobs: Option<Spanned<i64>>,
    timeout: Option<Spanned<i64>>,
    memory: Option<Spanned<String>>,
    color: Option<Spanned<String>>,
    trusted_roots: Option<Spanned<Vec<Spanned<String>>>>,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// The settings of one file.
#[derive(Clone, Debug, Default)]
pub struct FileSettings {
    pub(super) architectures: Option<Vec<Architecture>>,
    pub(super) devices: Vec<Placed<ExecutorChoice>>,
    pub(super) replay_devices: Vec<Placed<ExecutorChoice>>,
    pub(super) firmware: Option<Placed<PathBuf>>,
    pub(super) dispatch: Option<Dispatch>,
    pub(super) jobs: Option<u16>,
    pub(super) timeout: Option<Placed<u32>>,
    pub(super) memory: Option<Placed<MemorySize>>,
    pub(super) color: Option<ColorChoice>,
    pub(super) trusted_roots: Vec<PathBuf>,
}

/// Reads a file's text, whose paths are relative to a folder. Nothing but the text is looked at.
///
/// # Errors
/// The mistakes in it.
pub fn read_text(text: &str, folder: &Path, owner: Owner) -> Result<FileSettings, Vec<Mistake>> {
    let written: Written =
        toml::from_str(text).map_err(|error| vec![mistake_of_toml(&error, text, owner)])?;
    let mut reader = Reader { folder, mistakes: Mistakes::default() };
    let settings = reader.settings(written, owner);
    if reader.mistakes.is_empty() { Ok(settings) } else { Err(reader.mistakes.into_list()) }
}

/// The keys of a file of this owner.
fn keys(owner: Owner) -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().filter(move |key| owner == Owner::User || *key != "trusted_roots")
}

/// A mistake that the parser found: no TOML, an unknown key, or a value of another type.
fn mistake_of_toml(error: &toml::de::Error, text: &str, owner: Owner) -> Mistake {
    let span = error.span().unwrap_or_default();
    let at = span_of(span.clone());
    if error.message().starts_with("unknown field") {
        let key = text.get(span).unwrap_or_default();
        let help = match key {
            "arch" => "did you mean `architectures`?".to_owned(),
            _ => suggest(key, keys(owner)),
        };
        return Mistake::new(format!("there is no setting `{key}`"), at, help);
    }
    Mistake::new(error.message(), at, "")
}

fn span_of(range: Range<usize>) -> Span {
    Span { start: range.start, length: range.len(), file: 0 }
}

struct Reader<'f> {
    folder: &'f Path,
    mistakes: Mistakes,
}

impl Reader<'_> {
    fn settings(&mut self, written: Written, owner: Owner) -> FileSettings {
        let Written {
            architectures,
            devices,
            replay_devices,
            firmware,
            dispatch,
            jobs,
            timeout,
            memory,
            color,
            trusted_roots,
        } = written;
        if let (Some(roots), Owner::Root) = (&trusted_roots, owner) {
            let help = "write `trusted_roots` in your own file; `hallmark doctor` names it";
            let text = "a root's file cannot say which roots are trusted";
            self.mistakes.add::<()>(text, span_of(roots.span()), help);
        }
        let modes = Dispatch::ALL.map(Dispatch::name);
        FileSettings {
            architectures: architectures.and_then(|them| self.architectures(&them)),
            devices: self.executors(devices.unwrap_or_default()),
            replay_devices: self.executors(replay_devices.unwrap_or_default()),
            firmware: firmware.and_then(|folder| self.folder(&folder)),
            dispatch: dispatch.and_then(|it| self.word(&it, Dispatch::named, &modes)),
            jobs: jobs.and_then(|jobs| self.jobs(&jobs)),
            timeout: timeout.and_then(|seconds| self.timeout(&seconds)),
            memory: memory.and_then(|it| {
                let value = self.parsed::<MemorySize, _>(&it)?;
                Some(Placed { value, span: span_of(it.span()) })
            }),
            color: color.and_then(|it| {
                let named = |word: &str| word.parse().ok();
                self.word(&it, named, &["auto", "always", "never"])
            }),
            trusted_roots: self.roots(trusted_roots),
        }
    }

    fn parsed<T, E>(&mut self, text: &Spanned<String>) -> Option<T>
    where
        T: FromStr<Err = E>,
        E: std::fmt::Display,
    {
        match text.get_ref().parse() {
            Ok(value) => Some(value),
            Err(error) => self.mistakes.add(error.to_string(), span_of(text.span()), ""),
        }
    }

    fn word<T>(
        &mut self,
        text: &Spanned<String>,
        named: impl Fn(&str) -> Option<T>,
        words: &[&'static str],
    ) -> Option<T> {
        let word = text.get_ref();
        named(word).or_else(|| {
            let help = suggest(word, words.iter().copied());
            self.mistakes.add(format!("`{word}` is not possible here"), span_of(text.span()), help)
        })
    }

    fn architectures(&mut self, all: &Spanned<Vec<Spanned<String>>>) -> Option<Vec<Architecture>> {
        if all.get_ref().is_empty() {
            let help = "name one, or leave the line out";
            return self.mistakes.add("no architecture is named", span_of(all.span()), help);
        }
        let mut architectures = Vec::new();
        for text in all.get_ref() {
            match Architecture::named_by_user(text.get_ref()) {
                Ok(architecture) => architectures.push(architecture),
                Err(error) => {
                    self.mistakes.add::<()>(error.to_string(), span_of(text.span()), "");
                }
            }
        }
        architectures.sort_unstable();
        architectures.dedup();
        Some(architectures)
    }

    fn executors(&mut self, texts: Vec<Spanned<String>>) -> Vec<Placed<ExecutorChoice>> {
        let mut choices = Vec::new();
        for text in texts {
            let span = span_of(text.span());
            match ExecutorChoice::written_in(self.folder, text.get_ref()) {
                // Which one would depend on the command's tests.
                Ok(choice) if choice.says_architecture().is_none() && choice.device.is_some() => {
                    let help = format!("write `ARCHITECTURE={}`", text.get_ref());
                    self.mistakes.add::<()>("its architecture is missing", span, help);
                }
                Ok(value) => choices.push(Placed { value, span }),
                Err(error) => {
                    self.mistakes.add::<()>(error.to_string(), span, "");
                }
            }
        }
        choices
    }

    fn folder(&mut self, text: &Spanned<String>) -> Option<Placed<PathBuf>> {
        let span = span_of(text.span());
        if text.get_ref().is_empty() {
            return self.mistakes.add("the path is empty", span, "");
        }
        let path = self.folder.join(text.get_ref());
        // Workers have another current folder.
        let value = std::path::absolute(&path).unwrap_or(path);
        Some(Placed { value, span })
    }

    fn jobs(&mut self, number: &Spanned<i64>) -> Option<u16> {
        let jobs = u16::try_from(*number.get_ref()).ok();
        jobs.filter(|_| JOBS.contains(number.get_ref())).or_else(|| {
            let help = format!("a number from {} to {}", JOBS.start(), JOBS.end());
            let text = format!("{} is not a possible number of tests at a time", number.get_ref());
            self.mistakes.add(text, span_of(number.span()), help)
        })
    }

    fn timeout(&mut self, number: &Spanned<i64>) -> Option<Placed<u32>> {
        let span = span_of(number.span());
        let seconds = u32::try_from(*number.get_ref()).ok();
        match seconds.filter(|_| TIMEOUTS.contains(number.get_ref())) {
            Some(value) => Some(Placed { value, span }),
            None => {
                let help = format!("a number from {} to {}", TIMEOUTS.start(), TIMEOUTS.end());
                let text = format!("{} is not a possible number of seconds", number.get_ref());
                self.mistakes.add(text, span, help)
            }
        }
    }

    fn roots(&mut self, roots: Option<Spanned<Vec<Spanned<String>>>>) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for text in roots.map(Spanned::into_inner).unwrap_or_default() {
            let folder = PathBuf::from(text.get_ref());
            if folder.is_absolute() {
                folders.push(folder);
            } else {
                let help = "write the whole path, from `/` on";
                let message = format!("`{}` is not a whole path", text.get_ref());
                self.mistakes.add::<()>(message, span_of(text.span()), help);
            }
        }
        folders
    }
}
