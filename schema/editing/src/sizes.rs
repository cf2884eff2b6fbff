//! Edits that shrink buffers, with every number that states their size.

use std::collections::BTreeSet;

use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferLayout, Command, Data, Expectation, KernelId, ObjectKind,
    ProgramId, SharedBytes,
};

use crate::draft::Draft;

/// The smallest number that a compile-time argument is assumed to refer to by equality.
const MEANT: u64 = 16;

/// The page count and page size of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    pages: u64,
    page_size: u64,
}

impl Size {
    /// The total size, bytes.
    const fn bytes(self) -> u64 {
        self.pages.saturating_mul(self.page_size)
    }

    /// The numbers that state the size.
    const fn numbers(self) -> [u64; 3] {
        [self.bytes(), self.page_size, self.pages]
    }
}

/// Shrinks buffers, or changes nothing and returns `false`.
pub(crate) fn resize(
    buffers: &[BufferId],
    pages: u64,
    page_size: u64,
    draft: &mut Draft<'_>,
) -> bool {
    let mut resized = draft.clone();
    let after = Size { pages, page_size };
    let fits = Resizing::of(buffers, after, &resized).is_some_and(|it| it.apply(&mut resized));
    if fits {
        *draft = resized;
    }
    fits
}

struct Resizing {
    buffers: BTreeSet<BufferId>,
    before: Size,
    after: Size,
    /// Kernels that get an address of one of the buffers, and their programs.
    kernels: BTreeSet<KernelId>,
    programs: BTreeSet<ProgramId>,
}

impl Resizing {
    fn of(buffers: &[BufferId], after: Size, draft: &Draft<'_>) -> Option<Self> {
        let buffers: BTreeSet<BufferId> = buffers.iter().copied().collect();
        let mut sizes = BTreeSet::new();
        let mut kernels = BTreeSet::new();
        let mut programs = BTreeSet::new();
        for command in &draft.commands {
            let command = &command.recorded.command;
            match command {
                Command::CreateBuffer(call) if buffers.contains(&call.buffer) => {
                    if call.layout != BufferLayout::Interleaved {
                        return None;
                    }
                    sizes.insert((call.size, call.page_size));
                }
                Command::CreateBufferView(call) if buffers.contains(&call.parent) => return None,
                _ => {}
            }
            let names_one = command.refers_to_any(&buffers);
            if let (true, Some(kernel)) = (names_one, command.kernel_of_arguments()) {
                kernels.insert(kernel);
            }
        }
        for command in &draft.commands {
            if let Command::CreateKernel(call) = &command.recorded.command
                && kernels.contains(&call.kernel)
            {
                programs.insert(call.program);
            }
        }
        let mut sizes = sizes.into_iter();
        let (size, page_size) = sizes.next()?;
        let before = Size { pages: size.checked_div(page_size)?, page_size };
        let shrinks = after.pages > 0
            && after.page_size > 0
            && after.pages <= before.pages
            && after.page_size <= before.page_size
            && after != before;
        (sizes.next().is_none() && shrinks).then_some(Self {
            buffers,
            before,
            after,
            kernels,
            programs,
        })
    }

