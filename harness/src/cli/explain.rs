//! `hallmark explain`.

use clap::Args;
use hallmark_chip::Architecture;

use super::select::one_test;
use super::{Common, Failed, output};
use crate::suite::discover::known_architectures;
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct ExplainArguments {
    /// The test's name
    test: String,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Failed> {
    let settings = arguments.common.settings()?;
    let test = one_test(&settings.root, &arguments.test)?;
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
