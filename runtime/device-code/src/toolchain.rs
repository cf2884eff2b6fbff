//! The cross compiler, and the builds it performs.
//!
//! Kernels are texts of strangers: a build may read nothing but their closure, our headers and the compiler's own. Where
//! the system cannot confine the compiler, messages that may quote other files are withheld. In either case the files
//! that were read are checked.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};

use hallmark_chip::{Architecture, ChipDescription, Processor};
use hallmark_schema::model::OptLevel;
use object::{Object as _, ObjectSymbol as _};

use super::bundle_layout::{BundleKind, FirmwareProgram};
use super::compiler_messages::without_own_failure;
use super::confinement::Confinement;
use super::dependencies::dependencies;
use super::dwarf_lines::{DebugInformationError, encoded_line_table};
use super::headers::{self, Additional};
use super::kernel_build::{
    COMMON_FLAGS, FOLLOWED_CONDITIONS, KERNEL_FLAGS, KernelBuildRequest, LINK_FLAGS,
    OBJECT_API_FLAGS, STRIP_DEBUG, VECTOR_CODE_FLAGS, VECTOR_UNIT_MACHINE, profiler_definitions,
};
use super::kernel_store::BuiltKernel;
use super::lexical::lexical;
use super::private_memory::kernel_private_memory;
use super::temporary::TemporaryFolder;
use super::vector_registers::{SourceLine, TOO_MANY_VECTORS, first_spill};
use super::{MemoryRange, SourceClosure, UnreadDirective, limits};

/// A RISC-V gcc.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: PathBuf,
    version: String,
    /// The folder of the headers that belong to the compiler.
    headers: PathBuf,
    /// The files that a confined compiler may open.
    confinement: Arc<Confinement>,
    /// Whether builds are confined, as soon as it is known.
    is_confined: Arc<OnceLock<bool>>,
}

/// A build step failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ToolchainError {
    /// A file of the build could not be written or read.
    #[error("{what}: {reason}")]
    Files {
        /// The attempted action.
        what: String,
        /// The error of the operating system.
        reason: Arc<std::io::Error>,
    },
    /// The compiler could not be started.
    #[error("cannot run {}: {reason}", program.display())]
    Start {
        /// The path of the compiler.
        program: PathBuf,
        /// The error of the operating system.
        reason: Arc<std::io::Error>,
    },
    /// The compiler's debug information cannot be read.
    #[error(transparent)]
    DebugInformation(#[from] DebugInformationError),
    /// The machine ended the compiler.
    #[error("{} ended without an answer: {status}", program.display())]
    Killed {
        /// The path of the compiler.
        program: PathBuf,
        /// The state that it ended with.
        status: std::process::ExitStatus,
    },
    /// The build has read a file that does not belong to it.
    #[error(
        "the build reads {file}, which lies outside of the suites and of Hallmark's headers; copy the file beside the kernel and include it by `#include \"…\"`"
    )]
    Outside {
        /// The file, as the compiler names it.
        file: String,
    },
    /// The compiler found errors.
    #[error("{messages}")]
    Rejected {
        /// The compiler's messages.
        messages: String,
    },
}

impl ToolchainError {
    /// Whether the machine failed, and nothing was learnt of the kernel.
    pub const fn is_of_machine(&self) -> bool {
        match self {
            Self::Files { .. } | Self::Start { .. } | Self::Killed { .. } => true,
            Self::DebugInformation(_) | Self::Outside { .. } | Self::Rejected { .. } => false,
        }
    }
}

