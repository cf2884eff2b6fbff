//! Brings firmware up on tiles that have none yet.

use std::collections::BTreeMap;

use hallmark_chip::{
    DeviceError, LogicalCore, Meaning, Noc, NocCoordinate, Processor, TileAddress,
};
use hallmark_device_code::{
    BankTables, BootStatus, LAUNCH_ABI, Mailbox, NocBank, SEMAPHORE_STRIDE,
};

use super::tile::ResidentBinaries;
use super::{LaunchEnd, Tile};
use crate::InternalError;
use crate::addresses::Bank;
use crate::engine::Engine;
use crate::halt::Halt;

impl Engine {
    /// Brings firmware up on those tiles that have none yet, all at once.
    pub(super) fn boot_tiles(
        &mut self,
        tiles: impl Iterator<Item = (LogicalCore, NocCoordinate)>,
    ) -> Result<(), Halt> {
        let new: Vec<(LogicalCore, NocCoordinate)> =
            tiles.filter(|(core, _)| !self.tiles.contains_key(core)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let tables = self.encoded_bank_tables()?;
        let firmware = std::sync::Arc::clone(&self.firmware);
        let memory = *firmware.memory();
        let description = self.chip.description();
        let at = |address: u32| TileAddress(u64::from(address));
        let semaphores = self.semaphores_size();
        for &(core, noc) in &new {
            let physical = description
                .physical(core)
                .ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
            let firmware_size = u64::from(memory.firmware.size());
            self.chip.annotate(
                physical,
                at(memory.firmware.start),
                firmware_size,
                Meaning::Code,
            )?;
            let mailbox_size = u64::from(memory.mailbox.size());
            self.chip.annotate(
                physical,
                at(memory.mailbox.start),
                mailbox_size,
                Meaning::Mailbox,
            )?;
            let words = at(memory.kernel_config.start);
            self.chip.annotate(physical, words, semaphores, Meaning::Semaphore)?;
            for image in firmware.images() {
                self.chip.write(noc, at(image.load_address), &image.bytes)?;
            }
            self.chip.write(noc, at(memory.bank_tables.start), &tables)?;
            let empty = vec![0; memory.mailbox.size() as usize];
            self.chip.write(noc, at(memory.mailbox.start), &empty)?;
            self.prepare_profiler(core, noc)?;
            self.write_start_addresses(noc)?;
        }
        self.chip.order()?;
        let reset = description.reset;
        let held = reset.all_but(Processor::Brisc);
        for &(_, noc) in &new {
            // BRISC starts the others: on some chips only it reaches where they start (tt-isa-documentation,
            // WormholeB0/TensixTile/BabyRISCV/README.md, "Memory map": the Tensix configuration).
            self.chip.write_word(noc, reset.soft_reset, held)?;
        }
        let waiting: Vec<NocCoordinate> = new.iter().map(|&(_, noc)| noc).collect();
        let status = at(memory.mailbox.start + Mailbox::BOOT_STATUS);
        let end = self.poll(waiting, status, BootStatus::READY_WORD, self.settings.boot_budget)?;
        if !matches!(end, LaunchEnd::Done) {
            return Err(self.boot_failure(&new, status).into());
        }
        for (core, noc) in new {
            let abi = self.chip.read_word(noc, at(memory.mailbox.start + Mailbox::ABI))?;
            if abi != LAUNCH_ABI {
                let what =
                    format!("the firmware on core {core} has launch ABI {abi}, not {LAUNCH_ABI}");
                return Err(self.lost(what).into());
            }
            let Some(physical) = description.physical(core) else { continue };
            let tile =
                Tile { noc, physical, binaries: ResidentBinaries::new(memory.kernel_config) };
            self.tiles.insert(core, tile);
        }
        Ok(())
    }

    /// Where cores other than BRISC come out of reset, on chips that let the host say so; otherwise
    /// BRISC does it.
    fn write_start_addresses(&mut self, noc: NocCoordinate) -> Result<(), DeviceError> {
        let reset = self.chip.description().reset;
        if !reset.overrides_reachable {
            return Ok(());
        }
        let firmware = std::sync::Arc::clone(&self.firmware);
        let mut enabled: BTreeMap<u32, u32> = BTreeMap::new();
        for (processor, start) in Processor::ALL.into_iter().zip(reset.overrides) {
            let Some(start) = start else { continue };
            let entry = firmware.manifest().image(processor).entry;
            self.chip.write_word(noc, TileAddress(start.pc.into()), entry)?;
            *enabled.entry(start.enable).or_default() |= start.enable_bit;
        }
        for (register, bits) in enabled {
            self.chip.write_word(noc, TileAddress(register.into()), bits)?;
        }
        Ok(())
    }

    /// Firmware is not ours alone: what it does wrong loses the device and is no bug of the runtime.
    pub(super) fn lost(&self, reason: String) -> DeviceError {
        DeviceError::Lost { device: self.chip.name().to_owned(), reason }
    }

    pub(super) fn boot_failure(
        &mut self,
        tiles: &[(LogicalCore, NocCoordinate)],
        status: TileAddress,
    ) -> DeviceError {
        let name = self.firmware.manifest().name.clone();
        let stuck = tiles.iter().find_map(|&(core, noc)| {
            let word = self.chip.read_word(noc, status).ok()?;
            match BootStatus::from_word(word) {
                BootStatus::Ready => None,
                status @ (BootStatus::Booting | BootStatus::Unknown(_)) => {
                    Some(format!("core {core}: {status}"))
                }
            }
        });
        let stuck = stuck.unwrap_or_else(|| "which core did not start is unknown".to_owned());
        let budget = self.settings.boot_budget;
        self.lost(format!("firmware {name} did not start within {budget} ticks ({stuck})"))
    }

    /// Bytes of a tile's semaphores.
    pub(super) fn semaphores_size(&self) -> u64 {
        u64::from(self.firmware.limits().semaphores) * u64::from(SEMAPHORE_STRIDE)
    }

    pub(super) fn encoded_bank_tables(&self) -> Result<Vec<u8>, InternalError> {
        self.bank_tables().encode().map_err(|error| InternalError::new(error.to_string()))
    }

    fn bank_tables(&self) -> BankTables {
        let description = self.chip.description();
        let bank = |bank: &Bank| NocBank {
            tile: Noc::ALL.map(|noc| description.on_noc(noc, bank.tile)),
            // Banks of all known chips start below 4 GiB of their tile.
            offset: u32::try_from(bank.offset).unwrap_or(u32::MAX),
        };
        BankTables {
            dram: self.banks.dram.iter().map(bank).collect(),
            l1: self.banks.l1.iter().map(bank).collect(),
        }
    }
}
