//! `hallmark bisect --over kernels|images|cores|syncs`: finds which parts of the bad side cause the failure.

use std::sync::{Arc, Mutex};

use hallmark_execution::executor::Executor;
use hallmark_pipeline::Settings;
use hallmark_pipeline::signature;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::Capture;
use hallmark_triage::log::Inputs;
use hallmark_triage::parts::{
    CoreMixture, FinishMixture, ImageMixture, ImageMixtureError, KernelMixture, KernelMixtureError,
    KernelsOfSide, Mixture, PartKind, PartSearch, Progress, ReferenceError, Report, document,
    recorded_on, report,
};
use hallmark_triage::probe::{ProbeError, Prober, Reference};
use hallmark_triage::sought_failure::SoughtFailure;
use hallmark_triage::stopped::Stopped;

use super::super::triage_options::{RECORDED, Sides, Subjected, care, in_full, stopped, unable};
use super::super::{Failed, capture_file};
use super::BisectArguments;
use super::search_options::capture_hash;

/// The capture as the good side carries it out, in the folder of the search. A resumed search compares with the
/// same run.
const GOOD: &str = "good.lmb";
const SIGNATURE: &str = "signature.json";

pub(super) fn run(arguments: &BisectArguments, kind: PartKind) -> Result<ExitCode, Failed> {
    let options = &arguments.search;
    if arguments.flaky {
        let text = "--flaky is for commands and versions; --schedule-seed chooses a seed under which parts are searched";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let subject = arguments.subject()?;
    let Subjected { settings, capture, .. } = arguments.runs.subjected(subject)?;
    let Both { bad, good } = both(arguments, kind, &capture)?;
    let reference = match (kind, &good) {
        // One run of the good side says what is right, and no other run has the same parts.
        (PartKind::Kernels | PartKind::Images, _) | (PartKind::Syncs, GoodSide::Recorded(_)) => {
            Reference::Recorded
        }
        (PartKind::Cores, GoodSide::Recorded(_)) => {
            let text = "what was recorded was recorded with all cores, so it does not say what is right with some of them; name an executor with --good";
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        (PartKind::Cores | PartKind::Syncs, GoodSide::Executor(good)) => {
            Reference::Executor(good.clone())
        }
    };
    let sought = SoughtFailure::prober_names_all(reference);
    let limits = arguments.runs.limits(&capture);
    let prober = arguments.cards.prober(&settings, limits, sought)?;
    let signature = options.signature()?;
    let worker = &settings.workers.worker.executable;
    let identity = |executor: &Executor| {
        executor.identity(worker).map_err(|error| unable(ProbeError::from(error)))
    };
    let mut inputs = Inputs::default()
        .with("search", kind.name())
        .with("capture", capture_hash(&capture)?)
        .with("bad executor", in_full(&bad))
        .with("build of the bad side", identity(&bad)?)
        .with("good executor", &good)
        .with("timeout", arguments.runs.timeout)
        .with("dispatch", bad.programs.dispatch.name())
        .with("schedule seed", bad.programs.schedule_seed);
    if let GoodSide::Executor(good) = &good {
        inputs = inputs.with("build of the good side", identity(good)?);
    }
    if let Some(signature) = &signature {
        inputs = inputs
            .with("signature", signature)
            .with("level of a match", format!("{:?}", options.level));
    }
    let log = options.log(&inputs)?.map(|(log, lines)| {
        lines.into_iter().for_each(|line| prober.remember(line.key, line.result));
        Mutex::new(log)
    });
    let right = |capture: &Capture, good: &Executor| right(arguments, &prober, capture, good);
    let mixture: Box<dyn Mixture> = match kind {
        PartKind::Kernels => {
            let of_bad = kernels_of(&bad, &settings);
            let of_good = match &good {
                GoodSide::Executor(good) => kernels_of(good, &settings),
                GoodSide::Recorded(_) => KernelsOfSide::Captured(&settings.kernels),
            };
            let mixture =
                KernelMixture::new(&capture, &bad, &of_good, &of_bad).map_err(|error| {
                    let is_capture = matches!(error, KernelMixtureError::NoRecord);
                    Failed::new(if is_capture { ExitCode::CAPTURE } else { ExitCode::USAGE }, error)
                })?;
            match &good {
                GoodSide::Recorded(_) => Box::new(mixture),
                GoodSide::Executor(_) => {
                    let recorded = right(mixture.good_capture(), mixture.executor())?;
                    let Some(recorded) = recorded else { return Ok(ExitCode::INCONCLUSIVE) };
                    Box::new(mixture.beside(recorded))
                }
            }
        }
        PartKind::Images => {
            let recorded = match &good {
                GoodSide::Recorded(_) => Some(Arc::new(capture)),
                GoodSide::Executor(good) => right(&capture, good)?,
            };
            let Some(recorded) = recorded else { return Ok(ExitCode::INCONCLUSIVE) };
            let of_good = good.executor();
            let mixture = ImageMixture::new(recorded, of_good, &bad).map_err(|error| {
                let is_ours = matches!(error, ImageMixtureError::Folder(_));
                Failed::new(if is_ours { ExitCode::INTERNAL } else { ExitCode::USAGE }, error)
            })?;
            Box::new(mixture)
        }
        PartKind::Cores => Box::new(CoreMixture::new(Arc::new(capture), bad.clone())),
        PartKind::Syncs => Box::new(FinishMixture::new(Arc::new(capture), bad.clone())),
    };
    let bar = options.bar();
    let progress = |Progress { runs, bad_parts, parts }: Progress| {
        bar.set_message(format!("run {runs}: {bad_parts} of {parts} {}", kind.name()));
        bar.tick();
    };
    let sought = SoughtFailure::new(signature, options.level);
    let mut search = PartSearch::new(&prober, &*mixture, sought, options.jobs());
    search.log = log;
    search.progress = &progress;
    let conclusion = search.run();
    bar.finish_and_clear();
    let conclusion = match conclusion {
        Ok(conclusion) => conclusion,
        Err(Stopped::Interrupted) => return Err(options.interrupted()),
        Err(error) => return Err(stopped(error)),
    };
    let (subject, good, bad) = (subject.to_string(), good.to_string(), in_full(&bad));
    let about = Report { subject: &subject, good: &good, bad: &bad };
    let lines = report(&search, &conclusion, &about);
    let mut more = Vec::new();
    if let Some(folder) = options.folder() {
        let found = search.sought.signature();
        if let Some(text) = found.as_ref().and_then(|found| signature::text(found).ok()) {
            capture_file::write(&folder.join(SIGNATURE), text.as_bytes())?;
        }
        more.push(format!("  kept      {}  (answer, log)", folder.display()));
    }
    more.extend(care(&prober));
    options.answer(&lines, &document(&search, &conclusion, &about), &more)?;
    Ok(if conclusion.is_answer() { ExitCode::SUCCESS } else { ExitCode::INCONCLUSIVE })
}

/// Both sides of a search for parts.
struct Both {
    bad: Executor,
    good: GoodSide,
}

/// The side whose parts are right.
enum GoodSide {
    /// This executor's run of the capture is right.
    Executor(Executor),
    /// The capture's recorded run is right; the parts are those of this executor.
    Recorded(Executor),
}

impl GoodSide {
    const fn executor(&self) -> &Executor {
        match self {
            Self::Executor(executor) | Self::Recorded(executor) => executor,
        }
    }
}

impl std::fmt::Display for GoodSide {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Executor(executor) => formatter.write_str(&in_full(executor)),
            Self::Recorded(_) => formatter.write_str(RECORDED),
        }
    }
}

