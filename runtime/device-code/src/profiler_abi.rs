//! Where the markers of a profile lie, and what their words mean: what profiled builds of firmware and kernels share with
//! the host.
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
/// Words that a processor's markers of all launches may take in DRAM until the host reads them.
pub const DRAM_WORDS: u32 = 16_384;
/// What a launch leaves in DRAM is a multiple of so many words, for no chip aligns more coarsely.
pub const DRAM_ALIGNMENT_WORDS: u32 = 16;

/// Words in L1 by which host and device code meet, each as its place; five follow where there is one for each processor.
#[derive(Clone, Copy, Debug)]
pub struct ProfilerControl;

impl ProfilerControl {
    /// Words of each processor in DRAM that the host has not read; the host writes 0 when it has.
    pub const IN_DRAM: u32 = 0;
    /// Words of each processor in L1 that are not in DRAM.
    pub const IN_L1: u32 = 8;
    /// Markers of each processor for which its buffer had no room, in the launch that runs.
    pub const DROPPED: u32 = 16;
    /// Launches on the tile, counted from 1.
    pub const LAUNCHES: u32 = 24;
    /// Where the tile's markers go in DRAM; the host writes it.
    pub const DRAM_ADDRESS: u32 = 28;
    /// The tile of that DRAM as `x | y << 6` on NoC 0.
    pub const DRAM_TILE: u32 = 29;
    /// Words of all control.
    pub const WORDS: u32 = 64;
}

/// The first words of a processor's buffer.
#[derive(Clone, Copy, Debug)]
pub struct ProfilerHeader;

impl ProfilerHeader {
    /// Which launch on the tile, as [`ProfilerControl::LAUNCHES`] counts. Its uppermost bit is 0, which tells it from a
    /// marker.
    pub const LAUNCH: u32 = 0;
    /// Markers that found no room.
    pub const DROPPED: u32 = 1;
    /// Words of the buffer that are filled, these included.
    pub const WORDS: u32 = 2;
    /// Start and end of the firmware's zone.
    pub const FIRMWARE_ZONE: u32 = 4;
    /// Start and end of the kernel's zone.
    pub const KERNEL_ZONE: u32 = 8;
    /// The first marker of the kernel's own.
    pub const FIRST_MARKER: u32 = 12;
}

/// The kinds of markers, as TT-Metalium counts them.
#[derive(Clone, Copy, Debug)]
pub struct MarkerKind;

impl MarkerKind {
    /// A zone begins.
    pub const ZONE_START: u32 = 0;
    /// A zone ends.
    pub const ZONE_END: u32 = 1;
    /// How long a zone lasted, in all.
    pub const ZONE_TOTAL: u32 = 2;
    /// A moment, and two words of data that follow it.
    pub const TIMESTAMPED_DATA: u32 = 3;
    /// A moment.
    pub const EVENT: u32 = 4;
}

/// The uppermost bit of a marker's first word.
pub const MARKER_VALID: u32 = 1 << 31;
/// Where the number of a zone stands in a marker's first word; its kind is [`KIND_SHIFT`] bits further.
pub const NUMBER_SHIFT: u32 = 12;
/// Bits of a zone's number.
pub const KIND_SHIFT: u32 = 16;
/// The uppermost bits of the time, in a marker's first word.
pub const TIME_MASK: u32 = (1 << NUMBER_SHIFT) - 1;

/// The section of an ELF that names its zones: texts that end with a zero, `NAME,FILE,LINE,KERNEL_PROFILER`.
pub const ZONES_SECTION: &str = ".hallmark.zones";

/// Bytes of control and buffers.
pub const SIZE: u32 = (ProfilerControl::WORDS + PROCESSORS * BUFFER_WORDS) * 4;

/// Where control and buffers lie in the region that ends there.
pub(super) const fn place_below(end: u32) -> MemoryRange {
    MemoryRange { start: end - SIZE, end }
}

/// The number of a zone by its text, as `Hash16_CT` of TT-Metalium's `kernel_profiler.hpp` has it: FNV-1a of 32 bits, its
/// halves joined.
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
