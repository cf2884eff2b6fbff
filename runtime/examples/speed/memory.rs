//! How fast the host writes and reads a bank of DRAM through a window.

use hallmark_chip::{
    Noc, NocCoordinate, PciDevice, TileAddress, WindowId, WindowOrder, WindowTarget,
};
use hallmark_runtime::{DeviceSettings, open_device};

use crate::scale::Scale;
use crate::watch::time;
use crate::{Outcome, Row};

const SIZE: u32 = 64 << 20;
const WINDOW: usize = 16 << 20;
/// Wormhole's first bank.
const BANK: NocCoordinate = NocCoordinate { x: 0, y: 0 };

/// What is done with the same bytes, in this order.
pub const PASSES: [&str; 3] = ["cold write", "warm write", "read"];

/// A bank of DRAM and bytes for it.
struct Bank {
    device: Box<dyn PciDevice>,
    window: WindowId,
    data: Vec<u8>,
}

impl Bank {
    fn new(device: &str, scale: Scale) -> Outcome<Self> {
        let mut device = open_device(&device.parse()?, DeviceSettings::default())?;
        let window = device.allocate_window(WINDOW as u64)?;
        let data = crate::common::pattern(scale.of(SIZE) as usize & !0xfff);
        Ok(Self { device, window, data })
    }

    fn pass(&mut self, what: &str) -> Outcome<()> {
        for (index, part) in self.data.chunks_mut(WINDOW).enumerate() {
            let target = WindowTarget {
                end: BANK,
                multicast_start: None,
                noc: Noc::Noc0,
                address: TileAddress((index * WINDOW) as u64),
                order: WindowOrder::Default,
            };
            self.device.configure_window(self.window, &target)?;
            if what == "read" {
                self.device.window_read(self.window, 0, part)?;
            } else {
                self.device.window_write(self.window, 0, part)?;
            }
        }
        Ok(())
    }
}

/// All passes.
pub fn measure(device: &str, scale: Scale) -> Outcome<Vec<Row>> {
    let mut bank = Bank::new(device, scale)?;
    let mut rows = Vec::new();
    for what in PASSES {
        let ((), seconds) = time(|| bank.pass(what))?;
        let megabytes = bank.data.len() as f64 / 1e6 / seconds;
        rows.push((format!("DRAM through a window, {what}"), format!("{megabytes:.0} MB/s")));
    }
    Ok(rows)
}

/// One pass, behind those that come before it; how many KiB it writes or reads.
pub fn pass(device: &str, number: usize, scale: Scale) -> Outcome<u64> {
    let mut bank = Bank::new(device, scale)?;
    for what in PASSES.iter().take(number) {
        bank.pass(what)?;
    }
    let what = PASSES.get(number).ok_or("there is no such pass")?;
    time(|| bank.pass(what))?;
    Ok(bank.data.len() as u64 / 1024)
}
