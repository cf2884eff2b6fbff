//! Tests of kernel ELFs: the refusal of hostile ones, and the content of good ones.

use super::*;

/// `suites/kernels/private_memory.cpp` for NCRISC: code, constants, initial values that are addresses,
/// zeroed variables, calls into libgcc.
const KERNEL: &[u8] = include_bytes!("fixtures/private_memory.elf");

fn exercise(bytes: &[u8]) -> bool {
    let Ok(image) = KernelImage::parse(bytes) else { return false };
    assert!(image.size() <= limits::LOADED_IMAGE);
    assert!(image.entry() < image.size());
    for base in [0, 0x3200, 0xFFFF_F000] {
        if let Ok(placed) = image.relocate(base) {
            assert_eq!(placed.len(), image.size() as usize);
        }
    }
    for pc in [0, image.entry(), image.size(), u32::MAX] {
        let _ = image.symbol_at(0x100, pc);
    }
    true
}

#[test]
fn a_kernel_says_what_it_is() {
    let image = KernelImage::parse(KERNEL).unwrap();
    assert_eq!(image.entry(), 0);
    assert_eq!(image.alignment(), 16);
    let (start, end) = image.private_memory().unwrap();
    assert_eq!(start, 0xFFB0_0100);
    assert!(end <= 0xFFB0_0C00);
    let main = image.symbols().address_of("kernel_main").unwrap();
    assert_eq!(image.symbol_at(0x4000, 0x4000 + main + 8), Some(("kernel_main", 8)));
    assert_eq!(image.symbol_at(0x4000, 0x3FFF), None);
    assert_eq!(image.symbol_at(0x4000, 0x4000 + image.size()), None);
    assert!(image.sites.iter().any(|site| site.kind == SiteKind::Word));
}

#[test]
fn moving_twice_is_moving_once() {
    let image = KernelImage::parse(KERNEL).unwrap();
    assert_eq!(image.relocate(0).unwrap(), image.bytes);
    for base in [0x10, 0x3200, 0x7FF0, 0x17_0000, 0x1234_5670] {
        let placed = image.relocate(base).unwrap();
        let moved = KernelImage { bytes: placed.clone(), ..image.clone() };
        assert_eq!(moved.relocate(base).unwrap(), placed);
        let differences = placed.iter().zip(&image.bytes).filter(|(a, b)| a != b).count();
        assert!(differences > 0 && differences <= 4 * image.sites.len());
    }
    let error = image.relocate(8).unwrap_err();
    assert!(matches!(error, KernelElfError::Placement { base: 8, alignment: 16, .. }));
    assert!(image.relocate(0xFFFF_FFF0).is_err());
}

#[test]
fn an_address_is_split_as_instructions_add_it_up() {
    let site = |kind| Site { offset: 0, kind, target: 0 };
    for address in [0, 0x7FF, 0x800, 0xFFF, 0x1000, 0x1_2345, 0x1_2FFF, 0xFFB0_0800, u32::MAX] {
        let high = site(SiteKind::High20).encode(0x0000_0537, address);
        let load = site(SiteKind::Low12Load).encode(0x0005_2503, address);
        let store = site(SiteKind::Low12Store).encode(0x00A5_2023, address);
        let load_low = (load as i32 >> 20) as u32;
        let store_low = ((store & 0xFE00_0000) as i32 >> 20) as u32 | store >> 7 & 0x1F;
        assert_eq!((high & !0xFFF).wrapping_add(load_low), address);
        assert_eq!((high & !0xFFF).wrapping_add(store_low), address);
        assert_eq!((high & 0xFFF, load & 0xF_FFFF), (0x537, 0x5_2503));
        assert_eq!(store & 0x01FF_F07F, 0x00A5_2023);
    }
}

#[test]
fn every_truncation_is_refused_or_harmless() {
    for length in 0..KERNEL.len() {
        exercise(&KERNEL[..length]);
    }
    assert!(!exercise(&KERNEL[..KERNEL.len() / 2]));
}

const CHANGES: [u8; 3] = [0x01, 0x80, 0xFF];

/// Makes changes of each byte, by the byte's place, and counts those that are refused.
fn refused_changes(changes: impl Fn(usize) -> Vec<u8>) -> usize {
    let mut bytes = KERNEL.to_vec();
    let mut refused = 0;
    for index in 0..bytes.len() {
        for change in changes(index) {
            bytes[index] ^= change;
            refused += usize::from(!exercise(&bytes));
            bytes[index] ^= change;
        }
    }
    refused
}

#[test]
fn every_changed_byte_is_refused_or_harmless() {
    let refused = refused_changes(|index| vec![CHANGES[index % CHANGES.len()]]);
    assert!(refused > 170, "{refused}");
}

