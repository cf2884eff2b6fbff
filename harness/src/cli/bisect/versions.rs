//! `hallmark bisect --over versions`: finds the first bad version on one axis or on several.

use std::cell::RefCell;
use std::sync::Arc;

use clap::Args;
use hallmark_execution::executor::{ExecutorChoice, Release};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::ContentHash;
use hallmark_triage::log::Inputs;
use hallmark_triage::probe::{ProbeError, Reference};
use hallmark_triage::sought_failure::SoughtFailure;
use hallmark_triage::stopped::Stopped;
use hallmark_triage::versions::{
    Axis, AxisContext, AxisError, AxisKind, AxisText, BuildProduct, Conclusion, Inconclusive,
    Options, Progress, VersionSearch, document, report,
};

use serde_json::json;

use super::super::Failed;
use super::super::options::SELECTION;
use super::super::subject::Subject;
use super::super::triage_options::{RECORDED, Subjected, care, stopped, unable};
use super::BisectArguments;
use super::between_releases::{Closer, look_closer};
use super::budget::Budget;
use super::commits::{CommitOptions, Commits};
use super::search_options::capture_hash;

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
    pub(super) axis: Vec<AxisText>,
    #[command(flatten)]
    pub(super) commits: CommitOptions,
}

/// The subject of a search whose axis is a list of captures.
const CAPTURES: &str = "the replay";

