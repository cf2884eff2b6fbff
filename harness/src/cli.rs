//! The `hallmark` command. Only this layer prints.

mod answers;
mod bisect;
mod bless;
mod capture;
mod capture_file;
mod certify;
mod command_list;
mod compare;
mod diff;
mod doctor;
mod dump;
mod dump_yaml;
mod explain;
mod extract;
mod failed_tests;
mod firmware;
mod generated_files;
mod init;
mod kernels;
mod list;
mod manual;
mod new;
mod options;
mod output;
mod package;
mod package_file;
mod paths;
mod portability;
mod profile;
mod profiled_replay;
mod progress;
mod reduce;
mod replay;
mod replayable;
mod report;
mod reproduce;
mod run;
mod schema;
mod search_log;
mod select;
mod signature_beside;
mod signature_file;
mod subject;
mod subset;
mod triage_options;
mod verifier_progress;
mod work;
mod wrap;

use clap::{ArgMatches, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use hallmark_execution::worker::zygote;
use hallmark_pipeline::Finding;
use hallmark_pipeline::report::annotations;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::temporary::remove_leftovers;
use hallmark_suite::deviations::UnusedDeviations;
use hallmark_suite::discover::UnusedExcuses;
use hallmark_suite::mistake::{LocatedMistake, SuiteMistakes};

use self::options::OUTPUT;
use crate::configuration::ConfigurationError;

/// Tests TT-Metalium host programs and checks that devices conform.
///
/// Suites describe sequences of host-API calls in YAML. One process captures each test. The capture is compared
/// with its golden, and a fresh process replays it on a simulator or a card. A test passes if all of that agrees.
#[derive(Debug, Parser)]
#[command(name = "hallmark", version, max_term_width = 100,
    after_help = "Exit codes, variables and configuration files: hallmark --help. A command: hallmark COMMAND -h",
    after_long_help = exit_codes())]
struct Cli {
    /// When to use colours [default: auto]
    ///
    /// With `auto`, NO_COLOR, CLICOLOR and CLICOLOR_FORCE decide, and else the terminal.
    #[arg(long, value_name = "WHEN", value_enum, global = true, help_heading = OUTPUT)]
    color: Option<ColorChoice>,
    #[command(subcommand)]
    command: Command,
}

