//! `cargo +nightly fuzz run configuration`: no text makes the reader of configuration files panic, and each mistake lies
//! within the text.
#![no_main]

use std::path::Path;

use hallmark::configuration::{Owner, read_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for owner in [Owner::Root, Owner::User] {
        let Err(mistakes) = read_text(&text, Path::new("/root"), owner) else { continue };
        assert!(!mistakes.is_empty());
        for mistake in mistakes {
            let span = mistake.span;
            assert!(span.start.saturating_add(span.length) <= text.len(), "{span:?}: {text}");
        }
    }
});
