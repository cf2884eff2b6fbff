//! What a core of a deadlock waits for, by the name that the host program gave it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a core waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WaitedObject {
    /// For pages in a circular buffer.
    CircularBufferFilled(WaitedBuffer),
    /// For room in a circular buffer.
    CircularBufferEmptied(WaitedBuffer),
    /// For a value of a semaphore.
    Semaphore {
        /// The semaphore's name.
        name: String,
    },
    /// For transfers that a counter of a NoC interface counts.
    Transfers {
        /// The counter, as the hardware documentation spells it.
        counter: String,
    },
    /// For state of the Tensix coprocessor.
    Coprocessor {
        /// The state, such as "semaphore 2 of the coprocessor".
        name: String,
    },
    /// For a word of plain memory.
    Word,
    /// For nothing that could change.
    Nothing,
}

/// A circular buffer that is waited for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitedBuffer {
    /// The index by which kernels name it.
    pub index: u32,
    /// The name that the host program gave it, where that is known.
    pub name: Option<String>,
}

impl fmt::Display for WaitedBuffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "circular buffer {}", self.index)?;
        match &self.name {
            Some(name) => write!(formatter, " `{name}`"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for WaitedObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CircularBufferFilled(buffer) => write!(formatter, "pages in {buffer}"),
            Self::CircularBufferEmptied(buffer) => write!(formatter, "room in {buffer}"),
            Self::Semaphore { name } => write!(formatter, "semaphore `{name}`"),
            Self::Transfers { counter } => write!(formatter, "transfers ({counter})"),
            Self::Coprocessor { name } => formatter.write_str(name),
            Self::Word => formatter.write_str("a word of memory"),
            Self::Nothing => formatter.write_str("nothing that could change"),
        }
    }
}
