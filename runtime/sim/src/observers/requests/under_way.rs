//! Kernels that end with requests under way.
//!
//! Firmware of the vendor does not wait for the requests of a kernel that has returned: the next kernel on the core
//! counts their responses as its own, and whoever was told that the program is done may not find its data. The vendor's
//! watcher stops such a kernel. Hallmark's start-up code waits for them, so that the results of such a kernel do not
//! depend on luck; the kernel is at fault nevertheless.
//!
//! A request is under way if no wait of the kernel after it covers its kind, on the kernel's own NoC. For a write, waiting
//! until it has left is enough, as for the watcher. So is waiting for the answer to an atomic that left behind it, on the
//! same static virtual channel to the same place (NoC/Ordering.md). Reads and atomics must have had their responses. In
//! the place of an atomic's response, an answer to its effect will do: another core has found the atomic arrived, and
//! the kernel has waited for that core. An answer to a word or an atomic tells as much of the writes that left before it
//! on the same way. A word that is written to a semaphore of the program needs no wait: the core
//! that waits for the semaphore shows that the word has left, and the program does not end before. Of posted atomics no
//! counter tells. The waits decide, and not how far the requests got: a kernel waits by loading a counter that says
//! that all requests of a kind or of a transaction are done.
//!
//! A kernel has ended at the first load of a counter by the code that runs after `kernel_main`, which only a launch that
//! was described tells ([`DescribedImage::waits_after`](hallmark_chip::DescribedImage::waits_after)); or where it returns to
//! firmware, if nothing waits in between ([`LaunchDescription::ends_by_return`]).

use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{FaultCategory, LaunchDescription};

use super::Group;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{CoreOrigin, Violation};
use crate::machine::noc::{Channel, DepartureQueue, Operation, Transfer};
use crate::machine::observer::CoreAt;
use crate::observers::kernel_name::kernel_name;
use crate::observers::noc_counters::{CounterMeaning, Kind, RequestGroup};

/// What is known of a group of requests by the waits of their core.
#[derive(Debug)]
pub(super) struct Waits {
    /// The way of all those for which the core has not waited, if they share one.
    way: Option<Way>,
    /// So many were issued when the core last found all of them done; when they had left, if that is enough.
    waited: u64,
    /// Writes: so many were issued when the last atomic was that leaves on their way.
    before_atomic: u64,
    last: CoreOrigin,
}

impl Waits {
    /// Of a group before its first request, which is this one.
    pub(super) const fn new(first: &Transfer) -> Self {
        Self { way: None, waited: 0, before_atomic: 0, last: first.origin }
    }

    /// What the kernel before left under way is not this one's.
    pub(super) const fn begin(&mut self, requests: &RequestGroup) {
        self.waited = requests.issued;
    }

    /// Another request is about to be issued, of a core that runs a kernel or not.
    pub(super) fn issue(
        &mut self,
        requests: &RequestGroup,
        kernel: Option<&Kernel>,
        request: &Transfer,
    ) {
        if kernel.is_some_and(|kernel| kernel.signals(request)) {
            self.waited += 1;
            return;
        }
        let is_first = requests.issued == self.waited;
        let way = way_of(request);
        self.way = way.filter(|_| is_first || self.way == way);
        self.last = request.origin;
    }

    /// The core finds a counter at a value by which it may wait.
    pub(super) fn tell(&mut self, requests: &RequestGroup, told: CounterMeaning) {
        let RequestGroup { kind, issued, sent, done, .. } = *requests;
        let all = match told {
            CounterMeaning::Done(_) | CounterMeaning::TransactionDone(_) => done,
            CounterMeaning::Sent(_) | CounterMeaning::TransactionSent(_) => {
                if kind.is_write() {
                    sent
                } else {
                    0
                }
            }
        };
        if all == issued {
            self.waited = issued;
        }
    }
}

/// The core knows that all of its requests of a kind have arrived, though no counter has told it.
pub(super) fn have_arrived(groups: &mut [Group], noc: u8, kind: Kind) {
    for Group { requests, waits, .. } in groups.iter_mut() {
        if requests.noc == noc && requests.kind == kind {
            waits.waited = requests.issued;
        }
    }
    atomics_answered(groups, noc);
}

/// The core knows the answers of its atomics. Writes that left before an atomic have left.
pub(super) fn atomics_answered(groups: &mut [Group], noc: u8) {
    let mut atomics = groups
        .iter()
        .filter(|group| group.requests.noc == noc && group.requests.kind == Kind::MarkedAtomic);
    if !atomics.all(|group| group.waits.waited == group.requests.issued) {
        return;
    }
    for group in groups.iter_mut().filter(|group| group.requests.noc == noc) {
        group.waits.waited = group.waits.waited.max(group.waits.before_atomic);
    }
}

/// An atomic is issued that leaves behind all writes before it on the same way.
pub(super) fn atomic_issued(groups: &mut [Group], request: &Transfer) {
    let Some(way) = way_of(request) else { return };
    for group in groups {
        if group.requests.kind.is_write() && group.waits.way == Some(way) {
            group.waits.before_atomic = group.requests.issued;
        }
    }
}

/// A static virtual channel to one place, and the queue in which a request leaves: requests of one way leave in order.
type Way = (Channel, DepartureQueue);

fn way_of(request: &Transfer) -> Option<Way> {
    request.ordered_on.map(|channel| (channel, request.queue))
}

