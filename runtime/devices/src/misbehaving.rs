//! A simulated chip that misbehaves in one way, so that what is above it can be tested against what
//! cards, drivers and cables do.
//!
//! It notices as little as silicon does. Misbehaviours that need it begin once data is first written to
//! DRAM, so that the device opens and the fault meets a test. With a marker file, a card that was lost
//! stays lost for whoever opens it next.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use hallmark_chip::{
    Advance, Architecture, Awaited, BarOffset, Capabilities, ChipDescription, ConfigOffset,
    DeviceError, PciDevice, PhysicalCoordinate, PinnedMemory, PinnedMemoryId, Position, Processor,
    WindowId, WindowOrder, WindowTarget,
};
use hallmark_sim::SimulatedDevice;

/// In which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misbehaviour {
    /// The driver reports it as gone.
    Dies,
    /// It drops off the bus: every read returns ones, every write vanishes.
    AllOnes,
    /// It has dropped off the bus before it is opened.
    Absent,
    /// An access never returns.
    Stalls,
    /// Its cores stop executing.
    Freezes,
    /// It presents another chip's PCI id.
    OtherArchitecture,
    /// Writes to DRAM vanish.
    DropsWrites,
    /// Writes through unordered windows arrive late and in reverse, as the contract allows: nothing may
    /// come of it.
    ReordersWrites,
    /// The lowest bit of the first byte of data read from DRAM is flipped.
    FlipsBit,
}

impl Misbehaviour {
    /// Each of them.
    pub const ALL: [Self; 9] = [
        Self::Dies,
        Self::AllOnes,
        Self::Absent,
        Self::Stalls,
        Self::Freezes,
        Self::OtherArchitecture,
        Self::DropsWrites,
        Self::ReordersWrites,
        Self::FlipsBit,
    ];

    /// How a device name spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dies => "dies",
            Self::AllOnes => "all_ones",
            Self::Absent => "absent",
            Self::Stalls => "stalls",
            Self::Freezes => "freezes",
            Self::OtherArchitecture => "other_architecture",
            Self::DropsWrites => "drops_writes",
            Self::ReordersWrites => "reorders_writes",
            Self::FlipsBit => "flips_bit",
        }
    }
}

/// A misbehaving device as its name says it: `KIND:ARCHITECTURE`, perhaps with `:MARKER` behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MisbehavingSpec {
    /// How it misbehaves.
    pub how: Misbehaviour,
    /// Which chip it is.
    pub architecture: Architecture,
    /// A file that is made when the device is lost; while it is there, the device is absent.
    pub marker: Option<PathBuf>,
}

impl fmt::Display for MisbehavingSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.how.name(), self.architecture)?;
        match &self.marker {
            Some(marker) => write!(formatter, ":{}", marker.display()),
            None => Ok(()),
        }
    }
}

impl FromStr for MisbehavingSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.splitn(3, ':');
        let how = parts.next().unwrap_or_default();
        let how = Misbehaviour::ALL
            .into_iter()
            .find(|known| known.name() == how)
            .ok_or_else(|| format!("unknown misbehaviour `{how}`"))?;
        let architecture = parts.next().ok_or("the architecture is missing")?;
        let architecture = architecture.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { how, architecture, marker: parts.next().map(PathBuf::from) })
    }
}

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

/// A simulated chip that misbehaves.
pub struct MisbehavingDevice {
    name: String,
    spec: MisbehavingSpec,
    chip: SimulatedDevice,
    targets: BTreeMap<WindowId, WindowTarget>,
    late: Vec<LateWrite>,
    begun: bool,
}

impl MisbehavingDevice {
    /// Around a chip that behaves.
    pub fn new(spec: MisbehavingSpec, chip: SimulatedDevice) -> Self {
        let lost = spec.marker.as_ref().is_some_and(|marker| marker.exists());
        let how = if lost { Misbehaviour::Absent } else { spec.how };
        Self {
            name: format!("misbehaving:{spec}"),
            begun: how == Misbehaviour::Absent,
            spec: MisbehavingSpec { how, ..spec },
            chip,
            targets: BTreeMap::new(),
            late: Vec::new(),
        }
    }

    fn is(&self, how: Misbehaviour) -> bool {
        self.begun && self.spec.how == how
    }

    /// Off the bus.
    fn gone(&self) -> bool {
        self.is(Misbehaviour::AllOnes) || self.is(Misbehaviour::Absent)
    }

    fn begin(&mut self) {
        if self.begun {
            return;
        }
        self.begun = true;
        if matches!(self.spec.how, Misbehaviour::Dies | Misbehaviour::AllOnes)
            && let Some(marker) = &self.spec.marker
        {
            // Whoever opens it next sees whether this worked.
            let _ = std::fs::write(marker, "");
        }
    }

    /// What every access meets first.
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

    /// Late writes of some windows arrive, the latest first.
    fn arrive(&mut self, of: impl Fn(&LateWrite) -> bool) -> Result<(), DeviceError> {
        let (now, later) = std::mem::take(&mut self.late).into_iter().partition(|it| of(it));
        self.late = later;
        for LateWrite { window, offset, bytes } in Vec::into_iter(now).rev() {
            self.chip.window_write(window, offset, &bytes)?;
        }
        Ok(())
    }
}

impl PciDevice for MisbehavingDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            detects_uninitialised: false,
            detects_races: false,
            ..self.chip.capabilities()
        }
    }

    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        self.access()?;
        if self.gone() {
            return Ok(u32::MAX);
        }
        if self.spec.how == Misbehaviour::OtherArchitecture && offset.0 == 0 {
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
        // The register follows what was written through the window before.
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
        if self.is_dram(window) {
            self.begin();
        }
        self.access()?;
        if self.gone() || (self.is(Misbehaviour::DropsWrites) && self.is_dram(window)) {
            return Ok(());
        }
        let target = self.targets.get(&window);
        if self.spec.how == Misbehaviour::ReordersWrites
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
        // What is late by now overtakes nothing that was ordered behind it.
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

    #[test]
    fn names_say_how_which_and_where_it_is_remembered() {
        for how in Misbehaviour::ALL {
            let text = format!("{}:blackhole", how.name());
            let spec: MisbehavingSpec = text.parse().unwrap();
            assert_eq!((spec.how, spec.to_string()), (how, text));
        }
        let text = "dies:wormhole_b0:/tmp/a:b";
        assert_eq!(text.parse::<MisbehavingSpec>().unwrap().to_string(), text);
        for wrong in ["", "dies", "dies:", "sulks:blackhole"] {
            assert!(wrong.parse::<MisbehavingSpec>().is_err(), "{wrong}");
        }
    }
}
