//! Prints the shuffled orders of 1 to 256 banks, one per line, for `scripts/l1-bank-order` to compare.
#![expect(clippy::print_stdout, reason = "it prints what is compared")]

use hallmark_chip::L1BankOrder;

fn main() {
    for cores in 1..=256 {
        let banks = L1BankOrder::Shuffled.banks_of_cores(cores);
        let banks: Vec<String> = banks.iter().map(u32::to_string).collect();
        println!("{}", banks.join(" "));
    }
}
