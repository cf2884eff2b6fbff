//! Rules of circular buffers, each broken once and once obeyed.

use std::sync::Arc;

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const BLOCK: u32 = 0x800;
/// Where NCRISC starts, and the kernels of BRISC and NCRISC.
const SECOND: u32 = 0x1_2000;
const KERNELS: [u32; 2] = [0x1000, 0x1_3000];
const OWN: (u8, u8) = (19, 20);
const PEER: (u8, u8) = (22, 21);
/// Tables of the two cores in their private memory.
const TABLES: u32 = 0xFFB0_0100;
const ENTRY: u32 = 24;
const READ_POINTER: u32 = 16;
const WRITE_POINTER: u32 = 20;
/// Circular buffer 3 has four pages, and circular buffer 5 lies behind it.
const INDEX: u32 = 3;
const PAGES: u32 = 4;
const PAGE: u32 = 64;
const START: u32 = 0x4000;
const NEXT: u32 = 5;

fn received(index: u32) -> u32 {
    0xFFB4_0010 + 0x1000 * index
}

fn acknowledged(index: u32) -> u32 {
    0xFFB4_000C + 0x1000 * index
}

fn buffer(index: u32, address: u32, pages: u32) -> DescribedCircularBuffer {
    DescribedCircularBuffer {
        index,
        address,
        size: pages * PAGE,
        page_size: PAGE,
        pages,
        buffer: None,
    }
}

fn launch(sizes: [u32; 2]) -> LaunchDescription {
    let processors = [Processor::Brisc, Processor::Ncrisc];
    let kernels = processors.into_iter().zip(KERNELS).zip(sizes).zip(["one", "other"]);
    LaunchDescription {
        version: LaunchDescription::VERSION,
        program: 3,
        kernels: kernels
            .map(|(((processor, entry), size), name)| DescribedKernel {
                name: name.into(),
                noc: Some(Noc::Noc0),
                numbers: [].into(),
                unique_arguments: DescribedArguments::default(),
                common_arguments: DescribedArguments::default(),
                scratchpads: Vec::new(),
                images: vec![DescribedImage {
                    processor,
                    entry,
                    code: entry..entry + size,
                    waits_after: Vec::new(),
                    table: Some(CircularBufferTable {
                        address: TABLES,
                        entries: 32,
                        stride: ENTRY,
                        read_pointer: READ_POINTER,
                        write_pointer: WRITE_POINTER,
                        unit: 1,
                    }),
                }],
            })
            .collect(),
        circular_buffers: vec![buffer(INDEX, START, PAGES), buffer(NEXT, START + PAGES * PAGE, 1)],
        ..LaunchDescription::default()
    }
}

/// What a kernel does with circular buffers, as the kernel API does it.
trait Api {
    fn set_up(&mut self) -> &mut Self;
    fn reserve(&mut self, pages: u32) -> &mut Self;
    fn push(&mut self, pages: u32) -> &mut Self;
    fn wait(&mut self, pages: u32) -> &mut Self;
    fn pop(&mut self, pages: u32) -> &mut Self;
    fn advance(&mut self, pointer: u32, count: u32, pages: u32) -> &mut Self;
    fn wait_until(&mut self, own: u32, others: u32, least: u32) -> &mut Self;
}

fn slti(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i(0x13, immediate, rs1, 2, rd)
}

impl Api for Assembler {
    fn set_up(&mut self) -> &mut Self {
        for pointer in [READ_POINTER, WRITE_POINTER] {
            self.poke(TABLES + ENTRY * INDEX + pointer, START);
        }
        self
    }

    /// Waits until one count is so far ahead of another, which stands still.
    fn wait_until(&mut self, still: u32, moves: u32, least: u32) -> &mut Self {
        self.peek(A0, still).li(A1, moves);
        let again = self.place();
        self.emit(lw(A2, A1, 0)).emit(r(0x20, A0, A2, 0, A2));
        self.emit(slti(A2, A2, least as i32)).bne(A2, ZERO, again)
    }

    fn reserve(&mut self, pages: u32) -> &mut Self {
        self.peek(A0, received(INDEX)).li(A1, acknowledged(INDEX));
        let again = self.place();
        self.emit(lw(A2, A1, 0)).emit(r(0x20, A2, A0, 0, A2));
        self.emit(slti(A2, A2, (PAGES - pages + 1) as i32)).emit(i(0x13, 1, A2, 4, A2));
        self.bne(A2, ZERO, again)
    }