fn files(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> ToolchainError {
    let what = what.into();
    move |reason| ToolchainError::Files { what, reason: Arc::new(reason) }
}

const PROGRAM: &str = "riscv64-unknown-elf-g++";
/// The objects of a kernel's source and of its start-up code, in link order.
const KERNEL_OBJECTS: [&str; 2] = ["../kernel.o", "../kernel_start.o"];
/// The source and the object of the code around `kernel_main` in a build for a profile (`void kernel_main()`).
const KERNEL_ZONE: (&str, &str) = ("../hallmark/profiler/kernel_zone.cpp", "../kernel_zone.o");
/// The source and the object of the code around `kernel_main` in a kernel that prints, and the function that such a kernel
/// calls. A build for a profile does not print.
const PRINT: (&str, &str) = ("../hallmark/debug/print.cpp", "../print.o");
const PRINT_FUNCTION: &str = "hallmark_print";
const AROUND_MAIN_FLAG: &str = "-Wl,--wrap=_Z11kernel_mainv";
/// The flag for line tables. It changes no byte of a stripped ELF, so no key includes it.
const DEBUG_INFORMATION: &str = "-g";

/// The compiler's text of a kernel for the vector unit, where the assembler rejects it.
const ASSEMBLY: &str = "../kernel.s";
/// What the compiler says of a condition whose end it does not know (`vector_unit/vector/instructions.h`).
const LOST_CONDITION: &str = "condition whose end the compiler loses sight of";

/// The endings of the lists of files that compiler and assembler read.
const READ: [&str; 2] = ["read", "assembled"];
/// Bytes that a folder must have room for where a refusal is the compiler's own.
const ROOM: usize = 1 << 20;

/// The objects of a kernel.
struct KernelObjects {
    /// The folder of the build.
    folder: TemporaryFolder,
    /// The object with code around `kernel_main`, if the kernel has such code.
    around_main: Option<&'static str>,
}

/// Whether a kernel is linked with the debug information of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DebugInformation {
    /// Without it, to run.
    Stripped,
    /// With it, for the line table.
    Present,
}

impl Compiler {
    /// The instruction for users when [`Compiler::find`] finds no compiler.
    pub const INSTALL: &'static str =
        "install gcc-riscv64-unknown-elf (`apt-get install gcc-riscv64-unknown-elf`)";

