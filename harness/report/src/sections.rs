//! The parts of the page, from what everybody wants to know first to what few look up.

pub(crate) mod failures;
pub(crate) mod lists;
pub(crate) mod profile;
pub(crate) mod summary;

use crate::model::Tone;

/// The class that a tone has in the page's style.
pub(crate) const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Excused => "excused",
        Tone::Neutral => "neutral",
    }
}
