//! Kernels that end with requests under way, and kernels that wait for them.

use std::sync::Arc;

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const POSTED_WRITES_SENT: u32 = 0x22C;
/// Requests of transaction 0 that have not had their responses, and those that have not left.
const OUTSTANDING: u32 = 0x240;
const OUTGOING: u32 = 0x280;

const BLOCK: u32 = 0x800;
const KERNEL: u32 = 0x1000;
const DATA: u32 = 0x4000;
/// The word by which a kernel tells the peer, and is answered.
const ANSWER: u32 = 0x5000;
const OWN: (u8, u8) = (19, 20);
const PEER: (u8, u8) = (22, 21);

/// A kernel as the runtime describes it, by name, its code, and the number of its words before the start-up code waits.
struct Kernel {
    name: &'static str,
    noc: Option<Noc>,
    code: Assembler,
    ends: i32,
    /// The word of its program's semaphore.
    semaphore: Option<u32>,
    /// It ends where it returns, as under another runtime's firmware.
    ends_by_return: bool,
}

/// A kernel on NoC 1 that does this and returns. The start-up code's part waits for the counters at these values.
fn kernel(name: &'static str, counters: &[(u32, u32)], body: impl Fn(&mut Assembler)) -> Kernel {
    let mut code = Assembler::new();
    body(&mut code);
    let ends = code.place();
    for (offset, value) in counters {
        code.barrier(1, *offset, *value);
    }
    code.emit(i(0x67, 0, RA, 0, ZERO));
    let noc = Some(Noc::Noc1);
    Kernel { name, noc, code, ends, semaphore: None, ends_by_return: false }
}

fn launch(kernel: &Kernel, entry: u32) -> Arc<LaunchDescription> {
    let size = kernel.code.place() as u32;
    let after = entry + kernel.ends as u32..entry + size;
    let image = DescribedImage {
        processor: Processor::Brisc,
        entry,
        code: entry..entry + size,
        waits_after: std::iter::once(after).filter(|_| !kernel.ends_by_return).collect(),
        table: None,
    };
    let described = DescribedKernel {
        name: kernel.name.into(),
        noc: kernel.noc,
        numbers: [].into(),
        unique_arguments: DescribedArguments::default(),
        common_arguments: DescribedArguments::default(),
        scratchpads: Vec::new(),
        images: vec![image],
    };
    Arc::new(LaunchDescription {
        version: LaunchDescription::VERSION,
        program: 3,
        kernels: vec![described],
        semaphores: kernel.semaphore.iter().map(|&address| semaphore(address)).collect(),
        ends_by_return: kernel.ends_by_return,
        ..LaunchDescription::default()
    })
}

fn semaphore(address: u32) -> DescribedSemaphore {
    DescribedSemaphore { number: 4, address }
}

/// BRISC runs the kernels one after the other.
fn run_with(seed: u64, described: bool, kernels: &[Kernel]) -> Option<Fault> {
    run_beside(Bench::racing(seed), described, kernels, None).0
}

/// The same while BRISC of the peer runs a program. What the device says of the kernels comes with the fault.
fn run_beside(
    mut bench: Bench,
    described: bool,
    kernels: &[Kernel],
    peers: Option<&Assembler>,
) -> (Option<Fault>, KernelRuns) {
    let (at, peer) = (tile(OWN.0, OWN.1), tile(PEER.0, PEER.1));
    bench.clear(at);
    bench.clear(peer);
    for at in [at, peer] {
        let word = TileAddress(ANSWER.into());
        bench.device.annotate(physical(at), word, 4, Meaning::Semaphore).unwrap();
    }
    if let Some(program) = peers {
        bench.load(peer, 0, &program.words);
        bench.release(peer, BRISC);
    }
    let mut firmware = Assembler::new();
    let entries = (0..).map(|number| KERNEL + 0x800 * number);
    for (kernel, entry) in kernels.iter().zip(entries.clone()) {
        bench.load(at, entry.into(), &kernel.code.words);
        firmware.li(A0, BLOCK);
        let offset = entry as i32 - firmware.place();
        firmware.emit(j(offset, RA));
    }
    firmware.halt();
    bench.load(at, 0, &firmware.words);
    let launches: Vec<_> =
        kernels.iter().zip(entries).map(|(kernel, entry)| launch(kernel, entry)).collect();
    if described {
        let block = TileAddress(BLOCK.into());
        bench.device.describe_launches(physical(at), block, &launches).unwrap();
    }
    bench.release(at, BRISC);
    let fault = match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(other) => panic!("{other}"),
    };
    (fault, bench.device.kernel_runs())
}

