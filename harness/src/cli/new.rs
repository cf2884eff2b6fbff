//! `hallmark new`.

use clap::{Args, Subcommand};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::Compiler;
use hallmark_suite::discover::{Root, SuiteFile};
use hallmark_suite::fragments::FOLDER;
use hallmark_suite::read::is_name;
use hallmark_suite::reference::SCHEMA_PATH;

use super::capture_file::write;
use super::init::{KERNEL, KERNEL_NAME, SUITE};
use super::options::RootOption;
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct NewArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Write a suite to start from: it runs as it is, and its comments say what may be changed
    Suite(SuiteArguments),
    /// Write a kernel and the suite that runs it; both work as they are
    Kernel(KernelArguments),
}

#[derive(Clone, Debug, Args)]
struct SuiteArguments {
    /// The suite is written to suites/GROUP/NAME.yaml
    #[arg(value_name = "GROUP/NAME")]
    name: String,
    #[command(flatten)]
    root: RootOption,
}

#[derive(Clone, Debug, Args)]
struct KernelArguments {
    /// Where they go: suites/kernels/NAME.cpp and suites/GROUP/NAME.yaml
    #[arg(value_name = "GROUP/NAME")]
    name: String,
    /// Write a kernel that computes with tiles on the Tensix coprocessor, and the kernels that read and write
    /// its tiles: suites/kernels/NAME_reader.cpp and suites/kernels/NAME_writer.cpp
    #[arg(long)]
    compute: bool,
    #[command(flatten)]
    root: RootOption,
}

/// The files of a kernel that computes with tiles: the suffix of its name, and its text.
const COMPUTE_KERNELS: [(&str, &str); 3] = [
    ("", include_str!("new/compute/kernel.cpp")),
    ("_reader", include_str!("new/compute/reader.cpp")),
    ("_writer", include_str!("new/compute/writer.cpp")),
];
/// The suite that runs them.
const COMPUTE_SUITE: &str = include_str!("new/compute/suite.yaml");
/// The compute kernel's name in its suite.
const COMPUTE_NAME: &str = "compute_name";

/// The suite that `new suite` writes.
const COMMENTED_SUITE: &str = include_str!("new/suite.yaml");

pub(super) fn run(arguments: &NewArguments) -> Result<ExitCode, Failed> {
    match &arguments.what {
        What::Suite(arguments) => suite(arguments),
        What::Kernel(arguments) => kernel(arguments),
    }
}

fn suite(arguments: &SuiteArguments) -> Result<ExitCode, Failed> {
    let path = suite_file(&arguments.name)?.path();
    let root = arguments.root.find()?;
    write_new(&root, &[(path.clone(), with_schema_line(&root, COMMENTED_SUITE))])?;
    next(&path);
    Ok(ExitCode::SUCCESS)
}

fn kernel(arguments: &KernelArguments) -> Result<ExitCode, Failed> {
    let file = suite_file(&arguments.name)?;
    let name = file.suite.as_str();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        let text = format!("`{name}` cannot be a kernel's name: it must begin with a letter");
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let root = arguments.root.find()?;
    let path = file.path();
    let (kernels, suite): (&[(&str, &str)], _) = if arguments.compute {
        (&COMPUTE_KERNELS, COMPUTE_SUITE.replace(COMPUTE_NAME, name))
    } else {
        (&[("", KERNEL)], SUITE.replace(KERNEL_NAME, name))
    };
    let source = |part: &str| format!("suites/kernels/{name}{part}.cpp");
    let mut files: Vec<(String, String)> =
        kernels.iter().map(|(part, text)| (source(part), (*text).to_owned())).collect();
    files.push((path.clone(), with_schema_line(&root, &suite)));
    write_new(&root, &files)?;
    if Compiler::find().is_none() {
        output::say(&format!("  no compiler      to build the kernel, {}", Compiler::INSTALL));
    }
    next(&path);
    output::say("  kernel API       hallmark kernels api");
    Ok(ExitCode::SUCCESS)
}

/// Writes new files: all of them, or none if one exists.
fn write_new(root: &Root, files: &[(String, String)]) -> Result<(), Failed> {
    if let Some((path, _)) = files.iter().find(|(path, _)| root.folder().join(path).exists()) {
        let text = format!("{path} already exists; choose another name, or edit it");
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    for (path, text) in files {
        write(&root.folder().join(path), text.as_bytes())?;
        output::say(&format!("wrote {path}"));
    }
    Ok(())
}

/// Prints the next steps for a new suite.
fn next(suite: &str) {
    output::say(&format!("  run it           hallmark run {suite}"));
    output::say(&format!("  keep its golden  hallmark bless {suite}"));
    output::say("  suite language   hallmark schema --markdown");
}

/// A suite's text. Its first line names the schema for editors; a root without a schema gets no such line.
fn with_schema_line(root: &Root, suite: &str) -> String {
    if root.folder().join(SCHEMA_PATH).is_file() {
        return suite.to_owned();
    }
    let lines = suite.lines().skip(1);
    lines.map(|line| format!("{line}\n")).collect()
}

/// The file of a suite by its name, GROUP/NAME.
pub(super) fn suite_file(name: &str) -> Result<SuiteFile, Failed> {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        [group, suite] if is_name(group) && is_name(suite) && *group != FOLDER => {
            let suite = suite.strip_suffix(".yaml").unwrap_or(suite);
            Ok(SuiteFile { group: (*group).to_owned(), suite: suite.to_owned() })
        }
        _ => Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "`{name}` is not a name for a suite: write GROUP/NAME, each of letters, digits or any of _ . + -; \
                 the group cannot be `{FOLDER}`"
            ),
        )),
    }
}
