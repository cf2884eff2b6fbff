//! Tests of whole packages: made, read, signed and forged.

mod containers;
mod fixture;
mod liars;
mod openssh;
mod properties;
mod signatures;
mod statements;