/// The kernel that runs on a core.
#[derive(Debug)]
pub(super) struct Kernel {
    launch: Arc<LaunchDescription>,
    noc: u8,
    /// The instructions that run after it.
    after: Vec<Range<u32>>,
}

impl Kernel {
    /// The kernel of a launch on a core.
    pub(super) fn of(launch: &Arc<LaunchDescription>, core: CoreAt) -> Option<Self> {
        let (kernel, image) = launch.on(core.processor)?;
        let noc = kernel.noc?.index() as u8;
        Some(Self { launch: Arc::clone(launch), noc, after: image.waits_after.clone() })
    }

    /// Whether its end is known.
    pub(super) fn has_known_end(&self) -> bool {
        !self.after.is_empty() || self.ends_by_return()
    }

    /// Whether it ends where it returns.
    pub(super) fn ends_by_return(&self) -> bool {
        self.launch.ends_by_return && !planted(Defect::RequestsLeftUnderWay)
    }

    pub(super) const fn noc(&self) -> u8 {
        self.noc
    }

    /// The kinds of atomics and writes that it leaves under way on its NoC.
    pub(super) fn unanswered(&self, groups: &[Group]) -> Vec<Kind> {
        let left = |kind: &Kind| {
            groups.iter().any(|Group { requests, waits, .. }| {
                requests.noc == self.noc && requests.kind == *kind && requests.issued > waits.waited
            })
        };
        [Kind::MarkedAtomic, Kind::MarkedWrite, Kind::PostedWrite]
            .into_iter()
            .filter(left)
            .collect()
    }

    /// Whether an instruction runs after it.
    pub(super) fn has_ended_at(&self, pc: u32) -> bool {
        self.after.iter().any(|range| range.contains(&pc)) && !planted(Defect::RequestsLeftUnderWay)
    }

    /// Whether a request writes a word to a semaphore, for which another core waits. A program's semaphore has one address
    /// on all of its tiles.
    fn signals(&self, request: &Transfer) -> bool {
        let is_word = match request.operation {
            Operation::Write { length } => length == 4,
            Operation::InlineWrite { .. } => true,
            Operation::Read { .. } | Operation::Atomic { .. } => false,
        };
        let semaphores = &self.launch.semaphores;
        is_word && semaphores.iter().any(|it| u64::from(it.address) == request.address)
    }
}

impl Kernel {
    /// The kernel's end, if it leaves requests under way.
    pub(super) fn violation(&self, groups: &[Group], core: CoreAt) -> Option<Violation> {
        let mut left: Vec<Left> = Vec::new();
        for group in groups {
            let RequestGroup { noc, kind, issued, .. } = group.requests;
            let count = issued.saturating_sub(group.waits.waited);
            if count == 0 || noc != self.noc || kind == Kind::PostedAtomic {
                continue;
            }
            match left.iter_mut().find(|left| left.kind == kind) {
                Some(same) => {
                    same.count += count;
                    if group.waits.last.retired > same.last.retired {
                        same.last = group.waits.last;
                    }
                }
                None => left.push(Left { kind, count, last: group.waits.last }),
            }
        }
        left.sort_by_key(|left| std::cmp::Reverse(left.last.retired));
        let last = left.first()?.last;
        let kernel = kernel_name(&self.launch, core.processor);
        let requests: Vec<String> = left.iter().map(Left::to_string).collect();
        let barriers: Vec<&str> = left.iter().map(Left::barrier).collect();
        let text = format!(
            "{kernel} on {} of tile {} ends with requests under way that no wait of the kernel covers: {}; firmware \
             of TT-Metalium does not wait for them, and the next kernel counts their responses: call {} before \
             kernel_main returns",
            core.processor.name(),
            core.at,
            requests.join(", and "),
            barriers.join(" and "),
        );
        let other = left.get(1).map(|left| left.last.place());
        let violation = Violation::new(FaultCategory::RequestsUnderWay, text);
        Some(violation.broken_at(last.place()).against(other))
    }
}

/// Requests of a kind that a kernel leaves under way.
struct Left {
    kind: Kind,
    count: u64,
    last: CoreOrigin,
}

impl Left {
    const fn barrier(&self) -> &'static str {
        match self.kind {
            Kind::Read => "noc_async_read_barrier",
            Kind::MarkedWrite => "noc_async_write_barrier (or noc_async_writes_flushed)",
            Kind::PostedWrite => "noc_async_posted_writes_flushed",
            Kind::MarkedAtomic | Kind::PostedAtomic => "noc_async_atomic_barrier",
        }
    }
}

/// "a NoC read issued at pc 0x1234", "3 NoC reads, the last at pc 0x1234".
impl std::fmt::Display for Left {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (one, many) = match self.kind {
            Kind::Read => ("a NoC read", "NoC reads"),
            Kind::MarkedWrite => ("a NoC write", "NoC writes"),
            Kind::PostedWrite => ("a posted NoC write", "posted NoC writes"),
            Kind::MarkedAtomic | Kind::PostedAtomic => ("a NoC atomic", "NoC atomics"),
        };
        let Self { count, last: CoreOrigin { pc, .. }, .. } = self;
        match count {
            1 => write!(formatter, "{one} issued at pc {pc:#x}"),
            _ => write!(formatter, "{count} {many}, the last at pc {pc:#x}"),
        }
    }
}
