//! The sections of the page, from the most to the least important.

pub(crate) mod failures;
pub(crate) mod lists;
pub(crate) mod profile;
pub(crate) mod summary;

use crate::model::Tone;

/// The class of a tone in the page's style.
pub(crate) const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Excused => "excused",
        Tone::Neutral => "neutral",
    }
}
