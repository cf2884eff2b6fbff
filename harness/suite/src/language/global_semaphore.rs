//! Steps of global semaphores. Captures hold each as calls of a buffer.

use hallmark_runtime::SemaphoreMemory;

use super::value::Cores;
use crate::read::{Name, Number, Setting, choices, map_type};

choices! {
    SemaphoreMemory, "memory": "l1" => Self::L1, "l1_small" => Self::L1Small;
}

map_type! {
    /// `CreateGlobalSemaphore`: a word in L1 at the same address of each of its cores, which keeps its value from launch to
    /// launch. Captures hold it as TT-Metalium makes it: a height-sharded buffer with a page of 4 bytes on each core, and
    /// a blocking write of queue 0. Every step that takes a buffer takes it: `deallocate_buffer` frees it.
    CreateGlobalSemaphore, "`create_global_semaphore`" {
        /// The name by which later steps know the global semaphore.
        id: Name,
        /// The cores, each named once; each gets a word of its own.
        cores: Cores,
        /// The value that is written at once. Default 0.
        initial_value: Option<Number>,
        /// The part of L1 in which the words lie. Default `l1`.
        r#type: Option<Setting<SemaphoreMemory>>,
    }
}
map_type! {
    /// `GlobalSemaphore::reset_semaphore_value`: a blocking write of a value to every word. It waits for queue 0.
    ResetGlobalSemaphore, "`reset_global_semaphore`" {
        /// The global semaphore whose words are written.
        semaphore: Name,
        /// The value.
        value: Number,
    }
}
