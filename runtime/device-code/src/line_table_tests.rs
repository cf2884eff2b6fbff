//! Tests of line tables: a written table is read back, and a damaged one gives an error or another table, never
//! a panic.

use proptest::prelude::*;

use super::*;

fn frame(function: &str, file: &str, line: u32) -> SourceFrame {
    SourceFrame { function: function.to_owned(), file: file.to_owned(), line }
}

/// Five words: one unknown, two of one line, one inlined two deep, one back in the caller.
fn sample() -> (Vec<Vec<SourceFrame>>, LineTable) {
    let main = |line| frame("kernel_main", "kernels/k.cpp", line);
    let wait = frame("cb_wait_front", "api/dataflow/dataflow_api.h", 210);
    let inner = frame("pages", "kernels/shared/pages.h", 3);
    let words =
        vec![vec![], vec![main(14)], vec![main(14)], vec![main(15), inner, wait], vec![main(9)]];
    let table = LineTable::of_words(words.iter().map(Vec::as_slice));
    (words, table)
}

#[test]
fn every_word_has_its_lines() {
    let (words, table) = sample();
    assert_eq!((table.frames.len(), table.runs.len()), (5, 4));
    for (offset, frames) in (0..).step_by(4).zip(&words) {
        // Any byte of an instruction gives its frames.
        assert_eq!(table.frames_at(offset), *frames);
        assert_eq!(table.frames_at(offset + 3), *frames);
    }
    assert_eq!(table.frames_at(20), []);
    assert_eq!(table.frames_at(u32::MAX), []);
    assert!(LineTable::of_words([[].as_slice(), &[]]).is_empty());
}

/// The bytes are a format, because captures contain them.
#[test]
fn the_bytes_are_as_documented() {
    let words = [[frame("f", "k", 3)], [frame("f", "k", 2)]];
    let table = LineTable::of_words(words.iter().map(<[SourceFrame; 1]>::as_slice));
    let files = [1, 1, b'k'];
    let functions = [1, 0, 1, b'f'];
    let frames = [2, 0, 0, 6, 0, 0, 1];
    let runs = [2, 1, 2, 1, 2];
    let expected = [&[1][..], &files, &functions, &frames, &runs].concat();
    assert_eq!(table.encode(), expected);
    assert_eq!(LineTable::decode(&expected).unwrap(), table);
}

#[test]
fn damage_is_named() {
    let read = |bytes: &[u8]| LineTable::decode(bytes).unwrap_err();
    assert_eq!(read(&[]), LineTableError::Truncated { list: "version" });
    assert_eq!(read(&[2, 0, 0, 0, 0]), LineTableError::Version { found: 2 });
    assert_eq!(read(&[1, 1, 4, b'a']), LineTableError::Truncated { list: "files" });
    assert_eq!(read(&[1, 1, 1, 7]), LineTableError::Text { list: "files" });
    assert_eq!(read(&[1, 1, 1, 0xFF]), LineTableError::Text { list: "files" });
    assert_eq!(read(&[1, 0, 1, 0]), LineTableError::Index { list: "functions", index: 0 });
    let named = [1, 1, 1, b'k', 1, 0, 1, b'f'];
    let then = |rest: &[u8]| read(&[&named, rest].concat());
    // A frame can neither be its own caller nor have a caller before the first frame.
    assert_eq!(then(&[1, 1, 0, 2]), LineTableError::Index { list: "frames", index: -1 });
    assert_eq!(then(&[1, 0, 1, 2]), LineTableError::Index { list: "frames", index: 1 });
    assert_eq!(then(&[1, 0, 0, 1]), LineTableError::Number { list: "frames" });
    assert_eq!(then(&[1, 0, 0, 2, 1, 1, 4]), LineTableError::Index { list: "runs", index: 1 });
    assert_eq!(then(&[0, 1, 1, 1]), LineTableError::Index { list: "runs", index: -2 });
    let endless = [0xFF; 5];
    assert_eq!(then(&endless), LineTableError::Number { list: "frames" });
    assert_eq!(then(&[0, 0, 9]), LineTableError::Trailing { count: 1 });
}

/// A table that is cut off or has a changed byte is refused or gives other frames. Decoding never panics, and
/// its result is bounded.
#[test]
fn any_damage_is_survived() {
    let (_, table) = sample();
    let bytes = table.encode();
    for length in 0..bytes.len() {
        assert!(LineTable::decode(&bytes[..length]).is_err(), "cut off after {length}");
    }
    for at in 0..bytes.len() {
        for value in 0..=u8::MAX {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let Ok(read) = LineTable::decode(&damaged) else { continue };
            for offset in (0..64).chain([u32::MAX]) {
                assert!(read.frames_at(offset).len() <= read.frames.len());
            }
        }
    }
}

fn any_stack() -> impl Strategy<Value = Vec<SourceFrame>> {
    let name = prop::sample::select(vec!["f", "kernel_main", "größe", ""]);
    let file = prop::sample::select(vec!["kernels/k.cpp", "api/dataflow/dataflow_api.h"]);
    let line = prop_oneof![0..200_u32, Just(u32::MAX)];
    prop::collection::vec((name, file, line).prop_map(|(f, k, line)| frame(f, k, line)), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(words in prop::collection::vec(any_stack(), 0..60)) {
        let table = LineTable::of_words(words.iter().map(Vec::as_slice));
        let bytes = table.encode();
        prop_assume!(bytes.len() <= limits::LINE_TABLE);
        let read = LineTable::decode(&bytes).unwrap();
        prop_assert_eq!(&read, &table);
        for (offset, frames) in (0..).step_by(4).zip(&words) {
            prop_assert_eq!(&read.frames_at(offset), frames);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(rest in prop::collection::vec(any::<u8>(), 0..300)) {
        let bytes = [&[VERSION][..], &rest].concat();
        if let Ok(table) = LineTable::decode(&bytes) {
            let again = LineTable::decode(&table.encode()).unwrap();
            prop_assert_eq!(again, table);
        }
    }
}
