//! `cargo +nightly fuzz run kernel_elf`: no ELF and no message makes the readers of kernels panic. The first half of the
//! input is the ELF, the other one is what the kernel prints.
#![no_main]

use hallmark_device_code::{KernelImage, LeftoverPlaces, ring_values, waypoint_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (elf, printed) = bytes.split_at(bytes.len() / 2);
    let words: Vec<u32> =
        printed.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let _ = words.first().copied().and_then(waypoint_text);
    assert!(ring_values(printed).len() <= LeftoverPlaces::RING_BUFFER_SIZE as usize / 4);
    let Ok(image) = KernelImage::parse(elf) else { return };
    let _ = image.printed(&words);
    if let Some(block) = image.print_block() {
        assert!(block < image.size());
        let _ = image.print_processor();
    }
    for offset in (0..image.size()).step_by(4) {
        if let Some(assertion) = image.assertion_at(0, offset) {
            assert!(!assertion.to_string().contains(char::is_control));
        }
    }
});
