//! A write whose buffer is freed while it is under way, and twins.

use std::sync::Arc;

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const BLOCK: u32 = 0x800;
const KERNEL: u32 = 0x1000;
const OWN: (u8, u8) = (19, 20);
const PEER: (u8, u8) = (24, 22);
/// Where the data comes from, and where it goes.
const SOURCE: u32 = 0x4000;
const TARGET: u32 = 0x3040;
const LENGTH: u32 = 64;

fn buffer(number: u32, name: &str, start: u32) -> Arc<DescribedBuffer> {
    let tile = physical(tile(PEER.0, PEER.1));
    let (start, length) = (TileAddress(start.into()), u64::from(2 * LENGTH));
    let extents = vec![DescribedExtent { tile, start, length, runs: Vec::new() }];
    let (pages, page_size, sharded, address) = (1, length, true, start.0);
    let name = name.into();
    Arc::new(DescribedBuffer { number, name, pages, page_size, sharded, address, extents })
}

fn launch(size: u32, target: &Arc<DescribedBuffer>) -> LaunchDescription {
    let circular_buffer = DescribedCircularBuffer {
        index: 3,
        address: SOURCE,
        size: LENGTH,
        page_size: LENGTH,
        pages: 1,
        buffer: None,
    };
    let image = DescribedImage {
        processor: Processor::Brisc,
        entry: KERNEL,
        code: KERNEL..KERNEL + size,
        waits_after: Vec::new(),
        table: None,
    };
    LaunchDescription {
        version: LaunchDescription::VERSION,
        program: 3,
        size: 0x20,
        kernels: vec![DescribedKernel {
            name: "sends".into(),
            noc: Some(Noc::Noc0),
            numbers: [].into(),
            unique_arguments: DescribedArguments::default(),
            common_arguments: DescribedArguments::default(),
            scratchpads: Vec::new(),
            images: vec![image],
        }],
        circular_buffers: vec![circular_buffer],
        buffers: vec![Arc::clone(target)],
        reserved: [ReservedMemory { range: 0..0x2000, purpose: ReservedUse::Launches }].into(),
        ..LaunchDescription::default()
    }
}

/// What the host does while the kernel or its write is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Nothing,
    Frees,
    /// Another buffer takes the memory.
    Reuses,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Passes,
    /// The request was issued too late.
    Freed,
    NotGiven,
    /// It landed too late.
    Landed,
    LandedInAnother,
}

fn place(bench: &mut Bench, buffer: &DescribedBuffer, meaning: Meaning) {
    let extent = buffer.extents.first().unwrap();
    bench.device.annotate(extent.tile, extent.start, extent.length, meaning).unwrap();
}

/// Starts a kernel that writes to the buffer `old`, and does nothing for so many instructions after it.
fn start(
    (control, idle): (u32, u32),
    old: &Arc<DescribedBuffer>,
    change: &dyn Fn(&mut LaunchDescription),
) -> Bench {
    let (own, peer) = (tile(OWN.0, OWN.1), tile(PEER.0, PEER.1));
    // A schedule in which requests are under way for a while.
    let mut bench = Bench::racing(77);
    bench.clear(own);
    bench.clear(peer);
    let mut kernel = Assembler::new();
    let ends = (end(OWN.0, OWN.1, SOURCE.into()), end(PEER.0, PEER.1, TARGET.into()));
    kernel.request((0, 0), control, ends.0, ends.1, LENGTH, 0);
    for _ in 0..idle {
        kernel.emit(addi(ZERO, ZERO, 0));
    }
    kernel.emit(i(0x67, 0, RA, 0, ZERO));
    bench.load(own, KERNEL.into(), &kernel.words);
    let mut firmware = Assembler::new();
    firmware.li(A0, BLOCK);
    let offset = KERNEL as i32 - firmware.place();
    firmware.emit(j(offset, RA)).halt();
    bench.load(own, 0, &firmware.words);

    place(&mut bench, old, Meaning::Buffer);
    bench.device.describe_buffer(old).unwrap();
    let mut described = launch(kernel.place() as u32, old);
    change(&mut described);
    if described.buffers.is_empty() {
        // A number among the data of the core.
        bench.write_word(own, 0x5000, TARGET);
    }
    let block = TileAddress(BLOCK.into());
    bench.device.describe_launches(physical(own), block, &[Arc::new(described)]).unwrap();
    bench.release(own, BRISC);
    bench
}

