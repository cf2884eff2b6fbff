//! Written by `scripts/schema-gen`; see there.

#[allow(
    clippy::all,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    unused_imports,
    deprecated,
    reason = "written by flatc; not every lint fires in every release of it"
)]
#[rustfmt::skip]
pub(crate) mod capture;
#[rustfmt::skip]
#[allow(
    clippy::all,
    clippy::allow_attributes,
    reason = "mechanical code is not written the shortest way everywhere"
)]
pub(crate) mod commands;
#[rustfmt::skip]
pub(crate) mod fields;
