//! Kernels that end with requests under way.
//!
//! Firmware of the vendor does not wait for the requests of a kernel that has returned: the next kernel on the core
//! counts their responses as its own, and whoever was told that the program is done may not find its data. The vendor's
//! watcher stops such a kernel. Hallmark's start-up code waits for them, so that the results of such a kernel do not
//! depend on luck; the kernel is at fault nevertheless.
//!
//! A request is under way if no wait of the kernel after it covers its kind, on the kernel's own NoC. For a write, waiting
//! until it has left is enough, as for the watcher. So is waiting for the answer to an atomic that left behind it, on the
//! same static virtual channel to the same place (NoC/Ordering.md). Reads and atomics must have had their responses. A word that is written
//! to a semaphore of the program needs no wait: the core that waits for the semaphore shows that the word has left, and the
//! program does not end before. Of posted atomics no counter tells. The waits decide, and not how far the requests got: a
//! kernel waits by loading a counter that says that all requests of a kind or of a transaction are done.
//!
//! A kernel has ended at the first load of a counter by the code that runs after `kernel_main`, which only a launch that
//! was described tells ([`DescribedImage::waits_after`](hallmark_chip::DescribedImage::waits_after)).

use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{FaultCategory, KernelRuns, LaunchDescription, Tick};

use super::kernel_name::kernel_name;
use super::noc_counters::{CounterMeaning, Kind, RequestGroup};
use super::per_core::PerCore;
use crate::machine::actor::Actor;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{CoreOrigin, Violation};
use crate::machine::noc::{Channel, DepartureQueue, Operation, Transfer};
use crate::machine::observer::{CoreAt, Observer, Scene};

/// The requests of a core on one NoC that share a kind and a transaction.
#[derive(Debug)]
struct Group {
    requests: RequestGroup,
    /// The way of all those for which the core has not waited, if they share one.
    way: Option<Way>,
    /// So many were issued when the core last found all of them done; when they had left, if that is enough.
    waited: u64,
    /// Writes: so many were issued when the last atomic was that leaves on their way.
    before_atomic: u64,
    last: CoreOrigin,
}

impl Group {
    /// Another one is issued.
    fn issue(&mut self, request: &Transfer) {
        let is_first = self.requests.issued == self.waited;
        let way = way_of(request);
        self.way = way.filter(|_| is_first || self.way == way);
        self.requests.issued += 1;
        self.last = request.origin;
    }

