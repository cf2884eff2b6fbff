//! The recorder: a library that is preloaded into the command's process.

mod constants;
#[cfg(test)]
mod tests;
mod trampolines;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hallmark_metalium::{
    AnswerSource, AskedFunction, DECLARATIONS, PrepareError, ReleaseDescription, SharedLibrary,
    Site, SiteError,
};

use crate::selection::Selection;

/// The recorder's sources, embedded in the executable, beside the declarations of the host API. [`made_sources`] returns
/// the generated ones.
const SOURCES: [(&str, &str); 22] = [
    ("journal.hpp", include_str!("../recorder/journal.hpp")),
    ("journal.cpp", include_str!("../recorder/journal.cpp")),
    ("functions.def", include_str!("../recorder/functions.def")),
    ("exceptions.hpp", include_str!("../recorder/exceptions.hpp")),
    ("exceptions.cpp", include_str!("../recorder/exceptions.cpp")),
    ("memory.hpp", include_str!("../recorder/memory.hpp")),
    ("memory.cpp", include_str!("../recorder/memory.cpp")),
    ("library.hpp", include_str!("../recorder/library.hpp")),
    ("library.cpp", include_str!("../recorder/library.cpp")),
    ("recorder.hpp", include_str!("../recorder/recorder.hpp")),
    ("recorder.cpp", include_str!("../recorder/recorder.cpp")),
    ("process.hpp", include_str!("../recorder/process.hpp")),
    ("process.cpp", include_str!("../recorder/process.cpp")),
    ("programs.hpp", include_str!("../recorder/programs.hpp")),
    ("programs.cpp", include_str!("../recorder/programs.cpp")),
    ("selection.hpp", include_str!("../recorder/selection.hpp")),
    ("selection.cpp", include_str!("../recorder/selection.cpp")),
    ("cuts.hpp", include_str!("../recorder/cuts.hpp")),
    ("cuts.cpp", include_str!("../recorder/cuts.cpp")),
    ("handlers.hpp", include_str!("../recorder/handlers.hpp")),
    ("handlers.cpp", include_str!("../recorder/handlers.cpp")),
    ("hooks.cpp", include_str!("../recorder/hooks.cpp")),
];
/// The folder into which the recorder writes.
const FOLDER_VARIABLE: &str = "HALLMARK_METALIUM_RECORDING";
/// Makes all allocations use shifted addresses, for a second run.
const SHIFT_VARIABLE: &str = "HALLMARK_METALIUM_SHIFT";
const PRELOAD_VARIABLE: &str = "LD_PRELOAD";

/// A recorder that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecorderError {
    /// The build failed.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The vendor's library cannot be read.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The vendor's library lacks functions that the recorder needs.
    #[error(
        "libtt_metal.so of TT-Metalium {release} lacks functions that the recorder needs: {}; unpack the ttnn wheel again",
        functions.join(", ")
    )]
    NoFunctions {
        /// The release.
        release: String,
        /// Their mangled names.
        functions: Vec<String>,
    },
    /// The recorder's path contains a space or a colon, at which the loader splits lists of libraries.
    #[error("the recorder cannot be preloaded from {}, because the path has a space or a colon; set XDG_CACHE_HOME to a folder without", path.display())]
    Path {
        /// The path of the recorder.
        path: PathBuf,
    },
}

/// The recorder for a site's release, ready to be preloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorder {
    library: PathBuf,
}

impl Recorder {
    /// The recorder in a cache folder; builds it if it is missing.
    ///
    /// # Errors
    /// [`RecorderError`].
    pub fn prepare(site: &Site, cache: &Path) -> Result<Self, RecorderError> {
        let release = site.release();
        let asked = release.asked().iter().filter_map(AskedFunction::symbol);
        let hooked = release.hooks().iter().map(|hook| hook.symbol.as_str());
        let missing = site.missing_functions(asked.chain(hooked))?;
        if !missing.is_empty() {
            let functions = missing.into_iter().map(str::to_owned).collect();
            let release = release.version().to_owned();
            return Err(RecorderError::NoFunctions { release, functions });
        }
        let made = made_sources(release);
        let made = made.iter().map(|(name, text)| (*name, text.as_str()));
        let sources: Vec<(&str, &str)> =
            DECLARATIONS.into_iter().chain(SOURCES).chain(made).collect();
        let recorder = SharedLibrary {
            what: "the recorder",
            name: "libhallmark_metalium_recorder.so",
            sources: &sources,
            options: &options(site.build_id()),
            release,
        };
        let library = recorder.prepare(cache)?;
        let divides = |byte: &u8| byte.is_ascii_whitespace() || *byte == b':';
        if library.as_os_str().as_encoded_bytes().iter().any(divides) {
            return Err(RecorderError::Path { path: library });
        }
        Ok(Self { library })
    }

    /// The environment of a recorded command: the folder for one file per process, the libraries to preload
    /// (`preloaded` are the user's own), and the requested launches. With `shifts`, all allocations of the
    /// command use shifted addresses.
    pub fn environment(
        &self,
        folder: &Path,
        preloaded: Option<&OsStr>,
        selection: &Selection,
        shifts: bool,
    ) -> Vec<(&'static str, OsString)> {
        let mut libraries = self.library.clone().into_os_string();
        if let Some(more) = preloaded.filter(|more| !more.is_empty()) {
            libraries.push(":");
            libraries.push(more);
        }
        let mut variables =
            vec![(PRELOAD_VARIABLE, libraries), (FOLDER_VARIABLE, folder.as_os_str().to_owned())];
        variables.extend(selection.environment());
        if shifts {
            variables.push((SHIFT_VARIABLE, "1".into()));
        }
        variables
    }
}

/// The sources made for a release: its numbers and symbols, its hooks, and the shared constants.
fn made_sources(release: &ReleaseDescription) -> [(&'static str, String); 6] {
    [
        ("release.hpp", release.header()),
        ("sources.hpp", sources_of_answers(release)),
        ("constants.hpp", constants::header(release)),
        ("hooks.def", trampolines::table(release.hooks())),
        ("trampolines.S", trampolines::assembly(release.hooks())),
        ("exports.map", trampolines::exports(release.hooks())),
    ]
}

/// The places of the answers that the recorder asks for, as a C++ header.
fn sources_of_answers(release: &ReleaseDescription) -> String {
    let source = |asked: &AskedFunction| {
        let (kind, place) = match &asked.source {
            AnswerSource::Function(symbol) | AnswerSource::FunctionBeside(symbol) => {
                ("char", format!("[] = \"{symbol}\""))
            }
            AnswerSource::Member(offset) => ("std::size_t", format!(" = {offset}")),
        };
        format!("constexpr {kind} {}{place};\n", asked.name)
    };
    let sources: String = release.asked().iter().map(source).collect();
    format!(
        "#pragma once\n\n#include <cstddef>\n\nnamespace hallmark::recorder::sources {{\n{sources}}}\n"
    )
}

/// The compiler options for a library with this build id. The recorder links its C++ runtime statically and
/// hides it, so that the command's process uses the same C++ runtime as without the recorder.
fn options(build_id: &str) -> Vec<String> {
    let options = [
        "-std=c++20",
        "-O1",
        "-fvisibility=hidden",
        "-static-libstdc++",
        "-static-libgcc",
        "-Wl,--version-script=exports.map",
        "-Wl,-z,defs",
    ];
    let build = format!("-DHALLMARK_BUILD_ID=\"{}\"", build_id);
    options.into_iter().map(str::to_owned).chain([build]).collect()
}
