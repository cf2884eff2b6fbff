//! `hallmark list`.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::select::{Selection, named};
use super::{Common, Failed, output};
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    common: Common,
    /// How
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Only tests that do not apply to their device, with their reasons
    #[arg(long)]
    skipped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A name in each line
    #[default]
    Text,
    /// A JSON document
    Json,
}

pub(super) fn run(arguments: &ListArguments) -> Result<ExitCode, Failed> {
    let settings = arguments.common.settings()?;
    let tests = named(&settings.root, &arguments.common.architectures()?, &arguments.selection)?;
    let mut rows = Vec::new();
    let mut text = String::new();
    for test in &tests {
        let skipped = settings.workers.skip_reason(test);
        if arguments.skipped && skipped.is_none() {
            continue;
        }
        match arguments.format {
            Format::Text => {
                text.push_str(&test.name.to_string());
                if let (true, Some(reason)) = (arguments.skipped, &skipped) {
                    text.push_str(&format!("\n    {reason}"));
                }
                text.push('\n');
            }
            Format::Json => rows.push(json!({
                "name": test.name.to_string(),
                "architecture": test.name.architecture.name(),
                "suite": test.suite().file.path(),
                "case": test.name.case,
                "parameters": parameters(&test.name.parameters),
                "about": test.case().map(|case| case.about.clone()),
                "device": settings.workers.executor(test.name.architecture).to_string(),
                "golden": test.name.golden_path(),
                "skipped": skipped,
            })),
        }
    }
    if arguments.format == Format::Json {
        text = serde_json::to_string_pretty(&json!({ "version": 1, "tests": rows }))
            .unwrap_or_default();
        text.push('\n');
    }
    output::say_raw(&text);
    Ok(ExitCode::SUCCESS)
}

fn parameters(parameters: &[(String, String)]) -> serde_json::Value {
    parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
}
