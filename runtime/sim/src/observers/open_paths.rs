//! Paths that linked requests keep open.
//!
//! A request with `NOC_CMD_VC_LINKED` keeps its path for the next one, which must go to the same tile or rectangle on the
//! same virtual channel; with anything else the NoC stops for good. A request that is not linked closes the path
//! (NoC/MemoryMap.md).
//!
//! Upstream's kernels send data linked through one command buffer and the flag after it through another, and that
//! closes the path. Of other command buffers only multicasts are looked at, therefore. What another core of the tile
//! issues meanwhile depends on the schedule and is not looked at.

use std::sync::Arc;

use hallmark_chip::{FaultCategory, LaunchDescription, Noc, PhysicalCoordinate, Tick, TileAddress};

use crate::machine::actor::Actor;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{CoreOrigin, Violation};
use crate::machine::noc::{Channel, Operation, Targets, Transfer};
use crate::machine::observer::{CoreAt, Observer, Scene};

/// A path that the next request of its issuer must take.
#[derive(Debug)]
struct OpenPath {
    issuer: Actor,
    noc: Noc,
    command_buffer: u8,
    destination: (PhysicalCoordinate, Option<PhysicalCoordinate>),
    channel: Option<Channel>,
    /// The last linked request on it.
    opened: CoreOrigin,
    length: u32,
}

/// All open paths of a chip.
#[derive(Debug, Default)]
pub(crate) struct OpenPaths(Vec<OpenPath>);

impl OpenPath {
    fn of(request: &Transfer, issuer: Actor) -> Self {
        Self {
            issuer,
            noc: request.noc,
            command_buffer: request.command_buffer,
            destination: request.targets.key(),
            channel: request.ordered_on,
            opened: request.origin,
            length: request.operation.length(),
        }
    }

    fn is_taken_by(&self, request: &Transfer) -> bool {
        let can_take = match request.operation {
            Operation::Write { .. } => true,
            Operation::Atomic { .. } => matches!(request.targets, Targets::Many { .. }),
            Operation::Read { .. } | Operation::InlineWrite { .. } => false,
        };
        can_take && request.targets.key() == self.destination && request.ordered_on == self.channel
    }

    /// Whether a request that does not take the path must not come before one that does.
    fn excludes(&self, request: &Transfer) -> bool {
        request.command_buffer == self.command_buffer
            || request.linked
            || matches!(request.targets, Targets::Many { .. })
    }

    fn to(&self) -> String {
        match self.destination {
            (low, Some(high)) => {
                format!("the multicast of {} bytes to the tiles {low} to {high}", self.length)
            }
            (at, None) => format!("the write of {} bytes to tile {at}", self.length),
        }
    }

    /// The fault of a request that comes too early.
    fn followed_by(&self, request: &Transfer) -> Violation {
        let bytes = request.operation.length();
        let address = TileAddress(request.address).0;
        let follows = match (request.operation, &request.targets) {
            (
                Operation::Write { .. } | Operation::InlineWrite { .. },
                Targets::Many { low, high, .. },
            ) => {
                format!("a multicast of {bytes} bytes to {address:#x} of the tiles {low} to {high}")
            }
            (operation, Targets::One(at)) | (operation, Targets::Many { low: at, .. }) => {
                let what = match operation {
                    Operation::Read { .. } => format!("a read of {bytes} bytes from"),
                    Operation::Write { .. } | Operation::InlineWrite { .. } => {
                        format!("a write of {bytes} bytes to")
                    }
                    Operation::Atomic { .. } => "an atomic on".to_owned(),
                };
                format!("{what} {address:#x} of tile {at}")
            }
        };
        let differs = if self.destination == request.targets.key() {
            " on another virtual channel"
        } else {
            ""
        };
        let Self { noc, opened, .. } = self;
        Violation::new(
            FaultCategory::LinkedMulticast,
            format!(
                "{follows}{differs} follows {}, which is linked and keeps its path on NoC {} open, at pc {:#x}; the NoC \
                 stops for good (NoC/MemoryMap.md, NOC_CMD_VC_LINKED): close the path first, by a multicast to the same \
                 rectangle with linked = false, or send the earlier one with linked = false",
                self.to(),
                noc.index(),
                opened.pc,
            ),
        )
        .against(Some(opened.place()))
    }
}

impl OpenPath {
    /// The fault of a kernel that ends.
    fn left_open(&self) -> Violation {
        Violation::new(
            FaultCategory::LinkedMulticast,
            format!(
                "the kernel has ended, and {} is linked and keeps its path on NoC {} open; nobody else's request gets \
                 through (NoC/MemoryMap.md, NOC_CMD_VC_LINKED): close the path by a multicast to the same rectangle with \
                 linked = false, or send this one with linked = false",
                self.to(),
                self.noc.index(),
            ),
        )
        .broken_at(self.opened.place())
    }
}

impl Observer for OpenPaths {
    fn request_issued(&mut self, request: &Transfer, _: &mut Scene<'_>) -> Result<(), Violation> {
        if !request.linked && self.0.is_empty() {
            return Ok(());
        }
        let Some(issuer) = request.issuer else { return Ok(()) };
        let is_its = |path: &OpenPath| path.issuer == issuer && path.noc == request.noc;
        if let Some(index) = self.0.iter().position(is_its)
            && let Some(path) = self.0.get(index)
        {
            if path.is_taken_by(request) {
                self.0.swap_remove(index);
            } else if path.excludes(request) {
                return Err(path.followed_by(request));
            } else {
                return Ok(());
            }
        }
        if request.linked && !planted(Defect::LinkedPathsNotKept) {
            self.0.push(OpenPath::of(request, issuer));
        }
        Ok(())
    }

    /// A kernel leaves no path to the next one.
    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        _: Tick,
    ) -> Result<(), Violation> {
        match self.0.iter().position(|path| path.issuer == core.actor()) {
            Some(index) => Err(self.0.swap_remove(index).left_open()),
            None => Ok(()),
        }
    }

    /// Reset of a core ends what it began.
    fn core_held(&mut self, core: CoreAt, _: Option<Actor>) {
        self.0.retain(|path| path.issuer != core.actor());
    }
}
