//! What leads to a verdict other than Pass, each check by a name of its own. A build that holds deliberate defects can
//! switch one off (`hallmark_chip::sabotage`); a test in `harness/tests/liars.rs` must fail then.

mod list {
    hallmark_chip::planted_defects! {
        pub enum;
        /// Verdict: a call that succeeds although the suite expects it to fail goes unnoticed.
        CallSucceeded,
        /// Verdict: a call that fails in another way than the suite expects goes unnoticed.
        CallFailed,
        /// Verdict: a call may fail with other fields than the suite expects.
        FailureFields,
        /// Verdict: an expected fault may be of any category.
        FaultCategory,
        /// Verdict: an expected fault may happen in any program.
        FaultProgram,
        /// Verdict: an expected fault may happen on any core.
        FaultCore,
        /// Verdict: an expected fault may happen on any processor.
        FaultProcessor,
        /// Verdict: an expected fault may happen in any function.
        FaultFunction,
        /// Verdict: queues that end well although the suite expects a failure go unnoticed.
        EndSucceeded,
        /// Verdict: queues that fail at the end in another way than the suite expects go unnoticed.
        EndFailed,
        /// Verdict: a read may return any bytes.
        OutputBytes,
        /// Verdict: a read may return bytes of any hash, where the suite knows the hash alone.
        OutputHash,
        /// Verdict: a read may return anything where the suite allows a tolerance.
        OutputNear,
        /// Verdict: a capture may have other bytes when it is written again.
        Rewritten,
        /// Verdict: a replay may leave another program part, as long as the replay itself says nothing.
        AgainProgram,
        /// Verdict: a replay may leave other outputs, as long as the replay itself says nothing.
        AgainOutputs,
        /// Verdict: a golden may be absent.
        GoldenPresent,
        /// Verdict: a golden may be damaged.
        GoldenReadable,
        /// Verdict: the program part may be another than the golden's.
        GoldenProgram,
        /// Verdict: the program part may have another hash than the golden's.
        GoldenDigest,
        /// Outputs: one with another hash goes unnoticed.
        OutputChanged,
        /// Outputs: one that is gone goes unnoticed.
        OutputGone,
        /// Outputs: a new one goes unnoticed.
        OutputNew,
        /// Verdict: derived differences pass, although --strict-derived was asked for.
        StrictDerived,
        /// Run: goldens that belong to no test go unnoticed.
        GoldenUsed,
        /// Verdict: a test may pass although its suite expects it to fail.
        UnexpectedPass,
        /// Verdict: an expected failure excuses every other failure.
        ExcusedCategory,
        /// Verdict: an excused check excuses the findings of every other one.
        ExcusedCheck,
        /// Verdict: a known failure of a baseline excuses every other failure of its test.
        BaselineSignature,
        /// Verdict: a test may pass although a baseline knows its failure.
        BaselinePass,
        /// Run: excuses that excuse nothing go unnoticed.
        ExcuseUsed,
        /// Replay: a captured fault that nobody expected is a success.
        RepeatedFault,
        /// Replay: a captured failure at the end of the queues that nobody expected is a success.
        RepeatedEnd,
        /// Replay: a captured read of other bytes than the program expects is a success.
        RepeatedBytes,
        /// Replay: a captured read outside of its tolerance is a success.
        RepeatedNear,
        /// Replay: a captured read that no call waited for is a success.
        RepeatedUnread,
    }
}

pub use list::Defect as Check;
use list::planted;

/// The checks, in the order of their declaration.
pub const VERDICT_CHECKS: &[hallmark_chip::sabotage::PlantedDefect] = list::DEFECTS;

impl Check {
    /// Whether the check finds something: what is wrong, unless the check is switched off.
    pub fn finds(self, is_wrong: bool) -> bool {
        is_wrong && !planted(self)
    }
}
