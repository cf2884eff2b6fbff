//! What a kernel printed (`DPRINT`).

use hallmark_chip::{LogicalCore, Processor};
use serde::{Deserialize, Serialize};

use super::CommandIndex;
use crate::plural::counted;

/// The text that a processor printed in a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// The call that enqueued the program; a replay of a trace that the device carries out counts as one. `None` if it is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<CommandIndex>,
    /// The core.
    pub core: LogicalCore,
    /// The processor of the core.
    pub processor: Processor,
    /// The text, as the kernel gave it: it may hold any character.
    pub text: String,
    /// The number of lines that were dropped behind it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(dropped: &u64) -> bool {
    *dropped == 0
}

impl Printed {
    /// The last lines, at most `most`, below a heading that says where they were printed. They may hold any character.
    pub fn last_lines(&self, place: &str, most: usize) -> Vec<String> {
        let hidden = self.text.lines().count().saturating_sub(most);
        let before = match hidden {
            0 => String::new(),
            _ => format!(", after {}", counted(hidden, "line", "lines")),
        };
        let mut shown = vec![format!("printed by {place}{before}:")];
        shown.extend(self.text.lines().skip(hidden).map(|line| format!("  | {line}")));
        if self.dropped > 0 {
            shown.push(format!("  {} dropped", counted(self.dropped, "line", "lines")));
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(lines: usize, dropped: u64) -> Printed {
        Printed {
            launch: Some(CommandIndex(4)),
            core: LogicalCore { x: 3, y: 5 },
            processor: Processor::Brisc,
            text: (0..lines).map(|number| format!("line {number}\n")).collect(),
            dropped,
        }
    }

    #[test]
    fn the_last_lines_are_shown() {
        let shown = |lines, dropped| printed(lines, dropped).last_lines("(3,5) BRISC", 20);
        let all = shown(20, 0);
        assert_eq!(all.len(), 21);
        assert_eq!([&*all[0], &*all[1]], ["printed by (3,5) BRISC:", "  | line 0"]);
        let cut = shown(21, 1);
        assert_eq!([&*cut[0], &*cut[1]], ["printed by (3,5) BRISC, after 1 line:", "  | line 1"]);
        assert_eq!(cut.last().unwrap(), "  1 line dropped");
        assert_eq!(shown(25, 7)[0], "printed by (3,5) BRISC, after 5 lines:");
        assert_eq!(shown(25, 7).last().unwrap(), "  7 lines dropped");
    }
}
