//! Reports of work while it is done, and not only after it: a device may end its process.

use hallmark_schema::model::{BufferId, CommandIndex, ContentHash, SharedBytes};

/// A read that completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedRead {
    /// The call that asked for it.
    pub command: CommandIndex,
    /// The buffer that was read.
    pub buffer: BufferId,
    /// The name that the call gave to the bytes.
    pub output: String,
    /// The bytes.
    pub bytes: SharedBytes,
}

/// A listener that must hear of work before it goes on.
pub trait Observer {
    /// The chip works on this program from here on; nothing of it has been launched yet.
    ///
    /// # Errors
    /// The program must not run, for it could not be noted.
    fn executing(&mut self, enqueue: CommandIndex) -> Result<(), NotObserved>;

    /// A read has come in full. `exact` is the hash that its call expects, if it expects one.
    ///
    /// # Errors
    /// Nothing more may run, for the read could not be noted.
    fn read_completed(
        &mut self,
        read: CompletedRead,
        exact: Option<ContentHash>,
    ) -> Result<(), NotObserved>;
}

/// The observer could not note a report, and knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotObserved;
