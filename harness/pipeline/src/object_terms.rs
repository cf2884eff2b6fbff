//! Advice of the device in the terms of the API that a kernel uses: the device knows requests and registers, and names the
//! functions of `dataflow_api.h`.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::SourceFrame;
use hallmark_runtime::device_code::includes;
use hallmark_schema::model::{Capture, ContentHash};

use super::source_lines;

/// Headers of the API of objects. A kernel with objects includes at least one of them.
const HEADERS: [&[u8]; 4] = [
    b"api/dataflow/noc.h",
    b"api/dataflow/circular_buffer.h",
    b"api/dataflow/dataflow_buffer.h",
    b"api/dataflow/noc_semaphore.h",
];

/// Functions, and what an object has instead.
const TERMS: [(&str, &str); 13] = [
    ("noc_async_read_barrier", "noc.async_read_barrier"),
    ("noc_async_write_barrier", "noc.async_write_barrier"),
    ("noc_async_writes_flushed", "noc.async_writes_flushed"),
    ("noc_async_posted_writes_flushed", "noc.async_writes_flushed<NocOptions::POSTED>"),
    ("noc_async_atomic_barrier", "noc.async_atomic_barrier"),
    ("noc_async_full_barrier", "noc.async_full_barrier"),
    ("cb_reserve_back", "reserve_back"),
    ("cb_push_back", "push_back"),
    ("cb_wait_front", "wait_front"),
    ("cb_pop_front", "pop_front"),
    ("noc_semaphore_wait_min", "Semaphore::wait_min"),
    ("noc_semaphore_set", "Semaphore::set"),
    ("noc_semaphore_inc", "Semaphore::up"),
];

/// Whether the kernel of a position uses the API of objects, as far as the capture holds its source and those that it
/// includes.
pub(super) fn are_of(capture: &Capture, frames: &[SourceFrame]) -> bool {
    let Some(first) = frames.first().and_then(|frame| source_lines::source(capture, frame)) else {
        return false;
    };
    let names = |text: &[u8], name: &[u8]| text.windows(name.len()).any(|part| part == name);
    let mut by_file: BTreeMap<&str, Vec<ContentHash>> = BTreeMap::new();
    for source in &capture.program.sources {
        by_file.entry(file_name(&source.path)).or_default().push(source.hash);
    }
    let mut texts = vec![first];
    let mut seen = BTreeSet::new();
    while let Some(text) = texts.pop() {
        if HEADERS.into_iter().any(|header| names(text, header)) {
            return true;
        }
        let included = includes(text);
        let files = included.iter().map(|(_, path)| file_name(path));
        for hash in files.filter_map(|file| by_file.get(file)).flatten() {
            if seen.insert(*hash) {
                texts.extend(capture.blobs.get(hash).map(|bytes| &**bytes));
            }
        }
    }
    false
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A text in which the barrier of reads is that of zeros, if the access at one of the lines writes zeros: they are read from
/// a place that holds zeros.
pub(super) fn of_zeros(text: String, lines: &[String]) -> String {
    let writes_zeros = |line: &String| line.contains("async_write_zeros");
    if !lines.iter().any(writes_zeros) {
        return text;
    }
    text.replace("noc.async_read_barrier", "noc.write_zeros_l1_barrier")
}

/// A text with the functions as members of objects.
pub(super) fn in_them(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(is_of_name) {
        let (before, from) = rest.split_at(begin);
        let (name, after) = from.split_at(from.find(|it| !is_of_name(it)).unwrap_or(from.len()));
        let term = TERMS.iter().find(|(function, _)| *function == name);
        said.push_str(before);
        said.push_str(term.map_or(name, |(_, member)| member));
        rest = after;
    }
    said.push_str(rest);
    said
}

fn is_of_name(letter: char) -> bool {
    letter == '_' || letter.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_alone_are_said_as_members() {
        assert_eq!(
            in_them("wait with noc_async_read_barrier, cb_push_back (cb_push_backs)"),
            "wait with noc.async_read_barrier, push_back (cb_push_backs)"
        );
        let text = "noc_async_read_barrier_with_trid(3): § noc_async_writes_flushed";
        assert_eq!(
            in_them(text),
            "noc_async_read_barrier_with_trid(3): § noc.async_writes_flushed"
        );
        assert_eq!(in_them(""), "");
    }

    #[test]
    fn zeros_have_a_barrier_of_their_own() {
        let said = |line: &str| {
            of_zeros("wait with noc.async_read_barrier between".to_owned(), &[line.to_owned()])
        };
        assert_eq!(
            said("k.cpp:7: `noc.async_write_zeros(q, 64, {});`"),
            "wait with noc.write_zeros_l1_barrier between"
        );
        assert_eq!(
            said("k.cpp:7: `noc.async_read(a, q, 64);`"),
            "wait with noc.async_read_barrier between"
        );
    }
}
