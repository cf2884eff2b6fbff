//! `cargo +nightly fuzz run baseline`: no text makes the reader of baselines panic, each mistake has its place, and a
//! baseline that was read is written and read again as it was.
#![no_main]

use hallmark_pipeline::baseline::Baseline;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match Baseline::of_text("baseline.yaml".to_owned(), &text) {
        Ok(known) => {
            let written = known.text().expect("a baseline has a text");
            let again = Baseline::of_text("baseline.yaml".to_owned(), &written);
            let again = again.expect("the text of a baseline is one");
            assert_eq!(again.text().ok(), Some(written));
        }
        Err(mistakes) => assert!(mistakes.to_string().contains("baseline.yaml"), "{mistakes}"),
    }
});