fn run(kernels: &[Kernel]) -> Option<Fault> {
    let fault = run_with(0, true, kernels);
    for seed in [1, 2, 77, u64::MAX] {
        let other = run_with(seed, true, kernels);
        assert_eq!(other.as_ref().map(|it| &it.reason), fault.as_ref().map(|it| &it.reason));
    }
    fault
}

fn assert_under_way(fault: Option<Fault>, words: &[&str]) -> Fault {
    let fault = fault.unwrap();
    assert_eq!(fault.category, FaultCategory::RequestsUnderWay, "{}", fault.reason);
    for word in words {
        assert!(fault.reason.contains(word), "`{word}` is not in: {}", fault.reason);
    }
    fault
}

/// NoC 1 counts from the opposite corner only in raw coordinates; these are translated.
fn issue(code: &mut Assembler, noc: u32, control: u32) {
    let own = end(OWN.0, OWN.1, u64::from(DATA));
    let peer = end(PEER.0, PEER.1, u64::from(DATA) + 0x40);
    match control {
        READ => code.request((noc, 1), READ, peer, own, 16, 0),
        ATOMIC => code.request((noc, 3), ATOMIC, peer, own, INCREMENT, 1),
        INLINE_WRITE => code.request((noc, 2), INLINE_WRITE, peer, own, 0xF, 5),
        _ => code.request((noc, 0), control, own, peer, 16, 0),
    };
}

/// A kind of requests by its control word, its name, its barrier, the counters that say that its requests are done enough,
/// and counters that do not.
type Kind = (u32, &'static str, &'static str, &'static [u32], &'static [u32]);

const KINDS: [Kind; 5] = [
    (
        READ,
        "a NoC read",
        "noc_async_read_barrier",
        &[READ_RESPONSES],
        &[WRITE_ACKNOWLEDGEMENTS, ATOMIC_RESPONSES, WRITES_SENT],
    ),
    (
        WRITE,
        "a NoC write",
        "noc_async_write_barrier (or noc_async_writes_flushed)",
        &[WRITE_ACKNOWLEDGEMENTS, WRITES_SENT],
        &[READ_RESPONSES, POSTED_WRITES_SENT, ATOMIC_RESPONSES],
    ),
    (
        INLINE_WRITE,
        "a NoC write",
        "noc_async_write_barrier",
        &[WRITE_ACKNOWLEDGEMENTS, WRITES_SENT],
        &[READ_RESPONSES, POSTED_WRITES_SENT],
    ),
    (
        POSTED_WRITE,
        "a posted NoC write",
        "noc_async_posted_writes_flushed",
        &[POSTED_WRITES_SENT],
        &[WRITE_ACKNOWLEDGEMENTS, WRITES_SENT, ATOMIC_RESPONSES],
    ),
    (
        ATOMIC,
        "a NoC atomic",
        "noc_async_atomic_barrier",
        &[ATOMIC_RESPONSES],
        &[WRITE_ACKNOWLEDGEMENTS, WRITES_SENT, READ_RESPONSES],
    ),
];

