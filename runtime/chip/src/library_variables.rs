//! The variables by which a process tells the simulator's library what to be.

/// The name of the chip's architecture.
pub const SIM_ARCH: &str = "HALLMARK_SIM_ARCH";
/// The mask of rows or columns of Tensix tiles that are fused off.
pub const SIM_HARVESTING: &str = "HALLMARK_SIM_HARVESTING";
/// When the order of the coprocessor's units is looked at: [`ORDER_ANNOTATED`], [`ORDER_ON`] or [`ORDER_STRICT`].
pub const SIM_ORDER: &str = "HALLMARK_SIM_ORDER";
/// The file to which the library writes what waits put in order.
pub const SIM_WAITS: &str = "HALLMARK_SIM_WAITS";

/// [`SIM_ORDER`]: once memory was annotated.
pub const ORDER_ANNOTATED: &str = "annotated";
/// [`SIM_ORDER`]: from power-on on.
pub const ORDER_ON: &str = "on";
/// [`SIM_ORDER`]: from power-on on, with the latest points at which units may sample their configuration.
pub const ORDER_STRICT: &str = "strict";
