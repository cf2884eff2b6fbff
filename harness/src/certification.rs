//! Certification: a conformance profile is run on a subject, and what came of it is a package that a stranger can check.

pub mod assembly;
pub mod challenge;
pub mod demand;
pub mod difference;
pub mod environment;
pub mod github_annotations;
pub mod lock;
pub mod log;
pub mod merge;
pub mod packed_capture;
pub mod profile;
pub mod replay;
pub mod report;
pub mod resolution;
pub mod results;
pub mod run;
pub mod store;
pub mod subject;
pub mod test_result;
pub mod verify;
pub mod waivers;
