//! Runs images of the RISC-V architecture tests on every core of each chip, and compares what they leave with the
//! signatures beside them. `scripts/riscv-architecture-tests/run` makes both.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use hallmark_chip::{
    Advance, Architecture, ChipDescription, DeviceError, InstructionSet, LogicalCore, Noc,
    PciDevice as _, Processor, TileAddress, WindowId, WindowOrder, WindowTarget,
};
use hallmark_sim::{SimulatedDevice, SimulatorError, SimulatorOptions};

/// Where `core.ld` puts an image: a jump to the test, and the bounds of its signature.
const IMAGE: u64 = 0x1_4000;
/// Far more than any of the tests takes.
const LONGEST: u32 = 20_000;

/// Why the tests could not be run at all.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("usage: architecture_tests FOLDER, which scripts/riscv-architecture-tests/run makes")]
    Usage,
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{} is no image of a test: it is too short", path.display())]
    Image { path: PathBuf },
    #[error("the chip has no Tensix tile")]
    NoTile,
    #[error(transparent)]
    Simulator(#[from] SimulatorError),
    #[error("the simulated chip: {0}")]
    Device(#[from] DeviceError),
}

/// A test, and the signature that it must leave.
struct Test {
    extension: String,
    name: String,
    image: Vec<u8>,
    /// From where to where the signature lies.
    begin: u64,
    signature: Vec<u8>,
}

/// What became of a test on a core.
enum Outcome {
    Passed,
    TooLarge,
    Failed(String),
}

impl Test {
    fn read(image_path: &Path) -> Result<Self, Error> {
        let read = |path: &Path| {
            fs::read(path).map_err(|error| Error::File { path: path.to_path_buf(), error })
        };
        let image = read(image_path)?;
        let signature = read(&image_path.with_extension("signature"))?;
        let begin = image.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
        let begin = begin.ok_or_else(|| Error::Image { path: image_path.to_path_buf() })?;
        let stem = image_path.file_stem().unwrap_or_default().to_string_lossy();
        let (extension, name) = stem.split_once('.').unwrap_or((&stem, ""));
        let (extension, name) = (extension.to_owned(), name.to_owned());
        Ok(Self { extension, name, image, begin: begin.into(), signature })
    }

    fn run(&self, architecture: Architecture, processor: Processor) -> Result<Outcome, Error> {
        let chip = ChipDescription::of(architecture);
        if IMAGE + self.image.len() as u64 > chip.l1_size {
            return Ok(Outcome::TooLarge);
        }
        let mut tile = Tile::new(architecture)?;
        tile.write(IMAGE, &self.image)?;
        let start = chip.reset.default_pc.get(processor.index()).copied().unwrap_or_default();
        tile.write(start.into(), &jump(start, IMAGE as u32).to_le_bytes())?;
        tile.write(chip.reset.soft_reset.0, &chip.reset.all_but(processor).to_le_bytes())?;
        match tile.settle() {
            Ok(true) => {}
            Ok(false) => return Ok(Outcome::Failed("it does not end".to_owned())),
            Err(error) => return Ok(Outcome::Failed(error.to_string())),
        }
        let found = tile.read(self.begin, self.signature.len())?;
        let words = found.chunks(4).zip(self.signature.chunks(4)).enumerate();
        Ok(match words.into_iter().find(|(_, (found, expected))| found != expected) {
            None => Outcome::Passed,
            Some((word, (found, expected))) => Outcome::Failed(format!(
                "word {word} of its signature is {found:02x?} and not {expected:02x?}"
            )),
        })
    }
}

/// `jal zero` from one address to another.
fn jump(from: u32, to: u32) -> u32 {
    let offset = to.wrapping_sub(from);
    0x6F | (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3FF) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xFF) << 12
}

/// The first Tensix tile of a chip.
struct Tile {
    device: SimulatedDevice,
    window: WindowId,
    size: u64,
    architecture: Architecture,
}

