//! Generated data compared with those of implementations in another language, and properties of the
//! distributions.

use crate::DataError;
use crate::model::{Blobs, ContentHash, Data, DataType, Generator, Real};

const fn uniform(data_type: DataType, seed: u64) -> Generator {
    Generator::Uniform { data_type, seed }
}

/// The numbers come from an implementation of ChaCha8 and PCG32 in another language, written after their
/// papers.
#[test]
fn uniform_data_never_change() {
    let words = |seed| {
        let bytes = uniform(DataType::Uint32, seed).bytes(16);
        let words: Vec<u32> =
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        words
    };
    assert_eq!(words(0), [0xa79a_3b6c, 0xb585_f767, 0xbad8_c037, 0x7746_a55f]);
    assert_eq!(words(7), [0x23d7_43bb, 0x2865_5334, 0x2e9b_293a, 0x2b01_59d3]);
    assert_eq!(words(u64::MAX), [0xe3a7_3cae, 0xaf20_2386, 0x97be_2dd8, 0x6da0_df03]);

    let long = uniform(DataType::Uint8, 7).bytes(70_008);
    assert_eq!(long[65_536..65_544], [0xe5, 0xde, 0x39, 0xd9, 0x37, 0x44, 0x00, 0xe7]);
    assert_eq!(long[70_000..], [0x3f, 0x62, 0x30, 0x30, 0xa4, 0x04, 0x8c, 0x45]);

    let floats = uniform(DataType::Float32, 7).bytes(8);
    assert_eq!(floats, [0x0c, 0x5d, 0x0f, 0x3e, 0x4c, 0x95, 0x21, 0x3e]);
    let halves = uniform(DataType::Bfloat16, 7).bytes(8);
    assert_eq!(halves, [0x86, 0x3e, 0x0c, 0x3e, 0xa6, 0x3e, 0x20, 0x3e]);
}

/// A reader that takes data piece by piece gets the same bytes as one that takes them at once, whatever the
/// sizes of pieces and chunks.
#[test]
fn a_reader_gives_what_comes_at_once() {
    let length = 200_003;
    let constant = Generator::Constant { data_type: DataType::Uint16, bits: 0x1234 };
    let sequence = Generator::Sequence { data_type: DataType::Uint32, start: -3, step: 7 };
    for generator in [
        constant,
        sequence,
        uniform(DataType::Uint8, 5),
        uniform(DataType::Float32, 5),
        between(DataType::Int8, -5.0, 5.0),
        normal(DataType::Float32, 0.0, 1.0),
    ] {
        let whole = generator.bytes(length);
        assert_eq!(generator.hash(length), ContentHash::of(&whole));
        let (mut reader, mut all, mut piece) = (generator.reader(length), Vec::new(), vec![9; 5]);
        for size in [0, 1, 3, 65_535, 65_537, 64, 0, 68_863] {
            reader.next_in(size, &mut piece);
            assert_eq!(piece.len() as u64, size);
            all.extend_from_slice(&piece);
        }
        assert!(all == whole, "{generator:?}");
        assert!(generator.bytes(0).is_empty());
    }
}

fn real(value: f64) -> Real {
    Real::new(value).unwrap()
}

fn between(data_type: DataType, minimum: f64, maximum: f64) -> Generator {
    let (minimum, maximum) = (real(minimum), real(maximum));
    Generator::UniformBetween { data_type, seed: 7, minimum, maximum }
}

fn normal(data_type: DataType, mean: f64, deviation: f64) -> Generator {
    Generator::Normal { data_type, seed: 7, mean: real(mean), deviation: real(deviation) }
}

/// `count` elements from `first` on, by their bits.
fn elements(generator: &Generator, first: usize, count: usize) -> Vec<u32> {
    let data_type = generator.data_type();
    let bytes = generator.bytes(((first + count) * data_type.size()) as u64);
    data_type.elements(&bytes).skip(first).collect()
}

