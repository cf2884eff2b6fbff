//! Kernels that do not compile: the compiler's messages are shown with the first test that needs the kernel,
//! and further tests are counted.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hallmark_execution::worker::kernels::BrokenKernel;
use hallmark_schema::plural::counted;

use super::label;
use crate::TestResult;
use crate::verdict::Verdict;

/// The kernels of a run that do not compile.
#[derive(Debug, Default)]
pub struct BrokenKernels {
    /// For each, the number of tests after the first.
    more: Mutex<BTreeMap<BrokenKernel, u64>>,
}

impl BrokenKernels {
    /// Whether a result has not been reported before. Only results after the first one of the same broken
    /// kernel have.
    pub fn is_news(&self, result: &TestResult) -> bool {
        let Some(kernel) = &result.broken_kernel else { return true };
        let mut more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
        match more.get_mut(kernel) {
            Some(more) => {
                *more = more.saturating_add(1);
                false
            }
            None => {
                more.insert(kernel.clone(), 0);
                true
            }
        }
    }

    /// A line for each kernel that more than one test needs.
    pub fn closing(&self) -> Vec<String> {
        let more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
        let met = more.iter().filter(|(_, more)| **more > 0);
        met.map(|(kernel, more)| {
            format!(
                "{} {} for the same reason: {} does not compile",
                label(&Verdict::Mismatch),
                counted(*more, "more test", "more tests"),
                kernel.source
            )
        })
        .collect()
    }
}