fn both(arguments: &BisectArguments, kind: PartKind, capture: &Capture) -> Result<Both, Failed> {
    let bad = arguments.bad()?;
    let good = arguments.good.as_deref();
    if matches!(kind, PartKind::Cores | PartKind::Syncs) {
        let Sides { bad, reference } = arguments.runs.sides(bad, good, capture)?;
        let good = match reference {
            Reference::Executor(good) => GoodSide::Executor(good),
            Reference::Recorded => GoodSide::Recorded(bad.clone()),
        };
        return Ok(Both { bad, good });
    }
    let bad = arguments.runs.executor(bad, capture)?;
    let without = |executor: &Executor| {
        let mut executor = executor.clone();
        match kind {
            PartKind::Kernels => executor.kernels = None,
            PartKind::Images | PartKind::Cores | PartKind::Syncs => {
                executor.programs.firmware = None;
            }
        }
        executor
    };
    let good = match good {
        Some(RECORDED) => GoodSide::Recorded(without(&bad)),
        None => GoodSide::Executor(without(&bad)),
        Some(good) => GoodSide::Executor(arguments.runs.executor(good, capture)?),
    };
    if without(good.executor()) != without(&bad) {
        let part = match kind {
            PartKind::Kernels => "kernels=FOLDER",
            PartKind::Images | PartKind::Cores | PartKind::Syncs => "firmware=FOLDER",
        };
        let text = format!(
            "{good} and {bad} differ in more than {part}, so a difference would say nothing of {}; let them differ in that alone, or search --over versions",
            kind.name()
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    Ok(Both { bad, good })
}

fn kernels_of<'s>(executor: &Executor, settings: &'s Settings) -> KernelsOfSide<'s> {
    match &executor.kernels {
        None => KernelsOfSide::Captured(&settings.kernels),
        Some(folder) => KernelsOfSide::Folder {
            name: format!("kernels={}", folder.display()),
            store: executor.kernel_store(&settings.kernels),
        },
    }
}

/// The capture as the good side carries it out: from the folder if the search was stopped, otherwise from a run
/// now. `None` if the good side cannot say what is right; the user is told so.
fn right(
    arguments: &BisectArguments,
    prober: &Prober<'_>,
    capture: &Capture,
    good: &Executor,
) -> Result<Option<Arc<Capture>>, Failed> {
    let options = &arguments.search;
    let kept = options.folder().map(|folder| folder.join(GOOD));
    if let Some(kept) = kept.as_ref().filter(|kept| options.resume.is_some() && kept.is_file()) {
        return capture_file::read(kept).map(|capture| Some(Arc::new(capture)));
    }
    let recorded = match recorded_on(prober, capture, good) {
        Ok(recorded) => recorded,
        Err(ReferenceError::Probe(error)) => return Err(unable(error)),
        Err(error @ (ReferenceError::CannotTell(_) | ReferenceError::GoodFails(_))) => {
            let subject = arguments.subject()?;
            let lines = [
                format!("INCONCLUSIVE {subject}: {error}"),
                "  next      name an executor with --good that does not fail".to_owned(),
            ];
            let document = serde_json::json!({
                "answer": "inconclusive",
                "conclusion": "inconclusive",
                "reason": error.to_string(),
                "text": lines,
            });
            options.answer(&lines, &document, &[])?;
            return Ok(None);
        }
    };
    if let Some(kept) = kept {
        let bytes = recorded.to_bytes().map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        capture_file::write(&kept, &bytes)?;
    }
    Ok(Some(recorded))
}
