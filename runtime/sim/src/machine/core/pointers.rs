//! Values that a kernel has computed from the pointers of its circular buffers, and from the addresses of buffers among its
//! arguments.
//!
//! An address tells which memory it lies in, and not which memory the kernel meant: a pointer that has run past the end of
//! its circular buffer is an address of the next one, and so is the address of a page that a buffer does not have. So the
//! core follows what a kernel makes of the pointers that it loads from its table, and of its arguments: through sums,
//! alignment, private RAM, and into the registers of the NoC. An argument is followed only if another buffer that the
//! program was given lies right behind its own: else the address tells.
//!
//! Nothing is followed for long, and an instruction that names no such value costs nothing: the words of the table count
//! as unwritten, so that the execution loop stops before the first load of one, as it does for what nobody wrote
//! ([`super::taint`]). Before the first load of an argument the loop stops for the check of grants. After
//! [`MOST_INSTRUCTIONS`] instructions that name such values, all is as if there were none.
//!
//! A value that is computed from several pointers, or may be, tells nothing: the difference of two pointers, an offset, a
//! comparison. After the kernel stores a followed value to L1, where another core may load it, the core follows nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{
    ArgumentMeaning, CircularBufferTable, LaunchDescription, PhysicalCoordinate, Processor,
};

use super::{Core, decode};

/// Instructions that name a followed value, in a launch.
const MOST_INSTRUCTIONS: u32 = 1024;

/// Instructions in which they are followed.
const LONGEST: u64 = 1 << 15;

/// The pointers that a value was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A pointer of the circular buffer with this index, and nothing else but numbers.
    CircularBuffer(u32),
    /// The argument that is the address of the buffer with this number, and nothing else but numbers.
    Buffer(u32),
    /// It may be several, or no pointer any more.
    Uncertain,
}

/// What a core follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointers {
    /// The launch whose start-up code has not filled the table yet.
    awaits: Option<Arc<LaunchDescription>>,
    arguments: Option<Box<FollowedArguments>>,
    followed: Option<Box<Followed>>,
}

/// Arguments of a launch whose values are followed.
#[derive(Clone, Debug)]
struct FollowedArguments {
    launch: Arc<LaunchDescription>,
    /// The address of each, and the number of its buffer.
    words: Vec<(u32, u32)>,
}

/// Bytes between two buffers that lie next to each other: less than the widest alignment of pages.
const WIDEST_GAP: u64 = 64;

impl FollowedArguments {
    /// The arguments of a kernel that are addresses of buffers, if the memory of another buffer that the program was given
    /// lies right behind. Only what cores of data movement do is looked at.
    fn of(launch: &Arc<LaunchDescription>, processor: Processor) -> Option<Self> {
        let moves_data = matches!(processor, Processor::Brisc | Processor::Ncrisc);
        let (kernel, _) = launch.on(processor).filter(|_| moves_data)?;
        let buffers = kernel.arguments().into_iter().flat_map(|arguments| {
            arguments.meanings.iter().filter_map(|(index, meaning)| match meaning {
                ArgumentMeaning::Buffer(number) => Some((arguments.word(*index), *number)),
                ArgumentMeaning::Semaphore
                | ArgumentMeaning::Coordinate
                | ArgumentMeaning::Scratchpad => None,
            })
        });
        let mut words: Vec<(u32, u32)> = buffers.collect();
        // Many arguments may be of one buffer.
        let numbers: BTreeSet<u32> = words.iter().map(|(_, number)| *number).collect();
        let followed: BTreeSet<u32> =
            numbers.into_iter().filter(|number| has_neighbour(launch, *number)).collect();
        words.retain(|(_, number)| followed.contains(number));
        (!words.is_empty()).then(|| Self { launch: Arc::clone(launch), words })
    }
}

