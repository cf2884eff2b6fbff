// Written by scripts/schema-gen from schema/fbs; do not modify.
// @generated

use crate::class::{EnumerationSchema, FieldClass, FieldSchema, Holds, Introduced, KnownTable, StructSchema, TableSchema, UnionSchema};

pub(crate) const SCHEMA_HASH: [u8; 32] = [99, 94, 250, 14, 142, 140, 178, 244, 134, 55, 165, 23, 58, 47, 38, 2, 64, 209, 214, 158, 43, 168, 39, 188, 180, 55, 24, 61, 181, 207, 222, 121];

/// The latest minor version of anything in the schema.
pub(crate) const NEWEST_MINOR: u16 = 1;

pub(crate) static TABLES: &[TableSchema] = &[
    TableSchema { name: "Constant", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", holds: Holds::Enumeration(16), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "bits", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Sequence", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", holds: Holds::Enumeration(16), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "start", type_name: "long", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "step", type_name: "long", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Uniform", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", holds: Holds::Enumeration(16), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "seed", type_name: "ulong", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "UniformBetween", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", holds: Holds::Enumeration(16), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "seed", type_name: "ulong", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "minimum", type_name: "double", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "maximum", type_name: "double", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Normal", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", holds: Holds::Enumeration(16), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "seed", type_name: "ulong", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "mean", type_name: "double", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "deviation", type_name: "double", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Data", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "length", type_name: "ulong", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "generator", type_name: "Generator", holds: Holds::Union(0), vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Tolerance", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "data_type", type_name: "DataType", holds: Holds::Enumeration(16), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "ulp", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "reason", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "absolute", type_name: "double", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "relative", type_name: "double", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "pcc", type_name: "double", holds: Holds::Plain, vector: false, id: 5, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
    ] },
    TableSchema { name: "AsCaptured", file: "program", since: 0, newest: 0, fields: &[
    ] },
    TableSchema { name: "Exact", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Reference", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "data", type_name: "Data", holds: Holds::Table(5), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "tolerance", type_name: "Tolerance", holds: Holds::Table(6), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Unchecked", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "reason", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "DataMovement", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "processor", type_name: "DataMovementProcessor", holds: Holds::Enumeration(8), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "noc", type_name: "NocId", holds: Holds::Enumeration(9), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "noc_mode", type_name: "NocMode", holds: Holds::Enumeration(10), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
    ] },
    TableSchema { name: "UnpackToDest", file: "program", since: 1, newest: 1, fields: &[
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "mode", type_name: "UnpackToDestMode", holds: Holds::Enumeration(12), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Compute", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "math_fidelity", type_name: "MathFidelity", holds: Holds::Enumeration(14), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "fp32_dest_acc_en", type_name: "bool", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "math_approx_mode", type_name: "bool", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "dst_full_sync_en", type_name: "bool", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
        FieldSchema { name: "unpack_to_dest_mode", type_name: "UnpackToDest", holds: Holds::Table(12), vector: true, id: 4, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
        FieldSchema { name: "bfp8_pack_precise", type_name: "bool", holds: Holds::Plain, vector: false, id: 5, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
    ] },
    TableSchema { name: "Define", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "value", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "NamedCompileArg", file: "program", since: 1, newest: 1, fields: &[
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "value", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "KernelBinding", file: "program", since: 1, newest: 1, fields: &[
        FieldSchema { name: "kind", type_name: "BindingKind", holds: Holds::Enumeration(13), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "values", type_name: "uint", holds: Holds::Plain, vector: true, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "KernelBindings", file: "program", since: 1, newest: 1, fields: &[
        FieldSchema { name: "names", type_name: "KernelBinding", holds: Holds::Table(16), vector: true, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "first_vararg", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "first_common_vararg", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "compile_time_varargs", type_name: "uint", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CoreArguments", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "cores", type_name: "CoreRange", holds: Holds::Struct(2), vector: true, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "values", type_name: "uint", holds: Holds::Plain, vector: true, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "relocations", type_name: "ArgumentRelocation", holds: Holds::Struct(3), vector: true, id: 2, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "TileShape", file: "program", since: 1, newest: 1, fields: &[
        FieldSchema { name: "shape", type_name: "Shape2D", holds: Holds::Struct(4), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "face_shape", type_name: "Shape2D", holds: Holds::Struct(4), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "transpose", type_name: "bool", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CircularBufferIndex", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "page_size", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "data_format", type_name: "DataFormat", holds: Holds::Enumeration(15), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "tile", type_name: "TileShape", holds: Holds::Table(19), vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
    ] },
    TableSchema { name: "ShardSpec", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "cores", type_name: "CoreRange", holds: Holds::Struct(2), vector: true, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "shape", type_name: "Shape2D", holds: Holds::Struct(4), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "orientation", type_name: "ShardOrientation", holds: Holds::Enumeration(7), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "page_shape", type_name: "Shape2D", holds: Holds::Struct(4), vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "tensor2d_shape_in_pages", type_name: "Shape2D", holds: Holds::Struct(4), vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CreateBuffer", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "page_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer_type", type_name: "BufferType", holds: Holds::Enumeration(5), vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "layout", type_name: "BufferLayout", holds: Holds::Enumeration(6), vector: false, id: 5, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "shard_spec", type_name: "ShardSpec", holds: Holds::Table(21), vector: false, id: 6, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "bottom_up", type_name: "bool", holds: Holds::Plain, vector: false, id: 7, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "DeallocateBuffer", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CreateProgram", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "program", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CreateKernel", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "kernel", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "program", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "source", type_name: "string", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "cores", type_name: "CoreRange", holds: Holds::Struct(2), vector: true, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "config", type_name: "KernelConfig", holds: Holds::Union(2), vector: false, id: 6, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "compile_args", type_name: "uint", holds: Holds::Plain, vector: true, id: 7, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "defines", type_name: "Define", holds: Holds::Table(14), vector: true, id: 8, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "named_compile_args", type_name: "NamedCompileArg", holds: Holds::Table(15), vector: true, id: 9, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
        FieldSchema { name: "opt_level", type_name: "OptLevel", holds: Holds::Enumeration(11), vector: false, id: 10, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
        FieldSchema { name: "bindings", type_name: "KernelBindings", holds: Holds::Table(17), vector: false, id: 11, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
    ] },
    TableSchema { name: "SetRuntimeArgs", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "kernel", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "args", type_name: "CoreArguments", holds: Holds::Table(18), vector: true, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "GloballyAllocatedAddress", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "address_offset", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CreateCircularBuffer", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "program", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "cores", type_name: "CoreRange", holds: Holds::Struct(2), vector: true, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "total_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "indices", type_name: "CircularBufferIndex", holds: Holds::Table(20), vector: true, id: 5, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "globally_allocated_address", type_name: "GloballyAllocatedAddress", holds: Holds::Table(27), vector: false, id: 6, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CreateSemaphore", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "semaphore", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "program", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "cores", type_name: "CoreRange", holds: Holds::Struct(2), vector: true, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "initial_value", type_name: "uint", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EnqueueWriteBuffer", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "data", type_name: "Data", holds: Holds::Table(5), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "blocking", type_name: "bool", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "region", type_name: "BufferRegion", holds: Holds::Struct(5), vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EnqueueReadBuffer", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "output", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "blocking", type_name: "bool", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "expectation", type_name: "Expectation", holds: Holds::Union(1), vector: false, id: 5, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "region", type_name: "BufferRegion", holds: Holds::Struct(5), vector: false, id: 6, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EnqueueProgram", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "program", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "blocking", type_name: "bool", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Finish", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "SetCommonRuntimeArgs", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "kernel", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "values", type_name: "uint", holds: Holds::Plain, vector: true, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "relocations", type_name: "ArgumentRelocation", holds: Holds::Struct(3), vector: true, id: 2, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "UpdateCommonRuntimeArgs", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "kernel", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "first", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "values", type_name: "uint", holds: Holds::Plain, vector: true, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "relocations", type_name: "ArgumentRelocation", holds: Holds::Struct(3), vector: true, id: 3, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CreateBufferView", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "parent", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "region", type_name: "BufferRegion", holds: Holds::Struct(5), vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "UpdateCircularBufferTotalSize", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "total_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "UpdateCircularBufferPageSize", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "page_size", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "UpdateDynamicCircularBufferAddress", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "address_offset", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "UpdateDynamicCircularBufferAddressAndTotalSize", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Relocatable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "total_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EnqueueRecordEvent", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "event", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "host_visible", type_name: "bool", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "number", type_name: "uint", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EnqueueWaitForEvent", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "event", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EventSynchronize", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "event", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EventQuery", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "event", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "expected", type_name: "bool", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "BeginTraceCapture", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "trace", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "EndTraceCapture", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "trace", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "ReplayTrace", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "queue", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "trace", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "blocking", type_name: "bool", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "ReleaseTrace", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "trace", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CollectTrace", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "trace", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "collected", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "TraceBuffer", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "recorded", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "LoadTrace", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "trace", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "from", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffers", type_name: "TraceBuffer", holds: Holds::Table(50), vector: true, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Synchronize", file: "program", since: 1, newest: 1, fields: &[
    ] },
    TableSchema { name: "FailureField", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "name", type_name: "FieldName", holds: Holds::Enumeration(20), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "value", type_name: "ulong", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Failure", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "code", type_name: "FailureCode", holds: Holds::Enumeration(19), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "fields", type_name: "FailureField", holds: Holds::Table(53), vector: true, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "RecordedCommand", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "command", type_name: "Command", holds: Holds::Union(3), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "outcome", type_name: "OutcomeKind", holds: Holds::Enumeration(18), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "failure", type_name: "Failure", holds: Holds::Table(54), vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "SourceFile", file: "program", since: 0, newest: 0, fields: &[
        FieldSchema { name: "path", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "FreeTensor", file: "program", since: 1, newest: 1, fields: &[
        FieldSchema { name: "role", type_name: "TensorRole", holds: Holds::Enumeration(21), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "shape", type_name: "uint", holds: Holds::Plain, vector: true, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "data_format", type_name: "DataFormat", holds: Holds::Enumeration(15), vector: false, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "tile", type_name: "Shape2D", holds: Holds::Struct(4), vector: false, id: 5, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Program", file: "program", since: 0, newest: 1, fields: &[
        FieldSchema { name: "architecture", type_name: "Architecture", holds: Holds::Enumeration(0), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "grid", type_name: "Grid", holds: Holds::Struct(1), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "placement_bound", type_name: "bool", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "sources", type_name: "SourceFile", holds: Holds::Table(56), vector: true, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "commands", type_name: "RecordedCommand", holds: Holds::Table(55), vector: true, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "num_command_queues", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 5, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "trace_region_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 6, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "l1_small_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 7, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
        FieldSchema { name: "worker_l1_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 8, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
        FieldSchema { name: "free_tensors", type_name: "FreeTensor", holds: Holds::Table(57), vector: true, id: 9, class: FieldClass::Stable, introduced: Introduced::Needed(1) },
    ] },
    TableSchema { name: "ChipRecord", file: "record", since: 0, newest: 0, fields: &[
        FieldSchema { name: "device", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "pci_id", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "harvesting_mask", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "grid", type_name: "Grid", holds: Holds::Struct(1), vector: false, id: 3, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "FirmwareRecord", file: "record", since: 0, newest: 0, fields: &[
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "launch_abi", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "AssignedAddress", file: "record", since: 0, newest: 0, fields: &[
        FieldSchema { name: "object", type_name: "ObjectKind", holds: Holds::Enumeration(3), vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "id", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "address", type_name: "ulong", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "KernelElf", file: "record", since: 0, newest: 1, fields: &[
        FieldSchema { name: "kernel", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "processor", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "lines", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 3, class: FieldClass::Derived, introduced: Introduced::Droppable(1) },
    ] },
    TableSchema { name: "SourceFrame", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "function", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "file", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "line", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "FaultParty", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "tile", type_name: "Tile", holds: Holds::Struct(6), vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "processor", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "pc", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "instruction", type_name: "uint", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "symbol", type_name: "string", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "frames", type_name: "SourceFrame", holds: Holds::Table(63), vector: true, id: 5, class: FieldClass::Derived, introduced: Introduced::Droppable(1) },
    ] },
    TableSchema { name: "FaultRecord", file: "record", since: 0, newest: 1, fields: &[
        FieldSchema { name: "command", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "category", type_name: "FaultCategory", holds: Holds::Enumeration(4), vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "reason", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "tile", type_name: "Tile", holds: Holds::Struct(6), vector: false, id: 3, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "processor", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "pc", type_name: "uint", holds: Holds::Plain, vector: false, id: 5, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "instruction", type_name: "uint", holds: Holds::Plain, vector: false, id: 6, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "symbol", type_name: "string", holds: Holds::Plain, vector: false, id: 7, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "against", type_name: "FaultParty", holds: Holds::Table(64), vector: false, id: 8, class: FieldClass::Derived, introduced: Introduced::Droppable(1) },
        FieldSchema { name: "frames", type_name: "SourceFrame", holds: Holds::Table(63), vector: true, id: 9, class: FieldClass::Derived, introduced: Introduced::Droppable(1) },
    ] },
    TableSchema { name: "WaitRecord", file: "record", since: 0, newest: 1, fields: &[
        FieldSchema { name: "tile", type_name: "Tile", holds: Holds::Struct(6), vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "processor", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "pc", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "address", type_name: "ulong", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "value", type_name: "uint", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "symbol", type_name: "string", holds: Holds::Plain, vector: false, id: 5, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "frames", type_name: "SourceFrame", holds: Holds::Table(63), vector: true, id: 6, class: FieldClass::Derived, introduced: Introduced::Droppable(1) },
    ] },
    TableSchema { name: "ReadResult", file: "record", since: 0, newest: 0, fields: &[
        FieldSchema { name: "command", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "length", type_name: "ulong", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 3, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CollectedBytes", file: "record", since: 0, newest: 0, fields: &[
        FieldSchema { name: "command", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "ExpectedFault", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "command", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "QueuesEnd", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "outcome", type_name: "OutcomeKind", holds: Holds::Enumeration(18), vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "failure", type_name: "Failure", holds: Holds::Table(54), vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "expected", type_name: "bool", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "PrintedText", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "launch", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "core", type_name: "LogicalCore", holds: Holds::Struct(7), vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "processor", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "text", type_name: "string", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "dropped", type_name: "ulong", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "ExecutorRecord", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "release", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "build_id", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "kernel_compiler", type_name: "string", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "PlacementBoundWord", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "command", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "core", type_name: "LogicalCore", holds: Holds::Struct(7), vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "GeneratedBindings", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "kernel", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "original", type_name: "string", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "DataflowBuffer", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "circular_buffer", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Origin", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "executor", type_name: "ExecutorRecord", holds: Holds::Table(72), vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "missing", type_name: "string", holds: Holds::Plain, vector: true, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "relocations", type_name: "RelocationCheck", holds: Holds::Enumeration(22), vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "placement_bound_words", type_name: "PlacementBoundWord", holds: Holds::Table(73), vector: true, id: 3, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "generated_bindings", type_name: "GeneratedBindings", holds: Holds::Table(74), vector: true, id: 4, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "dataflow_buffers", type_name: "DataflowBuffer", holds: Holds::Table(75), vector: true, id: 5, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "DeviceRequirements", file: "record", since: 1, newest: 1, fields: &[
        FieldSchema { name: "tick_budget", type_name: "ulong", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "ring_size", type_name: "uint", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "completion_size", type_name: "uint", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "first_position", type_name: "uint", holds: Holds::Plain, vector: false, id: 3, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "first_count", type_name: "uint", holds: Holds::Plain, vector: false, id: 4, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "overlap", type_name: "bool", holds: Holds::Plain, vector: false, id: 5, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Record", file: "record", since: 0, newest: 1, fields: &[
        FieldSchema { name: "writer", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "schema_hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "chip", type_name: "ChipRecord", holds: Holds::Table(59), vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "firmware", type_name: "FirmwareRecord", holds: Holds::Table(60), vector: false, id: 3, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "dispatch_mode", type_name: "DispatchMode", holds: Holds::Enumeration(1), vector: false, id: 4, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "addresses", type_name: "AssignedAddress", holds: Holds::Table(61), vector: true, id: 5, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "elfs", type_name: "KernelElf", holds: Holds::Table(62), vector: true, id: 6, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "faults", type_name: "FaultRecord", holds: Holds::Table(65), vector: true, id: 7, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "waits", type_name: "WaitRecord", holds: Holds::Table(66), vector: true, id: 8, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "reads", type_name: "ReadResult", holds: Holds::Table(67), vector: true, id: 9, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "collected", type_name: "CollectedBytes", holds: Holds::Table(68), vector: true, id: 10, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "expected_faults", type_name: "ExpectedFault", holds: Holds::Table(69), vector: true, id: 11, class: FieldClass::Volatile, introduced: Introduced::Droppable(1) },
        FieldSchema { name: "l1_bank_order", type_name: "L1BankOrder", holds: Holds::Enumeration(2), vector: false, id: 12, class: FieldClass::Derived, introduced: Introduced::Needed(1) },
        FieldSchema { name: "origin", type_name: "Origin", holds: Holds::Table(76), vector: false, id: 13, class: FieldClass::Volatile, introduced: Introduced::Needed(1) },
        FieldSchema { name: "asked", type_name: "DeviceRequirements", holds: Holds::Table(77), vector: false, id: 14, class: FieldClass::Volatile, introduced: Introduced::Droppable(1) },
        FieldSchema { name: "at_end", type_name: "QueuesEnd", holds: Holds::Table(70), vector: false, id: 15, class: FieldClass::Derived, introduced: Introduced::Droppable(1) },
        FieldSchema { name: "checks", type_name: "FaultCategory", holds: Holds::Enumeration(4), vector: true, id: 16, class: FieldClass::Volatile, introduced: Introduced::Droppable(1) },
        FieldSchema { name: "printed", type_name: "PrintedText", holds: Holds::Table(71), vector: true, id: 17, class: FieldClass::Volatile, introduced: Introduced::Droppable(1) },
    ] },
    TableSchema { name: "Begin", file: "journal", since: 0, newest: 1, fields: &[
        FieldSchema { name: "architecture", type_name: "Architecture", holds: Holds::Enumeration(0), vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "grid", type_name: "Grid", holds: Holds::Struct(1), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "writer", type_name: "string", holds: Holds::Plain, vector: false, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "chip", type_name: "ChipRecord", holds: Holds::Table(59), vector: false, id: 3, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "firmware", type_name: "FirmwareRecord", holds: Holds::Table(60), vector: false, id: 4, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "dispatch_mode", type_name: "DispatchMode", holds: Holds::Enumeration(1), vector: false, id: 5, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "num_command_queues", type_name: "ubyte", holds: Holds::Plain, vector: false, id: 6, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "trace_region_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 7, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "l1_small_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 8, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "worker_l1_size", type_name: "ulong", holds: Holds::Plain, vector: false, id: 9, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "asked", type_name: "DeviceRequirements", holds: Holds::Table(77), vector: false, id: 10, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "checks", type_name: "FaultCategory", holds: Holds::Enumeration(4), vector: true, id: 11, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Source", file: "journal", since: 0, newest: 0, fields: &[
        FieldSchema { name: "path", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "content", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "BlobAdded", file: "journal", since: 0, newest: 0, fields: &[
        FieldSchema { name: "content", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CommandBegun", file: "journal", since: 0, newest: 1, fields: &[
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "command", type_name: "Command", holds: Holds::Union(3), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CommandEnded", file: "journal", since: 0, newest: 1, fields: &[
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "outcome", type_name: "OutcomeKind", holds: Holds::Enumeration(18), vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "failure", type_name: "Failure", holds: Holds::Table(54), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "ReadCompleted", file: "journal", since: 0, newest: 0, fields: &[
        FieldSchema { name: "result", type_name: "ReadResult", holds: Holds::Table(67), vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "embedded", type_name: "bool", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "content", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 2, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "ExecutingEnqueue", file: "journal", since: 0, newest: 0, fields: &[
        FieldSchema { name: "index", type_name: "uint", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "RecordUpdate", file: "journal", since: 0, newest: 1, fields: &[
        FieldSchema { name: "placement_bound", type_name: "bool", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "addresses", type_name: "AssignedAddress", holds: Holds::Table(61), vector: true, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "elfs", type_name: "KernelElf", holds: Holds::Table(62), vector: true, id: 2, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "faults", type_name: "FaultRecord", holds: Holds::Table(65), vector: true, id: 3, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "waits", type_name: "WaitRecord", holds: Holds::Table(66), vector: true, id: 4, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "collected", type_name: "CollectedBytes", holds: Holds::Table(68), vector: true, id: 5, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "l1_bank_order", type_name: "L1BankOrder", holds: Holds::Enumeration(2), vector: false, id: 6, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "QueuesDrained", file: "journal", since: 0, newest: 1, fields: &[
        FieldSchema { name: "outcome", type_name: "OutcomeKind", holds: Holds::Enumeration(18), vector: false, id: 0, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
        FieldSchema { name: "failure", type_name: "Failure", holds: Holds::Table(54), vector: false, id: 1, class: FieldClass::Derived, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "JournalEntry", file: "journal", since: 0, newest: 1, fields: &[
        FieldSchema { name: "event", type_name: "JournalEvent", holds: Holds::Union(4), vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "CaptureVersion", file: "capture", since: 0, newest: 0, fields: &[
        FieldSchema { name: "major", type_name: "ushort", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "minor", type_name: "ushort", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "OutputHash", file: "capture", since: 0, newest: 0, fields: &[
        FieldSchema { name: "name", type_name: "string", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "length", type_name: "ulong", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Blob", file: "capture", since: 0, newest: 0, fields: &[
        FieldSchema { name: "hash", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "content", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
    TableSchema { name: "Capture", file: "capture", since: 0, newest: 0, fields: &[
        FieldSchema { name: "major", type_name: "ushort", holds: Holds::Plain, vector: false, id: 0, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "minor", type_name: "ushort", holds: Holds::Plain, vector: false, id: 1, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "program", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 2, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "program_digest", type_name: "ContentHash", holds: Holds::Struct(0), vector: false, id: 3, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "outputs", type_name: "OutputHash", holds: Holds::Table(90), vector: true, id: 4, class: FieldClass::Stable, introduced: Introduced::FirstRelease },
        FieldSchema { name: "record", type_name: "ubyte", holds: Holds::Plain, vector: true, id: 5, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
        FieldSchema { name: "blobs", type_name: "Blob", holds: Holds::Table(91), vector: true, id: 6, class: FieldClass::Volatile, introduced: Introduced::FirstRelease },
    ] },
];

impl KnownTable for crate::generated::capture::Constant<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Sequence<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Uniform<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UniformBetween<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Normal<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Data<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Tolerance<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::AsCaptured<'_> { const SLOTS: usize = 0; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Exact<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Reference<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Unchecked<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::DataMovement<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UnpackToDest<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Compute<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Define<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::NamedCompileArg<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::KernelBinding<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::KernelBindings<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CoreArguments<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::TileShape<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CircularBufferIndex<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ShardSpec<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CreateBuffer<'_> { const SLOTS: usize = 8; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::DeallocateBuffer<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CreateProgram<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CreateKernel<'_> { const SLOTS: usize = 12; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::SetRuntimeArgs<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::GloballyAllocatedAddress<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CreateCircularBuffer<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CreateSemaphore<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EnqueueWriteBuffer<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EnqueueReadBuffer<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EnqueueProgram<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Finish<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::SetCommonRuntimeArgs<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UpdateCommonRuntimeArgs<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CreateBufferView<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UpdateCircularBufferTotalSize<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UpdateCircularBufferPageSize<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UpdateDynamicCircularBufferAddress<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::UpdateDynamicCircularBufferAddressAndTotalSize<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EnqueueRecordEvent<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EnqueueWaitForEvent<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EventSynchronize<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EventQuery<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::BeginTraceCapture<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::EndTraceCapture<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ReplayTrace<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ReleaseTrace<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CollectTrace<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::TraceBuffer<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::LoadTrace<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Synchronize<'_> { const SLOTS: usize = 0; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::FailureField<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Failure<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::RecordedCommand<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::SourceFile<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::FreeTensor<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Program<'_> { const SLOTS: usize = 10; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ChipRecord<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::FirmwareRecord<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::AssignedAddress<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::KernelElf<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::SourceFrame<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::FaultParty<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::FaultRecord<'_> { const SLOTS: usize = 10; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::WaitRecord<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ReadResult<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CollectedBytes<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ExpectedFault<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::QueuesEnd<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::PrintedText<'_> { const SLOTS: usize = 5; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ExecutorRecord<'_> { const SLOTS: usize = 4; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::PlacementBoundWord<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::GeneratedBindings<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::DataflowBuffer<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Origin<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::DeviceRequirements<'_> { const SLOTS: usize = 6; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Record<'_> { const SLOTS: usize = 18; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Begin<'_> { const SLOTS: usize = 12; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Source<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::BlobAdded<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CommandBegun<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CommandEnded<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ReadCompleted<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::ExecutingEnqueue<'_> { const SLOTS: usize = 1; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::RecordUpdate<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::QueuesDrained<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::JournalEntry<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::CaptureVersion<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::OutputHash<'_> { const SLOTS: usize = 3; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Blob<'_> { const SLOTS: usize = 2; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }
impl KnownTable for crate::generated::capture::Capture<'_> { const SLOTS: usize = 7; fn table(&self) -> flatbuffers::Table<'_> { self._tab } }

pub(crate) static UNIONS: &[UnionSchema] = &[
    UnionSchema { name: "Generator", newest: 0, members: &["Constant", "Sequence", "Uniform", "UniformBetween", "Normal"], tables: &[0, 1, 2, 3, 4] },
    UnionSchema { name: "Expectation", newest: 1, members: &["AsCaptured", "Exact", "Reference", "Unchecked"], tables: &[7, 8, 9, 10] },
    UnionSchema { name: "KernelConfig", newest: 1, members: &["DataMovement", "Compute"], tables: &[11, 13] },
    UnionSchema { name: "Command", newest: 1, members: &["CreateBuffer", "DeallocateBuffer", "CreateProgram", "CreateKernel", "SetRuntimeArgs", "CreateCircularBuffer", "CreateSemaphore", "EnqueueWriteBuffer", "EnqueueReadBuffer", "EnqueueProgram", "Finish", "SetCommonRuntimeArgs", "UpdateCommonRuntimeArgs", "CreateBufferView", "UpdateCircularBufferTotalSize", "UpdateCircularBufferPageSize", "UpdateDynamicCircularBufferAddress", "UpdateDynamicCircularBufferAddressAndTotalSize", "EnqueueRecordEvent", "EnqueueWaitForEvent", "EventSynchronize", "EventQuery", "BeginTraceCapture", "EndTraceCapture", "ReplayTrace", "ReleaseTrace", "CollectTrace", "LoadTrace", "Synchronize"], tables: &[22, 23, 24, 25, 26, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 51, 52] },
    UnionSchema { name: "JournalEvent", newest: 1, members: &["Begin", "Source", "BlobAdded", "CommandBegun", "CommandEnded", "ReadCompleted", "ExecutingEnqueue", "RecordUpdate", "QueuesDrained"], tables: &[79, 80, 81, 82, 83, 84, 85, 86, 87] },
];

pub(crate) static ENUMERATIONS: &[EnumerationSchema] = &[
    EnumerationSchema { name: "Architecture", bytes: 1, later: &[] },
    EnumerationSchema { name: "DispatchMode", bytes: 1, later: &[] },
    EnumerationSchema { name: "L1BankOrder", bytes: 1, later: &[] },
    EnumerationSchema { name: "ObjectKind", bytes: 1, later: &[] },
    EnumerationSchema { name: "FaultCategory", bytes: 1, later: &[crate::class::LaterValue { number: 12, name: "MemoryNotGranted", since: 1 }, crate::class::LaterValue { number: 13, name: "CircularBufferMisuse", since: 1 }, crate::class::LaterValue { number: 14, name: "RequestsUnderWay", since: 1 }, crate::class::LaterValue { number: 15, name: "UnorderedSynchronization", since: 1 }, crate::class::LaterValue { number: 16, name: "ArgumentOutOfRange", since: 1 }, crate::class::LaterValue { number: 17, name: "LinkedMulticast", since: 1 }, crate::class::LaterValue { number: 18, name: "TransactionOverflow", since: 1 }, crate::class::LaterValue { number: 19, name: "StaleCacheRead", since: 1 }, crate::class::LaterValue { number: 20, name: "KernelAssertion", since: 1 }] },
    EnumerationSchema { name: "BufferType", bytes: 1, later: &[crate::class::LaterValue { number: 3, name: "L1Small", since: 1 }] },
    EnumerationSchema { name: "BufferLayout", bytes: 1, later: &[] },
    EnumerationSchema { name: "ShardOrientation", bytes: 1, later: &[] },
    EnumerationSchema { name: "DataMovementProcessor", bytes: 1, later: &[] },
    EnumerationSchema { name: "NocId", bytes: 1, later: &[] },
    EnumerationSchema { name: "NocMode", bytes: 1, later: &[] },
    EnumerationSchema { name: "OptLevel", bytes: 1, later: &[] },
    EnumerationSchema { name: "UnpackToDestMode", bytes: 1, later: &[] },
    EnumerationSchema { name: "BindingKind", bytes: 1, later: &[] },
    EnumerationSchema { name: "MathFidelity", bytes: 1, later: &[] },
    EnumerationSchema { name: "DataFormat", bytes: 1, later: &[crate::class::LaterValue { number: 7, name: "Float16", since: 1 }, crate::class::LaterValue { number: 8, name: "Tf32", since: 1 }, crate::class::LaterValue { number: 9, name: "Lf8", since: 1 }, crate::class::LaterValue { number: 10, name: "Fp8E4M3", since: 1 }, crate::class::LaterValue { number: 11, name: "Bfp8", since: 1 }, crate::class::LaterValue { number: 12, name: "Bfp8B", since: 1 }, crate::class::LaterValue { number: 13, name: "Bfp4", since: 1 }, crate::class::LaterValue { number: 14, name: "Bfp4B", since: 1 }, crate::class::LaterValue { number: 15, name: "Bfp2", since: 1 }, crate::class::LaterValue { number: 16, name: "Bfp2B", since: 1 }, crate::class::LaterValue { number: 17, name: "Int8", since: 1 }, crate::class::LaterValue { number: 18, name: "RawUInt8", since: 1 }, crate::class::LaterValue { number: 19, name: "RawUInt16", since: 1 }, crate::class::LaterValue { number: 20, name: "RawUInt32", since: 1 }, crate::class::LaterValue { number: 21, name: "Int16", since: 1 }, crate::class::LaterValue { number: 22, name: "MxFp4", since: 1 }] },
    EnumerationSchema { name: "DataType", bytes: 1, later: &[] },
    EnumerationSchema { name: "RelocationKind", bytes: 1, later: &[crate::class::LaterValue { number: 6, name: "ScratchpadAddress", since: 1 }] },
    EnumerationSchema { name: "OutcomeKind", bytes: 1, later: &[] },
    EnumerationSchema { name: "FailureCode", bytes: 2, later: &[crate::class::LaterValue { number: 65, name: "NocModeUnsupported", since: 1 }, crate::class::LaterValue { number: 66, name: "NamedCompileArgInvalid", since: 1 }, crate::class::LaterValue { number: 67, name: "TileShapeInvalid", since: 1 }, crate::class::LaterValue { number: 68, name: "ScratchpadInvalid", since: 1 }] },
    EnumerationSchema { name: "FieldName", bytes: 2, later: &[] },
    EnumerationSchema { name: "TensorRole", bytes: 1, later: &[] },
    EnumerationSchema { name: "RelocationCheck", bytes: 1, later: &[] },
];

pub(crate) static STRUCTS: &[StructSchema] = &[
    StructSchema { name: "ContentHash", bytes: 32, enumerations: &[] },
    StructSchema { name: "Grid", bytes: 8, enumerations: &[] },
    StructSchema { name: "CoreRange", bytes: 16, enumerations: &[] },
    StructSchema { name: "ArgumentRelocation", bytes: 16, enumerations: &[(17, 12)] },
    StructSchema { name: "Shape2D", bytes: 8, enumerations: &[] },
    StructSchema { name: "BufferRegion", bytes: 16, enumerations: &[] },
    StructSchema { name: "Tile", bytes: 2, enumerations: &[] },
    StructSchema { name: "LogicalCore", bytes: 8, enumerations: &[] },
    StructSchema { name: "BlobAlignment", bytes: 16, enumerations: &[] },
];
