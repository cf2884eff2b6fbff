//! Harvested chips: the results of the chips' firmware and of tt-umd for some masks, and properties of every
//! mask.
//!
//! ISA: `tenstorrent/tt-isa-documentation`. UMD: `tenstorrent/tt-umd`, its tests of coordinates.
//! Firmware: `tenstorrent/tt-zephyr-platforms`, `bh_arc/noc_init.c`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use hallmark_chip::*;
use proptest::prelude::*;

fn chip(architecture: Architecture, mask: u32) -> &'static ChipDescription {
    ChipDescription::harvested(architecture, HarvestingMask(mask)).unwrap()
}

fn entry(pairs: &[(u8, u8)], number: u8) -> u8 {
    pairs.iter().find(|pair| pair.0 == number).unwrap().1
}

fn core(x: u32, y: u32) -> LogicalCore {
    LogicalCore { x, y }
}

/// ISA `WormholeB0/NoC/Coordinates.md`: the table with y 7 and y 10 harvested.
#[test]
fn wormhole_rows_are_renumbered_as_the_documentation_shows() {
    let chip = chip(Architecture::WormholeB0, 1 << 5 | 1 << 8);
    let rows: Vec<u8> = (16..28).map(|y| entry(chip.translated_rows, y)).collect();
    assert_eq!(rows, [0, 6, 1, 2, 3, 4, 5, 8, 9, 11, 7, 10]);
    assert_eq!(chip.translated_columns.len(), 10);
    assert_eq!(chip.harvested, [7, 10]);
    assert_eq!((chip.tensix_grid(), chip.compute_grid()), ((8, 8), (8, 7)));
    // The last remaining row is that of the dispatchers.
    assert_eq!(chip.dispatch_core(1), Some(core(1, 7)));
    assert_eq!(chip.physical(core(1, 7)), Some(PhysicalCoordinate { x: 2, y: 11 }));
}

/// UMD `CoordinateManagerWormhole…`: the first row harvested.
#[test]
fn wormhole_corners_stand_where_the_driver_finds_them() {
    let chip = chip(Architecture::WormholeB0, 1);
    for (x, y, named, at) in
        [(0, 0, (18, 18), (1, 2)), (7, 0, (25, 18), (9, 2)), (0, 8, (18, 26), (1, 11))]
    {
        let name = chip.noc_coordinate(core(x, y)).unwrap();
        let place = chip.physical(core(x, y)).unwrap();
        assert_eq!(((name.x, name.y), (place.x, place.y)), (named, at));
    }
}

/// UMD `CoordinateManagerBlackhole…`: the first column harvested, and the first two.
#[test]
fn blackhole_columns_are_renumbered_as_the_driver_does() {
    let one = chip(Architecture::Blackhole, 1);
    assert_eq!((one.tensix_grid(), one.compute_grid()), ((13, 10), (12, 10)));
    for (x, y, named, at) in
        [(0, 0, (1, 2), (2, 2)), (12, 0, (15, 2), (16, 2)), (0, 9, (1, 11), (2, 11))]
    {
        let name = one.noc_coordinate(core(x, y)).unwrap();
        let place = one.physical(core(x, y)).unwrap();
        assert_eq!(((name.x, name.y), (place.x, place.y)), (named, at));
    }
    let two = chip(Architecture::Blackhole, 3);
    assert_eq!(entry(two.translated_columns, 16), 1);
    assert_eq!(entry(two.translated_columns, 15), 2);
    // Columns without Tensix tiles keep their coordinates.
    let whole = ChipDescription::of(Architecture::Blackhole);
    for pair in whole.translated_columns {
        assert!(two.translated_columns.contains(pair), "{pair:?}");
    }
}

/// Firmware `ComputeNocTranslation`: harvested columns go from 16 downwards in the order of
/// `kTensixEthNoc0X`, in which 16 comes right after 1, and 10 last.
#[test]
fn blackhole_columns_that_are_off_come_last_in_the_order_on_the_die() {
    let chip = chip(Architecture::Blackhole, 1 << 0 | 1 << 7 | 1 << 13);
    let columns: Vec<u8> =
        (1..8).chain(10..17).map(|x| entry(chip.translated_columns, x)).collect();
    assert_eq!(columns, [2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 10, 16, 1]);
}

/// UMD `grayskull_implementation.h`: coordinates are not translated, and a remaining tile keeps its own.
#[test]
fn grayskull_rows_are_skipped() {
    let chip = chip(Architecture::Grayskull, 1 << 0 | 1 << 9);
    assert_eq!((chip.tensix_grid(), chip.compute_grid()), ((12, 8), (12, 7)));
    let rows: Vec<u8> = (0..8).map(|y| chip.noc_coordinate(core(0, y)).unwrap().y).collect();
    assert_eq!(rows, [2, 3, 4, 5, 7, 8, 9, 10]);
    assert_eq!(rows, chip.tensix_rows);
    assert!(chip.translated_rows.is_empty());
}

