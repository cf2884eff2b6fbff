//! The facts about a chip on which all other crates agree: the [`PciDevice`] through which the host reaches it, the
//! [`ChipDescription`] that tells architectures apart, a type for each address space, and the random numbers that
//! choose orders.
//!
//! This crate depends on no other crate of Hallmark's. `README.md` beside this crate says how to add an architecture.
//!
//! # Devices
//!
//! [`PciDevice`] is the only way to a chip: a program that runs on the simulator runs on silicon unchanged. A device
//! that detects a deadlock is then asked what would end each wait ([`PciDevice::awaited`]). A device reports a fault in
//! memory by tile and address; the harness names the buffer, circular buffer or semaphore there.
//!
//! # Harvested chips
//!
//! A chip with rows or columns fused off is a [`ChipDescription`] of its own, which [`ChipDescription::harvested`]
//! makes from the whole chip's. Simulator, runtime, suites and reports take the grid, the places and the names of cores
//! from the description and know nothing else of harvesting. A device states its mask ([`PciDevice::harvesting`]), and
//! a capture's record keeps the mask.
//!
//! A suite that names a distant row or column writes `7 min (grid_rows - 1)`. A test is skipped if one of its cores is
//! off. A test that depends on tile coordinates says `needs: [fixed_coordinates]` and is skipped on chips where
//! coordinates move.
//!
//! # The order of L1's banks
//!
//! Pages of a buffer that is interleaved over L1 lie where TT-Metalium puts them. `l1_bank_order.rs` computes
//! TT-Metalium's order of the banks, and each chip's description names the chip's order. `BankNumbers` in
//! `hallmark_engine` is the only way from a core to its bank and back. A suite that needs a page on a certain core
//! shards its buffer.

mod activity;
mod address;
mod architecture;
mod awaited;
mod bar_windows;
mod coprocessor_word;
mod defects;
mod description;
mod device;
mod fault;
mod footprint;
mod harvesting;
mod kernel_runs;
mod l1_bank_order;
mod launch_description;
pub mod library_variables;
mod limits;
mod random;
pub mod sabotage;
mod source_frame;
mod stated_launches;
mod wait_report;
mod window;

pub use activity::{
    Activity, ActivitySpan, CodeStep, CoreActivity, Doing, ExecutedInstruction, NocRequest,
    NocRequestKind, OrderedPair, Tick, Transfers, UnitWait,
};
pub use address::{
    Bar, BarOffset, ConfigOffset, LogicalCore, NocCoordinate, PhysicalCoordinate, REGISTERS,
    TileAddress,
};
pub use architecture::{Architecture, Noc, Processor, UnknownArchitecture, UnknownProcessor};
pub use awaited::Awaited;
pub use bar_windows::{BarWindows, RegisterWrite, WindowAccess};
pub use coprocessor_word::CoprocessorWord;
pub use defects::DEFECTS;
pub use description::{
    AddressTranslationLayout, ArcChannel, ArcDoorbell, ArcHostView, ArcMessage, ArcRegister,
    ArcReport, ArcTelemetry, ArcTile, ArcValue, ChipDescription, DataCache, DebugRegisters,
    DramBank, DramTile, EthernetFirmware, HostNocInterface, InstructionSet, KeepPrivateMemory,
    NocOffsets, NocRegisters, OverlayRegisters, PrivateMemory, ResetRegisters, SharedView,
    StartOverride, TileNocInterface, TranslationRegisters,
};
pub use device::{
    Advance, Capabilities, DeviceError, Forgettable, LastWriter, Lowered, Meaning, PciDevice,
    PinnedMemory, PinnedMemoryId, Position, Unwritten, Waiting, Writer,
};
pub use fault::{Fault, FaultCategory, FaultMemory, FaultPlace, UnknownFaultCategory};
pub use footprint::{Footprint, Footprints, SharedRange};
pub use harvesting::{HarvestingError, HarvestingMask, ParseHarvestingMaskError};
pub use kernel_runs::KernelRuns;
pub use l1_bank_order::L1BankOrder;
pub use launch_description::{
    ArgumentMeaning, CircularBufferTable, DescribedArguments, DescribedBuffer,
    DescribedCircularBuffer, DescribedExtent, DescribedImage, DescribedKernel, DescribedPages,
    DescribedScratchpad, DescribedSemaphore, LaunchDescription, ReservedMemory, ReservedUse,
};
pub use random::Random;
pub use source_frame::SourceFrame;
pub use stated_launches::{LaunchMessages, StatedGroup, StatedKernel, StatedProgram};
pub use wait_report::WaitReport;
pub use window::{
    WindowGroup, WindowId, WindowLayout, WindowOrder, WindowTarget, WindowTargetError,
};
