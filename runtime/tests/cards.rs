//! Access to a card, over a driver made of the simulator: opening, the order of writes, the card's state after
//! its user ends, and the detection of its loss.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hallmark_chip::{
    Advance, Architecture, Bar, BarOffset, ChipDescription, ConfigOffset, DeviceError,
    HarvestingMask, LogicalCore, Noc, NocCoordinate, PciDevice, Processor, TileAddress, WindowId,
    WindowOrder, WindowTarget,
};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_runtime::devices::pci::{CardDevice, OpenCardError, SimulatedCard, SimulatedDriver};
use hallmark_runtime::{Device, DeviceOptions, NoKernels, OpenError};

type Card = Rc<RefCell<SimulatedCard>>;

fn card(architecture: Architecture) -> Card {
    Rc::new(RefCell::new(SimulatedCard::new(architecture.into(), 0).unwrap()))
}

fn try_open(card: &Card) -> Result<CardDevice<SimulatedDriver>, OpenCardError> {
    CardDevice::open("pci:0".to_owned(), SimulatedDriver::new(card))
}

fn open(card: &Card) -> CardDevice<SimulatedDriver> {
    try_open(card).unwrap()
}

fn tile(architecture: Architecture, x: u32, y: u32) -> NocCoordinate {
    ChipDescription::of(architecture).noc_coordinate(LogicalCore { x, y }).unwrap()
}

fn window(
    device: &mut dyn PciDevice,
    tile: NocCoordinate,
    address: u64,
    order: WindowOrder,
) -> WindowId {
    let window = device.allocate_window(1 << 20).unwrap();
    let target = WindowTarget {
        end: tile,
        multicast_start: None,
        noc: Noc::Noc0,
        address: TileAddress(address),
        order,
    };
    device.configure_window(window, &target).unwrap();
    window
}

/// The present word of a tile, read past the card's driver.
fn look(card: &Card, tile: NocCoordinate, address: u64) -> u32 {
    let mut card = card.borrow_mut();
    let chip = card.chip();
    let size = chip.allocate_window(1 << 20).and_then(|window| {
        let size = chip.window_size(window)?;
        chip.free_window(window)?;
        Ok(size)
    });
    let size = size.unwrap();
    let window = window(chip, tile, address - address % size, WindowOrder::Strict);
    let mut word = [0; 4];
    chip.window_read(window, address % size, &mut word).unwrap();
    chip.free_window(window).unwrap();
    u32::from_le_bytes(word)
}

const BOTH: [Architecture; 2] = [Architecture::WormholeB0, Architecture::Blackhole];

#[test]
fn bytes_come_back_whatever_their_place_and_those_beside_them_stay() {
    for architecture in BOTH {
        let card = card(architecture);
        let mut device = open(&card);
        let here = tile(architecture, 1, 1);
        let window = window(&mut device, here, 0, WindowOrder::Default);
        let before: Vec<u8> = (0..40_000).map(|number| (number * 7 % 251) as u8).collect();
        for offset in [0, 1, 2, 3, 5] {
            // Lengths above the size of one transfer, below a word, zero, and across words.
            for length in [0, 1, 2, 3, 4, 5, 7, 8, 17_001, 16_384, 32_768] {
                device.window_write(window, 0x1000, &before).unwrap();
                let data: Vec<u8> = (0..length).map(|number| (number * 13 % 241) as u8).collect();
                device.window_write(window, 0x1000 + offset, &data).unwrap();
                let mut expected = before.clone();
                expected.splice(offset as usize..offset as usize + length, data.iter().copied());
                let mut all = vec![0; expected.len()];
                device.window_read(window, 0x1000, &mut all).unwrap();
                assert!(all == expected, "{architecture} {offset} {length}");
                let mut part = vec![0; length];
                device.window_read(window, 0x1000 + offset, &mut part).unwrap();
                assert!(part == data, "{architecture} {offset} {length}");
            }
        }
    }
}

