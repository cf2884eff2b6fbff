//! `hallmark bisect --over versions`: the first bad version on an axis, or on several.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hallmark_schema::model::ContentHash;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::super::capture_file::write;
use super::super::options::{EXECUTION, SELECTION};
use super::super::triage_options::{RECORDED, Subjected, unable};
use super::super::{Failed, output, signature_file};
use super::BisectArguments;
use crate::executor::{ExecutorChoice, Release};
use crate::triage::log::{Inputs, Log, LogError};
use crate::triage::probe::{ProbeError, Prober, Reference, Sought};
use crate::triage::signature::{MatchLevel, Signature};
use crate::triage::versions::{
    Axis, AxisContext, AxisError, AxisKind, AxisText, Conclusion, Options, Progress, Stopped,
    VersionSearch, document, report,
};
use crate::verdict::ExitCode;

/// The options of a search along versions.
#[derive(Clone, Debug, Args)]
pub(super) struct VersionOptions {
    /// An axis of versions, in their order (repeatable)
    ///
    /// firmware=FOLDER,FOLDER… are firmware bundles, kernels=FOLDER… prebuilt kernels, hallmark=FILE… executables of
    /// Hallmark, ttsim=FILE… simulators' libraries, capture=FILE… captures, and executor=EXECUTOR… whatever --bad takes.
    /// A pattern such as fw/1.* stands for what it matches, in the order of versions, and @FILE for the lines of a
    /// file. `builtin` is the firmware and the kernels of this Hallmark, and `this` its executable.
    #[arg(long, value_name = "KIND=VERSION,VERSION…", help_heading = SELECTION)]
    axis: Vec<AxisText>,
    /// The failure that is looked for, as `hallmark run` and `hallmark replay --signature` write it [default: the first
    /// one that shows]
    #[arg(long, value_name = "FILE", help_heading = SELECTION)]
    signature: Option<PathBuf>,
    /// Go on with the search in this folder, which -o named before
    #[arg(long, value_name = "FOLDER", conflicts_with = "output", help_heading = EXECUTION)]
    resume: Option<PathBuf>,
}

impl VersionOptions {
    /// Whether any of them is there that says nothing of commands.
    pub(super) fn is_empty(&self) -> bool {
        self.axis.is_empty() && self.signature.is_none() && self.resume.is_none()
    }
}

