//! `cargo +nightly fuzz run waiver`: no text makes the reader of waivers panic, and each mistake has its place.
#![no_main]

use hallmark_certification::waivers::Waiver;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match Waiver::of_text("waiver.yaml".to_owned(), &text) {
        Ok(waiver) => assert_eq!(waiver.text(), text),
        Err(mistakes) => assert!(mistakes.to_string().contains("waiver.yaml"), "{mistakes}"),
    }
});