impl Tile {
    fn new(architecture: Architecture) -> Result<Self, Error> {
        let mut device = SimulatedDevice::new(architecture, SimulatorOptions::default())?;
        let window = device.allocate_window(1 << 24)?;
        let size = device.window_size(window)?;
        Ok(Self { device, window, size, architecture })
    }

    fn aim(&mut self, address: u64) -> Result<u64, Error> {
        let core = LogicalCore { x: 0, y: 0 };
        let end =
            ChipDescription::of(self.architecture).noc_coordinate(core).ok_or(Error::NoTile)?;
        let target = WindowTarget {
            end,
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address & !(self.size - 1)),
            order: WindowOrder::Strict,
        };
        self.device.configure_window(self.window, &target)?;
        Ok(address & (self.size - 1))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let offset = self.aim(address)?;
        Ok(self.device.window_write(self.window, offset, bytes)?)
    }

    fn read(&mut self, address: u64, length: usize) -> Result<Vec<u8>, Error> {
        let offset = self.aim(address)?;
        let mut bytes = vec![0; length];
        self.device.window_read(self.window, offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Whether the core comes to its end.
    fn settle(&mut self) -> Result<bool, Error> {
        for _ in 0..LONGEST {
            if let Advance::Quiescent(_) = self.device.advance(1000)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether cores with this instruction set have an extension.
fn has(set: &InstructionSet, extension: &str) -> bool {
    match extension {
        "A" => set.atomics,
        "Zba" | "Zbb" => set.bit_manipulation,
        // Two of its instructions alone.
        "Zbkb" => set.bit_manipulation,
        "I" | "M" => true,
        // Zifencei among them: `fence.i` leaves the instruction cache as it is, and the simulator reports it.
        _ => false,
    }
}

/// Instructions of extensions that Blackhole has in part: `pack` and `brev8` of Zbkb.
fn is_of_the_part(test: &Test) -> bool {
    test.extension != "Zbkb" || ["pack-01", "brev8_32-01"].contains(&test.name.as_str())
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Error> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or(Error::Usage)?);
    let at_folder = |error| Error::File { path: folder.clone(), error };
    let mut tests = Vec::new();
    let mut paths = BTreeSet::new();
    for entry in fs::read_dir(&folder).map_err(at_folder)? {
        let path = entry.map_err(|error| Error::File { path: folder.clone(), error })?.path();
        if path.extension().is_some_and(|extension| extension == "image") {
            paths.insert(path);
        }
    }
    for path in &paths {
        tests.push(Test::read(path)?);
    }
    let mut all_passed = !tests.is_empty();
    for architecture in Architecture::ALL {
        let set = ChipDescription::of(architecture).instruction_set;
        let mut figures: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut left_out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for test in &tests {
            let (extension, name) = (test.extension.as_str(), test.name.as_str());
            if !has(&set, extension) {
                left_out.entry("the cores lack the extension").or_default().push(extension);
                continue;
            }
            if !is_of_the_part(test) {
                left_out.entry("the cores lack the instruction").or_default().push(name);
                continue;
            }
            let mut failures = BTreeMap::new();
            let mut ran = false;
            for processor in Processor::ALL {
                match test.run(architecture, processor)? {
                    Outcome::Passed => ran = true,
                    Outcome::TooLarge => {}
                    Outcome::Failed(reason) => {
                        ran = true;
                        failures.insert(processor, reason);
                    }
                }
            }
            if !ran {
                left_out.entry("the image is larger than L1").or_default().push(name);
                continue;
            }
            let (run, passed) = figures.entry(extension).or_default();
            *run += 1;
            *passed += usize::from(failures.is_empty());
            for (processor, reason) in failures {
                all_passed = false;
                println!("FAIL {architecture} {} {extension} {name}: {reason}", processor.name());
            }
        }
        println!("{architecture}, each test on each of 5 cores:");
        for (extension, (run, passed)) in &figures {
            println!("  {extension:<9} {run:>3} run, {passed:>3} passed");
        }
        for (reason, mut names) in left_out {
            let count = names.len();
            names.dedup();
            println!("  {:<9} {count:>3} not run, {reason}: {}", "", names.join(", "));
        }
    }
    Ok(all_passed)
}
