//! A golden that was changed after it was blessed is noticed, whichever bit it is.

use hallmark_pipeline::golden;
use hallmark_schema::Golden;

use crate::common::{in_parallel, repository};

/// Of each golden so many bits are flipped, one at a time, evenly from its start to its end.
const FLIPS: usize = 100;
/// Of one golden in so many, all of them are.
const IN_FULL: usize = 200;

#[test]
fn flipped_bits_of_every_golden_are_rejected() {
    let root = repository();
    let files = golden::files(&root).unwrap();
    let goldens: Vec<_> = files.iter().filter(|file| file.path.ends_with(".lmb")).collect();
    let flips = in_parallel(goldens.len(), |index| {
        let file = goldens[index];
        let mut bytes = std::fs::read(root.folder().join(&file.path)).unwrap();
        Golden::from_bytes(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.path));
        let bits = bytes.len() * 8;
        let step = if index.is_multiple_of(IN_FULL) { 1 } else { bits.div_ceil(FLIPS) };
        // Not the same bits of every golden.
        let chosen = (index % step..bits).step_by(step);
        let count = chosen.len();
        for bit in chosen {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let read = Golden::from_bytes(&bytes);
            assert!(read.is_err(), "{}: bit {} of byte {}", file.path, bit % 8, bit / 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        count
    });
    let flips: usize = flips.iter().sum();
    println!("{flips} flipped bits in {} goldens, all rejected", goldens.len());
    assert!(flips > 0, "there are no goldens below {}", root.folder().display());
}
