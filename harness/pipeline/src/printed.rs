//! What a test's kernels have printed (`DPRINT`), for reports.

/// The last lines of a processor that a report shows.
const SHOWN_LINES: usize = 20;
/// The processors that a report shows: those of the last launches.
const SHOWN_PROCESSORS: usize = 4;

/// What a processor has printed in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLines {
    /// Kernel, core, processor and launch: `` `k` on (3,5) BRISC in program `p` (enqueued by command 4) ``.
    pub place: String,
    /// The lines. They may hold any character.
    pub lines: Vec<String>,
    /// The number of lines that were dropped behind them.
    pub dropped: u64,
}

impl PrintedLines {
    /// The last lines, below their place.
    fn last(&self, most: usize) -> Vec<String> {
        let hidden = self.lines.len().saturating_sub(most);
        let before = match hidden {
            0 => String::new(),
            1 => ", after 1 line".to_owned(),
            _ => format!(", after {hidden} lines"),
        };
        let mut shown = vec![format!("printed by {}{before}:", self.place)];
        shown.extend(self.lines.iter().skip(hidden).map(|line| format!("  | {line}")));
        if self.dropped > 0 {
            let lines = if self.dropped == 1 { "line" } else { "lines" };
            shown.push(format!("  {} {lines} dropped", self.dropped));
        }
        shown
    }

    /// All lines, for a file or a screen of their own.
    pub fn whole(printed: &[Self]) -> Vec<String> {
        printed.iter().flat_map(|it| it.last(usize::MAX)).collect()
    }

    /// The last lines of the last processors, for the report of a failure.
    pub(super) fn shortened(printed: &[Self]) -> Vec<String> {
        let hidden = printed.len().saturating_sub(SHOWN_PROCESSORS);
        let mut shown: Vec<String> =
            printed.iter().skip(hidden).flat_map(|it| it.last(SHOWN_LINES)).collect();
        if hidden > 0 {
            let processors = if hidden == 1 { "processor has" } else { "processors have" };
            shown.push(format!("{hidden} more {processors} printed: see printed.txt"));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(place: usize, lines: usize, dropped: u64) -> PrintedLines {
        PrintedLines {
            place: format!("({place},5) BRISC"),
            lines: (0..lines).map(|number| format!("line {number}")).collect(),
            dropped,
        }
    }

    #[test]
    fn the_last_lines_are_shown() {
        let shown = |lines, dropped| PrintedLines::shortened(&[printed(3, lines, dropped)]);
        let all = shown(SHOWN_LINES, 0);
        assert_eq!(all.len(), SHOWN_LINES + 1);
        assert_eq!([&*all[0], &*all[1]], ["printed by (3,5) BRISC:", "  | line 0"]);
        let cut = shown(SHOWN_LINES + 1, 1);
        assert_eq!([&*cut[0], &*cut[1]], ["printed by (3,5) BRISC, after 1 line:", "  | line 1"]);
        assert_eq!(cut.last().unwrap(), "  1 line dropped");
        assert_eq!(shown(25, 7)[0], "printed by (3,5) BRISC, after 5 lines:");
        assert_eq!(shown(25, 7).last().unwrap(), "  7 lines dropped");
    }

    #[test]
    fn the_last_processors_are_shown() {
        let of = |count: usize| (0..count).map(|at| printed(at, 1, 0)).collect::<Vec<_>>();
        let shown = PrintedLines::shortened(&of(SHOWN_PROCESSORS));
        assert_eq!(shown.len(), 2 * SHOWN_PROCESSORS);
        let shown = PrintedLines::shortened(&of(SHOWN_PROCESSORS + 2));
        assert_eq!(shown[0], "printed by (2,5) BRISC:");
        assert_eq!(shown.last().unwrap(), "2 more processors have printed: see printed.txt");
        assert_eq!(PrintedLines::whole(&of(SHOWN_PROCESSORS + 2)).len(), 12);
        assert!(PrintedLines::shortened(&[]).is_empty());
    }
}
