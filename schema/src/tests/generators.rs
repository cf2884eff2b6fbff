use crate::DataError;
use crate::model::{Blobs, ContentHash, Data, DataType, Generator};

const fn uniform(data_type: DataType, seed: u64) -> Generator {
    Generator::Uniform { data_type, seed }
}

/// From an implementation of ChaCha8 and PCG32 in another language, written after their papers.
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