/// Runs the kernel for so many ticks before the host acts.
fn run(kernel: (u32, u32), ticks: u64, host: Host) -> End {
    let old = buffer(7, "old", 0x3000);
    let mut bench = start(kernel, &old, &|_| {});
    let ended = bench.device.advance(ticks).err().map_or_else(
        || {
            if host != Host::Nothing {
                place(&mut bench, &old, Meaning::Freed);
            }
            if host == Host::Reuses {
                let new = buffer(8, "new", 0x3040);
                place(&mut bench, &new, Meaning::Buffer);
                bench.device.describe_buffer(&new).unwrap();
            }
            bench.settle().map(|_| ())
        },
        Err,
    );
    let reason = match ended {
        Ok(()) => return End::Passes,
        Err(DeviceError::Fault(fault)) => {
            assert_eq!(fault.category, FaultCategory::MemoryNotGranted, "{}", fault.reason);
            assert!(fault.reason.contains("kernel `sends`"), "{}", fault.reason);
            fault.reason
        }
        Err(other) => panic!("{other}"),
    };
    match reason {
        _ if reason.contains("lands in") => {
            assert!(reason.contains("`old`, which was freed while the request was under way"));
            let named = reason.contains("buffer `new` has the memory by now");
            if named { End::LandedInAnother } else { End::Landed }
        }
        _ if reason.contains("buffer `new`, which the launch was not given") => End::NotGiven,
        _ if reason.contains("which has been freed") => End::Freed,
        _ => panic!("{reason}"),
    }
}

/// The ends that there are, in the order of the ticks that the host waits.
fn ends(kernel: (u32, u32), host: Host) -> Vec<End> {
    let mut ends: Vec<End> = (0..1200).step_by(10).map(|ticks| run(kernel, ticks, host)).collect();
    ends.dedup();
    ends
}

#[test]
fn a_write_must_land_in_the_memory_that_it_was_sent_to() {
    for control in [WRITE, POSTED_WRITE] {
        let (ends_at_once, goes_on) = ((control, 0), (control, 2000));
        assert_eq!(run(ends_at_once, 0, Host::Nothing), End::Passes);
        let reused = [End::NotGiven, End::LandedInAnother, End::Passes];
        assert_eq!(ends(ends_at_once, Host::Reuses), reused);
        assert_eq!(ends(goes_on, Host::Frees), [End::Freed, End::Landed, End::Passes]);
        // A kernel may have ended when its write lands, and nobody has the memory.
        assert_eq!(ends(ends_at_once, Host::Frees), [End::Freed, End::Passes]);
    }
}

#[test]
fn a_run_of_a_kernel_counts_under_the_widest_rule_that_it_needed() {
    let runs = |change: &dyn Fn(&mut LaunchDescription)| {
        let mut bench = start((WRITE, 0), &buffer(7, "old", 0x3000), change);
        assert_eq!(bench.device.kernel_runs(), KernelRuns::default());
        bench.settle().unwrap();
        bench.device.kernel_runs()
    };
    let none = KernelRuns { of_unknown_end: 1, ..KernelRuns::default() };
    assert_eq!(runs(&|_| {}), KernelRuns { by_description: 1, ..none });
    let number = |launch: &mut LaunchDescription| {
        launch.buffers.clear();
        launch.kernels[0].numbers = [TARGET].into();
    };
    assert_eq!(runs(&number), KernelRuns { by_numbers: 1, ..none });
    let word = |launch: &mut LaunchDescription| launch.buffers.clear();
    assert_eq!(runs(&word), KernelRuns { by_words: 1, ..none });
    let bounds = |launch: &mut LaunchDescription| launch.reserved = [].into();
    assert_eq!(runs(&bounds), KernelRuns { by_bounds: 1, ..none });
    // The instructions after the kernel are known, and a kernel that moves no data has no such end.
    let known = |launch: &mut LaunchDescription| {
        let pc = KERNEL + 0x1000;
        launch.kernels[0].images[0].waits_after.push(pc..pc + 4);
    };
    let ended = KernelRuns { by_description: 1, ..KernelRuns::default() };
    assert_eq!(runs(&known), ended);
    assert_eq!(runs(&|launch| launch.kernels[0].noc = None), ended);
}
