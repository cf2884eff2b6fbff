//! What the kernels of a stopped device have left, in words: `WAYPOINT` and `WATCHER_RING_BUFFER_PUSH`.

use std::collections::BTreeMap;

use hallmark_runtime::{Leftover, Stop};

/// The cores that a line names.
const SHOWN_CORES: usize = 12;
/// The processors whose values are shown.
const SHOWN_RINGS: usize = 4;

/// A line for each waypoint with the processors that came to it last, and one for the values of each processor.
pub(super) fn lines(stop: Option<&Stop>) -> Vec<String> {
    let leftovers = stop.map_or(&[][..], |stop| &stop.leftovers);
    let mut at: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Leftover { core, processor, waypoint, values: _ } in leftovers {
        if let Some(waypoint) = waypoint {
            at.entry(waypoint).or_default().push(format!("{core} {processor}"));
        }
    }
    let waypoints = at.into_iter().map(|(waypoint, who)| {
        let more = if who.len() > SHOWN_CORES { ", …" } else { "" };
        let who: Vec<String> = who.into_iter().take(SHOWN_CORES).collect();
        format!("last waypoint `{waypoint}`: {}{more}", who.join(", "))
    });
    let rings = leftovers.iter().filter(|it| !it.values.is_empty()).take(SHOWN_RINGS);
    let rings = rings.map(|Leftover { core, processor, waypoint: _, values }| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:#x}")).collect();
        format!("pushed by {core} {processor}, the last one first: {}", values.join(" "))
    });
    waypoints.chain(rings).collect()
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{LogicalCore, Processor};
    use hallmark_runtime::StopCause;
    use hallmark_schema::model::CommandIndex;

    use super::*;

    #[test]
    fn processors_at_one_waypoint_share_a_line() {
        let left = |x: u32, waypoint: Option<&str>, values: &[u32]| Leftover {
            core: LogicalCore { x, y: 5 },
            processor: Processor::Ncrisc,
            waypoint: waypoint.map(str::to_owned),
            values: values.to_vec(),
        };
        let said = |leftovers| {
            let cause = StopCause::Deadlock { waiting: Vec::new() };
            let command = CommandIndex(3);
            lines(Some(&Stop { command, enqueue: None, replaying: None, cause, leftovers }))
        };
        assert_eq!(
            said(vec![
                left(1, Some("NSW"), &[]),
                left(2, Some("GO"), &[16, 3]),
                left(3, Some("NSW"), &[]),
            ]),
            [
                "last waypoint `GO`: (2,5) NCRISC",
                "last waypoint `NSW`: (1,5) NCRISC, (3,5) NCRISC",
                "pushed by (2,5) NCRISC, the last one first: 0x10 0x3",
            ]
        );
        let many: Vec<_> = (0..13).map(|x| left(x, Some("W"), &[x])).collect();
        let said_of_many = said(many);
        assert!(said_of_many[0].ends_with("(11,5) NCRISC, …"), "{said_of_many:?}");
        assert_eq!(said_of_many.len(), 1 + SHOWN_RINGS);
        assert!(lines(None).is_empty());
    }
}