    /// The compiler on `PATH`, or in the usual folders if the environment was emptied.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .chain(["/usr/local/bin".into(), "/usr/bin".into()])
            .map(|folder| folder.join(PROGRAM))
            .filter(|program| program.is_absolute() && program.is_file())
            .find_map(|program| Self::at(&program))
    }

    /// The compiler at a path; `None` if it does not report a version.
    pub fn at(program: &Path) -> Option<Self> {
        let compiler = first_line(program, "--version")?;
        // The text before the parenthesis is the name by which the compiler was started.
        let compiler = compiler.split_once('(').map_or(compiler.as_str(), |(_, rest)| rest);
        let linker = first_line(program, "-print-prog-name=ld")?;
        let linker = first_line(Path::new(&linker), "--version")?;
        let version = format!("gcc ({compiler}, {linker}");
        let headers = PathBuf::from(first_line(program, "-print-file-name=include")?);
        let confinement = Arc::new(Confinement::to(program, installation(program)));
        let is_confined = Arc::default();
        Some(Self { program: program.to_owned(), version, headers, confinement, is_confined })
    }

    /// The compiler as on a system that cannot confine it.
    #[doc(hidden)]
    pub fn unconfined(&self) -> Self {
        Self { is_confined: Arc::new(OnceLock::from(false)), ..self.clone() }
    }

    /// Whether builds are confined. A compiler that needs files besides those of its installation cannot be: it is
    /// tried once.
    fn is_confined(&self, folder: &Path) -> bool {
        *self.is_confined.get_or_init(|| {
            let mut command = self.command(folder);
            command.args(COMMON_FLAGS).args(["-x", "c++", "/dev/null", "-nostdlib", "-r"]);
            command.args(["-o", "confined.o"]);
            let output = self.confinement.output(folder, &mut command);
            matches!(output, Ok(Some(output)) if output.status.success())
        })
    }

    /// Whether the system keeps builds from every file but a kernel's own; `None` if no folder could be made to try it.
    /// Elsewhere, messages that may quote other files are withheld.
    pub fn confines_builds(&self) -> Option<bool> {
        let folder = TemporaryFolder::new().ok()?;
        Some(self.is_confined(folder.path()))
    }

    /// The versions of compiler and linker, in one line.
    pub fn version(&self) -> &str {
        &self.version
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(folder)
            .env_clear()
            .env("LC_ALL", "C")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", folder)
            .stdin(Stdio::null());
        command
    }

    /// Runs a step of a trusted build.
    fn run(&self, folder: &Path, command: &mut Command) -> Result<(), ToolchainError> {
        let output = command.output().map_err(|reason| self.cannot_start(reason))?;
        self.succeeded(folder, &output, None)
    }

    /// Runs a step of a kernel's build, with nothing visible but its own files if the system allows that.
    fn run_confined(
        &self,
        folder: &Path,
        sources: &SourceClosure,
        command: &mut Command,
    ) -> Result<(), ToolchainError> {
        if self.is_confined(folder) {
            let output = self.confinement.output(folder, command);
            let output = output.map_err(|reason| self.cannot_start(reason))?;
            let refused = || self.cannot_start(std::io::ErrorKind::PermissionDenied.into());
            return self.succeeded(folder, &output.ok_or_else(refused)?, None);
        }
        let output = command.output().map_err(|reason| self.cannot_start(reason))?;
        self.succeeded(folder, &output, Some(sources))
    }

    fn cannot_start(&self, reason: std::io::Error) -> ToolchainError {
        ToolchainError::Start { program: self.program.clone(), reason: Arc::new(reason) }
    }

    /// Whether a step succeeded. The messages of an unconfined step may quote files that `unconfined` has no right to.
    fn succeeded(
        &self,
        folder: &Path,
        output: &Output,
        unconfined: Option<&SourceClosure>,
    ) -> Result<(), ToolchainError> {
        if output.status.success() {
            return Ok(());
        }
        // gcc's driver reports so that a signal, as of a system without memory, has ended one of its programs.
        let is_killed =
            memchr::memmem::find(&output.stderr, b"Killed signal terminated program").is_some();
        if output.status.code().is_none() || is_killed {
            return Err(ToolchainError::Killed {
                program: self.program.clone(),
                status: output.status,
            });
        }
        // A disk without room is no mistake of the kernel's, whatever the compiler makes of it.
        let probe = folder.join("room");
        std::fs::write(&probe, vec![0; ROOM])
            .map_err(files("the folder of the build cannot be written"))?;
        let _ = std::fs::remove_file(probe);
        let messages = String::from_utf8_lossy(&kept(&output.stderr))
            .replace(&format!("{}/", folder.display()), "")
            // A file that the kernel may not read is none to it, so that no message tells which files exist.
            .replace(": Permission denied", ": No such file or directory")
            .trim_end()
            .to_owned();
        let messages = match unconfined {
            Some(sources) => without_quotes(messages, sources),
            None => messages,
        };
        Err(ToolchainError::Rejected { messages: without_own_failure(messages) })
    }

    /// Compiles a kernel. Equal requests give equal bytes in any folder and on any machine.
    pub(super) fn kernel(
        &self,
        request: &KernelBuildRequest,
    ) -> Result<BuiltKernel, ToolchainError> {
        /// An address beyond the largest image: see `dwarf_lines`.
        const BASE_WITH_LINES: u32 = 16 << 20;
        let objects = self.kernel_objects(request)?;
        let elf = self.link_kernel(request, &objects, 0, DebugInformation::Stripped)?;
        let with_lines =
            self.link_kernel(request, &objects, BASE_WITH_LINES, DebugInformation::Present)?;
        let lines = encoded_line_table(&with_lines, BASE_WITH_LINES)?;
        Ok(BuiltKernel { elf: elf.into(), lines: Some(lines.into()) })
    }

    /// A kernel linked for an address other than 0. The host never needs it; tests compare it with an image
    /// that the host has moved.
    #[doc(hidden)]
    pub fn kernel_at(
        &self,
        request: &KernelBuildRequest,
        base: u32,
    ) -> Result<Vec<u8>, ToolchainError> {
        let objects = self.kernel_objects(request)?;
        self.link_kernel(request, &objects, base, DebugInformation::Stripped)
    }

    /// Compiles a kernel's sources in a folder of their own. The objects are linked twice.
    fn kernel_objects(
        &self,
        request: &KernelBuildRequest,
    ) -> Result<KernelObjects, ToolchainError> {
        let place = TemporaryFolder::new().map_err(files("cannot create a folder to build in"))?;
        let ours = place.path().join("hallmark");
        let suites = place.path().join("suites");
        let given = headers::files(request.architecture);
        write_tree(&ours, given.map(|(path, text)| (path, text.into_owned())))?;
        write_tree(
            &suites,
            request.sources.files().iter().map(|(path, bytes)| (path.as_str(), bytes)),
        )?;
        // Other kernels cannot ask for the API of objects by `__has_include`, since their keys do not depend on it.
        let of_objects = request.uses_object_api().then_some(Additional::ObjectApi);
        let (object_api_flags, object_api_folder): (&[&str], _) = match of_objects {
            Some(additional) => {
                (OBJECT_API_FLAGS, Some(format!("-I../hallmark/{}", additional.folder())))
            }
            None => (&[], None),
        };
        let of_compute = request.uses_compute_api().then_some(Additional::Compute);
        let compute_folder =
            of_compute.map(|additional| format!("-I../hallmark/{}", additional.folder()));
        let of_vectors = request.uses_vector_unit().then_some(Additional::VectorUnit);
        // Before the folder of the compute API: some of its headers stand in the place of that one's.
        let vector_folder =
            of_vectors.map(|additional| format!("-I../hallmark/{}", additional.folder()));
        let added = of_compute.into_iter().chain(of_vectors).chain(of_objects);
        for additional in added.chain([Additional::Debug, Additional::Profiler]) {
            write_tree(&ours, additional.files().map(|(path, text)| (path, text.into_owned())))?;
        }
        write_tree(&ours, [("prelude.h", request.prelude())])?;
        let with_main = request
            .generated_main()
            .map(|main| format!("#include \"{}\"\n{main}", request.sources.path()));
        write_tree(&ours, with_main.iter().map(|text| ("kernel_with_main.cpp", text)))?;
        let source = match with_main {
            Some(_) => "../hallmark/kernel_with_main.cpp",
            None => request.sources.path(),
        };
        let [kernel, start] = KERNEL_OBJECTS;
        let zone = request.profiler.map(|_| KERNEL_ZONE);
        let mut around_main = zone.map(|(_, object)| object);
        let sources = [(source, kernel), ("../hallmark/kernel_start.cpp", start)];
        let mut sources: VecDeque<_> = sources.into_iter().chain(zone).collect();
        while let Some((source, object)) = sources.pop_front() {
            let [read, assembled] = READ.map(|ending| format!("{object}.{ending}"));
            let compile = |vector_flags: &[&str], step: [&str; 4]| {
                let mut command = self.command(&suites);
                command
                    .args(COMMON_FLAGS)
                    .args(KERNEL_FLAGS)
                    .args(object_api_flags)
                    .args(vector_flags)
                    .args(request.opt_level.map(OptLevel::option))
                    .arg(DEBUG_INFORMATION)
                    .arg(prefix_map(place.path()))
                    .arg("-I.")
                    .args(&vector_folder)
                    .args(&compute_folder)
                    .arg("-I../hallmark/include")
                    .args(&object_api_folder)
                    .args(["-I../hallmark/debug", "-I../hallmark/profiler"])
                    .arg(format!("-I../hallmark/{}", headers::folder(request.architecture)))
                    .args(["-include", "../hallmark/prelude.h"])
                    .args(["-MD", "-MF", &read])
                    .arg(format!("-Wa,--MD,{assembled}"))
                    .args(step);
                command
            };
            let run = |mut command: Command| {
                self.run_confined(place.path(), &request.sources, &mut command)
            };
            let build = |flags: &[&str]| run(compile(flags, ["-c", source, "-o", object]));
            if object == kernel && request.has_vectors() {
                let unfollowed = [&[VECTOR_UNIT_MACHINE], VECTOR_CODE_FLAGS].concat();
                let followed = [unfollowed.as_slice(), &[FOLLOWED_CONDITIONS]].concat();
                // The name of the text that an `error` attribute of the vectors has.
                let is_of_conditions = |error: &ToolchainError| matches!(error, ToolchainError::Rejected { messages } if messages.contains(LOST_CONDITION));
                let (flags, built) = match build(&followed) {
                    Err(error) if is_of_conditions(&error) => (&unfollowed, build(&unfollowed)),
                    built => (&followed, built),
                };
                built.map_err(|error| {
                    let assemble = compile(flags, ["-S", source, "-o", ASSEMBLY]);
                    if !matches!(error, ToolchainError::Rejected { .. }) || run(assemble).is_err() {
                        return error;
                    }
                    too_many_vectors(&suites.join(ASSEMBLY), &request.sources).unwrap_or(error)
                })?;
            } else {
                build(&[])?;
            }
            for list in [read, assembled] {
                self.check_read(place.path(), &suites, &list)?;
            }
            if object == kernel && calls(&suites.join(object), PRINT_FUNCTION)? {
                around_main = Some(PRINT.1);
                sources.push_back(PRINT);
            }
        }
        Ok(KernelObjects { folder: place, around_main })
    }

    /// Whether all files of a list that the compiler or the assembler wrote belong to the build: those of its folder,
    /// which are the closure's and ours, and the compiler's headers.
    fn check_read(&self, place: &Path, suites: &Path, list: &str) -> Result<(), ToolchainError> {
        let list = limits::read_file(&suites.join(list), limits::TEXT_FILE)
            .map_err(files("cannot read the list of the files that the compiler read"))?;
        let of_compiler = lexical(&self.headers);
        let folders = [place, &of_compiler, &fixed(&of_compiler)];
        let belongs = |file: &String| {
            let path = lexical(&suites.join(file));
            folders.iter().any(|folder| path.starts_with(folder))
        };
        match dependencies(&list).into_iter().find(|file| !belongs(file)) {
            Some(file) => Err(ToolchainError::Outside { file }),
            None => Ok(()),
        }
    }

    fn link_kernel(
        &self,
        request: &KernelBuildRequest,
        objects: &KernelObjects,
        base: u32,
        debug: DebugInformation,
    ) -> Result<Vec<u8>, ToolchainError> {
        let folder = objects.folder.path();
        let mut command = self.command(&folder.join("suites"));
        command
            .args(COMMON_FLAGS)
            .args(KERNEL_OBJECTS)
            .args(objects.around_main.iter().flat_map(|object| [*object, AROUND_MAIN_FLAG]))
            .args(LINK_FLAGS.iter().filter(|flag| match debug {
                DebugInformation::Stripped => true,
                DebugInformation::Present => **flag != STRIP_DEBUG,
            }))
            .args(private_symbols(ChipDescription::of(request.architecture), request.processor))
            .args((base != 0).then(|| format!("-Wl,--defsym=KERNEL_BASE={base:#x}")))
            .args(["-Wl,-T,../hallmark/kernel.ld", "-lgcc", "-o", "../kernel.elf"]);
        self.run_confined(folder, &request.sources, &mut command)?;
        read_output(&folder.join("kernel.elf"))
    }

    fn firmware(
        &self,
        chip: &ChipDescription,
        program: FirmwareProgram,
        sources: FirmwareSources<'_>,
        profiler: Option<MemoryRange>,
    ) -> Result<Vec<u8>, ToolchainError> {
        let processor = program.processor();
        let architecture = chip.architecture;
        let place = TemporaryFolder::new().map_err(files("cannot create a folder to build in"))?;
        let ours = place.path().join("hallmark");
        let given = headers::files(architecture);
        write_tree(&ours, given.map(|(path, text)| (path, text.into_owned())))?;
        let own = headers::folder(architecture);
        let (name, main) = (program.name(), program.main());
        let files_of_ours = [
            "firmware.h".to_owned(),
            "firmware_profiler.h".to_owned(),
            "dispatch_abi.h".to_owned(),
            "brisc_starts_others.h".to_owned(),
            "firmware.ld".to_owned(),
            "start.S".to_owned(),
            format!("{main}.cpp"),
            format!("{own}/bring_up.h"),
        ];
        for file in files_of_ours {
            let bytes = sources.read(&file).map_err(files(format!("firmware source {file}")))?;
            write_tree(&ours, [(file.as_str(), bytes)])?;
        }
        let of_profiler = Additional::Profiler.files();
        write_tree(&ours, of_profiler.map(|(path, text)| (path, text.into_owned())))?;
        let mut command = self.command(&ours);
        command
            .args(COMMON_FLAGS)
            .arg(prefix_map(place.path()))
            .args(["-I.", "-Iinclude"])
            .arg(format!("-I{own}"))
            .arg(format!("-D{}=1", KernelBuildRequest::architecture_define(architecture)))
            .arg(format!("-D{}=1", KernelBuildRequest::processor_define(processor)))
            .arg(format!("-DPROCESSOR_INDEX={}", processor.index()))
            // Headers of the kernel API require these definitions.
            .args(["-DKERNEL_COMPILE_TIME_ARG_COUNT=0", "-DKERNEL_COMPILE_TIME_ARGS="])
            .args(
                profiler
                    .into_iter()
                    .flat_map(profiler_definitions)
                    .map(|definition| format!("-D{}", definition.replacen(' ', "=", 1))),
            )
            .arg("-Iprofiler")
            .args(["start.S", &format!("{main}.cpp")])
            .args(LINK_FLAGS.iter().filter(|flag| !flag.contains("emit-relocs")))
            .args(super::bundle_layout::link_symbols(chip, program))
            .args(["-Wl,-T,firmware.ld", "-lgcc", "-o", &format!("../{name}.elf")]);
        self.run(place.path(), &mut command)?;
        read_output(&place.path().join(format!("{name}.elf")))
    }
}

