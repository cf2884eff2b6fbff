//! Deviations beyond a tolerance, as text.

use hallmark_schema::model::{DataType, Tolerance};
use hallmark_schema::plural::{counted, grouped};
use hallmark_schema::{ElementError, Outside};

use super::mismatch::differing_pages;
use super::place::ReadPlace;

/// `out` is not near what the suite computes in 3 of 1024 elements, first at element 17 (page 0, byte 68).
pub(super) fn headline(
    output: &str,
    against: &str,
    tolerance: &Tolerance,
    outside: &Outside,
    expected: &[u8],
    read: Option<&ReadPlace>,
) -> String {
    let size = tolerance.data_type.size();
    let first = outside.first.element;
    let byte = first.saturating_mul(u64::try_from(size).unwrap_or(1));
    let place = read.map_or_else(String::new, |read| {
        format!(" (page {}, byte {})", byte / read.page_size, byte % read.page_size)
    });
    let elements = expected.len().checked_div(size).unwrap_or_default();
    format!(
        "Mismatch: `{output}` is not near {against} in {} of {}, first at element {first}{place}",
        grouped(outside.elements),
        counted(elements, "element", "elements"),
    )
}

/// The first and the worst element, the tolerance, the drawn pages, and the place of the first differing page.
pub(super) fn lines(
    tolerance: &Tolerance,
    outside: &Outside,
    expected: &[u8],
    actual: &[u8],
    read: Option<&ReadPlace>,
) -> Vec<String> {
    let mut lines = limit_lines(tolerance, outside);
    let far = |one: &[u8], other: &[u8]| tolerance.outside(one, other).is_some();
    lines.extend(differing_pages(expected, actual, read, far));
    lines
}

/// The first and the worst element, and the tolerance.
pub(super) fn limit_lines(tolerance: &Tolerance, outside: &Outside) -> Vec<String> {
    let data_type = tolerance.data_type;
    let mut lines = vec![format!("first     {}", element(&outside.first, data_type))];
    if outside.worst.element != outside.first.element {
        lines.push(format!("worst     {}", element(&outside.worst, data_type)));
    }
    if let Some(correlation) = outside.correlation {
        lines.push(format!("correlation {correlation:.6}"));
    }
    lines.push(format!("allowed   {}: {}", tolerance.limits(), tolerance.reason));
    lines
}

/// `element 17: expected 1.25 (3fa00000), actual 1.5 (3fc00000), off by 0.25, 2 097 152 units in the
/// last place`.
fn element(error: &ElementError, data_type: DataType) -> String {
    let number = |bits: u32| {
        let digits = data_type.size().saturating_mul(2);
        format!("{} ({bits:0digits$x})", data_type.number(bits))
    };
    let mut text = format!(
        "element {}: expected {}, actual {}",
        error.element,
        number(error.expected),
        number(error.actual)
    );
    if let Some(units) = error.units(data_type) {
        text.push_str(&format!(", off by {}", error.difference(data_type)));
        if data_type.is_float() {
            let units = counted(units, "unit", "units");
            text.push_str(&format!(", {units} in the last place"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::Real;

    use super::*;

    #[test]
    fn the_first_and_the_worst_are_told() {
        let tolerance = Tolerance {
            data_type: DataType::Float32,
            ulp: 2,
            reason: "the order of the sum is open".to_owned(),
            absolute: Real::new(0.001).unwrap(),
            relative: Real::ZERO,
            pcc: Real::ZERO,
        };
        let bytes = |values: [f32; 4]| values.map(f32::to_le_bytes).concat();
        let expected = bytes([1.0, 1.25, 3.0, 0.0]);
        let told = |actual: [f32; 4]| {
            let actual = bytes(actual);
            let outside = tolerance.outside(&expected, &actual).unwrap();
            let mut text = headline("out", "`sum`", &tolerance, &outside, &expected, None);
            for line in lines(&tolerance, &outside, &expected, &actual, None) {
                text.push_str(&format!("\n  {line}"));
            }
            text
        };
        insta::assert_snapshot!(told([1.0, 1.5, 4.0, 0.0005]), @r"
        Mismatch: `out` is not near `sum` in 2 of 4 elements, first at element 1
          first     element 1: expected 1.25 (3fa00000), actual 1.5 (3fc00000), off by 0.25, 2 097 152 units in the last place
          worst     element 2: expected 3 (40400000), actual 4 (40800000), off by 1, 4 194 304 units in the last place
          allowed   2 units in the last place or 0.001: the order of the sum is open
        ");
        insta::assert_snapshot!(told([1.0, 1.25, f32::NAN, 0.0]), @r"
        Mismatch: `out` is not near `sum` in 1 of 4 elements, first at element 2
          first     element 2: expected 3 (40400000), actual NaN (7fc00000)
          allowed   2 units in the last place or 0.001: the order of the sum is open
        ");
    }
}
