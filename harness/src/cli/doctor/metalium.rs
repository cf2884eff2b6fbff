//! What `hallmark doctor` says of TT-Metalium: what this machine lacks to run it, and how it finds our simulator.

use std::fmt;
use std::path::PathBuf;

use hallmark_runtime::metalium::{Compilers, PrepareError, RELEASE, Site};
use serde::Serialize;

use crate::executor::Release;

/// The simulator's library, which is built beside the executable.
const LIBRARY: &str = "libhallmark_sim_library.so";

/// TT-Metalium as far as it can be looked at without a wheel.
#[derive(Debug, Serialize)]
pub(super) struct Metalium {
    /// The release of the ttnn wheel that is known here.
    release: &'static str,
    /// Versions of the compilers that build its kernels and our interface; absent if one is missing.
    compilers: Option<Vec<String>>,
    /// What is missing, and the package that holds it.
    lacks: Option<String>,
    /// Our simulator's library, if it lies beside the executable.
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
        Self { release: RELEASE, compilers, lacks, library }
    }
}

/// Why an executor cannot run: nothing unless it is TT-Metalium.
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
        let Self { release, compilers, lacks, library } = self;
        writeln!(
            formatter,
            "metalium   the ttnn wheel {release}, as --device metalium:SITE@ttsim:PATH"
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
        writeln!(
            formatter,
            "             on our chip   TT_METAL_SIMULATOR names a link to our library with soc_descriptor.yaml beside it, \
             HALLMARK_SIM_ARCH the chip; the file is a copy of SITE/ttnn/tt_metal/soc_descriptors/wormhole_b0_80_arch.yaml \
             or blackhole_140_arch.yaml"
        )
    }
}
