//! The `hallmark` command. Only this layer prints.

mod bless;
mod captures;
mod compare;
mod diff;
mod doctor;
mod dump_yaml;
mod explain;
mod extract;
mod failed_tests;
mod init;
mod kernels;
mod list;
mod new;
mod output;
mod portability;
mod run;
mod schema;
mod select;
mod shard;
mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use hallmark_runtime::device_code::temporary::remove_leftovers;
use hallmark_schema::model::DispatchMode;

use crate::verdict::ExitCode;

/// Test-and-conformance harness for TT-Metalium host programs.
///
/// Suites describe sequences of host-API calls in YAML. Each test is captured by one process, written,
/// read and written again, compared with its golden, and replayed by a fresh process on a simulator or
/// a card; the verdict needs all of it.
#[derive(Debug, Parser)]
#[command(name = "hallmark", version, max_term_width = 100, after_help = exit_codes())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn exit_codes() -> String {
    let mut text = "Exit codes, the first that applies:\n".to_owned();
    for (code, meaning) in ExitCode::PRECEDENCE {
        text.push_str(&format!("  {:>3}  {meaning}\n", code.number()));
    }
    text.push_str(
        "\nHALLMARK_ROOT, HALLMARK_FIRMWARE, HALLMARK_DISPATCH, HALLMARK_DEVICE_<ARCHITECTURE> and \
         HALLMARK_REPLAY_DEVICE_<ARCHITECTURE> mean the same as the flags --root, --firmware, --dispatch, \
         --device <ARCHITECTURE>=… and --replay-device <ARCHITECTURE>=….",
    );
    text
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run tests: capture, check, compare with goldens, replay in a fresh process
    Run(run::RunArguments),
    /// List tests
    List(list::ListArguments),
    /// Capture one test into a file that stands alone
    Capture(captures::CaptureArguments),
    /// Replay a capture in a fresh process and check everything that it says
    Replay(captures::ReplayArguments),
    /// Say whether a capture can be replayed on a device, and why not
    Portability(portability::PortabilityArguments),
    /// Show a capture as text, JSON lines, or a folder with a suite
    Dump(captures::DumpArguments),
    /// Compare two captures, aligned by object and command
    Diff(diff::DiffArguments),
    /// Accept what tests produce as their goldens, after showing what changes
    Bless(bless::BlessArguments),
    /// Print the JSON Schema of suites, or their reference
    Schema(schema::SchemaArguments),
    /// Say what is here: suites, devices, firmware, compiler, goldens
    Doctor(doctor::DoctorArguments),
    /// Build or check the prebuilt kernels that the suites reach
    Kernels(kernels::KernelsArguments),
    /// Turn a folder into a test root: a suite, its kernel, their goldens
    Init(init::InitArguments),
    /// Write a suite to start from, or a kernel with the suite that runs it
    New(new::NewArguments),
    /// Say what a test does, in words and with its memory map, without running it
    Explain(explain::ExplainArguments),
    /// Write a trace that a capture collected, for whoever loads it elsewhere
    Extract(extract::ExtractArguments),
    /// Run tests on several devices of one architecture and say where they differ first
    Compare(compare::CompareArguments),
}

/// How programs are launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Dispatch {
    /// The host writes, launches and polls
    #[default]
    Host,
    /// Firmware on a reserved tile does, by commands that the host puts into its ring
    Device,
}

impl From<Dispatch> for DispatchMode {
    fn from(dispatch: Dispatch) -> Self {
        match dispatch {
            Dispatch::Host => Self::Host,
            Dispatch::Device => Self::Device,
        }
    }
}

/// How programs run, whatever the device.
#[derive(Clone, Debug, Args)]
struct ProgramOptions {
    /// A firmware bundle's folder instead of the built-in firmware
    #[arg(long, value_name = "FOLDER", env = "HALLMARK_FIRMWARE")]
    firmware: Option<PathBuf>,
    /// How programs are launched
    #[arg(long, value_enum, default_value_t, env = "HALLMARK_DISPATCH")]
    dispatch: Dispatch,
    /// Chooses orders that the hardware leaves open, where the device can; never data
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    schedule_seed: u64,
}

/// Where suites lie and what they run on.
#[derive(Clone, Debug, Args)]
struct Common {
    /// The folder that holds `suites` and `goldens`; otherwise the nearest above the current one
    #[arg(long, value_name = "FOLDER", env = "HALLMARK_ROOT")]
    root: Option<PathBuf>,
    /// Only this architecture (repeatable)
    #[arg(long, value_name = "ARCHITECTURE")]
    arch: Vec<String>,
    /// The executor: a device, perhaps with `ARCHITECTURE=` before it, and behind it what else than the flags
    /// holds for it: 'sim:wormhole_b0 firmware=FOLDER kernels=FOLDER dispatch=device schedule_seed=7'
    /// (repeatable). Devices are sim, sim:ARCHITECTURE:harvested=MASK, ttsim:PATH and pci:NUMBER; a bit of
    /// MASK, as 0x3, is a row or column that is fused off
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR")]
    device: Vec<String>,
    /// The executor that replays, where it is not the one that captures; written as for --device, or
    /// hallmark:PATH, perhaps with @DEVICE behind it: another release's executable. With `ARCHITECTURE=`
    /// before it, its device may be a chip of another architecture than those tests
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR")]
    replay_device: Vec<String>,
    #[command(flatten)]
    programs: ProgramOptions,
    /// Fail tests whose addresses or ELFs differ between capture and replay
    #[arg(long)]
    strict_derived: bool,
}

/// Something that ends a command.
#[derive(Debug)]
pub(crate) struct Failed {
    code: ExitCode,
    text: String,
}

impl Failed {
    fn new(code: ExitCode, text: impl std::fmt::Display) -> Self {
        Self { code, text: text.to_string() }
    }
}

/// Runs the command line; gives the process's exit code.
pub fn main() -> std::process::ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no mistakes.
            let code = if error.use_stderr() { ExitCode::USAGE } else { ExitCode::SUCCESS };
            let _ = error.print();
            return code.into();
        }
    };
    if let Err(error) = crate::interrupt::install() {
        output::complain(&format!("signals cannot be caught: {error}"));
        return ExitCode::INTERNAL.into();
    }
    // Of processes that were killed.
    remove_leftovers();
    let result = match cli.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Capture(arguments) => captures::capture(&arguments),
        Command::Replay(arguments) => captures::replay(&arguments),
        Command::Portability(arguments) => portability::run(&arguments),
        Command::Dump(arguments) => captures::dump(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Bless(arguments) => bless::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Kernels(arguments) => kernels::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Extract(arguments) => extract::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
    };
    match result {
        Ok(code) => code.into(),
        Err(Failed { code, text }) => {
            output::complain(&text);
            code.into()
        }
    }
}
