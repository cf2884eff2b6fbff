//! The launches that a dispatcher was given, and the one that it carries out.

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::NocCoordinate;
use hallmark_schema::model::CommandIndex;

use crate::launch::ProgramLaunch;
use crate::stop::LastLaunch;
use crate::trace::ReplayedTrace;

/// Launches that one command of the ring makes.
#[derive(Debug)]
pub(super) enum Launches {
    One {
        enqueue: CommandIndex,
        launch: Arc<ProgramLaunch>,
    },
    /// All launches of a trace, noted without a look at each.
    Trace(ReplayedTrace),
}

#[derive(Debug)]
struct Submitted {
    /// Launches up to and including the first of these, modulo 2^32, and the go of that one.
    count: u32,
    go: u32,
    launches: Launches,
}

/// The launch that a dispatcher carries out.
#[derive(Debug)]
pub(super) struct CurrentLaunch {
    /// The word that its tiles' mailboxes hold once they are done.
    pub(super) go: u32,
    pub(super) tiles: Vec<NocCoordinate>,
}

impl Launches {
    fn number(&self) -> u32 {
        match self {
            Self::One { .. } => 1,
            Self::Trace(replayed) => replayed.trace.launches.len() as u32,
        }
    }

    fn enqueue(&self, index: u32) -> Option<CommandIndex> {
        match self {
            Self::One { enqueue, .. } => Some(*enqueue),
            Self::Trace(replayed) => Some(replayed.trace.launches.get(index as usize)?.command),
        }
    }

    fn replayed(&self) -> Option<ReplayedTrace> {
        match self {
            Self::One { .. } => None,
            Self::Trace(replayed) => Some(replayed.clone()),
        }
    }

    fn tiles(&self, index: u32) -> Option<Vec<NocCoordinate>> {
        let launch = match self {
            Self::One { launch, .. } => launch,
            Self::Trace(replayed) => &replayed.trace.launches.get(index as usize)?.launch,
        };
        Some(launch.tiles.iter().map(|tile| tile.noc).collect())
    }
}

/// The go of the launch that comes so many after one with this go: as the firmware counts, 0 is none.
const fn go_after(go: u32, launches: u32) -> u32 {
    let next = go.wrapping_add(launches.wrapping_mul(2));
    if next < go && go.is_multiple_of(2) { next.wrapping_add(2) } else { next }
}

/// Launches in the order in which a dispatcher was given them.
#[derive(Debug)]
pub(super) struct SubmittedLaunches {
    /// Launches so far, modulo 2^32.
    count: u32,
    /// The go of the last one.
    go: u32,
    submitted: VecDeque<Submitted>,
}

impl SubmittedLaunches {
    /// None. The go of the first launch follows this one.
    pub(super) const fn new(go: u32) -> Self {
        Self { count: 0, go, submitted: VecDeque::new() }
    }

    /// Notes launches that follow in the ring.
    pub(super) fn push(&mut self, launches: Launches) {
        let number = launches.number();
        let (count, go) = (self.count.wrapping_add(1), go_after(self.go, 1));
        self.count = self.count.wrapping_add(number);
        self.go = go_after(self.go, number);
        if number > 0 {
            self.submitted.push_back(Submitted { count, go, launches });
        }
    }

    /// The launches of which one runs or was the last to run, and the index of that one. The dispatcher has begun so
    /// many launches, modulo 2^32.
    fn running(&mut self, begun: u32) -> Option<(&Submitted, u32)> {
        // Signed distance: counts wrap.
        let has_begun = |submitted: &Submitted| begun.wrapping_sub(submitted.count) as i32 >= 0;
        while self.submitted.get(1).is_some_and(has_begun) {
            self.submitted.pop_front();
        }
        let first = self.submitted.front().filter(|first| has_begun(first))?;
        Some((first, begun.wrapping_sub(first.count)))
    }

    /// The launch that runs or ran last, as a stop names it.
    pub(super) fn last(&mut self, begun: u32) -> Option<LastLaunch> {
        let (submitted, index) = self.running(begun)?;
        let enqueue = Some(submitted.launches.enqueue(index)?);
        Some(LastLaunch { enqueue, replaying: submitted.launches.replayed() })
    }

    /// The launch that runs or ran last, and its tiles.
    pub(super) fn current(&mut self, begun: u32) -> Option<CurrentLaunch> {
        let (submitted, index) = self.running(begun)?;
        let tiles = submitted.launches.tiles(index)?;
        Some(CurrentLaunch { go: go_after(submitted.go, index), tiles })
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::ProgramId;

    use super::*;
    use crate::trace::{Trace, TracedLaunch};

    #[test]
    fn gos_are_counted_as_the_firmware_does() {
        for first in [2, 3, u32::MAX - 1, u32::MAX - 2, u32::MAX] {
            let mut go = first;
            for launches in 0..10 {
                assert_eq!(go_after(first, launches), go);
                go = match go.wrapping_add(2) {
                    0 => 2,
                    next => next,
                };
            }
        }
    }

    fn launch() -> Arc<ProgramLaunch> {
        Arc::new(ProgramLaunch::new(ProgramId(1), Vec::new()))
    }

    #[test]
    fn the_number_of_launches_begun_tells_the_one_that_runs() {
        let mut launches = SubmittedLaunches::new(4);
        assert!(launches.last(0).is_none());
        launches.push(Launches::One { enqueue: CommandIndex(10), launch: launch() });
        let traced = |command| TracedLaunch { command: CommandIndex(command), launch: launch() };
        let trace = Arc::new(Trace::new("t".to_owned(), vec![traced(5), traced(6)]));
        launches.push(Launches::Trace(ReplayedTrace { command: CommandIndex(11), trace }));
        launches.push(Launches::One { enqueue: CommandIndex(12), launch: launch() });
        assert!(launches.last(0).is_none());
        for (begun, enqueue, replay, go) in
            [(1, 10, None, 6), (2, 5, Some(11), 8), (3, 6, Some(11), 10), (4, 12, None, 12)]
        {
            let last = launches.last(begun).unwrap();
            let replaying = last.replaying.map(|replayed| replayed.command);
            assert_eq!(last.enqueue, Some(CommandIndex(enqueue)));
            assert_eq!(replaying, replay.map(CommandIndex));
            assert_eq!(launches.current(begun).unwrap().go, go);
        }
    }
}
