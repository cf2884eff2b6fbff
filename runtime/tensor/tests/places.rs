//! Compares pages with TT-Metalium's. `places.txt` holds their sizes, their cores, and a hash of their bytes
//! from the ttnn wheel 0.81.1, written by `scripts/tensor-bytes/places`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod made;

use std::fmt::Write as _;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{BufferType, CoreRange, Shape2D, ShardOrientation, Sharding};
use hallmark_tensor::{
    DataType, Error, HostTensor, Layout, MemoryConfig, Shape, ShardStrategy, TensorPages,
    TensorSharding, TensorSpec, TileShape,
};
use made::{Made, data_type, digest, layout, shape};

fn core(text: &str) -> LogicalCore {
    let (x, y) = text.split_once(',').unwrap();
    LogicalCore { x: x.parse().unwrap(), y: y.parse().unwrap() }
}

fn range(text: &str) -> CoreRange {
    let (start, end) = text.split_once('-').unwrap();
    CoreRange { start: core(start), end: core(end) }
}

/// The memory that a line describes.
fn memory(words: &[&str]) -> MemoryConfig {
    let buffer_type = if words[0] == "dram" { BufferType::Dram } else { BufferType::L1 };
    let strategy = match words[1] {
        "interleaved" => return MemoryConfig::interleaved(buffer_type),
        "height_sharded" => ShardStrategy::Height,
        "width_sharded" => ShardStrategy::Width,
        "block_sharded" => ShardStrategy::Block,
        other => panic!("no strategy: {other}"),
    };
    let (height, width) = words[2].split_once('x').unwrap();
    let sharding = TensorSharding {
        strategy,
        cores: words[4..].iter().map(|text| range(text)).collect(),
        shape: Shape2D { height: height.parse().unwrap(), width: width.parse().unwrap() },
        orientation: match words[3] {
            "row_major" => ShardOrientation::RowMajor,
            _ => ShardOrientation::ColMajor,
        },
    };
    MemoryConfig { buffer_type, sharding: Some(sharding) }
}

/// The table's name of an error.
fn named(error: &Error) -> &'static str {
    match error {
        Error::ShardOfBrokenTiles { .. } => "broken_tiles",
        Error::ShardOfOtherWidth { .. } => "other_width",
        Error::ShardOfOtherHeight { .. } => "other_height",
        Error::ShardsBeyondCores { .. } => "beyond_cores",
        Error::BlocksBeyondCores { .. } => "blocks_beyond_cores",
        Error::NotOneRectangle { .. } => "not_one_rectangle",
        Error::EmptyShard { .. } => "empty_shard",
        other => panic!("no error of shards: {other}"),
    }
}

/// The rest of a line, computed here.
fn told(tensor: &HostTensor<'_>, memory: &MemoryConfig) -> String {
    let pages = match TensorPages::new(tensor.spec().clone(), memory) {
        Ok(pages) => pages,
        Err(error) => return format!("error {}", named(&error)),
    };
    let (mut places, mut bytes) = ("-".to_owned(), "-".to_owned());
    if let Some(spec) = pages.shard_spec()
        && pages.pages() > 0
        && memory.buffer_type == BufferType::L1
    {
        let sharding = Sharding::new(pages.layout(), spec, pages.pages()).unwrap();
        let cores: Vec<_> = spec.cores_in_order().collect();
        let mut text = String::new();
        for page in 0..pages.pages() {
            let place = sharding.place(page).unwrap();
            let LogicalCore { x, y } = cores[usize::try_from(place.shard).unwrap()];
            writeln!(text, "{page} {x} {y} {}", place.slot).unwrap();
        }
        places = digest(text.as_bytes());
    }
    if pages.pages() > 0 {
        bytes = digest(&pages.to_pages(tensor.bytes()));
    }
    format!("{} {} {places} {bytes}", pages.page_bytes(), pages.pages())
}

#[test]
fn pages_lie_where_tt_metalium_puts_them() {
    let table = include_str!("places.txt");
    let mut different = Vec::new();
    let mut refused_without_elements = 0;
    for line in table.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let at = words.iter().position(|word| *word == "error").unwrap_or(words.len() - 4);
        let made = Made {
            data_type: data_type(words[0]),
            target: data_type(words[0]),
            shape: shape(words[1]),
            layout: layout(words[2]),
            padding: 0.0,
        };
        let told = told(&made.tensor(), &memory(&words[3..at]));
        let expected = words[at..].join(" ");
        // TT-Metalium's page of an empty tensor has four bytes, and a row must be a multiple of it there.
        if expected == "error empty_page" {
            assert_eq!((made.shape.elements(), made.layout), (0, Layout::RowMajor), "{line}");
            refused_without_elements += 1;
        } else if told != expected {
            different.push(format!("{line}\n  here: {told}"));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {} tensors have other pages:\n{}",
        different.len(),
        table.lines().count(),
        different.join("\n")
    );
    assert!(table.lines().count() - refused_without_elements > 3000);
}

fn spec(sizes: &[u32], data_type: DataType, layout: Layout) -> TensorSpec {
    TensorSpec::new(Shape::new(sizes).unwrap(), data_type, layout).unwrap()
}

fn sharded(words: &str) -> MemoryConfig {
    memory(&words.split(' ').collect::<Vec<_>>())
}

