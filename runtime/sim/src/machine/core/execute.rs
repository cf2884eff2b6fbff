//! The execution loop. What needs more than registers, L1 and private RAM leaves it.

#![expect(
    clippy::indexing_slicing,
    reason = "register numbers are masked to 6 bits and the file has 64 entries, so none can miss"
)]

use hallmark_chip::{FaultMemory, PhysicalCoordinate, TileAddress};

use super::{Core, decode};
use crate::machine::defects::{Defect, planted, wrong};
use crate::machine::fault::{Origin, Violation};
use crate::machine::memory::TileMemory;
use crate::machine::noc::Ports;
use crate::machine::observer::{BufferMemory, CoreAt, InstructionObserver, MemoryRange, Session};

/// A load that reaches neither L1 nor private RAM; its instruction is not retired yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterLoad {
    pub(crate) address: u32,
    pub(crate) size: u32,
    pub(crate) destination: usize,
}

/// A store that reaches neither L1 nor private RAM; its instruction is not retired yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterStore {
    pub(crate) address: u32,
    pub(crate) size: u32,
    pub(crate) value: u32,
}

/// How a loop treats what nobody wrote.
mod checks {
    /// No register holds anything unknown; stops before a load that would change that.
    pub(super) const KNOWN: u8 = 0;
    /// Some registers do; stops before an instruction that names one of them, too.
    pub(super) const MIXED: u8 = 1;
    /// The caller sees to it.
    pub(super) const NONE: u8 = 2;
}

/// Why the loop stopped; the core's pc is at the instruction that stopped it.
#[derive(Debug)]
pub(crate) enum Exit {
    Budget,
    /// The next instruction works on what nobody wrote: see [`super::taint`].
    Poison,
    /// A launch begins or ends at the next instruction: see [`crate::machine::launches`].
    Told,
    /// An observer looks at the tile before the next instruction: see [`InstructionObserver::resolve`].
    Observed,
    Load(RegisterLoad),
    Store(RegisterStore),
    /// An atomic, or an access to a control register.
    System,
    Violation(Violation),
}

#[cold]
fn misaligned(tile: PhysicalCoordinate, address: u32, size: u32) -> Exit {
    let memory = FaultMemory { tile, address: TileAddress(address.into()), length: size.into() };
    let reason = format!("an access of {size} bytes at {address:#x} is not aligned");
    Exit::Violation(Violation::non_contractual(reason).about(Some(memory)))
}

#[cold]
fn unknown_core(at: CoreAt) -> Exit {
    let CoreAt { at, processor, .. } = at;
    Exit::Violation(Violation::undefined(format!("no observer knows {processor} of tile {at}")))
}

#[cold]
fn misaligned_target(target: u32) -> Exit {
    Exit::Violation(Violation::undefined(format!("jump to {target:#x}, which is not aligned to 4")))
}

/// Runs until `left` instructions are retired or one needs more than L1 and private RAM, or works on
/// what nobody wrote.
#[inline(never)]
pub(crate) fn execute<O: InstructionObserver>(
    core: &mut Core,
    memory: &mut TileMemory,
    at: CoreAt,
    observers: &mut O,
    ports: &mut Ports<'_>,
    left: &mut u32,
) -> Exit {
    // What follows pointers sees each access to a register.
    let ports = (!core.minds_registers()).then_some(ports);
    match (core.unknown.registers == 0, core.cache.enabled) {
        (true, false) => {
            run::<O, { checks::KNOWN }, false>(core, memory, at, observers, ports, left)
        }
        (false, false) => {
            run::<O, { checks::MIXED }, false>(core, memory, at, observers, ports, left)
        }
        (true, true) => run::<O, { checks::KNOWN }, true>(core, memory, at, observers, ports, left),
        (false, true) => {
            run::<O, { checks::MIXED }, true>(core, memory, at, observers, ports, left)
        }
    }
}

/// Executes one instruction without regard to what is known.
pub(crate) fn execute_one<O: InstructionObserver>(
    core: &mut Core,
    memory: &mut TileMemory,
    at: CoreAt,
    observers: &mut O,
) -> Exit {
    if core.cache.enabled {
        run::<O, { checks::NONE }, true>(core, memory, at, observers, None, &mut 1)
    } else {
        run::<O, { checks::NONE }, false>(core, memory, at, observers, None, &mut 1)
    }
}

fn orc_b(value: u32) -> u32 {
    u32::from_le_bytes(value.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xFF }))
}

fn brev8(value: u32) -> u32 {
    value.reverse_bits().swap_bytes()
}

