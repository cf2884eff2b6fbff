//! Instructions that move counters and banks, and no data.

use super::Executed;
use super::settings::Call;
use crate::Refusal;

/// `SETRWC.md`.
pub(super) fn setrwc(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let mask = call.fields.take(0, 4);
    let values = [6, 10, 14].map(|low| call.fields.take(low, 4));
    let relative = call.fields.take(18, 4);
    let flips = call.fields.take(22, 2);
    call.fields.end()?;
    let word = call.word();
    call.counters.set(word, mask, relative, values)?;
    call.flip(flips)?;
    Ok(Executed::Done)
}

/// `INCRWC.md`.
pub(super) fn incrwc(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let values = [6, 10, 14].map(|low| call.fields.take(low, 4));
    let relative = call.fields.take(18, 3);
    call.fields.end()?;
    let word = call.word();
    call.counters.increment(word, relative, values)?;
    Ok(Executed::Done)
}

/// `CLEARDVALID.md`.
pub(super) fn cleardvalid(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let reset = call.fields.take(0, 2);
    let flips = call.fields.take(22, 2);
    call.fields.end()?;
    if reset & 1 != 0 {
        return Err(call
            .unsupported("Reset takes banks from unpackers that may write them (CLEARDVALID.md)"));
    }
    if reset & 2 != 0 {
        return Err(call.unsupported("KeepReadingSameSrc is not supported (CLEARDVALID.md)"));
    }
    if flips == 0 {
        return Err(call.unsupported("it gives no bank back (CLEARDVALID.md)"));
    }
    call.give_back(flips, false, false)?;
    Ok(Executed::Done)
}

/// `GATESRCRST.md`: the operand cache that it invalidates is always coherent here.
pub(super) fn gatesrcrst(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    call.fields.take(0, 2);
    call.fields.end()?;
    Ok(Executed::Done)
}