/// The rejection of a kernel whose vectors need memory, which names the kernel's line.
fn too_many_vectors(assembly: &Path, sources: &SourceClosure) -> Option<ToolchainError> {
    let text = limits::read_file(assembly, limits::TEXT_FILE).ok()?;
    let SourceLine { file, line } =
        first_spill(&String::from_utf8_lossy(&text), |file| sources.has(file))?;
    let messages = format!(
        "{file}:{line}: error: {TOO_MANY_VECTORS} the 8 registers of the vector unit; store some to Dst, or compute them again"
    );
    Some(ToolchainError::Rejected { messages })
}

/// The folder of the headers that the compiler has made fit for itself, beside that of its own headers.
fn fixed(headers: &Path) -> PathBuf {
    headers.with_file_name("include-fixed")
}

/// The folders of the programs, libraries and headers of a compiler's installation.
fn installation(program: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in lines(program, "-print-search-dirs").unwrap_or_default() {
        let Some((_, list)) = line.split_once(": ") else { continue };
        folders.extend(std::env::split_paths(list.trim_start_matches('=')));
    }
    folders
}

/// The messages of an unconfined compiler without those that may quote a file outside of the closure: any, if only a
/// preprocessor knows which files are included, and the assembler's, which quotes what it includes.
fn without_quotes(messages: String, sources: &SourceClosure) -> String {
    if let Some(UnreadDirective { file, line, directive }) = sources.unread() {
        return format!(
            "messages withheld: they may quote any file because of {file}:{line}: `{directive}`; include files by `#include \"…\"`, and the messages are shown"
        );
    }
    match messages.find("Assembler messages:") {
        Some(place) => {
            let (before, _) = messages.split_at(place);
            let before = before.rsplit_once('\n').map_or("", |(lines, _)| lines);
            format!("{before}\nmessages withheld: the assembler rejects an `asm` statement, and this system cannot confine it").trim_start().to_owned()
        }
        None => messages,
    }
}