#[test]
fn each_kind_needs_a_wait_of_its_own() {
    for (control, name, barrier, enough, others) in KINDS {
        let body = |waits: &[(u32, u32)]| {
            let waits = waits.to_vec();
            kernel("k", &[(enough[0], 1)], move |code| {
                issue(code, 1, control);
                for (offset, value) in &waits {
                    code.barrier(1, *offset, *value);
                }
            })
        };
        let fault = assert_under_way(run(&[body(&[])]), &["kernel `k` on BRISC", name, barrier]);
        assert!(fault.place.unwrap().pc.unwrap() > KERNEL);
        assert_eq!(fault.against, None);
        for offset in enough {
            assert_eq!(run(&[body(&[(*offset, 1)])]), None, "{name} {offset:#x}");
        }
        for offset in others {
            assert_under_way(run(&[body(&[(*offset, 0)])]), &[name]);
        }
    }
}

#[test]
fn a_kernel_may_end_where_it_returns() {
    for (control, name, barrier, enough, others) in KINDS {
        let body = |waits: &[(u32, u32)]| {
            let waits = waits.to_vec();
            let kernel = kernel("k", &[], move |code| {
                issue(code, 1, control);
                for (offset, value) in &waits {
                    code.barrier(1, *offset, *value);
                }
            });
            Kernel { ends_by_return: true, ..kernel }
        };
        let fault = assert_under_way(run(&[body(&[])]), &["kernel `k` on BRISC", name, barrier]);
        assert!(fault.place.unwrap().pc.unwrap() > KERNEL);
        for offset in enough {
            assert_eq!(run(&[body(&[(*offset, 1)])]), None, "{name} {offset:#x}");
        }
        for offset in others {
            assert_under_way(run(&[body(&[(*offset, 0)])]), &[name]);
        }
    }
}

#[test]
fn requests_by_transaction_are_waited_for_by_transaction() {
    let body = |control: u32, offset: u32, counter: (u32, u32)| {
        kernel("k", &[counter], move |code| {
            issue(code, 1, control);
            code.barrier(1, offset, 0);
        })
    };
    let acknowledged = (WRITE_ACKNOWLEDGEMENTS, 1);
    assert_eq!(run(&[body(WRITE, OUTSTANDING, acknowledged)]), None);
    assert_eq!(run(&[body(WRITE, OUTGOING, acknowledged)]), None);
    assert_eq!(run(&[body(READ, OUTSTANDING, (READ_RESPONSES, 1))]), None);
    // Another transaction.
    assert_under_way(run(&[body(WRITE, OUTSTANDING + 4, acknowledged)]), &["a NoC write"]);
    // An atomic must have had its response, and not only have left.
    let atomic = run(&[body(ATOMIC, OUTGOING, (ATOMIC_RESPONSES, 1))]);
    assert_under_way(atomic, &["a NoC atomic"]);
}

#[test]
fn the_answer_to_an_atomic_tells_that_writes_before_it_have_left() {
    let on = |channel: u32| STATIC_CHANNEL | channel << 13;
    let body = |first: (u32, u32), second: (u32, u32)| {
        let counters = [(WRITE_ACKNOWLEDGEMENTS, 1), (ATOMIC_RESPONSES, 1)];
        kernel("k", &counters, move |code| {
            let own = end(OWN.0, OWN.1, u64::from(DATA));
            let peer = end(PEER.0, PEER.1, u64::from(DATA) + 0x40);
            for (control, channel) in [first, second] {
                match control {
                    ATOMIC => code.request((1, 3), ATOMIC | on(channel), peer, own, INCREMENT, 1),
                    _ => code.request((1, 0), control | on(channel), own, peer, 16, 0),
                };
            }
            code.barrier(1, ATOMIC_RESPONSES, 1);
        })
    };
    assert_eq!(run(&[body((WRITE, 2), (ATOMIC, 2))]), None);
    // On another channel the atomic may overtake the write.
    assert_under_way(run(&[body((WRITE, 2), (ATOMIC, 3))]), &["a NoC write"]);
    assert_under_way(run(&[body((ATOMIC, 2), (WRITE, 2))]), &["a NoC write"]);
}