/// Whether another buffer of a launch lies right behind one.
fn has_neighbour(launch: &LaunchDescription, number: u32) -> bool {
    // Buffers lie alike in all their banks.
    let extent = launch.buffer(number).and_then(|buffer| buffer.extents.first());
    extent.is_some_and(|extent| {
        let end = extent.range().end;
        let behind = end..end.saturating_add(WIDEST_GAP);
        let others = launch.buffers.iter().filter(|other| other.number != number);
        let mut extents = others.flat_map(|other| &other.extents);
        extents.any(|it| it.tile == extent.tile && behind.contains(&it.start.0))
    })
}

#[derive(Clone, Debug)]
struct Followed {
    launch: Arc<LaunchDescription>,
    /// Instructions that it may still take.
    left: u32,
    /// The core's count of instructions at which nothing is followed any more.
    until: u64,
    /// Words of private RAM that hold such values, by offset.
    words: BTreeMap<usize, Base>,
    /// Registers of the NoC that hold such values: the address of each, the value stored there, and its base.
    stored: Vec<(u32, u32, Base)>,
}

impl Followed {
    fn new(launch: Arc<LaunchDescription>, retired: u64, words: BTreeMap<usize, Base>) -> Self {
        let (left, until) = (MOST_INSTRUCTIONS, retired.saturating_add(LONGEST));
        Self { launch, left, until, words, stored: Vec::new() }
    }

    /// Where the memory begins that a base is the address of.
    fn start(&self, base: Base) -> Option<u64> {
        match base {
            Base::CircularBuffer(index) => {
                self.launch.circular_buffer(index).map(|buffer| buffer.address.into())
            }
            Base::Buffer(number) => self.launch.buffer(number).map(|buffer| buffer.address),
            Base::Uncertain => None,
        }
    }

    /// What the result of an instruction is based on.
    fn result(
        &self,
        operation: u8,
        value: u32,
        bases: [Option<Base>; 2],
        mask: u32,
    ) -> Option<Base> {
        if matches!(operation, decode::SLT | decode::SLTU | decode::SLTI | decode::SLTIU) {
            return None;
        }
        let base = match bases {
            [None, None] => return None,
            [Some(base), None] => match operation {
                decode::ADD | decode::ADDI | decode::SUB | decode::ORI => base,
                // The start of a line, and not the offset within one.
                decode::AND | decode::ANDI if (mask as i32) < 0 => base,
                _ => return Some(Base::Uncertain),
            },
            [None, Some(base)] => match operation {
                decode::ADD | decode::SH1ADD | decode::SH2ADD | decode::SH3ADD => base,
                _ => return Some(Base::Uncertain),
            },
            [Some(_), Some(_)] => return Some(Base::Uncertain),
        };
        // The distance of the pointer from another address is no pointer.
        let is_pointer = self.start(base).is_some_and(|start| start <= value.into());
        Some(if is_pointer { base } else { Base::Uncertain })
    }
}

impl Pointers {
    /// Whether the launch can tell more by pointers than by addresses: a pointer of a circular buffer may reach other memory
    /// that the launch was given. Only what cores of data movement do with pointers is looked at.
    fn tell_more(launch: &LaunchDescription, processor: Processor, at: PhysicalCoordinate) -> bool {
        let moves_data = matches!(processor, Processor::Brisc | Processor::Ncrisc);
        let [first, rest @ ..] = &*launch.circular_buffers else { return false };
        let lies_here = || {
            let mut extents = launch.buffers.iter().flat_map(|buffer| &buffer.extents);
            extents.any(|extent| extent.tile == at)
        };
        let has_neighbour = rest.iter().any(|other| other.address != first.address);
        moves_data && (has_neighbour || lies_here())
    }

    /// What an address was computed from that the core has stored to a register of the NoC.
    pub(crate) fn stored_at(&self, register: u32, value: u32) -> Option<Base> {
        let followed = self.followed.as_ref()?;
        let stored = followed.stored.iter().find(|stored| stored.0 == register)?;
        (stored.1 == value).then_some(stored.2)
    }

    /// Whether the values of arguments are followed.
    pub(crate) const fn follow_arguments(&self) -> bool {
        self.arguments.is_some()
    }
}

