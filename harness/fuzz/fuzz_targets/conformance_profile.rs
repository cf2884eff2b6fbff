//! `cargo +nightly fuzz run conformance_profile`: no text makes the reader of conformance profiles panic, and each mistake
//! has its place.
#![no_main]

use std::path::PathBuf;

use hallmark_certification::profile::ConformanceProfile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match ConformanceProfile::of_text("profile.yaml".to_owned(), &text, PathBuf::new()) {
        Ok(profile) => assert_eq!(profile.text(), text),
        Err(mistakes) => assert!(mistakes.to_string().contains("profile.yaml"), "{mistakes}"),
    }
});
