//! Where PACR writes, what it leaves out and what it counts, by configuration.

use hallmark_chip::Architecture;

use super::*;
use crate::formats::bfloat16_to_destination;

use crate::surroundings::memory::Memory;

/// Where packer 0 begins its tile in L1.
const TILE: u64 = 0x2340;
const CHIPS: [Architecture; 2] = [Architecture::WormholeB0, Architecture::Blackhole];
const FLOAT16B: u32 = 5;
const BFP8: u32 = 6;

struct Bench {
    chip: &'static Chip,
    configuration: Configuration,
    counters: AddressCounters,
    destination: Destination,
    packers: Packers,
    memory: Memory,
}

impl Bench {
    /// With 16-bit floats in Dst, each of its row and column, and `format` in L1. Four rows are packed at a time.
    fn new(architecture: Architecture, format: u32) -> Self {
        let chip = Chip::of(architecture);
        let shared = &chip.packing;
        let mut configuration = Configuration::new(chip);
        configuration.set(chip.alu.dst, FLOAT16B);
        for (field, value) in [
            (shared.x_stride, 2),
            (shared.y_stride, 32),
            (shared.z_stride, 512),
            (shared.edge_masks[0], 0xFFFF),
        ] {
            configuration.set(field, value);
        }
        for packer in chip.packers {
            configuration.set(packer.l1_address, TILE as u32 / 16 - 1);
            configuration.set(packer.output_format, format);
            configuration.set(packer.input_format, FLOAT16B);
            configuration.set(packer.reads_per_plane, 16);
        }
        let mut destination = Destination::default();
        for row in 0..64 {
            let data = std::array::from_fn(|column| bfloat16_to_destination(stored(row, column)));
            destination.write_16(row, Row::known(data));
        }
        let mut counters = AddressCounters::default();
        let last = if matches!(shared.readers, Readers::Packers) { 63 } else { 15 };
        counters.of_mut(Of::Packers).channels[1].set(Dimension::X, last);
        let packers = Packers::default();
        Self { chip, configuration, counters, destination, packers, memory: Memory::new() }
    }

    /// Packs four rows, all of the tile: by packer 0 (Wormhole), or through four interfaces (Blackhole).
    fn pack(&mut self) {
        let is_several = matches!(self.chip.packing.readers, Readers::Packers);
        self.pack_by(if is_several { 1 } else { 0 }, 1);
    }

    fn pack_by(&mut self, packers: u32, last: u32) {
        self.try_pack(packers, last).expect("legal");
    }

    fn try_pack(&mut self, packers: u32, last: u32) -> Result<(), String> {
        let Self { chip, configuration, counters, destination, packers: positions, memory } = self;
        let thread = Thread::Pack;
        let mut packing =
            Packing { chip, configuration, counters, destination, packers: positions, thread };
        packing
            .pack(0x4100_0000 | packers << 8 | last, memory)
            .map_err(|refusal| refusal.to_string())
    }

    fn data(&self, address: u64, count: usize) -> Vec<u16> {
        let bytes = &self.memory.bytes[address as usize..][..2 * count];
        bytes.chunks(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]])).collect()
    }
}

/// A 16-bit float that differs from row to row and from column to column.
fn stored(row: u32, column: usize) -> u16 {
    0x3F00 + row as u16 * 16 + column as u16
}

fn rows(first: u32) -> Vec<u16> {
    (first..first + 4).flat_map(|row| (0..16).map(move |column| stored(row, column))).collect()
}

#[test]
fn exponents_end_with_a_whole_line() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, BFP8);
        bench.configuration.set(bench.chip.packers[0].exponent_section, 3);
        bench.pack();
        let exponents = &bench.memory.bytes[TILE as usize..][..17];
        assert!(exponents[..4].iter().all(|exponent| *exponent != 0 && *exponent != 0xEE));
        assert_eq!((&exponents[4..16], exponents[16]), (&[0; 12][..], 0xEE), "{architecture:?}");
        assert_ne!(bench.memory.bytes[TILE as usize + 48 + 63], 0xEE);
    }
}

