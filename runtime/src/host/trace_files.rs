//! Traces as bytes: taken from one device, loaded on another one, in another process.

mod collect;
mod collected;
mod load;
mod placing;

use std::sync::Arc;

use hallmark_chip::{HarvestingMask, LogicalCore};
use hallmark_schema::model::{ContentHash, Failure, Grid};

pub use self::collected::TraceBytesError;
use self::collected::{Collected, Header, Symbol};
use crate::error::CallError;
use crate::host::trace_states::BufferSymbol;

/// A collected trace cannot be loaded on a device.
#[derive(Debug, thiserror::Error)]
pub enum LoadTraceError {
    /// The bytes are no trace that this build reads.
    #[error(transparent)]
    Bytes(#[from] TraceBytesError),
    /// It was collected on another architecture.
    #[error(
        "the trace was collected on {collected}, but the device is {here}; collect the trace on {here}"
    )]
    Chip {
        /// The trace's.
        collected: String,
        /// The device's.
        here: String,
    },
    /// It runs on cores that the device does not have.
    #[error(
        "the trace runs on {}, but this device has {}×{} cores; collect the trace on this device with fewer cores",
        cores_listed(cores), grid.columns, grid.rows
    )]
    Cores {
        /// Every one of them.
        cores: Vec<LogicalCore>,
        /// The device's.
        grid: Grid,
    },
    /// The host program turned an address or a coordinate into a number, which no relocation fixes, and
    /// the tiles of the device have other coordinates.
    #[error(
        "the trace holds addresses or coordinates as plain numbers. It was collected on a chip with \
         harvesting mask {collected} and a grid of {}×{} cores; here the mask is {here} and the grid {}×{}. Collect the trace here",
        grid.columns, grid.rows, here_grid.columns, here_grid.rows
    )]
    PlacementBound {
        /// The harvesting mask where it was collected.
        collected: HarvestingMask,
        /// The grid there.
        grid: Grid,
        /// The device's mask.
        here: HarvestingMask,
        /// The device's grid.
        here_grid: Grid,
    },
    /// It was collected with other firmware, whose places differ.
    #[error(
        "the trace was collected with firmware {collected}, but the device runs {here}; collect the trace again"
    )]
    Firmware {
        /// The trace's.
        collected: String,
        /// The device's.
        here: String,
    },
    /// It names objects that the device does not have.
    #[error("{} cannot be placed: {}", if symbols.len() == 1 { "a symbol" } else { "some symbols" }, listed(symbols))]
    Unplaced {
        /// Every one of them, with the reason.
        symbols: Vec<UnplacedSymbol>,
    },
    /// A capture could not replay what its commands have not made.
    #[error(
        "the trace was not collected in the capture that is under way, so the capture could not be replayed; \
         collect the trace within the capture, or load the trace while no capture is under way"
    )]
    Capturing,
    /// The call was refused: the trace region does not hold the trace, the device is lost, or, of bytes
    /// that this device collected, a symbol cannot be placed.
    #[error(transparent)]
    Call(#[from] CallError),
}

hallmark_chip::error_checks! {
    LoadTraceError: Chip, Cores, PlacementBound, Firmware, Unplaced, Capturing;
    besides: Bytes, Call
}

/// A symbol of a trace that the device cannot place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnplacedSymbol {
    symbol: Symbol,
    reason: UnplacedReason,
}

/// The reason for which the device cannot place a symbol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum UnplacedReason {
    #[error("there is no buffer of that name")]
    NoBuffer,
    #[error("several buffers have that name; say which buffer to use")]
    SeveralBuffers,
    #[error("the buffer was released")]
    Released,
    /// The only buffer of that name has another shape.
    #[error(
        "the buffer has {} B in pages of {} B, but the trace needs {} B in pages of {} B, in {} and with the same shards",
        .here.size, .here.page_size, .wanted.size, .wanted.page_size, .wanted.buffer_type
    )]
    OtherShape { here: Box<BufferSymbol>, wanted: Box<BufferSymbol> },
    /// Its number is not below the number of semaphores of a core.
    #[error("a core has {limit} semaphores")]
    TooManySemaphores { limit: u32 },
    #[error("the trace does not hold its ELF")]
    NoElf,
    /// The host API says no.
    #[error("{0}")]
    Failed(#[from] Failure),
    /// Circular buffers run into buffers of L1.
    #[error(
        "on core {core} the circular buffers end at {end:#x}, but L1 is free only up to {limit:#x}"
    )]
    CircularBuffersClash { core: LogicalCore, end: u64, limit: u64 },
}

hallmark_chip::error_checks! {
    UnplacedReason: OtherShape, TooManySemaphores, NoElf, CircularBuffersClash;
    besides: NoBuffer, SeveralBuffers, Released, Failed
}

impl UnplacedSymbol {
    /// The checks by which something cannot be placed, by the names by which a build with the feature `sabotage` switches
    /// one off.
    pub const CHECKS: &'static [&'static str] = UnplacedReason::CHECKS;
}

impl UnplacedReason {
    /// The core on which circular buffers find no room, if that is the reason.
    const fn core(&self) -> Option<LogicalCore> {
        match self {
            Self::CircularBuffersClash { core, .. } => Some(*core),
            Self::NoBuffer
            | Self::SeveralBuffers
            | Self::Released
            | Self::OtherShape { .. }
            | Self::TooManySemaphores { .. }
            | Self::NoElf
            | Self::Failed(_) => None,
        }
    }
}

impl std::fmt::Display for UnplacedSymbol {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.symbol, self.reason)
    }
}

fn cores_listed(cores: &[LogicalCore]) -> String {
    let texts: Vec<String> = cores.iter().map(|core| format!("core {core}")).collect();
    texts.join(", ")
}

fn listed(symbols: &[UnplacedSymbol]) -> String {
    let texts: Vec<String> = symbols.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// A trace as bytes, which any process can load on a device of the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedTrace {
    pub(super) bytes: Arc<[u8]>,
    /// The name by which the device that collected it knows it.
    pub(super) name: Option<String>,
}

impl CollectedTrace {
    /// Bytes that were kept; loading verifies them.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { bytes: bytes.into(), name: None }
    }

    /// The bytes, to be kept.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The description that stands in the bytes.
    ///
    /// # Errors
    /// They are no trace that this build reads.
    pub fn description(&self) -> Result<TraceDescription, TraceBytesError> {
        let Header {
            name,
            architecture,
            grid: [columns, rows],
            firmware,
            firmware_hash,
            launch_abi,
            launches,
            symbols,
            ..
        } = Collected::from_bytes(&self.bytes)?.header;
        Ok(TraceDescription {
            name,
            architecture,
            grid: Grid { columns, rows },
            firmware,
            firmware_hash,
            launch_abi,
            launches: launches.len(),
            symbols: symbols.iter().map(ToString::to_string).collect(),
        })
    }
}

/// The description of a trace as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceDescription {
    /// Its name where it was made.
    pub name: String,
    /// The architecture that it was made on.
    pub architecture: String,
    /// The cores of the device.
    pub grid: Grid,
    /// The firmware's name.
    pub firmware: String,
    /// The firmware's hash.
    pub firmware_hash: ContentHash,
    /// The version of the launch ABI.
    pub launch_abi: u32,
    /// Programs that a replay launches.
    pub launches: usize,
    /// The symbols that are placed when it is loaded.
    pub symbols: Vec<String>,
}