#[test]
fn what_was_written_before_order_is_there_after_it() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    let (here, there) =
        (tile(Architecture::WormholeB0, 0, 0), tile(Architecture::WormholeB0, 1, 0));
    let data = window(&mut device, here, 0, WindowOrder::Default);
    let other = window(&mut device, there, 0, WindowOrder::Default);
    device.window_write(data, 0x100, &[1, 2, 3, 4]).unwrap();
    device.window_write(other, 0x200, &[5, 6, 7, 8]).unwrap();
    let seen = |card: &Card| [look(card, here, 0x100), look(card, there, 0x200)];
    // The driver of these tests delays unordered writes; without the delay this test would show nothing.
    assert_eq!(seen(&card), [0, 0]);
    device.order().unwrap();
    assert_eq!(seen(&card), [0x0403_0201, 0x0807_0605]);
}

#[test]
fn what_goes_through_a_strict_window_is_not_waited_for() {
    let card = card(Architecture::Blackhole);
    let mut device = open(&card);
    let here = tile(Architecture::Blackhole, 0, 0);
    let strict = window(&mut device, here, 0, WindowOrder::Strict);
    device.window_write(strict, 0x100, &[1, 2, 3, 4]).unwrap();
    assert_eq!(look(&card, here, 0x100), 0x0403_0201);
}

#[test]
fn writes_to_many_tiles_are_ordered_too() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    let (first, last) =
        (tile(Architecture::WormholeB0, 0, 0), tile(Architecture::WormholeB0, 1, 1));
    let many = device.allocate_window(4).unwrap();
    let target = WindowTarget {
        end: last,
        multicast_start: Some(first),
        noc: Noc::Noc0,
        address: TileAddress(0),
        order: WindowOrder::Default,
    };
    device.configure_window(many, &target).unwrap();
    device.window_write(many, 0x100, &[9, 0, 0, 0]).unwrap();
    device.order().unwrap();
    for tile in [first, last] {
        assert_eq!(look(&card, tile, 0x100), 9);
    }
    // The window still writes to all of the tiles.
    device.window_write(many, 0x100, &[8, 0, 0, 0]).unwrap();
    device.order().unwrap();
    for tile in [first, last] {
        assert_eq!(look(&card, tile, 0x100), 8);
    }
    assert!(device.window_read(many, 0x100, &mut [0; 4]).is_err(), "from which of them?");
    assert!(device.window_write(many, 0x101, &[8]).is_err(), "a part of a word of each");
}

#[test]
fn cores_that_left_reset_are_in_reset_when_their_user_has_ended() {
    for architecture in BOTH {
        let card = card(architecture);
        let description = ChipDescription::of(architecture);
        let reset = description.reset;
        let running = reset.all_but(Processor::Brisc).to_le_bytes();
        let address = reset.soft_reset.0;
        let [one, two, three] = [(0, 0), (3, 4), (3, 5)].map(|(x, y)| tile(architecture, x, y));
        let still = tile(architecture, 6, 6);
        let mut device = open(&card);
        let size = device.allocate_window(4).and_then(|window| device.window_size(window)).unwrap();
        let base = address - address % size;
        // Endless loops keep the cores busy.
        for tile in [one, two, three] {
            let code = window(&mut device, tile, 0, WindowOrder::Strict);
            device.window_write(code, 0, &0x0000_006F_u32.to_le_bytes()).unwrap();
        }
        let register = window(&mut device, one, base, WindowOrder::Strict);
        device.window_write(register, address % size, &running).unwrap();
        let target = WindowTarget {
            end: three,
            multicast_start: Some(two),
            noc: Noc::Noc0,
            address: TileAddress(base),
            order: WindowOrder::Strict,
        };
        let many = device.allocate_window(4).unwrap();
        device.configure_window(many, &target).unwrap();
        device.window_write(many, address % size, &running).unwrap();
        assert_eq!(device.advance(100), Ok(Advance::Ran));
        for tile in [one, two, three] {
            assert_eq!(look(&card, tile, address) & reset.all(), reset.all_but(Processor::Brisc));
        }
        let untouched = look(&card, still, address);
        // A killed process ends this way, without a call to the device.
        drop(device);
        for tile in [one, two, three] {
            assert_eq!(
                look(&card, tile, address) & reset.all(),
                reset.all(),
                "{architecture} {tile}"
            );
        }
        assert_eq!(look(&card, still, address), untouched, "others are left as they were");
        // The card's windows and its lock are free again.
        let mut device = open(&card);
        let windows = (0..).map_while(|_| device.allocate_window(1 << 20).ok()).count();
        let groups = description.windows.groups;
        let all: u16 = groups.iter().map(|group| group.count - group.reserved).sum();
        assert_eq!(windows, usize::from(all));
    }
}

