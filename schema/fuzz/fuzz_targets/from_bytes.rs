//! `cargo +nightly fuzz run from_bytes`: the reader panics on no file, and each capture that it accepts can be
//! written, dumped and compared.
#![no_main]

use hallmark_schema::model::Capture;
use hallmark_schema::{Golden, diff, dump, from_jsonl, program_from_bytes, to_jsonl};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = program_from_bytes(bytes);
    // Without a correct trailer the reader would refuse every file at once.
    let mut file = bytes.to_vec();
    file.extend_from_slice(b"HLMKBLK3");
    let hash = blake3::hash(&file);
    file.extend_from_slice(hash.as_bytes());
    let _ = Golden::from_bytes(&file);
    if let Ok(capture) = Capture::from_bytes(&file) {
        let again = capture.to_bytes().expect("what was read can be written");
        assert_eq!(Capture::from_bytes(&again).as_ref(), Ok(&capture));
        assert_eq!(from_jsonl(&to_jsonl(&capture)).as_ref(), Ok(&capture));
        assert!(diff(&capture, &capture).is_empty());
        assert!(!dump(&capture).is_empty());
    }
});
