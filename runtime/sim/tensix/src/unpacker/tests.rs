//! Where UNPACR reads and where it writes, by counters and configuration, on both chips.

use hallmark_chip::Architecture;

use super::*;
use crate::surroundings::memory::Memory;

/// Where the tile begins in L1.
const TILE: u64 = 0x1230;
/// The tile's sizes: rows of a face, faces of a plane.
const Y_DIM: u32 = 3;
const Z_DIM: u32 = 5;
const X_DIM: u32 = 48;
/// UNPACR of unpacker 0 by the thread's context. The bank stays the unpacker's.
const UNPACR: u32 = 0x4200_0000 | 1 << 7 | 1;

struct Bench {
    chip: &'static Chip,
    configuration: Configuration,
    counters: AddressCounters,
    registers: Registers,
    memory: Memory,
}

impl Bench {
    /// With data of `format` in L1 and in SrcA, from its row 2 on.
    fn new(architecture: Architecture, format: u32) -> Self {
        let chip = Chip::of(architecture);
        let [table, _] = &chip.unpackers;
        let first = table.first.expect("unpacker 0 has it");
        let mut configuration = Configuration::new(chip);
        for (field, value) in [
            (table.input_format, format),
            (table.output_format, format),
            (table.x_dim[0], X_DIM),
            (table.y_dim, Y_DIM),
            (table.z_dim, Z_DIM),
            (table.uncompressed[0], 1),
            (table.throttle, 2),
            (table.base[0], TILE as u32 / 16 - 1),
            (first.destination[0], SKIPPED + 2 * COLUMNS as u32),
        ] {
            configuration.set(field, value);
        }
        let number = chip.thread.override_with_address.word as u8;
        let word = chip.thread.override_with_address.set(0, 1) as u16;
        configuration.set_thread_word(Thread::Unpack, number, word).expect("a word of a thread");
        let mut bench = Self {
            chip,
            configuration,
            counters: AddressCounters::default(),
            registers: Registers::default(),
            memory: Memory::new(),
        };
        for (index, byte) in bench.memory.bytes.iter_mut().enumerate() {
            *byte = (index as u8).wrapping_mul(37) ^ (index >> 8) as u8;
        }
        bench.count_from([0, 15], [0; 2], [0; 2], [0; 2]);
        bench
    }

    /// Sets the counters of the input and of the output.
    fn count_from(&mut self, x: [u32; 2], y: [u32; 2], z: [u32; 2], w: [u32; 2]) {
        let channels = &mut self.counters.of_mut(Of::Unpacker0).channels;
        for (index, channel) in channels.iter_mut().enumerate() {
            channel.set(Dimension::X, x[index]);
            channel.set(Dimension::Y, y[index]);
            channel.set(Dimension::Z, z[index]);
            channel.set(Dimension::W, w[index]);
        }
    }

    fn unpack(&mut self, word: u32) {
        self.try_unpack(word).expect("legal");
    }

    fn try_unpack(&mut self, word: u32) -> Result<(), String> {
        let Self { chip, configuration, counters, registers, memory } = self;
        let mut unpackers =
            Unpackers { chip, configuration, counters, registers, thread: Thread::Unpack };
        let waits = unpackers.unpack(word, memory).map_err(|refusal| refusal.to_string())?;
        assert_eq!(waits, None, "{}", chip.bank_words);
        Ok(())
    }

    fn row(&self, row: u32) -> &Row<u32> {
        self.registers.source_a.row(self.registers.source_a.unpacker_bank(), row)
    }

    /// The 16-bit float of L1, as SrcA holds it.
    fn datum(&self, address: u64) -> u32 {
        let bytes = &self.memory.bytes[address as usize..];
        u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16
    }
}

const CHIPS: [Architecture; 2] = [Architecture::WormholeB0, Architecture::Blackhole];

#[test]
fn data_are_read_from_where_all_counters_say() {
    let first_datum = u64::from(16 + X_DIM * (2 + Y_DIM * (4 + Z_DIM)));
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, 5);
        bench.count_from([16, 31], [2, 0], [4, 0], [1, 0]);
        bench.unpack(UNPACR);
        assert_eq!(bench.memory.reads, [(TILE + 2 * first_datum, 32)], "{architecture:?}");
        // Blocks of 8 bits: 720 data have 45 exponents, and the data begin with the next line behind them.
        let mut bench = Bench::new(architecture, 6);
        bench.count_from([16, 31], [2, 0], [4, 0], [0, 0]);
        bench.unpack(UNPACR);
        let first_datum = u64::from(16 + X_DIM * (2 + Y_DIM * 4));
        let reads = [(TILE + 48 + first_datum, 16), (TILE + first_datum / 16, 1)];
        assert_eq!(bench.memory.reads, reads, "{architecture:?}");
    }
}

