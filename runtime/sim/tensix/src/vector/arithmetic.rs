//! Multiplications and additions of floats (`SFPMAD.md`, `SFPADD.md`, `SFPMUL.md`, `SFPADDI.md`, `SFPMULI.md`), and of
//! integers in the same sub-unit (`SFPMUL24.md`).

use super::call::Call;
use super::fused;
use super::lanes::{choose, lanes_where, map, map_two};
use crate::Refusal;
use crate::registers::Vector;

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3F80_0000;

const NEGATE_A: u32 = 1;
const NEGATE_C: u32 = 2;
const INDIRECT_A: u32 = 4;
const INDIRECT_D: u32 = 8;

/// The register of the constant 0, and that of the constant 1.
const ZERO_REGISTER: u32 = 9;
const ONE_REGISTER: u32 = 10;

fn negated_if(vector: &Vector, negates: bool) -> Vector {
    let sign = if negates { SIGN } else { 0 };
    map(vector, |datum| datum ^ sign)
}

/// Chips without modifiers that negate have reserved bits there.
fn refuse_negations(call: &Call<'_>) -> Result<(), Refusal> {
    if call.settings.chip.negates {
        return Ok(());
    }
    call.refuse_reserved(NEGATE_A | NEGATE_C)
}

/// `VA`, or in each lane the register that `LReg[7]` names.
fn a(call: &Call<'_>) -> Result<Vector, Refusal> {
    if !call.operation.has(INDIRECT_A) {
        return Ok(*call.vectors.register(call.operation.a));
    }
    let numbers = call.register_7()?;
    let mut chosen = Vector::of(0);
    for number in 0..16 {
        let lanes = lanes_where(&numbers.lanes, |datum| datum & 15 == number);
        chosen.replace(lanes, call.vectors.register(number));
    }
    Ok(chosen)
}

fn write(call: &mut Call<'_>, result: &Vector) -> Result<(), Refusal> {
    if call.operation.has(INDIRECT_D) && call.operation.d != 16 {
        return call.write_by_register_7(result);
    }
    call.write(result);
    Ok(())
}

/// a · b + c.
#[inline(always)]
pub(super) fn multiply_add(call: &Call<'_>, a: &Vector, b: &Vector, c: &Vector) -> Vector {
    let dialect = call.settings.chip.dialect;
    Vector {
        lanes: fused::multiply_add(dialect, &a.lanes, &b.lanes, &c.lanes),
        unknown: a.unknown | b.unknown | c.unknown,
    }
}

/// `SFPMAD`.
#[inline(always)]
pub(super) fn mad(call: &mut Call<'_>) -> Result<(), Refusal> {
    refuse_negations(call)?;
    let operation = call.operation;
    if operation.mode == 0 {
        let a = call.vectors.register(operation.a);
        let result = multiply_add(call, a, call.b(), call.c());
        call.write(&result);
        return Ok(());
    }
    let a = negated_if(&a(call)?, operation.has(NEGATE_A));
    let c = negated_if(call.c(), operation.has(NEGATE_C));
    let result = multiply_add(call, &a, call.b(), &c);
    write(call, &result)
}

/// `SFPADD`: one factor must be the constant 1.
#[inline(always)]
pub(super) fn add(call: &mut Call<'_>) -> Result<(), Refusal> {
    refuse_negations(call)?;
    let operation = call.operation;
    if operation.has(INDIRECT_A) {
        return Err(call.unsupported_mode());
    }
    let b = match (operation.a, operation.b) {
        (ONE_REGISTER, b) => b,
        (a, ONE_REGISTER) => a,
        _ => {
            let reason = "no factor is LReg[10], the constant 1 (SFPADD.md): use SFPMAD";
            return Err(call.non_contractual(reason));
        }
    };
    let b = negated_if(call.vectors.register(b), operation.has(NEGATE_A));
    let c = negated_if(call.c(), operation.has(NEGATE_C));
    let result = sum(call, &b, &c);
    write(call, &result)
}

fn sum(call: &Call<'_>, b: &Vector, c: &Vector) -> Vector {
    let lanes = fused::add(call.settings.chip.dialect, &b.lanes, &c.lanes);
    Vector { lanes, unknown: b.unknown | c.unknown }
}