#[test]
fn a_card_in_use_is_refused_and_says_by_whom() {
    let card = card(Architecture::Blackhole);
    let first = open(&card);
    let message = try_open(&card).err().unwrap().to_string();
    assert!(
        message.contains("pci:0 is in use: another Hallmark holds the lock of the card"),
        "{message}"
    );
    drop(first);
    drop(open(&card));
    for (users, words) in
        [(vec![77], "process 77 has it open"), (vec![7, 8], "processes 7, 8 have it open")]
    {
        card.borrow_mut().users = users;
        let message = try_open(&card).err().unwrap().to_string();
        assert!(message.contains(words), "{message}");
    }
    card.borrow_mut().users.clear();
    drop(open(&card));
}

#[test]
fn an_old_driver_and_a_chip_that_it_dropped_are_refused() {
    let card = card(Architecture::Blackhole);
    card.borrow_mut().driver_version = (2, 4, 9);
    let message = try_open(&card).err().unwrap().to_string();
    assert!(message.contains("tt-kmd 2.4.9; 2.5.0 or later is needed"), "{message}");
    card.borrow_mut().driver_version = (2, 10, 0);
    drop(open(&card));
    let grayskull = self::card(Architecture::Grayskull);
    assert!(matches!(try_open(&grayskull), Err(OpenCardError::UnknownChip { .. })));
}

fn open_device(
    device: CardDevice<SimulatedDriver>,
    firmware: Architecture,
) -> Result<Device, OpenError> {
    let firmware = Arc::new(FirmwareBundle::builtin(firmware).unwrap());
    Device::open(Box::new(device), DeviceOptions::new(firmware, Box::new(NoKernels)))
}

#[test]
fn a_chip_of_another_architecture_than_asked_is_refused() {
    let card = card(Architecture::Blackhole);
    let error = open_device(open(&card), Architecture::WormholeB0).err().unwrap();
    assert!(error.to_string().contains("pci:0 is a blackhole"), "{error}");
    open_device(open(&card), Architecture::Blackhole).unwrap().close().unwrap();
}

#[test]
fn the_harvesting_mask_comes_from_the_management_processor() {
    for (text, mask, grid) in [
        ("wormhole_b0", 0, (8, 9)),
        ("wormhole_b0:harvested=0x1", 0x1, (8, 8)),
        ("wormhole_b0:harvested=0x210", 0x210, (8, 7)),
        ("blackhole", 0, (13, 10)),
        ("blackhole:harvested=0x2001", 0x2001, (11, 10)),
        ("blackhole:harvested=0x2", 0x2, (12, 10)),
    ] {
        let chip: SimulatedChip = text.parse().unwrap();
        let card = Rc::new(RefCell::new(SimulatedCard::new(chip, 0).unwrap()));
        assert_eq!(open(&card).harvesting().unwrap(), HarvestingMask(mask), "{text}");
        let device = open_device(open(&card), chip.architecture).unwrap();
        assert_eq!((device.grid().columns, device.grid().rows), grid, "{text}");
        let core = LogicalCore { x: 0, y: 0 };
        let expected = ChipDescription::harvested(chip.architecture, chip.harvesting).unwrap();
        assert_eq!(device.description().physical(core), expected.physical(core), "{text}");
        device.close().unwrap();
    }
}

#[test]
fn a_dead_link_is_noticed() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    let here = tile(Architecture::WormholeB0, 0, 0);
    let data = window(&mut device, here, 0, WindowOrder::Default);
    device.window_write(data, 0x100, &[0xFF; 8]).unwrap();
    // Written ones are no sign of a dead link.
    device.order().unwrap();
    card.borrow_mut().gone = true;
    device.window_write(data, 0x100, &[1, 2, 3, 4]).unwrap();
    let error = device.order().unwrap_err();
    assert!(matches!(error, DeviceError::Lost { .. }), "{error}");
    assert!(error.to_string().contains("everything reads as ones"), "{error}");
    drop(device);
    let error = open_device(open(&card), Architecture::WormholeB0).err().unwrap();
    assert!(matches!(error, OpenError::Absent { .. }), "{error}");
}

