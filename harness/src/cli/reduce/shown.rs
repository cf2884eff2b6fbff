//! Shows the progress of a reduction, and keeps other failures that it meets.

use std::ops::ControlFlow;

use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::Capture;
use hallmark_schema_editing::Edit;
use hallmark_triage::log::Log;
use hallmark_triage::probe::Probed;
use hallmark_triage::reduce::{Cost, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::folder::Folder;
use crate::cli::{Failed, output};

/// A progress spinner; hidden unless stderr is a terminal.
pub(super) fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if output::error_width().is_none() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

/// Shows the progress of a reduction, and keeps other failures that it meets.
pub(super) struct Shown<'f> {
    folder: &'f Folder,
    log: Log<Vec<Edit>>,
    pub(super) bar: ProgressBar,
    /// Whether the user will share the folder: then no capture with names is kept.
    share: bool,
    probes: u64,
    cost: Option<Cost>,
    /// The names of the files of other failures.
    pub(super) also: Vec<String>,
    pub(super) problem: Option<Failed>,
}

impl<'f> Shown<'f> {
    pub(super) fn new(folder: &'f Folder, log: Log<Vec<Edit>>, share: bool) -> Self {
        let (also, bar) = (Vec::new(), spinner());
        Self { folder, log, bar, share, probes: 0, cost: None, also, problem: None }
    }

    fn note<T>(&mut self, result: Result<T, Failed>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problem.get_or_insert(error);
                None
            }
        }
    }
}

impl Observer for Shown<'_> {
    fn probed(&mut self, edits: &[Edit], probed: &Probed) -> ControlFlow<()> {
        if let Some(elapsed) = probed.elapsed {
            let result = probed.result.clone();
            let written = self.log.append(edits.to_vec(), probed.key, result, elapsed);
            self.note(written.map_err(|error| Failed::new(ExitCode::INTERNAL, error)));
        }
        self.probes = self.probes.saturating_add(1);
        let size = self.cost.map_or_else(String::new, |cost| {
            format!(": {} commands, {} objects, {} cores", cost.commands, cost.objects, cost.cores)
        });
        self.bar.set_message(format!("probe {}{size}", self.probes));
        self.bar.tick();
        if self.problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn accepted(&mut self, cost: &Cost, recorded: Option<&Capture>) {
        self.cost = Some(*cost);
        if let (Some(recorded), false) = (recorded, self.share) {
            let written = self.folder.best(recorded);
            self.note(written);
        }
    }

    fn met(&mut self, signature: &Signature, candidate: &Capture) {
        if self.share {
            return;
        }
        let number = self.also.len();
        let written = self.folder.also(number, signature, candidate);
        let file = self.note(written);
        self.also.extend(file);
    }
}
