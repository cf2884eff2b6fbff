//! `hallmark init`.

mod starting_root;

use std::path::{Path, PathBuf};

use clap::Args;
use hallmark_certification::profile::{PROFILES_SCHEMA_PATH, profiles_json_schema};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::Compiler;
use hallmark_suite::reference::{SCHEMA_PATH, json_schema};

use super::capture_file::write;
use super::{Failed, output};

pub(super) use self::starting_root::{KERNEL, KERNEL_NAME, SUITE};

#[derive(Clone, Debug, Args)]
pub(super) struct InitArguments {
    /// The folder that gets `suites` and `goldens`; it is created if it is missing
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

/// Lines for `.gitignore`: kernels built here and files of failures, and the tables of `hallmark profile`.
const IGNORED: [&str; 2] = ["/target/", "/results/"];

/// Each written path and its description in the output.
const WRITTEN: [(&str, &str); 8] = [
    ("suites/first/add_one.yaml", "a suite: one case, two tests on each architecture"),
    ("suites/kernels/add_one.cpp", "its kernel, compiled in suites/kernels/prebuilt"),
    ("suites/schema.json", "the schema by which editors complete and check suites"),
    ("suites/conformance-profiles/", "first.yaml: what `hallmark certify first` demands"),
    ("goldens/", "what the tests must produce"),
    ("hallmark.toml", "settings, such as the architectures and devices of tests"),
    ("hallmark-ci.yml", "a workflow for CI, to copy to .github/workflows"),
    (".gitignore", "leaves out target/ and results/"),
];

pub(super) fn run(arguments: &InitArguments) -> Result<ExitCode, Failed> {
    let folder = &arguments.folder;
    let schema = json_schema();
    let mut files: Vec<(&str, &[u8])> = starting_root::FILES.to_vec();
    let profiles_schema = profiles_json_schema();
    files.push((SCHEMA_PATH, schema.as_bytes()));
    files.push((PROFILES_SCHEMA_PATH, profiles_schema.as_bytes()));
    // The command writes nothing if it would overwrite a file or mix with existing ones.
    if folder.join("suites").exists() {
        return Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "{} already holds a folder `suites`; add to it with `hallmark new suite GROUP/NAME` or \
                 `hallmark new kernel GROUP/NAME`",
                folder.display()
            ),
        ));
    }
    if let Some((taken, _)) = files.iter().find(|(path, _)| folder.join(path).exists()) {
        return Err(Failed::new(
            ExitCode::USAGE,
            format!("{} already exists; choose another folder", folder.join(taken).display()),
        ));
    }
    for (path, bytes) in files {
        write(&folder.join(path), bytes)?;
    }
    ignore_output(&folder.join(".gitignore"))?;
    for (path, about) in WRITTEN {
        output::say(&format!("wrote {path:<28} {about}"));
    }
    if Compiler::find().is_none() {
        output::say(&format!(
            "no RISC-V compiler here: to build kernels of your own, {}",
            Compiler::INSTALL
        ));
    }
    let go = if folder == Path::new(".") {
        String::new()
    } else {
        format!("cd {} && ", folder.display())
    };
    output::say(&format!("next  {go}hallmark run"));
    output::say(
        "      hallmark new kernel GROUP/NAME   a kernel of your own and a suite that runs it",
    );
    Ok(ExitCode::SUCCESS)
}

/// Adds the lines that a `.gitignore` lacks; other lines stay.
fn ignore_output(path: &Path) -> Result<(), Failed> {
    let mut text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let text = format!("{} cannot be read: {error}", path.display());
            return Err(Failed::new(ExitCode::INTERNAL, text));
        }
    };
    let name = |line: &str| line.trim().trim_matches('/').to_owned();
    let before = text.len();
    for ignored in IGNORED {
        if text.lines().any(|line| name(line) == name(ignored)) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(ignored);
        text.push('\n');
    }
    if text.len() == before { Ok(()) } else { write(path, text.as_bytes()) }
}
