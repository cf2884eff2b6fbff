//! The outputs of a profile: the table, the timeline, the page, the longest waits, the comparison.

use std::collections::BTreeSet;

use hallmark_chip::ChipDescription;
use hallmark_pipeline::profiled::ProfiledRun;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_report::ProfileReport;
use hallmark_schema::plural::counted;

use super::ProfileArguments;
use crate::cli::capture_file::write as write_file;
use crate::cli::{Failed, output};
use crate::profile::comparison::{OtherTable, compare};
use crate::profile::operation::{Operation, operations};
use crate::profile::page::page;
use crate::profile::queues::Queues;
use crate::profile::{csv, device_log, summary, timeline, zones};

/// The result of the comparison with another table.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// The number of operations that became slower.
    slower: usize,
    /// Why a requested comparison was not made.
    nothing: Option<String>,
    /// Whether operations are missing; the user was told so.
    is_cut_off: bool,
}

impl Compared {
    /// The exit code of a profile without other failures.
    pub(super) fn conclude(self) -> Result<ExitCode, Failed> {
        match self.nothing {
            _ if self.slower > 0 => Ok(ExitCode::NOT_PASSED),
            Some(text) => Err(Failed::new(ExitCode::INCONCLUSIVE, text)),
            None if self.is_cut_off => Ok(ExitCode::INCONCLUSIVE),
            None => Ok(ExitCode::SUCCESS),
        }
    }
}

/// Writes the files that the arguments name, and prints where the time went.
pub(super) fn write(
    arguments: &ProfileArguments,
    runs: &[ProfiledRun],
    other: Option<&OtherTable>,
) -> Result<Compared, Failed> {
    let all: Vec<Operation<'_>> = runs.iter().flat_map(operations).collect();
    let (subject, device) = match runs {
        [run] => (run.subject.clone(), run.device.clone()),
        _ => {
            let mut devices: Vec<&str> = runs.iter().map(|run| run.device.as_str()).collect();
            devices.sort_unstable();
            devices.dedup();
            (counted(runs.len(), "replay", "replays"), devices.join(", "))
        }
    };
    let knows_launches = runs.iter().all(|run| run.notes.knows_launches);
    output::say(&format!("{subject} on {device}"));
    if !knows_launches {
        let why = "the device does not tell what its cores do, so that no operation has a duration";
        output::say(&format!("  {why}; `--markers FILE` lets firmware and kernels tell it"));
    } else if all.is_empty() {
        output::say("  no program was enqueued");
    }
    for line in summary::lines(&all) {
        output::say(&format!("  {line}"));
    }
    let queues: Vec<Queues<'_>> = runs.iter().map(Queues::of).collect();
    let beside = match queues.as_slice() {
        [queues] => queues.beside(&all),
        _ => Vec::new(),
    };
    for line in &beside {
        output::say(&format!("  {line}"));
    }
    let cut_off = runs.iter().find(|run| run.notes.is_cut_off);
    if knows_launches && cut_off.is_none() {
        let by_dispatchers = queues.iter().any(|it| !it.dispatchers.is_empty());
        for line in summary::untold(&all, by_dispatchers) {
            output::say(&format!("  {line}"));
        }
    }
    for line in zones::lines(&all) {
        output::say(&format!("  {line}"));
    }
    let without: BTreeSet<&String> = runs.iter().flat_map(|run| &run.without_markers).collect();
    for line in without {
        output::note(line);
    }
    let dropped = all.iter().filter_map(|it| it.launch).map(|it| it.dropped).sum::<u64>();
    if dropped > 0 {
        let spans = counted(dropped, "wait", "waits");
        output::say(&format!(
            "  {spans} more than are kept of one operation: their time is left out"
        ));
    }
    if let Some(run) = cut_off {
        output::note(&format!(
            "calls of {} are missing: there was no room for what a replay notes; TMPDIR says where that is",
            run.subject
        ));
    }
    // The output above must not be lost if a file cannot be written.
    write_files(arguments, runs, &all, &page(&all, &beside, &subject, &device, knows_launches))?;
    let compared = Compared { is_cut_off: cut_off.is_some(), ..Compared::default() };
    let (Some(other), Some(file)) = (other, &arguments.against) else {
        return Ok(compared);
    };
    let comparison = compare(&all, other);
    for line in &comparison.lines {
        output::say(&format!("  {line}"));
    }
    let slower = counted(comparison.slower, "operation takes", "operations take");
    output::say(&format!("{slower} longer than in {}", file.display()));
    let nothing = format!(
        "no operation took a known time both here and in {}, so nothing is compared; name a table of the same programs",
        file.display()
    );
    let nothing = (comparison.common == 0).then_some(nothing);
    Ok(Compared { slower: comparison.slower, nothing, ..compared })
}

/// Writes the files that the arguments name, and prints each of their names.
fn write_files(
    arguments: &ProfileArguments,
    runs: &[ProfiledRun],
    all: &[Operation<'_>],
    page: &ProfileReport,
) -> Result<(), Failed> {
    let table = csv::write(all, arguments.clock).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("the table cannot be made: {error}"))
    })?;
    write_file(&arguments.output, &table)?;
    let rows = counted(all.len(), "operation", "operations");
    output::say(&format!("wrote {}  {rows}", arguments.output.display()));
    if let (Some(file), Some(run)) = (&arguments.markers, runs.first()) {
        let chip = ChipDescription::of(run.capture.program.architecture);
        let log = device_log::write(all, chip, arguments.clock).map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("the markers cannot be told: {error}"))
        })?;
        write_file(file, &log)?;
        output::say(&format!("wrote {}", file.display()));
    }
    match (&arguments.timeline, runs) {
        (Some(file), [run]) => {
            let drawn = timeline::write(all, &run.capture, &run.notes, arguments.clock);
            write_file(file, &drawn)?;
            output::say(&format!("wrote {}  open it at ui.perfetto.dev", file.display()));
        }
        (Some(file), runs) => output::note(&format!(
            "{} is not written: a timeline is of one replay, and there were {}; name one test",
            file.display(),
            runs.len()
        )),
        (None, _) => {}
    }
    if let Some(file) = &arguments.html {
        write_file(file, hallmark_report::profile_html(page).as_bytes())?;
        output::say(&format!("wrote {}", file.display()));
    }
    Ok(())
}