/// A load of an argument that is the address of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadedArgument {
    pub(crate) address: u32,
    /// The register that it is loaded into.
    pub(crate) register: usize,
    /// The buffer's number.
    pub(crate) buffer: u32,
}

/// An instruction that may name a followed value, before it is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    decoded: decode::Decoded,
    bases: [Option<Base>; 2],
    /// Where it loads or stores.
    address: u32,
    mask: u32,
}

impl Core {
    /// A launch begins, whose pointers will be followed once start-up code has made them.
    pub(crate) fn await_pointers(
        &mut self,
        launch: &Arc<LaunchDescription>,
        at: PhysicalCoordinate,
    ) {
        self.leave_pointers();
        if Pointers::tell_more(launch, self.processor, at) {
            self.pointers.awaits = Some(Arc::clone(launch));
        }
        self.pointers.arguments = FollowedArguments::of(launch, self.processor).map(Box::new);
    }

    /// The argument that the core's next instruction loads, if its value is followed from there on.
    pub(crate) fn loaded_argument(&self, next: decode::Decoded) -> Option<LoadedArgument> {
        let arguments = self.pointers.arguments.as_ref()?;
        if decode::operation(next) != decode::LW {
            return None;
        }
        let base = self.register(decode::source_1(next));
        let address = base.wrapping_add(decode::immediate(next));
        let (_, buffer) = *arguments.words.iter().find(|word| word.0 == address)?;
        Some(LoadedArgument { address, register: decode::destination(next), buffer })
    }

    /// The core has loaded an argument.
    pub(crate) fn follow_argument(&mut self, loaded: LoadedArgument) {
        self.reaches_registers();
        let Some(arguments) = &self.pointers.arguments else { return };
        if self.pointers.followed.is_none() {
            let launch = Arc::clone(&arguments.launch);
            let followed = Followed::new(launch, self.retired, BTreeMap::new());
            self.pointers.followed = Some(Box::new(followed));
        }
        self.unknown.set_base(loaded.register, Some(Base::Buffer(loaded.buffer)));
    }

    /// Whether the core has to notice its accesses to registers, because it follows pointers or is about to.
    pub(crate) const fn minds_registers(&self) -> bool {
        self.pointers.awaits.is_some() || self.follows_pointers()
    }

    /// The core is about to load from a register, or to store to one. Start-up code fills the table before.
    #[inline]
    pub(crate) fn reaches_registers(&mut self) {
        if self.pointers.awaits.is_some() {
            self.follow_pointers();
        }
    }

    #[cold]
    fn follow_pointers(&mut self) {
        let Some(launch) = self.pointers.awaits.take() else { return };
        let table = launch.on(self.processor).and_then(|(_, image)| image.table);
        let Some(CircularBufferTable {
            address, stride, read_pointer, write_pointer, unit: 1, ..
        }) = table
        else {
            return;
        };
        let mut words = BTreeMap::new();
        for buffer in &launch.circular_buffers {
            let entry =
                buffer.index.checked_mul(stride).and_then(|entry| entry.checked_add(address));
            for field in [read_pointer, write_pointer] {
                let word = entry.and_then(|entry| entry.checked_add(field));
                let Some(offset) = word.and_then(|word| self.private_offset(word)) else {
                    continue;
                };
                let held = self.private.get(offset..).and_then(|bytes| bytes.first_chunk::<4>());
                // Only a table that start-up code has filled says so.
                if held.is_some_and(|held| u32::from_le_bytes(*held) == buffer.address)
                    && offset.is_multiple_of(4)
                    && self.private_poison.is_written::<4>(offset)
                {
                    words.insert(offset, Base::CircularBuffer(buffer.index));
                }
            }
        }
        for offset in words.keys() {
            self.private_poison.mark(*offset);
        }
        self.pointers.followed = Some(Box::new(Followed::new(launch, self.retired, words)));
    }

    /// Follows nothing any more.
    pub(crate) fn leave_pointers(&mut self) {
        self.pointers.awaits = None;
        self.pointers.arguments = None;
        let Some(followed) = self.pointers.followed.take() else { return };
        for offset in followed.words.into_keys() {
            self.private_poison.unmark(offset);
        }
        self.unknown.forget_bases();
    }

