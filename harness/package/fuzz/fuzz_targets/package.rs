//! `cargo +nightly fuzz run package`: the reader panics on no bytes, and an accepted archive equals the one
//! written from its files.
#![no_main]

use hallmark_package::{Archive, Contents, Limits, Package, Timestamp, write_archive};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    if let Ok(archive) = Archive::read(bytes, &limits) {
        let files = archive.files();
        let files = files.map(|(name, bytes)| (name.clone(), Contents::Bytes(bytes.to_vec())));
        let mut again = Vec::new();
        write_archive(&files.collect(), &mut again).expect("what was read can be written");
        assert_eq!(again, bytes);
    }
    if let Ok(package) = Package::read(bytes, &limits) {
        drop(package.statement(Timestamp::now()));
    }
});
