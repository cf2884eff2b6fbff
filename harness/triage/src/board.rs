//! The conditions under which a card's results are trusted again.
//!
//! Silicon keeps the effects of a failure. After a hang, all later programs may hang for that reason alone
//! (tenstorrent/tt-metal issue 44621), and some boards deviate in the first run after a reset. So a card that
//! failed first runs a canary. If that fails, the card is reset once, and the first run after a reset is
//! discarded.

mod canary;
mod reset;
#[cfg(test)]
mod tests;

pub(super) use self::canary::bytes as canary_bytes;
pub(crate) use self::canary::canary;
pub use self::reset::{ParseResetCommandError, ResetCommand, ResetError};
use super::defects::{Defect, planted};

/// The number of consecutive unsound states after which a card is no longer used.
const PATIENCE: u32 = 2;

/// The operations on a card between the runs of a search.
pub(super) trait Card {
    /// The error if no operation is possible.
    type Error;

    /// Runs the canary.
    fn canary(&mut self) -> Result<Canary, Self::Error>;

    /// Whether the user has stated how to reset the board.
    fn can_be_reset(&self) -> bool;

    /// Resets the board.
    fn reset(&mut self) -> Result<(), ResetError>;
}

/// The result of a canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Canary {
    /// The expected result; or no result, because a signal requested the end.
    Sound,
    /// Another result.
    Fails(String),
    /// No result, because the card cannot be used.
    Lost(String),
}

/// The operations on a card besides the runs of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Care {
    /// The number of canaries, without discarded runs.
    pub canaries: u32,
    /// The number of successful resets of the board.
    pub resets: u32,
}

/// The trust in a card.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    /// Its last run was correct.
    Trusted,
    /// Its last run was not correct, or is unknown.
    Suspected,
    /// It was unsound too often.
    GivenUp(String),
}

/// A card in a search.
#[derive(Debug)]
pub(super) struct Board {
    standing: Standing,
    /// The number of consecutive times that it was unsound after all measures.
    unsound: u32,
    care: Care,
}

impl Board {
    /// A card in an unknown state: a failure was seen on it before the search.
    pub(super) const fn new() -> Self {
        let care = Care { canaries: 0, resets: 0 };
        Self { standing: Standing::Suspected, unsound: 0, care }
    }

    /// The operations so far.
    pub(super) const fn care(&self) -> Care {
        self.care
    }

    /// Notes that a run was not correct.
    pub(super) fn suspect(&mut self) {
        if self.standing == Standing::Trusted && !planted(Defect::CardsAlwaysTrusted) {
            self.standing = Standing::Suspected;
        }
    }

    /// Checks that a card is sound, if that is in doubt. Returns the reason why its next run would give no
    /// answer, if there is one.
    ///
    /// # Errors
    /// The error of the card's operations.
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
            // The reason may be unrelated to the failure on the card.
            Canary::Lost(reason) if !card.can_be_reset() => return Ok(Some(reason)),
            Canary::Lost(reason) | Canary::Fails(reason) => reason,
        };
        if let Err(error) = card.reset() {
            return Ok(Some(format!("the canary fails ({first}), and {error}")));
        }
        self.care.resets = self.care.resets.saturating_add(1);
        // The first run after a reset is discarded, regardless of its result.
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

/// Whether the bad side runs first in a pair of runs on one card. The order is good, bad, bad, good, so that a
/// drift of the card affects both sides equally.
pub(super) const fn bad_goes_first(pair: u64) -> bool {
    pair % 2 == 1
}
