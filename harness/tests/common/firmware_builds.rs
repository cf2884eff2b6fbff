//! Builds of the firmware, some of them broken.

use super::common::repository;

/// `jalr x1, 0(x15)`, with which the firmware of each core calls its kernel, and only its kernel.
const CALLS_KERNEL: [u8; 4] = 0x0007_80e7_u32.to_le_bytes();
const NOP: [u8; 4] = 0x0000_0013_u32.to_le_bytes();

/// Rewrites the first `addi rd, rs, 0` of an ELF's code as the equivalent `xori rd, rs, 0`: another build, and
/// a sound one.
fn rewrite_a_move(elf: &mut [u8]) {
    fn at<const N: usize>(elf: &[u8], at: usize) -> [u8; N] {
        elf.get(at..at + N).unwrap().try_into().unwrap()
    }
    let word = |place: usize| u32::from_le_bytes(at(elf, place));
    let half = |place: usize| usize::from(u16::from_le_bytes(at(elf, place)));
    let (headers, size, count) = (word(28) as usize, half(42), half(44));
    let is_move = |it: u32| it & 0x707f == 0x13 && it >> 20 == 0 && it & 0xf80 != 0;
    let found = (0..count).map(|index| headers + index * size).find_map(|header| {
        let (kind, flags) = (word(header), word(header + 24));
        let (offset, length) = (word(header + 4) as usize, word(header + 16) as usize);
        let is_code = kind == 1 && flags & 1 != 0;
        let mut words = (offset..offset + length).step_by(4).filter(|_| is_code);
        words.find(|at| is_move(word(*at)))
    });
    let found = found.unwrap();
    let other = word(found) | 4 << 12;
    elf.get_mut(found..found + 4).unwrap().copy_from_slice(&other.to_le_bytes());
}

/// The kind of a firmware build.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    Sound,
    /// The same bytes as the build before it.
    Unchanged,
    /// The core of that file does not run its kernel.
    Broken(&'static str),
    /// For another release of the host.
    OtherAbi,
}

/// Builds of the firmware as folders `1.1`, `1.2` and so on.
pub(crate) fn builds(of: &[Build]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0");
    let mut number = 0;
    for (index, build) in of.iter().enumerate() {
        let bundle = folder.path().join(format!("1.{}", index + 1));
        std::fs::create_dir(&bundle).unwrap();
        if !matches!(build, Build::Unchanged) {
            number = index;
        }
        for entry in std::fs::read_dir(&source).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            if name == "manifest.json" {
                let manifest = String::from_utf8(bytes).unwrap();
                let abi = if matches!(build, Build::OtherAbi) { 2 } else { 1 };
                let manifest = manifest
                    .replace("\"hallmark-1\"", &format!("\"build {number}\""))
                    .replace("\"launch_abi\": 1", &format!("\"launch_abi\": {abi}"));
                bytes = manifest.into_bytes();
            }
            if name == "brisc.elf" {
                rewrite_a_move(&mut bytes);
            }
            if matches!(build, Build::Broken(file) if *file == name) {
                let calls: Vec<usize> = (0..bytes.len())
                    .filter(|at| bytes.get(*at..*at + 4) == Some(CALLS_KERNEL.as_slice()))
                    .collect();
                let [call] = calls.try_into().unwrap();
                bytes.splice(call..call + 4, NOP);
            }
            std::fs::write(bundle.join(name), bytes).unwrap();
        }
    }
    folder
}
