//! `hallmark explain`.

use clap::Args;
use hallmark_chip::Architecture;

use super::options::{DeviceOption, Devices, LaunchOptions, RootOption};
use super::select::{one_test, test_name};
use super::{Failed, output};
use crate::suite::discover::known_architectures;
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct ExplainArguments {
    /// The name of the test
    test: String,
    #[command(flatten)]
    root: RootOption,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    launch: LaunchOptions,
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Failed> {
    let name = test_name(&arguments.test)?;
    let devices = Devices {
        device: Some(&arguments.device),
        programs: arguments.launch.settings()?,
        ..Devices::default()
    };
    let settings = devices.settings(arguments.root.find()?, &[name.architecture])?;
    let test = one_test(&settings.root, &name)?;
    let architecture: Architecture = test.name.architecture;
    if !known_architectures().contains(&architecture) {
        let text = format!("there is no simulated {architecture} yet, on which a plan is made");
        return Err(Failed::new(ExitCode::DEVICE, text));
    }
    let text = crate::explain::explain(&settings, &test)
        .map_err(|error| Failed::new(error.code, error))?;
    output::say_raw(&text);
    Ok(ExitCode::SUCCESS)
}
