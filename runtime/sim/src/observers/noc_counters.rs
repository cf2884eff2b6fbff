//! What the counters of a NoC interface tell of requests (NoC/Counters.md).

use crate::machine::noc::{Operation, Transfer, counter};

/// Requests that the counters count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    MarkedWrite,
    PostedWrite,
    MarkedAtomic,
    PostedAtomic,
}

impl Kind {
    /// `marked`: the request wants a response.
    pub(crate) const fn of(operation: Operation, marked: bool) -> Self {
        match (operation, marked) {
            (Operation::Read { .. }, _) => Self::Read,
            (Operation::Write { .. } | Operation::InlineWrite { .. }, true) => Self::MarkedWrite,
            (Operation::Write { .. } | Operation::InlineWrite { .. }, false) => Self::PostedWrite,
            (Operation::Atomic { .. }, true) => Self::MarkedAtomic,
            (Operation::Atomic { .. }, false) => Self::PostedAtomic,
        }
    }

    pub(crate) const fn is_write(self) -> bool {
        matches!(self, Self::MarkedWrite | Self::PostedWrite)
    }

    /// The call that waits for the requests of a transaction identifier: `done`, until they are done, else until their
    /// data have left. No call waits for atomics and posted writes so.
    pub(crate) const fn wait_by_identifier(self, done: bool) -> Option<&'static str> {
        match (self, done) {
            (Self::Read, _) => Some("noc_async_read_barrier_with_trid"),
            (Self::MarkedWrite, true) => Some("noc_async_write_barrier_with_trid"),
            (Self::MarkedWrite, false) => Some("noc_async_write_flushed_with_trid"),
            (Self::PostedWrite | Self::MarkedAtomic | Self::PostedAtomic, _) => None,
        }
    }

    pub(crate) const fn is_atomic(self) -> bool {
        matches!(self, Self::MarkedAtomic | Self::PostedAtomic)
    }
}

/// Which requests a counter of a NoC interface tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterMeaning {
    /// Those of a kind have had their responses.
    Done(Kind),
    /// The data of those of a kind has left.
    Sent(Kind),
    /// Those of a transaction have had their responses.
    TransactionDone(usize),
    /// The data of those of a transaction has left.
    TransactionSent(usize),
}

impl CounterMeaning {
    /// What the counter with an index tells, as in [`counter`]; `None` of one that tells nothing about the end of
    /// requests.
    pub(crate) const fn of(index: usize) -> Option<Self> {
        Some(match index {
            counter::ATOMIC_RESPONSES => Self::Done(Kind::MarkedAtomic),
            counter::WRITE_ACKNOWLEDGEMENTS => Self::Done(Kind::MarkedWrite),
            counter::READ_RESPONSES | counter::READ_WORDS => Self::Done(Kind::Read),
            counter::MARKED_WRITES_SENT | counter::MARKED_WRITE_WORDS_SENT => {
                Self::Sent(Kind::MarkedWrite)
            }
            counter::POSTED_WRITES_SENT | counter::POSTED_WRITE_WORDS_SENT => {
                Self::Sent(Kind::PostedWrite)
            }
            counter::OUTSTANDING..counter::OUTGOING => {
                Self::TransactionDone(index - counter::OUTSTANDING)
            }
            counter::OUTGOING..counter::COUNT => Self::TransactionSent(index - counter::OUTGOING),
            _ => return None,
        })
    }

    /// Whether it tells of requests of a kind and a transaction.
    pub(crate) fn holds(self, of_kind: Kind, of_transaction: usize) -> bool {
        match self {
            Self::Done(kind) | Self::Sent(kind) => of_kind == kind,
            Self::TransactionDone(transaction) | Self::TransactionSent(transaction) => {
                of_transaction == transaction
            }
        }
    }
}

/// Requests of one core on one NoC that share a kind and a transaction, and how far they got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestGroup {
    pub(crate) noc: u8,
    pub(crate) kind: Kind,
    pub(crate) transaction: usize,
    pub(crate) issued: u64,
    /// So many have left.
    pub(crate) sent: u64,
    /// So many have had their responses.
    pub(crate) done: u64,
}

impl RequestGroup {
    /// The group that a request belongs to, still empty.
    pub(crate) fn of(request: &Transfer) -> Self {
        Self {
            noc: request.noc.index() as u8,
            kind: Kind::of(request.operation, request.marked),
            transaction: request.transaction,
            issued: 0,
            sent: 0,
            done: 0,
        }
    }

    /// Whether a request is one of them.
    pub(crate) fn holds(&self, request: &Transfer) -> bool {
        usize::from(self.noc) == request.noc.index()
            && self.transaction == request.transaction
            && self.kind == Kind::of(request.operation, request.marked)
    }

    /// Whether a counter of a NoC interface tells of them.
    pub(crate) fn is_told(&self, noc: u8, told: CounterMeaning) -> bool {
        self.noc == noc && told.holds(self.kind, self.transaction)
    }
}
