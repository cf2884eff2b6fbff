//! `hallmark bisect` over commands: finds the first command at which two executors differ.

use std::path::Path;
use std::time::Instant;

use hallmark_execution::executor::Executor;
use hallmark_pipeline::quoted;
use hallmark_pipeline::signature::{self, MatchLevel};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_schema_editing::with_end_as_call;
use hallmark_triage::bisect::{
    Bisecting, ComparisonLog, Conclusion, FlakyOptions, Good, Progress, Report, SoughtSign, cut,
    document, report, with_open_end,
};
use hallmark_triage::log::Inputs;
use hallmark_triage::probe::{ProbeError, Prober, Reference, Sought};
use hallmark_triage::tick_budget;

use super::super::capture_file::write;
use super::super::triage_options::{RECORDED, Sides, Subjected, care, in_full, unable};
use super::super::{Failed, output};
use super::BisectArguments;
use super::budget::Budget;
use super::search_options::{ANSWER, capture_hash};

/// The number of schedule seeds that are tried until one shows a flaky failure.
const SEEDS: u64 = 64;

pub(super) fn run(arguments: &BisectArguments) -> Result<ExitCode, Failed> {
    let options = &arguments.search;
    let named = options.signature()?.map(|it| SoughtSign { signature: it, level: options.level });
    let subject = arguments.subject()?;
    let Subjected { settings, capture, bound } = arguments.runs.subjected(subject)?;
    let Sides { mut bad, reference } =
        arguments.runs.sides(arguments.bad()?, arguments.good.as_deref(), &capture)?;
    let mut good = match &reference {
        Reference::Executor(good) => Good::Executor(good.clone()),
        Reference::Recorded => Good::Recorded,
    };
    if let Some(folder) = &options.output {
        prepare(folder)?;
    }
    let mut inputs = inputs(arguments, &capture, &bad, &reference)?;
    let mut identify = |side: &str, executor: &Executor| -> Result<(), Failed> {
        let identity = executor.identity(&settings.workers.worker.executable);
        let identity = identity.map_err(ProbeError::from).map_err(unable)?;
        inputs = std::mem::take(&mut inputs).with(format!("build of the {side} side"), identity);
        Ok(())
    };
    identify("bad", &bad)?;
    match &reference {
        Reference::Executor(good) => identify("good", good)?,
        Reference::Recorded => {}
    }
    if let Some(SoughtSign { signature, level }) = &named {
        inputs = inputs.with("signature", signature).with("level of a match", format!("{level:?}"));
    }
    let log = options.log(&inputs)?.map(ComparisonLog::new);
    // A cut runs only its own calls. So the search takes the end of the queues as one more call of the capture.
    let capture = with_end_as_call(&capture).into_owned();
    let capture = match good {
        Good::Executor(_) => with_open_end(&capture).into_owned(),
        // The search compares with the end that the capture records.
        Good::Recorded => capture,
    };
    let subject = subject.to_string();
    let sought = Sought { signature: None, level: MatchLevel::default(), reference };
    let limits = arguments.runs.limits(&capture);
    let (workers, kernels) = (&settings.workers, &settings.kernels);
    let limits = tick_budget::bound(limits, &capture, &sought.reference, workers, kernels);
    let prober = arguments.cards.prober(&settings, limits, sought)?;
    let bar = options.bar();
    let begin = Instant::now();
    let progress = |Progress { runs, bracket: (after, until), left }| {
        let from = after.map_or(0, |after| after.0.saturating_add(1));
        let left = time_left(begin, runs, left);
        bar.set_message(format!("run {runs}: one of the commands {from} to {until}{left}"));
        bar.tick();
    };
    let seeded = arguments.flaky && bad.device.repeats();
    if seeded {
        choose_seed(&prober, &capture, &mut good, &mut bad)?;
    }
    let mut search = Bisecting::new(&prober, &capture, &good, &bad);
    search.progress = &progress;
    search.jobs = options.jobs();
    search.log = log.as_ref();
    search.sought = named;
    let BisectArguments { confidence, budget, .. } = *arguments;
    search.deadline = budget.and_then(Budget::deadline);
    let budget = budget.map(Budget::runs);
    // Under one seed every run is the same.
    search.flaky = (arguments.flaky && !seeded).then_some(FlakyOptions { confidence, budget });
    let conclusion = search.run().map_err(unable);
    bar.finish_and_clear();
    let conclusion = conclusion?;
    if let Some(problem) = log.as_ref().and_then(ComparisonLog::problem) {
        return Err(Failed::new(ExitCode::INTERNAL, problem));
    }
    let written_at = |at: CommandIndex| {
        let step = bound.as_ref()?.case.steps.get(usize::try_from(at.0).ok()?)?;
        Some(step.written_at())
    };
    let seed = bad.programs.schedule_seed;
    let good = match &good {
        Good::Executor(good) => in_full(good),
        Good::Recorded => RECORDED.to_owned(),
    };
    let bad = in_full(&bad);
    let bad = if seeded { format!("{bad} schedule_seed={seed}") } else { bad };
    let about = Report {
        subject: &subject,
        capture: &capture,
        good: &good,
        bad: &bad,
        written_at: &written_at,
    };
    let lines = report(&conclusion, &about);
    if conclusion.is_interrupted() {
        output::say(&lines.join("\n"));
        return Ok(ExitCode::INTERRUPTED);
    }
    let mut kept = match options.folder() {
        Some(folder) => keep(folder, &search, &conclusion, &about)?,
        None => Vec::new(),
    };
    kept.extend(care(&prober));
    options.answer(&lines, &document(&conclusion, &about), &kept)?;
    Ok(match conclusion {
        Conclusion::FirstBad(_) | Conclusion::Order(_) => ExitCode::SUCCESS,
        Conclusion::Inconclusive(reason) if reason.is_refused() => ExitCode::REFUSED,
        Conclusion::Inconclusive(_) => ExitCode::INCONCLUSIVE,
    })
}

