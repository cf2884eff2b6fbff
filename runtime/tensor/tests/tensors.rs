//! Properties that a table of bytes does not show: values, positions, strides, limits and errors.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hallmark_tensor::{DataType, Error, HostTensor, Layout, Shape, TensorSpec, TileShape};
use proptest::prelude::*;

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn counted(shape: &Shape) -> HostTensor<'static> {
    let count = shape.elements() as u32;
    let spec = TensorSpec::new(shape.clone(), DataType::Uint32, Layout::RowMajor).unwrap();
    HostTensor::from_bytes(spec, words(&(0..count).collect::<Vec<_>>())).unwrap()
}

/// Every index of a shape, in row-major order.
fn indices(shape: &Shape) -> Vec<Vec<u32>> {
    shape.dimensions().iter().fold(vec![Vec::new()], |indices, size| {
        indices
            .iter()
            .flat_map(|index| (0..*size).map(|place| [index.as_slice(), &[place]].concat()))
            .collect()
    })
}

proptest! {
    #[test]
    fn elements_keep_their_values_in_each_layout(
        sizes in proptest::collection::vec(1_u32..40, 0..4),
        tile in proptest::sample::select(TileShape::ALL.to_vec()),
        other in proptest::sample::select(TileShape::ALL.to_vec()),
    ) {
        let shape = Shape::new(&sizes).unwrap();
        let rows = counted(&shape);
        let tiles = rows.to_layout(Layout::Tile(tile), 7.0).unwrap();
        for (number, index) in indices(&shape).iter().enumerate().step_by(17) {
            prop_assert_eq!(tiles.value(index).unwrap(), number as f64);
        }
        let others = tiles.to_layout(Layout::Tile(other), 0.0).unwrap();
        let back = others.to_layout(Layout::RowMajor, 0.0).unwrap();
        prop_assert_eq!(back.bytes(), rows.bytes());
    }

    #[test]
    fn each_element_has_a_place_of_its_own(
        sizes in proptest::collection::vec(1_u32..20, 0..4),
        tile in proptest::sample::select(TileShape::ALL.to_vec()),
        data_type in proptest::sample::select(DataType::ALL.to_vec()),
    ) {
        let shape = Shape::new(&sizes).unwrap();
        let spec = TensorSpec::new(shape.clone(), data_type, Layout::Tile(tile)).unwrap();
        let mut places: Vec<(u64, bool)> = indices(&shape)
            .iter()
            .map(|index| {
                let place = spec.place(index).unwrap();
                assert!(place.byte < spec.bytes() as u64);
                (place.byte, place.upper_half)
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len() as u64, shape.elements());
    }

    #[test]
    fn strides_say_where_elements_are_taken_from(
        sizes in proptest::collection::vec(1_u32..6, 1..4),
        strides in proptest::collection::vec(0_u32..9, 3),
    ) {
        let shape = Shape::new(&sizes).unwrap();
        let strides = &strides[..sizes.len()];
        let reach: u32 = sizes.iter().zip(strides).map(|(size, stride)| (size - 1) * stride).sum();
        let data = words(&(100..=100 + reach).collect::<Vec<_>>());
        let tensor = HostTensor::create(data.as_slice(), &shape, strides, 4, DataType::Uint32).unwrap();
        for index in indices(&shape) {
            let at: u32 = index.iter().zip(strides).map(|(place, stride)| place * stride).sum();
            prop_assert_eq!(tensor.value(&index).unwrap(), f64::from(100 + at));
        }
        let short = &data[..data.len() - 1];
        let (given, needed) = (short.len() as u64, data.len() as u64);
        prop_assert_eq!(
            HostTensor::create(short, &shape, strides, 4, DataType::Uint32).unwrap_err(),
            Error::DataTooShort { given, needed }
        );
    }

    #[test]
    fn blocks_hold_what_seven_bits_can(bits in proptest::collection::vec(any::<u32>(), 16), exponent in 20_u32..230) {
        // Numbers with equal exponents and fractions of 6 bits are exact in bfp8_b.
        let singles: Vec<u32> =
            bits.iter().map(|bits| bits & 0x8000_0000 | exponent << 23 | bits & 0x007e_0000).collect();
        let shape = Shape::new(&[1, 16]).unwrap();
        let data = words(&singles);
        let rows = HostTensor::create(data.as_slice(), &shape, &[16, 1], 4, DataType::Float32).unwrap();
        let tile = Layout::Tile(TileShape::new(1, 16).unwrap());
        let blocks = rows.to_layout(tile, 0.0).unwrap();
        let blocks = blocks.to_data_type(DataType::Bfp8B).unwrap();
        for (column, single) in singles.iter().enumerate() {
            let value = blocks.value(&[0, column as u32]).unwrap();
            prop_assert_eq!(value, f64::from(f32::from_bits(*single)));
        }
    }
}

#[test]
fn data_in_order_are_borrowed_and_others_gathered() {
    let data = words(&[1, 2, 3, 4, 5, 6]);
    let shape = Shape::new(&[2, 3]).unwrap();
    let in_order =
        HostTensor::create(data.as_slice(), &shape, &[3, 1], 4, DataType::Int32).unwrap();
    assert_eq!(in_order.bytes().as_ptr(), data.as_ptr());
    let turned = HostTensor::create(data.as_slice(), &shape, &[1, 2], 4, DataType::Int32).unwrap();
    assert_eq!(turned.bytes(), words(&[1, 3, 5, 2, 4, 6]));
    let owned = HostTensor::create(data.clone(), &shape, &[3, 1], 4, DataType::Int32).unwrap();
    assert_eq!(owned.into_bytes(), data);
    // Data beyond the shape are left out.
    let row = Shape::new(&[2]).unwrap();
    let row = HostTensor::create(data.as_slice(), &row, &[1], 4, DataType::Int32).unwrap();
    assert_eq!(row.bytes(), words(&[1, 2]));
}

#[test]
fn a_tensor_without_elements_has_no_bytes() {
    for sizes in [vec![0], vec![3, 0], vec![0, 32], vec![2, 0, 5]] {
        let shape = Shape::new(&sizes).unwrap();
        let strides = vec![1; sizes.len()];
        let none: &[u8] = &[];
        let rows = HostTensor::create(none, &shape, &strides, 2, DataType::Bfloat16).unwrap();
        let tiles = rows.to_layout(Layout::Tile(TileShape::FULL), 0.0).unwrap();
        assert_eq!(tiles.bytes().len(), 0, "{sizes:?}");
        let blocks = tiles.to_data_type(DataType::Bfp4B).unwrap();
        assert_eq!(blocks.to_data_type(DataType::Float32).unwrap().bytes().len(), 0);
        assert!(tiles.value(&vec![0; sizes.len()]).is_err());
    }
}

#[test]
fn what_an_integer_cannot_hold_is_an_error_and_its_neighbour_none() {
    let one = Shape::new(&[1]).unwrap();
    let convert = |value: f32, data_type| {
        let bytes = value.to_le_bytes();
        let tensor =
            HostTensor::create(bytes.as_slice(), &one, &[1], 4, DataType::Float32).unwrap();
        tensor.to_data_type(data_type).map(|tensor| tensor.value(&[0]).unwrap())
    };
    for (value, data_type, expected) in [
        (255.99, DataType::Uint8, Some(255.0)),
        (256.0, DataType::Uint8, None),
        (-0.99, DataType::Uint8, Some(0.0)),
        (-1.0, DataType::Uint8, None),
        (65_535.5, DataType::Uint16, Some(65_535.0)),
        (65_536.0, DataType::Uint16, None),
        (4_294_967_040.0, DataType::Uint32, Some(4_294_967_040.0)),
        (4_294_967_296.0, DataType::Uint32, None),
        (-2_147_483_648.0, DataType::Int32, Some(-2_147_483_648.0)),
        (-2_147_483_904.0, DataType::Int32, None),
        (2_147_483_648.0, DataType::Int32, None),
        (f32::NAN, DataType::Int32, None),
        (f32::INFINITY, DataType::Uint32, None),
    ] {
        match (convert(value, data_type), expected) {
            (Ok(given), Some(expected)) => assert_eq!(given, expected, "{value} as {data_type}"),
            (Err(Error::OutOfRange { element: 0, .. }), None) => {}
            (given, _) => panic!("{value} as {data_type}: {given:?}"),
        }
    }
}

#[test]
fn errors_say_what_to_do() {
    let shape = Shape::new(&[2, 2]).unwrap();
    let data = words(&[1, 2, 3, 4]);
    let tensor = HostTensor::create(data.as_slice(), &shape, &[2, 1], 4, DataType::Uint32).unwrap();
    for (error, text) in [
        (Shape::new(&[1; 9]).unwrap_err(), "a shape has 9 dimensions; at most 8 are possible"),
        (
            Shape::new(&[u32::MAX; 3]).unwrap_err(),
            "the tensor takes more than 1099511627776 bytes; take a smaller shape",
        ),
        (
            HostTensor::create(data.as_slice(), &shape, &[2], 4, DataType::Uint32).unwrap_err(),
            "1 strides for 2 dimensions; give one stride for each",
        ),
        (
            HostTensor::create(data.as_slice(), &shape, &[2, 1], 2, DataType::Uint32).unwrap_err(),
            "an item of 2 bytes is no uint32, which takes 4",
        ),
        (
            HostTensor::create(data.as_slice(), &shape, &[2, 1], 1, DataType::Bfp8B).unwrap_err(),
            "an item of 1 bytes is no bfp8_b, which takes no whole number of bytes: create it from another type and convert it",
        ),
        (
            tensor.to_data_type(DataType::Bfp8B).unwrap_err(),
            "bfp8_b shares exponents within faces and needs the layout `tile`; convert the layout first, or the type last",
        ),
        (
            TileShape::new(64, 32).unwrap_err(),
            "no tile is 64x32; there are 32x32, 16x32, 32x16, 16x16, 8x32, 4x32, 2x32, 1x32, 8x16, 4x16, 2x16, 1x16",
        ),
        (
            tensor.to_layout(Layout::Tile(TileShape::FULL), 0.5).unwrap_err(),
            "uint32 cannot hold the padding 0.5",
        ),
        (tensor.value(&[0, 2]).unwrap_err(), "the index [0, 2] lies outside of the shape [2, 2]"),
        (
            HostTensor::from_bytes(tensor.spec().clone(), vec![0; 15]).unwrap_err(),
            "15 bytes for a tensor of 16 bytes in the layout row_major",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn the_largest_tensor_and_one_more() {
    let bytes = TensorSpec::BYTES;
    let width = u32::try_from(bytes / 4 / 1024).unwrap();
    let spec = |height| {
        let shape = Shape::new(&[height, width]).unwrap();
        TensorSpec::new(shape, DataType::Uint32, Layout::RowMajor)
    };
    assert_eq!(spec(1024).unwrap().bytes() as u64, bytes);
    assert_eq!(spec(1025).unwrap_err(), Error::TooLarge);
    // Padding counts.
    let shape = Shape::new(&[3, u32::MAX, 1]).unwrap();
    assert!(TensorSpec::new(shape.clone(), DataType::Uint8, Layout::RowMajor).is_ok());
    let tiles = Layout::Tile(TileShape::FULL);
    assert!(TensorSpec::new(shape.clone(), DataType::Uint8, tiles).is_ok());
    assert_eq!(TensorSpec::new(shape, DataType::Float32, tiles).unwrap_err(), Error::TooLarge);
}

/// Numbers that are exact even in blocks with three bits survive every ordered pair of types and layouts.
#[test]
fn each_specification_becomes_each_other() {
    let shape = Shape::new(&[2, 5, 20]).unwrap();
    let all = indices(&shape);
    let data = words(&(0..200).map(|number| number % 8).collect::<Vec<_>>());
    let rows = HostTensor::create(data, &shape, &[100, 20, 1], 4, DataType::Uint32).unwrap();
    let layouts =
        [Layout::RowMajor, Layout::Tile(TileShape::FULL), Layout::Tile(TileShape::ALL[8])];
    let specs: Vec<TensorSpec> = layouts
        .into_iter()
        .flat_map(|layout| DataType::ALL.map(|data_type| (data_type, layout)))
        .filter_map(|(data_type, layout)| TensorSpec::new(shape.clone(), data_type, layout).ok())
        .collect();
    assert_eq!(specs.len(), 22);
    for from in &specs {
        let there = rows.to_spec(from, 0.0).unwrap();
        for to in &specs {
            let made = there.to_spec(to, 3.0).unwrap();
            assert_eq!(made.spec(), to);
            assert_eq!(made.bytes().len(), to.bytes());
            for (number, index) in all.iter().enumerate() {
                let expected = (number % 8) as f64;
                assert_eq!(made.value(index).unwrap(), expected, "{from:?} to {to:?}");
            }
        }
    }
    let other = TensorSpec::new(Shape::new(&[2, 100]).unwrap(), DataType::Uint8, Layout::RowMajor);
    assert_eq!(
        rows.to_spec(&other.unwrap(), 0.0).unwrap_err().to_string(),
        "a tensor of shape [2, 5, 20] does not become one of shape [2, 100]; give both one shape"
    );
}
