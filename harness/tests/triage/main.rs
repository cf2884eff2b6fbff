//! Triage: signatures of failures, whether candidates still fail, and the first bad command.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod bisect;
#[path = "../common/mod.rs"]
mod common;
mod first_bad;
mod flaky;
mod needles;
mod probes;
mod roots;
mod signatures;
