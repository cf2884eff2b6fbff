//! Counters of NoC interfaces that a core loads again and again until they change.

use hallmark_chip::Processor;

const CORES: usize = Processor::ALL.len();

/// The counter that each core loaded last, until something changes that a counter could tell.
///
/// A core that polls learns nothing from a load that it has made before, at the same instruction and of the same counter,
/// if since then no request was issued, left, or had its response, and no launch began or ended. Such a load needs no
/// observer, and most loads of counters are such.
#[derive(Debug, Default)]
pub(crate) struct Heard([Option<Load>; CORES]);

#[derive(Clone, Copy, Debug)]
struct Load {
    pc: u32,
    address: u32,
    value: u32,
}

impl Heard {
    /// The value, if this load was the core's last one.
    #[inline]
    pub(super) fn again(&self, core: usize, (pc, address): (u32, u32)) -> Option<u32> {
        let load = self.0.get(core)?.as_ref()?;
        (load.pc == pc && load.address == address).then_some(load.value)
    }

    /// A core has loaded a counter.
    pub(crate) fn keep(&mut self, core: usize, (pc, address): (u32, u32), value: u32) {
        if let Some(load) = self.0.get_mut(core) {
            *load = Some(Load { pc, address, value });
        }
    }

    /// Something has changed.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.0 = [None; CORES];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_hears_its_own_last_load_until_something_changes() {
        let mut heard = Heard::default();
        heard.keep(1, (0x100, 0xFFB2_0200), 7);
        assert_eq!(heard.again(1, (0x100, 0xFFB2_0200)), Some(7));
        // Another instruction, another counter, another core, and a core that no tile has.
        assert_eq!(heard.again(1, (0x104, 0xFFB2_0200)), None);
        assert_eq!(heard.again(1, (0x100, 0xFFB2_0204)), None);
        assert_eq!(heard.again(0, (0x100, 0xFFB2_0200)), None);
        assert_eq!(heard.again(CORES, (0x100, 0xFFB2_0200)), None);
        heard.keep(4, (0x200, 0xFFB3_0208), 9);
        assert_eq!(heard.again(1, (0x100, 0xFFB2_0200)), Some(7));
        heard.keep(1, (0x108, 0xFFB2_0208), 8);
        assert_eq!(heard.again(1, (0x100, 0xFFB2_0200)), None);
        heard.forget();
        assert_eq!(heard.again(1, (0x108, 0xFFB2_0208)), None);
        assert_eq!(heard.again(4, (0x200, 0xFFB3_0208)), None);
    }
}
