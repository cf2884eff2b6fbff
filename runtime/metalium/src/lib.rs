//! TT-Metalium, the vendor's runtime, as an executor of captures.
//!
//! A [`Site`] is a folder that contains the ttnn wheel. [`Installation::prepare`] makes, in the user's cache
//! folder, the files that a process needs to drive the vendor's library: a thin C++ library with a C interface,
//! built with the system's compiler, and a root folder of links. If the vendor's compiler is missing, a
//! stand-in replaces it there. The site itself is never modified. A [`Metalium`] then makes the calls of a
//! capture in a separate process, because the vendor's code terminates its process when an assertion fails.

mod annotations;
mod built;
mod calls;
mod device_kernels;
mod exceptions;
mod expressible;
mod installation;
mod interface;
mod simulator_library;
mod site;
mod toolchain;

pub use built::SharedLibrary;
pub use calls::{CallEnd, CompletedRead, Metalium, MetaliumError, numbers};
pub use device_kernels::build_device_kernels;
pub use exceptions::{Refusal, RefusalDifference, essence, refusal};
pub use expressible::{Inexpressible, LeftOut, inexpressible, left_out};
pub use installation::{ABI, Installation, PrepareError};
pub use simulator_library::{Simulator, SimulatorLibrary, SimulatorLibraryError};

pub use site::{RELEASE, Site, SiteError};
pub use toolchain::Compilers;
