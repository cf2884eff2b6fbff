// Written by scripts/schema-gen from schema/fbs; do not modify.
// @generated

use crate::class::{FieldClass, FieldSchema, Known, TableSchema, UnionSchema};

pub(crate) const SCHEMA_HASH: [u8; 32] = [211, 202, 123, 227, 137, 159, 95, 245, 99, 198, 130, 150, 1, 231, 44, 126, 76, 211, 190, 243, 158, 41, 225, 17, 129, 102, 26, 39, 27, 69, 43, 77];

pub(crate) static TABLES: &[TableSchema] = &[
    TableSchema { name: "Constant", file: "program", fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "bits", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Sequence", file: "program", fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "start", type_name: "long", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "step", type_name: "long", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Uniform", file: "program", fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "seed", type_name: "ulong", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "UniformBetween", file: "program", fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "seed", type_name: "ulong", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "minimum", type_name: "double", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "maximum", type_name: "double", vector: false, id: 3, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Normal", file: "program", fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "seed", type_name: "ulong", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "mean", type_name: "double", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "deviation", type_name: "double", vector: false, id: 3, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Data", file: "program", fields: &[
        FieldSchema { name: "length", type_name: "ulong", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "generator", type_name: "Generator", vector: false, id: 3, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Tolerance", file: "program", fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "ulp", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "reason", type_name: "string", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "absolute", type_name: "double", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "relative", type_name: "double", vector: false, id: 4, class: FieldClass::Stable },
    ] },
    TableSchema { name: "AsCaptured", file: "program", fields: &[
    ] },
    TableSchema { name: "Exact", file: "program", fields: &[
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 0, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Reference", file: "program", fields: &[
        FieldSchema { name: "data", type_name: "Data", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "tolerance", type_name: "Tolerance", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Unchecked", file: "program", fields: &[
        FieldSchema { name: "reason", type_name: "string", vector: false, id: 0, class: FieldClass::Stable },
    ] },
    TableSchema { name: "DataMovement", file: "program", fields: &[
        FieldSchema { name: "processor", type_name: "DataMovementProcessor", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "noc", type_name: "NocId", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Compute", file: "program", fields: &[
        FieldSchema { name: "math_fidelity", type_name: "MathFidelity", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "fp32_dest_acc_en", type_name: "bool", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "math_approx_mode", type_name: "bool", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Define", file: "program", fields: &[
        FieldSchema { name: "name", type_name: "string", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "value", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CoreArguments", file: "program", fields: &[
        FieldSchema { name: "cores", type_name: "CoreRange", vector: true, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "values", type_name: "uint", vector: true, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "relocations", type_name: "ArgumentRelocation", vector: true, id: 2, class: FieldClass::Relocatable },
    ] },
    TableSchema { name: "CircularBufferIndex", file: "program", fields: &[
        FieldSchema { name: "index", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "page_size", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "data_format", type_name: "DataFormat", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "ShardSpec", file: "program", fields: &[
        FieldSchema { name: "cores", type_name: "CoreRange", vector: true, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "shape", type_name: "Shape2D", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "orientation", type_name: "ShardOrientation", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "page_shape", type_name: "Shape2D", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "tensor2d_shape_in_pages", type_name: "Shape2D", vector: false, id: 4, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CreateBuffer", file: "program", fields: &[
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "size", type_name: "ulong", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "page_size", type_name: "ulong", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "buffer_type", type_name: "BufferType", vector: false, id: 4, class: FieldClass::Stable },
        FieldSchema { name: "layout", type_name: "BufferLayout", vector: false, id: 5, class: FieldClass::Stable },
        FieldSchema { name: "shard_spec", type_name: "ShardSpec", vector: false, id: 6, class: FieldClass::Stable },
        FieldSchema { name: "bottom_up", type_name: "bool", vector: false, id: 7, class: FieldClass::Stable },
    ] },
    TableSchema { name: "DeallocateBuffer", file: "program", fields: &[
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CreateProgram", file: "program", fields: &[
        FieldSchema { name: "program", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CreateKernel", file: "program", fields: &[
        FieldSchema { name: "kernel", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "program", type_name: "uint", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "source", type_name: "string", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "cores", type_name: "CoreRange", vector: true, id: 4, class: FieldClass::Stable },
        FieldSchema { name: "config", type_name: "KernelConfig", vector: false, id: 6, class: FieldClass::Stable },
        FieldSchema { name: "compile_args", type_name: "uint", vector: true, id: 7, class: FieldClass::Stable },
        FieldSchema { name: "defines", type_name: "Define", vector: true, id: 8, class: FieldClass::Stable },
    ] },
    TableSchema { name: "SetRuntimeArgs", file: "program", fields: &[
        FieldSchema { name: "kernel", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "args", type_name: "CoreArguments", vector: true, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "GloballyAllocatedAddress", file: "program", fields: &[
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Relocatable },
        FieldSchema { name: "address_offset", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CreateCircularBuffer", file: "program", fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "program", type_name: "uint", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "cores", type_name: "CoreRange", vector: true, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "total_size", type_name: "ulong", vector: false, id: 4, class: FieldClass::Stable },
        FieldSchema { name: "indices", type_name: "CircularBufferIndex", vector: true, id: 5, class: FieldClass::Stable },
        FieldSchema { name: "globally_allocated_address", type_name: "GloballyAllocatedAddress", vector: false, id: 6, class: FieldClass::Relocatable },
    ] },
    TableSchema { name: "CreateSemaphore", file: "program", fields: &[
        FieldSchema { name: "semaphore", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "program", type_name: "uint", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "cores", type_name: "CoreRange", vector: true, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "initial_value", type_name: "uint", vector: false, id: 4, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EnqueueWriteBuffer", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "data", type_name: "Data", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "blocking", type_name: "bool", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "region", type_name: "BufferRegion", vector: false, id: 4, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EnqueueReadBuffer", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "output", type_name: "string", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "blocking", type_name: "bool", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "expectation", type_name: "Expectation", vector: false, id: 5, class: FieldClass::Stable },
        FieldSchema { name: "region", type_name: "BufferRegion", vector: false, id: 6, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EnqueueProgram", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "program", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "blocking", type_name: "bool", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Finish", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
    ] },
    TableSchema { name: "SetCommonRuntimeArgs", file: "program", fields: &[
        FieldSchema { name: "kernel", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "values", type_name: "uint", vector: true, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "relocations", type_name: "ArgumentRelocation", vector: true, id: 2, class: FieldClass::Relocatable },
    ] },
    TableSchema { name: "UpdateCommonRuntimeArgs", file: "program", fields: &[
        FieldSchema { name: "kernel", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "first", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "values", type_name: "uint", vector: true, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "relocations", type_name: "ArgumentRelocation", vector: true, id: 3, class: FieldClass::Relocatable },
    ] },
    TableSchema { name: "CreateBufferView", file: "program", fields: &[
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "parent", type_name: "uint", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "region", type_name: "BufferRegion", vector: false, id: 3, class: FieldClass::Stable },
    ] },
    TableSchema { name: "UpdateCircularBufferTotalSize", file: "program", fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "total_size", type_name: "ulong", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "UpdateCircularBufferPageSize", file: "program", fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "index", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "page_size", type_name: "uint", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "UpdateDynamicCircularBufferAddress", file: "program", fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 1, class: FieldClass::Relocatable },
        FieldSchema { name: "address_offset", type_name: "uint", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "UpdateDynamicCircularBufferAddressAndTotalSize", file: "program", fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 1, class: FieldClass::Relocatable },
        FieldSchema { name: "total_size", type_name: "ulong", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EnqueueRecordEvent", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "event", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "host_visible", type_name: "bool", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "number", type_name: "uint", vector: false, id: 4, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EnqueueWaitForEvent", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "event", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EventSynchronize", file: "program", fields: &[
        FieldSchema { name: "event", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EventQuery", file: "program", fields: &[
        FieldSchema { name: "event", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "expected", type_name: "bool", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "BeginTraceCapture", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "trace", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "EndTraceCapture", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "trace", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "ReplayTrace", file: "program", fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "trace", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "blocking", type_name: "bool", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "ReleaseTrace", file: "program", fields: &[
        FieldSchema { name: "trace", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CollectTrace", file: "program", fields: &[
        FieldSchema { name: "trace", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "collected", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "TraceBuffer", file: "program", fields: &[
        FieldSchema { name: "recorded", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "LoadTrace", file: "program", fields: &[
        FieldSchema { name: "trace", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "name", type_name: "string", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "from", type_name: "string", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "buffers", type_name: "TraceBuffer", vector: true, id: 3, class: FieldClass::Stable },
    ] },
    TableSchema { name: "FailureField", file: "program", fields: &[
        FieldSchema { name: "name", type_name: "FieldName", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "value", type_name: "ulong", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Failure", file: "program", fields: &[
        FieldSchema { name: "code", type_name: "FailureCode", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "fields", type_name: "FailureField", vector: true, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "RecordedCommand", file: "program", fields: &[
        FieldSchema { name: "command", type_name: "Command", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "outcome", type_name: "OutcomeKind", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "failure", type_name: "Failure", vector: false, id: 3, class: FieldClass::Stable },
    ] },
    TableSchema { name: "SourceFile", file: "program", fields: &[
        FieldSchema { name: "path", type_name: "string", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Program", file: "program", fields: &[
        FieldSchema { name: "architecture", type_name: "Architecture", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "grid", type_name: "Grid", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "placement_bound", type_name: "bool", vector: false, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "sources", type_name: "SourceFile", vector: true, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "commands", type_name: "RecordedCommand", vector: true, id: 4, class: FieldClass::Stable },
        FieldSchema { name: "num_command_queues", type_name: "ubyte", vector: false, id: 5, class: FieldClass::Stable },
        FieldSchema { name: "trace_region_size", type_name: "ulong", vector: false, id: 6, class: FieldClass::Stable },
    ] },
    TableSchema { name: "ChipRecord", file: "record", fields: &[
        FieldSchema { name: "device", type_name: "string", vector: false, id: 0, class: FieldClass::Volatile },
        FieldSchema { name: "pci_id", type_name: "uint", vector: false, id: 1, class: FieldClass::Volatile },
        FieldSchema { name: "harvesting_mask", type_name: "uint", vector: false, id: 2, class: FieldClass::Volatile },
        FieldSchema { name: "grid", type_name: "Grid", vector: false, id: 3, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "FirmwareRecord", file: "record", fields: &[
        FieldSchema { name: "name", type_name: "string", vector: false, id: 0, class: FieldClass::Volatile },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 1, class: FieldClass::Volatile },
        FieldSchema { name: "launch_abi", type_name: "uint", vector: false, id: 2, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "AssignedAddress", file: "record", fields: &[
        FieldSchema { name: "object", type_name: "ObjectKind", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "id", type_name: "uint", vector: false, id: 1, class: FieldClass::Derived },
        FieldSchema { name: "address", type_name: "ulong", vector: false, id: 2, class: FieldClass::Derived },
    ] },
    TableSchema { name: "KernelElf", file: "record", fields: &[
        FieldSchema { name: "kernel", type_name: "uint", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "processor", type_name: "ubyte", vector: false, id: 1, class: FieldClass::Derived },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 2, class: FieldClass::Derived },
    ] },
    TableSchema { name: "FaultRecord", file: "record", fields: &[
        FieldSchema { name: "command", type_name: "uint", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "category", type_name: "FaultCategory", vector: false, id: 1, class: FieldClass::Derived },
        FieldSchema { name: "reason", type_name: "string", vector: false, id: 2, class: FieldClass::Volatile },
        FieldSchema { name: "tile", type_name: "Tile", vector: false, id: 3, class: FieldClass::Derived },
        FieldSchema { name: "processor", type_name: "ubyte", vector: false, id: 4, class: FieldClass::Derived },
        FieldSchema { name: "pc", type_name: "uint", vector: false, id: 5, class: FieldClass::Derived },
        FieldSchema { name: "instruction", type_name: "uint", vector: false, id: 6, class: FieldClass::Derived },
        FieldSchema { name: "symbol", type_name: "string", vector: false, id: 7, class: FieldClass::Derived },
    ] },
    TableSchema { name: "WaitRecord", file: "record", fields: &[
        FieldSchema { name: "tile", type_name: "Tile", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "processor", type_name: "ubyte", vector: false, id: 1, class: FieldClass::Derived },
        FieldSchema { name: "pc", type_name: "uint", vector: false, id: 2, class: FieldClass::Derived },
        FieldSchema { name: "address", type_name: "ulong", vector: false, id: 3, class: FieldClass::Derived },
        FieldSchema { name: "value", type_name: "uint", vector: false, id: 4, class: FieldClass::Derived },
        FieldSchema { name: "symbol", type_name: "string", vector: false, id: 5, class: FieldClass::Derived },
    ] },
    TableSchema { name: "ReadResult", file: "record", fields: &[
        FieldSchema { name: "command", type_name: "uint", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "buffer", type_name: "uint", vector: false, id: 1, class: FieldClass::Derived },
        FieldSchema { name: "length", type_name: "ulong", vector: false, id: 2, class: FieldClass::Derived },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 3, class: FieldClass::Derived },
    ] },
    TableSchema { name: "CollectedBytes", file: "record", fields: &[
        FieldSchema { name: "command", type_name: "uint", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 1, class: FieldClass::Derived },
    ] },
    TableSchema { name: "Record", file: "record", fields: &[
        FieldSchema { name: "writer", type_name: "string", vector: false, id: 0, class: FieldClass::Volatile },
        FieldSchema { name: "schema_hash", type_name: "ContentHash", vector: false, id: 1, class: FieldClass::Volatile },
        FieldSchema { name: "chip", type_name: "ChipRecord", vector: false, id: 2, class: FieldClass::Volatile },
        FieldSchema { name: "firmware", type_name: "FirmwareRecord", vector: false, id: 3, class: FieldClass::Volatile },
        FieldSchema { name: "dispatch_mode", type_name: "DispatchMode", vector: false, id: 4, class: FieldClass::Volatile },
        FieldSchema { name: "addresses", type_name: "AssignedAddress", vector: true, id: 5, class: FieldClass::Derived },
        FieldSchema { name: "elfs", type_name: "KernelElf", vector: true, id: 6, class: FieldClass::Derived },
        FieldSchema { name: "faults", type_name: "FaultRecord", vector: true, id: 7, class: FieldClass::Derived },
        FieldSchema { name: "waits", type_name: "WaitRecord", vector: true, id: 8, class: FieldClass::Derived },
        FieldSchema { name: "reads", type_name: "ReadResult", vector: true, id: 9, class: FieldClass::Derived },
        FieldSchema { name: "collected", type_name: "CollectedBytes", vector: true, id: 10, class: FieldClass::Derived },
    ] },
    TableSchema { name: "Begin", file: "journal", fields: &[
        FieldSchema { name: "architecture", type_name: "Architecture", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "grid", type_name: "Grid", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "writer", type_name: "string", vector: false, id: 2, class: FieldClass::Volatile },
        FieldSchema { name: "chip", type_name: "ChipRecord", vector: false, id: 3, class: FieldClass::Volatile },
        FieldSchema { name: "firmware", type_name: "FirmwareRecord", vector: false, id: 4, class: FieldClass::Volatile },
        FieldSchema { name: "dispatch_mode", type_name: "DispatchMode", vector: false, id: 5, class: FieldClass::Volatile },
        FieldSchema { name: "num_command_queues", type_name: "ubyte", vector: false, id: 6, class: FieldClass::Stable },
        FieldSchema { name: "trace_region_size", type_name: "ulong", vector: false, id: 7, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Source", file: "journal", fields: &[
        FieldSchema { name: "path", type_name: "string", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "content", type_name: "ubyte", vector: true, id: 1, class: FieldClass::Stable },
    ] },
    TableSchema { name: "BlobAdded", file: "journal", fields: &[
        FieldSchema { name: "content", type_name: "ubyte", vector: true, id: 0, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "CommandBegun", file: "journal", fields: &[
        FieldSchema { name: "index", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "command", type_name: "Command", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "CommandEnded", file: "journal", fields: &[
        FieldSchema { name: "index", type_name: "uint", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "outcome", type_name: "OutcomeKind", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "failure", type_name: "Failure", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "ReadCompleted", file: "journal", fields: &[
        FieldSchema { name: "result", type_name: "ReadResult", vector: false, id: 0, class: FieldClass::Derived },
        FieldSchema { name: "embedded", type_name: "bool", vector: false, id: 1, class: FieldClass::Volatile },
        FieldSchema { name: "content", type_name: "ubyte", vector: true, id: 2, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "ExecutingEnqueue", file: "journal", fields: &[
        FieldSchema { name: "index", type_name: "uint", vector: false, id: 0, class: FieldClass::Derived },
    ] },
    TableSchema { name: "RecordUpdate", file: "journal", fields: &[
        FieldSchema { name: "placement_bound", type_name: "bool", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "addresses", type_name: "AssignedAddress", vector: true, id: 1, class: FieldClass::Derived },
        FieldSchema { name: "elfs", type_name: "KernelElf", vector: true, id: 2, class: FieldClass::Derived },
        FieldSchema { name: "faults", type_name: "FaultRecord", vector: true, id: 3, class: FieldClass::Derived },
        FieldSchema { name: "waits", type_name: "WaitRecord", vector: true, id: 4, class: FieldClass::Derived },
        FieldSchema { name: "collected", type_name: "CollectedBytes", vector: true, id: 5, class: FieldClass::Derived },
    ] },
    TableSchema { name: "JournalEntry", file: "journal", fields: &[
        FieldSchema { name: "event", type_name: "JournalEvent", vector: false, id: 1, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "CaptureVersion", file: "capture", fields: &[
        FieldSchema { name: "major", type_name: "ushort", vector: false, id: 0, class: FieldClass::Volatile },
        FieldSchema { name: "minor", type_name: "ushort", vector: false, id: 1, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "OutputHash", file: "capture", fields: &[
        FieldSchema { name: "name", type_name: "string", vector: false, id: 0, class: FieldClass::Stable },
        FieldSchema { name: "length", type_name: "ulong", vector: false, id: 1, class: FieldClass::Stable },
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 2, class: FieldClass::Stable },
    ] },
    TableSchema { name: "Blob", file: "capture", fields: &[
        FieldSchema { name: "hash", type_name: "ContentHash", vector: false, id: 0, class: FieldClass::Volatile },
        FieldSchema { name: "content", type_name: "ubyte", vector: true, id: 1, class: FieldClass::Volatile },
    ] },
    TableSchema { name: "Capture", file: "capture", fields: &[
        FieldSchema { name: "major", type_name: "ushort", vector: false, id: 0, class: FieldClass::Volatile },
        FieldSchema { name: "minor", type_name: "ushort", vector: false, id: 1, class: FieldClass::Volatile },
        FieldSchema { name: "program", type_name: "ubyte", vector: true, id: 2, class: FieldClass::Stable },
        FieldSchema { name: "program_digest", type_name: "ContentHash", vector: false, id: 3, class: FieldClass::Stable },
        FieldSchema { name: "outputs", type_name: "OutputHash", vector: true, id: 4, class: FieldClass::Stable },
        FieldSchema { name: "record", type_name: "ubyte", vector: true, id: 5, class: FieldClass::Volatile },
        FieldSchema { name: "blobs", type_name: "Blob", vector: true, id: 6, class: FieldClass::Volatile },
    ] },
];

impl Known for crate::generated::capture::Constant<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Sequence<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Uniform<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::UniformBetween<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Normal<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Data<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Tolerance<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::AsCaptured<'_> { const SLOTS: usize = 0; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Exact<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Reference<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Unchecked<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::DataMovement<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Compute<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Define<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CoreArguments<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CircularBufferIndex<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ShardSpec<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CreateBuffer<'_> { const SLOTS: usize = 8; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::DeallocateBuffer<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CreateProgram<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CreateKernel<'_> { const SLOTS: usize = 9; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::SetRuntimeArgs<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::GloballyAllocatedAddress<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CreateCircularBuffer<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CreateSemaphore<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EnqueueWriteBuffer<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EnqueueReadBuffer<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EnqueueProgram<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Finish<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::SetCommonRuntimeArgs<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::UpdateCommonRuntimeArgs<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CreateBufferView<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::UpdateCircularBufferTotalSize<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::UpdateCircularBufferPageSize<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::UpdateDynamicCircularBufferAddress<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::UpdateDynamicCircularBufferAddressAndTotalSize<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EnqueueRecordEvent<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EnqueueWaitForEvent<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EventSynchronize<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EventQuery<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::BeginTraceCapture<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::EndTraceCapture<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ReplayTrace<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ReleaseTrace<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CollectTrace<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::TraceBuffer<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::LoadTrace<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::FailureField<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Failure<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::RecordedCommand<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::SourceFile<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Program<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ChipRecord<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::FirmwareRecord<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::AssignedAddress<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::KernelElf<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::FaultRecord<'_> { const SLOTS: usize = 8; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::WaitRecord<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ReadResult<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CollectedBytes<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Record<'_> { const SLOTS: usize = 11; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Begin<'_> { const SLOTS: usize = 8; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Source<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::BlobAdded<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CommandBegun<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CommandEnded<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ReadCompleted<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::ExecutingEnqueue<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::RecordUpdate<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::JournalEntry<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::CaptureVersion<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::OutputHash<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Blob<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl Known for crate::generated::capture::Capture<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }

pub(crate) static UNIONS: &[UnionSchema] = &[
    UnionSchema { name: "Generator", members: &["Constant", "Sequence", "Uniform", "UniformBetween", "Normal"] },
    UnionSchema { name: "Expectation", members: &["AsCaptured", "Exact", "Reference", "Unchecked"] },
    UnionSchema { name: "KernelConfig", members: &["DataMovement", "Compute"] },
    UnionSchema { name: "Command", members: &["CreateBuffer", "DeallocateBuffer", "CreateProgram", "CreateKernel", "SetRuntimeArgs", "CreateCircularBuffer", "CreateSemaphore", "EnqueueWriteBuffer", "EnqueueReadBuffer", "EnqueueProgram", "Finish", "SetCommonRuntimeArgs", "UpdateCommonRuntimeArgs", "CreateBufferView", "UpdateCircularBufferTotalSize", "UpdateCircularBufferPageSize", "UpdateDynamicCircularBufferAddress", "UpdateDynamicCircularBufferAddressAndTotalSize", "EnqueueRecordEvent", "EnqueueWaitForEvent", "EventSynchronize", "EventQuery", "BeginTraceCapture", "EndTraceCapture", "ReplayTrace", "ReleaseTrace", "CollectTrace", "LoadTrace"] },
    UnionSchema { name: "JournalEvent", members: &["Begin", "Source", "BlobAdded", "CommandBegun", "CommandEnded", "ReadCompleted", "ExecutingEnqueue", "RecordUpdate"] },
];
