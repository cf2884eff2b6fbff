//! Goldens: what a test must produce. A run only reads them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::PathBuf;

use hallmark_schema::limits;
use hallmark_schema::model::{Capture, ContentHash, OutputHash, ProgramPart};
use hallmark_schema::plural::counted;
use hallmark_schema::{CaptureError, Golden, GoldenProgram, program_bytes, program_hash};
use walkdir::WalkDir;

use hallmark_execution::whole_file;
use hallmark_suite::checks::Check;
use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

/// Goldens, prebuilt kernels and what is kept of released formats may have this many bytes together.
pub const TOTAL_LIMIT: u64 = 56 << 20;

/// The golden of a test, as far as there is one.
#[derive(Clone, Debug)]
pub enum StoredGolden {
    /// No file has the test's name.
    Absent,
    /// It cannot be read.
    Unreadable(String),
    /// The file is there and can be read.
    Present(Box<Golden>),
}

/// Where a test's golden lies.
pub fn path(root: &Root, test: &TestName) -> PathBuf {
    root.folder().join(test.golden_path())
}

/// Reads the golden of a test.
pub fn read(root: &Root, test: &TestName) -> StoredGolden {
    match whole_file::read(&path(root, test), limits::GOLDEN_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => StoredGolden::Absent,
        Err(error) => StoredGolden::Unreadable(error.to_string()),
        Ok(bytes) => match Golden::from_bytes(&bytes) {
            Ok(golden) => StoredGolden::Present(Box::new(golden)),
            Err(error) => StoredGolden::Unreadable(error.to_string()),
        },
    }
}

/// How a capture differs from its golden.
#[derive(Clone, Debug)]
pub enum GoldenDifference {
    /// The program parts differ, and both are known.
    Program(Box<ProgramPart>),
    /// The program parts differ; of the golden's only the hash is known.
    Digest {
        /// The hash that the golden has.
        golden: ContentHash,
        /// The hash of the capture's program part.
        capture: ContentHash,
    },
    /// Outputs differ, a line for each.
    Outputs(Vec<String>),
}

/// Compares a capture with its golden: the program bytes, and the outputs' hashes.
pub fn compare(
    golden: &Golden,
    capture: &Capture,
) -> Result<Option<GoldenDifference>, CaptureError> {
    match &golden.program {
        GoldenProgram::Whole(program) => {
            let differs = program_bytes(program)? != program_bytes(&capture.program)?;
            if Check::GoldenProgram.finds(differs) {
                return Ok(Some(GoldenDifference::Program(Box::new(program.clone()))));
            }
        }
        GoldenProgram::Digest(digest) => {
            let hash = program_hash(&capture.program)?;
            if Check::GoldenDigest.finds(*digest != hash) {
                return Ok(Some(GoldenDifference::Digest { golden: *digest, capture: hash }));
            }
        }
    }
    let wanted = &golden.outputs;
    let actual = Golden::of(capture, true)?.outputs;
    let lines = output_differences(wanted, &actual);
    Ok(if lines.is_empty() { None } else { Some(GoldenDifference::Outputs(lines)) })
}

/// What makes a program part another than its golden's, in one clause: the sources that are not the same, by name.
pub fn what_changed(golden: &ProgramPart, now: &ProgramPart) -> String {
    const NAMED: usize = 3;
    let new = now.sources.iter().filter(|source| !golden.sources.contains(source));
    let gone = golden.sources.iter().filter(|source| !now.sources.contains(source));
    let paths: BTreeSet<&str> = new.chain(gone).map(|source| source.path.as_str()).collect();
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if paths.len() > NAMED {
        names.push(counted(paths.len().saturating_sub(NAMED), "other source", "other sources"));
    }
    match names.split_last() {
        None => "the program part differs from its golden".to_owned(),
        Some((one, [])) => format!("source {one} has changed since the golden was made"),
        Some((last, before)) => {
            format!(
                "sources {} and {last} have changed since the golden was made",
                before.join(", ")
            )
        }
    }
}

/// A line for each output that differs.
pub fn output_differences(before: &[OutputHash], after: &[OutputHash]) -> Vec<String> {
    let known: HashSet<&str> = before.iter().map(|output| output.name.as_str()).collect();
    let now: HashMap<&str, &OutputHash> =
        after.iter().map(|output| (output.name.as_str(), output)).collect();
    let mut lines = Vec::new();
    for output in before {
        match now.get(output.name.as_str()) {
            None if Check::OutputGone.finds(true) => {
                lines.push(format!("output `{}` is gone", output.name));
            }
            Some(&other) if Check::OutputChanged.finds(other != output) => lines.push(format!(
                "output `{}`: {} ({} B) → {} ({} B)",
                output.name,
                output.hash.short(),
                output.length,
                other.hash.short(),
                other.length
            )),
            Some(_) | None => {}
        }
    }
    for output in after {
        if Check::OutputNew.finds(!known.contains(output.name.as_str())) {
            lines.push(format!("output `{}` is new", output.name));
        }
    }
    lines
}

/// A golden file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoldenFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// How many bytes the file has.
    pub size: u64,
}

/// Every file below `goldens`, sorted.
pub fn files(root: &Root) -> Result<Vec<GoldenFile>, std::io::Error> {
    let folder = root.folder().join("goldens");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(&folder).follow_links(false).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let relative = entry.path().strip_prefix(root.folder()).unwrap_or(entry.path());
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        files.push(GoldenFile { path: parts.join("/"), size: entry.metadata()?.len() });
    }
    Ok(files)
}

/// Goldens that belong to none of these tests. READMEs may lie beside goldens.
pub fn unused<'a>(
    files: &'a [GoldenFile],
    tests: impl Iterator<Item = &'a TestName>,
) -> Vec<&'a str> {
    let used: BTreeSet<String> = tests.map(TestName::golden_path).collect();
    files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| path.ends_with(".lmb") && !used.contains(*path))
        .collect()
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::model::{Grid, SourceFile};

    use super::*;

    /// A program part of nothing but sources, each with a text.
    fn program(sources: &[(&str, &str)]) -> ProgramPart {
        let source = |(path, text): &(&str, &str)| SourceFile {
            path: (*path).to_owned(),
            hash: ContentHash::of(text.as_bytes()),
        };
        ProgramPart {
            architecture: Architecture::WormholeB0,
            grid: Grid { columns: 8, rows: 9 },
            placement_bound: false,
            sources: sources.iter().map(source).collect(),
            commands: Vec::new(),
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            free_tensors: Vec::new(),
        }
    }

    #[test]
    fn changed_sources_are_named() {
        let before = program(&[("a.cpp", "1"), ("b.cpp", "1"), ("c.cpp", "1")]);
        let names = |sources: &[(&str, &str)]| what_changed(&before, &program(sources));
        let same = [("a.cpp", "1"), ("b.cpp", "1"), ("c.cpp", "1")];
        assert_eq!(names(&same), "the program part differs from its golden");
        let edited = [("a.cpp", "1"), ("b.cpp", "2"), ("c.cpp", "1")];
        assert_eq!(names(&edited), "source `b.cpp` has changed since the golden was made");
        let moved = [("a.cpp", "1"), ("b.cpp", "1"), ("d.cpp", "1")];
        let text = "sources `c.cpp` and `d.cpp` have changed since the golden was made";
        assert_eq!(names(&moved), text);
        let many = [("e.cpp", "1"), ("f.cpp", "1")];
        let text = "sources `a.cpp`, `b.cpp`, `c.cpp` and 2 other sources have changed since the golden was made";
        assert_eq!(names(&many), text);
    }
}
