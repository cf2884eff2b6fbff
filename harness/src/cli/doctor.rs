//! `hallmark doctor`.

mod environment;
mod in_force;
mod metalium;

use clap::{ArgMatches, Args};
use hallmark_pipeline::verdict::ExitCode;

use self::environment::Environment;
use super::options::{
    ArchitectureOption, ConfiguredRoot, DeviceOption, Devices, FirmwareOption, OUTPUT,
};
use super::select::Selection;
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct DoctorArguments {
    #[command(flatten)]
    architectures: ArchitectureOption,
    #[command(flatten)]
    root: ConfiguredRoot,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    firmware: FirmwareOption,
    /// Print the environment as JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

pub(super) fn run(arguments: &DoctorArguments, matches: &ArgMatches) -> Result<ExitCode, Failed> {
    let mut configuration = arguments.root.configuration()?;
    let architectures = arguments.architectures.chosen(&configuration, &Selection::default());
    let programs = arguments.firmware.configured(&mut configuration)?;
    let devices = Devices {
        device: Some(&arguments.device),
        programs,
        configuration: Some(&configuration),
        ..Devices::default()
    };
    let settings = arguments.root.find().and_then(|root| devices.settings(root, &architectures));
    let environment = match &settings {
        Ok(settings) => {
            let in_force = in_force::settings(settings, &architectures, &configuration, matches);
            Environment::of(settings, &architectures, in_force)
        }
        Err(failed) => Environment::without_root(failed),
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&environment)
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        output::say_json(&text);
    } else {
        output::say(environment.to_string().trim_end());
    }
    Ok(environment.exit_code())
}