/// The part of a compiler's messages that is kept. If there are too many, that is the first and the last lines: an error after many
/// warnings is among the last.
pub(crate) fn kept(messages: &[u8]) -> Vec<u8> {
    const HALF: usize = limits::COMPILER_OUTPUT / 2;
    if messages.len() <= limits::COMPILER_OUTPUT {
        return messages.to_vec();
    }
    let (first, others) = messages.split_at(HALF);
    let (left_out, last) = others.split_at(others.len().saturating_sub(HALF));
    // Whole lines, unless one fills a half.
    let end = first.iter().rposition(|byte| *byte == b'\n');
    let first = end.and_then(|end| first.get(..end)).unwrap_or(first);
    let begin = last.iter().position(|byte| *byte == b'\n').map(|end| end.saturating_add(1));
    let whole = begin.and_then(|begin| last.get(begin..)).filter(|rest| !rest.is_empty());
    let marker = format!("\n… some {} bytes left out …\n", left_out.len());
    [first, marker.as_bytes(), whole.unwrap_or(last)].concat()
}

fn prefix_map(folder: &Path) -> std::ffi::OsString {
    let mut flag = std::ffi::OsString::from("-ffile-prefix-map=");
    flag.push(folder);
    flag.push("=.");
    flag
}

fn private_symbols(chip: &ChipDescription, processor: Processor) -> Vec<String> {
    let range = kernel_private_memory(chip, processor);
    vec![
        format!("-Wl,--defsym=KERNEL_PRIVATE_START={:#x}", range.start),
        format!("-Wl,--defsym=KERNEL_PRIVATE_END={:#x}", range.end),
    ]
}