#[test]
fn a_card_that_was_removed_or_reset_is_lost() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    card.borrow_mut().removed = true;
    let error = device.allocate_window(4).unwrap_err();
    assert!(matches!(error, DeviceError::Lost { .. }), "{error}");
    assert!(error.to_string().contains("ALLOCATE_TLB with ENODEV"), "{error}");
    assert!(device.config_read(ConfigOffset(0)).is_err());
    drop(device);
    assert!(matches!(try_open(&card), Err(OpenCardError::Device(DeviceError::Lost { .. }))));
}

#[test]
fn pinned_memory_stays_inside_and_is_refused_where_the_driver_cannot() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    let memory = device.pin_host_memory(5000).unwrap();
    assert!(memory.noc_address.0 >= 0x8_0000_0000);
    device.pinned_write(memory.id, 4990, &[1; 10]).unwrap();
    let mut back = [0; 12];
    device.pinned_read(memory.id, 4988, &mut back).unwrap();
    assert_eq!(back, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert!(device.pinned_write(memory.id, 4995, &[1; 10]).is_err());
    assert!(device.pinned_read(memory.id, u64::MAX, &mut back).is_err());
    assert!(device.pin_host_memory(u64::MAX).is_err());
    card.borrow_mut().single_pages = true;
    device.pin_host_memory(4096).unwrap();
    let error = device.pin_host_memory(4097).unwrap_err();
    assert!(error.to_string().contains("IOMMU"), "{error}");
}

#[test]
fn accesses_that_a_card_would_not_survive_are_refused() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    let here = tile(Architecture::WormholeB0, 0, 0);
    let registers = window(&mut device, here, 0xFFB0_0000, WindowOrder::Strict);
    for (offset, length) in [(0x1_21B1, 4), (0x1_21B0, 3), ((1 << 20) - 2, 4), (u64::MAX, 1)] {
        let error = device.window_read(registers, offset, &mut vec![0; length]).unwrap_err();
        assert!(matches!(error, DeviceError::BadAccess { .. }), "{error}");
        let error = device.window_write(registers, offset, &vec![0; length]).unwrap_err();
        assert!(matches!(error, DeviceError::BadAccess { .. }), "{error}");
    }
    let unpointed = device.allocate_window(4).unwrap();
    assert!(device.window_read(unpointed, 0, &mut [0; 4]).is_err());
    device.free_window(unpointed).unwrap();
    assert_eq!(device.free_window(unpointed), Err(DeviceError::UnknownWindow(unpointed)));
    assert!(device.config_read(ConfigOffset(2)).is_err());
    let windows = BarOffset { bar: Bar::Bar0, offset: 0x1FC0_0000 };
    assert!(matches!(device.register_read(windows), Err(DeviceError::NotAvailable { .. })));
    assert!(matches!(device.register_write(windows, 0), Err(DeviceError::NotAvailable { .. })));
}

#[test]
fn the_smallest_window_that_is_free_is_taken() {
    let card = card(Architecture::WormholeB0);
    let mut device = open(&card);
    let size = |device: &mut CardDevice<SimulatedDriver>, size| {
        let window = device.allocate_window(size).unwrap();
        device.window_size(window).unwrap()
    };
    assert_eq!(size(&mut device, 4), 1 << 20);
    assert_eq!(size(&mut device, (1 << 20) + 1), 1 << 21);
    assert_eq!(size(&mut device, 1 << 24), 1 << 24);
    let large = (1 << 24) + 1;
    assert_eq!(device.allocate_window(large), Err(DeviceError::NoWindow { size: large }));
    for _ in 1..156 {
        assert_eq!(size(&mut device, 4), 1 << 20);
    }
    assert_eq!(size(&mut device, 4), 1 << 21, "all of the smallest are taken");
}
