//! Arguments of a launch whose other memory is unknown.

use std::sync::Arc;

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const BLOCK: u32 = 0x800;
const KERNEL: u32 = 0x1000;
const OWN: u32 = 0x2000;
const COMMON: u32 = 0x2040;
const UNTIL: u32 = 0x2080;

/// BRISC runs a kernel that loads words. The kernel has two arguments of its own, and as many common ones as stated.
fn load(words: &[u32], common: u32, until: Option<u32>) -> Option<Fault> {
    let at = tile(19, 20);
    let mut bench = Bench::new();
    bench.clear(at);
    let mut code = Assembler::new();
    for word in words {
        code.li(T1, *word);
        code.emit(lw(T0, T1, 0));
    }
    code.emit(i(0x67, 0, RA, 0, ZERO));
    bench.load(at, KERNEL.into(), &code.words);
    let mut firmware = Assembler::new();
    firmware.li(A0, BLOCK);
    let offset = KERNEL as i32 - firmware.place();
    firmware.emit(j(offset, RA));
    firmware.halt();
    bench.load(at, 0, &firmware.words);
    let arguments = |address, count| DescribedArguments { address, count, meanings: Vec::new() };
    let image = DescribedImage {
        processor: Processor::Brisc,
        entry: KERNEL,
        code: KERNEL..KERNEL + code.place() as u32,
        waits_after: Vec::new(),
        table: None,
    };
    let kernel = DescribedKernel {
        name: "k".into(),
        noc: None,
        numbers: [].into(),
        unique_arguments: arguments(OWN, 2),
        common_arguments: arguments(COMMON, common),
        scratchpads: Vec::new(),
        images: vec![image],
    };
    let launch = LaunchDescription {
        version: LaunchDescription::VERSION,
        kernels: vec![kernel],
        arguments_until: until,
        ..LaunchDescription::default()
    };
    let block = TileAddress(BLOCK.into());
    bench.device.describe_launches(physical(at), block, &[Arc::new(launch)]).unwrap();
    bench.release(at, BRISC);
    match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn arguments_that_a_kernel_was_given_may_be_loaded() {
    assert_eq!(load(&[OWN, OWN + 4, COMMON, COMMON + 8, OWN], 3, Some(UNTIL)), None);
    // Of other memory nothing is known.
    assert_eq!(load(&[OWN - 4, UNTIL, UNTIL + 0x4000, 0], 3, Some(UNTIL)), None);
    assert_eq!(load(&[OWN + 8, COMMON + 12], 3, None), None);
}

#[test]
fn arguments_that_a_kernel_was_not_given_are_out_of_range() {
    let words = [
        (OWN + 8, 3, "reads runtime argument 2"),
        (COMMON - 4, 3, "reads runtime argument 15"),
        (COMMON + 12, 3, "reads common runtime argument 3"),
        (UNTIL - 4, 0, "reads runtime argument 31"),
    ];
    for (word, common, says) in words {
        // An argument that was given comes first.
        for before in [&[][..], &[OWN], &[OWN + 4, OWN]] {
            let loaded = [before, &[word]].concat();
            let fault = load(&loaded, common, Some(UNTIL)).unwrap();
            assert_eq!(fault.category, FaultCategory::ArgumentOutOfRange, "{}", fault.reason);
            assert!(fault.reason.contains(&format!("kernel `k` {says}")), "{}", fault.reason);
        }
    }
}
