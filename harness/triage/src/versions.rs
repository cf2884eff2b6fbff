//! The version that introduced a failure: along axes of firmware bundles, releases of Hallmark, simulators'
//! libraries, kernel builds, captures and whole executors.
//!
//! First the relevant axes are determined by their ends, then the place on each of them. The search determines
//! which end fails: if the first one fails and the last one passes, the answer is the version that mended it.
//! Adjacent versions with equal contents count as one. A version that cannot be used, such as firmware of
//! another launch ABI, is never run and gives no answer.

mod axis;
mod combination;
mod natural_order;
mod search;
mod words;

pub use self::axis::{Axis, AxisContext, AxisError, AxisKind, AxisText, BuildProduct, Version};
pub use self::search::{
    Conclusion, Culprit, Inconclusive, Options, PrepareVersion, Progress, VersionSearch,
};
pub use self::words::{document, report};