#[test]
fn rows_are_written_where_the_output_counts_if_it_is_added() {
    for (architecture, adds) in CHIPS.into_iter().flat_map(|chip| [(chip, 0), (chip, 1)]) {
        let mut bench = Bench::new(architecture, 5);
        let table = &bench.chip.unpackers[0];
        bench.configuration.set(table.y_stride.expect("unpacker 0 has it"), 3 * 32);
        bench.configuration.set(table.z_stride, 7 * 32);
        bench.configuration.set(table.first.expect("unpacker 0 has it").adds_counter, adds);
        bench.count_from([0, 15], [0, 2], [0, 4], [0; 2]);
        // The counters go on: Z and Y of the input by 1 and 2, of the output by 3 and 1.
        bench.unpack(UNPACR | 1 << 15 | 2 << 17 | 3 << 19 | 1 << 21);
        let row = if adds == 1 { 2 + 2 * 3 + 4 * 7 } else { 2 };
        for column in 0..16 {
            let expected = bench.datum(TILE + 2 * column);
            assert_eq!(bench.row(row).data[column as usize], expected, "{architecture:?} {adds}");
        }
        let [input, output] = &bench.counters.of(Of::Unpacker0).channels;
        let counted = [input, output].map(|one| [one.get(Dimension::Z), one.get(Dimension::Y)]);
        assert_eq!(counted, [[1, 2], [7, 3]]);
    }
}

#[test]
fn a_face_is_turned_in_its_own_rows() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, 5);
        let table = &bench.chip.unpackers[0];
        let first = table.first.expect("unpacker 0 has it");
        bench.configuration.set(first.destination[0], SKIPPED + 48 * COLUMNS as u32);
        bench.configuration.set(table.haloize, 1);
        bench.count_from([0, 255], [0; 2], [0; 2], [0; 2]);
        bench.unpack(UNPACR);
        for (row, column) in (0..16).flat_map(|row| (0..16).map(move |column| (row, column))) {
            let expected = bench.datum(TILE + 2 * (16 * row + column));
            let datum = bench.row(48 + column as u32).data[row as usize];
            assert_eq!(datum, expected, "{architecture:?} {row} {column}");
        }
    }
}

#[test]
fn an_unknown_exponent_makes_its_own_block_unknown() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, 6);
        bench.count_from([8, 23], [0; 2], [0; 2], [0; 2]);
        bench.memory.unknown[TILE as usize + 1] = 1;
        bench.unpack(UNPACR);
        assert_eq!(bench.row(2).unknown, 0xFF00, "{architecture:?}");
    }
}

#[test]
fn an_exponent_below_that_of_float16_is_refused() {
    const BFP8A: u32 = 2;
    // The exponents of all data fill three lines.
    let data = TILE as usize + 48;
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, BFP8A);
        bench.memory.bytes[data..data + 16].fill(0x40);
        bench.memory.bytes[data + 5] = 0x81;
        bench.memory.bytes[TILE as usize] = 6;
        bench.unpack(UNPACR);
        // Six leading zeros of the magnitude take the exponent to 0.
        assert_eq!(bench.row(2).data[4..6], [6 << 23, 1 << 31], "{architecture:?}");
        bench.memory.bytes[TILE as usize] = 5;
        let refusal = bench.try_unpack(UNPACR).unwrap_err();
        assert!(refusal.contains("a datum of Bfp8 with the exponent 5 is outside"), "{refusal}");
    }
}

#[test]
fn the_second_context_has_its_own_addresses() {
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, 5);
        let table = &bench.chip.unpackers[0];
        let first = table.first.expect("unpacker 0 has it");
        let number = table.context.word as u8;
        let word = bench.configuration.thread_word(Thread::Unpack, table.context.word);
        let word = table.context.set(u32::from(word), 1) as u16;
        bench
            .configuration
            .set_thread_word(Thread::Unpack, number, word)
            .expect("a word of a thread");
        for (field, value) in [
            (table.uncompressed[1], 1),
            (table.x_dim[1], 16),
            (table.base[1], 0x400 - 1),
            (first.offset[0], 0x10),
            (first.offset[1], 0x23),
            (first.destination[1], SKIPPED + 8 * COLUMNS as u32),
        ] {
            bench.configuration.set(field, value);
        }
        bench.count_from([0, 15], [3, 0], [0; 2], [0; 2]);
        bench.unpack(UNPACR);
        let start = 0x4230 + 3 * 32;
        assert_eq!(bench.memory.reads, [(start, 32)], "{architecture:?}");
        for column in 0..16 {
            let expected = bench.datum(start + 2 * column);
            assert_eq!(bench.row(8).data[column as usize], expected, "{architecture:?}");
        }
    }
}

