//! The words for an access to memory that a launch was not given.

use std::sync::Arc;

use hallmark_chip::{
    DescribedBuffer, DescribedExtent, DescribedScratchpad, FaultCategory, FaultMemory,
    LaunchDescription, PhysicalCoordinate, Processor, ReservedUse, TileAddress,
};

use super::super::kernel_name::kernel_name;
use super::{Access, Issuer, What, argument_of};
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{Broken, Mistake, Violation};
use crate::machine::observer::BufferMemory;

/// The memory that an access touches.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Memory that belongs to the runtime.
    Reserved(ReservedUse),
    /// A buffer that was freed.
    Freed(Arc<DescribedBuffer>),
    /// A buffer, and what lies behind it.
    AcrossTheEnd(Arc<DescribedBuffer>),
    /// A buffer's memory behind its last page in the bank.
    BehindPages(Arc<DescribedBuffer>),
    /// A buffer that the launch was not given.
    NotGiven(Arc<DescribedBuffer>),
    /// A buffer that was given, at an address that was computed from that of another one.
    RunsPast { own: Arc<DescribedBuffer>, other: Arc<DescribedBuffer> },
    /// A circular buffer of another program that runs there.
    OtherProgram { index: u32 },
    /// A scratchpad of the kernel, and the memory behind it.
    AcrossScratchpad { argument: u32, size: u64 },
    /// A scratchpad of another kernel.
    OthersScratchpad { kernel: Arc<str>, argument: u32 },
    /// A semaphore that the program has on other tiles, or nowhere.
    Semaphore { number: u32, elsewhere: Option<PhysicalCoordinate> },
    /// An argument that the kernel does not have. Behind the arguments of a core that has no common ones, the address is
    /// that of a common argument, too.
    Argument { common: bool, index: u32, count: u32, or_common: Option<u32> },
    /// No buffer, circular buffer or semaphore.
    Nobodys,
}

/// An access that is refused.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    place: Place,
    /// A buffer that the access reaches further on.
    pub(super) next: Option<Arc<DescribedBuffer>>,
    /// The buffer before the access, and the bytes between them.
    pub(super) before: Option<(Arc<DescribedBuffer>, u64)>,
}

impl Finding {
    pub(super) const fn new(place: Place) -> Self {
        Self { place, next: None, before: None }
    }

    pub(super) fn violation(&self, issuer: Issuer<'_>, access: &Access) -> Violation {
        let kernel = issuer.kernel().map(|kernel| &*kernel.name).filter(|name| !name.is_empty());
        let kernel =
            kernel.map_or_else(|| "a kernel".to_owned(), |name| format!("kernel `{name}`"));
        let memory = FaultMemory {
            tile: access.at,
            address: TileAddress(access.range.start),
            length: access.range.end.saturating_sub(access.range.start).max(1),
        };
        if let Place::Argument { common, index, count, or_common } = self.place {
            let common = if common { "common " } else { "" };
            let given = match count {
                0 => "none on this core".to_owned(),
                1 => "argument 0 alone".to_owned(),
                _ => format!("{count}, arguments 0 to {}", count.saturating_sub(1)),
            };
            let or_common = or_common.map_or_else(String::new, |index| {
                format!(", or common runtime argument {index}, and the host gave it none")
            });
            let reason = format!(
                "{kernel} reads {common}runtime argument {index}, and the host gave it {given}{or_common}: set it, or mend \
                 the index"
            );
            return Violation::new(FaultCategory::ArgumentOutOfRange, reason).about(Some(memory));
        }
        let bytes = match memory.length {
            1 => "1 byte".to_owned(),
            length => format!("{length} bytes"),
        };
        let what = match access.what {
            What::ReadBrings => format!("brings {bytes} of a NoC read to"),
            What::WriteTakes => format!("takes {bytes} of a NoC write from"),
            What::AtomicReturns => "has an atomic's old value brought to".to_owned(),
            What::Reads => format!("reads {bytes} at"),
            What::Writes => format!("writes {bytes} at"),
            What::Increments => "increments".to_owned(),
            What::Loads => format!("loads {bytes} from"),
            What::Stores => format!("stores {bytes} to"),
        };
        let place = self.place(issuer, access);
        let remedy = self.remedy();
        let reason = format!("{kernel} {what} {memory}, {place}: {remedy}");
        Violation::new(FaultCategory::MemoryNotGranted, reason).about(Some(memory))
    }