fn first_line(program: &Path, argument: &str) -> Option<String> {
    lines(program, argument)?.into_iter().next()
}

fn lines(program: &Path, argument: &str) -> Option<Vec<String>> {
    let output = Command::new(program)
        .arg(OsStr::new(argument))
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().map(str::to_owned).collect())
}

fn write_tree<'a>(
    folder: &Path,
    entries: impl IntoIterator<Item = (&'a str, impl AsRef<[u8]>)>,
) -> Result<(), ToolchainError> {
    std::fs::create_dir_all(folder).map_err(files("cannot create a folder to build in"))?;
    for (path, bytes) in entries {
        let place = folder.join(path);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent).map_err(files(format!("cannot create {path}")))?;
        }
        std::fs::write(&place, bytes).map_err(files(format!("cannot write {path}")))?;
    }
    Ok(())
}

/// Whether an object calls a function of another one.
fn calls(object: &Path, function: &str) -> Result<bool, ToolchainError> {
    let bytes = read_output(object)?;
    let file = object::File::parse(&*bytes).map_err(DebugInformationError::Elf)?;
    Ok(file.symbols().any(|symbol| symbol.is_undefined() && symbol.name() == Ok(function)))
}

fn read_output(path: &Path) -> Result<Vec<u8>, ToolchainError> {
    limits::read_file(path, limits::ELF_FILE).map_err(files("cannot read what the compiler made"))
}

