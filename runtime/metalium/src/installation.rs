//! The files that a process needs to drive the vendor's library, made once in the user's cache folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use hallmark_chip::Architecture;
use hallmark_device_code::vector_headers;
use object::read::elf::ElfFile32;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use crate::built::{compile, make_once};
use crate::release::Firmware;
use crate::stand_in_prints::{self, HEADER, STRINGS};
use crate::toolchain::{SYSTEM_COMPILER, Toolchain, program, version};
use crate::{ReleaseDescription, SimulatorLibrary, Site};

/// The headers that declare the host API, in C++, by their names. A release's `release.hpp` has their numbers.
pub const DECLARATIONS: [(&str, &str); 3] = [
    ("metalium_abi.hpp", include_str!("../interface/metalium_abi.hpp")),
    ("differences.hpp", include_str!("../interface/differences.hpp")),
    ("objects.hpp", include_str!("../interface/objects.hpp")),
];
/// The source of the C++ library, embedded in the executable.
const INTERFACE: &str = include_str!("../interface/hallmark_metalium.cpp");
/// The stand-in for the vendor's compiler.
const COMPILER: &str = include_str!("../stand_in/compiler.sh");
/// The stand-in's headers, by their paths. Those of the vector unit are the kernel API's own ([`vector_headers`]); the
/// description of a release says which ones it needs.
const HEADERS: [(&str, &str); 8] = [
    ("include/tensix_instruction.h", include_str!("../stand_in/include/tensix_instruction.h")),
    ("include/lltt.h", include_str!("../stand_in/include/lltt.h")),
    ("include/iostream", include_str!("../stand_in/include/iostream")),
    ("include/bits/gthr.h", include_str!("../stand_in/include/bits/gthr.h")),
    ("include/bits/os_defines.h", include_str!("../stand_in/include/bits/os_defines.h")),
    ("include/bits/c++config.h", include_str!("../stand_in/include/bits/c++config.h")),
    (
        "shadow/tt_metal/impl/dispatch/kernels/cq_realtime_profiler_dispatch_subordinate.hpp",
        include_str!(
            "../stand_in/shadow/tt_metal/impl/dispatch/kernels/cq_realtime_profiler_dispatch_subordinate.hpp"
        ),
    ),
    (
        "shadow/tt_metal/impl/dispatch/kernels/cq_telemetry_dispatch_subordinate.hpp",
        include_str!(
            "../stand_in/shadow/tt_metal/impl/dispatch/kernels/cq_telemetry_dispatch_subordinate.hpp"
        ),
    ),
];

/// The chips with support objects, under the names that upstream's sources use.
const CHIPS: [(Architecture, &str, &str); 2] = [
    (Architecture::WormholeB0, "wormhole", "WORMHOLE"),
    (Architecture::Blackhole, "blackhole", "BLACKHOLE"),
];

/// The name of a chip in upstream's sources.
pub(crate) fn chip_name(architecture: Architecture) -> Option<&'static str> {
    CHIPS.iter().find(|(chip, _, _)| *chip == architecture).map(|(_, name, _)| *name)
}

const SUPPORT_FLAGS: [&str; 7] = [
    "-Os",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-builtin",
    "-fno-tree-loop-distribute-patterns",
    "-std=c++17",
    "-DLOCAL_MEM_EN=0",
];

const LIBRARY: &str = "libhallmark_metalium.so";
const OBJECT: &str = "hallmark_metalium.o";
/// The library's name in errors.
const INTERFACE_NAME: &str = "the C interface";

/// The files for driving the vendor's library cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// A program or a folder of a package is missing.
    #[error("{name} is missing, which TT-Metalium's kernels are built with; install {package}")]
    NoProgram {
        /// The missing program or folder.
        name: &'static str,
        /// Debian's package that contains it.
        package: &'static str,
    },
    /// A file cannot be written, read or started.
    #[error("{} {what}: {reason}", path.display())]
    File {
        /// The attempted action, as a clause.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The description of a release names a header that the stand-in lacks.
    #[error(
        "releases/{release}.toml: stand_in.headers: the stand-in for the vendor's compiler has no {name}; name one of the folder `stand_in`"
    )]
    NoHeader {
        /// The release.
        release: String,
        /// The path in the description.
        name: String,
    },
    /// A compiler found errors.
    #[error("{what} cannot be built for TT-Metalium {release}:\n{messages}")]
    Build {
        /// The compiled item.
        what: String,
        /// The release.
        release: String,
        /// The compiler's messages.
        messages: String,
    },
}

