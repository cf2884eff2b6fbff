//! Each check of a trace's bytes and of what they name has a test that fails while the check is switched off.

use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};
use hallmark_runtime::{LoadTraceError, TraceBytesError, UnplacedSymbol};
use hallmark_schema::model::{BufferType, ContentHash};

use super::{buffers, collect, forged, load, open};
use crate::common::buffer;

const LIARS: &[Liar] = &[
    liar("LoadTraceError::Chip", "another_chip_firmware_or_version_is_refused_with_the_reason"),
    liar("LoadTraceError::Cores", "a_trace_goes_to_chips_whose_cores_stand_elsewhere"),
    liar("LoadTraceError::PlacementBound", "a_trace_goes_to_chips_whose_cores_stand_elsewhere"),
    liar("LoadTraceError::Firmware", "another_chip_firmware_or_version_is_refused_with_the_reason"),
    liar(
        "LoadTraceError::Unplaced",
        "buffers_may_be_named_otherwise_and_what_cannot_be_placed_is_told",
    ),
    liar(
        "LoadTraceError::Capturing",
        "a_capture_holds_what_was_collected_in_it_and_refuses_what_was_not",
    ),
    liar(
        "UnplacedReason::OtherShape",
        "buffers_may_be_named_otherwise_and_what_cannot_be_placed_is_told",
    ),
    liar("UnplacedReason::TooManySemaphores", "liars::a_core_has_16_semaphores"),
    liar("UnplacedReason::NoElf", "liars::a_trace_holds_its_elfs"),
    liar("UnplacedReason::CircularBuffersClash", "liars::circular_buffers_need_room"),
    liar("TraceBytesError::Damaged", "every_flipped_bit_is_refused"),
    liar("TraceBytesError::Version", "another_chip_firmware_or_version_is_refused_with_the_reason"),
    liar("TraceBytesError::TooLong", "liars::a_header_is_at_most_so_long"),
];

#[test]
fn every_check_has_a_liar() {
    let checks = [LoadTraceError::CHECKS, UnplacedSymbol::CHECKS, TraceBytesError::CHECKS].concat();
    let checks: Vec<String> = checks.into_iter().map(str::to_owned).collect();
    assert_eq!(unmatched(&checks, LIARS), Vec::<String>::new());
}

#[cfg(feature = "sabotage")]
#[test]
fn a_test_fails_without_its_check() {
    use hallmark_chip::sabotage::liars::{fails_without, idle};
    assert_eq!(idle(LIARS, fails_without).unwrap(), Vec::new(), "their tests pass without");
}

/// The symbol that a device with the trace's buffers cannot place after a change of the header.
fn unplaced(bytes: &[u8], from: &str, to: &str) -> String {
    let mut device = open(4096);
    buffers(&mut device, 0);
    match load(&mut device, &forged(bytes, from, to)) {
        Err(LoadTraceError::Unplaced { symbols }) => symbols[0].to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_core_has_16_semaphores() {
    let (_, _, bytes) = collect(0);
    let (first, last, past) = (r#"{"semaphore":0}"#, r#"{"semaphore":15}"#, r#"{"semaphore":16}"#);
    let mut device = open(4096);
    buffers(&mut device, 0);
    load(&mut device, &forged(&bytes, first, last)).unwrap();
    let text = unplaced(&bytes, first, past);
    assert!(text.contains("a core has 16 semaphores"), "{text}");
}

#[test]
fn a_trace_holds_its_elfs() {
    let (_, _, bytes) = collect(0);
    let key = r#"{"text":""#;
    let at = bytes.windows(key.len()).position(|window| window == key.as_bytes()).unwrap();
    let symbol = std::str::from_utf8(&bytes[at..at + key.len() + 64]).unwrap();
    let text = unplaced(&bytes, symbol, &format!("{key}{}", "0".repeat(64)));
    assert!(text.contains("does not hold its ELF"), "{text}");
}

#[test]
fn circular_buffers_need_room() {
    let (_, _, bytes) = collect(0);
    let mut device = open(4096);
    buffers(&mut device, 0);
    // Fills the free part of every bank up to less than 64 B.
    let (mut fits, mut too_large) = (0, device.description().l1_size / 64);
    while too_large - fits > 1 {
        let size = (fits + too_large) / 2;
        match device.create_buffer(&buffer("all", BufferType::L1, size * 64, size * 64)) {
            Ok(made) => {
                device.deallocate_buffer(made).unwrap();
                fits = size;
            }
            Err(_) => too_large = size,
        }
    }
    let all = device.create_buffer(&buffer("all", BufferType::L1, fits * 64, fits * 64)).unwrap();
    let Err(LoadTraceError::Unplaced { symbols }) = load(&mut device, &bytes) else { panic!() };
    let text = symbols[0].to_string();
    assert!(text.contains("on core (2,1) the circular buffers end at"), "{text}");
    device.deallocate_buffer(all).unwrap();
    load(&mut device, &bytes).unwrap();
}

#[test]
fn a_header_is_at_most_so_long() {
    const MOST: usize = 64 << 20;
    let (_, _, bytes) = collect(0);
    // The length field alone decides: the header itself is shorter.
    let with_header = |length: usize| {
        let mut made = bytes[..8].to_vec();
        made.extend((length as u64).to_le_bytes());
        made.extend(&bytes[16..bytes.len() - 32]);
        made.extend(ContentHash::of(&made).0);
        match load(&mut open(4096), &made) {
            Err(LoadTraceError::Bytes(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let at = with_header(MOST);
    assert!(matches!(at, TraceBytesError::Malformed { .. }), "{at}");
    let past = with_header(MOST + 1);
    assert!(matches!(past, TraceBytesError::TooLong { .. }), "{past}");
}
