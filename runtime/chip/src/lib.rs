//! The facts about a chip that all crates of Hallmark share: the [`PciDevice`] that gives access to it, the
//! [`ChipDescription`] of an architecture, a type for each address space, and the random numbers that choose
//! among permitted orders.
//!
//! This crate depends on nothing of Hallmark's.

mod activity;
mod address;
mod architecture;
mod awaited;
mod bar_windows;
mod defects;
mod description;
mod device;
mod fault;
mod footprint;
mod harvesting;
mod l1_bank_order;
mod limits;
mod random;
pub mod sabotage;
mod source_frame;
mod window;

pub use activity::{
    Activity, ActivitySpan, CoreActivity, Doing, ExecutedInstruction, NocRequest, NocRequestKind,
    Tick, Transfers,
};
pub use address::{
    Bar, BarOffset, ConfigOffset, LogicalCore, NocCoordinate, PhysicalCoordinate, REGISTERS,
    TileAddress,
};
pub use architecture::{Architecture, Noc, Processor, UnknownArchitecture, UnknownProcessor};
pub use awaited::Awaited;
pub use bar_windows::{BarWindows, RegisterWrite, WindowAccess};
pub use defects::DEFECTS;
pub use description::{
    AddressTranslationLayout, ArcChannel, ArcDoorbell, ArcHostView, ArcMessage, ArcRegister,
    ArcReport, ArcTelemetry, ArcTile, ArcValue, ChipDescription, DataCache, DebugRegisters,
    DramBank, DramTile, EthernetFirmware, HostNocInterface, InstructionSet, KeepPrivateMemory,
    NocOffsets, NocRegisters, OverlayRegisters, PrivateMemory, ResetRegisters, SharedView,
    StartOverride, TileNocInterface, TranslationRegisters,
};
pub use device::{
    Advance, Capabilities, DeviceError, Forgettable, LastWriter, Meaning, PciDevice, PinnedMemory,
    PinnedMemoryId, Position, Unwritten, Waiting, Writer,
};
pub use fault::{Fault, FaultCategory, FaultMemory, FaultPlace, UnknownFaultCategory};
pub use footprint::{Footprint, Footprints, SharedRange};
pub use harvesting::{HarvestingError, HarvestingMask, ParseHarvestingMaskError};
pub use l1_bank_order::L1BankOrder;
pub use random::Random;
pub use source_frame::SourceFrame;
pub use window::{
    WindowGroup, WindowId, WindowLayout, WindowOrder, WindowTarget, WindowTargetError,
};
