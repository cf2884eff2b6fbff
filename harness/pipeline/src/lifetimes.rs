//! Objects that exist at a command of a capture, found without visiting the other objects.

use hallmark_schema::model::CommandIndex;

/// The commands between which each of some objects exists. The objects are numbered in the order of their creation.
#[derive(Debug)]
pub(super) struct Lifetimes {
    made: Vec<CommandIndex>,
    /// A binary tree over the objects: node 1 is the root, the children of node n are 2n and 2n + 1, and the leaves are the
    /// objects. Each node holds the latest end of life in its subtree: the releasing command, `u32::MAX` for an
    /// object that is never released, and 0 where there is no object.
    last_ends: Vec<u32>,
    leaves: usize,
}

impl Lifetimes {
    /// The creating command of each object, ascending, and its releasing command.
    pub(super) fn new(lives: &[(CommandIndex, Option<CommandIndex>)]) -> Self {
        let leaves = lives.len().next_power_of_two();
        let mut last_ends = vec![0; leaves.saturating_mul(2)];
        let (nodes, ends) = last_ends.split_at_mut(leaves);
        for (end, (_, released)) in ends.iter_mut().zip(lives) {
            *end = released.map_or(u32::MAX, |released| released.0);
        }
        for node in (1..leaves).rev() {
            let of_child = |child: usize| {
                let inner = nodes.get(child).or_else(|| ends.get(child.wrapping_sub(leaves)));
                inner.copied().unwrap_or(0)
            };
            let first = node.saturating_mul(2);
            let end = of_child(first).max(of_child(first.saturating_add(1)));
            if let Some(node) = nodes.get_mut(node) {
                *node = end;
            }
        }
        Self { made: lives.iter().map(|(made, _)| *made).collect(), last_ends, leaves }
    }

    /// The objects that were created before a command and are released after it, ascending.
    pub(super) fn at(&self, command: CommandIndex) -> Vec<usize> {
        let created = self.made.partition_point(|made| *made < command);
        let mut found = Vec::new();
        // Each entry is a node, the first of its leaves, and their number.
        let mut open = vec![(1_usize, 0_usize, self.leaves)];
        while let Some((node, first, count)) = open.pop() {
            let outlives = self.last_ends.get(node).is_some_and(|end| *end > command.0);
            if first >= created || !outlives {
                continue;
            }
            if count <= 1 {
                found.push(first);
                continue;
            }
            let half = count / 2;
            let left = node.saturating_mul(2);
            open.push((left.saturating_add(1), first.saturating_add(half), half));
            open.push((left, first, half));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_exists_between_its_two_calls_and_not_at_either() {
        let lives = [(3, Some(7)), (5, None), (6, Some(8)), (7, Some(9)), (12, Some(13))];
        let lives = lives.map(|(made, end)| (CommandIndex(made), end.map(CommandIndex)));
        let at = |command| Lifetimes::new(&lives).at(CommandIndex(command));
        assert!(at(3).is_empty());
        assert_eq!(at(4), [0]);
        assert_eq!(at(6), [0, 1]);
        assert_eq!(at(7), [1, 2]);
        assert_eq!(at(8), [1, 3]);
        assert_eq!(at(9), [1]);
        assert_eq!(at(13), [1]);
        assert_eq!(at(u32::MAX - 1), [1]);
    }

    #[test]
    fn every_number_of_objects_is_searched_to_its_end() {
        for count in 0..70_u32 {
            let end =
                |number: u32| (!number.is_multiple_of(3)).then(|| 2 * number + 2 + number % 5);
            let lives = (0..count).map(|number| (2 * number, end(number)));
            let lives: Vec<_> =
                lives.map(|(made, end)| (CommandIndex(made), end.map(CommandIndex))).collect();
            let lifetimes = Lifetimes::new(&lives);
            for command in (0..2 * count + 8).map(CommandIndex) {
                let exists = |(made, end): &(CommandIndex, Option<CommandIndex>)| {
                    *made < command && end.is_none_or(|end| command < end)
                };
                let all = (0..).zip(&lives).filter(|(_, life)| exists(life));
                let all: Vec<usize> = all.map(|(number, _)| number).collect();
                assert_eq!(lifetimes.at(command), all, "{count} objects, command {command}");
            }
        }
    }
}