impl PrepareError {
    pub(crate) fn file(what: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Self::File { what, path: path.to_owned(), reason: error.to_string() }
    }
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), PrepareError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| PrepareError::file("cannot be made", folder, &error))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), PrepareError> {
    make_folder(path.parent().unwrap_or(Path::new("/")))?;
    std::fs::write(path, text)
        .map_err(|error| PrepareError::file("cannot be written", path, &error))
}

/// Creates a symbolic link, and replaces an existing one.
pub(crate) fn link(target: &Path, at: &Path) -> Result<(), PrepareError> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    if std::fs::read_link(at).is_ok_and(|there| there == target) {
        return Ok(());
    }
    make_folder(at.parent().unwrap_or(Path::new("/")))?;
    // The rename is atomic, so that a process that starts meanwhile finds the old or the new link. Threads of
    // one process may create the same link.
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let own = at.with_extension(format!("{}-{number}.part", std::process::id()));
    let failed = |error: std::io::Error| PrepareError::file("cannot be linked", at, &error);
    let _ = std::fs::remove_file(&own);
    std::os::unix::fs::symlink(target, &own).map_err(failed)?;
    std::fs::rename(&own, at).map_err(failed)
}

/// Links to every entry of a folder except the named ones.
fn link_all(from: &Path, to: &Path, but: &[&str]) -> Result<(), PrepareError> {
    let failed = |error: std::io::Error| PrepareError::file("cannot be listed", from, &error);
    make_folder(to)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !but.iter().any(|name| entry.file_name() == **name) {
            link(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Writes a file in a folder of links. The folders on its way become folders of links themselves.
fn replace_linked(from: &Path, to: &Path, file: &str, text: &str) -> Result<(), PrepareError> {
    let (mut from, mut to) = (from.to_owned(), to.to_owned());
    let mut names = file.split('/').peekable();
    while let Some(name) = names.next() {
        (from, to) = (from.join(name), to.join(name));
        let _ = std::fs::remove_file(&to);
        match names.peek() {
            Some(inside) => link_all(&from, &to, &[inside])?,
            None => write(&to, text)?,
        }
    }
    Ok(())
}

/// The files that a process needs to drive the vendor's library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    folder: PathBuf,
}

impl Installation {
    /// Makes missing files in a cache folder, under a lock. A second call finds them.
    ///
    /// # Errors
    /// A compiler is missing or fails, or the cache folder cannot be written.
    pub fn prepare(site: &Site, cache: &Path) -> Result<Self, PrepareError> {
        let system_compiler = program(SYSTEM_COMPILER, "g++")?;
        let kernel_compiler = match site.compiler() {
            Some(compiler) => version(&compiler)?,
            None => format!("stand-in over {}", version(&Toolchain::find()?.cross_compiler)?),
        };
        let release = site.release();
        let needs = format!("{:?} {:?}", release.stand_in(), release.firmware());
        let header = release.header();
        let made_by = version(&system_compiler)?;
        let own = [
            INTERFACE,
            COMPILER,
            STRINGS,
            site.build_id(),
            &kernel_compiler,
            &made_by,
            &needs,
            &header,
        ];
        let sources = headers(release)?.into_iter().chain(DECLARATIONS);
        let sources = sources.flat_map(|(name, text)| [name, text]);
        let mut key = blake3::Hasher::new();
        for part in own.into_iter().chain(sources) {
            key.update(part.as_bytes()).update(&[0]);
        }
        key.update(site.folder().as_os_str().as_encoded_bytes());
        let folder = make_once(cache, release.version(), &key, |folder| {
            let installation = Self { folder: folder.to_owned() };
            let object = interface_object(release, &header, (&system_compiler, &made_by), cache)?;
            installation.build_interface(site, &system_compiler, &object)?;
            installation.make_root(site)
        })?;
        Ok(Self { folder })
    }

    /// The C++ library with the C interface.
    pub fn interface(&self) -> PathBuf {
        self.folder.join(LIBRARY)
    }

    /// Whether kernels can print: `DPRINT` has a form that is known, and that the compiler follows.
    pub fn prints(&self, site: &Site) -> bool {
        let header = self.folder.join("root").join(HEADER);
        match site.compiler() {
            Some(_) => header.is_file(),
            None => header.symlink_metadata().is_ok_and(|header| header.is_file()),
        }
    }

    /// The folder in which upstream caches compiled firmware and kernels.
    pub fn kernels(&self) -> PathBuf {
        self.folder.join("kernels")
    }

    /// The environment in which any program that uses TT-Metalium runs on a simulator. It selects the stand-in
    /// if the vendor's compiler is missing.
    pub fn program_environment(&self, chip: &SimulatorLibrary) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.display().to_string();
        vec![
            ("TT_METAL_SIMULATOR", text(chip.path())),
            ("TT_METAL_RUNTIME_ROOT", text(&self.folder.join("root"))),
            ("TT_METAL_CACHE", text(&self.kernels())),
        ]
    }

    /// The environment of a process that loads the interface.
    pub fn environment(&self, chip: &SimulatorLibrary) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.display().to_string();
        let own = [
            // The vendor's library starts MPI, which terminates the process without `HOME`.
            ("HOME", text(&self.folder)),
            // The worker's own folder, which is removed at its end.
            ("TT_METAL_LOGS_PATH", ".".to_owned()),
            // By default upstream logs each step of the opening.
            ("TT_LOGGER_LEVEL", "error".to_owned()),
            ("OMP_NUM_THREADS", "1".to_owned()),
        ];
        self.program_environment(chip).into_iter().chain(own).collect()
    }

    /// Links the interface with the site's library.
    fn build_interface(
        &self,
        site: &Site,
        compiler: &Path,
        object: &Path,
    ) -> Result<(), PrepareError> {
        let part = self.folder.join("libhallmark_metalium.part");
        let library = site.library();
        let libraries = library.parent().unwrap_or(Path::new("/")).display();
        let mut command = Command::new(compiler);
        command
            .arg("-shared")
            .arg(object)
            .arg(&library)
            .arg("-Wl,--no-undefined")
            .arg(format!("-Wl,-rpath,{libraries}"))
            .arg(format!(
                "-Wl,-rpath-link,{libraries}:{}",
                site.folder().join("ttnn.libs").display()
            ))
            .arg("-o")
            .arg(&part);
        compile(INTERFACE_NAME, site.release(), compiler, &mut command)?;
        let made = self.interface();
        std::fs::rename(&part, &made)
            .map_err(|error| PrepareError::file("cannot be written", &made, &error))
    }

    /// Makes the runtime root: links to the site's files, and the stand-in if the vendor's compiler is missing.
    fn make_root(&self, site: &Site) -> Result<(), PrepareError> {
        let root = self.folder.join("root");
        if site.compiler().is_some() {
            return link(&site.root(), &root);
        }
        link_all(&site.root(), &root, &["runtime"])?;
        link_all(&site.root().join("runtime"), &root.join("runtime"), &["sfpi"])?;
        let prints = std::fs::read_to_string(site.root().join(HEADER)).ok();
        if let Some(header) = prints.as_deref().and_then(stand_in_prints::changed) {
            replace_linked(&site.root(), &root, HEADER, &header)?;
        }
        let stand_in = root.join("runtime/sfpi");
        let script = stand_in.join("compiler/bin/riscv-tt-elf-g++");
        write(&script, COMPILER)?;
        make_executable(&script)?;
        let release = site.release();
        for (name, text) in headers(release)? {
            write(&stand_in.join(name), text)?;
        }
        write(&stand_in.join("toolchain"), &Toolchain::find()?.settings(release.stand_in()))?;
        let firmware = firmware_sets(&site.root(), release.firmware())?;
        write(&stand_in.join("firmware"), &firmware)?;
        for (_, chip, name) in CHIPS {
            self.build_support(release, &root, &script, chip, name)?;
        }
        Ok(())
    }

    /// Builds the objects that upstream links with kernels: the wheel's contain only the vendor compiler's
    /// intermediate code.
    fn build_support(
        &self,
        release: &ReleaseDescription,
        root: &Path,
        compiler: &Path,
        chip: &str,
        name: &str,
    ) -> Result<(), PrepareError> {
        let sources = root.join("tt_metal");
        let folder = root.join("runtime/sfpi/lib").join(chip);
        make_folder(&folder)?;
        let own = format!("hw/inc/internal/tt-1xx/{chip}");
        let includes = ["", "hw/inc", "hw/inc/internal/tt-1xx", &own, &format!("{own}/noc")];
        let more = ["hostdevcommon/api", "api", &format!("{own}/wormhole_b0_defines")];
        for source in &release.stand_in().support {
            let source = sources.join(source.replace("CHIP", chip));
            let object = folder.join(source.file_stem().unwrap_or_default()).with_extension("o");
            let mut command = Command::new(compiler);
            command.current_dir(&self.folder).args(["-x", "c++"]).args(SUPPORT_FLAGS);
            command.arg(format!("-DARCH_{name}"));
            command.arg(if chip == "blackhole" { "-mcpu=tt-bh" } else { "-mcpu=tt-wh" });
            for include in includes.iter().chain(&more) {
                command.arg(format!("-I{}", sources.join(include).display()));
            }
            command.arg("-c").arg(&source).arg("-o").arg(&object);
            compile(&source.display().to_string(), release, compiler, &mut command)?;
        }
        Ok(())
    }
}