/// As `uniform_data_never_change`: from an implementation in another language.
#[test]
fn uniform_data_between_bounds_never_change() {
    let signed = |bits: u32| i32::from(bits as u8 as i8);
    let small = elements(&between(DataType::Int8, -5.0, 5.0), 0, 8);
    assert_eq!(small.into_iter().map(signed).collect::<Vec<_>>(), [-4, -4, -3, -4, -3, 2, -5, 2]);
    let whole = between(DataType::Uint32, 0.0, f64::from(u32::MAX));
    assert_eq!(elements(&whole, 0, 2), [0x23d7_43bb, 0x2865_5334]);
    let later = elements(&between(DataType::Uint16, 100.0, 199.0), 5000, 4);
    assert_eq!(later, [111, 120, 173, 187]);
    let floats = elements(&between(DataType::Float32, -1.0, 1.0), 0, 3);
    assert_eq!(floats, [0xbf38_5179, 0xbf2f_355a, 0xbf22_c9ae]);
    let halves = elements(&between(DataType::Float16, 0.0, 0.1), 0, 3);
    assert_eq!(halves, [0x232b, 0x240a, 0x24a9]);
    let brains = elements(&between(DataType::Bfloat16, -0.5, 8.0), 0, 3);
    assert_eq!(brains, [0x3f31, 0x3f57, 0x3f86]);
    let unit = elements(&uniform(DataType::Float16, 7), 0, 4);
    assert_eq!(unit, [0x343a, 0x3078, 0x3532, 0x310c]);
}

#[test]
fn normal_data_never_change() {
    let standard = normal(DataType::Float32, 0.0, 1.0);
    assert_eq!(elements(&standard, 0, 3), [0xbfe2_d7d5, 0xbf15_ceb7, 0xbccc_2a51]);
    assert_eq!(elements(&standard, 2000, 2), [0xbeb7_6517, 0xbf96_135d]);
    let weights = elements(&normal(DataType::Bfloat16, 1.0, 0.02), 0, 3);
    assert_eq!(weights, [0x3f77, 0x3f7d, 0x3f80]);
    let halves = elements(&normal(DataType::Float16, -3.0, 2.0), 0, 3);
    assert_eq!(halves, [0xc68b, 0xc42c, 0xc21a]);
    let bytes = elements(&normal(DataType::Uint8, 128.0, 40.0), 0, 6);
    assert_eq!(bytes, [57, 105, 127, 32, 112, 108]);
    let ends = elements(&normal(DataType::Int8, 0.0, 100.0), 0, 8);
    let ends: Vec<i8> = ends.into_iter().map(|bits| bits as u8 as i8).collect();
    assert_eq!(ends, [-128, -59, -2, -128, -40, -49, -63, -5]);
}

#[test]
fn normal_data_have_the_moments_of_a_bell() {
    let bits = elements(&normal(DataType::Float32, 10.0, 2.0), 0, 1 << 16);
    let values: Vec<f64> = bits.into_iter().map(|bits| f32::from_bits(bits).into()).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let near = values.iter().filter(|value| (**value - 10.0).abs() < 2.0).count() as f64 / count;
    assert!((mean - 10.0).abs() < 0.05, "{mean}");
    assert!((spread - 4.0).abs() < 0.1, "{spread}");
    assert!((near - 0.683).abs() < 0.01, "{near}");
}

#[test]
fn bounds_hold_and_both_occur() {
    let bits = elements(&between(DataType::Int16, -3.0, 2.0), 0, 4096);
    for wanted in -3..=2_i16 {
        let times = bits.iter().filter(|bits| **bits as u16 as i16 == wanted).count();
        assert!((500..900).contains(&times), "{wanted} occurs {times} times");
    }
    assert!(bits.iter().all(|bits| (-3..=2).contains(&(*bits as u16 as i16))));
    let one = elements(&between(DataType::Float32, 0.25, 0.25), 0, 3);
    assert_eq!(one, [0.25_f32.to_bits(); 3]);
}

#[test]
fn floats_lie_in_the_unit_interval() {
    let bytes = uniform(DataType::Float32, 1).bytes(1 << 16);
    let floats = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    assert!(floats.clone().all(|float| (0.0..1.0).contains(&float)));
    let mean = floats.map(f64::from).sum::<f64>() / f64::from(1 << 14);
    assert!((0.48..0.52).contains(&mean), "{mean}");
}

