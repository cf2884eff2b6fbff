//! The kernels' sources with the user's own files that they include, under paths that do not depend on the
//! machine: the same command gives the same paths and bytes wherever it is recorded.
//!
//! A file below TT-Metalium's root keeps its path below that root. Any other file gets its path below the
//! folder that contains a kernel with all its includes. The release's own headers, below `tt_metal`, are left
//! out, because every site has them.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use hallmark_device_code::bindings::BindingForms;
use hallmark_device_code::{includes, includes_in_folders, lexical, normalize};
use hallmark_metalium::tiles;
use hallmark_schema::model::{Blobs, ContentHash, KernelBindings, SourceFile};

use super::bindings;
use super::missing::Inconvertible;
use crate::event::{KernelDescription, KernelText, ObservedProgram};

/// The folders, relative to TT-Metalium's root, in which includes are searched after the including file's own
/// folder; the release's other include folders are all below `tt_metal`.
const INCLUDE_FOLDERS: [&str; 3] = ["", "ttnn", "ttnn/cpp"];

/// The folder below the root with the release's headers.
const RELEASE_HEADERS: &str = "tt_metal";

/// The folder in the capture for kernels outside the root.
const OTHER_KERNELS: &str = "kernels";

/// The largest source, bytes.
const SOURCE_BYTES: u64 = 4 << 20;

/// Reads a file that a kernel includes; `None` if the file does not exist.
pub type ReadSource<'r> = &'r dyn Fn(&Path) -> Option<Vec<u8>>;

/// Reads a file of at most 4 MiB; `None` if the file does not exist or is larger.
pub fn read_source(path: &Path) -> Option<Vec<u8>> {
    let file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    let read = file.take(SOURCE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= SOURCE_BYTES).then_some(bytes)
}

/// The machine-independent place of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    /// Its path in the capture.
    Known(String),
    /// Its path on the machine, `.` and `..` resolved.
    Machine(PathBuf),
}

impl Location {
    /// The location of a file that is named relative to this one's folder.
    fn beside(&self, name: &str) -> Option<Self> {
        match self {
            Self::Known(path) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                normalize(format!("{folder}/{name}").trim_start_matches('/')).map(Self::Known)
            }
            Self::Machine(path) => Some(Self::Machine(lexical(&path.parent()?.join(name)))),
        }
    }

    /// The same place with a suffix to the file name, before the extension.
    fn with_suffix(&self, suffix: &str) -> Self {
        let renamed = |name: &str| match name.rsplit_once('.') {
            Some((stem, extension)) => format!("{stem}-{suffix}.{extension}"),
            None => format!("{name}-{suffix}"),
        };
        match self {
            Self::Known(path) => Self::Known(match path.rsplit_once('/') {
                Some((folder, name)) => format!("{folder}/{}", renamed(name)),
                None => renamed(path),
            }),
            Self::Machine(path) => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                Self::Machine(path.with_file_name(renamed(&name.unwrap_or_default())))
            }
        }
    }
}

/// A kernel's source in the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KernelSource {
    /// Its path among the capture's sources.
    pub(super) path: String,
    /// The path as the host program passed it; empty if the program passed the text.
    pub(super) original: String,
    /// The names that TT-Metalium generated definitions of.
    pub(super) bindings: Option<KernelBindings>,
    /// Whether generated text precedes the source.
    pub(super) has_text: bool,
}

/// The identity of a kernel: its program and handle.
pub(super) type KernelKey = (ObservedProgram, usize);

/// A kernel whose path is not known yet.
struct CollectedKernel {
    location: Location,
    original: String,
    bindings: Option<KernelBindings>,
    has_text: bool,
}

/// Collects the sources of a recording.
pub(super) struct SourceCollector<'r> {
    root: PathBuf,
    read: ReadSource<'r>,
    forms: &'r BindingForms,
    files: BTreeMap<Location, Vec<u8>>,
    kernels: BTreeMap<KernelKey, CollectedKernel>,
    /// Folders outside the root that contain kernels with all their includes, in the order of their first use.
    folders: Vec<PathBuf>,
}

/// The sources of a capture.
#[derive(Debug, Default)]
pub(super) struct Sources {
    files: BTreeMap<String, Vec<u8>>,
    kernels: BTreeMap<KernelKey, KernelSource>,
    /// A header asks for the tiles of circular buffers.
    headers_ask_for_tiles: bool,
}

