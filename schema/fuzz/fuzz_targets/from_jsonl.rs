//! `cargo +nightly fuzz run from_jsonl`: the reader panics on no text, and each capture that it accepts can be
//! written.
#![no_main]

use hallmark_schema::{from_jsonl, to_jsonl};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(capture) = from_jsonl(text) {
        capture.to_bytes().expect("what was read can be written");
        assert_eq!(from_jsonl(&to_jsonl(&capture)).as_ref(), Ok(&capture));
    }
});
