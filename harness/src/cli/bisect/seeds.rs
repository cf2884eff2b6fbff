//! `hallmark bisect --over seeds`: finds the schedule seeds under which the failure shows.

use std::sync::Mutex;

use hallmark_execution::executor::{Executor, Release};
use hallmark_pipeline::seeds::Seeds;
use hallmark_pipeline::signature;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_triage::log::Inputs;
use hallmark_triage::probe::{ProbeError, Reference};
use hallmark_triage::seeds::{Conclusion, RECORDED, Report, SeedSearch, document, report};
use hallmark_triage::sought_failure::SoughtFailure;
use hallmark_triage::stopped::Stopped;

use super::super::triage_options::{Sides, Subjected, care, in_full, stopped, unable};
use super::super::{Failed, capture_file};
use super::BisectArguments;
use super::search_options::capture_hash;

/// The number of seeds that are tried by default.
const USUAL_SEEDS: u64 = 64;
const SIGNATURE: &str = "signature.json";

pub(super) fn run(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    let options = &arguments.search;
    if arguments.flaky {
        let text =
            "--flaky is for commands and versions; --over seeds asks about each seed by itself";
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let subject = arguments.subject()?;
    let Subjected { settings, capture, .. } = arguments.runs.subjected(subject)?;
    let Sides { bad, reference } =
        arguments.runs.sides(arguments.bad()?, arguments.good.as_deref(), &capture)?;
    if !bad.device.repeats() || matches!(bad.release, Release::Metalium(_)) {
        let text = format!(
            "no schedule seed decides what {} does; search with --flaky instead",
            in_full(&bad)
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let seeds = arguments.schedule_seeds.unwrap_or(Seeds::first(USUAL_SEEDS));
    let good = match &reference {
        Reference::Executor(good) => in_full(good),
        Reference::Recorded => RECORDED.to_owned(),
    };
    let worker = &settings.workers.worker.executable;
    let identity = |executor: &Executor| {
        executor.identity(worker).map_err(|error| unable(ProbeError::from(error)))
    };
    let signature = options.signature()?;
    let mut inputs = Inputs::default()
        .with("search", "seeds")
        .with("schedule seeds", seeds)
        .with("capture", capture_hash(&capture)?)
        .with("bad executor", in_full(&bad))
        .with("build of the bad side", identity(&bad)?)
        .with("good executor", &good)
        .with("timeout", arguments.runs.timeout)
        .with("dispatch", bad.programs.dispatch.name());
    if let Reference::Executor(good) = &reference {
        inputs = inputs.with("build of the good side", identity(good)?);
    }
    if let Some(signature) = &signature {
        inputs = inputs
            .with("signature", signature)
            .with("level of a match", format!("{:?}", options.level));
    }
    let limits = arguments.runs.limits(&capture);
    let sought = SoughtFailure::prober_names_all(reference);
    let prober = arguments.cards.prober(&settings, limits, sought)?;
    let log = options.log(&inputs)?.map(|(log, lines)| {
        lines.into_iter().for_each(|line| prober.remember(line.key, line.result));
        Mutex::new(log)
    });
    let bar = options.bar();
    let progress = |seed: u64| {
        bar.set_message(format!("schedule seed {seed} of {seeds}"));
        bar.tick();
    };
    let sought = SoughtFailure::new(signature, options.level);
    let mut search = SeedSearch::new(&prober, &capture, &bad, seeds, sought);
    search.jobs = options.jobs();
    search.log = log;
    search.progress = &progress;
    let conclusion = search.run();
    bar.finish_and_clear();
    let conclusion = match conclusion {
        Ok(conclusion) => conclusion,
        Err(Stopped::Interrupted) => return Err(options.interrupted()),
        Err(error) => return Err(stopped(error)),
    };
    let (subject, bad) = (subject.to_string(), in_full(&bad));
    let about = Report { subject: &subject, good: &good, bad: &bad };
    let mut more = Vec::new();
    if let Some(folder) = options.folder() {
        let found = search.sought.signature();
        if let Some(text) = found.as_ref().and_then(|found| signature::text(found).ok()) {
            capture_file::write(&folder.join(SIGNATURE), text.as_bytes())?;
        }
        more.push(format!("  kept      {}  (answer, log)", folder.display()));
    }
    more.extend(care(&prober));
    let lines = report(&search, &conclusion, &about);
    options.answer(&lines, &document(&search, &conclusion, &about), &more)?;
    Ok(match conclusion {
        Conclusion::Some(_) => ExitCode::SUCCESS,
        Conclusion::Inconclusive(_) => ExitCode::INCONCLUSIVE,
    })
}
