//! Arithmetic on the widest registers that the processor has. The same code is compiled twice on x86-64: for the processors that
//! have AVX2, which shift each column by its own distance and take half the time, and for all others.

#![expect(
    unsafe_code,
    reason = "code for AVX2 may be called where the processor has it, which only run time tells"
)]

use crate::registers::Row;

/// Arithmetic on rows. The functions that it calls are `#[inline(always)]`: the compiler builds any other function once,
/// without AVX2.
pub(super) trait Arithmetic {
    /// Adds to rows of numbers of `Dst`.
    fn add_to(&self, numbers: &mut [Row<u32>; 8]);
}

/// Does arithmetic with AVX2 if the processor has it.
pub(super) fn add_to(numbers: &mut [Row<u32>; 8], arithmetic: &impl Arithmetic) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { add_with_avx2(numbers, arithmetic) };
        return;
    }
    arithmetic.add_to(numbers);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_with_avx2(numbers: &mut [Row<u32>; 8], arithmetic: &impl Arithmetic) {
    arithmetic.add_to(numbers);
}
