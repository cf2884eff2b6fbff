//! Registers of a tile by their addresses.

use hallmark_chip::{ChipDescription, OverlayRegisters, Processor};
use hallmark_tensix::AtItsEnd;

use super::{Surroundings, Tile, map};
use crate::machine::actor::Actor;
use crate::machine::core::Core;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::Violation;
use crate::machine::noc;

/// Bits of an overlay counter.
const STREAM_MASK: u32 = 0x1_FFFF;

mod debug {
    pub(super) const FEATURE_DISABLE: u32 = 0x68;
    pub(super) const WALL_CLOCK_LOW: u32 = 0x1F0;
    pub(super) const WALL_CLOCK_HIGH: u32 = 0x1F4;
    pub(super) const WALL_CLOCK_HIGH_LATCHED: u32 = 0x1F8;
    /// Registers of the coprocessor's debug interface and those that only go one way.
    pub(super) const UNIMPLEMENTED: [u32; 12] =
        [0x54, 0x58, 0x5C, 0x60, 0x64, 0x6C, 0x78, 0xA8, 0x1B0, 0x1F0, 0x1F4, 0x1F8];
    /// Offsets before the last register where there is none
    /// (TensixTile/TileControlDebugStatus.md).
    pub(super) const HOLES: [std::ops::RangeInclusive<u32>; 9] = [
        0x24..=0x2C,
        0x40..=0x44,
        0x98..=0x9C,
        0xC0..=0xEC,
        0xFC..=0xFC,
        0x128..=0x1AC,
        0x1B4..=0x1CC,
        0x1D8..=0x1DC,
        0x1EC..=0x1EC,
    ];
}

pub(super) fn offset(address: u32, base: u32, length: u32) -> Option<u32> {
    address.checked_sub(base).filter(|&offset| offset < length)
}

pub(super) fn overlay_offset(address: u32, registers: &OverlayRegisters) -> Option<u32> {
    offset(address, registers.base, registers.stride.saturating_mul(registers.streams))
}

/// A core's number among those that mailboxes connect.
pub(crate) fn mailbox_number(core: Option<Processor>) -> Result<usize, Violation> {
    match core {
        Some(Processor::Brisc) => Ok(0),
        Some(Processor::Trisc0) => Ok(1),
        Some(Processor::Trisc1) => Ok(2),
        Some(Processor::Trisc2) => Ok(3),
        Some(Processor::Ncrisc) => Err(Violation::undefined("NCRISC has no mailboxes")),
        None => {
            Err(Violation::undefined("mailboxes belong to the cores; nobody else reaches them"))
        }
    }
}

fn compute_only(core: Option<Processor>) -> Result<(), Violation> {
    match core {
        Some(Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2) => Ok(()),
        _ => Err(Violation::unimplemented("only the compute cores reach these registers")),
    }
}

pub(super) fn reaches_configuration(core: Option<Processor>) -> bool {
    core.is_some_and(|core| core != Processor::Ncrisc)
}

fn configuration_core(core: Option<Processor>) -> Result<(), Violation> {
    if reaches_configuration(core) {
        return Ok(());
    }
    Err(Violation::unimplemented("only BRISC and the compute cores reach the Tensix configuration"))
}

