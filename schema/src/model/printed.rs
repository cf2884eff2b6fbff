//! Text that kernels print (`DPRINT`).

use std::collections::BTreeMap;

use hallmark_chip::{LogicalCore, Processor};
use serde::{Deserialize, Serialize};

use super::CommandIndex;
use crate::limits;
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

/// Printed texts as they come in pieces, up to the limits of a capture.
#[derive(Debug, Default)]
pub struct PrintedTexts {
    texts: Vec<Printed>,
    /// The index in `texts`.
    known: BTreeMap<(Option<CommandIndex>, LogicalCore, Processor), usize>,
    bytes: u64,
}

impl PrintedTexts {
    /// Keeps a piece of the text of a launch, core and processor, if it is within the limits; otherwise it counts its lines as
    /// dropped. Nothing is kept behind a dropped line. Says whether the piece was kept.
    pub fn add(
        &mut self,
        launch: Option<CommandIndex>,
        core: LogicalCore,
        processor: Processor,
        piece: &str,
    ) -> bool {
        let lines = piece.matches('\n').count().max(1) as u64;
        let key = (launch, core, processor);
        let is_full = self.texts.len() as u64 >= limits::PRINTED_TEXTS;
        if is_full && !self.known.contains_key(&key) {
            // Of places that have no text of their own, the last text counts the lines.
            if let Some(last) = self.texts.last_mut() {
                last.dropped = last.dropped.saturating_add(lines);
            }
            return false;
        }
        let index = *self.known.entry(key).or_insert_with(|| {
            self.texts.push(Printed { launch, core, processor, text: String::new(), dropped: 0 });
            self.texts.len().saturating_sub(1)
        });
        let Some(printed) = self.texts.get_mut(index) else { return false };
        let size = piece.len() as u64;
        let fits = |kept: u64, most: u64| kept.saturating_add(size) <= most;
        let is_kept = printed.dropped == 0
            && fits(printed.text.len() as u64, limits::PRINTED_BYTES)
            && fits(self.bytes, limits::TOTAL_PRINTED_BYTES);
        if is_kept {
            printed.text.push_str(piece);
            self.bytes = self.bytes.saturating_add(size);
        } else {
            printed.dropped = printed.dropped.saturating_add(lines);
        }
        is_kept
    }

    /// The texts so far, in the order of each first piece.
    pub fn as_slice(&self) -> &[Printed] {
        &self.texts
    }

    /// Takes the texts, and begins anew.
    pub fn take(&mut self) -> Vec<Printed> {
        std::mem::take(self).texts
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
