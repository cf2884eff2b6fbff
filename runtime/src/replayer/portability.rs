//! The answer whether a capture can be replayed on a chip, the objects that lie elsewhere there, and the words for both.

use std::fmt;

use hallmark_chip::{
    Architecture, Capabilities, ChipDescription, FaultCategory, LogicalCore, NocCoordinate,
    PciDevice, PhysicalCoordinate,
};
use hallmark_schema::model::{
    BufferId, BufferType, CommandIndex, CommandKind, Failure, Grid, KernelId, ObjectKind, Outcome,
};

use crate::OpenError;
use crate::host::recognise;

/// The chip on which a capture is to be replayed.
#[derive(Clone, Debug)]
pub struct ReplayTarget {
    /// The name of the opened device, for people.
    pub device: String,
    /// The chip that the device is, harvesting included.
    pub description: &'static ChipDescription,
    /// The faults and waits that the device can notice.
    pub capabilities: Capabilities,
}

impl ReplayTarget {
    /// Asks an open device which chip it is. Nothing runs.
    ///
    /// # Errors
    /// [`OpenError::Absent`], [`OpenError::UnknownChip`], or the device's.
    pub fn of(device: &mut dyn PciDevice) -> Result<Self, OpenError> {
        let (_, description) = recognise(device)?;
        let capabilities = device.capabilities();
        Ok(Self { device: device.name().to_owned(), description, capabilities })
    }
}

/// Whether a capture can be replayed on a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Portability {
    /// Everything lies where it lay.
    Exact,
    /// It can, with some things elsewhere.
    Adapted {
        /// What, in the order: chip, grid, banks, buffers and other objects, cores.
        moved: Vec<Moved>,
    },
    /// It cannot be replayed.
    Refused {
        /// Every reason, in the order of the calls; at least one.
        reasons: Vec<Reason>,
    },
}

impl Portability {
    /// Its name: `exact`, `adapted` or `refused`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Adapted { .. } => "adapted",
            Self::Refused { .. } => "refused",
        }
    }
}

/// A Tensix tile as a chip knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileCoordinates {
    /// On the die.
    pub tile: PhysicalCoordinate,
    /// The coordinate by which NoC requests name it.
    pub noc: NocCoordinate,
}

impl TileCoordinates {
    pub(super) fn of(chip: &ChipDescription, core: LogicalCore) -> Option<Self> {
        Some(Self { tile: chip.physical(core)?, noc: chip.noc_coordinate(core)? })
    }
}

impl fmt::Display for TileCoordinates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "tile {}", self.tile)?;
        if (self.noc.x, self.noc.y) == (self.tile.x, self.tile.y) {
            return Ok(());
        }
        write!(formatter, ", NoC coordinates {}", self.noc)
    }
}

/// Something that is elsewhere, or otherwise, on the chip of the replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// The chip is of another architecture, for which kernels have other ELFs.
    Architecture {
        /// The capture's.
        captured: Architecture,
        /// The replay's.
        here: Architecture,
        /// Kernels that run as other ELFs.
        kernels: u32,
    },
    /// Fewer cores than the capture was opened with.
    Grid {
        /// The capture's.
        captured: Grid,
        /// The replay's.
        here: Grid,
    },
    /// Pages of interleaved buffers go over other banks.
    Banks {
        /// The memory of the banks.
        buffer_type: BufferType,
        /// The number of banks on the captured chip.
        captured: u32,
        /// The number of banks on this chip.
        here: u32,
    },
    /// The pages of a buffer lie at other distances in a bank.
    PageStride {
        /// The buffer, with its kind.
        name: String,
        /// The buffer's id.
        buffer: BufferId,
        /// Bytes from one page to the next.
        captured: u64,
        /// The same here.
        here: u64,
    },
    /// An object has another address.
    Address {
        /// The object, with its kind.
        name: String,
        /// The kind of the object.
        object: ObjectKind,
        /// The id that commands name it by.
        id: u32,
        /// Its address in the capture.
        captured: Option<u64>,
        /// Its address on this chip.
        here: Option<u64>,
    },
    /// A core is another tile.
    Core {
        /// The core of the compute grid.
        core: LogicalCore,
        /// The tile that it was.
        captured: TileCoordinates,
        /// The tile.
        here: TileCoordinates,
    },
}

