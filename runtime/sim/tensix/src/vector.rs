//! The vector unit (`VectorUnit.md`): 32 lanes of 32 bits.
//!
//! An instruction does what the functional model of its page says, in the newest version of the documentation. Modes that a
//! page leaves open are refused in the category of Tenstorrent's simulator. `tests/vector_facts/main.rs` holds hashes of
//! that simulator's results.
//!
//! A result from unknown data is unknown. A flag from unknown data is unknown, and so is what an instruction writes to a lane
//! that such a flag enables or not. What decides more than the data of a lane must be known: registers by number (`LReg[7]`)
//! and the configuration of lanes.
//!
//! The unit is compiled twice on x86-64: for the processors that have AVX2, which take half the time, and for all others.

#![expect(
    unsafe_code,
    reason = "code for AVX2 may be called where the processor has it, which only run time tells"
)]

mod arithmetic;
mod bits;
mod call;
mod configuration;
mod conversions;
mod flags;
mod fused;
mod integers;
mod lanes;
mod latency;
mod lookup;
mod moves;
mod parts;
mod schedule;
mod table;
mod transfers;

pub use call::Settings;
pub use table::{BLACKHOLE, Table, WORMHOLE_B0};

use self::call::{Call, Operation};
use crate::Refusal;
use crate::counters::ReadWriteCounters;
use crate::registers::{Destination, LaneBit, Vectors};

/// Opcodes of the vector unit.
mod opcode {
    pub(super) const SFPLOAD: u32 = 0x70;
    pub(super) const SFPLOADI: u32 = 0x71;
    pub(super) const SFPSTORE: u32 = 0x72;
    pub(super) const SFPLUT: u32 = 0x73;
    pub(super) const SFPMULI: u32 = 0x74;
    pub(super) const SFPADDI: u32 = 0x75;
    pub(super) const SFPDIVP2: u32 = 0x76;
    pub(super) const SFPEXEXP: u32 = 0x77;
    pub(super) const SFPEXMAN: u32 = 0x78;
    pub(super) const SFPIADD: u32 = 0x79;
    pub(super) const SFPSHFT: u32 = 0x7A;
    pub(super) const SFPSETCC: u32 = 0x7B;
    pub(super) const SFPMOV: u32 = 0x7C;
    pub(super) const SFPABS: u32 = 0x7D;
    pub(super) const SFPAND: u32 = 0x7E;
    pub(super) const SFPOR: u32 = 0x7F;
    pub(super) const SFPNOT: u32 = 0x80;
    pub(super) const SFPLZ: u32 = 0x81;
    pub(super) const SFPSETEXP: u32 = 0x82;
    pub(super) const SFPSETMAN: u32 = 0x83;
    pub(super) const SFPMAD: u32 = 0x84;
    pub(super) const SFPADD: u32 = 0x85;
    pub(super) const SFPMUL: u32 = 0x86;
    pub(super) const SFPPUSHC: u32 = 0x87;
    pub(super) const SFPPOPC: u32 = 0x88;
    pub(super) const SFPSETSGN: u32 = 0x89;
    pub(super) const SFPENCC: u32 = 0x8A;
    pub(super) const SFPCOMPC: u32 = 0x8B;
    pub(super) const SFPTRANSP: u32 = 0x8C;
    pub(super) const SFPXOR: u32 = 0x8D;
    pub(super) const SFP_STOCH_RND: u32 = 0x8E;
    pub(super) const SFPNOP: u32 = 0x8F;
    pub(super) const SFPCAST: u32 = 0x90;
    pub(super) const SFPCONFIG: u32 = 0x91;
    pub(super) const SFPSWAP: u32 = 0x92;
    pub(super) const SFPLOADMACRO: u32 = 0x93;
    pub(super) const SFPSHFT2: u32 = 0x94;
    pub(super) const SFPLUTFP32: u32 = 0x95;
    pub(super) const SFPLE: u32 = 0x96;
    pub(super) const SFPGT: u32 = 0x97;
    pub(super) const SFPMUL24: u32 = 0x98;
    pub(super) const SFPARECIP: u32 = 0x99;
}

/// Whether an instruction reads formats of the vector unit in the configuration, by its opcode: those that reach `Dst` do.
#[must_use]
pub const fn reads_configuration(opcode: u32) -> bool {
    matches!(opcode, opcode::SFPLOAD | opcode::SFPSTORE | opcode::SFPLOADMACRO)
}

