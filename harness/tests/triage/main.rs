//! Triage: signatures of failures.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "../common/mod.rs"]
mod common;
mod roots;
mod signatures;
