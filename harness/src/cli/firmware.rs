//! `hallmark firmware`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hallmark_chip::Architecture;
use hallmark_execution::whole_folder;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::{BundleError, BundleFiles, FirmwareBundle};
use hallmark_schema::plain;
use hallmark_schema::plural::bytes;

use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct FirmwareArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Write the built-in bundle into a folder
    Export(ExportArguments),
    /// Write a bundle of your own ELFs, with a manifest that fits them
    ///
    /// The folder of ELFs holds brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf, trisc2.elf and, for dispatch by the device,
    /// dispatch.elf. The manifest takes load addresses and entries from them, and the division of memory from the built-in
    /// bundle; edit it where your firmware divides memory otherwise.
    New(NewArguments),
    /// Load a bundle as tests do, and say what it is
    #[command(after_help = "Exit codes: 0 the bundle can be used, 1 it cannot.")]
    Check(CheckArguments),
}

#[derive(Clone, Debug, Args)]
struct ExportArguments {
    /// The folder to write, which is empty or not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The architecture: wormhole_b0, blackhole or grayskull; wh, bh or gs
    #[arg(long, value_name = "ARCHITECTURE", value_parser = Architecture::named_by_user)]
    arch: Architecture,
}

#[derive(Clone, Debug, Args)]
struct NewArguments {
    /// The folder to write, which is empty or not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The architecture: wormhole_b0, blackhole or grayskull; wh, bh or gs
    #[arg(long, value_name = "ARCHITECTURE", value_parser = Architecture::named_by_user)]
    arch: Architecture,
    /// The bundle's name and version, by which certifications call it
    #[arg(long, value_name = "NAME")]
    name: String,
    /// A folder of ELFs [default: those of the built-in bundle, to be replaced]
    #[arg(long, value_name = "FOLDER")]
    elfs: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
struct CheckArguments {
    /// The folder of the bundle
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(super) fn run(arguments: &FirmwareArguments) -> Result<ExitCode, Failed> {
    match &arguments.action {
        Action::Export(ExportArguments { folder, arch }) => {
            write(folder, &BundleFiles::read(None, *arch).map_err(unusable)?)?;
            check(folder)
        }
        Action::New(NewArguments { folder, arch, name, elfs }) => {
            write(folder, &BundleFiles::new(name, *arch, elfs.as_deref()).map_err(unusable)?)?;
            check(folder)
        }
        Action::Check(CheckArguments { folder }) => check(folder),
    }
}

/// The error for a bundle that cannot be used.
fn unusable(error: BundleError) -> Failed {
    Failed::new(ExitCode::NOT_PASSED, plain(&error.to_string()))
}

/// Writes a bundle into a folder that holds nothing.
fn write(folder: &Path, files: &BundleFiles) -> Result<(), Failed> {
    let shown = folder.display();
    let failed = |code, what: &dyn std::fmt::Display| {
        Failed::new(code, format!("{shown} cannot be written: {what}"))
    };
    match std::fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(failed(ExitCode::USAGE, &"it is not empty; name another folder"));
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(ExitCode::USAGE, &error)),
    }
    whole_folder::write(folder, |new| files.write(new))
        .map_err(|error: std::io::Error| failed(ExitCode::INTERNAL, &error))
}

/// Loads a bundle, and prints what it is.
fn check(folder: &Path) -> Result<ExitCode, Failed> {
    let wrong = |what: String| {
        Failed::new(ExitCode::NOT_PASSED, format!("{}: {}", folder.display(), plain(&what)))
    };
    let files = BundleFiles::read(Some(folder), Architecture::WormholeB0).map_err(unusable)?;
    let architecture: Architecture =
        files.architecture().parse().map_err(|error| wrong(format!("manifest.json: {error}")))?;
    let bundle = FirmwareBundle::load(folder, architecture).map_err(unusable)?;
    let manifest = bundle.manifest();
    let dispatch = match &manifest.dispatch {
        Some(dispatch) => format!("dispatch ABI {}", dispatch.dispatch_abi),
        None => "no dispatcher, so only the host launches programs".to_owned(),
    };
    output::say(&format!(
        "{}: `{}` for {architecture}, launch ABI {}, {dispatch}",
        folder.display(),
        plain(&manifest.name),
        manifest.launch_abi
    ));
    // Whole, because people compare them.
    output::say(&format!("  files       {}", bundle.hash()));
    output::say(&format!("  cores load  {}", bundle.images_hash()));
    for image in bundle.images() {
        let size = bytes(u64::try_from(image.bytes.len()).unwrap_or(u64::MAX));
        let name = image.processor.name();
        output::say(&format!("  {name:<7} {size} at {:#x}", image.load_address));
    }
    let names = bundle.files();
    let entries = std::fs::read_dir(folder).map_err(|error| wrong(error.to_string()))?;
    let mut strays: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| !names.contains(name.as_str()))
        .collect();
    strays.sort();
    if !strays.is_empty() {
        output::say(&format!("  no part of the bundle: {}", plain(&strays.join(", "))));
    }
    let builtin = FirmwareBundle::builtin(architecture).map_err(unusable)?;
    if bundle.has_images_of(&builtin) {
        output::say(
            "  The cores load the same bytes as from the built-in bundle, so `hallmark certify` does not accept it as a subject.",
        );
    }
    Ok(ExitCode::SUCCESS)
}
