//! The addresses of profile markers and the meaning of their words, shared by profiled builds of firmware and
//! kernels and the host.
//!
//! This file is the single source of every number: `runtime/firmware/profiler/hallmark/profiler_abi.h` is generated from it,
//! and a test fails when the two differ. A processor's buffer, its markers and their kinds are those of TT-Metalium 0.81
//! (`tt_metal/hw/inc/hostdev/profiler_common.h`); the control words and the first four words of a buffer are Hallmark's own.

use super::bundle::MemoryRange;
use super::c_header_of;

/// Processors of a tile.
pub const PROCESSORS: u32 = 5;
/// Words of a processor's buffer in L1.
pub const BUFFER_WORDS: u32 = 512;
/// The largest number of words in DRAM for a processor's markers of all launches until the host reads them.
pub const DRAM_WORDS: u32 = 16_384;
/// The markers of a launch in DRAM are padded to a multiple of this many words; no chip has a larger alignment.
pub const DRAM_ALIGNMENT_WORDS: u32 = 16;

/// Words in L1 that host and device code share, as word indices. An index with one word per processor is the
/// first of five.
#[derive(Clone, Copy, Debug)]
pub struct ProfilerControl;

impl ProfilerControl {
    /// The number of words in DRAM that the host has not read, per processor; the host resets it to 0.
    pub const IN_DRAM: u32 = 0;
    /// The number of words in L1 that are not in DRAM yet, per processor.
    pub const IN_L1: u32 = 8;
    /// The number of markers of the current launch that did not fit into the buffer, per processor.
    pub const DROPPED: u32 = 16;
    /// The number of the launch on the tile, counted from 1.
    pub const LAUNCHES: u32 = 24;
    /// The address of the tile's markers in DRAM; the host writes it.
    pub const DRAM_ADDRESS: u32 = 28;
    /// The DRAM tile as `x | y << 6` on NoC 0.
    pub const DRAM_TILE: u32 = 29;
    /// Words of the whole control block.
    pub const WORDS: u32 = 64;
}

/// The first words of a processor's buffer.
#[derive(Clone, Copy, Debug)]
pub struct ProfilerHeader;

impl ProfilerHeader {
    /// The launch number on the tile, as in [`ProfilerControl::LAUNCHES`]. Its uppermost bit is 0, which
    /// distinguishes it from a marker.
    pub const LAUNCH: u32 = 0;
    /// The number of markers that did not fit.
    pub const DROPPED: u32 = 1;
    /// The number of filled words of the buffer, including the header.
    pub const WORDS: u32 = 2;
    /// Start and end of the firmware's zone.
    pub const FIRMWARE_ZONE: u32 = 4;
    /// Start and end of the kernel's zone.
    pub const KERNEL_ZONE: u32 = 8;
    /// The kernel's first own marker.
    pub const FIRST_MARKER: u32 = 12;
}

/// The kinds of markers, with TT-Metalium's numbers.
#[derive(Clone, Copy, Debug)]
pub struct MarkerKind;

impl MarkerKind {
    /// The start of a zone.
    pub const ZONE_START: u32 = 0;
    /// The end of a zone.
    pub const ZONE_END: u32 = 1;
    /// The total duration of a zone.
    pub const ZONE_TOTAL: u32 = 2;
    /// A timestamp, followed by two words of data.
    pub const TIMESTAMPED_DATA: u32 = 3;
    /// A timestamp.
    pub const EVENT: u32 = 4;
}

/// The uppermost bit of a marker's first word.
pub const MARKER_VALID: u32 = 1 << 31;
/// The lowest bit of a zone's number in a marker's first word; the kind starts [`KIND_SHIFT`] bits above it.
pub const NUMBER_SHIFT: u32 = 12;
/// Bits of a zone's number.
pub const KIND_SHIFT: u32 = 16;
/// The mask of the uppermost bits of the time in a marker's first word.
pub const TIME_MASK: u32 = (1 << NUMBER_SHIFT) - 1;