fn exit_codes() -> String {
    let mut text = "Exit codes, the first that applies:\n".to_owned();
    for (code, meaning) in ExitCode::PRECEDENCE {
        text.push_str(&format!("  {:>3}  {meaning}\n", code.number()));
    }
    text.push_str(
        "\nEnvironment variables that mean the same as an option:
  HALLMARK_ROOT                           --root
  HALLMARK_DEVICE_<ARCHITECTURE>          --device <ARCHITECTURE>=…
  HALLMARK_REPLAY_DEVICE_<ARCHITECTURE>   --replay-device <ARCHITECTURE>=…
  HALLMARK_FIRMWARE                       --firmware
  HALLMARK_DISPATCH                       --dispatch
  HALLMARK_FRESH=1                        --fresh

hallmark.toml in the root, and below it ~/.config/hallmark/config.toml, hold settings for `run`, `list`, `bless`,
`kernels`, `doctor`, `explain TEST` and `capture TEST`. Options and variables count more. `hallmark doctor` prints the
settings in force.

GITHUB_ACTIONS=true adds annotations, by which GitHub shows failures beside lines of suites.",
    );
    text
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run tests: capture, check, compare with goldens, replay in a fresh process
    Run(run::RunArguments),
    /// List tests
    List(list::ListArguments),
    /// Accept what tests produce as their goldens, after showing what changes
    Bless(bless::BlessArguments),
    /// Show what a test does, in words and with its memory map, without running it
    Explain(explain::ExplainArguments),
    /// Run tests on several devices and show where the devices differ first
    Compare(compare::CompareArguments),
    /// Find the first command at which two executors differ
    ///
    /// Both executors make all calls of a capture or a test, and memory is looked at whenever they rest. Where no call
    /// waits, a `finish` is put between the calls in question. If the failure is gone then, the answer is the two commands
    /// that lack an order.
    ///
    /// With --over versions, the answer is the first version on an --axis whose result differs from that of the versions
    /// before it. With several axes, the search first finds the axes that matter. Between two installations of TT-Metalium
    /// it goes on to the first bad command, its kernels, and the files of device code that differ. With --git, the versions
    /// are commits, which are built when the search asks about them.
    Bisect(bisect::BisectArguments),
    /// Capture a test, or a command that uses TT-Metalium, into a self-contained file
    ///
    /// Behind `--` stands a command that uses TT-Metalium: a Python script, a test, a program. The command runs as it
    /// would without Hallmark, with the same input, output and exit code, while a recorder in its process follows its
    /// calls. Whatever ends the command, the capture has everything that the command began. Hallmark's own lines go to
    /// stderr.
    ///
    /// `--device metalium:SITE` names the folder of the ttnn wheel that the command loads. A Python that imports `ttnn`,
    /// and a program that is linked with libtt_metal.so, need no such option.
    ///
    /// The exit code is the command's, or 128 and the number of the signal that ended the command. If the command
    /// succeeded and gives no capture, the exit code is 4, or 9 if a file could not be written.
    Capture(capture::CaptureArguments),
    /// Replay a capture in a fresh process and check everything that the capture records
    Replay(replay::ReplayArguments),
    /// Make a capture that fails as small as possible, with the same failure
    ///
    /// Commands, objects, cores, sizes, numbers and data go while the failure stays the same: on the bad side, while the
    /// good side finds nothing wrong. What is kept was recorded on the good side, so it says what is right.
    Reduce(reduce::ReduceArguments),
    /// Check whether a capture still fails in the same way; the exit code says so
    ///
    /// `git bisect run hallmark reproduce cut.lmb --signature signature.json --bad hallmark:./build/hallmark --as git`
    /// finds the commit.
    Reproduce(reproduce::ReproduceArguments),
    /// Show where the time of a test or a capture goes: a table of operations
    ///
    /// An operation is one enqueued program, or one program of a replayed trace. The table has the columns of
    /// TT-Metalium's own profiler; `--columns` says what fills each. On the built-in simulator nothing needs markers in
    /// kernels, and what is profiled runs exactly as it does otherwise.
    Profile(profile::ProfileArguments),
    /// Show whether a device can replay a capture, and why not
    Portability(portability::PortabilityArguments),
    /// Show a capture as text, JSON lines, or a folder with a suite
    Dump(dump::DumpArguments),
    /// Show the differences of two captures, aligned by object and command
    Diff(diff::DiffArguments),
    /// Write a trace that a capture collected into a file, to be loaded elsewhere
    Extract(extract::ExtractArguments),
    /// Turn a folder into a test root: a suite, its kernel, their goldens
    Init(init::InitArguments),
    /// Write a suite to start from, or a kernel with the suite that runs it
    New(new::NewArguments),
    /// Print the JSON Schema of suites, or the reference of suites
    Schema(schema::SchemaArguments),
    /// Build or check the kernels of suites; check those of a capture; print the kernel API
    Kernels(kernels::KernelsArguments),
    /// Write, make or check a bundle of firmware
    ///
    /// A bundle is a folder with the programs of the five baby cores, that of dispatch tiles, and a manifest. Every command
    /// that runs tests takes one as --firmware.
    Firmware(firmware::FirmwareArguments),
    /// Show the environment: suites, goldens, devices, firmware, compiler
    Doctor(doctor::DoctorArguments),
    /// Run a conformance profile on a subject and make a package that a stranger can check
    ///
    /// The profile says which tests run, on what kinds of device, under which dispatch, seeds and harvesting, and how often.
    /// A run that is stopped or killed goes on when the same command is given again.
    #[command(
        after_help = "Exit codes: 0 all passed, 14 all passed or are waived and a reviewer has to take something on trust; otherwise those of `hallmark run`."
    )]
    Certify(certify::CertifyArguments),
    /// Verify, compare, show or sign packages that certifications made
    Package(package::PackageArguments),
    /// Merge reports of several machines
    Report(report::ReportArguments),
    /// Print the script by which a shell completes commands and options
    Completions(manual::CompletionsArguments),
    /// Print the manual, as man(1) shows it
    Man(manual::ManArguments),
}

/// An error that ends a command.
#[derive(Debug)]
pub(crate) struct Failed {
    code: ExitCode,
    text: String,
    /// Annotations for services that show a mistake beside its line.
    annotations: Vec<String>,
}

impl Failed {
    fn new(code: ExitCode, text: impl std::fmt::Display) -> Self {
        let text = text.to_string();
        let annotations = vec![annotations::error_anywhere("hallmark", &text)];
        Self { code, text, annotations }
    }

    fn of_finding(finding: &Finding) -> Self {
        Self::new(finding.exit_code(), finding.report().join("\n"))
    }
}

impl From<SuiteMistakes> for Failed {
    fn from(mistakes: SuiteMistakes) -> Self {
        let annotation = |located: &LocatedMistake| {
            let (line, _) = located.line_and_column();
            let mistake = &located.mistake;
            let message = match mistake.help.as_str() {
                "" => mistake.message.clone(),
                help => format!("{}; {help}", mistake.message),
            };
            annotations::error(&located.file.path, line, "mistake in a suite", &message)
        };
        let annotations = mistakes.0.iter().map(annotation).collect();
        Self { annotations, ..Self::new(ExitCode::SUITE, mistakes) }
    }
}