#[test]
fn blocks_of_short_exponents_have_those_of_float16() {
    const BFP4A: u32 = 3;
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, BFP4A);
        bench.configuration.set(bench.chip.packers[0].exponent_section, 1);
        bench.pack();
        // All numbers are from 0.5 on and below 1: the exponent 126 becomes 14.
        let bytes = &bench.memory.bytes[TILE as usize..][..16 + 32];
        assert_eq!((&bytes[..4], &bytes[4..16]), (&[14; 4][..], &[0; 12][..]), "{architecture:?}");
        // The mantissas of a row rise from 16 times its number on, and a magnitude has the implicit bit and two more.
        let magnitude = |index: u32| (0x80 + index + 1) >> 5;
        let expected: Vec<u8> = (0..64)
            .step_by(2)
            .map(|index| (magnitude(index) | magnitude(index + 1) << 4) as u8)
            .collect();
        assert_eq!(bytes[16..], expected, "{architecture:?}");
    }
}

#[test]
fn data_below_the_exponent_threshold_are_zero() {
    for architecture in CHIPS {
        for (is_set, threshold, kept) in [(1, 127, false), (1, 126, true), (0, 127, true)] {
            let mut bench = Bench::new(architecture, FLOAT16B);
            for packer in bench.chip.packers {
                bench.configuration.set(packer.has_threshold, is_set);
                bench.configuration.set(packer.threshold, threshold);
            }
            bench.pack();
            let expected = if kept { rows(0) } else { vec![0; 64] };
            assert_eq!(bench.data(TILE, 64), expected, "{architecture:?}, {is_set} {threshold}");
        }
    }
}

#[test]
fn packers_have_one_exponent_threshold() {
    let third = &Chip::of(Architecture::WormholeB0).packers[2];
    for field in [third.has_threshold, third.threshold] {
        let mut bench = Bench::new(Architecture::WormholeB0, FLOAT16B);
        bench.configuration.set(field, 1);
        let refusal = bench.try_pack(1, 1).unwrap_err();
        assert!(refusal.contains("the packers have different exponent thresholds"), "{refusal}");
    }
}

#[test]
fn addresses_of_packers_may_be_relative_to_the_first() {
    let mut bench = Bench::new(Architecture::WormholeB0, FLOAT16B);
    let first = TILE as u32 / 16 - 1;
    for (relative, at) in [(0, 0x1000), (1 << 31, TILE + 0x1000)] {
        bench.configuration.set(bench.chip.packers[0].l1_address, relative | first);
        bench.configuration.set(bench.chip.packers[1].l1_address, 0x100 - 1);
        bench.pack_by(3, 1);
        assert_eq!(bench.data(TILE, 64), rows(0));
        assert_eq!(bench.data(at, 64), rows(0), "{relative:#x}");
    }
}

#[test]
fn a_carriage_return_goes_on_from_the_start() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, FLOAT16B);
        let [input, _] = &mut bench.counters.of_mut(Of::Packers).channels;
        input.set(Dimension::Y, 5);
        input.add(Dimension::Y, 2);
        let number = bench.chip.thread.pack_modifiers[0] as u8;
        let written = bench.configuration.set_thread_word(Thread::Pack, number, 1 << 4 | 3);
        written.expect("a word of a thread");
        for first in [7, 8, 11] {
            bench.pack();
            assert_eq!(bench.data(TILE, 64), rows(first), "{architecture:?}");
        }
    }
}

#[test]
fn edge_masks_begin_anew_with_each_plane() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, FLOAT16B);
        let shared = &bench.chip.packing;
        for packer in bench.chip.packers {
            bench.configuration.set(packer.reads_per_plane, 3);
        }
        // The second mask for row 0 of a plane, and for the rows that it does not have.
        bench.configuration.set(shared.edge_masks[1], 0x00FF);
        let word = shared.row_sets[0].into();
        bench.configuration.write(0, word, 0b01).expect("a word that exists");
        bench.pack();
        let mut expected = rows(0);
        for row in [0, 3] {
            expected[row * 16 + 8..][..8].fill(0);
        }
        assert_eq!(bench.data(TILE, 64), expected, "{architecture:?}");
    }
}

