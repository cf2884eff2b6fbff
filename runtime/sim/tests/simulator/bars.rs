//! The chip as a PCIe function, without the device that hands out windows.

use hallmark_chip::*;
use hallmark_sim::{Chip, SimulatorError, SimulatorOptions};

use crate::support::NoHost;

fn chip() -> Chip {
    Chip::new(Architecture::WormholeB0, &SimulatorOptions::default()).unwrap()
}

fn bar0(offset: u64) -> BarOffset {
    BarOffset { bar: Bar::Bar0, offset }
}

/// Writes the configuration of window 0, a 1 MiB window.
fn configure(chip: &mut Chip, value: u64) {
    chip.bar_write(bar0(0x1FC0_0000), &value.to_le_bytes()).unwrap();
}

const TILE: u64 = 18 << 16 | 18 << 22;

#[test]
fn window_registers_are_words_or_pairs_and_read_back() {
    let mut chip = chip();
    configure(&mut chip, TILE | 3);
    let mut word = [0; 4];
    chip.bar_read(bar0(0x1FC0_0000), &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), (TILE | 3) as u32);
    configure(&mut chip, TILE);
    chip.bar_write(bar0(8), &[5; 8]).unwrap();
    // The registers also stand at the top of BAR4.
    chip.bar_read(BarOffset { bar: Bar::Bar4, offset: 0x1C0_0000 }, &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), TILE as u32);
    let mut bytes = [1; 8];
    chip.bar_read(bar0(8), &mut bytes).unwrap();
    assert_eq!(bytes, [5; 8]);
    // Past L1.
    configure(&mut chip, TILE | 3);
    let fault = chip.bar_read(bar0(8), &mut bytes).unwrap_err();
    assert_eq!(fault.category, FaultCategory::UnsupportedFunctionality);
}

#[test]
fn windows_that_mean_nothing_are_refused() {
    use FaultCategory::*;
    let cases = [
        ("ordering 3", TILE | 3 << 42, UndefinedBehavior),
        ("linked", TILE | 1 << 44, UnimplementedFunctionality),
        ("unknown bit", TILE | 1 << 50, UnimplementedFunctionality),
        ("read of a multicast", TILE | 18 << 28 | 18 << 34 | 1 << 41, UndefinedBehavior),
        ("no tile", 2 << 22, UnimplementedFunctionality),
        ("no column", 12 << 16, UnimplementedFunctionality),
    ];
    for (name, value, category) in cases {
        let mut chip = chip();
        configure(&mut chip, value);
        let fault = chip.bar_read(bar0(0), &mut [0; 4]).unwrap_err();
        assert_eq!(fault.category, category, "{name}: {fault}");
        assert_eq!(chip.fault(), Some(&fault));
        assert_eq!(chip.advance(1, &mut NoHost), Err(fault));
    }
    let mut chip = chip();
    configure(&mut chip, TILE | 1 << 45);
    chip.bar_read(bar0(0), &mut [0; 4]).unwrap();
}

#[test]
fn accesses_stay_inside_windows_and_registers() {
    let cases = [
        (bar0(0xF_FFFE), 4),
        (bar0(0x1F00_0000), 4),
        (bar0(0x1FC0_0002), 4),
        (bar0(0x1FC0_05D0), 4),
        (bar0(512 << 20), 4),
        (bar0(u64::MAX), 4),
        (bar0(0), 0),
        (BarOffset { bar: Bar::Bar2, offset: 0 }, 4),
    ];
    for (at, length) in cases {
        let mut chip = chip();
        configure(&mut chip, TILE);
        assert!(chip.bar_read(at, &mut vec![0; length]).is_err(), "{at:?} {length}");
    }
}

fn word(chip: &mut Chip, at: BarOffset) -> u32 {
    let mut bytes = [0; 4];
    chip.bar_read(at, &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

#[test]
fn the_host_sees_who_the_pcie_tile_is_and_that_coordinates_are_translated() {
    // PCIExpressTile/README.md; NoC/MemoryMap.md: NOC_NODE_ID at 0x2C, NIU_CFG_0 at 0x100, bit 14.
    for (start, x, y) in [(0x1FD2_0000, 0, 3), (0x1FDA_0000, 9, 8), (0x1FF5_0000, 0, 10)] {
        let mut chip = chip();
        assert_eq!(word(&mut chip, bar0(start + 0x2C)) & 0xFFF, x | y << 6);
        assert_eq!(word(&mut chip, bar0(start + 0x100)), 1 << 14);
        assert!(chip.bar_write(bar0(start + 0x100), &[0; 4]).is_err());
    }
}

#[test]
fn address_translation_is_set_up_in_bar2() {
    let bar2 = |offset| BarOffset { bar: Bar::Bar2, offset };
    let mut chip = chip();
    chip.bar_write(bar2(0x1C08), &0x1234_5678u32.to_le_bytes()).unwrap();
    assert_eq!(word(&mut chip, bar2(0x1C08)), 0x1234_5678);
    assert!(chip.bar_read(bar2(0x1C08), &mut [0; 8]).is_err());
}

#[test]
fn an_unknown_architecture_is_an_error() {
    for architecture in Architecture::ALL {
        let known = hallmark_sim::ARCHITECTURES.contains(&architecture);
        match Chip::new(architecture, &SimulatorOptions::default()) {
            Ok(_) => assert!(known),
            Err(SimulatorError::UnknownArchitecture { .. }) => assert!(!known),
            Err(error @ (SimulatorError::Harvesting(_) | SimulatorError::NoDataCache { .. })) => {
                panic!("{error}")
            }
        }
    }
}
