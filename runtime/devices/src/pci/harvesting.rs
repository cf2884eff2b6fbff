//! Reads the harvesting from a card's management processor.

use hallmark_chip::{
    ArcReport, Architecture, DeviceError, HarvestingMask, Noc, NocCoordinate, PciDevice as _,
    TileAddress, WindowId, WindowOrder, WindowTarget,
};

use super::{CardDevice, Driver};

/// The number of polls for an answer, and the ticks between them.
const LOOKS: u32 = 1000;
const PAUSE: u64 = 100_000;
/// More entries than any telemetry has.
const MOST_ENTRIES: u32 = 1024;

impl<D: Driver> CardDevice<D> {
    /// The mask that the chip's firmware reports.
    pub(super) fn ask_harvesting(&mut self) -> Result<HarvestingMask, DeviceError> {
        let architecture = self.description.architecture;
        let Some(report) = self.description.arc_report else { return Ok(HarvestingMask::NONE) };
        let window = self.allocate_window(4)?;
        let on_die = match report {
            ArcReport::Message { argument, status, trigger, trigger_bit, code } => {
                self.ask(window, [argument, status, trigger], trigger_bit, code)
            }
            ArcReport::Telemetry { table, values, enabled } => {
                self.look_up(window, table, values, enabled)
            }
        };
        self.free_window(window)?;
        self.mask(architecture, on_die?)
    }

    fn mask(&self, architecture: Architecture, bits: u32) -> Result<HarvestingMask, DeviceError> {
        HarvestingMask::of_die(architecture, bits).map_err(|error| {
            self.strange(format!(
                "the card's management processor gives an impossible mask: {error}"
            ))
        })
    }

    fn strange(&self, reason: String) -> DeviceError {
        DeviceError::Lost { device: self.name.clone(), reason }
    }

    /// Sends a message and returns the answer (tt-umd, `WormholeArcMessenger::send_message`).
    fn ask(
        &mut self,
        window: WindowId,
        [argument, status, trigger]: [TileAddress; 3],
        trigger_bit: u32,
        code: u32,
    ) -> Result<u32, DeviceError> {
        self.write_arc(window, argument, 0)?;
        self.write_arc(window, status, code)?;
        let free = |device: &mut Self| {
            Ok(Some(device.read_arc(window, trigger)?).filter(|it| it & trigger_bit == 0))
        };
        let state = self.until("takes no message", free)?;
        self.write_arc(window, trigger, state | trigger_bit)?;
        let answer = |device: &mut Self| {
            Ok(Some(device.read_arc(window, status)?).filter(|it| it & 0xFFFF == code & 0xFF))
        };
        let answer = self.until("does not answer", answer)?;
        if answer >> 16 != 0 {
            return Err(self.strange(format!(
                "the card's management processor refuses to give the harvesting mask: code {}",
                answer >> 16
            )));
        }
        self.read_arc(window, argument)
    }

    /// Finds an entry of the telemetry (tt-umd, `ArcTelemetryReader`): a table that maps tags to indices of
    /// values. The entry has a bit for each row or column that is not fused off.
    fn look_up(
        &mut self,
        window: WindowId,
        table: TileAddress,
        values: TileAddress,
        enabled: u16,
    ) -> Result<u32, DeviceError> {
        let published = |device: &mut Self| {
            Ok(Some(device.read_arc(window, table)?).filter(|start| *start != 0))
        };
        let table = u64::from(self.until("has no telemetry yet", published)?);
        let values = u64::from(self.read_arc(window, values)?);
        let entries = self.read_arc(window, TileAddress(table + 4))?.min(MOST_ENTRIES);
        let all = 1_u32.checked_shl(self.description.harvestable_on_die.len() as u32);
        let all = all.map_or(u32::MAX, |above| above - 1);
        for entry in 0..u64::from(entries) {
            let word = self.read_arc(window, TileAddress(table + 8 + 4 * entry))?;
            if word & 0xFFFF == u32::from(enabled) {
                let place = TileAddress(values + 4 * u64::from(word >> 16));
                return Ok(!self.read_arc(window, place)? & all);
            }
        }
        Err(self.strange(format!(
            "the card's telemetry has no entry {enabled}, which gives the harvesting mask; update the card's firmware"
        )))
    }

    fn until(
        &mut self,
        what: &str,
        mut there: impl FnMut(&mut Self) -> Result<Option<u32>, DeviceError>,
    ) -> Result<u32, DeviceError> {
        for _ in 0..LOOKS {
            if let Some(value) = there(self)? {
                return Ok(value);
            }
            self.advance(PAUSE)?;
        }
        Err(self.strange(format!(
            "the card's management processor {what}; reset the card (tt-smi --reset)"
        )))
    }

    /// Points a window at a word of the management processor; returns the word's offset in the window.
    fn at_arc(&mut self, window: WindowId, address: TileAddress) -> Result<u64, DeviceError> {
        let size = self.window_size(window)?;
        let tile = self.description.arc_tile;
        let offset = address.0 % size;
        let target = WindowTarget {
            end: NocCoordinate { x: tile.x, y: tile.y },
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address.0 - offset),
            order: WindowOrder::Strict,
        };
        self.configure_window(window, &target)?;
        Ok(offset)
    }

    fn read_arc(&mut self, window: WindowId, address: TileAddress) -> Result<u32, DeviceError> {
        let offset = self.at_arc(window, address)?;
        let mut word = [0; 4];
        self.window_read(window, offset, &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn write_arc(
        &mut self,
        window: WindowId,
        address: TileAddress,
        value: u32,
    ) -> Result<(), DeviceError> {
        let offset = self.at_arc(window, address)?;
        self.window_write(window, offset, &value.to_le_bytes())
    }
}
