//! A golden that was changed after it was blessed is noticed, whichever bit it is.

use hallmark::golden;
use hallmark_schema::Golden;

use crate::common::{in_parallel, repository};

#[test]
fn every_flipped_bit_of_every_golden_is_rejected() {
    let root = repository();
    let files = golden::files(&root).unwrap();
    let goldens: Vec<_> = files.iter().filter(|file| file.path.ends_with(".lmb")).collect();
    let flips = in_parallel(goldens.len(), |index| {
        let file = goldens[index];
        let mut bytes = std::fs::read(root.folder().join(&file.path)).unwrap();
        Golden::from_bytes(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.path));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                let read = Golden::from_bytes(&bytes);
                assert!(read.is_err(), "{}: bit {bit} of byte {at}", file.path);
                bytes[at] ^= 1 << bit;
            }
        }
        bytes.len() * 8
    });
    let flips: usize = flips.iter().sum();
    println!("{flips} flipped bits in {} goldens, all rejected", goldens.len());
    assert!(flips > 0, "there are no goldens below {}", root.folder().display());
}
