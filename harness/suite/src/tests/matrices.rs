//! Values of whole matrices.

use super::{bound, case, mistakes};

/// A case with two matrices of whole numbers, `a` with rows `1 2 3` and `4 5 6` and `b` with rows `10 20`, `-30 40` and
/// `50 -60`, and an output of so many bytes.
fn with_matrices(output: u32, expect: &str) -> String {
    case(&format!(
        "      - create_buffer: {{ id: a, type: dram, size: 24, page_size: 24 }}
      - create_buffer: {{ id: b, type: dram, size: 24, page_size: 24 }}
      - create_buffer: {{ id: c, type: dram, size: {output}, page_size: {output} }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ sequence: int32, start: 1 }} }}
      - enqueue_write_buffer: {{ buffer: b, data: {{ words: [10, 20, -30, 40, 50, -60] }} }}
      - enqueue_read_buffer: {{ buffer: c, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, {expect}]
"
    ))
}

/// The bytes of the value of an expression over both matrices, as words.
fn words(output: u32, expect: &str) -> Vec<u32> {
    let bound = bound(&with_matrices(output, expect), "wormhole_b0::group::suite::one");
    let bytes = bound.outputs[0].bytes.as_ref().unwrap();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn integers(output: u32, expression: &str) -> Vec<i32> {
    let value = format!(
        "{{ matrix: {expression}, of: {{ a: [2, 3], b: [3, 2] }}, dtype: int32, layout: row_major }}"
    );
    words(output, &value).into_iter().map(u32::cast_signed).collect()
}

#[test]
fn operators_and_functions_of_matrices() {
    assert_eq!(integers(16, "a @ b"), [100, -80, 190, -80]);
    assert_eq!(integers(36, "b @ a"), [90, 120, 150, 130, 140, 150, -190, -200, -210]);
    assert_eq!(integers(24, "a + transpose(b)"), [11, -28, 53, 24, 45, -54]);
    assert_eq!(integers(24, "a * row_sum(a) - 1"), [5, 11, 17, 59, 74, 89]);
    assert_eq!(integers(24, "a - column_max(transpose(b))"), [-19, -38, -47, -16, -35, -44]);
    assert_eq!(integers(8, "row_min(transpose(b))"), [-30, -60]);
    assert_eq!(integers(8, "row_max(a) + row_first(a)"), [4, 10]);
    assert_eq!(integers(12, "column_first(a) - column_min(-a)"), [5, 7, 9]);
    assert_eq!(integers(4, "row_sum(column_sum(b))"), [30]);
    // A product binds as tightly as that of numbers, `bits` tighter. Rows `1 2 3` and `4 4 6` times rows `8 16`, `-16 32`
    // and `32 -32`.
    assert_eq!(integers(16, "1 + a bits 2 @ b bits 1"), [73, -15, 161, 1]);
    assert_eq!(integers(24, "round(sqrt(a power 3))"), [1, 3, 5, 8, 11, 15]);
}

#[test]
fn elements_are_rounded_once_and_integers_saturate() {
    assert_eq!(integers(24, "a * 0.5"), [0, 1, 2, 2, 2, 3]);
    assert_eq!(
        integers(24, "a * 2.0e9 - 4.0e9"),
        [-2_000_000_000, 0, 2_000_000_000, i32::MAX, i32::MAX, i32::MAX]
    );
    // 1 + 2^-24 lies between two floats, and 2^-50 decides.
    let rounded = words(
        4,
        "{ matrix: x + 1.0 / 16777216 + 2 power -50, of: { x: { data: { constant: float32, value: 1, length: 4 }, shape: [1, 1] } }, dtype: float32, layout: row_major }",
    );
    assert_eq!(rounded, [0x3f80_0001]);
}

#[test]
fn several_matrices_are_computed_one_by_one_and_one_serves_all() {
    let value = "{ matrix: m @ transpose(v), of: { m: { data: a, shape: [3, 1, 2] }, v: { data: { slice: b, offset: 4, length: 8 }, shape: [2] } }, dtype: int32, layout: row_major }";
    // (1 2), (3 4) and (5 6) times (20 -30).
    assert_eq!(
        words(12, value).into_iter().map(u32::cast_signed).collect::<Vec<_>>(),
        [-40, -60, -80]
    );
}

#[test]
fn tiles_and_types_of_operands_and_result() {
    // 16 rows and 32 columns in one tile of two faces; row 2, column 17 becomes row 17, column 2 of a tile with four.
    let value = "{ matrix: transpose(x) * 2, of: { x: { data: { sequence: uint16, start: 0, length: 1024 }, shape: [16, 32], dtype: uint16, tile: [16, 32] } }, dtype: float32, tile: [32, 16] }";
    let result = words(2048, value);
    assert_eq!(result.len(), 512);
    let element = 256 + 2 * 16 + 1;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let expected = (2 * element) as f32;
    assert_eq!(result[256 + 16 + 2], expected.to_bits());

    // A block has the exponent of its largest element: 256, so that 3 / 4 becomes 0.
    let value = "{ matrix: x, of: { x: { data: { matrix: column * 0 + 0.75 + 255.25 * big, of: { column: [2, 3], big: { data: { words: [1] }, shape: [1, 1] } }, dtype: bfp8_b }, shape: [2, 3], dtype: bfp8_b, layout: tile } }, dtype: float32, layout: row_major }";
    let value = value.replace(
        "column: [2, 3]",
        "column: { data: a, shape: [2, 3], dtype: int32, layout: row_major }",
    );
    let value =
        value.replace("shape: [1, 1] }", "shape: [1, 1], dtype: int32, layout: row_major }");
    assert_eq!(words(24, &value), [256.0_f32.to_bits(); 6]);
}

#[test]
fn mistakes_in_matrices_say_what_does_not_fit() {
    let of_both = |expression: &str| {
        format!(
            "{{ matrix: {expression}, of: {{ a: [2, 3], b: [3, 2] }}, dtype: int32, layout: row_major }}"
        )
    };
    let texts = [
        of_both("a @ a"),
        of_both("a + b"),
        of_both("a @ c"),
        of_both("a and b"),
        of_both("row_sun(a)"),
        "{ matrix: a, of: { a: [2, 4] }, dtype: int32, layout: row_major }".to_owned(),
        "{ matrix: a, of: { a: [2, 3] }, dtype: int33 }".to_owned(),
        "{ matrix: a, of: { a: [2, 3] }, dtype: bfp8_b, layout: row_major }".to_owned(),
        "{ matrix: a, of: { a: { shape: [2, 3], tile: [3, 3] } }, dtype: int32 }".to_owned(),
        "{ matrix: a + grid_rows, of: { grid_rows: { data: a, shape: [2, 3] } }, dtype: int32 }".to_owned(),
        "{ matrix: a + e, of: { a: { shape: [3, 1, 2] }, e: { data: b, shape: [2, 1, 3] } }, dtype: int32, layout: row_major }".to_owned(),
        "{ matrix: x @ transpose(x), of: { x: { data: { constant: uint8, value: 1, length: 100000 }, shape: [100000, 1], dtype: uint8 } }, dtype: int32, layout: row_major }".to_owned(),
        "{ matrix: 1 + 1, of: { x: { data: { constant: uint8, value: 1, length: 67108865 }, shape: [1, 67108865], dtype: uint8 } }, dtype: int32, layout: row_major }".to_owned(),
        "{ matrix: a, of: { a: [0, 3] }, dtype: int32, layout: row_major }".to_owned(),
        "{ map: int32, of: [a], value: abs(a) }".to_owned(),
        "{ map: float32, of: [a], value: row_sum(a) }".to_owned(),
        "{ map: float32, of: [a], value: a @ a }".to_owned(),
    ]
    .map(|value| mistakes(&with_matrices(24, &value)));
    insta::assert_snapshot!(texts.join("\n────\n"));
}

#[test]
fn elements_of_floats_have_functions() {
    let value = "{ map: float32, with: { x: { words: [0x3f800000, 0xc0000000] } }, value: erf(x) + exp(x power 2) bits 3 }";
    // erf(1) + 2.5, for e has the bits 10.10110…, and erf(-2) + 48, for e^4 is 110110.1….
    let expected = [0.842_700_792_949_714_9_f64 + 2.5, -0.995_322_265_018_952_7 + 48.0];
    #[expect(clippy::cast_possible_truncation, reason = "rounded once, as the value is")]
    let expected = expected.map(|element| (element as f32).to_bits());
    assert_eq!(words(8, value), expected);
}
