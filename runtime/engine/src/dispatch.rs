//! Dispatchers: firmware on reserved tiles, one for each command queue, that carries out the commands of a ring.
//!
//! The host writes commands to the ring in a dispatcher's L1, and then the position of their end. Everything else goes
//! the other way, by NoC writes to pinned host memory: the data of reads first, then one status line. Positions and
//! counts wrap at 2^32.

mod binary_store;
mod commands;
mod completion;
mod dispatcher;
mod dispatchers;
mod loaded_traces;
mod program_store;
mod ring;
mod submitted;

pub(crate) use self::completion::PendingRead;
pub use self::dispatcher::usable_dispatch_settings;
pub(crate) use self::dispatchers::{Dispatchers, WhenFull};
pub(crate) use self::loaded_traces::{
    LoadedTrace, announce_trace, loaded_trace, place_binaries_of_trace, submit_replay,
};
