//! Words that synchronize: semaphores, mailboxes, go words, page counts of circular buffers.

use super::clock::Stamp;
use crate::machine::actor::Actor;

/// What whoever loads the word learns.
#[derive(Clone, Debug, Default)]
pub(crate) struct SyncWord {
    stamps: Vec<Stamp>,
    changes: u64,
    /// Who loaded it last, and what it was then.
    seen: Option<(Actor, u64)>,
}

impl SyncWord {
    /// A store: what others stored before is no longer what a load finds.
    pub(super) fn store(&mut self, stamp: Stamp) {
        self.stamps.clear();
        self.stamps.push(stamp);
        self.changes += 1;
    }

    /// An atomic: a load finds what all of them did.
    pub(super) fn add(&mut self, stamp: Stamp) {
        let same_way = |other: &Stamp| match (&other.passed, &stamp.passed) {
            (Some(old), Some(new)) => old.channel == new.channel,
            (None, _) => true,
            (Some(_), None) => false,
        };
        self.stamps.retain(|other| {
            !(other.actor == stamp.actor && other.own <= stamp.own && same_way(other))
        });
        self.stamps.push(stamp);
        self.changes += 1;
    }

    /// What an actor learns that loads the word, if it has not since the last change.
    pub(super) fn load(&mut self, actor: Actor) -> &[Stamp] {
        let now = Some((actor, self.changes));
        if self.seen == now {
            return &[];
        }
        self.seen = now;
        &self.stamps
    }

    pub(super) fn stamps(&self) -> &[Stamp] {
        &self.stamps
    }

    pub(super) fn forget(&mut self) {
        self.stamps.clear();
        self.seen = None;
        self.changes += 1;
    }
}
