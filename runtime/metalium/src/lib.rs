//! TT-Metalium, the vendor's runtime, as an executor: it makes the calls of captures.
//!
//! A [`Site`] is a folder that holds the ttnn wheel. From it, [`Installation::prepare`] makes everything that a process
//! needs to drive the vendor's library, in the user's cache folder (`installation.rs`): a thin C++ library with a C
//! interface, built with the system's compiler, and a root folder of links, in which a stand-in takes the place of the
//! vendor's compiler if that is missing. Nothing is written into the site.
//!
//! # The worker
//!
//! A [`Metalium`] makes the calls of a capture (`calls.rs`) in a process of its own, because the vendor's code ends its
//! process when an assertion fails. That process is a worker of this release and reports as every other worker does.
//! `interface.rs` loads the C++ library and holds the only unsafe code of this crate. The harness compiles the kernels that opening a device needs before
//! any test's time begins (`harness/pipeline/src/device_kernels.rs`).
//!
//! # Releases
//!
//! A release is a description, not a fork. `releases/` has a file for each known release: 0.78.0 to 0.81.1. It holds all
//! that is specific to the release; `release.rs` lists what that is, and reads it. The C++ is one source for all
//! releases, with the numbers of a release in a header that is made from its description. `site.rs` compares a library
//! with the description before anything of it runs, and refuses what no description covers. With [`Abi::Nearest`] it
//! admits a library of another build if the functions and the slots of the nearest description are there. The interface
//! makes some objects before it opens a device (`hallmark_metalium_self_test`).
//!
//! # Prints
//!
//! The vendor's print server writes the lines that kernels print (`DPRINT`) to a file (`prints.rs`). The server has a thread of
//! its own. Kernels therefore print only on Hallmark's simulator, whose library takes calls of several threads. The stand-in
//! compiler needs another form of the vendor's header (`stand_in_prints.rs`).
//!
//! # Differences
//!
//! `exceptions.rs` reads the meanings of TT-Metalium's exceptions. `expressible.rs` names the calls that
//! no C++ program can make. `suites/deviations.yaml` lists the behaviour in which TT-Metalium differs from Hallmark,
//! with minimal captures in `suites/deviations/`; `hallmark compare` and `hallmark run` read the list. A new
//! difference is mended here or added to the list. An entry that explains no difference is reported when all tests are
//! compared.
//!
//! `hallmark compare --results FILE` over all tests makes the table of agreement. After a stop, the comparison goes on
//! from FILE. Each line of FILE holds a hash of the test, its kernels and the executors, so that only the changed tests
//! are compared again. `--shard 1/8` takes an eighth of the tests. On a loaded machine, `--timeout 300` leaves the
//! vendor's simulator enough time; a test that never ends takes all of it.
//!
//! # Trying it
//!
//! `scripts/metalium fetch SITE` has pip fetch the wheel (650 MB unpacked) and unpacks it into a folder.
//! `HALLMARK_METALIUM_SITE=SITE scripts/metalium check` builds the C++ in an empty cache folder, and compares a few tests
//! from an executable that is copied out of the checkout; the nightly run does the latter too. By hand:
//! `hallmark compare suites/dataflow --devices 'sim:wormhole_b0,metalium:SITE@ttsim:PATH dispatch=device'`.
//!
//! `harness/tests/metalium/` has a stand-in for the vendor's library that misbehaves on request.

mod annotations;
mod built;
mod calls;
mod device_code;
mod device_kernels;
mod exceptions;
mod expressible;
mod installation;
mod interface;
pub mod prints;
mod release;
mod simulator_library;
mod site;
mod site_files;
mod stand_in_prints;
pub mod tiles;
mod toolchain;

pub use built::SharedLibrary;
pub use calls::{CallEnd, CompletedRead, Metalium, MetaliumError};
pub use device_code::{DeviceCode, DeviceUnit};
pub use device_kernels::build_device_kernels;
pub use exceptions::{Refusal, RefusalDifference, essence};
pub use expressible::{Inexpressible, LeftOut, inexpressible, left_out};
pub use installation::{DECLARATIONS, Installation, PrepareError};
pub use release::{
    AnswerSource, AskedFunction, BufferTypes, DescriptionError, Hook, Numbers, ReleaseDescription,
};
pub use simulator_library::{Simulator, SimulatorLibrary, SimulatorLibraryError};
pub use site::{Abi, LoadMacros, MissingFunctions, OtherSlot, Site, SiteChoice, SiteError};
pub use toolchain::Compilers;