/// UMD `shuffle_tensix_harvesting_mask` with its `HARVESTING_NOC_LOCATIONS`: bit 0 on the die is y 11 of
/// a Wormhole, x 1 of a Blackhole and y 5 of a Grayskull.
#[test]
fn what_telemetry_says_is_turned_into_the_order_of_the_noc() {
    use Architecture::{Blackhole, Grayskull, WormholeB0};
    for (architecture, die, noc) in [
        (WormholeB0, 0b1, 1 << 9),
        (WormholeB0, 0b10, 1 << 0),
        (WormholeB0, 1 << 9 | 1 << 8, 1 << 4 | 1 << 5),
        (Blackhole, 0b1, 1 << 0),
        (Blackhole, 0b10, 1 << 13),
        (Blackhole, 1 << 13, 1 << 7),
        (Grayskull, 0b1, 1 << 4),
        (Grayskull, 1 << 9, 1 << 9),
        (Grayskull, 0, 0),
    ] {
        assert_eq!(HarvestingMask::of_die(architecture, die), Ok(HarvestingMask(noc)), "{die:#x}");
    }
    assert!(HarvestingMask::of_die(WormholeB0, 1 << 10).is_err());
}

#[test]
fn masks_that_no_chip_can_have_are_refused() {
    let refused = |architecture, mask| {
        let error = ChipDescription::harvested(architecture, HarvestingMask(mask)).unwrap_err();
        error.to_string()
    };
    let text = refused(Architecture::WormholeB0, 1 << 10);
    assert!(text.contains("bits above 0x3ff") && text.contains("10 rows"), "{text}");
    let text = refused(Architecture::Blackhole, u32::MAX);
    assert!(text.contains("bits above 0x3fff") && text.contains("14 columns"), "{text}");
    let text = refused(Architecture::Grayskull, 0x3FE);
    assert!(text.contains("leaves 1 of 10 rows"), "{text}");
    let whole = chip(Architecture::Grayskull, 0);
    assert!(std::ptr::eq(whole, ChipDescription::of(Architecture::Grayskull)));
    // Two remaining rows: one for programs and one for dispatch.
    assert_eq!(chip(Architecture::Grayskull, 0xFF).compute_grid(), (12, 1));
}

#[test]
fn masks_are_written_as_they_are_read() {
    for (text, mask) in [("0x0", 0), ("0x3", 3), ("0x3ff", 0x3FF)] {
        assert_eq!(text.parse(), Ok(HarvestingMask(mask)));
        assert_eq!(HarvestingMask(mask).to_string(), text);
    }
    for text in ["", "0x", "3", "0x+3", "0X3", "0x1_0", "0x100000000"] {
        let error = text.parse::<HarvestingMask>().unwrap_err();
        assert!(error.to_string().contains("such as 0x3"), "{text}");
    }
}

fn any_chip() -> impl Strategy<Value = (Architecture, u32)> {
    let masks = |bits: u32| {
        (0_u32..1 << bits).prop_filter("two are left", move |mask| bits - mask.count_ones() >= 2)
    };
    prop_oneof![
        masks(10).prop_map(|mask| (Architecture::Grayskull, mask)),
        masks(10).prop_map(|mask| (Architecture::WormholeB0, mask)),
        masks(14).prop_map(|mask| (Architecture::Blackhole, mask)),
    ]
}

proptest! {
    #[test]
    fn every_mask_names_each_tile_once((architecture, mask) in any_chip()) {
        let whole = ChipDescription::of(architecture);
        let chip = chip(architecture, mask);
        prop_assert_eq!(chip.harvesting, HarvestingMask(mask));
        let off = mask.count_ones();
        let (columns, rows) = whole.tensix_grid();
        let left = if chip.harvests_rows { (columns, rows - off) } else { (columns - off, rows) };
        prop_assert_eq!(chip.tensix_grid(), left);
        let (pairs, names) = if chip.harvests_rows {
            (chip.translated_rows, whole.row_names)
        } else {
            (chip.translated_columns, whole.column_names)
        };
        let stands_for = |number: u8| {
            pairs.iter().find(|pair| pair.0 == number).map_or(number, |pair| pair.1)
        };
        // Every coordinate names a different position, and together they name all.
        let places: BTreeSet<u8> = names.iter().map(|name| stands_for(*name)).collect();
        prop_assert_eq!(places.len(), names.len());
        prop_assert_eq!(places.len(), chip.harvested.len() + if chip.harvests_rows {
            chip.tensix_rows.len()
        } else {
            chip.tensix_columns.len()
        });
        // The logical grid is dense, in the order of NoC 0, and contains no harvested tile.
        let mut before = None;
        for y in 0..left.1 {
            for x in 0..left.0 {
                let at = chip.physical(core(x, y)).unwrap();
                prop_assert!(!chip.is_harvested(at));
                prop_assert!(before < Some((at.y, at.x)));
                before = Some((at.y, at.x));
                prop_assert_eq!(chip.logical(at), Some(core(x, y)));
                let named = chip.noc_coordinate(core(x, y)).unwrap();
                let varies = if chip.harvests_rows { (named.y, at.y) } else { (named.x, at.x) };
                prop_assert_eq!(stands_for(varies.0), varies.1);
            }
        }
        prop_assert_eq!(chip.physical(core(left.0, 0)), None);
        prop_assert_eq!(chip.noc_coordinate(core(0, left.1)), None);
        // A harvested tile is a Tensix tile of the unharvested chip, and no logical core.
        let mut harvested = 0;
        for y in 0..rows {
            for x in 0..columns {
                let at = whole.physical(core(x, y)).unwrap();
                prop_assert_eq!(chip.is_harvested(at), chip.logical(at).is_none());
                harvested += u32::from(chip.is_harvested(at));
            }
        }
        prop_assert_eq!(harvested, off * if chip.harvests_rows { columns } else { rows });
        for tile in chip.dram_tiles.iter().flat_map(|tile| tile.ports) {
            prop_assert!(!chip.is_harvested(*tile));
        }
    }
}