#[test]
fn every_length_is_a_prefix_of_a_longer_one() {
    let generators = [
        Generator::Constant { data_type: DataType::Uint32, bits: 0x0102_0304 },
        Generator::Sequence { data_type: DataType::Uint16, start: -1, step: 3 },
        uniform(DataType::Float32, 3),
        uniform(DataType::Bfloat16, 3),
        uniform(DataType::Uint8, 3),
        uniform(DataType::Float16, 3),
        between(DataType::Uint8, 3.0, 9.0),
        between(DataType::Float32, -3.0, 9.0),
        normal(DataType::Float16, 0.0, 1.0),
        normal(DataType::Int32, 0.0, 1e6),
    ];
    for generator in generators {
        let long = generator.bytes((64 << 10) + 9);
        for length in [0, 1, 2, 3, 4, 5, 7, 255, 256, 257, (64 << 10) - 1, 64 << 10, (64 << 10) + 1]
        {
            assert_eq!(generator.bytes(length as u64), long[..length], "{generator:?} {length}");
        }
        assert_eq!(generator.hash(long.len() as u64), ContentHash::of(&long));
    }
}

#[test]
fn plain_generators_count() {
    let constant = Generator::Constant { data_type: DataType::Uint16, bits: 0xbeef };
    assert_eq!(constant.bytes(5), [0xef, 0xbe, 0xef, 0xbe, 0xef]);
    let bytes = Generator::Sequence { data_type: DataType::Uint8, start: 254, step: 1 }.bytes(4);
    assert_eq!(bytes, [254, 255, 0, 1]);
    let floats = Generator::Sequence { data_type: DataType::Float32, start: -1, step: 2 }.bytes(8);
    assert_eq!(floats, [(-1.0_f32).to_le_bytes(), 1.0_f32.to_le_bytes()].concat());
    let halves = Generator::Sequence { data_type: DataType::Bfloat16, start: 1, step: 1 }.bytes(4);
    assert_eq!(halves, [0x80, 0x3f, 0x00, 0x40]);
}

#[test]
fn generators_that_do_not_fit_are_told() {
    let wide = Generator::Constant { data_type: DataType::Uint8, bits: 0x100 };
    assert!(wide.check(1).is_err());
    let exact = |step, length| {
        let data_type = DataType::Bfloat16;
        Generator::Sequence { data_type, start: 0, step }.check(length)
    };
    assert_eq!(exact(1, 2 * 257), Ok(()));
    assert!(exact(1, 2 * 258).is_err());
    assert!(exact(i64::MAX, u64::MAX).is_err());
    assert_eq!(exact(i64::MAX, 0), Ok(()));
    for wrong in [
        between(DataType::Int8, 1.0, 0.0),
        between(DataType::Int8, 0.0, 128.0),
        between(DataType::Uint8, -1.0, 1.0),
        between(DataType::Int32, 0.5, 1.0),
        between(DataType::Float16, 0.0, 1e5),
        normal(DataType::Float32, 0.0, -1.0),
        normal(DataType::Float32, 3e38, 1e38),
        normal(DataType::Uint8, 256.0, 1.0),
    ] {
        assert!(wrong.check(4).is_err(), "{wrong:?}");
    }
    assert_eq!(between(DataType::Float32, -3e38, 3e38).check(4), Ok(()));
}

#[test]
fn data_are_what_their_hash_says() {
    let blobs: Blobs = [(ContentHash::of(b"abc"), b"abc".as_slice().into())].into();
    let kept = Data::blob(b"abc");
    assert_eq!(kept.bytes(&blobs).unwrap().as_ref(), b"abc");
    assert!(matches!(kept.bytes(&Blobs::new()), Err(DataError::NotHere { .. })));
    let longer = Data { length: 4, ..kept };
    assert!(matches!(longer.bytes(&blobs), Err(DataError::Length { .. })));
    let mut made = Data::generated(uniform(DataType::Uint32, 1), 64);
    assert_eq!(made.bytes(&blobs).unwrap().len(), 64);
    made.generator = Some(uniform(DataType::Uint32, 2));
    assert!(matches!(made.bytes(&blobs), Err(DataError::Hash { .. })));
    made.length = u64::MAX;
    assert!(matches!(made.bytes(&blobs), Err(DataError::TooLong { .. })));
}