/// a · b, to which 0 is added, or -0.
fn product(call: &Call<'_>, a: &Vector, b: &Vector, zero: u32) -> Vector {
    let lanes = fused::multiply(call.settings.chip.dialect, &a.lanes, &b.lanes, zero);
    Vector { lanes, unknown: a.unknown | b.unknown }
}

fn refuse_summand(call: &Call<'_>) -> Result<(), Refusal> {
    if call.operation.c == ZERO_REGISTER {
        return Ok(());
    }
    Err(call.non_contractual("the summand is not LReg[9], the constant 0: use SFPMAD"))
}

/// `SFPMUL`: the summand must be the constant 0.
#[inline(always)]
pub(super) fn mul(call: &mut Call<'_>) -> Result<(), Refusal> {
    refuse_negations(call)?;
    let operation = call.operation;
    if operation.has(INDIRECT_A) {
        return Err(call.unsupported_mode());
    }
    refuse_summand(call)?;
    let a = negated_if(call.vectors.register(operation.a), operation.has(NEGATE_A));
    let zero = if operation.has(NEGATE_C) { SIGN } else { 0 };
    let result = product(call, &a, call.b(), zero);
    write(call, &result)
}

/// `VC` of the instructions with an immediate, which some chips may negate.
fn operand(call: &Call<'_>) -> Result<Vector, Refusal> {
    let negates = if call.settings.chip.negates { NEGATE_C } else { 0 };
    let mode = call.operation.mode;
    if mode & !(negates | INDIRECT_D) != 0 {
        return Err(call.unimplemented(format!("its mode {mode} is not simulated")));
    }
    Ok(negated_if(call.c(), mode & negates != 0))
}

/// `SFPADDI`.
#[inline(always)]
pub(super) fn addi(call: &mut Call<'_>) -> Result<(), Refusal> {
    let c = operand(call)?;
    let immediate = Vector::of(call.operation.immediate_16() << 16);
    let result = sum(call, &immediate, &c);
    write(call, &result)
}

/// `SFPMULI`.
#[inline(always)]
pub(super) fn muli(call: &mut Call<'_>) -> Result<(), Refusal> {
    let c = operand(call)?;
    let immediate = Vector::of(call.operation.immediate_16() << 16);
    let result = product(call, &immediate, &c, 0);
    write(call, &result)
}

/// Bits of the factors of `SFPMUL24`, and of the halves of their product.
const HALF: u32 = 23;

/// `SFPMUL24`: the low or the high half of the product of two integers of 23 bits.
#[inline(always)]
pub(super) fn mul24(call: &mut Call<'_>) -> Result<(), Refusal> {
    call.refuse_reserved(NEGATE_C)?;
    refuse_summand(call)?;
    let shift = if call.operation.has(1) { HALF } else { 0 };
    let mask = u64::from((1u32 << HALF) - 1);
    let result = map_two(&a(call)?, call.b(), |a, b| {
        let product = (u64::from(a) & mask) * (u64::from(b) & mask);
        (product >> shift & mask) as u32
    });
    write(call, &result)
}

/// A result with the sign of another number in all lanes, if asked for.
#[inline(always)]
pub(super) fn with_sign_of(result: &Vector, number: &Vector, asked: bool) -> Vector {
    if !asked {
        return *result;
    }
    map_two(result, number, |result, number| result & !SIGN | number & SIGN)
}

/// Lanes of three vectors, by the magnitude of a number: below 1, below 2, and others.
#[inline(always)]
pub(super) fn by_magnitude(number: &Vector, [one, two, three]: [&Vector; 3]) -> Vector {
    let below = |limit| lanes_where(&number.lanes, |datum| datum & !SIGN < limit);
    let chosen = choose(below(ONE), one, &choose(below(2 << 29), two, three));
    Vector { unknown: chosen.unknown | number.unknown, ..chosen }
}

/// Writes a result to `VD`, or to the registers that `LReg[7]` names.
#[inline(always)]
pub(super) fn write_result(call: &mut Call<'_>, result: &Vector) -> Result<(), Refusal> {
    write(call, result)
}
