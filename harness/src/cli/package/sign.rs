//! `hallmark package sign`.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use hallmark_package::{
    DraftError, Limits, Namespace, Package, REVIEW_SIGNATURE, SIGNATURE, STATEMENT, sign,
    with_signature,
};
use hallmark_pipeline::verdict::ExitCode;

use crate::cli::options::OUTPUT;
use crate::cli::package_file::read;
use crate::cli::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct SignArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    /// A private key, or a public key whose private key an agent has: ssh-ed25519 or sk-ssh-ed25519@openssh.com
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// Sign as a reviewer, beside the submitter
    #[arg(long)]
    review: bool,
    /// The signed package [default: the package itself]
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &SignArguments) -> Result<ExitCode, Failed> {
    let bytes = read(&arguments.package)?;
    let rejected = |error: &dyn std::fmt::Display| {
        let text = format!("{} is no package: {error}", arguments.package.display());
        Failed::new(ExitCode::REJECTED, text)
    };
    let package = Package::read(&bytes, &Limits::default()).map_err(|error| rejected(&error))?;
    let (name, namespace) = match arguments.review {
        false => (SIGNATURE, Namespace::Package),
        true => (REVIEW_SIGNATURE, Namespace::Review),
    };
    let statement = package.file(STATEMENT).unwrap_or_default();
    let signature = sign(statement, &arguments.key, namespace)
        .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    let to = arguments.output.as_ref().unwrap_or(&arguments.package);
    write(&bytes, name, signature, to)?;
    output::say(&format!("wrote {}  signed for {namespace}", to.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes the package with its signature, completely or not at all.
fn write(package: &[u8], name: &'static str, signature: Vec<u8>, to: &Path) -> Result<(), Failed> {
    let failed = |error: &dyn std::fmt::Display| {
        Failed::new(ExitCode::INTERNAL, format!("{} cannot be written: {error}", to.display()))
    };
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        // Every reader of the package may read the signed one; the process's mask applies.
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(|error| failed(&error))?;
    with_signature(package, name, signature, &mut file)
        .map_err(|error: DraftError| failed(&error))?;
    file.flush().map_err(|error| failed(&error))?;
    file.as_file().sync_all().map_err(|error| failed(&error))?;
    file.persist(to).map_err(|error| failed(&error.error))?;
    Ok(())
}
