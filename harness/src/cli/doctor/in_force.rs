//! The settings in force, and the place that each comes from.

use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{ArgMatches, ValueEnum as _};
use hallmark_chip::Architecture;
use hallmark_execution::executor::{ChosenBy, Dispatch, Executors, Purpose};
use hallmark_execution::worker::memory_budget::MemorySize;
use hallmark_pipeline::Settings;
use serde::Serialize;

use crate::cli::{output, work};
use crate::configuration::{Configuration, Setting};

/// A setting, as people write it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct InForce {
    /// The key of a configuration file; of a device, with the architecture.
    pub(super) name: String,
    pub(super) value: String,
    /// An option, a variable, a file, or `default`.
    pub(super) from: String,
}

const DEFAULT: &str = "default";

/// Every setting that a configuration file can give, for tests of some architectures.
pub(super) fn settings(
    of: &Settings,
    architectures: &[Architecture],
    configuration: &Configuration,
    matches: &ArgMatches,
) -> Vec<InForce> {
    let names: Vec<&str> = architectures.iter().map(|it| it.name()).collect();
    let mut found = vec![InForce {
        name: "architectures".to_owned(),
        value: names.join(", "),
        from: written("arch", "--arch", "", matches)
            .unwrap_or_else(|| from(configuration.architectures.as_ref())),
    }];
    for &architecture in architectures {
        let devices = &of.workers.executors;
        let value = of.workers.executor(architecture).to_string();
        let chosen = chosen_by(devices, architecture, Purpose::Capture, configuration);
        let from = chosen.unwrap_or_else(|| DEFAULT.to_owned());
        found.push(InForce { name: format!("devices {architecture}"), value, from });
        let replays = &of.workers.replay_executors;
        let chosen = chosen_by(replays, architecture, Purpose::Replay, configuration);
        if let (Some(from), Some(choice)) = (chosen, replays.chosen(architecture)) {
            let (name, value) = (format!("replay_devices {architecture}"), choice.to_string());
            found.push(InForce { name, value, from });
        }
    }
    let mut add = |name: &str, value: String, from: String| {
        found.push(InForce { name: name.to_owned(), value, from });
    };
    let firmware = of.workers.programs.firmware.as_ref();
    let value = firmware.map_or("built in".to_owned(), |folder| folder.display().to_string());
    let option = written("firmware", "--firmware", "HALLMARK_FIRMWARE", matches);
    add("firmware", value, option.unwrap_or_else(|| from(configuration.firmware.as_ref())));
    match std::env::var("HALLMARK_DISPATCH") {
        Ok(written) => {
            let value = match Dispatch::from_str(&written, false) {
                Ok(dispatch) => dispatch.name().to_owned(),
                Err(_) => format!("`{written}`, which is not host, device or overlap"),
            };
            add("dispatch", value, "HALLMARK_DISPATCH".to_owned());
        }
        Err(_) => {
            let dispatch = configuration.dispatch.as_ref();
            let value = dispatch.map_or_else(Dispatch::default, |it| it.value);
            add("dispatch", value.name().to_owned(), from(dispatch));
        }
    }
    let jobs = configuration.jobs.as_ref();
    let value = jobs.map_or_else(work::processors, |it| usize::from(it.value));
    add("jobs", value.to_string(), from(jobs));
    let timeout = configuration.timeout.as_ref();
    let value = timeout
        .map_or_else(|| "that of each suite".to_owned(), |it| format!("{} s at least", it.value));
    add("timeout", value, from(timeout));
    let memory = configuration.memory.as_ref();
    let value = memory.map_or_else(
        || format!("{}, more for a long capture", MemorySize::default()),
        |it| it.value.to_string(),
    );
    add("memory", value, from(memory));
    let color = configuration.color.as_ref();
    let value = color.map_or_else(clap::ColorChoice::default, |it| it.value);
    let variable = output::COLOR_VARIABLES.into_iter().find(|it| is_set(it));
    match (matches.get_one::<clap::ColorChoice>("color"), variable) {
        (Some(color), _) => add("color", color.to_string(), "--color".to_owned()),
        (None, Some(name)) => {
            let value = std::env::var_os(name).unwrap_or_default();
            add("color", value.to_string_lossy().into_owned(), name.to_owned());
        }
        (None, None) => add("color", value.to_string(), from(color)),
    }
    found
}

fn is_set(variable: impl AsRef<OsStr>) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// The option or the variable that gives a value.
fn written(id: &str, option: &str, variable: &str, matches: &ArgMatches) -> Option<String> {
    match matches.value_source(id)? {
        ValueSource::CommandLine => Some(option.to_owned()),
        ValueSource::EnvVariable => Some(variable.to_owned()),
        _ => None,
    }
}

fn from<T>(setting: Option<&Setting<T>>) -> String {
    setting.map_or_else(|| DEFAULT.to_owned(), |setting| setting.file.to_string())
}

/// The place that chooses an architecture's executor.
fn chosen_by(
    executors: &Executors,
    architecture: Architecture,
    purpose: Purpose,
    configuration: &Configuration,
) -> Option<String> {
    let (of_files, option) = match purpose {
        Purpose::Capture => (&configuration.devices, "--device"),
        Purpose::Replay => (&configuration.replay_devices, "--replay-device"),
    };
    Some(match executors.chosen_by(architecture)? {
        ChosenBy::Option => option.to_owned(),
        ChosenBy::Variable => purpose.variable(architecture),
        ChosenBy::File => from(of_files.get(&architecture)),
    })
}
