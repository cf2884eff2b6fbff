//! Kernels that wait by the count of a transaction identifier which may have wrapped.
//!
//! A NoC interface counts the requests under way with each identifier, and the writes that have not left, in 8 bits
//! each; with more of them the count wraps (NoC/Counters.md). A count that nobody reads may wrap: a kernel that never
//! names an identifier makes all its requests with number 0. So a kernel is at fault that reads such a count after it has
//! made more requests than the count holds since it last knew them to be fewer: from the count itself, or from a counter
//! which says that all requests of a kind are done, as the barriers do that name no identifier.
//!
//! A multicast counts as one request, and each of its receivers lowers the count by one when it answers
//! (NoC/Counters.md), so that the count of its identifier is wrong from then on, until a kernel sets it back to 0.
//!
//! How many of those requests are still under way is luck and does not matter. What the core's neighbours do on the same
//! interface depends on the schedule and is not looked at.

use hallmark_chip::{FaultCategory, FaultPlace};

use super::{CoreRequests, Group};
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{CoreOrigin, Violation};
use crate::machine::noc::{Operation, Transfer, counter};
use crate::machine::observer::CoreAt;
use crate::observers::kernel_name::kernel_name;
use crate::observers::noc_counters::{CounterMeaning, Kind, RequestGroup};

/// A multicast that has more than one receiver.
#[derive(Clone, Copy, Debug)]
struct Multicast {
    origin: CoreOrigin,
    receivers: usize,
    /// A launch before the present one has issued it.
    is_earlier: bool,
}

/// Requests by which a count may be too great, as far as their core knows.
#[derive(Debug, Default)]
struct Counted {
    made: u64,
    /// The request that goes beyond what a count holds.
    beyond: Option<CoreOrigin>,
}

impl Counted {
    fn add(&mut self, request: &Transfer, others: u64) {
        self.made += 1;
        if self.made + others > HELD {
            self.beyond.get_or_insert(request.origin);
        }
    }

    /// The core knows that no more than this number are left.
    fn lower(&mut self, left: u64) {
        self.made = self.made.min(left);
        self.beyond = None;
    }
}

/// The most that a count of an identifier holds.
const HELD: u64 = counter::GREATEST_BY_TRANSACTION as u64;

/// What a core knows of the counts of a group of its requests.
#[derive(Debug, Default)]
pub(super) struct Counts {
    under_way: Counted,
    leaving: Counted,
    /// The first multicast since the count of requests under way was 0 by a store.
    multicast: Option<Multicast>,
}

impl Counts {
    /// What ran before has waited for its requests, or is at fault by itself.
    pub(super) fn begin(&mut self) {
        self.under_way.lower(0);
        self.leaving.lower(0);
        if let Some(multicast) = &mut self.multicast {
            multicast.is_earlier = true;
        }
    }

    /// The core reads a counter that tells of the group.
    pub(super) fn tell(&mut self, requests: &RequestGroup, told: CounterMeaning) {
        let RequestGroup { issued, sent, done, .. } = *requests;
        let (under_way, leaving) = (issued.saturating_sub(done), issued.saturating_sub(sent));
        match told {
            CounterMeaning::Done(_) if under_way == 0 => {
                self.under_way.lower(0);
                self.leaving.lower(0);
            }
            CounterMeaning::Sent(_) if leaving == 0 => self.leaving.lower(0),
            CounterMeaning::Done(_) | CounterMeaning::Sent(_) => {}
            CounterMeaning::TransactionDone(_) => self.under_way.lower(under_way),
            CounterMeaning::TransactionSent(_) => self.leaving.lower(leaving),
        }
    }
}

fn shares_count(requests: &RequestGroup, noc: u8, transaction: usize) -> bool {
    requests.noc == noc && requests.transaction == transaction
}

/// A request of the group at this place is about to be issued.
pub(super) fn issue(groups: &mut [Group], place: usize, request: &Transfer) {
    let is_counted = match request.operation {
        Operation::Read { .. } => true,
        Operation::Write { .. } | Operation::InlineWrite { .. } | Operation::Atomic { .. } => {
            request.marked
        }
    };
    let noc = request.noc.index() as u8;
    let (mut under_way, mut leaving) = (0, 0);
    for (number, group) in groups.iter().enumerate() {
        if number != place && shares_count(&group.requests, noc, request.transaction) {
            under_way += group.counts.under_way.made;
            leaving += group.counts.leaving.made;
        }
    }
    if let Some(group) = groups.get_mut(place) {
        if is_counted {
            group.counts.under_way.add(request, under_way);
            let receivers = request.targets.tiles().len();
            if receivers > 1 {
                let multicast = Multicast { origin: request.origin, receivers, is_earlier: false };
                group.counts.multicast.get_or_insert(multicast);
            }
        }
        if matches!(request.operation, Operation::Write { .. }) {
            group.counts.leaving.add(request, leaving);
        }
    }
}