#[test]
fn luck_is_no_wait() {
    let late = kernel("late", &[(WRITE_ACKNOWLEDGEMENTS, 2)], |code| {
        issue(code, 1, WRITE);
        code.barrier(1, WRITE_ACKNOWLEDGEMENTS, 1);
        issue(code, 1, WRITE);
        code.li(T0, 4000);
        let again = code.place();
        code.emit(addi(T0, T0, -1)).bne(T0, ZERO, again);
    });
    assert_under_way(run(&[late]), &["kernel `late`", "a NoC write issued at pc"]);
}

#[test]
fn a_fault_names_each_kind_and_the_last_request_of_each() {
    let both = kernel("both", &[(WRITE_ACKNOWLEDGEMENTS, 3), (ATOMIC_RESPONSES, 1)], |code| {
        issue(code, 1, ATOMIC);
        for _ in 0..3 {
            issue(code, 1, WRITE);
        }
    });
    let words = [
        "3 NoC writes, the last at pc",
        "a NoC atomic issued at pc",
        "(or noc_async_writes_flushed) and",
    ];
    let fault = assert_under_way(run(&[both]), &words);
    let pc = |place: Option<Box<FaultPlace>>| place.unwrap().pc.unwrap();
    let (write, atomic) = (pc(fault.place), pc(fault.against));
    assert!(KERNEL < atomic && atomic < write, "{atomic:#x} {write:#x}");
    for at in [write, atomic] {
        assert!(fault.reason.contains(&format!("at pc {at:#x}")), "{}", fault.reason);
    }
}

#[test]
fn the_last_request_of_a_kind_may_have_another_identifier() {
    const PACKET_TAG: u32 = 0xFFB3_0018;
    for identifiers in [[3, 5], [5, 3]] {
        let two = kernel("two", &[(WRITE_ACKNOWLEDGEMENTS, 3)], |code| {
            for identifier in [identifiers[0], identifiers[1], identifiers[1]] {
                code.poke(PACKET_TAG, identifier << 10);
                issue(code, 1, WRITE);
            }
        });
        let end = KERNEL + two.ends as u32;
        let fault = assert_under_way(run(&[two]), &["3 NoC writes, the last at pc"]);
        // The last request is what the kernel does last.
        assert_eq!(fault.place.unwrap().pc, Some(end - 4));
    }
}

/// Issues requests of a kind in a loop.
fn issue_many(code: &mut Assembler, control: u32, count: u32) {
    code.li(S0, count);
    let again = code.place();
    issue(code, 1, control);
    code.emit(addi(S0, S0, -1)).bne(S0, ZERO, again);
}

fn overflow(fault: Option<Fault>) -> Fault {
    let fault = fault.unwrap();
    assert_eq!(fault.category, FaultCategory::TransactionOverflow, "{}", fault.reason);
    fault
}

#[test]
fn the_request_beyond_a_count_is_the_first_of_all_kinds() {
    let mixed = kernel("mixed", &[(READ_RESPONSES, 151), (WRITE_ACKNOWLEDGEMENTS, 150)], |code| {
        issue_many(code, READ, 150);
        issue_many(code, WRITE, 150);
        issue(code, 1, READ);
        code.barrier(1, OUTSTANDING, 0);
    });
    let fault = overflow(run(&[mixed]));
    assert!(fault.reason.contains("has made 301 requests"), "{}", fault.reason);
    let mut code = Assembler::new();
    issue_many(&mut code, READ, 150);
    let before = code.place();
    issue_many(&mut code, WRITE, 150);
    let writes = KERNEL + before as u32..KERNEL + code.place() as u32;
    let pc = fault.place.unwrap().pc.unwrap();
    assert!(writes.contains(&pc), "{pc:#x} is not in {writes:x?}");
}

