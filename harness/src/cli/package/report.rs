//! `hallmark package report`.

use std::path::PathBuf;

use clap::Args;
use hallmark_certification::difference::Difference;
use hallmark_certification::report::PackageReport;
use hallmark_execution::whole_file;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plain;

use super::repeating::{Outcome, ReplayOption};
use super::verifier::VerifierOptions;
use crate::cli::options::OUTPUT;
use crate::cli::package_file::{accepted_code, opened, read, results};
use crate::cli::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct ReportArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// The page to write
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
    /// A package to compare with: of the last release, or of last night
    #[arg(long, value_name = "PACKAGE")]
    base: Option<PathBuf>,
    #[command(flatten)]
    verifier: VerifierOptions,
    #[command(flatten)]
    replay: ReplayOption,
}

pub(super) fn run(arguments: &ReportArguments) -> Result<ExitCode, Failed> {
    let ReportArguments { package: path, output: file, base: base_path, verifier, replay } =
        arguments;
    let unwritable = |code, error: &dyn std::fmt::Display| {
        Failed::new(
            code,
            format!("{} cannot be written: {error}; name another file", file.display()),
        )
    };
    whole_file::check_writable(file).map_err(|error| unwritable(ExitCode::USAGE, &error))?;
    let bytes = read(path)?;
    let package = opened(path, &bytes)?;
    let claimed = results(path, &package)?;
    let (verified, accounts) = verifier.with(|verifier| verifier.verify_telling(&package))?;
    let (verified, repetition) =
        replay.apply(&package, verified, verifier.at(), verifier.jobs())?;
    let results_shown = match &verified {
        Ok(verified) => claimed.with_results(verified.results.clone()),
        Err(_) => claimed,
    };
    let base_bytes = base_path.as_deref().map(read).transpose()?;
    let base = match (base_path, &base_bytes) {
        (Some(path), Some(bytes)) => {
            let base_package = opened(path, bytes)?;
            let difference = Difference::between(&results(path, &base_package)?, &results_shown);
            // The page is for other readers, who need not know its folder.
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            Some((name.unwrap_or_default(), difference))
        }
        (Some(_) | None, _) => None,
    };
    let at = verifier.at();
    let statement = match &verified {
        Ok(verified) => Some(verified.statement.clone()),
        Err(_) => package.statement(at).ok(),
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let report = PackageReport {
        name: name.as_deref().unwrap_or_default(),
        package: &package,
        at,
        results: &results_shown,
        statement: statement.as_ref(),
        verified: verified.as_ref(),
        repetition: repetition.iter().flat_map(Outcome::all_lines).collect(),
        accounts,
        base: base.as_ref().map(|(name, difference)| (name.as_str(), difference)),
    };
    whole_file::write(file, report.html().as_bytes())
        .map_err(|error| unwritable(ExitCode::INTERNAL, &error))?;
    output::say(&format!("{}: {}", file.display(), plain(&report.conclusion().text)));
    report.remarks().iter().for_each(|remark| output::say(&format!("  {}", plain(remark))));
    Ok(match &verified {
        Ok(verified) => accepted_code(verified),
        Err(_) => ExitCode::REJECTED,
    })
}
