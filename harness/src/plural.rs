//! Numbers with the right form of their noun.

/// `1 test`, `2 tests`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with a thin separator between groups of three digits once it has more than four.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(counted(0, "test", "tests"), "0 tests");
        assert_eq!(counted(1, "test", "tests"), "1 test");
        assert_eq!(counted(1234, "test", "tests"), "1234 tests");
        assert_eq!(counted(12345, "test", "tests"), "12 345 tests");
    }
}
