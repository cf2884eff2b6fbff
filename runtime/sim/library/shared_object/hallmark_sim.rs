//! The shared object: the functions of the ABI, and nothing else.

pub use hallmark_sim_library::abi::*;
