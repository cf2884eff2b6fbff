//! Compiles the copy with all mutants that compile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::catalogue::Mutant;
use crate::error::Error;
use crate::scratch::Copy;
use crate::switch::{Number, Switched, switch};

/// A mutant that the build holds.
#[derive(Clone, Debug)]
pub struct SwitchedMutant {
    /// By which it is switched on.
    pub number: Number,
    /// What it is.
    pub mutant: Mutant,
}

/// A test executable.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The crate and the target in it.
    pub name: String,
    /// The crate.
    pub package: String,
    /// Whether it holds the unit tests of a library.
    pub is_unit: bool,
    /// Where it is.
    pub path: PathBuf,
    /// The crate's folder.
    pub folder: PathBuf,
}

/// The copy, compiled.
pub struct Built {
    /// A hash of the sources with their mutants.
    pub id: String,
    /// In the order in which they are tried.
    pub switched: Vec<SwitchedMutant>,
    /// Mutants that cannot be tried in this way, with the reason.
    pub left_out: Vec<(Mutant, String)>,
    /// What holds tests.
    pub executables: Vec<Executable>,
}

#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Message>,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    rendered: Option<String>,
    message: String,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Mutants that are known not to compile, so that a run that goes on where another was stopped writes the same sources
/// and compiles nothing anew.
#[derive(Default, Serialize, Deserialize)]
struct Uncompilable {
    /// A hash of the sources without mutants.
    sources: String,
    /// Names, with the compiler's words.
    mutants: BTreeMap<String, String>,
}

impl Uncompilable {
    /// What an earlier run of the same sources found.
    fn read(copy: &Copy, mutants: &[Mutant]) -> Result<Self, Error> {
        let mut hasher = blake3::Hasher::new();
        for file in mutants.iter().map(|mutant| &mutant.file).collect::<BTreeSet<_>>() {
            hasher.update(copy.original(file)?.as_bytes());
        }
        let sources = hasher.finalize().to_hex().to_string();
        let text = std::fs::read_to_string(copy.uncompilable()).unwrap_or_default();
        Ok(match serde_json::from_str::<Self>(&text) {
            Ok(known) if known.sources == sources => known,
            Ok(_) | Err(_) => Self { sources, mutants: BTreeMap::new() },
        })
    }

    fn write(&self, copy: &Copy) -> Result<(), Error> {
        let path = copy.uncompilable();
        let text = serde_json::to_string_pretty(self).map_err(Error::json("mutants left out"))?;
        std::fs::write(&path, text).map_err(Error::at(&path))
    }
}

/// Compiles, and leaves out mutants that do not compile. `crates` are those whose tests are built: all, if none is named.
pub fn build(copy: &Copy, mutants: Vec<Mutant>, crates: &[String]) -> Result<Built, Error> {
    let mut packages = vec!["--workspace"];
    if !crates.is_empty() {
        packages = crates.iter().flat_map(|name| ["--package", name]).collect();
    }
    let mutated: BTreeSet<_> = mutants.iter().map(|mutant| mutant.package.clone()).collect();
    let mut libraries = packages.clone();
    if !crates.is_empty() {
        libraries.extend(mutated.iter().flat_map(|name| ["--package", name]));
    }
    let mut known = Uncompilable::read(copy, &mutants)?;
    let mut wanted: BTreeMap<Number, Mutant> = BTreeMap::new();
    let mut left_out = Vec::new();
    for (number, mutant) in (1..).zip(mutants) {
        if mutant.file.ends_with("src/main.rs") {
            left_out.push((mutant, "not in a library".to_owned()));
        } else if let Some(reason) = known.mutants.get(&mutant.name) {
            left_out.push((mutant, reason.clone()));
        } else {
            wanted.insert(number, mutant);
        }
    }
    let files = loop {
        let files = plant(copy, &mut wanted, &mut left_out)?;
        copy.write(&|file| files.get(file).map(|switched| switched.text.clone()))?;
        let lines =
            cargo(copy, &[&["check", "--lib", "--keep-going"], libraries.as_slice()].concat())?;
        let errors: Vec<&Message> = lines
            .iter()
            .filter_map(|line| line.message.as_ref())
            .filter(|message| message.level == "error" && !message.spans.is_empty())
            .collect();
        if errors.is_empty() {
            break files;
        }
        let at_fault = at_fault(&files, &errors);
        if at_fault.is_empty() {
            let messages = errors.iter().filter_map(|error| error.rendered.clone()).collect();
            return Err(Error::NoMutantAtFault { messages });
        }
        println!("{} mutants do not compile; once more without them", at_fault.len());
        for (number, reason) in at_fault {
            if let Some(mutant) = wanted.remove(&number) {
                let reason = format!("it does not compile: {reason}");
                known.mutants.insert(mutant.name.clone(), reason.clone());
                left_out.push((mutant, reason));
            }
        }
    };
    known.write(copy)?;
    let mut hasher = blake3::Hasher::new();
    for (file, switched) in &files {
        hasher.update(file.as_bytes()).update(switched.text.as_bytes());
    }
    println!("compiling the tests");
    let lines = cargo(copy, &[&["test", "--no-run"], packages.as_slice()].concat())?;
    let executables = lines.iter().filter_map(executable).collect();
    let switched =
        wanted.into_iter().map(|(number, mutant)| SwitchedMutant { number, mutant }).collect();
    Ok(Built { id: hasher.finalize().to_hex().to_string(), switched, left_out, executables })
}