/// Decodes an instruction that no core has executed since it was written. As a function of its own it takes no registers
/// from the loop.
#[cold]
#[inline(never)]
fn decode_first(
    memory: &mut TileMemory,
    pc: u32,
    told: u32,
    (has_instruction_ram, fetcher): (bool, decode::Decoded),
) -> Result<decode::Decoded, Exit> {
    if pc != told && memory.tells(pc) {
        return Err(Exit::Told);
    }
    memory.fetch_slowly(pc, has_instruction_ram, fetcher).map_err(Exit::Violation)
}

/// `CACHED`: loads from L1 go through the data cache.
#[inline(always)]
fn run<O: InstructionObserver, const CHECKS: u8, const CACHED: bool>(
    core: &mut Core,
    memory: &mut TileMemory,
    at: CoreAt,
    observers: &mut O,
    mut ports: Option<&mut Ports<'_>>,
    left: &mut u32,
) -> Exit {
    let budget = *left;
    let mut remaining = budget;
    let mut pc = core.pc;
    let tile = at.at;
    let Some(mut session) = observers.session(at) else { return unknown_core(at) };
    let registers = &mut core.registers;
    let private = core.private.as_mut_slice();
    let private_poison = &mut core.private_poison;
    let private_base = core.private_base;
    let cache = &mut core.cache;
    let fetcher = decode::fetched_by(core.processor);
    let last = (core.retired as u32).wrapping_add(budget);
    let unknown = &mut core.unknown.registers;
    // Borrowed anew after whatever may decode or forget instructions.
    let mut table = memory.decoded.as_slice();
    let exit = loop {
        if remaining == 0 {
            break Exit::Budget;
        }
        let mut decoded = table.get((pc >> 2) as usize).copied().unwrap_or(0);
        if decode::operation(decoded) == decode::UNDECODED {
            match decode_first(memory, pc, core.told, (core.has_instruction_ram, fetcher)) {
                Ok(first) => decoded = first,
                Err(exit) => break exit,
            }
            table = memory.decoded.as_slice();
        }
        if CHECKS == checks::MIXED
            && (*unknown >> decode::source_1(decoded) | *unknown >> decode::source_2(decoded)) & 1
                != 0
        {
            break Exit::Poison;
        }
        let mut next = pc.wrapping_add(4);
        let rs1 = registers[decode::source_1(decoded)];
        let rs2 = registers[decode::source_2(decoded)];
        let immediate = decode::immediate(decoded);

        macro_rules! set {
            ($value:expr) => {{
                let value: u32 = $value;
                registers[decode::destination(decoded)] = value ^ wrong(decode::operation(decoded));
                if CHECKS == checks::MIXED {
                    *unknown &= !(1 << decode::destination(decoded));
                }
            }};
        }
        macro_rules! branch {
            ($condition:expr) => {
                if $condition ^ (wrong(decode::operation(decoded)) != 0) {
                    next = pc.wrapping_add(immediate);
                    if next & 3 != 0 {
                        break misaligned_target(next);
                    }
                }
            };
        }
        macro_rules! ask {
            ($answer:expr) => {
                if !$answer {
                    break Exit::Observed;
                }
            };
        }
        macro_rules! load {
            ($type:ty, $size:literal) => {{
                let address = rs1.wrapping_add(immediate);
                if !address.is_multiple_of($size) {
                    break misaligned(tile, address, $size);
                }
                let start = address as usize;
                let offset = address.wrapping_sub(private_base) as usize;
                let register;
                let bytes = match memory.bytes.get(start..start + $size) {
                    Some(_) if CACHED => {
                        match cache.load::<$size>(memory, start, CHECKS != checks::NONE) {
                            Some(bytes) => {
                                ask!(session.loads_through_cache::<$size>(address, pc, &bytes));
                                &bytes.clone()
                            }
                            None => break Exit::Poison,
                        }
                    }
                    Some(bytes) => {
                        if CHECKS != checks::NONE && !memory.poison.is_written::<$size>(start) {
                            break Exit::Poison;
                        }
                        ask!(session.loads::<$size>(address, pc, bytes));
                        bytes
                    }
                    None => match private.get(offset..offset + $size) {
                        Some(bytes) => {
                            if CHECKS != checks::NONE && !private_poison.is_written::<$size>(offset)
                            {
                                break Exit::Poison;
                            }
                            bytes
                        }
                        None => {
                            if $size == 4
                                && let Some(value) =
                                    ports.as_ref().and_then(|ports| ports.load(pc, address))
                            {
                                register = value.to_le_bytes();
                                register.get(..$size).unwrap_or_default()
                            } else {
                                break Exit::Load(RegisterLoad {
                                    address,
                                    size: $size,
                                    destination: decode::destination(decoded),
                                });
                            }
                        }
                    },
                };
                let mut raw = [0; $size];
                raw.copy_from_slice(bytes);
                <$type>::from_le_bytes(raw)
            }};
        }
        macro_rules! store {
            ($type:ty, $size:literal) => {{
                let address = rs1.wrapping_add(immediate);
                if !address.is_multiple_of($size) {
                    break misaligned(tile, address, $size);
                }
                let start = address as usize;
                let raw = ((rs2 ^ wrong(decode::operation(decoded))) as $type).to_le_bytes();
                if let Some(bytes) = memory.bytes.get_mut(start..start + $size) {
                    let number = last.wrapping_sub(remaining);
                    ask!(session.stores::<$size>(address, pc, number));
                    bytes.copy_from_slice(&raw);
                    if CACHED && !($size < 4 && planted(Defect::NarrowStoresKeepTheirLine)) {
                        cache.drop_line(start);
                    }
                    if CHECKS != checks::NONE {
                        memory.poison.note::<$size>(start);
                    }
                    if table.get(start >> 2).is_some_and(|&mark| mark != 0) {
                        let retired = core.retired.wrapping_add(u64::from(budget - remaining));
                        let by = memory.note_store(address, core.processor, pc, retired);
                        let range = MemoryRange {
                            memory: BufferMemory::L1(at.tile),
                            at: tile,
                            start: address.into(),
                            length: $size,
                        };
                        drop(session);
                        observers.wrote(&range, Origin::Core(by));
                        session = match observers.session(at) {
                            Some(session) => session,
                            None => break unknown_core(at),
                        };
                        table = memory.decoded.as_slice();
                    }
                } else {
                    let offset = address.wrapping_sub(private_base) as usize;
                    match private.get_mut(offset..offset + $size) {
                        Some(bytes) => {
                            bytes.copy_from_slice(&raw);
                            if CHECKS != checks::NONE {
                                private_poison.note::<$size>(offset);
                            }
                        }
                        None => {
                            let is_stored = $size == 4
                                && ports
                                    .as_mut()
                                    .is_some_and(|ports| ports.store(memory, address, rs2));
                            if !is_stored {
                                break Exit::Store(RegisterStore {
                                    address,
                                    size: $size,
                                    value: rs2,
                                });
                            }
                        }
                    }
                }
            }};
        }

        match decode::operation(decoded) {
            decode::LUI => set!(immediate),
            decode::AUIPC => set!(pc.wrapping_add(immediate)),
            decode::JAL => {
                set!(next);
                next = pc.wrapping_add(immediate);
                if next & 3 != 0 {
                    break misaligned_target(next);
                }
            }
            decode::JALR => {
                let target = rs1.wrapping_add(immediate) & !1;
                if target & 3 != 0 {
                    break misaligned_target(target);
                }
                set!(next);
                next = target;
            }
            decode::BEQ => branch!(rs1 == rs2),
            decode::BNE => branch!(rs1 != rs2),
            decode::BLT => branch!((rs1 as i32) < rs2 as i32),
            decode::BGE => branch!(rs1 as i32 >= rs2 as i32),
            decode::BLTU => branch!(rs1 < rs2),
            decode::BGEU => {
                branch!(if planted(Defect::BgeuStrict) { rs1 > rs2 } else { rs1 >= rs2 })
            }
            decode::LB => {
                let byte = load!(i8, 1);
                set!(if planted(Defect::LbUnsigned) {
                    byte as u8 as u32
                } else {
                    byte as i32 as u32
                })
            }
            decode::LH => set!(load!(i16, 2) as i32 as u32),
            decode::LW => set!(load!(u32, 4)),
            decode::LBU => set!(load!(u8, 1).into()),
            decode::LHU => set!(load!(u16, 2).into()),
            decode::SB => store!(u8, 1),
            decode::SH => store!(u16, 2),
            decode::SW => store!(u32, 4),
            decode::ADDI => set!(rs1.wrapping_add(immediate)),
            decode::SLTI => set!(u32::from((rs1 as i32) < immediate as i32)),
            decode::SLTIU => set!(u32::from(rs1 < immediate)),
            decode::XORI => set!(rs1 ^ immediate),
            decode::ORI => set!(rs1 | immediate),
            decode::ANDI => set!(rs1 & immediate),
            decode::SLLI => set!(rs1.wrapping_shl(immediate)),
            decode::SRLI => set!(rs1.wrapping_shr(immediate)),
            decode::SRAI => set!((rs1 as i32).wrapping_shr(immediate) as u32),
            decode::ADD => set!(rs1.wrapping_add(rs2)),
            decode::SUB => set!(rs1.wrapping_sub(rs2)),
            decode::SLL => set!(rs1.wrapping_shl(rs2)),
            decode::SLT => set!(u32::from((rs1 as i32) < rs2 as i32)),
            decode::SLTU => set!(u32::from(rs1 < rs2)),
            decode::XOR => set!(rs1 ^ rs2),
            decode::SRL => set!(rs1.wrapping_shr(rs2)),
            decode::SRA => set!(if planted(Defect::SraLogical) {
                rs1.wrapping_shr(rs2)
            } else {
                (rs1 as i32).wrapping_shr(rs2) as u32
            }),
            decode::OR => set!(rs1 | rs2),
            decode::AND => set!(rs1 & rs2),
            decode::MUL => set!(rs1.wrapping_mul(rs2)),
            decode::MULH => {
                let product = i64::from(rs1 as i32).wrapping_mul(i64::from(rs2 as i32));
                set!((product >> 32) as u32);
            }
            decode::MULHSU => {
                let second = if planted(Defect::MulhsuSigned) {
                    i64::from(rs2 as i32)
                } else {
                    i64::from(rs2)
                };
                let product = i64::from(rs1 as i32).wrapping_mul(second);
                set!((product >> 32) as u32);
            }
            decode::MULHU => {
                set!((u64::from(rs1).wrapping_mul(u64::from(rs2)) >> 32) as u32);
            }
            // Division by zero and overflow have results, no traps (RISC-V M, table 7.1).
            decode::DIV => set!(match rs2 {
                0 if planted(Defect::DivisionByZeroIsZero) => 0,
                0 => u32::MAX,
                _ => (rs1 as i32).wrapping_div(rs2 as i32) as u32,
            }),
            decode::DIVU => set!(rs1.checked_div(rs2).unwrap_or(u32::MAX)),
            decode::REM => set!(match rs2 {
                0 => rs1,
                _ => (rs1 as i32).wrapping_rem(rs2 as i32) as u32,
            }),
            decode::REMU => set!(rs1.checked_rem(rs2).unwrap_or(rs1)),
            decode::SH1ADD => set!((rs1 << 1).wrapping_add(rs2)),
            decode::SH2ADD => set!((rs1 << 2).wrapping_add(rs2)),
            decode::SH3ADD => set!((rs1 << 3).wrapping_add(rs2)),
            decode::ANDN => set!(rs1 & !rs2),
            decode::ORN => set!(rs1 | !rs2),
            decode::XNOR => set!(!(rs1 ^ rs2)),
            decode::MIN => set!((rs1 as i32).min(rs2 as i32) as u32),
            decode::MINU => set!(rs1.min(rs2)),
            decode::MAX => set!((rs1 as i32).max(rs2 as i32) as u32),
            decode::MAXU => set!(rs1.max(rs2)),
            decode::ROL => set!(rs1.rotate_left(rs2 & 31)),
            decode::ROR => set!(rs1.rotate_right(rs2 & 31)),
            decode::RORI => set!(rs1.rotate_right(immediate)),
            decode::PACK => set!(if planted(Defect::PackTakesTheUpperHalf) {
                rs1 & 0xFFFF | rs2 & 0xFFFF_0000
            } else {
                rs1 & 0xFFFF | rs2 << 16
            }),
            decode::CLZ => set!(if planted(Defect::ClzOfZeroIs31) {
                rs1.leading_zeros().min(31)
            } else {
                rs1.leading_zeros()
            }),
            decode::CTZ => set!(rs1.trailing_zeros()),
            decode::CPOP => set!(rs1.count_ones()),
            decode::SEXT_B => set!(rs1 as i8 as i32 as u32),
            decode::SEXT_H => set!(rs1 as i16 as i32 as u32),
            decode::ORC_B => set!(orc_b(rs1)),
            decode::REV8 => set!(rs1.swap_bytes()),
            decode::BREV8 => set!(brev8(rs1)),
            decode::FENCE => {
                if CACHED && wrong(decode::FENCE) == 0 {
                    cache.flush();
                }
            }
            decode::AMOSWAP..=decode::CSRRCI => break Exit::System,
            // `.ttinsn` (BabyRISCV/PushTensixInstruction.md).
            _ if immediate & 3 != 3 && core.processor != hallmark_chip::Processor::Ncrisc => {
                break Exit::System;
            }
            _ => {
                break Exit::Violation(decode::explain(immediate, memory.instruction_set()));
            }
        }
        remaining = remaining.wrapping_sub(1);
        pc = next;
    };
    core.retired = core.retired.wrapping_add(u64::from(budget - remaining));
    core.pc = pc;
    *left = remaining;
    exit
}