    fn place(&self, issuer: Issuer<'_>, access: &Access) -> String {
        let named = |buffer: &DescribedBuffer| named(issuer, access, buffer);
        match &self.place {
            Place::Reserved(purpose) => match purpose {
                ReservedUse::Firmware => "where the firmware of that tile lies".to_owned(),
                ReservedUse::Mailbox | ReservedUse::KernelApi => {
                    "in the mailbox of that tile's firmware".to_owned()
                }
                ReservedUse::BankTables => "in the firmware's tables of banks".to_owned(),
                ReservedUse::NoBanks => {
                    "behind the last bank in the firmware's tables of banks: the kernel names a bank of DRAM or L1 by a number \
                     that the chip does not have".to_owned()
                }
                ReservedUse::Launches => {
                    "among the semaphores, arguments and kernels of launches on that tile"
                        .to_owned()
                }
                ReservedUse::Markers => "among the markers of a profile".to_owned(),
            },
            Place::Freed(buffer) => {
                format!("the memory of {}, which has been freed", named(buffer))
            }
            Place::AcrossTheEnd(buffer) => {
                let page = page(buffer, access.at, access.range.start);
                format!("from {page}{} across the end of its memory", named(buffer))
            }
            Place::BehindPages(buffer) => {
                format!("behind the last page of {}", of_page(buffer, access, &named(buffer)))
            }
            Place::NotGiven(buffer) => {
                let page = page(buffer, access.at, access.range.start);
                let why = match stale(issuer, access, buffer) {
                    Some(stale) => format!(
                        "; when the launch was made, {} lay there, which has been freed",
                        named(&stale)
                    ),
                    None => self.behind(issuer, access),
                };
                format!("{page}buffer `{}`, which the launch was not given{why}", buffer.name)
            }
            Place::RunsPast { own, other } => {
                let page = page(other, access.at, access.range.start);
                let own = of_page(own, access, &named(own));
                format!(
                    "behind the end of {own}, from which the kernel has computed the address; {page}{} lies there",
                    named(other)
                )
            }
            Place::OtherProgram { index } => {
                format!("in circular buffer {index} of another program, which runs on that tile")
            }
            Place::AcrossScratchpad { argument, size } => {
                format!(
                    "across the end of the scratchpad of {size} bytes that common argument {argument} makes"
                )
            }
            Place::OthersScratchpad { kernel, argument } => {
                format!(
                    "in the scratchpad that common argument {argument} of kernel `{kernel}` makes for that kernel alone"
                )
            }
            Place::Semaphore { number, elsewhere } => {
                let there = elsewhere.map_or_else(
                    || "on no tile at all".to_owned(),
                    |tile| format!("on other tiles, such as {tile}"),
                );
                format!("semaphore {number}, which the program has {there}")
            }
            Place::Argument { .. } => String::new(),
            Place::Nobodys => {
                let next = self.next.as_ref().map_or_else(String::new, |buffer| {
                    format!(", and then into {}", named(buffer))
                });
                let behind = self.behind(issuer, access);
                format!("which belongs to no buffer, circular buffer or semaphore{next}{behind}")
            }
        }
    }

    /// The given buffer that lies at the address elsewhere, or else the buffer or circular buffer that ends nearest before
    /// the access, or nothing if that is far away.
    fn behind(&self, issuer: Issuer<'_>, access: &Access) -> String {
        if let Some(elsewhere) = elsewhere(issuer, access) {
            return elsewhere;
        }
        let given = issuer.launch().buffers.iter().filter_map(|buffer| {
            let extent = buffer.extents.iter().find(|extent| extent.tile == access.at)?;
            Some((Arc::clone(buffer), access.range.start.checked_sub(extent.range().end)?))
        });
        let is_near = |(buffer, distance): &(Arc<DescribedBuffer>, u64)| {
            *distance <= buffer.page_size.saturating_mul(NEAR_PAGES)
        };
        let nearest = given.chain(self.before.clone()).min_by_key(|(_, distance)| *distance);
        let nearest = nearest.filter(is_near).map(|(buffer, distance)| {
            (distance, of_page(&buffer, access, &named(issuer, access, &buffer)))
        });
        let nearest = program_memory_before(issuer, access)
            .into_iter()
            .chain(nearest)
            .min_by_key(|(distance, _)| *distance);
        nearest.map_or_else(String::new, |(distance, named)| {
            let distance = match distance {
                0 => "right".to_owned(),
                distance => format!("{distance} bytes"),
            };
            format!("; that is {distance} behind the end of {named}")
        })
    }