#[test]
fn the_next_kernel_counts_anew() {
    let part = |name, count: u32, in_all: u32, waits: bool| {
        kernel(name, &[(WRITES_SENT, in_all)], move |code| {
            issue_many(code, WRITE, count);
            if waits {
                code.barrier(1, OUTSTANDING, 0);
            }
            code.barrier(1, WRITES_SENT, in_all);
        })
    };
    // The first one only waits until its writes have left.
    assert_eq!(run(&[part("first", 200, 200, false), part("second", 200, 400, true)]), None);
    overflow(run(&[part("first", 200, 200, false), part("second", 256, 456, true)]));
}

#[test]
fn writes_that_have_left_count_no_more_among_those_that_are_leaving() {
    let parts = |wait: Option<(u32, u32)>| {
        kernel("parts", &[(WRITES_SENT, 400)], move |code| {
            issue_many(code, WRITE, 200);
            if let Some((offset, value)) = wait {
                code.barrier(1, offset, value);
            }
            issue_many(code, WRITE, 200);
            code.barrier(1, OUTGOING, 0);
        })
    };
    for wait in [(OUTGOING, 0), (WRITES_SENT, 200), (WRITE_ACKNOWLEDGEMENTS, 200)] {
        assert_eq!(run(&[parts(Some(wait))]), None, "{wait:x?}");
    }
    overflow(run(&[parts(None)]));
    overflow(run(&[parts(Some((OUTGOING + 4, 0)))]));
}

#[test]
fn identifiers_and_nocs_have_counts_of_their_own() {
    const PACKET_TAG: u32 = 0xFFB3_0018;
    let two = |identifier: u32| {
        kernel("two", &[(WRITES_SENT, 400)], move |code| {
            issue_many(code, WRITE, 200);
            code.poke(PACKET_TAG, identifier << 10);
            issue_many(code, WRITE, 200);
            code.barrier(1, OUTSTANDING, 0).barrier(1, OUTSTANDING + 4 * 7, 0);
            code.poke(PACKET_TAG, 0);
        })
    };
    assert_eq!(run(&[two(7)]), None);
    overflow(run(&[two(0)]));
    let other_noc = kernel("other", &[(WRITES_SENT, 200)], |code| {
        issue_many(code, WRITE, 200);
        code.li(S0, 200);
        let again = code.place();
        issue(code, 0, WRITE);
        code.emit(addi(S0, S0, -1)).bne(S0, ZERO, again);
        code.barrier(1, OUTSTANDING, 0).barrier(0, OUTSTANDING, 0);
    });
    assert_eq!(run(&[other_noc]), None);
}