    fn wait(&mut self, pages: u32) -> &mut Self {
        self.wait_until(acknowledged(INDEX), received(INDEX), pages)
    }

    fn advance(&mut self, pointer: u32, count: u32, pages: u32) -> &mut Self {
        let end = START + PAGES * PAGE;
        self.li(A0, TABLES + ENTRY * INDEX + pointer).emit(lw(A1, A0, 0));
        self.emit(addi(A1, A1, (pages * PAGE) as i32)).li(A2, end).emit(b(12, A2, A1, 1));
        self.li(A1, START).emit(sw(A1, A0, 0));
        self.li(A0, count).emit(lw(A1, A0, 0)).emit(addi(A1, A1, pages as i32)).emit(sw(A1, A0, 0))
    }

    fn push(&mut self, pages: u32) -> &mut Self {
        self.advance(WRITE_POINTER, received(INDEX), pages)
    }

    fn pop(&mut self, pages: u32) -> &mut Self {
        self.advance(READ_POINTER, acknowledged(INDEX), pages)
    }
}

type Body<'a> = &'a dyn Fn(&mut Assembler);

/// Runs a kernel on BRISC and one on NCRISC; the fault, if there is one.
fn run_with(
    seed: u64,
    change: &dyn Fn(&mut LaunchDescription),
    bodies: [Body<'_>; 2],
) -> Option<Fault> {
    run_beside(seed, None, change, bodies)
}

/// The same while the program has a launch on the other tile.
fn run_beside(
    seed: u64,
    there: Option<LaunchDescription>,
    change: &dyn Fn(&mut LaunchDescription),
    bodies: [Body<'_>; 2],
) -> Option<Fault> {
    let at = tile(OWN.0, OWN.1);
    let mut bench = Bench::racing(seed);
    bench.clear(at);
    bench.clear(tile(PEER.0, PEER.1));
    let mut sizes = [0; 2];
    for (((body, entry), start), size) in
        bodies.into_iter().zip(KERNELS).zip([0, SECOND]).zip(&mut sizes)
    {
        let mut kernel = Assembler::new();
        kernel.set_up();
        body(&mut kernel);
        kernel.emit(i(0x67, 0, RA, 0, ZERO));
        *size = kernel.place() as u32;
        bench.load(at, entry.into(), &kernel.words);
        let mut firmware = Assembler::new();
        // What a kernel before has left in the table is of no meaning to the launch.
        firmware.poke(TABLES + ENTRY * 7 + WRITE_POINTER, 0x2000).li(A0, BLOCK);
        let offset = entry as i32 - start as i32 - firmware.place();
        firmware.emit(j(offset, RA)).halt();
        bench.load(at, start.into(), &firmware.words);
    }
    for index in [INDEX, NEXT, 7] {
        bench.write_word(at, received(index).into(), 0);
        bench.write_word(at, acknowledged(index).into(), 0);
    }
    let mut launch = launch(sizes);
    change(&mut launch);
    let block = TileAddress(BLOCK.into());
    bench.device.describe_launches(physical(at), block, &[Arc::new(launch)]).unwrap();
    if let Some(there) = there {
        let peer = physical(tile(PEER.0, PEER.1));
        bench.device.describe_launches(peer, block, &[Arc::new(there)]).unwrap();
    }
    bench.release(at, BRISC | NCRISC);
    match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(other) => panic!("{other}"),
    }
}

/// The same verdict under several schedules.
fn run(bodies: [Body<'_>; 2]) -> Option<Fault> {
    let fault = run_with(0, &|_| {}, bodies);
    for seed in [1, 2, 77, u64::MAX] {
        let other = run_with(seed, &|_| {}, bodies);
        assert_eq!(
            other.map(|it| (it.category, it.reason)),
            fault.clone().map(|it| (it.category, it.reason))
        );
    }
    fault
}

fn nothing(_: &mut Assembler) {}

fn assert_misuse(fault: Option<Fault>, words: &[&str]) {
    let fault = fault.unwrap();
    assert_eq!(fault.category, FaultCategory::CircularBufferMisuse, "{}", fault.reason);
    for word in words {
        assert!(fault.reason.contains(word), "`{word}` is not in: {}", fault.reason);
    }
}

#[test]
fn pages_go_round() {
    let producer = |k: &mut Assembler| {
        for _ in 0..9 {
            k.reserve(2).push(2);
        }
    };
    let consumer = |k: &mut Assembler| {
        for _ in 0..9 {
            k.wait(2).pop(2);
        }
    };
    assert_eq!(run([&producer, &consumer]), None);
    assert_eq!(run([&consumer, &producer]), None);
}

#[test]
fn a_push_needs_room() {
    for pages in [2, 4] {
        let fill = |k: &mut Assembler| {
            for _ in 0..PAGES / pages {
                k.push(pages);
            }
        };
        // Without a reservation, while there is room.
        assert_eq!(run([&fill, &nothing]), None);
        let one_more = |k: &mut Assembler| {
            fill(k);
            k.push(1);
        };
        let words =
            ["kernel `one` pushes 1 page into circular buffer 3, of whose 4 pages 0 are free"];
        assert_misuse(run([&one_more, &nothing]), &words);
    }
    assert_misuse(
        run([
            &|k| {
                k.push(5);
            },
            &nothing,
        ]),
        &["pushes 5 pages", "4 are free"],
    );
    // Who pops what it pushed makes room.
    let alone = |k: &mut Assembler| {
        for _ in 0..3 {
            k.push(2).pop(2);
        }
    };
    assert_eq!(run([&alone, &nothing]), None);
}

#[test]
fn a_pop_needs_pages() {
    let one = |k: &mut Assembler| {
        k.push(1);
    };
    let two = |k: &mut Assembler| {
        k.wait(1).pop(2);
    };
    let words = ["kernel `other` pops 2 pages of circular buffer 3, which holds 1 page"];
    assert_misuse(run([&one, &two]), &words);
    assert_eq!(
        run([&one, &|k| {
            k.wait(1).pop(1);
        }]),
        None
    );
    assert_misuse(
        run([&nothing, &|k| {
            k.pop(1);
        }]),
        &["pops 1 page", "holds 0 pages"],
    );
}

#[test]
fn what_a_core_has_found_binds_it() {
    // The producer looks before the consumer gives pages back, and pushes what has become free since.
    let producer = |pages: u32| {
        move |k: &mut Assembler| {
            k.push(2).push(1).reserve(1).push(1);
            // Waits by another word until there is room.
            k.wait_for(0x5000, 1).push(pages);
        }
    };
    let consumer = |k: &mut Assembler| {
        k.wait(4).pop(2).poke(0x5000, 1);
    };
    let words = ["pushes 2 pages into circular buffer 3, after it has found 0 pages free"];
    assert_misuse(run([&producer(2), &consumer]), &words);
    let never_looks = |k: &mut Assembler| {
        k.push(4).wait_for(0x5000, 1).push(2);
    };
    assert_eq!(run([&never_looks, &consumer]), None);
    // The consumer looks when one page is there.
    let producer = |k: &mut Assembler| {
        k.push(1).wait_for(0x5004, 1).push(1).poke(0x5008, 1);
    };
    let consumer = |k: &mut Assembler| {
        k.wait(1).poke(0x5004, 1).wait_for(0x5008, 1).pop(2);
    };
    assert_misuse(
        run([&producer, &consumer]),
        &["pops 2 pages of circular buffer 3, after it has found 1 page there"],
    );
}

#[test]
fn a_pointer_meets_the_end_or_stays_before_it() {
    let past = |k: &mut Assembler| {
        k.push(3).pop(3).push(2);
    };
    let words = ["pushes 2 pages of circular buffer 3 from page 3 on, past the end of its 4 pages"];
    assert_misuse(run([&past, &nothing]), &words);
    let exact = |k: &mut Assembler| {
        k.push(3).pop(3).push(1).push(2);
    };
    assert_eq!(run([&exact, &nothing]), None);
    let past = |k: &mut Assembler| {
        k.push(2).pop(1).push(2).pop(3).push(3).pop(1).pop(2);
    };
    assert_eq!(run([&past, &nothing]), None);
    let other = |k: &mut Assembler| {
        k.wait(3).pop(3).wait(2).pop(2);
    };
    let producer = |k: &mut Assembler| {
        k.push(3).push(1).reserve(1).push(1);
    };
    assert_misuse(run([&producer, &other]), &["kernel `other` pops 2 pages", "from page 3 on"]);
}

#[test]
fn an_index_must_be_configured() {
    let loads = |k: &mut Assembler| {
        k.peek(A0, received(7));
    };
    let words = [
        "kernel `one` uses circular buffer 7, which",
        "there are only circular buffers 3 and 5 here",
    ];
    assert_misuse(run([&loads, &nothing]), &words);
    assert_misuse(
        run([
            &|k| {
                k.poke(acknowledged(7), 1);
            },
            &nothing,
        ]),
        &words,
    );
    // The pointer of an index without an entry.
    let pointer = |k: &mut Assembler| {
        k.peek(A0, TABLES + ENTRY * 7 + WRITE_POINTER).emit(lw(A1, A0, 0));
    };
    assert_misuse(run([&pointer, &nothing]), &words);
    // Other private memory, and the pointer of an index that is configured, which nobody has set.
    for (address, what) in
        [(TABLES + ENTRY * 32, "private RAM"), (TABLES + ENTRY * NEXT, "private RAM")]
    {
        let other = |k: &mut Assembler| {
            k.peek(A0, address).emit(lw(A1, A0, 0));
        };
        let fault = run([&other, &nothing]).unwrap();
        assert_eq!(fault.category, FaultCategory::UnpredictableValueUsed);
        assert!(fault.reason.contains(what), "{}", fault.reason);
    }
    let one = |launch: &mut LaunchDescription| launch.circular_buffers.truncate(1);
    assert_misuse(run_with(0, &one, [&loads, &nothing]), &["there is only circular buffer 3 here"]);
    let none = |launch: &mut LaunchDescription| launch.circular_buffers.clear();
    assert_misuse(run_with(0, &none, [&loads, &nothing]), &["there is none here"]);
    let unknown = |launch: &mut LaunchDescription| launch.version += 1;
    assert_eq!(run_with(0, &unknown, [&loads, &nothing]), None);
}

/// A NoC read to, or write from, bytes of this tile.
fn moves(k: &mut Assembler, control: u32, local: u32, length: u32) {
    let (own, peer) =
        (end(OWN.0, OWN.1, local.into()), end(PEER.0, PEER.1, 0x3000 + u64::from(local % 64)));
    let (target, result) = if control == READ { (peer, own) } else { (own, peer) };
    k.request((0, 0), control, target, result, length, 0);
}

#[test]
fn a_request_stays_within_the_memory() {
    let end = START + PAGES * PAGE;
    for control in [READ, WRITE] {
        let body =
            |local: u32, length: u32| move |k: &mut Assembler| moves(k, control, local, length);
        assert_eq!(run([&body(START, PAGES * PAGE), &nothing]), None);
        assert_eq!(run([&body(end - 16, 16), &nothing]), None);
        let words =
            ["uses memory behind circular buffer 3", "the last 16 of them", "in circular buffer 5"];
        assert_misuse(run([&body(end - 16, 32), &nothing]), &words);
        // From what lies before it, or elsewhere: others judge that.
        assert_eq!(run([&body(START - 32, 64), &nothing]), None);
        // By another index, or as a buffer, the kernel may use all of it.
        let wider = |launch: &mut LaunchDescription| {
            launch.circular_buffers.push(buffer(9, START, PAGES + 1));
        };
        assert_eq!(run_with(0, &wider, [&body(end - 16, 32), &nothing]), None);
        let given = |length: u64| {
            move |launch: &mut LaunchDescription| {
                let extent = DescribedExtent {
                    tile: physical(tile(OWN.0, OWN.1)),
                    start: TileAddress(START.into()),
                    length,
                    runs: Vec::new(),
                };
                launch.buffers.push(Arc::new(DescribedBuffer {
                    number: 1,
                    sharded: true,
                    address: 0x4000,
                    name: "shard".into(),
                    pages: 1,
                    page_size: length,
                    extents: vec![extent],
                }));
            }
        };
        let size = u64::from(PAGES * PAGE);
        assert_eq!(run_with(0, &given(size + 16), [&body(end - 16, 32), &nothing]), None);
        assert_misuse(run_with(0, &given(size), [&body(end - 16, 32), &nothing]), &words);
    }
}

#[test]
fn requests_of_a_producer_and_a_consumer_stay_within_what_they_have_found() {
    let consumer = |length: u32| {
        move |k: &mut Assembler| {
            k.wait(1);
            moves(k, WRITE, START, length);
        }
    };
    let producer = |k: &mut Assembler| {
        k.push(1);
    };
    assert_eq!(run([&producer, &consumer(PAGE)]), None);
    assert_misuse(
        run([&producer, &consumer(2 * PAGE)]),
        &["that it has not found received", "1 page of 64 bytes", "pages have 128 bytes"],
    );
    // Who never looks uses the memory as it likes.
    assert_eq!(run([&nothing, &|k| moves(k, WRITE, START, 2 * PAGE)]), None);
    // Two pages are there, of which the consumer gives back none.
    let producer = |offset: u32| {
        move |k: &mut Assembler| {
            k.push(2).reserve(1);
            moves(k, READ, START + offset, PAGE);
        }
    };
    assert_eq!(run([&producer(2 * PAGE), &nothing]), None);
    assert_eq!(run([&producer(3 * PAGE), &nothing]), None);
    for offset in [0, PAGE] {
        let words = ["that it has not found free", "2 pages of 64 bytes free"];
        assert_misuse(run([&producer(offset), &nothing]), &words);
    }
    let fault = run([&producer(3 * PAGE), &|k| {
        k.wait(2).pop(1);
    }]);
    assert_eq!(fault, None);
}

/// Loads both write pointers, after start-up code has touched a register.
fn load_pointers(k: &mut Assembler) {
    let [one, next] = [INDEX, NEXT].map(|index| TABLES + ENTRY * index + WRITE_POINTER);
    for pointer in [READ_POINTER, WRITE_POINTER] {
        k.poke(TABLES + ENTRY * NEXT + pointer, START + PAGES * PAGE);
    }
    k.peek(A0, received(INDEX)).peek(S0, one).peek(S1, next);
}

/// A NoC read to, or write from, the address in s0.
fn moves_through(k: &mut Assembler, control: u32) {
    request_through(k, control, false);
}

/// A NoC read or write whose address on this tile, or on the other one, is in s0.
fn request_through(k: &mut Assembler, control: u32, elsewhere: bool) {
    let peer = end(PEER.0, PEER.1, 0x3000);
    let own = end(OWN.0, OWN.1, 0);
    let middle = |end: End| end.coordinates << 4;
    let (local, remote) = if control == READ { (0x0C, 0x00) } else { (0x00, 0x0C) };
    let base = 0xFFB2_0000;
    let (through, number) = if elsewhere { (remote, local) } else { (local, remote) };
    k.poke(base + number, 0x3000).poke(base + remote + 4, middle(peer));
    k.li(T0, base + through).emit(sw(S0, T0, 0)).poke(base + local + 4, middle(own));
    k.poke(base + 0x1C, control).poke(base + 0x20, PAGE).poke(base + 0x28, 1);
}

#[test]
fn a_pointer_stays_in_its_memory() {
    let size = (PAGES * PAGE) as i32;
    let words =
        ["runs past the end of circular buffer 3, which has 256 bytes", "circular buffer 5"];
    for control in [READ, WRITE] {
        let body = |offset: i32| {
            move |k: &mut Assembler| {
                load_pointers(k);
                k.emit(addi(S0, S0, offset));
                moves_through(k, control);
            }
        };
        assert_eq!(run([&body(size - 64), &nothing]), None);
        assert_misuse(run([&body(size), &nothing]), &words);
    }
    let stores = |offset: i32| {
        move |k: &mut Assembler| {
            load_pointers(k);
            k.emit(sw(ZERO, S0, offset));
        }
    };
    assert_eq!(run([&stores(size - 4), &nothing]), None);
    assert_misuse(run([&stores(size), &nothing]), &words);
    let misses = |launch: &mut LaunchDescription| launch.circular_buffers.truncate(1);
    assert_eq!(run_with(0, &misses, [&stores(size), &nothing]), None);
    // Another index of the same memory, which is larger, and a buffer in which the circular buffer lies.
    let wider = |launch: &mut LaunchDescription| {
        launch.circular_buffers.push(buffer(9, START, PAGES + 1));
    };
    assert_eq!(run_with(0, &wider, [&stores(size), &nothing]), None);
}

#[test]
fn a_pointer_is_known_after_alignment_and_in_private_memory() {
    let words = ["runs past the end of circular buffer 3"];
    let saved = TABLES + 40 * ENTRY;
    let ways: [(&str, Body<'_>); 4] = [
        ("aligned", &|k| {
            k.emit(addi(S0, S0, 63)).emit(i(0x13, -64, S0, 7, S0));
        }),
        ("saved", &|k| {
            k.li(T0, saved).emit(sw(S0, T0, 0)).li(S0, 0).emit(lw(S0, T0, 0));
        }),
        ("added to a number", &|k| {
            k.li(T1, 0).emit(r(0, S0, T1, 0, S0));
        }),
        ("loaded again", &|k| {
            k.peek(S0, TABLES + ENTRY * INDEX + WRITE_POINTER);
        }),
    ];
    for (name, way) in ways {
        let body = |offset: i32| {
            move |k: &mut Assembler| {
                load_pointers(k);
                way(k);
                k.emit(addi(S0, S0, offset));
                moves_through(k, WRITE);
            }
        };
        let size = (PAGES * PAGE) as i32;
        assert_eq!(run([&body(size - 64), &nothing]), None, "{name}");
        assert_misuse(run([&body(size), &nothing]), &words);
    }
}

#[test]
fn a_value_of_several_pointers_is_nobodys() {
    let ways: [(&str, Body<'_>); 6] = [
        ("the next pointer itself", &|k| {
            k.emit(addi(S0, S1, 0));
        }),
        ("by the distance", &|k| {
            k.emit(r(0x20, S0, S1, 0, A0)).emit(r(0, A0, S0, 0, S0));
        }),
        ("by the distance from private memory", &|k| {
            k.emit(r(0x20, S0, S1, 0, A0)).li(T0, TABLES + 40 * ENTRY).emit(sw(A0, T0, 0));
            k.li(A0, 0).emit(lw(A0, T0, 0)).emit(r(0, A0, S0, 0, S0));
        }),
        ("by the distance from L1", &|k| {
            k.emit(r(0x20, S0, S1, 0, A0)).li(T0, 0x5000).emit(sw(A0, T0, 0));
            k.li(A0, 0).emit(lw(A0, T0, 0)).emit(r(0, A0, S0, 0, S0));
        }),
        ("a line's offset", &|k| {
            k.emit(i(0x13, 63, S0, 7, A0)).li(S0, START + PAGES * PAGE);
            k.emit(r(0, A0, S0, 0, S0));
        }),
        ("an offset from a number", &|k| {
            k.li(T1, START).emit(r(0x20, T1, S0, 0, A0)).li(S0, START + PAGES * PAGE);
            k.emit(r(0, A0, S0, 0, S0));
        }),
    ];
    for (name, way) in ways {
        let body = |k: &mut Assembler| {
            load_pointers(k);
            way(k);
            moves_through(k, READ);
        };
        assert_eq!(run([&body, &nothing]), None, "{name}");
    }
    // A register that has another value by now.
    let other = |k: &mut Assembler| {
        load_pointers(k);
        k.emit(addi(S0, S0, (PAGES * PAGE) as i32)).li(T0, 0xFFB2_000C).emit(sw(S0, T0, 0));
        k.li(S0, START + PAGES * PAGE);
        moves_through(k, READ);
    };
    assert_eq!(run([&other, &nothing]), None);
}

/// A pointer of the own tile tells where the circular buffer lies on another tile, which may have fewer pages there.
#[test]
fn a_pointer_stays_in_the_memory_of_another_tile() {
    let there = |start: u32, pages: u32| LaunchDescription {
        circular_buffers: vec![buffer(INDEX, start, pages), buffer(NEXT, start + pages * PAGE, 5)],
        ..launch([0, 0])
    };
    let at = |page: u32, control: u32| {
        move |k: &mut Assembler| {
            load_pointers(k);
            k.emit(addi(S0, S0, (page * PAGE) as i32));
            request_through(k, control, true);
        }
    };
    let run = |there: Option<LaunchDescription>, body: Body<'_>| {
        run_beside(5, there, &|_| {}, [body, &nothing])
    };
    for (control, does) in
        [(READ, "a NoC read of 64 bytes takes"), (WRITE, "a NoC write of 64 bytes brings")]
    {
        assert_eq!(run(Some(there(START, 2)), &at(1, control)), None);
        let peer = physical(tile(PEER.0, PEER.1));
        let words = [
            &*format!("the end of circular buffer 3 of tile {peer}, which has 128 bytes"),
            does,
            "byte 128 behind its start, where circular buffer 5 lies",
        ];
        assert_misuse(run(Some(there(START, 2)), &at(2, control)), &words);
        // It is larger than here, begins elsewhere, belongs to another program, or is not known.
        assert_eq!(run(Some(there(START, 6)), &at(5, control)), None);
        assert_misuse(run(Some(there(START, 6)), &at(6, control)), &["which has 384 bytes"]);
        assert_eq!(run(Some(there(START - PAGE, 2)), &at(2, control)), None);
        let other = LaunchDescription { program: 4, ..there(START, 2) };
        assert_eq!(run(Some(other), &at(2, control)), None);
        assert_eq!(run(None, &at(2, control)), None);
    }
}
