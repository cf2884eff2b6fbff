//! Launches by firmware of another runtime. Its host states what no message tells: see [`StatedProgram`].
//!
//! A core begins a kernel where the message that its firmware has taken says. It ends where the kernel returns to: no
//! start-up code waits for its requests in between.
//!
//! [`StatedProgram`]: hallmark_chip::StatedProgram

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{
    DescribedArguments, DescribedImage, DescribedKernel, DescribedSemaphore, LaunchDescription,
    LaunchMessages, Processor, StatedKernel,
};

use crate::machine::core::Core;
use crate::machine::memory::{LaunchMessage, TileMemory};

/// A core that is about to execute an instruction.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    core: &'a Core,
    returns_to: u32,
}

impl<'a> Caller<'a> {
    /// `returns_to` is the core's return address.
    pub(crate) const fn new(core: &'a Core, returns_to: u32) -> Self {
        Self { core, returns_to }
    }

    pub(super) const fn processor(&self) -> Processor {
        self.core.processor
    }

    /// A core that comes out of reset finds its return address on the stack that firmware has left.
    fn returns_to(&self, layout: LaunchMessages, memory: &TileMemory) -> Option<u32> {
        match (self.core.processor, layout.stack_of_ncrisc) {
            (Processor::Ncrisc, Some(stack)) => {
                let top = self.core.private_offset(memory.word(stack)?)?;
                let word = self.core.private.get(top..)?.first_chunk()?;
                Some(u32::from_le_bytes(*word))
            }
            _ => Some(self.returns_to),
        }
    }
}

/// A kernel that a core begins by a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning {
    /// The message's address.
    pub(super) message: u32,
    pub(super) program: u32,
    pub(super) is_stated: bool,
    pub(super) entry: u32,
    pub(super) returns_to: u32,
}

/// A program on a tile.
#[derive(Debug)]
struct Stated {
    kernels: Vec<StatedKernel>,
    semaphores: Vec<u32>,
}

/// The programs that were stated on a tile.
#[derive(Debug)]
pub(super) struct StatedTile {
    messages: LaunchMessages,
    programs: BTreeMap<u32, Stated>,
}

impl StatedTile {
    pub(super) const fn new(messages: LaunchMessages) -> Self {
        Self { messages, programs: BTreeMap::new() }
    }

    /// From now on, this is what launches of the program have on the tile.
    pub(super) fn state(
        &mut self,
        messages: LaunchMessages,
        program: u32,
        kernels: &[StatedKernel],
        semaphores: &[u32],
    ) {
        self.messages = messages;
        let (kernels, semaphores) = (kernels.to_vec(), semaphores.to_vec());
        self.programs.insert(program, Stated { kernels, semaphores });
    }

    /// The kernel that a core begins, if it begins one.
    pub(super) fn begins(&self, caller: &Caller<'_>, memory: &TileMemory) -> Option<Beginning> {
        let message = LaunchMessage::next(memory, self.messages)?;
        let (entry, _) = message.kernel(caller.processor())?;
        let program = message.program()?;
        let returns_to = caller.returns_to(self.messages, memory)?;
        (entry == caller.core.pc).then_some(Beginning {
            message: message.address(),
            program,
            is_stated: self.programs.contains_key(&program),
            entry,
            returns_to,
        })
    }

    /// The launch that firmware has taken, as its message and the host's statement tell it.
    pub(super) fn launch(&self, memory: &TileMemory) -> Option<LaunchDescription> {
        let message = LaunchMessage::next(memory, self.messages)?;
        let program = message.program()?;
        let Stated { kernels, semaphores } = self.programs.get(&program)?;
        let first = message.semaphores()?;
        let semaphores = semaphores.iter().map(|&number| DescribedSemaphore {
            number,
            address: first.saturating_add(number.saturating_mul(self.messages.semaphore_distance)),
        });
        Some(LaunchDescription {
            version: LaunchDescription::VERSION,
            program,
            kernels: kernels.iter().filter_map(|kernel| described(kernel, message)).collect(),
            circular_buffers: message.circular_buffers(),
            semaphores: semaphores.collect(),
            ends_by_return: true,
            arguments_until: message.end_of_arguments(),
            ..LaunchDescription::default()
        })
    }
}

fn described(kernel: &StatedKernel, message: LaunchMessage<'_>) -> Option<DescribedKernel> {
    let [own, common] = message.arguments(*kernel.processors.first()?);
    let arguments = |address: Option<u32>, count| match address {
        Some(address) => DescribedArguments { address, count, meanings: Vec::new() },
        None => DescribedArguments::default(),
    };
    let images = kernel.processors.iter().filter_map(|&processor| {
        let (entry, code) = message.kernel(processor)?;
        Some(DescribedImage { processor, entry, code, waits_after: Vec::new(), table: None })
    });
    Some(DescribedKernel {
        name: kernel.name.as_str().into(),
        noc: kernel.noc,
        unique_arguments: arguments(own, kernel.arguments),
        common_arguments: arguments(common, kernel.common_arguments),
        numbers: Arc::default(),
        scratchpads: Vec::new(),
        images: images.collect(),
    })
}