/// A firmware bundle that could not be built.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FirmwareBuildError {
    /// There is no compiler.
    #[error("no RISC-V compiler was found: {}", Compiler::INSTALL)]
    NoCompiler,
    /// A step failed.
    #[error("building {program} for {architecture}: {error}")]
    Step {
        /// The architecture of the bundle.
        architecture: Architecture,
        /// The started program.
        program: String,
        /// The error of the step.
        #[source]
        error: ToolchainError,
    },
    /// The bundle could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file that cannot be read or written.
        path: PathBuf,
        /// The error of the operating system.
        reason: Arc<std::io::Error>,
    },
}

/// The origin of the firmware's sources.
#[derive(Clone, Copy, Debug)]
enum FirmwareSources<'a> {
    /// A folder: `runtime/firmware`.
    Folder(&'a Path),
    /// The library itself.
    Embedded,
}

impl FirmwareSources<'_> {
    fn read(self, file: &str) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Folder(folder) => limits::read_file(&folder.join(file), limits::SOURCE_FILE),
            Self::Embedded => headers::firmware_source(file)
                .map(|text| text.as_bytes().to_vec())
                .ok_or_else(|| std::io::ErrorKind::NotFound.into()),
        }
    }
}

/// Builds the firmware bundle of an architecture from `source_folder` into `output_folder`: the
/// manifest, one ELF per core and the dispatcher's.
pub fn build_firmware(
    compiler: &Compiler,
    architecture: Architecture,
    source_folder: &Path,
    output_folder: &Path,
) -> Result<(), FirmwareBuildError> {
    let sources = FirmwareSources::Folder(source_folder);
    build(compiler, architecture, sources, BundleKind::Ordinary, output_folder)
}