/// The compiled interface. It depends on the release and on nothing else of a site, so that searches over builds of one release
/// compile it once.
fn interface_object(
    release: &ReleaseDescription,
    header: &str,
    (compiler, made_by): (&Path, &str),
    cache: &Path,
) -> Result<PathBuf, PrepareError> {
    let sources = [("release.hpp", header), ("hallmark_metalium.cpp", INTERFACE)];
    let sources: Vec<(&str, &str)> = DECLARATIONS.into_iter().chain(sources).collect();
    let options = ["-std=c++20", "-O1", "-fPIC", "-c"];
    let mut key = blake3::Hasher::new();
    let texts = sources.iter().flat_map(|(name, text)| [*name, *text]);
    for part in [made_by].into_iter().chain(options).chain(texts) {
        key.update(part.as_bytes()).update(&[0]);
    }
    let folder = make_once(&cache.join("objects"), release.version(), &key, |folder| {
        for (name, text) in &sources {
            write(&folder.join(name), text)?;
        }
        let mut command = Command::new(compiler);
        command.args(options).arg(folder.join("hallmark_metalium.cpp"));
        command.arg("-o").arg(folder.join(OBJECT));
        compile(INTERFACE_NAME, release, compiler, &mut command)
    })?;
    Ok(folder.join(OBJECT))
}