fn plant(
    copy: &Copy,
    wanted: &mut BTreeMap<Number, Mutant>,
    left_out: &mut Vec<(Mutant, String)>,
) -> Result<BTreeMap<String, Switched>, Error> {
    let mut by_file: BTreeMap<String, Vec<(Number, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in wanted.iter() {
        by_file.entry(mutant.file.clone()).or_default().push((*number, mutant));
    }
    let mut files = BTreeMap::new();
    for (file, mutants) in by_file {
        let switched = switch(&file, &copy.original(&file)?, &mutants)?;
        files.insert(file, switched);
    }
    for (number, reason) in files.values().flat_map(|switched| &switched.left_out) {
        if let Some(mutant) = wanted.remove(number) {
            left_out.push((mutant, (*reason).to_owned()));
        }
    }
    Ok(files)
}

/// The mutants to which errors point, with the compiler's words. An error inside a mutant's own text is that mutant's;
/// otherwise the least mutant around it is taken.
fn at_fault(files: &BTreeMap<String, Switched>, errors: &[&Message]) -> BTreeMap<Number, String> {
    let mut found = BTreeMap::new();
    let mut unexplained = BTreeMap::new();
    for error in errors {
        let mut owners = BTreeSet::new();
        let mut around = None;
        for span in &error.spans {
            let Some(switched) = files.get(&span.file_name) else { continue };
            let touches =
                |range: &Range<usize>| range.start < span.byte_end && span.byte_start < range.end;
            let inside =
                |range: &Range<usize>| range.start <= span.byte_start && span.byte_end <= range.end;
            owners.extend(
                switched
                    .insertions
                    .iter()
                    .filter(|(range, _)| inside(range))
                    .map(|(_, number)| *number),
            );
            if span.is_primary {
                let extents = switched.extents.iter().filter(|(range, _)| touches(range));
                around = extents
                    .min_by_key(|(range, _)| range.len())
                    .map(|(_, number)| *number)
                    .or(around);
            }
        }
        if owners.is_empty() {
            unexplained.extend(around.map(|number| (number, error.message.clone())));
        }
        found.extend(owners.into_iter().map(|number| (number, error.message.clone())));
    }
    // One error often leads to others: those without an owner count only when nothing else is left.
    if found.is_empty() { unexplained } else { found }
}

fn executable(line: &Line) -> Option<Executable> {
    let (path, target) = (line.executable.clone()?, line.target.as_ref()?);
    if !line.profile.as_ref()?.test {
        return None;
    }
    let folder = line.manifest_path.as_ref()?.parent()?.to_path_buf();
    let manifest = std::fs::read_to_string(line.manifest_path.as_ref()?).ok()?;
    let package = manifest.lines().find_map(|line| line.strip_prefix("name = \""))?;
    let package = package.trim_end_matches('"').to_owned();
    let is_unit = target.kind.iter().any(|kind| kind.contains("lib"));
    Some(Executable { name: format!("{package}::{}", target.name), package, is_unit, path, folder })
}

/// What cargo says of a build in the copy. Errors of the compiler are part of that.
fn cargo(copy: &Copy, arguments: &[&str]) -> Result<Vec<Line>, Error> {
    let command = || format!("cargo {}", arguments.join(" "));
    let output = Command::new("cargo")
        .args(arguments)
        .args(["--message-format=json", "--quiet"])
        .env("CARGO_TARGET_DIR", &copy.target)
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(&copy.root)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| Error::Command { command: command(), reason: error.to_string() })?;
    let mut lines = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with('{'))
    {
        let line: Line = serde_json::from_str(line).map_err(Error::json(command()))?;
        if line.reason == "compiler-message" || line.reason == "compiler-artifact" {
            lines.push(line);
        }
    }
    let has_errors = lines
        .iter()
        .filter_map(|line| line.message.as_ref())
        .any(|message| message.level == "error");
    if !output.status.success() && !has_errors {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Command { command: command(), reason });
    }
    Ok(lines)
}
