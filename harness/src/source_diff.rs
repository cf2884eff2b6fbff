//! How the kernel sources of two captures differ, line by line.

use hallmark_schema::model::{Capture, SourceFile};
use hallmark_schema::plural::counted;
use similar::TextDiff;

/// Unchanged lines around those that differ.
const CONTEXT: usize = 3;
/// Lines of one file's difference that are shown.
const SHOWN: usize = 120;

/// A unified difference for each source that both captures name and of which both hold other bytes. Of a source that
/// one of them names by its hash alone, a line says so.
pub(crate) fn source_differences(before: &Capture, after: &Capture) -> String {
    let mut text = String::new();
    for source in &before.program.sources {
        let others = &after.program.sources;
        let Some(other) = others.iter().find(|other| other.path == source.path) else { continue };
        if source.hash == other.hash {
            continue;
        }
        match (content(before, source), content(after, other)) {
            (Some(one), Some(two)) => text.push_str(&unified(&source.path, &one, &two)),
            _ => text.push_str(&format!(
                "{} differs, and at least one of the captures does not hold its text\n",
                source.path
            )),
        }
    }
    text
}

fn content(capture: &Capture, source: &SourceFile) -> Option<String> {
    let bytes = capture.blobs.get(&source.hash)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

fn unified(path: &str, before: &str, after: &str) -> String {
    let difference = TextDiff::from_lines(before, after);
    let header = (format!("before/{path}"), format!("after/{path}"));
    let whole =
        difference.unified_diff().context_radius(CONTEXT).header(&header.0, &header.1).to_string();
    let mut shown: Vec<&str> = whole.lines().take(SHOWN).collect();
    let more = whole.lines().count().saturating_sub(shown.len());
    let rest = format!("… and {}", counted(more, "more line", "more lines"));
    if more > 0 {
        shown.push(&rest);
    }
    shown.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_stand_between_those_that_do_not() {
        let lines = |changed: &str| format!("one\ntwo\nthree\nfour\n{changed}\nsix\n");
        insta::assert_snapshot!(unified("kernels/a.cpp", &lines("five"), &lines("fife")), @r"
        --- before/kernels/a.cpp
        +++ after/kernels/a.cpp
        @@ -2,5 +2,5 @@
         two
         three
         four
        -five
        +fife
         six
        ");
    }

    #[test]
    fn long_differences_are_cut_off() {
        let many = |word: &str| (0..200).map(|line| format!("{word} {line}\n")).collect::<String>();
        let text = unified("a.cpp", &many("before"), &many("after"));
        assert_eq!(text.lines().count(), SHOWN + 1);
        assert!(text.ends_with("… and 283 more lines\n"), "{text}");
    }
}
