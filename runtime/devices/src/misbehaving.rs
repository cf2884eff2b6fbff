//! A simulated chip that misbehaves in one way, to test the layers above against failures of cards, drivers and
//! cables.
//!
//! It performs as few checks as silicon. Most misbehaviours begin at the first write of data to DRAM or at a
//! launch, so that the device opens and the fault occurs in a test. With a marker file, a card that was lost
//! stays lost for later openings.

mod spec;

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use hallmark_chip::{
    Activity, Advance, Architecture, Awaited, BarOffset, Capabilities, ChipDescription,
    ConfigOffset, DeviceError, Forgettable, LastWriter, LogicalCore, PciDevice, PhysicalCoordinate,
    PinnedMemory, PinnedMemoryId, Position, Processor, Random, TileAddress, WindowId, WindowOrder,
    WindowTarget,
};
use hallmark_sim::SimulatedDevice;

pub use self::spec::{Chance, MisbehavingSpec, MisbehavingSpecError, Misbehaviour};

struct LateWrite {
    window: WindowId,
    offset: u64,
    bytes: Vec<u8>,
}

impl LateWrite {
    fn overlaps(&self, window: WindowId, offset: u64, length: usize) -> bool {
        let end = |offset: u64, length: usize| offset.saturating_add(length as u64);
        self.window == window
            && offset < end(self.offset, self.bytes.len())
            && self.offset < end(offset, length)
    }
}

/// The core that skips its launches by default.
const FIRST_CORE: LogicalCore = LogicalCore { x: 0, y: 0 };

/// Whether the device misbehaves in this run. `run` is the schedule seed, or the number of the run where the device counts
/// its runs; `drawn` gives a number that differs from run to run.
fn is_chosen(spec: &MisbehavingSpec, run: u64, drawn: impl FnOnce() -> u64) -> bool {
    spec.chance.is_none_or(|chance| {
        let number = match spec.seed {
            Some(seed) => {
                let mut random = Random::new(seed);
                Random::new(random.next() ^ run).next()
            }
            None => drawn(),
        };
        chance.includes(number)
    })
}

/// A device cannot count its runs.
#[derive(Debug, thiserror::Error)]
#[error("the run cannot be counted in {}: {error}; name a file that can be written", counter.display())]
pub struct CounterError {
    /// The file.
    pub counter: PathBuf,
    /// What happened.
    #[source]
    pub error: io::Error,
}

/// Counts a run in a file. Gives the number of the run, from 0; another process may count at the same time.
fn counted(counter: &Path) -> io::Result<u64> {
    let mut file = File::options().create(true).append(true).open(counter)?;
    file.lock()?;
    file.write_all(b".")?;
    Ok(file.metadata()?.len().saturating_sub(1))
}

/// A simulated chip that misbehaves.
pub struct MisbehavingDevice {
    name: String,
    spec: MisbehavingSpec,
    chip: SimulatedDevice,
    targets: BTreeMap<WindowId, WindowTarget>,
    late: Vec<LateWrite>,
    /// The active misbehaviour.
    now: Option<Misbehaviour>,
    /// The misbehaviour of this run before it begins, if there is one.
    later: Option<Misbehaviour>,
    /// The number of launches so far, and of waits for an event.
    launches: u64,
    waits: u64,
}

impl MisbehavingDevice {
    /// Wraps a chip that behaves correctly.
    ///
    /// # Errors
    /// If the run cannot be counted.
    pub fn new(
        spec: MisbehavingSpec,
        chip: SimulatedDevice,
        schedule_seed: u64,
    ) -> Result<Self, CounterError> {
        let lost = spec.marker.as_ref().is_some_and(|marker| marker.exists());
        let how = if lost { Misbehaviour::Absent } else { spec.how };
        let run = match &spec.counter {
            None => schedule_seed,
            Some(counter) => counted(counter)
                .map_err(|error| CounterError { counter: counter.to_path_buf(), error })?,
        };
        let drawn = || RandomState::new().hash_one(0);
        let later = (lost || is_chosen(&spec, run, drawn)).then_some(how);
        let at_once = match how {
            Misbehaviour::Absent | Misbehaviour::OtherArchitecture => true,
            // These kinds are legal for any writes, so they begin at once.
            Misbehaviour::ReordersWrites | Misbehaviour::ForgetsCore => spec.from.is_none(),
            Misbehaviour::ForgetsLaunch | Misbehaviour::ForgetsEvent => true,
            Misbehaviour::Dies
            | Misbehaviour::AllOnes
            | Misbehaviour::Stalls
            | Misbehaviour::Freezes
            | Misbehaviour::DropsWrites
            | Misbehaviour::FlipsBit => false,
        };
        Ok(Self {
            name: format!("misbehaving:{spec}"),
            now: later.filter(|_| at_once),
            later,
            spec,
            chip,
            targets: BTreeMap::new(),
            late: Vec::new(),
            launches: 0,
            waits: 0,
        })
    }