    /// The core is about to execute the instructions of a slice.
    pub(crate) fn follow_for_a_while(&mut self) {
        if self.pointers.followed.as_ref().is_some_and(|followed| followed.until < self.retired) {
            self.leave_pointers();
        }
    }

    /// What an instruction at which the execution loop has stopped is about to do with followed values.
    pub(crate) fn before(&mut self, decoded: decode::Decoded) -> Option<Before> {
        let followed = self.pointers.followed.as_mut()?;
        let Some(left) = followed.left.checked_sub(1) else {
            self.leave_pointers();
            return None;
        };
        followed.left = left;
        let [first, second] = [decode::source_1(decoded), decode::source_2(decoded)];
        let mut bases = [first, second].map(|register| self.unknown.base(register));
        let immediate = decode::immediate(decoded);
        let mut mask = self.register(second);
        match decode::operation(decoded) {
            decode::FIRST_OF_ONE..=decode::LAST_OF_ONE => {
                bases[1] = None;
                mask = immediate;
            }
            // Where it goes is not followed.
            decode::AMOSWAP..=decode::AMOMAXU if bases[1].is_some() => {
                self.leave_pointers();
                return None;
            }
            _ => {}
        }
        let address = self.register(first).wrapping_add(immediate);
        Some(Before { decoded, bases, address, mask })
    }

    /// The pointer through which an instruction stores, and the bytes that it stores.
    pub(crate) fn stores_through(before: &Before) -> Option<(Base, (u32, u32))> {
        let size = match decode::operation(before.decoded) {
            decode::SB => 1,
            decode::SH => 2,
            decode::SW => 4,
            _ => return None,
        };
        let [base, _] = before.bases;
        Some((base?, (before.address, size)))
    }

    /// Follows the result of an instruction that has been retired. Call it after the unwritten bits of the result are set:
    /// setting those forgets the base of a register.
    pub(crate) fn after(&mut self, before: Before) {
        let Before { decoded, bases, address, mask } = before;
        let (operation, destination) = (decode::operation(decoded), decode::destination(decoded));
        let value = self.register(destination);
        let offset = self.private_offset(address);
        let Some(followed) = self.pointers.followed.as_mut() else { return };
        match operation {
            decode::LB..=decode::LHU => {
                let word = offset.and_then(|offset| {
                    let aligned = offset & !3;
                    let is_marked = !self.private_poison.is_written::<4>(aligned);
                    followed.words.get(&aligned).filter(|_| is_marked).copied()
                });
                let base = match operation {
                    decode::LW => word,
                    _ => word.map(|_| Base::Uncertain),
                };
                self.unknown.set_base(destination, base);
            }
            decode::SB..=decode::SW => {
                let Some(base) = bases[1] else { return };
                match offset {
                    Some(offset) => {
                        let base = if operation == decode::SW { base } else { Base::Uncertain };
                        followed.words.insert(offset & !3, base);
                        self.private_poison.mark(offset & !3);
                    }
                    // Another core, or this one by another way, may take it from there.
                    None => self.leave_pointers(),
                }
            }
            decode::FIRST_OF_ONE..=decode::LAST_OF_ONE
            | decode::FIRST_OF_TWO..=decode::LAST_OF_TWO => {
                let base = followed.result(operation, value, bases, mask);
                self.unknown.set_base(destination, base);
            }
            _ => {}
        }
    }

    /// The core has stored the value of its next instruction's second operand to a register.
    pub(crate) fn stored_to_register(&mut self, register: usize, (address, value): (u32, u32)) {
        let base = self.unknown.base(register);
        let Some(followed) = self.pointers.followed.as_mut() else { return };
        followed.stored.retain(|stored| stored.0 != address);
        if let Some(base) = base {
            followed.stored.push((address, value, base));
        }
    }

    pub(crate) const fn follows_pointers(&self) -> bool {
        self.pointers.followed.is_some()
    }
}
