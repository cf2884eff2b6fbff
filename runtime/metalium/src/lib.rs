//! TT-Metalium, the vendor's runtime, as what carries captures out.
//!
//! A [`Site`] is a folder that holds the ttnn wheel. From it [`Installation::prepare`] makes, in the user's cache
//! folder, what a process needs to drive the vendor's library: a thin C++ library with a C interface, built with the
//! system's compiler, and a root folder of links in which a stand-in takes the place of the vendor's compiler where
//! that is missing. Nothing is written into the site. A [`Metalium`] then makes the calls of a capture, in a process
//! of its own, because the vendor's code ends its process when an assertion fails.

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
