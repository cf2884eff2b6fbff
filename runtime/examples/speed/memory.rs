//! How fast the host writes and reads a bank of DRAM through a window.

use hallmark_chip::{Noc, NocCoordinate, TileAddress, WindowOrder, WindowTarget};
use hallmark_runtime::{DeviceSettings, open_device};

use crate::watch::time;
use crate::{Outcome, Row};

const SIZE: usize = 64 << 20;
const WINDOW: usize = 16 << 20;
/// Wormhole's first bank.
const BANK: NocCoordinate = NocCoordinate { x: 0, y: 0 };

pub fn measure(device: &str) -> Outcome<Vec<Row>> {
    let mut device = open_device(&device.parse()?, DeviceSettings::default())?;
    let window = device.allocate_window(WINDOW as u64)?;
    let mut data = crate::common::pattern(SIZE);
    let mut rows = Vec::new();
    for what in ["cold write", "warm write", "read"] {
        let ((), seconds) = time(|| {
            for (index, part) in data.chunks_mut(WINDOW).enumerate() {
                let target = WindowTarget {
                    end: BANK,
                    multicast_start: None,
                    noc: Noc::Noc0,
                    address: TileAddress((index * WINDOW) as u64),
                    order: WindowOrder::Default,
                };
                device.configure_window(window, &target)?;
                if what == "read" {
                    device.window_read(window, 0, part)?;
                } else {
                    device.window_write(window, 0, part)?;
                }
            }
            Outcome::Ok(())
        })?;
        let megabytes = SIZE as f64 / 1e6 / seconds;
        rows.push((format!("DRAM through a window, {what}"), format!("{megabytes:.0} MB/s")));
    }
    Ok(rows)
}
