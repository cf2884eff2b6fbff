//! Every broken rule is a fault with the category that Tenstorrent's simulator gives it, and a place.

use hallmark_chip::FaultCategory::*;
use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

/// Runs a program on one core of tile (18,18) and returns its fault.
fn fault_of(cores: u32, start: u64, words: &[u32]) -> Fault {
    let mut bench = Bench::new();
    bench.load(tile(18, 18), start, words);
    bench.release(tile(18, 18), cores);
    bench.fault()
}

#[test]
fn instructions_that_do_not_exist() {
    let cases: [(&str, u32, FaultCategory); 16] = [
        ("zeroed memory", 0, UndefinedBehavior),
        ("compressed", 0x4505, UnimplementedFunctionality),
        ("float add", 0x0000_0053, UndefinedBehavior),
        ("float load", 0x0000_2007, UndefinedBehavior),
        ("atomic add", 0x0000_202F, UndefinedBehavior),
        ("vector", 0x0000_0057, UndefinedBehavior),
        ("csrrw", 0x3400_1073, UndefinedBehavior),
        ("fence.i", 0x0000_100F, UnsupportedFunctionality),
        ("ebreak", 0x0010_0073, UnsupportedFunctionality),
        ("ecall", 0x0000_0073, ConfigurationError),
        ("sh1add", r(0x10, A0, A0, 2, A0), UndefinedBehavior),
        ("clz", i(0x13, 0x600, A0, 1, A0), UndefinedBehavior),
        ("64-bit load", i(0x03, 0, A0, 3, A0), UndefinedBehavior),
        ("64-bit store", s(0, A0, A0, 3), UndefinedBehavior),
        ("branch 2", b(8, A0, A0, 2), UndefinedBehavior),
        ("jalr 1", i(0x67, 0, A0, 1, A0), UndefinedBehavior),
    ];
    for (name, word, category) in cases {
        let fault = fault_of(BRISC, 0, &[FENCE, FENCE, word]);
        assert_eq!(fault.category, category, "{name}: {fault}");
        let place = fault.place.unwrap();
        assert_eq!(place.tile, PhysicalCoordinate { x: 1, y: 1 });
        assert_eq!(place.processor, Some(Processor::Brisc));
        assert_eq!((place.pc, place.instruction), (Some(8), Some(word)), "{name}");
        assert_eq!(place.retired, Some(2));
    }
    assert_eq!(fault_of(NCRISC, 0x1_2000, &[0]).category, UndefinedBehavior);
}

#[test]
fn accesses_that_reach_nothing() {
    let at = |address: u32, access: u32| {
        let mut program = Assembler::new();
        program.li(A0, address).emit(access).halt();
        program.words
    };
    let load = |funct3| i(0x03, 0, A0, funct3, A1);
    let store = |funct3| s(0, A1, A0, funct3);
    let cases = [
        ("misaligned word", at(0x1002, load(2)), NonContractualBehavior),
        ("misaligned half", at(0x1001, load(5)), NonContractualBehavior),
        ("misaligned store", at(0x1001, store(1)), NonContractualBehavior),
        ("misaligned register", at(0xFFB1_21B2, load(2)), NonContractualBehavior),
        ("past L1", at(1464 * 1024, load(2)), UnimplementedFunctionality),
        ("store past L1", at(1464 * 1024, store(2)), UnimplementedFunctionality),
        ("past private memory", at(0xFFB0_1000, load(2)), UnimplementedFunctionality),
        ("byte of a register", at(0xFFB1_21B0, load(4)), UntestedFunctionality),
        ("half of a register", at(0xFFB1_21B0, load(1)), UntestedFunctionality),
        ("store of a byte to a register", at(0xFFB1_21B0, store(0)), UnsupportedFunctionality),
        ("instruction RAM as data", at(0xFFC0_0000, load(2)), UnimplementedFunctionality),
        ("no debug register", at(0xFFB1_2FF0, load(2)), UndefinedBehavior),
        ("debug register", at(0xFFB1_2000, load(2)), UnsupportedFunctionality),
        ("NoC register", at(0xFFB2_0080, load(2)), UnimplementedFunctionality),
        ("overlay register", at(0xFFB4_0004, load(2)), UnimplementedFunctionality),
        ("coprocessor", at(0xFFE0_0000, store(2)), UnimplementedFunctionality),
    ];
    for (name, words, category) in cases {
        let fault = fault_of(BRISC, 0, &words);
        assert_eq!(fault.category, category, "{name}: {fault}");
        assert_eq!(fault.place.unwrap().pc, Some(8), "{name}");
    }
    let mut program = Assembler::new();
    program.li(A0, 0xFFEC_0000).emit(lw(A0, A0, 0));
    assert_eq!(fault_of(NCRISC, 0x1_2000, &program.words).category, UndefinedBehavior);
    let mut program = Assembler::new();
    program.poke(0xFFEF_0000 + 162 * 4, 0);
    assert_eq!(fault_of(NCRISC, 0x1_2000, &program.words).category, UnimplementedFunctionality);
}

