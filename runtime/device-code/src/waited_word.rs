//! The meaning of a word that a core waits for, so that a deadlock report uses the host program's terms.

use hallmark_chip::{ChipDescription, CoprocessorWord, Noc};

/// A word that kernels wait for. Overlay streams hold the page counts of circular buffers, one stream per
/// index: `cb_received_register` and `cb_acknowledged_register` of the kernels' headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitedWord {
    /// Pages pushed into the circular buffer with this index so far: `cb_wait_front` reads it.
    PagesReceived(u32),
    /// Pages popped from the circular buffer with this index so far: `cb_reserve_back` reads it.
    PagesAcknowledged(u32),
    /// A counter of the tile's own interface to a NoC, for which barriers wait.
    NocCounter(Noc, NocCounter),
    /// State of the Tensix coprocessor.
    Coprocessor(CoprocessorWord),
}

/// A counter of a NoC interface that the kernel API waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NocCounter {
    /// Responses to atomics: `noc_async_atomic_barrier` waits for them.
    AtomicResponses,
    /// Acknowledgements of writes, one from each written tile: `noc_async_write_barrier`.
    WriteAcknowledgements,
    /// Responses to reads: `noc_async_read_barrier`.
    ReadResponses,
    /// Writes that want an acknowledgement and have left: `noc_async_writes_flushed`.
    WritesSent,
    /// Posted writes that have left: `noc_async_posted_writes_flushed`.
    PostedWritesSent,
}

impl NocCounter {
    /// Every counter, with its index among the interface's counters.
    const ALL: [(Self, u32); 5] = [
        (Self::AtomicResponses, 0),
        (Self::WriteAcknowledgements, 1),
        (Self::ReadResponses, 2),
        (Self::WritesSent, 10),
        (Self::PostedWritesSent, 11),
    ];

    /// The register's name in TT-Metalium's `noc_parameters.h`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AtomicResponses => "NIU_MST_ATOMIC_RESP_RECEIVED",
            Self::WriteAcknowledgements => "NIU_MST_WR_ACK_RECEIVED",
            Self::ReadResponses => "NIU_MST_RD_RESP_RECEIVED",
            Self::WritesSent => "NIU_MST_NONPOSTED_WR_REQ_SENT",
            Self::PostedWritesSent => "NIU_MST_POSTED_WR_REQ_SENT",
        }
    }

    /// The counted item: `acknowledgements of writes`.
    pub const fn counts(self) -> &'static str {
        match self {
            Self::AtomicResponses => "responses to atomics",
            Self::WriteAcknowledgements => "acknowledgements of writes",
            Self::ReadResponses => "responses to reads",
            Self::WritesSent => "writes that have left",
            Self::PostedWritesSent => "posted writes that have left",
        }
    }

    fn at(chip: &ChipDescription, address: u32) -> Option<WaitedWord> {
        Noc::ALL.into_iter().zip(chip.noc.base).find_map(|(noc, base)| {
            let offset = address.checked_sub(base)?.checked_sub(chip.noc.offsets.counters)?;
            let (counter, _) = Self::ALL.into_iter().find(|(_, index)| index * 4 == offset)?;
            Some(WaitedWord::NocCounter(noc, counter))
        })
    }
}

impl WaitedWord {
    /// The meaning of the word at a tile address of a chip, if it is one of these.
    pub fn at(chip: &ChipDescription, address: u64) -> Option<Self> {
        let overlay = &chip.overlay;
        let address = u32::try_from(address).ok()?;
        if let Some(counter) = NocCounter::at(chip, address) {
            return Some(counter);
        }
        if let Some(word) = CoprocessorWord::at(address.into()) {
            return Some(Self::Coprocessor(word));
        }
        let offset = address.checked_sub(overlay.base)?;
        let index = offset.checked_div(overlay.stride).filter(|i| *i < chip.circular_buffers)?;
        let register = offset.checked_rem(overlay.stride)?;
        if register == overlay.buffer_size {
            Some(Self::PagesReceived(index))
        } else if register == overlay.buffer_start {
            Some(Self::PagesAcknowledged(index))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    #[test]
    fn agrees_with_the_kernels_headers() {
        let grayskull = include_str!("../../firmware/architectures/grayskull/hallmark/chip.h");
        let wormhole = include_str!("../../firmware/architectures/wormhole_b0/hallmark/chip.h");
        let blackhole = include_str!("../../firmware/architectures/blackhole/hallmark/chip.h");
        let headers = [grayskull, wormhole, blackhole];
        for (architecture, header) in Architecture::ALL.into_iter().zip(headers) {
            let chip = ChipDescription::of(architecture);
            let (start, size) = (chip.overlay.buffer_start, chip.overlay.buffer_size);
            for (name, offset) in [("Start", start), ("Size", size)] {
                let line = format!("kOverlayRemoteDestBuf{name} = {} * 4;", offset / 4);
                assert!(header.contains(&line), "{architecture}: {line}");
            }
            let stream = |index: u64| 0xFFB4_0000 + 0x1000 * index;
            let at = |address| WaitedWord::at(chip, address);
            assert_eq!(at(stream(0) + u64::from(size)), Some(WaitedWord::PagesReceived(0)));
            assert_eq!(at(stream(5) + u64::from(start)), Some(WaitedWord::PagesAcknowledged(5)));
            let registers = include_str!("../../firmware/include/hallmark/registers.h");
            for (name, counter) in [
                ("kNocAtomicResponses", NocCounter::AtomicResponses),
                ("kNocWriteAcks", NocCounter::WriteAcknowledgements),
                ("kNocReadResponses", NocCounter::ReadResponses),
                ("kNocWritesSent", NocCounter::WritesSent),
                ("kNocPostedWritesSent", NocCounter::PostedWritesSent),
            ] {
                let line = registers.lines().find(|line| line.contains(&format!(" {name} = ")));
                let value = line.unwrap().split_once("= 0x").unwrap().1.trim_end_matches(';');
                let offset = u64::from_str_radix(value, 16).unwrap();
                for (noc, base) in Noc::ALL.into_iter().zip([0xFFB2_0000, 0xFFB3_0000]) {
                    assert_eq!(at(base + offset), Some(WaitedWord::NocCounter(noc, counter)));
                }
            }
            let semaphore = CoprocessorWord::Semaphore(5);
            assert_eq!(at(0xFFE8_0034), Some(WaitedWord::Coprocessor(semaphore)));
            for other in [0, 0xFFB2_020C, 0xFFB4_0004, stream(64) + u64::from(size), u64::MAX] {
                assert_eq!(at(other), None);
            }
        }
    }
}
