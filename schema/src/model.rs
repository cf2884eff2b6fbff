//! The command vocabulary, named after TT-Metalium's host API: one spelling for a YAML step, a
//! recorded command, a line of the text form and a step of the reducer.

mod argument;
mod capture;
mod data;
mod device_requirements;
mod failure;
mod fault;
mod free_tensor;
mod id;
mod kernel_bindings;
mod line_table;
mod origin;
mod pairing;
mod printed;
mod real;
mod sharding;
mod shared_bytes;
mod tile_shape;
mod values;

pub use crate::commands::{Command, CommandKind};
pub use argument::{ArgumentRelocation, CoreArguments, RelocatedArgument};
pub(crate) use argument::{RelocationForm, RelocationKind};
pub use capture::{
    AssignedAddress, Blobs, Capture, ChipRecord, CollectedBytes, ExpectedFault, FirmwareRecord,
    Grid, KernelElf, OutputHash, ProgramPart, QueuesEnd, ReadResult, Record, SourceFile,
};
pub use data::{Data, DataType, Generator};
pub use device_requirements::{DeviceRequirements, DispatchSettings};
pub use failure::{Failure, FailureCode, FailureReference, FieldName, FieldValue, ObjectKind};
pub use fault::{FaultRecord, PlaceWithoutTile, WaitRecord};
pub(crate) use fault::{PartyLine, place as fault_place};
pub use free_tensor::{FreeTensor, TensorRole};
pub use id::{
    BufferId, CircularBufferId, CommandIndex, ContentHash, EventId, KernelId, ParseHashError,
    ProgramId, QueueId, SemaphoreId, TraceId,
};
pub use kernel_bindings::{
    ACCESS_PATTERNS, BindingKind, BindingValue, KernelBinding, KernelBindings, SEMAPHORE_SCOPES,
};
pub use line_table::LineTableBytes;
pub use origin::{ExecutorRecord, GeneratedBindings, Origin, PlacementBoundWord, RelocationCheck};
pub use pairing::Pairing;
pub use printed::{Printed, PrintedTexts};
pub use real::Real;
pub use sharding::{
    BufferRegion, Shape2D, ShardOrientation, ShardPlace, ShardSpec, Sharding, ShardingProblem,
};
pub use shared_bytes::SharedBytes;
pub use tile_shape::TileShape;
pub use values::{
    BufferLayout, BufferType, CircularBufferIndex, CoreRange, DataFormat, DataMovementProcessor,
    DispatchMode, Expectation, GloballyAllocatedAddress, KernelConfig, MathFidelity, NocId,
    NocMode, OptLevel, Outcome, RecordedCommand, Tolerance, TraceBuffer, UnpackToDestMode,
};
