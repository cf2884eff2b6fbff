//! The findings of `hallmark doctor` about TT-Metalium: what this machine lacks, and how TT-Metalium finds our
//! simulator.

use std::fmt;
use std::path::PathBuf;

use hallmark_runtime::metalium::{Compilers, PrepareError, ReleaseDescription, Site};
use serde::Serialize;

use hallmark_execution::executor::Release;

/// The file name of the simulator's library, which is built beside the executable.
const LIBRARY: &str = "libhallmark_sim_library.so";

/// How a program that uses TT-Metalium finds our simulator.
const ON_OUR_CHIP: [&str; 5] = [
    "TT_METAL_SIMULATOR=FOLDER/libttsim.so, a link to our library",
    "FOLDER/soc_descriptor.yaml, a copy of wormhole_b0_80_arch.yaml or blackhole_140_arch.yaml of \
     SITE/ttnn/tt_metal/soc_descriptors",
    "HALLMARK_SIM_ARCH=wormhole_b0 or blackhole",
    "HALLMARK_SIM_HARVESTING=MASK, such as 0x3, for a chip with rows or columns fused off",
    "HALLMARK_SIM_ORDER=on to end the process where kernels lack a wait for a unit of the coprocessor",
];

/// The firmware on the baby cores of a device that TT-Metalium drives.
pub(super) const FIRMWARE: &str = "TT-Metalium's own, which is built when a device opens first";

/// What can be found out about TT-Metalium without a wheel.
#[derive(Debug, Serialize)]
pub(super) struct Metalium {
    /// The newest described release of the ttnn wheel.
    release: &'static str,
    /// Every described release, oldest first.
    releases: Vec<&'static str>,
    /// The versions of the compilers that build TT-Metalium's kernels and our interface; absent if a compiler
    /// is missing.
    compilers: Option<Vec<String>>,
    /// The missing tool and the package that holds it.
    lacks: Option<String>,
    /// The path of our simulator's library, if it is beside the executable.
    library: Option<PathBuf>,
}

impl Metalium {
    pub(super) fn look() -> Self {
        let (compilers, lacks) = match Compilers::find() {
            Ok(Compilers { system, cross }) => (Some(vec![system, cross]), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let beside = std::env::current_exe().ok().map(|own| own.with_file_name(LIBRARY));
        let library = beside.filter(|library| library.is_file());
        let all = ReleaseDescription::all().unwrap_or_default();
        let releases = all.iter().map(ReleaseDescription::version).collect();
        Self { release: ReleaseDescription::newest(), releases, compilers, lacks, library }
    }
}

/// Why an executor cannot run; `None` unless it is TT-Metalium.
pub(super) fn problem(release: &Release) -> Option<String> {
    let Release::Metalium(site) = release else { return None };
    let site = match Site::open(site) {
        Ok(site) => site,
        Err(error) => return Some(error.to_string()),
    };
    let lacks: Option<PrepareError> = Compilers::find().err();
    lacks.filter(|_| !site.has_compiler()).map(|error| error.to_string())
}

impl fmt::Display for Metalium {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { release: _, releases: _, compilers, lacks, library } = self;
        writeln!(
            formatter,
            "metalium   the ttnn wheel {}, as --device metalium:SITE@ttsim:PATH",
            ReleaseDescription::known_versions().replace(" and ", " or ")
        )?;
        for compiler in compilers.iter().flatten() {
            writeln!(formatter, "             compiler      {compiler}")?;
        }
        if let Some(lacks) = lacks {
            writeln!(formatter, "             lacks         {lacks}")?;
        }
        match library {
            Some(library) => {
                writeln!(formatter, "             our library   {}", library.display())?
            }
            None => writeln!(
                formatter,
                "             our library   not built: cargo build --release -p hallmark-sim-library"
            )?,
        }
        for (at, line) in ON_OUR_CHIP.iter().enumerate() {
            let heading = if at == 0 { "on our chip" } else { "" };
            writeln!(formatter, "             {heading:<12}  {line}")?;
        }
        Ok(())
    }
}
