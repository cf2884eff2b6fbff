//! `hallmark package export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hallmark_certification::github_annotations::{TestPlace, annotations};
use hallmark_certification::test_result::TestResultStatement;
use hallmark_execution::whole_file;
use hallmark_package::json;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

use super::repeating::ReplayOption;
use super::verifier::VerifierOptions;
use crate::cli::options::OUTPUT;
use crate::cli::package_file::{accepted_code, opened, read, results, unusable};
use crate::cli::{Failed, output};

/// A form that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// An in-toto statement of the type test-result/v0.1, which nobody has signed
    TestResult,
    /// Annotations of a GitHub workflow: an error for each test that fails, a warning for each that is waived
    GithubAnnotations,
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
    #[command(flatten)]
    replay: ReplayOption,
}

pub(super) fn run(arguments: &ExportArguments) -> Result<ExitCode, Failed> {
    let ExportArguments { package: path, form, output: file, verifier, replay } = arguments;
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
    let (verified, accounts) = verifier.with(|verifier| verifier.verify_telling(&package))?;
    let (verified, repetition) =
        replay.apply(&package, verified, verifier.at(), verifier.jobs())?;
    // Standard output may be the export.
    repetition.iter().for_each(|it| output::note(&it.summary()));
    let code = verified.as_ref().map_or(ExitCode::REJECTED, accepted_code);
    let text = match form {
        Form::TestResult => {
            let claimed = claimed.results();
            let exported =
                TestResultStatement::of(&package, &statement, claimed, verified.as_ref())
                    .map_err(|rejection| unusable(path, &rejection))?;
            json::write(&exported).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?
        }
        Form::GithubAnnotations => {
            let results = match &verified {
                Ok(verified) => verified.results.as_slice(),
                // The claimed results equal the computed ones.
                Err(rejection) if rejection.is_of_failure() => claimed.results(),
                Err(rejection) => return Err(unusable(path, rejection)),
            };
            let place = |root: &Root, test: &TestName| {
                let test = root.test(test).ok()?;
                Some(TestPlace { file: test.suite().file.path(), line: test.line() })
            };
            let text = verifier.with(|verifier| {
                annotations(results, &accounts, |test| place(verifier.root, test))
            })?;
            text.into_bytes()
        }
    };
    match file {
        Some(file) => whole_file::write(file, &text)
            .map_err(|error| unwritable(ExitCode::INTERNAL, &error))?,
        None => match form {
            Form::TestResult => output::say_json(&String::from_utf8_lossy(&text)),
            Form::GithubAnnotations => output::say_raw(&String::from_utf8_lossy(&text)),
        },
    }
    Ok(code)
}