impl Moved {
    /// The kind of thing that moved, in one word.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Architecture { .. } => "architecture",
            Self::Grid { .. } => "grid",
            Self::Banks { .. } => "banks",
            Self::PageStride { .. } => "page_stride",
            Self::Address { .. } => "address",
            Self::Core { .. } => "core",
        }
    }

    /// Whether a number that a program was given as such can be wrong for it.
    pub(super) fn breaks_numbers(&self) -> bool {
        match self {
            // Kernels are there for the architecture, and are told the number of banks.
            Self::Architecture { .. } => false,
            Self::Grid { .. } => true,
            Self::Banks { buffer_type, .. } => *buffer_type == BufferType::Dram,
            Self::PageStride { .. } | Self::Address { .. } => true,
            Self::Core { captured, here, .. } => captured.noc != here.noc,
        }
    }
}

impl fmt::Display for Moved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Architecture { captured, here, kernels } => {
                write!(formatter, "architecture {captured} → {here}")?;
                match kernels {
                    0 => Ok(()),
                    1 => write!(formatter, ", 1 kernel with its ELFs for {here}"),
                    _ => write!(formatter, ", {kernels} kernels with their ELFs for {here}"),
                }
            }
            Self::Grid { captured, here } => write!(
                formatter,
                "grid {}×{} → {}×{}",
                captured.columns, captured.rows, here.columns, here.rows
            ),
            Self::Banks { buffer_type, captured, here } if captured == here => {
                write!(formatter, "{here} {buffer_type} banks, on other tiles")
            }
            Self::Banks { buffer_type, captured, here } => {
                write!(formatter, "{buffer_type} banks {captured} → {here}")
            }
            Self::PageStride { name, captured, here, .. } => {
                write!(formatter, "distance of the pages of {name} {captured} B → {here} B")
            }
            Self::Address { name, captured, here, .. } => {
                let place = |address: &Option<u64>| match address {
                    Some(address) => format!("{address:#x}"),
                    None => "no address".to_owned(),
                };
                write!(formatter, "{name} {} → {}", place(captured), place(here))
            }
            Self::Core { core, captured, here } => {
                write!(formatter, "core {core} {captured} → {here}")
            }
        }
    }
}

