//! Numbers with the right form of their noun, and sizes with units, for people.

/// `1 entry`, `2 entries`, `12 345 entries`.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = saturated(number);
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A number with a thin space between groups of three digits, if it has more than four.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = saturated(number).to_string();
    if digits.len() <= 4 {
        return digits;
    }
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// `512 B`, `14 KiB`, `1.5 MiB`: exact except that the tenth is rounded down.
pub fn bytes(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1024 => return format!("{bytes} B"),
        1024..0x10_0000 => (1 << 10, "KiB"),
        0x10_0000..0x4000_0000 => (1 << 20, "MiB"),
        _ => (1_u64 << 30, "GiB"),
    };
    let whole = grouped(bytes / unit);
    match u128::from(bytes % unit) * 10 / u128::from(unit) {
        0 => format!("{whole} {name}"),
        tenth => format!("{whole}.{tenth} {name}"),
    }
}

/// The first lines, and the number of the others: `and 12 more reads`.
pub fn first_lines(mut lines: Vec<String>, shown: usize, one: &str, many: &str) -> Vec<String> {
    let left_out = lines.len().saturating_sub(shown);
    lines.truncate(shown);
    if left_out > 0 {
        lines.push(format!("and {}", counted(left_out, one, many)));
    }
    lines
}

/// Converts a count of any unsigned type; a count beyond 64 bits saturates.
fn saturated(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_right_word() {
        let cases = [
            (0, "0 entries"),
            (1, "1 entry"),
            (2, "2 entries"),
            (1234, "1234 entries"),
            (12_345, "12 345 entries"),
            (123_456, "123 456 entries"),
            (1_234_567, "1 234 567 entries"),
        ];
        for (number, text) in cases {
            assert_eq!(counted(number, "entry", "entries"), text);
        }
    }

    #[test]
    fn lines_beyond_the_shown_ones_are_counted() {
        let lines = |count| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
        let first = |count| first_lines(lines(count), 3, "more read", "more reads");
        assert_eq!(first(0), lines(0));
        assert_eq!(first(3), lines(3));
        assert_eq!(first(4), ["0", "1", "2", "and 1 more read"]);
        let more = format!("and {}", counted(12_345_u32, "more read", "more reads"));
        assert_eq!(first(12_348), ["0", "1", "2", &more]);
    }

    #[test]
    fn numbers_may_be_of_any_unsigned_type() {
        let words = [grouped(70_000_u32), grouped(70_000_u64), grouped(70_000_usize)];
        assert_eq!(words, ["70 000", "70 000", "70 000"]);
    }

    #[test]
    fn sizes_take_the_right_unit() {
        let cases =
            [(1023, "1023 B"), (14_336, "14 KiB"), (1_572_864, "1.5 MiB"), (1 << 30, "1 GiB")];
        for (size, text) in cases {
            assert_eq!(bytes(size), text);
        }
        assert_eq!(bytes(u64::MAX), "17 179 869 183.9 GiB");
    }
}
