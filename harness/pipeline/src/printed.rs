//! What a test's kernels have printed (`DPRINT`), for reports.

use hallmark_schema::model::Printed;

/// The last lines of a processor that a report shows.
const SHOWN_LINES: usize = 20;
/// The processors that a report shows: those of the last launches.
const SHOWN_PROCESSORS: usize = 4;

/// What a processor has printed in a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLines {
    /// Kernel, core, processor and launch: `` `k` on (3,5) BRISC in program `p` (enqueued by command 4) ``.
    pub place: String,
    /// The text and its place.
    pub printed: Printed,
}

impl PrintedLines {
    /// The last lines, below their place.
    fn last(&self, most: usize) -> Vec<String> {
        self.printed.last_lines(&self.place, most)
    }

    /// All lines, for a file or a screen of their own.
    pub fn whole(printed: &[Self]) -> Vec<String> {
        printed.iter().flat_map(|it| it.last(usize::MAX)).collect()
    }

    /// The last lines of the last processors, for the report of a failure. `all` says where the others are, such as
    /// `see printed.txt`.
    pub fn shortened(printed: &[Self], all: &str) -> Vec<String> {
        let hidden = printed.len().saturating_sub(SHOWN_PROCESSORS);
        let mut shown: Vec<String> =
            printed.iter().skip(hidden).flat_map(|it| it.last(SHOWN_LINES)).collect();
        if hidden > 0 {
            let processors = if hidden == 1 { "processor has" } else { "processors have" };
            shown.push(format!("{hidden} more {processors} printed: {all}"));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{LogicalCore, Processor};

    use super::*;

    fn printed(place: u32) -> PrintedLines {
        let printed = Printed {
            launch: None,
            core: LogicalCore { x: place, y: 5 },
            processor: Processor::Brisc,
            text: "line\n".repeat(SHOWN_LINES + 2),
            dropped: 0,
        };
        PrintedLines { place: format!("({place},5) BRISC"), printed }
    }

    #[test]
    fn the_last_processors_are_shown() {
        let of = |count: usize| (0..count as u32).map(printed).collect::<Vec<_>>();
        let shown = PrintedLines::shortened(&of(SHOWN_PROCESSORS), "see above");
        assert_eq!(shown.len(), (1 + SHOWN_LINES) * SHOWN_PROCESSORS);
        let shown = PrintedLines::shortened(&of(SHOWN_PROCESSORS + 2), "see above");
        assert_eq!(shown[0], "printed by (2,5) BRISC, after 2 lines:");
        assert_eq!(shown.last().unwrap(), "2 more processors have printed: see above");
        assert_eq!(PrintedLines::whole(&of(SHOWN_PROCESSORS + 2)).len(), 6 * (3 + SHOWN_LINES));
        assert!(PrintedLines::shortened(&[], "see above").is_empty());
    }
}
