//! The memory of a capture's buffers: identifies the buffers that a program read or wrote.

use std::collections::HashMap;

use hallmark_chip::{ChipDescription, Transfers};
use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, BufferLayout, BufferType, Capture, Command, CommandIndex, Outcome, ShardSpec,
};

use super::lifetimes::Lifetimes;
use super::place::ReadPlace;

/// The buffers of a capture, in the order of creation.
#[derive(Debug)]
pub struct BufferPlaces<'a> {
    chip: &'static ChipDescription,
    buffers: Vec<PlacedBuffer<'a>>,
    /// The commands in which each of them owns its memory.
    lifetimes: Lifetimes,
}

/// A buffer and its memory.
#[derive(Debug)]
pub struct PlacedBuffer<'a> {
    /// Its name in the suite.
    pub name: &'a str,
    buffer_type: BufferType,
    layout: BufferLayout,
    shards: Option<&'a ShardSpec>,
    place: ReadPlace,
}

impl PlacedBuffer<'_> {
    /// Its memory as TT-Metalium's reports write it: `DEV_0_DRAM_INTERLEAVED`.
    pub fn memory(&self) -> String {
        let memory = match self.buffer_type {
            BufferType::Dram => "DRAM",
            BufferType::L1 => "L1",
            BufferType::L1Small => "L1_SMALL",
        };
        let layout = match self.layout {
            BufferLayout::Interleaved => "INTERLEAVED",
            BufferLayout::HeightSharded => "HEIGHT_SHARDED",
            BufferLayout::WidthSharded => "WIDTH_SHARDED",
            BufferLayout::BlockSharded => "BLOCK_SHARDED",
        };
        format!("DEV_0_{memory}_{layout}")
    }

    /// Rows and columns of elements; nothing if it is not sharded, for then it has pages of bytes alone.
    pub fn shape(&self) -> Option<(u64, u64)> {
        let ShardSpec { page_shape, tensor2d_shape_in_pages: pages, .. } = self.shards?;
        let rows = u64::from(pages.height).checked_mul(page_shape.height.into())?;
        let columns = u64::from(pages.width).checked_mul(page_shape.width.into())?;
        Some((rows, columns))
    }

    /// Whether some of its memory was transferred.
    fn is_among(&self, moved: &Transfers) -> bool {
        self.place.spans_on(moved.tile).into_iter().any(|(start, end)| {
            moved.ranges.iter().any(|(from, until)| *from < end && start < *until)
        })
    }
}

impl<'a> BufferPlaces<'a> {
    /// The places of a capture's buffers.
    pub fn of(capture: &'a Capture) -> Self {
        let mut buffers: Vec<PlacedBuffer<'a>> = Vec::new();
        let mut lives: Vec<(CommandIndex, Option<CommandIndex>)> = Vec::new();
        let mut numbers: HashMap<BufferId, usize> = HashMap::new();
        let made = (0..).map(CommandIndex).zip(&capture.program.commands);
        for (index, recorded) in made.filter(|(_, made)| made.outcome == Outcome::Done) {
            match &recorded.command {
                Command::CreateBuffer(call) => {
                    let Some(place) = ReadPlace::of_call(capture, call, &call.name, 0) else {
                        continue;
                    };
                    numbers.insert(call.buffer, buffers.len());
                    lives.push((index, None));
                    buffers.push(PlacedBuffer {
                        name: &call.name,
                        buffer_type: call.buffer_type,
                        layout: call.layout,
                        shards: call.shard_spec.as_ref(),
                        place,
                    });
                }
                Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
                    let number = numbers.get(buffer);
                    if let Some((_, released)) = number.and_then(|&at| lives.get_mut(at)) {
                        *released = Some(index);
                    }
                }
                _ => {}
            }
        }
        Self { chip: capture.chip(), buffers, lifetimes: Lifetimes::new(&lives) }
    }

    /// The buffers whose memory was moved for a command.
    pub fn touched<'s>(
        &'s self,
        command: CommandIndex,
        moved: &[&Transfers],
    ) -> Vec<&'s PlacedBuffer<'a>> {
        let live = self.lifetimes.at(command).into_iter();
        let live = live.filter_map(|number| self.buffers.get(number));
        live.filter(|buffer| moved.iter().any(|moved| buffer.is_among(moved))).collect()
    }

    /// The memory that was moved, if it is of one bank of DRAM or of one core: `DRAM bank 3`.
    pub fn only_bank(&self, moved: &[&Transfers]) -> Option<String> {
        let [first, others @ ..] = moved else { return None };
        if others.iter().any(|other| other.tile != first.tile) {
            return None;
        }
        if let Some(core) = self.chip.logical(first.tile) {
            return Some(format!("L1 of core {core}"));
        }
        let ports = self.chip.dram_tiles.iter().find(|known| known.ports.contains(&first.tile))?;
        let of_tile = (0_u32..).zip(self.chip.dram_banks);
        let of_tile = of_tile.filter(|(_, bank)| ports.ports.contains(&bank.place));
        let holds = |offset: u64| {
            let end = offset.saturating_add(self.chip.dram_bank_size);
            moved
                .iter()
                .flat_map(|it| &it.ranges)
                .all(|(from, until)| offset <= *from && *until <= end)
        };
        let mut banks = of_tile.filter(|(_, bank)| holds(bank.offset));
        banks.next().map(|(number, _)| format!("DRAM bank {number}"))
    }
}
