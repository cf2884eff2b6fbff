//! Values that a case names, and what expectations make of them.

use super::{bound, mistakes};

/// A case that writes twice and reads each time, with values and expectations.
fn twice(values: &str, expect: &str) -> String {
    format!(
        "about: A test.
cases:
  one:
    about: One.
    matrix: {{ factor: [3] }}
    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ sequence: uint32, start: 1, step: 1 }}, as: first }}
      - enqueue_read_buffer: {{ buffer: a, as: before }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ sequence: uint32, start: 100, step: 2 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: after }}
      - finish: {{}}
    values:
{values}    expect:
{expect}"
    )
}

const VALUES: &str = "      tripled: { map: uint32, of: [a], value: factor * a }
      of_both: { map: uint32, of: [tripled, first], value: tripled + first }
";
const EXPECT: &str = "      - equal: [before, of_both]
      - equal: [after, { map: uint32, of: [tripled, of_both], value: tripled + of_both }]
";

#[test]
fn a_value_means_in_each_expectation_what_it_would_mean_there() {
    let test = bound(&twice(VALUES, EXPECT), "wormhole_b0::group::suite::one::factor=3");
    let words = |output: usize| {
        let bytes = test.outputs[output].bytes.as_ref().unwrap().to_vec();
        let words = bytes.chunks_exact(4);
        words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>()
    };
    let of_both = |a: u32, first: u32| 3 * a + first;
    let first: Vec<u32> = (1..17).collect();
    let second: Vec<u32> = (0..16).map(|index| 100 + 2 * index).collect();
    let before: Vec<u32> = first.iter().map(|&word| of_both(word, word)).collect();
    let after = second.iter().zip(&first).map(|(&a, &first)| 3 * a + of_both(a, first));
    assert_eq!(words(0), before);
    assert_eq!(words(1), after.collect::<Vec<_>>());
}

/// Data without a length have that of the output.
#[test]
fn a_value_has_the_length_of_the_output_that_it_is_expected_of() {
    let values = "      ones: { constant: uint32, value: 1 }\n";
    let expect = "      - equal: [before, ones]\n      - equal: [after, { slice: ones, offset: 0, length: 32 }]\n";
    let said = mistakes(&twice(values, expect));
    assert!(said.contains("`after` has 64 B, but the value that it must equal has 32 B"), "{said}");
    let expect = expect.replace("{ slice: ones, offset: 0, length: 32 }", "ones");
    let test = bound(&twice(values, &expect), "wormhole_b0::group::suite::one::factor=3");
    let lengths: Vec<usize> =
        test.outputs.iter().map(|output| output.bytes.as_ref().unwrap().len()).collect();
    assert_eq!(lengths, [64, 64]);
}

/// Each value of the chain names the one above it twice. If results were not kept, this would take 2^40 steps.
#[test]
fn a_value_is_computed_once() {
    let mut values = "      v0: { map: uint32, of: [a], value: a }\n".to_owned();
    for place in 1..40 {
        let above = place - 1;
        values.push_str(&format!(
            "      v{place}: {{ map: uint32, with: {{ x: v{above}, y: v{above} }}, value: x + y % 2 }}\n"
        ));
    }
    let expect = "      - equal: [before, v39]\n      - equal: [after, v39]\n";
    assert_eq!(mistakes(&twice(&values, expect)), "no mistake");
    bound(&twice(&values, expect), "wormhole_b0::group::suite::one::factor=3");
}

/// At the limit, and one past it.
#[test]
fn a_chain_of_values_has_an_end() {
    let chain = |length: usize| {
        let mut values = "      v0: { slice: a, offset: 0, length: 64 }\n".to_owned();
        for place in 1..length {
            let above = place - 1;
            values.push_str(&format!(
                "      v{place}: {{ slice: v{above}, offset: 0, length: 64 }}\n"
            ));
        }
        let last = length - 1;
        mistakes(&twice(
            &values,
            &format!("      - equal: [before, v{last}]\n      - equal: [after, v{last}]\n"),
        ))
    };
    assert_eq!(chain(64), "no mistake");
    for length in [65, 5000] {
        let said = chain(length);
        assert!(said.contains("values name each other more than 64 deep"), "{said}");
    }
}

#[test]
fn mistakes_in_values_have_their_place() {
    let texts: Vec<String> = [
        // Itself, and a value below.
        twice(&VALUES.replacen("of: [a]", "of: [tripled]", 1), EXPECT),
        twice(&VALUES.replacen("of: [a]", "of: [of_both]", 1), EXPECT),
        // A typo in a name, in an expectation and in a value.
        twice(VALUES, &EXPECT.replacen("[before, of_both]", "[before, of_bth]", 1)),
        twice(&VALUES.replacen("[tripled, first]", "[tripld, first]", 1), EXPECT),
        // Names that mean something else already.
        twice(&VALUES.replace("tripled", "factor"), &EXPECT.replace("tripled", "factor")),
        twice(&VALUES.replace("tripled", "first"), &EXPECT.replace("tripled", "first")),
        twice(&VALUES.replace("of_both", "after"), &EXPECT.replace("of_both", "after")),
        twice(&format!("{VALUES}      a: {{ constant: uint32, value: 1, length: 64 }}\n"), EXPECT),
        // No expectation names it.
        twice(&format!("{VALUES}      spare: {{ map: uint32, of: [a], value: a }}\n"), EXPECT),
        // Steps write data of their own.
        twice(VALUES, EXPECT).replacen("{ sequence: uint32, start: 1, step: 1 }", "tripled", 1),
    ]
    .iter()
    .map(|text| mistakes(text))
    .collect();
    insta::assert_snapshot!(texts.join("\n────\n"));
}
