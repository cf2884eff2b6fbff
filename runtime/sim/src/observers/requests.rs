//! The NoC requests of each core, in groups that the counters of its interfaces tell apart, and two rules about them:
//! [`under_way`] and [`transaction_counts`].

mod transaction_counts;
mod under_way;

use std::sync::Arc;

use hallmark_chip::{KernelRuns, LaunchDescription, Tick};

use super::noc_counters::{CounterMeaning, Kind, RequestGroup};
use super::per_core::PerCore;
use crate::machine::actor::Actor;
use crate::machine::fault::Violation;
use crate::machine::noc::Transfer;
use crate::machine::observer::{CoreAt, Observer, Scene};
use transaction_counts::Counts;
use under_way::{Kernel, Waits};

/// The requests of a core on one NoC that share a kind and a transaction identifier.
#[derive(Debug)]
struct Group {
    requests: RequestGroup,
    waits: Waits,
    counts: Counts,
}

/// The requests of a core.
#[derive(Debug, Default)]
struct CoreRequests {
    launch: Option<Arc<LaunchDescription>>,
    /// The kernel of the launch, until it has ended or is held in reset.
    kernel: Option<Kernel>,
    groups: Vec<Group>,
}

/// Where a kernel may have ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// An instruction loads a counter.
    Load { pc: u32 },
    /// It returns to firmware.
    Return,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Requests {
    cores: PerCore<CoreRequests>,
    runs: KernelRuns,
}

impl Requests {
    pub(crate) fn new(tiles: usize) -> Self {
        Self { cores: PerCore::new(tiles), runs: KernelRuns::default() }
    }

    /// Kernels whose end is not known.
    pub(crate) const fn runs(&self) -> KernelRuns {
        self.runs
    }

    /// The NoC of a core's kernel that has ended, and the kinds of requests that it leaves under way there as far as counters
    /// have told it, but for reads.
    pub(crate) fn unanswered(&self, core: CoreAt, end: End) -> Option<(u8, Vec<Kind>)> {
        let CoreRequests { kernel, groups, .. } = self.cores.get(core.actor())?;
        let kernel = kernel.as_ref().filter(|kernel| match end {
            End::Load { pc } => kernel.has_ended_at(pc),
            End::Return => kernel.ends_by_return(),
        })?;
        Some((kernel.noc(), kernel.unanswered(groups)))
    }

    /// A core knows that all of its requests of a kind on a NoC have arrived, though no counter has told it.
    pub(crate) fn have_arrived(&mut self, core: CoreAt, noc: u8, kind: Kind) {
        if let Some(CoreRequests { groups, .. }) = self.cores.get_mut(core.actor()) {
            under_way::have_arrived(groups, noc, kind);
        }
    }

    fn group(&mut self, request: &Transfer) -> Option<&mut Group> {
        let groups = &mut self.cores.get_mut(request.issuer?)?.groups;
        groups.iter_mut().find(|group| group.requests.holds(request))
    }
}

impl Observer for Requests {
    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, _: Tick) {
        let Some(requests) = self.cores.get_mut(core.actor()) else { return };
        requests.launch = Some(Arc::clone(launch));
        requests.kernel = Kernel::of(launch, core);
        for Group { requests, waits, counts } in &mut requests.groups {
            waits.begin(requests);
            counts.begin();
        }
    }

    fn unknown_launch_begins(&mut self, core: CoreAt) {
        if let Some(requests) = self.cores.get_mut(core.actor()) {
            requests.launch = None;
            requests.kernel = None;
        }
    }

    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        _: Tick,
    ) -> Result<(), Violation> {
        let Some(requests) = self.cores.get_mut(core.actor()) else { return Ok(()) };
        let ended = requests.kernel.as_ref().filter(|kernel| kernel.ends_by_return());
        if let Some(violation) = ended.and_then(|kernel| kernel.violation(&requests.groups, core)) {
            return Err(violation);
        }
        requests.launch = None;
        if requests.kernel.take().is_some_and(|kernel| !kernel.has_known_end()) {
            self.runs.of_unknown_end += 1;
        }
        Ok(())
    }

    fn core_held(&mut self, core: CoreAt, _: Option<Actor>) {
        if let Some(requests) = self.cores.get_mut(core.actor()) {
            requests.kernel = None;
        }
    }

    fn core_loads_counter(
        &mut self,
        core: CoreAt,
        pc: u32,
        (noc, counter): (u8, u8),
    ) -> Result<(), Violation> {
        let Some(requests) = self.cores.get_mut(core.actor()) else { return Ok(()) };
        let ended = requests.kernel.as_ref().filter(|kernel| kernel.has_ended_at(pc));
        if let Some(violation) = ended.and_then(|kernel| kernel.violation(&requests.groups, core)) {
            return Err(violation);
        }
        let has_ended = ended.is_some();
        let Some(told) = CounterMeaning::of(counter.into()) else { return Ok(()) };
        if let Some(violation) = transaction_counts::wrong(requests, (core, pc), (noc, told)) {
            return Err(violation);
        }
        for Group { requests, waits, counts } in &mut requests.groups {
            if requests.is_told(noc, told) {
                counts.tell(requests, told);
                if !has_ended {
                    waits.tell(requests, told);
                }
            }
        }
        if told == CounterMeaning::Done(Kind::MarkedAtomic) && !has_ended {
            under_way::atomics_answered(&mut requests.groups, noc);
        }
        Ok(())
    }

    fn transaction_counts_cleared(&mut self, core: CoreAt, noc: u8, identifiers: u32) {
        if let Some(requests) = self.cores.get_mut(core.actor()) {
            transaction_counts::clear(&mut requests.groups, noc, identifiers);
        }
    }

    fn request_issued(&mut self, request: &Transfer, _: &mut Scene<'_>) -> Result<(), Violation> {
        let Some(requests) = request.issuer.and_then(|issuer| self.cores.get_mut(issuer)) else {
            return Ok(());
        };
        let CoreRequests { launch: _, kernel, groups } = requests;
        if Kind::of(request.operation, request.marked) == Kind::MarkedAtomic {
            under_way::atomic_issued(groups, request);
        }
        let known = groups.iter().position(|group| group.requests.holds(request));
        let place = known.unwrap_or_else(|| {
            let (waits, counts) = (Waits::new(request), Counts::default());
            groups.push(Group { requests: RequestGroup::of(request), waits, counts });
            groups.len() - 1
        });
        transaction_counts::issue(groups, place, request);
        if let Some(Group { requests, waits, .. }) = groups.get_mut(place) {
            waits.issue(requests, kernel.as_ref(), request);
            requests.issued += 1;
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