fn make_executable(path: &Path) -> Result<(), PrepareError> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| PrepareError::file("cannot be made executable", path, &error))
}

/// The release's firmware, for the stand-in to read. Each line has the chip, the numbers of banks, and the page
/// of registers in which BRISC counts completions. The numbers of banks are those of entries in the tables of
/// the firmware's images.
fn firmware_sets(root: &Path, firmware: &Firmware) -> Result<String, PrepareError> {
    let precompiled = &root.join(&firmware.folder);
    let failed =
        |error: std::io::Error| PrepareError::file("cannot be listed", precompiled, &error);
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(precompiled).map_err(failed)? {
        folders.push(entry.map_err(failed)?.path());
    }
    folders.sort();
    let mut lines = String::new();
    for folder in folders {
        let image = folder.join(&firmware.image);
        let Ok(bytes) = std::fs::read(&image) else { continue };
        let Some(set) = firmware_set(&bytes, firmware) else { continue };
        lines.push_str(&format!("{set} {}\n", folder.display()));
    }
    Ok(lines)
}

/// Chip, numbers of banks and completion page of BRISC's image.
fn firmware_set(image: &[u8], firmware: &Firmware) -> Option<String> {
    let elf: ElfFile32<'_> = ElfFile32::parse(image).ok()?;
    let entries = |table: &str| {
        let mut symbols = elf.symbols();
        symbols
            .find(|symbol| symbol.name().is_ok_and(|name| name.contains(table)))
            .and_then(|symbol| symbol.size().checked_div(firmware.bytes_of_a_bank))
    };
    let (dram, l1) = (entries(&firmware.dram_banks)?, entries(&firmware.l1_banks)?);
    // Blackhole's processors have atomics, which the attributes of its images list.
    let attributes = elf.section_by_name_bytes(b".riscv.attributes")?;
    let attributes = attributes.data().ok()?;
    let is_blackhole = attributes.windows(5).any(|word| word == b"zaamo");
    let chip = if is_blackhole { "blackhole" } else { "wormhole" };
    let [first, end] = firmware.streams;
    let page = completion_page(elf.section_by_name_bytes(b".text")?.data().ok()?, first..end)?;
    Some(format!("{chip} {dram} {l1} {page}"))
}

