//! Triage: signatures of failures, whether candidates still fail, and the first bad command.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod bisect;
mod commits;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/firmware_builds.rs"]
mod firmware_builds;
mod first_bad;
mod flaky;
mod kills;
#[path = "../common/linked_files.rs"]
mod linked_files;
mod needles;
mod orders;
mod parts;
mod probes;
mod resume;
mod roots;
mod signatures;