    fn is(&self, how: Misbehaviour) -> bool {
        self.now == Some(how)
    }

    /// Whether the device is off the bus.
    fn gone(&self) -> bool {
        self.is(Misbehaviour::AllOnes) || self.is(Misbehaviour::Absent)
    }

    fn begin(&mut self) {
        if self.now.is_some() || self.later.is_none() {
            return;
        }
        self.now = self.later;
        if matches!(self.now, Some(Misbehaviour::Dies | Misbehaviour::AllOnes))
            && let Some(marker) = &self.spec.marker
        {
            // The next opening of the device shows whether this write succeeded.
            let _ = std::fs::write(marker, "");
        }
    }

    /// The misbehaviour that affects every access.
    fn access(&self) -> Result<(), DeviceError> {
        if self.is(Misbehaviour::Dies) {
            let reason = "the driver reports that the device was removed".to_owned();
            return Err(DeviceError::Lost { device: self.name.clone(), reason });
        }
        while self.is(Misbehaviour::Stalls) {
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
        Ok(())
    }

    fn is_dram(&self, window: WindowId) -> bool {
        let banks = ChipDescription::of(self.spec.architecture).dram_banks;
        let target = self.targets.get(&window);
        target.is_some_and(|target| banks.iter().any(|bank| bank.tile == target.end))
    }

    /// Performs the late writes of some windows, the latest first.
    fn arrive(&mut self, of: impl Fn(&LateWrite) -> bool) -> Result<(), DeviceError> {
        let (now, later) = std::mem::take(&mut self.late).into_iter().partition(|it| of(it));
        self.late = later;
        for LateWrite { window, offset, bytes } in Vec::into_iter(now).rev() {
            self.chip.window_write(window, offset, &bytes)?;
        }
        Ok(())
    }
}

// Meanings and launches are not passed on: what a device forgets or changes is no program's fault, so the simulator
// checks nothing by them, and says so in its capabilities.
impl PciDevice for MisbehavingDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            detects_uninitialised: false,
            detects_races: false,
            detects_misuse: false,
            ..self.chip.capabilities()
        }
    }

    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        self.access()?;
        if self.gone() {
            return Ok(u32::MAX);
        }
        if self.is(Misbehaviour::OtherArchitecture) && offset.0 == 0 {
            let others = Architecture::ALL.into_iter();
            let mut others = others.filter(|other| *other != self.spec.architecture);
            return Ok(others.next().map_or(u32::MAX, Architecture::pci_id));
        }
        self.chip.config_read(offset)
    }

    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError> {
        self.access()?;
        if self.gone() { Ok(u32::MAX) } else { self.chip.register_read(offset) }
    }

    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError> {
        self.access()?;
        if self.gone() { Ok(()) } else { self.chip.register_write(offset, value) }
    }

    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError> {
        self.chip.allocate_window(size)
    }

    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError> {
        self.chip.window_size(window)
    }

    fn configure_window(
        &mut self,
        window: WindowId,
        target: &WindowTarget,
    ) -> Result<(), DeviceError> {
        self.access()?;
        // Earlier writes through the window take effect before the register write.
        self.arrive(|late| late.window == window)?;
        self.targets.insert(window, *target);
        if self.gone() { Ok(()) } else { self.chip.configure_window(window, target) }
    }

    fn window_read(
        &mut self,
        window: WindowId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.access()?;
        if self.gone() {
            buffer.fill(u8::MAX);
            return Ok(());
        }
        self.arrive(|_| true)?;
        self.chip.window_read(window, offset, buffer)?;
        if self.is(Misbehaviour::FlipsBit)
            && self.is_dram(window)
            && let Some(first) = buffer.first_mut()
        {
            *first ^= 1;
        }
        Ok(())
    }

    fn window_write(
        &mut self,
        window: WindowId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        if self.spec.from.is_none() && self.is_dram(window) {
            self.begin();
        }
        self.access()?;
        if self.gone() || (self.is(Misbehaviour::DropsWrites) && self.is_dram(window)) {
            return Ok(());
        }
        let target = self.targets.get(&window);
        if self.is(Misbehaviour::ReordersWrites)
            && target.is_some_and(|target| target.order == WindowOrder::Default)
        {
            // Of two writes to the same bytes the later one wins on every chip.
            if self.late.iter().any(|late| late.overlaps(window, offset, bytes.len())) {
                self.arrive(|_| true)?;
            }
            self.late.push(LateWrite { window, offset, bytes: bytes.to_vec() });
            return Ok(());
        }
        self.chip.window_write(window, offset, bytes)
    }

    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError> {
        self.arrive(|late| late.window == window)?;
        self.targets.remove(&window);
        self.chip.free_window(window)
    }

    fn order(&mut self) -> Result<(), DeviceError> {
        self.access()?;
        self.arrive(|_| true)?;
        self.chip.order()
    }

    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError> {
        if self.gone() || self.is(Misbehaviour::Dies) || self.is(Misbehaviour::Freezes) {
            return Ok(Advance::Ran);
        }
        // A write that is late by now cannot overtake a write that was ordered after it.
        let advance = self.chip.advance(ticks);
        self.arrive(|_| true)?;
        advance
    }

    fn positions(&mut self) -> Vec<Position> {
        self.chip.positions()
    }

    fn awaited(&mut self, tile: PhysicalCoordinate, processor: Processor) -> Option<Awaited> {
        self.chip.awaited(tile, processor)
    }

    fn activity(&mut self) -> Option<Activity> {
        self.chip.activity()
    }

    fn last_writer(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> Option<LastWriter> {
        self.chip.last_writer(tile, address)
    }

    fn forgets(&mut self, what: Forgettable) -> bool {
        let (count, how) = match what {
            Forgettable::LaunchOn(core) => {
                return self.is(Misbehaviour::ForgetsCore)
                    && core == self.spec.core.unwrap_or(FIRST_CORE);
            }
            Forgettable::Launch => (&mut self.launches, Misbehaviour::ForgetsLaunch),
            Forgettable::WaitForEvent => (&mut self.waits, Misbehaviour::ForgetsEvent),
        };
        *count = count.saturating_add(1);
        let count = *count;
        if what == Forgettable::Launch && self.spec.from.is_some_and(|from| count >= from.get()) {
            self.begin();
        }
        self.is(how) && count == self.spec.nth.map_or(1, NonZeroU64::get)
    }

    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        self.chip.pin_host_memory(size)
    }

    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.chip.pinned_read(memory, offset, buffer)
    }

    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.chip.pinned_write(memory, offset, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never() -> u64 {
        panic!("a number was drawn")
    }

    fn share(spec: &str) -> usize {
        let spec = spec.parse().unwrap();
        (0..1000).filter(|run| is_chosen(&spec, *run, never)).count()
    }

    #[test]
    fn a_share_of_the_schedule_seeds_meets_a_device_that_misbehaves() {
        for seed in 0..10 {
            let chosen = share(&format!("dies:blackhole:chance=0.14:seed={seed}"));
            assert!((110..170).contains(&chosen), "{chosen} of 1000");
            assert_eq!(chosen, share(&format!("dies:blackhole:chance=0.14:seed={seed}")), "again");
        }
        assert_eq!(share("dies:blackhole:chance=0:seed=1"), 0);
        assert_eq!(share("dies:blackhole:chance=1:seed=1"), 1000);
        assert_eq!(share("dies:blackhole"), 1000);
    }

    #[test]
    fn without_a_seed_a_drawn_number_decides() {
        let spec =
            MisbehavingSpec { seed: None, .."dies:blackhole:chance=0.5:seed=1".parse().unwrap() };
        let chosen = |drawn| is_chosen(&spec, 0, || drawn);
        assert_eq!([0, 499_999, 500_000, 999_999].map(chosen), [true, true, false, false]);
    }

    #[test]
    fn a_counter_gives_each_run_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("runs");
        let text = format!("absent:blackhole:chance=0.5:seed=1:counter={}", counter.display());
        let spec: MisbehavingSpec = text.parse().unwrap();
        let open = || {
            let options = hallmark_sim::SimulatorOptions::default();
            let chip = SimulatedDevice::new(Architecture::Blackhole, options).unwrap();
            MisbehavingDevice::new(spec.clone(), chip, 0).map(|device| device.later.is_some())
        };
        let by_number: Vec<bool> = (0..16).map(|run| is_chosen(&spec, run, never)).collect();
        assert!(by_number.contains(&true) && by_number.contains(&false));
        let runs: Result<Vec<bool>, _> = (0..16).map(|_| open()).collect();
        assert_eq!(runs.unwrap(), by_number);

        std::fs::remove_file(&counter).unwrap();
        std::fs::create_dir(&counter).unwrap();
        let error = open().unwrap_err().to_string();
        assert!(error.contains("the run cannot be counted in "), "{error}");
    }
}