/// The core has set the counts of requests under way with these identifiers back to 0.
pub(super) fn clear(groups: &mut [Group], noc: u8, identifiers: u32) {
    for Group { requests, counts, .. } in groups {
        if requests.noc == noc && identifiers >> requests.transaction & 1 == 1 {
            counts.multicast = None;
        }
    }
}

/// The fault of a core that reads a count which is wrong, or may be.
pub(super) fn wrong(
    requests: &CoreRequests,
    wait: (CoreAt, u32),
    told: (u8, CounterMeaning),
) -> Option<Violation> {
    wrapped(requests, wait, told).or_else(|| spoiled(requests, wait, told))
}

fn place_of_wait(core: CoreAt, pc: u32) -> FaultPlace {
    FaultPlace { processor: Some(core.processor), pc: Some(pc), ..FaultPlace::of_tile(core.at) }
}

/// The fault of a kernel that reads a count which a multicast has made wrong. Code that is no kernel may look at such counts.
fn spoiled(
    requests: &CoreRequests,
    (core, pc): (CoreAt, u32),
    (noc, told): (u8, CounterMeaning),
) -> Option<Violation> {
    let CounterMeaning::TransactionDone(transaction) = told else { return None };
    let launch = requests.launch.as_ref()?;
    let groups = requests.groups.iter();
    let mut counted = groups.filter(|group| shares_count(&group.requests, noc, transaction));
    let Multicast { origin, receivers, is_earlier } =
        counted.find_map(|group| group.counts.multicast)?;
    if planted(Defect::MulticastsKeepCountsRight) {
        return None;
    }
    let of = if is_earlier { " of a kernel before it" } else { "" };
    let text = format!(
        "{} on {} of tile {} waits at pc {pc:#x} by the count of transaction identifier {transaction} on NoC {noc}, which a \
         multicast{of} to {receivers} receivers has made wrong: it counts as one request, and each receiver that answers \
         lowers the count by one (NoC/Counters.md): wait with noc_async_write_barrier, or call noc_async_write_set_trid(0) \
         before multicasts",
        kernel_name(launch, core.processor),
        core.processor.name(),
        core.at,
    );
    let wait = place_of_wait(core, pc);
    let violation = Violation::new(FaultCategory::TransactionOverflow, text);
    Some(if is_earlier {
        violation.broken_at(wait)
    } else {
        violation.broken_at(origin.place()).against(Some(wait))
    })
}

/// The fault of a core that reads a count which may have wrapped.
fn wrapped(
    requests: &CoreRequests,
    (core, pc): (CoreAt, u32),
    (noc, told): (u8, CounterMeaning),
) -> Option<Violation> {
    let (transaction, is_done) = match told {
        CounterMeaning::TransactionDone(transaction) => (transaction, true),
        CounterMeaning::TransactionSent(transaction) => (transaction, false),
        CounterMeaning::Done(_) | CounterMeaning::Sent(_) => return None,
    };
    let counted =
        requests.groups.iter().filter(|group| shares_count(&group.requests, noc, transaction));
    let counted = counted.map(|group| {
        (group.requests.kind, if is_done { &group.counts.under_way } else { &group.counts.leaving })
    });
    let (mut made, mut beyond, mut only_reads) = (0, None, true);
    for (kind, Counted { made: of_kind, beyond: first }) in counted {
        made += of_kind;
        only_reads &= kind == Kind::Read || *of_kind == 0;
        beyond = beyond.into_iter().chain(*first).min_by_key(|origin| origin.retired);
    }
    if made <= HELD || planted(Defect::TransactionsWithoutLimit) {
        return None;
    }
    let kernel = match &requests.launch {
        Some(launch) => kernel_name(launch, core.processor),
        None => "the code".to_owned(),
    };
    let barrier = match (only_reads, is_done) {
        (true, _) => "noc_async_read_barrier",
        (false, true) => "noc_async_write_barrier",
        (false, false) => "noc_async_writes_flushed",
    };
    let counted_kind = if only_reads { Kind::Read } else { Kind::MarkedWrite };
    let of_identifier = counted_kind.wait_by_identifier(is_done).unwrap_or(barrier);
    let state = if is_done { "under way" } else { "not sent" };
    let text = format!(
        "{kernel} on {} of tile {} waits at pc {pc:#x} by the count of transaction identifier {transaction} on NoC {noc}, \
             and has made {made} requests with it since it last knew that fewer are {state}; the count has 8 bits, wraps \
             beyond {HELD}, and then shows too few (NoC/Counters.md): wait with {of_identifier}({transaction}) after at \
             most {HELD} requests, share them among several identifiers, or wait with {barrier}",
        core.processor.name(),
        core.at,
    );
    let wait = place_of_wait(core, pc);
    let violation = Violation::new(FaultCategory::TransactionOverflow, text);
    Some(match beyond {
        Some(origin) => violation.broken_at(origin.place()).against(Some(wait)),
        None => violation,
    })
}