/// The page that the single `lui` of an image loads for one of the streams of the NoC overlay. For the same numbers of
/// banks, upstream counts completions in one stream if workers dispatch, and in another if Ethernet cores do.
fn completion_page(text: &[u8], streams: std::ops::Range<u32>) -> Option<u32> {
    let words = text.chunks_exact(4).filter_map(|word| word.first_chunk().copied());
    let loads = words.map(u32::from_le_bytes).filter(|word| word & 0x7F == LUI);
    let mut pages: Vec<u32> =
        loads.map(|word| word >> 12).filter(|page| streams.contains(page)).collect();
    pages.sort_unstable();
    pages.dedup();
    match pages.as_slice() {
        [page] => Some(*page),
        _ => None,
    }
}

/// The opcode of `lui`.
const LUI: u32 = 0x37;

/// The stand-in's headers that a release needs: paths with texts.
fn headers(release: &ReleaseDescription) -> Result<Vec<(&str, &'static str)>, PrepareError> {
    let header = |name: &String| {
        let known = HEADERS.into_iter().find(|(known, _)| known == name).map(|(_, text)| text);
        let of_vectors = |name: &str| {
            let name = name.strip_prefix("include/")?;
            vector_headers().find(|(known, _)| *known == name).map(|(_, text)| text)
        };
        known.or_else(|| of_vectors(name)).ok_or_else(|| PrepareError::NoHeader {
            release: release.version().to_owned(),
            name: name.clone(),
        })
    };
    release.stand_in().headers.iter().map(|name| Ok((name.as_str(), header(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn threads_of_a_process_may_make_the_same_link() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..200 {
            let at = folder.path().join(format!("{round}.yaml"));
            let make = || link(Path::new("/nowhere"), &at);
            let results: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(results, [Ok(()), Ok(()), Ok(()), Ok(())], "{round}");
            assert_eq!(std::fs::read_link(&at).unwrap(), Path::new("/nowhere"));
        }
        // No temporary file is left.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 200);
    }

    #[test]
    fn the_page_of_completions_is_what_a_lui_loads() {
        let lui = |page: u32| page << 12 | 7 << 7 | 0x37;
        let auipc = |page: u32| page << 12 | 7 << 7 | 0x17;
        let others = [lui(0xF_FB3F), lui(0xF_FB80), auipc(0xF_FB50)];
        let page = |more: &[u32]| {
            completion_page(&text(&[&others[..], more].concat()), 0xF_FB40..0xF_FB80)
        };
        assert_eq!(page(&[]), None);
        assert_eq!(page(&[lui(0xF_FB70), lui(0xF_FB70)]), Some(0xF_FB70));
        assert_eq!(page(&[lui(0xF_FB40)]), Some(0xF_FB40));
        assert_eq!(page(&[lui(0xF_FB7F)]), Some(0xF_FB7F));
        // With two such instructions the page is ambiguous.
        assert_eq!(page(&[lui(0xF_FB70), lui(0xF_FB50)]), None);
    }
}
