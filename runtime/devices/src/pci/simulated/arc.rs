//! The part of a card's management processor that reports harvesting: Wormhole's answers a message, Blackhole's
//! keeps telemetry.

use std::collections::BTreeMap;

use hallmark_chip::{ArcReport, ChipDescription};

/// The address of the simulated telemetry.
const TABLE: u32 = 0x1000_0100;
const VALUES: u32 = 0x1000_0800;
/// The tag of an entry before the wanted one, so that the search skips an entry.
const OTHER_ENTRY: u32 = 1;

/// A simulated management processor.
#[derive(Debug, Default)]
pub(super) struct Arc {
    words: BTreeMap<u64, u32>,
    report: Option<ArcReport>,
    /// The harvested rows or columns, counted in the order on the die.
    off: u32,
}

impl Arc {
    pub(super) fn of(chip: &ChipDescription) -> Self {
        let off = chip.harvested_on_die();
        let mut arc = Self { words: BTreeMap::new(), report: chip.arc_report, off };
        if let Some(ArcReport::Telemetry { table, values, enabled }) = chip.arc_report {
            arc.words.insert(table.0, TABLE);
            arc.words.insert(values.0, VALUES);
            let entries = [OTHER_ENTRY | 3 << 16, u32::from(enabled) | 7 << 16];
            for (address, value) in [
                (TABLE, 0x0001_0000),
                (TABLE + 4, entries.len() as u32),
                (TABLE + 8, entries[0]),
                (TABLE + 12, entries[1]),
                (VALUES + 3 * 4, u32::MAX),
                (VALUES + 7 * 4, chip.enabled_on_die()),
            ] {
                arc.words.insert(address.into(), value);
            }
        }
        arc
    }

    pub(super) fn read(&self, address: u64) -> u32 {
        self.words.get(&address).copied().unwrap_or(0)
    }

    pub(super) fn write(&mut self, address: u64, value: u32) {
        self.words.insert(address, value);
        let Some(ArcReport::Message { argument, status, trigger, trigger_bit, code }) = self.report
        else {
            return;
        };
        if address == trigger.0 && value & trigger_bit != 0 {
            self.words.insert(trigger.0, value & !trigger_bit);
            if self.read(status.0) == code {
                self.words.insert(argument.0, self.off);
                self.words.insert(status.0, code & 0xFF);
            } else {
                // A message that its firmware does not know.
                self.words.insert(status.0, u32::MAX);
            }
        }
    }
}
