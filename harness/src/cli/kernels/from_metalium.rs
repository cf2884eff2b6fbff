//! `hallmark kernels from-metalium`: which kernels of a capture build with Hallmark's headers, and what the others lack.

mod lack;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_pipeline::report::style::{BAD, GOOD, painted};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::{KernelProblem, find_kernels};
use hallmark_schema::commands::CreateKernel;
use hallmark_schema::model::{Capture, Command, Outcome};
use hallmark_schema::plural::counted;
use serde::Serialize;

use self::lack::{Lack, LackKind};
use crate::cli::capture_file::read_to_replay;
use crate::cli::options::OUTPUT;
use crate::cli::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct FromMetaliumArguments {
    /// Captures, their JSON lines, or journals that a crash left behind
    #[arg(required = true, value_name = "CAPTURE")]
    captures: Vec<PathBuf>,
    /// Print the answer as JSON, with all messages of the compiler
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
    version: u32,
    captures: Vec<OfCapture>,
    kernels: usize,
    build: usize,
}

/// The kernels of one capture, for one chip.
#[derive(Serialize)]
struct OfCapture {
    file: PathBuf,
    /// The name and the version of the runtime that it was recorded under.
    recorded_under: String,
    device: String,
    kernels: Vec<OfKernel>,
}

/// One kernel of a capture.
#[derive(Serialize)]
struct OfKernel {
    name: String,
    source: String,
    /// The source and its own includes, as far as they are known: those of a kernel that lacks a header are not.
    sources: Vec<String>,
    processors: Vec<&'static str>,
    builds: bool,
    lacks: Option<Lack>,
}

pub(super) fn run(
    arguments: &FromMetaliumArguments,
    architectures: &[Architecture],
    store: &KernelStore,
) -> Result<ExitCode, Failed> {
    let architectures: BTreeSet<Architecture> = architectures.iter().copied().collect();
    let mut captures = Vec::new();
    for file in &arguments.captures {
        let capture = read_to_replay(file)?;
        let own = BTreeSet::from([capture.program.architecture]);
        for &architecture in if architectures.is_empty() { &own } else { &architectures } {
            captures.push(of_capture(file, &capture, architecture, store)?);
        }
    }
    let all = || captures.iter().flat_map(|capture| &capture.kernels);
    let (kernels, build) = (all().count(), all().filter(|kernel| kernel.builds).count());
    if arguments.json {
        let answer = Answer { version: 1, captures, kernels, build };
        let text = serde_json::to_string_pretty(&answer)
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        output::say_json(&text);
    } else {
        for capture in &captures {
            output::say(&told(capture));
        }
        output::say(&summary(&captures, arguments.captures.len(), kernels, build));
    }
    Ok(if build == kernels { ExitCode::SUCCESS } else { ExitCode::REFUSED })
}

/// The kernels of a capture, built as a replay on the chip's simulator builds them.
fn of_capture(
    file: &Path,
    capture: &Capture,
    architecture: Architecture,
    store: &KernelStore,
) -> Result<OfCapture, Failed> {
    let found = find_kernels(capture, architecture, store);
    let calls = capture.program.commands.iter().filter_map(|recorded| match &recorded.command {
        Command::CreateKernel(call) => Some((call, &recorded.outcome)),
        _ => None,
    });
    let mut kernels = Vec::new();
    for (call, outcome) in calls {
        let (sources, lacks) = match found.get(&call.kernel) {
            Some(Ok(built)) => (built.sources.iter().map(|(path, _)| path.clone()).collect(), None),
            Some(Err(KernelProblem::Machine(reason))) => {
                let text = format!("{}: kernel `{}`: {reason}", file.display(), call.name);
                return Err(Failed::new(ExitCode::INTERNAL, text));
            }
            Some(Err(problem)) => {
                let lack = Lack::of(problem, |path| is_source(capture, path));
                (vec![call.source.clone()], Some(lack))
            }
            // The capture holds its ELFs, or the captured run did not build it either.
            None => (vec![call.source.clone()], unbuilt(outcome)),
        };
        kernels.push(of_kernel(call, sources, lacks));
    }
    let recorder = capture.record.as_ref().and_then(|record| record.origin.as_ref());
    let recorded_under = recorder.map_or_else(
        || "Hallmark".to_owned(),
        |origin| format!("{} {}", origin.executor.name, origin.executor.release),
    );
    let device = format!("sim:{architecture}");
    Ok(OfCapture { file: file.to_owned(), recorded_under, device, kernels })
}

fn of_kernel(call: &CreateKernel, sources: Vec<String>, lacks: Option<Lack>) -> OfKernel {
    OfKernel {
        name: call.name.clone(),
        source: call.source.clone(),
        sources,
        processors: call.config.processors().iter().map(|processor| processor.name()).collect(),
        builds: lacks.is_none(),
        lacks,
    }
}

/// Whether a file, as the compiler names it, is one of a capture's sources.
fn is_source(capture: &Capture, file: &str) -> bool {
    let file = file.trim_start_matches("./");
    capture.program.sources.iter().any(|source| source.path == file)
}

/// What a kernel lacks that the captured run did not build.
fn unbuilt(outcome: &Outcome) -> Option<Lack> {
    let why = match outcome {
        Outcome::Done => return None,
        Outcome::Failed(_) => "the kernel did not build when it was captured",
        Outcome::Unfinished => "the capture ends before the kernel was built",
    };
    Some(Lack { kind: LackKind::Capture, text: why.to_owned(), messages: Vec::new() })
}

/// A capture's kernels for people.
fn told(capture: &OfCapture) -> String {
    let OfCapture { file, recorded_under, device, kernels } = capture;
    let mut lines = vec![format!(
        "{}: {} recorded under {recorded_under}, for {device}",
        file.display(),
        counted(kernels.len(), "kernel", "kernels"),
    )];
    let widest = |text: fn(&OfKernel) -> usize| kernels.iter().map(text).max().unwrap_or(0);
    let names = widest(|kernel| kernel.name.chars().count());
    let threads = widest(|kernel| kernel.processors.join(", ").len());
    for OfKernel { name, source, sources, processors, builds: _, lacks } in kernels {
        let (style, word) = if lacks.is_none() { (GOOD, "builds") } else { (BAD, "lacks ") };
        let others = match sources.len().saturating_sub(1) {
            0 => String::new(),
            others => format!(" and {}", counted(others, "more file", "more files")),
        };
        lines.push(format!(
            "  {}  {name:names$}  {:threads$}  {source}{others}",
            painted(style, word),
            processors.join(", "),
        ));
        lines.extend(lacks.as_ref().map(|lack| format!("          {}", lack.text)));
    }
    lines.join("\n")
}

/// How many kernels build, and how many others have each kind of cause that they do not.
fn summary(captures: &[OfCapture], files: usize, kernels: usize, build: usize) -> String {
    let lacks = || captures.iter().flat_map(|it| &it.kernels).filter_map(|it| it.lacks.as_ref());
    let kinds = LackKind::ALL.into_iter().filter_map(|kind| {
        let count = lacks().filter(|lack| lack.kind == kind).count();
        (count > 0).then(|| kind.words(count))
    });
    let built = match build {
        1 => "1 builds".to_owned(),
        _ => format!("{build} build"),
    };
    let parts: Vec<String> = std::iter::once(built).chain(kinds).collect();
    format!(
        "{} of {}: {}",
        counted(kernels, "kernel", "kernels"),
        counted(files, "capture", "captures"),
        parts.join(", "),
    )
}
