//! Reads that a replay returned with other bytes, within the tolerance of their expectation, in words.

use hallmark_schema::ElementError;
use hallmark_schema::model::{Capture, CommandIndex, Expectation, Tolerance};
use hallmark_schema::plural::{counted, grouped};
use hallmark_suite::read::Choice as _;

/// ``command 16, read of `out`: other bytes, within tolerance: 45 of 4096 elements …``.
pub(super) fn near_read(
    capture: &Capture,
    again: &Capture,
    command: CommandIndex,
    output: &str,
) -> String {
    let details = details(capture, again, command).unwrap_or_default();
    format!("command {command}, read of `{output}`: other bytes, within tolerance{details}")
}

/// The number of elements that differ from the reference, their distances, and the limits; `None` if bytes are missing.
fn details(capture: &Capture, again: &Capture, command: CommandIndex) -> Option<String> {
    let Expectation::Reference { data, tolerance } = &capture.read_call(command)?.expectation
    else {
        return None;
    };
    let hash = again.read_result(command)?.hash;
    let reference = data.bytes(&capture.blobs).ok()?;
    Some(distance(tolerance, &reference, &again.returned_bytes(hash)?))
}

/// The elements that differ, the largest distances, the correlation, and the limits.
fn distance(tolerance: &Tolerance, reference: &[u8], bytes: &[u8]) -> String {
    let data_type = tolerance.data_type;
    let pairs = data_type.elements(reference).zip(data_type.elements(bytes));
    let (mut differing, mut units, mut difference) = (0_usize, 0_u64, 0.0_f64);
    for (element, (expected, actual)) in (0..).zip(pairs) {
        if expected == actual {
            continue;
        }
        let error = ElementError { element, expected, actual };
        differing = differing.saturating_add(1);
        units = units.max(error.units(data_type).unwrap_or_default());
        difference = difference.max(error.difference(data_type));
    }
    let elements = reference.len().checked_div(data_type.size()).unwrap_or_default();
    let units = if data_type.is_float() {
        format!("{} in the last place and ", counted(units, "unit", "units"))
    } else {
        String::new()
    };
    format!(
        ": {} of {} differ from the reference, by {units}{difference} at most, correlation {:.6}; allowed for {}: {}",
        grouped(differing),
        counted(elements, "element", "elements"),
        tolerance.correlation(reference, bytes),
        data_type.name(),
        tolerance.limits(),
    )
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{DataType, Real};

    use super::*;

    #[test]
    fn the_largest_distances_are_told() {
        let tolerance = Tolerance {
            data_type: DataType::Float32,
            ulp: 2,
            reason: "a test".to_owned(),
            absolute: Real::ZERO,
            relative: Real::ZERO,
            pcc: Real::ZERO,
        };
        let bytes = |bits: [u32; 4]| bits.map(u32::to_le_bytes).concat();
        // The largest distance stands neither first nor last, in units or as a number.
        let reference = bytes([0x3F80_0000, 0x4000_0000, 0x4080_0000, 0x3F00_0000]);
        let actual = bytes([0x3F80_0002, 0x4000_0000, 0x4080_0001, 0x3F00_0001]);
        insta::assert_snapshot!(
            distance(&tolerance, &reference, &actual),
            @": 3 of 4 elements differ from the reference, by 2 units in the last place and 0.000000476837158203125 at most, correlation 1.000000; allowed for float32: 2 units in the last place"
        );
    }
}
