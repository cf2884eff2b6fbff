//! Numbers with their words.

/// `1 command`, `9 commands`.
pub fn count(number: impl Into<u64>, singular: &str) -> String {
    let number = number.into();
    if number == 1 { format!("1 {singular}") } else { format!("{number} {singular}s") }
}

/// `1 entry`, `2 entries`: for words whose plural is no `s`.
pub fn count_of(number: impl Into<u64>, singular: &str, plural: &str) -> String {
    let number = number.into();
    if number == 1 { format!("1 {singular}") } else { format!("{number} {plural}") }
}

/// `512 B`, `14 KiB`, `1.5 MiB`: exact up to the tenth that is shown, which is rounded down.
pub fn bytes(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1024 => return format!("{bytes} B"),
        1024..0x10_0000 => (1 << 10, "KiB"),
        0x10_0000..0x4000_0000 => (1 << 20, "MiB"),
        _ => (1_u64 << 30, "GiB"),
    };
    let tenths = u128::from(bytes) * 10 / u128::from(unit);
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        tenth => format!("{}.{tenth} {name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_right_word() {
        assert_eq!(count(1_u32, "kernel"), "1 kernel");
        assert_eq!(count(0_u32, "kernel"), "0 kernels");
        assert_eq!(count_of(2_u32, "entry", "entries"), "2 entries");
    }

    #[test]
    fn sizes_take_the_right_unit() {
        let cases =
            [(1023, "1023 B"), (14_336, "14 KiB"), (1_572_864, "1.5 MiB"), (1 << 30, "1 GiB")];
        for (size, text) in cases {
            assert_eq!(bytes(size), text);
        }
        assert!(bytes(u64::MAX).ends_with("GiB"));
    }
}
