//! The words for an access to memory that a launch was not given.

use std::sync::Arc;

use hallmark_chip::{
    DescribedBuffer, FaultCategory, FaultMemory, PhysicalCoordinate, ReservedUse, TileAddress,
};

use super::{Access, Issuer, What, argument_of};
use crate::machine::fault::Violation;

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
    /// A circular buffer of another program that runs there.
    OtherProgram { index: u32 },
    /// A semaphore that the program has on other tiles, or nowhere.
    Semaphore { number: u32, elsewhere: Option<PhysicalCoordinate> },
    /// An argument that the kernel does not have.
    Argument { common: bool, index: u32, count: u32 },
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
        if let Place::Argument { common, index, count } = self.place {
            let common = if common { "common " } else { "" };
            let reason = format!(
                "{kernel} reads {common}runtime argument {index}, and the host gave it {count}: arguments count from \
                 0; set it, or mend the index"
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
        let named = |buffer: &DescribedBuffer| named(issuer, buffer);
        match &self.place {
            Place::Reserved(purpose) => match purpose {
                ReservedUse::Firmware => "where the firmware of that tile lies".to_owned(),
                ReservedUse::Mailbox | ReservedUse::KernelApi => {
                    "in the mailbox of that tile's firmware".to_owned()
                }
                ReservedUse::BankTables => "in the firmware's tables of banks".to_owned(),
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
            Place::OtherProgram { index } => {
                format!("in circular buffer {index} of another program, which runs on that tile")
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

    /// The buffer before the access, or the given one that ends nearest before it.
    fn behind(&self, issuer: Issuer<'_>, access: &Access) -> String {
        let given = issuer.launch().buffers.iter().filter_map(|buffer| {
            let extent = buffer.extents.iter().find(|extent| extent.tile == access.at)?;
            Some((Arc::clone(buffer), access.range.start.checked_sub(extent.range().end)?))
        });
        let nearest = given.chain(self.before.clone()).min_by_key(|(_, distance)| *distance);
        nearest.map_or_else(String::new, |(buffer, distance)| {
            let named = of_page(&buffer, access, &named(issuer, &buffer));
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
            Place::AcrossTheEnd(_) | Place::BehindPages(_) => {
                "mend the address, the length or the number of pages"
            }
            Place::Semaphore { .. } => "create the semaphore on all cores that use it",
            Place::OtherProgram { .. } => {
                "programs that run at the same time share memory by buffers alone"
            }
            Place::Reserved(_) | Place::Nobodys | Place::Argument { .. } => {
                "mend the address; kernels use buffers, circular buffers and semaphores that the host gave them"
            }
        }
    }
}

/// "buffer `dst` (argument 1)".
fn named(issuer: Issuer<'_>, buffer: &DescribedBuffer) -> String {
    let argument = issuer.kernel().and_then(|kernel| argument_of(kernel, buffer.number));
    match argument {
        Some(argument) => format!("buffer `{}` ({argument})", buffer.name),
        None => format!("buffer `{}`", buffer.name),
    }
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