    /// The number that replaces an old one.
    fn number(&self, number: u64) -> Option<u64> {
        let pairs = self.before.numbers().into_iter().zip(self.after.numbers());
        let mut changed = pairs.filter(|(before, after)| before != after);
        changed.find(|(before, _)| *before == number).map(|(_, after)| after)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> bool {
        let (base, added) = (draft.base, &mut draft.added);
        draft.commands.iter_mut().all(|command| match &mut command.recorded.command {
            Command::CreateBuffer(call) if self.buffers.contains(&call.buffer) => {
                (call.size, call.page_size) = (self.after.bytes(), self.after.page_size);
                true
            }
            Command::EnqueueWriteBuffer(call) if self.buffers.contains(&call.buffer) => {
                let Some(region) = call.region else {
                    let length = self.after.bytes();
                    let Some(bytes) = shortened(&call.data, length, base, added) else {
                        return false;
                    };
                    call.data = bytes;
                    return true;
                };
                region.lies_within(self.after.bytes()) && region.is_paged(self.after.page_size)
            }
            Command::EnqueueReadBuffer(call) if self.buffers.contains(&call.buffer) => {
                let fits = call.region.is_none_or(|region| {
                    region.lies_within(self.after.bytes()) && region.is_paged(self.after.page_size)
                });
                if !matches!(call.expectation, Expectation::Unchecked { .. }) {
                    call.expectation = Expectation::AsCaptured;
                }
                fits
            }
            Command::CreateKernel(call) if self.kernels.contains(&call.kernel) => {
                let words = call.compile_args.iter().chain(call.named_compile_args.values());
                let names = call.bindings.iter().flat_map(|bindings| &bindings.names);
                let words = words.chain(names.flat_map(|binding| &binding.values));
                !words
                    .map(|word| u64::from(*word))
                    .any(|word| word >= MEANT && self.number(word).is_some())
            }
            Command::CreateCircularBuffer(call) if self.programs.contains(&call.program) => {
                if self.after.page_size == self.before.page_size {
                    return true;
                }
                let old = u32::try_from(self.before.page_size).ok();
                if !call.indices.iter().all(|index| Some(index.page_size) == old) {
                    return true;
                }
                let Ok(page_size) = u32::try_from(self.after.page_size) else { return false };
                let pages = call.total_size.checked_div(self.before.page_size).unwrap_or(1);
                call.total_size = pages.saturating_mul(self.after.page_size);
                call.indices.iter_mut().for_each(|index| index.page_size = page_size);
                true
            }
            Command::SetRuntimeArgs(call) if self.kernels.contains(&call.kernel) => {
                for set in &mut call.args {
                    self.words(&mut set.values, &set.relocations);
                }
                true
            }
            Command::SetCommonRuntimeArgs(call) if self.kernels.contains(&call.kernel) => {
                self.words(&mut call.values, &call.relocations);
                true
            }
            Command::UpdateCommonRuntimeArgs(call) if self.kernels.contains(&call.kernel) => {
                self.words(&mut call.values, &call.relocations);
                true
            }
            _ => true,
        })
    }

    fn words(&self, values: &mut [u32], relocations: &[ArgumentRelocation]) {
        for (index, word) in (0..).zip(values) {
            let is_plain = relocations.iter().all(|relocation| relocation.index != index);
            let changed = self.number(u64::from(*word)).filter(|_| is_plain);
            if let Some(changed) = changed.and_then(|changed| u32::try_from(changed).ok()) {
                *word = changed;
            }
        }
    }
}

/// The first bytes of data, if the data are available.
fn shortened(
    data: &Data,
    length: u64,
    base: &hallmark_schema::model::Capture,
    added: &mut hallmark_schema::model::Blobs,
) -> Option<Data> {
    if let Some(generator) = data.generator {
        return Some(Data::generated(generator, length));
    }
    let bytes = data.bytes(&base.blobs).or_else(|_| data.bytes(added)).ok()?;
    let bytes = bytes.get(..usize::try_from(length).ok()?)?.to_vec();
    let shorter = Data::blob(&bytes);
    added.insert(shorter.hash, SharedBytes::from(bytes));
    Some(shorter)
}

/// The arguments of kernels in a call.
trait Arguments {
    /// Whether the call refers to one of these buffers.
    fn refers_to_any(&self, buffers: &BTreeSet<BufferId>) -> bool;

    /// The kernel whose arguments the call sets.
    fn kernel_of_arguments(&self) -> Option<KernelId>;
}

impl Arguments for Command {
    fn refers_to_any(&self, buffers: &BTreeSet<BufferId>) -> bool {
        let mut refers = false;
        self.for_each_reference(|_, kind, id| {
            refers |= kind == ObjectKind::Buffer && buffers.contains(&BufferId(id));
        });
        refers
    }

    fn kernel_of_arguments(&self) -> Option<KernelId> {
        match self {
            Self::SetRuntimeArgs(call) => Some(call.kernel),
            Self::SetCommonRuntimeArgs(call) => Some(call.kernel),
            Self::UpdateCommonRuntimeArgs(call) => Some(call.kernel),
            _ => None,
        }
    }
}
