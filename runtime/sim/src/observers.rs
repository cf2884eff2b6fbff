//! Who listens to the machine. Each observer has a module of its own, which knows the machine; the machine knows none.
//!
//! A new observer is a module, which implements [`Observer`], and its line in the list below.

pub(crate) mod activity;
pub(crate) mod footprints;
pub(crate) mod races;
mod unwritten_memory;
pub(crate) mod watched_bytes;

use hallmark_chip::Tick;

use crate::machine::core::Wait;
use crate::machine::fault::Origin;
use crate::machine::noc::Transfer;
use crate::machine::observer::{CoreAt, Instruction, MemoryRange, Observer};

/// Makes the set of all observers, which tells each of them what the machine tells it, in the order of the list.
macro_rules! observers {
    ($($observer:ident: $type:ty,)*) => {
        /// All observers of a chip.
        #[derive(Debug, Default)]
        pub(crate) struct Observers {
            $(pub(crate) $observer: $type,)*
        }

        impl Observer for Observers {
            fn accesses(&mut self, range: &MemoryRange, writes: bool, by: Origin) {
                $(self.$observer.accesses(range, writes, by);)*
            }

            fn wrote(&mut self, range: &MemoryRange, by: Origin) {
                $(self.$observer.wrote(range, by);)*
            }

            fn core_runs(&mut self, core: CoreAt, now: Tick) {
                $(self.$observer.core_runs(core, now);)*
            }

            fn core_stops(&mut self, core: CoreAt, now: Tick, wait: Option<Wait>) {
                $(self.$observer.core_stops(core, now, wait);)*
            }

            fn follows_instructions(&self) -> bool {
                false $(|| self.$observer.follows_instructions())*
            }

            fn core_executes(&mut self, core: CoreAt, instruction: Instruction<'_>, now: Tick) {
                $(self.$observer.core_executes(core, instruction, now);)*
            }

            fn request_ended(&mut self, request: &Transfer, now: Tick) {
                $(self.$observer.request_ended(request, now);)*
            }
        }
    };
}

observers! {
    watched_bytes: watched_bytes::WatchedBytes,
    footprints: footprints::RequestFootprints,
    activity: activity::CoreActivities,
}
