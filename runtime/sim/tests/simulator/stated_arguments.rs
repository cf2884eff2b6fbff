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
    load_of(words, [Some(2), Some(common)], until)
}

/// The same with as many arguments of both kinds, or without a place for them.
fn load_of(words: &[u32], counts: [Option<u32>; 2], until: Option<u32>) -> Option<Fault> {
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
    let [unique, common] = [(OWN, counts[0]), (COMMON, counts[1])].map(|(address, count)| {
        count.map_or_else(DescribedArguments::default, |count| DescribedArguments {
            address,
            count,
            meanings: Vec::new(),
        })
    });
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
        unique_arguments: unique,
        common_arguments: common,
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

/// Its own arguments have no place then, and the common ones come behind those of other kernels.
#[test]
fn a_kernel_with_common_arguments_alone_is_judged_by_those() {
    let load = |word, count| load_of(&[word], [None, Some(count)], Some(UNTIL));
    for word in [COMMON, COMMON + 8, COMMON - 4, OWN, UNTIL, UNTIL + 0x4000, 0] {
        assert_eq!(load(word, 3), None, "{word:#x}");
    }
    for (word, index) in [(COMMON + 12, 3), (UNTIL - 4, 15)] {
        let fault = load(word, 3).unwrap();
        assert_eq!(fault.category, FaultCategory::ArgumentOutOfRange, "{}", fault.reason);
        let says =
            format!("kernel `k` reads common runtime argument {index}, and the host gave it 3");
        assert!(fault.reason.contains(&says), "{}", fault.reason);
    }
    // Without any, nothing tells which memory holds arguments.
    for word in [OWN, COMMON, UNTIL - 4] {
        assert_eq!(load_of(&[word], [None, None], Some(UNTIL)), None, "{word:#x}");
    }
}

#[test]
fn a_kernel_with_arguments_of_its_own_alone_is_judged_by_those() {
    let load = |word| load_of(&[word], [Some(2), None], Some(UNTIL));
    for word in [OWN, OWN + 4, OWN - 4, UNTIL] {
        assert_eq!(load(word), None, "{word:#x}");
    }
    for (word, index) in [(OWN + 8, 2), (COMMON, 16), (UNTIL - 4, 31)] {
        let fault = load(word).unwrap();
        let says = format!("kernel `k` reads runtime argument {index}, and the host gave it 2");
        assert!(fault.reason.contains(&says), "{}", fault.reason);
    }
}
