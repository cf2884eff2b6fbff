//! Compares the last good and the first bad installation of TT-Metalium that a search along versions has found: the first
//! bad command, its kernels, and the files of their device code that differ.

use std::collections::BTreeSet;
use std::path::Path;

use hallmark_execution::executor::{Dispatch, Executor, Release};
use hallmark_pipeline::signature::MatchLevel;
use hallmark_pipeline::{Settings, first_differing_read};
use hallmark_runtime::metalium::SiteChoice;
use hallmark_schema::model::{Capture, Command, CommandIndex, ProgramId};
use hallmark_schema_editing::with_end_as_call;
use hallmark_triage::bisect::{
    Bisecting, Conclusion, FlakyOptions, Good, Progress, Report, report, with_open_end,
};
use hallmark_triage::installations::{InstallationDifference, Suspects};
use hallmark_triage::probe::{Prober, Reference, Sought};
use serde_json::{Value, json};

use super::super::Failed;
use super::super::triage_options::{in_full, unable};
use super::BisectArguments;
use super::budget::Budget;

/// The beginning of the line that names a failure.
const FAILURE: &str = "  failure";

/// What a closer look finds.
pub(super) struct Closer {
    /// As lines of a report.
    pub(super) lines: Vec<String>,
    /// As JSON.
    pub(super) document: Value,
}

/// Looks closer at a good and a bad executor, if both are TT-Metalium.
pub(super) fn look_closer(
    arguments: &BisectArguments,
    settings: &Settings,
    capture: &Capture,
    subject: &str,
    [good, bad]: &[Executor; 2],
) -> Result<Option<Closer>, Failed> {
    let (Release::Metalium(good_site), Release::Metalium(bad_site)) = (&good.release, &bad.release)
    else {
        return Ok(None);
    };
    let (lines, command) = first_bad(arguments, settings, capture, subject, good, bad)?;
    let sources = sources(capture, command);
    let suspects = Suspects {
        kernels: sources.iter().filter_map(|source| stem(source)).collect(),
        dispatch_kernels: bad.programs.dispatch != Dispatch::Host,
    };
    let mut closer = Closer { lines, document: json!({ "command": command.map(|it| it.0) }) };
    if !sources.is_empty() {
        closer.lines.push(format!("  kernels   {}", sources.join(", ")));
    }
    differences(&mut closer, good_site, bad_site, capture, &suspects);
    Ok(Some(closer))
}

fn differences(
    closer: &mut Closer,
    good: &SiteChoice,
    bad: &SiteChoice,
    capture: &Capture,
    suspects: &Suspects,
) {
    let architecture = capture.program.architecture;
    match InstallationDifference::between(good, bad, architecture, suspects) {
        Ok(difference) => {
            closer.lines.extend(difference.lines());
            if let Some(document) = closer.document.as_object_mut() {
                document.insert("installations".to_owned(), json!(difference));
            }
        }
        Err(error) => closer.lines.push(format!("  release   cannot be compared: {error}")),
    }
}

/// The first command at which both sides differ, with lines about it.
fn first_bad(
    arguments: &BisectArguments,
    settings: &Settings,
    capture: &Capture,
    subject: &str,
    good: &Executor,
    bad: &Executor,
) -> Result<(Vec<String>, Option<CommandIndex>), Failed> {
    let capture = with_end_as_call(capture).into_owned();
    let capture = with_open_end(&capture).into_owned();
    let reference = Reference::Executor(good.clone());
    let sought = Sought { signature: None, level: MatchLevel::default(), reference };
    let prober = arguments.cards.prober(settings, arguments.runs.limits(&capture), sought)?;
    let bar = arguments.search.bar();
    let progress = |Progress { runs, bracket: (after, until), .. }| {
        let from = after.map_or(0, |after| after.0.saturating_add(1));
        bar.set_message(format!("run {runs} of both: one of the commands {from} to {until}"));
        bar.tick();
    };
    let side = Good::Executor(good.clone());
    let mut search = Bisecting::new(&prober, &capture, &side, bad);
    search.progress = &progress;
    search.jobs = arguments.search.jobs();
    search.deadline = arguments.budget.and_then(Budget::deadline);
    let budget = arguments.budget.map(Budget::runs);
    let confidence = arguments.confidence;
    search.flaky = arguments.flaky.then_some(FlakyOptions { confidence, budget });
    let conclusion = search.run().map_err(unable);
    bar.finish_and_clear();
    let conclusion = conclusion?;
    let (good, bad) = (in_full(good), in_full(bad));
    let about =
        Report { subject, capture: &capture, good: &good, bad: &bad, written_at: &|_| None };
    let lines = report(&conclusion, &about);
    let found = match &conclusion {
        Conclusion::FirstBad(found) => found,
        Conclusion::Order(_) | Conclusion::Inconclusive(_) => {
            return Ok((vec![format!("  command   unknown: {}", lines.join(" "))], None));
        }
    };
    let mut said = vec![format!("  first bad {}", about.title(found.command))];
    // The search along versions has named the failure.
    said.extend(lines.into_iter().skip(1).filter(|line| !line.starts_with(FAILURE)));
    // TT-Metalium does not let memory be read between two calls: then a read shows the words.
    if found.difference.is_none() {
        said.extend(words(search.prober, &capture, search.bad)?);
    }
    Ok((said, Some(found.command)))
}

/// The words of the first read that differs.
fn words(prober: &Prober<'_>, capture: &Capture, bad: &Executor) -> Result<Vec<String>, Failed> {
    let seed = bad.programs.schedule_seed;
    let probed = prober.probe_again(capture, bad, seed).map_err(unable)?;
    let (Some(good), Some(bad)) = (&probed.good, &probed.bad) else { return Ok(Vec::new()) };
    let lines = first_differing_read(good, bad);
    let mut said = lines.iter();
    let first = said.next().map(|first| format!("  words     {first}"));
    Ok(first.into_iter().chain(said.map(|line| format!("    {line}"))).collect())
}

/// The sources of the kernels that a command launches: those of its program. Without a command, those of the capture.
fn sources(capture: &Capture, command: Option<CommandIndex>) -> Vec<String> {
    let commands = &capture.program.commands;
    let made = command.and_then(|it| commands.get(usize::try_from(it.0).ok()?));
    let program: Option<ProgramId> = match made.map(|recorded| &recorded.command) {
        None => None,
        Some(Command::EnqueueProgram(call)) => Some(call.program),
        Some(_) => return Vec::new(),
    };
    let made = commands.iter().filter_map(|recorded| match &recorded.command {
        Command::CreateKernel(call) => Some(call),
        _ => None,
    });
    let of_program = made.filter(|call| program.is_none_or(|program| program == call.program));
    let sources: BTreeSet<String> = of_program.map(|call| call.source.clone()).collect();
    sources.into_iter().collect()
}

/// TT-Metalium names a kernel after its source, without the ending.
fn stem(source: &str) -> Option<String> {
    Some(Path::new(source).file_stem()?.to_str()?.to_owned())
}