/// Every element of a tensor is at its stated position in the bytes of the pages, and the pages convert back to
/// the tensor.
#[test]
fn each_element_lies_at_its_place() {
    let tile = Layout::Tile(TileShape::new(8, 16).unwrap());
    for (layout, words) in [
        (Layout::RowMajor, "dram interleaved"),
        (Layout::RowMajor, "l1 height_sharded 4x21 row_major 0,0-3,0"),
        (Layout::RowMajor, "l1 width_sharded 10x6 col_major 0,0-1,1"),
        (Layout::RowMajor, "l1 block_sharded 3x8 row_major 1,1-4,5"),
        (tile, "dram interleaved"),
        (tile, "l1 height_sharded 8x32 row_major 0,0-3,0"),
        (tile, "l1 width_sharded 16x16 row_major 0,0-3,0"),
        (tile, "l1 block_sharded 8x16 col_major 1,1-4,5"),
    ] {
        let made = Made {
            data_type: DataType::Uint16,
            target: DataType::Uint16,
            shape: Shape::new(&[2, 5, 21]).unwrap(),
            layout,
            padding: 0.0,
        };
        let tensor = made.tensor();
        let pages = TensorPages::new(tensor.spec().clone(), &sharded(words)).unwrap();
        let bytes = pages.to_pages(tensor.bytes());
        assert_eq!(bytes.len() as u64, pages.bytes(), "{words}");
        assert_eq!(pages.from_pages(&bytes), tensor.bytes(), "{words}");
        for index in (0..2).flat_map(|z| (0..5).flat_map(move |y| (0..21).map(move |x| [z, y, x])))
        {
            let place = pages.place(&index).unwrap();
            assert!(place.byte_of_page < pages.page_bytes());
            assert_eq!(place.shard.is_some(), pages.shard_spec().is_some());
            let at = (place.page * pages.page_bytes() + place.byte_of_page) as usize;
            let element = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            assert_eq!(f64::from(element), tensor.value(&index).unwrap(), "{words}: {index:?}");
        }
    }
}

#[test]
fn a_place_names_the_core_and_the_page_there() {
    let pages = |words: &str| {
        TensorPages::new(spec(&[4, 96], DataType::Bfloat16, Layout::RowMajor), &sharded(words))
    };
    // Rows of the tensor are cut into three pieces, so that the second piece of the third row is page 7.
    let cut = pages("l1 width_sharded 4x32 row_major 0,0-2,0").unwrap();
    let place = cut.place(&[2, 33]).unwrap();
    assert_eq!((place.page, place.byte_of_page), (7, 2));
    assert_eq!(place.shard, Some((LogicalCore { x: 1, y: 0 }, 2)));
    // Only cores with a shard are named: the second row of shards is on the second row of cores.
    let blocks = pages("l1 block_sharded 2x48 row_major 1,1-6,6").unwrap();
    assert_eq!(blocks.shard_spec().unwrap().cores, [range("1,1-2,2")]);
    let place = blocks.place(&[3, 50]).unwrap();
    assert_eq!(place.shard, Some((LogicalCore { x: 2, y: 2 }, 1)));
}

#[test]
fn errors_of_shards_say_what_fits() {
    let tiles = Layout::Tile(TileShape::FULL);
    for (layout, words, text) in [
        (
            Layout::RowMajor,
            "l1 height_sharded 0x40 row_major 0,0-3,0",
            "a shard of 0x40 holds nothing; give it rows and columns",
        ),
        (
            tiles,
            "l1 height_sharded 16x64 row_major 0,0-3,0",
            "a shard of 16x64 breaks tiles of 32x32; give it whole tiles",
        ),
        (
            tiles,
            "l1 height_sharded 32x32 row_major 0,0-3,0",
            "shards that cut the height are as wide as the padded tensor, 64 elements; these have 32",
        ),
        (
            tiles,
            "l1 width_sharded 32x32 row_major 0,0-3,0",
            "shards that cut the width are as high as all padded matrices, 64 rows; these have 32",
        ),
        (
            tiles,
            "l1 block_sharded 32x32 row_major 0,0-0,1 1,0-1,1",
            "shards that cut both sides lie on one range of cores; 2 are given",
        ),
        (
            Layout::RowMajor,
            "l1 block_sharded 10x10 row_major 0,0-3,0",
            "the shards take 4 columns and 4 rows of cores, more than from (0, 0) to (3, 0)",
        ),
        (
            Layout::RowMajor,
            "l1 height_sharded 10x40 row_major 0,0-2,0",
            "the tensor has 4 shards, and 3 cores are to hold one each",
        ),
    ] {
        let error = TensorPages::new(spec(&[40, 40], DataType::Bfloat16, layout), &sharded(words));
        assert_eq!(error.unwrap_err().to_string(), text);
    }
}

#[test]
fn sizes_beyond_a_device_are_errors() {
    let rows = |height, width| spec(&[height, width], DataType::Uint8, Layout::RowMajor);
    // Padding counts: 2^20 rows of 2^20 bytes are the largest tensor, and shards of 2^19 + 1 lengthen the rows.
    let side = 1 << 20;
    let memory =
        |width: u32| sharded(&format!("l1 width_sharded {side}x{width} row_major 0,0-1,0"));
    assert!(TensorPages::new(rows(side, side), &memory(side / 2)).is_ok());
    let error = TensorPages::new(rows(side, side), &memory(side / 2 + 1)).unwrap_err();
    assert_eq!(error, Error::TooLarge);
    let tall = spec(&[16, 1 << 28, 1], DataType::Uint8, Layout::RowMajor);
    let error = TensorPages::new(tall, &sharded("l1 height_sharded 9x1 row_major 0,0-1,0"));
    assert_eq!(error.unwrap_err(), Error::TooLarge);
    // The limit also applies to an empty tensor.
    let shape = Shape::new(&[1 << 31, 1 << 31, 1, 0]).unwrap();
    let tiles = TensorSpec::new(shape, DataType::Uint8, Layout::Tile(TileShape::FULL));
    assert_eq!(tiles.unwrap_err(), Error::TooLarge);
}
