//! Options of every search of `hallmark bisect`: the failure, the number of runs at a time, the folder of the
//! log.

use std::path::{Path, PathBuf};

use clap::Args;
use hallmark_pipeline::quoted;
use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::{Capture, ContentHash};
use hallmark_triage::log::{Inputs, Log, ResumedLog};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::capture_file::write;
use super::super::options::{EXECUTION, OUTPUT, SELECTION};
use super::super::{Failed, output, search_log, signature_file, work};

/// The name of the log in the folder of a search.
pub(super) const LOG: &str = "log.jsonl";
/// The name of the JSON answer in the folder of a search.
pub(super) const ANSWER: &str = "answer.json";
/// The name of the text answer in the folder of a search.
pub(super) const ANSWER_TEXT: &str = "answer.txt";

/// The options of every search.
#[derive(Clone, Debug, Args)]
pub(super) struct SearchOptions {
    /// The failure that is looked for, as `hallmark run` and `hallmark replay --signature` write it [default: the first
    /// one that shows]
    #[arg(long, value_name = "FILE", help_heading = SELECTION)]
    pub(super) signature: Option<PathBuf>,
    /// When a failure is the one that is looked for
    #[arg(long = "match", value_name = "LEVEL", value_enum, default_value_t, help_heading = SELECTION)]
    pub(super) level: MatchLevel,
    /// Runs at the same time, where a search can ask several questions [default: one for each processor]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = EXECUTION)]
    jobs: Option<u32>,
    /// Go on with the search in this folder, which -o named before
    #[arg(long, value_name = "FOLDER", conflicts_with = "output", help_heading = EXECUTION)]
    pub(super) resume: Option<PathBuf>,
    /// Print how the search in this folder came to its answer; nothing is run
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["subject", "output", "resume"], help_heading = OUTPUT)]
    pub(super) replay_log: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub(super) json: bool,
    /// The folder for the answer and for the log, from which --resume goes on; of commands also the capture cut behind the
    /// first bad one, and its signature
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    pub(super) output: Option<PathBuf>,
}

impl SearchOptions {
    /// The number of runs at the same time.
    pub(super) fn jobs(&self) -> usize {
        let jobs = self.jobs.and_then(|jobs| usize::try_from(jobs).ok());
        jobs.unwrap_or_else(work::processors)
    }

    /// The failure to look for, if the option names one.
    pub(super) fn signature(&self) -> Result<Option<Signature>, Failed> {
        self.signature.as_deref().map(signature_file::read).transpose()
    }

    /// The folder of the search, new or resumed.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.resume.as_deref().or(self.output.as_deref())
    }

    /// The failure of a search that a signal has stopped, with the way to go on.
    pub(super) fn interrupted(&self) -> Failed {
        let next = match self.folder() {
            Some(folder) => {
                let folder = quoted(&folder.display().to_string());
                format!("the same command goes on with --resume {folder}, in the place of -o")
            }
            None => "without -o nothing was kept to go on with".to_owned(),
        };
        Failed::new(ExitCode::INTERRUPTED, format!("the search was interrupted; {next}"))
    }

    /// The log in the folder, with the lines that it holds already; `None` without a folder.
    pub(super) fn log<A, R>(&self, inputs: &Inputs) -> Result<Option<ResumedLog<A, R>>, Failed>
    where
        A: Serialize + DeserializeOwned,
        R: Serialize + DeserializeOwned,
    {
        let Some(folder) = self.folder() else { return Ok(None) };
        let resume = self.resume.is_some();
        let path = folder.join(LOG);
        let log = if resume {
            Log::resume(&path, inputs)
        } else {
            Log::create(&path, inputs).map(|log| (log, Vec::new()))
        };
        log.map(Some).map_err(|error| search_log::unusable(error, resume))
    }

    /// The progress bar; hidden unless stderr is a terminal.
    pub(super) fn bar(&self) -> ProgressBar {
        let bar = ProgressBar::new_spinner();
        if self.json || output::error_width().is_none() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        bar
    }

    /// Writes the answer into the folder and prints it; prints `more` after the lines that are written.
    pub(super) fn answer(
        &self,
        lines: &[String],
        document: &impl Serialize,
        more: &[String],
    ) -> Result<(), Failed> {
        let document = serde_json::to_string_pretty(document)
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        if let Some(folder) = self.folder() {
            write(&folder.join(ANSWER), document.as_bytes())?;
            write(&folder.join(ANSWER_TEXT), (lines.join("\n") + "\n").as_bytes())?;
        }
        if self.json {
            output::say_json(&document);
        } else {
            output::say(&[lines, more].concat().join("\n"));
        }
        Ok(())
    }
}

/// The hash of a capture's bytes.
pub(super) fn capture_hash(capture: &Capture) -> Result<ContentHash, Failed> {
    let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
    Ok(ContentHash::of(&bytes))
}