impl<'r> SourceCollector<'r> {
    pub(super) fn new(root: &str, read: ReadSource<'r>, forms: &'r BindingForms) -> Self {
        Self {
            root: lexical(Path::new(root)),
            read,
            forms,
            files: BTreeMap::new(),
            kernels: BTreeMap::new(),
            folders: Vec::new(),
        }
    }

    /// Adds a kernel's source and all its includes. Generated definitions that have none of the release's forms precede
    /// the source as text.
    pub(super) fn add(
        &mut self,
        key: KernelKey,
        kernel: &KernelDescription,
        generated: Option<&[u8]>,
    ) -> Result<(), Inconvertible> {
        if kernel.has_generated_bindings && generated.is_none() {
            return Err(Inconvertible::NoBindings);
        }
        let (location, real, original, text) = match &kernel.text {
            KernelText::File { path, resolved, text } => {
                let unreadable = || Inconvertible::SourceUnreadable { path: path.clone() };
                let text = text.as_ref().ok_or_else(unreadable)?;
                let real = lexical(Path::new(resolved));
                let location = match real.strip_prefix(&self.root).ok().and_then(Path::to_str) {
                    Some(below) if !self.root.as_os_str().is_empty() => {
                        Location::Known(below.to_owned())
                    }
                    Some(_) | None => Location::Machine(real.clone()),
                };
                let original = match &location {
                    Location::Known(path) => path.clone(),
                    Location::Machine(_) => {
                        real.file_name().unwrap_or_default().to_string_lossy().into_owned()
                    }
                };
                (location, Some(real), original, text)
            }
            KernelText::Text(text) => {
                let name = format!("{OTHER_KERNELS}/text-{}.cpp", ContentHash::of(text).short());
                (Location::Known(name), None, String::new(), text)
            }
        };
        let macros = macros(kernel);
        let bindings = generated.and_then(|generated| bindings::read(generated, self.forms));
        let generated = generated.filter(|_| bindings.is_none());
        let has_text = generated.is_some() || !macros.is_empty();
        let generated = without_guards(generated.unwrap_or_default());
        let whole = [macros.as_bytes(), &generated, text].concat();
        // The same file behind other text, or with changed text, is another source.
        let is_another = self.files.get(&location).is_some_and(|known| *known != whole);
        let location = if has_text || is_another {
            location.with_suffix(&ContentHash::of(&whole).short())
        } else {
            location
        };
        let mut folder = match &location {
            Location::Machine(path) => path.parent().map(Path::to_owned),
            Location::Known(_) => None,
        };
        self.files.insert(location.clone(), whole);
        self.follow(&location, real.as_deref(), &mut folder);
        self.folders.extend(folder);
        self.kernels.insert(key, CollectedKernel { location, original, bindings, has_text });
        Ok(())
    }

    /// Adds the includes of a file. `folder` becomes the common folder of all files outside the root.
    fn follow(&mut self, from: &Location, real: Option<&Path>, folder: &mut Option<PathBuf>) {
        let mut pending = vec![(from.clone(), real.map(Path::to_owned))];
        while let Some((file, real)) = pending.pop() {
            let text = self.files.get(&file).map(Vec::as_slice).unwrap_or_default();
            let beside = includes(text).into_iter().map(|(_, name)| (name, real.as_deref()));
            // A path between angle brackets is not searched beside the file.
            let in_folders = includes_in_folders(text).into_iter().map(|name| (name, None));
            let named: Vec<(String, Option<&Path>)> = beside.chain(in_folders).collect();
            for (name, real) in named {
                let Some((location, found, bytes)) = self.find(&file, real, &name) else {
                    continue;
                };
                if let (Location::Machine(path), Some(folder)) = (&location, folder.as_mut()) {
                    while !path.starts_with(&*folder) && folder.pop() {}
                }
                if self.files.contains_key(&location) {
                    continue;
                }
                self.files.insert(location.clone(), bytes);
                pending.push((location, Some(found)));
            }
        }
    }

    /// The path, place and content of an included file; `None` for a header of the release.
    fn find(
        &self,
        file: &Location,
        real: Option<&Path>,
        name: &str,
    ) -> Option<(Location, PathBuf, Vec<u8>)> {
        if let Some(folder) = real.and_then(Path::parent) {
            let beside = lexical(&folder.join(name));
            if let Some(bytes) = (self.read)(&beside) {
                return Some((file.beside(name)?, beside, bytes));
            }
        }
        let path = normalize(name)?;
        INCLUDE_FOLDERS.iter().find_map(|folder| {
            let found = lexical(&self.root.join(folder).join(&path));
            if found.starts_with(self.root.join(RELEASE_HEADERS)) {
                return None;
            }
            let bytes = (self.read)(&found)?;
            Some((Location::Known(path.clone()), found, bytes))
        })
    }