/// A multicast counts as one request and has as many answers as receivers.
#[test]
fn a_multicast_to_several_makes_the_count_of_its_identifier_wrong() {
    const PACKET_TAG: u32 = 0xFFB3_0018;
    const CLEAR: u32 = 0xFFB3_0050;
    // Several tiles of a column, or one tile by itself.
    let multicast = |code: &mut Assembler, receivers: u8| {
        let own = end(OWN.0, OWN.1, u64::from(DATA));
        let last = (PEER.0, PEER.1 + receivers - 1);
        let rectangle = rectangle(last, PEER, u64::from(DATA) + 0x40);
        code.poke(PACKET_TAG, 7 << 10);
        code.request((1, 0), MULTICAST, own, rectangle, 16, 0);
        code.poke(PACKET_TAG, 0);
    };
    let waits = OUTSTANDING + 4 * 7;
    let sends = |receivers: u8, clears: Option<u32>, wait: Option<u32>| {
        let answers = [(WRITE_ACKNOWLEDGEMENTS, receivers.into())];
        kernel("sends", &answers, move |code| {
            multicast(code, receivers);
            code.barrier(1, WRITE_ACKNOWLEDGEMENTS, receivers.into());
            if let Some(mask) = clears {
                code.poke(CLEAR, mask);
            }
            if let Some(wait) = wait {
                code.barrier(1, wait, 0);
            }
        })
    };
    for receivers in [2, 3] {
        let fault = overflow(run(&[sends(receivers, None, Some(waits))]));
        let said = format!("identifier 7 on NoC 1, which a multicast to {receivers} receivers");
        assert!(fault.reason.contains(&said), "{}", fault.reason);
        let (multicast, wait) = (fault.place.unwrap(), fault.against.unwrap());
        assert!(multicast.pc < wait.pc);
        assert_eq!((wait.tile, wait.processor), (multicast.tile, Some(Processor::Brisc)));
    }
    for others in [0xFFFF ^ 1 << 7, 1 << 3] {
        let fault = overflow(run(&[sends(3, Some(others), Some(waits))]));
        assert!(fault.reason.contains("receivers"), "{}", fault.reason);
    }
    assert_eq!(run(&[sends(3, Some(1 << 7 | 1 << 9), Some(waits))]), None);
    assert_eq!(run(&[sends(3, None, Some(OUTSTANDING + 4 * 6))]), None);
    assert_eq!(run(&[sends(3, None, Some(OUTGOING + 4 * 7))]), None);
    assert_eq!(run(&[sends(1, None, Some(waits))]), None);
    assert_eq!(run(&[sends(3, None, None)]), None);
    // The count stays wrong for the next kernel, which has no part in it.
    let next = |answers: u32| {
        kernel("next", &[(WRITE_ACKNOWLEDGEMENTS, answers)], |code| {
            code.barrier(1, waits, 0);
        })
    };
    let fault = overflow(run(&[sends(3, None, None), next(3)]));
    let said = "kernel `next` on BRISC";
    assert!(fault.reason.contains(said) && fault.reason.contains("of a kernel before it"));
    assert_eq!(fault.against, None);
    assert_eq!(run(&[sends(3, Some(1 << 7), None), next(3)]), None);
}

#[test]
fn only_the_kernels_own_noc_counts() {
    let other = |noc: Option<Noc>| Kernel {
        noc,
        ..kernel("other", &[(WRITE_ACKNOWLEDGEMENTS, 0)], |code| issue(code, 0, WRITE))
    };
    assert_eq!(run(&[other(Some(Noc::Noc1))]), None);
    assert_under_way(run(&[other(Some(Noc::Noc0))]), &["a NoC write"]);
    assert_eq!(run(&[other(None)]), None);
}

/// The core that waits for the semaphore shows that the word has left. It shows nothing of other requests.
#[test]
fn a_word_to_a_semaphore_needs_no_wait() {
    let target = DATA + 0x40;
    for (controls, semaphore, left) in [
        (&[INLINE_WRITE] as &[u32], target, None),
        (&[INLINE_WRITE, INLINE_WRITE], target, None),
        (&[INLINE_WRITE], target + 4, Some("a NoC write issued")),
        (&[WRITE], target, Some("a NoC write issued")),
        (&[ATOMIC], target, Some("a NoC atomic issued")),
        (&[WRITE, INLINE_WRITE], target, Some("a NoC write issued")),
        (&[INLINE_WRITE, WRITE, WRITE], target, Some("2 NoC writes")),
    ] {
        let signals = Kernel {
            semaphore: Some(semaphore),
            ..kernel("signals", &[(WRITE_ACKNOWLEDGEMENTS, 0)], |code| {
                controls.iter().for_each(|&control| issue(code, 1, control));
            })
        };
        match left {
            None => assert_eq!(run(&[signals]).map(|it| it.reason), None, "{controls:?}"),
            Some(words) => {
                assert_under_way(run(&[signals]), &[words]);
            }
        }
    }
}

