//! TT-Metalium's numbers for the enums of a capture.

use hallmark_schema::model::{
    BufferLayout, BufferType, CoreRange, DataFormat, MathFidelity, OptLevel, UnpackToDestMode,
};

use super::Trouble;
use crate::interface::Range;

/// Ranges of cores, ends included.
pub(super) fn ranges(cores: &[CoreRange]) -> Vec<Range> {
    cores
        .iter()
        .map(|range| Range {
            start_x: range.start.x,
            start_y: range.start.y,
            end_x: range.end.x,
            end_y: range.end.y,
        })
        .collect()
}

/// Upstream's `TensorMemoryLayout`.
pub const fn layout(layout: BufferLayout) -> u32 {
    match layout {
        BufferLayout::Interleaved => 0,
        BufferLayout::HeightSharded => 2,
        BufferLayout::WidthSharded => 3,
        BufferLayout::BlockSharded => 4,
    }
}

/// Upstream's `tt::DataFormat`.
pub const fn data_format(format: DataFormat) -> u32 {
    match format {
        DataFormat::Float32 => 0,
        DataFormat::Float16 => 1,
        DataFormat::Bfp8 => 2,
        DataFormat::Bfp4 => 3,
        DataFormat::Tf32 => 4,
        DataFormat::Float16B => 5,
        DataFormat::Bfp8B => 6,
        DataFormat::Bfp4B => 7,
        DataFormat::Int32 => 8,
        DataFormat::UInt16 => 9,
        DataFormat::Lf8 => 10,
        DataFormat::Bfp2 => 11,
        DataFormat::Int16 => 13,
        DataFormat::Int8 => 14,
        DataFormat::Bfp2B => 15,
        DataFormat::MxFp4 => 22,
        DataFormat::UInt32 => 24,
        DataFormat::Fp8E4M3 => 26,
        DataFormat::UInt8 => 30,
        DataFormat::RawUInt8 => 240,
        DataFormat::RawUInt16 => 241,
        DataFormat::RawUInt32 => 242,
    }
}

/// Upstream's `KernelBuildOptLevel`.
pub const fn opt_level(level: OptLevel) -> i32 {
    match level {
        OptLevel::O1 => 0,
        OptLevel::O2 => 1,
        OptLevel::O3 => 2,
        OptLevel::O0 => 3,
        OptLevel::Os => 4,
        OptLevel::Ofast => 5,
        OptLevel::Oz => 6,
    }
}

/// Upstream's `UnpackToDestMode`; 0 is the default.
pub const fn unpack_to_dest_mode(mode: UnpackToDestMode) -> u8 {
    match mode {
        UnpackToDestMode::UnpackToDestFp32 => 1,
    }
}

/// Upstream's `BufferType` of host memory, which captures do not have.
pub const SYSTEM_MEMORY_BUFFER: u32 = 2;

/// Upstream's `BufferType` of traces, which are not buffers of a program.
pub const TRACE_BUFFER: u32 = 4;

/// Upstream's `BufferType`.
pub const fn buffer_type(buffer_type: BufferType) -> u32 {
    match buffer_type {
        BufferType::Dram => 0,
        BufferType::L1 => 1,
        BufferType::L1Small => 3,
    }
}

/// Upstream's `MathFidelity`.
pub const fn math_fidelity(fidelity: MathFidelity) -> u32 {
    match fidelity {
        MathFidelity::LoFi => 0,
        MathFidelity::HiFi2 => 2,
        MathFidelity::HiFi3 => 3,
        MathFidelity::HiFi4 => 4,
    }
}

/// Converts to upstream's 32-bit sizes and addresses.
pub(super) fn narrow(value: u64) -> Result<u32, Trouble> {
    u32::try_from(value)
        .map_err(|_| Trouble::Exception(format!("{value} does not fit into 32 bits")))
}