#[test]
fn rows_that_are_tilized_lie_a_stride_apart() {
    const INT8: u32 = 14;
    // Of Blackhole two rows of 16-bit data stand together.
    for (architecture, format, bytes) in [
        (Architecture::WormholeB0, 5, 32),
        (Architecture::WormholeB0, INT8, 16),
        (Architecture::Blackhole, 5, 64),
        (Architecture::Blackhole, INT8, 16),
    ] {
        let mut bench = Bench::new(architecture, format);
        let table = &bench.chip.unpackers[0];
        let first = table.first.expect("unpacker 0 has it");
        bench.configuration.set(first.destination[0], SKIPPED + 8 * COLUMNS as u32);
        bench.configuration.set(table.tileize, 1);
        for (field, value) in table.row_stride.into_iter().zip([2, 3, 1]) {
            bench.configuration.set(field, value);
        }
        bench.count_from([0, 63], [0; 2], [0; 2], [0; 2]);
        bench.unpack(UNPACR);
        let groups = if bytes == 64 { 2 } else { 4 };
        let reads: Vec<_> = (0..groups).map(|group| (TILE + group * 0x1320, bytes)).collect();
        assert_eq!(bench.memory.reads, reads, "{architecture:?} {format}");
    }
}

#[test]
fn unknown_bits_of_a_datum_within_a_byte_make_it_unknown() {
    const BFP4: u32 = 7;
    for architecture in CHIPS {
        let mut bench = Bench::new(architecture, BFP4);
        // From the second half of a byte on: the exponents of 720 data take 48 bytes.
        bench.count_from([1, 16], [0; 2], [0; 2], [0; 2]);
        let data = TILE as usize + 48;
        bench.memory.unknown[data] = 0x0F;
        bench.memory.unknown[data + 2] = 0x10;
        bench.memory.unknown[data + 8] = 0xF0;
        bench.unpack(UNPACR);
        // The first byte's lower half is no datum of the row, and so is the upper half of the last one.
        assert_eq!(bench.row(2).unknown, 1 << 4, "{architecture:?}");
    }
}

#[test]
fn bursts_begin_where_their_rows_lie_together() {
    const INT8: u32 = 14;
    // The rows of a burst; `by_format`: unless the configuration says otherwise, Blackhole's unpacker chooses by the format.
    for (architecture, format, tilizes, throttle, by_format, burst) in [
        (Architecture::WormholeB0, 5, 0, 0, true, 1),
        (Architecture::WormholeB0, 5, 0, 2, true, 2),
        (Architecture::WormholeB0, INT8, 0, 2, true, 4),
        (Architecture::WormholeB0, 5, 1, 0, true, 2),
        (Architecture::Blackhole, 5, 0, 0, true, 4),
        (Architecture::Blackhole, INT8, 0, 0, true, 8),
        (Architecture::Blackhole, INT8, 1, 0, true, 4),
        (Architecture::Blackhole, 5, 0, 0, false, 1),
        (Architecture::Blackhole, INT8, 0, 2, false, 4),
    ] {
        for row in [8, 4, 2, 1] {
            let mut bench = Bench::new(architecture, format);
            let table = &bench.chip.unpackers[0];
            let first = table.first.expect("unpacker 0 has it");
            bench.configuration.set(table.throttle, throttle);
            bench.configuration.set(table.tileize, tilizes);
            if tilizes == 1 {
                bench.configuration.set(table.row_stride[0], 4);
            }
            if let Some(field) = table.overrides_throttle {
                bench.configuration.set(field, u32::from(!by_format));
            }
            bench.configuration.set(first.destination[0], SKIPPED + row * COLUMNS as u32);
            bench.count_from([0, 31], [0; 2], [0; 2], [0; 2]);
            let Bench { chip, configuration, counters, registers, memory } = &mut bench;
            let thread = Thread::Unpack;
            let mut unpackers = Unpackers { chip, configuration, counters, registers, thread };
            let result = unpackers.unpack(UNPACR, memory);
            assert_eq!(result.is_ok(), row >= burst, "{architecture:?} {format} {row}: {result:?}");
        }
    }
}
