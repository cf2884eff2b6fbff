//! `hallmark package replay`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;
use hallmark_package::Timestamp;
use hallmark_pipeline::verdict::ExitCode;

use super::repeating::{RepeatOptions, SampleSize};
use crate::cli::options::EXECUTION;
use crate::cli::package_file::{opened, read, results};
use crate::cli::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct ReplayArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// Repeat a sample of this many results, drawn by --seed [default: all]
    #[arg(long, value_name = "NUMBER", help_heading = EXECUTION)]
    sample: Option<NonZeroU32>,
    #[command(flatten)]
    repeat: RepeatOptions,
    /// How many results are repeated at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = EXECUTION)]
    jobs: Option<u16>,
}

pub(super) fn run(arguments: &ReplayArguments) -> Result<ExitCode, Failed> {
    let ReplayArguments { package: path, sample, repeat, jobs } = arguments;
    let bytes = read(path)?;
    let package = opened(path, &bytes)?;
    let claimed = results(path, &package)?;
    let size = SampleSize(*sample);
    let outcome = repeat.repeat(&package, claimed.results(), size, Timestamp::now(), *jobs)?;
    outcome.lines().iter().for_each(|line| output::say(line));
    output::say(&format!("{}: {}", path.display(), outcome.summary()));
    outcome.conclusions().iter().for_each(|line| output::say(&format!("  {line}")));
    output::say(
        "  the package was not verified; `hallmark package verify --replay` repeats its results and verifies it",
    );
    Ok(match outcome.counts() {
        [same, 0, 0] if same > 0 => ExitCode::SUCCESS,
        [_, 0, _] => ExitCode::INCONCLUSIVE,
        [..] => ExitCode::REJECTED,
    })
}
