//! `hallmark package diff`.

use std::path::PathBuf;

use clap::Args;
use hallmark_certification::difference::{Change, ChangeKind, Difference};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plain;
use hallmark_schema::plural::{counted, grouped};
use serde::Serialize;

use crate::cli::options::OUTPUT;
use crate::cli::package_file::{opened, read, results};
use crate::cli::{Failed, output};

/// The number of changes of a kind that are listed by default.
const LISTED: usize = 10;

#[derive(Clone, Debug, Args)]
pub(super) struct DiffArguments {
    /// The package to compare with: of the last release, or of last night
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// List all that differs, not the first of each kind
    #[arg(short, long, help_heading = OUTPUT)]
    verbose: bool,
    /// Print the difference as JSON
    #[arg(long, conflicts_with = "verbose", help_heading = OUTPUT)]
    json: bool,
}

/// The difference as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    base: String,
    package: String,
    regression: bool,
    difference: &'a Difference,
}

pub(super) fn run(arguments: &DiffArguments) -> Result<ExitCode, Failed> {
    let DiffArguments { base, package, verbose, json } = arguments;
    let (base_bytes, bytes) = (read(base)?, read(package)?);
    let (base_package, new_package) = (opened(base, &base_bytes)?, opened(package, &bytes)?);
    let (was, is) = (results(base, &base_package)?, results(package, &new_package)?);
    let difference = Difference::between(&was, &is);
    let code = match difference.is_regression() {
        true => ExitCode::NOT_PASSED,
        false => ExitCode::SUCCESS,
    };
    if *json {
        let answer = Answer {
            base: base.display().to_string(),
            package: package.display().to_string(),
            regression: difference.is_regression(),
            difference: &difference,
        };
        let text = serde_json::to_string(&answer);
        output::say_json(&text.map_err(|error| Failed::new(ExitCode::INTERNAL, error))?);
        return Ok(code);
    }
    for demand in &difference.demands {
        output::say(&plain(demand));
    }
    for kind in ChangeKind::ALL {
        let changes: Vec<&Change> =
            difference.changes.iter().filter(|change| change.kind == kind).collect();
        let shown = if *verbose { changes.len() } else { LISTED };
        if !changes.is_empty() {
            output::say(&format!("{} {}", grouped(changes.len()), kind.words()));
        }
        for Change { run, about, .. } in changes.iter().take(shown) {
            let about =
                if about.is_empty() { String::new() } else { format!("\n    {}", plain(about)) };
            output::say(&format!("  {run}{about}"));
        }
        let more = changes.len().saturating_sub(shown);
        if more > 0 {
            output::say(&format!("  and {} more, with --verbose", grouped(more)));
        }
    }
    let compared = counted(difference.compared, "result", "results");
    output::say(&format!("{compared} compared: {}", difference.summary()));
    Ok(code)
}
