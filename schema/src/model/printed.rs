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

    const CORE: LogicalCore = LogicalCore { x: 2, y: 7 };

    fn added(texts: &mut PrintedTexts, launch: u32, processor: Processor, piece: &str) -> bool {
        texts.add(Some(CommandIndex(launch)), CORE, processor, piece)
    }

    fn kept(texts: &PrintedTexts) -> Vec<(Option<CommandIndex>, Processor, &str, u64)> {
        let all = texts.as_slice().iter();
        all.map(|it| (it.launch, it.processor, it.text.as_str(), it.dropped)).collect()
    }

    #[test]
    fn pieces_join_the_text_of_their_place() {
        let mut texts = PrintedTexts::default();
        for (launch, processor, piece) in [
            (4, Processor::Ncrisc, "a"),
            (4, Processor::Brisc, "b\n"),
            (5, Processor::Ncrisc, "c\n"),
            (4, Processor::Ncrisc, "d\n"),
        ] {
            assert!(added(&mut texts, launch, processor, piece));
        }
        assert!(texts.add(None, CORE, Processor::Ncrisc, "e\n"));
        assert!(texts.add(None, LogicalCore { x: 7, y: 2 }, Processor::Ncrisc, "f\n"));
        let [fourth, fifth] = [4, 5].map(|launch| Some(CommandIndex(launch)));
        assert_eq!(
            kept(&texts),
            [
                (fourth, Processor::Ncrisc, "ad\n", 0),
                (fourth, Processor::Brisc, "b\n", 0),
                (fifth, Processor::Ncrisc, "c\n", 0),
                (None, Processor::Ncrisc, "e\n", 0),
                (None, Processor::Ncrisc, "f\n", 0),
            ]
        );
        let cores: Vec<u32> = texts.take().iter().map(|it| it.core.x).collect();
        assert_eq!(cores, [2, 2, 2, 2, 7]);
        assert_eq!(texts.as_slice(), []);
    }

    #[test]
    fn a_text_is_kept_up_to_its_limit_and_nothing_behind_a_dropped_line() {
        let most = usize::try_from(limits::PRINTED_BYTES).unwrap();
        let mut texts = PrintedTexts::default();
        assert!(added(&mut texts, 4, Processor::Brisc, &"x".repeat(most - 2)));
        assert!(!added(&mut texts, 4, Processor::Brisc, "a\nb"));
        assert!(!added(&mut texts, 4, Processor::Brisc, "a"));
        assert_eq!((texts.as_slice()[0].text.len(), texts.as_slice()[0].dropped), (most - 2, 2));
        // Another place has room of its own, up to the last byte.
        assert!(added(&mut texts, 5, Processor::Brisc, &"y".repeat(most - 2)));
        assert!(added(&mut texts, 5, Processor::Brisc, "a\n"));
        assert!(!added(&mut texts, 5, Processor::Brisc, "b"));
        assert_eq!((texts.as_slice()[1].text.len(), texts.as_slice()[1].dropped), (most, 1));
    }

    #[test]
    fn all_texts_together_are_kept_up_to_their_limit() {
        let most = usize::try_from(limits::PRINTED_BYTES).unwrap();
        let whole = "z".repeat(most);
        let mut texts = PrintedTexts::default();
        let launches = u32::try_from(limits::TOTAL_PRINTED_BYTES / limits::PRINTED_BYTES).unwrap();
        for launch in 1..launches {
            assert!(added(&mut texts, launch, Processor::Brisc, &whole));
        }
        assert!(added(&mut texts, launches, Processor::Brisc, &whole[1..]));
        assert!(!added(&mut texts, launches + 1, Processor::Brisc, "ab"));
        assert!(added(&mut texts, launches + 2, Processor::Brisc, "a"));
        assert!(!added(&mut texts, launches + 3, Processor::Brisc, "b"));
        let dropped: Vec<u64> = texts.take().iter().map(|it| it.dropped).collect();
        assert_eq!(dropped[usize::try_from(launches).unwrap() - 1..], [0, 1, 0, 1]);
        // It begins anew.
        assert!(added(&mut texts, 1, Processor::Brisc, &whole));
    }

    #[test]
    fn places_beyond_their_limit_count_their_lines_at_the_last_one() {
        let mut texts = PrintedTexts::default();
        let most = u32::try_from(limits::PRINTED_TEXTS).unwrap();
        for launch in 0..most {
            assert!(added(&mut texts, launch, Processor::Brisc, "x\n"));
        }
        assert!(!added(&mut texts, most, Processor::Brisc, "one\ntwo\n"));
        assert!(!added(&mut texts, most + 1, Processor::Brisc, "three"));
        // A known place goes on.
        assert!(added(&mut texts, 3, Processor::Brisc, "y\n"));
        let texts = texts.take();
        assert_eq!(texts.len() as u64, limits::PRINTED_TEXTS);
        assert_eq!((texts[3].text.as_str(), texts[3].dropped), ("x\ny\n", 0));
        assert_eq!(texts.last().unwrap().dropped, 3);
    }
}