#[test]
fn jumps_to_nowhere() {
    let jump = |to: u32| {
        let mut program = Assembler::new();
        program.li(A0, to).emit(i(0x67, 0, A0, 0, 0));
        program.words
    };
    let fault = fault_of(BRISC, 0, &jump(0xFFC0_0000));
    assert_eq!((fault.category, fault.place.unwrap().pc), (UndefinedBehavior, Some(0xFFC0_0000)));
    let fault = fault_of(BRISC, 0, &jump(0x1002));
    assert_eq!((fault.category, fault.place.unwrap().pc), (UndefinedBehavior, Some(8)));
    assert_eq!(fault_of(BRISC, 0, &[j(6, 0)]).category, UndefinedBehavior);
    assert_eq!(fault_of(BRISC, 0, &[b(6, 0, 0, 0)]).category, UndefinedBehavior);
}

#[test]
fn requests_that_the_noc_cannot_carry() {
    let own = |address| end(18, 18, address);
    let peer = |address| end(19, 18, address);
    let dram = |address| end(0, 0, address);
    let ethernet = |address| end(9, 0, address);
    let l1 = 1464 * 1024;
    type Case = (&'static str, u32, End, End, u32, FaultCategory);
    let cases: [Case; 35] = [
        ("read too long", READ, peer(0), own(0), 8193, UnsupportedFunctionality),
        ("read of nothing", READ, peer(0), own(0), 0, UnsupportedFunctionality),
        ("write too long", WRITE, own(0), peer(0), 8193, UnsupportedFunctionality),
        ("read modulo 16", READ, peer(0x100), own(0x104), 4, UndefinedBehavior),
        ("write modulo 16", WRITE, own(0x100), peer(0x108), 4, UndefinedBehavior),
        ("DRAM read modulo 32", READ, dram(0x100), own(0x110), 32, UndefinedBehavior),
        ("DRAM write modulo 16", WRITE, own(0x100), dram(0x108), 32, UndefinedBehavior),
        ("no such tile", READ, end(0, 2, 0), own(0), 4, UnimplementedFunctionality),
        ("no such column", READ, end(11, 2, 0), own(0), 4, UnimplementedFunctionality),
        ("no such row", READ, end(1, 15, 0), own(0), 4, UnimplementedFunctionality),
        ("read into a peer", READ, peer(0), peer(0), 4, UnimplementedFunctionality),
        ("write from a peer", WRITE, peer(0), peer(0), 4, UnimplementedFunctionality),
        ("read past own L1", READ, peer(0), own(l1 - 16), 32, UnsupportedFunctionality),
        ("write past own L1", WRITE, own(l1 - 16), peer(0), 32, UnsupportedFunctionality),
        ("read past peer's L1", READ, peer(l1 - 16), own(0), 32, UndefinedBehavior),
        ("write past peer's L1", WRITE, own(0), peer(l1 - 16), 32, UndefinedBehavior),
        ("read past DRAM", READ, dram(0x8000_0000), own(0), 32, UndefinedBehavior),
        (
            "multicast without reservation",
            0x32,
            own(0),
            rectangle((18, 18), (19, 19), 0),
            4,
            UnimplementedFunctionality,
        ),
        (
            "multicast that wraps",
            MULTICAST,
            own(0),
            rectangle((19, 19), (18, 18), 0),
            4,
            UnimplementedFunctionality,
        ),
        (
            "multicast read",
            0x130,
            own(0),
            rectangle((18, 18), (19, 19), 0),
            4,
            UnsupportedFunctionality,
        ),
        (
            "multicast to a long register",
            MULTICAST,
            own(0),
            rectangle((18, 18), (19, 19), 0xFFB4_0000),
            8,
            UnsupportedFunctionality,
        ),
        ("unicast with reservation", WRITE | 0x100, own(0), peer(0), 4, UnimplementedFunctionality),
        ("byte enables", WRITE | 4, own(0), peer(0), 4, UnimplementedFunctionality),
        ("type 3", 0x13, own(0), peer(0), 4, UnsupportedFunctionality),
        ("posted read", 0, peer(0), own(0), 4, UnimplementedFunctionality),
        ("reserved bit", WRITE | 1 << 20, own(0), peer(0), 4, UnsupportedFunctionality),
        ("atomic on DRAM", ATOMIC, dram(0), own(0), INCREMENT, UnimplementedFunctionality),
        ("other atomic", ATOMIC, peer(0), own(0), 0x207C, UnimplementedFunctionality),
        ("misaligned atomic", ATOMIC, peer(2), own(0), INCREMENT, UnimplementedFunctionality),
        ("inline write to DRAM", INLINE_WRITE, dram(0), own(0), 0xF, UnimplementedFunctionality),
        ("inline write of a byte", INLINE_WRITE, peer(0), own(0), 1, UnimplementedFunctionality),
        ("inline write past L1", INLINE_WRITE, peer(l1), own(0), 0xF, UnsupportedFunctionality),
        ("atomic past L1", ATOMIC, peer(l1), own(0), INCREMENT, UnimplementedFunctionality),
        // 256 KiB, of which a Tensix tile has more.
        (
            "inline write past Ethernet L1",
            INLINE_WRITE,
            ethernet(0x4_0000),
            own(0),
            0xF,
            UnsupportedFunctionality,
        ),
        (
            "atomic past Ethernet L1",
            ATOMIC,
            ethernet(0x4_0000),
            own(0),
            INCREMENT,
            UnimplementedFunctionality,
        ),
    ];
    for (name, control, target, result, length, category) in cases {
        let mut program = Assembler::new();
        program.request((0, 0), control, target, result, length, 0);
        let issued = program.place() as u32 - 4;
        program.halt();
        let fault = fault_of(BRISC, 0, &program.words);
        assert_eq!(fault.category, category, "{name}: {fault}");
        let place = fault.place.unwrap();
        assert_eq!(place.processor, Some(Processor::Brisc), "{name}");
        assert_eq!(place.pc, Some(issued), "{name}");
    }
}

#[test]
fn host_memory_that_is_not_pinned() {
    let mut program = Assembler::new();
    program.request((0, 0), READ, end(0, 3, 0x8_0000_0000), end(18, 18, 0), 32, 0).halt();
    assert_eq!(fault_of(BRISC, 0, &program.words).category, UndefinedBehavior);
}

#[test]
fn a_fault_stays() {
    let mut bench = Bench::new();
    bench.release(tile(18, 18), BRISC);
    let fault = bench.fault();
    let again = Err(DeviceError::Fault(Box::new(fault)));
    assert_eq!(bench.device.advance(1), again);
    assert_eq!(bench.device.config_read(ConfigOffset(0)), again.clone().map(|_| 0));
    assert_eq!(bench.try_fault(), again.map(|_| ()));
}

#[test]
fn what_the_host_does_wrong() {
    type Deed = fn(&mut Bench) -> Result<(), DeviceError>;
    let cases: [(&str, Deed, FaultCategory); 7] = [
        (
            "past L1",
            |bench| bench.try_write(tile(18, 18), 1464 * 1024 - 4, &[0; 8]),
            UndefinedBehavior,
        ),
        (
            "beyond L1",
            |bench| bench.try_read(tile(18, 18), 0x20_0000, 4).map(drop),
            UnimplementedFunctionality,
        ),
        (
            "private memory",
            |bench| bench.try_read(tile(18, 18), 0xFFB0_0000, 4).map(drop),
            UnimplementedFunctionality,
        ),
        (
            "configuration",
            |bench| bench.try_read(tile(18, 18), 0xFFEF_0000, 4).map(drop),
            UnimplementedFunctionality,
        ),
        (
            "reset of more",
            |bench| bench.try_write(tile(18, 18), 0xFFB1_21B0, &[1, 0, 0, 0]),
            UnimplementedFunctionality,
        ),
        (
            "mailbox",
            |bench| bench.try_read(tile(18, 18), 0xFFEC_0000, 4).map(drop),
            UndefinedBehavior,
        ),
        (
            "past DRAM",
            |bench| bench.try_read(tile(0, 0), 0x8000_0000, 4).map(drop),
            UndefinedBehavior,
        ),
    ];
    for (name, deed, category) in cases {
        let mut bench = Bench::new();
        match deed(&mut bench) {
            Err(DeviceError::Fault(fault)) => {
                assert_eq!(fault.category, category, "{name}: {fault}");
                assert_eq!(fault.place.unwrap().processor, None, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let mut bench = Bench::new();
    assert!(matches!(
        bench.try_read(tile(18, 18), 0xFFB1_21B0, 3),
        Err(DeviceError::BadAccess { .. })
    ));
    assert!(bench.try_read(tile(18, 18), 0xFFB1_21B0, 4).is_ok());
}

#[test]
fn memory_can_be_read_for_the_report_of_a_fault() {
    let mut bench = Bench::new();
    bench.load(tile(18, 18), 0x400, &[0x1234_5678, 0x9ABC_DEF0]);
    bench.load(tile(18, 18), 0, &[FENCE, 0]);
    bench.release(tile(18, 18), BRISC);
    let at = bench.fault().place.unwrap().tile;
    let mut read = |tile, address, length: usize| {
        let mut bytes = vec![0; length];
        bench.device.read_stopped(tile, TileAddress(address), &mut bytes).then_some(bytes)
    };
    assert_eq!(read(at, 0x403, 3), Some(vec![0x12, 0xF0, 0xDE]));
    let end = 1464 * 1024;
    assert_eq!(read(at, end - 2, 2).map(|bytes| bytes.len()), Some(2));
    assert_eq!(read(at, end - 2, 3), None);
    assert_eq!(read(at, u64::MAX, 1), None);
    // DRAM.
    assert_eq!(read(PhysicalCoordinate { x: 0, y: 0 }, 0x400, 4), None);
}