impl Tile {
    /// Reads a register; `None` means that the load waits.
    pub(crate) fn read_register(
        &mut self,
        address: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<Option<u32>, Violation> {
        let core = surroundings.core;
        let description = surroundings.description;
        if address & 3 != 0 {
            return Err(Violation::undefined(format!("register {address:#x} is not aligned")));
        }
        for (niu, base) in self.nius.iter().zip(description.noc.base) {
            if let Some(offset) = offset(address, base, 0x1_0000) {
                return niu.read(offset, surroundings).map(Some);
            }
        }
        if let Some(offset) = overlay_offset(address, &description.overlay) {
            return self.read_stream(offset, &description.overlay).map(Some);
        }
        if let Some(offset) = self.private_view(address, surroundings)? {
            return Ok(self.read_private_view(offset));
        }
        if let Some(value) = self.read_reset_setting(address) {
            return Ok(Some(value));
        }
        if let Some(offset) = offset(address, description.debug.base, 0x1000) {
            return self.read_debug(offset, surroundings).map(Some);
        }
        if let Some(core) = self.snapshot(address, description) {
            return Ok(Some(core.pc));
        }
        if let Some(offset) = offset(address, map::MOVER, 0x1000) {
            let moves = description.private_memory.ncrisc_instruction_ram.is_some();
            return match offset {
                // Bit 3: the mover is idle (TensixTile/TDMA-RISC.md).
                0x14 if moves => Ok(Some(8)),
                // Those are only written.
                0x0..0x14 | 0x24 => Err(Violation::unimplemented(format!(
                    "register {address:#x} of the mover cannot be read"
                ))),
                _ => Err(Violation::unsupported(format!(
                    "register {address:#x} of the mover belongs to the coprocessor"
                ))),
            };
        }
        if let Some(offset) = offset(address, map::MAILBOXES, 0x4000) {
            return self.read_mailbox(offset, core);
        }
        if let Some(offset) = offset(address, map::SYNCHRONIZATION, 0x1000) {
            compute_only(core)?;
            return match offset {
                // TTSync (BabyRISCV/TTSync.md).
                4 | 8 => Ok((!self.coprocessor.is_busy(core, offset == 8)).then_some(0)),
                0x20..0x40 => Ok(self.coprocessor.semaphore(semaphore(offset)).map(u32::from)),
                _ => Err(unmapped(address)),
            };
        }
        if let Some(offset) = offset(address, map::CONFIGURATION, 0x1000) {
            configuration_core(core)?;
            if description.kept_configuration.contains(&address) {
                return Ok(Some(self.coprocessor.kept(address)));
            }
            return self.coprocessor.configuration(offset / 4, surroundings.origin).map(Some);
        }
        if let Some(offset) = offset(address, map::COPROCESSOR_REGISTERS, 0x1000)
            && let Some(value) = self.coprocessor.read_register(core, offset)
        {
            return Ok(Some(value));
        }
        Err(coprocessor(address).unwrap_or_else(|| self.unmapped(address, surroundings)))
    }

    /// An access below the private RAM of a core whose stack pointer is there, too, is one of a stack that is full.
    fn unmapped(&self, address: u32, surroundings: &Surroundings<'_>) -> Violation {
        let private = &surroundings.description.private_memory;
        let core = surroundings.core.and_then(|processor| self.cores.get(processor.index()));
        let full = core.filter(|core| {
            let stack = core.register(STACK_POINTER);
            (stack..private.base).contains(&address)
        });
        let size = full.and_then(|core| private.size.get(core.processor.index()));
        let (Some(core), Some(size)) = (full, size) else { return unmapped(address) };
        Violation::unimplemented(format!(
            "{address:#x} lies below the private RAM of {}: the stack has grown past its end (stack pointer {:#x}); the {size} \
             bytes of private RAM hold the stack and the kernel's static data: keep large arrays in L1, such as in a circular \
             buffer",
            core.processor,
            core.register(STACK_POINTER)
        ))
        .filling_the_stack()
    }

    /// Writes a register; `false` means that the store waits.
    pub(crate) fn write_register(
        &mut self,
        address: u32,
        value: u32,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<bool, Violation> {
        let core = surroundings.core;
        let description = surroundings.description;
        if address & 3 != 0 {
            return Err(Violation::undefined(format!("register {address:#x} is not aligned")));
        }
        for (index, base) in description.noc.base.into_iter().enumerate() {
            if let Some(offset) = offset(address, base, 0x1_0000) {
                noc::write_register(self, index, offset, value, surroundings)?;
                return Ok(true);
            }
        }
        if let Some(offset) = overlay_offset(address, &description.overlay) {
            self.write_stream(offset, value, surroundings)?;
            return Ok(true);
        }
        if let Some(offset) = self.private_view(address, surroundings)? {
            self.write_private_view(offset, value);
            return Ok(true);
        }
        if self.write_reset_setting(address, value, core) {
            return Ok(true);
        }
        if u64::from(address) == description.reset.soft_reset.0 {
            self.set_soft_reset(value, surroundings)?;
            return Ok(true);
        }
        if let Some(offset) = offset(address, description.debug.base, 0x1000) {
            return match offset {
                debug::FEATURE_DISABLE if value == 0 => Ok(true),
                // Off, as it is: clocks are not simulated.
                _ if value == 0 && description.debug.dst_clock_gating == Some(offset) => Ok(true),
                _ => Err(debug_violation(offset, description.debug.last)),
            };
        }
        if let Some(offset) = offset(address, map::MOVER, 0x1000) {
            self.write_mover(offset, value, surroundings)?;
            return Ok(true);
        }
        if let Some(offset) = offset(address, map::MAILBOXES, 0x4000) {
            return self.write_mailbox(offset, value, core);
        }
        if let Some(offset) = offset(address, map::SYNCHRONIZATION, 0x1000) {
            compute_only(core)?;
            match offset {
                4 | 8 => {}
                0x20..0x40 => self.change_semaphore(offset, value)?,
                _ => return Err(unmapped(address)),
            }
            return Ok(true);
        }
        if let Some(offset) = offset(address, map::CONFIGURATION, 0x1000) {
            configuration_core(core)?;
            if description.kept_configuration.contains(&address) {
                self.coprocessor.keep(address, value);
            } else {
                let reset = &description.reset;
                let address = map::CONFIGURATION + offset;
                self.write_configuration((address, value), reset, surroundings)?;
            }
            return Ok(true);
        }
        if let Some(offset) = offset(address, map::COPROCESSOR_REGISTERS, 0x1000)
            && self.coprocessor.write_register(core, (offset, value), surroundings.origin)
        {
            return Ok(true);
        }
        if let Some(offset) = offset(address, map::MACRO_OPERATIONS, 0x1000)
            && self.set_macro_word(offset, value, surroundings)?
        {
            return Ok(true);
        }
        if let Some(offset) = offset(address, map::PUSH, 0x3_0000) {
            return self.push_by_store(offset, value, surroundings);
        }
        Err(coprocessor(address).unwrap_or_else(|| self.unmapped(address, surroundings)))
    }

    /// Whether reading this register again and again does nothing, and whoever changes it wakes
    /// those that are parked on it.
    pub(crate) fn is_watchable(&self, address: u32, surroundings: &Surroundings<'_>) -> bool {
        let description = surroundings.description;
        description.noc.base.into_iter().any(|base| offset(address, base, 0x1_0000).is_some())
            || overlay_offset(address, &description.overlay).is_some()
            || offset(address, map::SYNCHRONIZATION, 0x1000).is_some()
            || offset(address, map::MAILBOXES, 0x4000).is_some_and(|offset| offset & 4 != 0)
    }

    /// The size and the start of a stream's buffer, which hold counts of pages received and acknowledged.
    pub(super) fn stream_buffer(&self, number: u32) -> Option<(u32, u32)> {
        let stream = self.streams.get(number as usize)?;
        Some((stream.buffer_size, stream.buffer_start))
    }

    /// The scalar unit stores to a register, which has to be one of the overlay: nothing else is simulated as its target.
    pub(super) fn store_by_scalar_unit(
        &mut self,
        address: u32,
        value: u32,
        actor: Actor,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<(), Violation> {
        let description = surroundings.description;
        let Some(offset) = overlay_offset(address, &description.overlay) else {
            return Err(Violation::unsupported(format!(
                "the scalar unit stores to {address:#x}; registers of the overlay are simulated"
            )));
        };
        let core = surroundings.core;
        if let Some((count, before)) = self.page_counts(address, description)
            && let Some(processor) = core
        {
            let at = self.core_at(processor);
            let mut scene = self.scene(surroundings.coordinates);
            surroundings.observers.core_stores_pages(&mut scene, at, (count, value), before)?;
        }
        self.write_stream(offset, value, surroundings)?;
        self.tell_of_store(actor, address, description, surroundings.observers);
        Ok(())
    }

    fn read_stream(&self, offset: u32, registers: &OverlayRegisters) -> Result<u32, Violation> {
        let number = offset / registers.stride;
        let stream = self
            .streams
            .get(number as usize)
            .ok_or_else(|| Violation::undefined("there is no such overlay stream"))?;
        let field = offset % registers.stride;
        let fields = [
            (registers.remote_source, stream.remote_source),
            (registers.buffer_start, stream.buffer_start),
            (registers.buffer_size, stream.buffer_size),
            (registers.space_available, stream.space_available),
        ];
        fields.into_iter().find(|one| one.0 == field).map(|one| one.1).ok_or_else(|| {
            Violation::unimplemented(format!(
                "overlay register {field:#x} of stream {number} cannot be read"
            ))
        })
    }

    fn write_stream(
        &mut self,
        offset: u32,
        value: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<(), Violation> {
        let registers = &surroundings.description.overlay;
        let number = offset / registers.stride;
        let stream = self
            .streams
            .get_mut(number as usize)
            .ok_or_else(|| Violation::undefined("there is no such overlay stream"))?;
        let field = offset % registers.stride;
        let mut written = [Some(field), None];
        if field == registers.remote_source {
            if value > 0xFF_FFFF {
                return Err(Violation::unsupported(format!(
                    "{value:#x} does not fit into STREAM_REMOTE_SRC"
                )));
            }
            stream.remote_source = value;
        } else if field == registers.buffer_start {
            let mask = if planted(Defect::StreamCountsNarrow) { 0xFF } else { STREAM_MASK };
            stream.buffer_start = value & mask;
        } else if field == registers.buffer_size {
            stream.buffer_size = value & STREAM_MASK;
            stream.space_available = value & STREAM_MASK;
            written = [Some(field), Some(registers.space_available)];
        } else if field == registers.space_available_update {
            // The low six bits name a destination, of which there is one here.
            if value & 0x3F != 0 {
                return Err(Violation::unsupported(format!(
                    "{value:#x} names another destination of the stream than 0"
                )));
            }
            let more =
                if planted(Defect::StreamLosesAnUpdate) && value >> 6 > 1 { 1 } else { value >> 6 };
            stream.space_available = stream.space_available.wrapping_add(more) & STREAM_MASK;
            written = [Some(registers.space_available), None];
        } else {
            return Err(Violation::unimplemented(format!(
                "overlay register {field:#x} of stream {number} cannot be written"
            )));
        }
        let base = registers.base + number * registers.stride;
        for register in written.into_iter().flatten() {
            self.memory.note_register(base + register, surroundings.origin.writer());
        }
        Ok(())
    }

    fn read_debug(
        &mut self,
        offset: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<u32, Violation> {
        let description = surroundings.description;
        let now = surroundings.now;
        if u64::from(description.debug.base + offset) == description.reset.soft_reset.0 {
            return Ok(self.soft_reset());
        }
        match offset {
            debug::FEATURE_DISABLE => Ok(0),
            debug::WALL_CLOCK_LOW => {
                self.wall_clock_latch = (now >> 32) as u32;
                Ok(now as u32)
            }
            debug::WALL_CLOCK_HIGH => Ok((now >> 32) as u32),
            debug::WALL_CLOCK_HIGH_LATCHED => Ok(self.wall_clock_latch),
            _ => Err(debug_violation(offset, description.debug.last)),
        }
    }

    fn snapshot(&self, address: u32, description: &ChipDescription) -> Option<&Core> {
        let snapshots = description.debug.pc_snapshots?;
        let index = snapshots.iter().position(|&snapshot| snapshot == address)?;
        self.cores.get(index)
    }

    fn write_mover(
        &mut self,
        offset: u32,
        value: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<(), Violation> {
        let ram = surroundings.description.private_memory.ncrisc_instruction_ram;
        match offset {
            _ if ram.is_none() && offset != 0x24 => {
                return Err(Violation::unsupported(format!(
                    "the mover's register {offset:#x}: there is no instruction RAM to fill"
                )));
            }
            0x0 => self.mover.source = value,
            // The instruction RAM, in the mover's address space.
            0x4 if value == 0x4000 => {}
            0x8 => self.mover.size = value,
            // From L1.
            0xC if value == 1 => {}
            0x10 if value == 0x40 => {
                let limit = ram.map_or(0, |(_, size)| u64::from(size));
                let source = u64::from(self.mover.source) * 16;
                let length = u64::from(self.mover.size) * 16;
                if length > limit || source + length > self.memory.size() {
                    return Err(Violation::undefined(format!(
                        "the mover cannot copy {length} bytes from {source:#x} into {limit} bytes of \
                         instruction RAM"
                    )));
                }
                self.memory.fill_instruction_ram(source as usize, length as usize)?;
            }
            0x24 => {}
            0x14 => return Err(Violation::unimplemented("the mover's status is only read")),
            _ => {
                return Err(Violation::unsupported(format!(
                    "the mover's register {offset:#x} does not take {value:#x}"
                )));
            }
        }
        Ok(())
    }

    /// Writing 0 posts, writing 1 gets (BabyRISCV/PCBufs.md, TensixCoprocessor/SEMPOST.md).
    fn change_semaphore(&mut self, offset: u32, value: u32) -> Result<(), Violation> {
        if value > 1 {
            return Err(Violation::unimplemented(format!(
                "a semaphore takes 0 or 1, not {value:#x}"
            )));
        }
        let changed = self.coprocessor.change_semaphore(semaphore(offset), value == 0);
        changed.map_err(|AtItsEnd(end)| {
            Violation::non_contractual(format!("the semaphore is already at {end}"))
        })?;
        self.wake_threads();
        Ok(())
    }

    pub(super) fn wake_synchronization(&mut self) {
        self.memory.wake(offset_in_synchronization);
    }

    fn read_mailbox(
        &mut self,
        offset: u32,
        core: Option<Processor>,
    ) -> Result<Option<u32>, Violation> {
        let to = mailbox_number(core)?;
        let from = (offset / 0x1000) as usize;
        let Some(mailbox) = self.mailboxes.get_mut(from).and_then(|row| row.get_mut(to)) else {
            return Err(Violation::undefined("there is no such mailbox"));
        };
        if offset & 4 != 0 {
            return Ok(Some(u32::from(!mailbox.is_empty())));
        }
        let value = if planted(Defect::MailboxLastInFirstOut) {
            mailbox.pop_back()
        } else {
            mailbox.pop_front()
        };
        if value.is_some() {
            self.memory.wake(in_mailboxes);
        }
        Ok(value)
    }

    /// What a core that enters reset has written and nobody read is gone (TensixTile/SoftReset.md).
    pub(super) fn discard_mailboxes(&mut self, from: Processor) {
        if let Ok(from) = mailbox_number(Some(from))
            && let Some(row) = self.mailboxes.get_mut(from)
        {
            row.iter_mut().for_each(std::collections::VecDeque::clear);
            self.memory.wake(in_mailboxes);
        }
    }

    /// All mailboxes that one core writes hold four words together.
    fn write_mailbox(
        &mut self,
        offset: u32,
        value: u32,
        core: Option<Processor>,
    ) -> Result<bool, Violation> {
        let from = mailbox_number(core)?;
        let to = (offset / 0x1000) as usize;
        if offset & 0xFFF != 0 {
            return Err(Violation::unimplemented("mailboxes are written at their first word"));
        }
        let Some(row) = self.mailboxes.get_mut(from) else { return Ok(true) };
        let words = 4 + usize::from(planted(Defect::MailboxesHoldFive));
        if row.iter().map(std::collections::VecDeque::len).sum::<usize>() >= words {
            return Ok(false);
        }
        if let Some(mailbox) = row.get_mut(to) {
            mailbox.push_back(value);
        }
        self.memory.wake(in_mailboxes);
        Ok(true)
    }
}

/// `sp` of the calling convention.
const STACK_POINTER: usize = 2;

fn in_mailboxes(address: u32) -> bool {
    offset(address, map::MAILBOXES, 0x4000).is_some()
}

fn offset_in_synchronization(address: u32) -> bool {
    offset(address, map::SYNCHRONIZATION, 0x1000).is_some()
}

fn unmapped(address: u32) -> Violation {
    Violation::unimplemented(format!("nothing is mapped at {address:#x}")).naming_nothing()
}

fn debug_violation(offset: u32, last: u32) -> Violation {
    let hole = debug::HOLES.iter().any(|hole| hole.contains(&offset)) || offset > last;
    let reason = format!("debug register {offset:#x}");
    if hole {
        Violation::undefined(format!("{reason} does not exist"))
    } else if debug::UNIMPLEMENTED.contains(&offset) {
        Violation::unimplemented(format!("{reason} cannot be accessed like this"))
    } else {
        Violation::unsupported(format!("{reason} is not supported for this access"))
    }
}

/// The number of a semaphore, by the offset of its register.
const fn semaphore(offset: u32) -> usize {
    offset.saturating_sub(0x20) as usize / 4
}

fn coprocessor(address: u32) -> Option<Violation> {
    let of = |base, length| offset(address, base, length).is_some();
    (of(map::MACRO_OPERATIONS, 0x1000)
        || of(map::COPROCESSOR_REGISTERS, 0x1000)
        || of(map::PUSH, 0x3_0000))
    .then(|| {
        Violation::unimplemented(format!(
            "{address:#x} belongs to the Tensix coprocessor, and this core does not reach it like this"
        ))
    })
}
