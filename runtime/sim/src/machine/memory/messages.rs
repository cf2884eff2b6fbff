//! Messages in L1 that tell another runtime's firmware of launches: see [`LaunchMessages`].

use std::ops::Range;

use hallmark_chip::{DescribedCircularBuffer, LaunchMessages, Processor};

use super::TileMemory;

/// Words of a circular buffer's entry in its table: address, bytes, pages, bytes of a page.
const CIRCULAR_BUFFER_WORDS: u32 = 4;
/// Bytes of instructions with which a kernel begins at least.
const FIRST_INSTRUCTIONS: u32 = 32;

/// A message, as it lies in L1.
#[derive(Clone, Copy)]
pub(crate) struct LaunchMessage<'a> {
    memory: &'a TileMemory,
    layout: LaunchMessages,
    start: u32,
}

impl<'a> LaunchMessage<'a> {
    /// The message with a number.
    fn new(memory: &'a TileMemory, layout: LaunchMessages, number: u32) -> Option<Self> {
        let (start, _) = layout.message(number)?;
        Some(Self { memory, layout, start })
    }

    /// The message that firmware takes next, or has taken.
    pub(crate) fn next(memory: &'a TileMemory, layout: LaunchMessages) -> Option<Self> {
        Self::new(memory, layout, memory.word(layout.next)?)
    }

    /// Its address.
    pub(crate) const fn address(&self) -> u32 {
        self.start
    }

    fn word(&self, offset: u32) -> Option<u32> {
        self.memory.word(self.start.checked_add(offset)?)
    }

    fn half(&self, offset: u32) -> Option<u32> {
        let start = self.start.checked_add(offset)? as usize;
        let bytes = self.memory.bytes.get(start..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes).into())
    }

    fn base(&self) -> Option<u32> {
        self.word(self.layout.base)
    }

    /// The number of the program.
    pub(crate) fn program(&self) -> Option<u32> {
        self.word(self.layout.program)
    }

    fn runs(&self, processor: Processor) -> bool {
        self.word(self.layout.processors).is_some_and(|bits| bits >> processor.index() & 1 != 0)
    }

    fn of_processor(offset: u32, processor: Processor) -> Option<u32> {
        offset.checked_add(4 * processor.index() as u32)
    }

    /// The kernel of a processor, if it runs one: its first instruction, and its code.
    pub(crate) fn kernel(&self, processor: Processor) -> Option<(u32, Range<u32>)> {
        let of = |offset| self.word(Self::of_processor(offset, processor)?);
        let start = self.base()?.checked_add(of(self.layout.code)?)?;
        let code = start..start.checked_add(of(self.layout.code_size)?)?;
        let copied = match processor {
            Processor::Ncrisc if self.layout.stack_of_ncrisc.is_some() => {
                Some(self.memory.start_of_instruction_ram())
            }
            _ => None,
        };
        self.runs(processor).then_some((copied.unwrap_or(start), code))
    }

    /// The addresses of a processor's own arguments and of its common ones, as far as there are any.
    pub(crate) fn arguments(&self, processor: Processor) -> [Option<u32>; 2] {
        let place = Self::of_processor(self.layout.arguments, processor);
        [0, 2].map(|offset| {
            let place = self.half(place?.checked_add(offset)?)?;
            if place == self.layout.no_arguments.into() {
                None
            } else {
                self.base()?.checked_add(place)
            }
        })
    }

    /// The first byte behind the arguments of all kernels that a kernel may have a reason to load: of tables, if there are
    /// any, or else of the first kernel, which begins with instructions.
    pub(crate) fn end_of_arguments(&self) -> Option<u32> {
        let tables = [self.layout.semaphores, self.layout.circular_buffers];
        let tables = tables.into_iter().filter_map(|place| {
            let place = self.half(place)?;
            self.base()?.checked_add(place)
        });
        let kernels = Processor::ALL.into_iter().filter_map(|processor| self.kernel(processor));
        let (_, code) = kernels.min_by_key(|(_, code)| code.start)?;
        let instructions = code.start.saturating_add(FIRST_INSTRUCTIONS).min(code.end);
        tables.filter(|table| *table < code.start).min().or(Some(instructions))
    }

    /// The address of the first semaphore.
    pub(crate) fn semaphores(&self) -> Option<u32> {
        self.base()?.checked_add(self.half(self.layout.semaphores)?)
    }

    /// The circular buffers of the launch.
    pub(crate) fn circular_buffers(&self) -> Vec<DescribedCircularBuffer> {
        let (Some(base), Some(place)) = (self.base(), self.half(self.layout.circular_buffers))
        else {
            return Vec::new();
        };
        let mask = self.layout.circular_buffer_mask;
        let bits = [mask, mask.saturating_add(4)].map(|offset| self.word(offset).unwrap_or(0));
        let bits = u64::from(bits[1]) << 32 | u64::from(bits[0]);
        let indices = (0..u64::BITS).filter(|index| bits >> index & 1 != 0);
        indices
            .filter_map(|index| {
                let entry = 4 * CIRCULAR_BUFFER_WORDS * index;
                let entry = base.checked_add(place)?.checked_add(entry)?;
                let word = |number: u32| self.memory.word(entry.checked_add(4 * number)?);
                Some(DescribedCircularBuffer {
                    index,
                    address: word(0)?,
                    size: word(1)?,
                    page_size: word(3)?,
                    pages: word(2)?,
                    buffer: None,
                })
            })
            .collect()
    }
}

/// The instructions at which kernels of the messages begin.
pub(super) fn entries(memory: &TileMemory, layout: LaunchMessages) -> Vec<u32> {
    let messages =
        (0..layout.count).filter_map(|number| LaunchMessage::new(memory, layout, number));
    let kernels = messages.flat_map(|message| {
        Processor::ALL.into_iter().filter_map(move |processor| message.kernel(processor))
    });
    kernels.map(|(entry, _)| entry).collect()
}
