//! Kernels that a run needs and does not have.

use hallmark_execution::worker::kernels::KernelUnavailable;
use hallmark_schema::model::CommandKind;

use super::finding::Finding;
use super::signatures;
use crate::signature::CallEnd;
use crate::verdict::Verdict;

/// The finding for a test whose kernels are not available.
pub(super) fn without_kernels(error: KernelUnavailable) -> Finding {
    let headline = error.to_string();
    match error {
        KernelUnavailable::Library { .. } => Finding::new(Verdict::Unsupported, headline),
        KernelUnavailable::Machine { .. } => Finding::new(Verdict::InternalError, headline),
        KernelUnavailable::Broken { kernel, .. } => {
            let reason = kernel.messages.first().cloned().unwrap_or_default();
            let refused = CallEnd::Refused { reason };
            let signature = signatures::of_call(CommandKind::CreateKernel, CallEnd::Done, refused);
            Finding::new(Verdict::NotBuilt, headline)
                .lines(kernel.messages.iter().cloned())
                .signed(Some(signature))
                .of_broken_kernel(kernel)
        }
    }
}
