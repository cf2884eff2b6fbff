//! What of a capture TT-Metalium has other numbers for.

use hallmark_schema::model::{BufferLayout, CoreRange, DataFormat, MathFidelity};

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
        DataFormat::Float16B => 5,
        DataFormat::Int32 => 8,
        DataFormat::UInt16 => 9,
        DataFormat::UInt32 => 24,
        DataFormat::UInt8 => 30,
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

/// Sizes and addresses are 32-bit numbers upstream.
pub(super) fn narrow(value: u64) -> Result<u32, Trouble> {
    u32::try_from(value)
        .map_err(|_| Trouble::Exception(format!("{value} does not fit into 32 bits")))
}