    /// Assigns every file its path in the capture.
    pub(super) fn finish(self) -> Sources {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in &self.folders {
            if folders.iter().any(|known| folder.starts_with(known)) {
                continue;
            }
            match folders.iter_mut().find(|known| known.starts_with(folder)) {
                Some(inner) => inner.clone_from(folder),
                None => folders.push(folder.clone()),
            }
        }
        let path = |location: &Location| match location {
            Location::Known(path) => path.clone(),
            Location::Machine(path) => below(&folders, path),
        };
        let files = self.files.iter().map(|(location, text)| (path(location), text.clone()));
        let files: BTreeMap<String, Vec<u8>> = files.collect();
        let mut headers = files.iter().filter(|(path, _)| !path.ends_with(".cpp"));
        let headers_ask_for_tiles = headers.any(|(_, text)| tiles::asks(text));
        let kernels = self.kernels.iter().map(|(key, kernel)| {
            let CollectedKernel { location, original, bindings, has_text } = kernel;
            let (original, bindings) = (original.clone(), bindings.clone());
            (*key, KernelSource { path: path(location), original, bindings, has_text: *has_text })
        });
        Sources { files, kernels: kernels.collect(), headers_ask_for_tiles }
    }
}

/// The path of a file outside the root, relative to the folder of its kernel.
fn below(folders: &[PathBuf], path: &Path) -> String {
    let found = folders
        .iter()
        .enumerate()
        .find_map(|(number, folder)| Some((number, path.strip_prefix(folder).ok()?)));
    let (number, rest) = found.unwrap_or((0, path));
    let mut parts = vec![match number {
        0 => OTHER_KERNELS.to_owned(),
        number => format!("{OTHER_KERNELS}-{number}"),
    }];
    for component in rest.components() {
        if let Component::Normal(part) = component {
            let plain = |letter: char| {
                if letter.is_control() || "\\:".contains(letter) { '_' } else { letter }
            };
            parts.push(part.to_string_lossy().chars().map(plain).collect());
        }
    }
    parts.join("/")
}

/// The definitions of a kernel that are macros with parameters, as text to precede the source. A capture's
/// definitions cannot have parameters.
fn macros(kernel: &KernelDescription) -> String {
    let lines = kernel.defines.iter().filter(|(name, _)| is_macro(name));
    lines.map(|(name, value)| format!("#define {name} {value}\n")).collect()
}

/// Whether a definition's name has parameters: `ADD(a,b)`.
pub(super) fn is_macro(name: &str) -> bool {
    let Some((name, parameters)) = name.strip_suffix(')').and_then(|name| name.split_once('('))
    else {
        return false;
    };
    is_identifier(name)
        && (parameters.is_empty()
            || parameters.split(',').all(|parameter| is_identifier(parameter.trim())))
}

/// Whether a text is a C identifier.
pub(super) fn is_identifier(text: &str) -> bool {
    let starts = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    text.starts_with(starts)
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Removes `#pragma once`: bindings are headers, and the pragma in front of a source is a warning.
fn without_guards(bindings: &[u8]) -> Vec<u8> {
    let lines = bindings.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| line.trim_ascii() != b"#pragma once").flatten().copied().collect()
}

impl Sources {
    /// A kernel's source, if it was readable.
    pub(super) fn kernel(&self, key: KernelKey) -> Option<&KernelSource> {
        self.kernels.get(&key)
    }

    /// Whether a kernel, or a header of the recording, asks for the tiles of circular buffers.
    pub(super) fn ask_for_tiles(&self, kernel: &KernelSource) -> bool {
        self.headers_ask_for_tiles
            || self.files.get(&kernel.path).is_some_and(|text| tiles::asks(text))
    }

    /// The sources for a program part; adds every file to the blobs.
    pub(super) fn list(&self, blobs: &mut Blobs) -> Vec<SourceFile> {
        let listed = self.files.iter().map(|(path, text)| {
            let hash = ContentHash::of(text);
            blobs.entry(hash).or_insert_with(|| text.clone().into());
            SourceFile { path: path.clone(), hash }
        });
        listed.collect()
    }
}