    const fn remedy(&self) -> &'static str {
        match self.place {
            Place::Freed(_) => {
                "free a buffer after the last launch that uses it, and set arguments anew where its address stands"
            }
            Place::NotGiven(_) => {
                "pass the buffer as an argument, or mend the address or the number of pages"
            }
            Place::AcrossTheEnd(_) | Place::BehindPages(_) | Place::RunsPast { .. } => {
                "mend the address, the length or the number of pages"
            }
            Place::AcrossScratchpad { .. } => {
                "mend the address or the length, or give the scratchpad more bytes"
            }
            Place::OthersScratchpad { .. } => {
                "pass data from kernel to kernel by a circular buffer or a buffer"
            }
            Place::Semaphore { .. } => {
                "create the semaphore on every core that uses it (each needs a kernel of this program), or correct the \
                 coordinates: they must be NoC coordinates"
            }
            Place::OtherProgram { .. } => {
                "programs that run at the same time share memory by buffers alone"
            }
            Place::Reserved(ReservedUse::NoBanks) => {
                "mend the number of the bank, which counts from 0"
            }
            Place::Reserved(_) | Place::Nobodys | Place::Argument { .. } => {
                "mend the address; kernels use buffers, circular buffers and semaphores that the host gave them"
            }
        }
    }
}

/// The fault of a described launch whose kernel makes a mistake that the machine itself takes for a lack of its own.
pub(super) fn mistake_of(
    launch: &LaunchDescription,
    processor: Processor,
    violation: Violation,
) -> Violation {
    let kernel = kernel_name(launch, processor);
    let Broken { reason, mistake, .. } = &*violation;
    let (category, reason) = match mistake {
        Some(Mistake::NamesNothing) if !planted(Defect::NothingIsGranted) => (
            FaultCategory::MemoryNotGranted,
            format!(
                "{kernel} asks for memory that the chip does not have: {reason}; mend the address or the coordinate"
            ),
        ),
        Some(Mistake::StackFull) if !planted(Defect::NothingIsGranted) => (
            FaultCategory::MemoryNotGranted,
            format!("{kernel} has more local variables than its stack holds: {reason}"),
        ),
        Some(Mistake::MalformedRequest(remedy)) => (
            FaultCategory::UndefinedBehavior,
            format!("{kernel} makes a NoC request that no chip carries out: {reason}; {remedy}"),
        ),
        Some(Mistake::NamesNothing | Mistake::StackFull) | None => return violation,
    };
    violation.in_words(category, reason)
}

/// "buffer `dst` (argument 1)".
fn named(issuer: Issuer<'_>, access: &Access, buffer: &DescribedBuffer) -> String {
    let DescribedBuffer { name, number, .. } = buffer;
    let argument = argument_of(issuer, access, *number);
    match (argument, plain_argument_of(issuer, buffer)) {
        (Some(argument), _) => format!("buffer `{name}` ({argument})"),
        (None, Some(argument)) => format!("buffer `{name}` ({argument} is its address)"),
        (None, None) => format!("buffer `{name}`"),
    }
}

/// The only plain argument of the kernel that is the address of a buffer, in words.
fn plain_argument_of(issuer: Issuer<'_>, buffer: &DescribedBuffer) -> Option<String> {
    let kernel = issuer.kernel()?;
    let all = [("", &kernel.unique_arguments), ("common ", &kernel.common_arguments)];
    let mut found = all.into_iter().flat_map(|(kind, arguments)| {
        let plain = (0..arguments.count)
            .filter(|index| !arguments.meanings.iter().any(|(relocated, _)| relocated == index));
        plain.filter_map(move |index| {
            let value = u64::from(issuer.memory.word(arguments.word(index))?);
            let is_its = buffer.extents.iter().any(|extent| extent.start.0 == value);
            is_its.then(|| format!("{kind}argument {index}"))
        })
    });
    found.next().filter(|_| found.next().is_none())
}

/// A text names the buffer before an access up to so many pages behind its end.
pub(super) const NEAR_PAGES: u64 = 64;

