//! Triage: signatures of failures, and whether candidates still fail.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "../common/mod.rs"]
mod common;
mod probes;
mod roots;
mod signatures;
