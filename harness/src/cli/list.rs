//! `hallmark list`.

use clap::{Args, ValueEnum};
use hallmark_pipeline::verdict::ExitCode;
use serde_json::json;

use super::options::{
    ArchitectureOption, ConfiguredRoot, DeviceOption, Devices, OUTPUT, ReplayDeviceOption,
    SELECTION,
};
use super::select::{Selection, named};
use super::subset::Subset;
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    subset: Subset,
    /// Only tests that do not apply to their device, with the reasons
    #[arg(long, help_heading = SELECTION)]
    skipped: bool,
    #[command(flatten)]
    architectures: ArchitectureOption,
    #[command(flatten)]
    root: ConfiguredRoot,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    replay_device: ReplayDeviceOption,
    /// The form of the list
    #[arg(long, value_enum, default_value_t, help_heading = OUTPUT)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One name a line
    #[default]
    Text,
    /// A JSON document that says more of each test
    Json,
}

pub(super) fn run(arguments: &ListArguments) -> Result<ExitCode, Failed> {
    let configuration = arguments.root.configuration()?;
    let architectures = arguments.architectures.chosen(&configuration, &arguments.selection);
    let devices = Devices {
        device: Some(&arguments.device),
        replay_device: Some(&arguments.replay_device),
        configuration: Some(&configuration),
        ..Devices::default()
    };
    let settings = devices.settings(arguments.root.find()?, &architectures)?;
    let tests = named(&settings.root, &architectures, &arguments.selection)?;
    let tests = match arguments.subset.failed(&settings.root, tests) {
        Ok(tests) => arguments.subset.in_shard(tests)?,
        // Stdout holds nothing but the list, which is empty.
        Err(nothing) => {
            output::note(&nothing.to_string());
            Vec::new()
        }
    };
    let mut rows = Vec::new();
    let mut text = String::new();
    for test in &tests {
        let skipped = settings.workers.test_executors(test.name.architecture).skip_reason(test);
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
    match arguments.format {
        Format::Text => output::say_lines(&text),
        Format::Json => output::say_json(&text),
    }
    Ok(ExitCode::SUCCESS)
}

fn parameters(parameters: &[(String, String)]) -> serde_json::Value {
    parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
}
