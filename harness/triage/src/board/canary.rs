//! The canary: a capture of eight commands in which a kernel adds 1 to seven pages.
//!
//! The captures are those of `first::add_one::in_place::pages=7` in the suite that `hallmark init` writes,
//! recorded on the simulator: `hallmark capture ARCHITECTURE::first::add_one::in_place::pages=7 --root
//! harness/src/cli/init/starting_root`.

use hallmark_chip::Architecture;
use hallmark_schema::CaptureError;
use hallmark_schema::model::Capture;

/// The canary for cards of an architecture, as a file holds it.
pub(crate) const fn bytes(architecture: Architecture) -> &'static [u8] {
    match architecture {
        Architecture::Grayskull => include_bytes!("canaries/grayskull.lmb"),
        Architecture::WormholeB0 => include_bytes!("canaries/wormhole_b0.lmb"),
        Architecture::Blackhole => include_bytes!("canaries/blackhole.lmb"),
    }
}

/// The canary for cards of an architecture.
///
/// # Errors
/// Never; a test reads them all.
pub(crate) fn canary(architecture: Architecture) -> Result<Capture, CaptureError> {
    Capture::from_bytes(bytes(architecture))
}