pub(super) fn run(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    let options = &arguments.versions;
    if options.axis.is_empty() {
        let text = "--over versions takes an axis: --axis firmware=FOLDER,FOLDER…, or hallmark, ttsim, kernels, capture, executor";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let whole_executors = options.axis.iter().any(|axis| axis.kind == AxisKind::Executor);
    if arguments.bad.is_some() && whole_executors {
        let text = "--bad names the executor that versions are parts of, and --axis executor=… names whole ones; leave one of them out";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    if arguments.flaky && options.axis.len() > 1 {
        let text = "--flaky takes one --axis: which of several axes matters is asked in single runs; search each axis by itself";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let Subjected { settings, capture, bound } = arguments.runs.subjected(&arguments.subject)?;
    let programs = arguments.runs.programs.settings()?;
    let base: ExecutorChoice = match &arguments.bad {
        Some(bad) => bad.parse().map_err(|error| Failed::new(ExitCode::USAGE, error))?,
        None => ExecutorChoice::simulator(),
    };
    base.check_folders().map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    // Another release knows by itself which firmware it can use.
    let others = options.axis.iter().any(|axis| match axis.kind {
        AxisKind::Hallmark => true,
        AxisKind::Executor => axis.values.iter().any(|value| value.contains("hallmark:")),
        AxisKind::Ttsim | AxisKind::Firmware | AxisKind::Kernels | AxisKind::Capture => false,
    });
    let context = AxisContext {
        architecture: capture.program.architecture,
        loads_firmware: base.release == Release::This && !others,
    };
    let axes = Axis::read_all(&options.axis, &context).map_err(unreadable)?;
    let reference = match arguments.good.as_deref() {
        None | Some(RECORDED) => Reference::Recorded,
        Some(good) => Reference::Executor(arguments.runs.executor(good, &capture)?),
    };
    let signature = options.signature.as_deref().map(signature_file::read).transpose()?;
    let mut inputs = inputs(arguments, &capture_hash(&capture)?, &base, &axes)
        .with("dispatch", programs.dispatch.name())
        .with("schedule seed", programs.schedule_seed);
    if let Reference::Executor(good) = &reference {
        let identity = good.identity(&settings.workers.worker.executable);
        inputs = inputs
            .with("build of the good side", identity.map_err(ProbeError::from).map_err(unable)?);
    }
    if let Some(signature) = &signature {
        inputs = inputs.with("signature", signature);
    }
    // A prober names every failure but the one that it seeks. Which failures are the same the search decides, so that
    // the prober may seek any.
    let any = Signature::Hang { program: None };
    let sought = Sought { signature: Some(any), level: MatchLevel::default(), reference };
    let limits = arguments.runs.limits(bound.as_ref());
    let kernels = Arc::clone(&settings.kernels);
    let prober = Prober::new(&settings.workers, kernels, limits, sought).map_err(unable)?;

    let folder = options.resume.as_ref().or(arguments.output.as_ref());
    let log = folder.map(|folder| open_log(folder, options.resume.is_some(), &inputs, &prober));
    let bar = ProgressBar::new_spinner();
    if arguments.json || output::error_width().is_none() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let progress = |Progress { runs, axis, bracket }: &Progress| {
        let at = match (axis, bracket) {
            (Some(axis), Some((before, after))) => format!("{axis} between {before} and {after}"),
            (Some(axis), None) => format!("the ends of {axis}"),
            (None, _) => "which axes matter".to_owned(),
        };
        bar.set_message(format!("run {runs}: {at}"));
        bar.tick();
    };
    let capture = Arc::new(capture);
    let BisectArguments { confidence, budget, flaky, .. } = *arguments;
    let options = Options { confidence, budget, flaky };
    let mut search =
        VersionSearch::new(&prober, &axes, &base, &capture, &settings.workers.programs, options);
    search.programs = &programs;
    search.progress = &progress;
    search.signature = RefCell::new(signature);
    search.log = log.transpose()?.map(RefCell::new);
    let conclusion = search.run();
    bar.finish_and_clear();
    let conclusion = match conclusion {
        Ok(conclusion) => conclusion,
        Err(Stopped::Interrupted) => return Ok(ExitCode::INTERRUPTED),
        Err(Stopped::Probe(error)) => return Err(unable(error)),
        Err(Stopped::Log(error)) => return Err(Failed::new(ExitCode::INTERNAL, error)),
    };
    let subject = arguments.subject.to_string();
    let mut lines = report(&search, &subject, &conclusion);
    let document = serde_json::to_string_pretty(&document(&search, &subject, &conclusion))
        .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
    if let Some(folder) = folder {
        write(&folder.join("answer.json"), document.as_bytes())?;
        write(&folder.join("answer.txt"), (lines.join("\n") + "\n").as_bytes())?;
        lines.push(format!("  kept      {}  (answer, log)", folder.display()));
    }
    if arguments.json {
        output::say_raw(&format!("{document}\n"));
    } else {
        output::say(&lines.join("\n"));
    }
    Ok(match conclusion {
        Conclusion::Found { .. } => ExitCode::SUCCESS,
        Conclusion::Inconclusive(_) => ExitCode::INCONCLUSIVE,
    })
}

fn unreadable(error: AxisError) -> Failed {
    let is_capture = matches!(error, AxisError::NoCapture { .. });
    Failed::new(if is_capture { ExitCode::CAPTURE } else { ExitCode::USAGE }, error)
}

fn capture_hash(capture: &hallmark_schema::model::Capture) -> Result<ContentHash, Failed> {
    let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
    Ok(ContentHash::of(&bytes))
}

/// What decides which questions are asked.
fn inputs(
    arguments: &BisectArguments,
    capture: &ContentHash,
    base: &ExecutorChoice,
    axes: &[Axis],
) -> Inputs {
    let mut inputs = Inputs::default()
        .with("search", "versions")
        .with("capture", capture)
        .with("executor", base)
        .with("good side", arguments.good.as_deref().unwrap_or(RECORDED))
        .with("timeout", arguments.runs.timeout)
        .with("confidence", arguments.confidence)
        .with("budget", arguments.budget.map_or("none".to_owned(), |runs| runs.to_string()))
        .with("flakiness", if arguments.flaky { "known" } else { "unknown" });
    for axis in axes {
        let hashes: Vec<String> = axis.versions.iter().map(|it| it.hash.to_string()).collect();
        inputs = inputs.with(format!("axis {}", axis.kind), hashes.join(" "));
    }
    inputs
}

/// The log in a folder; a search that goes on remembers what it says.
fn open_log(
    folder: &Path,
    resume: bool,
    inputs: &Inputs,
    prober: &Prober<'_>,
) -> Result<Log<String>, Failed> {
    let failed = |error: LogError| {
        let is_ours = matches!(error, LogError::File { .. }) && !resume;
        Failed::new(if is_ours { ExitCode::INTERNAL } else { ExitCode::USAGE }, error)
    };
    let path = folder.join("log.jsonl");
    if !resume {
        return Log::create(&path, inputs).map_err(failed);
    }
    let (log, lines) = Log::resume(&path, inputs).map_err(failed)?;
    for line in lines {
        prober.remember(line.key, line.result);
    }
    Ok(log)
}
