//! Captures of tests, and needles in haystacks that are made of them.

use std::path::Path;

use hallmark_schema::model::Capture;
use hallmark_schema_editing::concatenate;

use super::common::{command, repository, text};

/// Exit code and everything that was said.
pub(crate) fn hallmark(arguments: &[&str]) -> (i32, String) {
    let output = command(&repository()).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// What a test captures on the built-in simulator.
pub(crate) fn capture(folder: &Path, test: &str) -> Capture {
    let file = folder.join("capture.lmb");
    let (_, said) = hallmark(&["capture", test, "-o", file.to_str().unwrap()]);
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{test}: {error}: {said}"));
    std::fs::remove_file(&file).unwrap();
    Capture::from_bytes(&bytes).unwrap()
}

/// A needle behind foreign captures of so many commands, and before as many if `around`; the name of its file.
pub(crate) fn haystack(
    folder: &Path,
    needle: &Capture,
    pool: &[Capture],
    commands: usize,
    around: bool,
) -> String {
    let half = if around { commands / 2 } else { commands };
    let mut foreign = Vec::new();
    let mut count = 0;
    for other in pool.iter().cycle() {
        if count >= half {
            break;
        }
        count += other.program.commands.len();
        foreign.push(other);
    }
    let behind = if around { foreign.clone() } else { Vec::new() };
    let parts: Vec<&Capture> = foreign.into_iter().chain([needle]).chain(behind).collect();
    let joined = concatenate(&parts).unwrap().capture;
    assert!(joined.program.commands.len() >= commands);
    write(folder, "haystack.lmb", &joined)
}

/// Writes a capture; gives the name of its file.
pub(crate) fn write(folder: &Path, name: &str, capture: &Capture) -> String {
    let path = folder.join(name);
    std::fs::write(&path, capture.to_bytes().unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The name of a file in a folder.
pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}
