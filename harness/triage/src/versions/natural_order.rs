//! The natural order of versions: 9 comes before 10.

use std::cmp::Ordering;

/// Compares runs of digits as numbers and everything else as text.
pub(super) fn natural_order(left: &str, right: &str) -> Ordering {
    let parts = parts(left).zip(self::parts(right));
    let first_difference =
        parts.map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
    // If one text is a prefix of the other, the shorter one comes first; `01` and `1` are compared as texts.
    first_difference.unwrap_or_else(|| {
        let count = |text: &str| self::parts(text).count();
        count(left).cmp(&count(right)).then_with(|| left.cmp(right))
    })
}

/// Runs of digits, and the texts between them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.as_bytes()
        .chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit())
        // A digit is a whole character, so no chunk ends within a character.
        .filter_map(|part| std::str::from_utf8(part).ok())
}

fn compare(left: &str, right: &str) -> Ordering {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(left) && digits(right) {
        let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
        return left.len().cmp(&right.len()).then_with(|| left.cmp(right));
    }
    left.cmp(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_in_the_order_in_which_they_are_counted() {
        let sorted = [
            "fw",
            "fw/1.2",
            "fw/1.9.3",
            "fw/1.10",
            "fw/1.10-rc1",
            "fw/2.0",
            "fw/18.6.0",
            "fw/99999999999999999999999",
            "fw/é2",
            "fw/é10",
        ];
        let mut shuffled = sorted;
        shuffled.reverse();
        shuffled.sort_by(|left, right| natural_order(left, right));
        assert_eq!(shuffled, sorted);
        assert_eq!(natural_order("1", "01"), Ordering::Greater);
        assert_eq!(natural_order("a1", "a1"), Ordering::Equal);
    }
}