impl From<UnusedDeviations> for Failed {
    fn from(unused: UnusedDeviations) -> Self {
        let text = unused.to_string();
        Self { text, ..Self::from(unused.0) }
    }
}

impl From<UnusedExcuses> for Failed {
    fn from(unused: UnusedExcuses) -> Self {
        let text = unused.to_string();
        Self { text, ..Self::from(unused.0) }
    }
}

impl From<ConfigurationError> for Failed {
    fn from(error: ConfigurationError) -> Self {
        match error {
            // The file stands for options.
            ConfigurationError::Mistakes(mistakes) => {
                Self { code: ExitCode::USAGE, ..Self::from(mistakes) }
            }
            ConfigurationError::Unreadable { .. } => Self::new(ExitCode::USAGE, error),
        }
    }
}

impl Command {
    /// Whether its workers are forked where that is possible. A certification and its repetition execute theirs.
    const fn forks_workers(&self) -> bool {
        let fresh = match self {
            Self::Run(arguments) => arguments.fresh,
            Self::Bless(arguments) => arguments.fresh,
            Self::Compare(arguments) => arguments.fresh,
            Self::Bisect(arguments) => arguments.fresh,
            Self::Reduce(arguments) => arguments.fresh,
            Self::List(_)
            | Self::Capture(_)
            | Self::Reproduce(_)
            | Self::Replay(_)
            | Self::Profile(_)
            | Self::Portability(_)
            | Self::Dump(_)
            | Self::Diff(_)
            | Self::Schema(_)
            | Self::Doctor(_)
            | Self::Report(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Kernels(_)
            | Self::Firmware(_)
            | Self::Init(_)
            | Self::New(_)
            | Self::Explain(_)
            | Self::Extract(_)
            | Self::Certify(_)
            | Self::Package(_) => return false,
        };
        !fresh.fresh
    }
}

/// Parses the command line; also gives where each value was written.
fn parse() -> Result<(Cli, ArgMatches), clap::Error> {
    let matches = command_list::grouped(Cli::command()).try_get_matches()?;
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// Where the values of the chosen subcommand were written.
fn of_subcommand(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, matches)| matches)
}

/// Runs the command line; gives the exit code of the process.
pub fn main() -> std::process::ExitCode {
    let (cli, matches) = match parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are not errors.
            let code = if error.use_stderr() {
                output::note(error.render().ansi().to_string().trim_end());
                ExitCode::USAGE
            } else {
                output::say_help(&error);
                ExitCode::SUCCESS
            };
            return output::finish(code).into();
        }
    };
    // In the zygote and in each worker, it returns the code with which that process ends.
    if cli.command.forks_workers()
        && let Some(code) = zygote::start()
    {
        return code;
    }
    output::use_color(cli.color);
    if let Err(error) = hallmark_execution::interrupt::install() {
        output::complain(&format!("signals cannot be caught: {error}"));
        return ExitCode::INTERNAL.into();
    }
    // Folders of processes that were killed.
    remove_leftovers();
    let result = match cli.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Capture(arguments) => capture::run(&arguments, of_subcommand(&matches)),
        Command::Reduce(arguments) => reduce::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Portability(arguments) => portability::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Bless(arguments) => bless::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments, of_subcommand(&matches)),
        Command::Report(arguments) => report::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::man(&arguments),
        Command::Kernels(arguments) => kernels::run(&arguments),
        Command::Firmware(arguments) => firmware::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Extract(arguments) => extract::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Bisect(arguments) => bisect::run(&arguments),
        Command::Certify(arguments) => certify::run(&arguments),
        Command::Package(arguments) => package::run(&arguments),
    };
    let code = match result {
        Ok(code) => code,
        Err(Failed { code, text, annotations }) => {
            output::complain(&text);
            if annotations::are_shown() {
                annotations
                    .iter()
                    .for_each(|annotation| output::say_raw(&format!("{annotation}\n")));
            }
            code
        }
    };
    zygote::end();
    output::finish(code).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certification_executes_its_workers() {
        let forks = |line: &str| {
            let line = format!("hallmark {line}");
            Cli::try_parse_from(line.split(' ')).unwrap().command.forks_workers()
        };
        for command in [
            "run",
            "bless --yes",
            "compare --devices a,b",
            "bisect a.lmb",
            "reduce a.lmb --bad sim",
        ] {
            assert!(forks(command), "{command}");
            assert!(!forks(&format!("{command} --fresh")), "{command}");
        }
        for command in ["certify a.yaml", "package replay a.hallmark", "replay a.lmb"] {
            assert!(!forks(command), "{command}");
        }
    }
}