/// The inputs that decide which questions the search asks, apart from the builds of both sides.
fn inputs(
    arguments: &BisectArguments,
    capture: &Capture,
    bad: &Executor,
    reference: &Reference,
) -> Result<Inputs, Failed> {
    let good = match reference {
        Reference::Executor(good) => in_full(good),
        Reference::Recorded => RECORDED.to_owned(),
    };
    Ok(Inputs::default()
        .with("search", "commands")
        .with("capture", capture_hash(capture)?)
        .with("bad executor", in_full(bad))
        .with("good executor", good)
        .with("timeout", arguments.runs.timeout)
        .with("dispatch", bad.programs.dispatch.name())
        .with("schedule seed", bad.programs.schedule_seed)
        .with("confidence", arguments.confidence)
        .with("budget", Budget::input(arguments.budget))
        .with("flakiness", if arguments.flaky { "known" } else { "unknown" }))
}

/// The longest time that the rest of the search takes, if each run takes as long as the runs so far.
fn time_left(begin: Instant, runs: usize, left: usize) -> String {
    let (Ok(runs), Ok(left)) = (u32::try_from(runs), u32::try_from(left)) else {
        return String::new();
    };
    let each = begin.elapsed().checked_div(runs.saturating_sub(1));
    let left = each.map(|each| each.saturating_mul(left).as_secs());
    left.map_or_else(String::new, |seconds| format!(", at most {seconds} s left"))
}

/// Gives both sides the first schedule seed under which they differ, if one of the first [`SEEDS`] seeds is
/// such a seed.
fn choose_seed(
    prober: &Prober<'_>,
    capture: &Capture,
    good: &mut Good,
    bad: &mut Executor,
) -> Result<(), Failed> {
    let own = bad.programs.schedule_seed;
    for seed in (0..SEEDS).chain([own]) {
        bad.programs.schedule_seed = seed;
        match good {
            Good::Executor(good) => good.programs.schedule_seed = seed,
            Good::Recorded => {}
        }
        if Bisecting::new(prober, capture, good, bad).differs().map_err(unable)? {
            break;
        }
    }
    Ok(())
}

/// Makes the folder for the answer and checks that files can be made in it: a search may take hours.
fn prepare(folder: &Path) -> Result<(), Failed> {
    // Files of an earlier answer would otherwise stay beside this answer.
    if folder.join(ANSWER).exists() {
        let text = format!(
            "{} holds the answer of an earlier search; name another folder with -o",
            folder.display()
        );
        return Err(Failed::new(ExitCode::USAGE, text));
    }
    let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    made.map(drop).map_err(|error| {
        let text = format!(
            "{} cannot hold the answer: {error}; name another folder with -o",
            folder.display()
        );
        Failed::new(ExitCode::USAGE, text)
    })
}

/// Writes the files of the answer into a folder; gives the lines that say so.
fn keep(
    folder: &Path,
    search: &Bisecting<'_>,
    conclusion: &Conclusion,
    about: &Report<'_>,
) -> Result<Vec<String>, Failed> {
    let mut there = vec!["answer".to_owned(), "log".to_owned()];
    if let Some(text) = conclusion.signature().and_then(|it| signature::text(it).ok()) {
        write(&folder.join("signature.json"), text.as_bytes())?;
        there.push("signature".to_owned());
    }
    let shown = folder.display();
    let mut again = Vec::new();
    if let Some(capture) = cut(search, conclusion).map_err(unable)? {
        let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(&folder.join("cut.lmb"), &bytes)?;
        there.insert(0, format!("cut.lmb with {} commands", capture.program.commands.len()));
        let cut = quoted(&folder.join("cut.lmb").display().to_string());
        again.push(format!("  again     hallmark replay {cut} --device '{}'", about.bad));
    }
    let mut lines = vec![format!("  kept      {shown}  ({})", there.join(", "))];
    lines.extend(again);
    Ok(lines)
}