#[test]
#[ignore = "a minute; scripts/nightly runs it"]
fn every_change_of_every_byte_is_refused_or_harmless() {
    let refused = refused_changes(|_| CHANGES.to_vec());
    assert!(refused > 500, "{refused}");
}

#[test]
fn changed_code_under_a_relocation_is_refused() {
    let image = KernelImage::parse(KERNEL).unwrap();
    let site = image.sites.iter().find(|site| site.kind == SiteKind::High20).unwrap();
    // The image is the first loaded part of the file.
    let start = KERNEL.windows(16).position(|window| window == &image.bytes[..16]).unwrap();
    let mut bytes = KERNEL.to_vec();
    bytes[start + site.offset + 1] ^= 0x10;
    assert!(matches!(KernelImage::parse(&bytes), Err(KernelElfError::Relocation { .. })));
}

/// The places in the file of the types of two relocations whose targets move with the image, and the word that the second
/// one is made to concern: that of the first.
fn two_relocations() -> (usize, usize, [u8; 4]) {
    let file = object::read::elf::ElfFile32::<LittleEndian>::parse(KERNEL).unwrap();
    let (header, endian) = (file.elf_header(), file.endian());
    let sections = header.sections(endian, KERNEL).unwrap();
    for section in sections.iter() {
        let Some((relocations, _)) = section.rela(endian, KERNEL).unwrap() else { continue };
        let target = sections.section(section.info_link(endian)).unwrap();
        if target.sh_flags(endian).0 & elf::SHF_ALLOC.0 == 0 {
            continue;
        }
        let words: Vec<usize> = (0..relocations.len())
            .filter(|&at| relocations[at].r_type(endian) == elf::R_RISCV_32)
            .collect();
        if let [first, second, ..] = words[..] {
            let start = section.sh_offset.get(endian) as usize;
            let address = relocations[first].r_offset.get(endian).to_le_bytes();
            return (start + 12 * first + 4, start + 12 * second + 4, address);
        }
    }
    panic!("the kernel has no two of them")
}

#[test]
fn a_difference_of_two_places_in_the_image_stays_and_half_of_one_is_refused() {
    let (first, second, address) = two_relocations();
    let mut bytes = KERNEL.to_vec();
    let sites = KernelImage::parse(&bytes).unwrap().sites.len();
    bytes[first] = elf::R_RISCV_ADD32.0 as u8;
    let half = KernelImage::parse(&bytes).unwrap_err();
    assert!(half.to_string().contains("is half of a difference"), "{half}");
    bytes[second] = elf::R_RISCV_SUB32.0 as u8;
    assert!(KernelImage::parse(&bytes).is_err(), "two halves");
    bytes[second - 4..second].copy_from_slice(&address);
    assert_eq!(KernelImage::parse(&bytes).unwrap().sites.len(), sites - 2);
    bytes[first] = elf::R_RISCV_SUB32.0 as u8;
    assert!(KernelImage::parse(&bytes).is_err(), "two of a sign");
}

#[test]
fn other_machines_and_other_files_are_named() {
    let refuse = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = KERNEL.to_vec();
        change(&mut bytes);
        KernelImage::parse(&bytes).unwrap_err()
    };
    assert!(matches!(refuse(&|bytes| bytes.clear()), KernelElfError::Malformed(_)));
    let machine = refuse(&|bytes| bytes[18] = 62);
    assert!(matches!(machine, KernelElfError::WrongMachine { what: "e_machine", found: 62 }));
    let compressed = refuse(&|bytes| bytes[36] |= 1);
    assert!(matches!(compressed, KernelElfError::WrongMachine { what: "e_flags", found: 1 }));
    let large = refuse(&|bytes| bytes.resize(3 << 20, 0));
    assert_eq!(large, KernelElfError::FileTooLarge { size: 3 << 20 });
    let entry = refuse(&|bytes| bytes[24..28].copy_from_slice(&0x0010_0000_u32.to_le_bytes()));
    assert!(matches!(entry, KernelElfError::Entry { entry: 0x0010_0000, .. }));
}

#[test]
fn names_are_shown_as_they_are_written() {
    assert_eq!(plain_name("_Z11kernel_mainv"), "kernel_main");
    assert_eq!(plain_name("_ZL7doubledj"), "doubled");
    assert_eq!(plain_name("_ZN8hallmark4bootEv"), "_ZN8hallmark4bootEv");
    assert_eq!(plain_name("_Z99x"), "_Z99x");
    assert_eq!(plain_name("memcpy"), "memcpy");
}
