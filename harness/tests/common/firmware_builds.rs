//! Builds of the firmware, some of which do not what they should.

use super::common::repository;

/// `jalr x1, 0(x15)`, by which firmware of each core calls its kernel, and nothing else.
const CALLS_KERNEL: [u8; 4] = 0x0007_80e7_u32.to_le_bytes();
const NOP: [u8; 4] = 0x0000_0013_u32.to_le_bytes();

/// What a build of the firmware is, beside its name.
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
