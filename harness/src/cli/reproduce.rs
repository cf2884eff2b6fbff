//! `hallmark reproduce`: says with an exit code whether a capture still fails in one way, for loops of other
//! tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hallmark_execution::interrupt;
use hallmark_pipeline::signature::MatchLevel;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_triage::probe::{ProbeResult, Sought};

use super::options::EXECUTION;
use super::signature_file;
use super::subject::Subject;
use super::triage_options::{Sides, Subjected, TriageOptions, unable};
use super::{Failed, output};

/// Whose loop the exit code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExitCodesOf {
    /// `git bisect run`: 0 nothing fails, 1 the same failure, 125 another one or nothing is known, 128 stop
    Git,
    /// Reducers such as cvise, shrinkray and llvm-reduce: 0 the same failure, 1 anything else
    Reducer,
}

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Without --as, the exit code is 0 if the failure is the same, 1 if nothing fails, and 12 if another failure is met or nothing is known."
)]
pub(super) struct ReproduceArguments {
    /// A capture, or a test by its name
    #[arg(value_name = "CAPTURE|TEST")]
    subject: Subject,
    /// The failure, as `hallmark replay --signature` writes it
    #[arg(long, value_name = "FILE")]
    signature: PathBuf,
    #[command(flatten)]
    sides: TriageOptions,
    /// When two failures are the same
    #[arg(long = "match", value_name = "LEVEL", value_enum, default_value_t, help_heading = EXECUTION)]
    level: MatchLevel,
    /// Whose exit codes these are to be
    #[arg(long = "as", value_name = "LOOP", value_enum)]
    exit_codes: Option<ExitCodesOf>,
}

/// The finding of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Same,
    Passed,
    Otherwise,
    Stopped,
}

impl ExitCodesOf {
    /// The exit code that tells the loop the finding.
    const fn of(self, found: Found) -> u8 {
        match (self, found) {
            (Self::Git, Found::Passed) | (Self::Reducer, Found::Same) => 0,
            (Self::Git, Found::Same)
            | (Self::Reducer, Found::Passed | Found::Otherwise | Found::Stopped) => 1,
            (Self::Git, Found::Otherwise) => 125,
            (Self::Git, Found::Stopped) => 128,
        }
    }
}

pub(super) fn run(arguments: &ReproduceArguments) -> Result<ExitCode, Failed> {
    let found = reproduce(arguments);
    let Some(exit_codes) = arguments.exit_codes else {
        return Ok(match found? {
            Found::Same => ExitCode::SUCCESS,
            Found::Passed => ExitCode::NOT_PASSED,
            Found::Otherwise => ExitCode::INCONCLUSIVE,
            Found::Stopped => ExitCode::INTERRUPTED,
        });
    };
    // A question that fails now also fails for another commit or candidate.
    let found = found.unwrap_or_else(|failed| {
        output::complain(&failed.text);
        Found::Stopped
    });
    Ok(ExitCode::of_command(exit_codes.of(found)))
}

fn reproduce(arguments: &ReproduceArguments) -> Result<Found, Failed> {
    let signature = signature_file::read(&arguments.signature)?;
    let Subjected { settings, capture, .. } = arguments.sides.runs.subjected(&arguments.subject)?;
    let Sides { bad, reference } = arguments.sides.sides(&capture)?;
    let sought = Sought { signature: Some(signature.clone()), level: arguments.level, reference };
    let limits = arguments.sides.runs.limits(&capture);
    let prober = arguments.sides.cards.prober(&settings, limits, sought)?;
    let seed = bad.programs.schedule_seed;
    let probed = prober.probe(&capture, &bad, seed).map_err(unable)?;
    if interrupt::requested() {
        return Ok(Found::Stopped);
    }
    Ok(match probed.result {
        ProbeResult::Same => {
            output::say(&format!("SAME {}: {signature}", arguments.subject));
            Found::Same
        }
        ProbeResult::Passed => {
            output::say(&format!("PASSED {}: nothing fails", arguments.subject));
            Found::Passed
        }
        ProbeResult::Other(other) => {
            output::say(&format!("OTHER {}: {other}", arguments.subject));
            Found::Otherwise
        }
        ProbeResult::CannotTell(reason) => {
            output::say(&format!("INCONCLUSIVE {}: {reason}", arguments.subject));
            Found::Otherwise
        }
    })
}
