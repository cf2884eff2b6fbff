//! `hallmark doctor`.

mod environment;
mod metalium;

use clap::Args;
use hallmark_pipeline::verdict::ExitCode;

use self::environment::Environment;
use super::options::{
    ArchitectureOption, DeviceOption, Devices, FirmwareOption, OUTPUT, RootOption,
};
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct DoctorArguments {
    #[command(flatten)]
    architectures: ArchitectureOption,
    #[command(flatten)]
    root: RootOption,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    firmware: FirmwareOption,
    /// Print the environment as JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

pub(super) fn run(arguments: &DoctorArguments) -> Result<ExitCode, Failed> {
    let architectures = arguments.architectures.chosen();
    let devices = Devices {
        device: Some(&arguments.device),
        programs: arguments.firmware.settings()?,
        ..Devices::default()
    };
    let settings = arguments.root.find().and_then(|root| devices.settings(root, &architectures));
    let environment = match &settings {
        Ok(settings) => Environment::of(settings, &architectures),
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