/// Executes an instruction of the vector unit. Its opcode is one of the chip's.
///
/// # Errors
///
/// The instruction breaks a rule, or it asks for something that is not there.
pub fn execute(
    word: u32,
    vectors: &mut Vectors,
    destination: &mut Destination,
    counters: &mut ReadWriteCounters,
    settings: &Settings,
) -> Result<(), Refusal> {
    let operation = Operation::of(word, settings.chip);
    let mut call = Call { operation, vectors, destination, counters, settings };
    if !call.vectors.schedule.is_empty() {
        return schedule::issue(&mut call);
    }
    if settings.chip.results_come_late {
        return execute_in_time(&mut call);
    }
    if call.keeps_template()? {
        return Ok(());
    }
    call.refuse_corrupted_indices()?;
    dispatch_on_this_processor(&mut call)
}

/// Executes an instruction that must not depend on what the last one has not finished.
fn execute_in_time(call: &mut Call<'_>) -> Result<(), Refusal> {
    latency::check(call)?;
    call.vectors.late = None;
    let templates = call.vectors.lanes().with(LaneBit::DisableBackdoorLoad);
    let late = latency::late(call);
    if call.keeps_template()? {
        return Ok(());
    }
    call.refuse_corrupted_indices()?;
    dispatch_on_this_processor(call)?;
    let is_configuration = call.operation.word >> 24 == opcode::SFPCONFIG;
    if !is_configuration || latency::changes_templates(call, templates) {
        call.vectors.late = late;
    }
    Ok(())
}

/// Lets time elapse in which the thread of the vector unit issues other instructions.
///
/// # Errors
///
/// An instruction that is due breaks a rule.
pub fn elapse(
    vectors: &mut Vectors,
    destination: &mut Destination,
    counters: &mut ReadWriteCounters,
    settings: &Settings,
) -> Result<(), Refusal> {
    vectors.late = None;
    if vectors.schedule.is_empty() {
        return Ok(());
    }
    let operation = Operation::of(opcode::SFPNOP << 24, settings.chip);
    schedule::elapse(&mut Call { operation, vectors, destination, counters, settings })
}

fn dispatch_on_this_processor(call: &mut Call<'_>) -> Result<(), Refusal> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { dispatch_with_avx2(call) };
    }
    dispatch(call)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dispatch_with_avx2(call: &mut Call<'_>) -> Result<(), Refusal> {
    dispatch(call)
}

#[inline(always)]
fn dispatch(call: &mut Call<'_>) -> Result<(), Refusal> {
    match call.operation.word >> 24 {
        opcode::SFPLOAD => transfers::load(call).map(|_| ()),
        opcode::SFPLOADI => transfers::load_immediate(call),
        opcode::SFPSTORE => transfers::store(call),
        opcode::SFPLUT => lookup::lut(call),
        opcode::SFPMULI => arithmetic::muli(call),
        opcode::SFPADDI => arithmetic::addi(call),
        opcode::SFPDIVP2 => parts::divp2(call),
        opcode::SFPEXEXP => parts::exexp(call),
        opcode::SFPEXMAN => parts::exman(call),
        opcode::SFPIADD => integers::iadd(call),
        opcode::SFPSHFT => bits::shft(call),
        opcode::SFPSETCC => flags::setcc(call),
        opcode::SFPMOV => moves::mov(call),
        opcode::SFPABS => integers::abs(call),
        opcode::SFPAND => bits::and(call),
        opcode::SFPOR => bits::or(call),
        opcode::SFPNOT => bits::not(call),
        opcode::SFPLZ => integers::lz(call),
        opcode::SFPSETEXP => parts::setexp(call),
        opcode::SFPSETMAN => parts::setman(call),
        opcode::SFPMAD => arithmetic::mad(call),
        opcode::SFPADD => arithmetic::add(call),
        opcode::SFPMUL => arithmetic::mul(call),
        opcode::SFPPUSHC => flags::pushc(call),
        opcode::SFPPOPC => flags::popc(call),
        opcode::SFPSETSGN => parts::setsgn(call),
        opcode::SFPENCC => flags::encc(call),
        opcode::SFPCOMPC => flags::compc(call),
        opcode::SFPTRANSP => moves::transp(call),
        opcode::SFPXOR => bits::xor(call),
        opcode::SFP_STOCH_RND => conversions::stoch_rnd(call),
        opcode::SFPNOP => Ok(()),
        opcode::SFPCAST => conversions::cast(call),
        opcode::SFPCONFIG => configuration::config(call),
        opcode::SFPSWAP => moves::swap(call),
        opcode::SFPSHFT2 => moves::shft2(call),
        opcode::SFPLUTFP32 => lookup::lutfp32(call),
        opcode::SFPLE => flags::compare(call, false),
        opcode::SFPGT => flags::compare(call, true),
        opcode::SFPMUL24 => arithmetic::mul24(call),
        opcode::SFPARECIP => lookup::arecip(call),
        opcode::SFPLOADMACRO => schedule::load_macro(call),
        _ => Err(call.unimplemented("it is not simulated")),
    }
}
