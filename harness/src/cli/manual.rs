//! `hallmark completions` and `hallmark man`, generated from the definition of the command line.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use hallmark_pipeline::verdict::ExitCode;

use super::{Cli, Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell that completes
    shell: Shell,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ManArguments {
    /// The page of a command: `hallmark man run`, `hallmark man kernels build` [default: the page of hallmark itself]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Prints a shell's completion script for commands, options and values.
pub(super) fn completions(arguments: &CompletionsArguments) -> Result<ExitCode, Failed> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "hallmark", &mut text);
    print(&text)
}

/// Prints a page of the manual.
pub(super) fn man(arguments: &ManArguments) -> Result<ExitCode, Failed> {
    let mut cli = Cli::command();
    // Gives every command its whole name and the options of the commands above it.
    cli.build();
    let mut command = &cli;
    for name in &arguments.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(|it| it.get_name()).collect();
            let text = format!(
                "`{}` has no command `{name}`; it has {}",
                whole_name(command),
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            );
            Failed::new(ExitCode::USAGE, text)
        })?;
    }
    let title = whole_name(command).replace(' ', "-");
    let mut text = Vec::new();
    let page = Man::new(command.clone()).title(title);
    page.render(&mut text).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
    print(&text)
}

/// The whole name of a command: `hallmark run` for `run`.
fn whole_name(command: &clap::Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

fn print(text: &[u8]) -> Result<ExitCode, Failed> {
    let text = std::str::from_utf8(text).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
    output::say_raw(text);
    Ok(ExitCode::SUCCESS)
}
