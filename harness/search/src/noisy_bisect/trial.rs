//! The decision about a position: several equal runs, or a sequential test.

use crate::Answer;
use crate::statistics::{Counts, SequentialTest};

/// The way to decide a position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trial {
    /// This many runs with the same answer.
    Alike {
        needed: u32,
        counts: Counts,
    },
    Sequential(SequentialTest),
}

/// The decision of a trial.
pub(super) enum Decision {
    Open,
    Told(Answer),
    /// Runs of a steady failure had different answers.
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
