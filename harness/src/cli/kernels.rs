//! `hallmark kernels`.

mod from_metalium;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use clap::{Args, Subcommand};
use hallmark_chip::{Architecture, ChipDescription};
use hallmark_pipeline::shard::Shard;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::{
    BuildNews, BuildReport, Compiler, KernelBuildError, KernelBuildRequest, KernelStore,
    PrebuiltUse, SourceClosure, first_diagnostics,
};
use hallmark_schema::model::{Command, FailureCode};
use hallmark_schema::plural::{bytes, counted};
use hallmark_suite::discover::SelectedTest;

use self::from_metalium::FromMetaliumArguments;
use super::capture_file::read;
use super::options::{ArchitectureOption, ConfiguredRoot, Devices, OUTPUT};
use super::progress::{Form, Progress};
use super::replayable::kernel_store_of;
use super::select::Selection;
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct KernelsArguments {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    architectures: ArchitectureOption,
    #[command(flatten)]
    root: ConfiguredRoot,
}

#[derive(Clone, Copy, Debug, Args)]
struct CheckArguments {
    /// Build only one part of the kernels again, 2/5 is the second of five parts; of the others read the files
    #[arg(long, value_name = "NUMBER/TOTAL", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    #[command(flatten)]
    files: ChangedFiles,
}

/// The files that a change of kernels concerns: after a change to a header, thousands.
#[derive(Clone, Copy, Debug, Args)]
struct ChangedFiles {
    /// Name every file that changes; otherwise the first ones are named, and the others are counted
    #[arg(short, long, help_heading = OUTPUT)]
    verbose: bool,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Build all kernels that the suites use; write suites/kernels/prebuilt
    Build(ChangedFiles),
    /// Build all kernels again with the locked compiler and compare; write nothing
    Check(CheckArguments),
    /// Show which kernels of a capture build here, and what each other one lacks
    ///
    /// The capture is one that `hallmark capture -- COMMAND` made of a program under TT-Metalium. Its kernels are built as
    /// `hallmark replay` builds them, with Hallmark's headers and without TT-Metalium's. Nothing runs. Exit codes: 0
    /// if all kernels build, 11 if one does not.
    FromMetalium(FromMetaliumArguments),
    /// Print what a kernel may call, in Markdown
    Api,
}

impl Action {
    /// Whether every file that changes is named.
    const fn is_verbose(&self) -> bool {
        match self {
            Self::Build(files) | Self::Check(CheckArguments { files, .. }) => files.verbose,
            Self::FromMetalium(_) | Self::Api => false,
        }
    }
}

/// The page of the kernel API, embedded in the executable like the headers.
const KERNEL_API: &str = include_str!("../../../suites/KERNEL_API.md");

pub(super) fn run(arguments: &KernelsArguments) -> Result<ExitCode, Failed> {
    let prebuilt = match &arguments.action {
        Action::Build(_) => PrebuiltUse::Complete,
        Action::Check(CheckArguments { shard, .. }) => {
            PrebuiltUse::Check { first: shard.number().saturating_sub(1), of: shard.total() }
        }
        Action::FromMetalium(of_capture) => {
            let store = kernel_store_of(arguments.root.at_hand()?);
            return from_metalium::run(of_capture, arguments.architectures.named(), &store);
        }
        Action::Api => {
            output::say_raw(KERNEL_API);
            return Ok(ExitCode::SUCCESS);
        }
    };
    let check = prebuilt != PrebuiltUse::Complete;
    let configuration = arguments.root.configuration()?;
    let architectures = arguments.architectures.chosen(&configuration, &Selection::default());
    let settings = Devices::default().settings(arguments.root.find()?, &architectures)?;
    if settings.kernels.compiler().is_none() {
        let text = format!("there is no RISC-V compiler here: {}", Compiler::INSTALL);
        return Err(Failed::new(ExitCode::NOT_PASSED, text));
    }
    let suites = settings.root.load_all()?;
    let mut requests = Vec::new();
    for suite in &suites {
        let tests = suite.tests(&architectures);
        // If a chip lacks the feature of a case, its headers lack the feature too.
        let reached = tests.iter().filter(|test| {
            test.conditions().is_none_or(|conditions| conditions.admits(test.name.architecture))
        });
        for test in reached {
            requests_of(&settings.root.suites(), test, &mut requests)?;
        }
    }
    let recordings = settings.root.recordings().map_err(|error| {
        Failed::new(ExitCode::SUITE, format!("the recordings cannot be listed: {error}"))
    })?;
    for file in recordings {
        requests_of_recording(&file, &architectures, &mut requests)?;
    }
    let report = built(&settings.kernels, &requests, prebuilt).map_err(|error| {
        let is_of_machine = error.is_of_machine();
        let code = if is_of_machine { ExitCode::INTERNAL } else { ExitCode::NOT_PASSED };
        Failed::new(code, of_compiler(&error.to_string()))
    })?;
    let named = if arguments.action.is_verbose() { usize::MAX } else { NAMED };
    let verb = if check { "differs:" } else { "changed" };
    for path in report.changed.iter().take(named) {
        let shown = path.strip_prefix(settings.root.folder()).unwrap_or(path);
        output::say(&format!("{verb} {}", shown.display()));
    }
    let others = report.changed.len().saturating_sub(named);
    if others > 0 {
        output::say(&format!(
            "{verb} {} (--verbose names all)",
            counted(others, "other", "others")
        ));
    }
    let kernels = match &arguments.action {
        Action::Check(CheckArguments { shard, .. }) if *shard != Shard::WHOLE => {
            format!(
                "{}, of which part {shard} was built again",
                counted(report.kernels, "kernel", "kernels")
            )
        }
        Action::Build(_) | Action::Check(_) | Action::FromMetalium(_) | Action::Api => {
            counted(report.kernels, "kernel build", "kernel builds")
        }
    };
    output::say(&format!(
        "{kernels}, {} {}",
        counted(report.changed.len(), "file", "files"),
        if check { "not as committed" } else { "changed" }
    ));
    output::say(&format!(
        "line tables: {} in the largest, {} together (at most {})",
        bytes(report.largest_line_table),
        bytes(report.line_tables),
        bytes(KernelStore::MOST_LINE_TABLES)
    ));
    let stale = check && !report.changed.is_empty() || !report.line_tables_fit();
    Ok(if stale { ExitCode::NOT_PASSED } else { ExitCode::SUCCESS })
}

