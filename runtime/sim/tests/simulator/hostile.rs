//! Whatever a program or a host does, the simulator answers with a value: no panic, no endless call.

use hallmark_chip::*;
use proptest::prelude::*;

use crate::assembler::*;
use crate::support::*;

/// Words that are often instructions, and often near an instruction.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        any::<u32>().prop_map(|word| word & !0x7F | 0x13),
        any::<u32>().prop_map(|word| word & !0x7F | 0x33),
        any::<u32>().prop_map(|word| word & !0x707F | 0x2003),
        any::<u32>().prop_map(|word| word & !0x707F | 0x2023),
        any::<u32>().prop_map(|word| word & !0x7F | 0x63),
        any::<u32>().prop_map(|word| word & 0x0FFF & !0x7F | 0x6F),
    ]
}

/// Addresses at the edges of everything.
fn address() -> impl Strategy<Value = u64> {
    let edges: [u64; 18] = [
        0,
        0x1000,
        0x16_E000,
        0xFFB0_0000,
        0xFFB1_1000,
        0xFFB1_2000,
        0xFFB2_0000,
        0xFFB3_0000,
        0xFFB4_0000,
        0xFFB8_0000,
        0xFFC0_0000,
        0xFFE8_0000,
        0xFFEC_0000,
        0xFFEF_0000,
        0x1_0000_0000,
        0x8_0000_0000,
        0xF_FFFF_FFFC,
        0x8000_0000,
    ];
    (prop::sample::select(edges.to_vec()), -64i64..0x300)
        .prop_map(|(edge, offset)| edge.saturating_add_signed(offset * 4) & 0xF_FFFF_FFFF)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn any_program_ends_in_a_value(words in prop::collection::vec(word(), 1..60), seed in 0u64..4) {
        let mut bench = Bench::seeded(seed);
        let at = tile(18, 18);
        for start in [0, 0x6000, 0xA000, 0xE000, 0x1_2000] {
            bench.load(at, start, &words);
        }
        bench.release(at, ALL_CORES);
        let first = bench.device.advance(3000);
        match bench.device.advance(3000) {
            Err(DeviceError::Fault(fault)) => {
                prop_assert!(fault.place.is_some());
                prop_assert!(first.is_ok() || first == Err(DeviceError::Fault(fault)));
            }
            Err(error) => prop_assert!(false, "{error}"),
            Ok(_) => prop_assert!(first.is_ok()),
        }
    }

    #[test]
    fn any_register_access_ends_in_a_value(
        pokes in prop::collection::vec((address(), prop_oneof![0u32..64, any::<u32>()], any::<bool>()), 1..20),
    ) {
        let mut bench = Bench::new();
        let at = tile(18, 18);
        let mut program = Assembler::new();
        for &(address, value, write) in &pokes {
            if write {
                program.poke(address as u32, value);
            } else {
                program.save(address as u32, 0x3000);
            }
        }
        program.halt();
        for start in [0, 0x6000, 0x1_2000] {
            bench.load(at, start, &program.words);
        }
        bench.release(at, BRISC | TRISC0 | NCRISC);
        let _ = bench.device.advance(5000);
    }

    #[test]
    fn any_request_ends_in_a_value(
        noc in 0u32..2,
        control in prop_oneof![
            prop::sample::select(vec![READ, WRITE, POSTED_WRITE, INLINE_WRITE, MULTICAST, ATOMIC]),
            any::<u32>(),
        ],
        target in (address(), prop_oneof![Just(18u32 | 18 << 6), any::<u32>()]),
        result in (address(), prop_oneof![Just(18u32 | 18 << 6), any::<u32>()]),
        length in prop_oneof![0u32..9000, any::<u32>(), Just(INCREMENT)],
        seed in 0u64..3,
    ) {
        let mut bench = Bench::seeded(seed);
        let at = tile(18, 18);
        let make = |(address, coordinates): (u64, u32)| End { address, coordinates: coordinates & 0x0FFF_FFFF };
        let mut program = Assembler::new();
        program.request((noc, 2), control, make(target), make(result), length, 1).halt();
        bench.load(at, 0, &program.words);
        bench.release(at, BRISC);
        let _ = bench.device.advance(5000);
    }

    #[test]
    fn any_host_access_ends_in_a_value(
        x in 0u8..64, y in 0u8..64, address in address(), length in 0usize..80,
    ) {
        let mut bench = Bench::new();
        let _ = bench.try_read(tile(x, y), address, length);
        let mut bench = Bench::new();
        let _ = bench.try_write(tile(x, y), address, &vec![1; length]);
    }
}