pub(super) fn run(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    let options = &arguments.versions;
    if options.axis.is_empty() {
        let text = "--over versions takes an axis: --axis firmware=FOLDER,FOLDER…, or hallmark, ttsim, kernels, capture, executor";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let whole_executors = options.axis.iter().any(|axis| axis.kind == AxisKind::Executor);
    if options.commits.git.is_some() {
        options
            .axis
            .iter()
            .try_for_each(|axis| BuildProduct::of(axis).map(drop).map_err(unreadable))?;
    }
    if arguments.bad.is_some() && whole_executors {
        let text = "--bad names the executor that versions are parts of, and --axis executor=… names whole ones; leave one of them out";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    if arguments.flaky && options.axis.len() > 1 {
        let text = "--flaky takes one --axis: which of several axes matters is asked in single runs; search each axis by itself";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    // The captures on an axis are not versions of another capture.
    let of_axis = options.axis.iter().find(|axis| axis.kind == AxisKind::Capture);
    let first = of_axis.map(AxisText::first).transpose().map_err(unreadable)?;
    let (subject, name) = match (&arguments.subject, first) {
        (Some(subject), None) => (subject.clone(), subject.to_string()),
        (None, Some(first)) => (Subject::Capture(first.into()), CAPTURES.to_owned()),
        (Some(subject), Some(_)) => {
            let text = format!(
                "{subject} stands beside --axis capture=…, which names all captures of the search; leave {subject} out"
            );
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        (None, None) => {
            let text = "name a capture or a test that is searched, or several with --axis capture=FILE,FILE…";
            return Err(Failed::new(ExitCode::USAGE, text));
        }
    };
    let Subjected { settings, capture, .. } = arguments.runs.subjected(&subject)?;
    let programs = arguments.runs.programs.settings()?;
    let base: ExecutorChoice = match &arguments.bad {
        Some(bad) => bad.parse().map_err(|error| Failed::new(ExitCode::USAGE, error))?,
        None => ExecutorChoice::simulator(),
    };
    base.check_folders().map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    // Another release chooses the firmware that it can use.
    let others = options.axis.iter().any(|axis| match axis.kind {
        AxisKind::Hallmark => true,
        AxisKind::Executor => axis.values.iter().any(|value| value.contains("hallmark:")),
        AxisKind::Ttsim | AxisKind::Firmware | AxisKind::Kernels | AxisKind::Capture => false,
    });
    let context = AxisContext {
        architecture: capture.program.architecture,
        loads_firmware: base.release == Release::This && !others,
    };
    let deadline = arguments.budget.and_then(Budget::deadline);
    let commits = arguments.versions.commits.commits(arguments, &context, deadline)?;
    let axes = match &commits {
        Some(commits) => vec![commits.axis.clone()],
        None => Axis::read_all(&options.axis, &context).map_err(unreadable)?,
    };
    let reference = match arguments.good.as_deref() {
        None | Some(RECORDED) => Reference::Recorded,
        Some(good) => Reference::Executor(arguments.runs.executor(good, &capture)?),
    };
    let signature = arguments.search.signature()?;
    let mut inputs = inputs(arguments, &capture_hash(&capture)?, &base, &axes)
        .with("dispatch", programs.dispatch.name())
        .with("schedule seed", programs.schedule_seed);
    if let Some(commits) = &commits {
        inputs = commits.inputs(inputs);
    }
    if let Reference::Executor(good) = &reference {
        let identity = good.identity(&settings.workers.worker.executable);
        inputs = inputs
            .with("build of the good side", identity.map_err(ProbeError::from).map_err(unable)?);
    }
    if let Some(signature) = &signature {
        inputs = inputs
            .with("signature", signature)
            .with("level of a match", format!("{:?}", arguments.search.level));
    }
    let sought = SoughtFailure::prober_names_all(reference);
    let limits = arguments.runs.limits(&capture);
    let prober = arguments.cards.prober(&settings, limits, sought)?;

    let log = arguments.search.log(&inputs)?.map(|(log, lines)| {
        lines.into_iter().for_each(|line| prober.remember(line.key, line.result));
        log
    });
    let bar = arguments.search.bar();
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
    let options = Options { confidence, budget: budget.map(Budget::runs), flaky };
    let mut search =
        VersionSearch::new(&prober, &axes, &base, &capture, &settings.workers.programs, options);
    search.programs = &programs;
    search.deadline = deadline;
    let prepare = |number| match &commits {
        Some(commits) => commits.prepare(number, &bar),
        None => Ok(None),
    };
    search.prepare = &prepare;
    search.progress = &progress;
    search.sought = SoughtFailure::new(signature, arguments.search.level);
    search.log = log.map(RefCell::new);
    let conclusion = search.run();
    bar.finish_and_clear();
    let conclusion = match conclusion {
        Ok(conclusion) => conclusion,
        Err(error) => {
            commits.iter().for_each(Commits::remove_tree);
            return Err(match error {
                Stopped::Interrupted => arguments.search.interrupted(),
                error => stopped(error),
            });
        }
    };
    let subject = name;
    let mut lines = report(&search, &subject, &conclusion);
    let neighbours = search.neighbours(&conclusion);
    let closer = match &neighbours {
        Some(sides) => look_closer(arguments, &settings, &capture, &subject, sides)?,
        None => None,
    };
    let kept =
        arguments.search.folder().map(|it| format!("  kept      {}  (answer, log)", it.display()));
    let mut document = json!(document(&search, &subject, &conclusion));
    if let Some(Closer { lines: more, document: found }) = closer {
        lines.extend(more);
        if let Some(document) = document.as_object_mut() {
            document.insert("closer".to_owned(), found);
            document.insert("text".to_owned(), json!(lines));
        }
    }
    lines.extend(commits.iter().flat_map(Commits::lines));
    let more: Vec<String> = kept.into_iter().chain(care(&prober)).collect();
    arguments.search.answer(&lines, &document, &more)?;
    commits.iter().for_each(Commits::remove_tree);
    Ok(match conclusion {
        Conclusion::Found { .. } => ExitCode::SUCCESS,
        // The search has no answer because a capture cannot be replayed there.
        Conclusion::Inconclusive(Inconclusive::CannotTell { .. }) if search.has_refused() => {
            ExitCode::REFUSED
        }
        Conclusion::Inconclusive(Inconclusive::Along(culprit))
            if search.has_refused()
                && culprit.found.conclusion == hallmark_search::Conclusion::NothingTold =>
        {
            ExitCode::REFUSED
        }
        Conclusion::Inconclusive(_) => ExitCode::INCONCLUSIVE,
    })
}

pub(super) fn unreadable(error: AxisError) -> Failed {
    let is_capture = matches!(error, AxisError::NoCapture { .. });
    Failed::new(if is_capture { ExitCode::CAPTURE } else { ExitCode::USAGE }, error)
}

/// The inputs that decide which questions the search asks.
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
        .with("budget", Budget::input(arguments.budget))
        .with("flakiness", if arguments.flaky { "known" } else { "unknown" });
    for axis in axes {
        let hashes: Vec<String> = axis.versions.iter().map(|it| it.hash.to_string()).collect();
        inputs = inputs.with(format!("axis {}", axis.kind), hashes.join(" "));
    }
    inputs
}
