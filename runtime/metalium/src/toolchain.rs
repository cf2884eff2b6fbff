//! The parts of the stand-in for the vendor's compiler: Debian's gcc for RISC-V, picolibc, and the C++ headers
//! of the system's compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hallmark_device_code::VECTOR_CODE_FLAGS;

use crate::installation::PrepareError;
use crate::release::StandIn;

/// Debian's compiler for RISC-V.
const CROSS_COMPILER: &str = "riscv64-unknown-elf-g++";
/// The system's compiler, which also builds the C++ interface.
pub(crate) const SYSTEM_COMPILER: &str = "c++";
/// Debian's C library for RISC-V.
const PICOLIBC: &str = "/usr/lib/picolibc/riscv64-unknown-elf";

/// The compilers' paths, and the folders of their headers and libraries.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    pub(crate) cross_compiler: PathBuf,
    /// Folders of C++ headers, in the order of the system's compiler.
    headers: Vec<PathBuf>,
    /// The compiler's support library for 32 bits.
    support_library: PathBuf,
}

/// A program on `PATH`.
pub(crate) fn program(name: &'static str, package: &'static str) -> Result<PathBuf, PrepareError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|program| program.is_absolute() && program.is_file())
        .ok_or(PrepareError::NoProgram { name, package })
}

/// The output of a program on both streams; its exit code is ignored.
fn output(program: &Path, arguments: &[&str]) -> Result<String, PrepareError> {
    let run =
        Command::new(program).args(arguments).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let run = run.map_err(|error| PrepareError::file("cannot be started", program, &error))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(format!("{}{}", text(&run.stdout), text(&run.stderr)))
}

/// The first line of a compiler's version output.
pub(crate) fn version(program: &Path) -> Result<String, PrepareError> {
    Ok(output(program, &["--version"])?.lines().next().unwrap_or_default().to_owned())
}

impl Toolchain {
    /// Finds the parts of the stand-in.
    ///
    /// # Errors
    /// A package is missing.
    pub(crate) fn find() -> Result<Self, PrepareError> {
        let package = "gcc-riscv64-unknown-elf";
        let cross_compiler = program(CROSS_COMPILER, package)?;
        if !Path::new(PICOLIBC).is_dir() {
            let (name, package) = (PICOLIBC, "picolibc-riscv64-unknown-elf");
            return Err(PrepareError::NoProgram { name, package });
        }
        let said =
            output(&program(SYSTEM_COMPILER, "g++")?, &["-E", "-v", "-x", "c++", "/dev/null"])?;
        let headers = said.lines().map(str::trim);
        let headers = headers.filter(|line| line.starts_with('/') && line.contains("/c++"));
        let headers: Vec<PathBuf> =
            headers.map(PathBuf::from).filter(|folder| folder.is_dir()).collect();
        let flags = ["-march=rv32im", "-mabi=ilp32", "-print-libgcc-file-name"];
        let support_library = PathBuf::from(output(&cross_compiler, &flags)?.trim());
        Ok(Self { cross_compiler, headers, support_library })
    }

    /// The settings file of the stand-in: shell variables.
    pub(crate) fn settings(&self, needs: &StandIn) -> String {
        let picolibc = Path::new(PICOLIBC).join("include");
        let headers = self.headers.iter().chain([&picolibc]);
        let headers: Vec<String> =
            headers.map(|folder| format!("-isystem {}", folder.display())).collect();
        let support = self.support_library.parent().unwrap_or(Path::new("/"));
        format!(
            "compiler={}\nheaders='{}'\nvector_flags='{}'\nlibraries='-L{PICOLIBC}/lib/rv32im/ilp32 -L{} -lc -lgcc'\njump_table={:#x}\nshadowed_kernel={}\n",
            self.cross_compiler.display(),
            headers.join(" "),
            VECTOR_CODE_FLAGS.join(" "),
            support.display(),
            needs.jump_table,
            needs.shadowed_kernel,
        )
    }
}

/// This machine's compilers for TT-Metalium's kernels and its C interface, as they identify themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compilers {
    /// The system's C++ compiler.
    pub system: String,
    /// The RISC-V compiler that the stand-in for the vendor's uses.
    pub cross: String,
}

impl Compilers {
    /// Finds the compilers. Nothing is built.
    ///
    /// # Errors
    /// A package is missing, or a compiler does not start.
    pub fn find() -> Result<Self, PrepareError> {
        let system = version(&program(SYSTEM_COMPILER, "g++")?)?;
        Ok(Self { system, cross: version(&Toolchain::find()?.cross_compiler)? })
    }
}
