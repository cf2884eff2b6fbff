//! Limits of a chip's table that no kernel of a suite reaches: on every chip, what lies at each and what lies one past it.

use hallmark_chip::{
    Architecture, Bar, BarOffset, ChipDescription, FaultCategory, Noc, NocCoordinate,
};

use crate::machine::coordinates::Coordinates;
use crate::machine::fault::{Origin, Violation};
use crate::machine::{ARCHITECTURES, Machine};

fn chip(architecture: Architecture) -> Machine<()> {
    let description = ChipDescription::of(architecture);
    Machine::new(description, 0, |_| ())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Violation>, words: &str) {
    let violation = result.unwrap_err();
    assert_eq!(violation.category, FaultCategory::UnimplementedFunctionality);
    assert!(violation.reason.contains(words), "{}", violation.reason);
}

#[test]
fn ethernet_l1_is_reached_to_its_end() {
    for &architecture in ARCHITECTURES {
        let mut chip = chip(architecture);
        let description = ChipDescription::of(architecture);
        let Some(&last) = description.ethernet_tiles.last() else { continue };
        let end = description.ethernet_l1_size;
        chip.write_tile(last, end - 4, &[7; 4], Origin::Host, None).unwrap();
        let mut word = [0; 4];
        chip.read_tile(last, end - 4, &mut word, Origin::Host, None).unwrap();
        assert_eq!(word, [7; 4]);
        let written = chip.write_tile(last, end, &[7; 4], Origin::Host, None);
        refused(written, "Ethernet register");
        refused(chip.read_tile(last, end, &mut word, Origin::Host, None), "Ethernet register");
        // An access that begins inside ends inside.
        assert!(chip.write_tile(last, end - 2, &[7; 4], Origin::Host, None).is_err());
        assert!(chip.read_tile(last, end - 2, &mut word, Origin::Host, None).is_err());
    }
}

#[test]
fn host_memory_is_reached_to_its_end() {
    for &architecture in ARCHITECTURES {
        let chip = chip(architecture);
        let description = ChipDescription::of(architecture);
        let (base, size) = (description.pcie_host_base.0, description.pcie_host_size);
        chip.host_address(base, 4).map_err(|violation| violation.reason.clone()).unwrap();
        refused(chip.host_address(base.wrapping_sub(1), 4), "are not host memory");
        let end = base + size;
        chip.host_address(end - 4, 4).map_err(|violation| violation.reason.clone()).unwrap();
        refused(chip.host_address(end - 3, 4), "are not host memory");
    }
}

#[test]
fn each_bar_is_reached_to_its_end() {
    for &architecture in ARCHITECTURES {
        let sizes = ChipDescription::of(architecture).bar_sizes;
        for (bar, size) in [Bar::Bar0, Bar::Bar2, Bar::Bar4].into_iter().zip(sizes) {
            let reason = |offset| {
                let at = BarOffset { bar, offset };
                let landed = chip(architecture).bars.land(at, 4);
                landed.err().map(|violation| violation.reason.clone()).unwrap_or_default()
            };
            let outside = format!("are not inside {bar}");
            assert!(!reason(size - 4).contains(&outside), "{architecture}: {}", reason(size - 4));
            assert!(reason(size - 3).contains(&outside), "{architecture}: {}", reason(size - 3));
            assert!(reason(u64::MAX - 2).contains(&outside), "{architecture}");
        }
    }
}

#[test]
fn tiles_are_named_to_the_edge_of_the_grid() {
    for &architecture in ARCHITECTURES {
        let description = ChipDescription::of(architecture);
        let coordinates = Coordinates::new(description);
        let resolve = |x, y| coordinates.resolve(Noc::Noc0, NocCoordinate { x, y });
        let (columns, rows) = description.noc_grid;
        let is_translated =
            |table: &[(u8, u8)], number| table.iter().any(|(name, _)| *name == number);
        // Where the numbers past the grid are translated, the first that is not is one past them.
        let past = |table: &[(u8, u8)], size: u8| {
            (size..).find(|number| !is_translated(table, *number)).unwrap()
        };
        let (x, y) = (
            past(description.translated_columns, columns),
            past(description.translated_rows, rows),
        );
        resolve(columns - 1, rows - 1).map_err(|violation| violation.reason.clone()).unwrap();
        refused(resolve(x, rows - 1), "");
        refused(resolve(columns - 1, y), "");
    }
}
