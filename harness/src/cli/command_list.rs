//! The list of commands in `hallmark --help`, grouped by what a user wants.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;
use clap::builder::Styles;
use textwrap::Options;

use super::output;

/// The help's columns on a wide terminal, and where there is no terminal.
pub(super) const WIDTH: usize = 100;

/// The columns of a command's name.
const NAMES: usize = 13;

/// Each group with its commands, in the order of the list. A test checks that every command stands here once.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Set up", &["init", "new", "kernels", "doctor", "schema", "completions", "man", "help"]),
    ("Run tests, here and in CI", &["run", "list", "explain", "bless", "report"]),
    (
        "Find what broke",
        &[
            "compare",
            "bisect",
            "reduce",
            "reproduce",
            "capture",
            "replay",
            "profile",
            "dump",
            "diff",
            "extract",
            "portability",
        ],
    ),
    ("Certify firmware, simulators and boards", &["certify", "package", "firmware"]),
];

/// The command with its subcommands listed in groups.
pub(super) fn grouped(command: Command) -> Command {
    let columns = output::width().unwrap_or(WIDTH).min(WIDTH);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}:\n{{options}}{{after-help}}",
        list(&command, columns),
        heading("Options"),
    );
    command.help_template(StyledStr::from(template))
}

fn heading(text: &str) -> String {
    let style = Styles::default();
    let style = style.get_header();
    format!("{style}{text}{style:#}")
}

/// The groups with a line for each command.
fn list(command: &Command, columns: usize) -> String {
    let mut text = String::new();
    let style = Styles::default();
    let literal = style.get_literal();
    for (group, names) in GROUPS {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{}:", heading(group));
        for name in names {
            let about = about(command, name);
            let indent = " ".repeat(NAMES.saturating_add(2));
            let options = Options::new(columns).initial_indent(&indent).subsequent_indent(&indent);
            let lines = textwrap::fill(&about, options);
            let about = lines.trim_start();
            let padding = " ".repeat(NAMES.saturating_sub(name.len()));
            let _ = writeln!(text, "  {literal}{name}{literal:#}{padding}{about}");
        }
        text.push('\n');
    }
    text
}

fn about(command: &Command, name: &str) -> String {
    match command.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        // clap adds this command later.
        None => "Print this message, or the help of a command".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_stands_in_one_group() {
        let mut cli = Cli::command();
        cli.build();
        let commands: BTreeSet<&str> = cli.get_subcommands().map(Command::get_name).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), commands);
        assert_eq!(listed.len(), commands.len(), "a command stands twice");
        assert!(listed.iter().all(|name| name.len() < NAMES));
    }

    #[test]
    fn the_list_fits_its_columns() {
        for columns in [60, WIDTH] {
            let text = list(&Cli::command(), columns);
            let plain = anstream::adapter::strip_str(&text).to_string();
            assert!(plain.lines().all(|line| line.chars().count() <= columns), "{plain}");
            // The template has no other tags.
            assert!(!plain.contains('{'), "{plain}");
        }
    }

    /// A page of a person's screen.
    const LINES: usize = 60;

    /// The short help of a command and of those below it.
    fn short_helps(command: &mut Command, found: &mut Vec<(String, String)>) {
        let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
        found.push((name, command.render_help().to_string()));
        for below in command.get_subcommands_mut() {
            short_helps(below, found);
        }
    }

    #[test]
    fn short_help_fits_a_screen() {
        let mut cli = grouped(Cli::command()).term_width(WIDTH);
        cli.build();
        let mut found = Vec::new();
        short_helps(&mut cli, &mut found);
        assert!(found.len() > 40, "{}", found.len());
        let count = |text: &str| text.lines().count();
        let long: Vec<String> = found
            .iter()
            .filter(|(_, text)| count(text) > LINES)
            .map(|(name, text)| format!("{name} -h has {} lines:\n{text}", count(text)))
            .collect();
        assert!(long.is_empty(), "{}", long.join("\n"));
    }
}