/// The bundle of an architecture's firmware with markers, which marks its own activity and passes on the
/// kernels' markers. It lies in a folder of `cache`, and is built there if it is missing.
///
/// # Errors
/// [`FirmwareBuildError`]; without a compiler only if the bundle is missing.
pub fn profiled_firmware(
    compiler: Option<&Compiler>,
    architecture: Architecture,
    cache: &Path,
) -> Result<PathBuf, FirmwareBuildError> {
    let Some(compiler) = compiler else { return Err(FirmwareBuildError::NoCompiler) };
    let mut hasher = blake3::Hasher::new_derive_key("hallmark firmware for a profile 1");
    for part in [compiler.version().as_bytes(), &headers::profiled_firmware_hash(architecture).0] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let place = cache.join(format!("{architecture}-{}.firmware", hasher.finalize().to_hex()));
    if place.join(LAST_FILE).is_file() {
        return Ok(place);
    }
    let write = |path: &Path, reason| FirmwareBuildError::Write {
        path: path.to_owned(),
        reason: Arc::new(reason),
    };
    std::fs::create_dir_all(cache).map_err(|error| write(cache, error))?;
    let own = TemporaryFolder::within(cache).map_err(|error| write(cache, error))?;
    build(compiler, architecture, FirmwareSources::Embedded, BundleKind::Profiled, own.path())?;
    match std::fs::rename(own.path(), &place) {
        // Another process has built the same bundle meanwhile.
        Err(_) if place.join(LAST_FILE).is_file() => Ok(place),
        Err(error) => Err(write(&place, error)),
        Ok(()) => Ok(place),
    }
}

/// The last file of a bundle to be written.
const LAST_FILE: &str = "manifest.json";

fn build(
    compiler: &Compiler,
    architecture: Architecture,
    sources: FirmwareSources<'_>,
    kind: BundleKind,
    output_folder: &Path,
) -> Result<(), FirmwareBuildError> {
    let chip = ChipDescription::of(architecture);
    let mut outputs = vec![(LAST_FILE.to_owned(), super::bundle_layout::manifest_text(chip, kind))];
    for program in FirmwareProgram::all() {
        let elf = compiler.firmware(chip, program, sources, kind.profiler()).map_err(|error| {
            FirmwareBuildError::Step { architecture, program: program.name(), error }
        })?;
        outputs.push((program.file(), elf));
    }
    for (name, bytes) in outputs {
        let path = output_folder.join(name);
        std::fs::create_dir_all(output_folder)
            .and_then(|()| std::fs::write(&path, bytes))
            .map_err(|reason| FirmwareBuildError::Write { path, reason: Arc::new(reason) })?;
    }
    Ok(())
}
