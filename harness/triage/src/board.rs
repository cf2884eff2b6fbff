//! What a card has to show before its word counts again.
//!
//! Silicon keeps what a failure did to it. After a hang, all that runs next may hang for that alone
//! (tenstorrent/tt-metal issue 44621), and some boards differ in the first run after a reset. So a card that failed carries
//! out a canary before anything else, is reset once where the canary fails, and the first run after a reset is discarded.

mod canary;
mod reset;
#[cfg(test)]
mod tests;

pub(super) use self::canary::bytes as canary_bytes;
pub(crate) use self::canary::canary;
pub use self::reset::{ParseResetCommandError, ResetCommand, ResetError};
use super::defects::{Defect, planted};

/// How often in a row a card may stay unsound before nobody asks it any more.
const PATIENCE: u32 = 2;

/// What a card is asked for between the runs of a search.
pub(super) trait Card {
    /// Why nobody can ask at all.
    type Error;

    /// Carries the canary out.
    fn canary(&mut self) -> Result<Canary, Self::Error>;

    /// Whether anybody said how to reset the board.
    fn can_be_reset(&self) -> bool;

    /// Resets the board.
    fn reset(&mut self) -> Result<(), ResetError>;
}

/// What came of a canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Canary {
    /// What has to come of it; or nobody waited for it, because a signal asked to stop.
    Sound,
    /// Something else.
    Fails(String),
    /// Nothing, because the card cannot be used.
    Lost(String),
}

/// What a card was asked for beside the runs of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Care {
    /// Canaries, without discarded runs.
    pub canaries: u32,
    /// Resets of the board that ended well.
    pub resets: u32,
}

/// How far a card is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    /// Its last run was right.
    Trusted,
    /// Its last run was not right, or nothing is known of the last one.
    Suspected,
    /// It stayed unsound too often.
    GivenUp(String),
}

/// A card in a search.
#[derive(Debug)]
pub(super) struct Board {
    standing: Standing,
    /// How often in a row it was unsound although all was done.
    unsound: u32,
    care: Care,
}

impl Board {
    /// A card of which nothing is known: whoever searches has seen a failure on it.
    pub(super) const fn new() -> Self {
        let care = Care { canaries: 0, resets: 0 };
        Self { standing: Standing::Suspected, unsound: 0, care }
    }

    /// What it was asked for so far.
    pub(super) const fn care(&self) -> Care {
        self.care
    }

    /// A run on it was not right.
    pub(super) fn suspect(&mut self) {
        if self.standing == Standing::Trusted && !planted(Defect::CardsAlwaysTrusted) {
            self.standing = Standing::Suspected;
        }
    }

    /// Has a card show that it is sound, where that is in question. Gives the reason why its next run would say nothing,
    /// if there is one.
    ///
    /// # Errors
    /// The card's own.
    pub(super) fn prepare<C: Card>(&mut self, card: &mut C) -> Result<Option<String>, C::Error> {
        match &self.standing {
            Standing::Trusted => return Ok(None),
            Standing::GivenUp(reason) => return Ok(Some(reason.clone())),
            Standing::Suspected => {}
        }
        let Some(reason) = self.unsound_because(card)? else {
            (self.standing, self.unsound) = (Standing::Trusted, 0);
            return Ok(None);
        };
        self.unsound = self.unsound.saturating_add(1);
        if self.unsound >= PATIENCE {
            self.standing = Standing::GivenUp(reason.clone());
        }
        Ok(Some(reason))
    }

    fn unsound_because<C: Card>(&mut self, card: &mut C) -> Result<Option<String>, C::Error> {
        let first = match self.canary(card)? {
            Canary::Sound => return Ok(None),
            // The reason may well be another than what happened on the card.
            Canary::Lost(reason) if !card.can_be_reset() => return Ok(Some(reason)),
            Canary::Lost(reason) | Canary::Fails(reason) => reason,
        };
        if let Err(error) = card.reset() {
            return Ok(Some(format!("the canary fails ({first}), and {error}")));
        }
        self.care.resets = self.care.resets.saturating_add(1);
        // The first run after a reset is discarded, whatever comes of it.
        card.canary()?;
        Ok(match self.canary(card)? {
            Canary::Sound => None,
            Canary::Lost(again) | Canary::Fails(again) => {
                Some(format!("the canary fails ({first}), and a reset did not help ({again})"))
            }
        })
    }

    fn canary<C: Card>(&mut self, card: &mut C) -> Result<Canary, C::Error> {
        self.care.canaries = self.care.canaries.saturating_add(1);
        card.canary()
    }
}

/// Which side of a pair goes first when both run on one card: good, bad, bad, good. What drifts on a card meets both
/// alike.
pub(super) const fn bad_goes_first(pair: u64) -> bool {
    pair % 2 == 1
}