#[test]
fn a_sum_with_unknown_data_is_unknown() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, FLOAT16B);
        for packer in bench.chip.packers {
            bench.configuration.set(packer.accumulates, 1);
        }
        bench.memory.bytes[TILE as usize..][..128].fill(0);
        bench.memory.unknown[TILE as usize + 21] = 4;
        bench.pack();
        assert_eq!(bench.data(TILE, 64), rows(0), "{architecture:?}");
        let unknown = &bench.memory.unknown[TILE as usize..][..128];
        let places: Vec<_> = (0..128).filter(|byte| unknown[*byte] != 0).collect();
        assert!(places.contains(&21) && places.iter().all(|byte| byte / 2 == 10), "{places:?}");
    }
}

#[test]
fn blackholes_output_steps_by_its_counter() {
    let mut bench = Bench::new(Architecture::Blackhole, FLOAT16B);
    let stride = bench.chip.packing.output_stride.expect("the chip has it");
    bench.configuration.set(stride, 256);
    bench.counters.of_mut(Of::Packers).channels[1].set(Dimension::Y, 3);
    bench.pack();
    assert_eq!(bench.data(TILE + 3 * 256, 64), rows(0));
    assert_eq!(bench.data(TILE, 1), [0xEEEE]);
}

#[test]
fn the_last_rows_of_dst_are_packed_and_none_behind_them() {
    for architecture in CHIPS {
        for (offset, is_legal) in [(300, true), (1020, true), (1021, false), (1023, false)] {
            let mut bench = Bench::new(architecture, FLOAT16B);
            bench.configuration.set(bench.chip.packers[0].dst_offset, offset);
            for row in 0..4 {
                let data =
                    std::array::from_fn(|column| bfloat16_to_destination(stored(row, column)));
                bench.destination.write_16((offset + row) % Destination::ROWS, Row::known(data));
            }
            let Bench { chip, configuration, counters, destination, packers, memory } = &mut bench;
            let packs_by = if matches!(chip.packing.readers, Readers::Packers) { 1 } else { 0 };
            let thread = Thread::Pack;
            let mut packing =
                Packing { chip, configuration, counters, destination, packers, thread };
            let result = packing.pack(0x4100_0000 | packs_by << 8 | 1, memory);
            assert_eq!(result.is_ok(), is_legal, "{architecture:?} {offset}: {result:?}");
            if is_legal {
                assert_eq!(bench.data(TILE, 64), rows(0), "{architecture:?} {offset}");
            }
        }
    }
}

#[test]
fn unknown_data_that_an_edge_mask_leaves_out_are_zeros() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, FLOAT16B);
        let mut row = bench.destination.read_16(1);
        row.unknown = 0xF0F0;
        bench.destination.write_16(1, row);
        let shared = &bench.chip.packing;
        bench.configuration.set(shared.edge_masks[1], 0x00FF);
        let word = shared.row_sets[0].into();
        // The second mask for rows 1 and 2.
        bench.configuration.write(0, word, 0b01_01_00).expect("a word that exists");
        bench.pack();
        let unknown = &bench.memory.unknown[TILE as usize..][..128];
        let expected: Vec<u8> =
            (0..128).map(|byte| if (32 + 8..32 + 16).contains(&byte) { 0xFF } else { 0 }).collect();
        assert_eq!(unknown, expected, "{architecture:?}");
    }
}

#[test]
fn the_counters_z_of_the_input_and_of_the_output_go_on_by_their_own_bits() {
    for architecture in CHIPS {
        for (modifier, expected) in [(1 << 12, [4, 0]), (1 << 14, [3, 1]), (1 << 13, [0, 0])] {
            let mut bench = Bench::new(architecture, FLOAT16B);
            let [input, output] = &mut bench.counters.of_mut(Of::Packers).channels;
            input.set(Dimension::Z, 3);
            output.set(Dimension::Z, 0);
            let number = bench.chip.thread.pack_modifiers[0] as u8;
            let written = bench.configuration.set_thread_word(Thread::Pack, number, modifier);
            written.expect("a word of a thread");
            bench.configuration.set(bench.chip.packing.z_stride, 32);
            bench.pack();
            let [input, output] = &bench.counters.of(Of::Packers).channels;
            let counted = [input.get(Dimension::Z), output.get(Dimension::Z)];
            assert_eq!(counted, expected, "{architecture:?} {modifier:#x}");
        }
    }
}
