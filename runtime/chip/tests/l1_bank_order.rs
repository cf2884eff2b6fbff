//! Compares the order of the L1 banks with the output of a C++ program that calls libstdc++'s `std::shuffle`.
//! The program is `scripts/l1-bank-order`; it compares every order anew where a C++ compiler is present.

use hallmark_chip::L1BankOrder;

/// FNV-1a over 64 bits, taking one number at a time.
fn hash(numbers: impl IntoIterator<Item = u32>) -> u64 {
    numbers.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        (hash ^ u64::from(number)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn shuffled(cores: u32) -> Vec<u32> {
    L1BankOrder::Shuffled.banks_of_cores(cores)
}

/// The order for the compute grid of an unharvested Wormhole.
const OF_72: [u32; 72] = [
    34, 63, 38, 66, 52, 33, 4, 37, 20, 35, 14, 22, 67, 31, 36, 19, 30, 64, 3, 10, 25, 71, 59, 70,
    39, 24, 50, 12, 21, 42, 29, 5, 61, 0, 26, 54, 1, 9, 15, 13, 18, 58, 8, 46, 27, 51, 16, 53, 62,
    45, 68, 43, 41, 17, 55, 69, 49, 48, 57, 32, 47, 23, 11, 28, 40, 6, 65, 2, 44, 60, 56, 7,
];

#[test]
fn the_order_is_that_of_libstdcxx() {
    assert_eq!(shuffled(0), []);
    assert_eq!(shuffled(1), [0]);
    assert_eq!(shuffled(2), [1, 0]);
    assert_eq!(shuffled(7), [3, 0, 4, 6, 5, 1, 2]);
    assert_eq!(shuffled(8), [2, 7, 1, 6, 5, 0, 4, 3]);
    assert_eq!(shuffled(72), OF_72);
    assert_eq!(hash((1..=256).flat_map(shuffled)), 0x93d7_ba6c_5d17_4659);
}

/// Up to 46340 entries, one number decides for two of them.
#[test]
fn the_order_of_very_many_is_drawn_one_by_one() {
    for (cores, expected) in [
        (46_339, 0xa614_0863_6885_a816),
        (46_340, 0xafd6_18fe_842a_4a8f),
        (46_341, 0x9a9f_de6a_ed26_678f),
        (65_536, 0x17fe_e0a4_af6c_7be1),
    ] {
        assert_eq!(hash(shuffled(cores)), expected, "{cores} cores");
    }
}

#[test]
fn every_core_has_a_bank_of_its_own() {
    for cores in 0..300 {
        for order in [L1BankOrder::RowByRow, L1BankOrder::Shuffled] {
            let mut banks = order.banks_of_cores(cores);
            if order == L1BankOrder::RowByRow {
                assert!(banks.is_sorted());
            }
            banks.sort_unstable();
            assert!(banks.into_iter().eq(0..cores), "{cores} cores, {order:?}");
        }
    }
}