/// The reason for which a capture cannot be replayed on a chip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// A call would not end as it did.
    #[error("{}", call_text(*.command, *.kind, .subject, .captured, .here, .detail.as_deref()))]
    Call {
        /// The place of the call among the calls.
        command: CommandIndex,
        /// The kind of call.
        kind: CommandKind,
        /// The name of the object in the call; may be empty.
        subject: String,
        /// The outcome in the capture.
        captured: Outcome,
        /// The outcome on this chip.
        here: Outcome,
        /// Sizes and addresses that belong to the error, if it would be one.
        detail: Option<String>,
    },
    /// A kernel has no ELF for the chip.
    #[error(
        "command {command}: kernel `{name}` ({source_path}) has no ELF for {architecture}: {problem}"
    )]
    KernelMissing {
        /// The call that makes it.
        command: CommandIndex,
        /// The kernel's id.
        kernel: KernelId,
        /// The name that the host program gave the kernel.
        name: String,
        /// The path of its source.
        source_path: String,
        /// The chip's architecture.
        architecture: Architecture,
        /// The cause, and how to mend it.
        problem: String,
    },
    /// Addresses or coordinates are plain numbers in the capture, and one would be wrong.
    #[error(
        "the capture holds addresses or coordinates as plain numbers, and one of them would be wrong: {moved}"
    )]
    PlacementBound {
        /// The object that would lie elsewhere.
        moved: Moved,
    },
    /// Pages would lie at another distance than the kernel's arguments say.
    #[error(
        "kernel `{kernel_name}` gets the number {captured}, which is the distance of the pages of {buffer} in the capture; here the distance is {here} B"
    )]
    StatedPageStride {
        /// The kernel's id.
        kernel: KernelId,
        /// The name that the host program gave the kernel.
        kernel_name: String,
        /// The buffer, with its kind.
        buffer: String,
        /// Bytes from one page to the next.
        captured: u64,
        /// The same here.
        here: u64,
    },
    /// The device cannot notice a fault or wait that happened in the capture.
    #[error("command {command} ends with {}, which this device cannot detect: the device lacks the capability {capability}", failure.code().name())]
    NotDetected {
        /// The call that met it.
        command: CommandIndex,
        /// The outcome in the capture.
        failure: Failure,
        /// The fault or wait that the device would have to notice, as suites name it.
        capability: &'static str,
    },
    /// A program breaks a rule that is one of its own architecture's.
    #[error(
        "command {command} ends with {category}, by a rule of {captured}; whether {here} has the same rule is unknown before the program runs"
    )]
    RuleOfArchitecture {
        /// The call that met it.
        command: CommandIndex,
        /// The kind of rule.
        category: FaultCategory,
        /// The capture's architecture.
        captured: Architecture,
        /// The replay's.
        here: Architecture,
    },
    /// A bank is too small for the region that is set aside for traces.
    #[error(
        "the capture sets aside a trace region of {asked} B; at most {available} B of a bank can be set aside here"
    )]
    TraceRegion {
        /// Bytes that the capture sets aside.
        asked: u64,
        /// Bytes that a bank of this chip can give.
        available: u64,
    },
    /// A core's L1 is too small for a region of it.
    #[error("the capture has `{setting}` {asked} B; at most {available} B of L1 can be had here")]
    L1Region {
        /// The setting with which the device is opened.
        setting: &'static str,
        /// Bytes that the capture asks for.
        asked: u64,
        /// Bytes that a core of this chip can give.
        available: u64,
    },
}

impl Reason {
    /// The kind of the reason, in one word.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Call { .. } => "call",
            Self::KernelMissing { .. } => "kernel_missing",
            Self::PlacementBound { .. } => "placement_bound",
            Self::StatedPageStride { .. } => "stated_page_stride",
            Self::NotDetected { .. } => "not_detected",
            Self::RuleOfArchitecture { .. } => "rule_of_architecture",
            Self::TraceRegion { .. } => "trace_region",
            Self::L1Region { .. } => "l1_region",
        }
    }

    /// The names of all kinds.
    pub const KINDS: [&'static str; 8] = [
        "call",
        "kernel_missing",
        "placement_bound",
        "stated_page_stride",
        "not_detected",
        "rule_of_architecture",
        "trace_region",
        "l1_region",
    ];

    /// The call that the reason concerns, if it concerns a single call.
    pub const fn command(&self) -> Option<CommandIndex> {
        match self {
            Self::Call { command, .. }
            | Self::KernelMissing { command, .. }
            | Self::NotDetected { command, .. }
            | Self::RuleOfArchitecture { command, .. } => Some(*command),
            Self::PlacementBound { .. }
            | Self::StatedPageStride { .. }
            | Self::TraceRegion { .. }
            | Self::L1Region { .. } => None,
        }
    }
}

fn call_text(
    command: CommandIndex,
    kind: CommandKind,
    subject: &str,
    captured: &Outcome,
    here: &Outcome,
    detail: Option<&str>,
) -> String {
    let about = if subject.is_empty() { String::new() } else { format!(" of `{subject}`") };
    let call = format!("command {command}, {}{about}", kind.name());
    let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
    match (captured, here) {
        (Outcome::Done, Outcome::Failed(failure)) => {
            format!("{call}, would fail with {}: {failure}{detail}", failure.code().name())
        }
        (Outcome::Failed(before), Outcome::Done) => {
            format!("{call}, fails in the capture and would succeed here: {before}")
        }
        (Outcome::Failed(before), Outcome::Failed(after)) => {
            format!(
                "{call}, would fail differently than in the capture: {before} → {after}{detail}"
            )
        }
        (Outcome::Done | Outcome::Unfinished, _) | (_, Outcome::Unfinished) => {
            format!("{call}, {captured} in the capture; here the call {here}{detail}")
        }
    }
}