#[test]
fn the_next_kernel_is_not_blamed() {
    let first = Kernel {
        noc: Some(Noc::Noc0),
        ..kernel("first", &[(WRITE_ACKNOWLEDGEMENTS, 1)], |code| issue(code, 1, WRITE))
    };
    let second = kernel("second", &[(WRITE_ACKNOWLEDGEMENTS, 1)], |_| {});
    assert_eq!(run(&[first, second]), None);
    let first = kernel("first", &[(WRITE_ACKNOWLEDGEMENTS, 0)], |_| {});
    let second = kernel("second", &[(WRITE_ACKNOWLEDGEMENTS, 1)], |code| issue(code, 1, WRITE));
    assert_under_way(run(&[first, second]), &["kernel `second`"]);
}

#[test]
fn a_launch_that_nobody_described_is_not_judged() {
    let left = || kernel("k", &[(WRITE_ACKNOWLEDGEMENTS, 1)], |code| issue(code, 1, WRITE));
    assert_eq!(run_with(0, false, &[left()]), None);
    // Nor is one whose end is not known.
    let unknown = Kernel { ends: left().code.place(), ..left() };
    assert_eq!(run(&[unknown]), None);
}

const LINKED: u32 = 1 << 6;

/// The linked request leaves its path to whoever comes next.
#[test]
fn a_kernel_that_leaves_a_path_open_is_a_fault() {
    let send = |p: &mut Assembler, control: u32| {
        let to = rectangle((23, 22), (21, 20), 0x4100);
        p.request((1, 0), control, end(OWN.0, OWN.1, DATA.into()), to, 32, 0);
    };
    let sends = |controls: &'static [u32], acknowledged: u32| {
        kernel("sends", &[], move |p| {
            for &control in controls {
                send(p, control);
            }
            p.barrier(1, WRITE_ACKNOWLEDGEMENTS, acknowledged);
        })
    };
    assert_eq!(run(&[sends(&[MULTICAST | LINKED, MULTICAST], 18)]), None);
    let fault = run(&[sends(&[MULTICAST | LINKED], 9)]).unwrap();
    assert_eq!(fault.category, FaultCategory::LinkedMulticast, "{}", fault.reason);
    for words in ["the kernel has ended", "the multicast of 32 bytes", "NoC 1", "linked = false"] {
        assert!(fault.reason.contains(words), "`{words}` is not in: {}", fault.reason);
    }
    let place = fault.place.unwrap();
    assert_eq!(
        (place.tile, place.processor),
        (physical(tile(OWN.0, OWN.1)), Some(Processor::Brisc))
    );
    assert!(place.pc.is_some_and(|pc| (KERNEL..KERNEL + 0x800).contains(&pc)));
}

/// A kernel that multicasts its data, counts up a word of the peer and waits for the peer's answer. No wait of its own covers
/// the atomic: the peer's answer tells that it has arrived.
fn sends_and_is_answered(controls: &[u32], ends_by_return: bool) -> Kernel {
    let acknowledged = 9 * controls.len() as u32;
    // Start-up code waits for these.
    let counters = [(WRITE_ACKNOWLEDGEMENTS, acknowledged), (ATOMIC_RESPONSES, 1)];
    let counters = if ends_by_return { &counters[..0] } else { &counters[..] };
    let kernel = kernel("sends", counters, |p| {
        for (place, &control) in (0..).zip(controls) {
            let to = rectangle((23, 22), (21, 20), 0x4100 + 32 * place);
            p.request((1, 0), control, end(OWN.0, OWN.1, DATA.into()), to, 32, 0);
        }
        p.barrier(1, WRITE_ACKNOWLEDGEMENTS, acknowledged);
        let (word, old) = (end(PEER.0, PEER.1, ANSWER.into()), end(OWN.0, OWN.1, 0x5100));
        p.request((1, 3), ATOMIC | STATIC_CHANNEL, word, old, INCREMENT, 1);
        p.wait_for(ANSWER, 1);
    });
    Kernel { ends_by_return, ..kernel }
}

/// Waits until a word is counted up, and counts up a word of the tile that did it.
fn answers() -> Assembler {
    let mut program = Assembler::new();
    let (word, old) = (end(OWN.0, OWN.1, ANSWER.into()), end(PEER.0, PEER.1, 0x5100));
    program.wait_for(ANSWER, 1).request((0, 3), ATOMIC, word, old, INCREMENT, 1);
    program.barrier(0, ATOMIC_RESPONSES, 1).halt();
    program
}

