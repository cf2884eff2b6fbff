//! The source lines of a position in a kernel, in the form of reports.

use hallmark_chip::SourceFrame;
use hallmark_report::SourceExcerpt;
use hallmark_schema::model::Capture;

/// The largest number of shown letters of a line's text.
const SHOWN_LETTERS: usize = 100;
/// The number of lines before and after the relevant one.
const AROUND: usize = 3;

/// `copy.cpp:14: `noc_async_read(from, to, size);``: the line of the outermost function. `None` if unknown.
pub(super) fn outermost(capture: &Capture, frames: &[SourceFrame]) -> Option<String> {
    frames.first().map(|frame| with_text(capture, frame))
}

/// The line of the outermost function and, where others were inlined, the name and the line of the innermost one. `None`
/// if unknown.
pub fn outermost_and_innermost(capture: &Capture, frames: &[SourceFrame]) -> Option<String> {
    let outer = outermost(capture, frames)?;
    let Some(inner) = frames.get(1..).and_then(<[_]>::last) else { return Some(outer) };
    let (function, file) = (plain(&inner.function), plain(inner.file_name()));
    Some(format!("{outer} in {function}, {file}:{}", inner.line))
}

/// `in noc_async_read, dataflow_api.h:88`, for each inlined function, the caller first.
pub(super) fn inlined(capture: &Capture, frames: &[SourceFrame]) -> Vec<String> {
    let line = |frame: &SourceFrame| match plain(&frame.function) {
        function if function.is_empty() => format!("at {}", with_text(capture, frame)),
        function => format!("in {function}, {}", with_text(capture, frame)),
    };
    frames.iter().skip(1).map(line).collect()
}

/// The line of the outermost function and its neighbours, if the capture contains the file.
pub(super) fn excerpt(
    capture: &Capture,
    frames: &[SourceFrame],
    who: String,
) -> Option<SourceExcerpt> {
    let frame = frames.first()?;
    let bytes = source(capture, frame)?;
    let line = usize::try_from(frame.line).ok()?.checked_sub(1)?;
    let first = line.saturating_sub(AROUND);
    let shown = bytes.split(|byte| *byte == b'\n').skip(first).take(AROUND * 2 + 1);
    let shown = shown.map(|line| String::from_utf8_lossy(line).trim_end().to_owned());
    let lines: Vec<String> = shown.map(|line| line.chars().take(SHOWN_LETTERS).collect()).collect();
    lines.get(line.saturating_sub(first))?;
    Some(SourceExcerpt {
        who,
        file: plain(frame.file_name()),
        first: u32::try_from(first).ok()?.checked_add(1)?,
        line: frame.line,
        lines,
    })
}

/// File and line, and the line's text where the capture holds the file: headers of the kernel API are no part of it.
pub fn with_text(capture: &Capture, frame: &SourceFrame) -> String {
    let place = format!("{}:{}", plain(frame.file_name()), frame.line);
    match text(capture, frame) {
        Some(text) => format!("{place}: `{text}`"),
        None => place,
    }
}

/// The file of a line.
pub(super) fn source<'a>(capture: &'a Capture, frame: &SourceFrame) -> Option<&'a [u8]> {
    let source = capture.program.sources.iter().find(|source| source.path == frame.file)?;
    capture.blobs.get(&source.hash).map(|bytes| &**bytes)
}

fn text(capture: &Capture, frame: &SourceFrame) -> Option<String> {
    let bytes = source(capture, frame)?;
    let index = usize::try_from(frame.line).ok()?.checked_sub(1)?;
    let line = bytes.split(|byte| *byte == b'\n').nth(index)?;
    let line = plain(String::from_utf8_lossy(line).trim());
    if line.is_empty() {
        return None;
    }
    let mut letters = line.chars();
    let shown: String = letters.by_ref().take(SHOWN_LETTERS).collect();
    Some(if letters.next().is_some() { format!("{shown}…") } else { shown })
}

/// An external text without control characters that could move a terminal's cursor.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hallmark_chip::Architecture;
    use hallmark_schema::model::{ContentHash, Grid, ProgramPart, SourceFile};

    use super::*;

    const SOURCE: &[u8] = b"// A kernel.\n\n\tnoc_async_read(\x1b[2J);\r\n";

    fn capture() -> Capture {
        let hash = ContentHash::of(SOURCE);
        let long = format!("{};", "a".repeat(SHOWN_LETTERS));
        let long_hash = ContentHash::of(long.as_bytes());
        let program = ProgramPart {
            architecture: Architecture::WormholeB0,
            grid: Grid { columns: 8, rows: 9 },
            placement_bound: false,
            sources: vec![
                SourceFile { path: "kernels/k.cpp".to_owned(), hash },
                SourceFile { path: "kernels/long.h".to_owned(), hash: long_hash },
            ],
            commands: Vec::new(),
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            free_tensors: Vec::new(),
        };
        let blobs = BTreeMap::from([(hash, SOURCE.into()), (long_hash, long.into_bytes().into())]);
        Capture { program, record: None, outputs: Vec::new(), blobs }
    }

    fn frame(function: &str, file: &str, line: u32) -> SourceFrame {
        SourceFrame { function: function.to_owned(), file: file.to_owned(), line }
    }

    #[test]
    fn the_kernels_line_comes_first_and_then_what_is_inlined_there() {
        let frames = [
            frame("kernel_main", "kernels/k.cpp", 3),
            frame("helper", "kernels/long.h", 1),
            frame("noc_async_read", "api/dataflow/dataflow_api.h", 88),
            frame("", "hallmark/noc.h", 7),
        ];
        let first = outermost(&capture(), &frames).unwrap();
        assert_eq!(first, "k.cpp:3: `noc_async_read( [2J);`");
        let cut_off = format!("in helper, long.h:1: `{}…`", "a".repeat(SHOWN_LETTERS));
        assert_eq!(
            inlined(&capture(), &frames),
            [cut_off.as_str(), "in noc_async_read, dataflow_api.h:88", "at noc.h:7"]
        );
        assert_eq!(outermost(&capture(), &[]), None);
    }

    #[test]
    fn an_excerpt_holds_the_lines_about_the_one_that_is_meant() {
        let of = |line| {
            let frames = [frame("kernel_main", "kernels/k.cpp", line)];
            excerpt(&capture(), &frames, "(0,0) BRISC".to_owned())
        };
        let third = of(3).unwrap();
        assert_eq!((third.first, third.line), (1, 3));
        assert_eq!(third.lines, ["// A kernel.", "", "\tnoc_async_read(\x1b[2J);", ""]);
        for line in [0, 5, u32::MAX] {
            assert_eq!(of(line), None, "{line}");
        }
        let long = [frame("kernel_main", "kernels/long.h", 1)];
        let long = excerpt(&capture(), &long, String::new()).unwrap();
        assert_eq!(long.lines, ["a".repeat(SHOWN_LETTERS)]);
        assert_eq!(excerpt(&capture(), &[], String::new()), None);
    }

    #[test]
    fn a_line_that_is_not_there_has_no_text() {
        for line in [0, 2, 4, 5, u32::MAX] {
            let frames = [frame("kernel_main", "kernels/k.cpp", line)];
            assert_eq!(outermost(&capture(), &frames).unwrap(), format!("k.cpp:{line}"));
        }
        let mut without = capture();
        without.blobs.clear();
        let frames = [frame("kernel_main", "kernels/k.cpp", 3)];
        assert_eq!(outermost(&without, &frames).unwrap(), "k.cpp:3");
    }
}