/// The ELF section with the names of zones: zero-terminated texts of the form `NAME,FILE,LINE,KERNEL_PROFILER`.
pub const ZONES_SECTION: &str = ".hallmark.zones";

/// Bytes of control and buffers.
pub const SIZE: u32 = (ProfilerControl::WORDS + PROCESSORS * BUFFER_WORDS) * 4;

/// The range of control and buffers in a region that ends at `end`.
pub(super) const fn place_below(end: u32) -> MemoryRange {
    MemoryRange { start: end - SIZE, end }
}

/// The number of a zone, computed from its text as by `Hash16_CT` of TT-Metalium's `kernel_profiler.hpp`: a
/// 32-bit FNV-1a hash whose halves are joined.
pub fn zone_number(text: &[u8]) -> u16 {
    let hash = text.iter().fold(0x811C_9DC5u32, |hash, byte| {
        // Characters are unsigned on RISC-V.
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    (hash ^ hash >> 16) as u16
}

/// The C++ header with the numbers of this file.
pub fn c_header() -> String {
    c_header_of(
        "runtime/device-code/src/profiler_abi.rs",
        &[
            ("kProfilerProcessors", PROCESSORS),
            ("kProfilerBufferWords", BUFFER_WORDS),
            ("kProfilerDramWords", DRAM_WORDS),
            ("kProfilerDramAlignmentWords", DRAM_ALIGNMENT_WORDS),
            ("kProfilerControlWords", ProfilerControl::WORDS),
            ("kProfilerInDram", ProfilerControl::IN_DRAM),
            ("kProfilerInL1", ProfilerControl::IN_L1),
            ("kProfilerDropped", ProfilerControl::DROPPED),
            ("kProfilerLaunches", ProfilerControl::LAUNCHES),
            ("kProfilerDramAddress", ProfilerControl::DRAM_ADDRESS),
            ("kProfilerDramTile", ProfilerControl::DRAM_TILE),
            ("kProfilerHeaderLaunch", ProfilerHeader::LAUNCH),
            ("kProfilerHeaderDropped", ProfilerHeader::DROPPED),
            ("kProfilerHeaderWords", ProfilerHeader::WORDS),
            ("kProfilerFirmwareZone", ProfilerHeader::FIRMWARE_ZONE),
            ("kProfilerKernelZone", ProfilerHeader::KERNEL_ZONE),
            ("kProfilerFirstMarker", ProfilerHeader::FIRST_MARKER),
            ("kMarkerZoneStart", MarkerKind::ZONE_START),
            ("kMarkerZoneEnd", MarkerKind::ZONE_END),
            ("kMarkerZoneTotal", MarkerKind::ZONE_TOTAL),
            ("kMarkerTimestampedData", MarkerKind::TIMESTAMPED_DATA),
            ("kMarkerEvent", MarkerKind::EVENT),
            ("kMarkerValid", MARKER_VALID),
            ("kMarkerNumberShift", NUMBER_SHIFT),
            ("kMarkerKindShift", KIND_SHIFT),
            ("kMarkerTimeMask", TIME_MASK),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_header_is_the_generated_one() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../firmware/profiler/hallmark/profiler_abi.h");
        let committed = std::fs::read_to_string(path).unwrap();
        assert_eq!(committed, c_header(), "run scripts/device-code");
    }

    /// FNV-1a's published 32-bit values (draft-eastlake-fnv, "Test Vectors"): "" 811c9dc5, "a" e40c292c, "foobar" bf9cf968.
    #[test]
    fn a_zone_s_number_is_the_folded_hash_of_its_text() {
        assert_eq!(zone_number(b""), 0x811C ^ 0x9DC5);
        assert_eq!(zone_number(b"a"), 0xE40C ^ 0x292C);
        assert_eq!(zone_number(b"foobar"), 0xBF9C ^ 0xF968);
    }
}