/// Chips that find races, and chips whose programs may race: both follow the order of accesses.
const BENCHES: [fn(u64) -> Bench; 2] = [Bench::seeded, Bench::racing];

/// A kernel ends at one moment for all observers. The order of accesses may show that no request is under way; that one
/// observer asks for it does not make another one forget what the kernel has left.
#[test]
fn a_path_that_is_left_open_is_found_whatever_else_the_kernel_has_left() {
    for (ends_by_return, bench) in
        [true, false].into_iter().flat_map(|it| BENCHES.map(|bench| (it, bench)))
    {
        for seed in [0, 1, 2, 77, u64::MAX] {
            let run = |controls: &[u32]| {
                let kernels = [sends_and_is_answered(controls, ends_by_return)];
                run_beside(bench(seed), true, &kernels, Some(&answers()))
            };
            let (fault, runs) = run(&[MULTICAST | LINKED, MULTICAST]);
            assert_eq!(fault.map(|it| it.reason), None, "{ends_by_return}");
            // Each observer is told once.
            assert_eq!(runs, KernelRuns { by_bounds: 1, ..KernelRuns::default() });
            let fault = run(&[MULTICAST | LINKED]).0.unwrap();
            assert_eq!(fault.category, FaultCategory::LinkedMulticast, "{}", fault.reason);
            assert!(fault.reason.contains("the kernel has ended"), "{}", fault.reason);
        }
    }
}

/// Programs that may race are not stopped where the order is followed for the kernels' ends alone.
#[test]
fn described_kernels_may_race_where_races_are_allowed() {
    let mut peers = Assembler::new();
    let word = end(OWN.0, OWN.1, DATA.into());
    peers.request((0, 2), INLINE_WRITE, word, end(PEER.0, PEER.1, 0), 0xF, 7);
    peers.barrier(0, WRITE_ACKNOWLEDGEMENTS, 1).halt();
    for ends_by_return in [true, false] {
        let loads = kernel("loads", &[], |p| {
            p.poke(DATA, 5).peek(T0, DATA);
        });
        let kernels = [Kernel { ends_by_return, ..loads }];
        let found = BENCHES.map(|bench| {
            let (fault, _) = run_beside(bench(0), true, &kernels, Some(&peers));
            fault.map(|fault| fault.category)
        });
        assert_eq!(found, [Some(FaultCategory::DataRace), None]);
    }
}

/// Without the answer, the atomic is under way. The fault that comes first is told.
#[test]
fn a_path_and_requests_that_are_left_are_told_in_the_order_of_the_ends() {
    for ends_by_return in [true, false] {
        let alone = |controls: &[u32]| {
            let counters = [(ATOMIC_RESPONSES, 1)];
            let counters = if ends_by_return { &counters[..0] } else { &counters[..] };
            let kernel = kernel("sends", counters, |p| {
                for &control in controls {
                    let to = rectangle((23, 22), (21, 20), 0x4100);
                    p.request((1, 0), control, end(OWN.0, OWN.1, DATA.into()), to, 32, 0);
                }
                p.barrier(1, WRITE_ACKNOWLEDGEMENTS, 9 * controls.len() as u32);
                issue(p, 1, ATOMIC);
            });
            run(&[Kernel { ends_by_return, ..kernel }])
        };
        assert_under_way(alone(&[MULTICAST | LINKED, MULTICAST]), &["a NoC atomic"]);
        let fault = alone(&[MULTICAST | LINKED]).unwrap();
        let category = if ends_by_return {
            FaultCategory::LinkedMulticast
        } else {
            // The start-up code's wait comes before the return.
            FaultCategory::RequestsUnderWay
        };
        assert_eq!(fault.category, category, "{}", fault.reason);
    }
}
