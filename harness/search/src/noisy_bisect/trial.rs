//! What decides a position: runs that are all alike, or a sequential test.

use crate::Answer;
use crate::statistics::{Counts, SequentialTest};

/// What decides a position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trial {
    /// So many runs that are all alike.
    Alike {
        needed: u32,
        counts: Counts,
    },
    Sequential(SequentialTest),
}

/// What a trial says.
pub(super) enum Decision {
    Open,
    Told(Answer),
    /// Runs of a steady failure were not alike.
    Contradictory,
}

impl Trial {
    pub(super) const fn add(&mut self, answer: Answer) {
        match self {
            Self::Alike { counts, .. } => counts.add(answer),
            Self::Sequential(test) => test.add(answer),
        }
    }

    pub(super) const fn counts(&self) -> Counts {
        match self {
            Self::Alike { counts, .. } => *counts,
            Self::Sequential(test) => test.counts(),
        }
    }

    pub(super) fn decision(&self) -> Decision {
        match self {
            Self::Alike { counts, .. } if counts.failures() > 0 && counts.passes() > 0 => {
                Decision::Contradictory
            }
            Self::Alike { needed, counts } if counts.runs() >= *needed => {
                Decision::Told(Answer::of(counts.failures() > 0))
            }
            Self::Alike { .. } => Decision::Open,
            Self::Sequential(test) => test.decision().map_or(Decision::Open, Decision::Told),
        }
    }
}
