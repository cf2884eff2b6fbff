//! Which version broke it: along axes of firmware bundles, releases of Hallmark, simulators' libraries, kernel builds,
//! captures and whole executors.
//!
//! First it is found which axes matter, by their ends; then where on each of those. Which end fails is not said but found:
//! if the first one fails and the last one passes, the answer is what mended it. Versions with equal contents that follow
//! each other are one. A version that cannot be used, such as firmware of another launch ABI, is never run and cannot be
//! told.

mod axis;
mod combination;
mod natural_order;
mod search;
mod words;

pub use self::axis::{Axis, AxisContext, AxisError, AxisKind, AxisText, Version};
pub use self::search::{Conclusion, Culprit, Inconclusive, Options, Progress, VersionSearch};
pub use self::words::{document, report};