/// The files that are named, unless the output is verbose.
const NAMED: usize = 10;

/// Builds all kernels, and shows how far it has come.
fn built(
    kernels: &KernelStore,
    requests: &[KernelBuildRequest],
    prebuilt: PrebuiltUse,
) -> Result<BuildReport, KernelBuildError> {
    let progress = OnceLock::new();
    let report = kernels.build_all_telling(requests, prebuilt, |news| match news {
        BuildNews::Begin(number) => {
            let begun = || Progress::with_estimate(number, "kernels", Form::of_stderr());
            let _ = progress.get_or_init(begun);
        }
        BuildNews::Ended { request, is_built } => {
            if let Some(progress) = progress.get() {
                progress.begin(request.sources.path());
                progress.end(is_built, None::<fn()>);
            }
        }
    });
    if let Some(progress) = progress.get() {
        progress.close();
    }
    report
}

/// The lines of a compiler's messages that are shown.
const SHOWN: usize = 40;

/// An error with the first of the compiler's messages, if it holds any.
fn of_compiler(text: &str) -> String {
    let closing = "; `hallmark run` of a test with this kernel keeps all of them in report.txt";
    first_diagnostics(text, SHOWN).with_further_errors(closing).join("\n")
}

fn requests_of(
    suites: &Path,
    test: &SelectedTest,
    requests: &mut Vec<KernelBuildRequest>,
) -> Result<(), Failed> {
    let chip = ChipDescription::of(test.name.architecture);
    let bound = test.measure_on(chip)?;
    for step in &bound.case.steps {
        let Command::CreateKernel(call) = &step.command else { continue };
        // A kernel that a test expects the build to refuse is not built.
        let refused = step.failure.as_ref().is_some_and(|failure| {
            matches!(
                failure.code(),
                FailureCode::KernelSourceNotFound
                    | FailureCode::KernelBuildFailed
                    | FailureCode::DefineInvalid
                    | FailureCode::NocModeUnsupported
                    | FailureCode::NamedCompileArgInvalid
                    | FailureCode::CircularBufferIndexTooLarge
            )
        });
        if refused {
            continue;
        }
        let closure = SourceClosure::read(suites, &call.source).map_err(|error| {
            let code = if error.is_of_machine() { ExitCode::INTERNAL } else { ExitCode::SUITE };
            Failed::new(code, format!("{}: {error}", test.name))
        })?;
        let closure = Arc::new(closure);
        for &processor in call.config.processors() {
            let sources = Arc::clone(&closure);
            let architecture = test.name.architecture;
            requests.push(KernelBuildRequest::of(call, architecture, processor, sources));
        }
    }
    Ok(())
}

/// The kernels of a recorded capture, which holds no ELFs. They are requested for every chip, so that the
/// capture replays on each chip without a compiler.
fn requests_of_recording(
    file: &Path,
    architectures: &[Architecture],
    requests: &mut Vec<KernelBuildRequest>,
) -> Result<(), Failed> {
    let capture = read(file)?;
    let failed = |error: &dyn std::fmt::Display| {
        Failed::new(ExitCode::CAPTURE, format!("{}: {error}", file.display()))
    };
    let sources = capture.program.sources.iter();
    let sources = sources.filter_map(|source| {
        Some((source.path.clone(), Arc::from(capture.blobs.get(&source.hash)?)))
    });
    let sources: BTreeMap<String, Arc<[u8]>> = sources.collect();
    for recorded in &capture.program.commands {
        let Command::CreateKernel(call) = &recorded.command else { continue };
        let closure = SourceClosure::from_files(&call.source, &sources);
        let closure = Arc::new(closure.map_err(|error| failed(&error))?);
        for &architecture in architectures {
            for &processor in call.config.processors() {
                let sources = Arc::clone(&closure);
                requests.push(KernelBuildRequest::of(call, architecture, processor, sources));
            }
        }
    }
    Ok(())
}
