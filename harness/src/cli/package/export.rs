//! `hallmark package export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hallmark_package::json;

use super::verifier::VerifierOptions;
use super::{accepted_code, opened, read, results, unusable};
use crate::certification::test_result::TestResultStatement;
use crate::cli::options::OUTPUT;
use crate::cli::{Failed, output};
use crate::verdict::ExitCode;
use crate::whole_file;

/// A form that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// An in-toto statement of the type test-result/v0.1, which nobody has signed
    TestResult,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ExportArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// The form
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Form,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: Option<PathBuf>,
    #[command(flatten)]
    verifier: VerifierOptions,
}

pub(super) fn run(arguments: &ExportArguments) -> Result<ExitCode, Failed> {
    let ExportArguments { package: path, form: Form::TestResult, output: file, verifier } =
        arguments;
    let unwritable = |code, error: &dyn std::fmt::Display| {
        let file = file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        Failed::new(code, format!("{file} cannot be written: {error}; name another file"))
    };
    if let Some(file) = file {
        whole_file::check_writable(file).map_err(|error| unwritable(ExitCode::USAGE, &error))?;
    }
    let bytes = read(path)?;
    let package = opened(path, &bytes)?;
    let claimed = results(path, &package)?;
    let statement = package.statement(verifier.at()).map_err(|error| unusable(path, &error))?;
    let verified = verifier.with(|verifier| verifier.verify(&package))?;
    let code = verified.as_ref().map_or(ExitCode::REJECTED, accepted_code);
    let exported =
        TestResultStatement::of(&package, &statement, claimed.results(), verified.as_ref())
            .map_err(|rejection| unusable(path, &rejection))?;
    let text = json::write(&exported).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
    match file {
        Some(file) => whole_file::write(file, &text)
            .map_err(|error| unwritable(ExitCode::INTERNAL, &error))?,
        None => output::say_raw(&String::from_utf8_lossy(&text)),
    }
    Ok(code)
}
