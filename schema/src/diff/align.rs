//! Pairs the commands of two programs.

/// The largest alignment table, in cells. Longer stretches of commands are paired by position, so that the time
/// of a comparison is bounded.
const CELLS: usize = 1 << 22;

/// Pairs equal keys in order, as many as possible; a key without a partner stands alone.
pub(super) fn align<K: PartialEq>(
    first: &[K],
    second: &[K],
) -> Vec<(Option<usize>, Option<usize>)> {
    let before = first.iter().zip(second).take_while(|(first, second)| first == second).count();
    let rest = (first.get(before..).unwrap_or_default(), second.get(before..).unwrap_or_default());
    let after = rest.0.iter().rev().zip(rest.1.iter().rev());
    let after = after.take_while(|(first, second)| first == second).count();
    let middle = (
        rest.0.get(..rest.0.len() - after).unwrap_or_default(),
        rest.1.get(..rest.1.len() - after).unwrap_or_default(),
    );
    let mut pairs: Vec<_> = (0..before).map(|at| (Some(at), Some(at))).collect();
    for (first, second) in longest(middle.0, middle.1) {
        pairs.push((first.map(|at| at + before), second.map(|at| at + before)));
    }
    let starts = (first.len() - after, second.len() - after);
    pairs.extend((0..after).map(|at| (Some(starts.0 + at), Some(starts.1 + at))));
    pairs
}

fn longest<K: PartialEq>(first: &[K], second: &[K]) -> Vec<(Option<usize>, Option<usize>)> {
    let (rows, columns) = (first.len() + 1, second.len() + 1);
    let Some(cells) = rows.checked_mul(columns).filter(|cells| *cells <= CELLS) else {
        return by_position(first, second);
    };
    // lengths[row * columns + column]: the most pairs from there to the ends.
    let mut lengths = vec![0_u32; cells];
    let at = |row: usize, column: usize| row * columns + column;
    let get =
        |lengths: &[u32], row, column| lengths.get(at(row, column)).copied().unwrap_or_default();
    for (row, first) in first.iter().enumerate().rev() {
        for (column, second) in second.iter().enumerate().rev() {
            let length = if first == second {
                get(&lengths, row + 1, column + 1) + 1
            } else {
                get(&lengths, row + 1, column).max(get(&lengths, row, column + 1))
            };
            if let Some(cell) = lengths.get_mut(at(row, column)) {
                *cell = length;
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while let (Some(one), Some(other)) = (first.get(row), second.get(column)) {
        if one == other {
            pairs.push((Some(row), Some(column)));
            row += 1;
            column += 1;
        } else if get(&lengths, row + 1, column) >= get(&lengths, row, column + 1) {
            pairs.push((Some(row), None));
            row += 1;
        } else {
            pairs.push((None, Some(column)));
            column += 1;
        }
    }
    pairs.extend((row..first.len()).map(|row| (Some(row), None)));
    pairs.extend((column..second.len()).map(|column| (None, Some(column))));
    pairs
}

fn by_position<K: PartialEq>(first: &[K], second: &[K]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::new();
    for at in 0..first.len().max(second.len()) {
        let (one, other) = (first.get(at), second.get(at));
        if one.is_some() && one == other {
            pairs.push((Some(at), Some(at)));
            continue;
        }
        pairs.extend(one.map(|_| (Some(at), None)));
        pairs.extend(other.map(|_| (None, Some(at))));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_moves_nothing_else() {
        let pairs = align(b"abcde", b"abXcde");
        let lone: Vec<_> =
            pairs.iter().filter(|(first, second)| first.is_none() || second.is_none()).collect();
        assert_eq!(lone, [&(None, Some(2))]);
        assert_eq!(pairs.len(), 6);
    }

    #[test]
    fn everything_stands_once_in_either() {
        for (first, second) in [("", "abc"), ("abc", ""), ("abcab", "bacba"), ("xay", "zaw")] {
            let pairs = align(first.as_bytes(), second.as_bytes());
            assert!(pairs.iter().filter_map(|pair| pair.0).eq(0..first.len()));
            assert!(pairs.iter().filter_map(|pair| pair.1).eq(0..second.len()));
        }
    }

    #[test]
    fn long_stretches_are_paired_by_position() {
        let first: Vec<u32> = (0..5000).collect();
        let second: Vec<u32> = (1..5001).collect();
        assert_eq!(align(&first, &second).len(), 10_000);
    }

    /// The length of the longest common subsequence, by exhaustive search.
    fn most_pairs(first: &[u8], second: &[u8]) -> usize {
        let ([one, first_rest @ ..], [other, second_rest @ ..]) = (first, second) else { return 0 };
        let apart = most_pairs(first_rest, second).max(most_pairs(first, second_rest));
        if one == other { apart.max(1 + most_pairs(first_rest, second_rest)) } else { apart }
    }

    #[test]
    fn no_more_can_be_paired() {
        for (first, second) in
            [("abcab", "bacba"), ("xay", "zaw"), ("aabb", "bbaa"), ("abcd", "dacb"), ("aab", "ab")]
        {
            let pairs = align(first.as_bytes(), second.as_bytes());
            let paired = pairs.iter().filter(|(one, other)| one.is_some() && other.is_some());
            let most = most_pairs(first.as_bytes(), second.as_bytes());
            assert_eq!(paired.count(), most, "{first} {second}");
        }
    }
}
