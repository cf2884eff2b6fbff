//! Kernels that wait by the count of a transaction identifier which may have wrapped.
//!
//! A NoC interface counts the requests under way with each identifier, and the writes that have not left, in 8 bits
//! each; with more of them the count wraps (NoC/Counters.md). A count that nobody reads may wrap: a kernel that never
//! names an identifier makes all its requests with number 0. So a kernel is at fault that reads such a count after it has
//! made more requests than the count holds since it last knew them to be fewer: from the count itself, or from a counter
//! which says that all requests of a kind are done, as the barriers do that name no identifier.
//!
//! How many of those requests are still under way is luck and does not matter. What the core's neighbours do on the same
//! interface depends on the schedule and is not looked at.

use std::sync::Arc;

use hallmark_chip::{FaultCategory, FaultPlace, LaunchDescription, Tick};

use super::kernel_name::kernel_name;
use super::noc_counters::{CounterMeaning, Kind, RequestGroup};
use super::per_core::PerCore;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{CoreOrigin, Violation};
use crate::machine::noc::{Operation, Transfer, counter};
use crate::machine::observer::{CoreAt, Observer, Scene};

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

/// The requests of a core on one NoC that share a kind and an identifier.
#[derive(Debug)]
struct Group {
    requests: RequestGroup,
    under_way: Counted,
    leaving: Counted,
}

impl Group {
    fn shares_count(&self, noc: u8, transaction: usize) -> bool {
        self.requests.noc == noc && self.requests.transaction == transaction
    }

    /// The core reads a counter that tells of the group.
    fn tell(&mut self, told: CounterMeaning) {
        let RequestGroup { issued, sent, done, .. } = self.requests;
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

#[derive(Debug, Default)]
struct CoreRequests {
    launch: Option<Arc<LaunchDescription>>,
    groups: Vec<Group>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct TransactionCounts {
    cores: PerCore<CoreRequests>,
}

impl CoreRequests {
    fn group(&mut self, request: &Transfer) -> Option<&mut Group> {
        self.groups.iter_mut().find(|group| group.requests.holds(request))
    }

    /// The fault of a core that reads a count which may have wrapped.
    fn wrapped(&self, core: CoreAt, pc: u32, noc: u8, told: CounterMeaning) -> Option<Violation> {
        let (transaction, is_done) = match told {
            CounterMeaning::TransactionDone(transaction) => (transaction, true),
            CounterMeaning::TransactionSent(transaction) => (transaction, false),
            CounterMeaning::Done(_) | CounterMeaning::Sent(_) => return None,
        };
        let counted = self.groups.iter().filter(|group| group.shares_count(noc, transaction));
        let counted = counted.map(|group| {
            (group.requests.kind, if is_done { &group.under_way } else { &group.leaving })
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
        let kernel = match &self.launch {
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
        let wait = FaultPlace {
            processor: Some(core.processor),
            pc: Some(pc),
            ..FaultPlace::of_tile(core.at)
        };
        let violation = Violation::new(FaultCategory::TransactionOverflow, text);
        Some(match beyond {
            Some(origin) => violation.broken_at(origin.place()).against(Some(wait)),
            None => violation,
        })
    }
}

impl TransactionCounts {
    pub(crate) fn new(tiles: usize) -> Self {
        Self { cores: PerCore::new(tiles) }
    }

    fn group(&mut self, request: &Transfer) -> Option<&mut Group> {
        self.cores.get_mut(request.issuer?)?.group(request)
    }
}

impl Observer for TransactionCounts {
    /// What ran before has waited for its requests, or is at fault by itself.
    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, _: Tick) {
        let Some(requests) = self.cores.get_mut(core.actor()) else { return };
        requests.launch = Some(Arc::clone(launch));
        for group in &mut requests.groups {
            group.under_way.lower(0);
            group.leaving.lower(0);
        }
    }

    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        _: Tick,
    ) -> Result<(), Violation> {
        if let Some(requests) = self.cores.get_mut(core.actor()) {
            requests.launch = None;
        }
        Ok(())
    }

    #[inline]
    fn core_loads_counter(
        &mut self,
        core: CoreAt,
        pc: u32,
        (noc, counter): (u8, u8),
    ) -> Result<(), Violation> {
        let Some(told) = CounterMeaning::of(counter.into()) else { return Ok(()) };
        let Some(requests) = self.cores.get_mut(core.actor()) else { return Ok(()) };
        if let Some(violation) = requests.wrapped(core, pc, noc, told) {
            return Err(violation);
        }
        for group in &mut requests.groups {
            if group.requests.is_told(noc, told) {
                group.tell(told);
            }
        }
        Ok(())
    }

    fn request_issued(&mut self, request: &Transfer, _: &mut Scene<'_>) -> Result<(), Violation> {
        let Some(requests) = request.issuer.and_then(|issuer| self.cores.get_mut(issuer)) else {
            return Ok(());
        };
        let groups = &mut requests.groups;
        let known = groups.iter().position(|group| group.requests.holds(request));
        let place = known.unwrap_or_else(|| {
            groups.push(Group {
                requests: RequestGroup::of(request),
                under_way: Counted::default(),
                leaving: Counted::default(),
            });
            groups.len() - 1
        });
        let is_counted = match request.operation {
            Operation::Read { .. } => true,
            Operation::Write { .. } | Operation::InlineWrite { .. } | Operation::Atomic { .. } => {
                request.marked
            }
        };
        let noc = request.noc.index() as u8;
        let (mut under_way, mut leaving) = (0, 0);
        for (number, group) in groups.iter().enumerate() {
            if number != place && group.shares_count(noc, request.transaction) {
                under_way += group.under_way.made;
                leaving += group.leaving.made;
            }
        }
        if let Some(group) = groups.get_mut(place) {
            group.requests.issued += 1;
            if is_counted {
                group.under_way.add(request, under_way);
            }
            if matches!(request.operation, Operation::Write { .. }) {
                group.leaving.add(request, leaving);
            }
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
