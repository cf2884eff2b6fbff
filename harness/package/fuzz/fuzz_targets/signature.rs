//! `cargo +nightly fuzz run signature`: the readers of signatures and of allowed signers panic on no text.
#![no_main]

use hallmark_package::{Namespace, Revoked, Signers, Timestamp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (text, signature) = bytes.split_at(bytes.len() / 2);
    let Ok(signers) = Signers::parse(&String::from_utf8_lossy(text)) else { return };
    let Ok(revoked) = Revoked::parse(signature) else { return };
    let at = Timestamp::now();
    for signature in [signature, bytes] {
        drop(signers.verify(text, signature, Namespace::Package, at, &revoked));
    }
});