    /// The core finds a counter at a value by which it may wait.
    fn tell(&mut self, told: CounterMeaning) {
        let RequestGroup { kind, issued, sent, done, .. } = self.requests;
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

/// A static virtual channel to one place, and the queue in which a request leaves: requests of one way leave in order.
type Way = (Channel, DepartureQueue);

fn way_of(request: &Transfer) -> Option<Way> {
    request.ordered_on.map(|channel| (channel, request.queue))
}

/// The kernel that runs on a core.
#[derive(Debug)]
struct Kernel {
    launch: Arc<LaunchDescription>,
    noc: u8,
    /// The instructions that run after it.
    after: Vec<Range<u32>>,
}

impl Kernel {
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

#[derive(Debug, Default)]
struct CoreRequests {
    kernel: Option<Kernel>,
    groups: Vec<Group>,
}

impl CoreRequests {
    fn group(&mut self, request: &Transfer) -> Option<&mut Group> {
        self.groups.iter_mut().find(|group| group.requests.holds(request))
    }

    fn tell(&mut self, noc: u8, counter: u8) {
        let Some(told) = CounterMeaning::of(counter.into()) else { return };
        for group in &mut self.groups {
            if group.requests.is_told(noc, told) {
                group.tell(told);
            }
        }
        if told == CounterMeaning::Done(Kind::MarkedAtomic) {
            self.atomics_answered(noc);
        }
    }

    /// The core knows the answers of its atomics. Writes that left before an atomic have left.
    fn atomics_answered(&mut self, noc: u8) {
        let mut atomics = self
            .groups
            .iter()
            .filter(|group| group.requests.noc == noc && group.requests.kind == Kind::MarkedAtomic);
        if !atomics.all(|group| group.waited == group.requests.issued) {
            return;
        }
        for group in self.groups.iter_mut().filter(|group| group.requests.noc == noc) {
            group.waited = group.waited.max(group.before_atomic);
        }
    }

    /// An atomic is issued that leaves behind all writes before it on the same way.
    fn atomic_issued(&mut self, request: &Transfer) {
        let Some(way) = way_of(request) else { return };
        for group in &mut self.groups {
            if group.requests.kind.is_write() && group.way == Some(way) {
                group.before_atomic = group.requests.issued;
            }
        }
    }

    /// The kernel's end, if it leaves requests under way.
    fn violation(&self, kernel: &Kernel, core: CoreAt) -> Option<Violation> {
        let mut left: Vec<Left> = Vec::new();
        for group in &self.groups {
            let RequestGroup { noc, kind, issued, .. } = group.requests;
            let count = issued.saturating_sub(group.waited);
            if count == 0 || noc != kernel.noc || kind == Kind::PostedAtomic {
                continue;
            }
            match left.iter_mut().find(|left| left.kind == kind) {
                Some(same) => {
                    same.count += count;
                    if group.last.retired > same.last.retired {
                        same.last = group.last;
                    }
                }
                None => left.push(Left { kind, count, last: group.last }),
            }
        }
        left.sort_by_key(|left| std::cmp::Reverse(left.last.retired));
        let last = left.first()?.last;
        let kernel = kernel_name(&kernel.launch, core.processor);
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

/// See the module.
#[derive(Debug)]
pub(crate) struct RequestsUnderWay {
    cores: PerCore<CoreRequests>,
    runs: KernelRuns,
}

impl RequestsUnderWay {
    pub(crate) fn new(tiles: usize) -> Self {
        Self { cores: PerCore::new(tiles), runs: KernelRuns::default() }
    }

    /// Kernels whose end is not known.
    pub(crate) const fn runs(&self) -> KernelRuns {
        self.runs
    }

    fn group(&mut self, request: &Transfer) -> Option<&mut Group> {
        self.cores.get_mut(request.issuer?)?.group(request)
    }
}

impl Observer for RequestsUnderWay {
    /// What a kernel before left under way is not the next one's.
    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, _: Tick) {
        let Some(requests) = self.cores.get_mut(core.actor()) else { return };
        requests.kernel = launch.on(core.processor).and_then(|(kernel, image)| {
            let noc = kernel.noc?.index() as u8;
            Some(Kernel { launch: Arc::clone(launch), noc, after: image.waits_after.clone() })
        });
        for group in &mut requests.groups {
            group.waited = group.requests.issued;
        }
    }

    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        _: Tick,
    ) -> Result<(), Violation> {
        if let Some(requests) = self.cores.get_mut(core.actor())
            && let Some(kernel) = requests.kernel.take()
            && kernel.after.is_empty()
        {
            self.runs.of_unknown_end += 1;
        }
        Ok(())
    }

    fn core_held(&mut self, core: CoreAt, _: Option<Actor>) {
        if let Some(requests) = self.cores.get_mut(core.actor()) {
            requests.kernel = None;
        }
    }

    #[inline]
    fn core_loads_counter(
        &mut self,
        core: CoreAt,
        pc: u32,
        (noc, counter): (u8, u8),
    ) -> Result<(), Violation> {
        let Some(requests) = self.cores.get_mut(core.actor()) else { return Ok(()) };
        if let Some(kernel) = &requests.kernel
            && kernel.after.iter().any(|range| range.contains(&pc))
            && !planted(Defect::RequestsLeftUnderWay)
        {
            return requests.violation(kernel, core).map_or(Ok(()), Err);
        }
        requests.tell(noc, counter);
        Ok(())
    }

    fn request_issued(&mut self, request: &Transfer, _: &mut Scene<'_>) -> Result<(), Violation> {
        let Some(requests) = request.issuer.and_then(|issuer| self.cores.get_mut(issuer)) else {
            return Ok(());
        };
        if Kind::of(request.operation, request.marked) == Kind::MarkedAtomic {
            requests.atomic_issued(request);
        }
        let signals = requests.kernel.as_ref().is_some_and(|kernel| kernel.signals(request));
        match requests.group(request) {
            Some(group) if signals => {
                group.requests.issued += 1;
                group.waited += 1;
            }
            Some(group) => group.issue(request),
            None => requests.groups.push(Group {
                requests: RequestGroup { issued: 1, ..RequestGroup::of(request) },
                way: way_of(request).filter(|_| !signals),
                before_atomic: 0,
                waited: u64::from(signals),
                last: request.origin,
            }),
        }
        Ok(())
    }

    #[inline]
    fn request_departs(&mut self, request: &Transfer) {
        if let Some(group) = self.group(request) {
            group.requests.sent += 1;
        }
    }

    #[inline]
    fn request_responds(&mut self, request: &Transfer) {
        if let Some(group) = self.group(request) {
            group.requests.done += 1;
        }
    }
}