/// A buffer or circular buffer of the launch that lies at the address of an access on another tile, or in another kind of
/// memory.
fn elsewhere(issuer: Issuer<'_>, access: &Access) -> Option<String> {
    let given = issuer.launch().buffers.iter().filter(|buffer| {
        // In each channel of DRAM a buffer has the same address.
        buffer.extents.iter().all(|extent| extent.tile != access.at)
    });
    let mut found = given.filter_map(|buffer| {
        let lies = |extent: &&DescribedExtent| extent.range().contains(&access.range.start);
        let extent = buffer.extents.iter().find(lies)?;
        Some(format!(
            "; {} lies there on other tiles, such as {}",
            named(issuer, access, buffer),
            extent.tile
        ))
    });
    found.next().or_else(|| circular_buffer_elsewhere(issuer, access))
}

/// A launch has circular buffers on the tiles on which it runs kernels.
fn circular_buffer_elsewhere(issuer: Issuer<'_>, access: &Access) -> Option<String> {
    let (BufferMemory::L1(tile), at) = (access.memory, access.range.start) else { return None };
    let lies = |address: u32, size: u32| {
        let distance = at.checked_sub(address.into());
        distance.is_some_and(|distance| distance < size.into())
    };
    let mut buffers = issuer.launch().circular_buffers.iter().filter(|_| tile != issuer.tile);
    let found = buffers.find(|it| lies(it.address, it.size))?;
    let text = "of the program lies there on other tiles, on which kernels of the program run";
    Some(format!("; circular buffer {} {text}", found.index))
}

/// The circular buffer of the issuer's launch or the scratchpad of its kernel that ends nearest before an access on the
/// issuer's tile, and the bytes between them.
fn program_memory_before(issuer: Issuer<'_>, access: &Access) -> Option<(u64, String)> {
    if access.memory != BufferMemory::L1(issuer.tile) {
        return None;
    }
    let circular = issuer.launch().circular_buffers.iter().map(|it| {
        let text = format!("circular buffer {} of {} bytes", it.index, it.size);
        (it.address, it.size, text)
    });
    let scratchpads = issuer.kernel().into_iter().flat_map(|kernel| &kernel.scratchpads);
    let scratchpads = scratchpads.map(|&DescribedScratchpad { argument, address, size }| {
        let text = format!("the scratchpad of {size} bytes that common argument {argument} makes");
        (address, size, text)
    });
    let before = circular.chain(scratchpads).filter_map(|(address, size, text)| {
        let end = u64::from(address).saturating_add(size.into());
        let distance = access.range.start.checked_sub(end)?;
        let near = u64::from(size).saturating_mul(2);
        (distance <= near).then_some((distance, text))
    });
    before.min_by_key(|(distance, _)| *distance)
}

/// The number of the page that would lie at an address.
fn page_number(buffer: &DescribedBuffer, at: PhysicalCoordinate, address: u64) -> Option<u64> {
    let extents = buffer.extents.iter().filter(|extent| extent.tile == at);
    let runs = extents.flat_map(|extent| &extent.runs).filter(|run| run.start.0 <= address);
    let run = runs.max_by_key(|run| run.start.0)?;
    let index = address.checked_sub(run.start.0)?.checked_div(run.distance)?;
    Some(run.first.saturating_add(index.saturating_mul(run.step)))
}

/// "page 4 of " or nothing.
fn page(buffer: &DescribedBuffer, at: PhysicalCoordinate, address: u64) -> String {
    let page = page_number(buffer, at, address).filter(|page| *page < buffer.pages);
    page.map_or_else(String::new, |page| format!("page {page} of "))
}

/// "buffer `dst` (argument 1), which has 4 pages; this would be its page 4".
fn of_page(buffer: &DescribedBuffer, access: &Access, named: &str) -> String {
    let DescribedBuffer { pages, sharded, .. } = buffer;
    let would = page_number(buffer, access.at, access.range.start);
    let would = would.filter(|page| *page >= *pages && !*sharded);
    let would =
        would.map_or_else(String::new, |page| format!(", and this would be its page {page}"));
    let s = if *pages == 1 { "" } else { "s" };
    format!("{named}, which has {pages} page{s}{would}")
}

/// The buffer that the launch was given in the memory that another one has by now.
fn stale(
    issuer: Issuer<'_>,
    access: &Access,
    now: &DescribedBuffer,
) -> Option<Arc<DescribedBuffer>> {
    let given = issuer.launch().buffers.iter().filter(|given| given.number != now.number);
    let mut given = given.filter(|given| {
        given
            .extents
            .iter()
            .any(|extent| extent.tile == access.at && extent.range().contains(&access.range.start))
    });
    given.next().map(Arc::clone)
}
